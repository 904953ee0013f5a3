/* tree_category.c -- splits of a category: two sets of levels, or one child per level.
 *
 * binary.  Only levels that occur in the node count.  For two classes, and for one number by
 * squared error, the levels are put in order of their mean, and the best set is a first part of
 * that order (Fisher 1958; Breiman et al. 1984, 4.2.2).  For more classes all sets of up to
 * EXHAUSTIVE levels are tried; with more levels they are put in order of each class's share in turn
 * (for several targets: each one's mean), and the best first part of all these orders is taken.  By
 * absolute error (tree_absolute.c) the order is also that of the means.  The last two are
 * heuristics.  Levels that do not occur here go with the heavier child.
 *
 * multiway.  A child for each level.  At least two children must have min_leaf.  Rows without a
 * value go to the heaviest child; with missing=fraction to all.
 *
 * References: Fisher, J. Am. Stat. Assoc. 53 (1958); Breiman, Friedman, Olshen & Stone, 1984. */
#include "learn/trees/tree_score.h"

#include <math.h>
#include <string.h>

enum { EXHAUSTIVE = 8, BY_SETS = -1 };

struct levels {
    const smr_tree_plan *plan;
    const smr_tree_node_rows *rows;
    smr_tree_scratch *s;
    int64_t n;     /* that occur                    */
    int64_t gone;  /* weight of missing values      */
    int64_t known; /* weight of the others          */
    bool is_fraction;
};

/* ---- levels ---- */

static void add_level(struct levels *v, uint32_t code, const int64_t *tally)
{
    int64_t width = v->plan->target->width, weight = smr_tree_weight(v->plan->target, tally);
    if (weight == 0) return;
    v->s->group_code[v->n] = code;
    v->s->group_weight[v->n] = weight;
    v->s->group_order[v->n] = v->n;
    memcpy(v->s->groups + v->n * width, tally, (size_t)width * sizeof *tally);
    v->known += weight;
    v->n++;
}

static smr_status gather(smr_ctx *ctx, struct levels *v, int64_t j)
{
    smr_status st = SMR_OK;
    const smr_tree_plan *plan = v->plan;
    const smr_tree_node_rows *rows = v->rows;
    int64_t width = plan->target->width, n = plan->codes->n_codes[j];
    bool narrow = rows->cells && !plan->codes->wide[j];
    TRY(smr_tree_scratch_groups(ctx, plan, narrow ? n : SMR_MIN(rows->n, n), v->s));
    if (narrow) {
        const int64_t *cell = rows->cells + plan->codes->first_cell[j] * width;
        for (int64_t code = 0; code < n; code++) add_level(v, (uint32_t)code, cell + code * width);
        memcpy(v->s->gone, cell + n * width, (size_t)width * sizeof *cell);
    } else {
        const uint64_t *key = smr_tree_keys(plan, rows, j, v->s);
        int64_t lo = 0;
        memset(v->s->gone, 0, (size_t)width * sizeof *v->s->gone);
        for (int64_t e = 1; e <= rows->n; e++) {
            if (e < rows->n && key[e] >> 32 == key[lo] >> 32) continue;
            bool is_missing = (int64_t)(key[lo] >> 32) == n;
            int64_t *tally = is_missing ? v->s->gone : v->s->a;
            smr_tree_tally_keys(plan, rows, key, lo, e, tally);
            if (!is_missing) add_level(v, (uint32_t)(key[lo] >> 32), tally);
            lo = e;
        }
    }
    v->gone = smr_tree_weight(plan->target, v->s->gone);
out:
    return st;
}

/* ---- orders ---- */

/* How many orders there are to try; 0: all sets. */
static int64_t n_orders(const struct levels *v)
{
    const smr_tree_target *t = v->plan->target;
    int64_t present = 0;
    if (t->n_classes == 0) return t->n_outputs;
    for (int64_t c = 0; c < t->n_classes; c++) present += v->rows->total[c] > 0;
    if (present <= 2) return 1;
    return v->n <= EXHAUSTIVE ? 0 : t->n_classes;
}

/* The number in a tally that order o goes by; for two classes the last that occurs. */
static int64_t column_of(const struct levels *v, int64_t o)
{
    const smr_tree_target *t = v->plan->target;
    if (t->n_classes == 0) return 1 + o;
    if (n_orders(v) > 1) return o;
    for (int64_t c = t->n_classes - 1; c > 0; c--)
        if (v->rows->total[c] > 0) return c;
    return 0;
}

/* Merge sort by key, equal ones by code: levels are in the order of their codes at first. */
static void sort_levels(const double *key, int64_t *order, int64_t *spare, int64_t n)
{
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t a = lo, mid = SMR_MIN(n, lo + run), b = mid, hi = SMR_MIN(n, lo + 2 * run);
            for (int64_t k = lo; k < hi; k++) {
                bool first = a < mid && (b >= hi || key[order[a]] <= key[order[b]]);
                spare[k] = first ? order[a++] : order[b++];
            }
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
}

