/* text.c -- see text.h.
 *
 * Nearest names: the distance is the least number of insertions, deletions, replacements and swaps
 * of neighbouring letters (Damerau 1964, each letter edited once), cost |word| |name|.  A name is
 * worth suggesting when that is at most a third of the word (at least 2 for words of four letters,
 * 1 for two), or when one is the beginning of the other; among equals the first is taken. */
#include "core/text.h"

#include "core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- growing text ----------------------------------------------------------------------- */

enum { FIRST_ROOM = 64 };

void smr_text_release(smr_text *text)
{
    smr_free(text->bytes);
    *text = (smr_text){.ctx = text->ctx};
}

/* Makes room for `more` bytes and a NUL, at least doubling what is there. */
static bool make_room(smr_text *text, int64_t more)
{
    if (text->failed) return false;
    if (more < text->room - text->length) return true;
    int64_t room = INT64_MAX; /* refused by the allocator */
    if (more < INT64_MAX / 4 && text->room < INT64_MAX / 4)
        room = SMR_MAX(SMR_MAX(text->length + more + 1, 2 * text->room), FIRST_ROOM);
    char *bytes = smr_realloc(text->ctx, text->bytes, room, 1);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->room = room;
    return true;
}

void smr_text_add_bytes(smr_text *text, const char *bytes, int64_t length)
{
    if (!make_room(text, length)) return;
    if (length > 0) memcpy(text->bytes + text->length, bytes, (size_t)length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void smr_text_add(smr_text *text, const char *string)
{
    smr_text_add_bytes(text, string, (int64_t)strlen(string));
}

void smr_text_printf(smr_text *text, const char *format, ...)
{
    if (!make_room(text, 0)) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int64_t room = text->room - text->length;
    int length = vsnprintf(text->bytes + text->length, (size_t)room, format, args);
    va_end(args);
    if (length < 0) {
        text->failed = true;
        text->bytes[text->length] = '\0';
        smr_fail(text->ctx, SMR_ERR_INTERNAL, "the format '%s' cannot be printed", format);
    } else if (length < room) {
        text->length += length;
    } else if (make_room(text, length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += length;
    } else {
        text->bytes[text->length] = '\0'; /* no half sentence */
    }
    va_end(again);
}

void smr_text_number(smr_text *text, double x)
{
    char number[SMR_NUMBER_MAX];
    smr_text_add_bytes(text, number, smr_format_double(x, number));
}

void smr_text_rounded(smr_text *text, double x, int digits)
{
    char number[SMR_NUMBER_MAX];
    smr_text_add_bytes(text, number, smr_format_rounded(x, digits, number));
}

/* The plural of an English noun that is regular: -es after a hiss, -ies for -y after a
 * consonant. */
static void add_plural(smr_text *text, const char *noun)
{
    int64_t n = (int64_t)strlen(noun);
    char last = n > 0 ? noun[n - 1] : 'x', before = n > 1 ? noun[n - 2] : 'x';
    bool hisses = last == 's' || last == 'x' || (last == 'h' && (before == 'c' || before == 's'));
    bool ends_in_y = last == 'y' && !strchr("aeiou", before);
    smr_text_add_bytes(text, noun, ends_in_y ? n - 1 : n);
    smr_text_add(text, ends_in_y ? "ies" : hisses ? "es" : "s");
}

void smr_text_count(smr_text *text, int64_t n, const char *noun)
{
    smr_text_printf(text, "%lld ", (long long)n);
    if (n == 1)
        smr_text_add(text, noun);
    else
        add_plural(text, noun);
}

const char *smr_article(const char *word)
{
    bool is_spelled = !strpbrk(word, "aeiouy"); /* svm, knn: letter by letter */
    if (strncmp(word, "one", 3) == 0) return "a";
    return word[0] && strchr(is_spelled ? "fhlmnrsx" : "aeiou", word[0]) ? "an" : "a";
}

int64_t smr_text_width(const char *text, int64_t length)
{
    int64_t n = 0;
    for (int64_t i = 0; i < length; i++) n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

void smr_text_wrap(smr_text *text, const char *words, int64_t at, int64_t indent, int64_t width)
{
    bool first = true;
    while (*words) {
        const char *end = words;
        while (*end && *end != ' ') end++;
        int64_t n = smr_text_width(words, end - words);
        if (!first && width > 0 && at + 1 + n > width) {
            smr_text_printf(text, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            smr_text_add(text, " ");
            at++;
        }
        smr_text_add_bytes(text, words, end - words);
        at += n;
        first = false;
        words = *end ? end + 1 : end;
    }
}

smr_status smr_text_done(const smr_text *text)
{
    if (!text->failed) return SMR_OK;
    return text->ctx->status != SMR_OK ? text->ctx->status : SMR_ERR_NOMEM;
}

/* ---- UTF-8 ------------------------------------------------------------------------------ */

int smr_utf8_step(const char *p, const char *end)
{
    if (p >= end) return 0;
    const unsigned char *b = (const unsigned char *)p;
    if (b[0] < 0x80) return 1;
    int n = b[0] >= 0xC2 && b[0] <= 0xDF   ? 2
            : b[0] >= 0xE0 && b[0] <= 0xEF ? 3
            : b[0] >= 0xF0 && b[0] <= 0xF4 ? 4
                                           : 0;
    if (n == 0 || end - p < n) return 0;
    for (int i = 1; i < n; i++)
        if ((b[i] & 0xC0) != 0x80) return 0;
    /* The second byte rules out overlong forms, surrogates and what is past U+10FFFF. */
    if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F)) return 0;
    if ((b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F)) return 0;
    return n;
}

/* ---- nearest names ---------------------------------------------------------------------- */

enum { LONGEST = 64, FAR = 1000, PREFIX_SCORE = 2 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Letters that word and name share from the start, case ignored. */
static int common_start(const char *word, const char *name)
{
    int n = 0;
    while (word[n] && lower(word[n]) == lower(name[n])) n++;
    return n;
}

/* Edit distance between a word of na and a name of nb letters, by rows of the usual table:
 * d(i, j) for the first i letters of a and j of b; three rows are alive, for the swaps. */
static int distance(const char *a, int na, const char *b, int nb)
{
    int table[3][LONGEST + 1];
    for (int j = 0; j <= nb; j++) table[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *row = table[i % 3], *above = table[(i + 2) % 3], *two_above = table[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            int least = above[j - 1] + !same;
            least = SMR_MIN(least, above[j] + 1);
            least = SMR_MIN(least, row[j - 1] + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                least = SMR_MIN(least, two_above[j - 2] + 1);
            row[j] = least;
        }
    }
    return table[na % 3][nb];
}

/* Rank of a name for a word: FAR, or the score and then the distance. */
static int rank_of(const char *word, int na, const char *name)
{
    size_t length = strlen(name);
    if (length > LONGEST) return FAR * FAR;
    int nb = (int)length, d = distance(word, na, name, nb), common = common_start(word, name);
    int most = na < 2 ? 0 : na < 4 ? 1 : SMR_MAX(2, na / 3);
    int score = d <= most ? d : FAR;
    bool begins = common == na || (common == nb && nb >= 4);
    if (begins) score = SMR_MIN(score, common == na && na >= 4 ? 1 : PREFIX_SCORE);
    return score * FAR + d;
}

int64_t smr_nearest(const char *word, const char *const *names, int64_t n)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST) return -1;
    int64_t nearest = -1;
    int best = FAR * FAR;
    for (int64_t i = 0; i < n; i++) {
        int rank = rank_of(word, (int)length, names[i]);
        if (rank >= best) continue;
        best = rank;
        nearest = i;
    }
    return nearest;
}
