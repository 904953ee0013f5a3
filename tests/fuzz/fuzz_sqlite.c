/* fuzz_sqlite.c -- any bytes given as an SQLite database: in a file of memory, since SQLite opens
 * files. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz_table.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const smr_read_opts how = {.header = -1};
    smr_sqlite_fn read = smr_sqlite_reader();
    smr_ctx *ctx = NULL;
    smr_table *t = NULL;
    char path[64];
    int fd = read ? memfd_create("fuzz", 0) : -1;
    if (fd < 0) return 0;
    FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    FUZZ_CHECK(smr_ctx_create(&opts, &ctx) == SMR_OK);
    smr_status st = read(ctx, path, NULL, &how, &t);
    FUZZ_CHECK((st == SMR_OK) == (t != NULL));
    if (t) fuzz_check_table(t);
    smr_table_free(t);
    smr_pool_destroy(ctx);
    FUZZ_CHECK(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    close(fd);
    return 0;
}
