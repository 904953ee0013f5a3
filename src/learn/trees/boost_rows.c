/* boost_rows.c -- the rows of a round: each with the same chance, or by their gradients.
 *
 * sampling=goss (gradient-based one-side sampling): the share `top` of the rows with the largest
 * sum of |g| over the classes take part; from the others the share `other` of all rows is drawn,
 * and each drawn row counts (1 - top) / other times, so that sums keep their expectation.  It
 * begins after 1 / rate rounds: before that, gradients say little.  Ties at the limit are all in.
 * Which rows are drawn depends on the seed, the round and the row alone.  Reference: Ke et al.,
 * LightGBM, NIPS 2017, section 3. */
#include "learn/trees/boost.h"

#include "core/rng.h"

#include <math.h>
#include <string.h>

#define CHANCES 4294967296.0 /* 2^32 */

static void draw_evenly(const smr_ctx *ctx, double share, int64_t round, const smr_boost_bag *bag)
{
    uint32_t dice[4] = {0};
    for (int64_t i = 0; i < bag->n; i++) {
        if (i % 4 == 0)
            smr_philox(ctx->seed, SMR_STREAM_ROWS, (uint64_t)round, (uint64_t)i / 4, dice);
        bool is_in = (double)dice[i % 4] < share * CHANCES;
        if (bag->is[i] != SMR_BOOST_APART) bag->is[i] = is_in ? SMR_BOOST_IN : SMR_BOOST_OUT;
    }
}

/* Sum of a row's |g|, as a number that orders like it. */
static uint32_t size_of(const smr_boost_bag *bag, int64_t i)
{
    float sum = 0;
    uint32_t bits;
    for (int64_t c = 0; c < bag->k; c++) sum += fabsf(bag->pair[c * bag->n + i].real.g);
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

/* The largest size that at least `wanted` rows reach: by its upper, then its lower half. */
static smr_status find_limit(smr_ctx *ctx, const smr_boost_bag *bag, double wanted, uint32_t *out)
{
    enum { HALF = 65536 };
    smr_status st = SMR_OK;
    int64_t *count = NULL, above = 0;
    uint32_t upper = 0;
    TRY_NEW(count, HALF);
    for (int half = 0; half < 2; half++) {
        memset(count, 0, HALF * sizeof *count);
        for (int64_t i = 0; i < bag->n; i++) {
            uint32_t size = size_of(bag, i);
            if (bag->is[i] == SMR_BOOST_APART || (half && size / HALF != upper)) continue;
            count[half ? size % HALF : size / HALF]++;
        }
        int64_t at = HALF - 1;
        while (at > 0 && (double)(above + count[at]) < wanted) above += count[at--];
        if (half)
            *out = upper * HALF + (uint32_t)at;
        else
            upper = (uint32_t)at;
    }
out:
    smr_free(count);
    return st;
}

static smr_status draw_by_gradient(smr_ctx *ctx, const struct smr_boost_params *p, int64_t round,
                                   const smr_boost_bag *bag)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    uint32_t limit = 0, dice[4] = {0};
    double chance = p->other / (1 - p->top) * CHANCES;
    for (int64_t i = 0; i < bag->n; i++) n += bag->is[i] != SMR_BOOST_APART;
    TRY(find_limit(ctx, bag, p->top * (double)n, &limit));
    for (int64_t i = 0; i < bag->n; i++) {
        if (i % 4 == 0)
            smr_philox(ctx->seed, SMR_STREAM_ROWS, (uint64_t)round, (uint64_t)i / 4, dice);
        if (bag->is[i] == SMR_BOOST_APART) continue;
        bag->is[i] = size_of(bag, i) >= limit       ? SMR_BOOST_IN
                     : (double)dice[i % 4] < chance ? SMR_BOOST_MORE
                                                    : SMR_BOOST_OUT;
    }
out:
    return st;
}

smr_status smr_boost_draw_rows(smr_ctx *ctx, const struct smr_boost_params *p, int64_t round,
                               const smr_boost_bag *bag, double *more)
{
    *more = 1;
    if (!bag->is) return SMR_OK;
    if (p->sampling == SMR_BOOST_GOSS && (double)round * p->rate >= 1) {
        *more = (1 - p->top) / p->other;
        return draw_by_gradient(ctx, p, round, bag);
    }
    if (p->sampling == SMR_BOOST_UNIFORM && p->rows < 1) draw_evenly(ctx, p->rows, round, bag);
    return SMR_OK;
}
