/* arff.c -- an ARFF file into a table.
 *
 * Numeric attributes become number columns, nominal ones categories whose levels are in the
 * declared order, strings categories with sorted levels, dates date columns; ? is missing.
 * Instance weights ("..., {2.5}") become a last column "weight".
 *
 * Sparse rows ("{2 0.5, 7 yes}") leave out zeros: the number 0, the first declared value, 1970; a
 * string that is left out is missing.  If the first row is sparse, numeric attributes except the
 * last (ARFF files keep their target there) are gathered as compressed rows; at the end they become
 * columns after all when those take less than 4 times the memory, or 1 MB, else the table's sparse
 * block, where names are lost (a note says so).
 *
 * Memory: the values, growing by halves, and one line. */
#include "data/arff.h"

#include "core/number.h"
#include "data/formats.h"
#include "data/scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct rows {
    smr_arff_header h;
    smr_arff_lines lines;
    smr_arff_scan scan;
    int64_t n;      /* rows so far */
    double *weight; /* NULL until a row has one */
    int64_t weight_room;
    bool sparse;        /* the first row was sparse */
    int64_t n_features; /* attributes in compressed rows */
    int64_t *start;     /* n + 1 */
    int32_t *column;
    double *value;
    int64_t start_room, entry_room, n_entries;
};

/* ---- storing ---------------------------------------------------------------------------- */

/* Makes *block hold more than `at` elements. */
static smr_status grow(smr_ctx *ctx, void **block, int64_t *room, int64_t at, size_t size)
{
    if (at < *room) return SMR_OK;
    int64_t want = at + at / 2 + 64;
    void *grown = smr_realloc(ctx, *block, want, size);
    if (!grown) return SMR_ERR_NOMEM;
    *block = grown;
    *room = want;
    return SMR_OK;
}

static bool is_valued(const smr_arff_attribute *a)
{
    return a->type == SMR_ARFF_NUMERIC || a->type == SMR_ARFF_DATE;
}

/* Value of the row being read; codes are whole numbers, NaN is missing. */
static smr_status store(smr_ctx *ctx, struct rows *r, smr_arff_attribute *a, double x)
{
    smr_status st = SMR_OK;
    if (a->in_csr) {
        if (x == 0) return SMR_OK;
        int64_t room = r->entry_room;
        TRY(grow(ctx, (void **)&r->column, &room, r->n_entries, sizeof *r->column));
        TRY(grow(ctx, (void **)&r->value, &r->entry_room, r->n_entries, sizeof *r->value));
        r->column[r->n_entries] = (int32_t)a->feature;
        r->value[r->n_entries++] = x;
    } else if (is_valued(a)) {
        TRY(grow(ctx, (void **)&a->number, &a->room, r->n, sizeof *a->number));
        a->number[r->n] = x;
    } else {
        TRY(grow(ctx, (void **)&a->code, &a->room, r->n, sizeof *a->code));
        a->code[r->n] = isnan(x) ? -1 : (int32_t)x;
    }
out:
    return st;
}

/* ---- values ----------------------------------------------------------------------------- */

static smr_status bad_value(smr_ctx *ctx, struct rows *r, const smr_arff_attribute *a,
                            const char *what)
{
    const smr_text *t = &r->scan.token;
    char shown[48];
    return smr_arff_fail(ctx, &r->lines, "attribute '%.100s': '%s' %s", a->name,
                         smr_scan_show(t->bytes, t->bytes + t->length, shown), what);
}

/* What the token means for the attribute. */
static smr_status read_value(smr_ctx *ctx, struct rows *r, smr_arff_attribute *a, double *x)
{
    smr_status st = SMR_OK;
    smr_arff_scan *s = &r->scan;
    int32_t code = -1;
    TRY(smr_arff_token(ctx, s));
    const char *text = s->token.bytes, *end = text + s->token.length;
    *x = NAN;
    if (!s->quoted && s->token.length == 0)
        TRY(smr_arff_fail(ctx, &r->lines,
                          "attribute '%.100s' has no value here; a missing one is written ?",
                          a->name));
    if (!s->quoted && s->token.length == 1 && *text == '?') return SMR_OK;
    switch (a->type) {
    case SMR_ARFF_NUMERIC:
        if (smr_parse_double(text, end, x) != end) st = bad_value(ctx, r, a, "is not a number");
        break;
    case SMR_ARFF_DATE:
        if (!smr_arff_date(a->date_format, text, end - text, x))
            st = bad_value(ctx, r, a, "is not a date of the declared format");
        break;
    case SMR_ARFF_NOMINAL:
        code = smr_vocab_find(&a->dict, text, end - text);
        if (code < 0) st = bad_value(ctx, r, a, "is not among the declared values");
        break;
    case SMR_ARFF_STRING: st = smr_vocab_add(ctx, &a->dict, text, end - text, &code); break;
    }
    if (code >= 0) *x = code;
out:
    return st;
}

