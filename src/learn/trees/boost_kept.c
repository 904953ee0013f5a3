/* boost_kept.c -- what boosting keeps of its rounds in a checkpoint: scores, losses, and the trees
 * as they were grown, node by node, since those that early stopping drops are not in the model. */
#include "learn/trees/boost_kept.h"

#include <string.h>

#define NODES(field_, doc_)                                                       \
    {                                                                             \
        SMR_KEPT(struct smr_boost_kept, field_), .dims = {"n_nodes"}, .doc = doc_ \
    }

const smr_state smr_boost_kept_state[SMR_BOOST_KEPT] = {
    {SMR_KEPT(struct smr_boost_kept, round), .doc = "Rounds that are done."},
    {SMR_KEPT(struct smr_boost_kept, best), .doc = "The round of least validation loss."},
    {SMR_KEPT(struct smr_boost_kept, n_rows), .min = 1, .doc = "Rows."},
    {SMR_KEPT(struct smr_boost_kept, n_scores), .is = "scores", .min = 1,
     .doc = "Scores of a row."},
    {SMR_KEPT(struct smr_boost_kept, n_curve), .min = 1, .doc = "Losses: rounds, and the start."},
    {SMR_KEPT(struct smr_boost_kept, n_starts), .min = 1, .doc = "One more than trees."},
    {SMR_KEPT(struct smr_boost_kept, n_nodes), .doc = "Nodes of all trees."},
    {SMR_KEPT(struct smr_boost_kept, n_words), .doc = "Words of the sets of codes."},
    {SMR_KEPT(struct smr_boost_kept, score), .dims = {"n_rows", "n_scores"},
     .doc = "Scores of the rows after these rounds."},
    {SMR_KEPT(struct smr_boost_kept, curve), .dims = {"n_curve"}, .doc = "Mean losses."},
    {SMR_KEPT(struct smr_boost_kept, watched), .dims = {"n_curve"}, .optional = true,
     .doc = "Those of the validation part."},
    {SMR_KEPT(struct smr_boost_kept, node_start), .below = "n_nodes", .order = SMR_ORDER_STARTS,
     .dims = {"n_starts"}, .doc = "First node of each tree, and the end."},
    {SMR_KEPT(struct smr_boost_kept, word_start), .below = "n_words", .order = SMR_ORDER_STARTS,
     .dims = {"n_starts"}, .doc = "First word of each tree, and the end."},
    NODES(kind, "Leaf, cut, set or ways."),
    NODES(feature, "That it splits by."),
    NODES(missing_first, "Missing values go to the first child."),
    NODES(cut, "Threshold."),
    NODES(set, "First word of its set in the tree."),
    NODES(set_words, "Words of its set."),
    NODES(child, "Its first child in the tree."),
    NODES(n_children, "Children."),
    NODES(cover, "Weight of its rows."),
    NODES(gain, "What its split gained."),
    NODES(value, "What it says."),
    {SMR_KEPT(struct smr_boost_kept, words), .min = INT32_MIN, .dims = {"n_words"},
     .doc = "Sets of codes, 32 to a word."},
};

void smr_boost_kept_free(struct smr_boost_kept *k)
{
    smr_free(k->node_start);
    smr_free(k->word_start);
    smr_free(k->kind);
    smr_free(k->feature);
    smr_free(k->missing_first);
    smr_free(k->cut);
    smr_free(k->set);
    smr_free(k->set_words);
    smr_free(k->child);
    smr_free(k->n_children);
    smr_free(k->cover);
    smr_free(k->gain);
    smr_free(k->value);
    smr_free(k->words);
    *k = (struct smr_boost_kept){0};
}

/* ---- trees to arrays ---------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, const smr_sapling *trees, int64_t n,
                            struct smr_boost_kept *k)
{
    smr_status st = SMR_OK;
    for (int64_t t = 0; t < n; t++) {
        k->n_nodes += trees[t].n;
        k->n_words += trees[t].n_words;
    }
    k->n_starts = n + 1;
    TRY_NEW(k->node_start, n + 1);
    TRY_NEW(k->word_start, n + 1);
    TRY_NEW(k->kind, k->n_nodes);
    TRY_NEW(k->feature, k->n_nodes);
    TRY_NEW(k->missing_first, k->n_nodes);
    TRY_NEW(k->cut, k->n_nodes);
    TRY_NEW(k->set, k->n_nodes);
    TRY_NEW(k->set_words, k->n_nodes);
    TRY_NEW(k->child, k->n_nodes);
    TRY_NEW(k->n_children, k->n_nodes);
    TRY_NEW(k->cover, k->n_nodes);
    TRY_NEW(k->gain, k->n_nodes);
    TRY_NEW(k->value, k->n_nodes);
    TRY_NEW(k->words, k->n_words);
out:
    return st;
}

static void pack_node(const smr_sprout *from, double value, struct smr_boost_kept *k, int64_t at)
{
    k->kind[at] = from->kind;
    k->feature[at] = from->feature;
    k->missing_first[at] = from->missing_first;
    k->cut[at] = from->cut;
    k->set[at] = from->set;
    k->set_words[at] = from->n_words;
    k->child[at] = from->child;
    k->n_children[at] = from->n_children;
    k->cover[at] = from->cover;
    k->gain[at] = from->gain;
    k->value[at] = value;
}

smr_status smr_boost_pack(smr_ctx *ctx, const smr_sapling *trees, int64_t n,
                          struct smr_boost_kept *k)
{
    smr_status st = SMR_OK;
    int64_t node = 0, word = 0;
    smr_boost_kept_free(k);
    TRY(make_room(ctx, trees, n, k));
    for (int64_t t = 0; t < n; t++) {
        const smr_sapling *from = &trees[t];
        for (int64_t i = 0; i < from->n; i++)
            pack_node(&from->node[i], from->value[i], k, node + i);
        if (from->n_words)
            memcpy(k->words + word, from->words, (size_t)from->n_words * sizeof *k->words);
        k->node_start[t + 1] = node += from->n;
        k->word_start[t + 1] = word += from->n_words;
    }
out:
    return st;
}

/* ---- and back ----------------------------------------------------------------------------- */

