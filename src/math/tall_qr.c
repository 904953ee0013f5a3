/* tall_qr.c -- QR of a tall and skinny matrix by a fixed tree.
 *
 * The rows are cut into chunks that fit a second-level cache; each is copied, factored (panel.h)
 * and put back as its reflectors' vectors.  The chunks' triangles, one below another, are a matrix
 * that is cut and factored in the same way, until one chunk is left, whose triangle is R:
 *
 *     A = diag(Q_0, Q_1, ...) (R_0; R_1; ...),   (R_0; R_1; ...) = P R.
 *
 * so Q = diag(Q_0, ...) P.  Q Z goes down the tree: a chunk of it is Q_t (Y_t; 0) with Y_t the
 * chunk's rows of P Z, and that is (Y_t; 0) - V T V_1' Y_t, V_1 the first n rows of V: one thin
 * product.  The chunks' sizes depend on the matrix's alone, so bits do not depend on the threads.
 *
 * Cost: 2 m n^2 flops for the tree, 3 m n^2 for Q.  Memory: about n / chunk of A, and a copy of a
 * chunk for each thread.
 *
 * Reference: Demmel, Grigori, Hoemmen & Langou, SIAM J. Sci. Comput. 34(1):A206-A239, 2012. */
#include "math/qr_parts.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/panel.h"

#include <math.h>
#include <string.h>

/* A chunk has about CHUNK numbers, and no fewer than FLAT times as many rows as columns. */
enum { CHUNK = 50 * 1024, FLAT = 4, LEVELS = 40, STEP = 8 };

struct level {
    int64_t m, n_chunks;
    double *A;
    int64_t lda;
    double *T;    /* n_chunks x n x STEP                                        */
    double *next; /* the next level's A, ours; NULL at the last one             */
    double *R;    /* where the triangles go: chunk t's begins at row t n        */
    int64_t ldr;
};

struct smr_tall_qr {
    int64_t n;
    int n_levels;
    struct level level[LEVELS];
};

/* What the tasks of a region share. */
struct pass {
    const smr_tall_qr *q;
    const struct level *at;
    int64_t k;
    smr_grid Z;    /* forming: n rows of it for each chunk                     */
    double *C, *Y; /* projecting: C by chunks, n rows of Y for each            */
    int64_t ldc, ldy;
    double *room; /* of the lanes                                               */
    int64_t size; /* of a lane's                                                */
};

/* ---- chunks ----------------------------------------------------------------------------- */

static int64_t count_chunks(int64_t m, int64_t n)
{
    int64_t rows = SMR_MAX(FLAT * n, CHUNK / n);
    return SMR_MAX(1, m / rows);
}

/* Chunk t begins at a multiple of 8 rows; the chunks are about equal. */
static int64_t chunk_start(const struct level *l, int64_t t)
{
    return t == l->n_chunks ? l->m : l->m * t / l->n_chunks / 8 * 8;
}

static int64_t chunk_rows(const struct level *l, int64_t t)
{
    return chunk_start(l, t + 1) - chunk_start(l, t);
}

/* Chunk t as a panel whose vectors are copied to V. */
static smr_panel take_chunk(smr_ctx *ctx, const struct pass *p, int64_t t, double *V)
{
    const struct level *l = p->at;
    int64_t n = p->q->n, lo = chunk_start(l, t), m = chunk_rows(l, t);
    smr_panel chunk = {ctx, m,    n,    smr_pitch(m),        V,    NULL,
                       0,   NULL, STEP, l->T + t * n * STEP, true, NULL};
    for (int64_t j = 0; j < n; j++)
        memcpy(V + j * chunk.ld, l->A + lo + j * l->lda, (size_t)m * sizeof *V);
    return chunk;
}

/* ---- up the tree ------------------------------------------------------------------------ */

/* A chunk whose triangle is not finite: the value that explains it. */
static smr_status blame(smr_ctx *ctx, const struct level *l, int64_t lo, int64_t hi, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = lo; i < hi; i++)
            if (!isfinite(l->A[i + j * l->lda]))
                return smr_fail(ctx, SMR_ERR_DATA,
                                "QR: the value at row %lld, column %lld is not finite",
                                (long long)i + 1, (long long)j + 1);
    return smr_qr_overflow(ctx);
}

