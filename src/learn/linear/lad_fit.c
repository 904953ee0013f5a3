/* lad_fit.c -- fits lad and quantile: the rank by least squares, the two phases of lad_parts.h for
 * each output, and the certificate. */
#include "core/sort.h"
#include "learn/linear/affine.h"
#include "learn/linear/lad_parts.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

static smr_status make_state(smr_ctx *ctx, const smr_data *data, struct smr_lad_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, q = data->n_outputs;
    double **vectors[] = {&s->intercept, &s->objective, &s->gap, &s->balance, &s->r1, &s->below};
    s->n_features = d;
    s->n_outputs = q;
    TRY_NEW(s->coef, q * d);
    for (int64_t i = 0; i < SMR_COUNT(vectors); i++) TRY_NEW(*vectors[i], q);
    TRY_NEW(s->n_zero, q);
    TRY_NEW(s->n_steps, q);
    TRY_NEW(s->n_pivots, q);
    for (int64_t i = 0; i < data->n_rows; i++) s->n_rows += smr_data_weight(data, i);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

struct job {
    const char *name;
    const struct smr_lad_params *params;
    double low, high; /* of a row of weight 1 */
    const smr_data *data;
    smr_design design;
    smr_lstsq start; /* least squares: the rank, and where to begin */
};

/* Columns that depend on others are left out, and named. */
static smr_status leave_out_dependent(smr_ctx *ctx, struct job *job)
{
    smr_status st = SMR_OK;
    int64_t n = job->start.n_dependencies, *columns = NULL;
    TRY_NEW(columns, n + 1);
    for (int64_t i = 0; i < n; i++) { /* insertion: few */
        int64_t at = i;
        for (; at > 0 && columns[at - 1] > job->start.dependencies[i].column; at--)
            columns[at] = columns[at - 1];
        columns[at] = job->start.dependencies[i].column;
    }
    TRY(smr_design_warn_columns(ctx, job->name, job->data, n, columns,
                                "They got the coefficient 0; drop columns to choose which"));
    smr_design_drop(&job->design, n, columns);
out:
    smr_free(columns);
    return st;
}

/* More columns than rows, and rows that contradict each other: pivoting chooses columns that span
 * the others. */
static smr_status leave_out_wide(smr_ctx *ctx, struct job *job)
{
    smr_status st = SMR_OK;
    smr_design *D = &job->design;
    int64_t n = D->n, d = D->n_kept, rank = job->start.rank, *pivot = NULL, *columns = NULL;
    double *Z = NULL, *tau = NULL, *row = NULL;
    TRY(smr_memory_check(ctx, 8.0 * (double)n * (double)d, job->name,
                         "choose columns first, or set l1 > 0"));
    TRY_NEW(Z, n * d + 1);
    TRY_NEW(tau, n + 1);
    TRY_NEW(row, D->p + 1);
    TRY_NEW(pivot, d + 1);
    TRY_NEW(columns, d + 1);
    for (int64_t i = 0; i < n; i++) {
        TRY(smr_design_row(ctx, D, i, row));
        for (int64_t k = 0; k < d; k++) Z[k * n + i] = row[k]; /* column-major */
    }
    TRY(smr_qr_pivoted(ctx, n, d, Z, n, pivot, tau));
    for (int64_t k = 0; k < d; k++) columns[pivot[k]] = k >= rank;
    int64_t count = 0;
    for (int64_t k = 0; k < d; k++)
        if (columns[k]) columns[count++] = k;
    smr_design_drop(D, count, columns);
    smr_warn(ctx,
             "%s: the rows do not determine all coefficients (%lld columns and %lld rows, of which "
             "%lld equal others in all but the target), so %lld of them were set to 0; consider l1 "
             "> 0, or ridge",
             job->name, (long long)d, (long long)n, (long long)SMR_MAX(n - rank - D->intercept, 0),
             (long long)count);
out:
    smr_free(columns);
    smr_free(pivot);
    smr_free(row);
    smr_free(tau);
    smr_free(Z);
    return st;
}

/* Least squares tells the rank; with a penalty every column counts. */
static smr_status begin(smr_ctx *ctx, struct job *job)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_lstsq_opts opts = {.intercept = job->params->fit_intercept};
    TRY(smr_held_source(ctx, job->name, job->data, &rows));
    TRY(smr_lstsq_fit(ctx, &rows.source, &opts, &job->start));
    TRY(smr_design_open(ctx, job->data, job->params->fit_intercept, &job->design));
    TRY(smr_design_frame(ctx, &job->design));
    if (job->params->l1 == 0 && job->start.n_dependencies > 0) TRY(leave_out_dependent(ctx, job));
out:
    smr_held_close(&rows);
    return st;
}

