/* watch.c -- the running mean and variance of stochastic gradients; see sgd_steps.h.
 *
 * The mean is held as scale * direction, so that a sparse gradient costs its own entries only:
 * |g - mean|^2 = |g|^2 - 2 g'mean + |mean|^2, and |mean|^2 is carried along. */
#include "math/optimize/sgd_steps.h"

#include "kernel/kernel.h"

#include <math.h>

smr_status smr_watch_init(smr_ctx *ctx, int64_t n, double memory, smr_gradient_watch *out)
{
    smr_status st = SMR_OK;
    *out = (smr_gradient_watch){.n = n, .memory = memory, .scale = 1};
    TRY_NEW(out->direction, n);
out:
    return st;
}

void smr_watch_release(smr_gradient_watch *s)
{
    smr_free(s->direction);
    *s = (smr_gradient_watch){0};
}

/* The share c of the next gradient; the mean shrinks by 1 - c at once. */
static double begin(smr_gradient_watch *s, double gg, double gm)
{
    double c = smr_fmax(1 / ++s->count, s->memory), distance = smr_fmax(gg - 2 * gm + s->square, 0);
    s->variance = (1 - c) * (s->variance + c * distance);
    s->square = smr_fmax((1 - c) * (1 - c) * s->square + 2 * c * (1 - c) * gm + c * c * gg, 0);
    s->scale *= 1 - c;
    if (s->scale < 1e-9) {
        for (int64_t j = 0; j < s->n; j++) s->direction[j] *= s->scale;
        s->scale = 1;
    }
    return c;
}

void smr_watch_add(smr_gradient_watch *s, const double *g)
{
    double gg = smr_dot_f64(s->n, g, g), gm = s->scale * smr_dot_f64(s->n, g, s->direction);
    double c = begin(s, gg, gm);
    smr_axpy_f64(s->n, c / s->scale, g, s->direction);
}

void smr_watch_add_sparse(smr_gradient_watch *s, int64_t n, const int32_t *index, const double *g)
{
    double gg = smr_dot_f64(n, g, g), gm = 0;
    for (int64_t e = 0; e < n; e++) gm += g[e] * s->direction[index[e]];
    double c = begin(s, gg, s->scale * gm);
    for (int64_t e = 0; e < n; e++) s->direction[index[e]] += c / s->scale * g[e];
}

double smr_watch_noise(const smr_gradient_watch *s)
{
    if (s->count == 0) return NAN;
    return s->square > 0 ? s->variance / s->square : s->variance > 0 ? INFINITY : 0;
}
