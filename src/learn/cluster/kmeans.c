/* kmeans.c -- k-means: rows around k centres.
 *
 * Centres c_1 .. c_k and a cluster for every row that make
 *
 *     error = sum_i w_i min_c |x_i - c|^2                                                       (1)
 *
 * small: each row belongs to its nearest centre (of those that tie the first), each centre is the
 * mean of its rows, and the two are repeated in turn, which never raises (1) (Lloyd).  It ends in a
 * minimum that depends on the start (kmeans_start.c); of several starts the best is kept, and
 * `moves` go on from there by splits and merges (kmeans_moves.c).  Finding the least of all is
 * NP-hard.
 *
 * metric=cosine: rows and centres have length 1, and 1 - x'c takes the place of |x - c|^2; rows of
 * zeros are as far from every centre.
 *
 * How it is computed changes no bit: labels are those of distances in double whichever way finds
 * them (products of floats or of bytes, bounds that pass over rows: kmeans_keys.c,
 * kmeans_bounds.c), and sums are exact (kmeans_rows.c).
 *
 * Degenerate: of fewer different rows than k there are as many clusters as places, with a warning;
 * an empty cluster gets the row that is furthest from its centre; a constant column adds nothing.
 *
 * In a stream (MacQueen): the first rows wait until there are enough for a start; from then on each
 * row moves its centre by w (x - c) / W_c.
 *
 * Cost: 2 n k d an iteration at most; memory 16 bytes a row beside the rows, those of bytes again.
 * Symbols: n rows, d features, k clusters, W_c the weight of a cluster's rows.
 * References: Lloyd, IEEE Trans. Inf. Theory 28 (1982); MacQueen, 5th Berkeley Symp. (1967). */
#include "learn/cluster/kmeans.h"

#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/made_features.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice starts[] = {
    [SMR_KM_AUTO] = {"auto", "plusplus, from 256 clusters on parallel"},
    [SMR_KM_RANDOM] = {"random", "rows that are drawn"},
    [SMR_KM_FARTHEST] = {"farthest", "a row that is drawn, then the one whose mean distance from "
                                     "the centres so far is largest"},
    [SMR_KM_PLUS] = {"plusplus", "rows drawn by their squared distance from the centres so far "
                                 "(k-means++)"},
    [SMR_KM_PARALLEL] = {"parallel", "the same from a few rounds of many rows (k-means||)"},
    {NULL, NULL},
};

static const smr_choice counts[] = {
    {"auto", "10 for small tables, 1 for large ones"},
    {NULL, NULL},
};

static const smr_choice metrics[] = {
    [SMR_KM_EUCLIDEAN] = {"euclidean", "squared distances"},
    [SMR_KM_COSINE] = {"cosine", "1 - cosine of the angle: rows and centres have length 1"},
    {NULL, NULL},
};

static const smr_choice solvers[] = {
    [SMR_KM_ANY] = {"auto", "by the size of the table"},
    [SMR_KM_LLOYD] = {"lloyd", "every row against every centre in every iteration"},
    [SMR_KM_BOUNDS] = {"bounds", "rows whose bounds say that they stay are passed over"},
    {NULL, NULL},
};

