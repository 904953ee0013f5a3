/* covariance.c -- see covariance.h. */
#include "math/covariance.h"

#include "core/try.h"
#include "kernel/kernel.h"
#include "math/factor.h"

#include <string.h>

smr_status smr_covariance_whiten(smr_ctx *ctx, int64_t d, const double *S, double *W, int64_t ldw,
                                 double *log_det, int64_t *failed)
{
    smr_status st = SMR_OK;
    *log_det = 0;
    for (int64_t j = 0; j < d; j++)
        memcpy(W + j * ldw, S + j * d, (size_t)d * sizeof *W); /* rows and columns are the same */
    TRY(smr_cholesky(ctx, d, W, ldw, failed));
    if (*failed >= 0) goto out;
    for (int64_t j = 0; j < d; j++) *log_det += smr_log(W[j + j * ldw]);
    TRY(smr_triangular_inverse(ctx, false, d, W, ldw));
    for (int64_t j = 0; j < d; j++)
        for (int64_t a = 0; a < ldw; a++)
            if (a < j || a >= d) W[a + j * ldw] = 0;
out:
    return st;
}

smr_status smr_covariance_lift(smr_ctx *ctx, int64_t d, double floor, double *S, double *work,
                               bool *lifted)
{
    smr_status st = SMR_OK;
    double *vectors = work, *values = work + d * d;
    int64_t failed = -1;
    *lifted = false;
    memcpy(work, S, (size_t)(d * d) * sizeof *S);
    for (int64_t i = 0; i < d; i++) work[i + i * d] -= floor;
    TRY(smr_cholesky(ctx, d, work, d, &failed)); /* all are above: the eigenvalues are not needed */
    if (failed < 0) goto out;
    memcpy(vectors, S, (size_t)(d * d) * sizeof *S);
    TRY(smr_eigen(ctx, d, vectors, d, values));
    if (values[0] >= floor) goto out;
    *lifted = true;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t e = 0; e < d; e++)
                sum += vectors[i + e * d] * vectors[j + e * d] * smr_fmax(values[e], floor);
            S[i * d + j] = S[j * d + i] = sum;
        }
out:
    return st;
}
