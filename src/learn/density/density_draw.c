/* density_draw.c -- pictures of a density: a curve over the rows, contours, likelihoods. */
#include "core/figure.h"
#include "core/sort.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"
#include "learn/density/density_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GROUP = SMR_WINDOW_GROUP,
    POINTS = 401,
    FEWER_POINTS = 101,
    SIDE = 61, /* of a grid */
    COLUMNS = 6,
    BARS = SMR_DENSITY_BARS,
    RUG = 300,
    DOTS = 1000
};

/* Rows times places of a curve that a picture may cost. */
#define MOST_WORK 3e7

struct picture {
    smr_ctx *ctx;
    const struct smr_density_params *p;
    const struct smr_density_state *s;
    const smr_feature *in;
    const char *prefix;
    smr_json *figures;
    double *x, *room; /* a row; smr_density_room */
};

static smr_json *open_figure(const struct picture *c, const char *word, const char *title,
                             const char *note)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", c->prefix, word);
    return smr_figure_add(c->figures, name, title, note);
}

/* ---- the training rows that are kept ---- */

/* Number j of point i, in the units of the feature. */
static double number_of(const struct smr_density_state *s, int64_t i, int64_t j)
{
    const double *point = s->point + i / GROUP * s->n_features * GROUP + i % GROUP;
    if (!s->root) return point[j * GROUP];
    double x = s->centre[j];
    for (int64_t k = 0; k <= j; k++) x += s->root[j * s->n_features + k] * point[k * GROUP];
    return x;
}

static double weight_of(const struct smr_density_state *s, int64_t i)
{
    return s->weight[i / GROUP * GROUP + i % GROUP];
}

/* The deviation of the kernel in feature j, or how far it goes. */
static double bandwidth_of(const struct smr_density_state *s, int64_t j)
{
    double square = 0;
    if (!s->root) return s->width[j];
    for (int64_t k = 0; k <= j; k++)
        square += s->root[j * s->n_features + k] * s->root[j * s->n_features + k];
    return s->width[0] * sqrt(square);
}

/* Where the rows of feature j lie. */
static void range_of(const struct picture *c, int64_t j, double *low, double *high)
{
    const struct smr_density_state *s = c->s;
    if (c->p->model == SMR_DENSITY_HISTOGRAM) {
        *low = s->low[j];
        *high = s->high[j];
        return;
    }
    if (c->p->model != SMR_DENSITY_PARZEN) {
        *low = s->least[j];
        *high = s->most[j];
        return;
    }
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < s->n_points; i++) {
        double x = number_of(s, i, j);
        *low = smr_fmin(*low, x);
        *high = smr_fmax(*high, x);
    }
}

/* The range of a picture: that of the rows, and what lies around them. */
static void view_of(const struct picture *c, int64_t j, double *low, double *high)
{
    bool positive = c->p->model > SMR_DENSITY_NORMAL;
    range_of(c, j, low, high);
    double around = 0.1 * (*high - *low);
    if (c->p->model == SMR_DENSITY_PARZEN)
        around = bandwidth_of(c->s, j) * (c->p->kernel == SMR_WINDOW_GAUSSIAN ? 3 : 1.1);
    else if (c->p->model == SMR_DENSITY_HISTOGRAM)
        around *= 0.2;
    if (!(around > 0)) around = 1e-6 * (1 + fabs(*low));
    *high += around;
    *low = positive ? smr_fmax(0, *low - around) : *low - around;
}

/* ---- one feature ---- */

/* Bars that go into BARS, about twice the cube root of the rows. */
static int64_t bars_for(double rows)
{
    static const int64_t parts[] = {5, 6, 10, 15, BARS};
    int k = 0;
    while (k < 4 &&
           8 * rows > (double)(parts[k] * parts[k + 1]) * sqrt((double)(parts[k] * parts[k + 1])))
        k++;
    return parts[k];
}

