/* tree_node.c -- one node: its rows gathered, its answer, its best split. */
#include "learn/trees/tree_grow.h"

#include "core/sort.h"
#include "learn/trace.h"
#include "learn/trees/tree_score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GATHERED = 4096 }; /* rows of a task */

void smr_tree_waiting_release(smr_tree_waiting *w)
{
    if (w->w) smr_free(w->row);
    smr_free(w->w);
    smr_free(w->active);
    smr_free(w->cells);
    *w = (smr_tree_waiting){0};
}

/* ---- memory ---- */

smr_status smr_tree_engine_make(smr_ctx *ctx, const smr_tree_plan *plan, int64_t rows_room,
                                int n_lanes, smr_tree_engine *e)
{
    smr_status st = SMR_OK;
    const smr_tree_target *t = plan->target;
    *e = (smr_tree_engine){.plan = plan, .home = e};
    if (t->n_classes > 0) TRY_NEW(e->label, rows_room);
    TRY_NEW(e->side, rows_room);
    TRY_NEW(e->spare, rows_room);
    TRY_NEW(e->w, rows_room);
    TRY_NEW(e->wy, rows_room * (t->n_classes == 2 ? 1 : t->n_outputs));
    TRY_NEW(e->total, t->width);
    TRY_NEW(e->center, SMR_MAX(1, t->n_outputs));
    TRY_NEW(e->picks, plan->codes->d);
    if (plan->codes->sparse) {
        TRY_NEW(e->place, plan->codes->n);
        for (int64_t i = 0; i < plan->codes->n; i++) e->place[i] = -1;
    }
    if (plan->criterion == SMR_TREE_ABSOLUTE) {
        TRY_NEW(e->y_rank, rows_room * t->n_outputs);
        TRY_NEW(e->y_sorted, rows_room * t->n_outputs);
        TRY_NEW(e->y, rows_room);
        TRY_NEW(e->y_order, rows_room);
    }
    TRY_NEW(e->lanes, n_lanes);
    for (; e->n_lanes < n_lanes; e->n_lanes++)
        TRY(smr_tree_scratch_make(ctx, plan, rows_room, &e->lanes[e->n_lanes]));
out:
    return st;
}

void smr_tree_engine_release(smr_tree_engine *e)
{
    for (int64_t i = 0; i < e->n; i++) smr_tree_waiting_release(&e->stack[i]);
    for (int64_t i = 0; i < e->n_later; i++) smr_tree_waiting_release(&e->later[i]);
    for (int i = 0; i < e->n_lanes; i++) smr_tree_scratch_release(&e->lanes[i]);
    for (int i = 0; i < e->n_free; i++) smr_free(e->free_cells[i]);
    smr_free(e->stack);
    smr_free(e->later);
    smr_free(e->lanes);
    smr_free(e->label);
    smr_free(e->side);
    smr_free(e->spare);
    smr_free(e->w);
    smr_free(e->wy);
    smr_free(e->total);
    smr_free(e->center);
    smr_free(e->picks);
    smr_free(e->place);
    smr_free(e->y_rank);
    smr_free(e->y_sorted);
    smr_free(e->y);
    smr_free(e->y_order);
    smr_free(e->tallies);
    smr_free(e->count);
    *e = (smr_tree_engine){0};
}

int64_t *smr_tree_take_cells(smr_ctx *ctx, smr_tree_engine *at)
{
    smr_tree_engine *e = at->home;
    if (e->n_free > 0) return e->free_cells[--e->n_free];
    return smr_alloc_raw(ctx, smr_tree_cells(e->plan), sizeof(int64_t));
}

void smr_tree_give_cells(smr_tree_engine *at, int64_t **cells)
{
    smr_tree_engine *e = at->home;
    if (*cells && e->n_free < SMR_COUNT(e->free_cells))
        e->free_cells[e->n_free++] = *cells;
    else
        smr_free(*cells);
    *cells = NULL;
}

/* ---- rows ---- */

/* weight x target of a row that counts with weight w here. */
static int64_t share_of(const smr_tree_target *t, int64_t row, int64_t k, int64_t w)
{
    int64_t whole = t->wy[row * t->n_outputs + k];
    if (w == t->w[row]) return whole;
    return (int64_t)rint((double)whole * ((double)w / (double)t->w[row]));
}

static void add_row(const smr_tree_target *t, int64_t row, int64_t w, int64_t *tally)
{
    if (t->n_classes > 0) {
        tally[t->label[row]] += w;
        return;
    }
    tally[0] += w;
    for (int64_t k = 0; k < t->n_outputs; k++) tally[1 + k] += share_of(t, row, k, w);
}

