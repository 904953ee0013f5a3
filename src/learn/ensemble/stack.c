/* stack.c -- stacking: a learner that learns from what others say.
 *
 * Each learner of `of` answers every row out of fold: the rows are cut into folds (classes spread
 * evenly, groups whole), and a fold is answered by the learner fitted on the others.  The final
 * learner is fitted on these answers, so it sees how good each learner is on rows that it does not
 * know; answers to rows that a learner was fitted on would flatter the one that overfits most.
 * Then every learner is fitted again on all rows, and it is these that answer new rows.
 *
 * Answers are probabilities, else decision scores, or values.  For two classes one column is
 * enough: the second class's probability, or half the difference of the scores; more have a column
 * each.  With passthrough the features follow the answers, with their kinds: categories stay
 * categories, sparse rows stay sparse, and the final learner gets the adapters that it needs.
 *
 * Cost: folds + 1 fits per learner, and one of the final learner; 8 n w bytes for w answers.
 * Reference: Wolpert, Neural Networks 5:241-259, 1992; Breiman, Machine Learning 24:49-64, 1996. */
#include "learn/ensemble/stack.h"

#include <string.h>

enum { MOST_LEARNERS = 100, PART_BYTES = 4 << 20, LEAST_PART = 16 };

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice inputs[] = {
    [SMR_STACK_AUTO] = {"auto", "probabilities where a learner gives them, else decision scores"},
    [SMR_STACK_PROBA] = {"proba", "probabilities"},
    [SMR_STACK_DECISION] = {"decision", "decision scores"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_stack_params, folds), .def = 5, .min = 2, .max = 1000,
     .doc = "Number of folds; each fold is predicted by learners fitted on the others."},
    {SMR_FIELD(struct smr_stack_params, passthrough), .def = false, .search = SMR_SEARCH_VALUES,
     .doc = "Also give the original features to the final learner."},
    {SMR_FIELD(struct smr_stack_params, inputs), .tasks = SMR_DOES_CLASSIFY, .def = SMR_STACK_AUTO,
     .choices = inputs, .doc = "For classes: what the final learner is given."},
    {SMR_FIELD(struct smr_stack_params, of), .grammar = &smr_sentences, .least = 1,
     .most = MOST_LEARNERS, .doc = "The learners."},
    {SMR_FIELD(struct smr_stack_params, final), .grammar = &smr_sentences, .least = 0, .most = 1,
     .member_tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
     .doc = "The learner that combines their predictions; default: logistic for classes, ridge 1 "
            "for numbers."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_stack_params *p = params_;
    unsigned final = smr_specs_tasks(&p->final), of = smr_specs_tasks(&p->of);
    char *text = NULL;
    if (!p->final.n || !p->of.n || (final & of)) return SMR_OK;
    smr_status st = smr_spec_text(ctx, p->final.spec[0], &text);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "stack: the final learner, %.100s, %s, and those of `of` %s", text,
                      final & SMR_DOES_REGRESS ? "predicts numbers" : "classifies",
                      of & SMR_DOES_REGRESS ? "predict numbers" : "classify");
    smr_free(text);
    return st;
}

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_stack_state, n_members), .min = 1, .doc = "Learners."},
    {SMR_KEPT(struct smr_stack_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct smr_stack_state, n_outputs), .is = "targets", .min = 0,
     .doc = "Targets; 0 for classes."},
    {SMR_KEPT(struct smr_stack_state, n_inputs), .is = "n_members * scores", .min = 1,
     .doc = "Answers that the final learner reads."},
    {SMR_KEPT(struct smr_stack_state, passes), .min = 0, .max = 1,
     .doc = "1 if it reads the features too."},
    {SMR_KEPT(struct smr_stack_state, asked), .dims = {"n_members"},
     .doc = "What each learner is asked for: 0 values, 2 probabilities, 3 decision scores."},
    {SMR_KEPT(struct smr_stack_state, error), .dims = {"n_members"},
     .doc = "Error of each learner on folds that it was not fitted on."},
    {SMR_KEPT(struct smr_stack_state, of), .same = true, .dims = {"n_members"},
     .doc = "The learners, fitted on all rows."},
    {SMR_KEPT(struct smr_stack_state, final), .doc = "The final learner."},
};

