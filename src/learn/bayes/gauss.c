/* gauss.c -- every class is a Gaussian cloud: quadratic and linear discriminants.
 *
 *     P(class k | x)  is proportional to  P(k) N(x; mean_k, S_k)                                (1)
 *
 * with S_k, by maximum likelihood (divided by the weight) or unbiased (by one less),
 *
 *     full       of the class: borders are quadrics (QDA)
 *     shared     sum over classes of their scatter: borders are planes (LDA)                    (2)
 *     diagonal   the variances of the class alone: Gaussian naive Bayes without a floor
 *     spherical  one variance for each class: borders are spheres
 *
 * shrinkage s moves the covariance of a class towards the shared one, and the shared one towards
 * its variances, (1 - s) S + s diag(S); so units of columns do not matter.  auto, the default,
 * takes the s for which rows are told best by what is known without them (gauss_shrink.c), and of
 * the shared covariance Ledoit and Wolf's (class_within.h), which makes it positive definite.
 *
 * Densities are |L^-1 (x - mean)|^2 with S = L L' (Cholesky).  A column that never changes is left
 * out: it has variance 1, mean 0 and no weight.  With a number as shrinkage a singular S is
 * refused, and the columns that depend on each other are named.  A class without rows has
 * probability 0.
 *
 * Cost: fit n d^2 / 2 + k d^3 / 3, auto 12 k d^3 / 3 and 2048 rows 12 times; predict n k d^2 / 2
 * (full), n k d (others).
 * Symbols: n rows, d features, k classes.
 * References: Fisher, Annals of Eugenics 7:179-188, 1936; Friedman, J. Am. Stat. Assoc.
 * 84(405):165-175, 1989. */
#include "learn/bayes/gauss.h"

#include "kernel/kernel.h"
#include "learn/linear/scores.h"
#include "learn/present.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

#define LOG_2PI 1.83787706640934548356065947281

/* ---- parameters -------------------------------------------------------------------------- */

static const smr_choice covariances[] = {
    [SMR_GAUSS_FULL] = {"full", "one for each class (quadratic discriminant)"},
    [SMR_GAUSS_SHARED] = {"shared", "one for all classes (linear discriminant)"},
    [SMR_GAUSS_DIAGONAL] = {"diagonal", "variances of each class, no correlations"},
    [SMR_GAUSS_SPHERICAL] = {"spherical", "one variance for each class"},
    {NULL, NULL},
};

static const smr_choice amounts[] = {
    {"auto", "the amount with which rows are told best by the others; of the shared covariance "
             "Ledoit and Wolf's"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_gauss_params, field_)

static const smr_param params[] = {
    {P(covariance), .def = SMR_GAUSS_FULL, .choices = covariances, .primary = true,
     .search = SMR_SEARCH_VALUES, .doc = "The shape of the classes."},
    {P(shrinkage), .def = SMR_GAUSS_AUTO, .min = 0, .max = 1, .choices = amounts,
     .search = SMR_SEARCH_LINEAR, .search_min = 0, .search_max = 1, .simpler = SMR_SIMPLER_HIGH,
     .doc = "How far the covariance of a class is moved towards the shared one, and the shared one "
            "towards its variances; 0 takes them as they are."},
    {P(unbiased), .def = false,
     .doc = "Divide sums of squares by the rows less one (shared: less the classes), not by the "
            "rows."},
    SMR_PRIOR_PARAMS(struct smr_gauss_params),
};

/* ---- state ------------------------------------------------------------------------------- */

#define KEPT(field_) SMR_KEPT(struct smr_gauss_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features."},
    {KEPT(n_classes), .is = "classes", .min = 1, .doc = "Classes."},
    {KEPT(n_groups), .min = 1, .most = "classes", .doc = "Covariances."},
    {KEPT(n_sides), .min = 1, .most = "features * features", .doc = "Numbers of each."},
    {KEPT(used), .dims = {"n_features"}, .max = 1,
     .doc = "0: a feature that never changes, which is left out."},
    {KEPT(weight), .dims = {"n_classes"}, .reals = SMR_REALS_FROM_0,
     .doc = "Total weight of each class."},
    {KEPT(mean), .dims = {"n_classes", "n_features"}, .reals = SMR_REALS_FINITE, .doc = "Means."},
    {KEPT(cov), .dims = {"n_groups", "n_sides"}, .reals = SMR_REALS_FINITE,
     .doc = "Covariances, or variances."},
    {KEPT(shrunk), .dims = {"n_groups"}, .reals = SMR_REALS_SHARE, .doc = "Shrinkage of each."},
    {KEPT(divisor), .dims = {"n_groups"}, .reals = SMR_REALS_FROM_0,
     .doc = "What their sums of squares were divided by."},
    {KEPT(steadied), .reals = SMR_REALS_SHARE,
     .doc = "shrinkage=auto: how far the shared covariance was moved towards its variances."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    bool matrix = p->covariance == SMR_GAUSS_FULL || p->covariance == SMR_GAUSS_SHARED;
    int64_t d = s->n_features, groups = p->covariance == SMR_GAUSS_SHARED ? 1 : s->n_classes;
    int64_t sides = matrix ? d * d : p->covariance == SMR_GAUSS_DIAGONAL ? d : 1;
    (void)shape;
    if (s->n_groups != groups || s->n_sides != sides)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "gauss: %lld covariances of %lld numbers do not fit %lld classes of %lld "
                        "features",
                        (long long)s->n_groups, (long long)s->n_sides, (long long)s->n_classes,
                        (long long)d);
    return smr_class_prior_check(ctx, "gauss", &p->priors, s->n_classes);
}

