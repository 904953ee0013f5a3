/* pca_pass.c -- components by products with the rows, which are neither copied nor made dense.
 *
 * With Z the rows less their mean, times the root of their weight, the covariance times vectors is
 *
 *     C V = Z'(Z V) / D,   Z V = diag(w)^1/2 (X V - 1 mean'V)                                (1)
 *
 * where sparse rows give X V and X'T from their entries alone, and the mean comes in as numbers.
 * math/lanczos.h makes components of (1): solver=lanczos until they are there, solver=random from
 * k + MORE random vectors at once, for a number of passes that is given (a randomised block Krylov
 * method).  Chunks of rows sum apart and are added in their order. */
#include "kernel/kernel.h"
#include "learn/factor/pca.h"
#include "learn/linear/held_rows.h"
#include "math/lanczos.h"
#include "math/product.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 256,        /* rows                                          */
    LEAST_CHUNK = 1024, /* rows                                          */
    MOST_CHUNKS = 64,
    MOST_PARTIAL = 1 << 25, /* numbers in the sums of all chunks together    */
    MORE = 10,              /* random vectors than components that are wanted */
    TOGETHER = 8            /* vectors of a Lanczos step                     */
};

struct passes {
    struct smr_pca_work *w;
    smr_held_rows held;
    int64_t chunk, n_chunks;
    /* of one product */
    int64_t k, ld; /* ld: k, padded for sparse rows */
    const double *V;
    int64_t ldv;
    double *partial; /* n_chunks x (d + 1) x ld: sums, and those of T */
    double *rows;    /* lanes x BLOCK x d: dense rows                 */
    double *T;       /* lanes x BLOCK x ld                            */
    double *shift;   /* k: mean'V                                     */
    smr_room *rooms;
};

static void choose_chunks(struct passes *p, int64_t ld)
{
    int64_t n = p->w->n, count = MOST_PARTIAL / ((p->w->d + 1) * ld);
    count = SMR_MIN(MOST_CHUNKS, SMR_MAX(1, count));
    int64_t rows = SMR_MAX(LEAST_CHUNK, (n + count - 1) / count);
    p->chunk = (rows + BLOCK - 1) / BLOCK * BLOCK;
    p->n_chunks = SMR_MAX(1, smr_block_count(n, p->chunk));
}

/* ---- a block of rows -------------------------------------------------------------------- */

static smr_status multiply_dense(smr_ctx *ctx, const struct passes *p, const smr_rows *rows,
                                 int lane, double *sum)
{
    const struct smr_pca_work *w = p->w;
    int64_t d = w->d, n = rows->n, k = p->k;
    double *Z = p->rows + lane * BLOCK * d, *T = p->T + lane * BLOCK * p->ld;
    for (int64_t i = 0; i < n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double root = sqrt(smr_data_weight(&w->data, rows->first + i));
        for (int64_t j = 0; j < d; j++) Z[i * d + j] = root * (x[j] - w->mean[j]);
    }
    memset(T, 0, (size_t)(n * k) * sizeof *T);
    smr_update down = {n, k, d, {Z, d, 1}, {p->V, 1, p->ldv}, T, n, false, false};
    smr_update up = {d, k, n, {Z, 1, d}, {T, 1, n}, sum, d, false, false};
    smr_status st = smr_update_in(ctx, &down, &p->rooms[lane]);
    return st == SMR_OK ? smr_update_in(ctx, &up, &p->rooms[lane]) : st;
}

/* V and the sums are kept by rows here, ld apart; the last row of the sums is that of T. */
static void multiply_sparse(const struct passes *p, const smr_rows *rows, int lane, double *sum)
{
    const struct smr_pca_work *w = p->w;
    int64_t k = p->k, ld = p->ld;
    double *t = p->T + lane * BLOCK * ld, *last = sum + w->d * ld;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t from = rows->start[i], n = rows->start[i + 1] - from;
        double weight = smr_data_weight(&w->data, rows->first + i);
        smr_entries_times_f64(n, rows->column + from, rows->value + from, ld, p->V, ld, t);
        for (int64_t c = 0; c < k; c++) {
            t[c] = weight * (t[c] - p->shift[c]);
            last[c] += t[c];
        }
        smr_entries_add_f64(n, rows->column + from, rows->value + from, ld, t, sum, ld);
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct passes *p = arg;
    int64_t end = smr_block_end(p->w->n, p->chunk, task);
    double *sum = p->partial + task * (p->w->d + 1) * p->ld;
    smr_status st = SMR_OK;
    for (int64_t lo = task * p->chunk; lo < end && st == SMR_OK; lo += BLOCK) {
        smr_rows rows;
        st = smr_held_block(ctx, &p->held, lane, lo, SMR_MIN(end, lo + BLOCK), &rows);
        if (st != SMR_OK) break;
        if (p->w->is_sparse)
            multiply_sparse(p, &rows, lane, sum);
        else
            st = multiply_dense(ctx, p, &rows, lane, sum);
    }
    return st;
}

/* ---- (1) -------------------------------------------------------------------------------- */

