/* test_fit_report.c -- training curves: grown step by step, thinned, kept in the model file. */
#include "pipeline.h"

#include "model/model_file.h"
#include "model/safetensors.h"

/* The objective of a made-up descent after iteration t: different in every bit. */
static double loss(int64_t t)
{
    return 2.385 / (double)(t + 3) + 0.0371 * smr_random_unit(5, SMR_STREAM_TEST, 3, (uint64_t)t);
}

static void run_steps(smr_ctx *ctx, smr_fit_report *r, int64_t n)
{
    for (int64_t t = 1; t <= n; t++) check_ok(ctx, smr_fit_step(ctx, r, loss(t)));
}

/* A learner-like model: ridge, as if it had gone through n iterations. */
static smr_model *iterated_model(smr_ctx *ctx, int64_t n)
{
    static const char *const names[] = {"a", "b", "y"};
    double x[37 * 3];
    for (int64_t i = 0; i < 37; i++) {
        x[3 * i] = noise(i, 0);
        x[3 * i + 1] = 7 * noise(i, 1);
        x[3 * i + 2] = 1.3 * x[3 * i] - 0.2 * x[3 * i + 1] + 0.1 * noise(i, 2);
    }
    smr_table *t = matrix_table(ctx, 37, 3, x, names);
    smr_model *m = train_on(ctx, "standardize | ridge 0.3", t, "y");
    run_steps(ctx, &m->fit, n);
    smr_table_free(t);
    return m;
}

static void every_iteration_is_a_point_until_the_curve_is_full(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_fit_report r = {.objective = NAN, .converged = true};
    (void)state;
    run_steps(ctx, &r, SMR_CURVE_MAX);
    assert_int_equal(r.n_iter, SMR_CURVE_MAX);
    assert_int_equal(r.n_curve, SMR_CURVE_MAX);
    for (int64_t i = 0; i < r.n_curve; i++) {
        assert_int_equal(smr_fit_iteration(&r, i), i + 1);
        assert_true(r.curve[i] == loss(i + 1));
    }
    assert_true(r.objective == loss(SMR_CURVE_MAX));
    smr_fit_report_release(&r);
    assert_null(r.curve);
    check_ctx_end(ctx);
}

static void a_long_curve_keeps_every_second_point_and_the_last(void **state)
{
    static const int64_t lengths[] = {1001, 1002, 1999, 2000, 2001, 3777, 100003};
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(lengths); k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_fit_report r = {0};
        int64_t n = lengths[k], every = 1;
        while (every * SMR_CURVE_MAX < n) every *= 2;
        run_steps(ctx, &r, n);
        assert_int_equal(r.n_iter, n);
        assert_int_equal(r.n_curve, (n + every - 1) / every);
        assert_true(r.n_curve <= SMR_CURVE_MAX);
        for (int64_t i = 0; i < r.n_curve; i++) {
            int64_t t = smr_fit_iteration(&r, i);
            assert_int_equal(t, i + 1 < r.n_curve ? (i + 1) * every : n);
            assert_true(r.curve[i] == loss(t));
        }
        smr_fit_report_release(&r);
        check_ctx_end(ctx);
    }
}

static void the_curve_travels_with_the_model_file(void **state)
{
    static const int64_t lengths[] = {0, 1, 53, 2431};
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(lengths); k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_model *m = iterated_model(ctx, lengths[k]), *back = NULL;
        char *bytes = NULL, *again = NULL;
        int64_t n = 0, n_again = 0;
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
        check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
        assert_int_equal(back->fit.n_iter, lengths[k]);
        assert_int_equal(back->fit.n_curve, m->fit.n_curve);
        assert_memory_equal(back->fit.curve ? back->fit.curve : (double[]){0},
                            m->fit.curve ? m->fit.curve : (double[]){0},
                            (size_t)m->fit.n_curve * sizeof(double));
        check_ok(ctx, smr_model_write(ctx, back, &again, &n_again));
        assert_int_equal(n, n_again);
        assert_memory_equal(bytes, again, (size_t)n);
        smr_string_free(bytes);
        smr_string_free(again);
        smr_model_free(m);
        smr_model_free(back);
        check_ctx_end(ctx);
    }
}

