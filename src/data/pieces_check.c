/* pieces_check.c -- which rows of a CSV piece are bad: a byte at a time, only where the fast way
 * has met something. */
#include "data/pieces_private.h"

#include <string.h>

struct sieve {
    smr_ctx *ctx;
    csv *r;
    uint32_t *begin, *end;
    char *scratch;
    int64_t scratch_room;
};

static smr_status take(struct sieve *s, const char *text, int64_t j, const char **field, int64_t *n)
{
    return smr_csv_text(s->ctx, &s->r->syntax, text + s->begin[j], (int64_t)s->end[j] - s->begin[j],
                        &s->scratch, &s->scratch_room, field, n);
}

static smr_status check_field(struct sieve *s, const char *text, int64_t j, bool *good)
{
    const column *c = &s->r->columns[j];
    const char *field;
    int64_t n, bad;
    double value;
    bool has_time;
    smr_status st = take(s, text, j, &field, &n);
    if (st != SMR_OK) return st;
    if (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT) { /* a text may hold any bytes */
        *good = c->kind == SMR_TEXT || smr_is_utf8(field, n, &bad);
        return SMR_OK;
    }
    smr_field is = smr_field_read(&s->r->marks, c->decimal, field, n, &value, &has_time);
    *good = is == SMR_FIELD_MISSING || is == SMR_FIELD_DASH ||
            is == (c->kind == SMR_NUMBER ? SMR_FIELD_NUMBER : SMR_FIELD_DATE);
    return SMR_OK;
}

/* A row of n bytes, whose fields were split: do they conform? */
static smr_status check_row(struct sieve *s, const char *text, int64_t at, int64_t n,
                            int64_t fields, bool *good)
{
    smr_status st = SMR_OK;
    csv *r = s->r;
    smr_csv_count c = {.start = SMR_CSV_AT_FIELD};
    r->kernels->count(&r->syntax, text + at, n, &c);
    *good = fields == r->n_fields && c.nul_at < 0 && c.stray_at < 0;
    for (int64_t j = 0; *good && j < r->n_fields; j++)
        if (r->columns[j].wanted && r->columns[j].forced) TRY(check_field(s, text, j, good));
out:
    return st;
}

/* The row at s->at ends with its first line, whatever its quotes say. */
static void skip_line(splitter *at, int64_t row_at)
{
    const char *newline = memchr(at->text + row_at, at->syntax->newline, (size_t)(at->n - row_at));
    at->at = newline ? newline - at->text + 1 : at->n;
}

smr_status smr_csv_sift(smr_ctx *ctx, smr_pieces *p, int64_t from, int64_t n, int64_t line,
                        csv_good *out)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    char *text = p->text + from;
    struct sieve s = {.ctx = ctx, .r = r};
    splitter at = {.syntax = &r->syntax, .text = text, .n = n - from, .ends = true};
    int64_t row_at = 0, fields, counted = 0;
    *out = (csv_good){.bad_at = -1};
    TRY_NEW(s.begin, r->n_fields);
    TRY_NEW(s.end, r->n_fields);
    for (;;) {
        bool good = false;
        split got = smr_csv_split(&at, s.begin, s.end, r->n_fields, &fields, &row_at);
        if (got == SPLIT_END) break;
        if (got == SPLIT_ROW)
            TRY(check_row(&s, text, row_at, at.at - row_at, fields, &good));
        else
            skip_line(&at, at.at);
        line += smr_csv_lines(&r->syntax, text + counted, row_at - counted);
        counted = row_at;
        if (good) {
            line += smr_csv_lines(&r->syntax, text + row_at, at.at - row_at);
            counted = at.at;
            memmove(text + out->n, text + row_at, (size_t)(at.at - row_at));
            out->n += at.at - row_at;
            continue;
        }
        out->bad_line = line;
        if (p->opts.skip_bad) {
            smr_pieces_count_skipped(p, line);
            continue;
        }
        out->bad_at = from + row_at;
        out->bad_n = at.at - row_at;
        break;
    }
out:
    smr_free(s.begin);
    smr_free(s.end);
    smr_free(s.scratch);
    return st;
}

smr_status smr_csv_is_header(smr_ctx *ctx, smr_pieces *p, const char *row, int64_t n, bool *again,
                             bool *other)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    struct sieve s = {.ctx = ctx, .r = r};
    splitter at = {.syntax = &r->syntax, .text = row, .n = n, .ends = true};
    int64_t row_at = 0, fields;
    bool numbers = false, words = true;
    *again = *other = false;
    if (!r->has_header) return SMR_OK;
    TRY_NEW(s.begin, r->n_fields);
    TRY_NEW(s.end, r->n_fields);
    split got = smr_csv_split(&at, s.begin, s.end, r->n_fields, &fields, &row_at);
    if (got != SPLIT_ROW || fields != r->n_fields) goto out;
    *again = true;
    for (int64_t j = 0; j < r->n_fields; j++) {
        const char *field, *name = r->columns[j].name ? r->columns[j].name : "";
        int64_t length;
        double value;
        bool has_time;
        TRY(take(&s, row, j, &field, &length));
        *again = *again && length == (int64_t)strlen(name) &&
                 (length == 0 || !memcmp(field, name, (size_t)length));
        numbers |= r->columns[j].wanted && r->columns[j].kind == SMR_NUMBER;
        words = words && smr_field_read(&r->marks, SMR_DECIMAL_FIND, field, length, &value,
                                        &has_time) == SMR_FIELD_TEXT;
    }
    *other = !*again && numbers && words && r->n_fields > 1;
out:
    smr_free(s.begin);
    smr_free(s.end);
    smr_free(s.scratch);
    return st;
}
