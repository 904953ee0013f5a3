/* encode_stream.c -- means of the target that run along with a stream: see encode.c.
 *
 * A row is encoded by the rows before it and then counted, so that no row sees its own target and
 * none is predicted with it.  What the smoothing needs is carried along with each level's sum: with
 * sums s_k of y - c and weights n_k of the levels of a feature, c the first target,
 *
 *     within = sum y^2 - sum_k s_k^2 / n_k,   between = sum_k s_k^2 / n_k - (sum s)^2 / n     (2)
 *
 * each changed in one term by a row.  Cost: a row takes some operations per category and output,
 * whatever the number of levels. */
#include "core/number.h"
#include "transform/encode.h"

#include <string.h>

/* ---- codes ------------------------------------------------------------------------------ */

/* As smr_encode_learn has it, from (2), over outputs k .. k + m - 1. */
static double estimate(const struct smr_encode_state *s, int64_t j, int64_t k, int64_t m)
{
    int64_t W = s->width;
    double n = s->all_weight[0], within = 0, between = 0;
    double free = n - s->seen[j], spread = n - s->squares[j] / n;
    for (int64_t o = k; o < k + m; o++) {
        within += smr_fmax(0, s->all_square[o] - s->apart[j * W + o]);
        between += smr_fmax(0, s->apart[j * W + o] - s->all_sum[o] * (s->all_sum[o] / n));
    }
    if (!(free > 0) || !(spread > 0)) return INFINITY;
    double noise = within / free, apart = (between - (s->seen[j] - 1) * noise) / spread;
    return apart > 0 ? noise / apart : INFINITY;
}

void smr_encode_running_codes(const struct smr_encode_params *p, const struct smr_encode_state *s,
                              int64_t j, int64_t slot, double *out)
{
    int64_t W = s->width;
    double n = s->level_weight[slot], all = s->all_weight[0];
    bool known = n > 0 && (slot + 1 < s->offset[j + 1] || p->missing == SMR_ENCODE_LEVEL);
    double pooled = !isnan(p->smooth) ? p->smooth : s->answers.n ? estimate(s, j, 0, W) : NAN;
    for (int64_t k = 0; k < W; k++) {
        double off = all > 0 ? s->all_sum[k] / all : 0;
        double a = isnan(pooled) && known ? estimate(s, j, k, 1) : pooled;
        double trust = known && !isinf(a) ? n / (n + a) : 0;
        out[k] = (all > 0 ? s->center[k] : 0) + off +
                 (trust > 0 ? trust * (s->level_sum[slot * W + k] / n - off) : 0);
    }
}

/* ---- learning --------------------------------------------------------------------------- */

smr_status smr_encode_begin(smr_ctx *ctx, struct smr_encode_state *s, int64_t n_classes)
{
    smr_status st = SMR_OK;
    int64_t W = s->width;
    TRY_NEW(s->level_weight, s->n_slots);
    TRY_NEW(s->level_sum, s->n_slots * W);
    TRY_NEW(s->seen, s->n_features);
    TRY_NEW(s->squares, s->n_features);
    TRY_NEW(s->apart, s->n_features * W);
    TRY_NEW(s->all_weight, W);
    TRY_NEW(s->all_sum, W);
    TRY_NEW(s->all_square, W);
    TRY_NEW(s->center, W);
    if (n_classes <= 2) return SMR_OK;
    TRY_NEW(s->answers.start, W + 1); /* the classes by their numbers: a stream does not say more */
    TRY_NEW(s->answers.bytes, W * SMR_NUMBER_MAX + 1);
    for (int64_t k = 0; k < W; k++)
        s->answers.start[k + 1] =
            s->answers.start[k] +
            smr_format_double((double)k + 1, s->answers.bytes + s->answers.start[k]);
    s->answers.n = W;
out:
    return st;
}

/* One row of weight w in a slot: y, width values less the center. */
static void count(struct smr_encode_state *s, int64_t j, int64_t slot, double w, const double *y)
{
    int64_t W = s->width;
    double before = s->level_weight[slot], after = before + w;
    double *sum = s->level_sum + slot * W;
    s->seen[j] += !(before > 0);
    s->squares[j] += after * after - before * before;
    s->level_weight[slot] = after;
    for (int64_t k = 0; k < W; k++) {
        double was = before > 0 ? sum[k] * (sum[k] / before) : 0;
        sum[k] += w * y[k];
        s->apart[j * W + k] += sum[k] * (sum[k] / after) - was;
    }
}

static bool answer_of(const struct smr_encode_state *s, const smr_truths *truths, int64_t i,
                      double *y)
{
    int64_t W = s->width;
    if (truths->label && truths->label[i] < 0) return false;
    for (int64_t k = 0; truths->label && k < W; k++) y[k] = truths->label[i] == (W == 1 ? 1 : k);
    for (int64_t k = 0; !truths->label && k < W; k++) {
        if (!truths->y || isnan(truths->y[i * W + k])) return false;
        y[k] = truths->y[i * W + k];
    }
    return true;
}

smr_status smr_encode_count(smr_ctx *ctx, struct smr_encode_state *s, const double *x,
                            const smr_truths *truths, int64_t i)
{
    int64_t W = s->width;
    double w = truths->weight ? truths->weight[i] : 1;
    double few[8], *y = W > 8 ? smr_alloc(ctx, W, sizeof *y) : few;
    if (!y) return SMR_ERR_NOMEM;
    if (w > 0 && answer_of(s, truths, i, y)) {
        if (!(s->all_weight[0] > 0) && !truths->label) memcpy(s->center, y, (size_t)W * sizeof *y);
        for (int64_t k = 0; k < W; k++) {
            s->all_weight[k] += w;
            y[k] -= s->center[k];
            s->all_sum[k] += w * y[k];
            s->all_square[k] += w * y[k] * y[k];
        }
        for (int64_t j = 0; j < s->n_features; j++)
            if (s->changed[j]) count(s, j, smr_encode_slot(s, j, x[j]), w, y);
    }
    if (y != few) smr_free(y);
    return SMR_OK;
}
