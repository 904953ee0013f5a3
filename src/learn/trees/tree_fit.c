/* tree_fit.c -- training of tree and stump: codes, targets, growing, pruning, the model. */
#include "learn/trees/tree_sparse.h"

#include "data/row_subset.h"
#include "data/split.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static const char *name_of(int criterion)
{
    return smr_tree_criteria[criterion].name;
}

/* The criterion for the task; the pruning must suit it too. */
static smr_status choose_criterion(smr_ctx *ctx, const char *name, const struct smr_tree_params *p,
                                   smr_task task, int *out)
{
    bool classify = task == SMR_TASK_CLASSIFY;
    if (task != SMR_TASK_CLASSIFY && task != SMR_TASK_REGRESS)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: there is no target to learn; name its column",
                        name);
    *out = p->criterion != SMR_TREE_AUTO ? p->criterion
           : classify                    ? SMR_TREE_GINI
                                         : SMR_TREE_SQUARED;
    if (classify != (*out < SMR_TREE_SQUARED))
        return smr_fail(
            ctx, SMR_ERR_PARAM, "%s: criterion=%s is for %s, and the target has %s; use %s", name,
            name_of(*out), classify ? "numbers" : "classes", classify ? "classes" : "numbers",
            classify ? "gini, entropy, error or gain_ratio" : "squared or absolute");
    if (!classify && p->prune == SMR_TREE_PESSIMISTIC)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: prune=pessimistic is for classes, and the target has numbers; use "
                        "prune=cost or prune=reduced",
                        name);
    return SMR_OK;
}

/* ---- rows ---- */

/* Rows of weight 0 do not count: neither thresholds nor bins may depend on them. */
static smr_status without_weightless(smr_ctx *ctx, const smr_data *data, smr_subset *subset)
{
    smr_status st = SMR_OK;
    int64_t *rows = NULL, n = 0;
    if (!data->weight) return SMR_OK;
    for (int64_t i = 0; i < data->n_rows; i++) n += smr_data_weight(data, i) > 0;
    if (n == 0 || n == data->n_rows || data->shared) return SMR_OK;
    TRY_NEW(rows, n);
    n = 0;
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) rows[n++] = i;
    TRY(smr_subset_make(ctx, data, rows, n, NULL, subset));
out:
    smr_free(rows);
    return st;
}

/* rows[0, n_grow) to grow from, and those after them to prune with. */
static smr_status part_rows(smr_ctx *ctx, const struct smr_tree_params *p, const smr_data *data,
                            const smr_tree_target *t, int32_t **rows, int64_t *n, int64_t *n_grow)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    int32_t *all = NULL, *label = NULL;
    *n = 0;
    *rows = smr_alloc_raw(ctx, t->n, sizeof **rows);
    if (!*rows) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < t->n; i++) {
        (*rows)[*n] = (int32_t)i;
        *n += t->w[i] > 0;
    }
    *n_grow = *n;
    if (p->prune != SMR_TREE_REDUCED || *n < 2) goto out;
    TRY_NEW(all, t->n);
    TRY_NEW(label, t->n);
    memcpy(all, *rows, (size_t)*n * sizeof *all);
    for (int64_t i = 0; i < *n && t->n_classes > 0; i++) label[i] = t->label[all[i]];
    smr_split_rows of = {.n = *n,
                         .label = t->n_classes > 0 ? label : NULL,
                         .n_classes = t->n_classes,
                         .seed = ctx->seed};
    (void)data;
    TRY(smr_split_holdout(ctx, &of, &p->share, 1, &parts));
    for (int64_t i = 0; i < *n; i++) (*rows)[i] = all[parts.rows[i]];
    *n_grow = smr_part_size(&parts, 0);
out:
    smr_parts_release(&parts);
    smr_free(all);
    smr_free(label);
    return st;
}

/* ---- what the model reports ---- */

/* Impurity of all rows that the tree was grown from. */
static double impurity_of(const smr_tree_plan *plan, const smr_tree_grown *grown,
                          const int32_t *row, int64_t n)
{
    const smr_tree_target *t = plan->target;
    const double *value = grown->sapling.value;
    double sum = 0, weight = 0, most = 0;
    for (int64_t c = 0; c < t->n_classes; c++) {
        double p = value[c];
        most = smr_fmax(most, p);
        if (plan->criterion == SMR_TREE_GINI)
            sum += p * (1 - p);
        else if (p > 0)
            sum -= p * smr_log(p) / smr_log(2);
    }
    if (plan->criterion == SMR_TREE_ERROR) return 1 - most;
    if (t->n_classes > 0) return sum;
    for (int64_t i = 0; i < n; i++) {
        double w = (double)t->w[row[i]];
        sum += w * smr_tree_loss(plan, value, row[i]);
        weight += w;
    }
    return sum / weight;
}

