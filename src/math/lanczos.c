/* lanczos.c -- see lanczos.h.
 *
 * The basis Q holds the known vectors first, then s vectors with H = Q'A Q, then the block that
 * comes next.  Rows are worked on in blocks of ROWS: sums over the blocks are added in their order,
 * so that threads change no bit. */
#include "math/lanczos.h"

#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "math/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    ROWS = 2048,        /* of a block                                                     */
    ALONE = 1 << 18,    /* multiply-adds that are not worth waking a thread                */
    LEAST_BASIS = 40,   /* vectors                                                        */
    MORE_BASIS = 20,    /* than twice those that are wanted                               */
    MOST_SEARCHES = 100 /* again after the first                                          */
};
#define TOLERANCE 1e-10
/* What is left of a vector below this share of its length is rounding. */
#define ROUNDING 1e-13

/* ---- rows in blocks --------------------------------------------------------------------- */

/* Tasks in their order, on this thread alone where they are little work. */
static smr_status run(smr_ctx *ctx, int64_t n_tasks, double work, smr_task_fn fn, void *arg)
{
    if (work > ALONE) return smr_parallel(ctx, NULL, n_tasks, fn, arg);
    for (int64_t t = 0; t < n_tasks; t++) {
        smr_status st = fn(ctx, arg, t, 0);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

/* W (n x width) -= Q C, then the dots Q'W of each block. */
struct step {
    int64_t n, k, width;
    const double *Q;
    double *W;
    const double *minus; /* k x width, row by row: -C; NULL: nothing is subtracted */
    double *dots;        /* blocks x width x k; NULL: not wanted                    */
};

static smr_status step_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct step *s = arg;
    int64_t lo = task * ROWS, n = smr_block_end(s->n, ROWS, task) - lo;
    if (s->minus) smr_rows_add_f64(s->k, n, s->width, s->Q + lo, s->n, s->minus, s->W + lo, s->n);
    if (s->dots)
        smr_rows_times_f64(s->width, n, s->k, s->W + lo, s->n, s->Q + lo, s->n,
                           s->dots + task * s->width * s->k);
    return SMR_OK;
}

/* C += the dots of all blocks; minus = -dots. */
static void sum_dots(const struct step *s, const double *dots, double *minus, double *C)
{
    int64_t size = s->k * s->width, blocks = smr_block_count(s->n, ROWS);
    for (int64_t c = 0; c < s->width; c++)
        for (int64_t i = 0; i < s->k; i++) {
            double sum = 0;
            for (int64_t t = 0; t < blocks; t++) sum += dots[t * size + c * s->k + i];
            minus[i * s->width + c] = -sum;
            if (C) C[c * s->k + i] += sum;
        }
}

smr_status smr_orthogonalize(smr_ctx *ctx, int64_t n, int64_t k, const double *Q, int64_t width,
                             double *W, double *C)
{
    smr_status st = SMR_OK;
    struct step s = {.n = n, .k = k, .width = width, .Q = Q, .W = W};
    int64_t blocks = smr_block_count(n, ROWS);
    double *dots = NULL, *minus = NULL, work = (double)n * (double)(k * width);
    if (C) memset(C, 0, (size_t)(k * width) * sizeof *C);
    if (k == 0 || width == 0) return SMR_OK;
    TRY_NEW(dots, blocks * k * width);
    TRY_NEW(minus, k * width);
    s.dots = dots;
    TRY(run(ctx, blocks, work, step_rows, &s));
    sum_dots(&s, dots, minus, C);
    s.minus = minus;
    TRY(run(ctx, blocks, 2 * work, step_rows, &s));
    sum_dots(&s, dots, minus, C);
    s.dots = NULL;
    TRY(run(ctx, blocks, work, step_rows, &s));
out:
    smr_free(dots);
    smr_free(minus);
    return st;
}

/* The first p columns = the first s times Y (s x p by columns), and the `next` columns from s on
 * come after them; by blocks of rows, in place. */
struct turning {
    int64_t n, s, p, next;
    double *Q;       /* n apart            */
    const double *Y; /* row by row: s x p  */
    double *room;    /* lanes x p x ROWS   */
};

static smr_status turn_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const struct turning *t = arg;
    int64_t lo = task * ROWS, n = smr_block_end(t->n, ROWS, task) - lo;
    double *new = t->room + lane * t->p *ROWS, *Q = t->Q + lo;
    memset(new, 0, (size_t)(t->p * ROWS) * sizeof *new);
    smr_rows_add_f64(t->s, n, t->p, Q, t->n, t->Y, new, ROWS);
    for (int64_t c = 0; c < t->p; c++) memcpy(Q + c * t->n, new + c *ROWS, (size_t)n * sizeof *new);
    for (int64_t c = 0; c < t->next; c++)
        memmove(Q + (t->p + c) * t->n, Q + (t->s + c) * t->n, (size_t)n * sizeof *new);
    return SMR_OK;
}

