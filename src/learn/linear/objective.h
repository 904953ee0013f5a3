/* objective.h -- the loss of a linear model over all rows, as a function to minimise.
 *
 *     F(W, b) = sum_i weight_i loss(y_i, W x_i + b) + l2 / 2 |W|^2                             (1)
 *
 * for any loss of math/loss.h: one score a row (residual, margin, log link), or k scores (classes).
 * The variables are W (k x d, row-major), then b (k) where there is an intercept; b is not
 * penalised.  A loss without a continuous slope gives a sub-gradient.
 *
 * Rows are read in the form they have, block by block, by one reader a lane: dense doubles where
 * they lie, floats and bytes through a block of doubles, sparse rows as they are, rows that a stage
 * computes as it computes them.  Scores, loss and gradient of a block are made while the block is
 * in the cache, so that an evaluation reads the data once.  Dense rows that are mostly zeros are
 * read as sparse ones where there are four scores or more.  The rows are cut by the data alone and
 * sums run in the order of the chunks: the same bits at any thread count.
 *
 * Cost of an evaluation or of a Hessian times a vector: 2 n d k multiply-adds (sparse: entries in
 * place of n d), one pass; the diagonal half of that; the dense Hessian n d^2 / 2, for k classes
 * n d^2 k^2 / 4.  Memory: 8 to 64 times the variables, at most 8 MB or 8 times; second order: twice
 * n x k.
 *
 * A missing or infinite feature is an error that names its row and column, told when the first sum
 * comes out not finite. */
#ifndef SMR_LEARN_LINEAR_OBJECTIVE_H
#define SMR_LEARN_LINEAR_OBJECTIVE_H

#include "data/data.h"
#include "math/loss.h"
#include "math/optimize.h"

typedef struct smr_linear_problem {
    const smr_data *data;
    const smr_loss *loss;
    double param; /* the loss's parameter, where it has one */
    /* Targets of a loss with one score, n_rows; NULL: the data's first output, or for a margin -1
     * and 1 for the classes 0 and the others.  Classes are the data's labels. */
    const double *y;
    const double *weight; /* n_rows; NULL: the data's */
    double l2;
    bool fit_intercept;
    bool second_order; /* gives the Hessian: smooth losses, of classes cross_entropy */
    /* Classes: adds 1/2 |sum_c b_c|^2, and with pinned_weights 1/2 |sum_c w_c|^2, where (1) leaves
     * them free to move together: at the minimum it is 0, and the Hessian is regular there. */
    bool pinned, pinned_weights;
} smr_linear_problem;

typedef struct smr_linear_objective smr_linear_objective;

/* Checks targets, weights and sizes: SMR_ERR_DATA with a message that begins with `learner`. */
smr_status smr_linear_objective_open(smr_ctx *ctx, const char *learner,
                                     const smr_linear_problem *problem, smr_linear_objective **out);
void smr_linear_objective_close(smr_linear_objective *o);

/* For the methods of math/optimize.h; valid until it is closed. */
const smr_objective *smr_linear_function(const smr_linear_objective *o);
/* k, the scores of a row. */
int64_t smr_linear_n_scores(const smr_linear_objective *o);
/* Another penalty, for paths. */
void smr_linear_set_l2(smr_linear_objective *o, double l2);

/* The next evaluation makes the Hessian of its point in the same pass, and keeps it for the two
 * below; for a point that will most likely need it.  Costs n x n numbers. */
void smr_linear_want_hessian(smr_linear_objective *o);
bool smr_linear_has_hessian(const smr_linear_objective *o, const double *w);

/* From now on (1) sums over every `every`-th run of rows only, from the first on (a run has at most
 * 128): for a method that begins with a part of the rows, and then takes all with 1.  Returns how
 * many rows these are; row i is one of them if i / run % every = 0, run = smr_linear_run. */
int64_t smr_linear_take_every(smr_linear_objective *o, int64_t every);
int64_t smr_linear_run(const smr_linear_objective *o);

/* H (n x n) at w, evaluated there unless it was the last point evaluated. */
smr_status smr_linear_hessian_at(smr_ctx *ctx, smr_linear_objective *o, const double *w, double *H);

/* mean (d) and the mean of squares (d) of the features under the weights, two passes; *total the
 * sum of the weights. */
smr_status smr_linear_moments(smr_ctx *ctx, smr_linear_objective *o, double *mean, double *square,
                              double *total);

/* scores (n_rows x k) = W x_i + b, with the bits that the loss sees. */
smr_status smr_linear_scores(smr_ctx *ctx, smr_linear_objective *o, const double *w,
                             double *scores);

#endif
