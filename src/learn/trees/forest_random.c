/* forest_random.c -- the draws of a tree: pure functions of seed, tree and node. */
#include "core/rng.h"
#include "learn/trees/forest_parts.h"

#include <string.h>

enum { NODE_SHIFT = 24 }; /* calls of a node before those of the next */

void smr_forest_at(struct smr_grower *g, int64_t node)
{
    g->draw_at = (uint64_t)(node + 1) << NODE_SHIFT;
    g->n_draws = 0;
}

static uint32_t draw(struct smr_grower *g)
{
    if (g->n_draws == 0) {
        smr_philox(g->plan->seed, SMR_STREAM_FOREST, (uint64_t)g->tree, g->draw_at++, g->draws);
        g->n_draws = 4;
    }
    return g->draws[--g->n_draws];
}

/* Lemire, "Fast random integer generation in an interval", 2019. */
uint32_t smr_forest_below(struct smr_grower *g, uint32_t n)
{
    uint64_t product = (uint64_t)draw(g) * n;
    if ((uint32_t)product < n) {
        uint32_t least = (uint32_t)-n % n;
        while ((uint32_t)product < least) product = (uint64_t)draw(g) * n;
    }
    return (uint32_t)(product >> 32);
}

double smr_forest_unit(struct smr_grower *g)
{
    return (double)draw(g) * 0x1p-32;
}

/* As many draws as there are rows with weight, all equally likely. */
void smr_forest_draw_bag(struct smr_grower *g)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t n = plan->data->n_rows, m = 0;
    uint32_t *with = g->spare_id; /* rows with weight */
    memset(g->count, 0, (size_t)n * sizeof *g->count);
    for (int64_t i = 0; i < n; i++)
        if (plan->weight[i] > 0) with[m++] = (uint32_t)i;
    smr_forest_at(g, -1);
    for (int64_t k = 0; k < m; k++)
        g->count[with[plan->bagged ? (int64_t)smr_forest_below(g, (uint32_t)m) : k]]++;
    g->n_items = 0;
    for (int64_t i = 0; i < n; i++) {
        if (g->count[i] == 0) continue;
        uint32_t w = plan->classify ? g->count[i] * plan->weight[i] : g->count[i];
        uint32_t what = plan->classify ? (uint32_t)plan->data->label[i] : (uint32_t)i;
        g->id[g->n_items] = g->row[g->n_items] = (uint32_t)i;
        g->item[g->n_items++] = (struct smr_item){what, w};
    }
}
