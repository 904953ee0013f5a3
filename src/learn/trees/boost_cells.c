/* boost_cells.c -- the columns that histograms are made from.
 *
 * A constant feature has no column.  Features of which no row has two away from their most common
 * bins (one-hot columns, rare marks) share one: the histogram of a row's 54 columns of which 44 are
 * such becomes one of 12.  Nothing is lost: the common bin's sums are the node's less those of the
 * other bins, and whole numbers subtract exactly.
 *
 * Candidates are features whose most common bin holds at least half of the first rows; they are
 * joined to the first bundle that has room for their bins and no row in common, by bit sets of the
 * rows away from the common bin.  Cost: a pass over the candidates' cells, by all threads; an
 * eighth of a byte per row and bundle, and for BATCH features, while it runs.  Reference: Ke et
 * al., LightGBM, NIPS 2017, section 4 (without conflicts). */
#include "learn/trees/boost.h"

#include "core/parallel.h"

#include <string.h>

enum { SAMPLE = 4096, MOST_BUNDLES = 256, BLOCK_ROWS = 1024, BATCH = 32 };

/* A feature that may be joined to others. */
struct candidate {
    int32_t common;
    bool is_one;
    uint64_t *set; /* rows away from the common bin */
};

struct bundler {
    smr_ctx *ctx;
    smr_bins *bins;
    smr_boost_cells *out;
    int64_t n_words; /* of a set of rows                        */
    int64_t n_bundles;
    uint64_t *taken[MOST_BUNDLES];
    int32_t used[MOST_BUNDLES]; /* cells                            */
    int32_t *bundle;            /* by feature; -1: alone                   */
    int64_t first;              /* feature of the batch                    */
    struct candidate candidate[BATCH];
};

/* The bins a feature really has, with that of missing values. */
static int32_t bins_of(const smr_bins *bins, int64_t j)
{
    return bins->n_bins[j] + (bins->has_missing[j] ? 1 : 0);
}

/* The most common bin among the first rows, if it has half of them; else -1. */
static int32_t common_bin(const smr_bins *bins, int64_t j)
{
    int32_t count[256] = {0}, best = 0;
    int64_t n = SMR_MIN(SAMPLE, bins->n_rows);
    for (int64_t i = 0; i < n; i++) count[bins->cell[i * bins->stride + j]]++;
    for (int32_t b = 1; b < 256; b++) best = count[b] > count[best] ? b : best;
    return 2 * (int64_t)count[best] >= n ? best : -1;
}

/* The rows away from the common bin; false if there are more than half. */
static bool rows_away(const smr_bins *bins, int64_t j, int32_t common, uint64_t *set)
{
    int64_t away = 0;
    for (int64_t i = 0; i < bins->n_rows; i += 64) {
        uint64_t word = 0;
        int64_t m = SMR_MIN(64, bins->n_rows - i);
        const uint8_t *cell = bins->cell + i * bins->stride + j;
        for (int64_t l = 0; l < m; l++) word |= (uint64_t)(cell[l * bins->stride] != common) << l;
        set[i / 64] = word;
        away += __builtin_popcountll(word);
    }
    return 2 * away <= bins->n_rows;
}

static bool meet(int64_t n, const uint64_t *a, const uint64_t *b)
{
    for (int64_t i = 0; i < n; i++)
        if (a[i] & b[i]) return true;
    return false;
}

/* The first bundle that takes the feature, or a new one. */
static smr_status place(struct bundler *u, int64_t j, const struct candidate *a)
{
    smr_ctx *ctx = u->ctx;
    smr_status st = SMR_OK;
    smr_boost_feature *f = &u->out->feature[j];
    int32_t n = f->n_bins - 1;
    int64_t b = 0;
    while (b < u->n_bundles && (u->used[b] + n > 256 || meet(u->n_words, u->taken[b], a->set))) b++;
    if (b == MOST_BUNDLES) return SMR_OK;
    if (b == u->n_bundles) {
        TRY_NEW(u->taken[b], u->n_words);
        u->used[b] = 1;
        u->n_bundles++;
    }
    for (int64_t i = 0; i < u->n_words; i++) u->taken[b][i] |= a->set[i];
    f->common = a->common;
    f->first = u->used[b];
    f->is_bundled = true;
    u->used[b] += n;
    u->bundle[j] = (int32_t)b;
out:
    return st;
}