int64_t smr_stack_width(const struct smr_stack_state *s)
{
    if (s->n_classes == 0) return s->n_outputs;
    return s->n_classes == 2 ? 1 : s->n_classes;
}

void smr_stack_put(const struct smr_stack_state *s, int64_t m, int64_t n, const double *answers,
                   double *to, int64_t stride)
{
    int64_t width = smr_stack_width(s);
    bool halve = s->asked[m] == SMR_OUTPUT_DECISION;
    for (int64_t i = 0; i < n; i++, to += stride) {
        if (s->n_classes == 2)
            to[0] = halve ? (answers[2 * i + 1] - answers[2 * i]) / 2 : answers[2 * i + 1];
        else
            memcpy(to, answers + i * width, (size_t)width * sizeof *to);
    }
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t answer_width(const struct smr_stack_state *s)
{
    return SMR_MAX(s->n_classes, s->n_outputs);
}

/* Rows that are answered at a time: what the final learner reads from them is no more than a few
 * megabytes. */
static int64_t part_rows(const struct smr_stack_state *s, int64_t n)
{
    int64_t d = s->final.member[0].shape.n_features;
    return SMR_MAX(1, SMR_MIN(n, SMR_MAX(LEAST_PART, PART_BYTES / (8 * d))));
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_stack_state *s = state_;
    const smr_member *final = &s->final.member[0];
    int64_t rows = part_rows(s, n), most = smr_member_scratch(final, rows);
    (void)params_;
    for (int64_t m = 0; m < s->n_members; m++)
        most = SMR_MAX(most, smr_member_scratch(&s->of.member[m], rows));
    return smr_answers_bytes(rows, answer_width(s)) +
           smr_answers_bytes(rows, final->shape.n_features) + most;
}

/* The features of a dense block, after the answers. */
static void pass_features(const smr_rows *rows, double *to, int64_t stride)
{
    for (int64_t i = 0; i < rows->n; i++, to += stride)
        for (int64_t j = 0; j < rows->d; j++) {
            int64_t at = i * rows->stride + j;
            to[j] = rows->form == SMR_FORM_F64   ? ((const double *)rows->x)[at]
                    : rows->form == SMR_FORM_F32 ? (double)((const float *)rows->x)[at]
                                                 : (double)((const uint8_t *)rows->x)[at];
        }
}

static smr_status ask_final(smr_ctx *ctx, const struct smr_stack_state *s, const smr_rows *rows,
                            double *z, smr_output output, double *out, void *scratch_)
{
    const smr_member *final = &s->final.member[0];
    int64_t d = final->shape.n_features;
    smr_status st = SMR_OK;
    smr_entries entries = {0};
    smr_rows seen = *rows;
    seen.d = d;
    if (s->passes && rows->form == SMR_FORM_SPARSE) {
        TRY(smr_entries_begin(ctx, &entries, rows->n));
        TRY(smr_stack_append(ctx, rows, s->n_inputs, z, d, &entries));
        seen.start = entries.start;
        seen.column = entries.column;
        seen.value = entries.value;
    } else {
        if (s->passes) pass_features(rows, z + s->n_inputs, d);
        seen.form = SMR_FORM_F64;
        seen.x = z;
        seen.stride = d;
    }
    TRY(smr_member_predict(ctx, final, &seen, output, out, scratch_));
out:
    smr_entries_release(&entries);
    return st;
}

static smr_status predict_part(smr_ctx *ctx, const struct smr_stack_state *s, const smr_rows *rows,
                               int64_t most, smr_output output, double *out, char *scratch_)
{
    int64_t width = smr_stack_width(s), d = s->final.member[0].shape.n_features;
    double *answers = (double *)(void *)scratch_;
    double *z = (double *)(void *)(scratch_ + smr_answers_bytes(most, answer_width(s)));
    char *rest = (char *)z + smr_answers_bytes(most, d);
    smr_status st = SMR_OK;
    for (int64_t m = 0; m < s->n_members; m++) {
        TRY(smr_member_predict(ctx, &s->of.member[m], rows, (smr_output)s->asked[m], answers,
                               rest));
        smr_stack_put(s, m, rows->n, answers, z + m * width, d);
    }
    TRY(ask_final(ctx, s, rows, z, output, out, rest));
out:
    return st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_stack_state *s = state_;
    int64_t most = part_rows(s, rows->n), width = answer_width(s);
    smr_status st = SMR_OK;
    (void)params_;
    for (int64_t lo = 0; lo < rows->n; lo += most) {
        smr_rows part = smr_rows_slice(rows, lo, SMR_MIN(rows->n, lo + most));
        TRY(predict_part(ctx, s, &part, most, output, out + lo * width, scratch_));
    }
out:
    return st;
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct smr_stack_state *s = state_;
    (void)params_;
    return s && s->final.n ? smr_member_gives(&s->final.member[0]) : ~0u;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool fits(const smr_member *m, const smr_shape *shape, unsigned gives)
{
    return m->shape.task == shape->task && m->shape.n_classes == shape->n_classes &&
           (shape->n_classes || m->shape.n_outputs == shape->n_outputs) &&
           (smr_member_gives(m) & gives);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_stack_state *s = state_;
    const smr_member *final = &s->final.member[0];
    bool classes = s->n_classes > 0;
    unsigned any = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_VALUE;
    (void)params_;
    for (int64_t m = 0; m < s->n_members; m++) {
        int64_t asked = s->asked[m];
        bool known = classes ? asked == SMR_OUTPUT_PROBA || asked == SMR_OUTPUT_DECISION
                             : asked == SMR_OUTPUT_VALUE;
        if (!known || !(smr_member_gives(&s->of.member[m]) & 1u << asked))
            return smr_fail(ctx, SMR_ERR_FORMAT, "stack: learner %lld does not give what it needs",
                            (long long)m);
    }
    if (!final->features || final->n_own != s->n_inputs ||
        smr_member_reads_parent(final) != (s->passes == 1) || !fits(final, shape, any))
        return smr_fail(ctx, SMR_ERR_FORMAT, "stack: its final learner does not fit the others");
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_stack_state *s = state_;
    (void)ctx, (void)params_, (void)in, (void)n_in;
    smr_json *list = smr_json_add_array(into, "learners");
    for (int64_t m = 0; m < s->n_members; m++) {
        smr_json *row = smr_member_tell(list, &s->of, m);
        smr_json_add_string(row, "gives",
                            s->asked[m] == SMR_OUTPUT_PROBA      ? "probabilities"
                            : s->asked[m] == SMR_OUTPUT_DECISION ? "decision scores"
                                                                 : "values");
        smr_json_add_number(row, s->n_classes ? "cv_error" : "cv_mse", s->error[m]);
    }
    const smr_member *final = &s->final.member[0];
    smr_json *read = smr_json_add_array(into, "final_reads");
    for (int64_t j = 0; j < s->n_inputs; j++)
        smr_json_add_string(smr_json_add_object(read, NULL), "answer", final->features[j].name);
    if (s->passes) smr_json_add_number(into, "features_passed_through", (double)n_in);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "stack",
    .synonyms = "stacking blend StackingClassifier StackingRegressor",
    .family = "ensemble",
    .title = "Stacking",
    .brief = "Fits several learners, and another one that combines their out-of-fold predictions.",
    .objective =
        "final(f1(x), f2(x), ...), fitted on answers to rows that the learners did not see",
    .details =
        "The final learner is fitted on out-of-fold predictions (folds keep the shares of the "
        "classes, and groups whole); the learners that the model keeps are fitted on all rows. "
        "Predictions are probabilities, decision scores or values; two classes have one column "
        "per learner. passthrough=yes adds the features. Each learner gets the columns as it "
        "needs them, categories as codes or as indicators. inspect shows the final learner's "
        "coefficients, named by learner and class. In tune parameters are addressed as of.0.k, "
        "of.1.l2, final.l2.",
    .reference = "Wolpert, Neural Networks 5 (1992); Breiman, Machine Learning 24 (1996)",
    .example = "samara train \"stack of=(knn 5),(standardize | logistic)\" data/iris.csv --target "
               "species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_stack_params),
    .check_params = check_params,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_stack_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_VALUE,
    .gives_with = gives_with,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = describe,
};

/* What it answers is the final learner's. */
static const smr_comparing compared = {.like = "final"};

const smr_learner smr_stack = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(smr_stack_fit),
    .fitted = &fitted,
    .comparing = SMR_TRAINING(&compared),
};
