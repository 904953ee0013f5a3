/* walk.c -- rows through trees, several at a time.
 *
 * A step waits for its node, then for the cell that the node asks for, and the next step waits for
 * both; so LANES walks go side by side, through one tree with as many rows, or with one row through
 * as many trees.  There is no branch except the loop's: the next node is first + (x > cut), and a
 * walk that has come to a leaf stays there (walk.h).  Rows are taken in blocks, so that a block and
 * a tree fit into the first-level cache together.
 *
 *     way      serves                      a cell is                     a missing value
 *     PLAIN    cuts, no value missing      x[feature]                    -
 *     DOUBLE   cuts                        copy[2 feature + missing]     -inf or +inf in the copy
 *     ANY      every kind of split         x[feature]                    a branch
 *
 * Trees without SET and WAYS go one of the first two ways where they are many enough to pay for a
 * look at all cells.  Leaves are the same whatever way a row goes, and answers
 * are added in the order of the trees: the bits of a row's sum do not depend on the other rows.
 *
 * Cost: for each row and tree the steps of the longest of LANES walks, about 5 cycles each; no
 * memory. */
#include "learn/trees/walk.h"

#include "core/ctx.h"

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum {
    LANES = 8,
    BLOCK_BYTES = 16 << 10, /* of rows that meet one tree after another                      */
    BLOCK_MOST = 256,       /* rows                                                          */
    COPY_MOST = 4096        /* doubles of a block's copy                                     */
};

enum way { PLAIN, DOUBLE, ANY };

/* ---- steps ------------------------------------------------------------------------------ */

/* Where a row goes from a node that may be a leaf. */
INLINE int32_t step_on(const smr_tree_step *s, const int32_t *words, const void *x, smr_form form,
                       enum way way, int32_t node)
{
    if (way == PLAIN) return s->first + (smr_row_cell(x, form, s->split >> 4) > s->what.cut);
    if (way == DOUBLE) return s->first + (((const double *)x)[s->split >> 3] > s->what.cut);
    double v = smr_row_cell(x, form, s->split >> 4);
    if (smr_step_kind(s) == SMR_SPLIT_CUT && v == v) return s->first + (v > s->what.cut);
    if (smr_step_kind(s) == SMR_SPLIT_LEAF) return node;
    int64_t c = smr_step_known(s, words, v);
    return s->first + (int32_t)(c >= 0 ? c : smr_step_unknown(s));
}

#define EACH_LANE(k) UNROLL for (int k = 0; k < LANES; k++)

/* LANES walks from their nodes to leaves; none is nearer than `sure` steps, or farther than
 * `deep`. */
