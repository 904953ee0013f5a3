/* walk.h -- trees as predicting walks through them: 16 bytes per node, with the children's place.
 *
 *     kind   what            first
 *     LEAF   a NaN, leaf     itself         x > NaN is false: a row that is at a leaf stays there,
 *                                           so several rows can go on until the last has arrived
 *     CUT    cut             of 2 children
 *     SET    at, n           of 2 children  words [at, at + n) of smr_trees.words
 *     WAYS   n, other        of n children  other: where rows whose code is none of the n go
 *
 * `split` is that of the file.  Numbers of nodes and leaves count through all trees. */
#ifndef SMR_LEARN_TREES_WALK_H
#define SMR_LEARN_TREES_WALK_H

#include "learn/trees/trees.h"

#include <string.h>

typedef struct smr_tree_step {
    union {
        double cut;
        uint64_t leaf;
        struct {
            uint32_t at, n;
        } set;
        struct {
            uint32_t n, other;
        } ways;
    } what;
    int32_t first;
    uint32_t split;
} smr_tree_step;

struct smr_tree_walk {
    smr_tree_step *step; /* n_nodes                                                     */
    int32_t *parent;     /* n_nodes; only with is_shared                                */
    double *total;       /* n_nodes: covers of its children, summed; only where some have many */
    int32_t *sure;       /* n_trees: depth of the leaf nearest to the root              */
    int32_t *deep;       /* n_trees: depth of the one farthest from it                  */
    int64_t *used; /* n_used: the features that splits ask for, ascending                    */
    int64_t n_used;
    bool only_cuts;          /* no SET, no WAYS                                         */
    bool cuts_are_below_inf; /* so that +inf goes to the second child of all            */
};

/* A quiet NaN, whose low bits are the number of the leaf. */
#define SMR_TREE_LEAF_BITS UINT64_C(0x7ff8000000000000)

static inline int smr_step_kind(const smr_tree_step *s)
{
    return (int)(s->split & 7);
}

static inline int64_t smr_step_feature(const smr_tree_step *s)
{
    return (int64_t)(s->split >> 4);
}

static inline bool smr_step_missing_first(const smr_tree_step *s)
{
    return s->split & 8;
}

static inline int64_t smr_step_leaf(const smr_tree_step *s)
{
    return (int64_t)(s->what.leaf & UINT32_MAX);
}

static inline int64_t smr_step_children(const smr_tree_step *s)
{
    int kind = smr_step_kind(s);
    return kind == SMR_SPLIT_LEAF ? 0 : kind == SMR_SPLIT_WAYS ? (int64_t)s->what.ways.n : 2;
}

/* Which child a value goes to; -1: it is missing, or a code that training did not see here. */
static inline int64_t smr_step_known(const smr_tree_step *s, const int32_t *words, double x)
{
    switch (smr_step_kind(s)) {
    case SMR_SPLIT_CUT: return x <= s->what.cut ? 0 : x > s->what.cut ? 1 : -1;
    case SMR_SPLIT_SET: {
        if (!(x >= 0 && x < 32.0 * (double)s->what.set.n)) return -1;
        int64_t code = (int64_t)x;
        uint32_t word = (uint32_t)words[(int64_t)s->what.set.at + code / 32];
        return (word >> (code % 32) & 1) ? 0 : 1;
    }
    default: return x >= 0 && x < (double)s->what.ways.n ? (int64_t)x : -1;
    }
}

/* Which child such a value goes to where a row goes one way. */
static inline int64_t smr_step_unknown(const smr_tree_step *s)
{
    if (smr_step_kind(s) == SMR_SPLIT_WAYS) return (int64_t)s->what.ways.other;
    return smr_step_missing_first(s) ? 0 : 1;
}

/* Number x[i] of a row in any dense form. */
static inline double smr_row_cell(const void *x, smr_form form, int64_t i)
{
    switch (form) {
    case SMR_FORM_F32: return (double)((const float *)x)[i];
    case SMR_FORM_U8: return (double)((const uint8_t *)x)[i];
    default: return ((const double *)x)[i];
    }
}

/* Row i of a block in any dense form. */
static inline const void *smr_row_at(const smr_rows *rows, int64_t i)
{
    static const int64_t size[] = {[SMR_FORM_F64] = 8, [SMR_FORM_F32] = 4, [SMR_FORM_U8] = 1};
    return (const char *)rows->x + i * rows->stride * size[rows->form];
}

/* The share of a shared row that goes to a child: that of its cover, or an equal one where no
 * training row came to any. */
double smr_trees_share(const smr_trees *trees, const smr_tree_step *s, int64_t child);

/* place[n]: which of the features that the n nodes ask for node i asks for, counted by ascending
 * number; -1: it is a leaf.  *count: how many they are. */
smr_status smr_steps_features(smr_ctx *ctx, const smr_tree_step *step, int64_t n, int32_t *place,
                              int64_t *count);

/* same[n] of a tree, from its root: the node below the nearest edge above node i that asks for the
 * feature that node i asks for; -1: none does, or node i is a leaf.  parent[n]: of each node, -1
 * for the root. */
smr_status smr_trees_same(smr_ctx *ctx, const smr_trees *trees, int64_t tree, int32_t *same,
                          int32_t *parent);

/* smr_trees_sum and smr_trees_leaves of trees with is_shared. */
void smr_trees_sum_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                          double *out);
void smr_trees_leaves_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                             int32_t *leaf);

#endif
