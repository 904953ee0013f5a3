/* brute_float.c -- distances by products in single precision, and why no neighbour is lost.
 *
 * Let c be some point, s a power of two, and, in exact arithmetic,
 *
 *     T = s (t - c),   Q = s (q - c),   N_t = |T|^2,   N_q = |Q|^2,
 *     s^2 |q - t|^2  =  N_q + N_t - 2 Q T.                                                  (1)
 *
 * T and Q are multiplied after rounding to single precision, each coordinate within
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
 * A good c is the rows' mean: the smaller N, the closer the bounds.  T must then be made from the
 * rows, strip by strip for a batch of queries.  Where a sample of the rows shows that c = 0 serves
 * as well, and the rows are floats of ordinary size, T are the stored rows themselves (s = 1).
 * Rows that are bytes come here for queries that are not bytes: c = 0.
 *
 * Plain floats and cosine: the product of the unit query with a row t is within E |t| of the truth
 * for the same reasons, so the cosine is within E + 4u, two more roundings included.
 *
 * Otherwise s brings the longest T into [1/2, 1], so training rows cannot overflow; a batch with a
 * query that has N_q > 2^90 is searched directly instead.  Distances in real units are (3)
 * divided by s^2, exactly, as s^2 is a power of two; s outside [2^-400, 2^400] is not served. */
#include "learn/neighbors/brute_parts.h"

#include "kernel/kernel.h"

#include <math.h>
#include <stdlib.h>

#define U 0x1p-24
#define FAR 0x1p90
#define LARGE 0x1p60 /* N_t of plain floats is at most this, and somewhere above its inverse */

enum { GROUP = SMR_NEAR_GROUP, SAMPLE = 1024, LONG_ROW = 1024 };

/* out = (x - c) s in single; returns its squared length, in double and before rounding. */
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

/* ---- c ---- */

/* center = the mean of a sample of rows.  *spread: their mean squared distance from it, *off: its
 * squared length. */
static smr_status sample_center(smr_ctx *ctx, smr_brute *b, double *spread, double *off)
{
    smr_status st = SMR_OK;
    const smr_points *p = b->points;
    int64_t m = SMR_MIN(p->n, SAMPLE), w = p->width;
    double *row = NULL, total = 0;
    TRY_NEW(row, w);
    for (int64_t i = 0; i < m; i++) {
        smr_points_row(p, i * p->n / m, row);
        for (int64_t j = 0; j < w; j++) b->center[j] += row[j] / (double)m;
        total += smr_dot_f64(w, row, row) / (double)m;
    }
    *off = smr_dot_f64(w, b->center, b->center);
    *spread = total - *off;
out:
    smr_free(row);
    return st;
}

/* ---- N_t ---- */

struct measure {
    smr_brute *brute;
    double *wide;    /* for each lane: a group                   */
    double *largest; /* of each strip: N_t                       */
    bool store;      /* base = (1 - E) N_t, else only `largest`  */
};

static float round_down(double x)
{
    return nextafterf((float)x, -INFINITY);
}

static float round_up(double x)
{
    return nextafterf((float)x, INFINITY);
}

/* N_t / s^2 of the 16 rows from `first` on. */
static void group_squares(const smr_brute *b, int64_t first, double *wide, double *square)
{
    const smr_points *p = b->points;
    const smr_layout *l = &p->layout;
    if (!p->length && l->form == SMR_FORM_F32) {
        smr_near()->points_f32(SMR_NEAR_L2, p->d, smr_layout_at(l, p->x, first), l->lane, b->center,
                               INFINITY, square);
        return;
    }
    const double *x = smr_layout_group(l, p->x, first, wide);
    if (!p->length) {
        smr_near()->points_f64(SMR_NEAR_L2, p->d, x, b->center, INFINITY, square);
        return;
    }
    for (int64_t i = 0; i < SMR_MIN(GROUP, p->n - first); i++) {
        double length = p->length[first + i], by = length > 0 ? length : 1;
        double last = (length > 0 ? 0 : 1) - b->center[p->d];
        square[i] = last * last;
        for (int64_t j = 0; j < p->d; j++) {
            double t = x[j * GROUP + i] / by - b->center[j];
            square[i] += t * t;
        }
    }
}

