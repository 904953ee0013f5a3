/* vote.c -- several learners, one answer: votes, averages, medians.
 *
 * Every learner is fitted on all rows, and the answers are combined (combine.h): probabilities or
 * values are averaged (soft), classes are elected (hard), or the median of numbers is taken.  N
 * independent voters, each wrong with probability e < 1/2, are wrong together with probability
 *
 *     sum over k > N/2 of C(N, k) e^k (1 - e)^(N - k)                                          (1)
 *
 * 0.2160, 0.1631, 0.0782 and 0.0264 for e = 0.3 and N = 3, 5, 11, 21.  Learners of the same rows
 * are not independent: the more they differ, the nearer they come to (1).
 *
 * weights=... gives each learner its own weight; weigh=cv finds them: each learner is judged on
 * folds that it was not fitted on, and its answer weighs log((1 - e) / e) + log(k - 1) (the best
 * weights of independent voters), with e = (wrong + 1/2) / (rows + 1), or for numbers 1 / mean
 * squared error.
 * Cost: one fit per learner, with weigh=cv folds + 1.
 * Reference: Kuncheva, Combining Pattern Classifiers, 2004. */
#include "learn/ensemble/combine.h"
#include "learn/out_of_fold.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { WEIGH_GIVEN, WEIGH_CV, MOST_LEARNERS = 100 };

struct vote_params {
    int combine, weigh;
    smr_reals weights;
    int64_t folds;
    smr_specs of;
};

