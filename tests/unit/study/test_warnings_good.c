/* Scores that are too good, rows in order of time, and which way to move a threshold. */
#include "pipeline.h"

#include "data/read.h"
#include "study/evaluate.h"
#include "study/holdout.h"
#include "study/warnings.h"

enum { ROWS = 173 };

struct found {
    smr_json_doc *doc;
    smr_json *advice;
};

static struct found begin(smr_ctx *ctx)
{
    struct found f = {0};
    check_ok(ctx, smr_json_create(ctx, &f.doc));
    f.advice = smr_json_add_array(smr_json_root(f.doc), "advice");
    return f;
}

static smr_train_set *set_of(smr_ctx *ctx, const smr_table *t, const char *group)
{
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .group = group, .keep_all = true};
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    return set;
}

/* Is something said about these figures?  Its words, or NULL; valid as long as `f`. */
static const char *said(smr_ctx *ctx, const smr_train_set *set, double left, int64_t n,
                        struct found *f)
{
    if (f->doc) smr_json_free(f->doc);
    *f = begin(ctx);
    check_ok(ctx, smr_advise_set_too_good(ctx, set, left, n, f->advice));
    if (!f->advice->n) return NULL;
    assert_int_equal(f->advice->n, 1);
    assert_string_equal(smr_json_get_string(f->advice->first, "kind", ""), "too_good");
    return smr_json_get_string(f->advice->first, "message", "");
}

/* y = p + q beside three columns of noise; p - q would do as well for none of them. */
static smr_table *sum_table(smr_ctx *ctx)
{
    static const char *const names[] = {"u", "p", "v", "q", "w"};
    double x[ROWS], y[ROWS] = {0};
    smr_table *t = new_table(ctx, ROWS, 6);
    for (int64_t j = 0; j < 5; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            x[i] = noise(i, j) * (j == 1 ? 2 : 1);
            if (j == 1 || j == 3) y[i] += x[i];
        }
        put_numbers(ctx, t, j, names[j], x);
    }
    put_numbers(ctx, t, 5, "y", y);
    return t;
}

static void the_terms_of_a_sum_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = sum_table(ctx);
    smr_train_set *set = set_of(ctx, t, NULL);
    struct found f = {0};
    (void)state;
    const char *words = said(ctx, set, 0, ROWS, &f);
    assert_non_null(words);
    assert_non_null(strstr(words, "r2 is 1 on 173 rows"));
    assert_non_null(strstr(words, "'p' and 'q' together give 'y'"));
    assert_non_null(strstr(words, "--ignore p,q"));
    words = said(ctx, set, 0.0009, ROWS, &f);
    assert_non_null(words);
    assert_non_null(strstr(words, "r2 is above 0.999"));
    assert_null(said(ctx, set, 0.0011, ROWS, &f));
    assert_null(said(ctx, set, 0, 29, &f));
    assert_null(said(ctx, set, NAN, ROWS, &f));
    smr_json_free(f.doc);
    f = begin(ctx); /* one explanation is enough */
    smr_advise(ctx, f.advice, "leakage", "p", "a column that is suspected already");
    check_ok(ctx, smr_advise_set_too_good(ctx, set, 0, ROWS, f.advice));
    assert_int_equal(f.advice->n, 1);
    smr_json_free(f.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Classes by the sign of p + q; `strong` of the six columns are such a sum with some noise. */
static smr_table *class_table(smr_ctx *ctx, int64_t strong)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    const char *label[ROWS];
    double x[ROWS];
    smr_table *t = new_table(ctx, ROWS, 7);
    for (int64_t i = 0; i < ROWS; i++) label[i] = noise(i, 50) > 0 ? "up" : "down";
    for (int64_t j = 0; j < 6; j++) {
        for (int64_t i = 0; i < ROWS; i++)
            x[i] = noise(i, j) * (j < strong ? 0.2 : 1) + (j < strong ? noise(i, 50) : 0);
        put_numbers(ctx, t, j, names[j], x);
    }
    put_strings(ctx, t, 6, "y", label);
    return t;
}

