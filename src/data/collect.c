/* collect.c -- see collect.h. */
#include "data/collect.h"

#include "core/number.h"
#include "data/build.h"
#include "data/csv_dict.h"
#include "data/date.h"
#include "data/infer.h"
#include "data/pick.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRST_ROOM = 256 };
static const double WHOLE_MAX = 9007199254740992; /* 2^53 */

typedef enum content { GAPS, NUMBERS, STRINGS } content;

struct collected {
    content content;
    bool skip;                   /* not wanted                                      */
    const smr_column_rule *rule; /* or NULL                                         */
    int64_t line;                /* where its content began                         */
    int64_t n, room;             /* rows that have a value or a gap here            */
    double *numbers;             /* NUMBERS; NaN: a gap                             */
    int32_t *codes;              /* STRINGS; -1: a gap                              */
    smr_dict dict;
    int64_t n_missing, n_large;
};

struct smr_collector {
    const char *source, *unit;
    const smr_read_opts *opts;
    smr_marks marks;
    uint64_t marks_seen;
    smr_dict names;
    struct collected *columns;
    int64_t n_columns, columns_room;
    int64_t n_rows, line;
};

smr_status smr_collector_create(smr_ctx *ctx, const char *source, const char *unit,
                                const smr_read_opts *opts, smr_collector **out)
{
    smr_status st = SMR_OK;
    smr_collector *c = NULL;
    *out = NULL;
    TRY_NEW(c, 1);
    c->source = source;
    c->unit = unit;
    c->opts = opts;
    TRY(smr_marks_init(ctx, opts->missing, &c->marks));
    *out = c;
    c = NULL;
out:
    smr_collector_free(c);
    return st;
}

static void release_column(struct collected *x)
{
    smr_free(x->numbers);
    smr_free(x->codes);
    smr_dict_release(&x->dict);
}

void smr_collector_free(smr_collector *c)
{
    if (!c) return;
    for (int64_t j = 0; j < c->n_columns; j++) release_column(&c->columns[j]);
    smr_free(c->columns);
    smr_dict_release(&c->names);
    smr_marks_release(&c->marks);
    smr_free(c);
}

/* ---- rows and columns --------------------------------------------------------------------- */

smr_status smr_collect_row(smr_ctx *ctx, smr_collector *c, int64_t line)
{
    if (c->n_rows == SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s: has more than %d rows", c->source,
                        SMR_MAX_DIM);
    c->n_rows++;
    c->line = line;
    return SMR_OK;
}

/* The last rule for a name wins; a position (#3) is applied when all columns are known. */
static const smr_column_rule *rule_of(const smr_collector *c, const char *name, int64_t n)
{
    const smr_column_rule *found = NULL;
    for (int64_t i = 0; i < c->opts->n_rules; i++) {
        const smr_column_rule *rule = &c->opts->rules[i];
        if ((int64_t)strlen(rule->name) == n && !memcmp(rule->name, name, (size_t)n)) found = rule;
    }
    return found;
}

static smr_status add_column(smr_ctx *ctx, smr_collector *c, const char *name, int64_t n)
{
    int64_t bad;
    if (c->n_columns == SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s: has more than %d columns", c->source,
                        SMR_MAX_DIM);
    if (n == 0 || memchr(name, 0, (size_t)n) || !smr_is_utf8(name, n, &bad))
        return smr_fail(
            ctx, SMR_ERR_FORMAT,
            "%s, %s %" PRId64 ": '%s' cannot be a column's name: it is empty, or not UTF-8",
            c->source, c->unit, c->line, smr_excerpt(name, n, (char[SMR_EXCERPT_MAX]){0}));
    if (c->n_columns == c->columns_room) {
        int64_t room = 2 * c->columns_room + 16;
        struct collected *moved = smr_realloc(ctx, c->columns, room, sizeof *moved);
        if (!moved) return SMR_ERR_NOMEM;
        c->columns = moved;
        c->columns_room = room;
    }
    const smr_column_rule *rule = rule_of(c, name, n);
    bool as_text = rule && (rule->kind == SMR_CATEGORY || rule->kind == SMR_TEXT);
    c->columns[c->n_columns++] =
        (struct collected){.rule = rule,
                           .skip = rule ? rule->ignore : c->opts->only_ruled,
                           .content = as_text ? STRINGS : GAPS,
                           .line = c->line};
    return SMR_OK;
}

