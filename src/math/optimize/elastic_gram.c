/* elastic_gram.c -- elastic least squares when the Gram matrix is known; see coordinate.h.
 *
 * q = c - G b is kept for all columns.  The columns that may move, A = {b_j != 0 or |q_j| > l1_j},
 * are copied with their part of G into small arrays; there sweeps of
 *
 *     b_j <- shrink(q_j + G_jj b_j, l1_j) / (G_jj + l2_j)                                      (1)
 *
 * alternate with an exact step: with the signs s of b fixed the minimum over the nonzero columns S
 * solves (G_SS + l2) delta = q_S - l2 b_S - l1 s (Cholesky); b moves there, or as far as the first
 * column that becomes 0.  So an answer is exact to rounding, not to a tolerance, and correlated
 * columns cost no sweeps; where G_SS is singular the sweeps go on alone.  Then q is brought up to
 * date for all columns and the duality gap decides, or A grows.
 *
 * Cost of a step of a path: |A|^2 per sweep, |S|^3 / 6 per exact step (made once the sweeps have
 * cost as much), d |A| for q.  Memory: 2 |A|^2 + 10 d numbers. */
#include "math/optimize/elastic_gap.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct covariance {
    const smr_gram_problem *p;
    smr_elastic_opts opts;
    double *l1, *l2, *size, *b, *q; /* d                                                      */
    int64_t *index, *support;       /* columns of A; positions of S within A                  */
    double *A_b, *A_q, *A_c, *A_l1, *A_l2, *A_size, *delta; /* |A|                            */
    double *A_G, *factor;                                   /* |A| x |A|; Cholesky's          */
    int64_t k, capacity; /* |A|; the side for which A_G and factor have room                  */
    int64_t sweeps;
    double limit; /* the gap that is small enough */
};

/* ---- the small problem over A ----------------------------------------------------------- */

static double sweep(struct covariance *s)
{
    double moved = 0;
    for (int64_t j = 0; j < s->k; j++) {
        double h = s->A_size[j], b = s->A_b[j];
        double next = smr_elastic_update(s->A_q[j] + h * b, h + s->A_l2[j], s->A_l1[j]);
        if (next == b) continue;
        s->A_b[j] = next;
        smr_axpy_f64(s->k, b - next, s->A_G + j * s->k, s->A_q);
        moved += (h + s->A_l2[j]) * (next - b) * (next - b);
    }
    s->sweeps++;
    return moved;
}

/* Lower triangle of G_SS + l2, row by row, into its Cholesky factor; false if it is singular. */
static bool factorise(struct covariance *s, int64_t n)
{
    for (int64_t a = 0; a < n; a++) {
        int64_t i = s->support[a];
        double *L = s->factor + a * n, whole = s->A_size[i] + s->A_l2[i];
        for (int64_t e = 0; e < a; e++) {
            const double *M = s->factor + e * n;
            L[e] = (s->A_G[i * s->k + s->support[e]] - smr_dot_f64(e, L, M)) / M[e];
        }
        double pivot = whole - smr_dot_f64(a, L, L);
        if (!(pivot > 16 * (double)n * DBL_EPSILON * whole)) return false;
        L[a] = sqrt(pivot);
    }
    return true;
}

static void solve_factored(const struct covariance *s, int64_t n, double *x)
{
    for (int64_t a = 0; a < n; a++) {
        const double *L = s->factor + a * n;
        x[a] = (x[a] - smr_dot_f64(a, L, x)) / L[a];
    }
    for (int64_t a = n; a-- > 0;) {
        const double *L = s->factor + a * n;
        x[a] /= L[a];
        smr_axpy_f64(a, -x[a], L, x);
    }
}

