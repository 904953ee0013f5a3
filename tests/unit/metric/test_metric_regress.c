/* Measures of numbers against scikit-learn (tests/truth/measures.py), hand-worked
 * figures, weights, undefined cases. */
#include "check.h"

#include "core/rng.h"
#include "metric/metric.h"

#include "truth/measures.h"
#include "truth/stats.h"

static double measured(smr_ctx *ctx, const char *name, const smr_regress_input *in)
{
    double got;
    const smr_measure *measure = smr_measure_find(name, SMR_TASK_REGRESS);
    if (!measure) fail_msg("%s is not in the list of measures", name);
    check_ok(ctx, smr_measure_regress(ctx, measure, in, &got));
    return got;
}

static void check_against(const smr_regress_input *in, const struct expected *want, int64_t n_want,
                          const double *r2, const double *mse)
{
    smr_ctx *ctx = check_ctx(1);
    smr_regress_row rows[3];
    for (int64_t e = 0; e < n_want; e++)
        check_near(want[e].name, measured(ctx, want[e].name, in), want[e].value, 1e-14);
    check_ok(ctx, smr_regress_rows(ctx, in, rows));
    for (int64_t j = 0; j < in->n_outputs; j++) {
        check_near("r2 of one output", rows[j].r2, r2[j], 1e-14);
        check_near("mse of one output", rows[j].mse, mse[j], 1e-14);
    }
    check_ctx_end(ctx);
}

