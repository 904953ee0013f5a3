/* arff_header.c -- lines, tokens and declarations of ARFF files.
 *
 *     @relation 'weather today'              % a comment
 *     @attribute outlook {sunny, overcast, 'light rain'}
 *     @attribute temperature numeric         (also real, integer)
 *     @attribute note string
 *     @attribute taken date "yyyy-MM-dd HH:mm"
 *     @data
 *
 * Keywords are read in any case.  Reference: the ARFF pages of the Weka 3 manual. */
#include "data/arff.h"
#include "data/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FIRST_ROOM = 256 << 10 };

/* ---- lines ------------------------------------------------------------------------------ */

smr_status smr_arff_fail(smr_ctx *ctx, const smr_arff_lines *lines, const char *format, ...)
{
    char sentence[640];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": %s", smr_source_name(lines->source),
                    lines->number, sentence);
}

void smr_arff_lines_release(smr_arff_lines *l)
{
    smr_free(l->bytes);
    l->bytes = NULL;
}

/* Moves what is left to the front and reads on after it. */
static smr_status refill(smr_ctx *ctx, smr_arff_lines *l)
{
    int64_t got, left = l->to - l->from;
    if (left) memmove(l->bytes, l->bytes + l->from, (size_t)left);
    l->from = 0;
    l->to = left;
    if (left == l->room) {
        int64_t room = l->room ? 2 * l->room : FIRST_ROOM;
        char *bytes = smr_realloc(ctx, l->bytes, room + SMR_SCAN_PAD, 1);
        if (!bytes) return SMR_ERR_NOMEM;
        l->bytes = bytes;
        l->room = room;
    }
    smr_status st = smr_source_read(ctx, l->source, l->bytes + left, l->room - left, &got);
    if (st != SMR_OK) return st;
    l->to += got;
    l->ended = got == 0;
    memset(l->bytes + l->to, 0, SMR_SCAN_PAD);
    return SMR_OK;
}

smr_status smr_arff_next_line(smr_ctx *ctx, smr_arff_lines *l, const char **line, int64_t *length)
{
    smr_status st = SMR_OK;
    int64_t seen = 0;
    const char *newline = NULL;
    while (!newline) {
        int64_t left = l->to - l->from - seen;
        newline = left ? memchr(l->bytes + l->from + seen, '\n', (size_t)left) : NULL;
        if (newline || l->ended) break;
        seen = l->to - l->from;
        TRY(refill(ctx, l));
    }
    *line = l->from == l->to ? NULL : l->bytes + l->from;
    if (!*line) goto out;
    int64_t end = newline ? newline - l->bytes : l->to;
    *length = end - l->from;
    if (*length && (*line)[*length - 1] == '\r') --*length;
    l->from = newline ? end + 1 : end;
    l->number++;
out:
    return st;
}

/* ---- tokens ----------------------------------------------------------------------------- */

static void skip_blanks(smr_arff_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t')) s->p++;
}

bool smr_arff_at_end(smr_arff_scan *s)
{
    skip_blanks(s);
    return s->p == s->end || *s->p == '%';
}

