/* hulls.c -- see hulls.h.
 *
 * The points are differences v = x_i - x_j of a row of either class (without an intercept:
 * v = y_i x_i).  A corral is a set of them that is affinely independent; its affine minimiser
 * sum_s l_s v_s, sum l = 1, solves (K + 1 1') u = 1, l = u / sum u, K the corral's products.
 * A step adds the point that lies deepest below the current z, and then, while the affine minimiser
 * lies outside the corral's hull, goes towards it up to the border and drops what is left at 0. */
#include "math/optimize/hulls.h"

#include "math/optimize/dual_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };

struct corral {
    const smr_dual_problem *p;
    struct smr_dual rows;  /* for smr_dual_score: its w is z                               */
    int64_t d, most, n;    /* n points of at most `most`                                   */
    double *V;             /* most x d: the points                                         */
    double *K;             /* most x most: their products                                  */
    double *L, *u;         /* Cholesky's factor, the minimiser                             */
    double *share;         /* most: l                                                      */
    int64_t *plus, *minus; /* most: the rows a point was made of; minus -1 without intercept */
    double *z;
    double longest; /* |v| seen */
};

/* ---- the deepest point ------------------------------------------------------------------ */

struct extreme {
    double low[2]; /* the least y z'x of either sign */
    int64_t at[2];
};

struct search {
    struct corral *c;
    struct extreme *found; /* by block */
};

static smr_status search_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct search *s = arg;
    const smr_dual_problem *p = s->c->p;
    struct extreme *x = &s->found[task];
    (void)ctx;
    *x = (struct extreme){{INFINITY, INFINITY}, {-1, -1}};
    for (int64_t i = task * BLOCK; i < smr_block_end(p->n_rows, BLOCK, task); i++) {
        if (p->weight && !(p->weight[i] > 0)) continue;
        int side = p->is_free ? p->y[i] > 0 : 0;
        double depth = p->y[i] * smr_dual_score(&s->c->rows, i, lane);
        if (depth >= x->low[side]) continue;
        x->low[side] = depth;
        x->at[side] = i;
    }
    return SMR_OK;
}

static smr_status deepest(smr_ctx *ctx, struct corral *c, struct extreme *out)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(c->p->n_rows, BLOCK);
    struct search s = {.c = c};
    *out = (struct extreme){{INFINITY, INFINITY}, {-1, -1}};
    TRY_NEW(s.found, n_blocks);
    TRY(smr_parallel(ctx, NULL, n_blocks, search_block, &s));
    for (int64_t b = 0; b < n_blocks; b++)
        for (int side = 0; side < 2; side++)
            if (s.found[b].low[side] < out->low[side]) {
                out->low[side] = s.found[b].low[side];
                out->at[side] = s.found[b].at[side];
            }
out:
    smr_free(s.found);
    return st;
}

/* ---- the corral ------------------------------------------------------------------------- */

/* v += by x_i */
static void add_row(struct corral *c, int64_t i, double by, double *v)
{
    struct smr_dual to = c->rows;
    smr_dual_result none = {0};
    to.w = v;
    to.out = &none;
    if (to.wide) (void)smr_dual_dense(&to, i, 0);
    smr_dual_move(&to, i, by);
}

static void add_point(struct corral *c, int64_t plus, int64_t minus, double sign)
{
    int64_t n = c->n++;
    double *v = c->V + n * c->d;
    memset(v, 0, (size_t)c->d * sizeof *v);
    add_row(c, plus, sign, v);
    if (minus >= 0) add_row(c, minus, -1, v);
    for (int64_t s = 0; s <= n; s++)
        c->K[n * c->most + s] = c->K[s * c->most + n] = smr_dot_f64(c->d, v, c->V + s * c->d);
    c->longest = smr_fmax(c->longest, sqrt(c->K[n * c->most + n]));
    c->share[n] = n == 0;
    c->plus[n] = plus;
    c->minus[n] = minus;
}

static void drop_point(struct corral *c, int64_t s)
{
    int64_t last = --c->n, m = c->most;
    if (s == last) return;
    memcpy(c->V + s * c->d, c->V + last * c->d, (size_t)c->d * sizeof *c->V);
    for (int64_t t = 0; t < last; t++)
        if (t != s) c->K[s * m + t] = c->K[t * m + s] = c->K[last * m + t];
    c->K[s * m + s] = c->K[last * m + last];
    c->share[s] = c->share[last];
    c->plus[s] = c->plus[last];
    c->minus[s] = c->minus[last];
}

/* u = the affine minimiser; false if the points are dependent to working precision. */
static bool affine_minimiser(struct corral *c)
{
    int64_t n = c->n, m = c->most;
    double *L = c->L, *u = c->u, shift = c->longest * c->longest, sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double a = c->K[i * m + j] + shift - smr_dot_f64(j, L + i * m, L + j * m);
            if (i != j)
                L[i * m + j] = a / L[j * m + j];
            else if (a > 1e-14 * (c->K[i * m + i] + shift))
                L[i * m + i] = sqrt(a);
            else
                return false;
        }
    for (int64_t i = 0; i < n; i++) u[i] = (1 - smr_dot_f64(i, L + i * m, u)) / L[i * m + i];
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) u[i] -= L[j * m + i] * u[j];
        u[i] /= L[i * m + i];
    }
    for (int64_t i = 0; i < n; i++) sum += u[i];
    for (int64_t i = 0; i < n; i++) u[i] /= sum;
    return true;
}

