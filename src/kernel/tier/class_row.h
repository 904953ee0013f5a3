/* class_row.h -- one row into the sums of a class. */
#ifndef SMR_KERNEL_TIER_CLASS_ROW_H
#define SMR_KERNEL_TIER_CLASS_ROW_H

#include "kernel/kernel.h"
#include "kernel/tier/simd.h"

INLINE void sum_part(const bool is_whole, int count, const double *x, vec_f64 weight,
                     const double *shift, double *sum, double *square)
{
    vec_f64 t = load_some_f64(x, is_whole, count) - load_some_f64(shift, is_whole, count);
    vec_f64 u = weight * t;
    store_some_f64(sum, is_whole, count, load_some_f64(sum, is_whole, count) + u);
    store_some_f64(square, is_whole, count, fma_f64(u, t, load_some_f64(square, is_whole, count)));
}

/* whole + left numbers, whole a multiple of the lanes. */
INLINE void sum_row(int64_t whole, int left, const double *x, double weight, int64_t at,
                    const smr_class_sums *to)
{
    vec_f64 w = splat_f64(weight);
    const double *shift = to->shift + at;
    double *sum = to->sum + at, *square = to->square + at;
    for (int64_t j = 0; j < whole; j += LANES_f64)
        sum_part(true, LANES_f64, x + j, w, shift + j, sum + j, square + j);
    if (left) sum_part(false, left, x + whole, w, shift + whole, sum + whole, square + whole);
}

#endif
