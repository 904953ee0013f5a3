/* trees.c -- saplings, and what is derived from the arrays of a tree model.
 *
 * Breadth-first order makes the place of the children a running count: the first child of node i is
 * the root plus one plus the number of children of the nodes before i.  smr_trees_prepare writes it
 * down for each node, together with what else a walk needs (walk.h), in one pass. */
#include "learn/trees/trees.h"

#include "core/ctx.h"
#include "core/mem.h"
#include "core/try.h"
#include "learn/trees/walk.h"

#include <math.h>

/* ---- growing ---------------------------------------------------------------------------- */

void smr_sapling_begin(smr_sapling *sapling, int64_t width)
{
    *sapling = (smr_sapling){.width = width};
}

void smr_sapling_release(smr_sapling *sapling)
{
    smr_free(sapling->node);
    smr_free(sapling->value);
    smr_free(sapling->words);
    *sapling = (smr_sapling){.width = sapling->width};
}

smr_status smr_sapling_nodes(smr_ctx *ctx, smr_sapling *s, int64_t n, int32_t *first)
{
    if (n > INT32_MAX - s->n)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a tree of %lld nodes; the most are %lld",
                        (long long)(s->n + n), (long long)INT32_MAX);
    if (s->n + n > s->room) {
        int64_t room = SMR_MAX(s->n + n, 2 * s->n);
        smr_sprout *node = smr_realloc(ctx, s->node, room, sizeof *node);
        if (!node) return SMR_ERR_NOMEM;
        s->node = node;
        double *value = smr_realloc(ctx, s->value, room * s->width, sizeof *value);
        if (!value) return SMR_ERR_NOMEM;
        s->value = value;
        s->room = room;
    }
    if (n) {
        memset(s->node + s->n, 0, (size_t)n * sizeof *s->node);
        memset(s->value + s->n * s->width, 0, (size_t)(n * s->width) * sizeof *s->value);
    }
    *first = (int32_t)s->n;
    s->n += n;
    return SMR_OK;
}

smr_status smr_sapling_words(smr_ctx *ctx, smr_sapling *s, int64_t n, int64_t *first)
{
    if (s->n_words + n > s->word_room) {
        int64_t room = SMR_MAX(s->n_words + n, 2 * s->n_words);
        uint32_t *words = smr_realloc(ctx, s->words, room, sizeof *words);
        if (!words) return SMR_ERR_NOMEM;
        s->words = words;
        s->word_room = room;
    }
    if (n) memset(s->words + s->n_words, 0, (size_t)n * sizeof *s->words);
    *first = s->n_words;
    s->n_words += n;
    return SMR_OK;
}

/* ---- preparing -------------------------------------------------------------------------- */

/* *at (a pointer to a block, or NULL): what grew by halves is cut to n elements, and what is absent
 * gets them, so that all arrays are there to be saved.  An array in a file's image has its size. */
static smr_status fit_block(smr_ctx *ctx, void *at, int64_t n, size_t size)
{
    void *block;
    memcpy(&block, at, sizeof block);
    if (block && !smr_is_within(block, (char *)block + n * (int64_t)size)) return SMR_OK;
    block = smr_realloc(ctx, block, n, size);
    if (!block) return SMR_ERR_NOMEM;
    memcpy(at, &block, sizeof block);
    return SMR_OK;
}

static smr_status fit_arrays(smr_ctx *ctx, smr_trees *t)
{
    smr_status st = SMR_OK;
    TRY(fit_block(ctx, &t->root, t->n_starts, sizeof *t->root));
    TRY(fit_block(ctx, &t->split, t->n_nodes, sizeof *t->split));
    TRY(fit_block(ctx, &t->cut, t->n_nodes, sizeof *t->cut));
    TRY(fit_block(ctx, &t->cover, t->n_nodes, sizeof *t->cover));
    TRY(fit_block(ctx, &t->value, t->n_leaves * t->width, sizeof *t->value));
    if (t->words) TRY(fit_block(ctx, &t->words, t->n_words, sizeof *t->words));
out:
    return st;
}

/* The child of largest cover, among equals the first. */
static uint32_t most_covered(const float *cover, int64_t n)
{
    int64_t best = 0;
    for (int64_t c = 1; c < n; c++)
        if (cover[c] > cover[best]) best = c;
    return (uint32_t)best;
}

