/* walk_sparse.c -- sparse rows through trees: what a row does not hold is 0.
 *
 * LANES rows at a time are spread over a scratch of LANES doubles per feature, side by side, so
 * that a cache line holds one feature of all of them and features that no split asks for are never
 * read; they walk through one tree after another, as in walk.c; then their entries are cleared
 * again.  Where trees ask for fewer cells than a row has entries (stumps), these are looked up
 * among the row's entries instead.  A row's leaves are the same either way, and those of its dense
 * copy; its answers are added in the order of the trees.
 *
 * Cost: the entries of a row twice, and its walks; for each call the features that splits ask for.
 * No memory except the scratch. */
#include "core/ctx.h"
#include "learn/trees/walk.h"

enum { LANES = 8, LOOK_UP = 16 /* entries that cost as much to spread as one to be looked up */ };

int64_t smr_trees_scratch(int64_t n_features)
{
    return n_features * LANES * (int64_t)sizeof(double);
}

/* ---- looking up ------------------------------------------------------------------------- */

/* The value of feature j of row i. */
static double value_of(const smr_rows *rows, int64_t i, int64_t j)
{
    int64_t end = rows->start[i + 1], at = smr_find_column(rows->column, rows->start[i], end, j);
    return at < end && rows->column[at] == j ? rows->value[at] : 0;
}

static int32_t look_up(const smr_trees *t, int64_t tree, const smr_rows *rows, int64_t i)
{
    int32_t node = (int32_t)t->root[tree];
    const smr_tree_step *s = &t->walk->step[node];
    while (smr_step_kind(s) != SMR_SPLIT_LEAF) {
        int64_t c = smr_step_known(s, t->words, value_of(rows, i, smr_step_feature(s)));
        node = s->first + (int32_t)(c >= 0 ? c : smr_step_unknown(s));
        s = &t->walk->step[node];
    }
    return node;
}

/* ---- walking ---------------------------------------------------------------------------- */

static inline int32_t step_on(const smr_tree_step *s, const int32_t *words, const double *x,
                              int32_t node, const bool is_plain)
{
    double v = x[(int64_t)(s->split >> 4) * LANES];
    if (is_plain) return s->first + (v > s->what.cut);
    if (smr_step_kind(s) == SMR_SPLIT_LEAF) return node;
    int64_t c = smr_step_known(s, words, v);
    return s->first + (int32_t)(c >= 0 ? c : smr_step_unknown(s));
}

/* LANES walks through one tree; is_plain: no value is missing, and all splits are cuts. */
static inline __attribute__((always_inline)) void
walk_tree(const smr_trees *t, int64_t tree, const double *x, const bool is_plain, int32_t *node)
{
    const smr_tree_step *step = t->walk->step;
    for (int k = 0; k < LANES; k++) node[k] = (int32_t)t->root[tree];
    uint32_t open = 1;
    for (int32_t level = 0; level < t->walk->deep[tree] && open; level++) {
        open = 0;
        for (int k = 0; k < LANES; k++) {
            const smr_tree_step *s = step + node[k];
            open |= s->split; /* 0 for leaves alone */
            node[k] = step_on(s, t->words, x + k, node[k], is_plain);
        }
    }
}

static void add_leaf(const smr_trees *t, int64_t tree, int32_t node, double *out)
{
    int64_t leaf = smr_step_leaf(&t->walk->step[node]);
    if (t->width == 1)
        out[t->n_scores > 1 ? tree % t->n_scores : 0] += t->value[leaf];
    else
        for (int64_t j = 0; j < t->width; j++) out[j] += t->value[leaf * t->width + j];
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Rows [i, i + n) into the scratch, or zeros in their place; true where a value is missing. */
static bool spread(const smr_rows *rows, int64_t i, int64_t n, bool is_there, double *x)
{
    bool missing = false;
    for (int64_t k = 0; k < n; k++)
        for (int64_t e = rows->start[i + k]; e < rows->start[i + k + 1]; e++) {
            double v = is_there ? rows->value[e] : 0;
            x[(int64_t)rows->column[e] * LANES + k] = v;
            missing |= v != v;
        }
    return missing;
}

/* The most steps of a row. */
static int64_t steps_of(const smr_trees *t, int64_t lo, int64_t hi)
{
    int64_t steps = 0;
    for (int64_t tree = lo; tree < hi; tree++) steps += t->walk->deep[tree];
    return steps;
}

static void walk_rows(const smr_trees *t, const smr_rows *rows, int64_t lo, int64_t hi, double *out,
                      double *x)
{
    if (t->walk->n_used > 0) memset(x, 0, LANES * sizeof *x); /* leaves ask for feature 0 */
    for (int64_t u = 0; u < t->walk->n_used; u++)
        memset(x + t->walk->used[u] * LANES, 0, LANES * sizeof *x);
    for (int64_t i = 0; i < rows->n; i += LANES) {
        int64_t n = SMR_MIN(LANES, rows->n - i);
        bool is_plain = !spread(rows, i, n, true, x) && t->walk->only_cuts;
        for (int64_t tree = lo; tree < hi; tree++) {
            int32_t node[LANES];
            if (is_plain)
                walk_tree(t, tree, x, true, node);
            else
                walk_tree(t, tree, x, false, node);
            for (int64_t k = 0; k < n; k++) add_leaf(t, tree, node[k], out + (i + k) * t->n_scores);
        }
        spread(rows, i, n, false, x);
    }
}

/* Rows that may go several ways, one by one, as dense ones. */
static void walk_shared(const smr_trees *t, const smr_rows *rows, int64_t lo, int64_t hi,
                        double *out, double *x)
{
    smr_rows one = *rows;
    one.form = SMR_FORM_F64;
    one.n = 1;
    one.x = x;
    one.stride = rows->d;
    for (int64_t u = 0; u < t->walk->n_used; u++) x[t->walk->used[u]] = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            x[rows->column[e]] = rows->value[e];
        smr_trees_sum_shared(t, &one, lo, hi, out + i * t->n_scores);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) x[rows->column[e]] = 0;
    }
}

void smr_trees_answer(const smr_trees *t, const smr_rows *rows, int64_t lo, int64_t hi, double *out,
                      void *scratch)
{
    if (rows->form != SMR_FORM_SPARSE) {
        smr_trees_sum(t, rows, lo, hi, out);
        return;
    }
    if (t->is_shared) {
        walk_shared(t, rows, lo, hi, out, scratch);
        return;
    }
    int64_t entries = rows->start[rows->n] - rows->start[0];
    if (steps_of(t, lo, hi) * LOOK_UP * rows->n > entries) {
        walk_rows(t, rows, lo, hi, out, scratch);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t tree = lo; tree < hi; tree++)
            add_leaf(t, tree, look_up(t, tree, rows, i), out + i * t->n_scores);
}
