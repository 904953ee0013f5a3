/* reading.c -- one tree with its names: opening it, and which of its nodes are shown. */
#include "learn/trees/reading.h"

#include "core/sort.h"

#include <math.h>

/* ---- opening ---------------------------------------------------------------------------- */

smr_tree_node smr_reading_node(const smr_reading *r, int64_t node)
{
    smr_tree_node n = smr_trees_node(r->view.trees, r->first + node);
    n.child -= r->first;
    return n;
}

/* Values in the units of the target: those to predict, and parts of them. */
static void rescale(smr_reading *r)
{
    const smr_tree_names *names = &r->names;
    bool parts = r->view.says == SMR_SAYS_SCORES;
    if (!names->mean || !names->sd || names->classes || r->view.says == SMR_SAYS_SHARES) return;
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t k = 0; k < r->width; k++) {
            double *v = &r->value[i * r->width + k];
            int64_t target = r->width > 1 ? k : r->tree % r->view.trees->n_scores;
            *v = *v * names->sd[target] + (parts ? 0 : names->mean[target]);
        }
}

static void link(smr_reading *r)
{
    r->parent[0] = -1;
    for (int64_t i = 0; i < r->n; i++) {
        smr_tree_node node = smr_reading_node(r, i);
        for (int64_t c = 0; c < node.n_children; c++) {
            r->parent[node.child + c] = i;
            r->nth[node.child + c] = c;
            r->depth[node.child + c] = r->depth[i] + 1;
        }
    }
    for (int64_t i = r->n - 1; i > 0; i--) r->below[r->parent[i]] += 1 + r->below[i];
}

smr_status smr_reading_open(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names,
                            int64_t tree, smr_reading *r)
{
    smr_status st = SMR_OK;
    const smr_trees *t = view->trees;
    *r = (smr_reading){.view = *view, .names = *names, .tree = tree, .width = t->width};
    if (tree < 0 || tree >= t->n_trees)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no tree %lld; the model has %lld, counted from 0",
                        (long long)tree, (long long)t->n_trees);
    r->first = t->root[tree];
    r->n = t->root[tree + 1] - r->first;
    TRY_NEW(r->parent, r->n);
    TRY_NEW(r->nth, r->n);
    TRY_NEW(r->below, r->n);
    TRY_NEW(r->depth, r->n);
    TRY(smr_trees_values(ctx, t, tree, &r->value));
    rescale(r);
    link(r);
out:
    if (st != SMR_OK) smr_reading_close(r);
    return st;
}

void smr_reading_close(smr_reading *r)
{
    smr_free(r->value);
    smr_free(r->parent);
    smr_free(r->nth);
    smr_free(r->below);
    smr_free(r->depth);
    *r = (smr_reading){0};
}

/* ---- what is shown ---------------------------------------------------------------------- */

enum { MOST_WAYS = 12 };

struct choice {
    const smr_reading *r;
    smr_reading_limits limits;
    bool *shown;
    int64_t *open, n_open; /* shown, and their children not yet: a heap by rows */
    int64_t n_shown;
};

static double rows_of(const smr_reading *r, int64_t node)
{
    return (double)r->view.trees->cover[r->first + node];
}

