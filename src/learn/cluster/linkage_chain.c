/* linkage_chain.c -- average and complete linkage by chains of nearest neighbours over a table of
 * the distances, n^2 floats.
 *
 * A chain goes from a cluster to its nearest one, and on, until two are each other's nearest: these
 * merge, and what is left of the chain still is one.  The new cluster takes the row and the column
 * of one of the two:
 *
 *     D(k, a + b) = (w_a D(k, a) + w_b D(k, b)) / (w_a + w_b)    average                     (1)
 *     D(k, a + b) = max(D(k, a), D(k, b))                        complete
 *
 * Once a quarter of the clusters is gone the table is pushed together.  Distances are floats: of
 * average linkage heights are good to about 1e-6 of themselves.
 *
 * Cost: n^2 d / 2 for the table, about 4 n^2 for the chains. */
#include "learn/cluster/linkage.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = SMR_SITES_LANE, TILE = 64, WIDE = 32, BLOCK = 1024, EVERY = 64 };

struct table {
    smr_linking *l;
    int64_t n, stride; /* places, dead ones included; floats from row to row             */
    int64_t n_alive;
    float *at;    /* n x n                                                              */
    float *dead;  /* n: 0, or infinite                                                  */
    int32_t *row; /* n: a row of the cluster at each place                              */
    double *weight, *height;
    int32_t *chain;
    int64_t n_chain;
    int32_t *moved; /* room: where places went */
};

/* ---- the table -------------------------------------------------------------------------- */

/* Tiles (p, q), q <= p, one after another. */
static smr_status fill_tiles(smr_ctx *ctx, void *arg, int64_t p, int lane)
{
    struct table *t = arg;
    const smr_site_rows *rows = t->l->rows;
    int64_t d = rows->d, n = t->n, lo = p * TILE, hi = SMR_MIN(lo + TILE, n);
    (void)ctx, (void)lane;
    for (int64_t g = 0; g * GROUP < hi; g++) {
        const double *group = t->l->groups + g * GROUP * d;
        int64_t m = SMR_MIN(GROUP, n - g * GROUP);
        float part[TILE][GROUP];
        for (int64_t i = lo; i < hi; i++) {
            double dist[GROUP];
            smr_group_distances(t->l->metric, d, group, rows->x + i * d, dist);
            for (int k = 0; k < GROUP; k++)
                part[i - lo][k] = dist[k] < (double)FLT_MAX ? (float)dist[k] : FLT_MAX;
        }
        for (int64_t i = lo; i < hi; i++)
            memcpy(t->at + i * t->stride + g * GROUP, part[i - lo], (size_t)m * sizeof(float));
        for (int64_t k = 0; k < m; k++) {
            float *column = t->at + (g * GROUP + k) * t->stride;
            /* the square on the diagonal is written by rows */
            for (int64_t i = lo; i < hi && g * GROUP < lo; i++) column[i] = part[i - lo][k];
        }
    }
    return SMR_OK;
}

/* ---- looks ------------------------------------------------------------------------------ */

/* The least of row[j] + dead[j], 0 <= j < n. */
static float least_of(const float *row, const float *dead, int64_t n)
{
    float lane[WIDE], least = INFINITY;
    int64_t j = 0;
    for (int k = 0; k < WIDE; k++) lane[k] = INFINITY;
    for (; j + WIDE <= n; j += WIDE) {
        for (int k = 0; k < WIDE; k++) {
            float v = row[j + k] + dead[j + k];
            lane[k] = v < lane[k] ? v : lane[k];
        }
    }
    for (; j < n; j++) least = row[j] + dead[j] < least ? row[j] + dead[j] : least;
    for (int k = 0; k < WIDE; k++) least = lane[k] < least ? lane[k] : least;
    return least;
}

/* The nearest cluster; `before` where none is nearer; else, of equally near ones, that of the
 * lowest place. */
static int64_t nearest_of(const struct table *t, int64_t at, int64_t before, float *near)
{
    const float *row = t->at + at * t->stride;
    float least = INFINITY;
    int64_t block = 0;
    for (int64_t lo = 0; lo < t->n; lo += BLOCK) {
        float v = least_of(row + lo, t->dead + lo, SMR_MIN(BLOCK, t->n - lo));
        if (!(v < least)) continue;
        least = v;
        block = lo;
    }
    *near = least;
    if (before >= 0 && row[before] <= least) return before;
    int64_t j = block;
    while (row[j] + t->dead[j] > least) j++;
    return j;
}

/* ---- merges ----------------------------------------------------------------------------- */

