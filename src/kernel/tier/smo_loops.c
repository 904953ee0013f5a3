/* smo_loops.c -- the loops of smo_kernels.h.
 *
 * A search keeps the best of each lane, with its place, and takes the first of equals at the end:
 * which elements a lane has seen does not show. */
#include "kernel/smo_kernels.h"
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#include <math.h>

enum { L = LANES_f64, DEEP = 8 };

/* DEEP rows at a time: their pages are few, and each number of y is fetched once for all. */
INLINE vec_f64 add_deep(const double *a, const float *const *row, int64_t j, vec_f64 sum)
{
    UNROLL
    for (int r = 0; r < DEEP; r++) sum = fma_f64(splat_f64(a[r]), widen(row[r] + j), sum);
    return sum;
}

void TIER(floats_add_f64)(int64_t n, int64_t k, const double *a, const float *const *row, double *y)
{
    int64_t whole = n / L * L, r = 0;
    int left = (int)(n - whole);
    for (; r + DEEP <= k; r += DEEP)
        for (int64_t j = 0; j < whole; j += L)
            store_f64(y + j, add_deep(a + r, row + r, j, load_f64(y + j)));
    for (; r < k; r++)
        for (int64_t j = 0; j < whole; j += L)
            store_f64(y + j, fma_f64(splat_f64(a[r]), widen(row[r] + j), load_f64(y + j)));
    for (r = 0; r < k && left > 0; r++) {
        vec_f64 sum = load_part_f64(y + whole, left, zero_f64());
        sum = fma_f64(splat_f64(a[r]), widen_part(row[r] + whole, left), sum);
        store_part_f64(y + whole, left, sum);
    }
}

/* 0, 1, 2 ... */
INLINE bits_f64 count_up(void)
{
    bits_f64 at;
    for (int l = 0; l < L; l++) at[l] = l;
    return at;
}

/* The place of the largest lane, the first of equals. */
INLINE int64_t first_of(vec_f64 best, bits_f64 place)
{
    double top = best[0];
    int64_t at = place[0];
    for (int l = 1; l < L; l++)
        if (best[l] > top || (best[l] == top && place[l] < at)) {
            top = best[l];
            at = place[l];
        }
    return at;
}

int64_t TIER(smo_first)(int64_t n, const double *v, const double *bar)
{
    vec_f64 best = splat_f64(-INFINITY);
    bits_f64 at = count_up(), place = {0}, step = count_up() * 0 + L;
    place -= 1;
    for (int64_t k = 0; k < n; k += L, at += step) {
        vec_f64 x = load_f64(v + k) + load_f64(bar + k);
        bits_f64 is_better = x > best;
        best = select_f64(is_better, x, best);
        place = (is_better & at) | (~is_better & place);
    }
    /* A lane without any is at -1 with the value of nothing: it is the first of equals only if all
     * are. */
    return first_of(best, place);
}

int64_t TIER(smo_second)(int64_t n, const smr_smo_one *one, const double *curvature,
                         const double *v, const double *bar, double *least)
{
    vec_f64 best = zero_f64(), low = splat_f64(INFINITY), own = splat_f64(one->v);
    vec_f64 curve = splat_f64(one->curvature), floor = splat_f64(one->floor);
    bits_f64 at = count_up(), place = {0}, step = count_up() * 0 + L;
    place -= 1;
    for (int64_t k = 0; k < n; k += L, at += step) {
        vec_f64 x = load_f64(v + k) + load_f64(bar + k), away = own - x;
        vec_f64 row = widen(one->row + k), c = curve + load_f64(curvature + k) - (row + row);
        low = select_f64(x < low, x, low);
        c = select_f64(c > floor, c, floor);
        vec_f64 gain = away * away / c;
        bits_f64 is_better = (away > zero_f64()) & (gain > best);
        best = select_f64(is_better, gain, best);
        place = (is_better & at) | (~is_better & place);
    }
    *least = low[0];
    for (int l = 1; l < L; l++)
        if (low[l] < *least) *least = low[l];
    return first_of(best, place);
}

void TIER(smo_move)(int64_t n, double by, const float *a, const float *b, double *v)
{
    vec_f64 minus = splat_f64(-by);
    for (int64_t k = 0; k < n; k += L)
        store_f64(v + k, fma_f64(minus, widen(a + k) - widen(b + k), load_f64(v + k)));
}
