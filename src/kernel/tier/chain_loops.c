/* chain_loops.c -- the loops of chain_kernels.h.
 *
 * The chain of sums waits for: the sum of the last row, its reciprocal,
 * and the row that is multiplied by it; the products of the row with the matrix run meanwhile. */
#include "kernel/chain_kernels.h"
#include "kernel/tier/tier.h"
#include "kernel/tier/wide.h"

#include <math.h>

enum { CHAINS = 4 };

/* ---- sums ------------------------------------------------------------------------------- */

/* W wides of from' move: sums over n states in CHAINS chains. */
INLINE void gather(const int W, const int64_t n, int64_t width, const double *move,
                   const double *from, wide *out)
{
    wide sum[CHAINS][2];
    int64_t i = 0;
    UNROLL
    for (int c = 0; c < CHAINS; c++)
        for (int w = 0; w < W; w++) sum[c][w] = splat_wide(0);
    for (; i + CHAINS <= n; i += CHAINS) {
        UNROLL
        for (int c = 0; c < CHAINS; c++) {
            vec_f64 x = splat_f64(from[i + c]);
            UNROLL
            for (int w = 0; w < W; w++)
                sum[c][w] = fma_wide(x, load_wide(move + (i + c) * width + w * WIDE), sum[c][w]);
        }
    }
    UNROLL
    for (int c = 0; c < CHAINS - 1; c++)
        if (i + c < n) {
            vec_f64 x = splat_f64(from[i + c]);
            UNROLL
            for (int w = 0; w < W; w++)
                sum[c][w] = fma_wide(x, load_wide(move + (i + c) * width + w * WIDE), sum[c][w]);
        }
    UNROLL
    for (int w = 0; w < W; w++) out[w] = add(add(sum[0][w], sum[1][w]), add(sum[2][w], sum[3][w]));
}

/* Where a chain is: what the next step comes from. */
struct walk {
    const double *from;
    double scale; /* 1 / the sum of that row */
};

/* Step s of up to two wides, n and W known where it is compiled; returns the row's sum. */
INLINE double step_narrow(const int W, const int64_t n, int64_t s, const smr_chain *c,
                          const struct walk *at)
{
    int64_t width = W * WIDE;
    wide come[2], all = splat_wide(0), by = splat_wide(at->scale);
    double *row = c->after + s * c->order * width;
    const double *e = c->emit[s * c->order];
    gather(W, n, width, c->move, at->from, come);
    UNROLL
    for (int w = 0; w < W; w++) {
        come[w] = times(come[w], by);
        if (c->before) store_wide(c->before + s * c->order * width + w * WIDE, come[w]);
        come[w] = times(come[w], load_wide(e + w * WIDE));
        store_wide(row + w * WIDE, come[w]);
        all = w ? add(all, come[w]) : come[w];
    }
    return fold(all);
}

INLINE void advance(const int W, int64_t s, const smr_chain *c, double sum, struct walk *at)
{
    c->sum[s * c->order] = sum;
    at->scale = 1 / sum;
    at->from = c->after + s * c->order * W * WIDE;
}

INLINE int64_t sum_narrow(const int W, const int64_t n, int64_t steps, const smr_chain *chain,
                          const double *from, double from_sum, double least)
{
    const smr_chain held = *chain, *c = &held;
    struct walk at = {from, 1 / from_sum};
    for (int64_t s = 0; s < steps; s++) {
        double sum = step_narrow(W, n, s, c, &at);
        if (!(sum > least)) return s;
        advance(W, s, c, sum, &at);
    }
    return steps;
}

INLINE int64_t both_narrow(const int W, const int64_t n, int64_t steps, const smr_chain *chain_a,
                           const smr_chain *chain_b, struct walk at_a, struct walk at_b,
                           double least)
{
    const smr_chain a = *chain_a, b = *chain_b;
    for (int64_t s = 0; s < steps; s++) {
        double sum_a = step_narrow(W, n, s, &a, &at_a), sum_b = step_narrow(W, n, s, &b, &at_b);
        if (!(sum_a > least && sum_b > least)) return s;
        advance(W, s, &a, sum_a, &at_a);
        advance(W, s, &b, sum_b, &at_b);
    }
    return steps;
}

