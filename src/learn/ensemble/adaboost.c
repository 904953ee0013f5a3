/* adaboost.c -- boosting: one learner after another, each for the rows that the others got wrong.
 *
 * Classes.  w_i are the weights of the rows, first the given ones; in round t a member h is fitted
 * with them, and with K the number of classes that have rows
 *
 *     e     = share of the weight that h gets wrong                                        (1)
 *     alpha = rate (ln((1 - e) / e) + ln(K - 1)) / 2      (step=fixed: a constant)         (2)
 *     w_i  := w_i exp(2 alpha [h wrong on i]), normalised                                  (3)
 *     s_k   = sum_t 2 alpha_t [h_t(x) = k]                                                 (4)
 *
 * which for K = 2 is w exp(-alpha y h): afterwards h itself is wrong on exactly half of the weight.
 * method=real asks the members for probabilities p instead (kept above 2^-52) and takes
 *
 *     s_k   = sum_t rate (ln p_tk - mean over k of ln p_tk),  w_i := w_i exp(-s_y of t)    (5)
 *
 * Both go down the exponential loss L = mean of exp(-s_y + mean s) one coordinate at a time; its
 * minimiser is s_k - mean s = ln p_k - mean ln p.  Hence PROBA = softmax(s), for two classes
 * 1 / (1 + exp(-2 f)) with f = sum alpha h, and DECISION = (K - 1) (s_k - mean s), for two classes
 * (-f, f).  L is the product of the factors Z by which a round changes it; for K = 2 it bounds the
 * training error, and with gamma the least of 1/2 - e it is at most exp(-2 gamma^2 T).  For K > 2
 * the bound is the product of (1 - e) exp(-alpha) + e exp(alpha), since a wrong row has half of the
 * votes or more against it; real has no bound.  The margin of a row is (s_y - max of the others) /
 * sum 2 alpha; for real, over the sum of the widest spreads of a round.
 *
 * Numbers (R2).  With D the largest error of the member, l_i its error over D, squared, or
 * 1 - exp(-it), and m the weighted mean of l
 *
 *     beta = m / (1 - m),   w_i := w_i beta^(rate (1 - l_i)),   alpha = rate ln(1 / beta)    (6)
 *
 * and the answer is the median of the members' values, weighted by alpha.
 *
 * Boosting ends before all rounds are made, and says so: a member without an error is the last one,
 * and outvotes all others (alpha = 1 + their sum; with real: once the whole makes no error either);
 * a member at chance (e >= 1 - 1/K, Z >= 1, m >= 1/2) is left out and ends it.  The first at
 * chance: an error for classes; for numbers it is kept alone.  Weights are kept as logarithms.
 *
 * Cost: a fit and a prediction of all rows per round, and O(n K); memory 8 n (K + 4) bytes besides
 * them.  Ties between classes go to the first.
 *
 * Reference: Freund & Schapire, JCSS 55:119-139, 1997; Zhu, Zou, Rosset & Hastie, Statistics and
 * Its Interface 2:349-360, 2009; Drucker, ICML 1997. */
#include "learn/ensemble/adaboost.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice methods[] = {
    [SMR_ADABOOST_DISCRETE] = {"discrete", "members vote for a class (SAMME)"},
    [SMR_ADABOOST_REAL] = {"real", "members give probabilities (SAMME.R)"},
    {NULL, NULL},
};

static const smr_choice losses[] = {
    [SMR_ADABOOST_LINEAR] = {"linear", "the error divided by the largest error"},
    [SMR_ADABOOST_SQUARE] = {"square", "the square of that"},
    [SMR_ADABOOST_EXPONENTIAL] = {"exponential", "1 - exp(-that)"},
    {NULL, NULL},
};

