/* ranges.c -- see ranges.h. */
#include "learn/ranges.h"

#include "core/parallel.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { BLOCK_VALUES = 32768, MIN_BLOCK = 64, WIDE = 32, TILE = 2048, RUN = 64 };

struct finding {
    const smr_table *table;
    const int64_t *at, *rows;
    int64_t n_inputs, n, block;
    double *lane; /* n_inputs least and n_inputs greatest values per lane: their order is nothing */
};

static inline double lesser(double a, double b)
{
    return b < a ? b : a; /* a where b is a gap */
}

static inline double greater(double a, double b)
{
    return b > a ? b : a;
}

/* ---- one column ------------------------------------------------------------------------- */

/* Values [lo, hi) of the rows given. */
#define FIND(type)                                                    \
    do {                                                              \
        const type *x = col->values;                                  \
        for (int64_t i = lo; i < hi; i++) {                           \
            double v = (double)x[(rows ? rows[i] : i) * col->stride]; \
            *least = lesser(*least, v);                               \
            *greatest = greater(*greatest, v);                        \
        }                                                             \
    } while (0)

static void find_in(const smr_column *col, const int64_t *rows, int64_t lo, int64_t hi,
                    double *least, double *greatest)
{
    switch (col->dtype) {
    case SMR_F64: FIND(double); break;
    case SMR_F32: FIND(float); break;
    case SMR_U8: FIND(uint8_t); break;
    case SMR_I32: FIND(int32_t); break;
    case SMR_I64: FIND(int64_t); break;
    case SMR_F16:
    case SMR_BF16: break; /* no column has them */
    }
}

/* Doubles one after another: rows of WIDE, and what is left. */
static void find_run(const double *x, int64_t n, double *least, double *greatest)
{
    double a[WIDE], b[WIDE];
    int64_t rows = n / WIDE;
    for (int k = 0; k < WIDE; k++) a[k] = *least, b[k] = *greatest;
    (void)smr_extremes_f64(rows, WIDE, x, WIDE, a, b);
    (void)smr_extremes_f64(n - rows * WIDE, 1, x + rows * WIDE, 1, least, greatest);
    for (int k = 0; k < WIDE; k++) {
        *least = lesser(*least, a[k]);
        *greatest = greater(*greatest, b[k]);
    }
}

/* ---- columns of a row-major matrix ------------------------------------------------------- */

/* How many inputs from j on are neighbours in rows of doubles, floats or bytes. */
static int64_t neighbours(const struct finding *f, int64_t j)
{
    const smr_column *first = &f->table->cols[f->at[j]];
    bool known = first->dtype == SMR_F64 || first->dtype == SMR_F32 || first->dtype == SMR_U8;
    int64_t n = 1, most = SMR_MIN(first->stride, first->dtype == SMR_F64 ? INT64_MAX : TILE);
    if (!known || first->stride < 2 || f->rows) return 1;
    size_t size = smr_dtype_size(first->dtype);
    for (; j + n < f->n_inputs && f->at[j + n] >= 0 && n < most; n++) {
        const smr_column *col = &f->table->cols[f->at[j + n]];
        if (col->dtype != first->dtype || col->stride != first->stride ||
            col->values != (const void *)((const char *)first->values + (size_t)n * size))
            break;
    }
    return n;
}

/* Rows [lo, hi) of floats, a tile of them as doubles at a time. */
static void find_floats(const smr_column *col, int64_t lo, int64_t hi, int64_t width, double *least,
                        double *greatest)
{
    double tile[TILE];
    int64_t rows = TILE / width;
    for (int64_t i = lo; i < hi; i += rows) {
        int64_t n = SMR_MIN(rows, hi - i);
        for (int64_t r = 0; r < n; r++) {
            const float *x = (const float *)col->values + (i + r) * col->stride;
            for (int64_t k = 0; k < width; k++) tile[r * width + k] = x[k];
        }
        (void)smr_extremes_f64(n, width, tile, width, least, greatest);
    }
}

static void take_bytes(int64_t n, const uint8_t *x, uint8_t *least, uint8_t *greatest)
{
    for (int64_t k = 0; k < n; k++) {
        least[k] = x[k] < least[k] ? x[k] : least[k];
        greatest[k] = x[k] > greatest[k] ? x[k] : greatest[k];
    }
}

