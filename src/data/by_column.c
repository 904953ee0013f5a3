/* by_column.c -- see by_column.h.
 *
 * Entries are counted, then placed.  Sparse rows in memory are read by all threads, each for a
 * range of columns: a row's entries ascend, so its part of them is found by bisection. */
#include "data/by_column.h"

#include "core/parallel.h"
#include "math/gram.h"

#include <math.h>
#include <string.h>

enum { PARTS = 8 };

struct job {
    smr_by_column *c;
    const smr_data *data;
    const double *factor;
    bool is_counting;
    int64_t n_parts, bound[PARTS + 1]; /* ranges of columns */
};

/* Entries of a block: counted into start[j + 1], or placed where start[j] says. */
static void take_sparse(const struct job *job, int64_t part, const smr_rows *b, int64_t lo)
{
    smr_by_column *c = job->c;
    int64_t *start = c->start, first = job->bound[part], after = job->bound[part + 1];
    int32_t *row = c->row;
    double *value = c->value;
    for (int64_t i = 0; i < b->n; i++) {
        double factor = job->factor ? job->factor[lo + i] : 1;
        int64_t end = b->start[i + 1], e = smr_find_column(b->column, b->start[i], end, first);
        if (factor == 0) continue;
        if (job->is_counting)
            for (; e < end && b->column[e] < after; e++) start[b->column[e] + 1]++;
        else
            for (; e < end && b->column[e] < after; e++) {
                int64_t at = start[b->column[e]]++;
                row[at] = (int32_t)(lo + i);
                value[at] = factor * b->value[e];
            }
    }
}

static void take_dense(const struct job *job, const smr_rows *b, int64_t lo)
{
    double *to = job->c->dense + lo;
    for (int64_t i = 0; i < b->n; i++) {
        const double *x = (const double *)b->x + i * b->stride;
        double factor = job->factor ? job->factor[lo + i] : 1;
        for (int64_t j = 0; j < b->d; j++) to[j * job->c->X.stride + i] = factor * x[j];
    }
}

static smr_status read_rows(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    smr_status st = SMR_OK;
    const struct job *job = arg;
    smr_reader *reader = NULL;
    (void)lane;
    int64_t n = job->data->n_rows;
    TRY(smr_reader_open(ctx, job->data, job->c->dense ? SMR_FORM_F64 : SMR_FORM_SPARSE,
                        SMR_ROWS_BLOCK, &reader));
    for (int64_t lo = 0; lo < n; lo += SMR_ROWS_BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(n, lo + SMR_ROWS_BLOCK), &block));
        if (job->c->dense)
            take_dense(job, &block, lo);
        else
            take_sparse(job, part, &block, lo);
        TRY(smr_tick(ctx, "reading columns", lo, n, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Ranges of about as many entries each (start ascending), or of as many columns (start NULL). */
static void set_bounds(struct job *job, const int64_t *start)
{
    int64_t d = job->c->X.n_cols, j = 0;
    for (int64_t p = 1; p < job->n_parts; p++) {
        if (!start) j = d * p / job->n_parts;
        while (start && j < d && start[j] < start[d] / job->n_parts * p) j++;
        job->bound[p] = j;
    }
    job->bound[job->n_parts] = d;
}

static smr_status open_sparse(smr_ctx *ctx, struct job *job)
{
    smr_status st = SMR_OK;
    smr_by_column *c = job->c;
    int64_t d = c->X.n_cols;
    job->n_parts = job->data->source ? 1 : PARTS;
    TRY_NEW(c->start, d + 1);
    job->is_counting = true;
    set_bounds(job, NULL);
    TRY(smr_parallel(ctx, NULL, job->n_parts, read_rows, job));
    for (int64_t j = 0; j < d; j++) c->start[j + 1] += c->start[j];
    TRY_NEW(c->row, c->start[d] + 1);
    TRY_NEW(c->value, c->start[d] + 1);
    job->is_counting = false;
    set_bounds(job, c->start);
    TRY(smr_parallel(ctx, NULL, job->n_parts, read_rows, job));
    memmove(c->start + 1, c->start, (size_t)d * sizeof *c->start);
    c->start[0] = 0;
    c->X.start = c->start;
    c->X.row = c->row;
    c->X.value = c->value;
out:
    return st;
}

smr_status smr_by_column_open(smr_ctx *ctx, const smr_data *data, const double *factor,
                              const char *way_out, smr_by_column *out)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, d = data->n_features;
    struct job job = {.c = out, .data = data, .factor = factor};
    *out = (smr_by_column){.X = {.n_rows = n, .n_cols = d, .stride = n}};
    if (n > INT32_MAX)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%lld rows are too many to be read by columns",
                     (long long)n));
    if (smr_data_is_sparse(data)) return open_sparse(ctx, &job);
    TRY(smr_memory_check(ctx, 8.0 * (double)n * (double)d, "a copy of the features by columns",
                         way_out));
    TRY_NEW(out->dense, n * d + 1);
    TRY(read_rows(ctx, &job, 0, 0));
    out->X.dense = out->dense;
out:
    return st;
}

void smr_by_column_close(smr_by_column *c)
{
    smr_free(c->dense);
    smr_free(c->value);
    smr_free(c->start);
    smr_free(c->row);
    *c = (smr_by_column){0};
}
