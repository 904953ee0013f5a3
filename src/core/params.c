/* params.c -- see params.h.  Nothing here knows any particular word: the table says it all. */
#include "core/params.h"

#include "core/number.h"
#include "core/synonyms.h"

#include <string.h>

/* ---- defaults, copies, release ---------------------------------------------------------- */

/* Only numbers, lists and pointers: what the field held is the caller's to release. */
static void put_unset(const smr_param *p, void *params)
{
    void *at = smr_param_at(p, params);
    switch (p->type) {
    case SMR_PARAM_REAL: *(double *)at = NAN; break;
    case SMR_PARAM_INT: *(int64_t *)at = SMR_UNSET_INT; break;
    case SMR_PARAM_CHOICE: *(int *)at = -1; break;
    case SMR_PARAM_REALS: ((smr_reals *)at)->n = 0; break;
    case SMR_PARAM_STRING: *(char **)at = NULL; break;
    case SMR_PARAM_BOOL: /* has two values and no third */
    case SMR_PARAM_PHRASE: /* is empty                    */ break;
    }
}

static smr_status set_default(smr_ctx *ctx, const smr_word *word, const smr_param *p, void *params)
{
    void *at = smr_param_at(p, params);
    if (p->unset) {
        put_unset(p, params);
        return SMR_OK;
    }
    switch (p->type) {
    case SMR_PARAM_REAL: *(double *)at = p->def; break;
    case SMR_PARAM_INT: *(int64_t *)at = (int64_t)p->def; break;
    case SMR_PARAM_BOOL: *(bool *)at = p->def != 0; break;
    case SMR_PARAM_CHOICE: *(int *)at = (int)p->def; break;
    case SMR_PARAM_REALS:
        ((smr_reals *)at)->n = 1;
        ((smr_reals *)at)->value[0] = p->def;
        break;
    case SMR_PARAM_STRING:
        *(char **)at = smr_strdup(ctx, p->def_text ? p->def_text : "");
        if (!*(char **)at) return SMR_ERR_NOMEM;
        break;
    case SMR_PARAM_PHRASE:
        if (p->def_text) return p->grammar->read(ctx, word, p, p->def_text, false, at);
        break;
    }
    return SMR_OK;
}

static void release(const smr_param *p, void *params)
{
    void *at = smr_param_at(p, params);
    if (p->type == SMR_PARAM_STRING) {
        smr_free(*(char **)at);
        *(char **)at = NULL;
    }
    if (p->type == SMR_PARAM_PHRASE) p->grammar->release(at);
}

smr_status smr_params_begin(smr_ctx *ctx, const smr_word *word, void *params)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < word->n_params; i++)
        TRY(set_default(ctx, word, &word->params[i], params));
out:
    if (st != SMR_OK) smr_params_release(word, params);
    return st;
}

smr_status smr_params_assign(smr_ctx *ctx, const smr_word *word, const void *from, void *params)
{
    smr_status st = SMR_OK;
    memcpy(params, from, word->params_size);
    for (int64_t i = 0; i < word->n_params; i++) { /* nothing is shared if a copy fails */
        const smr_param *p = &word->params[i];
        if (p->type == SMR_PARAM_STRING) *(char **)smr_param_at(p, params) = NULL;
        if (p->type == SMR_PARAM_PHRASE) memset(smr_param_at(p, params), 0, p->grammar->size);
    }
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        const void *old = smr_param_in(p, from);
        void *at = smr_param_at(p, params);
        if (p->type == SMR_PARAM_PHRASE) TRY(p->grammar->copy(ctx, old, at));
        if (p->type == SMR_PARAM_STRING && *(char *const *)old) {
            *(char **)at = smr_strdup(ctx, *(char *const *)old);
            if (!*(char **)at) TRY(SMR_ERR_NOMEM);
        }
    }
out:
    if (st != SMR_OK) smr_params_release(word, params);
    return st;
}

void smr_params_release(const smr_word *word, void *params)
{
    for (int64_t i = 0; i < word->n_params; i++) release(&word->params[i], params);
    if (word->params_size) memset(params, 0, word->params_size);
}

smr_status smr_params_create(smr_ctx *ctx, const smr_word *word, void **out)
{
    smr_status st = SMR_OK;
    char *params = NULL;
    *out = NULL;
    TRY_NEW(params, (int64_t)word->params_size);
    TRY(smr_params_begin(ctx, word, params));
    *out = params;
    params = NULL;
out:
    smr_free(params);
    return st;
}

