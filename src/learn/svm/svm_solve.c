/* svm_solve.c -- soft margins, of two classes and of many; see svm_parts.h. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/linear/objective.h"
#include "learn/linear/start.h"
#include "learn/svm/svm_interior.h"
#include "learn/svm/svm_parts.h"
#include "math/optimize/dual_classes.h"

#include <math.h>
#include <string.h>

/* Columns up to which Newton takes the Hessian itself. */
enum { MOST_DENSE = 256 };

smr_dual_problem smr_svm_rows(const smr_svm_problem *p, const double *y)
{
    smr_dual_problem rows = smr_held_dual(p->rows, y, p->weight, p->fit_intercept);
    rows.shift = p->shift;
    return rows;
}

/* Rows that the means are taken of, at most. */
enum { MOST_LOOKED_AT = 4096 };

smr_status smr_svm_shift(smr_ctx *ctx, const smr_held_rows *rows, double **shift)
{
    smr_status st = SMR_OK;
    const smr_data *data = &rows->data;
    int64_t d = data->n_features, step = data->n_rows / MOST_LOOKED_AT + 1, n = 0;
    double *mean = NULL, *square = NULL, far = 0, wide = 0;
    *shift = NULL;
    TRY_NEW(mean, d);
    TRY_NEW(square, d);
    for (int64_t i = 0; i < data->n_rows; i += step, n++) {
        int64_t at = (data->rows ? data->rows[i] : i) * rows->dense.stride;
        for (int64_t j = 0; j < d; j++) {
            double x = rows->dense.dtype == SMR_F64 ? ((const double *)rows->dense.values)[at + j]
                       : rows->dense.dtype == SMR_F32
                           ? ((const float *)rows->dense.values)[at + j]
                           : ((const uint8_t *)rows->dense.values)[at + j];
            double away = x - mean[j];
            mean[j] += away / (double)(n + 1);
            square[j] += away * (x - mean[j]);
        }
    }
    for (int64_t j = 0; j < d; j++) {
        far += mean[j] * mean[j];
        wide += square[j] / (double)SMR_MAX(n, 1);
    }
    if (!(far > wide) || !isfinite(far)) goto out;
    *shift = mean;
    mean = NULL;
out:
    smr_free(mean);
    smr_free(square);
    return st;
}

/* Measured, on one thread: from some thousand rows on, also with ten a column. */
enum { TALL = 5000, MOST_COLUMNS = 512, ROWS_PER_COLUMN = 10 };

bool smr_svm_is_tall(const smr_held_rows *rows)
{
    int64_t n = rows->data.n_rows, d = rows->data.n_features;
    return !rows->is_sparse && n >= TALL && d <= MOST_COLUMNS && n >= ROWS_PER_COLUMN * d;
}

smr_status smr_svm_frame(smr_ctx *ctx, const smr_held_rows *rows, bool fit_intercept,
                         smr_design *design)
{
    smr_status st = SMR_OK;
    double n = (double)rows->data.n_rows, square = (double)(rows->data.n_features + 1);
    square *= square;
    TRY(smr_memory_check(ctx, 8 * (3 * n + (3 + smr_fmin(64, n / 1024)) * square),
                         "svm's interior point method", "take solver=dual"));
    TRY(smr_design_open(ctx, &rows->data, fit_intercept, design));
    TRY(smr_design_frame(ctx, design));
out:
    return st;
}

/* The intercept of the rows as they are. */
static double unshifted(const smr_svm_problem *p, const double *w, double b)
{
    return p->shift ? b - smr_dot_f64(p->data->n_features, p->shift, w) : b;
}

/* Counts the rows by their slack 1 - m; is_support: also those whose slack is > 0 as support. */
struct tally {
    const smr_svm_problem *p;
    const double *y, *score;
    bool is_support;
    smr_svm_part *part; /* by block */
};

enum { TALLIED = 65536 };

static smr_status tally_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct tally *t = arg;
    smr_svm_part *out = &t->part[task];
    (void)ctx, (void)lane;
    out->margin = INFINITY;
    for (int64_t i = task * TALLIED; i < smr_block_end(t->p->data->n_rows, TALLIED, task); i++) {
        double weight = smr_data_weight(t->p->data, i), m = (t->y ? t->y[i] : 1) * t->score[i];
        if (!(weight > 0)) continue;
        out->margin = smr_fmin(out->margin, m);
        *(1 - m <= SMR_SVM_SLACK ? &out->n_met
          : 1 - m <= 1           ? &out->n_inside
                                 : &out->n_wrong) += weight;
        if (t->is_support && m < 1) out->n_support += weight;
    }
    return SMR_OK;
}

