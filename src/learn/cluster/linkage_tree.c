/* linkage_tree.c -- single linkage: the edges of the shortest tree over the rows.
 *
 * It grows from the first row by the row that is nearest to it (Prim): n looks over the rows that
 * are left, no table of distances.  Rows that are left are kept close together, so that a look goes
 * over n / 2 of them on average. */
#include "learn/cluster/linkage.h"

#include <math.h>

enum { GROUP = SMR_SITES_LANE, TASK_GROUPS = 256, ALONE = 1 << 19, EVERY = 64 };

struct growing {
    smr_linking *l;
    int64_t n; /* rows that are left, in places 0 .. n - 1 */
    int32_t *row, *from;
    double *near; /* of each: the distance to the tree, and the row of the tree there */
    const double *q;
    int32_t last;
    int64_t *best; /* of each task */
};

/* Lets the rows of some groups know the row that joined, and finds the nearest of them. */
static smr_status look(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct growing *g = arg;
    int64_t d = g->l->rows->d, n_groups = smr_block_count(g->n, GROUP);
    int64_t end = smr_block_end(n_groups, TASK_GROUPS, task), best = -1;
    (void)ctx, (void)lane;
    for (int64_t k = task * TASK_GROUPS; k < end; k++) {
        double dist[GROUP];
        int64_t hi = SMR_MIN(GROUP, g->n - k * GROUP);
        smr_group_distances(g->l->metric, d, g->l->groups + k * GROUP * d, g->q, dist);
        for (int64_t i = 0; i < hi; i++) {
            int64_t at = k * GROUP + i;
            if (dist[i] < g->near[at] || g->from[at] < 0) {
                g->near[at] = dist[i];
                g->from[at] = g->last;
            }
            if (best < 0 || g->near[at] < g->near[best] ||
                (!(g->near[at] > g->near[best]) && g->row[at] < g->row[best]))
                best = at;
        }
    }
    g->best[task] = best;
    return SMR_OK;
}

static smr_status find_nearest(smr_ctx *ctx, struct growing *g, int64_t *best)
{
    smr_status st = SMR_OK;
    int64_t n_tasks = smr_block_count(smr_block_count(g->n, GROUP), TASK_GROUPS);
    if (g->n * g->l->rows->d > ALONE)
        TRY(smr_parallel(ctx, NULL, n_tasks, look, g));
    else
        for (int64_t t = 0; t < n_tasks; t++) (void)look(ctx, g, t, 0);
    *best = g->best[0];
    for (int64_t t = 1; t < n_tasks; t++) {
        int64_t b = g->best[t];
        if (g->near[b] < g->near[*best] ||
            (!(g->near[b] > g->near[*best]) && g->row[b] < g->row[*best]))
            *best = b;
    }
out:
    return st;
}

/* Takes the row at a place out: the last one moves there. */
static void take_out(struct growing *g, int64_t at)
{
    int64_t d = g->l->rows->d, end = --g->n;
    double *to = g->l->groups + at / GROUP * GROUP * d + at % GROUP;
    const double *from = g->l->groups + end / GROUP * GROUP * d + end % GROUP;
    for (int64_t j = 0; j < d; j++) to[j * GROUP] = from[j * GROUP];
    g->row[at] = g->row[end];
    g->from[at] = g->from[end];
    g->near[at] = g->near[end];
}

smr_status smr_link_tree(smr_ctx *ctx, smr_linking *l)
{
    smr_status st = SMR_OK;
    int64_t n = l->rows->n, best = 0;
    struct growing g = {.l = l, .n = n};
    TRY_NEW(g.row, n);
    TRY_NEW(g.from, n);
    TRY_NEW(g.near, n);
    TRY_NEW(g.best, smr_block_count(smr_block_count(n, GROUP), TASK_GROUPS));
    for (int64_t i = 0; i < n; i++) {
        g.row[i] = (int32_t)i;
        g.from[i] = -1;
    }
    take_out(&g, 0);
    for (int64_t m = 0; m < n - 1; m++) {
        g.q = l->rows->x + g.last * l->rows->d;
        TRY(find_nearest(ctx, &g, &best));
        l->merges[m] = (smr_merge){g.from[best], g.row[best], g.near[best]};
        g.last = g.row[best];
        take_out(&g, best);
        if (m % EVERY == 0) TRY(smr_tick(ctx, "merging", m, n - 1, NAN));
    }
out:
    smr_free(g.row);
    smr_free(g.from);
    smr_free(g.near);
    smr_free(g.best);
    return st;
}
