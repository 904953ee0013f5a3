/* forest_split.c -- the best split of a node among features drawn at random.
 *
 * A feature's cells are counted into a histogram, and those that occur are walked through in order;
 * so the cost is the node's rows, not its bins.  Features are drawn until enough were tried and a
 * split was found, or until there are no more.
 *
 * Numbers: every cut, and with missing values each both ways, and also all numbers against the
 * missing ones.  The cut then lies in the middle of the gap between the node's values.  Categories:
 * for two classes and for numbers the levels are sorted by share or mean, and the best prefix is
 * the best of all subsets (Breiman et al. 1984); for more classes the levels are sorted by the
 * share of each class in turn, and the best prefix of all orders is taken.  A level that does not
 * occur here goes where missing values go.  Extra-trees draw one cut, or one subset, for each
 * feature. */
#include "learn/trees/bins_parts.h"
#include "learn/trees/forest_parts.h"

#include <math.h>
#include <string.h>

/* A category with more levels is tried only where a node has more rows than a set has words. */
enum { MANY_LEVELS = 1024 };

static int scan(struct smr_grower *g, const uint8_t *order, int from, int to, int missing,
                bool missing_first, double *gain)
{
    if (g->plan->classify)
        return smr_forest_scan_classes(g, order, from, to, missing, missing_first, gain);
    return smr_forest_scan_numbers(g, order, from, to, missing, missing_first, gain);
}

/* ---- a feature's cells ------------------------------------------------------------------ */

/* And unmarks them.  Eight marks, bytes of 0 or 1, become eight bits by one product: byte i times
 * 2^(56 - 7i) lies at bit 56 + i. */
static void list_present(struct smr_grower *g, uint8_t *seen, int32_t n_bins)
{
    uint64_t bits[SMR_FOREST_CELLS / 64] = {0};
    int n = 0;
    for (int at = 0; at <= n_bins; at += 8) {
        uint64_t word;
        memcpy(&word, seen + at, sizeof word); /* the first in the lowest byte */
        memset(seen + at, 0, sizeof word);
        bits[at / 64] |= word * 0x0102040810204080u >> 56 << at % 64;
    }
    for (int w = 0; w <= n_bins / 64; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            g->present[n++] = (uint8_t)(64 * w + __builtin_ctzll(left));
    g->missing_here = g->present[n - 1] == n_bins;
    g->n_present = n - g->missing_here;
}

static void empty(struct smr_grower *g, int32_t n_bins)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t width = plan->width, pitch = plan->pitch;
    int n = g->n_present + g->missing_here;
    g->present[g->n_present] = (uint8_t)n_bins;
    for (int k = 0; k < n; k++) {
        int64_t cell = g->present[k];
        if (plan->classify)
            for (int64_t c = 0; c < g->n_classes; c++) g->counts[cell * pitch + g->classes[c]] = 0;
        else
            memset(g->sums + cell * (1 + width), 0, (size_t)(1 + width) * sizeof *g->sums);
    }
}

/* ---- orders and places ------------------------------------------------------------------ */

/* Where a prefix of cells ends, and whether missing values go with it. */
struct place {
    double gain;
    int last;
    bool missing_first;
};

/* Prefixes order[0 .. k], k in [from, to), of n cells.  With missing values each goes both ways;
 * then all n cells may go first too. */
static void try_order(struct smr_grower *g, const uint8_t *order, int from, int to, int32_t n_bins,
                      struct place *best)
{
    double gain = best->gain;
    int missing = g->missing_here ? n_bins : -1;
    int all = g->missing_here && to == g->n_present - 1 ? to + 1 : to;
    int k = scan(g, order, from, all, missing, false, &gain);
    if (k >= 0) *best = (struct place){gain, k, false};
    if (!g->missing_here) return;
    k = scan(g, order, from, SMR_MIN(to, g->n_present - 1), missing, true, &gain);
    if (k >= 0) *best = (struct place){gain, k, true};
}

static bool is_better(const struct place *place, int64_t j, const struct smr_forest_split *best)
{
    if (place->gain < 0) return false;
    return place->gain > best->gain || (place->gain == best->gain && j < best->feature);
}

/* The commonest case has a sweep of its own. */
static bool is_plain(const struct smr_grower *g)
{
    const struct smr_forest_plan *plan = g->plan;
    return plan->classify && !plan->entropy && !g->missing_here &&
           plan->p->mode == SMR_FOREST_RANDOM;
}

static void keep_number(const struct smr_grower *g, int64_t j, const struct place *place,
                        int32_t drawn, struct smr_forest_split *best)
{
    int32_t n_bins = g->plan->bins.n_bins[j];
    if (place->last < 0 || !is_better(place, j, best)) return;
    bool all = place->last == g->n_present - 1;
    *best = (struct smr_forest_split){.gain = place->gain,
                                      .feature = j,
                                      .bin = all          ? n_bins - 1
                                             : drawn >= 0 ? drawn
                                                          : g->present[place->last],
                                      .next = all || drawn >= 0 ? -1 : g->present[place->last + 1],
                                      .missing_first = place->missing_first,
                                      .missing_here = g->missing_here};
}

