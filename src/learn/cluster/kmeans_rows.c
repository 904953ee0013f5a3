/* kmeans_rows.c -- the rows of a fit: held in memory, summed exactly.
 *
 * Sums of rows are sums of whole numbers: with s_j a mean of some rows, r_j the largest |x_j - s_j|
 * and 2^b the most that fits n times into 62 bits (b <= 51), a row adds
 *
 *     round((x_j - s_j) 2^e_j w),    max w r_j 2^e_j <= 2^b                                     (1)
 *
 * so that the order in which rows join and leave clusters, blocks and threads cannot change a bit,
 * and what is left out by rounding is 2^-b of the column's range: less than 1e-15 up to 2000 rows,
 * 1e-12 at a million.  Sums of bytes lose nothing. */
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "learn/cluster/kmeans.h"
#include "learn/linear/held_rows.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PANEL = SMR_KM_PANEL,
    MOST_BLOCK = 512,
    LEAST_BLOCK = 64,
    KEYS = 1 << 16,   /* of a block                 */
    FLOATS = 1 << 17, /* of a block's panels, about */
    SOME = 1024,      /* rows of the mean s */
    MOST_BITS = 51,
    PARTS = 1 << 22, /* numbers in the extremes of all tasks */
    BYTES_FROM = 32, /* columns from which on numbers are multiplied as bytes */
};

/* ---- rows one by one -------------------------------------------------------------------- */

static void spread_entries(const struct smr_km_rows *r, int64_t i, double *to)
{
    memset(to, 0, (size_t)r->d * sizeof *to);
    for (int64_t e = r->csr.start[i]; e < r->csr.start[i + 1]; e++)
        to[r->csr.column[e]] = r->csr.value[e];
}

const double *smr_km_row(const struct smr_km_rows *r, int64_t i, double *to)
{
    if (r->form == SMR_FORM_F64) return (const double *)r->dense.values + i * r->dense.stride;
    if (r->form == SMR_FORM_F32) {
        const float *x = (const float *)r->dense.values + i * r->dense.stride;
        for (int64_t j = 0; j < r->d; j++) to[j] = (double)x[j];
    } else if (r->form == SMR_FORM_U8) {
        const uint8_t *x = (const uint8_t *)r->dense.values + i * r->dense.stride;
        for (int64_t j = 0; j < r->d; j++) to[j] = x[j];
    } else {
        spread_entries(r, i, to);
    }
    return to;
}

double smr_km_distance(const struct smr_km_rows *r, int64_t i, const double *c, double square,
                       double *to)
{
    if (r->form == SMR_FORM_F32)
        return smr_l2sq_f32_f64(r->d, (const float *)r->dense.values + i * r->dense.stride, c);
    if (r->form != SMR_FORM_SPARSE) return smr_l2sq_f64(r->d, smr_km_row(r, i, to), c);
    double sum = square;
    for (int64_t e = r->csr.start[i]; e < r->csr.start[i + 1]; e++)
        sum += r->csr.value[e] * (r->csr.value[e] - 2 * c[r->csr.column[e]]);
    return smr_fmax(sum, 0);
}

void smr_km_distances(const struct smr_km_rows *r, int64_t lo, int64_t hi, const int32_t *which,
                      const double *centre, const double *square, double *row, double *to)
{
    int64_t n = hi - lo, ld = r->dense.stride;
    if (r->form == SMR_FORM_F64) {
        smr_l2sq_rows_f64(n, r->d, (const double *)r->dense.values + lo * ld, ld, which, centre,
                          to);
    } else if (r->form == SMR_FORM_F32) {
        smr_l2sq_rows_f32(n, r->d, (const float *)r->dense.values + lo * ld, ld, which, centre, to);
    } else {
        for (int64_t i = 0; i < n; i++) {
            int64_t c = which ? which[i] : 0;
            to[i] = smr_km_distance(r, lo + i, centre + c * r->d, square ? square[c] : 0, row);
        }
    }
}

void smr_kmeans_unit(int64_t d, double *x)
{
    double length = sqrt(smr_sumsq_f64(d, x, 0));
    for (int64_t j = 0; j < d && length > 0; j++) x[j] /= length;
}

