/* softkmeans.c -- soft k-means: rows around k centres, each with a membership in every cluster.
 *
 * With the stiffness b a row is shared out by its squared distances, and each centre is the mean of
 * the rows by their memberships:
 *
 *     r_ic = exp(-b |x_i - c|^2) / sum_e exp(-b |x_i - e|^2)                                    (1)
 *     c    = sum_i w_i r_ic x_i / sum_i w_i r_ic                                                (2)
 *
 * The two in turn never raise the energy
 *
 *     F = -1/b sum_i w_i log sum_c exp(-b |x_i - c|^2)                                          (3)
 *
 * which becomes the error of k-means as b grows.  (1) and (2) are EM for a mixture of k Gaussians
 * of equal shares, whose variance is 1 / (2 b) in every direction: b = 1/2 is variance 1.  Below
 * b = 1 / (2 l), l the largest variance of the rows in any direction, all centres are the mean of
 * the rows.
 *
 * It begins where k-means ends.  With `anneal` it begins at the mean of all rows, with a stiffness
 * below any at which centres part, and multiplies that by `anneal` each time the centres stand
 * still (softkmeans_fit.c).
 *
 * Answers.  PROBA: (1); SCORE: 1/b log sum_c exp(-b |x - c|^2), the row's part of -F.
 *
 * Degenerate: of fewer different rows than k there are as many clusters as places; centres that
 * meet share their rows.
 *
 * Cost: 5 n k d an iteration; memory 16 bytes a row beside the rows.
 * Symbols: n rows, d features, k clusters, b the stiffness (`beta`).
 * References: MacKay, Information Theory, Inference, and Learning Algorithms (2003), ch. 20, 22;
 * Rose, Proc. IEEE 86 (1998). */
#include "learn/cluster/softkmeans.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice starts[] = {
    [SMR_KM_AUTO] = {"auto", "plusplus, from 256 clusters on parallel"},
    [SMR_KM_RANDOM] = {"random", "rows that are drawn"},
    [SMR_KM_FARTHEST] = {"farthest", "rows far from the centres so far"},
    [SMR_KM_PLUS] = {"plusplus", "rows drawn by their squared distance from the centres so far"},
    [SMR_KM_PARALLEL] = {"parallel", "many of these at a time"},
    {NULL, NULL},
};

static const smr_choice by_rows[] = {{"auto", "1 / (2 v), v the mean squared distance of rows from "
                                              "their centres under k-means, per feature"},
                                     {NULL, NULL}};

#define P(field_) SMR_FIELD(struct smr_soft_params, field_)

