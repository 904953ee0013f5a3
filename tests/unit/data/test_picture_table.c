/* Pictures as tables: one file, folders with and without classes, CIFAR, and IDX written. */
#include "formats_check.h"

#include "data/items.h"
#include "data/picture.h"
#include "data/take.h"

#include <sys/stat.h>

/* A picture of 3 rows of 2 pixels: 10 * seed + place. */
static void write_grey(const struct folder *f, const char *name, int seed)
{
    char file[32];
    int n = snprintf(file, sizeof file, "P5 2 3 255\n");
    for (int i = 0; i < 6; i++) file[n++] = (char)(10 * seed + i);
    folder_write(f, name, file, (size_t)n);
}

static void make_folder(const struct folder *f, const char *name)
{
    assert_int_equal(mkdir(folder_file(f, name), 0700), 0);
}

static const smr_column *column(const smr_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_cols; j++)
        if (!strcmp(t->cols[j].name, name)) return &t->cols[j];
    fail_msg("there is no column '%s'", name);
    return NULL;
}

static void check_string(const smr_table *t, const char *name, int64_t row, const char *want)
{
    const smr_column *c = column(t, name);
    int64_t n;
    const char *got = smr_strings_get(&c->levels, smr_column_code(c, row), &n);
    if ((size_t)n != strlen(want) || memcmp(got, want, (size_t)n) != 0)
        fail_msg("row %d of '%s': '%.*s', not '%s'", (int)row, name, (int)n, got, want);
}

static void check_shape(const smr_table *t, int64_t h, int64_t w, int64_t c)
{
    assert_int_equal(t->item_shape[0], h);
    assert_int_equal(t->item_shape[1], w);
    assert_int_equal(t->item_shape[2], c);
    assert_int_equal(t->item_shape[3], 0);
}

static void a_picture_is_a_row(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    write_grey(&f, "a.pgm", 4);
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.pgm"), NULL, &t));
    assert_int_equal(t->n_rows, 1);
    assert_int_equal(t->n_cols, 6);
    check_shape(t, 3, 2, 0);
    assert_int_equal(t->cols[5].dtype, SMR_U8);
    assert_true(smr_column_number(&t->cols[5], 0) == 45);
    assert_string_equal(t->notes, "format: pgm\npixels: 2 x 3\nchannels: grey\nbits: 8\n");
    smr_table_free(t);
    smr_read_opts opts = {.header = -1, .how = {.height = 2, .width = 2, .channels = 3}};
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "a.pgm"), &opts, &t));
    assert_int_equal(t->n_cols, 12);
    check_shape(t, 2, 2, 3);
    smr_table_free(t);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void samples_of_16_bits_stay(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, read_bytes(ctx, smr_picture_table, "P6 1 1 65535\n\xff\xfe\0\1\x12\x34", 19, &t));
    assert_int_equal(t->cols[0].dtype, SMR_I32);
    assert_true(smr_column_number(&t->cols[0], 0) == 65534);
    assert_true(smr_column_number(&t->cols[1], 0) == 1);
    assert_true(smr_column_number(&t->cols[2], 0) == 0x1234);
    check_shape(t, 1, 1, 3);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_folder_is_a_class(void **state)
{
    (void)state;
    struct folder f = folder_make();
    make_folder(&f, "10");
    make_folder(&f, "9");
    write_grey(&f, "9/b.pgm", 1);
    write_grey(&f, "10/z.pgm", 2);
    write_grey(&f, "10/a.pgm", 3);
    write_grey(&f, "9/.hidden", 4);
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        smr_table *t = NULL;
        check_ok(ctx, smr_table_read(ctx, f.path, NULL, &t));
        assert_int_equal(t->n_rows, 3);
        assert_int_equal(t->n_cols, 8);
        check_shape(t, 3, 2, 0);
        check_string(t, "label", 0, "9");
        check_string(t, "label", 1, "10");
        check_string(t, "label", 2, "10");
        check_string(t, "file", 0, "9/b.pgm");
        check_string(t, "file", 1, "10/a.pgm");
        check_string(t, "file", 2, "10/z.pgm");
        assert_true(column(t, "file")->names_rows);
        assert_true(smr_column_number(&t->cols[0], 0) == 10);
        assert_true(smr_column_number(&t->cols[5], 1) == 35);
        assert_true(smr_column_number(&t->cols[2], 2) == 22);
        assert_true(!t->item_shape[3] && t->source && strstr(t->notes, "2 classes"));
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    folder_remove(&f);
}

