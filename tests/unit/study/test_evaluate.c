/* test_evaluate.c -- a model's measures on rows whose answers are known, worked by hand. */
#include "pipeline.h"

#include "study/evaluate.h"

static smr_json_doc *measure(smr_ctx *ctx, const smr_model *m, smr_sample sample, int64_t *n_used)
{
    smr_json_doc *doc = NULL;
    double seconds = -1;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_evaluate_sample(ctx, m, &sample, smr_json_root(doc), &seconds, n_used));
    check_ok(ctx, smr_json_done(doc));
    assert_true(seconds >= 0);
    return doc;
}

static double figure(smr_json_doc *doc, const char *name)
{
    const smr_json *v = smr_json_get(smr_json_root(doc), name);
    if (!v) fail_msg("no measure '%s'", name);
    return v && v->type == SMR_JSON_NUMBER ? v->number : NAN;
}

/* A model that answers y = x: least squares through points of the diagonal. */
static smr_model *diagonal(smr_ctx *ctx)
{
    smr_table *t = table_of(ctx, "x,y\n0,0\n1,1\n2.5,2.5\n");
    smr_model *m = train_on(ctx, "linear", t, "y");
    smr_table_free(t);
    return m;
}

/* Residuals 0.5, -1, (missing), 2: squares 0.25 + 1 + 4. */
static void regression_is_measured_on_rows_with_an_answer(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = diagonal(ctx);
    smr_table *t = table_of(ctx, "y,x\n1.5,1\n1,2\n,3\n6,4\n");
    int64_t n = 0;
    smr_json_doc *doc = measure(ctx, m, (smr_sample){.table = t}, &n);
    (void)state;
    assert_int_equal(n, 3);
    check_near("mse", figure(doc, "mse"), 5.25 / 3, 1e-12);
    check_near("rmse", figure(doc, "rmse"), sqrt(5.25 / 3), 1e-12);
    check_near("mae", figure(doc, "mae"), 3.5 / 3, 1e-12);
    /* mean of y 17/6; total 1.5^2 + 1 + 36 - 3 (17/6)^2 = 15.1667 */
    check_near("r2", figure(doc, "r2"), 1 - 5.25 / (39.25 - 289.0 / 12), 1e-12);
    smr_json_free(doc);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void rows_and_weights_belong_to_the_table(void **state)
{
    static const int64_t rows[] = {3, 2, 0};
    static const double weight[] = {3, 100, 100, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = diagonal(ctx);
    smr_table *t = table_of(ctx, "y,x\n1.5,1\n1,2\n,3\n6,4\n");
    int64_t n = 0;
    smr_json_doc *doc = measure(ctx, m, (smr_sample){.table = t, .rows = rows, .n_rows = 3}, &n);
    (void)state;
    assert_int_equal(n, 2); /* rows 3 and 0 */
    check_near("mse", figure(doc, "mse"), 4.25 / 2, 1e-12);
    smr_json_free(doc);
    doc =
        measure(ctx, m, (smr_sample){.table = t, .rows = rows, .n_rows = 3, .weight = weight}, &n);
    check_near("mse", figure(doc, "mse"), (3 * 0.25 + 4) / 4, 1e-12);
    check_near("mae", figure(doc, "mae"), (3 * 0.5 + 2) / 4, 1e-12);
    smr_json_free(doc);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* Nearest neighbour on {0: no, 10: yes}; truth no, yes, yes, no, (missing) against answers
 * no, no, yes, yes: one of each cell. */
static smr_table *class_table(smr_ctx *ctx)
{
    return table_of(ctx, "k,x\nno,1\nyes,2\nyes,9\nno,8\n,3\n");
}

static smr_model *nearest(smr_ctx *ctx, const char *positive)
{
    smr_table *t = table_of(ctx, "x,k\n0,no\n10,yes\n");
    smr_model *m = NULL;
    check_ok(ctx,
             try_train(ctx, "knn 1", t, &(smr_set_opts){.target = "k", .positive = positive}, &m));
    smr_table_free(t);
    return m;
}

static void classes_are_counted_in_a_confusion_matrix(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = nearest(ctx, NULL);
    smr_table *t = class_table(ctx);
    int64_t n = 0;
    smr_json_doc *doc = measure(ctx, m, (smr_sample){.table = t}, &n);
    (void)state;
    assert_int_equal(n, 4);
    check_near("accuracy", figure(doc, "accuracy"), 0.5, 1e-15);
    check_near("error", figure(doc, "error"), 0.5, 1e-15);
    check_near("precision", figure(doc, "precision"), 0.5, 1e-15);
    const smr_json *rows = smr_json_get(smr_json_root(doc), "confusion");
    for (const smr_json *row = rows->first; row; row = row->next)
        for (const smr_json *v = row->first; v; v = v->next) assert_true(v->number == 1);
    smr_json_free(doc);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* Weights 1, 2, 3, 4: confusion no (1, 4), yes (2, 3).  Precision of yes 3/7, of no 1/3. */
static void the_positive_class_is_the_models(void **state)
{
    static const double weight[] = {1, 2, 3, 4, 5};
    smr_ctx *ctx = check_ctx(1);
    smr_model *yes = nearest(ctx, NULL), *no = nearest(ctx, "no");
    smr_table *t = class_table(ctx);
    int64_t n = 0;
    smr_json_doc *a = measure(ctx, yes, (smr_sample){.table = t, .weight = weight}, &n);
    smr_json_doc *b = measure(ctx, no, (smr_sample){.table = t, .weight = weight}, &n);
    (void)state;
    check_near("accuracy", figure(a, "accuracy"), 0.4, 1e-15);
    check_near("precision of yes", figure(a, "precision"), 3.0 / 7, 1e-15);
    check_near("recall of yes", figure(a, "recall"), 3.0 / 5, 1e-15);
    check_near("precision of no", figure(b, "precision"), 1.0 / 3, 1e-15);
    check_near("recall of no", figure(b, "recall"), 1.0 / 5, 1e-15);
    smr_json_free(a);
    smr_json_free(b);
    smr_table_free(t);
    smr_model_free(yes);
    smr_model_free(no);
    check_ctx_end(ctx);
}

static void what_cannot_be_measured_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = diagonal(ctx), *classes = nearest(ctx, NULL), *none;
    smr_table *t = table_of(ctx, "y,x\n,1\n,2.5\n"), *no_target = table_of(ctx, "x\n1\n2.5\n");
    smr_table *unknown = table_of(ctx, "k,x\nno,1\nmaybe,2\n");
    smr_json_doc *doc = NULL;
    (void)state;
    none = train_on(ctx, "standardize", no_target, NULL);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *into = smr_json_root(doc);
    check_fails(ctx, smr_evaluate_sample(ctx, m, &(smr_sample){.table = t}, into, NULL, NULL),
                SMR_ERR_DATA, "no row of t.csv has a value of the target 'y' to compare with");
    check_fails(ctx,
                smr_evaluate_sample(ctx, m, &(smr_sample){.table = no_target}, into, NULL, NULL),
                SMR_ERR_STATE, "t.csv has no column 'y', the model's target");
    check_fails(
        ctx, smr_evaluate_sample(ctx, classes, &(smr_sample){.table = unknown}, into, NULL, NULL),
        SMR_ERR_DATA, "the target 'k' has a class 'maybe' that the model does not know");
    check_fails(ctx, smr_evaluate_sample(ctx, none, &(smr_sample){.table = t}, into, NULL, NULL),
                SMR_ERR_STATE, "this model predicts nothing that could be measured");
    smr_json_free(doc);
    smr_model_free(m);
    smr_model_free(classes);
    smr_model_free(none);
    smr_table_free(t);
    smr_table_free(no_target);
    smr_table_free(unknown);
    check_ctx_end(ctx);
}

/* Several targets: each by itself, and their mean. */
static void several_targets_are_measured_each(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *train = table_of(ctx, "x,a,b\n0,0,1\n1,1,0\n2.5,2.5,-1.5\n"); /* a = x, b = 1 - x */
    smr_table *test = table_of(ctx, "x,a,b\n1,2,0\n2,2,1\n3,3,\n");
    smr_model *m = train_on(ctx, "linear", train, "a,b");
    int64_t n = 0;
    smr_json_doc *doc = measure(ctx, m, (smr_sample){.table = test}, &n);
    const smr_json *outputs = smr_json_get(smr_json_root(doc), "outputs");
    (void)state;
    assert_int_equal(n, 2); /* the third row lacks b */
    check_near("mse of a", smr_json_get_number(outputs->first, "mse", NAN), 0.5, 1e-12);
    check_near("mse of b", smr_json_get_number(outputs->last, "mse", NAN), 2, 1e-12);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(train);
    smr_table_free(test);
    check_ctx_end(ctx);
}

struct evaluating {
    const smr_model *model;
    const smr_table *table;
};

static smr_status evaluate_once(smr_ctx *ctx, void *arg)
{
    struct evaluating *e = arg;
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    st = smr_evaluate_sample(ctx, e->model, &(smr_sample){.table = e->table}, smr_json_root(doc),
                             NULL, NULL);
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = nearest(ctx, NULL);
    smr_table *t = class_table(ctx);
    struct evaluating e = {m, t};
    (void)state;
    assert_true(fail_each_allocation(ctx, evaluate_once, &e) > 15);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* ---- what the measures are to be held against --------------------------------------------- */

static const smr_json *judged(smr_ctx *ctx, const smr_model *m, const smr_table *t,
                              smr_judging *how, smr_json_doc **doc, const char *key)
{
    smr_sample sample = {.table = t};
    check_ok(ctx, smr_json_create(ctx, doc));
    check_ok(ctx, smr_judge(ctx, m, &sample, how, smr_json_root(*doc)));
    const smr_json *v = smr_json_get(smr_json_root(*doc), key);
    assert_non_null(v);
    return v;
}

/* Fitted: a a b, so always a, right for 1 of 4; measured: always b, right for 3 of 4. */
static void the_baseline_is_the_fitted_rows_majority_where_they_are_known(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *fit = table_of(ctx, "x,y\n1,a\n2,b\n3,a\n");
    smr_table *t = table_of(ctx, "x,y\n1.5,b\n1,a\n3.25,b\n6,b\n");
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, fit, "knn 1", &(smr_set_opts){.target = "y"}, &set));
    check_ok(ctx, said_fit(ctx, "knn 1", set, NULL, 0, &m));
    smr_judging how = {.fitted = set}, alone = {0};
    const smr_json *b = judged(ctx, m, t, &how, &doc, "baseline");
    assert_string_equal(smr_json_get_string(b, "what", ""), "always 'a'");
    assert_string_equal(smr_json_get_string(b, "from", ""), "the fitted rows");
    check_near("accuracy", smr_json_get_number(b, "accuracy", NAN), 0.25, 0);
    smr_json_free(doc);
    b = judged(ctx, m, t, &alone, &doc, "baseline");
    assert_string_equal(smr_json_get_string(b, "what", ""), "always 'b'");
    assert_string_equal(smr_json_get_string(b, "from", ""), "the measured rows");
    check_near("accuracy", smr_json_get_number(b, "accuracy", NAN), 0.75, 0);
    smr_json_free(doc);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(fit);
    check_ctx_end(ctx);
}

/* Fitted rows 0 and 2 of the diagonal: mean 1.25; answers 1.5, 1, 6 are 0.25, 0.25, 4.75 off. */
static void the_baseline_of_numbers_is_the_fitted_mean(void **state)
{
    static const int64_t rows[] = {0, 2};
    smr_ctx *ctx = check_ctx(1);
    smr_table *fit = table_of(ctx, "x,y\n0,0\n1,1\n2.5,2.5\n");
    smr_table *t = table_of(ctx, "y,x\n1.5,1\n1,2\n,3\n6,4\n");
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, fit, "linear", &(smr_set_opts){.target = "y"}, &set));
    check_ok(ctx, said_fit(ctx, "linear", set, rows, 2, &m));
    smr_judging how = {.fitted = set, .fitted_rows = rows, .n_fitted = 2};
    const smr_json *b = judged(ctx, m, t, &how, &doc, "baseline");
    check_near("value", smr_json_get_number(b, "value", NAN), 1.25, 1e-15);
    check_near("rmse", smr_json_get_number(b, "rmse", NAN),
               sqrt((0.0625 + 0.0625 + 4.75 * 4.75) / 3), 1e-12);
    check_near("mae", smr_json_get_number(b, "mae", NAN), 5.25 / 3, 1e-12);
    smr_json_free(doc);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(fit);
    check_ctx_end(ctx);
}

