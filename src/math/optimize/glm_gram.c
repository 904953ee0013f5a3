/* glm_gram.c -- the local quadratic of glm_columns.c on few sparse columns, by their Gram matrix.
 *
 * With few columns left in play (A), sweeps over their entries are long against the k x k matrix
 *
 *     G = X_A' diag(h) X_A
 *
 * (and the column of ones of the offset, which has no penalty): in u = b + D the problem is the
 * elastic one with Gram matrix G and c = G b - x's.  At known signs it is a linear system; sweeps
 * of elastic_gram.c correct the signs where its answer contradicts them.
 *
 * The few columns that most rows have, the heavy ones, come first in A and are kept dense, row by
 * row, times root h; their part of G is a sum over parts of the rows.  Row a of G, of the others,
 * is the sum over the rows i of column a of h_i x_ia times row i of X_A: all of its heavy part, and
 * of the others those from a on.  Parts of the rows and rows of G by all threads.
 *
 * Cost: n q^2 / 2 + sum_i q l_i + l_i^2 / 2 multiply-adds, l_i being the entries of row i in A that
 * are not heavy, q the heavy columns; memory 2 k^2 + q n numbers and a copy of the entries in A. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/optimize/glm_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 1500, BLOCK = 16 };
/* The products of two entries may be this many times as many as the entries. */
enum { MOST_PRODUCTS = 64 };
/* A column is heavy with one entry in so many rows; so many at most. */
enum { HEAVY_SHARE = 8, MOST_HEAVY = 64 };
/* Rows go in this many parts. */
enum { PARTS = 8 };
enum { JUMPS = 20, SWEEPS = 5 };
/* Equal columns make the matrix singular; this much of the diagonal keeps them apart. */
#define RIDGE 1e-11

struct matrix {
    const struct smr_glm_work *t;
    int64_t k, d;      /* columns in A; with the offset's */
    int64_t *index, q; /* A, the q heavy columns first */
    double *block;     /* G, K, heavy, part and ones: large, for the system's sake */
    double *G, *K;     /* d x d; K is room                                         */
    double *heavy;     /* n x q: times root h                                      */
    double *part;      /* PARTS x q x q: what the parts add to G                   */
    double *ones;      /* PARTS x q: and to the offset's column                    */
    char *work;        /* work_size bytes per lane                                 */
    int64_t work_size;
    int64_t *start;  /* rows of the others */
    int32_t *column; /* q .. k-1, ascending in a row */
    double *value;
    int64_t *first; /* the entries of column a >= q are at place[first[a] ..) of the rows */
    int32_t *place;
};

bool smr_glm_has_gram(const struct smr_glm_work *t)
{
    const smr_columns *X = t->m->X;
    if (X->dense || t->k > MOST_COLUMNS) return false;
    double entries = 0;
    for (int64_t a = 0; a < t->k; a++)
        entries += (double)(X->start[t->index[a] + 1] - X->start[t->index[a]]);
    /* rows of about so many entries, whose places are counted in 32 bits */
    return entries <= MOST_PRODUCTS * (double)X->n_rows && entries <= INT32_MAX;
}

/* A in m->index, the heavy columns in front. */
static smr_status sort_out(smr_ctx *ctx, struct matrix *m)
{
    smr_status st = SMR_OK;
    const smr_columns *X = m->t->m->X;
    int64_t light = 0;
    TRY_NEW(m->index, 2 * m->k);
    for (int64_t a = 0; a < m->k; a++) {
        int64_t j = m->t->index[a];
        bool is_heavy = (X->start[j + 1] - X->start[j]) * HEAVY_SHARE >= X->n_rows;
        if (is_heavy && m->q < MOST_HEAVY)
            m->index[m->q++] = j;
        else
            m->index[m->k + light++] = j;
    }
    memmove(m->index + m->q, m->index + m->k, (size_t)light * sizeof *m->index);
out:
    return st;
}

