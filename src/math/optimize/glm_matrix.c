/* glm_matrix.c -- the Gram matrix of few sparse columns, for glm_gram.c.
 *
 *     G = X_A' diag(h) X_A
 *
 * The few columns that most rows have, the heavy ones, come first in A and are spread out, some
 * rows at a time, times root h.  What they have with each other and with the light ones is a sum
 * over parts of the rows: a row of heavy entries times each of its light ones, while it is in the
 * cache.  Row a of G among the light ones is the sum over the rows i of column a of h_i x_ia times
 * the entries of row i of X_A from a on.  Parts of the rows and rows of G by all threads.
 *
 * Cost: n q^2 / 2 + sum_i q l_i + l_i^2 / 2 multiply-adds, l_i being the light entries of row i in
 * A, q the heavy columns; memory 2 k^2 + parts k q numbers and a copy of the light entries. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/optimize/glm_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16 };
/* A column is heavy with one entry in so many rows; so many at most. */
enum { HEAVY_SHARE = 8, MOST_HEAVY = 64 };
/* Rows go in parts of so many, and their heavy columns in so many rows at a time. */
enum { PART = 4096, MOST_PARTS = 16, ROWS = 256 };
/* Columns with a slope above this share of l1 may be among those that move next. */
#define NEAR 0.95

struct matrix {
    const struct smr_glm_work *t;
    struct smr_glm_matrix *m;
    int64_t n_parts;
    double *cross; /* n_parts x k x q: what the parts add to the heavy columns of G */
    double *ones;  /* n_parts x q: and to the offset's column                       */
    char *work;    /* work_size bytes per lane: ROWS x q numbers, a Gram's work   */
    int64_t work_size;
    int64_t *start;  /* rows of the light ones */
    int32_t *column; /* q .. k-1, ascending in a row */
    double *value;
    int64_t *first; /* the entries of column a >= q are at place[first[a] ..) of the rows */
    int32_t *place;
};

/* A: the columns that may move and those near to it, the heavy ones in front. */
static smr_status sort_out(smr_ctx *ctx, const struct smr_glm_work *t, struct smr_glm_matrix *m)
{
    smr_status st = SMR_OK;
    int64_t light = 0;
    TRY_NEW(m->is_in, t->d);
    for (int64_t a = 0; a < t->k; a++) m->is_in[t->index[a]] = true;
    for (int64_t j = 0; j < t->d; j++) {
        if (fabs(t->g[j]) > NEAR * t->l1[j] && smr_glm_has_column(t, j)) m->is_in[j] = true;
        m->k += m->is_in[j];
    }
    TRY_NEW(m->index, 2 * m->k);
    for (int64_t j = 0; j < t->d; j++) {
        if (!m->is_in[j]) continue;
        if (smr_glm_column(t, j).n * HEAVY_SHARE >= t->n && m->q < MOST_HEAVY)
            m->index[m->q++] = j;
        else
            m->index[m->k + light++] = j;
    }
    memmove(m->index + m->q, m->index + m->k, (size_t)light * sizeof *m->index);
    m->d = m->k + t->m->has_offset;
out:
    return st;
}

/* The first entry in row lo or after it. */
static int64_t entry_from(const struct smr_glm_column *x, int64_t lo)
{
    int64_t first = 0, after = x->n;
    while (first < after) {
        int64_t middle = first + (after - first) / 2;
        if (x->row[middle] < lo)
            first = middle + 1;
        else
            after = middle;
    }
    return first;
}

/* The rows of the columns that are light. */
static smr_status turn(smr_ctx *ctx, struct matrix *w)
{
    smr_status st = SMR_OK;
    const struct smr_glm_matrix *m = w->m;
    int64_t n = w->t->n, entry = 0;
    TRY_NEW(w->start, n + 1);
    TRY_NEW(w->first, m->k);
    for (int64_t a = m->q; a < m->k; a++) {
        struct smr_glm_column x = smr_glm_column(w->t, m->index[a]);
        for (int64_t e = 0; e < x.n; e++) w->start[x.row[e] + 1]++;
    }
    for (int64_t i = 0; i < n; i++) w->start[i + 1] += w->start[i];
    TRY_NEW(w->column, w->start[n] + 1);
    TRY_NEW(w->value, w->start[n] + 1);
    TRY_NEW(w->place, w->start[n] + 1);
    for (int64_t a = m->q; a < m->k; a++) {
        struct smr_glm_column x = smr_glm_column(w->t, m->index[a]);
        w->first[a] = entry;
        for (int64_t e = 0; e < x.n; e++) {
            int64_t at = w->start[x.row[e]]++;
            w->place[entry++] = (int32_t)at;
            w->column[at] = (int32_t)a;
            w->value[at] = x.value[e];
        }
    }
    memmove(w->start + 1, w->start, (size_t)n * sizeof *w->start);
    w->start[0] = 0;
out:
    return st;
}

/* What rows [lo, hi), at most ROWS, add to the heavy columns of G; at[a]: where the entries of the
 * heavy column a go on. */
static void weigh_rows(struct matrix *w, int64_t lo, int64_t hi, int64_t *at, double *cross,
                       double *ones, char *work)
{
    int64_t q = w->m->q;
    double root[ROWS], *heavy = (double *)(void *)work;
    memset(heavy, 0, (size_t)((hi - lo) * q) * sizeof *heavy);
    for (int64_t i = lo; i < hi; i++) root[i - lo] = sqrt(w->t->h[i]);
    for (int64_t a = 0; a < q; a++) {
        struct smr_glm_column x = smr_glm_column(w->t, w->m->index[a]);
        for (; at[a] < x.n && x.row[at[a]] < hi; at[a]++) {
            int64_t i = x.row[at[a]] - lo;
            heavy[i * q + a] = root[i] * x.value[at[a]];
            ones[a] += root[i] * heavy[i * q + a];
        }
    }
    smr_gram_f64(hi - lo, q, heavy, q, cross, q, work + ROWS * q * (int64_t)sizeof *heavy);
    for (int64_t i = lo; i < hi; i++)
        for (int64_t p = w->start[i]; p < w->start[i + 1]; p++)
            smr_axpy_f64(q, root[i - lo] * w->value[p], heavy + (i - lo) * q,
                         cross + w->column[p] * q);
}

