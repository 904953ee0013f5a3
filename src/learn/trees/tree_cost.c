/* tree_cost.c -- minimal cost-complexity pruning (CART).
 *
 * R(T) is the mean impurity of a tree's leaves, |T| their number.  For each penalty alpha there is
 * a smallest tree that minimises R(T) + alpha |T|; as alpha grows these trees are nested, each made
 * from the one before by turning its weakest links into leaves.  Node t becomes a leaf at the alpha
 * with
 *
 *     alpha = (R(t) - R(T_t)) / (|T_t| - 1)
 *
 * for the part T_t below it that is left by then.  From the leaves up: the links below t, which
 * fall at known penalties, are undone from the largest one down until those that are left fall
 * before t does.  A link is undone once, and a heap that merges gives the largest: O(n log n).
 *
 * alpha is chosen by cross-validation: fold trees are pruned at the geometric means of neighbouring
 * penalties of the whole tree's sequence, and judged on the rows they have not seen (errors of
 * classes; squared or absolute errors of numbers).  With one_se the simplest tree within one
 * standard error of the best one is taken.
 *
 * Reference: Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984, ch.
 * 3. */
#include "learn/trees/tree_parts.h"

#include "core/sort.h"
#include "core/span.h"
#include "data/split.h"

#include <math.h>
#include <string.h>

/* ---- weakest links ---- */

/* Leftist heaps of nodes, the largest alpha on top; -1 is the empty one. */
struct heaps {
    int32_t *left, *right, *rank;
    const double *alpha;
};

static int32_t rank_of(const struct heaps *h, int32_t a)
{
    return a < 0 ? 0 : h->rank[a];
}

/* Goes down right spines only, which have at most log2 n nodes. */
static int32_t merge(struct heaps *h, int32_t a, int32_t b)
{
    if (a < 0) return b;
    if (b < 0) return a;
    if (h->alpha[b] > h->alpha[a]) {
        int32_t turn = a;
        a = b;
        b = turn;
    }
    h->right[a] = merge(h, h->right[a], b);
    if (rank_of(h, h->right[a]) > rank_of(h, h->left[a])) {
        int32_t turn = h->left[a];
        h->left[a] = h->right[a];
        h->right[a] = turn;
    }
    h->rank[a] = rank_of(h, h->right[a]) + 1;
    return a;
}

/* alpha of node t, whose children's heaps are in top; and its own heap. */
static void link_of(const smr_sapling *s, struct heaps *h, int64_t t, int32_t *top, double *gain,
                    double *leaves, double *alpha)
{
    const smr_sprout *node = &s->node[t];
    int32_t heap = -1;
    gain[t] = node->gain;
    leaves[t] = node->n_children - 1;
    for (int32_t c = 0; c < node->n_children; c++) heap = merge(h, heap, top[node->child + c]);
    while (heap >= 0 && gain[t] / leaves[t] < alpha[heap]) {
        gain[t] += gain[heap];
        leaves[t] += leaves[heap];
        heap = merge(h, h->left[heap], h->right[heap]);
    }
    alpha[t] = gain[t] / leaves[t];
    h->left[t] = h->right[t] = -1;
    h->rank[t] = 1;
    top[t] = merge(h, heap, (int32_t)t);
}

smr_status smr_tree_weakest_links(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_grown *grown, double *alpha)
{
    smr_status st = SMR_OK;
    const smr_sapling *s = &grown->sapling;
    struct heaps h = {.alpha = alpha};
    int32_t *top = NULL;
    double *gain = NULL, *leaves = NULL;
    (void)plan;
    TRY_NEW(h.left, s->n);
    TRY_NEW(h.right, s->n);
    TRY_NEW(h.rank, s->n);
    TRY_NEW(top, s->n);
    TRY_NEW(gain, s->n);
    TRY_NEW(leaves, s->n);
    for (int64_t t = s->n - 1; t >= 0; t--) { /* children come after their parents */
        top[t] = -1;
        alpha[t] = 0;
        if (s->node[t].kind == SMR_SPLIT_LEAF || s->node[t].n_children < 2) continue;
        link_of(s, &h, t, top, gain, leaves, alpha);
    }
    for (int64_t t = 0; t < s->n; t++) /* what is below a leaf has gone with it */
        for (int32_t c = 0; c < s->node[t].n_children; c++)
            alpha[s->node[t].child + c] = smr_fmin(alpha[s->node[t].child + c], alpha[t]);
    for (int64_t t = 0; t < s->n; t++) alpha[t] /= s->node[0].cover;
out:
    smr_free(h.left);
    smr_free(h.right);
    smr_free(h.rank);
    smr_free(top);
    smr_free(gain);
    smr_free(leaves);
    return st;
}

