/* gmm.c -- mixtures of Gaussians: clusters that overlap, and a density.
 *
 * k components, each with a share, a mean and a covariance:
 *
 *     p(x) = sum_c share_c N(x; mean_c, S_c)                                                   (1)
 *
 * S_c is full, one for all (tied), diagonal, a multiple of I (spherical), or I (unit).  They are
 * those of maximum likelihood that EM finds (Dempster, Laird & Rubin 1977), a local maximum:
 *
 *     r_ic = share_c N(x_i; mean_c, S_c) / p(x_i)                                              (2)
 *
 * shares out each row to the components (gmm_pass.c), of which each then becomes the likeliest for
 * its parts of the rows (gmm_update.c); the likelihood never falls.  No variance falls below
 * `floor` times that of all rows.  gmm_fit.c: starts, when EM has settled, and the number of
 * components.
 *
 * Answers.  PROBA: (2); LABEL: the largest; SCORE: log p(x).
 *
 * Cost of a pass: n k d^2 multiply-adds for full and tied covariances (half of them over the rows'
 * parts only), 3 n k d for others; memory k d^2 numbers for each task.
 * Symbols: n rows, d features, r the shares of a row.
 * References: Dempster, Laird & Rubin, J. R. Stat. Soc. B 39 (1977); McLachlan & Peel, Finite
 * Mixture Models (2000). */
#include "learn/cluster/gmm.h"

#include "core/try.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice covariances[] = {
    [SMR_GMM_FULL] = {"full", "ellipsoids of any shape; d (d + 1) / 2 parameters each"},
    [SMR_GMM_TIED] = {"tied", "ellipsoids of one shape for all components"},
    [SMR_GMM_DIAGONAL] = {"diagonal", "ellipsoids along the features; d parameters each"},
    [SMR_GMM_SPHERICAL] = {"spherical", "balls; one parameter each"},
    [SMR_GMM_UNIT] = {"unit", "balls of variance 1 in the features' units"},
    {NULL, NULL}};
static const smr_choice starts[] = {
    [SMR_GMM_BY_KMEANS] = {"kmeans", "k-means++ and ten rounds of k-means, of up to 20000 rows"},
    [SMR_GMM_BY_PLUSPLUS] = {"plusplus", "rows that are far from each other (k-means++)"},
    [SMR_GMM_BY_RANDOM] = {"random", "rows, all with the same chance"},
    {NULL, NULL}};
static const smr_choice criteria[] = {
    [SMR_GMM_BIC] = {"bic", "-2 log-likelihood + parameters * log of the number of rows"},
    [SMR_GMM_AIC] = {"aic", "-2 log-likelihood + 2 * parameters"},
    {NULL, NULL}};

#define P(field_) SMR_FIELD(struct smr_gmm_params, field_)

