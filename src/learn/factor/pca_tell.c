/* pca_tell.c -- what inspect, figures and the trace say about components. */
#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/factor/pca.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FEW = 12,      /* features of a component that are named, the heaviest */
    MOST = 60,     /* variances drawn                                      */
    ARROWS = 8,    /* of a biplot                                          */
    PICTURES = 6,  /* components drawn as pictures                         */
    MOST_SIDE = 64 /* pixels a side of these                               */
};

const char *smr_pca_route(int64_t route)
{
    static const char *const names[] = {"auto", "svd", "covariance", "random", "lanczos"};
    return route >= 0 && route < SMR_COUNT(names) ? names[route] : "unknown";
}

static void name_component(int64_t c, char name[32])
{
    snprintf(name, 32, "pc%lld", (long long)c + 1);
}

/* The `few` features that weigh most, of the largest weight first. */
static smr_status heaviest(smr_ctx *ctx, int64_t d, const double *v, int64_t few, int64_t *out)
{
    smr_status st = SMR_OK;
    double *size = NULL;
    int64_t *order = NULL;
    TRY_NEW(size, d);
    TRY_NEW(order, d);
    for (int64_t j = 0; j < d; j++) size[j] = -fabs(v[j]);
    TRY(smr_argsort_f64(ctx, d, size, order));
    memcpy(out, order, (size_t)few * sizeof *out);
out:
    smr_free(size);
    smr_free(order);
    return st;
}

/* ---- inspect ---------------------------------------------------------------------------- */

static void tell_variances(const struct smr_pca_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "components");
    double sum = 0;
    for (int64_t c = 0; c < s->n_out; c++) {
        char name[32];
        smr_json *row = smr_json_add_object(list, NULL);
        double share = s->total > 0 ? s->variance[c] / s->total : 0;
        name_component(c, name);
        sum += share;
        smr_json_add_string(row, "component", name);
        smr_json_add_number(row, "variance", s->variance[c]);
        smr_json_add_number(row, "share", share);
        smr_json_add_number(row, "together", sum);
    }
}

static smr_status tell_loadings(smr_ctx *ctx, const struct smr_pca_state *s, const smr_feature *in,
                                smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t few = SMR_MIN(FEW, s->n_features), at[FEW];
    smr_json *list = smr_json_add_array(into, "loadings");
    for (int64_t c = 0; c < s->n_out; c++) {
        const double *v = s->component + c * s->n_features;
        char component[32], name[32];
        name_component(c, component);
        TRY(heaviest(ctx, s->n_features, v, few, at));
        for (int64_t r = 0; r < few; r++) {
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_string(row, "component", component);
            smr_json_add_string(row, "feature", smr_affine_name(in, at[r], name));
            smr_json_add_number(row, "weight", v[at[r]]);
        }
    }
out:
    return st;
}

smr_status smr_pca_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_pca_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", (double)s->n_out);
    smr_json_add_string(into, "route", s->basis ? "stream" : smr_pca_route(s->route));
    smr_json_add_number(into, "rows", s->weight);
    smr_json_add_number(into, "variance", s->total);
    smr_json_add_number(into, "noise", s->noise);
    tell_variances(s, into);
    TRY(tell_loadings(ctx, s, in, into));
    if (s->n_tried == 0) return SMR_OK;
    smr_json *list = smr_json_add_array(into, "cross_validation");
    for (int64_t k = 0; k < s->n_tried; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "k", (double)k + 1);
        smr_json_add_number(row, "log_density", s->tried[k]);
        smr_json_add_number(row, "std_error", s->tried_error[k]);
    }
out:
    return st;
}

/* ---- figures ---------------------------------------------------------------------------- */

struct drawing {
    smr_ctx *ctx;
    const struct smr_pca_state *s;
    const smr_feature *in;
    const char *prefix;
    smr_json *figures;
};

static smr_json *add_figure(const struct drawing *d, const char *name, const char *title,
                            const char *note)
{
    smr_text full = {.ctx = d->ctx};
    smr_text_printf(&full, "%s%s", d->prefix, name);
    smr_json *figure =
        smr_text_done(&full) == SMR_OK ? smr_figure_add(d->figures, full.bytes, title, note) : NULL;
    smr_text_release(&full);
    return figure;
}

