/* brute_float.c -- distances by products in single precision, and why no neighbour is lost.
 *
 * Let c be the training rows' mean, s a power of two, and, in exact arithmetic,
 *
 *     T = s (t - c),   Q = s (q - c),   N_t = |T|^2,   N_q = |Q|^2,
 *     s^2 |q - t|^2  =  N_q + N_t - 2 Q T.                                                  (1)
 *
 * What is multiplied are T and Q rounded to single precision, each coordinate within
 * u (1 + 2^-28) of its value, u = 2^-24; and P, the product of the two in single precision, a sum
 * of `width` terms in some order, is within g = w u / (1 - w u) of theirs, relative to the sum of
 * the terms' magnitudes, which Cauchy and Schwarz bound by |Q||T|.  So
 *
 *     |P - Q T| <= e |Q||T|,    e = g + 2u + second order,    2 |Q||T| <= N_q + N_t,
 *     |N_q + N_t - 2P - s^2 |q-t|^2| <= e (N_q + N_t).                                      (2)
 *
 * A search must compare quickly.  With E = w u (1 + 2^-5) + 16 u >= e + 12 u for w u <= 2^-6,
 * the number base_t = (1 - E) N_t is kept, rounded down to single, and
 *
 *     key = base_t - 2P,  rounded once: off by at most u |key| <= 2.1 u (N_q + N_t).
 *     low = key + (1 - E) N_q - A  <=  s^2 |q-t|^2  <=  up,                               (3)
 *     up = low + (2E + 12u)(N_q + N_t) + 2A.
 *
 * A = w 2^-140 covers products and squares that fall below the normal numbers.  A row is offered
 * with (3) when key is at most the limit that the K nearest so far set, rounded up.
 *
 * Byte rows are multiplied as bytes; only queries that are none meet them here.  For them c = 0 and
 * s = 2^-8 (for cosine 1), which needs no pass over the rows and no panels.
 *
 * s brings the largest |t - c| into [1/2, 1], so training rows cannot overflow; a batch with a
 * query that has N_q > 2^90 is searched directly instead.  Distances in real units are (3)
 * divided by s^2, exactly, as s^2 is a power of two; s outside [2^-400, 2^400] is not served. */
#include "learn/neighbors/brute_parts.h"

#include "kernel/kernel.h"

#include <math.h>
#include <stdlib.h>

#define U 0x1p-24
#define FAR 0x1p90

enum { COLUMN_ROWS = 2048 };

/* ---- (1): rows ---- */

/* out = (x - c) s in single; the answer is its squared length, in double and before rounding. */
static double center_row(const smr_brute *b, const double *x, float *out)
{
    double square = 0;
    int64_t width = b->points->width;
    for (int64_t j = 0; j < width; j++) {
        double t = (x[j] - b->center[j]) * b->unit;
        out[j] = (float)t;
        square += t * t;
    }
    return square;
}

/* Sum, least and largest of each column, over a block of rows. */
struct columns {
    const smr_points *points;
    double *part;    /* for each task: 3 width */
    double *buffers; /* for each lane: width   */
};

static smr_status column_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct columns *c = arg;
    const smr_points *p = c->points;
    int64_t w = p->width;
    double *sum = c->part + task * 3 * w, *least = sum + w, *most = least + w;
    (void)ctx;
    for (int64_t j = 0; j < w; j++) {
        least[j] = INFINITY;
        most[j] = -INFINITY;
    }
    for (int64_t i = task * COLUMN_ROWS; i < smr_block_end(p->n, COLUMN_ROWS, task); i++) {
        const double *x = smr_points_row(p, i, c->buffers + lane * w);
        for (int64_t j = 0; j < w; j++) {
            sum[j] += x[j];
            least[j] = x[j] < least[j] ? x[j] : least[j];
            most[j] = x[j] > most[j] ? x[j] : most[j];
        }
    }
    return SMR_OK;
}

/* Sets center and unit; clears can_float where values are out of range. */
static smr_status find_center(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    const smr_points *p = b->points;
    int64_t w = p->width, n_tasks = smr_block_count(p->n, COLUMN_ROWS);
    struct columns c = {.points = p};
    double reach = 0;

    TRY_NEW(c.part, n_tasks * 3 * w);
    TRY_NEW(c.buffers, smr_lanes(ctx) * w);
    TRY(smr_parallel(ctx, NULL, n_tasks, column_task, &c));
    for (int64_t j = 0; j < w; j++) {
        double sum = 0, least = INFINITY, most = -INFINITY;
        for (int64_t t = 0; t < n_tasks; t++) {
            const double *part = c.part + t * 3 * w;
            sum += part[j];
            least = fmin(least, part[w + j]);
            most = fmax(most, part[2 * w + j]);
        }
        b->center[j] = sum / (double)p->n;
        reach = fmax(reach, fmax(most - b->center[j], b->center[j] - least));
    }
    int exponent = 0;
    if (isfinite(reach)) frexp(reach, &exponent);
    b->can_float = b->can_float && isfinite(reach) && abs(exponent) <= 400;
    b->unit = ldexp(1, -exponent);
out:
    smr_free(c.buffers);
    smr_free(c.part);
    return st;
}

/* ---- (3): base ---- */

static float round_down(double x)
{
    return nextafterf((float)x, -INFINITY);
}

static float round_up(double x)
{
    return nextafterf((float)x, INFINITY);
}