/* ---- tables ------------------------------------------------------------------------------ */

static void release(void *state_)
{
    struct smr_gauss_state *s = state_;
    struct smr_gauss_tables *t = s->tables;
    if (!t) return;
    smr_free(t->base);
    smr_free(t->whiten);
    smr_free(t->mean);
    smr_free(t->scale);
    smr_free(t->centre);
    smr_free(t->coef);
    smr_free(t->w);
    smr_free(t->b);
    smr_free(t->log_det);
    smr_free(t);
    s->tables = NULL;
}

smr_status smr_gauss_factor(smr_ctx *ctx, int64_t d, const double *S, double *log_det,
                            double *whiten, int64_t ldw, int64_t *failed)
{
    smr_status st = SMR_OK;
    double *L = NULL;
    TRY_NEW(L, d * ldw);
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++) L[j * ldw + i] = S[j * d + i];
    TRY(smr_cholesky(ctx, d, L, ldw, failed));
    if (*failed >= 0) goto out;
    *log_det = 0;
    for (int64_t j = 0; j < d; j++) *log_det += 2 * smr_log(L[j * ldw + j]);
    if (!whiten) goto out;
    TRY(smr_triangular_inverse(ctx, false, d, L, ldw));
    memset(whiten, 0, (size_t)(d * ldw) * sizeof *whiten);
    for (int64_t j = 0; j < d; j++)
        memcpy(whiten + j * ldw + j, L + j * ldw + j, (size_t)(d - j) * sizeof *L);
out:
    smr_free(L);
    return st;
}

static smr_status not_definite(smr_ctx *ctx, int64_t group)
{
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "gauss: covariance %lld of the model is not positive definite",
                    (long long)group + 1);
}

static smr_status prepare_full(smr_ctx *ctx, struct smr_gauss_state *s)
{
    struct smr_gauss_tables *t = s->tables;
    int64_t d = s->n_features, failed;
    smr_status st = SMR_OK;
    TRY_NEW(t->whiten, s->n_classes * d * t->ldw);
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (s->weight[k] == 0) continue;
        TRY(smr_gauss_factor(ctx, d, s->cov + k * d * d, &t->log_det[k], t->whiten + k * d * t->ldw,
                             t->ldw, &failed));
        if (failed >= 0) TRY(not_definite(ctx, k));
        for (int64_t j = 0; j < d; j++) /* it is alone in its row and column */
            if (!s->used[j]) t->whiten[(k * d + j) * t->ldw + j] = 0;
        t->base[k] -= (t->log_det[k] + (double)d * LOG_2PI) / 2;
    }
out:
    return st;
}

/* x' S^-1 m - m' S^-1 m / 2 about the mean of all rows; what x alone adds is the same for all. */
static smr_status prepare_shared(smr_ctx *ctx, struct smr_gauss_state *s)
{
    struct smr_gauss_tables *t = s->tables;
    int64_t d = s->n_features, k = s->n_classes, q = smr_scores_of(k), failed;
    smr_status st = SMR_OK;
    double total = 0, *L = NULL;
    TRY_NEW(L, d * d);
    TRY_NEW(t->centre, d);
    TRY_NEW(t->coef, k * d);
    TRY_NEW(t->w, q * d);
    TRY_NEW(t->b, q);
    TRY(smr_gauss_factor(ctx, d, s->cov, &t->log_det[0], NULL, d, &failed));
    memcpy(L, s->cov, (size_t)(d * d) * sizeof *L);
    if (failed < 0) TRY(smr_cholesky(ctx, d, L, d, &failed));
    if (failed >= 0) TRY(not_definite(ctx, 0));
    for (int64_t c = 0; c < k; c++) total += s->weight[c];
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d && total > 0; j++)
            t->centre[j] += s->weight[c] / total * s->mean[c * d + j];
    for (int64_t c = 0; c < k; c++) {
        double *w = t->coef + c * d, reach = 0;
        for (int64_t j = 0; j < d; j++) w[j] = s->mean[c * d + j] - t->centre[j];
        TRY(smr_cholesky_solve(ctx, d, 1, L, d, w, d));
        for (int64_t j = 0; j < d; j++)
            if (!s->used[j]) w[j] = 0;
        for (int64_t j = 0; j < d; j++) reach += w[j] * (s->mean[c * d + j] - t->centre[j]);
        t->base[c] -= reach / 2;
    }
    for (int64_t c = 0; c < q; c++) {
        const double *one = t->coef + (q == 1 ? d : c * d), *other = q == 1 ? t->coef : NULL;
        for (int64_t j = 0; j < d; j++) t->w[c * d + j] = one[j] - (other ? other[j] : 0);
        t->b[c] = (q == 1 ? t->base[1] - t->base[0] : t->base[c]) -
                  smr_dot_f64(d, t->w + c * d, t->centre);
    }
