/* kernel_strings.h -- the kernels of texts: values between strings that were looked at before.
 *
 * A set holds the strings that one word of an expression reads, and what makes values between them
 * fast; the set of the points is made once, that of a block of rows for the block. */
#ifndef SMR_LEARN_KERNELS_KERNEL_STRINGS_H
#define SMR_LEARN_KERNELS_KERNEL_STRINGS_H

#include "data/vocab.h"
#include "learn/kernels/kernel_expr.h"

/* A string without a NUL. */
typedef struct smr_piece {
    const char *at;
    int64_t n;
} smr_piece;

/* The words of one length in a set's strings: string i holds words id[start[i]] ..., ascending, and
 * count of each.  An id is a word's code in the vocabulary of the points, or that many plus its
 * code in the set's own one, for words that no point holds. */
typedef struct smr_spectra {
    int64_t length;
    smr_vocab words;
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
    int64_t n_symbols; /* distinct bytes of the points     */
} smr_text_set;

/* Takes `piece` over, whatever happens.  known: the set of the points; NULL: this is it. */
smr_status smr_text_set_make(smr_ctx *ctx, const smr_kernel_node *node, int64_t n, smr_piece *piece,
                             const smr_text_set *known, smr_text_set *out);
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
