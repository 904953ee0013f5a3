/* tree_score.c -- the plan of a tree, units of its criterion, and the test of independence. */
#include "learn/trees/tree_score.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

enum { TABLE = 1 << 20 }; /* of x log x */

smr_status smr_tree_plan_make(smr_ctx *ctx, const struct smr_tree_params *params,
                              const smr_tree_codes *codes, const smr_tree_target *target,
                              int criterion, smr_tree_plan *out)
{
    smr_status st = SMR_OK;
    bool entropy = criterion == SMR_TREE_ENTROPY || criterion == SMR_TREE_GAIN_RATIO;
    *out =
        (smr_tree_plan){.params = params, .codes = codes, .target = target, .criterion = criterion};
    out->seed = ctx->seed;
    double least = ceil(params->min_leaf * target->scale * (1 - 1e-12));
    double split = ceil(params->min_split * target->scale * (1 - 1e-12));
    out->min_leaf = least < 1 ? 1 : least > 9e18 ? INT64_MAX / 4 : (int64_t)least;
    out->min_split = split < 1 ? 1 : split > 9e18 ? INT64_MAX / 4 : (int64_t)split;
    out->n_xlogx = entropy && target->is_small ? SMR_MIN(target->total + 1, TABLE) : 1;
    TRY_NEW(out->xlogx, out->n_xlogx); /* x log x of 0 is 0 */
    for (int64_t x = 2; x < out->n_xlogx; x++) out->xlogx[x] = (double)x * smr_log((double)x);
out:
    return st;
}

void smr_tree_plan_release(smr_tree_plan *plan)
{
    smr_free(plan->xlogx);
    plan->xlogx = NULL;
}

int64_t smr_tree_weight(const smr_tree_target *target, const int64_t *tally)
{
    int64_t sum = 0;
    if (target->n_classes == 0) return tally[0];
    for (int64_t c = 0; c < target->n_classes; c++) sum += tally[c];
    return sum;
}

double smr_tree_unit(const smr_tree_plan *plan)
{
    const smr_tree_target *t = plan->target;
    switch (plan->criterion) {
    case SMR_TREE_ENTROPY:
    case SMR_TREE_GAIN_RATIO: return 1 / (t->scale * smr_log(2));
    case SMR_TREE_SQUARED: return 1 / t->scale / t->y_scale / t->y_scale;
    default: return 1 / t->scale;
    }
}

double smr_tree_chi2(const smr_tree_target *t, int64_t n_children, const int64_t *tallies)
{
    double total = 0, statistic = 0;
    int64_t classes = 0, children = 0;
    for (int64_t i = 0; i < n_children; i++)
        total += (double)smr_tree_weight(t, tallies + i * t->width);
    for (int64_t c = 0; c < t->width; c++) {
        double of_class = 0;
        for (int64_t i = 0; i < n_children; i++) of_class += (double)tallies[i * t->width + c];
        classes += of_class > 0;
        for (int64_t i = 0; i < n_children && of_class > 0; i++) {
            double here = (double)smr_tree_weight(t, tallies + i * t->width);
            double expected = of_class / total * here;
            double gap = (double)tallies[i * t->width + c] - expected;
            if (expected > 0) statistic += gap * gap / expected;
        }
    }
    for (int64_t i = 0; i < n_children; i++)
        children += smr_tree_weight(t, tallies + i * t->width) > 0;
    if (classes < 2 || children < 2) return 1;
    return smr_chi2_upper(statistic / t->scale, (double)((classes - 1) * (children - 1)));
}
