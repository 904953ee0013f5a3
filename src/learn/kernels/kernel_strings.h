/* kernel_strings.h -- the kernels of texts: values between strings that were looked at before.
 *
 * A set holds the strings that one word of an expression reads, and what makes values between them
 * fast; the set of the points is made once, that of a block of rows for the block. */
#ifndef SMR_LEARN_KERNELS_KERNEL_STRINGS_H
#define SMR_LEARN_KERNELS_KERNEL_STRINGS_H

#include "data/vocab.h"
#include "learn/kernels/kernel_expr.h"

/* Memory of the caller's: blocks are taken from it in turn, and from the heap where it has no room
 * left.  Prediction has some in its scratch, so that one row asks for no memory. */
typedef struct smr_text_room {
    char *base;
    size_t size, used;
} smr_text_room;

/* n zeroed elements; NULL: no memory.  room may be NULL. */
void *smr_text_take(smr_ctx *ctx, smr_text_room *room, int64_t n, size_t size);
/* Frees what came from the heap. */
void smr_text_give(const smr_text_room *room, void *block);
/* What was taken since `used` was this may be taken again. */
static inline void smr_text_rewind(smr_text_room *room, size_t used)
{
    if (room) room->used = used;
}

#define TRY_TAKE(room, ptr, n)                                  \
    do {                                                        \
        (ptr) = smr_text_take(ctx, (room), (n), sizeof *(ptr)); \
        if (!(ptr)) TRY(SMR_ERR_NOMEM);                         \
    } while (0)

/* A string without a NUL. */
typedef struct smr_piece {
    const char *at;
    int64_t n;
} smr_piece;

/* The words of one length in a set's strings: string i holds words id[start[i]] ..., ascending, and
 * count of each.  An id is a word's code in the vocabulary of the points, or, of a word that no
 * point holds, that many plus its place in `others`, where it first occurs in its string. */
typedef struct smr_spectra {
    int64_t length;
    smr_vocab words;     /* of the points; else empty            */
    const char **others; /* of other sets: where their words lie */
    int64_t *start;
    int32_t *id;
    double *count;
} smr_spectra;

typedef struct smr_text_set {
    int64_t n;
    smr_piece *piece;     /* n; the bytes are others'         */
    double *self;         /* n: K(s, s), not normalised       */
    smr_spectra *spectra; /* n_spectra, by length; NULL: none */
    int64_t n_spectra;
    int64_t n_symbols;   /* distinct bytes of the points     */
    int64_t longest;     /* symbols of a string              */
    smr_text_room *room; /* that its arrays come from; NULL */
} smr_text_set;

/* Takes `piece` over, whatever happens, which is of the same room.  known: the set of the points;
 * NULL: this is it. */
smr_status smr_text_set_make(smr_ctx *ctx, const smr_kernel_node *node, int64_t n, smr_piece *piece,
                             const smr_text_set *known, smr_text_room *room, smr_text_set *out);
/* Bytes of room for the set of one string, no longer than the longest point's or SMR_TEXT_MOST, and
 * its values with up to w points. */
enum { SMR_TEXT_MOST = 4096 };
int64_t smr_text_room_for(const smr_kernel_node *node, const smr_text_set *known, int64_t w);
void smr_text_set_release(smr_text_set *set);

/* Which values: between strings row[a] of A and column[b] of B, the set of the points. */
typedef struct smr_text_tile {
    const smr_kernel_node *node;
    const smr_text_set *A, *B;
    int64_t m, w;
    const int32_t *row, *column;
    bool lower;  /* one set: only those with column[b] <= row[a] */
    double *out; /* row a at out + a * ld */
    int64_t ld;
    smr_text_room *room; /* NULL: the heap */
} smr_text_tile;

smr_status smr_text_values(smr_ctx *ctx, const smr_text_tile *tile);
/* K(string i, itself). */
double smr_text_self(const smr_kernel_node *node, const smr_text_set *set, int64_t i);

/* The parts: raw values of a tile, and K(s, s) of a set (kernel_subsequence.c,
 * kernel_spectrum.c). */
smr_status smr_subsequence_values(smr_ctx *ctx, const smr_text_tile *tile);
smr_status smr_subsequence_selves(smr_ctx *ctx, const smr_kernel_node *node, smr_text_set *set);
smr_status smr_spectrum_values(smr_ctx *ctx, const smr_text_tile *tile);
smr_status smr_spectrum_make(smr_ctx *ctx, const smr_kernel_node *node, const smr_text_set *known,
                             smr_text_set *set);

#endif
