/* jtree_order.h -- orders of elimination.  Private to jtree*.c. */
#ifndef SMR_LEARN_GRAPHICAL_JTREE_ORDER_H
#define SMR_LEARN_GRAPHICAL_JTREE_ORDER_H

#include "learn/graphical/network.h"

/* What eliminating all nodes leaves: the k-th takes node order[k], with neighbours
 * near[near_at[k] .. near_at[k+1]), ascending. */
typedef struct smr_eliminated {
    int32_t *order;
    int64_t *near_at;
    int32_t *near;
    double cells; /* of all cliques, also those within others */
} smr_eliminated;

smr_status smr_eliminate(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                         int64_t n_together, smr_eliminated *out);
void smr_eliminated_release(smr_eliminated *e);

#endif
