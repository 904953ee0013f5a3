/* spectral_tell.c -- what inspect and figures say about divided graphs. */
#include "core/figure.h"
#include "learn/cluster/spectral.h"

#include <stdio.h>

enum { MOST_TOLD = 100, MOST_NAMED = 12 };

smr_status smr_spectral_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                 const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_spectral_params *p = params_;
    const struct smr_spectral_state *s = state_;
    (void)ctx, (void)in, (void)n_in;
    smr_json_add_number(into, "clusters_found", (double)s->n_clusters);
    double rows = s->n_rows > 0 ? s->n_rows : (double)s->sites.n_sites;
    smr_json_add_number(into, "rows", rows);
    smr_json_add_string(into, "graph", smr_graph_choices[p->graph].name);
    if (s->eps > 0) smr_json_add_number(into, "eps", s->eps);
    if (s->sigma > 0) smr_json_add_number(into, "sigma", s->sigma);
    smr_json_add_number(into, "links", s->links);
    smr_json_add_numbers(into, "rows_of_parts", s->part, s->n_parts);
    smr_json_add_numbers(into, "eigenvalues", s->value, s->n_values);
    smr_json_add_number(into, "cut", s->cut);
    smr_json_add_number(into, "ratio_cut", s->ratio_cut);
    smr_json_add_number(into, "ncut", s->ncut);
    smr_json_add_number(into, "min_max_cut", s->min_max_cut);
    smr_json *list = smr_json_add_array(into, "clusters");
    for (int64_t c = 0; c < SMR_MIN(s->n_clusters, MOST_TOLD); c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "cluster", (double)c);
        smr_json_add_number(row, "rows", s->size[c]);
        smr_json_add_number(row, "share", s->size[c] / rows);
    }
    if (s->n_clusters > MOST_TOLD)
        smr_json_add_number(into, "clusters_not_shown", (double)(s->n_clusters - MOST_TOLD));
    return SMR_OK;
}

static smr_status draw_values(smr_ctx *ctx, const struct smr_spectral_state *s, const char *prefix,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    double *number = NULL;
    if (s->n_values < 2) return SMR_OK;
    TRY_NEW(number, s->n_values);
    for (int64_t k = 0; k < s->n_values; k++) number[k] = (double)k + 1;
    smr_json *figure =
        smr_cluster_figure(figures, prefix, "eigenvalues", "The smallest eigenvalues",
                           "A wide step after the first k speaks for k clusters.");
    smr_figure_axis(figure, "x", "number", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "eigenvalue", "linear"), "min", 0);
    smr_figure_series(figure, "eigenvalue", "points", s->n_values, number, s->value);
    if (s->n_clusters < s->n_values)
        smr_figure_mark(figure, "vline", (double)s->n_clusters + 0.5, "clusters");
out:
    smr_free(number);
    return st;
}

/* Rows where the second and third eigenvector place them. */
static smr_status draw_places(smr_ctx *ctx, const struct smr_spectral_state *s, const char *prefix,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    int64_t q = s->n_coordinates, shown = s->view.n_shown;
    if (q < 2 || shown < 2) return SMR_OK;
    TRY_NEW(x, shown);
    TRY_NEW(y, shown);
    smr_json *figure =
        smr_cluster_figure(figures, prefix, "eigenvectors", "Rows by two eigenvectors", NULL);
    smr_figure_axis(figure, "x", "second eigenvector", "linear");
    smr_figure_axis(figure, "y", "third eigenvector", "linear");
    for (int64_t c = 0; c < SMR_MIN(s->n_clusters, MOST_NAMED + 1); c++) {
        bool rest = c == MOST_NAMED;
        char name[48];
        int64_t n = 0;
        for (int64_t i = 0; i < shown; i++) {
            int32_t own = s->view.shown_home[i];
            if (rest ? own < c : own != c) continue;
            x[n] = s->coordinate[i * q];
            y[n++] = s->coordinate[i * q + 1];
        }
        snprintf(name, sizeof name, rest ? "other clusters" : "cluster %lld", (long long)c);
        if (n > 0) smr_figure_series(figure, name, "points", n, x, y);
    }
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_spectral_draw(smr_ctx *ctx, const void *params, const void *state_,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures)
{
    const struct smr_spectral_state *s = state_;
    smr_status st = SMR_OK;
    (void)params;
    TRY(smr_cluster_view_draw(ctx, &s->view, s->n_clusters, in, n_in, prefix, figures));
    TRY(draw_values(ctx, s, prefix, figures));
    TRY(draw_places(ctx, s, prefix, figures));
out:
    return st;
}
