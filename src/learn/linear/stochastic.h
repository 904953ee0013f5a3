/* stochastic.h -- linear models of any loss by stochastic gradients: from a stream of rows, or by
 * passes over shuffled data.
 *
 * Minimises over W (q x d) and b (q; 0 without fit_intercept)
 *
 *     sum_i weight_i loss(y_i, W x_i + b) + l1 |W|_1 + l2 1/2 |W|^2                             (1)
 *
 * by steps along the gradient of one row, or the mean of a batch of rows, with
 * math/optimize/sgd_steps.h.  A step carries the n-th part of the penalties, n being the rows of
 * the fit; in a stream it is the rows so far, so that (1) holds at every moment of it.  Intercepts
 * pay no penalty.
 *
 * Scores: one for a number, one for two classes (of class 1: f > 0), else one a class.  A loss of
 * margins fits k > 2 classes each against the rest; a loss of classes with two of them is its
 * form with one score: cross_entropy becomes logistic, hinge_sum and hinge_max become hinge.
 *
 * rate = 0 chooses the first rate from the rows seen so far, m the mean of weight |x|^2 (with the
 * intercept's 1) and L the bound on the loss's curvature (kinked losses: of what it takes to move a
 * score by the size of a target):
 *
 *     plain, momentum, nesterov   1 / (2 L m), momentum: times 1 - mu
 *     adagrad                     s / sqrt(m),  rmsprop, adam, adamw  s / (20 sqrt(m))
 *
 * with s the size of a target (1 for classes).  Plain steps of single rows are then cut so that no
 * row is overshot; in batches, with momentum and with l1 a row's gradient is cut by as much, and
 * with the methods that divide by past gradients where the loss grows as an exponential.  So
 * features in any units do not make it diverge; they only make it slow.
 * Schedules give the rate of the first step the name `rate`; root, inverse and per_step hold it
 * while t is below `offset` (0: the first pass; in a stream 1000 steps).
 *
 * A stream's state is coef and intercept, which predict reads, and one array of numbers that holds
 * what the optimiser carries along, so that a saved and loaded model goes on bit by bit.  Without
 * that array (after a fit) learning begins anew from coef and intercept.
 * Cost: a row of plain, sgd without l1: its entries times q, twice; other methods, and batches,
 * touch every weight at every step (adagrad: only the row's own).  Memory: a few vectors of q d. */
#ifndef SMR_LEARN_LINEAR_STOCHASTIC_H
#define SMR_LEARN_LINEAR_STOCHASTIC_H

#include "learn/learner.h"
#include "math/loss.h"
#include "math/optimize/sgd_steps.h"

/* ---- parameters: rows of the table for every learner with solver=sgd ------------------------ */

struct smr_stochastic_params {
    int method, schedule; /* smr_sgd_method; smr_schedule_kind or SMR_SCHEDULE_BY_USE */
    double rate, offset, power, period, momentum;
    int64_t batch, passes, patience;
    bool average, shuffle, watch;
};

/* schedule=auto: constant in a fit until passes bring no progress, then full gradients
 * (stochastic_finish.h); root in a stream. */
enum { SMR_SCHEDULE_BY_USE = SMR_SCHEDULES };

extern const smr_choice smr_stochastic_methods[], smr_stochastic_schedules[];

#define SMR_STOCHASTIC_FIELD(struct_, field_, name_, type_) \
    .name = #name_, .offset = offsetof(struct_, field_.name_), .type = type_

/* struct_: the learner's parameters; field_: its smr_stochastic_params.  The
 * learner has l1, l2, tol and fit_intercept of its own. */
