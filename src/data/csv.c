/* csv.c -- the CSV reader: the order of its steps, and the table; see csv.h and csv_private.h. */
#include "data/csv.h"

#include "core/text.h"
#include "data/csv_private.h"

#include <inttypes.h>
#include <string.h>

/* A piece and its index stay in a core's second-level cache. */
static const smr_csv_limits default_limits = {.piece = 256 << 10, .line_max = 64 << 20, .tier = -1};
enum { ROW_STEP = 8 }; /* columns of a block begin at multiples of 64 bytes */

/* ---- memory of the table ------------------------------------------------------------------ */

static bool is_wide(const column *c)
{
    return c->kind == SMR_NUMBER || c->kind == SMR_DATE;
}

static smr_status make_block(csv *r, int64_t n_columns, int64_t column_rows, size_t size,
                             char **out)
{
    *out = smr_alloc_raw(r->ctx, n_columns * column_rows, size);
    return *out ? smr_table_own(r->ctx, r->table, *out) : SMR_ERR_NOMEM;
}

smr_status smr_csv_make_table(csv *r)
{
    smr_status st = SMR_OK;
    int64_t n_wide = 0, n_narrow = 0;
    for (int64_t j = 0; j < r->n_fields; j++) {
        const column *c = &r->columns[j];
        if (c->wanted) *(is_wide(c) ? &n_wide : &n_narrow) += 1;
    }
    int64_t rows = (r->n_rows + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    double bytes = (double)rows * (double)(8 * n_wide + 4 * n_narrow);
    TRY(smr_memory_check(r->ctx, bytes, r->name,
                         "leave columns out with --ignore, or raise --memory"));
    TRY(smr_table_new(r->ctx, r->n_rows, n_wide + n_narrow, &r->table));
    char *wide = NULL, *narrow = NULL;
    if (n_wide) TRY(make_block(r, n_wide, rows, sizeof(double), &wide));
    if (n_narrow) TRY(make_block(r, n_narrow, rows, sizeof(int32_t), &narrow));
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        if (!c->wanted) continue;
        c->room_for_double = is_wide(c);
        char **next = is_wide(c) ? &wide : &narrow;
        c->values = *next;
        *next += rows * (is_wide(c) ? (int64_t)sizeof(double) : (int64_t)sizeof(int32_t));
    }
out:
    return st;
}

static void free_columns(csv *r)
{
    for (int64_t j = 0; r->columns && j < r->n_fields; j++) {
        column *c = &r->columns[j];
        smr_free(c->name);
        smr_free(c->own_values);
        smr_dict_release(&c->given);
        smr_csv_free_levels(r, c);
    }
    smr_free(r->columns);
    r->columns = NULL;
}

/* What one reading of the quotes has made. */
static void start_over(csv *r)
{
    free_columns(r);
    smr_free(r->pieces);
    r->pieces = NULL;
    r->n_pieces = 0;
}

void smr_csv_release(csv *r)
{
    start_over(r);
    smr_csv_free_lanes(r);
    smr_free(r->hows);
    r->hows = NULL;
    smr_marks_release(&r->marks);
    smr_table_free(r->table);
    r->table = NULL;
}

/* ---- steps -------------------------------------------------------------------------------- */

static smr_status find_rows(csv *r)
{
    smr_status st = SMR_OK;
    bool quotes_are_plain = false;
    for (int round = 0; round == 0 || quotes_are_plain; round++) {
        start_over(r);
        TRY(smr_csv_sniff(r, round == 0));
        TRY(smr_csv_apply_rules(r));
        TRY(smr_csv_make_lanes(r));
        TRY(smr_csv_count_rows(r, &quotes_are_plain));
    }
    if (r->n_rows == 0)
        TRY(smr_fail(
            r->ctx, SMR_ERR_FORMAT,
            "%s: has a header and no rows of data; if its one row is data, say that there is "
            "no header",
            r->name));
out:
    return st;
}

how smr_csv_how(const column *c)
{
    if (!c->wanted || c->done) return HOW_SKIP;
    if (c->kind == SMR_NUMBER) return HOW_NUMBER;
    if (c->kind == SMR_DATE) return HOW_DATE;
    return c->levels ? HOW_CODES : HOW_STRINGS;
}

