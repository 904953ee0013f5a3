/* majority.c -- weighted majority: trust the experts that err least.
 *
 * The members are experts.  Each begins with weight 1; one that errs on a row has its weight
 * multiplied by beta, and the answer is the class with the most weight.  majority_round.c has the
 * formulas, and what they promise: never much worse than the best expert, whatever the rows.
 *
 * On a stream every member answers a row, the weights answer, and then all of them learn from it.
 * In a fit the rows come in their order, and the answers are those of members fitted without the
 * row (folds): an expert that is judged on rows it was fitted on would be trusted for its memory.
 * The members that the model keeps are fitted on all rows.  A model that was fitted goes on
 * learning from a stream by its weights; its members stay as they are.
 *
 * Cost: folds + 1 fits of each member, O(n k) for the rounds.
 *
 * Symbols: n rows, k experts. */
#include "learn/ensemble/majority.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/out_of_fold.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice methods[] = {
    [SMR_MAJORITY_VOTE] = {"majority", "the class with the largest total weight"},
    [SMR_MAJORITY_RANDOM] = {"random", "a class is drawn at random, in proportion to the weights"},
    [SMR_MAJORITY_HEDGE] = {"hedge", "the same, with weights exp(-eta mistakes)"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_majority_params, method), .def = SMR_MAJORITY_VOTE, .choices = methods,
     .primary = true, .search = SMR_SEARCH_VALUES,
     .doc = "How the experts' weights become a prediction."},
    {SMR_FIELD(struct smr_majority_params, beta), .def = 0.5, .min = 0, .min_open = true, .max = 1,
     .max_open = true, .when = "method=majority|random", .search = SMR_SEARCH_LINEAR,
     .search_min = 0.1, .search_max = 0.95,
     .doc = "Factor by which an expert's weight is multiplied when it is wrong."},
    {SMR_FIELD(struct smr_majority_params, eta), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "method=hedge",
     .doc = "Learning rate; 0: the optimal one if the number of rounds is known (horizon, or the "
            "rows of a fit), else one that decreases over the rounds."},
    {SMR_FIELD(struct smr_majority_params, horizon), .def = 0, .min = 0, .max = INFINITY,
     .max_open = true, .when = "method=hedge&eta=0",
     .doc = "Number of rounds expected in a stream, used to set the rate; 0: unknown."},
    {SMR_FIELD(struct smr_majority_params, folds), .fit_only = true, .def = 5, .min = 2,
     .max = 1000,
     .doc = "In a fit: number of folds; each fold is predicted by members fitted on the others."},
    {SMR_FIELD(struct smr_majority_params, of), .grammar = &smr_sentences, .least = 1,
     .most = SMR_MAJORITY_EXPERTS, .doc = "The experts."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_majority_state, n_classes), .is = "classes", .min = 2, .doc = "Classes."},
    {SMR_KEPT(struct smr_majority_state, n_experts), .min = 1, .max = SMR_MAJORITY_EXPERTS,
     .doc = "Experts."},
    {SMR_KEPT(struct smr_majority_state, along), .min = 0, .max = 1,
     .doc = "1 if the experts also learn from the stream, 0 if they were fitted before and stay as "
            "they are."},
    {SMR_KEPT(struct smr_majority_state, rounds), .min = 0, .max = 0x1p53,
     .doc = "Rows that the weights were learned from."},
    {SMR_KEPT(struct smr_majority_state, total), .reals = SMR_REALS_FROM_0,
     .doc = "Total weight of these rows."},
    {SMR_KEPT(struct smr_majority_state, squares), .reals = SMR_REALS_FROM_0,
     .doc = "Sum of their squared weights."},
    {SMR_KEPT(struct smr_majority_state, heaviest), .reals = SMR_REALS_FROM_0,
     .doc = "The largest weight of a row."},
    {SMR_KEPT(struct smr_majority_state, fixed_rate), .reals = SMR_REALS_FROM_0,
     .doc = "Hedge: the rate of all rounds; 0: it falls with the rounds."},
    {SMR_KEPT(struct smr_majority_state, last_rate), .reals = SMR_REALS_FROM_0,
     .doc = "Hedge: the rate of the last round."},
    {SMR_KEPT(struct smr_majority_state, spread), .reals = SMR_REALS_FROM_0,
     .doc = "Hedge: rates times squared weights, summed over the rounds."},
    {SMR_KEPT(struct smr_majority_state, mistakes), .reals = SMR_REALS_FROM_0,
     .doc = "Mistakes of the class with the most weight."},
    {SMR_KEPT(struct smr_majority_state, expected), .reals = SMR_REALS_FROM_0,
     .doc = "Expected mistakes of a class drawn with the weights' shares."},
    {SMR_KEPT(struct smr_majority_state, loss), .reals = SMR_REALS_FROM_0, .dims = {"n_experts"},
     .doc = "Mistakes of each expert."},
    {SMR_KEPT(struct smr_majority_state, every), .min = 1, .max = 0x1p53,
     .doc = "Rounds from one point of the curves to the next."},
    {SMR_KEPT(struct smr_majority_state, n_points), .min = 0, .max = SMR_MAJORITY_ROOM,
     .doc = "Points of the curves."},
    {SMR_KEPT(struct smr_majority_state, room), .min = SMR_MAJORITY_ROOM, .max = SMR_MAJORITY_ROOM,
     .doc = "Points for which there is room."},
    {SMR_KEPT(struct smr_majority_state, n_curves), .is = "n_experts + 1", .min = 2,
     .max = SMR_MAJORITY_EXPERTS + 1, .doc = "n_experts + 1."},
    {SMR_KEPT(struct smr_majority_state, curve), .dims = {"room", "n_curves"},
     .doc = "Mistakes of each expert and of the master, over the rounds."},
    {SMR_KEPT(struct smr_majority_state, of), .same = true, .dims = {"n_experts"},
     .doc = "The experts."},
};

