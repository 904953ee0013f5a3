/* boost_ahead.c -- small leaves are split by one thread each, several of a tree at a time.
 *
 * A tree that grows by its best leaf has one to split at a time; if that one is small, all threads
 * but one would wait.  So the leaves that come next in the order are split too, ahead of their
 * turn: their rows are divided, the histograms of their children made and searched (which takes
 * longer than all the rest where rows are few: other threads take part).  A split
 * becomes part of the tree when its turn comes, with what was found.  The tree is the one that
 * splitting in turn gives: what a leaf's split finds depends on its rows and its parent's histogram
 * alone, and nodes are numbered when they become part.  A leaf whose turn does not come gets its
 * rows back in their order.
 *
 * How many are split ahead follows from the leaves that the tree may still get, so that hardly any
 * is split in vain: a quarter of them at most.  Level by level, every open leaf is split in the
 * end.  It depends on the data alone, not on the threads. */
#include "learn/trees/boost_grow.h"

#include <string.h>

enum {
    MOST_ROWS = 2048, /* of a leaf that one thread splits                  */
    LOOKED_AT = 24,   /* leaves of the queue, in search of some            */
    AHEAD = 64,       /* rows whose cells are fetched meanwhile            */
    FAR = 1
};

/* ---- which leaves ----------------------------------------------------------------------- */

/* May one thread split it, knowing nothing of the leaves before it?  Where features are drawn for
 * each node, its number must be known. */
static bool is_small(const smr_boost_grower *g, const smr_boost_leaf *leaf)
{
    return leaf->hi - leaf->lo <= MOST_ROWS && !g->room->sparse && g->f->p->features >= 1;
}

static int64_t free_record(const smr_boost_room *room)
{
    int64_t i = 0;
    while (i < SMR_BOOST_MOST_AHEAD && room->ahead[i].is_taken) i++;
    return i;
}

/* A record, and room for the histogram of a child; *done: were there both? */
static smr_status begin(smr_ctx *ctx, smr_boost_grower *g, int32_t number, bool *done)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    smr_boost_leaf *leaf = &room->leaf[number], child = {.slot = -1};
    int64_t at = free_record(room);
    bool is_last = room->n_leaves + 1 == g->f->max_leaves;
    bool goes_on = !is_last && leaf->depth + 1 < g->f->max_depth;
    *done = at < SMR_BOOST_MOST_AHEAD && (!goes_on || (leaf->slot >= 0 && room->n_free > 1));
    if (!*done) return SMR_OK;
    if (goes_on) TRY(smr_boost_take_slot(ctx, room, &child, g->f->cells));
    room->ahead[at] = (smr_boost_ahead){
        .is_taken = true, .goes_on = goes_on, .number = number, .slot = child.slot};
    leaf->ahead = at;
    g->to_split[g->n_ahead++] = at;
out:
    return st;
}

smr_status smr_boost_choose_ahead(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    int64_t looked_at = 0, left = g->f->max_leaves - room->n_leaves;
    int32_t seen[LOOKED_AT];
    bool by_level = g->f->p->growth == SMR_BOOST_BY_LEVEL, done = true;
    int64_t most = by_level ? SMR_BOOST_MOST_AHEAD : SMR_MIN(SMR_BOOST_MOST_AHEAD, (left + 1) / 2);
    g->n_ahead = 0;
    if (room->n_queue == 0 || !is_small(g, &room->leaf[room->queue[0]])) return SMR_OK;
    while (g->n_ahead < SMR_MAX(1, most) && looked_at < LOOKED_AT && done) {
        int64_t next = smr_boost_pop_leaf(g);
        if (next < 0) break;
        seen[looked_at++] = (int32_t)next;
        const smr_boost_leaf *leaf = &room->leaf[next];
        if (leaf->ahead < 0 && is_small(g, leaf)) st = begin(ctx, g, (int32_t)next, &done);
        if (st != SMR_OK) break;
    }
    while (looked_at > 0) smr_boost_push_leaf(g, &room->leaf[seen[--looked_at]]);
    return st;
}

