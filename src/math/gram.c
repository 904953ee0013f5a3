/* gram.c -- see gram.h.
 *
 * Each chunk of rows has its own partial matrix; the partial matrices are added in order.  Within a
 * chunk the chains of sums are cut every CHAIN rows, so that rounding errors grow with the root of
 * CHAIN and of the number of chunks, not of n. */
#include "math/gram.h"

#include "kernel/kernel.h"
#include "kernel/qr_kernels.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 256,          /* rows that choose shift and scale             */
    MAX_CHUNKS = 64,       /* enough for any machine to share              */
    MIN_CHUNK = 1024,      /* rows                                         */
    CHAIN = 2048,          /* rows summed before the partial sum is folded */
    MAX_PARTIAL = 1 << 26, /* numbers in all partial matrices together     */
    FEW_COLUMNS = 128,     /* whose matrices are small, however many       */
    ADDED = 64             /* rows of the total that are added at a time   */
};

/* ---- the frame -------------------------------------------------------------------------- */

static void choose_chunks(smr_row_frame *f, int64_t n)
{
    int64_t width = f->m + 1, rows = SMR_MAX(MIN_CHUNK, 4 * width);
    int64_t count = SMR_MIN(MAX_CHUNKS, SMR_MAX(1, MAX_PARTIAL / (width * width)));
    rows = SMR_MAX(rows, (n + count - 1) / count);
    f->chunk = (rows + SMR_ROWS_BLOCK - 1) / SMR_ROWS_BLOCK * SMR_ROWS_BLOCK;
    f->n_chunks = SMR_MAX(1, smr_block_count(n, f->chunk));
}

/* A power of two near 1 / x; 1 where there is none. */
static double near_inverse(double x)
{
    int e = 0;
    if (!isfinite(x) || x == 0) return 1;
    (void)frexp(x, &e);
    return ldexp(1, -SMR_MIN(SMR_MAX(e, -1000), 1000));
}

/* Row i's value of column j among features and outputs. */
static double value_at(const smr_row_source *rows, const double *x, int64_t i, int64_t j)
{
    return j < rows->n_cols ? x[j] : rows->y[i * rows->n_outputs + j - rows->n_cols];
}

/* Shift = mean over the sample, computed from the first row on, so that it is exact for a constant
 * column; scale = about 1 / (largest distance from the first row), or 1 / value for a constant. */
static smr_status take_sample(smr_ctx *ctx, const smr_row_source *rows, bool centre,
                              smr_row_frame *f)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n_rows, n_sample = SMR_MIN(n, SAMPLE), stride = 0;
    double *first = NULL, *sum = NULL, *largest = NULL;
    TRY_NEW(first, f->m);
    TRY_NEW(sum, f->m);
    TRY_NEW(largest, f->m);
    for (int64_t k = 0; k < n_sample; k++) {
        int64_t i = k * (n / n_sample);
        const double *x = NULL;
        TRY(rows->rows(ctx, rows->arg, 0, i, i + 1, &x, &stride));
        for (int64_t j = 0; j < f->m; j++) {
            double z = value_at(rows, x, i, j);
            if (k == 0) first[j] = z;
            double step = centre ? z - first[j] : z;
            if (!isfinite(step)) continue; /* the pass itself reports bad values */
            sum[j] += step;
            largest[j] = smr_fmax(largest[j], fabs(step));
        }
    }
    for (int64_t j = 0; j < f->m; j++) {
        double mean = sum[j] / (double)n_sample;
        f->shift[j] = centre && isfinite(first[j]) ? first[j] + mean : 0;
        f->scale[j] = near_inverse(largest[j] > 0 ? largest[j] : first[j]);
    }
out:
    smr_free(largest);
    smr_free(sum);
    smr_free(first);
    return st;
}

smr_status smr_row_frame_create(smr_ctx *ctx, const smr_row_source *rows, bool centre,
                                smr_row_frame *out)
{
    smr_status st = SMR_OK;
    *out = (smr_row_frame){.m = rows->n_cols + rows->n_outputs};
    TRY_NEW(out->shift, out->m + 1);
    TRY_NEW(out->scale, out->m + 1);
    choose_chunks(out, rows->n_rows);
    out->weight = rows->weight ? smr_sum_f64(rows->n_rows, rows->weight) : (double)rows->n_rows;
    if (!(out->weight > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "no rows to fit: all weights are 0"));
    TRY(take_sample(ctx, rows, centre, out));
out:
    if (st != SMR_OK) smr_row_frame_release(out);
    return st;
}

void smr_row_frame_release(smr_row_frame *f)
{
    smr_free(f->shift);
    smr_free(f->scale);
    *f = (smr_row_frame){0};
}

/* ---- one pass --------------------------------------------------------------------------- */

