/* dbscan.c -- clusters are where rows lie densely.
 *
 *     core row    the weight of the rows within eps of it, itself among them, is at least
 *                 min_rows                                                                   (1)
 *     cluster     core rows that are linked by steps of at most eps over core rows           (2)
 *     edge row    not core, within eps of a core row: it belongs to that one's cluster; of
 *                 several, to the one with the lowest number                                 (3)
 *     noise       all others: label -1
 *
 * Clusters are numbered by the first of their core rows.  A row that is predicted is taken by (3),
 * core rows being those of the training set: so training rows get their own labels again.  The
 * score of a row is its distance to the nearest core row, negated.
 *
 * eps by rule: for some rows the distance at which (1) is met, in ascending order; where that
 * curve, both axes from 0 to 1, is farthest below its chord, it bends up, from rows in clusters to
 * rows far from them (Satopaa, Albrecht, Irwin & Raghavan, 2011).
 *
 * Method: a tree of the rows; (1) by looks within eps, that end as soon as min_rows are found; (2)
 * by links between sets of rows, those looks passing over what is linked to the row already; (3) by
 * looks among core rows.  Every step gives the same at any number of threads.
 *
 * Cost: n log n for few features, up to n^2 d for many.  Memory: the rows, twice.
 * Symbols: n rows, d features.
 * Reference: Ester, Kriegel, Sander & Xu, KDD (1996). */
#include "learn/cluster/dbscan.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice metrics[] = {
    [SMR_METRIC_EUCLIDEAN] = {"euclidean", "the length of the difference"},
    [SMR_METRIC_MANHATTAN] = {"manhattan", "the sum of the differences' magnitudes"},
    [SMR_METRIC_CHEBYSHEV] = {"chebyshev", "the largest difference"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_dbscan_params, field_)