/* Shares of the variance, one by one and together; those that are known beyond what is kept too. */
static void draw_scree(const struct drawing *d)
{
    const struct smr_pca_state *s = d->s;
    const double *value = s->n_known ? s->known : s->variance;
    int64_t n = SMR_MIN(MOST, s->n_known ? s->n_known : s->n_out);
    double number[MOST], share[MOST], sum[MOST], all = 0;
    if (!(s->total > 0)) return;
    for (int64_t c = 0; c < n; c++) {
        number[c] = (double)c + 1;
        share[c] = value[c] / s->total;
        sum[c] = all += share[c];
    }
    smr_json *figure = add_figure(d, "scree", "Scree: the variance of each component",
                                  "Where the curve bends into a flat tail, the components after "
                                  "it are much like noise.");
    smr_figure_axis(figure, "x", "component", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "share of the variance", "linear"), "min", 0);
    smr_figure_series(figure, "each", "line", n, number, share);
    smr_figure_series(figure, "each", "points", n, number, share);
    smr_figure_series(figure, "together", "line", n, number, sum);
    if (s->n_out < n) smr_figure_mark(figure, "vline", (double)s->n_out + 0.5, "kept");
}

static smr_status draw_tried(const struct drawing *d)
{
    const struct smr_pca_state *s = d->s;
    smr_ctx *ctx = d->ctx;
    smr_status st = SMR_OK;
    double *k = NULL, *low = NULL, *high = NULL;
    if (s->n_tried < 2) return SMR_OK;
    TRY_NEW(k, s->n_tried);
    TRY_NEW(low, s->n_tried);
    TRY_NEW(high, s->n_tried);
    for (int64_t t = 0; t < s->n_tried; t++) {
        k[t] = (double)t + 1;
        low[t] = s->tried[t] - s->tried_error[t];
        high[t] = s->tried[t] + s->tried_error[t];
    }
    smr_json *figure = add_figure(d, "tried", "Rows held back: their log-density",
                                  "By cross-validation, with one standard error to each side.");
    smr_figure_axis(figure, "x", "components", "linear");
    smr_figure_axis(figure, "y", "log-density of a row", "linear");
    smr_json *band = smr_figure_series(figure, "log-density", "band", s->n_tried, k, NULL);
    smr_json_add_numbers(band, "low", low, s->n_tried);
    smr_json_add_numbers(band, "high", high, s->n_tried);
    smr_figure_series(figure, "log-density", "line", s->n_tried, k, s->tried);
    smr_figure_mark(figure, "vline", (double)s->n_out, "kept");
out:
    smr_free(k);
    smr_free(low);
    smr_free(high);
    return st;
}

/* Rows in the plane of the first two components, and the features as arrows in it. */
static smr_status draw_biplot(const struct drawing *d)
{
    const struct smr_pca_state *s = d->s;
    smr_ctx *ctx = d->ctx;
    smr_status st = SMR_OK;
    int64_t n = s->n_sample, few = SMR_MIN(ARROWS, s->n_features), at[ARROWS];
    double *x = NULL, *y = NULL, *size = NULL, far = 0, longest = 0;
    if (s->n_plane < 2 || n == 0) return SMR_OK;
    const double *a = s->component, *b = s->component + s->n_features;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    TRY_NEW(size, s->n_features);
    for (int64_t i = 0; i < n; i++) {
        x[i] = s->sample[2 * i];
        y[i] = s->sample[2 * i + 1];
        far = smr_fmax(far, smr_fmax(fabs(x[i]), fabs(y[i])));
    }
    for (int64_t j = 0; j < s->n_features; j++) {
        size[j] = sqrt(a[j] * a[j] + b[j] * b[j]);
        longest = smr_fmax(longest, size[j]);
    }
    TRY(heaviest(ctx, s->n_features, size, few, at));
    smr_json *figure = add_figure(
        d, "biplot", "Biplot: rows and features in the plane of two components",
        "A feature's line points where it grows; lines at an acute angle grow together.");
    smr_figure_axis(figure, "x", "pc1", "linear");
    smr_figure_axis(figure, "y", "pc2", "linear");
    smr_figure_series(figure, "rows", "points", n, x, y);
    for (int64_t r = 0; r < few; r++) {
        char name[32];
        double by = longest > 0 ? 0.9 * far / longest : 0;
        double to_x[2] = {0, by * a[at[r]]}, to_y[2] = {0, by * b[at[r]]};
        smr_figure_series(figure, smr_affine_name(d->in, at[r], name), "line", 2, to_x, to_y);
    }
out:
    smr_free(x);
    smr_free(y);
    smr_free(size);
    return st;
}

