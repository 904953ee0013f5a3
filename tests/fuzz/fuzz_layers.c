/* Chains of layers: never crash, what is accepted reads back as the same chain, as its copy does,
 * and is laid out over pictures or refused with a word. */
#include "core/text.h"
#include "nn/net_graph.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void lay_out(smr_ctx *ctx, const smr_nn_chain *chain, smr_nn_item in)
{
    smr_nn_graph graph = {0};
    if (smr_nn_graph_build(ctx, chain, in, 3, true, &graph) != SMR_OK && !*smr_ctx_message(ctx))
        abort();
    smr_nn_graph_release(&graph);
    smr_ctx_clear(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_nn_chain a = {0}, b = {0};
    if (size > 4096 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *text = smr_strndup(ctx, (const char *)data, size);
    if (smr_nn_chain_read(ctx, text, &a) == SMR_OK) {
        smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
        smr_nn_chain_write(&a, &once);
        if (smr_nn_chain_read(ctx, once.bytes ? once.bytes : "", &b) != SMR_OK) abort();
        smr_nn_chain_write(&b, &twice);
        if (once.length != twice.length || (once.length && strcmp(once.bytes, twice.bytes) != 0))
            abort();
        lay_out(ctx, &a, (smr_nn_item){28, 28, 3, false});
        lay_out(ctx, &a, (smr_nn_item){1, 1, 7, true});
        smr_text_release(&once);
        smr_text_release(&twice);
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_nn_chain_release(&a);
    smr_nn_chain_release(&b);
    smr_free(text);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