struct pass {
    const smr_row_source *rows;
    const smr_row_frame *frame;
    int64_t width;     /* m + 1: the last column is all ones, and gives the sums            */
    int64_t first, n;  /* chunks that are summed now, side by side                          */
    double *partials;  /* n x width x width                                                 */
    double *total;     /* width x width: of the chunks before                               */
    double *blocks;    /* lanes x SMR_ROWS_BLOCK x width                                    */
    double *chains;    /* lanes x width x width                                             */
    double *roots;     /* lanes x SMR_ROWS_BLOCK                                            */
    char *work;        /* lanes x work_size                                                 */
    int64_t work_size; /* a multiple of 64                                                  */
};

/* lint: allow arguments, a block of rows and all that is made of it. */
smr_status smr_row_frame_load(smr_ctx *ctx, const smr_row_source *s, const smr_row_frame *frame,
                              int lane, int64_t lo, int64_t hi, smr_row_block *block)
{
    double *Z = block->Z, *root = block->root;
    int64_t d = s->n_cols, q = s->n_outputs, w = frame->m + 1, stride = 0;
    const double *x = NULL;
    smr_status st = s->rows(ctx, s->arg, lane, lo, hi, &x, &stride);
    if (st != SMR_OK) return st;
    if (s->weight)
        for (int64_t i = lo; i < hi; i++) root[i - lo] = sqrt(s->weight[i]);
    const double *by = s->weight ? root : NULL;
    smr_shift features = {frame->shift, frame->scale, by};
    smr_shift outputs = {frame->shift + d, frame->scale + d, by};
    smr_shift_rows(hi - lo, d, x, stride, &features, Z, w);
    smr_shift_rows(hi - lo, q, s->y + lo * q, q, &outputs, Z + d, w);
    for (int64_t i = 0; i < hi - lo; i++) Z[i * w + w - 1] = by ? by[i] : 1;
    block->next = (smr_ahead){x + (hi - lo) * stride, stride};
    return SMR_OK;
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct pass *p = arg;
    int64_t w = p->width, n = p->rows->n_rows, since = 0, c = p->first + task;
    int64_t lo = c * p->frame->chunk, end = smr_block_end(n, p->frame->chunk, c);
    double *total = p->partials + task * w * w, *chain = p->chains + lane * w * w;
    smr_row_block block = {.Z = p->blocks + lane * SMR_ROWS_BLOCK * w,
                           .root = p->roots + lane * SMR_ROWS_BLOCK};

    memset(total, 0, (size_t)(w * w) * sizeof *total);
    memset(chain, 0, (size_t)(w * w) * sizeof *chain);
    for (; lo < end; lo += SMR_ROWS_BLOCK) {
        int64_t hi = SMR_MIN(end, lo + SMR_ROWS_BLOCK);
        smr_status st = smr_row_frame_load(ctx, p->rows, p->frame, lane, lo, hi, &block);
        if (st != SMR_OK) return st;
        smr_gram_ahead_f64(hi - lo, w, block.Z, w, chain, w, p->work + lane * p->work_size,
                           block.next);
        since += hi - lo;
        if (since < CHAIN && hi < end) continue;
        smr_axpy_f64(w * w, 1, chain, total);
        memset(chain, 0, (size_t)(w * w) * sizeof *chain);
        since = 0;
    }
    return SMR_OK;
}

/* Rows [task] of the total: the chunks' are added in their order. */
static smr_status add_chunks(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct pass *p = arg;
    int64_t w = p->width, at = task * ADDED * w, n = SMR_MIN(ADDED * w, w * w - at);
    (void)ctx, (void)lane;
    for (int64_t c = 0; c < p->n; c++)
        smr_axpy_f64(n, 1, p->partials + c * w * w + at, p->total + at);
    return SMR_OK;
}

/* As many chunks as keep every thread busy are summed side by side, then added to the total. */
static smr_status run_pass(smr_ctx *ctx, const smr_row_source *rows, const smr_row_frame *frame,
                           double **out)
{
    smr_status st = SMR_OK;
    int64_t w = frame->m + 1, lanes = smr_lanes(ctx);
    int64_t most = SMR_MIN(frame->n_chunks, w < FEW_COLUMNS ? MAX_CHUNKS : SMR_MAX(8, 4 * lanes));
    struct pass p = {.rows = rows, .frame = frame, .width = w};
    p.work_size = (smr_gram_work(w) + 63) / 64 * 64;
    TRY(smr_memory_check(ctx, 8.0 * (double)(w * w) * (double)(most + 1 + lanes),
                         "the Gram matrix of these columns", "use fewer features"));
    p.partials = smr_alloc_raw(ctx, most * w * w, sizeof *p.partials);
    if (!p.partials) TRY(SMR_ERR_NOMEM);
    TRY_NEW(p.total, w * w);
    TRY_NEW(p.blocks, lanes * SMR_ROWS_BLOCK * w);
    TRY_NEW(p.chains, lanes * w * w);
    TRY_NEW(p.roots, lanes * SMR_ROWS_BLOCK);
    TRY_NEW(p.work, lanes * p.work_size);
    for (; p.first < frame->n_chunks; p.first += p.n) {
        p.n = SMR_MIN(most, frame->n_chunks - p.first);
        TRY(smr_parallel(ctx, "summing products", p.n, sum_chunk, &p));
        TRY(smr_parallel(ctx, NULL, smr_block_count(w, ADDED), add_chunks, &p));
    }
    *out = p.total;
    p.total = NULL;
out:
    smr_free(p.work);
    smr_free(p.roots);
    smr_free(p.chains);
    smr_free(p.blocks);
    smr_free(p.total);
    smr_free(p.partials);
    return st;
}

