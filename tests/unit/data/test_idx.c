/* IDX files: pictures, other number types, labels, sizes checked before memory is taken; and how
 * smr_table_read finds a format. */
#include "formats_check.h"

static void pictures_are_bytes_with_an_item_shape(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char file[] = "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"
                  "\x01\x02\x03\x04\x05\x06\x0b\x0c\x0d\x0e\x0f\xff";
    smr_table *t = NULL;
    check_ok(ctx, read_bytes(ctx, smr_idx_read, file, sizeof file - 1, &t));
    assert_int_equal(t->n_rows, 2);
    assert_int_equal(t->n_cols, 6);
    assert_int_equal(t->item_shape[0], 2);
    assert_int_equal(t->item_shape[1], 3);
    assert_int_equal(t->item_shape[2], 0);
    assert_int_equal(t->cols[4].dtype, SMR_U8);
    assert_string_equal(t->cols[4].name, "4");
    assert_true(smr_column_number(&t->cols[4], 0) == 5);
    assert_true(smr_column_number(&t->cols[5], 1) == 255);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void other_number_types_are_big_endian(void **state)
{
    (void)state;
    static const struct {
        char type;
        int n;
        const char *bytes;
        smr_dtype dtype;
        double want[2];
    } cases[] = {
        {9, 2, "\x07\xff", SMR_F64, {7, -1}},
        {11, 4, "\xff\xfe\x01,", SMR_F64, {-2, 300}},
        {12, 8, "\xff\xff\xff\xfe\0\0\x01,", SMR_I32, {-2, 300}},
        {13,
         8,
         "\xbf\xc0\0\0"
         "C\x96\0\0",
         SMR_F32,
         {-1.5, 300}},
        {14, 16, "\xbf\xf8\0\0\0\0\0\0@r\xc0\0\0\0\0\0", SMR_F64, {-1.5, 300}},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        char file[32] = {0, 0, cases[k].type, 1, 0, 0, 0, 2};
        memcpy(file + 8, cases[k].bytes, (size_t)cases[k].n);
        smr_table *t = NULL;
        check_ok(ctx, read_bytes(ctx, smr_idx_read, file, 8 + cases[k].n, &t));
        assert_int_equal(t->cols[0].dtype, cases[k].dtype);
        for (int i = 0; i < 2; i++)
            assert_true(smr_column_number(&t->cols[0], i) == cases[k].want[i]);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void false_headers_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int64_t n;
        smr_status status;
        const char *part;
    } cases[] = {
        {"\0\0\x08\x03\xff\xff\xff\xff\0\0\1\0\0\0\1\0x", 17, SMR_ERR_FORMAT,
         "in: truncated: the header promises 281474976645120 bytes of numbers, the file has 1"},
        {"\0\0\x08\x04\xff\xff\xff\xff\xff\xff\xff\xff\0\0\1\0\0\0\1\0x", 21, SMR_ERR_SHAPE,
         "more numbers than any file can hold"},
        {"\0\0\x08\x01\0\0\0\x02"
         "abc",
         11, SMR_ERR_FORMAT, "more bytes follow"},
        {"\0\0\x08\x01\0\0\0\0", 8, SMR_ERR_SHAPE, "without numbers (dimension 0 is 0)"},
        {"\0\0\x0a\x01\0\0\0\1x", 9, SMR_ERR_FORMAT, "it begins with bytes 0 0 10 1"},
        {"\0\0\x08\x09\0\0\0\1x", 9, SMR_ERR_FORMAT, "an IDX file of 9 dimensions; 1 to 8"},
        {"\0\0\x08\x00", 4, SMR_ERR_FORMAT, "an IDX file of 0 dimensions"},
        {"\0\0\x08\x02\0\0\0\1\0", 9, SMR_ERR_FORMAT, "truncated in the IDX header"},
        {"", 0, SMR_ERR_FORMAT, "truncated in the IDX header"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t = NULL;
        int64_t peak;
        check_fails(ctx, read_bytes(ctx, smr_idx_read, cases[k].bytes, cases[k].n, &t),
                    cases[k].status, cases[k].part);
        smr_ctx_memory(ctx, &peak);
        assert_true(peak < 10000);
    }
    check_ctx_end(ctx);
}

/* In a stream the size is not known beforehand: memory grows with what arrives. */
static void false_header_in_a_gzip_takes_little_memory(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_sink *sink = NULL;
    smr_table *t = NULL;
    int64_t peak;
    check_ok(ctx, smr_sink_open(ctx, folder_file(&f, "a.idx.gz"), true, &sink));
    check_ok(ctx, smr_sink_write(ctx, sink, "\0\0\x08\x02\0\xff\xff\xff\0\0\1\0abc", 15));
    check_ok(ctx, smr_sink_commit(ctx, sink));
    smr_sink_close(sink);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.idx.gz"), NULL, &t), SMR_ERR_FORMAT,
                "truncated: the header promises 4294967040 bytes of numbers, the file has 3");
    smr_ctx_memory(ctx, &peak);
    assert_true(peak < 4 << 20);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void labels_are_appended_as_a_column(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    folder_write(&f, "x-idx2-ubyte",
                 "\0\0\x08\x02\0\0\0\x03\0\0\0\x02"
                 "abcdef",
                 18);
    folder_write(&f, "y-idx1-ubyte", "\0\0\x08\x01\0\0\0\x03\x05\x00\x09", 11);
    folder_write(&f, "short-idx1-ubyte", "\0\0\x08\x01\0\0\0\x02\x05\x00", 10);
    smr_read_opts opts = {.header = -1};
    char labels[160];
    snprintf(labels, sizeof labels, "%s", folder_file(&f, "y-idx1-ubyte"));
    opts.labels = labels;
    smr_table *t = NULL;
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "x-idx2-ubyte"), &opts, &t));
    assert_int_equal(t->n_cols, 3);
    assert_string_equal(t->cols[2].name, "label");
    assert_int_equal(t->cols[2].kind, SMR_NUMBER);
    assert_true(smr_column_number(&t->cols[2], 0) == 5 && smr_column_number(&t->cols[2], 2) == 9);
    assert_true(smr_column_number(&t->cols[1], 2) == 'f');
    smr_table_free(t);
    snprintf(labels, sizeof labels, "%s", folder_file(&f, "short-idx1-ubyte"));
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "x-idx2-ubyte"), &opts, &t), SMR_ERR_SHAPE,
                "has 2 labels, and ");
    snprintf(labels, sizeof labels, "%s", folder_file(&f, "x-idx2-ubyte"));
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "x-idx2-ubyte"), &opts, &t), SMR_ERR_SHAPE,
                "a file of labels has one column, not 2");
    folder_remove(&f);
    check_ctx_end(ctx);
}

