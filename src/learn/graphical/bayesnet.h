/* bayesnet.h -- what the files of the learner bayesnet share.  Private to bayesnet*.c.
 *
 *     bayesnet.c            parameters, state, checks, descriptor
 *     bayesnet_data.c       rows as levels: categories, numbers cut into bins, gaps
 *     bayesnet_graph.c      a graph that is given; naive; Chow and Liu's tree
 *     bayesnet_climb.c      hill climbing by BIC
 *     bayesnet_tables.c     counting, and EM where values are missing
 *     bayesnet_predict.c    P(target | the others)
 *     bayesnet_rows.c       rows drawn from the network
 *     bayesnet_describe.c   what inspect shows, and the network itself for others */
#ifndef SMR_LEARN_GRAPHICAL_BAYESNET_H
#define SMR_LEARN_GRAPHICAL_BAYESNET_H

#include "learn/graphical/jtree.h"
#include "learn/learner.h"

enum { SMR_BN_HILLCLIMB, SMR_BN_CHOWLIU, SMR_BN_NAIVE };
enum { SMR_BN_EXACT, SMR_BN_SAMPLING };
enum { SMR_BN_MOST_PARENTS = 8, SMR_BN_MOST_NODES = 20000 };
/* What a small file may ask for: samples of a row, and bytes of the cliques of a loaded model. */
enum { SMR_BN_MOST_SAMPLES = 100000, SMR_BN_MOST_TREE = 1 << 28 };

struct smr_bayesnet_params {
    int structure;
    char *graph;
    int64_t max_parents, detour, restarts;
    double smoothing;
    int64_t bins, max_iter;
    double tol;
    int inference;
    int64_t samples;
};

/* Nodes are the features, and after them the target. */
struct smr_bayesnet_state {
    int64_t n_features, n_classes, n_nodes, n_starts, n_edges, n_cells, n_cuts;
    int64_t n_present; /* classes that some row has: the levels of the target */
    int32_t *present;  /* n_present: their numbers, ascending                 */
    int64_t *levels;   /* n_nodes                                              */
    int64_t *cut_at;   /* n_starts: cuts of a number; none of a category       */
    double *cut;       /* n_cuts, ascending in a node                          */
    int64_t *start;    /* n_starts                                             */
    int32_t *parent;   /* n_edges                                              */
    double *p;         /* n_cells: tables one after the other                  */
    double log_likelihood, bic, weight;
    int64_t n_names;
    smr_strings names; /* of the classes: for pictures */
    struct smr_bayesnet_ready *ready;
};

/* Derived from the state. */
struct smr_bayesnet_ready {
    smr_tables tables;
    int64_t *at;    /* n_starts: where tables begin           */
    int32_t *order; /* parents first                          */
    int32_t *child; /* of the target                          */
    int64_t n_child;
    double *prior;  /* P(target), nothing being known         */
    smr_jtree tree; /* with the target in its root            */
    bool has_tree;
    int64_t work; /* doubles                                */
};

/* The training rows as levels, column by column; -1: a gap. */
struct smr_bn_rows {
    int64_t n, n_nodes;
    const int64_t *levels;
    int32_t *code;        /* n_nodes x n                  */
    const double *weight; /* NULL: all 1                  */
    double total;         /* weight of all rows           */
    bool gaps;
};

static inline double smr_bn_weight(const struct smr_bn_rows *rows, int64_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

/* Level of a value of node j: the code, or how many cuts are <= x; -1 for a gap. */
static inline int32_t smr_bn_level(const struct smr_bayesnet_state *s, int64_t j, double x)
{
    const double *cut = s->cut + s->cut_at[j];
    int64_t n = s->cut_at[j + 1] - s->cut_at[j], k = 0;
    if (x != x) return -1;
    if (n == 0) return x >= 0 && x < (double)s->levels[j] ? (int32_t)x : -1;
    while (k < n && cut[k] <= x) k++;
    return (int32_t)k;
}

/* Finds levels and cuts, and the rows as levels; `rows` owns its codes. */
smr_status smr_bn_encode(smr_ctx *ctx, const struct smr_bayesnet_params *p, const smr_data *data,
                         struct smr_bayesnet_state *s, struct smr_bn_rows *rows);

/* Parents of each node while a graph is sought: at most `most` for each. */
struct smr_bn_graph {
    int64_t n, most;
    int32_t *parent; /* n x most, ascending */
    int64_t *n_parents;
};

smr_status smr_bn_graph_make(smr_ctx *ctx, int64_t n, int64_t most, struct smr_bn_graph *g);
void smr_bn_graph_release(struct smr_bn_graph *g);
void smr_bn_graph_add(struct smr_bn_graph *g, int64_t parent, int64_t child);
void smr_bn_graph_remove(struct smr_bn_graph *g, int64_t parent, int64_t child);
bool smr_bn_graph_has(const struct smr_bn_graph *g, int64_t parent, int64_t child);

/* The edges that a sentence lists. */
smr_status smr_bn_graph_given(smr_ctx *ctx, const char *text, const smr_data *data,
                              struct smr_bn_graph *g);
/* The target is the only parent of all others. */
void smr_bn_graph_naive(struct smr_bn_graph *g);
smr_status smr_bn_graph_chowliu(smr_ctx *ctx, const struct smr_bn_rows *rows,
                                struct smr_bn_graph *g);
smr_status smr_bn_graph_climb(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                              const struct smr_bn_rows *rows, smr_fit_report *report,
                              struct smr_bn_graph *g);

/* Tables of the state's graph; log_likelihood and bic with them. */
smr_status smr_bn_learn_tables(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                               const struct smr_bn_rows *rows, struct smr_bayesnet_state *s,
                               smr_fit_report *report);

smr_status smr_bayesnet_prepare(smr_ctx *ctx, const void *params, void *state);
void smr_bayesnet_release(void *state);
int64_t smr_bayesnet_scratch(const void *params, const void *state, int64_t n);
smr_status smr_bayesnet_predict(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out,
                                void *scratch);
smr_status smr_bayesnet_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                                  const smr_drawing *of, double *x, int32_t *hidden);
smr_status smr_bayesnet_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_bayesnet_draw(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures);
smr_status smr_bayesnet_network(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *target,
                                const smr_strings *classes, struct smr_network *out);

#endif
