/* bayesnet.c -- a Bayesian network of discrete columns, learned from a table.
 *
 *     P(x_1 ... x_n, y) = product_i P(x_i | parents of x_i)                                   (1)
 *
 * over the features and the target y.  The graph is given, or found: by hill climbing with BIC
 * (bayesnet_climb.c), as the most likely tree (bayesnet_graph.c), or with the target as the parent
 * of all (naive).  Its tables are counted with Dirichlet smoothing, by EM where values are missing
 * (bayesnet_tables.c).  A prediction is P(y | what is known of the row); what is not is summed out
 * exactly (bayesnet_predict.c).  Numbers are cut into bins (bayesnet_data.c).
 *
 * Degenerate cases: a level that training did not see, like a gap, is summed out; a row that has
 * probability 0 (smoothing=0) gets the probabilities of the target alone; a constant column has one
 * level and says nothing.
 *
 * Cost: naive one pass; chowliu a pass for each pair of columns; hillclimb that, and a pass for
 * each column and change.  Memory: 4 bytes per value, the tables, and the cliques, which are
 * estimated before they are made.
 * Reference: Koller & Friedman, Probabilistic Graphical Models (2009). */
#include "learn/graphical/bayesnet.h"

#include "data/vocab.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice structures[] = {
    [SMR_BN_HILLCLIMB] = {"hillclimb", "edges added, removed and reversed while BIC rises"},
    [SMR_BN_CHOWLIU] = {"chowliu", "the tree of greatest likelihood, away from the target"},
    [SMR_BN_NAIVE] = {"naive", "the target is the only parent of every column"},
    {NULL, NULL},
};

static const smr_choice inferences[] = {
    [SMR_BN_EXACT] = {"exact", "missing values are summed out"},
    [SMR_BN_SAMPLING] = {"sampling",
                         "estimated from weighted samples, where cliques are too large"},
    {NULL, NULL},
};

#define FIELD(field_) SMR_FIELD(struct smr_bayesnet_params, field_)

