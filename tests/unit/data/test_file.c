/* Files: plain, gzip, pipes; sinks that appear whole or not at all. */
#define _GNU_SOURCE
#include "check.h"

#include "data/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/samara-test-XXXXXX";
static char path[256];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/data.txt", folder);
    return 0;
}

static int count_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void put(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static uint8_t byte_at(int64_t i)
{
    return (uint8_t)((uint64_t)i * 2654435761u >> 13);
}

static char *make_bytes(int64_t n)
{
    char *bytes = malloc((size_t)n);
    for (int64_t i = 0; i < n; i++) bytes[i] = (char)byte_at(i);
    return bytes;
}

/* gzip members by zlib's own file functions, one after another. */
static void put_gzip(const char *bytes, int64_t n, int members)
{
    unlink(path);
    for (int k = 0; k < members; k++) {
        gzFile f = gzopen(path, "ab1");
        int64_t lo = n * k / members, hi = n * (k + 1) / members;
        assert_int_equal(gzwrite(f, bytes + lo, (unsigned)(hi - lo)), hi - lo);
        assert_int_equal(gzclose(f), Z_OK);
    }
}

static void check_whole(smr_ctx *ctx, smr_source *s, const char *bytes, int64_t n)
{
    char *got;
    int64_t length;
    check_ok(ctx, smr_source_whole(ctx, s, n, &got, &length));
    assert_int_equal(length, n);
    assert_memory_equal(got, bytes, (size_t)n);
    assert_int_equal(got[n], 0);
    smr_free(got);
}

static void check_places(smr_ctx *ctx, smr_source *s, const char *bytes, int64_t n)
{
    char got[1000];
    assert_int_equal(smr_source_size(s), n);
    for (int64_t at = 0; at + 1000 <= n; at += n / 7 + 1) {
        check_ok(ctx, smr_source_read_at(ctx, s, at, got, 1000));
        assert_memory_equal(got, bytes + at, 1000);
    }
    check_fails(ctx, smr_source_read_at(ctx, s, n - 10, got, 11), SMR_ERR_IO, "past its end");
}

static void plain_files_are_read_in_order_and_at_places(void **state)
{
    (void)state;
    enum { N = 300007 };
    char *bytes = make_bytes(N), part[977];
    put(bytes, N);
    smr_ctx *ctx = check_ctx(2);
    smr_source *s;
    check_ok(ctx, smr_source_open(ctx, path, &s));
    assert_string_equal(smr_source_name(s), path);
    for (int64_t at = 0, got;; at += got) {
        check_ok(ctx, smr_source_read(ctx, s, part, sizeof part, &got));
        assert_memory_equal(part, bytes + at, (size_t)got);
        if (got == 0) {
            assert_int_equal(at, N);
            break;
        }
    }
    check_places(ctx, s, bytes, N);
    check_whole(ctx, s, bytes, N);
    char *none;
    int64_t length;
    check_fails(ctx, smr_source_whole(ctx, s, N - 1, &none, &length), SMR_ERR_FORMAT,
                "is longer than the 300006 bytes");
    assert_null(none);
    smr_source_close(s);
    free(bytes);
    check_ctx_end(ctx);
}

static void gzip_members_are_one_stream(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 5000, 700001,
                                    17 << 20}; /* the last does not stay in memory */
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(sizes); k++)
        for (int members = 1; members <= 3; members += 2) {
            int64_t n = sizes[k];
            char *bytes = make_bytes(n + 1);
            smr_source *s;
            put_gzip(bytes, n, members);
            check_ok(ctx, smr_source_open(ctx, path, &s));
            assert_int_equal(smr_source_size(s), -1);
            check_whole(ctx, s, bytes, n);
            check_ok(ctx, smr_source_rewind(ctx, s));
            check_ok(ctx, smr_source_settle(ctx, s));
            check_whole(ctx, s, bytes, n);
            if (n > 1000) check_places(ctx, s, bytes, n);
            smr_source_close(s);
            free(bytes);
        }
    check_ctx_end(ctx);
}

