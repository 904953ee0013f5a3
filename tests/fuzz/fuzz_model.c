/* The model loader, and everything that a loaded model can do.
 *
 * Files are changed as files (mutate_model.h).  Bytes that the mutator did not write are given their
 * right checksum first, so that the fuzzer reaches every check after it.  What passes them all is
 * used (use_model.h).  SMR_FUZZ_SHARE in the environment tells at the end how many did. */
#include "mutate_model.h"
#include "use_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* Where the corpus is replayed as a test, every file is used in every way: tools/fuzz_replay.c. */
extern const int fuzz_uses_all __attribute__((weak));

/* Stacks of every allocation would take a third of the time. */
const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=16";
}

static int64_t n_read, n_loaded;

static void tell_share(void)
{
    fprintf(stderr, "%lld of %lld files were loaded\n", (long long)n_loaded, (long long)n_read);
}

static smr_status read_model(smr_ctx *ctx, const uint8_t *data, size_t size, smr_model **out)
{
    if (was_written(data, size)) return smr_model_read(ctx, (const char *)data, (int64_t)size, out);
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    mend_checksum(bytes, (int64_t)size);
    smr_status st = smr_model_read(ctx, bytes, (int64_t)size, out);
    smr_free(bytes);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_model *m = NULL;
    if (size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    if (!n_read++ && getenv("SMR_FUZZ_SHARE")) atexit(tell_share);
    smr_status st = read_model(ctx, data, size, &m);
    if (st == SMR_OK) {
        n_loaded++;
        remember_good(data, size);
        use_model(ctx, m, &fuzz_uses_all ? USES - 1 : some_uses(data, size));
    } else if (!*smr_ctx_message(ctx) || m) {
        abort();
    }
    smr_model_free(m);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
