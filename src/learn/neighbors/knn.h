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
    double least; /* lof: the least reach */
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
    double *far;    /* lof: n, the distance of each row to its k-th neighbour  */
    double *reach;  /* lof: n, (2) of lof.c                                    */
    struct smr_knn_search *search;
    const char *who; /* whose state it is, for messages */
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

/* (3) of knn.c, negated.  Of a state with `far`, minus the reach of the row, and with `reach` minus
 * its local outlier factor (lof.c). */
double smr_knn_outlying(const struct smr_knn_params *params, const struct smr_knn_state *state,
                        smr_near_set *nearest);
double smr_knn_least_reach(const struct smr_knn_state *state);

/* What knn and lof share of a fit, of a check, and of inspect. */
smr_status smr_knn_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);
smr_status smr_knn_check_rows(smr_ctx *ctx, const char *who, const struct smr_knn_params *params,
                              const struct smr_knn_state *state);
smr_status smr_knn_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);

/* Of their tables: distances, and the rows as they are searched. */
extern const smr_choice smr_knn_metrics[], smr_knn_algorithms[];
#define SMR_KNN_METRIC_ROWS                                                                        \
    {SMR_FIELD(struct smr_knn_params, metric), .def = SMR_METRIC_EUCLIDEAN,                        \
     .choices = smr_knn_metrics, .search = SMR_SEARCH_VALUES, .doc = "How distance is measured."}, \
    {                                                                                              \
        SMR_FIELD(struct smr_knn_params, p),                                                       \
            .def = 3, .min = 1, .max = INFINITY, .when = "metric=minkowski",                       \
            .search = SMR_SEARCH_LOG, .search_min = 1, .search_max = 8,                            \
            .doc =                                                                                 \
                "Exponent of the Minkowski distance; 1, 2 and inf are manhattan, euclidean and "   \
                "chebyshev."                                                                       \
    }
#define SMR_KNN_STATE_ROWS                                                                         \
    {SMR_KEPT(struct smr_knn_state, groups), .min = 1,                                             \
     .doc = "Groups of 16 or 32 rows, in which they are searched."},                               \
        {SMR_KEPT(struct smr_knn_state, steps), .min = 1,                                          \
         .doc = "Steps of a group: features; for products of bytes a quarter, rounded up."},       \
        {SMR_KEPT(struct smr_knn_state, lane), .min = 16, .max = 128,                              \
         .doc = "Values of a step: one of each row; for products of bytes four, each less 128."},  \
        {SMR_KEPT(struct smr_knn_state, x_u8), .dims = {"groups", "steps", "lane"},                \
         .optional = true,                                                                         \
         .doc = "Training rows, when all values are whole numbers from 0 to 255; padded with "     \
                "zeros."},                                                                         \
        {SMR_KEPT(struct smr_knn_state, x_f32), .dims = {"groups", "steps", "lane"},               \
         .optional = true,                                                                         \
         .doc = "Training rows, when single precision holds all values exactly."},                 \
        {SMR_KEPT(struct smr_knn_state, x_f64), .dims = {"groups", "steps", "lane"},               \
         .optional = true, .doc = "Training rows, otherwise."},                                    \
    {                                                                                              \
        SMR_KEPT(struct smr_knn_state, order), .below = "n", .dims = {"n"}, .optional = true,      \
                                               .doc = "Tree: the number of the row at each place." \
    }

/* Copies the training rows into the narrowest form that holds all of them exactly, laid out as the
 * plan wants them. */
smr_status smr_knn_keep_rows(smr_ctx *ctx, const smr_data *data, struct smr_knn_plan plan,
                             struct smr_knn_state *state);

#endif
