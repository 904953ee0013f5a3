/* tier_qr.h -- names of qr.h's functions in each tier (private to kernel/qr.c and
 * kernel/tier/qr.c). */
#ifndef SMR_KERNEL_TIER_QR_H
#define SMR_KERNEL_TIER_QR_H

#include "kernel/qr.h"

struct smr_qr_tier {
    void (*shift_rows)(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                       double *Z, int64_t ldz);
    void (*shift_tile)(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                       double *tile);
    void (*absorb)(int64_t d, double *R, double *tile, const double *from, int64_t n_from);
    void (*residual)(int64_t d, const double *X, const double *y, const double *weight,
                     const double *w_high, const double *w_low, double *sums);
};

extern const struct smr_qr_tier smr_qr_tier_base, smr_qr_tier_v3, smr_qr_tier_v4;

#endif
