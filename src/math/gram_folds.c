/* gram_folds.c -- see gram_folds.h.
 *
 * Rows are sorted into one buffer per part; a full buffer goes through the kernel at once, so that
 * short runs of rows cost no speed.  Chunks of rows have their own matrices, added in order. */
#include "math/gram_folds.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    CHUNKS = 64,          /* matrices of all parts together that a pass aims at ... */
    LEAST_CHUNKS = 16,    /* ... but enough chunks for machines to share            */
    MIN_CHUNK = 1024,     /* rows                                                   */
    MAX_PARTIAL = 1 << 26 /* numbers in all matrices together                       */
};

struct pass {
    const smr_row_source *rows;
    const smr_row_frame *frame;
    const int32_t *part;
    int64_t n_parts, width, chunk, n_chunks;
    double *partials; /* chunks x parts x width^2          */
    double *blocks;   /* lanes x ROWS_BLOCK x width        */
    double *buffers;  /* lanes x parts x ROWS_BLOCK x width */
    double *roots;    /* lanes x ROWS_BLOCK                */
    int64_t *filled;  /* lanes x parts                     */
    char *work;       /* lanes x work_size                 */
    int64_t work_size;
    double *sums; /* parts x width^2 */
};

static void choose_chunks(struct pass *p)
{
    int64_t w2 = p->width * p->width * p->n_parts, n = p->rows->n_rows;
    int64_t count = SMR_MAX(LEAST_CHUNKS, CHUNKS / p->n_parts);
    count = SMR_MIN(count, SMR_MAX(1, MAX_PARTIAL / w2));
    int64_t rows = SMR_MAX(SMR_MAX(MIN_CHUNK, 4 * p->width), (n + count - 1) / count);
    p->chunk = (rows + SMR_ROWS_BLOCK - 1) / SMR_ROWS_BLOCK * SMR_ROWS_BLOCK;
    p->n_chunks = SMR_MAX(1, smr_block_count(n, p->chunk));
}

static double *matrix_of(const struct pass *p, int64_t task, int64_t part)
{
    return p->partials + (task * p->n_parts + part) * p->width * p->width;
}