smr_status smr_params_copy(smr_ctx *ctx, const smr_word *word, const void *from, void **out)
{
    smr_status st = SMR_OK;
    char *params = NULL;
    *out = NULL;
    TRY_NEW(params, (int64_t)word->params_size);
    TRY(smr_params_assign(ctx, word, from, params));
    *out = params;
    params = NULL;
out:
    smr_free(params);
    return st;
}

void smr_params_free(const smr_word *word, void *params)
{
    if (!params) return;
    smr_params_release(word, params);
    smr_free(params);
}

const smr_param *smr_param_find(const smr_word *word, const char *name)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (strcmp(word->params[i].name, name) == 0) return &word->params[i];
    return NULL;
}

const smr_param *smr_param_primary(const smr_word *word)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (word->params[i].primary) return &word->params[i];
    return NULL;
}

/* ---- ranges ----------------------------------------------------------------------------- */

static bool has_range(const smr_param *p)
{
    return p->min != 0 || p->max != 0;
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
    const smr_choice *choices = p->type == SMR_PARAM_BOOL ? yes_no : p->choices;
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

static smr_status refuse(smr_ctx *ctx, const smr_word *word, const smr_param *p, const char *value,
                         const char *why)
{
    smr_text range = {.ctx = ctx};
    smr_param_write_range(p, &range);
    write_hint(p, value, &range);
    smr_status st = smr_text_done(&range);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s: %s = %s %s %s", word->name, p->name, value, why,
                      range.bytes);
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

/* A word that may be given in place of a number, as the number that stands for it. */
static bool read_choice(const smr_param *p, const char *text, const char *end, double *x)
{
    size_t n = (size_t)(end - text);
    for (int i = 0; p->choices && p->choices[i].name; i++) {
        if (strlen(p->choices[i].name) != n || memcmp(p->choices[i].name, text, n) != 0) continue;
        *x = -1 - i;
        return true;
    }
    return false;
}

static smr_status set_reals(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                            const char *value, smr_reals *out)
{
    smr_reals list = {0};
    for (const char *at = value;; at++) {
        const char *end = strchr(at, ',');
        if (!end) end = at + strlen(at);
        double x = NAN;
        if (list.n == SMR_REALS_MAX) return refuse(ctx, word, p, value, "has too many values for");
        if (!read_choice(p, at, end, &x)) {
            if (!read_number(at, end, &x))
                return refuse(ctx, word, p, value, "is not a list of numbers in");
            if (!in_range(p, x)) return refuse(ctx, word, p, value, "is outside");
            if (p->whole && x != floor(x))
                return refuse(ctx, word, p, value, "is not a list of whole numbers in");
        }
        list.value[list.n++] = x;
        at = end;
        if (!*at) break;
    }
    *out = list;
    return SMR_OK;
}

static smr_status set_choice(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                             const char *value, int *out)
{
    for (int i = 0; p->choices[i].name; i++)
        if (strcmp(p->choices[i].name, value) == 0) {
            *out = i;
            return SMR_OK;
        }
    bool alone = p->choices[0].name && !p->choices[1].name;
    return refuse(ctx, word, p, value, alone ? "is not the only one there is:" : "is none of");
}

static smr_status set_bool(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                           const char *value, bool *out)
{
    bool yes = !strcmp(value, "yes") || !strcmp(value, "true") || !strcmp(value, "1");
    bool no = !strcmp(value, "no") || !strcmp(value, "false") || !strcmp(value, "0");
    if (!yes && !no) return refuse(ctx, word, p, value, "is not");
    *out = yes;
    return SMR_OK;
}

static smr_status set_number(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                             const char *value, double *out)
{
    double x = NAN;
    if (read_choice(p, value, value + strlen(value), out)) return SMR_OK;
    if (!read_number(value, value + strlen(value), &x))
        return refuse(ctx, word, p, value, "is not a number in");
    if (smr_param_is_whole(p) && (x != floor(x) || fabs(x) > 0x1p53))
        return refuse(ctx, word, p, value, "is not a whole number in");
    if (!in_range(p, x)) return refuse(ctx, word, p, value, "is outside");
    *out = x;
    return SMR_OK;
}

smr_status smr_param_set(smr_ctx *ctx, const smr_word *word, void *params, const smr_param *p,
                         const char *value)
{
    return smr_param_read(ctx, word, params, p, value, false);
}

smr_status smr_param_read(smr_ctx *ctx, const smr_word *word, void *params, const smr_param *p,
                          const char *value, bool saved)
{
    void *at = smr_param_at(p, params);
    smr_status st = SMR_OK;
    double x = 0;
    if (p->unset && (strcmp(value, "none") == 0 || (p->none && strcmp(value, p->none) == 0))) {
        release(p, params);
        put_unset(p, params);
        return SMR_OK;
    }
    switch (p->type) {
    case SMR_PARAM_REAL:
        TRY(set_number(ctx, word, p, value, &x));
        *(double *)at = x;
        break;
    case SMR_PARAM_INT:
        TRY(set_number(ctx, word, p, value, &x));
        *(int64_t *)at = (int64_t)x;
        break;
    case SMR_PARAM_BOOL: TRY(set_bool(ctx, word, p, value, at)); break;
    case SMR_PARAM_CHOICE: TRY(set_choice(ctx, word, p, value, at)); break;
    case SMR_PARAM_REALS: TRY(set_reals(ctx, word, p, value, at)); break;
    case SMR_PARAM_STRING: {
        char *copy = smr_strdup(ctx, value);
        if (!copy) return SMR_ERR_NOMEM;
        smr_free(*(char **)at);
        *(char **)at = copy;
        break;
    }
    case SMR_PARAM_PHRASE: TRY(p->grammar->read(ctx, word, p, value, saved, at)); break;
    }
out:
    return st;
}

bool smr_param_is_unset(const smr_param *p, const void *params)
{
    return p->unset && smr_param_count(p, params) == 0;
}

int64_t smr_param_count(const smr_param *p, const void *params)
{
    const void *at = smr_param_in(p, params);
    switch (p->type) {
    case SMR_PARAM_REAL: return !p->unset || !isnan(*(const double *)at);
    case SMR_PARAM_INT: return !p->unset || *(const int64_t *)at != SMR_UNSET_INT;
    case SMR_PARAM_CHOICE: return *(const int *)at >= 0;
    case SMR_PARAM_REALS: return ((const smr_reals *)at)->n;
    case SMR_PARAM_STRING: return *(char *const *)at != NULL;
    case SMR_PARAM_PHRASE: return p->grammar->count(at);
    case SMR_PARAM_BOOL: break;
    }
    return 1;
}

/* ---- conditions ------------------------------------------------------------------------- */

/* Is the word one of those in "gain|weight", which ends at `end`? */
static bool is_one_of(const char *word, const char *list, const char *end)
{
    size_t n = strlen(word);
    for (const char *at = list; at < end; at += strcspn(at, "|&") + 1)
        if (strncmp(at, word, n) == 0 && (at + n == end || at[n] == '|')) return true;
    return false;
}

/* The row that a condition is about: the name ends at `end`. */
static const smr_param *row_named(const smr_word *word, const char *name, const char *end)
{
    size_t n = (size_t)(end - name);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (strlen(p->name) == n && strncmp(p->name, name, n) == 0) return p;
    }
    return NULL;
}

