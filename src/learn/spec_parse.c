/* spec_parse.c -- from a sentence to an smr_spec: see spec.h. */
#include "learn/spec.h"

#include "core/synonyms.h"
#include "learn/registry.h"
#include "learn/specs.h"

#include <string.h>

enum { MAX_STEPS = 64, MAX_NESTING = 16 };

/* How far reading has come, and what was read last. */
struct parser {
    smr_ctx *ctx;
    const char *begin, *at;
    bool saved;    /* it comes out of a model file */
    smr_text word; /* the last name or value       */
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

/* Quoted, or without blanks outside parentheses. */
static smr_status read_expression(struct parser *p)
{
    smr_status st = SMR_OK;
    const char *start = p->at;
    if (*p->at == '\'' || *p->at == '"') return read_quoted(p);
    for (;;) {
        if (*p->at == '(')
            TRY(read_balanced(p));
        else if (is_inner(*p->at) || (*p->at && strchr("+*^", *p->at)))
            p->at++;
        else
            break;
    }
    if (p->at == start) return complain(p, "a value is missing");
out:
    return st;
}

/* Is there a key here: a name followed by '='? */
static bool at_key(const struct parser *p)
{
    const char *c = p->at;
    if (!is_first(*c)) return false;
    while (is_inner(*c)) c++;
    while (*c == ' ' || *c == '\t') c++;
    return *c == '=';
}

/* learner: NULL for a word that is not a learner. */
static smr_status unknown_param(struct parser *p, const smr_word *word, const smr_learner *learner,
                                const char *name)
{
    const char *names[64];
    const char *note = "", *same = smr_param_called(word, name, &note);
    bool out_of_bag = false;
    int64_t n = SMR_MIN(word->n_params, SMR_COUNT(names));
    if (same)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; did you mean '%s'%s?",
                        word->name, name, same, note);
    const char *beside = smr_param_beside(name, &out_of_bag);
    if (beside && (!out_of_bag || (learner && learner->traits & SMR_OUT_OF_BAG)))
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; %s", word->name, name,
                        beside);
    for (int64_t i = 0; i < n; i++) names[i] = word->params[i].name;
    int64_t near = smr_nearest(name, names, n);
    if (near >= 0)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s has no parameter '%s'; did you mean '%s'?",
                        word->name, name, names[near]);
    return smr_fail(p->ctx, SMR_ERR_PARAM,
                    "%s has no parameter '%s'; 'samara help %s' shows those it has", word->name,
                    name, word->name);
}

/* The value of that parameter; for a phrase the text as it is, for its grammar to read. */
static smr_status read_value_of(struct parser *p, const smr_param *param)
{
    const char *start = p->at;
    bool expression = param && param->grammar && param->grammar->expression;
    smr_status st = expression ? read_expression(p) : read_value(p);
    if (st != SMR_OK || !param || param->type != SMR_PARAM_PHRASE) return st;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

/* Learners without a name before them, as in "vote (knn),(tree)": of= is what is missing. */
static const smr_param *takes_sentences(const smr_word *word, const smr_param *primary)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (word->params[i].grammar == &smr_sentences && &word->params[i] != primary)
            return &word->params[i];
    return NULL;
}

/* Reads key=value or the primary value and finds its row. */
static smr_status read_setting(struct parser *p, const smr_word *word, const smr_learner *learner,
                               const smr_param **param)
{
    smr_status st = SMR_OK;
    *param = smr_param_primary(word);
    if (at_key(p)) {
        TRY(read_name(p));
        *param = smr_param_find(word, p->word.bytes);
        if (!*param) return unknown_param(p, word, learner, p->word.bytes);
        skip_blanks(p);
        p->at++; /* '=' */
        skip_blanks(p);
        TRY(read_value_of(p, *param));
    } else {
        const smr_param *of = *p->at == '(' ? takes_sentences(word, *param) : NULL;
        if (of)
            return smr_fail(p->ctx, SMR_ERR_PARAM,
                            "%s: learners in parentheses need a name before them: %s=(...)%s",
                            word->name, of->name, of->most > 1 ? ",(...)" : "");
        TRY(read_value_of(p, *param));
        if (!*param)
            return smr_fail(p->ctx, SMR_ERR_PARAM,
                            "%s takes no value without a name, but '%s' was given", word->name,
                            p->word.bytes);
    }
out:
    return st;
}

