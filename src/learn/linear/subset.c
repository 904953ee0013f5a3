/* subset.c -- least squares on the best subset of the features: the L0 penalty.
 *
 * For each size k, over subsets S of the features,
 *
 *     RSS_k = min_{|S| = k} min_{w, b} sum_i weight_i (y_i - b - x_iS' w)^2                     (1)
 *
 * (math/best_subset.h), and of these sizes the one that is asked for, or with the least
 *
 *     aic         W log(RSS_k / W) + 2 (k + 1)
 *     bic         W log(RSS_k / W) + log(W) (k + 1) + 2 g log(d over k)
 *     cp          RSS_k / s^2 - W + 2 (k + 1)
 *     l0          1/2 RSS_k + l0 k
 *     cv          squared error on the folds' rows, each fold with its own search on the others
 *     validation  the same on one quarter of the rows                                           (2)
 *
 * with g = 2 log d / log W - 1, not below 0 nor above 1: from d = sqrt(W) on, choosing among the
 * many subsets of a size has its price (extended BIC), and at d = W its full one.  There aic and
 * bic, which trust the likelihood, would still take nearly as many features as there are rows and
 * fit these without error: they look at sizes up to W / (2 log d), unless max_size is given.
 *
 * (2): the smaller size of equals; W is the sum of the weights, s^2 the residual variance of all
 * features, and without intercept k stands for k + 1.  With one feature and no intercept, l0 gives
 * 0 exactly when (x'y)^2 / (2 x'x) <= l0.
 *
 * Cost: one pass over the rows, n d^2, then the search, which does not depend on n: exhaustive up
 * to 40 features, else d^2 a step: d^3 for forward and backward, some ten times that for swap,
 * which search=auto therefore ends at 200 features.  Memory: d^2 numbers, times the folds of cv.
 * Features that are combinations of others never enter together with them.
 *
 * Symbols: n rows, d features, w, X n x d, y n.
 * Reference: Miller, Subset Selection in Regression, 2nd ed., Chapman & Hall 2002; Chen & Chen,
 * Biometrika 95:759-771, 2008. */
#include "core/figure.h"
#include "core/span.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/fold_grams.h"
#include "learn/out_of_fold.h"
#include "math/best_subset.h"
#include "math/special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { BY_BIC, BY_AIC, BY_CP, BY_L0, BY_CV, BY_VALIDATION };
enum { SEARCH_AUTO, SEARCH_EXHAUSTIVE, SEARCH_FORWARD, SEARCH_BACKWARD, SEARCH_SWAP };
enum { AUTO_EXHAUSTIVE = 30, AUTO_SWAP = 200 };

struct subset_params {
    int64_t k;
    int by;
    double l0;
    int64_t folds, max_size;
    int search;
    bool fit_intercept;
};