/* A condition of a `when`, which ends at a & or with its text. */
struct condition {
    const smr_param *other; /* what it is about                      */
    char sign;              /* '=', '<', '>', '!' for !=             */
    const char *value, *end;
};

static struct condition read_condition(const smr_word *word, const char *when)
{
    const char *sign = when + strcspn(when, SMR_WHEN_SIGNS);
    const char *value = sign + (*sign == '!' ? 2 : 1);
    return (struct condition){.other = row_named(word, when, sign),
                              .sign = *sign,
                              .value = value,
                              .end = value + strcspn(value, "&")};
}

static bool is_about_none(const struct condition *c)
{
    return !c->other->choices && c->end - c->value == 4 && strncmp(c->value, "none", 4) == 0;
}

/* What a condition compares with: a number, or a word that may be given in its place. */
static double limit_of(const struct condition *c)
{
    double limit = 0;
    if (c->other->type == SMR_PARAM_REAL)
        for (int i = 0; c->other->choices && c->other->choices[i].name; i++)
            if (is_one_of(c->other->choices[i].name, c->value, c->end)) return -1 - i;
    smr_parse_double(c->value, c->end, &limit);
    return limit;
}

/* Of a number its value, of a list or a phrase how many it holds. */
static double amount(const smr_param *p, const void *params)
{
    const void *at = smr_param_in(p, params);
    if (p->type == SMR_PARAM_REAL) return *(const double *)at;
    if (p->type == SMR_PARAM_INT) return (double)*(const int64_t *)at;
    return (double)smr_param_count(p, params);
}

