/* LIBSVM files: exact values, comments, qid, chunks, streams, and every kind of broken line. */
#include "formats_check.h"

#include "core/text.h"

static void reads_labels_indices_and_values_exactly(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_libsvm_read,
                            "+1 1:0.1 3:-2.5e-3 17:123456789012345678\n"
                            "-1\n"
                            "2.75 2:1e400 5:.5\t6:7. 2147483647:nan\n",
                            &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 1);
    assert_string_equal(t->cols[0].name, "label");
    double label[] = {1, -1, 2.75};
    for (int i = 0; i < 3; i++) assert_true(smr_column_number(&t->cols[0], i) == label[i]);
    const smr_csr *x = &t->sparse;
    assert_int_equal(x->n_cols, 2147483647);
    int64_t start[] = {0, 3, 3, 7};
    int32_t column[] = {0, 2, 16, 1, 4, 5, 2147483646};
    double value[] = {0.1, -2.5e-3, 123456789012345678.0, INFINITY, 0.5, 7};
    assert_memory_equal(x->start, start, sizeof start);
    assert_memory_equal(x->column, column, sizeof column);
    assert_memory_equal(x->value, value, sizeof value);
    assert_true(isnan(x->value[6]));
    assert_non_null(strstr(t->notes, "entries: 7\n"));
    assert_string_equal(t->source, "in");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void skips_comments_blank_lines_and_carriage_returns(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx,
             read_text(ctx, smr_libsvm_read,
                       "# a:b comment 1:2\r\n\r\n  \t\n1 1:2 # 3:4\r\n\n#\n  -1 2:3   \r\n0#x\r\n"
                       "4 1:1\r",
                       &t));
    assert_int_equal(t->n_rows, 4);
    assert_int_equal(t->sparse.start[4], 3);
    assert_int_equal(t->sparse.n_cols, 2);
    int32_t column[] = {0, 1, 0};
    assert_memory_equal(t->sparse.column, column, sizeof column);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void qid_becomes_a_column(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_libsvm_read, "1 qid:7 1:2\n0 1:3\n2 qid:-9 2:5", &t));
    assert_int_equal(t->n_cols, 2);
    assert_string_equal(t->cols[1].name, "qid");
    assert_true(smr_column_number(&t->cols[1], 0) == 7);
    assert_true(isnan(smr_column_number(&t->cols[1], 1)));
    assert_true(smr_column_number(&t->cols[1], 2) == -9);
    assert_int_equal(t->cols[1].n_missing, 1);
    assert_int_equal(t->sparse.start[3], 3);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void labels_alone_are_a_table_without_features(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_libsvm_read, "1\n2\n", &t));
    assert_int_equal(t->n_rows, 2);
    assert_int_equal(t->sparse.n_cols, 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void broken_lines_are_named_with_their_number(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"1 1:2\n1 0:3\n", "in:2: '0:3' has index 0"},
        {"1 3:2 2:1\n", "in:1: '2:1' has a smaller index than the pair before it"},
        {"\n# c\n1 2:2 2:1\n", "in:3: '2:1' repeats the index before it"},
        {"1 2:2 5\n", "in:1: '5' has no colon between index and value"},
        {"1 2\n", "in:1: '2' has no colon"},
        {"1 2:x\n", "in:1: '2:x' has a value that is not a number"},
        {"1 2:\n", "in:1: '2:' has a value that is not a number"},
        {"1 2: 3\n", "in:1: '2:' has a value"},
        {"1 2:1.5.2\n", "'2:1.5.2' has a value that is not a number"},
        {"1 2147483648:1\n", "'2147483648:1' has an index beyond 2147483647"},
        {"1 99999999999999999999:1\n", "has an index beyond 2147483647"},
        {"1 -2:1\n", "'-2:1' is not an index:value pair"},
        {"1 a:1\n", "'a:1' is not an index:value pair"},
        {"yes 1:1\n", "'yes' is not a label; a label is a number"},
        {"1,2 1:1\n", "'1,2' gives several labels to one row"},
        {"1:2 3:4\n", "'1:2' is where the label belongs"},
        {"1 qid:x 1:1\n", "'qid:x' has a qid that is not a whole number"},
        {"1 1:1 qid:3\n", "'qid:3' is not an index:value pair"},
        {"1 1:2\r3 1:3\n", "'3' follows a carriage return without a line feed"},
        {"1 1:2\n\x01\x02 3\n", "in:2: '\?\?' is not a label"},
        {"\n\n# nothing\n", "in: no rows"},
        {"", "in: no rows"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = NULL;
        check_fails(ctx, read_text(ctx, smr_libsvm_read, cases[k].text, &t), SMR_ERR_FORMAT,
                    cases[k].part);
        assert_null(t);
    }
    check_ctx_end(ctx);
}

/* Many rows, with blank lines and comments in some of them, against what was written. */
static void make_rows(smr_text *text, int64_t n, bool untidy, double *sum, int64_t *entries)
{
    uint64_t seed = 12345;
    *sum = 0;
    *entries = 0;
    for (int64_t i = 0; i < n; i++) {
        smr_text_printf(text, "%d", (int)(i % 7) - 3);
        int64_t index = 0;
        for (int64_t k = 0; k < i % 23; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            index += 1 + (int64_t)(seed >> 60);
            double x = (double)(int64_t)(seed >> 40) / 4096.0 - 1000;
            smr_text_printf(text, " %d:", (int)index);
            smr_text_number(text, x);
            *sum += x * (double)index;
            ++*entries;
        }
        smr_text_add(text, untidy && i % 11 == 3 ? " # 1:2 3:4\n\n" : "\n");
    }
}