out:
    smr_free(L);
    return st;
}

static smr_status prepare_apart(smr_ctx *ctx, struct smr_gauss_state *s)
{
    struct smr_gauss_tables *t = s->tables;
    int64_t d = s->n_features;
    bool one = s->n_sides == 1;
    smr_status st = SMR_OK;
    TRY_NEW(t->mean, d * t->ld);
    TRY_NEW(t->scale, d * t->ld);
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (s->weight[k] == 0) continue;
        for (int64_t j = 0; j < d; j++) {
            double var = s->cov[k * s->n_sides + (one ? 0 : j)];
            if (!(var > 0)) TRY(not_definite(ctx, k));
            t->mean[j * t->ld + k] = s->mean[k * d + j];
            t->scale[j * t->ld + k] = s->used[j] ? 1 / sqrt(var) : 0;
            t->log_det[k] += smr_log(var);
        }
        t->base[k] -= (t->log_det[k] + (double)d * LOG_2PI) / 2;
    }
out:
    return st;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_gauss_params *p = params_;
    struct smr_gauss_state *s = state_;
    smr_status st = SMR_OK;
    smr_class_prior how = {p->prior, &p->priors};
    release(s);
    TRY_NEW(s->tables, 1);
    struct smr_gauss_tables *t = s->tables;
    t->ld = (s->n_classes + 7) / 8 * 8;
    t->ldw = (s->n_features + 7) / 8 * 8;
    TRY_NEW(t->base, s->n_classes);
    TRY_NEW(t->log_det, s->n_groups);
    smr_class_prior_log(how, s->n_classes, s->weight, t->base);
    if (p->covariance == SMR_GAUSS_FULL)
        TRY(prepare_full(ctx, s));
    else if (p->covariance == SMR_GAUSS_SHARED)
        TRY(prepare_shared(ctx, s));
    else
        TRY(prepare_apart(ctx, s));
out:
    return st;
}

/* ---- descriptor -------------------------------------------------------------------------- */

static smr_linear_view linear_view(const void *params_, const void *state_)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    smr_linear_view none = {0};
    if (p->covariance != SMR_GAUSS_SHARED || !s->tables) return none;
    return (smr_linear_view){smr_scores_of(s->n_classes), s->n_features, s->tables->w,
                             s->tables->b};
}

static const smr_word about = {
    .name = "gauss",
    .synonyms = "qda QuadraticDiscriminantAnalysis covariance=shared lda "
                "LinearDiscriminantAnalysis",
    .family = "bayes",
    .title = "Gaussian classes",
    .brief = "Bayes' rule with a Gaussian density for each class: quadratic or linear "
             "discriminants.",
    .objective = "P(class | x) ~ P(class) N(x; mean, S), S by class, shared, diagonal or "
                 "spherical; shrunk: (1 - s) S + s S0, S0 the shared one",
    .details =
        "covariance=full is the quadratic discriminant, shared the linear one, whose borders are "
        "planes and whose coefficients inspect shows; diagonal is naive Bayes with normal "
        "densities. Densities come from a Cholesky factorisation. A column that never changes is "
        "left out. shrinkage=auto moves the covariance of each class towards the shared one, as "
        "far "
        "as it takes to tell rows best that are left out one by one, smaller classes further; the "
        "shared one it moves towards its variances (Ledoit and Wolf). So few rows, columns that "
        "depend on each other and columns that are constant in a class do no harm. With "
        "shrinkage=0, the covariances as they are, a singular one is refused, and the columns that "
        "depend on each other are named. Units matter to spherical classes only: put standardize "
        "before "
        "it. A class without rows has probability 0. fisher gives the directions of the linear "
        "discriminant as features.",
    .reference = "Fisher, Annals of Eugenics 7 (1936); Friedman, J. Am. Stat. Assoc. 84 (1989); "
                 "Ledoit & Wolf, J. Multivariate Anal. 88 (2004)",
    .example = "samara train \"gauss shared\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_gauss_params),
};

static const smr_can_explain explains = {.linear = linear_view};

static const smr_can_draw draws = {.rows = smr_gauss_draw_rows};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_gauss_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_LABEL,
    .check = check,
    .prepare = prepare,
    .release = release,
    .predict = smr_gauss_predict,
    .scratch = smr_gauss_scratch,
    .describe = smr_gauss_describe,
    .draw = smr_gauss_draw,
    .draws = &draws,
    .explain = &explains,
};

/* Correlations and variances follow their columns' units, but for a variance of all columns. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_gauss_params *p = params_;
    if (p->covariance != SMR_GAUSS_SPHERICAL) its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
}

const smr_learner smr_gauss = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_WANTS_CONTRASTS,
    .nature = nature,
    .fit = SMR_TRAINING(smr_gauss_fit),
    .fitted = &fitted,
};