INLINE void walk_lanes(const smr_trees *t, int32_t sure, int32_t deep, const void *const x[LANES],
                       smr_form form, enum way way, int32_t node[LANES])
{
    const smr_tree_step *step = t->walk->step;
    int32_t level = 0;
    for (; level < sure; level++)
        EACH_LANE(k) node[k] = step_on(step + node[k], t->words, x[k], form, way, node[k]);
    for (uint32_t open = 1; open && level < deep; level++) {
        open = 0;
        EACH_LANE(k)
        {
            const smr_tree_step *s = step + node[k];
            open |= s->split; /* 0 for leaves alone */
            node[k] = step_on(s, t->words, x[k], form, way, node[k]);
        }
    }
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* What rows are walked with: their own cells, or those of a copy. */
struct rows {
    const char *x;
    int64_t n, bytes; /* from one row to the next */
};

INLINE int64_t leaf_of(const smr_trees *t, int64_t node)
{
    return smr_step_leaf(&t->walk->step[node]);
}

INLINE void add_leaf(const smr_trees *t, int64_t tree, int64_t leaf, double *out)
{
    if (t->width == 1)
        out[t->n_scores > 1 ? tree % t->n_scores : 0] += t->value[leaf];
    else
        for (int64_t j = 0; j < t->width; j++) out[j] += t->value[leaf * t->width + j];
}

/* What is done with leaves: summed, or listed. */
struct answers {
    int64_t lo, hi; /* trees */
    double *out;    /* n x n_scores, or NULL */
    int32_t *leaf;  /* n x (hi - lo)         */
};

INLINE void put(const smr_trees *t, const struct answers *a, int64_t tree, int64_t row,
                int64_t node)
{
    int64_t leaf = leaf_of(t, node);
    if (a->out)
        add_leaf(t, tree, leaf, a->out + row * t->n_scores);
    else
        a->leaf[row * (a->hi - a->lo) + tree - a->lo] = (int32_t)leaf;
}

/* One row through all trees, LANES at a time; the last ones again where their number is not a
 * multiple. */
INLINE void walk_trees(const smr_trees *t, const struct answers *a, const char *x, int64_t row,
                       smr_form form, enum way way)
{
    const void *at[LANES];
    EACH_LANE(k) at[k] = x;
    for (int64_t tree = a->lo; tree < a->hi; tree += LANES) {
        int32_t node[LANES], sure = INT32_MAX, deep = 0;
        int64_t n = SMR_MIN(LANES, a->hi - tree);
        EACH_LANE(k)
        {
            int64_t which = tree + SMR_MIN(k, n - 1);
            node[k] = (int32_t)t->root[which];
            sure = SMR_MIN(sure, t->walk->sure[which]);
            deep = SMR_MAX(deep, t->walk->deep[which]);
        }
        walk_lanes(t, sure, deep, at, form, way, node);
        for (int64_t k = 0; k < n; k++) put(t, a, tree + k, row, node[k]);
    }
}

/* All rows, LANES at a time, through one tree after another; those left over one by one. */
INLINE void walk_rows(const smr_trees *t, const struct answers *a, const struct rows *rows,
                      int64_t first, smr_form form, enum way way)
{
    int64_t whole = rows->n - rows->n % LANES;
    for (int64_t tree = a->lo; tree < a->hi && whole; tree++) {
        for (int64_t i = 0; i < whole; i += LANES) {
            const void *x[LANES];
            int32_t node[LANES];
            EACH_LANE(k)
            {
                x[k] = rows->x + (i + k) * rows->bytes;
                node[k] = (int32_t)t->root[tree];
            }
            walk_lanes(t, t->walk->sure[tree], t->walk->deep[tree], x, form, way, node);
            EACH_LANE(k) put(t, a, tree, first + i + k, node[k]);
        }
    }
    for (int64_t i = whole; i < rows->n; i++)
        walk_trees(t, a, rows->x + i * rows->bytes, first + i, form, way);
}

static void walk_any(const smr_trees *t, const struct answers *a, const struct rows *rows,
                     int64_t first, smr_form form)
{
    switch (form) {
    case SMR_FORM_F32: walk_rows(t, a, rows, first, SMR_FORM_F32, ANY); break;
    case SMR_FORM_U8: walk_rows(t, a, rows, first, SMR_FORM_U8, ANY); break;
    default: walk_rows(t, a, rows, first, SMR_FORM_F64, ANY);
    }
}

static void walk_plain(const smr_trees *t, const struct answers *a, const struct rows *rows,
                       int64_t first, smr_form form)
{
    switch (form) {
    case SMR_FORM_F32: walk_rows(t, a, rows, first, SMR_FORM_F32, PLAIN); break;
    case SMR_FORM_U8: walk_rows(t, a, rows, first, SMR_FORM_U8, PLAIN); break;
    default: walk_rows(t, a, rows, first, SMR_FORM_F64, PLAIN);
    }
}

/* ---- missing values --------------------------------------------------------------------- */

static bool any_missing(const struct rows *rows, int64_t d, smr_form form)
{
    bool any = false;
    for (int64_t i = 0; i < rows->n && !any; i++) {
        const char *x = rows->x + i * rows->bytes;
        if (form == SMR_FORM_F64)
            for (int64_t j = 0; j < d; j++) any |= isnan(((const double *)(const void *)x)[j]);
        if (form == SMR_FORM_F32)
            for (int64_t j = 0; j < d; j++) any |= isnan(((const float *)(const void *)x)[j]);
    }
    return any;
}

/* Each cell twice: with +inf, and with -inf where it is missing, so that it goes to the second
 * child, or to the first. */
static void copy_rows(const struct rows *rows, int64_t d, smr_form form, double *copy)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < d; j++, copy += 2) {
            double v = smr_row_cell(rows->x + i * rows->bytes, form, j);
            copy[0] = isnan(v) ? INFINITY : v;
            copy[1] = isnan(v) ? -INFINITY : v;
        }
}