static const smr_choice ways[] = {
    {"bic", "W log(RSS / W) + log(W) (k + 1), and with many features 2 g log(d over k)"},
    {"aic", "W log(RSS / W) + 2 (k + 1)"},
    {"cp", "Mallows: RSS / s^2 - W + 2 (k + 1), s^2 of all features"},
    {"l0", "1/2 RSS + l0 k"},
    {"cv", "squared error on folds, the search redone in each"},
    {"validation", "squared error on a quarter of the rows, the search done on the others"},
    {NULL, NULL},
};
static const smr_choice searches[] = {
    {"auto", "exhaustive up to 30 features, swap up to 200, else forward"},
    {"exhaustive", "the best of all subsets, by branch and bound; up to 40 features"},
    {"forward", "adds the best feature, step by step"},
    {"backward", "drops the least useful feature, step by step"},
    {"swap", "forward and backward, improved by exchanging features"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct subset_params, k), .def = 0, .min = 0, .max = SMR_MAX_DIM, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 20, .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of features; 0: chosen by `by`."},
    {SMR_FIELD(struct subset_params, by), .when = "k=0", .def = BY_BIC, .choices = ways,
     .search = SMR_SEARCH_VALUES, .doc = "How the number of features is chosen if k = 0."},
    {SMR_FIELD(struct subset_params, l0), .def = 1, .min = 0, .max = INFINITY, .max_open = true,
     .when = "k=0&by=l0", .search = SMR_SEARCH_LOG, .search_min = 1e-2, .search_max = 1e4,
     .simpler = SMR_SIMPLER_HIGH, .doc = "Penalty for each feature, relative to 1/2 RSS."},
    {SMR_FIELD(struct subset_params, folds), .def = 5, .min = 2, .max = 1000, .when = "k=0&by=cv",
     .doc = "Folds of the cross-validation."},
    {SMR_FIELD(struct subset_params, max_size), .when = "k=0", .def = 0, .min = 0,
     .max = SMR_MAX_DIM,
     .doc = "Largest number of features to search; 0: all, or W / (2 log d) for bic and aic with "
            "more features than the square root of the rows."},
    {SMR_FIELD(struct subset_params, search), .def = SEARCH_AUTO, .choices = searches,
     .doc = "How the subsets are searched."},
    {SMR_FIELD(struct subset_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is always included."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct subset_state {
    int64_t n_features, n_outputs, n_sizes, n_listed, size, search, exact;
    double n_rows, tss, rss;
    double *coef, *intercept;
    double *std_error, *intercept_error;
    double *size_rss, *size_score;
    int32_t *size_features;
};

static const smr_state state[] = {
    {SMR_KEPT(struct subset_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct subset_state, n_outputs), .is = "targets", .min = 1, .max = 1,
     .doc = "Targets: 1."},
    {SMR_KEPT(struct subset_state, n_sizes), .most = "n_features + 1", .min = 1,
     .doc = "Sizes searched: 0, 1, 2 ..."},
    {SMR_KEPT(struct subset_state, n_listed), .min = 0, .doc = "Features of all these subsets."},
    {SMR_KEPT(struct subset_state, size), .most = "n_features", .min = 0,
     .doc = "Features that were chosen."},
    {SMR_KEPT(struct subset_state, search), .min = SEARCH_EXHAUSTIVE, .max = SEARCH_SWAP,
     .doc = "1 exhaustive, 2 forward, 3 backward, 4 swap."},
    {SMR_KEPT(struct subset_state, exact), .min = 0, .max = 1,
     .doc = "1 if no subset of the same size is better."},
    {SMR_KEPT(struct subset_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct subset_state, tss),
     .doc = "Squared targets, around their mean when there is an intercept."},
    {SMR_KEPT(struct subset_state, rss), .doc = "Squared residuals."},
    {SMR_KEPT(struct subset_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w; 0 for features that are not in."},
    {SMR_KEPT(struct subset_state, intercept), .dims = {"n_outputs"}, .doc = "Intercept b."},
    {SMR_KEPT(struct subset_state, std_error), .dims = {"n_features"},
     .doc = "Standard errors as if the subset had been given; NaN for features that are not in."},
    {SMR_KEPT(struct subset_state, intercept_error), .dims = {"n_outputs"},
     .doc = "Standard error of b."},
    {SMR_KEPT(struct subset_state, size_rss), .dims = {"n_sizes"},
     .doc = "Squared residuals of the best subset of each size."},
    {SMR_KEPT(struct subset_state, size_score), .dims = {"n_sizes"},
     .doc = "Score by which the size was chosen, for each size."},
    {SMR_KEPT(struct subset_state, size_features), .below = "n_features", .dims = {"n_listed"},
     .doc = "Features of the best subset of each size: those of size k from k (k - 1) / 2."},
};

/* ---- fit -------------------------------------------------------------------------------- */

struct fitting {
    const struct subset_params *p;
    const smr_data *data;
    struct subset_state *s;
    smr_fold_grams grams;
    smr_fold_gram sum;
    smr_parts parts;
    smr_subsets found;
    double *w; /* d */
};

static smr_subset_method method_of(const struct subset_state *s)
{
    static const smr_subset_method methods[] = {
        [SEARCH_EXHAUSTIVE] = SMR_SUBSET_EXHAUSTIVE,
        [SEARCH_FORWARD] = SMR_SUBSET_FORWARD,
        [SEARCH_BACKWARD] = SMR_SUBSET_BACKWARD,
        [SEARCH_SWAP] = SMR_SUBSET_SWAP,
    };
    return methods[s->search];
}

/* g: what choosing among the subsets of a size costs, 0 up to d = sqrt(W), 1 from d = W on. */
static double choice_price(const struct subset_state *s)
{
    double of = smr_log((double)s->n_features), rows = smr_log(s->n_rows);
    return rows > 0 ? smr_fmin(1, smr_fmax(0, 2 * of / rows - 1)) : 1;
}

/* Do information criteria look at a part of the sizes only? */
static bool is_wide(const struct fitting *f)
{
    bool trusts = f->p->by == BY_BIC || f->p->by == BY_AIC;
    return f->p->k == 0 && f->p->max_size == 0 && trusts && f->s->n_features > 1 &&
           choice_price(f->s) > 0;
}

/* Sizes that n rows of positive weight can tell from a perfect fit. */
static int64_t most_features(const struct fitting *f)
{
    int64_t rows = 0, d = f->data->n_features, most = d;
    for (int64_t i = 0; i < f->data->n_rows; i++) rows += smr_data_weight(f->data, i) > 0;
    if (f->p->k > 0)
        most = SMR_MIN(most, f->p->k);
    else if (f->p->max_size > 0)
        most = SMR_MIN(most, f->p->max_size);
    else if (is_wide(f))
        most = (int64_t)smr_fmin((double)d, smr_fmax(1, f->s->n_rows / (2 * smr_log((double)d))));
    return SMR_MAX(0, SMR_MIN(most, rows - 1 - f->p->fit_intercept));
}

static smr_status cut_rows(smr_ctx *ctx, struct fitting *f, bool divides)
{
    smr_split_rows of = smr_data_split_rows(ctx, f->data);
    double quarter = 0.25;
    if (!divides) return SMR_OK;
    return f->p->by == BY_CV ? smr_split_folds(ctx, &of, f->p->folds, &f->parts)
                             : smr_split_holdout(ctx, &of, &quarter, 1, &f->parts);
}

/* size_score += the squared error on the rows of part p of the best subset of each size on the
 * other rows; a size that those do not have, for want of rows or rank, counts as its largest. */
static smr_status score_part(smr_ctx *ctx, struct fitting *f, int64_t part)
{
    smr_status st = SMR_OK;
    smr_subsets found = {0};
    double error = 0;
    smr_fold_grams_sum(&f->grams, part, &f->sum);
    smr_gram_problem problem = smr_fold_grams_problem(&f->grams, &f->sum, 0);
    TRY(smr_subsets_search(ctx, &problem, method_of(f->s), f->found.most, &found));
    for (int64_t k = 0; k <= f->found.most; k++) {
        if (k <= found.most) {
            const int32_t *column = smr_subset_columns(&found, k);
            TRY(smr_subset_solve(ctx, &problem, k, column, f->w, NULL, NULL));
            error = smr_fold_grams_error(&f->grams, &f->sum, part, 0, k, column, f->w);
        }
        f->s->size_score[k] += error;
    }
out:
    smr_subsets_release(&found);
    return st;
}

static smr_status score_by_rows(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    bool cv = f->p->by == BY_CV;
    double weight = 0;
    smr_span span;
    smr_span_open(ctx, &span, "searching in folds", f->grams.n);
    for (int64_t p = cv ? 0 : 1; p < f->grams.n; p++) {
        TRY(smr_span_at(ctx, &span, p, NAN));
        weight += f->grams.parts.weight[p];
        TRY(score_part(ctx, f, p));
    }
    if (!(weight > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "subset: the rows held out have no weight"));
    for (int64_t k = 0; k < f->s->n_sizes; k++) f->s->size_score[k] /= weight;
out:
    smr_span_close(ctx, &span);
    return st;
}

/* log(RSS / W), with a perfect fit as good as rounding can tell. */
static double log_variance(const struct subset_state *s, double rss)
{
    return smr_log(smr_fmax(rss, 1e-15 * s->tss) / s->n_rows);
}

/* Logarithm of the number of subsets of k of d features. */
static double log_subsets(int64_t d, int64_t k)
{
    return smr_log_gamma((double)d + 1) - smr_log_gamma((double)k + 1) -
           smr_log_gamma((double)(d - k) + 1);
}

static double criterion(const struct subset_state *s, bool intercept, int by, int64_t k)
{
    double terms = (double)k + intercept;
    double fit = s->n_rows * log_variance(s, s->size_rss[k]);
    if (by == BY_AIC) return fit + 2 * terms;
    return fit + smr_log(s->n_rows) * terms + 2 * choice_price(s) * log_subsets(s->n_features, k);
}

/* Mallows' Cp of every size, by the residual variance of all features. */
static smr_status score_by_cp(smr_ctx *ctx, struct fitting *f, const smr_gram_problem *problem)
{
    smr_status st = SMR_OK;
    int64_t d = problem->d, rank = 0;
    int32_t *all = NULL;
    double *inverse = NULL, rss = 0;
    TRY_NEW(all, d);
    TRY_NEW(inverse, d);
    for (int64_t j = 0; j < d; j++) all[j] = (int32_t)j;
    TRY(smr_subset_solve(ctx, problem, d, all, f->w, inverse, &rss));
    for (int64_t j = 0; j < d; j++) rank += !isnan(inverse[j]);
    double df = f->s->n_rows - (double)rank - f->p->fit_intercept, s2 = rss / df;
    if (!(df > 0 && s2 > 0))
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "subset: cp needs the residual variance of all %lld features, which %lld rows "
                     "do not leave; use by=bic or by=cv",
                     (long long)d, (long long)f->data->n_rows));
    for (int64_t k = 0; k < f->s->n_sizes; k++)
        f->s->size_score[k] =
            f->s->size_rss[k] / s2 - f->s->n_rows + 2 * ((double)k + f->p->fit_intercept);
out:
    smr_free(all);
    smr_free(inverse);
    return st;
}

/* (2) */
static smr_status score_sizes(smr_ctx *ctx, struct fitting *f, const smr_gram_problem *problem)
{
    struct subset_state *s = f->s;
    if (f->p->k > 0) {
        for (int64_t k = 0; k < s->n_sizes; k++) s->size_score[k] = s->size_rss[k];
        return SMR_OK;
    }
    if (f->p->by == BY_CV || f->p->by == BY_VALIDATION) return score_by_rows(ctx, f);
    if (f->p->by == BY_CP) return score_by_cp(ctx, f, problem);
    for (int64_t k = 0; k < s->n_sizes; k++)
        s->size_score[k] = f->p->by == BY_L0 ? s->size_rss[k] / 2 + f->p->l0 * (double)k
                                             : criterion(s, f->p->fit_intercept, f->p->by, k);
    return SMR_OK;
}

static void choose_size(const struct subset_params *p, struct subset_state *s)
{
    s->size = 0;
    for (int64_t k = 1; k < s->n_sizes && p->k == 0; k++)
        if (s->size_score[k] < s->size_score[s->size]) s->size = k;
    if (p->k > 0) s->size = s->n_sizes - 1;
}

/* Keeps what was found for each size. */
static smr_status keep_sizes(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    struct subset_state *s = f->s;
    int64_t most = f->found.most;
    s->n_sizes = most + 1;
    s->n_listed = most * (most + 1) / 2;
    TRY_NEW(s->size_rss, s->n_sizes);
    TRY_NEW(s->size_score, s->n_sizes);
    TRY_NEW(s->size_features, s->n_listed + 1);
    for (int64_t k = 0; k <= most; k++) s->size_rss[k] = f->found.rss[k];
    memcpy(s->size_features, f->found.column, (size_t)s->n_listed * sizeof *s->size_features);
out:
    return st;
}

/* Coefficients and their errors. */
static smr_status keep_fit(smr_ctx *ctx, struct fitting *f, smr_gram_problem problem)
{
    smr_status st = SMR_OK;
    struct subset_state *s = f->s;
    int64_t d = s->n_features, k = s->size;
    const int32_t *column = s->size_features + k * (k - 1) / 2;
    double *inverse = NULL, rss = 0;
    double df = s->n_rows - (double)k - f->p->fit_intercept;
    TRY_NEW(inverse, k + 1);
    TRY(smr_subset_solve(ctx, &problem, k, column, f->w, inverse, &rss));
    s->rss = s->size_rss[k];
    double variance = df > 0 ? s->rss / df : NAN;
    for (int64_t j = 0; j < d; j++) s->std_error[j] = NAN;
    s->intercept[0] = f->p->fit_intercept ? f->sum.mean[d] : 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = column[i];
        s->coef[j] = f->w[i];
        s->std_error[j] = sqrt(variance * inverse[i]);
        s->intercept[0] -= f->w[i] * f->sum.mean[j];
    }
    problem.c = f->sum.mean; /* (Xc'Xc)^-1 mean, for the intercept's error */
    problem.yy = 1;
    TRY(smr_subset_solve(ctx, &problem, k, column, f->w, NULL, NULL));
    double share = 1 / s->n_rows;
    for (int64_t i = 0; i < k; i++) share += f->w[i] * f->sum.mean[column[i]];
    s->intercept_error[0] = f->p->fit_intercept ? sqrt(variance * share) : NAN;
out:
    smr_free(inverse);
    return st;
}

static smr_status make_room(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    struct subset_state *s = f->s;
    int64_t d = s->n_features = f->data->n_features;
    s->n_outputs = 1;
    s->search = f->p->search != SEARCH_AUTO ? f->p->search
                : d <= AUTO_EXHAUSTIVE      ? SEARCH_EXHAUSTIVE
                : d <= AUTO_SWAP            ? SEARCH_SWAP
                                            : SEARCH_FORWARD;
    s->exact = s->search == SEARCH_EXHAUSTIVE;
    TRY_NEW(s->coef, d);
    TRY_NEW(s->intercept, 1);
    TRY_NEW(s->std_error, d);
    TRY_NEW(s->intercept_error, 1);
    TRY_NEW(f->w, d + 1);
    if (s->search == SEARCH_EXHAUSTIVE && d > SMR_SUBSET_MOST)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "subset: search=exhaustive goes up to %d features, and there are %lld; use "
                     "search=swap",
                     SMR_SUBSET_MOST, (long long)d));
    if (f->p->k > d)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "subset: k=%lld is more than the %lld feature%s",
                     (long long)f->p->k, (long long)d, smr_plural(d, "", "s")));
