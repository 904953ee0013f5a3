/* boost_grow.c -- growing a tree: leaf by leaf, the best first, or level by level.
 *
 * Row numbers lie node by node in one array.  A split puts a node's rows in their new order, those
 * of the first child before those of the second and ascending in both: blocks divide their own rows
 * at the same time, then move them to their places.  While a block's cells are still in the cache,
 * its rows of the smaller child (judging by a sample of the rows) are added to that child's
 * histogram; that of the larger one is the parent's less this.  Then columns are handed out: each
 * is summed over the threads, subtracted, and searched for both children.  Several trees are grown
 * in step, each with a large leaf at a time, or with some small ones (boost_ahead.c): the tasks of
 * all are handed out together, so that many threads find enough to do.
 *
 * What a tree is does not depend on the threads: which of them adds a row to a histogram, and in
 * which order their histograms are added, cannot matter to sums of whole numbers, which are exact
 * (boost.h); rows keep their order; and of equal splits one is chosen by its feature, not by when
 * it was found.
 * Cost: a row and column for each row of a smaller child, n d log2(leaves) / 2 for a balanced tree;
 * moving rows n log2(leaves).  Memory: 8 bytes per row, and the histograms (boost_room.c). */
#include "learn/trees/boost_grow.h"

#include "core/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PARTS = 64, /* of a node, where they are neither too large nor too small */
    TASKS = SMR_BOOST_TASKS,
    AHEAD = 64,    /* rows whose cells are fetched meanwhile       */
    SAMPLE = 128,  /* rows that tell which child is smaller        */
    A_TURN = 8000, /* work of a turn of a tree */
    FAR = 1,       /* fetched to the second cache, where more fetches may be under way at a time */
    SMALL = 20000  /* work that one thread does before another wakes */
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

/* Task `task` of all that the growers have. */
struct together {
    smr_boost_grower *g;
    smr_task_fn fn;
};

static smr_status run_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct together *all = arg;
    smr_boost_grower *g = all->g;
    while (task >= g->n_tasks) task -= (g++)->n_tasks;
    return all->fn(ctx, g, task, lane);
}

static smr_status run_together(smr_ctx *ctx, smr_boost_grower *g, int64_t n, int64_t work,
                               smr_task_fn fn)
{
    struct together all = {g, fn};
    int64_t n_tasks = 0;
    if (n == 1) return smr_boost_run(ctx, g->n_tasks, work, fn, g);
    for (int64_t i = 0; i < n; i++) n_tasks += g[i].n_tasks;
    return smr_boost_run(ctx, n_tasks, work, run_task, &all);
}

/* One task for each. */
static smr_status run_each(smr_ctx *ctx, smr_boost_grower *g, int64_t n, smr_task_fn fn)
{
    for (int64_t i = 0; i < n; i++) g[i].n_tasks = 1;
    return run_together(ctx, g, n, n * A_TURN, fn);
}

/* Cuts rows lo .. hi into tasks, by their number alone.  Whichever threads take them, sums are
 * whole numbers and rows keep their order. */
static void cut_rows(smr_boost_grower *g, int64_t lo, int64_t hi)
{
    int64_t each = smr_block_count(hi - lo, PARTS);
    g->lo = lo, g->hi = hi;
    g->block = SMR_MIN(SMR_BOOST_ROWS, SMR_MAX(SMR_BOOST_LEAST_ROWS, each));
    g->n_tasks = smr_block_count(hi - lo, g->block);
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
    int64_t stride = g->stride, lo = g->lo + b * g->block, hi = SMR_MIN(g->hi, lo + g->block);
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
    int64_t lo = g->lo + b * g->block, hi = SMR_MIN(g->hi, lo + g->block);
    int64_t before = room->count[b], n = room->count[b + 1] - before, m = hi - lo - n;
    int32_t *first = room->rows + g->lo + before;
    int32_t *second = room->rows + g->lo + g->n_first + b * g->block - before;
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
    int64_t lo = g->lo + b * g->block, hi = SMR_MIN(g->hi, lo + g->block);
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
                             .min_leaf = g->f->min_leaf,
                             .smooth = p->smooth,
                             .is_flat = g->f->is_flat,
                             .low = leaf->low,
                             .high = leaf->high,
                             .all = leaf->sums};
}

