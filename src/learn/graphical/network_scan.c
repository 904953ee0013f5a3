/* network_scan.c -- words, signs and numbers of network files. */
#include "learn/graphical/network_scan.h"

#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = 256 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool smr_scan_is_bare(char c)
{
    return c != '\0' && !is_blank(c) && c != '\n' && !strchr(",:;|(){}[]=#\"*", c);
}

/* BIF has fewer signs: levels there are called >=7.5 or 10:20. */
static bool is_of_name(const smr_net_scan *s, char c)
{
    return smr_scan_is_bare(c) || (s->bif && c != '\0' && strchr("=:#*", c));
}

static void skip_line(smr_net_scan *s)
{
    while (s->p < s->end && *s->p != '\n') s->p++;
}

static bool skip_comment(smr_net_scan *s)
{
    if (!s->bif) {
        if (s->p < s->end && *s->p == '#') skip_line(s);
        return false;
    }
    if (s->end - s->p < 2 || s->p[0] != '/') return false;
    if (s->p[1] == '/') {
        skip_line(s);
        return true;
    }
    if (s->p[1] != '*') return false;
    for (s->p += 2; s->p < s->end; s->p++) {
        s->line += *s->p == '\n';
        if (*s->p == '*' && s->end - s->p > 1 && s->p[1] == '/') {
            s->p += 2;
            return true;
        }
    }
    return true;
}

void smr_scan_blanks(smr_net_scan *s)
{
    do {
        while (s->p < s->end && (is_blank(*s->p) || (s->bif && *s->p == '\n'))) {
            s->line += *s->p == '\n';
            s->p++;
        }
    } while (skip_comment(s));
}

bool smr_scan_line(smr_net_scan *s)
{
    for (;;) {
        smr_scan_blanks(s);
        if (s->p == s->end) return false;
        if (*s->p != '\n') return true;
        s->p++;
        s->line++;
    }
}

bool smr_scan_at_end(smr_net_scan *s)
{
    smr_scan_blanks(s);
    return s->p == s->end || *s->p == '\n';
}

bool smr_scan_sign(smr_net_scan *s, char sign)
{
    smr_scan_blanks(s);
    if (s->p == s->end || *s->p != sign) return false;
    s->p++;
    return true;
}

smr_status smr_scan_fail(smr_ctx *ctx, smr_net_scan *s, const char *what)
{
    smr_scan_blanks(s);
    int64_t n = 0;
    if (!s->source && s->p == s->end)
        return smr_fail(ctx, SMR_ERR_PARAM, "expected %s, and nothing follows", what);
    if (!s->source) return smr_fail(ctx, SMR_ERR_PARAM, "expected %s, found '%.40s'", what, s->p);
    while (s->p + n < s->end && n < 40 && s->p[n] != '\n') n++;
    if (s->p == s->end)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: expected %s, found the end of the file",
                        s->source, (long long)s->line, what);
    if (n == 0)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: expected %s, found the end of the line",
                        s->source, (long long)s->line, what);
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: expected %s, found '%.*s'", s->source,
                    (long long)s->line, what, (int)n, s->p);
}

static smr_status scan_quoted(smr_ctx *ctx, smr_net_scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '\n'; s->p++) {
        if (*s->p == '"') {
            s->p++;
            return smr_text_done(&s->word);
        }
        if (*s->p == '\\' && s->end - s->p > 1 && (s->p[1] == '"' || s->p[1] == '\\')) s->p++;
        smr_text_add_bytes(&s->word, s->p, 1);
    }
    if (!s->source) return smr_fail(ctx, SMR_ERR_PARAM, "a quote is not closed");
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: a quote is not closed", s->source,
                    (long long)s->line);
}

smr_status smr_scan_name(smr_ctx *ctx, smr_net_scan *s, const char *what)
{
    smr_status st = SMR_OK;
    smr_scan_blanks(s);
    s->word.length = 0;
    if (s->p < s->end && *s->p == '"')
        TRY(scan_quoted(ctx, s));
    else
        while (s->p < s->end && is_of_name(s, *s->p)) smr_text_add_bytes(&s->word, s->p++, 1);
    TRY(smr_text_done(&s->word));
    if (s->word.length == 0) TRY(smr_scan_fail(ctx, s, what));
    const char *end = s->word.bytes + s->word.length;
    for (const char *p = s->word.bytes; p < end;) {
        int step = *p ? smr_utf8_step(p, end) : 0;
        if (step == 0)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: a name is not UTF-8 text",
                         s->source ? s->source : "query", (long long)s->line));
        p += step;
    }
out:
    return st;
}

smr_status smr_scan_number(smr_ctx *ctx, smr_net_scan *s, double *value)
{
    double below;
    smr_scan_blanks(s);
    const char *next = smr_parse_double(s->p, s->end, value);
    if (!next || !isfinite(*value)) return smr_scan_fail(ctx, s, "a probability");
    s->p = next;
    if (s->p < s->end && *s->p == '/' && !(s->bif && s->end - s->p > 1 && s->p[1] == '/')) {
        next = smr_parse_double(s->p + 1, s->end, &below);
        if (!next || !isfinite(below) || below == 0)
            return smr_scan_fail(ctx, s, "a fraction such as 1/3");
        s->p = next;
        *value /= below;
    }
    return SMR_OK;
}

static void say_where(const smr_net_scan *s, char out[WHERE])
{
    snprintf(out, WHERE, "%.200s:%lld", s->source, (long long)s->line);
}

smr_status smr_scan_variable(smr_ctx *ctx, smr_net_scan *s, const smr_network *net, int64_t *node)
{
    smr_status st = SMR_OK;
    char where[WHERE];
    TRY(smr_scan_name(ctx, s, "the name of a variable"));
    say_where(s, where);
    TRY(smr_net_find(ctx, net, s->source ? where : NULL, s->word.bytes, s->word.length, node));
out:
    return st;
}

smr_status smr_scan_level(smr_ctx *ctx, smr_net_scan *s, const smr_network *net, int64_t node,
                          int64_t *level)
{
    smr_status st = SMR_OK;
    char where[WHERE];
    TRY(smr_scan_name(ctx, s, "a level"));
    say_where(s, where);
    TRY(smr_net_find_level(ctx, net, node, s->source ? where : NULL, s->word.bytes, s->word.length,
                           level));
out:
    return st;
}

smr_status smr_scan_row(smr_ctx *ctx, smr_net_scan *s, int64_t levels, double *p)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < levels; k++) {
        if (k && !smr_scan_sign(s, ',') && !s->bif)
            TRY(smr_scan_fail(ctx, s, "a comma and the next probability"));
        TRY(smr_scan_number(ctx, s, &p[k]));
    }
out:
    return st;
}