static smr_status tally(smr_ctx *ctx, const smr_svm_problem *p, const double *y,
                        const double *score, bool is_support, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(p->data->n_rows, TALLIED);
    struct tally t = {.p = p, .y = y, .score = score, .is_support = is_support};
    TRY_NEW(t.part, n_blocks);
    TRY(smr_parallel(ctx, NULL, n_blocks, tally_block, &t));
    out->margin = INFINITY;
    for (int64_t b = 0; b < n_blocks; b++) {
        out->margin = smr_fmin(out->margin, t.part[b].margin);
        out->n_met += t.part[b].n_met;
        out->n_inside += t.part[b].n_inside;
        out->n_wrong += t.part[b].n_wrong;
        out->n_support += t.part[b].n_support;
    }
out:
    smr_free(t.part);
    return st;
}

/* ---- two classes ------------------------------------------------------------------------ */

/* w = 0 where only one side has weight, or nothing may be paid for w (C = 0): b is the side with
 * more weight.  True if that is the case. */
static bool is_trivial(const smr_svm_problem *p, const double *y, double *side)
{
    double weight[2] = {0, 0};
    for (int64_t i = 0; i < p->data->n_rows; i++) weight[y[i] > 0] += p->weight ? p->weight[i] : 1;
    *side = weight[1] > weight[0] ? 1 : weight[1] < weight[0] ? -1 : 0;
    return isinf(p->l2) || weight[0] == 0 || weight[1] == 0;
}

static smr_status by_dual(smr_ctx *ctx, const smr_svm_problem *p, const double *y, double *w,
                          double *alpha, double *score, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    smr_dual_problem rows = smr_svm_rows(p, y);
    smr_dual_opts opts = {.loss = p->loss,
                          .l2 = p->l2,
                          .tol = p->tol,
                          .max_passes = p->max_iter,
                          .score = score,
                          .what = "svm"};
    smr_dual_result result;
    TRY(smr_dual_coordinate(ctx, &rows, &opts, w, alpha, &result));
    out->objective = result.objective;
    out->gap = result.gap;
    out->n_iter = result.passes;
    out->converged = result.converged;
    w[p->data->n_features] = unshifted(p, w, w[p->data->n_features]);
    for (int64_t i = 0; i < p->data->n_rows; i++)
        if (alpha[i] > 0) out->n_support += smr_data_weight(p->data, i);
out:
    return st;
}

/* The variables of svm_interior.h are those of the dual times l2. */
static smr_status by_interior(smr_ctx *ctx, const smr_svm_problem *p, const double *y, double *w,
                              double *alpha, double *score, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    smr_hinge hinge = {.design = p->design,
                       .y = y,
                       .weight = p->weight,
                       .l2 = p->l2,
                       .tol = p->tol,
                       .max_iter = p->max_iter,
                       .score = score,
                       .alpha = alpha};
    TRY_NEW(hinge.beta, p->design->p);
    TRY(smr_hinge_solve(ctx, &hinge));
    smr_design_coef(p->design, hinge.beta, w, &w[p->data->n_features]);
    out->objective = hinge.objective;
    out->gap = smr_fmin(hinge.gap, hinge.objective); /* a = 0 proves that much */
    out->n_iter = SMR_MIN(hinge.n_iter, p->max_iter);
    out->converged = hinge.converged;
    for (int64_t i = 0; i < p->data->n_rows; i++) {
        alpha[i] /= p->l2;
        if (alpha[i] > 0) out->n_support += smr_data_weight(p->data, i);
    }
out:
    smr_free(hinge.beta);
    return st;
}

/* Newton on the squared hinge: with the Hessian itself up to MOST_DENSE columns, which sees at once
 * what conjugate gradients in a region grope for where curvature comes and goes with the rows; with
 * more in a trust region.  The objective is l2-strongly convex in w, so it is at
 * most |g|^2 / (2 l2) above its minimum, g the gradient that was reached (with an intercept: the
 * intercept's own part is of the same order). */
static smr_status by_primal(smr_ctx *ctx, const smr_svm_problem *p, const double *y, double *w,
                            double *score, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    smr_linear_objective *objective = NULL;
    smr_linear_problem problem = {.data = p->data,
                                  .loss = &smr_losses[p->loss],
                                  .y = y,
                                  .weight = p->weight,
                                  .l2 = p->l2,
                                  .fit_intercept = p->fit_intercept,
                                  .second_order = true};
    smr_optimize_opts opts = {.max_iter = p->max_iter, .tol = p->tol, .what = "svm"};
    smr_optimize_result result;
    TRY(smr_linear_objective_open(ctx, "svm", &problem, &objective));
    const smr_objective *function = smr_linear_function(objective);
    if (p->is_warm) TRY(smr_linear_scale(ctx, function, NULL, &opts.scale));
    TRY(p->data->n_features <= MOST_DENSE ? smr_newton(ctx, function, &opts, w, &result)
                                          : smr_trust_newton(ctx, function, &opts, w, &result));
    TRY(smr_linear_scores(ctx, objective, w, score));
    if (!p->fit_intercept) w[p->data->n_features] = 0;
    out->objective = result.f;
    out->gap = 0.5 * result.gradient * result.gradient / p->l2;
    out->n_iter = result.iterations;
    out->converged = result.converged || result.why == SMR_WHY_ROUNDING;
out:
    smr_linear_objective_close(objective);
    return st;
}

