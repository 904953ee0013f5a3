/* Decimal commas: found, told, or given; thousands; what is not clear. */
#include "unit/data/check_csv.h"

#include <stdio.h>

/* Was something said that holds `part`? */
static bool warned(const smr_ctx *ctx, const char *part)
{
    for (int64_t i = 0; i < smr_ctx_n_warnings(ctx); i++)
        if (strstr(smr_ctx_warning(ctx, i), part)) return true;
    return false;
}

static void check_warned(const smr_ctx *ctx, const char *part)
{
    if (warned(ctx, part)) return;
    for (int64_t i = 0; i < smr_ctx_n_warnings(ctx); i++)
        print_error("warning: %s\n", smr_ctx_warning(ctx, i));
    fail_msg("no warning with '%s'", part);
}

static void check_numbers(const smr_table *t, int64_t j, const double *wanted)
{
    assert_int_equal(t->cols[j].kind, SMR_NUMBER);
    for (int64_t i = 0; i < t->n_rows; i++)
        if (number(t, j, i) != wanted[i] && !(isnan(wanted[i]) && isnan(number(t, j, i))))
            fail_msg("column %d, row %d: got %g, wanted %g", (int)j, (int)i, number(t, j, i),
                     wanted[i]);
}

static void decimal_commas_are_found_and_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const char *const files[] = {
        "p;q;s\n42,5;1.234,75;a\n-0,125;7;b\n;1.000;a\n1,5e3;NA;b\n+3,;,5;a\n",
        "p\tq\ts\n42,5\t1.234,75\ta\n-0,125\t7\tb\n\t1.000\ta\n1,5e3\tNA\tb\n+3,\t,5\ta\n",
        "p,q,s\n\"42,5\",\"1.234,75\",a\n\" -0,125 "
        "\",7,b\n,1.000,a\n\"1,5e3\",NA,b\n\"+3,\",\",5\","
        "a\n"};
    static const double p[] = {42.5, -0.125, NAN, 1500, 3}, q[] = {1234.75, 7, 1000, NAN, 0.5};
    for (int k = 0; k < SMR_COUNT(files); k++) {
        smr_table *t = table_of(ctx, files[k]);
        check_numbers(t, 0, p);
        check_numbers(t, 1, q);
        assert_int_equal(t->cols[2].kind, SMR_CATEGORY);
        assert_int_equal(t->decimal, ',');
        assert_true(t->has_header);
        check_note(t, "decimal: comma\n");
        check_warned(ctx, "columns such as 'p' with decimal commas (42,5) are read as numbers");
        check_warned(ctx, "t.csv:4: decimals have commas in this file, so points separate");
        smr_table_free(t);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void a_given_mark_is_believed_and_not_warned_of(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_read_opts comma = {.header = -1, .decimal = ','}, point = {.header = -1, .decimal = '.'};
    static const double decimals[] = {1.234, 2.345}, thousands[] = {1234, 2345};
    const char *text = "a;b\n1,234;0\n2,345;1\n";
    smr_table *t;
    check_ok(ctx, read_text(ctx, text, &comma, &t));
    check_numbers(t, 0, decimals);
    check_note(t, "decimal: comma (given)");
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, text, &point, &t));
    check_numbers(t, 0, thousands);
    check_note(t, "decimal: point (given)");
    assert_int_equal(t->decimal, 0);
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, "x\n42,5\n43,25\n", &comma, &t)); /* one column */
    check_near("one column", number(t, 0, 1), 43.25, 0);
    smr_table_free(t);
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    smr_read_opts bad = {.header = -1, .decimal = '\''};
    check_fails(ctx, read_text(ctx, text, &bad, &t), SMR_ERR_PARAM,
                "the decimal mark is a point or a comma, not '''");
    check_ctx_end(ctx);
}

