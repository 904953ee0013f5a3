/* logistic.h -- the parts of the learner logistic: solving, and what is known of the answer. */
#ifndef SMR_LEARN_LINEAR_LOGISTIC_H
#define SMR_LEARN_LINEAR_LOGISTIC_H

#include "learn/learner.h"
#include "learn/linear/objective.h"
#include "learn/linear/scores.h"
#include "learn/linear/stochastic.h"

enum smr_logistic_solver {
    SMR_LOGISTIC_AUTO,
    SMR_LOGISTIC_NEWTON,
    SMR_LOGISTIC_LBFGS,
    SMR_LOGISTIC_TRUST,
    SMR_LOGISTIC_COORDINATE,
    SMR_LOGISTIC_OWLQN,
    SMR_LOGISTIC_GD,
    SMR_LOGISTIC_SGD,
    SMR_LOGISTIC_DUAL
};

struct smr_logistic_params {
    double l2, l1;
    int solver;
    int class_weight;
    bool fit_intercept;
    double tol;
    int64_t max_iter;
    double step;  /* gd */
    int schedule; /* sgd, from here on */
    double rate;
    int64_t batch, passes;
    bool average;
};

/* How the classes lie, where there is no penalty: 1 and 2 have no finite optimum. */
enum smr_logistic_separation {
    SMR_LOGISTIC_OVERLAP,
    SMR_LOGISTIC_SEPARATED, /* a plane has each class on its side                        */
    SMR_LOGISTIC_PARTED     /* a plane has no row on its wrong side, but some on it   */
};

struct smr_logistic_state {
    SMR_STOCHASTIC_STATE(n_scores); /* with an optimiser of a stream, or NULL */
    int64_t n_classes;
    int64_t solver, separation;
    double n_rows, deviance, null_deviance, df;
    double *std_error, *intercept_error; /* NULL: not known */
};

/* A fit: the rows of the classes that have any, and the objective over them. */
struct smr_logistic_fit {
    const struct smr_logistic_params *p;
    const smr_data *data; /* its labels number the classes that have rows */
    const double *weight; /* NULL: all 1 */
    double l2;            /* for these rows */
    int64_t every, taken; /* only every `every`-th run of rows is taken; how many rows these are */
    smr_linear_objective *o;
    int64_t k, d, n; /* scores, features, variables */
    enum smr_logistic_solver solver;
    smr_fit_report *report;
    bool is_warm; /* w is where an earlier fit ended */
    double *w;    /* n: the answer                   */
    double *H;    /* n x n: the Hessian there; NULL: not known */
    double above; /* how far J is above its least there, as H tells */
    double null;  /* J of the model without features         */
    enum smr_logistic_separation separation;
    bool is_open; /* that is not decided */
    bool *moved; /* d + 1: separated, the columns whose coefficients grow for ever; the intercept */
};

/* Which solver `auto` takes for k scores of these rows. */
enum smr_logistic_solver smr_logistic_choose(const struct smr_logistic_params *p,
                                             const smr_data *data, int64_t k);
/* Is the dense Hessian of k scores of d features affordable? */
bool smr_logistic_is_small(int64_t k, int64_t d);
/* Opens the objective f->o. */
smr_status smr_logistic_open(smr_ctx *ctx, struct smr_logistic_fit *f);

/* Does its solver begin at f->w?  Those that go by rows in the dual, or by columns, do not. */
bool smr_logistic_has_start(const struct smr_logistic_fit *f);
/* Fills f->w and the report; warns where it did not converge, but for f->above: the objective may
 * have no least. */
smr_status smr_logistic_solve(smr_ctx *ctx, struct smr_logistic_fit *f);

/* Can these rows be solved in the dual, with an l2 > 0? */
bool smr_logistic_has_dual(const smr_data *data, int64_t k);
/* solver=dual: coordinate descent on the dual; the result's f, iterations and converged. */
smr_status smr_logistic_dual(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_result *result);

/* After a fit without penalty: f->separation, with a certificate. */
smr_status smr_logistic_find_separation(smr_ctx *ctx, struct smr_logistic_fit *f);

/* Standard errors of the variables into `error` (n; NaN where the data do not tell) and the
 * effective degrees of freedom, from the Hessian at f->w. */
smr_status smr_logistic_errors(smr_ctx *ctx, struct smr_logistic_fit *f, double *error, double *df);

extern const smr_choice smr_logistic_solvers[];

static inline smr_linear_classifier smr_logistic_classifier(const struct smr_logistic_state *s)
{
    return (smr_linear_classifier){s->n_classes, s->n_features, s->coef, s->intercept};
}

/* For inspect. */
smr_status smr_logistic_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_logistic_figures(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures);

/* solver=sgd, and a stream (learner.h). */
smr_status smr_logistic_fit_sgd(smr_ctx *ctx, const struct smr_logistic_params *p,
                                const smr_data *data, struct smr_logistic_state *s,
                                smr_fit_report *report);
smr_status smr_logistic_begin(smr_ctx *ctx, const void *params, const smr_shape *shape,
                              void *state);
smr_status smr_logistic_learn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                              const smr_truths *truths, double *out);
/* After load: does the optimiser's array fit? */
smr_status smr_logistic_check_stream(smr_ctx *ctx, const struct smr_logistic_params *p,
                                     const struct smr_logistic_state *s);

#endif