static const smr_choice given[] = {
    [SMR_KM_DISTANCES] = {"distances", "its distance from each centre"},
    [SMR_KM_NEAREST] = {"nearest", "the nearest centre, in its place"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_kmeans_params, field_)

static const smr_param params[] = {
    {P(k), .def = 8, .min = 1, .max = SMR_MAX_DIM, .primary = true, .search = SMR_SEARCH_LOG,
     .search_min = 2, .search_max = 20, .simpler = SMR_SIMPLER_LOW, .doc = "Clusters."},
    {P(start), .choices = starts, .fit_only = true, .doc = "Where centres start."},
    {P(starts), .def = -1, .min = 1, .max = 1e6, .choices = counts, .fit_only = true,
     .doc = "How often, each time from other centres; the best is kept."},
    {P(metric), .choices = metrics, .search = SMR_SEARCH_VALUES, .fit_only = true,
     .doc = "How far a row is from a centre."},
    {P(max_iter), .def = 300, .min = 0, .max = 1e9, .fit_only = true,
     .doc = "Iterations, at most; 0 keeps the centres where they start."},
    {P(tol), .def = 1e-4, .min = 0, .max = 1, .fit_only = true,
     .doc = "It ends when the centres' steps, squared and summed, are at most this share of the "
            "mean variance of a column; 0: when no row changes its cluster."},
    {P(moves), .def = 0, .min = 0, .max = 1e6, .fit_only = true,
     .doc = "Then, how often a cluster is split and two others merged, as long as that helps."},
    {P(solver), .choices = solvers, .fit_only = true,
     .doc = "How the nearest centres are found; the answer is the same."},
    {P(gives), .choices = given, .doc = "What a row becomes before other stages."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_kmeans_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_clusters), .min = 1, .doc = "Clusters."},
    {KEPT(n_out), .min = 1, .doc = "Features that go out, before other stages."},
    {KEPT(metric), .min = SMR_KM_EUCLIDEAN, .max = SMR_KM_COSINE,
     .doc = "How far a row is from a centre: euclidean or cosine."},
    {KEPT(weight), .reals = SMR_REALS_FROM_0, .doc = "Weight of the rows."},
    {KEPT(error), .doc = "Sum of the errors of all rows; NaN: not known."},
    {KEPT(centre), .dims = {"n_clusters", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "Centres."},
    {KEPT(share), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of the clusters' rows."},
    {KEPT(spread), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0,
     .doc = "Their errors, summed."},
    {KEPT(x_feature), .min = 0, .below = "features", .doc = "The first feature of pictures."},
    {KEPT(y_feature), .min = -1, .below = "features",
     .doc = "The second one; -1: there is one only."},
    {KEPT(n_sample), .min = 0, .doc = "Rows kept for pictures."},
    {KEPT(n_plane), .min = 2, .max = 2, .doc = "2: their features."},
    {KEPT(sample), .dims = {"n_sample", "n_plane"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_sample", .doc = "Two features of some rows, for pictures."},
    {KEPT(sample_label), .dims = {"n_sample"}, .min = 0, .below = "n_clusters", .optional = true,
     .with = "n_sample", .doc = "Their clusters."},
    {KEPT(n_item), .min = 0, .max = 4, .doc = "4, or 0: rows are not items."},
    {KEPT(item), .dims = {"n_item"}, .min = 0, .optional = true, .with = "n_item",
     .doc = "The shape of a row as an item."},
    {KEPT(n_wait), .min = 0, .doc = "From a stream: rows that a start waits for."},
    {KEPT(n_waiting), .min = 0, .most = "n_wait", .doc = "From a stream: rows that wait."},
    {KEPT(waiting), .dims = {"n_wait", "n_features"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_wait", .doc = "From a stream: these rows."},
    {KEPT(waiting_weight), .dims = {"n_wait"}, .reals = SMR_REALS_FROM_0, .optional = true,
     .with = "n_wait", .doc = "From a stream: their weights."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_kmeans_params *p = params_;
    const struct smr_kmeans_state *s = state_;
    int64_t want = p->gives == SMR_KM_NEAREST ? s->n_features : s->n_clusters;
    (void)shape;
    if (s->n_out != want)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "kmeans: %lld features go out, and there should be %lld",
                        (long long)s->n_out, (long long)want);
    if (s->n_wait > 0 && s->n_waiting == s->n_wait)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "kmeans: %lld rows wait for a start, and it waits for no more",
                        (long long)s->n_waiting);
    return SMR_OK;
}

/* ---- outputs ---------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct smr_kmeans_state *)state_)->n_out;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct smr_kmeans_params *p = params_;
    smr_status st = SMR_OK;
    (void)state_, (void)n_in;
    if (p->gives == SMR_KM_DISTANCES) {
        for (int64_t c = 0; c < n; c++) TRY(smr_made_feature(ctx, "distance", c, &out[c]));
        return SMR_OK;
    }
    for (int64_t j = 0; j < n; j++) {
        char name[32];
        out[j].kind = SMR_NUMBER;
        out[j].name = smr_strdup(ctx, smr_affine_name(in, j, name));
        if (!out[j].name) TRY(SMR_ERR_NOMEM);
    }
out:
    return st;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct smr_kmeans_params *p = params_;
    (void)state_, (void)n_in;
    for (int64_t j = 0; j < n; j++) from[j] = p->gives == SMR_KM_NEAREST ? j : -1;
}

static int64_t count(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_kmeans_state *)state_)->n_clusters;
}

/* Numbers of the centres; of those of length 1 one less each. */
static double count_free(const void *params_, const void *state_)
{
    const struct smr_kmeans_state *s = state_;
    (void)params_;
    return (double)s->n_clusters * (double)(s->n_features - (s->metric == SMR_KM_COSINE));
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "kmeans",
    .synonyms = "KMeans k-means MiniBatchKMeans lloyd elkan hamerly vector-quantization",
    .family = "cluster",
    .title = "k-means",
    .brief = "Rows around k centres, each in the cluster of the nearest one.",
    .objective = "min sum_i w_i min_c |x_i - c|^2 over k centres c",
    .details =
        "Rows join the nearest centre, centres move to the mean of their rows, in turn, until no "
        "row changes or the steps are small (tol); that never raises the error, and what it comes "
        "to depends on the start. A few starts are tried on small tables, one on large ones; "
        "moves=20 goes on by splits and merges. metric=cosine clusters directions. An empty "
        "cluster gets the row furthest from its centre; where the rows have fewer places than k, "
        "so many clusters are kept. Before other stages a row becomes its distances from the "
        "centres, or with gives=nearest the nearest centre. The answer is the same on any number "
        "of threads and by any solver. Features should have comparable scales: put standardize "
        "before it, unless they share a unit. It finds round clusters of about one size; curve "
        "elbow helps to choose k.",
    .reference = "Lloyd, IEEE Trans. Inf. Theory 28 (1982); Arthur & Vassilvitskii, SODA (2007); "
                 "Hamerly, SDM (2010)",
    .example = "samara train \"standardize | kmeans 3\" data/wine.csv",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_kmeans_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = origins,
    .no_inverse = "distances from centres, or the nearest one, do not tell the row",
};

static const smr_can_cluster clusters = {.count = count, .n_free = count_free};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_kmeans_state),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_DECISION | SMR_GIVES_SCORE | SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = smr_kmeans_predict,
    .scratch = smr_kmeans_scratch,
    .prepare = smr_kmeans_prepare,
    .release = smr_kmeans_release,
    .describe = smr_kmeans_describe,
    .draw = smr_kmeans_draw,
    .transform = &transforms,
    .clusters = &clusters,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_kmeans_begin),
    .learn = SMR_TRAINING(smr_kmeans_learn),
};

static const smr_can_trace traces = {.shows = "clusters and centres after each iteration"};

const smr_learner smr_kmeans = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER | SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_WARM_STARTS,
    .fit = SMR_TRAINING(smr_kmeans_fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
};
