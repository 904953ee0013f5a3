/* test_cv_report.c -- what is asked for by name, the JSON of a cross-validation, its table. */
#include "cv_tables.h"
#include "said_study.h"

#include "study/cv_report.h"

static void measures_are_found_by_name(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const smr_measure **list = NULL;
    int64_t n = 0;
    (void)state;
    smr_cv_ask ask = {.measure = "f1_macro,auc,accuracy"};
    check_ok(ctx, smr_cv_ask_measures(ctx, &ask, SMR_TASK_CLASSIFY, &list, &n));
    assert_int_equal(n, 3);
    assert_string_equal(list[0]->name, "f1_macro");
    assert_string_equal(list[2]->name, "accuracy");
    smr_free(list);
    ask.measure = NULL;
    check_ok(ctx, smr_cv_ask_measures(ctx, &ask, SMR_TASK_CLASSIFY, &list, &n));
    assert_true(list == NULL && n == 0);
    static const struct {
        const char *measure, *says;
        smr_task task;
    } wrong[] = {
        {"auk", "there is no measure 'auk'; did you mean 'auc'?", SMR_TASK_CLASSIFY},
        {"accuracy,,auc", "there is no measure ''", SMR_TASK_CLASSIFY},
        {"xyzzy-quux", "'samara list measures' names them all", SMR_TASK_CLASSIFY},
        {"r2", "r2 measures predicted numbers, and the task is to classify", SMR_TASK_CLASSIFY},
        {"auc", "auc measures predicted classes, and the task is to predict numbers",
         SMR_TASK_REGRESS},
        {"r2,mae,r2", "measure 'r2' is named twice", SMR_TASK_REGRESS},
        {"a_name_that_is_longer_than_any_name_of_a_measure_could_reasonably_be_and_longer",
         "there is no measure", SMR_TASK_REGRESS},
    };
    for (int64_t i = 0; i < SMR_COUNT(wrong); i++) {
        ask.measure = wrong[i].measure;
        check_fails(ctx, smr_cv_ask_measures(ctx, &ask, wrong[i].task, &list, &n), SMR_ERR_PARAM,
                    wrong[i].says);
        assert_null(list);
    }
    check_ctx_end(ctx);
}

static void plans_are_asked_for_by_column(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 40);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_cv_plan *plan = NULL;
    int64_t train[40], n_train, n_test;
    const int64_t *test;
    (void)state;
    smr_cv_ask ask = {.order_by = "s", .folds = 2};
    check_ok(ctx, smr_cv_ask_plan(ctx, &ask, set, &plan));
    smr_cv_round(plan, 0, train, &n_train, &test, &n_test);
    for (int64_t i = 0; i < 20; i++)
        assert_true(((double *)t->cols[8].values)[train[i]] <
                    ((double *)t->cols[8].values)[test[0]]);
    smr_cv_plan_free(plan);
#define REFUSED(status, part, ...) \
    check_fails(ctx, smr_cv_ask_plan(ctx, &(smr_cv_ask){__VA_ARGS__}, set, &plan), status, part)
    REFUSED(SMR_ERR_PARAM, "has no column 'ss'; did you mean 's'?", .order_by = "ss");
    REFUSED(SMR_ERR_DATA, "column 'd' holds text; rows are ordered by numbers or dates",
            .order_by = "d");
    REFUSED(SMR_ERR_DATA, "column 'c' is missing in row 4, which has no place in the order",
            .order_by = "c");
    REFUSED(SMR_ERR_PARAM, "leaving one out cannot be combined with folds or an order",
            .leave_one_out = true, .folds = 3);
    REFUSED(SMR_ERR_PARAM, "leaving one out cannot be combined", .leave_one_out = true,
            .ordered = true);
#undef REFUSED
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static double at(const smr_json *root, const char *measure, const char *key)
{
    const smr_json *m = smr_json_get(smr_json_get(root, "measures"), measure);
    assert_non_null(m);
    return smr_json_get_number(m, key, NAN);
}