static void damaged_gzip_is_refused_and_named(void **state)
{
    (void)state;
    enum { N = 40000 };
    static char packed[2 * N];
    char *bytes = make_bytes(N), *got;
    int64_t length;
    put_gzip(bytes, N, 2);
    FILE *f = fopen(path, "rb");
    size_t n = fread(packed, 1, sizeof packed - 16, f);
    fclose(f);
    smr_ctx *ctx = check_ctx(1);
    smr_source *s;
    for (size_t cut = n - 1; cut > 2; cut -= SMR_MIN(cut - 1, cut > n - 20 || cut < 30 ? 1 : 997)) {
        put(packed, cut);
        check_ok(ctx, smr_source_open(ctx, path, &s));
        smr_status st = smr_source_settle(ctx, s);
        /* Cut between the members, the file is a shorter one and cannot be told from it. */
        if (st == SMR_OK)
            assert_int_equal(smr_source_size(s), N / 2);
        else
            check_fails(ctx, st, SMR_ERR_FORMAT, "the gzip data end too early");
        smr_source_close(s);
    }
    packed[n / 4] ^= 0x55;
    put(packed, n);
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_fails(ctx, smr_source_whole(ctx, s, N, &got, &length), SMR_ERR_FORMAT, "are damaged");
    smr_source_close(s);
    packed[n / 4] ^= 0x55;

    memset(packed + n, 0, 16); /* padding is fine, as on tapes */
    put(packed, n + 16);
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_whole(ctx, s, bytes, N);
    smr_source_close(s);
    packed[n + 9] = 'x';
    put(packed, n + 16);
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_fails(ctx, smr_source_settle(ctx, s), SMR_ERR_FORMAT, "followed by other bytes");
    smr_source_close(s);
    free(bytes);
    check_ctx_end(ctx);
}

/* Runs `read` in a child whose standard input is what `fd` delivers. */
static void with_standard_input(int fd, void (*check)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd, STDIN_FILENO);
        check();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

enum { PIPED = (17 << 20) + 5 };

static void check_standard_input(void)
{
    smr_ctx *ctx = check_ctx(1);
    smr_source *s;
    char *got;
    int64_t n;
    if (smr_source_open(ctx, "-", &s)) _exit(1);
    if (strcmp(smr_source_name(s), "standard input")) _exit(2);
    for (int twice = 0; twice < 2; twice++) {
        if (smr_source_whole(ctx, s, PIPED, &got, &n) || n != PIPED) _exit(3);
        for (int64_t i = 0; i < n; i++)
            if ((uint8_t)got[i] != byte_at(i)) _exit(4);
        smr_free(got);
    }
    if (smr_source_size(s) != PIPED) _exit(5);
    smr_source_close(s);
}

static void standard_input_can_be_read_again(void **state)
{
    (void)state;
    char *bytes = make_bytes(PIPED);
    put(bytes, PIPED);
    int fd = open(path, O_RDONLY);
    with_standard_input(fd, check_standard_input);
    close(fd);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        for (int64_t at = 0; at < PIPED;) {
            ssize_t n = write(ends[1], bytes + at, (size_t)SMR_MIN(PIPED - at, 100000));
            if (n < 0) _exit(1);
            at += n;
        }
        _exit(0);
    }
    close(ends[1]);
    with_standard_input(ends[0], check_standard_input);
    close(ends[0]);
    waitpid(writer, NULL, 0);
    free(bytes);
}

static void missing_files_and_folders_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_source *s;
    smr_sink *k;
    check_fails(ctx, smr_source_open(ctx, "/nowhere/x.csv", &s), SMR_ERR_IO,
                "/nowhere/x.csv: cannot be opened: No such file");
    assert_null(s);
    check_fails(ctx, smr_source_open(ctx, folder, &s), SMR_ERR_IO, "is a folder");
    check_fails(ctx, smr_sink_open(ctx, folder, false, &k), SMR_ERR_IO, "is a folder");
    check_fails(ctx, smr_sink_open(ctx, "/nowhere/x.csv", false, &k), SMR_ERR_IO,
                "/nowhere/x.csv: cannot be written: No such file");
    assert_null(k);
    check_ctx_end(ctx);
}

static void committed_sinks_replace_the_file(void **state)
{
    (void)state;
    enum { N = 700001 };
    char *bytes = make_bytes(N);
    smr_ctx *ctx = check_ctx(1);
    for (int gzip = 0; gzip < 2; gzip++) {
        smr_sink *k;
        smr_source *s;
        put("old", 3);
        assert_int_equal(chmod(path, 0640), 0);
        check_ok(ctx, smr_sink_open(ctx, path, gzip, &k));
        for (int64_t at = 0; at < N; at += 9973)
            check_ok(ctx, smr_sink_write(ctx, k, bytes + at, SMR_MIN(9973, N - at)));
        check_ok(ctx, smr_source_open(ctx, path, &s)); /* not yet */
        check_whole(ctx, s, "old", 3);
        smr_source_close(s);
        check_ok(ctx, smr_sink_commit(ctx, k));
        smr_sink_close(k);
        check_ok(ctx, smr_source_open(ctx, path, &s));
        assert_int_equal(smr_source_size(s), gzip ? -1 : N);
        check_whole(ctx, s, bytes, N);
        smr_source_close(s);
        assert_int_equal(count_files(), 1);
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0640);
    }
    free(bytes);
    check_ctx_end(ctx);
}

