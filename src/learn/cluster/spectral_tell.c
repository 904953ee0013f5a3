/* spectral_tell.c -- what inspect and figures say about divided graphs. */
#include "core/figure.h"
#include "learn/cluster/spectral.h"

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
    smr_clusters_tell(s->n_clusters, s->size, rows, into);
    return SMR_OK;
}

static smr_status draw_values(smr_ctx *ctx, const struct smr_spectral_state *s, const char *prefix,
                              smr_json *figures)
{
    if (s->n_values < 2) return SMR_OK;
    smr_json *figure =
        smr_cluster_figure(figures, prefix, "eigenvalues", "The smallest eigenvalues",
                           "A wide step after the first k speaks for k clusters.");
    return smr_eigenvalue_points(ctx, s->n_values, s->value,
                                 s->n_clusters < s->n_values ? s->n_clusters : 0, figure);
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
    for (int64_t i = 0; i < shown; i++) {
        x[i] = s->coordinate[i * q];
        y[i] = s->coordinate[i * q + 1];
    }
    smr_json *figure =
        smr_cluster_figure(figures, prefix, "eigenvectors", "Rows by two eigenvectors", NULL);
    smr_figure_axis(figure, "x", "second eigenvector", "linear");
    smr_figure_axis(figure, "y", "third eigenvector", "linear");
    TRY(smr_cluster_points(ctx, s->n_clusters, shown, s->view.shown_home, x, y, figure));
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
