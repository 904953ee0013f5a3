/* forest_numbers.c -- splits of numbers: sums of targets about the node's mean.
 *
 * With w and s the weight and the sum of weight (y - mean) that go first, W and S the node's (S is
 * 0 except for rounding), what a split takes off the sum of squares is
 *
 *     G = s^2 / w + (S - s)^2 / (W - w) - S^2 / W,
 *
 * summed over the targets where there are several.  Sums about the mean do not cancel, however far
 * from 0 the targets lie.  A histogram is filled by one thread in the order of the rows. */
#include "learn/trees/forest_parts.h"

#include <string.h>

bool smr_forest_weigh_numbers(struct smr_grower *g, int64_t lo, int64_t hi, double *value,
                              double *weight)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t t = plan->width, n = hi - lo;
    double all = 0;
    bool alike = true;
    memset(g->mean, 0, (size_t)t * sizeof *g->mean);
    const double *y0 = plan->y + (int64_t)g->item[lo].what * t;
    for (int64_t i = 0; i < n; i++) {
        const struct smr_item *item = &g->item[lo + i];
        const double *y = plan->y + (int64_t)item->what * t;
        double w = smr_data_weight(plan->data, item->what) * item->weight;
        g->item_weight[i] = w;
        all += w;
        for (int64_t k = 0; k < t; k++) {
            g->mean[k] += w * (y[k] - y0[k]);
            alike = alike && y[k] == y0[k];
        }
    }
    for (int64_t k = 0; k < t; k++) {
        g->mean[k] = y0[k] + g->mean[k] / all;
        value[k] = g->mean[k];
    }
    *weight = all;
    if (alike) return true;
    memset(g->all, 0, (size_t)(1 + t) * sizeof *g->all);
    g->all[0] = all;
    g->spread = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *y = plan->y + (int64_t)g->item[lo + i].what * t;
        for (int64_t k = 0; k < t; k++) {
            double from_mean = y[k] - g->mean[k];
            g->item_y[i * t + k] = g->item_weight[i] * from_mean;
            g->all[1 + k] += g->item_weight[i] * from_mean;
            g->spread += g->item_weight[i] * from_mean * from_mean;
        }
    }
    return false;
}

void smr_forest_fill_numbers(struct smr_grower *g, int64_t j, int64_t lo, int64_t n)
{
    const uint8_t *column = g->cell + j * g->stride;
    const uint32_t *id = g->id + lo;
    int64_t t = g->plan->width;
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = column[id[i]];
        double *sums = g->sums + cell * (1 + t);
        sums[0] += g->item_weight[i];
        for (int64_t k = 0; k < t; k++) sums[1 + k] += g->item_y[i * t + k];
        g->seen[0][cell] = 1;
    }
}

static void move(struct smr_grower *g, int cell)
{
    int64_t t = 1 + g->plan->width;
    for (int64_t k = 0; k < t; k++) g->first[k] += g->sums[cell * t + k];
}

static double score(const struct smr_grower *g)
{
    double w = g->first[0], v = g->all[0] - w, sum = 0;
    for (int64_t k = 1; k <= g->plan->width; k++) {
        double s = g->first[k], r = g->all[k] - s;
        sum += s * s / w + r * r / v - g->all[k] * g->all[k] / g->all[0];
    }
    return sum;
}

int smr_forest_scan_numbers(struct smr_grower *g, const uint8_t *order, int from, int to,
                            int missing, bool missing_first, double *gain)
{
    double least = g->plan->min_leaf, slack = g->all[0] * 1e-12;
    int found = -1;
    memset(g->first, 0, (size_t)(1 + g->plan->width) * sizeof *g->first);
    if (missing >= 0 && missing_first) move(g, missing);
    for (int k = 0; k < to; k++) {
        move(g, order[k]);
        double w = g->first[0], v = g->all[0] - w;
        if (k < from || w < least - slack || v < least - slack || w <= 0 || v <= 0) continue;
        double s = SMR_MAX(0, score(g));
        if (s > *gain) {
            *gain = s;
            found = k;
        }
    }
    return found;
}

double smr_forest_level_number(const struct smr_grower *g, int cell, int64_t k)
{
    const double *sums = g->sums + cell * (1 + g->plan->width);
    return sums[0] > 0 ? sums[1 + k] / sums[0] : 0;
}
