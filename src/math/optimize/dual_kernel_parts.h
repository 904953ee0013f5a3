/* dual_kernel_parts.h -- between the files of dual_kernel.h. */
#ifndef SMR_MATH_OPTIMIZE_DUAL_KERNEL_PARTS_H
#define SMR_MATH_OPTIMIZE_DUAL_KERNEL_PARTS_H

#include "math/optimize/dual_kernel.h"

/* ---- rows of the kernel matrix, kept as long as there is room: dual_kernel_rows.c ---- */

struct smr_row_cache {
    const smr_kernel_rows *rows;
    int64_t n, n_slots, n_used; /* points; rows that fit; that were ever used     */
    int64_t group_rows;         /* rows that are allocated and computed together  */
    float **group;              /* made when first needed                         */
    int32_t *slot_of;           /* n: -1 if it is not here                        */
    int32_t *point_of;          /* n_slots                                        */
    int32_t *newer, *older;     /* n_slots: a list by use                         */
    int32_t newest, oldest;
    int64_t *stamp, now; /* of the last use; rows of `now` are not dropped */
    float *aside;        /* group_rows x n: rows that may not be kept      */
    int64_t n_entries;
};

smr_status smr_row_cache_open(smr_ctx *ctx, const smr_kernel_rows *rows, double bytes,
                              struct smr_row_cache *out);
void smr_row_cache_close(struct smr_row_cache *cache);

/* block[a * ld + b] = K(point[a], point[b]), a, b < n. */
smr_status smr_row_cache_block(smr_ctx *ctx, struct smr_row_cache *cache, const int32_t *point,
                               int64_t n, float *block, int64_t ld);
/* F[j] += sum_r by[r] K(point[r], j) for all points j, in the order of r. */
smr_status smr_row_cache_add(smr_ctx *ctx, struct smr_row_cache *cache, const int32_t *point,
                             const double *by, int64_t n, double *F);

/* ---- the problem over a working set: dual_kernel_set.c ---- */

/* Variables of a round; arrays have room for SMR_KERNEL_SET. */
enum { SMR_KERNEL_SET = 1024 };

struct smr_small_dual {
    int64_t n, padded;
    const float *block; /* padded x padded */
    double *a, *y, *most, *v;
    double *curvature;       /* of the block's diagonal          */
    double *up[2], *down[2]; /* bars of the classes; [0] alone unless by_class */
    bool by_class;
    int64_t steps, most_steps;
    bool is_unbounded;
    int64_t pair[2];
};

smr_status smr_small_dual_open(smr_ctx *ctx, bool by_class, struct smr_small_dual *out);
void smr_small_dual_close(struct smr_small_dual *s);
/* Moves pairs until the violation is at most tol; a and v change. */
void smr_small_dual_solve(struct smr_small_dual *s, double tol);

#endif
