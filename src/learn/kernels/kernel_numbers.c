/* kernel_numbers.c -- from the numbers of training rows to those of points: see kernel_points.h.
 *
 * The rows are read twice: in order, for their mean, where it is subtracted; and to be kept, dense
 * ones on all threads.  Sums have one order, whatever the data are. */
#include "core/parallel.h"
#include "learn/kernels/kernel_open.h"
#include "learn/kernels/kernel_tile.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

/* ---- the mean --------------------------------------------------------------------------- */

/* Only kernels of differences see rows less their mean. */
static bool is_centered(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op == SMR_KERNEL_WORD && !smr_kernel_is_of_text(node->kind) &&
            node->kind != SMR_KERNEL_RBF && node->kind != SMR_KERNEL_LAPLACIAN)
            return false;
    }
    return true;
}

static smr_status refuse_number(smr_ctx *ctx, const smr_kernel_opening *o, const smr_rows *rows,
                                int64_t i, int64_t j, double x)
{
    smr_status st = SMR_OK;
    int64_t row = (rows->numbers ? rows->numbers[i] : rows->first + i) + 1;
    smr_text name = {.ctx = ctx};
    smr_kernel_name_feature(o->data, j, &name);
    TRY(smr_text_done(&name));
    bool given = smr_kernel_has(o->kernel, SMR_KERNEL_PRECOMPUTED);
    st = smr_fail(ctx, SMR_ERR_DATA,
                  isnan(x) && given
                      ? "%s: row %lld has no value in column %s, and a kernel matrix has no gaps"
                  : isnan(x) ? "%s: row %lld has no value in column %s"
                  : isinf(x) ? "%s: row %lld has an infinite value in column %s"
                             : "%s: row %lld has a value below 0 in column %s, and chi2 is for "
                               "histograms, without negative numbers",
                  o->who, (long long)row, name.bytes);
out:
    smr_text_release(&name);
    return st;
}

/* Sums of the numbers, of their columns; and whether they may be there. */
struct sums {
    double *column; /* d, weighted; NULL: not wanted */
    double total, weight;
    int64_t n_entries; /* of sparse rows */
    bool positive;     /* none may be below 0 */
};

static smr_status add_block(smr_ctx *ctx, const smr_kernel_opening *o, const smr_rows *rows,
                            struct sums *s)
{
    smr_status st = SMR_OK;
    bool sparse = rows->form == SMR_FORM_SPARSE;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(o->data, rows->first + i);
        int64_t lo = sparse ? rows->start[i] : 0, hi = sparse ? rows->start[i + 1] : rows->d;
        for (int64_t e = lo, to = 0; e < hi; e++) {
            int64_t j = sparse ? rows->column[e] : e;
            if (o->is_text[j]) continue;
            double x = sparse ? rows->value[e] : ((const double *)rows->x)[i * rows->stride + e];
            if (!isfinite(x) || (s->positive && x < 0)) TRY(refuse_number(ctx, o, rows, i, j, x));
            s->total += w * x;
            if (s->column) s->column[sparse ? j : to++] += w * x;
        }
        s->weight += w;
        if (sparse) s->n_entries += hi - lo;
    }
out:
    return st;
}

/* ---- points ----------------------------------------------------------------------------- */

static void put(const smr_kernel_points *p, bool sparse, int64_t at, double x)
{
    if (sparse && p->value_f32) p->value_f32[at] = (float)x;
    if (sparse && p->value_f64) p->value_f64[at] = x;
    if (!sparse && p->x_f32) p->x_f32[at] = (float)x;
    if (!sparse && p->x_f64) p->x_f64[at] = x;
}

/* Dense rows, by blocks: what a row adds to sums is added up after them, in order. */
struct dense {
    smr_kernel_opening *o;
    smr_reader **readers;    /* of each lane */
    double *square, *spread; /* n */
};

