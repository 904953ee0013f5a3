/* kernel_open.h -- how training rows become points: the parts of smr_kernel_open. */
#ifndef SMR_LEARN_KERNELS_KERNEL_OPEN_H
#define SMR_LEARN_KERNELS_KERNEL_OPEN_H

#include "learn/kernels/kernel_points.h"

/* What is learned of the numbers on the way. */
typedef struct smr_kernel_opening {
    const char *who;
    const smr_kernel *kernel;
    const smr_data *data;
    smr_kernel_precision precision;
    smr_kernel_points *points;
    bool *is_text; /* of each feature                       */
    double mean;   /* of all numbers, weighted              */
    double spread; /* their variance                        */
} smr_kernel_opening;

/* Which features are texts and which word reads which, in points whose n_words is set. */
smr_status smr_kernel_link(smr_ctx *ctx, smr_kernel_opening *o);
/* A feature's name in quotes, or its number. */
void smr_kernel_name_feature(const smr_data *data, int64_t j, smr_text *out);
/* The numbers of the points, and what is learned on the way. */
smr_status smr_kernel_read_numbers(smr_ctx *ctx, smr_kernel_opening *o);
/* gamma of every word, of points that are there. */
smr_status smr_kernel_find_gamma(smr_ctx *ctx, const smr_kernel_opening *o);
/* Points i and j as doubles. */
void smr_kernel_expand(const smr_kernel_points *points, int64_t i, double *x);

#endif
