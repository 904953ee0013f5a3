/* kmeans_start.c -- where centres start.
 *
 *     random     rows that are drawn, each once
 *     farthest   the first is drawn; each next one is the row whose mean distance from the centres
 *                so far is the largest
 *     plusplus   each next one is drawn with chances w D^2, D the distance from the nearest centre
 *                so far: of 2 + log k that are drawn the one that leaves the smallest sum of w D^2
 *                (Arthur & Vassilvitskii 2007)
 *     parallel   in ROUNDS rounds each row is taken with the chance 2 k w D^2 / sum w D^2; then
 *                plusplus among those taken, each weighing what all rows weigh that are nearest to
 *                it (Bahmani, Moseley, Vattani, Kumar & Vassilvitskii 2012)
 *
 * These are passes over all rows, of the keys that the fit goes on with (sparse, in any of its
 * layouts, by threads); math/centres.h draws among few rows in memory, for parallel here too.
 * Distances are those of products, which are the same on every processor; a chance need not be
 * exact. */
#include "core/rng.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"
#include "math/centres.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, MOST_DRAWN = SMR_KM_DRAWN, PARALLEL_FROM = 256 };

struct start {
    struct smr_km_work *w;
    double *nearest;   /* n: D^2, for farthest the sum of D */
    double *potential; /* n_blocks x m: sums of w D^2 with each candidate */
    int64_t m;
    struct smr_km_centres centres;
    double *candidate; /* m x d */
    bool sums_distances, updates;
    int32_t *owner; /* n: the candidate that is nearest; NULL: not wanted */
    int32_t first;  /* number of candidate 0 */
    bool *taken;
    int64_t *taken_before; /* n_blocks */
    double all;
    int64_t round;
};

static uint64_t draw_number(const struct smr_km_work *w, int64_t c, int64_t which)
{
    return (uint64_t)((w->restart * (w->k + ROUNDS + 1) + c) * (MOST_DRAWN + 1) + which);
}

static double draw(smr_ctx *ctx, const struct smr_km_work *w, int64_t c, int64_t which)
{
    return smr_random_unit(ctx->seed, SMR_STREAM_CENTRES, draw_number(w, c, which), 0);
}

/* ---- passes over all rows ---------------------------------------------------------------- */

static smr_status near_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct start *s = arg;
    const struct smr_km_rows *r = &s->w->rows;
    struct smr_km_lane *l = &s->w->lanes[lane];
    int64_t lo = block * r->block, hi = smr_block_end(r->n, r->block, block), ld = r->block;
    double *sum = s->potential + block * s->m;
    (void)ctx;
    smr_km_keys(r, &s->centres, lo, hi, l);
    for (int64_t c = 0; c < s->m; c++) {
        sum[c] = 0;
        for (int64_t i = lo; i < hi; i++) {
            double D = smr_km_of_key(r, i, (double)l->key[c * ld + i - lo]);
            double w = smr_km_weight(r, i);
            if (s->sums_distances) {
                s->nearest[i] += sqrt(D);
                continue;
            }
            if (s->updates && D < s->nearest[i]) {
                s->nearest[i] = D;
                if (s->owner) s->owner[i] = s->first + (int32_t)c;
            }
            sum[c] += w * smr_fmin(D, s->nearest[i]);
        }
    }
    return SMR_OK;
}

/* Rows [from, from + m) of `candidate` against all rows. */
static smr_status pass(smr_ctx *ctx, struct start *s, int64_t m)
{
    s->m = m;
    s->centres.k = m;
    smr_km_centres_set(&s->w->rows, s->candidate, &s->centres);
    return smr_parallel(ctx, "choosing where centres start", s->w->rows.n_blocks, near_block, s);
}

static double add_up(const struct start *s, int64_t c)
{
    double sum = 0;
    for (int64_t b = 0; b < s->w->rows.n_blocks; b++) sum += s->potential[b * s->m + c];
    return sum;
}

/* The row at which the sum of w D^2 passes `at`; of those with w D^2 > 0 the last, at most. */
static int64_t row_at(const struct start *s, double at)
{
    const struct smr_km_rows *r = &s->w->rows;
    int64_t b = 0, found = -1;
    double sum = 0;
    for (int64_t last = 0; b < r->n_blocks; b++) {
        last = b;
        if (sum + s->potential[b * s->m] > at || b + 1 == r->n_blocks) break;
        sum += s->potential[last * s->m];
    }
    for (; b < r->n_blocks; b++)
        for (int64_t i = b * r->block; i < smr_block_end(r->n, r->block, b); i++) {
            double mass = smr_km_weight(r, i) * s->nearest[i];
            if (!(mass > 0)) continue;
            found = i;
            sum += mass;
            if (sum > at) return i;
        }
    for (int64_t i = r->n - 1; found < 0 && i >= 0; i--)
        if (smr_km_weight(r, i) * s->nearest[i] > 0) found = i;
    return found;
}

/* ---- rows that are drawn ------------------------------------------------------------------ */