/* ---- predict ---------------------------------------------------------------------------- */

/* Scratch: shares, the answers of one row, the answers of all experts to n rows, and the members'
 * own. */
struct layout {
    int64_t answers, row, members, end;
};

static struct layout lay_out(const struct smr_majority_state *s, int64_t n)
{
    struct layout l = {0};
    int64_t most = 0;
    for (int64_t e = 0; e < s->n_experts; e++)
        most = SMR_MAX(most, smr_member_scratch(&s->of.member[e], n));
    l.row = 8 * s->n_experts;
    l.answers = (16 * s->n_experts + 63) / 64 * 64;
    l.members = (l.answers + 8 * s->n_experts * n + 63) / 64 * 64;
    l.end = l.members + most;
    return l;
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    (void)params_;
    return lay_out(state_, n).end;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_majority_state *s = state_;
    smr_status st = SMR_OK;
    char *base = scratch_;
    struct layout l = lay_out(s, rows->n);
    double *weight = scratch_, *row = (double *)(void *)(base + l.row);
    double *answers = (double *)(void *)(base + l.answers);
    (void)output;
    smr_majority_weights(params_, s, weight);
    for (int64_t e = 0; e < s->n_experts; e++)
        TRY(smr_member_predict(ctx, &s->of.member[e], rows, SMR_OUTPUT_LABEL, answers + e * rows->n,
                               base + l.members));
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t e = 0; e < s->n_experts; e++) row[e] = answers[e * rows->n + i];
        smr_majority_votes(s, weight, row, out + i * s->n_classes);
    }
out:
    return st;
}

/* ---- rounds ----------------------------------------------------------------------------- */

/* All rounds of a block; answers: expert by expert, n each.  out NULL: not wanted. */
static smr_status play(smr_ctx *ctx, const struct smr_majority_params *p,
                       struct smr_majority_state *s, int64_t n, const double *answers,
                       const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    TRY_NEW(room, 2 * s->n_experts + s->n_classes);
    double *row = room + s->n_experts, *votes = row + s->n_experts;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = 0; e < s->n_experts; e++) row[e] = answers[e * n + i];
        smr_majority_round(p, s, row, truths->label[i], truths->weight ? truths->weight[i] : 1,
                           room, votes);
        if (out) memcpy(out + i * s->n_classes, votes, (size_t)s->n_classes * sizeof *out);
    }
out:
    smr_free(room);
    return st;
}

/* The rate that promises least over rows whose squared weights sum to `squares`. */
static double best_rate(int64_t n_experts, double squares)
{
    return sqrt(8 * smr_log((double)n_experts) / squares);
}

/* Answers of members that do not know the row, the rows in their order. */
static smr_status judge_experts(smr_ctx *ctx, const struct smr_majority_params *p,
                                const smr_data *data, struct smr_majority_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows;
    double *answers = NULL, squares = 0;
    if (n < 2) {
        smr_warn(ctx, "majority: one row gives no round to judge the experts by; all weigh the "
                      "same");
        return SMR_OK;
    }
    for (int64_t i = 0; i < n; i++) squares += smr_data_weight(data, i) * smr_data_weight(data, i);
    if (p->method == SMR_MAJORITY_HEDGE && p->eta == 0 && p->horizon == 0)
        s->fixed_rate = best_rate(s->n_experts, squares);
    TRY_NEW(answers, n * s->n_experts);
    for (int64_t e = 0; e < s->n_experts; e++)
        TRY(smr_out_of_fold(ctx, p->of.spec[e], data, SMR_MIN(p->folds, n), SMR_OUTPUT_LABEL,
                            answers + e * n));
    smr_truths truths = {.label = data->label, .weight = data->weight};
    TRY(play(ctx, p, s, n, answers, &truths, NULL));
out:
    smr_free(answers);
    return st;
}

