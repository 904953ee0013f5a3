/* figures_regress.c -- what a report draws of predicted numbers: see figures.h. */
#include "core/figure.h"
#include "core/sort.h"
#include "math/special.h"
#include "study/figures.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 2000, QUANTILES = 200, LEAST_BINS = 8, MOST_BINS = 50, MOST_TARGETS = 8 };

void smr_figure_bins(int64_t n, const double *x, int64_t stride, const double *weight,
                     const int32_t *where, int32_t which, smr_bins bins, double *out)
{
    double scale = (double)bins.n / (bins.hi - bins.lo);
    memset(out, 0, (size_t)bins.n * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        if (where && where[i] != which) continue;
        double place = (x[i * stride] - bins.lo) * scale;
        int64_t b = place >= (double)bins.n ? bins.n - 1 : place > 0 ? (int64_t)place : 0;
        out[b] += weight ? weight[i] : 1;
    }
}

void smr_figure_steps(smr_json *figure, const char *name, smr_bins bins, double *edges,
                      double *height)
{
    for (int64_t b = 0; b <= bins.n; b++)
        edges[b] = bins.lo + (bins.hi - bins.lo) * ((double)b / (double)bins.n);
    height[bins.n] = height[bins.n - 1]; /* a step lasts to the next edge */
    smr_figure_series(figure, name, "step", bins.n + 1, edges, height);
}

/* One target's answers and predictions, and what is drawn of them. */
struct drawing {
    const smr_regress_input *in;
    int64_t j;
    const char *suffix; /* of the figures' names: "" or "_weight" */
    double *residual;   /* n                                      */
    double mean, sd;    /* of the residuals, weighted             */
    smr_json *figures;
};

static smr_json *begin_figure(smr_ctx *ctx, const struct drawing *d, const char *name,
                              const char *title, const char *note)
{
    smr_text full = {.ctx = ctx}, head = {.ctx = ctx};
    smr_text_add(&full, name);
    smr_text_add(&full, d->suffix);
    smr_text_add(&head, title);
    if (d->suffix[0]) smr_text_printf(&head, ": %s", d->suffix + 1);
    smr_json *figure = NULL;
    if (smr_text_done(&full) == SMR_OK && smr_text_done(&head) == SMR_OK)
        figure = smr_figure_add(d->figures, full.bytes, head.bytes, note);
    smr_text_release(&full);
    smr_text_release(&head);
    return figure;
}

/* One row in every few, the same ones whatever the values. */
static smr_status draw_clouds(smr_ctx *ctx, const struct drawing *d)
{
    const smr_regress_input *in = d->in;
    int64_t n = SMR_MIN(in->n, MOST_POINTS), t = in->n_outputs;
    double *predicted = NULL, *actual = NULL, *residual = NULL;
    smr_status st = SMR_OK;
    const char *thin =
        in->n > MOST_POINTS ? "Shown are 2000 rows, evenly spaced over all of them." : NULL;
    TRY_NEW(predicted, n + 1);
    TRY_NEW(actual, n + 1);
    TRY_NEW(residual, n + 1);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = (int64_t)((double)k * ((double)in->n / (double)n));
        predicted[k] = in->predicted[i * t + d->j];
        actual[k] = in->y[i * t + d->j];
        residual[k] = d->residual[i];
    }
    smr_json *figure = begin_figure(ctx, d, "predicted", "Predicted against actual", thin);
    if (!figure) TRY(SMR_ERR_NOMEM);
    smr_json_add_bool(smr_figure_axis(figure, "x", "actual", "linear"), "equal", true);
    smr_figure_axis(figure, "y", "predicted", "linear");
    smr_figure_series(figure, "rows", "points", n, actual, predicted);
    smr_figure_mark(figure, "diagonal", 0, "perfect");
    figure = begin_figure(ctx, d, "residuals", "Residuals against predictions", thin);
    if (!figure) TRY(SMR_ERR_NOMEM);
    smr_figure_axis(figure, "x", "predicted", "linear");
    smr_figure_axis(figure, "y", "actual - predicted", "linear");
    smr_figure_series(figure, "rows", "points", n, predicted, residual);
    smr_figure_mark(figure, "hline", 0, NULL);
out:
    smr_free(predicted);
    smr_free(actual);
    smr_free(residual);
    return st;
}

