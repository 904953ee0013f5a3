/* factor.c -- checks and estimates that all factorisations share: see factor.h. */
#include "math/factor.h"

#include "math/factor_parts.h"

#include <math.h>
#include <string.h>

smr_status smr_check_shape(smr_ctx *ctx, const char *what, int64_t m, int64_t n, int64_t ld)
{
    if (m < 0 || n < 0 || m > SMR_MAX_DIM || n > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: a matrix of %lld x %lld is past what can be counted (%lld a side)",
                        what, (long long)m, (long long)n, (long long)SMR_MAX_DIM);
    if (ld < m)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: columns of %lld rows cannot begin %lld apart",
                        what, (long long)m, (long long)ld);
    if (n > 0 && ld > INT64_MAX / (int64_t)sizeof(double) / n)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: a matrix of %lld x %lld is past what memory can address", what,
                        (long long)ld, (long long)n);
    return SMR_OK;
}

/* 0 x is NaN where x is not finite, and 0 else: one sum speaks for a whole column. */
static bool column_is_finite(int64_t m, const double *a)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= m; i += 4)
        for (int l = 0; l < 4; l++) sum[l] += 0 * a[i + l];
    for (; i < m; i++) sum[0] += 0 * a[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

smr_status smr_check_finite(smr_ctx *ctx, const char *what, int64_t m, int64_t n, const double *A,
                            int64_t lda)
{
    for (int64_t j = 0; j < n; j++) {
        const double *a = A + j * lda;
        if (column_is_finite(m, a)) continue;
        int64_t i = 0;
        while (isfinite(a[i])) i++;
        return smr_fail(ctx, SMR_ERR_DATA, "%s: the value at row %lld, column %lld is not finite",
                        what, (long long)i + 1, (long long)j + 1);
    }
    return SMR_OK;
}

double smr_length_of_two(double a, double b)
{
    double large = smr_fmax(fabs(a), fabs(b)), small = smr_fmin(fabs(a), fabs(b));
    if (large == 0 || !isfinite(large)) return large;
    double ratio = small / large;
    return large * sqrt(1 + ratio * ratio);
}

/* ---- the norm of an inverse ------------------------------------------------------------- */

static double sum_of_sizes(int64_t n, const double *x)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += fabs(x[i]);
    return s;
}

/* sign = signs of x; true when none has changed. */
static bool take_signs(int64_t n, const double *x, double *sign)
{
    bool same = true;
    for (int64_t i = 0; i < n; i++) {
        double s = x[i] < 0 ? -1 : 1;
        same = same && s == sign[i];
        sign[i] = s;
    }
    return same;
}

static int64_t largest_at(int64_t n, const double *x)
{
    int64_t at = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[at])) at = i;
    return at;
}

/* The climb of the estimate: from e_j to the vertex that the gradient points at. */
static smr_status climb(smr_ctx *ctx, int64_t n, smr_inverse_fn solve, const void *arg, double *x,
                        double *sign, double *norm)
{
    enum { MOST = 5 };
    smr_status st = SMR_OK;
    int64_t last = -1;
    for (int step = 0; step < MOST; step++) {
        memcpy(x, sign, (size_t)n * sizeof *x);
        TRY(solve(ctx, arg, true, x));
        int64_t at = largest_at(n, x);
        if (at == last || (last >= 0 && fabs(x[at]) == fabs(x[last]))) break;
        last = at;
        memset(x, 0, (size_t)n * sizeof *x);
        x[at] = 1;
        TRY(solve(ctx, arg, false, x));
        double now = sum_of_sizes(n, x);
        if (!(now > *norm)) break;
        *norm = now;
        if (take_signs(n, x, sign)) break;
    }
out:
    return st;
}

smr_status smr_inverse_norm(smr_ctx *ctx, int64_t n, smr_inverse_fn solve, const void *arg,
                            double *norm)
{
    smr_status st = SMR_OK;
    double *x = NULL, *sign = NULL;
    *norm = 0;
    if (n == 0) return SMR_OK;
    TRY_NEW(x, n);
    TRY_NEW(sign, n);
    for (int64_t i = 0; i < n; i++) x[i] = 1 / (double)n;
    TRY(solve(ctx, arg, false, x));
    *norm = sum_of_sizes(n, x);
    if (n > 1 && isfinite(*norm)) {
        (void)take_signs(n, x, sign);
        TRY(climb(ctx, n, solve, arg, x, sign, norm));
        for (int64_t i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (double)(n - 1));
        TRY(solve(ctx, arg, false, x));
        double other = 2 * sum_of_sizes(n, x) / (3 * (double)n);
        if (!(other <= *norm)) *norm = other;
    }
out:
    smr_free(sign);
    smr_free(x);
    return st;
}

double smr_rcond_of(double norm, double inverse_norm)
{
    double rcond = 1 / inverse_norm / norm;
    return isfinite(inverse_norm) && isfinite(rcond) ? rcond : 0;
}
