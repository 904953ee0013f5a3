/* spec.c -- see spec.h. */
#include "learn/spec.h"

#include "learn/params.h"
#include "learn/registry.h"
#include "learn/state.h"
#include "learn/synonyms.h"

#include <string.h>

enum { MAX_STAGES = 64, MAX_NESTING = 16 };

/* Where reading stands, and what was read last. */
struct parser {
    smr_ctx *ctx;
    const char *begin, *at;
    smr_text word; /* the last name or value */
};

static bool is_first(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_inner(char c)
{
    return is_first(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

static smr_status complain(struct parser *p, const char *what)
{
    return smr_fail(p->ctx, SMR_ERR_PARAM, "in \"%.200s\" at character %lld: %s", p->begin,
                    (long long)(p->at - p->begin + 1), what);
}

static smr_status read_name(struct parser *p)
{
    const char *start = p->at;
    if (!is_first(*p->at)) return complain(p, "the name of a learner is missing");
    while (is_inner(*p->at)) p->at++;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

/* A quote inside is written twice. */
static smr_status read_quoted(struct parser *p)
{
    const char *open = p->at, quote = *p->at++;
    for (;;) {
        const char *end = strchr(p->at, quote);
        if (!end) {
            p->at = open;
            return complain(p, "this quote is never closed");
        }
        bool twice = end[1] == quote;
        smr_text_add_bytes(&p->word, p->at, end - p->at + twice);
        p->at = end + 1 + twice;
        if (!twice) return smr_text_done(&p->word);
    }
}

/* Balanced text, without its outer parentheses; quotes inside keep their parentheses. */
static smr_status read_balanced(struct parser *p)
{
    const char *open = p->at;
    int depth = 0;
    char quote = 0;
    for (const char *c = open; *c; c++) {
        if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (*c == '(') {
            if (++depth > MAX_NESTING) return complain(p, "parentheses are nested too deeply");
        } else if (*c == ')' && --depth == 0) {
            smr_text_add_bytes(&p->word, open + 1, c - open - 1);
            p->at = c + 1;
            return smr_text_done(&p->word);
        }
    }
    return complain(p, "this parenthesis is never closed");
}

static smr_status read_bare(struct parser *p)
{
    const char *start = p->at;
    while (is_inner(*p->at) || *p->at == '+') p->at++;
    if (p->at == start) return complain(p, "a value is missing");
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

static smr_status read_value(struct parser *p)
{
    smr_status st = SMR_OK;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, "", 0);
    for (;;) {
        if (*p->at == '\'' || *p->at == '"')
            TRY(read_quoted(p));
        else if (*p->at == '(')
            TRY(read_balanced(p));
        else
            TRY(read_bare(p));
        if (*p->at != ',') break;
        p->at++;
        skip_blanks(p);
        smr_text_add(&p->word, ",");
    }
out:
    return st;
}

/* Does a key stand here: a name followed by '='? */
static bool at_key(const struct parser *p)
{
    const char *c = p->at;
    if (!is_first(*c)) return false;
    while (is_inner(*c)) c++;
    while (*c == ' ' || *c == '\t') c++;
    return *c == '=';
}

static smr_status unknown_param(struct parser *p, const smr_learner *learner, const char *name)
{
    const char *names[64];
    const char *note = "", *same = smr_param_called(learner, name, &note);
    int64_t n = SMR_MIN(learner->word->n_params, SMR_COUNT(names));
    if (same)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; did you mean '%s'%s?",
                        learner->word->name, name, same, note);
    const char *beside = smr_param_beside(learner, name);
    if (beside)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; %s", learner->word->name,
                        name, beside);
    for (int64_t i = 0; i < n; i++) names[i] = learner->word->params[i].name;
    int64_t near = smr_nearest(name, names, n);
    if (near >= 0)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; did you mean '%s'?",
                        learner->word->name, name, names[near]);
    return smr_fail(p->ctx, SMR_ERR_PARAM,
                    "%s has no parameter '%s'; 'samara help %s' shows those it has",
                    learner->word->name, name, learner->word->name);
}

/* The value of that parameter; of sentences the text as it stands, for learn/specs.c to read. */
static smr_status read_value_of(struct parser *p, const smr_param *param)
{
    const char *start = p->at;
    smr_status st = read_value(p);
    if (st != SMR_OK || !param || param->type != SMR_PARAM_SPECS) return st;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

/* Learners without a name before them, as in "vote (knn),(tree)": of= is what is missing. */
static const smr_param *takes_sentences(const smr_learner *learner, const smr_param *primary)
{
    for (int64_t i = 0; i < learner->word->n_params; i++)
        if (learner->word->params[i].type == SMR_PARAM_SPECS &&
            &learner->word->params[i] != primary)
            return &learner->word->params[i];
    return NULL;
}

/* Reads key=value or the primary value and finds its row. */
static smr_status read_setting(struct parser *p, const smr_learner *learner,
                               const smr_param **param)
{
    smr_status st = SMR_OK;
    *param = smr_param_primary(learner);
    if (at_key(p)) {
        TRY(read_name(p));
        *param = smr_param_find(learner, p->word.bytes);
        if (!*param) return unknown_param(p, learner, p->word.bytes);
        skip_blanks(p);
        p->at++; /* '=' */
        skip_blanks(p);
        TRY(read_value_of(p, *param));
    } else {
        const smr_param *of = *p->at == '(' ? takes_sentences(learner, *param) : NULL;
        if (of)
            return smr_fail(p->ctx, SMR_ERR_PARAM,
                            "%s: learners in parentheses need a name before them: %s=(...)%s",
                            learner->word->name, of->name, of->most > 1 ? ",(...)" : "");
        TRY(read_value_of(p, *param));
        if (!*param)
            return smr_fail(p->ctx, SMR_ERR_PARAM,
                            "%s takes no value without a name, but '%s' was given",
                            learner->word->name, p->word.bytes);
    }
out:
    return st;
}

static smr_status read_settings(struct parser *p, smr_stage *stage)
{
    const smr_learner *learner = stage->learner;
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    bool *given = NULL;
    TRY_NEW(given, learner->word->n_params + 1);
    for (skip_blanks(p); *p->at && *p->at != '|'; skip_blanks(p)) {
        const smr_param *param = NULL;
        TRY(read_setting(p, learner, &param));
        int64_t row = param - learner->word->params;
        if (given[row]) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is given twice", learner->word->name,
                          param->name);
            goto out;
        }
        given[row] = true;
        TRY(smr_param_set(ctx, learner, stage->params, param, p->word.bytes));
    }
    TRY(smr_params_check(ctx, learner, stage->params, given));
out:
    smr_free(given);
    return st;
}

