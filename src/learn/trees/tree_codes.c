/* tree_codes.c -- features as whole numbers in the order of their values.
 *
 * A feature with at most 255 values has one byte per cell (bins.h), and a histogram of it finds the
 * very splits that sorting finds.  For other numbers the code is the rank among the distinct
 * values, 4 bytes per cell, and the rows are kept in their order (4 bytes more): nodes are searched
 * by sorting.  With search=histogram, or by itself above EXACT_ROWS rows, their bins of about equal
 * weight are used instead.  A category with more than 255 levels keeps its codes, in 4 bytes.
 *
 * The codes depend on the features, and bins on the weights: another fit on the same rows finds
 * them in data->shared, made by the weights that are named there.
 * Cost: bins; n log n for each wide feature, by all threads. */
#include "learn/trees/tree_sparse.h"

#include <math.h>
#include <string.h>

enum { EXACT_ROWS = 1000000 };

static const char owner; /* its address is the key in data->shared */

/* ---- wide features ---- */

static bool is_searched_by_bins(const smr_data *data, int search)
{
    return search == SMR_TREE_HISTOGRAM ||
           (search == SMR_TREE_SEARCH_AUTO && data->n_rows > EXACT_ROWS);
}

/* The 256 values of a byte, none missing: one more than bins hold, but a byte holds their codes. */
static smr_status rank_bytes(smr_ctx *ctx, smr_tree_codes *c, int64_t j, const double *x,
                             bool *done)
{
    smr_status st = SMR_OK;
    uint8_t *cell = c->bins.cell + j * c->bins.stride;
    *done = true;
    for (int64_t i = 0; i < c->n && *done; i++)
        *done = x[i] >= 0 && x[i] <= 255 && x[i] == floor(x[i]);
    if (!*done) return SMR_OK;
    TRY_NEW(c->value[j], 256);
    c->n_codes[j] = 256;
    for (int64_t v = 0; v < 256; v++) c->value[j][v] = (double)v;
    for (int64_t i = 0; i < c->n; i++) cell[i] = (uint8_t)x[i];
    smr_free(c->wide[j]);
    c->wide[j] = NULL;
out:
    return st;
}

static void copy_codes(smr_tree_codes *c, int64_t j, const double *x)
{
    c->n_codes[j] = c->n_levels[j];
    for (int64_t i = 0; i < c->n; i++) {
        bool known = x[i] >= 0 && x[i] < (double)c->n_levels[j];
        c->wide[j][i] = known ? (uint32_t)x[i] : (uint32_t)c->n_levels[j];
    }
}

struct widening {
    smr_tree_codes *codes;
    const smr_data *data;
    const int64_t *feature;
};

static smr_status widen(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct widening *w = arg;
    smr_tree_codes *c = w->codes;
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t j = w->feature[task];
    bool done = false;
    (void)lane;
    x = smr_alloc_raw(ctx, c->n, sizeof *x);
    c->wide[j] = smr_alloc_raw(ctx, c->n, sizeof **c->wide);
    if (!x || !c->wide[j]) TRY(SMR_ERR_NOMEM);
    TRY(smr_data_column(ctx, w->data, j, x));
    if (c->is_category[j])
        copy_codes(c, j, x);
    else
        TRY(rank_bytes(ctx, c, j, x, &done));
    if (!c->is_category[j] && !done) TRY(smr_tree_rank_begin(ctx, c, j, x));
out:
    smr_free(x);
    return st;
}

/* ---- bytes ---- */

/* A table of bytes: its columns as they are, then for each column the ranks of the values that
 * occur, which a byte always holds. */
struct bytes {
    smr_tree_codes *codes;
    const smr_data *data;
};

enum { BYTE_ROWS = 256 };

