/* tree_front.c -- many threads at the top of a tree: large nodes are split in step.
 *
 * All nodes that wait are gathered, searched and split together, so that a region has the tasks of
 * all: a single node has few features that take long.  The rows of a large node are divided in two
 * by blocks: each puts those of the first child to the left of its place in `spare` and those of
 * the second to the right, in reverse, and counts both; then all move them to their places, where
 * they are in their order again.  Tallies are whole numbers: in which order blocks add to them
 * cannot matter. */
#include "learn/trees/tree_grow.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048 }; /* rows of a task */

/* ---- work of several nodes ---- */

struct all_work {
    const smr_tree_work *of;
};

static smr_status run_one(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const smr_tree_work *of = ((const struct all_work *)arg)->of;
    while (task >= of->n_tasks) task -= (of++)->n_tasks;
    return of->fn(ctx, of->arg, task, lane);
}

smr_status smr_tree_run(smr_ctx *ctx, const smr_tree_work *work, int64_t n)
{
    struct all_work all = {work};
    int64_t n_tasks = 0;
    if (n == 1) return smr_parallel(ctx, NULL, work->n_tasks, work->fn, work->arg);
    for (int64_t i = 0; i < n; i++) n_tasks += work[i].n_tasks;
    return n_tasks > 0 ? smr_parallel(ctx, NULL, n_tasks, run_one, &all) : SMR_OK;
}

/* ---- rows of two children ---- */

/* part, of each block: rows of the first child, then the tallies of both. */
static int64_t part_size(const smr_tree_desk *desk)
{
    return 1 + 2 * desk->e->plan->target->width;
}

bool smr_tree_divides(const smr_tree_desk *desk)
{
    return desk->splits && desk->split.n_children == 2 && desk->split.kind != SMR_SPLIT_WAYS &&
           !desk->w->w && desk->w->n > BLOCK;
}

static smr_status divide_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const smr_tree_desk *desk = arg;
    const smr_tree_engine *e = desk->e;
    const smr_tree_target *t = e->plan->target;
    const smr_sprout *node = &desk->split;
    const uint32_t *words = e->out->sapling.words;
    const int32_t *row = desk->w->row;
    int64_t q = t->n_outputs, n_codes = e->plan->codes->n_codes[node->feature];
    int64_t lo = block * BLOCK, hi = smr_block_end(desk->w->n, BLOCK, block);
    int64_t *part = desk->part + block * part_size(desk);
    int32_t *first = e->spare + lo, *second = e->spare + hi;
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        uint32_t code = smr_tree_code(e->plan->codes, node->feature, row[i]);
        int32_t side = smr_tree_child_of(node, words, desk->cut, code, n_codes);
        if (side == SMR_TREE_NOWHERE) side = !node->missing_first;
        *first = row[i];
        second[-1] = row[i];
        first += !side;
        second -= side;
        int64_t *tally = part + 1 + side * t->width;
        if (t->n_classes > 0) {
            tally[e->label[i]] += e->w[i];
            continue;
        }
        tally[0] += e->w[i];
        for (int64_t o = 0; o < q; o++) tally[1 + o] += e->wy[i * q + o];
    }
    part[0] = first - (e->spare + lo);
    return SMR_OK;
}

/* part[0] of each block: rows of the first child before it. */
static void sum_parts(const smr_tree_desk *desk, int64_t n_blocks)
{
    smr_tree_engine *e = desk->e;
    int64_t size = part_size(desk), n = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t *part = desk->part + b * size, here = part[0];
        for (int64_t k = 1; k < size; k++) e->tallies[k - 1] += part[k];
        part[0] = n;
        n += here;
    }
    e->count[0] = n;
    e->count[1] = desk->w->n - n;
    e->count[4] = 0, e->count[5] = n; /* where they start */
}

smr_status smr_tree_divide(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_work work[SMR_TREE_DESKS];
    int64_t n_work = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!smr_tree_divides(&desk[i])) continue;
        int64_t n_blocks = smr_block_count(desk[i].w->n, BLOCK);
        TRY_NEW(desk[i].part, n_blocks * part_size(&desk[i]));
        work[n_work++] = (smr_tree_work){divide_block, &desk[i], n_blocks};
    }
    if (n_work > 0) TRY(smr_tree_run(ctx, work, n_work));
    for (int64_t i = 0; i < n_work; i++) sum_parts(work[i].arg, work[i].n_tasks);
