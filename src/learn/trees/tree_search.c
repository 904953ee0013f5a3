/* tree_search.c -- the best split of a node: every feature that may differ is searched, each by one
 * lane, and the best is chosen in the order of the features.
 *
 * Of equal gains the lower feature is taken, or with ties=random the one that the node draws.  By
 * gain ratio (C4.5) each feature's split is the one of largest gain, and among the features whose
 * gain is at least the mean of all gains the largest gain / split information is taken. */
#include "learn/trees/tree_parts.h"

#include "core/rng.h"

#include <math.h>

enum { PARALLEL_VALUES = 1 << 15, TASK_VALUES = 1 << 13 };

/* A category with more levels is tried only where a node has at least as many rows as a set of them
 * has words: else the sets of a deep tree would be larger than the data. */
enum { MANY_LEVELS = 1024 };

/* ---- memory of a lane ---- */

smr_status smr_tree_scratch_make(smr_ctx *ctx, const smr_tree_plan *plan, int64_t room,
                                 smr_tree_scratch *s)
{
    smr_status st = SMR_OK;
    int64_t width = plan->target->width;
    *s = (smr_tree_scratch){.room = room};
    s->key = smr_alloc_raw(ctx, room, sizeof *s->key);
    s->spare = smr_alloc_raw(ctx, room, sizeof *s->spare);
    if (!s->key || !s->spare) TRY(SMR_ERR_NOMEM);
    TRY_NEW(s->left, width);
    TRY_NEW(s->right, width);
    TRY_NEW(s->gone, width);
    TRY_NEW(s->a, width);
    TRY_NEW(s->b, width);
    TRY_NEW(s->zeros, width);
    if (plan->criterion == SMR_TREE_ABSOLUTE) {
        TRY_NEW(s->cost, 2 * room);
        TRY_NEW(s->sum_wy, room + 1);
        TRY_NEW(s->sum_w, room + 1);
    }
out:
    if (st != SMR_OK) smr_tree_scratch_release(s);
    return st;
}

static void release_groups(smr_tree_scratch *s)
{
    smr_free(s->groups);
    smr_free(s->group_weight);
    smr_free(s->group_code);
    smr_free(s->group_key);
    smr_free(s->group_order);
    s->groups = s->group_weight = s->group_order = NULL;
    s->group_code = NULL;
    s->group_key = NULL;
    s->group_room = 0;
}

smr_status smr_tree_scratch_groups(smr_ctx *ctx, const smr_tree_plan *plan, int64_t n,
                                   smr_tree_scratch *s)
{
    smr_status st = SMR_OK;
    if (n <= s->group_room) return SMR_OK;
    release_groups(s);
    TRY_NEW(s->groups, n * plan->target->width);
    TRY_NEW(s->group_weight, n);
    TRY_NEW(s->group_code, n);
    TRY_NEW(s->group_key, n);
    TRY_NEW(s->group_order, 2 * n);
    s->group_room = n;
out:
    return st;
}

void smr_tree_scratch_release(smr_tree_scratch *s)
{
    release_groups(s);
    smr_free(s->key);
    smr_free(s->spare);
    smr_free(s->left);
    smr_free(s->right);
    smr_free(s->gone);
    smr_free(s->a);
    smr_free(s->b);
    smr_free(s->zeros);
    smr_free(s->cost);
    smr_free(s->sum_wy);
    smr_free(s->sum_w);
    *s = (smr_tree_scratch){0};
}

/* ---- one feature, all features ---- */

smr_status smr_tree_search_feature(smr_ctx *ctx, const smr_tree_plan *plan,
                                   const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                   smr_tree_pick *pick)
{
    *pick = (smr_tree_pick){.gain = -INFINITY, .feature = (int32_t)j};
    if (plan->codes->sparse) {
        smr_tree_scan_sparse(plan, rows, j, s, pick);
        return SMR_OK;
    }
    int64_t levels = plan->codes->is_category[j] ? plan->codes->n_levels[j] : 0;
    if (levels > MANY_LEVELS && rows->n < levels / 32) return SMR_OK;
    if (plan->criterion == SMR_TREE_ABSOLUTE)
        return smr_tree_scan_absolute(ctx, plan, rows, j, s, pick);
    if (plan->codes->is_category[j]) return smr_tree_scan_category(ctx, plan, rows, j, s, pick);
    bool by_cells = rows->cells && !plan->codes->wide[j];
    if (by_cells
            ? smr_tree_gini_cells(plan, rows, j, s, pick)
            : smr_tree_gini_rows(plan, rows, j, s, pick) || smr_tree_gini_pair(plan, rows, j, pick))
        return SMR_OK;
    if (by_cells)
        smr_tree_scan_cells(plan, rows, j, s, pick);
    else
        smr_tree_scan_keys(plan, rows, j, smr_tree_keys(plan, rows, j, s), s, pick);
    return SMR_OK;
}

struct searching {
    const smr_tree_plan *plan;
    const smr_tree_node_rows *rows;
    smr_tree_scratch *lanes;
    smr_tree_pick *picks;
    int64_t block;
};

static smr_status search_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct searching *s = arg;
    smr_status st = SMR_OK;
    int64_t end = smr_block_end(s->rows->n_active, s->block, task);
    for (int64_t a = task * s->block; a < end; a++)
        TRY(smr_tree_search_feature(ctx, s->plan, s->rows, s->rows->active[a], &s->lanes[lane],
                                    &s->picks[a]));
out:
    return st;
}

