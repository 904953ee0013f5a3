/* test_baseline.c -- the answer without features.  Truth: means, medians and shares worked out by
 * hand; numpy's median of repeated rows for weights. */
#include "pipeline.h"

#include "said.h"

enum { N = 7 };

static smr_table *small_table(smr_ctx *ctx)
{
    static const double y[N] = {3, 1, 4, 1, 5, 9, 2}, w[N] = {1, 2, 1, 0, 3, 1, 1};
    static const char *const k[N] = {"b", "a", "b", "c", "b", "a", "b"};
    smr_table *t = new_table(ctx, N, 4);
    double x[N];
    for (int i = 0; i < N; i++) x[i] = noise(i, 1);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "y", y);
    put_strings(ctx, t, 2, "k", (const char **)(uintptr_t)k);
    put_numbers(ctx, t, 3, "w", w);
    return t;
}

static double first_answer(smr_ctx *ctx, const smr_table *t, const char *sentence,
                           const char *weight)
{
    smr_set_opts opts = {
        .target = "y", .weight = weight, .ignore = weight ? "k" : "k,w", .task = SMR_TASK_REGRESS};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    double out[N];
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    check_ok(ctx, said_fit(ctx, sentence, set, NULL, 0, &m));
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out));
    for (int i = 1; i < N; i++) assert_true(out[i] == out[0]);
    smr_model_free(m);
    smr_train_set_free(set);
    return out[0];
}

static void numbers_get_their_mean_or_median(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    (void)state;
    check_near("mean", first_answer(ctx, t, "baseline", NULL), 25.0 / 7, 1e-15);
    check_near("median", first_answer(ctx, t, "baseline median", NULL), 3, 0);
    /* 3, 1 1, 4, 5 5 5, 9, 2: numpy.mean and numpy.median */
    check_near("weighted mean", first_answer(ctx, t, "baseline", "w"), 35.0 / 9, 1e-15);
    check_near("weighted median", first_answer(ctx, t, "baseline median", "w"), 4, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Half the weight at or below 2, the other half from 7 on. */
static void of_two_middle_values_the_median_is_their_mean(void **state)
{
    static const double y[] = {7, 2, 1, 9}, w[] = {1, 1, 2, 2};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 3);
    smr_set_opts opts = {.target = "y", .weight = "w", .task = SMR_TASK_REGRESS};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    double out[4], x[4] = {0, 1, 2, 3};
    (void)state;
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "y", y);
    put_numbers(ctx, t, 2, "w", w);
    check_ok(ctx, said_set(ctx, t, "baseline median", &opts, &set));
    check_ok(ctx, said_fit(ctx, "baseline median", set, NULL, 0, &m));
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out));
    check_near("median", out[0], 4.5, 0);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_get_their_shares(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    smr_model *m = train_on(ctx, "baseline", t, "k");
    double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA), *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
    (void)state;
    for (int i = 0; i < N; i++) {
        check_near("a", p[3 * i], 2.0 / 7, 1e-15);
        check_near("b", p[3 * i + 1], 4.0 / 7, 1e-15);
        check_near("c", p[3 * i + 2], 1.0 / 7, 1e-15);
        assert_true(label[i] == 1);
    }
    smr_free(p);
    smr_free(label);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What others call it leads to it, and a median does not learn from a stream. */
static void other_names_and_streams(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *spec = NULL;
    smr_table *t = small_table(ctx);
    smr_set_opts opts = {.target = "y", .ignore = "k,w", .task = SMR_TASK_REGRESS};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, smr_spec_parse(ctx, "DummyClassifier", &spec), SMR_ERR_PARAM,
                "did you mean 'baseline'?");
    check_ok(ctx, said_set(ctx, t, "baseline median", &opts, &set));
    check_fails(ctx, said_online(ctx, "baseline median", set, &m), SMR_ERR_UNSUPPORTED,
                "baseline by=median needs all rows at once; by=mean learns from a stream");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_get_their_mean_or_median),
        cmocka_unit_test(of_two_middle_values_the_median_is_their_mean),
        cmocka_unit_test(classes_get_their_shares),
        cmocka_unit_test(other_names_and_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
