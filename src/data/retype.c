/* retype.c -- turns the columns of a table into what rules ask for (--type, a model's schema).
 *
 * Any column can be seen as codes into a list of strings; a rule's kind is then a function of the
 * strings, applied once to each distinct one:
 *
 *     number, date  ->  strings as the CSV writer spells them  ->  category, text: the codes
 *                                                                  number: the string's value
 *                                                                  date: the string's moment */
#include "core/number.h"
#include "data/date.h"
#include "data/formats.h"
#include "data/pick.h"
#include "data/vocab.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Position that a rule names: by name first, then "#3", "#-1"; -1 when there is none. */
static int64_t column_of(const smr_table *t, const char *name)
{
    int64_t at = smr_table_find(t, name), k;
    if (at >= 0 || name[0] != '#') return at;
    const char *end = name + strlen(name);
    if (smr_parse_int(name + 1, end, &k) != end) return -1;
    if (k < 0) k += t->n_cols;
    return k >= 0 && k < t->n_cols ? k : -1;
}

static bool is_coded(smr_kind kind)
{
    return kind == SMR_CATEGORY || kind == SMR_TEXT;
}

static smr_status spell(smr_ctx *ctx, const smr_column *c, int64_t i, smr_text *text)
{
    (void)ctx;
    double x = smr_column_number(c, i);
    text->length = 0;
    if (c->kind == SMR_DATE)
        smr_text_date(text, x, c->has_time);
    else
        smr_text_number(text, x);
    return smr_text_done(text);
}

/* Codes (n_rows, new) and strings of a number or date column, sorted. */
static smr_status to_strings(smr_ctx *ctx, const smr_column *c, int64_t n_rows, int32_t **codes,
                             smr_strings *levels)
{
    smr_status st = SMR_OK;
    smr_vocab dict = {0};
    smr_text text = {.ctx = ctx};
    int32_t *recode = NULL, *code = NULL;
    TRY_NEW(code, n_rows);
    for (int64_t i = 0; i < n_rows; i++) {
        code[i] = -1;
        if (isnan(smr_column_number(c, i))) continue;
        TRY(spell(ctx, c, i, &text));
        TRY(smr_vocab_add(ctx, &dict, text.bytes, text.length, &code[i]));
    }
    TRY_NEW(recode, dict.strings.n);
    TRY(smr_vocab_sorted(ctx, &dict, levels, recode));
    for (int64_t i = 0; i < n_rows; i++)
        if (code[i] >= 0) code[i] = recode[code[i]];
    *codes = code;
    code = NULL;
out:
    smr_free(code);
    smr_free(recode);
    smr_text_release(&text);
    smr_vocab_release(&dict);
    return st;
}

/* Replaces the column's values by owned ones. */
static void set_values(smr_column *c, void *values, smr_dtype dtype)
{
    if (c->owns_values) smr_free(c->values);
    c->values = values;
    c->dtype = dtype;
    c->stride = 1;
    c->owns_values = true;
}

static void drop_levels(smr_column *c)
{
    smr_free(c->levels.start);
    smr_free(c->levels.bytes);
    c->levels = (smr_strings){0};
}

static smr_status make_coded(smr_ctx *ctx, smr_column *c, int64_t n_rows)
{
    if (is_coded(c->kind)) return SMR_OK;
    int32_t *codes = NULL;
    smr_status st = to_strings(ctx, c, n_rows, &codes, &c->levels);
    if (st == SMR_OK) set_values(c, codes, SMR_I32);
    return st;
}

/* Codes into the rule's levels; what is not among them gets -1 and is counted. */
static smr_status recode(smr_ctx *ctx, smr_column *c, int64_t n_rows, const smr_strings *levels)
{
    smr_status st = SMR_OK;
    smr_vocab dict = {0};
    int32_t *map = NULL, *codes = NULL;
    smr_strings copy = {0};
    TRY_NEW(map, c->levels.n);
    TRY_NEW(codes, n_rows);
    TRY(smr_vocab_fill(ctx, &dict, levels));
    TRY(smr_strings_copy(ctx, levels, NULL, &copy));
    for (int64_t k = 0; k < c->levels.n; k++) {
        int64_t length;
        const char *text = smr_strings_get(&c->levels, k, &length);
        map[k] = smr_vocab_find(&dict, text, length);
    }
    c->n_missing = c->n_unseen = 0;
    for (int64_t i = 0; i < n_rows; i++) {
        int32_t old = smr_column_code(c, i);
        codes[i] = old < 0 ? -1 : map[old];
        c->n_missing += old < 0;
        c->n_unseen += old >= 0 && codes[i] < 0;
    }
    set_values(c, codes, SMR_I32);
    drop_levels(c);
    c->levels = copy;
    codes = NULL;
    copy = (smr_strings){0};
out:
    smr_free(copy.start);
    smr_free(copy.bytes);
    smr_free(codes);
    smr_free(map);
    smr_vocab_release(&dict);
    return st;
}

