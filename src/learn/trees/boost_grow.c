/* boost_grow.c -- growing one tree: leaf by leaf, the best first, or level by level.
 *
 * Row numbers lie node by node in one array.  A split puts a node's rows in their new order, those
 * of the first child before those of the second and ascending in both: blocks divide their own rows
 * at the same time, then move them to their places.  While a block's cells are still in the cache,
 * its rows of the smaller child (judging by a sample of the rows) are added to that child's
 * histogram; that of the larger one is the parent's less this.  Then columns are handed out: each
 * is summed over the threads, subtracted, and searched for both children.
 *
 * Histograms stay with leaves that may still be split, as many as SLOT_BYTES hold; where a leaf has
 * none, those of its children are counted.  Sums are exact, so neither changes a bit.
 * Cost: a row and column for each row of a smaller child, n d log2(leaves) / 2 for a balanced tree;
 * moving rows n log2(leaves).  Memory: 8 bytes per row, and the histograms. */
#include "learn/trees/boost_grow.h"

#include "core/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = SMR_BOOST_ROWS,
    TASKS = SMR_BOOST_TASKS,
    AHEAD = 64,    /* rows whose cells are fetched meanwhile       */
    SAMPLE = 512,  /* rows that tell which child is smaller        */
    FAR = 1,       /* fetched to the second cache, where more fetches may be under way at a time */
    SMALL = 30000, /* work that one thread does before another wakes */
    SLOT_BYTES = 64 << 20,
    FEWEST_SLOTS = 8
};

