/* lstsq_qr.c -- the triangular factor of all rows, and refinement: see lstsq.h.
 *
 * The columns 1, X - shift, Y - shift (times a power of two, rows times root of weight) are
 * factored together.  Every chunk of rows absorbs its tiles into a triangle of its own; triangles
 * are joined in pairs, neighbours first.  The first row of the result holds the means, the rest
 * is the factor of the centred columns, with the residuals' lengths in its lower right corner:
 *
 *         1      X     Y
 *     [ rW    mean  mean ]
 *     [        A     C   ]
 *     [              E   ]        rss = |column of E|^2
 *
 * Refinement: with r = y - b - X w in twice the precision, g = Xc' r,
 *
 *     w += (A'A)^-1 g,   b += mean(r) - mean(x)' dw                                             (1)
 *
 * and w, b themselves carried in twice the precision.  Each step multiplies the error by about
 * condition^2 epsilon at worst; it is repeated while the corrections shrink. */
#include "kernel/kernel.h"
#include "kernel/qr_kernels.h"
#include "math/factor.h"
#include "math/lstsq_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_STEPS = 5, MAX_STEPS_LARGE = 2, LARGE = 1 << 24 };
static const double ENOUGH_LARGE = 1e-10; /* a step costs a pass over the rows: not for less */

struct qr_pass {
    const smr_row_source *rows;
    const smr_row_frame *frame;
    int64_t width;     /* columns factored together                  */
    bool intercept;    /* the first of them is 1                     */
    double *triangles; /* n_chunks x width x width                   */
    double *tiles;     /* lanes x width x SMR_QR_ROWS                */
    int64_t step;      /* joining: triangles c and c + step          */
    smr_shift as_is;   /* copies without change */
};

/* ---- the factor ------------------------------------------------------------------------- */

/* Fills a tile from n rows that begin at row lo; x are the features of these. */
static void fill_tile(const struct qr_pass *p, int64_t lo, int64_t n, const double *x,
                      int64_t stride, double *tile)
{
    const smr_row_source *s = p->rows;
    int64_t d = s->n_cols, q = s->n_outputs, at = p->intercept;
    double root[SMR_QR_ROWS] = {0};
    for (int64_t i = 0; i < n; i++) root[i] = s->weight ? sqrt(s->weight[lo + i]) : 1;
    const double *by = s->weight ? root : NULL;
    if (p->intercept) memcpy(tile, root, sizeof root);
    smr_shift features = {p->frame->shift, p->frame->scale, by};
    smr_shift outputs = {p->frame->shift + d, p->frame->scale + d, by};
    smr_shift_tile(n, d, x, stride, &features, tile + at * SMR_QR_ROWS);
    smr_shift_tile(n, q, s->y + lo * q, q, &outputs, tile + (at + d) * SMR_QR_ROWS);
}

static smr_status factor_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct qr_pass *p = arg;
    const smr_row_source *s = p->rows;
    int64_t w = p->width, stride = 0;
    int64_t lo = task * p->frame->chunk, end = smr_block_end(s->n_rows, p->frame->chunk, task);
    double *R = p->triangles + task * w * w, *tile = p->tiles + lane * w * SMR_QR_ROWS;
    for (; lo < end; lo += SMR_ROWS_BLOCK) {
        int64_t hi = SMR_MIN(end, lo + SMR_ROWS_BLOCK);
        const double *x = NULL;
        smr_status st = s->rows(ctx, s->arg, lane, lo, hi, &x, &stride);
        if (st != SMR_OK) return st;
        for (int64_t i = lo; i < hi; i += SMR_QR_ROWS) {
            fill_tile(p, i, SMR_MIN(SMR_QR_ROWS, hi - i), x + (i - lo) * stride, stride, tile);
            smr_qr_absorb(w, R, tile, x + (i - lo) * stride, SMR_QR_ROWS * stride);
        }
    }
    return SMR_OK;
}

/* Triangle c absorbs the rows of triangle c + step. */
static smr_status join_pair(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const struct qr_pass *p = arg;
    int64_t w = p->width, c = task * 2 * p->step;
    if (c + p->step >= p->frame->n_chunks) return SMR_OK;
    double *R = p->triangles + c * w * w, *tile = p->tiles + lane * w * SMR_QR_ROWS;
    const double *other = p->triangles + (c + p->step) * w * w;
    for (int64_t i = 0; i < w; i += SMR_QR_ROWS) {
        int64_t n = SMR_MIN(SMR_QR_ROWS, w - i);
        smr_shift_tile(n, w, other + i * w, w, &p->as_is, tile);
        smr_qr_absorb(w, R, tile, NULL, 0);
    }
    return SMR_OK;
}

