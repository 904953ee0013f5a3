/* boost_room.c -- the room that a tree of boost grows in: its memory, the histograms of its leaves,
 * and the order in which these are split.
 *
 * Histograms stay with leaves that may still be split, as many as SLOT_BYTES hold; where a leaf has
 * none, those of its children are counted.  Sums are exact, so neither changes a bit. */
#include "learn/trees/boost_grow.h"

enum { TASKS = SMR_BOOST_TASKS, SLOT_BYTES = 64 << 20, FEWEST_SLOTS = 8 };

/* ---- room ------------------------------------------------------------------------------- */

smr_status smr_boost_room_open(smr_ctx *ctx, const smr_boost_forest *f, int fields, int n_lanes,
                               smr_boost_room *room)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = f->cells;
    int64_t n_cells = cells->start[cells->n_columns];
    double slot = 8.0 * (double)(n_cells * fields);
    *room = (smr_boost_room){.n_lanes = n_lanes, .fields = fields};
    room->n_slots =
        (int64_t)smr_fmax(FEWEST_SLOTS, smr_fmin((double)f->max_leaves, SLOT_BYTES / slot));
    TRY_NEW(room->lanes, room->n_lanes);
    for (int l = 0; l < room->n_lanes && !cells->sparse; l++) {
        TRY_NEW(room->lanes[l].narrow, n_cells);
        TRY_NEW(room->lanes[l].wide, n_cells * fields);
    }
    if (cells->sparse) TRY(smr_boost_sparse_open(ctx, f, room));
    TRY_NEW(room->rows, cells->n_rows);
    TRY_NEW(room->scratch, cells->n_rows);
    TRY_NEW(room->slot, room->n_slots);
    TRY_NEW(room->free_slot, room->n_slots);
    TRY_NEW(room->columns, cells->n_columns);
    TRY_NEW(room->is_active, cells->n_features);
    TRY_NEW(room->pick[0], cells->n_features);
    TRY_NEW(room->pick[1], cells->n_features);
    TRY_NEW(room->order, cells->n_features);
    TRY_NEW(room->found, 2 * TASKS);
    TRY_NEW(room->count, smr_block_count(cells->n_rows, SMR_BOOST_LEAST_ROWS) + 1);
out:
    if (st != SMR_OK) smr_boost_room_close(room);
    return st;
}

void smr_boost_room_close(smr_boost_room *room)
{
    for (int l = 0; l < room->n_lanes && room->lanes; l++) {
        smr_free(room->lanes[l].narrow);
        smr_free(room->lanes[l].wide);
    }
    for (int64_t s = 0; s < room->n_slots && room->slot; s++) smr_free(room->slot[s]);
    smr_boost_sparse_close(room->sparse);
    smr_free(room->lanes);
    smr_free(room->slot);
    smr_free(room->free_slot);
    smr_free(room->rows);
    smr_free(room->scratch);
    smr_free(room->leaf);
    smr_free(room->queue);
    smr_free(room->goes);
    smr_free(room->at);
    smr_free(room->columns);
    smr_free(room->is_active);
    smr_free(room->pick[0]);
    smr_free(room->pick[1]);
    smr_free(room->order);
    smr_free(room->found);
    smr_free(room->count);
    *room = (smr_boost_room){0};
}

smr_status smr_boost_more_room(smr_ctx *ctx, smr_boost_room *room, int64_t n_nodes)
{
    if (room->n_leaves == room->leaf_room) {
        int64_t n = SMR_MAX(32, 2 * room->leaf_room);
        smr_boost_leaf *leaf = smr_realloc(ctx, room->leaf, n, sizeof *leaf);
        if (!leaf) return SMR_ERR_NOMEM;
        room->leaf = leaf;
        int32_t *queue = smr_realloc(ctx, room->queue, n, sizeof *queue);
        if (!queue) return SMR_ERR_NOMEM;
        room->queue = queue, room->leaf_room = n;
    }
    if (n_nodes > room->node_room) {
        int64_t n = SMR_MAX(64, 2 * n_nodes);
        void *goes = smr_realloc(ctx, room->goes, n, sizeof *room->goes);
        if (!goes) return SMR_ERR_NOMEM;
        room->goes = goes;
        int32_t *at = smr_realloc(ctx, room->at, n, sizeof *at);
        if (!at) return SMR_ERR_NOMEM;
        room->at = at, room->node_room = n;
    }
    return SMR_OK;
}

smr_status smr_boost_take_slot(smr_ctx *ctx, smr_boost_room *room, smr_boost_leaf *leaf,
                               const smr_boost_cells *cells)
{
    leaf->slot = room->free_slot[--room->n_free];
    if (room->sparse || room->slot[leaf->slot]) return SMR_OK;
    int64_t n = cells->start[cells->n_columns] * room->fields;
    room->slot[leaf->slot] = smr_alloc_raw(ctx, n, sizeof(int64_t));
    return room->slot[leaf->slot] ? SMR_OK : SMR_ERR_NOMEM;
}

void smr_boost_give_slot(smr_boost_room *room, smr_boost_leaf *leaf)
{
    if (leaf->slot >= 0) room->free_slot[room->n_free++] = (int32_t)leaf->slot;
    leaf->slot = -1;
}

/* ---- the order of splits ---------------------------------------------------------------- */

/* Is leaf a split before leaf b? */
static bool comes_first(const smr_boost_grower *g, int32_t a, int32_t b)
{
    const smr_boost_leaf *x = &g->room->leaf[a], *y = &g->room->leaf[b];
    bool by_level = g->f->p->growth == SMR_BOOST_BY_LEVEL;
    if (by_level && x->depth != y->depth) return x->depth < y->depth;
    if (!by_level && x->best.gain != y->best.gain) return x->best.gain > y->best.gain;
    return x->node < y->node;
}

void smr_boost_push_leaf(const smr_boost_grower *g, const smr_boost_leaf *leaf)
{
    smr_boost_room *room = g->room;
    int32_t number = (int32_t)(leaf - room->leaf);
    int64_t at = room->n_queue++;
    for (; at > 0 && comes_first(g, number, room->queue[(at - 1) / 2]); at = (at - 1) / 2)
        room->queue[at] = room->queue[(at - 1) / 2];
    room->queue[at] = number;
}

int64_t smr_boost_pop_leaf(const smr_boost_grower *g)
{
    smr_boost_room *room = g->room;
    if (room->n_queue == 0) return -1;
    int32_t first = room->queue[0], last = room->queue[--room->n_queue];
    int64_t at = 0, n = room->n_queue;
    for (int64_t child = 1; child < n; at = child, child = 2 * at + 1) {
        if (child + 1 < n && comes_first(g, room->queue[child + 1], room->queue[child])) child++;
        if (!comes_first(g, room->queue[child], last)) break;
        room->queue[at] = room->queue[child];
    }
    room->queue[at] = last;
    return first;
}
