/* api_graph.c -- graphs that are given, or of rows: divided, and what any division cuts. */
#include "api/api_parts.h"
#include "core/sort.h"
#include "data/edges.h"
#include "study/graph_divide.h"

/* ---- making ----------------------------------------------------------------------------- */

/* Moves a graph to memory of its own; it is released where that fails. */
static smr_status hand_over(smr_ctx *ctx, smr_status st, smr_links *links, smr_links **out)
{
    smr_links *made = st == SMR_OK ? smr_alloc(ctx, 1, sizeof *made) : NULL;
    if (!made) {
        smr_links_release(links);
        return st == SMR_OK ? SMR_ERR_NOMEM : st;
    }
    *made = *links;
    *out = made;
    return SMR_OK;
}

static smr_status need(smr_ctx *ctx, bool given, const char *what)
{
    return given ? SMR_OK : smr_fail(ctx, SMR_ERR_PARAM, "graph: %s is NULL", what);
}

smr_status smr_links_open(smr_ctx *ctx, const char *path, smr_links **out)
{
    smr_links links = {0};
    smr_begin_call(ctx);
    *out = NULL;
    smr_status st = need(ctx, path, "the name of the file");
    if (st == SMR_OK) st = smr_links_from_file(ctx, path, &links);
    return hand_over(ctx, st, &links, out);
}

smr_status smr_links_read(smr_ctx *ctx, const char *text, int64_t length, smr_links **out)
{
    smr_links links = {0};
    smr_begin_call(ctx);
    *out = NULL;
    if (length < 0) return smr_fail(ctx, SMR_ERR_PARAM, "a text has no length below 0");
    smr_status st = need(ctx, text, "the text");
    if (st == SMR_OK) st = smr_links_from_text(ctx, "graph", text, length, &links);
    return hand_over(ctx, st, &links, out);
}

smr_status smr_links_of_edges(smr_ctx *ctx, int64_t n_nodes, int64_t n_edges, const int64_t *a,
                              const int64_t *b, const double *weight, smr_links **out)
{
    smr_links links = {0};
    smr_begin_call(ctx);
    *out = NULL;
    smr_status st = smr_links_from_edges(ctx, n_nodes, n_edges, a, b, weight, &links);
    return hand_over(ctx, st, &links, out);
}

smr_status smr_links_of_table(smr_ctx *ctx, const smr_table *table, const char *sentence,
                              const char *ignore, const char *weight, smr_links **out)
{
    smr_links links = {0};
    smr_set_opts opts = {.ignore = ignore, .weight = weight};
    smr_begin_call(ctx);
    *out = NULL;
    smr_status st = need(ctx, table, "the table");
    if (st == SMR_OK) st = smr_links_from_rows(ctx, table, sentence, &opts, &links, NULL, NULL);
    return hand_over(ctx, st, &links, out);
}

void smr_links_free(smr_links *links)
{
    if (!links) return;
    smr_links_release(links);
    smr_free(links);
}

/* ---- looking into one ------------------------------------------------------------------- */

int64_t smr_links_n_nodes(const smr_links *links)
{
    return links->graph.n;
}

int64_t smr_links_n_edges(const smr_links *links)
{
    return links->graph.start[links->graph.n] / 2;
}

const char *smr_links_node(const smr_links *links, int64_t i, int64_t *length)
{
    if (i < 0 || i >= links->graph.n) return NULL;
    return smr_strings_get(&links->names.strings, i, length);
}

int64_t smr_links_find(const smr_links *links, const char *node)
{
    return smr_vocab_find(&links->names, node, (int64_t)strlen(node));
}

int64_t smr_links_edges(const smr_links *links, int64_t *a, int64_t *b, double *weight)
{
    const smr_graph *g = &links->graph;
    int64_t m = 0;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            if (g->to[e] < i) continue;
            if (a) a[m] = i;
            if (b) b[m] = g->to[e];
            if (weight) weight[m] = g->weight[e];
            m++;
        }
    return m;
}

/* ---- divisions -------------------------------------------------------------------------- */

smr_status smr_links_divide(smr_ctx *ctx, const smr_links *links, const char *settings,
                            int64_t *label, char **json)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    int32_t *found = NULL;
    smr_begin_call(ctx);
    if (json) *json = NULL;
    TRY(need(ctx, links, "the graph"));
    TRY_NEW(found, links->graph.n);
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_graph_tell_division(ctx, links, settings ? settings : "", found, smr_json_root(doc)));
    for (int64_t i = 0; label && i < links->graph.n; i++) label[i] = found[i];
    if (json) TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_free(found);
    return st;
}

/* Numbers from 0 in the place of any others; *k: how many. */
static smr_status number_groups(smr_ctx *ctx, int64_t n, const int64_t *label, int32_t *out,
                                int64_t *k)
{
    smr_status st = SMR_OK;
    smr_placed *room = NULL;
    TRY_NEW(room, 2 * n);
    for (int64_t i = 0; i < n; i++)
        room[i] = (smr_placed){(uint64_t)label[i] ^ (UINT64_C(1) << 63), i};
    const smr_placed *sorted = smr_sort_placed(n, room);
    *k = 0;
    for (int64_t i = 0; i < n; i++) {
        *k += i == 0 || sorted[i].key != sorted[i - 1].key;
        out[sorted[i].row] = (int32_t)(*k - 1);
    }
out:
    smr_free(room);
    return st;
}

smr_status smr_links_cut(smr_ctx *ctx, const smr_links *links, const int64_t *label,
                         smr_links_cuts *out)
{
    smr_status st = SMR_OK;
    int32_t *group = NULL;
    smr_cut_values v;
    int64_t k;
    smr_begin_call(ctx);
    *out = (smr_links_cuts){0};
    TRY(need(ctx, links, "the graph"));
    TRY(need(ctx, label, "the list of groups, one for each node,"));
    TRY_NEW(group, links->graph.n);
    TRY(number_groups(ctx, links->graph.n, label, group, &k));
    TRY(smr_graph_cuts(ctx, &links->graph, k, group, &v));
    *out = (smr_links_cuts){k, v.cut, v.ratio, v.normalised, v.min_max};
out:
    smr_free(group);
    return st;
}

smr_status smr_links_read_groups(smr_ctx *ctx, const smr_links *links, const char *path,
                                 int64_t *label)
{
    smr_status st = SMR_OK;
    smr_vocab groups = {0};
    int32_t *found = NULL;
    smr_begin_call(ctx);
    TRY(need(ctx, links, "the graph"));
    TRY(need(ctx, path, "the name of the file of groups"));
    TRY(need(ctx, label, "the room for the groups"));
    TRY_NEW(found, links->graph.n);
    TRY(smr_edges_read_labels(ctx, path, &links->names, &groups, found));
    for (int64_t i = 0; i < links->graph.n; i++) label[i] = found[i];
out:
    smr_vocab_release(&groups);
    smr_free(found);
    return st;
}
