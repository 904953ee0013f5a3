/* walk_shared.c -- rows that go all ways where a value is missing (C4.5's fractions).
 *
 * A row is walked from one of its leaves to the next: from a leaf up to the root, which gives its
 * share, the product of the covers' shares at the nodes where the row was divided, and the nearest
 * of these that has a child further on; then down that child.  Climbing needs no stack, so trees
 * may be of any depth; a row that is not divided comes to one leaf with share 1.
 *
 * Cost: twice the steps of each leaf that the row comes to, of which a row with values missing all
 * over may have as many as the tree. */
#include "core/ctx.h"
#include "learn/trees/walk.h"

/* Down to a leaf, by the first child wherever the value is missing. */
static int64_t first_leaf(const smr_trees *t, int64_t node, const void *x, smr_form form)
{
    const smr_tree_step *s = &t->walk->step[node];
    while (smr_step_kind(s) != SMR_SPLIT_LEAF) {
        int64_t c = smr_step_known(s, t->words, smr_row_cell(x, form, smr_step_feature(s)));
        node = s->first + SMR_MAX(c, 0);
        s = &t->walk->step[node];
    }
    return node;
}

static bool is_split_here(const smr_trees *t, const smr_tree_step *s, const void *x, smr_form form)
{
    return smr_step_known(s, t->words, smr_row_cell(x, form, smr_step_feature(s))) < 0;
}

/* Up from a leaf: *share of the row that comes to it, and the next leaf that it comes to; -1: this
 * was the last.  It climbs instead of keeping a stack, because trees may be of any depth. */
static int64_t next_leaf(const smr_trees *t, int64_t leaf, const void *x, smr_form form,
                         double *share)
{
    const struct smr_tree_walk *w = t->walk;
    int64_t turn = -1;
    *share = 1;
    for (int64_t node = leaf, up = w->parent[node]; up >= 0; node = up, up = w->parent[node]) {
        const smr_tree_step *s = &w->step[up];
        if (!is_split_here(t, s, x, form)) continue;
        *share *= smr_trees_share(t, s, node - s->first);
        if (turn < 0 && node + 1 < s->first + smr_step_children(s)) turn = node + 1;
    }
    return turn < 0 ? -1 : first_leaf(t, turn, x, form);
}

static void add_shared(const smr_trees *t, int64_t root, const void *x, smr_form form, double *out)
{
    int64_t node = first_leaf(t, root, x, form);
    while (node >= 0) {
        double share;
        int64_t next = next_leaf(t, node, x, form, &share);
        const double *value = t->value + smr_step_leaf(&t->walk->step[node]) * t->width;
        for (int64_t j = 0; j < t->width; j++) out[j] += share * value[j];
        node = next;
    }
}

static int64_t most_shared(const smr_trees *t, int64_t root, const void *x, smr_form form)
{
    int64_t node = first_leaf(t, root, x, form), best = node;
    double most = -1;
    while (node >= 0) {
        double share;
        int64_t next = next_leaf(t, node, x, form, &share);
        if (share > most) {
            most = share;
            best = node;
        }
        node = next;
    }
    return best;
}

void smr_trees_sum_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                          double *out)
{
    bool is_turns = trees->width < trees->n_scores;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = lo; t < hi; t++)
            add_shared(trees, trees->root[t], smr_row_at(rows, i), rows->form,
                       out + i * trees->n_scores + (is_turns ? t % trees->n_scores : 0));
}

void smr_trees_leaves_shared(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                             int32_t *leaf)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = lo; t < hi; t++) {
            int64_t node = most_shared(trees, trees->root[t], smr_row_at(rows, i), rows->form);
            *leaf++ = (int32_t)smr_step_leaf(&trees->walk->step[node]);
        }
}
