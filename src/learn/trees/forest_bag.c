/* forest_bag.c -- rows outside the bag: the leaf each comes to, and what shuffling a feature among
 * them costs.
 *
 * Rows walk side by side, so that their cells are fetched at the same time. */
#include "learn/trees/forest_parts.h"

#include <string.h>

enum { GROUP = 32 };

static inline int32_t step(const struct smr_grower *g, const struct smr_forest_knot *k,
                           uint8_t cell)
{
    bool first;
    if (k->is_set)
        first = g->sets[4 * (int64_t)k->by.set + cell / 64] >> cell % 64 & 1;
    else
        first = (uint8_t)(cell + k->by.cut.turn) <= k->by.cut.last;
    return (int32_t)k->child + !first;
}

/* A row on its way, number `at` of those that walk. */
struct walker {
    const uint8_t *cell;
    int32_t node, at;
};

/* node[i]: the leaf of row[i].  `as`, where it is not NULL: cells of feature `shuffled` are those
 * of these rows.  A row that has arrived makes room for the next. */
static void walk_rows(const struct smr_grower *g, const int32_t *row, const int32_t *as,
                      int32_t shuffled, int64_t n, int32_t *node)
{
    const struct smr_forest_plan *plan = g->plan;
    const uint8_t *cells = plan->by_row;
    int64_t stride = plan->row_stride, next = 0;
    struct walker walker[GROUP];
    int m = 0;
    while (m < GROUP && next < n) {
        walker[m++] = (struct walker){cells + row[next] * stride, 0, (int32_t)next};
        next++;
    }
    while (m > 0) {
        for (int i = 0; i < m; i++) {
            struct walker *w = &walker[i];
            const struct smr_forest_knot *k = &g->knot[w->node];
            if (k->feature >= 0) {
                const uint8_t *from = w->cell;
                if (as && k->feature == shuffled) from = cells + as[w->at] * stride;
                w->node = step(g, k, from[k->feature]);
                continue;
            }
            node[w->at] = w->node;
            if (next < n) {
                *w = (struct walker){cells + row[next] * stride, 0, (int32_t)next};
                next++;
            } else {
                *w = walker[--m];
            }
        }
    }
}

void smr_forest_walk(const struct smr_grower *g, int32_t *leaf)
{
    int64_t n = g->plan->data->n_rows, m = 0;
    int32_t *row = (int32_t *)g->spare_row, *node = (int32_t *)g->spare_id; /* free by now */
    for (int64_t i = 0; i < n; i++) {
        leaf[i] = -1;
        if (g->count[i] == 0 && g->plan->weight[i] > 0) row[m++] = (int32_t)i;
    }
    walk_rows(g, row, NULL, -1, m, node);
    for (int64_t k = 0; k < m; k++) leaf[row[k]] = node[k];
}

/* ---- permutation importance ------------------------------------------------------------- */

/* What answering with the node's value costs on row i. */
static double cost(const struct smr_grower *g, int32_t node, int64_t i)
{
    const smr_data *data = g->plan->data;
    const double *value = g->sapling.value + node * g->sapling.width;
    double sum = 0;
    int64_t best = 0;
    for (int64_t k = 0; k < g->plan->width; k++) {
        if (value[k] > value[best]) best = k;
        if (!g->plan->classify) {
            double e = value[k] - g->plan->y[i * g->plan->width + k];
            sum += e * e;
        }
    }
    return smr_data_weight(data, i) * (g->plan->classify ? best != data->label[i] : sum);
}

static double shuffled_cost(const struct smr_grower *g, const int32_t *row, const int32_t *as,
                            int64_t n, int32_t feature)
{
    int32_t *node = (int32_t *)g->spare_id; /* free by now */
    double sum = 0;
    walk_rows(g, row, as, feature, n, node);
    for (int64_t k = 0; k < n; k++) sum += cost(g, node[k], row[k]);
    return sum;
}

smr_status smr_forest_permute(smr_ctx *ctx, struct smr_grower *g, const int32_t *leaf,
                              double *permuted, double *weight)
{
    smr_status st = SMR_OK;
    int64_t n = 0, d = g->plan->bins.n_features;
    int32_t *row = NULL, *as = NULL;
    bool *asked = NULL;
    double base = 0;
    TRY_NEW(row, g->plan->data->n_rows);
    TRY_NEW(as, g->plan->data->n_rows);
    TRY_NEW(asked, d);
    *weight = 0;
    for (int64_t i = 0; i < g->plan->data->n_rows; i++) {
        if (leaf[i] < 0) continue;
        row[n++] = (int32_t)i;
        base += cost(g, leaf[i], i);
        *weight += smr_data_weight(g->plan->data, i);
    }
    for (int64_t k = 0; k < g->sapling.n; k++)
        if (g->knot[k].feature >= 0) asked[g->knot[k].feature] = true;
    for (int64_t j = 0; j < d && n > 1; j++) {
        if (!asked[j]) continue;
        smr_forest_at(g, ((int64_t)1 << 33) + j);
        memcpy(as, row, (size_t)n * sizeof *as);
        for (int64_t k = n - 1; k > 0; k--) {
            int64_t other = smr_forest_below(g, (uint32_t)(k + 1));
            int32_t swap = as[k];
            as[k] = as[other];
            as[other] = swap;
        }
        permuted[j] = shuffled_cost(g, row, as, n, (int32_t)j) - base;
    }
out:
    smr_free(row);
    smr_free(as);
    smr_free(asked);
    return st;
}
