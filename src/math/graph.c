/* graph.c -- see graph.h: how graphs are made, their parts, and cuts. */
#include "math/graph.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* ---- making ----------------------------------------------------------------------------- */

smr_status smr_graph_finish(smr_ctx *ctx, smr_graph *g)
{
    smr_status st = SMR_OK;
    TRY_NEW(g->degree, g->n);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) g->degree[i] += g->weight[e];
out:
    return st;
}

void smr_graph_release(smr_graph *g)
{
    smr_free(g->start);
    smr_free(g->to);
    smr_free(g->weight);
    smr_free(g->degree);
    *g = (smr_graph){0};
}

/* Entries by their first node, and then once more by the other: each node's come in order. */
static smr_status place_entries(smr_ctx *ctx, int64_t n, int64_t m, const int32_t *a,
                                const int32_t *b, const double *w, smr_graph *g)
{
    smr_status st = SMR_OK;
    int64_t *start = NULL, total = 0;
    int32_t *from = NULL, *to = NULL;
    double *weight = NULL;
    TRY_NEW(start, n + 1);
    TRY_NEW(g->start, n + 1);
    for (int64_t e = 0; e < m; e++) {
        if (a[e] == b[e]) g->n_loops++;
        if (a[e] == b[e]) continue;
        start[a[e] + 1]++;
        start[b[e] + 1]++;
        total += 2;
    }
    for (int64_t i = 0; i < n; i++) start[i + 1] += start[i];
    memcpy(g->start, start, (size_t)(n + 1) * sizeof *start);
    TRY_NEW(from, total);
    TRY_NEW(weight, total);
    TRY_NEW(to, total);
    TRY_NEW(g->to, total);
    TRY_NEW(g->weight, total);
    for (int64_t e = 0; e < m; e++) {
        if (a[e] == b[e]) continue;
        for (int way = 0; way < 2; way++) { /* under b, from a, and the other way */
            int64_t at = start[way ? a[e] : b[e]]++;
            from[at] = way ? b[e] : a[e];
            to[at] = way ? a[e] : b[e];
            weight[at] = w ? w[e] : 1;
        }
    }
    memcpy(start, g->start, (size_t)(n + 1) * sizeof *start);
    for (int64_t e = 0; e < total; e++) { /* ascending in `to` */
        int64_t at = start[from[e]]++;
        g->to[at] = to[e];
        g->weight[at] = weight[e];
    }
out:
    smr_free(start);
    smr_free(from);
    smr_free(to);
    smr_free(weight);
    return st;
}

/* Equal entries of a node become one. */
static void join_entries(smr_graph *g)
{
    int64_t at = 0, lo = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t hi = g->start[i + 1], first = at;
        for (int64_t e = lo; e < hi; e++) {
            if (at > first && g->to[at - 1] == g->to[e]) {
                g->weight[at - 1] += g->weight[e];
                continue;
            }
            g->to[at] = g->to[e];
            g->weight[at++] = g->weight[e];
        }
        lo = hi;
        g->start[i + 1] = at;
    }
}

smr_status smr_graph_of_edges(smr_ctx *ctx, int64_t n, int64_t m, const int32_t *a,
                              const int32_t *b, const double *w, smr_graph *out)
{
    *out = (smr_graph){.n = n};
    smr_status st = place_entries(ctx, n, m, a, b, w, out);
    if (st == SMR_OK) {
        join_entries(out);
        st = smr_graph_finish(ctx, out);
    }
    if (st != SMR_OK) smr_graph_release(out);
    return st;
}

/* Does node i point at j?  Its k entries ascend, those that are none at the end. */
static bool points_at(const int32_t *to, int64_t k, int64_t i, int32_t j)
{
    const int32_t *row = to + i * k;
    for (int64_t e = 0; e < k && row[e] >= 0; e++)
        if (row[e] == j) return true;
    return false;
}

smr_status smr_graph_of_arrows(smr_ctx *ctx, int64_t n, int64_t k, const int32_t *to,
                               const double *w, bool mutual, smr_graph *out)
{
    smr_status st = SMR_OK;
    int32_t *a = NULL, *b = NULL;
    double *weight = NULL;
    int64_t m = 0;
    TRY_NEW(a, n * k);
    TRY_NEW(b, n * k);
    TRY_NEW(weight, n * k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = 0; e < k; e++) {
            int32_t j = to[i * k + e];
            double one = w ? w[i * k + e] : 1;
            if (j < 0 || !(one > 0)) continue;
            bool both = points_at(to, k, j, (int32_t)i);
            if ((both && j < i) || (!both && mutual)) continue; /* once is enough */
            a[m] = (int32_t)i;
            b[m] = j;
            weight[m++] = both ? one : one / 2;
        }
    }
    TRY(smr_graph_of_edges(ctx, n, m, a, b, weight, out));
out:
    smr_free(a);
    smr_free(b);
    smr_free(weight);
    return st;
}

/* ---- parts ------------------------------------------------------------------------------ */

smr_status smr_graph_parts(smr_ctx *ctx, const smr_graph *g, int32_t *part, int64_t *n_parts)
{
    smr_status st = SMR_OK;
    int32_t *stack = NULL;
    *n_parts = 0;
    TRY_NEW(stack, g->n + 1);
    for (int64_t i = 0; i < g->n; i++) part[i] = -1;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t n_stack = 0;
        if (part[i] >= 0) continue;
        int32_t own = (int32_t)(*n_parts)++;
        part[i] = own;
        stack[n_stack++] = (int32_t)i;
        while (n_stack > 0) {
            int32_t at = stack[--n_stack];
            for (int64_t e = g->start[at]; e < g->start[at + 1]; e++) {
                if (part[g->to[e]] >= 0) continue;
                part[g->to[e]] = own;
                stack[n_stack++] = g->to[e];
            }
        }
    }
out:
    smr_free(stack);
    return st;
}

/* ---- cuts ------------------------------------------------------------------------------- */

static double share(double cut, double of)
{
    return cut > 0 || of > 0 ? cut / of : 0;
}

smr_status smr_graph_cuts(smr_ctx *ctx, const smr_graph *g, int64_t k, const int32_t *label,
                          smr_cut_values *out)
{
    smr_status st = SMR_OK;
    double *cut = NULL, *size = NULL, *volume = NULL, *within = NULL;
    *out = (smr_cut_values){0};
    TRY_NEW(cut, k + 1);
    TRY_NEW(size, k + 1);
    TRY_NEW(volume, k + 1);
    TRY_NEW(within, k + 1);
    for (int64_t i = 0; i < g->n; i++) {
        int32_t own = label[i];
        size[own]++;
        volume[own] += g->degree[i];
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            *(label[g->to[e]] == own ? &within[own] : &cut[own]) += g->weight[e];
    }
    for (int64_t c = 0; c < k; c++) {
        out->cut += cut[c] / 2;
        out->ratio += share(cut[c], size[c]);
        out->normalised += share(cut[c], volume[c]);
        out->min_max += share(cut[c], within[c]);
    }
out:
    smr_free(cut);
    smr_free(size);
    smr_free(volume);
    smr_free(within);
    return st;
}
