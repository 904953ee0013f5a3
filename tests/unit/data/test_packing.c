/* Packed streams: unpacked as other programs packed them, and the other way round; damage and cuts
 * are told; memory is bounded. */
#include "check.h"

#include "data/feed.h"
#include "data/file.h"
#include "data/packing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/samara-test-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/packed", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

enum { N = 1200007 };

static char *make_bytes(void)
{
    char *bytes = malloc(N);
    assert_non_null(bytes);
    for (int64_t i = 0; i < N; i++) bytes[i] = (char)("0123456789,;\n-."[(i * i / 7 + i) % 15]);
    return bytes;
}

static void pack(smr_ctx *ctx, const smr_packing *p, const char *bytes, int64_t n)
{
    smr_sink *k;
    check_ok(ctx, smr_sink_open_packed(ctx, path, p, &k));
    for (int64_t at = 0; at < n; at += 99991)
        check_ok(ctx, smr_sink_write(ctx, k, bytes + at, SMR_MIN(99991, n - at)));
    check_ok(ctx, smr_sink_commit(ctx, k));
    smr_sink_close(k);
}

static char *slurp(int64_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(2 * N);
    *n = (int64_t)fread(bytes, 1, 2 * N, f);
    fclose(f);
    return bytes;
}

static void put(const char *bytes, int64_t n, const char *how)
{
    FILE *f = fopen(path, how);
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, (size_t)n, f), n);
    fclose(f);
}

static void check_read(smr_ctx *ctx, const char *bytes, int64_t n)
{
    smr_source *s;
    char *got;
    int64_t length;
    check_ok(ctx, smr_source_open(ctx, path, &s));
    assert_int_equal(smr_source_size(s), -1);
    for (int round = 0; round < 2; round++) { /* the second after a rewind */
        check_ok(ctx, smr_source_whole(ctx, s, n, &got, &length));
        assert_int_equal(length, n);
        assert_memory_equal(got, bytes, (size_t)n);
        smr_free(got);
    }
    check_ok(ctx, smr_source_settle(ctx, s));
    assert_int_equal(smr_source_size(s), n);
    smr_source_close(s);
}

static void check_feed(smr_ctx *ctx, const char *bytes, int64_t n)
{
    smr_feed *f;
    char part[7001];
    bool ended = false;
    int64_t at = 0, got;
    check_ok(ctx, smr_feed_open(ctx, path, &f));
    while (!ended) {
        check_ok(ctx, smr_feed_read(ctx, f, part, sizeof part, 1, &got, &ended));
        assert_true(at + got <= n);
        assert_memory_equal(part, bytes + at, (size_t)got);
        at += got;
    }
    assert_int_equal(at, n);
    smr_feed_close(f);
}

static void what_is_packed_is_unpacked(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    char *bytes = make_bytes(), *twice = malloc(2 * N);
    int64_t count, n;
    memcpy(twice, bytes, N);
    memcpy(twice + N, bytes, N);
    const smr_packing *all = smr_packings(&count);
    assert_int_equal(count, 3);
    for (int64_t k = 0; k < count; k++) {
        if (!all[k].codec) continue;
        pack(ctx, &all[k], bytes, N);
        check_read(ctx, bytes, N);
        check_feed(ctx, bytes, N);
        char *packed = slurp(&n);
        put(packed, n, "ab"); /* two streams are one */
        check_read(ctx, twice, 2 * N);
        check_feed(ctx, twice, 2 * N);
        free(packed);
        pack(ctx, &all[k], bytes, 0);
        check_read(ctx, bytes, 0);
    }
    free(bytes);
    free(twice);
    check_ctx_end(ctx);
}

/* The programs of the same names, where they are installed. */
static void other_programs_agree(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    char *bytes = make_bytes(), command[400];
    int64_t count;
    const smr_packing *all = smr_packings(&count);
    for (int64_t k = 0; k < count; k++) {
        snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", all[k].name);
        if (!all[k].codec || system(command) != 0) continue;
        pack(ctx, &all[k], bytes, N);
        snprintf(command, sizeof command,
                 "%s <%s >%s.plain && %s -c <%s.plain >%s && mv %s.plain %s/plain", all[k].unpacks,
                 path, path, all[k].name, path, path, path, folder);
        assert_int_equal(system(command), 0);
        check_read(ctx, bytes, N);
        snprintf(command, sizeof command, "%s/plain", folder);
        FILE *f = fopen(command, "rb");
        char *got = malloc(N + 1);
        assert_int_equal(fread(got, 1, N + 1, f), N);
        assert_memory_equal(got, bytes, N);
        fclose(f);
        unlink(command);
        free(got);
    }
    free(bytes);
    check_ctx_end(ctx);
}

