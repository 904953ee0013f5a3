/* csv_split.c -- rows into fields, a byte at a time; the rules are those of
 * kernel/csv_kernels.h. */
#include "data/csv_private.h"

#include <string.h>

static uint8_t kind_at(const splitter *s, int64_t at)
{
    return s->syntax->kind[(uint8_t)s->text[at]];
}

static bool is_newline(const splitter *s, int64_t at)
{
    return s->text[at] == s->syntax->newline;
}

/* Moves to the next row that is not blank; false if there is none. */
static bool skip_blank_rows(splitter *s)
{
    for (int64_t at = s->at; at < s->n; at++) {
        if (is_newline(s, at))
            s->at = at + 1;
        else if (!(kind_at(s, at) & SMR_CSV_BLANK))
            return true;
    }
    return false;
}

/* The byte after a quoted field's closing quote, or -1. */
static int64_t skip_quoted(const splitter *s, int64_t at)
{
    while (at < s->n) {
        const char *quote = memchr(s->text + at, s->syntax->quote, (size_t)(s->n - at));
        if (!quote) return -1;
        at = quote - s->text + 1;
        if (at == s->n) return s->ends ? at : -1;
        if (s->text[at] != s->syntax->quote) return at;
        at++;
    }
    return -1;
}

/* One field from s->at; leaves s->at on the separator after it, or at the end. */
static bool split_field(splitter *s)
{
    int64_t at = s->at;
    while (at < s->n && kind_at(s, at) == SMR_CSV_BLANK) at++;
    if (at < s->n && s->syntax->quote && s->text[at] == s->syntax->quote) {
        at = skip_quoted(s, at + 1);
        if (at < 0) return false;
    }
    while (at < s->n && !(kind_at(s, at) & SMR_CSV_SEPARATOR)) at++;
    s->at = at;
    return at < s->n || s->ends;
}

static void skip_blanks(splitter *s)
{
    while (s->at < s->n && (kind_at(s, s->at) & SMR_CSV_BLANK) && !is_newline(s, s->at)) s->at++;
}

split smr_csv_split(splitter *s, uint32_t *begin, uint32_t *end, int64_t most, int64_t *n_fields,
                    int64_t *row_at)
{
    *n_fields = 0;
    if (!skip_blank_rows(s)) return s->ends || s->at == s->n ? SPLIT_END : SPLIT_UNFINISHED;
    *row_at = s->at;
    for (;;) {
        if (s->syntax->by_blanks) {
            skip_blanks(s);
            if (s->at == s->n || is_newline(s, s->at)) break;
        }
        int64_t from = s->at;
        if (!split_field(s)) {
            s->at = *row_at;
            return SPLIT_UNFINISHED;
        }
        if (*n_fields < most) {
            begin[*n_fields] = (uint32_t)from;
            end[*n_fields] = (uint32_t)s->at;
        }
        ++*n_fields;
        if (s->at == s->n || is_newline(s, s->at)) break;
        if (!s->syntax->by_blanks) s->at++;
    }
    if (s->at == s->n && !s->ends) {
        s->at = *row_at;
        return SPLIT_UNFINISHED;
    }
    if (s->at < s->n) s->at++;
    return SPLIT_ROW;
}

/* Copies without the second of two quotes; returns the length. */
static int64_t undouble(const char *text, int64_t n, char quote, char *out)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        out[k++] = text[i];
        if (text[i] == quote && i + 1 < n && text[i + 1] == quote) i++;
    }
    return k;
}

smr_status smr_csv_text(smr_ctx *ctx, const smr_csv_syntax *x, const char *raw, int64_t n,
                        char **scratch, int64_t *scratch_room, const char **text, int64_t *length)
{
    while (n > 0 && (x->kind[(uint8_t)*raw] & SMR_CSV_BLANK)) raw++, n--;
    while (n > 0 && (x->kind[(uint8_t)raw[n - 1]] & SMR_CSV_BLANK)) n--;
    if (n >= 2 && x->quote && raw[0] == x->quote && raw[n - 1] == x->quote) {
        raw++;
        n -= 2;
        if (n > 0 && memchr(raw, x->quote, (size_t)n)) {
            if (n > *scratch_room) {
                char *grown = smr_realloc(ctx, *scratch, 2 * n, 1);
                if (!grown) return SMR_ERR_NOMEM;
                *scratch = grown;
                *scratch_room = 2 * n;
            }
            n = undouble(raw, n, x->quote, *scratch);
            raw = *scratch;
        }
    }
    *text = raw;
    *length = n;
    return SMR_OK;
}

int64_t smr_csv_lines(const smr_csv_syntax *x, const char *text, int64_t n)
{
    int64_t lines = 0;
    for (int64_t i = 0; i < n; i++) lines += text[i] == x->newline;
    return lines;
}
