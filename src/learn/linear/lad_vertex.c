/* lad_vertex.c -- phase 2 of lad_parts.h: from near the optimum to a vertex that is optimal.
 *
 * A basis is p rows B whose z are independent; its vertex is beta = Z_B^-1 y_B.  The other rows'
 * dual is at the bound that their residual's sign says, the basis' own follows from Z'u = 0:
 *
 *     Z_B' u_B = -sum_{i not in B} u_i z_i.                                                     (1)
 *
 * If u_B is inside its bounds the vertex is optimal.  Else the row k farthest outside leaves: along
 * Z_B delta = -e_k (u_k too large; +e_k when too small) the cost falls, and the step goes on past
 * residuals that change sign until the slope is no longer negative, to the weighted median of the
 * crossings; the row crossed there enters.  Cost: a pass over the rows and p^3 for a pivot.
 *
 * Where more than p residuals of the vertex are 0 a pivot may not move, and pivots could go round.
 * Then targets are moved by tiny numbers of their own (rounding is far smaller), which makes such
 * ties rare; the dual of the last basis is that of the true problem too, whose gap, computed with
 * the true targets, decides.
 *
 * References: Barrodale & Roberts, SIAM J. Numer. Anal. 10(5), 1973; Bloomfield & Steiger, SIAM J.
 * Sci. Stat. Comput. 1(2), 1980 (the weighted median as the step). */
#include "core/rng.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/linear/lad_parts.h"
#include "math/factor.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 64, MAX_ROUNDS = 4 };
static const double FEASIBLE = 1e-10; /* of a bound's width, and of the mean row's share      */
static const double MOVE = 1e-8;      /* of the median residual                               */

struct crossing {
    double at, jump;
    int64_t row;
};

struct vertex {
    smr_lad_lp *lad;
    int64_t *basis;    /* p                                                        */
    bool *is_basic;    /* m                                                        */
    double *y;         /* m: the targets, moved where ties need it                 */
    double *Z, *LU;    /* p x p: the basis' rows; factors of its transpose         */
    int32_t *pivot;    /* p                                                        */
    double *g;         /* p: the sum of (1)                                        */
    double *u_basis;   /* p                                                        */
    double *delta, *z; /* p                                                       */
    double *h;         /* m: Z delta                                               */
    struct crossing *heap;
    int64_t n_heap;
};

/* ---- the first basis -------------------------------------------------------------------- */

/* Gaussian elimination over rows in some order: a row is taken when what the taken ones leave of it
 * is not small. */
struct chooser {
    double *E;       /* p x p: taken rows, reduced, 1 at their pivot */
    int64_t *column; /* pivots                                       */
    bool *used;      /* columns                                      */
    int64_t n, p;
    double small;
};

static bool offer(struct chooser *c, double *z)
{
    double size = 0, left = 0;
    int64_t at = -1;
    for (int64_t k = 0; k < c->p; k++) size = smr_fmax(size, fabs(z[k]));
    for (int64_t t = 0; t < c->n; t++) smr_axpy_f64(c->p, -z[c->column[t]], c->E + t * c->p, z);
    for (int64_t k = 0; k < c->p; k++)
        if (!c->used[k] && fabs(z[k]) > left) {
            left = fabs(z[k]);
            at = k;
        }
    if (at < 0 || left <= c->small * size) return false;
    double *to = c->E + c->n * c->p;
    for (int64_t k = 0; k < c->p; k++) to[k] = c->used[k] ? 0 : z[k] / z[at];
    c->used[at] = true;
    c->column[c->n++] = at;
    return true;
}

static smr_status offer_all(smr_ctx *ctx, struct vertex *t, struct chooser *c, int64_t n,
                            const int64_t *order)
{
    smr_status st = SMR_OK;
    const smr_lad_lp *lad = t->lad;
    for (int64_t k = 0; k < n && c->n < c->p; k++) {
        int64_t i = order[k];
        if (t->is_basic[i] || lad->low[i] + lad->high[i] == 0) continue;
        TRY(smr_lad_row(ctx, lad, i, t->z));
        if (!offer(c, t->z)) continue;
        t->is_basic[i] = true;
        t->basis[c->n - 1] = i;
    }
out:
    return st;
}

