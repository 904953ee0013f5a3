/* figures_found.c -- what a report draws for clusters, states and densities: see figures.h. */
#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"
#include "study/figures.h"

#include <math.h>

enum {
    MOST_BARS = 60,
    MOST_CELLS = 60,
    MOST_TEXT = 20,
    MOST_CLUSTERS = 12,
    POINTS = 200,
    BINS = 30
};

struct drawing {
    const smr_found_input *in;
    const char *answer;       /* "cluster"                        */
    const smr_strings *names; /* of what was found; NULL: numbers */
    const smr_strings *known; /* classes; NULL: none              */
    smr_json *figures;
};

/* An axis of `n` names; NULL: the numbers from 0. */
static smr_status name_axis(smr_ctx *ctx, smr_json *figure, const char *which, const char *label,
                            const smr_strings *names, int64_t n)
{
    smr_json *axis = smr_figure_axis(figure, which, label, "names");
    smr_json *list = smr_json_add_array(axis, "names");
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < n && st == SMR_OK; k++) {
        int64_t length = 0;
        smr_text number = {.ctx = ctx};
        const char *name = names ? smr_strings_get(names, k, &length) : NULL;
        if (!names) smr_text_printf(&number, "%lld", (long long)k);
        st = smr_text_done(&number);
        if (st == SMR_OK)
            smr_json_add_bytes(list, NULL, names ? name : number.bytes,
                               names ? length : number.length);
        smr_text_release(&number);
    }
    return st;
}

/* ---- how many rows each has ------------------------------------------------------------- */

static smr_status draw_sizes(smr_ctx *ctx, const struct drawing *d)
{
    const smr_found_input *in = d->in;
    smr_status st = SMR_OK;
    double *weight = NULL, *place = NULL;
    if (!in->found || in->n_found > MOST_BARS) return SMR_OK;
    TRY_NEW(weight, in->n_found + 1);
    TRY_NEW(place, in->n_found + 1);
    for (int64_t i = 0; i < in->n; i++) weight[in->found[i]] += in->weight ? in->weight[i] : 1;
    for (int64_t k = 0; k < in->n_found; k++) place[k] = (double)k;
    smr_json *figure = smr_figure_add(d->figures, "sizes", "Number of rows in each", NULL);
    smr_json_add_number(smr_figure_axis(figure, "x", "rows", "linear"), "min", 0);
    TRY(name_axis(ctx, figure, "y", d->answer, d->names, in->n_found));
    smr_figure_series(figure, "rows", "hbars", in->n_found, weight, place);
out:
    smr_free(weight);
    smr_free(place);
    return st;
}

/* ---- beside known classes --------------------------------------------------------------- */

