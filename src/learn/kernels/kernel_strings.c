/* kernel_strings.c -- see kernel_strings.h: sets, and values that are normalised. */
#include "learn/kernels/kernel_strings.h"

#include <math.h>

void smr_text_set_release(smr_text_set *set)
{
    for (int64_t i = 0; set->spectra && i < set->n_spectra; i++) {
        smr_vocab_release(&set->spectra[i].words);
        smr_free(set->spectra[i].start);
        smr_free(set->spectra[i].id);
        smr_free(set->spectra[i].count);
    }
    smr_free(set->spectra);
    smr_free(set->piece);
    smr_free(set->self);
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
                             const smr_text_set *known, smr_text_set *out)
{
    smr_status st = SMR_OK;
    *out = (smr_text_set){.n = n, .piece = piece};
    out->n_symbols = known ? known->n_symbols : count_symbols(out);
    TRY_NEW(out->self, n + 1);
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
