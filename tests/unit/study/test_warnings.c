/* Findings about data and predictions: each is given where it should be, and none on the classic
 * tables. */
#include "pipeline.h"

#include "data/read.h"
#include "study/holdout.h"
#include "study/warnings.h"

enum { ROWS = 240 };

/* Findings as one line of kinds: "leakage imbalance". */
struct found {
    smr_json_doc *doc;
    smr_json *advice;
    char kinds[256];
};

static struct found begin(smr_ctx *ctx)
{
    struct found f = {0};
    check_ok(ctx, smr_json_create(ctx, &f.doc));
    f.advice = smr_json_add_array(smr_json_root(f.doc), "advice");
    return f;
}

static const char *kinds_of(struct found *f)
{
    f->kinds[0] = '\0';
    for (const smr_json *a = f->advice->first; a; a = a->next) {
        size_t used = strlen(f->kinds);
        snprintf(f->kinds + used, sizeof f->kinds - used, "%s%s", used ? " " : "",
                 smr_json_get_string(a, "kind", ""));
        assert_true(strlen(smr_json_get_string(a, "message", "")) > 20);
    }
    return f->kinds;
}

static smr_train_set *set_of(smr_ctx *ctx, const smr_table *t, const char *target)
{
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = target, .keep_all = true};
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    return set;
}

/* What smr_advise_set finds in a table with target "y". */
static void check_set(smr_ctx *ctx, smr_table *t, const char *kinds, const char *column)
{
    struct found f = begin(ctx);
    smr_train_set *set = set_of(ctx, t, "y");
    check_ok(ctx, smr_advise_set(ctx, set, f.advice));
    assert_string_equal(kinds_of(&f), kinds);
    if (column) assert_string_equal(smr_json_get_string(f.advice->first, "column", ""), column);
    smr_train_set_free(set);
    smr_json_free(f.doc);
    smr_table_free(t);
}

/* Noise in "a", labels in "y", and a third column. */
static smr_table *base_table(smr_ctx *ctx, const double *number, const char *const *category,
                             double share)
{
    const char *label[ROWS];
    double a[ROWS];
    smr_table *t = new_table(ctx, ROWS, 3);
    for (int64_t i = 0; i < ROWS; i++) {
        a[i] = noise(i, 1);
        label[i] = (double)(i * 7 % ROWS) < share * ROWS ? "yes" : "no";
    }
    put_numbers(ctx, t, 0, "a", a);
    put_strings(ctx, t, 1, "y", label);
    if (number)
        put_numbers(ctx, t, 2, "x", number);
    else
        put_strings(ctx, t, 2, "x", category);
    return t;
}

static bool is_yes(int64_t i, double share)
{
    return (double)(i * 7 % ROWS) < share * ROWS;
}

static void a_column_that_knows_the_answer_is_a_suspect(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double exact[ROWS], close[ROWS], loose[ROWS], down[ROWS];
    const char *level[ROWS], *mixed[ROWS], *own[ROWS];
    static char names[ROWS][8];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        bool yes = is_yes(i, 0.4);
        exact[i] = yes ? 5 : 3;
        close[i] = noise(i, 2) + (yes ? 1.95 : 0); /* the ranges just overlap */
        down[i] = noise(i, 2) - (yes ? 1.95 : 0);
        loose[i] = noise(i, 2) + (yes ? 1 : 0);
        level[i] = yes ? "q" : i % 2 ? "r" : "s";
        mixed[i] = i % 20 == 0 ? "q" : level[i];
        snprintf(names[i], sizeof names[i], "n%d", (int)i);
        own[i] = names[i];
    }
    check_set(ctx, base_table(ctx, exact, NULL, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, close, NULL, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, down, NULL, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, loose, NULL, 0.4), "", NULL);
    check_set(ctx, base_table(ctx, NULL, level, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, NULL, mixed, 0.4), "", NULL);
    check_set(ctx, base_table(ctx, NULL, own, 0.4), "", NULL); /* a level per row knows nothing */
    check_ctx_end(ctx);
}

/* One class of three set apart raises no suspicion; all three do. */
static void every_pair_of_classes_must_be_told_apart(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const names[] = {"p", "q", "r"};
    (void)state;
    for (int all = 0; all < 2; all++) {
        const char *label[ROWS];
        double x[ROWS];
        smr_table *t = new_table(ctx, ROWS, 2);
        for (int64_t i = 0; i < ROWS; i++) {
            label[i] = names[i % 3];
            x[i] = noise(i, 1) + 3 * (all ? (double)(i % 3) : (double)(i % 3 == 2));
        }
        put_numbers(ctx, t, 0, "x", x);
        put_strings(ctx, t, 1, "y", label);
        check_set(ctx, t, all ? "leakage" : "", NULL);
    }
    check_ctx_end(ctx);
}

