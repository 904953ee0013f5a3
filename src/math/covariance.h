/* covariance.h -- covariances as densities read them, and as fits hold them away from 0. */
#ifndef SMR_MATH_COVARIANCE_H
#define SMR_MATH_COVARIANCE_H

#include "core/ctx.h"

/* W = L^-1 for S = L L' (d x d, symmetric): entry (a, j) is W[a + j * ldw], zeros above the
 * diagonal and from d up to ldw.  *log_det = log |L|.  *failed: the first pivot (from 0) that is
 * not positive, or -1; then W is undefined. */
smr_status smr_covariance_whiten(smr_ctx *ctx, int64_t d, const double *S, double *W, int64_t ldw,
                                 double *log_det, int64_t *failed);

/* S (d x d, symmetric) becomes the matrix with the same eigenvectors whose eigenvalues are at least
 * `floor`: of all covariances that are so large in every direction the likeliest for rows whose
 * covariance is S.  Returns through *lifted whether some were below.  work: d d + d. */
smr_status smr_covariance_lift(smr_ctx *ctx, int64_t d, double floor, double *S, double *work,
                               bool *lifted);

#endif
