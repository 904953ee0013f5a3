/* forest_kept.c -- what a forest keeps of its trees in a checkpoint: the trees, what the features
 * gained, and the votes of the rows that bags left out. */
#include "learn/checkpoint.h"
#include "learn/trees/forest_parts.h"

#include <string.h>

struct kept {
    smr_trees trees;
    int64_t n_features, n_rows, n_curve; /* n_curve, n_rows: 0 where there are no bags */
    double oob_error, oob_share;
    double *oob_curve, *gain, *permuted;
    double *votes, *cost;
    int32_t *voted;
};

static const smr_state state[] = {
    SMR_TREES_STATE(struct kept, trees),
    {SMR_KEPT(struct kept, n_features), .is = "features", .doc = "Features."},
    {SMR_KEPT(struct kept, n_rows), .doc = "Rows; 0: there are no bags."},
    {SMR_KEPT(struct kept, n_curve), .doc = "Trees; 0: there are no bags."},
    {SMR_KEPT(struct kept, oob_error), .doc = "Error of the rows left out."},
    {SMR_KEPT(struct kept, oob_share), .doc = "Share of the weight that some tree left out."},
    {SMR_KEPT(struct kept, oob_curve), .with = "n_curve", .dims = {"n_curve"}, .optional = true,
     .doc = "The error, tree by tree."},
    {SMR_KEPT(struct kept, gain), .dims = {"n_features"}, .doc = "What the features gained."},
    {SMR_KEPT(struct kept, permuted), .dims = {"n_features"}, .optional = true,
     .doc = "How much the error grew, summed."},
    {SMR_KEPT(struct kept, votes), .with = "n_rows", .dims = {"n_rows", "width"}, .optional = true,
     .doc = "Of trees without the row."},
    {SMR_KEPT(struct kept, voted), .with = "n_rows", .dims = {"n_rows"}, .optional = true,
     .doc = "How many trees those are."},
    {SMR_KEPT(struct kept, cost), .with = "n_rows", .dims = {"n_rows"}, .optional = true,
     .doc = "What the votes cost."},
};

static smr_status suspend(smr_ctx *ctx, void *work, void *kept_)
{
    struct smr_forest_work *w = work;
    struct smr_forest_state *s = w->state;
    struct kept *k = kept_;
    (void)ctx;
    k->trees = s->trees;
    k->n_features = s->n_features;
    k->n_rows = s->n_curve ? w->n_rows : 0;
    k->n_curve = s->n_curve ? s->trees.n_trees : 0;
    k->oob_error = s->oob_error;
    k->oob_share = s->oob_share;
    k->oob_curve = s->oob_curve;
    k->gain = s->gain;
    k->permuted = s->permuted;
    k->votes = w->votes;
    k->cost = w->cost;
    k->voted = w->voted;
    return SMR_OK;
}

static void copy(double *to, const double *from, int64_t n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static bool fits(const struct kept *k, const struct smr_forest_work *w)
{
    const struct smr_forest_state *s = w->state;
    bool bags = s->n_curve > 0;
    for (int64_t i = 0; bags && k->voted && i < k->n_rows; i++)
        if (k->voted[i] < 0 || k->voted[i] > k->trees.n_trees) return false;
    return k->n_features == s->n_features && k->n_rows == (bags ? w->n_rows : 0) &&
           k->n_curve == (bags ? k->trees.n_trees : 0) && k->trees.n_trees <= w->n_trees &&
           k->trees.width == s->trees.width && k->trees.n_scores == s->trees.n_scores &&
           !k->trees.is_shared && !k->permuted == !s->permuted && !k->oob_curve == !bags &&
           !k->votes == !bags && !k->voted == !bags && !k->cost == !bags;
}

static smr_status resume(smr_ctx *ctx, void *kept_, void *work)
{
    smr_status st = SMR_OK;
    struct smr_forest_work *w = work;
    struct smr_forest_state *s = w->state;
    struct kept *k = kept_;
    int64_t n = k->n_rows;
    if (!fits(k, w))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "forest: the trees of the checkpoint do not fit the data");
    smr_shape shape = {.n_features = s->n_features};
    TRY(smr_trees_check(ctx, "forest", &k->trees, &shape));
    s->trees = k->trees;
    k->trees = (smr_trees){0};
    s->oob_error = k->oob_error;
    s->oob_share = k->oob_share;
    copy(s->gain, k->gain, s->n_features);
    if (s->permuted) copy(s->permuted, k->permuted, s->n_features);
    copy(s->oob_curve, k->oob_curve, k->n_curve);
    copy(w->votes, k->votes, n * s->trees.width);
    copy(w->cost, k->cost, n);
    if (n > 0) memcpy(w->voted, k->voted, (size_t)n * sizeof *w->voted);
out:
    return st;
}

const smr_can_resume smr_forest_resume = {.state = state,
                                          .n_state = SMR_COUNT(state),
                                          .state_size = sizeof(struct kept),
                                          .suspend = suspend,
                                          .resume = resume};
