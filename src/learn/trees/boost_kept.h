/* boost_kept.h -- what boosting keeps of its rounds in a checkpoint (learn/checkpoint.h). */
#ifndef SMR_LEARN_TREES_BOOST_KEPT_H
#define SMR_LEARN_TREES_BOOST_KEPT_H

#include "learn/trees/boost.h"

struct smr_boost_kept {
    int64_t round, best; /* rounds that are done; that of least validation loss so far */
    int64_t n_rows, n_scores, n_curve;
    double *score;           /* n_rows x n_scores */
    double *curve, *watched; /* n_curve           */
    /* Trees, as smr_sapling has them. */
    int64_t n_starts, n_nodes, n_words;
    int64_t *node_start, *word_start; /* n_starts */
    int32_t *kind, *feature, *child, *n_children;
    uint8_t *missing_first;
    double *cut, *cover, *gain, *value;
    int64_t *set, *set_words;
    int32_t *words;
};

enum { SMR_BOOST_KEPT = 25 }; /* rows of its table */
extern const smr_state smr_boost_kept_state[SMR_BOOST_KEPT];

/* The trees as arrays, which k owns; what it had is freed.  Other fields become 0. */
smr_status smr_boost_pack(smr_ctx *ctx, const smr_sapling *trees, int64_t n,
                          struct smr_boost_kept *k);
/* Frees the arrays of the trees. */
void smr_boost_kept_free(struct smr_boost_kept *k);
/* trees: room for n_starts - 1; *n: those that are made, even after a failure. */
smr_status smr_boost_unpack(smr_ctx *ctx, const struct smr_boost_kept *k, int64_t n_features,
                            smr_sapling *trees, int64_t *n);

/* A tree into the model, and what its features did. */
smr_status smr_boost_keep_tree(smr_ctx *ctx, struct smr_boost_state *s, const smr_sapling *sapling);

#endif
