/* NPY files: versions, orders, dtypes, byte orders, shapes, and what is refused. */
#include "formats_check.h"
#include "truth/arrays.h"

/* A file in memory. */
struct npy {
    char bytes[4096];
    int64_t n;
};

/* Version 1, 2 or 3, a header dictionary, and the raw numbers. */
static struct npy make(int version, const char *header, const void *raw, size_t n_raw)
{
    struct npy f = {.n = 0};
    size_t length = strlen(header);
    memcpy(f.bytes, "\x93NUMPY", 6);
    f.bytes[6] = (char)version;
    f.bytes[8] = (char)(length & 255);
    f.bytes[9] = (char)(length >> 8);
    f.n = version == 1 ? 10 : 12;
    memcpy(f.bytes + f.n, header, length);
    f.n += (int64_t)length;
    if (n_raw) memcpy(f.bytes + f.n, raw, n_raw);
    f.n += (int64_t)n_raw;
    return f;
}

static smr_status read_npy(smr_ctx *ctx, const struct npy *f, smr_table **out)
{
    return read_bytes(ctx, smr_npy_read, f->bytes, f->n, out);
}

static void rows_are_strided_views_of_one_block(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double x[] = {1.5, -2.25, 3e-300, NAN, 5, 6.125};
    struct npy f =
        make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", x, sizeof x);
    smr_table *t = NULL;
    check_ok(ctx, read_npy(ctx, &f, &t));
    assert_int_equal(t->n_rows, 2);
    assert_int_equal(t->n_cols, 3);
    assert_int_equal(t->n_blocks, 1);
    for (int j = 0; j < 3; j++) {
        assert_int_equal(t->cols[j].dtype, SMR_F64);
        assert_int_equal(t->cols[j].stride, 3);
        assert_ptr_equal(t->cols[j].values, (double *)t->blocks[0] + j);
    }
    assert_memory_equal(t->blocks[0], x, sizeof x);
    assert_int_equal(t->cols[0].n_missing, 1);
    assert_int_equal(t->cols[1].n_missing, 0);
    assert_string_equal(t->cols[2].name, "2");
    assert_false(t->has_header);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void fortran_order_gives_neighbouring_columns(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    float x[] = {1, 2, 3, 4, 5, 6}; /* numpy.arange(1,7).reshape(3,2).T, f4, order F */
    struct npy f = make(2, "{'shape': (2, 3), 'fortran_order': True, 'descr': '<f4'}", x, sizeof x);
    smr_table *t = NULL;
    check_ok(ctx, read_npy(ctx, &f, &t));
    assert_int_equal(t->cols[1].stride, 1);
    assert_int_equal(t->cols[1].dtype, SMR_F32);
    assert_true(smr_column_number(&t->cols[0], 1) == 2);
    assert_true(smr_column_number(&t->cols[1], 0) == 3);
    assert_true(smr_column_number(&t->cols[2], 1) == 6);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Element (i, a, b) of a 2 x 3 x 4 array is 100 i + 10 a + b, in either order. */
static void items_of_three_dimensions_are_flattened_in_c_order(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int fortran = 0; fortran < 2; fortran++) {
        uint8_t x[24];
        for (int i = 0; i < 2; i++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 4; b++)
                    x[fortran ? i + 2 * (a + 3 * b) : (i * 3 + a) * 4 + b] =
                        (uint8_t)(100 * i + 10 * a + b);
        struct npy f =
            make(3,
                 fortran ? "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4)}"
                         : "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4)}",
                 x, sizeof x);
        smr_table *t = NULL;
        check_ok(ctx, read_npy(ctx, &f, &t));
        assert_int_equal(t->n_cols, 12);
        assert_int_equal(t->item_shape[0], 3);
        assert_int_equal(t->item_shape[1], 4);
        assert_int_equal(t->item_shape[2], 0);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 12; j++)
                assert_true(smr_column_number(&t->cols[j], i) == 100 * i + 10 * (j / 4) + j % 4);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* numpy's bytes (tests/truth/arrays.py), and how each type is kept. */
static void every_dtype_and_byte_order_is_read(void **state)
{
    (void)state;
    static const smr_dtype dtype[] = {SMR_F64, SMR_F64, SMR_F32, SMR_F32, SMR_F64, SMR_F64,
                                      SMR_U8,  SMR_F64, SMR_U8,  SMR_F64, SMR_F64, SMR_F64,
                                      SMR_I32, SMR_I32, SMR_F64, SMR_F64, SMR_F64, SMR_F64};
    assert_int_equal(SMR_COUNT(dtype), SMR_COUNT(npy_truth));
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(npy_truth); k++) {
        char header[96];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
                 npy_truth[k].descr);
        struct npy f = make(1, header, npy_truth[k].bytes, (size_t)npy_truth[k].n_bytes);
        smr_table *t = NULL;
        check_ok(ctx, read_npy(ctx, &f, &t));
        assert_int_equal(t->n_cols, 1);
        assert_int_equal(t->cols[0].dtype, dtype[k]);
        for (int i = 0; i < 2; i++)
            if (smr_column_number(&t->cols[0], i) != npy_truth[k].want[i])
                fail_msg("%s: %g is not %g", npy_truth[k].descr, smr_column_number(&t->cols[0], i),
                         npy_truth[k].want[i]);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void keep_warning(void *user, smr_log_level level, const char *message)
{
    if (level == SMR_LOG_WARNING) snprintf(user, 200, "%s", message);
}

static void integers_beyond_two_to_the_53_are_warned_about(void **state)
{
    (void)state;
    char said[200] = "";
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {
        .size = sizeof opts, .n_threads = 1, .log = keep_warning, .log_user = said};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    int64_t x[] = {5, (1ll << 53) + 1, -(1ll << 60)};
    struct npy f = make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", x, sizeof x);
    smr_table *t = NULL;
    check_ok(ctx, read_npy(ctx, &f, &t));
    assert_non_null(strstr(said, "2 whole numbers are beyond 2^53"));
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wrong_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t n_raw;
        smr_status status;
        const char *part;
    } cases[] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", 24, SMR_ERR_UNSUPPORTED,
         "in: the array holds pickled Python objects"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", 24,
         SMR_ERR_UNSUPPORTED, "in: the array holds records"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", 16, SMR_ERR_UNSUPPORTED,
         "the array's dtype '<c16' cannot be read"},
        {"{'descr': '<U7', 'fortran_order': False, 'shape': (1,)}", 28, SMR_ERR_UNSUPPORTED,
         "dtype '<U7'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 8, SMR_ERR_SHAPE,
         "in: a single number, not a table"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", 0, SMR_ERR_SHAPE,
         "in: an array without numbers (dimension 0 is 0)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1)}", 23, SMR_ERR_FORMAT,
         "in: truncated: the header promises 24 bytes of numbers, the file has 23"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1)}", 25, SMR_ERR_FORMAT,
         "in: more bytes follow the last of the 3 numbers"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 8,
         SMR_ERR_SHAPE, "in: the shape has more numbers than any file can hold"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}", 8, SMR_ERR_FORMAT,
         "in: truncated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", 8, SMR_ERR_FORMAT,
         "cannot be understood at '-1,)}'"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}", 8, SMR_ERR_FORMAT,
         "cannot be understood at 'Maybe,'"},
        {"{'descr': '<f8', 'shape': (1,)}", 8, SMR_ERR_FORMAT,
         "lacks descr, fortran_order or shape"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 8,
         SMR_ERR_FORMAT, "cannot be understood"},
        {"import os", 8, SMR_ERR_FORMAT, "cannot be understood at 'import'"},
        {"", 8, SMR_ERR_FORMAT, "cannot be understood"},
    };
    smr_ctx *ctx = check_ctx(1);
    static const char raw[64];
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        struct npy f = make(1, cases[k].header, raw, cases[k].n_raw);
        smr_table *t = NULL;
        check_fails(ctx, read_npy(ctx, &f, &t), cases[k].status, cases[k].part);
    }
    struct npy f = make(4, "{}", raw, 8);
    smr_table *t = NULL;
    check_fails(ctx, read_npy(ctx, &f, &t), SMR_ERR_UNSUPPORTED, "NPY version 4.0 is unknown");
    check_fails(ctx, read_text(ctx, smr_npy_read, "hello, numpy", &t), SMR_ERR_FORMAT,
                "in: not an NPY file");
    check_ctx_end(ctx);
}

