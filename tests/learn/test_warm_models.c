/* test_warm_models.c -- a model that a fit begins at, from outside: at its own answer it stops at
 * once, elsewhere it comes to the same answer as without; and which learners refuse it, and why. */
#include "pipeline.h"

#include "learn/views.h"
#include "learn/warm.h"

enum { N = 131, D = 4 };

/* seed: other rows; classes: of the target "t", 0: numbers; spare: one more column. */
static smr_table *make_table(smr_ctx *ctx, int64_t seed, int64_t classes, bool spare)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"}, *const kinds[] = {"u", "v", "w"};
    smr_table *t = new_table(ctx, N, D + 1 + spare);
    double x[N], sum[N] = {0};
    const char *label[N];
    for (int64_t j = 0; j < D + spare; j++) {
        for (int64_t i = 0; i < N; i++) {
            x[i] = noise(i + 1000 * seed, j);
            if (j < D) sum[i] += (double)(j - 1) * x[i] + 0.4 * noise(i + 1000 * seed, 20 + j);
        }
        put_numbers(ctx, t, j, names[j], x);
    }
    for (int64_t i = 0; i < N; i++)
        label[i] = kinds[sum[i] > 0.8 && classes > 2 ? 2 : sum[i] > -0.2];
    if (classes)
        put_strings(ctx, t, D + spare, "t", label);
    else
        put_numbers(ctx, t, D + spare, "t", sum);
    return t;
}

static smr_status train_at(smr_ctx *ctx, const char *sentence, const smr_table *t,
                           const smr_model *old, smr_model **out)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "t", .keep_all = true, .warm_start = old};
    return smr_train(ctx, sentence, t, &opts, out);
}

static const double *weights(const smr_model *m)
{
    return smr_stage_linear(smr_model_last(m)).w;
}

static const struct {
    const char *sentence;
    int64_t classes, scores;
} cases[] = {
    {"logistic", 3, 3},
    {"logistic", 2, 1},
    {"logistic solver=lbfgs", 3, 3},
    {"standardize | logistic l2=0.1 solver=gd", 2, 1},
    {"logistic l1=1", 3, 3},
    {"linear solver=gd rule=backtracking", 0, 1},
    {"columns target=standardize | standardize | linear solver=gd", 0, 1},
    {"svm loss=squared_hinge solver=primal", 3, 3},
    {"svm loss=squared_hinge", 2, 1},
};

static void a_fit_stops_at_once_at_its_own_answer(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = make_table(ctx, 0, cases[k].classes, false);
        smr_model *cold = NULL, *warm = NULL;
        check_ok(ctx, train_at(ctx, cases[k].sentence, t, NULL, &cold));
        check_ok(ctx, train_at(ctx, cases[k].sentence, t, cold, &warm));
        assert_false(cold->fit.is_warm);
        assert_true(warm->fit.is_warm && warm->fit.converged && !warm->fit.warm);
        if (warm->fit.n_iter > 1 || cold->fit.n_iter < 3)
            fail_msg("%s: %lld steps, and %lld from the beginning", cases[k].sentence,
                     (long long)warm->fit.n_iter, (long long)cold->fit.n_iter);
        for (int64_t i = 0; i < cases[k].scores * D; i++)
            check_near(cases[k].sentence, weights(warm)[i], weights(cold)[i], 1e-5);
        smr_model_free(warm);
        smr_model_free(cold);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* From the answer to other rows: the same optimum, in fewer steps or as many. */
static void a_fit_from_elsewhere_comes_to_the_same_answer(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = make_table(ctx, 0, cases[k].classes, false);
        smr_table *u = make_table(ctx, 1, cases[k].classes, false);
        smr_model *old = NULL, *cold = NULL, *warm = NULL;
        check_ok(ctx, train_at(ctx, cases[k].sentence, u, NULL, &old));
        check_ok(ctx, train_at(ctx, cases[k].sentence, t, NULL, &cold));
        check_ok(ctx, train_at(ctx, cases[k].sentence, t, old, &warm));
        assert_true(warm->fit.is_warm && warm->fit.converged);
        for (int64_t i = 0; i < cases[k].scores * D; i++)
            check_near(cases[k].sentence, weights(warm)[i], weights(cold)[i], 1e-4);
        smr_model_free(old);
        smr_model_free(warm);
        smr_model_free(cold);
        smr_table_free(t);
        smr_table_free(u);
        check_ctx_end(ctx);
    }
}

