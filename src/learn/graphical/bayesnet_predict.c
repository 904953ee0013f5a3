/* bayesnet_predict.c -- P(target | what is known of a row).
 *
 * Where the target's parents, its children and their other parents are known, nothing else matters:
 *
 *     P(y | row)  proportional to  P(y | parents of y) product_children P(c | parents of c)   (1)
 *
 * Else what is missing is summed out exactly by the tree of cliques, or (inference=sampling)
 * estimated from weighted samples, whose draws depend on the row's known levels alone: the answer
 * does not depend on the block.  A row that has probability 0 gets P(y). */
#include "learn/graphical/bayesnet.h"
#include "learn/graphical/network_query.h"

#include <math.h>
#include <string.h>

void smr_bayesnet_release(void *state)
{
    struct smr_bayesnet_state *s = state;
    if (!s->ready) return;
    smr_jtree_release(&s->ready->tree);
    smr_free(s->ready->at);
    smr_free(s->ready->order);
    smr_free(s->ready->child);
    smr_free(s->ready->prior);
    smr_free(s->ready);
    s->ready = NULL;
}

static smr_status find_order(smr_ctx *ctx, const struct smr_bayesnet_state *s,
                             struct smr_bayesnet_ready *r)
{
    smr_status st = SMR_OK;
    int64_t n_cycle = 0;
    TRY_NEW(r->at, s->n_starts);
    TRY_NEW(r->order, s->n_nodes);
    TRY_NEW(r->child, s->n_nodes);
    for (int64_t i = 0; i < s->n_nodes; i++) {
        int64_t cells = s->levels[i];
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
            cells *= s->levels[s->parent[e]];
            if (s->parent[e] == s->n_features) r->child[r->n_child++] = (int32_t)i;
        }
        r->at[i + 1] = r->at[i] + cells;
    }
    r->tables = (smr_tables){{s->n_nodes, s->start, s->parent}, s->levels, r->at, s->p};
    TRY(smr_dag_order(ctx, &r->tables.dag, r->order, &n_cycle));
    if (n_cycle) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "bayesnet: the graph has a cycle"));
out:
    return st;
}

/* Samples of P(target): fewer of a large network, so that none takes long to load. */
static int64_t prior_samples(const struct smr_bayesnet_params *p,
                             const struct smr_bayesnet_state *s)
{
    enum { DRAWS = 1 << 22, FEW = 200 };
    return SMR_MIN(p->samples, SMR_MAX(FEW, DRAWS / s->n_nodes));
}

/* P(target): exactly, or from samples where the tree is not wanted. */
static smr_status find_prior(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                             const struct smr_bayesnet_state *s, struct smr_bayesnet_ready *r)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int32_t *level = NULL, target = (int32_t)s->n_features;
    TRY_NEW(r->prior, s->n_present);
    if (r->has_tree) {
        TRY_NEW(work, r->work);
        smr_jtree_run(&r->tree, NULL, false, work);
        smr_jtree_joint(&r->tree, work, &target, 1, r->prior);
    } else {
        int64_t n = prior_samples(p, s);
        TRY_NEW(level, s->n_nodes);
        for (int64_t k = 0; k < n; k++) {
            smr_net_draw(&r->tables, r->order, 0, (uint64_t)k, NULL, level);
            r->prior[level[target]] += 1 / (double)n;
        }
    }
out:
    smr_free(work);
    smr_free(level);
    return st;
}

smr_status smr_bayesnet_prepare(smr_ctx *ctx, const void *params, void *state)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_params *p = params;
    struct smr_bayesnet_state *s = state;
    struct smr_bayesnet_ready *r = NULL;
    int32_t target = (int32_t)s->n_features;
    TRY_NEW(r, 1);
    s->ready = r;
    TRY(find_order(ctx, s, r));
    if (p->inference == SMR_BN_EXACT) {
        TRY(smr_jtree_make_within(
            ctx, SMR_BN_MOST_TREE, &r->tables, &target, 1,
            "fewer parents or bins make smaller cliques; inference=sampling needs "
            "none",
            &r->tree));
        r->has_tree = true;
        r->work = smr_jtree_work(&r->tree);
    }
    TRY(find_prior(ctx, p, s, r));
out:
    if (st != SMR_OK) smr_bayesnet_release(state);
    return st;
}

/* ---- one row ---------------------------------------------------------------------------- */

