/* tridiagonal.c -- reduction to tridiagonal form: see tridiagonal.h.
 *
 * Column by column a reflector H = I - tau v v' clears what is below the subdiagonal, and
 *
 *     H A H = A - v w' - w v',    w = p - (tau / 2) (p'v) v,    p = tau A v                     (1)
 *
 * In a panel of BLOCK columns the v and w are collected: A itself stays as it was, and A v for the
 * next column is (A - V W' - W V') v.  After the panel the rest of A takes all of them at once,
 *
 *     A -= [V W] [W V]'                                                                         (2)
 *
 * as one product, summed from zero: its terms are small beside A, and would be rounded to A's last
 * bits one by one.  Half of the 4/3 n^3 flops are in (2), and half in A v, which reads the lower
 * triangle of A once per column: n^3 / 6 numbers in all, and the speed of memory is its bound.
 *
 * The columns of V and W lie side by side, v_0 w_0 v_1 w_1 ..., so that products of a vector with
 * both are one call.  Rows are cut into blocks of ROWS, A v into strips of columns with a vector of
 * its own each; few rows make one block and one strip.
 *
 * Reference: J. Dongarra, D. Sorensen, S. Hammarling, J. Comput. Appl. Math. 27 (1989) 215. */
#include "math/tridiagonal.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "math/qr_parts.h"
#include "math/reflect.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32, WIDE = 2 * BLOCK, ROWS = 512, MANY = 256, STRIPS = 8 };
enum { FEW = 24 * 1024 }; /* numbers read: not worth waking a thread */
/* Tiles of (2); a row of [W V] takes an odd number of cache lines. */
enum { TILE_ROWS = 256, TILE_COLUMNS = 56, PITCH = WIDE + 8, PANEL = SMR_PANEL_F64 };

/* A panel on its way: rows count from its first column. */
struct panel {
    int64_t n, lda;        /* order of what is left of the matrix */
    double *A;             /* from the panel's first column on    */
    int64_t ld;            /* of P and sums                       */
    double *P;             /* v_0 w_0 v_1 w_1 ...                 */
    double *sums;          /* a column for each strip: A v        */
    double *dots;          /* for each block of rows WIDE + 1: P'v, and p'v after them */
    double *rows, *turned; /* for (2): rows of P in panels; [W V] by rows       */
    double *tiles;         /* of the lanes                                      */
    int64_t c;             /* the column in work, of the panel    */
    int64_t first;         /* rows first .. n are in work         */
    double tau, alpha;
    double by[WIDE]; /* factors of P's columns */
    int64_t n_strips, strip[STRIPS + 1], n_blocks;
};

/* Strips of columns with about equal areas under the diagonal. */
static void cut_strips(struct panel *p)
{
    int64_t m = p->n - p->first;
    p->n_blocks = smr_block_count(m, ROWS);
    p->n_strips = m < MANY ? 1 : m < 4 * MANY ? STRIPS / 2 : STRIPS;
    for (int64_t t = 0; t < p->n_strips; t++) {
        double left = sqrt(1 - (double)t / (double)p->n_strips);
        p->strip[t] = (int64_t)((double)m * (1 - left)) / 8 * 8;
    }
    p->strip[p->n_strips] = m;
}

/* `work` counts the numbers that the tasks read. */
static smr_status run_tasks(smr_ctx *ctx, struct panel *p, int64_t n_tasks, int64_t work,
                            smr_task_fn fn)
{
    smr_status st = SMR_OK;
    if (work >= FEW && p->n >= MANY) return smr_parallel(ctx, NULL, n_tasks, fn, p);
    for (int64_t t = 0; t < n_tasks && st == SMR_OK; t++) st = fn(ctx, p, t, 0);
    return st;
}

/* A strip of A v; after the strips, the blocks of P'v. */
static smr_status multiply_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct panel *p = arg;
    int64_t first = p->first, m = p->n - first;
    const double *v = p->P + 2 * p->c * p->ld + first;
    if (task < p->n_strips) {
        double *y = p->sums + task * p->ld;
        int64_t lo = p->strip[task];
        memset(y + lo, 0, (size_t)(m - lo) * sizeof *y);
        smr_symv_lower_f64(m, lo, p->strip[task + 1], p->A + first * p->lda + first, p->lda, v, y);
        return SMR_OK;
    }
    int64_t b = task - p->n_strips, lo = b * ROWS, hi = smr_block_end(m, ROWS, b);
    smr_rows_times_f64(2 * p->c, hi - lo, 1, p->P + first + lo, p->ld, v + lo, p->ld,
                       p->dots + b * (WIDE + 1));
    return SMR_OK;
}