/* Fills the step of a node except for the length of a set; returns the number of its children. */
static int64_t lay_step(const smr_trees *t, int64_t node, int64_t first, int64_t leaf,
                        smr_tree_step *s)
{
    s->split = (uint32_t)t->split[node];
    s->first = (int32_t)first;
    switch (smr_step_kind(s)) {
    case SMR_SPLIT_LEAF:
        s->what.leaf = SMR_TREE_LEAF_BITS | (uint64_t)leaf;
        s->first = (int32_t)node;
        break;
    case SMR_SPLIT_CUT: s->what.cut = t->cut[node]; break;
    case SMR_SPLIT_SET: s->what.set.at = (uint32_t)t->cut[node]; break;
    default:
        s->what.ways.n = (uint32_t)t->cut[node];
        s->what.ways.other =
            smr_step_missing_first(s) ? 0 : most_covered(t->cover + first, (int64_t)s->what.ways.n);
    }
    return smr_step_children(s);
}

/* Sets are in the order of their nodes, so each ends where the next begins. */
static void end_sets(smr_trees *t)
{
    int64_t end = t->n_words;
    for (int64_t i = t->n_nodes; i-- > 0;) {
        smr_tree_step *s = &t->walk->step[i];
        if (smr_step_kind(s) != SMR_SPLIT_SET) continue;
        s->what.set.n = (uint32_t)(end - s->what.set.at);
        end = s->what.set.at;
    }
}

/* Lays tree t; depth: one number for each of its nodes. */
static void lay_tree(smr_trees *t, int64_t tree, int64_t *leaf, int32_t *depth)
{
    struct smr_tree_walk *w = t->walk;
    int64_t lo = t->root[tree], hi = t->root[tree + 1], next = lo + 1;
    w->sure[tree] = INT32_MAX;
    depth[0] = 0;
    if (w->parent) w->parent[lo] = -1;
    for (int64_t i = lo; i < hi; i++) {
        int64_t k = lay_step(t, i, next, *leaf, &w->step[i]);
        int kind = smr_step_kind(&w->step[i]);
        w->only_cuts = w->only_cuts && (kind == SMR_SPLIT_LEAF || kind == SMR_SPLIT_CUT);
        if (kind == SMR_SPLIT_CUT && w->step[i].what.cut == INFINITY) w->cuts_are_below_inf = false;
        for (int64_t c = next; c < next + k; c++) {
            depth[c - lo] = depth[i - lo] + 1;
            if (w->parent) w->parent[c] = (int32_t)i;
        }
        next += k;
        if (kind != SMR_SPLIT_LEAF) continue;
        ++*leaf;
        w->sure[tree] = SMR_MIN(w->sure[tree], depth[i - lo]);
        w->deep[tree] = depth[i - lo];
    }
}

/* The features that splits ask for.  A table of all features would be as large as a file says that
 * its rows are wide. */
static smr_status list_used(smr_ctx *ctx, smr_trees *t)
{
    smr_status st = SMR_OK;
    struct smr_tree_walk *w = t->walk;
    int32_t *place = NULL;
    TRY_NEW(place, t->n_nodes + 1);
    TRY(smr_steps_features(ctx, w->step, t->n_nodes, place, &w->n_used));
    TRY_NEW(w->used, SMR_MAX(1, w->n_used));
    for (int64_t i = 0; i < t->n_nodes; i++)
        if (place[i] >= 0) w->used[place[i]] = smr_step_feature(&w->step[i]);
out:
    smr_free(place);
    return st;
}

/* The covers of the children of each node that has many. */
static smr_status add_covers(smr_ctx *ctx, smr_trees *t)
{
    smr_status st = SMR_OK;
    struct smr_tree_walk *w = t->walk;
    int64_t many = 0;
    for (int64_t i = 0; i < t->n_nodes; i++) many += smr_step_children(&w->step[i]) > 2;
    if (!many) return SMR_OK;
    TRY_NEW(w->total, t->n_nodes);
    for (int64_t i = 0; i < t->n_nodes; i++)
        for (int64_t c = 0; c < smr_step_children(&w->step[i]); c++)
            w->total[i] += (double)t->cover[w->step[i].first + c];
out:
    return st;
}