/* Classes: a score of whole numbers is off by its last bits at most, and the gain is that score
 * less the node's, which may be little. */
double smr_forest_equal(const struct smr_grower *g, double gain)
{
    if (gain < 0) return gain;
    if (!g->plan->classify) return gain * (1 - 1e-12);
    return gain - fabs(gain + g->node_score) * 0x1p-50;
}

static void try_number(struct smr_grower *g, int64_t j, struct smr_forest_split *best)
{
    const smr_bins *bins = &g->plan->bins;
    struct place place = {.gain = smr_forest_equal(g, best->gain), .last = -1};
    int32_t n_bins = bins->n_bins[j], drawn = -1;
    int from = 0, to = g->n_present - 1;
    if (g->plan->p->mode == SMR_FOREST_EXTRA && to > 0) {
        const double *cut = bins->cut + bins->first[j];
        double lo = cut[g->present[0]], hi = cut[g->present[to] - 1];
        double x = lo + smr_forest_unit(g) * (hi - lo);
        for (drawn = g->present[0]; drawn < g->present[to] - 1 && x > cut[drawn];) drawn++;
        while (from + 1 < to && g->present[from + 1] <= drawn) from++;
        to = from + 1;
    }
    if (is_plain(g)) {
        place.last = smr_forest_sweep_classes(g, &place.gain);
    } else {
        try_order(g, g->present, from, to, n_bins, &place);
        empty(g, n_bins);
    }
    keep_number(g, j, &place, drawn, best);
}

/* order = the present cells by ascending key, equal ones in their order. */
static void sort_levels(const struct smr_grower *g, int64_t k, uint8_t *order)
{
    double key[SMR_FOREST_CELLS];
    for (int i = 0; i < g->n_present; i++) {
        int cell = g->present[i], at = i;
        double x = g->plan->classify ? smr_forest_level_class(g, cell, k)
                                     : smr_forest_level_number(g, cell, k);
        for (; at > 0 && key[at - 1] > x; at--) {
            key[at] = key[at - 1];
            order[at] = order[at - 1];
        }
        key[at] = x;
        order[at] = (uint8_t)cell;
    }
}

static void keep_set(const struct smr_grower *g, int64_t j, const uint8_t *order,
                     const struct place *place, struct smr_forest_split *best)
{
    *best = (struct smr_forest_split){.gain = place->gain,
                                      .feature = j,
                                      .is_set = true,
                                      .next = -1,
                                      .missing_first = place->missing_first,
                                      .missing_here = g->missing_here};
    for (int k = 0; k < g->n_present; k++) {
        int cell = order[k];
        best->occurs[cell / 64] |= (uint64_t)1 << cell % 64;
        if (k <= place->last) best->set[cell / 64] |= (uint64_t)1 << cell % 64;
    }
}

/* Levels in an order are cut like numbers; in extra-trees one order and one cut are drawn.  (A set
 * of levels drawn without regard to the target nearly always mixes high and low ones.) */
static void try_category(struct smr_grower *g, int64_t j, struct smr_forest_split *best)
{
    uint8_t order[SMR_FOREST_CELLS];
    int32_t n_bins = g->plan->bins.n_bins[j];
    bool extra = g->plan->p->mode == SMR_FOREST_EXTRA && g->n_present > 1;
    int64_t orders = !g->plan->classify ? g->plan->width : g->n_classes == 2 ? 1 : g->n_classes;
    int64_t first = extra && orders > 1 ? smr_forest_below(g, (uint32_t)orders) : 0;
    for (int64_t k = first; k < (extra ? first + 1 : orders); k++) {
        struct place place = {.gain = -1};
        int from = 0, to = g->n_present - 1;
        sort_levels(g, k, order);
        if (extra) {
            from = (int)smr_forest_below(g, (uint32_t)to);
            to = from + 1;
        }
        try_order(g, order, from, to, n_bins, &place);
        if (is_better(&place, j, best)) keep_set(g, j, order, &place, best);
    }
    empty(g, n_bins);
}

/* Whose histogram is number `table`. */
static void try_feature(struct smr_grower *g, int64_t j, int table, struct smr_forest_split *best)
{
    const smr_bins *bins = &g->plan->bins;
    g->counts = g->table[table];
    list_present(g, g->seen[table], bins->n_bins[j]);
    if (g->n_present + g->missing_here < 2) {
        empty(g, bins->n_bins[j]);
        smr_forest_is_constant(g, j);
    } else if (bins->is_category[j])
        try_category(g, j, best);
    else
        try_number(g, j, best);
}

