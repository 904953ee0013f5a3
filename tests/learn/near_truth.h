/* near_truth.h -- rows of many sorts, and their true nearest neighbours, found naively.
 *
 * The truth is computed in 113-bit arithmetic: exact for grids, bytes and repeated rows, and
 * right up to a relative 2^-105 for the others, where distances closer than that do not occur. */
#ifndef SMR_TESTS_NEAR_TRUTH_H
#define SMR_TESTS_NEAR_TRUTH_H

#include "check.h"
#include "core/rng.h"
#include "learn/neighbors/points.h"

#include <float.h>

#if LDBL_MANT_DIG == 113 /* arm64 */
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

enum sort {
    UNIFORM,
    GRID,
    DECIMAL,
    OFFSET,
    REPEATED,
    CLUSTERS,
    BYTES,
    HUGE_VALUES,
    TINY_VALUES,
    N_SORTS
};

static const char *const sort_name[] = {"uniform",  "grid",  "decimal", "offset",     "repeated",
                                        "clusters", "bytes", "huge",    "tiny values"};

static inline double draw(uint64_t seed, int64_t i, int64_t j)
{
    return smr_random_unit(seed, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j);
}

/* Value j of row i. */
static inline double value_of(enum sort sort, uint64_t seed, int64_t i, int64_t j)
{
    double u = draw(seed, i, j);
    switch (sort) {
    case GRID: return floor(u * 4) - 1;
    case DECIMAL: return floor(u * 20) * 0.1;
    case OFFSET: return 1e6 + 1e-3 * u;
    case REPEATED: return draw(seed, (int64_t)(draw(seed, i, 1000) * 7), j);
    case CLUSTERS: return floor(draw(seed, i, 1000) * 3) + 1e-9 * u;
    case BYTES: return floor(u * 256);
    case HUGE_VALUES: return (u - 0.5) * 1e170;
    case TINY_VALUES: return (u - 0.5) * 1e-170;
    default: return u;
    }
}

/* The stored form of n x d doubles, which are rounded to it. */
static inline void *in_form(smr_form form, int64_t n, double *x)
{
    void *out = malloc((size_t)n * 8 + 1);
    for (int64_t i = 0; i < n; i++) {
        if (form == SMR_FORM_U8)
            x[i] = ((uint8_t *)out)[i] = (uint8_t)x[i];
        else if (form == SMR_FORM_F32)
            x[i] = (double)(((float *)out)[i] = (float)x[i]);
        else
            ((double *)out)[i] = x[i];
    }
    return out;
}

static inline quad true_distance(smr_near_kind kind, int64_t d, const double *q, const double *x)
{
    quad sum = 0;
    for (int64_t j = 0; j < d; j++) {
        quad gap = (quad)q[j] - (quad)x[j];
        gap = gap < 0 ? -gap : gap;
        if (kind == SMR_NEAR_L2)
            sum += gap * gap;
        else if (kind == SMR_NEAR_L1)
            sum += gap;
        else
            sum = gap > sum ? gap : sum;
    }
    return sum;
}

struct truth {
    quad distance;
    int64_t row;
};

static inline int by_distance(const void *a_, const void *b_)
{
    const struct truth *a = a_, *b = b_;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* All rows in the order of their distance to q, ties by number. */
static inline struct truth *true_order(const smr_points *p, const double *q)
{
    struct truth *order = calloc((size_t)p->n, sizeof *order);
    double *buffer = calloc((size_t)(2 * p->width), sizeof *buffer);
    smr_query query;
    smr_query_begin(&query, p, q, buffer);
    for (int64_t i = 0; i < p->n; i++) {
        order[i].row = smr_points_number(p, i);
        smr_points_row(p, i, buffer);
        order[i].distance = p->metric == SMR_METRIC_MINKOWSKI
                                ? (quad)smr_query_distance(&query, i)
                                : true_distance(smr_points_kind(p), p->width, q, buffer);
    }
    qsort(order, (size_t)p->n, sizeof *order, by_distance);
    free(buffer);
    return order;
}

#endif
