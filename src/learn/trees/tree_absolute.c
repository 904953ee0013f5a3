/* tree_absolute.c -- splits by absolute error around the median.
 *
 * The cost of a set of rows is sum_i w_i |y_i - median|.  Rows are added one by one in the order of
 * the feature; a tree of sums over the targets' ranks (Fenwick 1994) then gives the weighted median
 * and the sums on both sides of it in log n steps.  One sweep from the left and one from the right
 * give the cost of every cut: n log n for a feature.  Rows without a value are in the first child
 * in one pair of sweeps and in the second in another.
 *
 * Reference: Fenwick, Software: Practice and Experience 24(3):327-336, 1994. */
#include "learn/trees/tree_parts.h"

#include <math.h>
#include <string.h>

/* ---- a set of rows that grows ---- */

struct set {
    const smr_tree_node_rows *rows;
    int64_t n, top; /* ranks; the highest power of two up to n */
    int64_t *w;
    double *wy;
    int64_t weight, output;
    double sum;
};

static struct set empty(const smr_tree_node_rows *rows, int64_t output, smr_tree_scratch *s)
{
    struct set e = {.rows = rows, .n = rows->n, .top = 1, .output = output};
    e.w = s->sum_w;
    e.wy = s->sum_wy;
    while (2 * e.top <= e.n) e.top *= 2;
    memset(e.w, 0, (size_t)(e.n + 1) * sizeof *e.w);
    memset(e.wy, 0, (size_t)(e.n + 1) * sizeof *e.wy);
    return e;
}

static void add(struct set *e, int64_t i)
{
    int64_t rank = e->rows->y_rank[e->output * e->n + i], w = e->rows->w[i];
    double wy = (double)w * e->rows->y_sorted[e->output * e->n + rank];
    for (int64_t at = rank + 1; at <= e->n; at += at & -at) {
        e->w[at] += w;
        e->wy[at] += wy;
    }
    e->weight += w;
    e->sum += wy;
}

static double cost_of(const struct set *e)
{
    int64_t at = 0, below = 0;
    double sum = 0;
    if (e->weight == 0) return 0;
    for (int64_t step = e->top; step > 0; step /= 2) {
        if (at + step > e->n || 2 * (below + e->w[at + step]) >= e->weight) continue;
        at += step;
        below += e->w[at];
        sum += e->wy[at];
    }
    double median = e->rows->y_sorted[e->output * e->n + at];
    double cost =
        median * (double)below - sum + (e->sum - sum) - median * (double)(e->weight - below);
    return cost > 0 ? cost : 0;
}

static void add_keys(struct set *e, const uint64_t *key, int64_t lo, int64_t hi)
{
    for (int64_t k = lo; k < hi; k++) add(e, (int64_t)(uint32_t)key[k]);
}

static double cost_of_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                           const uint64_t *key, int64_t n, smr_tree_scratch *s)
{
    double cost = 0;
    for (int64_t k = 0; k < plan->target->n_outputs; k++) {
        struct set e = empty(rows, k, s);
        add_keys(&e, key, 0, n);
        cost += cost_of(&e);
    }
    return cost;
}

double smr_tree_absolute(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                         smr_tree_scratch *s)
{
    double cost = 0;
    for (int64_t k = 0; k < plan->target->n_outputs; k++) {
        struct set e = empty(rows, k, s);
        for (int64_t i = 0; i < rows->n; i++) add(&e, i);
        cost += cost_of(&e);
    }
    return cost;
}

/* ---- sweeps ---- */

/* first[e], second[e]: cost of rows 0 .. e and of rows e + 1 .. known - 1, each with the missing
 * ones where `with` says so. */
static void sweep(const smr_tree_plan *plan, const smr_tree_node_rows *rows, const uint64_t *key,
                  int64_t known, bool missing_first, smr_tree_scratch *s, double *first,
                  double *second)
{
    memset(first, 0, (size_t)known * sizeof *first);
    memset(second, 0, (size_t)known * sizeof *second);
    bool apart = plan->params->missing == SMR_TREE_FRACTION;
    for (int64_t k = 0; k < plan->target->n_outputs; k++) {
        struct set e = empty(rows, k, s);
        if (missing_first && !apart) add_keys(&e, key, known, rows->n);
        for (int64_t i = 0; i < known; i++) {
            add_keys(&e, key, i, i + 1);
            first[i] += cost_of(&e);
        }
        e = empty(rows, k, s);
        if (!missing_first && !apart) add_keys(&e, key, known, rows->n);
        if (known > 0) second[known - 1] += cost_of(&e);
        for (int64_t i = known - 1; i > 0; i--) {
            add_keys(&e, key, i, i + 1);
            second[i - 1] += cost_of(&e);
        }
    }
}

struct best {
    double cost;
    int64_t before, after; /* codes; after -1: known against missing */
    bool missing_first;
    int64_t first, second; /* weights */
};

