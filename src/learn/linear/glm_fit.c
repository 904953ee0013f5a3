/* glm_fit.c -- fits poisson and gamma; see glm.h. */
#include "core/number.h"
#include "data/row_subset.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/decrement.h"
#include "learn/linear/design.h"
#include "learn/linear/frame.h"
#include "learn/linear/glm.h"
#include "learn/linear/recession.h"
#include "learn/linear/start.h"
#include "math/optimize/coordinate.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_LEAST = 10000, SAMPLE_A_COLUMN = 30 };
#define CERTAIN 1e-6 /* above its least by this much, relatively, an objective has converged */

struct job {
    const char *name;
    const smr_loss *loss;
    bool is_poisson; /* the variance goes with the mean, else with its square */
    const struct smr_glm_params *params;
    const smr_data *data;
    const smr_design *design;
    double *y, *w; /* n; d + 1: coefficients and the intercept */
    int64_t d, n_variables;
    double total, mean; /* of the weights; of y */
    double above;       /* how far the objective is above its least, relatively (decrement.h) */
    smr_fit_report *report;
};

/* ---- targets ---------------------------------------------------------------------------- */

static smr_status take_target(smr_ctx *ctx, struct job *job, int64_t output)
{
    const smr_data *data = job->data;
    bool positive = job->loss->id == SMR_LOSS_GAMMA;
    double sum = 0;
    job->total = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double y = data->y[i * data->n_outputs + output], weight = smr_data_weight(data, i);
        char text[SMR_NUMBER_MAX];
        if (positive ? !(y > 0) : !(y >= 0)) {
            smr_format_double(y, text);
            return smr_fail(ctx, SMR_ERR_DATA,
                            "%s: the target of row %lld is %s, and must be %s; huber and linear "
                            "take any number",
                            job->name, (long long)(data->rows ? data->rows[i] : i) + 1, text,
                            positive ? "more than 0" : "0 or more");
        }
        job->y[i] = y;
        job->total += weight;
        sum += weight * y;
    }
    if (!(job->total > 0))
        return smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit: all weights are 0", job->name);
    job->mean = sum / job->total;
    if (job->mean > 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s: every target is 0: no finite coefficients give a mean of 0", job->name);
}

/* ---- the optimisers --------------------------------------------------------------------- */

static smr_status open_function(smr_ctx *ctx, const struct job *job, const smr_data *data,
                                const double *y, double l2, smr_linear_objective **o)
{
    smr_linear_problem problem = {.data = data,
                                  .loss = job->loss,
                                  .y = y,
                                  .l2 = l2,
                                  .fit_intercept = job->params->fit_intercept,
                                  .second_order = job->n_variables <= SMR_GLM_DENSE};
    return smr_linear_objective_open(ctx, job->name, &problem, o);
}

/* |g| at the start, where all means are the same: what the stopping rule is relative to. */
static smr_status measure(smr_ctx *ctx, const struct job *job, const smr_objective *F,
                          const double *start, double *scale)
{
    smr_status st = SMR_OK;
    double *g = NULL, f;
    TRY_NEW(g, job->n_variables + 1);
    TRY(F->evaluate(ctx, F->self, start, &f, g));
    *scale = sqrt(smr_dot_f64(job->n_variables, g, g));
out:
    smr_free(g);
    return st;
}

/* The answer for every s-th row, where there are many rows; *scale is then measured on these. */
static smr_status start_from_sample(smr_ctx *ctx, struct job *job, double *scale)
{
    smr_status st = SMR_OK;
    int64_t n = job->data->n_rows,
            least = SMR_MAX(SAMPLE_LEAST, SAMPLE_A_COLUMN * job->n_variables);
    int64_t step = SMR_MIN(16, n / least), m = step > 0 ? n / step : 0, *rows = NULL;
    smr_subset sample = {0};
    smr_linear_objective *o = NULL;
    smr_optimize_result result = {0};
    smr_optimize_opts opts = {.max_iter = 50, .tol = 1e-4, .what = "fitting a part"};
    double *w = NULL, *y = NULL;
    if (step < 4) return SMR_OK;
    TRY_NEW(rows, m);
    TRY_NEW(y, m);
    TRY_NEW(w, job->n_variables + 1);
    for (int64_t i = 0; i < m; i++) {
        rows[i] = i * step;
        y[i] = job->y[i * step];
    }
    TRY(smr_subset_make(ctx, job->data, rows, m, NULL, &sample));
    TRY(open_function(ctx, job, &sample.data, y, job->params->l2 / (double)step, &o));
    memcpy(w, job->w, (size_t)job->n_variables * sizeof *w);
    TRY(measure(ctx, job, smr_linear_function(o), w, &opts.scale));
    TRY(smr_newton(ctx, smr_linear_function(o), &opts, w, &result));
    *scale = opts.scale * (double)step;
    if (result.converged) memcpy(job->w, w, (size_t)job->n_variables * sizeof *w);
out:
    smr_linear_objective_close(o);
    smr_subset_release(&sample);
    smr_free(w);
    smr_free(y);
    smr_free(rows);
    return st;
}

