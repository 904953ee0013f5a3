/* test_explain_proximity.c -- which rows a model of trees takes to be alike. */
#include "pipeline.h"

#include "learn/model_trees.h"
#include "study/explain.h"

#include <math.h>

enum { N = 83 };

/* Two clouds, three rows that are the same, and one with the other cloud's class. */
static smr_table *make_rows(smr_ctx *ctx, char without)
{
    smr_text csv = {.ctx = ctx};
    smr_text_add(&csv, without == 'k' ? "a,b,y\n" : without == 'y' ? "a,b,k\n" : "a,b,y,k\n");
    for (int i = 0; i < N; i++) {
        int a = i * 37 % 41 + (i % 2 ? 60 : 0), b = i * i * 13 % 53;
        bool is_odd = i == 40;
        if (i % 10 == 6 && i < 30) a = 77, b = 20; /* rows 7, 17, 27 */
        smr_text_printf(&csv, "%d,%d", a, b);
        if (without != 'y') smr_text_printf(&csv, ",%d.5", a + b / 7);
        if (without != 'k') smr_text_add(&csv, (a >= 60) != is_odd ? ",far" : ",near");
        smr_text_add(&csv, "\n");
    }
    assert_int_equal(smr_text_done(&csv), SMR_OK);
    smr_table *t = table_of(ctx, csv.bytes);
    smr_text_release(&csv);
    return t;
}

static smr_json_doc *explain(smr_ctx *ctx, const smr_model *m, const smr_table *t,
                             const smr_explain_how *how)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_explain_fill(ctx, "proximity", m, &sample, how, smr_json_root(doc)));
    return doc;
}

static const smr_json *entry_of(const smr_json *list, int64_t row)
{
    for (const smr_json *one = list->first; one; one = one->next)
        if (smr_json_get_number(one, "row", 0) == (double)row) return one;
    return NULL;
}

