/* ratings.c -- factorisation of ratings: what a user thinks of an item, from what others thought.
 *
 * Of a rating r of item i by user u the model says
 *
 *     r^ = m + b_u + c_i + p_u'q_i                                                            (1)
 *
 * m the mean rating, b how much higher a user rates, c how much higher an item is rated, and p, q
 * k factors of each.  Of the pairs that were rated, with weights w, it minimises
 *
 *     sum w (r - r^)^2 + sum_u s_u (l2 |p_u|^2 + l2_bias b_u^2)
 *                      + sum_i s_i (l2 |q_i|^2 + l2_bias c_i^2)                               (2)
 *
 * s the weight of the ratings of the user or the item (penalty=per_rating), or 1 (plain).
 *
 * als: with the items held, (2) is a ridge regression for each user by itself,
 *
 *     [sum w (1 q)(1 q)' + s_u diag(l2_bias, l2 ...)] (b_u p_u) = sum w (r - m - c) (1 q)    (3)
 *
 * and with the users held the same for each item (4).  Neither raises (2).  It ends when (2) falls
 * by less than tol of itself.  Cost of an iteration: n k^2 + (users + items) k^3 / 3 multiply-adds.
 * sgd: for one rating after another, e = r - r^, rate a, all from the values before the step
 *
 *     b += a (w e - l2_bias b)   p += a (w e q - l2 p)   and so for c and q                   (5)
 *
 * (plain: with l2 divided by the number of ratings).  The order is drawn, factor_sgd.c tells how it
 * runs on many threads.  Cost of an epoch: 4 n k multiply-adds.
 *
 * Nobody knows a user or an item without ratings: its bias and factors are 0, and what is left of
 * (1) is what is predicted.  All ratings equal: (2) is 0 from the start.
 * Symbols: n ratings, k factors.  Memory: 8 k (users + items) + 100 n bytes.
 * References: Koren, Bell & Volinsky, Computer 42 (2009); Zhou et al., AAIM 2008; Gemulla et al.,
 * KDD 2011. */
#include "learn/recommend/factor/ratings.h"

#include "kernel/kernel.h"

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice methods[] = {
    [SMR_FACTOR_ALS] = {"als", "alternating least squares: users and items in turns, exactly"},
    [SMR_FACTOR_SGD] = {"sgd", "stochastic gradients: rating after rating"},
    {NULL, NULL},
};

