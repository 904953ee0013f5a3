/* bayesnet_climb.h -- what hill climbing knows: a graph, its scores and those of its neighbours. */
#ifndef SMR_LEARN_GRAPHICAL_BAYESNET_CLIMB_H
#define SMR_LEARN_GRAPHICAL_BAYESNET_CLIMB_H

#include "learn/graphical/bayesnet.h"

enum { SMR_BN_KEY = SMR_BN_MOST_PARENTS + 2 };

struct smr_bn_cached {
    int32_t key[SMR_BN_KEY]; /* child + 1, then parents, then -1; child 0: free */
    double score;
};

struct smr_bn_climb {
    const struct smr_bn_rows *rows;
    struct smr_bn_graph *g;
    int64_t n;
    double half_log; /* (log N) / 2                                            */
    double *now;     /* n: s_i                                                 */
    double *other;   /* n x n: s_child with this parent added or removed; -inf */
    int64_t *base;   /* n rows: the combination of a child's parents           */
    struct smr_bn_cached *cache;
    int64_t n_slots, n_cached;
    int64_t n_passes;
    int64_t made;  /* changes so far                                       */
    int64_t *rest; /* n x n: an edge, either way, is not to be changed before as many */
};

/* bayesnet_score.c: all that depends on the parents of a child is looked up, ruled out, or
 * counted. */
smr_status smr_bn_rescore(smr_ctx *ctx, struct smr_bn_climb *c, int64_t child);

#endif