smr_status smr_collect_column(smr_ctx *ctx, smr_collector *c, const char *name, int64_t n,
                              int64_t *column)
{
    int32_t code = n > 0 ? smr_dict_find(&c->names, name, n) : -1;
    smr_status st = SMR_OK;
    if (code < 0) {
        TRY(add_column(ctx, c, name, n));
        st = smr_dict_merge(ctx, &c->names, NULL, name, n, &(smr_dict_entry){0}, &code);
        if (st != SMR_OK) c->n_columns--;
    }
    *column = code;
out:
    return st;
}

bool smr_collect_wants(const smr_collector *c, int64_t column)
{
    return !c->columns[column].skip;
}

/* ---- values ------------------------------------------------------------------------------- */

static const char *name_of(const smr_collector *c, const struct collected *x,
                           char excerpt[SMR_EXCERPT_MAX])
{
    int64_t n;
    const char *name = smr_strings_get(&c->names.strings, x - c->columns, &n);
    return smr_excerpt(name, n, excerpt);
}

static smr_status make_room(smr_ctx *ctx, struct collected *x, int64_t rows)
{
    if (rows <= x->room) return SMR_OK;
    int64_t room = SMR_MAX(2 * x->room, SMR_MAX(rows, FIRST_ROOM));
    bool wide = x->content == NUMBERS;
    void *moved = wide ? smr_realloc(ctx, x->numbers, room, sizeof(double))
                       : smr_realloc(ctx, x->codes, room, sizeof(int32_t));
    if (!moved) return SMR_ERR_NOMEM;
    if (wide)
        x->numbers = moved;
    else
        x->codes = moved;
    x->room = room;
    return SMR_OK;
}

/* Gaps up to row `rows`. */
static smr_status fill(smr_ctx *ctx, struct collected *x, int64_t rows)
{
    if (rows <= x->n) return SMR_OK;
    x->n_missing += rows - x->n;
    if (x->content != GAPS) {
        smr_status st = make_room(ctx, x, rows);
        if (st != SMR_OK) return st;
        for (int64_t i = x->n; i < rows; i++)
            if (x->content == NUMBERS)
                x->numbers[i] = NAN;
            else
                x->codes[i] = -1;
    }
    x->n = rows;
    return SMR_OK;
}

static smr_status refuse_mixture(smr_ctx *ctx, const smr_collector *c, const struct collected *x,
                                 const char *here)
{
    char name[SMR_EXCERPT_MAX];
    name_of(c, x, name);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s, %s %" PRId64 ": column '%s' has %s here, and %s from %s %" PRId64
                    " on; make them the same, or read the column as a category with --type "
                    "%s=category",
                    c->source, c->unit, c->line, name, here,
                    x->content == NUMBERS ? "numbers" : "strings", c->unit, x->line, name);
}

/* The row's place in the column, which then holds that. */
static smr_status take_place(smr_ctx *ctx, smr_collector *c, struct collected *x, content what,
                             const char *here)
{
    smr_status st = SMR_OK;
    if (x->n >= c->n_rows)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s, %s %" PRId64 ": column '%s' comes twice in this row", c->source,
                        c->unit, c->line, name_of(c, x, (char[SMR_EXCERPT_MAX]){0}));
    if (what == GAPS) return fill(ctx, x, c->n_rows);
    if (x->content == GAPS) { /* the gaps so far become those of an array */
        x->content = what;
        x->line = c->line;
        x->n = x->n_missing = 0;
    }
    if (x->content != what) TRY(refuse_mixture(ctx, c, x, here));
    TRY(fill(ctx, x, c->n_rows - 1));
    TRY(make_room(ctx, x, c->n_rows));
    x->n = c->n_rows;
