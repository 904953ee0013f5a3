/* test_describe.c -- how columns are distributed, counted again by hand. */
#include "study_json.h"

#include "data/formats.h"
#include "study/describe.h"

enum { N = 211 };

static smr_json_doc *described(smr_ctx *ctx, const smr_table *t, const char *target)
{
    smr_json_doc *doc = NULL;
    smr_relevance_opts opts = {.target = target};
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_describe_table(ctx, t, &opts, smr_json_root(doc), figures));
    return doc;
}

static const smr_json *figure_of(smr_json_doc *doc, const char *name)
{
    return row_with(smr_json_get(smr_json_root(doc), "figures"), "name", name);
}

static double number_at(const smr_json *figure, const char *key, int64_t k)
{
    return nth(smr_json_get(smr_json_get(figure, "series")->first, key), k)->number;
}

static int64_t bars_of(const smr_json *figure, const char *key)
{
    return smr_json_get(smr_json_get(figure, "series")->first, key)->n;
}

static const char *name_at(const smr_json *figure, int64_t k)
{
    return nth(smr_json_get(smr_json_get(figure, "y"), "names"), k)->string;
}

/* x: any numbers, with gaps; w: whole from 3 to 9; colour: 13 levels, level k in 13 - k of 91 rows,
 * with gaps; one: the same in all rows; y = x + w. */
static smr_table *mixed_table(smr_ctx *ctx)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g",
                                        "h", "i", "j", "k", "l", "m"};
    double x[N], w[N], one[N], y[N];
    const char *colour[N];
    for (int64_t i = 0; i < N; i++) {
        int64_t place = i % 91, level = 0;
        while (place >= 13 - level) place -= 13 - level++;
        x[i] = i % 17 == 3 ? NAN : 12.5 * noise(i, 0);
        w[i] = 3 + (double)(i * i % 7);
        one[i] = -2.75;
        y[i] = (isnan(x[i]) ? 0 : x[i]) + w[i];
        colour[i] = i % 50 == 49 ? NULL : names[level];
    }
    smr_table *t = new_table(ctx, N, 5);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "w", w);
    put_strings(ctx, t, 2, "colour", colour);
    put_numbers(ctx, t, 3, "one", one);
    put_numbers(ctx, t, 4, "y", y);
    return t;
}

