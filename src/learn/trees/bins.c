/* bins.c -- see bins.h: a sample gives the cuts, then one pass over all rows gives the cells.
 *
 * A feature that shows few distinct values in the sample is checked when the cells are made: where
 * another value turns up, all its values are looked at, and its cells are made again. */
#include "learn/trees/bins.h"

#include "core/parallel.h"
#include "learn/trees/bins_parts.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 256, /* rows read at a time, at most            */
    TASK = 1024, /* rows of a task                          */
    LINE = 64,
    PADDING = 64 /* bytes after the cells                   */
};
static const int64_t BLOCK_BYTES = 256 << 10;

/* ---- putting bins together -------------------------------------------------------------- */

smr_status smr_bins_make_arrays(smr_ctx *ctx, const smr_data *data, smr_bins *bins)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    bins->n_features = d;
    TRY_NEW(bins->n_bins, d);
    TRY_NEW(bins->first, d + 1);
    TRY_NEW(bins->is_category, d);
    TRY_NEW(bins->is_exact, d);
    TRY_NEW(bins->level_bin, d);
    TRY_NEW(bins->n_levels, d);
    for (int64_t j = 0; data->features && j < d; j++) {
        const smr_feature *f = &data->features[j];
        bins->is_category[j] = f->kind == SMR_CATEGORY;
        bins->n_levels[j] = f->kind == SMR_CATEGORY ? f->n_levels : 0;
    }
out:
    return st;
}

static smr_status make_cells(smr_ctx *ctx, const smr_data *data, smr_bins *bins)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, d = data->n_features;
    bins->n_rows = n;
    bins->stride = d;
    if (bins->layout == SMR_BINS_BY_COLUMN) {
        bins->stride = (n + LINE - 1) / LINE * LINE;
        if (bins->stride % 4096 == 0) bins->stride += LINE; /* columns in one set of the cache */
    }
    int64_t lines = bins->layout == SMR_BINS_BY_COLUMN ? d : n;
    TRY(smr_memory_check(ctx, (double)bins->stride * (double)lines, "one byte for each cell",
                         "use fewer rows or features"));
    TRY_NEW(bins->has_missing, d);
    bins->cell = smr_alloc_raw(ctx, lines * bins->stride + PADDING, 1);
    if (!bins->cell) return SMR_ERR_NOMEM;
    memset(bins->cell + lines * bins->stride, 0, PADDING);
out:
    return st;
}

/* ---- cells ------------------------------------------------------------------------------ */

struct cell_job {
    const smr_data *data;
    smr_bins *bins;
    struct smr_bin_finders finders;
    smr_form form;
    int64_t block;
    struct smr_readers readers;
    bool *missing, *strange; /* lanes x n_features                      */
    const bool *only;        /* n_features: these alone; NULL: all      */
};

static void put_cells(const smr_bins *bins, int64_t i, int64_t j, int64_t n, const uint8_t *cell)
{
    uint8_t *to = bins->cell + i * bins->stride + j;
    for (int64_t r = 0; r < n; r++) to[r * bins->stride] = cell[r];
}

static void byte_cells(const struct cell_job *job, const smr_rows *rows, int64_t j, uint8_t *to)
{
    const uint8_t *x = (const uint8_t *)rows->x + j, *table = job->finders.find[j].table;
    for (int64_t r = 0; r < rows->n; r++) to[r] = table[x[r * rows->stride]];
}

static void number_cells(struct cell_job *job, const smr_rows *rows, int64_t j, int lane,
                         uint8_t *to)
{
    double column[BLOCK];
    const smr_bins *bins = job->bins;
    const double *x = (const double *)rows->x + j;
    const float *f = (const float *)rows->x + j;
    int64_t at = lane * bins->n_features + j;
    if (rows->form == SMR_FORM_F32)
        for (int64_t r = 0; r < rows->n; r++) column[r] = (double)f[r * rows->stride];
    else
        for (int64_t r = 0; r < rows->n; r++) column[r] = x[r * rows->stride];
    smr_bins_find(&job->finders.find[j], column, rows->n, to, &job->missing[at], &job->strange[at]);
}

