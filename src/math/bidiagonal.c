/* bidiagonal.c -- A = U B V' with a bidiagonal B, by panels of reflectors from both sides.
 *
 * In a panel that has done i columns the matrix is A - P Q, where P (m x 2i) has the columns u_k
 * and x_k in turn and Q (2i x n) the rows y_k' and v_k'.  With u = u_g and the rows and columns
 * that the step has still to do,
 *
 *     c    = column g of A - P Q,  u = (c - beta e) / (c_g - beta),  w = P'u                    (1)
 *     y'   = tau (u'A - w'Q),      r' = row g of A - P Q, less y'                               (2)
 *     v    = (r - beta e) / (r_g+1 - beta),  x = tau (A v - P Q v)                              (3)
 *
 * and A - P Q is formed by a product when the panel is done (Dongarra, Sorensen & Hammarling 1989).
 * Entry j of y and of r needs column j of A alone, and A v = (A r - beta A e) / (r_g+1 - beta): so
 * a column is read once, for its product with u and for its share of A r (Howell, Demmel, Fulton,
 * Hammarling & Marmol 2008).  Half of the 8/3 n^3 + 4 (m - n) n^2 operations run at the speed at
 * which A comes from memory, once in place of twice; the other half in the product.
 *
 * A step is two regions: strips of columns for (2) and A r, chunks of rows for (3) and the next
 * (1).  Rows are taken from a multiple of 8 on, so that columns are read in whole cache lines; what
 * is above row g is finite, and multiplied by the zeros of u.
 *
 * A column or row whose squares sum to less than 1e-280 counts as zero and gets no reflector. */
#include "math/bidiagonal.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/product.h"
#include "math/qr_parts.h"

#include <math.h>
#include <string.h>

enum { PANEL = 32, WIDTH = 2 * PANEL, GROUP = 8, CHUNK = 512, STRIPS = 16 };
enum { ENTRIES = 16 * 1024 }; /* of a strip, at least */
static const double NOTHING = 1e-280;

struct reflection {
    double beta, tau, scale; /* v = (c - beta e) scale, where c_first scale - beta scale = 1 */
};

struct panel {
    const smr_bidiagonal *b;
    int64_t g, top; /* the column, and the multiple of 8 at or above it                 */
    int64_t used;   /* columns of P, rows of Q                                          */
    int64_t n_strips, width;
    int64_t n_chunks;
    int64_t ldp;
    double *P, *Q;   /* ldp x WIDTH, WIDTH x n                                           */
    double *u, *r;   /* m, n                                                             */
    double *weights; /* 2 x WIDTH: w, and row g of P                                     */
    double *sums;    /* STRIPS x (ldp + WIDTH): shares of A r and of Q r                 */
    double *turned;  /* WIDTH x 2: Q v, and column g + 1 of Q                            */
    double *parts;   /* n_chunks x (WIDTH + 1): shares of P'c and of the square of c     */
    struct reflection left, right;
    bool ends; /* the next column is not in this panel */
};

static struct reflection reflection_of(double first, double rest)
{
    if (!(rest > NOTHING)) return (struct reflection){first, 0, 0};
    double beta = -copysign(sqrt(first * first + rest), first);
    return (struct reflection){beta, (beta - first) / beta, 1 / (first - beta)};
}

/* ---- columns: y, r, and shares of A r and Q r ------------------------------------------------ */

static void group_of_columns(struct panel *p, int64_t j, int64_t count, double *ar, double *qr)
{
    const smr_bidiagonal *b = p->b;
    const double *A = b->A + p->top + j * b->lda;
    int64_t rows = b->m - p->top, padded = (p->used + 7) / 8 * 8;
    double *Q = p->Q + j * WIDTH, *r = p->r + j;
    double dots[GROUP], both[2 * GROUP];
    smr_rows_times_f64(count, rows, 1, A, b->lda, p->u + p->top, 0, dots);
    smr_rows_times_f64(count, padded, 2, Q, WIDTH, p->weights, WIDTH, both);
    for (int64_t c = 0; c < count; c++) {
        double y = p->left.tau * (dots[c] - both[2 * c]);
        Q[p->used + c * WIDTH] = y;
        r[c] = A[p->g - p->top + c * b->lda] - both[2 * c + 1] - y;
    }
    smr_rows_add_f64(count, rows, 1, A, b->lda, r, ar + p->top, 0);
    smr_rows_add_f64(count, p->used + 1, 1, Q, WIDTH, r, qr, 0);
}