#define SMR_STOCHASTIC_ROWS(struct_, field_)                                                     \
    {SMR_STOCHASTIC_FIELD(struct_, field_, method, SMR_PARAM_CHOICE),                            \
     .choices = smr_stochastic_methods, .def = SMR_SGD_PLAIN, .search = SMR_SEARCH_VALUES,       \
     .doc = "How gradients are turned into steps."},                                             \
        {SMR_STOCHASTIC_FIELD(struct_, field_, schedule, SMR_PARAM_CHOICE),                      \
         .choices = smr_stochastic_schedules, .def = SMR_SCHEDULE_BY_USE,                        \
         .search = SMR_SEARCH_VALUES, .doc = "How the learning rate decreases with the steps."}, \
        {SMR_STOCHASTIC_FIELD(struct_, field_, rate, SMR_PARAM_REAL),                            \
         .def = 0,                                                                               \
         .min = 0,                                                                               \
         .max = INFINITY,                                                                        \
         .max_open = true,                                                                       \
         .search = SMR_SEARCH_LOG,                                                               \
         .search_min = 1e-5,                                                                     \
         .search_max = 1,                                                                        \
         .doc = "Initial learning rate; 0: chosen from the size of the rows."},                  \
        {SMR_STOCHASTIC_FIELD(struct_, field_, offset, SMR_PARAM_REAL),                          \
         .when = "schedule=auto|root|inverse|per_step",                                          \
         .def = 0,                                                                               \
         .min = 0,                                                                               \
         .max = INFINITY,                                                                        \
         .max_open = true,                                                                       \
         .doc = "Number of steps before root, inverse and per_step begin to "                    \
                "fall; 0: one pass, or 1000 in a stream; 1 is the "                              \
                "textbook's a/t."},                                                              \
        {SMR_STOCHASTIC_FIELD(struct_, field_, power, SMR_PARAM_REAL),                           \
         .when = "schedule=inverse",                                                             \
         .def = 0.75,                                                                            \
         .min = 0,                                                                               \
         .max = 1,                                                                               \
         .min_open = true,                                                                       \
         .doc = "Exponent of t in schedule=inverse."},                                           \
        {SMR_STOCHASTIC_FIELD(struct_, field_, period, SMR_PARAM_REAL),                          \
         .when = "schedule=step|cosine",                                                         \
         .def = 0,                                                                               \
         .min = 0,                                                                               \
         .max = INFINITY,                                                                        \
         .max_open = true,                                                                       \
         .doc = "Steps between drops in schedule=step, or length of the "                        \
                "decay in schedule=cosine; 0: a third of the fit, or the "                       \
                "whole fit."},                                                                   \
        {SMR_STOCHASTIC_FIELD(struct_, field_, momentum, SMR_PARAM_REAL),                        \
         .when = "method=momentum|nesterov",                                                     \
         .def = 0.9,                                                                             \
         .min = 0,                                                                               \
         .max = 1,                                                                               \
         .min_open = true,                                                                       \
         .max_open = true,                                                                       \
         .doc = "Share of the previous step that momentum and nesterov keep."},                  \
        {SMR_STOCHASTIC_FIELD(struct_, field_, batch, SMR_PARAM_INT),                            \
         .def = 1,                                                                               \
         .min = 1,                                                                               \
         .max = 1e9,                                                                             \
         .search = SMR_SEARCH_LOG,                                                               \
         .search_min = 1,                                                                        \
         .search_max = 256,                                                                      \
         .doc = "Number of rows whose gradients are averaged into one step."},                   \
        {SMR_STOCHASTIC_FIELD(struct_, field_, passes, SMR_PARAM_INT),                           \
         .fit_only = true,                                                                       \
         .def = 1000,                                                                            \
         .min = 1,                                                                               \
         .max = 1e9,                                                                             \
         .doc = "Maximum number of passes over the rows."},                                      \
        {SMR_STOCHASTIC_FIELD(struct_, field_, patience, SMR_PARAM_INT),                         \
         .fit_only = true,                                                                       \
         .def = 3,                                                                               \
         .min = 1,                                                                               \
         .max = 1e9,                                                                             \
         .doc = "Number of passes without progress (see tol) before the fit "                    \
                "ends, or schedule=adaptive lowers the rate."},                                  \
        {SMR_STOCHASTIC_FIELD(struct_, field_, average, SMR_PARAM_BOOL), .def = false,           \
         .search = SMR_SEARCH_VALUES,                                                            \
         .doc = "Use the average of the weights after the first pass (in a stream: after 1000 "  \
                "steps)."},                                                                      \
        {SMR_STOCHASTIC_FIELD(struct_, field_, shuffle, SMR_PARAM_BOOL), .fit_only = true,       \
         .def = true, .doc = "Visit the rows in a new random order in each pass."},              \
    {                                                                                            \
        SMR_STOCHASTIC_FIELD(struct_, field_, watch, SMR_PARAM_BOOL),                            \
            .fit_only = true, .def = false,                                                      \
            .doc = "Measure the variance of the rows' gradients in each pass."                   \
    }

/* Those of a learner with other solvers besides, as fields of its own; the rest as in `sgd`.  Such
 * a learner has no `method`: its solver's name says what it does. */
#define SMR_STOCHASTIC_FEW(struct_, when_)                                                         \
    {SMR_FIELD(struct_, schedule), .when = when_, .choices = smr_stochastic_schedules,             \
     .def = SMR_SCHEDULE_BY_USE, .doc = "How the learning rate decreases with the steps."},        \
        {SMR_FIELD(struct_, rate),                                                                 \
         .when = when_,                                                                            \
         .def = 0,                                                                                 \
         .min = 0,                                                                                 \
         .max = INFINITY,                                                                          \
         .max_open = true,                                                                         \
         .doc = "Initial learning rate; 0: chosen from the size of the rows."},                    \
        {SMR_FIELD(struct_, batch),                                                                \
         .when = when_,                                                                            \
         .def = 1,                                                                                 \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .doc = "Number of rows whose gradients are averaged into one step."},                     \
        {SMR_FIELD(struct_, passes),                                                               \
         .fit_only = true,                                                                         \
         .when = when_,                                                                            \
         .def = 1000,                                                                              \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .doc = "Maximum number of passes over the rows."},                                        \
    {                                                                                              \
        SMR_FIELD(struct_, average), .when = when_, .def = false,                                  \
                                     .doc = "Use the average of the weights after the first pass " \
                                            "(in a stream: after 1000 steps)."                     \
    }

