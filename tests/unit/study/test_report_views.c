/* test_report_views.c -- what a report shows is what `explain` answers, and no more than asked. */
#include "study_json.h"

#include "study/explain.h"
#include "study/report_views.h"

enum { N = 1210 };

/* y = 5 big - 2 mid + parts of colour and word, which has 40 levels; other does not matter. */
static smr_table *wide_table(smr_ctx *ctx)
{
    static const char *const colours[] = {"blue", "green", "red"};
    static char words[40][8];
    double big[N], mid[N], other[N], y[N];
    const char *colour[N], *word[N];
    for (int64_t i = 0; i < N; i++) {
        snprintf(words[i % 40], sizeof words[0], "w%lld", (long long)(i % 40));
        big[i] = noise(i, 0);
        mid[i] = noise(i, 1);
        other[i] = noise(i, 2);
        colour[i] = colours[i % 3];
        word[i] = words[i % 40];
        y[i] = 5 * big[i] - 2 * mid[i] + 0.9 * (double)(i % 3) + 0.9 * (double)(i % 40 < 20) +
               0.1 * noise(i, 3);
    }
    smr_table *t = new_table(ctx, N, 6);
    put_numbers(ctx, t, 0, "big", big);
    put_numbers(ctx, t, 1, "mid", mid);
    put_numbers(ctx, t, 2, "other", other);
    put_strings(ctx, t, 3, "colour", colour);
    put_strings(ctx, t, 4, "word", word);
    put_numbers(ctx, t, 5, "y", y);
    return t;
}