static smr_status factor_task(smr_ctx *ctx, void *arg, int64_t t, int lane)
{
    smr_status st = SMR_OK;
    const struct pass *p = arg;
    const struct level *l = p->at;
    int64_t n = p->q->n, lo = chunk_start(l, t);
    double *V = p->room + lane * p->size;
    smr_panel chunk = take_chunk(ctx, p, t, V);
    chunk.tau = V + chunk.ld * n;
    chunk.work = chunk.tau + n;
    chunk.R = l->R + t * n;
    chunk.ldr = l->ldr;
    TRY(smr_panel_factor(&chunk));
    for (int64_t j = 0; j < n; j++) {
        double *r = chunk.R + j * l->ldr, sum = 0;
        for (int64_t i = 0; i <= j; i++) sum += 0 * r[i];
        if (sum != 0) TRY(blame(ctx, l, lo, lo + chunk.m, n));
        for (int64_t i = j + 1; i < n; i++) r[i] = 0;
    }
    for (int64_t j = 0; j < n; j++)
        memcpy(l->A + lo + j * l->lda, V + j * chunk.ld, (size_t)chunk.m * sizeof *V);
out:
    return st;
}

/* Room for the lanes: as many columns of the longest chunk, and `extra` numbers. */
static smr_status make_room(smr_ctx *ctx, struct pass *p, int64_t columns, int64_t extra)
{
    int64_t most = 0;
    for (int l = 0; l < p->q->n_levels; l++)
        for (int64_t t = 0; t < p->q->level[l].n_chunks; t++)
            most = SMR_MAX(most, chunk_rows(&p->q->level[l], t));
    p->size = smr_pitch(smr_pitch(most) * columns + extra);
    p->room = smr_alloc_raw(ctx, smr_lanes(ctx) * p->size, sizeof *p->room);
    return p->room ? SMR_OK : SMR_ERR_NOMEM;
}

/* The levels' sizes and memory. */
static smr_status plan(smr_ctx *ctx, smr_tall_qr *q, int64_t m, double *A, int64_t lda)
{
    smr_status st = SMR_OK;
    int64_t n = q->n;
    for (bool more = true; more;) {
        struct level *l = &q->level[q->n_levels++];
        *l = (struct level){.m = m, .n_chunks = count_chunks(m, n), .A = A, .lda = lda};
        more = l->n_chunks > 1;
        TRY_NEW(l->T, l->n_chunks * n * STEP);
        if (!more) break;
        m = l->n_chunks * n;
        l->ldr = lda = smr_pitch(m);
        l->next = l->R = A = smr_alloc_raw(ctx, lda * n, sizeof *A);
        if (!A) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
out:
    return st;
}

smr_status smr_tall_qr_create(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t lda, double *R,
                              int64_t ldr, smr_tall_qr **out)
{
    smr_status st = SMR_OK;
    struct pass p = {0};
    smr_tall_qr *q = NULL;
    *out = NULL;
    TRY(smr_check_shape(ctx, "QR", m, n, lda));
    TRY(smr_check_shape(ctx, "R", n, n, ldr));
    if (m < n)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE,
                     "QR: a tall matrix has at least as many rows as "
                     "columns; this one has %lld and %lld",
                     (long long)m, (long long)n));
    TRY_NEW(q, 1);
    p.q = q;
    q->n = n;
    if (n > 0) {
        TRY(plan(ctx, q, m, A, lda));
        q->level[q->n_levels - 1].R = R;
        q->level[q->n_levels - 1].ldr = ldr;
        TRY(make_room(ctx, &p, n, n + smr_panel_work(n, STEP)));
    }
    for (int l = 0; l < q->n_levels; l++) {
        p.at = &q->level[l];
        TRY(smr_parallel(ctx, l ? NULL : "factoring", p.at->n_chunks, factor_task, &p));
    }
    *out = q;
    q = NULL;
out:
    smr_free(p.room);
    smr_tall_qr_release(q);
    return st;
}

void smr_tall_qr_release(smr_tall_qr *q)
{
    if (!q) return;
    for (int l = 0; l < q->n_levels; l++) {
        smr_free(q->level[l].next);
        smr_free(q->level[l].T);
    }
    smr_free(q);
}

/* ---- down the tree ---------------------------------------------------------------------- */

static smr_status form_task(smr_ctx *ctx, void *arg, int64_t t, int lane)
{
    const struct pass *p = arg;
    const struct level *l = p->at;
    double *V = p->room + lane * p->size;
    smr_panel chunk = take_chunk(ctx, p, t, V);
    smr_grid Z = {p->Z.at + t * p->q->n, 1, p->Z.across};
    chunk.work = V + chunk.ld * p->q->n;
    return smr_panel_form(&chunk, chunk.m, p->k, Z, l->A + chunk_start(l, t), l->lda);
}

