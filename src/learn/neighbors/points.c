/* points.c -- see points.h.
 *
 * Error of a computed distance: each difference carries one rounding, each term of L2 one or two
 * more, each of the d - 1 additions one; all terms are positive, so the whole is within
 * (d + 4) 2^-53 of the truth, relatively (second-order terms included for d < 2^40), for any order
 * of the additions.  Squares that leave the range of normal numbers are bounded by hand. */
#include "learn/neighbors/points.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_VALUES = 1 << 18 };

/* ---- rows ---- */

/* By scaling where squares would leave the range. */
double smr_length_of(int64_t d, const double *x)
{
    double square = smr_dot_f64(d, x, x);
    if (square > 1e-280 && square < 1e280) return sqrt(square);
    double largest = 0, sum = 0;
    for (int64_t j = 0; j < d; j++) largest = smr_fmax(largest, fabs(x[j]));
    if (largest == 0) return 0;
    for (int64_t j = 0; j < d; j++) sum += (x[j] / largest) * (x[j] / largest);
    return largest * sqrt(sum);
}

static void divide(int64_t d, const double *x, double length, double *out)
{
    double by = length > 0 ? length : 1;
    for (int64_t j = 0; j < d; j++) out[j] = x[j] / by;
    out[d] = length > 0 ? 0 : 1;
}

void smr_points_query(const smr_points *points, double *x)
{
    if (points->metric == SMR_METRIC_COSINE) divide(points->d, x, smr_length_of(points->d, x), x);
}

void smr_points_row(const smr_points *points, int64_t place, double *buffer)
{
    smr_layout_row(&points->layout, points->x, place, buffer);
    if (points->length) divide(points->d, buffer, points->length[place], buffer);
}

/* ---- preparing ---- */

struct work {
    smr_points *points;
    int64_t block;      /* rows of a task        */
    smr_places *places; /* of each task          */
    double *buffer;     /* a row for each lane   */
};

static smr_status prepare_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    smr_points *p = w->points;
    double *buffer = w->buffer + lane * p->width;
    (void)ctx;

    w->places[task] = SMR_PLACES_NONE;
    int64_t end = smr_block_end(p->n, w->block, task);
    for (int64_t i = task * w->block; i < end; i++) {
        smr_layout_row(&p->layout, p->x, i, buffer);
        if (p->length) {
            p->length[i] = smr_length_of(p->d, buffer);
            divide(p->d, buffer, p->length[i], buffer);
        }
        smr_places *places = &w->places[task];
        if (smr_exact_fits(smr_points_kind(p), p->width, *places))
            smr_places_add(places, p->width, buffer);
        else if (!p->length) /* wide enough to know */
            break;
    }
    return SMR_OK;
}

smr_status smr_points_prepare(smr_ctx *ctx, smr_points *points)
{
    smr_status st = SMR_OK;
    struct work w = {.points = points};

    points->n = points->layout.n;
    points->d = points->layout.d;
    w.block = SMR_MAX(1, BLOCK_VALUES / SMR_MAX(1, points->d));
    int64_t n_tasks = smr_block_count(points->n, w.block);
    points->width = points->d + (points->metric == SMR_METRIC_COSINE);
    points->length = NULL;
    points->places = (smr_places){.low = 0, .high = 8};
    if (points->layout.form == SMR_FORM_U8 && points->metric != SMR_METRIC_COSINE) return SMR_OK;

    if (points->metric == SMR_METRIC_COSINE) TRY_NEW(points->length, points->n);
    TRY_NEW(w.places, n_tasks);
    TRY_NEW(w.buffer, smr_lanes(ctx) * points->width);
    TRY(smr_parallel(ctx, NULL, n_tasks, prepare_block, &w));
    points->places = SMR_PLACES_NONE;
    for (int64_t t = 0; t < n_tasks; t++) {
        points->places.low = SMR_MIN(points->places.low, w.places[t].low);
        points->places.high = SMR_MAX(points->places.high, w.places[t].high);
    }
out:
    smr_free(w.buffer);
    smr_free(w.places);
    return st;
}

void smr_points_release(smr_points *points)
{
    smr_free(points->length);
    points->length = NULL;
}

/* ---- distances ---- */

