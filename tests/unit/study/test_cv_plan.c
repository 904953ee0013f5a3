/* test_cv_plan.c -- which rows a round fits on and measures on. */
#include "cv_tables.h"
#include "said.h"

struct round {
    int64_t *train, n_train, n_test;
    const int64_t *test;
};

static struct round round_of(smr_ctx *ctx, const smr_cv_plan *plan, int64_t r)
{
    struct round got = {.train = smr_alloc(ctx, smr_cv_most_train(plan), sizeof(int64_t))};
    smr_cv_round(plan, r, got.train, &got.n_train, &got.test, &got.n_test);
    assert_true(got.n_train <= smr_cv_most_train(plan));
    return got;
}

static void check_ascending(const int64_t *rows, int64_t n)
{
    for (int64_t i = 1; i < n; i++) assert_true(rows[i - 1] < rows[i]);
}

/* Every usable row is measured once per repetition, and fitted on in all other rounds. */
static void folds_part_the_usable_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 47);
    ((double *)t->cols[4].values)[9] = NAN; /* rows without a target do not count */
    ((double *)t->cols[4].values)[33] = NAN;
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 6, .repeats = 3});
    int seen[3][47] = {{0}};
    int64_t first_of[3];
    (void)state;
    assert_int_equal(smr_cv_rounds(plan), 18);
    for (int64_t r = 0; r < 18; r++) {
        struct round x = round_of(ctx, plan, r);
        assert_int_equal(x.n_train + x.n_test, 45);
        assert_true(x.n_test == 7 || x.n_test == 8);
        check_ascending(x.train, x.n_train);
        check_ascending(x.test, x.n_test);
        for (int64_t i = 0; i < x.n_test; i++) seen[r / 6][x.test[i]]++;
        for (int64_t i = 0; i < x.n_train; i++) assert_true(x.train[i] != 9 && x.train[i] != 33);
        for (int64_t i = 0, j = 0; i < x.n_train; i++) {
            while (j < x.n_test && x.test[j] < x.train[i]) j++;
            assert_true(j == x.n_test || x.test[j] != x.train[i]);
        }
        if (r % 6 == 0) first_of[r / 6] = x.test[0] * 47 + x.test[1];
        smr_free(x.train);
    }
    for (int64_t rep = 0; rep < 3; rep++)
        for (int64_t i = 0; i < 47; i++) assert_int_equal(seen[rep][i], i != 9 && i != 33);
    assert_true(first_of[0] != first_of[1] || first_of[1] != first_of[2]);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static int64_t count_class(const smr_train_set *set, const struct round *x, int32_t k)
{
    int64_t n = 0;
    for (int64_t i = 0; i < x->n_test; i++) n += set->label[x->test[i]] == k;
    return n;
}

static void classes_are_spread_evenly_unless_told_otherwise(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 203);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    int64_t uneven = 0;
    (void)state;
    for (int strata = 1; strata >= 0; strata--) {
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 7, .no_strata = !strata});
        for (int32_t k = 0; k < 3; k++) {
            int64_t least = 203, most = 0;
            for (int64_t r = 0; r < 7; r++) {
                struct round x = round_of(ctx, plan, r);
                least = SMR_MIN(least, count_class(set, &x, k));
                most = SMR_MAX(most, count_class(set, &x, k));
                smr_free(x.train);
            }
            if (strata) assert_true(most - least <= 1);
            uneven += most - least > 1;
        }
        smr_cv_plan_free(plan);
    }
    assert_true(uneven > 0);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void groups_stay_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 90);
    smr_train_set *set = cv_set(ctx, t, "k", "g", NULL);
    static const smr_cv_kind kinds[] = {SMR_CV_FOLDS, SMR_CV_EACH, SMR_CV_HOLDOUT};
    (void)state;
    for (int64_t kind = 0; kind < SMR_COUNT(kinds); kind++) {
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.kind = kinds[kind]});
        if (kinds[kind] == SMR_CV_EACH) assert_int_equal(smr_cv_rounds(plan), 22);
        for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
            struct round x = round_of(ctx, plan, r);
            for (int64_t i = 0; i < x.n_test; i++)
                for (int64_t j = 0; j < x.n_train; j++)
                    assert_true(set->group[x.test[i]] != set->group[x.train[j]]);
            smr_free(x.train);
        }
        smr_cv_plan_free(plan);
    }
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void order_fits_on_the_past_only(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 41);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    const double *time = t->cols[8].values;
    smr_cv_plan *plan =
        cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_ORDERED, .folds = 5, .time = time});
    int64_t before = 9; /* 41 = 9 + 4 x 8 */
    (void)state;
    assert_int_equal(smr_cv_rounds(plan), 4);
    for (int64_t r = 0; r < 4; r++) {
        struct round x = round_of(ctx, plan, r);
        assert_int_equal(x.n_train, before);
        before += x.n_test;
        for (int64_t i = 0; i < x.n_test; i++)
            for (int64_t j = 0; j < x.n_train; j++) assert_true(time[x.train[j]] < time[x.test[i]]);
        smr_free(x.train);
    }
    assert_int_equal(before, 41);
    smr_cv_plan_free(plan);
    plan = cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_ORDERED, .folds = 3});
    struct round x = round_of(ctx, plan, 1); /* 14, 14, 13 rows in their order */
    assert_int_equal(x.n_train, 28);
    assert_int_equal(x.test[0], 28);
    assert_int_equal(x.test[12], 40);
    smr_free(x.train);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void each_row_is_left_out_once(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 23);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_EACH});
    (void)state;
    assert_int_equal(smr_cv_rounds(plan), 23);
    for (int64_t r = 0; r < 23; r++) {
        struct round x = round_of(ctx, plan, r);
        assert_int_equal(x.n_test, 1);
        assert_int_equal(x.test[0], r);
        assert_int_equal(x.n_train, 22);
        smr_free(x.train);
    }
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_holdout_is_drawn_for_each_repetition(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 60);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_cv_plan *plan =
        cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_HOLDOUT, .holdout = 0.25, .repeats = 4});
    int64_t measured[60] = {0}, twice = 0, never = 0;
    (void)state;
    assert_int_equal(smr_cv_rounds(plan), 4);
    for (int64_t r = 0; r < 4; r++) {
        struct round x = round_of(ctx, plan, r);
        assert_int_equal(x.n_test, 15);
        assert_int_equal(x.n_train, 45);
        for (int64_t i = 0; i < 15; i++) measured[x.test[i]]++;
        smr_free(x.train);
    }
    for (int64_t i = 0; i < 60; i++) {
        twice += measured[i] > 1;
        never += measured[i] == 0;
    }
    assert_true(twice > 0 && never > 0); /* drawn anew each time, unlike folds */
    assert_true(never < 45);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A plan is a function of the set, the options and the seed. */
