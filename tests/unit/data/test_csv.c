/* Meaning of CSV files: syntax, header, kinds, missing values, rules. */
#include "unit/data/check_csv.h"

#include "core/rng.h"
#include "data/csv_private.h"

static void fields_are_split_by_rfc_4180(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = table_of(ctx, "id,what,where\r\n"
                                 "7,\"a \"\"quoted\"\" word\",\"x,y\"\r\n"
                                 "8,\"two\r\nlines\",plain\r\n"
                                 "9,5\" pipe, blanks around \r\n");
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[1].name, "what");
    check_cell(t, 1, 0, "a \"quoted\" word");
    check_cell(t, 2, 0, "x,y");
    check_cell(t, 1, 1, "two\r\nlines");
    check_cell(t, 1, 2, "5\" pipe");
    check_cell(t, 2, 2, "blanks around");
    check_near("id", number(t, 0, 2), 9, 0);
    assert_true(t->has_header);
    check_note(t, "delimiter: comma");
    check_note(t, "header: yes");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void line_ends_and_byte_order_mark_do_not_matter(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x,y\n1.5,2\n-3,4.25\n",
        "x,y\r\n1.5,2\r\n-3,4.25\r\n",
        "x,y\r1.5,2\r-3,4.25\r",
        "x,y\n1.5,2\n-3,4.25",
        "\xef\xbb\xbfx,y\n1.5,2\n-3,4.25\n",
        "\n\nx,y\n\n1.5,2\n  \n-3,4.25\n\n \n",
        "x,y\r\n\r\n1.5,2\r\n-3,4.25\r\n\r\n",
        "\"x\",\"y\"\n\"1.5\",\"2\"\n\" -3 \",\"4.25\"\n",
        " x , y \n 1.5 , 2 \n -3 , 4.25 \n",
        "x,y\n+1.5,2.\n-3e0,425e-2\n",
    };
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(texts); k++) {
        smr_table *t = table_of(ctx, texts[k]);
        if (t->n_rows != 2 || t->n_cols != 2 || strcmp(t->cols[0].name, "x") ||
            strcmp(t->cols[1].name, "y") || number(t, 0, 0) != 1.5 || number(t, 1, 0) != 2 ||
            number(t, 0, 1) != -3 || number(t, 1, 1) != 4.25)
            fail_msg("text %d was read wrongly", (int)k);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void delimiter_is_found_and_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } cases[] = {
        {"a,b\n1,2.5\n", "delimiter: comma"},      {"a;b\n1;2.5\n", "delimiter: semicolon"},
        {"a\tb\n1\t2.5\n", "delimiter: tab"},      {"a|b\n1|2.5\n", "delimiter: bar"},
        {"a  b\n 1   2.5\n", "delimiter: blanks"}, {"a \t b\n1 2.5 \n", "delimiter: blanks"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = table_of(ctx, cases[k].text);
        assert_int_equal(t->n_cols, 2);
        check_note(t, cases[k].note);
        check_near("b", number(t, 1, 0), 2.5, 0);
        assert_string_equal(t->cols[1].name, "b");
        smr_table_free(t);
    }
    /* Decimal commas do not win over the semicolon. */
    smr_table *t = table_of(ctx, "a;b\n1,5;red, dark\n2,5;blue\n");
    check_note(t, "delimiter: semicolon");
    check_cell(t, 1, 0, "red, dark");
    smr_table_free(t);
    smr_read_opts opts = {.header = -1, .delimiter = ':'};
    check_ok(ctx, read_text(ctx, "p:q\n1:2\n", &opts, &t));
    check_note(t, "delimiter: ':' (given)");
    check_near("q", number(t, 1, 0), 2, 0);
    smr_table_free(t);
    t = table_of(ctx, "name\nPetra\nPaul\n");
    check_note(t, "delimiter: none, one column");
    assert_int_equal(t->n_cols, 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void header_is_detected_by_contrast_or_by_news(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool header;
        int64_t n_rows;
    } cases[] = {
        {"age,city\n31,Rome\n47,Oslo\n", true, 2},      /* text above numbers          */
        {"31,Rome\n47,Oslo\n", false, 2},               /* a number in the first row   */
        {"red,round\nred,long\nblue,long\n", false, 3}, /* red comes again             */
        {"colour,form\nred,long\nblue,round\n", true, 2},
        {"+,acgt\n-,ggta\n+,tttt\n", false, 3},
        {",x,y\n0,1.5,2\n1,3.5,4\n", true, 2}, /* an index column without a name */
        {"?,x\n1,2\n", false, 2},
        {"day,n\n2024-01-31,5\n2024-02-01,6\n", true, 2},
        {"2024-01-31,5\n2024-02-01,6\n", false, 2},
    };
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = table_of(ctx, cases[k].text);
        if (t->has_header != cases[k].header || t->n_rows != cases[k].n_rows)
            fail_msg("case %d: header %d, %d rows", (int)k, t->has_header, (int)t->n_rows);
        if (!t->has_header) assert_string_equal(t->cols[1].name, "1");
        smr_table_free(t);
    }
    smr_table *t;
    smr_read_opts none = {.header = 0}, first = {.header = 1};
    check_ok(ctx, read_text(ctx, "a,b\nc,d\n", &none, &t));
    assert_int_equal(t->n_rows, 2);
    check_note(t, "(given)");
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, "1,2\n3,4\n", &first, &t));
    assert_int_equal(t->n_rows, 1);
    assert_string_equal(t->cols[0].name, "1");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void unnamed_columns_are_called_by_position(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, ",x,\n0,1.5,2\n1,3.5,4\n");
    assert_string_equal(t->cols[0].name, "0");
    assert_string_equal(t->cols[2].name, "2");
    smr_table_free(t);
    smr_read_opts first = {.header = 1};
    check_ok(ctx, read_text(ctx, "2,\xc3\xa9t\xc3\xa9,\n9,1.5,2\n", &first, &t));
    assert_string_equal(t->cols[0].name, "2");
    assert_string_equal(t->cols[1].name, "\xc3\xa9t\xc3\xa9");
    assert_string_equal(t->cols[2].name, "unnamed_2");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void kinds_come_from_values(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = table_of(ctx, "n,flag,day,when,code,nothing,mix\n"
                                 "1e3,yes,2024-02-29,2024-02-29T12:30:00Z,10,,7\n"
                                 "-inf,no,1969/12/31,2024-02-29 12:30,9,NA,2020-01-01\n"
                                 "0x1,yes,1970-01-01,1970-01-01T01:00:00+02:00,a,?,b\n");
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY); /* 0x1 is text, and 2 of 3 are not 99 % */
    assert_int_equal(t->cols[1].kind, SMR_CATEGORY);
    check_cell(t, 1, 0, "yes");
    assert_int_equal(smr_column_code(&t->cols[1], 0), 1); /* no < yes */
    assert_int_equal(t->cols[2].kind, SMR_DATE);
    assert_false(t->cols[2].has_time);
    check_near("leap day", number(t, 2, 0), 1709164800, 0); /* date -u -d 2024-02-29 +%s */
    check_near("before 1970", number(t, 2, 1), -86400, 0);
    assert_true(t->cols[3].has_time);
    check_near("noon", number(t, 3, 0), 1709164800 + 45000, 0);
    check_near("zone", number(t, 3, 2), -3600, 0);
    assert_int_equal(t->cols[4].kind, SMR_CATEGORY);
    assert_int_equal(t->cols[5].kind, SMR_NUMBER);
    assert_int_equal(t->cols[5].n_missing, 3);
    assert_true(isnan(number(t, 5, 1)));
    assert_int_equal(t->cols[6].kind, SMR_CATEGORY);
    check_note(t, "missing: 3 values in 1 column; marks empty, NA, ?");
    check_note(t, "columns: 1 number, 4 categories, 2 dates");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void missing_marks_are_known_and_dashes_only_among_numbers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = table_of(ctx, "n,sign,d\n-,-,None\n.,+,2024-01-01\nNA,-,-\nn/a,+,NaT\n?,NA,\n"
                                 "null,-,2024-01-02\nNaN,+,?\n<NA>,None,NA\n#N/A,.,NULL\n--,-,nan\n"
                                 "17.25,+,\"\"\n");
    assert_int_equal(t->n_rows, 11);
    assert_int_equal(t->cols[0].kind, SMR_NUMBER);
    assert_int_equal(t->cols[0].n_missing, 10);
    check_near("n", number(t, 0, 10), 17.25, 0);
    assert_int_equal(t->cols[1].kind, SMR_CATEGORY);
    assert_int_equal(t->cols[1].n_missing, 1);
    check_cell(t, 1, 0, "-");
    check_cell(t, 1, 7, "None");
    assert_int_equal(t->cols[2].kind, SMR_DATE);
    assert_int_equal(t->cols[2].n_missing, 9);
    smr_table_free(t);

    /* A column of dashes alone is a category with one level, unless it is asked to be a number. */
    t = table_of(ctx, "a,b\n1,-\n2,-\n");
    assert_int_equal(t->cols[1].kind, SMR_CATEGORY);
    assert_int_equal(t->cols[1].n_missing, 0);
    smr_table_free(t);
    smr_column_rule rule = {.name = "b", .kind = SMR_NUMBER};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1};
    check_ok(ctx, read_text(ctx, "a,b\n1,-\n2,-\n", &opts, &t));
    assert_int_equal(t->cols[1].n_missing, 2);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void extra_missing_marks_are_taken_even_where_they_are_numbers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_read_opts opts = {.header = -1, .missing = "-999,unknown, none of these "};
    smr_table *t;
    check_ok(ctx, read_text(ctx,
                            "x,y,z\n-999,a,1\n-999.5,unknown,2\n-999.0,b,3\n7,-999,none of these\n"
                            "8,\"unknown\",\"-999\"\n",
                            &opts, &t));
    assert_int_equal(t->cols[0].n_missing, 1);
    assert_true(isnan(number(t, 0, 0)));
    check_near("another number", number(t, 0, 1), -999.5, 0);
    check_near("another spelling", number(t, 0, 2), -999, 0);
    assert_int_equal(t->cols[1].n_missing, 3);
    assert_int_equal(t->cols[1].levels.n, 2);
    assert_int_equal(t->cols[2].kind, SMR_NUMBER);
    assert_int_equal(t->cols[2].n_missing, 2);
    check_note(t, "marks -999, unknown, none of these");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void levels_are_sorted_as_numbers_or_bytes(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_column_rule rule = {.name = "n", .kind = SMR_CATEGORY};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1};
    smr_table *t;
    check_ok(ctx, read_text(ctx, "n,s\n10,b\n9,B\n-1.5,\xc3\xa9\n10,a\n9.0,b\n", &opts, &t));
    static const char *const numeric[] = {"-1.5", "9", "9.0", "10"};
    static const char *const bytewise[] = {"B", "a", "b", "\xc3\xa9"};
    for (int j = 0; j < 2; j++)
        for (int64_t k = 0; k < 4; k++) {
            int64_t n;
            const char *got = smr_strings_get(&t->cols[j].levels, k, &n);
            const char *want = j ? bytewise[k] : numeric[k];
            assert_int_equal(n, strlen(want));
            assert_memory_equal(got, want, (size_t)n);
        }
    assert_int_equal(smr_column_code(&t->cols[0], 0), 3);
    assert_int_equal(smr_column_code(&t->cols[1], 2), 3);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rules_force_kinds_and_leave_columns_out(void **state)
{
    (void)state;
    static const char text[] = "id,zip,when,note\n1,01234,2024-01,x\n2,00001,2024-02,y\n";
    smr_ctx *ctx = check_ctx(2);
    smr_column_rule rules[] = {{.name = "zip", .kind = SMR_CATEGORY},
                               {.name = "#0", .ignore = true},
                               {.name = "#-1", .kind = SMR_TEXT},
                               {.name = "absent", .optional = true}};
    smr_read_opts opts = {.header = -1, .rules = rules, .n_rules = 4};
    smr_table *t;
    rules[3].optional = false;
    check_fails(ctx, read_text(ctx, text, &opts, &t), SMR_ERR_PARAM, "no column 'absent'");
    rules[3].optional = true;
    check_ok(ctx, read_text(ctx, text, &opts, &t));
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[0].name, "zip");
    check_cell(t, 0, 0, "01234");
    assert_int_equal(t->cols[1].kind, SMR_DATE);
    assert_int_equal(t->cols[2].kind, SMR_TEXT);
    smr_table_free(t);
    opts.only_ruled = true;
    check_ok(ctx, read_text(ctx, text, &opts, &t));
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[1].name, "note");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void given_levels_fix_the_codes(void **state)
{
    (void)state;
    int64_t start[] = {0, 3, 8, 9};
    char bytes[] = "redgreen-";
    smr_strings levels = {.n = 3, .start = start, .bytes = bytes};
    smr_column_rule rule = {.name = "c", .kind = SMR_CATEGORY, .levels = &levels};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1, .only_ruled = true};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t;
    check_ok(ctx,
             read_text(ctx, "x,c\n1,green\n2,blue\n3,NA\n4,\"red\"\n5,-\n6,Green\n", &opts, &t));
    static const int32_t codes[] = {1, -1, -1, 0, 2, -1};
    for (int64_t i = 0; i < 6; i++) assert_int_equal(smr_column_code(&t->cols[0], i), codes[i]);
    assert_int_equal(t->cols[0].n_missing, 1);
    assert_int_equal(t->cols[0].n_unseen, 2);
    assert_int_equal(t->cols[0].levels.n, 3);
    assert_true(t->cols[0].levels.bytes != bytes);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void quotes_in_tab_separated_files_may_be_plain(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t =
        table_of(ctx, "ham\t\"Wait\" he said\nham\tyes\nspam\t\"never closed\nham\t\"all\"\n");
    assert_int_equal(t->n_rows, 4);
    check_cell(t, 1, 0, "\"Wait\" he said");
    check_cell(t, 1, 2, "\"never closed");
    check_cell(t, 1, 3, "\"all\"");
    check_note(t, "quotes: plain characters (line 1 breaks the rules)");
    smr_table_free(t);
    t = table_of(ctx, "ham\t\"a\tb\"\nspam\t\"two\nlines\"\nham\tc\n");
    assert_int_equal(t->n_rows, 3);
    check_cell(t, 1, 0, "a\tb");
    check_cell(t, 1, 1, "two\nlines");
    smr_table_free(t);
    t = table_of(ctx, "\"x\ty\n1\t2\n");
    assert_string_equal(t->cols[0].name, "\"x");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The sample shows one kind, a later row another: only the whole file decides. */
static void late_contradictions_change_the_kind(void **state)
{
    (void)state;
    enum { ROWS = 3001 };
    static char text[ROWS * 64];
    int n = sprintf(text, "a,b,c,d\n");
    for (int i = 0; i < ROWS; i++) {
        bool late = i > 2500;
        n += sprintf(text + n, "%s%d,%s,%s,%s\n", late ? "x" : "", i % 7, late ? "2024-05-06" : "",
                     late ? "word" : "-", late ? "0.5" : "NA");
    }
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = table_of(ctx, text);
    assert_int_equal(t->n_rows, ROWS);
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    assert_int_equal(t->cols[0].levels.n, 14);
    check_cell(t, 0, 6, "6");
    check_cell(t, 0, 3000, "x4");
    assert_int_equal(t->cols[1].kind, SMR_DATE);
    assert_int_equal(t->cols[1].n_missing, 2501);
    check_near("date", number(t, 1, 2501), 1714953600, 0); /* date -u -d 2024-05-06 +%s */
    assert_int_equal(t->cols[2].kind, SMR_CATEGORY);
    assert_int_equal(t->cols[2].n_missing, 0);
    check_cell(t, 2, 0, "-");
    check_cell(t, 2, 2999, "word");
    check_near("d", number(t, 3, 2501), 0.5, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static char warning[SMR_MESSAGE_MAX];

static void keep_warning(void *user, smr_log_level level, const char *message)
{
    (void)user;
    if (level == SMR_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

static void whole_numbers_beyond_2_53_give_a_warning(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    ctx->log = keep_warning;
    warning[0] = '\0';
    smr_table *t = table_of(ctx, "id,x\n9007199254740992,1\n\n9007199254740993,1e300\n"
                                 "-12345678901234567890,2\n");
    if (!strstr(warning, "t.csv:4: column 'id' has 2 whole numbers beyond 2^53") ||
        !strstr(warning, "--type id=category"))
        fail_msg("warning: '%s'", warning);
    check_near("nearest double", number(t, 0, 1), 9007199254740992.0, 0);
    smr_table_free(t);
    warning[0] = '\0';
    t = table_of(ctx, "id,x\n9007199254740992,1e300\n-3,12345678901234567890.5\n");
    assert_string_equal(warning, "");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Random strings with long common beginnings, beginnings of each other, and high bytes. */
static void many_levels_have_the_order_of_few(void **state)
{
    (void)state;
    enum { N = 20011 };
    static const char *const parts[] = {"a",        "\xc3\xa9", "zz",
                                        "12345678", "-",        "same beginning of all "};
    smr_ctx *ctx = check_ctx(1);
    for (int round = 0; round < 5; round++) {
        smr_strings s = {.n = N};
        s.start = calloc(N + 1, sizeof *s.start);
        s.bytes = malloc(N * 200);
        int64_t at = 0;
        for (int i = 0; i < N; i++) {
            uint64_t r = (uint64_t)i;
            int64_t n = smr_random_below(9, SMR_STREAM_TEST, r, 1, 6);
            for (int64_t k = 0; k < n && round < 3; k++) {
                int64_t which = round == 1 && k < 4
                                    ? 5
                                    : smr_random_below(9, SMR_STREAM_TEST, r, (uint64_t)k + 2, 6);
                at += sprintf(s.bytes + at, "%s", parts[which]);
            }
            if (round < 4) at += sprintf(s.bytes + at, "%d%s", i * 7919 % N, round < 2 ? "." : "");
            if (round == 4) at += sprintf(s.bytes + at, "k%d", i / 3 * 7919 % N);
            for (int k = i % 3; round == 4 && k > 0; k--) s.bytes[at++] = '\0';
            s.start[i + 1] = at;
        }
        int64_t *fast = calloc(N, sizeof *fast), *plain = calloc(N, sizeof *plain);
        check_ok(ctx, smr_levels_order(ctx, &s, fast));
        check_ok(ctx, smr_levels_sort(ctx, &s, plain));
        for (int i = 0; i < N; i++)
            if (fast[i] != plain[i]) fail_msg("round %d, place %d differs", round, i);
        free(fast);
        free(plain);
        free(s.start);
        free(s.bytes);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_split_by_rfc_4180),
        cmocka_unit_test(line_ends_and_byte_order_mark_do_not_matter),
        cmocka_unit_test(delimiter_is_found_and_reported),
        cmocka_unit_test(header_is_detected_by_contrast_or_by_news),
        cmocka_unit_test(unnamed_columns_are_called_by_position),
        cmocka_unit_test(kinds_come_from_values),
        cmocka_unit_test(missing_marks_are_known_and_dashes_only_among_numbers),
        cmocka_unit_test(extra_missing_marks_are_taken_even_where_they_are_numbers),
        cmocka_unit_test(levels_are_sorted_as_numbers_or_bytes),
        cmocka_unit_test(many_levels_have_the_order_of_few),
        cmocka_unit_test(rules_force_kinds_and_leave_columns_out),
        cmocka_unit_test(given_levels_fix_the_codes),
        cmocka_unit_test(quotes_in_tab_separated_files_may_be_plain),
        cmocka_unit_test(late_contradictions_change_the_kind),
        cmocka_unit_test(whole_numbers_beyond_2_53_give_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
