/* lad.c -- least absolute deviations and quantile regression, solved exactly.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output,
 *
 *     lad        J = sum_i weight_i |r_i| + l1 |w|_1,         r_i = y_i - b - x_i' w            (1)
 *     quantile   J = sum_i weight_i rho(r_i) + l1 |w|_1,      rho(r) = q r, or (q - 1) r if r < 0
 *
 * as a linear program: an interior point method comes near, pivots end at a vertex (lad_parts.h).
 * The answer carries its proof: numbers u_i between the slopes of row i's loss with sum u_i x_i = 0
 * (the intercept's column included) show that no other w costs less, and J minus what u proves is
 * the gap that inspect shows.
 *
 * Where several w are optimal (an even number of rows, say) a vertex of the set of optima is taken:
 * one of the ends, not the middle.  Columns that depend on others get the coefficient 0 and are
 * named in a warning.  Where w can fit all rows the least w that does is taken.
 *
 * Koenker and Machado's R1 = 1 - J / J0 without the penalty, J0 the cost of the best constant (of 0
 * without intercept).
 *
 * Symbols: n rows, d features, w d.  Cost: 10 to 40 times n d^2; memory 25 vectors of length n and
 * some d x d matrices.
 * References: Koenker & Bassett, Econometrica 46(1):33-50, 1978; Portnoy & Koenker, Statistical
 * Science 12(4), 1997; Koenker & Machado, JASA 94(448), 1999 (R1). */
#include "learn/linear/affine.h"
#include "learn/linear/lad_parts.h"

/* ---- parameters ------------------------------------------------------------------------- */

const smr_param smr_lad_params[SMR_LAD_PARAMS] = {
    {SMR_FIELD(struct smr_lad_params, q), .def = 0.5, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .primary = true,
     .doc = "The quantile to fit: the share of the rows that should lie below; 0.5 is the median."},
    {SMR_FIELD(struct smr_lad_params, l1), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight of the penalty |w|_1, which makes coefficients exactly 0; 0: no penalty."},
    {SMR_FIELD(struct smr_lad_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_lad_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct smr_lad_state, n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct smr_lad_state, q), .doc = "The quantile; 0.5 for lad."},
    {SMR_KEPT(struct smr_lad_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct smr_lad_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct smr_lad_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct smr_lad_state, objective), .dims = {"n_outputs"}, .doc = "J."},
    {SMR_KEPT(struct smr_lad_state, gap), .dims = {"n_outputs"},
     .doc = "Duality gap relative to J: a bound on how far J is above its minimum."},
    {SMR_KEPT(struct smr_lad_state, balance), .dims = {"n_outputs"},
     .doc = "Largest |sum u x| of the dual at unit columns, relative to the sum of the weights."},
    {SMR_KEPT(struct smr_lad_state, r1), .dims = {"n_outputs"}, .doc = "Koenker and Machado's R1."},
    {SMR_KEPT(struct smr_lad_state, below), .dims = {"n_outputs"},
     .doc = "Share of the rows below the fit."},
    {SMR_KEPT(struct smr_lad_state, n_zero), .dims = {"n_outputs"},
     .doc = "Rows that the fit goes through."},
    {SMR_KEPT(struct smr_lad_state, n_steps), .dims = {"n_outputs"},
     .doc = "Steps of the interior point method."},
    {SMR_KEPT(struct smr_lad_state, n_pivots), .dims = {"n_outputs"}, .doc = "Pivots."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct smr_lad_state *s = state_;
    s->q = 0.5;
    return smr_lad_fit(ctx, params_, 1, 1, data, s, report);
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_lad_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct smr_lad_params *p = params_;
    const struct smr_lad_state *s = state_;
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "r1", s->r1[k]);
    smr_json_add_number(into, "zero_residuals", (double)s->n_zero[k]);
    smr_json_add_number(into, "share_below", s->below[k]);
    smr_json_add_number(into, "duality_gap", s->gap[k]);
    smr_json_add_number(into, "dual_balance", s->balance[k]);
    smr_json_add_number(into, "interior_steps", (double)s->n_steps[k]);
    smr_json_add_number(into, "pivots", (double)s->n_pivots[k]);
    smr_affine_describe(s->n_features, s->coef + k * s->n_features,
                        p->fit_intercept ? &s->intercept[k] : NULL, in, into);
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_lad_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_number(into, "quantile", s->q);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_affine_outputs(s->n_outputs, describe_output, params_, s, in, into);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "lad",
    .synonyms = "median l1_regression",
    .family = "linear",
    .title = "Least absolute deviations",
    .brief =
        "Fits a linear function by least absolute error, which outlying targets hardly affect.",
    .objective = "sum weight |y - b - x'w| + l1 |w|_1",
    .details =
        "Exact: an interior point method comes near the optimum of the linear program, and "
        "pivoting ends at a vertex, where the fit goes through as many rows as there are "
        "coefficients. inspect shows the proof (the duality gap and the balance of the dual), "
        "the rows that the fit goes through, and Koenker and Machado's R1. If several fits are "
        "optimal, a vertex of their set is taken. Columns that depend on others get the "
        "coefficient 0 and are named.",
    .reference = "Portnoy & Koenker, Statistical Science 12 (1997)",
    .example = "samara train lad data/diabetes.csv --target progression",
    .params = smr_lad_params + 1,
    .n_params = SMR_LAD_PARAMS - 1,
    .params_size = sizeof(struct smr_lad_params),
};

static const smr_can_explain explains = {.linear_at =
                                             SMR_LINEAR_AT(struct smr_lad_state, n_outputs)};

const smr_fitted smr_lad_fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_lad_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .describe = describe,
    .explain = &explains,
};

void smr_lad_nature(const void *params_, smr_nature *its)
{
    const struct smr_lad_params *p = params_;
    if (p->l1 > 0) its->traits &= ~(unsigned)SMR_FITS_FREELY;
}

static const char *judge_by(const void *params)
{
    (void)params;
    return "mae";
}

static const smr_comparing compared = {.measure = judge_by};

const smr_learner smr_lad = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_WANTS_CONTRASTS | SMR_FITS_FREELY,
    .nature = smr_lad_nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &smr_lad_fitted,
    .comparing = SMR_TRAINING(&compared),
};
