/* tokens.h -- a text as a row of words, or of characters, and their n-grams.
 *
 * A word is a run of letters and digits of any script (core/letters.h) with the combining marks
 * after them.  An apostrophe, straight or typographic, between two letters belongs to the word and
 * is written straight: don't.  A Han ideograph or a Hiragana letter is a word of its own.
 * Everything else separates: white space, punctuation, the underscore, symbols, emoji, and bytes
 * that are not UTF-8.  In a word longer than SMR_TOKEN_MAX bytes only the characters that fit
 * count.
 *
 * By characters: every character counts, a run of white space (or of bytes that are not UTF-8) as
 * one space, none at both ends.
 *
 * An n-gram is n neighbours, words with a space between them, characters without.  Nothing is
 * allocated; a walk is about 5 kB, and takes a few nanoseconds per byte. */
#ifndef SMR_TRANSFORM_TOKENS_H
#define SMR_TRANSFORM_TOKENS_H

#include "core/letters.h"

enum { SMR_TOKEN_MAX = 255, SMR_GRAM_MOST = 8, SMR_GRAM_ROOM = 4096 };

/* How texts are cut; filled once, shared by all walks. */
typedef struct smr_token_rule {
    bool chars;
    bool lower;
    int64_t min_length;   /* characters of a word, marks not counted     */
    int64_t min_n, max_n; /* 1 <= min_n <= max_n <= SMR_GRAM_MOST        */
    uint8_t fold[256];    /* of a byte: what it becomes, or one of these */
    smr_letters letters;
    const char *const *stop; /* words that are left out before n-grams are made, sorted bytewise */
    int64_t n_stop;
} smr_token_rule;
enum { SMR_FOLD_SEPARATOR = 0, SMR_FOLD_APOSTROPHE = 1, SMR_FOLD_FOREIGN = 2 };

/* Fills fold and letters from `lower`. */
void smr_token_rule_fill(smr_token_rule *rule);

/* A walk over one text. */
typedef struct smr_tokens {
    const smr_token_rule *rule;
    const char *at, *end;
    char joined[SMR_GRAM_ROOM];   /* the last tokens, one after another        */
    int32_t used;                 /* bytes of it                               */
    int32_t start[SMR_GRAM_MOST]; /* where the last tokens begin, oldest first */
    int32_t n_last;               /* how many of them there are                */
    bool begun;                   /* some character was met                    */
    int32_t next;                 /* n of the next n-gram that ends in the last token */
} smr_tokens;

void smr_tokens_begin(smr_tokens *walk, const smr_token_rule *rule, const char *text,
                      int64_t length);
/* The next n-gram, valid until the next call; false at the end. */
bool smr_tokens_next(smr_tokens *walk, const char **gram, int32_t *length);

#endif
