/* isolation_grow.c -- one tree of an isolation forest; see isolation.c.
 *
 * Nodes come from a stack, the first child first, and each draws the next numbers of its tree.  A
 * feature in which the rows of a node do not differ is not asked about below it either: a node
 * shortens the list of the features that are left for those below it. */
#include "core/rng.h"
#include "core/sort.h"
#include "learn/trees/isolation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Numbers of a tree's questions come after those of its rows. */
static const uint64_t QUESTIONS = UINT64_C(1) << 63;

struct open {
    int64_t lo, hi; /* its rows: of[lo .. hi)                              */
    int32_t node, depth;
    int32_t left; /* features that may differ: the beginning of the list */
};

struct growing {
    const struct smr_isolation_rows *rows;
    uint64_t seed, at; /* the next number */
    int64_t tree;
    int32_t *of, *spare;
    double *value;     /* of the rows in a feature, by their place in `of` */
    double *sorted[2]; /* levels */
    int32_t *feature;  /* the list                                        */
    struct open *stack;
    int64_t n_open;
    smr_sapling *out;
};

static double draw_unit(struct growing *g)
{
    return smr_random_unit(g->seed, SMR_STREAM_ISOLATE, (uint64_t)g->tree, QUESTIONS | g->at++);
}

static int64_t draw_below(struct growing *g, int64_t n)
{
    double u = draw_unit(g);
    return SMR_MIN(n - 1, (int64_t)(u * (double)n));
}

/* ---- the values of a feature ------------------------------------------------------------ */

static double sparse_value(const struct smr_isolation_rows *r, int64_t row, int64_t j)
{
    int64_t lo = r->start[row], hi = r->start[row + 1];
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (r->column[middle] < j)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < r->start[row + 1] && r->column[lo] == j ? r->value[lo] : 0;
}

/* Reads feature j of the node's rows; do they differ?  Their least and largest in *least, *most. */
static bool read_values(struct growing *g, const struct open *o, int64_t j, double *least,
                        double *most)
{
    const struct smr_isolation_rows *r = g->rows;
    *least = INFINITY;
    *most = -INFINITY;
    bool some = false;
    for (int64_t i = o->lo; i < o->hi; i++) {
        double v = r->x ? r->x[g->of[i] * r->d + j] : sparse_value(r, g->of[i], j);
        g->value[i] = v;
        if (isnan(v)) continue;
        some = true;
        *least = v < *least ? v : *least;
        *most = v > *most ? v : *most;
    }
    return some && *least < *most;
}

/* One of the features in which the rows differ, all with the same chance; -1: they are alike. */
static int64_t draw_feature(struct growing *g, struct open *o, double *least, double *most)
{
    while (o->left > 0) {
        int64_t at = draw_below(g, o->left);
        int32_t j = g->feature[at];
        if (read_values(g, o, j, least, most)) return j;
        g->feature[at] = g->feature[--o->left];
        g->feature[o->left] = j;
    }
    return -1;
}

/* ---- questions -------------------------------------------------------------------------- */

/* least <= cut < most, so that neither side is empty. */
static double draw_cut(struct growing *g, double least, double most)
{
    double u = draw_unit(g);
    least = least > -DBL_MAX ? least : -DBL_MAX;
    most = most < DBL_MAX ? most : DBL_MAX;
    double cut = least * (1 - u) + most * u;
    return cut >= least && cut < most ? cut : least;
}

/* One of the levels that the rows have; all with the same chance. */
static int64_t draw_level(struct growing *g, const struct open *o)
{
    int64_t n = 0, m = 0;
    for (int64_t i = o->lo; i < o->hi; i++)
        if (!isnan(g->value[i])) g->sorted[0][n++] = g->value[i];
    double *level = smr_sort_f64(n, g->sorted[0], g->sorted[1]);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || level[k] != level[m - 1]) level[m++] = level[k];
    return (int64_t)level[draw_below(g, m)];
}

static smr_status ask(smr_ctx *ctx, struct growing *g, const struct open *o, int64_t j,
                      double least, double most)
{
    const smr_feature *f = g->rows->features ? &g->rows->features[j] : NULL;
    smr_status st = SMR_OK;
    smr_sprout s = {.feature = (int32_t)j, .n_children = 2};
    if (f && f->kind == SMR_CATEGORY) {
        int64_t level = draw_level(g, o);
        s.kind = SMR_SPLIT_SET;
        s.n_words = level / 32 + 1;
        TRY(smr_sapling_words(ctx, g->out, s.n_words, &s.set));
        g->out->words[s.set + level / 32] |= UINT32_C(1) << level % 32;
        s.cut = (double)level;
    } else {
        s.kind = SMR_SPLIT_CUT;
        s.cut = draw_cut(g, least, most);
    }
    s.missing_first = draw_unit(g) < 0.5;
    TRY(smr_sapling_nodes(ctx, g->out, 2, &s.child));
    g->out->node[o->node].kind = s.kind;
    s.cover = g->out->node[o->node].cover;
    g->out->node[o->node] = s;
out:
    return st;
}