out:
    return st;
}

static smr_status put_string(smr_ctx *ctx, smr_collector *c, struct collected *x, const char *text,
                             int64_t n)
{
    smr_status st = take_place(ctx, c, x, STRINGS, "a string");
    if (st != SMR_OK) return st;
    int32_t *code = &x->codes[x->n - 1];
    *code = -1;
    st = smr_dict_add(ctx, &x->dict, &c->marks, text, n, x->n - 1, code, &c->marks_seen);
    x->n_missing += *code < 0;
    return st;
}

smr_status smr_collect_gap(smr_ctx *ctx, smr_collector *c, int64_t column)
{
    struct collected *x = &c->columns[column];
    return x->skip ? SMR_OK : take_place(ctx, c, x, GAPS, NULL);
}

smr_status smr_collect_number(smr_ctx *ctx, smr_collector *c, int64_t column, double value)
{
    struct collected *x = &c->columns[column];
    if (x->skip) return SMR_OK;
    if (x->rule && x->content == STRINGS) {
        char text[SMR_NUMBER_MAX];
        return put_string(ctx, c, x, text, smr_format_double(value, text));
    }
    smr_status st = take_place(ctx, c, x, NUMBERS, "a number");
    if (st != SMR_OK) return st;
    x->numbers[x->n - 1] = value;
    x->n_missing += isnan(value);
    x->n_large += fabs(value) > WHOLE_MAX && value == floor(value) && fabs(value) < 1e19;
    return SMR_OK;
}

smr_status smr_collect_bool(smr_ctx *ctx, smr_collector *c, int64_t column, bool value)
{
    struct collected *x = &c->columns[column];
    if (x->skip) return SMR_OK;
    if (x->content == NUMBERS && !x->rule)
        return refuse_mixture(ctx, c, x, value ? "true" : "false");
    if (x->rule && x->rule->kind == SMR_NUMBER) return smr_collect_number(ctx, c, column, value);
    return put_string(ctx, c, x, value ? "true" : "false", value ? 4 : 5);
}

smr_status smr_collect_string(smr_ctx *ctx, smr_collector *c, int64_t column, const char *text,
                              int64_t n)
{
    struct collected *x = &c->columns[column];
    int which;
    double value;
    bool has_time, as_number = x->rule && x->rule->kind == SMR_NUMBER;
    if (x->skip) return SMR_OK;
    if (smr_field_is_missing(&c->marks, text, n, &which)) {
        c->marks_seen |= UINT64_C(1) << SMR_MIN(which, 63);
        return take_place(ctx, c, x, GAPS, NULL);
    }
    if (x->content != NUMBERS && !as_number) return put_string(ctx, c, x, text, n);
    smr_field field = smr_field_classify(&c->marks, text, n, &value, &has_time);
    if (field == SMR_FIELD_DASH) return take_place(ctx, c, x, GAPS, NULL);
    if (as_number && field == SMR_FIELD_NUMBER) return smr_collect_number(ctx, c, column, value);
    if (!as_number) return refuse_mixture(ctx, c, x, "a string");
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s, %s %" PRId64
                    ": column '%s' must hold numbers, but here it has '%s'; correct "
                    "it, or if it stands for a missing value add --missing",
                    c->source, c->unit, c->line, name_of(c, x, (char[SMR_EXCERPT_MAX]){0}),
                    smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
}

/* ---- the table ---------------------------------------------------------------------------- */

