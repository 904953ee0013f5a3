/* tree_grow.c -- a tree from its root to its leaves.
 *
 * Nodes wait on a stack, so that depth costs no C stack: the smaller of two children is split
 * first.  With max_leaves the node of largest gain is split first, among equals the oldest.  Else
 * large nodes are searched and divided by all threads, several at a time (tree_front.c), and the
 * nodes that come down to a sixteenth of the rows become subtrees.  A subtree works with lists
 * (tree_lists.c), or, where these do not serve, with a copy of its rows (tree_part.c): then the
 * nodes that come down to an eighth of its rows are set aside once more, until all subtrees have
 * come so far, and are grown to their ends, which does the same again, one after another.  Tasks
 * are thus the tops of the subtrees, then the subtrees of these: none holds more than a 128th of
 * the rows for long, and many threads end at about the same time.  Each is put into its place in an
 * order that its rows give: the tree does not depend on the number of threads.
 *
 * Cost: about n log n for each feature that is not constant, and level of the tree; memory 50 bytes
 * per row, a copy of the codes, and histograms of 8 bytes x values x classes for each narrow
 * feature (at most 256 MB for one node, else rows are sorted) and twice log2 of the rows. */
#include "learn/trees/tree_grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOP_PART = 16,
    TASK_PART = 8,
    TASK_LEAST = 512,
    ONE_TASK = 1 << 20,
    TICK = 64,
    WIDE_LEAF = 1024
};

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
        smr_tree_desk desk = {.e = e, .w = &w};
        w = pop(e);
        TRY(smr_tree_gather(ctx, &desk, 1));
        if (!e->best_first) TRY(smr_tree_evaluate(ctx, &desk, 1));
        TRY(smr_tree_split(ctx, &desk, 1));
        smr_tree_give_cells(e, &w.cells);
        smr_tree_waiting_release(&w);
        if (++e->n_split % every == 0) TRY(smr_tick(ctx, NULL, e->n_split, 0, NAN));
    }
out:
    smr_tree_waiting_release(&w);
    return st;
}

/* ---- the top of a tree ---- */

/* Nodes that grow later, each a task of its own. */
struct later {
    smr_tree_waiting *node; /* owned */
    int64_t n;
};

static void release_later(struct later *later)
{
    for (int64_t i = 0; i < later->n; i++) smr_tree_waiting_release(&later->node[i]);
    smr_free(later->node);
    *later = (struct later){0};
}

/* Large ones first: the last to end are small, and no thread waits long for another. */
static int larger_first(const void *x, const void *y)
{
    const smr_tree_waiting *a = x, *b = y;
    if (a->n != b->n) return a->n < b->n ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static smr_status plant(smr_ctx *ctx, smr_tree_engine *e, int32_t *row, const smr_tree_place *at)
{
    smr_status st = SMR_OK;
    const smr_tree_plan *plan = e->plan;
    int64_t n = at->n;
    smr_tree_waiting w = {
        .row = row, .n = n, .n_active = at->n_active, .depth = at->depth, .key = at->key};
    bool stops = false;
    TRY(smr_tree_grown_nodes(ctx, e->out, 1, &w.node));
    TRY(smr_tree_settle(ctx, plan, &(smr_tree_share){.row = row, .n = n}, e->out, w.node, &stops));
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
        smr_tree_desk desk = {.e = e, .w = &w};
        TRY(smr_tree_gather(ctx, &desk, 1));
        TRY(smr_tree_evaluate(ctx, &desk, 1));
    }
    TRY(smr_tree_push(ctx, &e->stack, &e->n, &e->room, &w));
out:
    smr_tree_waiting_release(&w);
    return st;
}

/* The nodes of a tree that are not for later, and those that are, large ones first.  row: those of
 * `at`, or their numbers in a part; they are put into the order of the leaves. */
static smr_status grow_top(smr_ctx *ctx, const smr_tree_plan *plan, int32_t *row,
                           const smr_tree_place *at, smr_tree_grown *out, struct later *later)
{
    smr_status st = SMR_OK;
    smr_tree_engine e = {0};
    bool divided = plan->params->missing == SMR_TREE_FRACTION;
    smr_sapling_begin(&out->sapling, plan->target->leaf_width);
    TRY(smr_tree_engine_make(ctx, plan, at->n, smr_lanes(ctx), &e));
    e.out = out;
    e.best_first = plan->params->max_leaves > 0;
    if (!e.best_first && !divided && !plan->trace && at->n >= TASK_LEAST)
        e.small = at->n / (at->depth == 0 ? TOP_PART : TASK_PART);
    bool in_step = e.small > 0 && smr_lanes(ctx) > 1 && !plan->codes->sparse &&
                   plan->criterion != SMR_TREE_ABSOLUTE;
    TRY(plant(ctx, &e, row, at));
    TRY(in_step ? smr_tree_grow_front(ctx, &e, row) : run(ctx, &e));
    /* lint: allow qsort, no two have one node. */
    if (e.n_later > 1) qsort(e.later, (size_t)e.n_later, sizeof *e.later, larger_first);
    *later = (struct later){.node = e.later, .n = e.n_later};
    e.later = NULL, e.n_later = 0;
out:
    smr_tree_engine_release(&e);
    return st;
}

