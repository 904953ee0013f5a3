/* draw_text.h -- text of drawings and pages: escaped for XML, measured without a font, shortened,
 * broken into lines. */
#ifndef SMR_REPORT_DRAW_TEXT_H
#define SMR_REPORT_DRAW_TEXT_H

#include "core/json.h"

/* A piece of UTF-8, borrowed; it may hold anything, even NULs and bytes that are not UTF-8. */
typedef struct smr_words {
    const char *at;
    int64_t n;
} smr_words;

smr_words smr_words_of(const char *text);
/* The string of a JSON value; nothing for any other value, and for NULL. */
smr_words smr_words_json(const smr_json *value);

/* Appends it so that an XML or HTML reader finds the same text, in an element or an attribute.
 * What XML cannot hold (control characters, U+FFFE, broken UTF-8) becomes U+FFFD. */
void smr_xml_add(smr_text *out, smr_words words);
void smr_xml_string(smr_text *out, const char *text);

/* The most that the text can be wide, in units of the font's size, in the common sans-serif fonts
 * (narrower ones leave some room); bold text is about 1.12 times as wide. */
double smr_words_width(smr_words words);

/* The longest beginning that is no wider than `width` together with an ellipsis; all of it where
 * it fits.  *cut says whether an ellipsis must follow. */
smr_words smr_words_fit(smr_words words, double width, bool *cut);

/* The next line of at most `width`, broken at a blank where one is there; `rest` moves on. */
smr_words smr_words_line(smr_words *rest, double width);

#endif
