/* linkage.c -- see linkage.h: distances, and merges in the order of their heights. */
#include "learn/cluster/linkage.h"

#include "core/sort.h"
#include "kernel/kernel.h"

#include <math.h>

enum { GROUP = SMR_SITES_LANE };

void smr_group_distances(smr_near_kind metric, int64_t d, const double *group, const double *q,
                         double dist[GROUP])
{
    double sum[GROUP] = {0};
    for (int64_t j = 0; j < d && metric == SMR_NEAR_L2; j++) {
        for (int i = 0; i < GROUP; i++) {
            double t = group[j * GROUP + i] - q[j];
            sum[i] += t * t;
        }
    }
    for (int64_t j = 0; j < d && metric == SMR_NEAR_L1; j++)
        for (int i = 0; i < GROUP; i++) sum[i] += fabs(group[j * GROUP + i] - q[j]);
    for (int64_t j = 0; j < d && metric == SMR_NEAR_LINF; j++) {
        for (int i = 0; i < GROUP; i++) {
            double t = fabs(group[j * GROUP + i] - q[j]);
            sum[i] = t > sum[i] ? t : sum[i];
        }
    }
    for (int i = 0; i < GROUP; i++) dist[i] = metric == SMR_NEAR_L2 ? sqrt(sum[i]) : sum[i];
}

/* ---- in the order of heights ------------------------------------------------------------ */

/* Clusters as trees of rows: their tops know the number and the weight. */
struct clusters {
    int32_t *up, *number;
    double *weight;
};

static int32_t top_of(int32_t *up, int32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static smr_status begin_clusters(smr_ctx *ctx, const smr_site_rows *rows, struct clusters *c)
{
    smr_status st = SMR_OK;
    TRY_NEW(c->up, rows->n);
    TRY_NEW(c->number, rows->n);
    TRY_NEW(c->weight, rows->n);
    for (int64_t i = 0; i < rows->n; i++) {
        c->up[i] = c->number[i] = (int32_t)i;
        c->weight[i] = rows->w ? rows->w[i] : 1;
    }
out:
    return st;
}

/* Sorting keeps the order of equal heights, in which a cluster's own merges come before it; a
 * height that rounding put below those of its parts was raised to theirs. */
static smr_status number_merges(smr_ctx *ctx, const smr_linking *l, int32_t *left, int32_t *right,
                                double *height, double *weight)
{
    smr_status st = SMR_OK;
    struct clusters c = {0};
    int64_t *order = NULL, n = l->rows->n;
    double *key = NULL;
    TRY_NEW(order, n);
    TRY_NEW(key, n);
    TRY(begin_clusters(ctx, l->rows, &c));
    for (int64_t m = 0; m < n - 1; m++) key[m] = l->merges[m].height;
    TRY(smr_argsort_f64(ctx, n - 1, key, order));
    for (int64_t m = 0; m < n - 1; m++) {
        const smr_merge *merge = &l->merges[order[m]];
        int32_t a = top_of(c.up, merge->a), b = top_of(c.up, merge->b);
        left[m] = SMR_MIN(c.number[a], c.number[b]);
        right[m] = SMR_MAX(c.number[a], c.number[b]);
        height[m] = merge->height;
        c.up[b] = a;
        c.number[a] = (int32_t)(n + m);
        weight[m] = c.weight[a] += c.weight[b];
    }
out:
    smr_free(order);
    smr_free(key);
    smr_free(c.up);
    smr_free(c.number);
    smr_free(c.weight);
    return st;
}

smr_status smr_link_rows(smr_ctx *ctx, smr_linkage linkage, smr_near_kind metric,
                         const smr_site_rows *rows, int32_t *left, int32_t *right, double *height,
                         double *weight)
{
    smr_status st = SMR_OK;
    smr_linking l = {.linkage = linkage, .metric = metric, .rows = rows};
    if (rows->n < 2) return SMR_OK;
    TRY_NEW(l.merges, rows->n);
    TRY_NEW(l.groups, smr_block_count(rows->n, GROUP) * GROUP * rows->d);
    smr_pack_f64(rows->n, rows->d, rows->x, rows->d, l.groups);
    if (linkage == SMR_LINKAGE_SINGLE)
        TRY(smr_link_tree(ctx, &l));
    else if (linkage == SMR_LINKAGE_WARD)
        TRY(smr_link_ward(ctx, &l));
    else
        TRY(smr_link_chain(ctx, &l));
    TRY(number_merges(ctx, &l, left, right, height, weight));
out:
    smr_free(l.merges);
    smr_free(l.groups);
    return st;
}
