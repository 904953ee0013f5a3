/* tree_split.c -- the best threshold of a number, from a histogram or from sorted rows.
 *
 * Rows move from the second child to the first in the order of their codes; between two codes that
 * differ the split is judged.  Rows without a value are tried on both sides (missing=direction),
 * and also alone against all others; with missing=fraction they are left out, and the gain is that
 * of the others.  Of equal splits the lowest cut is kept, and missing values go second.
 * Where no value is missing here, one that is missing later goes to the heavier child. */
#include "learn/trees/tree_score.h"

#include <math.h>
#include <string.h>

struct sweep {
    const smr_tree_plan *plan;
    const int64_t *center;
    int64_t *left, *right, *gone, *a, *b;
    int64_t weight_left, weight_right, weight_gone;
    bool is_fraction;
    double best;
    int64_t before, after;
    int64_t best_left, best_right; /* weights of the children */
    bool missing_first;
};

static void add(int64_t n, const int64_t *x, const int64_t *y, int64_t *out)
{
    for (int64_t c = 0; c < n; c++) out[c] = x[c] + y[c];
}

static void keep(struct sweep *s, double score, int64_t before, int64_t after, bool first)
{
    int64_t gone = s->is_fraction ? 0 : s->weight_gone;
    s->best = score;
    s->before = before;
    s->after = after;
    s->missing_first = first;
    s->best_left = s->weight_left + (first ? gone : 0);
    s->best_right = s->weight_right + (first ? 0 : gone);
}

static double judge(const struct sweep *s, const int64_t *first, int64_t weight_first,
                    const int64_t *second, int64_t weight_second)
{
    if (weight_first < s->plan->min_leaf || weight_second < s->plan->min_leaf) return -INFINITY;
    return smr_tree_good(s->plan, first, weight_first, s->center, false) +
           smr_tree_good(s->plan, second, weight_second, s->center, false);
}

/* The cut between codes before and after, with the rows up to `before` in left. */
static void consider(struct sweep *s, int64_t before, int64_t after)
{
    int64_t n = s->plan->target->width;
    double score;
    if (s->weight_gone == 0 || s->is_fraction) {
        score = judge(s, s->left, s->weight_left, s->right, s->weight_right);
        if (score > s->best) keep(s, score, before, after, false);
        return;
    }
    add(n, s->right, s->gone, s->b);
    score = judge(s, s->left, s->weight_left, s->b, s->weight_right + s->weight_gone);
    if (score > s->best) keep(s, score, before, after, false);
    add(n, s->left, s->gone, s->a);
    score = judge(s, s->a, s->weight_left + s->weight_gone, s->right, s->weight_right);
    if (score > s->best) keep(s, score, before, after, true);
}

static struct sweep begin(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                          smr_tree_scratch *s)
{
    struct sweep w = {.plan = plan,
                      .center = rows->center,
                      .left = s->left,
                      .right = s->right,
                      .gone = s->gone,
                      .a = s->a,
                      .b = s->b,
                      .best = -INFINITY};
    w.is_fraction = plan->params->missing == SMR_TREE_FRACTION;
    w.weight_gone = smr_tree_weight(plan->target, s->gone);
    w.weight_right = rows->weight - w.weight_gone;
    memset(w.left, 0, (size_t)plan->target->width * sizeof *w.left);
    for (int64_t c = 0; c < plan->target->width; c++) w.right[c] = rows->total[c] - w.gone[c];
    return w;
}

/* high: the largest code that is not missing. */
static void finish(const smr_tree_plan *plan, const smr_tree_node_rows *rows, struct sweep *s,
                   int64_t high, smr_tree_pick *pick)
{
    double base = rows->good;
    if (s->weight_gone > 0 && !s->is_fraction && s->weight_left > 0) { /* known against missing */
        double score = judge(s, s->left, s->weight_left, s->gone, s->weight_gone);
        if (score > s->best) keep(s, score, high, -1, false);
    }
    if (s->weight_gone > 0 && s->is_fraction && s->weight_left > 0)
        base = smr_tree_good(plan, s->left, s->weight_left, rows->center, false);
    if (s->best == -INFINITY) return;
    pick->kind = SMR_SPLIT_CUT;
    pick->gain = s->best - base;
    pick->missing_first =
        s->weight_gone > 0 && !s->is_fraction ? s->missing_first : s->best_left >= s->best_right;
    pick->before = s->before;
    pick->after = s->after;
    if (plan->criterion != SMR_TREE_GAIN_RATIO) return;
    int64_t apart = s->is_fraction ? s->weight_gone : 0;
    pick->info = smr_tree_xlogx(plan, s->best_left + s->best_right + apart) -
                 smr_tree_xlogx(plan, s->best_left) - smr_tree_xlogx(plan, s->best_right) -
                 smr_tree_xlogx(plan, apart);
}