#define CHECK_SET(set, outputs)                                                    \
    do {                                                                           \
        smr_regress_input in_ = {.n = SMR_COUNT(set##_weight),                     \
                                 .n_outputs = outputs,                             \
                                 .y = set##_y,                                     \
                                 .predicted = set##_predicted};                    \
        check_against(&in_, set##_0, SMR_COUNT(set##_0), set##_r2_0, set##_mse_0); \
        in_.weight = set##_weight;                                                 \
        check_against(&in_, set##_1, SMR_COUNT(set##_1), set##_r2_1, set##_mse_1); \
    } while (0)

static void one_output_matches_scikit_learn(void **state)
{
    (void)state;
    CHECK_SET(one, 1);
}

static void several_outputs_match_scikit_learn(void **state)
{
    (void)state;
    CHECK_SET(three, 3);
}

/* Every level, by the formula; those that are listed are among them. */
static void the_pinball_loss_has_a_measure_for_every_level(void **state)
{
    enum { N = 23 };
    smr_ctx *ctx = check_ctx(1);
    double y[N], f[N], w[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        y[i] = 10 * smr_random_unit(3, SMR_STREAM_TEST, 0, (uint64_t)i);
        f[i] = 10 * smr_random_unit(3, SMR_STREAM_TEST, 1, (uint64_t)i);
        w[i] = (double)(i % 4);
    }
    smr_regress_input in = {.n = N, .n_outputs = 1, .y = y, .predicted = f, .weight = w};
    for (int k = 1; k < 1000; k++) {
        double q = k / 1000.0, loss = 0, all = 0;
        char name[32];
        if (k >= 10 && k <= 990 && k % 10) continue;
        if (k % 10 == 0)
            snprintf(name, sizeof name, "pinball_%02d", k / 10);
        else
            snprintf(name, sizeof name, "pinball_%03d", k);
        for (int64_t i = 0; i < N; i++) {
            loss += w[i] * (y[i] > f[i] ? q * (y[i] - f[i]) : (1 - q) * (f[i] - y[i]));
            all += w[i];
        }
        check_near(name, measured(ctx, name, &in), loss / all, 1e-13);
        assert_string_equal(smr_pinball_at(q), name);
        check_near("level", smr_measure_find(name, SMR_TASK_REGRESS)->level, q, 1e-15);
    }
    assert_string_equal(smr_pinball_at(0.333), "pinball_33");
    assert_string_equal(smr_pinball_at(1e-9), "pinball_001");
    assert_string_equal(smr_pinball_at(0.9999), "pinball_999");
    assert_null(smr_measure_find("pinball_100", SMR_TASK_REGRESS));
    assert_null(smr_measure_find("pinball_37", SMR_TASK_CLASSIFY));
    check_ctx_end(ctx);
}

/* Errors -1, 1, 2, -2 of y = 2, 4, 6, 8: squares sum to 10, deviations of y to 20. */
static void four_rows_are_measured_as_by_hand(void **state)
{
    (void)state;
    const double y[] = {2, 4, 6, 8}, f[] = {3, 3, 4, 10};
    smr_regress_input in = {.n = 4, .n_outputs = 1, .y = y, .predicted = f};
    smr_ctx *ctx = check_ctx(1);
    check_near("mse", measured(ctx, "mse", &in), 2.5, 0);
    check_near("rmse", measured(ctx, "rmse", &in), sqrt(2.5), 1e-15);
    check_near("mae", measured(ctx, "mae", &in), 1.5, 0);
    check_near("median", measured(ctx, "median_ae", &in), 1.5, 0);
    check_near("max", measured(ctx, "max_error", &in), 2, 0);
    check_near("r2", measured(ctx, "r2", &in), 0.5, 1e-15);
    check_near("explained", measured(ctx, "explained_variance", &in), 0.5, 1e-15);
    check_near("mape", measured(ctx, "mape", &in), (0.5 + 0.25 + 1.0 / 3 + 0.25) / 4, 1e-15);
    check_ctx_end(ctx);
}

/* The measures at deviance_y and deviance_f (tests/truth/stats.py). */
static void quantiles_and_deviances_are_scikit_learns(void **state)
{
    (void)state;
    smr_regress_input in = {.n = 4, .n_outputs = 1, .y = deviance_y, .predicted = deviance_f};
    smr_ctx *ctx = check_ctx(1);
    for (int k = 0; k < SMR_COUNT(deviances); k++) {
        in.weight = NULL;
        check_near(deviances[k].name, measured(ctx, deviances[k].name, &in), deviances[k].plain,
                   1e-14);
        in.weight = deviance_w;
        check_near(deviances[k].name, measured(ctx, deviances[k].name, &in), deviances[k].weighted,
                   1e-14);
    }
    check_ctx_end(ctx);
}

static void deviances_know_their_range(void **state)
{
    (void)state;
    const double y[] = {0, 3}, f[] = {0, 3}, below[] = {-1, 3}, bad[] = {1, -3};
    smr_regress_input in = {.n = 2, .n_outputs = 1, .y = y, .predicted = f};
    smr_ctx *ctx = check_ctx(1);
    check_near("exact", measured(ctx, "poisson_deviance", &in), 0, 0);
    assert_true(isnan(measured(ctx, "gamma_deviance", &in)));
    in.predicted = bad;
    assert_true(isinf(measured(ctx, "poisson_deviance", &in)));
    in.y = below;
    assert_true(isnan(measured(ctx, "poisson_deviance", &in)));
    check_ctx_end(ctx);
}

/* log 4 - log 2, and log 1 - log 1/2: both log 2. */
static void rmsle_knows_its_range(void **state)
{
    (void)state;
    const double y[] = {3, 0}, f[] = {1, -0.5}, bad[] = {3, -1}, low[] = {3, -1.5};
    smr_regress_input in = {.n = 2, .n_outputs = 1, .y = y, .predicted = f};
    smr_ctx *ctx = check_ctx(1);
    check_near("log 2", measured(ctx, "rmsle", &in), 0.6931471805599453, 1e-15);
    in.predicted = bad;
    assert_true(isinf(measured(ctx, "rmsle", &in)));
    in.y = low;
    assert_true(isnan(measured(ctx, "rmsle", &in)));
    check_ctx_end(ctx);
}

/* y about 1e9, errors about 1e-3: the errors are what was put in. */
static void a_target_far_from_zero_loses_no_digit(void **state)
{
    (void)state;
    enum { N = 997 };
    double y[N], f[N], squares = 0, total = 0, mean = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = ldexp(rint(ldexp(smr_random_unit(3, SMR_STREAM_TEST, 0, i), 20)), -20);
        double e = ldexp(rint(ldexp(smr_random_unit(3, SMR_STREAM_TEST, 1, i), 8)), -20);
        y[i] = 1e9 + u;
        f[i] = y[i] - e;
        squares += e * e;
        mean += u / N;
    }
    for (int i = 0; i < N; i++) total += (y[i] - 1e9 - mean) * (y[i] - 1e9 - mean);
    smr_regress_input in = {.n = N, .n_outputs = 1, .y = y, .predicted = f};
    smr_ctx *ctx = check_ctx(1);
    check_near("mse", measured(ctx, "mse", &in) / (squares / N), 1, 1e-14);
    check_near("1 - r2", (1 - measured(ctx, "r2", &in)) / (squares / total), 1, 1e-8);
    check_ctx_end(ctx);
}

static void weight_two_is_the_row_twice_in_every_measure(void **state)
{
    (void)state;
    enum { N = 67 };
    double y[N], f[N], w[N], yy[3 * N], ff[3 * N];
    int64_t n = 0, n_measures;
    for (uint64_t i = 0; i < N; i++) {
        y[i] = 1 + smr_random_unit(4, SMR_STREAM_TEST, 0, i);
        f[i] = y[i] + smr_random_unit(4, SMR_STREAM_TEST, 1, i) - 0.4;
        w[i] = (double)smr_random_below(4, SMR_STREAM_TEST, 2, i, 4);
        for (int c = 0; c < (int)w[i]; c++, n++) {
            yy[n] = y[i];
            ff[n] = f[i];
        }
    }
    f[5] += 100; /* the row with the largest error has no weight */
    w[5] = 0;
    smr_ctx *ctx = check_ctx(1);
    n = 0;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < (int)w[i]; c++, n++) {
            yy[n] = y[i];
            ff[n] = f[i];
        }
    smr_regress_input a = {.n = N, .n_outputs = 1, .y = y, .predicted = f, .weight = w};
    smr_regress_input b = {.n = n, .n_outputs = 1, .y = yy, .predicted = ff};
    const smr_measure *measure = smr_measures(&n_measures);
    for (int64_t m = 0; m < n_measures; m++)
        if (measure[m].task == SMR_TASK_REGRESS)
            check_near(measure[m].name, measured(ctx, measure[m].name, &a),
                       measured(ctx, measure[m].name, &b), 1e-14);
    check_ctx_end(ctx);
}

static void undefined_measures_are_nan(void **state)
{
    (void)state;
    const double same[] = {2.5, 2.5, 2.5}, f[] = {2, 3, 2.5}, zero[] = {1, 0, 2},
                 none[] = {0, 0, 0};
    smr_regress_input in = {.n = 3, .n_outputs = 1, .y = same, .predicted = f};
    smr_ctx *ctx = check_ctx(1);
    assert_true(isnan(measured(ctx, "r2", &in)) && isnan(measured(ctx, "explained_variance", &in)));
    check_near("mse", measured(ctx, "mse", &in), 0.5 / 3, 1e-15);
    in.y = zero;
    assert_true(isnan(measured(ctx, "mape", &in)) && !isnan(measured(ctx, "r2", &in)));
    int64_t n_measures;
    const smr_measure *measure = smr_measures(&n_measures);
    for (int empty = 0; empty < 2; empty++) {
        if (empty)
            in.n = 0;
        else
            in.weight = none;
        for (int64_t m = 0; m < n_measures; m++)
            if (measure[m].task == SMR_TASK_REGRESS && !isnan(measured(ctx, measure[m].name, &in)))
                fail_msg("%s of no rows is a number", measure[m].name);
    }
    check_ctx_end(ctx);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    double y[] = {1, 2, 3, 4}, f[] = {1, 2, NAN, 4}, w[] = {1, INFINITY}, out;
    smr_regress_input in = {.n = 2, .n_outputs = 2, .y = y, .predicted = f};
    const smr_measure *mse = smr_measure_find("mse", SMR_TASK_REGRESS);
    smr_ctx *ctx = check_ctx(1);
    check_fails(ctx, smr_measure_regress(ctx, mse, &in, &out), SMR_ERR_NUMERIC,
                "the prediction for row 1 is not a number");
    y[1] = NAN;
    check_fails(ctx, smr_measure_regress(ctx, mse, &in, &out), SMR_ERR_DATA,
                "the target of row 0 is missing");
    y[1] = f[2] = 2;
    in.weight = w;
    check_fails(ctx, smr_measure_regress(ctx, mse, &in, &out), SMR_ERR_DATA, "the weight of row 1");
    in.n_outputs = 0;
    check_fails(ctx, smr_measure_regress(ctx, mse, &in, &out), SMR_ERR_SHAPE, "0 outputs");
    check_fails(ctx, smr_measure_regress(ctx, smr_measure_find("f1", SMR_TASK_CLASSIFY), &in, &out),
                SMR_ERR_PARAM, "f1 measures classes");
    check_ctx_end(ctx);
}

static void json_holds_every_measure_and_every_output(void **state)
{
    (void)state;
    static const char *const names[] = {"height", "weight", "age"};
    smr_regress_input in = {.n = SMR_COUNT(three_weight),
                            .n_outputs = 3,
                            .y = three_y,
                            .predicted = three_predicted,
                            .output_names = names};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_metric_regress(ctx, &in, smr_json_root(doc)));
    for (int64_t e = 0; e < SMR_COUNT(three_0); e++)
        check_near(three_0[e].name, smr_json_get_number(smr_json_root(doc), three_0[e].name, NAN),
                   three_0[e].value, 1e-14);
    const smr_json *outputs = smr_json_get(smr_json_root(doc), "outputs");
    assert_int_equal(outputs->n, 3);
    assert_string_equal(smr_json_get_string(outputs->first->next, "name", ""), "weight");
    check_near("mse", smr_json_get_number(outputs->last, "mse", NAN), three_mse_0[2], 1e-14);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    smr_regress_input in = {
        .n = SMR_COUNT(three_weight), .n_outputs = 3, .y = three_y, .predicted = three_predicted};
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    for (; st != SMR_OK; n++) {
        smr_json_doc *doc = NULL;
        smr_ctx_clear(ctx);
        smr_memory_fail_at(ctx, n);
        st = smr_json_create(ctx, &doc);
        if (st == SMR_OK) st = smr_metric_regress(ctx, &in, smr_json_root(doc));
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_json_free(doc);
    }
    assert_true(n > 5);
    smr_memory_fail_at(ctx, -1);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pinball_loss_has_a_measure_for_every_level),
        cmocka_unit_test(one_output_matches_scikit_learn),
        cmocka_unit_test(several_outputs_match_scikit_learn),
        cmocka_unit_test(four_rows_are_measured_as_by_hand),
        cmocka_unit_test(quantiles_and_deviances_are_scikit_learns),
        cmocka_unit_test(deviances_know_their_range),
        cmocka_unit_test(rmsle_knows_its_range),
        cmocka_unit_test(a_target_far_from_zero_loses_no_digit),
        cmocka_unit_test(weight_two_is_the_row_twice_in_every_measure),
        cmocka_unit_test(undefined_measures_are_nan),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(json_holds_every_measure_and_every_output),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("metric_regress", tests, NULL, NULL);
}