/* A batch in which a class does not occur, with all classes named. */
static void a_batch_may_lack_a_class_that_is_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *all = make_table(ctx, 0, 3, false), *some = make_table(ctx, 1, 2, false);
    smr_model *old = NULL, *m = NULL;
    (void)state;
    check_ok(ctx, train_at(ctx, "sgd passes=2", all, NULL, &old));
    check_fails(ctx, train_at(ctx, "sgd passes=2", some, old, &m), SMR_ERR_DATA,
                "class 'w' of the model to start from is not among those of 't'; name all classes "
                "(--classes), or fit without the model");
    smr_train_opts opts = {
        .size = sizeof opts, .target = "t", .classes = "u,v,w", .warm_start = old};
    check_ok(ctx, smr_train(ctx, "sgd passes=2", some, &opts, &m));
    assert_true(m->fit.is_warm);
    smr_model_free(m);
    static const char *const turned[] = {"w", "v", "u"};
    smr_strings_release(&all->cols[D].levels);
    smr_free(all->cols[D].name);
    int32_t codes[N];
    for (int64_t i = 0; i < N; i++) codes[i] = 2 - smr_column_code(&all->cols[D], i);
    smr_free(all->cols[D].values);
    all->n_cols--;
    check_ok(ctx, smr_table_add_categories(ctx, all, "t", codes, turned, 3));
    check_fails(ctx, train_at(ctx, "sgd passes=2", all, old, &m), SMR_ERR_DATA,
                "class 'u' has another place in the model to start from; give the target's levels "
                "the order that they have there");
    smr_model_free(old);
    smr_table_free(all);
    smr_table_free(some);
    check_ctx_end(ctx);
}

/* Columns may come in another order: they are known by name. */
static void columns_are_matched_by_name(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 2, false);
    smr_model *old = NULL, *m = NULL;
    (void)state;
    check_ok(ctx, train_at(ctx, "logistic", t, NULL, &old));
    smr_column first = t->cols[0];
    t->cols[0] = t->cols[2];
    t->cols[2] = first;
    check_ok(ctx, train_at(ctx, "logistic", t, old, &m));
    assert_true(m->fit.n_iter <= 1);
    check_near("the first is the third", weights(m)[0], weights(old)[2], 1e-6);
    smr_model_free(m);
    smr_model_free(old);
    smr_table_free(t);
    check_ctx_end(ctx);
}

struct refusal {
    const char *old, *sentence, *said;
    int64_t classes_old, classes;
    smr_status status;
};

static void what_cannot_begin_there_says_so(void **state)
{
    static const struct refusal list[] = {
        {"ridge", "ridge",
         "ridge cannot start from another model; learners that can: gmm, kmeans, linear, "
         "logistic, sgd, softkmeans, svm",
         0, 0, SMR_ERR_PARAM},
        {"linear", "linear", "linear with these parameters cannot start from another model", 0, 0,
         SMR_ERR_PARAM},
        {"logistic", "logistic solver=dual", "logistic with these parameters cannot start from", 2,
         2, SMR_ERR_PARAM},
        {"svm", "svm",
         "svm with these parameters cannot start from another model; with an iterative solver it "
         "can",
         2, 2, SMR_ERR_PARAM},
        {"logistic", "bag of=(logistic)", "bag cannot start from another model", 2, 2,
         SMR_ERR_PARAM},
        {"logistic", "standardize", "standardize cannot start from another model", 2, 2,
         SMR_ERR_PARAM},
        {"knn", "logistic",
         "the model to start from ends in knn, and the sentence in logistic: they "
         "must be the same learner",
         2, 2, SMR_ERR_PARAM},
        {"sgd", "sgd", "the model to start from predicts numbers, and this fit classifies", 0, 2,
         SMR_ERR_DATA},
        {"logistic", "logistic",
         "the model to start from knows no class 'w' of 't'; fit without it", 2, 3, SMR_ERR_DATA},
        {"sgd", "columns target=standardize | sgd",
         "the model to start from was fitted with columns target=as_is, and this fit is with "
         "target=standardize: its numbers are in other units",
         0, 0, SMR_ERR_PARAM},
    };
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(list); k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = make_table(ctx, 0, list[k].classes_old, false);
        smr_table *u = make_table(ctx, 1, list[k].classes, false);
        smr_model *old = NULL, *m = NULL;
        check_ok(ctx, train_at(ctx, list[k].old, t, NULL, &old));
        check_fails(ctx, train_at(ctx, list[k].sentence, u, old, &m), list[k].status, list[k].said);
        assert_null(m);
        smr_model_free(old);
        smr_table_free(t);
        smr_table_free(u);
        check_ctx_end(ctx);
    }
}