void smr_tree_prune_at(smr_tree_grown *grown, const double *node_alpha, double alpha)
{
    smr_sapling *s = &grown->sapling;
    for (int64_t t = 0; t < s->n; t++) {
        if (node_alpha[t] > alpha) continue;
        s->node[t].kind = SMR_SPLIT_LEAF;
        s->node[t].n_children = 0;
        s->node[t].gain = 0;
    }
}

/* ---- the sequence ---- */

/* Penalties that differ by rounding are one. */
static bool is_new(double alpha, double last)
{
    return alpha > last + 1e-12 * (fabs(last) + 1e-300) && alpha > 1e-15;
}

static smr_status write_path(smr_ctx *ctx, const smr_tree_grown *grown, const double *node_alpha,
                             struct smr_tree_state *state)
{
    smr_status st = SMR_OK;
    const smr_sapling *s = &grown->sapling;
    int64_t *order = NULL, n = 1;
    double leaves = 1, kept = 0, last = 0;
    TRY_NEW(order, s->n);
    TRY(smr_argsort_f64(ctx, s->n, node_alpha, order));
    for (int64_t e = 0; e < s->n; e++) {
        n += is_new(node_alpha[order[e]], last);
        last = smr_fmax(last, node_alpha[order[e]]);
    }
    state->n_path = n;
    TRY_NEW(state->path_alpha, n);
    TRY_NEW(state->path_leaves, n);
    TRY_NEW(state->path_impurity, n);
    for (int64_t e = s->n - 1; e >= 0; e--) { /* from the root's own penalty down */
        double alpha = node_alpha[order[e]];
        bool ends = e == s->n - 1 || is_new(node_alpha[order[e + 1]], alpha);
        if (ends) {
            n--;
            state->path_alpha[n] = alpha > 1e-15 ? alpha : 0;
            state->path_leaves[n] = leaves;
            double left = state->impurity - kept;
            state->path_impurity[n] = left > 1e-13 * state->impurity ? left : 0;
        }
        leaves += SMR_MAX(0, s->node[order[e]].n_children - 1);
        kept += s->node[order[e]].gain / s->node[0].cover;
        if (alpha <= 1e-15) break;
    }
out:
    smr_free(order);
    return st;
}

/* ---- cross-validation ---- */

struct judging {
    const smr_tree_plan *plan;
    int64_t n;       /* trees of the sequence                          */
    double *at;      /* n: the penalties at which fold trees are pruned */
    double *loss;    /* n + 1: sums of loss, as differences             */
    double *squares; /* n + 1: of its squares                           */
    double weight;
};

