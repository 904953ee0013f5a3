/* network_figure.c -- see network_figure.h. */
#include "learn/graphical/network_figure.h"

#include "core/figure.h"
#include "learn/graphical/jtree.h"

#include <math.h>

/* Marginals one after the other; *out NULL where the cliques are too large. */
static smr_status find_marginals(smr_ctx *ctx, const smr_network *net, const int32_t *evidence,
                                 double **out)
{
    smr_status st = SMR_OK;
    smr_tables tables = smr_network_tables(net);
    smr_jtree_plan plan;
    smr_jtree tree = {0};
    double *work = NULL, *p = NULL;
    int64_t cells = 0;
    TRY(smr_jtree_plan_for(ctx, &tables, NULL, 0, &plan));
    if (plan.bytes > 1e8) goto out;
    for (int64_t i = 0; i < net->n; i++) cells += net->levels[i];
    TRY(smr_jtree_make(ctx, &tables, NULL, 0, "", &tree));
    TRY_NEW(work, smr_jtree_work(&tree));
    TRY_NEW(p, cells);
    if (smr_jtree_run(&tree, evidence, true, work) > -INFINITY) {
        double *to = p;
        for (int64_t i = 0; i < net->n; to += net->levels[i++])
            smr_jtree_marginal(&tree, work, i, to);
        *out = p;
        p = NULL;
    }
out:
    smr_free(work);
    smr_free(p);
    smr_jtree_release(&tree);
    return st;
}

static void add_node(const smr_network *net, int64_t i, const int32_t *evidence, const double *p,
                     smr_json *list)
{
    int64_t length;
    smr_json *one = smr_json_add_object(list, NULL);
    const char *name = smr_strings_get(&net->names.strings, i, &length);
    smr_json_add_bytes(one, "label", name, length);
    smr_json *parents = smr_json_add_array(one, "parents");
    for (int64_t e = net->start[i]; e < net->start[i + 1]; e++)
        smr_json_add_number(parents, NULL, (double)net->parent[e]);
    smr_json *levels = smr_json_add_array(one, "levels");
    for (int64_t k = 0; k < net->levels[i]; k++) {
        name = smr_strings_get(&net->level[i], k, &length);
        smr_json_add_bytes(levels, NULL, name, length);
    }
    if (p) smr_json_add_numbers(one, "bars", p, net->levels[i]);
    if (evidence && evidence[i] >= 0) smr_json_add_bool(one, "given", true);
}

smr_status smr_network_figure(smr_ctx *ctx, const smr_network *net, const int32_t *evidence,
                              const char *name, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *marginal = NULL;
    const double *p;
    if (net->n > SMR_FIGURE_MOST_NODES)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a network of %lld variables is not drawn; at most %d "
                        "are",
                        (long long)net->n, SMR_FIGURE_MOST_NODES);
    TRY(find_marginals(ctx, net, evidence, &marginal));
    smr_json *figure =
        smr_figure_add(figures, name, net->name ? net->name : "Bayesian network",
                       marginal ? "An arrow leads from a parent to its child; bars are the "
                                  "probabilities of the levels."
                                : "An arrow leads from a parent to its child.");
    smr_json *list = smr_json_add_array(figure, "graph");
    p = marginal;
    for (int64_t i = 0; i < net->n; i++) {
        add_node(net, i, evidence, p, list);
        if (p) p += net->levels[i];
    }
    st = smr_json_done(figures->doc);
out:
    smr_free(marginal);
    return st;
}