static smr_status turn_bytes(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct bytes *b = arg;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t lo = task * BYTE_ROWS, hi = smr_block_end(b->codes->n, BYTE_ROWS, task);
    (void)lane;
    TRY(smr_reader_open(ctx, b->data, SMR_FORM_U8, BYTE_ROWS, &reader));
    TRY(smr_reader_rows(ctx, reader, lo, hi, &rows));
    for (int64_t j = 0; j < b->codes->d; j++) {
        uint8_t *cell = b->codes->bins.cell + j * b->codes->bins.stride + lo;
        const uint8_t *x = (const uint8_t *)rows.x + j;
        for (int64_t i = 0; i < rows.n; i++) cell[i] = x[i * rows.stride];
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status rank_column(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    struct bytes *b = arg;
    smr_tree_codes *c = b->codes;
    smr_status st = SMR_OK;
    uint8_t *cell = c->bins.cell + j * c->bins.stride, occurs[256] = {0}, code[256];
    int64_t k = 0;
    (void)lane;
    for (int64_t i = 0; i < c->n; i++) occurs[cell[i]] = 1;
    TRY_NEW(c->value[j], 256);
    for (int v = 0; v < 256; v++) {
        code[v] = (uint8_t)k;
        if (occurs[v]) c->value[j][k++] = v;
    }
    c->n_codes[j] = k;
    if (k == 0 || c->value[j][k - 1] == (double)(k - 1)) return SMR_OK; /* their own ranks */
    for (int64_t i = 0; i < c->n; i++) cell[i] = code[cell[i]];
out:
    return st;
}

static bool is_all_bytes(const smr_data *data)
{
    if (smr_data_natural_form(data) != SMR_FORM_U8) return false;
    for (int64_t j = 0; data->features && j < data->n_features; j++)
        if (data->features[j].kind == SMR_CATEGORY) return false;
    return true;
}

static smr_status take_bytes(smr_ctx *ctx, const smr_data *data, smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    struct bytes b = {c, data};
    c->bins.layout = SMR_BINS_BY_COLUMN;
    c->bins.n_rows = c->n;
    c->bins.n_features = c->d;
    c->bins.stride = (c->n + 63) / 64 * 64 + 64;
    TRY(smr_memory_check(ctx, (double)c->bins.stride * (double)c->d, "one byte for each cell",
                         "use fewer rows or features"));
    c->bins.cell = smr_alloc_raw(ctx, c->bins.stride * c->d, 1);
    if (!c->bins.cell) TRY(SMR_ERR_NOMEM);
    TRY(smr_parallel(ctx, NULL, smr_block_count(c->n, BYTE_ROWS), turn_bytes, &b));
    TRY(smr_parallel(ctx, NULL, c->d, rank_column, &b));
out:
    return st;
}

static smr_status widen_all(smr_ctx *ctx, const smr_data *data, smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    int64_t *feature = NULL, n_wide = 0;
    bool by_bins = is_searched_by_bins(data, c->search);
    TRY_NEW(feature, c->d);
    for (int64_t j = 0; j < c->d; j++) {
        bool narrow = c->bins.is_exact[j] && !c->bins.level_bin[j];
        if (narrow || (by_bins && !c->is_category[j]))
            c->n_rounded += !narrow;
        else
            feature[n_wide++] = j;
    }
    struct widening w = {c, data, feature};
    TRY(smr_parallel(ctx, NULL, n_wide, widen, &w));
    TRY(smr_tree_rank(ctx, c));
out:
    smr_free(feature);
    return st;
}

/* ---- all features ---- */

static void count_cells(smr_tree_codes *c)
{
    for (int64_t j = 0; j < c->d; j++)
        c->first_cell[j + 1] = c->first_cell[j] + (c->wide[j] ? 0 : c->n_codes[j] + 1);
}

static smr_status take_bins(smr_ctx *ctx, const smr_data *data, smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    TRY(smr_bins_build(ctx, data, SMR_BINS_MOST, SMR_BINS_BY_COLUMN, &c->bins));
    for (int64_t j = 0; j < c->d; j++) {
        c->n_codes[j] = c->bins.n_bins[j];
        c->is_category[j] = c->bins.is_category[j];
        c->n_levels[j] = c->bins.n_levels[j];
    }
    TRY(widen_all(ctx, data, c));
out:
    return st;
}

static smr_status make(smr_ctx *ctx, const smr_data *data, int search, bool may_be_sparse,
                       smr_tree_codes **out)
{
    smr_status st = SMR_OK;
    smr_tree_codes *c = NULL;
    int64_t *count = NULL;
    int64_t d = data->n_features;
    TRY_NEW(c, 1);
    c->n = data->n_rows;
    c->d = d;
    c->search = search;
    TRY_NEW(c->narrow, d);
    TRY_NEW(c->wide, d);
    TRY_NEW(c->order, d);
    TRY_NEW(c->value, d);
    TRY_NEW(c->n_codes, d);
    TRY_NEW(c->n_levels, d);
    TRY_NEW(c->is_category, d);
    TRY_NEW(c->first_cell, d + 1);
    if (may_be_sparse) TRY(smr_sparse_bins_pay(ctx, data, &count));
    if (count)
        TRY(smr_tree_sparse_make(ctx, data, is_searched_by_bins(data, search), count, c));
    else
        TRY(is_all_bytes(data) ? take_bytes(ctx, data, c) : take_bins(ctx, data, c));
    for (int64_t j = 0; j < d && !count; j++)
        c->narrow[j] = c->wide[j] ? NULL : c->bins.cell + j * c->bins.stride;
    if (!count) count_cells(c);
    *out = c;
    c = NULL;
out:
    smr_free(count);
    smr_tree_codes_free(c);
    return st;
}

void smr_tree_codes_free(void *codes)
{
    smr_tree_codes *c = codes;
    if (!c) return;
    for (int64_t j = 0; j < c->d; j++) {
        if (c->wide) smr_free(c->wide[j]);
        if (c->order) smr_free(c->order[j]);
        if (c->value) smr_free(c->value[j]);
    }
    smr_bins_release(&c->bins);
    smr_tree_sparse_free(c->sparse);
    smr_free(c->narrow);
    smr_free(c->wide);
    smr_free(c->order);
    smr_free(c->value);
    smr_free(c->n_codes);
    smr_free(c->n_levels);
    smr_free(c->is_category);
    smr_free(c->first_cell);
    smr_free(c);
}

smr_status smr_tree_codes_get(smr_ctx *ctx, const smr_data *data, int search, bool may_be_sparse,
                              const smr_tree_codes **out, smr_tree_codes **own)
{
    smr_status st = SMR_OK;
    smr_shared *shared = data->shared;
    smr_tree_codes *made = NULL;
    *own = NULL;
    if (shared && shared->owner == &owner) {
        const smr_tree_codes *kept = shared->kept;
        if (kept->search == search && kept->n == data->n_rows && kept->d == data->n_features &&
            (may_be_sparse || !kept->sparse)) {
            *out = kept;
            return SMR_OK;
        }
    }
    smr_data weighed = *data;
    if (shared) weighed.weight = shared->weight;
    TRY(make(ctx, &weighed, search, may_be_sparse, &made));
    *out = made;
    if (!shared) {
        *own = made;
        return SMR_OK;
    }
    if (shared->release) shared->release(shared->kept);
    shared->owner = &owner;
    shared->kept = made;
    shared->release = smr_tree_codes_free;
out:
    return st;
}

/* ---- between codes ---- */

double smr_tree_cut(const smr_tree_codes *codes, int64_t j, int64_t c)
{
    if (!codes->value[j]) return codes->bins.cut[codes->bins.first[j] + c];
    double a = codes->value[j][c], b = codes->value[j][c + 1];
    double middle = a + (b - a) / 2;
    if (!isfinite(middle)) middle = a / 2 + b / 2;
    return middle >= a && middle < b ? middle : a;
}

int64_t smr_tree_middle(const smr_tree_codes *codes, int64_t j, int64_t a, int64_t b)
{
    double low = smr_tree_cut(codes, j, a), high = smr_tree_cut(codes, j, b - 1);
    double middle = low / 2 + high / 2;
    int64_t lo = a, hi = b - 1; /* the first cut that is not below the middle */
    while (lo < hi) {
        int64_t at = lo + (hi - lo) / 2;
        if (smr_tree_cut(codes, j, at) >= middle)
            hi = at;
        else
            lo = at + 1;
    }
    return lo;
}