static void a_column_that_stands_out_is_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t strong = 0; strong <= 6; strong++) {
        smr_table *t = class_table(ctx, strong);
        smr_train_set *set = set_of(ctx, t, NULL);
        struct found f = {0};
        const char *words = said(ctx, set, 0, ROWS, &f);
        if (strong == 0 || strong >= 3)
            assert_null(words); /* nothing stands out, or classes that are easy */
        else
            assert_non_null(words);
        if (words) assert_non_null(strstr(words, "none of 173 rows"));
        if (strong == 1) {
            assert_non_null(strstr(words, "look at 'a' first"));
            assert_string_equal(smr_json_get_string(f.advice->first, "column", ""), "a");
        }
        assert_null(said(ctx, set, 1.0 / ROWS, ROWS, &f));
        smr_json_free(f.doc);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Some of these parts are predicted without a mistake: of iris and wine. */
static void classic_tables_are_believed(void **state)
{
    static const char *const files[] = {"iris", "wine", "breast_cancer", "diabetes", "digits"};
    smr_ctx *ctx = check_ctx(1);
    int64_t perfect = 0;
    double share = 0.25;
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(files); k++) {
        char path[256];
        smr_table *t = NULL;
        smr_train_set *set = NULL;
        smr_set_opts opts = {.target = "last"};
        snprintf(path, sizeof path, "data/%s.csv", files[k]);
        check_ok(ctx, smr_table_read(ctx, path, &(smr_read_opts){.header = -1}, &t));
        check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct found f = begin(ctx);
            smr_parts parts = {0};
            smr_model *m = NULL;
            ctx->seed = seed;
            check_ok(ctx, smr_set_holdout(ctx, set, &share, 1, &parts));
            check_ok(ctx, said_fit(ctx, "standardize | knn", set, smr_part_rows(&parts, 0),
                                   smr_part_size(&parts, 0), &m));
            smr_sample sample = {
                .table = t, .rows = smr_part_rows(&parts, 1), .n_rows = smr_part_size(&parts, 1)};
            smr_judging how = {.advice = f.advice, .unseen = true};
            check_ok(ctx, smr_judge(ctx, m, &sample, &how, smr_json_root(f.doc)));
            const smr_json *measures = smr_json_get(smr_json_root(f.doc), "measures");
            perfect += smr_json_get_number(measures, "error", 1) == 0;
            if (smr_advised(f.advice, "too_good")) fail_msg("%s, seed %d", files[k], (int)seed);
            smr_model_free(m);
            smr_parts_release(&parts);
            smr_json_free(f.doc);
        }
        smr_train_set_free(set);
        smr_table_free(t);
    }
    assert_true(perfect > 0);
    check_ctx_end(ctx);
}

/* ---- order of time ----------------------------------------------------------------------- */

/* Days in the order that `place` gives, two rows per day. */
static smr_table *dated(smr_ctx *ctx, int64_t n, int64_t factor)
{
    smr_text csv = {.ctx = ctx};
    smr_text_add(&csv, "day,g,x,y\n");
    for (int64_t i = 0; i < n; i++) {
        int day = (int)((i * factor % n) / 2);
        smr_text_printf(&csv, "2021-%02d-%02d,%d,%d,%s\n", 1 + day / 28, 1 + day % 28, (int)(i % 9),
                        (int)(i * 37 % 101), i % 3 ? "a" : "b");
    }
    check_ok(ctx, smr_text_done(&csv));
    smr_table *t = table_of(ctx, csv.bytes);
    smr_text_release(&csv);
    return t;
}

static bool says_order(smr_ctx *ctx, smr_table *t, const char *group)
{
    struct found f = begin(ctx);
    smr_train_set *set = set_of(ctx, t, group);
    smr_advise_order(ctx, set, "--order-by", f.advice);
    bool told = smr_advised(f.advice, "time_order");
    if (told) {
        assert_string_equal(smr_json_get_string(f.advice->first, "column", ""), "day");
        assert_non_null(
            strstr(smr_json_get_string(f.advice->first, "message", ""), "in time order by 'day'"));
    }
    smr_json_free(f.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    return told;
}

static void rows_in_order_of_a_date_are_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(says_order(ctx, dated(ctx, 102, 1), NULL));
    assert_true(says_order(ctx, dated(ctx, 102, 101), NULL)); /* the latest first */
    assert_false(says_order(ctx, dated(ctx, 102, 29), NULL)); /* shuffled */
    assert_false(says_order(ctx, dated(ctx, 102, 1), "g"));   /* parts were thought about */
    assert_false(says_order(ctx, dated(ctx, 18, 1), NULL));   /* few rows */
    check_ctx_end(ctx);
}

/* ---- constant predictions ---------------------------------------------------------------- */

static void a_constant_prediction_says_which_way_the_threshold_goes(void **state)
{
    static const int32_t label[] = {0, 1, 1, 0, 1, 0, 0};
    static const int32_t said_as[2][7] = {{0}, {1, 1, 1, 1, 1, 1, 1}};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t positive = -1; positive < 2; positive++)
        for (int64_t k = 0; k < 2; k++) {
            struct found f = begin(ctx);
            smr_classify_input in = {.n = 7,
                                     .n_classes = 2,
                                     .label = label,
                                     .predicted = said_as[k],
                                     .positive = positive};
            check_ok(ctx, smr_advise_classified(ctx, &in, false, f.advice));
            const char *words = smr_json_get_string(f.advice->first, "message", "");
            bool all_positive = k == (positive < 0 ? 1 : positive);
            assert_non_null(strstr(words, all_positive ? "a higher --thr" : "a lower --thr"));
            smr_json_free(f.doc);
        }
    check_ctx_end(ctx);
}

/* ---- memory ------------------------------------------------------------------------------ */

static smr_status advise_good(smr_ctx *ctx, void *arg)
{
    const smr_train_set *set = arg;
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    smr_json *advice = smr_json_add_array(smr_json_root(doc), "advice");
    st = smr_json_done(doc);
    if (st == SMR_OK) st = smr_advise_set_too_good(ctx, set, 0, ROWS, advice);
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void failing_memory_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        smr_table *t = kind ? class_table(ctx, 1) : sum_table(ctx);
        smr_train_set *set = set_of(ctx, t, NULL);
        assert_true(fail_each_allocation(ctx, advise_good, set) > 5);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terms_of_a_sum_are_named),
        cmocka_unit_test(a_column_that_stands_out_is_named),
        cmocka_unit_test(classic_tables_are_believed),
        cmocka_unit_test(rows_in_order_of_a_date_are_told),
        cmocka_unit_test(a_constant_prediction_says_which_way_the_threshold_goes),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
