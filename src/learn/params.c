/* params.c -- see params.h.  Nothing here knows a learner: the table says it all. */
#include "learn/params.h"

#include "core/number.h"
#include "learn/specs.h"
#include "learn/synonyms.h"

#include <string.h>

static void *field(const smr_param *p, void *params)
{
    return (char *)params + p->offset;
}

static const void *field_const(const smr_param *p, const void *params)
{
    return (const char *)params + p->offset;
}

static smr_status set_default(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                              void *params)
{
    void *at = field(p, params);
    switch (p->type) {
    case SMR_PARAM_REAL: *(double *)at = p->def; break;
    case SMR_PARAM_INT: *(int64_t *)at = (int64_t)p->def; break;
    case SMR_PARAM_BOOL: *(bool *)at = p->def != 0; break;
    case SMR_PARAM_CHOICE: *(int *)at = (int)p->def; break;
    case SMR_PARAM_REALS:
        *(smr_reals *)at = (smr_reals){.n = isnan(p->def) ? 0 : 1};
        if (!isnan(p->def)) ((smr_reals *)at)->value[0] = p->def;
        break;
    case SMR_PARAM_STRING:
        *(char **)at = smr_strdup(ctx, p->def_text ? p->def_text : "");
        if (!*(char **)at) return SMR_ERR_NOMEM;
        break;
    case SMR_PARAM_SPECS:
        *(smr_specs *)at = (smr_specs){.tasks = ~0u};
        if (p->def_text) return smr_specs_read(ctx, learner, p, p->def_text, at);
        break;
    }
    return SMR_OK;
}

smr_status smr_params_create(smr_ctx *ctx, const smr_learner *learner, void **out)
{
    smr_status st = SMR_OK;
    char *params = NULL;
    *out = NULL;
    TRY_NEW(params, (int64_t)learner->word->params_size);
    for (int64_t i = 0; i < learner->word->n_params; i++)
        TRY(set_default(ctx, learner, &learner->word->params[i], params));
    *out = params;
    params = NULL;
out:
    smr_params_free(learner, params);
    return st;
}

void smr_params_free(const smr_learner *learner, void *params)
{
    if (!params) return;
    for (int64_t i = 0; i < learner->word->n_params; i++) {
        const smr_param *p = &learner->word->params[i];
        if (p->type == SMR_PARAM_STRING) smr_free(*(char **)field(p, params));
        if (p->type == SMR_PARAM_SPECS) smr_specs_release(field(p, params));
    }
    smr_free(params);
}

const smr_param *smr_param_find(const smr_learner *learner, const char *name)
{
    for (int64_t i = 0; i < learner->word->n_params; i++)
        if (strcmp(learner->word->params[i].name, name) == 0) return &learner->word->params[i];
    return NULL;
}

const smr_param *smr_param_primary(const smr_learner *learner)
{
    for (int64_t i = 0; i < learner->word->n_params; i++)
        if (learner->word->params[i].primary) return &learner->word->params[i];
    return NULL;
}

/* ---- ranges ----------------------------------------------------------------------------- */

static bool has_range(const smr_param *p)
{
    return p->min != 0 || p->max != 0;
}

static void write_limit(double x, smr_text *out)
{
    smr_text_number(out, x);
}

void smr_param_write_range(const smr_param *p, smr_text *out)
{
    if (p->type == SMR_PARAM_BOOL) {
        smr_text_add(out, "yes or no");
    } else if (p->type == SMR_PARAM_CHOICE) {
        for (const smr_choice *c = p->choices; c->name; c++) {
            if (c != p->choices) smr_text_add(out, c[1].name ? ", " : " or ");
            smr_text_add(out, c->name);
        }
    } else if (p->type == SMR_PARAM_STRING) {
        smr_text_add(out, "text");
    } else if (p->type == SMR_PARAM_SPECS) {
        smr_text_add(out, p->most > 1 ? "sentences (...),(...)" : "a sentence (...)");
    } else {
        smr_text_add(out, !has_range(p) || p->min_open ? "(" : "[");
        write_limit(has_range(p) ? p->min : -INFINITY, out);
        smr_text_add(out, ", ");
        write_limit(has_range(p) ? p->max : INFINITY, out);
        smr_text_add(out, !has_range(p) || p->max_open ? ")" : "]"); /* "inf]": inf is allowed */
    }
}

static bool in_range(const smr_param *p, double x)
{
    if (isnan(x)) return false;
    if (!has_range(p)) return true;
    if (x < p->min || (p->min_open && x <= p->min)) return false;
    if (x > p->max || (p->max_open && x >= p->max)) return false;
    return !(isinf(x) && (x > 0 ? p->max_open || !isinf(p->max) : p->min_open));
}

/* The value that may have been meant: a choice by its name elsewhere or by its letters; 0 for no
 * limit. */
