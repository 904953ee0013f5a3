/* schema.c -- inferring what a model reads: see schema.h. */
#include "learn/schema.h"

#include "core/number.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/pick.h"
#include "data/summary.h"
#include "data/types.h"
#include "data/vocab.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    ID_LEAST_ROWS = 20,    /* fewer all-distinct whole numbers prove nothing             */
    ID_SURELY_ROWS = 1000, /* this many all-distinct whole numbers are an identifier     */
    TEXT_LEAST_ROWS = 20,
    FEW_NUMBERS = 256, /* distinct numbers that are cheaper to insert than to sort        */
    MAX_CATEGORIES = 100000
};

/* ---- strings ---------------------------------------------------------------------------- */

void smr_strings_release(smr_strings *s)
{
    smr_free(s->start);
    smr_free(s->bytes);
    *s = (smr_strings){0};
}

void smr_strings_to_json(smr_json *into, const char *key, const smr_strings *s)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t length;
        const char *text = smr_strings_get(s, i, &length);
        smr_json_add_bytes(list, NULL, text, length);
    }
}

int64_t smr_strings_find(const smr_strings *s, const char *text, int64_t length)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t n;
        const char *level = smr_strings_get(s, i, &n);
        if (n == length && memcmp(level, text, (size_t)n) == 0) return i;
    }
    return -1;
}

smr_status smr_strings_places(smr_ctx *ctx, const smr_strings *of, const smr_strings *in,
                              int32_t *place)
{
    smr_status st = SMR_OK;
    smr_vocab known = {0};
    int64_t twin, n;
    TRY(smr_vocab_over(ctx, in, &known, &twin));
    for (int64_t i = 0; i < of->n; i++) {
        const char *text = smr_strings_get(of, i, &n);
        place[i] = smr_vocab_find(&known, text, n);
    }
out:
    smr_vocab_release(&known);
    return st;
}

/* ---- numbers as categories -------------------------------------------------------------- */

enum { BLOCK = 512, FEW_VALUES = 32 };

/* Puts x, unless it is there, into n ascending values; false when these are `most` already. */
static bool meet_number(double x, int64_t most, double *values, int64_t *n)
{
    int64_t lo = 0, hi = *n;
    if (x == 0) x = 0; /* -0 has the name of 0 */
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (values[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < *n && values[lo] == x) return true;
    if (*n == most) return false;
    memmove(values + lo + 1, values + lo, (size_t)(*n - lo) * sizeof *values);
    values[lo] = x;
    (*n)++;
    return true;
}

/* Ascending distinct values of a column, at most `most`; false when there are more.  While they are
 * few, all of them are compared with each number at once. */
static bool distinct_numbers(const smr_column *col, int64_t n_rows, int64_t most, double *values,
                             int64_t *n)
{
    double x[BLOCK];
    int32_t above[BLOCK];
    *n = 0;
    for (int64_t lo = 0, rows; lo < n_rows; lo += rows) {
        rows = SMR_MIN(BLOCK, n_rows - lo);
        smr_column_numbers(col, lo, rows, x);
        int64_t known = *n <= FEW_VALUES ? *n : 0;
        if (known) smr_bins_f64(rows, x, known, values, above);
        for (int64_t i = 0; i < rows; i++) {
            if (known && above[i] > 0 && values[above[i] - 1] == x[i]) continue;
            if (!isnan(x[i]) && !meet_number(x[i], most, values, n)) return false;
        }
    }
    return true;
}

/* The same for many: sorted, at 48 bytes per row while it runs.  *n is most + 1 when there are
 * more. */
static smr_status sort_numbers(smr_ctx *ctx, const smr_column *col, int64_t n_rows, int64_t most,
                               double *values, int64_t *n)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t *order = NULL;
    *n = 0;
    TRY_NEW(x, n_rows);
    TRY_NEW(order, n_rows);
    for (int64_t i = 0; i < n_rows; i++) {
        x[i] = smr_column_number(col, i);
        if (x[i] == 0) x[i] = 0;
    }
    TRY(smr_argsort_f64(ctx, n_rows, x, order));
    for (int64_t r = 0; r < n_rows && *n <= most && !isnan(x[order[r]]); r++)
        if (*n == 0 || values[*n - 1] != x[order[r]]) values[(*n)++] = x[order[r]];
out:
    smr_free(x);
    smr_free(order);
    return st;
}