/* Components of pictures are pictures. */
static void draw_pictures(const struct drawing *d)
{
    const struct smr_pca_state *s = d->s;
    if (!s->item || s->item[1] < 2 || s->item[2] > 1) return;
    int64_t high = s->item[0], wide = s->item[1];
    if (high * wide != s->n_features || high > MOST_SIDE || wide > MOST_SIDE) return;
    for (int64_t c = 0; c < SMR_MIN(PICTURES, s->n_out); c++) {
        char name[48], title[64];
        snprintf(name, sizeof name, "picture-%lld", (long long)c + 1);
        snprintf(title, sizeof title, "Component %lld as a picture", (long long)c + 1);
        smr_json *figure = add_figure(d, name, title, NULL);
        smr_json *x = smr_figure_axis(figure, "x", "column", "linear");
        smr_figure_axis(figure, "y", "row", "linear");
        smr_json_add_bool(x, "equal", true);
        smr_json *cells = smr_figure_series(figure, "weight", "cells", 0, NULL, NULL);
        smr_json_add_number(cells, "nx", (double)wide);
        smr_json_add_number(cells, "ny", (double)high);
        smr_json *value = smr_json_add_array(cells, "value"); /* the last row comes first */
        for (int64_t i = high - 1; i >= 0; i--)
            for (int64_t j = 0; j < wide; j++)
                smr_json_add_number(value, NULL, s->component[c * s->n_features + i * wide + j]);
    }
}

smr_status smr_pca_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures)
{
    struct drawing d = {ctx, state, in, prefix, figures};
    smr_status st = SMR_OK;
    (void)params, (void)n_in;
    draw_scree(&d);
    TRY(draw_tried(&d));
    TRY(draw_biplot(&d));
    draw_pictures(&d);
out:
    return st;
}

/* ---- the trace -------------------------------------------------------------------------- */

static smr_status draw_weights(smr_ctx *ctx, smr_trace *t, const struct smr_pca_state *s, int64_t c)
{
    smr_status st = SMR_OK;
    int64_t few = SMR_MIN(FEW, s->n_features), at[FEW];
    const double *v = s->component + c * s->n_features;
    double weight[FEW];
    TRY(heaviest(ctx, s->n_features, v, few, at));
    smr_json *figure = smr_trace_figure(t, "weights", "The weights of this component", false);
    smr_figure_axis(figure, "x", "weight", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "feature", "names"), "names");
    for (int64_t r = 0; r < few; r++) {
        smr_json_add_string(names, NULL, smr_trace_feature(t, at[r]));
        weight[r] = v[at[r]];
    }
    smr_figure_series(figure, "weight", "hbars", few, weight, NULL);
out:
    return st;
}

smr_status smr_pca_watch(smr_ctx *ctx, const struct smr_pca_state *s, const smr_data *data,
                         smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_trace *t = report->trace;
    double left = s->total;
    (void)data;
    if (smr_trace_step(t, "the mean is subtracted from every row"))
        smr_trace_number(t, "left", left);
    for (int64_t c = 0; t && c < s->n_out; c++) {
        left -= s->variance[c];
        if (!smr_trace_step(t, "component %lld: the direction in which what is left varies most",
                            (long long)c + 1))
            continue;
        smr_trace_number(t, "variance", s->variance[c]);
        smr_trace_number(t, "share", s->total > 0 ? s->variance[c] / s->total : 0);
        smr_trace_number(t, "left", smr_fmax(0, left));
        TRY(draw_weights(ctx, t, s, c));
    }
out:
    return st;
}
