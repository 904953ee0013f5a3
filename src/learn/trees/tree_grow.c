/* tree_grow.c -- a tree from its root to its leaves.
 *
 * Nodes wait on a stack, so that depth costs no C stack: the smaller of two children is split
 * first.  With max_leaves the node of largest gain is split first, among equals the oldest.  Else
 * large nodes are searched by all threads, feature by feature, and the nodes that come down to an
 * eighth of the rows become tasks, each grown to its end by one thread and then put into its place:
 * the tree does not depend on the number of threads.  A task works with lists (tree_lists.c); where
 * these do not serve, with a copy of its rows (tree_part.c), and does the same again as long as it
 * has enough rows.
 *
 * Cost: about n log n for each feature that is not constant, and level of the tree; memory 50 bytes
 * per row, and histograms of 8 bytes x values x classes for each narrow feature (at most 256 MB for
 * one node, else rows are sorted) and twice log2 of the rows. */
#include "learn/trees/tree_grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_PART = 8, TASK_LEAST = 512, ONE_TASK = 1 << 20, TICK = 64, WIDE_LEAF = 1024 };

/* ---- nodes ---- */

smr_status smr_tree_grown_nodes(smr_ctx *ctx, smr_tree_grown *grown, int64_t n, int32_t *first)
{
    smr_status st = SMR_OK;
    if (grown->sapling.n + n > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "tree: more than %lld nodes; raise min_leaf or set max_depth",
                        (long long)SMR_MAX_DIM);
    if (grown->sapling.n + n > grown->room) {
        int64_t room = SMR_MAX(grown->sapling.n + n, 2 * grown->room + 64);
        uint32_t *code = grown->code ? smr_realloc(ctx, grown->code, room, sizeof *code)
                                     : smr_alloc(ctx, room, sizeof *code);
        if (!code) return SMR_ERR_NOMEM;
        grown->code = code;
        grown->room = room;
    }
    TRY(smr_sapling_nodes(ctx, &grown->sapling, n, first));
    memset(grown->code + *first, 0, (size_t)n * sizeof *grown->code);
out:
    return st;
}

void smr_tree_grown_release(smr_tree_grown *grown)
{
    smr_sapling_release(&grown->sapling);
    smr_free(grown->code);
    *grown = (smr_tree_grown){0};
}

/* ---- one engine ---- */

static smr_tree_waiting pop(smr_tree_engine *e)
{
    int64_t at = e->n - 1;
    for (int64_t i = 0; i < e->n && e->best_first; i++) {
        const smr_tree_waiting *a = &e->stack[i], *b = &e->stack[at];
        bool better = a->pick.gain > b->pick.gain;
        if (better || (a->pick.gain == b->pick.gain && a->node < b->node)) at = i;
    }
    smr_tree_waiting w = e->stack[at];
    e->stack[at] = e->stack[--e->n];
    return w;
}

static smr_status run(smr_ctx *ctx, smr_tree_engine *e)
{
    smr_status st = SMR_OK;
    smr_tree_waiting w = {0};
    int64_t every = e->out->sapling.width >= WIDE_LEAF ? 1 : TICK; /* such a split takes long */
    while (e->n > 0) {
        w = pop(e);
        TRY(smr_tree_gather(ctx, e, &w));
        if (!e->best_first) TRY(smr_tree_evaluate(ctx, e, &w));
        TRY(smr_tree_split(ctx, e, &w));
        smr_tree_give_cells(e, &w.cells);
        smr_tree_waiting_release(&w);
        if (++e->n_split % every == 0) TRY(smr_tick(ctx, NULL, e->n_split, 0, NAN));
    }
out:
    smr_tree_waiting_release(&w);
    return st;
}

/* ---- tasks ---- */

struct tasks {
    const smr_tree_plan *plan;
    smr_tree_waiting *todo;
    smr_tree_grown *grown; /* of each task */
};

static smr_status grow_rows(smr_ctx *ctx, const smr_tree_plan *plan, int32_t *row,
                            const smr_tree_place *at, smr_tree_grown *out);

/* A subtree, from a copy of its rows. */
static smr_status grow_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct tasks *t = arg;
    smr_status st = SMR_OK;
    smr_tree_waiting *w = &t->todo[task];
    smr_tree_part part = {0};
    int32_t *row = NULL;
    bool served = false;
    (void)lane;
    smr_tree_place at = {w->row, w->n, w->active, w->n_active, w->depth, w->key};
    if (smr_tree_lists_serve(t->plan, &at))
        TRY(smr_tree_lists_grow(ctx, t->plan, &at, &t->grown[task], &served));
    if (served) goto out;
    TRY(smr_tree_part_make(ctx, t->plan, w->row, w->n, w->active, w->n_active, &part));
    TRY_NEW(row, w->n);
    for (int64_t i = 0; i < w->n; i++) row[i] = (int32_t)i;
    TRY(grow_rows(ctx, &part.plan, row, &at, &t->grown[task]));
out:
    smr_tree_waiting_release(w);
    smr_tree_part_release(&part);
    smr_free(row);
    return st;
}

