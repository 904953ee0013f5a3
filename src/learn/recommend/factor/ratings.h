/* ratings.h -- what the files of factor share: parameters, state, ratings in order.
 *
 * ratings.c      parameters, what is predicted, the descriptor
 * factor_fit.c   ratings put in order, and the fit around either method
 * factor_als.c   alternating least squares
 * factor_sgd.c   stochastic gradients, in blocks that share no user and no item
 * factor_rank.c  the best items of a user, items that are alike
 * factor_tell.c  inspect and figures */
#ifndef SMR_LEARN_RECOMMEND_FACTOR_RATINGS_H
#define SMR_LEARN_RECOMMEND_FACTOR_RATINGS_H

#include "learn/learner.h"

/* ---- parameters ------------------------------------------------------------------------- */

enum { SMR_FACTOR_ALS = 0, SMR_FACTOR_SGD };
enum { SMR_FACTOR_PER_RATING = 0, SMR_FACTOR_PLAIN };

struct smr_factor_params {
    int64_t k, max_iter;
    int method, penalty;
    double l2, l2_bias, rate, tol, init;
};

/* ---- state ------------------------------------------------------------------------------ */

struct smr_factor_state {
    int64_t n_users, n_items, k;
    double mean;       /* of the ratings                                        */
    double weight;     /* of all ratings                                        */
    double *user_bias; /* n_users                                               */
    double *item_bias; /* n_items                                               */
    double *user;      /* n_users x k                                           */
    double *item;      /* n_items x k                                           */
    double *rated;     /* n_items: weight of its ratings                        */
    double *item_mean; /* n_items: mean of its ratings; the mean without any    */
    int64_t repeated;  /* ratings of an item that the same user rated before    */
    int64_t n_steps;
    double *rmse; /* n_steps: of the ratings, after each step              */
    int64_t n_had, n_start;
    int64_t *start; /* n_users + 1: where the user's items begin             */
    int32_t *had;   /* n_had: items, ascending for each user                 */
};

/* ---- the fit ---------------------------------------------------------------------------- */

/* One rating, less the mean. */
typedef struct smr_rating {
    int32_t user, item;
    double r, w;
} smr_rating;

/* What both methods work on.  Ratings of user u are by_user[e], user_start[u] <= e
 * < user_start[u + 1], by item, then by value and weight, so that the order of the rows does not
 * matter; by_item is the same by items. */
struct smr_factor_work {
    const struct smr_factor_params *p;
    struct smr_factor_state *s;
    smr_fit_report *report;
    int64_t n;
    smr_rating *by_user, *by_item;
    int64_t *user_start, *item_start;
    double *user_weight, *item_weight; /* of their ratings                      */
    double *error, *penalty;           /* n_users: parts of the objective       */
};

/* What l2 is multiplied with for somebody whose ratings have this weight. */
static inline double smr_factor_share(const struct smr_factor_params *p, double weight)
{
    return p->penalty == SMR_FACTOR_PLAIN ? 1 : weight;
}

/* (2), counted anew: the sum over users of what each adds, in their order; and *squares, the sum of
 * w e^2 in it. */
smr_status smr_factor_objective(smr_ctx *ctx, struct smr_factor_work *f, double *objective,
                                double *squares);
/* Notes a step: its objective, and the error of the ratings. */
smr_status smr_factor_note(smr_ctx *ctx, struct smr_factor_work *f, double *objective);

smr_status smr_factor_als(smr_ctx *ctx, struct smr_factor_work *f);
smr_status smr_factor_sgd(smr_ctx *ctx, struct smr_factor_work *f);

/* One step (5) from a rating with e = r - b - c - p'q, by the values from before it. */
void smr_factor_step(int64_t k, double rate, double we, const double decay[4], double *bias,
                     double *other_bias, double *p, double *q);

smr_status smr_factor_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report);

/* ---- what is told ----------------------------------------------------------------------- */

double smr_factor_rate(const struct smr_factor_state *s, int64_t user, int64_t item);
smr_status smr_factor_describe(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_factor_draw(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures);
extern const smr_can_rank smr_factor_ranks;

#endif
