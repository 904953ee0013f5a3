/* tree_score.h -- how good it is to have some rows in one node.
 *
 * With W the weight of the rows, W_c that of class c and S the sum of weight x target, a split
 * makes large the sum over its children of
 *
 *     gini               sum_c W_c^2 / W               = W - W x impurity
 *     entropy, ratio     sum_c W_c log W_c - W log W   = -W x entropy, in nats
 *     error              max_c W_c                     = W - W x impurity
 *     squared            (S - W c)^2 / W               = const - W x variance
 *
 * each less than that of the parent by the gain.  c is the mean of the parent, whole: without it
 * the difference of two large numbers would have no digits left.  Misclassification is not a good
 * score of a split (most of them change nothing): among equals gini decides, counting for less than
 * half a row. */
#ifndef SMR_LEARN_TREES_TREE_SCORE_H
#define SMR_LEARN_TREES_TREE_SCORE_H

#include "kernel/kernel.h"
#include "learn/trees/tree_parts.h"

static inline double smr_tree_xlogx(const smr_tree_plan *plan, int64_t x)
{
    if (x < plan->n_xlogx) return plan->xlogx[x];
    return (double)x * smr_log((double)x);
}

static inline double smr_tree_gini(const smr_tree_plan *plan, const int64_t *tally, int64_t weight)
{
    int64_t n = plan->target->width;
    if (plan->target->is_small) {
        int64_t sum = 0;
        for (int64_t c = 0; c < n; c++) sum += tally[c] * tally[c];
        return (double)sum / (double)weight;
    }
    double sum = 0;
    for (int64_t c = 0; c < n; c++) sum += (double)tally[c] * (double)tally[c];
    return sum / (double)weight;
}

static inline int64_t smr_tree_most(const smr_tree_plan *plan, const int64_t *tally)
{
    int64_t most = 0;
    for (int64_t c = 0; c < plan->target->width; c++) most = SMR_MAX(most, tally[c]);
    return most;
}

static inline double smr_tree_squared(const smr_tree_plan *plan, const int64_t *tally,
                                      int64_t weight, const int64_t *center)
{
    double sum = 0;
    for (int64_t k = 0; k < plan->target->n_outputs; k++) {
        double s = (double)(tally[1 + k] - weight * center[k]);
        sum += s * s;
    }
    return sum / (double)weight;
}

/* weight > 0.  plain: without what breaks ties. */
static inline double smr_tree_good(const smr_tree_plan *plan, const int64_t *tally, int64_t weight,
                                   const int64_t *center, bool plain)
{
    double sum = 0;
    switch (plan->criterion) {
    case SMR_TREE_GINI: return smr_tree_gini(plan, tally, weight);
    case SMR_TREE_ERROR:
        sum = (double)smr_tree_most(plan, tally);
        if (plain) return sum;
        return sum + smr_tree_gini(plan, tally, weight) / (double)plan->target->total / 2;
    case SMR_TREE_SQUARED: return smr_tree_squared(plan, tally, weight, center);
    default:
        for (int64_t c = 0; c < plan->target->width; c++) sum += smr_tree_xlogx(plan, tally[c]);
        return sum - smr_tree_xlogx(plan, weight);
    }
}

#endif
