/* trees_random.h -- random trees, rows for them, and a plain recursive walk through a sapling. */
#ifndef SMR_TESTS_TREES_RANDOM_H
#define SMR_TESTS_TREES_RANDOM_H

#include "check.h"

#include "core/ctx.h"
#include "core/mem.h"
#include "core/rng.h"
#include "learn/trees/trees.h"

enum { D = 7, N_LEVELS = 37 };

/* Features 0 .. 3 are numbers, 4 and 5 categories of 37 levels, 6 one of 5. */
static const smr_feature features[D] = {
    {.kind = SMR_NUMBER},
    {.kind = SMR_NUMBER},
    {.kind = SMR_NUMBER},
    {.kind = SMR_NUMBER},
    {.kind = SMR_CATEGORY, .n_levels = N_LEVELS},
    {.kind = SMR_CATEGORY, .n_levels = N_LEVELS},
    {.kind = SMR_CATEGORY, .n_levels = 5},
};
static const smr_shape shape = {.n_features = D, .features = features};

static uint64_t draws;
static bool only_cuts; /* of the trees that are grown */

static inline double unit(void)
{
    return smr_random_unit(11, SMR_STREAM_TEST, 1, draws++);
}

static inline int64_t below(int64_t n)
{
    return smr_random_below(11, SMR_STREAM_TEST, 2, draws++, n);
}

/* ---- random trees ------------------------------------------------------------------------ */

static inline void make_split(smr_ctx *ctx, smr_sapling *s, int32_t at)
{
    int32_t child, k = 2;
    smr_sprout split = {.kind = SMR_SPLIT_CUT, .missing_first = below(2), .gain = unit()};
    int64_t die = only_cuts ? 0 : below(5);
    if (die < 3) {
        split.feature = (int32_t)below(4);
        split.cut = 2 * unit() - 1;
        if (below(40) == 0) split.cut = INFINITY; /* all but the missing go to the first */
    } else if (die == 3) {
        split.kind = SMR_SPLIT_SET;
        split.feature = (int32_t)(4 + below(3));
        split.n_words = split.feature == 6 ? 1 : 2;
        check_ok(ctx, smr_sapling_words(ctx, s, split.n_words, &split.set));
        for (int64_t w = 0; w < split.n_words; w++)
            s->words[split.set + w] = (uint32_t)(unit() * 4294967296.0);
    } else {
        split.kind = SMR_SPLIT_WAYS;
        split.feature = 6;
        split.n_children = k = (int32_t)(1 + below(5));
    }
    check_ok(ctx, smr_sapling_nodes(ctx, s, k, &child));
    split.child = child;
    split.cover = s->node[at].cover;
    s->node[at] = split;
    for (int32_t c = 0; c < k; c++) s->node[child + c].cover = floor(split.cover * unit());
}

/* A tree whose nodes are split in random order, with some that the root does not reach. */
static inline void grow(smr_ctx *ctx, smr_sapling *s, int64_t width, int64_t n_splits)
{
    int32_t root, orphan;
    smr_sapling_begin(s, width);
    check_ok(ctx, smr_sapling_nodes(ctx, s, 1, &root));
    assert_int_equal(root, 0);
    s->node[0].cover = 1000;
    for (int64_t i = 0; i < n_splits; i++) {
        int32_t at = (int32_t)below(s->n);
        if (s->node[at].kind == SMR_SPLIT_LEAF) make_split(ctx, s, at);
        if (i == n_splits / 2) check_ok(ctx, smr_sapling_nodes(ctx, s, 3, &orphan));
    }
    for (int64_t i = 0; i < s->n * width; i++) s->value[i] = unit() - 0.4;
}

static inline void grow_trees(smr_ctx *ctx, smr_trees *trees, smr_sapling *saplings, int64_t n)
{
    for (int64_t t = 0; t < n; t++) {
        grow(ctx, &saplings[t], trees->width, t == 0 ? 0 : 3 + 5 * t);
        check_ok(ctx, smr_trees_add(ctx, trees, &saplings[t], NULL));
    }
    check_ok(ctx, smr_trees_check(ctx, "tree", trees, &shape));
    check_ok(ctx, smr_trees_prepare(ctx, trees));
}

static inline void release(smr_trees *t)
{
    smr_trees_release(t);
    smr_free(t->root);
    smr_free(t->split);
    smr_free(t->cut);
    smr_free(t->cover);
    smr_free(t->value);
    smr_free(t->words);
    *t = (smr_trees){0};
}

/* Row of numbers in [-1, 1) and codes, some of them missing, some of no level. */
static inline void make_row(double *x, double missing)
{
    for (int64_t j = 0; j < 4; j++) x[j] = 2 * unit() - 1;
    for (int64_t j = 4; j < 6; j++) x[j] = (double)below(N_LEVELS);
    x[6] = (double)below(7); /* 5 and 6 are unknown to WAYS */
    for (int64_t j = 0; j < D; j++)
        if (unit() < missing) x[j] = NAN;
}

/* ---- the plain walk ---------------------------------------------------------------------- */

static inline int64_t n_children(const smr_sprout *s)
{
    return s->kind == SMR_SPLIT_LEAF ? 0 : s->kind == SMR_SPLIT_WAYS ? s->n_children : 2;
}

/* -1: missing, or unknown here. */
static inline int64_t way(const smr_sapling *s, const smr_sprout *at, double x)
{
    if (isnan(x)) return -1;
    if (at->kind == SMR_SPLIT_CUT) return x <= at->cut ? 0 : 1;
    if (at->kind == SMR_SPLIT_WAYS) return x < at->n_children ? (int64_t)x : -1;
    if ((int64_t)x / 32 >= at->n_words) return -1;
    return (s->words[at->set + (int64_t)x / 32] >> ((int64_t)x % 32) & 1) ? 0 : 1;
}

static inline int64_t missing_way(const smr_sapling *s, const smr_sprout *at)
{
    int64_t best = 0;
    if (at->missing_first) return 0;
    if (at->kind != SMR_SPLIT_WAYS) return 1;
    for (int64_t c = 1; c < at->n_children; c++)
        if ((float)s->node[at->child + c].cover > (float)s->node[at->child + best].cover) best = c;
    return best;
}

/* out[width] += weight x what the tree says of x. */
static inline void answer(const smr_sapling *s, int64_t node, const double *x, bool is_shared,
                          double weight, double *out)
{
    const smr_sprout *at = &s->node[node];
    int64_t k = n_children(at);
    if (k == 0) {
        for (int64_t j = 0; j < s->width; j++) out[j] += weight * s->value[node * s->width + j];
        return;
    }
    int64_t c = way(s, at, x[at->feature]);
    if (c < 0 && !is_shared) c = missing_way(s, at);
    if (c >= 0) {
        answer(s, at->child + c, x, is_shared, weight, out);
        return;
    }
    double sum = 0;
    for (c = 0; c < k; c++) sum += s->node[at->child + c].cover;
    for (c = 0; c < k; c++) {
        double share = sum > 0 ? s->node[at->child + c].cover / sum : 1 / (double)k;
        answer(s, at->child + c, x, is_shared, weight * share, out);
    }
}

#endif
