/* well_formed.h -- an independent look at written XML: tags balanced, attributes quoted and not
 * repeated, references known, only characters that XML 1.0 allows.  With `html`, elements that
 * HTML never closes are taken as they are.  Returns NULL, or what is wrong. */
#ifndef SMR_TESTS_WELL_FORMED_H
#define SMR_TESTS_WELL_FORMED_H

#include "core/text.h"

#include <string.h>

enum { WF_DEPTH = 200, WF_NAME = 40 };

static inline const char *wf_text(const char *p, const char *end)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    while (p < end) {
        int n = smr_utf8_step(p, end);
        unsigned char c = (unsigned char)*p;
        if (n == 0) return "broken UTF-8";
        if (c < 32 && c != '\n' && c != '\t') return "a control character";
        if (n == 3 && memcmp(p, "\xEF\xBF", 2) == 0 && (unsigned char)p[2] >= 0xBE)
            return "U+FFFE or U+FFFF";
        if (c == '<') return "a bare <";
        if (c == '&') {
            bool good = false;
            for (int k = 0; k < 4; k++) {
                size_t m = strlen(known[k]);
                good |= (size_t)(end - p) >= m && memcmp(p, known[k], m) == 0;
            }
            if (!good) return "an unknown reference";
        }
        p += n;
    }
    return NULL;
}

/* The inside of a tag after its name. */
static inline const char *wf_attributes(const char *p, const char *end)
{
    char seen[20][WF_NAME];
    int n_seen = 0;
    while (p < end) {
        while (p < end && (*p == ' ' || *p == '\n')) p++;
        if (p == end) return NULL;
        const char *name = p;
        while (p < end && *p != '=' && *p != ' ') p++;
        size_t n = (size_t)(p - name);
        if (p + 1 >= end || p[0] != '=' || p[1] != '"') return "an attribute without quotes";
        const char *value = p + 2, *close = memchr(value, '"', (size_t)(end - value));
        if (!close) return "an attribute without an end";
        if (wf_text(value, close)) return "a bad attribute";
        if (n == 0 || n >= WF_NAME || n_seen == 20) return "a bad attribute's name";
        for (int k = 0; k < n_seen; k++)
            if (strlen(seen[k]) == n && memcmp(seen[k], name, n) == 0) return "an attribute twice";
        memcpy(seen[n_seen], name, n);
        seen[n_seen++][n] = '\0';
        p = close + 1;
    }
    return NULL;
}

static inline bool wf_is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "!DOCTYPE") == 0 || name[0] == '?';
}

static inline const char *wf_check(const char *text, int64_t length, bool html)
{
    char open[WF_DEPTH][WF_NAME];
    int depth = 0;
    const char *p = text, *end = text + length;
    while (p < end) {
        const char *tag = memchr(p, '<', (size_t)(end - p));
        if (!tag) tag = end;
        bool style = depth > 0 && strcmp(open[depth - 1], "style") == 0;
        if (!style && wf_text(p, tag)) return wf_text(p, tag);
        if (tag == end) break;
        const char *close = memchr(tag, '>', (size_t)(end - tag));
        if (!close) return "a tag without an end";
        const char *name = tag + 1 + (tag[1] == '/');
        size_t n = 0;
        while (name + n < close && !strchr(" \n/", name[n])) n++;
        if (n == 0 || n >= WF_NAME) return "a tag without a name";
        char word[WF_NAME] = "";
        memcpy(word, name, n);
        bool alone = close[-1] == '/' || (html && wf_is_void(word)) || word[0] == '?';
        if (tag[1] == '/') {
            if (depth == 0 || strcmp(open[depth - 1], word) != 0) return "a tag closed too much";
            depth--;
        } else if (word[0] != '?' && word[0] != '!') {
            const char *wrong = wf_attributes(name + n, close - (close[-1] == '/'));
            if (wrong) return wrong;
            if (!alone && depth == WF_DEPTH) return "too deep";
            if (!alone) memcpy(open[depth++], word, sizeof word);
        }
        p = close + 1;
    }
    return depth ? "a tag left open" : NULL;
}

#endif