/* Means and pooled figures follow from the rounds and from the table of predictions. */
static void the_report_agrees_with_its_rounds_and_its_table(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 77), *oof = NULL;
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    smr_json_doc *doc = NULL;
    smr_cv_ask ask = {.folds = 4, .repeats = 3, .confidence = 0.8};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    const smr_json *root = smr_json_root(doc);
    check_ok(ctx, said_cv_report(ctx, "standardize | knn 3", set, &ask, smr_json_root(doc), &oof));
    double sum = 0, right = 0;
    const smr_json *rounds = smr_json_get(root, "by_round");
    assert_int_equal(rounds->n, 12);
    for (const smr_json *r = rounds->first; r; r = r->next)
        sum += smr_json_get_number(r, "accuracy", NAN);
    check_near("mean", at(root, "accuracy", "mean"), sum / 12, 1e-14);
    assert_true(at(root, "accuracy", "low") < at(root, "accuracy", "mean"));
    check_near("confidence", smr_json_get_number(root, "confidence", 0), 0.8, 0);
    assert_string_equal(smr_json_get_string(root, "spec", ""),
                        "standardize center=yes scale=yes | knn k=3 metric=euclidean "
                        "weight=uniform algorithm=auto");
    assert_true(smr_json_get_bool(root, "stratified", false));
    assert_int_equal(oof->n_rows, 77);
    assert_int_equal(oof->n_cols, 7);
    static const char *const names[] = {"row",    "round",  "truth", "prediction",
                                        "p(low)", "p(mid)", "p(top)"};
    for (int64_t j = 0; j < 7; j++) assert_string_equal(oof->cols[j].name, names[j]);
    for (int64_t i = 0; i < 77; i++) {
        double total = 0;
        assert_true(smr_column_number(&oof->cols[0], i) == (double)i + 1);
        double round = smr_column_number(&oof->cols[1], i);
        assert_true(round >= 1 && round <= 4); /* the first repetition */
        assert_int_equal(smr_column_code(&oof->cols[2], i), set->label[i]);
        for (int64_t k = 4; k < 7; k++) total += smr_column_number(&oof->cols[k], i);
        check_near("probabilities", total, 1, 1e-12);
        right += smr_column_code(&oof->cols[2], i) == smr_column_code(&oof->cols[3], i);
    }
    assert_true(right / 77 > 0.5);
    const smr_json *figure = smr_json_get(root, "figures")->first;
    assert_string_equal(smr_json_get_string(figure, "name", ""), "folds");
    assert_string_equal(smr_json_get_string(smr_json_get(figure, "y"), "label", ""), "accuracy");
    smr_table_free(oof);
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* mse from the file's truth and prediction, targets by name. */
static void predictions_of_several_targets_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 50), *oof = NULL;
    smr_train_set *set = NULL;
    smr_json_doc *doc = NULL;
    smr_set_opts how = {.target = "y,b", .ignore = "k,s,g,w", .keep_all = true};
    smr_cv_ask ask = {.ordered = true, .folds = 5};
    double mse[2] = {0};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "linear", &how, &set));
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, said_cv_report(ctx, "linear", set, &ask, smr_json_root(doc), &oof));
    static const char *const names[] = {"row",          "round",   "truth y",
                                        "prediction y", "truth b", "prediction b"};
    assert_int_equal(oof->n_cols, 6);
    for (int64_t j = 0; j < 6; j++) assert_string_equal(oof->cols[j].name, names[j]);
    assert_int_equal(oof->n_rows, 40); /* the first block is never measured */
    assert_true(smr_column_number(&oof->cols[0], 0) == 11);
    for (int64_t i = 0; i < 40; i++)
        for (int64_t k = 0; k < 2; k++) {
            double e = smr_column_number(&oof->cols[2 + 2 * k], i) -
                       smr_column_number(&oof->cols[3 + 2 * k], i);
            mse[k] += e * e / 40;
        }
    check_near("pooled", at(smr_json_root(doc), "mse", "pooled"), (mse[0] + mse[1]) / 2, 1e-12);
    smr_table_free(oof);
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status report_once(smr_ctx *ctx, void *arg)
{
    smr_json_doc *doc = NULL;
    smr_table *oof = NULL;
    smr_cv_ask ask = {.folds = 2, .measure = "accuracy,log_loss"};
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = said_cv_report(ctx, "knn 2", arg, &ask, smr_json_root(doc), &oof);
    smr_table_free(oof);
    smr_json_free(doc);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 20);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    (void)state;
    assert_true(fail_each_allocation(ctx, report_once, set) > 80);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- out of bag ---- */

