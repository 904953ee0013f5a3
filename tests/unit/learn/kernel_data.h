/* kernel_data.h -- rows for the tests of kernels, and kernels opened on them. */
#ifndef SMR_TESTS_KERNEL_DATA_H
#define SMR_TESTS_KERNEL_DATA_H

#include "check.h"

#include "core/rng.h"
#include "learn/kernels/kernel_points.h"

enum { N = 37, D = 5 };

/* ---- rows ------------------------------------------------------------------------------- */

/* The data point into the struct: it is filled where it stays. */
struct rows {
    double x[N][D];
    smr_feature feature[D];
    smr_data data;
};

static inline void fill_rows(struct rows *r, double low)
{
    static const char *const names[D] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) {
            double u = smr_random_unit(7, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j);
            r->x[i][j] = low + u * 2.385;
        }
    for (int j = 0; j < D; j++)
        r->feature[j] = (smr_feature){.name = names[j],
                                      .kind = SMR_NUMBER,
                                      .dtype = SMR_F64,
                                      .values = &r->x[0][j],
                                      .stride = D};
    r->data =
        (smr_data){.size = sizeof r->data, .n_rows = N, .n_features = D, .features = r->feature};
}

static inline void positive_rows(struct rows *r)
{
    fill_rows(r, 0.01);
}

static inline void signed_rows(struct rows *r)
{
    fill_rows(r, -1.31);
}

/* A matrix whose columns are features without names. */
struct matrix {
    double x[N * N];
    smr_feature feature[N];
    smr_data data;
};

static inline void fill_matrix(struct matrix *m, const double *x, int64_t rows, int64_t columns)
{
    memcpy(m->x, x, sizeof *x * (size_t)(rows * columns));
    for (int64_t j = 0; j < columns; j++)
        m->feature[j] = (smr_feature){
            .kind = SMR_NUMBER, .dtype = SMR_F64, .values = m->x + j, .stride = columns};
    m->data = (smr_data){
        .size = sizeof m->data, .n_rows = rows, .n_features = columns, .features = m->feature};
}

/* The same rows, sparse and dense: a tenth of the numbers, none below 0. */
struct sparse_rows {
    smr_csr csr;
    double *x;
    smr_feature *feature;
    smr_data data, dense;
};

static inline void fill_sparse(smr_ctx *ctx, int64_t d, struct sparse_rows *s)
{
    *s = (struct sparse_rows){.x = smr_alloc(ctx, N * d, sizeof *s->x),
                              .feature = smr_alloc(ctx, d, sizeof *s->feature)};
    int64_t *start = smr_alloc(ctx, N + 1, sizeof *start), n = 0;
    int32_t *column = smr_alloc(ctx, N * d, sizeof *column);
    double *value = smr_alloc(ctx, N * d, sizeof *value);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < d; j++) {
            double u = smr_random_unit(9, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j);
            if (u >= 10.0 / (double)d) continue;
            column[n] = (int32_t)j;
            value[n] = s->x[i * d + j] = 0.1 + u * (double)d / 10;
            n++;
        }
        start[i + 1] = n;
    }
    for (int64_t j = 0; j < d; j++)
        s->feature[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = s->x + j, .stride = d};
    s->csr = (smr_csr){.n_rows = N, .n_cols = d, .start = start, .column = column, .value = value};
    s->data = (smr_data){.size = sizeof s->data, .n_rows = N, .n_features = d, .sparse = &s->csr};
    s->dense =
        (smr_data){.size = sizeof s->data, .n_rows = N, .n_features = d, .features = s->feature};
}

static inline void release_sparse(struct sparse_rows *s)
{
    smr_free((void *)s->csr.start);
    smr_free((void *)s->csr.column);
    smr_free((void *)s->csr.value);
    smr_free(s->x);
    smr_free(s->feature);
}

/* ---- kernels ---------------------------------------------------------------------------- */

/* A kernel and its set; where the first is, the second points to. */
struct opened {
    smr_kernel kernel;
    smr_kernel_set set;
};

static inline void open_kernel(smr_ctx *ctx, const char *text, const smr_data *data,
                               smr_kernel_precision precision, struct opened *o)
{
    *o = (struct opened){0};
    check_ok(ctx, smr_kernel_read(ctx, text, &o->kernel));
    check_ok(ctx, smr_kernel_open(ctx, "test", &o->kernel, data, precision, &o->set));
}

static inline void close_kernel(struct opened *o)
{
    smr_kernel_close(&o->set);
    smr_kernel_free(&o->kernel);
}

static inline double *gram_of(smr_ctx *ctx, const char *text, const smr_data *data,
                              smr_kernel_precision precision)
{
    struct opened o;
    double *K = smr_alloc(ctx, data->n_rows * data->n_rows, sizeof *K);
    open_kernel(ctx, text, data, precision, &o);
    check_ok(ctx, smr_kernel_gram(ctx, &o.set, K, data->n_rows));
    close_kernel(&o);
    return K;
}

static inline float *floats_of(smr_ctx *ctx, const char *text, const smr_data *data)
{
    struct opened o;
    int64_t n = data->n_rows;
    float *K = smr_alloc(ctx, n * n, sizeof *K);
    open_kernel(ctx, text, data, SMR_KERNEL_F32, &o);
    check_ok(ctx, o.set.rows.block(ctx, &o.set.rows, NULL, n, NULL, n, K, n));
    close_kernel(&o);
    return K;
}

#endif
