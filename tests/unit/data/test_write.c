/* Writers: what is written, and that every format reads back bit for bit. */
#include "formats_check.h"

#include "data/vocab.h"

/* ---- tables to write ---- */

static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Every double is as likely as its bits, but NaN. */
static double any_double(uint64_t *state)
{
    for (;;) {
        double x;
        uint64_t u = next_bits(state);
        memcpy(&x, &u, 8);
        if (!isnan(x)) return x;
    }
}

static void name_column(smr_ctx *ctx, smr_column *c, const char *name, smr_kind kind,
                        smr_dtype dtype, int64_t n)
{
    c->name = smr_strdup(ctx, name);
    c->kind = kind;
    c->dtype = dtype;
    c->owns_values = true;
    c->values = smr_alloc(ctx, n, smr_dtype_size(dtype));
    assert_non_null(c->values);
}

static void set_levels(smr_ctx *ctx, smr_column *c, const char *const *list, int64_t n)
{
    smr_vocab v = {0};
    int32_t code;
    for (int64_t k = 0; k < n; k++)
        check_ok(ctx, smr_vocab_add(ctx, &v, list[k], (int64_t)strlen(list[k]), &code));
    check_ok(ctx, smr_strings_copy(ctx, &v.strings, NULL, &c->levels));
    smr_vocab_release(&v);
}

static const char *const awkward[] = {"\"q\"",  "'s'",         ",",      "a b", "back\\slash",
                                      "brace}", "caf\xc3\xa9", "l1\nl2", "p%c", "tab\tx"};

/* Numbers of any size, small whole numbers, awkward strings, days and moments, all with gaps. */
static smr_table *mixed_table(smr_ctx *ctx, int64_t n)
{
    smr_table *t = NULL;
    uint64_t s = 42;
    check_ok(ctx, smr_table_new(ctx, n, 5, &t));
    t->has_header = true;
    name_column(ctx, &t->cols[0], "any, number", SMR_NUMBER, SMR_F64, n);
    name_column(ctx, &t->cols[1], "whole", SMR_NUMBER, SMR_F64, n);
    name_column(ctx, &t->cols[2], "say \"hi\"", SMR_CATEGORY, SMR_I32, n);
    name_column(ctx, &t->cols[3], "day", SMR_DATE, SMR_F64, n);
    name_column(ctx, &t->cols[4], "moment", SMR_DATE, SMR_F64, n);
    set_levels(ctx, &t->cols[2], awkward, SMR_COUNT(awkward));
    t->cols[4].has_time = true;
    for (int64_t i = 0; i < n; i++) {
        bool gap = i % 17 == 5;
        ((double *)t->cols[0].values)[i] = gap ? NAN : any_double(&s);
        ((double *)t->cols[1].values)[i] = (double)(int64_t)(next_bits(&s) % 2001) - 1000;
        ((int32_t *)t->cols[2].values)[i] = gap ? -1 : (int32_t)(i % SMR_COUNT(awkward));
        ((double *)t->cols[3].values)[i] =
            gap ? NAN : 86400.0 * ((double)(next_bits(&s) % 100000) - 50000);
        ((double *)t->cols[4].values)[i] =
            gap ? NAN : (double)(next_bits(&s) % 4000000000u) + (i % 2 ? 0.125 : 0);
        for (int j = 0; j < 5; j++) t->cols[j].n_missing += gap && j != 1;
    }
    return t;
}

/* Writes, reads back with the same opts, compares. */
static void check_round_trip(smr_ctx *ctx, const smr_table *t, const char *name,
                             const smr_read_opts *opts)
{
    struct folder f = folder_make();
    smr_table *back = NULL;
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, name), SMR_FORMAT_AUTO));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, name), opts, &back));
    check_same_table(t, back);
    smr_table_free(back);
    folder_remove(&f);
}

/* The file's bytes, NUL-terminated. */
static const char *written(smr_ctx *ctx, const smr_table *t, const char *name)
{
    static char bytes[4096];
    struct folder f = folder_make();
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, name), SMR_FORMAT_AUTO));
    FILE *file = fopen(folder_file(&f, name), "rb");
    assert_non_null(file);
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    folder_remove(&f);
    return bytes;
}

/* ---- tests ---- */