static smr_status weigh_part(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    struct matrix *w = arg;
    const struct smr_glm_matrix *m = w->m;
    int64_t n = w->t->n, lo = n * part / w->n_parts, hi = n * (part + 1) / w->n_parts,
            at[MOST_HEAVY];
    (void)ctx;
    for (int64_t a = 0; a < m->q; a++) {
        struct smr_glm_column x = smr_glm_column(w->t, m->index[a]);
        at[a] = entry_from(&x, lo);
    }
    for (; lo < hi; lo += ROWS)
        weigh_rows(w, lo, SMR_MIN(hi, lo + ROWS), at, w->cross + part * m->k * m->q,
                   w->ones + part * m->q, w->work + lane * w->work_size);
    return SMR_OK;
}

/* The heavy columns' part of G, and what they have with the offset's: its upper triangle, and the
 * rows of the light ones. */
static smr_status weigh_heavy(smr_ctx *ctx, struct matrix *w)
{
    smr_status st = SMR_OK;
    const struct smr_glm_matrix *m = w->m;
    int64_t q = m->q;
    if (q == 0) return st;
    w->work_size = (ROWS * q * (int64_t)sizeof *w->cross + smr_gram_work(q) + 63) / 64 * 64;
    TRY_NEW(w->work, smr_lanes(ctx) * w->work_size);
    TRY(smr_parallel(ctx, NULL, w->n_parts, weigh_part, w));
    for (int64_t p = 0; p < w->n_parts; p++) {
        for (int64_t a = 0; a < m->k; a++) {
            const double *cross = w->cross + (p * m->k + a) * q;
            for (int64_t b = a < q ? a : 0; b < q; b++) m->G[a * m->d + b] += cross[b];
        }
        for (int64_t a = 0; a < q && m->d > m->k; a++) m->G[a * m->d + m->k] += w->ones[p * q + a];
    }
out:
    return st;
}

/* Rows of G of light columns: what each has with those from it on. */
static smr_status fill_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct matrix *w = arg;
    const struct smr_glm_matrix *m = w->m;
    (void)ctx, (void)lane;
    for (int64_t b = task * BLOCK; b < smr_block_end(m->k - m->q, BLOCK, task); b++) {
        int64_t a = m->q + b;
        struct smr_glm_column x = smr_glm_column(w->t, m->index[a]);
        double *row = m->G + a * m->d, sum = 0;
        const int32_t *place = w->place + w->first[a];
        for (int64_t e = 0; e < x.n; e++) {
            double hx = w->t->h[x.row[e]] * x.value[e];
            sum += hx;
            for (int64_t p = place[e]; p < w->start[x.row[e] + 1]; p++)
                row[w->column[p]] += hx * w->value[p];
        }
        if (m->d > m->k) row[m->k] = sum;
    }
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, struct matrix *w)
{
    smr_status st = SMR_OK;
    struct smr_glm_matrix *m = w->m;
    int64_t cross = w->n_parts * m->k * m->q;
    TRY_NEW(m->G, 2 * m->d * m->d); /* one block: large ones have large pages */
    m->K = m->G + m->d * m->d;
    TRY_NEW(w->cross, cross + w->n_parts * m->q);
    w->ones = w->cross + cross;
out:
    return st;
}

/* A row of the light columns from their side, but for the heavy ones'. */
static void mirror(const struct smr_glm_matrix *m)
{
    double *G = m->G;
    for (int64_t a = 0; a < m->d; a++)
        for (int64_t b = a + 1; b < m->d; b++) {
            if (a < m->q && b >= m->q && b < m->k)
                G[a * m->d + b] = G[b * m->d + a];
            else
                G[b * m->d + a] = G[a * m->d + b];
        }
}

smr_status smr_glm_matrix_make(smr_ctx *ctx, const struct smr_glm_work *t, struct smr_glm_matrix *m)
{
    smr_status st = SMR_OK;
    struct matrix w = {.t = t, .m = m};
    w.n_parts = SMR_MAX(1, SMR_MIN(MOST_PARTS, t->n / PART));
    smr_glm_matrix_release(m);
    TRY(sort_out(ctx, t, m));
    TRY(turn(ctx, &w));
    TRY(make_room(ctx, &w));
    TRY(weigh_heavy(ctx, &w));
    TRY(smr_parallel(ctx, NULL, smr_block_count(m->k - m->q, BLOCK), fill_block, &w));
    mirror(m);
    if (m->d > m->k) m->G[m->d * m->d - 1] = smr_sum_f64(t->n, t->h);
out:
    smr_free(w.cross);
    smr_free(w.work);
    smr_free(w.start);
    smr_free(w.column);
    smr_free(w.value);
    smr_free(w.first);
    smr_free(w.place);
    if (st != SMR_OK) smr_glm_matrix_release(m);
    return st;
}

void smr_glm_matrix_release(struct smr_glm_matrix *m)
{
    smr_free(m->is_in);
    smr_free(m->index);
    smr_free(m->G);
    *m = (struct smr_glm_matrix){0};
}