static smr_status measure_task(smr_ctx *ctx, void *arg, int64_t strip, int lane)
{
    struct measure *m = arg;
    smr_brute *b = m->brute;
    const smr_points *p = b->points;
    double square[GROUP], s2 = b->unit * b->unit;
    int64_t end = smr_block_end(p->n, b->strip, strip);
    (void)ctx;
    for (int64_t at = strip * b->strip; at < end; at += GROUP) {
        group_squares(b, at, m->wide + lane * GROUP * p->width, square);
        for (int64_t i = at; i < SMR_MIN(end, at + GROUP); i++) {
            double N_t = square[i - at] * s2;
            if (!(N_t <= m->largest[strip])) m->largest[strip] = N_t;
            if (m->store) b->base[i] = round_down((1 - b->error) * N_t);
        }
    }
    return SMR_OK;
}

/* *largest: N_t of the furthest row; NaN or infinite where they are out of range. */
static smr_status measure(smr_ctx *ctx, smr_brute *b, bool store, double *largest)
{
    smr_status st = SMR_OK;
    struct measure m = {.brute = b, .store = store};
    TRY_NEW(m.wide, smr_lanes(ctx) * GROUP * b->points->width);
    TRY_NEW(m.largest, b->n_strips);
    TRY(smr_parallel(ctx, "measuring rows", b->n_strips, measure_task, &m));
    *largest = 0;
    for (int64_t s = 0; s < b->n_strips; s++)
        if (!(m.largest[s] <= *largest)) *largest = m.largest[s];
out:
    smr_free(m.largest);
    smr_free(m.wide);
    return st;
}

/* ---- preparing ---- */

/* Byte rows: c = 0, and N_t is known. */
static void scale_bytes(smr_brute *b)
{
    b->unit = b->square ? 0x1p-8 : 1;
    for (int64_t i = 0; i < b->points->n; i++) {
        double N_t = b->square ? (double)b->square[i] * b->unit * b->unit : 1 - 0x1p-30;
        b->base[i] = round_down((1 - b->error) * N_t);
    }
}

/* Lengths are such that products with them neither overflow nor vanish. */
static bool lengths_are_ordinary(const smr_points *p)
{
    bool ordinary = true;
    for (int64_t i = 0; i < p->n; i++)
        ordinary &= p->length[i] == 0 || (p->length[i] > 0x1p-30 && p->length[i] < 0x1p30);
    return ordinary;
}

/* Plain floats, when c = 0 serves: bounds stay within a thousandth of what distances are. */
static smr_status try_plain(smr_ctx *ctx, smr_brute *b, double spread, double off)
{
    smr_status st = SMR_OK;
    const smr_points *p = b->points;
    double largest;
    if (p->layout.form != SMR_FORM_F32 || !(b->error * (spread + off) <= 0x1p-10 * spread))
        return SMR_OK;
    if (p->length) {
        b->plain = lengths_are_ordinary(p);
        return SMR_OK;
    }
    double *center = b->center;
    TRY_NEW(b->center, p->width);
    b->unit = 1;
    st = measure(ctx, b, true, &largest);
    b->plain = st == SMR_OK && largest <= LARGE && largest >= 1 / LARGE;
    if (b->plain) {
        smr_free(center);
    } else {
        smr_free(b->center);
        b->center = center;
    }
out:
    return st;
}

static smr_status find_unit(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    double largest;
    int exponent = 0;
    b->unit = 1;
    TRY(measure(ctx, b, false, &largest));
    b->can_float = isfinite(largest) && (largest == 0 || largest > 1e-200);
    if (!b->can_float) return SMR_OK;
    frexp(sqrt(largest), &exponent);
    b->unit = ldexp(1, -exponent);
    b->can_float = abs(exponent) <= 400;
    if (b->can_float) TRY(measure(ctx, b, true, &largest));
out:
    return st;
}

smr_status smr_brute_build_floats(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    double w = (double)b->points->width, spread, off;
    b->error = w * U * (1 + 0x1p-5) + 16 * U;
    b->can_float = w * U <= 0x1p-6;
    if (!b->can_float) return SMR_OK;
    TRY_NEW(b->center, b->points->width);
    TRY_NEW(b->base, b->points->n);
    b->bytes += b->points->n * (int64_t)sizeof *b->base;
    if (b->has_bytes) {
        scale_bytes(b);
        return SMR_OK;
    }
    TRY(sample_center(ctx, b, &spread, &off));
    TRY(try_plain(ctx, b, spread, off));
    if (!b->plain) TRY(find_unit(ctx, b));
out:
    return st;
}

/* ---- searching ---- */

