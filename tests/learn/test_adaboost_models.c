/* test_adaboost_models.c -- boosting as a model: stumps beside scikit-learn's, and models asked
 * after some of their rounds.
 *
 * Truth: scikit-learn's weighted errors (tests/truth/ensembles.py); shorter fits; errors counted
 * here. */
#include "learn/boosting_data.h"

#include "learn/ensemble/adaboost.h"
#include "pipeline.h"
#include "study/curve.h"
#include "truth/ensembles.h"

static smr_model *train_weighted(smr_ctx *ctx, const char *sentence, const char *path,
                                 const char *target)
{
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = target, .keep_all = true};
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    set->weight = smr_alloc(ctx, t->n_rows, sizeof *set->weight);
    for (int64_t i = 0; i < t->n_rows; i++) set->weight[i] = (double)(1 + i % 3);
    check_ok(ctx, said_fit(ctx, sentence, set, NULL, 0, &m));
    smr_train_set_free(set);
    smr_table_free(t);
    return m;
}

static smr_model *train_plain(smr_ctx *ctx, const char *sentence, const char *path,
                              const char *target)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    smr_model *m = train_on(ctx, sentence, t, target);
    smr_table_free(t);
    return m;
}

/* Weighted errors of the first six of 50 stumps, and the training error of all. */
static void boosted_stumps_are_those_of_scikit_learn(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < SMR_COUNT(adaboost_truth); k++) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "adaboost 50 method=%s of=(stump)",
                 adaboost_truth[k].method);
        smr_model *m = (adaboost_truth[k].weighted ? train_weighted : train_plain)(
            ctx, sentence, adaboost_truth[k].table, adaboost_truth[k].target);
        const struct smr_adaboost_state *s = smr_model_last(m)->state;
        assert_int_equal(s->n_rounds, 50);
        double within = adaboost_truth[k].method[0] == 'd' ? 1e-10 : 1e-6;
        for (int r = 0; r < 6; r++) /* real multiplies rounding by up to 2^52 per round */
            check_near(sentence, s->error[r], adaboost_truth[k].error[r], within);
        check_near("training error", s->train_error[49], adaboost_truth[k].train, 1e-11);
        smr_model_free(m);
    }
    check_ctx_end(ctx);
}

/* scikit-learn draws its rows, and the folds are others: five deviations over its seeds and folds,
 * on either side. */
static void boosted_trees_for_numbers_are_as_good_as_scikit_learns(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    (void)unused;
    check_ok(ctx, smr_table_open(ctx, "data/diabetes.csv", NULL, &t));
    for (int k = 0; k < SMR_COUNT(adaboost_rmse); k++) {
        char sentence[96], *json = NULL;
        smr_train_opts how = {.size = sizeof how, .target = "progression"};
        smr_fold_opts folds = {.size = sizeof folds, .measure = "rmse"};
        snprintf(sentence, sizeof sentence, "adaboost 50 loss=%s of=(tree max_depth=3)",
                 adaboost_rmse[k].loss);
        check_ok(ctx, smr_cross_validate(ctx, sentence, t, &how, &folds, &json));
        const char *at = strstr(json, "\"mean\"");
        assert_non_null(at);
        double rmse = atof(strchr(at, ':') + 1), band = 5 * adaboost_rmse[k].sd;
        if (!(fabs(rmse - adaboost_rmse[k].mean) <= band))
            fail_msg("%s: rmse %g, scikit-learn %g +- %g", sentence, rmse, adaboost_rmse[k].mean,
                     band);
        smr_string_free(json);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- models ----------------------------------------------------------------------------- */

static smr_table *labelled_table(smr_ctx *ctx, const struct problem *p)
{
    static const char *const names[] = {"no", "yes"};
    const char *label[N];
    double column[N];
    smr_table *t = new_table(ctx, N, D + 1);
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) column[i] = p->x[i * D + j];
        put_numbers(ctx, t, j, p->m.names[j], column);
    }
    for (int64_t i = 0; i < N; i++) label[i] = names[p->label[i]];
    put_strings(ctx, t, D, "y", label);
    return t;
}