static void text_formats_read_back_bit_for_bit(void **state)
{
    (void)state;
    check_no_races();
    for (int threads = 1; threads <= 3; threads += 2) {
        smr_ctx *ctx = check_ctx(threads);
        smr_table *t = mixed_table(ctx, 12345);
        check_round_trip(ctx, t, "a.arff", NULL);
        check_round_trip(ctx, t, "a.arff.gz", NULL);
        check_round_trip(ctx, t, "a.csv", NULL);
        check_round_trip(ctx, t, "a.tsv", NULL);
        check_round_trip(ctx, t, "a.csv.gz", NULL);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void bytes_are_the_same_at_any_thread_count(void **state)
{
    (void)state;
    static const char *const names[] = {"a.csv", "a.arff"};
    struct folder f = folder_make();
    for (int k = 0; k < 2; k++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 7; threads += 3) {
            smr_ctx *ctx = check_ctx(threads);
            smr_table *t = mixed_table(ctx, 9001);
            smr_source *source = NULL;
            char *bytes = NULL;
            int64_t n;
            check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, names[k]), SMR_FORMAT_AUTO));
            check_ok(ctx, smr_source_open(ctx, folder_file(&f, names[k]), &source));
            check_ok(ctx, smr_source_whole(ctx, source, 1 << 30, &bytes, &n));
            uint64_t h = (uint64_t)n;
            for (int64_t i = 0; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 1099511628211u;
            if (threads == 1) first = h;
            assert_true(h == first);
            smr_free(bytes);
            smr_source_close(source);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
    }
    folder_remove(&f);
}

static smr_table *from_svm(smr_ctx *ctx, const char *text)
{
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, smr_libsvm_read, text, &t));
    return t;
}