smr_status smr_boost_run(smr_ctx *ctx, int64_t n_tasks, int64_t work, smr_task_fn fn, void *arg)
{
    if (n_tasks > 1 && work >= SMALL && smr_lanes(ctx) > 1)
        return smr_parallel(ctx, NULL, n_tasks, fn, arg);
    for (int64_t task = 0; task < n_tasks; task++) {
        smr_status st = fn(ctx, arg, task, 0);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

/* ---- room ------------------------------------------------------------------------------- */

smr_status smr_boost_room_open(smr_ctx *ctx, const smr_boost_forest *f, int fields,
                               smr_boost_room *room)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = f->cells;
    int64_t n_cells = cells->start[cells->n_columns];
    double slot = 8.0 * (double)(n_cells * fields);
    *room = (smr_boost_room){.n_lanes = smr_lanes(ctx), .fields = fields};
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
    TRY_NEW(room->count, smr_block_count(cells->n_rows, BLOCK) + 1);
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

/* Room for one more leaf, and for its node and another. */
static smr_status more_room(smr_ctx *ctx, smr_boost_room *room, int64_t n_nodes)
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

/* A histogram for a leaf.  One is always free: see find_splits. */
static smr_status take_slot(smr_ctx *ctx, smr_boost_room *room, smr_boost_leaf *leaf,
                            const smr_boost_cells *cells)
{
    leaf->slot = room->free_slot[--room->n_free];
    if (room->sparse || room->slot[leaf->slot]) return SMR_OK;
    int64_t n = cells->start[cells->n_columns] * room->fields;
    room->slot[leaf->slot] = smr_alloc_raw(ctx, n, sizeof(int64_t));
    return room->slot[leaf->slot] ? SMR_OK : SMR_ERR_NOMEM;
}

static void give_slot(smr_boost_room *room, smr_boost_leaf *leaf)
{
    if (leaf->slot >= 0) room->free_slot[room->n_free++] = (int32_t)leaf->slot;
    leaf->slot = -1;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Cells of the column that is split by, and how far apart those of two rows are. */
static const uint8_t *column_cells(const smr_boost_grower *g, int64_t *stride)
{
    const smr_boost_cells *cells = g->f->cells;
    *stride = cells->sparse ? 1 : cells->stride;
    return cells->sparse ? smr_boost_sparse_mark(g, g->column) : cells->cell + g->column;
}

/* Block b of the node: its rows to scratch, first ones from the left, second ones from the right,
 * in reverse. */
static smr_status divide(smr_ctx *ctx, void *arg, int64_t b, int lane)
{
    smr_boost_grower *g = arg;
    const uint8_t *cell = g->cell, *goes = g->goes;
    int64_t stride = g->stride, lo = g->lo + b * BLOCK, hi = SMR_MIN(g->hi, lo + BLOCK);
    const int32_t *rows = g->room->rows;
    const smr_boost_pair *pair = g->of->pair;
    bool adds_first = g->adds_first;
    int32_t *first = g->room->scratch + lo, *second = g->room->scratch + hi;
    (void)ctx;
    for (int64_t i = lo; i < hi; i++) {
        int32_t row = rows[i];
        if (i + AHEAD < hi) __builtin_prefetch(cell + rows[i + AHEAD] * stride, 0, FAR);
        bool is_first = goes[cell[row * stride]];
        __builtin_prefetch(&pair[is_first == adds_first ? row : 0], 0, FAR);
        *first = row;
        second[-1] = row;
        first += is_first;
        second -= !is_first;
    }
    int64_t n = first - (g->room->scratch + lo);
    g->room->count[b] = n;
    if (g->adds)
        smr_boost_hist_add(g->f->cells, g->room->columns, g->room->n_columns, g->of,
                           g->adds_first ? g->room->scratch + lo : second, 0,
                           g->adds_first ? n : hi - lo - n, &g->room->lanes[lane]);
    return SMR_OK;
}

/* Is the first child the smaller one?  For large nodes, judging by some rows. */
static bool first_is_smaller(const smr_boost_grower *g)
{
    int64_t n = g->hi - g->lo, m = SMR_MIN(n, SAMPLE), first = 0;
    for (int64_t k = 0; k < m; k++)
        first += g->goes[g->cell[g->room->rows[g->lo + k * n / m] * g->stride]];
    return 2 * first <= m;
}

/* Block b's rows to their places. */
static smr_status move(smr_ctx *ctx, void *arg, int64_t b, int lane)
{
    smr_boost_grower *g = arg;
    smr_boost_room *room = g->room;
    int64_t lo = g->lo + b * BLOCK, hi = SMR_MIN(g->hi, lo + BLOCK);
    int64_t before = room->count[b], n = room->count[b + 1] - before, m = hi - lo - n;
    int32_t *first = room->rows + g->lo + before;
    int32_t *second = room->rows + g->lo + g->n_first + b * BLOCK - before;
    (void)ctx, (void)lane;
    memcpy(first, room->scratch + lo, (size_t)n * sizeof *first);
    for (int64_t i = 0; i < m; i++) second[i] = room->scratch[hi - 1 - i];
    return SMR_OK;
}

/* Block b of the rows lo .. hi to the lane's histogram. */
static smr_status add_rows(smr_ctx *ctx, void *arg, int64_t b, int lane)
{
    smr_boost_grower *g = arg;
    smr_boost_room *room = g->room;
    int64_t lo = g->lo + b * BLOCK, hi = SMR_MIN(g->hi, lo + BLOCK);
    (void)ctx;
    smr_boost_hist_add(g->f->cells, room->columns, room->n_columns, g->of,
                       g->is_whole ? NULL : room->rows + lo, lo, hi - lo, &room->lanes[lane]);
    return SMR_OK;
}

/* count[b] = first rows before block b; their number. */
static int64_t sum_counts(smr_boost_room *room, int64_t n_blocks)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t n = room->count[b];
        room->count[b] = sum;
        sum += n;
    }
    room->count[n_blocks] = sum;
    return sum;
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

static void push_leaf(const smr_boost_grower *g, const smr_boost_leaf *leaf)
{
    smr_boost_room *room = g->room;
    int32_t number = (int32_t)(leaf - room->leaf);
    int64_t at = room->n_queue++;
    for (; at > 0 && comes_first(g, number, room->queue[(at - 1) / 2]); at = (at - 1) / 2)
        room->queue[at] = room->queue[(at - 1) / 2];
    room->queue[at] = number;
}

/* The open leaf that is split next; -1: none. */
static int64_t pop_leaf(const smr_boost_grower *g)
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

/* ---- search ----------------------------------------------------------------------------- */

static int64_t columns_a_task(const smr_boost_room *room)
{
    return SMR_MAX(1, (room->n_columns + TASKS - 1) / TASKS);
}

smr_boost_judge smr_boost_judge_of(const smr_boost_grower *g, const smr_boost_leaf *leaf)
{
    const struct smr_boost_params *p = g->f->p;
    return (smr_boost_judge){.of = g->of,
                             .l1 = p->l1,
                             .l2 = p->l2,
                             .min_gain = p->min_gain,
                             .min_child = p->min_child,
                             .min_leaf = p->min_leaf,
                             .smooth = p->smooth,
                             .is_flat = g->f->is_flat,
                             .low = leaf->low,
                             .high = leaf->high,
                             .all = leaf->sums};
}

/* The features of one column for one node. */
static void search_column(const smr_boost_grower *g, int side, int32_t column,
                          smr_boost_split *best)
{
    const smr_boost_cells *cells = g->f->cells;
    const smr_boost_leaf *leaf = g->leaf[side];
    const int64_t *hist = g->room->slot[leaf->slot] + cells->start[column] * g->room->fields;
    smr_boost_judge judge = smr_boost_judge_of(g, leaf);
    for (int64_t i = cells->of_column[column]; i < cells->of_column[column + 1]; i++) {
        int32_t j = cells->by_column[i];
        if (!g->room->pick[side][j]) continue;
        judge.monotone = g->f->monotone ? g->f->monotone[j] : 0;
        smr_boost_find(&judge, &cells->feature[j], j, hist, g->room->fields, best);
    }
}

/* Some columns: summed over the lanes into the first leaf's histogram, subtracted from the second's
 * (which holds the parent's), and searched. */
static smr_status search(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_boost_grower *g = arg;
    smr_boost_room *room = g->room;
    const int64_t *start = g->f->cells->start;
    int64_t each = columns_a_task(room), to = SMR_MIN(room->n_columns, (task + 1) * each);
    int64_t *small = room->slot[g->leaf[0]->slot];
    int64_t *large = g->leaf[1] ? room->slot[g->leaf[1]->slot] : NULL;
    (void)ctx, (void)lane;
    room->found[2 * task] = room->found[2 * task + 1] = (smr_boost_split){0};
    for (int64_t i = task * each; i < to; i++) {
        int32_t c = room->columns[i];
        smr_boost_hist_take(room->lanes, room->n_lanes, start[c], start[c + 1], room->fields,
                            small);
        for (int64_t k = start[c] * room->fields; k < start[c + 1] * room->fields && large; k++)
            large[k] -= small[k];
        for (int side = 0; side < 2 && g->leaf[side]; side++)
            search_column(g, side, c, &room->found[2 * task + side]);
    }
    return SMR_OK;
}

/* Keeps a share of those that are picked, at least one, each with the same chance. */
static void draw_share(const smr_ctx *ctx, smr_stream stream, uint64_t key, double share, int64_t d,
                       bool *pick)
{
    int64_t n = 0, seen = 0;
    if (share >= 1) return;
    for (int64_t j = 0; j < d; j++) n += pick[j];
    int64_t wanted = SMR_MAX(1, (int64_t)ceil(share * (double)n * (1 - 1e-12)));
    for (int64_t j = 0; j < d; j++) {
        if (!pick[j]) continue;
        int64_t left = n - seen++;
        pick[j] = smr_random_below(ctx->seed, stream, key, (uint64_t)j, left) < wanted;
        wanted -= pick[j];
    }
}

void smr_boost_draw_features(smr_ctx *ctx, const smr_boost_grower *g, int side)
{
    smr_boost_room *room = g->room;
    int32_t node = g->leaf[side]->node;
    bool *pick = room->pick[side];
    int64_t d = g->f->cells->n_features;
    memcpy(pick, room->is_active, (size_t)d * sizeof *pick);
    uint64_t key = (uint64_t)g->tree << 32 | (uint32_t)node;
    draw_share(ctx, SMR_STREAM_LEAVES, key, g->f->p->features, d, pick);
}

void smr_boost_choose(const smr_boost_grower *g, int side, int64_t n_tasks)
{
    smr_boost_split *best = &g->leaf[side]->best;
    *best = (smr_boost_split){0};
    smr_boost_judge judge = smr_boost_judge_of(g, g->leaf[side]);
    for (int64_t t = 0; t < n_tasks; t++)
        if (smr_boost_replaces(&judge, &g->room->found[2 * t + side], best))
            *best = g->room->found[2 * t + side];
    g->leaf[side]->is_open = best->gain > 0;
    if (g->leaf[side]->is_open)
        push_leaf(g, g->leaf[side]);
    else
        give_slot(g->room, g->leaf[side]);
}

/* Finds the splits of the leaves whose first one's rows are in the lanes. */
static smr_status search_lanes(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    int64_t each = columns_a_task(room), n_tasks = smr_block_count(room->n_columns, each);
    const smr_boost_cells *cells = g->f->cells;
    for (int side = 0; side < 2 && g->leaf[side]; side++) smr_boost_draw_features(ctx, g, side);
    TRY(smr_boost_run(ctx, n_tasks, 10 * cells->start[cells->n_columns], search, g));
    for (int side = 0; side < 2 && g->leaf[side]; side++) smr_boost_choose(g, side, n_tasks);
    for (int l = 0; l < room->n_lanes; l++) {
        room->lanes[l].pending = 0;
        room->lanes[l].is_used = room->lanes[l].is_spilled = false;
    }
out:
    return st;
}

/* Finds the splits of the leaves. */
static smr_status find_splits(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    TRY(g->room->sparse ? smr_boost_sparse_look(ctx, g) : search_lanes(ctx, g));
    if (g->room->n_free == 0) give_slot(g->room, g->leaf[0]); /* its children's will be counted */
out:
    return st;
}

/* The sums of all rows in the lanes: each row is in one cell of any column. */
static smr_boost_sums sum_lanes(const smr_boost_grower *g)
{
    const smr_boost_room *room = g->room;
    const int64_t *start = g->f->cells->start + room->columns[0];
    smr_boost_sums all = {0};
    for (int l = 0; l < room->n_lanes; l++)
        if (room->lanes[l].is_used)
            smr_boost_hist_sum(&room->lanes[l], start[0], start[1], room->fields, &all);
    return all;
}

/* The sums of all rows, one by one. */
static smr_boost_sums sum_rows(const smr_boost_grower *g, int64_t n)
{
    smr_boost_sums s = {0};
    const smr_boost_gradients *of = g->of;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = g->room->rows[i], word = of->pair[row].word;
        int64_t low = (int64_t)(uint32_t)word;
        s.g += of->is_narrow ? (word - low) >> 32 : of->pair[row].whole.g;
        s.h += of->is_narrow ? low : of->pair[row].whole.h;
        if (of->counts) s.w += of->weight ? of->weight[row] : 1;
    }
    return s;
}

/* A leaf's histogram from its rows, and its split. */
static smr_status look_at(smr_ctx *ctx, smr_boost_grower *g, smr_boost_leaf *leaf)
{
    smr_status st = SMR_OK;
    int64_t n = leaf->hi - leaf->lo;
    g->lo = leaf->lo, g->hi = leaf->hi;
    g->leaf[0] = leaf, g->leaf[1] = NULL;
    TRY(take_slot(ctx, g->room, leaf, g->f->cells));
    if (g->room->sparse && leaf->depth == 0) {
        leaf->sums = sum_rows(g, n);
        return smr_boost_sparse_root(ctx, g);
    }
    if (!g->room->sparse)
        TRY(smr_boost_run(ctx, smr_block_count(n, BLOCK), n * g->room->n_columns, add_rows, g));
    if (leaf->depth == 0) leaf->sums = sum_lanes(g);
    TRY(find_splits(ctx, g));
out:
    return st;
}

/* ---- splitting -------------------------------------------------------------------------- */

/* Which cells of its column go to the first child. */
static void fill_table(const smr_boost_grower *g, const smr_boost_split *s, uint8_t goes[256],
                       uint32_t bits[8])
{
    const smr_boost_feature *f = &g->f->cells->feature[s->feature];
    int common = 0;
    if (f->is_bundled) common = s->first[f->common / 32] >> f->common % 32 & 1;
    memset(goes, common, 256);
    memset(bits, 0, 8 * sizeof *bits);
    for (int32_t b = 0; b < f->n_bins; b++)
        goes[smr_boost_cell(f, b)] = s->first[b / 32] >> b % 32 & 1;
    for (int c = 0; c < 256; c++) bits[c / 32] |= (uint32_t)goes[c] << c % 32;
}

/* The levels of a category that go to the first child. */
static smr_status write_set(smr_ctx *ctx, smr_boost_grower *g, const smr_boost_split *s,
                            smr_sprout *node)
{
    smr_status st = SMR_OK;
    const smr_bins *bins = g->f->bins;
    int64_t n = bins->n_levels[s->feature], first = 0;
    const uint8_t *level_bin = bins->level_bin[s->feature];
    node->n_words = (n + 31) / 32;
    TRY(smr_sapling_words(ctx, g->sapling, node->n_words, &first));
    node->set = first;
    for (int64_t l = 0; l < n; l++) {
        int64_t b = level_bin ? level_bin[l] : l;
        if (s->first[b / 32] >> b % 32 & 1)
            g->sapling->words[first + l / 32] |= UINT32_C(1) << l % 32;
    }
out:
    return st;
}

static smr_status write_node(smr_ctx *ctx, smr_boost_grower *g, const smr_boost_leaf *leaf)
{
    smr_status st = SMR_OK;
    const smr_boost_split *s = &leaf->best;
    const smr_bins *bins = g->f->bins;
    int32_t first = 0;
    TRY(smr_sapling_nodes(ctx, g->sapling, 2, &first));
    smr_sprout *node = &g->sapling->node[leaf->node];
    node->kind = s->is_set ? SMR_SPLIT_SET : SMR_SPLIT_CUT;
    node->feature = s->feature;
    node->missing_first = s->missing_first;
    node->child = first;
    node->n_children = 2;
    node->gain = s->gain;
    if (s->is_set) {
        TRY(write_set(ctx, g, s, node));
    } else {
        bool is_last = s->bin == bins->n_bins[s->feature] - 1; /* only missing values go on */
        node->cut = is_last ? DBL_MAX : bins->cut[bins->first[s->feature] + s->bin];
    }
out:
    return st;
}

/* The children's bounds: neither may pass the middle between their values. */
static void bound_children(const smr_boost_grower *g, const smr_boost_split *s, smr_boost_leaf *a,
                           smr_boost_leaf *b)
{
    int sign = g->f->monotone ? g->f->monotone[s->feature] : 0;
    double middle = 0.5 * (s->step[0] + s->step[1]);
    if (sign > 0) a->high = middle, b->low = middle;
    if (sign < 0) a->low = middle, b->high = middle;
}

/* Leaf `number` becomes its first child, a new leaf the second. */
static smr_status split_leaf(smr_ctx *ctx, smr_boost_grower *g, int64_t number, bool is_last)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    uint8_t goes[256];
    TRY(more_room(ctx, room, g->sapling->n + 2));
    smr_boost_leaf *a = &room->leaf[number], *b = &room->leaf[room->n_leaves], parent = *a;
    const smr_boost_split *s = &parent.best;
    const smr_boost_sums *all = &parent.sums, *left = &s->left;
    int64_t n_blocks = smr_block_count(parent.hi - parent.lo, BLOCK), n = parent.hi - parent.lo;
    TRY(write_node(ctx, g, &parent));
    fill_table(g, s, goes, room->goes[parent.node]);
    g->goes = goes, g->column = g->f->cells->feature[s->feature].column;
    room->at[parent.node] = g->column;
    g->lo = parent.lo, g->hi = parent.hi;
    bool goes_on = !is_last && parent.depth + 1 < g->f->max_depth;
    bool has_parent = goes_on && parent.slot >= 0;
    g->is_whole = false;
    g->adds = has_parent && !room->sparse;
    g->cell = column_cells(g, &g->stride);
    g->adds_first = first_is_smaller(g);
    TRY(smr_boost_run(ctx, n_blocks, n * (4 + (g->adds ? room->n_columns / 2 : 0)), divide, g));
    if (room->sparse) smr_boost_sparse_unmark(g, g->column);
    g->n_first = sum_counts(room, n_blocks);
    TRY(smr_boost_run(ctx, n_blocks, n, move, g));

    *b = parent;
    a->node = g->sapling->node[parent.node].child, b->node = a->node + 1;
    a->hi = b->lo = parent.lo + g->n_first;
    a->depth = b->depth = parent.depth + 1;
    a->sums = *left;
    b->sums = (smr_boost_sums){all->g - left->g, all->h - left->h, all->w - left->w};
    bound_children(g, s, a, b);
    room->at[a->node] = -1 - (int32_t)number;
    room->at[b->node] = -1 - (int32_t)room->n_leaves++;

    smr_boost_leaf *small = g->adds_first ? a : b, *large = g->adds_first ? b : a;
    a->is_open = b->is_open = false;
    small->slot = -1;
    large->slot = parent.slot;
    if (has_parent) {
        TRY(take_slot(ctx, room, small, g->f->cells));
        g->leaf[0] = small, g->leaf[1] = large;
        TRY(find_splits(ctx, g));
    } else if (goes_on) {
        TRY(look_at(ctx, g, a));
        TRY(look_at(ctx, g, b));
    } else {
        give_slot(room, large);
    }
out:
    return st;
}