static bool knows_parents(const smr_tables *t, int64_t node, int64_t target, const int32_t *level)
{
    for (int64_t e = t->dag.start[node]; e < t->dag.start[node + 1]; e++)
        if (t->dag.parent[e] != target && level[t->dag.parent[e]] < 0) return false;
    return true;
}

static bool knows_enough(const struct smr_bayesnet_ready *r, int64_t target, const int32_t *level)
{
    if (!knows_parents(&r->tables, target, target, level)) return false;
    for (int64_t c = 0; c < r->n_child; c++)
        if (level[r->child[c]] < 0 || !knows_parents(&r->tables, r->child[c], target, level))
            return false;
    return true;
}

/* Multiplies out by the node's table at the known levels, for each level of the target. */
static void multiply(const smr_tables *t, int64_t node, int64_t target, const int32_t *level,
                     int64_t n, double *out)
{
    int64_t row = 0, step = 0, levels = t->levels[node];
    for (int64_t e = t->dag.start[node]; e < t->dag.start[node + 1]; e++) {
        int32_t parent = t->dag.parent[e];
        row = row * t->levels[parent] + (parent == target ? 0 : level[parent]);
        step = parent == target ? 1 : step * t->levels[parent];
    }
    const double *p = t->p + t->at[node] + row * levels;
    double most = 0;
    for (int64_t k = 0; k < n; k++) {
        out[k] *= node == target ? p[k] : p[k * step * levels + level[node]];
        most = smr_fmax(most, out[k]);
    }
    for (int64_t k = 0; most < 0x1p-256 && most > 0 && k < n; k++) out[k] *= 0x1p512;
}

static bool normalise(int64_t n, double *out)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += out[k];
    if (!(sum > 0)) return false;
    for (int64_t k = 0; k < n; k++) out[k] /= sum;
    return true;
}

static bool weigh_samples(const struct smr_bayesnet_params *p, const struct smr_bayesnet_ready *r,
                          int64_t target, int64_t n, const int32_t *level, int32_t *drawn,
                          double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t k = 0; k < p->samples; k++) {
        double w = smr_net_draw(&r->tables, r->order, 0, (uint64_t)k, level, drawn);
        out[drawn[target]] += w;
    }
    return normalise(n, out);
}

static void answer(const struct smr_bayesnet_params *p, const struct smr_bayesnet_state *s,
                   const int32_t *level, int32_t *drawn, double *work, double *out)
{
    const struct smr_bayesnet_ready *r = s->ready;
    int32_t target = (int32_t)s->n_features;
    bool found;
    if (knows_enough(r, target, level)) {
        for (int64_t k = 0; k < s->n_present; k++) out[k] = 1;
        multiply(&r->tables, target, target, level, s->n_present, out);
        for (int64_t c = 0; c < r->n_child; c++)
            multiply(&r->tables, r->child[c], target, level, s->n_present, out);
        found = normalise(s->n_present, out);
    } else if (r->has_tree) {
        found = smr_jtree_run(&r->tree, level, false, work) > -INFINITY;
        if (found) smr_jtree_joint(&r->tree, work, &target, 1, out);
        found = found && normalise(s->n_present, out);
    } else {
        found = weigh_samples(p, r, target, s->n_present, level, drawn, out);
    }
    if (!found) memcpy(out, r->prior, (size_t)s->n_present * sizeof *out);
}

int64_t smr_bayesnet_scratch(const void *params, const void *state, int64_t n)
{
    const struct smr_bayesnet_state *s = state;
    (void)params, (void)n;
    return s->ready->work * (int64_t)sizeof(double) +
           2 * (s->n_nodes + 1) * (int64_t)sizeof(int32_t);
}

smr_status smr_bayesnet_predict(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_bayesnet_state *s = state;
    double *work = scratch;
    int32_t *level = (int32_t *)(void *)(work + s->ready->work), *drawn = level + s->n_nodes;
    (void)ctx, (void)output;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < s->n_features; j++) level[j] = smr_bn_level(s, j, x[j]);
        level[s->n_features] = -1;
        double *to = out + i * s->n_classes;
        answer(params, s, level, drawn, work, to);
        for (int64_t k = s->n_classes - 1, m = s->n_present - 1; k >= 0; k--)
            to[k] = m >= 0 && s->present[m] == k ? to[m--] : 0;
    }
    return SMR_OK;
}
