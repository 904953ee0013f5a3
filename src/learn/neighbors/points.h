/* points.h -- the rows that a search looks through, and what "distance" means between them.
 *
 * A distance is a function of the values alone, whatever form holds them (bytes, float, double) and
 * whatever path computes it: every search ends in the same neighbours.
 *
 *     L2      sum of squares of the differences (the square of the distance)
 *     L1      sum of magnitudes
 *     Linf    largest magnitude
 *     Lp      (sum |difference|^p)^(1/p)
 *     cosine  as L2, of rows divided by their length: half of it is 1 - cos.  A row of zeros has a
 *             direction of its own, at right angles to all others: a coordinate after the others is
 *             1 for it and 0 for the rest
 *
 * L1, L2 and Linf order rows as exact arithmetic on the values does (exact.h); cosine as exact
 * arithmetic on the divided rows, which are rounded to double; Lp by its value in double.
 *
 * Rows are addressed by their place in memory (layout.h); their numbers decide ties. */
#ifndef SMR_LEARN_NEIGHBORS_POINTS_H
#define SMR_LEARN_NEIGHBORS_POINTS_H

#include "core/parallel.h"
#include "learn/neighbors/exact.h"
#include "learn/neighbors/layout.h"

typedef enum smr_metric_name {
    SMR_METRIC_EUCLIDEAN = 0,
    SMR_METRIC_MANHATTAN,
    SMR_METRIC_CHEBYSHEV,
    SMR_METRIC_MINKOWSKI,
    SMR_METRIC_COSINE
} smr_metric_name;

typedef struct smr_points {
    int64_t n, d;
    int64_t width; /* of a row as searched: d, for cosine d + 1                   */
    smr_layout layout;
    const void *x;
    const int32_t *rows;    /* the row number of each place; NULL: the same                */
    smr_metric_name metric; /* Minkowski with p = 1, 2 or infinite goes by its own name */
    double p;               /* Minkowski                                                   */
    double *length;         /* cosine: the lengths, by place; else NULL; owned             */
    smr_places places;      /* of all values as searched                                   */
} smr_points;

/* Fills n, d, width, length and places.  layout, x, rows, metric and p are set. */
smr_status smr_points_prepare(smr_ctx *ctx, smr_points *points);
void smr_points_release(smr_points *points);

/* The kind of distance that searches compute: Lp is searched through L2, which bounds it. */
static inline smr_near_kind smr_metric_kind(smr_metric_name metric)
{
    if (metric == SMR_METRIC_MANHATTAN) return SMR_NEAR_L1;
    if (metric == SMR_METRIC_CHEBYSHEV) return SMR_NEAR_LINF;
    return SMR_NEAR_L2;
}

static inline smr_near_kind smr_points_kind(const smr_points *points)
{
    return smr_metric_kind(points->metric);
}

static inline int64_t smr_points_number(const smr_points *points, int64_t place)
{
    return points->rows ? points->rows[place] : place;
}

/* buffer = the row at that place as searched: `width` values. */
void smr_points_row(const smr_points *points, int64_t place, double *buffer);

/* |x|, without overflow. */
double smr_length_of(int64_t d, const double *x);

/* Makes a query from the d values in x, which has room for `width`: for cosine, of unit length. */
void smr_points_query(const smr_points *points, double *x);

/* One query against the points. */
typedef struct smr_query {
    const smr_points *points;
    const double *q; /* width                                                               */
    bool exact;      /* distances to all points come out without rounding                   */
    double slack;    /* else: their relative error is at most this                          */
    double *buffer;  /* 2 width: two rows at a time                                         */
} smr_query;

void smr_query_begin(smr_query *query, const smr_points *points, const double *q, double *buffer);

/* The distance in double: the same bits on every path. */
double smr_query_distance(const smr_query *query, int64_t place);

/* Bounds of the true distance, given one that was computed in double, in any order of summation. */
void smr_query_bounds(const smr_query *query, double computed, double *low, double *up);

/* Cosine: bounds of the true distance, given the product of the query with the stored row. */
void smr_query_angle_bounds(const smr_query *query, int64_t place, double product, double *low,
                            double *up);

/* True when two places hold the same values. */
bool smr_points_same(const smr_points *points, int64_t a, int64_t b);

/* Which of two places comes first: by exact distance, then by row number. */
bool smr_query_before(const smr_query *query, int64_t a, int64_t b);

/* From what searches compare to what people call the distance: the root of L2, half of cosine's. */
double smr_query_meant(const smr_query *query, int64_t place);

#endif