/* ---- in memory -------------------------------------------------------------------------- */

static smr_status unit_rows(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct smr_km_rows *r = arg;
    int64_t hi = smr_block_end(r->n, MOST_BLOCK, block);
    (void)ctx, (void)lane;
    for (int64_t i = block * MOST_BLOCK; i < hi; i++) {
        if (r->form != SMR_FORM_SPARSE) {
            smr_kmeans_unit(r->d, (double *)r->kept.block + i * r->d);
            continue;
        }
        int64_t from = r->csr.start[i], n = r->csr.start[i + 1] - from;
        memcpy(r->unit_values + from, r->csr.value + from, (size_t)n * sizeof *r->unit_values);
        smr_kmeans_unit(n, r->unit_values + from);
    }
    return SMR_OK;
}

static smr_status hold(smr_ctx *ctx, int metric, struct smr_km_rows *r)
{
    smr_status st = SMR_OK;
    bool is_sparse = smr_data_is_sparse(&r->data), unit = metric == SMR_KM_COSINE;
    r->form = is_sparse ? SMR_FORM_SPARSE : unit ? SMR_FORM_F64 : smr_data_natural_form(&r->data);
    r->data.spend = NULL;
    if (unit && !is_sparse)
        TRY(smr_data_copy(ctx, &r->data, r->form, true, &r->kept));
    else
        TRY(smr_data_keep(ctx, &r->data, r->form, true, &r->kept));
    if (is_sparse) {
        r->csr = *r->data.sparse;
        if (unit) TRY_NEW(r->unit_values, r->csr.start[r->n] + 1);
    } else if (!smr_data_whole(&r->data, r->form, &r->dense)) {
        TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "%s: rows are not in memory", r->name));
    }
    if (unit) TRY(smr_parallel(ctx, NULL, smr_block_count(r->n, MOST_BLOCK), unit_rows, r));
    if (unit && is_sparse) r->csr.value = r->unit_values;
out:
    return st;
}

/* ---- ranges ----------------------------------------------------------------------------- */

struct ranges {
    struct smr_km_rows *r;
    int64_t rows;             /* of a task */
    double *least, *greatest; /* tasks x d */
    float *floats;            /* lanes x 2 d */
    bool *finite;             /* tasks */
};

static smr_status range_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct ranges *s = arg;
    const struct smr_km_rows *r = s->r;
    int64_t d = r->d, lo = task * s->rows, hi = smr_block_end(r->n, s->rows, task);
    double *least = s->least + task * d, *greatest = s->greatest + task * d;
    (void)ctx;
    s->finite[task] = true;
    for (int64_t j = 0; j < d; j++) {
        bool is_sparse = r->form == SMR_FORM_SPARSE;
        least[j] = is_sparse ? 0 : INFINITY;
        greatest[j] = is_sparse ? 0 : -INFINITY;
    }
    if (r->form == SMR_FORM_F64) {
        s->finite[task] =
            smr_extremes_f64(hi - lo, d, smr_km_row(r, lo, NULL), r->dense.stride, least, greatest);
        return SMR_OK;
    }
    if (r->form == SMR_FORM_F32) {
        float *a = s->floats + lane * 2 * d, *b = a + d;
        for (int64_t j = 0; j < d; j++) {
            a[j] = INFINITY;
            b[j] = -INFINITY;
        }
        s->finite[task] =
            smr_extremes_f32(hi - lo, d, (const float *)r->dense.values + lo * r->dense.stride,
                             r->dense.stride, a, b);
        for (int64_t j = 0; j < d; j++) {
            least[j] = (double)a[j];
            greatest[j] = (double)b[j];
        }
        return SMR_OK;
    }
    for (int64_t e = r->form == SMR_FORM_SPARSE ? r->csr.start[lo] : 0;
         r->form == SMR_FORM_SPARSE && e < r->csr.start[hi]; e++) {
        double x = r->csr.value[e];
        int32_t j = r->csr.column[e];
        s->finite[task] &= isfinite(x);
        least[j] = smr_fmin(least[j], x);
        greatest[j] = smr_fmax(greatest[j], x);
    }
    return SMR_OK;
}

