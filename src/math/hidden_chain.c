/* hidden_chain.c -- chains, and runs over sequences: see hidden_chain.h. */
#include "math/hidden_chain.h"

#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/hidden_chain_parts.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_NUMBERS = 16384, /* of a table of a block, about: three of them stay in a cache */
    SHORTEST = 64,         /* steps of a block */
    LONGEST = 2048,
    UNIT_STEPS = 4096 /* of short sequences that are one task, at least */
};

/* ---- chains ----------------------------------------------------------------------------- */

int64_t smr_hidden_block_length(int64_t width)
{
    return SMR_MAX(SHORTEST, SMR_MIN(LONGEST, BLOCK_NUMBERS / width));
}

void smr_hidden_free(smr_hidden *h)
{
    if (!h) return;
    smr_free(h->start);
    smr_free(h->move);
    smr_free(h->back);
    smr_free(h->log_start);
    smr_free(h->log_move);
    smr_free(h->log_back);
    smr_free(h->gap);
    smr_free(h->log_gap);
    smr_free(h);
}

smr_status smr_hidden_create(smr_ctx *ctx, int64_t n, smr_hidden **out)
{
    smr_status st = SMR_OK;
    smr_hidden *h = NULL;
    TRY_NEW(h, 1);
    h->n = n;
    h->width = (n + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD;
    TRY_NEW(h->start, h->width);
    TRY_NEW(h->move, n * h->width);
    TRY_NEW(h->back, n * h->width);
    TRY_NEW(h->log_start, h->width);
    TRY_NEW(h->log_move, n * h->width);
    TRY_NEW(h->log_back, n * h->width);
    TRY_NEW(h->gap, h->width);
    TRY_NEW(h->log_gap, h->width);
    for (int64_t j = 0; j < h->width; j++) {
        h->gap[j] = j < n;
        h->log_gap[j] = j < n ? 0 : -INFINITY;
    }
    *out = h;
    h = NULL;
out:
    smr_hidden_free(h);
    return st;
}

void smr_hidden_set(smr_hidden *h, const double *start, const double *move)
{
    int64_t n = h->n, width = h->width;
    memcpy(h->start, start, (size_t)n * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            h->move[i * width + j] = move[i * n + j];
            h->back[j * width + i] = move[i * n + j];
        }
    smr_log_f64(width, h->start, h->log_start); /* padding is 0, and becomes -infinity */
    smr_log_f64(n * width, h->move, h->log_move);
    smr_log_f64(n * width, h->back, h->log_back);
}

/* ---- runs ------------------------------------------------------------------------------- */

static void release_work(struct smr_hidden_work *w)
{
    smr_free(w->after);
    smr_free(w->before);
    smr_free(w->with);
    smr_free(w->posterior);
    smr_free(w->sum);
    smr_free(w->with_sum);
    smr_free(w->shift);
    smr_free(w->logs);
    smr_free(w->row);
    smr_free(w->step);
    smr_free(w->room);
    smr_free(w->room_of_one);
    *w = (struct smr_hidden_work){0};
}

smr_status smr_hidden_work_of(smr_ctx *ctx, smr_hidden_run *run, int lane,
                              struct smr_hidden_work **out)
{
    smr_status st = SMR_OK;
    struct smr_hidden_work *w = &run->work[lane];
    int64_t n = run->longest, width = run->h->width;
    *out = w;
    if (w->room_of_one) return SMR_OK;
    release_work(w); /* what an attempt that failed has left */
    TRY_NEW(w->after, n * width);
    TRY_NEW(w->before, n * width);
    TRY_NEW(w->with, (n + 1) * width);
    TRY_NEW(w->posterior, n * width);
    TRY_NEW(w->sum, n);
    TRY_NEW(w->with_sum, n + 1);
    TRY_NEW(w->shift, n);
    TRY_NEW(w->logs, n);
    TRY_NEW(w->row, n);
    TRY_NEW(w->step, width);
    w->room = smr_alloc_raw(ctx, SMR_MAX(n, 1), (size_t)run->seen->room);
    if (!w->room) TRY(SMR_ERR_NOMEM);
    TRY_NEW(w->room_of_one, run->seen->room);
out:
    return st;
}

void smr_hidden_close(smr_hidden_run *run)
{
    if (!run) return;
    for (int i = 0; run->work && i < run->n_works; i++) release_work(&run->work[i]);
    smr_free(run->work);
    smr_free(run->blocks);
    smr_free(run->slot);
    smr_free(run->ahead);
    smr_free(run->ahead_sum);
    smr_free(run->behind);
    smr_free(run->behind_sum);
    smr_free(run->end[0]);
    smr_free(run->end[1]);
    smr_free(run->unit);
    smr_free(run);
}

/* Both ends of long sequences first, then the others. */
static void cut_units(smr_hidden_run *run)
{
    int64_t steps = UNIT_STEPS;
    for (int64_t q = 0; q < run->n_sequences; q++)
        for (int order = 1; smr_hidden_blocks_of(run, q) > 1 && order >= -1; order -= 2)
            run->unit[run->n_units++] = (struct smr_hidden_unit){q, q + 1, order};
    for (int64_t q = 0; q < run->n_sequences; q++) {
        if (smr_hidden_blocks_of(run, q) > 1) continue;
        bool is_next = run->n_units && run->unit[run->n_units - 1].order == 0 &&
                       run->unit[run->n_units - 1].last == q;
        if (!is_next || steps >= UNIT_STEPS) {
            run->unit[run->n_units++] = (struct smr_hidden_unit){q, q, 0};
            steps = 0;
        }
        run->unit[run->n_units - 1].last = q + 1;
        steps += run->border[q + 1] - run->border[q];
    }
}

smr_status smr_hidden_open(smr_ctx *ctx, const smr_hidden *h, const smr_hidden_seen *seen,
                           int64_t n_sequences, const int64_t *border, smr_hidden_run **out)
{
    smr_status st = SMR_OK;
    smr_hidden_run *run = NULL;
    int64_t length = smr_hidden_block_length(h->width), n_long = 0;
    TRY_NEW(run, 1);
    *run = (smr_hidden_run){.h = h, .seen = seen, .n_sequences = n_sequences, .border = border};
    run->length = length;
    TRY_NEW(run->blocks, n_sequences + 1);
    TRY_NEW(run->slot, n_sequences + 1);
    for (int64_t q = 0; q < n_sequences; q++) {
        int64_t steps = border[q + 1] - border[q], blocks = smr_block_count(steps, length);
        run->longest = SMR_MAX(run->longest, SMR_MIN(steps, length));
        run->blocks[q + 1] = run->blocks[q] + blocks;
        run->slot[q + 1] = run->slot[q] + (blocks > 1 ? blocks : 0);
        n_long += blocks > 1;
    }
    int64_t slots = run->slot[n_sequences];
    TRY_NEW(run->ahead, slots * h->width);
    TRY_NEW(run->behind, slots * h->width);
    TRY_NEW(run->ahead_sum, slots);
    TRY_NEW(run->behind_sum, slots);
    TRY_NEW(run->end[0], n_sequences);
    TRY_NEW(run->end[1], n_sequences);
    TRY_NEW(run->unit, n_sequences + n_long);
    cut_units(run);
    run->n_works = smr_lanes(ctx);
    TRY_NEW(run->work, run->n_works);
    *out = run;
    run = NULL;
out:
    smr_hidden_close(run);
    return st;
}