out:
    return st;
}

static smr_status move_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const smr_tree_desk *desk = arg;
    const smr_tree_engine *e = desk->e;
    int64_t lo = block * BLOCK, hi = smr_block_end(desk->w->n, BLOCK, block);
    int64_t before = desk->part[block * part_size(desk)], after = e->count[0];
    if (hi < desk->w->n) after = desk->part[(block + 1) * part_size(desk)];
    int64_t n = after - before, m = hi - lo - n;
    int32_t *second = desk->w->row + e->count[0] + lo - before;
    (void)ctx, (void)lane;
    memcpy(desk->w->row + before, e->spare + lo, (size_t)n * sizeof *second);
    for (int64_t i = 0; i < m; i++) second[i] = e->spare[hi - 1 - i];
    return SMR_OK;
}

smr_status smr_tree_move(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_tree_work work[SMR_TREE_DESKS];
    int64_t n_work = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!smr_tree_divides(&desk[i])) continue;
        int64_t n_blocks = smr_block_count(desk[i].w->n, BLOCK);
        work[n_work++] = (smr_tree_work){move_block, &desk[i], n_blocks};
    }
    return n_work > 0 ? smr_tree_run(ctx, work, n_work) : SMR_OK;
}

/* ---- the front ---- */

/* The part of the arrays that belongs to a node's rows, and what else is its own. */
static smr_status open_desk(smr_ctx *ctx, smr_tree_engine *home, const int32_t *rows,
                            smr_tree_desk *desk)
{
    smr_status st = SMR_OK;
    const smr_tree_target *t = home->plan->target;
    smr_tree_engine *e = desk->e;
    int64_t lo = desk->w->row - rows, wide = t->n_classes == 2 ? 1 : t->n_outputs;
    *e = (smr_tree_engine){.plan = home->plan,
                           .home = home,
                           .out = home->out,
                           .small = home->small,
                           .label = home->label ? home->label + lo : NULL,
                           .side = home->side + lo,
                           .spare = home->spare + lo,
                           .w = home->w + lo,
                           .wy = home->wy + lo * wide,
                           .lanes = home->lanes};
    TRY_NEW(e->total, t->width);
    TRY_NEW(e->center, SMR_MAX(1, t->n_outputs));
    TRY_NEW(e->picks, home->plan->codes->d);
out:
    return st;
}

static void close_desk(smr_tree_desk *desk)
{
    smr_tree_engine *e = desk->e;
    if (e->home) smr_tree_give_cells(e, &desk->w->cells);
    smr_tree_waiting_release(desk->w);
    smr_free(e->total);
    smr_free(e->center);
    smr_free(e->picks);
    smr_free(e->tallies);
    smr_free(e->count);
}

/* n nodes, the last ones that wait. */
static smr_status split_front(smr_ctx *ctx, smr_tree_engine *home, const int32_t *rows, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_engine engine[SMR_TREE_DESKS] = {0};
    smr_tree_waiting node[SMR_TREE_DESKS];
    smr_tree_desk desk[SMR_TREE_DESKS] = {0};
    home->n -= n;
    memcpy(node, home->stack + home->n, (size_t)n * sizeof *node);
    for (int64_t i = 0; i < n; i++) desk[i].e = &engine[i], desk[i].w = &node[i];
    for (int64_t i = 0; i < n; i++) TRY(open_desk(ctx, home, rows, &desk[i]));
    TRY(smr_tree_gather(ctx, desk, n));
    TRY(smr_tree_evaluate(ctx, desk, n));
    TRY(smr_tree_split(ctx, desk, n));
    home->n_split += n;
    TRY(smr_tick(ctx, NULL, home->n_split, 0, NAN));
out:
    for (int64_t i = 0; i < n; i++) close_desk(&desk[i]);
    return st;
}

smr_status smr_tree_grow_front(smr_ctx *ctx, smr_tree_engine *e, const int32_t *rows)
{
    smr_status st = SMR_OK;
    while (e->n > 0) TRY(split_front(ctx, e, rows, SMR_MIN(e->n, SMR_TREE_DESKS)));
out:
    return st;
}