static void thousands_are_found_and_what_may_be_either_is_not_guessed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const double sums[] = {1234567.5, 1234, 12}, decimals[] = {1.234, 2.345};
    smr_table *t = table_of(ctx, "a,b\n\"1,234,567.5\",x\n\"1,234\",y\n12,x\n");
    check_numbers(t, 0, sums);
    check_warned(ctx, "column 'a' with commas between thousands (1,234) is read as numbers");
    check_note(t, "decimal: point, with commas between thousands");
    smr_table_free(t);
    smr_ctx_clear(ctx);

    t = table_of(ctx, "a;b\n1,234;0\n2,345;1\n");
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    check_warned(ctx, "column 'a' is read as a category: whether a comma separates decimals or "
                      "thousands in '1,234' is not clear");
    smr_table_free(t);
    smr_ctx_clear(ctx);

    t = table_of(ctx, "a;b\n1,234;0,5\n2,345;1\n"); /* another column decides */
    check_numbers(t, 0, decimals);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_is_no_number_with_commas_stays_text(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    /* groups of the wrong size, two decimal marks, lists, a leading zero before a group */
    static const char *const texts[] = {"1,23,456", "1.2.3,4", "1,2,3", "0,123,456",
                                        "12,",      "a,5",     "1,5,",  "1.234,5.6"};
    for (int k = 0; k < SMR_COUNT(texts); k++) {
        char file[256];
        snprintf(file, sizeof file, "a;b\n%s;1\nx%s;2\n", texts[k], texts[k]);
        smr_table *t = table_of(ctx, file);
        assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
        check_cell(t, 0, 0, texts[k]);
        smr_table_free(t);
    }
    /* Pairs in a column that has words too are words; nothing is said. */
    smr_table *t = table_of(ctx, "a;b\n1,5;1\nleft;2\n2,5;3\n");
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void columns_with_points_stay_apart(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const double a[] = {1.5, 2.3}, b[] = {3.14, 1.5};
    smr_table *t = table_of(ctx, "a;b\n1,5;3.14\n2,3;1.5\n");
    check_numbers(t, 0, a);
    check_numbers(t, 1, b);
    check_warned(ctx, "other columns have decimal commas, but column 'b' has decimal points");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* n rows, the last of which is another. */
static char *late(const char *rows, const char *last, int n)
{
    char *text = malloc(64 + (size_t)n * 64);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "a;b\n");
    for (int i = 0; i < n; i++) at += (size_t)sprintf(text + at, rows, i + 100, i + 100);
    sprintf(text + at, "%s", last);
    return text;
}

static void commas_that_come_late_are_read_all_the_same(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(3);
    char *text = late("%d;%d.500\n", "7,5;2.000\n", 900);
    smr_table *t = table_of(ctx, text);
    check_near("late", number(t, 0, 900), 7.5, 0);
    check_near("early", number(t, 0, 3), 103, 0);
    check_near("thousands", number(t, 1, 3), 103500, 0); /* every point can be one of thousands */
    check_warned(ctx, "so points separate thousands in column 'b'");
    smr_table_free(t);
    free(text);
    smr_ctx_clear(ctx);

    text = late("%d;%d.25\n", "7,5;2.5\n", 900);
    t = table_of(ctx, text);
    check_near("late", number(t, 0, 900), 7.5, 0);
    check_near("points", number(t, 1, 3), 103.25, 0);
    smr_table_free(t);
    free(text);

    text = late("%d.25;%d\n", "7,5;2\n", 900); /* a stray, not a decimal comma */
    check_fails(
        ctx, read_text(ctx, text, &detect, &t), SMR_ERR_DATA,
        "column 'a' holds numbers, but 1 of 901 fields is something else: '7,5' (line 902); "
        "write all decimals with points, or all with commas");
    free(text);
    check_ctx_end(ctx);
}

/* A column of n_points numbers with points and n_commas with commas, the latter first or last. */
static char *mixed(int n_points, int n_commas, bool commas_first)
{
    char *text = malloc(64 + (size_t)(n_points + n_commas) * 32);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "a;b\n");
    for (int i = 0; i < n_points + n_commas; i++) {
        bool comma = commas_first ? i < n_commas : i >= n_points;
        at += (size_t)sprintf(text + at, "%d%c5;%d\n", i, comma ? ',' : '.', i);
    }
    return text;
}

/* Whichever prevail, however many there are, and wherever the others come to light. */
static void decimal_points_and_commas_in_one_column_are_an_error(void **state)
{
    (void)state;
    static const struct {
        int points, commas;
        bool commas_first;
        const char *says;
    } cases[] = {
        {300, 1, false, "1 of 301 fields is something else: '300,5' (line 302); write all"},
        {300, 1, true, "1 of 301 fields is something else: '0,5' (line 2); write all decimals"},
        {2, 1, false, "1 of 3 fields is something else: '2,5' (line 4); write all decimals"},
        {1, 2, false, "1 of 3 fields is something else: '0.5' (line 2); write all decimals"},
        {150, 150, false, "150 of 300 fields are something else: '0.5' (line 2), '1.5'"},
        {700, 690, false, "690 of 1390 fields are something else: '700,5' (line 702), "},
        {690, 700, true, "690 of 1390 fields are something else: '700.5' (line 702), "},
    };
    smr_read_opts comma = {.header = -1, .decimal = ','};
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        smr_ctx *ctx = check_ctx(3);
        char *text = mixed(cases[k].points, cases[k].commas, cases[k].commas_first);
        smr_table *t;
        check_fails(ctx, read_text(ctx, text, &detect, &t), SMR_ERR_DATA, cases[k].says);
        check_fails(ctx, read_text(ctx, text, &comma, &t), SMR_ERR_DATA, cases[k].says);
        free(text);
        check_ctx_end(ctx);
    }
}