static void other_columns_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 2, false), *u = make_table(ctx, 1, 2, true);
    smr_model *old = NULL, *more = NULL, *m = NULL;
    static const char *words[N];
    (void)state;
    check_ok(ctx, train_at(ctx, "logistic", t, NULL, &old));
    check_ok(ctx, train_at(ctx, "logistic", u, NULL, &more));
    check_fails(ctx, train_at(ctx, "logistic", u, old, &m), SMR_ERR_DATA,
                "column 'e' is not among those of the model to start from; leave it out with "
                "--ignore, or fit without the model");
    check_fails(ctx, train_at(ctx, "logistic", t, more, &m), SMR_ERR_DATA,
                "column 'e' of the model to start from is not among the columns here");
    for (int64_t i = 0; i < N; i++) words[i] = i % 3 ? "x" : "y";
    smr_free(u->cols[4].name);
    smr_free(u->cols[4].values);
    u->cols[4] = (smr_column){.stride = 1};
    put_strings(ctx, u, 4, "e", words);
    check_fails(ctx, train_at(ctx, "logistic", u, more, &m), SMR_ERR_DATA,
                "column 'e' held numbers for the model to start from and holds categories here; "
                "--type says how it is read");
    smr_model_free(old);
    smr_model_free(more);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

/* Levels of a category are not columns: what both have is taken, the rest begins at 0. */
static void new_levels_of_a_category_begin_at_0(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t[2];
    smr_model *old = NULL, *cold = NULL, *warm = NULL;
    static const char *const level[] = {"p", "q", "r"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        static const char *words[N];
        t[k] = make_table(ctx, k, 2, true);
        for (int64_t i = 0; i < N; i++) words[i] = level[i % (2 + k)];
        smr_free(t[k]->cols[4].name);
        smr_free(t[k]->cols[4].values);
        t[k]->cols[4] = (smr_column){.stride = 1};
        put_strings(ctx, t[k], 4, "e", words);
    }
    check_ok(ctx, train_at(ctx, "logistic", t[0], NULL, &old));
    check_ok(ctx, train_at(ctx, "logistic", t[1], NULL, &cold));
    check_ok(ctx, train_at(ctx, "logistic", t[1], old, &warm));
    assert_true(warm->fit.is_warm);
    for (int64_t i = 0; i < D + 3; i++)
        check_near("weight", weights(warm)[i], weights(cold)[i], 1e-5);
    smr_model_free(old);
    smr_model_free(cold);
    smr_model_free(warm);
    smr_table_free(t[0]);
    smr_table_free(t[1]);
    check_ctx_end(ctx);
}

/* Sparse rows: `auto` takes a solver that takes no start, which is reported, not passed over. */
static void a_start_that_was_not_taken_is_an_error(void **state)
{
    enum { ROWS = 60, COLS = 1500 };
    smr_ctx *ctx = check_ctx(1);
    static int64_t start[ROWS + 1];
    static int32_t column[ROWS * 9];
    static double value[ROWS * 9], y[ROWS], x[2] = {0, 1};
    smr_table *t = NULL, *dense = NULL;
    smr_model *old = NULL, *m = NULL;
    int64_t n = 0;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        start[i] = n;
        y[i] = (double)(i % 2);
        for (int64_t k = 0; k < 9; k++) {
            column[n] = (int32_t)(k * 166 + (i * 7) % 160);
            value[n++] = noise(i, k);
        }
    }
    start[ROWS] = n;
    check_ok(ctx, smr_table_from_csr(ctx, ROWS, COLS, start, column, value, y, &t));
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_CLASSIFY};
    check_ok(ctx, smr_train(ctx, "logistic", t, &opts, &old));
    opts.warm_start = old;
    check_fails(ctx, smr_train(ctx, "logistic", t, &opts, &m), SMR_ERR_PARAM,
                "logistic took a solver for these rows that cannot use a model to start from; name "
                "another in the sentence, or fit without the model");
    assert_null(m);
    check_ok(ctx, smr_train(ctx, "logistic solver=lbfgs", t, &opts, &m));
    assert_true(m->fit.is_warm);
    smr_model_free(m);
    check_ok(ctx, smr_table_from_matrix(ctx, x, 2, 1, x, &dense));
    check_fails(ctx, smr_train(ctx, "logistic", dense, &opts, &m), SMR_ERR_DATA,
                "column '0' is not among those of the model to start from");
    smr_model_free(old);
    smr_table_free(t);
    smr_table_free(dense);
    check_ctx_end(ctx);
}