static const smr_param params[] = {
    {P(k), .unset = true, .min = 1, .max = SMR_GMM_MOST, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 10, .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of components; unset: the one of 1 .. most with the best criterion."},
    {P(most), .def = 10, .min = 1, .max = SMR_GMM_MOST, .when = "k=none",
     .doc = "The largest number of components that is tried."},
    {P(criterion), .choices = criteria, .when = "k=none",
     .doc = "What the number of components is chosen by: the least of this."},
    {P(covariance), .choices = covariances, .search = SMR_SEARCH_VALUES,
     .doc = "The shape of the components."},
    {P(start), .choices = starts, .doc = "Where the means are when EM begins."},
    {P(restarts), .def = 4, .min = 1, .max = 1000,
     .doc = "Starts of EM; the best one after ten iterations is continued."},
    {P(max_iter), .def = 200, .min = 1, .max = 1000000, .doc = "Maximum number of iterations."},
    {P(tol), .def = 1e-6, .min = 0, .max = 1,
     .doc = "Stop when the log-likelihood of a row has no more than this left to gain, as the last "
            "gains say."},
    {P(floor), .def = 1e-6, .min = 0, .min_open = true, .max = 1, .when = "covariance!=unit",
     .doc = "Least variance of a component in any direction, as a share of that of all rows."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_gmm_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .max = 1 << 20, .doc = "Features."},
    {KEPT(k), .min = 1, .max = SMR_GMM_MOST, .doc = "Components."},
    {KEPT(n_shapes), .min = 0, .most = "k", .doc = "Covariances: one each, one for all, or none."},
    {KEPT(n_spread), .min = 0, .doc = "Numbers of a covariance."},
    {KEPT(share), .dims = {"k"}, .reals = SMR_REALS_SHARE, .doc = "Shares of the rows."},
    {KEPT(mean), .dims = {"k", "n_features"}, .reals = SMR_REALS_FINITE, .doc = "Means."},
    {KEPT(spread), .dims = {"n_shapes", "n_spread"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_shapes", .doc = "Covariances row by row, or variances."},
    {KEPT(weight), .reals = SMR_REALS_ABOVE_0, .doc = "Weight of the training rows."},
    {KEPT(log_likelihood), .reals = SMR_REALS_FINITE, .doc = "Their log-likelihood."},
    {KEPT(n_thin), .min = 0, .most = "k", .doc = "Components that are held at the floor."},
    {KEPT(n_curve), .min = 1, .doc = "Log-likelihoods on the way."},
    {KEPT(curve), .dims = {"n_curve"}, .reals = SMR_REALS_FINITE,
     .doc = "Log-likelihood at the start and after each iteration."},
    {KEPT(n_tried), .min = 0, .max = SMR_GMM_MOST, .doc = "Numbers of components that were tried."},
    {KEPT(tried), .dims = {"n_tried"}, .optional = true, .with = "n_tried",
     .doc = "The criterion of 1, 2 ... components; NaN: one of them collapsed."},
    {KEPT(n_plane), .min = 1, .max = 2, .most = "features", .doc = "Features in pictures."},
    {KEPT(plane), .dims = {"n_plane"}, .below = "features", .order = SMR_ORDER_ASCENDS,
     .doc = "These."},
    {KEPT(n_sample), .min = 0, .doc = "Rows kept for pictures."},
    {KEPT(sample), .dims = {"n_sample", "n_plane"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_sample", .doc = "Their numbers."},
};

static smr_status damaged(smr_ctx *ctx, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "gmm: the model file is damaged: %s", what);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_gmm_params *p = params_;
    const struct smr_gmm_state *s = state_;
    struct smr_gmm_parts want, parts = smr_gmm_parts_of(s);
    double sum = 0;
    (void)shape;
    smr_gmm_shapes(p->covariance, s->k, s->n_features, &want);
    if (s->n_shapes != want.n_shapes || s->n_spread != want.n_spread)
        return damaged(ctx, "its covariances are not those of the sentence");
    if (p->k != SMR_UNSET_INT && s->k != p->k)
        return damaged(ctx, "it has other components than the sentence");
    for (int64_t c = 0; c < s->k; c++) sum += s->share[c];
    if (!(fabs(sum - 1) <= 1e-6)) return damaged(ctx, "the shares do not add up");
    for (int64_t c = 0; c < s->n_shapes; c++)
        for (int64_t j = 0; j < s->n_features; j++)
            if (!(smr_gmm_covariance(p->covariance, &parts, c, j, j) > 0))
                return damaged(ctx, "a variance is not above 0");
    return SMR_OK;
}

static void release(void *state_)
{
    struct smr_gmm_state *s = state_;
    smr_gmm_tables_free(s->tables);
    s->tables = NULL;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_gmm_params *p = params_;
    struct smr_gmm_state *s = state_;
    struct smr_gmm_parts parts = smr_gmm_parts_of(s);
    smr_status st = SMR_OK;
    release(s);
    TRY(smr_gmm_tables_create(ctx, p->covariance, &parts, &s->tables));
    s->tables->own = parts;
    s->tables->parts = &s->tables->own;
    TRY(smr_gmm_tables_fill(ctx, p->covariance, s->tables));
out:
    if (st != SMR_OK) release(s);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_gmm_state *s = state_;
    const struct smr_gmm_tables *t = s->tables;
    int64_t n = rows->n, width = t->width;
    double *p = scratch, *top = p + n * width, *total = top + n;
    (void)ctx, (void)params_;
    smr_gmm_rows(t, n, rows->x, rows->stride, p, top);
    smr_mix_shares_f64(n, width, NULL, 0, p, total);
    if (output == SMR_OUTPUT_SCORE) {
        smr_log_f64(n, total, total);
        for (int64_t i = 0; i < n; i++) out[i] = top[i] + total[i];
        return SMR_OK;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * s->k, p + i * width, (size_t)s->k * sizeof *out);
    return SMR_OK;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    const struct smr_gmm_state *s = state_;
    (void)params_;
    return n * ((s->k + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD + 2) *
           (int64_t)sizeof(double);
}

static int64_t count_parts(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_gmm_state *)state_)->k;
}

static double count_free(const void *params_, const void *state_)
{
    struct smr_gmm_parts parts = smr_gmm_parts_of(state_);
    return smr_gmm_free(((const struct smr_gmm_params *)params_)->covariance, &parts);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static void nature(const void *params_, smr_nature *its)
{
    const struct smr_gmm_params *p = params_;
    bool joins = p->covariance <= SMR_GMM_TIED;
    if (p->covariance <= SMR_GMM_DIAGONAL) its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
    if (!joins) its->traits &= ~(unsigned)SMR_WANTS_CONTRASTS;
}

static const smr_word about = {
    .name = "gmm",
    .synonyms = "GaussianMixture mixture EM mclust GaussianMixtureModel covariance=diagonal diag",
    .family = "cluster",
    .title = "Gaussian mixture",
    .brief = "Clusters as overlapping Gaussians, found by EM: memberships, labels, and a density.",
    .objective = "maximise sum_i w_i log sum_c share_c N(x_i; mean_c, S_c)",
    .details =
        "Every row belongs to every component to some degree: predict gives the likeliest one, "
        "--proba the degrees, --score the log-density of the row, low for outliers. With --task "
        "density the score is the answer, measured by the log-density of held-out rows. Without k "
        "the number of components is chosen by BIC (criterion=aic: by AIC); inspect shows all that "
        "were tried, and tune finds it by cross-validation. The log-likelihood never falls from "
        "one "
        "iteration to the next; it ends in a local maximum, so EM starts several times. A "
        "component "
        "may collapse onto a few rows that hardly differ: its variance is held at floor times that "
        "of all rows, which is told, and such numbers of components are not chosen by BIC. Weight "
        "2 "
        "is a row twice. With full, tied and diagonal covariances the units of the features do not "
        "matter. Rows can be drawn from the model: samara make MODEL. In a stream rows come once, "
        "and EM goes over them again and again: train on what was collected.",
    .reference = "Dempster, Laird & Rubin, J. R. Stat. Soc. B 39 (1977); McLachlan & Peel, Finite "
                 "Mixture Models (2000); Fraley & Raftery, J. Am. Stat. Assoc. 97 (2002)",
    .example = "samara train \"gmm 3\" data/iris.csv --ignore species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_gmm_params),
};

static const smr_can_cluster parts = {.count = count_parts, .n_free = count_free};
static const smr_can_draw draws = {.rows = smr_gmm_draw_rows};
static const smr_can_trace traces = {.shows = "the components after each iteration of EM"};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_gmm_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch_bytes,
    .describe = smr_gmm_describe,
    .draw = smr_gmm_draw,
    .clusters = &parts,
    .draws = &draws,
};

const smr_learner smr_gmm = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER | SMR_DOES_DENSITY | SMR_DOES_OUTLIERS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_WANTS_CONTRASTS | SMR_WARM_STARTS,
    .nature = nature,
    .fit = SMR_TRAINING(smr_gmm_fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
