/* Learning from a stream through the public header alone. */
#include "check.h"

#include "samara.h"

#include <unistd.h>

enum { ROWS = 301 };

static void make(double *X, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        X[2 * i] = sin(1.7 * i) + 0.01 * (i % 7);
        X[2 * i + 1] = cos(2.3 * i * i);
        y[i] = X[2 * i] - 2 * X[2 * i + 1] > 0.2;
    }
}

/* The model's bytes, to be freed with smr_string_free. */
static char *bytes_of(smr_ctx *ctx, const smr_model *m, int64_t *n)
{
    char *bytes = NULL;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, n));
    return bytes;
}

static void tables_and_matrices_of_any_size_give_the_same_model(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double X[2 * ROWS], y[ROWS], said[2 * ROWS], again[2 * ROWS];
    smr_table *t = NULL, *few = NULL;
    smr_streamer *a = NULL, *b = NULL;
    smr_train_opts how = {
        .size = sizeof how, .target = "y", .keep_all = true, .task = SMR_TASK_CLASSIFY};
    const char *sentence = "standardize | sgd loss=logistic";
    int64_t n, m;
    (void)state;
    make(X, y);
    check_ok(ctx, smr_table_from_matrix(ctx, X, ROWS, 2, y, &t));
    check_ok(ctx, smr_table_from_matrix(ctx, X, 20, 2, y, &few));
    check_ok(ctx, smr_stream_begin(ctx, sentence, few, &how, &a));
    check_ok(ctx, smr_stream_begin(ctx, sentence, few, &how, &b));
    assert_int_equal(smr_stream_n_said(a), 2);
    assert_true(isnan(smr_stream_error(a)));
    check_ok(ctx, smr_stream_learn(ctx, a, t, said));
    for (int lo = 0; lo < ROWS; lo += 43) {
        int hi = lo + 43 < ROWS ? lo + 43 : ROWS;
        check_ok(ctx,
                 smr_stream_learn_matrix(ctx, b, X + 2 * lo, hi - lo, 2, y + lo, again + 2 * lo));
    }
    assert_memory_equal(said, again, sizeof said);
    assert_int_equal(smr_stream_n_rows(a), ROWS);
    assert_true(smr_stream_error(a) == smr_stream_error(b) && smr_stream_error(a) < 0.2);
    char *x = bytes_of(ctx, smr_stream_model(a), &n), *z = bytes_of(ctx, smr_stream_model(b), &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, z, (size_t)n);
    smr_string_free(x);
    smr_string_free(z);
    smr_stream_free(a);
    smr_stream_free(b);
    smr_table_free(t);
    smr_table_free(few);
    check_ctx_end(ctx);
}

