/* walk_shared.c -- rows that go all ways where a value is missing (C4.5's fractions).
 *
 * A row is walked from one of its leaves to the next: up to the nearest node where it was divided
 * and that has a child further on, then down that child.  The share of a leaf is the product of the
 * covers' shares at the nodes where the row was divided, from the root down; the products so far
 * are kept for those on the way, at most SMR_TREE_SHARED_DEPTH, which no such tree passes.
 *
 * Cost: each node that the row comes to, once down and once up; a row with values missing all over
 * comes to all nodes of the tree. */
#include "core/ctx.h"
#include "learn/trees/walk.h"

/* A row on its way through a tree. */
struct shared {
    const smr_trees *t;
    const void *x;
    smr_form form;
    int64_t n;                               /* nodes above where it was divided */
    double share[SMR_TREE_SHARED_DEPTH + 1]; /* of the row at each of them, and where it is now */
};

/* Which child it goes to; -1: it is divided. */
static int64_t way_of(const struct shared *r, const smr_tree_step *s)
{
    return smr_step_known(s, r->t->words, smr_row_cell(r->x, r->form, smr_step_feature(s)));
}

/* From where it is divided to a child. */
static void divide(struct shared *r, const smr_tree_step *s, int64_t child)
{
    r->share[r->n] = r->share[r->n - 1] * smr_trees_share(r->t, s, child);
}

/* Down to a leaf, by the first child wherever the row is divided. */
static int64_t first_leaf(struct shared *r, int64_t node)
{
    const smr_tree_step *s = &r->t->walk->step[node];
    while (smr_step_kind(s) != SMR_SPLIT_LEAF) {
        int64_t c = way_of(r, s);
        if (c < 0) {
            r->n++;
            divide(r, s, 0);
        }
        node = s->first + SMR_MAX(c, 0);
        s = &r->t->walk->step[node];
    }
    return node;
}

/* Up from a leaf to the next leaf that the row comes to; -1: this was the last. */
static int64_t next_leaf(struct shared *r, int64_t leaf)
{
    const struct smr_tree_walk *w = r->t->walk;
    for (int64_t node = leaf, up = w->parent[node]; r->n > 0; node = up, up = w->parent[node]) {
        const smr_tree_step *s = &w->step[up];
        if (way_of(r, s) >= 0) continue;
        if (node + 1 < s->first + smr_step_children(s)) {
            divide(r, s, node + 1 - s->first);
            return first_leaf(r, node + 1);
        }
        r->n--;
    }
    return -1;
}

static void add_shared(struct shared *r, int64_t root, double *out)
{
    const smr_trees *t = r->t;
    r->n = 0;
    r->share[0] = 1;
    for (int64_t node = first_leaf(r, root); node >= 0; node = next_leaf(r, node)) {
        const double *value = t->value + smr_step_leaf(&t->walk->step[node]) * t->width;
        for (int64_t j = 0; j < t->width; j++) out[j] += r->share[r->n] * value[j];
    }
}

static int64_t most_shared(struct shared *r, int64_t root)
{
    int64_t best = -1;
    double most = -1;
    r->n = 0;
    r->share[0] = 1;
    for (int64_t node = first_leaf(r, root); node >= 0; node = next_leaf(r, node))
        if (r->share[r->n] > most) {
            most = r->share[r->n];
            best = node;
        }
    return best;
}

void smr_trees_sum_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                          double *out)
{
    bool is_turns = trees->width < trees->n_scores;
    struct shared r;
    r.t = trees;
    r.form = rows->form;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = lo; t < hi; t++) {
            r.x = smr_row_at(rows, i);
            add_shared(&r, trees->root[t],
                       out + i * trees->n_scores + (is_turns ? t % trees->n_scores : 0));
        }
}

void smr_trees_leaves_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                             int32_t *leaf)
{
    struct shared r;
    r.t = trees;
    r.form = rows->form;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = lo; t < hi; t++) {
            r.x = smr_row_at(rows, i);
            int64_t node = most_shared(&r, trees->root[t]);
            *leaf++ = (int32_t)smr_step_leaf(&trees->walk->step[node]);
        }
}