/* The same in a node of small weight, of numbers none of which is missing. */
static void try_thin(struct smr_grower *g, int64_t j, int table, struct smr_forest_split *best)
{
    struct place place = {.gain = smr_forest_equal(g, best->gain), .last = -1};
    g->n_present = (int)smr_thin_list(g->plan->bins.n_bins[j], g->seen[table], g->present);
    g->missing_here = false;
    if (g->n_present < 2) smr_forest_is_constant(g, j);
    place.last = smr_forest_sweep_thin(g, table, &place.gain);
    keep_number(g, j, &place, -1, best);
}

void smr_forest_is_constant(struct smr_grower *g, int64_t j)
{
    g->is_constant[j] = true;
    g->constant[g->n_constant++] = (int32_t)j;
}

static bool is_thin(const struct smr_grower *g, int64_t j)
{
    return g->is_thin && !g->plan->bins.has_missing[j] && !g->plan->bins.is_category[j];
}

static bool is_tried(const smr_bins *bins, int64_t j, int64_t n)
{
    return !bins->is_category[j] || bins->n_levels[j] <= MANY_LEVELS || n >= bins->n_levels[j] / 32;
}

/* Features that wait to be counted together. */
struct waiting {
    int64_t feature[SMR_FOREST_TABLES];
    int n;
    bool thin;
};

static void try_waiting(struct smr_grower *g, struct waiting *w, int64_t lo, int64_t n,
                        struct smr_forest_split *best)
{
    if (w->n == 0) return;
    if (w->thin)
        smr_forest_fill_thin(g, w->feature, w->n, lo, n);
    else if (g->plan->classify)
        smr_forest_fill_classes(g, w->feature[0], w->n > 1 ? w->feature[1] : -1, lo, n);
    else
        smr_forest_fill_numbers(g, w->feature[0], lo, n);
    for (int k = 0; k < w->n; k++) {
        if (w->thin)
            try_thin(g, w->feature[k], k, best);
        else
            try_feature(g, w->feature[k], k, best);
    }
    w->n = 0;
}

/* Those of one kind are tried together. */
static void wait_for_more(struct smr_grower *g, int64_t j, struct waiting *w, int64_t lo, int64_t n,
                          struct smr_forest_split *best)
{
    bool thin = is_thin(g, j);
    if (!is_tried(&g->plan->bins, j, n)) return;
    if (thin != w->thin) try_waiting(g, w, lo, n, best);
    w->thin = thin;
    w->feature[w->n++] = j;
    if (w->n == (thin ? SMR_FOREST_TABLES : g->plan->classify ? 2 : 1))
        try_waiting(g, w, lo, n, best);
}

/* ---- the node --------------------------------------------------------------------------- */

/* The cut between the cells on both sides that is nearest to the middle of the gap. */
static void centre(const smr_bins *bins, struct smr_forest_split *s)
{
    if (s->gain < 0 || s->is_set || s->next < 0) return;
    const double *cut = bins->cut + bins->first[s->feature];
    int32_t lo = s->bin, hi = s->next - 1;
    double middle = smr_bins_between(cut[lo], cut[hi]);
    while (lo < hi && cut[lo + 1] <= middle) lo++;
    if (lo < hi && cut[lo + 1] - middle < middle - cut[lo]) lo++;
    s->bin = lo;
}

/* The k-th feature of the node, none of those before it. */
static int64_t draw_feature(struct smr_grower *g, int64_t k)
{
    int64_t other = k + smr_forest_below(g, (uint32_t)(g->plan->bins.n_features - k));
    int32_t j = g->order[other];
    g->order[other] = g->order[k];
    g->order[k] = j;
    return j;
}

void smr_forest_find(struct smr_grower *g, int64_t lo, int64_t hi, struct smr_forest_split *best)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t d = plan->bins.n_features, enough = plan->per_node, n = hi - lo;
    struct waiting waiting = {.n = 0};
    bool by_histogram = plan->classify && plan->p->mode == SMR_FOREST_RANDOM;
    if (by_histogram) smr_forest_begin_thin(g, lo, n);
    bool few = by_histogram && !plan->entropy && n <= (g->is_thin ? SMR_THIN_FEW : SMR_FOREST_FEW);
    /* For two classes: the gain of a split that separates them, which none exceeds. */
    double most = by_histogram && !plan->entropy && g->n_classes == 2
                      ? (double)g->weight - g->node_score
                      : INFINITY;
    *best = (struct smr_forest_split){.gain = -1};
    if (g->n_constant == d) return;
    for (int64_t k = 0; k < d && (k < enough || best->gain < 0); k++) {
        int64_t j = draw_feature(g, k);
        if (g->is_constant[j] || (best->gain == most && j > best->feature)) j = -1;
        if (j >= 0 && few && !plan->bins.is_category[j] && smr_forest_try_few(g, j, lo, n, best))
            j = -1;
        if (j >= 0) wait_for_more(g, j, &waiting, lo, n, best);
        if (k + 1 >= enough) try_waiting(g, &waiting, lo, n, best);
    }
    centre(&g->plan->bins, best);
}