/* ---- subtrees ---- */

/* A subtree that grows: from a copy of its rows, where lists do not serve. */
struct subtree {
    smr_tree_part part;
    int32_t *row; /* numbers in the part */
    smr_tree_grown grown;
    struct later later; /* nodes of it that are for later */
    int64_t first;      /* of these among those of all    */
};

static void release_subtrees(struct subtree *s, int64_t n)
{
    for (int64_t i = 0; s && i < n; i++) {
        release_later(&s[i].later);
        smr_tree_part_release(&s[i].part);
        smr_free(s[i].row);
        smr_tree_grown_release(&s[i].grown);
    }
    smr_free(s);
}

/* The whole of it, or all except what is for later. */
static smr_status begin_subtree(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_waiting *w,
                                struct subtree *s)
{
    smr_status st = SMR_OK;
    bool served = false;
    smr_tree_place at = {w->row, w->n, w->active, w->n_active, w->depth, w->key};
    if (smr_tree_lists_serve(plan, &at))
        TRY(smr_tree_lists_grow(ctx, plan, &at, &s->grown, &served));
    if (served) goto out;
    TRY(smr_tree_part_make(ctx, plan, w->row, w->n, w->active, w->n_active, &s->part));
    TRY_NEW(s->row, w->n);
    for (int64_t i = 0; i < w->n; i++) s->row[i] = (int32_t)i;
    TRY(grow_top(ctx, &s->part.plan, s->row, &at, &s->grown, &s->later));
out:
    return st;
}

struct tops {
    const smr_tree_plan *plan;
    const struct later *from;
    struct subtree *to;
};

static smr_status grow_subtree_top(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct tops *t = arg;
    (void)lane;
    return begin_subtree(ctx, t->plan, &t->from->node[task], &t->to[task]);
}

/* One of those that the tops have left. */
struct below {
    const struct subtree *of;
    const smr_tree_waiting *from;
    smr_tree_grown *to;
};

static smr_status grow_later(smr_ctx *ctx, const smr_tree_plan *plan, const struct later *later,
                             smr_tree_grown *out);

static smr_status grow_below(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct below *b = (struct below *)arg + task;
    smr_status st = SMR_OK;
    struct subtree *s = NULL;
    (void)lane;
    TRY_NEW(s, 1);
    TRY(begin_subtree(ctx, &b->of->part.plan, b->from, s));
    TRY(grow_later(ctx, &s->part.plan, &s->later, &s->grown));
    *b->to = s->grown;
    s->grown = (smr_tree_grown){0};
out:
    release_subtrees(s, 1);
    return st;
}

/* Trees in the places of leaves of `to`: each has its part of the nodes and words there. */
struct graft {
    const smr_tree_grown *from;
    int32_t node, first;
    int64_t words;
};

struct grafts {
    smr_tree_grown *to;
    struct graft *of;
};

static smr_status copy_graft(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct grafts *grafts = arg;
    const struct graft *g = &grafts->of[task];
    const smr_sapling *s = &g->from->sapling;
    smr_sapling *to = &grafts->to->sapling;
    size_t width = (size_t)s->width * sizeof *s->value;
    (void)ctx, (void)lane;
    if (s->n == 1) return SMR_OK;
    if (s->n_words > 0)
        memcpy(to->words + g->words, s->words, (size_t)s->n_words * sizeof *s->words);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = i == 0 ? g->node : g->first + i - 1;
        to->node[at] = s->node[i];
        to->node[at].child += g->first - 1;
        to->node[at].set += g->words;
        grafts->to->code[at] = g->from->code[i];
        memcpy(to->value + at * s->width, s->value + i * s->width, width);
    }
    return SMR_OK;
}

/* n grafts, whose `from` and `node` are known. */
static smr_status graft(smr_ctx *ctx, struct graft *of, int64_t n, smr_tree_grown *to)
{
    smr_status st = SMR_OK;
    struct grafts grafts = {to, of};
    int64_t n_nodes = 0, n_words = 0, words = 0;
    int32_t first = 0;
    for (int64_t i = 0; i < n; i++) {
        n_nodes += of[i].from->sapling.n - 1;
        n_words += of[i].from->sapling.n > 1 ? of[i].from->sapling.n_words : 0;
    }
    if (n_nodes == 0) return SMR_OK;
    TRY(smr_tree_grown_nodes(ctx, to, n_nodes, &first));
    TRY(smr_sapling_words(ctx, &to->sapling, n_words, &words));
    for (int64_t i = 0; i < n; i++) {
        const smr_sapling *s = &of[i].from->sapling;
        of[i].first = first;
        of[i].words = words;
        first += (int32_t)(s->n - 1);
        words += s->n > 1 ? s->n_words : 0;
    }
    TRY(smr_parallel(ctx, NULL, n, copy_graft, &grafts));
out:
    return st;
}