/* Moments, where every string is one. */
static smr_status try_dates(smr_ctx *ctx, const struct collected *x, smr_column *out, bool *are)
{
    smr_status st = SMR_OK;
    const smr_strings *s = &x->dict.strings;
    double *moment = NULL;
    *are = false;
    if (x->rule || s->n == 0) return SMR_OK;
    TRY_NEW(moment, s->n);
    for (int64_t k = 0; k < s->n; k++) {
        int64_t n;
        const char *text = smr_strings_get(s, k, &n);
        bool has_time = false;
        if (!smr_date_parse(text, n, &moment[k], &has_time)) goto out;
        out->has_time |= has_time;
    }
    double *values = smr_alloc_raw(ctx, x->n, sizeof(double));
    if (!values) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < x->n; i++) values[i] = x->codes[i] < 0 ? NAN : moment[x->codes[i]];
    out->kind = SMR_DATE;
    out->dtype = SMR_F64;
    out->values = values;
    *are = true;
out:
    smr_free(moment);
    return st;
}

static smr_status hand_over_strings(smr_ctx *ctx, struct collected *x, smr_column *out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, at = 0;
    int32_t *rank = NULL;
    const smr_strings *from = &x->dict.strings;
    bool are_dates;
    out->owns_values = true;
    TRY(try_dates(ctx, x, out, &are_dates));
    if (are_dates) goto out;
    out->has_time = false;
    TRY_NEW(order, from->n + 1);
    TRY_NEW(rank, from->n + 1);
    TRY_NEW(out->levels.start, from->n + 1);
    TRY_NEW(out->levels.bytes, (from->n ? from->start[from->n] : 0) + 1);
    TRY(smr_levels_order(ctx, from, order));
    for (int64_t k = 0; k < from->n; k++) {
        int64_t n;
        const char *text = smr_strings_get(from, order[k], &n);
        if (n) memcpy(out->levels.bytes + at, text, (size_t)n);
        out->levels.start[k + 1] = at += n;
        rank[order[k]] = (int32_t)k;
    }
    out->levels.n = from->n;
    for (int64_t i = 0; i < x->n; i++)
        if (x->codes[i] >= 0) x->codes[i] = rank[x->codes[i]];
    out->kind = SMR_CATEGORY;
    out->dtype = SMR_I32;
    out->values = x->codes;
    x->codes = NULL;
out:
    smr_free(order);
    smr_free(rank);
    return st;
}

/* A column that the rules leave out afterwards: one gap stands for all. */
static smr_status hand_over_nothing(smr_ctx *ctx, const smr_collector *c, smr_column *out)
{
    double *gap = smr_alloc(ctx, 1, sizeof *gap);
    if (!gap) return SMR_ERR_NOMEM;
    *gap = NAN;
    out->kind = SMR_NUMBER;
    out->dtype = SMR_F64;
    out->values = gap;
    out->owns_values = true;
    out->stride = 0;
    out->n_missing = c->n_rows;
    return SMR_OK;
}

static smr_status hand_over(smr_ctx *ctx, smr_collector *c, struct collected *x, smr_column *out)
{
    smr_status st = SMR_OK;
    int64_t n;
    const char *name = smr_strings_get(&c->names.strings, x - c->columns, &n);
    out->name = smr_strndup(ctx, name, (size_t)n);
    if (!out->name) TRY(SMR_ERR_NOMEM);
    if (x->skip) return hand_over_nothing(ctx, c, out);
    if (x->content == GAPS) { /* nothing but gaps: a column of numbers */
        x->content = NUMBERS;
        x->n = x->n_missing = 0;
    }
    TRY(fill(ctx, x, c->n_rows));
    out->n_missing = x->n_missing;
    if (x->n_large) smr_build_warn_large(ctx, out->name, x->n_large);
    if (x->content == STRINGS) return hand_over_strings(ctx, x, out);
    out->kind = SMR_NUMBER;
    out->dtype = SMR_F64;
    out->owns_values = true;
    out->values = x->numbers;
    x->numbers = NULL;
out:
    return st;
}

