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
#include "learn/linear/held_rows.h"
#include "math/optimize/coordinate.h"

enum { SMR_PATH_GRAM = 4096, SMR_PATH_GRAM_SPARSE = 512, SMR_PATH_DEFAULT = 100 };
enum { SMR_PATH_BY_GRAM = 1, SMR_PATH_BY_COLUMNS = 2 };

/* Of both; lasso has no l2 and no mix, which are 0 there. */
struct smr_path_params {
    smr_reals l1, l2;
    double mix;
    int64_t path;
    double ratio;
    int64_t folds;
    bool one_se, fit_intercept;
    int64_t max_iter;
    double tol;
};

/* Rows that the tables of both have. */
#define SMR_PATH_L1_ROW                                                                           \
    {                                                                                             \
        SMR_FIELD(struct smr_path_params, l1),                                                    \
            .unset = true, .min = 0, .max = INFINITY, .max_open = true, .search = SMR_SEARCH_LOG, \
            .search_min = 1e-4, .search_max = 1e4, .simpler = SMR_SIMPLER_HIGH, .primary = true,  \
            .doc = "Weight of the penalty |w|_1; given several values, or "                       \
                   "along a path if unset, cross-validation chooses one."                         \
    }
#define SMR_PATH_ROWS                                                                              \
    {SMR_FIELD(struct smr_path_params, path),                                                      \
     .unset = true,                                                                                \
     .none = "0",                                                                                  \
     .min = 1,                                                                                     \
     .max = 1000,                                                                                  \
     .doc = "Number of penalties to try, starting at the one that sets "                           \
            "all coefficients to 0; unset: 100 if l1 is unset too."},                              \
        {SMR_FIELD(struct smr_path_params, ratio),                                                 \
         .when = "l1=none",                                                                        \
         .def = 0.001,                                                                             \
         .min = 0,                                                                                 \
         .max = 1,                                                                                 \
         .min_open = true,                                                                         \
         .max_open = true,                                                                         \
         .doc = "The last penalty of a path, as a fraction of the first."},                        \
        {SMR_FIELD(struct smr_path_params, folds),                                                 \
         .when = "l1!=1",                                                                          \
         .def = 5,                                                                                 \
         .min = 0,                                                                                 \
         .max = 100,                                                                               \
         .doc = "Folds of the cross-validation that chooses a penalty; 0: no choice, the weakest " \
                "penalty is used."},                                                               \
        {SMR_FIELD(struct smr_path_params, one_se), .when = "l1!=1&folds>0", .def = false,         \
         .doc = "Choose the strongest penalty whose error is within one "                          \
                "standard error of the lowest."},                                                  \
        {SMR_FIELD(struct smr_path_params, fit_intercept), .def = true,                            \
         .doc = "Fit the intercept b, which is not penalised."},                                   \
        {SMR_FIELD(struct smr_path_params, max_iter), .def = 10000, .min = 1, .max = 1e9,          \
         .doc = "Maximum number of sweeps over the features, for each penalty."},                  \
    {                                                                                              \
        SMR_FIELD(struct smr_path_params, tol),                                                    \
            .def = 1e-8, .min = 1e-15, .max = 1,                                                   \
            .doc =                                                                                 \
                "Stop when the duality gap is below tol times half the target's sum of squares."   \
    }

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

/* What both fit. */
extern const smr_fitted smr_path_fitted;

smr_status smr_path_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                        smr_fit_report *report);
/* Squared residuals of step `at` of all, from its objective and coefficients. */
double smr_path_rss(const smr_path_state *state, int64_t at);
/* Rules between parameters: a path or values. */
smr_status smr_path_check_params(smr_ctx *ctx, const char *learner,
                                 const struct smr_path_params *params);
/* Penalties of 0 alone leave the coefficients free. */
void smr_path_nature(const void *params, smr_nature *its);
/* Which coefficients leave 0 along the path, for learn/trace.h. */
struct smr_trace;
smr_status smr_path_tell(smr_ctx *ctx, const smr_path_state *state, struct smr_trace *trace);
extern const smr_can_trace smr_path_traces;
smr_status smr_path_describe(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_path_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                         int64_t n_in, const char *prefix, smr_json *figures);

#endif
