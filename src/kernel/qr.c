/* qr.c -- sends qr.h's functions to the tier that kernel.h has chosen. */
#include "kernel/qr.h"

#include "kernel/kernel.h"
#include "kernel/tier_qr.h"

#include <string.h>

static const struct smr_qr_tier *tier(void)
{
#if defined(__x86_64__)
    const char *name = smr_kernel_tier();
    if (!strncmp(name, "x86-64-v4", 9)) return &smr_qr_tier_v4; /* with or without extensions */
    if (!strncmp(name, "x86-64-v3", 9)) return &smr_qr_tier_v3;
#endif
    return &smr_qr_tier_base;
}

void smr_shift_rows(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *Z, int64_t ldz)
{
    tier()->shift_rows(n, d, x, stride, by, Z, ldz);
}

void smr_shift_tile(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *tile)
{
    tier()->shift_tile(n, d, x, stride, by, tile);
}

void smr_qr_absorb(int64_t d, double *R, double *tile, const double *from, int64_t n_from)
{
    tier()->absorb(d, R, tile, from, n_from);
}

void smr_residual_tile(int64_t d, const double *X, const double *y, const double *weight,
                       const double *w_high, const double *w_low, double *sums)
{
    tier()->residual(d, X, y, weight, w_high, w_low, sums);
}

void smr_residual_total(const double *sum, double *high, double *low)
{
    double h = 0, l = 0;
    for (int lane = 0; lane < SMR_QR_LANES; lane++) {
        double a = sum[lane], s = h + a, b = s - h;
        l += ((h - (s - b)) + (a - b)) + sum[SMR_QR_LANES + lane];
        h = s;
    }
    *high = h + l;
    *low = l - (*high - h);
}
