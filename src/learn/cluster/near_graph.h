/* near_graph.h -- the graph of rows that are near each other, for learners that divide or unfold
 * it: its parameters, and how it is made.
 *
 * A row of weight w is w equal rows, as nearly as one node can be: neighbours count by weight, the
 * row's own copies first, and of the last neighbour only the part that is needed to make up
 * `neighbors`; a link between rows of weights v and w is v w links, and the copies of a row are
 * linked by w (w - 1) links of distance 0 (none where w < 1).  What a division cuts is what it cuts
 * of the graph of the copies; where no neighbour is taken in part, so are the eigenvectors. */
#ifndef SMR_LEARN_CLUSTER_NEAR_GRAPH_H
#define SMR_LEARN_CLUSTER_NEAR_GRAPH_H

#include "learn/cluster/sites.h"
#include "math/graph.h"

enum { SMR_GRAPH_KNN = 0, SMR_GRAPH_MUTUAL, SMR_GRAPH_EPSILON, SMR_GRAPH_FULL };
enum { SMR_GRAPH_AUTO = 0, SMR_GRAPH_ONES, SMR_GRAPH_GAUSSIAN };

/* The parameters, as fields of a learner's own struct: */
#define SMR_GRAPH_FIELDS                   \
    int graph, weights, metric, laplacian; \
    int64_t neighbors;                     \
    double eps, sigma;

extern const smr_choice smr_graph_choices[], smr_graph_weights[], smr_graph_metrics[],
    smr_graph_laplacians[];

#define SMR_GRAPH_PARAMS(type_)                                                                    \
    {SMR_FIELD(type_, graph), .def = SMR_GRAPH_KNN, .choices = smr_graph_choices,                  \
     .search = SMR_SEARCH_VALUES, .doc = "Which rows are linked."},                                \
        {SMR_FIELD(type_, neighbors),                                                              \
         .def = 10,                                                                                \
         .min = 1,                                                                                 \
         .max = 10000,                                                                             \
         .when = "graph=knn|mutual",                                                               \
         .search = SMR_SEARCH_LOG,                                                                 \
         .search_min = 3,                                                                          \
         .search_max = 50,                                                                         \
         .simpler = SMR_SIMPLER_HIGH,                                                              \
         .doc = "Nearest rows of each that count; with row weights, rows of this weight."},        \
        {SMR_FIELD(type_, eps),                                                                    \
         .unset = true,                                                                            \
         .min = 0,                                                                                 \
         .min_open = true,                                                                         \
         .max = INFINITY,                                                                          \
         .max_open = true,                                                                         \
         .when = "graph=epsilon",                                                                  \
         .search = SMR_SEARCH_LOG,                                                                 \
         .search_min = 1e-2,                                                                       \
         .search_max = 10,                                                                         \
         .simpler = SMR_SIMPLER_HIGH,                                                              \
         .doc = "How near linked rows are; unset: by the same rule as sigma."},                    \
        {SMR_FIELD(type_, weights), .def = SMR_GRAPH_AUTO, .choices = smr_graph_weights,           \
         .search = SMR_SEARCH_VALUES, .doc = "How strong links are."},                             \
        {SMR_FIELD(type_, sigma),                                                                  \
         .unset = true,                                                                            \
         .min = 0,                                                                                 \
         .min_open = true,                                                                         \
         .max = INFINITY,                                                                          \
         .max_open = true,                                                                         \
         .when = "weights!=one",                                                                   \
         .search = SMR_SEARCH_LOG,                                                                 \
         .search_min = 1e-2,                                                                       \
         .search_max = 10,                                                                         \
         .simpler = SMR_SIMPLER_HIGH,                                                              \
         .doc = "Width of gaussian weights; unset: the mean distance to neighbour number log n + " \
                "1, rounded up."},                                                                 \
        {SMR_FIELD(type_, metric), .def = SMR_METRIC_EUCLIDEAN, .choices = smr_graph_metrics,      \
         .search = SMR_SEARCH_VALUES, .doc = "How distance is measured."},                         \
    {                                                                                              \
        SMR_FIELD(type_, laplacian), .def = SMR_LAPLACIAN_WALK, .choices = smr_graph_laplacians,   \
                                     .search = SMR_SEARCH_VALUES,                                  \
                                     .doc = "Whose eigenvectors are taken."                        \
    }

typedef struct smr_graph_opts {
    const char *who; /* for messages */
    int graph, weights;
    int64_t neighbors;
    double eps, sigma; /* NaN: by rule; what is found takes their place */
    smr_metric_name metric;
    const double *weight; /* of the row at each place; NULL: all 1 */
} smr_graph_opts;

/* The parameters of a struct, with auto decided; checked when they are given. */
#define SMR_GRAPH_OPTS(who_, p_)                                                            \
    ((smr_graph_opts){.who = (who_),                                                        \
                      .graph = (p_)->graph,                                                 \
                      .weights = smr_graph_weighs((p_)->graph, (p_)->weights, (p_)->sigma), \
                      .neighbors = (p_)->neighbors,                                         \
                      .eps = (p_)->eps,                                                     \
                      .sigma = (p_)->sigma,                                                 \
                      .metric = (smr_metric_name)(p_)->metric})
int smr_graph_weighs(int graph, int weights, double sigma);
smr_status smr_graph_check(smr_ctx *ctx, const char *who, int graph, int weights);

/* Nodes are places of the search. */
smr_status smr_near_graph(smr_ctx *ctx, const smr_site_search *search, smr_graph_opts *opts,
                          smr_graph *out);
/* The weight of a link of that length. */
double smr_near_weight(const smr_graph_opts *opts, double distance);

/* The training rows and their graph. */
typedef struct smr_rows_graph {
    smr_site_tree tree;
    double *weight;    /* of each place; NULL: all 1         */
    smr_graph graph;   /* nodes are places                    */
    double eps, sigma; /* that were used; 0: none             */
    double links;
} smr_rows_graph;

smr_status smr_rows_graph_make(smr_ctx *ctx, const smr_data *data, const smr_graph_opts *opts,
                               smr_rows_graph *out);
void smr_rows_graph_release(smr_rows_graph *g);

#endif
