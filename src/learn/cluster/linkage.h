/* linkage.h -- merging rows, two clusters at a time, the nearest first.
 *
 *     single     the distance of clusters is that of their nearest rows
 *     complete   that of their farthest rows
 *     average    the mean over all pairs of their rows
 *     ward       sqrt(2 w_a w_b / (w_a + w_b)) |mean_a - mean_b|: how the sum of squares grows
 *
 * All four are reducible: a cluster that two others merge into is no nearer to a third than the
 * nearer of them was.  So chains of nearest neighbours find the same merges as looking for the
 * nearest pair each time (linkage_chain.c, linkage_ward.c); for single they are the edges of the
 * shortest tree (linkage_tree.c).
 *
 * References: Murtagh, The Computer Journal 26 (1983); Prim, Bell System Tech. J. 36 (1957);
 * Muellner, arXiv:1109.2378 (2011). */
#ifndef SMR_LEARN_CLUSTER_LINKAGE_H
#define SMR_LEARN_CLUSTER_LINKAGE_H

#include "learn/cluster/sites.h"

typedef enum smr_linkage {
    SMR_LINKAGE_WARD = 0,
    SMR_LINKAGE_AVERAGE,
    SMR_LINKAGE_COMPLETE,
    SMR_LINKAGE_SINGLE
} smr_linkage;

/* Two clusters, by a row of each; merges come in any order that has a cluster's own before it. */
typedef struct smr_merge {
    int32_t a, b;
    double height;
} smr_merge;

/* What the files of linkage share. */
typedef struct smr_linking {
    smr_linkage linkage;
    smr_near_kind metric;
    const smr_site_rows *rows;
    double *groups;    /* the rows in groups of 16, coordinate by coordinate; padded with zeros */
    smr_merge *merges; /* n - 1 */
    int64_t n_merges;
} smr_linking;

/* dist[0..16) = the distances of q to the points of a group, as people mean them. */
void smr_group_distances(smr_near_kind metric, int64_t d, const double *group, const double *q,
                         double dist[SMR_SITES_LANE]);

smr_status smr_link_chain(smr_ctx *ctx, smr_linking *l); /* average, complete: n^2 floats */
smr_status smr_link_ward(smr_ctx *ctx, smr_linking *l);
smr_status smr_link_tree(smr_ctx *ctx, smr_linking *l); /* single */

/* All n - 1 merges in the order of their heights: clusters 0 .. n-1 are the rows, n + m is what
 * merge m made; left[m] < right[m].  weight: of what was made. */
smr_status smr_link_rows(smr_ctx *ctx, smr_linkage linkage, smr_near_kind metric,
                         const smr_site_rows *rows, int32_t *left, int32_t *right, double *height,
                         double *weight);

#endif