static smr_status numbers_as_strings(smr_ctx *ctx, const double *values, int64_t n,
                                     smr_strings *out)
{
    smr_status st = SMR_OK;
    smr_strings s = {.n = n};
    TRY_NEW(s.start, n + 1);
    TRY_NEW(s.bytes, n * SMR_NUMBER_MAX + 1);
    for (int64_t i = 0; i < n; i++)
        s.start[i + 1] = s.start[i] + smr_format_double(values[i], s.bytes + s.start[i]);
    *out = s;
    return SMR_OK;
out:
    smr_strings_release(&s);
    return st;
}

static int32_t code_of(const double *values, int64_t n, double x)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (values[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && values[lo] == x ? (int32_t)lo : -1;
}

/* code[i] = the place of the number of row i among n ascending values, which have it; -1: a gap. */
static void place_numbers(const smr_column *col, int64_t n_rows, const double *values, int64_t n,
                          int32_t *code)
{
    double x[BLOCK];
    for (int64_t lo = 0, rows; lo < n_rows; lo += rows) {
        rows = SMR_MIN(BLOCK, n_rows - lo);
        smr_column_numbers(col, lo, rows, x);
        if (n <= FEW_VALUES) smr_bins_f64(rows, x, n, values, code + lo);
        for (int64_t i = 0; i < rows; i++)
            code[lo + i] = n <= FEW_VALUES ? code[lo + i] - 1
                           : isnan(x[i])   ? -1
                                           : code_of(values, n, x[i]);
    }
}

/* The numbers ascend, as those of groups and sequences mostly do: values and codes in one pass.
 * *n is most + 1 when there are more. */
static bool ascending_numbers(const smr_column *col, int64_t n_rows, int64_t most, double *values,
                              int64_t *n, int32_t *code)
{
    double x[BLOCK];
    *n = 0;
    for (int64_t lo = 0, rows; lo < n_rows && *n <= most; lo += rows) {
        rows = SMR_MIN(BLOCK, n_rows - lo);
        smr_column_numbers(col, lo, rows, x);
        for (int64_t i = 0; i < rows && *n <= most; i++) {
            if (isnan(x[i]) || (*n && x[i] < values[*n - 1])) return false;
            if (*n == 0 || x[i] > values[*n - 1]) values[(*n)++] = x[i] == 0 ? 0 : x[i];
            code[lo + i] = (int32_t)(*n - 1);
        }
    }
    return true;
}

smr_status smr_codes_from_numbers(smr_ctx *ctx, const smr_column *col, int64_t n_rows, int64_t most,
                                  smr_strings *levels, int32_t **codes)
{
    smr_status st = SMR_OK;
    double *values = NULL;
    int32_t *out = NULL;
    int64_t n = 0;
    TRY_NEW(values, SMR_MIN(most, n_rows) + 1); /* one more shows that there are too many */
    TRY_NEW(out, n_rows);
    bool placed = ascending_numbers(col, n_rows, most, values, &n, out);
    bool few = placed || distinct_numbers(col, n_rows, SMR_MIN(most, FEW_NUMBERS), values, &n);
    if (!few && most > FEW_NUMBERS) TRY(sort_numbers(ctx, col, n_rows, most, values, &n));
    if (n > most || (!few && most <= FEW_NUMBERS)) {
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "column '%s' has more than %lld distinct values: too many for categories",
                      col->name, (long long)most);
        goto out;
    }
    if (!placed) place_numbers(col, n_rows, values, n, out);
    TRY(numbers_as_strings(ctx, values, n, levels));
    *codes = out;
    out = NULL;
out:
    smr_free(values);
    smr_free(out);
    return st;
}

/* ---- first-hour rules ------------------------------------------------------------------- */

