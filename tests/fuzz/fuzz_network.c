/* fuzz_network.c -- any bytes as a network, in both forms: never crash; what is accepted is written
 * in both and reads back as the same network, and its exact marginals sum to 1. */
#include "learn/graphical/network_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(const smr_network *a, const smr_network *b)
{
    size_t n = (size_t)a->n;
    if (a->n != b->n || memcmp(a->levels, b->levels, n * 8) != 0 ||
        memcmp(a->start, b->start, (n + 1) * 8) != 0 ||
        memcmp(a->parent, b->parent, (size_t)a->start[n] * 4) != 0 ||
        memcmp(a->p, b->p, (size_t)a->at[n] * 8) != 0)
        abort();
}

static void use(smr_ctx *ctx, const smr_network *net)
{
    smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
    smr_network back, bif;
    smr_net_query q;
    smr_net_answer a;
    smr_net_write_text(net, &once);
    smr_net_write_bif(net, &twice);
    if (smr_text_done(&once) != SMR_OK || smr_text_done(&twice) != SMR_OK) goto out;
    if (smr_net_read_text(ctx, "once", once.bytes, once.length, &back) == SMR_OK) {
        same(net, &back);
        smr_net_release(&back);
    } else if (smr_ctx_status(ctx) != SMR_ERR_NOMEM) {
        abort();
    }
    smr_ctx_clear(ctx);
    if (smr_net_read_bif(ctx, "twice", twice.bytes, twice.length, &bif) == SMR_OK) {
        same(net, &bif);
        smr_net_release(&bif);
    } else if (smr_ctx_status(ctx) != SMR_ERR_NOMEM) {
        abort();
    }
    smr_ctx_clear(ctx);
    if (net->n < 40 && smr_net_query_read(ctx, net, "P(*)", &q) == SMR_OK) {
        if (smr_net_ask(ctx, net, &q, SMR_NET_EXACT, 0, &a) == SMR_OK) {
            double sum = 0;
            for (int64_t k = 0; k < a.n; k++) sum += a.p[k];
            if (!(fabs(sum - (double)net->n) < 1e-6)) abort();
            smr_net_answer_release(&a);
        }
        smr_net_query_release(&q);
    }
out:
    smr_text_release(&once);
    smr_text_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 1 << 24};
    if (size > 20000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    for (int form = 0; form < 2; form++) {
        smr_network net = {0};
        const char *text = (const char *)data;
        smr_status st = form ? smr_net_read_bif(ctx, "f", text, (int64_t)size, &net)
                             : smr_net_read_text(ctx, "f", text, (int64_t)size, &net);
        if (st == SMR_OK)
            use(ctx, &net);
        else if (!*smr_ctx_message(ctx))
            abort(); /* refused without a word */
        smr_net_release(&net);
        smr_ctx_clear(ctx);
    }
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
