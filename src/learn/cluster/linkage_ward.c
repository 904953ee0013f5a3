/* linkage_ward.c -- Ward's linkage by chains of nearest neighbours over means, without a table of
 * distances: a look over all clusters costs d multiply-adds for each of them.
 *
 * Of two clusters that merge one place keeps the mean; the last place moves to the other one. */
#include "learn/cluster/linkage.h"

#include <math.h>

enum { GROUP = SMR_SITES_LANE, TASK_GROUPS = 256, ALONE = 1 << 19, EVERY = 64 };

struct chaining {
    smr_linking *l; /* groups: the means */
    int64_t n;      /* clusters, in places 0 .. n - 1 */
    int32_t *row;   /* one of each; it decides ties */
    double *weight, *height;
    int32_t *chain, *link; /* link: the place in the chain of the cluster at a place, or -1 */
    int64_t n_chain;
    double *q; /* the mean that others are compared with */
    double of; /* its weight                             */
    int64_t self, best_known;
    double known; /* distance to the one before it in the chain; infinite: there is none */
    int64_t *best;
    double *near;
};

static smr_status look(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct chaining *c = arg;
    int64_t d = c->l->rows->d, n_groups = smr_block_count(c->n, GROUP), best = -1;
    int64_t end = smr_block_end(n_groups, TASK_GROUPS, task);
    double least = INFINITY;
    (void)ctx, (void)lane;
    for (int64_t k = task * TASK_GROUPS; k < end; k++) {
        double dist[GROUP];
        int64_t hi = SMR_MIN(GROUP, c->n - k * GROUP);
        smr_group_distances(SMR_NEAR_L2, d, c->l->groups + k * GROUP * d, c->q, dist);
        for (int64_t i = 0; i < hi; i++) {
            int64_t at = k * GROUP + i;
            double w = c->weight[at];
            double far = sqrt(2 * (w * c->of) / (w + c->of)) * dist[i];
            if (at == c->self || far > least) continue;
            if (best >= 0 && !(far < least) && c->row[at] > c->row[best]) continue;
            least = far;
            best = at;
        }
    }
    c->best[task] = best;
    c->near[task] = least;
    return SMR_OK;
}

/* The nearest of the cluster at the end of the chain; the one before it where none is nearer. */
static smr_status find_nearest(smr_ctx *ctx, struct chaining *c, int64_t *best, double *near)
{
    smr_status st = SMR_OK;
    int64_t n_tasks = smr_block_count(smr_block_count(c->n, GROUP), TASK_GROUPS);
    if (c->n * c->l->rows->d > ALONE)
        TRY(smr_parallel(ctx, NULL, n_tasks, look, c));
    else
        for (int64_t t = 0; t < n_tasks; t++) (void)look(ctx, c, t, 0);
    *best = c->best_known;
    *near = c->known;
    for (int64_t t = 0; t < n_tasks; t++) {
        int64_t b = c->best[t];
        if (b < 0 || c->near[t] > *near) continue;
        bool tie = *best >= 0 && !(c->near[t] < *near);
        if (tie && (*best == c->best_known || c->row[b] > c->row[*best])) continue;
        *best = b;
        *near = c->near[t];
    }
out:
    return st;
}

static double *mean_at(const struct chaining *c, int64_t at)
{
    return c->l->groups + at / GROUP * GROUP * c->l->rows->d + at % GROUP;
}

/* Puts both clusters into place a, and the last one into b. */
static void merge(struct chaining *c, int64_t a, int64_t b, double height)
{
    int64_t d = c->l->rows->d, end = c->n - 1;
    double w = c->weight[a] + c->weight[b], share = c->weight[b] / w;
    double *to = mean_at(c, a), *from = mean_at(c, b), *last = mean_at(c, end);
    height = smr_fmax(height, smr_fmax(c->height[a], c->height[b]));
    c->l->merges[c->l->n_merges++] = (smr_merge){c->row[a], c->row[b], height};
    for (int64_t j = 0; j < d; j++) {
        to[j * GROUP] += share * (from[j * GROUP] - to[j * GROUP]);
        from[j * GROUP] = last[j * GROUP];
    }
    c->weight[a] = w;
    c->height[a] = height;
    c->row[a] = SMR_MIN(c->row[a], c->row[b]);
    c->link[a] = -1;
    c->weight[b] = c->weight[end];
    c->height[b] = c->height[end];
    c->row[b] = c->row[end];
    c->link[b] = c->link[end];
    if (b != end && c->link[b] >= 0) c->chain[c->link[b]] = (int32_t)b;
    c->n--;
}

static void add_to_chain(struct chaining *c, int64_t at)
{
    c->link[at] = (int32_t)c->n_chain;
    c->chain[c->n_chain++] = (int32_t)at;
}

static smr_status step(smr_ctx *ctx, struct chaining *c)
{
    smr_status st = SMR_OK;
    int64_t d = c->l->rows->d, best;
    double near;
    if (c->n_chain == 0) {
        add_to_chain(c, 0);
        c->known = INFINITY;
    }
    c->self = c->chain[c->n_chain - 1];
    c->best_known = c->n_chain > 1 ? c->chain[c->n_chain - 2] : -1;
    c->of = c->weight[c->self];
    const double *mean = mean_at(c, c->self);
    for (int64_t j = 0; j < d; j++) c->q[j] = mean[j * GROUP];
    if (c->n_chain > 1) {
        double dist[GROUP], w = c->weight[c->best_known];
        smr_group_distances(SMR_NEAR_L2, d, c->l->groups + c->best_known / GROUP * GROUP * d, c->q,
                            dist);
        c->known = sqrt(2 * (w * c->of) / (w + c->of)) * dist[c->best_known % GROUP];
    } else {
        c->known = INFINITY;
    }
    TRY(find_nearest(ctx, c, &best, &near));
    if (best != c->best_known) {
        add_to_chain(c, best);
        return SMR_OK;
    }
    c->n_chain -= 2;
    merge(c, SMR_MIN(c->self, best), SMR_MAX(c->self, best), near);
out:
    return st;
}

smr_status smr_link_ward(smr_ctx *ctx, smr_linking *l)
{
    smr_status st = SMR_OK;
    int64_t n = l->rows->n, n_tasks = smr_block_count(smr_block_count(n, GROUP), TASK_GROUPS);
    struct chaining c = {.l = l, .n = n};
    TRY_NEW(c.row, n);
    TRY_NEW(c.weight, n);
    TRY_NEW(c.height, n);
    TRY_NEW(c.chain, n + 1);
    TRY_NEW(c.link, n);
    TRY_NEW(c.q, l->rows->d);
    TRY_NEW(c.best, n_tasks);
    TRY_NEW(c.near, n_tasks);
    for (int64_t i = 0; i < n; i++) {
        c.row[i] = (int32_t)i;
        c.weight[i] = l->rows->w ? l->rows->w[i] : 1;
        c.link[i] = -1;
    }
    for (int64_t k = 0; c.n > 1; k++) {
        TRY(step(ctx, &c));
        if (k % EVERY == 0) TRY(smr_tick(ctx, "merging", l->n_merges, n - 1, NAN));
    }
out:
    smr_free(c.row);
    smr_free(c.weight);
    smr_free(c.height);
    smr_free(c.chain);
    smr_free(c.link);
    smr_free(c.q);
    smr_free(c.best);
    smr_free(c.near);
    return st;
}
