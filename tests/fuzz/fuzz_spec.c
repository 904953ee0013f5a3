/* The sentence parser: never crashes, and what it accepts reads back as the same sentence,
 * as its copy does. */
#include "core/text.h"
#include "learn/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_spec *a = NULL, *b = NULL, *c = NULL;
    if (size > 4096 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *sentence = smr_strndup(ctx, (const char *)data, size);
    if (smr_spec_parse(ctx, sentence, &a) == SMR_OK) {
        smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
        smr_spec_write(a, &once);
        if (smr_spec_parse(ctx, once.bytes, &b) != SMR_OK) abort();
        smr_spec_write(b, &twice);
        if (strcmp(once.bytes, twice.bytes) != 0) abort();
        twice.length = 0;
        if (smr_spec_copy(ctx, a, &c) != SMR_OK) abort();
        smr_spec_write(c, &twice);
        if (strcmp(once.bytes, twice.bytes) != 0) abort();
        smr_text_release(&once);
        smr_text_release(&twice);
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_spec_free(a);
    smr_spec_free(b);
    smr_spec_free(c);
    smr_free(sentence);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
