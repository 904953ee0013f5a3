/* quantile.c -- quantile regression.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output,
 *
 *     J = sum_i weight_i rho(y_i - b - x_i' w) + l1 |w|_1,     rho(r) = q r, or (q - 1) r if r < 0
 *
 * exactly, as lad.c does for q = 1/2: method, cost, ties and certificate are told there.
 * Reference: Koenker & Bassett, Econometrica 46(1):33-50, 1978. */
#include "learn/linear/lad_parts.h"
#include "metric/metric.h"

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_lad_params *p = params_;
    struct smr_lad_state *s = state_;
    s->q = p->q;
    return smr_lad_fit(ctx, p, 1 - p->q, p->q, data, s, report);
}

static const char *judge_by(const void *params)
{
    return smr_pinball_at(((const struct smr_lad_params *)params)->q);
}

static const smr_word about = {
    .name = "quantile",
    .synonyms = "QuantileRegressor",
    .family = "linear",
    .title = "Quantile regression",
    .brief = "Fits a quantile of the target as a linear function: a given share of the rows lies "
             "below it.",
    .objective = "sum weight rho(y - b - x'w) + l1 |w|_1, rho(r) = q r, or (q - 1) r if r < 0",
    .details =
        "Like lad, which is q = 0.5 with twice the objective: exact, by an interior point method "
        "and pivoting to a vertex. At most the share q of the rows lies below the fit and at "
        "most 1 - q above it; the rows that it goes through count as neither. train, cv, compare "
        "and tune judge it by the pinball loss at q, to the nearest hundredth.",
    .reference = "Koenker & Bassett, Econometrica 46 (1978)",
    .example = "samara train \"quantile 0.9\" data/diabetes.csv --target progression",
    .params = smr_lad_params,
    .n_params = SMR_LAD_PARAMS,
    .params_size = sizeof(struct smr_lad_params),
};

static const smr_comparing compared = {.stands_aside = true, .measure = judge_by};

const smr_learner smr_quantile = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = smr_lad_nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_lad_fitted,
    .comparing = SMR_TRAINING(&compared),
};