static void block_cells(struct cell_job *job, const smr_rows *rows, int lane)
{
    const smr_bins *bins = job->bins;
    uint8_t here[BLOCK];
    bool by_row = bins->layout == SMR_BINS_BY_ROW;
    for (int64_t j = 0; j < bins->n_features; j++) {
        if (job->only && !job->only[j]) continue;
        uint8_t *to = by_row ? here : bins->cell + j * bins->stride + rows->first;
        if (rows->form == SMR_FORM_U8)
            byte_cells(job, rows, j, to);
        else
            number_cells(job, rows, j, lane, to);
        if (by_row) put_cells(bins, rows->first, j, rows->n, here);
    }
}

static smr_status fill_cells(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct cell_job *job = arg;
    smr_status st = SMR_OK;
    int64_t end = smr_block_end(job->data->n_rows, TASK, task);
    TRY(smr_reader_of(ctx, &job->readers, lane, job->data, job->form, job->block));
    for (int64_t lo = task * TASK; lo < end; lo += job->block) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, job->readers.of[lane], lo, SMR_MIN(end, lo + job->block), &rows));
        block_cells(job, &rows, lane);
    }
out:
    return st;
}

/* values: of bins that are to be checked, as in take_group; strange (n_features, zeroed, may be
 * NULL): where the check failed. */
static smr_status cells(smr_ctx *ctx, const smr_data *data, smr_bins *bins, const double *values,
                        const bool *only, bool *strange)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    smr_data open = *data;
    open.refuse_missing = false;
    struct cell_job job = {.data = &open, .bins = bins, .only = only};
    job.form = smr_data_natural_form(data);
    int64_t row = SMR_MAX(1, d) * (job.form == SMR_FORM_U8 ? 1 : job.form == SMR_FORM_F32 ? 4 : 8);
    job.block = SMR_MIN(BLOCK, SMR_MAX(32, BLOCK_BYTES / row));
    TRY(smr_readers_begin(ctx, &job.readers));
    TRY(smr_bin_finders_make(ctx, bins, job.form == SMR_FORM_U8, &job.finders));
    for (int64_t j = 0; values && j < d; j++)
        if (bins->is_exact[j] && !bins->is_category[j])
            job.finders.find[j].value = values + j * SMR_BINS_MOST;
    TRY_NEW(job.missing, smr_lanes(ctx) * d);
    TRY_NEW(job.strange, smr_lanes(ctx) * d);
    TRY(smr_parallel(ctx, NULL, smr_block_count(data->n_rows, TASK), fill_cells, &job));
    for (int64_t k = 0; k < smr_lanes(ctx) * d; k++) {
        bins->has_missing[k % d] |= job.missing[k];
        if (strange) strange[k % d] |= job.strange[k];
    }
out:
    smr_free(job.missing);
    smr_free(job.strange);
    smr_bin_finders_release(&job.finders);
    smr_readers_end(&job.readers);
    return st;
}

/* ---- values that the sample did not show ------------------------------------------------- */

/* Puts x among `n` ascending values; more than max_bins are not kept.  Returns how many. */
static int64_t insert_value(double *value, int64_t n, int64_t max_bins, double x)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (value[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < n && value[lo] == x) return n;
    if (n == max_bins) return n + 1;
    memmove(value + lo + 1, value + lo, (size_t)(n - lo) * sizeof *value);
    value[lo] = x + 0.0;
    return n + 1;
}

struct strange_job {
    const smr_data *data;
    int64_t max_bins;
    const int64_t *feature;
    struct smr_bins_part *part;
};

static smr_status look_at_all(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    const struct strange_job *job = arg;
    smr_status st = SMR_OK;
    double value[SMR_BINS_MOST];
    int64_t n = 0, j = job->feature[task];
    smr_reader *reader = NULL;
    bool columns = smr_has_columns(job->data);
    smr_data part = columns ? smr_some_features(job->data, j, 1) : *job->data;
    part.refuse_missing = false;
    TRY(smr_reader_open(ctx, &part, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < part.n_rows && n <= job->max_bins; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(part.n_rows, lo + BLOCK), &rows));
        const double *x = (const double *)rows.x + (columns ? 0 : j);
        for (int64_t r = 0; r < rows.n && n <= job->max_bins; r++)
            if (!isnan(x[r * rows.stride]))
                n = insert_value(value, n, job->max_bins, x[r * rows.stride]);
    }
    job->part[task].n_bins = 0;
    if (n <= job->max_bins) smr_bins_of_distinct(value, n, &job->part[task]);