static void a_model_expects_the_commas_that_it_was_trained_on(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_column_rule rules[] = {{.name = "a", .kind = SMR_NUMBER}};
    smr_read_opts opts = {.header = -1, .rules = rules, .n_rules = 1, .expects_comma = true};
    smr_table *t;
    check_ok(ctx, read_text(ctx, "a;b\n1.234;0\n", &opts, &t));
    check_near("thousands", number(t, 0, 0), 1234, 0);
    check_warned(ctx, "so points separate thousands in column 'a'");
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, "a,b\n1.234,0\n", &opts, &t)); /* no comma could be there */
    check_near("points", number(t, 0, 0), 1.234, 0);
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, "a;b\n3.14;0\n", &opts, &t));
    check_near("points alone", number(t, 0, 0), 3.14, 0);
    smr_table_free(t);
    check_fails(
        ctx, read_text(ctx, "a;b\n2,5;0\n3.14;0\n", &opts, &t), SMR_ERR_DATA,
        "t.csv:3: column 'a' must hold numbers, but here it has '3.14'; numbers have decimal "
        "commas in this file; if points are meant add --decimal .");
    opts.expects_comma = false;
    opts.decimal = '.';
    check_fails(ctx, read_text(ctx, "a;b\n2,5;0\n", &opts, &t), SMR_ERR_DATA,
                "but here it has '2,5'; if commas separate decimals in this file add --decimal ,");
    check_ctx_end(ctx);
}

static void missing_marks_and_long_numbers_keep_their_text(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_read_opts opts = {.header = 1, .decimal = ',', .missing = "n.k.,-99.5,-9"};
    static const double a[] = {NAN, 1.5, NAN, -99.5, NAN, 123456789012.34567, 0.1};
    smr_table *t;
    check_ok(ctx, read_text(ctx,
                            "a;b\nn.k.;1\n1,5;1\n-99.5;1\n-99,5;1\n-9;1\n123456789012,34567;1\n"
                            "\"0,1\";1\n",
                            &opts, &t));
    check_numbers(t, 0, a);
    assert_int_equal(t->cols[0].n_missing, 3);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The rows before it were read once already, with their commas exchanged. */
static void a_ragged_row_among_decimal_commas_is_the_one_that_is_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_column_rule rules[] = {{.name = "a", .kind = SMR_NUMBER},
                               {.name = "b", .kind = SMR_NUMBER}};
    smr_read_opts opts = {.header = 1, .rules = rules, .n_rules = 2, .decimal = ','};
    char *text = late("%d,25;%d,5\n", "7,5;1;2\n", 3000);
    smr_table *t;
    check_fails(ctx, read_text(ctx, text, &opts, &t), SMR_ERR_FORMAT,
                "t.csv:3002: wanted 2 fields as in the first row, got 3 in '7,5;1;2'");
    free(text);
    smr_ctx_clear(ctx);
    text = malloc(1 << 18);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "a,b\n");
    for (int i = 0; i < 3000; i++)
        at += (size_t)sprintf(text + at, "\"%d,5\",1.%d\n", i, i % 900 + 100);
    sprintf(text + at, "1,2,3\n");
    check_fails(ctx, read_text(ctx, text, &opts, &t), SMR_ERR_FORMAT,
                "t.csv:3002: wanted 2 fields as in the first row, got 3 in '1,2,3'");
    free(text);
    check_ctx_end(ctx);
}

static void the_cut_of_the_file_does_not_matter(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(3);
    char *text = late("%d,25;1.%d,5\n", "7,5;0,25\n", 700);
    smr_table *whole = table_of(ctx, text);
    for (int64_t piece = 1; piece < 3000; piece = 7 * piece + 3) {
        smr_csv_limits cut = {.piece = piece, .line_max = 1 << 20, .tier = 0};
        smr_table *t;
        check_ok(ctx, read_bytes(ctx, text, (int64_t)strlen(text), &detect, &cut, &t));
        for (int j = 0; j < 2; j++)
            assert_memory_equal(t->cols[j].values, whole->cols[j].values, 701 * sizeof(double));
        smr_table_free(t);
    }
    check_near("value", number(whole, 1, 1), 1101.5, 0);
    smr_table_free(whole);
    free(text);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_commas_are_found_and_told),
        cmocka_unit_test(a_given_mark_is_believed_and_not_warned_of),
        cmocka_unit_test(thousands_are_found_and_what_may_be_either_is_not_guessed),
        cmocka_unit_test(what_is_no_number_with_commas_stays_text),
        cmocka_unit_test(columns_with_points_stay_apart),
        cmocka_unit_test(commas_that_come_late_are_read_all_the_same),
        cmocka_unit_test(decimal_points_and_commas_in_one_column_are_an_error),
        cmocka_unit_test(a_model_expects_the_commas_that_it_was_trained_on),
        cmocka_unit_test(missing_marks_and_long_numbers_keep_their_text),
        cmocka_unit_test(a_ragged_row_among_decimal_commas_is_the_one_that_is_named),
        cmocka_unit_test(the_cut_of_the_file_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
