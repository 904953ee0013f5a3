/* text.h -- growing text, number formats without a locale, and nearest names.
 *
 * An smr_text never fails at the call: when memory runs out it stops growing and remembers, and the
 * caller asks once, at the end (smr_text_done). */
#ifndef SMR_CORE_TEXT_H
#define SMR_CORE_TEXT_H

#include "core/ctx.h"

typedef struct smr_text {
    smr_ctx *ctx;
    char *bytes; /* NUL-terminated once anything was added; NULL before */
    int64_t length, room;
    bool failed;
    int64_t width; /* columns of the screen it is laid out for; 0: as many as it takes */
    bool styled;   /* that screen can show bold letters */
} smr_text;

/* The empty text {.ctx = ctx} needs no release until something is added. */
void smr_text_release(smr_text *text);
void smr_text_add(smr_text *text, const char *string);
void smr_text_add_bytes(smr_text *text, const char *bytes, int64_t length);
/* printf, but without %f, %g and their kin, which follow the locale.  Use smr_text_number. */
void smr_text_printf(smr_text *text, const char *format, ...) SMR_PRINTF(2, 3);
/* The shortest decimal that reads back as x; "nan", "inf", "-inf". */
void smr_text_number(smr_text *text, double x);
/* x with `digits` significant digits, trailing zeros dropped, for people. */
void smr_text_rounded(smr_text *text, double x, int digits);
/* "1 row", "12 rows", "2 classes", "3 categories". */
void smr_text_count(smr_text *text, int64_t n, const char *noun);
/* Columns a UTF-8 text takes on a terminal (combining marks aside). */
int64_t smr_text_width(const char *text, int64_t length);
/* Words with line breaks before column `width` (0: none), from column `at` of the line that is
 * under way; further lines begin at `indent`.  A word that is wider than a line stays whole. */
void smr_text_wrap(smr_text *text, const char *words, int64_t at, int64_t indent, int64_t width);
/* SMR_OK, or SMR_ERR_NOMEM when some addition did not fit. */
smr_status smr_text_done(const smr_text *text);

/* What a count of n makes of a word: "%lld row%s", smr_plural(n, "", "s"). */
static inline const char *smr_plural(int64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}
/* "a tree", "an adaboost": the article before a word that is read as it is written. */
const char *smr_article(const char *word);

/* Bytes of the UTF-8 character at p (1..4), or 0 when there is none: end reached, stray or missing
 * continuation, overlong form, surrogate, or past U+10FFFF. */
int smr_utf8_step(const char *p, const char *end);

/* Index of the name nearest to `word` (edit distance with swaps, case ignored), or -1 when none is
 * near enough to be worth suggesting. */
int64_t smr_nearest(const char *word, const char *const *names, int64_t n);

#endif
