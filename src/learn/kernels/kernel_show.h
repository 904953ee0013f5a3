/* kernel_show.h -- what inspect tells about a fitted kernel. */
#ifndef SMR_LEARN_KERNELS_KERNEL_SHOW_H
#define SMR_LEARN_KERNELS_KERNEL_SHOW_H

#include "learn/kernels/kernel_points.h"

/* Adds "kernel", its expression, "points", and "gamma" of the words that have one, as the training
 * data gave it. */
smr_status smr_kernel_show(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                           smr_json *into);

/* How much rows count: the sizes of their coefficients, the largest first. */
typedef struct smr_kernel_ranks {
    const char *name, *title, *note, *of; /* of: what a size is */
    const double *coef;                   /* n_series x n       */
    int64_t n_series, n;
    bool by_class; /* series c is about class c; of one series, class 1 */
} smr_kernel_ranks;

/* *figure receives it, or NULL where all are 0. */
smr_status smr_kernel_draw_ranks(smr_ctx *ctx, const smr_kernel_ranks *ranks, const char *prefix,
                                 smr_json *figures, smr_json **figure);

/* A sentence's worth of refusal before a matrix of all rows by all rows is made. */
smr_status smr_kernel_fits(smr_ctx *ctx, const char *who, int64_t n, double bytes);

#endif
