/* kernel_show.h -- what inspect tells about a fitted kernel. */
#ifndef SMR_LEARN_KERNELS_KERNEL_SHOW_H
#define SMR_LEARN_KERNELS_KERNEL_SHOW_H

#include "learn/kernels/kernel_points.h"

/* Adds "kernel", its expression, "points", and "gamma" of the words that have one, as the training
 * data gave it. */
smr_status smr_kernel_show(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                           smr_json *into);

/* A sentence's worth of refusal before a matrix of all rows by all rows is made. */
smr_status smr_kernel_fits(smr_ctx *ctx, const char *who, int64_t n, double bytes);

#endif
