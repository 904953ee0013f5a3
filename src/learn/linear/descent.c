/* descent.c -- see descent.h. */
#include "learn/linear/descent.h"

#include "kernel/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 3, ACROSS = 28, UP = 20, ALONG = 60 };

smr_status smr_descent_note(smr_ctx *ctx, smr_descent *d, const smr_iteration *now)
{
    int64_t width = HEAD + d->f->n;
    if (!now->w || d->n > d->trace->most) return SMR_OK;
    if (d->n == d->room) {
        int64_t room = SMR_MAX(64, 2 * d->room);
        double *way = smr_realloc(ctx, d->way, room * width, sizeof *way);
        if (!way) return SMR_ERR_NOMEM;
        d->way = way;
        d->room = room;
    }
    double *at = d->way + d->n++ * width;
    at[0] = now->f;
    at[1] = now->gradient;
    at[2] = now->step;
    memcpy(at + HEAD, now->w, (size_t)d->f->n * sizeof *at);
    return SMR_OK;
}

void smr_descent_release(smr_descent *d)
{
    smr_free(d->way);
    d->way = NULL;
}

/* ---- the ground ------------------------------------------------------------------------- */

struct ground {
    int64_t n_axes, axis[2]; /* which variables */
    double low[2], high[2];
    double *value; /* ACROSS x UP, or ALONG */
    double *w;     /* a point, and its gradient */
};

static double at(const smr_descent *d, int64_t step, int64_t variable)
{
    return d->way[step * (HEAD + d->f->n) + HEAD + variable];
}

/* The variables that moved farthest, the first two of equals. */
static void choose_axes(const smr_descent *d, struct ground *g)
{
    double far[2] = {-1, -1};
    for (int64_t j = 0; j < d->f->n; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < d->n; i++) {
            low = smr_fmin(low, at(d, i, j));
            high = smr_fmax(high, at(d, i, j));
        }
        int k = high - low > far[0] ? 0 : high - low > far[1] ? 1 : 2;
        if (k == 2) continue;
        if (k == 0) far[1] = far[0], g->axis[1] = g->axis[0];
        far[k] = high - low;
        g->axis[k] = j;
    }
    g->n_axes = SMR_MIN(2, d->f->n);
    if (g->n_axes == 2 && g->axis[0] > g->axis[1]) {
        int64_t lower = g->axis[1];
        g->axis[1] = g->axis[0];
        g->axis[0] = lower;
    }
}

/* As far around the end as the descent went, and a little more. */
static void measure(const smr_descent *d, const double *end, struct ground *g)
{
    for (int64_t k = 0; k < g->n_axes; k++) {
        double middle = end[g->axis[k]], reach = 0;
        for (int64_t i = 0; i < d->n; i++)
            reach = smr_fmax(reach, fabs(at(d, i, g->axis[k]) - middle));
        if (!(reach > 0)) reach = 1;
        g->low[k] = middle - 1.2 * reach;
        g->high[k] = middle + 1.2 * reach;
    }
}

static double along(const struct ground *g, int64_t k, int64_t i, int64_t n)
{
    return g->low[k] + (g->high[k] - g->low[k]) * ((double)i + 0.5) / (double)n;
}

static smr_status survey(smr_ctx *ctx, const smr_descent *d, const double *end, struct ground *g)
{
    smr_status st = SMR_OK;
    int64_t n = d->f->n, across = g->n_axes == 2 ? ACROSS : ALONG, up = g->n_axes == 2 ? UP : 1;
    TRY_NEW(g->w, 2 * n);
    TRY_NEW(g->value, across * up);
    memcpy(g->w, end, (size_t)n * sizeof *g->w);
    for (int64_t i = 0; i < up; i++)
        for (int64_t j = 0; j < across; j++) {
            g->w[g->axis[0]] = along(g, 0, j, across);
            if (g->n_axes == 2) g->w[g->axis[1]] = along(g, 1, i, up);
            TRY(d->f->evaluate(ctx, d->f->self, g->w, &g->value[i * across + j], g->w + n));
        }
    /* Shades by logarithm above the lowest, in hundredths of it, so that the valley shows. */
    double least = INFINITY;
    for (int64_t i = 0; i < across * up; i++) least = smr_fmin(least, g->value[i]);
    double unit = smr_fmax(fabs(least), 1e-12) * 1e-2;
    for (int64_t i = 0; i < across * up && g->n_axes == 2; i++)
        g->value[i] = smr_log(1 + (g->value[i] - least) / unit);
out:
    return st;
}