static smr_status rank_targets(smr_ctx *ctx, smr_tree_engine *e)
{
    smr_status st = SMR_OK;
    int64_t n = e->at.n, q = e->plan->target->n_outputs;
    for (int64_t k = 0; k < q; k++) {
        for (int64_t i = 0; i < n; i++) e->y[i] = e->plan->target->y[e->at.row[i] * q + k];
        TRY(smr_argsort_f64(ctx, n, e->y, e->y_order));
        for (int64_t r = 0; r < n; r++) {
            e->y_rank[k * n + e->y_order[r]] = (int32_t)r;
            e->y_sorted[k * n + r] = e->y[e->y_order[r]];
        }
    }
out:
    return st;
}

/* The place of each row of the node in it.  Rows of the node before are still those that were
 * gathered then, in some order. */
static void place_rows(smr_tree_engine *e, const smr_tree_waiting *w)
{
    if (!e->place) return;
    for (int64_t i = 0; i < e->at.n; i++) e->place[e->at.row[i]] = -1;
    for (int64_t i = 0; i < w->n; i++) e->place[w->row[i]] = (int32_t)i;
}

/* total: blocks x width. */
static smr_status gather_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const smr_tree_desk *desk = arg;
    const smr_tree_engine *e = desk->e;
    const smr_tree_waiting *w = desk->w;
    const smr_tree_target *t = e->plan->target;
    int64_t q = t->n_outputs, end = smr_block_end(w->n, GATHERED, block);
    int64_t *total = desk->part + block * t->width;
    (void)ctx, (void)lane;
    for (int64_t i = block * GATHERED; i < end; i++) {
        int64_t row = w->row[i], weight = w->w ? w->w[i] : t->w[row];
        e->w[i] = weight;
        if (t->n_classes > 0) e->label[i] = t->label[row];
        if (t->n_classes == 2) e->wy[i] = t->label[row] ? -weight : weight;
        for (int64_t k = 0; k < q; k++) e->wy[i * q + k] = share_of(t, row, k, weight);
        add_row(t, row, weight, total);
    }
    return SMR_OK;
}

/* The rows of the nodes, and their e->total. */
static smr_status gather_rows(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_work work[SMR_TREE_DESKS] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t n_blocks = smr_block_count(desk[i].w->n, GATHERED);
        desk[i].part = NULL;
        TRY_NEW(desk[i].part, n_blocks * desk[i].e->plan->target->width);
        work[i] = (smr_tree_work){gather_block, &desk[i], n_blocks};
    }
    TRY(smr_tree_run(ctx, work, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t width = desk[i].e->plan->target->width;
        for (int64_t k = 0; k < work[i].n_tasks * width; k++)
            desk[i].e->total[k % width] += desk[i].part[k];
    }
out:
    for (int64_t i = 0; i < n; i++) {
        smr_free(desk[i].part);
        desk[i].part = NULL;
    }
    return st;
}

/* What is known of a node when its rows are gathered. */
static smr_status end_gather(smr_ctx *ctx, smr_tree_engine *e, const smr_tree_waiting *w)
{
    smr_status st = SMR_OK;
    const smr_tree_plan *plan = e->plan;
    const smr_tree_target *t = plan->target;
    int64_t q = t->n_outputs;
    int64_t weight = smr_tree_weight(t, e->total);
    for (int64_t k = 0; k < q; k++) e->center[k] = e->total[1 + k] / weight;
    e->at = (smr_tree_node_rows){.n = w->n,
                                 .weight = weight,
                                 .row = w->row,
                                 .place = e->place,
                                 .label = e->label,
                                 .w = e->w,
                                 .wy = e->wy,
                                 .total = e->total,
                                 .center = e->center,
                                 .active = w->active,
                                 .n_active = w->n_active,
                                 .y_rank = e->y_rank,
                                 .y_sorted = e->y_sorted};
    e->at.key = w->key;
    e->at.is_root = w->depth == 0 && !w->w && w->n == plan->codes->n;
    if (plan->criterion == SMR_TREE_ABSOLUTE) {
        TRY(rank_targets(ctx, e));
        e->at.good = -smr_tree_absolute(plan, &e->at, &e->lanes[0]);
    } else {
        e->at.good = smr_tree_good(plan, e->total, weight, e->center, false);
    }
out:
    return st;
}