static smr_status refuse(smr_ctx *ctx)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "boost: the trees of the checkpoint do not hang together");
}

/* Children come after their parent, so that none is its own ancestor. */
static bool is_sound(const struct smr_boost_kept *k, int64_t t, int64_t i, int64_t n_features)
{
    int64_t lo = k->node_start[t], n = k->node_start[t + 1] - lo, at = lo + i;
    int64_t words = k->word_start[t + 1] - k->word_start[t];
    if (k->kind[at] == SMR_SPLIT_LEAF) return k->n_children[at] == 0;
    if (k->kind[at] != SMR_SPLIT_CUT && k->kind[at] != SMR_SPLIT_SET) return false;
    bool set = k->kind[at] == SMR_SPLIT_SET;
    return k->n_children[at] == 2 && k->feature[at] >= 0 && k->feature[at] < n_features &&
           k->child[at] > i && k->child[at] + INT64_C(2) <= n &&
           (!set || (k->set[at] >= 0 && k->set_words[at] > 0 && k->set[at] <= words &&
                     k->set_words[at] <= words - k->set[at]));
}

static bool starts_ascend(const int64_t *start, int64_t n, int64_t end, int64_t least)
{
    bool good = n >= 0 && start[0] == 0 && start[n] == end;
    for (int64_t t = 0; t < n && good; t++)
        good = start[t + 1] >= 0 && start[t + 1] <= end && start[t + 1] - start[t] >= least;
    return good;
}

static smr_status unpack_tree(smr_ctx *ctx, const struct smr_boost_kept *k, int64_t t,
                              int64_t n_features, smr_sapling *to)
{
    smr_status st = SMR_OK;
    int64_t lo = k->node_start[t], n = k->node_start[t + 1] - lo, first_word;
    int64_t word = k->word_start[t], n_words = k->word_start[t + 1] - word;
    int32_t first;
    smr_sapling_begin(to, 1);
    TRY(smr_sapling_nodes(ctx, to, n, &first));
    if (n_words) {
        TRY(smr_sapling_words(ctx, to, n_words, &first_word));
        memcpy(to->words, k->words + word, (size_t)n_words * sizeof *k->words);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t at = lo + i;
        if (!is_sound(k, t, i, n_features)) TRY(refuse(ctx));
        to->node[i] = (smr_sprout){.kind = k->kind[at],
                                   .feature = k->feature[at],
                                   .missing_first = k->missing_first[at],
                                   .cut = k->cut[at],
                                   .set = k->set[at],
                                   .n_words = k->set_words[at],
                                   .child = k->child[at],
                                   .n_children = k->n_children[at],
                                   .cover = k->cover[at],
                                   .gain = k->gain[at]};
        to->value[i] = k->value[at];
    }
out:
    return st;
}

smr_status smr_boost_unpack(smr_ctx *ctx, const struct smr_boost_kept *k, int64_t n_features,
                            smr_sapling *trees, int64_t *n)
{
    smr_status st = SMR_OK;
    int64_t n_trees = k->n_starts - 1;
    if (!starts_ascend(k->node_start, n_trees, k->n_nodes, 1) ||
        !starts_ascend(k->word_start, n_trees, k->n_words, 0))
        return refuse(ctx);
    for (int64_t t = 0; t < n_trees; t++) {
        memset(&trees[t], 0, sizeof trees[t]);
        *n = t + 1;
        TRY(unpack_tree(ctx, k, t, n_features, &trees[t]));
    }
out:
    return st;
}

/* ---- into the model ---- */

smr_status smr_boost_keep_tree(smr_ctx *ctx, struct smr_boost_state *s, const smr_sapling *sapling)
{
    smr_status st = SMR_OK;
    TRY(smr_trees_add(ctx, &s->trees, sapling, s->gain));
    for (int64_t i = 0; i < sapling->n; i++) {
        const smr_sprout *node = &sapling->node[i];
        if (!node->n_children) continue;
        s->splits[node->feature]++;
        s->covered[node->feature] += node->cover;
    }
out:
    return st;
}