static void put_in_order(struct levels *v, int64_t o)
{
    smr_tree_scratch *s = v->s;
    int64_t width = v->plan->target->width, column = column_of(v, o);
    for (int64_t g = 0; g < v->n; g++)
        s->group_key[g] = (double)s->groups[g * width + column] / (double)s->group_weight[g];
    sort_levels(s->group_key, s->group_order, s->group_order + s->group_room, v->n);
}

smr_status smr_tree_levels_by_mean(smr_ctx *ctx, const smr_tree_plan *plan,
                                   const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                   int64_t *n)
{
    smr_status st = SMR_OK;
    struct levels v = {.plan = plan, .rows = rows, .s = s};
    TRY(gather(ctx, &v, j));
    put_in_order(&v, 0);
    *n = v.n;
out:
    return st;
}

/* ---- judging ---- */

struct best {
    double score;
    int64_t order, prefix;
    bool missing_first;
    int64_t first, second; /* weights */
};

static void judge(struct levels *v, const int64_t *x, int64_t wx, const int64_t *y, int64_t wy,
                  struct best candidate, struct best *best)
{
    const smr_tree_plan *plan = v->plan;
    if (wx < plan->min_leaf || wy < plan->min_leaf) return;
    candidate.score = smr_tree_good(plan, x, wx, v->rows->center, false) +
                      smr_tree_good(plan, y, wy, v->rows->center, false);
    candidate.first = wx;
    candidate.second = wy;
    if (candidate.score > best->score) *best = candidate;
}

/* Levels in left (their weight is `weight`) against the others. */
static void consider(struct levels *v, int64_t weight, struct best at, struct best *best)
{
    smr_tree_scratch *s = v->s;
    int64_t width = v->plan->target->width, rest = v->known - weight;
    for (int64_t c = 0; c < width; c++) s->right[c] = v->rows->total[c] - s->gone[c] - s->left[c];
    at.missing_first = false;
    if (v->gone == 0 || v->is_fraction) {
        judge(v, s->left, weight, s->right, rest, at, best);
        return;
    }
    for (int64_t c = 0; c < width; c++) s->b[c] = s->right[c] + s->gone[c];
    judge(v, s->left, weight, s->b, rest + v->gone, at, best);
    for (int64_t c = 0; c < width; c++) s->a[c] = s->left[c] + s->gone[c];
    at.missing_first = true;
    judge(v, s->a, weight + v->gone, s->right, rest, at, best);
}

static void add_group(struct levels *v, int64_t g, int sign, int64_t *weight)
{
    int64_t width = v->plan->target->width;
    for (int64_t c = 0; c < width; c++) v->s->left[c] += sign * v->s->groups[g * width + c];
    *weight += sign * v->s->group_weight[g];
}

static void clear_left(struct levels *v)
{
    memset(v->s->left, 0, (size_t)v->plan->target->width * sizeof *v->s->left);
}

static void try_orders(struct levels *v, int64_t orders, struct best *best)
{
    for (int64_t o = 0; o < orders; o++) {
        int64_t weight = 0;
        put_in_order(v, o);
        clear_left(v);
        for (int64_t p = 1; p < v->n; p++) {
            add_group(v, v->s->group_order[p - 1], 1, &weight);
            consider(v, weight, (struct best){.order = o, .prefix = p}, best);
        }
    }
}

/* All sets without the last level, each once, one level in or out at a time (Gray's order). */
static void try_sets(struct levels *v, struct best *best)
{
    int64_t weight = 0, mask = 0;
    clear_left(v);
    for (int64_t k = 1; k < (int64_t)1 << (v->n - 1); k++) {
        int64_t bit = 0;
        while (!(k >> bit & 1)) bit++;
        mask ^= (int64_t)1 << bit;
        add_group(v, bit, mask >> bit & 1 ? 1 : -1, &weight);
        consider(v, weight, (struct best){.order = BY_SETS, .prefix = mask}, best);
    }
}

/* Known against missing, with all levels in the first set. */
static void try_missing(struct levels *v, struct best *best)
{
    smr_tree_scratch *s = v->s;
    if (v->gone == 0 || v->is_fraction || v->known == 0) return;
    for (int64_t c = 0; c < v->plan->target->width; c++) s->a[c] = v->rows->total[c] - s->gone[c];
    judge(v, s->a, v->known, s->gone, v->gone,
          (struct best){.order = BY_SETS, .prefix = ((int64_t)1 << 62)}, best);
}

/* ---- one child per level ---- */

