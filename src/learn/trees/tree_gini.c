/* tree_gini.c -- the searches that large tables spend their time in: thresholds by gini of a
 * narrow feature without missing values in the node, whole weights.
 *
 * The sums of squares S = sum_c W_c^2 of both children are carried along, in whole numbers, and a
 * cut costs one division:
 *
 *     S_left / W_left + S_right / W_right = (S_left W_right + S_right W_left) / (W_left W_right)
 *
 * From histograms, code by code; or, where the node has fewer rows than a histogram has cells, from
 * the classes of the rows put in order by counting: the codes that occur are the bits of a set of
 * 256, so that neither sorting nor a pass over all codes is needed.  Both give what tree_split.c
 * gives, bit for bit.  A third one is for two classes, any weights and all rows: what boosting's
 * stumps ask again and again. */
#include "learn/trees/tree_score.h"

#include <math.h>
#include <string.h>

static const double NEARLY = 1 - 1e-12; /* far above what rounding can do */

struct best {
    double score;
    int64_t squares_left, squares_right, left, right; /* sums of squares, weights */
    int64_t before, after;
};

static inline void consider(struct best *best, struct best now, int64_t least)
{
    if (now.left < least || now.right < least) return;
    double l = (double)now.left, r = (double)now.right;
    double score = (double)now.squares_left * r + (double)now.squares_right * l;
    if (score < best->score * (l * r) * NEARLY) return; /* a division costs more */
    now.score = score / (l * r);
    if (now.score > best->score) *best = now;
}

/* The same, where a later cut is the lower one. */
static inline void consider_last(struct best *best, struct best now, int64_t least)
{
    if (now.left < least || now.right < least) return;
    double l = (double)now.left, r = (double)now.right;
    double score = (double)now.squares_left * r + (double)now.squares_right * l;
    if (score < best->score * (l * r) * NEARLY) return;
    now.score = score / (l * r);
    if (now.score >= best->score) *best = now;
}

static void take(const struct best *best, const smr_tree_node_rows *rows, smr_tree_pick *pick)
{
    if (best->score == -INFINITY) return;
    double score = (double)best->squares_left / (double)best->left +
                   (double)best->squares_right / (double)best->right;
    pick->kind = SMR_SPLIT_CUT;
    pick->gain = score - rows->good;
    pick->before = best->before;
    pick->after = best->after;
    pick->missing_first = best->left >= best->right;
}

static int64_t squares(const int64_t *tally, int64_t n)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < n; c++) sum += tally[c] * tally[c];
    return sum;
}

/* ---- histograms ---- */

/* Moves a cell's rows from right to left; returns their weight. */
static inline int64_t move_cell(const int64_t *cell, int64_t n, int64_t *left, int64_t *right,
                                struct best *now)
{
    int64_t weight = 0, more = 0, less = 0;
    for (int64_t c = 0; c < n; c++) {
        int64_t w = cell[c];
        more += w * (2 * left[c] + w);
        less += w * (2 * right[c] - w);
        left[c] += w;
        right[c] -= w;
        weight += w;
    }
    now->squares_left += more;
    now->squares_right -= less;
    now->left += weight;
    now->right -= weight;
    return weight;
}

bool smr_tree_gini_cells(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                         smr_tree_scratch *s, smr_tree_pick *pick)
{
    int64_t n = plan->codes->n_codes[j], width = plan->target->width, groups = 0;
    const int64_t *cell = rows->cells + plan->codes->first_cell[j] * width;
    struct best best = {.score = -INFINITY}, now = {.before = -1, .right = rows->weight};
    if (plan->criterion != SMR_TREE_GINI || !plan->target->is_small) return false;
    for (int64_t c = 0; c < width; c++)
        if (cell[n * width + c] != 0) return false;
    memset(s->left, 0, (size_t)width * sizeof *s->left);
    memcpy(s->right, rows->total, (size_t)width * sizeof *s->right);
    now.squares_right = squares(rows->total, width);
    for (int64_t code = 0; code < n && now.right > 0; code++, cell += width) {
        struct best until = now;
        if (move_cell(cell, width, s->left, s->right, &now) == 0) continue;
        until.after = code;
        if (groups++ > 0) consider(&best, until, plan->min_leaf);
        now.before = code;
    }
    pick->is_constant = groups < 2;
    take(&best, rows, pick);
    return true;
}

/* ---- two classes, all rows in the order that was made once ---- */

/* With D the weight of the first class less that of the second, what a cut makes large is
 *
 *     (D_left W - D W_left)^2 / (W_left W_right)
 *
 * which is gini's score except for what all cuts have in common. */
