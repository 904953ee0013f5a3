/* cv_ask.c -- see cv_ask.h. */
#include "study/cv_ask.h"

#include "data/pick.h"
#include "learn/spec.h"
#include "study/cv_plan.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

static const double USUAL_CONFIDENCE = 0.95;
enum { MOST_MEASURES = 64 };

/* ---- the plan --------------------------------------------------------------------------- */

/* The column's values for all rows of the table; those that are used must not be missing. */
static smr_status read_order(smr_ctx *ctx, const smr_train_set *set, const char *name, double **out)
{
    const smr_table *table = set->table;
    smr_status st = SMR_OK;
    double *time = NULL;
    int64_t col = 0;
    TRY(smr_pick_column(ctx, table, name, &col));
    const smr_column *c = &table->cols[col];
    if (c->kind != SMR_NUMBER && c->kind != SMR_DATE) {
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "column '%s' holds text; rows are ordered by numbers or dates", c->name);
        goto out;
    }
    TRY_NEW(time, table->n_rows);
    for (int64_t i = 0; i < table->n_rows; i++) time[i] = smr_column_number(c, i);
    for (int64_t i = 0; i < set->n_rows; i++)
        if (isnan(time[smr_train_set_row(set, i)])) {
            st = smr_fail(ctx, SMR_ERR_DATA,
                          "column '%s' is missing in row %lld, which has no place in the order",
                          c->name, (long long)smr_train_set_row(set, i) + 1);
            goto out;
        }
    *out = time;
    time = NULL;
out:
    smr_free(time);
    return st;
}

smr_status smr_cv_ask_strata(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set)
{
    if (!ask->strata) return SMR_OK;
    if (ask->no_strata)
        return smr_fail(ctx, SMR_ERR_PARAM, "classes are spread, or left to chance, not both");
    if (smr_train_set_has_strata(set)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--strata yes: every part has its share of each class, and %s; leave it out",
                    set->label ? "some rows have no class to be learned"
                               : "the target has no classes here");
}

smr_status smr_cv_ask_plan(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set,
                           smr_cv_plan **out)
{
    smr_status st = SMR_OK;
    double *time = NULL;
    bool ordered = ask->ordered || ask->order_by;
    smr_cv_opts how = {.folds = ask->folds, .repeats = ask->repeats, .no_strata = ask->no_strata};
    *out = NULL;
    if (ask->leave_one_out && (ordered || ask->folds))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "leaving one out cannot be combined with folds or an order");
    TRY(smr_cv_ask_strata(ctx, ask, set));
    if (ask->leave_one_out) how.kind = SMR_CV_EACH;
    if (ordered) how.kind = SMR_CV_ORDERED;
    if (ask->order_by) TRY(read_order(ctx, set, ask->order_by, &time));
    how.time = time;
    TRY(smr_cv_plan_create(ctx, set, &how, out));
out:
    smr_free(time);
    return st;
}

void smr_cv_plan_json(const smr_cv_plan *plan, smr_json *into)
{
    static const char *const kinds[] = {[SMR_CV_FOLDS] = "folds",
                                        [SMR_CV_EACH] = "leave-one-out",
                                        [SMR_CV_ORDERED] = "ordered",
                                        [SMR_CV_HOLDOUT] = "holdout"};
    bool folds = plan->kind == SMR_CV_FOLDS || plan->kind == SMR_CV_ORDERED;
    smr_json_add_string(into, "kind", kinds[plan->kind]);
    if (folds) smr_json_add_number(into, "folds", (double)plan->parts[0].n_parts);
    smr_json_add_number(into, "repeats", (double)plan->n_repeats);
    smr_json_add_number(into, "rounds", (double)plan->n_rounds);
    smr_json_add_bool(into, "stratified", plan->stratified);
    smr_json_add_bool(into, "grouped", plan->set->group != NULL);
}

/* ---- measures --------------------------------------------------------------------------- */

static smr_status no_such_measure(smr_ctx *ctx, const char *name, smr_task task)
{
    const char *names[MOST_MEASURES];
    int64_t n_all, n = 0;
    const smr_measure *all = smr_measures(&n_all);
    for (int other = 0; other < SMR_TASKS; other++)
        if (smr_measure_find(name, (smr_task)other))
            return smr_fail(ctx, SMR_ERR_PARAM, "%s measures predicted %s, and the task is to %s",
                            name, smr_judge_of((smr_task)other)->predicts, smr_judge_of(task)->to);
    for (int64_t i = 0; i < n_all && n < MOST_MEASURES; i++)
        if (all[i].task == task) names[n++] = all[i].name;
    int64_t near = smr_nearest(name, names, n);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no measure '%s'; did you mean '%s'?", name,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "there is no measure '%s'; 'samara list measures' names them all", name);
}

