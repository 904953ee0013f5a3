/* view.h -- matrices that somebody else owns: dense with a stride, and sparse by rows. */
#ifndef SMR_CORE_VIEW_H
#define SMR_CORE_VIEW_H

#include "core/half.h"
#include "samara.h"

/* Columns of tables have the first five; arrays of models and files have all. */
typedef enum smr_dtype {
    SMR_F64 = 0,
    SMR_F32 = 1,
    SMR_U8 = 2,
    SMR_I32 = 3,
    SMR_I64 = 4,
    SMR_F16 = 5, /* smr_half   */
    SMR_BF16 = 6 /* smr_bfloat */
} smr_dtype;
enum { SMR_DTYPES = 7 };

/* Dimensions of an array in a model or a file, at most. */
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
