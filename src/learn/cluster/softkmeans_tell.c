/* softkmeans_tell.c -- what inspect, figures and the trace say about soft k-means. */
#include "core/figure.h"
#include "learn/cluster/softkmeans.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>

enum { SHOWN_FEATURES = 12, SHOWN_CLUSTERS = 50 };

smr_status smr_soft_describe(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_soft_state *s = state_;
    int64_t k = SMR_MIN(s->n_clusters, SHOWN_CLUSTERS);
    (void)ctx, (void)params_, (void)n_in;
    smr_json_add_number(into, "features_in", (double)s->n_features);
    smr_json_add_number(into, "n_clusters", (double)s->n_clusters);
    smr_json_add_number(into, "beta", s->beta);
    smr_json_add_number(into, "variance", 1 / (2 * s->beta));
    smr_json_add_number(into, "weight", s->weight);
    smr_json_add_number(into, "energy", s->energy);
    smr_json *list = smr_json_add_array(into, "clusters");
    for (int64_t c = 0; c < k; c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "cluster", (double)c);
        smr_json_add_number(row, "weight", s->share[c]);
    }
    smr_json *centres = smr_json_add_array(into, "centres");
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < SMR_MIN(SHOWN_FEATURES, s->n_features); j++) {
            char name[32];
            smr_json *row = smr_json_add_object(centres, NULL);
            smr_json_add_number(row, "cluster", (double)c);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "value", s->centre[c * s->n_features + j]);
        }
    if (s->n_stages < 2) return SMR_OK;
    smr_json *stages = smr_json_add_array(into, "stages");
    for (int64_t t = 0; t < s->n_stages; t++) {
        smr_json *row = smr_json_add_object(stages, NULL);
        smr_json_add_number(row, "beta", s->stage_beta[t]);
        smr_json_add_number(row, "energy", s->stage_energy[t]);
    }
    return SMR_OK;
}

static smr_json *add_figure(const char *prefix, const char *name, const char *title,
                            smr_json *figures)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return smr_figure_add(figures, full, title, NULL);
}

static void draw_energy(smr_json *figure, int64_t n, const double *x, const double *y)
{
    smr_figure_axis(figure, "y", "energy", "linear");
    smr_figure_series(figure, "energy", "line", n, x, y);
}

smr_status smr_soft_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                         int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_soft_state *s = state;
    const struct smr_kmeans_state hard = {.n_features = s->n_features,
                                          .n_clusters = s->n_clusters,
                                          .centre = s->centre,
                                          .share = s->share,
                                          .x_feature = s->x_feature,
                                          .y_feature = s->y_feature,
                                          .n_sample = s->n_sample,
                                          .n_plane = s->n_plane,
                                          .sample = s->sample,
                                          .sample_label = s->sample_label};
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(smr_kmeans_draw(ctx, params, &hard, in, n_in, prefix, figures));
    TRY_NEW(x, s->n_curve);
    for (int64_t i = 0; i < s->n_curve; i++) x[i] = (double)i;
    smr_json *figure = add_figure(prefix, "energy", "The energy never rises", figures);
    smr_figure_axis(figure, "x", "iteration", "linear");
    draw_energy(figure, s->n_curve, x, s->curve);
    if (s->n_stages > 1) {
        figure = add_figure(prefix, "annealing", "The energy as the stiffness grows", figures);
        smr_figure_axis(figure, "x", "stiffness", "log");
        draw_energy(figure, s->n_stages, s->stage_beta, s->stage_energy);
    }
out:
    smr_free(x);
    return st;
}

smr_status smr_soft_watch(smr_ctx *ctx, const struct smr_soft_fit *f, double beta,
                          int64_t iteration)
{
    smr_trace *t = f->report->trace;
    const struct smr_km_work *w = &f->w;
    double x[SMR_TRACE_NAMES], y[SMR_TRACE_NAMES];
    int64_t k = SMR_MIN(w->k, SMR_TRACE_NAMES);
    bool kept =
        iteration == 0
            ? smr_trace_step(t, "stiffness %g: rows are shared out to the first centres", beta)
            : smr_trace_step(t,
                             "stiffness %g, iteration %lld: centres move to the means of "
                             "their shares, and rows are shared out anew",
                             beta, (long long)iteration);
    (void)ctx;
    if (!kept) return SMR_OK;
    smr_trace_number(t, "energy", f->energy);
    for (int64_t c = 0; c < k; c++) {
        char key[64];
        snprintf(key, sizeof key, "membership(%lld)", (long long)c);
        smr_trace_number(t, key, f->sums[1 + c]);
    }
    if (w->rows.d != 2) return SMR_OK;
    smr_json *figure = smr_trace_figure(t, "centres", "The centres at this step", true);
    smr_figure_axis(figure, "x", smr_trace_feature(t, 0), "linear");
    smr_figure_axis(figure, "y", smr_trace_feature(t, 1), "linear");
    for (int64_t c = 0; c < k; c++) {
        x[c] = w->centre[2 * c];
        y[c] = w->centre[2 * c + 1];
    }
    smr_figure_series(figure, "centres", "rings", k, x, y);
    return SMR_OK;
}
