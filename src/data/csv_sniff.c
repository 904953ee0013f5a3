/* csv_sniff.c -- the first rows: is it text at all, what ends rows and fields, is there a header.
 *
 * Delimiter: the one of tab ; | , with which all of the first rows have the same number of fields,
 * at least two, in this order of trust (a comma may be a decimal mark in files with semicolons);
 * then runs of blanks in the same way; then the one with which most rows agree; else the file has
 * one column.
 *
 * Header: the first row is a header when no field of it is a number (except for names that count
 * the columns from 0, as in a converted LIBSVM file), a date or a missing mark, and either some
 * column has a name where everything else is a number or a date, or all names are different, none
 * is empty and none occurs again in its column. */
#include "data/csv_private.h"
#include "data/formats.h"
#include "data/packing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX_BYTES = 1 << 20, SNIFF_ROWS = 200, SNIFF_BYTES = 256 << 10, GROWTH = 4 };
enum { SAMPLE_ROWS = 500, SAMPLE_FIELDS = 200000 };

struct sniffer {
    csv *r;
    char *text; /* the first bytes, without a byte-order mark */
    int64_t n;
    int64_t at; /* of text[0] in the file                     */
    bool ends;  /* the text is the whole file                 */
    uint32_t *begin, *end, *head_begin, *head_end;
    int64_t head_at, body_at; /* first row, the byte after it */
    smr_tally *body;          /* of each column's other rows in the sample     */
    int64_t *points;          /* fields of these that commas cannot make a number of */
    bool has_commas;          /* some field could have one                          */
    bool *again;              /* the first row's text comes again in its column */
    int64_t n_body;
    char *scratch, *head_scratch;
    int64_t scratch_room, head_scratch_room;
};

/* ---- is it text --------------------------------------------------------------------------- */

static smr_status refuse_binary(const struct sniffer *s)
{
    const char *what = smr_foreign_file(s->text, s->n);
    if (what)
        return smr_fail(s->r->ctx, SMR_ERR_FORMAT, "%s: is not a table of text but %s", s->r->name,
                        what);
    const char *nul = memchr(s->text, '\0', (size_t)s->n);
    if (!nul) return SMR_OK;
    int64_t line = 1;
    for (const char *p = s->text; p < nul; p++) line += *p == '\n';
    return smr_csv_fail_nul(s->r, line);
}

static smr_status read_prefix(struct sniffer *s, int64_t bytes)
{
    smr_ctx *ctx = s->r->ctx;
    int64_t n = SMR_MIN(bytes, s->r->size - s->at);
    smr_free(s->text);
    s->text = smr_alloc_raw(ctx, n, 1);
    if (!s->text) return SMR_ERR_NOMEM;
    s->n = n;
    s->ends = s->at + n == s->r->size;
    return smr_source_read_at(ctx, s->r->source, s->at, s->text, n);
}

static smr_status fail_empty(const struct sniffer *s)
{
    return smr_fail(s->r->ctx, SMR_ERR_FORMAT, "%s: is empty%s; a table needs rows", s->r->name,
                    s->r->size > 0 ? " except for blank lines" : "");
}

/* ---- syntax ------------------------------------------------------------------------------- */

static char sniff_newline(const struct sniffer *s, bool *is_crlf)
{
    const char *lf = s->n ? memchr(s->text, '\n', (size_t)s->n) : NULL;
    *is_crlf = lf && lf > s->text && lf[-1] == '\r';
    return !lf && s->n && memchr(s->text, '\r', (size_t)s->n) ? '\r' : '\n';
}

/* How the first rows fall apart with a delimiter. */
struct trial {
    int64_t n_rows;
    int64_t n_alike; /* rows with as many fields as the first */
    int64_t n_fields;
};

static struct trial try_delimiter(const struct sniffer *s, char delimiter, bool quotes)
{
    smr_csv_syntax x;
    smr_csv_syntax_init(&x, delimiter, s->r->syntax.newline, quotes);
    int64_t n = SMR_MIN(s->n, SNIFF_BYTES), fields, row_at;
    splitter p = {.syntax = &x, .text = s->text, .n = n, .ends = s->ends && n == s->n};
    struct trial t = {0};
    while (t.n_rows < SNIFF_ROWS &&
           smr_csv_split(&p, NULL, NULL, 0, &fields, &row_at) == SPLIT_ROW) {
        if (t.n_rows++ == 0) t.n_fields = fields;
        t.n_alike += fields == t.n_fields;
    }
    return t;
}