static smr_status turn(smr_ctx *ctx, struct turning *t)
{
    smr_status st = SMR_OK;
    TRY_NEW(t->room, smr_lanes(ctx) * t->p * ROWS);
    TRY(run(ctx, smr_block_count(t->n, ROWS), (double)(t->n * t->s * t->p), turn_rows, t));
out:
    smr_free(t->room);
    return st;
}

/* ---- the basis -------------------------------------------------------------------------- */

struct work {
    const smr_operator *A;
    const smr_lanczos_opts *o;
    int64_t n, q, b, m; /* q: known vectors; m: most of the basis                          */
    int64_t s;          /* vectors of the basis, with H                                    */
    int64_t last;       /* where its last block begins                                     */
    int64_t next;       /* vectors of the block that comes next; 0: there is no room for any */
    double *Q;          /* n x (q + m + b)                                                 */
    double *H, *Y;      /* m x m; Y: its vectors                                           */
    double *value;      /* m: ascending                                                    */
    double *left;       /* b x b by columns: A (last block) = ... + (next block) left      */
    double *C;          /* (q + m + b) x b                                                 */
    double norm, tol;
    int64_t n_products, most_products;
    uint64_t n_drawn;
};

static double *column(const struct work *w, int64_t j)
{
    return w->Q + (w->q + j) * w->n;
}

static void draw(struct work *w, double *x)
{
    for (int64_t i = 0; i < w->n; i++)
        x[i] = smr_random_unit(0, SMR_STREAM_KRYLOV, w->n_drawn, (uint64_t)i) - 0.5;
    w->n_drawn++;
}

static double length(const struct work *w, const double *x)
{
    return sqrt(smr_sumsq_f64(w->n, x, 0));
}

static void scale(const struct work *w, double *x, double by)
{
    for (int64_t i = 0; i < w->n; i++) x[i] *= by;
}

/* Column j becomes a random one, of length 1, orthogonal to all before it. */
static smr_status renew(smr_ctx *ctx, struct work *w, int64_t j)
{
    smr_status st = SMR_OK;
    double *x = column(w, j), rest = 0;
    for (int attempt = 0; attempt < 5 && !(rest > 1e-6); attempt++) {
        draw(w, x);
        scale(w, x, 1 / length(w, x));
        TRY(smr_orthogonalize(ctx, w->n, w->q + j, w->Q, 1, x, NULL));
        rest = length(w, x);
    }
    if (!(rest > 0)) rest = 1; /* no direction is left: the basis then holds a 0 */
    scale(w, x, 1 / rest);
out:
    return st;
}

/* The `width` columns after the basis, orthogonal to it, become the next block; left: what they
 * were of it.  A column that is rounding is replaced at random. */
