/* elastic_columns.c -- elastic least squares by columns, for d too large for a Gram matrix; see
 * coordinate.h.
 *
 * r = y - X b is kept.  Few columns are looked at:
 *   - along a path the columns that the strong rule expects to be 0, |x_j'r| < 2 l1_j - l1_j of the
 *     step before, are left out until their condition is checked;
 *   - of those looked at, sweeps go over all, then over the nonzero ones until they no longer move;
 *   - when they do, q = X'r is computed for all columns.  The duality gap decides, columns that
 *     violate |q_j| <= l1_j join, and those for which the gap proves b_j = 0,
 *
 *         s |q_j| + sqrt(2 gap (|x_j|^2 + l2_j)) < l1_j                                        (1)
 *
 *     (s r~ is the dual point of elastic_gap.c, sqrt(2 gap) how far the best one can be) are
 *     dropped for good.
 * Sparse columns are never filled: the residual is r + shift * unit, and a centred column's product
 * with it needs the column's own entries only, because unit'(r + shift unit) = 0.
 *
 * Cost: 2 numbers read for each entry of a column looked at, per sweep; memory n + 9 d numbers.
 * References: Tibshirani et al., J. R. Statist. Soc. B 74(2):245-266, 2012 (strong rule); Ndiaye et
 * al., JMLR 18(128), 2017 (gap safe rule). */
#include "math/optimize/column_sums.h"
#include "math/optimize/elastic_gap.h"

#include <math.h>
#include <string.h>

struct residual {
    const smr_columns *X;
    smr_elastic_opts opts;
    double yy;
    double *r, shift;                                   /* n                          */
    double *b, *q, *c, *l1, *l2, *size, *unit, *before; /* d; unit: x_j'unit          */
    bool *is_out, *is_in;                               /* proved 0; looked at        */
    int64_t *index, k;                                  /* the columns looked at      */
    int64_t sweeps;
    double limit;
};

/* x_j'(residual), centred. */
static double product(const struct residual *s, int64_t j)
{
    return smr_column_dot(s->X, j, s->r) + s->shift * s->unit[j];
}

static void move(struct residual *s, int64_t j, double by)
{
    smr_column_add(s->X, j, -by, s->r);
    if (s->X->mean) s->shift += by * s->X->mean[j];
    s->b[j] += by;
}

/* One pass over the columns looked at (the nonzero ones only, if asked); returns what it gained,
 * about twice the fall of P. */
static double sweep(struct residual *s, bool nonzero_only)
{
    double gained = 0;
    for (int64_t a = 0; a < s->k; a++) {
        int64_t j = s->index[a];
        double b = s->b[j], h = s->size[j];
        if (h == 0 || (nonzero_only && b == 0)) continue;
        double next = smr_elastic_update(product(s, j) + h * b, h + s->l2[j], s->l1[j]);
        if (next == b) continue;
        move(s, j, next - b);
        s->b[j] = next;
        gained += (h + s->l2[j]) * (next - b) * (next - b);
    }
    s->sweeps++;
    return gained;
}

static smr_status solve_working(smr_ctx *ctx, struct residual *s, double enough)
{
    smr_status st = SMR_OK;
    while (s->sweeps < s->opts.max_sweeps) {
        if (sweep(s, false) <= enough) break;
        for (int inner = 0; inner < 100 && s->sweeps < s->opts.max_sweeps; inner++)
            if (sweep(s, true) <= enough) break;
        TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "coordinate descent", s->sweeps,
                     s->opts.max_sweeps, (double)s->k));
    }
out:
    return st;
}

/* Looks at column j from now on. */
static void admit(struct residual *s, int64_t j)
{
    if (s->is_in[j] || s->is_out[j]) return;
    s->is_in[j] = true;
    s->index[s->k++] = j;
}

/* q for every column that is not proved to be 0. */
static smr_status all_products(smr_ctx *ctx, struct residual *s)
{
    smr_status st = smr_columns_products(ctx, s->X, s->r, s->is_out, s->q);
    for (int64_t j = 0; st == SMR_OK && j < s->X->n_cols; j++)
        if (!s->is_out[j]) s->q[j] += s->shift * s->unit[j];
    return st;
}

/* Drops columns by (1) and admits those that violate their condition; returns how many joined. */
static int64_t screen(struct residual *s, struct smr_elastic_gap g)
{
    int64_t joined = s->k;
    for (int64_t j = 0; j < s->X->n_cols; j++) {
        double reach = sqrt(2 * g.gap * (s->size[j] + s->l2[j]));
        if (s->is_out[j] || s->size[j] == 0) continue;
        if (s->b[j] == 0 && g.scale * fabs(s->q[j]) + reach < s->l1[j] * (1 - 1e-12)) {
            s->is_out[j] = true;
            s->q[j] = 0; /* the problem without this column has the same answer */
        } else if (fabs(s->q[j]) > s->l1[j])
            admit(s, j);
    }
    joined = s->k - joined;
    int64_t kept = 0;
    for (int64_t a = 0; a < s->k; a++) {
        int64_t j = s->index[a];
        s->index[kept] = j;
        kept += !s->is_out[j];
    }
    s->k = kept;
    return joined;
}

/* The first columns to look at: nonzero ones, and those that the strong rule lets through.  It also
 * needs q for the columns that were proved to be 0 in the step before. */