static void set_costs(const struct job *job, int64_t output, smr_lad_lp *lad)
{
    const smr_data *data = job->data;
    for (int64_t i = 0; i < lad->n; i++) {
        double weight = smr_data_weight(data, i);
        lad->y[i] = data->y[i * data->n_outputs + output];
        lad->low[i] = weight * job->low;
        lad->high[i] = weight * job->high;
        lad->total += lad->low[i] + lad->high[i];
    }
    for (int64_t i = lad->n; i < lad->m; i++) lad->low[i] = lad->high[i] = lad->l1;
}

/* Does least squares fit every row that counts, but for rounding? */
static bool fits_exactly(const struct job *job, int64_t output, const smr_lad_lp *lad)
{
    const double *w = job->start.coef + output * job->data->n_features;
    double size = 0, largest = 0;
    if (job->params->l1 > 0) return false;
    for (int64_t k = 0; k < job->design.n_kept; k++)
        size += fabs(w[job->design.kept[k]] / job->design.scale[k]);
    for (int64_t i = 0; i < lad->n; i++) {
        if (lad->high[i] == 0) continue;
        size = smr_fmax(size, fabs(lad->y[i]));
        largest = smr_fmax(largest, fabs(lad->r[i]));
    }
    return largest <= 1e-13 * size;
}

/* J of the best constant, or of 0: the smallest y at which the slope is no longer negative. */
static smr_status constant_cost(smr_ctx *ctx, const struct job *job, const smr_lad_lp *lad,
                                double *cost)
{
    smr_status st = SMR_OK;
    double at = 0, sum = 0, total = 0;
    int64_t *order = NULL;
    if (job->params->fit_intercept) {
        TRY_NEW(order, lad->n);
        TRY(smr_argsort_f64(ctx, lad->n, lad->y, order));
        for (int64_t i = 0; i < lad->n; i++) total += lad->high[i];
        for (int64_t k = 0; k < lad->n; k++) {
            int64_t i = order[k];
            if (lad->high[i] == 0) continue;
            at = lad->y[i];
            sum += lad->low[i] + lad->high[i];
            if (sum >= total) break;
        }
    }
    *cost = 0;
    for (int64_t i = 0; i < lad->n; i++) {
        double r = lad->y[i] - at;
        *cost += r > 0 ? lad->high[i] * r : -lad->low[i] * r;
    }
out:
    smr_free(order);
    return st;
}

/* The certificate and the rest of what inspect shows. */
static smr_status judge(smr_ctx *ctx, const struct job *job, smr_lad_lp *lad, int64_t output,
                        struct smr_lad_state *s)
{
    smr_status st = SMR_OK;
    double cost = smr_lad_cost(lad, 0, lad->n), all = smr_lad_cost(lad, 0, lad->m), gap = 0;
    double below = 0, size = 0, constant = 0, *sums = NULL;
    TRY_NEW(sums, lad->p + 1);
    TRY(smr_lad_sums(ctx, lad, lad->u, sums));
    for (int64_t k = 0; k < lad->p; k++) {
        s->balance[output] = smr_fmax(s->balance[output], fabs(sums[k]) / lad->total);
        size += fabs(lad->beta[k]);
    }
    for (int64_t i = 0; i < lad->m; i++) {
        double u = smr_fmin(smr_fmax(lad->u[i], -lad->low[i]), lad->high[i]), r = lad->r[i];
        gap += (r > 0 ? lad->high[i] * r : -lad->low[i] * r) - u * r;
        if (i >= lad->n || lad->high[i] == 0) continue;
        bool is_zero = fabs(r) <= 1e-12 * (size + fabs(lad->y[i]));
        s->n_zero[output] += is_zero;
        if (!is_zero && r < 0) below += lad->low[i] / job->low;
    }
    TRY(constant_cost(ctx, job, lad, &constant));
    s->objective[output] = all;
    s->gap[output] = all > 0 ? smr_fmax(gap, 0) / all : 0;
    s->r1[output] = constant > 0 ? 1 - cost / constant : NAN;
    s->below[output] = below / s->n_rows;
    s->n_steps[output] = lad->n_interior;
    s->n_pivots[output] = lad->n_pivots;
out:
    smr_free(sums);
    return st;
}