static smr_status factor_rows(smr_ctx *ctx, struct qr_pass *p)
{
    smr_status st = smr_parallel(ctx, "factoring", p->frame->n_chunks, factor_chunk, p);
    for (p->step = 1; st == SMR_OK && p->step < p->frame->n_chunks; p->step *= 2)
        st =
            smr_parallel(ctx, NULL, smr_block_count(p->frame->n_chunks, 2 * p->step), join_pair, p);
    return st;
}

/* ---- reading the factor ----------------------------------------------------------------- */

static double sum_of_squares(const double *R, int64_t w, int64_t column, int64_t from, int64_t to)
{
    double s = 0;
    for (int64_t i = from; i < to; i++) s += R[i * w + column] * R[i * w + column];
    return s;
}

/* The signs of R's rows are free; they cancel in all that follows. */
static void read_triangle(const struct qr_pass *p, smr_triangle *t)
{
    const smr_row_frame *f = p->frame;
    const double *R = p->triangles;
    int64_t w = p->width, at = p->intercept, d = t->d;
    t->weight = f->weight;
    for (int64_t j = 0; j < d + t->q; j++) {
        double rest = p->intercept ? R[at + j] / R[0] / f->scale[j] : 0;
        t->mean[j] = p->intercept ? f->shift[j] + rest : 0;
    }
    for (int64_t j = 0; j < d; j++) {
        double length = sqrt(sum_of_squares(R, w, at + j, at, at + j + 1));
        double offset = t->mean[j] * f->scale[j];
        double raw = sqrt(length * length + f->weight * offset * offset);
        bool constant = !(length > 16 * DBL_EPSILON * raw);
        t->length[j] = constant ? 1 : length / f->scale[j];
        t->noise[j] = constant ? 1 : DBL_EPSILON * raw / length;
        for (int64_t i = 0; i <= j; i++)
            t->A[i * d + j] = constant ? 0 : R[(at + i) * w + at + j] / length;
    }
    for (int64_t k = 0; k < t->q; k++) {
        int64_t j = at + d + k;
        double unit = f->scale[d + k];
        for (int64_t i = 0; i < d; i++) t->C[k * d + i] = R[(at + i) * w + j] / unit;
        t->tss[k] = sum_of_squares(R, w, j, at, j + 1) / unit / unit;
        t->rss[k] = sum_of_squares(R, w, j, at + d, j + 1) / unit / unit;
    }
}

smr_status smr_triangle_qr(smr_ctx *ctx, const smr_row_source *rows, bool intercept,
                           smr_triangle *out)
{
    smr_status st = SMR_OK;
    smr_row_frame frame = {0};
    double *zero = NULL, *one = NULL;
    struct qr_pass p = {.rows = rows, .frame = &frame, .intercept = intercept};
    *out = (smr_triangle){0};
    TRY(smr_row_frame_create(ctx, rows, intercept, &frame));
    int64_t w = p.width = frame.m + intercept;
    TRY(smr_triangle_create(ctx, rows->n_cols, rows->n_outputs, out));
    TRY_NEW(zero, w);
    TRY_NEW(one, w);
    for (int64_t j = 0; j < w; j++) one[j] = 1;
    p.as_is = (smr_shift){zero, one, NULL};
    TRY_NEW(p.triangles, frame.n_chunks * w * w);
    TRY_NEW(p.tiles, smr_lanes(ctx) * w * SMR_QR_ROWS);
    TRY(factor_rows(ctx, &p));
    for (int64_t i = 0; i < w * w; i++)
        if (!isfinite(p.triangles[i])) {
            TRY(smr_rows_check_finite(ctx, rows));
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "the columns' lengths overflow: rescale them"));
        }
    read_triangle(&p, out);
out:
    smr_free(p.tiles);
    smr_free(p.triangles);
    smr_free(one);
    smr_free(zero);
    smr_row_frame_release(&frame);
    if (st != SMR_OK) smr_triangle_release(out);
    return st;
}

/* ---- refinement ------------------------------------------------------------------------- */