static smr_status read_stage(struct parser *p, smr_stage *stage)
{
    smr_status st = SMR_OK;
    skip_blanks(p);
    TRY(read_name(p));
    TRY(smr_registry_get(p->ctx, p->word.bytes, &stage->learner));
    TRY(smr_params_create(p->ctx, stage->learner, &stage->params));
    TRY(read_settings(p, stage));
out:
    return st;
}

/* Learners end a sentence, and columns begins it. */
static smr_status check_order(smr_ctx *ctx, const smr_stage *stages, int64_t n)
{
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *l = stages[s].learner;
        if (s + 1 < n && !smr_transforms(l))
            return smr_fail(
                ctx, SMR_ERR_PARAM,
                "%s is a learner and can only stand at the end of the sentence, not before "
                "%s",
                l->word->name, stages[s + 1].learner->word->name);
        if (s > 0 && strcmp(l->word->name, "columns") == 0)
            return smr_fail(ctx, SMR_ERR_PARAM, "columns can only be the first stage");
    }
    if (n == 1 && strcmp(stages[0].learner->word->name, "columns") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "the sentence has no stage behind columns");
    return SMR_OK;
}

smr_status smr_spec_parse(smr_ctx *ctx, const char *sentence, smr_stage **out, int64_t *n_out)
{
    smr_status st = SMR_OK;
    struct parser p = {.ctx = ctx, .begin = sentence, .at = sentence, .word = {.ctx = ctx}};
    smr_stage *stages = NULL;
    int64_t n = 0;
    *out = NULL;
    *n_out = 0;
    TRY_NEW(stages, MAX_STAGES);
    skip_blanks(&p);
    if (!*p.at) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "the model's sentence is empty; try \"knn 5\"");
        goto out;
    }
    for (;;) {
        if (n == MAX_STAGES) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "a model has at most %d stages", MAX_STAGES);
            goto out;
        }
        TRY(read_stage(&p, &stages[n++]));
        if (!*p.at) break;
        p.at++; /* '|' */
    }
    TRY(check_order(ctx, stages, n));
    *out = stages;
    *n_out = n;
    stages = NULL;