static const smr_choice weighings[] = {
    [WEIGH_GIVEN] = {"given", "by weights; without any, all count the same"},
    [WEIGH_CV] = {"cv", "by the error on folds that a learner was not fitted on"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct vote_params, combine), .def = SMR_COMBINE_AUTO, .choices = smr_combine_ways,
     .primary = true, .doc = "How the predictions are combined."},
    {SMR_FIELD(struct vote_params, weigh), .def = WEIGH_GIVEN, .choices = weighings,
     .doc = "How much each learner counts."},
    {SMR_FIELD(struct vote_params, weights), .unset = true, .min = 0, .max = INFINITY,
     .max_open = true, .when = "weigh=given",
     .doc = "Weights of the learners, in order; unset: all equal."},
    {SMR_FIELD(struct vote_params, folds), .def = 5, .min = 2, .max = 1000, .when = "weigh=cv",
     .doc = "Number of folds; each fold is predicted by learners fitted on the others."},
    {SMR_FIELD(struct vote_params, of), .grammar = &smr_sentences, .least = 1,
     .most = MOST_LEARNERS, .doc = "The learners."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct vote_params *p = params_;
    double sum = 0;
    if (p->weights.n == 0) return SMR_OK;
    for (int64_t m = 0; m < p->weights.n; m++) sum += p->weights.value[m];
    if (p->weights.n != p->of.n)
        return smr_fail(ctx, SMR_ERR_PARAM, "vote: %lld weights for %lld learner%s",
                        (long long)p->weights.n, (long long)p->of.n, smr_plural(p->of.n, "", "s"));
    if (!(sum > 0))
        return smr_fail(ctx, SMR_ERR_PARAM, "vote: the weights are all 0; one must be more");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

struct vote_state {
    int64_t n_members, n_classes, n_outputs, n_answers;
    int64_t way;
    double *weight; /* n_members */
    double *error;  /* n_members; NULL: not judged */
    smr_members of;
};

static const smr_state state[] = {
    {SMR_KEPT(struct vote_state, n_members), .min = 1, .doc = "Learners."},
    {SMR_KEPT(struct vote_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct vote_state, n_outputs), .is = "targets", .min = 0,
     .doc = "Targets; 0 for classes."},
    {SMR_KEPT(struct vote_state, n_answers), .is = "answers", .min = 1,
     .doc = "Classes, or targets."},
    {SMR_KEPT(struct vote_state, way), .min = SMR_COMBINE_MEAN, .max = SMR_COMBINE_MEDIAN,
     .doc = "1 mean, 2 vote, 3 median."},
    {SMR_KEPT(struct vote_state, weight), .reals = SMR_REALS_FROM_0, .dims = {"n_members"},
     .doc = "How much the answer of each learner weighs."},
    {SMR_KEPT(struct vote_state, error), .dims = {"n_members"}, .optional = true,
     .doc = "Error of each learner on folds that it was not fitted on."},
    {SMR_KEPT(struct vote_state, of), .same = true, .dims = {"n_members"},
     .doc = "The learners, fitted."},
};

static smr_combine combine_of(const struct vote_state *s)
{
    return (smr_combine){.way = s->way,
                         .classes = s->n_classes > 0,
                         .width = s->n_answers,
                         .of = &s->of,
                         .weight = s->weight};
}

/* ---- fit -------------------------------------------------------------------------------- */

struct fitting {
    const struct vote_params *params;
    const smr_data *data;
    struct vote_state *state;
    smr_fit_report *reports;
    double scale; /* of the target */
};

static smr_status fit_member(smr_ctx *ctx, void *arg, int64_t m, int lane)
{
    struct fitting *f = arg;
    const smr_spec *spec = f->params->of.spec[m];
    smr_data rows = *f->data;
    (void)lane;
    rows.spend = NULL;
    smr_status st = smr_member_fit(ctx, spec, &rows, &f->state->of.member[m], &f->reports[m]);
    smr_member_blame(ctx, st, "of", m, spec);
    return st;
}

static smr_status judge_member(smr_ctx *ctx, void *arg, int64_t m, int lane)
{
    struct fitting *f = arg;
    struct vote_state *s = f->state;
    smr_status st = SMR_OK;
    smr_combine c = combine_of(s);
    double *answers = NULL;
    int64_t n = f->data->n_rows;
    (void)lane;
    TRY_NEW(answers, n * smr_combine_asked_width(&c));
    TRY(smr_out_of_fold(ctx, f->params->of.spec[m], f->data, f->params->folds,
                        smr_combine_asked(&c), answers));
    smr_judgement judged = s->way == SMR_COMBINE_VOTE
                               ? smr_judge_labels(f->data, n, NULL, answers)
                               : smr_judge_answers(f->data, n, NULL, answers);
    s->error[m] = judged.error;
    s->weight[m] = smr_combine_weight(f->data, f->scale, &judged);
out:
    smr_member_blame(ctx, st, "of", m, f->params->of.spec[m]);
    smr_free(answers);
    return st;
}

static smr_status find_weights(smr_ctx *ctx, struct fitting *f)
{
    const struct vote_params *p = f->params;
    struct vote_state *s = f->state;
    smr_status st = SMR_OK;
    for (int64_t m = 0; m < s->n_members; m++)
        s->weight[m] = p->weights.n ? p->weights.value[m] : 1;
    if (p->weigh != WEIGH_CV) return SMR_OK;
    TRY_NEW(s->error, s->n_members);
    TRY(smr_target_scale(ctx, f->data, &f->scale));
    TRY(smr_members_each(ctx, "judging learners", s->n_members, judge_member, f));
    smr_combine_scale(ctx, "vote", s->n_members, s->weight);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct vote_params *p = params_;
    struct vote_state *s = state_;
    struct fitting f = {.params = p, .data = data, .state = s};
    smr_status st = SMR_OK;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    s->n_classes = classes ? data->n_classes : 0;
    s->n_outputs = classes ? 0 : data->n_outputs;
    s->n_answers = s->n_classes + s->n_outputs;
    TRY_NEW(s->weight, p->of.n);
    TRY_NEW(f.reports, p->of.n);
    TRY(smr_members_create(ctx, p->of.n, &s->of));
    s->n_members = p->of.n;
    TRY(smr_members_each(ctx, "fitting learners", s->n_members, fit_member, &f));
    TRY(smr_combine_choose(ctx, "vote", p->combine, data->task, &s->of, &s->way));
    TRY(find_weights(ctx, &f));
    smr_members_sum_up(ctx, "vote", &s->of, f.reports, report);
out:
    for (int64_t m = 0; f.reports && m < p->of.n; m++) smr_fit_report_release(&f.reports[m]);
    smr_free(f.reports);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    smr_combine c = combine_of(state_);
    (void)params_;
    return smr_combine_check(ctx, "vote", &c, shape);
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    smr_combine c = combine_of(state_);
    (void)params_;
    return smr_combine_scratch(&c, n);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct vote_state *s = state_;
    smr_combine c = combine_of(s);
    (void)params_, (void)output;
    return smr_combine_predict(ctx, &c, s->n_members, rows, out, scratch_);
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct vote_state *s = state_;
    (void)ctx, (void)params_, (void)in, (void)n_in;
    smr_json_add_string(into, "combined_by", smr_combine_ways[s->way].name);
    smr_json *list = smr_json_add_array(into, "learners");
    for (int64_t m = 0; m < s->n_members; m++) {
        smr_json *row = smr_member_tell(list, &s->of, m);
        if (s->error) smr_json_add_number(row, s->n_classes ? "cv_error" : "cv_mse", s->error[m]);
        smr_json_add_number(row, "weight", s->weight[m]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "vote",
    .synonyms = "voting average VotingClassifier VotingRegressor",
    .family = "ensemble",
    .title = "Voting",
    .brief = "Fits several learners and lets them vote, or averages their predictions.",
    .objective = "the weighted mean of probabilities or values, the weighted majority, or the "
                 "weighted median",
    .details =
        "combine=mean averages probabilities (soft voting) or values, combine=vote counts "
        "predicted classes (hard voting; the probabilities are then the shares of the votes), "
        "combine=median is for numbers. Tied votes go to the lower class. Each learner gets the "
        "columns as it needs them: one may read category codes, another indicators. "
        "weights=2,1,1 weights the learners, weigh=cv derives the weights from their out-of-fold "
        "errors. In tune parameters are addressed as of.0.k, of.1.l2.",
    .reference = "Kuncheva, Combining Pattern Classifiers, 2004",
    .example = "samara train \"vote of=(knn 5),(standardize | logistic)\" data/iris.csv --target "
               "species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct vote_params),
    .check_params = check_params,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct vote_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_VALUE,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = describe,
};

const smr_learner smr_vote = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