static void easy_classes_are_no_suspicion(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const char *label[ROWS];
    double x[3][ROWS];
    smr_table *t = new_table(ctx, ROWS, 4);
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        label[i] = i % 3 ? "p" : "q";
        for (int64_t c = 0; c < 3; c++) x[c][i] = noise(i, c) + (c < 2 && i % 3 ? 4 : 0);
    }
    put_numbers(ctx, t, 0, "a", x[0]);
    put_numbers(ctx, t, 1, "b", x[1]);
    put_numbers(ctx, t, 2, "c", x[2]);
    put_strings(ctx, t, 3, "y", label);
    check_set(ctx, t, "", NULL);
    check_ctx_end(ctx);
}

static void a_number_that_moves_with_the_target_is_a_suspect(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int leaks = 0; leaks < 2; leaks++) {
        double x[ROWS], y[ROWS];
        smr_table *t = new_table(ctx, ROWS, 2);
        for (int64_t i = 0; i < ROWS; i++) {
            y[i] = noise(i, 1) * 17.5 + 0.123;
            x[i] = -2.5 * y[i] + (leaks ? 0.1 : 12) * noise(i, 2);
        }
        put_numbers(ctx, t, 0, "x", x);
        put_numbers(ctx, t, 1, "y", y);
        check_set(ctx, t, leaks ? "leakage" : "", leaks ? "x" : NULL);
    }
    check_ctx_end(ctx);
}

/* What is filled in for one class only knows it, whatever the values are; gaps elsewhere do not
 * hide a column that knows the answer where it is there. */
static void missing_values_may_know_the_answer(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double filled[ROWS], mostly[ROWS], gaps[ROWS];
    const char *level[ROWS], *holes[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        bool yes = is_yes(i, 0.4);
        filled[i] = yes ? noise(i, 2) : NAN;
        mostly[i] = yes == (i % 11 > 0) ? noise(i, 2) : NAN;
        gaps[i] = i % 4 == 0 ? NAN : yes ? 5 : 3;
        level[i] = !yes ? NULL : i % 2 ? "r" : "s";
        holes[i] = i % 4 == 0 ? NULL : yes ? "r" : "s";
    }
    check_set(ctx, base_table(ctx, filled, NULL, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, mostly, NULL, 0.4), "", NULL);
    check_set(ctx, base_table(ctx, gaps, NULL, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, NULL, level, 0.4), "leakage", "x");
    check_set(ctx, base_table(ctx, NULL, holes, 0.4), "leakage", "x");
    check_ctx_end(ctx);
}

/* The logarithm of the target, some of it missing: r is about 0.8, the ranks are the same. */
static void a_number_that_rises_with_the_target_is_a_suspect(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int leaks = 0; leaks < 2; leaks++) {
        double x[ROWS], y[ROWS], a[ROWS];
        smr_table *t = new_table(ctx, ROWS, 3);
        for (int64_t i = 0; i < ROWS; i++) {
            double u = 2.5 * noise(i, 1);
            a[i] = noise(i, 3);
            y[i] = exp(u);
            x[i] = i % 9 == 0 ? NAN : -3 * u + (leaks ? 0 : 0.4) * noise(i, 2);
        }
        put_numbers(ctx, t, 0, "x", x);
        put_numbers(ctx, t, 1, "y", y);
        put_numbers(ctx, t, 2, "a", a);
        check_set(ctx, t, leaks ? "leakage" : "", leaks ? "x" : NULL);
    }
    check_ctx_end(ctx);
}

static void a_rare_class_is_told_with_the_baseline(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    double x[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) x[i] = noise(i, 2);
    check_set(ctx, base_table(ctx, x, NULL, 0.05), "imbalance", NULL);
    check_heard(&heard, "always answering 'no' would be right for 95 % of the rows");
    check_set(ctx, base_table(ctx, x, NULL, 0.2), "", NULL);
    check_ctx_end(ctx);
}

/* 40 of 240 rows come in pairs that differ in the answer alone: 20 of them are lost for sure. */
static void equal_rows_with_other_answers_bound_the_accuracy(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    const char *label[ROWS];
    double a[ROWS], y[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t from = i < 40 ? i / 2 : i;
        a[i] = noise(from, 1);
        label[i] = i % 2 ? "p" : "q";
        y[i] = noise(i, 5) * 31.7;
    }
    smr_table *t = new_table(ctx, ROWS, 2);
    put_numbers(ctx, t, 0, "a", a);
    put_strings(ctx, t, 1, "y", label);
    check_set(ctx, t, "conflicts", NULL);
    check_heard(&heard, "40 rows (16.7 %)");
    check_heard(&heard, "right for more than 91.7 %");
    t = new_table(ctx, ROWS, 2);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "y", y);
    check_set(ctx, t, "conflicts", NULL);
    check_heard(&heard, "reaches an r2 above");
    check_ctx_end(ctx);
}

