/* spec.c -- see spec.h: copies, text, and what steps are.  Reading: spec_parse.c. */
#include "learn/spec.h"

#include "learn/specs.h"

#include <string.h>

/* ---- copies ----------------------------------------------------------------------------- */

smr_status smr_spec_copy(smr_ctx *ctx, const smr_spec *spec, smr_spec **out)
{
    smr_status st = SMR_OK;
    smr_spec *copy = NULL;
    *out = NULL;
    TRY_NEW(copy, 1);
    TRY_NEW(copy->steps, spec->n);
    copy->head.written = spec->head.written;
    TRY(smr_params_assign(ctx, &smr_columns_word, &spec->head.columns, &copy->head.columns));
    for (int64_t s = 0; s < spec->n; s++) {
        const smr_step *from = &spec->steps[s];
        copy->steps[s].learner = from->learner;
        copy->n++;
        TRY(smr_params_copy(ctx, from->learner->word, from->params, &copy->steps[s].params));
    }
    *out = copy;
    copy = NULL;
out:
    smr_spec_free(copy);
    return st;
}

void smr_spec_free(smr_spec *spec)
{
    if (!spec) return;
    for (int64_t s = 0; s < spec->n; s++)
        smr_params_free(spec->steps[s].learner->word, spec->steps[s].params);
    smr_free(spec->steps);
    smr_params_release(&smr_columns_word, &spec->head.columns);
    smr_free(spec);
}

/* The words inside the phrases of a step that are not sentences. */
static smr_status check_phrases(smr_ctx *ctx, const smr_step *step)
{
    smr_status st = SMR_OK;
    const smr_word *word = step->learner->word;
    smr_inner inner;
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (!p->grammar || p->grammar == &smr_sentences) continue;
        for (int64_t k = 0; p->grammar->find(smr_param_in(p, step->params), k, &inner); k++)
            TRY(smr_params_check(ctx, inner.word, inner.params, NULL));
    }
out:
    return st;
}

smr_status smr_spec_check(smr_ctx *ctx, const smr_spec *spec)
{
    smr_status st = SMR_OK;
    TRY(smr_params_check(ctx, &smr_columns_word, &spec->head.columns, NULL));
    for (int64_t s = 0; s < spec->n; s++) {
        const smr_step *step = &spec->steps[s];
        for (int64_t i = 0; i < step->learner->word->n_params; i++) {
            const smr_specs *specs = smr_step_specs(step, i);
            for (int64_t k = 0; specs && k < specs->n; k++)
                TRY(smr_spec_check(ctx, specs->spec[k]));
        }
        TRY(check_phrases(ctx, step));
        TRY(smr_specs_check(ctx, step->learner, step->params));
        TRY(smr_params_check(ctx, step->learner->word, step->params, NULL));
    }
out:
    return st;
}

/* ---- writing ---------------------------------------------------------------------------- */

static void write_head(const smr_head *head, smr_text *out)
{
    smr_word_write(&smr_columns_word, &head->columns, out);
    smr_text_add(out, " | ");
}

void smr_spec_write(const smr_spec *spec, smr_text *out)
{
    if (spec->head.written) write_head(&spec->head, out);
    for (int64_t s = 0; s < spec->n; s++) {
        if (s) smr_text_add(out, " | ");
        smr_word_write(spec->steps[s].learner->word, spec->steps[s].params, out);
    }
}

smr_status smr_spec_text(smr_ctx *ctx, const smr_spec *spec, char **out)
{
    smr_text text = {.ctx = ctx};
    smr_spec_write(spec, &text);
    smr_status st = smr_text_done(&text);
    *out = st == SMR_OK ? text.bytes : NULL;
    if (st != SMR_OK) smr_text_release(&text);
    return st;
}

void smr_stages_write(const smr_head *head, const smr_stage *stages, int64_t n, smr_text *out)
{
    if (head) write_head(head, out);
    for (int64_t s = 0; s < n; s++) {
        if (s) smr_text_add(out, " | ");
        smr_word_write(stages[s].learner->word, stages[s].params, out);
    }
}

/* ---- what steps are ---------------------------------------------------------------------- */

const smr_step *smr_spec_last(const smr_spec *spec)
{
    return &spec->steps[spec->n - 1];
}