/* More rows first, then the node nearer to the root. */
static bool comes_before(const smr_reading *r, int64_t a, int64_t b)
{
    double x = rows_of(r, a), y = rows_of(r, b);
    return x > y || (!(x < y) && a < b);
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct choice *c, int64_t node)
{
    int64_t i = c->n_open++;
    c->open[i] = node;
    for (; i > 0 && comes_before(c->r, c->open[i], c->open[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&c->open[i], &c->open[(i - 1) / 2]);
}

static int64_t pop(struct choice *c)
{
    int64_t top = c->open[0], i = 0;
    c->open[0] = c->open[--c->n_open];
    for (;;) {
        int64_t best = i;
        for (int64_t k = 2 * i + 1; k <= 2 * i + 2 && k < c->n_open; k++)
            if (comes_before(c->r, c->open[k], c->open[best])) best = k;
        if (best == i) return top;
        swap(&c->open[i], &c->open[best]);
        i = best;
    }
}

static void show(struct choice *c, int64_t node)
{
    c->shown[node] = true;
    c->n_shown++;
    if (c->limits.depth == 0 || c->r->depth[node] < c->limits.depth)
        if (c->r->below[node] > 0) push(c, node);
}

/* Where there are too many children for the room, the ones with the most rows. */
static smr_status show_largest(smr_ctx *ctx, struct choice *c, const smr_tree_node *node,
                               int64_t most)
{
    smr_status st = SMR_OK;
    double *falling = NULL;
    int64_t *order = NULL;
    TRY_NEW(falling, node->n_children);
    TRY_NEW(order, node->n_children);
    for (int64_t k = 0; k < node->n_children; k++) falling[k] = -rows_of(c->r, node->child + k);
    TRY(smr_argsort_f64(ctx, node->n_children, falling, order));
    for (int64_t k = 0; k < most; k++) show(c, node->child + order[k]);
out:
    smr_free(falling);
    smr_free(order);
    return st;
}

/* Both children of a question, or as many of a multiway split's as there is room for. */
static smr_status show_children(smr_ctx *ctx, struct choice *c, int64_t at)
{
    smr_tree_node node = smr_reading_node(c->r, at);
    int64_t room = c->limits.nodes ? c->limits.nodes - c->n_shown : node.n_children;
    if (node.n_children <= room && (node.n_children <= MOST_WAYS || !c->limits.nodes)) {
        for (int64_t k = 0; k < node.n_children; k++) show(c, node.child + k);
        return SMR_OK;
    }
    room = SMR_MIN(room, MOST_WAYS);
    return node.n_children > 2 && room > 0
               ? show_largest(ctx, c, &node, SMR_MIN(room, node.n_children))
               : SMR_OK;
}

smr_status smr_reading_choose(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                              bool **shown)
{
    smr_status st = SMR_OK;
    struct choice c = {.r = r, .limits = limits};
    TRY_NEW(c.shown, r->n);
    TRY_NEW(c.open, r->n);
    show(&c, 0);
    while (c.n_open > 0 && (limits.nodes == 0 || c.n_shown < limits.nodes))
        TRY(show_children(ctx, &c, pop(&c)));
    *shown = c.shown;
    c.shown = NULL;
out:
    smr_free(c.shown);
    smr_free(c.open);
    return st;
}

int64_t smr_reading_hidden(const smr_reading *r, const bool *shown, int64_t at)
{
    smr_tree_node node = smr_reading_node(r, at);
    int64_t hidden = r->below[at];
    for (int64_t k = 0; k < node.n_children; k++)
        if (shown[node.child + k]) hidden -= 1 + r->below[node.child + k];
    return hidden;
}

/* ---- questions -------------------------------------------------------------------------- */

bool smr_reading_asks_codes(const smr_reading *r, const smr_tree_node *node)
{
    const smr_feature *f = &r->names.in[node->feature];
    return node->kind == SMR_SPLIT_SET || node->kind == SMR_SPLIT_WAYS ||
           (f->kind == SMR_CATEGORY && f->levels && f->levels->n > 0);
}

static bool holds(const int32_t *words, int64_t n_words, int64_t code)
{
    return code / 32 < n_words && (uint32_t)words[code / 32] >> (code % 32) & 1;
}

/* Where a missing value goes, as trees.h says; for rows that go all ways, where the largest part
 * goes. */
static int64_t way_of_missing(const smr_trees *t, const smr_tree_node *node, int64_t child)
{
    int64_t best = 0;
    if (node->missing_first && !t->is_shared) return 0;
    if (node->kind != SMR_SPLIT_WAYS && !t->is_shared) return 1;
    for (int64_t c = 1; c < node->n_children; c++)
        if (t->cover[child + c] > t->cover[child + best]) best = c;
    return best;
}

bool smr_reading_missing_goes(const smr_reading *r, const smr_tree_node *node, int64_t c)
{
    return way_of_missing(r->view.trees, node, r->first + node->child) == c;
}

smr_code_test smr_reading_test(const smr_reading *r, const smr_tree_node *node, int64_t c)
{
    const smr_feature *f = &r->names.in[node->feature];
    bool named = f->kind == SMR_CATEGORY && f->n_levels > 0;
    int64_t seen = node->kind == SMR_SPLIT_WAYS  ? node->n_children
                   : node->kind == SMR_SPLIT_SET ? 32 * node->n_words
                                                 : f->n_levels;
    int64_t n = named ? f->n_levels : seen;
    return (smr_code_test){.node = *node,
                           .c = c,
                           .n_levels = n,
                           .covered = SMR_MIN(n, seen),
                           .rest = smr_reading_missing_goes(r, node, c)};
}

bool smr_code_passes(const void *test, int64_t code)
{
    const smr_code_test *t = test;
    if (code >= t->covered) return t->rest;
    if (t->node.kind == SMR_SPLIT_WAYS) return code == t->c;
    bool first = t->node.kind == SMR_SPLIT_SET ? holds(t->node.words, t->node.n_words, code)
                                               : (double)code <= t->node.cut;
    return first == (t->c == 0);
}

int64_t smr_tree_way(const smr_trees *t, int64_t at, double x)
{
    smr_tree_node node = smr_trees_node(t, at);
    bool is_code = x >= 0 && x < 2147483648.0; /* false for NaN */
    if (node.kind == SMR_SPLIT_CUT && !isnan(x)) return x <= node.cut ? 0 : 1;
    if (node.kind == SMR_SPLIT_SET && is_code && (int64_t)x / 32 < node.n_words)
        return holds(node.words, node.n_words, (int64_t)x) ? 0 : 1;
    if (node.kind == SMR_SPLIT_WAYS && is_code && (int64_t)x < node.n_children) return (int64_t)x;
    return way_of_missing(t, &node, node.child);
}
