/* bag_draw.c -- which rows a bag holds: see bag.h. */
#include "core/rng.h"
#include "data/split_groups.h"
#include "learn/ensemble/bag.h"

#include <math.h>

/* ---- units ------------------------------------------------------------------------------ */

/* The rows that count, those of a group side by side. */
static smr_status order_rows(smr_ctx *ctx, const smr_data *data, smr_bag_units *u)
{
    smr_status st = SMR_OK;
    int64_t *number = NULL, *at = NULL, n_groups = 0;
    TRY_NEW(number, data->n_rows);
    TRY(smr_number_groups(ctx, data->n_rows, data->group, number, &n_groups));
    TRY_NEW(at, n_groups + 1);
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) at[number[i] + 1]++;
    for (int64_t g = 0; g < n_groups; g++) {
        at[g + 1] += at[g];
        if (at[g + 1] > at[g]) u->start[u->n++] = at[g];
    }
    u->n_rows = at[n_groups];
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) u->row[at[number[i]]++] = i;
out:
    smr_free(at);
    smr_free(number);
    return st;
}

static void list_rows(const smr_data *data, smr_bag_units *u)
{
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (!(smr_data_weight(data, i) > 0)) continue;
        u->start[u->n++] = u->n_rows;
        u->row[u->n_rows++] = i;
    }
}

smr_status smr_bag_units_make(smr_ctx *ctx, const smr_data *data, bool by_weight, smr_bag_units *u)
{
    smr_status st = SMR_OK;
    double total = 0;
    *u = (smr_bag_units){0};
    TRY_NEW(u->row, data->n_rows + 1);
    TRY_NEW(u->start, data->n_rows + 1);
    if (data->group)
        TRY(order_rows(ctx, data, u));
    else
        list_rows(data, u);
    if (u->n == 0) return smr_fail(ctx, SMR_ERR_DATA, "bag: the weights of all rows are 0");
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