out:
    return st;
}

static void warn_fewer(smr_ctx *ctx, const struct fitting *f)
{
    int64_t asked = f->p->k > 0 ? f->p->k : f->p->max_size;
    if (asked > f->found.most)
        smr_warn(ctx,
                 "subset: %lld features were asked for and %lld taken; the other columns are "
                 "combinations of them, or there are too few rows",
                 (long long)asked, (long long)f->found.most);
}

/* Where the largest size that was looked at is the best one, a larger one may be better; where half
 * of the rows have a feature of their own, little is left to judge by. */
static void warn_size(smr_ctx *ctx, const struct fitting *f)
{
    const struct subset_state *s = f->s;
    if (is_wide(f) && s->size > 0 && s->size == s->n_sizes - 1 && s->size < s->n_features)
        smr_warn(ctx,
                 "subset: by=%s chose the largest size that it tries for %lld features and %g "
                 "rows, %lld; a larger one may be better: raise max_size=, or use by=cv, which "
                 "judges sizes on held-out rows",
                 ways[f->p->by].name, (long long)s->n_features, s->n_rows, (long long)s->size);
    else if (2 * (double)s->size > s->n_rows)
        smr_warn(ctx,
                 "subset: %lld features were chosen for %g rows, which leaves little to judge them "
                 "by; %s",
                 (long long)s->size, s->n_rows,
                 f->p->k > 0 ? "ask for fewer" : "use by=cv, or set max_size=");
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct fitting f = {.p = params_, .data = data, .s = state_};
    smr_status st = SMR_OK;
    bool divides = f.p->k == 0 && (f.p->by == BY_CV || f.p->by == BY_VALIDATION);
    TRY(make_room(ctx, &f));
    TRY(cut_rows(ctx, &f, divides));
    TRY(smr_fold_grams_create(ctx, "subset", data, divides ? &f.parts : NULL, f.p->fit_intercept,
                              &f.grams));
    TRY(smr_fold_gram_create(ctx, f.grams.m, &f.sum));
    smr_fold_grams_sum(&f.grams, -1, &f.sum);
    smr_gram_problem problem = smr_fold_grams_problem(&f.grams, &f.sum, 0);
    f.s->n_rows = f.sum.weight;
    f.s->tss = problem.yy;
    TRY(smr_subsets_search(ctx, &problem, method_of(f.s), most_features(&f), &f.found));
    warn_fewer(ctx, &f);
    TRY(keep_sizes(ctx, &f));
    TRY(score_sizes(ctx, &f, &problem));
    choose_size(f.p, f.s);
    warn_size(ctx, &f);
    smr_fold_grams_sum(&f.grams, -1, &f.sum);
    TRY(keep_fit(ctx, &f, problem));
    report->objective =
        f.s->rss / 2 + (f.p->k == 0 && f.p->by == BY_L0 ? f.p->l0 * (double)f.s->size : 0);
    report->converged = true;
out:
    smr_fold_grams_release(&f.grams);
    smr_fold_gram_release(&f.sum);
    smr_parts_release(&f.parts);
    smr_subsets_release(&f.found);
    smr_free(f.w);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct subset_state *s = state_;
    int64_t most = s->n_sizes - 1;
    (void)params_, (void)shape;
    if (s->size > most || s->n_listed != most * (most + 1) / 2)
        return smr_fail(ctx, SMR_ERR_FORMAT, "subset: its list of subsets does not fit its sizes");
    return SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct subset_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, 1, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe_sizes(smr_ctx *ctx, const struct subset_params *p,
                                 const struct subset_state *s, const smr_feature *in,
                                 smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "sizes");
    for (int64_t k = 0; k < s->n_sizes; k++) {
        const int32_t *column = s->size_features + k * (k - 1) / 2;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_text names = {.ctx = ctx};
        for (int64_t i = 0; i < k; i++) {
            char name[32];
            smr_text_printf(&names, "%s%s", i ? ", " : "", smr_affine_name(in, column[i], name));
        }
        smr_status st = smr_text_done(&names);
        smr_json_add_number(row, "size", (double)k);
        smr_json_add_number(row, "rss", s->size_rss[k]);
        smr_json_add_number(row, "aic", criterion(s, p->fit_intercept, BY_AIC, k));
        smr_json_add_number(row, "bic", criterion(s, p->fit_intercept, BY_BIC, k));
        smr_json_add_number(row, "score", s->size_score[k]);
        smr_json_add_bool(row, "chosen", k == s->size);
        smr_json_add_string(row, "features", k > 0 && names.bytes ? names.bytes : "(none)");
        smr_text_release(&names);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct subset_params *p = params_;
    const struct subset_state *s = state_;
    double df = s->n_rows - (double)s->size - p->fit_intercept;
    (void)n_in;
    smr_json_add_string(into, "search", searches[s->search].name);
    smr_json_add_bool(into, "exact", s->exact != 0);
    smr_json_add_string(into, "chosen_by", p->k > 0 ? "k" : ways[p->by].name);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "size", (double)s->size);
    smr_json_add_number(into, "r2", 1 - s->rss / s->tss);
    smr_json_add_string(into, "caveat",
                        "errors and p values are those of a subset given beforehand; the search "
                        "makes them too small");
    smr_json *list = smr_json_add_array(into, "coefficients");
    if (p->fit_intercept)
        smr_affine_term(list, "(intercept)", s->intercept[0], s->intercept_error[0], df);
    const int32_t *column = s->size_features + s->size * (s->size - 1) / 2;
    for (int64_t i = 0; i < s->size; i++) {
        char name[32];
        smr_affine_term(list, smr_affine_name(in, column[i], name), s->coef[column[i]],
                        s->std_error[column[i]], df);
    }
    return describe_sizes(ctx, p, s, in, into);
}

