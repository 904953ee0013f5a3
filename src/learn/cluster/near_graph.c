/* near_graph.c -- see near_graph.h. */
#include "learn/cluster/near_graph.h"

#include "core/number.h"
#include "kernel/kernel.h"
#include "learn/cluster/near_links.h"

#include <math.h>

const smr_choice smr_graph_choices[] = {
    [SMR_GRAPH_KNN] = {"knn", "rows of which either is among the nearest of the other; links that "
                              "go one way only weigh half"},
    [SMR_GRAPH_MUTUAL] = {"mutual", "rows that are among the nearest of each other"},
    [SMR_GRAPH_EPSILON] = {"epsilon", "rows that are at most eps apart"},
    [SMR_GRAPH_FULL] = {"full", "all rows, by gaussian weights; n^2 numbers"},
    {NULL, NULL},
};

const smr_choice smr_graph_weights[] = {
    [SMR_GRAPH_AUTO] = {"auto", "gaussian for graph=full and where sigma is given, else one"},
    [SMR_GRAPH_ONES] = {"one", "all the same"},
    [SMR_GRAPH_GAUSSIAN] = {"gaussian", "exp(-distance^2 / (2 sigma^2))"},
    {NULL, NULL},
};

const smr_choice smr_graph_metrics[] = {
    [SMR_METRIC_EUCLIDEAN] = {"euclidean", "the length of the difference"},
    [SMR_METRIC_MANHATTAN] = {"manhattan", "the sum of the differences' magnitudes"},
    [SMR_METRIC_CHEBYSHEV] = {"chebyshev", "the largest difference"},
    {NULL, NULL},
};

const smr_choice smr_graph_laplacians[] = {
    [SMR_LAPLACIAN_WALK] = {"walk", "I - D^-1 W, for small Ncut"},
    [SMR_LAPLACIAN_SYMMETRIC] = {"symmetric", "I - D^-1/2 W D^-1/2"},
    [SMR_LAPLACIAN_PLAIN] = {"unnormalised", "D - W, for small RatioCut"},
    {NULL, NULL},
};

int smr_graph_weighs(int graph, int weights, double sigma)
{
    if (weights != SMR_GRAPH_AUTO) return weights;
    return graph == SMR_GRAPH_FULL || !isnan(sigma) ? SMR_GRAPH_GAUSSIAN : SMR_GRAPH_ONES;
}

smr_status smr_graph_check(smr_ctx *ctx, const char *who, int graph, int weights)
{
    if (graph != SMR_GRAPH_FULL || weights != SMR_GRAPH_ONES) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: graph=full with weights=one links all rows alike; use weights=gaussian",
                    who);
}

double smr_near_weight(const smr_graph_opts *o, double distance)
{
    if (o->weights == SMR_GRAPH_ONES) return 1;
    double t = distance / o->sigma;
    return smr_exp(-0.5 * t * t);
}

/* ---- weights of rows -------------------------------------------------------------------- */

/* Rows whose copies are neighbours enough are linked to nothing else. */
static void tell_heavy(smr_ctx *ctx, const smr_graph_opts *o, int64_t n)
{
    int64_t heavy = 0;
    for (int64_t i = 0; i < n; i++) heavy += smr_near_beside(o->weight, i) >= (double)o->neighbors;
    if (heavy > 0)
        smr_warn(
            ctx,
            "%s: %lld row%s weigh%s more than neighbors=%lld, so that %s not linked to others; "
            "raise neighbors, or divide the weights by their mean",
            o->who, (long long)heavy, smr_plural(heavy, "", "s"), smr_plural(heavy, "s", ""),
            (long long)o->neighbors, smr_plural(heavy, "it is", "they are"));
}

/* The links of all copies of the rows, and those among the copies of one. */
static smr_status weigh(smr_ctx *ctx, const smr_graph_opts *o, smr_graph *g)
{
    smr_status st = SMR_OK;
    double *own = NULL, sum = 0;
    bool few = o->graph == SMR_GRAPH_KNN || o->graph == SMR_GRAPH_MUTUAL;
    TRY_NEW(own, g->n);
    for (int64_t i = 0; i < g->n; i++) {
        double others = smr_near_beside(o->weight, i);
        own[i] = o->weight[i] * (few ? smr_fmin(others, (double)o->neighbors) : others);
    }
    TRY(smr_graph_weigh(ctx, g, o->weight, own));
    for (int64_t i = 0; i < g->n; i++) sum += g->degree[i];
    if (!isfinite(sum))
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s: links weigh as much as two rows together, and the sum is beyond double; "
                     "divide the weights by their mean",
                     o->who));
    if (few) tell_heavy(ctx, o, g->n);
