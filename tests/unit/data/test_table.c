/* Tables: building, viewing a caller's matrix, level orders, name checks, hashing, rules. */
#include "formats_check.h"

#include "data/vocab.h"

static smr_strings make_strings(smr_ctx *ctx, const char *const *list, int64_t n)
{
    smr_vocab d = {0};
    smr_strings out;
    int32_t code;
    for (int64_t k = 0; k < n; k++) {
        check_ok(ctx, smr_vocab_add(ctx, &d, list[k], (int64_t)strlen(list[k]), &code));
        assert_int_equal(code, k);
    }
    check_ok(ctx, smr_strings_copy(ctx, &d.strings, NULL, &out));
    smr_vocab_release(&d);
    return out;
}

static void free_strings(smr_strings *s)
{
    smr_free(s->start);
    smr_free(s->bytes);
}

static void view_borrows_a_matrix_with_a_stride(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    float x[3 * 5] = {2.5f, -1, 7, 99, 99, 0.25f, 3, 8.5f, 99, 99, NAN, 4, 6, 99, 99};
    double y[3] = {1.25, -2, 3};
    smr_dense X = {x, SMR_F32, 3, 3, 5};
    smr_table *t = NULL;
    check_ok(ctx, smr_table_view(ctx, &X, y, &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 4);
    assert_string_equal(t->cols[2].name, "2");
    assert_string_equal(t->cols[3].name, "y");
    assert_true(smr_column_number(&t->cols[2], 1) == 8.5);
    assert_true(isnan(smr_column_number(&t->cols[0], 2)));
    assert_true(smr_column_number(&t->cols[3], 1) == -2);
    assert_ptr_equal(t->cols[1].values, x + 1);
    assert_int_equal(smr_table_find(t, "y"), 3);
    assert_int_equal(smr_table_find(t, "z"), -1);
    smr_table_free(t);
    smr_dense wrong = {x, SMR_F32, 3, 5, 3};
    check_fails(ctx, smr_table_view(ctx, &wrong, NULL, &t), SMR_ERR_SHAPE, "3 elements apart");
    smr_dense wide = {x, SMR_I64, 1, 1, 1};
    check_fails(ctx, smr_table_view(ctx, &wide, NULL, &t), SMR_ERR_UNSUPPORTED, "64-bit");
    wide.dtype = SMR_BF16;
    check_fails(ctx, smr_table_view(ctx, &wide, NULL, &t), SMR_ERR_UNSUPPORTED,
                "a matrix of 16-bit numbers cannot be viewed as a table");
    check_ctx_end(ctx);
}

static void view_survives_failing_memory(void **state)
{
    (void)state;
    double x[4] = {0};
    smr_dense X = {x, SMR_F64, 2, 2, 2};
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = NULL;
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_table_view(ctx, &X, x, &t);
        smr_table_free(t);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
    }
}

static void levels_sort_numerically_only_when_all_are_numbers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    const char *numbers[] = {"10", "9", "-3.5", "1e1", "2"};
    const char *words[] = {"10", "9", "b", "", "B"};
    int64_t order[5];
    smr_strings s = make_strings(ctx, numbers, 5);
    check_ok(ctx, smr_levels_sort(ctx, &s, order));
    int64_t want[] = {2, 4, 1, 0, 3}; /* -3.5 2 9 10 1e1: equal numbers bytewise */
    assert_memory_equal(order, want, sizeof want);
    free_strings(&s);
    s = make_strings(ctx, words, 5);
    check_ok(ctx, smr_levels_sort(ctx, &s, order));
    int64_t bytewise[] = {3, 0, 1, 4, 2}; /* "" 10 9 B b */
    assert_memory_equal(order, bytewise, sizeof bytewise);
    free_strings(&s);
    check_ctx_end(ctx);
}

static void a_thousand_levels_sort_like_the_numbers_they_spell(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    enum { N = 1009 };
    smr_vocab d = {0};
    int64_t order[N];
    int32_t code;
    for (int64_t k = 0; k < N; k++) {
        char text[16];
        int n = snprintf(text, sizeof text, "%d", (int)(k * 577 % N) - 300);
        check_ok(ctx, smr_vocab_add(ctx, &d, text, n, &code));
    }
    check_ok(ctx, smr_levels_sort(ctx, &d.strings, order));
    for (int64_t r = 0; r < N; r++) assert_int_equal(order[r] * 577 % N, r);
    smr_vocab_release(&d);
    check_ctx_end(ctx);
}

