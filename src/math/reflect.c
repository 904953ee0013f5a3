/* reflect.c -- see reflect.h.
 *
 * One reflector.  With s = |x|^2,
 *
 *     beta = -sign(alpha) sqrt(alpha^2 + s),  tau = (beta - alpha) / beta,
 *     v = (1; x / (alpha - beta)).
 *
 * Where the squares would leave the range of numbers, alpha and x are scaled by a power of two
 * first; tau and v do not change with the scale.
 *
 * The triangle (Schreiber & Van Loan, SIAM J. Sci. Stat. Comput. 10(1):53-57, 1989):
 *
 *     T_jj = tau_j,  T_{0..j-1, j} = -tau_j T_{0..j-1, 0..j-1} (V' v_j)_{0..j-1}.
 *
 * Applying a block to C is W = V'C, W = -T'W (or -T W), C += V W.  C is cut into strips of
 * columns; a strip goes through all three steps while it is in the cache, so that C is read once.
 * Both forms of V are packed once and shared: 2 m k numbers, and 4 m k n flops. */
#include "math/reflect.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, STRIP = SMR_REFLECT_STRIP, PANEL = SMR_PANEL_F64 };
static const double FEW_FLOPS = 4e5; /* not worth waking a thread */

/* ---- one reflector ---------------------------------------------------------------------- */

/* Between these a sum of squares has lost nothing that counts. */
static const double SMALL_SQUARE = 0x1p-900, LARGE_SQUARE = 0x1p1000;

static double make_scaled(int64_t n, double *alpha, double *x, double sq)
{
    double a = *alpha, beta = -copysign(sqrt(a * a + sq), a), by = 1 / (a - beta);
    for (int64_t i = 0; i < n; i++) x[i] *= by;
    *alpha = beta;
    return (beta - a) / beta;
}

double smr_reflector(int64_t n, double *alpha, double *x)
{
    double sq = smr_sumsq_f64(n, x, 0), largest = 0;
    double all = sq + *alpha * *alpha;
    if (sq >= SMALL_SQUARE && all <= LARGE_SQUARE) return make_scaled(n, alpha, x, sq);
    for (int64_t i = 0; i < n; i++) largest = smr_fmax(largest, fabs(x[i]));
    if (largest == 0) return 0;
    int e = 0;
    (void)frexp(smr_fmax(largest, fabs(*alpha)), &e);
    for (int64_t i = 0; i < n; i++) x[i] = ldexp(x[i], -e);
    *alpha = ldexp(*alpha, -e);
    double tau = make_scaled(n, alpha, x, smr_sumsq_f64(n, x, 0));
    *alpha = ldexp(*alpha, e);
    return tau;
}

/* ---- a block ---------------------------------------------------------------------------- */

static int64_t padded(int64_t k)
{
    return smr_block_count(k, PANEL) * PANEL;
}

smr_status smr_reflect_create(smr_ctx *ctx, int64_t m, int64_t k, smr_reflect *r)
{
    int64_t wide = padded(k), tall = padded(m), lanes = smr_lanes(ctx);
    int64_t top = SMR_MIN(ROWS, tall) * k, strip = 2 * STRIP * wide;
    *r = (smr_reflect){0};
    if (m == 0 || k == 0) return SMR_OK;
    int64_t total = 2 * k * wide + top + tall * k + tall * wide + lanes * strip + 64;
    r->block = smr_alloc_raw(ctx, total, sizeof *r->block);
    if (!r->block) return SMR_ERR_NOMEM;
    r->rows = r->block; /* every part begins at a multiple of 16 numbers, except T and top */
    r->columns = r->rows + tall * k;
    r->factor = r->columns + tall * wide;
    r->work = r->factor + k * wide;
    r->T = r->work + lanes * strip;
    r->top = r->T + k * wide;
    return SMR_OK;
}

void smr_reflect_release(smr_reflect *r)
{
    smr_free(r->block);
    *r = (smr_reflect){0};
}

/* Few flops are done by the caller alone. */
static smr_status run(smr_ctx *ctx, double flops, int64_t n_tasks, smr_task_fn fn, void *arg)
{
    smr_status st = SMR_OK;
    if (flops >= FEW_FLOPS) return smr_parallel(ctx, NULL, n_tasks, fn, arg);
    for (int64_t t = 0; t < n_tasks; t++) TRY(fn(ctx, arg, t, 0));
out:
    return st;
}

struct taking {
    smr_reflect *r;
    const double *V;
    int64_t ldv;
    double *G; /* V'V */
};

/* V from row ROWS * t on: the first ones from their copy. */
static const double *rows_from(const struct taking *p, int64_t t, int64_t *ld)
{
    *ld = t ? p->ldv : SMR_MIN(ROWS, p->r->m);
    return t ? p->V + t * ROWS : p->r->top;
}

static void copy_top(const struct taking *p)
{
    smr_reflect *r = p->r;
    int64_t n = SMR_MIN(ROWS, r->m);
    for (int64_t j = 0; j < r->k; j++) {
        double *to = r->top + j * n;
        for (int64_t i = 0; i < j; i++) to[i] = 0;
        to[j] = 1;
        memcpy(to + j + 1, p->V + j * p->ldv + j + 1, (size_t)(n - j - 1) * sizeof(double));
    }
}

static smr_status pack_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct taking *p = arg;
    smr_reflect *r = p->r;
    int64_t lo = task * ROWS, n = smr_block_end(r->m, ROWS, task) - lo, k = r->k, ld = 0;
    const double *from = rows_from(p, task, &ld);
    smr_pack_f64(k, n, from, ld, r->columns + lo * padded(k));
    smr_pack_columns_f64(n, k, from, ld, 1, r->rows + lo * k);
    return SMR_OK;
}