static void a_flat_folder_has_no_labels(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    write_grey(&f, "b.pgm", 1);
    write_grey(&f, "a.pgm", 2);
    check_ok(ctx, smr_table_read(ctx, f.path, NULL, &t));
    assert_int_equal(t->n_cols, 7);
    check_string(t, "file", 0, "a.pgm");
    check_string(t, "file", 1, "b.pgm");
    assert_true(smr_column_number(&t->cols[0], 0) == 20);
    smr_table_free(t);
    /* without its name a row is still an item */
    smr_column_rule rule = {.name = "file", .ignore = true};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1};
    check_ok(ctx, smr_table_read(ctx, f.path, &opts, &t));
    assert_int_equal(t->n_cols, 6);
    check_shape(t, 3, 2, 0);
    smr_table_free(t);
    rule.name = "3";
    check_ok(ctx, smr_table_read(ctx, f.path, &opts, &t));
    check_shape(t, 0, 0, 0);
    smr_table_free(t);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void folders_that_are_no_table_are_told(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    smr_read_opts skip = {.header = -1, .skip_bad = true};
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_DATA,
                "is a folder without pictures");
    write_grey(&f, "a.pgm", 1);
    write_grey(&f, "c.pgm", 2);
    folder_write(&f, "b.txt", "hello", 5);
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_FORMAT,
                "/b.txt: is not a PNG, JPEG, PBM, PGM or PPM picture by its first bytes; --bad "
                "skip leaves such files out");
    check_ok(ctx, smr_table_read(ctx, f.path, &skip, &t));
    assert_int_equal(t->n_rows, 2);
    check_string(t, "file", 1, "c.pgm");
    assert_true(smr_column_number(&t->cols[0], 1) == 20);
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "1 of 3 files are left out: "));
    smr_table_free(t);
    smr_begin_call(ctx);
    folder_write(&f, "b.txt", "P5 1 1 255\nx", 12);
    check_fails(ctx, smr_table_read(ctx, f.path, &skip, &t), SMR_ERR_SHAPE,
                "/b.txt has 1 x 1, 1 channel of 8 bits, and ");
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_SHAPE,
                "/a.pgm 2 x 3, 1 channel of 8 bits; --size 3x3x2 (or another) brings all to one");
    smr_read_opts sized = {.header = -1, .how = {.height = 2, .width = 2}};
    check_ok(ctx, smr_table_read(ctx, f.path, &sized, &t));
    assert_int_equal(t->n_rows, 3);
    smr_table_free(t);
    make_folder(&f, "d");
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_DATA,
                "holds folders, such as ");
    unlink(folder_file(&f, "a.pgm"));
    unlink(folder_file(&f, "b.txt"));
    unlink(folder_file(&f, "c.pgm"));
    make_folder(&f, "d/e");
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_DATA,
                "/d/e: is a folder in the folder of a class");
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void wishes_of_other_formats_are_refused(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    folder_write(&f, "a.csv", "x\n1\n", 4);
    write_grey(&f, "a.pgm", 1);
    smr_read_opts sized = {.header = -1, .how = {.height = 2, .width = 2}};
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.csv"), &sized, &t), SMR_ERR_PARAM,
                "a.csv: is csv; --size and --grey are for pictures");
    smr_read_opts skip = {.header = -1, .skip_bad = true};
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.csv"), &skip, &t), SMR_ERR_PARAM,
                "a.csv: is csv; --bad skip is for folders of pictures");
    smr_read_opts tabs = {.header = -1, .delimiter = '\t'};
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.pgm"), &tabs, &t), SMR_ERR_PARAM,
                "a.pgm: is picture; a delimiter is for CSV files");
    smr_read_opts labels = {.header = -1, .labels = "x.idx"};
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "a.pgm"), &labels, &t), SMR_ERR_PARAM,
                "a file of labels goes with IDX and NPY files");
    smr_read_opts csv = {.header = -1, .format = SMR_FORMAT_CSV};
    check_fails(ctx, smr_table_read(ctx, f.path, &csv, &t), SMR_ERR_IO, "is a folder");
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void a_large_table_of_pixels_is_asked_of_the_budget(void **state)
{
    (void)state;
    enum { SIDE = 400 };
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 8 << 20};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    char *file = calloc(1, SIDE * SIDE + 32);
    assert_non_null(file);
    int n = snprintf(file, 32, "P5 %d %d 255\n", SIDE, SIDE);
    smr_table *t = NULL;
    check_fails(ctx, read_bytes(ctx, smr_picture_table, file, n + SIDE * SIDE, &t), SMR_ERR_NOMEM,
                "in: a table of 1 picture with a column for each of 160000 samples needs ");
    free(file);
    check_ctx_end(ctx);
}

/* ---- CIFAR ---- */

static void fill_record(char *to, int n_labels, int a, int b)
{
    to[0] = (char)a;
    if (n_labels == 2) to[1] = (char)b;
    for (int i = 0; i < 3072; i++) to[n_labels + i] = (char)(i * 7 + i / 1024 + a);
}