static smr_status oob_once(smr_ctx *ctx, void *set)
{
    smr_model *model = NULL;
    smr_table *table = NULL;
    smr_status st = said_fit(ctx, "forest 3", set, NULL, 0, &model);
    if (st == SMR_OK) st = smr_oob_table(ctx, set, model, &table);
    smr_table_free(table);
    smr_model_free(model);
    return st;
}

/* The forest's own out-of-bag error follows from the table; numbers are in the target's unit though
 * the forest was fitted to standardized ones. */
static void out_of_bag_predictions_give_the_error_of_the_fit(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 77), *oob = NULL;
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_model *model = NULL;
    (void)state;
    set->keep_left_out = true;
    check_ok(ctx, said_fit(ctx, "columns target=standardize | forest 4", set, NULL, 0, &model));
    check_ok(ctx, smr_oob_table(ctx, set, model, &oob));
    assert_int_equal(oob->n_cols, 4);
    assert_string_equal(oob->cols[1].name, "trees");
    assert_true(oob->n_rows < 77 && oob->n_rows > 40); /* some rows are in all four bags */
    double sum = 0;
    for (int64_t i = 0; i < oob->n_rows; i++) {
        int64_t row = (int64_t)smr_column_number(&oob->cols[0], i) - 1;
        double trees = smr_column_number(&oob->cols[1], i);
        double truth = smr_column_number(&oob->cols[2], i);
        double e = truth - smr_column_number(&oob->cols[3], i);
        assert_true(trees >= 1 && trees <= 4);
        check_near("truth", truth, set->y[row], 0);
        sum += e * e;
    }
    double sd = model->target.sd[0];
    check_near("mse", sum / (double)oob->n_rows, sd * sd * model->fit.objective, 1e-12);
    smr_table_free(oob);
    smr_model_free(model);
    check_fails(ctx, said_fit(ctx, "ridge", set, NULL, 0, &model), SMR_ERR_PARAM,
                "learners that do: forest");
    assert_true(fail_each_allocation(ctx, oob_once, set) > 40);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the baseline ----------------------------------------------------------------------- */

/* The share of class c, or the mean, among the truths of rounds other than r, in the table of
 * predictions. */
static double among_others(const smr_table *oof, int64_t r, int64_t c)
{
    double sum = 0, n = 0;
    for (int64_t i = 0; i < oof->n_rows; i++) {
        if (smr_column_number(&oof->cols[1], i) == (double)r) continue;
        n++;
        sum += c < 0 ? smr_column_number(&oof->cols[2], i)
                     : (double)(smr_column_code(&oof->cols[2], i) == c);
    }
    return sum / n;
}

/* accuracy and log_loss of shares, rmse and mae of the mean: all of round r. */
static void constant_answer(const smr_table *oof, int64_t r, bool classes, double out[2])
{
    double p[3] = {0}, mean = classes ? 0 : among_others(oof, r, -1), n = 0;
    int32_t most = 0;
    out[0] = out[1] = 0;
    for (int32_t c = 0; classes && c < 3; c++) {
        p[c] = among_others(oof, r, c);
        if (p[c] > p[most]) most = c;
    }
    for (int64_t i = 0; i < oof->n_rows; i++) {
        if (smr_column_number(&oof->cols[1], i) != (double)r) continue;
        n++;
        if (classes) {
            int32_t c = smr_column_code(&oof->cols[2], i);
            out[0] += c == most;
            out[1] -= log(p[c]);
        } else {
            double e = smr_column_number(&oof->cols[2], i) - mean;
            out[0] += e * e;
            out[1] += fabs(e);
        }
    }
    out[0] = classes ? out[0] / n : sqrt(out[0] / n);
    out[1] /= n;
}

