/* path.h -- least squares with an elastic penalty along a path of penalties: what lasso and elastic
 * share.
 *
 * For every output by itself, over w and b (b = 0 without fit_intercept), at each penalty
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i'w)^2 + l1 |w|_1 + l2 1/2 |w|^2               (1)
 *
 * Penalties are the values given, or `path` of them, equally spaced in their logarithm from the
 * smallest at which all coefficients are 0 down to `ratio` times that.  Each starts from the answer
 * before it.  Of several penalties cross-validation chooses: fold f's rows are predicted by the
 * paths fitted to all others, with penalties times the share of the weight that these have (a
 * penalty stands against a sum over rows), and the mean over the folds of their mean squared errors
 * decides.
 *
 * Two ways, chosen by the sizes alone:
 *     gram      n > d, d <= SMR_PATH_GRAM (sparse rows: SMR_PATH_GRAM_SPARSE): one pass over the
 *               rows sums the Gram matrix of each fold (math/gram_folds.h); all paths and all
 *               errors follow from these, n d^2 / 2 multiply-adds in all.
 *     columns   else: coordinate descent over columns with screening.  Memory: a copy of the
 *               features by columns, centred (dense), or of their entries (sparse, never filled).
 *
 * Zeros are exact, and each answer has a certificate, the duality gap (math/optimize/coordinate.h).
 */
#ifndef SMR_LEARN_LINEAR_PATH_H
#define SMR_LEARN_LINEAR_PATH_H

#include "learn/linear/affine.h"
#include "math/optimize/coordinate.h"

enum { SMR_PATH_GRAM = 4096, SMR_PATH_GRAM_SPARSE = 512, SMR_PATH_DEFAULT = 100 };
enum { SMR_PATH_BY_GRAM = 1, SMR_PATH_BY_COLUMNS = 2 };

/* Rows of a parameter table that both have; struct_ has the fields l1, path, ratio, folds, one_se,
 * fit_intercept, max_iter, tol. */
#define SMR_PATH_L1_ROW(struct_)                                                                   \
    {                                                                                              \
        SMR_FIELD(struct_, l1), .def = NAN, .min = 0, .max = INFINITY, .max_open = true,           \
                                .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4,   \
                                .simpler = SMR_SIMPLER_HIGH, .primary = true,                      \
                                .doc = "Weight of the penalty |w|_1; of several values, or along " \
                                       "a path where none is given, "                              \
                                       "cross-validation chooses."                                 \
    }
#define SMR_PATH_ROWS(struct_)                                                                   \
    {SMR_FIELD(struct_, path), .def = 0, .min = 0, .max = 1000,                                  \
     .doc =                                                                                      \
         "Penalties to try, from the one that makes all coefficients 0; 0: 100 where l1 is not " \
         "given."},                                                                              \
        {SMR_FIELD(struct_, ratio),                                                              \
         .def = 0.001,                                                                           \
         .min = 0,                                                                               \
         .max = 1,                                                                               \
         .min_open = true,                                                                       \
         .max_open = true,                                                                       \
         .doc = "The last penalty of a path, as a part of the first."},                          \
        {SMR_FIELD(struct_, folds), .def = 5, .min = 0, .max = 100,                              \
         .doc = "Folds that choose among penalties; 0: none do, and the weakest is used."},      \
        {SMR_FIELD(struct_, one_se), .def = false,                                               \
         .doc = "Choose the strongest penalty whose error is within one standard error of the "  \
                "least."},                                                                       \
        {SMR_FIELD(struct_, fit_intercept), .def = true,                                         \
         .doc = "Fit the intercept b, which is not penalised."},                                 \
        {SMR_FIELD(struct_, max_iter), .def = 10000, .min = 1, .max = 1e9,                       \
         .doc = "Sweeps over the features, at most, for each penalty."},                         \
    {                                                                                            \
        SMR_FIELD(struct_, tol),                                                                 \
            .def = 1e-8, .min = 1e-15, .max = 1,                                                 \
            .doc =                                                                               \
                "Stop when the duality gap is below tol times half the target's sum of squares." \
    }

/* What a learner asks for. */
typedef struct smr_path_ask {
    const char *learner;
    const smr_reals *l1; /* n = 0: a path                                       */
    double l2;           /* of every step; < 0: l1 (1 - mix) / mix of each, on a path with l1
                            over the target's standard deviation                */
    double mix;
    int64_t path, folds, max_iter;
    double ratio, tol;
    bool one_se, fit_intercept;
} smr_path_ask;

/* The fitted model; the coefficients of the path hold their nonzeros only. */
typedef struct smr_path_state {
    int64_t n_features, n_outputs, n_path, n_folds, n_starts, n_entries;
    int64_t method, sweeps;
    double n_rows;
    double *coef, *intercept;                   /* of the penalty in use                    */
    double *l1, *l2, *gap, *objective;          /* n_outputs, of the penalty in use         */
    double *rss, *tss;                          /* n_outputs                                */
    int64_t *chosen;                            /* n_outputs: the step of the path in use   */
    double *path_l1, *path_l2, *path_objective; /* n_outputs x n_path, the strongest first  */
    double *path_gap;                           /* n_outputs x n_path                       */
    double *cv_error, *cv_se;                   /* n_outputs x n_path; NULL: not validated  */
    int64_t *path_start;                        /* n_starts = n_outputs n_path + 1          */
    int32_t *path_column;                       /* n_entries                                */
    double *path_value;                         /* n_entries                                */
} smr_path_state;

#define SMR_PATH_KEPT(field_) SMR_KEPT(smr_path_state, field_)