static char sniff_delimiter(const struct sniffer *s, bool quotes)
{
    static const char candidates[] = {'\t', ';', '|', ',', ' '};
    char best = (char)(s->r->opts.decimal == ',' ? ';' : ','); /* one column of decimals */
    double best_share = 0.5;
    bool any_row = false;
    for (int64_t i = 0; i < SMR_COUNT(candidates); i++) {
        struct trial t = try_delimiter(s, candidates[i], quotes);
        any_row |= t.n_rows > 0;
        if (t.n_fields < 2 || t.n_rows == 0) continue;
        if (t.n_alike == t.n_rows) return candidates[i];
        double share = (double)t.n_alike / (double)t.n_rows;
        if (candidates[i] != ' ' && share > best_share) {
            best_share = share;
            best = candidates[i];
        }
    }
    if (!any_row) { /* a quote is open from the first row on: perhaps a plain character */
        struct trial t = try_delimiter(s, '\t', false);
        if (t.n_fields > 1 && t.n_alike == t.n_rows) return '\t';
    }
    return best;
}

/* ---- the first row and a sample ----------------------------------------------------------- */

/* The first row does not end: a quote is not closed, or the line is too long. */
static smr_status fail_first_row(const struct sniffer *s)
{
    csv *r = s->r;
    smr_csv_count c = {.start = SMR_CSV_AT_FIELD};
    r->kernels->count(&r->syntax, s->text, s->n, &c);
    if (c.nul_at >= 0) return smr_csv_fail_nul(r, 1 + c.nul_line);
    if (c.stop == SMR_CSV_IN_QUOTES)
        return smr_fail(r->ctx, SMR_ERR_FORMAT,
                        "%s:%" PRId64 ": the quote that opens here is not closed%s; close it, or "
                        "write a quote that belongs to the text twice",
                        r->name, 1 + c.open_line, s->ends ? "" : " within the longest line read");
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:1: the line is longer than %" PRId64
                    " bytes, the most that is read; is this a table?",
                    r->name, r->limits.line_max);
}

/* Finds the first row, reading more of the file as long as it does not end. */
static smr_status find_first_row(struct sniffer *s)
{
    csv *r = s->r;
    for (int64_t bytes = PREFIX_BYTES;;) {
        splitter p = {.syntax = &r->syntax, .text = s->text, .n = s->n, .ends = s->ends};
        split got = smr_csv_split(&p, NULL, NULL, 0, &r->n_fields, &s->head_at);
        s->body_at = p.at;
        if (got == SPLIT_ROW) return SMR_OK;
        if (got == SPLIT_END && s->ends) return fail_empty(s);
        if (s->ends || s->n > r->limits.line_max) {
            if (r->syntax.delimiter != '\t' || !r->syntax.quote) return fail_first_row(s);
            r->stray_line = 1; /* in tab-separated files a quote may be a plain character */
            smr_csv_syntax_init(&r->syntax, '\t', r->syntax.newline, false);
            continue;
        }
        bytes = SMR_MIN(bytes * GROWTH, r->limits.line_max + PREFIX_BYTES);
        smr_status st = read_prefix(s, bytes);
        if (st != SMR_OK) return st;
    }
}

static smr_status field_text(struct sniffer *s, const uint32_t *begin, const uint32_t *end,
                             int64_t j, const char **text, int64_t *n)
{
    return smr_csv_text(s->r->ctx, &s->r->syntax, s->text + begin[j], end[j] - begin[j],
                        &s->scratch, &s->scratch_room, text, n);
}

static smr_status head_text(struct sniffer *s, int64_t j, const char **text, int64_t *n)
{
    return smr_csv_text(s->r->ctx, &s->r->syntax, s->text + s->head_begin[j],
                        s->head_end[j] - s->head_begin[j], &s->head_scratch, &s->head_scratch_room,
                        text, n);
}

static void tally(struct sniffer *s, int64_t j, const char *text, int64_t n)
{
    double value;
    bool has_time;
    const smr_marks *m = &s->r->marks;
    smr_field field = smr_field_read(m, SMR_DECIMAL_FIND, text, n, &value, &has_time);
    s->body[j].n[field]++;
    if (s->has_commas && field == SMR_FIELD_NUMBER && memchr(text, '.', (size_t)n))
        s->points[j] += smr_field_read(m, SMR_DECIMAL_COMMA, text, n, &value, &has_time) != field;
}

