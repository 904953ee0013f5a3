/* The sentence parser: never crashes, and what it accepts reads back as the same sentence. */
#include "core/text.h"
#include "learn/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_stage *a = NULL, *b = NULL;
    int64_t n = 0, m = 0;
    if (size > 4096 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *sentence = smr_strndup(ctx, (const char *)data, size);
    if (smr_spec_parse(ctx, sentence, &a, &n) == SMR_OK) {
        smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
        smr_spec_write(a, n, &once);
        if (smr_spec_parse(ctx, once.bytes, &b, &m) != SMR_OK) abort();
        smr_spec_write(b, m, &twice);
        if (strcmp(once.bytes, twice.bytes) != 0) abort();
        smr_text_release(&once);
        smr_text_release(&twice);
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_stages_free(a, n);
    smr_stages_free(b, m);
    smr_free(sentence);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