static smr_status read_columns(csv *r)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    bool again = true;
    smr_free(r->hows);
    TRY_NEW(r->hows, r->n_fields);
    TRY(smr_csv_make_lanes(r));
    while (again) {
        for (int64_t j = 0; j < r->n_fields; j++) r->hows[j] = smr_csv_how(&r->columns[j]);
        TRY(smr_csv_parse(r));
        TRY(smr_csv_sort_levels(r));
        TRY(smr_csv_judge(r, &again));
    }
out:
    return st;
}

/* ---- the result --------------------------------------------------------------------------- */

static smr_status copy_levels(smr_ctx *ctx, const smr_strings *from, smr_strings *to)
{
    smr_status st = SMR_OK;
    int64_t bytes = from->n ? from->start[from->n] : 0;
    TRY_NEW(to->start, from->n + 1);
    TRY_NEW(to->bytes, bytes);
    to->n = from->n;
    if (from->n) memcpy(to->start, from->start, (size_t)(from->n + 1) * sizeof *to->start);
    if (bytes) memcpy(to->bytes, from->bytes, (size_t)bytes);
out:
    return st;
}

static smr_status hand_over(csv *r, column *c, smr_column *out)
{
    out->name = c->name;
    out->kind = c->kind;
    out->dtype = is_wide(c) ? SMR_F64 : SMR_I32;
    out->values = c->values;
    out->owns_values = c->own_values != NULL;
    out->n_missing = c->tally.fields.n[SMR_FIELD_MISSING];
    if (is_wide(c)) out->n_missing += c->tally.fields.n[SMR_FIELD_DASH];
    out->n_unseen = c->tally.n_unseen;
    out->has_time = c->kind == SMR_DATE && c->tally.has_time;
    out->levels = c->sorted;
    c->name = c->own_values = NULL;
    c->sorted = (smr_strings){0};
    return c->levels ? copy_levels(r->ctx, c->levels, &out->levels) : SMR_OK;
}

static smr_status warn_large(csv *r, const column *c)
{
    int64_t line;
    if (c->kind != SMR_NUMBER || c->tally.n_large == 0) return SMR_OK;
    smr_status st = smr_csv_line_of_row(r, c->tally.first_large, &line);
    if (st != SMR_OK) return st;
    smr_warn(
        r->ctx,
        "%s:%" PRId64 ": column '%s' has %" PRId64
        " whole numbers beyond 2^53, which lose their last digits; if they are identifiers add "
        "--type %s=category or --ignore %s",
        r->name, line, c->name, c->tally.n_large, c->name, c->name);
    return SMR_OK;
}

static const char *delimiter_name(char c)
{
    switch (c) {
    case ',': return "comma";
    case ';': return "semicolon";
    case '\t': return "tab";
    case '|': return "bar";
    case ' ': return "blanks";
    default: return NULL;
    }
}

static void note_kinds(const csv *r, smr_text *out)
{
    static const char *const one[] = {"number", "category", "text", "date"};
    static const char *const many[] = {"numbers", "categories", "texts", "dates"};
    int64_t n[4] = {0}, missing = 0, columns = 0;
    for (int64_t j = 0; j < r->table->n_cols; j++) {
        const smr_column *c = &r->table->cols[j];
        n[c->kind]++;
        missing += c->n_missing;
        columns += c->n_missing > 0;
    }
    smr_text_add(out, "columns: ");
    bool first = true;
    for (int k = 0; k < 4; k++) {
        if (!n[k]) continue;
        smr_text_printf(out, "%s%" PRId64 " %s", first ? "" : ", ", n[k],
                        n[k] == 1 ? one[k] : many[k]);
        first = false;
    }
    if (first) smr_text_add(out, "none");
    smr_text_printf(out, "\nmissing: %" PRId64 " value%s in %" PRId64 " column%s", missing,
                    smr_plural(missing, "", "s"), columns, smr_plural(columns, "", "s"));
    for (int which = 0, shown = 0; which < 64; which++)
        if (r->marks_seen >> which & 1)
            smr_text_printf(out, "%s%s", shown++ ? ", " : "; marks ",
                            which ? smr_mark_text(&r->marks, which) : "empty");
    smr_text_add(out, "\n");
}

