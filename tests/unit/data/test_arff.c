/* ARFF files: declarations, quoting, dates, sparse rows, weights, and broken files. */
#include "formats_check.h"

static const char header[] = "% weather\n@RELATION 'my rel'\n\n@attribute 'the outlook' {sunny, "
                             "overcast,'light rain'} % three\n@Attribute temp REAL\n"
                             "@attribute\tnote string\n@attribute t date \"dd.MM.yyyy HH:mm\"\n"
                             "@attribute n integer\n@data\n";

static smr_status read_rows(smr_ctx *ctx, const char *rows, smr_table **out)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", header, rows);
    return read_text(ctx, smr_arff_read, text, out);
}

static void reads_every_kind_of_attribute(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_rows(ctx,
                            "sunny, 1.5, 'it\\'s, 100% \\\\ ok', '29.02.2020 13:05', 3\r\n"
                            "% a comment\n\n'light rain',-2e3,\"b\",?,?  % end\n"
                            "overcast , ? , b , '31.12.1969 23:59' , -4",
                            &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 5);
    assert_true(t->has_header);
    assert_string_equal(t->cols[0].name, "the outlook");
    assert_int_equal(t->cols[0].kind, SMR_CATEGORY);
    check_level(&t->cols[0], 0, "sunny"); /* the declared order */
    check_level(&t->cols[0], 2, "light rain");
    int32_t outlook[] = {0, 2, 1}, note[] = {1, 0, 0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(smr_column_code(&t->cols[0], i), outlook[i]);
        assert_int_equal(smr_column_code(&t->cols[2], i), note[i]);
    }
    check_level(&t->cols[2], 0, "b"); /* strings are sorted */
    check_level(&t->cols[2], 1, "it's, 100% \\ ok");
    assert_true(smr_column_number(&t->cols[1], 1) == -2000);
    assert_int_equal(t->cols[1].n_missing, 1);
    /* date -u -d '2020-02-29 13:05' +%s */
    assert_int_equal(t->cols[3].kind, SMR_DATE);
    assert_true(t->cols[3].has_time);
    assert_true(smr_column_number(&t->cols[3], 0) == 1582981500);
    assert_true(isnan(smr_column_number(&t->cols[3], 1)));
    assert_true(smr_column_number(&t->cols[3], 2) == -60);
    assert_true(smr_column_number(&t->cols[4], 2) == -4);
    assert_non_null(strstr(t->notes, "relation: my rel\n"));
    assert_non_null(strstr(t->notes, "levels: in the declared order\n"));
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void weights_become_a_last_column(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_arff_read,
                            "@attribute a numeric\n@attribute b {x,y}\n@data\n"
                            "1,x\n2,y,{2.5}\n3,x\n{1 y},{4}\n",
                            &t));
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[2].name, "weight");
    double weight[] = {1, 2.5, 1, 4}, a[] = {1, 2, 3, 0};
    int32_t b[] = {0, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        assert_true(smr_column_number(&t->cols[2], i) == weight[i]);
        assert_true(smr_column_number(&t->cols[0], i) == a[i]);
        assert_int_equal(smr_column_code(&t->cols[1], i), b[i]);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void small_sparse_files_become_columns(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_arff_read,
                            "@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n"
                            "@attribute s string\n@attribute d numeric\n@data\n"
                            "{0 1.5, 1 y, 4 7}\n{ }\n{2 ?,3 'q r'}\n1,x,2,z,3\n",
                            &t));
    assert_int_equal(t->n_cols, 5);
    assert_int_equal(t->sparse.n_cols, 0);
    double a[] = {1.5, 0, 0, 1}, c[] = {0, 0, NAN, 2}, d[] = {7, 0, 0, 3};
    int32_t b[] = {1, 0, 0, 0}, s[] = {-1, -1, 0, 1};
    for (int i = 0; i < 4; i++) {
        assert_true(smr_column_number(&t->cols[0], i) == a[i]);
        assert_int_equal(smr_column_code(&t->cols[1], i), b[i]);
        assert_true(bits_of(smr_column_number(&t->cols[2], i)) == bits_of(c[i]));
        assert_int_equal(smr_column_code(&t->cols[3], i), s[i]);
        assert_true(smr_column_number(&t->cols[4], i) == d[i]);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wide_sparse_files_become_a_sparse_block(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    for (int j = 0; j < 2003; j++)
        smr_text_printf(&text, "@attribute w%d %s\n", j, j == 1000 ? "{no,yes}" : "numeric");
    smr_text_add(&text, "@data\n");
    for (int i = 0; i < 101; i++)
        smr_text_printf(&text, "{%d 0.5, %d %s, %d -1.25, 2002 %d}\n", i, 1000,
                        i % 2 ? "yes" : "no", 1001 + i, i);
    check_ok(ctx, read_bytes(ctx, smr_arff_read, text.bytes, text.length, &t));
    assert_int_equal(t->n_cols, 2); /* the nominal attribute, and the last: the target */
    assert_string_equal(t->cols[0].name, "w1000");
    assert_string_equal(t->cols[1].name, "w2002");
    assert_int_equal(t->sparse.n_cols, 2001);
    for (int i = 0; i < 101; i++) {
        assert_int_equal(smr_column_code(&t->cols[0], i), i % 2);
        assert_true(smr_column_number(&t->cols[1], i) == i);
        assert_int_equal(t->sparse.start[i + 1], 2 * (i + 1));
        assert_int_equal(t->sparse.column[2 * i], i);
        assert_int_equal(t->sparse.column[2 * i + 1], 1000 + i); /* w1000 is not numeric */
        assert_true(t->sparse.value[2 * i + 1] == -1.25);
    }
    smr_table_free(t);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void broken_rows_are_named_with_line_and_attribute(void **state)
{
    (void)state;
    static const struct {
        const char *row, *part;
    } cases[] = {
        {"sunny,1,a,?\n", "in:10: the row ends after 4 of 5 values; 'n' is next"},
        {"\nsunny,1,a,?,1,2\n", "in:11: '2' follows the last of 5 values"},
        {"rainy,1,a,?,1\n", "attribute 'the outlook': 'rainy' is not among the declared values"},
        {"sunny,x,a,?,1\n", "attribute 'temp': 'x' is not a number"},
        {"sunny,,a,?,1\n", "attribute 'temp' has no value here; a missing one is written ?"},
        {"sunny,1,'a,?,1\n", "a quote (') is opened and not closed"},
        {"sunny,1,a,'30.02.2020 10:00',1\n", "'30.02.2020' is not a date of the declared format"},
        {"sunny,1,a,'01.01.2020',1\n", "is not a date"},
        {"sunny,1,a,?,1,{x}\n", "'x' is not a weight"},
        {"sunny,1,a,?,1,{-1}\n", "'-1' is not a weight"},
        {"sunny,1,a,?,1,{1\n", "a weight without '}'"},
        {"{0 sunny\n", "the sparse row has no '}'"},
        {"{5 1}\n", "attribute number 5 does not exist; they run from 0 to 4"},
        {"{1 1, 1 2}\n", "attribute number 1 follows 1; they must ascend"},
        {"{x 1}\n", "'x' is not an attribute number"},
        {"% only a comment\n", "in: no rows after @data"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = NULL;
        check_fails(ctx, read_rows(ctx, cases[k].row, &t), SMR_ERR_FORMAT, cases[k].part);
    }
    check_ctx_end(ctx);
}

static void broken_declarations_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"@relation r\n@attribute a numeric\n", "in: the ARFF file has no @data"},
        {"@relation r\n@data\n", "in:2: @data comes before any @attribute"},
        {"hello\n", "in:1: 'hello' is found where @relation, @attribute or @data is expected"},
        {"@attribute a relational\n", "has the type 'relational'; known are numeric"},
        {"@attribute a {x,y\n", "attribute 'a': the list of values has no '}'"},
        {"@attribute a {}\n", "attribute 'a' has an empty list of values"},
        {"@attribute a {x,,y}\n", "attribute 'a': an empty value in its list"},
        {"@attribute a {x,y,x}\n", "attribute 'a' lists the value 'x' twice"},
        {"@attribute\n", "an @attribute without a name"},
        {"@attribute a numeric 3\n", "attribute 'a': '3' follows its type"},
        {"@attribute a date 'EEE dd'\n", "the letter 'E' of its date format is not known"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = NULL;
        check_fails(ctx, read_text(ctx, smr_arff_read, cases[k].text, &t), SMR_ERR_FORMAT,
                    cases[k].part);
    }
    check_ctx_end(ctx);
}

static void lines_longer_than_the_buffer_are_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    smr_text_add(&text, "@attribute a string\n@attribute b numeric\n@data\n'");
    for (int k = 0; k < 100000; k++) smr_text_add(&text, "abcdefgh");
    smr_text_add(&text, "',5.5\nq,6");
    check_ok(ctx, read_bytes(ctx, smr_arff_read, text.bytes, text.length, &t));
    assert_int_equal(t->n_rows, 2);
    int64_t n;
    smr_strings_get(&t->cols[0].levels, 0, &n);
    assert_int_equal(n, 800000);
    assert_true(smr_column_number(&t->cols[1], 0) == 5.5);
    smr_table_free(t);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    const char *dense =
        "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@attribute c string\n"
        "@attribute d date\n@data\nx,1,s,?\ny,?,'t u',2020-01-01T00:00:00,{3}\n";
    const char *sparse = "@attribute a numeric\n@attribute b numeric\n@data\n{0 1}\n{1 2},{2}\n";
    check_survives_failing_memory(smr_arff_read, dense, (int64_t)strlen(dense));
    check_survives_failing_memory(smr_arff_read, sparse, (int64_t)strlen(sparse));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_attribute),
        cmocka_unit_test(weights_become_a_last_column),
        cmocka_unit_test(small_sparse_files_become_columns),
        cmocka_unit_test(wide_sparse_files_become_a_sparse_block),
        cmocka_unit_test(broken_rows_are_named_with_line_and_attribute),
        cmocka_unit_test(broken_declarations_are_refused),
        cmocka_unit_test(lines_longer_than_the_buffer_are_read),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("arff", tests, NULL, NULL);
}
