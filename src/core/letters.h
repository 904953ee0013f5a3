/* letters.h -- which characters of Unicode make words, and their lower-case forms.
 *
 * The tables are ranges, searched by halving; the characters below U+0800 (Latin, Greek, Cyrillic,
 * Hebrew, Arabic ...) are looked up directly once an smr_letters has been filled. */
#ifndef SMR_CORE_LETTERS_H
#define SMR_CORE_LETTERS_H

#include "core/ctx.h"

typedef enum smr_letter {
    SMR_LETTER_NONE = 0,  /* it separates words                                     */
    SMR_LETTER_WORD = 1,  /* a letter or a digit                                    */
    SMR_LETTER_ALONE = 2, /* a Han ideograph or Hiragana: a word of its own         */
    SMR_LETTER_MARK = 3   /* a combining mark or a joiner: continues a word         */
} smr_letter;

typedef struct smr_letter_range {
    uint32_t first, last;
    uint8_t class;
} smr_letter_range;

typedef struct smr_lower_range {
    uint32_t first, last;
    uint8_t step;
    int32_t distance;
} smr_lower_range;

extern const smr_letter_range smr_letter_ranges[];
extern const int64_t smr_n_letter_ranges;
extern const smr_lower_range smr_lower_ranges[];
extern const int64_t smr_n_lower_ranges;

enum { SMR_LETTERS_NEAR = 0x800 };

typedef struct smr_letters {
    uint8_t class[SMR_LETTERS_NEAR];
    uint16_t lower[SMR_LETTERS_NEAR]; /* always below U+10000 */
} smr_letters;

/* lower: map capitals to small letters; else each character to itself. */
void smr_letters_fill(smr_letters *letters, bool lower);

/* By search, for any character. */
smr_letter smr_letter_class(uint32_t code);
uint32_t smr_letter_lower(uint32_t code);

/* The character at p, whose length smr_utf8_step gave. */
static inline uint32_t smr_utf8_code(const char *text, int length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (length == 1) return p[0];
    if (length == 2) return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    if (length == 3) return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
}

/* Writes the character; returns its bytes, 1 to 4. */
int smr_utf8_write(uint32_t code, char *out);

#endif