/* One number or moment for each level. */
static smr_status value_levels(smr_ctx *ctx, const smr_table *t, smr_column *c, smr_kind kind,
                               double *value)
{
    for (int64_t k = 0; k < c->levels.n; k++) {
        int64_t length;
        bool has_time = false;
        const char *text = smr_strings_get(&c->levels, k, &length);
        bool good = kind == SMR_DATE
                        ? smr_date_parse(text, length, &value[k], &has_time)
                        : smr_parse_double(text, text + length, &value[k]) == text + length;
        c->has_time |= has_time;
        if (!good)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "%s: column '%.100s' is to be a %s, but holds '%.*s'; give it another "
                            "--type or a --missing mark",
                            t->source ? t->source : "table", c->name,
                            kind == SMR_DATE ? "date" : "number", (int)SMR_MIN(length, 60), text);
    }
    return SMR_OK;
}

static smr_status make_valued(smr_ctx *ctx, const smr_table *t, smr_column *c, smr_kind kind)
{
    smr_status st = SMR_OK;
    double *value = NULL, *out = NULL;
    TRY_NEW(value, c->levels.n);
    TRY(value_levels(ctx, t, c, kind, value));
    TRY_NEW(out, t->n_rows);
    c->n_missing = 0;
    for (int64_t i = 0; i < t->n_rows; i++) {
        int32_t code = smr_column_code(c, i);
        out[i] = code < 0 ? NAN : value[code];
        c->n_missing += isnan(out[i]) != 0;
    }
    set_values(c, out, SMR_F64);
    drop_levels(c);
    out = NULL;
out:
    smr_free(out);
    smr_free(value);
    return st;
}

static smr_status apply(smr_ctx *ctx, const smr_table *t, smr_column *c, const smr_column_rule *r)
{
    smr_status st = SMR_OK;
    if (is_coded(r->kind)) {
        TRY(make_coded(ctx, c, t->n_rows));
        if (r->levels) TRY(recode(ctx, c, t->n_rows, r->levels));
    } else if (is_coded(c->kind)) {
        TRY(make_valued(ctx, t, c, r->kind));
    } else if (r->kind == SMR_DATE && c->kind == SMR_NUMBER) {
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s: column '%.100s' holds numbers and cannot be taken as dates",
                     t->source ? t->source : "table", c->name));
    }
    c->kind = r->kind; /* a date as a number: its seconds since 1970 */
out:
    return st;
}

static void drop_column(smr_column *c)
{
    smr_free(c->name);
    if (c->owns_values) smr_free(c->values);
    drop_levels(c);
}

smr_status smr_table_apply_rules(smr_ctx *ctx, smr_table *t, const smr_read_opts *opts)
{
    smr_status st = SMR_OK;
    const smr_column_rule **rule = NULL;
    if (!opts || (opts->n_rules == 0 && !opts->only_ruled)) return SMR_OK;
    TRY_NEW(rule, t->n_cols);
    for (int64_t k = 0; k < opts->n_rules; k++) {
        int64_t j = column_of(t, opts->rules[k].name);
        if (j >= 0) rule[j] = &opts->rules[k];
        if (j < 0 && !opts->rules[k].optional) /* fails, and names the nearest column */
            TRY(smr_pick_column(ctx, t, opts->rules[k].name, &j));
    }
    int64_t kept = 0, n = t->n_cols, elements = 1; /* of an item: the first columns */
    bool lost = false;
    for (int k = 0; k < 4 && t->item_shape[k]; k++) elements *= t->item_shape[k];
    for (int64_t j = 0; j < n; j++) {
        smr_column *c = &t->cols[j];
        if (rule[j] ? rule[j]->ignore : opts->only_ruled) {
            lost |= j < elements;
            drop_column(c);
            *c = (smr_column){0};
        } else if (rule[j]) {
            TRY(apply(ctx, t, c, rule[j]));
        }
    }
    for (int64_t j = 0; j < n; j++)
        if (t->cols[j].name) t->cols[kept++] = t->cols[j];
    t->n_cols = kept;
    if (lost) memset(t->item_shape, 0, sizeof t->item_shape); /* no longer whole items */
out:
    smr_free(rule);
    return st;
}
