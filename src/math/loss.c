/* loss.c -- the table of losses; see loss.h. */
#include "math/loss.h"

#include "core/number.h"
#include "math/loss_points.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the table -------------------------------------------------------------------------- */

#define NO_LIMIT ((double)INFINITY)

const smr_loss smr_losses[SMR_LOSS_COUNT] = {
    [SMR_LOSS_SQUARED] = {SMR_LOSS_SQUARED, "squared", "Squared error", "(f - y)^2 / 2", NULL,
                          SMR_LOSS_RESIDUAL, NULL, 0, 0, 0, true, true, NO_LIMIT, 1, at_squared},
    [SMR_LOSS_ABSOLUTE] = {SMR_LOSS_ABSOLUTE, "absolute", "Absolute error", "|f - y|",
                           "slope 0 at f = y", SMR_LOSS_RESIDUAL, NULL, 0, 0, 0, true, false, 1,
                           NO_LIMIT, at_absolute},
    [SMR_LOSS_HUBER] = {SMR_LOSS_HUBER, "huber", "Huber's loss",
                        "r^2 / 2 for |r| <= delta, else delta (|r| - delta / 2), r = f - y",
                        "curvature 1 at |r| = delta", SMR_LOSS_RESIDUAL, "delta", 1.35, 0,
                        (double)INFINITY, true, true, 1.35, 1, at_huber},
    [SMR_LOSS_QUANTILE] = {SMR_LOSS_QUANTILE, "quantile", "Quantile (pinball) loss",
                           "max(tau (y - f), (1 - tau) (f - y))", "slope 0 at f = y",
                           SMR_LOSS_RESIDUAL, "tau", 0.5, 0, 1, true, false, 0.5, NO_LIMIT,
                           at_quantile},
    [SMR_LOSS_EPSILON] = {SMR_LOSS_EPSILON, "epsilon", "Epsilon-insensitive loss",
                          "max(0, |f - y| - epsilon)", "slope 0 at |f - y| = epsilon",
                          SMR_LOSS_RESIDUAL, "epsilon", 0.1, 0, (double)INFINITY, true, false, 1,
                          NO_LIMIT, at_epsilon},
    [SMR_LOSS_ZERO_ONE] = {SMR_LOSS_ZERO_ONE, "zero_one", "0-1 loss",
                           "1 if m <= 0, else 0, m = y f", "slope 0 everywhere; a tie is a mistake",
                           SMR_LOSS_MARGIN, NULL, 0, 0, 0, false, false, NO_LIMIT, NO_LIMIT,
                           at_zero_one},
    [SMR_LOSS_PERCEPTRON] = {SMR_LOSS_PERCEPTRON, "perceptron", "Perceptron loss",
                             "max(0, -m), m = y f", "slope -y at m = 0: a tie is a mistake",
                             SMR_LOSS_MARGIN, NULL, 0, 0, 0, true, false, 1, NO_LIMIT,
                             at_perceptron},
    [SMR_LOSS_HINGE] = {SMR_LOSS_HINGE, "hinge", "Hinge loss", "max(0, 1 - m), m = y f",
                        "slope 0 at m = 1", SMR_LOSS_MARGIN, NULL, 0, 0, 0, true, false, 1,
                        NO_LIMIT, at_hinge},
    [SMR_LOSS_SQUARED_HINGE] = {SMR_LOSS_SQUARED_HINGE, "squared_hinge", "Squared hinge loss",
                                "max(0, 1 - m)^2, m = y f", "curvature 0 at m = 1", SMR_LOSS_MARGIN,
                                NULL, 0, 0, 0, true, true, NO_LIMIT, 2, at_squared_hinge},
    [SMR_LOSS_LOGISTIC] = {SMR_LOSS_LOGISTIC, "logistic", "Logistic loss", "log(1 + exp(-y f))",
                           NULL, SMR_LOSS_MARGIN, NULL, 0, 0, 0, true, true, 1, 0.25, at_logistic},
    [SMR_LOSS_EXPONENTIAL] = {SMR_LOSS_EXPONENTIAL, "exponential", "Exponential loss", "exp(-y f)",
                              NULL, SMR_LOSS_MARGIN, NULL, 0, 0, 0, true, true, NO_LIMIT, NO_LIMIT,
                              at_exponential},
    [SMR_LOSS_POISSON] = {SMR_LOSS_POISSON, "poisson", "Poisson deviance, log link",
                          "exp(f) - y + y (log y - f)", NULL, SMR_LOSS_LOG_LINK, NULL, 0, 0, 0,
                          true, true, NO_LIMIT, NO_LIMIT, at_poisson},
    [SMR_LOSS_GAMMA] = {SMR_LOSS_GAMMA, "gamma", "Gamma deviance, log link",
                        "y exp(-f) - 1 + f - log y", NULL, SMR_LOSS_LOG_LINK, NULL, 0, 0, 0, true,
                        true, NO_LIMIT, NO_LIMIT, at_gamma},
    [SMR_LOSS_CROSS_ENTROPY] = {SMR_LOSS_CROSS_ENTROPY, "cross_entropy", "Cross-entropy of softmax",
                                "log(sum_c exp(f_c)) - f_y", NULL, SMR_LOSS_CLASSES, NULL, 0, 0, 0,
                                true, true, 1.4142135623730951, 0.5, NULL},
    [SMR_LOSS_HINGE_SUM] = {SMR_LOSS_HINGE_SUM, "hinge_sum", "Multi-class hinge loss, sum form",
                            "sum over c != y of max(0, 1 + f_c - f_y)", "slope 0 at a kink",
                            SMR_LOSS_CLASSES, NULL, 0, 0, 0, true, false, NO_LIMIT, NO_LIMIT, NULL},
    [SMR_LOSS_HINGE_MAX] = {SMR_LOSS_HINGE_MAX, "hinge_max", "Multi-class hinge loss, max form",
                            "max(0, 1 + max over c != y of f_c - f_y)",
                            "slope 0 at a kink, the lowest class among equals", SMR_LOSS_CLASSES,
                            NULL, 0, 0, 0, true, false, 1.4142135623730951, NO_LIMIT, NULL},
};

