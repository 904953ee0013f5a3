/* hmm_draw.c -- sequences drawn from a hidden Markov model: a path, and what its states show. */
#include "core/rng.h"
#include "core/try.h"
#include "learn/graphical/hmm.h"
#include "math/factor.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

struct drawing {
    const struct smr_hmm_state *s;
    uint64_t seed, row, drawn;
    double *root; /* parts x d x d, by columns: roots of full covariances; NULL: diagonal ones */
    double *z;    /* d */
};

static double unit(struct drawing *t)
{
    return smr_random_unit(t->seed, SMR_STREAM_PATHS, t->row, t->drawn++);
}

/* One of n, by their probabilities; rounding leaves the last that has some. */
static int64_t choose(struct drawing *t, int64_t n, const double *p)
{
    double at = unit(t);
    int64_t last = 0;
    for (int64_t k = 0; k < n; k++) {
        if (p[k] <= 0) continue;
        last = k;
        if (at < p[k]) return k;
        at -= p[k];
    }
    return last;
}

static void draw_numbers(struct drawing *t, int64_t j, double *x)
{
    const struct smr_hmm_state *s = t->s;
    int64_t d = s->n_numbers, p = j * s->n_mix + choose(t, s->n_mix, s->mix + j * s->n_mix);
    for (int64_t k = 0; k < d; k++) /* 0 would be minus infinity */
        t->z[k] = smr_normal_quantile(smr_fmax(unit(t), 0x1p-54));
    for (int64_t k = 0; k < d; k++) {
        double off = t->root ? 0 : sqrt(s->spread[p * d + k]) * t->z[k];
        for (int64_t l = 0; t->root && l <= k; l++) off += t->root[p * d * d + k + l * d] * t->z[l];
        x[s->number[k]] = s->mean[p * d + k] + off;
    }
}

static smr_status find_roots(smr_ctx *ctx, const struct smr_hmm_state *s, double **out)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_numbers, parts = s->n_states * s->n_mix, failed = -1;
    double *root = NULL;
    TRY_NEW(root, parts * d * d);
    memcpy(root, s->spread, (size_t)(parts * d * d) * sizeof *root);
    for (int64_t p = 0; p < parts; p++) {
        TRY(smr_cholesky(ctx, d, root + p * d * d, d, &failed));
        if (failed >= 0) TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "a covariance of a state is singular"));
    }
    *out = root;
    root = NULL;
out:
    smr_free(root);
    return st;
}

smr_status smr_hmm_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_drawing *of, double *x, int32_t *hidden)
{
    const struct smr_hmm_params *p = params_;
    const struct smr_hmm_state *s = state_;
    smr_status st = SMR_OK;
    struct drawing t = {.s = s, .seed = ctx->seed};
    int64_t n = s->n_states;
    TRY_NEW(t.z, s->n_numbers);
    if (p->covariance == SMR_HMM_FULL) TRY(find_roots(ctx, s, &t.root));
    for (int64_t i = 0; i < of->n_sequences * of->length; i++, x += of->n_in) {
        t.row = (uint64_t)i;
        t.drawn = 0;
        bool begins = i % of->length == 0;
        int64_t j = choose(&t, n, begins ? s->start : s->move + hidden[i - 1] * n);
        hidden[i] = (int32_t)j;
        for (int64_t c = 0; c < s->n_symbols; c++)
            x[s->symbol[c]] = (double)choose(&t, s->first[c + 1] - s->first[c],
                                             s->emit + j * s->n_levels + s->first[c]);
        if (s->n_numbers) draw_numbers(&t, j, x);
        if (i % 4096 == 4095) TRY(smr_tick(ctx, NULL, i, of->n_sequences * of->length, NAN));
    }
out:
    smr_free(t.root);
    smr_free(t.z);
    return st;
}
