/* test_train_set.c -- what a table offers for training: targets, weights, groups, usable rows. */
#include "pipeline.h"

static const char table_text[] = "id,x,c,w,g,y\n"
                                 "1,0.5,red,1,a,1.5\n"
                                 "2,,blue,0,b,2.5\n"
                                 "3,1.5,red,2,a,\n"
                                 "4,2.5,,0.5,c,3.5\n"
                                 "5,3.5,blue,0,b,\n"
                                 "6,4.25,red,3,a,0.5\n";

static smr_train_set *make(smr_ctx *ctx, const smr_table *t, const char *sentence,
                           smr_set_opts opts)
{
    smr_train_set *set = NULL;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    return set;
}

static void check_inputs(const smr_train_set *set, const char *names)
{
    char got[256] = "";
    for (int64_t j = 0; j < set->schema.n_inputs; j++) {
        if (j) strcat(got, ",");
        strcat(got, set->schema.inputs[j].name);
    }
    assert_string_equal(got, names);
}

static void check_rows(const smr_train_set *set, int64_t n, const int64_t *rows)
{
    assert_int_equal(set->n_rows, n);
    for (int64_t i = 0; i < n; i++) assert_int_equal(smr_train_set_row(set, i), rows[i]);
}

static void target_weight_group_and_ignored_columns_are_no_inputs(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, table_text);
    smr_train_set *set =
        make(ctx, t, "linear",
             (smr_set_opts){.target = "y", .weight = "w", .group = "g", .ignore = "id"});
    (void)state;
    check_inputs(set, "x,c");
    assert_int_equal(set->target.task, SMR_TASK_REGRESS);
    assert_ptr_equal(set->table, t);
    smr_train_set_free(set);
    set = make(ctx, t, "linear", (smr_set_opts){.target = "last", .ignore = "#3,g"});
    check_inputs(set, "id,x,c");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Where nothing is left out there is no list of rows, and targets that lie in the table as they are
 * wanted are not copied. */
