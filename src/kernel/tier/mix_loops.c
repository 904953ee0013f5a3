/* mix_loops.c -- mixtures: how rows are shared out to classes, and the sums that the shares weigh.
 */
#include "kernel/tier/class_row.h"
#include "kernel/tier/tier.h"
#include "kernel/tier/wide.h"

void TIER(mix_shares_f64)(int64_t n, int64_t width, const double *weight, double faint, double *p,
                          double *total)
{
    for (int64_t i = 0; i < n; i++, p += width) {
        wide sum = load_wide(p);
        for (int64_t j = WIDE; j < width; j += WIDE) sum = add(sum, load_wide(p + j));
        total[i] = fold(sum);
        vec_f64 by = splat_f64((weight ? weight[i] : 1) / total[i]);
        vec_f64 least = splat_f64(faint * total[i]);
        for (int64_t j = 0; j < width; j += LANES_f64) {
            vec_f64 x = load_f64(p + j);
            store_f64(p + j, select_f64((bits_f64)(x >= least), x * by, zero_f64()));
        }
    }
}

void TIER(mix_sums_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                        int64_t width, const smr_class_sums *to)
{
    int64_t whole = d / LANES_f64 * LANES_f64;
    int left = (int)(d - whole);
    for (int64_t i = 0; i < n; i++, X += ldx, p += width)
        for (int64_t j = 0; j < width; j += WIDE)
            for (unsigned at = lanes_above_0(load_wide(p + j)); at; at &= at - 1) {
                int64_t c = j + __builtin_ctz(at);
                sum_row(whole, left, X, p[c], c * to->ld, to);
            }
}
