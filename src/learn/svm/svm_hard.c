/* svm_hard.c -- the hard margin, or why there is none; see svm_parts.h.
 *
 * Up to SMR_HULLS_MOST columns (or rows) by the nearest points of the two hulls, which is exact and
 * proves it either way (math/optimize/hulls.h); beyond by the dual without bounds, which proves a
 * separator but not that there is none. */
#include "core/rng.h"
#include "core/sort.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"
#include "math/optimize/hulls.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 4, TRIES = 5, MOST_OUT = 50 };

/* ---- what is in the way ----------------------------------------------------------------- */

/* "rows 2 and 3", at most SHOWN of those with this sign. */
static void say_rows(const smr_svm_problem *p, const double *y, const double *share, double sign,
                     smr_text *text)
{
    int64_t n = 0, said = 0;
    for (int64_t i = 0; i < p->data->n_rows; i++) n += share[i] > 0 && y[i] == sign;
    smr_text_add(text, n == 1 ? "row" : "rows");
    for (int64_t i = 0; i < p->data->n_rows && said < SHOWN; i++) {
        if (!(share[i] > 0 && y[i] == sign)) continue;
        smr_text_add(text, said == 0 ? " " : said == n - 1 ? " and " : ", ");
        smr_text_printf(text, "%lld", (long long)(p->data->rows ? p->data->rows[i] : i) + 1);
        said++;
    }
    if (n > SHOWN) smr_text_printf(text, " and %lld more", (long long)(n - SHOWN));
}

/* The fewest rows not on their side of a plane, over soft margins of rising C. */
static smr_status count_in_the_way(smr_ctx *ctx, const smr_svm_problem *p, const double *y,
                                   double *w, int64_t *fewest)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows;
    smr_dual_problem rows = smr_svm_rows(p, y);
    double *score = NULL, l2 = 1;
    TRY_NEW(score, n);
    *fewest = n;
    for (int k = 0; k < TRIES; k++, l2 /= 30) {
        smr_dual_opts opts = {
            .loss = SMR_LOSS_HINGE, .l2 = l2, .tol = 1e-2, .max_passes = 200, .score = score};
        smr_dual_result result;
        int64_t wrong = 0;
        TRY(smr_dual_coordinate(ctx, &rows, &opts, w, NULL, &result));
        for (int64_t i = 0; i < n; i++)
            wrong += !(y[i] * score[i] > 0) && (!p->weight || p->weight[i] > 0);
        *fewest = SMR_MIN(*fewest, wrong);
    }
out:
    smr_free(score);
    return st;
}

/* Takes rows out one by one, always the one with most part in the proof, until the others can be
 * divided: *fewest falls if that takes fewer of them. */
static smr_status take_out(smr_ctx *ctx, const smr_svm_problem *p, const double *y, double *w,
                           const double *share, int64_t *fewest)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows;
    smr_dual_problem rows = smr_svm_rows(p, y);
    smr_hulls hulls = {0};
    double *weight = NULL, *part = NULL;
    TRY_NEW(weight, n);
    TRY_NEW(part, n);
    for (int64_t i = 0; i < n; i++) weight[i] = p->weight ? p->weight[i] : 1;
    memcpy(part, share, (size_t)n * sizeof *part);
    rows.weight = weight;
    for (int64_t out = 1; out < *fewest && out <= MOST_OUT && !hulls.is_separable; out++) {
        int64_t top = 0, left[2] = {0, 0};
        for (int64_t i = 1; i < n; i++)
            if (part[i] > part[top]) top = i;
        weight[top] = 0;
        for (int64_t i = 0; i < n; i++) left[y[i] > 0] += weight[i] > 0;
        if (left[0] == 0 || left[1] == 0) break;
        TRY(smr_hulls_nearest(ctx, &rows, 20 * (p->data->n_features + 10), w, part, &hulls));
        if (hulls.is_separable) *fewest = out;
    }
out:
    smr_free(weight);
    smr_free(part);
    return st;
}

/* Which classes: all there are, or one against the rest. */
static void say_classes(const smr_svm_problem *p, int64_t one, smr_text *text)
{
    char name[64], other[64];
    smr_class_name(p->data, p->data->n_classes == 2 ? 0 : one, name);
    smr_class_name(p->data, 1, other);
    if (p->data->n_classes == 2)
        smr_text_printf(text, "class %s from class %s", name, other);
    else
        smr_text_printf(text, "class %s from the others", name);
}

