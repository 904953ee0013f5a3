/* tokens.c -- see tokens.h. */
#include "transform/tokens.h"

#include "core/text.h"

#include <string.h>

enum { TYPOGRAPHIC_APOSTROPHE = 0x2019 };

void smr_token_rule_fill(smr_token_rule *rule)
{
    smr_letters_fill(&rule->letters, rule->lower);
    for (uint32_t b = 0; b < 256; b++) {
        bool word = b < 0x80 && rule->letters.class[b] == SMR_LETTER_WORD;
        rule->fold[b] = b >= 0x80   ? SMR_FOLD_FOREIGN
                        : word      ? (uint8_t)rule->letters.lower[b]
                        : b == '\'' ? SMR_FOLD_APOSTROPHE
                                    : SMR_FOLD_SEPARATOR;
    }
}

static smr_letter class_of(const smr_token_rule *rule, uint32_t code)
{
    return code < SMR_LETTERS_NEAR ? (smr_letter)rule->letters.class[code] : smr_letter_class(code);
}

static uint32_t lower_of(const smr_token_rule *rule, uint32_t code)
{
    if (code < SMR_LETTERS_NEAR) return rule->letters.lower[code];
    return rule->lower ? smr_letter_lower(code) : code;
}

/* ---- one word ----------------------------------------------------------------------------- */

/* A word in the making. */
struct word {
    char *bytes;
    int32_t n;          /* bytes                        */
    int32_t characters; /* without marks                */
    bool full;          /* the rest of it does not count */
};

static inline void put_byte(struct word *w, char c)
{
    w->characters++;
    if (w->n == SMR_TOKEN_MAX) w->full = true;
    if (!w->full) w->bytes[w->n++] = c;
}

static void put_character(struct word *w, uint32_t code)
{
    char bytes[4];
    int length = smr_utf8_write(code, bytes);
    if (w->n + length > SMR_TOKEN_MAX) w->full = true;
    if (w->full) return;
    memcpy(w->bytes + w->n, bytes, (size_t)length);
    w->n += length;
}

/* Is there a letter or digit? */
static bool is_letter_at(const smr_token_rule *rule, const char *p, const char *end)
{
    if (p >= end) return false;
    uint8_t f = rule->fold[(unsigned char)*p];
    if (f != SMR_FOLD_FOREIGN) return f > SMR_FOLD_FOREIGN;
    int length = smr_utf8_step(p, end);
    return length && class_of(rule, smr_utf8_code(p, length)) == SMR_LETTER_WORD;
}

/* What the character that is not ASCII at *at does: true if the word goes on after it. */
static bool take_foreign(const smr_tokens *t, const char **at, struct word *w)
{
    const smr_token_rule *rule = t->rule;
    int length = smr_utf8_step(*at, t->end);
    uint32_t code = length ? smr_utf8_code(*at, length) : 0;
    smr_letter class = length ? class_of(rule, code) : SMR_LETTER_NONE;
    bool inside = w->characters > 0;
    if (code == TYPOGRAPHIC_APOSTROPHE && inside && is_letter_at(rule, *at + length, t->end)) {
        put_byte(w, '\'');
        *at += length;
        return true;
    }
    if (class == SMR_LETTER_ALONE && inside) return false; /* the next word begins here */
    *at += SMR_MAX(length, 1);
    if (class == SMR_LETTER_NONE) return !inside;
    if (class == SMR_LETTER_MARK && !inside) return true;
    w->characters += class != SMR_LETTER_MARK;
    put_character(w, class == SMR_LETTER_MARK ? code : lower_of(rule, code));
    return class != SMR_LETTER_ALONE;
}

