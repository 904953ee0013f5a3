/* vocab.h -- distinct strings and their codes, in the order of first sight. */
#ifndef SMR_DATA_VOCAB_H
#define SMR_DATA_VOCAB_H

#include "data/table.h"

typedef struct smr_vocab {
    smr_strings strings;
    int64_t string_room, byte_room;
    int32_t *slot; /* code + 1, or 0: open addressing, a power of two, at most half full */
    int64_t n_slots;
    bool lent; /* the strings are owned elsewhere, and none is added */
} smr_vocab;

/* The empty dictionary is {0}. */
void smr_vocab_release(smr_vocab *d);
/* Code of the n bytes at `text`, added if new. */
smr_status smr_vocab_add(smr_ctx *ctx, smr_vocab *d, const char *text, int64_t n, int32_t *code);
/* Code of the n bytes, or -1. */
int32_t smr_vocab_find(const smr_vocab *d, const char *text, int64_t n);
/* Adds all of `s`, which has no string twice: the codes are its positions. */
smr_status smr_vocab_fill(smr_ctx *ctx, smr_vocab *d, const smr_strings *s);
/* A dictionary over strings that lie elsewhere and stay there: it copies none of them.  *twin: the
 * first that occurs a second time, or -1; the code of equal ones is that of the first. */
smr_status smr_vocab_over(smr_ctx *ctx, const smr_strings *s, smr_vocab *d, int64_t *twin);

/* A copy of `s`, in the order given (order[r] = which string comes r-th; NULL: as they are). */
smr_status smr_strings_copy(smr_ctx *ctx, const smr_strings *s, const int64_t *order,
                            smr_strings *out);
/* The dictionary's strings in the order of smr_levels_sort; recode[old code] = new code. */
smr_status smr_vocab_sorted(smr_ctx *ctx, const smr_vocab *d, smr_strings *out, int32_t *recode);

#endif