/* least and greatest (d) of all rows. */
static smr_status find_ranges(smr_ctx *ctx, struct smr_km_rows *r, double *least, double *greatest)
{
    smr_status st = SMR_OK;
    int64_t tasks = SMR_MAX(1, SMR_MIN(64, PARTS / SMR_MAX(1, r->d)));
    struct ranges s = {.r = r, .rows = SMR_MAX(1024, (r->n + tasks - 1) / tasks)};
    bool finite = true;
    tasks = smr_block_count(r->n, s.rows);
    TRY_NEW(s.least, tasks * r->d);
    TRY_NEW(s.greatest, tasks * r->d);
    TRY_NEW(s.finite, tasks);
    if (r->form == SMR_FORM_F32) TRY_NEW(s.floats, smr_lanes(ctx) * 2 * r->d);
    TRY(smr_parallel(ctx, NULL, tasks, range_task, &s));
    for (int64_t t = 0; t < tasks; t++) {
        finite &= s.finite[t];
        for (int64_t j = 0; j < r->d; j++) {
            least[j] = t ? smr_fmin(least[j], s.least[t * r->d + j]) : s.least[j];
            greatest[j] = t ? smr_fmax(greatest[j], s.greatest[t * r->d + j]) : s.greatest[j];
        }
    }
    if (!finite) {
        smr_held_rows held = {.given = r->given};
        TRY(smr_held_explain(ctx, &held));
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "%s: sums of the columns overflow: rescale them",
                     r->name));
    }
out:
    smr_free(s.least);
    smr_free(s.greatest);
    smr_free(s.finite);
    smr_free(s.floats);
    return st;
}

/* ---- (1) -------------------------------------------------------------------------------- */

/* The largest power of two p with most * p <= 2^bits; most is positive. */
static double power_below(double most, int bits)
{
    int exponent;
    frexp(most, &exponent);
    return ldexp(1, SMR_MIN(1000, bits - exponent));
}

static void some_mean(const struct smr_km_rows *r, double *mean)
{
    int64_t m = SMR_MIN(r->n, SOME);
    for (int64_t t = 0; t < m; t++) {
        const double *x = smr_km_row(r, t * r->n / m, r->work);
        smr_axpy_f64(r->d, 1 / (double)m, x, mean);
    }
    for (int64_t j = 0; r->form == SMR_FORM_F32 && j < r->d; j++) /* floats are taken from floats */
        mean[j] = (double)(float)mean[j];
}

/* Longest: the length of the longest row from the shift, at most. */
static smr_status choose_scales(smr_ctx *ctx, struct smr_km_rows *r, double *longest,
                                bool *is_lattice)
{
    smr_status st = SMR_OK;
    double *least = NULL, *greatest = NULL, heaviest = 1, sum = 0, low = INFINITY, high = -INFINITY;
    uint8_t *bytes = NULL;
    int bits = 62;
    TRY_NEW(least, r->d);
    TRY_NEW(greatest, r->d);
    if (r->form != SMR_FORM_U8) TRY(find_ranges(ctx, r, least, greatest));
    for (int64_t j = 0; r->form == SMR_FORM_U8 && j < r->d; j++) greatest[j] = UINT8_MAX;
    for (int64_t n = 1; n < r->n; n *= 2) bits--;
    bits = SMR_MIN(bits, MOST_BITS);
    for (int64_t i = 0; r->weight && i < r->n; i++)
        heaviest = smr_fmax(i ? heaviest : 0, r->weight[i]);
    if (r->form != SMR_FORM_SPARSE && r->form != SMR_FORM_U8) some_mean(r, r->shift);
    for (int64_t j = 0; j < r->d; j++) {
        double reach = smr_fmax(greatest[j] - r->shift[j], r->shift[j] - least[j]);
        double most = reach * heaviest;
        low = smr_fmin(low, least[j]);
        high = smr_fmax(high, greatest[j]);
        sum += reach * reach;
        r->scale[j] = most > DBL_MIN && isfinite(most) ? power_below(most, bits) : 1;
    }
    r->weight_scale = r->weight ? power_below(heaviest, bits) : 1;
    *longest = sqrt(sum);
    if (!(sum < 1e300))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "%s: squared distances of these columns overflow: rescale them", r->name));
    if ((r->form == SMR_FORM_F64 || r->form == SMR_FORM_F32) && r->d >= BYTES_FROM) {
        TRY_NEW(bytes, r->d);
        *is_lattice = smr_km_find_lattice(r, low, high, bytes);
    }