smr_status smr_tree_gather(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < n; i++) {
        smr_tree_engine *e = desk[i].e;
        place_rows(e, desk[i].w);
        memset(e->total, 0, (size_t)e->plan->target->width * sizeof *e->total);
    }
    if (n == 1 && desk->w->n <= GATHERED) {
        desk->part = desk->e->total;
        TRY(gather_block(ctx, desk, 0, 0));
        desk->part = NULL;
    } else {
        TRY(gather_rows(ctx, desk, n));
    }
    for (int64_t i = 0; i < n; i++) TRY(end_gather(ctx, desk[i].e, desk[i].w));
out:
    return st;
}

/* ---- answers ---- */

/* The weighted median; between two values where half the weight is on either side. */
static smr_status median(smr_ctx *ctx, const smr_tree_target *t, const int32_t *row,
                         const int64_t *w, int64_t n, int64_t k, double *out)
{
    smr_status st = SMR_OK;
    double *y = NULL;
    int64_t *order = NULL, total = 0, sum = 0;
    TRY_NEW(y, n);
    TRY_NEW(order, n);
    for (int64_t i = 0; i < n; i++) {
        y[i] = t->y[row[i] * t->n_outputs + k];
        total += w ? w[i] : t->w[row[i]];
    }
    TRY(smr_argsort_f64(ctx, n, y, order));
    for (int64_t e = 0; e < n; e++) {
        sum += w ? w[order[e]] : t->w[row[order[e]]];
        *out = y[order[e]];
        if (2 * sum < total) continue;
        if (2 * sum == total && e + 1 < n) *out = *out / 2 + y[order[e + 1]] / 2;
        break;
    }
out:
    smr_free(order);
    smr_free(y);
    return st;
}

/* Weights as they were given: the scale is a power of two, and loses no bits. */
static double mean(const smr_tree_target *t, const int32_t *row, const int64_t *w, int64_t n,
                   int64_t k)
{
    double first = t->y[row[0] * t->n_outputs + k], sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        double weight = (double)(w ? w[i] : t->w[row[i]]) / t->scale;
        sum += weight * (t->y[row[i] * t->n_outputs + k] - first);
        total += weight;
    }
    return first + sum / total;
}

static bool targets_are_equal(const smr_tree_target *t, const int32_t *row, int64_t n)
{
    int64_t q = t->n_outputs;
    for (int64_t i = 1; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            if (t->y[row[i] * q + k] != t->y[row[0] * q + k]) return false;
    return true;
}

static bool classes_are_equal(const smr_tree_target *t, const int64_t *tally)
{
    int64_t present = 0;
    for (int64_t c = 0; c < t->n_classes; c++) present += tally[c] > 0;
    return present < 2;
}

smr_status smr_tree_settle(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_share *share,
                           smr_tree_grown *grown, int32_t node, bool *stops)
{
    smr_status st = SMR_OK;
    const smr_tree_target *t = plan->target;
    const int32_t *row = share->row;
    const int64_t *w = share->w, *known = share->tally, n = share->n;
    double *value = grown->sapling.value + node * t->leaf_width;
    int64_t few[16], *tally = few, weight;
    if (t->width > SMR_COUNT(few)) TRY_NEW(tally, t->width);
    memset(tally, 0, (size_t)t->width * sizeof *tally);
    if (known) memcpy(tally, known, (size_t)t->width * sizeof *tally);
    for (int64_t i = 0; i < n && !known; i++) add_row(t, row[i], w ? w[i] : t->w[row[i]], tally);
    weight = smr_tree_weight(t, tally);
    for (int64_t c = 0; c < t->n_classes; c++) value[c] = (double)tally[c] / (double)weight;
    for (int64_t k = 0; k < t->n_outputs; k++) {
        value[k] = mean(t, row, w, n, k);
        if (plan->criterion == SMR_TREE_ABSOLUTE) TRY(median(ctx, t, row, w, n, k, &value[k]));
    }
    grown->sapling.node[node].cover = (double)weight / t->scale;
    *stops = (t->n_classes > 0 ? classes_are_equal(t, tally) : targets_are_equal(t, row, n)) ||
             weight < plan->min_split || weight < 2 * plan->min_leaf;
out:
    if (tally != few) smr_free(tally);
    return st;
}

/* ---- the best split ---- */

/* The features that differ here, in a block of their own with one holder. */
static smr_status keep_active(smr_ctx *ctx, smr_tree_engine *e, smr_tree_waiting *w)
{
    smr_status st = SMR_OK;
    int32_t *kept = NULL;
    int64_t n = 0;
    for (int64_t a = 0; a < w->n_active; a++) n += !e->picks[a].is_constant;
    if (n == w->n_active) return SMR_OK;
    TRY_NEW(kept, SMR_MAX(1, n));
    n = 0;
    for (int64_t a = 0; a < w->n_active; a++)
        if (!e->picks[a].is_constant) kept[n++] = w->active[a];
    smr_free(w->active);
    w->active = kept;
    w->n_active = n;
    e->at.active = kept;
    e->at.n_active = n;
out:
    return st;
}

/* What each feature could gain at a node, a share of its rows' weight. */
static void tell_node(const smr_tree_engine *e, int64_t best)
{
    const smr_tree_plan *plan = e->plan;
    smr_trace *trace = plan->trace;
    double gain[SMR_TRACE_NAMES], unit = smr_tree_unit(plan);
    double cover = (double)e->at.weight / plan->target->scale;
    int64_t n = 0;
    const char *feature = best < 0 ? "" : smr_trace_feature(trace, e->picks[best].feature);
    if (!smr_trace_step(trace, best < 0 ? "no question gains%s" : "ask about %s", feature)) return;
    smr_trace_number(trace, "rows", (double)e->at.n);
    smr_trace_text(trace, "chosen", "%s", feature);
    if (best >= 0 && e->picks[best].kind == SMR_SPLIT_CUT && !plan->codes->sparse) {
        const smr_tree_pick *p = &e->picks[best];
        int64_t code = p->after < 0 ? p->before
                                    : smr_tree_middle(plan->codes, p->feature, p->before, p->after);
        smr_trace_number(trace, "at", smr_tree_cut(plan->codes, p->feature, code));
    }
    smr_json *figure = smr_trace_figure(trace, "gains", "What each question would gain", false);
    smr_figure_axis(figure, "x", "gain", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "feature", "names"), "names");
    for (int64_t a = 0; a < e->at.n_active && n < SMR_TRACE_NAMES; a++) {
        char key[140];
        const char *name = smr_trace_feature(trace, e->picks[a].feature);
        gain[n] = e->picks[a].gain > 0 ? e->picks[a].gain * unit / cover : 0;
        snprintf(key, sizeof key, "gain(%.100s)", name);
        smr_trace_number(trace, key, gain[n++]);
        smr_json_add_string(names, NULL, name);
    }
    smr_figure_series(figure, "gain", "hbars", n, gain, NULL);
}

