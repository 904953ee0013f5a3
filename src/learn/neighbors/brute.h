/* brute.h -- exact nearest neighbours by looking at every row: for many dimensions.
 *
 * Rows are taken in strips of a few hundred, queries in batches, and a batch is compared with a
 * strip in one of three ways:
 *
 *     bytes    exact integer products of byte rows
 *     floats   products in single precision, with a proven bound on their error: of the stored
 *              floats as they are, or of rows that are centred strip by strip, when needed
 *     direct   distances in double: L1, Linf, values out of single range, a few queries of doubles
 *
 * The first two are for L2, cosine, and Lp through L2; they read panels (layout.h).  All end in the
 * same rows (points.h).  Beyond the rows a search keeps one or two numbers for each. */
#ifndef SMR_LEARN_NEIGHBORS_BRUTE_H
#define SMR_LEARN_NEIGHBORS_BRUTE_H

#include "learn/neighbors/nearest.h"

typedef struct smr_brute {
    const smr_points *points;
    int64_t strip, n_strips; /* rows of a strip                                             */
    bool has_bytes;          /* bytes can be multiplied                                     */
    int32_t *square;         /* bytes: |t|^2; for cosine NULL                               */
    float *scale;            /* cosine: 1 / |t|, or 0                                       */

    bool can_float; /* the float way can be taken                                          */
    bool plain;     /* with the stored floats as they are                                  */
    double *center; /* width                                                               */
    double unit;    /* T = (t - center) unit: a power of two that brings rows near 1       */
    double error;   /* E of brute_float.c                                                  */
    float *base;    /* n: (1 - E) |T|^2, rounded down; NULL for cosine with plain floats   */
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

#endif