static smr_status strip_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    struct panel *p = arg;
    double *ar = p->sums + task * (p->ldp + WIDTH), *qr = ar + p->ldp;
    int64_t j = p->g + 1 + task * p->width, end = SMR_MIN(p->b->n, j + p->width);
    memset(ar + p->top, 0, (size_t)(p->b->m - p->top) * sizeof *ar);
    memset(qr, 0, WIDTH * sizeof *qr);
    for (; j < end; j += GROUP) group_of_columns(p, j, SMR_MIN(GROUP, end - j), ar, qr);
    return SMR_OK;
}

static void cut_strips(struct panel *p)
{
    int64_t columns = p->b->n - p->g - 1, entries = (p->b->m - p->top) * columns;
    int64_t n = SMR_MIN(SMR_MAX(entries / ENTRIES, 1), STRIPS);
    p->width = (smr_block_count(columns, n) + GROUP - 1) / GROUP * GROUP;
    p->n_strips = smr_block_count(columns, p->width);
}

/* The reflector of row g from r; v into Q and V, Q v into `turned`. */
static void reflect_row(struct panel *p)
{
    const smr_bidiagonal *b = p->b;
    int64_t g = p->g, used = p->used + 1;
    double *r = p->r, total[WIDTH] = {0}, *next = p->Q + (g + 1) * WIDTH;
    struct reflection h = reflection_of(r[g + 1], smr_sumsq_f64(b->n - g - 2, r + g + 2, 0));
    for (int64_t s = 0; s < p->n_strips; s++) {
        const double *share = p->sums + s * (p->ldp + WIDTH) + p->ldp;
        for (int64_t k = 0; k < used; k++) total[k] += share[k];
    }
    for (int64_t k = 0; k < used; k++) {
        p->turned[2 * k] = (total[k] - h.beta * next[k]) * h.scale;
        p->turned[2 * k + 1] = next[k];
    }
    r[g + 1] = 1;
    for (int64_t j = g + 2; j < b->n; j++) r[j] *= h.scale;
    for (int64_t j = g + 1; j < b->n; j++) p->Q[used + j * WIDTH] = r[j];
    if (b->V) memcpy(b->V + g + 1 + g * b->ldv, r + g + 1, (size_t)(b->n - g - 1) * sizeof *r);
    b->e[g] = h.beta;
    b->tau_right[g] = h.tau;
    p->right = h;
}

/* ---- rows: x, the next column, and shares of P'c --------------------------------------------- */

static smr_status chunk_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    struct panel *p = arg;
    const smr_bidiagonal *b = p->b;
    int64_t next = p->g + 1, from = next / 8 * 8, lo = from + task * CHUNK;
    int64_t n = SMR_MIN(CHUNK, b->m - lo), used = p->used + 1;
    double total[CHUNK], products[2 * CHUNK], one[STRIPS];
    double *x = p->P + lo + used * p->ldp, *c = p->u + lo, *part = p->parts + task * (WIDTH + 1);
    const double *a = b->A + lo + next * b->lda;
    struct reflection h = p->right;
    for (int64_t s = 0; s < p->n_strips; s++) one[s] = 1;
    memset(total, 0, (size_t)n * sizeof *total);
    memset(products, 0, (size_t)n * sizeof *products);
    memset(products + CHUNK, 0, (size_t)n * sizeof *products);
    smr_rows_add_f64(p->n_strips, n, 1, p->sums + lo, p->ldp + WIDTH, one, total, 0);
    smr_rows_add_f64(used, n, 2, p->P + lo, p->ldp, p->turned, products, CHUNK);
    for (int64_t i = 0; i < n; i++)
        x[i] = h.tau * ((total[i] - h.beta * a[i]) * h.scale - products[i]);
    for (int64_t i = lo; i < next; i++) x[i - lo] = 0;
    if (p->ends) return SMR_OK;
    for (int64_t i = 0; i < n; i++) c[i] = a[i] - products[CHUNK + i] - x[i];
    for (int64_t i = lo; i < next; i++) c[i - lo] = 0;
    smr_rows_times_f64(used + 1, n, 1, p->P + lo, p->ldp, c, 0, part);
    int64_t behind = SMR_MAX(next + 1 - lo, 0); /* the first entry is not part of the rest */
    part[WIDTH] = smr_sumsq_f64(SMR_MAX(n - behind, 0), c + behind, 0);
    return SMR_OK;
}

