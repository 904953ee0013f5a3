/* draw_tidy.c -- where the boxes of a tree lie.
 *
 * From the leaves up, the subtrees of a node are set side by side, each as near to those on its
 * left as their outlines allow (Reingold & Tilford 1981), then once more from the right.  Both
 * placements keep all distances, and distances are linear in the places, so their mean keeps them
 * too: small subtrees between large ones lie in the middle of the room there is.
 *
 * Cost: at most O(n depth) time and memory. */
#include "report/draw_parts.h"

#include <math.h>

/* The outline of a subtree: at each depth below its root how far it reaches, from the root's
 * middle. */
struct outline {
    int64_t n;
    double *left, *right;
};

struct tidy {
    int64_t *first, *last, *next; /* children of a node, and siblings; -1: none       */
    double *from;                 /* places below the parent's                        */
    double *other;                /* the same, set from the right                     */
    struct outline *outline;
};

static smr_status open_outline(smr_ctx *ctx, int64_t n, struct outline *o)
{
    smr_status st = SMR_OK;
    TRY_NEW(o->left, n);
    TRY_NEW(o->right, n);
    o->n = n;
out:
    return st;
}

static void close_outline(struct outline *o)
{
    smr_free(o->left);
    smr_free(o->right);
    *o = (struct outline){0};
}

/* `sum` grows by an outline whose root is at x. */
static void take(struct outline *sum, const struct outline *o, double x)
{
    for (int64_t d = 0; d < o->n; d++) {
        sum->left[d] = smr_fmin(sum->left[d], x + o->left[d]);
        sum->right[d] = smr_fmax(sum->right[d], x + o->right[d]);
    }
}

static void empty(struct outline *o)
{
    for (int64_t d = 0; d < o->n; d++) {
        o->left[d] = INFINITY;
        o->right[d] = -INFINITY;
    }
}

/* Sets the children of a node from the left; returns how far the last one is. */
static double from_left(const struct tidy *t, int64_t node, double gap, struct outline *sum)
{
    double place = 0;
    empty(sum);
    for (int64_t c = t->first[node]; c >= 0; c = t->next[c]) {
        const struct outline *o = &t->outline[c];
        for (int64_t d = 0; d < o->n; d++)
            place = smr_fmax(place, sum->right[d] + gap - o->left[d]);
        t->from[c] = place;
        take(sum, o, place);
    }
    return place;
}

/* And from the right, the last one at `place`; prev: siblings to the left. */
static void from_right(const struct tidy *t, int64_t node, double gap, double place,
                       const int64_t *prev, struct outline *sum)
{
    empty(sum);
    for (int64_t c = t->last[node]; c >= 0; c = prev[c]) {
        const struct outline *o = &t->outline[c];
        for (int64_t d = 0; d < o->n; d++)
            place = smr_fmin(place, sum->left[d] - gap - o->right[d]);
        t->other[c] = place;
        take(sum, o, place);
    }
}

/* Outlines of the children become that of the node. */
static smr_status join(smr_ctx *ctx, struct tidy *t, int64_t node, double width, double gap,
                       const int64_t *prev)
{
    smr_status st = SMR_OK;
    struct outline sum = {0};
    int64_t deepest = 0;
    for (int64_t c = t->first[node]; c >= 0; c = t->next[c])
        deepest = SMR_MAX(deepest, t->outline[c].n);
    TRY(open_outline(ctx, deepest, &sum));
    from_right(t, node, gap, from_left(t, node, gap, &sum), prev, &sum);
    double middle = 0;
    for (int64_t c = t->first[node]; c >= 0; c = t->next[c])
        t->from[c] = (t->from[c] + t->other[c]) / 2;
    if (deepest) middle = (t->from[t->first[node]] + t->from[t->last[node]]) / 2;
    empty(&sum);
    for (int64_t c = t->first[node]; c >= 0; c = t->next[c]) {
        t->from[c] -= middle;
        take(&sum, &t->outline[c], t->from[c]);
        close_outline(&t->outline[c]);
    }
    TRY(open_outline(ctx, deepest + 1, &t->outline[node]));
    t->outline[node].left[0] = -width / 2;
    t->outline[node].right[0] = width / 2;
    for (int64_t d = 0; d < deepest; d++) {
        t->outline[node].left[d + 1] = sum.left[d];
        t->outline[node].right[d + 1] = sum.right[d];
    }
out:
    close_outline(&sum);
    return st;
}

static void link(struct tidy *t, int64_t n, const int64_t *parent, int64_t *prev)
{
    for (int64_t i = 0; i < n; i++) t->first[i] = t->last[i] = t->next[i] = prev[i] = -1;
    for (int64_t i = 1; i < n; i++) {
        int64_t p = parent[i];
        prev[i] = t->last[p];
        if (t->first[p] < 0)
            t->first[p] = i;
        else
            t->next[t->last[p]] = i;
        t->last[p] = i;
    }
}

smr_status smr_tidy(smr_ctx *ctx, int64_t n, const int64_t *parent, const double *width, double gap,
                    double *x, double *right)
{
    smr_status st = SMR_OK;
    struct tidy t = {0};
    int64_t *prev = NULL;
    TRY_NEW(t.first, n);
    TRY_NEW(t.last, n);
    TRY_NEW(t.next, n);
    TRY_NEW(t.from, n);
    TRY_NEW(t.other, n);
    TRY_NEW(t.outline, n);
    TRY_NEW(prev, n);
    link(&t, n, parent, prev);
    for (int64_t i = n; i-- > 0;) TRY(join(ctx, &t, i, width[i], gap, prev));
    double left = 0;
    for (int64_t d = 0; d < t.outline[0].n; d++) left = smr_fmin(left, t.outline[0].left[d]);
    *right = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = i ? x[parent[i]] + t.from[i] : -left;
        *right = smr_fmax(*right, x[i] + width[i] / 2);
    }
out:
    for (int64_t i = 0; t.outline && i < n; i++) close_outline(&t.outline[i]);
    smr_free(t.first);
    smr_free(t.last);
    smr_free(t.next);
    smr_free(t.from);
    smr_free(t.other);
    smr_free(t.outline);
    smr_free(prev);
    return st;
}
