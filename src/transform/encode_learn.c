/* encode_learn.c -- means of the target for each level: see encode.c.
 *
 * Sums are those of y - c, c the mean of all rows, and each level's are added in the order of the
 * rows: the same bits at any thread count, and no digits lost to a large mean. */
#include "core/parallel.h"
#include "data/split.h"
#include "transform/encode.h"

#include <string.h>

/* Far from the repetitions that cross-validation and members count. */
static const int64_t REPETITION = INT64_C(1) << 41;

/* Rows of one part: all, or those of a fold.  Per slot: weight, then width sums, then width sums of
 * squares. */
struct sums {
    const smr_data *data;
    const struct smr_encode_state *s;
    const double *center; /* width                              */
    const int32_t *fold;  /* of each row; NULL: all are in part 0 */
    int64_t n_parts;
    double *at;    /* n_parts x n_slots x (1 + 2 width)  */
    double *total; /* n_parts x (1 + width): of all rows */
    double **room; /* of each lane: n_rows               */
    const int64_t *features;
};

static int64_t stride_of(const struct smr_encode_state *s)
{
    return 1 + 2 * s->width;
}

/* Output k of row i: the target, or 1 where the row has the class. */
static double answer(const smr_data *data, int64_t width, int64_t i, int64_t k)
{
    if (data->label) return data->label[i] == (width == 1 ? 1 : k);
    return data->y[i * data->n_outputs + k];
}

static smr_status sum_feature(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct sums *sum = arg;
    const smr_data *data = sum->data;
    int64_t j = sum->features[task], W = sum->s->width, stride = stride_of(sum->s);
    smr_status st = SMR_OK;
    if (!sum->room[lane]) TRY_NEW(sum->room[lane], data->n_rows);
    double *column = sum->room[lane];
    TRY(smr_data_column(ctx, data, j, column));
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        int64_t part = sum->fold ? sum->fold[i] : 0;
        if (!(w > 0) || part < 0 || !smr_data_is_labelled(data, i)) continue;
        double *at =
            sum->at + (part * sum->s->n_slots + smr_encode_slot(sum->s, j, column[i])) * stride;
        at[0] += w;
        for (int64_t k = 0; k < W; k++) {
            double y = answer(data, W, i, k) - sum->center[k];
            at[1 + k] += w * y;
            at[1 + W + k] += w * y * y;
        }
    }
out:
    return st;
}

/* Weight and sums of y - center of all rows of each part. */
static void sum_totals(struct sums *sum)
{
    const smr_data *data = sum->data;
    int64_t W = sum->s->width;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        int64_t part = sum->fold ? sum->fold[i] : 0;
        if (!(w > 0) || part < 0 || !smr_data_is_labelled(data, i)) continue;
        double *at = sum->total + part * (1 + W);
        at[0] += w;
        for (int64_t k = 0; k < W; k++) at[1 + k] += w * (answer(data, W, i, k) - sum->center[k]);
    }
}

static smr_status sum_up(smr_ctx *ctx, struct sums *sum)
{
    smr_status st = SMR_OK;
    const struct smr_encode_state *s = sum->s;
    int64_t *features = NULL, n = 0;
    int lanes = smr_lanes(ctx);
    TRY_NEW(sum->at, sum->n_parts * s->n_slots * stride_of(s));
    TRY_NEW(sum->total, sum->n_parts * (1 + s->width));
    TRY_NEW(sum->room, lanes);
    TRY_NEW(features, s->n_features + 1);
    for (int64_t j = 0; j < s->n_features; j++)
        if (s->changed[j]) features[n++] = j;
    sum->features = features;
    sum_totals(sum);
    TRY(smr_parallel(ctx, "encoding", n, sum_feature, sum));
out:
    for (int k = 0; sum->room && k < lanes; k++) smr_free(sum->room[k]);
    smr_free(sum->room);
    smr_free(features);
    return st;
}

static void release_sums(struct sums *sum)
{
    smr_free(sum->at);
    smr_free(sum->total);
}

