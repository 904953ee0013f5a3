/* path_columns.c -- paths by coordinate descent over columns; see path.h.
 *
 * A fold is left out by weights of 0.  Columns are stored times the root of the weights; dense ones
 * are centred, sparse ones hold their entries and say their mean. */
#include "data/by_column.h"
#include "kernel/kernel.h"
#include "learn/linear/path_parts.h"
#include "math/optimize/column_sums.h"

#include <math.h>
#include <string.h>

/* The features by columns, and what centring and weighting need. */
struct table {
    smr_by_column columns;
    double *mean, *root;
    double weight;
};

static void release(struct table *t)
{
    smr_by_column_close(&t->columns);
    smr_free(t->mean);
    smr_free(t->root);
    *t = (struct table){0};
}

/* root[i] = root of the weight, 0 in the fold that is left out (-1: none). */
static void take_weights(const struct smr_path_work *w, int64_t without, struct table *t)
{
    t->weight = 0;
    for (int64_t i = 0; i < w->data->n_rows; i++) {
        double weight = without >= 0 && w->fold[i] == without ? 0 : smr_data_weight(w->data, i);
        t->root[i] = sqrt(weight);
        t->weight += weight;
    }
}

/* Weighted means, and dense columns less theirs; a column that is all rounding becomes 0. */
static void centre(const struct smr_path_work *w, struct table *t)
{
    int64_t n = w->data->n_rows;
    double *dense = t->columns.dense;
    for (int64_t j = 0; j < w->d; j++) {
        t->mean[j] = w->ask->fit_intercept ? t->mean[j] / t->weight : 0;
        double *x = dense ? dense + j * n : NULL, before = x ? smr_sumsq_f64(n, x, 0) : 0;
        if (!x) continue;
        smr_axpy_f64(n, -t->mean[j], t->root, x);
        if (smr_sumsq_f64(n, x, 0) <= 1e-28 * before) memset(x, 0, (size_t)n * sizeof *x);
    }
    if (dense || !w->ask->fit_intercept) return;
    t->columns.X.mean = t->mean;
    t->columns.X.unit = t->root;
}

static smr_status build(smr_ctx *ctx, const struct smr_path_work *w, int64_t without,
                        struct table *t)
{
    smr_status st = SMR_OK;
    int64_t n = w->data->n_rows;
    TRY_NEW(t->root, n);
    TRY_NEW(t->mean, w->d + 1);
    take_weights(w, without, t);
    if (!(t->weight > 0)) goto out;
    TRY(smr_by_column_open(ctx, w->data, t->root, "use fewer features", &t->columns));
    TRY(smr_columns_products(ctx, &t->columns.X, t->root, NULL, t->mean));
    for (int64_t j = 0; j < w->d; j++)
        if (!isfinite(t->mean[j])) {
            TRY(smr_held_explain(ctx, w->rows));
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "sums of values overflow: rescale the columns"));
        }
    centre(w, t);
out:
    return st;
}

/* y (n) of output k as the columns are: times root, orthogonal to it.  Returns the mean. */
static double take_output(const struct smr_path_work *w, const struct table *t, int64_t k,
                          double *y)
{
    double sum = 0, mean;
    int64_t n = w->data->n_rows;
    for (int64_t i = 0; i < n; i++) sum += t->root[i] * t->root[i] * w->data->y[i * w->q + k];
    mean = w->ask->fit_intercept ? sum / t->weight : 0;
    double spread = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        y[i] = t->root[i] * (w->data->y[i * w->q + k] - mean);
        spread += y[i] * y[i];
        size += t->root[i] * t->root[i] * mean * mean;
    }
    if (spread <= 1e-28 * size) memset(y, 0, (size_t)n * sizeof *y); /* constant */
    return mean;
}

/* ---- errors in the fold ----------------------------------------------------------------- */

struct scoring {
    const struct smr_path_work *w;
    int64_t fold, output;
    const double *W, *b; /* d x n_path, n_path             */
    double *sums;        /* blocks x n_path                */
    double *fit;         /* lanes x n_path                 */
    smr_held_rows rows;
};

static void add_row(const struct scoring *s, const smr_rows *b, int64_t i, double *fit)
{
    int64_t n = s->w->n_path;
    const double *x = b->x;
    memcpy(fit, s->b, (size_t)n * sizeof *fit);
    if (b->form == SMR_FORM_SPARSE) {
        for (int64_t e = b->start[i]; e < b->start[i + 1]; e++)
            smr_axpy_f64(n, b->value[e], s->W + b->column[e] * n, fit);
        return;
    }
    for (int64_t j = 0; j < b->d; j++) smr_axpy_f64(n, x[i * b->stride + j], s->W + j * n, fit);
}

static smr_status score_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct scoring *s = arg;
    const smr_data *data = s->w->data;
    int64_t n = s->w->n_path, lo = task * SMR_ROWS_BLOCK;
    double *fit = s->fit + lane * n, *sum = s->sums + task * n;
    smr_rows b;
    int64_t hi = SMR_MIN(data->n_rows, lo + SMR_ROWS_BLOCK);
    smr_status st = smr_held_block(ctx, &s->rows, lane, lo, hi, &b);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < b.n; i++) {
        double weight = smr_data_weight(data, lo + i), y = data->y[(lo + i) * s->w->q + s->output];
        if (s->w->fold[lo + i] != s->fold || weight == 0) continue;
        add_row(s, &b, i, fit);
        for (int64_t c = 0; c < n; c++) sum[c] += weight * (y - fit[c]) * (y - fit[c]);
    }
    return SMR_OK;
}

