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

struct lasso_params {
    smr_reals l1;
    int64_t path;
    double ratio;
    int64_t folds;
    bool one_se, fit_intercept;
    int64_t max_iter;
    double tol;
};

static const smr_param params[] = {
    SMR_PATH_L1_ROW(struct lasso_params),
    SMR_PATH_ROWS(struct lasso_params),
};

static smr_path_ask ask_of(const void *params_)
{
    const struct lasso_params *p = params_;
    return (smr_path_ask){.learner = "lasso",
                          .l1 = &p->l1,
                          .l2 = 0,
                          .mix = 1,
                          .path = p->path,
                          .folds = p->folds,
                          .max_iter = p->max_iter,
                          .ratio = p->ratio,
                          .tol = p->tol,
                          .one_se = p->one_se,
                          .fit_intercept = p->fit_intercept};
}

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    smr_path_ask ask = ask_of(params_);
    return smr_path_check_ask(ctx, &ask);
}

/* ---- fit, predict, describe ------------------------------------------------------------- */

SMR_PATH_CONTRACT("lasso", struct lasso_params, false)

/* ---- descriptor ------------------------------------------------------------------------- */

const smr_learner smr_lasso = {
    .name = "lasso",
    .family = "linear",
    .title = "Lasso regression",
    .brief = "Linear least squares with an L1 penalty, which leaves features out.",
    .objective = "1/2 sum weight (y - b - x'w)^2 + l1 |w|_1",
    .details =
        "Coefficients become exactly 0. Without l1, a path of 100 penalties is fitted, each from "
        "the answer before it, and 5-fold cross-validation inside the same pass over the data "
        "chooses one; inspect shows the path, the errors with their standard errors, and the "
        "duality gap, which certifies the answer. The intercept is not penalised. Features should "
        "have comparable scales: put standardize before it. Of features that say the same thing "
        "one is taken, and a warning names them.",
    .reference = "Tibshirani, J. R. Statist. Soc. B 58 (1996); Friedman, Hastie & Tibshirani, "
                 "J. Stat. Softw. 33 (2010)",
    .example = "samara train \"standardize | lasso\" data/diabetes.csv --target progression",
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .gives = SMR_GIVES_VALUE,
    .scale_matters = true,
    .draws_rows = true,
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct lasso_params),
    .state = smr_path_table,
    .n_state = SMR_COUNT(smr_path_table),
    .state_size = sizeof(smr_path_state),
    .check_params = check_params,
    .fit = SMR_TRAINING(fit),
    .check = check,
    .predict = smr_path_predict,
    .describe = describe,
    .figures = draw,
};
