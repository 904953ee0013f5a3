/* links.c -- see links.h: of files and arrays; links_rows.c has those of rows. */
#include "study/links.h"

#include "core/number.h"
#include "data/edges.h"

#include <math.h>
#include <stdio.h>

static smr_status tell_edges(smr_ctx *ctx, const char *name, const smr_graph *g)
{
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++) sum += g->degree[i];
    if (!(sum < INFINITY))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: the weights of the edges add up beyond double; divide them all by "
                        "the same number",
                        name);
    if (g->n_loops > 0)
        smr_warn(ctx, "%s: %lld edge%s from a node to itself %s left out", name,
                 (long long)g->n_loops, smr_plural(g->n_loops, "", "s"),
                 smr_plural(g->n_loops, "is", "are"));
    if (g->n_again > 0)
        smr_warn(ctx,
                 "%s: %lld edge%s again, one way or the other; the weights of equal edges are "
                 "added up",
                 name, (long long)g->n_again, smr_plural(g->n_again, " comes", "s come"));
    return SMR_OK;
}

static smr_status take_edges(smr_ctx *ctx, const char *name, smr_edges *e, smr_links *out)
{
    smr_status st = SMR_OK;
    TRY(smr_graph_of_edges(ctx, e->nodes.strings.n, e->n, e->a, e->b, e->weight, &out->graph));
    out->names = e->nodes;
    e->nodes = (smr_vocab){0};
    TRY(tell_edges(ctx, name, &out->graph));
out:
    smr_edges_release(e);
    if (st != SMR_OK) smr_links_release(out);
    return st;
}

smr_status smr_links_from_file(smr_ctx *ctx, const char *path, smr_links *out)
{
    smr_edges edges;
    *out = (smr_links){0};
    smr_status st = smr_edges_read(ctx, path, &edges);
    return st == SMR_OK ? take_edges(ctx, path, &edges, out) : st;
}

smr_status smr_links_from_text(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_links *out)
{
    smr_edges edges;
    *out = (smr_links){0};
    smr_status st = smr_edges_parse(ctx, name, bytes, n, &edges);
    return st == SMR_OK ? take_edges(ctx, name, &edges, out) : st;
}

/* ---- arrays ----------------------------------------------------------------------------- */

static smr_status check_edges(smr_ctx *ctx, int64_t n, int64_t m, const int64_t *a,
                              const int64_t *b, const double *weight)
{
    if (n < 1 || n > SMR_MAX_DIM - 2)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a graph has from 1 to %lld nodes, not %lld",
                        (long long)SMR_MAX_DIM - 2, (long long)n);
    if (m < 1) return smr_fail(ctx, SMR_ERR_DATA, "the graph has no edges");
    if (!a || !b)
        return smr_fail(ctx, SMR_ERR_PARAM, "the nodes of the graph's %lld edges are NULL",
                        (long long)m);
    for (int64_t e = 0; e < m; e++) {
        if (a[e] < 0 || b[e] < 0 || a[e] >= n || b[e] >= n)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "edge %lld goes from node %lld to node %lld; nodes are numbered from 0 "
                            "to %lld",
                            (long long)e, (long long)a[e], (long long)b[e], (long long)n - 1);
        if (!weight || (weight[e] > 0 && weight[e] < INFINITY)) continue;
        char given[SMR_NUMBER_MAX];
        smr_format_rounded(weight[e], 6, given);
        return smr_fail(ctx, SMR_ERR_DATA,
                        "edge %lld has the weight %s; the weight of an edge is a number above 0: "
                        "leave out edges that are none",
                        (long long)e, given);
    }
    return SMR_OK;
}

smr_status smr_links_name(smr_ctx *ctx, const int64_t *number, smr_links *links)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < links->graph.n; i++) {
        char name[32];
        int32_t code;
        int length = snprintf(name, sizeof name, "%lld", (long long)(number ? number[i] : i));
        TRY(smr_vocab_add(ctx, &links->names, name, length, &code));
    }
out:
    return st;
}

smr_status smr_links_from_edges(smr_ctx *ctx, int64_t n, int64_t m, const int64_t *a,
                                const int64_t *b, const double *weight, smr_links *out)
{
    smr_status st = SMR_OK;
    int32_t *from = NULL, *to = NULL;
    *out = (smr_links){0};
    TRY(check_edges(ctx, n, m, a, b, weight));
    TRY_NEW(from, m);
    TRY_NEW(to, m);
    for (int64_t e = 0; e < m; e++) {
        from[e] = (int32_t)a[e];
        to[e] = (int32_t)b[e];
    }
    TRY(smr_graph_of_edges(ctx, n, m, from, to, weight, &out->graph));
    TRY(smr_links_name(ctx, NULL, out));
    TRY(tell_edges(ctx, "graph", &out->graph));
out:
    smr_free(from);
    smr_free(to);
    if (st != SMR_OK) smr_links_release(out);
    return st;
}

void smr_links_release(smr_links *links)
{
    smr_vocab_release(&links->names);
    smr_graph_release(&links->graph);
    *links = (smr_links){0};
}

/* ---- written ---------------------------------------------------------------------------- */

static void add_name(const smr_links *links, int64_t i, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(&links->names.strings, i, &length);
    smr_text_add_bytes(out, name, length);
}

/* A line that begins like this is a remark. */
static bool is_remark(const smr_links *links, int64_t i)
{
    int64_t length;
    const char *name = smr_strings_get(&links->names.strings, i, &length);
    return length > 0 && (*name == '#' || *name == '%');
}

/* The name that may stand at the beginning comes first: of an edge that was read, one may. */
static void add_edge(const smr_links *links, int64_t a, int64_t b, double weight, smr_text *out)
{
    bool turned = is_remark(links, a);
    add_name(links, turned ? b : a, out);
    smr_text_add(out, ",");
    add_name(links, turned ? a : b, out);
    smr_text_add(out, ",");
    smr_text_number(out, weight);
    smr_text_add(out, "\n");
}

void smr_links_write(const smr_links *links, smr_text *out)
{
    const smr_graph *g = &links->graph;
    smr_text_add(out, "from,to,weight\n");
    for (int64_t i = 0; i < g->n; i++) {
        if (g->start[i] == g->start[i + 1]) add_edge(links, i, i, 1, out);
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->to[e] > i) add_edge(links, i, g->to[e], g->weight[e], out);
    }
}