static void keep_dense(const struct dense *d, const smr_rows *rows)
{
    const smr_kernel_opening *o = d->o;
    smr_kernel_points *p = o->points;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t at = rows->first + i;
        double square = 0, spread = 0;
        for (int64_t j = 0, to = 0; j < rows->d; j++) {
            if (o->is_text[j]) continue;
            double x = ((const double *)rows->x)[i * rows->stride + j];
            double away = x - (p->center ? p->center[to] : 0), from = x - o->mean;
            put(p, false, at * p->d + to++, away);
            square += away * away;
            spread += from * from;
        }
        d->square[at] = square;
        d->spread[at] = spread;
        if (!p->place) continue;
        int64_t number = rows->numbers ? rows->numbers[i] : at;
        p->place[at] = (int32_t)SMR_MIN(number, SMR_MAX_DIM);
    }
}

static smr_status dense_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct dense *d = arg;
    smr_status st = SMR_OK;
    int64_t lo = task * BLOCK, hi = smr_block_end(d->o->points->n, BLOCK, task);
    smr_rows rows;
    if (!d->readers[lane])
        TRY(smr_reader_open(ctx, d->o->data, SMR_FORM_F64, BLOCK, &d->readers[lane]));
    TRY(smr_reader_rows(ctx, d->readers[lane], lo, hi, &rows));
    keep_dense(d, &rows);
out:
    return st;
}

static smr_status read_dense(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    struct dense d = {.o = o};
    int n_lanes = smr_lanes(ctx);
    TRY_NEW(d.readers, n_lanes);
    TRY_NEW(d.square, 2 * p->n);
    d.spread = d.square + p->n;
    TRY(smr_parallel(ctx, "reading points", smr_block_count(p->n, BLOCK), dense_task, &d));
    for (int64_t i = 0; i < p->n; i++) {
        p->reach = SMR_MAX(p->reach, d.square[i]);
        o->spread += smr_data_weight(o->data, i) * d.spread[i];
    }
out:
    for (int k = 0; d.readers && k < n_lanes; k++) smr_reader_close(d.readers[k]);
    smr_free(d.readers);
    smr_free(d.square);
    return st;
}

static smr_status keep_sparse(smr_ctx *ctx, smr_kernel_opening *o, const smr_rows *rows,
                              int64_t *room)
{
    smr_kernel_points *p = o->points;
    int64_t n = rows->start[rows->n] - rows->start[0], need = p->n_entries + n;
    if (need > *room) {
        int64_t more = SMR_MAX(need, *room + *room / 2);
        int32_t *column = smr_realloc(ctx, p->column, more, sizeof *column);
        if (!column) return SMR_ERR_NOMEM;
        p->column = column;
        bool narrow = o->precision == SMR_KERNEL_F32;
        void *value = smr_realloc(ctx, narrow ? (void *)p->value_f32 : (void *)p->value_f64, more,
                                  narrow ? sizeof(float) : sizeof(double));
        if (!value) return SMR_ERR_NOMEM;
        if (narrow) p->value_f32 = value;
        if (!narrow) p->value_f64 = value;
        *room = more;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        double w = smr_data_weight(o->data, rows->first + i), square = 0, spread = 0;
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            double x = rows->value[e], from = x - o->mean;
            p->column[p->n_entries] = rows->column[e];
            put(p, true, p->n_entries++, x);
            square += x * x;
            spread += from * from;
        }
        int64_t zeros = p->d - (rows->start[i + 1] - rows->start[i]);
        p->reach = SMR_MAX(p->reach, square);
        o->spread += w * (spread + (double)zeros * o->mean * o->mean);
        p->start[rows->first + i + 1] = p->n_entries;
    }
    return SMR_OK;
}