static void write_hint(const smr_param *p, const char *value, smr_text *out)
{
    static const smr_choice yes_no[] = {{"yes", ""}, {"no", ""}, {NULL, NULL}};
    const smr_choice *choices = p->type == SMR_PARAM_BOOL     ? yes_no
                                : p->type == SMR_PARAM_CHOICE ? p->choices
                                                              : NULL;
    const char *same = choices ? smr_choice_called(choices, value) : NULL, *names[64];
    int64_t n = 0;
    for (const smr_choice *c = choices; c && c->name && n < SMR_COUNT(names); c++)
        names[n++] = c->name;
    int64_t near = same || !n ? -1 : smr_nearest(value, names, n);
    if (near >= 0) same = names[near];
    if (same) smr_text_printf(out, "; did you mean '%s'?", same);
    if (p->type == SMR_PARAM_INT && p->min == 0 && strncmp(p->name, "max_", 4) == 0 &&
        (strcmp(value, "none") == 0 || strcmp(value, "None") == 0 || strcmp(value, "-1") == 0 ||
         strcmp(value, "inf") == 0))
        smr_text_add(out, "; 0 sets no limit");
}

static smr_status refuse(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                         const char *value, const char *why)
{
    smr_text range = {.ctx = ctx};
    smr_param_write_range(p, &range);
    write_hint(p, value, &range);
    smr_status st = smr_text_done(&range);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s: %s = %s %s %s", learner->word->name, p->name, value,
                      why, range.bytes);
    smr_text_release(&range);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* One number from [text, end); inf and -inf are numbers, nan is not. */
static bool read_number(const char *text, const char *end, double *x)
{
    while (text < end && *text == ' ') text++;
    while (end > text && end[-1] == ' ') end--;
    return text < end && smr_parse_double(text, end, x) == end;
}

static smr_status set_reals(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                            const char *value, smr_reals *out)
{
    smr_reals list = {0};
    for (const char *at = value;; at++) {
        const char *end = strchr(at, ',');
        if (!end) end = at + strlen(at);
        double x = NAN;
        if (list.n == SMR_REALS_MAX)
            return refuse(ctx, learner, p, value, "has too many values for");
        if (!read_number(at, end, &x))
            return refuse(ctx, learner, p, value, "is not a list of numbers in");
        if (!in_range(p, x)) return refuse(ctx, learner, p, value, "is outside");
        list.value[list.n++] = x;
        at = end;
        if (!*at) break;
    }
    *out = list;
    return SMR_OK;
}

static smr_status set_choice(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                             const char *value, int *out)
{
    for (int i = 0; p->choices[i].name; i++)
        if (strcmp(p->choices[i].name, value) == 0) {
            *out = i;
            return SMR_OK;
        }
    bool alone = p->choices[0].name && !p->choices[1].name;
    return refuse(ctx, learner, p, value, alone ? "is not the only one there is:" : "is none of");
}

static smr_status set_bool(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                           const char *value, bool *out)
{
    bool yes = !strcmp(value, "yes") || !strcmp(value, "true") || !strcmp(value, "1");
    bool no = !strcmp(value, "no") || !strcmp(value, "false") || !strcmp(value, "0");
    if (!yes && !no) return refuse(ctx, learner, p, value, "is not");
    *out = yes;
    return SMR_OK;
}

static smr_status set_number(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                             const char *value, double *out)
{
    double x = NAN;
    if (!read_number(value, value + strlen(value), &x))
        return refuse(ctx, learner, p, value, "is not a number in");
    if (p->type == SMR_PARAM_INT && (x != floor(x) || fabs(x) > 0x1p53))
        return refuse(ctx, learner, p, value, "is not a whole number in");
    if (!in_range(p, x)) return refuse(ctx, learner, p, value, "is outside");
    *out = x;
    return SMR_OK;
}

smr_status smr_param_set(smr_ctx *ctx, const smr_learner *learner, void *params, const smr_param *p,
                         const char *value)
{
    void *at = field(p, params);
    smr_status st = SMR_OK;
    double x = 0;
    switch (p->type) {
    case SMR_PARAM_REAL:
        TRY(set_number(ctx, learner, p, value, &x));
        *(double *)at = x;
        break;
    case SMR_PARAM_INT:
        TRY(set_number(ctx, learner, p, value, &x));
        *(int64_t *)at = (int64_t)x;
        break;
    case SMR_PARAM_BOOL: TRY(set_bool(ctx, learner, p, value, at)); break;
    case SMR_PARAM_CHOICE: TRY(set_choice(ctx, learner, p, value, at)); break;
    case SMR_PARAM_REALS: TRY(set_reals(ctx, learner, p, value, at)); break;
    case SMR_PARAM_STRING: {
        char *copy = smr_strdup(ctx, value);
        if (!copy) return SMR_ERR_NOMEM;
        smr_free(*(char **)at);
        *(char **)at = copy;
        break;
    }
    case SMR_PARAM_SPECS: TRY(smr_specs_read(ctx, learner, p, value, at)); break;
    }
out:
    return st;
}