/* First the rows whose dual is inside its bounds, the farthest first, then those nearest to the
 * plane. */
static smr_status choose_basis(smr_ctx *ctx, struct vertex *t, bool *complete)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t p = lad->p, n = 0;
    struct chooser c = {.p = p, .small = 1e-7};
    int64_t *order = NULL, *rows = NULL;
    double *key = NULL;
    TRY_NEW(c.E, p * p);
    TRY_NEW(c.column, p);
    TRY_NEW(c.used, p);
    TRY_NEW(order, lad->m);
    TRY_NEW(rows, lad->m);
    TRY_NEW(key, lad->m);
    for (int64_t i = 0; i < lad->m; i++) {
        t->is_basic[i] = false;
        if (!(lad->inside[i] > 1e-6)) continue;
        key[n] = -lad->inside[i];
        rows[n++] = i;
    }
    TRY(smr_argsort_f64(ctx, n, key, order));
    for (int64_t k = 0; k < n; k++) order[k] = rows[order[k]];
    TRY(offer_all(ctx, t, &c, n, order));
    if (c.n < p) {
        for (int64_t i = 0; i < lad->m; i++) key[i] = fabs(lad->r[i]);
        TRY(smr_argsort_f64(ctx, lad->m, key, order));
        for (; c.n < p && c.small > 1e-14; c.small *= 1e-3)
            TRY(offer_all(ctx, t, &c, lad->m, order));
    }
    *complete = c.n == p;
out:
    smr_free(key);
    smr_free(rows);
    smr_free(order);
    smr_free(c.used);
    smr_free(c.column);
    smr_free(c.E);
    return st;
}

/* ---- the vertex of a basis -------------------------------------------------------------- */

static smr_status factor(smr_ctx *ctx, struct vertex *t, bool *singular)
{
    int64_t p = t->lad->p, at = -1;
    memcpy(t->LU, t->Z, (size_t)(p * p) * sizeof *t->LU);
    smr_status st = smr_lu(ctx, p, t->LU, p, t->pivot, &at);
    *singular = at >= 0;
    return st;
}

/* beta with one step of refinement, the residuals, those of the basis exactly 0. */
static smr_status go_to_vertex(smr_ctx *ctx, struct vertex *t)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t p = lad->p;
    for (int64_t k = 0; k < p; k++) lad->beta[k] = 0;
    for (int round = 0; round < 2; round++) {
        for (int64_t k = 0; k < p; k++)
            t->delta[k] = t->y[t->basis[k]] - smr_dot_f64(p, t->Z + k * p, lad->beta);
        TRY(smr_lu_solve(ctx, true, p, 1, t->LU, p, t->pivot, t->delta, p));
        smr_axpy_f64(p, 1, t->delta, lad->beta);
    }
    TRY(smr_lad_scores(ctx, lad, lad->beta, lad->r));
    for (int64_t i = 0; i < lad->m; i++) lad->r[i] = t->is_basic[i] ? 0 : t->y[i] - lad->r[i];
out:
    return st;
}

static double bound_of(const smr_lad_lp *lad, int64_t i)
{
    return lad->r[i] < 0 ? -lad->low[i] : lad->high[i];
}

static smr_status sum_others(smr_ctx *ctx, struct vertex *t)
{
    smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++) lad->u[i] = t->is_basic[i] ? 0 : bound_of(lad, i);
    return smr_lad_sums(ctx, lad, lad->u, t->g);
}

static smr_status refresh(smr_ctx *ctx, struct vertex *t)
{
    smr_status st = go_to_vertex(ctx, t);
    return st == SMR_OK ? sum_others(ctx, t) : st;
}

/* How far u is outside, in widths; 0 inside. */
static double outside(const struct vertex *t, int64_t k)
{
    const smr_lad_lp *lad = t->lad;
    int64_t i = t->basis[k];
    double width = lad->low[i] + lad->high[i], u = t->u_basis[k];
    double by = smr_fmax(u - lad->high[i], -lad->low[i] - u);
    double noise = FEASIBLE * (width + 1e-3 * lad->total / (double)lad->n);
    return by > noise ? by / width : 0;
}