static void every_truncation_of_a_file_fails(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int32_t x[] = {7, -8, 9};
    struct npy f =
        make(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 1), }\n", x, sizeof x);
    for (int64_t n = 0; n < f.n; n++) {
        smr_table *t = NULL;
        check_fails(ctx, read_bytes(ctx, smr_npy_read, f.bytes, n, &t), SMR_ERR_FORMAT, "in: ");
    }
    check_ctx_end(ctx);
}

static void gzip_and_large_files_give_the_same_as_memory(void **state)
{
    (void)state;
    enum { N = 300007, D = 3 };
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(3);
    double *x = smr_alloc(ctx, N * D, sizeof *x);
    for (int64_t i = 0; i < N * D; i++) x[i] = (double)(i * 7919 % 100003) / 7 - 1000;
    x[5] = NAN;
    smr_dense X = {x, SMR_F64, N, D, D};
    smr_table *t = NULL, *plain = NULL, *packed = NULL;
    check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "a.npy"), SMR_FORMAT_AUTO));
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "a.npy.gz"), SMR_FORMAT_AUTO));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.npy"), NULL, &plain));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.npy.gz"), NULL, &packed));
    assert_memory_equal(plain->blocks[0], x, N * D * sizeof *x);
    assert_int_equal(plain->cols[2].n_missing, 1);
    check_same_table(plain, packed);
    smr_table_free(plain);
    smr_table_free(packed);
    smr_table_free(t);
    smr_free(x);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    double x[] = {1, NAN, 3, 4};
    struct npy f =
        make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", x, sizeof x);
    check_survives_failing_memory(smr_npy_read, f.bytes, f.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_strided_views_of_one_block),
        cmocka_unit_test(fortran_order_gives_neighbouring_columns),
        cmocka_unit_test(items_of_three_dimensions_are_flattened_in_c_order),
        cmocka_unit_test(every_dtype_and_byte_order_is_read),
        cmocka_unit_test(integers_beyond_two_to_the_53_are_warned_about),
        cmocka_unit_test(wrong_files_are_refused_with_a_sentence),
        cmocka_unit_test(every_truncation_of_a_file_fails),
        cmocka_unit_test(gzip_and_large_files_give_the_same_as_memory),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
