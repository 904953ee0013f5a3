/* bias_tell.c -- decompositions as JSON and figures. */
#include "core/figure.h"
#include "study/bias_parts.h"

#include <math.h>

/* ---- one decomposition ------------------------------------------------------------------ */

static bool has_classes(const smr_study *s)
{
    return s->set->target.classes.n > 0;
}

/* What the first part is called: without a truth the noise is in it. */
static const char *bias_name(const smr_study *s)
{
    if (has_classes(s)) return s->truth ? "bias" : "bias_and_noise";
    return s->truth ? "bias2" : "bias2_and_noise";
}

static void add_parts(const smr_study *s, const smr_decomposition *d, smr_json *row)
{
    smr_json_add_number(row, bias_name(s), d->bias);
    smr_json_add_number(row, "variance", d->variance);
    if (has_classes(s)) {
        smr_json_add_number(row, "variance_up", d->variance_up);
        smr_json_add_number(row, "variance_down", d->variance_down);
    }
    if (s->truth) smr_json_add_number(row, "noise", d->noise);
    if (s->truth && has_classes(s)) smr_json_add_number(row, "noise_effect", d->noise_effect);
    smr_json_add_number(row, "sum", d->sum);
    smr_json_add_number(row, "measured", d->measured);
}

void smr_bias_tell(const smr_study *s, const smr_decomposition *d, smr_json *into,
                   smr_json *figures)
{
    smr_json *row = smr_json_add_object(into, "decomposition");
    add_parts(s, d, row);
    if (s->truth) { /* without it the two are the same by construction */
        smr_json_add_number(row, "difference", d->measured - d->sum);
        smr_json_add_number(row, "difference_se", d->difference_se);
    }
    smr_json_add_number(row, "bias_se", d->bias_se);
    smr_json_add_number(row, "variance_se", d->variance_se);

    double variance = has_classes(s) ? d->variance_up + d->variance_down : d->variance;
    double y[] = {d->bias, variance, d->noise_effect, d->sum, d->measured};
    static const char *const names[] = {"bias", "variance", "noise", "sum", "measured error"};
    smr_json *figure = smr_figure_add(
        figures, "decomposition", "Where the error comes from",
        has_classes(s)
            ? "For the 0-1 loss; variance and noise are measured by their effect on the error."
            : NULL);
    smr_json *list = smr_json_add_array(smr_figure_axis(figure, "x", "", "names"), "names");
    double kept[5];
    int64_t n = 0;
    for (int64_t k = 0; k < SMR_COUNT(y); k++) {
        if (k == 2 && !s->truth) continue;
        smr_json_add_string(list, NULL, k == 0 && !s->truth ? "bias and noise" : names[k]);
        kept[n++] = y[k];
    }
    smr_figure_axis(figure, "y", has_classes(s) ? "error" : "squared error", "linear");
    smr_figure_series(figure, "error", "bars", n, NULL, kept);
}

/* ---- bagging ---------------------------------------------------------------------------- */

void smr_bias_tell_bagging(const smr_bagging *bag, smr_json *into, smr_json *figures)
{
    double m[SMR_BAG_SIZES], variance[SMR_BAG_SIZES], formula[SMR_BAG_SIZES], low[SMR_BAG_SIZES],
        high[SMR_BAG_SIZES];
    smr_json *entry = smr_json_add_object(into, "bagging");
    smr_json_add_number(entry, "variance_of_one", bag->variance);
    smr_json_add_number(entry, "rho", bag->rho);
    smr_json *rows = smr_json_add_array(entry, "sizes");
    for (int64_t k = 0; k < bag->n; k++) {
        const smr_bag_row *r = &bag->row[k];
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "m", (double)r->m);
        smr_json_add_number(row, "variance", r->variance);
        smr_json_add_number(row, "variance_se", r->variance_se);
        smr_json_add_number(row, "formula", r->formula);
        smr_json_add_number(row, "error", r->error);
        m[k] = (double)r->m;
        variance[k] = r->variance;
        formula[k] = r->formula;
        low[k] = r->variance - r->variance_se;
        high[k] = r->variance + r->variance_se;
    }
    smr_json *figure = smr_figure_add(figures, "bagging", "What bagging does to the variance",
                                      "Averaging m bootstrap replicates lowers the variance "
                                      "towards rho sigma^2; the whiskers show one standard error.");
    smr_figure_axis(figure, "x", "replicates m", "log");
    smr_json_add_number(smr_figure_axis(figure, "y", "variance", "linear"), "min", 0);
    smr_figure_series(figure, "(1 - rho) sigma^2 / m + rho sigma^2", "line", bag->n, m, formula);
    smr_json *points = smr_figure_series(figure, "measured", "points", bag->n, m, variance);
    smr_json_add_numbers(points, "low", low, bag->n);
    smr_json_add_numbers(points, "high", high, bag->n);
    smr_figure_mark(figure, "hline", bag->rho * bag->variance, "rho sigma^2");
}