/* Least squares of log y, which no y throws far off. */
static smr_status start_from_logs(smr_ctx *ctx, struct job *job)
{
    smr_status st = SMR_OK;
    const smr_design *D = job->design;
    int64_t n = D->n, p = D->p;
    double *weight = NULL, *u = NULL, *G = NULL, *L = NULL, *beta = NULL, mu = 0;
    TRY_NEW(weight, n);
    TRY_NEW(u, n);
    TRY_NEW(G, p * p);
    TRY_NEW(L, p * p);
    TRY_NEW(beta, p);
    for (int64_t i = 0; i < n; i++) {
        weight[i] = smr_data_weight(job->data, i);
        u[i] = weight[i] * smr_log(job->y[i]);
    }
    TRY(smr_design_gram(ctx, D, weight, u, G, beta));
    for (int64_t k = 0; k < D->n_kept; k++)
        G[k * p + k] += job->params->l2 * D->scale[k] * D->scale[k];
    TRY(smr_design_factor(ctx, p, G, L, &mu));
    if (mu < 0) goto out;
    TRY(smr_design_solve(ctx, p, L, beta));
    smr_design_coef(D, beta, job->w, &job->w[job->d]);
out:
    smr_free(beta);
    smr_free(L);
    smr_free(G);
    smr_free(u);
    smr_free(weight);
    return st;
}

static smr_status solve_in_frame(smr_ctx *ctx, struct job *job, smr_linear_objective *o,
                                 const smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    smr_linear_frame frame = {0};
    double *l1 = NULL, curvature = job->loss->id == SMR_LOSS_POISSON ? job->mean : 1;
    TRY(smr_linear_frame_open(ctx, o, job->data, job->params->l2, curvature, &frame));
    smr_linear_frame_enter(&frame, job->w, job->w);
    if (job->params->l1 > 0) {
        TRY_NEW(l1, job->n_variables);
        for (int64_t j = 0; j < job->d; j++) l1[j] = job->params->l1 / frame.scale[j];
        TRY(smr_owlqn(ctx, &frame.function, l1, 0, opts, job->w, result));
    } else {
        TRY(smr_lbfgs(ctx, &frame.function, 0, opts, job->w, result));
    }
    smr_linear_frame_leave(&frame, job->w, job->w);
out:
    smr_free(l1);
    smr_linear_frame_close(&frame);
    return st;
}

static smr_status solve_by_coordinates(smr_ctx *ctx, struct job *job, smr_linear_objective *o,
                                       const smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    double *factor = NULL;
    TRY_NEW(factor, job->n_variables);
    for (int64_t j = 0; j < job->d; j++) factor[j] = 1; /* none for the intercept */
    smr_linear_set_l2(o, 0);
    smr_elastic_opts penalty = {
        .l1 = job->params->l1, .l2 = job->params->l2, .l1_factor = factor, .l2_factor = factor};
    TRY(smr_proximal_newton(ctx, smr_linear_function(o), &penalty, opts, job->w, result));
out:
    smr_free(factor);
    return st;
}

static bool has_come_to_an_end(const smr_optimize_result *r)
{
    return r->converged || r->why == SMR_WHY_ROUNDING;
}

/* The Hessian, where it is affordable, has to agree that the objective is near its least. */
static smr_status certify(smr_ctx *ctx, struct job *job, smr_linear_objective *o,
                          const smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    double *H = NULL;
    int64_t n = job->n_variables;
    job->above = 0;
    if (n > SMR_GLM_DENSE || !has_come_to_an_end(result) || !(result->f > 0)) return SMR_OK;
    TRY_NEW(H, n * n + 1);
    smr_linear_set_l2(o, job->params->l2);
    TRY(smr_linear_above(ctx, o, job->w, job->params->l1, job->d, H, &job->above));
    job->above /= result->f;
out:
    smr_free(H);
    return st;
}

