/* tree_count.c -- histograms: for each narrow feature and code the tally of the node's rows.
 *
 * One lane counts a feature, over the rows in their order.  Counts are whole numbers, so that the
 * histogram of the larger child is its parent's less that of the smaller, without rounding. */
#include "learn/trees/tree_parts.h"

#include <string.h>

enum { MOST_BYTES = 256 << 20, TASK_VALUES = 1 << 15 };

int64_t smr_tree_cells(const smr_tree_plan *plan)
{
    int64_t cells = plan->codes->first_cell[plan->codes->d] * plan->target->width;
    if (plan->criterion == SMR_TREE_ABSOLUTE || plan->params->missing == SMR_TREE_FRACTION)
        return 0;
    return cells > MOST_BYTES / (int64_t)sizeof(int64_t) ? 0 : cells;
}

bool smr_tree_is_dense(const smr_tree_plan *plan, int64_t n, const int32_t *active,
                       int64_t n_active)
{
    const smr_tree_codes *codes = plan->codes;
    int64_t cells = 0, narrow = 0;
    for (int64_t a = 0; a < n_active; a++) {
        if (codes->wide[active[a]]) continue;
        cells += codes->n_codes[active[a]] + 1;
        narrow++;
    }
    bool quick = plan->criterion == SMR_TREE_GINI && plan->target->is_unit; /* tree_gini.c */
    return narrow > 0 && (quick ? 1 : 4) * n * narrow >= cells * plan->target->width;
}

static void count_classes(const smr_tree_counting *c, const uint8_t *code, int64_t *cell)
{
    const smr_tree_target *t = c->plan->target;
    int64_t width = t->width;
    if (t->is_unit) {
        const int32_t *row = c->row, *label = t->label;
        for (int64_t i = 0, n = c->n; i < n; i++) cell[code[row[i]] * width + label[row[i]]]++;
        return;
    }
    for (int64_t i = 0; i < c->n; i++) {
        int64_t row = c->row[i];
        cell[code[row] * width + t->label[row]] += t->w[row];
    }
}

static void count_numbers(const smr_tree_counting *c, const uint8_t *code, int64_t *cell)
{
    const smr_tree_target *t = c->plan->target;
    int64_t q = t->n_outputs;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t row = c->row[i], *at = cell + code[row] * (1 + q);
        at[0] += t->w[row];
        for (int64_t k = 0; k < q; k++) at[1 + k] += t->wy[row * q + k];
    }
}

static int64_t features_a_task(const smr_tree_counting *c)
{
    return SMR_MAX(1, TASK_VALUES / SMR_MAX(1, c->n));
}

static smr_status count_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const smr_tree_counting *c = arg;
    const smr_tree_codes *codes = c->plan->codes;
    int64_t width = c->plan->target->width, block = features_a_task(c);
    int64_t end = smr_block_end(c->n_active, block, task);
    (void)ctx, (void)lane;
    for (int64_t a = task * block; a < end; a++) {
        int64_t j = c->active[a], at = codes->first_cell[j] * width;
        int64_t n = (codes->n_codes[j] + 1) * width;
        const uint8_t *code = codes->narrow[j];
        if (!code) continue;
        memset(c->cells + at, 0, (size_t)n * sizeof *c->cells);
        if (c->plan->target->n_classes > 0)
            count_classes(c, code, c->cells + at);
        else
            count_numbers(c, code, c->cells + at);
        for (int64_t k = 0; k < n && c->from; k++) c->from[at + k] -= c->cells[at + k];
    }
    return SMR_OK;
}

smr_tree_work smr_tree_count(smr_tree_counting *c)
{
    return (smr_tree_work){count_block, c, smr_block_count(c->n_active, features_a_task(c))};
}
