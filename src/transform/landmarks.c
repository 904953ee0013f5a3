/* landmarks.c -- rows that stand for all rows of a kernel.
 *
 * uniform: drawn without replacement, chances as the weights are.  spread: one by one, row i with a
 * chance as its weight times what the landmarks so far leave of it,
 *
 *     e_i = K(i, i) - K(i, L) K(L, L)^-1 K(L, i)                                               (1)
 *
 * the squared distance of phi(x_i) from the span of the landmarks'.  This is Cholesky's
 * factorisation with random pivots: after t of them K is near F F', F n x t, and e_i falls by the
 * square of each new entry of F.  It draws from POOL rows, or four times as many as landmarks, if
 * there are more; cost for c rows and m landmarks: m c values of K and m^2 c / 2 multiply-adds;
 * memory m c numbers.
 * Reference: Chen, Epperly, Tropp & Webber, Communications on Pure and Applied Mathematics 78,
 * 2025. */
#include "transform/landmarks.h"

#include "core/parallel.h"
#include "core/rng.h"
#include "core/sort.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { POOL = 10000, BLOCK = 512 };
#define NOTHING 1e-13 /* of the trace: what rounding leaves */

static int by_number(const void *items, int64_t a, int64_t b)
{
    const int32_t *x = items;
    return (x[a] > x[b]) - (x[a] < x[b]);
}

static smr_status sort_ascending(smr_ctx *ctx, int64_t n, int32_t *index)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    int32_t *copy = NULL;
    TRY_NEW(order, n);
    TRY_NEW(copy, n);
    memcpy(copy, index, (size_t)n * sizeof *copy);
    TRY(smr_argsort(ctx, n, by_number, copy, order));
    for (int64_t i = 0; i < n; i++) index[i] = copy[order[i]];
out:
    smr_free(order);
    smr_free(copy);
    return st;
}

/* The least of exponential times with the weights as rates come first (Efraimidis & Spirakis). */
smr_status smr_landmarks_draw(smr_ctx *ctx, const smr_data *data, int purpose, int64_t *n,
                              int32_t *index)
{
    smr_status st = SMR_OK;
    double *time = NULL;
    int64_t *order = NULL, some = 0;
    TRY_NEW(time, data->n_rows);
    TRY_NEW(order, data->n_rows);
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        double u = smr_random_unit(ctx->seed, SMR_STREAM_LANDMARKS, (uint64_t)purpose, (uint64_t)i);
        time[i] = w > 0 ? -smr_log(1 - u) / w : NAN; /* NaN come last */
        some += w > 0;
    }
    TRY(smr_argsort_f64(ctx, data->n_rows, time, order));
    *n = SMR_MIN(*n, some);
    for (int64_t i = 0; i < *n; i++) index[i] = (int32_t)order[i];
    TRY(sort_ascending(ctx, *n, index));
out:
    smr_free(time);
    smr_free(order);
    return st;
}

/* ---- random pivots ---------------------------------------------------------------------- */

struct pivots {
    int64_t n; /* rows of the pool */
    int32_t *pool;
    double *weight, *left; /* n: e_i                                     */
    double *F;             /* a row of n numbers for each landmark so far */
    int64_t t, pivot;      /* landmarks so far; the next, a place in the pool */
};

/* Takes what earlier landmarks explain out of the new row of F, and the new row out of what is
 * left. */
static smr_status advance(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pivots *p = arg;
    int64_t lo = task * BLOCK, m = smr_block_end(p->n, BLOCK, task) - lo;
    double *g = p->F + p->t * p->n + lo;
    (void)ctx, (void)lane;
    for (int64_t l = 0; l < p->t; l++)
        smr_axpy_f64(m, -p->F[l * p->n + p->pivot], p->F + l * p->n + lo, g);
    return SMR_OK;
}