static const smr_choice steps[] = {
    [SMR_ADABOOST_BY_ERROR] = {"error", "a better member weighs more"},
    [SMR_ADABOOST_FIXED] =
        {"fixed", "all members weigh the same; small weights approximate an l1 penalty on them"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_adaboost_params, rounds), .def = 50, .min = 1, .max = 1e6,
     .primary = true, .search = SMR_SEARCH_LOG, .search_min = 10, .search_max = 500,
     .simpler = SMR_SIMPLER_LOW, .doc = "Maximum number of rounds; each adds one member."},
    {SMR_FIELD(struct smr_adaboost_params, method), .tasks = SMR_DOES_CLASSIFY,
     .def = SMR_ADABOOST_DISCRETE, .choices = methods, .search = SMR_SEARCH_VALUES,
     .doc = "For classes: what the members return. Numbers are always boosted by AdaBoost.R2."},
    {SMR_FIELD(struct smr_adaboost_params, loss), .tasks = SMR_DOES_REGRESS,
     .def = SMR_ADABOOST_LINEAR, .choices = losses,
     .doc = "For numbers: how a member's errors are measured."},
    {SMR_FIELD(struct smr_adaboost_params, step), .def = SMR_ADABOOST_BY_ERROR, .choices = steps,
     .doc = "How the weight of a member is chosen."},
    {SMR_FIELD(struct smr_adaboost_params, rate), .def = 1, .min = 0, .min_open = true, .max = 10,
     .when = "step=error", .search = SMR_SEARCH_LOG, .search_min = 0.05, .search_max = 1,
     .doc = "Multiplies every member's weight; below 1, learning takes more and smaller steps."},
    {SMR_FIELD(struct smr_adaboost_params, alpha), .def = 0.1, .min = 0, .min_open = true,
     .max = 10, .when = "step=fixed", .doc = "The weight that every member gets."},
    {SMR_FIELD(struct smr_adaboost_params, resample), .def = false,
     .doc = "Fit members on rows sampled by weight; always done if a member cannot use weights."},
    {SMR_FIELD(struct smr_adaboost_params, of), .grammar = &smr_sentences, .unset = true, .most = 1,
     .def_classes = "(stump)", .def_numbers = "(tree 3)",
     .doc = "The learner or pipeline to boost; unset: (stump) for classes, (tree 3) for numbers."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_adaboost_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0: numbers."},
    {SMR_KEPT(struct smr_adaboost_state, n_rounds), .min = 1, .doc = "Members."},
    {SMR_KEPT(struct smr_adaboost_state, stopped), .min = 0, .max = SMR_ADABOOST_ALONE,
     .doc = "Why it ended: 0 all rounds done, 1 no error left, 2 no better than chance, 3 only the "
            "first learner kept."},
    {SMR_KEPT(struct smr_adaboost_state, resampled), .min = 0, .max = 1,
     .doc = "1 if members were fitted to rows drawn by weight."},
    {SMR_KEPT(struct smr_adaboost_state, start), .reals = SMR_REALS_FINITE,
     .doc = "Numbers: the mean of the target."},
    {SMR_KEPT(struct smr_adaboost_state, present), .with = "classes", .max = 1,
     .dims = {"n_classes"}, .optional = true, .doc = "1 for classes that had rows."},
    {SMR_KEPT(struct smr_adaboost_state, alpha), .reals = SMR_REALS_ABOVE_0, .dims = {"n_rounds"},
     .doc = "Weight of each member."},
    {SMR_KEPT(struct smr_adaboost_state, error), .dims = {"n_rounds"},
     .doc = "Weighted error of each member, or its mean loss."},
    {SMR_KEPT(struct smr_adaboost_state, ln_loss), .with = "classes", .dims = {"n_rounds"},
     .optional = true, .doc = "Logarithm of the mean exponential loss after the round."},
    {SMR_KEPT(struct smr_adaboost_state, ln_bound), .with = "classes", .dims = {"n_rounds"},
     .optional = true, .doc = "Logarithm of the bound on the training error."},
    {SMR_KEPT(struct smr_adaboost_state, train_error), .with = "classes", .dims = {"n_rounds"},
     .optional = true, .doc = "Training error after the round."},
    {SMR_KEPT(struct smr_adaboost_state, largest), .with = "targets", .dims = {"n_rounds"},
     .optional = true, .doc = "Numbers: the largest error of each member."},
    {SMR_KEPT(struct smr_adaboost_state, n_marks), .min = 0, .max = SMR_ADABOOST_MARKS,
     .doc = "Rounds whose margins are kept."},
    {SMR_KEPT(struct smr_adaboost_state, n_levels), .min = 2,
     .doc = "Quantiles of each round's margins."},
    {SMR_KEPT(struct smr_adaboost_state, mark), .with = "n_marks", .dims = {"n_marks"},
     .optional = true, .doc = "The rounds whose margins are kept."},
    {SMR_KEPT(struct smr_adaboost_state, margin), .with = "n_marks",
     .dims = {"n_marks", "n_levels"}, .optional = true,
     .doc = "Quantiles of the training rows' margins."},
    {SMR_KEPT(struct smr_adaboost_state, n_heavy), .min = 0, .max = SMR_ADABOOST_HEAVY,
     .doc = "Rows listed in heavy_row."},
    {SMR_KEPT(struct smr_adaboost_state, heavy_row), .with = "n_heavy", .dims = {"n_heavy"},
     .optional = true, .doc = "Rows whose weight grew most."},
    {SMR_KEPT(struct smr_adaboost_state, heavy_weight), .with = "n_heavy", .dims = {"n_heavy"},
     .optional = true, .doc = "By which factor the weight of each grew."},
    {SMR_KEPT(struct smr_adaboost_state, of), .same = true, .dims = {"n_rounds"},
     .doc = "The members."},
};

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_adaboost_state *s = state_;
    (void)params_;
    if (!s) return ~0u;
    return s->n_classes ? SMR_GIVES_PROBA | SMR_GIVES_DECISION : SMR_GIVES_VALUE;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool rounds_are_sound(const struct smr_adaboost_state *s)
{
    int64_t n_present = 0;
    for (int64_t t = 0; t < s->n_rounds; t++)
        if (!(s->error[t] >= 0)) return false;
    for (int64_t c = 0; c < s->n_classes; c++) n_present += s->present[c];
    return s->n_classes == 0 || n_present > 0;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_adaboost_state *s = state_;
    (void)shape;
    if (!rounds_are_sound(s))
        return smr_fail(ctx, SMR_ERR_FORMAT, "adaboost: its rounds are damaged");
    for (int64_t t = 0; t < s->n_rounds; t++)
        if (!(smr_member_gives(&s->of.member[t]) & 1u << smr_adaboost_asks(params_, s)))
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "adaboost: member %lld does not give what it needs", (long long)t);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "adaboost",
    .synonyms = "boosting AdaBoostClassifier AdaBoostRegressor",
    .family = "ensemble",
    .title = "AdaBoost",
    .brief = "Boosts a learner: each round concentrates on the rows that earlier rounds got wrong.",
    .objective = "mean of exp(-y f(x)), f = sum of alpha h over the members; numbers: the weighted "
                 "median of the members (R2)",
    .details =
        "Members are fitted one after another; the weights of the rows that a member gets wrong "
        "grow for the next one. A member that takes no weights is fitted on rows drawn by "
        "weight. Probabilities follow from the exponential loss, 1 / (1 + exp(-2 f)) for two "
        "classes, and are overconfident: calibrate of=(adaboost ...) corrects that. Row weights "
        "that are given are the initial weights, and their sum stays the same. A member without "
        "an error is the last one and outvotes the others. A member no better than chance is "
        "left out and ends the fit; in the first round it is an error. inspect shows each "
        "round's alpha, weighted error, loss and bound, the margins, and the rows that became "
        "heaviest: outliers, or wrong labels. In tune the member's parameters are addressed as "
        "of.max_depth. Ties go to the first class.",
    .reference = "Freund & Schapire, JCSS 55 (1997) 119-139; Zhu et al., Statistics and Its "
                 "Interface 2 (2009) 349-360; Drucker, ICML 1997",
    .example = "samara train \"adaboost 100\" data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_adaboost_params),
};

static const smr_can_grow grows = {
    .count = smr_adaboost_rounds,
    .predict_after = smr_adaboost_predict_after,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_adaboost_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .gives_with = gives_with,
    .check = check,
    .predict = smr_adaboost_predict,
    .scratch = smr_adaboost_scratch,
    .describe = smr_adaboost_describe,
    .draw = smr_adaboost_figures,
    .rounds = &grows,
};

static const smr_can_trace traces = {.shows = "the weights of the rows after each round"};

const smr_learner smr_adaboost = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .fit = SMR_TRAINING(smr_adaboost_fit),
    .resume = SMR_TRAINING(&smr_adaboost_resume),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