static const smr_param params[] = {
    {P(k), .def = 8, .min = 1, .max = SMR_NORMALS_MOST, .primary = true, .search = SMR_SEARCH_LOG,
     .search_min = 2, .search_max = 20, .simpler = SMR_SIMPLER_LOW, .doc = "Clusters."},
    {P(beta), .def = -1, .min = 0, .min_open = true, .max = 1e100, .choices = by_rows,
     .doc = "Stiffness: how sharply rows belong to the nearest centre, per squared distance."},
    {P(start), .choices = starts, .when = "anneal=1",
     .doc = "Where k-means starts, which goes before it."},
    {P(anneal), .def = 1, .min = 1, .max = 1e6,
     .doc =
         "The stiffness grows to beta by this factor each time the centres stand still; 1: it is "
         "beta from the start, at the centres of k-means."},
    {P(max_iter), .def = 300, .min = 0, .max = 1e9,
     .doc = "Iterations, at most, with each stiffness."},
    {P(tol), .def = 1e-10, .min = 0, .max = 1,
     .doc = "The centres stand still when their steps, squared and summed, are at most this share "
            "of the mean variance of a column."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_soft_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_clusters), .min = 1, .max = SMR_NORMALS_MOST, .doc = "Clusters."},
    {KEPT(beta), .reals = SMR_REALS_ABOVE_0, .doc = "Stiffness."},
    {KEPT(weight), .reals = SMR_REALS_ABOVE_0, .doc = "Weight of the rows."},
    {KEPT(energy), .reals = SMR_REALS_FINITE, .doc = "Energy of all rows."},
    {KEPT(centre), .dims = {"n_clusters", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "Centres."},
    {KEPT(share), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0,
     .doc = "Memberships of all rows, by weight."},
    {KEPT(n_curve), .min = 1, .doc = "Energies on the way."},
    {KEPT(curve), .dims = {"n_curve"}, .reals = SMR_REALS_FINITE,
     .doc = "Energy with this stiffness, before and after each iteration."},
    {KEPT(n_stages), .min = 1, .doc = "Stiffnesses on the way."},
    {KEPT(stage_beta), .dims = {"n_stages"}, .reals = SMR_REALS_ABOVE_0, .doc = "These."},
    {KEPT(stage_energy), .dims = {"n_stages"}, .reals = SMR_REALS_FINITE,
     .doc = "The energy that each came to."},
    {KEPT(x_feature), .min = 0, .below = "features", .doc = "The first feature of pictures."},
    {KEPT(y_feature), .min = -1, .below = "features",
     .doc = "The second one; -1: there is one only."},
    {KEPT(n_sample), .min = 0, .doc = "Rows kept for pictures."},
    {KEPT(n_plane), .min = 2, .max = 2, .doc = "2: their features."},
    {KEPT(sample), .dims = {"n_sample", "n_plane"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_sample", .doc = "Two features of some rows, for pictures."},
    {KEPT(sample_label), .dims = {"n_sample"}, .min = 0, .below = "n_clusters", .optional = true,
     .with = "n_sample", .doc = "The nearest centres of these."},
};

/* ---- tables ----------------------------------------------------------------------------- */

void smr_soft_tables_free(struct smr_soft_tables *t)
{
    if (!t) return;
    smr_free(t->mean);
    smr_free(t->scale);
    smr_free(t->peak);
    smr_free(t);
}

smr_status smr_soft_tables_create(smr_ctx *ctx, int64_t k, int64_t d, struct smr_soft_tables **out)
{
    smr_status st = SMR_OK;
    struct smr_soft_tables *t = NULL;
    TRY_NEW(t, 1);
    t->k = k;
    t->d = d;
    t->width = (k + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD;
    TRY_NEW(t->mean, d * t->width);
    TRY_NEW(t->scale, d * t->width);
    TRY_NEW(t->peak, t->width);
    t->normals = (smr_normals){d, k, t->width, t->mean, t->scale, t->peak};
    *out = t;
    t = NULL;
out:
    smr_soft_tables_free(t);
    return st;
}

void smr_soft_tables_fill(struct smr_soft_tables *t, double beta, const double *centre)
{
    t->beta = beta;
    for (int64_t c = 0; c < t->width; c++) t->peak[c] = c < t->k ? 0 : -INFINITY;
    for (int64_t c = 0; c < t->k; c++)
        for (int64_t j = 0; j < t->d; j++) {
            t->mean[j * t->width + c] = centre[c * t->d + j];
            t->scale[j * t->width + c] = sqrt(2 * beta);
        }
}

static void release(void *state_)
{
    struct smr_soft_state *s = state_;
    smr_soft_tables_free(s->tables);
    s->tables = NULL;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    struct smr_soft_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    release(s);
    TRY(smr_soft_tables_create(ctx, s->n_clusters, s->n_features, &s->tables));
    smr_soft_tables_fill(s->tables, s->beta, s->centre);
out:
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_soft_state *s = state_;
    const struct smr_soft_tables *t = s->tables;
    int64_t n = rows->n, width = t->width;
    double *p = scratch, *top = p + n * width, *total = top + n;
    (void)ctx, (void)params_;
    smr_normals_rows_f64(n, &t->normals, rows->x, rows->stride, p, top);
    smr_mix_shares_f64(n, width, NULL, 0, p, total);
    if (output == SMR_OUTPUT_SCORE) {
        smr_log_f64(n, total, total);
        for (int64_t i = 0; i < n; i++) out[i] = (top[i] + total[i]) / s->beta;
        return SMR_OK;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * t->k, p + i * width, (size_t)t->k * sizeof *out);
    return SMR_OK;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    const struct smr_soft_state *s = state_;
    int64_t width = (s->n_clusters + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD;
    (void)params_;
    return n * (width + 2) * (int64_t)sizeof(double);
}

static int64_t count(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_soft_state *)state_)->n_clusters;
}

/* The numbers of the centres. */
static double count_free(const void *params_, const void *state_)
{
    const struct smr_soft_state *s = state_;
    (void)params_;
    return (double)s->n_clusters * (double)s->n_features;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "softkmeans",
    .synonyms = "soft-k-means fuzzy-k-means deterministic-annealing",
    .family = "cluster",
    .title = "soft k-means",
    .brief = "Rows around k centres, each with a membership in every cluster.",
    .objective = "min -1/beta sum_i w_i log sum_c exp(-beta |x_i - c|^2) over k centres c",
    .details =
        "Memberships fall with the squared distance from the centres, the more sharply the larger "
        "the stiffness beta; centres are the means of the rows by membership, in turn, which never "
        "raises the energy. As beta grows it becomes kmeans. It is EM for a mixture of Gaussians "
        "of equal shares and the variance 1 / (2 beta) in every direction; gmm finds shares and "
        "variances, too. predict gives the nearest centre, --proba the memberships, --score how "
        "near the row is to the centres. anneal=1.2 begins with all centres at the mean of the "
        "rows and lets them part as the stiffness grows, which ends less often in a poor minimum. "
        "Features should have comparable scales: put standardize before it, unless they share a "
        "unit.",
    .reference = "MacKay, Information Theory, Inference, and Learning Algorithms (2003), ch. 20 "
                 "and 22; Rose, Proc. IEEE 86 (1998)",
    .example = "samara train \"standardize | softkmeans 3\" data/wine.csv",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_soft_params),
};

static const smr_can_cluster clusters = {.count = count, .n_free = count_free};
static const smr_can_trace traces = {.shows = "memberships and centres after each iteration"};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_soft_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_SCORE,
    .prepare = prepare,
    .release = release,
    .predict = predict,
    .scratch = scratch_bytes,
    .describe = smr_soft_describe,
    .draw = smr_soft_draw,
    .clusters = &clusters,
};

const smr_learner smr_softkmeans = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_WARM_STARTS,
    .fit = SMR_TRAINING(smr_soft_fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