/* ---- a split ---------------------------------------------------------------------------- */

static smr_boost_leaf *smaller_of(smr_boost_ahead *of)
{
    const smr_boost_leaf *a = &of->child[0], *b = &of->child[1];
    return &of->child[b->hi - b->lo < a->hi - a->lo];
}

static smr_boost_leaf *larger_of(smr_boost_ahead *of)
{
    return smaller_of(of) == of->child ? &of->child[1] : &of->child[0];
}

/* Puts the rows of the leaf in their new order; how many go first. */
static int64_t divide(const smr_boost_grower *g, const smr_boost_leaf *leaf, int32_t column,
                      const uint8_t goes[256])
{
    const smr_boost_cells *cells = g->f->cells;
    const uint8_t *cell = cells->cell + column;
    int32_t *rows = g->room->rows + leaf->lo, *apart = g->room->scratch + leaf->lo;
    int64_t n = leaf->hi - leaf->lo, first = 0, second = 0;
    for (int64_t i = 0; i < n; i++) { /* without a branch */
        int32_t row = rows[i];
        if (i + AHEAD < n) __builtin_prefetch(cell + rows[i + AHEAD] * cells->stride, 0, FAR);
        bool is_first = goes[cell[row * cells->stride]];
        rows[first] = row;
        apart[second] = row;
        first += is_first;
        second += !is_first;
    }
    memcpy(rows + first, apart, (size_t)second * sizeof *rows);
    return first;
}

/* A column of both children: the histogram of the larger, which has its parent's, and their
 * splits. */
static void search_column(const smr_boost_grower *g, const smr_boost_leaf *small,
                          const smr_boost_leaf *large, int32_t c, smr_boost_split best[2])
{
    const smr_boost_room *room = g->room;
    const int64_t *start = g->f->cells->start;
    const int64_t *less = room->slot[small->slot];
    int64_t *from = room->slot[large->slot];
    for (int64_t k = start[c] * room->fields; k < start[c + 1] * room->fields; k++)
        from[k] -= less[k];
    smr_boost_search_column(g, small, room->is_active, c, &best[0]);
    smr_boost_search_column(g, large, room->is_active, c, &best[1]);
}

/* The histogram of the smaller child; one thread that is alone seeks the splits of both at once,
 * while a column is at hand. */
static void count(const smr_boost_grower *g, smr_boost_lane *lane, smr_boost_ahead *to,
                  smr_boost_leaf *small, smr_boost_leaf *large)
{
    const smr_boost_room *room = g->room;
    const int64_t *start = g->f->cells->start;
    smr_boost_split best[2];
    memset(best, 0, sizeof best);
    smr_boost_hist_add(g->f->cells, room->columns, room->n_columns, g->of, room->rows + small->lo,
                       0, small->hi - small->lo, lane);
    to->is_sought = room->n_lanes > 1;
    for (int64_t i = 0; i < room->n_columns; i++) {
        int32_t c = room->columns[i];
        smr_boost_hist_take(lane, 1, start[c], start[c + 1], room->fields, room->slot[small->slot]);
        if (!to->is_sought) search_column(g, small, large, c, best);
    }
    small->best = best[0], large->best = best[1];
    lane->pending = 0;
    lane->is_used = lane->is_spilled = false;
}

smr_status smr_boost_split_ahead(smr_ctx *ctx, smr_boost_grower *g, int64_t task, int lane)
{
    smr_boost_room *room = g->room;
    smr_boost_ahead *to = &room->ahead[g->to_split[task]];
    const smr_boost_leaf *leaf = &room->leaf[to->number];
    uint8_t goes[256];
    (void)ctx;
    smr_boost_fill_table(g, &leaf->best, goes, to->goes);
    to->column = g->f->cells->feature[leaf->best.feature].column;
    int64_t first = divide(g, leaf, to->column, goes);
    smr_boost_part_leaf(g, leaf, first, to->child);
    smr_boost_leaf *small = smaller_of(to), *large = larger_of(to);
    small->slot = to->slot;
    small->best = large->best = (smr_boost_split){0};
    if (to->goes_on) count(g, &room->lanes[lane], to, small, large);
    return SMR_OK;
}