static double weight_of_fold(const struct smr_path_work *w, int64_t fold)
{
    double sum = 0;
    for (int64_t i = 0; i < w->data->n_rows; i++)
        if (w->fold[i] == fold) sum += smr_data_weight(w->data, i);
    return sum;
}

static smr_status score(smr_ctx *ctx, struct scoring *s, double weight, double *error)
{
    smr_status st = SMR_OK;
    const struct smr_path_work *w = s->w;
    int64_t n = w->n_path, blocks = smr_block_count(w->data->n_rows, SMR_ROWS_BLOCK);
    TRY_NEW(s->sums, blocks * n);
    TRY_NEW(s->fit, smr_lanes(ctx) * n);
    TRY(smr_held_open(ctx, w->data, smr_held_form(w->data), SMR_ROWS_BLOCK, &s->rows));
    TRY(smr_parallel(ctx, "cross-validating", blocks, score_block, s));
    for (int64_t c = 0; c < n; c++) {
        error[c] = 0;
        for (int64_t t = 0; t < blocks; t++) error[c] += s->sums[t * n + c] / weight;
    }
out:
    smr_held_close(&s->rows);
    smr_free(s->fit);
    smr_free(s->sums);
    return st;
}

/* ---- paths ------------------------------------------------------------------------------ */

/* Errors of fold `fold` under the path B (n_path x d) of the others. */
static smr_status score_path(smr_ctx *ctx, const struct smr_path_work *w, const struct table *t,
                             int64_t fold, int64_t k, double mean, const double *B)
{
    smr_status st = SMR_OK;
    int64_t n = w->n_path, d = w->d;
    double *W = NULL, *b = NULL, here = weight_of_fold(w, fold);
    double *error = w->error + (k * w->n_folds + fold) * n;
    TRY_NEW(W, d * n + 1);
    TRY_NEW(b, n);
    for (int64_t c = 0; c < n; c++) {
        b[c] = w->ask->fit_intercept ? mean - smr_dot_f64(d, t->mean, B + c * d) : 0;
        for (int64_t j = 0; j < d; j++) W[j * n + c] = B[c * d + j];
        error[c] = NAN;
    }
    struct scoring s = {.w = w, .fold = fold, .output = k, .W = W, .b = b};
    if (here > 0) TRY(score(ctx, &s, here, error));
out:
    smr_free(b);
    smr_free(W);
    return st;
}

/* All rows (fold -1) or all but a fold's: paths of every output. */
static smr_status solve(smr_ctx *ctx, struct smr_path_work *w, int64_t fold, double *y, double *B,
                        double *l, smr_elastic_result *at)
{
    smr_status st = SMR_OK;
    struct table t = {0};
    double *size = NULL;
    int64_t n = w->n_path, d = w->d;
    smr_elastic_opts opts = smr_path_opts(w->ask);
    TRY(build(ctx, w, fold, &t));
    if (fold < 0) w->weight = t.weight;
    if (fold < 0 && !(t.weight > 0))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "no rows to fit: all weights are 0"));
    for (int64_t k = 0; k < w->q; k++) {
        double mean = t.weight > 0 ? take_output(w, &t, k, y) : NAN;
        double *into = fold < 0 ? w->B + k * n * d : B;
        if (fold < 0) {
            TRY(smr_columns_times(ctx, &t.columns.X, y, B)); /* room for d numbers */
            w->tss[k] = smr_dot_f64(w->data->n_rows, y, y);
            smr_path_penalties(w, k, smr_elastic_l1_max(d, B, NULL));
            w->mean[d + k] = mean;
        }
        for (int64_t c = 0; c < n; c++) {
            l[c] = w->l1[k * n + c] * t.weight / w->weight;
            l[n + c] = w->l2[k * n + c] * t.weight / w->weight;
            if (fold >= 0) w->error[(k * w->n_folds + fold) * n + c] = NAN;
        }
        if (!(t.weight > 0)) continue;
        smr_elastic_path path = {n, l, l + n};
        TRY(smr_elastic_columns_path(ctx, &t.columns.X, y, &opts, &path, into,
                                     fold < 0 ? w->at + k * n : at));
        if (fold >= 0) TRY(score_path(ctx, w, &t, fold, k, mean, B));
    }
    if (fold < 0) {
        TRY_NEW(size, 2 * d + 1);
        smr_columns_sizes(&t.columns.X, size, size + d);
        for (int64_t k = 0; k < w->q; k++)
            smr_path_drop_noise(n, d, size, w->tss[k], w->B + k * n * d);
    }
    if (fold < 0) memcpy(w->mean, t.mean, (size_t)d * sizeof *t.mean);
out:
    smr_free(size);
    release(&t);
    return st;
}

smr_status smr_path_by_columns(smr_ctx *ctx, struct smr_path_work *w)
{
    smr_status st = SMR_OK;
    double *y = NULL, *B = NULL, *l = NULL;
    smr_elastic_result *at = NULL;
    TRY_NEW(y, w->data->n_rows);
    TRY_NEW(B, w->n_path * w->d + 1);
    TRY_NEW(l, 2 * w->n_path);
    TRY_NEW(at, w->n_path);
    for (int64_t fold = -1; fold < w->n_folds; fold++) TRY(solve(ctx, w, fold, y, B, l, at));
out:
    smr_free(at);
    smr_free(l);
    smr_free(B);
    smr_free(y);
    return st;
}