/* (1), for place a; place b dies. */
static void merge(struct table *t, int64_t a, int64_t b, float near)
{
    float *row = t->at + a * t->stride;
    const float *other = t->at + b * t->stride;
    double u = t->weight[a], v = t->weight[b], w = u + v, by_a = u / w, by_b = v / w;
    double height = smr_fmax((double)near, smr_fmax(t->height[a], t->height[b]));
    t->l->merges[t->l->n_merges++] = (smr_merge){t->row[a], t->row[b], height};
    if (t->l->linkage == SMR_LINKAGE_COMPLETE)
        for (int64_t j = 0; j < t->n; j++) row[j] = other[j] > row[j] ? other[j] : row[j];
    else
        for (int64_t j = 0; j < t->n; j++)
            row[j] = (float)(by_a * (double)row[j] + by_b * (double)other[j]);
    row[a] = INFINITY;
    t->weight[a] = w;
    t->height[a] = height;
    t->row[a] = SMR_MIN(t->row[a], t->row[b]);
    t->dead[b] = INFINITY;
    t->n_alive--;
    for (int64_t j = 0; j < t->n; j++)
        if (t->dead[j] == 0) t->at[j * t->stride + a] = row[j];
}

/* Pushes what is alive together. */
static void push_together(struct table *t)
{
    int64_t m = 0;
    for (int64_t j = 0; j < t->n; j++) t->moved[j] = t->dead[j] == 0 ? (int32_t)m++ : -1;
    for (int64_t i = 0; i < t->n; i++) {
        if (t->moved[i] < 0) continue;
        const float *from = t->at + i * t->stride;
        float *to = t->at + t->moved[i] * t->stride;
        for (int64_t j = 0; j < t->n; j++)
            if (t->moved[j] >= 0) to[t->moved[j]] = from[j];
        t->row[t->moved[i]] = t->row[i];
        t->weight[t->moved[i]] = t->weight[i];
        t->height[t->moved[i]] = t->height[i];
    }
    for (int64_t k = 0; k < t->n_chain; k++) t->chain[k] = t->moved[t->chain[k]];
    for (int64_t j = 0; j < m; j++) t->dead[j] = 0;
    t->n = m;
}

static smr_status follow_chains(smr_ctx *ctx, struct table *t)
{
    smr_status st = SMR_OK;
    int64_t total = t->n - 1;
    for (int64_t k = 0; t->n_alive > 1; k++) {
        float near;
        if (t->n_chain == 0) {
            int64_t first = 0;
            while (t->dead[first] != 0) first++;
            t->chain[t->n_chain++] = (int32_t)first;
        }
        int64_t end = t->chain[t->n_chain - 1];
        int64_t before = t->n_chain > 1 ? t->chain[t->n_chain - 2] : -1;
        int64_t next = nearest_of(t, end, before, &near);
        if (next == before) {
            t->n_chain -= 2;
            merge(t, SMR_MIN(end, before), SMR_MAX(end, before), near);
            if (4 * t->n_alive < 3 * t->n) push_together(t);
        } else {
            t->chain[t->n_chain++] = (int32_t)next;
        }
        if (k % EVERY == 0) TRY(smr_tick(ctx, "merging", t->l->n_merges, total, NAN));
    }
out:
    return st;
}

static smr_status check_memory(smr_ctx *ctx, int64_t n, int64_t stride)
{
    char what[96];
    snprintf(what, sizeof what, "agglomerate: the table of distances of %lld rows", (long long)n);
    return smr_memory_check(ctx, 4.0 * (double)n * (double)stride, what,
                            "linkage=ward and linkage=single need no table; or take fewer rows");
}

smr_status smr_link_chain(smr_ctx *ctx, smr_linking *l)
{
    smr_status st = SMR_OK;
    int64_t n = l->rows->n;
    struct table t = {.l = l, .n = n, .n_alive = n};
    t.stride = smr_block_count(n, GROUP) * GROUP + GROUP; /* columns not a power of two apart */
    TRY(check_memory(ctx, n, t.stride));
    t.at = smr_alloc_raw(ctx, n * t.stride, sizeof *t.at);
    if (!t.at) TRY(SMR_ERR_NOMEM);
    TRY_NEW(t.dead, n);
    TRY_NEW(t.row, n);
    TRY_NEW(t.weight, n);
    TRY_NEW(t.height, n);
    TRY_NEW(t.chain, n + 1);
    TRY_NEW(t.moved, n);
    TRY(smr_parallel(ctx, "measuring distances", smr_block_count(n, TILE), fill_tiles, &t));
    for (int64_t i = 0; i < n; i++) {
        t.at[i * t.stride + i] = INFINITY;
        t.row[i] = (int32_t)i;
        t.weight[i] = l->rows->w ? l->rows->w[i] : 1;
    }
    TRY(follow_chains(ctx, &t));
out:
    smr_free(t.at);
    smr_free(t.dead);
    smr_free(t.row);
    smr_free(t.weight);
    smr_free(t.height);
    smr_free(t.chain);
    smr_free(t.moved);
    return st;
}