/* knn 3: the probabilities of b at 1, 0.9, 6 and 6.1 are 1/3, 1/3, 2/3, 2/3, the answers b a b a.
 * The larger score makes a false negative (cost 7) and a false positive (2); the least cost is
 * below 1/3, two false positives of four rows. */
static void the_cost_of_a_threshold_is_told_beside_the_usual_one(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *fit = table_of(ctx, "x,y\n0,a\n1,a\n2,b\n5,b\n6,b\n7,a\n");
    smr_table *t = table_of(ctx, "x,y\n1,b\n0.9,a\n6,b\n6.1,a\n");
    smr_model *m = train_on(ctx, "knn 3", fit, "y");
    smr_threshold_rule rule = {.kind = SMR_THRESHOLD_COST, .cost_fp = 2, .cost_fn = 7};
    smr_judging how = {.threshold = &rule};
    smr_json_doc *doc = NULL;
    (void)state;
    const smr_json *c = judged(ctx, m, t, &how, &doc, "cost");
    check_near("false_positive", smr_json_get_number(c, "false_positive", NAN), 2, 0);
    check_near("false_negative", smr_json_get_number(c, "false_negative", NAN), 7, 0);
    check_near("per_row", smr_json_get_number(c, "per_row", NAN), 4.0 / 4, 1e-15);
    check_near("per_row_usual", smr_json_get_number(c, "per_row_usual", NAN), 9.0 / 4, 1e-15);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(fit);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regression_is_measured_on_rows_with_an_answer),
        cmocka_unit_test(rows_and_weights_belong_to_the_table),
        cmocka_unit_test(classes_are_counted_in_a_confusion_matrix),
        cmocka_unit_test(the_positive_class_is_the_models),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
        cmocka_unit_test(several_targets_are_measured_each),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(the_baseline_is_the_fitted_rows_majority_where_they_are_known),
        cmocka_unit_test(the_baseline_of_numbers_is_the_fitted_mean),
        cmocka_unit_test(the_cost_of_a_threshold_is_told_beside_the_usual_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
