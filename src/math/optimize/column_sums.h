/* column_sums.h -- sums over one column of smr_columns, and over all of them. */
#ifndef SMR_MATH_OPTIMIZE_COLUMN_SUMS_H
#define SMR_MATH_OPTIMIZE_COLUMN_SUMS_H

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/optimize/coordinate.h"

/* sum_e value[e] x[at[e]] in four chains, folded in a fixed order: a quarter of the latency of one
 * chain, and the same bits everywhere. */
static inline double smr_sparse_dot(int64_t n, const int32_t *at, const double *value,
                                    const double *x)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        a += value[e] * x[at[e]];
        b += value[e + 1] * x[at[e + 1]];
        c += value[e + 2] * x[at[e + 2]];
        d += value[e + 3] * x[at[e + 3]];
    }
    for (; e < n; e++) a += value[e] * x[at[e]];
    return (a + c) + (b + d);
}

/* x[at[e]] += by * value[e]; entries are distinct, so four are read before the first is written,
 * and no read waits for a write. */
static inline void smr_sparse_add(int64_t n, const int32_t *at, const double *value, double by,
                                  double *x)
{
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        int32_t i = at[e], j = at[e + 1], k = at[e + 2], l = at[e + 3];
        double a = x[i] + by * value[e], b = x[j] + by * value[e + 1];
        double c = x[k] + by * value[e + 2], d = x[l] + by * value[e + 3];
        x[i] = a;
        x[j] = b;
        x[k] = c;
        x[l] = d;
    }
    for (; e < n; e++) x[at[e]] += by * value[e];
}

/* x_j'r and r += by x_j of the column as stored, not centred. */
static inline double smr_column_dot(const smr_columns *X, int64_t j, const double *r)
{
    if (X->dense) return smr_dot_f64(X->n_rows, X->dense + j * X->stride, r);
    int64_t lo = X->start[j];
    return smr_sparse_dot(X->start[j + 1] - lo, X->row + lo, X->value + lo, r);
}

static inline void smr_column_add(const smr_columns *X, int64_t j, double by, double *r)
{
    if (X->dense) {
        smr_axpy_f64(X->n_rows, by, X->dense + j * X->stride, r);
        return;
    }
    int64_t lo = X->start[j];
    smr_sparse_add(X->start[j + 1] - lo, X->row + lo, X->value + lo, by, r);
}

/* out[j] = x_j'v, as stored, for all columns that are not left out (NULL: none is); all threads. */
smr_status smr_columns_products(smr_ctx *ctx, const smr_columns *X, const double *v,
                                const bool *left_out, double *out);
/* size[j] = |x_j|^2 of the column as it is meant (0 where rounding is all that centring leaves);
 * unit[j] = x_j'unit of the column as stored, 0 without centring. */
void smr_columns_sizes(const smr_columns *X, double *size, double *unit);

#endif