static bool holds(const void *params, const struct condition *c)
{
    const smr_param *other = c->other;
    if (!other) return true;
    if (is_about_none(c)) return (smr_param_count(other, params) == 0) == (c->sign == '=');
    if (other->type == SMR_PARAM_CHOICE) {
        int choice = *(const int *)smr_param_in(other, params);
        bool is = choice >= 0 && is_one_of(other->choices[choice].name, c->value, c->end);
        return is == (c->sign == '=');
    }
    if (other->type == SMR_PARAM_BOOL)
        return *(const bool *)smr_param_in(other, params) == (*c->value == 'y');
    if (other->type == SMR_PARAM_PHRASE && !(*c->value >= '0' && *c->value <= '9'))
        return other->grammar->is(smr_param_in(other, params), c->value,
                                  (size_t)(c->end - c->value)) == (c->sign == '=');
    double limit = limit_of(c), is = amount(other, params);
    return c->sign == '<'   ? is < limit
           : c->sign == '>' ? is > limit
           : c->sign == '!' ? is != limit
                            : is == limit;
}

/* The first condition of a list that does not hold, or NULL. */
static const char *unmet_of(const smr_word *word, const void *params, const char *when)
{
    for (const char *at = when; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
        struct condition c = read_condition(word, at);
        if (!holds(params, &c)) return at;
    }
    return NULL;
}

static const char *unmet(const smr_word *word, const void *params, const smr_param *p)
{
    return unmet_of(word, params, p->when);
}

bool smr_params_hold(const smr_word *word, const void *params, const char *when)
{
    return !unmet_of(word, params, when);
}

bool smr_param_is_read(const smr_word *word, const void *params, const smr_param *p)
{
    return !unmet(word, params, p);
}

bool smr_param_is_left_out(const smr_word *word, const void *params, const smr_param *p)
{
    return !smr_param_is_read(word, params, p) || (!p->none && smr_param_is_unset(p, params));
}

smr_status smr_params_drop_unread(smr_ctx *ctx, const smr_word *word, void *params)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (smr_param_is_read(word, params, p)) continue;
        release(p, params);
        TRY(set_default(ctx, word, p, params));
    }
out:
    return st;
}

static smr_status refuse_unread(smr_ctx *ctx, const smr_word *word, const void *params,
                                const smr_param *p)
{
    const char *when = unmet(word, params, p);
    struct condition c = read_condition(word, when);
    int all = (int)(c.end - when);
    bool counts = c.other->type == SMR_PARAM_REALS || c.other->type == SMR_PARAM_PHRASE;
    int64_t count = counts ? smr_param_count(c.other, params) : 0;
    if (counts && c.sign != '=' && *c.value >= '0' && *c.value <= '9')
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: %s is not used when %s has %lld %s%s; leave %s out", word->name,
                        p->name, c.other->name, (long long)count,
                        c.other->type == SMR_PARAM_REALS ? "value" : "member",
                        smr_plural(count, "", "s"), p->name);
    if (is_about_none(&c))
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s and %s are both given; give one of them",
                        word->name, p->name, c.other->name);
    if (c.sign == '!')
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is not used with %s=%.*s; leave it out",
                        word->name, p->name, c.other->name, (int)(c.end - c.value), c.value);
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is used only with %.*s", word->name, p->name, all,
                    when);
}

smr_status smr_params_check(smr_ctx *ctx, const smr_word *word, const void *params,
                            const bool *given)
{
    for (int64_t i = 0; given && i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (given[i] && !smr_param_is_read(word, params, p) && !smr_param_is_unset(p, params))
            return refuse_unread(ctx, word, params, p);
    }
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (p->type == SMR_PARAM_PHRASE && smr_param_is_read(word, params, p) &&
            smr_param_count(p, params) < p->least)
            return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is missing; it takes %s", word->name,
                            p->name, p->most > 1 ? p->grammar->several : p->grammar->one);
    }
    return word->check_params ? word->check_params(ctx, params) : SMR_OK;
}