/* Rows of a strip as floats, row-major.  base: (1 - E) N_t of each, or NULL. */
static void center_strip(const smr_brute *b, int64_t strip, double *buffer, float *out, float *base)
{
    const smr_points *p = b->points;
    int64_t first = strip * b->strip, end = smr_block_end(p->n, b->strip, strip);
    for (int64_t i = first; i < end; i++) {
        const double *x = smr_points_row(p, i, buffer);
        double square = center_row(b, x, out + (i - first) * p->width);
        if (base) base[i] = round_down((1 - b->error) * square);
    }
}

struct packing {
    smr_brute *brute;
    float *floats;  /* for each lane: a strip */
    double *buffer; /* for each lane: a row   */
};

static smr_status pack_task(smr_ctx *ctx, void *arg, int64_t strip, int lane)
{
    struct packing *k = arg;
    smr_brute *b = k->brute;
    int64_t w = b->points->width;
    float *floats = k->floats + lane * b->strip * w;
    int64_t n = smr_block_end(b->points->n, b->strip, strip) - strip * b->strip;
    (void)ctx;
    center_strip(b, strip, k->buffer + lane * w, floats, b->base);
    if (b->has_floats) smr_pack_f32(n, w, floats, w, (char *)b->panels + strip * b->panel_bytes);
    return SMR_OK;
}

/* Byte rows: c = 0, so N_t is known. */
static smr_status scale_bytes(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    b->unit = b->square ? 0x1p-8 : 1;
    TRY_NEW(b->base, b->points->n);
    for (int64_t i = 0; i < b->points->n; i++) {
        double N_t = b->square ? (double)b->square[i] * b->unit * b->unit : 1 - 0x1p-30;
        b->base[i] = round_down((1 - b->error) * N_t);
    }
out:
    return st;
}

/* Other rows: panels of floats. */
static smr_status pack_floats(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    int64_t w = b->points->width;
    struct packing k = {.brute = b};

    b->has_floats = true;
    b->panel_bytes = smr_panels_size_f32(b->strip, w);
    b->panels = smr_alloc_raw(ctx, b->n_strips, (size_t)b->panel_bytes);
    if (!b->panels) TRY(SMR_ERR_NOMEM);
    b->bytes += b->n_strips * b->panel_bytes;
    TRY_NEW(b->base, b->points->n);
    TRY_NEW(k.floats, smr_lanes(ctx) * b->strip * w);
    TRY_NEW(k.buffer, smr_lanes(ctx) * w);
    TRY(smr_parallel(ctx, "packing rows", b->n_strips, pack_task, &k));
out:
    smr_free(k.buffer);
    smr_free(k.floats);
    return st;
}

smr_status smr_brute_build_floats(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    double w = (double)b->points->width;
    b->error = w * U * (1 + 0x1p-5) + 16 * U;
    b->can_float = w * U <= 0x1p-6;
    TRY_NEW(b->center, b->points->width);
    if (b->can_float && b->has_bytes) TRY(scale_bytes(ctx, b));
    if (b->has_bytes) return SMR_OK;
    TRY(find_center(ctx, b));
    if (b->can_float) TRY(pack_floats(ctx, b));
    if (b->can_float) b->bytes += b->points->n * (int64_t)sizeof(float);
out:
    return st;
}

/* ---- searching ---- */

bool smr_batch_floats(struct smr_batch *batch)
{
    const smr_brute *b = batch->brute;
    if (!b->can_float) return false;
    for (int64_t i = 0; i < batch->m; i++) {
        const double *q = batch->nearest[i].query.q;
        batch->square[i] = center_row(b, q, batch->floats + i * b->points->width);
        if (!(batch->square[i] <= FAR)) return false;
    }
    return true;
}

/* One query's products with a strip. */
static void offer(struct smr_batch *batch, int64_t i, int64_t first, int64_t n)
{
    const smr_brute *b = batch->brute;
    smr_near_set *nearest = &batch->nearest[i];
    const float *product = (const float *)batch->tile + i * b->strip, *base = b->base + first;
    double N_q = batch->square[i], E = b->error, A = (double)b->points->width * 0x1p-140;
    double s2 = b->unit * b->unit;
    float limit = round_up(smr_batch_limit(nearest) * s2 - (1 - E) * N_q + A);

    int64_t n_hits = smr_near()->scan_f32(n, product, base, limit, batch->hits);
    for (int64_t h = 0; h < n_hits; h++) {
        int64_t j = batch->hits[h];
        float key = base[j] - 2 * product[j];
        double N_t = (double)base[j] / (1 - E) * (1 + 4 * U) + A;
        double low = (double)key + (1 - E) * N_q - A;
        double up = low + (2 * E + 12 * U) * (N_q + N_t) + 2 * A;
        bool sharp = false;
        low = fmax(low, 0) / s2;
        up /= s2;
        if (b->points->metric == SMR_METRIC_MINKOWSKI) {
            if (low > smr_batch_limit(nearest)) continue;
            low = up = smr_query_distance(&nearest->query, first + j);
            sharp = true;
        }
        smr_near_add(nearest, first + j, low, up, sharp);
    }
}

void smr_batch_strip_floats(struct smr_batch *batch, int64_t strip)
{
    const smr_brute *b = batch->brute;
    int64_t w = b->points->width, first = strip * b->strip;
    int64_t n = smr_block_end(b->points->n, b->strip, strip) - first;
    const void *panels = (const char *)b->panels + strip * b->panel_bytes;
    if (!b->has_floats) {
        float *rows = batch->packed, *packed = rows + smr_block_count(b->strip * w, 16) * 16;
        center_strip(b, strip, batch->rows, rows, NULL);
        smr_pack_f32(n, w, rows, w, packed);
        panels = packed;
    }
    smr_product_f32(batch->m, n, w, batch->floats, w, panels, batch->tile, b->strip);
    for (int64_t i = 0; i < batch->m; i++) offer(batch, i, first, n);
}
