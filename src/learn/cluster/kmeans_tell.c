/* kmeans_tell.c -- what inspect, figures and the trace say about k-means. */
#include "core/figure.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FEW = 12,       /* features of a centre that are told      */
    MOST = 60,      /* clusters in a picture of their sizes    */
    COLOURED = 20,  /* clusters whose rows are drawn apart     */
    PICTURES = 10,  /* centres drawn as pictures               */
    MOST_SIDE = 64, /* pixels a side of these                  */
    TOLD = 300      /* rows of a step's picture                */
};

/* ---- inspect ---------------------------------------------------------------------------- */

static void tell_clusters(const struct smr_kmeans_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "clusters");
    for (int64_t c = 0; c < s->n_clusters; c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "cluster", (double)c);
        smr_json_add_number(row, "weight", s->share[c]);
        smr_json_add_number(row, "error", isnan(s->error) ? NAN : s->spread[c]);
        double square = s->share[c] > 0 ? s->spread[c] / s->share[c] : 0;
        smr_json_add_number(row, "radius", isnan(s->error) ? NAN : sqrt(square));
    }
}

static void tell_centres(const struct smr_kmeans_state *s, const smr_feature *in, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "centres");
    for (int64_t c = 0; c < s->n_clusters; c++)
        for (int64_t j = 0; j < SMR_MIN(FEW, s->n_features); j++) {
            char name[32];
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_number(row, "cluster", (double)c);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "value", s->centre[c * s->n_features + j]);
        }
}

smr_status smr_kmeans_describe(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_kmeans_state *s = state_;
    (void)ctx, (void)params_, (void)n_in;
    smr_json_add_number(into, "features_in", (double)s->n_features);
    smr_json_add_number(into, "n_clusters", (double)s->n_clusters);
    smr_json_add_string(into, "metric", s->metric == SMR_KM_COSINE ? "cosine" : "euclidean");
    smr_json_add_number(into, "weight", s->weight);
    smr_json_add_number(into, "error", s->error);
    if (s->n_wait > 0) smr_json_add_number(into, "rows_waiting", (double)s->n_waiting);
    tell_clusters(s, into);
    tell_centres(s, in, into);
    return SMR_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

struct drawing {
    smr_ctx *ctx;
    const struct smr_kmeans_state *s;
    const smr_feature *in;
    const char *prefix;
    smr_json *figures;
};

static smr_json *add_figure(const struct drawing *d, const char *name, const char *title,
                            const char *note)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", d->prefix, name);
    return smr_figure_add(d->figures, full, title, note);
}

static void draw_sizes(const struct drawing *d)
{
    const struct smr_kmeans_state *s = d->s;
    int64_t n = SMR_MIN(MOST, s->n_clusters);
    smr_json *figure = add_figure(d, "sizes", "How large the clusters are",
                                  n < s->n_clusters ? "The first ones." : NULL);
    smr_figure_axis(figure, "x", "cluster", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "weight of its rows", "linear"), "min", 0);
    smr_figure_series(figure, "weight", "bars", n, NULL, s->share);
}