static smr_status draw_histogram(smr_ctx *ctx, const struct drawing *d)
{
    const smr_regress_input *in = d->in;
    double height[MOST_BINS + 1], edges[MOST_BINS + 1];
    smr_bins bins = {.lo = INFINITY, .hi = -INFINITY, .n = LEAST_BINS};
    while (bins.n < MOST_BINS && bins.n * bins.n * bins.n < 8 * in->n) bins.n++; /* 2 n^(1/3) */
    for (int64_t i = 0; i < in->n; i++) {
        bins.lo = smr_fmin(bins.lo, d->residual[i]);
        bins.hi = smr_fmax(bins.hi, d->residual[i]);
    }
    if (!(bins.lo < bins.hi)) {
        bins.lo -= 0.5;
        bins.hi += 0.5;
    }
    smr_json *figure =
        begin_figure(ctx, d, "residual_histogram", "Histogram of the residuals", NULL);
    if (!figure) return SMR_ERR_NOMEM;
    smr_figure_axis(figure, "x", "actual - predicted", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "rows", "linear"), "min", 0);
    smr_figure_bins(in->n, d->residual, 1, in->weight, NULL, 0, bins, height);
    smr_figure_steps(figure, "rows", bins, edges, height);
    smr_figure_mark(figure, "vline", 0, NULL);
    return SMR_OK;
}

/* The residual below which the share (k + 1/2) / m of the rows lies, in deviations, beside the same
 * quantile of the normal distribution. */
static smr_status draw_quantiles(smr_ctx *ctx, const struct drawing *d)
{
    const smr_regress_input *in = d->in;
    double x[QUANTILES], y[QUANTILES], total = 0, below = 0;
    int64_t *order = NULL, m = SMR_MIN(in->n, QUANTILES), r = 0;
    smr_status st = SMR_OK;
    if (!(d->sd > 0)) return SMR_OK;
    TRY_NEW(order, in->n);
    TRY(smr_argsort_f64(ctx, in->n, d->residual, order));
    for (int64_t i = 0; i < in->n; i++) total += in->weight ? in->weight[i] : 1;
    for (int64_t k = 0; k < m; k++) {
        double share = ((double)k + 0.5) / (double)m;
        while (r + 1 < in->n) {
            double w = in->weight ? in->weight[order[r]] : 1;
            if (below + w > share * total) break;
            below += w;
            r++;
        }
        x[k] = smr_normal_quantile(share);
        y[k] = (d->residual[order[r]] - d->mean) / d->sd;
    }
    smr_json *figure =
        begin_figure(ctx, d, "normal_quantiles", "Normal Q-Q plot of the residuals",
                     "Normally distributed errors lie on the diagonal; ends that bend away from it "
                     "mean more large errors than a normal distribution has.");
    if (!figure) TRY(SMR_ERR_NOMEM);
    smr_figure_axis(figure, "x", "normal quantile", "linear");
    smr_figure_axis(figure, "y", "residual, in standard deviations", "linear");
    smr_figure_series(figure, "residuals", "points", m, x, y);
    smr_figure_mark(figure, "diagonal", 0, "normal");
out:
    smr_free(order);
    return st;
}

/* Residuals with their mean and deviation; false when there is no weight. */
static bool take_residuals(struct drawing *d)
{
    const smr_regress_input *in = d->in;
    double total = 0, sum = 0, squares = 0;
    for (int64_t i = 0; i < in->n; i++) {
        int64_t at = i * in->n_outputs + d->j;
        double w = in->weight ? in->weight[i] : 1;
        d->residual[i] = in->y[at] - in->predicted[at];
        total += w;
        sum += w * d->residual[i];
    }
    if (!(total > 0)) return false;
    d->mean = sum / total;
    for (int64_t i = 0; i < in->n; i++) {
        double gap = d->residual[i] - d->mean;
        squares += (in->weight ? in->weight[i] : 1) * gap * gap;
    }
    d->sd = sqrt(squares / total);
    return true;
}

static smr_status draw_target(smr_ctx *ctx, struct drawing *d)
{
    smr_status st = SMR_OK;
    if (!take_residuals(d)) return SMR_OK;
    TRY(draw_clouds(ctx, d));
    TRY(draw_histogram(ctx, d));
    TRY(draw_quantiles(ctx, d));
out:
    return st;
}

smr_status smr_figures_regress(smr_ctx *ctx, const smr_regress_input *in, smr_json *figures)
{
    smr_status st = SMR_OK;
    struct drawing d = {.in = in, .figures = figures, .suffix = ""};
    smr_text suffix = {.ctx = ctx};
    TRY_NEW(d.residual, in->n + 1);
    for (d.j = 0; in->n > 0 && d.j < SMR_MIN(in->n_outputs, MOST_TARGETS); d.j++) {
        if (in->n_outputs > 1) {
            suffix.length = 0;
            if (in->output_names)
                smr_text_printf(&suffix, "_%s", in->output_names[d.j]);
            else
                smr_text_printf(&suffix, "_%lld", (long long)d.j);
            TRY(smr_text_done(&suffix));
            d.suffix = suffix.bytes;
        }
        TRY(draw_target(ctx, &d));
    }
    TRY(smr_json_done(figures->doc));
out:
    smr_text_release(&suffix);
    smr_free(d.residual);
    return st;
}