static smr_status write_notes(csv *r, const smr_text *decimals)
{
    smr_status st = SMR_OK;
    smr_text notes = {.ctx = r->ctx};
    char delimiter = r->syntax.delimiter;
    smr_text_add(&notes, "format: csv\n");
    if (r->n_fields == 1)
        smr_text_add(&notes, "delimiter: none, one column\n");
    else if (delimiter_name(delimiter))
        smr_text_printf(&notes, "delimiter: %s%s\n", delimiter_name(delimiter),
                        r->opts.delimiter ? " (given)" : "");
    else
        smr_text_printf(&notes, "delimiter: '%c' (given)\n", delimiter);
    smr_text_printf(&notes, "header: %s%s\n",
                    r->has_header ? "yes" : "no, columns are named by position",
                    r->opts.header >= 0 ? " (given)" : "");
    if (!r->syntax.quote)
        smr_text_printf(&notes, "quotes: plain characters (line %" PRId64 " breaks the rules)\n",
                        r->stray_line);
    if (decimals->length) smr_text_add(&notes, decimals->bytes);
    note_kinds(r, &notes);
    TRY(smr_text_done(&notes));
    r->table->notes = notes.bytes;
    notes = (smr_text){0};
    r->table->source = smr_strdup(r->ctx, r->name);
    if (!r->table->source) st = SMR_ERR_NOMEM;
out:
    smr_text_release(&notes);
    return st;
}

smr_status smr_csv_hand_over(csv *r)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    for (int64_t j = 0; j < r->n_fields; j++)
        if (r->columns[j].wanted) TRY(hand_over(r, &r->columns[j], &r->table->cols[at++]));
    r->table->has_header = r->has_header;
    r->table->decimal = (char)(smr_csv_has_commas(r) ? ',' : 0);
out:
    return st;
}

smr_status smr_csv_whole(csv *r)
{
    smr_status st = SMR_OK;
    smr_text told = {.ctx = r->ctx};
    TRY(find_rows(r));
    TRY(smr_csv_make_table(r));
    TRY(read_columns(r));
    for (int64_t j = 0; j < r->n_fields; j++)
        if (r->columns[j].wanted) TRY(warn_large(r, &r->columns[j]));
    TRY(smr_csv_tell_decimals(r, &told));
    TRY(smr_text_done(&told)); /* before names and levels become the table's */
    TRY(smr_csv_hand_over(r));
    TRY(write_notes(r, &told));
out:
    smr_text_release(&told);
    return st;
}

smr_status smr_csv_begin(smr_ctx *ctx, const char *name, const smr_read_opts *opts,
                         const smr_csv_limits *limits, csv *r)
{
    *r = (csv){.ctx = ctx, .name = name, .limits = limits ? *limits : default_limits};
    if (opts)
        r->opts = *opts;
    else
        r->opts.header = -1;
    r->kernels = r->limits.tier < 0 ? smr_csv_kernels_best() : smr_csv_kernels_tier(r->limits.tier);
    if (r->opts.delimiter == '"' || r->opts.delimiter == '\n' || r->opts.delimiter == '\r')
        return smr_fail(ctx, SMR_ERR_PARAM, "a quote or a line end cannot be the delimiter");
    if (r->opts.decimal && r->opts.decimal != '.' && r->opts.decimal != ',')
        return smr_fail(ctx, SMR_ERR_PARAM, "the decimal mark is a point or a comma, not '%c'",
                        r->opts.decimal);
    return smr_marks_init(ctx, r->opts.missing, &r->marks);
}

smr_status smr_csv_read_limited(smr_ctx *ctx, smr_source *s, const smr_read_opts *opts,
                                const smr_csv_limits *limits, smr_table **out)
{
    smr_status st = SMR_OK;
    csv r;
    *out = NULL;
    TRY(smr_csv_begin(ctx, smr_source_name(s), opts, limits, &r));
    TRY(smr_source_settle(ctx, s));
    r.source = s;
    r.size = smr_source_size(s);
    TRY(smr_csv_whole(&r));
    *out = r.table;
    r.table = NULL;
out:
    smr_csv_release(&r);
    return st;
}

smr_status smr_csv_read(smr_ctx *ctx, smr_source *s, const smr_read_opts *opts, smr_table **out)
{
    return smr_csv_read_limited(ctx, s, opts, &default_limits, out);
}