/* Is a feature of the batch a candidate? */
static smr_status look_at(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct bundler *u = arg;
    struct candidate *a = &u->candidate[task];
    int64_t j = u->first + task;
    int32_t n = u->out->feature[j].n_bins;
    (void)ctx, (void)lane;
    a->common = n > 1 && n <= 128 ? common_bin(u->bins, j) : -1;
    a->is_one = a->common >= 0 && rows_away(u->bins, j, a->common, a->set);
    return SMR_OK;
}

/* Batches of features are looked at side by side; then each finds its bundle, in their order. */
static smr_status make_bundles(smr_ctx *ctx, struct bundler *u)
{
    smr_status st = SMR_OK;
    int64_t d = u->out->n_features;
    for (int64_t i = 0; i < SMR_MIN(BATCH, d); i++)
        TRY_NEW(u->candidate[i].set, SMR_MAX(1, u->n_words));
    for (u->first = 0; u->first < d; u->first += BATCH) {
        int64_t n = SMR_MIN(BATCH, d - u->first);
        TRY(smr_parallel(ctx, NULL, n, look_at, u));
        for (int64_t i = 0; i < n; i++)
            if (u->candidate[i].is_one) TRY(place(u, u->first + i, &u->candidate[i]));
    }
out:
    for (int64_t i = 0; i < BATCH; i++) smr_free(u->candidate[i].set);
    return st;
}

/* A bundle of one feature is not a bundle. */
static void free_the_lonely(struct bundler *u)
{
    for (int64_t b = 0; b < u->n_bundles; b++) {
        int64_t n = 0, last = 0;
        for (int64_t j = 0; j < u->out->n_features; j++)
            if (u->bundle[j] == b) n++, last = j;
        if (n != 1) continue;
        u->bundle[last] = -1;
        u->out->feature[last].is_bundled = false;
        u->used[b] = 0;
    }
}

/* Columns: features alone in their order, then the bundles. */
static smr_status number_columns(smr_ctx *ctx, struct bundler *u)
{
    smr_status st = SMR_OK;
    smr_boost_cells *o = u->out;
    int64_t of_bundle[MOST_BUNDLES], at = 0;
    for (int64_t j = 0; j < o->n_features; j++)
        if (u->bundle[j] < 0 && o->feature[j].n_bins > 1)
            o->feature[j].column = (int32_t)o->n_columns++;
    for (int64_t b = 0; b < u->n_bundles; b++) of_bundle[b] = u->used[b] > 0 ? o->n_columns++ : -1;
    TRY_NEW(o->start, o->n_columns + 1);
    TRY_NEW(o->of_column, o->n_columns + 1);
    TRY_NEW(o->by_column, SMR_MAX(1, o->n_features));
    for (int64_t j = 0; j < o->n_features; j++) {
        smr_boost_feature *f = &o->feature[j];
        if (u->bundle[j] >= 0) f->column = (int32_t)of_bundle[u->bundle[j]];
        if (f->column < 0) continue;
        o->of_column[f->column + 1]++;
        o->start[f->column + 1] = f->is_bundled ? u->used[u->bundle[j]] : f->n_bins;
    }
    for (int64_t c = 0; c < o->n_columns; c++) {
        o->start[c + 1] += o->start[c];
        o->of_column[c + 1] += o->of_column[c];
        for (int64_t j = 0; j < o->n_features; j++)
            if (o->feature[j].column == c) o->by_column[at++] = (int32_t)j;
    }
out:
    return st;
}