/* A block of rows of p = A v - W (V'v) - V (W'v), and of p'v. */
static smr_status gather_task(smr_ctx *ctx, void *arg, int64_t b, int lane)
{
    (void)ctx, (void)lane;
    const struct panel *p = arg;
    int64_t first = p->first, lo = b * ROWS, hi = smr_block_end(p->n - first, ROWS, b);
    double *w = p->P + (2 * p->c + 1) * p->ld + first;
    memcpy(w + lo, p->sums + lo, (size_t)(hi - lo) * sizeof *w);
    for (int64_t t = 1; t < p->n_strips; t++) {
        int64_t from = SMR_MAX(lo, p->strip[t]);
        if (from < hi) smr_axpy_f64(hi - from, 1, p->sums + t * p->ld + from, w + from);
    }
    smr_rows_add_f64(2 * p->c, hi - lo, 1, p->P + first + lo, p->ld, p->by, w + lo, p->ld);
    p->dots[b * (WIDE + 1) + WIDE] = smr_dot_f64(hi - lo, w + lo, w + lo - p->ld);
    return SMR_OK;
}

/* A block of rows of w = tau p + alpha v; then of the next column, which takes the panel's v and w
 * so far. */
static smr_status finish_task(smr_ctx *ctx, void *arg, int64_t b, int lane)
{
    (void)ctx, (void)lane;
    const struct panel *p = arg;
    int64_t first = p->first, lo = b * ROWS, hi = smr_block_end(p->n - first, ROWS, b);
    const double *v = p->P + 2 * p->c * p->ld + first;
    double *w = p->P + (2 * p->c + 1) * p->ld + first;
    for (int64_t i = lo; i < hi; i++) w[i] = p->tau * w[i] + p->alpha * v[i];
    if (p->c + 1 < BLOCK)
        smr_rows_add_f64(2 * (p->c + 1), hi - lo, 1, p->P + first + lo, p->ld, p->by,
                         p->A + first * p->lda + first + lo, p->lda);
    return SMR_OK;
}

/* by: P'v, each pair exchanged, with minus; a block's sums in order. */
static void add_dots(struct panel *p)
{
    for (int64_t i = 0; i < 2 * p->c; i++) {
        double s = p->dots[i];
        for (int64_t b = 1; b < p->n_blocks; b++) s += p->dots[b * (WIDE + 1) + i];
        p->by[i ^ 1] = -s;
    }
}

/* The reflector of column c, already in its place, to w. */
static smr_status make_column(smr_ctx *ctx, struct panel *p, double tau)
{
    smr_status st = SMR_OK;
    int64_t first = p->first, m = p->n - first;
    cut_strips(p);
    TRY(run_tasks(ctx, p, p->n_strips + (p->c > 0 ? p->n_blocks : 0), m * m / 2, multiply_task));
    add_dots(p);
    TRY(run_tasks(ctx, p, p->n_blocks, m * (2 * p->c + 8), gather_task));
    double dot = 0;
    for (int64_t b = 0; b < p->n_blocks; b++) dot += p->dots[b * (WIDE + 1) + WIDE];
    p->tau = tau;
    p->alpha = -0.5 * tau * (tau * dot);
    /* The next column's factors are the first row of [W V], of which w_c is not there yet. */
    for (int64_t i = 0; i < 2 * p->c; i++) p->by[i] = -p->P[(i ^ 1) * p->ld + first];
    p->by[2 * p->c] = -(tau * p->P[(2 * p->c + 1) * p->ld + first] + p->alpha);
    p->by[2 * p->c + 1] = -1;
    TRY(run_tasks(ctx, p, p->n_blocks, m * (2 * p->c + 8), finish_task));
out:
    return st;
}

/* `width` columns of a panel. */
static smr_status make_panel(smr_ctx *ctx, struct panel *p, int64_t width, double *d, double *e,
                             double *tau)
{
    smr_status st = SMR_OK;
    for (p->c = 0; p->c < width; p->c++) {
        int64_t c = p->c, left = p->n - c - 1;
        double *a = p->A + c * p->lda + c;
        d[c] = a[0];
        if (left == 0) break;
        tau[c] = smr_reflector(left - 1, a + 1, a + 2);
        e[c] = a[1];
        p->first = c + 1;
        double *v = p->P + 2 * c * p->ld + c + 1;
        v[0] = 1;
        memcpy(v + 1, a + 2, (size_t)(left - 1) * sizeof *v);
        TRY(make_column(ctx, p, tau[c]));
    }
out:
    return st;
}

/* ---- after a panel ---------------------------------------------------------------------- */