static void walk_copy(const smr_trees *t, const struct answers *a, const struct rows *rows,
                      int64_t first, int64_t d, smr_form form)
{
    double copy[COPY_MOST];
    int64_t most = COPY_MOST / (2 * d);
    if (most >= LANES) most -= most % LANES;
    for (int64_t i = 0; i < rows->n; i += most) {
        struct rows part = {rows->x + i * rows->bytes, SMR_MIN(most, rows->n - i), rows->bytes};
        copy_rows(&part, d, form, copy);
        part.x = (const char *)copy;
        part.bytes = 2 * d * (int64_t)sizeof *copy;
        walk_rows(t, a, &part, first + i, SMR_FORM_F64, DOUBLE);
    }
}

/* ---- the way of a block ----------------------------------------------------------------- */

static void walk_block(const smr_trees *t, const struct answers *a, const struct rows *rows,
                       int64_t first, int64_t d, smr_form form)
{
    const struct smr_tree_walk *w = t->walk;
    /* Looking at all cells pays where walks look at about as many. */
    bool is_looked_at = w->only_cuts && (a->hi - a->lo) * 8 >= d;
    if (w->only_cuts && form == SMR_FORM_U8)
        walk_plain(t, a, rows, first, form);
    else if (!is_looked_at)
        walk_any(t, a, rows, first, form);
    else if (!any_missing(rows, d, form))
        walk_plain(t, a, rows, first, form);
    else if (w->cuts_are_below_inf && 2 * d <= COPY_MOST)
        walk_copy(t, a, rows, first, d, form);
    else
        walk_any(t, a, rows, first, form);
}

static void walk(const smr_trees *t, const smr_rows *rows, const struct answers *a)
{
    static const int64_t size[] = {[SMR_FORM_F64] = 8, [SMR_FORM_F32] = 4, [SMR_FORM_U8] = 1};
    struct rows all = {rows->x, rows->n, rows->stride * size[rows->form]};
    int64_t most = BLOCK_BYTES / SMR_MAX(1, rows->d * size[rows->form]);
    most = SMR_MAX(2 * LANES, SMR_MIN(most - most % LANES, BLOCK_MOST));
    for (int64_t i = 0; i < all.n; i += most) {
        struct rows part = {all.x + i * all.bytes, SMR_MIN(most, all.n - i), all.bytes};
        walk_block(t, a, &part, i, rows->d, rows->form);
    }
}

void smr_trees_sum(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                   double *out)
{
    if (trees->is_shared)
        smr_trees_sum_shared(trees, rows, lo, hi, out);
    else
        walk(trees, rows, &(struct answers){.lo = lo, .hi = hi, .out = out});
}

void smr_trees_leaves(const smr_trees *trees, const smr_rows *rows, int64_t lo, int64_t hi,
                      int32_t *leaf)
{
    if (trees->is_shared)
        smr_trees_leaves_shared(trees, rows, lo, hi, leaf);
    else
        walk(trees, rows, &(struct answers){.lo = lo, .hi = hi, .leaf = leaf});
}