/* The first column of a panel: it has nothing to catch up on. */
static void take_column(struct panel *p)
{
    const smr_bidiagonal *b = p->b;
    int64_t g = p->g, top = g / 8 * 8;
    const double *a = b->A + g * b->lda;
    for (int64_t i = top; i < g; i++) p->u[i] = 0;
    memcpy(p->u + g, a + g, (size_t)(b->m - g) * sizeof *a);
    p->n_chunks = 1;
    p->parts[WIDTH] = smr_sumsq_f64(b->m - g - 1, a + g + 1, 0);
}

/* The reflector of column g from c (in u) and the shares. */
static void reflect_column(struct panel *p)
{
    const smr_bidiagonal *b = p->b;
    int64_t g = p->g;
    double *u = p->u, rest = 0, *w = p->weights, *row = w + WIDTH;
    memset(w, 0, 2 * WIDTH * sizeof *w);
    for (int64_t t = 0; t < p->n_chunks; t++) {
        const double *part = p->parts + t * (WIDTH + 1);
        for (int64_t k = 0; k < p->used; k++) w[k] += part[k];
        rest += part[WIDTH];
    }
    struct reflection h = reflection_of(u[g], rest);
    for (int64_t k = 0; k < p->used; k++) {
        row[k] = p->P[g + k * p->ldp];
        w[k] = (w[k] - h.beta * row[k]) * h.scale;
    }
    u[g] = 1;
    for (int64_t i = g + 1; i < b->m; i++) u[i] *= h.scale;
    p->top = g / 8 * 8;
    memcpy(p->P + p->top + p->used * p->ldp, u + p->top, (size_t)(b->m - p->top) * sizeof *u);
    memcpy(b->A + g + g * b->lda, u + g, (size_t)(b->m - g) * sizeof *u);
    b->d[g] = h.beta;
    b->tau_left[g] = h.tau;
    p->left = h;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static smr_status run_tasks(smr_ctx *ctx, int64_t n, smr_task_fn task, struct panel *p)
{
    return n == 1 ? task(ctx, p, 0, 0) : smr_parallel(ctx, NULL, n, task, p);
}

/* Columns first .. end; the rest of A is brought up to date. */
static smr_status reduce_panel(smr_ctx *ctx, struct panel *p, int64_t first, int64_t end)
{
    smr_status st = SMR_OK;
    const smr_bidiagonal *b = p->b;
    p->g = first;
    p->used = 0;
    take_column(p);
    for (; p->g < end; p->g++) {
        reflect_column(p);
        if (p->g + 1 == b->n) return SMR_OK;
        cut_strips(p);
        TRY(run_tasks(ctx, p->n_strips, strip_task, p));
        reflect_row(p);
        p->ends = p->g + 1 == end;
        p->n_chunks = smr_block_count(b->m - (p->g + 1) / 8 * 8, CHUNK);
        TRY(run_tasks(ctx, p->n_chunks, chunk_task, p));
        p->used += 2;
    }
    smr_update rest = {.m = b->m - end,
                       .n = b->n - end,
                       .k = p->used,
                       .A = {p->P + end, 1, p->ldp},
                       .B = {p->Q + end * WIDTH, 1, WIDTH},
                       .C = b->A + end + end * b->lda,
                       .ldc = b->lda,
                       .minus = true};
    TRY(smr_update_run(ctx, &rest));
out:
    return st;
}

smr_status smr_bidiagonal_reduce(smr_ctx *ctx, const smr_bidiagonal *b)
{
    smr_status st = SMR_OK;
    double *memory = NULL;
    if (b->n == 0) return SMR_OK;
    struct panel p = {.b = b, .ldp = smr_pitch(b->m)};
    int64_t n_chunks = smr_block_count(b->m, CHUNK) + 1, across = (b->n + 7) / 8 * 8;
    TRY_NEW(memory, p.ldp * (WIDTH + 1) + across * (WIDTH + 1) + 4 * WIDTH +
                        STRIPS * (p.ldp + WIDTH) + n_chunks * (WIDTH + 1));
    p.P = memory;
    p.Q = p.P + p.ldp * WIDTH;
    p.sums = p.Q + across * WIDTH;
    p.weights = p.sums + STRIPS * (p.ldp + WIDTH);
    p.turned = p.weights + 2 * WIDTH;
    p.u = p.turned + 2 * WIDTH;
    p.r = p.u + p.ldp;
    p.parts = p.r + across;
    for (int64_t first = 0; first < b->n; first += PANEL) {
        TRY(smr_tick(ctx, NULL, 0, 1, 0));
        TRY(reduce_panel(ctx, &p, first, SMR_MIN(b->n, first + PANEL)));
    }
out:
    smr_free(memory);
    return st;
}
