/* eigen.c -- eigenvalues of symmetric matrices: see factor.h.
 *
 *     A = Q T Q' (tridiagonal.h),   T = Z diag(w) Z',   A (Q Z) = (Q Z) diag(w)
 *
 * Up to SMALL rows Q is formed in place and turned by QL steps; else Z comes from divide and
 * conquer and goes through the reflectors of Q, BLOCK at a time.  Values alone need no vectors of T
 * and come from QL steps without roots.
 *
 * The largest entry is brought to about 1 by a power of two where it is not between 2^-200 and
 * 2^200, and the values back.  A matrix of zeros has the unit vectors.
 *
 * Errors are some n eps |A| in the values and A V - V W, and n eps in V'V - I.  Cost: 4/3 n^3 flops
 * for T, at most 4/3 n^3 for Z and 2 n^3 for Q Z; 2 n^2 numbers of memory besides A.
 *
 * A x = w B x with B = L L' is (L^-1 A L'^-1) y = w y, x = L'^-1 y. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/reflect.h"
#include "math/tridiagonal.h"

#include <math.h>
#include <string.h>

enum { SMALL = 32, BLOCK = 64, COLUMNS = 32 };

/* ---- scale ------------------------------------------------------------------------------ */

/* The lower triangle times a power of two that brings its largest entry to 1 .. 2, where that is
 * far off; the exponent is the answer, what w is to be multiplied with. */
static int scale_lower(int64_t n, double *A, int64_t lda)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) largest = fmax(largest, fabs(A[i + j * lda]));
    if (largest == 0 || (largest > 0x1p-200 && largest < 0x1p200)) return 0;
    int exponent = 0;
    (void)frexp(largest, &exponent);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) A[i + j * lda] = ldexp(A[i + j * lda], -exponent);
    return exponent;
}

static void scale_values(int64_t n, double *w, int exponent)
{
    for (int64_t i = 0; i < n && exponent != 0; i++) w[i] = ldexp(w[i], exponent);
}

/* Symmetric: the lower triangle is what counts. */
static smr_status check_lower(smr_ctx *ctx, int64_t n, const double *A, int64_t lda)
{
    smr_status st = smr_check_shape(ctx, "the symmetric matrix", n, n, lda);
    if (st != SMR_OK) return st;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            if (!isfinite(A[i + j * lda]))
                return smr_fail(ctx, SMR_ERR_DATA,
                                "the symmetric matrix: the value at row %lld, column %lld is not "
                                "finite",
                                (long long)(i + 1), (long long)(j + 1));
    return SMR_OK;
}