/* The first entry of column j in row lo or after it. */
static int64_t entry_from(const smr_columns *X, int64_t j, int64_t lo)
{
    int64_t first = X->start[j], after = X->start[j + 1];
    while (first < after) {
        int64_t middle = first + (after - first) / 2;
        if (X->row[middle] < lo)
            first = middle + 1;
        else
            after = middle;
    }
    return first;
}

/* The heavy columns in a part of the rows, and what it adds to their part of G. */
static smr_status weigh_part(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct matrix *m = arg;
    const smr_columns *X = m->t->m->X;
    const double *h = m->t->h;
    int64_t q = m->q, lo = X->n_rows * task / PARTS, hi = X->n_rows * (task + 1) / PARTS;
    (void)ctx;
    for (int64_t a = 0; a < q; a++) {
        double sum = 0;
        for (int64_t j = m->index[a], e = entry_from(X, j, lo);
             e < X->start[j + 1] && X->row[e] < hi; e++) {
            m->heavy[X->row[e] * q + a] = sqrt(h[X->row[e]]) * X->value[e];
            sum += h[X->row[e]] * X->value[e];
        }
        m->ones[task * q + a] = sum;
    }
    smr_gram_f64(hi - lo, q, m->heavy + lo * q, q, m->part + task * q * q, q,
                 m->work + lane * m->work_size);
    return SMR_OK;
}

/* The upper triangle of the heavy columns' part of G, and what they have with the offset's. */
static smr_status weigh_heavy(smr_ctx *ctx, struct matrix *m)
{
    smr_status st = SMR_OK;
    int64_t q = m->q;
    if (q == 0) return st;
    m->work_size = (smr_gram_work(q) + 63) / 64 * 64;
    TRY_NEW(m->work, smr_lanes(ctx) * m->work_size);
    TRY(smr_parallel(ctx, NULL, PARTS, weigh_part, m));
    for (int64_t p = 0; p < PARTS; p++)
        for (int64_t a = 0; a < q; a++) {
            for (int64_t b = a; b < q; b++) m->G[a * m->d + b] += m->part[(p * q + a) * q + b];
            if (m->d > m->k) m->G[a * m->d + m->k] += m->ones[p * q + a];
        }
out:
    return st;
}

/* The rows of the columns that are not heavy. */
static smr_status turn(smr_ctx *ctx, struct matrix *m)
{
    smr_status st = SMR_OK;
    const smr_columns *X = m->t->m->X;
    int64_t n = X->n_rows, entry = 0;
    TRY_NEW(m->start, n + 1);
    TRY_NEW(m->first, m->k);
    for (int64_t a = m->q; a < m->k; a++)
        for (int64_t j = m->index[a], e = X->start[j]; e < X->start[j + 1]; e++)
            m->start[X->row[e] + 1]++;
    for (int64_t i = 0; i < n; i++) m->start[i + 1] += m->start[i];
    TRY_NEW(m->column, m->start[n] + 1);
    TRY_NEW(m->value, m->start[n] + 1);
    TRY_NEW(m->place, m->start[n] + 1);
    for (int64_t a = m->q; a < m->k; a++) {
        m->first[a] = entry;
        for (int64_t j = m->index[a], e = X->start[j]; e < X->start[j + 1]; e++) {
            int64_t at = m->start[X->row[e]]++;
            m->place[entry++] = (int32_t)at;
            m->column[at] = (int32_t)a;
            m->value[at] = X->value[e];
        }
    }
    memmove(m->start + 1, m->start, (size_t)n * sizeof *m->start);
    m->start[0] = 0;
out:
    return st;
}

/* Rows of G of columns that are not heavy: what each has with the heavy ones, and with those after
 * it. */
