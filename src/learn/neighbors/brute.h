/* brute.h -- exact nearest neighbours by looking at every row: for many dimensions.
 *
 * Rows are taken in strips of a few hundred, queries in batches, and a batch is held against a
 * strip by one of three ways:
 *
 *     bytes    exact integer products of byte rows
 *     floats   products in single precision of centred rows, with a proven bound on their error
 *     direct   one distance in double at a time: L1, Linf, and values out of single range
 *
 * The first two are for L2, cosine, and Lp through L2.  All end in the same rows (points.h). */
#ifndef SMR_LEARN_NEIGHBORS_BRUTE_H
#define SMR_LEARN_NEIGHBORS_BRUTE_H

#include "learn/neighbors/nearest.h"

typedef struct smr_brute {
    const smr_points *points;
    int64_t strip, n_strips;    /* rows of a strip                                             */
    void *panels;               /* strips packed: bytes, floats, or none                       */
    int64_t panel_bytes;        /* of a strip                                                  */
    bool has_bytes, has_floats; /* what the panels hold                                     */
    int32_t *square;            /* bytes: |t|^2; for cosine NULL                               */
    float *scale;               /* bytes, cosine: 1 / |t|, or 0                                */

    bool can_float; /* the float way can be taken                                          */
    double *center; /* width                                                               */
    double unit;    /* T = (t - center) unit: a power of two that brings rows near 1       */
    double error;   /* E of brute_float.c                                                  */
    float *base;    /* n: (1 - E) |T|^2, rounded down                                      */
    int64_t bytes;  /* that all this takes                                                 */
} smr_brute;

smr_status smr_brute_build(smr_ctx *ctx, const smr_points *points, smr_brute *brute);
void smr_brute_release(smr_brute *brute);

/* Bytes of scratch that smr_brute_search needs for up to m queries and their K nearest. */
int64_t smr_brute_scratch(const smr_brute *brute, int64_t m, int64_t K);

/* Offers to nearest[i], begun for query i of m, all rows that may be near.
 * bytes: the queries as bytes, row i at i * stride, where they are bytes; else NULL. */
smr_status smr_brute_search(smr_ctx *ctx, const smr_brute *brute, int64_t m, smr_near_set *nearest,
                            const uint8_t *bytes, int64_t stride, void *scratch);

/* Bytes that smr_brute_build takes. */
double smr_brute_bytes(const smr_points *points);

#endif