static void sparse_tables_read_back_bit_for_bit(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_text text = {.ctx = ctx};
    uint64_t s = 7;
    for (int64_t i = 0; i < 3001; i++) {
        smr_text_printf(&text, "%d qid:%d", (int)(i % 3), (int)(i / 10));
        int64_t index = 0;
        for (int64_t k = 0; k < i % 9; k++) {
            smr_text_printf(&text, " %d:", (int)(index += 1 + (int64_t)(next_bits(&s) % 500)));
            smr_text_number(&text, i % 100 == 7 ? 0 : any_double(&s)); /* kept: a stored zero */
        }
        smr_text_add(&text, "\n");
    }
    assert_false(text.failed);
    smr_table *t = from_svm(ctx, text.bytes);
    check_round_trip(ctx, t, "a.svm", NULL);
    check_round_trip(ctx, t, "a.libsvm.gz", NULL);
    smr_table_free(t);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void sparse_tables_are_spelled_out_in_csv(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = from_svm(ctx, "1 2:0.5 4:-3\n-1\n2 1:nan 3:1e-7\n");
    assert_string_equal(written(ctx, t, "a.csv"), "label,0,1,2,3\n"
                                                  "1,0,0.5,0,-3\n"
                                                  "-1,0,0,0,0\n"
                                                  "2,,0,1e-7,0\n");
    assert_string_equal(written(ctx, t, "a.arff"), "@relation table\n\n"
                                                   "@attribute 0 numeric\n@attribute 1 numeric\n"
                                                   "@attribute 2 numeric\n@attribute 3 numeric\n"
                                                   "@attribute label numeric\n\n@data\n"
                                                   "{1 0.5,3 -3,4 1}\n{4 -1}\n"
                                                   "{0 ?,2 1e-7,4 2}\n");
    smr_table_free(t);
    t = from_svm(ctx, "1 2000000000:1\n");
    check_fails(ctx, smr_table_write(ctx, t, "/nowhere/a.csv", SMR_FORMAT_AUTO), SMR_ERR_IO, "");
    struct folder f = folder_make();
    check_fails(ctx, smr_table_write(ctx, t, folder_file(&f, "a.csv"), SMR_FORMAT_AUTO),
                SMR_ERR_UNSUPPORTED, "a sparse table of 1 x 2000000000 would be spelled out");
    assert_int_equal(access(folder_file(&f, "a.csv"), F_OK), -1); /* nothing was left behind */
    folder_remove(&f);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void csv_quotes_what_would_be_misread(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const char *const odd[] = {"", "NA", " x", "a,b", "c\"d", "e"};
    smr_table *t = NULL;
    check_ok(ctx, smr_table_new(ctx, 7, 1, &t));
    t->has_header = true;
    name_column(ctx, &t->cols[0], "s", SMR_CATEGORY, SMR_I32, 7);
    set_levels(ctx, &t->cols[0], odd, 6);
    for (int i = 0; i < 7; i++) ((int32_t *)t->cols[0].values)[i] = i - 1;
    assert_string_equal(written(ctx, t, "a.csv"),
                        "s\nNA\n\"\"\n\"NA\"\n\" x\"\n\"a,b\"\n\"c\"\"d\"\ne\n");
    assert_string_equal(written(ctx, t, "a.tsv"),
                        "s\nNA\n\"\"\n\"NA\"\n\" x\"\na,b\n\"c\"\"d\"\ne\n");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void names_that_are_positions_need_no_header(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    uint8_t x[] = {1, 200, 0, 7};
    smr_dense X = {x, SMR_U8, 2, 2, 2};
    smr_table *t = NULL;
    check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
    assert_string_equal(written(ctx, t, "a.csv"), "1,200\n0,7\n");
    t->has_header = true; /* wherever the names came from: a reader gives the same ones again */
    assert_string_equal(written(ctx, t, "a.csv"), "1,200\n0,7\n");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void dates_have_as_many_decimals_as_they_need(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        bool has_time;
        const char *want;
    } cases[] = {
        {0, false, "1970-01-01"},
        {951782400, false, "2000-02-29"},
        {-86400, false, "1969-12-31"},
        {-1, true, "1969-12-31T23:59:59"},
        {1582981500, true, "2020-02-29T13:05:00"},
        {1582981500.5, true, "2020-02-29T13:05:00.500"},
        {1582981500.000125, true, "2020-02-29T13:05:00.000125"},
        {-0.25, true, "1969-12-31T23:59:59.750"},
        {-62135596800.0, false, "0001-01-01"},
        {253402300799.0, true, "9999-12-31T23:59:59"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_text text = {.ctx = ctx};
        smr_text_date(&text, cases[k].seconds, cases[k].has_time);
        check_ok(ctx, smr_text_done(&text));
        assert_string_equal(text.bytes, cases[k].want);
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

static void dense_tables_become_libsvm_without_their_zeros(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx,
             read_text(ctx, smr_arff_read,
                       "@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n"
                       "1.5,0,y\n0,?,x\n0,0,?\n",
                       &t));
    assert_string_equal(written(ctx, t, "a.svm"), "1 1:1.5\n0 2:nan\nnan\n");
    smr_table_free(t);
    check_ok(ctx, read_text(ctx, smr_arff_read,
                            "@attribute a {10,20}\n@attribute b numeric\n@attribute label {-1,1}\n"
                            "@data\n10,2,1\n",
                            &t));
    check_fails(ctx, smr_table_write(ctx, t, "/tmp/samara-never.svm", SMR_FORMAT_AUTO),
                SMR_ERR_UNSUPPORTED, "column 'a' is a category, and a LIBSVM file holds numbers");
    smr_table_free(t);
    check_ok(ctx,
             read_text(ctx, smr_arff_read,
                       "@attribute label {-1,1}\n@attribute b numeric\n@data\n1,2\n-1,0\n", &t));
    assert_string_equal(written(ctx, t, "a.svm"), "1 1:2\n-1\n"); /* levels that are numbers */
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void npy_keeps_dtype_and_item_shape(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const smr_dtype dtypes[] = {SMR_F64, SMR_F32, SMR_U8, SMR_I32};
    uint64_t s = 3;
    for (int k = 0; k < 4; k++) {
        enum { N = 1009, D = 6 };
        static char x[N * D * 8];
        for (size_t i = 0; i < sizeof x; i++) x[i] = (char)next_bits(&s);
        smr_dense X = {x, dtypes[k], N, D, D};
        smr_table *t = NULL, *back = NULL;
        struct folder f = folder_make();
        check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
        t->item_shape[0] = 2;
        t->item_shape[1] = 3;
        check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "a.npy"), SMR_FORMAT_AUTO));
        check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.npy"), NULL, &back));
        assert_int_equal(back->n_rows, N);
        assert_int_equal(back->n_cols, D);
        assert_int_equal(back->cols[0].dtype, dtypes[k]);
        assert_int_equal(back->item_shape[0], 2);
        assert_int_equal(back->item_shape[1], 3);
        assert_memory_equal(back->blocks[0], x, N * D * smr_dtype_size(dtypes[k]));
        smr_table_free(t);
        smr_table_free(back);
        folder_remove(&f);
    }
    check_ctx_end(ctx);
}

static void npy_widens_mixed_columns_and_refuses_strings(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    uint8_t x[] = {3, 4};
    double y[] = {0.5, -1};
    smr_dense X = {x, SMR_U8, 2, 1, 1};
    smr_table *t = NULL, *back = NULL;
    struct folder f = folder_make();
    check_ok(ctx, smr_table_view(ctx, &X, y, &t));
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "a.npy"), SMR_FORMAT_AUTO));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.npy"), NULL, &back));
    double want[] = {3, 0.5, 4, -1};
    assert_memory_equal(back->blocks[0], want, sizeof want);
    smr_table_free(t);
    smr_table_free(back);
    t = from_svm(ctx, "1 2:0.5\n2 1:7\n");
    check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "b.npy"), SMR_FORMAT_AUTO));
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "b.npy"), NULL, &back));
    double spelled[] = {1, 0, 0.5, 2, 7, 0};
    assert_memory_equal(back->blocks[0], spelled, sizeof spelled);
    smr_table_free(t);
    smr_table_free(back);
    t = mixed_table(ctx, 3);
    check_fails(ctx, smr_table_write(ctx, t, folder_file(&f, "c.npy"), SMR_FORMAT_AUTO),
                SMR_ERR_UNSUPPORTED, "column 'say \"hi\"' does not hold numbers");
    smr_table_free(t);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void unknown_names_and_formats_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = from_svm(ctx, "1 2:0.5\n");
    check_fails(ctx, smr_table_write(ctx, t, "a.dat", SMR_FORMAT_AUTO), SMR_ERR_PARAM,
                "a.dat: the name does not say which format to write");
    check_fails(ctx, smr_table_write(ctx, t, "/tmp/samara-never.png", SMR_FORMAT_AUTO),
                SMR_ERR_UNSUPPORTED, "picture files cannot be written");
    assert_int_equal(access("/tmp/samara-never.png", F_OK), -1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void writing_survives_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"a.csv", "a.arff", "a.svm", "a.npy"};
    struct folder f = folder_make();
    for (int k = 0; k < 4; k++) {
        for (int64_t n = 0;; n++) {
            smr_ctx *ctx = check_ctx(1);
            smr_table *t = k < 2 ? mixed_table(ctx, 5) : from_svm(ctx, "1 2:0.5\n2 1:3\n");
            smr_memory_fail_at(ctx, n);
            smr_status st = smr_table_write(ctx, t, folder_file(&f, names[k]), SMR_FORMAT_AUTO);
            smr_memory_fail_at(ctx, -1);
            smr_table_free(t);
            check_ctx_end(ctx);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_int_equal(access(folder_file(&f, names[k]), F_OK), -1);
            assert_true(n < 1000);
        }
    }
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_formats_read_back_bit_for_bit),
        cmocka_unit_test(bytes_are_the_same_at_any_thread_count),
        cmocka_unit_test(sparse_tables_read_back_bit_for_bit),
        cmocka_unit_test(sparse_tables_are_spelled_out_in_csv),
        cmocka_unit_test(csv_quotes_what_would_be_misread),
        cmocka_unit_test(names_that_are_positions_need_no_header),
        cmocka_unit_test(dates_have_as_many_decimals_as_they_need),
        cmocka_unit_test(dense_tables_become_libsvm_without_their_zeros),
        cmocka_unit_test(npy_keeps_dtype_and_item_shape),
        cmocka_unit_test(npy_widens_mixed_columns_and_refuses_strings),
        cmocka_unit_test(unknown_names_and_formats_are_refused),
        cmocka_unit_test(writing_survives_failing_memory),
    };
    return cmocka_run_group_tests_name("write", tests, NULL, NULL);
}