/* Tallies one row of the sample. */
static smr_status sample_row(struct sniffer *s)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < s->r->n_fields; j++) {
        const char *text, *head;
        int64_t n, head_n;
        TRY(field_text(s, s->begin, s->end, j, &text, &n));
        tally(s, j, text, n);
        TRY(head_text(s, j, &head, &head_n));
        if (n == head_n && !memcmp(text, head, (size_t)n)) s->again[j] = true;
    }
    s->n_body++;
out:
    return st;
}

static smr_status take_sample(struct sniffer *s)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = s->r->ctx;
    int64_t k = s->r->n_fields, fields, row_at;
    s->has_commas = s->r->syntax.delimiter != ',' || memchr(s->text, '"', (size_t)s->n);
    TRY_NEW(s->head_begin, k);
    TRY_NEW(s->head_end, k);
    TRY_NEW(s->begin, k);
    TRY_NEW(s->end, k);
    TRY_NEW(s->body, k);
    TRY_NEW(s->points, k);
    TRY_NEW(s->again, k);
    splitter p = {.syntax = &s->r->syntax, .text = s->text, .n = s->n, .ends = s->ends};
    (void)smr_csv_split(&p, s->head_begin, s->head_end, k, &fields, &row_at);
    int64_t most = SMR_MAX(1, SMR_MIN(SAMPLE_ROWS, SAMPLE_FIELDS / k));
    while (s->n_body < most &&
           smr_csv_split(&p, s->begin, s->end, k, &fields, &row_at) == SPLIT_ROW)
        if (fields == k) TRY(sample_row(s));
out:
    return st;
}

/* ---- header ------------------------------------------------------------------------------- */

/* *contrast: some column has text in the first row and numbers or dates below it.  Numbers in the
 * first row that count 0, 1, 2 ... are words too, where there is such a contrast. */
static smr_status look_at_head(struct sniffer *s, bool *all_words, bool *contrast, bool *news)
{
    smr_status st = SMR_OK;
    *all_words = *news = true;
    *contrast = false;
    int64_t n_empty = 0, n_counted = 0, n_numbers = 0;
    for (int64_t j = 0; j < s->r->n_fields; j++) {
        const char *text;
        int64_t n;
        double value;
        bool has_time;
        TRY(head_text(s, j, &text, &n));
        smr_field field =
            smr_field_read(&s->r->marks, SMR_DECIMAL_FIND, text, n, &value, &has_time);
        n_empty += n == 0;
        n_numbers += field == SMR_FIELD_NUMBER;
        n_counted += field == SMR_FIELD_NUMBER && value == (double)n_counted;
        *all_words &= field == SMR_FIELD_TEXT || field == SMR_FIELD_NUMBER || n == 0;
        *news &= !s->again[j] && n > 0;
        const smr_tally *t = &s->body[j];
        bool measured = t->n[SMR_FIELD_NUMBER] + t->n[SMR_FIELD_DATE] + t->n[SMR_FIELD_COMMA] +
                            t->n[SMR_FIELD_GROUPS] + t->n[SMR_FIELD_EITHER] >
                        0;
        *contrast |= field == SMR_FIELD_TEXT && measured && smr_tally_guess(t) != SMR_CATEGORY;
    }
    *all_words &= n_empty < s->r->n_fields;
    *all_words &= n_numbers == 0 || (*contrast && n_numbers > 1 && n_counted == n_numbers);
out:
    return st;
}

static smr_status names_differ(struct sniffer *s, bool *differ)
{
    smr_status st = SMR_OK;
    smr_dict seen = {0};
    for (int64_t j = 0; j < s->r->n_fields; j++) {
        const char *text;
        int64_t n;
        int32_t code;
        TRY(head_text(s, j, &text, &n));
        TRY(smr_dict_merge(s->r->ctx, &seen, NULL, text, n, &(smr_dict_entry){0}, &code));
    }
    *differ = seen.strings.n == s->r->n_fields;
out:
    smr_dict_release(&seen);
    return st;
}

