/* shapley.c -- Shapley values of trees by quadrature.
 *
 * On the way to a leaf that says v, let feature j send the row on with o_j where it is known (1, 0,
 * or a product of shares) and z_j where it is not (a product of shares of cover).  The leaf adds
 * v prod_{j in S} o_j prod_{j not in S} z_j to v(S), and to the Shapley value of feature i, because
 * the weight of a set of k of m - 1 others is the integral of t^k (1 - t)^(m-1-k) over [0, 1],
 *
 *     phi_i += v (o_i - z_i) int_0^1 prod_{j != i} f_j(t) dt,   f_j(t) = z_j + (o_j - z_j) t   (1)
 *
 * over the m features on its path.  The integrand is a polynomial of degree m - 1 in t, so Gauss's
 * rule of ceil(m / 2) points gives the integral exactly, and all its terms have one sign: nothing
 * cancels.  For many features fewer points do: each f_j lies in [0, 1] on the interval, so on the
 * ellipse through -e and 1 + e the integrand is at most (1 + e)^m, and the error of n points at
 * most about exp(-4 n^2 / m): with n = 8 + 5 sqrt(m), less than exp(-100).
 *
 * With P = prod_j f_j at each point, the integrand is P / f_i, and the sum over the leaves below a
 * node is needed only once for all of them.  So, for each edge e of the tree with
 * feature i, the node c below it, and e' the nearest edge above with the same feature (none:
 * o = z = 1),
 *
 *     phi_i += sum_q w_q S_q(c) (g_e(t_q) - g_e'(t_q)),   g = (o_i - z_i) / f_i                (2)
 *     S_q(c) = sum of v P(t_q) over the leaves below c
 *
 * where o_i and z_i are products up to that edge: below e the term of e' is taken back.  P runs
 * down the nodes in their order, S up.  An edge with o = z = 0 is a dead end: nothing is below.
 * So is one where both are below 1e-200, which only a file's covers can say: what is below would
 * add less than 1e-200 times its leaves, and 1 / f must be a number.
 *
 * Cost: nodes x points for each row and tree, with points at most half the features of the longest
 * path, and at most 8 + 5 sqrt(those features); 2 + width numbers of scratch for each node and each
 * of 64 points.
 * Reference: Owen, "Multilinear extensions of games", Management Science 18 (1972), for (1); the
 * telescoping over edges is that of Yu et al., "Linear TreeShap", NeurIPS 2022. */
#include "learn/trees/shapley.h"

#include "core/ctx.h"
#include "core/mem.h"
#include "core/parallel.h"
#include "core/try.h"
#include "learn/trees/walk.h"
#include "math/trig.h"

enum { BLOCK = 8, AT_ONCE = 64 }; /* rows of a task; points that have scratch */
static const double NOTHING = 1e-200;

/* ---- what all rows share ---------------------------------------------------------------- */

/* A tree; nodes are numbered from its root. */
struct plan {
    const smr_trees *trees;
    int64_t tree, lo, n;
    int64_t n_points;
    double *at, *weight; /* n_points: of Gauss's rule on [0, 1]                              */
    int32_t *same;       /* n: the node below e'; -1: none                                   */
    double *share;       /* n: of the parent's rows                                          */
    double *zero;        /* n: z of the edge above                                           */
    double *common;      /* width: v({})                                                     */
};

/* Points and weights of Gauss's rule on [0, 1], exact up to degree 2 n - 1: the zeros of Legendre's
 * polynomial by Newton's method from their asymptotic places, mirrored. */
static void gauss_rule(int64_t n, double *at, double *weight)
{
    for (int64_t i = 0; i < (n + 1) / 2; i++) {
        double x = smr_cos_pi(((double)i + 0.75) / ((double)n + 0.5)), slope = 1;
        for (int times = 0; times < 20; times++) {
            double p = 1, before = 0;
            for (int64_t k = 1; k <= n; k++) {
                double two_before = before;
                before = p;
                p = ((double)(2 * k - 1) * x * before - (double)(k - 1) * two_before) / (double)k;
            }
            slope = (double)n * (x * p - before) / (x * x - 1);
            double step = p / slope;
            x -= step;
            if (fabs(step) < 1e-16) break;
        }
        at[i] = (1 - x) / 2;
        at[n - 1 - i] = (1 + x) / 2;
        weight[i] = weight[n - 1 - i] = 1 / ((1 - x * x) * slope * slope);
    }
}