static void a_saved_stream_goes_on(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double X[2 * ROWS], y[ROWS], p[2], q[2];
    char path[64];
    smr_table *t = NULL;
    smr_streamer *a = NULL, *b = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y", .keep_all = true};
    (void)state;
    snprintf(path, sizeof path, "/tmp/smr-api-stream-%d.smr", (int)getpid());
    make(X, y);
    check_ok(ctx, smr_table_from_matrix(ctx, X, ROWS, 2, y, &t));
    check_ok(ctx, smr_stream_begin(ctx, "standardize | sgd logistic", t, &how, &a));
    check_ok(ctx, smr_stream_learn_matrix(ctx, a, X, 100, 2, y, NULL));
    check_ok(ctx, smr_stream_save(ctx, a, path));
    check_ok(ctx, smr_stream_load(ctx, path, NULL, &b));
    assert_int_equal(smr_stream_n_rows(b), 100);
    check_ok(ctx, smr_stream_learn_matrix(ctx, a, X + 200, ROWS - 100, 2, y + 100, NULL));
    check_ok(ctx, smr_stream_learn_matrix(ctx, b, X + 200, ROWS - 100, 2, y + 100, NULL));
    assert_true(smr_stream_error(a) == smr_stream_error(b));
    check_ok(ctx, smr_predict_matrix(ctx, smr_stream_model(a), X, 1, 2, SMR_OUTPUT_PROBA, p));
    check_ok(ctx, smr_predict_matrix(ctx, smr_stream_model(b), X, 1, 2, SMR_OUTPUT_PROBA, q));
    assert_true(p[0] == q[0] && p[1] == q[1]);
    unlink(path);
    smr_stream_free(a);
    smr_stream_free(b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wrong_rows_are_refused_and_those_before_learned(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double X[2 * ROWS], y[ROWS];
    smr_table *t = NULL;
    smr_streamer *s = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y", .keep_all = true, .classes = "0,1,2"};
    (void)state;
    make(X, y);
    check_ok(ctx, smr_table_from_matrix(ctx, X, ROWS, 2, y, &t));
    check_ok(ctx, smr_stream_begin(ctx, "sgd cross_entropy", t, &how, &s));
    assert_int_equal(smr_stream_n_said(s), 3);
    X[2 * 50] = NAN;
    check_fails(ctx, smr_stream_learn(ctx, s, t, NULL), SMR_ERR_DATA, "row 51");
    assert_int_equal(smr_stream_n_rows(s), 50);
    check_fails(ctx, smr_stream_learn_matrix(ctx, s, X, 3, 1, y, NULL), SMR_ERR_SHAPE, "2 inputs");
    y[1] = 3;
    check_fails(ctx, smr_stream_learn_matrix(ctx, s, X, 3, 2, y, NULL), SMR_ERR_DATA,
                "from 0 to 2");
    smr_stream_free(s);
    y[1] = 0;
    check_fails(ctx, smr_stream_begin(ctx, "knn", t, &how, &s), SMR_ERR_UNSUPPORTED,
                "cannot learn from a stream");
    assert_null(s);
    smr_stream_free(NULL);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Without a target: each row is put to a cluster, then moves its centre. */
static void clusters_are_learned_without_a_target(void **state)
{
    enum { K = 3, MANY = 600 };
    smr_ctx *ctx = check_ctx(1);
    double X[2 * MANY], said[2 * MANY], again[2 * MANY], found[MANY], ends[MANY];
    char path[64];
    smr_table *t = NULL;
    smr_streamer *a = NULL, *b = NULL, *c = NULL;
    smr_train_opts how = {.size = sizeof how, .task = SMR_TASK_CLUSTER};
    (void)state;
    snprintf(path, sizeof path, "/tmp/smr-api-stream-%d.smr", (int)getpid());
    for (int i = 0; i < MANY; i++) { /* around (0, 0), (10, 0) and (20, 0) */
        X[2 * i] = 10 * (i % K) + sin(1.7 * i);
        X[2 * i + 1] = cos(2.3 * i * i);
    }
    check_ok(ctx, smr_table_from_matrix(ctx, X, MANY, 2, NULL, &t));
    check_ok(ctx, smr_stream_begin(ctx, "kmeans 3", t, &how, &a));
    check_ok(ctx, smr_stream_begin(ctx, "kmeans 3", t, &how, &b));
    assert_int_equal(smr_stream_n_said(a), 2);
    check_ok(ctx, smr_stream_learn(ctx, a, t, said));
    for (int lo = 0; lo < MANY; lo += 250) {
        int n = lo + 250 < MANY ? 250 : MANY - lo;
        check_ok(ctx, smr_stream_learn_matrix(ctx, b, X + 2 * lo, n, 2, NULL, again + 2 * lo));
        if (lo) continue;
        check_ok(ctx, smr_stream_save(ctx, b, path));
        smr_stream_free(b);
        check_ok(ctx, smr_stream_load(ctx, path, NULL, &b));
    }
    assert_memory_equal(said + 2 * 500, again + 2 * 500, 2 * 100 * sizeof *said);
    for (int g = 0; g < K; g++) { /* a group is a cluster, whose centre is the mean of its rows */
        double sum[2] = {0};
        for (int i = g, count = 0; i < MANY; i += K, count++) {
            if (i >= MANY / 2) {
                double x = X[2 * i] - sum[0] / count, y = X[2 * i + 1] - sum[1] / count;
                assert_true(said[2 * i] == said[2 * (MANY - K + g)]);
                check_near("score", said[2 * i + 1], -(x * x + y * y), 1e-9);
            }
            sum[0] += X[2 * i];
            sum[1] += X[2 * i + 1];
        }
    }
    assert_true(said[2 * MANY - 2] != said[2 * MANY - 4] &&
                said[2 * MANY - 2] != said[2 * MANY - 6]);
    check_ok(ctx, smr_predict(ctx, smr_stream_model(a), t, SMR_OUTPUT_LABEL, found));
    check_ok(ctx, smr_predict(ctx, smr_stream_model(b), t, SMR_OUTPUT_LABEL, ends));
    assert_memory_equal(found, ends, sizeof found);
    assert_true(smr_stream_error(a) == smr_stream_error(b));
    check_fails(ctx, smr_stream_learn_matrix(ctx, a, X, 3, 1, NULL, NULL), SMR_ERR_SHAPE,
                "2 inputs");
    X[0] = NAN;
    check_fails(ctx, smr_stream_learn_matrix(ctx, a, X, 1, 2, NULL, NULL), SMR_ERR_DATA, "row");
    assert_int_equal(smr_stream_n_rows(a), MANY - 1); /* the first finds nothing */
    check_fails(ctx, smr_stream_begin(ctx, "softkmeans 3", t, &how, &c), SMR_ERR_UNSUPPORTED,
                "cannot learn from a stream");
    unlink(path);
    smr_stream_free(a);
    smr_stream_free(b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_and_matrices_of_any_size_give_the_same_model),
        cmocka_unit_test(a_saved_stream_goes_on),
        cmocka_unit_test(wrong_rows_are_refused_and_those_before_learned),
        cmocka_unit_test(clusters_are_learned_without_a_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
