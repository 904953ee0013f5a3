/* gauss_describe.c -- Gaussian classes in words and pictures. */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/bayes/gauss.h"
#include "learn/ellipse.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CLASSES = 12, MOST_COLUMNS = 50 };

/* Variance of column j in class k, or the covariance of i and j; NaN where none is modelled. */
static double cov_of(const struct smr_gauss_params *p, const struct smr_gauss_state *s, int64_t k,
                     int64_t i, int64_t j)
{
    const double *cov = s->cov + (s->n_groups == 1 ? 0 : k) * s->n_sides;
    if (p->covariance <= SMR_GAUSS_SHARED) return cov[i * s->n_features + j];
    if (i != j) return 0;
    return p->covariance == SMR_GAUSS_DIAGONAL ? cov[j] : cov[0];
}

/* Free parameters: priors but one, means, and those of the covariances. */
static double count_parameters(const struct smr_gauss_params *p, const struct smr_gauss_state *s)
{
    double d = (double)s->n_features, k = (double)s->n_classes, g = (double)s->n_groups;
    double each = p->covariance <= SMR_GAUSS_SHARED ? d * (d + 1) / 2 : (double)s->n_sides;
    return k - 1 + k * d + g * each;
}

static smr_status describe_classes(smr_ctx *ctx, const struct smr_gauss_params *p,
                                   const struct smr_gauss_state *s, smr_json *into)
{
    smr_status st = SMR_OK;
    double *prior = NULL;
    smr_class_prior how = {p->prior, &p->priors};
    TRY_NEW(prior, s->n_classes);
    smr_class_prior_log(how, s->n_classes, s->weight, prior);
    smr_json *list = smr_json_add_array(into, "classes");
    double *log_det = s->tables->log_det;
    for (int64_t k = 0; k < s->n_classes; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        int64_t g = s->n_groups == 1 ? 0 : k;
        smr_json_add_number(row, "class", (double)k);
        smr_json_add_number(row, "rows", s->weight[k]);
        smr_json_add_number(row, "prior", smr_exp(prior[k]));
        smr_json_add_number(row, "log_det", log_det[g]);
        smr_json_add_number(row, "shrinkage", s->shrunk[g]);
    }
out:
    smr_free(prior);
    return st;
}

static void describe_means(const struct smr_gauss_params *p, const struct smr_gauss_state *s,
                           const smr_feature *in, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "means");
    for (int64_t k = 0; k < s->n_classes; k++)
        for (int64_t j = 0; j < s->n_features; j++) {
            char name[32];
            smr_json *row = smr_json_add_object(list, NULL);
            double var = cov_of(p, s, k, j, j);
            smr_json_add_number(row, "class", (double)k);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "mean", s->mean[k * s->n_features + j]);
            smr_json_add_number(row, "variance", var);
            smr_json_add_number(row, "sd", sqrt(var));
        }
}

/* Correlations of few columns. */
static void describe_correlations(const struct smr_gauss_params *p, const struct smr_gauss_state *s,
                                  const smr_feature *in, smr_json *into)
{
    enum { MOST = 12 };
    int64_t d = s->n_features;
    if (p->covariance > SMR_GAUSS_SHARED || d < 2 || d > MOST) return;
    smr_json *list = smr_json_add_array(into, "correlations");
    for (int64_t k = 0; k < s->n_groups; k++)
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i + 1; j < d && s->weight[k] > 0; j++) {
                char a[32], b[32];
                smr_json *row = smr_json_add_object(list, NULL);
                double sd = sqrt(cov_of(p, s, k, i, i)) * sqrt(cov_of(p, s, k, j, j));
                if (s->n_groups > 1) smr_json_add_number(row, "class", (double)k);
                smr_json_add_string(row, "feature", smr_affine_name(in, i, a));
                smr_json_add_string(row, "with", smr_affine_name(in, j, b));
                smr_json_add_number(row, "covariance", cov_of(p, s, k, i, j));
                smr_json_add_number(row, "correlation", cov_of(p, s, k, i, j) / sd);
            }
}

smr_status smr_gauss_describe(smr_ctx *ctx, const void *params_, const void *state_,
                              const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    smr_status st = SMR_OK;
    (void)n_in;
    smr_json_add_number(into, "parameters", count_parameters(p, s));
    if (p->covariance == SMR_GAUSS_FULL && p->shrinkage == SMR_GAUSS_AUTO)
        smr_json_add_number(into, "shared_shrinkage", s->steadied);
    TRY(describe_classes(ctx, p, s, into));
    if (s->n_features <= MOST_COLUMNS) describe_means(p, s, in, into);
    describe_correlations(p, s, in, into);
    if (p->covariance == SMR_GAUSS_SHARED) {
        smr_linear_classifier m = {s->n_classes, s->n_features, s->tables->w, s->tables->b};
        smr_classifier_describe(&m, true, in, NULL, NULL, into);
    }
out:
    return st;
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* The ellipse |L^-1 (x - mean)| = r of two columns. */
static void draw_ellipse(const struct smr_gauss_params *p, const struct smr_gauss_state *s,
                         int64_t k, double r, smr_json *figure)
{
    const double covariance[] = {cov_of(p, s, k, 0, 0), cov_of(p, s, k, 0, 1),
                                 cov_of(p, s, k, 1, 1)};
    char name[32];
    snprintf(name, sizeof name, "%lld", (long long)k);
    smr_json *series = smr_ellipse_add(figure, name, s->mean + k * s->n_features, covariance, r);
    smr_json_add_number(series, "class", (double)k);
}

smr_status smr_gauss_draw(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, const char *prefix,
                          smr_json *figures)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    char name[256], number[32];
    (void)ctx, (void)n_in;
    if (s->n_features != 2 || s->n_classes > MOST_CLASSES) return SMR_OK;
    snprintf(name, sizeof name, "%sellipses", prefix);
    smr_json *figure =
        smr_figure_add(figures, name, "The Gaussian of each class",
                       "Ellipses at one and two standard deviations from the mean: 39 % and 86 % "
                       "of a class lie within.");
    smr_figure_axis(figure, "x", smr_affine_name(in, 0, number), "linear");
    smr_figure_axis(figure, "y", smr_affine_name(in, 1, number), "linear");
    for (int64_t k = 0; k < s->n_classes; k++)
        for (int r = 1; r <= 2 && s->weight[k] > 0; r++) draw_ellipse(p, s, k, r, figure);
    return SMR_OK;
}