static smr_status begin_step(smr_ctx *ctx, struct residual *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->X->n_cols, n_out = 0;
    s->k = 0;
    for (int64_t j = 0; j < d; j++) {
        n_out += s->is_out[j] && s->size[j] > 0;
        s->is_in[j] = s->is_out[j] = false;
    }
    if (n_out > 0) TRY(all_products(ctx, s));
    for (int64_t j = 0; j < d; j++) {
        if (s->size[j] == 0) {
            s->is_out[j] = true;
            s->q[j] = 0;
        }
        if (s->b[j] != 0 || fabs(s->q[j]) >= 2 * s->l1[j] - s->before[j]) admit(s, j);
    }
out:
    return st;
}

static smr_status solve(smr_ctx *ctx, struct residual *s, double l1, double l2,
                        smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    int64_t d = s->X->n_cols;
    struct smr_elastic_gap g;
    double enough, least = INFINITY;
    int stalls = 0;
    smr_elastic_penalties(d, &s->opts, l1, l2, s->l1, s->l2);
    s->limit = smr_fmax(s->opts.tol, 1e-15) * 0.5 * s->yy;
    s->sweeps = 0;
    enough = 0.1 * s->limit;
    TRY(begin_step(ctx, s));
    for (;;) {
        TRY(solve_working(ctx, s, enough));
        TRY(all_products(ctx, s));
        struct smr_elastic_state state = {d, s->b, s->q, s->c, s->l1, s->l2, s->size, s->yy};
        g = smr_elastic_gap_of(&state, smr_fmax(s->opts.tol, 1e-15));
        out->converged = s->opts.tol > 0 && g.gap <= s->limit && g.free_ok;
        stalls = g.gap < 0.9 * least ? 0 : stalls + 1;
        least = smr_fmin(least, g.gap);
        if (out->converged || s->sweeps >= s->opts.max_sweeps || stalls > 10) break;
        if (screen(s, g) == 0) enough *= 0.1;
    }
    if (s->opts.tol < 0) out->converged = g.gap <= 1e3 * s->limit && g.free_ok;
    out->objective = g.objective;
    out->gap = g.gap;
    out->sweeps = s->sweeps;
    out->n_nonzero = out->n_screened = 0;
    for (int64_t j = 0; j < d; j++) {
        out->n_nonzero += s->b[j] != 0;
        out->n_screened += s->is_out[j];
    }
    memcpy(s->before, s->l1, (size_t)d * sizeof *s->l1);
out:
    return st;
}

static void release(struct residual *s)
{
    smr_free(s->r);
    smr_free(s->b);
    smr_free(s->is_out);
    smr_free(s->index);
}

static smr_status create(smr_ctx *ctx, struct residual *s, const smr_columns *X, const double *y,
                         const double *b)
{
    smr_status st = SMR_OK;
    int64_t n = X->n_rows, d = X->n_cols;
    s->X = X;
    TRY_NEW(s->r, n);
    TRY_NEW(s->b, 8 * d);
    TRY_NEW(s->is_out, 2 * d);
    TRY_NEW(s->index, d);
    s->is_in = s->is_out + d;
    double **rest[] = {&s->q, &s->c, &s->l1, &s->l2, &s->size, &s->unit, &s->before};
    for (int64_t i = 0; i < SMR_COUNT(rest); i++) *rest[i] = s->b + (i + 1) * d;
    memcpy(s->r, y, (size_t)n * sizeof *y);
    s->yy = smr_dot_f64(n, y, y);
    smr_columns_sizes(X, s->size, s->unit);
    TRY(smr_columns_products(ctx, X, y, NULL, s->c));
    for (int64_t j = 0; j < d; j++) {
        if (b && b[j] != 0 && s->size[j] > 0) move(s, j, b[j]);
        s->before[j] = INFINITY; /* the first step looks at every column */
    }
out:
    return st;
}

smr_status smr_elastic_columns_path(smr_ctx *ctx, const smr_columns *X, const double *y,
                                    const smr_elastic_opts *opts, const smr_elastic_path *path,
                                    double *B, smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    struct residual s = {0};
    int64_t d = X->n_cols;
    TRY(smr_elastic_check(ctx, opts, path, &s.opts));
    TRY(create(ctx, &s, X, y, NULL));
    /* From b = 0, which is the answer at l1_max: the strong rule holds from the first step on. */
    double top = smr_elastic_l1_max(d, s.c, opts->l1_factor);
    smr_elastic_penalties(d, &s.opts, top, 0, s.before, s.l2);
    memcpy(s.q, s.c, (size_t)d * sizeof *s.q);
    for (int64_t k = 0; k < path->n; k++) {
        TRY(solve(ctx, &s, path->l1[k], path->l2 ? path->l2[k] : opts->l2, &out[k]));
        memcpy(B + k * d, s.b, (size_t)d * sizeof *B);
    }
out:
    release(&s);
    return st;
}

smr_status smr_elastic_columns(smr_ctx *ctx, const smr_columns *X, const double *y,
                               const smr_elastic_opts *opts, double *b, smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    struct residual s = {0};
    TRY(smr_elastic_check(ctx, opts, NULL, &s.opts));
    TRY(create(ctx, &s, X, y, b));
    TRY(solve(ctx, &s, opts->l1, opts->l2, out));
    memcpy(b, s.b, (size_t)X->n_cols * sizeof *b);
out:
    release(&s);
    return st;
}
