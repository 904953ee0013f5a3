/* test_held_rows.c -- the rows that linear learners hold: read in blocks, in memory as they lie or
 * copied, centred, in an order; what is refused is named. */
#include "check.h"

#include "learn/linear/held_rows.h"

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

static void some_rows_are_copied_into_one_block(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows sample = {0};
    smr_dense all;
    check_ok(ctx, smr_held_some(ctx, &data, t->rows, M, &sample));
    assert_true(smr_data_whole(&sample.data, SMR_FORM_F64, &all));
    assert_int_equal(all.n_rows, M);
    assert_int_equal(all.stride, D);
    for (int64_t k = 0; k < M; k++) {
        int64_t i = t->rows[k];
        assert_memory_equal((const double *)all.values + k * D, t->x + i * D, D * sizeof *t->x);
        check_near("target", sample.data.y[k], t->y[i], 0);
        check_near("weight", sample.data.weight[k], t->weight[i], 0);
    }
    smr_held_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

/* So that whoever meets the value can name its row. */
static void some_rows_with_a_missing_value_stay_a_view(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows sample = {0};
    t->x[t->rows[300] * D + 4] = NAN;
    check_ok(ctx, smr_held_some(ctx, &data, t->rows, M, &sample));
    assert_non_null(sample.data.rows);
    assert_int_equal(sample.data.rows[300], t->rows[300]);
    assert_ptr_equal(sample.data.features, data.features);
    smr_held_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

static void some_sparse_rows_stay_a_view(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    int64_t start[N + 1] = {0};
    smr_csr csr = {N, D, start, NULL, NULL};
    smr_held_rows sample = {0};
    data.features = NULL;
    data.sparse = &csr;
    check_ok(ctx, smr_held_some(ctx, &data, t->rows, M, &sample));
    assert_null(sample.kept.block);
    assert_ptr_equal(sample.data.sparse, &csr);
    smr_held_close(&sample);
    free(t);
    check_ctx_end(ctx);
}

/* ---- blocks ---- */

static void blocks_are_read_by_every_lane(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(3);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    t->x[11 * D + 2] = NAN; /* is not looked for */
    check_ok(ctx, smr_held_open(ctx, &data, SMR_FORM_F64, 100, &held));
    assert_int_equal(held.n_lanes, smr_lanes(ctx));
    for (int lane = 0; lane < held.n_lanes; lane++) {
        smr_rows rows;
        check_ok(ctx, smr_held_block(ctx, &held, lane, 7, 107, &rows));
        assert_int_equal(rows.n, 100);
        for (int64_t i = 0; i < rows.n; i++)
            assert_memory_equal((const double *)rows.x + i * rows.stride, t->x + (7 + i) * D,
                                D * sizeof *t->x);
    }
    smr_held_close(&held);
    free(t);
    check_ctx_end(ctx);
}

static void a_value_that_is_not_finite_is_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    check_ok(ctx, smr_held_open(ctx, &data, SMR_FORM_F64, 256, &held));
    check_ok(ctx, smr_held_explain(ctx, &held));
    t->x[700 * D + 3] = INFINITY;
    check_fails(ctx, smr_held_explain(ctx, &held), SMR_ERR_DATA,
                "row 701, column 'x': the value is not finite");
    smr_held_close(&held);
    check_fails(ctx, smr_held_all(ctx, "svm", &data, &held), SMR_ERR_DATA,
                "row 701, column 'x': the value is not finite");
    free(t);
    check_ctx_end(ctx);
}

static void a_source_refuses_bad_targets_and_weights(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    t->weight[30] = -1;
    check_fails(ctx, smr_held_source(ctx, "ridge", &data, &held), SMR_ERR_DATA,
                "ridge: the weight of row 31 is not a finite number >= 0");
    t->y[4] = NAN;
    check_fails(ctx, smr_held_source(ctx, "ridge", &data, &held), SMR_ERR_DATA,
                "ridge: the target of row 5 is not finite");
    data.y = NULL;
    check_fails(ctx, smr_held_source(ctx, "ridge", &data, &held), SMR_ERR_DATA,
                "ridge: a numeric target is needed");
    data.n_rows = 0;
    check_fails(ctx, smr_held_source(ctx, "ridge", &data, &held), SMR_ERR_DATA,
                "ridge: no rows to fit");
    free(t);
    check_ctx_end(ctx);
}

/* ---- all rows ---- */

static void rows_that_lie_in_memory_are_a_view(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    data.rows = t->rows;
    data.n_rows = M;
    check_ok(ctx, smr_held_all(ctx, "svm", &data, &held));
    assert_false(held.is_sparse);
    assert_ptr_equal(held.dense.values, t->x);
    assert_ptr_equal(held.data.rows, t->rows);
    smr_dual_problem problem = smr_held_dual(&held, t->y, t->weight, true);
    assert_int_equal(problem.n_rows, M);
    assert_int_equal(problem.n_cols, D);
    assert_ptr_equal(problem.rows, t->rows);
    smr_held_close(&held);
    free(t);
    check_ctx_end(ctx);
}

/* Columns that do not lie side by side. */
static void columns_one_by_one_are_copied(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    t->features[0].values = t->x + 1;
    t->features[1].values = t->x;
    check_ok(ctx, smr_held_all(ctx, "svm", &data, &held));
    assert_int_equal(held.dense.stride, D);
    for (int64_t i = 0; i < N; i++) {
        const double *row = (const double *)held.dense.values + i * D;
        assert_true(row[0] == t->x[i * D + 1] && row[1] == t->x[i * D]);
        assert_memory_equal(row + 2, t->x + i * D + 2, (D - 2) * sizeof *row);
    }
    smr_held_close(&held);
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, 60000));
    check_fails(ctx, smr_held_all(ctx, "svm", &data, &held), SMR_ERR_NOMEM,
                "svm's copy of the rows");
    free(t);
    check_ctx_end(ctx);
}

