/* reflect_step.c -- one step of a Householder QR on a few columns: the vector of one reflector is
 * scaled and applied to the columns that follow, and the first of these is multiplied with all of
 * them, which is what the next reflector needs, all in one pass over memory.
 *
 *     x_i = scale x_i,   a_ic = fma(f_c, x_i, a_ic),   dots_c = sum_i a_i0 a_ic
 *
 * The sums run in 8 lanes: lane l takes the rows l, l + 8, ... in ascending order, then lane l
 * takes lane l + 4, l + 2, l + 1. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { CHUNK = 8, PARTS = 64 / SIMD_BYTES, L = LANES_f64, MOST = SMR_REFLECT_COLUMNS };

typedef struct {
    double *x, *a;
    int64_t lda;
    double scale;
    const double *f;
} step;

/* Part v of a chunk of rows, of which `count` are there. */
INLINE void part(const int n, const bool is_whole, int count, const step *s, int64_t i,
                 vec_f64 *sum)
{
    const vec_f64 none = zero_f64();
    vec_f64 x = is_whole ? load_f64(s->x + i) : load_part_f64(s->x + i, count, none), first = none;
    x = x * splat_f64(s->scale);
    if (is_whole)
        store_f64(s->x + i, x);
    else
        store_part_f64(s->x + i, count, x);
    UNROLL
    for (int c = 0; c < n; c++) {
        double *at = s->a + c * s->lda + i;
        vec_f64 a = is_whole ? load_f64(at) : load_part_f64(at, count, none);
        a = fma_f64(splat_f64(s->f[c]), x, a);
        if (is_whole)
            store_f64(at, a);
        else
            store_part_f64(at, count, a);
        if (c == 0) first = a;
        sum[c] = fma_f64(first, a, sum[c]);
    }
}

INLINE double fold(const vec_f64 *sum)
{
    double lane[CHUNK];
    memcpy(lane, sum, sizeof lane);
    for (int half = CHUNK / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

INLINE void pass(const int n, int64_t m, const step *s, double *dots)
{
    vec_f64 sum[PARTS][MOST], one[PARTS];
    double f[MOST];
    step in = *s;
    UNROLL
    for (int c = 0; c < n; c++) f[c] = s->f[c]; /* stores to the columns cannot change these */
    in.f = f;
    UNROLL
    for (int c = 0; c < n; c++) {
        UNROLL
        for (int v = 0; v < PARTS; v++) sum[v][c] = zero_f64();
    }
    int64_t i = 0;
    for (; i + CHUNK <= m; i += CHUNK) {
        UNROLL
        for (int v = 0; v < PARTS; v++) part(n, true, L, &in, i + v * L, sum[v]);
    }
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        int64_t left = m - i - v * L;
        if (left > 0) part(n, false, left > L ? (int)L : (int)left, &in, i + v * L, sum[v]);
    }
    for (int c = 0; c < n; c++) {
        for (int v = 0; v < PARTS; v++) one[v] = sum[v][c];
        dots[c] = fold(one);
    }
}

void TIER(reflect_f64)(int64_t m, int64_t n, double scale, double *x, const double *f, double *A,
                       int64_t lda, double *dots)
{
    step s = {x, A, lda, scale, f};
    switch (n) {
    case 0: pass(0, m, &s, dots); break;
    case 1: pass(1, m, &s, dots); break;
    case 2: pass(2, m, &s, dots); break;
    case 3: pass(3, m, &s, dots); break;
    case 4: pass(4, m, &s, dots); break;
    case 5: pass(5, m, &s, dots); break;
    case 6: pass(6, m, &s, dots); break;
    default: pass(7, m, &s, dots); break;
    }
}