#define NARROW(name, W, n)                                                                      \
    static __attribute__((noinline)) int64_t name(int64_t steps, const smr_chain *c,            \
                                                  const double *from, double sum, double least) \
    {                                                                                           \
        return sum_narrow(W, n, steps, c, from, sum, least);                                    \
    }
NARROW(sum_8, 1, 8)
NARROW(sum_16, 2, 16)
NARROW(sum_one, 1, c->n)
NARROW(sum_two, 2, c->n)
#undef NARROW

#define BOTH(name, W, n)                                                                           \
    static __attribute__((noinline)) int64_t name(int64_t steps, const smr_chain *a,               \
                                                  const smr_chain *b, const double *const from[2], \
                                                  const double from_sum[2], double least)          \
    {                                                                                              \
        struct walk at_a = {from[0], 1 / from_sum[0]}, at_b = {from[1], 1 / from_sum[1]};          \
        return both_narrow(W, n, steps, a, b, at_a, at_b, least);                                  \
    }
BOTH(both_4, 1, 4)
BOTH(both_8, 1, 8)
BOTH(both_16, 2, 16)
BOTH(both_one, 1, a->n)
BOTH(both_two, 2, a->n)
#undef BOTH

static int64_t sum_wide(int64_t steps, const smr_chain *c, const double *from, double from_sum,
                        double least)
{
    int64_t width = c->width;
    double scale = 1 / from_sum;
    for (int64_t s = 0; s < steps; s++) {
        wide come[2], all = splat_wide(0), by = splat_wide(scale);
        double *row = c->after + s * c->order * width;
        const double *e = c->emit[s * c->order];
        for (int64_t j = 0; j < width; j += 2 * WIDE) {
            int W = width - j > WIDE ? 2 : 1;
            if (W == 2)
                gather(2, c->n, width, c->move + j, from, come);
            else
                gather(1, c->n, width, c->move + j, from, come);
            for (int w = 0; w < W; w++) {
                int64_t at = j + w * WIDE;
                come[w] = times(come[w], by);
                if (c->before) store_wide(c->before + s * c->order * width + at, come[w]);
                come[w] = times(come[w], load_wide(e + at));
                store_wide(row + at, come[w]);
                all = at ? add(all, come[w]) : come[w];
            }
        }
        double sum = fold(all);
        if (!(sum > least)) return s;
        c->sum[s * c->order] = sum;
        scale = 1 / sum;
        from = row;
    }
    return steps;
}

int64_t TIER(chain_sum_f64)(int64_t steps, const smr_chain *c, const double *from, double from_sum,
                            double least)
{
    if (c->width > 2 * WIDE) return sum_wide(steps, c, from, from_sum, least);
    if (c->width == WIDE) return (c->n == 8 ? sum_8 : sum_one)(steps, c, from, from_sum, least);
    return (c->n == 16 ? sum_16 : sum_two)(steps, c, from, from_sum, least);
}

/* Wide rows keep the processor busy one chain at a time. */
static int64_t both_wide(int64_t steps, const smr_chain *a, const smr_chain *b,
                         const double *const from[2], const double from_sum[2], double least)
{
    int64_t made = sum_wide(steps, a, from[0], from_sum[0], least);
    return sum_wide(made, b, from[1], from_sum[1], least);
}

int64_t TIER(chain_both_f64)(int64_t steps, const smr_chain *a, const smr_chain *b,
                             const double *const from[2], const double from_sum[2], double least)
{
    int64_t n = a->n;
    if (a->width > 2 * WIDE) return both_wide(steps, a, b, from, from_sum, least);
    if (n == 4) return both_4(steps, a, b, from, from_sum, least);
    if (a->width == WIDE) return (n == 8 ? both_8 : both_one)(steps, a, b, from, from_sum, least);
    return (n == 16 ? both_16 : both_two)(steps, a, b, from, from_sum, least);
}

