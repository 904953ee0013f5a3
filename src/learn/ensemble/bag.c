/* bag.c -- bagging: the same learner on many samples of the data, and what they say together.
 *
 * Each bag is a sample of the rows, of the features, or of both:
 *
 *     rows=1 bootstrap=yes   n rows drawn with replacement: about 1 - 1/e = 63.2 % of the rows,
 *                            1 - (1 - 1/n)^n of n, some of them more than once
 *     rows=s bootstrap=no    s n rows drawn without replacement; rows=1: all of them
 *     columns=s              s d features drawn at random
 *     parts=K                the features are dealt into K parts and each bag leaves out one, so
 *                            that it has (K - 1) / K of them: bags 0 .. K-1 leave out each once
 *
 * A learner is fitted on every bag, and the answers are combined (combine.h).  Bags differ, so do
 * the errors of unstable learners, and what they have of their own averages out: the variance of
 * the mean of B answers of variance v and correlation c is c v + (1 - c) v / B.
 *
 * Out of bag: a row is judged by the bags that do not hold it.  That costs no further fit, and no
 * row is judged by a learner that saw it; with fewer learners per row (37 % of them), it is a
 * little pessimistic.  With groups, whole groups are drawn, so that it stays honest.
 *
 * Weights: pass on, where a row drawn c times has c times its weight, or draw, where a row is drawn
 * as often as its weight says and counts 1.  Rows of weight 0 are never drawn.  With weigh=oob a
 * bag's answer weighs as much as its own out-of-bag error says (a weighted majority).
 *
 * Random numbers are keyed by the bag, and so are those of learners inside it.
 * Cost: `bags` fits, side by side; the out-of-bag answers of some bags at a time.
 * References: Breiman, Machine Learning 24:123-140, 1996; Ho, IEEE PAMI 20, 1998. */
#include "learn/ensemble/bag.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice weighings[] = {
    [SMR_BAG_EQUAL] = {"equal", "all bags count the same"},
    [SMR_BAG_OOB] = {"oob", "by each bag's error on the rows that it does not hold: "
                            "log((1 - e) / e) + log(classes - 1), e = (wrong + 1/2) / (rows + 1); "
                            "numbers: 1 / mse"},
    {NULL, NULL},
};
static const smr_choice weights[] = {
    [SMR_BAG_PASS] = {"pass", "all rows are equally likely and keep their weights"},
    [SMR_BAG_DRAW] = {"draw", "rows are drawn as often as their weights say, and count 1"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_bag_params, bags), .def = 50, .min = 1, .max = 100000, .primary = true,
     .search = SMR_SEARCH_LOG, .search_min = 5, .search_max = 200, .doc = "Number of learners."},
    {SMR_FIELD(struct smr_bag_params, rows), .def = 1, .min = 0, .max = 1, .min_open = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 0.2, .search_max = 1,
     .doc = "Size of a bag, as a share of all rows (or of the groups, if there are groups)."},
    {SMR_FIELD(struct smr_bag_params, bootstrap), .def = true,
     .doc = "Draw rows with replacement; no: each row at most once."},
    {SMR_FIELD(struct smr_bag_params, columns), .def = 1, .min = 0, .max = 1, .min_open = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 0.2, .search_max = 1, .when = "parts=none",
     .doc = "Share of the features that each bag uses."},
    {SMR_FIELD(struct smr_bag_params, parts), .unset = true, .none = "0", .min = 1,
     .max = SMR_MAX_DIM,
     .doc = "Divide the features into this many parts, one of which each bag leaves out; unset: as "
            "columns says."},
    {SMR_FIELD(struct smr_bag_params, combine), .def = SMR_COMBINE_AUTO,
     .choices = smr_combine_ways, .doc = "How the predictions are combined."},
    {SMR_FIELD(struct smr_bag_params, weigh), .def = SMR_BAG_EQUAL, .choices = weighings,
     .doc = "How much each bag counts."},
    {SMR_FIELD(struct smr_bag_params, weights), .def = SMR_BAG_PASS, .choices = weights,
     .doc = "What row weights mean."},
    {SMR_FIELD(struct smr_bag_params, of), .grammar = &smr_sentences, .least = 1, .most = 1,
     .def_text = "(tree)", .doc = "The learner that is fitted on every bag."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_bag_params *p = params_;
    if (p->parts == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bag: parts=1 would leave out every feature; 2 is the least, 0 none");
    if (p->weights == SMR_BAG_DRAW && !p->bootstrap)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bag: weights=draw draws a row as often as its weight says, and needs "
                        "bootstrap=yes");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_bag_state, n_bags), .min = 1, .doc = "Learners."},
    {SMR_KEPT(struct smr_bag_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct smr_bag_state, n_outputs), .is = "targets", .min = 0,
     .doc = "Targets; 0 for classes."},
    {SMR_KEPT(struct smr_bag_state, n_answers), .is = "answers", .min = 1,
     .doc = "Classes, or targets."},
    {SMR_KEPT(struct smr_bag_state, way), .min = SMR_COMBINE_MEAN, .max = SMR_COMBINE_MEDIAN,
     .doc = "1 mean, 2 vote, 3 median."},
    {SMR_KEPT(struct smr_bag_state, oob_error),
     .doc = "Out of bag: share of wrong classes, or mean squared error; NaN: no such rows."},
    {SMR_KEPT(struct smr_bag_state, oob_loss), .doc = "Out of bag: log loss; NaN for numbers."},
    {SMR_KEPT(struct smr_bag_state, oob_r2), .doc = "Out of bag: R2; NaN for classes."},
    {SMR_KEPT(struct smr_bag_state, oob_rows),
     .doc = "Share of the rows' weight that some bag does not hold."},
    {SMR_KEPT(struct smr_bag_state, held),
     .doc = "Share of the rows that a bag holds, on average."},
    {SMR_KEPT(struct smr_bag_state, prior), .reals = SMR_REALS_FINITE, .dims = {"n_answers"},
     .doc = "Shares of the classes, or means of the targets: the answer without any bag."},
    {SMR_KEPT(struct smr_bag_state, weight), .reals = SMR_REALS_FROM_0, .dims = {"n_bags"},
     .doc = "How much the answer of each bag weighs."},
    {SMR_KEPT(struct smr_bag_state, bag_error), .dims = {"n_bags"},
     .doc = "Error of each bag alone on the rows it does not hold; NaN: none."},
    {SMR_KEPT(struct smr_bag_state, curve), .dims = {"n_bags"},
     .doc = "Out-of-bag error of the first 1, 2 ... bags together; NaN: no rows."},
    {SMR_KEPT(struct smr_bag_state, of), .same = true, .dims = {"n_bags"},
     .doc = "The learners, fitted."},
};

