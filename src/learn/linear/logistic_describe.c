/* logistic_describe.c -- what a logistic model learned, in a table and a picture. */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/logistic.h"
#include "learn/linear/scores.h"
#include "math/special.h"

#include <math.h>
#include <stdio.h>

const smr_choice smr_logistic_solvers[] = {
    {"auto", "newton; for more variables lbfgs, or dual where rows are sparse; with l1 coordinate "
             "or owlqn"},
    {"newton", "Newton with the dense Hessian"},
    {"lbfgs", "limited-memory quasi-Newton"},
    {"trust", "trust-region Newton by conjugate gradients"},
    {"coordinate", "local quadratics by coordinate descent; takes l1"},
    {"owlqn", "L-BFGS for l1"},
    {"gd", "gradient descent, to watch it converge"},
    {"sgd", "stochastic gradients, row by row or in batches; takes l1"},
    {"dual", "coordinate descent on the dual, row by row; l2 > 0, two classes or sparse rows"},
    {NULL, NULL},
};

/* ---- describe --------------------------------------------------------------------------- */

/* Standard error, z, p, and the odds ratio with its interval. */
static void describe_coefficient(const void *state_, int64_t score, int64_t j, smr_json *row)
{
    const struct smr_logistic_state *s = state_;
    double w = j < 0 ? s->intercept[score] : s->coef[score * s->n_features + j];
    if (s->std_error) {
        double e = j < 0 ? s->intercept_error[score] : s->std_error[score * s->n_features + j];
        double z = w / e, reach = 1.959963984540054 * e;
        smr_json_add_number(row, "std_error", e);
        smr_json_add_number(row, "z", z);
        smr_json_add_number(row, "p", 2 * smr_normal_cdf(-fabs(z)));
        smr_json_add_number(row, "odds_ratio", smr_exp(w));
        smr_json_add_number(row, "low_95", smr_exp(w - reach));
        smr_json_add_number(row, "high_95", smr_exp(w + reach));
    } else {
        smr_json_add_number(row, "odds_ratio", smr_exp(w));
    }
}

smr_status smr_logistic_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                 const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const separations[] = {"no", "a plane separates the classes",
                                              "a plane parts the classes, with rows on it"};
    const struct smr_logistic_params *p = params_;
    const struct smr_logistic_state *s = state_;
    smr_linear_classifier m = smr_logistic_classifier(s);
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "solver", smr_logistic_solvers[s->solver].name);
    smr_json_add_number(into, "rows", s->n_rows);
    if (isfinite(s->deviance)) {
        smr_json_add_number(into, "deviance", s->deviance);
        smr_json_add_number(into, "null_deviance", s->null_deviance);
        smr_json_add_number(into, "mcfadden_r2", 1 - s->deviance / s->null_deviance);
    }
    if (isfinite(s->df)) {
        smr_json_add_number(into, "df", s->df);
        smr_json_add_number(into, "aic", s->deviance + 2 * s->df);
    }
    if (p->l1 == 0 && p->l2 == 0 && s->solver != SMR_LOGISTIC_SGD)
        smr_json_add_string(into, "separated", separations[s->separation]);
    if (s->std_error)
        smr_json_add_string(into, "std_errors",
                            p->l2 > 0 ? "with the penalty as a prior (Laplace)" : "Wald");
    smr_classifier_describe(&m, p->fit_intercept, in, describe_coefficient, s, into);
    return SMR_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

enum { MOST_SHOWN = 30, MOST_SCORES = 8 };

/* The features with the largest coefficients, in their order; how many. */
static int64_t largest(const struct smr_logistic_state *s, int64_t shown[MOST_SHOWN])
{
    double size[MOST_SHOWN];
    int64_t n = 0;
    for (int64_t j = 0; j < s->n_features; j++) {
        double top = 0;
        int64_t least = 0;
        for (int64_t c = 0; c < s->n_scores; c++)
            top = smr_fmax(top, fabs(s->coef[c * s->n_features + j]));
        for (int64_t i = 1; i < n; i++) least = size[i] < size[least] ? i : least;
        if (n == MOST_SHOWN && top <= size[least]) continue;
        if (n == MOST_SHOWN) { /* the smallest goes, the others keep their order */
            for (int64_t i = least; i + 1 < n; i++) shown[i] = shown[i + 1], size[i] = size[i + 1];
            n--;
        }
        shown[n] = j;
        size[n++] = top;
    }
    return n;
}

/* Coefficients as bars, with 95 % intervals where the errors are known. */
smr_status smr_logistic_figures(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures)
{
    const struct smr_logistic_state *s = state_;
    int64_t shown[MOST_SHOWN], n = largest(s, shown);
    char name[256], number[32];
    (void)ctx, (void)params_, (void)n_in;
    if (n == 0 || s->n_scores > MOST_SCORES) return SMR_OK;
    snprintf(name, sizeof name, "%scoefficients", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Coefficients",
                                      s->std_error ? "The whiskers are 95 % intervals." : NULL);
    smr_figure_axis(figure, "x", "change in the score per unit of the feature", "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "feature", "names");
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t i = 0; i < n; i++)
        smr_json_add_string(names, NULL, smr_affine_name(in, shown[i], number));
    for (int64_t c = 0; c < s->n_scores; c++) {
        double at[MOST_SHOWN], w[MOST_SHOWN], low[MOST_SHOWN], high[MOST_SHOWN];
        for (int64_t i = 0; i < n; i++) {
            double reach =
                s->std_error ? 1.959963984540054 * s->std_error[c * s->n_features + shown[i]] : 0;
            at[i] = (double)i;
            w[i] = s->coef[c * s->n_features + shown[i]];
            low[i] = w[i] - reach, high[i] = w[i] + reach;
        }
        int64_t class = s->n_scores == 1 ? 1 : c;
        snprintf(name, sizeof name, "class %lld", (long long)class);
        smr_json *series = smr_figure_series(figure, name, "hbars", n, w, at);
        smr_json_add_number(series, "class", (double)class);
        if (!s->std_error) continue;
        smr_json_add_numbers(series, "low", low, n);
        smr_json_add_numbers(series, "high", high, n);
    }
    return SMR_OK;
}