/* ---- maxima ----------------------------------------------------------------------------- */

INLINE void climb(const int W, const int64_t n, int64_t width, const double *move,
                  const double *from, wide *out)
{
    wide best[CHAINS][2];
    int64_t i = 0;
    UNROLL
    for (int c = 0; c < CHAINS; c++)
        for (int w = 0; w < W; w++) best[c][w] = splat_wide(-INFINITY);
    for (; i + CHAINS <= n; i += CHAINS) {
        UNROLL
        for (int c = 0; c < CHAINS; c++) {
            wide x = splat_wide(from[i + c]);
            UNROLL
            for (int w = 0; w < W; w++)
                best[c][w] =
                    larger_wide(add(x, load_wide(move + (i + c) * width + w * WIDE)), best[c][w]);
        }
    }
    for (; i < n; i++) {
        wide x = splat_wide(from[i]);
        for (int w = 0; w < W; w++)
            best[0][w] = larger_wide(add(x, load_wide(move + i * width + w * WIDE)), best[0][w]);
    }
    UNROLL
    for (int w = 0; w < W; w++)
        out[w] =
            larger_wide(larger_wide(best[0][w], best[1][w]), larger_wide(best[2][w], best[3][w]));
}

INLINE void max_narrow(const int W, const int64_t n, int64_t steps, const smr_chain *c,
                       const double *from)
{
    int64_t width = W * WIDE;
    double *after = c->after;
    const double *const *emit = c->emit;
    for (int64_t s = 0; s < steps; s++) {
        wide come[2];
        double *row = after + s * c->order * width;
        const double *e = emit[s * c->order];
        climb(W, n, width, c->move, from, come);
        UNROLL
        for (int w = 0; w < W; w++)
            store_wide(row + w * WIDE, add(come[w], load_wide(e + w * WIDE)));
        from = row;
    }
}

static __attribute__((noinline)) void max_16(int64_t steps, const smr_chain *c, const double *from)
{
    max_narrow(2, 16, steps, c, from);
}

static void max_wide(int64_t steps, const smr_chain *c, const double *from)
{
    int64_t width = c->width;
    for (int64_t s = 0; s < steps; s++) {
        wide come[2];
        double *row = c->after + s * c->order * width;
        const double *e = c->emit[s * c->order];
        for (int64_t j = 0; j < width; j += 2 * WIDE) {
            int W = width - j > WIDE ? 2 : 1;
            if (W == 2)
                climb(2, c->n, width, c->move + j, from, come);
            else
                climb(1, c->n, width, c->move + j, from, come);
            for (int w = 0; w < W; w++)
                store_wide(row + j + w * WIDE, add(come[w], load_wide(e + j + w * WIDE)));
        }
        from = row;
    }
}

void TIER(chain_max_f64)(int64_t steps, const smr_chain *c, const double *from)
{
    if (c->width == 2 * WIDE && c->n == 16)
        max_16(steps, c, from);
    else
        max_wide(steps, c, from);
}

/* ---- the way back ----------------------------------------------------------------------- */

/* Bit l is set where lane l of the wide is `top`. */
INLINE unsigned lanes_at(wide w, double top)
{
    unsigned at = 0;
#if defined(SIMD_AVX512)
    at = _mm512_cmp_pd_mask((__m512d)w.part[0], _mm512_set1_pd(top), _CMP_EQ_OQ);
#elif defined(SIMD_AVX2)
    for (int v = 0; v < PARTS; v++)
        at |= (unsigned)_mm256_movemask_pd(
                  _mm256_cmp_pd((__m256d)w.part[v], _mm256_set1_pd(top), _CMP_EQ_OQ))
              << (v * LANES_f64);
#else
    for (int l = 0; l < WIDE; l++)
        at |= (unsigned)(w.part[l / LANES_f64][l % LANES_f64] == top) << l;
#endif
    return at;
}

