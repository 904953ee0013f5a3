/* experts_start.c -- where a mixture of experts begins.
 *
 * k rows are drawn as in k-means++: the first at random, each further one with a probability in
 * proportion to its squared distance from the nearest drawn so far, in the features and the target
 * (numbers), each divided by its standard deviation; a gap counts as distance 0.  A row belongs to
 * the nearest of them by nine tenths.  Sparse rows of more than a thousand features are divided at
 * random.  Reference: Arthur & Vassilvitskii, SODA 2007. */
#include "core/rng.h"
#include "learn/ensemble/experts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, LONG_ROW = 1024, SPARSE_FEATURES = 1000 };
static const double MINE = 0.9;

struct start {
    smr_mixture *m;
    smr_reader *reader;
    int64_t d;          /* features, and the target of numbers */
    double *scale;      /* d: 1 / standard deviation, 0: constant */
    double *from, *row; /* d: the row drawn last, and one more */
    double *nearest;    /* n: squared distance from the nearest that was drawn */
    int32_t *owner;     /* n */
};

/* Row i with its target. */
static void take_row(const struct start *s, const smr_rows *rows, int64_t i, double *out)
{
    const double *x = (const double *)rows->x + i * rows->stride;
    memcpy(out, x, (size_t)rows->d * sizeof *out);
    if (!s->m->classify) out[rows->d] = s->m->data->y[rows->first + i];
}

/* Calls visit for every row, in order. */
static smr_status each_row(smr_ctx *ctx, struct start *s,
                           void (*visit)(struct start *s, int64_t i, int64_t e), int64_t e)
{
    smr_status st = SMR_OK;
    int64_t n = s->m->data->n_rows;
    for (int64_t lo = 0; lo < n; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_tick(ctx, NULL, lo, n, NAN));
        TRY(smr_reader_rows(ctx, s->reader, lo, SMR_MIN(n, lo + BLOCK), &rows));
        rows.first = lo;
        for (int64_t i = 0; i < rows.n; i++) {
            if (rows.d >= LONG_ROW) TRY(smr_tick(ctx, NULL, lo + i, n, NAN));
            take_row(s, &rows, i, s->row);
            visit(s, lo + i, e);
        }
    }
out:
    return st;
}

/* Running mean (from) and sum of squared deviations (scale) of each. */
static void measure(struct start *s, int64_t i, int64_t e)
{
    (void)e;
    for (int64_t j = 0; j < s->d; j++) {
        double delta = s->row[j] - s->from[j];
        if (isnan(delta)) continue;
        s->from[j] += delta / (double)(i + 1);
        s->scale[j] += delta * (s->row[j] - s->from[j]);
    }
}

static void come_near(struct start *s, int64_t i, int64_t e)
{
    double sum = 0;
    for (int64_t j = 0; j < s->d; j++) {
        double delta = (s->row[j] - s->from[j]) * s->scale[j];
        if (!isnan(delta)) sum += delta * delta;
    }
    if (e > 0 && !(sum < s->nearest[i])) return;
    s->nearest[i] = sum;
    s->owner[i] = (int32_t)e;
}

/* A row, with probability in proportion to weight times `nearest` (e = 0: to its weight). */
static int64_t draw_row(const struct start *s, uint64_t seed, int64_t attempt, int64_t e)
{
    const smr_data *data = s->m->data;
    double sum = 0, at = 0;
    for (int64_t i = 0; i < data->n_rows; i++)
        sum += smr_data_weight(data, i) * (e ? s->nearest[i] : 1);
    double goal = sum * smr_random_unit(seed, SMR_STREAM_EXPERTS, (uint64_t)attempt, (uint64_t)e);
    for (int64_t i = 0; i < data->n_rows; i++) {
        at += smr_data_weight(data, i) * (e ? s->nearest[i] : 1);
        if (at > goal) return i;
    }
    return smr_random_below(seed, SMR_STREAM_EXPERTS, (uint64_t)attempt,
                            (uint64_t)(e + SMR_EXPERTS_MOST), data->n_rows);
}

static smr_status divide(smr_ctx *ctx, struct start *s, int64_t attempt)
{
    smr_status st = SMR_OK;
    TRY(each_row(ctx, s, measure, 0));
    for (int64_t j = 0; j < s->d; j++) {
        double sd = sqrt(s->scale[j] / (double)s->m->data->n_rows);
        s->scale[j] = sd > 0 && isfinite(sd) ? 1 / sd : 0;
    }
    for (int64_t e = 0; e < s->m->k; e++) {
        int64_t i = draw_row(s, ctx->seed, attempt, e);
        smr_rows rows;
        TRY(smr_reader_rows(ctx, s->reader, i, i + 1, &rows));
        rows.first = i;
        take_row(s, &rows, 0, s->from);
        TRY(each_row(ctx, s, come_near, e));
    }
out:
    return st;
}

static void draw_owners(struct start *s, uint64_t seed, int64_t attempt)
{
    for (int64_t i = 0; i < s->m->data->n_rows; i++)
        s->owner[i] = (int32_t)smr_random_below(seed, SMR_STREAM_EXPERTS,
                                                (uint64_t)attempt + (UINT64_C(1) << 32),
                                                (uint64_t)i, s->m->k);
}

static smr_status find_owners(smr_ctx *ctx, struct start *s, int64_t attempt)
{
    smr_status st = SMR_OK;
    smr_data data = *s->m->data;
    data.refuse_missing = false;
    if (smr_data_is_sparse(&data) && data.n_features > SPARSE_FEATURES) {
        draw_owners(s, ctx->seed, attempt);
        return SMR_OK;
    }
    s->d = data.n_features + !s->m->classify;
    TRY_NEW(s->scale, s->d);
    TRY_NEW(s->from, s->d);
    TRY_NEW(s->row, s->d);
    TRY_NEW(s->nearest, data.n_rows);
    TRY(smr_reader_open(ctx, &data, SMR_FORM_F64, BLOCK, &s->reader));
    TRY(divide(ctx, s, attempt));
out:
    smr_reader_close(s->reader);
    s->reader = NULL;
    return st;
}

smr_status smr_mixture_start(smr_ctx *ctx, smr_mixture *m, int64_t attempt)
{
    smr_status st = SMR_OK;
    struct start s = {.m = m};
    int64_t n = m->data->n_rows;
    TRY_NEW(s.owner, n);
    if (m->k > 1) TRY(find_owners(ctx, &s, attempt));
    for (int64_t e = 0; e < m->k; e++)
        for (int64_t i = 0; i < n; i++) {
            double theirs = m->k > 1 ? (1 - MINE) / (double)(m->k - 1) : 0;
            m->share[e * n + i] = m->k == 1 ? 1 : s.owner[i] == e ? MINE : theirs;
        }
out:
    smr_free(s.scale);
    smr_free(s.from);
    smr_free(s.row);
    smr_free(s.nearest);
    smr_free(s.owner);
    return st;
}