out:
    smr_text_release(&p.word);
    smr_stages_free(stages, n);
    return st;
}

void smr_spec_write(const smr_stage *stages, int64_t n, smr_text *out)
{
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *learner = stages[s].learner;
        if (s) smr_text_add(out, " | ");
        smr_text_add(out, learner->word->name);
        for (int64_t i = 0; i < learner->word->n_params; i++) {
            const smr_param *param = &learner->word->params[i];
            if (!smr_param_is_read(learner, stages[s].params, param) ||
                smr_param_is_empty(param, stages[s].params))
                continue;
            smr_text_add(out, " ");
            smr_text_add(out, param->name);
            smr_text_add(out, "=");
            smr_param_write(param, stages[s].params, out);
        }
    }
}

static const smr_specs *specs_of(const smr_stage *stage, int64_t row)
{
    const smr_param *p = &stage->learner->word->params[row];
    if (p->type != SMR_PARAM_SPECS || !smr_param_is_read(stage->learner, stage->params, p))
        return NULL;
    return (const smr_specs *)(const void *)((const char *)stage->params + p->offset);
}

/* "standardize | knn" of a canonical sentence: the word that begins each stage. */
static void add_names(const char *sentence, smr_text *out)
{
    int depth = 0;
    char quote = 0;
    smr_text_add_bytes(out, sentence, (int64_t)strcspn(sentence, " "));
    for (const char *c = sentence; *c; c++) {
        if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (*c == '|' && depth == 0) {
            smr_text_add(out, " | ");
            smr_text_add_bytes(out, c + 2, (int64_t)strcspn(c + 2, " "));
        } else {
            depth += (*c == '(') - (*c == ')');
        }
    }
}

void smr_stage_name(const smr_stage *stage, smr_text *out)
{
    smr_text_add(out, stage->learner->word->name);
    for (int64_t i = 0; i < stage->learner->word->n_params; i++) {
        const smr_specs *specs = specs_of(stage, i);
        for (int64_t k = 0; specs && k < specs->n; k++) {
            if (k)
                smr_text_add(out, ",(");
            else
                smr_text_printf(out, " %s=(", stage->learner->word->params[i].name);
            add_names(specs->text[k], out);
            smr_text_add(out, ")");
        }
    }
}

unsigned smr_stage_tasks(const smr_stage *stage)
{
    const smr_learner *l = stage->learner;
    unsigned tasks = l->tasks;
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_specs *specs = specs_of(stage, i);
        if (specs && !l->word->params[i].member_tasks) tasks &= specs->tasks;
    }
    return tasks;
}

bool smr_stage_numbers_first(const smr_stage *stage)
{
    const smr_learner *l = stage->learner;
    bool made = false, all = true;
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_specs *specs = specs_of(stage, i);
        if (!specs || specs->n == 0 || l->word->params[i].member_tasks) continue;
        made = true;
        all &= specs->numbers_first;
    }
    return (l->traits & SMR_NUMBERS_FIRST) || (made && all);
}

void smr_stages_free(smr_stage *stages, int64_t n)
{
    if (!stages) return;
    for (int64_t s = 0; s < n; s++) {
        smr_stage *stage = &stages[s];
        if (!stage->learner) continue;
        smr_stage_release_state(stage);
        smr_params_free(stage->learner, stage->params);
        smr_features_free(stage->features, stage->n_out);
    }
    smr_free(stages);
}