/* The rows of the first child come first; their number. */
static int64_t part(struct growing *g, const struct open *o)
{
    const smr_sprout *s = &g->out->node[o->node];
    int64_t n = 0, m = 0;
    for (int64_t i = o->lo; i < o->hi; i++) {
        double v = g->value[i];
        bool first = isnan(v)                   ? s->missing_first
                     : s->kind == SMR_SPLIT_SET ? v == s->cut
                                                : v <= s->cut;
        if (first)
            g->of[o->lo + n++] = g->of[i];
        else
            g->spare[m++] = g->of[i];
    }
    memcpy(g->of + o->lo + n, g->spare, (size_t)m * sizeof *g->of);
    return n;
}

static void open_node(struct growing *g, int64_t lo, int64_t hi, int32_t node, int32_t depth,
                      int32_t left)
{
    g->out->node[node].cover = (double)(hi - lo);
    g->out->value[node] = (double)depth + smr_isolation_usual(hi - lo);
    g->stack[g->n_open++] = (struct open){lo, hi, node, depth, left};
}

static smr_status grow(smr_ctx *ctx, struct growing *g, int32_t deepest)
{
    smr_status st = SMR_OK;
    while (g->n_open > 0) {
        struct open o = g->stack[--g->n_open];
        double least, most;
        if (o.hi - o.lo < 2 || o.depth >= deepest) continue;
        int64_t j = draw_feature(g, &o, &least, &most);
        if (j < 0) continue;
        TRY(ask(ctx, g, &o, j, least, most));
        int64_t middle = o.lo + part(g, &o);
        int32_t child = g->out->node[o.node].child;
        open_node(g, middle, o.hi, child + 1, o.depth + 1, o.left);
        open_node(g, o.lo, middle, child, o.depth + 1, o.left);
    }
out:
    return st;
}

/* Features that are not 0 in all rows of the tree, ascending: as many of sparse rows as of the same
 * rows made dense. */
static smr_status list_features(smr_ctx *ctx, struct growing *g, int64_t n, int32_t *left)
{
    const struct smr_isolation_rows *r = g->rows;
    smr_status st = SMR_OK;
    bool *some = NULL;
    TRY_NEW(some, r->d);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; r->x && j < r->d; j++) some[j] |= r->x[g->of[i] * r->d + j] != 0;
        for (int64_t e = r->x ? 1 : r->start[g->of[i]]; !r->x && e < r->start[g->of[i] + 1]; e++)
            some[r->column[e]] |= r->value[e] != 0;
    }
    *left = 0;
    for (int64_t j = 0; j < r->d; j++) *left += some[j];
    TRY_NEW(g->feature, *left + 1);
    *left = 0;
    for (int64_t j = 0; j < r->d; j++)
        if (some[j]) g->feature[(*left)++] = (int32_t)j;
out:
    smr_free(some);
    return st;
}

smr_status smr_isolation_grow(smr_ctx *ctx, const struct smr_isolation_rows *rows, uint64_t seed,
                              int64_t tree, int64_t n, int32_t *of, smr_sapling *out)
{
    smr_status st = SMR_OK;
    struct growing g = {.rows = rows, .seed = seed, .tree = tree, .of = of, .out = out};
    int32_t deepest = 0, root, left;
    while (((int64_t)1 << deepest) < n) deepest++;
    TRY_NEW(g.spare, n);
    TRY_NEW(g.value, n);
    TRY_NEW(g.sorted[0], n);
    TRY_NEW(g.sorted[1], n);
    TRY_NEW(g.stack, 2 * ((int64_t)deepest + 1));
    TRY(list_features(ctx, &g, n, &left));
    smr_sapling_begin(out, 1);
    TRY(smr_sapling_nodes(ctx, out, 1, &root));
    open_node(&g, 0, n, root, 0, left);
    TRY(grow(ctx, &g, deepest));
out:
    smr_free(g.spare);
    smr_free(g.value);
    smr_free(g.sorted[0]);
    smr_free(g.sorted[1]);
    smr_free(g.feature);
    smr_free(g.stack);
    return st;
}
