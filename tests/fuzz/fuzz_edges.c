/* fuzz_edges.c -- any bytes as a list of edges, and as labels of its nodes: never crash; what is
 * accepted is a sound graph, is written and reads back the same, and its own parts cut nothing. */
#define _GNU_SOURCE /* memmem */
#include "data/edges.h"
#include "study/graph_divide.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sound(const smr_graph *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        double sum = 0;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            if (g->to[e] < 0 || g->to[e] >= g->n || g->to[e] == i || !(g->weight[e] > 0)) abort();
            if (e > g->start[i] && g->to[e] <= g->to[e - 1]) abort();
            sum += g->weight[e];
        }
        if (!(sum == g->degree[i])) abort();
    }
}

static void read_back(smr_ctx *ctx, const smr_links *links)
{
    smr_links back = {0};
    smr_text text = {.ctx = ctx};
    smr_links_write(links, &text);
    if (smr_text_done(&text) == SMR_OK) {
        smr_status st = smr_links_from_text(ctx, "back", text.bytes, text.length, &back);
        const smr_graph *g = &links->graph, *h = &back.graph;
        if (st == SMR_OK && (h->n != g->n || h->start[h->n] != g->start[g->n] || h->n_again))
            abort();
        /* a name that begins with # or % at the beginning of a line is a remark */
        if (st != SMR_OK && !*smr_ctx_message(ctx)) abort();
        smr_links_release(&back);
    }
    smr_ctx_clear(ctx);
    smr_text_release(&text);
}

static void use(smr_ctx *ctx, const smr_links *links, const char *labels, int64_t n)
{
    const smr_graph *g = &links->graph;
    smr_vocab groups = {0};
    smr_cut_values cut;
    int64_t n_parts;
    int32_t *part = malloc((size_t)(g->n + 1) * sizeof *part);
    check_sound(g);
    if (!part) return;
    if (smr_graph_parts(ctx, g, part, &n_parts) == SMR_OK) {
        if (smr_graph_cuts(ctx, g, n_parts, part, &cut) == SMR_OK && cut.cut != 0) abort();
    }
    smr_ctx_clear(ctx);
    if (smr_edges_parse_labels(ctx, "l", labels, n, &links->names, &groups, part) == SMR_OK) {
        for (int64_t i = 0; i < g->n; i++)
            if (part[i] < 0 || part[i] >= groups.strings.n) abort();
        if (smr_graph_cuts(ctx, g, groups.strings.n, part, &cut) == SMR_OK && !(cut.cut >= 0))
            abort();
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_ctx_clear(ctx);
    smr_vocab_release(&groups);
    free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 1 << 24};
    smr_links links = {0};
    const char *text = (const char *)data, *end = text + size;
    if (size > 20000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    /* edges, a line of =, labels */
    const char *mark = size > 2 ? memmem(text, size, "\n=\n", 3) : NULL;
    const char *stop = mark ? mark + 1 : end, *labels = mark ? mark + 3 : end;
    if (smr_links_from_text(ctx, "f", text, stop - text, &links) == SMR_OK) {
        use(ctx, &links, labels, end - labels);
        read_back(ctx, &links);
    } else if (!*smr_ctx_message(ctx)) {
        abort();
    }
    smr_links_release(&links);
    smr_ctx_clear(ctx);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
