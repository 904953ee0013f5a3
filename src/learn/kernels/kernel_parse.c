/* kernel_parse.c -- from text to an smr_kernel: see kernel_expr.h for what may be written.
 *
 * Reading is by recursive descent; every rule leaves the nodes of what it read at the end of the
 * list, its own last.  A mistake is shown with the expression and its place in it. */
#include "core/number.h"
#include "core/params.h"
#include "core/synonyms.h"
#include "learn/kernels/kernel_expr.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 1024, MAX_WORDS = 256, MAX_NESTING = 32, MAX_POWER = 64 };

struct parser {
    smr_ctx *ctx;
    const char *begin, *at;
    bool saved; /* it comes out of a model file */
    int depth;
    smr_text word; /* the last name or value */
    smr_kernel kernel;
    int64_t room;
};

/* ---- mistakes --------------------------------------------------------------------------- */

static smr_status complain_at(struct parser *p, const char *where, const char *what)
{
    return smr_fail(p->ctx, SMR_ERR_PARAM, "in kernel \"%.200s\" at character %lld: %s", p->begin,
                    (long long)(where - p->begin + 1), what);
}

/* Puts the place before what a word's own table said of its settings. */
static smr_status place_before(struct parser *p, const char *where, smr_status st)
{
    char cause[SMR_MESSAGE_MAX];
    if (st != SMR_ERR_PARAM) return st;
    memcpy(cause, p->ctx->message, sizeof cause);
    smr_begin(p->ctx);
    cause[SMR_MESSAGE_MAX - 300] = '\0';
    return complain_at(p, where, cause);
}

static smr_status unknown_kernel(struct parser *p, const char *where)
{
    const char *names[SMR_KERNEL_KINDS + SMR_KERNEL_SCALINGS + 1], *same = NULL;
    char what[300];
    int64_t n = 0;
    for (int k = 0; k < SMR_KERNEL_KINDS; k++) {
        const smr_word *word = smr_kernel_word((smr_kernel_kind)k);
        names[n++] = word->name;
        const char *found = word->synonyms ? strstr(word->synonyms, p->word.bytes) : NULL;
        if (found && (found == word->synonyms || found[-1] == ' ')) same = word->name;
    }
    for (int k = 0; k < SMR_KERNEL_SCALINGS; k++)
        names[n++] = smr_kernel_scaling_name((smr_kernel_scaling)k);
    names[n++] = "exp";
    int64_t near = smr_nearest(p->word.bytes, names, n);
    if (!same && near >= 0) same = names[near];
    snprintf(what, sizeof what, "there is no kernel '%.60s'%s%s%s", p->word.bytes,
             same ? "; did you mean '" : "; 'samara help kernel' shows those there are",
             same ? same : "", same ? "'?" : "");
    return complain_at(p, where, what);
}

/* ---- pieces ----------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *p)
{
    while (*p->at && strchr(" \t\r\n", *p->at)) p->at++;
}

static smr_status add_node(struct parser *p, smr_kernel_node node)
{
    smr_kernel *k = &p->kernel;
    if (k->n == MAX_NODES) return complain_at(p, p->at, "the expression is too long");
    if (k->n == p->room) {
        int64_t room = p->room ? 2 * p->room : 8;
        smr_kernel_node *more = smr_realloc(p->ctx, k->node, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        k->node = more;
        p->room = room;
    }
    k->node[k->n++] = node;
    return SMR_OK;
}

static smr_status add_constant(struct parser *p, double number)
{
    return add_node(p, (smr_kernel_node){.op = SMR_KERNEL_CONSTANT, .leaf = -1, .number = number});
}

static smr_status read_name(struct parser *p)
{
    const char *start = p->at;
    while (is_letter(*p->at) || is_digit(*p->at)) p->at++;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

/* ---- a kernel with its settings --------------------------------------------------------- */