static void damage_and_cuts_are_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char *bytes = make_bytes(), said[80];
    int64_t count, n;
    const smr_packing *all = smr_packings(&count);
    for (int64_t k = 0; k < count; k++) {
        if (!all[k].codec) continue;
        pack(ctx, &all[k], bytes, N);
        char *packed = slurp(&n);
        for (int64_t cut = 9; cut < n; cut += n / 13) {
            put(packed, cut, "wb");
            smr_source *s = NULL;
            check_ok(ctx, smr_source_open(ctx, path, &s));
            snprintf(said, sizeof said, "the %s data end too early", all[k].name);
            check_fails(ctx, smr_source_settle(ctx, s), SMR_ERR_FORMAT, said);
            smr_source_close(s);
            smr_ctx_clear(ctx);
        }
        packed[n / 2] ^= 0x55;
        packed[n / 2 + 1] ^= 0x3c;
        put(packed, n, "wb");
        smr_source *s = NULL;
        check_ok(ctx, smr_source_open(ctx, path, &s));
        snprintf(said, sizeof said, "the %s data are damaged", all[k].name);
        check_fails(ctx, smr_source_settle(ctx, s), SMR_ERR_FORMAT, said);
        smr_source_close(s);
        smr_ctx_clear(ctx);
        free(packed);
    }
    free(bytes);
    check_ctx_end(ctx);
}

/* A small file that unpacks to much more than the memory that may be used. */
static void bombs_are_limited_by_the_memory_budget(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t count, n = 1 << 20;
    char *zeros = calloc(1, (size_t)n);
    const smr_packing *all = smr_packings(&count);
    for (int64_t k = 0; k < count; k++) {
        smr_sink *sink;
        smr_source *s = NULL;
        if (!all[k].codec) continue;
        check_ok(ctx, smr_sink_open_packed(ctx, path, &all[k], &sink));
        for (int i = 0; i < 150; i++) check_ok(ctx, smr_sink_write(ctx, sink, zeros, n));
        check_ok(ctx, smr_sink_commit(ctx, sink));
        smr_sink_close(sink);
        smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 36 << 20};
        smr_ctx *small = NULL;
        assert_int_equal(smr_ctx_create(&opts, &small), SMR_OK);
        check_ok(small, smr_source_open(small, path, &s));
        check_fails(small, smr_source_settle(small, s), SMR_ERR_NOMEM,
                    "unpacks to more than 0.2 GB, 4 times the memory that may be used");
        smr_source_close(s);
        assert_int_equal(smr_ctx_memory(small, NULL), 0);
        smr_ctx_destroy(small);
    }
    free(zeros);
    check_ctx_end(ctx);
}

static void names_and_first_bytes_tell_the_packing(void **state)
{
    (void)state;
    bool more;
    assert_string_equal(smr_packing_of_path("a.CSV.GZ")->name, "gzip");
    assert_string_equal(smr_packing_of_path("a.zst")->name, "zstd");
    assert_string_equal(smr_packing_of_path("a.csv.xz")->name, "xz");
    assert_null(smr_packing_of_path("a.csv"));
    assert_null(smr_packing_of_path(".gz"));
    assert_int_equal(smr_packed_ending("a.csv.zst"), 4);
    assert_null(smr_packing_of("\xfd\x37\x7a", 3, &more));
    assert_true(more);
    assert_null(smr_packing_of("(1,2)", 5, &more));
    assert_false(more);
    assert_null(smr_packing_of("", 0, &more));
    assert_true(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_is_unpacked),
        cmocka_unit_test(other_programs_agree),
        cmocka_unit_test(damage_and_cuts_are_told),
        cmocka_unit_test(bombs_are_limited_by_the_memory_budget),
        cmocka_unit_test(names_and_first_bytes_tell_the_packing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
