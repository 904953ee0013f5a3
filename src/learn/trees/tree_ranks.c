/* tree_ranks.c -- numbers with many values: their ranks, and the rows in their order.
 *
 * A feature's rows are put in the order of their bins first, by one thread; then bins that follow
 * one another, of about SEGMENT rows, are sorted each for themselves, by all threads: features are
 * few where threads are many.  Bins are in the order of the values, and equal values are in one, so
 * that this is the order of all; rows of equal values keep theirs.
 * Memory besides the result: 40 bytes per row of a segment, for each thread. */
#include "learn/trees/tree_parts.h"

#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { SEGMENT = 4096, BINS = SMR_BINS_MOST + 1 };

/* Rows [lo, hi) of order[feature]. */
struct segment {
    int64_t feature, lo, hi;
    int64_t n_codes; /* distinct values: at value[feature] + lo, while they are sorted */
    int64_t first;   /* codes before them                                               */
};

struct segments {
    smr_tree_codes *codes;
    struct segment *of;
    int64_t n, room;
};

smr_status smr_tree_rank_begin(smr_ctx *ctx, smr_tree_codes *c, int64_t j, const double *x)
{
    smr_status st = SMR_OK;
    const uint8_t *cell = c->bins.cell + j * c->bins.stride;
    int64_t start[BINS + 1] = {0};
    c->value[j] = smr_alloc_raw(ctx, c->n, sizeof **c->value);
    if (!c->value[j]) TRY(SMR_ERR_NOMEM);
    c->order[j] = smr_alloc_raw(ctx, c->n, sizeof **c->order);
    if (!c->order[j]) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < c->n; i++) start[cell[i] + 1]++;
    for (int b = 0; b < BINS; b++) start[b + 1] += start[b];
    for (int64_t i = 0; i < c->n; i++) {
        int64_t at = start[cell[i]]++;
        c->value[j][at] = x[i];
        c->order[j][at] = (uint32_t)i;
    }
out:
    return st;
}

/* ---- segments ---- */

static smr_status add_segment(smr_ctx *ctx, struct segments *s, struct segment one)
{
    if (s->n == s->room) {
        int64_t room = 2 * s->room + 64;
        struct segment *more = s->of ? smr_realloc(ctx, s->of, room, sizeof *more)
                                     : smr_alloc(ctx, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        s->of = more;
        s->room = room;
    }
    s->of[s->n++] = one;
    return SMR_OK;
}

/* From one change of bins to another, at least SEGMENT rows away. */
static smr_status cut_feature(smr_ctx *ctx, struct segments *s, int64_t j)
{
    smr_status st = SMR_OK;
    const smr_tree_codes *c = s->codes;
    const uint8_t *cell = c->bins.cell + j * c->bins.stride;
    const uint32_t *order = c->order[j];
    for (int64_t lo = 0, hi; lo < c->n; lo = hi) {
        hi = SMR_MIN(c->n, lo + SEGMENT);
        while (hi < c->n && cell[order[hi]] == cell[order[hi - 1]]) hi++;
        TRY(add_segment(ctx, s, (struct segment){.feature = j, .lo = lo, .hi = hi}));
    }
out:
    return st;
}

/* order: the highest bit says the last of its code (smr_sort_rows: the first). */
static smr_status sort_segment(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    const struct segments *s = arg;
    struct segment *g = &s->of[task];
    int64_t n = g->hi - g->lo;
    double *value = s->codes->value[g->feature] + g->lo, *x = NULL;
    uint32_t *order = s->codes->order[g->feature] + g->lo, *row = NULL, *sorted = NULL;
    uint64_t *room = NULL;
    (void)lane;
    x = smr_alloc_raw(ctx, n, sizeof *x);
    row = smr_alloc_raw(ctx, n, sizeof *row);
    sorted = smr_alloc_raw(ctx, n, sizeof *sorted);
    room = smr_alloc_raw(ctx, 2 * n, sizeof *room);
    if (!x || !row || !sorted || !room) TRY(SMR_ERR_NOMEM);
    memcpy(x, value, (size_t)n * sizeof *x);
    memcpy(row, order, (size_t)n * sizeof *row);
    smr_sort_rows(n, x, sorted, room);
    for (int64_t i = 0; i < n; i++) {
        uint32_t at = sorted[i] & ~SMR_NEW_VALUE;
        bool last = i + 1 == n || sorted[i + 1] >= SMR_NEW_VALUE || isnan(x[at]);
        order[i] = row[at] | (last ? ~(uint32_t)SMR_TREE_ROW : 0);
        if (sorted[i] >= SMR_NEW_VALUE && !isnan(x[at])) value[g->n_codes++] = x[at];
    }
out:
    smr_free(x);
    smr_free(row);
    smr_free(sorted);
    smr_free(room);
    return st;
}

/* Values of the segments one after another, and how many come before each. */
static void join_segments(const struct segments *s)
{
    smr_tree_codes *c = s->codes;
    for (int64_t i = 0; i < s->n; i++) {
        struct segment *g = &s->of[i];
        double *value = c->value[g->feature];
        g->first = c->n_codes[g->feature] = g->lo == 0 ? 0 : c->n_codes[g->feature];
        memmove(value + g->first, value + g->lo, (size_t)g->n_codes * sizeof *value);
        c->n_codes[g->feature] += g->n_codes;
    }
}

/* The code of a missing value comes after all others, and so do their rows. */
static smr_status write_codes(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct segments *s = arg;
    const struct segment *g = &s->of[task];
    const uint32_t *order = s->codes->order[g->feature];
    uint32_t *wide = s->codes->wide[g->feature];
    uint32_t code = (uint32_t)g->first, most = (uint32_t)s->codes->n_codes[g->feature];
    (void)ctx, (void)lane;
    for (int64_t i = g->lo; i < g->hi; i++) {
        wide[order[i] & SMR_TREE_ROW] = SMR_MIN(code, most);
        code += order[i] > SMR_TREE_ROW;
    }
    return SMR_OK;
}

smr_status smr_tree_rank(smr_ctx *ctx, smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    struct segments s = {.codes = c};
    for (int64_t j = 0; j < c->d; j++)
        if (c->order[j]) TRY(cut_feature(ctx, &s, j));
    if (s.n == 0) return SMR_OK;
    TRY(smr_parallel(ctx, "sorting features", s.n, sort_segment, &s));
    join_segments(&s);
    TRY(smr_parallel(ctx, NULL, s.n, write_codes, &s));
out:
    smr_free(s.of);
    return st;
}
