/* estimate_figures.c -- pictures of estimates (estimate.h). */
#include "core/figure.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "study/estimate_parts.h"

enum { POINTS = 201, MOST_BINS = 40, LEAST_BINS = 6, SHOWN_LEVELS = 30 };

static const double TOO_SMALL = -60; /* a log likelihood below this is shown relative to its top */

static smr_json *open_figure(smr_ctx *ctx, const char *what, const char *suffix, const char *title,
                             const smr_sample *s, smr_json *figures)
{
    smr_text name = {.ctx = ctx}, line = {.ctx = ctx};
    smr_json *figure = NULL;
    smr_text_printf(&name, "%s%s-%s", what, suffix, s->name);
    smr_text_printf(&line, "%s: %s", s->name, title);
    if (smr_text_done(&name) == SMR_OK && smr_text_done(&line) == SMR_OK)
        figure = smr_figure_add(figures, name.bytes, line.bytes, NULL);
    smr_text_release(&name);
    smr_text_release(&line);
    return figure;
}

/* Where the curve is drawn: all of the parameter's range, or what the posterior leaves. */
static void choose_range(const smr_parameter_curve *c, double *x)
{
    double from = c->least, to = c->most;
    if (isnan(from)) {
        double low = smr_law_quantile(&c->posterior, 5e-4, false);
        double high = smr_law_quantile(&c->posterior, 5e-4, true);
        from = smr_fmin(low, c->ml) - 0.1 * (high - low);
        to = smr_fmax(high, c->ml) + 0.1 * (high - low);
        if (low >= 0 && c->posterior.family->n_params == 2) from = smr_fmax(from, 0);
    }
    for (int k = 0; k < POINTS; k++)
        x[k] = k == POINTS - 1 ? to : from + (to - from) * (double)k / (POINTS - 1);
}