/* ---- codes ------------------------------------------------------------------------------ */

/* Rows at the prior that count with those of a level; infinite: the levels tell nothing.  By
 * moments: sw and sb are squares within and between the levels, over outputs k .. k + m - 1. */
static double estimate(const struct smr_encode_state *s, int64_t j, const double *sums, int64_t k,
                       int64_t m)
{
    int64_t W = s->width, stride = stride_of(s), levels = 0;
    double n = 0, squares = 0, within = 0, between = 0;
    for (int64_t o = k; o < k + m; o++) {
        double total = 0, weight = 0;
        for (int64_t c = s->offset[j]; c < s->offset[j + 1]; c++) {
            total += sums[c * stride + 1 + o];
            weight += sums[c * stride];
        }
        double mean = weight > 0 ? total / weight : 0;
        for (int64_t c = s->offset[j]; c < s->offset[j + 1]; c++) {
            const double *at = sums + c * stride;
            if (!(at[0] > 0)) continue;
            double own = at[1 + o] / at[0];
            within += smr_fmax(0, at[1 + W + o] - own * at[1 + o]);
            between += at[0] * (own - mean) * (own - mean);
        }
    }
    for (int64_t c = s->offset[j]; c < s->offset[j + 1]; c++) {
        double w = sums[c * stride];
        levels += w > 0;
        n += w;
        squares += w * w;
    }
    double free = n - (double)levels, spread = n - squares / n;
    if (!(free > 0) || !(spread > 0)) return INFINITY;
    double noise = within / free;
    double apart = (between - (double)(levels - 1) * noise) / spread;
    return apart > 0 ? noise / apart : INFINITY;
}

/* Codes of feature j from the sums of its slots. */
static void code_feature(const struct smr_encode_params *p, const struct smr_encode_state *s,
                         int64_t j, const double *sums, const double *prior, const double *center,
                         bool classes, double *code)
{
    int64_t W = s->width, stride = stride_of(s), gap = s->offset[j + 1] - 1;
    double a = isnan(p->smooth) && classes ? estimate(s, j, sums, 0, W) : p->smooth;
    for (int64_t k = 0; k < W; k++) {
        double smooth = isnan(a) ? estimate(s, j, sums, k, 1) : a;
        double off = prior[k] - center[k];
        for (int64_t c = s->offset[j]; c < s->offset[j + 1]; c++) {
            const double *at = sums + c * stride;
            bool known = at[0] > 0 && (c != gap || p->missing == SMR_ENCODE_LEVEL);
            double trust = known && !isinf(smooth) ? at[0] / (at[0] + smooth) : 0;
            code[c * W + k] = prior[k] + (trust > 0 ? trust * (at[1 + k] / at[0] - off) : 0);
        }
    }
}

static void find_prior(const struct smr_encode_state *s, const double *total, const double *center,
                       double *prior)
{
    for (int64_t k = 0; k < s->width; k++)
        prior[k] = center[k] + (total[0] > 0 ? total[1 + k] / total[0] : 0);
}

static void code_all(const struct smr_encode_params *p, const struct smr_encode_state *s,
                     const smr_data *data, const double *sums, const double *prior,
                     const double *center, double *code)
{
    for (int64_t j = 0; j < s->n_features; j++)
        if (s->changed[j]) code_feature(p, s, j, sums, prior, center, data->label != NULL, code);
}

smr_status smr_encode_learn(smr_ctx *ctx, const struct smr_encode_params *p, const smr_data *data,
                            struct smr_encode_state *s)
{
    smr_status st = SMR_OK;
    struct sums sum = {.data = data, .s = s, .n_parts = 1};
    double *center = NULL;
    TRY_NEW(center, s->width);
    sum.center = center;
    TRY_NEW(sum.total, 1 + s->width);
    sum_totals(&sum); /* from 0, to find the center */
    find_prior(s, sum.total, center, s->prior);
    memcpy(center, s->prior, (size_t)s->width * sizeof *center);
    smr_free(sum.total);
    sum.total = NULL;
    TRY(sum_up(ctx, &sum));
    find_prior(s, sum.total, center, s->prior);
    code_all(p, s, data, sum.at, s->prior, center, s->code);
out:
    release_sums(&sum);
    smr_free(center);
    return st;
}