/* ---- telling ---------------------------------------------------------------------------- */

static const char *variable_name(const smr_descent *d, int64_t j, char *room, size_t size)
{
    if (j >= d->q * d->d) return "b";
    snprintf(room, size, "w(%.100s)", smr_trace_feature(d->trace, j % d->d));
    return room;
}

static smr_status draw_way(smr_ctx *ctx, smr_descent *d, const struct ground *g, int64_t upto)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    char name[2][140];
    TRY_NEW(x, 2 * (upto + 1));
    double *y = x + upto + 1;
    for (int64_t i = 0; i <= upto; i++) {
        x[i] = at(d, i, g->axis[0]);
        y[i] = g->n_axes == 2 ? at(d, i, g->axis[1]) : d->way[i * (HEAD + d->f->n)];
    }
    smr_json *figure =
        smr_trace_figure(d->trace, "descent", "The objective and the way down", false);
    smr_json *axis =
        smr_figure_axis(figure, "x", variable_name(d, g->axis[0], name[0], 140), "linear");
    smr_json_add_number(axis, "min", g->low[0]);
    smr_json_add_number(axis, "max", g->high[0]);
    if (g->n_axes == 2) {
        axis = smr_figure_axis(figure, "y", variable_name(d, g->axis[1], name[1], 140), "linear");
        smr_json_add_number(axis, "min", g->low[1]);
        smr_json_add_number(axis, "max", g->high[1]);
        smr_json *cells =
            smr_figure_series(figure, "above the lowest, as a logarithm", "cells", 0, NULL, NULL);
        smr_json_add_number(cells, "nx", ACROSS);
        smr_json_add_number(cells, "ny", UP);
        smr_json_add_numbers(cells, "value", g->value, ACROSS * UP);
    } else {
        double grid[ALONG];
        for (int64_t i = 0; i < ALONG; i++) grid[i] = along(g, 0, i, ALONG);
        smr_figure_axis(figure, "y", "objective", "linear");
        smr_figure_series(figure, "objective", "line", ALONG, grid, g->value);
    }
    smr_figure_series(figure, "way", "line", upto + 1, x, y);
    smr_figure_series(figure, "here", "points", 1, x + upto, y + upto);
out:
    smr_free(x);
    return st;
}

smr_status smr_descent_tell(smr_ctx *ctx, smr_descent *d, const double *end)
{
    smr_status st = SMR_OK;
    struct ground g = {0};
    double *coef = NULL;
    if (d->n == 0 || d->f->n == 0) return SMR_OK;
    TRY_NEW(coef, d->q * (d->d + 1));
    choose_axes(d, &g);
    measure(d, end, &g);
    TRY(survey(ctx, d, end, &g));
    for (int64_t i = 0; i < d->n; i++) {
        const double *here = d->way + i * (HEAD + d->f->n);
        if (!smr_trace_step(d->trace, i ? "iteration %lld" : "the start", (long long)i)) continue;
        smr_trace_number(d->trace, "objective", here[0]);
        smr_trace_number(d->trace, "gradient", here[1]);
        smr_trace_number(d->trace, "rate", here[2]);
        d->model(d->self, here + HEAD, coef, coef + d->q * d->d);
        smr_trace_linear(d->trace, d->q, coef, coef + d->q * d->d);
        TRY(draw_way(ctx, d, &g, i));
    }
out:
    smr_free(coef);
    smr_free(g.value);
    smr_free(g.w);
    return st;
}
