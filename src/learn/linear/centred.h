/* centred.h -- a dense copy of the rows whose columns have mean 0.
 *
 * For methods that solve with sums of squares: of a column far from 0 these lose its spread.  A
 * linear model of the copy is that of the rows but for its intercept,
 *
 *     b = b_centred - mean'w                                                                    (1)
 *
 * Memory: 8 bytes a value. */
#ifndef SMR_LEARN_LINEAR_CENTRED_H
#define SMR_LEARN_LINEAR_CENTRED_H

#include "data/data.h"

typedef struct smr_centred {
    int64_t n, d;
    double *X;             /* n x d                               */
    double *mean;          /* d: of the rows, without weights     */
    smr_feature *features; /* d, in X; those of `data`            */
    smr_data data;         /* the copy, with everything else that the rows have */
} smr_centred;

smr_status smr_centred_open(smr_ctx *ctx, const smr_data *data, smr_centred *out);
/* Accepts a zeroed one. */
void smr_centred_close(smr_centred *c);

/* (1) of k scores, and back; w: k x d. */
void smr_centred_leave(const smr_centred *c, int64_t k, const double *w, const double *from,
                       double *intercept);
void smr_centred_enter(const smr_centred *c, int64_t k, const double *w, const double *intercept,
                       double *to);

#endif