/* The first tree whose penalty is not below alpha. */
static int64_t first_from(const struct judging *j, double alpha)
{
    int64_t lo = 0, hi = j->n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (j->at[mid] >= alpha)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* A row goes down; where it ends depends on the penalty. */
static void judge_row(struct judging *j, const smr_tree_grown *grown, const double *node_alpha,
                      int64_t row)
{
    const smr_sapling *s = &grown->sapling;
    double w = (double)j->plan->target->w[row];
    int64_t hi = j->n;
    for (int32_t at = 0;; at = smr_tree_step(j->plan, grown, at, row)) {
        bool leaf = s->node[at].kind == SMR_SPLIT_LEAF;
        int64_t lo = leaf ? 0 : first_from(j, node_alpha[at]);
        if (lo < hi) {
            double loss = smr_tree_loss(j->plan, s->value + at * s->width, row);
            j->loss[lo] += w * loss;
            j->loss[hi] -= w * loss;
            j->squares[lo] += w * loss * loss;
            j->squares[hi] -= w * loss * loss;
        }
        hi = SMR_MIN(lo, hi);
        if (leaf) break;
    }
    j->weight += w;
}

static smr_status judge_fold(smr_ctx *ctx, struct judging *j, const smr_parts *parts, int64_t fold,
                             const int32_t *row, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_grown grown = {0};
    double *node_alpha = NULL;
    int64_t *others = NULL;
    int32_t *train = NULL;
    TRY_NEW(others, n);
    TRY_NEW(train, n);
    int64_t n_train = smr_parts_without(parts, fold, others);
    for (int64_t i = 0; i < n_train; i++) train[i] = row[others[i]];
    TRY(smr_tree_grow(ctx, j->plan, train, n_train, &grown));
    TRY_NEW(node_alpha, grown.sapling.n);
    TRY(smr_tree_weakest_links(ctx, j->plan, &grown, node_alpha));
    for (int64_t i = 0; i < smr_part_size(parts, fold); i++)
        judge_row(j, &grown, node_alpha, row[smr_part_rows(parts, fold)[i]]);
out:
    smr_free(others);
    smr_free(train);
    smr_free(node_alpha);
    smr_tree_grown_release(&grown);
    return st;
}

static smr_status make_folds(smr_ctx *ctx, const smr_tree_plan *plan, const smr_data *data,
                             const int32_t *row, int64_t n, smr_parts *parts)
{
    smr_status st = SMR_OK;
    int32_t *label = NULL;
    int64_t *group = NULL;
    TRY_NEW(label, n);
    TRY_NEW(group, n);
    for (int64_t i = 0; i < n; i++) {
        if (data->label) label[i] = data->label[row[i]];
        if (data->group) group[i] = data->group[row[i]];
    }
    smr_split_rows of = {.n = n,
                         .label = plan->target->n_classes > 0 ? label : NULL,
                         .n_classes = plan->target->n_classes,
                         .classes = data->classes,
                         .group = data->group ? group : NULL,
                         .seed = ctx->seed};
    TRY(smr_split_folds(ctx, &of, SMR_MIN(plan->params->folds, n), parts));
out:
    smr_free(label);
    smr_free(group);
    return st;
}

static void sum_up(struct judging *j, double scale, struct smr_tree_state *state)
{
    double loss = 0, squares = 0, rows = j->weight / scale;
    for (int64_t i = 0; i < j->n; i++) {
        loss += j->loss[i];
        squares += j->squares[i];
        double mean = loss / j->weight;
        state->path_error[i] = smr_fmax(0, mean);
        state->path_se[i] = sqrt(smr_fmax(0, squares / j->weight - mean * mean) / rows);
    }
}

/* Among equal errors the simpler tree, and the simplest within a standard error. */
static int64_t choose(const struct smr_tree_state *s, bool one_se)
{
    int64_t best = 0;
    for (int64_t i = 1; i < s->n_path; i++)
        if (s->path_error[i] <= s->path_error[best] * (1 + 1e-12)) best = i;
    double limit = s->path_error[best] + (one_se ? s->path_se[best] : 0);
    for (int64_t i = s->n_path - 1; i > best; i--)
        if (s->path_error[i] <= limit) return i;
    return best;
}

static smr_status cross_validate(smr_ctx *ctx, const smr_tree_plan *plan, const smr_data *data,
                                 const int32_t *row, int64_t n, struct smr_tree_state *state)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    struct judging j = {.plan = plan, .n = state->n_path};
    static const char what[] = "cross-validating";
    smr_span span = {0};
    TRY_NEW(j.at, j.n);
    TRY_NEW(j.loss, j.n + 1);
    TRY_NEW(j.squares, j.n + 1);
    TRY_NEW(state->path_error, j.n);
    TRY_NEW(state->path_se, j.n);
    for (int64_t i = 0; i < j.n; i++)
        j.at[i] = i + 1 < j.n ? sqrt(state->path_alpha[i] * state->path_alpha[i + 1]) : INFINITY;
    TRY(make_folds(ctx, plan, data, row, n, &parts));
    smr_span_open(ctx, &span, what, parts.n_parts);
    for (int64_t f = 0; f < parts.n_parts; f++) {
        TRY(smr_span_at(ctx, &span, f, NAN));
        TRY(judge_fold(ctx, &j, &parts, f, row, n));
    }
    sum_up(&j, plan->target->scale, state);
    state->alpha = state->path_alpha[choose(state, plan->params->one_se)];
out:
    smr_span_close(ctx, &span);
    smr_parts_release(&parts);
    smr_free(j.at);
    smr_free(j.loss);
    smr_free(j.squares);
    return st;
}

smr_status smr_tree_prune_cost(smr_ctx *ctx, const smr_tree_plan *plan, const smr_data *data,
                               const int32_t *row, int64_t n, smr_tree_grown *grown,
                               struct smr_tree_state *state)
{
    smr_status st = SMR_OK;
    double *node_alpha = NULL;
    TRY_NEW(node_alpha, grown->sapling.n);
    TRY(smr_tree_weakest_links(ctx, plan, grown, node_alpha));
    TRY(write_path(ctx, grown, node_alpha, state));
    state->alpha = smr_fmax(0, plan->params->alpha);
    if (plan->params->alpha < 0 && n > 1) TRY(cross_validate(ctx, plan, data, row, n, state));
    smr_tree_prune_at(grown, node_alpha, state->alpha * (1 + 1e-12));
out:
    smr_free(node_alpha);
    return st;
}