static smr_status solve(smr_ctx *ctx, struct job *job, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    bool is_small = job->n_variables <= SMR_GLM_DENSE, is_gamma = job->loss->id == SMR_LOSS_GAMMA;
    bool is_far = false;
    smr_linear_objective *o = NULL;
    smr_linear_telling telling = {.ctx = ctx, .report = job->report};
    smr_optimize_opts opts = {.max_iter = job->params->max_iter,
                              .tol = job->params->tol,
                              .what = "fitting means",
                              .each = smr_linear_tell,
                              .user = &telling};
    memset(job->w, 0, (size_t)(job->d + 1) * sizeof *job->w);
    if (job->params->fit_intercept) job->w[job->d] = smr_log(job->mean);
    TRY(open_function(ctx, job, job->data, job->y, job->params->l2, &o));
    if (job->params->fit_intercept) TRY(smr_linear_is_far(ctx, job->data, &is_far));
    is_small &= !is_far;
    if (is_small && job->params->l1 == 0 && !is_gamma)
        TRY(start_from_sample(ctx, job, &opts.scale));
    if (opts.scale == 0) TRY(measure(ctx, job, smr_linear_function(o), job->w, &opts.scale));
    if (is_small && is_gamma) TRY(start_from_logs(ctx, job));
    if (is_small && job->params->l1 == 0) {
        TRY(smr_newton(ctx, smr_linear_function(o), &opts, job->w, result));
    } else if (is_small) {
        TRY(solve_by_coordinates(ctx, job, o, &opts, result));
    } else {
        TRY(solve_in_frame(ctx, job, o, &opts, result));
    }
    TRY(telling.status);
    TRY(certify(ctx, job, o, result));
out:
    smr_linear_objective_close(o);
    return st;
}

/* ---- what is known of the answer -------------------------------------------------------- */

struct looking {
    const struct job *job;
    const double *beta;
    double at_mean; /* log of the mean */
    int64_t p;
    bool with_gram;
};

enum { DEVIANCE, NULL_DEVIANCE, PEARSON, SUMS };

static void look_at(void *arg, const smr_design_block *b, double *partial)
{
    const struct looking *t = arg;
    const struct job *job = t->job;
    double score[SMR_ROWS_BLOCK], value[SMR_ROWS_BLOCK], curvature[SMR_ROWS_BLOCK];
    const double *y = job->y + b->first;
    smr_block_scores(b, t->beta, score);
    smr_loss_block(job->loss, 0, b->n, y, score, value, NULL, NULL);
    smr_exp_f64(b->n, score, score);
    for (int64_t i = 0; i < b->n; i++) {
        double weight = smr_data_weight(job->data, b->first + i), mean = score[i];
        double off = (y[i] - mean) / (job->is_poisson ? sqrt(mean) : mean);
        partial[DEVIANCE] += 2 * weight * value[i];
        partial[PEARSON] += mean > 0 ? weight * off * off : 0;
        /* expected information: the mean for counts, 1 for gamma */
        curvature[i] = weight * (job->is_poisson ? mean : 1);
        value[i] = t->at_mean;
    }
    smr_loss_block(job->loss, 0, b->n, y, value, value, NULL, NULL);
    for (int64_t i = 0; i < b->n; i++)
        partial[NULL_DEVIANCE] += 2 * smr_data_weight(job->data, b->first + i) * value[i];
    if (t->with_gram) smr_block_gram(b, curvature, partial + SUMS);
}

/* sqrt of the diagonal of dispersion H^-1 G H^-1, H = G + l2, G the expected information. */
static smr_status find_errors(smr_ctx *ctx, const struct job *job, const smr_design *D,
                              const double *G, int64_t k, struct smr_glm_state *s)
{
    smr_status st = SMR_OK;
    int64_t p = D->p;
    bool by_model = job->is_poisson && job->params->errors == SMR_GLM_MODEL;
    double *C = NULL, *a = NULL, mu = 0, factor = by_model ? 1 : s->dispersion[k];
    TRY_NEW(C, p * p);
    TRY_NEW(a, 2 * p);
    TRY(smr_design_inverse_between(ctx, D, G, job->params->l2, C, &mu));
    for (int64_t j = 0; j < D->n_kept; j++) {
        a[j] = -D->scale[j] * D->shift[j];
        s->std_error[k * job->d + j] = mu < 0 ? NAN : D->scale[j] * sqrt(factor * C[j * p + j]);
    }
    if (!D->intercept) goto out;
    a[p - 1] = 1;
    for (int64_t j = 0; j < p; j++) a[p + j] = smr_dot_f64(p, C + j * p, a);
    s->intercept_error[k] = mu < 0 ? NAN : sqrt(factor * smr_dot_f64(p, a, a + p));
out:
    smr_free(a);
    smr_free(C);
    return st;
}

