/* boost_grow.h -- growing one tree of boost: what boost_grow.c and boost_sparse.c share. */
#ifndef SMR_LEARN_TREES_BOOST_GROW_H
#define SMR_LEARN_TREES_BOOST_GROW_H

#include "core/parallel.h"
#include "learn/trees/boost.h"

enum {
    SMR_BOOST_ROWS = 8192, /* of a task             */
    SMR_BOOST_TASKS = 16   /* of columns, at most   */
};

typedef struct smr_boost_grower {
    const smr_boost_forest *f;
    const smr_boost_gradients *of;
    smr_boost_room *room;
    smr_sapling *sapling;
    int64_t tree;
    /* the split that is being made */
    const uint8_t *goes; /* 256: does the cell go to the first child? */
    int32_t column;
    const uint8_t *cell; /* of the column, by row: `stride` apart */
    int64_t stride;
    int64_t lo, hi, n_first;
    bool adds, adds_first; /* rows of one child to its histogram */
    bool is_whole;         /* rows are numbered from 0 to n - 1 */
    /* the nodes that are being searched */
    smr_boost_leaf *leaf[2];
} smr_boost_grower;

/* Tasks by all lanes, or by one where they are little work. */
smr_status smr_boost_run(smr_ctx *ctx, int64_t n_tasks, int64_t work, smr_task_fn fn, void *arg);
/* What the splits of a leaf are judged by. */
smr_boost_judge smr_boost_judge_of(const smr_boost_grower *g, const smr_boost_leaf *leaf);
/* The features that the leaf on this side may be split by, into room->pick. */
void smr_boost_draw_features(smr_ctx *ctx, const smr_boost_grower *g, int side);
/* The best split of the leaf on this side among those of the tasks; it then waits to be split, or
 * gives its histogram back. */
void smr_boost_choose(const smr_boost_grower *g, int side, int64_t n_tasks);

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