smr_status smr_tall_qr_form(smr_ctx *ctx, smr_tall_qr *q, int64_t k, const double *Z, int64_t ldz)
{
    smr_status st = SMR_OK;
    struct pass p = {.q = q, .k = k, .Z = {Z, 1, ldz}};
    if (k > q->n)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "Q Z: Z has %lld columns, and at most %lld are taken",
                     (long long)k, (long long)q->n));
    TRY(smr_qr_check(ctx, "Z", q->n, k, Z, ldz));
    if (q->n == 0 || k == 0) return SMR_OK;
    TRY(make_room(ctx, &p, q->n, smr_panel_form_work(q->n, STEP)));
    for (int l = q->n_levels - 1; l >= 0; l--) {
        p.at = &q->level[l];
        TRY(smr_parallel(ctx, l ? NULL : "forming Q", p.at->n_chunks, form_task, &p));
        p.Z = (smr_grid){p.at->A, 1, p.at->lda};
    }
out:
    smr_free(p.room);
    return st;
}

smr_status smr_tall_qr_top(smr_ctx *ctx, const smr_tall_qr *q, double *Q)
{
    smr_status st = SMR_OK;
    int64_t n = q->n;
    double *Z = NULL;
    struct pass p = {.q = q};
    TRY_NEW(Z, n * n);
    TRY(make_room(ctx, &p, n, smr_panel_form_work(n, STEP)));
    for (int64_t j = 0; j < n; j++) Z[j + j * n] = 1;
    for (int l = q->n_levels - 1; l >= 0; l--) {
        p.at = &q->level[l];
        smr_panel chunk = take_chunk(ctx, &p, 0, p.room);
        chunk.work = p.room + chunk.ld * n;
        TRY(smr_panel_form(&chunk, n, n, (smr_grid){Z, 1, n}, Q, n));
        memcpy(Z, Q, (size_t)(n * n) * sizeof *Z);
    }
out:
    smr_free(p.room);
    smr_free(Z);
    return st;
}

static smr_status project_task(smr_ctx *ctx, void *arg, int64_t t, int lane)
{
    smr_status st = SMR_OK;
    const struct pass *p = arg;
    int64_t n = p->q->n, k = p->k, lo = chunk_start(p->at, t);
    double *V = p->room + lane * p->size;
    smr_panel chunk = take_chunk(ctx, p, t, V);
    double *C = V + chunk.ld * n;
    chunk.work = C + chunk.ld * k;
    for (int64_t j = 0; j < k; j++)
        memcpy(C + j * chunk.ld, p->C + lo + j * p->ldc, (size_t)chunk.m * sizeof *C);
    TRY(smr_panel_project(&chunk, k, C, chunk.ld));
    for (int64_t j = 0; j < k; j++)
        memcpy(p->Y + t * n + j * p->ldy, C + j * chunk.ld, (size_t)n * sizeof *C);
out:
    return st;
}

smr_status smr_tall_qr_project(smr_ctx *ctx, const smr_tall_qr *q, int64_t k, double *C,
                               int64_t ldc, double *Y, int64_t ldy)
{
    smr_status st = SMR_OK;
    int64_t n = q->n;
    double *all = NULL;
    struct pass p = {.q = q, .k = k, .C = C, .ldc = ldc};
    TRY(smr_check_shape(ctx, "Q'C", n, k, ldy));
    if (n == 0 || k == 0) return SMR_OK;
    TRY(smr_qr_check(ctx, "C", q->level[0].m, k, C, ldc));
    int64_t rows = 0;
    for (int l = 1; l < q->n_levels; l++) rows += smr_pitch(q->level[l].m);
    TRY_NEW(all, rows * k);
    TRY(make_room(ctx, &p, n + k, smr_panel_work(k, STEP)));
    double *at = all;
    for (int l = 0; l < q->n_levels; l++) {
        bool last = l + 1 == q->n_levels;
        p.at = &q->level[l];
        p.ldy = last ? ldy : smr_pitch(p.at[1].m);
        p.Y = last ? Y : at;
        TRY(smr_parallel(ctx, l ? NULL : "projecting", p.at->n_chunks, project_task, &p));
        at += last ? 0 : p.ldy * k;
        p.C = p.Y;
        p.ldc = p.ldy;
    }
out:
    smr_free(all);
    smr_free(p.room);
    return st;
}