static const smr_choice penalties[] = {
    [SMR_FACTOR_PER_RATING] = {"per_rating", "the penalty of a user or an item counts once for "
                                             "each of its ratings"},
    [SMR_FACTOR_PLAIN] = {"plain", "it counts once"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_factor_params, field_)

static const smr_param params[] = {
    {P(k), .def = 50, .min = 0, .max = 10000, .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 1, .search_max = 100, .simpler = SMR_SIMPLER_LOW,
     .doc = "Factors of a user and of an item; 0: biases alone."},
    {P(method), .choices = methods, .fit_only = true, .doc = "How they are found."},
    {P(l2), .def = 0.1, .min = 0, .max = 1e9, .search = SMR_SEARCH_LOG, .search_min = 0.01,
     .search_max = 1, .simpler = SMR_SIMPLER_HIGH, .doc = "Penalty of the factors."},
    {P(l2_bias), .def = 0.01, .min = 0, .max = 1e9, .search = SMR_SEARCH_LOG, .search_min = 0.001,
     .search_max = 1, .simpler = SMR_SIMPLER_HIGH, .doc = "Penalty of the biases."},
    {P(penalty), .choices = penalties, .fit_only = true, .doc = "How often the penalties count."},
    {P(max_iter), .def = 50, .min = 1, .max = 1000000, .fit_only = true,
     .doc = "Iterations, or epochs, at most."},
    {P(tol), .def = 1e-4, .min = 0, .max = 1, .fit_only = true,
     .doc = "Ends when the objective changes by less than this share of itself."},
    {P(rate), .def = 0.02, .min = 0, .min_open = true, .max = 1, .when = "method=sgd",
     .fit_only = true, .search = SMR_SEARCH_LOG, .search_min = 0.001, .search_max = 0.1,
     .doc = "Length of a step."},
    {P(init), .def = 0.5, .min = 0, .min_open = true, .max = 100, .fit_only = true,
     .doc = "Length of the factors that it starts from, which are drawn."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_factor_params *p = params_;
    if (p->method == SMR_FACTOR_SGD || p->l2 > 0 || p->k == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "factor: with l2=0 the factors of whoever has fewer than k ratings are not "
                    "determined; give an l2 above 0, or method=sgd");
}

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_factor_state, field_)

static const smr_state state[] = {
    {KEPT(n_users), .is = "users", .min = 1, .doc = "Users."},
    {KEPT(n_items), .is = "items", .min = 1, .doc = "Items."},
    {KEPT(k), .min = 0, .max = 10000, .doc = "Factors."},
    {KEPT(mean), .reals = SMR_REALS_FINITE, .doc = "Mean rating."},
    {KEPT(weight), .reals = SMR_REALS_ABOVE_0, .doc = "Weight of the ratings."},
    {KEPT(user_bias), .dims = {"n_users"}, .reals = SMR_REALS_FINITE,
     .doc = "How much higher users rate."},
    {KEPT(item_bias), .dims = {"n_items"}, .reals = SMR_REALS_FINITE,
     .doc = "How much higher items are rated."},
    {KEPT(user), .dims = {"n_users", "k"}, .reals = SMR_REALS_FINITE, .optional = true, .with = "k",
     .doc = "Factors of the users."},
    {KEPT(item), .dims = {"n_items", "k"}, .reals = SMR_REALS_FINITE, .optional = true, .with = "k",
     .doc = "Factors of the items."},
    {KEPT(rated), .dims = {"n_items"}, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of each item's ratings."},
    {KEPT(item_mean), .dims = {"n_items"}, .reals = SMR_REALS_FINITE,
     .doc = "Their mean; that of all where there are none."},
    {KEPT(repeated), .min = 0, .doc = "Ratings of an item that the same user rated before."},
    {KEPT(n_steps), .min = 1, .doc = "Iterations, or epochs."},
    {KEPT(rmse), .dims = {"n_steps"}, .reals = SMR_REALS_FROM_0,
     .doc = "Root mean squared error of the ratings after each."},
    {KEPT(n_had), .min = 1, .doc = "Pairs that were rated."},
    {KEPT(n_start), .is = "users + 1", .min = 2, .doc = "Users and one."},
    {KEPT(start), .dims = {"n_start"}, .order = SMR_ORDER_STARTS, .below = "n_had",
     .doc = "Where each user's items begin."},
    {KEPT(had), .dims = {"n_had"}, .below = "n_items", .doc = "Items, ascending for each user."},
};

/* ---- predict ---------------------------------------------------------------------------- */

double smr_factor_rate(const struct smr_factor_state *s, int64_t user, int64_t item)
{
    double sum = s->mean;
    if (user >= 0) sum += s->user_bias[user];
    if (item >= 0) sum += s->item_bias[item];
    if (user < 0 || item < 0) return sum;
    return sum + smr_dot_f64(s->k, s->user + user * s->k, s->item + item * s->k);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    (void)ctx, (void)params_, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        out[i] = smr_factor_rate(state_, rows->roles.user[i], rows->roles.item[i]);
    return SMR_OK;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_factor_params *p = params_;
    const struct smr_factor_state *s = state_;
    (void)shape;
    if (s->k != p->k)
        return smr_fail(ctx, SMR_ERR_FORMAT, "factor: it has %lld factors where k=%lld",
                        (long long)s->k, (long long)p->k);
    for (int64_t u = 0; u < s->n_users; u++)
        for (int64_t e = s->start[u] + 1; e < s->start[u + 1]; e++)
            if (s->had[e] <= s->had[e - 1])
                return smr_fail(ctx, SMR_ERR_FORMAT, "factor: the items of a user do not ascend");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "factor",
    .synonyms = "matrix-factorisation matrix-factorization SVD FunkSVD BaselineOnly collaborative "
                "recommender recommendation latent ALS ALSWR ratings",
    .family = "recommend",
    .title = "Factorisation of ratings",
    .brief = "What a user will think of an item: biases, and a few factors of each.",
    .objective = "min sum w (r - m - b_u - c_i - p_u'q_i)^2 + sum s (l2 |p|^2 + l2_bias b^2), over "
                 "users and items; s: the weight of their ratings, or 1",
    .details =
        "Learns from the ratings that exist: --user and --item name who rated what, --target the "
        "rating. A user without ratings gets the mean and the item's bias, an item without ratings "
        "the mean and the user's bias; a warning counts them. Several ratings of an item by one "
        "user all count; with --time-column the latest does. als ends when its steps gain less "
        "than tol, and does not depend on the order of the rows; sgd takes rate times the gradient "
        "for one rating after another, in blocks that share no user and no item. Other columns are "
        "refused. The model keeps who rated what, and inspect shows which items are rated most and "
        "best, and where they lie in the plane of the first two factors.",
    .reference = "Koren, Bell & Volinsky, Matrix factorization techniques for recommender systems, "
                 "Computer 42 (2009); Zhou, Wilkinson, Schreiber & Pan, AAIM (2008)",
    .example = "samara train \"factor 4 l2=0.2\" data/ratings.csv --user reader --item book "
               "--target stars --ignore day",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_factor_params),
    .check_params = check_params,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_factor_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .check = check,
    .describe = smr_factor_describe,
    .draw = smr_factor_draw,
    .rank = &smr_factor_ranks,
};

static const smr_can_trace traces = {.shows = "the objective and the error of each iteration"};

/* A row of weight 2 is one step of twice the length, not two. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_factor_params *p = params_;
    if (p->method == SMR_FACTOR_ALS) its->traits &= ~(unsigned)SMR_DRAWS_ROWS;
}

const smr_learner smr_factor_learner = {
    .word = &about,
    .tasks = SMR_DOES_RECOMMEND,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_ROLES,
    .traits = SMR_DRAWS_ROWS | SMR_KEEPS_DATA,
    .nature = nature,
    .fit = SMR_TRAINING(smr_factor_fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
