/* test_target.c -- which task, which classes, which numbers. */
#include "pipeline.h"

enum { BOTH = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS };

static smr_status infer(smr_ctx *ctx, const smr_table *t, int64_t n, smr_task forced,
                        unsigned tasks, const char *positive, smr_target *out)
{
    static const int64_t cols[] = {0, 1, 2};
    smr_target_opts opts = {
        .forced = forced, .tasks = tasks, .learner = "sample", .positive = positive};
    return smr_target_infer(ctx, t, cols, n, &opts, out);
}

static smr_task task_of(const char *csv, smr_task forced, unsigned tasks)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, csv);
    smr_target target;
    check_ok(ctx, infer(ctx, t, 1, forced, tasks, NULL, &target));
    smr_task task = target.task;
    smr_target_release(&target);
    smr_table_free(t);
    check_ctx_end(ctx);
    return task;
}

/* A table of whole numbers 0 .. k - 1, each twice. */
static smr_task task_of_k_numbers(int k, double offset)
{
    smr_ctx *ctx = check_ctx(1);
    double y[64];
    smr_table *t = new_table(ctx, 2 * k, 1);
    smr_target target;
    for (int i = 0; i < 2 * k; i++) y[i] = 3.0 * (i % k) - 10 + (i == 1 ? offset : 0);
    put_numbers(ctx, t, 0, "y", y);
    check_ok(ctx, infer(ctx, t, 1, SMR_TASK_NONE, BOTH, NULL, &target));
    smr_task task = target.task;
    smr_target_release(&target);
    smr_table_free(t);
    check_ctx_end(ctx);
    return task;
}

static void text_and_few_whole_numbers_are_classified(void **state)
{
    (void)state;
    assert_int_equal(task_of("y\na\nb\n", SMR_TASK_NONE, BOTH), SMR_TASK_CLASSIFY);
    assert_int_equal(task_of("y,x\n1,1\n0,1\n,3\n", SMR_TASK_NONE, BOTH), SMR_TASK_CLASSIFY);
    assert_int_equal(task_of("y,x\n1,1\n0.5,1\n", SMR_TASK_NONE, BOTH), SMR_TASK_REGRESS);
    assert_int_equal(task_of("y,x\n2024-01-01,1\n2024-01-02,1\n", SMR_TASK_NONE, BOTH),
                     SMR_TASK_REGRESS);
    assert_int_equal(task_of_k_numbers(20, 0), SMR_TASK_CLASSIFY);
    assert_int_equal(task_of_k_numbers(21, 0), SMR_TASK_REGRESS);
    assert_int_equal(task_of_k_numbers(5, 0.25), SMR_TASK_REGRESS);
}

static void a_learner_with_one_task_decides(void **state)
{
    (void)state;
    assert_int_equal(task_of("y,x\n1,1\n0,1\n", SMR_TASK_NONE, SMR_DOES_REGRESS), SMR_TASK_REGRESS);
    assert_int_equal(task_of("y,x\n1,1\n0.5,1\n", SMR_TASK_NONE, SMR_DOES_CLASSIFY),
                     SMR_TASK_CLASSIFY);
}

static int n_warnings;

static void count_warning(void *user, smr_log_level level, const char *message)
{
    (void)user, (void)message;
    n_warnings += level == SMR_LOG_WARNING;
}

/* k different numbers for a learner that only classifies; offset: of one of them. */
static smr_status classes_of_numbers(smr_ctx *ctx, int k, double offset, smr_task forced)
{
    double y[64];
    smr_table *t = new_table(ctx, 2 * k, 1);
    smr_target target = {0};
    for (int i = 0; i < 2 * k; i++) y[i] = 3.0 * (i % k) - 10 + (i == 1 ? offset : 0);
    put_numbers(ctx, t, 0, "y", y);
    smr_status st = infer(ctx, t, 1, forced, SMR_DOES_CLASSIFY, NULL, &target);
    if (st == SMR_OK) smr_target_release(&target);
    smr_table_free(t);
    return st;
}

