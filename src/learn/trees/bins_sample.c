/* bins_sample.c -- what the cuts are made from: counts of bytes, or a sample of rows.
 *
 * Bytes are counted, all of them.  For other features a sample of rows is read, one drawn from each
 * of SMR_BINS_SAMPLE equal parts of the rows (all rows where there are no more), a group of
 * features at a time so that the sample stays small: computed data of many features are computed
 * once for each group. */
#include "learn/trees/bins_parts.h"

#include "core/parallel.h"
#include "core/rng.h"

#include <string.h>

enum {
    BLOCK = 256,           /* rows read at a time, at most             */
    LEAST_BLOCK = 8,       /* and at least: a line of a value's column */
    BLOCK_BYTES = 4 << 20, /* of wide rows no more than that           */
    TASK = 1024,           /* rows of a task                           */
    WIDE = 512,            /* features: then a byte task takes a line */
    LINE = 64,
    FEW = 4 /* features counted at a time */
};
static const int64_t SAMPLE_BYTES = 96 << 20;

/* ---- readers of the lanes --------------------------------------------------------------- */

smr_status smr_readers_begin(smr_ctx *ctx, struct smr_readers *r)
{
    smr_status st = SMR_OK;
    r->lanes = smr_lanes(ctx);
    TRY_NEW(r->of, r->lanes);
out:
    return st;
}

void smr_readers_end(struct smr_readers *r)
{
    for (int i = 0; r->of && i < r->lanes; i++) smr_reader_close(r->of[i]);
    smr_free(r->of);
    r->of = NULL;
}

smr_status smr_reader_of(smr_ctx *ctx, struct smr_readers *r, int lane, const smr_data *data,
                         smr_form form, int64_t rows)
{
    if (r->of[lane]) return SMR_OK;
    return smr_reader_open(ctx, data, form, rows, &r->of[lane]);
}

/* Features [j, j + n) of data that lie in memory. */
smr_data smr_some_features(const smr_data *data, int64_t j, int64_t n)
{
    smr_data part = *data;
    part.features = data->features + j;
    part.n_features = n;
    part.refuse_missing = false;
    return part;
}

bool smr_has_columns(const smr_data *data)
{
    return !data->source && !data->sparse;
}

/* ---- putting bins together -------------------------------------------------------------- */

/* Cuts that there is room for where n are needed: doubled, so that very many features are not
 * copied once for each. */
static int64_t room_for(int64_t n)
{
    int64_t room = 64;
    while (room < n) room *= 2;
    return room;
}

smr_status smr_bins_take(smr_ctx *ctx, smr_bins *bins, int64_t j, struct smr_bins_part *part)
{
    int64_t n_cuts = bins->is_category[j] ? 0 : part->n_bins - 1, at = bins->first[j];
    int64_t room = room_for(at + n_cuts + 1);
    if (!bins->cut || room > room_for(at + 1)) {
        double *cut = smr_realloc(ctx, bins->cut, room, sizeof *cut);
        if (!cut) return SMR_ERR_NOMEM;
        bins->cut = cut;
    }
    memcpy(bins->cut + at, part->cut, (size_t)n_cuts * sizeof *bins->cut);
    bins->first[j + 1] = at + n_cuts;
    bins->n_bins[j] = part->n_bins;
    bins->is_exact[j] = part->is_exact;
    bins->level_bin[j] = part->level_bin;
    part->level_bin = NULL;
    return SMR_OK;
}

/* ---- bins of bytes ---------------------------------------------------------------------- */

struct byte_job {
    const smr_data *data;
    int64_t max_bins, group; /* features of a task */
    struct smr_bins_part *part;
};

/* Counts of one feature, twice: of rows in turn, so that additions of equal values, which are
 * frequent in the background of a picture, seldom wait for each other.  Their number does not
 * divide a page, so that equal values of neighbours are not at the same place in theirs. */
enum { COUNTS = 256 + 16 };
struct byte_counts {
    uint32_t of[2][COUNTS];
};

/* Features [j, j + FEW). */
static void count_few(const smr_rows *rows, int64_t j, struct byte_counts *count)
{
    const uint8_t *x = (const uint8_t *)rows->x + j;
    int64_t r = 0;
    for (; r + 4 <= rows->n; r += 4, x += 4 * rows->stride) {
        uint32_t a, b, c, d;
        memcpy(&a, x, FEW);
        memcpy(&b, x + rows->stride, FEW);
        memcpy(&c, x + 2 * rows->stride, FEW);
        memcpy(&d, x + 3 * rows->stride, FEW);
        for (int k = 0; k < FEW; k++, a >>= 8, b >>= 8, c >>= 8, d >>= 8) {
            uint32_t(*of)[COUNTS] = count[j + k].of;
            of[0][a & 255]++;
            of[1][b & 255]++;
            of[0][c & 255]++;
            of[1][d & 255]++;
        }
    }
    for (; r < rows->n; r++, x += rows->stride)
        for (int k = 0; k < FEW; k++) count[j + k].of[0][x[k]]++;
}