/* ---- the tree --------------------------------------------------------------------------- */

static void draw_columns(smr_ctx *ctx, const smr_boost_grower *g)
{
    smr_boost_room *room = g->room;
    const smr_boost_cells *cells = g->f->cells;
    for (int64_t j = 0; j < cells->n_features; j++)
        room->is_active[j] = cells->feature[j].column >= 0;
    draw_share(ctx, SMR_STREAM_COLUMNS, (uint64_t)g->tree, g->f->p->columns, cells->n_features,
               room->is_active);
    room->n_columns = 0;
    for (int32_t c = 0; c < cells->n_columns; c++) {
        bool any = false;
        for (int64_t i = cells->of_column[c]; i < cells->of_column[c + 1]; i++)
            any |= room->is_active[cells->by_column[i]];
        if (any) room->columns[room->n_columns++] = c;
    }
}

/* Weights of the rows of each node: of the leaves, and from these up. */
static void fill_cover(const smr_boost_grower *g)
{
    const double *weight = g->f->weight;
    smr_sprout *node = g->sapling->node;
    for (int64_t l = 0; l < g->room->n_leaves; l++) {
        const smr_boost_leaf *leaf = &g->room->leaf[l];
        double sum = weight ? 0 : (double)(leaf->hi - leaf->lo);
        for (int64_t i = leaf->lo; i < leaf->hi && weight; i++) sum += weight[g->room->rows[i]];
        node[leaf->node].cover = sum;
    }
    for (int64_t i = g->sapling->n - 1; i >= 0; i--) /* children come after their parent */
        if (node[i].n_children)
            node[i].cover = node[node[i].child].cover + node[node[i].child + 1].cover;
}

