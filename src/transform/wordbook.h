/* wordbook.h -- words and their numbers: a dictionary that is quick to ask.
 *
 * Open addressing.  A slot holds a word of up to 7 bytes itself, which is found without a look
 * elsewhere; for a longer one it holds the length and 51 bits of its hash, so that its bytes are
 * compared only where they are very likely the same. */
#ifndef SMR_TRANSFORM_WORDBOOK_H
#define SMR_TRANSFORM_WORDBOOK_H

#include "data/table.h"

typedef struct smr_wordslot {
    uint64_t key;
    uint32_t begin; /* of its bytes         */
    int32_t word;   /* number + 1; 0: free  */
} smr_wordslot;

/* The empty one is {0}.  Word i is bytes[start[i] .. start[i+1]). */
typedef struct smr_wordbook {
    int64_t n;
    const int64_t *start;
    const uint8_t *bytes;
    smr_wordslot *slots; /* a power of two, at most half of them used */
    int64_t n_slots;
    /* A book that grows owns these. */
    int64_t *own_start;
    uint8_t *own_bytes;
    int64_t start_room, byte_room;
} smr_wordbook;

/* The same on every machine, and never to change: features made with hash= depend on it. */
uint64_t smr_word_hash(const char *bytes, int32_t n);

void smr_wordbook_release(smr_wordbook *book);
/* The number of the word, or -1. */
int32_t smr_wordbook_find(const smr_wordbook *book, const char *bytes, int32_t n, uint64_t hash);
/* The number of the word, which is added if new. */
smr_status smr_wordbook_add(smr_ctx *ctx, smr_wordbook *book, const char *bytes, int32_t n,
                            int32_t *word);
/* A book over words that lie elsewhere; among equal ones the first counts. */
smr_status smr_wordbook_over(smr_ctx *ctx, int64_t n, const int64_t *start, const uint8_t *bytes,
                             smr_wordbook *out);

#endif
