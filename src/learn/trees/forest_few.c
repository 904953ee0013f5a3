/* forest_few.c -- splits of nodes with few items: their cells are sorted.
 *
 * Most nodes of a tree that grows until its leaves are pure have a handful of items, and looking
 * through a histogram for the cells that occur would cost more than they do.  Moving an item of
 * weight w from class k's r to its l changes the sums of squares by w (2 l + w) and -w (2 r - w):
 * whole numbers, so gains are those of forest_classes.c to the bit.  Nodes of a weight that fits 16
 * bits have a kernel for it. */
#include "learn/trees/forest_parts.h"

#include <string.h>

/* A cell in the high bits, an item in the low ones. */
enum { CELL_SHIFT = 8, ITEM_MASK = 255 };

/* The cells of n items in ascending order; items of one cell in theirs. */
static void sort_cells(const uint8_t *column, const uint32_t *id, int n, uint32_t *key)
{
    for (int i = 0; i < n; i++) {
        uint32_t x = (uint32_t)column[id[i]] << CELL_SHIFT | (uint32_t)i;
        int at = i;
        for (; at > 0 && key[at - 1] > x; at--) key[at] = key[at - 1];
        key[at] = x;
    }
}

/* The last key that goes first, of the best cut whose gain is above *gain; -1: none. */
static int sweep(struct smr_grower *g, const struct smr_item *item, const uint32_t *key, int n,
                 double *gain)
{
    int64_t moved = 0, first = 0, rest = g->squares;
    double least = g->plan->min_leaf, best = *gain + g->node_score;
    int found = -1;
    for (int64_t c = 0; c < g->n_classes; c++) g->left[g->classes[c]] = 0;
    for (int i = 0; i + 1 < n; i++) {
        struct smr_item it = item[key[i] & ITEM_MASK];
        int64_t w = it.weight, l = g->left[it.what], r = g->total[it.what] - l;
        first += w * (2 * l + w);
        rest -= w * (2 * r - w);
        moved += w;
        g->left[it.what] = l + w;
        if (key[i] >> CELL_SHIFT == key[i + 1] >> CELL_SHIFT) continue;
        double nl = (double)moved, nr = (double)(g->weight - moved);
        double over = (double)first * nr + (double)rest * nl, under = nl * nr;
        if (over > best * under && nl >= least && nr >= least && over / under > best) {
            best = over / under;
            found = i;
        }
    }
    if (found >= 0) *gain = SMR_MAX(0, best - g->node_score);
    return found;
}

static void try_thin(struct smr_grower *g, int64_t j, int64_t n, struct smr_forest_split *best)
{
    uint8_t cut[2];
    double gain, score = smr_forest_equal(g, best->gain) + g->node_score;
    int64_t at = smr_thin_few(&g->thin, n, g->cell + j * g->stride, g->few_id,
                              (const uint16_t(*)[SMR_THIN_CLASSES])g->few_row, cut, &score);
    if (at == -2) smr_forest_is_constant(g, j);
    if (at < 0) return;
    gain = SMR_MAX(0, score - g->node_score);
    if (gain < best->gain || (gain == best->gain && j > best->feature)) return;
    *best = (struct smr_forest_split){.gain = gain, .feature = j, .bin = cut[0], .next = cut[1]};
}

bool smr_forest_try_few(struct smr_grower *g, int64_t j, int64_t lo, int64_t n,
                        struct smr_forest_split *best)
{
    uint32_t key[SMR_FOREST_FEW];
    if (g->is_thin && !g->plan->bins.has_missing[j]) {
        try_thin(g, j, n, best);
        return true;
    }
    const uint8_t *column = g->cell + j * g->stride;
    double gain = smr_forest_equal(g, best->gain);
    if (n > SMR_FOREST_FEW) return false;
    sort_cells(column, g->id + lo, (int)n, key);
    if (key[0] >> CELL_SHIFT == key[n - 1] >> CELL_SHIFT) {
        smr_forest_is_constant(g, j);
        return true;
    }
    if ((int32_t)(key[n - 1] >> CELL_SHIFT) == g->plan->bins.n_bins[j]) return false;
    int at = sweep(g, g->item + lo, key, (int)n, &gain);
    if (at < 0 || gain < best->gain || (gain == best->gain && j > best->feature)) return true;
    *best = (struct smr_forest_split){.gain = gain,
                                      .feature = j,
                                      .bin = (int32_t)(key[at] >> CELL_SHIFT),
                                      .next = (int32_t)(key[at + 1] >> CELL_SHIFT)};
    return true;
}