/* Histograms of those nodes that have none, where rows fill them. */
static smr_status count_nodes(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_counting counting[SMR_TREE_DESKS];
    smr_tree_work work[SMR_TREE_DESKS];
    int64_t n_work = 0;
    for (int64_t i = 0; i < n; i++) {
        const smr_tree_plan *plan = desk[i].e->plan;
        smr_tree_waiting *w = desk[i].w;
        if (w->cells || w->w || smr_tree_cells(plan) == 0 ||
            !smr_tree_is_dense(plan, w->n, w->active, w->n_active))
            continue;
        w->cells = smr_tree_take_cells(ctx, desk[i].e);
        if (!w->cells) TRY(SMR_ERR_NOMEM);
        counting[n_work] = (smr_tree_counting){.plan = plan,
                                               .row = w->row,
                                               .active = w->active,
                                               .n = w->n,
                                               .n_active = w->n_active,
                                               .cells = w->cells};
        work[n_work] = smr_tree_count(&counting[n_work]);
        n_work++;
    }
    if (n_work > 0) TRY(smr_tree_run(ctx, work, n_work));
out:
    return st;
}

static smr_status search_nodes(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_tree_searching of[SMR_TREE_DESKS];
    const smr_tree_engine *e = desk->e;
    for (int64_t i = 0; i < n; i++) {
        desk[i].e->at.cells = desk[i].w->cells;
        of[i] = (smr_tree_searching){&desk[i].e->at, desk[i].e->picks};
    }
    if (n == 1) return smr_tree_search(ctx, e->plan, &e->at, e->lanes, e->picks);
    return smr_tree_search_all(ctx, e->plan, of, n, e->lanes);
}

smr_status smr_tree_evaluate(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    TRY(count_nodes(ctx, desk, n));
    TRY(search_nodes(ctx, desk, n));
    for (int64_t i = 0; i < n; i++) {
        smr_tree_engine *e = desk[i].e;
        smr_tree_waiting *w = desk[i].w;
        int64_t best = smr_tree_choose(e->plan, &e->at, e->picks);
        w->pick = (smr_tree_pick){.gain = -INFINITY};
        if (best >= 0) w->pick = e->picks[best];
        if (e->plan->trace) tell_node(e, best);
        TRY(keep_active(ctx, e, w));
    }
out:
    return st;
}
