/* dbscan_tell.c -- what inspect and figures say about clusters by density. */
#include "core/figure.h"
#include "learn/cluster/dbscan.h"

smr_status smr_dbscan_describe(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_dbscan_params *p = params_;
    const struct smr_dbscan_state *s = state_;
    (void)ctx, (void)in, (void)n_in;
    smr_json_add_number(into, "clusters_found", (double)s->n_clusters);
    smr_json_add_number(into, "eps", s->eps);
    smr_json_add_number(into, "min_rows", p->min_rows);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "core_rows", s->n_core);
    smr_json_add_number(into, "edge_rows", s->n_edge);
    smr_json_add_number(into, "noise_rows", s->n_noise);
    smr_clusters_tell(s->n_clusters, s->size, s->n_rows, into);
    return SMR_OK;
}

/* Rows in the order of their distance to the neighbour that makes them core. */
static smr_status draw_curve(smr_ctx *ctx, const struct smr_dbscan_state *s, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    double *share = NULL;
    if (s->n_curve < 2) return SMR_OK;
    TRY_NEW(share, s->n_curve);
    for (int64_t k = 0; k < s->n_curve; k++) share[k] = (double)(k + 1) / (double)s->n_curve;
    smr_json *figure = smr_cluster_figure(
        figures, prefix, "neighbour_distances", "Distances that make rows core",
        "Rows to the left of where the curve meets the line are core; a good eps lies where the "
        "curve bends up.");
    smr_figure_axis(figure, "x", "share of the rows", "linear");
    smr_json *y = smr_figure_axis(figure, "y", "distance to the last neighbour needed", "linear");
    smr_json_add_number(y, "min", 0);
    smr_figure_series(figure, "distance", "line", s->n_curve, share, s->curve);
    smr_figure_mark(figure, "hline", s->eps, "eps");
out:
    smr_free(share);
    return st;
}

smr_status smr_dbscan_draw(smr_ctx *ctx, const void *params, const void *state_,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures)
{
    const struct smr_dbscan_state *s = state_;
    smr_status st = SMR_OK;
    (void)params;
    TRY(smr_cluster_view_draw(ctx, &s->view, s->n_clusters, in, n_in, prefix, figures));
    TRY(draw_curve(ctx, s, prefix, figures));
out:
    return st;
}