static smr_status fill_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct matrix *m = arg;
    const smr_columns *X = m->t->m->X;
    const double *h = m->t->h;
    (void)ctx, (void)lane;
    for (int64_t b = task * BLOCK; b < smr_block_end(m->k - m->q, BLOCK, task); b++) {
        int64_t a = m->q + b;
        double *row = m->G + a * m->d, sum = 0;
        const int32_t *place = m->place + m->first[a];
        for (int64_t j = m->index[a], e = X->start[j]; e < X->start[j + 1]; e++) {
            int64_t i = X->row[e];
            double hx = h[i] * X->value[e];
            sum += hx;
            if (m->q > 0) smr_axpy_f64(m->q, sqrt(h[i]) * X->value[e], m->heavy + i * m->q, row);
            for (int64_t p = *place++; p < m->start[i + 1]; p++)
                row[m->column[p]] += hx * m->value[p];
        }
        if (m->d > m->k) row[m->k] = sum;
    }
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, struct matrix *m)
{
    smr_status st = SMR_OK;
    int64_t dense = m->t->m->X->n_rows * m->q, square = m->d * m->d;
    TRY_NEW(m->block, 2 * square + dense + PARTS * m->q * (m->q + 1));
    m->G = m->block;
    m->K = m->G + square;
    m->heavy = m->K + square;
    m->part = m->heavy + dense;
    m->ones = m->part + PARTS * m->q * m->q;
out:
    return st;
}

static smr_status make_matrix(smr_ctx *ctx, struct matrix *m)
{
    smr_status st = SMR_OK;
    TRY(sort_out(ctx, m));
    TRY(turn(ctx, m));
    TRY(make_room(ctx, m));
    TRY(weigh_heavy(ctx, m));
    TRY(smr_parallel(ctx, NULL, smr_block_count(m->k - m->q, BLOCK), fill_block, m));
    double *G = m->G;
    for (int64_t a = 0; a < m->d; a++) /* a row from the columns' side, but for the heavy ones' */
        for (int64_t b = a + 1; b < m->d; b++) {
            if (a < m->q && b >= m->q && b < m->k)
                G[a * m->d + b] = G[b * m->d + a];
            else
                G[b * m->d + a] = G[a * m->d + b];
        }
    if (m->d > m->k) G[m->d * m->d - 1] = smr_sum_f64(m->t->m->X->n_rows, m->t->h);
out:
    return st;
}

/* The elastic problem in u. */
struct problem {
    smr_gram_problem p;
    double *u, *l1, *l2, *b; /* d */
    double *K, *x;           /* room of a jump: d x d, 2 d */
    int64_t *at;             /* d                          */
};

