/* Fits that go on from a checkpoint whose bytes were changed: each ends with a model or with a
 * message, and keeps no memory.  The corpus holds checkpoints of these very fits. */
#define _GNU_SOURCE /* memfd_create */
#include "arena.h"
#include "mutate_model.h"
#include "watch.h"

#include "learn/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the corpus is replayed as a test, memory is the C library's: tools/fuzz_replay.c. */
extern const int fuzz_uses_all __attribute__((weak));

enum { ROWS = 40 };

static const struct fit {
    const char *sentence, *target;
} fits[] = {
    {"boost 4 max_depth=2", "z"},
    {"boost 4 max_depth=2 rows=0.5 validation=0.3 patience=2", "y"},
    {"forest 4 max_depth=3", "z"},
    {"adaboost 4", "z"},
    {"bag 3 of=(standardize | ridge)", "y"},
};
enum { FITS = sizeof fits / sizeof *fits };

static smr_status make_table(smr_ctx *ctx, smr_table **out)
{
    double a[ROWS], b[ROWS], y[ROWS];
    int32_t z[ROWS];
    static const char *const levels[] = {"high", "low"};
    for (int i = 0; i < ROWS; i++) {
        a[i] = i * 7 % ROWS;
        b[i] = i * i % 11;
        y[i] = a[i] - 2 * b[i] + i % 3;
        z[i] = y[i] < 10;
    }
    smr_status st = smr_table_create(ctx, ROWS, out);
    if (st == SMR_OK) st = smr_table_add_f64(ctx, *out, "a", a);
    if (st == SMR_OK) st = smr_table_add_f64(ctx, *out, "b", b);
    if (st == SMR_OK) st = smr_table_add_f64(ctx, *out, "y", y);
    if (st == SMR_OK) st = smr_table_add_categories(ctx, *out, "z", z, levels, 2);
    return st;
}

static smr_status go_on(smr_ctx *ctx, const struct fit *f, const smr_table *t, const char *path)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts,
                           .target = f->target,
                           .ignore = *f->target == 'y' ? "z" : "y",
                           .checkpoint = path,
                           .checkpoint_seconds = 1e9,
                           .resume = true};
    smr_status st = smr_train(ctx, f->sentence, t, &opts, &m);
    if ((st == SMR_OK) != (m != NULL)) abort();
    smr_model_free(m);
    return st;
}

/* The table of all fits, made once. */
static const smr_table *the_table(void)
{
    static smr_ctx *ctx;
    static smr_table *table;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    if (!ctx && (smr_ctx_create(&opts, &ctx) != SMR_OK || make_table(ctx, &table) != SMR_OK))
        abort();
    return table;
}

/* Another fit than the one that the file belongs to refuses it: those are tried whose learner it
 * names, and seldom all. */
static bool is_asked(const struct fit *f, const uint8_t *data, size_t size)
{
    size_t n = strcspn(f->sentence, " ");
    return size % 61 == 0 || memmem(data, SMR_MIN(size, 8192), f->sentence, n) != NULL;
}

static smr_status go_on_from(smr_ctx *ctx, const uint8_t *data, size_t size, const char *path)
{
    smr_status good = SMR_ERR_FORMAT;
    for (int k = 0; k < FITS; k++) {
        if (!is_asked(&fits[k], data, size)) continue;
        smr_status st = go_on(ctx, &fits[k], the_table(), path);
        if (st == SMR_OK) good = st;
        if (st != SMR_OK && !*smr_ctx_message(ctx)) abort();
        smr_ctx_clear(ctx);
    }
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    char path[64];
    if (!&fuzz_uses_all) {
        (void)the_table(); /* which stays */
        watch();
        arena_begin(&opts);
    }
    int file = memfd_create("checkpoint", 0);
    if (file < 0 || size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) goto out;
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    if (!was_written(data, size)) mend_checksum(bytes, (int64_t)size);
    bool written = write(file, bytes, size) == (ssize_t)size;
    smr_free(bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    smr_status st = written ? go_on_from(ctx, data, size, path) : SMR_ERR_IO;
    count_file(st == SMR_OK);
    if (st == SMR_OK) remember_good(data, size);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
out:
    if (file >= 0) close(file);
    return 0;
}
