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

/* ---- sparse rows ---- */

/* Entries of the node's rows, by code; and the rows without one, which come together where the code
 * of 0 is. */
struct entries {
    const uint64_t *key;
    int64_t n, known; /* known: those not missing, which come first */
    int64_t zero, weight;
    const int64_t *zeros; /* their tally; weight 0: there are none */
    int64_t at;           /* the first entry above 0 */
};

static struct entries entries_of(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                                 int64_t j, smr_tree_scratch *s)
{
    const smr_tree_sparse *from = plan->codes->sparse;
    int64_t missing = plan->codes->n_codes[j], n = 0;
    struct entries x = {.key = s->key, .zero = from->zero[j], .zeros = s->zeros};
    for (int64_t e = from->of_column[j]; e < from->of_column[j + 1]; e++) {
        int32_t i = rows->place[from->row[e]];
        if (i >= 0) s->key[n++] = (uint64_t)from->code[e] << 32 | (uint32_t)i;
    }
    x.n = x.known = n;
    while (x.known > 0 && code_at(x.key, x.known - 1) == missing) x.known--;
    smr_tree_tally_keys(plan, rows, x.key, 0, n, s->zeros);
    for (int64_t c = 0; c < plan->target->width; c++) s->zeros[c] = rows->total[c] - s->zeros[c];
    x.weight = smr_tree_weight(plan->target, s->zeros);
    while (x.at < x.known && code_at(x.key, x.at) < x.zero) x.at++;
    return x;
}

/* The group of rows of one code that begins at entry *e: moved by `move`.  Groups come in the order
 * of their codes, that of 0 among them. */
struct groups {
    const struct entries *x;
    int64_t e;
    bool is_past; /* the zeros have been met */
};

/* Entries [*lo, *hi) of the next group, or *lo = -1: the zeros; its code, or -1: no more. */
static int64_t next_group(struct groups *g, int64_t *lo, int64_t *hi)
{
    const struct entries *x = g->x;
    if (!g->is_past && g->e == x->at) {
        g->is_past = true;
        *lo = -1;
        if (x->weight > 0) return x->zero;
    }
    if (g->e == x->known) return -1;
    int64_t code = code_at(x->key, g->e);
    *lo = g->e;
    while (g->e < x->known && code_at(x->key, g->e) == code) g->e++;
    *hi = g->e;
    return code;
}

static void move_zeros(struct sweep *s, const struct entries *x)
{
    for (int64_t c = 0; c < s->plan->target->width; c++) {
        s->left[c] += x->zeros[c];
        s->right[c] -= x->zeros[c];
    }
    s->weight_left += x->weight;
    s->weight_right -= x->weight;
}

static int64_t sweep_groups(struct sweep *s, const smr_tree_node_rows *rows,
                            const struct entries *x)
{
    struct groups g = {.x = x};
    int64_t lo = 0, hi = 0, last = -1;
    for (int64_t code; (code = next_group(&g, &lo, &hi)) >= 0; last = code) {
        if (last >= 0) consider(s, last, code);
        if (lo < 0) move_zeros(s, x);
        for (int64_t e = lo; lo >= 0 && e < hi; e++)
            move_row(s, rows, (int64_t)(uint32_t)x->key[e]);
    }
    return last;
}

/* As sweep_gini. */
struct squares {
    int64_t left, right, kept_left, kept_right;
    double best;
};

static inline void square_move(struct sweep *s, struct squares *q, int64_t c, int64_t w)
{
    q->left += w * (2 * s->left[c] + w);
    q->right -= w * (2 * s->right[c] - w);
    s->left[c] += w;
    s->right[c] -= w;
    s->weight_left += w;
    s->weight_right -= w;
}