static void many_numbers_are_doubted_as_classes_and_fractions_refused(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .log = count_warning};
    (void)state;
    n_warnings = 0;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    check_ok(ctx, classes_of_numbers(ctx, 20, 0, SMR_TASK_NONE));
    assert_int_equal(n_warnings, 0);
    check_ok(ctx, classes_of_numbers(ctx, 31, 0, SMR_TASK_CLASSIFY));
    check_ok(ctx, classes_of_numbers(ctx, 31, 0.25, SMR_TASK_CLASSIFY));
    assert_int_equal(n_warnings, 0);
    check_ok(ctx, classes_of_numbers(ctx, 31, 0, SMR_TASK_NONE));
    assert_int_equal(n_warnings, 1);
    check_fails(ctx, classes_of_numbers(ctx, 31, 0.25, SMR_TASK_NONE), SMR_ERR_DATA,
                "the target 'y' holds numbers (-6.75 in row 2), and sample classifies; choose a "
                "learner that predicts numbers, such as linear, or say --task classify");
    check_ctx_end(ctx);
}

static void the_user_may_force_the_task(void **state)
{
    (void)state;
    assert_int_equal(task_of("y,x\n1,1\n0,1\n", SMR_TASK_REGRESS, BOTH), SMR_TASK_REGRESS);
    assert_int_equal(task_of("y,x\n1,1\n0.5,1\n", SMR_TASK_CLASSIFY, BOTH), SMR_TASK_CLASSIFY);
}

static void impossible_tasks_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *numbers = table_of(ctx, "y,z\n1,1.5\n0,2\n"),
              *words = table_of(ctx, "y,z\na,b\nc,d\n");
    smr_target t;
    (void)state;
    check_fails(ctx, infer(ctx, numbers, 1, SMR_TASK_CLASSIFY, SMR_DOES_REGRESS, NULL, &t),
                SMR_ERR_PARAM, "sample does not classify; it predicts numbers");
    check_fails(ctx, infer(ctx, numbers, 1, SMR_TASK_REGRESS, SMR_DOES_CLASSIFY, NULL, &t),
                SMR_ERR_PARAM, "sample does not predict numbers; it classifies");
    check_fails(ctx, infer(ctx, words, 1, SMR_TASK_NONE, SMR_DOES_REGRESS, NULL, &t), SMR_ERR_DATA,
                "the target 'y' holds text, and sample predicts numbers; choose a learner that "
                "classifies, such as logistic or knn");
    check_fails(ctx, infer(ctx, words, 1, SMR_TASK_REGRESS, BOTH, NULL, &t), SMR_ERR_PARAM,
                "the target 'y' holds text");
    check_fails(ctx, infer(ctx, words, 2, SMR_TASK_NONE, BOTH, NULL, &t), SMR_ERR_UNSUPPORTED,
                "several targets are for predicting numbers; 'y' is to be classified");
    check_fails(ctx, infer(ctx, numbers, 2, SMR_TASK_CLASSIFY, BOTH, NULL, &t), SMR_ERR_UNSUPPORTED,
                "several targets are for predicting numbers");
    smr_table_free(numbers);
    smr_table_free(words);
    check_ctx_end(ctx);
}