static smr_status judge(smr_ctx *ctx, const struct job *job, const smr_design *D, int64_t k,
                        struct smr_glm_state *s)
{
    smr_status st = SMR_OK;
    int64_t p = D->p;
    bool dense = job->n_variables <= SMR_GLM_DENSE && job->params->l1 == 0;
    double *sums = NULL, *beta = NULL, df = job->total - (double)p;
    TRY_NEW(beta, p + 1);
    TRY_NEW(sums, SUMS + p * p);
    smr_design_beta(D, job->w, job->params->fit_intercept ? job->w[job->d] : 0, beta);
    struct looking t = {
        .job = job, .beta = beta, .at_mean = smr_log(job->mean), .p = p, .with_gram = dense};
    TRY(smr_design_pass(ctx, D, look_at, NULL, &t, SUMS + (dense ? p * p : 0), sums));
    s->deviance[k] = sums[DEVIANCE] / job->total;
    s->null_deviance[k] = sums[NULL_DEVIANCE] / job->total;
    s->dispersion[k] = df > 0 ? sums[PEARSON] / df : NAN;
    for (int64_t j = 0; j < job->d; j++) s->std_error[k * job->d + j] = NAN;
    s->intercept_error[k] = job->params->fit_intercept ? NAN : 0;
    if (dense) TRY(find_errors(ctx, job, D, sums + SUMS, k, s));
out:
    smr_free(sums);
    smr_free(beta);
    return st;
}

static smr_status warn(smr_ctx *ctx, const struct job *job, const double *error,
                       const smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    int64_t n = 0, *columns = NULL;
    TRY_NEW(columns, job->d + 1);
    for (int64_t j = 0; j < job->d; j++)
        if (isnan(error[j])) columns[n++] = j;
    bool is_over = has_come_to_an_end(result);
    if (!is_over || job->above > CERTAIN)
        smr_warn(ctx,
                 "%s: not converged after %lld iteration%s: %s; raise max_iter, put standardize "
                 "before it, or set l2 > 0",
                 job->name, (long long)result->iterations, smr_plural(result->iterations, "", "s"),
                 is_over ? "the gradient is small, but the curvature says that the objective "
                           "still falls"
                         : smr_why_words(result->why));
    if (n > 0 && job->params->l2 == 0 && job->params->l1 == 0 &&
        job->n_variables <= SMR_GLM_DENSE && job->total > (double)job->n_variables)
        TRY(smr_design_warn_columns(ctx, job->name, job->data, n, columns,
                                    "Their coefficients are one choice of many; drop columns, or "
                                    "set l2 > 0"));
out:
    smr_free(columns);
    return st;
}

/* ---- is there an optimum? --------------------------------------------------------------- */

/* The coefficients that grow for ever have no standard errors; the warning names the first. */
static void tell_growth(smr_ctx *ctx, const struct job *job, const bool *moved, double *error)
{
    const smr_design *D = job->design;
    char name[32];
    int64_t first = -1, n = 0;
    for (int64_t j = D->n_kept - 1; j >= 0; j--) {
        if (!moved[j]) continue;
        first = D->kept[j];
        error[first] = NAN;
        n++;
    }
    smr_warn(
        ctx,
        "%s: there is no finite optimum: some rows whose target is 0 are set apart from all "
        "others, and the coefficient%s of %lld of %lld columns ('%s'%s) grow%s for ever; the model "
        "has the values at which the solver stopped, without standard errors: set l2 > 0",
        job->name, smr_plural(n, "", "s"), (long long)n, (long long)job->d,
        first < 0 ? "the intercept" : smr_affine_name(job->data->features, first, name),
        n > 1 ? ", ..." : "", smr_plural(n, "s", ""));
}

static void tell_doubt(smr_ctx *ctx, const struct job *job)
{
    smr_warn(ctx,
             "%s: rounding hides whether there is a finite optimum: some rows whose target is 0 "
             "may be set apart from all others; the model has the values at which the solver "
             "stopped: set l2 > 0",
             job->name);
}