/* The settings of a word whose parameters have their defaults; learner: NULL for the head. */
static smr_status read_settings(struct parser *p, const smr_word *word, const smr_learner *learner,
                                void *params)
{
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    bool *given = NULL;
    TRY_NEW(given, word->n_params + 1);
    for (skip_blanks(p); *p->at && *p->at != '|'; skip_blanks(p)) {
        const smr_param *param = NULL;
        TRY(read_setting(p, word, learner, &param));
        int64_t row = param - word->params;
        if (given[row])
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is given twice", word->name, param->name));
        given[row] = true;
        TRY(smr_param_read(ctx, word, params, param, p->word.bytes, p->saved));
    }
    if (p->saved) TRY(smr_params_drop_unread(ctx, word, params));
    if (learner) TRY(smr_specs_check(ctx, learner, params));
    TRY(smr_params_check(ctx, word, params, p->saved ? NULL : given));
out:
    smr_free(given);
    return st;
}

/* ---- a sentence ------------------------------------------------------------------------- */

static smr_status read_head(struct parser *p, smr_spec *spec)
{
    if (spec->head.written || spec->n > 0)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "%s can only be the first stage",
                        smr_columns_word.name);
    spec->head.written = true;
    return read_settings(p, &smr_columns_word, NULL, &spec->head.columns);
}

/* A step, or the head. */
static smr_status read_step(struct parser *p, smr_spec *spec)
{
    smr_status st = SMR_OK;
    skip_blanks(p);
    TRY(read_name(p));
    if (strcmp(p->word.bytes, smr_columns_word.name) == 0) return read_head(p, spec);
    if (spec->n == MAX_STEPS)
        return smr_fail(p->ctx, SMR_ERR_PARAM, "a model has at most %d stages", (int)MAX_STEPS);
    smr_step *step = &spec->steps[spec->n];
    TRY(smr_registry_get(p->ctx, p->word.bytes, &step->learner));
    if (spec->n > 0 && !smr_transforms(step[-1].learner))
        return smr_fail(p->ctx, SMR_ERR_PARAM,
                        "%s is a learner and can only be at the end of the sentence, not before %s",
                        step[-1].learner->word->name, step->learner->word->name);
    TRY(smr_params_create(p->ctx, step->learner->word, &step->params));
    spec->n++;
    TRY(read_settings(p, step->learner->word, step->learner, step->params));
out:
    return st;
}

static smr_status read_spec(struct parser *p, smr_spec *spec)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    TRY_NEW(spec->steps, MAX_STEPS);
    TRY(smr_params_begin(ctx, &smr_columns_word, &spec->head.columns));
    skip_blanks(p);
    if (!*p->at) TRY(smr_fail(ctx, SMR_ERR_PARAM, "the model's sentence is empty; try \"knn 5\""));
    for (;;) {
        TRY(read_step(p, spec));
        if (!*p->at) break;
        p->at++; /* '|' */
    }
    if (spec->n == 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "the sentence has no stage after %s",
                     smr_columns_word.name));
out:
    return st;
}

static smr_status parse(smr_ctx *ctx, const char *sentence, bool saved, smr_spec **out)
{
    smr_status st = SMR_OK;
    struct parser p = {
        .ctx = ctx, .begin = sentence, .at = sentence, .saved = saved, .word = {.ctx = ctx}};
    smr_spec *spec = NULL;
    *out = NULL;
    TRY_NEW(spec, 1);
    TRY(read_spec(&p, spec));
    *out = spec;
    spec = NULL;
out:
    smr_text_release(&p.word);
    smr_spec_free(spec);
    return st;
}

smr_status smr_spec_parse(smr_ctx *ctx, const char *sentence, smr_spec **out)
{
    return parse(ctx, sentence, false, out);
}

smr_status smr_spec_parse_saved(smr_ctx *ctx, const char *sentence, smr_spec **out)
{
    return parse(ctx, sentence, true, out);
}