static void several_targets_are_numbers_even_if_few_and_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "y,z\n1,0\n0,2\n");
    smr_target target;
    (void)state;
    check_ok(ctx, infer(ctx, t, 2, SMR_TASK_NONE, BOTH, NULL, &target));
    assert_int_equal(target.task, SMR_TASK_REGRESS);
    assert_int_equal(target.n, 2);
    assert_string_equal(target.names[0], "y");
    assert_string_equal(target.names[1], "z");
    assert_int_equal(target.classes.n, 0);
    smr_target_release(&target);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_are_sorted_and_the_last_is_positive(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *numbers = table_of(ctx, "y,x\n10,1\n9,2\n-1,3\n10,4\n");
    smr_table *words = table_of(ctx, "y,x\nyes,1\nno,2\n10,3\n9,4\n");
    smr_target t;
    (void)state;
    check_ok(ctx, infer(ctx, numbers, 1, SMR_TASK_NONE, BOTH, NULL, &t));
    assert_int_equal(t.classes.n, 3);
    check_string(&t.classes, 0, "-1");
    check_string(&t.classes, 1, "9");
    check_string(&t.classes, 2, "10");
    assert_int_equal(t.positive, 2);
    smr_target_release(&t);
    check_ok(ctx, infer(ctx, words, 1, SMR_TASK_NONE, BOTH, "no", &t));
    check_string(&t.classes, 0, "10"); /* bytewise: not all are numbers */
    check_string(&t.classes, 1, "9");
    check_string(&t.classes, 3, "yes");
    assert_int_equal(t.positive, 2);
    smr_target_release(&t);
    check_ok(ctx, infer(ctx, numbers, 1, SMR_TASK_NONE, BOTH, "9", &t));
    assert_int_equal(t.positive, 1);
    smr_target_release(&t);
    check_fails(ctx, infer(ctx, words, 1, SMR_TASK_NONE, BOTH, "maybe", &t), SMR_ERR_PARAM,
                "the target 'y' has no class 'maybe' to be the positive one");
    smr_table_free(numbers);
    smr_table_free(words);
    check_ctx_end(ctx);
}

static void nothing_to_tell_apart_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *one = table_of(ctx, "y,x\nspam,1\nspam,2\n,3\n"),
              *number = table_of(ctx, "y,x\n7,1\n7,2\n");
    smr_table *none = new_table(ctx, 3, 1), *no_words = new_table(ctx, 2, 1);
    smr_target t;
    (void)state;
    put_numbers(ctx, none, 0, "y", (double[]){NAN, NAN, NAN});
    put_strings(ctx, no_words, 0, "y", (const char *const[]){NULL, NULL});
    check_fails(ctx, infer(ctx, one, 1, SMR_TASK_NONE, BOTH, NULL, &t), SMR_ERR_DATA,
                "the target 'y' has one class only, 'spam': there is nothing to tell apart");
    check_fails(ctx, infer(ctx, number, 1, SMR_TASK_NONE, BOTH, NULL, &t), SMR_ERR_DATA,
                "the target 'y' is 7 in every row that has one: there is nothing to learn; --task "
                "regress takes it as a number all the same");
    check_fails(ctx, infer(ctx, number, 1, SMR_TASK_NONE, SMR_DOES_CLASSIFY, NULL, &t),
                SMR_ERR_DATA, "every row that has one: there is nothing to learn");
    check_fails(ctx, infer(ctx, number, 1, SMR_TASK_CLASSIFY, BOTH, NULL, &t), SMR_ERR_DATA,
                "has one class only, '7'");
    check_fails(ctx, infer(ctx, none, 1, SMR_TASK_NONE, BOTH, NULL, &t), SMR_ERR_DATA,
                "the target 'y' is missing in all 3 rows");
    check_fails(ctx, infer(ctx, no_words, 1, SMR_TASK_NONE, BOTH, NULL, &t), SMR_ERR_DATA,
                "the target 'y' is missing in all 2 rows");
    smr_table_free(one);
    smr_table_free(number);
    smr_table_free(none);
    smr_table_free(no_words);
    check_ctx_end(ctx);
}

