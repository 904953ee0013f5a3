/* bins_sparse.c -- see bins_sparse.h.
 *
 * Rows are turned into columns of (row, value); each column is a task that finds its cuts from its
 * values and the number of its zeros, and then the cells of its values.  A column has no more cuts
 * than values, in whose place they are kept until all are known. */
#include "learn/trees/bins_sparse.h"

#include "core/parallel.h"
#include "core/rng.h"
#include "learn/trees/bins_parts.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 256,     /* rows read at a time   */
    TASK = 64,       /* columns of a task     */
    ENTRY_BYTES = 10 /* against 1 of a cell   */
};

/* ---- reading ---------------------------------------------------------------------------- */

smr_status smr_sparse_each(smr_ctx *ctx, const smr_data *data, smr_entry_fn fn, void *arg)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_data open = *data;
    open.refuse_missing = false;
    TRY(smr_reader_open(ctx, &open, SMR_FORM_SPARSE, BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++)
            for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
                if (rows.value[e] != 0) fn(arg, lo + i, rows.column[e], rows.value[e]);
    }
out:
    smr_reader_close(reader);
    return st;
}

static void count_entry(void *arg, int64_t row, int32_t column, double value)
{
    (void)row, (void)value;
    ((int64_t *)arg)[column]++;
}

