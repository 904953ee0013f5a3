/* kernel_mercer.c -- a warning where a kernel is none: see kernel_points.h. */
#include "core/number.h"
#include "learn/kernels/kernel_points.h"
#include "math/factor.h"

#include <math.h>

enum { LOOKED_AT = 300 };
#define ROUNDING 1e-8 /* of the largest eigenvalue; points may be floats */

/* The smallest and the largest eigenvalue of the matrix of n points, spread over all; NaN where it
 * is not finite, which the fit will tell. */
static smr_status find_extremes(smr_ctx *ctx, const smr_kernel_set *set, int64_t n, double *least,
                                double *most)
{
    smr_status st = SMR_OK;
    int32_t *point = NULL;
    double *K = NULL, *value = NULL;
    *least = *most = NAN;
    TRY_NEW(point, n);
    TRY_NEW(K, n * n);
    TRY_NEW(value, n);
    for (int64_t i = 0; i < n; i++) point[i] = (int32_t)(i * set->rows.n / n);
    TRY(smr_kernel_block(ctx, set, point, n, point, n, K, n));
    for (int64_t i = 0; i < n * n; i++)
        if (!isfinite(K[i])) goto out;
    TRY(smr_eigen_values(ctx, n, K, n, value));
    *least = *most = value[0];
    for (int64_t i = 1; i < n; i++) {
        *least = smr_fmin(*least, value[i]);
        *most = smr_fmax(*most, value[i]);
    }
out:
    smr_free(point);
    smr_free(K);
    smr_free(value);
    return st;
}

smr_status smr_kernel_warn(smr_ctx *ctx, const char *who, const smr_kernel_set *set,
                           const char *then)
{
    smr_status st = SMR_OK;
    int64_t n = SMR_MIN(set->rows.n, LOOKED_AT);
    double least, most;
    char text[SMR_NUMBER_MAX];
    if (smr_kernel_has_mercer_form(set->kernel)) return SMR_OK;
    TRY(find_extremes(ctx, set, n, &least, &most));
    if (!(least < -ROUNDING * fabs(most))) return SMR_OK;
    smr_format_double(least, text);
    smr_warn(ctx,
             "%s: this kernel is not positive semi-definite: an eigenvalue of its matrix of %lld "
             "rows is %s; %s",
             who, (long long)n, text, then);
out:
    return st;
}