static void set_z(struct corral *c)
{
    memset(c->z, 0, (size_t)c->d * sizeof *c->z);
    for (int64_t s = 0; s < c->n; s++) smr_axpy_f64(c->d, c->share[s], c->V + s * c->d, c->z);
}

/* Goes to the affine minimiser of fewer and fewer points until it lies within their hull. */
static void settle(struct corral *c)
{
    while (c->n > 1) {
        double step = 1;
        int64_t first = -1;
        if (!affine_minimiser(c)) { /* the newest says nothing new */
            c->n--;
            break;
        }
        for (int64_t s = 0; s < c->n; s++) {
            if (c->u[s] > 1e-15) continue;
            double to_border = c->share[s] / (c->share[s] - c->u[s]);
            if (first >= 0 && !(to_border < step)) continue;
            step = smr_fmin(to_border, 1);
            first = s;
        }
        for (int64_t s = 0; s < c->n; s++) c->share[s] += step * (c->u[s] - c->share[s]);
        if (first < 0) break;
        c->share[first] = 0;
        for (int64_t s = c->n - 1; s >= 0; s--)
            if (!(c->share[s] > 1e-15)) drop_point(c, s);
    }
    if (c->n == 1) c->share[0] = 1;
    set_z(c);
}

/* ---- together --------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, struct corral *c)
{
    smr_status st = SMR_OK;
    TRY_NEW(c->V, c->most * c->d);
    TRY_NEW(c->K, 2 * c->most * c->most);
    TRY_NEW(c->u, 2 * c->most);
    TRY_NEW(c->plus, 2 * c->most);
    TRY_NEW(c->z, c->d + 1);
    if (!c->p->sparse && c->p->dtype != SMR_F64) TRY_NEW(c->rows.wide, smr_lanes(ctx) * c->d);
    c->L = c->K + c->most * c->most;
    c->share = c->u + c->most;
    c->minus = c->plus + c->most;
    c->rows.p = c->p;
    c->rows.w = c->z;
out:
    return st;
}

static smr_status approach(smr_ctx *ctx, struct corral *c, int64_t max_steps, smr_hulls *out)
{
    smr_status st = SMR_OK;
    double before = INFINITY;
    for (out->steps = 0; out->steps < max_steps; out->steps++) {
        struct extreme x;
        TRY(deepest(ctx, c, &x));
        double square = smr_dot_f64(c->d, c->z, c->z), eps = 1e-13 * c->longest * c->longest;
        double depth = c->p->is_free ? x.low[0] + x.low[1] : x.low[0];
        /* z'v >= |z|^2 for all points, to rounding; or nothing changes any more */
        out->converged =
            c->n > 0 && (square <= eps * 1e-7 || depth >= square - eps || !(square < before));
        if (out->converged) break;
        before = c->n > 0 ? square : INFINITY;
        if (c->n == c->most) break;
        if (c->p->is_free)
            add_point(c, x.at[1], x.at[0], 1);
        else
            add_point(c, x.at[0], -1, c->p->y[x.at[0]]);
        settle(c);
        TRY(smr_tick(ctx, "hard margin", out->steps, max_steps, sqrt(square)));
    }
out:
    return st;
}

/* w, b and the rows' shares from z and the corral. */
static void conclude(struct corral *c, double *w, double *share, smr_hulls *out)
{
    int64_t n = c->p->n_rows;
    double square = smr_dot_f64(c->d, c->z, c->z), scale = c->p->is_free ? 2 : 1, at = 0;
    memset(share, 0, (size_t)n * sizeof *share);
    for (int64_t s = 0; s < c->n; s++) {
        share[c->plus[s]] += c->share[s];
        if (c->minus[s] >= 0) share[c->minus[s]] += c->share[s];
    }
    out->distance = sqrt(square);
    out->is_separable = out->distance > 1e-10 * c->longest;
    if (!out->is_separable) scale = square = 1;
    for (int64_t i = 0; i < n && c->p->is_free; i++)
        if (share[i] > 0 && c->p->y[i] > 0) at += share[i] * smr_dual_score(&c->rows, i, 0);
    for (int64_t j = 0; j < c->d; j++) w[j] = scale / square * c->z[j];
    w[c->d] = c->p->is_free ? 1 - scale / square * at : 0;
}

smr_status smr_hulls_nearest(smr_ctx *ctx, const smr_dual_problem *problem, int64_t max_steps,
                             double *w, double *share, smr_hulls *out)
{
    smr_status st = SMR_OK;
    int64_t d = problem->n_cols;
    struct corral c = {.p = problem, .d = d, .most = SMR_MIN(problem->n_rows, d + 1) + 1};
    *out = (smr_hulls){0};
    TRY(make_room(ctx, &c));
    TRY(approach(ctx, &c, max_steps, out));
    conclude(&c, w, share, out);
out:
    smr_free(c.V);
    smr_free(c.K);
    smr_free(c.u);
    smr_free(c.plus);
    smr_free(c.z);
    smr_free(c.rows.wide);
    return st;
}