/* ---- moments ---------------------------------------------------------------------------- */

/* What is left of the mean after the shift, in scaled units. */
static double rest_of_mean(const double *sums, const smr_row_frame *f, int64_t j)
{
    return sums[j * (f->m + 1) + f->m] / f->weight;
}

/* Is some column's rest of the mean so large that subtracting it costs more than two digits? */
static bool shift_was_poor(const double *sums, const smr_row_frame *f)
{
    for (int64_t j = 0; j < f->m; j++) {
        double rest = rest_of_mean(sums, f, j), square = sums[j * (f->m + 1) + j];
        double off = f->weight * rest * rest, at = (f->shift[j] + rest / f->scale[j]) * f->scale[j];
        if (off > 100 * (square - off) && off > 1e-20 * f->weight * at * at) return true;
    }
    return false;
}

static void move_shift(const double *sums, smr_row_frame *f)
{
    for (int64_t j = 0; j < f->m; j++) f->shift[j] += rest_of_mean(sums, f, j) / f->scale[j];
}

static void finish(const double *sums, const smr_row_frame *f, bool centre, smr_gram *out)
{
    int64_t m = f->m, w = m + 1;
    for (int64_t i = 0; i < m; i++) {
        double ri = centre ? rest_of_mean(sums, f, i) : 0;
        for (int64_t j = i; j < m; j++) {
            double rj = centre ? rest_of_mean(sums, f, j) : 0;
            double g = sums[i * w + j] - f->weight * ri * rj;
            if (i == j) g = smr_fmax(g, 0);
            out->gram[i * m + j] = out->gram[j * m + i] = g;
        }
        out->scale[i] = f->scale[i];
        out->mean[i] = centre ? f->shift[i] + ri / f->scale[i] : 0;
        double at = out->mean[i] * f->scale[i];
        out->raw[i] = sqrt(out->gram[i * m + i] + f->weight * at * at);
    }
    out->weight = f->weight;
}

smr_status smr_gram_compute(smr_ctx *ctx, const smr_row_source *rows, bool centre, smr_gram *out)
{
    smr_status st = SMR_OK;
    smr_row_frame frame = {0};
    double *sums = NULL;
    int64_t m = rows->n_cols + rows->n_outputs;
    *out = (smr_gram){.m = m};
    TRY(smr_row_frame_create(ctx, rows, centre, &frame));
    TRY_NEW(out->mean, m + 1);
    TRY_NEW(out->scale, m + 1);
    TRY_NEW(out->raw, m + 1);
    TRY_NEW(out->gram, m * m + 1);
    TRY(run_pass(ctx, rows, &frame, &sums));
    if (centre && shift_was_poor(sums, &frame)) {
        move_shift(sums, &frame);
        smr_free(sums);
        sums = NULL;
        TRY(run_pass(ctx, rows, &frame, &sums));
    }
    for (int64_t j = 0; j <= m; j++)
        if (!isfinite(sums[j * (m + 1) + j])) {
            TRY(smr_rows_check_finite(ctx, rows));
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "sums of squares overflow: rescale the columns"));
        }
    finish(sums, &frame, centre, out);
out:
    smr_free(sums);
    smr_row_frame_release(&frame);
    if (st != SMR_OK) smr_gram_release(out);
    return st;
}

void smr_gram_release(smr_gram *m)
{
    smr_free(m->mean);
    smr_free(m->scale);
    smr_free(m->raw);
    smr_free(m->gram);
    *m = (smr_gram){0};
}

smr_status smr_rows_check_finite(smr_ctx *ctx, const smr_row_source *rows)
{
    int64_t d = rows->n_cols, m = d + rows->n_outputs, stride = 0;
    if (rows->explain) {
        smr_status st = rows->explain(ctx, rows->arg);
        if (st != SMR_OK) return st;
    }
    for (int64_t lo = 0; lo < rows->n_rows; lo += SMR_ROWS_BLOCK) {
        int64_t hi = SMR_MIN(rows->n_rows, lo + SMR_ROWS_BLOCK);
        const double *x = NULL;
        smr_status st = rows->rows(ctx, rows->arg, 0, lo, hi, &x, &stride);
        if (st != SMR_OK) return st;
        for (int64_t i = lo; i < hi; i++)
            for (int64_t j = 0; j < m; j++)
                if (!isfinite(value_at(rows, x + (i - lo) * stride, i, j)))
                    return smr_fail(ctx, SMR_ERR_DATA,
                                    "%s %lld of row %lld is not finite: drop the row or mark the "
                                    "value as missing",
                                    j < d ? "column" : "target", (long long)(j < d ? j : j - d) + 1,
                                    (long long)i + 1);
    }
    return SMR_OK;
}