/* A place in the pool with a chance as weight times e; -1: nothing is left. */
static int64_t draw_pivot(const smr_ctx *ctx, const struct pivots *p, double trace)
{
    double sum = 0, at;
    for (int64_t i = 0; i < p->n; i++) sum += p->weight[i] * p->left[i];
    if (!(sum > NOTHING * trace)) return -1;
    at = sum * smr_random_unit(ctx->seed, SMR_STREAM_LANDMARKS, SMR_DRAW_PIVOTS, (uint64_t)p->t);
    int64_t last = -1;
    for (int64_t i = 0; i < p->n; i++) {
        double share = p->weight[i] * p->left[i];
        if (!(share > 0)) continue;
        last = i;
        if (at < share) break;
        at -= share;
    }
    return last;
}

static smr_status open_pivots(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                              int64_t m, struct pivots *p, double *trace)
{
    smr_status st = SMR_OK;
    double *diagonal = NULL;
    p->n = SMR_MIN(data->n_rows, SMR_MAX(POOL, 4 * m));
    TRY_NEW(p->pool, p->n);
    TRY(smr_landmarks_draw(ctx, data, SMR_DRAW_POOL, &p->n, p->pool));
    TRY(smr_memory_check(ctx, 8.0 * (double)m * (double)p->n, "nystrom: choosing landmarks",
                         "use fewer landmarks, or choose=uniform"));
    TRY_NEW(p->F, m * p->n);
    TRY_NEW(p->weight, p->n);
    TRY_NEW(p->left, p->n);
    TRY_NEW(diagonal, data->n_rows);
    TRY(smr_kernel_diagonal(ctx, set, diagonal));
    for (int64_t i = 0; i < p->n; i++) {
        p->weight[i] = smr_data_weight(data, p->pool[i]);
        p->left[i] = smr_fmax(diagonal[p->pool[i]], 0);
        *trace += p->weight[i] * p->left[i];
    }
out:
    smr_free(diagonal);
    return st;
}

/* The pool is drawn by weights where it is not all rows: then they have counted already. */
static void forget_weights(struct pivots *p, int64_t n_rows)
{
    for (int64_t i = 0; i < p->n && p->n < n_rows; i++) p->weight[i] = 1;
}

static smr_status choose_spread(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                                int64_t *n, int32_t *index)
{
    smr_status st = SMR_OK;
    struct pivots p = {0};
    double trace = 0;
    int64_t m = SMR_MIN(*n, data->n_rows);
    TRY(open_pivots(ctx, data, set, m, &p, &trace));
    forget_weights(&p, data->n_rows);
    for (p.t = 0; p.t < SMR_MIN(m, p.n); p.t++) {
        TRY(smr_tick(ctx, "choosing landmarks", p.t, m, NAN));
        p.pivot = draw_pivot(ctx, &p, trace);
        if (p.pivot < 0) break;
        double *g = p.F + p.t * p.n;
        index[p.t] = p.pool[p.pivot];
        TRY(smr_kernel_block(ctx, set, &index[p.t], 1, p.pool, p.n, g, p.n));
        TRY(smr_parallel(ctx, NULL, smr_block_count(p.n, BLOCK), advance, &p));
        double root = sqrt(smr_fmax(g[p.pivot], p.left[p.pivot]));
        for (int64_t i = 0; i < p.n; i++) {
            g[i] /= root;
            p.left[i] = smr_fmax(p.left[i] - g[i] * g[i], 0);
        }
        p.left[p.pivot] = 0;
    }
    *n = p.t;
    TRY(sort_ascending(ctx, *n, index));
out:
    smr_free(p.pool);
    smr_free(p.weight);
    smr_free(p.left);
    smr_free(p.F);
    return st;
}

smr_status smr_landmarks_choose(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                                int how, int64_t *n, int32_t *index)
{
    if (how == SMR_LANDMARKS_SPREAD) return choose_spread(ctx, data, set, n, index);
    return smr_landmarks_draw(ctx, data, SMR_DRAW_LANDMARKS, n, index);
}