/* ---- over a parameter ------------------------------------------------------------------- */

typedef double (*part_fn)(const smr_decomposition *d);

static double part_bias(const smr_decomposition *d)
{
    return d->bias;
}
static double part_variance(const smr_decomposition *d)
{
    return d->variance;
}
static double part_variance_effect(const smr_decomposition *d)
{
    return d->variance_up + d->variance_down;
}
static double part_noise(const smr_decomposition *d)
{
    return d->noise_effect;
}
static double part_sum(const smr_decomposition *d)
{
    return d->sum;
}
static double part_measured(const smr_decomposition *d)
{
    return d->measured;
}

static void add_curve(smr_json *figure, const char *name, const char *kind, part_fn part,
                      const smr_trade *t, double *y)
{
    for (int64_t k = 0; k < t->n; k++) y[k] = part(&t->rows[k].d);
    smr_figure_series(figure, name, kind, t->n, t->x, y);
}

static void draw_trade(const smr_study *s, const smr_trade *t, double *y, int64_t best,
                       smr_json *figures)
{
    bool classes = has_classes(s), log = t->log;
    for (int64_t k = 0; t->x && log && k < t->n; k++) log = t->x[k] > 0;
    smr_json *figure = smr_figure_add(
        figures, "trade-off", "Bias and variance",
        classes ? "For the 0-1 loss; variance and noise are measured by their effect on the error."
                : "The squared error and the parts that add up to it.");
    smr_json *axis =
        smr_figure_axis(figure, "x", t->parameter, t->x ? (log ? "log" : "linear") : "names");
    smr_json *names = t->x ? NULL : smr_json_add_array(axis, "names");
    for (int64_t k = 0; !t->x && k < t->n; k++) smr_json_add_string(names, NULL, t->rows[k].value);
    smr_figure_axis(figure, "y", classes ? "error" : "squared error", "linear");
    add_curve(figure, s->truth ? (classes ? "bias" : "bias^2") : "bias and noise", "line",
              part_bias, t, y);
    add_curve(figure, "variance", "line", classes ? part_variance_effect : part_variance, t, y);
    if (s->truth) add_curve(figure, "noise", "line", part_noise, t, y);
    add_curve(figure, "sum", "line", part_sum, t, y);
    add_curve(figure, "measured error", "points", part_measured, t, y);
    smr_figure_mark(figure, "vline", t->x ? t->x[best] : (double)best, "best");
}

smr_status smr_bias_tell_trade(smr_ctx *ctx, const smr_study *s, const smr_trade *t, smr_json *into,
                               smr_json *figures)
{
    smr_status st = SMR_OK;
    double *y = NULL;
    int64_t best = 0;
    TRY_NEW(y, t->n);
    for (int64_t k = 1; k < t->n; k++)
        if (t->rows[k].d.sum < t->rows[best].d.sum) best = k;
    smr_json *entry = smr_json_add_object(into, "trade_off");
    smr_json_add_string(entry, "parameter", t->parameter);
    smr_json_add_string(entry, "best", t->rows[best].value);
    smr_json *list = smr_json_add_array(entry, "values");
    for (int64_t k = 0; k < t->n; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        if (t->x)
            smr_json_add_number(row, "value", t->x[k]);
        else
            smr_json_add_string(row, "value", t->rows[k].value);
        add_parts(s, &t->rows[k].d, row);
    }
    draw_trade(s, t, y, best, figures);
out:
    smr_free(y);
    return st;
}