/* ---- histograms ---- */

void smr_tree_scan_cells(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                         smr_tree_scratch *scratch, smr_tree_pick *pick)
{
    const smr_tree_target *t = plan->target;
    int64_t n = plan->codes->n_codes[j], width = t->width, last = -1;
    const int64_t *cell = rows->cells + plan->codes->first_cell[j] * width;
    memcpy(scratch->gone, cell + n * width, (size_t)width * sizeof *cell);
    struct sweep s = begin(plan, rows, scratch);
    int64_t groups = s.weight_gone > 0;
    for (int64_t code = 0; code < n && s.weight_right > 0; code++, cell += width) {
        int64_t weight = smr_tree_weight(t, cell);
        if (weight == 0) continue;
        groups++;
        if (last >= 0) consider(&s, last, code);
        for (int64_t c = 0; c < width; c++) {
            s.left[c] += cell[c];
            s.right[c] -= cell[c];
        }
        s.weight_left += weight;
        s.weight_right -= weight;
        last = code;
    }
    pick->is_constant = groups < 2;
    finish(plan, rows, &s, last, pick);
}

/* ---- sorted rows ---- */

static inline int64_t code_at(const uint64_t *key, int64_t e)
{
    return (int64_t)(key[e] >> 32);
}

static void move_row(struct sweep *s, const smr_tree_node_rows *rows, int64_t i)
{
    int64_t w = rows->w[i], q = s->plan->target->n_outputs;
    s->weight_left += w;
    s->weight_right -= w;
    if (s->plan->target->n_classes > 0) {
        s->left[rows->label[i]] += w;
        s->right[rows->label[i]] -= w;
        return;
    }
    s->left[0] += w;
    s->right[0] -= w;
    for (int64_t k = 0; k < q; k++) {
        s->left[1 + k] += rows->wy[i * q + k];
        s->right[1 + k] -= rows->wy[i * q + k];
    }
}

/* Gini of few rows: the sums of squares are carried along, and a cut costs one division. */
static void sweep_gini(struct sweep *s, const smr_tree_node_rows *rows, const uint64_t *key,
                       int64_t n)
{
    int64_t squares_left = 0, squares_right = 0, kept_left = 0, kept_right = 0;
    int64_t least = s->plan->min_leaf;
    double best = -INFINITY;
    for (int64_t c = 0; c < s->plan->target->width; c++) squares_right += s->right[c] * s->right[c];
    for (int64_t e = 0; e < n; e++) {
        int64_t i = (int64_t)(uint32_t)key[e], w = rows->w[i];
        int32_t c = rows->label[i];
        squares_left += w * (2 * s->left[c] + w);
        squares_right -= w * (2 * s->right[c] - w);
        s->left[c] += w;
        s->right[c] -= w;
        s->weight_left += w;
        s->weight_right -= w;
        if (e + 1 == n || code_at(key, e) == code_at(key, e + 1)) continue;
        if (s->weight_left < least || s->weight_right < least) continue;
        double l = (double)s->weight_left, r = (double)s->weight_right;
        double score = ((double)squares_left * r + (double)squares_right * l) / (l * r);
        if (score <= best) continue;
        best = score;
        kept_left = squares_left;
        kept_right = squares_right;
        keep(s, score, code_at(key, e), code_at(key, e + 1), false);
    }
    if (best > -INFINITY) /* as every other search counts it, so that features compare */
        s->best =
            (double)kept_left / (double)s->best_left + (double)kept_right / (double)s->best_right;
}

void smr_tree_scan_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        const uint64_t *key, smr_tree_scratch *scratch, smr_tree_pick *pick)
{
    int64_t missing = plan->codes->n_codes[j], n = rows->n;
    pick->is_constant = code_at(key, 0) == code_at(key, n - 1);
    if (pick->is_constant) return;
    while (n > 0 && code_at(key, n - 1) == missing) n--;
    smr_tree_tally_keys(plan, rows, key, n, rows->n, scratch->gone);
    struct sweep s = begin(plan, rows, scratch);
    if (plan->criterion == SMR_TREE_GINI && plan->target->is_small && s.weight_gone == 0) {
        sweep_gini(&s, rows, key, n);
    } else {
        for (int64_t e = 0; e < n; e++) {
            move_row(&s, rows, (int64_t)(uint32_t)key[e]);
            if (e + 1 < n && code_at(key, e) != code_at(key, e + 1))
                consider(&s, code_at(key, e), code_at(key, e + 1));
        }
    }
    finish(plan, rows, &s, n > 0 ? code_at(key, n - 1) : 0, pick);
}