/* (1); the position that leaves, or -1 at the optimum. */
static smr_status find_leaving(smr_ctx *ctx, struct vertex *t, int64_t *leaving)
{
    int64_t p = t->lad->p;
    double worst = 0;
    *leaving = -1;
    for (int64_t k = 0; k < p; k++) t->u_basis[k] = -t->g[k];
    smr_status st = smr_lu_solve(ctx, false, p, 1, t->LU, p, t->pivot, t->u_basis, p);
    for (int64_t k = 0; k < p && st == SMR_OK; k++) {
        double by = outside(t, k);
        if (by <= worst) continue;
        worst = by;
        *leaving = k;
    }
    return st;
}

/* ---- the step --------------------------------------------------------------------------- */

static bool before(const struct crossing *a, const struct crossing *b)
{
    return a->at < b->at || (a->at == b->at && a->row < b->row);
}

static void sink(struct crossing *heap, int64_t n, int64_t i)
{
    struct crossing x = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &x)) break;
        heap[i] = heap[child];
    }
    heap[i] = x;
}

/* Rows whose residual r - t h reaches 0 at some t >= 0, as a heap with the first on top. */
static void collect(struct vertex *t)
{
    const smr_lad_lp *lad = t->lad;
    t->n_heap = 0;
    for (int64_t i = 0; i < lad->m; i++) {
        double h = t->h[i], r = lad->r[i], width = lad->low[i] + lad->high[i];
        if (t->is_basic[i] || width == 0 || h == 0) continue;
        if (r < 0 ? h > 0 : h < 0) continue;
        t->heap[t->n_heap++] = (struct crossing){.at = r / h, .jump = width * fabs(h), .row = i};
    }
    for (int64_t i = t->n_heap / 2 - 1; i >= 0; i--) sink(t->heap, t->n_heap, i);
}

static void drop_first(struct vertex *t)
{
    t->heap[0] = t->heap[--t->n_heap];
    if (t->n_heap > 0) sink(t->heap, t->n_heap, 0);
}

/* A row of z too small against delta would make the next basis singular. */
static bool good_pivot(const struct vertex *t, int64_t i)
{
    double size = 0;
    for (int64_t k = 0; k < t->lad->p; k++) size = smr_fmax(size, fabs(t->delta[k]));
    return fabs(t->h[i]) > 1e-11 * size;
}

/* The row that enters, with the step's length; crossed rows' shares move in g where they are few,
 * else *many. */
static smr_status search(smr_ctx *ctx, struct vertex *t, double slope, int64_t *entering,
                         double *step, bool *many)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t n_crossed = 0;
    *entering = -1;
    for (; t->n_heap > 0; drop_first(t)) {
        struct crossing c = t->heap[0];
        slope += c.jump;
        *step = c.at;
        if (slope >= 0 && good_pivot(t, c.row)) {
            *entering = c.row;
            break;
        }
        if (++n_crossed > FEW_ROWS) continue;
        double width = lad->low[c.row] + lad->high[c.row];
        TRY(smr_lad_row(ctx, lad, c.row, t->z));
        smr_axpy_f64(lad->p, lad->r[c.row] < 0 ? width : -width, t->z, t->g);
    }
    *many = n_crossed > FEW_ROWS;
out:
    return st;
}

static smr_status exchange(smr_ctx *ctx, struct vertex *t, int64_t k, int64_t entering, double step)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t p = lad->p, leaving = t->basis[k];
    double u = t->u_basis[k] > 0 ? lad->high[leaving] : -lad->low[leaving];
    double was = bound_of(lad, entering); /* its share in g before it entered */
    for (int64_t i = 0; i < lad->m; i++) lad->r[i] -= step * t->h[i];
    smr_axpy_f64(p, u, t->Z + k * p, t->g);
    TRY(smr_lad_row(ctx, lad, entering, t->z));
    smr_axpy_f64(p, -was, t->z, t->g);
    memcpy(t->Z + k * p, t->z, (size_t)p * sizeof *t->z);
    t->basis[k] = entering;
    t->is_basic[leaving] = false;
    t->is_basic[entering] = true;
    for (int64_t j = 0; j < p; j++) lad->r[t->basis[j]] = 0;
    lad->n_pivots++;