static int64_t leaves_of(const smr_tree_grown *grown)
{
    int64_t leaves = 0;
    for (int64_t i = 0; i < grown->sapling.n; i++)
        leaves += grown->sapling.node[i].kind == SMR_SPLIT_LEAF;
    return leaves;
}

static smr_status keep(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_grown *grown,
                       struct smr_tree_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    double gained = 0;
    s->trees.width = s->trees.n_scores = plan->target->leaf_width;
    s->trees.is_shared = plan->params->missing == SMR_TREE_FRACTION;
    TRY(smr_trees_add(ctx, &s->trees, &grown->sapling, s->gain));
    for (int64_t j = 0; j < s->n_features; j++) gained += s->gain[j];
    report->objective = smr_fmax(0, s->impurity - gained / grown->sapling.node[0].cover);
    report->converged = true;
out:
    return st;
}

static smr_status grow_and_prune(smr_ctx *ctx, const smr_tree_plan *watched, const smr_data *data,
                                 struct smr_tree_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_tree_plan unwatched = *watched, *plan = &unwatched; /* trees of folds are not told */
    plan->trace = NULL;
    const struct smr_tree_params *p = plan->params;
    smr_tree_grown grown = {0};
    int32_t *rows = NULL;
    int64_t n = 0, n_grow = 0;
    TRY(part_rows(ctx, p, data, plan->target, &rows, &n, &n_grow));
    TRY(smr_tree_grow(ctx, watched, rows, n_grow, &grown));
    s->grown_leaves = leaves_of(&grown);
    s->impurity = impurity_of(plan, &grown, rows, n_grow);
    if (p->prune == SMR_TREE_REDUCED)
        TRY(smr_tree_prune_reduced(ctx, plan, rows + n_grow, n - n_grow, &grown));
    if (p->prune == SMR_TREE_PESSIMISTIC)
        TRY(smr_tree_prune_pessimistic(ctx, plan, p->confidence, &grown));
    if (p->prune == SMR_TREE_COST) TRY(smr_tree_prune_cost(ctx, plan, data, rows, n, &grown, s));
    TRY(keep(ctx, plan, &grown, s, report));
out:
    smr_tree_grown_release(&grown);
    smr_free(rows);
    return st;
}

smr_status smr_tree_fit(smr_ctx *ctx, const struct smr_tree_params *params, const smr_data *data,
                        struct smr_tree_state *s, smr_fit_report *report)
{
    const char *name = report->learner->word->name;
    smr_status st = SMR_OK;
    smr_subset subset = {0};
    const smr_tree_codes *codes = NULL;
    smr_tree_codes *own = NULL;
    smr_tree_target target = {0};
    smr_tree_plan plan = {0};
    int criterion = 0;
    TRY(choose_criterion(ctx, name, params, data->task, &criterion));
    if (data->n_rows > SMR_MAX_DIM)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld rows are too many; the most are %lld", name,
                     (long long)data->n_rows, (long long)SMR_MAX_DIM));
    TRY(without_weightless(ctx, data, &subset));
    if (subset.rows) data = &subset.data;
    TRY(smr_tree_target_make(ctx, name, params, data, &target));
    TRY(smr_tree_codes_get(ctx, data, params->search,
                           smr_tree_sparse_serves(params, criterion, data), &codes, &own));
    TRY(smr_tree_plan_make(ctx, params, codes, &target, criterion, &plan));
    plan.trace = report->trace;
    s->n_features = data->n_features;
    s->n_classes = target.n_classes;
    s->n_outputs = target.n_outputs;
    s->criterion = criterion;
    s->n_rounded = codes->n_rounded;
    TRY_NEW(s->gain, s->n_features);
    TRY(grow_and_prune(ctx, &plan, data, s, report));
out:
    smr_tree_plan_release(&plan);
    smr_tree_target_release(&target);
    smr_tree_codes_free(own);
    smr_subset_release(&subset);
    return st;
}