static double or_nothing(double share)
{
    return share < NOTHING ? 0 : share;
}

/* Points for paths of that many features. */
static int64_t points_for(int64_t distinct)
{
    int64_t exact = (distinct + 1) / 2, enough = 8 + (int64_t)(5 * sqrt((double)distinct));
    return SMR_MAX(1, SMR_MIN(exact, enough));
}

/* same, share, zero of each node; *distinct: features on the path that has most. */
static smr_status plan_edges(smr_ctx *ctx, struct plan *p, int64_t *distinct)
{
    const smr_tree_step *step = p->trees->walk->step + p->lo;
    smr_status st = SMR_OK;
    int32_t *parent = NULL, *n_features = NULL, *nearest = NULL;
    TRY_NEW(parent, p->n);
    TRY_NEW(nearest, p->n);
    TRY_NEW(n_features, p->n);
    TRY(smr_trees_same(ctx, p->trees, p->tree, nearest, parent));
    p->same[0] = -1;
    p->zero[0] = p->share[0] = 1;
    *distinct = 0;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t k = smr_step_children(&step[i]), first = step[i].first - p->lo;
        int32_t same = nearest[i];
        for (int64_t c = first; c < first + k; c++) {
            p->same[c] = same;
            p->share[c] = smr_trees_share(p->trees, &step[i], c - first);
            p->zero[c] = or_nothing(p->share[c] * (same < 0 ? 1 : p->zero[same]));
            n_features[c] = n_features[i] + (same < 0);
            *distinct = SMR_MAX(*distinct, n_features[c]);
        }
    }
out:
    smr_free(parent);
    smr_free(nearest);
    smr_free(n_features);
    return st;
}

static void plan_release(struct plan *p)
{
    smr_free(p->at);
    smr_free(p->weight);
    smr_free(p->same);
    smr_free(p->share);
    smr_free(p->zero);
    smr_free(p->common);
    *p = (struct plan){0};
}

static smr_status plan_create(smr_ctx *ctx, const smr_trees *trees, int64_t tree, struct plan *p)
{
    smr_status st = SMR_OK;
    int64_t distinct;
    *p = (struct plan){.trees = trees, .tree = tree, .lo = trees->root[tree]};
    p->n = trees->root[tree + 1] - p->lo;
    TRY_NEW(p->same, p->n);
    TRY_NEW(p->share, p->n);
    TRY_NEW(p->zero, p->n);
    TRY(plan_edges(ctx, p, &distinct));
    p->n_points = points_for(distinct);
    TRY_NEW(p->at, p->n_points);
    TRY_NEW(p->weight, p->n_points);
    gauss_rule(p->n_points, p->at, p->weight);
    TRY(smr_trees_values(ctx, trees, tree, &p->common)); /* of which the root's come first */
out:
    if (st != SMR_OK) plan_release(p);
    return st;
}

/* ---- a row ------------------------------------------------------------------------------ */

/* For each node of the tree, and some of the points. */
struct room {
    int64_t lo, n;   /* the points from lo to lo + n                               */
    double *one;     /* o of the edge above                                        */
    double *product; /* points: P of the path so far                               */
    double *inverse; /* points: 1 / f of the edge above                            */
    double *below;   /* width x points: S                                          */
    bool *is_dead;
};

static smr_status room_create(smr_ctx *ctx, const struct plan *p, struct room *r)
{
    smr_status st = SMR_OK;
    int64_t n = p->n * SMR_MIN(p->n_points, AT_ONCE);
    *r = (struct room){0};
    TRY_NEW(r->one, p->n);
    TRY_NEW(r->product, n);
    TRY_NEW(r->inverse, n);
    TRY_NEW(r->below, n * p->trees->width);
    TRY_NEW(r->is_dead, p->n);
out:
    return st;
}