/* ---- around the mean ---- */

static void a_centred_copy_has_columns_of_mean_0(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    smr_held_rows held = {0};
    double w[D], b = 0.75, in, out;
    for (int64_t i = 0; i < N * D; i++) t->x[i] += 1e6; /* is the table's own, and stays */
    double first = t->x[0];
    check_ok(ctx, smr_held_centred(ctx, &data, &held));
    assert_true(t->x[0] == first);
    for (int64_t j = 0; j < D; j++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++) sum += ((const double *)held.dense.values)[i * D + j];
        check_near("mean", sum / N, 0, 1e-9); /* of values to 1e6, whose last digit is 1e-10 */
        check_near("back", ((const double *)held.dense.values)[j] + held.mean[j], t->x[j], 1e-9);
        w[j] = (double)j - 2.5;
    }
    smr_held_enter(&held, 1, w, &b, &in);
    smr_held_leave(&held, 1, w, &in, &out);
    check_near("intercept", out, b, 1e-8);
    assert_string_equal(held.data.features[3].name, "x");
    smr_held_close(&held);
    free(t);
    check_ctx_end(ctx);
}

/* ---- row by row ---- */

struct walk {
    const struct table *t;
    const int64_t *order;
    int64_t n;
};

static smr_status look(smr_ctx *ctx, void *arg, const smr_rows *rows, const smr_truths *truths)
{
    struct walk *w = arg;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++, w->n++) {
        int64_t row = w->order ? w->order[w->n] : w->n;
        assert_memory_equal((const double *)rows->x + i * rows->stride, w->t->x + row * D,
                            D * sizeof(double));
        assert_true(truths->y[i] == w->t->y[row] && truths->weight[i] == w->t->weight[row]);
        assert_int_equal(truths->label[i], w->t->label[row]);
    }
    return SMR_OK;
}

static void a_walk_keeps_to_its_order(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table();
    smr_data data = table_data(t);
    struct walk shuffled = {.t = t, .order = t->rows}, plain = {.t = t};
    check_ok(ctx, smr_held_walk(ctx, &data, SMR_FORM_F64, t->rows, M, look, &shuffled));
    check_ok(ctx, smr_held_walk(ctx, &data, SMR_FORM_F64, NULL, N, look, &plain));
    assert_int_equal(shuffled.n, M);
    assert_int_equal(plain.n, N);
    free(t);
    check_ctx_end(ctx);
}

/* ---- memory ---- */

static smr_status open_one(smr_ctx *ctx, int way, const struct table *t, const smr_data *data,
                           smr_held_rows *held)
{
    switch (way) {
    case 0: return smr_held_some(ctx, data, t->rows, M, held);
    case 1: return smr_held_open(ctx, data, SMR_FORM_F64, 64, held);
    case 2: return smr_held_source(ctx, "ridge", data, held);
    case 3: return smr_held_all(ctx, "svm", data, held);
    default: return smr_held_centred(ctx, data, held);
    }
}

static void refused_memory_is_survived(void **state)
{
    (void)state;
    struct table *t = make_table();
    smr_data data = table_data(t);
    t->features[0].values = t->x + 1; /* all are copied */
    t->features[1].values = t->x;
    for (int way = 0; way < 5; way++) {
        smr_status st = SMR_ERR_NOMEM;
        for (int64_t n = 0; st != SMR_OK; n++) {
            smr_ctx *ctx = check_ctx(2);
            smr_held_rows held = {0};
            smr_memory_fail_at(ctx, n);
            st = open_one(ctx, way, t, &data, &held);
            smr_memory_fail_at(ctx, -1);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
            smr_held_close(&held);
            check_ctx_end(ctx);
        }
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_rows_are_copied_into_one_block),
        cmocka_unit_test(some_rows_with_a_missing_value_stay_a_view),
        cmocka_unit_test(some_sparse_rows_stay_a_view),
        cmocka_unit_test(blocks_are_read_by_every_lane),
        cmocka_unit_test(a_value_that_is_not_finite_is_named),
        cmocka_unit_test(a_source_refuses_bad_targets_and_weights),
        cmocka_unit_test(rows_that_lie_in_memory_are_a_view),
        cmocka_unit_test(columns_one_by_one_are_copied),
        cmocka_unit_test(a_centred_copy_has_columns_of_mean_0),
        cmocka_unit_test(a_walk_keeps_to_its_order),
        cmocka_unit_test(refused_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