static void best_cut(const smr_tree_plan *plan, const smr_tree_node_rows *rows, const uint64_t *key,
                     int64_t known, bool missing_first, smr_tree_scratch *s, struct best *best)
{
    double *first = s->cost, *second = s->cost + s->room;
    bool apart = plan->params->missing == SMR_TREE_FRACTION;
    int64_t all = 0, gone = 0, weight = 0;
    for (int64_t e = 0; e < known; e++) all += rows->w[(uint32_t)key[e]];
    for (int64_t e = known; e < rows->n && !apart; e++) gone += rows->w[(uint32_t)key[e]];
    sweep(plan, rows, key, known, missing_first, s, first, second);
    for (int64_t e = 0; e < known; e++) {
        bool last = e + 1 == known;
        weight += rows->w[(uint32_t)key[e]];
        int64_t a = weight + (missing_first ? gone : 0);
        int64_t b = all - weight + (missing_first ? 0 : gone);
        if (last && (missing_first || gone == 0)) continue;
        if (!last && key[e] >> 32 == key[e + 1] >> 32) continue;
        if (a < plan->min_leaf || b < plan->min_leaf) continue;
        double cost = first[e] + second[e];
        if (cost >= best->cost) continue;
        *best = (struct best){.cost = cost,
                              .before = (int64_t)(key[e] >> 32),
                              .after = last ? -1 : (int64_t)(key[e + 1] >> 32),
                              .missing_first = missing_first,
                              .first = a,
                              .second = b};
    }
}

/* ---- categories ---- */

/* Keys by the rank of the level among those that occur, by their means. */
static smr_status rank_levels(smr_ctx *ctx, const smr_tree_plan *plan,
                              const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                              uint64_t **key, int64_t *n_levels)
{
    smr_status st = SMR_OK;
    TRY(smr_tree_levels_by_mean(ctx, plan, rows, j, s, n_levels));
    int64_t *rank = s->group_order + s->group_room, g = 0, missing = plan->codes->n_codes[j];
    for (int64_t p = 0; p < *n_levels; p++) rank[s->group_order[p]] = p;
    uint64_t *sorted = smr_tree_keys(plan, rows, j, s);
    for (int64_t e = 0; e < rows->n; e++) {
        int64_t code = (int64_t)(sorted[e] >> 32);
        while (g < *n_levels && s->group_code[g] < code) g++;
        uint64_t at = (uint64_t)(code == missing ? *n_levels : rank[g]);
        sorted[e] = at << 32 | (uint32_t)sorted[e];
    }
    *key = smr_tree_sort(sorted, sorted == s->key ? s->spare : s->key, rows->n, *n_levels);
out:
    return st;
}

/* One child per level: the missing ones with the heaviest. */
static void try_ways(const smr_tree_plan *plan, const smr_tree_node_rows *rows, const uint64_t *key,
                     int64_t known, double base, smr_tree_scratch *s, smr_tree_pick *pick)
{
    bool apart = plan->params->missing == SMR_TREE_FRACTION;
    int64_t heaviest = 0, most = -1, enough = 0;
    double cost = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t lo = 0, hi; lo < known; lo = hi) {
            int64_t weight = 0;
            for (hi = lo; hi < known && key[hi] >> 32 == key[lo] >> 32; hi++)
                weight += rows->w[(uint32_t)key[hi]];
            if (pass == 0) {
                if (weight > most) heaviest = lo;
                most = SMR_MAX(most, weight);
                enough += weight >= plan->min_leaf;
                continue;
            }
            for (int64_t k = 0; k < plan->target->n_outputs; k++) {
                struct set e = empty(rows, k, s);
                add_keys(&e, key, lo, hi);
                if (lo == heaviest && !apart) add_keys(&e, key, known, rows->n);
                cost += cost_of(&e);
            }
        }
    }
    if (enough < 2) return;
    pick->kind = SMR_SPLIT_WAYS;
    pick->gain = base - cost;
}

/* ---- the search ---- */

smr_status smr_tree_scan_absolute(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                  smr_tree_pick *pick)
{
    smr_status st = SMR_OK;
    bool category = plan->codes->is_category[j], apart = plan->params->missing == SMR_TREE_FRACTION;
    int64_t missing = plan->codes->n_codes[j], known = rows->n;
    struct best best = {.cost = INFINITY};
    uint64_t *key = NULL;
    double base = -rows->good;
    if (category)
        TRY(rank_levels(ctx, plan, rows, j, s, &key, &missing));
    else
        key = smr_tree_keys(plan, rows, j, s);
    pick->is_constant = key[0] >> 32 == key[rows->n - 1] >> 32;
    if (pick->is_constant) return SMR_OK;
    while (known > 0 && (int64_t)(key[known - 1] >> 32) == missing) known--;
    if (apart && known < rows->n) base = cost_of_keys(plan, rows, key, known, s);
    if (category && plan->params->categories == SMR_TREE_MULTIWAY) {
        try_ways(plan, rows, key, known, base, s, pick);
        return SMR_OK;
    }
    best_cut(plan, rows, key, known, false, s, &best);
    if (known < rows->n && !apart) best_cut(plan, rows, key, known, true, s, &best);
    if (best.cost == INFINITY) return SMR_OK;
    pick->kind = category ? SMR_SPLIT_SET : SMR_SPLIT_CUT;
    pick->gain = base - best.cost;
    pick->missing_first =
        known < rows->n && !apart ? best.missing_first : best.first >= best.second;
    pick->order = 0;
    pick->prefix = best.before + 1;
    pick->before = best.before;
    pick->after = best.after;
out:
    return st;
}
