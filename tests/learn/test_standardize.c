/* test_standardize.c -- mean 0 and deviation 1: recorded values of scikit-learn, worked figures,
 * and which learners notice (FIGURES.md B2). */
#include "pipeline.h"

#include "learn/registry.h"
#include "learn/state.h"
#include "truth/features.h"

#include <float.h>

static const char *const abc[] = {"a", "b", "c", "y", "w"};

static const double *const X = standardize_x[0]; /* 7 x 3 */

static void check_transform(const char *sentence, const smr_table *t, const char *weight,
                            smr_ctx *ctx, const double *wanted, double tolerance)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.weight = weight, .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    int64_t d = smr_model_width(m, SMR_OUTPUT_TRANSFORM);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    for (int64_t i = 0; i < t->n_rows * d; i++) check_near(sentence, z[i], wanted[i], tolerance);
    smr_free(z);
    smr_model_free(m);
}

/* Column c has mean 1000 and deviation 0.002: eps * 1000 / 0.002 = 1e-10 is what doubles allow. */
static void agrees_with_scikit_learn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 7, 3, X, abc);
    (void)state;
    check_transform("standardize", t, NULL, ctx, standardize_z[0], 1e-9);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void weights_count_as_in_scikit_learn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 7, 4);
    (void)state;
    for (int j = 0; j < 3; j++) {
        double column[7];
        for (int i = 0; i < 7; i++) column[i] = X[i * 3 + j];
        put_numbers(ctx, t, j, abc[j], column);
    }
    put_numbers(ctx, t, 3, "w", standardize_w);
    check_transform("standardize", t, "w", ctx, standardize_weighted[0], 1e-9);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* 1, 2, 3, 6: mean 3, deviation sqrt(14/4). */
