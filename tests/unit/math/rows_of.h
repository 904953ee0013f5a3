/* rows_of.h -- matrices in memory as a row source, and random ones. */
#ifndef SMR_TESTS_ROWS_OF_H
#define SMR_TESTS_ROWS_OF_H

#include "check.h"

#include "core/rng.h"
#include "math/gram.h"

struct matrix {
    int64_t n, d, stride;
    const double *x;
};

static inline smr_status give_matrix_rows(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                                          const double **x, int64_t *stride)
{
    const struct matrix *m = arg;
    (void)ctx, (void)lane;
    assert_true(lo >= 0 && lo < hi && hi <= m->n && hi - lo <= SMR_ROWS_BLOCK);
    *x = m->x + lo * m->stride;
    *stride = m->stride;
    return SMR_OK;
}

static inline smr_row_source rows_of(struct matrix *m, int64_t q, const double *y,
                                     const double *weight)
{
    return (smr_row_source){.n_rows = m->n,
                            .n_cols = m->d,
                            .n_outputs = q,
                            .y = y,
                            .weight = weight,
                            .rows = give_matrix_rows,
                            .arg = m};
}

/* n numbers of mean 0 and variance about 1, from sums of uniforms. */
static inline double *random_numbers(int64_t n, uint64_t seed)
{
    double *x = malloc((size_t)SMR_MAX(n, 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = -2;
        for (uint64_t k = 0; k < 4; k++)
            x[i] += smr_random_unit(seed, SMR_STREAM_TEST, k, (uint64_t)i);
        x[i] *= sqrt(3);
    }
    return x;
}

#endif