static const smr_param params[] = {
    {P(eps), .unset = true, .min = 0, .min_open = true, .max = INFINITY, .max_open = true,
     .primary = true, .search = SMR_SEARCH_LOG, .search_min = 1e-2, .search_max = 10,
     .simpler = SMR_SIMPLER_HIGH,
     .doc =
         "How near rows are that count as neighbours, in the units of the features; unset: where "
         "the curve of the distances to the neighbours bends."},
    {P(min_rows), .def = 5, .min = 0, .min_open = true, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 2, .search_max = 50, .simpler = SMR_SIMPLER_HIGH,
     .doc = "The weight of rows within eps, the row itself included, that makes a row core."},
    {P(metric), .def = SMR_METRIC_EUCLIDEAN, .choices = metrics, .search = SMR_SEARCH_VALUES,
     .doc = "How distance is measured."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_dbscan_state, field_)

static const smr_state state[] = {
    {KEPT(n_clusters), .doc = "Clusters."},
    {KEPT(eps), .reals = SMR_REALS_ABOVE_0, .doc = "How near neighbours are."},
    {KEPT(n_rows), .reals = SMR_REALS_FROM_0, .doc = "Weight of the training rows."},
    {KEPT(n_core), .reals = SMR_REALS_FROM_0, .doc = "Weight of core rows."},
    {KEPT(n_edge), .reals = SMR_REALS_FROM_0, .doc = "Weight of rows at the edge of clusters."},
    {KEPT(n_noise), .reals = SMR_REALS_FROM_0, .doc = "Weight of noise."},
    {KEPT(size), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0, .optional = true,
     .with = "n_clusters", .doc = "Weight of the rows of each cluster."},
    {KEPT(n_curve), .doc = "Rows whose distance to the neighbour that makes them core is known."},
    {KEPT(curve), .dims = {"n_curve"}, .reals = SMR_REALS_FROM_0, .optional = true,
     .with = "n_curve", .doc = "These distances, ascending."},
    SMR_SITES_STATE(struct smr_dbscan_state),
    SMR_SITES_HOME(struct smr_dbscan_state),
    SMR_VIEW_STATE(struct smr_dbscan_state),
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_dbscan_state *s = state_;
    (void)params_, (void)shape;
    if (!s->sites.site != !s->n_clusters)
        return smr_fail(ctx, SMR_ERR_FORMAT, "dbscan: clusters need core rows, and these clusters");
    return smr_sites_check(ctx, "dbscan", &s->sites);
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_dbscan_params *p = params_;
    struct smr_dbscan_state *s = state_;
    return smr_sites_search(ctx, (smr_metric_name)p->metric, &s->sites, &s->search);
}

static void release(void *state_)
{
    struct smr_dbscan_state *s = state_;
    smr_site_search_close(&s->search);
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_dbscan_state *s = state_;
    (void)params_, (void)n;
    return smr_sites_scratch(&s->sites, &s->search);
}

/* The lowest cluster that is met. */
struct meeting {
    const int32_t *home;
    int32_t lowest;
};

static bool meet(void *arg, int64_t leaf, unsigned mask)
{
    struct meeting *m = arg;
    for (; mask; mask &= mask - 1) {
        int32_t home = m->home[leaf * SMR_SITES_LANE + __builtin_ctz(mask)];
        if (m->lowest < 0 || home < m->lowest) m->lowest = home;
    }
    return m->lowest != 0;
}

static double label_of(const struct smr_dbscan_state *s, const double *q, double *room)
{
    struct meeting m = {s->sites.home, -1};
    smr_site_walk walk = {.search = &s->search, .radius = s->eps, .found = meet, .arg = &m};
    if (s->sites.n_sites > 0) smr_site_walk_from(&walk, q, room);
    return (double)m.lowest;
}

static double score_of(const struct smr_dbscan_state *s, const double *q, double *room)
{
    int64_t place;
    double distance;
    if (s->sites.n_sites == 0) return -INFINITY;
    smr_site_nearest(&s->search, q, 1, room, &place, &distance);
    return -distance + 0.0;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_dbscan_state *s = state_;
    double *q = scratch_, *room = q + s->sites.n_features;
    (void)ctx, (void)params_;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < rows->d; j++) q[j] = x[j];
        out[i] = output == SMR_OUTPUT_LABEL ? label_of(s, q, room) : score_of(s, q, room);
    }
    return SMR_OK;
}

static int64_t count(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_dbscan_state *)state_)->n_clusters;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "dbscan",
    .synonyms = "DBSCAN density_clustering hdbscan",
    .family = "cluster",
    .title = "Clusters by density",
    .brief = "Clusters where rows lie densely, of any shape and number, and noise.",
    .objective = "core: sum w_j [dist(x_i, x_j) <= eps] >= min_rows; clusters: core rows linked by "
                 "steps <= eps",
    .details =
        "Rows with enough others within eps are core; core rows within eps of each other share a "
        "cluster, and rows that are near a core row without being one belong to its cluster, of "
        "several to the one with the lowest number. All others are noise, with the label -1. "
        "Clusters are numbered by their first core row. New rows are judged by the core rows of "
        "training in the same way; their score is the distance to the nearest one, negated. A row "
        "of weight 2 counts as two rows. Without eps it is read off the curve of the distances to "
        "the neighbours, which inspect draws. Give features comparable scales first: standardize | "
        "dbscan. Measures of clusters take noise as a cluster of its own.",
    .reference =
        "Ester, Kriegel, Sander & Xu, A density-based algorithm for discovering clusters in "
        "large spatial databases with noise, KDD (1996) 226-231",
    .example = "samara train \"dbscan 0.2\" data/iris.csv --ignore species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_dbscan_params),
};

static const smr_can_cluster clusters = {.count = count};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_dbscan_state),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_dbscan_describe,
    .draw = smr_dbscan_draw,
    .clusters = &clusters,
};

const smr_learner smr_dbscan = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA,
    .fit = SMR_TRAINING(smr_dbscan_fit),
    .fitted = &fitted,
};
