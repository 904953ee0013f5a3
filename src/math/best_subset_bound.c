/* best_subset_bound.c -- all subsets by branch and bound; see best_subset.h.
 *
 * A node holds columns that are fixed, f columns that are free, and what the fixed ones leave of
 * the free ones' products and of y's (the Schur complement A, f + 1 square): every subset of the
 * node is the fixed columns with some of the free.  Dropping columns never lowers RSS, so
 *
 *     RSS(subset) >= RSS(all but column i)   for every subset without column i                  (1)
 *
 * The free columns are ordered by that bound, the highest first.  Child i drops column i and fixes
 * columns 0 .. i-1; together the children hold every subset except the node as a whole and the
 * leading ones, whose RSS comes out on the way as columns are fixed one by one.  Child i has
 * subsets of n_fixed + i and more columns, of which the smallest is a leading one: with RSS of the
 * best subsets descending by size, the child cannot win, and is left out, when its bound is no less
 * than the best known RSS of n_fixed + i + 1 columns.
 *
 * By (2) of best_subset.c the bounds are RSS + w_i^2 / (A^-1)_ii.  Where the free columns depend on
 * each other, those in a dependency can be dropped for nothing: their bound is the node's own RSS.
 * A leading column that adds nothing ends the node: whatever holds it is as good without it.
 *
 * Cost of a node f^3; memory 2 d^3 / 3 numbers.  The number of nodes is exponential for columns of
 * noise and small where some columns matter. */
#include "math/best_subset_parts.h"

#include <math.h>
#include <string.h>

struct search {
    struct smr_best *best;
    int32_t *fixed; /* d; the first n_fixed of the node in hand */
    double *room;   /* levels of the tree */
    int64_t level_size, d;
    int32_t *columns; /* d + 1 levels x d: the free columns of each level */
    int64_t nodes;
};

/* Numbers that the node of f free columns at a level needs. */
struct node {
    int64_t f, n_fixed;
    double *A;      /* (f + 1) x (f + 1)                  */
    double *L;      /* f x f: pivoted Cholesky factor     */
    double *bound;  /* f                                  */
    double *v;      /* f                                  */
    int32_t *free_; /* f column numbers                   */
    int32_t order[SMR_SUBSET_MOST];
};

static struct node node_at(const struct search *s, int64_t level, int64_t f, int64_t n_fixed)
{
    double *at = s->room + level * s->level_size;
    int64_t m = s->d + 1;
    return (struct node){.f = f,
                         .n_fixed = n_fixed,
                         .A = at,
                         .L = at + m * m,
                         .bound = at + 2 * m * m,
                         .v = at + 2 * m * m + m,
                         .free_ = s->columns + level * m};
}

/* Factorises the free columns, the largest pivot first; order[0 .. rank) are independent. */
static int64_t factorise(struct node *n)
{
    int64_t f = n->f, m = f + 1, rank = 0;
    double *L = n->L, left[SMR_SUBSET_MOST];
    for (int64_t i = 0; i < f; i++) {
        n->order[i] = (int32_t)i;
        left[i] = n->A[i * m + i];
    }
    for (; rank < f; rank++) {
        int64_t best = rank;
        for (int64_t i = rank + 1; i < f; i++)
            if (left[n->order[i]] > left[n->order[best]]) best = i;
        int32_t c = n->order[best];
        if (!(left[c] > SMR_SUBSET_NOISE)) break;
        n->order[best] = n->order[rank];
        n->order[rank] = c;
        for (int64_t l = 0; l < rank; l++) { /* rows of L follow the order */
            double swap = L[best * f + l];
            L[best * f + l] = L[rank * f + l];
            L[rank * f + l] = swap;
        }
        double pivot = sqrt(left[c]);
        L[rank * f + rank] = pivot;
        for (int64_t i = rank + 1; i < f; i++) {
            double sum = n->A[n->order[i] * m + c];
            for (int64_t l = 0; l < rank; l++) sum -= L[i * f + l] * L[rank * f + l];
            L[i * f + rank] = sum / pivot;
            left[n->order[i]] -= L[i * f + rank] * L[i * f + rank];
        }
    }
    return rank;
}

/* Marks the independent columns that a dependent one, row r of L, is made of: its coefficients
 * solve L_11' b = L_r'. */
static void mark_dependency(const struct node *n, int64_t rank, int64_t r, bool *tied)
{
    int64_t f = n->f;
    for (int64_t i = rank; i-- > 0;) {
        double sum = n->L[r * f + i];
        for (int64_t j = i + 1; j < rank; j++) sum -= n->L[j * f + i] * n->v[j];
        n->v[i] = sum / n->L[i * f + i];
        if (fabs(n->v[i]) > 1e-7) tied[n->order[i]] = true;
    }
    tied[n->order[r]] = true;
}

/* bound[i] = RSS of all but free column i: (1).  Returns the RSS of all; *independent: no column is
 * a combination of others. */
static double find_bounds(struct node *n, bool *independent)
{
    int64_t f = n->f, m = f + 1, rank = factorise(n);
    double z[SMR_SUBSET_MOST], w[SMR_SUBSET_MOST], rss = n->A[f * m + f];
    bool tied[SMR_SUBSET_MOST] = {false};
    const double *L = n->L;
    *independent = rank == f;
    for (int64_t i = 0; i < rank; i++) {
        z[i] = n->A[n->order[i] * m + f];
        for (int64_t j = 0; j < i; j++) z[i] -= L[i * f + j] * z[j];
        z[i] /= L[i * f + i];
        rss -= z[i] * z[i];
    }
    rss = smr_fmax(rss, 0);
    for (int64_t i = rank; i-- > 0;) {
        w[i] = z[i];
        for (int64_t j = i + 1; j < rank; j++) w[i] -= L[j * f + i] * w[j];
        w[i] /= L[i * f + i];
    }
    for (int64_t r = rank; r < f; r++) mark_dependency(n, rank, r, tied);
    for (int64_t c = 0; c < rank; c++) {
        double inverse = 0; /* column c of L^-1, squared */
        for (int64_t i = c; i < rank; i++) {
            double sum = i == c;
            for (int64_t j = c; j < i; j++) sum -= L[i * f + j] * n->v[j];
            n->v[i] = sum / L[i * f + i];
            inverse += n->v[i] * n->v[i];
        }
        n->bound[n->order[c]] = rss + w[c] * w[c] / inverse;
    }
    for (int64_t i = 0; i < f; i++)
        if (tied[i]) n->bound[i] = rss;
    return rss;
}