static void take_row(const struct smr_km_work *w, int64_t i, double *to)
{
    const double *x = smr_km_row(&w->rows, i, w->rows.work);
    memmove(to, x, (size_t)w->rows.d * sizeof *to);
}

/* A row by its weight; those of `taken` are passed over. */
static int64_t row_by_weight(smr_ctx *ctx, const struct smr_km_work *w, int64_t c,
                             const bool *taken)
{
    const struct smr_km_rows *r = &w->rows;
    double all = 0, sum = 0;
    int64_t found = -1, left = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (taken && taken[i]) continue;
        all += smr_km_weight(r, i);
        left += smr_km_weight(r, i) > 0;
    }
    if (left == 0) return -1;
    double at = draw(ctx, w, c, 0) * all;
    for (int64_t i = 0; i < r->n; i++) {
        double mass = taken && taken[i] ? 0 : smr_km_weight(r, i);
        if (!(mass > 0)) continue;
        found = i;
        sum += mass;
        if (sum > at) break;
    }
    return found;
}

static smr_status start_random(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    bool *taken = NULL;
    int64_t have = 0;
    double heaviest = 0;
    TRY_NEW(taken, r->n);
    for (int64_t i = 0; r->weight && i < r->n; i++) heaviest = smr_fmax(heaviest, r->weight[i]);
    for (int64_t t = 0; have < w->k && t < 32 * w->k; t++) {
        uint64_t try = (uint64_t)t + 1;
        int64_t i =
            smr_random_below(ctx->seed, SMR_STREAM_CENTRES, draw_number(w, 0, 0), try, r->n);
        double chance = r->weight ? r->weight[i] / heaviest : 1;
        if (taken[i] ||
            smr_random_unit(ctx->seed, SMR_STREAM_CENTRES, draw_number(w, 0, 1), try) >= chance)
            continue;
        taken[i] = true;
        take_row(w, i, w->centre + have++ * r->d);
    }
    for (; have < w->k; have++) {
        int64_t i = row_by_weight(ctx, w, have, taken);
        if (i < 0) break;
        taken[i] = true;
        take_row(w, i, w->centre + have * r->d);
    }
    for (int64_t c = have; c < w->k; c++)
        memcpy(w->centre + c * r->d, w->centre, (size_t)r->d * sizeof *w->centre);
out:
    smr_free(taken);
    return st;
}

static smr_status start_farthest(smr_ctx *ctx, struct smr_km_work *w, struct start *s)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    int64_t at = row_by_weight(ctx, w, 0, NULL);
    TRY_NEW(s->taken, r->n);
    s->sums_distances = true;
    for (int64_t c = 0; c < w->k; c++) {
        take_row(w, at, w->centre + c * r->d);
        s->taken[at] = true;
        if (c + 1 == w->k) break;
        memcpy(s->candidate, w->centre + c * r->d, (size_t)r->d * sizeof *s->candidate);
        TRY(pass(ctx, s, 1));
        int64_t far = -1;
        for (int64_t i = 0; i < r->n; i++)
            if (!s->taken[i] && smr_km_weight(r, i) > 0 &&
                (far < 0 || s->nearest[i] > s->nearest[far]))
                far = i;
        at = far < 0 ? at : far;
    }
out:
    return st;
}

/* ---- k-means++ --------------------------------------------------------------------------- */

static int64_t n_drawn(int64_t k)
{
    return SMR_MIN(MOST_DRAWN, 2 + (int64_t)floor(smr_log((double)k)));
}

/* One more centre, number c, from the rows' D^2. */
static smr_status next_plus(smr_ctx *ctx, struct smr_km_work *w, struct start *s, int64_t c,
                            double *all)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    int64_t d = r->d, drawn = 0, best = 0, trials = n_drawn(w->k);
    double *to = w->centre + c * d, least = INFINITY;
    for (int64_t t = 0; t < trials; t++) {
        int64_t i = *all > 0 ? row_at(s, draw(ctx, w, c, t) * *all) : -1;
        if (i >= 0) take_row(w, i, s->candidate + drawn++ * d);
    }
    if (drawn == 0) { /* no more rows apart from these */
        memcpy(to, w->centre, (size_t)d * sizeof *to);
        return SMR_OK;
    }
    s->updates = false;
    TRY(pass(ctx, s, drawn));
    for (int64_t t = 0; t < drawn; t++) {
        double left = add_up(s, t);
        if (!(left < least)) continue;
        least = left;
        best = t;
    }
    memcpy(to, s->candidate + best * d, (size_t)d * sizeof *to);
    memmove(s->candidate, to, (size_t)d * sizeof *to);
    s->updates = true;
    TRY(pass(ctx, s, 1));
    *all = add_up(s, 0);
out:
    return st;
}

static smr_status first_plus(smr_ctx *ctx, struct smr_km_work *w, struct start *s, double *all)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < w->rows.n; i++) s->nearest[i] = INFINITY;
    take_row(w, row_by_weight(ctx, w, 0, NULL), w->centre);
    memcpy(s->candidate, w->centre, (size_t)w->rows.d * sizeof *w->centre);
    s->updates = true;
    TRY(pass(ctx, s, 1));
    *all = add_up(s, 0);