/* The next word, of any length, at w->bytes; false at the end. */
static bool cut_word(smr_tokens *t, struct word *w)
{
    const char *p = t->at, *end = t->end;
    const uint8_t *fold = t->rule->fold;
    while (p < end) {
        uint8_t f = fold[(unsigned char)*p];
        if (f > SMR_FOLD_FOREIGN) {
            put_byte(w, (char)f);
            p++;
        } else if (f == SMR_FOLD_FOREIGN) {
            if (!take_foreign(t, &p, w)) break;
        } else if (w->characters == 0) {
            p++;
        } else if (f == SMR_FOLD_APOSTROPHE && is_letter_at(t->rule, p + 1, end)) {
            put_byte(w, '\'');
            p++;
        } else {
            break;
        }
    }
    t->at = p;
    return w->characters > 0;
}

static bool is_stopped(const smr_token_rule *rule, const struct word *w)
{
    int64_t lo = 0, hi = rule->n_stop;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        int order = strncmp(rule->stop[mid], w->bytes, (size_t)w->n);
        if (order == 0) order = rule->stop[mid][w->n] != '\0';
        if (order == 0) return true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

/* ---- one character ------------------------------------------------------------------------ */

static bool is_white(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

/* Moves past white space and bytes that are not UTF-8; true if there was any. */
static bool skip_white(smr_tokens *t)
{
    const char *begin = t->at;
    while (t->at < t->end) {
        int length = smr_utf8_step(t->at, t->end);
        if (length && !is_white(smr_utf8_code(t->at, length))) break;
        t->at += SMR_MAX(length, 1);
    }
    return t->at > begin;
}

static bool cut_character(smr_tokens *t, struct word *w)
{
    if (skip_white(t) && t->begun && t->at < t->end) {
        put_byte(w, ' ');
        return true;
    }
    if (t->at >= t->end) return false;
    int length = smr_utf8_step(t->at, t->end);
    put_character(w, lower_of(t->rule, smr_utf8_code(t->at, length)));
    t->at += length;
    t->begun = true;
    return true;
}

/* ---- n-grams ------------------------------------------------------------------------------ */

void smr_tokens_begin(smr_tokens *t, const smr_token_rule *rule, const char *text, int64_t length)
{
    t->rule = rule;
    t->at = text;
    t->end = text + length;
    t->used = 0;
    t->n_last = 0;
    t->begun = false;
    t->next = INT32_MAX;
}

/* Room for one more token; those before it that its n-grams need move to the front. */
static void make_room(smr_tokens *t)
{
    int32_t keep = (int32_t)SMR_MIN(t->n_last, t->rule->max_n - 1), gone = t->n_last - keep;
    for (int32_t i = 0; i < keep; i++) t->start[i] = t->start[i + gone];
    t->n_last = keep;
    if (keep == 0) t->used = 0;
    if (t->used + SMR_TOKEN_MAX + 1 <= SMR_GRAM_ROOM) return;
    int32_t from = t->start[0];
    memmove(t->joined, t->joined + from, (size_t)(t->used - from));
    t->used -= from;
    for (int32_t i = 0; i < keep; i++) t->start[i] -= from;
}

static bool next_token(smr_tokens *t)
{
    const smr_token_rule *rule = t->rule;
    make_room(t);
    for (;;) {
        bool space = t->used > 0 && !rule->chars;
        struct word w = {.bytes = t->joined + t->used + space};
        bool some = rule->chars ? cut_character(t, &w) : cut_word(t, &w);
        if (!some) return false;
        if (!rule->chars && (w.characters < rule->min_length || is_stopped(rule, &w))) continue;
        if (space) t->joined[t->used] = ' ';
        t->start[t->n_last++] = t->used + space;
        t->used += space + w.n;
        return true;
    }
}

bool smr_tokens_next(smr_tokens *t, const char **gram, int32_t *length)
{
    while (t->next > SMR_MIN(t->n_last, t->rule->max_n)) {
        if (!next_token(t)) return false;
        t->next = (int32_t)t->rule->min_n;
    }
    int32_t from = t->start[t->n_last - t->next++];
    *gram = t->joined + from;
    *length = t->used - from;
    return true;
}