out:
    return st;
}

/* One pivot; *stuck when no row can enter. */
static smr_status pivot_once(smr_ctx *ctx, struct vertex *t, int64_t k, bool *stuck)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t p = lad->p, row = t->basis[k], entering = -1;
    bool too_large = t->u_basis[k] > 0, many = false, singular = false;
    double by = too_large ? t->u_basis[k] - lad->high[row] : -lad->low[row] - t->u_basis[k];
    double step = 0;
    for (int64_t j = 0; j < p; j++) t->delta[j] = j == k ? (too_large ? -1 : 1) : 0;
    TRY(smr_lu_solve(ctx, true, p, 1, t->LU, p, t->pivot, t->delta, p));
    TRY(smr_lad_scores(ctx, lad, t->delta, t->h));
    collect(t);
    TRY(search(ctx, t, -by, &entering, &step, &many));
    *stuck = entering < 0;
    if (*stuck) goto out;
    TRY(exchange(ctx, t, k, entering, step));
    TRY(factor(ctx, t, &singular));
    if (singular) {
        *stuck = true;
        goto out;
    }
    if (many || lad->n_pivots % 32 == 0) TRY(refresh(ctx, t));
out:
    return st;
}

/* Pivots until the vertex is optimal for the targets t->y.  What the updates say is confirmed from
 * the rows themselves. */
static smr_status pivot_all(smr_ctx *ctx, struct vertex *t, int64_t limit)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    bool stuck = false, singular = false, fresh = true;
    int64_t until = lad->n_pivots + limit;
    lad->is_vertex = false;
    TRY(factor(ctx, t, &singular));
    if (singular) goto out;
    TRY(refresh(ctx, t));
    while (!stuck && lad->n_pivots < until) {
        int64_t k = -1;
        TRY(find_leaving(ctx, t, &k));
        if (k < 0 && fresh) {
            lad->is_vertex = true;
            break;
        }
        fresh = k < 0;
        if (k < 0) {
            TRY(refresh(ctx, t));
            continue;
        }
        TRY(smr_tick(ctx, "pivoting", lad->n_pivots, until, (double)lad->n_pivots));
        TRY(pivot_once(ctx, t, k, &stuck));
    }
out:
    return st;
}

/* ---- ties ------------------------------------------------------------------------------- */

static double noise_level(const smr_lad_lp *lad)
{
    double size = 0;
    for (int64_t k = 0; k < lad->p; k++) size += fabs(lad->beta[k]);
    return 1e-12 * size;
}

/* Residuals of rows outside the basis that are 0 but for rounding. */
static int64_t count_ties(const struct vertex *t, double noise)
{
    const smr_lad_lp *lad = t->lad;
    int64_t n = 0;
    for (int64_t i = 0; i < lad->m; i++)
        n += !t->is_basic[i] && lad->low[i] + lad->high[i] > 0 &&
             fabs(lad->r[i]) <= noise + 1e-14 * fabs(lad->y[i]);
    return n;
}

/* t->y = y moved by up to `size`, each row by a number of its own. */
static void move_targets(struct vertex *t, double size)
{
    const smr_lad_lp *lad = t->lad;
    for (int64_t i = 0; i < lad->m; i++)
        t->y[i] = lad->y[i] + size * (smr_random_unit(0, SMR_STREAM_TIES, 0, (uint64_t)i) - 0.5);
}