smr_status smr_trees_prepare(smr_ctx *ctx, smr_trees *trees)
{
    smr_status st = SMR_OK;
    struct smr_tree_walk *w = NULL;
    int32_t *depth = NULL;
    int64_t leaf = 0, most = 1;

    smr_trees_release(trees);
    TRY(fit_arrays(ctx, trees));
    TRY_NEW(w, 1);
    trees->walk = w;
    w->only_cuts = w->cuts_are_below_inf = true;
    TRY_NEW(w->step, trees->n_nodes);
    TRY_NEW(w->sure, trees->n_trees);
    TRY_NEW(w->deep, trees->n_trees);
    if (trees->is_shared) TRY_NEW(w->parent, trees->n_nodes);
    for (int64_t t = 0; t < trees->n_trees; t++)
        most = SMR_MAX(most, trees->root[t + 1] - trees->root[t]);
    TRY_NEW(depth, most);
    for (int64_t t = 0; t < trees->n_trees; t++) {
        TRY(smr_tick(ctx, NULL, t, trees->n_trees, NAN));
        lay_tree(trees, t, &leaf, depth);
    }
    end_sets(trees);
    TRY(list_used(ctx, trees));
    TRY(add_covers(ctx, trees));

out:
    smr_free(depth);
    if (st != SMR_OK) smr_trees_release(trees);
    return st;
}

void smr_trees_release(smr_trees *trees)
{
    struct smr_tree_walk *w = trees->walk;
    if (!w) return;
    smr_free(w->step);
    smr_free(w->parent);
    smr_free(w->total);
    smr_free(w->sure);
    smr_free(w->deep);
    smr_free(w->used);
    smr_free(w);
    trees->walk = NULL;
}

smr_status smr_trees_prepare_state(smr_ctx *ctx, const void *params, void *state)
{
    (void)params;
    return smr_trees_prepare(ctx, state);
}

void smr_trees_release_state(void *state)
{
    smr_trees_release(state);
}

void smr_trees_free(smr_trees *trees)
{
    smr_trees_release(trees);
    smr_free(trees->root);
    smr_free(trees->split);
    smr_free(trees->cut);
    smr_free(trees->cover);
    smr_free(trees->value);
    smr_free(trees->words);
    *trees = (smr_trees){0};
}

/* ---- looking at them -------------------------------------------------------------------- */

smr_tree_node smr_trees_node(const smr_trees *trees, int64_t node)
{
    const smr_tree_step *s = &trees->walk->step[node];
    smr_tree_node n = {.kind = (enum smr_split_kind)smr_step_kind(s),
                       .feature = smr_step_feature(s),
                       .missing_first = smr_step_missing_first(s),
                       .child = s->first,
                       .n_children = smr_step_children(s),
                       .leaf = -1,
                       .cover = (double)trees->cover[node]};
    switch (n.kind) {
    case SMR_SPLIT_LEAF:
        n.leaf = smr_step_leaf(s);
        n.child = -1;
        n.feature = -1;
        break;
    case SMR_SPLIT_CUT: n.cut = s->what.cut; break;
    case SMR_SPLIT_SET:
        n.words = trees->words + s->what.set.at;
        n.n_words = s->what.set.n;
        break;
    case SMR_SPLIT_WAYS: break;
    }
    return n;
}

double smr_trees_share(const smr_trees *trees, const smr_tree_step *s, int64_t child)
{
    int64_t n = smr_step_children(s);
    const float *cover = trees->cover + s->first;
    double sum = 0;
    if (trees->walk->total && n > 2)
        sum = trees->walk->total[s - trees->walk->step];
    else
        for (int64_t c = 0; c < n; c++) sum += (double)cover[c];
    return sum > 0 ? (double)cover[child] / sum : 1 / (double)n;
}

smr_status smr_trees_values(smr_ctx *ctx, const smr_trees *trees, int64_t tree, double **value)
{
    smr_status st = SMR_OK;
    int64_t lo = trees->root[tree], n = trees->root[tree + 1] - lo, width = trees->width;
    double *v = NULL;

    *value = NULL;
    TRY_NEW(v, n * width);
    for (int64_t i = n; i-- > 0;) { /* children come after their parents */
        const smr_tree_step *s = &trees->walk->step[lo + i];
        double *at = v + i * width;
        int64_t k = smr_step_children(s);
        if (k == 0) memcpy(at, trees->value + smr_step_leaf(s) * width, (size_t)width * sizeof *at);
        for (int64_t c = 0; c < k; c++) {
            double share = smr_trees_share(trees, s, c);
            const double *below = v + (s->first - lo + c) * width;
            for (int64_t j = 0; j < width; j++) at[j] += share * below[j];
        }
    }
    *value = v;
out:
    return st;
}