/* Without a penalty: a direction along which the mean falls to 0 in rows whose target is 0, and
 * stays as it is in the others, lowers the loss for ever (recession.h). */
static smr_status look_for_growth(smr_ctx *ctx, const struct job *job, double *error, bool *grows)
{
    smr_status st = SMR_OK;
    const smr_design *D = job->design;
    bool *moved = NULL;
    unsigned char *role = NULL;
    int32_t *label = NULL;
    enum smr_recession is;
    *grows = false;
    if (!job->is_poisson || job->params->l1 > 0 || job->params->l2 > 0) return SMR_OK;
    if (job->n_variables > SMR_GLM_DENSE) return SMR_OK;
    TRY_NEW(moved, D->p + 1);
    TRY_NEW(role, D->n);
    TRY_NEW(label, D->n);
    for (int64_t i = 0; i < D->n; i++)
        role[i] = !(smr_data_weight(job->data, i) > 0) ? SMR_PAIR_NONE
                  : job->y[i] > 0                      ? SMR_PAIR_HELD
                                                       : SMR_PAIR_OPEN;
    smr_recession_problem problem = {.design = D, .k = 1, .label = label, .role = role};
    TRY(smr_recession_find(ctx, &problem, moved, &is));
    *grows = is != SMR_RECEDES_NOT;
    if (is == SMR_RECEDES_MAYBE)
        tell_doubt(ctx, job);
    else if (*grows)
        tell_growth(ctx, job, moved, error);
out:
    smr_free(moved);
    smr_free(role);
    smr_free(label);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status make_state(smr_ctx *ctx, const smr_data *data, struct smr_glm_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, q = data->n_outputs;
    double **vectors[] = {&s->intercept, &s->intercept_error, &s->objective,
                          &s->deviance,  &s->null_deviance,   &s->dispersion};
    s->n_features = d;
    s->n_outputs = q;
    TRY_NEW(s->coef, q * d);
    TRY_NEW(s->std_error, q * d);
    for (int64_t i = 0; i < SMR_COUNT(vectors); i++) TRY_NEW(*vectors[i], q);
    for (int64_t i = 0; i < data->n_rows; i++) s->n_rows += smr_data_weight(data, i);
out:
    return st;
}

static smr_status fit_output(smr_ctx *ctx, struct job *job, const smr_design *D, int64_t k,
                             struct smr_glm_state *s, bool *converged)
{
    smr_status st = SMR_OK;
    smr_optimize_result result = {0};
    bool grows = false;
    TRY(take_target(ctx, job, k));
    TRY(solve(ctx, job, &result));
    memcpy(s->coef + k * job->d, job->w, (size_t)job->d * sizeof *job->w);
    s->intercept[k] = job->params->fit_intercept ? job->w[job->d] : 0;
    s->objective[k] = result.f;
    *converged &= has_come_to_an_end(&result) && job->above <= CERTAIN;
    TRY(judge(ctx, job, D, k, s));
    TRY(warn(ctx, job, s->std_error + k * job->d, &result));
    TRY(look_for_growth(ctx, job, s->std_error + k * job->d, &grows));
    *converged &= !grows;
out:
    return st;
}

smr_status smr_glm_fit(smr_ctx *ctx, smr_loss_id loss, const struct smr_glm_params *params,
                       const smr_data *data, struct smr_glm_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    smr_design design = {0};
    bool converged = true;
    double objective = 0;
    struct job job = {.name = report->learner->word->name,
                      .loss = &smr_losses[loss],
                      .is_poisson = loss == SMR_LOSS_POISSON,
                      .params = params,
                      .data = data,
                      .d = d,
                      .n_variables = d + params->fit_intercept,
                      .report = report};
    TRY(smr_held_check_targets(ctx, job.name, data));
    TRY(make_state(ctx, data, s));
    TRY_NEW(job.y, data->n_rows);
    TRY_NEW(job.w, d + 1);
    TRY(smr_design_open(ctx, data, params->fit_intercept, &design));
    TRY(smr_design_frame(ctx, &design));
    job.design = &design;
    for (int64_t k = 0; k < s->n_outputs; k++) {
        TRY(fit_output(ctx, &job, &design, k, s, &converged));
        objective += s->objective[k];
    }
    report->objective = objective;
    report->converged = converged;
out:
    smr_design_close(&design);
    smr_free(job.w);
    smr_free(job.y);
    return st;
}
