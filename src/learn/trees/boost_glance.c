/* boost_glance.c -- can a sparse column have a better split than the best one known?
 *
 * For a cut, S is the child without the rows of the bin of 0.  With the node's sums G, H the split
 * gains
 *
 *     1/2 (Gs^2 / (Hs + l2) + (G - Gs)^2 / (H - Hs + l2)) - J(node)
 *
 * (boost_split.c) where only l2 plays a part.  As long as the cells of a column stay what
 * they are, so do Gs and Hs of all its cuts, whatever happens to the rest of the node; so the
 * largest first term, the range of Gs and the largest Hs bound what it can gain in this node and in
 * those that result from it by losing rows of other columns.  Most columns of a text are passed
 * over by these four numbers, without a look at their cells.  All limits are a little wider than
 * those of boost_split.c, which has the last word. */
#include "learn/trees/boost.h"

#include <math.h>

smr_boost_glance smr_boost_glance_at(const smr_boost_judge *j)
{
    smr_boost_glance g = {.judge = j};
    int64_t least_w;
    g.G = (double)j->all.g * j->of->g_unit;
    g.H = (double)j->all.h * j->of->h_unit;
    g.is_plain = j->l1 == 0 && isinf(j->low) && isinf(j->high) && g.H + j->l2 > 0;
    g.before = g.is_plain ? 0.5 * g.G * g.G / (g.H + j->l2) : 0;
    g.least = smr_fmax(j->min_gain, 1e-12 * fabs(g.before));
    smr_boost_least(j, &g.least_h, &least_w);
    return g;
}

/* A gain that is worth a close look. */
static double bar_of(const smr_boost_glance *g, const smr_boost_split *best)
{
    return smr_fmax(g->least, best->gain * (1 - 1e-6) - 1e-8 * g->before) * (1 - 1e-9) -
           1e-9 * g->before;
}

bool smr_boost_may_reach(const smr_boost_glance *g, const smr_boost_reach *r,
                         const smr_boost_split *best)
{
    double l2 = g->judge->l2, rest = g->H - r->most + l2;
    if (!g->is_plain || !(rest > 0)) return true;
    double G = smr_fmax(fabs(g->G - r->low), fabs(g->G - r->high));
    return 0.5 * (r->best + G * G / rest) - g->before > bar_of(g, best);
}

/* The sums of S for each cut on one side of 0: as many as leave it enough. */
struct sums {
    int64_t n;
    double G[256], H[256];
};

/* Bits of a word that stand for numbers in [lo, hi), from the word's first on. */
static uint64_t bits_in(uint64_t word, int64_t first, int64_t lo, int64_t hi)
{
    int64_t from = SMR_MAX(0, lo - first), to = SMR_MIN(64, hi - first);
    if (from >= to) return 0;
    return word & (~UINT64_C(0) << from) & (~UINT64_C(0) >> (64 - to));
}

struct tally {
    int64_t g, h;
};

static inline void take_in(const smr_boost_glance *glance, const int64_t *cell, struct tally *t,
                           struct sums *s)
{
    const smr_boost_gradients *of = glance->judge->of;
    t->g += cell[0];
    t->h += cell[1];
    s->G[s->n] = (double)t->g * of->g_unit;
    s->H[s->n] = (double)t->h * of->h_unit;
    s->n += t->h >= glance->least_h;
}

/* From the lowest cell up to that of 0, and from the highest down to it. */
static void sum_sides(const smr_boost_glance *glance, const int64_t *cell, const uint64_t used[4],
                      int fields, int64_t below, int64_t n, struct sums *s)
{
    struct tally t = {0, 0};
    s->n = 0;
    for (int w = 0; w < 4 && below > 0; w++)
        for (uint64_t bits = bits_in(used[w], 64 * w, 0, below); bits; bits &= bits - 1)
            take_in(glance, cell + (64 * w + __builtin_ctzll(bits)) * fields, &t, s);
    t = (struct tally){0, 0};
    for (int w = 3; w >= 0; w--) {
        uint64_t bits = bits_in(used[w], 64 * w, below, n);
        while (bits) {
            int k = 63 - __builtin_clzll(bits);
            take_in(glance, cell + (64 * w + k) * fields, &t, s);
            bits ^= UINT64_C(1) << k;
        }
    }
}

bool smr_boost_look_over(const smr_boost_glance *g, const smr_boost_feature *f, const int64_t *cell,
                         const uint64_t used[4], int fields, const smr_boost_split *best,
                         smr_boost_reach *r)
{
    struct sums s;
    double l2 = g->judge->l2, low = 0, high = 0, most = 0, one = 0, both = 0;
    *r = (smr_boost_reach){.most = INFINITY};
    if (!g->is_plain || f->has_missing || f->is_category) return true;
    sum_sides(g, cell, used, fields, f->common, f->n_bins - 1, &s);
    for (int64_t i = 0; i < s.n; i++) {
        double G = s.G[i], H = s.H[i], G2 = g->G - G;
        double a = G * G / (H + l2), b = a + G2 * G2 / (g->H - H + l2);
        low = G < low ? G : low;
        high = G > high ? G : high;
        most = H > most ? H : most;
        one = a > one ? a : one;
        both = b > both ? b : both;
    }
    *r = (smr_boost_reach){.low = low, .high = high, .most = most, .best = one * (1 + 1e-12)};
    return both > 2 * (g->before + bar_of(g, best));
}
