/* bag_draw.c -- which rows a bag holds: see bag.h. */
#include "core/rng.h"
#include "core/sort.h"
#include "learn/ensemble/bag.h"

#include <math.h>
#include <string.h>

/* ---- units ------------------------------------------------------------------------------ */

struct groups {
    const int64_t *group;
};

static int by_group(const void *items, int64_t a, int64_t b)
{
    const int64_t *g = ((const struct groups *)items)->group;
    return g[a] < g[b] ? -1 : g[a] > g[b];
}

/* The rows that count, those of a group side by side. */
static smr_status order_rows(smr_ctx *ctx, const smr_data *data, smr_bag_units *u)
{
    smr_status st = SMR_OK;
    struct groups groups = {data->group};
    int64_t kept = 0;
    if (data->group)
        TRY(smr_argsort(ctx, data->n_rows, by_group, &groups, u->row));
    else
        for (int64_t i = 0; i < data->n_rows; i++) u->row[i] = i;
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, u->row[i]) > 0) u->row[kept++] = u->row[i];
    u->n_rows = kept;
    if (kept == 0) st = smr_fail(ctx, SMR_ERR_DATA, "bag: the weights of all rows are 0");
out:
    return st;
}

smr_status smr_bag_units_make(smr_ctx *ctx, const smr_data *data, bool by_weight, smr_bag_units *u)
{
    smr_status st = SMR_OK;
    double total = 0;
    *u = (smr_bag_units){0};
    TRY_NEW(u->row, data->n_rows + 1);
    TRY_NEW(u->start, data->n_rows + 1);
    TRY(order_rows(ctx, data, u));
    for (int64_t i = 0; i < u->n_rows; i++)
        if (!i || !data->group || data->group[u->row[i]] != data->group[u->row[i - 1]])
            u->start[u->n++] = i;
    u->start[u->n] = u->n_rows;
    if (!by_weight || !data->weight) return SMR_OK;
    TRY_NEW(u->up_to, u->n);
    for (int64_t k = 0; k < u->n; k++) {
        for (int64_t i = u->start[k]; i < u->start[k + 1]; i++) total += data->weight[u->row[i]];
        u->up_to[k] = total;
    }
out:
    return st;
}

void smr_bag_units_release(smr_bag_units *u)
{
    smr_free(u->start);
    smr_free(u->row);
    smr_free(u->up_to);
    *u = (smr_bag_units){0};
}

/* ---- draws ------------------------------------------------------------------------------ */

/* The first unit whose weight, with all before it, exceeds x. */
static int64_t unit_at(const smr_bag_units *u, double x)
{
    int64_t low = 0, high = u->n - 1;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (u->up_to[mid] > x)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static int64_t draw_unit(const smr_ctx *ctx, const smr_bag_units *u, int64_t bag, int64_t k)
{
    if (u->up_to)
        return unit_at(u, u->up_to[u->n - 1] * smr_random_unit(ctx->seed, SMR_STREAM_BAG,
                                                               (uint64_t)bag, (uint64_t)k));
    return smr_random_below(ctx->seed, SMR_STREAM_BAG, (uint64_t)bag, (uint64_t)k, u->n);
}

static void take_unit(const smr_bag_units *u, int64_t k, int32_t *count)
{
    for (int64_t i = u->start[k]; i < u->start[k + 1]; i++) count[u->row[i]]++;
}

smr_status smr_bag_draw(smr_ctx *ctx, const smr_bag_units *u, double share, bool bootstrap,
                        int64_t bag, int32_t *count)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, m = SMR_MAX(1, (int64_t)floor(share * (double)u->n + 0.5));
    if (bootstrap) {
        for (int64_t k = 0; k < m; k++) take_unit(u, draw_unit(ctx, u, bag, k), count);
        return SMR_OK;
    }
    TRY_NEW(order, u->n);
    smr_random_permutation(ctx->seed, SMR_STREAM_BAG, (uint64_t)bag, u->n, order);
    for (int64_t k = 0; k < m; k++) take_unit(u, order[k], count);
out:
    smr_free(order);
    return st;
}