/* The tensor of the curve changed to n values of the type; its file must be refused. */
static void check_refused(smr_ctx *ctx, const smr_model *m, smr_dtype dtype, int64_t n)
{
    static const double values[64];
    smr_file_tensor tensors[64];
    smr_file_meta meta[32];
    smr_safetensors file = {0};
    smr_model *back = NULL;
    char *bytes = NULL;
    void *changed = NULL;
    int64_t length = 0, n_meta = 0;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    for (int64_t i = 0; i < file.n_tensors; i++) {
        tensors[i] = file.tensors[i];
        if (strcmp(tensors[i].name, SMR_CURVE_TENSOR) != 0) continue;
        tensors[i].dtype = dtype;
        tensors[i].shape[0] = n;
        tensors[i].data = values;
    }
    for (int64_t i = 0; i < file.n_meta; i++)
        if (strcmp(file.meta[i].key, "sha256") != 0) meta[n_meta++] = file.meta[i];
    check_ok(ctx,
             smr_safetensors_bytes(ctx, tensors, file.n_tensors, meta, n_meta, &changed, &length));
    check_fails(ctx, smr_model_read(ctx, changed, length, &back), SMR_ERR_FORMAT,
                "its training curve");
    smr_free(changed);
    smr_safetensors_release(&file);
    smr_string_free(bytes);
}

static void a_curve_of_the_wrong_length_or_type_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = iterated_model(ctx, 41);
    (void)state;
    check_refused(ctx, m, SMR_F64, 40);
    check_refused(ctx, m, SMR_F64, 42);
    check_refused(ctx, m, SMR_F64, 0);
    check_refused(ctx, m, SMR_I64, 41);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void the_description_shows_the_curve(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = iterated_model(ctx, 5);
    smr_json_doc *doc = NULL;
    (void)state;
    m->fit.converged = false;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    const smr_json *fit = smr_json_get(smr_json_root(doc), "fit");
    assert_true(smr_json_get_number(fit, "iterations", -1) == 5);
    assert_false(smr_json_get_bool(fit, "converged", true));
    const smr_json *curve = smr_json_get(fit, "curve");
    const smr_json *at = smr_json_get(curve, "iteration"),
                   *values = smr_json_get(curve, "objective");
    assert_int_equal(at->n, 5);
    assert_int_equal(values->n, 5);
    assert_true(at->last->number == 5 && values->last->number == loss(5));
    smr_json_free(doc);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static smr_status step_once(smr_ctx *ctx, void *arg)
{
    smr_fit_report r = {0};
    (void)arg;
    smr_status st = smr_fit_step(ctx, &r, 0.25);
    if (st != SMR_OK) assert_int_equal(r.n_iter, 0);
    smr_fit_report_release(&r);
    return st;
}

static void a_failing_step_leaves_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_int_equal(fail_each_allocation(ctx, step_once, NULL), 1);
    check_ctx_end(ctx);
}

static smr_status record_many(smr_ctx *ctx, void *arg)
{
    double *record = NULL;
    int64_t n = 0, most = *(const int64_t *)arg;
    smr_status st = SMR_OK;
    for (; n < most && st == SMR_OK; n++) st = smr_fit_record(ctx, n, loss(n + 1), &record);
    if (st != SMR_OK) n--;
    for (int64_t i = 0; i < n; i++) assert_true(record[i] == loss(i + 1));
    smr_free(record);
    return st;
}

/* 64, and doubled at 64, 128, 256 and 512. */
static void a_record_keeps_every_iteration(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t most = 731;
    (void)state;
    check_ok(ctx, record_many(ctx, &most));
    assert_int_equal(fail_each_allocation(ctx, record_many, &most), 5);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_keeps_every_iteration),
        cmocka_unit_test(every_iteration_is_a_point_until_the_curve_is_full),
        cmocka_unit_test(a_long_curve_keeps_every_second_point_and_the_last),
        cmocka_unit_test(the_curve_travels_with_the_model_file),
        cmocka_unit_test(a_curve_of_the_wrong_length_or_type_is_refused),
        cmocka_unit_test(the_description_shows_the_curve),
        cmocka_unit_test(a_failing_step_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
