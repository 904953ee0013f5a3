/* Thresholds: rules on a ranking worked by hand, out-of-fold choice that held-out rows have no say
 * in, and the model that carries one. */
#include "pipeline.h"
#include "said_study.h"

#include "model/model_file.h"
#include "study/evaluate.h"
#include "study/threshold.h"

/* Rows by score 0.9 .. 0.1:  + + - + - - + - -   (4 positives, 5 negatives). */
static const double SCORE[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
static const int32_t LABEL[] = {1, 1, 0, 1, 0, 0, 1, 0, 0};

static smr_ranking hand_ranking(smr_ctx *ctx)
{
    smr_ranking r;
    check_ok(ctx, smr_ranking_make(ctx, 9, SCORE, 1, LABEL, 1, NULL, &r));
    return r;
}

static void check_rule(const char *text, double threshold, double tp, double fp)
{
    smr_ctx *ctx = check_ctx(1);
    smr_threshold_rule rule;
    smr_threshold_row row;
    smr_ranking r = hand_ranking(ctx);
    check_ok(ctx, smr_threshold_parse(ctx, text, &rule));
    check_ok(ctx, smr_threshold_choose(ctx, &rule, &r, &row));
    check_near(text, row.threshold, threshold, 1e-15);
    check_near("tp", row.tp, tp, 0);
    check_near("fp", row.fp, fp, 0);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

/* A chosen threshold lies half way to the next lower score. */
static void rules_choose_what_they_say(void **state)
{
    (void)state;
    check_rule("0.65", 0.65, 2, 1);
    check_rule("recall=0.75", 0.55, 3, 1);
    check_rule("recall=1", 0.25, 4, 3);
    check_rule("precision=1", 0.75, 2, 0);
    check_rule("precision=0.75", 0.55, 3, 1); /* 3 of 4, rather than 2 of 2 */
    check_rule("fpr=0.2", 0.55, 3, 1);
    check_rule("fpr=0", 0.75, 2, 0);
    check_rule("youden", 0.55, 3, 1);    /* 0.75 - 0.2 */
    check_rule("f1", 0.55, 3, 1);        /* 6/8 */
    check_rule("cost=1:1", 0.75, 2, 0);  /* 2 mistakes, as at 0.55: the higher */
    check_rule("cost=1:10", 0.25, 4, 3); /* 3 against 1 + 10 */
    check_rule("cost=10:1", 0.75, 2, 0); /* 2 against 10 + 1 */
    check_rule("cost=0:1", 0.25, 4, 3);
}

/* Nothing positive is the cheapest where the best score is a negative's. */
static void a_cost_may_ask_for_no_positive_at_all(void **state)
{
    const double score[] = {1, 0.5};
    const int32_t label[] = {0, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_threshold_rule rule;
    smr_threshold_row row;
    smr_ranking r;
    (void)state;
    check_ok(ctx, smr_ranking_make(ctx, 2, score, 1, label, 1, NULL, &r));
    check_ok(ctx, smr_threshold_parse(ctx, "cost=9:1", &rule));
    check_ok(ctx, smr_threshold_choose(ctx, &rule, &r, &row));
    assert_true(row.threshold > 1 && row.threshold < 1.001 && row.tp == 0 && row.fp == 0);
    check_ok(ctx, smr_threshold_parse(ctx, "precision=0.8", &rule));
    check_fails(
        ctx, smr_threshold_choose(ctx, &rule, &r, &row), SMR_ERR_DATA,
        "no threshold reaches a precision of 0.8; the best is 0.5, which finds the share 1");
    check_ok(ctx, smr_threshold_parse(ctx, "fpr=0.3", &rule));
    check_fails(ctx, smr_threshold_choose(ctx, &rule, &r, &row), SMR_ERR_DATA,
                "the lowest that takes any row is 1");
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

static void neighbouring_doubles_are_told_apart(void **state)
{
    const double score[] = {nextafter(0.5, 1), 0.5};
    const int32_t label[] = {1, 0};
    smr_ctx *ctx = check_ctx(1);
    smr_threshold_rule rule;
    smr_threshold_row row;
    smr_ranking r;
    (void)state;
    check_ok(ctx, smr_ranking_make(ctx, 2, score, 1, label, 1, NULL, &r));
    check_ok(ctx, smr_threshold_parse(ctx, "f1", &rule));
    check_ok(ctx, smr_threshold_choose(ctx, &rule, &r, &row));
    assert_true(row.threshold > 0.5 && row.threshold <= score[0]);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

static void wrong_rules_are_told(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {{"recal=0.9", "did you mean 'recall'"},
                 {"f1=3", "f1 takes no value"},
                 {"recall", "recall takes a value"},
                 {"recall=0", "a share between 0 and 1"},
                 {"precision=1.5", "a share between 0 and 1"},
                 {"cost=3", "two costs >= 0"},
                 {"cost=-1:2", "two costs >= 0"},
                 {"cost=0:0", "two costs >= 0"},
                 {"inf", "not a finite number"},
                 {"", "is not a rule"},
                 {"zebra", "there are a number, cost=FP:FN"}};
    smr_ctx *ctx = check_ctx(1);
    smr_threshold_rule rule;
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++)
        check_fails(ctx, smr_threshold_parse(ctx, cases[k].text, &rule), SMR_ERR_PARAM,
                    cases[k].part);
    check_ctx_end(ctx);
}

static void rules_are_written_as_they_are_read(void **state)
{
    static const char *const rules[] = {"0.3",      "cost=1:5.5", "recall=0.9", "precision=0.8",
                                        "fpr=0.05", "f1",         "youden"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(rules); k++) {
        smr_threshold_rule rule;
        smr_text text = {.ctx = ctx};
        check_ok(ctx, smr_threshold_parse(ctx, rules[k], &rule));
        smr_threshold_write(&rule, &text);
        assert_string_equal(text.bytes, rules[k]);
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

/* ---- models ----------------------------------------------------------------------------- */

enum { ROWS = 203 };

/* Two noisy classes; `flipped` rows have the other label. */
static smr_table *noisy_table(smr_ctx *ctx)
{
    const char *names[ROWS];
    double a[ROWS], b[ROWS];
    smr_table *t = new_table(ctx, ROWS, 3);
    for (int64_t i = 0; i < ROWS; i++) {
        bool yes = i % 3 == 0;
        a[i] = 1.5 * noise(i, 1) + (yes ? 0.8 : 0);
        b[i] = noise(i, 2);
        names[i] = yes ? "yes" : "no";
    }
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_strings(ctx, t, 2, "y", names);
    return t;
}

static smr_train_set *set_of(smr_ctx *ctx, const smr_table *t)
{
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    check_ok(ctx, said_set(ctx, t, "knn 7", &opts, &set));
    return set;
}

/* The nearest neighbour knows every row it was fitted on: on these, any threshold between 0 and 1
 * is perfect.  Out of fold the choice is another, and its figures are not perfect. */
static void fitted_rows_have_no_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy_table(ctx);
    smr_train_set *set = set_of(ctx, t);
    smr_threshold_rule rule;
    smr_threshold_row row;
    int64_t used;
    (void)state;
    check_ok(ctx, smr_threshold_parse(ctx, "f1", &rule));
    check_ok(ctx, said_threshold(ctx, "knn 1", set, NULL, 0, &rule, &row, &used));
    assert_int_equal(used, ROWS);
    assert_true(row.accuracy < 0.9);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Rows outside the given ones may change at will. */
static void rows_left_out_have_no_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy_table(ctx);
    smr_train_set *set = set_of(ctx, t);
    int64_t part[ROWS], n = 0, used;
    smr_threshold_rule rule;
    smr_threshold_row before, after, all;
    double *a = t->cols[0].values;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++)
        if (i % 5) part[n++] = i;
    check_ok(ctx, smr_threshold_parse(ctx, "cost=1:3", &rule));
    check_ok(ctx, said_threshold(ctx, "knn 7", set, part, n, &rule, &before, &used));
    assert_int_equal(used, n);
    for (int64_t i = 0; i < ROWS; i += 5) a[i] = 1e6;
    check_ok(ctx, said_threshold(ctx, "knn 7", set, part, n, &rule, &after, &used));
    assert_memory_equal(&before, &after, sizeof before);
    check_ok(ctx, said_threshold(ctx, "knn 7", set, NULL, 0, &rule, &all, &used));
    assert_true(memcmp(&before, &all, sizeof all) != 0); /* else the above says nothing */
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void choice_is_the_same_at_any_thread_count(void **state)
{
    smr_threshold_row rows[3];
    static const int threads[] = {1, 2, 7};
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        smr_table *t = noisy_table(ctx);
        smr_train_set *set = set_of(ctx, t);
        smr_threshold_rule rule;
        int64_t used;
        check_ok(ctx, smr_threshold_parse(ctx, "recall=0.8", &rule));
        check_ok(ctx, said_threshold(ctx, "knn 7", set, NULL, 0, &rule, &rows[k], &used));
        assert_memory_equal(&rows[0], &rows[k], sizeof rows[0]);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Labels follow the threshold in a batch, one row at a time, and after saving and loading. */
static void a_model_carries_its_threshold(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = noisy_table(ctx);
    smr_train_set *set = set_of(ctx, t);
    smr_model *m = NULL, *back = NULL;
    smr_predictor *one = NULL;
    char *bytes = NULL;
    int64_t length = 0, changed = 0;
    (void)state;
    check_ok(ctx, said_fit(ctx, "knn 7", set, NULL, 0, &m));
    double *plain = apply(ctx, m, t, SMR_OUTPUT_LABEL), *proba = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    check_ok(ctx, said_threshold_train(ctx, "knn 7", set, "recall=0.95", m));
    assert_non_null(strstr(m->target.threshold_how, "recall=0.95"));
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    check_ok(ctx, smr_model_read(ctx, bytes, length, &back));
    assert_true(back->target.has_threshold && back->target.threshold == m->target.threshold);
    assert_string_equal(back->target.threshold_how, m->target.threshold_how);
    double *label = apply(ctx, back, t, SMR_OUTPUT_LABEL);
    check_ok(ctx, smr_predictor_create(ctx, back, SMR_OUTPUT_LABEL, &one));
    for (int64_t i = 0; i < ROWS; i++) {
        double x[2] = {smr_column_number(&t->cols[0], i), smr_column_number(&t->cols[1], i)};
        double got;
        assert_true(label[i] == (proba[2 * i + 1] >= m->target.threshold));
        check_ok(ctx, smr_predictor_row(one, x, &got));
        assert_true(got == label[i]);
        changed += label[i] != plain[i];
    }
    assert_true(changed > 0);
    smr_predictor_free(one);
    smr_string_free(bytes);
    smr_free(plain);
    smr_free(proba);
    smr_free(label);
    smr_model_free(m);
    smr_model_free(back);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The other class as positive: the threshold is on its score. */
static void the_positive_class_may_be_the_first(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_target t = {.task = SMR_TASK_CLASSIFY, .classes = {.n = 2}, .positive = 0};
    (void)state;
    check_ok(ctx, smr_target_set_threshold(ctx, &t, 0.25, NULL));
    assert_int_equal(smr_target_label(&t, (double[]){0.25, 0.75}), 0);
    assert_int_equal(smr_target_label(&t, (double[]){0.2, 0.8}), 1);
    t.has_threshold = false;
    assert_int_equal(smr_target_label(&t, (double[]){0.25, 0.75}), 1);
    check_ctx_end(ctx);
}

static void damaged_thresholds_are_refused(void **state)
{
    static const char *const bad[] = {
        "\"threshold\":3", "\"threshold\":{}", "\"threshold\":{\"value\":\"x\"}",
        "\"threshold\":{\"value\":null}", "\"threshold\":{\"value\":0.5,\"how\":7}"};
    static const char three[] = "{\"task\":\"classify\",\"names\":[\"y\"],\"classes\":[\"a\",\"b\","
                                "\"c\"],\"positive\":1,\"threshold\":{\"value\":0.5}}";
    smr_ctx *ctx = check_ctx(1);
    smr_target t;
    char text[300];
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(bad); k++) {
        snprintf(text, sizeof text,
                 "{\"task\":\"classify\",\"names\":[\"y\"],\"classes\":[\"a\",\"b\"],"
                 "\"positive\":1,%s}",
                 bad[k]);
        check_fails(ctx, smr_target_from_json(ctx, text, &t), SMR_ERR_FORMAT, "threshold");
    }
    check_fails(ctx, smr_target_from_json(ctx, three, &t), SMR_ERR_FORMAT, "threshold");
    check_ctx_end(ctx);
}

/* Evaluating uses the model's threshold, and another where one is given or chosen. */
static double judged_recall(smr_ctx *ctx, const smr_model *m, const smr_table *t, const char *rule)
{
    smr_threshold_rule r;
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t};
    smr_judging how = {.threshold = rule ? &r : NULL, .figures = true};
    if (rule) check_ok(ctx, smr_threshold_parse(ctx, rule, &r));
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_judge(ctx, m, &sample, &how, smr_json_root(doc)));
    assert_int_equal(how.n_rows, t->n_rows);
    double recall =
        smr_json_get_number(smr_json_get(smr_json_root(doc), "measures"), "recall", NAN);
    smr_json_free(doc);
    return recall;
}

static void evaluating_follows_the_threshold(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy_table(ctx);
    smr_model *m = train_on(ctx, "knn 7", t, "y");
    smr_threshold_rule rule = {.value = 2};
    (void)state;
    double plain = judged_recall(ctx, m, t, NULL);
    check_near("all positive", judged_recall(ctx, m, t, "0"), 1, 0);
    assert_true(judged_recall(ctx, m, t, "recall=0.9") >= 0.9);
    assert_true(judged_recall(ctx, m, t, "1") < plain);
    check_ok(ctx, smr_target_set_threshold(ctx, &m->target, 0, "given"));
    check_near("the model's own", judged_recall(ctx, m, t, NULL), 1, 0);
    check_fails(ctx, smr_threshold_check(ctx, &rule, &m->target, true), SMR_ERR_PARAM,
                "from 0 to 1");
    m->target.task = SMR_TASK_REGRESS;
    check_fails(ctx, smr_threshold_check(ctx, &rule, &m->target, true), SMR_ERR_PARAM,
                "predicts numbers");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

struct judging {
    const smr_model *model;
    const smr_table *table;
};

static smr_status judge_all(smr_ctx *ctx, void *arg)
{
    const struct judging *j = arg;
    smr_threshold_rule rule = {.kind = SMR_THRESHOLD_YOUDEN};
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = j->table};
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    smr_judging how = {.threshold = j->model->target.classes.n ? &rule : NULL,
                       .figures = true,
                       .advice = smr_json_add_array(smr_json_root(doc), "advice"),
                       .alone = true};
    st = smr_json_done(doc);
    if (st == SMR_OK) st = smr_judge(ctx, j->model, &sample, &how, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void judging_survives_failing_memory(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy_table(ctx);
    smr_model *classes = train_on(ctx, "knn 7", t, "y"), *numbers = train_on(ctx, "knn 7", t, "a");
    (void)state;
    assert_true(fail_each_allocation(ctx, judge_all, &(struct judging){classes, t}) > 20);
    assert_true(fail_each_allocation(ctx, judge_all, &(struct judging){numbers, t}) > 20);
    smr_model_free(classes);
    smr_model_free(numbers);
    smr_table_free(t);
    check_ctx_end(ctx);
}

struct fitting {
    smr_train_set *set;
    smr_model *model;
};

static smr_status choose(smr_ctx *ctx, void *arg)
{
    struct fitting *f = arg;
    smr_status st = said_threshold_train(ctx, "knn 3", f->set, "f1", f->model);
    smr_free(f->model->target.threshold_how);
    f->model->target.threshold_how = NULL;
    return st;
}

static void failing_memory_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy_table(ctx);
    struct fitting f = {.set = set_of(ctx, t), .model = train_on(ctx, "knn 3", t, "y")};
    (void)state;
    assert_true(fail_each_allocation(ctx, choose, &f) > 20);
    smr_model_free(f.model);
    smr_train_set_free((smr_train_set *)(uintptr_t)f.set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_choose_what_they_say),
        cmocka_unit_test(a_cost_may_ask_for_no_positive_at_all),
        cmocka_unit_test(neighbouring_doubles_are_told_apart),
        cmocka_unit_test(wrong_rules_are_told),
        cmocka_unit_test(rules_are_written_as_they_are_read),
        cmocka_unit_test(fitted_rows_have_no_say),
        cmocka_unit_test(rows_left_out_have_no_say),
        cmocka_unit_test(choice_is_the_same_at_any_thread_count),
        cmocka_unit_test(a_model_carries_its_threshold),
        cmocka_unit_test(the_positive_class_may_be_the_first),
        cmocka_unit_test(damaged_thresholds_are_refused),
        cmocka_unit_test(evaluating_follows_the_threshold),
        cmocka_unit_test(judging_survives_failing_memory),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