static smr_status fit_output(smr_ctx *ctx, struct job *job, int64_t output, struct smr_lad_state *s,
                             bool *converged)
{
    smr_status st = SMR_OK;
    smr_lad_lp lad = {0};
    int64_t d = s->n_features;
    double *w = s->coef + output * d;
    bool exact = false;
    TRY(smr_lad_open(ctx, &job->design, job->params->l1, &lad));
    set_costs(job, output, &lad);
    smr_design_beta(&job->design, job->start.coef + output * d, job->start.origin[output],
                    lad.beta);
    TRY(smr_lad_residuals(ctx, &lad));
    exact = fits_exactly(job, output, &lad);
    if (exact) {
        memcpy(w, job->start.coef + output * d, (size_t)d * sizeof *w);
        s->intercept[output] = job->start.origin[output];
        memset(lad.r, 0, (size_t)lad.m * sizeof *lad.r); /* what is left is rounding */
        if (job->start.method == SMR_LSTSQ_SVD && output == 0)
            TRY(smr_affine_warn_collinear(ctx, job->name, job->data, &job->start));
    } else {
        if (job->start.method == SMR_LSTSQ_SVD && job->design.n_kept == d && job->params->l1 == 0) {
            TRY(leave_out_wide(ctx, job));
            smr_lad_close(&lad);
            TRY(smr_lad_open(ctx, &job->design, job->params->l1, &lad));
            set_costs(job, output, &lad);
        }
        TRY(smr_lad_interior(ctx, &lad));
        TRY(smr_lad_vertex(ctx, &lad));
        smr_design_coef(&job->design, lad.beta, w, &s->intercept[output]);
    }
    TRY(judge(ctx, job, &lad, output, s));
    *converged &= exact || (s->gap[output] <= 1e-9 && s->balance[output] <= 1e-9);
out:
    smr_lad_close(&lad);
    return st;
}

static smr_status fit_job(smr_ctx *ctx, struct job *job, struct smr_lad_state *s,
                          smr_fit_report *report)
{
    smr_status st = SMR_OK;
    bool converged = true;
    TRY(make_state(ctx, job->data, s));
    TRY(begin(ctx, job));
    report->objective = 0;
    for (int64_t k = 0; k < s->n_outputs; k++) {
        TRY(fit_output(ctx, job, k, s, &converged));
        report->objective += s->objective[k];
        report->n_iter += s->n_steps[k] + s->n_pivots[k];
    }
    report->converged = converged;
    if (!converged)
        smr_warn(ctx,
                 "%s: rounding stopped the search before the optimum was proven (inspect shows the "
                 "gap); bring the columns to comparable scales, or drop nearly collinear ones",
                 job->name);
out:
    smr_lstsq_release(&job->start);
    smr_design_close(&job->design);
    return st;
}

smr_status smr_lad_fit(smr_ctx *ctx, const struct smr_lad_params *params, double low, double high,
                       const smr_data *data, struct smr_lad_state *state, smr_fit_report *report)
{
    struct job job = {.name = report->learner->word->name,
                      .params = params,
                      .low = low,
                      .high = high,
                      .data = data};
    return fit_job(ctx, &job, state, report);
}