static void count_one(const smr_rows *rows, int64_t j, struct byte_counts *count)
{
    const uint8_t *x = (const uint8_t *)rows->x + j;
    for (int64_t r = 0; r < rows->n; r++) count[j].of[r % 2][x[r * rows->stride]]++;
}

/* The weight of the rows that have each value of feature j of `part`. */
static smr_status weigh_bytes(smr_ctx *ctx, const smr_data *part, int64_t j, double weight[256])
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    memset(weight, 0, 256 * sizeof *weight);
    TRY(smr_reader_open(ctx, part, SMR_FORM_U8, BLOCK, &reader));
    for (int64_t i = 0; i < part->n_rows; i += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, i, SMR_MIN(part->n_rows, i + BLOCK), &rows));
        const uint8_t *x = (const uint8_t *)rows.x + j;
        for (int64_t r = 0; r < rows.n; r++) weight[x[r * rows.stride]] += part->weight[i + r];
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status count_bytes(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)lane;
    const struct byte_job *job = arg;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    struct byte_counts *count = NULL;
    int64_t lo = task * job->group, hi = SMR_MIN(job->data->n_features, lo + job->group);
    smr_data part = smr_some_features(job->data, lo, hi - lo);
    TRY_NEW(count, hi - lo);
    TRY(smr_reader_open(ctx, &part, SMR_FORM_U8, BLOCK, &reader));
    for (int64_t i = 0; i < part.n_rows; i += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, i, SMR_MIN(part.n_rows, i + BLOCK), &rows));
        for (int64_t r = 0; r < rows.n; r++) /* far apart: all are fetched at the same time */
            __builtin_prefetch((const uint8_t *)rows.x + r * rows.stride);
        int64_t j = 0;
        for (; j + FEW <= hi - lo; j += FEW) count_few(&rows, j, count);
        for (; j < hi - lo; j++) count_one(&rows, j, count);
    }
    for (int64_t j = lo; j < hi; j++) {
        uint32_t(*of)[COUNTS] = count[j - lo].of;
        double weight[256];
        int64_t distinct = 0;
        for (int v = 0; v < 256; v++) of[0][v] += of[1][v];
        for (int v = 0; v < 256; v++) distinct += of[0][v] > 0;
        bool weighs = part.weight && distinct > job->max_bins;
        if (weighs) TRY(weigh_bytes(ctx, &part, j - lo, weight));
        smr_bins_of_bytes(of[0], weighs ? weight : NULL, job->max_bins, &job->part[j]);
    }
out:
    smr_reader_close(reader);
    smr_free(count);
    return st;
}

smr_status smr_bins_cut_bytes(smr_ctx *ctx, const smr_data *data, int64_t max_bins, smr_bins *bins)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    struct byte_job job = {.data = data, .max_bins = max_bins, .group = d < WIDE ? 8 : LINE};
    TRY_NEW(job.part, d);
    TRY(smr_parallel(ctx, NULL, smr_block_count(d, job.group), count_bytes, &job));
    for (int64_t j = 0; j < d; j++) TRY(smr_bins_take(ctx, bins, j, &job.part[j]));
out:
    smr_free(job.part);
    return st;
}

/* ---- bins of a sample ------------------------------------------------------------------- */

struct sample_job {
    const smr_data *data; /* all features, all rows; or those of the group alone      */
    const smr_bins *bins;
    const int64_t *row;   /* n: rows to be read one by one; NULL: 0 .. n - 1          */
    const double *weight; /* n: of the rows; NULL: all 1                            */
    int64_t n, max_bins;
    int64_t first, group; /* features, and where they are in what is read: at skip */
    int64_t skip;
    double *value; /* group x n                                                */
    double *spare; /* lanes x n                                                */
    struct smr_readers readers;
    struct smr_bins_part *part; /* group */
};

static void keep_values(const struct sample_job *job, const smr_rows *rows, int64_t at)
{
    for (int64_t j = 0; j < job->group; j++) {
        const double *x = (const double *)rows->x + job->skip + j;
        double *to = job->value + j * job->n + at;
        for (int64_t i = 0; i < rows->n; i++) to[i] = x[i * rows->stride];
    }
}

static smr_status read_sample(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct sample_job *job = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    int64_t end = smr_block_end(job->n, TASK, task);
    int64_t block = BLOCK_BYTES / (8 * SMR_MAX(1, job->data->n_features));
    block = SMR_MIN(SMR_MAX(block, LEAST_BLOCK), BLOCK);
    TRY(smr_reader_of(ctx, &job->readers, lane, job->data, SMR_FORM_F64, block));
    smr_reader *reader = job->readers.of[lane];
    for (int64_t lo = task * TASK, hi; lo < end; lo = hi) {
        TRY(smr_tick(ctx, NULL, lo, end, NAN));
        hi = job->row ? lo + 1 : SMR_MIN(end, lo + block);
        int64_t from = job->row ? job->row[lo] : lo;
        TRY(smr_reader_rows(ctx, reader, from, from + hi - lo, &rows));
        keep_values(job, &rows, lo);
    }
out:
    return st;
}