smr_status smr_svm_two(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, double *w, double *b,
                       double *alpha, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows, d = p->data->n_features;
    double *y = NULL, *wide = NULL, *own = NULL, side;
    *out = (smr_svm_part){.converged = true};
    TRY_NEW(y, 2 * n); /* targets and scores */
    TRY_NEW(wide, d + 1);
    if (!alpha) TRY_NEW(own, n);
    if (!alpha) alpha = own;
    for (int64_t i = 0; i < n; i++) y[i] = p->data->label[i] == one ? 1 : -1;
    if (is_trivial(p, y, &side)) {
        wide[d] = p->fit_intercept ? side : 0;
        for (int64_t i = 0; i < n; i++) y[n + i] = wide[d];
        memset(alpha, 0, (size_t)n * sizeof *alpha);
        TRY(tally(ctx, p, y, y + n, false, out));
    } else if (p->is_hard) {
        TRY(smr_svm_hard(ctx, p, one, y, wide, alpha, out));
    } else {
        if (p->is_warm) memcpy(wide, w, (size_t)d * sizeof *w);
        if (p->is_warm && p->fit_intercept) wide[d] = *b;
        TRY(p->design ? by_interior(ctx, p, y, wide, alpha, y + n, out)
            : p->rows ? by_dual(ctx, p, y, wide, alpha, y + n, out)
                      : by_primal(ctx, p, y, wide, y + n, out));
        TRY(tally(ctx, p, y, y + n, !p->rows, out));
    }
    memcpy(w, wide, (size_t)d * sizeof *w);
    *b = wide[d];
out:
    smr_free(y);
    smr_free(wide);
    smr_free(own);
    return st;
}

/* ---- many classes in one problem -------------------------------------------------------- */

/* score[i] = f_y - the largest of the others. */
static smr_status take_margins(smr_ctx *ctx, const smr_svm_problem *p, const double *W,
                               const double *b, double *score)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows, d = p->data->n_features;
    smr_dual_problem rows = smr_svm_rows(p, NULL);
    double *own = NULL, *one = NULL, *w = NULL;
    TRY_NEW(own, n);
    TRY_NEW(one, n);
    TRY_NEW(w, d + 1);
    for (int64_t i = 0; i < n; i++) score[i] = -INFINITY; /* the best rival so far */
    for (int64_t c = 0; c < p->data->n_classes; c++) {
        memcpy(w, W + c * d, (size_t)d * sizeof *w);
        w[d] = b[c];
        TRY(smr_dual_scores(ctx, &rows, w, one));
        for (int64_t i = 0; i < n; i++)
            if (p->data->label[i] == c)
                own[i] = one[i];
            else
                score[i] = smr_fmax(score[i], one[i]);
    }
    for (int64_t i = 0; i < n; i++) score[i] = own[i] - score[i];
out:
    smr_free(own);
    smr_free(one);
    smr_free(w);
    return st;
}

smr_status smr_svm_many(smr_ctx *ctx, const smr_svm_problem *p, bool is_sum, double *W, double *b,
                        smr_svm_part *out)
{
    smr_status st = SMR_OK;
    smr_dual_problem rows = smr_svm_rows(p, NULL);
    smr_classes_opts opts = {
        .is_sum = is_sum, .l2 = p->l2, .tol = p->tol, .max_passes = p->max_iter, .what = "svm"};
    smr_dual_result result = {.converged = true};
    double *score = NULL;
    *out = (smr_svm_part){0};
    TRY_NEW(score, p->data->n_rows);
    if (isfinite(p->l2))
        TRY(smr_dual_classes(ctx, &rows, p->data->label, p->data->n_classes, &opts, W, b, &result));
    TRY(take_margins(ctx, p, W, b, score));
    for (int64_t c = 0; c < p->data->n_classes; c++)
        b[c] = unshifted(p, W + c * p->data->n_features, b[c]);
    out->objective = result.objective;
    out->gap = result.gap;
    out->n_iter = result.passes;
    out->converged = result.converged;
    TRY(tally(ctx, p, NULL, score, false, out));
    out->n_support = (double)result.n_support;
out:
    smr_free(score);
    return st;
}