static void more_features_than_rows_are_told(void **state)
{
    enum { N = 24, D = 30 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, D + 1);
    (void)state;
    for (int64_t j = 0; j <= D; j++) {
        double x[N];
        char name[8];
        for (int64_t i = 0; i < N; i++) x[i] = noise(i, j) + 0.001 * (double)(i * j);
        snprintf(name, sizeof name, "%s%d", j == D ? "y" : "x", (int)j);
        if (j == D) name[1] = '\0';
        put_numbers(ctx, t, j, name, x);
    }
    check_set(ctx, t, "wide", NULL);
    check_ctx_end(ctx);
}

/* ---- two parts -------------------------------------------------------------------------- */

static void check_parts(smr_ctx *ctx, const smr_train_set *set, const smr_table *other,
                        int64_t n_train, const char *kinds)
{
    int64_t train[ROWS], test[ROWS], n_test = 0;
    struct found f = begin(ctx);
    for (int64_t i = 0; i < ROWS; i++) *(i < n_train ? &train[i] : &test[n_test++]) = i;
    smr_advice_parts parts = {.set = set,
                              .train = other ? NULL : train,
                              .n_train = n_train,
                              .test_table = other,
                              .test = other ? NULL : test,
                              .n_test = n_test};
    check_ok(ctx, smr_advise_parts(ctx, &parts, f.advice));
    assert_string_equal(kinds_of(&f), kinds);
    smr_json_free(f.doc);
}

static void copies_across_the_parts_are_counted(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    double x[ROWS], a[ROWS], y[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t from = i >= 200 && i % 4 == 0 ? i - 200 : i; /* 10 of the last 40 are copies */
        x[i] = noise(from, 2);
        a[i] = from % 9 == 0 ? NAN : noise(from, 1);
        y[i] = noise(i, 3);
    }
    smr_table *t = new_table(ctx, ROWS, 3);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "a", a);
    put_numbers(ctx, t, 2, "y", y);
    smr_train_set *set = set_of(ctx, t, "y");
    check_parts(ctx, set, NULL, 200, "duplicates");
    check_heard(&heard, "10 of the 40 measured rows (25 %)");
    check_parts(ctx, set, t, ROWS, "duplicates"); /* the same table as test: all of it */
    check_heard(&heard, "240 of the 240 measured rows (100 %)");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Where equal rows are the rule (one column of three values) they say nothing. */