/* The exact step.  *whole: no column stopped it; false if it cannot be made. */
static bool step_to_minimum(struct covariance *s, bool *whole)
{
    int64_t n = 0, stopped = -1;
    double length = 1;
    for (int64_t j = 0; j < s->k; j++)
        if (s->A_b[j] != 0 || (s->A_l1[j] == 0 && s->A_size[j] > 0)) s->support[n++] = j;
    if (!factorise(s, n)) return false;
    for (int64_t a = 0; a < n; a++) {
        int64_t j = s->support[a];
        double sign = s->A_b[j] > 0 ? 1 : s->A_b[j] < 0 ? -1 : 0;
        s->delta[a] = s->A_q[j] - s->A_l2[j] * s->A_b[j] - s->A_l1[j] * sign;
    }
    solve_factored(s, n, s->delta);
    for (int64_t a = 0; a < n; a++) {
        int64_t j = s->support[a];
        double after = s->A_b[j] + s->delta[a], reach = -s->A_b[j] / s->delta[a];
        if (s->A_l1[j] == 0 || after * s->A_b[j] > 0 || !(reach < length)) continue;
        length = reach;
        stopped = j;
    }
    for (int64_t a = 0; a < n; a++) {
        int64_t j = s->support[a];
        double next = j == stopped ? 0 : s->A_b[j] + length * s->delta[a];
        smr_axpy_f64(s->k, s->A_b[j] - next, s->A_G + j * s->k, s->A_q);
        s->A_b[j] = next;
    }
    *whole = stopped < 0;
    return true;
}

static bool small_gap(const struct covariance *s)
{
    struct smr_elastic_state state = {s->k,    s->A_b,  s->A_q,    s->A_c,
                                      s->A_l1, s->A_l2, s->A_size, s->p->yy};
    struct smr_elastic_gap g = smr_elastic_gap_of(&state, smr_fmax(s->opts.tol, 1e-15));
    return g.free_ok && g.gap <= 0.5 * s->limit;
}

/* Minimises over A, until the gap there is small or the sweeps are used up. */
static smr_status solve_active(smr_ctx *ctx, struct covariance *s)
{
    smr_status st = SMR_OK;
    bool can_step = true, whole = false;
    for (int64_t since = 1; s->sweeps < s->opts.max_sweeps; since++) {
        double moved = sweep(s);
        if (can_step && since >= 2 + s->k / 16) {
            for (int64_t n = 0; can_step && !whole && n <= s->k; n++)
                can_step = step_to_minimum(s, &whole);
            since = 0;
        }
        if (small_gap(s) && (whole || !can_step)) break;
        if (whole && moved == 0) break;
        whole = false;
        TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "coordinate descent", s->sweeps,
                     s->opts.max_sweeps, moved));
    }
out:
    return st;
}

/* ---- the whole problem ------------------------------------------------------------------ */

static smr_status make_room(smr_ctx *ctx, struct covariance *s, int64_t k)
{
    smr_status st = SMR_OK;
    if (k <= s->capacity) return SMR_OK;
    smr_free(s->A_G);
    smr_free(s->factor);
    s->A_G = s->factor = NULL;
    s->capacity = SMR_MIN(s->p->d, k + k / 2 + 16);
    TRY_NEW(s->A_G, s->capacity * s->capacity);
    TRY_NEW(s->factor, s->capacity * s->capacity);
out:
    return st;
}

/* A and its part of everything. */
static smr_status gather(smr_ctx *ctx, struct covariance *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->p->d, k = 0;
    for (int64_t j = 0; j < d; j++)
        if (s->size[j] > 0 && (s->b[j] != 0 || fabs(s->q[j]) > s->l1[j])) s->index[k++] = j;
    s->k = k;
    TRY(make_room(ctx, s, k));
    for (int64_t a = 0; a < k; a++) {
        int64_t i = s->index[a];
        const double *row = s->p->G + i * s->p->stride;
        for (int64_t e = 0; e < k; e++) s->A_G[a * k + e] = row[s->index[e]];
        s->A_b[a] = s->b[i];
        s->A_q[a] = s->q[i];
        s->A_c[a] = s->p->c[i];
        s->A_l1[a] = s->l1[i];
        s->A_l2[a] = s->l2[i];
        s->A_size[a] = s->size[i];
    }
out:
    return st;
}

/* b from A, and q = c - G b anew, so that rounding errors do not pile up along a path. */
static void scatter(struct covariance *s)
{
    for (int64_t a = 0; a < s->k; a++) s->b[s->index[a]] = s->A_b[a];
    memcpy(s->q, s->p->c, (size_t)s->p->d * sizeof *s->q);
    for (int64_t j = 0; j < s->p->d; j++)
        if (s->b[j] != 0) smr_axpy_f64(s->p->d, -s->b[j], s->p->G + j * s->p->stride, s->q);
}