/* A value: quoted, a quote inside written twice, or up to a blank, a comma or a parenthesis. */
static smr_status read_value(struct parser *p)
{
    const char *start = p->at, quote = *p->at;
    p->word.length = 0;
    smr_text_add_bytes(&p->word, "", 0);
    if (quote == '\'' || quote == '"') {
        for (p->at++;;) {
            const char *end = strchr(p->at, quote);
            if (!end) return complain_at(p, start, "this quote is never closed");
            bool twice = end[1] == quote;
            smr_text_add_bytes(&p->word, p->at, end - p->at + twice);
            p->at = end + 1 + twice;
            if (!twice) return smr_text_done(&p->word);
        }
    }
    p->at += strcspn(p->at, " \t\r\n,()");
    if (p->at == start) return complain_at(p, start, "a value is missing");
    smr_text_add_bytes(&p->word, start, p->at - start);
    return smr_text_done(&p->word);
}

static smr_status unknown_param(struct parser *p, const smr_word *word, const char *where)
{
    const char *names[8], *note = "", *same = smr_param_called(word, p->word.bytes, &note);
    char what[300];
    int64_t n = 0;
    for (; n < word->n_params; n++) names[n] = word->params[n].name;
    int64_t near = smr_nearest(p->word.bytes, names, n);
    if (!same && near >= 0) same = names[near];
    int length = snprintf(what, sizeof what, "%s has no parameter '%.60s'%s%s%s%s%s", word->name,
                          p->word.bytes,
                          same ? "; did you mean '"
                          : n  ? "; it has "
                               : " or other",
                          same ? same : "", same ? "'" : "", note, same ? "?" : "");
    for (int64_t j = 0; j < n && !same; j++)
        length +=
            snprintf(what + length, sizeof what - (size_t)length, "%s%s", j ? ", " : "", names[j]);
    return complain_at(p, where, what);
}

/* key=value, or the value of the primary parameter. */
static smr_status read_setting(struct parser *p, const smr_word *word, void *params, bool *given)
{
    smr_status st = SMR_OK;
    const char *where = p->at, *sign = p->at;
    const smr_param *param = smr_param_primary(word);
    while (is_letter(*sign) || is_digit(*sign)) sign++;
    sign += strspn(sign, " \t");
    if (is_letter(*p->at) && *sign == '=') {
        TRY(read_name(p));
        param = smr_param_find(word, p->word.bytes);
        if (!param) return unknown_param(p, word, where);
        p->at = sign + 1;
        skip_blanks(p);
        where = p->at;
    } else if (!param) {
        return complain_at(p, where, "a setting is written name=value");
    }
    TRY(read_value(p));
    if (given[param - word->params]) return complain_at(p, where, "this is given twice");
    given[param - word->params] = true;
    st = smr_param_read(p->ctx, word, params, param, p->word.bytes, p->saved);
    return place_before(p, where, st);
out:
    return st;
}

static smr_status read_settings(struct parser *p, const smr_word *word, void *params)
{
    smr_status st = SMR_OK;
    const char *open = p->at;
    bool given[8] = {0};
    skip_blanks(p);
    if (*p->at == '(') {
        open = p->at++;
        for (skip_blanks(p); *p->at != ')'; skip_blanks(p)) {
            if (!*p->at) return complain_at(p, open, "this parenthesis is never closed");
            if (*p->at == ',')
                p->at++;
            else
                TRY(read_setting(p, word, params, given));
        }
        p->at++;
    }
    st = place_before(p, open, smr_params_check(p->ctx, word, params, NULL));
out:
    return st;
}

static smr_status read_kernel(struct parser *p, smr_kernel_kind kind)
{
    smr_status st = SMR_OK;
    const smr_word *word = smr_kernel_word(kind);
    void *params = NULL;
    if (p->kernel.n_words == MAX_WORDS) return complain_at(p, p->at, "there are too many kernels");
    TRY(smr_params_create(p->ctx, word, &params));
    TRY(read_settings(p, word, params));
    TRY(add_node(
        p, (smr_kernel_node){
               .op = SMR_KERNEL_WORD, .kind = kind, .params = params, .leaf = p->kernel.n_words}));
    p->kernel.n_words++;
    params = NULL;
out:
    smr_params_free(word, params);
    return st;
}

/* ---- the rules -------------------------------------------------------------------------- */

static smr_status read_sum(struct parser *p);