/* Reads all rows in one form: for their sums, or to keep sparse ones. */
static smr_status read_rows(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, struct sums *sums)
{
    smr_status st = SMR_OK;
    const smr_data *data = o->data;
    smr_kernel_points *p = o->points;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t room = 0;
    TRY(smr_reader_open(ctx, data, sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < p->n; lo += BLOCK) {
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(p->n, lo + BLOCK), &rows));
        if (sums)
            TRY(add_block(ctx, o, &rows, sums));
        else
            TRY(keep_sparse(ctx, o, &rows, &room));
        TRY(smr_tick(ctx, "reading points", lo, p->n, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Reads the points in o->precision, and their spread about the mean. */
static smr_status fill_points(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, double weight)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    bool narrow = o->precision == SMR_KERNEL_F32;
    o->spread = p->reach = 0;
    p->n_entries = 0;
    if (sparse) {
        p->n_starts = p->n + 1;
        if (!p->start) TRY_NEW(p->start, p->n_starts);
    } else if (narrow) {
        TRY_NEW(p->x_f32, p->n * p->d);
    } else {
        TRY_NEW(p->x_f64, p->n * p->d);
    }
    TRY(sparse ? read_rows(ctx, o, true, NULL) : read_dense(ctx, o));
    if (!p->place && !(p->reach <= 1e300 && isfinite(o->spread)))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "%s: the squares of the rows' numbers are too large for a kernel; rescale the "
                     "columns: put standardize before it",
                     o->who));
    o->spread /= weight * (double)p->d;
out:
    return st;
}

/* The same in doubles, if they are not. */
static smr_status fill_again(smr_ctx *ctx, smr_kernel_opening *o, bool sparse, double weight)
{
    smr_kernel_points *p = o->points;
    if (o->precision == SMR_KERNEL_F64) return SMR_OK;
    smr_free(p->x_f32);
    smr_free(p->value_f32);
    smr_free(p->column);
    p->x_f32 = p->value_f32 = NULL;
    p->column = NULL;
    o->precision = SMR_KERNEL_F64;
    return fill_points(ctx, o, sparse, weight);
}

/* Sparse rows stay so where they are wide, or where products of their entries cost less. */
static bool is_thin(const smr_kernel_opening *o, const struct sums *sums)
{
    const smr_kernel_points *p = o->points;
    return smr_kernel_is_of_products(o->kernel) &&
           (double)sums->n_entries * SMR_KERNEL_THIN <= (double)p->n * (double)p->d;
}

smr_status smr_kernel_read_numbers(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    const smr_kernel *k = o->kernel;
    bool given = smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
    bool entries = smr_data_is_sparse(o->data) && p->n_texts == 0;
    bool sparse = entries && p->d >= SMR_KERNEL_WIDE && !given;
    if (given) o->precision = SMR_KERNEL_F64;
    bool narrow = o->precision == SMR_KERNEL_F32;
    struct sums sums = {.positive = smr_kernel_has(k, SMR_KERNEL_CHI2)};
    double bytes = 2.0 * (double)p->n * (double)p->d * (narrow ? 4 : 8);
    if (p->d == 0) return SMR_OK;
    if (!sparse)
        TRY(smr_memory_check(ctx, bytes, "the points of a kernel",
                             "fewer rows, or nystrom before a linear learner, need less"));
    if (!sparse && !given && is_centered(k)) TRY_NEW(p->center, p->d);
    sums.column = p->center;
    TRY(read_rows(ctx, o, entries, &sums));
    sparse = sparse || (entries && !given && is_thin(o, &sums));
    if (sparse) smr_free(p->center);
    if (sparse) p->center = NULL;
    double weight = sums.weight > 0 ? sums.weight : 1;
    for (int64_t j = 0; p->center && j < p->d; j++) p->center[j] /= weight;
    o->mean = sums.total / (weight * (double)p->d);
    if (given) TRY_NEW(p->place, p->n);
    TRY(fill_points(ctx, o, sparse, weight));
    if (smr_kernel_is_out_of_floats(p)) TRY(fill_again(ctx, o, sparse, weight));
    TRY(smr_kernel_find_gamma(ctx, o));
    /* Where K would be lost in the roundings of rows that keep their origin. */
    if (!p->center && smr_kernel_needs_double(k, p)) TRY(fill_again(ctx, o, sparse, weight));
out:
    return st;
}
