/* qr_kernels.c -- sums of qr_kernels.h's pairs; its other functions have tiers
 * (kernel/tier/qr_loops.c). */
#include "kernel/qr_kernels.h"

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