bool smr_batch_floats(struct smr_batch *batch)
{
    const smr_brute *b = batch->brute;
    const smr_points *p = b->points;
    if (!b->can_float) return false;
    for (int64_t i = 0; i < batch->m; i++) {
        const double *q = batch->nearest[i].query.q;
        float *to = batch->floats + i * p->width;
        if (b->plain && p->length) {
            if (q[p->d] > 0) return false; /* zeros, which have no angle */
            for (int64_t j = 0; j < p->d; j++) to[j] = (float)q[j];
            continue;
        }
        batch->square[i] = center_row(b, q, to);
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
    float limit = round_up(smr_near_limit(nearest) * s2 - (1 - E) * N_q + A);

    int64_t n_hits = nearest->kernels->scan_f32(n, product, base, limit, batch->hits);
    for (int64_t h = 0; h < n_hits; h++) {
        int64_t j = batch->hits[h];
        float key = base[j] - 2 * product[j];
        double N_t = (double)base[j] / (1 - E) * (1 + 4 * U) + A;
        double low = (double)key + (1 - E) * N_q - A;
        double up = low + (2 * E + 12 * U) * (N_q + N_t) + 2 * A;
        bool sharp = false;
        low = smr_fmax(low, 0) / s2;
        up /= s2;
        if (b->points->metric == SMR_METRIC_MINKOWSKI) {
            if (low > smr_near_limit(nearest)) continue;
            low = up = smr_query_distance(&nearest->query, first + j);
            sharp = true;
        }
        smr_near_add(nearest, first + j, low, up, sharp);
    }
}

/* The same for cosine, where panels hold the rows as they are. */
static void offer_cosines(struct smr_batch *batch, int64_t i, int64_t first, int64_t n)
{
    const smr_brute *b = batch->brute;
    smr_near_set *nearest = &batch->nearest[i];
    const float *product = (const float *)batch->tile + i * b->strip;
    double slack = b->error + 16 * U;
    float limit = (float)(1 - nearest->bound / 2 - slack);

    int64_t n_hits =
        nearest->kernels->scan_scaled_f32(n, product, b->scale + first, limit, batch->hits);
    for (int64_t h = 0; h < n_hits; h++) {
        int64_t j = batch->hits[h];
        double length = b->points->length[first + j];
        double distance = length > 0 ? 2 - 2 * (double)product[j] / length : 2;
        smr_near_add(nearest, first + j, smr_fmax(0, distance - 2 * slack), distance + 2 * slack,
                     false);
    }
}

/* Panels of centred floats of a strip. */
static void center_strip(const smr_brute *b, int64_t first, int64_t end, double *wide, float *out)
{
    const smr_points *p = b->points;
    int64_t w = p->width;
    for (int64_t at = first; at < end; at += GROUP) {
        const double *x = smr_layout_group(&p->layout, p->x, at, wide);
        float *to = out + (at - first) / (2 * GROUP) * (2 * GROUP) * w + at % (2 * GROUP);
        double length[GROUP];
        for (int64_t i = 0; p->length && i < GROUP; i++) {
            double given = at + i < p->n ? p->length[at + i] : 0;
            double last = ((given > 0 ? 0 : 1) - b->center[p->d]) * b->unit;
            length[i] = given > 0 ? given : 1;
            to[p->d * 2 * GROUP + i] = (float)last;
        }
        smr_near()->center(p->d, x, p->length ? length : NULL, b->center, b->unit, to);
    }
}

smr_status smr_batch_strip_floats(smr_ctx *ctx, struct smr_batch *batch, int64_t strip)
{
    smr_status st = SMR_OK;
    const smr_brute *b = batch->brute;
    const smr_points *p = b->points;
    int64_t w = p->width, first = strip * b->strip, end = smr_block_end(p->n, b->strip, strip);
    const void *panels = batch->packed;
    if (b->plain)
        panels = smr_layout_at(&p->layout, p->x, first);
    else
        center_strip(b, first, end, batch->wide, batch->packed);
    int64_t k = b->plain ? p->d : w; /* cosine's plain rows have no last coordinate */
    smr_product_f32(batch->m, end - first, k, batch->floats, w, panels, batch->tile, b->strip);
    for (int64_t i = 0; i < batch->m; i++) {
        if (p->d >= LONG_ROW) TRY(smr_tick(ctx, NULL, 0, 1, NAN));
        if (b->plain && p->length)
            offer_cosines(batch, i, first, end - first);
        else
            offer(batch, i, first, end - first);
    }
out:
    return st;
}