static void histograms_count_the_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc = described(ctx, t, NULL);
    const smr_json *f = figure_of(doc, "distribution-x");
    int64_t n = bars_of(f, "y"), gaps = 0;
    double width = number_at(f, "x", 1) - number_at(f, "x", 0);
    (void)state;
    assert_int_equal(n, 12); /* 2 n^(1/3) of the 198 rows that have a value, rounded up */
    for (int64_t i = 0; i < N; i++) gaps += isnan(smr_column_number(&t->cols[0], i));
    double all = 0;
    for (int64_t k = 0; k < n; k++) {
        double lo = number_at(f, "x", k) - width / 2, hi = lo + width, count = 0;
        for (int64_t i = 0; i < N; i++) {
            double v = smr_column_number(&t->cols[0], i);
            bool last = k == n - 1 && v <= hi + 1e-9;
            count += v >= lo - 1e-9 && (v < hi - 1e-9 || last);
        }
        check_near("a bar", number_at(f, "y", k), count, 0);
        all += count;
    }
    check_near("all rows that have a value", all, (double)(N - gaps), 0);
    char note[64];
    snprintf(note, sizeof note, "%lld rows have a gap.", (long long)gaps);
    assert_string_equal(smr_json_get_string(f, "note", ""), note);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void whole_numbers_of_a_small_range_have_a_bar_each(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc = described(ctx, t, NULL);
    const smr_json *w = figure_of(doc, "distribution-w"), *one = figure_of(doc, "distribution-one");
    (void)state;
    assert_int_equal(bars_of(w, "y"), 5); /* squares modulo 7 are 0, 1, 2 and 4 */
    for (int64_t k = 0; k < 5; k++) {
        double count = 0, at = number_at(w, "x", k);
        check_near("a place", at, 3 + (double)k, 0);
        for (int64_t i = 0; i < N; i++) count += smr_column_number(&t->cols[1], i) == at;
        check_near("a bar", number_at(w, "y", k), count, 0);
    }
    assert_int_equal(bars_of(one, "y"), 1);
    check_near("its place", number_at(one, "x", 0), -2.75, 0);
    check_near("all rows", number_at(one, "y", 0), N, 0);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void frequent_levels_come_first_and_the_others_together(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    smr_json_doc *doc = described(ctx, t, NULL);
    const smr_json *f = figure_of(doc, "distribution-colour");
    const smr_json *col = row_with(smr_json_get(smr_json_root(doc), "table"), "name", "colour");
    int64_t count[13] = {0}, all = 0, others = 0;
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        int32_t code = smr_column_code(&t->cols[2], i);
        if (code < 0) continue;
        int64_t length;
        count[*smr_strings_get(&t->cols[2].levels, code, &length) - 'a']++;
        all++;
    }
    assert_int_equal(bars_of(f, "x"), 11);
    assert_string_equal(name_at(f, 10), "3 others");
    for (int64_t k = 0; k < 10; k++) {
        check_near("rows", number_at(f, "x", k), (double)count[*name_at(f, k) - 'a'], 0);
        others += count[*name_at(f, k) - 'a'];
        if (k) assert_true(number_at(f, "x", k) <= number_at(f, "x", k - 1));
    }
    check_near("the others", number_at(f, "x", 10), (double)(all - others), 0);
    assert_string_equal(smr_json_get_string(f, "note", ""),
                        "The 10 most frequent of 13 levels. 4 rows have a gap.");
    assert_string_equal(smr_json_get_string(col, "most_frequent", ""), name_at(f, 0));
    check_near("its share", number_of(col, "most_frequent_share"),
               number_at(f, "x", 0) / (double)all, 1e-15);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The target, then by falling strength; no more than 24. */
static void the_target_is_drawn_first_and_not_all_of_a_wide_table(void **state)
{
    enum { WIDE = 40 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, N, WIDE);
    double x[N], y[N] = {0};
    char name[16];
    (void)state;
    for (int64_t j = 0; j < WIDE - 1; j++) {
        for (int64_t i = 0; i < N; i++) {
            x[i] = noise(i, j);
            if (j == 31) y[i] += 3 * x[i];
            if (j == 7) y[i] -= x[i];
        }
        snprintf(name, sizeof name, "x%lld", (long long)j);
        put_numbers(ctx, t, j, name, x);
    }
    put_numbers(ctx, t, WIDE - 1, "y", y);
    smr_json_doc *doc = described(ctx, t, "y");
    const smr_json *root = smr_json_root(doc), *told = smr_json_get(root, "distributions");
    const smr_json *figures = smr_json_get(root, "figures");
    int64_t drawn = 0;
    const char *first[3] = {"", "", ""};
    for (const smr_json *f = figures->first; f; f = f->next) {
        const char *of = smr_json_get_string(f, "name", "");
        if (strncmp(of, "distribution-", 13) != 0) continue;
        if (drawn < 3) first[drawn] = of;
        drawn++;
    }
    assert_int_equal(drawn, 24);
    assert_string_equal(first[0], "distribution-y");
    assert_string_equal(first[1], "distribution-x31");
    assert_string_equal(first[2], "distribution-x7");
    check_near("shown", number_of(told, "shown"), 24, 0);
    check_near("of", number_of(told, "of"), WIDE, 0);
    assert_string_equal(smr_json_get_string(told, "order", ""), "relevance");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void dates_texts_and_what_is_not_finite_are_drawn_or_left_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t = table_of(ctx, "day,word,x\n2020-01-01,,1.5\n2021-01-01,,inf\n2022-01-01,,2.5\n");
    smr_json_doc *doc = described(ctx, t, NULL);
    const smr_json *day = figure_of(doc, "distribution-day"), *x = figure_of(doc, "distribution-x");
    assert_string_equal(smr_json_get_string(smr_json_get(day, "x"), "label", ""), "year");
    double from = number_at(day, "x", 0), to = number_at(day, "x", bars_of(day, "x") - 1);
    assert_true(from > 2019.9 && from < 2020.5 && to > 2021.5 && to < 2022.1);
    assert_string_equal(smr_json_get_string(x, "note", ""), "1 infinite value is left out.");
    for (const smr_json *f = smr_json_get(smr_json_root(doc), "figures")->first; f; f = f->next)
        assert_string_not_equal(smr_json_get_string(f, "name", ""), "distribution-word");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status describe_all(smr_ctx *ctx, void *arg)
{
    smr_json_doc *doc = NULL;
    smr_relevance_opts opts = {.target = "y"};
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) {
        smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
        st = figures ? smr_describe_table(ctx, arg, &opts, smr_json_root(doc), figures)
                     : SMR_ERR_NOMEM;
    }
    smr_json_free(doc);
    return st;
}

static void describing_survives_failing_allocations(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, describe_all, t) > 50);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_count_the_rows),
        cmocka_unit_test(whole_numbers_of_a_small_range_have_a_bar_each),
        cmocka_unit_test(frequent_levels_come_first_and_the_others_together),
        cmocka_unit_test(the_target_is_drawn_first_and_not_all_of_a_wide_table),
        cmocka_unit_test(dates_texts_and_what_is_not_finite_are_drawn_or_left_out),
        cmocka_unit_test(describing_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