static void labels_are_matched_by_the_class_name(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *a = table_of(ctx, "y,x\n10,1\n9,2\n11,3\n");
    smr_table *b = table_of(ctx, "x,y\n1,11\n2,\n3,9\n4,9\n"), *c = table_of(ctx, "x,y\n1,12\n");
    smr_table *d = table_of(ctx, "x\n1\n2.5\n");
    smr_target t;
    int32_t labels[4];
    (void)state;
    check_ok(ctx, infer(ctx, a, 1, SMR_TASK_NONE, BOTH, NULL, &t));
    check_ok(ctx, smr_target_labels(ctx, &t, a, labels));
    assert_true(labels[0] == 1 && labels[1] == 0 && labels[2] == 2);
    check_ok(ctx, smr_target_labels(ctx, &t, b, labels)); /* not all classes, another order */
    assert_true(labels[0] == 2 && labels[1] == -1 && labels[2] == 0 && labels[3] == 0);
    check_fails(ctx, smr_target_labels(ctx, &t, c, labels), SMR_ERR_DATA,
                "the target 'y' has a class '12' that the model does not know");
    check_fails(ctx, smr_target_labels(ctx, &t, d, labels), SMR_ERR_STATE,
                "t.csv has no column 'y', the model's target");
    assert_true(smr_target_present(&t, b));
    assert_false(smr_target_present(&t, d));
    smr_target_release(&t);
    smr_table_free(a);
    smr_table_free(b);
    smr_table_free(c);
    smr_table_free(d);
    check_ctx_end(ctx);
}

static void values_are_read_row_major(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "y,z\n1.5,-2\n,3\n"), *inf = new_table(ctx, 2, 2);
    smr_table *words = table_of(ctx, "y,z\n1,a\n2,b\n");
    smr_target target;
    double y[4];
    (void)state;
    put_numbers(ctx, inf, 0, "y", (double[]){1, 2});
    put_numbers(ctx, inf, 1, "z", (double[]){1, -INFINITY});
    check_ok(ctx, infer(ctx, t, 2, SMR_TASK_NONE, BOTH, NULL, &target));
    check_ok(ctx, smr_target_values(ctx, &target, t, y));
    assert_true(y[0] == 1.5 && y[1] == -2 && isnan(y[2]) && y[3] == 3);
    check_fails(ctx, smr_target_values(ctx, &target, inf, y), SMR_ERR_DATA,
                "the target 'z' is infinite in row 2");
    check_fails(ctx, smr_target_values(ctx, &target, words, y), SMR_ERR_DATA,
                "the target 'z' holds text where numbers are predicted");
    smr_target_release(&target);
    smr_table_free(t);
    smr_table_free(inf);
    smr_table_free(words);
    check_ctx_end(ctx);
}

/* Infinity is neither a class nor a whole number. */
static void infinite_targets_are_refused_by_row(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 2);
    smr_model *model = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "y", (double[]){1, INFINITY, 2});
    put_numbers(ctx, t, 1, "x", (double[]){1, 2, 3.5});
    check_fails(ctx, try_train(ctx, "knn 1", t, &(smr_set_opts){.target = "y"}, &model),
                SMR_ERR_DATA, "the target 'y' is infinite in row 2");
    assert_null(model);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status infer_and_copy(smr_ctx *ctx, void *table)
{
    smr_target a, b;
    smr_status st = infer(ctx, table, 1, SMR_TASK_NONE, BOTH, NULL, &a);
    if (st != SMR_OK) return st;
    int32_t labels[8];
    st = smr_target_labels(ctx, &a, table, labels);
    if (st == SMR_OK) st = smr_target_copy(ctx, &a, &b);
    if (st == SMR_OK) smr_target_release(&b);
    smr_target_release(&a);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "y,x\n1,1\n0,1\n,3\n");
    (void)state;
    assert_true(fail_each_allocation(ctx, infer_and_copy, t) > 12);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_few_whole_numbers_are_classified),
        cmocka_unit_test(a_learner_with_one_task_decides),
        cmocka_unit_test(many_numbers_are_doubted_as_classes_and_fractions_refused),
        cmocka_unit_test(the_user_may_force_the_task),
        cmocka_unit_test(impossible_tasks_are_refused),
        cmocka_unit_test(several_targets_are_numbers_even_if_few_and_whole),
        cmocka_unit_test(classes_are_sorted_and_the_last_is_positive),
        cmocka_unit_test(nothing_to_tell_apart_is_refused),
        cmocka_unit_test(labels_are_matched_by_the_class_name),
        cmocka_unit_test(values_are_read_row_major),
        cmocka_unit_test(infinite_targets_are_refused_by_row),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
