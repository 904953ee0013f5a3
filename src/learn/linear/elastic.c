/* elastic.c -- linear least squares with an L1 and an L2 penalty, for one pair or a whole path.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output by itself,
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i'w)^2 + l1 |w|_1 + l2 1/2 |w|^2                (1)
 *
 * L1 leaves features out, exactly; L2 shares the weight among features that say the same thing.
 * Both penalties may be given; where l2 is not, l1 = mix * penalty and l2 = (1 - mix) * penalty.
 * Without a value of l1 a path of 100 is fitted, over both or with a given l2 over l1 alone, and
 * cross-validation chooses (path.h, which says how, and what it costs).  Along a path l1 = mix *
 * penalty * sd(y), as if the target had variance 1: in other units it gives the same model.
 *
 * Symbols: n rows, d features, w d.
 * References: Zou & Hastie, J. R. Statist. Soc. B 67(2):301-320, 2005; Friedman, Hastie &
 * Tibshirani, J. Stat. Softw. 33(1), 2010 (paths by coordinate descent). */
#include "learn/linear/path.h"

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_param params[] = {
    SMR_PATH_L1_ROW,
    {SMR_FIELD(struct smr_path_params, l2), .unset = true, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty 1/2 |w|^2, the same for all l1; unset: derived from mix."},
    {SMR_FIELD(struct smr_path_params, mix), .def = 0.5, .min = 0, .max = 1, .min_open = true,
     .when = "l2=none",
     .doc = "Share of l1 in the penalty if l2 is unset: l2 = l1 (1 - mix) / mix, along a path with "
            "l1 divided by the target's standard deviation; 1 is the lasso."},
    SMR_PATH_ROWS,
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_path_params *p = params_;
    if (p->l2.n > 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "elastic: %lld values of l2 are given; give one, or several of l1",
                        (long long)p->l2.n);
    return smr_path_check_params(ctx, "elastic", params_);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "elastic",
    .family = "linear",
    .title = "Elastic net",
    .brief = "Linear least squares with an L1 and an L2 penalty.",
    .objective = "1/2 sum weight (y - b - x'w)^2 + l1 |w|_1 + l2 1/2 |w|^2",
    .details =
        "L1 sets coefficients to exactly 0; L2 shares the weight among features that say the "
        "same thing. Without l1, a path of 100 penalties is fitted, each starting from the "
        "solution before it, and 5-fold cross-validation within the same pass over the data "
        "chooses one; l2 follows l1 by mix, or stays as given. inspect shows the path, the "
        "errors with their standard errors, and the duality gap, which certifies the solution. "
        "The intercept is not penalised. Features should have comparable scales: put standardize "
        "before it.",
    .reference = "Zou & Hastie, J. R. Statist. Soc. B 67 (2005); Friedman, Hastie & Tibshirani, "
                 "J. Stat. Softw. 33 (2010)",
    .example = "samara train \"standardize | elastic\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_path_params),
    .check_params = check_params,
};

const smr_learner smr_elastic = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_FITS_FREELY,
    .nature = smr_path_nature,
    .fit = SMR_TRAINING(smr_path_fit),
    .fitted = &smr_path_fitted,
    .trace = SMR_TRAINING(&smr_path_traces),
};