static smr_status settle(smr_ctx *ctx, struct work *w, int64_t width)
{
    smr_status st = SMR_OK;
    int64_t room = SMR_MIN(width, w->n - w->q - w->s);
    memset(w->left, 0, (size_t)(w->b * w->b) * sizeof *w->left);
    for (int64_t c = 0; c < room; c++) {
        double *x = column(w, w->s + c), before = length(w, x);
        if (c > 0) TRY(smr_orthogonalize(ctx, w->n, w->q + w->s + c, w->Q, 1, x, w->C));
        for (int64_t i = 0; i < c; i++) w->left[i + c * w->b] = w->C[w->q + w->s + i];
        double rest = c > 0 ? length(w, x) : before;
        if (rest > ROUNDING * w->norm) {
            w->left[c + c * w->b] = rest;
            scale(w, x, 1 / rest);
        } else {
            TRY(renew(ctx, w, w->s + c));
        }
    }
    w->next = room;
out:
    return st;
}

/* Random columns after the basis; what A left over is forgotten. */
static smr_status begin_anew(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    w->next = SMR_MIN(w->b, w->n - w->q - w->s);
    for (int64_t c = 0; c < w->next; c++) TRY(renew(ctx, w, w->s + c));
out:
    return st;
}

static smr_status begin(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    for (int64_t c = 0; c < w->q; c++)
        memcpy(w->Q + c * w->n, w->o->known + c * w->n, (size_t)w->n * sizeof *w->Q);
    if (!w->o->start) return begin_anew(ctx, w);
    memcpy(column(w, 0), w->o->start, (size_t)(w->n * w->b) * sizeof *w->Q);
    TRY(smr_orthogonalize(ctx, w->n, w->q, w->Q, w->b, column(w, 0), NULL));
    TRY(settle(ctx, w, w->b));
out:
    return st;
}

/* The next block joins the basis, and A times it, made orthogonal, is the next one. */
static smr_status grow(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    int64_t width = w->next, at = w->s, all = w->q + at + width;
    double *x = column(w, at), *y = column(w, at + width);
    TRY(w->A->times(ctx, w->A->arg, width, x, w->n, y, w->n));
    w->n_products += width;
    for (int64_t c = 0; c < width; c++) {
        double size = length(w, y + c * w->n);
        if (!isfinite(size))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "a product with the matrix is not finite"));
        w->norm = smr_fmax(w->norm, size);
    }
    TRY(smr_orthogonalize(ctx, w->n, all, w->Q, width, y, w->C));
    w->last = at;
    w->s = at + width;
    for (int64_t c = 0; c < width; c++)
        for (int64_t i = 0; i < w->s; i++)
            w->H[(at + c) + i * w->m] = w->H[i + (at + c) * w->m] = w->C[w->q + i + c * all];
    TRY(settle(ctx, w, width));
out:
    return st;
}

/* ---- pairs ------------------------------------------------------------------------------ */

/* Where pair i, from the wanted end, is among the ascending values. */
static int64_t place(const struct work *w, int64_t i)
{
    return w->o->smallest ? i : w->s - 1 - i;
}

static smr_status find_pairs(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < w->s; j++)
        memcpy(w->Y + j * w->s, w->H + j * w->m, (size_t)w->s * sizeof *w->Y);
    TRY(smr_eigen(ctx, w->s, w->Y, w->s, w->value));
    w->norm = smr_fmax(w->norm, smr_fmax(fabs(w->value[0]), fabs(w->value[w->s - 1])));
out:
    return st;
}

/* (1) of pair i */
static double residual(const struct work *w, int64_t i)
{
    const double *y = w->Y + place(w, i) * w->s + w->last;
    double sum = 0;
    for (int64_t r = 0; r < w->next; r++) {
        double part = 0;
        for (int64_t c = 0; c < w->s - w->last; c++) part += w->left[r + c * w->b] * y[c];
        sum += part * part;
    }
    return sqrt(sum);
}