/* Rows [lo, hi) of bytes, compared as bytes. */
static void find_bytes(const smr_column *col, int64_t lo, int64_t hi, int64_t width, double *least,
                       double *greatest)
{
    uint8_t a[TILE], b[TILE];
    memset(a, 255, (size_t)width);
    memset(b, 0, (size_t)width);
    for (int64_t i = lo; i < hi; i++) {
        const uint8_t *x = (const uint8_t *)col->values + i * col->stride;
        int64_t k = 0;
        for (; k + RUN <= width; k += RUN) take_bytes(RUN, x + k, a + k, b + k);
        take_bytes(width - k, x + k, a + k, b + k);
    }
    for (int64_t k = 0; k < width && lo < hi; k++) {
        least[k] = lesser(least[k], a[k]);
        greatest[k] = greater(greatest[k], b[k]);
    }
}

/* ---- all of them ------------------------------------------------------------------------ */

static smr_status find_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct finding *f = arg;
    double *least = f->lane + 2 * lane * f->n_inputs, *greatest = least + f->n_inputs;
    int64_t lo = task * f->block, hi = SMR_MIN(f->n, lo + f->block), width;
    (void)ctx;
    for (int64_t j = 0; j < f->n_inputs; j += width) {
        width = 1;
        if (f->at[j] < 0) continue;
        const smr_column *col = &f->table->cols[f->at[j]];
        const double *x = col->values;
        width = neighbours(f, j);
        if (width > 1 && col->dtype == SMR_F32)
            find_floats(col, lo, hi, width, least + j, greatest + j);
        else if (width > 1 && col->dtype == SMR_U8)
            find_bytes(col, lo, hi, width, least + j, greatest + j);
        else if (width > 1)
            (void)smr_extremes_f64(hi - lo, width, x + lo * col->stride, col->stride, least + j,
                                   greatest + j);
        else if (col->dtype == SMR_F64 && col->stride == 1 && !f->rows)
            find_run(x + lo, hi - lo, least + j, greatest + j);
        else
            find_in(col, f->rows, lo, hi, least + j, greatest + j);
    }
    return SMR_OK;
}

smr_status smr_ranges_find(smr_ctx *ctx, const smr_table *table, const int64_t *at,
                           int64_t n_inputs, const int64_t *rows, int64_t n, smr_range *out)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    struct finding f = {.table = table,
                        .at = at,
                        .rows = rows,
                        .n_inputs = n_inputs,
                        .n = n,
                        .block = SMR_MAX(MIN_BLOCK, BLOCK_VALUES / SMR_MAX(1, n_inputs))};
    TRY_NEW(f.lane, 2 * lanes * n_inputs + 1);
    for (int64_t k = 0; k < 2 * lanes * n_inputs; k++)
        f.lane[k] = k / n_inputs % 2 ? -INFINITY : INFINITY;
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, f.block), find_block, &f));
    for (int64_t j = 0; j < n_inputs; j++) {
        out[j] = (smr_range){INFINITY, -INFINITY};
        for (int k = 0; k < lanes; k++) {
            const double *least = f.lane + 2 * k * n_inputs;
            out[j].least = lesser(out[j].least, least[j]);
            out[j].greatest = greater(out[j].greatest, least[n_inputs + j]);
        }
        out[j].least += 0.0; /* -0 is 0 */
        out[j].greatest += 0.0;
    }
out:
    smr_free(f.lane);
    return st;
}

smr_status smr_ranges_learn(smr_ctx *ctx, smr_schema *schema, const smr_table *table,
                            const int64_t *rows, int64_t n)
{
    smr_status st = SMR_OK;
    smr_range *range = NULL;
    int64_t *at = NULL, d = schema->n_inputs, some = 0;
    TRY_NEW(range, d + 1);
    TRY_NEW(at, d + 1);
    smr_schema_find_columns(schema, table, at);
    for (int64_t j = 0; j < d; j++) {
        bool number = schema->inputs[j].kind == SMR_NUMBER;
        if (!number || at[j] < 0 || table->cols[at[j]].kind != SMR_NUMBER) at[j] = -1;
        some += at[j] >= 0;
    }
    if (!some) goto out;
    TRY(smr_ranges_find(ctx, table, at, d, rows, n, range));
    for (int64_t j = 0; j < d; j++) {
        smr_input *in = &schema->inputs[j];
        in->has_range = at[j] >= 0 && range[j].least <= range[j].greatest;
        in->least = in->has_range ? range[j].least : 0;
        in->greatest = in->has_range ? range[j].greatest : 0;
    }
out:
    smr_free(range);
    smr_free(at);
    return st;
}