void smr_boost_search_column(const smr_boost_grower *g, const smr_boost_leaf *leaf,
                             const bool *pick, int32_t column, smr_boost_split *best)
{
    const smr_boost_cells *cells = g->f->cells;
    const int64_t *hist = g->room->slot[leaf->slot] + cells->start[column] * g->room->fields;
    smr_boost_judge judge = smr_boost_judge_of(g, leaf);
    for (int64_t i = cells->of_column[column]; i < cells->of_column[column + 1]; i++) {
        int32_t j = cells->by_column[i];
        if (!pick[j]) continue;
        judge.monotone = g->f->monotone ? g->f->monotone[j] : 0;
        smr_boost_find(&judge, &cells->feature[j], j, hist, g->room->fields, best);
    }
}

/* Some columns: summed over the lanes into the first leaf's histogram, subtracted from the second's
 * (which holds the parent's), and searched. */
static void search_both(smr_boost_grower *g, int64_t task)
{
    smr_boost_room *room = g->room;
    const int64_t *start = g->f->cells->start;
    int64_t each = columns_a_task(room), to = SMR_MIN(room->n_columns, (task + 1) * each);
    int64_t *small = room->slot[g->leaf[0]->slot];
    int64_t *large = g->leaf[1] ? room->slot[g->leaf[1]->slot] : NULL;
    room->found[2 * task] = room->found[2 * task + 1] = (smr_boost_split){0};
    for (int64_t i = task * each; i < to; i++) {
        int32_t c = room->columns[i];
        smr_boost_hist_take(room->lanes, room->n_lanes, start[c], start[c + 1], room->fields,
                            small);
        for (int64_t k = start[c] * room->fields; k < start[c + 1] * room->fields && large; k++)
            large[k] -= small[k];
        for (int side = 0; side < 2 && g->leaf[side]; side++)
            smr_boost_search_column(g, g->leaf[side], room->pick[side], c,
                                    &room->found[2 * task + side]);
    }
}

/* Those of a leaf that was split, then those of small ones that were. */
static smr_status search(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_boost_grower *g = arg;
    (void)ctx, (void)lane;
    if (task < g->n_found)
        search_both(g, task);
    else
        smr_boost_seek_ahead(g, task - g->n_found);
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
        smr_boost_push_leaf(g, g->leaf[side]);
    else
        smr_boost_give_slot(g->room, g->leaf[side]);
}

/* The splits that the tasks found; the lanes are empty again. */
static void choose_both(smr_boost_grower *g)
{
    smr_boost_room *room = g->room;
    for (int side = 0; side < 2 && g->leaf[side]; side++) smr_boost_choose(g, side, g->n_found);
    for (int l = 0; l < room->n_lanes; l++) {
        room->lanes[l].pending = 0;
        room->lanes[l].is_used = room->lanes[l].is_spilled = false;
    }
}

/* Ends what seek_splits has begun. */
static void end_look(smr_boost_grower *g)
{
    if (!g->looks) return;
    if (!g->room->sparse) choose_both(g);
    if (g->room->n_free == 0)
        smr_boost_give_slot(g->room, g->leaf[0]); /* its children's are counted */
    g->looks = false;
}

/* Seeks the splits of the leaves of those that look; rows of their first ones are in the lanes. */
static smr_status seek_splits(smr_ctx *ctx, smr_boost_grower *growers, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t work = 0;
    for (int64_t i = 0; i < n; i++) {
        smr_boost_grower *g = &growers[i];
        const smr_boost_cells *cells = g->f->cells;
        int64_t ahead = smr_boost_ahead_tasks(g), n_cells = cells->start[cells->n_columns];
        g->n_tasks = ahead;
        g->n_found = 0;
        work += 10 * n_cells * g->n_ahead;
        if (g->looks && g->room->sparse) TRY(smr_boost_sparse_look(ctx, g));
        if (!g->looks || g->room->sparse) continue;
        if (!g->leaf[1]) smr_boost_draw_features(ctx, g, 0);
        g->n_found = smr_block_count(g->room->n_columns, columns_a_task(g->room));
        g->n_tasks = g->n_found + ahead;
        work += 10 * n_cells;
    }
    TRY(run_together(ctx, growers, n, work, search));
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
    for (int64_t i = 0; i < n; i++) {
        smr_boost_sums row = smr_boost_row_sums(g->of, g->room->rows[i]);
        s.g += row.g, s.h += row.h, s.w += row.w;
    }
    return s;
}

