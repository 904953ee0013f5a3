/* The model loader, and everything that a loaded model can do.
 *
 * Files are changed as files (mutate_model.h): bytes are given their right checksum first, so that
 * the fuzzer reaches every check after it.  What passes them all is used (use_model.h). */
#include "mutate_model.h"
#include "use_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_model *m = NULL;
    if (size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    mend_checksum(bytes, (int64_t)size);
    smr_status st = smr_model_read(ctx, bytes, (int64_t)size, &m);
    if (st == SMR_OK) {
        remember_good(data, size);
        use_model(ctx, m);
    } else if (!*smr_ctx_message(ctx) || m) {
        abort();
    }
    smr_model_free(m);
    smr_free(bytes);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
