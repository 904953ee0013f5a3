/* Some rows, copied: what they hold, and when they stay a view. */
#include "check.h"

#include "learn/linear/sample.h"

enum { N = 1031, D = 7, M = 517 };

struct table {
    double x[N * D], y[N], weight[N];
    int32_t label[N];
    int64_t rows[M];
    smr_feature features[D];
};

static struct table *make_table(void)
{
    struct table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int64_t i = 0; i < N * D; i++) t->x[i] = sin(1.7 * (double)i) * (double)(i % 13);
    for (int64_t i = 0; i < N; i++) {
        t->y[i] = cos(0.3 * (double)i);
        t->weight[i] = 1 + (double)(i % 5);
        t->label[i] = (int32_t)(i % 3);
    }
    for (int64_t k = 0; k < M; k++) t->rows[k] = (k * 389 + 17) % N;
    for (int64_t j = 0; j < D; j++)
        t->features[j] = (smr_feature){
            .name = "x", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = t->x + j, .stride = D};
    return t;
}

static smr_data table_data(const struct table *t)
{
    return (smr_data){.size = sizeof(smr_data),
                      .n_rows = N,
                      .n_features = D,
                      .features = t->features,
                      .refuse_missing = true,
                      .task = SMR_TASK_REGRESS,
                      .n_outputs = 1,
                      .y = t->y,
                      .label = t->label,
                      .n_classes = 3,
                      .weight = t->weight};
}

static void rows_are_copied_behind_each_other(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_sample sample = {0};
    smr_dense all;
    check_ok(ctx, smr_sample_open(ctx, &data, t->rows, M, &sample));
    assert_true(smr_data_whole(&sample.data, SMR_FORM_F64, &all));
    assert_int_equal(all.n_rows, M);
    assert_int_equal(all.stride, D);
    for (int64_t k = 0; k < M; k++) {
        int64_t i = t->rows[k];
        assert_memory_equal((const double *)all.values + k * D, t->x + i * D, D * sizeof *t->x);
        check_near("target", sample.data.y[k], t->y[i], 0);
        check_near("weight", sample.data.weight[k], t->weight[i], 0);
    }
    smr_sample_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

/* So that code that meets the value can name its row. */
static void rows_with_a_missing_value_stay_a_view(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_sample sample = {0};
    t->x[t->rows[300] * D + 4] = NAN;
    check_ok(ctx, smr_sample_open(ctx, &data, t->rows, M, &sample));
    assert_non_null(sample.data.rows);
    assert_int_equal(sample.data.rows[300], t->rows[300]);
    assert_ptr_equal(sample.data.features, data.features);
    smr_sample_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

static void sparse_rows_stay_a_view(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    int64_t start[N + 1] = {0};
    smr_csr csr = {N, D, start, NULL, NULL};
    smr_sample sample = {0};
    data.features = NULL;
    data.sparse = &csr;
    check_ok(ctx, smr_sample_open(ctx, &data, t->rows, M, &sample));
    assert_null(sample.x);
    assert_ptr_equal(sample.data.sparse, &csr);
    smr_sample_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

static void refused_memory_is_survived(void **state)
{
    (void)state;
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK; n++) {
        smr_ctx *ctx = check_ctx(2);
        smr_sample sample = {0};
        smr_memory_fail_at(ctx, n);
        st = smr_sample_open(ctx, &data, t->rows, M, &sample);
        smr_memory_fail_at(ctx, -1);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_sample_close(&sample);
        check_ctx_end(ctx);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_copied_behind_each_other),
        cmocka_unit_test(rows_with_a_missing_value_stay_a_view),
        cmocka_unit_test(sparse_rows_stay_a_view),
        cmocka_unit_test(refused_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