/* A leaf is to be looked at: its rows are the tasks. */
static smr_status begin_look(smr_ctx *ctx, smr_boost_grower *g, smr_boost_leaf *leaf)
{
    smr_status st = SMR_OK;
    g->leaf[0] = leaf, g->leaf[1] = NULL;
    g->looks = true;
    cut_rows(g, leaf->lo, leaf->hi);
    if (g->room->sparse) g->n_tasks = 0;
    TRY(smr_boost_take_slot(ctx, g->room, leaf, g->f->cells));
out:
    return st;
}

/* A leaf's histogram from its rows, and its split. */
static smr_status look_at(smr_ctx *ctx, smr_boost_grower *g, smr_boost_leaf *leaf)
{
    smr_status st = SMR_OK;
    TRY(begin_look(ctx, g, leaf));
    TRY(run_together(ctx, g, 1, (leaf->hi - leaf->lo) * g->room->n_columns, add_rows));
    TRY(seek_splits(ctx, g, 1));
    end_look(g);
out:
    return st;
}

/* The roots: their sums too. */
static smr_status look_at_roots(smr_ctx *ctx, smr_boost_grower *growers, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t work = 0;
    for (int64_t i = 0; i < n; i++) {
        smr_boost_grower *g = &growers[i];
        const smr_boost_forest *f = g->f;
        smr_boost_leaf *root = &g->room->leaf[0];
        g->n_tasks = 0;
        if (f->max_leaves > 1 && f->max_depth > 0 && g->room->n_columns > 0) {
            TRY(begin_look(ctx, g, root));
            work += root->hi * g->room->n_columns;
        }
        if (!g->looks || g->room->sparse) root->sums = sum_rows(g, root->hi);
    }
    TRY(run_together(ctx, growers, n, work, add_rows));
    for (int64_t i = 0; i < n; i++) {
        smr_boost_grower *g = &growers[i];
        if (g->looks && !g->room->sparse) g->room->leaf[0].sums = sum_lanes(g);
        if (!g->looks || !g->room->sparse) continue;
        TRY(smr_boost_sparse_root(ctx, g));
        g->looks = false;
    }
    TRY(seek_splits(ctx, growers, n));
out:
    return st;
}

/* ---- splitting -------------------------------------------------------------------------- */