/* ", {2.5}" or nothing, then the end of the line. */
static smr_status read_weight(smr_ctx *ctx, struct rows *r)
{
    smr_status st = SMR_OK;
    smr_arff_scan *s = &r->scan;
    double w = 1;
    smr_arff_accept(s, ',');
    if (smr_arff_accept(s, '{')) {
        TRY(smr_arff_token(ctx, s));
        const char *end = s->token.bytes + s->token.length;
        if (smr_parse_double(s->token.bytes, end, &w) != end || !(w >= 0) || isinf(w))
            TRY(smr_arff_fail(ctx, &r->lines, "'%.40s' is not a weight; weights are numbers >= 0",
                              s->token.bytes));
        if (!smr_arff_accept(s, '}')) TRY(smr_arff_fail(ctx, &r->lines, "a weight without '}'"));
        int64_t had = r->weight ? r->n : 0;
        TRY(grow(ctx, (void **)&r->weight, &r->weight_room, r->n, sizeof *r->weight));
        for (int64_t i = had; i < r->n && had == 0; i++) r->weight[i] = 1;
    }
    if (r->weight) {
        TRY(grow(ctx, (void **)&r->weight, &r->weight_room, r->n, sizeof *r->weight));
        r->weight[r->n] = w;
    }
    if (!smr_arff_at_end(s)) {
        char shown[48];
        TRY(smr_arff_fail(ctx, &r->lines,
                          "'%s' follows the last of %" PRId64 " values; quote values with commas "
                          "or blanks",
                          smr_scan_show(s->p, s->end, shown), r->h.n));
    }
out:
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static smr_status read_dense_row(smr_ctx *ctx, struct rows *r)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < r->h.n; j++) {
        double x;
        if (smr_arff_at_end(&r->scan))
            TRY(smr_arff_fail(ctx, &r->lines,
                              "the row ends after %" PRId64 " of %" PRId64 " values; '%.100s' is "
                              "next",
                              j, r->h.n, r->h.attributes[j].name));
        TRY(read_value(ctx, r, &r->h.attributes[j], &x));
        TRY(store(ctx, r, &r->h.attributes[j], x));
        if (j + 1 < r->h.n) smr_arff_accept(&r->scan, ',');
    }
    TRY(read_weight(ctx, r));
out:
    return st;
}

static smr_status read_index(smr_ctx *ctx, struct rows *r, int64_t last, int64_t *index)
{
    smr_status st = SMR_OK;
    smr_arff_scan *s = &r->scan;
    TRY(smr_arff_token(ctx, s));
    const char *end = s->token.bytes + s->token.length;
    if (smr_parse_int(s->token.bytes, end, index) != end || s->token.length == 0)
        TRY(smr_arff_fail(ctx, &r->lines,
                          "'%.40s' is not an attribute number; sparse rows are {number value, ...}",
                          s->token.bytes));
    if (*index < 0 || *index >= r->h.n)
        TRY(smr_arff_fail(ctx, &r->lines,
                          "attribute number %" PRId64
                          " does not exist; they run from 0 to %" PRId64,
                          *index, r->h.n - 1));
    if (*index <= last)
        TRY(smr_arff_fail(ctx, &r->lines,
                          "attribute number %" PRId64 " follows %" PRId64 "; they must ascend",
                          *index, last));
out:
    return st;
}

/* Everything zero, then what the row names. */
static smr_status read_sparse_row(smr_ctx *ctx, struct rows *r)
{
    smr_status st = SMR_OK;
    int64_t index, last = -1;
    for (int64_t j = 0; j < r->h.n; j++) {
        smr_arff_attribute *a = &r->h.attributes[j];
        if (!a->in_csr) TRY(store(ctx, r, a, a->type == SMR_ARFF_STRING ? NAN : 0));
    }
    while (!smr_arff_accept(&r->scan, '}')) {
        double x;
        if (smr_arff_at_end(&r->scan))
            TRY(smr_arff_fail(ctx, &r->lines, "the sparse row has no '}'"));
        TRY(read_index(ctx, r, last, &index));
        TRY(read_value(ctx, r, &r->h.attributes[index], &x));
        TRY(store(ctx, r, &r->h.attributes[index], x));
        last = index;
        smr_arff_accept(&r->scan, ',');
    }
    TRY(read_weight(ctx, r));
out:
    return st;
}

