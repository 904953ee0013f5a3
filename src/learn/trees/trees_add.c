/* trees_add.c -- a grown tree becomes part of a model's arrays.
 *
 * One breadth-first pass numbers the nodes that the root reaches, one writes them: splits, the
 * words of sets after those of earlier nodes, and the values of leaves, each in the order of the
 * nodes, which is what smr_trees_prepare relies on.  A single tree has arrays of its size; then
 * they grow by halves, so that adding many trees costs time proportional to their nodes, and
 * smr_trees_prepare cuts them to size. */
#include "core/ctx.h"
#include "core/mem.h"
#include "core/try.h"
#include "learn/trees/trees.h"

#include <float.h>
#include <string.h>

/* What the tree adds. */
struct counts {
    int64_t nodes, leaves, words, last_feature;
};

/* What `split` has bits for. */
enum { FEATURE_MAX = INT32_MAX >> 4 };

static int64_t children_of(const smr_sprout *s)
{
    return s->kind == SMR_SPLIT_LEAF ? 0 : s->kind == SMR_SPLIT_WAYS ? (int64_t)s->n_children : 2;
}

/* order: the nodes that node 0 reaches, breadth-first; a growing queue of its own. */
static void number_nodes(const smr_sapling *s, int32_t *order, struct counts *n)
{
    *n = (struct counts){.nodes = 1};
    order[0] = 0;
    for (int64_t i = 0; i < n->nodes; i++) {
        const smr_sprout *at = &s->node[order[i]];
        int64_t k = children_of(at);
        for (int64_t c = 0; c < k; c++) order[n->nodes++] = at->child + (int32_t)c;
        n->leaves += k == 0;
        if (k) n->last_feature = SMR_MAX(n->last_feature, at->feature);
        if (at->kind == SMR_SPLIT_SET) n->words += at->n_words;
    }
}

/* *at (a pointer to a block, or NULL) has room for n elements. */
static smr_status make_room(smr_ctx *ctx, void *at, int64_t n, size_t size)
{
    void *block;
    memcpy(&block, at, sizeof block);
    if (n == 0 || (block && smr_is_within(block, (char *)block + n * (int64_t)size - 1)))
        return SMR_OK;
    block = smr_realloc(ctx, block, block ? n + n / 2 : n, size);
    if (!block) return SMR_ERR_NOMEM;
    memcpy(at, &block, sizeof block);
    return SMR_OK;
}

static smr_status make_all_room(smr_ctx *ctx, smr_trees *t, const struct counts *more)
{
    smr_status st = SMR_OK;
    int64_t nodes = t->n_nodes + more->nodes, words = t->n_words + more->words;
    if (nodes > SMR_MAX_DIM || words > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "the trees have more than %lld nodes or words of sets; grow fewer or "
                        "smaller ones",
                        (long long)SMR_MAX_DIM);
    if (more->last_feature > FEATURE_MAX)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "a tree splits by feature %lld; the last it can is %lld",
                        (long long)more->last_feature, (long long)FEATURE_MAX);
    TRY(make_room(ctx, &t->root, t->n_trees + 2, sizeof *t->root));
    TRY(make_room(ctx, &t->split, nodes, sizeof *t->split));
    TRY(make_room(ctx, &t->cut, nodes, sizeof *t->cut));
    TRY(make_room(ctx, &t->cover, nodes, sizeof *t->cover));
    TRY(make_room(ctx, &t->value, (t->n_leaves + more->leaves) * t->width, sizeof *t->value));
    TRY(make_room(ctx, &t->words, words, sizeof *t->words));
out:
    return st;
}