static const smr_param params[] = {
    {FIELD(structure), .def = SMR_BN_HILLCLIMB, .choices = structures, .primary = true,
     .when = "graph=none", .search = SMR_SEARCH_VALUES,
     .doc = "How the graph is found, unless graph gives it."},
    {FIELD(graph), .unset = true,
     .doc = "The edges, in quotes: \"target -> fever, flu -> fever\"; what is predicted is called "
            "target. Columns that are not named stand alone; unset: found as structure says. "
            "'samara belief edges' prints those "
            "of a network file."},
    {FIELD(max_parents), .def = 3, .min = 1, .max = SMR_BN_MOST_PARENTS,
     .when = "graph=none&structure=hillclimb", .search = SMR_SEARCH_LINEAR, .search_min = 1,
     .search_max = 5, .simpler = SMR_SIMPLER_LOW, .doc = "Maximum number of parents of a column."},
    {FIELD(detour), .def = 20, .min = 0, .max = 10000, .when = "graph=none&structure=hillclimb",
     .doc = "Number of changes that the search goes on for where no change makes the graph better, "
            "looking for a way to one that is (tabu search); 0: it ends there."},
    {FIELD(restarts), .def = 0, .min = 0, .max = 10000, .when = "graph=none&structure=hillclimb",
     .doc = "Number of times the search starts again from a changed graph; the best is kept."},
    {FIELD(smoothing), .def = 1, .min = 0, .max = 1e9, .search = SMR_SEARCH_LOG, .search_min = 0.01,
     .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Weight added to each cell of a table (a Dirichlet prior); 0: shares as counted."},
    {FIELD(bins), .def = 5, .min = 2, .max = 1000, .search = SMR_SEARCH_LINEAR, .search_min = 2,
     .search_max = 12, .simpler = SMR_SIMPLER_LOW,
     .doc =
         "Maximum number of bins that a number is cut into: between its values if these are few, "
         "else bins of equally many rows."},
    {FIELD(max_iter), .def = 100, .min = 1, .max = 1e6,
     .doc = "Maximum number of iterations of EM, where values are missing."},
    {FIELD(tol), .def = 1e-6, .min = 0, .max = 1,
     .doc = "EM ends when the mean log-likelihood per row rises by less."},
    {FIELD(inference), .def = SMR_BN_EXACT, .choices = inferences,
     .doc = "How predictions deal with missing values."},
    {FIELD(samples), .def = 1000, .min = 1, .max = SMR_BN_MOST_SAMPLES,
     .when = "inference=sampling", .doc = "Samples for a row with missing values."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_bayesnet_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features."},
    {KEPT(n_classes), .is = "classes", .min = 1, .doc = "Classes of the target."},
    {KEPT(n_nodes), .is = "n_features + 1", .min = 2, .max = SMR_BN_MOST_NODES,
     .doc = "Features and target."},
    {KEPT(n_starts), .is = "n_nodes + 1", .min = 3, .doc = "n_nodes + 1."},
    {KEPT(n_edges), .min = 0, .doc = "Edges."},
    {KEPT(n_cells), .min = 1, .max = (double)SMR_NET_MOST_CELLS, .doc = "Cells of all tables."},
    {KEPT(n_cuts), .min = 0, .doc = "Cuts of all numbers."},
    {KEPT(n_present), .most = "n_classes", .min = 1, .doc = "Classes that some training row has."},
    {KEPT(present), .below = "n_classes", .order = SMR_ORDER_ASCENDS, .dims = {"n_present"},
     .doc = "Their numbers: the levels of the target; others have probability 0."},
    {KEPT(levels), .min = 1, .dims = {"n_nodes"}, .doc = "Levels of each node."},
    {KEPT(cut_at), .below = "n_cuts", .order = SMR_ORDER_STARTS, .dims = {"n_starts"},
     .doc = "Where the cuts of a node begin; categories have none."},
    {KEPT(cut), .reals = SMR_REALS_NOT_NAN, .dims = {"n_cuts"},
     .doc = "Cuts between bins, ascending in a node."},
    {KEPT(start), .below = "n_edges", .order = SMR_ORDER_STARTS, .dims = {"n_starts"},
     .doc = "Where the parents of a node begin."},
    {KEPT(parent), .below = "n_nodes", .dims = {"n_edges"}, .doc = "Parents, ascending in a node."},
    {KEPT(p), .reals = SMR_REALS_SHARE, .dims = {"n_cells"},
     .doc = "Tables of all nodes: a row of probabilities for each combination of the parents' "
            "levels, the last parent's changing fastest."},
    {KEPT(log_likelihood), .reals = SMR_REALS_FINITE, .doc = "Of the training rows."},
    {KEPT(bic), .reals = SMR_REALS_FINITE,
     .doc = "log_likelihood - log(weight)/2 x free parameters."},
    {KEPT(weight), .reals = SMR_REALS_ABOVE_0, .doc = "Weight of the training rows."},
    {KEPT(n_names), .most = "classes", .doc = "Classes that have names."},
    {KEPT(names), .dims = {"n_names"}, .doc = "Their names."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status keep_graph(smr_ctx *ctx, const struct smr_bn_graph *g,
                             struct smr_bayesnet_state *s)
{
    smr_status st = SMR_OK;
    TRY_NEW(s->start, s->n_starts);
    for (int64_t i = 0; i < g->n; i++) s->start[i + 1] = s->start[i] + g->n_parents[i];
    s->n_edges = s->start[g->n];
    TRY_NEW(s->parent, s->n_edges);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t k = 0; k < g->n_parents[i]; k++)
            s->parent[s->start[i] + k] = g->parent[i * g->most + k];
out:
    return st;
}

static const char *name_of(const smr_data *data, int64_t node)
{
    if (node == data->n_features) return "target";
    return data->features ? data->features[node].name : "?";
}

static smr_status check_cycle(smr_ctx *ctx, const smr_data *data,
                              const struct smr_bayesnet_state *s)
{
    smr_status st = SMR_OK;
    smr_dag dag = {s->n_nodes, s->start, s->parent};
    smr_text what = {.ctx = ctx};
    int32_t *order = NULL;
    int64_t n = 0;
    TRY_NEW(order, s->n_nodes);
    TRY(smr_dag_order(ctx, &dag, order, &n));
    for (int64_t k = 0; n && k <= n; k++)
        smr_text_printf(&what, "%s%s", k ? " -> " : "", name_of(data, order[k % n]));
    TRY(smr_text_done(&what));
    if (n) TRY(smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph has a cycle: %.600s", what.bytes));
out:
    smr_text_release(&what);
    smr_free(order);
    return st;
}

static smr_status find_graph(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                             const smr_data *data, const struct smr_bn_rows *rows,
                             struct smr_bayesnet_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_bn_graph g = {0};
    bool climbs = !p->graph && p->structure == SMR_BN_HILLCLIMB;
    TRY(smr_bn_graph_make(ctx, s->n_nodes,
                          p->graph ? SMR_MIN(s->n_nodes, 62)
                          : climbs ? p->max_parents
                                   : 1,
                          &g));
    if (p->graph)
        TRY(smr_bn_graph_given(ctx, p->graph, data, &g));
    else if (p->structure == SMR_BN_NAIVE)
        smr_bn_graph_naive(&g);
    else if (p->structure == SMR_BN_CHOWLIU)
        TRY(smr_bn_graph_chowliu(ctx, rows, &g));
    else
        TRY(smr_bn_graph_climb(ctx, p, rows, rows->gaps ? NULL : report, &g));
    TRY(keep_graph(ctx, &g, s));
    if (p->graph) TRY(check_cycle(ctx, data, s));
out:
    smr_bn_graph_release(&g);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_params *p = params_;
    struct smr_bayesnet_state *s = state_;
    struct smr_bn_rows rows = {0};
    report->objective = NAN;
    report->converged = true;
    if (data->n_features >= SMR_BN_MOST_NODES)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE,
                     "bayesnet: %lld features are too many, the limit is %d; select some first",
                     (long long)data->n_features, SMR_BN_MOST_NODES - 1));
    TRY(smr_bn_encode(ctx, p, data, s, &rows));
    if (!(rows.total > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "bayesnet: there are no training rows"));
    TRY(find_graph(ctx, p, data, &rows, s, report));
    TRY(smr_bn_learn_tables(ctx, p, &rows, s, report));
    if (data->classes) {
        TRY(smr_strings_copy(ctx, data->classes, NULL, &s->names));
        s->n_names = s->names.n;
    }
out:
    smr_free(rows.code);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static smr_status wrong(smr_ctx *ctx, const char *what, int64_t node)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "bayesnet: node %lld: %s", (long long)node, what);
}

static smr_status check_node(smr_ctx *ctx, const struct smr_bayesnet_state *s, int64_t i,
                             const smr_shape *shape, int64_t *at)
{
    int64_t n_cuts = s->cut_at[i + 1] - s->cut_at[i], levels = s->levels[i];
    double cells = (double)levels;
    bool is_category =
        i == s->n_features || (shape->features && shape->features[i].kind == SMR_CATEGORY);
    int64_t want = i == s->n_features ? s->n_present
                   : is_category      ? SMR_MAX(1, shape->features[i].n_levels)
                                      : n_cuts + 1;
    if (levels != want || (is_category && n_cuts)) return wrong(ctx, "its levels do not fit", i);
    for (int64_t k = s->cut_at[i] + 1; k < s->cut_at[i + 1]; k++)
        if (!(s->cut[k] > s->cut[k - 1])) return wrong(ctx, "its cuts do not ascend", i);
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
        if (s->parent[e] == i || (e > s->start[i] && s->parent[e] <= s->parent[e - 1]))
            return wrong(ctx, "its parents are not distinct and ascending", i);
        cells *= (double)s->levels[s->parent[e]];
    }
    if (cells > (double)(s->n_cells - *at)) return wrong(ctx, "its table is not there", i);
    for (int64_t row = *at; row < *at + (int64_t)cells; row += levels) {
        double sum = 0;
        for (int64_t k = 0; k < levels; k++) sum += s->p[row + k];
        if (!(fabs(sum - 1) <= 1e-9)) return wrong(ctx, "a row of its table does not sum to 1", i);
    }
    *at += (int64_t)cells;
    return SMR_OK;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_state *s = state_;
    smr_dag dag = {s->n_nodes, s->start, s->parent};
    int32_t *order = NULL;
    int64_t at = 0, n_cycle = 0;
    (void)params_;
    for (int64_t i = 0; i < s->n_nodes; i++) TRY(check_node(ctx, s, i, shape, &at));
    if (at != s->n_cells) TRY(wrong(ctx, "cells follow its table", s->n_nodes - 1));
    TRY_NEW(order, s->n_nodes);
    TRY(smr_dag_order(ctx, &dag, order, &n_cycle));
    if (n_cycle) TRY(wrong(ctx, "it is in a cycle", order[0]));
out:
    smr_free(order);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "bayesnet",
    .synonyms = "bayesian_network belief_network BayesNet structure=chowliu bn_tree "
                "structure=hillclimb hc",
    .family = "graphical",
    .title = "Bayesian network",
    .brief = "Learns a graph of columns with conditional probability tables, and predicts from any "
             "part of a row.",
    .objective =
        "P(x_1 ... x_n, y) = product_i P(x_i | parents of x_i); tables (count + smoothing) "
        "/ (row + smoothing levels); graph: log-likelihood - log(N)/2 parameters, "
        "maximised",
    .details =
        "The graph is given (graph=\"target -> fever, flu -> fever\"), or found by hill climbing "
        "with BIC, as Chow and Liu's tree, or naive. Categories are taken as they are; numbers are "
        "cut into bins. If training rows have missing values, the tables are found by EM, whose "
        "penalised likelihood never falls. In predictions, missing values and levels that training "
        "did not see are summed out exactly, over cliques whose memory is estimated first. A row "
        "of "
        "probability 0, which smoothing=0 allows, gets the shares of the target alone. Equal "
        "changes of the graph are made in the order of the columns. 'samara belief' asks any "
        "question of the fitted network.",
    .reference = "Koller & Friedman, Probabilistic Graphical Models (2009); Lauritzen & "
                 "Spiegelhalter, J. Royal Statistical Society B 50 (1988) 157-224",
    .example = "samara train \"bayesnet structure=chowliu\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_bayesnet_params),
};

static const smr_can_explain explains = {.network = smr_bayesnet_network};

static const smr_can_draw draws = {.rows = smr_bayesnet_draw_rows};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_bayesnet_state),
    .gives = SMR_GIVES_PROBA,
    .prepare = smr_bayesnet_prepare,
    .check = check,
    .release = smr_bayesnet_release,
    .predict = smr_bayesnet_predict,
    .scratch = smr_bayesnet_scratch,
    .describe = smr_bayesnet_describe,
    .draw = smr_bayesnet_draw,
    .draws = &draws,
    .explain = &explains,
};

const smr_learner smr_bayesnet = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