out:
    smr_reader_close(reader);
    return st;
}

/* The cuts again, with those of the strange features as they now are.  A part without bins: too
 * many values for one bin each; the sample's cuts stay. */
static smr_status change_cuts(smr_ctx *ctx, smr_bins *bins, const int64_t *feature, int64_t n,
                              struct smr_bins_part *part)
{
    smr_status st = SMR_OK;
    int64_t *old = NULL, k = 0;
    double *cut = bins->cut;
    TRY_NEW(old, bins->n_features + 1);
    memcpy(old, bins->first, (size_t)(bins->n_features + 1) * sizeof *old);
    bins->cut = NULL;
    for (int64_t j = 0; j < bins->n_features; j++) {
        struct smr_bins_part same = {.n_bins = bins->n_bins[j], .is_exact = bins->is_exact[j]};
        bool is_strange = k < n && feature[k] == j;
        memcpy(same.cut, cut + old[j], (size_t)(old[j + 1] - old[j]) * sizeof *cut);
        same.level_bin = bins->level_bin[j];
        if (is_strange) same.is_exact = false;
        struct smr_bins_part *now = is_strange && part[k].n_bins > 0 ? &part[k] : &same;
        TRY(smr_bins_take(ctx, bins, j, now));
        k += is_strange;
    }
out:
    smr_free(cut);
    smr_free(old);
    return st;
}

static smr_status mend(smr_ctx *ctx, const smr_data *data, int64_t max_bins, smr_bins *bins,
                       const bool *strange)
{
    smr_status st = SMR_OK;
    int64_t *feature = NULL, n = 0;
    struct smr_bins_part *part = NULL;
    TRY_NEW(feature, bins->n_features);
    for (int64_t j = 0; j < bins->n_features; j++)
        if (strange[j]) feature[n++] = j;
    if (n == 0) goto out;
    TRY_NEW(part, n);
    struct strange_job job = {data, max_bins, feature, part};
    TRY(smr_parallel(ctx, NULL, n, look_at_all, &job));
    TRY(change_cuts(ctx, bins, feature, n, part));
    TRY(cells(ctx, data, bins, NULL, strange, NULL));
out:
    smr_free(feature);
    smr_free(part);
    return st;
}

/* ---- bins ------------------------------------------------------------------------------- */

smr_status smr_bins_build(smr_ctx *ctx, const smr_data *data, int64_t max_bins,
                          smr_bins_layout layout, smr_bins *out)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    double *values = NULL;
    bool *strange = NULL, bytes = smr_data_natural_form(data) == SMR_FORM_U8;
    *out = (smr_bins){.layout = layout};
    TRY(smr_bins_make_arrays(ctx, data, out));
    TRY(make_cells(ctx, data, out));
    TRY_NEW(strange, d);
    if (bytes) {
        TRY(smr_bins_cut_bytes(ctx, data, max_bins, out));
    } else {
        if (data->n_rows > SMR_BINS_SAMPLE) TRY_NEW(values, d * SMR_BINS_MOST);
        TRY(smr_bins_cut_sample(ctx, data, max_bins, out, values));
    }
    TRY(cells(ctx, data, out, values, NULL, strange));
    if (values) TRY(mend(ctx, data, max_bins, out, strange));
out:
    smr_free(values);
    smr_free(strange);
    if (st != SMR_OK) smr_bins_release(out);
    return st;
}

void smr_bins_release(smr_bins *bins)
{
    smr_free(bins->cell);
    smr_free(bins->has_missing);
    for (int64_t j = 0; bins->level_bin && j < bins->n_features; j++) smr_free(bins->level_bin[j]);
    smr_free(bins->n_bins);
    smr_free(bins->first);
    smr_free(bins->cut);
    smr_free(bins->is_category);
    smr_free(bins->is_exact);
    smr_free(bins->level_bin);
    smr_free(bins->n_levels);
    *bins = (smr_bins){0};
}
