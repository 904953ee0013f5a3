/* Kernel expressions: never crash, and what is accepted reads back as the same expression, as its
 * copy does. */
#include "core/text.h"
#include "learn/kernels/kernel_expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_kernel a = {0}, b = {0}, c = {0};
    if (size > 4096 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *text = smr_strndup(ctx, (const char *)data, size);
    if (smr_kernel_read(ctx, text, &a) == SMR_OK) {
        smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
        smr_kernel_write(&a, &once);
        if (smr_kernel_read(ctx, once.bytes, &b) != SMR_OK) abort();
        smr_kernel_write(&b, &twice);
        if (strcmp(once.bytes, twice.bytes) != 0) abort();
        twice.length = 0;
        if (smr_kernel_grammar.copy(ctx, &a, &c) != SMR_OK) abort();
        smr_kernel_write(&c, &twice);
        if (strcmp(once.bytes, twice.bytes) != 0) abort();
        smr_text_release(&once);
        smr_text_release(&twice);
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_kernel_free(&a);
    smr_kernel_free(&b);
    smr_kernel_free(&c);
    smr_free(text);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
