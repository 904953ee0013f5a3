/* view.h -- matrices that are owned elsewhere: dense with a stride, and sparse by rows. */
#ifndef SMR_CORE_VIEW_H
#define SMR_CORE_VIEW_H

#include "core/half.h"
#include "samara.h"

/* The number of smr_dtype: columns of tables have the first five, arrays of models and files have
 * all.  F16 is smr_half, BF16 smr_bfloat. */
enum { SMR_DTYPES = 7 };

/* The most dimensions of an array in a model or a file. */
enum { SMR_RANK_MAX = 6 };

static inline size_t smr_dtype_size(smr_dtype dtype)
{
    static const size_t size[SMR_DTYPES] = {8, 4, 1, 4, 8, 2, 2};
    return size[dtype];
}

/* Row-major, n_rows x n_cols; row i begins at values + i * stride elements. */
typedef struct smr_dense {
    const void *values;
    smr_dtype dtype;
    int64_t n_rows, n_cols, stride;
} smr_dense;

/* Compressed rows: row i has entries start[i] .. start[i+1]-1, its columns ascending and
 * distinct. */
typedef struct smr_csr {
    int64_t n_rows, n_cols;
    const int64_t *start;  /* n_rows + 1 */
    const int32_t *column; /* start[n_rows], each in [0, n_cols) */
    const double *value;   /* start[n_rows] */
} smr_csr;

/* The first of the ascending entries [lo, hi) of `column` that is not below j; hi if all are. */
static inline int64_t smr_find_column(const int32_t *column, int64_t lo, int64_t hi, int64_t j)
{
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (column[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

#endif
