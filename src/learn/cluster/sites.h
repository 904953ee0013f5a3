/* sites.h -- rows that a clustering keeps: which of them are near a row, and to which clusters they
 * belong.
 *
 * They lie in the plain layout of neighbors/layout.h, in the order of a tree, and are the part of a
 * learner's state that SMR_SITES_STATE declares.  Places are positions in that order.
 *
 * Distances are those of smr_l2sq_f64 and its kin, the same bits on every path; within a radius are
 * rows whose distance, so computed, is at most the radius (for Euclid its square, the square). */
#ifndef SMR_LEARN_CLUSTER_SITES_H
#define SMR_LEARN_CLUSTER_SITES_H

#include "learn/learner.h"
#include "learn/neighbors/kdtree.h"

enum { SMR_SITES_LANE = SMR_NEAR_GROUP };

/* What a state keeps of them. */
typedef struct smr_sites {
    int64_t n_features;
    int64_t n_sites, n_groups, lane;
    double *site;   /* n_groups x n_features x lane; NULL: there are none    */
    int32_t *order; /* n_sites: the number of the row at each place           */
    int32_t *home;  /* n_sites: its cluster                                  */
} smr_sites;

/* Rows of the state table of a struct with a member `sites`. */
#define SMR_SITES_KEPT(type_, field_, kind_) \
    .name = #field_, .offset = offsetof(type_, sites) + offsetof(smr_sites, field_), .type = kind_

#define SMR_SITES_STATE(type_)                                                                     \
    {SMR_SITES_KEPT(type_, n_features, SMR_STATE_INT), .is = "features", .min = 1,                 \
     .doc = "Features."},                                                                          \
        {SMR_SITES_KEPT(type_, n_sites, SMR_STATE_INT), .doc = "Rows that are kept."},             \
        {SMR_SITES_KEPT(type_, n_groups, SMR_STATE_INT), .doc = "Groups of 16 of them."},          \
        {SMR_SITES_KEPT(type_, lane, SMR_STATE_INT), .min = SMR_SITES_LANE, .max = SMR_SITES_LANE, \
         .doc = "16: rows of a group."},                                                           \
        {SMR_SITES_KEPT(type_, site, SMR_STATE_F64S),                                              \
         .dims = {"n_groups", "n_features", "lane"},                                               \
         .reals = SMR_REALS_FINITE,                                                                \
         .optional = true,                                                                         \
         .with = "n_sites",                                                                        \
         .doc = "The rows, in the order of a tree, group by group; padded with zeros."},           \
    {                                                                                              \
        SMR_SITES_KEPT(type_, order, SMR_STATE_I32S), .dims = {"n_sites"}, .optional = true,       \
                                                      .with = "n_sites", .below = "n_sites",       \
                                                      .doc = "The number of the row at each "      \
                                                             "place."                              \
    }

/* And one more where they belong to clusters, whose number is `n_clusters`. */
#define SMR_SITES_HOME(type_)                                                                  \
    {                                                                                          \
        SMR_SITES_KEPT(type_, home, SMR_STATE_I32S), .dims = {"n_sites"}, .optional = true,    \
                                                     .with = "n_sites", .below = "n_clusters", \
                                                     .doc = "The cluster of the row at each "  \
                                                            "place."                           \
    }

/* The training rows that count: those with a weight. */
typedef struct smr_site_rows {
    int64_t n, d;
    double *x;      /* n x d, with room for the layout                     */
    double *w;      /* n; NULL: all 1                                      */
    int64_t *which; /* n: their numbers in the data; NULL: the same        */
} smr_site_rows;

/* Reads them; who: the learner, for messages.  Memory is asked for first. */
smr_status smr_site_rows_read(smr_ctx *ctx, const char *who, const smr_data *data,
                              smr_site_rows *out);
void smr_site_rows_release(smr_site_rows *rows);
/* Puts the rows of x (n x d, room for the layout), with their clusters, into `out`, which takes x
 * over.  n may be 0: x is then freed.  home NULL: they have none. */
smr_status smr_sites_keep(smr_ctx *ctx, int64_t n, int64_t d, double *x, const int32_t *home,
                          smr_sites *out);
/* The same of rows that are in the order of a tree already; takes order over too, and home. */
void smr_sites_adopt(int64_t n, int64_t d, double *x, int32_t *order, int32_t *home,
                     smr_sites *out);
/* After a load. */
smr_status smr_sites_check(smr_ctx *ctx, const char *who, const smr_sites *sites);

/* ---- searching ---- */

/* What is derived from them, never saved: it lives as long as they do. */
typedef struct smr_site_search {
    smr_points points;
    smr_kdtree tree;
    bool is_open;
} smr_site_search;

smr_status smr_site_search_open(smr_ctx *ctx, smr_metric_name metric, int64_t n, int64_t d,
                                const double *site, const int32_t *order, smr_site_search *out);
void smr_site_search_close(smr_site_search *search);

/* After a fit or a load: of what a state keeps, in place of what was open. */
smr_status smr_sites_search(smr_ctx *ctx, smr_metric_name metric, const smr_sites *sites,
                            smr_site_search *search);

/* Training rows in the order of a tree. */
typedef struct smr_site_tree {
    smr_site_rows rows; /* x: in the layout of the tree          */
    int32_t *order;     /* the row at each place: rows.w's number */
    smr_site_search search;
} smr_site_tree;

smr_status smr_site_tree_make(smr_ctx *ctx, const char *who, const smr_data *data,
                              smr_metric_name metric, smr_site_tree *out);
void smr_site_tree_release(smr_site_tree *tree);
/* twin[i] = the place of the first of the rows that equal the one at place i; *distinct: how many
 * rows are their own. */
smr_status smr_site_tree_twins(smr_ctx *ctx, const smr_site_tree *tree, int32_t *twin,
                               int64_t *distinct);

/* Doubles of room that a query needs. */
int64_t smr_site_room(const smr_site_search *search, int64_t K);
/* The K <= n nearest of q, nearest first; ties by row number.  place, distance (NULL: not wanted):
 * K.  Distances are those that people mean. */
void smr_site_nearest(const smr_site_search *search, const double *q, int64_t K, double *room,
                      int64_t *place, double *distance);

/* Bytes of scratch to predict with. */
int64_t smr_sites_scratch(const smr_sites *sites, const smr_site_search *search);
/* LABEL: the cluster of the nearest; SCORE: its distance, negated. */
void smr_sites_predict(const smr_sites *sites, const smr_site_search *search, const smr_rows *rows,
                       smr_output output, double *out, double *scratch);

/* A look at all that lies within a radius.  skip (NULL: none): a member of that level, a leaf for
 * level -1, is passed over.  found: rows of that leaf, by their bits; false ends the walk. */
typedef struct smr_site_walk {
    const smr_site_search *search;
    double radius;
    bool (*skip)(void *arg, int level, int64_t member);
    bool (*found)(void *arg, int64_t leaf, unsigned mask);
    void *arg;
    /* set by smr_site_walk_from */
    double limit, least, most;
    const double *q;
    double *row;
} smr_site_walk;

/* room: n_features doubles. */
void smr_site_walk_from(smr_site_walk *walk, const double *q, double *room);

#endif