static inline void consider_squares(struct sweep *s, struct squares *q, int64_t before,
                                    int64_t after)
{
    int64_t least = s->plan->min_leaf;
    if (s->weight_left < least || s->weight_right < least) return;
    double l = (double)s->weight_left, r = (double)s->weight_right;
    double score = ((double)q->left * r + (double)q->right * l) / (l * r);
    if (score <= q->best) return;
    q->best = score;
    q->kept_left = q->left;
    q->kept_right = q->right;
    keep(s, score, before, after, false);
}

static int64_t sweep_squares(struct sweep *s, const smr_tree_node_rows *rows,
                             const struct entries *x)
{
    struct groups g = {.x = x};
    struct squares q = {.best = -INFINITY};
    int64_t lo = 0, hi = 0, last = -1, width = s->plan->target->width;
    for (int64_t c = 0; c < width; c++) q.right += s->right[c] * s->right[c];
    for (int64_t code; (code = next_group(&g, &lo, &hi)) >= 0; last = code) {
        if (last >= 0) consider_squares(s, &q, last, code);
        for (int64_t c = 0; c < width && lo < 0; c++) square_move(s, &q, c, x->zeros[c]);
        for (int64_t e = lo; lo >= 0 && e < hi; e++) {
            int64_t i = (int64_t)(uint32_t)x->key[e];
            square_move(s, &q, rows->label[i], rows->w[i]);
        }
    }
    if (q.best > -INFINITY)
        s->best = (double)q.kept_left / (double)s->best_left +
                  (double)q.kept_right / (double)s->best_right;
    return last;
}

/* As smr_tree_gini_pair, where it would serve a dense copy. */
static int64_t sweep_pair(struct sweep *s, const smr_tree_node_rows *rows, const struct entries *x)
{
    struct groups g = {.x = x};
    int64_t lo = 0, hi = 0, last = -1, least = s->plan->min_leaf, kept[2] = {0};
    double all = (double)rows->weight, gap = (double)(rows->total[0] - rows->total[1]), best = -1;
    for (int64_t code; (code = next_group(&g, &lo, &hi)) >= 0; last = code) {
        double l = (double)s->weight_left, r = (double)s->weight_right;
        double d = (double)(s->left[0] - s->left[1]) * all - gap * l;
        if (last >= 0 && s->weight_left >= least && s->weight_right >= least &&
            d * d / (l * r) > best) {
            best = d * d / (l * r);
            keep(s, best, last, code, false);
            kept[0] = s->left[0], kept[1] = s->left[1];
        }
        if (lo < 0) move_zeros(s, x);
        for (int64_t e = lo; lo >= 0 && e < hi; e++)
            move_row(s, rows, (int64_t)(uint32_t)x->key[e]);
    }
    if (best < 0) return last;
    int64_t second[2] = {rows->total[0] - kept[0], rows->total[1] - kept[1]};
    s->best =
        smr_tree_gini(s->plan, kept, s->best_left) + smr_tree_gini(s->plan, second, s->best_right);
    return last;
}

void smr_tree_scan_sparse(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                          smr_tree_scratch *scratch, smr_tree_pick *pick)
{
    struct entries x = entries_of(plan, rows, j, scratch);
    const smr_tree_sparse *from = plan->codes->sparse;
    bool gini = plan->criterion == SMR_TREE_GINI, all = x.n == rows->n;
    pick->is_constant = x.n == 0 || (all && code_at(x.key, 0) == code_at(x.key, x.n - 1));
    if (pick->is_constant) return;
    smr_tree_tally_keys(plan, rows, x.key, x.known, x.n, scratch->gone);
    struct sweep s = begin(plan, rows, scratch);
    bool pair = gini && rows->is_root && from->is_wide[j] && !from->is_part &&
                plan->target->n_classes == 2 && x.known == x.n;
    int64_t high = pair ? sweep_pair(&s, rows, &x)
                   : gini && plan->target->is_small && s.weight_gone == 0
                       ? sweep_squares(&s, rows, &x)
                       : sweep_groups(&s, rows, &x);
    finish(plan, rows, &s, SMR_MAX(high, 0), pick);
}
