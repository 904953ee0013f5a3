/* product.h -- matrix products that continue: C += A B and C -= A B on all threads.
 *
 * Every entry of C is one chain of fused multiply-adds over ascending k, continued from the value
 * that C holds, so a product may be cut anywhere (rows, columns, k, threads) without changing a
 * bit.  Factorisations that are written as such chains have the bits of their textbook loops. */
#ifndef SMR_MATH_PRODUCT_H
#define SMR_MATH_PRODUCT_H

#include "core/ctx.h"

/* A matrix in memory: entry (i, j) is at[i * down + j * across], where one of them is 1.  By
 * columns: {A, 1, lda}; its transpose: {A, lda, 1}. */
typedef struct smr_grid {
    const double *at;
    int64_t down, across;
} smr_grid;

typedef struct smr_update {
    int64_t m, n, k;
    smr_grid A, B; /* m x k, k x n                                                    */
    double *C;     /* m x n by columns: entry (i, j) at C[i + j * ldc]; apart from A and B */
    int64_t ldc;
    bool minus; /* C -= A B                                                           */
    bool lower; /* entries with i < j are neither read nor written                    */
} smr_update;

/* Runs on the context's threads where the work is worth it; inside a parallel region, on one. */
smr_status smr_update_run(smr_ctx *ctx, const smr_update *u);

/* Memory for the copies that a product makes, kept for the next one: a series of products need not
 * ask for it, nor the system clear it, again and again.  It grows; smr_free(room.bytes) at the
 * end. */
typedef struct smr_room {
    void *bytes;
    int64_t size;
} smr_room;

smr_status smr_update_in(smr_ctx *ctx, const smr_update *u, smr_room *room);

/* The same in float. */
typedef struct smr_grid_f32 {
    const float *at;
    int64_t down, across;
} smr_grid_f32;

typedef struct smr_update_f32 {
    int64_t m, n, k;
    smr_grid_f32 A, B;
    float *C;
    int64_t ldc;
    bool minus, lower;
} smr_update_f32;

smr_status smr_update_run_f32(smr_ctx *ctx, const smr_update_f32 *u);
smr_status smr_update_in_f32(smr_ctx *ctx, const smr_update_f32 *u, smr_room *room);

#endif