static void room_release(struct room *r)
{
    smr_free(r->one);
    smr_free(r->product);
    smr_free(r->inverse);
    smr_free(r->below);
    smr_free(r->is_dead);
}

/* Down the edge from node i to its child c, of which the row knows `own`. */
static void go_down(const struct plan *p, struct room *r, int64_t i, int64_t c, double own)
{
    int64_t n = r->n, same = p->same[c];
    double one = or_nothing(own * (same < 0 ? 1 : r->one[same])), zero = p->zero[c];
    r->one[c] = one;
    r->is_dead[c] = r->is_dead[i] || (one == 0 && zero == 0);
    if (r->is_dead[c]) return;
    const double *above = r->product + i * n;
    double *product = r->product + c * n, *inverse = r->inverse + c * n;
    for (int64_t q = 0; q < n; q++) {
        double f = zero + (one - zero) * p->at[r->lo + q];
        product[q] = above[q] * f;
        inverse[q] = 1 / f;
    }
    if (same < 0) return;
    for (int64_t q = 0; q < n; q++) product[q] *= r->inverse[same * n + q];
}

static void walk_down(const struct plan *p, struct room *r, const void *x, smr_form form)
{
    const smr_tree_step *step = p->trees->walk->step + p->lo;
    r->one[0] = 1;
    r->is_dead[0] = false;
    for (int64_t q = 0; q < r->n; q++) r->product[q] = 1;
    for (int64_t i = 0; i < p->n; i++) {
        const smr_tree_step *s = &step[i];
        int64_t k = smr_step_children(s), first = s->first - p->lo;
        if (k == 0) continue;
        int64_t way =
            smr_step_known(s, p->trees->words, smr_row_cell(x, form, smr_step_feature(s)));
        bool all_ways = way < 0 && p->trees->is_shared;
        if (way < 0) way = smr_step_unknown(s);
        for (int64_t c = 0; c < k; c++)
            go_down(p, r, i, first + c, all_ways ? p->share[first + c] : c == way ? 1 : 0);
    }
}

/* (2) of the edge above node c, for one score. */
static double edge_value(const struct plan *p, const struct room *r, int64_t c, const double *below)
{
    int64_t n = r->n, same = p->same[c];
    double sum = 0, gap = r->one[c] - p->zero[c];
    const double *inverse = r->inverse + c * n, *weight = p->weight + r->lo;
    if (same < 0) {
        for (int64_t q = 0; q < n; q++) sum += weight[q] * below[q] * inverse[q];
        return gap * sum;
    }
    double gap_above = r->one[same] - p->zero[same];
    const double *above = r->inverse + same * n;
    for (int64_t q = 0; q < n; q++)
        sum += weight[q] * below[q] * (gap * inverse[q] - gap_above * above[q]);
    return sum;
}