/* The free columns in the order of their bounds, the highest first, and A with them. */
static void order_by_bound(struct node *n)
{
    int64_t f = n->f, m = f + 1;
    int32_t column[SMR_SUBSET_MOST];
    double bound[SMR_SUBSET_MOST];
    for (int64_t i = 0; i < f; i++) {
        int64_t at = i;
        for (; at > 0 && n->bound[n->order[at - 1]] < n->bound[i]; at--)
            n->order[at] = n->order[at - 1];
        n->order[at] = (int32_t)i;
    }
    for (int64_t i = 0; i < f; i++) {
        column[i] = n->free_[n->order[i]];
        bound[i] = n->bound[n->order[i]];
    }
    memcpy(n->free_, column, (size_t)f * sizeof *column);
    memcpy(n->bound, bound, (size_t)f * sizeof *bound);
    double *B = n->L; /* L is no longer needed: m x m fits, since its room is that of A */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            B[i * m + j] = n->A[(i < f ? n->order[i] : f) * m + (j < f ? n->order[j] : f)];
    memcpy(n->A, B, (size_t)(m * m) * sizeof *B);
}

/* The whole of the node, with column i left out or (i = f) with none. */
static void offer_whole(struct search *s, const struct node *n, int64_t i, double rss)
{
    int64_t k = n->n_fixed;
    for (int64_t j = 0; j < n->f; j++)
        if (j != i) s->fixed[k++] = n->free_[j];
    smr_best_offer(s->best, k, s->fixed, rss);
}

/* The child that drops free column i, when columns before it are fixed and A reduced by them. */
static struct node make_child(const struct search *s, const struct node *n, int64_t level,
                              int64_t i)
{
    int64_t f = n->f - i - 1, m = n->f + 1;
    struct node child = node_at(s, level + 1, f, n->n_fixed + i);
    memcpy(child.free_, n->free_ + i + 1, (size_t)f * sizeof *child.free_);
    for (int64_t r = 0; r <= f; r++)
        memcpy(child.A + r * (f + 1), n->A + (i + 1 + r) * m + i + 1,
               (size_t)(f + 1) * sizeof *child.A);
    return child;
}

/* What column i leaves of the columns after it and of y. */
static void eliminate(struct node *n, int64_t i)
{
    int64_t m = n->f + 1;
    for (int64_t r = i + 1; r < m; r++) {
        double factor = n->A[r * m + i] / n->A[i * m + i];
        for (int64_t c = i + 1; c < m; c++) n->A[r * m + c] -= factor * n->A[i * m + c];
    }
}

static smr_status visit(smr_ctx *ctx, struct search *s, struct node *n, int64_t level)
{
    smr_status st = SMR_OK;
    int64_t f = n->f, m = f + 1, last = s->best->most;
    if (++s->nodes % 1024 == 0) TRY(smr_tick(ctx, "searching subsets", s->nodes, -1, NAN));
    bool independent = true;
    double rss = find_bounds(n, &independent);
    order_by_bound(n);
    if (independent && n->n_fixed + f <= last) offer_whole(s, n, f, rss);
    for (int64_t i = 0; i < f && n->n_fixed + i + 1 <= last; i++) {
        if (independent && n->n_fixed + f - 1 <= last) offer_whole(s, n, i, n->bound[i]);
        if (i + 1 < f && smr_best_may_fall(s->best, n->n_fixed + i + 1, n->bound[i])) {
            struct node child = make_child(s, n, level, i);
            TRY(visit(ctx, s, &child, level + 1));
        }
        if (!(n->A[i * m + i] > SMR_SUBSET_NOISE)) break;
        eliminate(n, i);
        s->fixed[n->n_fixed + i] = n->free_[i];
        smr_best_offer(s->best, n->n_fixed + i + 1, s->fixed, smr_fmax(0, n->A[f * m + f]));
    }
out:
    return st;
}

smr_status smr_subsets_bound(smr_ctx *ctx, const struct smr_unit_problem *unit,
                             struct smr_best *best)
{
    smr_status st = SMR_OK;
    int64_t d = unit->d, m = d + 1, f = 0;
    struct search s = {.best = best, .d = d, .level_size = 2 * m * m + 2 * m};
    TRY_NEW(s.fixed, m);
    TRY_NEW(s.room, m * s.level_size);
    TRY_NEW(s.columns, m * m);
    struct node root = node_at(&s, 0, 0, 0);
    for (int64_t j = 0; j < d; j++)
        if (unit->A[j * m + j] > 0) root.free_[f++] = (int32_t)j;
    root.f = f;
    for (int64_t i = 0; i <= f; i++)
        for (int64_t j = 0; j <= f; j++)
            root.A[i * (f + 1) + j] =
                unit->A[(i < f ? root.free_[i] : d) * m + (j < f ? root.free_[j] : d)];
    TRY(visit(ctx, &s, &root, 0));
out:
    smr_free(s.fixed);
    smr_free(s.room);
    smr_free(s.columns);
    return st;
}