static double split_info(const struct levels *v)
{
    double info = smr_tree_xlogx(v->plan, v->rows->weight);
    int64_t apart = v->is_fraction ? v->gone : 0, heaviest = 0;
    for (int64_t g = 1; g < v->n; g++)
        if (v->s->group_weight[g] > v->s->group_weight[heaviest]) heaviest = g;
    for (int64_t g = 0; g < v->n; g++)
        info -= smr_tree_xlogx(v->plan, v->s->group_weight[g] +
                                            (g == heaviest && !v->is_fraction ? v->gone : 0));
    return info - smr_tree_xlogx(v->plan, apart);
}

static void try_ways(struct levels *v, smr_tree_pick *pick, double base)
{
    const smr_tree_plan *plan = v->plan;
    smr_tree_scratch *s = v->s;
    int64_t width = plan->target->width, heaviest = 0, enough = 0;
    double score = 0;
    for (int64_t g = 1; g < v->n; g++)
        if (s->group_weight[g] > s->group_weight[heaviest]) heaviest = g;
    for (int64_t g = 0; g < v->n; g++) {
        int64_t weight = s->group_weight[g];
        memcpy(s->a, s->groups + g * width, (size_t)width * sizeof *s->a);
        if (g == heaviest && !v->is_fraction) {
            for (int64_t c = 0; c < width; c++) s->a[c] += s->gone[c];
            weight += v->gone;
        }
        enough += weight >= plan->min_leaf;
        score += smr_tree_good(plan, s->a, weight, v->rows->center, false);
    }
    if (v->n < 2 || enough < 2) return;
    pick->kind = SMR_SPLIT_WAYS;
    pick->gain = score - base;
    pick->info = plan->criterion == SMR_TREE_GAIN_RATIO ? split_info(v) : 0;
}

/* ---- the search ---- */

static void take(const struct levels *v, const struct best *best, double base, smr_tree_pick *pick)
{
    const smr_tree_plan *plan = v->plan;
    int64_t apart = v->is_fraction ? v->gone : 0;
    if (best->score == -INFINITY) return;
    pick->kind = SMR_SPLIT_SET;
    pick->gain = best->score - base;
    pick->order = best->order;
    pick->prefix = best->prefix;
    pick->missing_first =
        v->gone > 0 && !v->is_fraction ? best->missing_first : best->first >= best->second;
    if (plan->criterion == SMR_TREE_GAIN_RATIO)
        pick->info = smr_tree_xlogx(plan, v->rows->weight) - smr_tree_xlogx(plan, best->first) -
                     smr_tree_xlogx(plan, best->second) - smr_tree_xlogx(plan, apart);
}

smr_status smr_tree_scan_category(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                  smr_tree_pick *pick)
{
    smr_status st = SMR_OK;
    struct levels v = {.plan = plan, .rows = rows, .s = s};
    struct best best = {.score = -INFINITY};
    double base = rows->good;
    v.is_fraction = plan->params->missing == SMR_TREE_FRACTION;
    TRY(gather(ctx, &v, j));
    pick->is_constant = v.n + (v.gone > 0) < 2;
    if (pick->is_constant) return SMR_OK;
    if (v.is_fraction && v.gone > 0 && v.known > 0) {
        for (int64_t c = 0; c < plan->target->width; c++) s->a[c] = rows->total[c] - s->gone[c];
        base = smr_tree_good(plan, s->a, v.known, rows->center, false);
    }
    if (plan->params->categories == SMR_TREE_MULTIWAY) {
        try_ways(&v, pick, base);
        return SMR_OK;
    }
    int64_t orders = n_orders(&v);
    if (orders > 0)
        try_orders(&v, orders, &best);
    else
        try_sets(&v, &best);
    try_missing(&v, &best);
    take(&v, &best, base, pick);
out:
    return st;
}

smr_status smr_tree_set_of(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                           const smr_tree_pick *pick, smr_tree_scratch *s, uint32_t *words)
{
    smr_status st = SMR_OK;
    struct levels v = {.plan = plan, .rows = rows, .s = s};
    int64_t j = pick->feature, n_levels = plan->codes->n_levels[j], first = 0;
    TRY(gather(ctx, &v, j));
    if (pick->order != BY_SETS) put_in_order(&v, pick->order);
    for (int64_t p = 0; p < v.n; p++) {
        int64_t g = pick->order == BY_SETS ? p : s->group_order[p];
        bool all = pick->order == BY_SETS && pick->prefix >> 62;
        bool in = pick->order == BY_SETS ? all || (pick->prefix >> p & 1) : p < pick->prefix;
        if (in) words[s->group_code[g] / 32] |= 1u << s->group_code[g] % 32;
        if (in) first += s->group_weight[g];
    }
    if (2 * first < v.known) goto out; /* levels that do not occur here: with the heavier child */
    for (int64_t code = 0, g = 0; code < n_levels; code++) {
        bool occurs = g < v.n && s->group_code[g] == (uint32_t)code;
        if (!occurs) words[code / 32] |= 1u << code % 32;
        g += occurs;
    }
out:
    return st;
}