out:
    smr_free(own);
    return st;
}

/* sigma and eps by rule. */
static smr_status find_widths(smr_ctx *ctx, const smr_site_search *search, smr_graph_opts *o)
{
    smr_status st = SMR_OK;
    bool by_sigma = o->weights == SMR_GRAPH_GAUSSIAN && isnan(o->sigma);
    bool by_eps = o->graph == SMR_GRAPH_EPSILON && isnan(o->eps);
    double width = 1;
    if (by_sigma || by_eps) TRY(smr_near_width(ctx, search, o->weight, &width));
    if (by_sigma) o->sigma = width;
    if (by_eps) o->eps = width;
out:
    return st;
}

/* ---- the graph -------------------------------------------------------------------------- */

static smr_status no_links(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o)
{
    smr_status st = SMR_OK;
    char eps[SMR_NUMBER_MAX], least[SMR_NUMBER_MAX];
    double nearest;
    if (o->graph != SMR_GRAPH_EPSILON)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: all weights are 0 in double; raise sigma", o->who);
    TRY(smr_near_least(ctx, search, &nearest));
    smr_format_rounded(o->eps, 4, eps);
    smr_format_rounded(nearest, 4, least);
    st = smr_fail(ctx, SMR_ERR_DATA,
                  "%s: no two rows are within eps %s of each other, so the graph has no edges; the "
                  "nearest two are %s apart: raise eps, or leave it out",
                  o->who, eps, least);
out:
    return st;
}

smr_status smr_near_graph(smr_ctx *ctx, const smr_site_search *search, smr_graph_opts *o,
                          smr_graph *out)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n;
    TRY(find_widths(ctx, search, o));
    bool few = o->graph == SMR_GRAPH_KNN || o->graph == SMR_GRAPH_MUTUAL;
    if (few)
        TRY(smr_link_nearest(ctx, search, o, out));
    else
        TRY(smr_link_within(ctx, search, o, out));
    if (n > 1 && out->start[n] == 0 && o->graph != SMR_GRAPH_MUTUAL && !(o->weight && few))
        st = no_links(ctx, search, o);
    if (st == SMR_OK && n > 2 && o->weights == SMR_GRAPH_ONES && out->start[n] == n * (n - 1))
        smr_warn(ctx,
                 "%s: each of %lld rows is linked to all others alike, so that nothing tells them "
                 "apart; use weights=gaussian, or lower %s",
                 o->who, (long long)n, few ? "neighbors" : "eps");
    if (st == SMR_OK && o->weight) st = weigh(ctx, o, out);
    if (st != SMR_OK) smr_graph_release(out);
out:
    return st;
}

/* ---- of rows ---------------------------------------------------------------------------- */

static smr_status find_weights(smr_ctx *ctx, smr_rows_graph *g)
{
    smr_status st = SMR_OK;
    const smr_site_tree *t = &g->tree;
    if (!t->rows.w) return SMR_OK;
    TRY_NEW(g->weight, t->rows.n);
    for (int64_t i = 0; i < t->rows.n; i++) g->weight[i] = t->rows.w[t->order[i]];
out:
    return st;
}

smr_status smr_rows_graph_make(smr_ctx *ctx, const smr_data *data, const smr_graph_opts *opts,
                               smr_rows_graph *out)
{
    smr_status st = SMR_OK;
    smr_graph_opts o = *opts;
    *out = (smr_rows_graph){0};
    TRY(smr_site_tree_make(ctx, o.who, data, o.metric, &out->tree));
    TRY(find_weights(ctx, out));
    o.weight = out->weight;
    TRY(smr_near_graph(ctx, &out->tree.search, &o, &out->graph));
    out->links = (double)out->graph.start[out->graph.n] / 2;
    if (o.graph == SMR_GRAPH_EPSILON) out->eps = o.eps;
    if (o.weights == SMR_GRAPH_GAUSSIAN) out->sigma = o.sigma;
out:
    if (st != SMR_OK) smr_rows_graph_release(out);
    return st;
}

void smr_rows_graph_release(smr_rows_graph *g)
{
    smr_site_tree_release(&g->tree);
    smr_graph_release(&g->graph);
    smr_free(g->weight);
    *g = (smr_rows_graph){0};
}