static void the_seed_decides(void **state)
{
    int64_t first[3][8];
    (void)state;
    for (int s = 0; s < 3; s++) {
        smr_ctx *ctx = check_ctx(s == 1 ? 7 : 1);
        ctx->seed = s == 2 ? 99 : 5;
        smr_table *t = cv_table(ctx, 40);
        smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){0});
        struct round x = round_of(ctx, plan, 0);
        assert_int_equal(smr_cv_rounds(plan), 5);
        assert_int_equal(x.n_test, 8);
        memcpy(first[s], x.test, sizeof first[s]);
        smr_free(x.train);
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    assert_memory_equal(first[0], first[1], sizeof first[0]);
    assert_memory_not_equal(first[0], first[2], sizeof first[0]);
}

static void impossible_plans_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 20);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_train_set *grouped = cv_set(ctx, t, "y", "g", NULL);
    smr_cv_plan *plan = NULL;
    (void)state;
#define REFUSED(set_, status, part, ...)                                                        \
    check_fails(ctx, smr_cv_plan_create(ctx, set_, &(smr_cv_opts){__VA_ARGS__}, &plan), status, \
                part)
    REFUSED(set, SMR_ERR_PARAM, "1 fold: at least 2 are needed", .folds = 1);
    REFUSED(set, SMR_ERR_PARAM, "-3 folds: at least 2 are needed", .folds = -3);
    REFUSED(set, SMR_ERR_DATA, "21 folds cannot be made of 20 rows; ask for at most 20",
            .folds = 21);
    REFUSED(set, SMR_ERR_PARAM, "repeats: at least 1", .repeats = -1);
    REFUSED(set, SMR_ERR_PARAM, "leave out repeats", .kind = SMR_CV_EACH, .repeats = 2);
    REFUSED(set, SMR_ERR_PARAM, "order of time are the same every time", .kind = SMR_CV_ORDERED,
            .repeats = 2);
    REFUSED(set, SMR_ERR_DATA, "21 folds cannot be made of 20 rows", .kind = SMR_CV_ORDERED,
            .folds = 21);
    REFUSED(set, SMR_ERR_PARAM, "the share held out lies between 0 and 1", .kind = SMR_CV_HOLDOUT,
            .holdout = 1);
    REFUSED(grouped, SMR_ERR_PARAM, "may divide a group", .kind = SMR_CV_ORDERED);
    REFUSED(grouped, SMR_ERR_DATA, "6 folds cannot be made of 5 groups; ask for at most 5",
            .folds = 6);
#undef REFUSED
    smr_train_set_free(set);
    smr_train_set_free(grouped);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_rare_class_is_told_by_name_and_once(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = table_of(ctx, "x,k\n1,ash\n2,ash\n3,ash\n4,ash\n5,elm\n6,elm\n7,oak\n8,ash\n");
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 3, .repeats = 4});
    assert_int_equal(heard.n, 2);
    check_heard(&heard, "class 'elm' has 2 rows for 3 folds: some folds have none of it, and "
                        "measures that need it are undefined there; use fewer folds");
    check_heard(&heard, "class 'oak' has 1 row for 3 folds");
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status plan_once(smr_ctx *ctx, void *arg)
{
    smr_cv_plan *plan = NULL;
    double time[30];
    for (int64_t i = 0; i < 30; i++) time[i] = (double)(i * 7 % 11);
    smr_cv_opts how[] = {{.repeats = 2}, {.kind = SMR_CV_ORDERED, .time = time}};
    for (int64_t i = 0; i < SMR_COUNT(how); i++) {
        smr_status st = smr_cv_plan_create(ctx, arg, &how[i], &plan);
        smr_cv_plan_free(plan);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 30);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    (void)state;
    assert_true(fail_each_allocation(ctx, plan_once, set) > 15);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_part_the_usable_rows),
        cmocka_unit_test(classes_are_spread_evenly_unless_told_otherwise),
        cmocka_unit_test(groups_stay_whole),
        cmocka_unit_test(order_fits_on_the_past_only),
        cmocka_unit_test(each_row_is_left_out_once),
        cmocka_unit_test(a_holdout_is_drawn_for_each_repetition),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(impossible_plans_are_refused),
        cmocka_unit_test(a_rare_class_is_told_by_name_and_once),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