/* '(' expression ')' */
static smr_status read_inner(struct parser *p)
{
    smr_status st = SMR_OK;
    const char *open = p->at++;
    if (++p->depth > MAX_NESTING) return complain_at(p, open, "parentheses are nested too deeply");
    TRY(read_sum(p));
    if (*p->at != ')')
        return *p->at ? complain_at(p, p->at, "an operator (+ - * ^) or ')' is expected here")
                      : complain_at(p, open, "this parenthesis is never closed");
    p->at++;
    p->depth--;
out:
    return st;
}

/* exp(K) or a scaling of K. */
static smr_status read_function(struct parser *p, smr_kernel_node node, const char *name)
{
    smr_status st = SMR_OK;
    char what[80];
    skip_blanks(p);
    snprintf(what, sizeof what, "a kernel in parentheses is expected after %s", name);
    if (*p->at != '(') return complain_at(p, p->at, what);
    TRY(read_inner(p));
    TRY(add_node(p, node));
out:
    return st;
}

static smr_status read_named(struct parser *p)
{
    smr_status st = SMR_OK;
    const char *where = p->at;
    TRY(read_name(p));
    for (int k = 0; k < SMR_KERNEL_KINDS; k++)
        if (strcmp(p->word.bytes, smr_kernel_word((smr_kernel_kind)k)->name) == 0)
            return read_kernel(p, (smr_kernel_kind)k);
    smr_kernel_node node = {.op = SMR_KERNEL_EXP, .leaf = -1};
    if (strcmp(p->word.bytes, "exp") == 0) return read_function(p, node, "exp");
    for (int k = 0; k < SMR_KERNEL_SCALINGS; k++) {
        const char *name = smr_kernel_scaling_name((smr_kernel_scaling)k);
        node = (smr_kernel_node){.op = SMR_KERNEL_SCALING, .leaf = -1, .f = (smr_kernel_scaling)k};
        if (strcmp(p->word.bytes, name) == 0) return read_function(p, node, name);
    }
    return unknown_kernel(p, where);
out:
    return st;
}

/* A finite number, with the other sign if `negative`. */
static smr_status read_number(struct parser *p, bool negative)
{
    const char *start = p->at, *end = p->at + (*p->at == '-');
    double x = NAN;
    while (is_digit(*end) || *end == '.') end++;
    if ((*end == 'e' || *end == 'E') &&
        (is_digit(end[1]) || (end[1] && strchr("+-", end[1]) && is_digit(end[2])))) {
        end += 2;
        while (is_digit(*end)) end++;
    }
    if (smr_parse_double(start, end, &x) != end || !isfinite(x))
        return complain_at(p, start, "this is not a finite number");
    p->at = end;
    return add_constant(p, negative ? -x : x);
}

static bool at_number(const struct parser *p)
{
    const char *c = p->at + (*p->at == '-');
    return is_digit(*c) || (*c == '.' && is_digit(c[1]));
}

static smr_status read_atom(struct parser *p, bool negative)
{
    skip_blanks(p);
    if (at_number(p)) return read_number(p, negative);
    if (*p->at == '(') return read_inner(p);
    if (is_letter(*p->at)) return read_named(p);
    return complain_at(p, p->at, "a kernel is expected here, as rbf or linear");
}

/* atom ['^' whole number] */
static smr_status read_factor(struct parser *p, bool negative)
{
    smr_status st = SMR_OK;
    int64_t power = 0;
    TRY(read_atom(p, negative));
    skip_blanks(p);
    if (*p->at != '^') return SMR_OK;
    p->at++;
    skip_blanks(p);
    const char *end = p->at;
    while (is_digit(*end)) end++;
    if (end == p->at || *end == '.' || smr_parse_int(p->at, end, &power) != end || power < 1 ||
        power > MAX_POWER)
        return complain_at(p, p->at, "a power is a whole number from 1 to 64");
    p->at = end;
    TRY(add_node(p, (smr_kernel_node){.op = SMR_KERNEL_POWER, .leaf = -1, .power = power}));
    skip_blanks(p);
out:
    return st;
}