out:
    smr_free(bytes);
    smr_free(least);
    smr_free(greatest);
    return st;
}

void smr_km_move(const struct smr_km_rows *r, int64_t n, const smr_row_move *move, int64_t *sum)
{
    smr_fixed_point by = {r->shift, r->scale, r->weight};
    const void *x = r->dense.values;
    if (r->form == SMR_FORM_F64) smr_move_rows_f64(n, move, r->d, x, r->dense.stride, &by, sum);
    if (r->form == SMR_FORM_F32) smr_move_rows_f32(n, move, r->d, x, r->dense.stride, &by, sum);
    if (r->form == SMR_FORM_U8) smr_move_rows_u8(n, move, r->d, x, r->dense.stride, &by, sum);
    for (int64_t m = 0; r->form == SMR_FORM_SPARSE && m < n; m++) {
        double w = smr_km_weight(r, move[m].row);
        for (int64_t e = r->csr.start[move[m].row]; e < r->csr.start[move[m].row + 1]; e++) {
            int64_t j = r->csr.column[e];
            int64_t whole = (int64_t)floor(r->csr.value[e] * r->scale[j] * w + 0.5);
            if (move[m].to >= 0) sum[move[m].to * r->d + j] += whole;
            if (move[m].from >= 0) sum[move[m].from * r->d + j] -= whole;
        }
    }
}

/* ---- opening ---------------------------------------------------------------------------- */

static void choose_block(struct smr_km_rows *r, int64_t k)
{
    int64_t rows = KEYS / k;
    if (r->form == SMR_FORM_F64 || r->form == SMR_FORM_F32)
        rows = SMR_MIN(rows, FLOATS / (r->d + 1));
    r->block = SMR_MAX(LEAST_BLOCK, SMR_MIN(MOST_BLOCK, rows / PANEL * PANEL));
    r->n_blocks = smr_block_count(r->n, r->block);
}

smr_status smr_km_check_memory(smr_ctx *ctx, const struct smr_km_rows *r, double bytes,
                               const char *what, const char *hint)
{
    char named[80];
    snprintf(named, sizeof named, "%s: %s", r->name, what);
    return smr_memory_check(ctx, bytes, named, hint);
}

smr_status smr_km_open(smr_ctx *ctx, const smr_data *data, int metric, int64_t k,
                       struct smr_km_rows *r)
{
    smr_status st = SMR_OK;
    double longest = 0;
    bool is_lattice = false;
    *r = (struct smr_km_rows){.name = r->name, .given = data, .data = *data, .n = data->n_rows};
    r->d = data->n_features;
    r->weight = data->weight;
    TRY(smr_held_check_weights(ctx, r->name, 0, r->n, r->weight, &r->total));
    if (!(r->total > 0) || !isfinite(r->total))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit: all weights are 0", r->name));
    TRY_NEW(r->work, smr_lanes(ctx) * r->d);
    TRY_NEW(r->shift, r->d);
    TRY_NEW(r->scale, r->d);
    TRY(hold(ctx, metric, r));
    choose_block(r, k);
    TRY(choose_scales(ctx, r, &longest, &is_lattice));
    TRY(smr_km_lay_out(ctx, r, longest, is_lattice));
out:
    return st;
}

void smr_km_close(struct smr_km_rows *r)
{
    smr_keep_release(&r->kept);
    smr_free(r->unit_values);
    smr_free(r->work);
    smr_free(r->shift);
    smr_free(r->scale);
    smr_free(r->square);
    smr_free(r->panels);
}