/* The first row decides where numeric attributes go. */
static void choose_places(struct rows *r)
{
    r->sparse = true;
    for (int64_t j = 0; j + 1 < r->h.n; j++) {
        smr_arff_attribute *a = &r->h.attributes[j];
        a->in_csr = a->type == SMR_ARFF_NUMERIC;
        if (a->in_csr) a->feature = r->n_features++;
    }
}

static smr_status read_rows(smr_ctx *ctx, struct rows *r)
{
    smr_status st = SMR_OK;
    for (;;) {
        const char *line;
        int64_t length = 0;
        TRY(smr_arff_next_line(ctx, &r->lines, &line, &length));
        if (!line) break;
        if (r->lines.number % 65536 == 0) TRY(smr_tick(ctx, "reading", r->n, 0, NAN));
        r->scan.p = line;
        r->scan.end = line + length;
        if (smr_arff_at_end(&r->scan)) continue;
        bool sparse = smr_arff_accept(&r->scan, '{');
        if (sparse && r->n == 0) choose_places(r);
        TRY(sparse ? read_sparse_row(ctx, r) : read_dense_row(ctx, r));
        r->n++;
        if (!r->sparse) continue;
        TRY(grow(ctx, (void **)&r->start, &r->start_room, r->n, sizeof *r->start));
        r->start[0] = 0;
        r->start[r->n] = r->n_entries;
    }
    if (r->n == 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: no rows after @data",
                     smr_source_name(r->lines.source)));
out:
    return st;
}

/* ---- the table -------------------------------------------------------------------------- */

static smr_status shrink(smr_ctx *ctx, void **block, int64_t room, int64_t n, size_t size)
{
    if (room - n <= n / 8 + 1024) return SMR_OK;
    void *smaller = smr_realloc(ctx, *block, n, size);
    if (!smaller) return SMR_ERR_NOMEM;
    *block = smaller;
    return SMR_OK;
}

/* Columns where they take little memory, else the sparse block. */
static bool is_worth_expanding(const struct rows *r)
{
    double dense = 8.0 * (double)r->n * (double)r->n_features;
    double sparse = 12.0 * (double)r->n_entries + 8.0 * (double)r->n;
    return dense <= 4 * sparse || dense <= 1 << 20;
}

static smr_status expand(smr_ctx *ctx, struct rows *r)
{
    smr_status st = SMR_OK;
    smr_arff_attribute **of = NULL;
    TRY_NEW(of, r->n_features);
    for (int64_t j = 0; j < r->h.n; j++) {
        smr_arff_attribute *a = &r->h.attributes[j];
        if (!a->in_csr) continue;
        of[a->feature] = a;
        a->in_csr = false;
        a->room = r->n;
        TRY_NEW(a->number, r->n);
    }
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t e = r->start[i]; e < r->start[i + 1]; e++)
            of[r->column[e]]->number[i] = r->value[e];
    r->n_features = 0;
out:
    smr_free(of);
    return st;
}

/* Levels in the declared order, or sorted. */
static smr_status give_levels(smr_ctx *ctx, smr_arff_attribute *a, smr_column *c, int64_t n)
{
    smr_status st = SMR_OK;
    int32_t *recode = NULL;
    if (a->type == SMR_ARFF_NOMINAL) {
        TRY(smr_strings_copy(ctx, &a->dict.strings, NULL, &c->levels));
    } else {
        TRY_NEW(recode, a->dict.strings.n);
        TRY(smr_vocab_sorted(ctx, &a->dict, &c->levels, recode));
        for (int64_t i = 0; i < n; i++)
            if (a->code[i] >= 0) a->code[i] = recode[a->code[i]];
    }
    for (int64_t i = 0; i < n; i++) c->n_missing += a->code[i] < 0;
out:
    smr_free(recode);
    return st;
}