static smr_status draw_likelihood(smr_ctx *ctx, const smr_sample *s, const smr_parameter_curve *c,
                                  const double *x, smr_json *figures)
{
    double y[POINTS], top = c->log_of(s, c->ml);
    bool whole = c->log_likelihood > TOO_SMALL && c->log_likelihood < 700;
    for (int k = 0; k < POINTS; k++) {
        y[k] = c->log_of(s, x[k]) - top + (whole ? c->log_likelihood : 0);
        y[k] = isnan(y[k]) ? NAN : smr_exp(y[k]);
    }
    smr_json *figure =
        open_figure(ctx, "likelihood", c->suffix,
                    whole ? "likelihood" : "likelihood, as a share of its largest", s, figures);
    if (!figure) return SMR_ERR_NOMEM;
    smr_figure_axis(figure, "x", c->what, "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "likelihood", "linear"), "min", 0);
    smr_figure_series(figure, "likelihood", "line", POINTS, x, y);
    smr_figure_mark(figure, "vline", c->ml, "maximum likelihood");
    return SMR_OK;
}

static void curve_of(const smr_law *law, const double *x, double *y)
{
    for (int k = 0; k < POINTS; k++) {
        y[k] = smr_law_density(law, x[k]);
        if (!isfinite(y[k])) y[k] = NAN;
    }
}

smr_status smr_estimate_curves(smr_ctx *ctx, const smr_sample *s, const smr_parameter_curve *c,
                               smr_json *figures)
{
    double x[POINTS], y[POINTS];
    choose_range(c, x);
    if (c->log_of) {
        smr_status st = draw_likelihood(ctx, s, c, x, figures);
        if (st != SMR_OK) return st;
    }
    smr_json *figure =
        open_figure(ctx, "posterior", c->suffix, "posterior distribution", s, figures);
    if (!figure) return SMR_ERR_NOMEM;
    smr_figure_axis(figure, "x", c->what, "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "density", "linear"), "min", 0);
    curve_of(&c->posterior, x, y);
    smr_figure_series(figure, "posterior", "line", POINTS, x, y);
    if (c->prior) {
        curve_of(c->prior, x, y);
        smr_figure_series(figure, "prior", "line", POINTS, x, y);
    }
    smr_figure_mark(figure, "vline", c->ml, "maximum likelihood");
    smr_figure_shade(figure, c->low, c->high, "credible");
    return SMR_OK;
}

/* ---- what was fitted -------------------------------------------------------------------- */

/* Bars: a density, or of counts the share of each value or range of values. */
struct bars {
    int64_t n;
    double from, width, centre[MOST_BINS], height[MOST_BINS];
};

static void make_bars(const smr_sample *s, bool whole, struct bars *b)
{
    smr_numbers_summary sums;
    smr_summarize(s->n, s->x, s->w, &sums);
    double range = sums.max - sums.min;
    *b = (struct bars){.n = LEAST_BINS, .from = sums.min};
    while (b->n < MOST_BINS && (double)(b->n * b->n * b->n) < 8 * (double)s->n) b->n++;
    b->width = range > 0 ? range / (double)b->n : 1;
    if (whole) {
        b->width = ceil((range + 1) / MOST_BINS);
        b->n = (int64_t)ceil((range + 1) / b->width);
        b->from = sums.min - 0.5;
    }
    for (int64_t k = 0; k < b->n; k++) b->centre[k] = b->from + ((double)k + 0.5) * b->width;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t k = (int64_t)((s->x[i] - b->from) / b->width);
        b->height[k < b->n ? k : b->n - 1] += s->w ? s->w[i] : 1;
    }
    for (int64_t k = 0; k < b->n; k++) b->height[k] /= sums.weight * (whole ? 1 : b->width);
}

smr_status smr_estimate_fit_figure(smr_ctx *ctx, const smr_sample *s, const smr_law *law,
                                   smr_json *figures)
{
    struct bars b;
    double x[POINTS], y[POINTS];
    bool whole = law->family->discrete;
    make_bars(s, whole, &b);
    smr_json *figure = open_figure(ctx, "fit", "", "rows and what was fitted to them", s, figures);
    if (!figure) return SMR_ERR_NOMEM;
    smr_figure_axis(figure, "x", s->name, "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", whole ? "share of rows" : "density", "linear"),
                        "min", 0);
    smr_figure_series(figure, "rows", "bars", b.n, b.centre, b.height);
    if (whole) {
        for (int64_t k = 0; k < b.n; k++)
            y[k] = smr_law_tail(law, b.from + (double)(k + 1) * b.width, false).p -
                   smr_law_tail(law, b.from + (double)k * b.width, false).p;
        smr_figure_series(figure, law->family->name, "points", b.n, b.centre, y);
        return SMR_OK;
    }
    for (int k = 0; k < POINTS; k++)
        x[k] = b.from + b.width * (double)b.n * (double)k / (POINTS - 1);
    curve_of(law, x, y);
    smr_figure_series(figure, law->family->name, "line", POINTS, x, y);
    return SMR_OK;
}

smr_status smr_estimate_shares_figure(smr_ctx *ctx, const smr_sample *s, const double *mean,
                                      const double *low, const double *high, smr_json *figures)
{
    int64_t n = SMR_MIN(s->n_levels, SHOWN_LEVELS);
    smr_json *figure =
        open_figure(ctx, "posterior", "", "shares with their credible intervals", s, figures);
    if (!figure) return SMR_ERR_NOMEM;
    smr_json_add_number(smr_figure_axis(figure, "x", "share of rows", "linear"), "min", 0);
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (int64_t k = 0; k < n; k++) {
        int64_t length;
        const char *level = smr_strings_get(&s->levels, k, &length);
        smr_json_add_bytes(names, NULL, level, length);
    }
    smr_json *series = smr_figure_series(figure, "posterior mean", "hpoints", n, mean, NULL);
    smr_json_add_numbers(series, "low", low, n);
    smr_json_add_numbers(series, "high", high, n);
    return SMR_OK;
}