/* Rows lo .. hi of the block Z into the buffers of their parts; full ones are summed. */
static void sort_rows(const struct pass *p, int64_t task, int lane, int64_t lo, int64_t hi,
                      const double *Z)
{
    int64_t w = p->width, size = SMR_ROWS_BLOCK * w;
    double *buffers = p->buffers + lane * p->n_parts * size;
    int64_t *filled = p->filled + lane * p->n_parts;
    for (int64_t i = lo; i < hi; i++) {
        int64_t f = p->part[i];
        double *buffer = buffers + f * size;
        memcpy(buffer + filled[f] * w, Z + (i - lo) * w, (size_t)w * sizeof *Z);
        if (++filled[f] < SMR_ROWS_BLOCK) continue;
        smr_gram_f64(SMR_ROWS_BLOCK, w, buffer, w, matrix_of(p, task, f), w,
                     p->work + lane * p->work_size);
        filled[f] = 0;
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct pass *p = arg;
    int64_t w = p->width, lo = task * p->chunk;
    int64_t end = smr_block_end(p->rows->n_rows, p->chunk, task), size = SMR_ROWS_BLOCK * w;
    smr_row_block block = {.Z = p->blocks + lane * size, .root = p->roots + lane * SMR_ROWS_BLOCK};
    char *work = p->work + lane * p->work_size;
    for (; lo < end; lo += SMR_ROWS_BLOCK) {
        int64_t hi = SMR_MIN(end, lo + SMR_ROWS_BLOCK);
        smr_status st = smr_row_frame_load(ctx, p->rows, p->frame, lane, lo, hi, &block);
        if (st != SMR_OK) return st;
        if (p->n_parts == 1)
            smr_gram_ahead_f64(hi - lo, w, block.Z, w, matrix_of(p, task, 0), w, work, block.next);
        else
            sort_rows(p, task, lane, lo, hi, block.Z);
    }
    for (int64_t f = 0; f < p->n_parts; f++) { /* what is left in the buffers */
        int64_t *left = &p->filled[lane * p->n_parts + f];
        smr_gram_f64(*left, w, p->buffers + (lane * p->n_parts + f) * size, w,
                     matrix_of(p, task, f), w, work);
        *left = 0;
    }
    return SMR_OK;
}

static smr_status add_chunks(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    const struct pass *p = arg;
    int64_t w2 = p->width * p->width;
    (void)ctx, (void)lane;
    memcpy(p->sums + part * w2, matrix_of(p, 0, part), (size_t)w2 * sizeof *p->sums);
    for (int64_t c = 1; c < p->n_chunks; c++)
        smr_axpy_f64(w2, 1, matrix_of(p, c, part), p->sums + part * w2);
    return SMR_OK;
}

static smr_status run_pass(smr_ctx *ctx, struct pass *p)
{
    smr_status st = SMR_OK;
    int64_t w = p->width, lanes = smr_lanes(ctx), k = p->n_parts;
    p->work_size = (smr_gram_work(w) + 63) / 64 * 64;
    choose_chunks(p);
    TRY(smr_memory_check(ctx, 8.0 * (double)(w * w) * (double)(p->n_chunks * k),
                         "the Gram matrices of these columns", "use fewer features or folds"));
    TRY_NEW(p->partials, p->n_chunks * k * w * w);
    TRY_NEW(p->blocks, lanes * SMR_ROWS_BLOCK * w);
    TRY_NEW(p->buffers, k > 1 ? lanes * k * SMR_ROWS_BLOCK * w : 1);
    TRY_NEW(p->roots, lanes * SMR_ROWS_BLOCK);
    TRY_NEW(p->filled, lanes * k);
    TRY_NEW(p->work, lanes * p->work_size);
    TRY(smr_parallel(ctx, "summing products", p->n_chunks, sum_chunk, p));
    TRY(smr_parallel(ctx, NULL, k, add_chunks, p));
out:
    smr_free(p->work);
    smr_free(p->filled);
    smr_free(p->roots);
    smr_free(p->buffers);
    smr_free(p->blocks);
    smr_free(p->partials);
    return st;
}

/* ---- after the pass --------------------------------------------------------------------- */

/* Sum of all parts' entry (i, j), i <= j. */
static double total(const smr_gram_folds *p, int64_t without, int64_t i, int64_t j)
{
    int64_t w = p->m + 1;
    double sum = 0;
    for (int64_t k = 0; k < p->n_parts; k++)
        if (k != without) sum += p->sums[(k * w + i) * w + j];
    return sum;
}

/* Moves the shift to the mean where the sample that chose it was so unlike the rest that
 * subtracting what is left of the mean would cost more than two digits; true: sum again. */
static bool improve_shift(const smr_gram_folds *p, smr_row_frame *f)
{
    bool poor = false;
    for (int64_t j = 0; j < p->m; j++) {
        double rest = total(p, -1, j, p->m) / f->weight, off = f->weight * rest * rest;
        double at = (f->shift[j] + rest / f->scale[j]) * f->scale[j];
        poor |= off > 100 * (total(p, -1, j, j) - off) && off > 1e-20 * f->weight * at * at;
    }
    for (int64_t j = 0; j < p->m && poor; j++)
        f->shift[j] += total(p, -1, j, p->m) / f->weight / f->scale[j];
    return poor;
}

/* The columns in their own units, the matrices whole. */
static smr_status finish(smr_ctx *ctx, const smr_row_source *rows, const smr_row_frame *f,
                         smr_gram_folds *p)
{
    int64_t w = p->m + 1;
    bool finite = true;
    for (int64_t k = 0; k < p->n_parts; k++) {
        double *S = p->sums + k * w * w;
        for (int64_t i = 0; i < w; i++) {
            double by = i < p->m ? f->scale[i] : 1;
            for (int64_t j = i; j < w; j++) {
                double s = S[i * w + j] / by / (j < p->m ? f->scale[j] : 1);
                S[i * w + j] = S[j * w + i] = s;
                finite &= isfinite(s) != 0;
            }
        }
        p->weight[k] = S[w * w - 1];
    }
    memcpy(p->shift, f->shift, (size_t)p->m * sizeof *p->shift);
    if (finite) return SMR_OK;
    smr_status st = smr_rows_check_finite(ctx, rows);
    return st != SMR_OK
               ? st
               : smr_fail(ctx, SMR_ERR_NUMERIC, "sums of squares overflow: rescale the columns");
}

smr_status smr_gram_folds_compute(smr_ctx *ctx, const smr_row_source *rows, bool centre,
                                  const int32_t *part, int64_t n_parts, smr_gram_folds *out)
{
    smr_status st = SMR_OK;
    smr_row_frame frame = {0};
    int64_t m = rows->n_cols + rows->n_outputs, w = m + 1;
    *out = (smr_gram_folds){.m = m, .n_parts = n_parts, .centred = centre};
    TRY(smr_row_frame_create(ctx, rows, centre, &frame));
    TRY_NEW(out->shift, m + 1);
    TRY_NEW(out->weight, n_parts);
    TRY_NEW(out->sums, n_parts * w * w);
    for (int again = 0; again < 2; again++) {
        struct pass p = {.rows = rows,
                         .frame = &frame,
                         .part = part,
                         .n_parts = n_parts,
                         .width = w,
                         .sums = out->sums};
        TRY(run_pass(ctx, &p));
        if (!centre || again || !improve_shift(out, &frame)) break;
    }
    TRY(finish(ctx, rows, &frame, out));
out:
    smr_row_frame_release(&frame);
    if (st != SMR_OK) smr_gram_folds_release(out);
    return st;
}

void smr_gram_folds_release(smr_gram_folds *p)
{
    smr_free(p->shift);
    smr_free(p->weight);
    smr_free(p->sums);
    *p = (smr_gram_folds){0};
}

/* ---- what follows ----------------------------------------------------------------------- */

/* gram = sum of the parts' matrices, its last row and column left out; rest = their last column. */
static void add_parts(const smr_gram_folds *p, int64_t without, double *rest, double *gram)
{
    int64_t m = p->m, w = m + 1;
    for (int64_t i = 0; i < m; i++) {
        double *row = gram + i * m;
        memset(row, 0, (size_t)m * sizeof *row);
        rest[i] = 0;
        for (int64_t k = 0; k < p->n_parts; k++) {
            const double *S = p->sums + (k * w + i) * w;
            if (k == without) continue;
            for (int64_t j = 0; j < m; j++) row[j] += S[j];
            rest[i] += S[m];
        }
    }
}

static void clear_column(int64_t m, int64_t j, double *gram)
{
    for (int64_t i = 0; i < m; i++) gram[i * m + j] = gram[j * m + i] = 0;
}

double smr_gram_folds_join(const smr_gram_folds *p, int64_t without, double *mean, double *gram)
{
    int64_t m = p->m;
    double weight = 0;
    for (int64_t k = 0; k < p->n_parts; k++) weight += k == without ? 0 : p->weight[k];
    add_parts(p, without, mean, gram);
    if (!p->centred || !(weight > 0)) {
        memset(mean, 0, (size_t)m * sizeof *mean);
        return weight;
    }
    for (int64_t j = 0; j < m; j++) mean[j] /= weight;
    for (int64_t i = 0; i < m; i++) {
        double whole = gram[i * m + i];
        smr_axpy_f64(m, -weight * mean[i], mean, gram + i * m);
        if (!(gram[i * m + i] > 1e3 * DBL_EPSILON * whole)) gram[i * m + i] = 0;
    }
    for (int64_t j = 0; j < m; j++) {
        if (gram[j * m + j] == 0) clear_column(m, j, gram);
        mean[j] += p->shift[j];
    }
    return weight;
}

double smr_gram_folds_error(const smr_gram_folds *p, int64_t part, int64_t d, int64_t k,
                            const double *w, double b)
{
    int64_t m = p->m, width = m + 1;
    const double *S = p->sums + part * width * width, *y = S + (d + k) * width;
    double origin = b - p->shift[d + k]; /* of the shifted output at the shifted origin */
    for (int64_t j = 0; j < d; j++) origin += w[j] * p->shift[j];
    double error = y[d + k] - 2 * origin * y[m] + origin * origin * p->weight[part];
    for (int64_t i = 0; i < d; i++) {
        const double *row = S + i * width;
        double sum = 0;
        if (w[i] == 0) continue;
        for (int64_t j = 0; j < i; j++) sum += w[j] * row[j];
        error += w[i] * (2 * (sum - row[d + k] + origin * row[m]) + w[i] * row[i]);
    }
    return smr_fmax(error, 0);
}