static smr_status give_numbers(smr_ctx *ctx, double **numbers, int64_t room, smr_column *c,
                               int64_t n)
{
    smr_status st = shrink(ctx, (void **)numbers, room, n, sizeof **numbers);
    if (st != SMR_OK) return st;
    c->values = *numbers;
    c->owns_values = true;
    *numbers = NULL;
    for (int64_t i = 0; i < n; i++) {
        double x = ((double *)c->values)[i];
        c->n_missing += isnan(x) != 0;
        if (c->kind == SMR_DATE && !isnan(x) && fmod(x, 86400) != 0) c->has_time = true;
    }
    return SMR_OK;
}

static smr_status give_column(smr_ctx *ctx, struct rows *r, smr_arff_attribute *a, smr_column *c)
{
    smr_status st = SMR_OK;
    c->name = a->name;
    a->name = NULL;
    if (is_valued(a)) {
        c->kind = a->type == SMR_ARFF_DATE ? SMR_DATE : SMR_NUMBER;
        TRY(give_numbers(ctx, &a->number, a->room, c, r->n));
    } else {
        c->kind = SMR_CATEGORY;
        c->dtype = SMR_I32;
        TRY(give_levels(ctx, a, c, r->n));
        TRY(shrink(ctx, (void **)&a->code, a->room, r->n, sizeof *a->code));
        c->values = a->code;
        c->owns_values = true;
        a->code = NULL;
    }
out:
    return st;
}

static void give_sparse(struct rows *r, smr_table *t)
{
    t->sparse = (smr_csr){.n_rows = r->n,
                          .n_cols = r->n_features,
                          .start = r->start,
                          .column = r->column,
                          .value = r->value};
    r->start = NULL;
    r->column = NULL;
    r->value = NULL;
}

static smr_status write_notes(smr_ctx *ctx, const struct rows *r, bool has_weights, smr_table *t)
{
    smr_text notes = {.ctx = ctx};
    smr_text_printf(&notes, "format: arff\nrelation: %.200s\nlevels: in the declared order\n",
                    r->h.relation ? r->h.relation : "");
    if (has_weights) smr_text_add(&notes, "weights: column 'weight'\n");
    if (r->n_features)
        smr_text_printf(&notes,
                        "sparse: %" PRId64 " numeric attributes are features 0 to %" PRId64
                        " of a sparse block, without their names\n",
                        r->n_features, r->n_features - 1);
    smr_status st = smr_table_sign(t, r->lines.source, &notes);
    smr_text_release(&notes);
    return st;
}

static smr_status make_table(smr_ctx *ctx, struct rows *r, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    int64_t k = 0;
    bool has_weights = r->weight != NULL;
    if (r->sparse && is_worth_expanding(r)) TRY(expand(ctx, r));
    TRY(smr_table_new(ctx, r->n, r->h.n - r->n_features + (has_weights ? 1 : 0), &t));
    t->has_header = true;
    for (int64_t j = 0; j < r->h.n; j++)
        if (!r->h.attributes[j].in_csr)
            TRY(give_column(ctx, r, &r->h.attributes[j], &t->cols[k++]));
    if (has_weights) {
        t->cols[k].name = smr_strdup(ctx, "weight");
        if (!t->cols[k].name) TRY(SMR_ERR_NOMEM);
        TRY(give_numbers(ctx, &r->weight, r->weight_room, &t->cols[k], r->n));
    }
    if (r->n_features) {
        TRY(shrink(ctx, (void **)&r->column, r->entry_room, r->n_entries, sizeof *r->column));
        TRY(shrink(ctx, (void **)&r->value, r->entry_room, r->n_entries, sizeof *r->value));
        TRY(shrink(ctx, (void **)&r->start, r->start_room, r->n + 1, sizeof *r->start));
        give_sparse(r, t);
    }
    TRY(write_notes(ctx, r, has_weights, t));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

smr_status smr_arff_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                         smr_table **out)
{
    smr_status st = SMR_OK;
    struct rows r = {.lines = {.source = source}};
    (void)opts;
    *out = NULL;
    r.scan.lines = &r.lines;
    r.scan.token.ctx = ctx;
    TRY(smr_arff_read_header(ctx, &r.lines, &r.h));
    TRY(read_rows(ctx, &r));
    TRY(make_table(ctx, &r, out));
out:
    smr_text_release(&r.scan.token);
    smr_arff_lines_release(&r.lines);
    smr_arff_header_release(&r.h);
    smr_free(r.weight);
    smr_free(r.start);
    smr_free(r.column);
    smr_free(r.value);
    return st;
}