/* What row i says about row j is what j says about i; and one row alone gets the same. */
static void proximities_are_the_same_both_ways(void **state)
{
    (void)state;
    static const char *const sentences[] = {"forest 30", "standardize | forest 30",
                                            "boost 12 max_leaves=4", "tree max_depth=4"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx, 0);
    for (int64_t c = 0; c < 2 * SMR_COUNT(sentences); c++) {
        smr_model *m = train_on(ctx, sentences[c / 2], t, c % 2 ? "y" : "k");
        smr_json_doc *doc = explain(ctx, m, t, &(smr_explain_how){.nearest = N});
        const smr_json *all = smr_json_get(smr_json_root(doc), "proximity");
        assert_int_equal(all->n, N);
        double above = INFINITY;
        int64_t pairs = 0;
        for (const smr_json *one = all->first; one; one = one->next) {
            double odd = smr_json_get_number(one, "outlier", NAN), last = 1;
            int64_t row = (int64_t)smr_json_get_number(one, "row", 0);
            assert_true(odd <= above);
            above = odd;
            for (const smr_json *two = smr_json_get(one, "nearest")->first; two; two = two->next) {
                int64_t other = (int64_t)smr_json_get_number(two, "row", 0);
                double p = smr_json_get_number(two, "proximity", NAN);
                assert_true(other != row && p > 0 && p <= last);
                last = p;
                const smr_json *back = smr_json_get(entry_of(all, other), "nearest");
                check_near("back", smr_json_get_number(entry_of(back, row), "proximity", -1), p, 0);
                pairs++;
            }
        }
        assert_true(pairs > N);
        smr_json_doc *alone = explain(ctx, m, t, &(smr_explain_how){.row = 7, .nearest = 3});
        const smr_json *near = smr_json_get(smr_json_root(alone), "nearest");
        const smr_json *want = smr_json_get(entry_of(all, 7), "nearest");
        assert_int_equal(near->n, 3);
        for (const smr_json *a = near->first, *b = want->first; a; a = a->next, b = b->next) {
            check_near("row", smr_json_get_number(a, "row", 0), smr_json_get_number(b, "row", 1),
                       0);
            check_near("proximity", smr_json_get_number(a, "proximity", 0),
                       smr_json_get_number(b, "proximity", 1), 0);
        }
        /* rows 7, 17 and 27 are the same row */
        check_near("itself", smr_json_get_number(near->first, "proximity", 0), 1, 0);
        smr_json_free(alone);
        smr_json_free(doc);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_row_of_the_wrong_class_is_the_oddest(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make_rows(ctx, 0);
    smr_model *m = train_on(ctx, "forest 60 min_leaf=3", t, "k");
    smr_json_doc *doc = explain(ctx, m, t, &(smr_explain_how){0});
    const smr_json *first = smr_json_get(smr_json_root(doc), "proximity")->first;
    check_near("row", smr_json_get_number(first, "row", 0), 41, 0);
    assert_true(smr_json_get_number(first, "outlier", 0) > 10);
    assert_int_equal(smr_json_get(first, "nearest")->n, 5);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_are_predicted_where_the_data_has_none(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_rows(ctx, 0);
    for (int c = 0; c < 2; c++) {
        smr_table *bare = make_rows(ctx, c ? 'y' : 'k');
        smr_model *m = train_on(ctx, "forest 9", t, c ? "y" : "k");
        smr_json_doc *doc = explain(ctx, m, bare, &(smr_explain_how){.row = 2, .most_rows = 20});
        const smr_json *root = smr_json_root(doc);
        assert_string_equal(smr_json_get_string(root, "answers", ""), "predicted");
        if (!c) assert_string_equal(smr_json_get_string(root, "class", ""), "far");
        if (c) assert_true(isfinite(smr_json_get_number(root, "value", NAN)));
        assert_in_range(smr_json_get_number(root, "rows", 0), 20, 21);
        smr_json_free(doc);
        smr_model_free(m);
        smr_table_free(bare);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void models_without_trees_and_rows_that_are_not_there_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_rows(ctx, 0);
    smr_model *m = train_on(ctx, "knn 3", t, "k"), *f = train_on(ctx, "forest 3", t, "k");
    smr_sample sample = {.table = t};
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    check_fails(ctx, smr_explain_fill(ctx, "proximity", m, &sample, &(smr_explain_how){0}, root),
                SMR_ERR_UNSUPPORTED, "a knn model has none");
    check_fails(ctx,
                smr_explain_fill(ctx, "proximity", f, &sample, &(smr_explain_how){.row = 84}, root),
                SMR_ERR_PARAM, "no row 84");
    check_fails(
        ctx,
        smr_explain_fill(ctx, "proximity", f, &sample, &(smr_explain_how){.nearest = 1001}, root),
        SMR_ERR_PARAM, "at most 1000");
    smr_json_free(doc);
    smr_model_free(m);
    smr_model_free(f);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    smr_ctx *keeper = check_ctx(1);
    smr_table *t = make_rows(keeper, 0);
    smr_model *m = train_on(keeper, "forest 4", t, "k");
    smr_sample sample = {.table = t};
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK && n < 20000; n += 1 + n / 40) {
        smr_ctx *ctx = check_ctx(1);
        smr_json_doc *doc = NULL;
        smr_explain_how how = {.most_rows = 9, .nearest = 2};
        smr_memory_fail_at(ctx, n);
        st = smr_json_create(ctx, &doc);
        if (st == SMR_OK)
            st = smr_explain_fill(ctx, "proximity", m, &sample, &how, smr_json_root(doc));
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_memory_fail_at(ctx, -1);
        smr_json_free(doc);
        check_ctx_end(ctx);
    }
    assert_int_equal(st, SMR_OK);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proximities_are_the_same_both_ways),
        cmocka_unit_test(a_row_of_the_wrong_class_is_the_oddest),
        cmocka_unit_test(classes_are_predicted_where_the_data_has_none),
        cmocka_unit_test(models_without_trees_and_rows_that_are_not_there_are_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