static smr_status draw_contingency(smr_ctx *ctx, const struct drawing *d)
{
    const smr_found_input *in = d->in;
    smr_status st = SMR_OK;
    double *matrix = NULL;
    if (!in->found || !in->label || !d->known) return SMR_OK;
    if (in->n_found > MOST_CELLS || in->n_classes > MOST_CELLS) return SMR_OK;
    TRY_NEW(matrix, in->n_found * in->n_classes + 1);
    TRY(smr_contingency(ctx, in, matrix));
    smr_json *figure =
        smr_figure_add(d->figures, "contingency", "Known classes against what was found",
                       "How many rows of each known class ended up where.");
    TRY(name_axis(ctx, figure, "x", d->answer, d->names, in->n_found));
    TRY(name_axis(ctx, figure, "y", "known class", d->known, in->n_classes));
    smr_json *cells = smr_figure_series(figure, "rows", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", (double)in->n_found);
    smr_json_add_number(cells, "ny", (double)in->n_classes);
    smr_json_add_numbers(cells, "value", matrix, in->n_found * in->n_classes);
    smr_json_add_bool(cells, "text", in->n_found <= MOST_TEXT && in->n_classes <= MOST_TEXT);
out:
    smr_free(matrix);
    return st;
}

/* ---- silhouettes ------------------------------------------------------------------------ */

/* One curve per cluster: its rows' silhouettes, the largest first, over the share of its rows. */
static smr_status draw_cluster(smr_ctx *ctx, const struct drawing *d, const smr_outline *o,
                               int64_t cluster, smr_json *figure)
{
    smr_status st = SMR_OK;
    double *value = NULL, x[POINTS], y[POINTS];
    int64_t *order = NULL, n = 0, length = 0;
    smr_text name = {.ctx = ctx};
    TRY_NEW(value, o->n + 1);
    TRY_NEW(order, o->n + 1);
    for (int64_t k = 0; k < o->n; k++)
        if (d->in->found[o->rows[k]] == cluster) value[n++] = -o->value[k];
    if (n == 0) goto out;
    TRY(smr_argsort_f64(ctx, n, value, order));
    int64_t points = SMR_MIN(n, POINTS);
    for (int64_t p = 0; p < points; p++) {
        int64_t at = points > 1 ? p * (n - 1) / (points - 1) : 0;
        x[p] = ((double)at + 0.5) / (double)n;
        y[p] = -value[order[at]];
    }
    const char *text = d->names ? smr_strings_get(d->names, cluster, &length) : NULL;
    bool numbered = !d->names || (d->in->outside && cluster < d->in->n_found - 1);
    if (!numbered)
        smr_text_add_bytes(&name, text, length);
    else
        smr_text_printf(&name, "%s %lld", d->answer, (long long)cluster);
    TRY(smr_text_done(&name));
    smr_figure_series(figure, name.bytes, "line", points, x, y);
out:
    smr_free(value);
    smr_free(order);
    smr_text_release(&name);
    return st;
}

static smr_status draw_silhouettes(smr_ctx *ctx, const struct drawing *d)
{
    smr_status st = SMR_OK;
    smr_outline o = {0};
    double mean = 0, total = 0;
    if (!d->in->x || !d->in->found || d->in->n_found > MOST_CLUSTERS) return SMR_OK;
    TRY(smr_outline_make(ctx, d->in, &o));
    if (!o.value) goto out;
    smr_json *figure = smr_figure_add(d->figures, "silhouettes", "Silhouettes",
                                      "One value per row: near 1 it is well inside its cluster, "
                                      "below 0 it is closer to another one.");
    smr_json *axis = smr_figure_axis(figure, "x", "share of the cluster", "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", 1);
    smr_figure_axis(figure, "y", "silhouette", "linear");
    for (int64_t g = 0; g < d->in->n_found; g++) TRY(draw_cluster(ctx, d, &o, g, figure));
    for (int64_t k = 0; k < o.n; k++) {
        double w = d->in->weight ? d->in->weight[o.rows[k]] : 1;
        mean += w * o.value[k];
        total += w;
    }
    smr_figure_mark(figure, "hline", mean / total, "mean");
out:
    smr_outline_release(&o);
    return st;
}

/* ---- how well rows fit ------------------------------------------------------------------ */

/* The rows whose place in `group` is k (group NULL: all), of finite score: of what is impossible
 * there is no logarithm. */
static int64_t pick(const smr_found_input *in, const int32_t *group, int32_t k, double *score,
                    double *weight)
{
    int64_t n = 0;
    for (int64_t i = 0; i < in->n; i++) {
        if (!isfinite(in->score[i]) || (group && group[i] != k)) continue;
        weight[n] = in->weight ? in->weight[i] : 1;
        score[n++] = in->score[i];
    }
    return n;
}

static smr_status draw_scores(smr_ctx *ctx, const struct drawing *d)
{
    static const char *const names[] = {"other rows", "known outliers"};
    const smr_found_input *in = d->in;
    bool outliers = in->threshold != NULL;
    smr_status st = SMR_OK;
    smr_bins bins = {INFINITY, -INFINITY, BINS};
    double *score = NULL, *weight = NULL, edges[BINS + 1], height[BINS + 1];
    int32_t *known = NULL;
    if (!in->score) return SMR_OK;
    TRY_NEW(score, in->n + 1);
    TRY_NEW(weight, in->n + 1);
    if (outliers && in->label) {
        TRY_NEW(known, in->n + 1);
        TRY(smr_outliers_known(ctx, in, known));
    }
    int64_t n = pick(in, NULL, 0, score, weight);
    for (int64_t i = 0; i < n; i++) {
        bins.lo = SMR_MIN(bins.lo, score[i]);
        bins.hi = SMR_MAX(bins.hi, score[i]);
    }
    if (!(bins.hi > bins.lo)) goto out;
    smr_json *figure =
        smr_figure_add(d->figures, "row_scores", "How well the rows fit the model",
                       outliers ? "Rows to the left of the threshold are called outliers."
                                : "Log-densities or log-likelihoods; rows far to the left are "
                                  "unlike the training rows.");
    smr_figure_axis(figure, "x", "score", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "rows", "linear"), "min", 0);
    for (int32_t k = 0; k < (known ? 2 : 1); k++) {
        n = pick(in, known, k, score, weight);
        smr_figure_bins(n, score, 1, weight, NULL, 0, bins, height);
        smr_figure_steps(figure, known ? names[k] : "rows", bins, edges, height);
    }
    if (outliers) smr_figure_mark(figure, "vline", *in->threshold, "threshold");
out:
    smr_free(known);
    smr_free(score);
    smr_free(weight);
    return st;
}

/* Each is left out if what it needs is not there. */
smr_status smr_figures_found(smr_ctx *ctx, const smr_found_input *in, const char *answer,
                             const smr_strings *names, const smr_strings *known, smr_json *figures)
{
    static smr_status (*const draws[])(smr_ctx * ctx, const struct drawing *d) = {
        draw_sizes, draw_contingency, draw_silhouettes, draw_scores};
    struct drawing d = {in, answer, names, known, figures};
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < SMR_COUNT(draws); k++) TRY(draws[k](ctx, &d));
    TRY(smr_json_done(figures->doc));
out:
    return st;
}