static void the_number_of_targets_must_be_the_same(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 0, false);
    smr_model *old = NULL, *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "t,d", .task = SMR_TASK_REGRESS};
    (void)state;
    check_ok(ctx, smr_train(ctx, "sgd passes=2", t, &opts, &old));
    opts.target = "t";
    opts.ignore = "d";
    opts.warm_start = old;
    check_fails(ctx, smr_train(ctx, "sgd passes=2", t, &opts, &m), SMR_ERR_DATA,
                "the model to start from has 2 targets, and this fit 1");
    smr_model_free(old);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- who else has such options ---------------------------------------------------------- */

static void judging_begins_at_no_model(void **state)
{
    static const char said[] =
        "'warm_start' is not used here: judged on rows that the old model may have seen, "
        "a fit that begins at it would look better than it is";
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 2, false);
    smr_model *old = NULL, *m = NULL;
    smr_streamer *s = NULL;
    char *json = NULL;
    static const char *const one[] = {"logistic"};
    (void)state;
    check_ok(ctx, train_at(ctx, "logistic", t, NULL, &old));
    smr_train_opts how = {.size = sizeof how, .target = "t", .warm_start = old};
    check_fails(ctx, smr_cross_validate(ctx, "logistic", t, &how, NULL, &json), SMR_ERR_PARAM,
                said);
    check_fails(ctx, smr_compare(ctx, one, 1, t, &how, NULL, &json), SMR_ERR_PARAM, said);
    check_fails(ctx, smr_tune(ctx, "logistic", t, &how, NULL, &m, &json), SMR_ERR_PARAM, said);
    check_fails(ctx, smr_curve(ctx, "learning", "logistic", t, &how, NULL, &json), SMR_ERR_PARAM,
                said);
    check_fails(ctx, smr_bias_variance(ctx, "logistic", t, &how, NULL, &json), SMR_ERR_PARAM, said);
    check_fails(ctx, smr_stream_begin(ctx, "logistic", t, &how, &s), SMR_ERR_PARAM, said);
    smr_model_free(old);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The threshold of such a fit is chosen on folds that start afresh. */
static void a_threshold_is_chosen_without_the_old_model(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 2, false);
    smr_model *old = NULL, *m = NULL, *cold = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "t", .threshold = "f1"};
    (void)state;
    check_ok(ctx, train_at(ctx, "logistic", t, NULL, &old));
    check_ok(ctx, smr_train(ctx, "logistic", t, &opts, &cold));
    opts.warm_start = old;
    check_ok(ctx, smr_train(ctx, "logistic", t, &opts, &m));
    assert_true(m->fit.is_warm);
    assert_true(m->target.threshold == cold->target.threshold);
    smr_model_free(m);
    smr_model_free(cold);
    smr_model_free(old);
    smr_table_free(t);
    check_ctx_end(ctx);
}

struct attempt {
    const smr_table *table;
    const smr_model *old;
};

static smr_status again(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_model *m = NULL;
    smr_status st = train_at(ctx, "standardize | logistic", a->table, a->old, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 0, 3, false);
    smr_model *old = NULL;
    (void)state;
    check_ok(ctx, train_at(ctx, "standardize | logistic", t, NULL, &old));
    struct attempt a = {t, old};
    assert_true(fail_each_allocation(ctx, again, &a) > 20);
    smr_model_free(old);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_stops_at_once_at_its_own_answer),
        cmocka_unit_test(a_fit_from_elsewhere_comes_to_the_same_answer),
        cmocka_unit_test(a_batch_may_lack_a_class_that_is_named),
        cmocka_unit_test(columns_are_matched_by_name),
        cmocka_unit_test(what_cannot_begin_there_says_so),
        cmocka_unit_test(other_columns_are_named),
        cmocka_unit_test(new_levels_of_a_category_begin_at_0),
        cmocka_unit_test(a_start_that_was_not_taken_is_an_error),
        cmocka_unit_test(the_number_of_targets_must_be_the_same),
        cmocka_unit_test(judging_begins_at_no_model),
        cmocka_unit_test(a_threshold_is_chosen_without_the_old_model),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