/* factor ('*' factor)*; negative: times -1. */
static smr_status read_product(struct parser *p, bool negative)
{
    smr_status st = SMR_OK;
    const smr_kernel_node times = {.op = SMR_KERNEL_PRODUCT, .leaf = -1};
    skip_blanks(p);
    if (*p->at == '-' && !at_number(p)) {
        negative = !negative;
        p->at++;
        skip_blanks(p);
    }
    bool number = at_number(p);
    if (negative && !number) TRY(add_constant(p, -1));
    TRY(read_factor(p, negative && number));
    if (negative && !number) TRY(add_node(p, times));
    while (*p->at == '*') {
        p->at++;
        TRY(read_factor(p, false));
        TRY(add_node(p, times));
    }
out:
    return st;
}

/* term (('+' | '-') term)* */
static smr_status read_sum(struct parser *p)
{
    smr_status st = SMR_OK;
    TRY(read_product(p, false));
    while (*p->at == '+' || *p->at == '-') {
        bool negative = *p->at++ == '-';
        TRY(read_product(p, negative));
        TRY(add_node(p, (smr_kernel_node){.op = SMR_KERNEL_SUM, .leaf = -1}));
    }
out:
    return st;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* A given matrix has no value for a new row with itself, nor others beside it. */
static smr_status check_whole(struct parser *p)
{
    const smr_kernel *k = &p->kernel;
    bool scaled = false;
    for (int64_t i = 0; i < k->n; i++) scaled |= k->node[i].op == SMR_KERNEL_SCALING;
    if (k->n_words == 0) return complain_at(p, p->begin, "a number alone is not a kernel");
    if (!smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED)) return SMR_OK;
    if (k->n_words > 1)
        return complain_at(p, p->begin, "precomputed cannot be combined with other kernels");
    if (scaled)
        return complain_at(p, p->begin,
                           "precomputed cannot be scaled: K(x, x) of new rows is not given");
    return SMR_OK;
}

/* The text columns that are named, where these are several. */
static smr_status join_columns(struct parser *p)
{
    smr_kernel *k = &p->kernel;
    smr_text all = {.ctx = p->ctx};
    const char *one = NULL;
    bool several = false;
    for (int64_t i = 0; i < k->n; i++) {
        const char *column = k->node[i].params ? k->node[i].params->column : NULL;
        if (!column || !*column) continue;
        several |= one && strcmp(one, column) != 0;
        one = column;
        smr_text_printf(&all, "%s%s", all.length ? "," : "", column);
    }
    smr_status st = smr_text_done(&all);
    if (st == SMR_OK && several)
        k->columns = all.bytes;
    else
        smr_text_release(&all);
    return st;
}

static smr_status read_all(smr_ctx *ctx, const char *text, bool saved, smr_kernel *out)
{
    smr_status st = SMR_OK;
    struct parser p = {.ctx = ctx, .begin = text, .at = text, .saved = saved, .word = {.ctx = ctx}};
    skip_blanks(&p);
    if (!*p.at) TRY(complain_at(&p, p.at, "the kernel is missing, as rbf or linear"));
    TRY(read_sum(&p));
    if (*p.at) TRY(complain_at(&p, p.at, "an operator (+ - * ^) is expected here"));
    TRY(check_whole(&p));
    TRY(join_columns(&p));
    smr_kernel_free(out);
    *out = p.kernel;
    p.kernel = (smr_kernel){0};
out:
    smr_text_release(&p.word);
    smr_kernel_free(&p.kernel);
    return st;
}

smr_status smr_kernel_read(smr_ctx *ctx, const char *text, smr_kernel *out)
{
    return smr_kernel_read_saved(ctx, text, false, out);
}

/* The text may be quoted as a whole: a quote inside is then written twice. */
smr_status smr_kernel_read_saved(smr_ctx *ctx, const char *text, bool saved, smr_kernel *out)
{
    smr_status st = SMR_OK;
    smr_text inside = {.ctx = ctx};
    const char quote = *text;
    if (quote != '\'' && quote != '"') return read_all(ctx, text, saved, out);
    smr_text_add(&inside, "");
    for (const char *c = text + 1; *c && (*c != quote || c[1]); c++) {
        smr_text_add_bytes(&inside, c, 1);
        if (*c == quote && c[1] == quote) c++;
    }
    TRY(smr_text_done(&inside));
    st = read_all(ctx, inside.bytes ? inside.bytes : "", saved, out);
out:
    smr_text_release(&inside);
    return st;
}
