/* forest_classes.c -- splits of classes: counts in whole numbers, Gini or entropy.
 *
 * With l_k the weight of class k that goes first, t_k the node's, L and N their sums, what a split
 * gains by Gini's index is
 *
 *     G = sum l_k^2 / L + sum (t_k - l_k)^2 / (N - L) - sum t_k^2 / N                         (1)
 *
 * and sum (t - l)^2 = sum t^2 - 2 sum t l + sum l^2, so one pass over the cells carries two sums
 * of whole numbers along.  By entropy, with h(x) = x log x,
 *
 *     G = sum h(l_k) - h(L) + sum h(t_k - l_k) - h(N - L) - sum h(t_k) + h(N).                (2) */
#include "kernel/kernel.h"
#include "learn/trees/forest_parts.h"

#include <math.h>
#include <string.h>

enum { SMALL = 4096 }; /* of the table xlogx */

static double h(const struct smr_grower *g, int64_t x)
{
    if (x < SMALL) return g->plan->xlogx[x];
    return (double)x * smr_log((double)x);
}

bool smr_forest_weigh_classes(struct smr_grower *g, int64_t lo, int64_t hi, double *value,
                              double *weight)
{
    int64_t width = g->plan->width, n = 0, squares = 0;
    memset(g->total, 0, (size_t)width * sizeof *g->total);
    for (int64_t i = lo; i < hi; i++) g->total[g->item[i].what] += g->item[i].weight;
    g->n_classes = 0;
    for (int64_t k = 0; k < width; k++) {
        if (g->total[k] == 0) continue;
        g->classes[g->n_classes++] = (int32_t)k;
        n += g->total[k];
        squares += g->total[k] * g->total[k];
    }
    g->weight = n;
    g->squares = squares;
    for (int64_t k = 0; k < width; k++) value[k] = (double)g->total[k] / (double)n;
    *weight = (double)n * g->plan->unit;
    if (!g->plan->entropy) {
        g->node_score = (double)squares / (double)n;
    } else {
        g->node_score = -h(g, n);
        for (int64_t c = 0; c < g->n_classes; c++) g->node_score += h(g, g->total[g->classes[c]]);
    }
    return g->n_classes <= 1;
}

void smr_forest_fill_classes(struct smr_grower *g, int64_t j, int64_t lo, int64_t n)
{
    const uint8_t *column = g->cell + j * g->stride;
    const struct smr_item *item = g->item + lo;
    const uint32_t *id = g->id + lo;
    int64_t width = g->plan->width;
    uint32_t *counts = g->counts;
    uint8_t *seen = g->seen;
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = column[id[i]];
        counts[cell * width + item[i].what] += item[i].weight;
        seen[cell] = 1;
    }
}

/* What has gone first so far. */
struct moved {
    int64_t n, squares, cross; /* L, sum l^2, sum t l */
};

static inline void move(struct smr_grower *g, struct moved *m, int cell)
{
    const uint32_t *counts = g->counts + cell * g->plan->width;
    for (int64_t c = 0; c < g->n_classes; c++) {
        int64_t k = g->classes[c], w = counts[k], l = g->left[c];
        m->squares += w * (2 * l + w);
        m->cross += w * g->total[k];
        m->n += w;
        g->left[c] = l + w;
    }
}

static double score(const struct smr_grower *g, const struct moved *m)
{
    double nl = (double)m->n, nr = (double)(g->weight - m->n);
    if (!g->plan->entropy) { /* (1) */
        double sl = (double)m->squares, sr = (double)(g->squares - 2 * m->cross + m->squares);
        return (sl * nr + sr * nl) / (nl * nr);
    }
    double s = -h(g, m->n) - h(g, g->weight - m->n); /* (2) */
    for (int64_t c = 0; c < g->n_classes; c++)
        s += h(g, g->left[c]) + h(g, g->total[g->classes[c]] - g->left[c]);
    return s;
}

int smr_forest_scan_classes(struct smr_grower *g, const uint8_t *order, int from, int to,
                            int missing, bool missing_first, double *gain)
{
    struct moved m = {0};
    double least = g->plan->min_leaf, best = *gain + g->node_score;
    int found = -1;
    memset(g->left, 0, (size_t)g->n_classes * sizeof *g->left);
    if (missing >= 0 && missing_first) move(g, &m, missing);
    for (int k = 0; k < to; k++) {
        move(g, &m, order[k]);
        double nl = (double)m.n, nr = (double)(g->weight - m.n);
        if (k < from || nl < least || nr < least) continue;
        double s = score(g, &m);
        if (s > best) {
            best = s;
            found = k;
        }
    }
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return found;
}

/* The sweep of two classes: a, b have gone first, of t and u. */
static int sweep_two(struct smr_grower *g, double *best)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t width = plan->width, a = 0, b = 0, n = g->weight;
    int64_t t = g->total[g->classes[0]], u = g->total[g->classes[1]];
    uint32_t *x = g->counts + g->classes[0], *y = g->counts + g->classes[1];
    double least = plan->min_leaf;
    int found = -1;
    for (int k = 0; k < g->n_present; k++) {
        int64_t at = g->present[k] * width;
        a += x[at];
        b += y[at];
        x[at] = y[at] = 0;
        double nl = (double)(a + b), nr = (double)(n - a - b);
        double sl = (double)(a * a + b * b);
        double sr = (double)((t - a) * (t - a) + (u - b) * (u - b));
        double s = (sl * nr + sr * nl) / (nl * nr);
        if (s > *best && nl >= least && nr >= least) {
            *best = s;
            found = k;
        }
    }
    return found;
}

static int sweep_many(struct smr_grower *g, double *best)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t n_classes = g->n_classes, width = plan->width, n = 0, squares = 0, cross = 0;
    const int32_t *classes = g->classes;
    const int64_t *total = g->total;
    int64_t *left = g->left;
    double least = plan->min_leaf;
    int found = -1;
    memset(left, 0, (size_t)n_classes * sizeof *left);
    for (int k = 0; k < g->n_present; k++) {
        uint32_t *counts = g->counts + g->present[k] * width;
        for (int64_t c = 0; c < n_classes; c++) {
            int64_t class = classes[c], w = counts[class], l = left[c];
            counts[class] = 0;
            squares += w * (2 * l + w);
            cross += w * total[class];
            n += w;
            left[c] = l + w;
        }
        double nl = (double)n, nr = (double)(g->weight - n);
        double sl = (double)squares, sr = (double)(g->squares - 2 * cross + squares);
        double s = (sl * nr + sr * nl) / (nl * nr);
        if (s > *best && nl >= least && nr >= least) {
            *best = s;
            found = k;
        }
    }
    return found;
}

int smr_forest_sweep_classes(struct smr_grower *g, double *gain)
{
    double best = *gain + g->node_score;
    int found = g->n_classes == 2 ? sweep_two(g, &best) : sweep_many(g, &best);
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return found;
}

double smr_forest_level_class(const struct smr_grower *g, int cell, int64_t k)
{
    const uint32_t *counts = g->counts + cell * g->plan->width;
    int64_t n = 0;
    for (int64_t c = 0; c < g->n_classes; c++) n += counts[g->classes[c]];
    return n ? (double)counts[g->classes[k]] / (double)n : 0;
}