/* Shares of the rows over the width of a bar. */
static void draw_bars(const struct picture *c, int64_t j, smr_json *figure)
{
    const struct smr_density_state *s = c->s;
    double low, high, centre[BARS], height[BARS] = {0};
    range_of(c, j, &low, &high);
    int64_t n = bars_for(s->total), join = BARS / n;
    double width = (high - low) / (double)n;
    if (!(width > 0)) return;
    for (int64_t i = 0; i < s->n_points; i++) {
        int64_t k = (int64_t)((number_of(s, i, j) - low) / width);
        height[SMR_MAX(0, SMR_MIN(k, n - 1))] += weight_of(s, i);
    }
    for (int64_t k = 0; k < BARS && s->shown; k++) height[k / join] += s->shown[j * BARS + k];
    for (int64_t k = 0; k < n; k++) {
        height[k] /= s->total * width;
        centre[k] = low + ((double)k + 0.5) * width;
    }
    smr_figure_series(figure, "rows", "bars", n, centre, height);
}

/* Ticks where rows are. */
static smr_status draw_rug(const struct picture *c, int64_t j, smr_json *figure)
{
    smr_ctx *ctx = c->ctx;
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    int64_t n = c->s->n_points;
    if (n > RUG || n == 0) return SMR_OK;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    for (int64_t i = 0; i < n; i++) x[i] = number_of(c->s, i, j);
    smr_figure_series(figure, "a row", "points", n, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

/* The density of feature j alone. */
static smr_status draw_curve(const struct picture *c, int64_t j, int64_t n)
{
    double x[POINTS], y[POINTS], low, high;
    char word[64], title[256];
    bool bins = c->p->model == SMR_DENSITY_HISTOGRAM;
    view_of(c, j, &low, &high);
    for (int64_t k = 0; k < c->s->n_features; k++) c->x[k] = NAN;
    for (int64_t k = 0; k < n; k++) {
        x[k] = c->x[j] = low + (high - low) * (double)k / (double)(n - 1);
        y[k] = smr_exp(smr_density_at(c->p, c->s, c->x, c->room));
        if (!isfinite(y[k])) y[k] = NAN;
    }
    snprintf(word, sizeof word, "density-%lld", (long long)j + 1);
    snprintf(title, sizeof title, "Density of %.200s", c->in[j].name);
    smr_json *figure =
        open_figure(c, c->s->n_features > 1 ? word : "density", title,
                    c->s->n_features > 1 ? "The other features are integrated out." : NULL);
    smr_figure_axis(figure, "x", c->in[j].name, "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "density", "linear"), "min", 0);
    if (!bins) draw_bars(c, j, figure);
    smr_figure_series(figure, "density", "line", n, x, y);
    return bins ? SMR_OK : draw_rug(c, j, figure);
}

/* ---- two features ---- */

/* The level above which lies this share of all that the grid holds. */
static smr_status level_of(smr_ctx *ctx, const double *value, int64_t n, double share,
                           double *level)
{
    smr_status st = SMR_OK;
    double *sorted = NULL, *spare = NULL, total = 0, sum = 0;
    TRY_NEW(sorted, n);
    TRY_NEW(spare, n);
    memcpy(sorted, value, (size_t)n * sizeof *value);
    const double *by_size = smr_sort_f64(n, sorted, spare);
    for (int64_t k = 0; k < n; k++) total += value[k];
    *level = by_size[n - 1];
    for (int64_t k = n - 1; k >= 0 && sum < share * total; k--) {
        sum += by_size[k];
        *level = by_size[k];
    }
out:
    smr_free(sorted);
    smr_free(spare);
    return st;
}

static smr_status draw_lines(smr_ctx *ctx, const struct smr_density_grid *g, smr_json *figure)
{
    static const struct {
        double share;
        const char *name;
    } lines[] = {{0.5, "half of it"}, {0.8, "80 %"}, {0.95, "95 %"}};
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, level;
    int64_t n;
    for (int k = 0; k < 3; k++) {
        TRY(level_of(ctx, g->value, g->nx * g->ny, lines[k].share, &level));
        TRY(smr_density_contour(ctx, g, level, &n, &x, &y));
        if (n > 0) smr_figure_series(figure, lines[k].name, "line", n, x, y);
        smr_free(x);
        smr_free(y);
        x = y = NULL;
    }
out:
    smr_free(x);
    smr_free(y);
    return st;
}

static smr_status draw_dots(const struct picture *c, smr_json *figure)
{
    smr_ctx *ctx = c->ctx;
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    int64_t n = SMR_MIN(c->s->n_points, DOTS);
    if (n == 0) return SMR_OK;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = (int64_t)((double)k * (double)c->s->n_points / (double)n);
        x[k] = number_of(c->s, i, 0);
        y[k] = number_of(c->s, i, 1);
    }
    smr_figure_series(figure, c->s->n_points > n ? "some of the rows" : "a row", "points", n, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

static void limit(smr_json *axis, double low, double high)
{
    smr_json_add_number(axis, "min", low);
    smr_json_add_number(axis, "max", high);
}

static smr_status draw_plane(const struct picture *c)
{
    smr_ctx *ctx = c->ctx;
    smr_status st = SMR_OK;
    double x[SIDE], y[SIDE], low[2], high[2], *value = NULL;
    struct smr_density_grid g = {SIDE, SIDE, x, y, NULL};
    TRY_NEW(value, SIDE * SIDE);
    g.value = value;
    for (int j = 0; j < 2; j++) {
        view_of(c, j, &low[j], &high[j]);
        for (int k = 0; k < SIDE; k++)
            (j ? y : x)[k] = low[j] + (high[j] - low[j]) * ((double)k + 0.5) / SIDE;
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        c->x[0] = x[k % SIDE];
        c->x[1] = y[k / SIDE];
        value[k] = smr_exp(smr_density_at(c->p, c->s, c->x, c->room));
        if (!isfinite(value[k])) value[k] = 0;
        if (k % SIDE == 0) TRY(smr_tick(ctx, NULL, k, SIDE * SIDE, NAN));
    }
    smr_json *figure = open_figure(c, "density", "Density",
                                   "The lines enclose the densest half of it, 80 % and 95 %.");
    limit(smr_figure_axis(figure, "x", c->in[0].name, "linear"), low[0], high[0]);
    limit(smr_figure_axis(figure, "y", c->in[1].name, "linear"), low[1], high[1]);
    smr_json *cells = smr_figure_series(figure, "density", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", SIDE);
    smr_json_add_number(cells, "ny", SIDE);
    smr_json_add_numbers(cells, "value", value, SIDE * SIDE);
    TRY(draw_dots(c, figure));
    TRY(draw_lines(ctx, &g, figure));
out:
    smr_free(value);
    return st;
}

/* ---- the search ---- */

static smr_status draw_search(const struct picture *c)
{
    smr_ctx *ctx = c->ctx;
    const struct smr_density_state *s = c->s;
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, best = NAN;
    int64_t n = 0, at = 0;
    TRY_NEW(x, s->n_tried);
    TRY_NEW(y, s->n_tried);
    for (int64_t k = 0; k < s->n_tried; k++) {
        if (!isfinite(s->likelihood[k])) continue;
        x[n] = s->tried[k];
        y[n] = s->likelihood[k];
        if (y[n] > y[at]) at = n;
        n++;
    }
    if (n < 2) goto out;
    best = x[at];
    smr_json *figure = open_figure(c, "likelihood", "How likely rows are that are left out",
                                   "The widths of the rule are multiplied by the best factor.");
    smr_figure_axis(figure, "x", "factor", "log");
    smr_figure_axis(figure, "y", "mean log-density", "linear");
    smr_figure_series(figure, "rows left out", "line", n, x, y);
    smr_figure_mark(figure, "vline", best, "the best");
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_density_draw(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures)
{
    struct picture c = {ctx, params_, state_, in, prefix, figures, NULL, NULL};
    smr_status st = SMR_OK;
    int64_t d = c.s->n_features, n = POINTS;
    TRY_NEW(c.x, d);
    TRY_NEW(c.room, smr_density_room(c.p, c.s));
    if (d == 2) TRY(draw_plane(&c));
    if (d > 1) n = FEWER_POINTS;
    /* more features than one: curves go over all rows */
    double rows = (double)SMR_MAX(c.s->n_points, c.s->n_cells);
    bool cheap = d == 1 || (double)n * rows * (double)SMR_MIN(d, COLUMNS) <= MOST_WORK;
    for (int64_t j = 0; cheap && d != 2 && j < SMR_MIN(SMR_MIN(d, n_in), COLUMNS); j++)
        TRY(draw_curve(&c, j, n));
    if (c.s->n_tried > 0) TRY(draw_search(&c));
out:
    smr_free(c.x);
    smr_free(c.room);
    return st;
}