/* Counted again from the rounds and truths of the file of predictions, and found a second time by
 * the learner that looks at no feature. */
static void the_baseline_is_a_constant_on_the_same_folds(void **state)
{
    enum { N = 77, FOLDS = 4 };
    static const char *const names[2][2] = {{"rmse", "mae"}, {"accuracy", "log_loss"}};
    static const char *const what[2] = {"always the mean", "always the most frequent class"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, N);
    (void)state;
    for (int classes = 0; classes < 2; classes++) {
        smr_train_set *set = cv_set(ctx, t, classes ? "k" : "y", NULL, NULL);
        smr_cv_ask ask = {.folds = FOLDS, .no_strata = true};
        smr_json_doc *docs[2] = {NULL};
        smr_table *oof = NULL;
        double wanted[2] = {0};
        check_ok(ctx, smr_json_create(ctx, &docs[0]));
        check_ok(ctx, smr_json_create(ctx, &docs[1]));
        check_ok(ctx, said_cv_report(ctx, "knn 3", set, &ask, smr_json_root(docs[0]), &oof));
        check_ok(ctx, said_cv_report(ctx, "baseline", set, &ask, smr_json_root(docs[1]), NULL));
        for (int64_t r = 1; r <= FOLDS; r++) {
            double one[2];
            constant_answer(oof, r, classes, one);
            for (int k = 0; k < 2; k++) wanted[k] += one[k] / FOLDS;
        }
        const smr_json *base = smr_json_get(smr_json_root(docs[0]), "baseline");
        assert_string_equal(smr_json_get_string(base, "what", ""), what[classes]);
        for (int k = 0; k < 2; k++) {
            const char *name = names[classes][k];
            check_near(name, smr_json_get_number(base, name, NAN), wanted[k], 1e-12);
            check_near(name, at(smr_json_root(docs[1]), name, "mean"), wanted[k], 1e-12);
        }
        smr_table_free(oof);
        smr_json_free(docs[0]);
        smr_json_free(docs[1]);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A model of the median is compared with the median; where no round has the measure, with
 * nothing. */
static void the_baseline_follows_the_measure(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 30);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_json_doc *docs[2] = {NULL};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &docs[0]));
    check_ok(ctx, smr_json_create(ctx, &docs[1]));
    check_ok(ctx, said_cv_report(ctx, "lad", set, &(smr_cv_ask){.folds = 3}, smr_json_root(docs[0]),
                                 NULL));
    const smr_json *base = smr_json_get(smr_json_root(docs[0]), "baseline");
    assert_string_equal(smr_json_get_string(base, "what", ""), "always the median");
    assert_true(smr_json_get_number(base, "mae", 0) > 0);
    assert_null(smr_json_get(base, "rmse"));
    check_ok(ctx, said_cv_report(ctx, "knn 3", set,
                                 &(smr_cv_ask){.leave_one_out = true, .measure = "r2"},
                                 smr_json_root(docs[1]), NULL));
    assert_null(smr_json_get(smr_json_root(docs[1]), "baseline"));
    smr_json_free(docs[0]);
    smr_json_free(docs[1]);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_found_by_name),
        cmocka_unit_test(plans_are_asked_for_by_column),
        cmocka_unit_test(the_report_agrees_with_its_rounds_and_its_table),
        cmocka_unit_test(predictions_of_several_targets_are_named),
        cmocka_unit_test(the_baseline_is_a_constant_on_the_same_folds),
        cmocka_unit_test(the_baseline_follows_the_measure),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(out_of_bag_predictions_give_the_error_of_the_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