static smr_status begin_rounds(smr_ctx *ctx, const struct smr_majority_params *p, int64_t n_classes,
                               struct smr_majority_state *s)
{
    smr_status st = SMR_OK;
    TRY(smr_majority_begin(ctx, n_classes, p->of.n, s));
    TRY(smr_members_create(ctx, p->of.n, &s->of));
    if (p->method != SMR_MAJORITY_HEDGE) return SMR_OK;
    s->fixed_rate = p->eta;
    if (p->eta == 0 && p->horizon > 0) s->fixed_rate = best_rate(p->of.n, (double)p->horizon);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_majority_params *p = params_;
    struct smr_majority_state *s = state_;
    smr_status st = SMR_OK;
    TRY(begin_rounds(ctx, p, data->n_classes, s));
    for (int64_t e = 0; e < s->n_experts; e++)
        TRY(smr_member_fit(ctx, p->of.spec[e], data, &s->of.member[e], NULL));
    TRY(judge_experts(ctx, p, data, s));
    if (s->total > 0)
        report->objective = (p->method == SMR_MAJORITY_VOTE ? s->mistakes : s->expected) / s->total;
out:
    return st;
}

/* ---- streams ---------------------------------------------------------------------------- */

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_majority_params *p = params_;
    struct smr_majority_state *s = state_;
    smr_status st = SMR_OK;
    TRY(begin_rounds(ctx, p, shape->n_classes, s));
    s->along = 1;
    for (int64_t e = 0; e < s->n_experts; e++)
        TRY(smr_member_begin(ctx, p->of.spec[e], shape, &s->of.member[e]));
out:
    return st;
}

/* Answers of a member to all rows, which it learns from if truths are given. */
static smr_status ask(smr_ctx *ctx, smr_member *m, const smr_rows *rows, const smr_truths *truths,
                      double *labels)
{
    smr_status st = SMR_OK;
    double *scores = NULL;
    char *room = NULL;
    if (truths) {
        TRY_NEW(scores, rows->n * m->shape.n_classes);
        TRY(smr_member_learn(ctx, m, rows, truths, scores));
        smr_choose_labels(scores, rows->n, m->shape.n_classes, labels);
    } else {
        TRY_NEW(room, smr_member_scratch(m, rows->n) + 1);
        TRY(smr_member_predict(ctx, m, rows, SMR_OUTPUT_LABEL, labels, room));
    }
out:
    smr_free(scores);
    smr_free(room);
    return st;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    struct smr_majority_state *s = state_;
    smr_status st = SMR_OK;
    double *answers = NULL;
    TRY_NEW(answers, s->n_experts * rows->n);
    for (int64_t e = 0; e < s->n_experts; e++)
        TRY(ask(ctx, &s->of.member[e], rows, s->along ? truths : NULL, answers + e * rows->n));
    TRY(play(ctx, params_, s, rows->n, answers, truths, out));
out:
    smr_free(answers);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool counts_are_sound(const struct smr_majority_state *s)
{
    for (int64_t i = 0; i < s->n_points * s->n_curves; i++)
        if (!(s->curve[i] >= 0) || isinf(s->curve[i])) return false;
    return s->n_points <= s->rounds;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_majority_params *p = params_;
    const struct smr_majority_state *s = state_;
    (void)shape;
    if (s->n_experts != p->of.n)
        return smr_fail(ctx, SMR_ERR_FORMAT, "majority has other experts than its sentence");
    for (int64_t e = 0; e < s->n_experts; e++) {
        const smr_member *m = &s->of.member[e];
        if (s->along && !smr_member_learns(m))
            return smr_fail(ctx, SMR_ERR_FORMAT, "majority: an expert cannot learn from a stream");
    }
    if (!counts_are_sound(s))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "majority: its counts of mistakes are not finite numbers in range");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "majority",
    .synonyms = "weighted_majority method=hedge hedge exponential_weights",
    .family = "ensemble",
    .title = "Weighted majority",
    .brief = "Weighs experts online by their mistakes: never much worse than the best of them.",
    .objective = "weight_i = beta^(mistakes of i), hedge: exp(-eta mistakes of i); probability of "
                 "a class = share of the weight that votes for it",
    .details =
        "Every expert starts with weight 1, which each mistake multiplies by beta. The class "
        "with the most weight is predicted, in a tie the lower one; the probabilities are the "
        "shares of the weight. `random` and `hedge` would draw their answer with these "
        "probabilities: their mistakes are counted in expectation, and nothing is drawn. If the "
        "best of k experts makes m mistakes, the majority makes at most (log2 k + m "
        "log2(1/beta)) / log2(2/(1+beta)), 2.41 (m + log2 k) for beta = 1/2, random at most (ln "
        "k + m ln(1/beta)) / (1 - beta), hedge at most m + sqrt(T ln k / 2) in T rounds. On a "
        "stream the experts learn too, each predicting a row before it learns from it. In a fit "
        "the rows are taken in their order, each predicted by experts fitted on the other folds, "
        "and the experts that are kept are fitted on all rows; a single row leaves the weights "
        "equal. A fitted model can go on with a stream: its weights learn, its experts stay as "
        "they are. A mistake on a row of weight w counts w times.",
    .reference = "Littlestone & Warmuth, Information and Computation 108 (1994); Freund & "
                 "Schapire, J. Computer and System Sciences 55 (1997)",
    .example = "samara train \"majority of=(knn 5),(standardize | logistic),(perceptron)\" "
               "data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_majority_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_majority_state),
    .gives = SMR_GIVES_PROBA,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_majority_describe,
    .draw = smr_majority_figures,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_majority = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