smr_status smr_boost_grow(smr_ctx *ctx, const smr_boost_forest *f, const smr_boost_gradients *of,
                          int64_t n, bool is_all, int64_t tree, smr_boost_room *room,
                          smr_sapling *sapling)
{
    smr_status st = SMR_OK;
    smr_boost_grower g = {.f = f, .of = of, .room = room, .sapling = sapling, .tree = tree};
    int32_t root = 0;
    TRY(smr_sapling_nodes(ctx, sapling, 1, &root));
    room->n_leaves = room->n_queue = 0;
    room->n_free = 0;
    for (int64_t s = room->n_slots - 1; s >= 0; s--) room->free_slot[room->n_free++] = (int32_t)s;
    TRY(more_room(ctx, room, 1));
    draw_columns(ctx, &g);
    smr_boost_leaf *leaf = &room->leaf[room->n_leaves++];
    *leaf = (smr_boost_leaf){.node = root, .hi = n, .slot = -1, .low = -INFINITY, .high = INFINITY};
    room->at[root] = -1;
    g.is_whole = is_all;
    if (f->max_leaves > 1 && f->max_depth > 0 && room->n_columns > 0)
        TRY(look_at(ctx, &g, leaf));
    else
        leaf->sums = sum_rows(&g, n);
    while (room->n_leaves < f->max_leaves) {
        int64_t next = pop_leaf(&g);
        if (next < 0) break;
        TRY(split_leaf(ctx, &g, next, room->n_leaves + 1 == f->max_leaves));
    }
    fill_cover(&g);
out:
    for (int l = 0; l < room->n_lanes && st != SMR_OK && room->lanes; l++)
        room->lanes[l].is_used = false;
    return st;
}

int64_t smr_boost_walk(const smr_boost_cells *cells, const smr_boost_room *room,
                       const smr_sapling *sapling, int64_t row)
{
    const uint8_t *cell = cells->sparse ? NULL : cells->cell + row * cells->stride;
    int32_t node = 0;
    while (room->at[node] >= 0) {
        uint8_t c =
            cell ? cell[room->at[node]] : smr_sparse_cell(cells->sparse, row, room->at[node]);
        bool is_first = room->goes[node][c / 32] >> c % 32 & 1;
        node = sapling->node[node].child + !is_first;
    }
    return -1 - room->at[node];
}