static void what_the_table_says_already_is_not_written_down(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,z,y\n1.5,2,0.25\n2.5,1,0.75\n4,7,0.5\n");
    smr_train_set *set = make(ctx, t, "linear", (smr_set_opts){.target = "y"});
    (void)state;
    assert_null(set->usable);
    check_rows(set, 3, (int64_t[]){0, 1, 2});
    assert_ptr_equal(set->y, t->cols[2].values);
    assert_null(set->owned_y);
    smr_train_set_free(set);
    set = make(ctx, t, "linear", (smr_set_opts){.target = "y", .spend = true});
    assert_ptr_not_equal(set->y, t->cols[2].values); /* which may go before the targets are read */
    assert_true(set->y[0] == 0.25 && set->y[1] == 0.75 && set->y[2] == 0.5);
    smr_train_set_free(set);
    set = make(ctx, t, "linear", (smr_set_opts){.target = "y,z"});
    assert_true(set->y[0] == 0.25 && set->y[1] == 2 && set->y[5] == 7);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rows_without_target_or_weight_are_left_out(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = table_of(ctx, table_text);
    smr_train_set *set = make(ctx, t, "linear", (smr_set_opts){.target = "y", .weight = "w"});
    (void)state;
    check_rows(set, 3, (int64_t[]){0, 3, 5}); /* 1 and 4 weigh nothing, 2 has no target */
    check_heard(&heard, "1 of 6 rows has no target and is left out");
    assert_true(set->weight[5] == 3 && set->weight[1] == 0 && set->y[3] == 3.5);
    assert_true(isnan(set->y[2]));
    smr_train_set_free(set);
    heard = (struct heard){0};
    set = make(ctx, t, "linear", (smr_set_opts){.target = "y"});
    check_rows(set, 4, (int64_t[]){0, 1, 3, 5});
    check_heard(&heard, "2 of 6 rows have no target and are left out");
    assert_null(set->weight);
    smr_train_set_free(set);
    heard = (struct heard){0};
    set = make(ctx, t, "knn 1", (smr_set_opts){.target = "c", .ignore = "y,g"});
    check_rows(set, 5, (int64_t[]){0, 1, 2, 4, 5});
    assert_true(set->label[0] == 1 && set->label[1] == 0 && set->label[3] == -1);
    check_heard(&heard, "1 of 6 rows has no target");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void of_several_targets_all_must_be_there(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b,x\n1.5,2,3\n,1,2\n2,,1\n4.5,4,7\n");
    smr_train_set *set = make(ctx, t, "linear", (smr_set_opts){.target = "b,a"});
    (void)state;
    check_rows(set, 2, (int64_t[]){0, 3});
    assert_int_equal(set->target.n, 2);
    assert_string_equal(set->target.names[0], "b");
    assert_true(set->y[0] == 2 && set->y[1] == 1.5 && set->y[6] == 4 && set->y[7] == 4.5);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void groups_are_numbered(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, table_text), *gap = table_of(ctx, "g,x,y\n1,1,0.5\n,2,1.5\n");
    smr_train_set *set = make(ctx, t, "linear", (smr_set_opts){.target = "y", .group = "g"});
    static const int64_t by_name[] = {0, 1, 0, 2, 1, 0}, by_number[] = {1, 0, 2, 1, 0, 2};
    (void)state;
    for (int i = 0; i < 6; i++) assert_int_equal(set->group[i], by_name[i]);
    smr_train_set_free(set);
    smr_table_free(t);

    t = table_of(ctx, "g,x,y\n50,1,0.5\n-3,2,1.5\n60,3,2\n50,4,1\n-3,2,7\n60,1,1\n");
    set = make(ctx, t, "linear", (smr_set_opts){.target = "y", .group = "g"});
    for (int i = 0; i < 6; i++) assert_int_equal(set->group[i], by_number[i]);
    smr_train_set_free(set);
    smr_table_free(t);
    check_fails(ctx,
                said_set(ctx, gap, "linear", &(smr_set_opts){.target = "y", .group = "g"}, &set),
                SMR_ERR_DATA, "the group in column 'g', row 2 is missing");
    assert_null(set);
    smr_table_free(gap);
    check_ctx_end(ctx);
}

static void bad_weights_are_refused(void **state)
{
    static const struct {
        const char *csv, *part;
    } bad[] = {
        {"w,x,y\n1,1,0.5\n-0.25,2,1.5\n", "the weight in column 'w', row 2 is missing, negative or "
                                          "infinite; weights are numbers >= 0"},
        {"w,x,y\n,1,0.5\n1,2,1.5\n", "the weight in column 'w', row 1 is missing"},
        {"w,x,y\n0,1,0.5\n0,2,1.5\n", "all weights in column 'w' are zero"},
        {"w,x,y\nheavy,1,0.5\nlight,2,1.5\n", "the weights in column 'w' are not numbers"},
        {"w,x,y\n1,1,\n0,2,1.5\n", "no row has both a target and a weight"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        smr_table *t = table_of(ctx, bad[k].csv);
        smr_train_set *set = NULL;
        check_fails(ctx,
                    said_set(ctx, t, "linear", &(smr_set_opts){.target = "y", .weight = "w"}, &set),
                    SMR_ERR_DATA, bad[k].part);
        assert_null(set);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void infinite_weights_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 2, 3);
    smr_train_set *set = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "w", (double[]){1, INFINITY});
    put_numbers(ctx, t, 1, "x", (double[]){1, 2.5});
    put_numbers(ctx, t, 2, "y", (double[]){1, 2.5});
    check_fails(ctx,
                said_set(ctx, t, "linear", &(smr_set_opts){.target = "y", .weight = "w"}, &set),
                SMR_ERR_DATA, "row 2 is missing, negative or infinite");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_learner_needs_a_target(void **state)
{
    static const char *const nothing[] = {NULL, "", ","};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,0.5\n2,1.5\n"),
              *with = table_of(ctx, "x,label\n1,a\n2,b\n");
    smr_train_set *set = NULL;
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_set_opts opts = {.target = nothing[k]};
        check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_PARAM,
                    "linear learns from examples with an answer: name its column with --target (a "
                    "name, a position, or last)");
        assert_null(set);
    }
    set = make(ctx, with, "knn 1", (smr_set_opts){0}); /* a column "label" is the answer */
    assert_string_equal(set->target.names[0], "label");
    check_inputs(set, "x");
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(with);
    check_ctx_end(ctx);
}

static void a_transform_needs_no_target_and_leaves_it_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,0.5\n2,\n2.5,3\n");
    smr_train_set *set = make(ctx, t, "standardize", (smr_set_opts){0});
    (void)state;
    check_inputs(set, "x,y");
    assert_int_equal(set->target.task, SMR_TASK_NONE);
    assert_int_equal(set->n_rows, 3);
    smr_train_set_free(set);
    set = make(ctx, t, "standardize", (smr_set_opts){.target = "y"});
    check_inputs(set, "x");
    assert_int_equal(set->target.n, 0);
    assert_int_equal(set->n_rows, 3); /* nothing is predicted: a gap in y does not matter */
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void unusable_calls_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,0.5\n2,1.5\n"), *empty = new_table(ctx, 0, 1);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y"};
    (void)state;
    put_numbers(ctx, empty, 0, "y", (double[]){0});
    check_fails(ctx, said_set(ctx, t, "linera", &opts, &set), SMR_ERR_PARAM,
                "did you mean 'linear'?");
    check_fails(ctx, said_set(ctx, empty, "linear", &opts, &set), SMR_ERR_DATA,
                "the table has no rows");
    opts.target = "z";
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_PARAM,
                "t.csv has no column 'z'");
    opts = (smr_set_opts){.target = "y", .weight = "ww"};
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_PARAM, "no column 'ww'");
    opts = (smr_set_opts){.target = "y", .group = "gg"};
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_PARAM, "no column 'gg'");
    opts = (smr_set_opts){.target = "y", .ignore = "x,zz"};
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_PARAM, "no column 'zz'");
    opts = (smr_set_opts){.target = "y", .ignore = "x"};
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_DATA,
                "no columns are left to learn from beside the target");
    opts = (smr_set_opts){.target = "x,y"};
    check_fails(ctx, said_set(ctx, t, "linear", &opts, &set), SMR_ERR_DATA, "no columns are left");
    smr_table_free(t);
    smr_table_free(empty);
    check_ctx_end(ctx);
}