/* (sum |q-x|^p)^(1/p), by scaling where the powers would leave the range. */
static double minkowski(int64_t d, const double *q, const double *x, double p)
{
    double sum = smr_lp_f64(d, q, x, p);
    if (sum > 1e-280 && sum < 1e280) return smr_pow(sum, 1 / p);
    double largest = smr_linf_f64(d, q, x);
    if (largest == 0 || isinf(largest)) return largest;
    sum = 0;
    for (int64_t j = 0; j < d; j++) sum += smr_pow(fabs(q[j] - x[j]) / largest, p);
    return largest * smr_pow(sum, 1 / p);
}

void smr_query_begin(smr_query *query, const smr_points *points, const double *q, double *buffer)
{
    smr_near_kind kind = smr_points_kind(points);
    smr_places places = points->places;
    smr_places_add(&places, points->width, q);
    *query = (smr_query){
        .points = points,
        .q = q,
        .exact =
            smr_exact_fits(kind, points->width, places) || points->metric == SMR_METRIC_MINKOWSKI,
        .slack = ((double)points->width + 6) * 0x1p-53,
        .buffer = buffer,
    };
}

double smr_query_distance(const smr_query *query, int64_t place)
{
    const smr_points *p = query->points;
    double *x = query->buffer;
    smr_points_row(p, place, x);
    switch (p->metric) {
    case SMR_METRIC_MANHATTAN: return smr_l1_f64(p->width, query->q, x);
    case SMR_METRIC_CHEBYSHEV: return smr_linf_f64(p->width, query->q, x);
    case SMR_METRIC_MINKOWSKI: return minkowski(p->width, query->q, x, p->p);
    default: return smr_l2sq_f64(p->width, query->q, x);
    }
}

void smr_query_bounds(const smr_query *query, double computed, double *low, double *up)
{
    *low = *up = computed;
    if (query->exact) return;
    *low = computed * (1 - query->slack);
    *up = computed * (1 + query->slack);
    if (computed < 1e-280 && query->points->metric != SMR_METRIC_CHEBYSHEV) {
        *low = 0; /* squares may have vanished */
        *up = 1e-279;
    } else if (!(computed < 1e300)) {
        *low = 1e299; /* or overflowed */
        *up = INFINITY;
    }
}

/* The product is off by (d + 3) 2^-53 |q||t|, the lengths by as much, relatively; the divided rows,
 * on which the true distance is defined, by 2^-53 in each coordinate.  Lengths near the ends of the
 * range, where products overflow or vanish, bound nothing. */
void smr_query_angle_bounds(const smr_query *query, int64_t place, double product, double *low,
                            double *up)
{
    const smr_points *p = query->points;
    double length = p->length[place], slack = ((double)p->width + 16) * 0x1p-50;
    double distance = 2;
    if (query->q[p->d] > 0 || length == 0)
        distance = query->q[p->d] > 0 && length == 0 ? 0 : 2;
    else if (length > 1e-140 && length < 1e140)
        distance = 2 - 2 * product / length;
    else
        slack = 8;
    *low = smr_fmax(0, distance - slack);
    *up = distance + slack;
}

bool smr_points_same(const smr_points *p, int64_t a, int64_t b)
{
    return smr_layout_same(&p->layout, p->x, a, b);
}

bool smr_query_before(const smr_query *query, int64_t a, int64_t b)
{
    const smr_points *p = query->points;
    bool lower = smr_points_number(p, a) < smr_points_number(p, b);
    if (smr_points_same(p, a, b)) return lower;
    if (query->exact) {
        double da = smr_query_distance(query, a), db = smr_query_distance(query, b);
        return da < db || (da == db && lower);
    }
    double *xa = query->buffer, *xb = query->buffer + p->width;
    smr_points_row(p, a, xa);
    smr_points_row(p, b, xb);
    int order = smr_exact_compare(smr_points_kind(p), p->width, query->q, xa, xb);
    return order < 0 || (order == 0 && lower);
}

double smr_query_meant(const smr_query *query, int64_t place)
{
    const smr_points *p = query->points;
    double distance = smr_query_distance(query, place), *x = query->buffer;
    if (p->metric == SMR_METRIC_COSINE) return distance / 2;
    if (p->metric != SMR_METRIC_EUCLIDEAN) return distance;
    if (distance > 1e-280 && distance < 1e280) return sqrt(distance);
    smr_points_row(p, place, x);
    double largest = smr_linf_f64(p->width, query->q, x), sum = 0;
    if (largest == 0 || isinf(largest)) return smr_fmin(largest, DBL_MAX);
    for (int64_t j = 0; j < p->width; j++) {
        double part = (query->q[j] - x[j]) / largest;
        sum += part * part;
    }
    return smr_fmin(largest * sqrt(sum), DBL_MAX);
}
