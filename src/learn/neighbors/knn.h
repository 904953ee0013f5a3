/* knn.h -- what the files of the learner `knn` share. */
#ifndef SMR_LEARN_NEIGHBORS_KNN_H
#define SMR_LEARN_NEIGHBORS_KNN_H

#include "learn/learner.h"
#include "learn/neighbors/brute.h"
#include "learn/neighbors/kdtree.h"

enum { SMR_KNN_UNIFORM = 0, SMR_KNN_DISTANCE = 1 };
/* Queries that are searched together: whole tiles of the product kernels (14 rows each). */
enum { SMR_KNN_BATCH = 196 };
enum { SMR_KNN_AUTO = 0, SMR_KNN_BRUTE = 1, SMR_KNN_TREE = 2 };

struct smr_knn_params {
    int64_t k;
    int metric; /* smr_metric_name */
    double p;
    int weight;
    int algorithm;
};

/* What parameters and sizes decide, never the values: how rows are searched and laid out. */
struct smr_knn_plan {
    smr_metric_name metric; /* Minkowski with p = 1, 2 or infinite goes by its own name */
    bool by_tree;
    bool panels; /* brute force by products (layout.h) */
};

/* Derived from the state, never saved. */
struct smr_knn_search {
    smr_points points;
    int64_t K; /* rows that can be needed to fill k places */
    bool by_tree;
    smr_kdtree tree;
    smr_brute brute;
};

struct smr_knn_state {
    int64_t n, d, n_classes, n_outputs;
    int64_t groups, steps, lane; /* shape of the rows (layout.h)                            */
    uint8_t *x_u8;               /* the rows, in one of three forms: groups x steps x lane  */
    float *x_f32;
    double *x_f64;
    int32_t *order; /* tree: n, the number of the row at each place; else NULL */
    int32_t *label; /* classify: n, by row number                              */
    double *y;      /* regress: n x n_outputs                                  */
    double *weight; /* n, > 0; NULL: all 1                                     */
    struct smr_knn_search *search;
};

struct smr_knn_plan smr_knn_plan_of(const struct smr_knn_params *params, int64_t n, int64_t d);
/* The layout that the plan wants, and the rows in their form. */
smr_layout smr_knn_layout(const struct smr_knn_state *state, struct smr_knn_plan plan);
const void *smr_knn_rows(const struct smr_knn_state *state);

smr_status smr_knn_prepare(smr_ctx *ctx, const void *params, void *state);
void smr_knn_release(void *state);
smr_form smr_knn_form(const void *state);
int64_t smr_knn_scratch(const void *params, const void *state, int64_t n);
struct smr_trace;
/* The neighbours of one row, told one by one (learn/trace.h). */
smr_status smr_knn_trace(smr_ctx *ctx, const void *params, const void *state, const smr_rows *row,
                         struct smr_trace *trace);
smr_status smr_knn_predict(smr_ctx *ctx, const void *params, const void *state,
                           const smr_rows *rows, smr_output output, double *out, void *scratch);

/* Copies the training rows into the narrowest form that holds all of them exactly, laid out as the
 * plan wants them. */
smr_status smr_knn_keep_rows(smr_ctx *ctx, const smr_data *data, struct smr_knn_plan plan,
                             struct smr_knn_state *state);

#endif