out:
    return st;
}

static smr_status start_plus(smr_ctx *ctx, struct smr_km_work *w, struct start *s)
{
    smr_status st = SMR_OK;
    double all = 0;
    TRY(first_plus(ctx, w, s, &all));
    for (int64_t c = 1; c < w->k; c++) TRY(next_plus(ctx, w, s, c, &all));
out:
    return st;
}

/* ---- k-means|| --------------------------------------------------------------------------- */

/* The numbers of plusplus among the rows that were taken, one after the other. */
struct few {
    smr_ctx *ctx;
    const struct smr_km_work *w;
    int64_t next;
};

static double draw_few(void *arg)
{
    struct few *f = arg;
    return draw(f->ctx, f->w, f->next++, MOST_DRAWN);
}

/* Rows that are taken in one round, at most `room`; their number. */
static int64_t take_some(smr_ctx *ctx, const struct smr_km_work *w, const struct start *s,
                         int64_t round, double all, int64_t room, double *to)
{
    const struct smr_km_rows *r = &w->rows;
    int64_t n = 0;
    double by = 2 * (double)w->k / all;
    uint64_t which = draw_number(w, w->k + 1 + round, 0);
    for (int64_t i = 0; i < r->n && n < room; i++) {
        double chance = smr_km_weight(r, i) * s->nearest[i] * by;
        if (!(chance > 0)) continue;
        if (smr_random_unit(ctx->seed, SMR_STREAM_CENTRES, which, (uint64_t)i + 1) < chance)
            take_row(w, i, to + n++ * r->d);
    }
    return n;
}

/* The next m candidates, at s->candidate. */
static smr_status add_candidates(smr_ctx *ctx, struct start *s, double *all, int64_t m,
                                 int64_t have)
{
    smr_status st = SMR_OK;
    double *first = s->candidate;
    for (int64_t lo = 0; lo < m; lo += MOST_DRAWN) {
        s->candidate = first + lo * s->w->rows.d;
        s->first = (int32_t)(have + lo);
        TRY(pass(ctx, s, SMR_MIN(MOST_DRAWN, m - lo)));
        *all = add_up(s, s->m - 1);
    }
out:
    s->candidate = first;
    return st;
}

static smr_status start_parallel(smr_ctx *ctx, struct smr_km_work *w, struct start *s)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    int64_t d = r->d, room = SMR_MIN(r->n, 4 * w->k), have = 1;
    double *point = NULL, *weight = NULL, *near = NULL, *chance = NULL, all = 0;
    double *given = s->candidate;
    TRY_NEW(point, (ROUNDS * room + 1) * d);
    TRY_NEW(weight, ROUNDS * room + 1);
    TRY_NEW(near, ROUNDS * room + 1);
    TRY_NEW(chance, ROUNDS * room + 1);
    TRY_NEW(s->owner, r->n);
    TRY(first_plus(ctx, w, s, &all));
    memcpy(point, w->centre, (size_t)d * sizeof *point);
    for (int64_t round = 0; round < ROUNDS && all > 0; round++) {
        double *to = point + have * d;
        int64_t m = take_some(ctx, w, s, round, all, room, to);
        if (m == 0) continue;
        s->candidate = to;
        TRY(add_candidates(ctx, s, &all, m, have));
        have += m;
    }
    for (int64_t i = 0; i < r->n; i++) weight[s->owner[i]] += smr_km_weight(r, i);
    smr_centres few = {.n = have,
                       .d = d,
                       .k = w->k,
                       .z = point,
                       .weight = weight,
                       .centre = w->centre,
                       .near = near,
                       .chance = chance};
    smr_centres_draw(&few, draw_few, &(struct few){.ctx = ctx, .w = w});
out:
    s->candidate = given;
    smr_free(point);
    smr_free(weight);
    smr_free(near);
    smr_free(chance);
    return st;
}

/* ---- all --------------------------------------------------------------------------------- */

smr_status smr_km_start(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    struct start s = {.w = w};
    int way = w->p->start;
    if (way == SMR_KM_AUTO) way = w->k >= PARALLEL_FROM ? SMR_KM_PARALLEL : SMR_KM_PLUS;
    if (way == SMR_KM_RANDOM) return start_random(ctx, w);
    TRY_NEW(s.nearest, w->rows.n);
    TRY_NEW(s.potential, w->rows.n_blocks * MOST_DRAWN);
    TRY_NEW(s.candidate, MOST_DRAWN * w->rows.d);
    TRY(smr_km_centres_create(ctx, &w->rows, MOST_DRAWN, &s.centres));
    if (way == SMR_KM_FARTHEST)
        TRY(start_farthest(ctx, w, &s));
    else
        TRY(way == SMR_KM_PARALLEL ? start_parallel(ctx, w, &s) : start_plus(ctx, w, &s));
out:
    smr_free(s.nearest);
    smr_free(s.potential);
    smr_free(s.candidate);
    smr_free(s.owner);
    smr_free(s.taken);
    smr_km_centres_release(&s.centres);
    return st;
}
