/* kernel_gamma.c -- gamma where a sentence gives a word for it: what the training rows say.
 *
 *     scale    1 / (d var)     var: variance of all numbers of all rows, weighted
 *     auto     1 / d
 *     median   1 / (2 m^2)     m: median of |u - v| over pairs of rows
 *
 * For laplacian scale has the standard deviation in place of var, and median is 1 / m, m the
 * median of |u - v|_1.  The pairs are all of them where there are at most 10000, else 10000 drawn
 * by the seed, with repeats; weights do not count here.  Where var or m is 0, as for a single row,
 * gamma is 1. */
#include "learn/kernels/kernel_open.h"

#include "core/nth.h"
#include "core/rng.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 10000 };

void smr_kernel_expand(const smr_kernel_points *p, int64_t i, double *x)
{
    if (!p->start) {
        for (int64_t j = 0; j < p->d; j++)
            x[j] = p->x_f32 ? (double)p->x_f32[i * p->d + j] : p->x_f64[i * p->d + j];
        return;
    }
    memset(x, 0, (size_t)p->d * sizeof *x);
    for (int64_t e = p->start[i]; e < p->start[i + 1]; e++)
        x[p->column[e]] = p->value_f32 ? (double)p->value_f32[e] : p->value_f64[e];
}

/* Pair number t of `all`, or drawn. */
static void pair_of(const smr_ctx *ctx, int64_t n, int64_t t, bool drawn, int64_t *i, int64_t *j)
{
    if (drawn) {
        *i = smr_random_below(ctx->seed, SMR_STREAM_PAIRS, (uint64_t)t, 0, n);
        *j = smr_random_below(ctx->seed, SMR_STREAM_PAIRS, (uint64_t)t, 1, n - 1);
        *j += *j >= *i;
        return;
    }
    for (*i = 1; t >= *i; ++*i) t -= *i;
    *j = t;
}

static smr_status median_distance(smr_ctx *ctx, const smr_kernel_points *p, bool l1, double *out)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, *distance = NULL, middle[2];
    uint64_t *room = NULL;
    bool drawn = p->n > 142; /* 142 rows have 10011 pairs */
    int64_t n = drawn ? PAIRS : p->n * (p->n - 1) / 2, i, j;
    *out = 0;
    if (n == 0) return SMR_OK;
    TRY_NEW(x, p->d + 1);
    TRY_NEW(y, p->d + 1);
    TRY_NEW(distance, n);
    for (int64_t t = 0; t < n; t++) {
        pair_of(ctx, p->n, t, drawn, &i, &j);
        smr_kernel_expand(p, i, x);
        smr_kernel_expand(p, j, y);
        distance[t] = l1 ? smr_l1_f64(p->d, x, y) : sqrt(smr_l2sq_f64(p->d, x, y));
        if (t % 256 == 0) TRY(smr_tick(ctx, "median distance", t, n, NAN));
    }
    TRY_NEW(room, 2 * n);
    smr_select_f64(n, distance, 2, (int64_t[]){(n - 1) / 2, n / 2}, room, middle);
    *out = (middle[0] + middle[1]) / 2;
out:
    smr_free(x);
    smr_free(y);
    smr_free(distance);
    smr_free(room);
    return st;
}

smr_status smr_kernel_find_gamma(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    for (int64_t i = 0; i < o->kernel->n; i++) {
        const smr_kernel_node *node = &o->kernel->node[i];
        if (node->op != SMR_KERNEL_WORD || smr_kernel_is_of_text(node->kind)) continue;
        double given = node->params->gamma, d = (double)SMR_MAX(p->d, 1), gamma = given, m = 0;
        bool l1 = node->kind == SMR_KERNEL_LAPLACIAN;
        if (given == SMR_GAMMA_SCALE) gamma = 1 / (d * (l1 ? sqrt(o->spread) : o->spread));
        if (given == SMR_GAMMA_AUTO) gamma = 1 / d;
        if (given == SMR_GAMMA_MEDIAN) {
            TRY(median_distance(ctx, p, l1, &m));
            gamma = l1 ? 1 / m : 1 / (2 * m * m);
        }
        p->gamma[node->leaf] = isfinite(gamma) ? gamma : 1;
    }
out:
    return st;
}