smr_status smr_sparse_bins_pay(smr_ctx *ctx, const smr_data *data, int64_t **count)
{
    smr_status st = SMR_OK;
    int64_t *n = NULL, sum = 0;
    double cells = (double)data->n_rows * (double)data->n_features;
    *count = NULL;
    if (!smr_data_is_sparse(data)) return SMR_OK;
    TRY_NEW(n, SMR_MAX(1, data->n_features));
    TRY(smr_sparse_each(ctx, data, count_entry, n));
    for (int64_t j = 0; j < data->n_features; j++) sum += n[j];
    if ((double)sum * ENTRY_BYTES > cells || sum >= INT32_MAX) goto out;
    *count = n;
    n = NULL;
out:
    smr_free(n);
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

struct job {
    smr_sparse_bins *out;
    int64_t n, d, max_bins, n_sample;
    int64_t *start, *end; /* d + 1, d: entries of a column */
    int32_t *row;
    double *value;
    uint8_t *cell;
    const uint8_t *is_drawn;    /* rows of the sample; NULL: all */
    const double *weight;       /* n: of the rows; NULL: all 1   */
    int64_t most;               /* entries of a column, and one  */
    double *x, *spare;          /* lanes x most                  */
    struct smr_bins_part *part; /* lanes */
};

static void put_entry(void *arg, int64_t row, int32_t column, double value)
{
    struct job *k = arg;
    int64_t at = k->end[column]++;
    k->row[at] = (int32_t)row;
    k->value[at] = value;
}

static bool is_in_sample(const struct job *k, int64_t row)
{
    return !k->is_drawn || k->is_drawn[row];
}

/* The values of a column that are in the sample, into x; their number. */
static int64_t sample_column(const struct job *k, int64_t j, double *x)
{
    int64_t m = 0;
    for (int64_t e = k->start[j]; e < k->end[j]; e++) {
        x[m] = k->value[e];
        m += is_in_sample(k, k->row[e]);
    }
    return m;
}

/* The weights of those values, in the order of their rows, and then that of the zeros. */
static void sample_weights(const struct job *k, int64_t j, double *weight)
{
    double zeros = 0;
    for (int64_t i = 0, e = k->start[j]; i < k->n; i++) {
        bool is_there = e < k->end[j] && k->row[e] == i;
        if (is_in_sample(k, i)) {
            if (is_there)
                *weight++ = k->weight[i];
            else
                zeros += k->weight[i];
        }
        e += is_there;
    }
    *weight = zeros;
}

static smr_status cut_codes(smr_ctx *ctx, const struct job *k, int64_t j,
                            struct smr_bins_part *part)
{
    smr_status st = SMR_OK;
    double *code = NULL, *weight = NULL;
    int64_t n_levels = k->out->bins.n_levels[j], at = 0;
    bool merges = n_levels > k->max_bins;
    TRY_NEW(code, merges ? k->n_sample : 1);
    if (k->weight) TRY_NEW(weight, merges ? k->n_sample : 1);
    for (int64_t i = 0, e = k->start[j]; merges && i < k->n; i++) {
        bool is_there = e < k->end[j] && k->row[e] == i;
        if (is_in_sample(k, i)) {
            if (weight) weight[at] = k->weight[i];
            code[at++] = is_there ? k->value[e] : 0;
        }
        e += is_there;
    }
    TRY(smr_bins_of_codes(ctx, code, weight, at, n_levels, k->max_bins, part));
out:
    smr_free(code);
    smr_free(weight);
    return st;
}

/* The bin of a number, not missing: as many as there are cuts below it. */
static int32_t bin_of(const struct smr_bins_part *part, double x)
{
    int32_t lo = 0, hi = part->n_bins - 1;
    while (lo < hi) {
        int32_t mid = (lo + hi) / 2;
        if (x > part->cut[mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int32_t bin_of_code(const struct smr_bins_part *part, int64_t n_levels, double x)
{
    if (!(x >= 0 && x < (double)n_levels)) return part->n_bins;
    return part->level_bin ? part->level_bin[(int64_t)x] : (int32_t)x;
}

/* Is some value among all rows not that of its bin, which the sample took for exact? */
static bool is_strange(const struct job *k, int64_t j, const struct smr_bins_part *part)
{
    if (!k->is_drawn || !part->is_exact) return false;
    for (int64_t e = k->start[j]; e < k->end[j]; e++) {
        double v = k->value[e];
        if (!isnan(v) && v != part->value[bin_of(part, v)]) return true;
    }
    return k->end[j] - k->start[j] < k->n && part->value[bin_of(part, 0)] != 0;
}

/* Weights move the cuts of a column that has too many values for one bin each. */
static smr_status cut_weighed(smr_ctx *ctx, const struct job *k, int64_t j, int lane,
                              struct smr_bins_part *part)
{
    double *x = k->x + lane * k->most, *weight = k->spare + lane * k->most;
    int64_t m = sample_column(k, j, x);
    sample_weights(k, j, weight);
    x[m] = 0;
    return smr_bins_of_weighed(ctx, x, weight, m + (m < k->n_sample), k->max_bins, part);
}

static smr_status cut_numbers(smr_ctx *ctx, const struct job *k, int64_t j, int lane,
                              struct smr_bins_part *part)
{
    double *x = k->x + lane * k->most, *spare = k->spare + lane * k->most;
    int64_t m = sample_column(k, j, x), n = k->end[j] - k->start[j];
    smr_bins_of_sparse(x, spare, m, k->n_sample - m, k->max_bins, part);
    if (!part->is_exact && k->weight) return cut_weighed(ctx, k, j, lane, part);
    if (!is_strange(k, j, part)) return SMR_OK;
    struct smr_bins_part all;
    memcpy(x, k->value + k->start[j], (size_t)n * sizeof *x);
    smr_bins_of_sparse(x, spare, n, k->n - n, k->max_bins, &all);
    if (all.is_exact) {
        all.level_bin = NULL;
        *part = all;
    } else {
        part->is_exact = false; /* too many values for one bin each: the sample's cuts stay */
    }
    return SMR_OK;
}

/* Cells of the column's values; entries in the bin of 0 go.  Then its cuts take the values'
 * place. */
static void find_cells(const struct job *k, int64_t j, const struct smr_bins_part *part)
{
    smr_bins *bins = &k->out->bins;
    bool codes = bins->is_category[j];
    int64_t n_levels = bins->n_levels[j], at = k->start[j], end = k->end[j];
    int32_t zero = codes ? bin_of_code(part, n_levels, 0) : bin_of(part, 0);
    bool missing = codes && zero == part->n_bins && end - at < k->n;
    for (int64_t e = k->start[j]; e < end; e++) {
        double v = k->value[e];
        int32_t bin = codes      ? bin_of_code(part, n_levels, v)
                      : isnan(v) ? part->n_bins
                                 : bin_of(part, v);
        missing |= bin == part->n_bins;
        k->row[at] = k->row[e];
        k->cell[at] = (uint8_t)(bin < zero ? bin + 1 : bin);
        at += bin != zero;
    }
    k->end[j] = at;
    k->out->zero[j] = zero;
    bins->has_missing[j] = missing;
    bins->n_bins[j] = part->n_bins;
    bins->is_exact[j] = part->is_exact;
    if (!codes)
        memcpy(k->value + k->start[j], part->cut, (size_t)(part->n_bins - 1) * sizeof *k->value);
}

static smr_status bin_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *k = arg;
    smr_status st = SMR_OK;
    struct smr_bins_part *part = &k->part[lane];
    for (int64_t j = task * TASK; j < smr_block_end(k->d, TASK, task); j++) {
        part->level_bin = NULL;
        if (k->out->bins.is_category[j])
            TRY(cut_codes(ctx, k, j, part));
        else
            TRY(cut_numbers(ctx, k, j, lane, part));
        k->out->bins.level_bin[j] = part->level_bin;
        find_cells(k, j, part);
    }
out:
    return st;
}

/* ---- putting them together -------------------------------------------------------------- */

/* One row out of each of n_sample equal parts, as smr_bins_build draws them. */
static smr_status draw_rows(smr_ctx *ctx, struct job *k, uint8_t **is_drawn)
{
    smr_status st = SMR_OK;
    if (k->n_sample == k->n) return SMR_OK;
    TRY_NEW(*is_drawn, k->n);
    for (int64_t s = 0; s < k->n_sample; s++) {
        int64_t lo = s * k->n / k->n_sample, hi = (s + 1) * k->n / k->n_sample;
        (*is_drawn)[lo + smr_random_below(ctx->seed, SMR_STREAM_BINS, (uint64_t)s, 0, hi - lo)] = 1;
    }
    k->is_drawn = *is_drawn;
out:
    return st;
}

static smr_status open_job(smr_ctx *ctx, const int64_t *count, struct job *k)
{
    smr_status st = SMR_OK;
    TRY_NEW(k->start, k->d + 1);
    TRY_NEW(k->end, SMR_MAX(1, k->d));
    k->most = 1;
    for (int64_t j = 0; j < k->d; j++) {
        k->start[j + 1] = k->start[j] + count[j];
        k->end[j] = k->start[j];
        k->most = SMR_MAX(k->most, count[j] + 1);
    }
    int64_t n = SMR_MAX(1, k->start[k->d]);
    k->row = smr_alloc_raw(ctx, n, sizeof *k->row);
    k->value = smr_alloc_raw(ctx, n, sizeof *k->value);
    k->cell = smr_alloc_raw(ctx, n, sizeof *k->cell);
    if (!k->row || !k->value || !k->cell) return SMR_ERR_NOMEM;
    TRY_NEW(k->x, smr_lanes(ctx) * k->most);
    TRY_NEW(k->spare, smr_lanes(ctx) * k->most);
    TRY_NEW(k->part, smr_lanes(ctx));
out:
    return st;
}

static void close_job(struct job *k)
{
    smr_free(k->start);
    smr_free(k->end);
    smr_free(k->row);
    smr_free(k->value);
    smr_free(k->cell);
    smr_free(k->x);
    smr_free(k->spare);
    smr_free(k->part);
}

/* Cuts and entries, one column after another. */
static smr_status keep_columns(smr_ctx *ctx, struct job *k)
{
    smr_status st = SMR_OK;
    smr_sparse_bins *o = k->out;
    smr_bins *bins = &o->bins;
    int64_t at = 0;
    for (int64_t j = 0; j < k->d; j++)
        bins->first[j + 1] = bins->first[j] + (bins->is_category[j] ? 0 : bins->n_bins[j] - 1);
    TRY_NEW(bins->cut, bins->first[k->d] + 1);
    TRY_NEW(o->of_column, k->d + 1);
    for (int64_t j = 0; j < k->d; j++) {
        memcpy(bins->cut + bins->first[j], k->value + k->start[j],
               (size_t)(bins->first[j + 1] - bins->first[j]) * sizeof *bins->cut);
        int64_t n = k->end[j] - k->start[j];
        memmove(k->row + at, k->row + k->start[j], (size_t)n * sizeof *k->row);
        memmove(k->cell + at, k->cell + k->start[j], (size_t)n);
        o->of_column[j + 1] = at += n;
    }
    smr_free(k->value);
    k->value = NULL;
    o->row = k->row, k->row = NULL;
    o->column_cell = k->cell, k->cell = NULL;
out:
    return st;
}

static smr_status turn_back(smr_ctx *ctx, smr_sparse_bins *o)
{
    smr_status st = SMR_OK;
    int64_t n = o->bins.n_rows, d = o->bins.n_features, all = SMR_MAX(1, o->of_column[d]);
    TRY_NEW(o->of_row, n + 2);
    TRY_NEW(o->column, all);
    TRY_NEW(o->row_cell, all);
    int64_t *at = o->of_row + 1; /* at[i]: where row i's next entry goes; in the end its last */
    for (int64_t e = 0; e < o->of_column[d]; e++) at[o->row[e] + 1]++;
    for (int64_t i = 0; i < n; i++) at[i + 1] += at[i];
    for (int64_t j = 0; j < d; j++)
        for (int64_t e = o->of_column[j]; e < o->of_column[j + 1]; e++) {
            int64_t to = at[o->row[e]]++;
            o->column[to] = (int32_t)j;
            o->row_cell[to] = o->column_cell[e];
        }
out:
    return st;
}

smr_status smr_sparse_bins_build(smr_ctx *ctx, const smr_data *data, int64_t max_bins,
                                 const int64_t *count, smr_sparse_bins *out)
{
    smr_status st = SMR_OK;
    uint8_t *is_drawn = NULL;
    struct job k = {.out = out, .n = data->n_rows, .d = data->n_features, .max_bins = max_bins};
    k.weight = data->weight;
    k.n_sample = SMR_MIN(k.n, (int64_t)SMR_BINS_SAMPLE);
    *out = (smr_sparse_bins){0};
    out->bins.n_rows = data->n_rows;
    TRY(smr_bins_make_arrays(ctx, data, &out->bins));
    TRY_NEW(out->bins.has_missing, data->n_features);
    TRY_NEW(out->zero, data->n_features);
    TRY(open_job(ctx, count, &k));
    TRY(draw_rows(ctx, &k, &is_drawn));
    TRY(smr_sparse_each(ctx, data, put_entry, &k));
    TRY(smr_parallel(ctx, NULL, smr_block_count(k.d, TASK), bin_columns, &k));
    TRY(keep_columns(ctx, &k));
    TRY(turn_back(ctx, out));
out:
    close_job(&k);
    smr_free(is_drawn);
    if (st != SMR_OK) smr_sparse_bins_release(out);
    return st;
}

void smr_sparse_bins_release(smr_sparse_bins *b)
{
    smr_bins_release(&b->bins);
    smr_free(b->zero);
    smr_free(b->of_column);
    smr_free(b->row);
    smr_free(b->column_cell);
    smr_free(b->of_row);
    smr_free(b->column);
    smr_free(b->row_cell);
    *b = (smr_sparse_bins){0};
}