static smr_status figures(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, const char *prefix, smr_json *into)
{
    static const char *const labels[] = {
        "BIC", "AIC", "Cp", "1/2 RSS + l0 k", "CV error", "validation error"};
    const struct subset_params *p = params_;
    const struct subset_state *s = state_;
    const char *label = p->k > 0 ? "RSS" : labels[p->by];
    char name[256];
    (void)ctx, (void)in, (void)n_in;
    if (s->n_sizes < 2) return SMR_OK;
    snprintf(name, sizeof name, "%ssizes", prefix);
    smr_json *figure = smr_figure_add(into, name, "The best subset of each size", NULL);
    smr_figure_axis(figure, "x", "features", "linear");
    smr_figure_axis(figure, "y", label, "linear");
    smr_figure_series(figure, label, "line", s->n_sizes, NULL, s->size_score);
    smr_figure_series(figure, label, "points", s->n_sizes, NULL, s->size_score);
    smr_figure_mark(figure, "vline", (double)s->size, "chosen");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "subset",
    .family = "linear",
    .title = "Best-subset regression",
    .brief = "Least squares on the subset of features that fits best; all others are left out.",
    .objective = "1/2 sum weight (y - b - x'w)^2 + l0 |w|_0, or the least RSS of k features",
    .details =
        "For each number of features it finds the subset with the smallest squared error: "
        "exactly, by branch and bound, up to 40 features, otherwise by exchanging features until "
        "none improves it. The number is then chosen by BIC, AIC, Cp, a cost l0 per feature, or "
        "by cross-validation or validation rows, for which the search is redone. With more "
        "features than the square root of the rows, BIC also accounts for the number of subsets "
        "to choose from (extended BIC), and BIC and AIC look at sizes up to rows / (2 log "
        "features). Collinear features never enter together. Standard errors ignore the search. "
        "Rows are read once, into a matrix of all pairs of features.",
    .reference = "Furnival & Wilson, Technometrics 16 (1974); Miller, Subset Selection in "
                 "Regression, 2nd ed., 2002; Chen & Chen, Biometrika 95 (2008)",
    .example = "samara train subset data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct subset_params),
};

static const smr_can_explain explains = {.linear_at =
                                             SMR_LINEAR_AT(struct subset_state, n_outputs)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct subset_state),
    .gives = SMR_GIVES_VALUE,
    .check = check,
    .predict = predict,
    .describe = describe,
    .draw = figures,
    .explain = &explains,
};

const smr_learner smr_subset_learner = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits = SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