static void abandoned_sinks_leave_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_sink *k, *other;
    smr_source *s;
    put("old", 3);
    check_ok(ctx, smr_sink_open(ctx, path, false, &k));
    check_ok(ctx, smr_sink_open(ctx, path, true, &other)); /* two at once do not meet */
    check_ok(ctx, smr_sink_write(ctx, k, "new", 3));
    assert_int_equal(count_files(), 3);
    smr_sink_close(k);
    smr_sink_close(other);
    assert_int_equal(count_files(), 1);
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_whole(ctx, s, "old", 3);
    smr_source_close(s);
    check_ctx_end(ctx);
}

static void links_are_followed(void **state)
{
    (void)state;
    char link[300];
    snprintf(link, sizeof link, "%s/link", folder);
    put("old", 3);
    assert_int_equal(symlink(path, link), 0);
    smr_ctx *ctx = check_ctx(1);
    smr_sink *k;
    smr_source *s;
    check_ok(ctx, smr_sink_open(ctx, link, false, &k));
    check_ok(ctx, smr_sink_write(ctx, k, "newer", 5));
    check_ok(ctx, smr_sink_commit(ctx, k));
    smr_sink_close(k);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_whole(ctx, s, "newer", 5);
    smr_source_close(s);
    unlink(link);
    check_ctx_end(ctx);
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    enum { N = 1000003 };
    char *bytes = make_bytes(N);
    smr_ctx *ctx = check_ctx(1);
    smr_sink *k;
    for (int gzip = 0; gzip < 2;
         gzip++) { /* the device that is always full, and is never replaced */
        check_ok(ctx, smr_sink_open(ctx, "/dev/full", gzip, &k));
        smr_status st = smr_sink_write(ctx, k, bytes, N);
        if (st == SMR_OK) st = smr_sink_commit(ctx, k);
        check_fails(ctx, st, SMR_ERR_IO, "/dev/full: cannot be written: No space left on device");
        smr_sink_close(k);
    }
    struct stat info;
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));

    /* A regular file meets a limit in the same way. */
    put("old", 3);
    struct rlimit limit, before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 300000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    check_ok(ctx, smr_sink_open(ctx, path, false, &k));
    smr_status st = smr_sink_write(ctx, k, bytes, N);
    if (st == SMR_OK) st = smr_sink_commit(ctx, k);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    check_fails(ctx, st, SMR_ERR_IO, "data.txt: cannot be written: File too large");
    smr_sink_close(k);
    assert_int_equal(count_files(), 1);
    smr_source *s;
    check_ok(ctx, smr_source_open(ctx, path, &s));
    check_whole(ctx, s, "old", 3);
    smr_source_close(s);
    free(bytes);
    check_ctx_end(ctx);
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    char *bytes = make_bytes(100000);
    put_gzip(bytes, 100000, 2);
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    for (int n = 0; st == SMR_ERR_NOMEM; n++) {
        smr_source *s = NULL;
        smr_sink *k = NULL;
        char copy[300];
        snprintf(copy, sizeof copy, "%s/copy.gz", folder);
        smr_ctx_clear(ctx);
        smr_memory_fail_at(ctx, n);
        st = smr_source_open(ctx, path, &s);
        if (st == SMR_OK) st = smr_source_settle(ctx, s);
        if (st == SMR_OK) st = smr_sink_open(ctx, copy, true, &k);
        if (st == SMR_OK) st = smr_sink_write(ctx, k, bytes, 100000);
        smr_memory_fail_at(ctx, -1);
        smr_source_close(s);
        smr_sink_close(k);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        assert_int_equal(count_files(), 1);
    }
    assert_int_equal(st, SMR_OK);
    free(bytes);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read_in_order_and_at_places),
        cmocka_unit_test(gzip_members_are_one_stream),
        cmocka_unit_test(damaged_gzip_is_refused_and_named),
        cmocka_unit_test(standard_input_can_be_read_again),
        cmocka_unit_test(missing_files_and_folders_are_refused),
        cmocka_unit_test(committed_sinks_replace_the_file),
        cmocka_unit_test(abandoned_sinks_leave_nothing),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(a_full_disk_keeps_the_old_file),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