/* One block of rows in the new columns. */
static smr_status repack(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct bundler *u = arg;
    const smr_bins *bins = u->bins;
    const smr_boost_cells *o = u->out;
    int64_t hi = smr_block_end(bins->n_rows, BLOCK_ROWS, block);
    (void)ctx, (void)lane;
    for (int64_t i = block * BLOCK_ROWS; i < hi; i++) {
        const uint8_t *from = bins->cell + i * bins->stride;
        uint8_t *to = o->own + i * o->stride;
        for (int64_t j = 0; j < o->n_features; j++) {
            const smr_boost_feature *f = &o->feature[j];
            if (f->column < 0) continue;
            if (!f->is_bundled)
                to[f->column] = from[j];
            else if (from[j] != f->common)
                to[f->column] = (uint8_t)smr_boost_cell(f, from[j]);
        }
    }
    return SMR_OK;
}

static smr_status make_own(smr_ctx *ctx, struct bundler *u)
{
    smr_status st = SMR_OK;
    smr_boost_cells *o = u->out;
    o->stride = o->n_columns;
    o->own = smr_alloc(ctx, o->n_rows * o->stride + 64, 1);
    if (!o->own) return SMR_ERR_NOMEM;
    TRY(smr_parallel(ctx, NULL, smr_block_count(o->n_rows, BLOCK_ROWS), repack, u));
    o->cell = o->own;
    smr_free(u->bins->cell);
    u->bins->cell = NULL;
out:
    return st;
}

smr_status smr_boost_cells_make(smr_ctx *ctx, smr_bins *bins, smr_boost_cells *out)
{
    smr_status st = SMR_OK;
    int64_t d = bins->n_features;
    struct bundler u = {.ctx = ctx, .bins = bins, .out = out};
    *out = (smr_boost_cells){
        .n_rows = bins->n_rows, .n_features = d, .stride = bins->stride, .cell = bins->cell};
    u.n_words = smr_block_count(bins->n_rows, 64);
    TRY_NEW(out->feature, SMR_MAX(1, d));
    TRY_NEW(u.bundle, SMR_MAX(1, d));
    for (int64_t j = 0; j < d; j++) {
        u.bundle[j] = -1;
        out->feature[j] = (smr_boost_feature){.column = -1,
                                              .n_bins = bins_of(bins, j),
                                              .has_missing = bins->has_missing[j],
                                              .is_category = bins->is_category[j]};
    }
    TRY(make_bundles(ctx, &u));
    free_the_lonely(&u);
    TRY(number_columns(ctx, &u));
    if (out->n_columns < d) TRY(make_own(ctx, &u));
out:
    for (int64_t b = 0; b < u.n_bundles; b++) smr_free(u.taken[b]);
    smr_free(u.bundle);
    return st;
}

smr_status smr_boost_cells_sparse(smr_ctx *ctx, const smr_sparse_bins *sparse, smr_boost_cells *out)
{
    smr_status st = SMR_OK;
    const smr_bins *bins = &sparse->bins;
    int64_t d = bins->n_features, n_columns = 0;
    *out = (smr_boost_cells){.n_rows = bins->n_rows, .n_features = d, .sparse = sparse};
    TRY_NEW(out->feature, SMR_MAX(1, d));
    TRY_NEW(out->start, d + 1);
    TRY_NEW(out->of_column, d + 1);
    TRY_NEW(out->by_column, SMR_MAX(1, d));
    for (int64_t j = 0; j < d; j++) {
        int32_t n = bins_of(bins, j);
        out->feature[j] = (smr_boost_feature){.column = n > 1 ? (int32_t)j : -1,
                                              .first = 1,
                                              .common = sparse->zero[j],
                                              .n_bins = n,
                                              .has_missing = bins->has_missing[j],
                                              .is_category = bins->is_category[j],
                                              .is_bundled = true};
        out->by_column[j] = (int32_t)j;
        out->of_column[j + 1] = j + 1;
        out->start[j + 1] = out->start[j] + n - 1;
        n_columns += n > 1;
    }
    out->n_columns = n_columns > 0 ? d : 0;
out:
    return st;
}

void smr_boost_cells_release(smr_boost_cells *cells)
{
    smr_free(cells->own);
    smr_free(cells->start);
    smr_free(cells->of_column);
    smr_free(cells->by_column);
    smr_free(cells->feature);
    *cells = (smr_boost_cells){0};
}