bool smr_param_is_empty(const smr_param *p, const void *params)
{
    return p->type == SMR_PARAM_REALS && ((const smr_reals *)field_const(p, params))->n == 0;
}

/* ---- conditions ------------------------------------------------------------------------- */

/* Is the word one of those that stand in "gain|weight"? */
static bool is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == '\0' || at[n] == '|')) return true;
    return false;
}

bool smr_param_is_read(const smr_learner *learner, const void *params, const smr_param *p)
{
    if (!p->when) return true;
    const char *eq = strchr(p->when, '=');
    for (int64_t i = 0; eq && i < learner->word->n_params; i++) {
        const smr_param *other = &learner->word->params[i];
        size_t n = (size_t)(eq - p->when);
        if (strlen(other->name) != n || strncmp(other->name, p->when, n) != 0) continue;
        if (other->type == SMR_PARAM_CHOICE) {
            int choice = *(const int *)field_const(other, params);
            return is_one_of(other->choices[choice].name, eq + 1);
        }
        if (other->type == SMR_PARAM_BOOL)
            return *(const bool *)field_const(other, params) == (strcmp(eq + 1, "yes") == 0);
    }
    return true;
}

smr_status smr_params_check(smr_ctx *ctx, const smr_learner *learner, const void *params,
                            const bool *given)
{
    for (int64_t i = 0; given && i < learner->word->n_params; i++) {
        const smr_param *p = &learner->word->params[i];
        if (given[i] && !smr_param_is_read(learner, params, p))
            return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is read only with %s", learner->word->name,
                            p->name, p->when);
    }
    for (int64_t i = 0; i < learner->word->n_params; i++) {
        const smr_param *p = &learner->word->params[i];
        if (p->type == SMR_PARAM_SPECS && smr_param_is_read(learner, params, p) &&
            ((const smr_specs *)field_const(p, params))->n < p->least)
            return smr_specs_missing(ctx, learner, p);
    }
    return learner->word->check_params ? learner->word->check_params(ctx, params) : SMR_OK;
}

/* ---- writing ---------------------------------------------------------------------------- */

static bool is_word(const char *text)
{
    if (!*text) return false;
    for (const char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool inner = (*c >= '0' && *c <= '9') || *c == '.' || *c == '-';
        if (!letter && !(inner && c > text)) return false;
    }
    return true;
}

/* In single quotes, or in double ones where that saves doubling: a quote inside is written twice.
 * */
static void write_string(const char *text, smr_text *out)
{
    if (is_word(text)) {
        smr_text_add(out, text);
        return;
    }
    char quote[2] = {strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'', '\0'};
    smr_text_add(out, quote);
    for (const char *c = text; *c; c++) {
        if (*c == quote[0]) smr_text_add(out, quote);
        smr_text_add_bytes(out, c, 1);
    }
    smr_text_add(out, quote);
}

void smr_param_write(const smr_param *p, const void *params, smr_text *out)
{
    const void *at = field_const(p, params);
    switch (p->type) {
    case SMR_PARAM_REAL: smr_text_number(out, *(const double *)at); break;
    case SMR_PARAM_INT: smr_text_number(out, (double)*(const int64_t *)at); break;
    case SMR_PARAM_BOOL: smr_text_add(out, *(const bool *)at ? "yes" : "no"); break;
    case SMR_PARAM_CHOICE: smr_text_add(out, p->choices[*(const int *)at].name); break;
    case SMR_PARAM_STRING: write_string(*(char *const *)at, out); break;
    case SMR_PARAM_SPECS: smr_specs_write(at, out); break;
    case SMR_PARAM_REALS:
        for (int64_t i = 0; i < ((const smr_reals *)at)->n; i++) {
            if (i) smr_text_add(out, ",");
            smr_text_number(out, ((const smr_reals *)at)->value[i]);
        }
        break;
    }
}

void smr_param_write_default(const smr_param *p, smr_text *out)
{
    switch (p->type) {
    case SMR_PARAM_BOOL: smr_text_add(out, p->def != 0 ? "yes" : "no"); break;
    case SMR_PARAM_CHOICE: smr_text_add(out, p->choices[(int)p->def].name); break;
    case SMR_PARAM_STRING: write_string(p->def_text ? p->def_text : "", out); break;
    case SMR_PARAM_SPECS: smr_text_add(out, p->def_text ? p->def_text : "none"); break;
    case SMR_PARAM_REAL:
    case SMR_PARAM_INT:
    case SMR_PARAM_REALS:
        if (isnan(p->def))
            smr_text_add(out, "none");
        else
            smr_text_number(out, p->def);
        break;
    }
}
