/* near_nearest.c -- links to the nearest rows: near_links.h. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/cluster/near_links.h"

#include <math.h>

enum { BLOCK = 256 };

static const char fewer[] = "take fewer rows or fewer neighbors";

struct nearest {
    const smr_site_search *search;
    int64_t k; /* of each row, itself left out */
    int32_t *to;
    double *distance; /* n x k */
    double *room;
    int64_t *place;
    int64_t a_room;
};

static smr_status find_nearest(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct nearest *f = arg;
    const smr_points *p = &f->search->points;
    int64_t K = SMR_MIN(f->k + 1, p->n), end = smr_block_end(p->n, BLOCK, task);
    double *q = f->room + lane * f->a_room, *far = q + p->d, *room = far + K;
    int64_t *place = f->place + lane * K;
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t at = 0;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_nearest(f->search, q, K, room, place, far);
        for (int64_t e = 0; e < K && at < f->k; e++) {
            if (place[e] == i) continue;
            f->to[i * f->k + at] = (int32_t)place[e];
            f->distance[i * f->k + at++] = far[e];
        }
        for (; at < f->k; at++) f->to[i * f->k + at] = -1;
    }
    return SMR_OK;
}

static void release_nearest(struct nearest *f)
{
    smr_free(f->to);
    smr_free(f->distance);
    smr_free(f->room);
    smr_free(f->place);
}

static smr_status all_nearest(smr_ctx *ctx, const smr_site_search *search, int64_t k,
                              const char *hint, struct nearest *f)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, K = SMR_MIN(k + 1, n), lanes = smr_lanes(ctx);
    *f = (struct nearest){.search = search, .k = k};
    TRY(smr_memory_check(ctx, 100.0 * (double)n * (double)k, "the graph of nearest rows", hint));
    f->a_room = smr_block_count(search->points.d + K + smr_site_room(search, K) + 1, 8) * 8;
    TRY_NEW(f->to, n * k);
    TRY_NEW(f->distance, n * k);
    TRY_NEW(f->room, lanes * f->a_room);
    TRY_NEW(f->place, lanes * K);
    TRY(smr_parallel(ctx, "looking for neighbours", smr_block_count(n, BLOCK), find_nearest, f));
out:
    return st;
}

/* How far neighbours of that weight reach, the row's own copies first: which entry is the last, and
 * which part of it counts.  -1: the copies are enough. */
static int64_t reach(const struct nearest *f, const double *weight, int64_t i, double wanted,
                     double *part)
{
    double left = wanted - smr_near_beside(weight, i);
    int64_t at = -1;
    *part = 1;
    while (left > 0 && at + 1 < f->k && f->to[i * f->k + at + 1] >= 0) {
        double one = weight ? weight[f->to[i * f->k + at + 1]] : 1;
        at++;
        *part = smr_fmin(1, left / one);
        left -= one;
    }
    return at;
}

/* Do all rows have neighbours of that weight? */
static bool reaches(const struct nearest *f, const double *weight, double wanted)
{
    for (int64_t i = 0; i < f->search->points.n; i++) {
        double sum = smr_near_beside(weight, i);
        for (int64_t e = 0; e < f->k; e++)
            sum += f->to[i * f->k + e] < 0 ? 0 : weight[f->to[i * f->k + e]];
        if (sum < wanted) return false;
    }
    return true;
}

/* As many nearest rows as the weight wanted needs. */
static smr_status nearest_of_weight(smr_ctx *ctx, const smr_site_search *search,
                                    const double *weight, int64_t wanted, struct nearest *f)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, k = SMR_MAX(1, SMR_MIN(wanted, n - 1));
    TRY(all_nearest(ctx, search, k, fewer, f));
    while (weight && k < n - 1 && !reaches(f, weight, (double)wanted)) {
        release_nearest(f);
        k = SMR_MIN(2 * k, n - 1);
        TRY(all_nearest(ctx, search, k,
                        "small weights need many neighbours: divide them by their mean", f));
    }
out:
    return st;
}

smr_status smr_near_width(smr_ctx *ctx, const smr_site_search *search, const double *weight,
                          double *width)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, k;
    struct nearest f = {0};
    double sum = 0, total = 0, part;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    k = (int64_t)ceil(smr_log(smr_fmax(1, total)) + 1);
    k = SMR_MAX(1, weight ? k : SMR_MIN(n - 1, k));
    TRY(nearest_of_weight(ctx, search, weight, k, &f));
    for (int64_t i = 0; i < n; i++) {
        int64_t last = reach(&f, weight, i, (double)k, &part);
        if (last >= 0) sum += f.distance[i * f.k + last] * (weight ? weight[i] : 1) / total;
    }
    *width = sum > 0 ? sum : 1; /* all rows are equal */
out:
    release_nearest(&f);
    return st;
}

smr_status smr_near_least(smr_ctx *ctx, const smr_site_search *search, double *least)
{
    smr_status st = SMR_OK;
    struct nearest f = {0};
    *least = INFINITY;
    TRY(all_nearest(ctx, search, 1, fewer, &f));
    for (int64_t i = 0; i < search->points.n; i++) *least = smr_fmin(*least, f.distance[i]);
out:
    release_nearest(&f);
    return st;
}

smr_status smr_link_nearest(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o,
                            smr_graph *out)
{
    smr_status st = SMR_OK;
    struct nearest f = {0};
    double *share = NULL;
    int64_t n = search->points.n;
    TRY(nearest_of_weight(ctx, search, o->weight, o->neighbors, &f));
    if (o->weight) TRY_NEW(share, n * f.k);
    for (int64_t i = 0; i < n; i++) {
        double part;
        int64_t last = reach(&f, o->weight, i, (double)o->neighbors, &part);
        for (int64_t e = 0; e < f.k; e++) {
            int64_t at = i * f.k + e;
            if (e > last) f.to[at] = -1;
            if (share) share[at] = e == last ? part : 1;
            if (f.to[at] >= 0) f.distance[at] = smr_near_weight(o, f.distance[at]);
        }
    }
    smr_arrows arrows = {n, f.k, f.to, f.distance, share};
    TRY(smr_graph_of_arrows(ctx, &arrows, o->graph == SMR_GRAPH_MUTUAL, out));
out:
    release_nearest(&f);
    smr_free(share);
    return st;
}