static double weigh(const smr_table *t)
{
    double sum = 0;
    for (int64_t e = 0; e < t->sparse.start[t->n_rows]; e++)
        sum += t->sparse.value[e] * (t->sparse.column[e] + 1);
    return sum;
}

static void chunks_are_joined_the_same_at_any_thread_count(void **state)
{
    (void)state;
    for (int untidy = 0; untidy < 2; untidy++) {
        smr_table *first = NULL;
        smr_ctx *ctx = check_ctx(1);
        smr_text text = {.ctx = ctx};
        double sum;
        int64_t entries;
        make_rows(&text, 20011, untidy, &sum, &entries); /* about 4 MB: 8 chunks */
        assert_true(text.length > 3 << 20);
        check_ok(ctx, read_bytes(ctx, smr_libsvm_read, text.bytes, text.length, &first));
        assert_int_equal(first->n_rows, 20011);
        assert_int_equal(first->sparse.start[20011], entries);
        assert_true(weigh(first) == sum); /* the same terms in the same order */
        for (int64_t i = 0; i < first->n_rows; i++) {
            assert_true(smr_column_number(&first->cols[0], i) == (double)(i % 7) - 3);
            assert_int_equal(first->sparse.start[i + 1] - first->sparse.start[i], i % 23);
        }
        for (int threads = 2; threads <= 7; threads += 5) {
            smr_ctx *other = check_ctx(threads);
            smr_table *t = NULL;
            check_ok(other, read_bytes(other, smr_libsvm_read, text.bytes, text.length, &t));
            check_same_table(first, t);
            smr_table_free(t);
            check_ctx_end(other);
        }
        smr_table_free(first);
        smr_text_release(&text);
        check_ctx_end(ctx);
    }
}

static void error_in_a_late_chunk_has_its_line_number(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(3);
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    for (int64_t i = 0; i < 200000; i++) smr_text_add(&text, i == 170001 ? "1 0:1\n" : "1 2:0.5\n");
    check_fails(ctx, read_bytes(ctx, smr_libsvm_read, text.bytes, text.length, &t), SMR_ERR_FORMAT,
                "in:170002: '0:1' has index 0");
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void one_line_longer_than_many_chunks_is_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    smr_text_add(&text, "5 1:1\n7");
    for (int k = 1; k <= 300000; k++) smr_text_printf(&text, " %d:%d.25", k, k);
    smr_text_add(&text, "\n9 2:3");
    check_ok(ctx, read_bytes(ctx, smr_libsvm_read, text.bytes, text.length, &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->sparse.start[3], 300002);
    assert_true(t->sparse.value[300000] == 300000.25);
    assert_true(smr_column_number(&t->cols[0], 2) == 9);
    smr_table_free(t);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void gzip_gives_the_same_table_in_batches(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct folder f = folder_make();
    smr_text text = {.ctx = ctx};
    smr_table *plain = NULL, *packed = NULL;
    double sum;
    int64_t entries;
    make_rows(&text, 100003, true, &sum, &entries); /* 20 MB: two batches */
    assert_true(text.length > 17 << 20);
    smr_sink *sink = NULL;
    check_ok(ctx, smr_sink_open(ctx, folder_file(&f, "a.svm.gz"), true, &sink));
    check_ok(ctx, smr_sink_write(ctx, sink, text.bytes, text.length));
    check_ok(ctx, smr_sink_commit(ctx, sink));
    smr_sink_close(sink);
    check_ok(ctx, read_bytes(ctx, smr_libsvm_read, text.bytes, text.length, &plain));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.svm.gz"), NULL, &packed));
    check_same_table(plain, packed);
    smr_table_free(plain);
    smr_table_free(packed);
    smr_text_release(&text);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void peak_memory_stays_below_twice_what_is_stored(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    struct folder f = folder_make();
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    double sum;
    int64_t entries, peak;
    make_rows(&text, 100003, false, &sum, &entries);
    folder_write(&f, "a.svm", text.bytes, (size_t)text.length);
    smr_text_release(&text);
    check_ctx_end(ctx);
    ctx = check_ctx(2);
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.svm"), NULL, &t));
    smr_ctx_memory(ctx, &peak);
    double stored = 12.0 * (double)entries + 16.0 * 100003;
    assert_true((double)peak <= 2 * stored);
    smr_table_free(t);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    const char *text = "1 qid:3 1:2 5:6\n2 3:4 # x\n\n";
    check_survives_failing_memory(smr_libsvm_read, text, (int64_t)strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_labels_indices_and_values_exactly),
        cmocka_unit_test(skips_comments_blank_lines_and_carriage_returns),
        cmocka_unit_test(qid_becomes_a_column),
        cmocka_unit_test(labels_alone_are_a_table_without_features),
        cmocka_unit_test(broken_lines_are_named_with_their_number),
        cmocka_unit_test(chunks_are_joined_the_same_at_any_thread_count),
        cmocka_unit_test(error_in_a_late_chunk_has_its_line_number),
        cmocka_unit_test(one_line_longer_than_many_chunks_is_read),
        cmocka_unit_test(gzip_gives_the_same_table_in_batches),
        cmocka_unit_test(peak_memory_stays_below_twice_what_is_stored),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("libsvm", tests, NULL, NULL);
}
