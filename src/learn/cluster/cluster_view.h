/* cluster_view.h -- some training rows that a clustering keeps for its picture: in the plane of the
 * two features that tell its clusters apart best. */
#ifndef SMR_LEARN_CLUSTER_CLUSTER_VIEW_H
#define SMR_LEARN_CLUSTER_CLUSTER_VIEW_H

#include "learn/cluster/sites.h"

typedef struct smr_cluster_view {
    int64_t n_axes, n_shown;
    int32_t *axis;       /* n_axes: features; two where there are two      */
    double *shown;       /* n_shown x n_axes                               */
    int32_t *shown_home; /* n_shown: clusters; -1: none                    */
} smr_cluster_view;

#define SMR_VIEW_KEPT(type_, field_, kind_)                                                \
    .name = #field_, .offset = offsetof(type_, view) + offsetof(smr_cluster_view, field_), \
    .type = kind_

/* Rows of the state table of a struct with a member `view`, whose clusters are `n_clusters`. */
#define SMR_VIEW_STATE(type_)                                                          \
    {SMR_VIEW_KEPT(type_, n_axes, SMR_STATE_INT), .max = 2, .min = 0,                  \
     .doc = "Features of the picture."},                                               \
        {SMR_VIEW_KEPT(type_, n_shown, SMR_STATE_INT), .max = SMR_VIEW_ROWS,           \
         .most = "n_axes * 1500", .doc = "Training rows that are kept for pictures."}, \
        {SMR_VIEW_KEPT(type_, axis, SMR_STATE_I32S),                                   \
         .dims = {"n_axes"},                                                           \
         .optional = true,                                                             \
         .with = "n_axes",                                                             \
         .below = "features",                                                          \
         .doc = "The features of the picture."},                                       \
        {SMR_VIEW_KEPT(type_, shown, SMR_STATE_F64S),                                  \
         .dims = {"n_shown", "n_axes"},                                                \
         .reals = SMR_REALS_FINITE,                                                    \
         .optional = true,                                                             \
         .with = "n_shown",                                                            \
         .doc = "These features of some training rows."},                              \
    {                                                                                  \
        SMR_VIEW_KEPT(type_, shown_home, SMR_STATE_I32S),                              \
            .dims = {"n_shown"}, .optional = true, .with = "n_shown", .min = -1,       \
            .below = "n_clusters", .doc = "Their clusters; -1: noise."                 \
    }

enum { SMR_VIEW_ROWS = 1500 };

/* n rows of d numbers, and the cluster of each, below n_clusters, or -1. */
smr_status smr_cluster_view_keep(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                                 const int32_t *home, int64_t n_clusters, smr_cluster_view *out);
/* The same of rows in the order of a tree, with the cluster at each place. */
smr_status smr_cluster_view_of_tree(smr_ctx *ctx, const smr_site_tree *tree, const int32_t *home,
                                    int64_t n_clusters, smr_cluster_view *out);
/* Which row is the k-th that is shown, of n. */
static inline int64_t smr_cluster_view_row(const smr_cluster_view *view, int64_t k, int64_t n)
{
    return (int64_t)((double)k * (double)n / (double)view->n_shown);
}

/* Adds "clusters", how many rows each has and which share of the total, and how many are not
 * shown. */
void smr_clusters_tell(int64_t n_clusters, const double *size, double total, smr_json *into);
/* Adds a series of points for each cluster: of n points with clusters home[i], -1: noise. */
smr_status smr_cluster_points(smr_ctx *ctx, int64_t n_clusters, int64_t n, const int32_t *home,
                              const double *x, const double *y, smr_json *figure);
/* Axes and points of a Laplacian's smallest eigenvalues; k > 0: a line after the first k. */
smr_status smr_eigenvalue_points(smr_ctx *ctx, int64_t n, const double *value, int64_t k,
                                 smr_json *figure);
/* Adds the figure "clusters", if there are rows. */
smr_status smr_cluster_view_draw(smr_ctx *ctx, const smr_cluster_view *view, int64_t n_clusters,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures);
/* A figure whose name begins with the prefix; NULL where memory ends. */
smr_json *smr_cluster_figure(smr_json *figures, const char *prefix, const char *name,
                             const char *title, const char *note);

#endif
