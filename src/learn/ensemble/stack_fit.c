/* stack_fit.c -- answers out of fold, and the learner that is fitted on them: see stack.c. */
#include "core/text.h"
#include "learn/ensemble/combine.h"
#include "learn/ensemble/stack.h"
#include "learn/out_of_fold.h"
#include "learn/registry.h"

#include <math.h>
#include <string.h>

struct fitting {
    const struct smr_stack_params *params;
    const smr_data *data;
    struct smr_stack_state *state;
    smr_fit_report *reports;
    double *z; /* n x n_inputs: the answers */
};

/* ---- one learner ------------------------------------------------------------------------ */

static smr_status choose_output(smr_ctx *ctx, const struct fitting *f, int64_t m)
{
    struct smr_stack_state *s = f->state;
    const smr_member *member = &s->of.member[m];
    unsigned gives = smr_member_gives(member);
    const char *name = smr_member_last(member)->learner->word->name;
    int inputs = f->params->inputs;
    if (s->n_classes == 0) {
        s->asked[m] = SMR_OUTPUT_VALUE;
        return SMR_OK;
    }
    if (inputs == SMR_STACK_PROBA && !(gives & SMR_GIVES_PROBA))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "stack: %s gives no probabilities; take its scores with inputs=auto, or "
                        "calibrate it: (calibrate of=(%s))",
                        name, name);
    if (inputs == SMR_STACK_DECISION && !(gives & SMR_GIVES_DECISION))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "stack: %s gives no decision scores; take its probabilities with "
                        "inputs=auto",
                        name);
    bool scores = inputs == SMR_STACK_DECISION || !(gives & SMR_GIVES_PROBA);
    s->asked[m] = scores ? SMR_OUTPUT_DECISION : SMR_OUTPUT_PROBA;
    return SMR_OK;
}

static smr_status take_answers(smr_ctx *ctx, const struct fitting *f, int64_t m,
                               const double *answers)
{
    struct smr_stack_state *s = f->state;
    int64_t n = f->data->n_rows, size = n * SMR_MAX(s->n_classes, s->n_outputs);
    for (int64_t i = 0; i < size; i++)
        if (!isfinite(answers[i]))
            return smr_fail(ctx, SMR_ERR_NUMERIC, "stack: an answer is not a finite number");
    s->error[m] = smr_judge_answers(f->data, n, NULL, answers).error;
    smr_stack_put(s, m, n, answers, f->z + m * smr_stack_width(s), s->n_inputs);
    return SMR_OK;
}

/* Fits it on all rows, and asks it about each fold when fitted on the others. */
static smr_status fit_member(smr_ctx *ctx, void *arg, int64_t m, int lane)
{
    struct fitting *f = arg;
    struct smr_stack_state *s = f->state;
    const smr_spec *spec = f->params->of.spec[m];
    smr_status st = SMR_OK;
    double *answers = NULL;
    smr_data rows = *f->data;
    (void)lane;
    rows.spend = NULL;
    TRY_NEW(answers, rows.n_rows * SMR_MAX(s->n_classes, s->n_outputs));
    TRY(smr_member_fit(ctx, spec, &rows, &s->of.member[m], &f->reports[m]));
    TRY(choose_output(ctx, f, m));
    TRY(smr_out_of_fold(ctx, spec, &rows, f->params->folds, (smr_output)s->asked[m], answers));
    TRY(take_answers(ctx, f, m, answers));
out:
    smr_member_blame(ctx, st, "of", m, spec);
    smr_free(answers);
    return st;
}

/* ---- names of the answers --------------------------------------------------------------- */

/* The learner's name; with its place where another has the same. */
static void name_learner(const struct smr_stack_state *s, int64_t m, smr_text *out)
{
    const char *name = smr_member_last(&s->of.member[m])->learner->word->name;
    for (int64_t k = 0; k < s->n_members; k++)
        if (k != m && !strcmp(smr_member_last(&s->of.member[k])->learner->word->name, name)) {
            smr_text_printf(out, "of.%lld ", (long long)m);
            break;
        }
    smr_text_add(out, name);
}

/* What answer j of a learner is about: a class, or one of several targets. */
static void name_answer(const struct fitting *f, int64_t j, smr_text *out)
{
    const struct smr_stack_state *s = f->state;
    int64_t c = s->n_classes == 2 ? 1 : j, length;
    if (s->n_classes && f->data->classes) {
        const char *name = smr_strings_get(f->data->classes, c, &length);
        smr_text_add(out, ": ");
        smr_text_add_bytes(out, name, length);
    } else if (s->n_classes || s->n_outputs > 1) {
        smr_text_printf(out, ": %lld", (long long)c);
    }
}