static void centring_and_scaling_are_two_switches(void **state)
{
    static const double x[] = {1, 2, 3, 6}, centred[] = {-2, -1, 0, 3};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 4, 1, x, abc);
    double both[4], scaled[4], sd = sqrt(3.5);
    (void)state;
    for (int i = 0; i < 4; i++) both[i] = centred[i] / sd, scaled[i] = x[i] / sd;
    check_transform("standardize", t, NULL, ctx, both, 1e-15);
    check_transform("standardize scale=no", t, NULL, ctx, centred, 0);
    check_transform("standardize center=no", t, NULL, ctx, scaled, 1e-15);
    check_transform("standardize center=no scale=no", t, NULL, ctx, x, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void missing_values_stay_missing_and_do_not_count(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 7, 3, standardize_gaps[0], abc);
    (void)state;
    check_transform("standardize", t, NULL, ctx, standardize_of_gaps[0], 1e-9);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A constant is only centred, even where its mean is not exact; a real small spread is kept. */
static void constants_are_only_centred(void **state)
{
    enum { ROWS = 1001 };
    static double x[ROWS * 3];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[i * 3] = 0.1;
        x[i * 3 + 1] = 1e300;
        x[i * 3 + 2] = 1e6 + 1e-6 * (i % 2 ? 1 : -1); /* relative spread 1e-12 */
    }
    smr_table *t = matrix_table(ctx, ROWS, 3, x, abc);
    smr_model *m = train_on(ctx, "standardize", t, NULL);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    for (int i = 0; i < ROWS; i++) {
        assert_true(fabs(z[i * 3]) < 1e-15);
        assert_true(fabs(z[i * 3 + 1]) < 1e285);
        check_near("spread", fabs(z[i * 3 + 2]), 1, 2e-3);
    }
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Naive sums of squares lose everything at an offset of 1e9; two passes do not. */
static void a_large_offset_costs_no_digits(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double x[1000], plain[1000];
    (void)state;
    for (int i = 0; i < 1000; i++) {
        plain[i] = (double)(i * 37 % 1000) / 1024; /* exact, and exact with the offset */
        x[i] = plain[i] + 1e9;
    }
    smr_table *a = matrix_table(ctx, 1000, 1, plain, abc), *b = matrix_table(ctx, 1000, 1, x, abc);
    smr_model *ma = train_on(ctx, "standardize", a, NULL),
              *mb = train_on(ctx, "standardize", b, NULL);
    double *za = apply(ctx, ma, a, SMR_OUTPUT_TRANSFORM),
           *zb = apply(ctx, mb, b, SMR_OUTPUT_TRANSFORM);
    for (int i = 0; i < 1000; i++) check_near("z", zb[i], za[i], 1e-6);
    double sum = 0, square = 0;
    for (int i = 0; i < 1000; i++) sum += za[i], square += za[i] * za[i];
    check_near("mean", sum / 1000, 0, 1e-14);
    check_near("variance", square / 1000, 1, 1e-14);
    smr_free(za);
    smr_free(zb);
    smr_model_free(ma);
    smr_model_free(mb);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

/* Worked: of -a, a, a, a the mean is a/2, the deviation a sqrt(3)/2, so z = -sqrt 3, 1/sqrt 3.  The
 * squares of such a, and the sum of the largest doubles, are not numbers that doubles have; nor do
 * they have the squares of the smallest. */
static void no_finite_values_are_too_large_or_too_small(void **state)
{
    static const double sizes[] = {1e154, 3e200, 1.7e308, 2e-170, 1e-300};
    (void)state;
    for (int k = 0; k < SMR_COUNT(sizes); k++) {
        smr_ctx *ctx = check_ctx(1);
        double a = sizes[k];
        const double x[] = {-a, a, a, a}, plain[] = {1, 2, 4, 8};
        smr_table *t = new_table(ctx, 4, 2);
        put_numbers(ctx, t, 0, "a", x);
        put_numbers(ctx, t, 1, "b", plain);
        smr_model *m = train_on(ctx, "standardize", t, NULL);
        double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        for (int i = 0; i < 4; i++)
            check_near("z", z[2 * i], i ? 1 / sqrt(3) : -sqrt(3), 8 * DBL_EPSILON);
        check_near("common values beside them", z[7], (8 - 3.75) / sqrt(7.1875), 4 * DBL_EPSILON);
        smr_free(z);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* A target of that size, standardised for a learner that squares it. */
static void targets_of_any_size_are_standardized(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 2);
    (void)state;
    put_numbers(ctx, t, 0, "x", (double[]){1, 2, 4, 8});
    put_numbers(ctx, t, 1, "y", (double[]){3e200, 5e200, 9e200, 17e200});
    smr_model *m = train_on(ctx, "columns target=standardize | linear", t, "y");
    double *y = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    check_near("y", y[0] / 1e200, 3, 1e-13);
    check_near("y", y[3] / 1e200, 17, 1e-13);
    smr_free(y);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void categories_pass_through(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,c\n1,red\n3,blue\n5,\n7,red\n");
    smr_model *m = train_on(ctx, "standardize", t, NULL);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    static const double codes[] = {1, 0, NAN, 1};
    (void)state;
    for (int i = 0; i < 4; i++) {
        check_near("x", z[2 * i], (1 + 2 * i - 4) / sqrt(5), 1e-15);
        check_near("c", z[2 * i + 1], codes[i], 0);
    }
    assert_int_equal(m->stages[0].features[1].kind, SMR_CATEGORY);
    assert_int_equal(m->stages[0].features[1].n_levels, 2);
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void means_come_from_the_training_rows_alone(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = matrix_table(ctx, 2, 1, (double[]){1, 3}, abc);
    smr_table *b = matrix_table(ctx, 3, 1, (double[]){100, 2, -4}, abc);
    smr_model *m = train_on(ctx, "standardize", a, NULL);
    double *z = apply(ctx, m, b, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_true(z[0] == 98 && z[1] == 0 && z[2] == -6);
    smr_free(z);
    smr_model_free(m);
    smr_table_free(a);
    smr_table_free(b);
    check_ctx_end(ctx);
}

/* ---- who notices the scale -------------------------------------------------------------- */

enum { ROWS = 80 };

/* Largest difference between the predictions of two sentences on features of unlike scales. */
static double difference(const char *one, const char *two)
{
    smr_ctx *ctx = check_ctx(1);
    static double x[ROWS * 4];
    for (int i = 0; i < ROWS; i++) {
        x[i * 4] = noise(i, 0);
        x[i * 4 + 1] = 500 * noise(i, 1) + 70;
        x[i * 4 + 2] = 0.01 * noise(i, 2);
        x[i * 4 + 3] = x[i * 4] + 0.01 * x[i * 4 + 1] + 60 * x[i * 4 + 2] + noise(i, 3);
    }
    smr_table *t = matrix_table(ctx, ROWS, 4, x, abc);
    smr_model *a = train_on(ctx, one, t, "y"), *b = train_on(ctx, two, t, "y");
    double *pa = apply(ctx, a, t, SMR_OUTPUT_VALUE), *pb = apply(ctx, b, t, SMR_OUTPUT_VALUE);
    double most = 0;
    for (int i = 0; i < ROWS; i++) most = fmax(most, fabs(pa[i] - pb[i]));
    smr_free(pa);
    smr_free(pb);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    check_ctx_end(ctx);
    return most;
}

static void scaling_leaves_least_squares_unchanged(void **state)
{
    (void)state;
    assert_true(difference("standardize | linear", "linear") < 1e-10);
    assert_true(difference("standardize center=no | linear", "linear") < 1e-10);
    assert_true(difference("standardize | linear method=qr", "linear method=svd") < 1e-10);
}

static void scaling_changes_neighbours_and_ridge(void **state)
{
    (void)state;
    assert_true(difference("standardize | knn 3", "knn 3") > 0.1);
    assert_true(difference("standardize | ridge 10", "ridge 10") > 0.1);
    assert_true(difference("standardize | ridge 0", "ridge 0") < 1e-9); /* no penalty, no scale */
}

/* Rows with gaps, zeros and weights, dense and as entries: both streams know the same moments after
 * every row, also those of features whose last entry is long ago. */
static void a_stream_of_entries_knows_what_a_dense_one_knows(void **state)
{
    enum { STEPS = 61, D = 5 };
    const struct {
        bool center, scale;
    } how[] = {{true, true}, {false, true}, {true, false}};
    (void)state;
    for (int h = 0; h < 3; h++) {
        smr_ctx *ctx = check_ctx(1);
        void *params[2] = {0}, *states[2] = {0};
        const smr_learner *l = smr_registry_find("standardize");
        smr_shape shape = {.n_features = D};
        for (int k = 0; k < 2; k++) {
            params[k] = smr_alloc(ctx, 1, l->word->params_size);
            check_ok(ctx, smr_state_create(ctx, l, &states[k]));
            memcpy(params[k], &how[h], sizeof how[h]);
            assert_int_equal(l->stream->begin(ctx, params[k], &shape, states[k]), SMR_OK);
        }
        for (int64_t i = 0; i < STEPS; i++) {
            double x[D], value[D], w = (double)(i % 3), out[2][D], all[D] = {1, 2, 3, 4, 5};
            int32_t column[D];
            int64_t start[2] = {0, 0};
            for (int j = 0; j < D; j++) {
                double u = smr_random_unit(3, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j);
                x[j] = u < 0.6 + 0.1 * j ? 0 : u > 0.97 ? NAN : 100 * u - 70;
                if (x[j] == 0) continue;
                column[start[1]] = j;
                value[start[1]++] = x[j];
            }
            smr_truths truths = {.weight = &w};
            smr_rows dense = {.n = 1, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
            smr_rows sparse = {.n = 1,
                               .d = D,
                               .form = SMR_FORM_SPARSE,
                               .start = start,
                               .column = column,
                               .value = value};
            assert_int_equal(l->stream->learn(ctx, params[0], states[0], &dense, &truths, out[0]),
                             SMR_OK);
            assert_int_equal(l->stream->learn(ctx, params[1], states[1], &sparse, &truths, out[1]),
                             SMR_OK);
            for (int j = 0; j < D; j++)
                assert_true(fabs(out[0][j] - out[1][j]) < 1e-12 || isnan(x[j]));
            dense.x = all;
            for (int k = 0; k < 2; k++)
                assert_int_equal(l->fitted->predict(ctx, params[k], states[k], &dense,
                                                    SMR_OUTPUT_TRANSFORM, out[k], NULL),
                                 SMR_OK);
            for (int j = 0; j < D; j++) check_near("feature", out[1][j], out[0][j], 1e-12);
        }
        for (int k = 0; k < 2; k++) {
            smr_state_free(l, states[k]);
            smr_free(params[k]);
        }
        check_ctx_end(ctx);
    }
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "standardize", table, &(smr_set_opts){.keep_all = true}, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 7, 3, X, abc);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_once, t) > 20);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(weights_count_as_in_scikit_learn),
        cmocka_unit_test(centring_and_scaling_are_two_switches),
        cmocka_unit_test(missing_values_stay_missing_and_do_not_count),
        cmocka_unit_test(constants_are_only_centred),
        cmocka_unit_test(a_large_offset_costs_no_digits),
        cmocka_unit_test(no_finite_values_are_too_large_or_too_small),
        cmocka_unit_test(targets_of_any_size_are_standardized),
        cmocka_unit_test(categories_pass_through),
        cmocka_unit_test(means_come_from_the_training_rows_alone),
        cmocka_unit_test(scaling_leaves_least_squares_unchanged),
        cmocka_unit_test(scaling_changes_neighbours_and_ridge),
        cmocka_unit_test(a_stream_of_entries_knows_what_a_dense_one_knows),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