static smr_model *trained(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static smr_json_doc *viewed(smr_ctx *ctx, const smr_model *m, const smr_sample *sample)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_view_importance(ctx, m, sample, smr_json_root(doc)));
    check_ok(ctx, smr_view_dependence(ctx, m, sample, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

static smr_json_doc *explained(smr_ctx *ctx, const char *what, const smr_model *m,
                               const smr_sample *sample)
{
    smr_json_doc *doc = NULL;
    smr_explain_how how = {0};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_explain_fill(ctx, what, m, sample, &how, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

static void check_same(smr_ctx *ctx, const smr_json *a, const smr_json *b)
{
    smr_text text[2] = {{.ctx = ctx}, {.ctx = ctx}};
    smr_json_write(a, 0, &text[0]);
    smr_json_write(b, 0, &text[1]);
    check_ok(ctx, smr_text_done(&text[0]));
    check_ok(ctx, smr_text_done(&text[1]));
    assert_string_equal(text[0].bytes, text[1].bytes);
    smr_text_release(&text[0]);
    smr_text_release(&text[1]);
}

/* Of 1210 rows explain draws 1000: the same ones. */
static void curves_are_those_of_explain(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = wide_table(ctx);
    smr_model *m = trained(ctx, "onehot | ridge", t);
    smr_sample sample = {.table = t};
    smr_json_doc *view = viewed(ctx, m, &sample);
    smr_json_doc *importance = explained(ctx, "importance", m, &sample);
    smr_json_doc *curves = explained(ctx, "dependence", m, &sample);
    const smr_json *root = smr_json_root(view);
    const smr_json *list = smr_json_get(root, "dependence");
    (void)state;
    check_same(ctx, smr_json_get(root, "importance"),
               smr_json_get(smr_json_root(importance), "importance"));
    /* by falling importance; `other` does not matter, and 40 levels are too many to draw */
    assert_int_equal(list->n, 3);
    assert_string_equal(smr_json_get_string(nth(list, 0), "column", ""), "big");
    assert_string_equal(smr_json_get_string(nth(list, 1), "column", ""), "mid");
    assert_string_equal(smr_json_get_string(nth(list, 2), "column", ""), "colour");
    for (const smr_json *e = list->first; e; e = e->next) {
        const char *column = smr_json_get_string(e, "column", "");
        char name[64];
        snprintf(name, sizeof name, "dependence-%s", column);
        check_same(ctx, e,
                   row_with(smr_json_get(smr_json_root(curves), "dependence"), "column", column));
        check_near("rows", number_of(e, "rows"), 1000, 0);
        check_near("of", number_of(e, "drawn_from"), N, 0);
        const smr_json *mine = row_with(smr_json_get(root, "figures"), "name", name);
        check_same(
            ctx, smr_json_get(mine, "series"),
            smr_json_get(row_with(smr_json_get(smr_json_root(curves), "figures"), "name", name),
                         "series"));
        assert_non_null(strstr(smr_json_get_string(mine, "note", ""),
                               "Mean prediction over 1000 rows drawn from 1210, with "));
    }
    smr_json_free(view);
    smr_json_free(importance);
    smr_json_free(curves);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The curve of a flat column looks flat beside a steep one. */
static void curves_of_several_columns_share_a_scale(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = wide_table(ctx);
    smr_model *m = trained(ctx, "onehot | ridge", t);
    smr_sample sample = {.table = t};
    smr_json_doc *doc = explained(ctx, "dependence", m, &sample);
    const smr_json *figures = smr_json_get(smr_json_root(doc), "figures");
    double lo = INFINITY, hi = -INFINITY;
    (void)state;
    assert_int_equal(figures->n, 5);
    for (const smr_json *f = figures->first; f; f = f->next)
        for (const smr_json *y = smr_json_get(smr_json_get(f, "series")->first, "y")->first; y;
             y = y->next) {
            lo = smr_fmin(lo, y->number);
            hi = smr_fmax(hi, y->number);
        }
    for (const smr_json *f = figures->first; f; f = f->next) {
        check_near("min", number_of(smr_json_get(f, "y"), "min"), lo - 0.04 * (hi - lo), 1e-12);
        check_near("max", number_of(smr_json_get(f, "y"), "max"), hi + 0.04 * (hi - lo), 1e-12);
    }
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* 60,000 rows to look at for each answer: fewer rows are drawn, and it is said. */
static void a_slow_model_is_asked_less(void **state)
{
    enum { MANY = 60000 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, MANY, 3);
    double *x = smr_alloc(ctx, MANY, sizeof *x), *y = smr_alloc(ctx, MANY, sizeof *y);
    int64_t rows[1500];
    (void)state;
    for (int64_t i = 0; i < MANY; i++) {
        x[i] = noise(i, 0);
        y[i] = x[i];
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 2, "y", y);
    for (int64_t i = 0; i < MANY; i++) x[i] = noise(i, 1);
    put_numbers(ctx, t, 1, "z", x);
    for (int64_t i = 0; i < 1500; i++) rows[i] = 7 * i;
    smr_model *m = trained(ctx, "knn 1", t);
    smr_sample sample = {.table = t, .rows = rows, .n_rows = 1500};
    smr_json_doc *view = viewed(ctx, m, &sample);
    const smr_json *list = smr_json_get(smr_json_root(view), "dependence");
    assert_true(list->n >= 1);
    double drawn = number_of(list->first, "rows");
    assert_true(drawn >= 100 && drawn < 1000);
    check_near("of", number_of(list->first, "drawn_from"), 1500, 0);
    smr_json_free(view);
    smr_model_free(m);
    smr_free(x);
    smr_free(y);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status view_all(smr_ctx *ctx, void *arg)
{
    const smr_model *m = ((void **)arg)[0];
    smr_sample sample = {.table = ((void **)arg)[1]};
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK && !smr_json_add_array(smr_json_root(doc), "figures")) st = SMR_ERR_NOMEM;
    if (st == SMR_OK) st = smr_view_importance(ctx, m, &sample, smr_json_root(doc));
    if (st == SMR_OK) st = smr_view_dependence(ctx, m, &sample, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void views_survive_failing_allocations(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b,y\n1,x,2\n2,x,4.5\n3,z,5.5\n4,z,8\n5,x,9.75\n6,z,12.5\n");
    smr_model *m = trained(ctx, "onehot | ridge 0.1", t);
    void *arg[] = {m, t};
    (void)state;
    assert_true(fail_each_allocation(ctx, view_all, arg) > 100);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_those_of_explain),
        cmocka_unit_test(curves_of_several_columns_share_a_scale),
        cmocka_unit_test(a_slow_model_is_asked_less),
        cmocka_unit_test(views_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