int64_t smr_boost_ahead_tasks(const smr_boost_grower *g)
{
    return g->room->n_lanes > 1 ? g->n_ahead * SMR_BOOST_AHEAD_TASKS : 0;
}

void smr_boost_seek_ahead(const smr_boost_grower *g, int64_t task)
{
    const smr_boost_room *room = g->room;
    int64_t part = task % SMR_BOOST_AHEAD_TASKS, n = room->n_columns;
    smr_boost_ahead *of = &g->room->ahead[g->to_split[task / SMR_BOOST_AHEAD_TASKS]];
    smr_boost_split best[2];
    if (!of->is_sought) return;
    memset(best, 0, sizeof best);
    int64_t to = (part + 1) * n / SMR_BOOST_AHEAD_TASKS;
    for (int64_t i = part * n / SMR_BOOST_AHEAD_TASKS; i < to; i++)
        search_column(g, smaller_of(of), larger_of(of), room->columns[i], best);
    memcpy(of->found[part], best, sizeof best);
}

void smr_boost_found_ahead(const smr_boost_grower *g)
{
    for (int64_t i = 0; i < g->n_ahead; i++) {
        smr_boost_ahead *of = &g->room->ahead[g->to_split[i]];
        smr_boost_leaf *child[2] = {smaller_of(of), larger_of(of)};
        if (!of->is_sought) continue;
        for (int c = 0; c < 2; c++) {
            smr_boost_judge judge = smr_boost_judge_of(g, child[c]);
            for (int t = 0; t < SMR_BOOST_AHEAD_TASKS; t++)
                if (smr_boost_replaces(&judge, &of->found[t][c], &child[c]->best))
                    child[c]->best = of->found[t][c];
        }
        of->is_sought = false;
    }
}

/* ---- its turn --------------------------------------------------------------------------- */

smr_status smr_boost_take_ahead(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    while (room->n_leaves < g->f->max_leaves && room->n_queue > 0 &&
           room->leaf[room->queue[0]].ahead >= 0) {
        int64_t number = smr_boost_pop_leaf(g);
        TRY(smr_boost_more_room(ctx, room, g->sapling->n + 2));
        smr_boost_leaf *leaf = &room->leaf[number];
        smr_boost_ahead *of = &room->ahead[leaf->ahead];
        TRY(smr_boost_write_node(ctx, g, leaf));
        memcpy(room->goes[leaf->node], of->goes, sizeof of->goes);
        room->at[leaf->node] = of->column;
        smr_boost_add_leaves(g, number, of->child);
        for (int c = 0; c < 2; c++) {
            smr_boost_leaf *child = &room->leaf[c ? room->n_leaves - 1 : number];
            child->is_open = child->best.gain > 0;
            if (child->is_open)
                smr_boost_push_leaf(g, child);
            else
                smr_boost_give_slot(room, child);
        }
        of->is_taken = false;
    }
out:
    return st;
}

/* Two ascending lists of rows become one. */
static void merge(int32_t *rows, int64_t first, int64_t n, int32_t *room)
{
    int64_t a = 0, b = first, to = 0;
    memcpy(room, rows, (size_t)first * sizeof *rows);
    while (a < first) rows[to++] = b < n && rows[b] < room[a] ? rows[b++] : room[a++];
}

void smr_boost_end_ahead(const smr_boost_grower *g)
{
    smr_boost_room *room = g->room;
    for (int64_t i = 0; i < SMR_BOOST_MOST_AHEAD; i++) {
        smr_boost_ahead *of = &room->ahead[i];
        if (!of->is_taken) continue;
        const smr_boost_leaf *leaf = &room->leaf[of->number];
        merge(room->rows + leaf->lo, of->child[0].hi - leaf->lo, leaf->hi - leaf->lo,
              room->scratch + leaf->lo);
        of->is_taken = false;
    }
}