void smr_svm_say_pair(const smr_data *data, const int64_t pair[2], smr_text *text)
{
    for (int k = 0; k < 2; k++) {
        int64_t row = data->rows ? data->rows[pair[k]] : pair[k];
        char name[64];
        smr_class_name(data, data->label[pair[k]], name);
        smr_text_printf(text, "%srow %lld of class %s", k ? " and " : "", (long long)row + 1, name);
    }
}

static bool is_same_row(const smr_dual_problem *p, int64_t i, int64_t j)
{
    int64_t a = p->rows ? p->rows[i] : i, b = p->rows ? p->rows[j] : j;
    if (!p->sparse) {
        size_t size = (size_t)smr_dtype_size(p->dtype), stride = (size_t)p->stride * size;
        const char *x = p->dense;
        return memcmp(x + (size_t)a * stride, x + (size_t)b * stride, (size_t)p->n_cols * size) ==
               0;
    }
    const int64_t *start = p->sparse->start, n = start[a + 1] - start[a];
    return n == start[b + 1] - start[b] &&
           memcmp(p->sparse->column + start[a], p->sparse->column + start[b],
                  (size_t)n * sizeof(int32_t)) == 0 &&
           memcmp(p->sparse->value + start[a], p->sparse->value + start[b],
                  (size_t)n * sizeof(double)) == 0;
}

/* Two rows of either class that are the same, pair[0] < pair[1], or pair[0] = -1.  The same rows
 * have the same product with any w: they lie side by side in the order of one. */
static smr_status find_pair(smr_ctx *ctx, const smr_svm_problem *p, const double *y,
                            int64_t pair[2])
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows, *order = NULL;
    smr_dual_problem rows = smr_svm_rows(p, y);
    double *w = NULL, *score = NULL;
    pair[0] = pair[1] = -1;
    TRY_NEW(w, rows.n_cols + 1);
    TRY_NEW(score, n);
    TRY_NEW(order, n);
    for (int64_t j = 0; j < rows.n_cols; j++)
        w[j] = smr_random_unit(0, SMR_STREAM_PAIRS, (uint64_t)j, 0);
    TRY(smr_dual_scores(ctx, &rows, w, score));
    TRY(smr_argsort_f64(ctx, n, score, order));
    for (int64_t t = 0, last[2] = {-1, -1}; t < n && pair[0] < 0; t++) {
        int64_t i = order[t], own = y[i] > 0;
        if (p->weight && !(p->weight[i] > 0)) continue;
        int64_t other = last[!own];
        last[own] = i;
        if (other < 0 || score[other] != score[i] || !is_same_row(&rows, i, other)) continue;
        pair[0] = SMR_MIN(i, other);
        pair[1] = SMR_MAX(i, other);
    }
out:
    smr_free(w);
    smr_free(score);
    smr_free(order);
    return st;
}

/* "row 1 of class 'a' and row 3 of class 'b' are the same", if there are such. */
static smr_status say_pair(smr_ctx *ctx, const smr_svm_problem *p, const double *y, smr_text *text)
{
    smr_status st = SMR_OK;
    int64_t pair[2];
    TRY(find_pair(ctx, p, y, pair));
    if (pair[0] < 0) goto out;
    smr_text_add(text, "svm: margin=hard, but not separable: ");
    smr_svm_say_pair(p->data, pair, text);
    smr_text_add(text, " are the same");
out:
    return st;
}