static void models_predict_after_any_number_of_rounds(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(2);
    double all[N * 2], some[N * 2], fewer[N * 2];
    (void)unused;
    make_problem(&p, 2);
    smr_table *t = labelled_table(ctx, &p);
    smr_model *m = train_on(ctx, "standardize | adaboost 8 of=(knn 5)", t, "y");
    smr_model *short_one = train_on(ctx, "standardize | adaboost 3 of=(knn 5)", t, "y");
    assert_int_equal(smr_model_n_rounds(m), 8);
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_PROBA, all));
    check_ok(ctx, smr_predict_rounds(ctx, m, t, SMR_OUTPUT_PROBA, 8, some));
    assert_memory_equal(all, some, sizeof all);
    check_ok(ctx, smr_predict(ctx, short_one, t, SMR_OUTPUT_PROBA, fewer));
    check_ok(ctx, smr_predict_rounds(ctx, m, t, SMR_OUTPUT_PROBA, 3, some));
    assert_memory_equal(fewer, some, sizeof fewer);
    check_fails(ctx, smr_predict_rounds(ctx, m, t, SMR_OUTPUT_PROBA, 9, some), SMR_ERR_PARAM,
                "this adaboost model has 8 rounds, not 9");
    check_fails(ctx, smr_predict_rounds(ctx, m, t, SMR_OUTPUT_PROBA, -1, some), SMR_ERR_PARAM,
                "8 rounds, not -1");
    smr_model_free(m);
    m = train_on(ctx, "knn 5", t, "y");
    assert_int_equal(smr_model_n_rounds(m), 0);
    check_fails(ctx, smr_predict_rounds(ctx, m, t, SMR_OUTPUT_PROBA, 0, some), SMR_ERR_PARAM,
                "a knn model does not grow in rounds");
    smr_model_free(m);
    smr_model_free(short_one);
    smr_table_free(t);
    end_problem(&p);
    check_ctx_end(ctx);
}

static const smr_json *point_of(const smr_json *root, double round)
{
    for (const smr_json *row = smr_json_get(root, "points")->first; row; row = row->next)
        if (smr_json_get_number(row, "rounds", 0) == round) return row;
    fail_msg("no point after %g rounds", round);
    return NULL;
}

/* Error of the rows after each round, counted here. */
static void the_curve_of_rounds_is_the_error_after_each(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double label[N];
    smr_json_doc *doc = NULL;
    (void)unused;
    make_problem(&p, 2);
    smr_table *t = labelled_table(ctx, &p);
    smr_model *m = train_on(ctx, "adaboost 12 of=(logistic l2=5)", t, "y");
    smr_sample sample = {.table = t};
    smr_curve_how how = {0};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_curve_rounds(ctx, m, &sample, &how, smr_json_root(doc)));
    const smr_json *root = smr_json_root(doc);
    double best = 2;
    for (int64_t r = 1; r <= smr_model_rounds(m); r++) {
        double wrong = 0;
        check_ok(ctx, smr_model_apply_after(ctx, m, t, NULL, 0, SMR_OUTPUT_LABEL, r, label));
        for (int64_t i = 0; i < N; i++) wrong += (int32_t)label[i] != p.label[i];
        check_near("error", smr_json_get_number(point_of(root, (double)r), "error", -1), wrong / N,
                   1e-14);
        const struct smr_adaboost_state *s = smr_model_last(m)->state;
        check_near("training error", s->train_error[r - 1], wrong / N, 1e-14);
        best = fmin(best, wrong / N);
    }
    check_near("best", smr_json_get_number(smr_json_get(root, "best"), "error", -1), best, 1e-14);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    end_problem(&p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boosted_stumps_are_those_of_scikit_learn),
        cmocka_unit_test(boosted_trees_for_numbers_are_as_good_as_scikit_learns),
        cmocka_unit_test(models_predict_after_any_number_of_rounds),
        cmocka_unit_test(the_curve_of_rounds_is_the_error_after_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
