/* subsequence.c -- eight pairs of strings at once: sums over common subsequences (kernel/alike.h).
 *
 * With m = [outer_a = inner_b] and levels i = 1 .. length - 1,
 *
 *     C_i(a, b) = decay C_i(a, b-1) + m P_{i-1}(a-1, b-1),    P_0 = 1                      (1)
 *     P_i(a, b) = decay P_i(a-1, b) + C_i(a, b)                                            (2)
 *     total     = sum over a, b of m P_{length-1}(a-1, b-1),  K = decay^(2 length) total   (3)
 *
 * which is the recursion of Lodhi et al. (2002) with decay^2 taken out of every match.  A lane is a
 * pair, so nothing is added across lanes; all levels of a cell are computed together, and their old
 * values P_i(a-1, b-1) stay in registers. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { WIDE = SMR_SUBSEQUENCE_LANES, LANES = LANES_f64, MOST = SMR_SUBSEQUENCE_MOST };

/* What the lanes of one vector read and write. */
struct strings {
    int64_t n_outer, n_inner;
    const double *outer, *inner; /* WIDE apart                        */
    double *level;               /* at [b][i], WIDE apart: P_i(a-1, b) */
};

INLINE vec_f64 where(bits_f64 match, vec_f64 x)
{
    return (vec_f64)(match & (bits_f64)x);
}

INLINE vec_f64 run(const int levels, double decay_, struct strings s)
{
    vec_f64 total = zero_f64(), one = splat_f64(1), decay = splat_f64(decay_);
    for (int64_t a = 0; a < s.n_outer; a++) {
        vec_f64 symbol = load_f64(s.outer + a * WIDE), chain[MOST], before[MOST];
        for (int i = 0; i < levels; i++) chain[i] = before[i] = zero_f64();
        for (int64_t b = 0; b < s.n_inner; b++) {
            double *level = s.level + b * levels * WIDE;
            bits_f64 match = (bits_f64)(load_f64(s.inner + b * WIDE) == symbol);
            total += where(match, levels ? before[levels - 1] : one);
            UNROLL
            for (int i = levels - 1; i >= 0; i--)
                chain[i] = fma_f64(decay, chain[i], where(match, i ? before[i - 1] : one));
            UNROLL
            for (int i = 0; i < levels; i++) {
                before[i] = load_f64(level + i * WIDE);
                store_f64(level + i * WIDE, fma_f64(decay, before[i], chain[i]));
            }
        }
    }
    return total;
}

#define RUN(count)                                                                       \
    static __attribute__((noinline)) vec_f64 run_##count(double decay, struct strings s) \
    {                                                                                    \
        return run(count, decay, s);                                                     \
    }
RUN(0)
RUN(1)
RUN(2)
RUN(3)
RUN(4)
RUN(5)
RUN(6)
#undef RUN

static __attribute__((noinline)) vec_f64 run_any(int levels, double decay_, struct strings s)
{
    vec_f64 total = zero_f64(), one = splat_f64(1), decay = splat_f64(decay_);
    for (int64_t a = 0; a < s.n_outer; a++) {
        vec_f64 symbol = load_f64(s.outer + a * WIDE), chain[MOST], before[MOST];
        for (int i = 0; i < levels; i++) chain[i] = before[i] = zero_f64();
        for (int64_t b = 0; b < s.n_inner; b++) {
            double *level = s.level + b * levels * WIDE;
            bits_f64 match = (bits_f64)(load_f64(s.inner + b * WIDE) == symbol);
            total += where(match, before[levels - 1]);
            for (int i = levels - 1; i >= 0; i--)
                chain[i] = fma_f64(decay, chain[i], where(match, i ? before[i - 1] : one));
            for (int i = 0; i < levels; i++) {
                before[i] = load_f64(level + i * WIDE);
                store_f64(level + i * WIDE, fma_f64(decay, before[i], chain[i]));
            }
        }
    }
    return total;
}

void TIER(subsequences_f64)(int64_t length, double decay, const smr_string_pairs *p, double *total)
{
    int levels = (int)length - 1;
    memset(p->work, 0, (size_t)(p->n_inner * levels * WIDE) * sizeof *p->work);
    for (int v = 0; v < WIDE; v += LANES) {
        struct strings s = {p->n_outer, p->n_inner, p->outer + v, p->inner + v, p->work + v};
        vec_f64 sum = levels == 0   ? run_0(decay, s)
                      : levels == 1 ? run_1(decay, s)
                      : levels == 2 ? run_2(decay, s)
                      : levels == 3 ? run_3(decay, s)
                      : levels == 4 ? run_4(decay, s)
                      : levels == 5 ? run_5(decay, s)
                      : levels == 6 ? run_6(decay, s)
                                    : run_any(levels, decay, s);
        store_f64(total + v, sum);
    }
}
