/* near_within.c -- links to the rows within a radius, or to all: near_links.h. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/cluster/near_links.h"

#include <math.h>
#include <stdio.h>

enum { GROUP = SMR_SITES_LANE, BLOCK = 256 };

struct within {
    const smr_site_search *search;
    const smr_graph_opts *o;
    smr_graph *g;
    bool fills; /* else it counts, into start */
    double *room;
    int64_t a_room;
};

struct filling {
    const struct within *w;
    int64_t from, at;
    const double *q;
    double *row;
};

static double length_of(const smr_points *p, const double *a, const double *b)
{
    switch (smr_points_kind(p)) {
    case SMR_NEAR_L1: return smr_l1_f64(p->d, a, b);
    case SMR_NEAR_LINF: return smr_linf_f64(p->d, a, b);
    default: return sqrt(smr_l2sq_f64(p->d, a, b));
    }
}

static bool take(void *arg, int64_t leaf, unsigned mask)
{
    struct filling *f = arg;
    const smr_points *p = &f->w->search->points;
    for (; mask; mask &= mask - 1) {
        int64_t i = leaf * GROUP + __builtin_ctz(mask);
        if (i == f->from) continue;
        if (f->w->fills) {
            smr_layout_row(&p->layout, p->x, i, f->row);
            f->w->g->to[f->at] = (int32_t)i;
            f->w->g->weight[f->at] = smr_near_weight(f->w->o, length_of(p, f->q, f->row));
        }
        f->at++;
    }
    return true;
}

/* Entries of a node in their order: boxes were looked at from the nearest on. */
static void sort_entries(int32_t *to, double *weight, int64_t n)
{
    for (int64_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < n; i++) {
            int32_t t = to[i];
            double w = weight[i];
            int64_t j = i;
            for (; j >= gap && to[j - gap] > t; j -= gap) {
                to[j] = to[j - gap];
                weight[j] = weight[j - gap];
            }
            to[j] = t;
            weight[j] = w;
        }
}

/* The links of row i, from entry `at` on; returns where they end. */
static int64_t walk_row(const struct within *w, int64_t i, double *room, int64_t at)
{
    const smr_points *p = &w->search->points;
    struct filling f = {.w = w, .from = i, .at = at, .q = room, .row = room + 2 * p->d};
    smr_site_walk walk = {.search = w->search,
                          .radius = w->o->graph == SMR_GRAPH_FULL ? INFINITY : w->o->eps,
                          .found = take,
                          .arg = &f};
    smr_layout_row(&p->layout, p->x, i, room);
    smr_site_walk_from(&walk, room, room + p->d);
    return f.at;
}

static smr_status walk_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct within *w = arg;
    smr_graph *g = w->g;
    int64_t end = smr_block_end(w->search->points.n, BLOCK, task);
    double *room = w->room + lane * w->a_room;
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t first = w->fills ? g->start[i] : 0, last = walk_row(w, i, room, first);
        if (w->fills)
            sort_entries(g->to + first, g->weight + first, last - first);
        else
            g->start[i + 1] = last;
    }
    return SMR_OK;
}

/* A weight that is rounded to 0 is no link. */
static void drop_zeros(smr_graph *g)
{
    int64_t at = 0, lo = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t hi = g->start[i + 1];
        for (int64_t e = lo; e < hi; e++) {
            if (!(g->weight[e] > 0)) continue;
            g->to[at] = g->to[e];
            g->weight[at++] = g->weight[e];
        }
        lo = hi;
        g->start[i + 1] = at;
    }
}

static smr_status check_memory(smr_ctx *ctx, const smr_graph_opts *o, int64_t n, double entries,
                               const char *about)
{
    char what[128];
    snprintf(what, sizeof what, "%s: a graph of %lld rows with %s%lld links", o->who, (long long)n,
             about, (long long)(entries / 2));
    return smr_memory_check(ctx, 12.0 * entries, what,
                            o->graph == SMR_GRAPH_FULL ? "graph=knn links near rows only"
                                                       : "take a smaller eps, or graph=knn");
}

/* From some rows, so that a graph beyond memory is not counted first; half of what they say. */
static smr_status estimate(smr_ctx *ctx, struct within *w)
{
    enum { SAMPLE = 400 };
    int64_t n = w->search->points.n, links = 0, m = SMR_MIN(SAMPLE, n);
    if (w->o->graph == SMR_GRAPH_FULL)
        return check_memory(ctx, w->o, n, (double)n * (double)(n - 1), "");
    for (int64_t k = 0; k < m; k++) links += walk_row(w, k * n / m, w->room, 0);
    return check_memory(ctx, w->o, n, (double)links / (double)m * (double)n / 2, "more than ");
}

smr_status smr_link_within(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o,
                           smr_graph *out)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, n_tasks = smr_block_count(n, BLOCK);
    struct within w = {.search = search, .o = o, .g = out};
    *out = (smr_graph){.n = n};
    w.a_room = smr_block_count(3 * search->points.d, 8) * 8;
    TRY_NEW(w.room, smr_lanes(ctx) * w.a_room);
    TRY_NEW(out->start, n + 1);
    TRY(estimate(ctx, &w));
    TRY(smr_parallel(ctx, "counting links", n_tasks, walk_block, &w));
    for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    TRY(check_memory(ctx, o, n, (double)out->start[n], ""));
    w.fills = true;
    TRY_NEW(out->to, out->start[n]);
    TRY_NEW(out->weight, out->start[n]);
    TRY(smr_parallel(ctx, "linking rows", n_tasks, walk_block, &w));
    drop_zeros(out);
    TRY(smr_graph_finish(ctx, out));
out:
    smr_free(w.room);
    if (st != SMR_OK) smr_graph_release(out);
    return st;
}