const smr_loss *smr_loss_find(const char *name)
{
    for (int i = 0; i < SMR_LOSS_COUNT; i++)
        if (!strcmp(smr_losses[i].name, name)) return &smr_losses[i];
    return NULL;
}

double smr_loss_lipschitz(const smr_loss *loss, double param)
{
    if (loss->id == SMR_LOSS_HUBER) return param;
    if (loss->id == SMR_LOSS_QUANTILE) return SMR_MAX(param, 1 - param);
    return loss->lipschitz;
}

double smr_loss_smoothness(const smr_loss *loss, double param)
{
    (void)param; /* none of the bounds on the curvature depends on it */
    return loss->smoothness;
}

smr_loss_point smr_loss_at(const smr_loss *loss, double param, double y, double f)
{
    return loss->at(param, y, f);
}

/* NULL, or what a target of this kind must be. */
static const char *wrong_target(const smr_loss *loss, double y)
{
    if (!isfinite(y)) return "a finite number";
    if (loss->kind == SMR_LOSS_MARGIN && y != 1 && y != -1) return "-1 or 1";
    if (loss->id == SMR_LOSS_POISSON && y < 0) return "0 or more";
    if (loss->id == SMR_LOSS_GAMMA && y <= 0) return "more than 0";
    return NULL;
}

smr_status smr_loss_check(smr_ctx *ctx, const smr_loss *loss, double param, int64_t n,
                          const double *y)
{
    char got[SMR_NUMBER_MAX], low[SMR_NUMBER_MAX], high[SMR_NUMBER_MAX];
    if (loss->param && !(param > loss->param_min && param < loss->param_max)) {
        smr_format_double(param, got);
        smr_format_double(loss->param_min, low);
        smr_format_double(loss->param_max, high);
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s = %s is outside (%s, %s)", loss->name,
                        loss->param, got, low, high);
    }
    for (int64_t i = 0; i < n && loss->kind != SMR_LOSS_CLASSES; i++) {
        const char *rule = wrong_target(loss, y[i]);
        if (!rule) continue;
        smr_format_double(y[i], got);
        return smr_fail(ctx, SMR_ERR_DATA, "%s: the target of row %" PRId64 " is %s; it must be %s",
                        loss->name, i, got, rule);
    }
    return SMR_OK;
}