/* S of every node from the leaves up, and (2) of the edges below it; phi: width x stride. */
static void walk_up(const struct plan *p, struct room *r, double *phi, int64_t stride)
{
    const smr_tree_step *step = p->trees->walk->step + p->lo;
    int64_t n = r->n, width = p->trees->width;
    for (int64_t i = p->n; i-- > 0;) {
        const smr_tree_step *s = &step[i];
        int64_t k = smr_step_children(s), first = s->first - p->lo, j = smr_step_feature(s);
        double *below = r->below + i * n * width;
        if (r->is_dead[i]) continue;
        const double *value = k ? NULL : p->trees->value + smr_step_leaf(s) * width;
        for (int64_t h = 0; h < width; h++)
            for (int64_t q = 0; q < n; q++)
                below[h * n + q] = k ? 0 : value[h] * r->product[i * n + q];
        for (int64_t c = first; c < first + k; c++) {
            const double *from = r->below + c * n * width;
            if (r->is_dead[c]) continue;
            for (int64_t h = 0; h < width; h++)
                phi[h * stride + j] += edge_value(p, r, c, from + h * n);
            for (int64_t q = 0; q < n * width; q++) below[q] += from[q];
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

struct task {
    const struct plan *plan;
    const smr_rows *rows;
    double *out;
    struct room *rooms; /* of the lanes */
};

static smr_status explain_rows(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct task *t = arg;
    const struct plan *p = t->plan;
    const smr_trees *trees = p->trees;
    smr_status st = SMR_OK;
    struct room *r = &t->rooms[lane];
    int64_t stride = t->rows->d + 1, end = smr_block_end(t->rows->n, BLOCK, block);
    int64_t score = trees->width < trees->n_scores ? p->tree % trees->n_scores : 0;
    if (!r->one) TRY(room_create(ctx, p, r));
    for (int64_t i = block * BLOCK; i < end; i++) {
        double *phi = t->out + (i * trees->n_scores + score) * stride;
        for (r->lo = 0; r->lo < p->n_points; r->lo += AT_ONCE) {
            r->n = SMR_MIN(AT_ONCE, p->n_points - r->lo);
            walk_down(p, r, smr_row_at(t->rows, i), t->rows->form);
            walk_up(p, r, phi, stride);
        }
        for (int64_t h = 0; h < trees->width; h++) phi[(h + 1) * stride - 1] += p->common[h];
    }
out:
    return st;
}

static smr_status explain_tree(smr_ctx *ctx, const smr_trees *trees, int64_t tree,
                               const smr_rows *rows, double *out)
{
    smr_status st = SMR_OK;
    struct plan plan = {0};
    struct task task = {.plan = &plan, .rows = rows, .out = out};
    TRY_NEW(task.rooms, smr_lanes(ctx));
    TRY(plan_create(ctx, trees, tree, &plan));
    TRY(smr_parallel(ctx, NULL, smr_block_count(rows->n, BLOCK), explain_rows, &task));
out:
    for (int k = 0; task.rooms && k < smr_lanes(ctx); k++) room_release(&task.rooms[k]);
    smr_free(task.rooms);
    plan_release(&plan);
    return st;
}

/* Sparse rows as dense ones, in *to: as many numbers as their values take. */
static smr_status spread(smr_ctx *ctx, smr_rows *rows, double **to)
{
    smr_status st = SMR_OK;
    TRY_NEW(*to, SMR_MAX(1, rows->n * rows->d));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            (*to)[i * rows->d + rows->column[e]] = rows->value[e];
    rows->form = SMR_FORM_F64;
    rows->x = *to;
    rows->stride = rows->d;
out:
    return st;
}

smr_status smr_trees_shapley(smr_ctx *ctx, const smr_trees *trees, const smr_rows *rows, int64_t lo,
                             int64_t hi, double *out)
{
    smr_status st = SMR_OK;
    smr_rows dense = *rows;
    double *x = NULL;
    if (rows->form == SMR_FORM_SPARSE) TRY(spread(ctx, &dense, &x));
    for (int64_t t = lo; t < hi; t++) TRY(explain_tree(ctx, trees, t, &dense, out));
out:
    smr_free(x);
    return st;
}

smr_status smr_tree_view_shapley(smr_ctx *ctx, const smr_tree_view *view, const smr_rows *rows,
                                 double *out)
{
    smr_status st = SMR_OK;
    const smr_trees *trees = view->trees;
    int64_t n = rows->n * trees->n_scores, stride = rows->d + 1;
    for (int64_t i = 0; i < n * stride; i++) out[i] = 0;
    TRY(smr_trees_shapley(ctx, trees, rows, 0, trees->n_trees, out));
    for (int64_t i = 0; view->is_mean && i < n * stride; i++) out[i] /= (double)trees->n_trees;
    for (int64_t i = 0; view->base && i < n; i++)
        out[(i + 1) * stride - 1] += view->base[i % trees->n_scores];
out:
    return st;
}