struct refinement {
    const smr_row_source *rows;
    const smr_row_frame *frame;
    int64_t p; /* parameters of an output: intercept and d coefficients            */
    bool intercept;
    double *high; /* q x p: the parameters, in two parts                              */
    double *low;
    double *sums;    /* n_chunks x q x (p + 1) x 2 SMR_QR_LANES                          */
    double *tiles;   /* lanes x (p + q + 1) x SMR_QR_ROWS; the last column is the weight */
    smr_shift as_is; /* copies without change */
};

static smr_status residuals_of_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct refinement *f = arg;
    const smr_row_source *s = f->rows;
    int64_t d = s->n_cols, q = s->n_outputs, p = f->p, stride = 0,
            size = (p + 1) * 2 * SMR_QR_LANES;
    int64_t lo = task * f->frame->chunk, end = smr_block_end(s->n_rows, f->frame->chunk, task);
    double *X = f->tiles + lane * (p + q + 1) * SMR_QR_ROWS, *Y = X + p * SMR_QR_ROWS;
    double *weight = Y + q * SMR_QR_ROWS;
    for (; lo < end; lo += SMR_QR_ROWS) {
        int64_t n = SMR_MIN(SMR_QR_ROWS, end - lo);
        const double *x = NULL;
        smr_status st = s->rows(ctx, s->arg, lane, lo, lo + n, &x, &stride);
        if (st != SMR_OK) return st;
        for (int64_t i = 0; i < SMR_QR_ROWS; i++) {
            weight[i] = i >= n ? 0 : s->weight ? s->weight[lo + i] : 1;
            if (f->intercept) X[i] = 1;
        }
        smr_shift_tile(n, d, x, stride, &f->as_is, X + f->intercept * SMR_QR_ROWS);
        smr_shift_tile(n, q, s->y + lo * q, q, &f->as_is, Y);
        for (int64_t k = 0; k < q; k++)
            smr_residual_tile(p, X, Y + k * SMR_QR_ROWS, weight, f->high + k * p, f->low + k * p,
                              f->sums + (task * q + k) * size);
    }
    return SMR_OK;
}

/* (high, low) += a. */
static void add_to_pair(double *high, double *low, double a)
{
    double s = *high + a, b = s - *high;
    double l = *low + ((*high - (s - b)) + (a - b));
    *high = s + l;
    *low = l - (*high - s);
}

/* Sum j of output k over the chunks, in order. */
static void collect(const struct refinement *f, int64_t k, int64_t j, double *high, double *low)
{
    int64_t q = f->rows->n_outputs, size = (f->p + 1) * 2 * SMR_QR_LANES;
    *high = *low = 0;
    for (int64_t c = 0; c < f->frame->n_chunks; c++) {
        double h = 0, l = 0;
        smr_residual_total(f->sums + (c * q + k) * size + j * 2 * SMR_QR_LANES, &h, &l);
        add_to_pair(high, low, h);
        add_to_pair(high, low, l);
    }
}

/* step (p) = the correction (1) of output k; its share of the coefficients is left scaled. */
static smr_status correction(smr_ctx *ctx, const struct refinement *f, const smr_triangle *t,
                             int64_t k, double *step, double *rss)
{
    smr_status st = SMR_OK;
    int64_t d = t->d, at = f->intercept;
    double total = 0, rest = 0, h = 0, l = 0;
    if (f->intercept) collect(f, k, 0, &total, &rest);
    for (int64_t j = 0; j < d; j++) {
        collect(f, k, at + j, &h, &l);
        double p = t->mean[j] * total, e = fma(t->mean[j], total, -p) + t->mean[j] * rest;
        add_to_pair(&h, &l, -p);
        step[at + j] = (h + (l - e)) / t->length[j];
    }
    collect(f, k, f->p, rss, &l);
    TRY(smr_cholesky_solve(ctx, d, 1, t->A, d, step + at, d)); /* A' A, A' by columns */
    if (f->intercept) {
        step[0] = total / t->weight;
        for (int64_t j = 0; j < d; j++) step[0] -= t->mean[j] / t->length[j] * step[at + j];
    }
out:
    return st;
}

/* Size of the parameters in scaled units. */
static double size_of(const struct refinement *f, const smr_triangle *t, int64_t k)
{
    double s = 0;
    for (int64_t j = 0; j < t->d; j++)
        s = smr_fmax(s, fabs(f->high[k * f->p + f->intercept + j]) * t->length[j]);
    return s;
}

