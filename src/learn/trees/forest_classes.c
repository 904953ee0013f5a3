/* forest_classes.c -- splits of classes: counts in whole numbers, Gini or entropy.
 *
 * With l_k the weight of class k that goes first, t_k the node's, L and N their sums, a split gains
 * by Gini's index
 *
 *     G = sum l_k^2 / L + sum (t_k - l_k)^2 / (N - L) - sum t_k^2 / N                         (1)
 *
 * and sum (t - l)^2 = sum t^2 - 2 sum t l + sum l^2, so one pass over the cells carries two sums
 * of whole numbers along.  By entropy, with h(x) = x log x,
 *
 *     G = sum h(l_k) - h(L) + sum h(t_k - l_k) - h(N - L) - sum h(t_k) + h(N).               (2) */
#include "kernel/kernel.h"
#include "learn/trees/forest_parts.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 4096,   /* of the table xlogx                                      */
    EXACT = 1 << 26 /* squares of sums up to this, and their sums, are exact in doubles */
};

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
    if (g->plan->pitch <= SMR_COUNT(g->wide))
        for (int64_t k = 0; k < width; k++) g->wide[k] = (double)g->total[k];
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

/* Two histograms at a time: their additions do not wait for each other. */
static void fill_two(struct smr_grower *g, int64_t j, int64_t with, int64_t lo, int64_t n)
{
    const uint8_t *column = g->cell + j * g->stride, *other = g->cell + with * g->stride;
    const struct smr_item *item = g->item + lo;
    const uint32_t *id = g->id + lo;
    int64_t width = g->plan->pitch;
    uint32_t *counts = g->table[0], *others = g->table[1];
    uint8_t *seen = g->seen[0], *saw = g->seen[1];
    for (int64_t i = 0; i < n; i++) {
        uint32_t at = id[i], what = item[i].what, weight = item[i].weight;
        int64_t a = column[at], b = other[at];
        counts[a * width + what] += weight;
        others[b * width + what] += weight;
        seen[a] = saw[b] = 1;
    }
}

void smr_forest_fill_classes(struct smr_grower *g, int64_t j, int64_t with, int64_t lo, int64_t n)
{
    const uint8_t *column = g->cell + j * g->stride;
    const struct smr_item *item = g->item + lo;
    const uint32_t *id = g->id + lo;
    int64_t width = g->plan->pitch;
    uint32_t *counts = g->table[0];
    uint8_t *seen = g->seen[0];
    if (with >= 0) {
        fill_two(g, j, with, lo, n);
        return;
    }
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
    const uint32_t *counts = g->counts + cell * g->plan->pitch;
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

/* Before a loop over numbers that are to stay in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 5")
#endif

/* The sweep of n classes, a constant: what has gone first stays in registers.  A division is made
 * only where it may change the best. */
static inline __attribute__((always_inline)) int sweep_few(struct smr_grower *g, const int n,
                                                           double *gain)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t width = plan->pitch, left[5] = {0}, total[5], all = g->weight;
    uint32_t *counts[5];
    double least = plan->min_leaf, best = *gain + g->node_score;
    int found = -1;
    UNROLL for (int c = 0; c < n; c++)
    {
        total[c] = g->total[g->classes[c]];
        counts[c] = g->counts + g->classes[c];
    }
    for (int k = 0; k < g->n_present; k++) {
        int64_t at = g->present[k] * width, moved = 0, first = 0, rest = 0;
        UNROLL for (int c = 0; c < n; c++)
        {
            left[c] += counts[c][at];
            counts[c][at] = 0;
            moved += left[c];
            first += left[c] * left[c];
            rest += (total[c] - left[c]) * (total[c] - left[c]);
        }
        double nl = (double)moved, nr = (double)(all - moved);
        double over = (double)first * nr + (double)rest * nl, under = nl * nr;
        if (over > best * under && nl >= least && nr >= least && over / under > best) {
            best = over / under;
            found = k;
        }
    }
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return found;
}

static int sweep_many(struct smr_grower *g, double *gain)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t n_classes = g->n_classes, width = plan->pitch, n = 0, squares = 0, cross = 0;
    const int32_t *classes = g->classes;
    const int64_t *total = g->total;
    int64_t *left = g->left;
    double least = plan->min_leaf, best = *gain + g->node_score;
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
        double over = sl * nr + sr * nl, under = nl * nr;
        if (over > best * under && nl >= least && nr >= least && over / under > best) {
            best = over / under;
            found = k;
        }
    }
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return found;
}