smr_status smr_tree_search(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                           smr_tree_scratch *lanes, smr_tree_pick *picks)
{
    struct searching s = {plan, rows, lanes, picks, 1};
    if (rows->n * rows->n_active < PARALLEL_VALUES) {
        s.block = SMR_MAX(1, rows->n_active);
        return rows->n_active > 0 ? search_block(ctx, &s, 0, 0) : SMR_OK;
    }
    s.block = SMR_MAX(1, TASK_VALUES / rows->n);
    return smr_parallel(ctx, NULL, smr_block_count(rows->n_active, s.block), search_block, &s);
}

/* ---- all features of several nodes ---- */

/* Features turn[first ..) of a node, as numbers in its list. */
struct some {
    int64_t node, first, n;
};

struct searching_all {
    const smr_tree_plan *plan;
    const smr_tree_searching *of;
    smr_tree_scratch *lanes;
    struct some *task;
    int32_t *turn;
    int64_t n_tasks, n_turns;
};

static smr_status search_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct searching_all *s = arg;
    smr_status st = SMR_OK;
    const struct some *some = &s->task[task];
    const smr_tree_searching *of = &s->of[some->node];
    for (int64_t i = some->first; i < some->first + some->n; i++) {
        int32_t a = s->turn[i];
        TRY(smr_tree_search_feature(ctx, s->plan, of->rows, of->rows->active[a], &s->lanes[lane],
                                    &of->picks[a]));
    }
out:
    return st;
}

/* The features of a node that are searched row by row, each a task; or those that are not, as many
 * to a task as have TASK_VALUES values. */
static void add_tasks(struct searching_all *s, int64_t node, bool by_rows)
{
    const smr_tree_node_rows *rows = s->of[node].rows;
    int64_t most = by_rows ? 1 : SMR_MAX(1, TASK_VALUES / rows->n);
    struct some now = {node, s->n_turns, 0};
    for (int64_t a = 0; a < rows->n_active; a++) {
        bool is_by_rows = !rows->cells || s->plan->codes->wide[rows->active[a]];
        if (is_by_rows != by_rows) continue;
        s->turn[s->n_turns++] = (int32_t)a;
        if (++now.n < most) continue;
        s->task[s->n_tasks++] = now;
        now = (struct some){node, s->n_turns, 0};
    }
    if (now.n > 0) s->task[s->n_tasks++] = now;
}

/* The long tasks first: no thread waits long for another. */
smr_status smr_tree_search_all(smr_ctx *ctx, const smr_tree_plan *plan,
                               const smr_tree_searching *of, int64_t n, smr_tree_scratch *lanes)
{
    smr_status st = SMR_OK;
    struct searching_all s = {.plan = plan, .of = of, .lanes = lanes};
    int64_t n_features = 0;
    for (int64_t i = 0; i < n; i++) n_features += of[i].rows->n_active;
    TRY_NEW(s.turn, SMR_MAX(1, n_features));
    TRY_NEW(s.task, SMR_MAX(1, n_features));
    for (int64_t i = 0; i < n; i++) add_tasks(&s, i, true);
    for (int64_t i = 0; i < n; i++) add_tasks(&s, i, false);
    TRY(smr_parallel(ctx, NULL, s.n_tasks, search_some, &s));
out:
    smr_free(s.task);
    smr_free(s.turn);
    return st;
}

/* ---- the best ---- */

uint64_t smr_tree_child_key(const smr_tree_plan *plan, uint64_t key, int64_t child)
{
    if (plan->params->ties == SMR_TREE_TIES_FIRST) return key;
    return smr_random_bits(plan->seed, SMR_STREAM_EQUALS, key, 2 * (uint64_t)child);
}

bool smr_tree_prefers(const smr_tree_plan *plan, uint64_t key, int64_t a, int64_t b)
{
    if (plan->params->ties == SMR_TREE_TIES_FIRST) return a < b;
    uint64_t of_a = smr_random_bits(plan->seed, SMR_STREAM_EQUALS, key, 2 * (uint64_t)a + 1);
    uint64_t of_b = smr_random_bits(plan->seed, SMR_STREAM_EQUALS, key, 2 * (uint64_t)b + 1);
    return of_a < of_b || (of_a == of_b && a < b);
}

static bool is_drawn(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t a,
                     int64_t b)
{
    return smr_tree_prefers(plan, rows->key, rows->active[a], rows->active[b]);
}

static int64_t choose_by_ratio(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                               const smr_tree_pick *picks)
{
    double sum = 0, best_ratio = -INFINITY;
    int64_t n = 0, best = -1;
    for (int64_t a = 0; a < rows->n_active; a++) {
        if (picks[a].gain == -INFINITY) continue;
        sum += picks[a].gain;
        n++;
    }
    double enough = n ? sum / (double)n : 0;
    enough -= 1e-9 * fabs(enough) + 1e-12 * (double)rows->weight; /* equal gains are enough */
    for (int64_t a = 0; a < rows->n_active; a++) {
        const smr_tree_pick *p = &picks[a];
        if (p->gain == -INFINITY || p->gain < enough) continue;
        double ratio = p->info > 0 ? p->gain / p->info : 0;
        if (ratio < best_ratio) continue;
        if (ratio > best_ratio || is_drawn(plan, rows, a, best)) best = a;
        best_ratio = ratio;
    }
    return best;
}

int64_t smr_tree_choose(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                        const smr_tree_pick *picks)
{
    int64_t best = -1;
    if (plan->criterion == SMR_TREE_GAIN_RATIO) return choose_by_ratio(plan, rows, picks);
    double most = -INFINITY;
    for (int64_t a = 0; a < rows->n_active; a++) {
        if (picks[a].gain == -INFINITY || picks[a].gain < most) continue;
        if (picks[a].gain > most || is_drawn(plan, rows, a, best)) best = a;
        most = picks[a].gain;
    }
    return best;
}
