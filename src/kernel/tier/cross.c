/* cross.c -- sums of products with twice the digits, one chain in the order of the rows: the same
 * bits on every tier.  In a tier with a fused multiplication the rounding error of a product is one
 * instruction, else a call. */
#include "kernel/tier/tier.h"

#include <math.h>

/* The shifted value, to the last digit of the difference. */
static inline double shifted(const smr_origin *o, double x)
{
    return (x * o->scale - o->hi) - o->lo;
}

/* sum += a b, with what rounding takes from the product and from the sum. */
static inline void add_product(double *hi, double *lo, double a, double b)
{
    double p = a * b, s = *hi + p, t = s - *hi;
    double lost = (*hi - (s - t)) + (p - t);
    *lo += lost;
    *lo += fma(a, b, -p);
    *hi = s;
}

void TIER(cross_f64)(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                     const smr_origin *of_y, const double *w, double sum[2])
{
    double hi = sum[0], lo = sum[1];
    if (w) {
        for (int64_t i = 0; i < n; i++)
            if (w[i] != 0) add_product(&hi, &lo, w[i] * shifted(of_x, x[i]), shifted(of_y, y[i]));
    } else {
        for (int64_t i = 0; i < n; i++)
            add_product(&hi, &lo, shifted(of_x, x[i]), shifted(of_y, y[i]));
    }
    sum[0] = hi;
    sum[1] = lo;
}

/* Three chains side by side, each as above. */
void TIER(crosses_f64)(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                       const smr_origin *of_y, const double *w, double sums[6])
{
    double xx = sums[0], xx_lo = sums[1], yy = sums[2], yy_lo = sums[3], xy = sums[4];
    double xy_lo = sums[5];
    for (int64_t i = 0; i < n; i++) {
        double a = shifted(of_x, x[i]), b = shifted(of_y, y[i]), wi = w ? w[i] : 1;
        if (wi == 0) continue;
        add_product(&xx, &xx_lo, wi * a, a);
        add_product(&yy, &yy_lo, wi * b, b);
        add_product(&xy, &xy_lo, wi * a, b);
    }
    sums[0] = xx;
    sums[1] = xx_lo;
    sums[2] = yy;
    sums[3] = yy_lo;
    sums[4] = xy;
    sums[5] = xy_lo;
}
