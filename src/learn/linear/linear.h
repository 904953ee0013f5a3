/* linear.h -- the parts of the learner `linear`: linear.c, linear_descent.c, linear_stream.c,
 * linear_describe.c. */
#ifndef SMR_LEARN_LINEAR_LINEAR_H
#define SMR_LEARN_LINEAR_LINEAR_H

#include "learn/linear/stochastic.h"
#include "math/lstsq.h"
#include "math/optimize.h"

enum { SMR_LINEAR_EXACT, SMR_LINEAR_GD, SMR_LINEAR_SGD };

struct smr_linear_params {
    bool fit_intercept;
    int solver;
    int method; /* exact */
    int rule;   /* gd: smr_step_rule, as the four below */
    double step;
    int64_t max_iter;
    double tol;
    int schedule; /* sgd: smr_schedule_kind, as the five below */
    double rate;
    int64_t batch, passes;
    bool average;
};

extern const smr_choice smr_linear_solvers[];
extern const smr_choice smr_linear_methods[]; /* in the order of smr_lstsq_method */

struct smr_linear_state {
    SMR_STOCHASTIC_STATE(n_outputs); /* targets, or scores of classes; an optimiser of streams */
    int64_t n_classes;               /* 0: numbers                                             */
    int64_t rank, method, n_refined, why;
    double n_rows; /* W of linear.c */
    double condition;
    double step, curvature, gradient;    /* gd */
    double *std_error, *intercept_error; /* NULL: by descent, or of classes */
    double *rss, *tss;                   /* NULL: of a stream */
};

/* Gradient descent on 1/2 sum weight (y - b - x'w)^2; fills coef, intercept, rss, tss and what gd
 * tells.  The state's sizes are set and its arrays allocated. */
smr_status smr_linear_descend(smr_ctx *ctx, const struct smr_linear_params *params,
                              const smr_data *data, struct smr_linear_state *state,
                              smr_fit_report *report);
/* The same by passes of stochastic gradients. */
smr_status smr_linear_fit_sgd(smr_ctx *ctx, const struct smr_linear_params *params,
                              const smr_data *data, struct smr_linear_state *state,
                              smr_fit_report *report);
smr_status smr_linear_begin(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);
smr_status smr_linear_learn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                            const smr_truths *truths, double *out);
/* After load: does the optimiser's array fit the model? */
smr_status smr_linear_check_stream(smr_ctx *ctx, const struct smr_linear_params *params,
                                   const struct smr_linear_state *state);
/* y (n x q) of classes: -1 and 1 for one score, else 1 in the class's own column. */
void smr_linear_targets(int64_t q, int64_t n, const int32_t *label, double *y);
/* rss, tss and n_rows by a pass over the rows. */
smr_status smr_linear_measure(smr_ctx *ctx, const struct smr_linear_params *params,
                              const smr_data *data, struct smr_linear_state *state);

/* s^2 of (2) in linear.c, or NaN. */
double smr_linear_variance(const struct smr_linear_params *params,
                           const struct smr_linear_state *state, int64_t k);
smr_status smr_linear_describe(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, smr_json *into);

#endif
