/* glm_gram.c -- the local quadratic of glm_columns.c on few sparse columns, by their Gram matrix.
 *
 * With few columns left in play (A), sweeps over their entries are long against the k x k matrix
 * G = X_A' diag(h) X_A (and the column of ones of the offset, which has no penalty): in u = b + D
 * the problem is the elastic one with Gram matrix G and c = G b - x's.  At known signs it is a
 * linear system; sweeps correct the signs where its answer contradicts them.
 *
 * Cost: d^2 a sweep, n^3 / 6 for a system of the n variables that are not 0; memory 7 d numbers. */
#include "math/factor.h"
#include "math/optimize/glm_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 1500 };
/* The products of two entries may be this many times as many as the entries. */
enum { MOST_PRODUCTS = 64 };
/* Jumps at most, and sweeps before each at least; a jump takes as long as d / 8 sweeps. */
enum { JUMPS = 20, SWEEPS = 5, SWEEPS_OF_A_JUMP = 8, MOST_SWEEPS = 10000 };
/* Of what the first sweep gains. */
#define LITTLE 1e-2
/* Equal columns make the matrix singular; this much of the diagonal keeps them apart. */
#define RIDGE 1e-11

bool smr_glm_has_gram(const struct smr_glm_work *t)
{
    double entries = 0;
    if ((t->m->X && t->m->X->dense) || t->k > MOST_COLUMNS) return false;
    for (int64_t a = 0; a < t->k; a++) entries += (double)smr_glm_column(t, t->index[a]).n;
    /* rows of about so many entries, whose places are counted in 32 bits */
    return entries <= MOST_PRODUCTS * (double)t->n && entries <= INT32_MAX;
}

/* The elastic problem in u. */
struct problem {
    const double *G;             /* d x d                      */
    double *u, *r, *c, *l1, *l2; /* d: r = c - G u             */
    double *K, *x;               /* room of a jump: d x d, 2 d */
    int64_t *at, d;              /* d                          */
};

/* r anew, so that rounding errors do not pile up. */
static void refresh(struct problem *q)
{
    memcpy(q->r, q->c, (size_t)q->d * sizeof *q->r);
    for (int64_t a = 0; a < q->d; a++)
        if (q->u[a] != 0) smr_axpy_f64(q->d, -q->u[a], q->G + a * q->d, q->r);
}

/* room: 7 d numbers. */
static void pose(const struct smr_glm_work *t, const double *slope, double of_offset, double *room,
                 int64_t *at, struct problem *q)
{
    const struct smr_glm_matrix *m = &t->gram;
    int64_t d = m->d, k = m->k;
    *q = (struct problem){m->G,         room, room + d,     room + 2 * d, room + 3 * d,
                          room + 4 * d, m->K, room + 5 * d, at,           d};
    for (int64_t a = 0; a < k; a++) {
        int64_t j = m->index[a];
        q->u[a] = t->b[j];
        q->l1[a] = t->l1[j];
        q->l2[a] = t->l2[j];
    }
    refresh(q); /* c is 0: r = -G b */
    for (int64_t a = 0; a < k; a++) q->c[a] = -slope[m->index[a]] - q->r[a];
    if (d > k) q->c[k] = -of_offset - q->r[k];
    for (int64_t a = 0; a < k; a++) q->u[a] += t->D[m->index[a]];
    if (d > k) q->u[k] = t->D_offset;
    refresh(q);
}

/* x = K^-1 x, K (n x n) lost.  False where K is singular. */
static smr_status solve_free(smr_ctx *ctx, int64_t n, double *K, double *x, bool *is_regular)
{
    smr_status st = SMR_OK;
    int64_t failed_at = -1;
    TRY(smr_cholesky(ctx, n, K, n, &failed_at));
    *is_regular = failed_at < 0;
    if (*is_regular) TRY(smr_cholesky_solve(ctx, n, 1, K, n, x, n));
out:
    return st;
}

/* The elastic objective at u, but for a constant. */
static double value_of(const struct problem *q)
{
    double sum = 0;
    for (int64_t a = 0; a < q->d; a++) {
        double u = q->u[a];
        sum += q->l1[a] * fabs(u) + 0.5 * (q->l2[a] * u * u - u * (q->c[a] + q->r[a]));
    }
    return sum;
}

static bool changes_sign(const struct problem *q, int64_t a, double to)
{
    return q->l1[a] != 0 && q->u[a] * to < 0;
}

/* Moves the n variables at[] to x, those to 0 whose sign would change; if that gains nothing, as
 * far as the first of them is 0.  Returns how many would have changed their sign. */