static void pose(const struct smr_glm_work *t, const struct matrix *m, double *room,
                 struct problem *q)
{
    int64_t d = m->d, k = m->k;
    double *c = room + 4 * d, yy = 0;
    *q = (struct problem){.u = room, .l1 = room + d, .l2 = room + 2 * d, .b = room + 3 * d};
    for (int64_t a = 0; a < k; a++) {
        int64_t j = m->index[a];
        q->b[a] = t->b[j];
        q->u[a] = t->b[j] + t->D[j];
        q->l1[a] = t->l1[j];
        q->l2[a] = t->l2[j];
        c[a] = -t->g[j];
    }
    if (d > k) {
        q->u[k] = t->D_offset;
        c[k] = -smr_sum_f64(t->m->X->n_rows, t->s);
    }
    for (int64_t a = 0; a < d; a++) { /* yy is the scale of the gap only */
        double Gb = smr_dot_f64(d, m->G + a * d, q->b), h = m->G[a * d + a];
        yy += q->b[a] * Gb + 2 * fabs(q->b[a] * c[a]) + (h > 0 ? c[a] * c[a] / h * (double)d : 0);
        c[a] += Gb;
    }
    q->p = (smr_gram_problem){d, m->G, d, c, yy};
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

/* The elastic objective at q->u, but for a constant. */
static double value_of(const struct problem *q)
{
    double sum = 0;
    for (int64_t a = 0; a < q->p.d; a++) {
        double u = q->u[a];
        if (u == 0) continue;
        sum += u * (0.5 * smr_dot_f64(q->p.d, q->p.G + a * q->p.d, q->u) - q->p.c[a]);
        sum += q->l1[a] * fabs(u) + 0.5 * q->l2[a] * u * u;
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
    if (met < 0 || value_of(q) < before) return crossed;
    for (int64_t i = 0; i < n; i++) q->u[at[i]] = i == met ? 0 : old[i] + far * (x[i] - old[i]);
    return crossed;
}

/* Moves the variables that are not 0 towards their joint minimum at the signs they have.
 * *is_over: it went all the way, and those at 0 are right there. */
static smr_status jump(smr_ctx *ctx, struct problem *q, bool *is_over)
{
    smr_status st = SMR_OK;
    int64_t d = q->p.d, n = 0, *at = q->at;
    double *K = q->K, *x = q->x;
    bool is_regular = false;
    *is_over = false;
    for (int64_t a = 0; a < d; a++)
        if (q->u[a] != 0 || q->l1[a] == 0) at[n++] = a;
    if (n == 0) goto out;
    for (int64_t i = 0; i < n; i++) {
        const double *row = q->p.G + at[i] * d;
        double u = q->u[at[i]], l1 = q->l1[at[i]];
        x[i] = q->p.c[at[i]] - (u > 0 ? l1 : u < 0 ? -l1 : 0);
        for (int64_t j = 0; j < n; j++) K[i * n + j] = row[at[j]];
        K[i * n + i] += q->l2[at[i]] + RIDGE * K[i * n + i];
    }
    TRY(solve_free(ctx, n, K, x, &is_regular));
    if (!is_regular) goto out;
    *is_over = go(q, n, at, x, x + n) == 0;
    for (int64_t a = 0; a < d && *is_over; a++)
        *is_over = q->u[a] != 0 || q->l1[a] == 0 ||
                   fabs(q->p.c[a] - smr_dot_f64(d, q->p.G + a * d, q->u)) <= q->l1[a];
out:
    return st;
}

/* A few sweeps choose the signs, a jump does the rest; where that never fits, sweeps alone. */
static smr_status solve(smr_ctx *ctx, struct smr_glm_work *t, struct problem *q, double gap)
{
    smr_status st = SMR_OK;
    int64_t d = q->p.d;
    smr_elastic_result got = {0};
    smr_elastic_opts opts = {.l1 = 1,
                             .l2 = 1,
                             .l1_factor = q->l1,
                             .l2_factor = q->l2,
                             .tol = q->p.yy > 0 ? smr_fmax(1e-15, 2 * gap / q->p.yy) : -1,
                             .what = t->run.opts.what};
    bool is_over = false;
    for (int k = 0; k < JUMPS && !is_over; k++) {
        TRY(jump(ctx, q, &is_over));
        if (is_over) break;
        opts.max_sweeps = SWEEPS;
        TRY(smr_elastic_gram(ctx, &q->p, &opts, q->u, &got));
        is_over = got.converged;
    }
    opts.max_sweeps = SMR_MAX(200, d);
    if (!is_over) TRY(smr_elastic_gram(ctx, &q->p, &opts, q->u, &got));
out:
    return st;
}

smr_status smr_glm_gram(smr_ctx *ctx, struct smr_glm_work *t, double gap)
{
    smr_status st = SMR_OK;
    struct matrix m = {.t = t, .k = t->k, .d = t->k + t->m->has_offset};
    struct problem q;
    double *room = NULL;
    int64_t *at = NULL;
    TRY_NEW(room, 7 * m.d);
    TRY(make_matrix(ctx, &m));
    pose(t, &m, room, &q);
    TRY_NEW(at, m.d);
    q.K = m.K, q.at = at, q.x = room + 5 * m.d;
    TRY(solve(ctx, t, &q, gap));
    for (int64_t a = 0; a < m.k; a++) t->D[m.index[a]] = q.u[a] - q.b[a];
    if (m.d > m.k) t->D_offset = q.u[m.k];
out:
    smr_free(m.index);
    smr_free(m.block);
    smr_free(m.work);
    smr_free(m.start);
    smr_free(m.column);
    smr_free(m.value);
    smr_free(m.first);
    smr_free(m.place);
    smr_free(at);
    smr_free(room);
    return st;
}