/* Fails with the sentence; share NULL: there is no proof. */
static smr_status refuse(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                         double *w, const double *share)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t fewest;
    TRY(count_in_the_way(ctx, p, y, w, &fewest));
    if (share) TRY(take_out(ctx, p, y, w, share, &fewest));
    TRY(say_pair(ctx, p, y, &text));
    if (text.bytes) {
        /* said */
    } else if (share) {
        smr_text_add(&text, "svm: margin=hard, but not separable: no hyperplane divides ");
        say_classes(p, one, &text);
        smr_text_add(&text, ", as a mixture of ");
        say_rows(p, y, share, 1, &text);
        if (p->fit_intercept) {
            smr_text_add(&text, " equals one of ");
            say_rows(p, y, share, -1, &text);
        } else {
            smr_text_add(&text, " with those mirrored of ");
            say_rows(p, y, share, -1, &text);
            smr_text_add(&text, " is 0");
        }
    } else {
        smr_text_printf(&text,
                        "svm: margin=hard, but in %lld passes no hyperplane was found that "
                        "divides ",
                        (long long)p->max_iter);
        say_classes(p, one, &text);
    }
    smr_text_printf(&text,
                    "; it takes leaving out %lld of the %lld row%s, the fewest found; take "
                    "margin=soft",
                    (long long)fewest, (long long)p->data->n_rows,
                    smr_plural(p->data->n_rows, "", "s"));
    TRY(smr_text_done(&text));
    TRY(smr_fail(ctx, SMR_ERR_DATA, "%s", text.bytes));
out:
    smr_text_release(&text);
    return st;
}

/* ---- the separator ---------------------------------------------------------------------- */

/* Scales w, b and the dual variables so that the least margin is 1, and takes the figures.  The
 * dual's value bounds |w|^2 / 2 of every separator from below; where the variables do not balance
 * (dual without bounds, before its end) the gap it came with is kept. */
static smr_status conclude(smr_ctx *ctx, const smr_svm_problem *p, const double *y, double *w,
                           const double *alpha, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows, d = p->data->n_features;
    smr_dual_problem rows = smr_svm_rows(p, y);
    double *score = NULL, margin = INFINITY;
    TRY_NEW(score, n);
    TRY(smr_dual_scores(ctx, &rows, w, score));
    for (int64_t i = 0; i < n; i++)
        if (!p->weight || p->weight[i] > 0) margin = smr_fmin(margin, y[i] * score[i]);
    if (!(margin > 0)) margin = 1; /* rounding: left as it is */
    for (int64_t j = 0; j <= d; j++) w[j] /= margin;
    out->margin = 1;
    out->objective = 0.5 * smr_dot_f64(d, w, w);
    for (int64_t i = 0; i < n; i++) {
        double weight = smr_data_weight(p->data, i);
        out->n_met += weight;
        out->n_support += alpha[i] > 0 ? weight : 0;
    }
out:
    smr_free(score);
    return st;
}

static smr_status by_hulls(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                           double *w, double *alpha, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    int64_t n = p->data->n_rows, d = p->data->n_features;
    smr_dual_problem rows = smr_svm_rows(p, y);
    smr_hulls hulls;
    double scale, sum = 0;
    TRY(smr_hulls_nearest(ctx, &rows, SMR_MAX(p->max_iter, 20 * (d + 10)), w, alpha, &hulls));
    out->n_iter = hulls.steps;
    out->converged = hulls.converged;
    if (!hulls.is_separable) TRY(refuse(ctx, p, one, y, w, alpha));
    scale = (p->fit_intercept ? 2 : 1) / (hulls.distance * hulls.distance);
    for (int64_t i = 0; i < n; i++) sum += alpha[i] *= scale;
    double dual = sum - 0.5 * smr_dot_f64(d, w, w);
    TRY(conclude(ctx, p, y, w, alpha, out));
    out->gap = smr_fmax(out->objective - dual, 0);
out:
    return st;
}

static smr_status by_dual(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                          double *w, double *alpha, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    smr_dual_problem rows = smr_svm_rows(p, y);
    smr_dual_opts opts = {.loss = SMR_LOSS_HINGE,
                          .is_hard = true,
                          .tol = p->tol,
                          .max_passes = p->max_iter,
                          .what = "hard margin"};
    smr_dual_result result;
    TRY(smr_dual_coordinate(ctx, &rows, &opts, w, alpha, &result));
    if (!(result.margin > 0)) TRY(refuse(ctx, p, one, y, w, NULL));
    out->n_iter = result.passes;
    out->converged = result.converged;
    TRY(conclude(ctx, p, y, w, alpha, out));
    out->gap = result.gap;
out:
    return st;
}

smr_status smr_svm_hard(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                        double *w, double *alpha, smr_svm_part *out)
{
    bool is_small = SMR_MIN(p->data->n_rows, p->data->n_features) <= SMR_HULLS_MOST;
    return (is_small ? by_hulls : by_dual)(ctx, p, one, y, w, alpha, out);
}