static void note_table(const smr_collector *c, const smr_table *t, smr_text *out)
{
    static const char *const one[] = {"number", "category", "text", "date"};
    static const char *const many[] = {"numbers", "categories", "texts", "dates"};
    int64_t n[4] = {0}, missing = 0, columns = 0, shown = 0;
    for (int64_t j = 0; j < t->n_cols; j++) {
        if (c->columns[j].skip) continue;
        n[t->cols[j].kind]++;
        missing += t->cols[j].n_missing;
        columns += t->cols[j].n_missing > 0;
    }
    smr_text_add(out, "columns: ");
    for (int k = 0; k < 4; k++)
        if (n[k])
            smr_text_printf(out, "%s%" PRId64 " %s", shown++ ? ", " : "", n[k],
                            n[k] == 1 ? one[k] : many[k]);
    smr_text_printf(out, "%s\nmissing: %" PRId64 " value%s in %" PRId64 " column%s",
                    shown ? "" : "none", missing, smr_plural(missing, "", "s"), columns,
                    smr_plural(columns, "", "s"));
    shown = 0;
    for (int which = 0; which < 64; which++)
        if (c->marks_seen >> which & 1)
            smr_text_printf(out, "%s%s", shown++ ? ", " : "; marks ",
                            which ? smr_mark_text(&c->marks, which) : "empty");
    smr_text_add(out, "\n");
}

/* Are all texts numbers?  Codes with leading zeros are names, and two values are often classes. */
static bool are_numbers(const struct collected *x)
{
    const smr_strings *s = &x->dict.strings;
    if (x->skip || x->rule || x->content != STRINGS || s->n < 3) return false;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t n;
        double value;
        const char *text = smr_strings_get(s, k, &n);
        bool is_code = n > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
        if (is_code || smr_parse_double(text, text + n, &value) != text + n) return false;
    }
    return true;
}

static void warn_of_numbers(smr_ctx *ctx, const smr_collector *c, const smr_table *t)
{
    int64_t n = 0, first = -1;
    for (int64_t j = 0; j < c->n_columns; j++) {
        if (t->cols[j].kind != SMR_CATEGORY || !are_numbers(&c->columns[j])) continue;
        if (n++ == 0) first = j;
    }
    if (n == 0) return;
    const char *name = t->cols[first].name;
    smr_warn(ctx,
             "%s: %s'%s' %s numbers as text, and %s taken as %s; --type '%s=number' reads "
             "%s as numbers",
             c->source, n == 1 ? "column " : "columns such as ", name, n == 1 ? "holds" : "hold",
             n == 1 ? "is" : "are", n == 1 ? "a category" : "categories", name,
             n == 1 ? "it" : "that one");
}

smr_status smr_collect_table(smr_ctx *ctx, smr_collector *c, smr_text *notes, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    double bytes = 0;
    for (int64_t j = 0; j < c->n_columns; j++) {
        const struct collected *x = &c->columns[j];
        if (!x->skip && x->n < c->n_rows)
            bytes += (double)c->n_rows * (x->content == STRINGS ? 4 : 8);
    }
    TRY(smr_memory_check(ctx, bytes, c->source,
                         "leave columns out with --type NAME=ignore, or raise --memory"));
    TRY(smr_table_new(ctx, c->n_rows, c->n_columns, &t));
    for (int64_t j = 0; j < c->n_columns; j++) TRY(hand_over(ctx, c, &c->columns[j], &t->cols[j]));
    warn_of_numbers(ctx, c, t);
    t->has_header = true;
    t->source = smr_strdup(ctx, c->source);
    if (!t->source) TRY(SMR_ERR_NOMEM);
    note_table(c, t, notes);
    TRY(smr_text_done(notes));
    t->notes = notes->bytes;
    *notes = (smr_text){.ctx = ctx};
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}