struct smr_stochastic_params smr_stochastic_steps(int schedule, double rate, int64_t batch,
                                                  int64_t passes, bool average);

/* ---- what a learner hands over -------------------------------------------------------------- */

typedef struct smr_stochastic_opts {
    const char *learner;  /* for messages                                                    */
    const smr_loss *loss; /* not zero_one                                                    */
    double param;         /* of the loss                                                     */
    double l1, l2;        /* of (1); l2 NAN: by smr_stochastic_penalty                       */
    double tol;           /* a pass that lowers the loss by less, relatively, is no progress */
    double end;           /* of stochastic_finish.h: how small the gradient is at the end    */
    bool fit_intercept;
    const char
        *ease; /* what else makes it converge, for a warning: "raise l2 or tol"; NULL: none */
    const struct smr_stochastic_params *how;
} smr_stochastic_opts;

/* The model as the learner's state holds it; all arrays are owned by that state.  State rows:
 * n_optimiser (whole number, min 0), optimiser (dims n_optimiser, optional). */
typedef struct smr_stochastic {
    int64_t n_features, n_scores;
    double *coef;      /* n_scores x n_features */
    double *intercept; /* n_scores              */
    int64_t n_optimiser;
    double *optimiser; /* NULL: none            */
} smr_stochastic;

/* The same as fields of a state, n_scores under the name scores_; `model` is all of them. */
#define SMR_STOCHASTIC_STATE(scores_)    \
    union {                              \
        smr_stochastic model;            \
        struct {                         \
            int64_t n_features, scores_; \
            double *coef, *intercept;    \
            int64_t n_optimiser;         \
            double *optimiser;           \
        };                               \
    }

/* What the passes of a fit were like; arrays of n, owned by whoever asked. */
typedef struct smr_stochastic_trace {
    int64_t n;
    double *loss;     /* mean loss of the rows, each before it was learned, and the penalty / n */
    double *rate;     /* of the last step                                                       */
    double *variance; /* of the rows' gradients, and the square of their mean; NULL: not watched */
    double *square;
} smr_stochastic_trace;

/* Scores that the loss needs for a shape. */
int64_t smr_stochastic_scores(const smr_shape *shape);

/* The penalty l2 that rows with this sum of squares and this size of a target are given where none
 * is: a hundred-thousandth of the sum, and for losses that grow with the residual
 * (absolute, quantile, epsilon; huber beyond delta), not with its square, over the size of a
 * target, so that neither the features' units nor the target's change what it does. */
double smr_stochastic_penalty(const smr_loss *loss, double param, double sum, double size);

/* Rules between the parameters. */
smr_status smr_stochastic_check(smr_ctx *ctx, const smr_stochastic_opts *opts);
/* After load: does the array fit the model and the parameters? */
smr_status smr_stochastic_check_state(smr_ctx *ctx, const smr_stochastic_opts *opts,
                                      const smr_stochastic *model);

/* A model at 0: allocates coef and intercept, and the optimiser's array; what is allocated when it
 * fails is in *model, for the state's release. */
smr_status smr_stochastic_begin(smr_ctx *ctx, const smr_stochastic_opts *opts,
                                const smr_shape *shape, smr_stochastic *model);

/* Learns a block of rows in any form.  scores (n x n_scores) or NULL: those of each row before it
 * was learned, to rounding what coef and intercept gave. */
smr_status smr_stochastic_learn(smr_ctx *ctx, const smr_stochastic_opts *opts,
                                smr_stochastic *model, const smr_rows *rows,
                                const smr_truths *truths, double *scores);

/* begin, and passes until the certificate of stochastic_finish.h holds: it is looked at where
 * `patience` passes brought no progress, and schedule=auto then goes to it.  The optimiser's array
 * is given back.  Warns where passes end it.  The objective reported is (1) at the end.  trace:
 * zeroed, or NULL. */
smr_status smr_stochastic_fit(smr_ctx *ctx, const smr_stochastic_opts *opts, const smr_data *data,
                              smr_stochastic *model, smr_fit_report *report,
                              smr_stochastic_trace *trace);

#endif
