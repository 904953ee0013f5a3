/* params_write.c -- parameters as text: values, defaults, ranges, conditions.  See params.h. */
#include "core/params.h"

#include <string.h>

/* ---- about a row ------------------------------------------------------------------------ */

static void write_choices(const smr_choice *choices, smr_text *out)
{
    for (const smr_choice *c = choices; c->name; c++) {
        if (c != choices) smr_text_add(out, c[1].name ? ", " : " or ");
        smr_text_add(out, c->name);
    }
}

/* A number, or the word that it stands for. */
static void write_real(const smr_param *p, double x, smr_text *out)
{
    if (p->choices && x < 0)
        smr_text_add(out, p->choices[(int)(-1 - x)].name);
    else
        smr_text_number(out, x);
}

void smr_param_write_range(const smr_param *p, smr_text *out)
{
    bool limited = p->min != 0 || p->max != 0;
    if (p->type == SMR_PARAM_BOOL) {
        smr_text_add(out, "yes or no");
    } else if (p->type == SMR_PARAM_CHOICE) {
        write_choices(p->choices, out);
    } else if (p->type == SMR_PARAM_STRING) {
        smr_text_add(out, "text");
    } else if (p->type == SMR_PARAM_PHRASE) {
        smr_text_add(out, p->most > 1 ? p->grammar->several : p->grammar->one);
    } else {
        smr_text_add(out, !limited || p->min_open ? "(" : "[");
        smr_text_number(out, limited ? p->min : -INFINITY);
        smr_text_add(out, ", ");
        smr_text_number(out, limited ? p->max : INFINITY);
        smr_text_add(out, !limited || p->max_open ? ")" : "]"); /* "inf]": inf is allowed */
        if (p->choices) smr_text_add(out, ", ");
        if (p->choices) write_choices(p->choices, out);
    }
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
    const void *at = smr_param_in(p, params);
    if (smr_param_is_unset(p, params)) {
        smr_text_add(out, p->none ? p->none : "none");
        return;
    }
    switch (p->type) {
    case SMR_PARAM_REAL: write_real(p, *(const double *)at, out); break;
    case SMR_PARAM_INT: smr_text_number(out, (double)*(const int64_t *)at); break;
    case SMR_PARAM_BOOL: smr_text_add(out, *(const bool *)at ? "yes" : "no"); break;
    case SMR_PARAM_CHOICE: smr_text_add(out, p->choices[*(const int *)at].name); break;
    case SMR_PARAM_STRING: write_string(*(char *const *)at, out); break;
    case SMR_PARAM_PHRASE: p->grammar->write(at, out); break;
    case SMR_PARAM_REALS:
        for (int64_t i = 0; i < ((const smr_reals *)at)->n; i++) {
            if (i) smr_text_add(out, ",");
            write_real(p, ((const smr_reals *)at)->value[i], out);
        }
        break;
    }
}

void smr_word_write(const smr_word *word, const void *params, smr_text *out)
{
    smr_text_add(out, word->name);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (smr_param_is_left_out(word, params, p)) continue;
        smr_text_add(out, " ");
        smr_text_add(out, p->name);
        smr_text_add(out, "=");
        smr_param_write(p, params, out);
    }
}

void smr_param_write_default(const smr_param *p, smr_text *out)
{
    if (p->unset) {
        smr_text_add(out, "unset");
        if (p->none) smr_text_printf(out, " (%s)", p->none);
        return;
    }
    switch (p->type) {
    case SMR_PARAM_BOOL: smr_text_add(out, p->def != 0 ? "yes" : "no"); break;
    case SMR_PARAM_CHOICE: smr_text_add(out, p->choices[(int)p->def].name); break;
    case SMR_PARAM_STRING: write_string(p->def_text ? p->def_text : "", out); break;
    case SMR_PARAM_PHRASE: smr_text_add(out, p->def_text ? p->def_text : "none"); break;
    case SMR_PARAM_REAL: write_real(p, p->def, out); break;
    case SMR_PARAM_INT:
    case SMR_PARAM_REALS: smr_text_number(out, p->def); break;
    }
}

/* One condition: a list or a phrase is counted where a number is compared by < or !=. */
static void write_condition(const char *when, smr_text *out)
{
    const char *sign = when + strcspn(when, SMR_WHEN_SIGNS), *value = sign + 1 + (*sign == '!');
    int name = (int)(sign - when), n = (int)strcspn(value, "&");
    if (*sign == '<')
        smr_text_printf(out, "with fewer than %.*s of %.*s", n, value, name, when);
    else if (*sign == '>')
        smr_text_printf(out, "with %.*s > %.*s", name, when, n, value);
    else if (*sign == '!' && *value >= '0' && *value <= '9')
        smr_text_printf(out, "unless %.*s has %.*s value%s", name, when, n, value,
                        n == 1 && *value == '1' ? "" : "s");
    else if (*sign == '!')
        smr_text_printf(out, "unless %.*s=%.*s", name, when, n, value);
    else if (n == 4 && strncmp(value, "none", 4) == 0)
        smr_text_printf(out, "without %.*s", name, when);
    else
        smr_text_printf(out, "with %.*s=%.*s", name, when, n, value);
}

void smr_param_write_when(const smr_param *p, smr_text *out)
{
    for (const char *at = p->when, *next; at; at = next) {
        const char *end = strchr(at, '&');
        next = end ? end + 1 : NULL;
        if (at > p->when) smr_text_add(out, next ? ", " : " and ");
        write_condition(at, out);
    }
}
