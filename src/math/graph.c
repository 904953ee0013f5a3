/* graph.c -- see graph.h: how graphs are made, their parts, and cuts. */
#include "math/graph.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* ---- making ----------------------------------------------------------------------------- */

smr_status smr_graph_finish(smr_ctx *ctx, smr_graph *g)
{
    smr_status st = SMR_OK;
    if (!g->degree) TRY_NEW(g->degree, g->n);
    for (int64_t i = 0; i < g->n; i++) {
        g->degree[i] = 0;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) g->degree[i] += g->weight[e];
        if (g->own) g->degree[i] += g->own[i];
    }
out:
    return st;
}

void smr_graph_release(smr_graph *g)
{
    smr_free(g->start);
    smr_free(g->to);
    smr_free(g->weight);
    smr_free(g->degree);
    smr_free(g->mass);
    smr_free(g->own);
    *g = (smr_graph){0};
}

smr_status smr_graph_weigh(smr_ctx *ctx, smr_graph *g, const double *mass, const double *own)
{
    smr_status st = SMR_OK;
    TRY_NEW(g->mass, g->n);
    TRY_NEW(g->own, g->n);
    memcpy(g->mass, mass, (size_t)g->n * sizeof *mass);
    memcpy(g->own, own, (size_t)g->n * sizeof *own);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            g->weight[e] *= mass[i] * mass[g->to[e]];
    TRY(smr_graph_finish(ctx, g));
out:
    return st;
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
                g->n_again += g->to[e] > i;
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

/* The entry of node i that points at j; -1: none.  Those that are none are at the end. */
static int64_t points_at(const smr_arrows *a, int64_t i, int32_t j)
{
    const int32_t *row = a->to + i * a->k;
    for (int64_t e = 0; e < a->k && row[e] >= 0; e++)
        if (row[e] == j) return i * a->k + e;
    return -1;
}

/* Of entry e and the one the other way, or -1. */
static double weight_of(const smr_arrows *a, bool mutual, int64_t e, int64_t back)
{
    double w = a->w ? a->w[e] : 1, there = a->share ? a->share[e] : 1;
    double here = back < 0 ? 0 : a->share ? a->share[back] : 1;
    return w * (mutual ? there * here : (there + here) / 2);
}

smr_status smr_graph_of_arrows(smr_ctx *ctx, const smr_arrows *arrows, bool mutual, smr_graph *out)
{
    smr_status st = SMR_OK;
    int32_t *a = NULL, *b = NULL;
    double *weight = NULL;
    int64_t m = 0, n = arrows->n, k = arrows->k;
    TRY_NEW(a, n * k);
    TRY_NEW(b, n * k);
    TRY_NEW(weight, n * k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = i * k; e < (i + 1) * k; e++) {
            int32_t j = arrows->to[e];
            if (j < 0) continue;
            int64_t back = points_at(arrows, j, (int32_t)i);
            if (back >= 0 && j < i) continue; /* once is enough */
            double own = weight_of(arrows, mutual, e, back);
            if (!(own > 0)) continue;
            a[m] = (int32_t)i;
            b[m] = j;
            weight[m++] = own;
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
        size[own] += g->mass ? g->mass[i] : 1;
        volume[own] += g->degree[i];
        if (g->own) within[own] += g->own[i];
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