/* How many of the first k pairs are there, and the largest residual of all k. */
static int64_t count_there(const struct work *w, int64_t k, double *worst)
{
    int64_t there = 0;
    *worst = 0;
    for (int64_t i = 0; i < SMR_MIN(k, w->s); i++) {
        double r = residual(w, i);
        *worst = smr_fmax(*worst, r);
        if (there == i && r <= 0.5 * w->tol * w->norm) there++;
    }
    return there;
}

/* The basis begins again with its p best vectors, and the next block. */
static smr_status begin_with(smr_ctx *ctx, struct work *w, int64_t p)
{
    smr_status st = SMR_OK;
    double *Y = NULL, *value = NULL;
    TRY_NEW(Y, w->s * p);
    TRY_NEW(value, p);
    for (int64_t c = 0; c < p; c++) {
        value[c] = w->value[place(w, c)];
        for (int64_t i = 0; i < w->s; i++) Y[i * p + c] = w->Y[place(w, c) * w->s + i];
    }
    struct turning t = {.n = w->n, .s = w->s, .p = p, .next = w->next, .Q = column(w, 0), .Y = Y};
    TRY(turn(ctx, &t));
    memset(w->H, 0, (size_t)(w->m * w->m) * sizeof *w->H);
    for (int64_t c = 0; c < p; c++) w->H[c + c * w->m] = value[c];
    w->s = w->last = p;
out:
    smr_free(Y);
    smr_free(value);
    return st;
}

/* ---- the search ------------------------------------------------------------------------- */

/* Grows the basis until it is full. */
static smr_status fill(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    do {
        TRY(grow(ctx, w));
        TRY(smr_tick(ctx, w->o->what, 0, 0, NAN));
    } while (w->next > 0 && w->s + w->next <= w->m &&
             (w->n_products < w->most_products || w->s < w->o->k));
out:
    return st;
}

/* Are the values still those of before, with nothing better coming up after them? */
static bool is_confirmed(const struct work *w, const double *before, double *found)
{
    int64_t k = w->o->k;
    bool same = true;
    for (int64_t i = 0; i < k; i++) {
        found[i] = w->value[place(w, i)];
        same = same && fabs(found[i] - before[i]) <= 10 * w->tol * w->norm;
    }
    return same;
}

/* The first pair after the wanted ones is known well enough to tell that it comes after them. */
static bool is_clear(const struct work *w)
{
    int64_t k = w->o->k;
    if (w->s <= k || w->next == 0) return true;
    double gap = fabs(w->value[place(w, k)] - w->value[place(w, k - 1)]);
    return residual(w, k) <= smr_fmax(w->tol * w->norm, gap / 4);
}

static smr_status search(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    const smr_lanczos_opts *o = w->o;
    double *before = NULL, *found = NULL, worst = 0;
    int64_t n_searches = 0;
    bool again = false;
    TRY_NEW(before, o->k);
    TRY_NEW(found, o->k);
    TRY(begin(ctx, w));
    for (;;) {
        TRY(fill(ctx, w));
        TRY(find_pairs(ctx, w));
        int64_t there = count_there(w, o->k, &worst);
        if (o->tell) TRY(o->tell(ctx, o->tell_arg, w->n_products, there, worst));
        bool all = w->next == 0 || there == o->k;
        if (w->next == 0 || w->n_products >= w->most_products || (all && !o->sure)) break;
        if (all) {
            bool same = is_confirmed(w, before, found);
            if (again && same && is_clear(w)) break;
            if (!again || !same) {
                if (n_searches++ == MOST_SEARCHES) break;
                memcpy(before, found, (size_t)o->k * sizeof *before);
                again = true;
                TRY(begin_with(ctx, w, o->k));
                TRY(begin_anew(ctx, w));
                continue;
            }
        }
        int64_t keep = SMR_MIN(o->k + (w->m - o->k) / 2, w->s - 1);
        TRY(begin_with(ctx, w, SMR_MAX(keep, 1)));
    }
out:
    smr_free(before);
    smr_free(found);
    return st;
}