/* ---- formats ---- */

static void formats_follow_the_name_and_then_the_bytes(void **state)
{
    (void)state;
    assert_int_equal(smr_format_of_path("a/b.CSV"), SMR_FORMAT_CSV);
    assert_int_equal(smr_format_of_path("b.tsv.gz"), SMR_FORMAT_CSV);
    assert_int_equal(smr_format_of_path("b.libsvm"), SMR_FORMAT_LIBSVM);
    assert_int_equal(smr_format_of_path("t10k-images-idx3-ubyte.gz"), SMR_FORMAT_IDX);
    assert_int_equal(smr_format_of_path("b.npy"), SMR_FORMAT_NPY);
    assert_int_equal(smr_format_of_path("b.arff"), SMR_FORMAT_ARFF);
    assert_int_equal(smr_format_of_path("a9a"), SMR_FORMAT_AUTO);
    assert_int_equal(smr_format_of_path(".csv"), SMR_FORMAT_AUTO);
    static const struct {
        const char *bytes;
        smr_format format;
    } cases[] = {
        {"1 2:3 4:5\n", SMR_FORMAT_LIBSVM},    {"# c\n\n-1.5e3\t7:1\n", SMR_FORMAT_LIBSVM},
        {"+1 qid:3 7:1\n", SMR_FORMAT_LIBSVM}, {"1,2:3\n", SMR_FORMAT_CSV},
        {"a b:c\n", SMR_FORMAT_CSV},           {"% c\n @Relation x\n", SMR_FORMAT_ARFF},
        {"x,y\n1,2\n", SMR_FORMAT_CSV},        {"12:30 1:2\n", SMR_FORMAT_CSV},
        {"\x93NUMPY\x01", SMR_FORMAT_NPY},     {"1 2 3\n", SMR_FORMAT_CSV},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_format got;
        check_ok(ctx, smr_format_of_bytes(ctx, "in", cases[k].bytes,
                                          (int64_t)strlen(cases[k].bytes), &got));
        if (got != cases[k].format) fail_msg("'%s' is taken for %d", cases[k].bytes, (int)got);
    }
    check_ctx_end(ctx);
}

static void what_is_no_table_is_called_by_its_name(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    folder_write(&f, "a.csv", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.csv"), NULL, &t), SMR_ERR_FORMAT,
                "a.csv: named like a csv file, but holds picture data; rename it or use --format "
                "picture");
    folder_write(&f, "a.gif", "GIF89a", 6);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.gif"), NULL, &t), SMR_ERR_FORMAT,
                "a.gif: not a table, but a GIF image");
    folder_write(&f, "b", "PK\x03\x04whatever", 12);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "b"), NULL, &t), SMR_ERR_FORMAT,
                "not a table, but a zip archive");
    folder_write(&f, "c", "abc\0def", 7);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "c"), NULL, &t), SMR_ERR_FORMAT,
                "byte 3 is 0");
    folder_write(&f, "d.csv", "\x93NUMPY\x01\0v\0{", 11);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "d.csv"), NULL, &t), SMR_ERR_FORMAT,
                "named like a csv file, but holds npy data");
    folder_write(&f, "e.svm", "", 0);
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "e.svm"), NULL, &t), SMR_ERR_FORMAT,
                "e.svm: the file is empty");
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "absent.svm"), NULL, &t), SMR_ERR_IO,
                "absent.svm");
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    check_survives_failing_memory(smr_idx_read, "\0\0\x0c\x02\0\0\0\2\0\0\0\1abcdefgh", 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_bytes_with_an_item_shape),
        cmocka_unit_test(other_number_types_are_big_endian),
        cmocka_unit_test(false_headers_are_refused_before_memory_is_taken),
        cmocka_unit_test(false_header_in_a_gzip_takes_little_memory),
        cmocka_unit_test(labels_are_appended_as_a_column),
        cmocka_unit_test(formats_follow_the_name_and_then_the_bytes),
        cmocka_unit_test(what_is_no_table_is_called_by_its_name),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("idx", tests, NULL, NULL);
}
