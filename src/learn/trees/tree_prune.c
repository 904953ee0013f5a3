/* tree_prune.c -- pruning by held-out rows, and by confidence limits of the errors.
 *
 * reduced (Quinlan 1987).  Rows that the tree was not grown from go down it.  From the leaves up, a
 * node becomes a leaf where the held-out loss of that leaf is not above the loss of what is below
 * it: errors of classes, squared or absolute errors of numbers.
 *
 * pessimistic (C4.5).  A leaf with weight N that errs on E is charged N times the upper limit of
 * the probability of error at the given confidence: the p with P(X <= E) = confidence for X
 * binomial with N and p.  A node becomes a leaf where its own charge is not above that of the
 * leaves below it by 0.1 rows.  Subtrees are replaced, not raised.
 *
 * References: Quinlan, Int. J. Man-Machine Studies 27 (1987); Quinlan, C4.5, 1993. */
#include "learn/trees/tree_parts.h"

#include "kernel/kernel.h"
#include "math/special.h"

#include <math.h>

static int64_t class_of(const smr_tree_plan *plan, const double *value)
{
    int64_t best = 0;
    for (int64_t c = 1; c < plan->target->n_classes; c++)
        if (value[c] > value[best]) best = c;
    return best;
}

double smr_tree_loss(const smr_tree_plan *plan, const double *value, int64_t row)
{
    const smr_tree_target *t = plan->target;
    double loss = 0;
    if (t->n_classes > 0) return class_of(plan, value) != t->label[row];
    for (int64_t k = 0; k < t->n_outputs; k++) {
        double gap = t->y[row * t->n_outputs + k] - value[k];
        loss += plan->criterion == SMR_TREE_ABSOLUTE ? fabs(gap) : gap * gap;
    }
    return loss;
}

static void make_leaf(smr_sprout *node)
{
    node->kind = SMR_SPLIT_LEAF;
    node->n_children = 0;
    node->gain = 0;
}

smr_status smr_tree_prune_reduced(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row,
                                  int64_t n, smr_tree_grown *grown)
{
    smr_status st = SMR_OK;
    smr_sapling *s = &grown->sapling;
    double *loss = NULL;
    TRY_NEW(loss, s->n);
    for (int64_t i = 0; i < n; i++) {
        int32_t at = 0;
        double w = (double)plan->target->w[row[i]];
        for (;;) {
            loss[at] += w * smr_tree_loss(plan, s->value + at * s->width, row[i]);
            if (s->node[at].kind == SMR_SPLIT_LEAF) break;
            at = smr_tree_step(plan, grown, at, row[i]);
        }
    }
    for (int64_t i = s->n - 1; i >= 0; i--) { /* children come after their parents */
        smr_sprout *node = &s->node[i];
        double below = 0;
        if (node->kind == SMR_SPLIT_LEAF) continue;
        for (int32_t c = 0; c < node->n_children; c++) below += loss[node->child + c];
        if (loss[i] <= below)
            make_leaf(node);
        else
            loss[i] = below;
    }
out:
    smr_free(loss);
    return st;
}

/* The p with P(X <= errors) = confidence, X binomial with n and p; by halving. */
static double upper_limit(double errors, double n, double confidence)
{
    double lo = 0, hi = 1;
    if (errors >= n) return 1;
    if (errors == 0) return -smr_expm1(smr_log(confidence) / n); /* (1 - p)^n = confidence */
    for (int k = 0; k < 50; k++) {
        double p = (lo + hi) / 2;
        if (smr_beta_upper(errors + 1, n - errors, p) > confidence)
            lo = p;
        else
            hi = p;
    }
    return (lo + hi) / 2;
}

smr_status smr_tree_prune_pessimistic(smr_ctx *ctx, const smr_tree_plan *plan, double confidence,
                                      smr_tree_grown *grown)
{
    smr_status st = SMR_OK;
    smr_sapling *s = &grown->sapling;
    double *charge = NULL;
    TRY_NEW(charge, s->n);
    for (int64_t i = s->n - 1; i >= 0; i--) {
        smr_sprout *node = &s->node[i];
        const double *value = s->value + i * s->width;
        double below = 0, errors = node->cover * (1 - value[class_of(plan, value)]);
        if (node->cover > 0)
            charge[i] = node->cover * upper_limit(smr_fmax(0, errors), node->cover, confidence);
        if (node->kind == SMR_SPLIT_LEAF) continue;
        for (int32_t c = 0; c < node->n_children; c++) below += charge[node->child + c];
        if (charge[i] <= below + 0.1)
            make_leaf(node);
        else
            charge[i] = below;
    }
out:
    smr_free(charge);
    return st;
}