static smr_status detect_header(struct sniffer *s)
{
    smr_status st = SMR_OK;
    csv *r = s->r;
    bool all_words, contrast, news, differ = true;
    r->has_header = r->opts.header > 0;
    if (r->opts.header >= 0) return SMR_OK;
    TRY(look_at_head(s, &all_words, &contrast, &news));
    if (!contrast) TRY(names_differ(s, &differ));
    r->has_header = all_words && (contrast || (news && differ));
out:
    return st;
}

/* ---- columns ------------------------------------------------------------------------------ */

static smr_status name_column(struct sniffer *s, int64_t j, int64_t line)
{
    csv *r = s->r;
    const char *text = "";
    int64_t n = 0, bad;
    char position[24];
    if (r->has_header) {
        smr_status st = head_text(s, j, &text, &n);
        if (st != SMR_OK) return st;
        if (!smr_is_utf8(text, n, &bad))
            return smr_fail(r->ctx, SMR_ERR_FORMAT,
                            "%s:%" PRId64 ": the name of column %" PRId64
                            " is not UTF-8 (byte 0x%02x in '%s'); convert the file, for example "
                            "with iconv -f latin1 -t utf-8",
                            r->name, line, j, (unsigned)(uint8_t)text[bad],
                            smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
    }
    if (n == 0) {
        n = snprintf(position, sizeof position, "%" PRId64, j);
        text = position;
    }
    r->columns[j].name = smr_strndup(r->ctx, text, (size_t)n);
    return r->columns[j].name ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status make_columns(struct sniffer *s)
{
    smr_status st = SMR_OK;
    csv *r = s->r;
    smr_ctx *ctx = r->ctx;
    int64_t line = 1 + smr_csv_lines(&r->syntax, s->text, s->head_at);
    if (r->n_fields > SMR_MAX_DIM)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: has %" PRId64 " columns; at most %d are read",
                     r->name, r->n_fields, SMR_MAX_DIM));
    TRY_NEW(r->columns, r->n_fields);
    for (int64_t j = 0; j < r->n_fields; j++) {
        TRY(name_column(s, j, line));
        if (!r->has_header) { /* the first row is part of the sample */
            const char *text;
            int64_t n;
            TRY(head_text(s, j, &text, &n));
            tally(s, j, text, n);
        }
        r->columns[j].kind = smr_tally_guess(&s->body[j]);
    }
    smr_csv_choose_decimals(r, s->body, s->points);
    r->data_begin = s->at + (r->has_header ? s->body_at : s->head_at);
    r->data_line = line;
    if (r->has_header)
        r->data_line += smr_csv_lines(&r->syntax, s->text + s->head_at, s->body_at - s->head_at);
out:
    return st;
}

static void release_sniffer(struct sniffer *s)
{
    smr_free(s->text);
    smr_free(s->begin);
    smr_free(s->end);
    smr_free(s->head_begin);
    smr_free(s->head_end);
    smr_free(s->body);
    smr_free(s->points);
    smr_free(s->again);
    smr_free(s->scratch);
    smr_free(s->head_scratch);
}

/* A name that ends in .tsv or .tab, perhaps packed, promises tabs. */
static bool is_named_tsv(const char *name)
{
    int64_t n = name ? (int64_t)strlen(name) - smr_packed_ending(name) : 0;
    return n > 4 && (memcmp(name + n - 4, ".tsv", 4) == 0 || memcmp(name + n - 4, ".tab", 4) == 0);
}

smr_status smr_csv_sniff(csv *r, bool quotes)
{
    smr_status st = SMR_OK;
    struct sniffer s = {.r = r};
    if (r->size == 0) TRY(fail_empty(&s));
    TRY(read_prefix(&s, PREFIX_BYTES));
    TRY(refuse_binary(&s));
    if (s.n >= 3 && !memcmp(s.text, "\xef\xbb\xbf", 3)) {
        s.at = 3;
        TRY(read_prefix(&s, PREFIX_BYTES));
    }
    char newline = sniff_newline(&s, &r->is_crlf), delimiter = r->opts.delimiter;
    r->syntax.newline = newline;
    if (!delimiter) delimiter = is_named_tsv(r->name) ? '\t' : sniff_delimiter(&s, quotes);
    smr_csv_syntax_init(&r->syntax, delimiter, newline, quotes);
    TRY(find_first_row(&s));
    TRY(take_sample(&s));
    TRY(detect_header(&s));
    TRY(make_columns(&s));
out:
    release_sniffer(&s);
    return st;
}