/* "id", "ID", "customer_id", "PassengerId", "row", "index", "key" ... */
static bool named_like_an_id(const char *name)
{
    static const char *const words[] = {"id",     "index", "key", "row",
                                        "rownum", "no",    "nr",  "number"};
    char lower[64];
    size_t n = strlen(name);
    if (n >= sizeof lower) return false;
    for (size_t i = 0; i <= n; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    for (int64_t i = 0; i < SMR_COUNT(words); i++)
        if (strcmp(lower, words[i]) == 0) return true;
    return n > 2 && (strcmp(lower + n - 3, "_id") == 0 || strcmp(name + n - 2, "Id") == 0 ||
                     strcmp(name + n - 2, "ID") == 0);
}

/* All values present, whole and distinct: hashing, with an early end at the first repeat. */
static smr_status all_distinct(smr_ctx *ctx, const smr_column *col, int64_t n_rows, bool *answer,
                               double *range)
{
    smr_status st = SMR_OK;
    int64_t room = 64;
    uint64_t *slots = NULL;
    double lo = INFINITY, hi = -INFINITY;
    *answer = false;
    while (room < 2 * n_rows) room *= 2;
    TRY_NEW(slots, room);
    for (int64_t i = 0; i < n_rows; i++) {
        double x = smr_column_number(col, i);
        if (isnan(x) || fabs(x) > 0x1p53) goto out;
        uint64_t key = (uint64_t)(int64_t)x + 0x8000000000000001u; /* never 0: free slots are */
        uint64_t at = (key * 0x9E3779B97F4A7C15u) >> 20;
        for (at &= (uint64_t)room - 1; slots[at]; at = (at + 1) & ((uint64_t)room - 1))
            if (slots[at] == key) goto out;
        slots[at] = key;
        lo = smr_fmin(lo, x);
        hi = smr_fmax(hi, x);
    }
    *answer = true;
    *range = hi - lo + 1;
out:
    smr_free(slots);
    return st;
}

static smr_status looks_like_id(smr_ctx *ctx, const smr_table *table, const smr_column *col,
                                int64_t n_missing, bool *answer)
{
    double range = 0, n = (double)table->n_rows;
    *answer = false;
    if (col->kind != SMR_NUMBER || n_missing || table->n_rows < ID_LEAST_ROWS) return SMR_OK;
    if (col->dtype == SMR_U8 || !smr_column_is_whole(col, table->n_rows)) return SMR_OK;
    bool distinct = false;
    smr_status st = all_distinct(ctx, col, table->n_rows, &distinct, &range);
    *answer = distinct &&
              (named_like_an_id(col->name) || range <= 2 * n || table->n_rows > ID_SURELY_ROWS);
    return st;
}

static bool looks_like_text(const smr_table *table, const smr_column *col, int64_t n_missing)
{
    if (col->kind != SMR_CATEGORY && col->kind != SMR_TEXT) return false;
    int64_t present = table->n_rows - n_missing;
    return present >= TEXT_LEAST_ROWS && 2 * col->levels.n > present;
}

/* ---- inferring -------------------------------------------------------------------------- */

enum { FORCED_NOTHING = -1, FORCED_IGNORE = -2 };

static smr_status refuse_infinite(smr_ctx *ctx, const smr_table *table, const smr_column *col)
{
    int64_t i = 0;
    while (i < table->n_rows && !isinf(smr_column_number(col, i))) i++;
    return smr_fail(
        ctx, SMR_ERR_DATA,
        "column '%s' is infinite in row %lld; mark such values as missing with --missing "
        "inf, or leave the column out with --ignore '%s'",
        col->name, (long long)i + 1, col->name);
}

/* "1,5": digits with a comma where samara has a point. */
static bool has_decimal_comma(const char *text, int64_t n)
{
    int64_t commas = 0, digits = 0;
    for (int64_t i = 0; i < n; i++) {
        bool sign = i == 0 && (text[i] == '-' || text[i] == '+');
        commas += text[i] == ',';
        digits += text[i] >= '0' && text[i] <= '9';
        if (!sign && text[i] != ',' && (text[i] < '0' || text[i] > '9')) return false;
    }
    return commas == 1 && digits > 1;
}

/* A category most of whose levels are numbers was perhaps meant to be one. */
static void hint_at_numbers(smr_ctx *ctx, const smr_column *col)
{
    const smr_strings *s = &col->levels;
    int64_t numbers = 0, commas = 0, length = 0;
    const char *stray = "";
    for (int64_t k = 0; k < s->n; k++) {
        int64_t n;
        double x;
        const char *text = smr_strings_get(s, k, &n);
        bool number = n > 0 && smr_parse_double(text, text + n, &x) == text + n;
        numbers += number;
        commas += has_decimal_comma(text, n);
        if (!number && !length) {
            stray = text;
            length = n;
        }
    }
    if (s->n >= 5 && 10 * (numbers + commas) >= 9 * s->n && commas > 0)
        smr_warn(ctx,
                 "column '%s' is taken as a category, but looks like numbers with a decimal comma "
                 "('%.*s'); write them with a point, or read a CSV file with --decimal ,",
                 col->name, (int)SMR_MIN(length, 40), stray);
    else if (s->n >= 10 && 10 * numbers >= 8 * s->n && numbers < s->n)
        smr_warn(ctx,
                 "column '%s' is taken as a category, but most of its values are numbers; strays "
                 "such as '%.*s' can be named with --missing",
                 col->name, (int)SMR_MIN(length, 40), stray);
}

struct inferring {
    const smr_table *table;
    const smr_schema_opts *opts;
    bool is_alone; /* the only column: a number is kept, whatever it looks like */
    int *forced;   /* of each column: a kind, or one of the above */
    bool *named;   /* of each column: a stage reads it as text    */
    smr_schema schema;
};

/* What "name=kind,..." says about the columns.  A reader has obeyed the same words: a column that
 * is to be ignored may be gone already, and positions count only while all columns are there. */
static smr_status read_types(smr_ctx *ctx, struct inferring *f)
{
    const smr_table *table = f->table;
    smr_status st = SMR_OK;
    smr_rule_list list = {0};
    bool dropped = false;
    TRY(smr_rules_parse(ctx, f->opts->types, &list));
    TRY_NEW(f->forced, table->n_cols + 1);
    for (int64_t j = 0; j < table->n_cols; j++) f->forced[j] = FORCED_NOTHING;
    for (int64_t i = 0; i < list.n; i++) dropped |= list.rules[i].ignore;
    for (int64_t i = 0; i < list.n; i++) {
        const smr_column_rule *rule = &list.rules[i];
        int64_t j = smr_table_find(table, rule->name);
        if (j < 0 && (rule->ignore || (dropped && rule->name[0] == '#'))) continue;
        if (j < 0) TRY(smr_pick_column(ctx, table, rule->name, &j));
        f->forced[j] = rule->ignore ? FORCED_IGNORE : (int)rule->kind;
    }
out:
    smr_rules_release(&list);
    return st;
}

/* The columns that a stage of the sentence names as its texts. */
static smr_status read_text_names(smr_ctx *ctx, struct inferring *f)
{
    smr_status st = SMR_OK;
    int64_t *cols = NULL, n = 0;
    TRY_NEW(f->named, f->table->n_cols + 1);
    if (!f->opts->reads_text || !f->opts->texts) return SMR_OK;
    TRY(smr_pick_columns(ctx, f->table, f->opts->texts, &cols, &n));
    for (int64_t i = 0; i < n; i++) {
        f->named[cols[i]] = true;
        if (f->opts->skip && f->opts->skip[cols[i]])
            st = smr_fail(ctx, SMR_ERR_PARAM,
                          "column '%s' is to be read as text, but it is the target, a weight, or "
                          "ignored",
                          f->table->cols[cols[i]].name);
    }
out:
    smr_free(cols);
    return st;
}

static smr_status add_input(smr_ctx *ctx, struct inferring *f, int64_t j, smr_kind kind)
{
    const smr_table *table = f->table;
    const smr_column *col = &table->cols[j];
    smr_status st = SMR_OK;
    smr_input *in = &f->schema.inputs[f->schema.n_inputs++];
    int32_t *codes = NULL;
    in->kind = kind;
    in->has_missing = f->opts->n_missing[j] > 0;
    in->has_time = col->has_time;
    in->name = smr_strdup(ctx, col->name);
    if (!in->name) return SMR_ERR_NOMEM;
    if (kind == SMR_CATEGORY && col->kind == SMR_NUMBER)
        TRY(smr_codes_from_numbers(ctx, col, table->n_rows, MAX_CATEGORIES, &in->levels, &codes));
    else if (kind == SMR_CATEGORY)
        TRY(smr_strings_copy(ctx, &col->levels, NULL, &in->levels));
    else if (kind != SMR_TEXT && f->opts->n_infinite[j])
        TRY(refuse_infinite(ctx, table, col));
out:
    smr_free(codes);
    return st;
}

static smr_status set_aside(smr_ctx *ctx, struct inferring *f, int64_t j)
{
    char *name = smr_strdup(ctx, f->table->cols[j].name);
    if (!name) return SMR_ERR_NOMEM;
    f->schema.aside[f->schema.n_aside++] = name;
    return SMR_OK;
}

/* A kind that the user gave overrules everything except what is impossible. */
static smr_status obey(smr_ctx *ctx, struct inferring *f, int64_t j, smr_kind kind)
{
    const smr_column *col = &f->table->cols[j];
    bool strings = col->kind == SMR_CATEGORY || col->kind == SMR_TEXT;
    if (kind == SMR_NUMBER && strings)
        return smr_fail(ctx, SMR_ERR_DATA, "column '%s' holds text and cannot be taken as numbers",
                        col->name);
    if (kind == SMR_DATE && col->kind != SMR_DATE)
        return smr_fail(ctx, SMR_ERR_DATA, "column '%s' does not hold dates", col->name);
    if (kind == SMR_TEXT && col->kind == SMR_DATE)
        return smr_fail(ctx, SMR_ERR_DATA, "column '%s' holds dates and cannot be taken as text",
                        col->name);
    return add_input(ctx, f, j, kind);
}

/* Where a stage reads whatever texts there are, a string column is one when more than half its
 * values are distinct, in however few rows. */
static bool read_as_text(const struct inferring *f, const smr_column *col, int64_t n_missing)
{
    bool strings = col->kind == SMR_CATEGORY || col->kind == SMR_TEXT;
    bool any = f->opts->reads_text && !f->opts->texts;
    return any && strings && 2 * col->levels.n > f->table->n_rows - n_missing;
}

static smr_status consider(smr_ctx *ctx, struct inferring *f, int64_t j)
{
    const smr_column *col = &f->table->cols[j];
    int64_t n_missing = f->opts->n_missing[j];
    int forced = f->forced[j];
    bool id = false;
    smr_status st = SMR_OK;
    if (forced == FORCED_IGNORE) return SMR_OK;
    if (forced >= 0) return obey(ctx, f, j, (smr_kind)forced);
    if (col->names_rows && !f->named[j] && !f->opts->keep_all) return set_aside(ctx, f, j);
    if (f->named[j] || read_as_text(f, col, n_missing)) return add_input(ctx, f, j, SMR_TEXT);
    if (!f->opts->keep_all && looks_like_text(f->table, col, n_missing)) {
        smr_warn(ctx,
                 "column '%s' is set aside: %lld of its %lld values are distinct, like names or "
                 "free text; \"words '%s' | ...\" reads it, --type '%s=category' keeps it",
                 col->name, (long long)col->levels.n, (long long)(f->table->n_rows - n_missing),
                 col->name, col->name);
        return set_aside(ctx, f, j);
    }
    if (!f->opts->keep_all && !f->is_alone) TRY(looks_like_id(ctx, f->table, col, n_missing, &id));
    if (id) {
        smr_warn(ctx,
                 "column '%s' is set aside: whole numbers that are all distinct, like an "
                 "identifier; --type '%s=number' keeps it",
                 col->name, col->name);
        return set_aside(ctx, f, j);
    }
    if (col->kind == SMR_CATEGORY) hint_at_numbers(ctx, col);
    TRY(add_input(ctx, f, j, col->kind == SMR_TEXT ? SMR_CATEGORY : col->kind));
out:
    return st;
}

static bool has_role(const smr_schema *s, const char *column)
{
    for (int r = 0; r < SMR_ROLES; r++)
        if (s->roles[r].name && strcmp(s->roles[r].name, column) == 0) return true;
    return false;
}

/* What is left must be something, and of one sort. */
static smr_status check_inputs(smr_ctx *ctx, const smr_schema *s)
{
    if (s->n_sparse && s->n_inputs)
        return smr_fail(
            ctx, SMR_ERR_UNSUPPORTED,
            "column '%s' cannot be used beside sparse features; leave it out with --ignore '%s'",
            s->inputs[0].name, s->inputs[0].name);
    if (s->n_inputs + s->n_sparse > 0 || smr_roles_any(s->roles)) return SMR_OK;
    if (s->n_aside)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "no columns are left to learn from: all were set aside; --type COL=number, "
                        "COL=category or COL=text keeps one");
    return smr_fail(ctx, SMR_ERR_DATA, "no columns are left to learn from beside the target");
}