static const smr_state smr_path_table[] = {
    {SMR_PATH_KEPT(n_features), .min = 0, .doc = "Features."},
    {SMR_PATH_KEPT(n_outputs), .min = 1, .doc = "Targets."},
    {SMR_PATH_KEPT(n_path), .min = 1, .doc = "Penalties."},
    {SMR_PATH_KEPT(n_folds), .min = 0, .doc = "Folds that chose the penalty; 0: none did."},
    {SMR_PATH_KEPT(n_starts), .min = 2, .doc = "Steps of all paths, and one."},
    {SMR_PATH_KEPT(n_entries), .min = 0, .doc = "Nonzero coefficients of all paths."},
    {SMR_PATH_KEPT(method), .min = SMR_PATH_BY_GRAM, .max = SMR_PATH_BY_COLUMNS,
     .doc = "How it was solved: 1 gram, 2 columns."},
    {SMR_PATH_KEPT(sweeps), .min = 0, .doc = "Sweeps of coordinate descent over all paths."},
    {SMR_PATH_KEPT(n_rows), .doc = "Sum of the rows' weights."},
    {SMR_PATH_KEPT(coef), .dims = {"n_outputs", "n_features"}, .doc = "Coefficients w."},
    {SMR_PATH_KEPT(intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_PATH_KEPT(l1), .dims = {"n_outputs"}, .doc = "The penalty in use, of |w|_1."},
    {SMR_PATH_KEPT(l2), .dims = {"n_outputs"}, .doc = "The penalty in use, of 1/2 |w|^2."},
    {SMR_PATH_KEPT(gap), .dims = {"n_outputs"},
     .doc = "Duality gap: a bound on how far the objective is above its minimum."},
    {SMR_PATH_KEPT(objective), .dims = {"n_outputs"}, .doc = "The objective."},
    {SMR_PATH_KEPT(rss), .dims = {"n_outputs"}, .doc = "Squared residuals."},
    {SMR_PATH_KEPT(tss), .dims = {"n_outputs"},
     .doc = "Squared targets, around their mean when there is an intercept."},
    {SMR_PATH_KEPT(chosen), .dims = {"n_outputs"}, .doc = "The step of the path in use."},
    {SMR_PATH_KEPT(path_l1), .dims = {"n_outputs", "n_path"}, .doc = "Penalties of |w|_1."},
    {SMR_PATH_KEPT(path_l2), .dims = {"n_outputs", "n_path"}, .doc = "Penalties of 1/2 |w|^2."},
    {SMR_PATH_KEPT(path_objective), .dims = {"n_outputs", "n_path"}, .doc = "Objective of each."},
    {SMR_PATH_KEPT(path_gap), .dims = {"n_outputs", "n_path"}, .doc = "Duality gap of each."},
    {SMR_PATH_KEPT(cv_error), .dims = {"n_outputs", "n_path"}, .optional = true,
     .doc = "Mean squared error of each, cross-validated."},
    {SMR_PATH_KEPT(cv_se), .dims = {"n_outputs", "n_path"}, .optional = true,
     .doc = "Standard error of that, over the folds."},
    {SMR_PATH_KEPT(path_start), .dims = {"n_starts"},
     .doc = "Where each step's coefficients begin among the entries."},
    {SMR_PATH_KEPT(path_column), .dims = {"n_entries"}, .doc = "Their features."},
    {SMR_PATH_KEPT(path_value), .dims = {"n_entries"}, .doc = "Their values."},
};

smr_status smr_path_fit(smr_ctx *ctx, const smr_path_ask *ask, const smr_data *data,
                        smr_path_state *state, smr_fit_report *report);
/* Squared residuals of step `at` of all, from its objective and coefficients. */
double smr_path_rss(const smr_path_state *state, int64_t at);
/* Rules between parameters: a path or values. */
smr_status smr_path_check_ask(smr_ctx *ctx, const smr_path_ask *ask);
/* After loading; references between arrays, and the shape. */
smr_status smr_path_check(smr_ctx *ctx, const char *learner, const smr_path_state *state,
                          const smr_shape *shape);
smr_status smr_path_predict(smr_ctx *ctx, const void *params, const void *state,
                            const smr_rows *rows, smr_output output, double *out, void *scratch);
smr_status smr_path_describe(smr_ctx *ctx, const smr_path_state *state, bool fit_intercept,
                             bool has_l2, const smr_feature *in, smr_json *into);
smr_status smr_path_draw(smr_ctx *ctx, const smr_path_state *state, bool one_se,
                         const smr_feature *in, const char *prefix, smr_json *figures);

/* Defines fit, check, describe and draw of a learner whose parameters (struct_, with one_se and
 * fit_intercept) ask_of makes a question of. */
#define SMR_PATH_CONTRACT(name_, struct_, has_l2_)                                               \
    static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_, \
                          smr_fit_report *report)                                                \
    {                                                                                            \
        smr_path_ask ask = ask_of(params_);                                                      \
        return smr_path_fit(ctx, &ask, data, state_, report);                                    \
    }                                                                                            \
    static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,               \
                            const smr_shape *shape)                                              \
    {                                                                                            \
        (void)params_;                                                                           \
        return smr_path_check(ctx, name_, state_, shape);                                        \
    }                                                                                            \
    static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,            \
                               const smr_feature *in, int64_t n_in, smr_json *into)              \
    {                                                                                            \
        const struct_ *p = params_;                                                              \
        (void)n_in;                                                                              \
        return smr_path_describe(ctx, state_, p->fit_intercept, has_l2_, in, into);              \
    }                                                                                            \
    static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_,                \
                           const smr_feature *in, int64_t n_in, const char *prefix,              \
                           smr_json *figures)                                                    \
    {                                                                                            \
        const struct_ *p = params_;                                                              \
        (void)n_in;                                                                              \
        return smr_path_draw(ctx, state_, p->one_se, in, prefix, figures);                       \
    }

#endif