/* Adds up the chunks, in their order, into the first one's sums. */
static smr_status add_up(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct passes *p = arg;
    int64_t size = (p->w->d + 1) * p->ld, lo = task * 4096, n = SMR_MIN(4096, size - lo);
    (void)ctx, (void)lane;
    for (int64_t c = 1; c < p->n_chunks; c++)
        smr_axpy_f64(n, 1, p->partial + c * size + lo, p->partial + lo);
    return SMR_OK;
}

/* V by rows, and mean'V. */
static smr_status lay_out(smr_ctx *ctx, struct passes *p, const double *X, int64_t ldx,
                          double **turned)
{
    smr_status st = SMR_OK;
    const struct smr_pca_work *w = p->w;
    p->V = X;
    p->ldv = ldx;
    if (!w->is_sparse) return SMR_OK;
    TRY_NEW(*turned, w->d * p->ld);
    for (int64_t c = 0; c < p->k; c++) {
        for (int64_t j = 0; j < w->d; j++) (*turned)[j * p->ld + c] = X[c * ldx + j];
        p->shift[c] = smr_dot_f64(w->d, w->mean, X + c * ldx);
    }
    p->V = *turned;
out:
    return st;
}

static smr_status times(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx, double *Y,
                        int64_t ldy)
{
    struct passes *p = arg;
    const struct smr_pca_work *w = p->w;
    smr_status st = SMR_OK;
    double *turned = NULL;
    int64_t lanes = smr_lanes(ctx), d = w->d;
    p->k = k;
    p->ld = w->is_sparse ? (k + 7) / 8 * 8 : k;
    TRY_NEW(p->partial, p->n_chunks * (d + 1) * p->ld);
    TRY_NEW(p->T, lanes * BLOCK * p->ld);
    TRY_NEW(p->shift, p->ld);
    TRY(lay_out(ctx, p, X, ldx, &turned));
    TRY(smr_parallel(ctx, "multiplying", p->n_chunks, sum_chunk, p));
    TRY(smr_parallel(ctx, NULL, smr_block_count((d + 1) * p->ld, 4096), add_up, p));
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d; j++) {
            double sum = w->is_sparse
                             ? p->partial[j * p->ld + c] - w->mean[j] * p->partial[d * p->ld + c]
                             : p->partial[c * d + j];
            Y[c * ldy + j] = sum / w->divisor;
        }
out:
    smr_free(p->partial);
    smr_free(p->T);
    smr_free(p->shift);
    smr_free(turned);
    p->partial = p->T = p->shift = NULL;
    return st;
}

/* ---- components ------------------------------------------------------------------------- */

static smr_status tell(smr_ctx *ctx, void *arg, int64_t n_products, int64_t n_there, double worst)
{
    (void)n_products, (void)n_there;
    return smr_fit_step(ctx, ((struct passes *)arg)->w->report, worst);
}

static smr_status open_passes(smr_ctx *ctx, struct passes *p, int64_t together, int64_t basis)
{
    smr_status st = SMR_OK;
    const struct smr_pca_work *w = p->w;
    smr_form form = w->is_sparse ? SMR_FORM_SPARSE : SMR_FORM_F64;
    double d = (double)w->d;
    choose_chunks(p, together);
    TRY(smr_memory_check(
        ctx,
        8 * d * ((double)(p->n_chunks * together) + (double)(basis + 2 * together)) +
            8 * d * (w->is_sparse ? 0 : BLOCK) * smr_lanes(ctx),
        "pca: products with the rows", "use fewer components or features"));
    TRY(smr_held_open(ctx, &w->data, form, BLOCK, &p->held));
    TRY_NEW(p->rooms, smr_lanes(ctx));
    if (!w->is_sparse) TRY_NEW(p->rows, smr_lanes(ctx) * BLOCK * w->d);
out:
    return st;
}

smr_status smr_pca_by_passes(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted)
{
    smr_status st = SMR_OK;
    struct passes p = {.w = w};
    smr_eigenpairs found = {0};
    smr_operator C = {w->d, times, &p};
    bool is_random = w->route == SMR_PCA_RANDOM;
    smr_lanczos_opts o = {.k = wanted, .block = TOGETHER, .tol = w->p->tol};
    if (is_random) {
        o.block = SMR_MIN(w->d, wanted + MORE);
        o.basis = o.max_products = o.block * w->p->passes;
    } else {
        o.tell = tell;
        o.tell_arg = &p;
    }
    TRY(open_passes(ctx, &p, o.block + 8, SMR_MIN(w->d, o.basis + 2 * wanted + 40)));
    TRY(smr_lanczos(ctx, &C, &o, &found));
    w->n_pairs = w->n_values = wanted;
    w->rounding = (double)SMR_MAX(w->n, w->d) * DBL_EPSILON;
    w->value = found.value;
    w->vector = found.vector;
    found.value = found.vector = NULL;
    for (int64_t i = 0; i < wanted; i++) w->value[i] = smr_fmax(0, w->value[i]);
    if (!is_random) w->report->converged = found.converged;
out:
    for (int i = 0; p.rooms && i < smr_lanes(ctx); i++) smr_free(p.rooms[i].bytes);
    smr_free(p.rooms);
    smr_free(p.rows);
    smr_held_close(&p.held);
    smr_eigenpairs_release(&found);
    return st;
}