static smr_status pack(smr_ctx *ctx, struct taking *p)
{
    smr_reflect *r = p->r;
    copy_top(p);
    return run(ctx, 16.0 * (double)r->m * (double)r->k, smr_block_count(r->m, ROWS), pack_task, p);
}

/* PANEL columns of G, down to the diagonal; the widest first. */
static smr_status gram_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct taking *p = arg;
    int64_t m = p->r->m, k = p->r->k, ld = 0;
    int64_t lo = (smr_block_count(k, PANEL) - 1 - task) * PANEL, hi = SMR_MIN(k, lo + PANEL);
    for (int64_t t = 0; t * ROWS < m; t++) {
        int64_t n = smr_block_end(m, ROWS, t) - t * ROWS;
        const double *from = rows_from(p, t, &ld);
        const double *panel = p->r->columns + t * ROWS * padded(k) + lo * n;
        smr_product_add_f64(hi, hi - lo, n, from, ld, panel, p->G + lo, padded(k));
    }
    return SMR_OK;
}

/* T from G = V'V, whose entry (i, j) is at G[i * padded(k) + j]. */
static void make_triangle(smr_reflect *r, const double *G, const double *tau)
{
    int64_t k = r->k, wide = padded(k);
    double g[SMR_REFLECT_MOST];
    memset(r->T, 0, (size_t)(k * k) * sizeof(double));
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) g[i] = -tau[j] * G[i * wide + j];
        smr_rows_add_f64(j, j, 1, r->T, k, g, r->T + j * k, k);
        r->T[j + j * k] = tau[j];
    }
}

smr_status smr_reflect_take(smr_ctx *ctx, smr_reflect *r, int64_t m, int64_t k, const double *V,
                            int64_t ldv, const double *tau)
{
    smr_status st = SMR_OK;
    struct taking p = {r, V, ldv, r->factor};
    r->m = m;
    r->k = k;
    if (m == 0 || k == 0) return SMR_OK;
    TRY(pack(ctx, &p));
    memset(p.G, 0, (size_t)(k * padded(k)) * sizeof(double));
    double flops = (double)m * (double)k * (double)k;
    TRY(run(ctx, flops, smr_block_count(k, PANEL), gram_task, &p));
    make_triangle(r, p.G, tau);
out:
    return st;
}

smr_status smr_reflect_take_with(smr_ctx *ctx, smr_reflect *r, int64_t m, int64_t k,
                                 const double *V, int64_t ldv, const double *T, int64_t ldt)
{
    struct taking p = {r, V, ldv, NULL};
    r->m = m;
    r->k = k;
    if (m == 0 || k == 0) return SMR_OK;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < k; i++) r->T[i + j * k] = i <= j ? T[i + j * ldt] : 0;
    return pack(ctx, &p);
}

struct applying {
    const smr_reflect *r;
    int64_t n, strip;
    double *C;
    int64_t ldc;
};

/* Rows to come of n columns, into the second-level cache; there are none after the last. */
static void fetch(int64_t rows, int64_t n, const double *C, int64_t ldc)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i += 8) __builtin_prefetch(C + i + j * ldc, 0, 2);
}

void smr_reflect_strip(const smr_reflect *r, int lane, int64_t n, double *C, int64_t ldc)
{
    int64_t m = r->m, k = r->k, wide = padded(k);
    double *W = r->work + lane * 2 * STRIP * wide, *Z = W + STRIP * wide;
    memset(W, 0, (size_t)(n * wide) * sizeof(double));
    for (int64_t lo = 0; lo < m; lo += ROWS) {
        int64_t next = lo + ROWS;
        fetch(SMR_MIN(ROWS, m - next), n, C + next, ldc);
        smr_product_add_f64(n, k, SMR_MIN(ROWS, m - lo), C + lo, ldc, r->columns + lo * wide, W,
                            wide);
    }
    smr_product_f64(n, k, k, W, wide, r->factor, Z, wide);
    smr_product_add_f64(n, m, k, Z, wide, r->rows, C, ldc);
}

void smr_reflect_prepare(const smr_reflect *r, bool transpose)
{
    int64_t k = r->k;
    for (int64_t j = 0; j < padded(k); j++)
        for (int64_t l = 0; l < k; l++) {
            double t = j >= k ? 0 : transpose ? r->T[l + j * k] : r->T[j + l * k];
            r->factor[j / PANEL * PANEL * k + l * PANEL + j % PANEL] = -t;
        }
}

static smr_status strip_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const struct applying *p = arg;
    int64_t a = task * p->strip, n = smr_block_end(p->n, p->strip, task) - a;
    smr_reflect_strip(p->r, lane, n, p->C + a * p->ldc, p->ldc);
    return SMR_OK;
}

smr_status smr_reflect_apply(smr_ctx *ctx, const smr_reflect *r, bool transpose, int64_t n,
                             double *C, int64_t ldc)
{
    /* Few columns are cut finer. */
    struct applying p = {r, n, n > 2 * STRIP ? STRIP : n > STRIP ? STRIP / 2 : STRIP / 4, C, ldc};
    if (r->m == 0 || r->k == 0 || n == 0) return SMR_OK;
    smr_reflect_prepare(r, transpose);
    double flops = 4 * (double)r->m * (double)r->k * (double)n;
    return run(ctx, flops, smr_block_count(n, p.strip), strip_task, &p);
}
