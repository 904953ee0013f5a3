/* trees.h -- decision trees as arrays: one, or many that are summed.
 *
 * Nodes of a tree are in breadth-first order: the children of a node are the next ones that no
 * node before it has claimed, so no child number is stored.  On file a node is 16 bytes:
 *
 *     split  int32   feature << 4 | missing << 3 | kind
 *     cut    double  what the kind makes of it
 *     cover  float   weight of the training rows that came here
 *
 *     kind   children  a row goes to
 *     LEAF   0         nowhere: its answer is row (leaves before it in the array) of `value`
 *     CUT    2         the first where x <= cut, else the second
 *     SET    2         the first where bit x of words[cut ...] is set, else the second; x a code
 *     WAYS   cut       child number x; x a code
 *
 * A missing value, and for SET and WAYS also a code that training did not see here (bits and
 * children cover the levels of training), goes to the first child where the `missing` bit is set,
 * else with CUT and SET to the last one, with WAYS to the child of largest cover, among equals the
 * first.  With is_shared (C4.5) such a row goes to all children, each with its share of their
 * cover, and its answer is the mean of the leaves it reaches, weighted by these shares.
 *
 * What a leaf says is `width` numbers.  With width 1 and n_scores = k > 1, tree t adds to score
 * t mod k (boosting of many classes); else width = n_scores. */
#ifndef SMR_LEARN_TREES_TREES_H
#define SMR_LEARN_TREES_TREES_H

#include "learn/balance.h"
#include "learn/learner.h"

enum smr_split_kind {
    SMR_SPLIT_LEAF = 0,
    SMR_SPLIT_CUT = 1,
    SMR_SPLIT_SET = 2,
    SMR_SPLIT_WAYS = 3
};

/* The most questions from the root of a tree with is_shared to a leaf: a row that goes all ways is
 * walked without memory of its own. */
enum { SMR_TREE_SHARED_DEPTH = 4096 };

typedef struct smr_trees {
    int64_t n_trees, n_nodes, n_leaves, n_words;
    int64_t width, n_scores;
    int64_t is_shared;
    int64_t *root; /* n_trees + 1: tree t has nodes root[t] .. root[t + 1] - 1                   */
    int32_t *split;
    double *cut;
    float *cover;
    double *value;  /* n_leaves x width                                                          */
    int32_t *words; /* sets of codes, 32 to a word                                               */
    int64_t n_starts; /* n_trees + 1 once there is a tree; the size of `root`                    */
    /* derived by smr_trees_prepare: what predicting walks through, not saved */
    struct smr_tree_walk *walk;
} smr_trees;

/* The rows of a state table for `smr_trees field` of a struct. */
#define SMR_TREES_STATE(type_, field_)                                                    \
    {.name = "n_trees",                                                                   \
     .type = SMR_STATE_INT,                                                               \
     .offset = offsetof(type_, field_.n_trees),                                           \
     .doc = "Trees."},                                                                    \
        {.name = "n_starts",                                                              \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.n_starts),                                      \
         .doc = "One more than trees."},                                                  \
        {.name = "n_nodes",                                                               \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.n_nodes),                                       \
         .doc = "Nodes of all trees, leaves among them."},                                \
        {.name = "n_leaves",                                                              \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.n_leaves),                                      \
         .doc = "Leaves of all trees."},                                                  \
        {.name = "n_words",                                                               \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.n_words),                                       \
         .doc = "Words of the sets of codes."},                                           \
        {.name = "width",                                                                 \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.width),                                         \
         .min = 1,                                                                        \
         .doc = "Numbers per leaf."},                                                     \
        {.name = "n_scores",                                                              \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.n_scores),                                      \
         .min = 1,                                                                        \
         .doc = "Numbers per answer."},                                                   \
        {.name = "is_shared",                                                             \
         .type = SMR_STATE_INT,                                                           \
         .offset = offsetof(type_, field_.is_shared),                                     \
         .max = 1,                                                                        \
         .doc = "1 if a row with a missing value goes every way."},                       \
        {.name = "root",                                                                  \
         .type = SMR_STATE_I64S,                                                          \
         .offset = offsetof(type_, field_.root),                                          \
         .dims = {"n_starts"},                                                            \
         .below = "n_nodes + 1",                                                          \
         .doc = "First node of each tree, and the end."},                                 \
        {.name = "split",                                                                 \
         .type = SMR_STATE_I32S,                                                          \
         .offset = offsetof(type_, field_.split),                                         \
         .dims = {"n_nodes"},                                                             \
         .doc = "16 x feature + 8 x missing first + kind."},                              \
        {.name = "cut",                                                                   \
         .type = SMR_STATE_F64S,                                                          \
         .offset = offsetof(type_, field_.cut),                                           \
         .dims = {"n_nodes"},                                                             \
         .doc = "Threshold, place in words, or number of children."},                     \
        {.name = "cover",                                                                 \
         .type = SMR_STATE_F32S,                                                          \
         .offset = offsetof(type_, field_.cover),                                         \
         .dims = {"n_nodes"},                                                             \
         .reals = SMR_REALS_FROM_0,                                                       \
         .doc = "Weight of the training rows that reached the node."},                    \
        {.name = "value",                                                                 \
         .type = SMR_STATE_F64S,                                                          \
         .offset = offsetof(type_, field_.value),                                         \
         .dims = {"n_leaves", "width"},                                                   \
         .doc = "Answers of the leaves."},                                                \
    {                                                                                     \
        .name = "words", .type = SMR_STATE_I32S, .offset = offsetof(type_, field_.words), \
        .dims = {"n_words"}, .optional = true, .min = INT32_MIN, .with = "n_words",       \
        .doc = "Sets of codes, 32 to a word."                                             \
    }

