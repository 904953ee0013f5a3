/* Images of files: which are mapped, which are read, and that both are private. */
#include "check.h"

#include "data/file.h"
#include "data/image.h"

#include <sys/stat.h>
#include <unistd.h>

enum { SMALL = 1000, LARGE = (1 << 20) + 4097 };

/* A file of n bytes, 0 1 2 ... 250 0 1 ...; path: a template. */
static void write_file(char *path, int64_t n)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "wb");
    for (int64_t i = 0; i < n; i++) fputc((int)(i % 251), f);
    assert_int_equal(fclose(f), 0);
}

static void check_bytes(const smr_image *image, int64_t n)
{
    assert_int_equal(smr_image_length(image), n);
    assert_int_equal((uintptr_t)smr_image_bytes(image) % 64, 0);
    for (int64_t i = 0; i < n; i++)
        if ((unsigned char)smr_image_bytes(image)[i] != i % 251) fail_msg("byte %d", (int)i);
}

static void large_files_are_mapped_and_small_ones_read(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        char path[] = "/tmp/samara-image-XXXXXX";
        smr_ctx *ctx = check_ctx(1);
        smr_image *image = NULL;
        int64_t n = large ? LARGE : SMALL;
        write_file(path, n);
        check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
        check_bytes(image, n);
        assert_int_equal(smr_image_is_mapped(image), large);
        /* What is mapped is not counted, what is read is. */
        assert_true(large ? smr_ctx_memory(ctx, NULL) < 4096 : smr_ctx_memory(ctx, NULL) >= n);
        assert_true(smr_image_has(image, smr_image_bytes(image)));
        assert_true(smr_image_has(image, smr_image_bytes(image) + n));
        assert_false(smr_image_has(image, smr_image_bytes(image) - 1));
        assert_false(smr_image_has(image, smr_image_bytes(image) + n + 1));
        assert_false(smr_image_has(image, NULL));
        assert_false(smr_image_has(NULL, &n));
        smr_image_free(image);
        unlink(path);
        check_ctx_end(ctx);
    }
}

static void an_image_keeps_its_contents_when_the_file_is_replaced(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL, *again = NULL;
    smr_sink *sink = NULL;
    (void)state;
    write_file(path, LARGE);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
    check_ok(ctx, smr_sink_open(ctx, path, false, &sink)); /* as models are saved */
    check_ok(ctx, smr_sink_write(ctx, sink, "short", 5));
    check_ok(ctx, smr_sink_commit(ctx, sink));
    smr_sink_close(sink);
    check_bytes(image, LARGE);
    unlink(path);
    check_bytes(image, LARGE);

    again = smr_image_hold(image);
    smr_image_free(image);
    check_bytes(again, LARGE);
    smr_image_free(again);
    check_ctx_end(ctx);
}

static void writing_to_an_image_changes_no_file(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL, *other = NULL;
    (void)state;
    write_file(path, LARGE);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
    memset(smr_image_bytes(image), 'x', LARGE);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &other));
    check_bytes(other, LARGE);
    smr_image_free(image);
    smr_image_free(other);
    unlink(path);
    check_ctx_end(ctx);
}

static void what_everybody_may_write_is_read(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL;
    (void)state;
    write_file(path, LARGE);
    assert_int_equal(chmod(path, 0666), 0);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
    assert_false(smr_image_is_mapped(image));
    check_bytes(image, LARGE);
    smr_image_free(image);
    unlink(path);
    check_ctx_end(ctx);
}

static void a_gzip_is_read(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL;
    smr_sink *sink = NULL;
    char *bytes = malloc(LARGE);
    (void)state;
    close(mkstemp(path));
    for (int64_t i = 0; i < LARGE; i++) bytes[i] = (char)(i % 251);
    check_ok(ctx, smr_sink_open(ctx, path, true, &sink));
    check_ok(ctx, smr_sink_write(ctx, sink, bytes, LARGE));
    check_ok(ctx, smr_sink_commit(ctx, sink));
    smr_sink_close(sink);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
    assert_false(smr_image_is_mapped(image));
    check_bytes(image, LARGE);
    smr_image_free(image);
    free(bytes);
    unlink(path);
    check_ctx_end(ctx);
}

static void too_long_and_absent_files_fail(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL;
    (void)state;
    write_file(path, LARGE);
    check_fails(ctx, smr_image_open(ctx, path, LARGE - 1, &image), SMR_ERR_FORMAT,
                "is longer than");
    assert_null(image);
    unlink(path);
    check_fails(ctx, smr_image_open(ctx, path, LARGE, &image), SMR_ERR_IO, "cannot be opened");
    assert_null(image);
    check_ctx_end(ctx);
}

/* An array in a mapping is not a block: resizing it fails in words, freeing it does nothing. */
static void an_array_in_a_mapping_can_be_neither_resized_nor_freed(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_image *image = NULL;
    (void)state;
    write_file(path, LARGE);
    check_ok(ctx, smr_image_open(ctx, path, 1 << 30, &image));
    char *inside = smr_image_bytes(image) + 640;
    int64_t held = smr_ctx_memory(ctx, NULL);
    assert_null(smr_realloc(ctx, inside, 10000, 8));
    assert_int_equal(smr_ctx_status(ctx), SMR_ERR_INTERNAL);
    assert_non_null(strstr(smr_ctx_message(ctx), "not a block of memory cannot be resized"));
    smr_ctx_clear(ctx);
    smr_free(inside);
    assert_int_equal(smr_ctx_memory(ctx, NULL), held);
    check_bytes(image, LARGE);
    smr_image_free(image);
    unlink(path);
    check_ctx_end(ctx);
}

static void every_refused_allocation_is_survived(void **state)
{
    char path[] = "/tmp/samara-image-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    (void)state;
    write_file(path, SMALL);
    for (int64_t n = 0; st != SMR_OK && n < 50; n++) {
        smr_image *image = NULL, *copy = NULL;
        smr_memory_fail_at(ctx, n);
        st = smr_image_open(ctx, path, 1 << 30, &image);
        if (st == SMR_OK) st = smr_image_copy(ctx, "abc", 3, &copy);
        smr_memory_fail_at(ctx, -1);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        smr_image_free(image);
        smr_image_free(copy);
    }
    assert_int_equal(st, SMR_OK);
    unlink(path);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_files_are_mapped_and_small_ones_read),
        cmocka_unit_test(an_image_keeps_its_contents_when_the_file_is_replaced),
        cmocka_unit_test(writing_to_an_image_changes_no_file),
        cmocka_unit_test(what_everybody_may_write_is_read),
        cmocka_unit_test(a_gzip_is_read),
        cmocka_unit_test(too_long_and_absent_files_fail),
        cmocka_unit_test(an_array_in_a_mapping_can_be_neither_resized_nor_freed),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