static void equal_names_are_refused_with_both_positions(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    const char *names[] = {"b", "a", "c", "a", "b"};
    smr_table *t = NULL;
    check_ok(ctx, smr_table_new(ctx, 0, 5, &t));
    for (int j = 0; j < 5; j++) t->cols[j].name = smr_strdup(ctx, names[j]);
    check_fails(ctx, smr_table_check_names(ctx, t), SMR_ERR_DATA,
                "columns 0 and 4 (counted from 0) have the same name 'b'");
    t->cols[4].name[0] = 'x';
    check_fails(ctx, smr_table_check_names(ctx, t), SMR_ERR_DATA, "columns 1 and 3");
    t->cols[3].name[0] = 'y';
    check_ok(ctx, smr_table_check_names(ctx, t));
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- rules ---- */

/* color: red blue red ?, size: 2 10 NaN 2, when: a date. */
static smr_table *small_table(smr_ctx *ctx)
{
    smr_table *t = NULL;
    check_ok(ctx,
             read_text(ctx, smr_arff_read,
                       "@relation r\n@attribute color {red,blue}\n@attribute size numeric\n"
                       "@attribute when date yyyy-MM-dd\n@attribute code string\n@data\n"
                       "red,2,2020-02-29,7\nblue,10,1969-12-31,-1.5\nred,?,?,7\n?,2,2020-02-29,?",
                       &t));
    return t;
}

static void rules_turn_numbers_into_sorted_categories(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    smr_column_rule rules[] = {{.name = "size", .kind = SMR_CATEGORY},
                               {.name = "#-1", .kind = SMR_NUMBER},
                               {.name = "when", .kind = SMR_CATEGORY}};
    smr_read_opts opts = {.rules = rules, .n_rules = 3};
    check_ok(ctx, smr_table_apply_rules(ctx, t, &opts));
    assert_int_equal(t->n_cols, 4);
    smr_column *size = &t->cols[1], *when = &t->cols[2], *code = &t->cols[3];
    assert_int_equal(size->kind, SMR_CATEGORY);
    check_level(size, 0, "2");
    check_level(size, 1, "10");
    int32_t want[] = {0, 1, -1, 0};
    for (int i = 0; i < 4; i++) assert_int_equal(smr_column_code(size, i), want[i]);
    check_level(when, 0, "1969-12-31");
    check_level(when, 1, "2020-02-29");
    assert_int_equal(smr_column_code(when, 0), 1);
    assert_int_equal(code->kind, SMR_NUMBER);
    assert_true(smr_column_number(code, 1) == -1.5);
    assert_true(isnan(smr_column_number(code, 3)));
    assert_int_equal(code->n_missing, 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rules_with_levels_count_what_they_do_not_know(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    const char *known[] = {"green", "red"};
    smr_strings levels = make_strings(ctx, known, 2);
    smr_column_rule rule = {.name = "color", .kind = SMR_CATEGORY, .levels = &levels};
    smr_read_opts opts = {.rules = &rule, .n_rules = 1, .only_ruled = true};
    smr_table *t = small_table(ctx);
    check_ok(ctx, smr_table_apply_rules(ctx, t, &opts));
    assert_int_equal(t->n_cols, 1);
    smr_column *c = &t->cols[0];
    check_level(c, 1, "red");
    int32_t want[] = {1, -1, 1, -1};
    for (int i = 0; i < 4; i++) assert_int_equal(smr_column_code(c, i), want[i]);
    assert_int_equal(c->n_missing, 1);
    assert_int_equal(c->n_unseen, 1);
    smr_table_free(t);
    free_strings(&levels);
    check_ctx_end(ctx);
}

static void rules_ignore_columns_and_refuse_what_cannot_be(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_column_rule rules[] = {{.name = "size", .ignore = true},
                               {.name = "absent", .optional = true}};
    smr_read_opts opts = {.rules = rules, .n_rules = 2};
    smr_table *t = small_table(ctx);
    check_ok(ctx, smr_table_apply_rules(ctx, t, &opts));
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[1].name, "when");
    smr_column_rule number = {.name = "color", .kind = SMR_NUMBER};
    opts = (smr_read_opts){.rules = &number, .n_rules = 1};
    check_fails(ctx, smr_table_apply_rules(ctx, t, &opts), SMR_ERR_DATA,
                "column 'color' is to be a number, but holds 'red'");
    smr_table_free(t);
    t = small_table(ctx);
    smr_column_rule date = {.name = "size", .kind = SMR_DATE};
    opts = (smr_read_opts){.rules = &date, .n_rules = 1};
    check_fails(ctx, smr_table_apply_rules(ctx, t, &opts), SMR_ERR_DATA,
                "column 'size' holds numbers and cannot be taken as dates");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rules_survive_failing_memory(void **state)
{
    (void)state;
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = small_table(ctx);
        smr_column_rule rules[] = {{.name = "size", .kind = SMR_CATEGORY},
                                   {.name = "when", .kind = SMR_CATEGORY},
                                   {.name = "color", .kind = SMR_CATEGORY}};
        rules[2].levels = &t->cols[3].levels; /* of 'code', which stays as it is */
        smr_read_opts opts = {.rules = rules, .n_rules = 3};
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_table_apply_rules(ctx, t, &opts);
        smr_table_free(t);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_borrows_a_matrix_with_a_stride),
        cmocka_unit_test(view_survives_failing_memory),
        cmocka_unit_test(levels_sort_numerically_only_when_all_are_numbers),
        cmocka_unit_test(a_thousand_levels_sort_like_the_numbers_they_spell),
        cmocka_unit_test(equal_names_are_refused_with_both_positions),
        cmocka_unit_test(rules_turn_numbers_into_sorted_categories),
        cmocka_unit_test(rules_with_levels_count_what_they_do_not_know),
        cmocka_unit_test(rules_ignore_columns_and_refuse_what_cannot_be),
        cmocka_unit_test(rules_survive_failing_memory),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