static smr_status solve(smr_ctx *ctx, struct covariance *s, double l1, double l2,
                        smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    int64_t d = s->p->d;
    struct smr_elastic_gap g;
    double least = INFINITY;
    int stalls = 0;
    smr_elastic_penalties(d, &s->opts, l1, l2, s->l1, s->l2);
    s->sweeps = 0;
    s->limit = smr_fmax(s->opts.tol, 1e-15) * 0.5 * s->p->yy;
    for (;;) {
        struct smr_elastic_state state = {d, s->b, s->q, s->p->c, s->l1, s->l2, s->size, s->p->yy};
        g = smr_elastic_gap_of(&state, smr_fmax(s->opts.tol, 1e-15));
        out->converged = s->opts.tol > 0 && g.gap <= s->limit && g.free_ok;
        /* Where no round lowers the gap any more, this is the best that doubles can have. */
        stalls = g.gap < 0.9 * least ? 0 : stalls + 1;
        least = smr_fmin(least, g.gap);
        if (out->converged || s->sweeps >= s->opts.max_sweeps || stalls > (s->opts.tol > 0 ? 2 : 0))
            break;
        TRY(gather(ctx, s));
        if (s->k == 0) break;
        TRY(solve_active(ctx, s));
        scatter(s);
    }
    if (s->opts.tol < 0) out->converged = g.gap <= 1e3 * s->limit && g.free_ok;
    out->objective = g.objective;
    out->gap = g.gap;
    out->sweeps = s->sweeps;
    out->n_nonzero = out->n_screened = 0;
    for (int64_t j = 0; j < d; j++) out->n_nonzero += s->b[j] != 0;
out:
    return st;
}

static void release(struct covariance *s)
{
    smr_free(s->l1);
    smr_free(s->index);
    smr_free(s->A_G);
    smr_free(s->factor);
}

static smr_status create(smr_ctx *ctx, struct covariance *s, const smr_gram_problem *p,
                         const double *b)
{
    smr_status st = SMR_OK;
    int64_t d = p->d;
    s->p = p;
    TRY_NEW(s->l1, 12 * d);
    TRY_NEW(s->index, 2 * d);
    s->support = s->index + d;
    double **rest[] = {&s->l2,  &s->size, &s->b,    &s->q,      &s->A_b,  &s->A_q,
                       &s->A_c, &s->A_l1, &s->A_l2, &s->A_size, &s->delta};
    for (int64_t i = 0; i < SMR_COUNT(rest); i++) *rest[i] = s->l1 + (i + 1) * d;
    for (int64_t j = 0; j < d; j++) {
        s->size[j] = p->G[j * p->stride + j];
        s->b[j] = b && s->size[j] > 0 ? b[j] : 0; /* an empty column has no weight */
    }
    scatter(s);
out:
    return st;
}

smr_status smr_elastic_gram_path(smr_ctx *ctx, const smr_gram_problem *problem,
                                 const smr_elastic_opts *opts, const smr_elastic_path *path,
                                 double *B, smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    struct covariance s = {0};
    size_t size = (size_t)problem->d * sizeof *B;
    TRY(smr_elastic_check(ctx, opts, path, &s.opts));
    TRY(create(ctx, &s, problem, NULL));
    for (int64_t k = 0; k < path->n; k++) {
        TRY(solve(ctx, &s, path->l1[k], path->l2 ? path->l2[k] : opts->l2, &out[k]));
        memcpy(B + k * problem->d, s.b, size);
    }
out:
    release(&s);
    return st;
}

smr_status smr_elastic_gram(smr_ctx *ctx, const smr_gram_problem *problem,
                            const smr_elastic_opts *opts, double *b, smr_elastic_result *out)
{
    smr_status st = SMR_OK;
    struct covariance s = {0};
    TRY(smr_elastic_check(ctx, opts, NULL, &s.opts));
    TRY(create(ctx, &s, problem, b));
    TRY(solve(ctx, &s, opts->l1, opts->l2, out));
    memcpy(b, s.b, (size_t)problem->d * sizeof *b);
out:
    release(&s);
    return st;
}