/* The wanted vectors, what A makes of them, and how far that is from their multiples. */
static smr_status finish(smr_ctx *ctx, struct work *w, smr_eigenpairs *out)
{
    smr_status st = SMR_OK;
    int64_t k = w->o->k, n = w->n;
    double *AX = NULL;
    TRY(begin_with(ctx, w, k));
    TRY_NEW(out->vector, n * k);
    TRY_NEW(out->value, k);
    TRY_NEW(out->residual, k);
    TRY_NEW(AX, n * w->b);
    memcpy(out->vector, column(w, 0), (size_t)(n * k) * sizeof *AX);
    out->converged = true;
    for (int64_t c = 0; c < k; c += w->b) {
        int64_t width = SMR_MIN(w->b, k - c);
        TRY(w->A->times(ctx, w->A->arg, width, out->vector + c * n, n, AX, n));
        for (int64_t i = 0; i < width; i++) {
            double *y = AX + i * n, value = w->H[(c + i) + (c + i) * w->m];
            smr_axpy_f64(n, -value, out->vector + (c + i) * n, y);
            out->value[c + i] = value;
            out->residual[c + i] = length(w, y);
            out->converged = out->converged && out->residual[c + i] <= w->tol * w->norm;
        }
    }
    out->n = n;
    out->k = k;
    out->norm = w->norm;
    out->n_products = w->n_products + k;
out:
    smr_free(AX);
    return st;
}

static smr_status check(smr_ctx *ctx, const smr_operator *A, const smr_lanczos_opts *o)
{
    if (o->k >= 1 && o->k <= A->n - o->n_known) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE,
                    "%lld eigenpairs of a matrix with %lld rows, of which %lld are known",
                    (long long)o->k, (long long)A->n, (long long)o->n_known);
}

smr_status smr_lanczos(smr_ctx *ctx, const smr_operator *A, const smr_lanczos_opts *o,
                       smr_eigenpairs *out)
{
    smr_status st = SMR_OK;
    struct work w = {.A = A, .o = o, .n = A->n, .q = o->n_known};
    *out = (smr_eigenpairs){0};
    TRY(check(ctx, A, o));
    w.b = SMR_MIN(SMR_MAX(1, o->block), w.n - w.q);
    w.m = o->basis ? o->basis : SMR_MAX(LEAST_BASIS, 2 * o->k + MORE_BASIS);
    w.m = SMR_MIN(w.n - w.q, SMR_MAX(w.m, o->k + 2 * w.b + 2));
    w.tol = o->tol > 0 ? o->tol : TOLERANCE;
    w.most_products = o->max_products ? o->max_products : SMR_MAX(100000, 100 * w.n);
    double room = 8.0 * ((double)w.n * (double)(w.q + w.m + 2 * w.b + o->k) +
                         3.0 * (double)w.m * (double)w.m);
    TRY(smr_memory_check(ctx, room, "the basis of the eigenvectors", "ask for fewer"));
    w.Q = smr_alloc_raw(ctx, w.n * (w.q + w.m + w.b), sizeof *w.Q);
    if (!w.Q) TRY(SMR_ERR_NOMEM);
    TRY_NEW(w.H, w.m * w.m);
    TRY_NEW(w.Y, w.m * w.m);
    TRY_NEW(w.value, w.m);
    TRY_NEW(w.left, w.b * w.b);
    TRY_NEW(w.C, (w.q + w.m + w.b) * w.b);
    TRY(search(ctx, &w));
    TRY(finish(ctx, &w, out));
out:
    smr_free(w.Q);
    smr_free(w.H);
    smr_free(w.Y);
    smr_free(w.value);
    smr_free(w.left);
    smr_free(w.C);
    if (st != SMR_OK) smr_eigenpairs_release(out);
    return st;
}

void smr_eigenpairs_release(smr_eigenpairs *p)
{
    smr_free(p->value);
    smr_free(p->vector);
    smr_free(p->residual);
    *p = (smr_eigenpairs){0};
}
