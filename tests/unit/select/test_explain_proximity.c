/* test_explain_proximity.c -- proximities of rows in a model of trees. */
#include "select_json.h"

#include "select/explain.h"

enum { N = 61 };

/* a with gaps, c of three levels; y takes a value of its own in every row. */
static smr_table *some_table(smr_ctx *ctx)
{
    static const char *const colours[] = {"blue", "green", "red"};
    double a[N], b[N], y[N];
    const char *c[N];
    for (int64_t i = 0; i < N; i++) {
        a[i] = i % 9 == 4 ? NAN : noise(i, 0);
        b[i] = noise(i, 1);
        c[i] = colours[(i * i + i / 4) % 3];
        y[i] = 2 * b[i] + (double)(i % 3) + 0.3 * noise(i, 2);
    }
    smr_table *t = new_table(ctx, N, 4);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_strings(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "y", y);
    return t;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static smr_status fill(smr_ctx *ctx, const smr_model *m, const smr_table *t, int64_t row,
                       int64_t most_rows, smr_json_doc *doc)
{
    smr_sample sample = {.table = t};
    smr_explain_how how = {.row = row, .most_rows = most_rows};
    return smr_explain_fill(ctx, "proximity", m, &sample, &how, smr_json_root(doc));
}

static smr_json_doc *explain(smr_ctx *ctx, const smr_model *m, const smr_table *t, int64_t row)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, fill(ctx, m, t, row, 0, doc));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

/* Leaves of a tree that is not grown to the end say different means, so rows share a leaf where
 * they have one prediction; trees that are grown alike share what one of them shares. */
static void rows_of_one_leaf_are_near(void **unused)
{
    static const char *const sentences[] = {
        "tree min_leaf=4", "forest 5 bootstrap=no features=all min_leaf=4", "onehot | tree 3"};
    static double out[N];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = some_table(ctx);
        smr_model *m = train(ctx, sentences[k], t);
        smr_json_doc *doc = explain(ctx, m, t, 0);
        const smr_json *matrix = smr_json_get(smr_json_root(doc), "matrix");
        check_ok(ctx, smr_model_apply(ctx, m, t, NULL, N, SMR_OUTPUT_VALUE, out));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                assert_true(nth(nth(matrix, i), j)->number == (out[i] == out[j]));
        smr_json_free(doc);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* The mean over the first T trees is a running one: the matrix of all of them is in steps of 1/T,
 * symmetric, 1 on the diagonal; what is told of each row is read off it. */
static void rows_are_told_by_the_matrix(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = some_table(ctx);
    smr_model *m = train(ctx, "forest 13", t);
    smr_json_doc *doc = explain(ctx, m, t, 0);
    const smr_json *root = smr_json_root(doc), *matrix = smr_json_get(root, "matrix");
    (void)unused;
    check_near("trees", number_of(root, "trees"), 13, 0);
    for (int64_t i = 0; i < N; i++) {
        const smr_json *told = nth(smr_json_get(root, "proximity"), i);
        double sum = 0, most = 0;
        for (int64_t j = 0; j < N; j++) {
            double near = nth(nth(matrix, i), j)->number;
            check_near("whole trees", 13 * near, rint(13 * near), 1e-12);
            check_near("symmetric", near, nth(nth(matrix, j), i)->number, 0);
            if (i == j) check_near("itself", near, 1, 0);
            if (i == j) continue;
            sum += near;
            most = fmax(most, near);
        }
        check_near("mean", number_of(told, "mean"), sum / (N - 1), 1e-12);
        check_near("nearest", number_of(told, "proximity"), most, 0);
        int64_t nearest = (int64_t)number_of(told, "nearest") - 1;
        check_near("its row", nth(nth(matrix, i), nearest)->number, most, 0);
    }
    smr_json_doc *one = explain(ctx, m, t, 18);
    const smr_json *list = smr_json_get(smr_json_root(one), "proximity");
    double before = 1;
    assert_int_equal(list->n, N - 1);
    for (const smr_json *v = list->first; v; v = v->next) {
        double near = number_of(v, "proximity");
        assert_true(near <= before);
        check_near("row 18", near, nth(nth(matrix, 17), (int64_t)number_of(v, "row") - 1)->number,
                   0);
        before = near;
    }
    smr_json_free(one);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_told_is_said(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = some_table(ctx);
    smr_model *m = train(ctx, "ridge", t), *f = train(ctx, "forest 3", t);
    smr_json_doc *doc = NULL;
    (void)unused;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_fails(ctx, fill(ctx, m, t, 0, 0, doc), SMR_ERR_UNSUPPORTED, "a ridge model has no trees");
    check_fails(ctx, fill(ctx, f, t, N + 1, 0, doc), SMR_ERR_PARAM, "no row 62");
    check_ok(ctx, fill(ctx, f, t, N, 5, doc)); /* a row that is not drawn */
    check_near("row", number_of(smr_json_root(doc), "row"), N, 0);
    smr_json_free(doc);
    smr_model_free(m);
    smr_model_free(f);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void memory_that_is_refused_is_survived(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = some_table(ctx);
    smr_model *m = train(ctx, "forest 3", t);
    (void)unused;
    for (int64_t row = 0; row < 2; row++) {
        int64_t held = smr_ctx_memory(ctx, NULL), n = 0;
        for (;; n++) {
            smr_json_doc *doc = NULL;
            check_ok(ctx, smr_json_create(ctx, &doc));
            smr_memory_fail_at(ctx, n);
            smr_status st = fill(ctx, m, t, row, 0, doc);
            if (st == SMR_OK) st = smr_json_done(doc);
            smr_memory_fail_at(ctx, -1);
            smr_json_free(doc);
            assert_int_equal(smr_ctx_memory(ctx, NULL), held);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            smr_ctx_clear(ctx);
        }
        assert_true(n > 5);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_leaf_are_near),
        cmocka_unit_test(rows_are_told_by_the_matrix),
        cmocka_unit_test(what_cannot_be_told_is_said),
        cmocka_unit_test(memory_that_is_refused_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