static int sweep_wide(struct smr_grower *g, double *gain)
{
    double best = *gain + g->node_score;
    int64_t found = smr_gini_sweep(g->n_present, g->present, g->counts, g->plan->pitch, g->wide,
                                   g->plan->min_leaf, &best);
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return (int)found;
}

int smr_forest_sweep_classes(struct smr_grower *g, double *gain)
{
    if (g->n_classes > 2 && g->plan->pitch <= SMR_COUNT(g->wide) && g->weight <= EXACT)
        return sweep_wide(g, gain);
    switch (g->n_classes) {
    case 2: return sweep_few(g, 2, gain);
    case 3: return sweep_few(g, 3, gain);
    case 4: return sweep_few(g, 4, gain);
    case 5: return sweep_few(g, 5, gain);
    default: return sweep_many(g, gain);
    }
}

/* ---- nodes of small weight: half the bytes, and twice as many classes to a vector ---- */

void smr_forest_begin_thin(struct smr_grower *g, int64_t lo, int64_t n)
{
    smr_thin *thin = &g->thin;
    g->is_thin = g->narrow && g->weight <= SMR_THIN_WEIGHT;
    if (!g->is_thin) return;
    thin->weight = (int32_t)g->weight;
    thin->squares = (int32_t)g->squares;
    thin->least = g->plan->min_leaf;
    for (int64_t k = 0; k < g->plan->width; k++) thin->total[k] = (int16_t)g->total[k];
    if (n > SMR_THIN_FEW) return;
    memset(g->few_row, 0, sizeof g->few_row);
    for (int64_t i = 0; i < SMR_THIN_FEW; i++) g->few_id[i] = g->id[lo + (i < n ? i : 0)];
    for (int64_t i = 0; i < n; i++)
        g->few_row[i][g->item[lo + i].what] = (uint16_t)g->item[lo + i].weight;
}

/* m features, a constant, whose tables lie at fixed distances. */
static inline __attribute__((always_inline)) void fill_thin(struct smr_grower *g, const int64_t *j,
                                                            const int m, int64_t lo, int64_t n)
{
    const uint8_t *column[SMR_FOREST_TABLES];
    uint16_t *counts = g->narrow;
    uint8_t(*seen)[SMR_FOREST_CELLS] = g->seen;
    const struct smr_item *item = g->item + lo;
    const uint32_t *id = g->id + lo;
    for (int k = 0; k < m; k++) column[k] = g->cell + j[k] * g->stride;
    for (int64_t i = 0; i < n; i++) {
        uint32_t at = id[i], what = item[i].what;
        uint16_t weight = (uint16_t)item[i].weight;
        UNROLL for (int k = 0; k < m; k++)
        {
            size_t cell = column[k][at];
            (counts + what + k * SMR_FOREST_NARROW)[cell * SMR_THIN_CLASSES] += weight;
            seen[k][cell] = 1;
        }
    }
}

void smr_forest_fill_thin(struct smr_grower *g, const int64_t *j, int m, int64_t lo, int64_t n)
{
    switch (m) {
    case 1: fill_thin(g, j, 1, lo, n); return;
    case 2: fill_thin(g, j, 2, lo, n); return;
    case 3: fill_thin(g, j, 3, lo, n); return;
    default: fill_thin(g, j, 4, lo, n); return;
    }
}

int smr_forest_sweep_thin(struct smr_grower *g, int table, double *gain)
{
    double best = *gain + g->node_score;
    int64_t found = smr_thin_sweep(&g->thin, g->n_present, g->present,
                                   g->narrow + table * SMR_FOREST_NARROW, &best);
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return (int)found;
}

double smr_forest_level_class(const struct smr_grower *g, int cell, int64_t k)
{
    const uint32_t *counts = g->counts + cell * g->plan->pitch;
    int64_t n = 0;
    for (int64_t c = 0; c < g->n_classes; c++) n += counts[g->classes[c]];
    return n ? (double)counts[g->classes[k]] / (double)n : 0;
}
