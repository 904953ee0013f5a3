/* column_sums.c -- see column_sums.h. */
#include "math/optimize/column_sums.h"

#include <float.h>
#include <math.h>

enum { MIN_TASK = 1 << 16 }; /* entries */

struct products {
    const smr_columns *X;
    const double *v;
    const bool *left_out;
    double *out;
    int64_t block; /* columns of a task */
};

static smr_status products_of_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct products *p = arg;
    int64_t hi = smr_block_end(p->X->n_cols, p->block, task);
    (void)ctx, (void)lane;
    for (int64_t j = task * p->block; j < hi; j++)
        if (!p->left_out || !p->left_out[j]) p->out[j] = smr_column_dot(p->X, j, p->v);
    return SMR_OK;
}

smr_status smr_columns_products(smr_ctx *ctx, const smr_columns *X, const double *v,
                                const bool *left_out, double *out)
{
    int64_t entries = X->dense ? X->n_rows * X->n_cols : X->start[X->n_cols];
    int64_t per_column = entries / SMR_MAX(1, X->n_cols) + 1;
    struct products p = {X, v, left_out, out, SMR_MAX(1, MIN_TASK / per_column)};
    return smr_parallel(ctx, NULL, smr_block_count(X->n_cols, p.block), products_of_block, &p);
}

smr_status smr_columns_times(smr_ctx *ctx, const smr_columns *X, const double *v, double *out)
{
    smr_status st = smr_columns_products(ctx, X, v, NULL, out);
    if (!X->mean || st != SMR_OK) return st;
    double sum = X->unit ? smr_dot_f64(X->n_rows, X->unit, v) : smr_sum_f64(X->n_rows, v);
    for (int64_t j = 0; j < X->n_cols; j++) out[j] -= X->mean[j] * sum;
    return st;
}

static double stored_square(const smr_columns *X, int64_t j)
{
    if (X->dense) return smr_dot_f64(X->n_rows, X->dense + j * X->stride, X->dense + j * X->stride);
    return smr_dot_f64(X->start[j + 1] - X->start[j], X->value + X->start[j],
                       X->value + X->start[j]);
}

static double stored_unit(const smr_columns *X, int64_t j)
{
    if (X->unit) return smr_column_dot(X, j, X->unit);
    if (X->dense) return smr_sum_f64(X->n_rows, X->dense + j * X->stride);
    return smr_sum_f64(X->start[j + 1] - X->start[j], X->value + X->start[j]);
}

void smr_columns_sizes(const smr_columns *X, double *size, double *unit)
{
    double units = X->unit ? smr_dot_f64(X->n_rows, X->unit, X->unit) : (double)X->n_rows;
    for (int64_t j = 0; j < X->n_cols; j++) {
        double square = stored_square(X, j), m = X->mean ? X->mean[j] : 0;
        unit[j] = X->mean ? stored_unit(X, j) : 0;
        /* |x - m u|^2 = |x|^2 - 2 m x'u + m^2 u'u */
        size[j] = square - 2 * m * unit[j] + m * m * units;
        if (size[j] <= 16 * DBL_EPSILON * square) size[j] = 0;
    }
}