smr_status smr_schema_infer(smr_ctx *ctx, const smr_table *table, const smr_schema_opts *opts,
                            smr_schema *out)
{
    smr_status st = SMR_OK;
    struct inferring f = {.table = table, .opts = opts};
    int64_t candidates = 0;
    for (int64_t j = 0; j < table->n_cols; j++) candidates += !opts->skip || !opts->skip[j];
    f.is_alone = candidates == 1;
    f.schema.n_sparse = table->sparse.n_cols;
    f.schema.decimal_comma = table->decimal == ',';
    memcpy(f.schema.item_shape, table->item_shape, sizeof f.schema.item_shape);
    TRY(smr_roles_infer(ctx, table, opts->roles, f.schema.roles));
    TRY(read_types(ctx, &f));
    TRY(read_text_names(ctx, &f));
    TRY_NEW(f.schema.inputs, table->n_cols + 1);
    TRY_NEW(f.schema.aside, table->n_cols + 1);
    for (int64_t j = 0; j < table->n_cols; j++)
        if ((!opts->skip || !opts->skip[j]) && !has_role(&f.schema, table->cols[j].name))
            TRY(consider(ctx, &f, j));
    TRY(check_inputs(ctx, &f.schema));
    *out = f.schema;
    f.schema = (smr_schema){0};
out:
    smr_free(f.forced);
    smr_free(f.named);
    smr_schema_release(&f.schema);
    return st;
}