smr_combine smr_bag_combine(const struct smr_bag_state *s)
{
    return (smr_combine){.way = s->way,
                         .classes = s->n_classes > 0,
                         .width = s->n_answers,
                         .of = &s->of,
                         .weight = s->weight};
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    smr_combine c = smr_bag_combine(state_);
    (void)params_;
    return smr_combine_check(ctx, "bag", &c, shape);
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    smr_combine c = smr_bag_combine(state_);
    (void)params_;
    return smr_combine_scratch(&c, n);
}

static int64_t rounds(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_bag_state *)state_)->n_bags;
}

static smr_status predict_after(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_rows *rows, smr_output output, int64_t round, double *out,
                                void *scratch_)
{
    const struct smr_bag_state *s = state_;
    smr_combine c = smr_bag_combine(s);
    (void)params_, (void)output;
    if (round > 0) return smr_combine_predict(ctx, &c, round, rows, out, scratch_);
    for (int64_t i = 0; i < rows->n; i++)
        memcpy(out + i * s->n_answers, s->prior, (size_t)s->n_answers * sizeof *out);
    return SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    return predict_after(ctx, params_, state_, rows, output, rounds(params_, state_), out,
                         scratch_);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "bag",
    .synonyms = "bagging BaggingClassifier BaggingRegressor",
    .family = "ensemble",
    .title = "Bagging",
    .brief = "Fits one learner on many random samples of the rows or features and combines their "
             "predictions.",
    .objective = "the mean, the vote or the median of the learners of all bags",
    .details =
        "Rows are drawn with replacement (a bag then holds 63.2 % of them), or without with "
        "bootstrap=no; columns or parts draw features, different ones for each bag. Each bag is "
        "judged by the rows that it does not hold: the out-of-bag error needs no held-out part, "
        "and is the objective of the fit report, bag by bag. A row drawn twice counts with "
        "weight 2. Row weights are passed on (weights=pass), or rows are drawn in proportion to "
        "their weights (weights=draw); if rows have groups, whole groups are drawn. It helps "
        "learners whose predictions change much with the rows, such as deep trees or nearest "
        "neighbours with a small k; a stable learner gains nothing. Tied votes go to the lower "
        "class.",
    .reference = "Breiman, Machine Learning 24 (1996); Ho, IEEE PAMI 20 (1998)",
    .example = "samara train \"bag 25\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_bag_params),
    .check_params = check_params,
};

static const smr_can_grow grows = {
    .count = rounds,
    .predict_after = predict_after,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_bag_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_VALUE,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_bag_describe,
    .draw = smr_bag_figures,
    .rounds = &grows,
};

const smr_learner smr_bag = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING,
    .traits = SMR_DRAWS_ROWS | SMR_OUT_OF_BAG,
    .fit = SMR_TRAINING(smr_bag_fit),
    .resume = SMR_TRAINING(&smr_bag_resume),
    .fitted = &fitted,
};
