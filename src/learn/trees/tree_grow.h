/* tree_grow.h -- a tree while it grows: nodes that wait, and the rows of one node. */
#ifndef SMR_LEARN_TREES_TREE_GROW_H
#define SMR_LEARN_TREES_TREE_GROW_H

#include "learn/trees/tree_parts.h"

/* A node that waits to be split.  What is owned goes with smr_tree_waiting_release. */
typedef struct smr_tree_waiting {
    int32_t node;
    int64_t depth, n;
    uint64_t key;    /* of its random numbers */
    int32_t *row;    /* n; in the array of all rows, or owned with `w`                       */
    int64_t *w;      /* missing=fraction: the weights of its rows, owned; else NULL          */
    int32_t *active; /* features that may differ here; one holder of the block               */
    int64_t n_active;
    int64_t *cells; /* its histograms, owned; NULL: none yet                                  */
    smr_tree_pick pick;
} smr_tree_waiting;

void smr_tree_waiting_release(smr_tree_waiting *w);

/* One lane's tree. */
typedef struct smr_tree_engine {
    const smr_tree_plan *plan;
    smr_tree_grown *out;
    smr_tree_waiting *stack; /* that wait to be split                                        */
    int64_t n, room;
    smr_tree_waiting *later; /* small ones, each a task of its own                           */
    int64_t n_later, later_room;
    int64_t small; /* rows up to which a node waits for later; 0: none does               */
    bool best_first;
    int64_t n_leaves;
    int64_t n_split;
    /* memory for the rows of one node */
    smr_tree_node_rows at;
    int32_t *label, *side, *spare;
    int32_t *place; /* sparse codes: by row, its number in the gathered node; -1: none       */
    int64_t *w, *wy, *total, *center;
    int32_t *y_rank;
    double *y_sorted, *y;
    int64_t *y_order;
    smr_tree_pick *picks;
    smr_tree_scratch *lanes;
    int n_lanes;
    int64_t *tallies, tallies_room;
    int64_t *count, count_room;
    int64_t *free_cells[4]; /* histograms that are free */
    int n_free;
} smr_tree_engine;

smr_status smr_tree_engine_make(smr_ctx *ctx, const smr_tree_plan *plan, int64_t rows_room,
                                int n_lanes, smr_tree_engine *out);
void smr_tree_engine_release(smr_tree_engine *e);
/* A histogram for all narrow features, its contents undefined; and back. */
int64_t *smr_tree_take_cells(smr_ctx *ctx, smr_tree_engine *e);
void smr_tree_give_cells(smr_tree_engine *e, int64_t **cells);
/* The rows of a node, gathered into e->at. */
smr_status smr_tree_gather(smr_ctx *ctx, smr_tree_engine *e, const smr_tree_waiting *w);
/* The best split into w->pick (gain -inf: none); constant features leave its list. */
smr_status smr_tree_evaluate(smr_ctx *ctx, smr_tree_engine *e, smr_tree_waiting *w);
/* Makes the children of the gathered node, which wait then, or leaves it a leaf. */
smr_status smr_tree_split(smr_ctx *ctx, smr_tree_engine *e, smr_tree_waiting *w);
smr_status smr_tree_push(smr_ctx *ctx, smr_tree_waiting **list, int64_t *n, int64_t *room,
                         smr_tree_waiting *w);

/* n more nodes, leaves. */
smr_status smr_tree_grown_nodes(smr_ctx *ctx, smr_tree_grown *grown, int64_t n, int32_t *first);
/* The rows of a node. */
typedef struct smr_tree_share {
    const int32_t *row;
    int64_t n;
    const int64_t *w;     /* NULL: the target's       */
    const int64_t *tally; /* of these; NULL: not known */
} smr_tree_share;

/* Makes node `node` what these rows say.  *stops: no split can help. */
smr_status smr_tree_settle(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_share *share,
                           smr_tree_grown *grown, int32_t node, bool *stops);

#endif