smr_status smr_schema_copy(smr_ctx *ctx, const smr_schema *from, smr_schema *to)
{
    smr_status st = SMR_OK;
    smr_schema s = {.n_sparse = from->n_sparse, .decimal_comma = from->decimal_comma};
    memcpy(s.item_shape, from->item_shape, sizeof s.item_shape);
    TRY(smr_roles_copy(ctx, from->roles, s.roles));
    TRY_NEW(s.inputs, from->n_inputs + 1);
    TRY_NEW(s.aside, from->n_aside + 1);
    for (; s.n_inputs < from->n_inputs; s.n_inputs++) {
        smr_input *in = &s.inputs[s.n_inputs];
        const smr_input *old = &from->inputs[s.n_inputs];
        *in = (smr_input){.kind = old->kind,
                          .has_missing = old->has_missing,
                          .has_time = old->has_time,
                          .has_range = old->has_range,
                          .least = old->least,
                          .greatest = old->greatest};
        in->name = smr_strdup(ctx, old->name);
        if (!in->name || smr_strings_copy(ctx, &old->levels, NULL, &in->levels) != SMR_OK) {
            s.n_inputs++;
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
    for (; s.n_aside < from->n_aside; s.n_aside++) {
        s.aside[s.n_aside] = smr_strdup(ctx, from->aside[s.n_aside]);
        if (!s.aside[s.n_aside]) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
    *to = s;
    return SMR_OK;
out:
    smr_schema_release(&s);
    return st;
}

void smr_schema_release(smr_schema *s)
{
    for (int64_t j = 0; s->inputs && j < s->n_inputs; j++) {
        smr_free(s->inputs[j].name);
        smr_strings_release(&s->inputs[j].levels);
    }
    for (int64_t j = 0; s->aside && j < s->n_aside; j++) smr_free(s->aside[j]);
    smr_free(s->inputs);
    smr_free(s->aside);
    smr_roles_release(s->roles);
    *s = (smr_schema){0};
}
