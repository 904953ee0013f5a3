/* boost_grow.h -- growing trees of boost: what boost_room.c, boost_grow.c, boost_ahead.c and
 * boost_sparse.c share. */
#ifndef SMR_LEARN_TREES_BOOST_GROW_H
#define SMR_LEARN_TREES_BOOST_GROW_H

#include "core/parallel.h"
#include "learn/trees/boost.h"

enum {
    SMR_BOOST_ROWS = 8192,       /* of a task, at most    */
    SMR_BOOST_LEAST_ROWS = 1024, /* of a task, of more    */
    SMR_BOOST_TASKS = 16         /* of columns, at most   */
};

typedef struct smr_boost_grower {
    const smr_boost_forest *f;
    const smr_boost_gradients *of;
    smr_boost_room *room;
    smr_sapling *sapling;
    int64_t tree;
    int64_t n_tasks; /* of the region at hand */
    int64_t block;   /* rows of a task        */
    /* the splits that are made ahead, in place of one */
    int64_t n_ahead;
    int64_t to_split[SMR_BOOST_MOST_AHEAD]; /* in room->ahead */
    /* the split that is being made */
    bool splits;       /* is there one?                             */
    int64_t number;    /* of the leaf that is split                 */
    bool has_parent;   /* its histogram, from which one of the children's is found */
    bool goes_on;      /* may the children be split?                */
    uint8_t goes[256]; /* does the cell go to the first child?      */
    int32_t column;
    const uint8_t *cell; /* of the column, by row: `stride` apart */
    int64_t stride;
    int64_t lo, hi, n_first;
    bool adds, adds_first; /* rows of one child to its histogram */
    bool is_whole;         /* rows are numbered from 0 to n - 1 */
    /* the nodes that are being searched */
    bool looks;
    int64_t n_found; /* tasks that seek their splits */
    smr_boost_leaf *leaf[2];
} smr_boost_grower;

/* Tasks by all lanes, or by one where they are little work. */
smr_status smr_boost_run(smr_ctx *ctx, int64_t n_tasks, int64_t work, smr_task_fn fn, void *arg);
/* Room for one more leaf, and for its node and another. */
smr_status smr_boost_more_room(smr_ctx *ctx, smr_boost_room *room, int64_t n_nodes);
/* A histogram for a leaf, of which one is always free (smr_boost_choose); and back. */
smr_status smr_boost_take_slot(smr_ctx *ctx, smr_boost_room *room, smr_boost_leaf *leaf,
                               const smr_boost_cells *cells);
void smr_boost_give_slot(smr_boost_room *room, smr_boost_leaf *leaf);
/* Open leaves wait in the order in which they are split; the next one, or -1: none. */
void smr_boost_push_leaf(const smr_boost_grower *g, const smr_boost_leaf *leaf);
int64_t smr_boost_pop_leaf(const smr_boost_grower *g);
/* What the splits of a leaf are judged by. */
smr_boost_judge smr_boost_judge_of(const smr_boost_grower *g, const smr_boost_leaf *leaf);
/* The features that the leaf on this side may be split by, into room->pick. */
void smr_boost_draw_features(smr_ctx *ctx, const smr_boost_grower *g, int side);
/* The best split of the leaf on this side among those of the tasks; it then waits to be split, or
 * gives its histogram back. */
void smr_boost_choose(const smr_boost_grower *g, int side, int64_t n_tasks);

/* The best split of the leaf by a feature of this column that is picked. */
void smr_boost_search_column(const smr_boost_grower *g, const smr_boost_leaf *leaf,
                             const bool *pick, int32_t column, smr_boost_split *best);
/* Which cells of its column go to the first child, as bytes and as bits. */
void smr_boost_fill_table(const smr_boost_grower *g, const smr_boost_split *s, uint8_t goes[256],
                          uint32_t bits[8]);
/* The leaf's node becomes its split, with two more nodes as children. */
smr_status smr_boost_write_node(smr_ctx *ctx, smr_boost_grower *g, const smr_boost_leaf *leaf);
/* The two leaves that a leaf becomes, n_first of its rows in the first; their nodes are still that
 * of the leaf, and both have its histogram. */
void smr_boost_part_leaf(const smr_boost_grower *g, const smr_boost_leaf *leaf, int64_t n_first,
                         smr_boost_leaf child[2]);
/* They take the places of leaf `number`, and of a new one; and get their nodes. */
void smr_boost_add_leaves(const smr_boost_grower *g, int64_t number, const smr_boost_leaf child[2]);

/* ---- splits ahead of their turn (boost_ahead.c) ----------------------------------------- */

/* Those that come next, if the first of them is small: g->n_ahead, g->to_split. */
smr_status smr_boost_choose_ahead(smr_ctx *ctx, smr_boost_grower *g);
/* Makes one of them; the lane's histogram is empty before and after. */
smr_status smr_boost_split_ahead(smr_ctx *ctx, smr_boost_grower *g, int64_t task, int lane);
/* The splits of the children of those that were made, with several lanes: tasks that seek them, by
 * columns, and what these found. */
int64_t smr_boost_ahead_tasks(const smr_boost_grower *g);
void smr_boost_seek_ahead(const smr_boost_grower *g, int64_t task);
void smr_boost_found_ahead(const smr_boost_grower *g);
/* Those whose turn it is become part of the tree. */
smr_status smr_boost_take_ahead(smr_ctx *ctx, smr_boost_grower *g);
/* The tree is grown: the others are undone. */
void smr_boost_end_ahead(const smr_boost_grower *g);

/* ---- sparse cells (boost_sparse.c) ------------------------------------------------------ */

smr_status smr_boost_sparse_open(smr_ctx *ctx, const smr_boost_forest *f, smr_boost_room *room);
void smr_boost_sparse_close(smr_boost_sparse *sparse);
/* The histogram and the split of a root, from its columns. */
smr_status smr_boost_sparse_root(smr_ctx *ctx, smr_boost_grower *g);
/* Those of leaf[0], whose rows are counted: and of leaf[1], which has their parent's histogram. */
smr_status smr_boost_sparse_look(smr_ctx *ctx, smr_boost_grower *g);
/* The cells of a column by row, until they are unmarked. */
const uint8_t *smr_boost_sparse_mark(const smr_boost_grower *g, int32_t column);
void smr_boost_sparse_unmark(const smr_boost_grower *g, int32_t column);

#endif