/* Large ones first, as below. */
static int larger_below_first(const void *x, const void *y)
{
    const struct below *a = x, *b = y;
    if (a->from->n != b->from->n) return a->from->n < b->from->n ? 1 : -1;
    if (a->of != b->of) return a->of < b->of ? -1 : 1;
    return (a->from->node > b->from->node) - (a->from->node < b->from->node);
}

/* What was grown below the tops of the subtrees: that of subtree i from s[i].first on. */
struct finishing {
    struct subtree *s;
    const smr_tree_grown *grown;
};

/* It is put into its place. */
static smr_status finish_subtree(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct finishing *f = arg;
    smr_status st = SMR_OK;
    struct subtree *s = &f->s[task];
    struct graft *grafts = NULL;
    (void)lane;
    if (s->later.n == 0) return SMR_OK;
    TRY_NEW(grafts, s->later.n);
    for (int64_t k = 0; k < s->later.n; k++)
        grafts[k] = (struct graft){.from = &f->grown[s->first + k], .node = s->later.node[k].node};
    TRY(graft(ctx, grafts, s->later.n, &s->grown));
out:
    smr_free(grafts);
    return st;
}

/* What the tops of the subtrees have left, each by one thread. */
static smr_status finish_subtrees(smr_ctx *ctx, struct subtree *s, int64_t n)
{
    smr_status st = SMR_OK;
    struct below *below = NULL;
    smr_tree_grown *grown = NULL;
    int64_t n_below = 0, at = 0;
    for (int64_t i = 0; i < n; i++) n_below += s[i].later.n;
    if (n_below == 0) return SMR_OK;
    TRY_NEW(below, n_below);
    TRY_NEW(grown, n_below);
    for (int64_t i = 0; i < n; i++) {
        s[i].first = at;
        for (int64_t k = 0; k < s[i].later.n; k++, at++)
            below[at] = (struct below){&s[i], &s[i].later.node[k], &grown[at]};
    }
    /* lint: allow qsort, no two of one subtree have one node. */
    qsort(below, (size_t)n_below, sizeof *below, larger_below_first);
    TRY(smr_parallel(ctx, "growing", n_below, grow_below, below));
    struct finishing f = {s, grown};
    TRY(smr_parallel(ctx, NULL, n, finish_subtree, &f));
out:
    for (int64_t i = 0; i < n_below && grown; i++) smr_tree_grown_release(&grown[i]);
    smr_free(grown);
    smr_free(below);
    return st;
}

/* The nodes that are for later, into their places. */
static smr_status grow_later(smr_ctx *ctx, const smr_tree_plan *plan, const struct later *later,
                             smr_tree_grown *out)
{
    smr_status st = SMR_OK;
    struct tops t = {.plan = plan, .from = later};
    struct graft *grafts = NULL;
    if (later->n == 0) return SMR_OK;
    TRY_NEW(t.to, later->n);
    TRY_NEW(grafts, later->n);
    TRY(smr_parallel(ctx, "growing", later->n, grow_subtree_top, &t));
    TRY(finish_subtrees(ctx, t.to, later->n));
    for (int64_t i = 0; i < later->n; i++)
        grafts[i] = (struct graft){.from = &t.to[i].grown, .node = later->node[i].node};
    TRY(graft(ctx, grafts, later->n, out));
out:
    smr_free(grafts);
    release_subtrees(t.to, later->n);
    return st;
}

/* ---- the tree ---- */

smr_status smr_tree_grow(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row, int64_t n,
                         smr_tree_grown *out)
{
    smr_status st = SMR_OK;
    int32_t *rows = NULL;
    struct later later = {0};
    *out = (smr_tree_grown){0};
    bool served = false;
    smr_tree_place at = {row, n, NULL, plan->codes->d, 0, SMR_TREE_ROOT_KEY};
    if (n * plan->codes->d <= ONE_TASK && smr_tree_lists_serve(plan, &at))
        TRY(smr_tree_lists_grow(ctx, plan, &at, out, &served));
    if (served) goto out;
    TRY_NEW(rows, n);
    memcpy(rows, row, (size_t)n * sizeof *row);
    TRY(grow_top(ctx, plan, rows, &at, out, &later));
    TRY(grow_later(ctx, plan, &later, out));
out:
    release_later(&later);
    smr_free(rows);
    if (st != SMR_OK) smr_tree_grown_release(out);
    return st;
}