static void few_values_are_no_copies(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double x[ROWS], y[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = (double)(i % 3);
        y[i] = noise(i, 3);
    }
    smr_table *t = new_table(ctx, ROWS, 2);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "y", y);
    smr_train_set *set = set_of(ctx, t, "y");
    check_parts(ctx, set, NULL, 200, "");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void parts_that_differ_are_told(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    const char *label[ROWS];
    double far[ROWS], gaps[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        far[i] = noise(i, 1) + (i >= 200 && i % 8 == 0 ? 9 : 0);
        gaps[i] = i >= 200 && i % 2 ? NAN : noise(i, 2);
        label[i] = i >= 200 && i % 5 == 0 ? "late" : i % 3 ? "p" : i < 200 ? "early" : "p";
    }
    smr_table *t = new_table(ctx, ROWS, 3);
    put_numbers(ctx, t, 0, "far", far);
    put_numbers(ctx, t, 1, "gaps", gaps);
    put_strings(ctx, t, 2, "y", label);
    smr_train_set *set = set_of(ctx, t, "y");
    check_parts(ctx, set, NULL, 200, "no_rows no_rows extrapolation missing");
    check_heard(&heard, "the class 'early' has no rows in the measured part");
    check_heard(&heard, "the class 'late' has no rows in the fitted part");
    check_heard(&heard, "12.5 % of the measured values of 'far' lie outside");
    check_heard(&heard, "'gaps' is missing in 0 % of the fitted rows and in 50 %");
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- predictions ------------------------------------------------------------------------ */

static void predictions_that_tell_nothing_are_told(void **state)
{
    static const int32_t label[] = {0, 1, 1, 0, 1, 0}, same[] = {1, 1, 1, 1, 1, 1};
    static const double y[] = {1, 2, 3, 4}, f[] = {2.5, 2.5, 2.5, 2.5};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    struct found found = begin(ctx);
    smr_classify_input in = {
        .n = 6, .n_classes = 3, .label = label, .predicted = same, .positive = -1};
    smr_regress_input numbers = {.n = 4, .n_outputs = 1, .y = y, .predicted = f};
    (void)state;
    check_ok(ctx, smr_advise_classified(ctx, &in, true, found.advice));
    assert_string_equal(kinds_of(&found), "constant tiny_test no_rows");
    check_heard(&heard, "between 18.8 % and 81.2 %"); /* Wilson, 3 of 6 */
    smr_json_free(found.doc);
    found = begin(ctx);
    check_ok(ctx, smr_advise_regressed(ctx, &numbers, found.advice));
    assert_string_equal(kinds_of(&found), "constant tiny_test");
    smr_json_free(found.doc);
    check_ctx_end(ctx);
}

static void the_fitted_table_is_known_again(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,a\n2,b\n3,a\n4.5,b\n"), *other;
    smr_model *m = train_on(ctx, "knn 1", t, "y");
    struct found f = begin(ctx);
    (void)state;
    other = table_of(ctx, "x,y\n1,a\n2,b\n3,a\n4.25,b\n");
    check_ok(ctx, smr_advise_same_data(ctx, m, other, NULL, f.advice));
    assert_string_equal(kinds_of(&f), "");
    check_ok(ctx, smr_advise_same_data(ctx, m, t, NULL, f.advice));
    assert_string_equal(kinds_of(&f), "training_rows");
    smr_json_free(f.doc);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(other);
    check_ctx_end(ctx);
}

/* ---- the classic tables ----------------------------------------------------------------- */

static void classic_tables_raise_no_alarm(void **state)
{
    static const char *const files[] = {"iris", "wine", "breast_cancer", "diabetes", "digits"};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    int64_t read = 0;
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(files); k++) {
        char path[256];
        smr_table *t = NULL;
        smr_train_set *set = NULL;
        smr_parts parts = {0};
        double share = 0.2;
        smr_set_opts opts = {.target = "last"};
        struct found f = begin(ctx);
        snprintf(path, sizeof path, "data/%s.csv", files[k]);
        check_ok(ctx, smr_table_read(ctx, path, &(smr_read_opts){.header = -1}, &t));
        check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
        check_ok(ctx, smr_advise_set(ctx, set, f.advice));
        for (uint64_t seed = 0; seed < 20; seed++) {
            ctx->seed = seed;
            check_ok(ctx, smr_set_holdout(ctx, set, &share, 1, &parts));
            smr_advice_parts both = {.set = set,
                                     .train = smr_part_rows(&parts, 0),
                                     .n_train = smr_part_size(&parts, 0),
                                     .test = smr_part_rows(&parts, 1),
                                     .n_test = smr_part_size(&parts, 1)};
            check_ok(ctx, smr_advise_parts(ctx, &both, f.advice));
            smr_parts_release(&parts);
        }
        if (f.advice->n) fail_msg("%s: %s", files[k], heard.text);
        read++;
        smr_json_free(f.doc);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    assert_int_equal(read, 5);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static smr_status advise_all(smr_ctx *ctx, void *arg)
{
    const smr_train_set *set = arg;
    smr_json_doc *doc = NULL;
    int64_t half = set->n_rows / 2, rows[ROWS];
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < set->n_rows; i++) rows[i] = i;
    smr_json *advice = smr_json_add_array(smr_json_root(doc), "advice");
    smr_advice_parts parts = {
        .set = set, .train = rows, .n_train = half, .test = rows + half, .n_test = half};
    st = smr_json_done(doc);
    if (st == SMR_OK) st = smr_advise_set(ctx, set, advice);
    if (st == SMR_OK) st = smr_advise_parts(ctx, &parts, advice);
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void failing_memory_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const char *level[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) level[i] = is_yes(i, 0.4) ? "q" : "r";
    smr_table *t = base_table(ctx, NULL, level, 0.4);
    smr_train_set *set = set_of(ctx, t, "y");
    assert_true(fail_each_allocation(ctx, advise_all, set) > 20);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_knows_the_answer_is_a_suspect),
        cmocka_unit_test(every_pair_of_classes_must_be_told_apart),
        cmocka_unit_test(easy_classes_are_no_suspicion),
        cmocka_unit_test(a_number_that_moves_with_the_target_is_a_suspect),
        cmocka_unit_test(missing_values_may_know_the_answer),
        cmocka_unit_test(a_number_that_rises_with_the_target_is_a_suspect),
        cmocka_unit_test(a_rare_class_is_told_with_the_baseline),
        cmocka_unit_test(equal_rows_with_other_answers_bound_the_accuracy),
        cmocka_unit_test(more_features_than_rows_are_told),
        cmocka_unit_test(copies_across_the_parts_are_counted),
        cmocka_unit_test(few_values_are_no_copies),
        cmocka_unit_test(parts_that_differ_are_told),
        cmocka_unit_test(predictions_that_tell_nothing_are_told),
        cmocka_unit_test(the_fitted_table_is_known_again),
        cmocka_unit_test(classic_tables_raise_no_alarm),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