static void cifar_records_are_pictures(void **state)
{
    (void)state;
    static char file[3 * 3074];
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    for (int i = 0; i < 3; i++) fill_record(file + (ptrdiff_t)3073 * i, 1, 3 * i, 0);
    folder_write(&f, "data_batch_1.bin", file, (size_t)3 * 3073);
    folder_write(&f, "data_batch_2.bin", file, 3073);
    folder_write(&f, "test_batch.bin", file, (size_t)2 * 3073);
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "test_batch.bin"), NULL, &t));
    assert_int_equal(t->n_rows, 2);
    check_shape(t, 32, 32, 3);
    assert_true(smr_column_number(column(t, "label"), 1) == 3);
    assert_true(column(t, "label")->names_classes);
    for (int pixel = 0; pixel < 1024; pixel += 101)
        for (int c = 0; c < 3; c++)
            assert_true(smr_column_number(&t->cols[3 * pixel + c], 1) ==
                        (uint8_t)((1024 * c + pixel) * 7 + c + 3));
    smr_table_free(t);
    check_ok(ctx, smr_table_read(ctx, f.path, NULL, &t)); /* the training batches */
    assert_int_equal(t->n_rows, 4);
    assert_true(smr_column_number(column(t, "label"), 2) == 6);
    smr_table_free(t);
    smr_read_opts hundred = {.header = -1, .format = SMR_FORMAT_CIFAR100};
    for (int i = 0; i < 3; i++) fill_record(file + (ptrdiff_t)3074 * i, 2, 19, 99 - i);
    folder_write(&f, "train.bin", file, (size_t)3 * 3074);
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "train.bin"), &hundred, &t));
    assert_true(smr_column_number(column(t, "label"), 2) == 97);
    smr_table_free(t);
    hundred.format = SMR_FORMAT_CIFAR100_COARSE;
    check_ok(ctx, smr_table_read(ctx, folder_file(&f, "train.bin"), &hundred, &t));
    assert_true(smr_column_number(column(t, "label"), 2) == 19);
    smr_table_free(t);
    hundred.format = SMR_FORMAT_CIFAR10;
    check_fails(ctx, smr_table_read(ctx, folder_file(&f, "train.bin"), &hundred, &t),
                SMR_ERR_FORMAT, "9222 bytes are not whole records of cifar10, which have 3073");
    file[3073] = 10;
    folder_write(&f, "data_batch_1.bin", file, (size_t)2 * 3073);
    check_fails(ctx, smr_table_read(ctx, f.path, NULL, &t), SMR_ERR_FORMAT,
                "data_batch_1.bin: record 0 has label 19, and in cifar10 labels are 0 to 9");
    folder_remove(&f);
    check_ctx_end(ctx);
}

/* ---- IDX ---- */

static void idx_files_are_written(void **state)
{
    (void)state;
    struct folder f = folder_make();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL, *back = NULL;
    static const char *const files[] = {
        "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x01\x01\x02\xfe\xff",
        "\0\0\x0c\x02\0\0\0\x02\0\0\0\x02\xff\xff\xff\xfe\0\0\1,abcdefgh",
        "\0\0\x0d\x01\0\0\0\x02\xbf\xc0\0\0C\x96\0\0",
        "\0\0\x0e\x01\0\0\0\x01\xbf\xf8\0\0\0\0\0\0"};
    static const int sizes[] = {20, 28, 16, 16};
    for (int64_t k = 0; k < SMR_COUNT(files); k++) {
        char got[64] = {0};
        check_ok(ctx, read_bytes(ctx, smr_idx_read, files[k], sizes[k], &t));
        check_ok(ctx, smr_table_write(ctx, t, folder_file(&f, "out.idx"), SMR_FORMAT_AUTO));
        FILE *file = fopen(folder_file(&f, "out.idx"), "rb");
        assert_non_null(file);
        assert_int_equal(fread(got, 1, sizeof got, file), sizes[k]);
        fclose(file);
        assert_memory_equal(got, files[k], (size_t)sizes[k]);
        smr_table_free(t);
    }
    write_grey(&f, "a.pgm", 1);
    unlink(folder_file(&f, "out.idx"));
    check_ok(ctx, smr_table_read(ctx, f.path, NULL, &t));
    check_fails(ctx, smr_table_write(ctx, t, folder_file(&f, "out.idx"), SMR_FORMAT_AUTO),
                SMR_ERR_UNSUPPORTED,
                "column 'file' does not hold numbers, and an IDX file holds nothing else");
    smr_table_free(t);
    smr_table_free(back);
    folder_remove(&f);
    check_ctx_end(ctx);
}

static void folders_survive_failing_memory(void **state)
{
    (void)state;
    struct folder f = folder_make();
    make_folder(&f, "x");
    make_folder(&f, "y");
    write_grey(&f, "x/a.pgm", 1);
    write_grey(&f, "y/b.pgm", 2);
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = NULL;
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_table_read(ctx, f.path, NULL, &t);
        if (st != SMR_OK) {
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_null(t);
        }
        smr_table_free(t);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_true(k < 1000);
    }
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_a_row),
        cmocka_unit_test(samples_of_16_bits_stay),
        cmocka_unit_test(a_folder_is_a_class),
        cmocka_unit_test(a_flat_folder_has_no_labels),
        cmocka_unit_test(folders_that_are_no_table_are_told),
        cmocka_unit_test(wishes_of_other_formats_are_refused),
        cmocka_unit_test(a_large_table_of_pixels_is_asked_of_the_budget),
        cmocka_unit_test(cifar_records_are_pictures),
        cmocka_unit_test(idx_files_are_written),
        cmocka_unit_test(folders_survive_failing_memory),
    };
    return cmocka_run_group_tests_name("picture_table", tests, NULL, NULL);
}