/* The median of the residuals that are not 0. */
static smr_status typical_residual(smr_ctx *ctx, struct vertex *t, double noise, double *out)
{
    const smr_lad_lp *lad = t->lad;
    int64_t n = 0;
    double half = 0.5;
    for (int64_t i = 0; i < lad->n; i++)
        if (fabs(lad->r[i]) > noise) t->h[n++] = fabs(lad->r[i]);
    *out = 0;
    return n > 0 ? smr_quantiles(ctx, n, t->h, NULL, 1, &half, out) : SMR_OK;
}

/* The duality gap with the true targets, relative to the cost. */
static double true_gap(const smr_lad_lp *lad)
{
    double gap = 0, cost = smr_lad_cost(lad, 0, lad->m);
    for (int64_t i = 0; i < lad->m; i++) {
        double r = lad->r[i];
        gap += (r > 0 ? lad->high[i] * r : -lad->low[i] * r) - lad->u[i] * r;
    }
    return cost > 0 ? gap / cost : 0;
}

/* The vertex with the true targets, and its dual. */
static smr_status settle(smr_ctx *ctx, struct vertex *t)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    TRY(sum_others(ctx, t));
    for (int64_t k = 0; k < lad->p; k++) lad->u[t->basis[k]] = t->u_basis[k];
    memcpy(t->y, lad->y, (size_t)lad->m * sizeof *t->y);
    TRY(go_to_vertex(ctx, t));
out:
    return st;
}

static smr_status make_room(smr_ctx *ctx, struct vertex *t)
{
    smr_status st = SMR_OK;
    int64_t m = t->lad->m, p = t->lad->p;
    TRY_NEW(t->basis, p);
    TRY_NEW(t->is_basic, m);
    TRY_NEW(t->y, m);
    TRY_NEW(t->Z, p * p);
    TRY_NEW(t->LU, p * p);
    TRY_NEW(t->pivot, p);
    TRY_NEW(t->g, p);
    TRY_NEW(t->u_basis, p);
    TRY_NEW(t->delta, p);
    TRY_NEW(t->z, p);
    TRY_NEW(t->h, m);
    TRY_NEW(t->heap, m);
out:
    return st;
}

static void release(struct vertex *t)
{
    void *all[] = {t->basis, t->is_basic, t->y,     t->Z, t->LU, t->pivot,
                   t->g,     t->u_basis,  t->delta, t->z, t->h,  t->heap};
    for (int64_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
}

/* Plain pivots where no residuals tie; else with moved targets, ever less, until the gap of the
 * true problem is closed. */
static smr_status solve(smr_ctx *ctx, struct vertex *t)
{
    smr_status st = SMR_OK;
    smr_lad_lp *lad = t->lad;
    int64_t limit = 100 + 20 * lad->p;
    double noise, typical = 0;
    bool singular = false;
    TRY(factor(ctx, t, &singular));
    if (singular) goto out;
    TRY(go_to_vertex(ctx, t));
    noise = noise_level(lad);
    if (count_ties(t, noise) == 0) {
        TRY(pivot_all(ctx, t, limit));
        if (lad->is_vertex) {
            TRY(settle(ctx, t));
            goto out;
        }
    }
    TRY(typical_residual(ctx, t, noise, &typical));
    typical *= MOVE;
    for (int round = 0; round < MAX_ROUNDS; round++, typical *= 1e-2) {
        move_targets(t, smr_fmax(typical, 100 * noise));
        TRY(pivot_all(ctx, t, 20 * limit + lad->m));
        TRY(settle(ctx, t));
        if (lad->is_vertex && true_gap(lad) <= 1e-12) break;
    }
out:
    return st;
}

smr_status smr_lad_vertex(smr_ctx *ctx, smr_lad_lp *lad)
{
    smr_status st = SMR_OK;
    struct vertex t = {.lad = lad};
    bool complete = false;
    TRY(make_room(ctx, &t));
    memcpy(t.y, lad->y, (size_t)lad->m * sizeof *t.y);
    TRY(choose_basis(ctx, &t, &complete));
    if (!complete) goto out;
    for (int64_t k = 0; k < lad->p; k++) TRY(smr_lad_row(ctx, lad, t.basis[k], t.Z + k * lad->p));
    TRY(solve(ctx, &t));
out:
    release(&t);
    return st;
}
