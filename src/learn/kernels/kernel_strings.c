/* kernel_strings.c -- see kernel_strings.h: sets, and values that are normalised. */
#include "learn/kernels/kernel_strings.h"

#include <math.h>
#include <string.h>

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

void *smr_text_take(smr_ctx *ctx, smr_text_room *room, int64_t n, size_t size)
{
    if (!room || n < 0 || (size_t)n > room->size / size) return smr_alloc(ctx, n, size);
    size_t bytes = round_up((size_t)n * size + 1);
    if (bytes > room->size - room->used) return smr_alloc(ctx, n, size);
    char *at = room->base + room->used;
    room->used += bytes;
    memset(at, 0, bytes);
    return at;
}

void smr_text_give(const smr_text_room *room, void *block)
{
    const char *at = block;
    if (!room || at < room->base || at >= room->base + room->size) smr_free(block);
}

/* Every block has up to 64 bytes more. */
int64_t smr_text_room_for(const smr_kernel_node *node, const smr_text_set *known, int64_t w)
{
    const struct smr_kernel_params *p = node->params;
    int64_t n = SMR_MIN(known->longest, (int64_t)SMR_TEXT_MOST) + 1, kept = 4 * 128, passing;
    if (node->kind == SMR_KERNEL_SUBSEQUENCE) {
        passing = 64 * n * (p->length + 1) + 32 * (w + 1) + 8 * 128;
    } else {
        int64_t words = 0;
        for (int64_t k = 0; k < known->n_spectra; k++)
            words = SMR_MAX(words, known->spectra[k].words.strings.n);
        kept += known->n_spectra * ((int64_t)sizeof(smr_spectra) + 20 * n + 6 * 128);
        passing = SMR_MAX(8 * (words + 1), 16 * n + 16 * n + 256) + 4 * 128;
    }
    return kept + passing + 8 * (w + 1) + 128;
}

void smr_text_set_release(smr_text_set *set)
{
    for (int64_t i = 0; set->spectra && i < set->n_spectra; i++) {
        smr_vocab_release(&set->spectra[i].words);
        smr_text_give(set->room, set->spectra[i].others);
        smr_text_give(set->room, set->spectra[i].start);
        smr_text_give(set->room, set->spectra[i].id);
        smr_text_give(set->room, set->spectra[i].count);
    }
    smr_text_give(set->room, set->spectra);
    smr_text_give(set->room, set->piece);
    smr_text_give(set->room, set->self);
    *set = (smr_text_set){0};
}

static int64_t count_symbols(const smr_text_set *set)
{
    bool seen[256] = {0};
    int64_t n = 0;
    for (int64_t i = 0; i < set->n; i++)
        for (int64_t k = 0; k < set->piece[i].n; k++)
            seen[(unsigned char)set->piece[i].at[k]] = true;
    for (int k = 0; k < 256; k++) n += seen[k];
    return n;
}

smr_status smr_text_set_make(smr_ctx *ctx, const smr_kernel_node *node, int64_t n, smr_piece *piece,
                             const smr_text_set *known, smr_text_room *room, smr_text_set *out)
{
    smr_status st = SMR_OK;
    *out = (smr_text_set){.n = n, .piece = piece, .room = room};
    out->n_symbols = known ? known->n_symbols : count_symbols(out);
    for (int64_t i = 0; i < n; i++) out->longest = SMR_MAX(out->longest, piece[i].n);
    TRY_TAKE(room, out->self, n + 1);
    if (node->kind == SMR_KERNEL_SUBSEQUENCE)
        TRY(smr_subsequence_selves(ctx, node, out));
    else
        TRY(smr_spectrum_make(ctx, node, known, out));
out:
    if (st != SMR_OK) smr_text_set_release(out);
    return st;
}

/* K(s, t) / sqrt(K(s, s) K(t, t)), 1 for a text and itself; 0 where a text holds nothing. */
static double normalised(double value, double a, double b)
{
    double both = a == b ? a : sqrt(a) * sqrt(b);
    return both > 0 ? value / both : 0;
}

smr_status smr_text_values(smr_ctx *ctx, const smr_text_tile *t)
{
    smr_status st = SMR_OK;
    TRY(t->node->kind == SMR_KERNEL_SUBSEQUENCE ? smr_subsequence_values(ctx, t)
                                                : smr_spectrum_values(ctx, t));
    if (!t->node->params->normal) return SMR_OK;
    for (int64_t a = 0; a < t->m; a++)
        for (int64_t b = 0; b < t->w; b++) {
            double *value = &t->out[a * t->ld + b];
            *value = normalised(*value, t->A->self[t->row[a]], t->B->self[t->column[b]]);
        }
out:
    return st;
}

double smr_text_self(const smr_kernel_node *node, const smr_text_set *set, int64_t i)
{
    double self = set->self[i];
    return node->params->normal ? normalised(self, self, self) : self;
}