static int64_t go(struct problem *q, int64_t n, const int64_t *at, const double *x, double *old)
{
    int64_t crossed = 0, met = -1;
    double far = 1, before = value_of(q);
    for (int64_t i = 0; i < n; i++) {
        int64_t a = at[i];
        old[i] = q->u[a];
        bool crosses = changes_sign(q, a, x[i]);
        double room = crosses ? old[i] / (old[i] - x[i]) : 1;
        if (crosses && room < far) {
            far = room;
            met = i;
        }
        crossed += crosses;
        q->u[a] = crosses ? 0 : x[i];
    }
    refresh(q);
    if (met < 0 || value_of(q) < before) return crossed;
    for (int64_t i = 0; i < n; i++) q->u[at[i]] = i == met ? 0 : old[i] + far * (x[i] - old[i]);
    refresh(q);
    return crossed;
}

/* Moves the variables that are not 0 towards their joint minimum at the signs they have.
 * *is_over: it went all the way, and those at 0 are right there. */
static smr_status jump(smr_ctx *ctx, struct problem *q, bool *is_over)
{
    smr_status st = SMR_OK;
    int64_t d = q->d, n = 0, *at = q->at;
    double *x = q->x;
    bool is_regular = false;
    *is_over = false;
    for (int64_t a = 0; a < d; a++)
        if (q->u[a] != 0 || q->l1[a] == 0) at[n++] = a;
    if (n == 0) goto out;
    for (int64_t i = 0; i < n; i++) {
        const double *row = q->G + at[i] * d;
        double u = q->u[at[i]], l1 = q->l1[at[i]];
        x[i] = q->c[at[i]] - (u > 0 ? l1 : u < 0 ? -l1 : 0);
        for (int64_t j = 0; j < n; j++) q->K[i * n + j] = row[at[j]];
        q->K[i * n + i] += q->l2[at[i]] + RIDGE * q->K[i * n + i];
    }
    TRY(solve_free(ctx, n, q->K, x, &is_regular));
    if (!is_regular) goto out;
    *is_over = go(q, n, at, x, x + n) == 0;
    for (int64_t a = 0; a < d && *is_over; a++)
        *is_over = q->u[a] != 0 || q->l1[a] == 0 || fabs(q->r[a]) <= q->l1[a];
out:
    return st;
}

/* Returns about twice what it gained. */
static double sweep(struct problem *q)
{
    double gained = 0;
    for (int64_t a = 0; a < q->d; a++) {
        double u = q->u[a], h = q->G[a * q->d + a];
        double next = smr_elastic_update(q->r[a] + h * u, h + q->l2[a], q->l1[a]), by = next - u;
        if (by == 0 || h == 0) continue;
        q->u[a] = next;
        smr_axpy_f64(q->d, -by, q->G + a * q->d, q->r);
        gained += (h + q->l2[a]) * by * by;
    }
    return gained;
}

/* A few sweeps choose the signs, a jump does the rest; where that never fits, sweeps alone.  As
 * many sweeps as cost the same as a jump are made first, if they seem to be enough. */
static smr_status solve(smr_ctx *ctx, struct smr_glm_work *t, struct problem *q, double gap)
{
    smr_status st = SMR_OK;
    double before = INFINITY, gained = INFINITY;
    bool is_over = false;
    int jumps = 0;
    for (int64_t k = 1, last = 0; k <= MOST_SWEEPS && !is_over; k++, before = gained) {
        gained = sweep(q);
        if (k == 1) gap = smr_fmin(gap, LITTLE * gained);
        if (gained <= gap) break;
        TRY(smr_tick(ctx, t->run.opts.what ? t->run.opts.what : "coordinate descent",
                     t->run.out->iterations, t->run.opts.max_iter, t->f));
        bool is_long = smr_glm_sweeps_left(before, gained, gap) > (double)q->d / SWEEPS_OF_A_JUMP;
        if (k < last + SWEEPS || !is_long || jumps >= JUMPS) continue;
        TRY(jump(ctx, q, &is_over));
        jumps++;
        last = k;
    }
out:
    return st;
}

smr_status smr_glm_gram(smr_ctx *ctx, struct smr_glm_work *t, const double *slope, double of_offset,
                        double gap)
{
    smr_status st = SMR_OK;
    const struct smr_glm_matrix *m = &t->gram;
    struct problem q = {0};
    double *room = NULL;
    int64_t *at = NULL;
    TRY_NEW(room, 7 * m->d);
    TRY_NEW(at, m->d);
    pose(t, slope, of_offset, room, at, &q);
    TRY(solve(ctx, t, &q, gap));
    for (int64_t a = 0; a < m->k; a++) t->D[m->index[a]] = q.u[a] - t->b[m->index[a]];
    if (m->d > m->k) t->D_offset = q.u[m->k];
out:
    smr_free(at);
    smr_free(room);
    return st;
}