static smr_status name_answers(smr_ctx *ctx, const struct fitting *f, char ***out)
{
    const struct smr_stack_state *s = f->state;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    int64_t width = smr_stack_width(s);
    TRY_NEW(*out, s->n_inputs);
    for (int64_t k = 0; k < s->n_inputs; k++) {
        name.length = 0;
        name_learner(s, k / width, &name);
        name_answer(f, k % width, &name);
        TRY(smr_text_done(&name));
        (*out)[k] = smr_strdup(ctx, name.bytes);
        if (!(*out)[k]) TRY(SMR_ERR_NOMEM);
    }
out:
    smr_text_release(&name);
    return st;
}

/* ---- the final learner ------------------------------------------------------------------ */

static smr_status fit_final(smr_ctx *ctx, const struct fitting *f, smr_fit_report *report)
{
    struct smr_stack_state *s = f->state;
    const struct smr_stack_params *p = f->params;
    smr_task task = s->n_classes > 0 ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS;
    smr_status st = SMR_OK;
    smr_spec *usual = NULL;
    const smr_spec *spec = p->final.n ? p->final.spec[0] : NULL;
    smr_stacked rows = {0};
    char **names = NULL;
    smr_member *final = &s->final.member[0];
    TRY(smr_tick(ctx, "fitting the final learner", 0, 1, NAN));
    if (!spec) TRY(smr_spec_parse(ctx, smr_registry_trait(task, SMR_PLAIN)->word->name, &usual));
    if (!spec) spec = usual;
    TRY(name_answers(ctx, f, &names));
    TRY(smr_stacked_make(ctx, f->data, s->n_inputs, f->z, names, s->passes, &rows));
    TRY(smr_member_fit(ctx, spec, &rows.data, final, report));
    TRY(smr_member_keep_features(ctx, final, &rows.data, s->n_inputs));
out:
    if (spec) smr_member_blame(ctx, st, "final", 0, spec);
    smr_spec_free(usual);
    for (int64_t k = 0; names && k < s->n_inputs; k++) smr_free(names[k]);
    smr_free(names);
    smr_stacked_release(&rows);
    return st;
}

static smr_status check_final(smr_ctx *ctx, const struct smr_stack_params *p, bool classes)
{
    unsigned wanted = classes ? SMR_DOES_CLASSIFY : SMR_DOES_REGRESS;
    char *final = NULL;
    if (!p->final.n || (smr_specs_tasks(&p->final) & wanted)) return SMR_OK;
    smr_status st = smr_spec_text(ctx, p->final.spec[0], &final);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "stack: the target has %s, and the final learner, %.100s, predicts %s",
                      classes ? "classes" : "numbers", final, classes ? "numbers" : "classes");
    smr_free(final);
    return st;
}

smr_status smr_stack_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                         smr_fit_report *report)
{
    const struct smr_stack_params *p = params_;
    struct smr_stack_state *s = state_;
    struct fitting f = {.params = p, .data = data, .state = s};
    smr_fit_report members = {0};
    smr_status st = SMR_OK;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    s->n_classes = classes ? data->n_classes : 0;
    s->n_outputs = classes ? 0 : data->n_outputs;
    s->n_inputs = p->of.n * smr_stack_width(s);
    s->passes = p->passthrough;
    TRY(check_final(ctx, p, classes));
    if (data->n_rows < 2)
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "stack needs 2 rows at least: each is answered by learners fitted on others");
    TRY_NEW(f.z, data->n_rows * s->n_inputs);
    TRY_NEW(f.reports, p->of.n);
    TRY_NEW(s->asked, p->of.n);
    TRY_NEW(s->error, p->of.n);
    TRY(smr_members_create(ctx, p->of.n, &s->of));
    s->n_members = p->of.n;
    TRY(smr_members_create(ctx, 1, &s->final));
    TRY(smr_members_each(ctx, "fitting learners", p->of.n, fit_member, &f));
    smr_members_sum_up(ctx, "stack", &s->of, f.reports, &members);
    TRY(fit_final(ctx, &f, report));
    report->converged = report->converged && members.converged;
out:
    for (int64_t m = 0; f.reports && m < p->of.n; m++) smr_fit_report_release(&f.reports[m]);
    smr_free(f.reports);
    smr_free(f.z);
    return st;
}