bool smr_tree_gini_pair(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_pick *pick)
{
    const uint32_t *order = plan->codes->order[j], *code = plan->codes->wide[j];
    int64_t n = rows->n, left = 0, apart = 0, best_left = 0, best_apart = 0, at = -1;
    int64_t total = rows->weight, least = plan->min_leaf;
    double all = (double)total, gap = 0, best = -1;
    if (plan->criterion != SMR_TREE_GINI || plan->target->n_classes != 2 || !rows->is_root ||
        !order || code[order[n - 1] & SMR_TREE_ROW] == plan->codes->n_codes[j])
        return false;
    gap = (double)(rows->total[0] - rows->total[1]);
    for (int64_t e = 0; e < n; e++) {
        int64_t w = rows->wy[order[e] & SMR_TREE_ROW];
        apart += w;
        left += w < 0 ? -w : w;
        if (order[e] <= SMR_TREE_ROW || left < least || total - left < least) continue;
        double d = (double)apart * all - gap * (double)left;
        double both = (double)left * (double)(total - left);
        if (d * d < best * both * NEARLY) continue; /* a division costs more */
        double score = d * d / both;
        if (score <= best) continue;
        best = score;
        best_left = left;
        best_apart = apart;
        at = e;
    }
    pick->is_constant = plan->codes->n_codes[j] < 2;
    if (at < 0) return true;
    int64_t first[2] = {(best_left + best_apart) / 2, (best_left - best_apart) / 2};
    int64_t second[2] = {rows->total[0] - first[0], rows->total[1] - first[1]};
    pick->kind = SMR_SPLIT_CUT;
    pick->gain = smr_tree_gini(plan, first, best_left) +
                 smr_tree_gini(plan, second, total - best_left) - rows->good;
    pick->before = code[order[at] & SMR_TREE_ROW];
    pick->after = pick->before + 1;
    pick->missing_first = 2 * best_left >= total;
    return true;
}

/* ---- rows, each of weight 1 ---- */

enum { MOST_ROWS = 65535, CODES = 256 };

/* Rows of codes above 0, which is the most frequent one where most values are 0: their classes in
 * the order of the codes.  Bit c of `set`: code c occurs; from[c]: where its rows begin. */
static int64_t order_classes(const smr_tree_node_rows *rows, const uint8_t *code, uint8_t *copy,
                             uint8_t *kept, uint8_t *class, uint64_t set[4], uint16_t from[CODES])
{
    const int32_t *row = rows->row, *label = rows->label;
    int64_t n = 0, n_rows = rows->n;
    uint16_t at = 0, until[CODES] = {0};
    for (int64_t i = 0; i < n_rows; i++) { /* without a branch */
        uint8_t c = code[row[i]];
        copy[n] = c;
        kept[n] = (uint8_t)label[i];
        n += c != 0;
    }
    for (int64_t i = 0; i < n; i++) {
        until[copy[i]]++;
        set[copy[i] >> 6] |= (uint64_t)1 << (copy[i] & 63);
    }
    for (int word = 0; word < 4; word++) {
        for (uint64_t rest = set[word]; rest; rest &= rest - 1) {
            int c = 64 * word + __builtin_ctzll(rest);
            uint16_t count = until[c];
            from[c] = until[c] = at;
            at = (uint16_t)(at + count);
        }
    }
    for (int64_t i = 0; i < n; i++) class[until[copy[i]]++] = kept[i];
    return n;
}

/* Moves the rows of one code from left to right. */
static inline void move_rows(const uint8_t *class, int64_t lo, int64_t hi, const int64_t *total,
                             int64_t *right, struct best *now)
{
    int64_t sum = 0, all = 0;
    for (int64_t e = lo; e < hi; e++) {
        sum += right[class[e]]++;
        all += total[class[e]];
    }
    now->squares_right += 2 * sum + (hi - lo);
    now->squares_left -= 2 * (all - sum) - (hi - lo);
    now->right += hi - lo;
    now->left -= hi - lo;
}

/* From the highest code down, so that rows of code 0 need not be moved; of equal cuts the last one
 * that is seen is the lowest. */
static void sweep_down(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                       const uint8_t *class, int64_t n, const uint64_t set[4],
                       const uint16_t from[CODES], int64_t *right, struct best *best)
{
    struct best now = {.left = rows->weight, .after = -1};
    int64_t hi = n;
    now.squares_left = squares(rows->total, plan->target->width);
    for (int word = 3; word >= 0; word--) {
        for (uint64_t rest = set[word]; rest;) {
            int bit = 63 - __builtin_clzll(rest), c = 64 * word + bit;
            rest ^= (uint64_t)1 << bit;
            now.before = c;
            if (now.after >= 0) consider_last(best, now, plan->min_leaf);
            if (c == 0) return;
            int64_t lo = from[c];
            move_rows(class, lo, hi, rows->total, right, &now);
            hi = lo;
            now.after = c;
        }
    }
}

bool smr_tree_gini_rows(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_scratch *s, smr_tree_pick *pick)
{
    const smr_tree_target *t = plan->target;
    const uint8_t *code = plan->codes->narrow[j];
    uint8_t *class = (uint8_t *)s->key, *copy = (uint8_t *)s->spare, *kept = copy + rows->n + 1;
    uint64_t set[4] = {0};
    uint16_t from[CODES];
    int64_t missing = plan->codes->n_codes[j], groups = 0;
    struct best best = {.score = -INFINITY};
    if (plan->criterion != SMR_TREE_GINI || !t->is_unit || !code || t->n_classes > CODES ||
        rows->n > MOST_ROWS || plan->params->missing == SMR_TREE_FRACTION)
        return false;
    int64_t n = order_classes(rows, code, copy, kept, class, set, from);
    if (missing < CODES && set[missing >> 6] >> (missing & 63) & 1) return false;
    if (n < rows->n) set[0] |= 1;
    for (int word = 0; word < 4; word++) groups += __builtin_popcountll(set[word]);
    pick->is_constant = groups < 2;
    if (pick->is_constant) return true;
    memset(s->right, 0, (size_t)t->width * sizeof *s->right);
    sweep_down(plan, rows, class, n, set, from, s->right, &best);
    take(&best, rows, pick);
    return true;
}