void smr_boost_fill_table(const smr_boost_grower *g, const smr_boost_split *s, uint8_t goes[256],
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

smr_status smr_boost_write_node(smr_ctx *ctx, smr_boost_grower *g, const smr_boost_leaf *leaf)
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

/* What it takes to divide the rows of the leaf `number`. */
static smr_status begin_split(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    const smr_boost_leaf *leaf = &room->leaf[g->number];
    TRY(smr_boost_write_node(ctx, g, leaf));
    smr_boost_fill_table(g, &leaf->best, g->goes, room->goes[leaf->node]);
    g->column = g->f->cells->feature[leaf->best.feature].column;
    room->at[leaf->node] = g->column;
    bool is_last = room->n_leaves + 1 == g->f->max_leaves;
    g->goes_on = !is_last && leaf->depth + 1 < g->f->max_depth;
    g->has_parent = g->goes_on && leaf->slot >= 0;
    g->is_whole = false;
    g->adds = g->has_parent && !room->sparse;
    g->cell = column_cells(g, &g->stride);
    g->lo = leaf->lo, g->hi = leaf->hi;
    g->adds_first = first_is_smaller(g);
out:
    return st;
}

void smr_boost_part_leaf(const smr_boost_grower *g, const smr_boost_leaf *leaf, int64_t n_first,
                         smr_boost_leaf child[2])
{
    const smr_boost_sums *all = &leaf->sums, *left = &leaf->best.left;
    smr_boost_leaf *a = &child[0], *b = &child[1];
    *a = *b = *leaf;
    a->hi = b->lo = leaf->lo + n_first;
    a->depth = b->depth = leaf->depth + 1;
    a->sums = *left;
    b->sums = (smr_boost_sums){all->g - left->g, all->h - left->h, all->w - left->w};
    a->is_open = b->is_open = false;
    a->ahead = b->ahead = -1;
    bound_children(g, &leaf->best, a, b);
}

void smr_boost_add_leaves(const smr_boost_grower *g, int64_t number, const smr_boost_leaf child[2])
{
    smr_boost_room *room = g->room;
    smr_boost_leaf *a = &room->leaf[number], *b = &room->leaf[room->n_leaves];
    int32_t node = g->sapling->node[a->node].child;
    *a = child[0], *b = child[1];
    a->node = node, b->node = node + 1;
    room->at[a->node] = -1 - (int32_t)number;
    room->at[b->node] = -1 - (int32_t)room->n_leaves++;
}

/* Are the histograms of its children made by counting both? */
static bool counts_both(const smr_boost_grower *g)
{
    return g->splits && g->goes_on && !g->has_parent;
}

/* Leaf `number` becomes its first child, a new leaf the second; whether rows have been moved does
 * not matter, except where the children are looked at here. */
static smr_status end_split(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = g->room;
    smr_boost_leaf child[2];
    smr_boost_part_leaf(g, &room->leaf[g->number], g->n_first, child);
    smr_boost_add_leaves(g, g->number, child);
    smr_boost_leaf *a = &room->leaf[g->number], *b = &room->leaf[room->n_leaves - 1];
    smr_boost_leaf *small = g->adds_first ? a : b, *large = g->adds_first ? b : a;
    small->slot = -1;
    if (g->has_parent) {
        TRY(smr_boost_take_slot(ctx, room, small, g->f->cells));
        g->leaf[0] = small, g->leaf[1] = large;
        g->looks = true;
        for (int side = 0; side < 2; side++) smr_boost_draw_features(ctx, g, side);
    } else if (counts_both(g)) {
        TRY(look_at(ctx, g, a));
        TRY(look_at(ctx, g, b));
    } else {
        smr_boost_give_slot(room, large);
    }
out:
    return st;
}

/* A tree's turn: what was sought is found, and the leaf that is split next, or small ones. */
static smr_status take_turn(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_boost_grower *g = arg;
    smr_status st = SMR_OK;
    (void)task, (void)lane;
    end_look(g);
    smr_boost_found_ahead(g);
    TRY(smr_boost_take_ahead(ctx, g));
    bool is_full = g->room->n_leaves >= g->f->max_leaves;
    g->n_ahead = 0;
    if (!is_full) TRY(smr_boost_choose_ahead(ctx, g));
    g->number = is_full || g->n_ahead > 0 ? -1 : smr_boost_pop_leaf(g);
    g->splits = g->number >= 0;
    if (!g->splits) goto out;
    TRY(smr_boost_more_room(ctx, g->room, g->sapling->n + 2));
    TRY(begin_split(ctx, g));
out:
    return st;
}

/* Small leaves of all trees, large ones first: the last tasks to end are short. */
struct small_leaves {
    smr_boost_grower *g;
    int64_t n;
    struct small_leaf {
        smr_boost_grower *g;
        int64_t task, rows;
    } * leaf;
};

static void list_small(smr_boost_grower *g, struct small_leaves *all)
{
    for (int64_t i = 0; i < g->n_ahead; i++) {
        const smr_boost_leaf *leaf = &g->room->leaf[g->room->ahead[g->to_split[i]].number];
        struct small_leaf one = {g, i, leaf->hi - leaf->lo};
        int64_t at = all->n++;
        for (; at > 0 && all->leaf[at - 1].rows < one.rows; at--) all->leaf[at] = all->leaf[at - 1];
        all->leaf[at] = one;
    }
}

/* A whole small leaf, or a block of one that is split. */
static smr_status divide_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct small_leaves *all = arg;
    if (task < all->n)
        return smr_boost_split_ahead(ctx, all->leaf[task].g, all->leaf[task].task, lane);
    struct together blocks = {all->g, divide};
    return run_task(ctx, &blocks, task - all->n, lane);
}