/* Rows in the two features that tell the centres apart best, by cluster; and the centres. */
static smr_status draw_clusters(const struct drawing *d)
{
    const struct smr_kmeans_state *s = d->s;
    smr_ctx *ctx = d->ctx;
    smr_status st = SMR_OK;
    int64_t k = s->n_clusters, apart = k <= COLOURED ? k : 1;
    double *x = NULL, *y = NULL;
    char name[32];
    if (s->y_feature < 0 || s->n_sample == 0) return SMR_OK;
    TRY_NEW(x, SMR_MAX(s->n_sample, k));
    TRY_NEW(y, SMR_MAX(s->n_sample, k));
    smr_json *figure = add_figure(
        d, "clusters", "Clusters and their centres",
        s->metric == SMR_KM_COSINE ? "Rows have length 1 here."
        : s->n_features > 2        ? "In the two features in which the centres lie furthest apart."
                                   : NULL);
    smr_figure_axis(figure, "x", smr_affine_name(d->in, s->x_feature, name), "linear");
    smr_figure_axis(figure, "y", smr_affine_name(d->in, s->y_feature, name), "linear");
    for (int64_t c = 0; c < apart; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < s->n_sample; i++) {
            if (apart > 1 && s->sample_label[i] != c) continue;
            x[n] = s->sample[2 * i];
            y[n++] = s->sample[2 * i + 1];
        }
        snprintf(name, sizeof name, apart > 1 ? "cluster %lld" : "rows", (long long)c);
        smr_figure_series(figure, name, "points", n, x, y);
    }
    for (int64_t c = 0; c < k; c++) {
        x[c] = s->centre[c * s->n_features + s->x_feature];
        y[c] = s->centre[c * s->n_features + s->y_feature];
    }
    smr_figure_series(figure, "centres", "rings", k, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

/* Centres of pictures are pictures. */
static void draw_pictures(const struct drawing *d)
{
    const struct smr_kmeans_state *s = d->s;
    if (!s->item || s->item[1] < 2 || s->item[2] > 1) return;
    int64_t high = s->item[0], wide = s->item[1];
    if (high > MOST_SIDE || wide > MOST_SIDE || high * wide != s->n_features) return;
    for (int64_t c = 0; c < SMR_MIN(PICTURES, s->n_clusters); c++) {
        char name[48], title[64];
        snprintf(name, sizeof name, "centre-%lld", (long long)c);
        snprintf(title, sizeof title, "The centre of cluster %lld as a picture", (long long)c);
        smr_json *figure = add_figure(d, name, title, NULL);
        smr_json *x = smr_figure_axis(figure, "x", "column", "linear");
        smr_figure_axis(figure, "y", "row", "linear");
        smr_json_add_bool(x, "equal", true);
        smr_json *cells = smr_figure_series(figure, "value", "cells", 0, NULL, NULL);
        smr_json_add_number(cells, "nx", (double)wide);
        smr_json_add_number(cells, "ny", (double)high);
        smr_json *value = smr_json_add_array(cells, "value"); /* the last row comes first */
        for (int64_t i = high - 1; i >= 0; i--)
            for (int64_t j = 0; j < wide; j++)
                smr_json_add_number(value, NULL, s->centre[c * s->n_features + i * wide + j]);
    }
}

smr_status smr_kmeans_draw(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures)
{
    struct drawing d = {ctx, state, in, prefix, figures};
    smr_status st = SMR_OK;
    (void)params, (void)n_in;
    draw_sizes(&d);
    TRY(draw_clusters(&d));
    draw_pictures(&d);
out:
    return st;
}

/* ---- the trace -------------------------------------------------------------------------- */

/* Rows of one colour a cluster as they were assigned, centres as they are after it. */
static smr_status draw_step(smr_ctx *ctx, const struct smr_km_work *w, smr_trace *t)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    int64_t n = SMR_MIN(TOLD, r->n), apart = w->k <= COLOURED ? w->k : 1;
    double *x = NULL, *y = NULL;
    if (r->d != 2) return SMR_OK;
    TRY_NEW(x, SMR_MAX(n, w->k));
    TRY_NEW(y, SMR_MAX(n, w->k));
    smr_json *figure =
        smr_trace_figure(t, "clusters", "Clusters, and centres after the step", false);
    smr_figure_axis(figure, "x", smr_trace_feature(t, 0), "linear");
    smr_figure_axis(figure, "y", smr_trace_feature(t, 1), "linear");
    for (int64_t c = 0; c < apart; c++) {
        char name[32];
        int64_t m = 0;
        for (int64_t e = 0; e < n; e++) {
            int64_t i = e * r->n / n;
            if (apart > 1 && w->label[i] != c) continue;
            const double *at = smr_km_row(r, i, r->work);
            x[m] = at[0];
            y[m++] = at[1];
        }
        snprintf(name, sizeof name, apart > 1 ? "cluster %lld" : "rows", (long long)c);
        smr_figure_series(figure, name, "points", m, x, y);
    }
    for (int64_t c = 0; c < w->k; c++) {
        x[c] = w->centre[2 * c];
        y[c] = w->centre[2 * c + 1];
    }
    smr_figure_series(figure, "centres", "rings", w->k, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_kmeans_watch(smr_ctx *ctx, const struct smr_km_work *w, double error, double moved)
{
    smr_trace *t = w->report->trace;
    if (!smr_trace_step(t,
                        "start %lld, iteration %lld: %lld %s cluster, and the "
                        "centres move to the means",
                        (long long)w->restart + 1, (long long)w->n_iter, (long long)w->n_changed,
                        smr_plural(w->n_changed, "row changes its", "rows change their")))
        return SMR_OK;
    smr_trace_number(t, "error", error);
    smr_trace_number(t, "changed", (double)w->n_changed);
    smr_trace_number(t, "moved", sqrt(moved));
    return draw_step(ctx, w, t);
}