bool smr_arff_accept(smr_arff_scan *s, char c)
{
    skip_blanks(s);
    if (s->p == s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static char unescaped(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    default: return c;
    }
}

static smr_status quoted_token(smr_ctx *ctx, smr_arff_scan *s)
{
    char quote = *s->p++;
    const char *run = s->p;
    while (s->p < s->end && *s->p != quote) {
        if (*s->p != '\\' || s->p + 1 == s->end) {
            s->p++;
            continue;
        }
        char c = unescaped(s->p[1]);
        smr_text_add_bytes(&s->token, run, s->p - run);
        smr_text_add_bytes(&s->token, &c, 1);
        s->p += 2;
        run = s->p;
    }
    if (s->p == s->end)
        return smr_arff_fail(ctx, s->lines, "a quote (%c) is opened and not closed", quote);
    smr_text_add_bytes(&s->token, run, s->p - run);
    s->p++;
    return smr_text_done(&s->token);
}

smr_status smr_arff_token(smr_ctx *ctx, smr_arff_scan *s)
{
    skip_blanks(s);
    s->token.ctx = ctx;
    s->token.length = 0;
    s->quoted = s->p < s->end && (*s->p == '\'' || *s->p == '"');
    if (s->quoted) return quoted_token(ctx, s);
    const char *from = s->p;
    while (s->p < s->end && *s->p && !strchr(" \t,{}%", *s->p)) s->p++;
    if (s->p < s->end && *s->p == '\0')
        return smr_arff_fail(ctx, s->lines, "a byte 0, which no text has");
    smr_text_add_bytes(&s->token, from, s->p - from);
    return smr_text_done(&s->token);
}

/* ---- declarations ----------------------------------------------------------------------- */

void smr_arff_header_release(smr_arff_header *h)
{
    for (int64_t j = 0; j < h->n; j++) {
        smr_arff_attribute *a = &h->attributes[j];
        smr_free(a->name);
        smr_free(a->date_format);
        smr_free(a->number);
        smr_free(a->code);
        smr_vocab_release(&a->dict);
    }
    smr_free(h->attributes);
    smr_free(h->relation);
    *h = (smr_arff_header){0};
}

static smr_status take_string(smr_ctx *ctx, smr_arff_scan *s, char **out)
{
    if (memchr(s->token.bytes, 0, (size_t)s->token.length))
        return smr_arff_fail(ctx, s->lines, "a name with a byte 0");
    smr_free(*out);
    *out = smr_strndup(ctx, s->token.bytes, (size_t)s->token.length);
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

/* {a, b, 'c d'}: the opening brace is taken. */
static smr_status read_values(smr_ctx *ctx, smr_arff_scan *s, smr_arff_attribute *a)
{
    smr_status st = SMR_OK;
    while (!smr_arff_accept(s, '}')) {
        int32_t code;
        if (smr_arff_at_end(s))
            TRY(smr_arff_fail(ctx, s->lines, "attribute '%.100s': the list of values has no '}'",
                              a->name));
        TRY(smr_arff_token(ctx, s));
        if (s->token.length == 0 && !s->quoted)
            TRY(smr_arff_fail(ctx, s->lines, "attribute '%.100s': an empty value in its list",
                              a->name));
        int64_t known = a->dict.strings.n;
        TRY(smr_vocab_add(ctx, &a->dict, s->token.bytes, s->token.length, &code));
        if (code < known)
            TRY(smr_arff_fail(ctx, s->lines, "attribute '%.100s' lists the value '%.60s' twice",
                              a->name, s->token.bytes));
        smr_arff_accept(s, ',');
    }
    if (a->dict.strings.n == 0)
        TRY(smr_arff_fail(ctx, s->lines, "attribute '%.100s' has an empty list of values",
                          a->name));
out:
    return st;
}

static smr_status read_date_format(smr_ctx *ctx, smr_arff_scan *s, smr_arff_attribute *a)
{
    smr_status st = SMR_OK;
    a->type = SMR_ARFF_DATE;
    if (smr_arff_at_end(s)) {
        a->date_format = smr_strdup(ctx, "yyyy-MM-dd'T'HH:mm:ss");
        return a->date_format ? SMR_OK : SMR_ERR_NOMEM;
    }
    TRY(smr_arff_token(ctx, s));
    TRY(take_string(ctx, s, &a->date_format));
    char letter = smr_arff_date_unknown(a->date_format);
    if (letter)
        TRY(smr_arff_fail(ctx, s->lines,
                          "attribute '%.100s': the letter '%c' of its date format is not known; "
                          "known are y M d H m s S",
                          a->name, letter));
out:
    return st;
}

static smr_status read_type(smr_ctx *ctx, smr_arff_scan *s, smr_arff_attribute *a)
{
    smr_status st = SMR_OK;
    if (smr_arff_accept(s, '{')) {
        a->type = SMR_ARFF_NOMINAL;
        return read_values(ctx, s, a);
    }
    TRY(smr_arff_token(ctx, s));
    const char *type = s->token.bytes;
    if (!strcasecmp(type, "numeric") || !strcasecmp(type, "real") || !strcasecmp(type, "integer"))
        a->type = SMR_ARFF_NUMERIC;
    else if (!strcasecmp(type, "string"))
        a->type = SMR_ARFF_STRING;
    else if (!strcasecmp(type, "date"))
        TRY(read_date_format(ctx, s, a));
    else
        TRY(smr_arff_fail(ctx, s->lines,
                          "attribute '%.100s' has the type '%.40s'; known are numeric, real, "
                          "integer, string, date and {a list of values}",
                          a->name, type));
out:
    return st;
}

static smr_status read_attribute(smr_ctx *ctx, smr_arff_scan *s, smr_arff_header *h)
{
    smr_status st = SMR_OK;
    if (h->n == h->room) {
        int64_t room = 2 * h->room + 16;
        smr_arff_attribute *grown = smr_realloc(ctx, h->attributes, room, sizeof *grown);
        if (!grown) return SMR_ERR_NOMEM;
        h->attributes = grown;
        h->room = room;
    }
    smr_arff_attribute *a = &h->attributes[h->n++];
    *a = (smr_arff_attribute){0};
    TRY(smr_arff_token(ctx, s));
    if (s->token.length == 0) TRY(smr_arff_fail(ctx, s->lines, "an @attribute without a name"));
    TRY(take_string(ctx, s, &a->name));
    TRY(read_type(ctx, s, a));
    if (!smr_arff_at_end(s)) {
        char shown[48];
        TRY(smr_arff_fail(ctx, s->lines, "attribute '%.100s': '%s' follows its type", a->name,
                          smr_scan_show(s->p, s->end, shown)));
    }
out:
    return st;
}

/* One declaration; *is_data when it was @data. */
static smr_status read_declaration(smr_ctx *ctx, smr_arff_scan *s, smr_arff_header *h,
                                   bool *is_data)
{
    smr_status st = SMR_OK;
    TRY(smr_arff_token(ctx, s));
    if (!strcasecmp(s->token.bytes, "@attribute")) {
        TRY(read_attribute(ctx, s, h));
    } else if (!strcasecmp(s->token.bytes, "@relation")) {
        TRY(smr_arff_token(ctx, s));
        TRY(take_string(ctx, s, &h->relation));
    } else if (!strcasecmp(s->token.bytes, "@data")) {
        *is_data = true;
    } else {
        char shown[48];
        TRY(smr_arff_fail(ctx, s->lines,
                          "'%s' is found where @relation, @attribute or @data is expected",
                          smr_scan_show(s->token.bytes, s->token.bytes + s->token.length, shown)));
    }
out:
    return st;
}

smr_status smr_arff_read_header(smr_ctx *ctx, smr_arff_lines *lines, smr_arff_header *h)
{
    smr_status st = SMR_OK;
    smr_arff_scan s = {.lines = lines, .token = {.ctx = ctx}};
    bool is_data = false;
    while (!is_data) {
        const char *line;
        int64_t length = 0;
        TRY(smr_arff_next_line(ctx, lines, &line, &length));
        if (!line)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: the ARFF file has no @data",
                         smr_source_name(lines->source)));
        if (lines->number == 1 && length >= 3 && !memcmp(line, "\xef\xbb\xbf", 3))
            line += 3, length -= 3; /* a byte order mark */
        s.p = line;
        s.end = line + length;
        if (!smr_arff_at_end(&s)) TRY(read_declaration(ctx, &s, h, &is_data));
    }
    if (h->n == 0) TRY(smr_arff_fail(ctx, lines, "@data comes before any @attribute"));
out:
    smr_text_release(&s.token);
    return st;
}
