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

/* One lane's tree.  What is a node's own (from `at` on) is also had for several nodes at a time
 * (tree_front.c), by engines whose `home` has all the rest. */
typedef struct smr_tree_engine {
    const smr_tree_plan *plan;
    struct smr_tree_engine *home; /* itself, or the one whose node it works at              */
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

/* A node that an engine works at. */
enum { SMR_TREE_DESKS = 32 }; /* at most, at a time */
typedef struct smr_tree_desk {
    smr_tree_engine *e;
    smr_tree_waiting *w;
    int64_t *part; /* what its blocks found */
    /* the split that is being made */
    bool splits;
    smr_sprout split;
    uint32_t cut;
    smr_tree_waiting pair[2];
} smr_tree_desk;

/* The rows of n nodes, gathered into e->at of each. */
smr_status smr_tree_gather(smr_ctx *ctx, smr_tree_desk *desk, int64_t n);
/* The best splits into w->pick (gain -inf: none); constant features leave their lists. */
smr_status smr_tree_evaluate(smr_ctx *ctx, smr_tree_desk *desk, int64_t n);
/* Makes the children of the gathered nodes, which wait then, or leaves them leaves. */
smr_status smr_tree_split(smr_ctx *ctx, smr_tree_desk *desk, int64_t n);
/* Rows of the nodes that split in two, those of the first child before those of the second: first
 * what the children have, in e->count and e->tallies, then the rows to their places. */
bool smr_tree_divides(const smr_tree_desk *desk);
smr_status smr_tree_divide(smr_ctx *ctx, smr_tree_desk *desk, int64_t n);
smr_status smr_tree_move(smr_ctx *ctx, smr_tree_desk *desk, int64_t n);
/* The child of a code; SMR_TREE_NOWHERE where it is missing. */
enum { SMR_TREE_NOWHERE = -1 };
int32_t smr_tree_child_of(const smr_sprout *node, const uint32_t *words, uint32_t cut,
                          uint32_t code, int64_t n_codes);
/* All nodes that wait, and those that these become, in step. */
smr_status smr_tree_grow_front(smr_ctx *ctx, smr_tree_engine *e, const int32_t *rows);
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