/* ---- growing ---------------------------------------------------------------------------- */

/* A node of a tree that is being grown, in any order.  Children of one node lie together. */
typedef struct smr_sprout {
    int32_t kind, feature; /* enum smr_split_kind                              */
    bool missing_first;
    double cut;      /* CUT                                                    */
    int64_t set;     /* SET: first word in smr_sapling.words                   */
    int64_t n_words; /* SET                                                    */
    int32_t child;   /* number of the first child                             */
    int32_t n_children;
    double cover, gain; /* weight of its rows; what the split gained, >= 0     */
} smr_sprout;

typedef struct smr_sapling {
    int64_t n, room, width; /* node 0 is the root                             */
    smr_sprout *node;
    double *value;   /* n x width: what each node would say if it were a leaf */
    uint32_t *words; /* of the sets                                           */
    int64_t n_words, word_room;
} smr_sapling;

/* Empty, for nodes of `width` numbers; n more nodes, zeroed leaves, the first of which is *first;
 * n more words, zeroed. */
void smr_sapling_begin(smr_sapling *sapling, int64_t width);
smr_status smr_sapling_nodes(smr_ctx *ctx, smr_sapling *sapling, int64_t n, int32_t *first);
smr_status smr_sapling_words(smr_ctx *ctx, smr_sapling *sapling, int64_t n, int64_t *first);
void smr_sapling_release(smr_sapling *sapling);

/* Adds the tree below node 0 to `trees` (zeroed before the first, with width and n_scores set);
 * nodes that are not reached from it are left out.  gain (n_features, may be NULL): += gains. */
smr_status smr_trees_add(smr_ctx *ctx, smr_trees *trees, const smr_sapling *sapling, double *gain);
/* leaf[sapling->n]: the number that smr_trees_add gives each leaf among those of its tree; -1 for a
 * node that splits or is not reached. */
smr_status smr_sapling_leaves(smr_ctx *ctx, const smr_sapling *sapling, int32_t *leaf);
/* Adds the trees of `more`, of the same width and scores. */
smr_status smr_trees_append(smr_ctx *ctx, smr_trees *trees, const smr_trees *more);

/* ---- using ------------------------------------------------------------------------------ */

/* After fit and after load; and what it made.  The arrays of the table are the caller's. */
smr_status smr_trees_prepare(smr_ctx *ctx, smr_trees *trees);
void smr_trees_release(smr_trees *trees);
/* smr_fitted's prepare and release of states that begin with their trees. */
smr_status smr_trees_prepare_state(smr_ctx *ctx, const void *params, void *state);
void smr_trees_release_state(void *state);
/* The arrays too, for trees that are in no state. */
void smr_trees_free(smr_trees *trees);
/* After load, before prepare: do the arrays fit each other and the features?  A file may say
 * anything; what passes is safe to walk through. */
smr_status smr_trees_check(smr_ctx *ctx, const char *name, const smr_trees *trees,
                           const smr_shape *shape);

/* out[n x n_scores] += answers of trees [lo, hi), in their order; forms F64, F32 and U8.  It
 * allocates nothing, and a row's bits do not depend on the block it comes in. */
void smr_trees_sum(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                   double *out);
/* The same for rows in any form, SPARSE included: scratch has smr_trees_scratch bytes, and need not
 * be zero. */
void smr_trees_answer(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                      double *out, void *scratch);
int64_t smr_trees_scratch(int64_t n_features);
/* leaf[n x (hi - lo)]: number, among all leaves, of the leaf that each row comes to (is_shared: the
 * one of largest share). */
void smr_trees_leaves(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                      int32_t *leaf);

/* ---- looking at them -------------------------------------------------------------------- */

/* One node, decoded. */
typedef struct smr_tree_node {
    enum smr_split_kind kind;
    int64_t feature;
    bool missing_first;
    double cut;
    const int32_t *words; /* SET */
    int64_t n_words;
    int64_t child, n_children; /* number of the first child in the whole array */
    int64_t leaf;              /* LEAF: number among all leaves                */
    double cover;
} smr_tree_node;

/* After prepare.  node: a number in the whole array. */
smr_tree_node smr_trees_node(const smr_trees *trees, int64_t node);
/* *value (owned by the caller): nodes of the tree x width; for inner nodes the mean of the leaves
 * below, weighted by cover. */
smr_status smr_trees_values(smr_ctx *ctx, const smr_trees *trees, int64_t tree, double **value);

#endif