/* ---- folds ------------------------------------------------------------------------------ */

/* fold[i] of the rows that have a target and a weight; -1 of others. */
static smr_status divide(smr_ctx *ctx, const struct smr_encode_params *p, const smr_data *data,
                         struct smr_encode_folds *f)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    int64_t *rows = NULL, *group = NULL, n = 0;
    TRY_NEW(f->fold, data->n_rows);
    TRY_NEW(rows, data->n_rows);
    if (data->group) TRY_NEW(group, data->n_rows);
    for (int64_t i = 0; i < data->n_rows; i++) {
        f->fold[i] = -1;
        if (!smr_data_is_labelled(data, i)) continue;
        if (group) group[n] = data->group[i];
        rows[n++] = i;
    }
    f->n = SMR_MIN(p->folds, n);
    if (f->n < 2) {
        f->n = 1; /* a single row sees no other: the prior of nothing is its own */
        for (int64_t i = 0; i < n; i++) f->fold[rows[i]] = 0;
        goto out;
    }
    smr_split_rows of = {.n = n, .group = group, .seed = ctx->seed, .repetition = REPETITION};
    TRY(smr_split_folds(ctx, &of, f->n, &parts));
    for (int64_t k = 0; k < parts.n_parts; k++)
        for (int64_t i = 0; i < smr_part_size(&parts, k); i++)
            f->fold[rows[smr_part_rows(&parts, k)[i]]] = (int32_t)k;
out:
    smr_parts_release(&parts);
    smr_free(rows);
    smr_free(group);
    return st;
}

/* Sums of all parts but one, added part by part. */
static void without(const double *parts, int64_t n_parts, int64_t size, int64_t but, double *out)
{
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t k = 0; k < n_parts; k++)
        for (int64_t i = 0; k != but && i < size; i++) out[i] += parts[k * size + i];
}

static smr_status code_folds(smr_ctx *ctx, const struct smr_encode_params *p, const smr_data *data,
                             const struct smr_encode_state *s, struct smr_encode_folds *f)
{
    smr_status st = SMR_OK;
    int64_t slots = s->n_slots * stride_of(s), W = s->width;
    struct sums sum = {.data = data, .s = s, .center = s->prior, .fold = f->fold, .n_parts = f->n};
    double *rest = NULL, *total = NULL, *prior = NULL;
    TRY_NEW(rest, slots);
    TRY_NEW(total, 1 + W);
    TRY_NEW(prior, W);
    TRY_NEW(f->code, f->n * s->n_slots * W);
    TRY(sum_up(ctx, &sum));
    for (int64_t k = 0; k < f->n; k++) {
        TRY(smr_tick(ctx, "encoding folds", k, f->n, NAN));
        without(sum.at, f->n, slots, k, rest);
        without(sum.total, f->n, 1 + W, k, total);
        find_prior(s, total, s->prior, prior);
        code_all(p, s, data, rest, prior, s->prior, f->code + k * s->n_slots * W);
    }
out:
    release_sums(&sum);
    smr_free(rest);
    smr_free(total);
    smr_free(prior);
    return st;
}

smr_status smr_encode_training(smr_ctx *ctx, const void *params_, void *state_,
                               const smr_data *data)
{
    struct smr_encode_state *s = state_;
    struct smr_encode_folds *f = NULL;
    smr_status st = SMR_OK;
    smr_encode_free_folds(s->folds);
    s->folds = NULL;
    if (!data) return SMR_OK;
    TRY_NEW(f, 1);
    f->n_rows = data->n_rows;
    TRY(divide(ctx, params_, data, f));
    TRY(code_folds(ctx, params_, data, s, f));
    s->folds = f;
    f = NULL;
out:
    smr_encode_free_folds(f);
    return st;
}