static smr_status cut_feature(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct sample_job *job = arg;
    double *x = job->value + task * job->n;
    int64_t j = job->first + task;
    if (job->bins->is_category[j])
        return smr_bins_of_codes(ctx, x, job->weight, job->n, job->bins->n_levels[j], job->max_bins,
                                 &job->part[task]);
    if (job->weight)
        return smr_bins_of_weighed(ctx, x, job->weight, job->n, job->max_bins, &job->part[task]);
    smr_bins_of_numbers(x, job->spare + lane * job->n, job->n, job->max_bins, &job->part[task]);
    return SMR_OK;
}

/* Where the sample shows few values, it is known only later whether there are others (values: d x
 * SMR_BINS_MOST, or NULL). */
static smr_status take_group(smr_ctx *ctx, struct sample_job *job, smr_bins *bins, double *values)
{
    for (int64_t k = 0; k < job->group; k++) {
        int64_t j = job->first + k;
        if (values)
            memcpy(values + j * SMR_BINS_MOST, job->part[k].value, sizeof job->part[k].value);
        smr_status st = smr_bins_take(ctx, bins, j, &job->part[k]);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

static smr_status bins_of_group(smr_ctx *ctx, struct sample_job *job, smr_bins *bins,
                                double *values)
{
    smr_status st = SMR_OK;
    TRY(smr_readers_begin(ctx, &job->readers));
    TRY(smr_parallel(ctx, NULL, smr_block_count(job->n, TASK), read_sample, job));
    TRY(smr_parallel(ctx, NULL, job->group, cut_feature, job));
    TRY(take_group(ctx, job, bins, values));
out:
    for (int64_t k = 0; k < job->group; k++) smr_free(job->part[k].level_bin);
    if (st == SMR_OK) memset(job->part, 0, (size_t)job->group * sizeof *job->part);
    smr_readers_end(&job->readers);
    return st;
}

struct draw_job {
    const smr_data *data;
    int64_t n;
    bool in_table;
    int64_t *row;
    double *weight;
};

static smr_status draw_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct draw_job *job = arg;
    const smr_data *data = job->data;
    int64_t n = job->n, end = smr_block_end(n, TASK, task);
    (void)lane;
    for (int64_t s = task * TASK; s < end; s++) {
        int64_t lo = s * data->n_rows / n, hi = (s + 1) * data->n_rows / n, *row = &job->row[s];
        *row = lo + smr_random_below(ctx->seed, SMR_STREAM_BINS, (uint64_t)s, 0, hi - lo);
        if (job->weight) job->weight[s] = data->weight[*row];
        if (job->in_table && data->rows) *row = data->rows[*row];
    }
    return SMR_OK;
}

/* One row out of each of n equal parts of n_rows: in the table's numbers where `in_table`.  weight:
 * theirs, where rows have weights. */
static smr_status draw_rows(smr_ctx *ctx, const smr_data *data, int64_t n, bool in_table,
                            int64_t **row_out, double **weight_out)
{
    smr_status st = SMR_OK;
    struct draw_job job = {.data = data, .n = n, .in_table = in_table};
    TRY_NEW(job.row, n);
    if (data->weight) TRY_NEW(job.weight, n);
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, TASK), draw_some, &job));
    *row_out = job.row;
    *weight_out = job.weight;
    job.row = NULL;
    job.weight = NULL;
out:
    smr_free(job.row);
    smr_free(job.weight);
    return st;
}

smr_status smr_bins_cut_sample(smr_ctx *ctx, const smr_data *data, int64_t max_bins, smr_bins *bins,
                               double *values)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, *row = NULL;
    int64_t n = SMR_MIN(data->n_rows, (int64_t)SMR_BINS_SAMPLE);
    int64_t group = SMR_MIN(d, SMR_MAX(8, SAMPLE_BYTES / (8 * SMR_MAX(1, n)) / 8 * 8));
    bool columns = smr_has_columns(data), all = n == data->n_rows;
    double *weight = NULL;
    struct sample_job job = {.bins = bins, .n = n, .max_bins = max_bins};
    if (!all) TRY(draw_rows(ctx, data, n, columns, &row, &weight));
    job.weight = all ? data->weight : weight;
    job.value = smr_alloc_raw(ctx, group * n, sizeof *job.value);
    job.spare = smr_alloc_raw(ctx, smr_lanes(ctx) * n, sizeof *job.spare);
    if (!job.value || !job.spare) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    TRY_NEW(job.part, group);
    for (int64_t j = 0; j < d; j += group) {
        smr_data part = columns ? smr_some_features(data, j, SMR_MIN(group, d - j)) : *data;
        if (columns && !all) {
            part.rows = row;
            part.n_rows = n;
        }
        job.data = &part;
        job.row = columns ? NULL : row;
        job.first = j;
        job.group = SMR_MIN(group, d - j);
        job.skip = columns ? 0 : j;
        TRY(bins_of_group(ctx, &job, bins, values));
    }
out:
    smr_free(row);
    smr_free(weight);
    smr_free(job.value);
    smr_free(job.spare);
    smr_free(job.part);
    return st;
}