/* The tree `from` in the place of a leaf of `to`. */
static smr_status graft(smr_ctx *ctx, const smr_tree_grown *from, smr_tree_grown *to, int32_t node)
{
    smr_status st = SMR_OK;
    const smr_sapling *s = &from->sapling;
    int32_t first = 0;
    int64_t words = 0, width = s->width;
    if (s->n == 1) return SMR_OK;
    TRY(smr_tree_grown_nodes(ctx, to, s->n - 1, &first));
    TRY(smr_sapling_words(ctx, &to->sapling, s->n_words, &words));
    if (s->n_words > 0)
        memcpy(to->sapling.words + words, s->words, (size_t)s->n_words * sizeof *s->words);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = i == 0 ? node : first + i - 1;
        to->sapling.node[at] = s->node[i];
        to->sapling.node[at].child += first - 1;
        to->sapling.node[at].set += words;
        to->code[at] = from->code[i];
        memcpy(to->sapling.value + at * width, s->value + i * width,
               (size_t)width * sizeof *s->value);
    }
out:
    return st;
}

/* Large ones first: the last to end are small, and no thread waits long for another. */
static int larger_first(const void *x, const void *y)
{
    const smr_tree_waiting *a = x, *b = y;
    if (a->n != b->n) return a->n < b->n ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static smr_status grow_later(smr_ctx *ctx, smr_tree_engine *e)
{
    smr_status st = SMR_OK;
    struct tasks t = {.plan = e->plan, .todo = e->later};
    int32_t *node = NULL;
    /* lint: allow qsort, no two have one node. */
    qsort(e->later, (size_t)e->n_later, sizeof *e->later, larger_first);
    TRY_NEW(t.grown, e->n_later);
    TRY_NEW(node, e->n_later);
    for (int64_t i = 0; i < e->n_later; i++) node[i] = e->later[i].node;
    TRY(smr_parallel(ctx, "growing", e->n_later, grow_task, &t));
    for (int64_t i = 0; i < e->n_later; i++) TRY(graft(ctx, &t.grown[i], e->out, node[i]));
out:
    for (int64_t i = 0; i < e->n_later && t.grown; i++) smr_tree_grown_release(&t.grown[i]);
    smr_free(t.grown);
    smr_free(node);
    return st;
}

/* ---- the tree ---- */

static smr_status plant(smr_ctx *ctx, smr_tree_engine *e, int32_t *row, const smr_tree_place *at)
{
    smr_status st = SMR_OK;
    const smr_tree_plan *plan = e->plan;
    int64_t n = at->n;
    smr_tree_waiting w = {
        .row = row, .n = n, .n_active = at->n_active, .depth = at->depth, .key = at->key};
    bool stops = false;
    TRY(smr_tree_grown_nodes(ctx, e->out, 1, &w.node));
    TRY(smr_tree_settle(ctx, plan, row, NULL, n, e->out, w.node, &stops));
    e->n_leaves = 1;
    if (stops || w.n_active == 0) return SMR_OK;
    if (plan->params->missing == SMR_TREE_FRACTION) {
        TRY_NEW(w.w, n);
        w.row = NULL;
        w.row = smr_alloc(ctx, n, sizeof *row);
        if (!w.row) TRY(SMR_ERR_NOMEM);
        for (int64_t i = 0; i < n; i++) {
            w.row[i] = row[i];
            w.w[i] = plan->target->w[row[i]];
        }
    }
    TRY_NEW(w.active, w.n_active);
    for (int64_t a = 0; a < w.n_active; a++) w.active[a] = at->active ? at->active[a] : (int32_t)a;
    if (e->best_first) {
        TRY(smr_tree_gather(ctx, e, &w));
        TRY(smr_tree_evaluate(ctx, e, &w));
    }
    TRY(smr_tree_push(ctx, &e->stack, &e->n, &e->room, &w));
out:
    smr_tree_waiting_release(&w);
    return st;
}

/* row: those of `at`, or their numbers in a part; they are put into the order of the leaves. */
static smr_status grow_rows(smr_ctx *ctx, const smr_tree_plan *plan, int32_t *row,
                            const smr_tree_place *at, smr_tree_grown *out)
{
    smr_status st = SMR_OK;
    smr_tree_engine e = {0};
    bool divided = plan->params->missing == SMR_TREE_FRACTION;
    smr_sapling_begin(&out->sapling, plan->target->leaf_width);
    TRY(smr_tree_engine_make(ctx, plan, at->n, smr_lanes(ctx), &e));
    e.out = out;
    e.best_first = plan->params->max_leaves > 0;
    if (!e.best_first && !divided && !plan->trace && at->n >= TASK_LEAST)
        e.small = at->n / TASK_PART;
    TRY(plant(ctx, &e, row, at));
    TRY(run(ctx, &e));
    if (e.n_later > 0) TRY(grow_later(ctx, &e));
out:
    smr_tree_engine_release(&e);
    return st;
}

smr_status smr_tree_grow(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row, int64_t n,
                         smr_tree_grown *out)
{
    smr_status st = SMR_OK;
    int32_t *rows = NULL;
    *out = (smr_tree_grown){0};
    bool served = false;
    smr_tree_place at = {row, n, NULL, plan->codes->d, 0, SMR_TREE_ROOT_KEY};
    if (n * plan->codes->d <= ONE_TASK && smr_tree_lists_serve(plan, &at))
        TRY(smr_tree_lists_grow(ctx, plan, &at, out, &served));
    if (served) goto out;
    TRY_NEW(rows, n);
    memcpy(rows, row, (size_t)n * sizeof *row);
    TRY(grow_rows(ctx, plan, rows, &at, out));
out:
    smr_free(rows);
    if (st != SMR_OK) smr_tree_grown_release(out);
    return st;
}
