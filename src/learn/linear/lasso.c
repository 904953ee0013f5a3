/* lasso.c -- linear least squares with an L1 penalty, for one penalty or a whole path.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output by itself,
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i'w)^2 + l1 |w|_1                               (1)
 *
 * which sets coefficients to 0, exactly.  The intercept is not penalised.  Without a value of l1 a
 * path of 100 is fitted and cross-validation chooses (path.h, which says how, and what it costs).
 * Where features say the same thing, (1) does not tell them apart, and a warning names two.
 * A constant target has no coefficients; a column that is constant or 0 has the coefficient 0.
 *
 * Symbols: n rows, d features, w d.
 * References: Tibshirani, J. R. Statist. Soc. B 58(1):267-288, 1996; Friedman, Hastie & Tibshirani,
 * J. Stat. Softw. 33(1), 2010 (paths by coordinate descent). */
#include "learn/linear/path.h"

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_param params[] = {
    SMR_PATH_L1_ROW,
    SMR_PATH_ROWS,
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    return smr_path_check_params(ctx, "lasso", params_);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "lasso",
    .family = "linear",
    .title = "Lasso regression",
    .brief = "Linear least squares with an L1 penalty, which sets some coefficients to 0.",
    .objective = "1/2 sum weight (y - b - x'w)^2 + l1 |w|_1",
    .details =
        "Sets coefficients to exactly 0. Without l1, a path of 100 penalties is fitted, each "
        "starting from the solution before it, and 5-fold cross-validation within the same pass "
        "over the data chooses one; inspect shows the path, the errors with their standard "
        "errors, and the duality gap, which certifies the solution. The intercept is not "
        "penalised. Features should have comparable scales: put standardize before it. Of "
        "features that say the same thing one is taken, and a warning names them.",
    .reference = "Tibshirani, J. R. Statist. Soc. B 58 (1996); Friedman, Hastie & Tibshirani, "
                 "J. Stat. Softw. 33 (2010)",
    .example = "samara train \"standardize | lasso\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_path_params),
    .check_params = check_params,
};

const smr_learner smr_lasso = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_FITS_FREELY,
    .nature = smr_path_nature,
    .fit = SMR_TRAINING(smr_path_fit),
    .fitted = &smr_path_fitted,
    .trace = SMR_TRAINING(&smr_path_traces),
};