/* Adds the correction to output k's parameters; returns its size relative to theirs. */
static double apply(const struct refinement *f, const smr_triangle *t, int64_t k,
                    const double *step, double limit)
{
    int64_t d = t->d, at = f->intercept;
    double moved = 0, size = size_of(f, t, k);
    for (int64_t j = 0; j < d; j++) moved = smr_fmax(moved, fabs(step[at + j]));
    double relative = size > 0 ? moved / size : moved > 0 ? INFINITY : 0;
    if (!(relative < limit)) return relative;
    double *high = f->high + k * f->p, *low = f->low + k * f->p;
    if (at) add_to_pair(&high[0], &low[0], step[0]);
    for (int64_t j = 0; j < d; j++)
        add_to_pair(&high[at + j], &low[at + j], step[at + j] / t->length[j]);
    return relative;
}

/* Steps until no output moves by more than rounding, or some correction stops shrinking: that one
 * and all later ones of its output are not applied. */
static smr_status iterate(smr_ctx *ctx, struct refinement *f, const smr_triangle *t, smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    int64_t q = t->q, size = (f->p + 1) * 2 * SMR_QR_LANES;
    bool large = f->rows->n_rows * f->p > LARGE;
    int64_t most = large ? MAX_STEPS_LARGE : MAX_STEPS;
    double enough = large ? ENOUGH_LARGE : DBL_EPSILON;
    double *step = NULL, *last = NULL;
    double shrinks = 10 * DBL_EPSILON * fit->condition * fit->condition;
    TRY_NEW(step, f->p);
    TRY_NEW(last, q);
    for (int64_t k = 0; k < q; k++) last[k] = 0.5;
    for (int64_t it = 0; it < most; it++) {
        bool moving = false, kept = false;
        memset(f->sums, 0, (size_t)(f->frame->n_chunks * q * size) * sizeof *f->sums);
        TRY(smr_parallel(ctx, "refining", f->frame->n_chunks, residuals_of_chunk, f));
        for (int64_t k = 0; k < q; k++) {
            double rss = 0;
            TRY(correction(ctx, f, t, k, step, &rss));
            if (rss <= fit->rss[k] || it == 0) fit->rss[k] = rss;
            if (!(last[k] > DBL_EPSILON)) continue; /* done, or given up */
            double moved = apply(f, t, k, step, last[k] / 2);
            kept = kept || moved < last[k] / 2;
            last[k] = moved < last[k] / 2 ? moved : 0;
            if (last[k] * shrinks < enough) last[k] = 0; /* the next one would be too small */
            moving = moving || last[k] > DBL_EPSILON;
        }
        fit->n_refined += kept;
        if (!moving) break;
    }
out:
    smr_free(last);
    smr_free(step);
    return st;
}

smr_status smr_lstsq_refine(smr_ctx *ctx, const smr_row_source *rows, const smr_triangle *t,
                            smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    bool intercept = fit->centred;
    int64_t d = t->d, q = t->q, p = d + intercept;
    double *zero = NULL, *one = NULL;
    smr_row_frame frame = {0};
    struct refinement f = {.rows = rows, .frame = &frame, .p = p, .intercept = intercept};
    TRY(smr_row_frame_create(ctx, rows, intercept, &frame));
    TRY_NEW(f.high, q * p + 1);
    TRY_NEW(f.low, q * p + 1);
    TRY_NEW(f.sums, frame.n_chunks * q * (p + 1) * 2 * SMR_QR_LANES);
    TRY_NEW(f.tiles, smr_lanes(ctx) * (p + q + 1) * SMR_QR_ROWS);
    TRY_NEW(zero, d + q);
    TRY_NEW(one, d + q);
    for (int64_t j = 0; j < d + q; j++) one[j] = 1;
    f.as_is = (smr_shift){zero, one, NULL};
    for (int64_t k = 0; k < q; k++) {
        if (intercept) f.high[k * p] = fit->origin[k];
        memcpy(f.high + k * p + intercept, fit->coef + k * d, (size_t)d * sizeof(double));
    }
    TRY(iterate(ctx, &f, t, fit));
    for (int64_t k = 0; k < q; k++) {
        if (intercept) fit->origin[k] = f.high[k * p];
        memcpy(fit->coef + k * d, f.high + k * p + intercept, (size_t)d * sizeof(double));
    }
out:
    smr_free(one);
    smr_free(zero);
    smr_free(f.tiles);
    smr_free(f.sums);
    smr_free(f.low);
    smr_free(f.high);
    smr_row_frame_release(&frame);
    return st;
}