/* All of them; *to_move: rows of those that are split. */
static smr_status divide_all(smr_ctx *ctx, smr_boost_grower *growers, int64_t n,
                             struct small_leaves *all, int64_t *to_move)
{
    int64_t n_tasks = 0, work = 0, cells = 0;
    all->n = 0, *to_move = 0;
    for (int64_t i = 0; i < n; i++) {
        smr_boost_grower *g = &growers[i];
        g->n_tasks = 0;
        list_small(g, all);
        if (!g->splits) continue;
        cut_rows(g, g->lo, g->hi);
        n_tasks += g->n_tasks;
        work += (g->hi - g->lo) * (4 + (g->adds ? g->room->n_columns / 2 : 0));
        *to_move += g->hi - g->lo;
    }
    cells = 10 * growers->f->cells->start[growers->f->cells->n_columns];
    for (int64_t i = 0; i < all->n; i++)
        work += all->leaf[i].rows * (4 + all->leaf[i].g->room->n_columns / 2) + cells;
    return smr_boost_run(ctx, all->n + n_tasks, work, divide_some, all);
}

/* First what becomes of the leaf, then its rows to their places. */
static smr_status move_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_boost_grower *g = arg;
    if (task > 0) return move(ctx, arg, task - 1, lane);
    return counts_both(g) ? SMR_OK : end_split(ctx, g);
}

/* One leaf of each tree, or several small ones. */
static smr_status split_leaves(smr_ctx *ctx, smr_boost_grower *growers, int64_t n,
                               struct small_leaves *small, bool *any)
{
    smr_status st = SMR_OK;
    int64_t to_move = 0;
    TRY(run_each(ctx, growers, n, take_turn));
    TRY(divide_all(ctx, growers, n, small, &to_move));
    *any = small->n > 0;
    for (int64_t i = 0; i < n; i++) {
        smr_boost_grower *g = &growers[i];
        *any |= g->splits;
        if (!g->splits) continue;
        if (g->room->sparse) smr_boost_sparse_unmark(g, g->column);
        g->n_first = sum_counts(g->room, g->n_tasks++);
    }
    TRY(run_together(ctx, growers, n, 4 * to_move, move_some));
    for (int64_t i = 0; i < n; i++)
        if (counts_both(&growers[i])) TRY(end_split(ctx, &growers[i]));
    TRY(seek_splits(ctx, growers, n));
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

static smr_status begin_tree(smr_ctx *ctx, const smr_boost_forest *f, const smr_boost_seed *seed,
                             smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    smr_boost_room *room = seed->room;
    int32_t root = 0;
    *g = (smr_boost_grower){.f = f,
                            .of = seed->of,
                            .room = room,
                            .sapling = seed->sapling,
                            .tree = seed->tree,
                            .is_whole = seed->is_all};
    TRY(smr_sapling_nodes(ctx, seed->sapling, 1, &root));
    room->n_leaves = room->n_queue = 0;
    room->n_free = 0;
    for (int64_t s = room->n_slots - 1; s >= 0; s--) room->free_slot[room->n_free++] = (int32_t)s;
    TRY(smr_boost_more_room(ctx, room, 1));
    draw_columns(ctx, g);
    room->leaf[room->n_leaves++] = (smr_boost_leaf){
        .node = root, .hi = seed->n, .slot = -1, .ahead = -1, .low = -INFINITY, .high = INFINITY};
    for (int64_t i = 0; i < SMR_BOOST_MOST_AHEAD; i++) room->ahead[i].is_taken = false;
    room->at[root] = -1;
out:
    return st;
}

static smr_status end_tree(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)task, (void)lane;
    smr_boost_end_ahead(arg);
    fill_cover(arg);
    return SMR_OK;
}

smr_status smr_boost_grow(smr_ctx *ctx, const smr_boost_forest *f, const smr_boost_seed *seed,
                          int64_t n_seeds)
{
    smr_status st = SMR_OK;
    smr_boost_grower *g = NULL;
    struct small_leaves small = {0};
    TRY_NEW(g, n_seeds);
    TRY_NEW(small.leaf, n_seeds * SMR_BOOST_MOST_AHEAD);
    small.g = g;
    for (int64_t i = 0; i < n_seeds; i++) TRY(begin_tree(ctx, f, &seed[i], &g[i]));
    TRY(look_at_roots(ctx, g, n_seeds));
    for (bool any = true; any;) TRY(split_leaves(ctx, g, n_seeds, &small, &any));
    TRY(run_each(ctx, g, n_seeds, end_tree));
out:
    for (int64_t i = 0; i < n_seeds && st != SMR_OK; i++)
        for (int l = 0; l < seed[i].room->n_lanes && seed[i].room->lanes; l++)
            seed[i].room->lanes[l].is_used = false;
    smr_free(small.leaf);
    smr_free(g);
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