/* Node `at` of the sapling becomes the next of the arrays. */
static void put_node(smr_trees *t, const smr_sapling *s, int32_t at)
{
    const smr_sprout *sprout = &s->node[at];
    int64_t i = t->n_nodes++;
    int32_t feature = sprout->kind == SMR_SPLIT_LEAF ? 0 : sprout->feature;
    bool missing_first = sprout->kind != SMR_SPLIT_LEAF && sprout->missing_first;
    t->split[i] =
        (int32_t)((uint32_t)feature << 4 | (uint32_t)missing_first << 3 | (uint32_t)sprout->kind);
    t->cover[i] = (float)sprout->cover;
    switch (sprout->kind) {
    case SMR_SPLIT_LEAF:
        t->cut[i] = 0;
        memcpy(t->value + t->n_leaves++ * t->width, s->value + at * s->width,
               (size_t)t->width * sizeof *t->value);
        break;
    case SMR_SPLIT_CUT: t->cut[i] = sprout->cut; break;
    case SMR_SPLIT_SET:
        t->cut[i] = (double)t->n_words;
        memcpy(t->words + t->n_words, s->words + sprout->set,
               (size_t)sprout->n_words * sizeof *t->words);
        t->n_words += sprout->n_words;
        break;
    default: t->cut[i] = (double)sprout->n_children;
    }
}

smr_status smr_trees_add(smr_ctx *ctx, smr_trees *trees, const smr_sapling *sapling, double *gain)
{
    smr_status st = SMR_OK;
    int32_t *order = NULL;
    struct counts n;

    if (!(sapling->node[0].cover <= FLT_MAX)) /* all others are smaller */
        TRY(smr_fail(
            ctx, SMR_ERR_NUMERIC,
            "the weights of the rows sum to more than %g, which a tree cannot keep: divide "
            "them",
            (double)FLT_MAX));
    TRY_NEW(order, sapling->n);
    number_nodes(sapling, order, &n);
    TRY(make_all_room(ctx, trees, &n));
    trees->root[trees->n_trees] = trees->n_nodes;
    for (int64_t i = 0; i < n.nodes; i++) {
        const smr_sprout *at = &sapling->node[order[i]];
        put_node(trees, sapling, order[i]);
        if (gain && at->kind != SMR_SPLIT_LEAF) gain[at->feature] += at->gain;
    }
    trees->root[++trees->n_trees] = trees->n_nodes;
    trees->n_starts = trees->n_trees + 1;
out:
    smr_free(order);
    return st;
}

smr_status smr_sapling_leaves(smr_ctx *ctx, const smr_sapling *sapling, int32_t *leaf)
{
    smr_status st = SMR_OK;
    int32_t *order = NULL, next = 0;
    struct counts n;
    order = smr_alloc_raw(ctx, sapling->n, sizeof *order);
    if (!order) return SMR_ERR_NOMEM;
    number_nodes(sapling, order, &n);
    for (int64_t i = 0; i < sapling->n; i++) leaf[i] = -1;
    for (int64_t i = 0; i < n.nodes; i++)
        if (sapling->node[order[i]].kind == SMR_SPLIT_LEAF) leaf[order[i]] = next++;
    smr_free(order);
    return st;
}

smr_status smr_trees_append(smr_ctx *ctx, smr_trees *t, const smr_trees *more)
{
    smr_status st = SMR_OK;
    struct counts n = {.nodes = more->n_nodes, .leaves = more->n_leaves, .words = more->n_words};
    TRY(make_all_room(ctx, t, &n));
    TRY(make_room(ctx, &t->root, t->n_trees + more->n_trees + 1, sizeof *t->root));
    memcpy(t->split + t->n_nodes, more->split, (size_t)n.nodes * sizeof *t->split);
    memcpy(t->cover + t->n_nodes, more->cover, (size_t)n.nodes * sizeof *t->cover);
    for (int64_t i = 0; i < n.nodes; i++) { /* the words of sets come after those before */
        bool is_set = (more->split[i] & 7) == SMR_SPLIT_SET;
        t->cut[t->n_nodes + i] = more->cut[i] + (is_set ? (double)t->n_words : 0);
    }
    memcpy(t->value + t->n_leaves * t->width, more->value,
           (size_t)(n.leaves * t->width) * sizeof *t->value);
    if (n.words) memcpy(t->words + t->n_words, more->words, (size_t)n.words * sizeof *t->words);
    for (int64_t k = 0; k <= more->n_trees; k++)
        t->root[t->n_trees + k] = t->n_nodes + more->root[k];
    t->n_trees += more->n_trees;
    t->n_starts = t->n_trees + 1;
    t->n_nodes += n.nodes;
    t->n_leaves += n.leaves;
    t->n_words += n.words;
out:
    return st;
}
