/* network_likeliest.c -- which levels some variables, or all, have most likely together.
 *
 * Of all variables: the most probable explanation, by maxima in the tree of cliques.  Of some: the
 * others are summed out first, so that the answer is the largest cell of their joint table; the
 * levels that are likeliest for each on its own may be others. */
#include "kernel/kernel.h"
#include "learn/graphical/network_query.h"

#include <math.h>

static smr_status of_all(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                         int32_t *level, double *log_p, double *log_evidence)
{
    smr_status st = SMR_OK;
    smr_tables tables = smr_net_tables(net);
    smr_jtree tree = {0};
    double *work = NULL;
    TRY(smr_jtree_make(ctx, &tables, NULL, 0, "give more memory, or ask for some of the variables",
                       &tree));
    TRY_NEW(work, smr_jtree_work(&tree));
    *log_evidence = smr_jtree_run(&tree, q->evidence, false, work);
    if (!smr_jtree_best(&tree, q->evidence, work, level)) TRY(smr_net_refuse_evidence(ctx, net, q));
    *log_p = smr_fmin(smr_tables_log_joint(&tables, level) - *log_evidence, 0);
out:
    smr_free(work);
    smr_jtree_release(&tree);
    return st;
}

static smr_status of_some(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                          int32_t *level, double *log_p, double *log_evidence)
{
    smr_status st = SMR_OK;
    smr_net_answer a = {0};
    int64_t best = 0;
    TRY(smr_net_ask(ctx, net, q, SMR_NET_EXACT, 0, &a));
    for (int64_t cell = 1; cell < a.n; cell++)
        if (a.p[cell] > a.p[best]) best = cell;
    *log_p = smr_log(a.p[best]);
    *log_evidence = a.log_evidence;
    for (int64_t i = 0; i < net->n; i++) level[i] = q->evidence[i];
    for (int64_t k = q->n_of - 1; k >= 0; k--) {
        level[q->of[k]] = (int32_t)(best % net->levels[q->of[k]]);
        best /= net->levels[q->of[k]];
    }
out:
    smr_net_answer_release(&a);
    return st;
}

smr_status smr_net_likeliest(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                             int32_t *level, double *log_p, double *log_evidence)
{
    for (int64_t k = 0; k < q->n_of; k++)
        if (q->of_level[k] >= 0)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "the levels that are sought cannot be given: put those that are known "
                            "after '|'");
    return (q->all ? of_all : of_some)(ctx, net, q, level, log_p, log_evidence);
}