/* Rows of a tile in the forms that are multiplied; `first` is the first row after the panel. */
static smr_status pack_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct panel *p = arg;
    const double *P = p->P + p->first;
    int64_t lo = task * TILE_ROWS, hi = smr_block_end(p->n - p->first, TILE_ROWS, task);
    smr_pack_columns_f64(hi - lo, WIDE, P + lo, p->ld, 1, p->rows + lo * WIDE);
    for (int64_t i = lo; i < hi; i += PANEL)
        for (int64_t k = 0; k < WIDE; k++)
            for (int64_t l = i; l < SMR_MIN(hi, i + PANEL); l++)
                p->turned[l * PITCH + (k ^ 1)] = P[l + k * p->ld];
    return SMR_OK;
}

/* Columns a .. b of a tile's rows lo .. hi, as far as they are in the lower triangle. */
static void subtract_tile(const struct panel *p, int64_t lo, int64_t hi, int64_t a, int64_t b,
                          double *tile)
{
    double *A = p->A + p->first * p->lda + p->first;
    lo = SMR_MAX(lo, a / PANEL * PANEL);
    smr_product_f64(b - a, hi - lo, WIDE, p->turned + a * PITCH, PITCH, p->rows + lo * WIDE, tile,
                    TILE_ROWS);
    for (int64_t j = a; j < b; j++) {
        int64_t from = SMR_MAX(lo, j);
        if (from < hi)
            smr_axpy_f64(hi - from, -1, tile + (j - a) * TILE_ROWS + from - lo,
                         A + j * p->lda + from);
    }
}

/* A tile of (2); tiles are counted row by row. */
static smr_status subtract_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const struct panel *p = arg;
    int64_t m = p->n - p->first, across = smr_block_count(m, TILE_COLUMNS);
    int64_t lo = task / across * TILE_ROWS, hi = SMR_MIN(m, lo + TILE_ROWS);
    int64_t a = task % across * TILE_COLUMNS, b = SMR_MIN(m, a + TILE_COLUMNS);
    double *tile = p->tiles + lane * TILE_ROWS * TILE_COLUMNS / 2;
    for (int64_t j = a; j < SMR_MIN(b, hi); j += TILE_COLUMNS / 2)
        subtract_tile(p, lo, hi, j, SMR_MIN(b, j + TILE_COLUMNS / 2), tile);
    return SMR_OK;
}

static smr_status subtract_products(smr_ctx *ctx, struct panel *p)
{
    smr_status st = SMR_OK;
    int64_t m = p->n - BLOCK, down = smr_block_count(m, TILE_ROWS);
    p->first = BLOCK;
    TRY(run_tasks(ctx, p, down, m * WIDE, pack_task));
    TRY(run_tasks(ctx, p, down * smr_block_count(m, TILE_COLUMNS), m * m, subtract_task));
out:
    return st;
}

/* Memory for panels of a matrix of order n, in one block that `P` begins. */
static smr_status panel_create(smr_ctx *ctx, int64_t n, struct panel *p)
{
    int64_t left = n > BLOCK ? (n - BLOCK + PANEL) / PANEL * PANEL : 0; /* after the first */
    int64_t n_strips = n < MANY ? 1 : STRIPS, lanes = n < MANY ? 1 : smr_lanes(ctx);
    int64_t sizes[] = {
        2 * SMR_MIN(n, BLOCK), n_strips,     smr_block_count(n, ROWS) * (WIDE + 1),
        left * WIDE,           left * PITCH, left ? lanes * TILE_ROWS * TILE_COLUMNS / 2 : 0};
    p->ld = smr_pitch(n);
    double **to[] = {&p->P, &p->sums, &p->dots, &p->rows, &p->turned, &p->tiles};
    int64_t total = 0, at = 0;
    for (int i = 0; i < 6; i++) {
        sizes[i] = (i < 2 ? sizes[i] * p->ld : sizes[i] + 7) / 8 * 8;
        total += sizes[i];
    }
    double *block = smr_alloc_raw(ctx, total, sizeof *block);
    if (!block) return SMR_ERR_NOMEM;
    for (int i = 0; i < 6; at += sizes[i++]) *to[i] = block + at;
    return SMR_OK;
}

smr_status smr_tridiagonal_reduce(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *d,
                                  double *e, double *tau)
{
    smr_status st = SMR_OK;
    struct panel p = {.lda = lda};
    if (n <= 0) return SMR_OK;
    TRY(panel_create(ctx, n, &p));
    for (int64_t j = 0; j < n; j += BLOCK) {
        p.n = n - j;
        p.A = A + j * lda + j;
        TRY(make_panel(ctx, &p, SMR_MIN(BLOCK, p.n), d + j, e + j, tau + j));
        if (p.n > BLOCK) TRY(subtract_products(ctx, &p));
    }
out:
    smr_free(p.P);
    return st;
}
