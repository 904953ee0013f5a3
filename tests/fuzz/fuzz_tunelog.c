/* The log of a search: never crashes, refuses with a sentence, and keeps whole lines only. */
#include "study/trial_log.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_json_doc *header = NULL;
    smr_trial_log *log = NULL;
    int64_t kept = -1;
    if (size > 4096 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    if (smr_json_create(ctx, &header) != SMR_OK) abort();
    smr_json_add_string(smr_json_root(header), "samara", "tune");
    smr_json_add_number(smr_json_root(header), "seed", 7);
    if (smr_trial_log_read(ctx, "log", (const char *)data, (int64_t)size, smr_json_root(header), 2,
                           &log, &kept) == SMR_OK) {
        const smr_logged *found = NULL;
        if (kept < 0 || kept > (int64_t)size || (kept > 0 && data[kept - 1] != '\n')) abort();
        if (kept < (int64_t)size && memchr(data + kept, '\n', size - (size_t)kept)) abort();
        if (smr_trial_log_find(ctx, log, "knn", 1, &found) != SMR_OK) abort();
        if (found && !found->score == !found->error) abort();
        if (found && found->score && found->n_scores != 2) abort();
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_trial_log_close(log);
    smr_json_free(header);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
