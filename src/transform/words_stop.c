/* words_stop.c -- words that are left out: see words.h. */
#include "core/text.h"
#include "transform/words.h"

#include <string.h>

/* Articles, pronouns, prepositions, conjunctions and auxiliaries: words that say little about the
 * subject of a text.  No negations: "not good" is not "good". */
static const char english[] =
    "a about above after again all also am an and any are as at be because been before being below "
    "between both but by can could did do does doing down during each few for from further had has "
    "have having he her here hers herself him himself his how i if in into is it it's its itself "
    "just me more most my myself of off on once only or other our ours ourselves out over own same "
    "she should so some such than that that's the their theirs them themselves then there these "
    "they this those through to too under until up very was we were what when where which while "
    "who whom why will with would you your yours yourself yourselves";

static bool separates(char c)
{
    return c == ' ' || c == ',' || c == ';' || c == '\t' || c == '\n';
}

/* Lower-cases in place; a small letter of another length leaves the character as it is. */
static void lower_in_place(char *text)
{
    char *end = text + strlen(text);
    for (char *p = text; p < end;) {
        int length = smr_utf8_step(p, end);
        char small[4];
        int n = length ? smr_utf8_write(smr_letter_lower(smr_utf8_code(p, length)), small) : 0;
        if (length && n == length) memcpy(p, small, (size_t)n);
        p += SMR_MAX(length, 1);
    }
}

static void sort_strings(const char **words, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const char *w = words[i];
        int64_t j = i;
        for (; j > 0 && strcmp(words[j - 1], w) > 0; j--) words[j] = words[j - 1];
        words[j] = w;
    }
}

smr_status smr_words_stop(smr_ctx *ctx, const struct smr_words_params *p, char **bytes,
                          const char ***words, int64_t *n)
{
    smr_status st = SMR_OK;
    const char *given = strcmp(p->stop, "english") == 0 ? english : p->stop;
    *n = 0;
    if (!*given) return SMR_OK;
    *bytes = smr_strdup(ctx, given);
    if (!*bytes) return SMR_ERR_NOMEM;
    if (p->lower) lower_in_place(*bytes);
    TRY_NEW(*words, (int64_t)strlen(given) / 2 + 1);
    for (char *at = *bytes; *at;) {
        while (separates(*at)) *at++ = '\0';
        if (!*at) break;
        (*words)[(*n)++] = at;
        while (*at && !separates(*at)) at++;
    }
    sort_strings(*words, *n);
out:
    return st;
}
