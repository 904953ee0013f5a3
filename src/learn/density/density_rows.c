/* density_rows.c -- rows drawn from a density.
 *
 * Parzen: a training row, by its weight, and a step drawn from the kernel.  (1 - |u|^2)^m in d
 * dimensions has a direction that is uniform, and |u|^2 from a beta density of d/2 and m + 1.
 * Histogram: a cell, and a place in it that is uniform. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"
#include "math/distribution.h"

#include <math.h>

enum { GROUP = SMR_WINDOW_GROUP };

struct drawing {
    const struct smr_density_params *p;
    const struct smr_density_state *s;
    smr_draw from;
    double *until; /* weight up to each point or cell */
    int64_t n;
    double *y; /* n_features */
};

/* The first place whose weight, with those before it, is above `at`. */
static int64_t place_of(const struct drawing *t, double at)
{
    int64_t lo = 0, hi = t->n - 1;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (t->until[mid] > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* A step of the kernel of width 1. */
static void draw_step(struct drawing *t, double *u)
{
    int64_t d = t->s->n_features;
    double length = 0;
    if (t->p->kernel == SMR_WINDOW_BOX) {
        for (int64_t j = 0; j < d; j++) u[j] = 2 * smr_draw_unit(&t->from) - 1;
        return;
    }
    for (int64_t j = 0; j < d; j++) {
        u[j] = smr_draw_normal(&t->from);
        length += u[j] * u[j];
    }
    if (t->p->kernel == SMR_WINDOW_GAUSSIAN) return;
    double a = smr_draw_log_gamma(&t->from, 0.5 * (double)d);
    double b = smr_draw_log_gamma(&t->from, t->p->kernel == SMR_WINDOW_BALL ? 1 : 2);
    double scale = sqrt(1 / (1 + smr_exp(b - a)) / length);
    for (int64_t j = 0; j < d; j++) u[j] *= scale;
}

/* x = centre + L y. */
static void unwhiten(const struct smr_density_state *s, const double *y, double *x)
{
    int64_t d = s->n_features;
    for (int64_t j = 0; j < d; j++) {
        x[j] = s->centre[j];
        for (int64_t k = 0; k <= j; k++) x[j] += s->root[j * d + k] * y[k];
    }
}

static void draw_parzen(struct drawing *t, double *x)
{
    const struct smr_density_state *s = t->s;
    int64_t d = s->n_features, i = place_of(t, smr_draw_unit(&t->from) * t->until[t->n - 1]);
    double *y = s->root ? t->y : x;
    draw_step(t, y);
    for (int64_t j = 0; j < d; j++)
        y[j] = fma(y[j], s->width[j], s->point[(i / GROUP * d + j) * GROUP + i % GROUP]);
    if (s->root) unwhiten(s, y, x);
}

static void draw_cell(struct drawing *t, double *x)
{
    const struct smr_density_state *s = t->s;
    double spread = t->p->smoothing * smr_density_all_bins(s);
    double at = smr_draw_unit(&t->from) * (t->until[t->n - 1] + spread) - spread;
    int64_t c = at >= 0 ? place_of(t, at) : -1;
    for (int64_t j = 0; j < s->n_features; j++) {
        double u = smr_draw_unit(&t->from), width = (s->high[j] - s->low[j]) / (double)s->bins[j];
        double where = c < 0 ? u * (double)s->bins[j] : (double)s->cell[c * s->n_features + j] + u;
        x[j] = smr_fmin(fma(where, width, s->low[j]), s->high[j]);
    }
}

static void draw_law(struct drawing *t, double *x)
{
    const struct smr_density_state *s = t->s;
    for (int64_t j = 0; j < s->n_features; j++) {
        if (t->p->model == SMR_DENSITY_EXPONENTIAL)
            x[j] = -s->width[j] * smr_log(smr_draw_unit(&t->from));
        else if (t->p->model == SMR_DENSITY_GAMMA)
            x[j] = s->width[j] * smr_exp(smr_draw_log_gamma(&t->from, s->shape[j]));
        else
            t->y[j] = smr_draw_normal(&t->from);
    }
    if (!s->centre) return;
    if (s->root) unwhiten(s, t->y, x);
    for (int64_t j = 0; !s->root && j < s->n_features; j++)
        x[j] = fma(t->y[j], s->width[j], s->centre[j]);
    for (int64_t j = 0; t->p->model == SMR_DENSITY_LOGNORMAL && j < s->n_features; j++)
        x[j] = smr_exp(x[j]);
}

smr_status smr_density_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                                 const smr_drawing *of, double *x, int32_t *hidden)
{
    smr_status st = SMR_OK;
    struct drawing t = {.p = params_, .s = state_, .from = {ctx->seed, SMR_STREAM_CLOUD, 0, 0}};
    bool parzen = t.p->model == SMR_DENSITY_PARZEN, bins = t.p->model == SMR_DENSITY_HISTOGRAM;
    double sum = 0;
    (void)hidden;
    t.n = parzen ? t.s->n_points : bins ? t.s->n_cells : 0;
    TRY_NEW(t.y, t.s->n_features);
    TRY_NEW(t.until, t.n + 1);
    for (int64_t i = 0; i < t.n; i++) t.until[i] = sum += parzen ? t.s->weight[i] : t.s->count[i];
    for (int64_t i = 0; i < of->n_sequences * of->length; i++, x += of->n_in) {
        t.from.at = (uint64_t)i;
        t.from.used = 0;
        if (parzen)
            draw_parzen(&t, x);
        else if (bins)
            draw_cell(&t, x);
        else
            draw_law(&t, x);
        if (i % 4096 == 4095) TRY(smr_tick(ctx, NULL, i, of->n_sequences * of->length, NAN));
    }
out:
    smr_free(t.y);
    smr_free(t.until);
    return st;
}