/* The hash stands for the values: equal tables agree, one changed value does not. */
static void the_hash_tells_tables_apart(void **state)
{
    static const char *const tables[] = {"x,y\n1,0.5\n2,1.5\n", "x,y\n1,0.5\n2,1.5\n",
                                         "x,y\n1,0.5\n2,1.25\n"};
    smr_ctx *ctx = check_ctx(1);
    char hash[3][33];
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_table *t = table_of(ctx, tables[k]);
        smr_train_set *set = make(ctx, t, "linear", (smr_set_opts){.target = "y"});
        memcpy(hash[k], set->data_hash, 33);
        assert_int_equal(strlen(hash[k]), 32);
        assert_int_equal(strspn(hash[k], "0123456789abcdef"), 32);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    assert_string_equal(hash[0], hash[1]);
    assert_string_not_equal(hash[0], hash[2]);
    check_ctx_end(ctx);
}

static smr_status create(smr_ctx *ctx, void *table)
{
    smr_train_set *set = NULL;
    smr_set_opts opts = {
        .target = "y", .weight = "w", .group = "g", .ignore = "id", .types = "x=category"};
    smr_status st = said_set(ctx, table, "standardize | linear", &opts, &set);
    smr_train_set_free(set);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, table_text);
    (void)state;
    assert_true(fail_each_allocation(ctx, create, t) > 20);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(target_weight_group_and_ignored_columns_are_no_inputs),
        cmocka_unit_test(what_the_table_says_already_is_not_written_down),
        cmocka_unit_test(rows_without_target_or_weight_are_left_out),
        cmocka_unit_test(of_several_targets_all_must_be_there),
        cmocka_unit_test(groups_are_numbered),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(infinite_weights_are_refused),
        cmocka_unit_test(a_learner_needs_a_target),
        cmocka_unit_test(a_transform_needs_no_target_and_leaves_it_out),
        cmocka_unit_test(unusable_calls_are_refused),
        cmocka_unit_test(the_hash_tells_tables_apart),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