INLINE wide scored(const double *row, const double *score, int64_t at)
{
    return add(load_wide(row + at), load_wide(score + at));
}

INLINE int64_t first_largest(int64_t width, const double *row, const double *score)
{
    wide best = scored(row, score, 0);
    for (int64_t j = WIDE; j < width; j += WIDE) best = larger_wide(scored(row, score, j), best);
    double top = fold_largest(best);
    for (int64_t j = 0; j < width; j += WIDE) {
        unsigned at = lanes_at(scored(row, score, j), top);
        if (at) return j + __builtin_ctz(at);
    }
    return 0;
}

INLINE void trace(const int64_t width, int64_t steps, int64_t order, const double *table,
                  const double *score, int64_t state, int32_t *path)
{
    for (int64_t s = 0; s < steps; s++) {
        state = first_largest(width, table + s * order * width, score + state * width);
        path[s * order] = (int32_t)state;
    }
}

static __attribute__((noinline)) void trace_16(int64_t steps, int64_t order, const double *table,
                                               const double *score, int64_t state, int32_t *path)
{
    trace(2 * WIDE, steps, order, table, score, state, path);
}

void TIER(chain_trace_f64)(int64_t steps, int64_t width, int64_t order, const double *table,
                           const double *score, int64_t state, int32_t *path)
{
    if (width == 2 * WIDE)
        trace_16(steps, order, table, score, state, path);
    else
        trace(width, steps, order, table, score, state, path);
}

/* ---- both directions -------------------------------------------------------------------- */

int64_t TIER(chain_meet_f64)(int64_t n, int64_t width, double weight, double least,
                             const double *next, double *a, const double *b, double *p)
{
    for (int64_t r = 0; r < n; r++, a += width, b += width, p += width) {
        wide all = times(load_wide(a), load_wide(b));
        for (int64_t j = WIDE; j < width; j += WIDE)
            all = add(all, times(load_wide(a + j), load_wide(b + j)));
        double z = fold(all);
        if (!(z > least)) return r;
        wide by = splat_wide(weight / z), on = splat_wide(weight / z / next[r]);
        for (int64_t j = 0; j < width; j += WIDE) {
            wide x = load_wide(a + j);
            store_wide(p + j, times(times(x, load_wide(b + j)), by));
            store_wide(a + j, times(x, on));
        }
    }
    return n;
}

/* ---- densities -------------------------------------------------------------------------- */

enum { ROOM = 32 }; /* columns at a time: their sums stay in registers */

void TIER(gauss_plain_f64)(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                           const double *scale, double c, double *out)
{
    for (int64_t r = 0; r < n; r += ROOM) {
        double sum[ROOM] = {0};
        int64_t most = n - r < ROOM ? n - r : ROOM;
        for (int64_t k = 0; k < d; k++) {
            const double *x = X + k * ld + r;
            double m = mean[k], s = scale[k];
            for (int64_t i = 0; i < most; i++) {
                double z = (x[i] - m) * s;
                sum[i] = sum[i] + z * z;
            }
        }
        for (int64_t i = 0; i < most; i++) out[r + i] = c - 0.5 * sum[i];
    }
}

void TIER(gauss_full_f64)(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                          const double *scale, double c, double *out)
{
    for (int64_t r = 0; r < n; r += ROOM) {
        double sum[ROOM] = {0};
        int64_t most = n - r < ROOM ? n - r : ROOM;
        for (int64_t k = 0; k < d; k++) {
            double z[ROOM] = {0};
            for (int64_t l = 0; l <= k; l++) {
                const double *x = X + l * ld + r;
                double m = mean[l], s = scale[k * d + l];
                for (int64_t i = 0; i < most; i++) z[i] = z[i] + (x[i] - m) * s;
            }
            for (int64_t i = 0; i < most; i++) sum[i] = sum[i] + z[i] * z[i];
        }
        for (int64_t i = 0; i < most; i++) out[r + i] = c - 0.5 * sum[i];
    }
}
