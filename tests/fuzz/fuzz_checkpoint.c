/* Fits that go on from a checkpoint whose bytes were changed: each ends with a model or with a
 * message, and keeps no memory.  The corpus holds checkpoints of these very fits. */
#define _GNU_SOURCE /* memfd_create */
#include "mutate_model.h"

#include "learn/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_table *table = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    char path[64];
    int file = memfd_create("checkpoint", 0);
    if (file < 0 || size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) goto out;
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    mend_checksum(bytes, (int64_t)size);
    bool written = write(file, bytes, size) == (ssize_t)size;
    smr_free(bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (written && make_table(ctx, &table) == SMR_OK)
        for (int k = 0; k < FITS; k++) {
            smr_status st = go_on(ctx, &fits[k], table, path);
            if (st == SMR_OK) remember_good(data, size);
            if (st != SMR_OK && !*smr_ctx_message(ctx)) abort();
            smr_ctx_clear(ctx);
        }
    smr_table_free(table);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
out:
    if (file >= 0) close(file);
    return 0;
}