const smr_specs *smr_step_specs(const smr_step *step, int64_t row)
{
    const smr_word *word = step->learner->word;
    const smr_param *p = &word->params[row];
    if (p->grammar != &smr_sentences || !smr_param_is_read(word, step->params, p)) return NULL;
    return smr_param_in(p, step->params);
}

void smr_step_name(const smr_step *step, smr_text *out)
{
    const smr_word *word = step->learner->word;
    smr_text_add(out, word->name);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_specs *specs = smr_step_specs(step, i);
        for (int64_t k = 0; specs && k < specs->n; k++) {
            if (k)
                smr_text_add(out, ",(");
            else
                smr_text_printf(out, " %s=(", word->params[i].name);
            smr_specs_name(specs->spec[k], out);
            smr_text_add(out, ")");
        }
    }
}

smr_status smr_nature_by_default(smr_ctx *ctx, const smr_learner *learner, smr_nature *out)
{
    void *params = NULL;
    smr_status st = SMR_OK;
    *out = (smr_nature){learner->tasks, learner->takes, learner->traits};
    if (!learner->nature) return SMR_OK;
    TRY(smr_params_create(ctx, learner->word, &params));
    *out = smr_nature_of(learner, params);
out:
    smr_params_free(learner->word, params);
    return st;
}

unsigned smr_step_tasks(const smr_step *step)
{
    const smr_learner *l = step->learner;
    unsigned tasks = smr_nature_of(l, step->params).tasks;
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_specs *specs = smr_step_specs(step, i);
        if (specs && !l->word->params[i].member_tasks) tasks &= smr_specs_tasks(specs);
    }
    return tasks;
}

bool smr_step_numbers_first(const smr_step *step)
{
    const smr_learner *l = step->learner;
    bool made = false, all = true;
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_specs *specs = smr_step_specs(step, i);
        if (!specs || specs->n == 0 || l->word->params[i].member_tasks) continue;
        made = true;
        for (int64_t k = 0; k < specs->n; k++)
            all &= smr_step_numbers_first(smr_spec_last(specs->spec[k]));
    }
    return (smr_nature_of(l, step->params).traits & SMR_NUMBERS_FIRST) || (made && all);
}

/* Do the members of this row answer as the step does? */
static bool is_answered_by(const smr_comparing *by, const smr_param *row)
{
    return by && by->like ? strcmp(by->like, row->name) == 0 : !row->member_tasks;
}

const char *smr_step_judged_by(const smr_step *step)
{
    const smr_comparing *by = step->learner->comparing;
    const char *all = by && by->measure ? by->measure(step->params) : NULL;
    bool first = true;
    if (all) return all;
    for (int64_t i = 0; i < step->learner->word->n_params; i++) {
        const smr_specs *specs = smr_step_specs(step, i);
        if (!specs || !is_answered_by(by, &step->learner->word->params[i])) continue;
        for (int64_t k = 0; k < specs->n; k++, first = false) {
            const char *one = smr_step_judged_by(smr_spec_last(specs->spec[k]));
            if (first) all = one;
            if (!one || !all || strcmp(one, all) != 0) return NULL;
        }
    }
    return all;
}

bool smr_spec_takes(const smr_spec *spec, unsigned takes)
{
    for (int64_t s = 0; s < spec->n; s++) {
        const smr_step *step = &spec->steps[s];
        if ((smr_nature_of(step->learner, step->params).takes & takes) != takes) return false;
        for (int64_t i = 0; i < step->learner->word->n_params; i++) {
            const smr_specs *specs = smr_step_specs(step, i);
            for (int64_t k = 0; specs && k < specs->n; k++)
                if (!smr_spec_takes(specs->spec[k], takes)) return false;
        }
    }
    return true;
}

bool smr_spec_has_trait(const smr_spec *spec, unsigned traits)
{
    for (int64_t s = 0; s < spec->n; s++) {
        const smr_step *step = &spec->steps[s];
        if (smr_nature_of(step->learner, step->params).traits & traits) return true;
        for (int64_t i = 0; i < step->learner->word->n_params; i++) {
            const smr_specs *specs = smr_step_specs(step, i);
            for (int64_t k = 0; specs && k < specs->n; k++)
                if (smr_spec_has_trait(specs->spec[k], traits)) return true;
        }
    }
    return false;
}
