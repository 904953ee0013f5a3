/* task_params.c -- see task_params.h. */
#include "learn/task_params.h"

#include "core/params.h"
#include "learn/learner.h"
#include "learn/task.h"

#include <string.h>

const char *smr_tasks_learn(unsigned does)
{
    const unsigned both = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS;
    return (does & both) == both      ? "classes or numbers"
           : does & SMR_DOES_CLASSIFY ? "classes"
           : does & SMR_DOES_REGRESS  ? "numbers"
                                      : "other tasks";
}

/* Does it have its default?  Values are compared as a sentence writes them. */
static smr_status compare_default(smr_ctx *ctx, const smr_param *p, const void *params, bool *same)
{
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx}, usual = {.ctx = ctx};
    *same = smr_param_is_unset(p, params);
    if (*same) return SMR_OK;
    smr_param_write(p, params, &value);
    smr_param_write_default(p, &usual);
    TRY(smr_text_done(&value));
    TRY(smr_text_done(&usual));
    *same = strcmp(value.bytes, usual.bytes) == 0;
out:
    smr_text_release(&value);
    smr_text_release(&usual);
    return st;
}

smr_status smr_task_check_params(smr_ctx *ctx, const smr_word *word, const void *params,
                                 smr_task task)
{
    smr_status st = SMR_OK;
    const smr_task_facts *facts = smr_task_of(task);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        bool same = false;
        if (smr_param_is_for(p, facts->does) || !smr_param_is_read(word, params, p)) continue;
        TRY(compare_default(ctx, p, params, &same));
        if (same) continue;
        if (!(facts->does & (SMR_DOES_CLASSIFY | SMR_DOES_REGRESS)))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "%s: %s is for %s, and there is no target; leave it out", word->name,
                            p->name, smr_tasks_learn(p->tasks));
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is for %s, and the target has %s; leave it out",
                        word->name, p->name, smr_tasks_learn(p->tasks),
                        smr_tasks_learn(facts->does));
    }
out:
    return st;
}

smr_status smr_target_check_params(smr_ctx *ctx, const smr_word *word, const void *params)
{
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx};
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        bool same = false;
        if (!p->no_target || !smr_param_is_read(word, params, p)) continue;
        if (p->but_when && smr_params_hold(word, params, p->but_when)) continue;
        TRY(compare_default(ctx, p, params, &same));
        if (same) continue;
        smr_param_write(p, params, &value);
        TRY(smr_text_done(&value));
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: %s=%s is for fits without a target%s%s, whose classes are what is "
                     "fitted; leave it out, or train without --target",
                     word->name, p->name, value.bytes, p->but_when ? ", or with " : "",
                     p->but_when ? p->but_when : ""));
    }
out:
    smr_text_release(&value);
    return st;
}

smr_status smr_numbers_check_params(smr_ctx *ctx, const smr_word *word, const void *params)
{
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx};
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        bool same = false;
        if (!p->of_numbers || !smr_param_is_read(word, params, p)) continue;
        TRY(compare_default(ctx, p, params, &same));
        if (same) continue;
        smr_param_write(p, params, &value);
        TRY(smr_text_done(&value));
        TRY(smr_fail(
            ctx, SMR_ERR_PARAM,
            "%s: %s=%s is for columns of numbers, and all columns are categories; leave it "
            "out, or read one with --type COL=number",
            word->name, p->name, value.bytes));
    }
out:
    smr_text_release(&value);
    return st;
}

smr_status smr_task_fill_params(smr_ctx *ctx, const smr_word *word, void *params, smr_task task)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        const char *text = task == SMR_TASK_CLASSIFY  ? p->def_classes
                           : task == SMR_TASK_REGRESS ? p->def_numbers
                                                      : NULL;
        if (text && smr_param_is_unset(p, params)) TRY(smr_param_set(ctx, word, params, p, text));
    }
out:
    return st;
}

smr_status smr_stream_check_params(smr_ctx *ctx, const smr_word *word, const void *params)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        bool same = false;
        if (!p->fit_only || !smr_param_is_read(word, params, p)) continue;
        TRY(compare_default(ctx, p, params, &same));
        if (same) continue;
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: %s is for a fit, which may read its rows again, and a stream has each "
                        "row once; leave it out",
                        word->name, p->name);
    }
out:
    return st;
}
