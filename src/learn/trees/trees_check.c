/* trees_check.c -- is a model file's tree safe to walk through?
 *
 * In each tree: every node is a child of one before it, so a walk ends; the children of all nodes
 * end with the tree.  In each node: a kind and a feature that exist, a threshold that is a number,
 * words and children that exist.  Trees through which rows go all ways are not too deep.  Sets of
 * codes fill `words` in the order of their nodes. */
#include "core/ctx.h"
#include "core/try.h"
#include "learn/trees/trees.h"

#include <math.h>

/* What the trees so far have used. */
struct used {
    int64_t leaves, words;
};

static smr_status damaged(smr_ctx *ctx, const char *name, const char *what, int64_t at)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: %s: %s %lld", name, what,
                    (long long)at);
}

static bool is_whole(double x, double lo, double hi)
{
    return x >= lo && x <= hi && floor(x) == x;
}

/* Children of node i, which begin at `next` and must end at `end`; -1: it cannot be. */
static int64_t children_of(const smr_trees *t, int64_t i, int64_t next, int64_t end,
                           struct used *used)
{
    double cut = t->cut[i];
    switch (t->split[i] & 7) {
    case SMR_SPLIT_LEAF: return used->leaves++ < t->n_leaves && t->split[i] == 0 ? 0 : -1;
    case SMR_SPLIT_CUT: return isnan(cut) || end - next < 2 ? -1 : 2;
    case SMR_SPLIT_SET:
        /* The first set begins with the words, and none is empty. */
        if (!t->words || end - next < 2 || !is_whole(cut, 0, (double)t->n_words - 1)) return -1;
        if (used->words < 0 ? cut != 0 : cut <= (double)used->words) return -1;
        used->words = (int64_t)cut;
        return 2;
    case SMR_SPLIT_WAYS: return is_whole(cut, 1, (double)(end - next)) ? (int64_t)cut : -1;
    default: return -1;
    }
}

static bool feature_fits(int32_t split, const smr_shape *shape)
{
    int kind = split & 7;
    if (kind == SMR_SPLIT_LEAF) return true;
    if (split < 0 || split >> 4 >= shape->n_features) return false;
    return kind == SMR_SPLIT_CUT || !shape->features ||
           shape->features[split >> 4].kind == SMR_CATEGORY;
}

static smr_status check_tree(smr_ctx *ctx, const char *name, const smr_trees *t, int64_t tree,
                             const smr_shape *shape, struct used *used)
{
    int64_t lo = t->root[tree], hi = t->root[tree + 1], next = lo + 1, depth = 0, level_end = next;
    if (hi <= lo || hi > t->n_nodes)
        return damaged(ctx, name, "there is no valid end of tree", tree);
    for (int64_t i = lo; i < hi; i++) {
        if (i >= next) return damaged(ctx, name, "no way leads to node", i);
        if (i == level_end) { /* the levels lie one after another */
            level_end = next;
            if (++depth > SMR_TREE_SHARED_DEPTH && t->is_shared)
                return damaged(ctx, name, "rows that go all ways go too deep in tree", tree);
        }
        if (!feature_fits(t->split[i], shape))
            return damaged(ctx, name, "the feature does not fit the data at node", i);
        int64_t k = children_of(t, i, next, hi, used);
        if (k < 0) return damaged(ctx, name, "the split is impossible at node", i);
        if (!(t->cover[i] >= 0 && isfinite(t->cover[i])))
            return damaged(ctx, name, "the cover is not a finite number from 0 up at node", i);
        next += k;
    }
    return SMR_OK;
}

smr_status smr_trees_check(smr_ctx *ctx, const char *name, const smr_trees *t,
                           const smr_shape *shape)
{
    smr_status st = SMR_OK;
    struct used used = {.words = -1};
    bool none = t->n_trees == 0 && t->n_nodes == 0 && t->n_starts == 0;

    if (!none && (t->n_starts != t->n_trees + 1 || t->root[0] != 0))
        return damaged(ctx, name, "the starts of the trees do not fit their number,", t->n_trees);
    if (t->width < 1 || (t->width != t->n_scores && !(t->width == 1 && t->n_scores > 1)))
        return damaged(ctx, name, "the leaves have a wrong number of values,", t->width);
    for (int64_t k = 0; k < t->n_trees; k++) {
        TRY(smr_tick(ctx, NULL, k, t->n_trees, NAN));
        TRY(check_tree(ctx, name, t, k, shape, &used));
    }
    if (!none && t->root[t->n_trees] != t->n_nodes)
        return damaged(ctx, name, "nodes are left over after tree", t->n_trees - 1);
    if (used.leaves != t->n_leaves)
        return damaged(ctx, name, "the number of leaves is not", t->n_leaves);
    if (used.words < 0 && t->n_words != 0)
        return damaged(ctx, name, "no split needs the words; their number is", t->n_words);
out:
    return st;
}
