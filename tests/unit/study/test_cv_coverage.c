/* Cross-validation reports the coverage of intervals and sets, as counted by hand; and nothing for
 * models that have none. */
#include "cv_tables.h"
#include "said_study.h"

#include "study/evaluate_coverage.h"

enum { N = 211 };

static smr_table *noisy(smr_ctx *ctx, bool classes)
{
    static const char *const names[] = {"a", "b", "c"};
    const char *label[N];
    double x[N], y[N];
    smr_table *t = new_table(ctx, N, 2);
    for (int64_t i = 0; i < N; i++) {
        x[i] = noise(i, 1);
        y[i] = 2 * x[i] + noise(i, 2);
        label[i] = names[y[i] < -0.5 ? 0 : y[i] < 1 ? 1 : 2];
    }
    put_numbers(ctx, t, 0, "x", x);
    if (classes)
        put_strings(ctx, t, 1, "y", label);
    else
        put_numbers(ctx, t, 1, "y", y);
    return t;
}

static void check_cv(bool classes, const char *sentence)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = noisy(ctx, classes);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_cv_scores s;
    int64_t train[N], n_train, n_test;
    const int64_t *test;
    double covered_all = 0;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 4});
    check_ok(ctx, said_cv(ctx, sentence, set, plan, NULL, &s));
    int64_t m = s.n_measures - 2;
    assert_string_equal(s.measures[m]->name, classes ? "set_coverage" : "interval_coverage");
    assert_string_equal(s.measures[m + 1]->name, classes ? "set_size" : "interval_width");
    for (int64_t r = 0; r < 4; r++) {
        smr_model *model = NULL;
        double out[3 * N], covered = 0, size = 0;
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        check_ok(ctx, said_fit(ctx, sentence, set, train, n_train, &model));
        check_ok(ctx, smr_model_apply(ctx, model, t, test, n_test,
                                      classes ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL, out));
        for (int64_t i = 0; i < n_test; i++) {
            const double *row = out + i * (classes ? 3 : 2);
            double y = classes ? 0 : set->y[test[i]];
            covered += classes ? row[set->label[test[i]]] : y >= row[0] && y <= row[1];
            size += classes ? row[0] + row[1] + row[2] : row[1] - row[0];
        }
        check_near("coverage", s.score[r * s.n_measures + m], covered / (double)n_test, 1e-12);
        check_near("size", s.score[r * s.n_measures + m + 1], size / (double)n_test, 1e-12);
        covered_all += covered;
        smr_model_free(model);
    }
    check_near("pooled", s.pooled[m], covered_all / N, 1e-12);
    smr_cv_scores_release(&s);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void coverage_is_counted_in_every_round(void **state)
{
    (void)state;
    check_cv(false, "conformal 0.8 of=(ridge)");
    check_cv(true, "conformal 0.8 score=adaptive of=(knn 9)");
}

static void models_without_intervals_have_no_such_measure(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy(ctx, false);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_cv_scores s;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "ridge", &opts, &set));
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 3});
    check_ok(ctx, said_cv(ctx, "ridge", set, plan, NULL, &s));
    for (int64_t m = 0; m < s.n_measures; m++) assert_null(strstr(s.measures[m]->name, "interval"));
    smr_cv_scores_release(&s);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_is_counted_in_every_round),
        cmocka_unit_test(models_without_intervals_have_no_such_measure),
    };
    return cmocka_run_group_tests_name("cv_coverage", tests, NULL, NULL);
}