smr_status smr_cv_ask_measures(smr_ctx *ctx, const smr_cv_ask *ask, smr_task task,
                               const smr_measure ***list, int64_t *n)
{
    smr_status st = SMR_OK;
    const smr_measure **found = NULL;
    char name[64];
    *list = NULL;
    *n = 0;
    if (!ask->measure) return SMR_OK;
    TRY_NEW(found, (int64_t)strlen(ask->measure) + 1);
    for (const char *at = ask->measure, *next; at; at = next) {
        size_t length = strcspn(at, ",");
        next = at[length] ? at + length + 1 : NULL;
        size_t kept = SMR_MIN(length, sizeof name - 1);
        memcpy(name, at, kept);
        name[kept] = '\0';
        const smr_measure *measure = smr_measure_find(name, task);
        if (!measure) TRY(no_such_measure(ctx, name, task));
        for (int64_t i = 0; i < *n; i++)
            if (found[i] == measure)
                TRY(smr_fail(ctx, SMR_ERR_PARAM, "measure '%s' is named twice", name));
        found[(*n)++] = measure;
    }
    *list = found;
    found = NULL;
out:
    smr_free(found);
    return st;
}

smr_status smr_cv_ask_positive(smr_ctx *ctx, const char *positive, const smr_target *target,
                               const smr_measure *const *list, int64_t n)
{
    if (!positive || n == 0) return SMR_OK;
    if (target->classes.n > 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the target has %lld classes, and measures are means over all of them, so "
                        "none is the positive one; leave out the positive class",
                        (long long)target->classes.n);
    for (int64_t i = 0; i < n; i++)
        if (list[i]->of_one_class) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s is the same whichever class is the positive one; precision, recall, f1 and "
                    "average_precision depend on it",
                    list[0]->name);
}

/* Leaving a group out measures its rows together. */
static bool measures_single_rows(const smr_train_set *set, bool leave_one_out)
{
    return leave_one_out && !set->group &&
           smr_judge_of(set->target.task)->as == SMR_JUDGED_AS_NUMBERS;
}

const smr_measure *smr_cv_usual_measure(const smr_train_set *set, bool leave_one_out)
{
    smr_task task = set->target.task;
    if (measures_single_rows(set, leave_one_out)) return smr_measure_find("mse", task);
    return smr_judge_usual(task, set->target.n > 0);
}

const smr_measure *smr_step_measure(const smr_step *last, smr_task task)
{
    const char *name = smr_step_judged_by(last);
    return name ? smr_measure_find(name, task) : NULL;
}

const smr_measure *smr_cv_suited_measure(const smr_spec *const *specs, int64_t n, smr_task task)
{
    const smr_measure *all = NULL;
    for (int64_t i = 0; i < n && (i == 0 || all); i++) {
        const smr_measure *one = smr_step_measure(smr_spec_last(specs[i]), task);
        all = i == 0 || one == all ? one : NULL;
    }
    return all;
}

void smr_cv_tell_losses(const smr_spec *const *specs, int64_t n, smr_task task,
                        const smr_measure *decides, smr_text *out)
{
    int64_t told = 0;
    for (int64_t i = 0; i < n; i++) {
        const smr_measure *one = smr_step_measure(smr_spec_last(specs[i]), task);
        if (!one || one == decides) continue;
        smr_text_add(out, told++ ? ", " : "");
        smr_step_name(smr_spec_last(specs[i]), out);
        smr_text_printf(out, " to %s", one->name);
    }
}

smr_status smr_cv_ask_decider(smr_ctx *ctx, const smr_cv_ask *ask, const smr_train_set *set,
                              const smr_spec *const *specs, int64_t n_specs,
                              const smr_measure **out)
{
    const smr_measure **list = NULL, *suited = NULL;
    int64_t n = 0;
    smr_status st = smr_cv_ask_measures(ctx, ask, set->target.task, &list, &n);
    if (st == SMR_OK && n > 1)
        st = smr_fail(ctx, SMR_ERR_PARAM, "one measure decides; %lld are named", (long long)n);
    if (n == 0) suited = smr_cv_suited_measure(specs, n_specs, set->target.task);
    if (st == SMR_OK)
        *out = n ? list[0] : suited ? suited : smr_cv_usual_measure(set, ask->leave_one_out);
    if (st == SMR_OK) st = smr_cv_ask_positive(ctx, ask->positive, &set->target, out, 1);
    if (st == SMR_OK && measures_single_rows(set, ask->leave_one_out) &&
        strcmp((*out)->name, "rmse") == 0)
        smr_warn(ctx, "each round has one row, whose rmse is the size of its error, so the mean "
                      "decides like mae; --measure mse orders models as the rmse of all rows does");
    smr_free(list);
    return st;
}

smr_status smr_cv_ask_confidence(smr_ctx *ctx, const smr_cv_ask *ask, double *confidence)
{
    *confidence = ask->confidence == 0 ? USUAL_CONFIDENCE : ask->confidence;
    if (*confidence > 0 && *confidence < 1) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "the confidence lies between 0 and 1, such as 0.95");
}
