/* gmm.h -- what the files of gmm share: parameters, state, tables, and the parts of its fit.
 *
 * gmm.c         parameters, what is predicted, the descriptor
 * gmm_tables.c  densities of rows in all components
 * gmm_pass.c    a pass over the rows: their shares, and the sums that these weigh
 * gmm_update.c  the components that sums make likeliest, and where EM begins
 * gmm_fit.c     EM, its starts, and the number of components
 * gmm_rows.c    rows drawn from a mixture
 * gmm_tell.c    inspect, figures, the trace */
#ifndef SMR_LEARN_CLUSTER_GMM_H
#define SMR_LEARN_CLUSTER_GMM_H

#include "core/span.h"
#include "kernel/chain_kernels.h"
#include "learn/learner.h"
#include "learn/linear/held_rows.h"

/* ---- parameters ------------------------------------------------------------------------- */

enum { SMR_GMM_MOST = SMR_NORMALS_MOST }; /* components */
enum { SMR_GMM_FULL, SMR_GMM_TIED, SMR_GMM_DIAGONAL, SMR_GMM_SPHERICAL, SMR_GMM_UNIT };
enum { SMR_GMM_BY_KMEANS, SMR_GMM_BY_PLUSPLUS, SMR_GMM_BY_RANDOM };
enum { SMR_GMM_BIC, SMR_GMM_AIC };

struct smr_gmm_params {
    int64_t k, most, restarts, max_iter;
    int covariance, start, criterion;
    double tol, floor;
};

/* ---- components and state --------------------------------------------------------------- */

/* k components of d features.  Covariances are n_shapes x n_spread numbers: full ones row by row,
 * variances, one variance, or none. */
struct smr_gmm_parts {
    int64_t k, d, n_shapes, n_spread;
    double *share, *mean, *spread; /* k, k x d, n_shapes x n_spread */
};

struct smr_gmm_state {
    int64_t n_features, k, n_shapes, n_spread;
    double *share, *mean, *spread;
    double weight, log_likelihood; /* of the rows                               */
    int64_t n_thin;                /* components held at the floor              */
    int64_t n_curve;
    double *curve; /* n_curve: log-likelihood, at the start and after each iteration    */
    int64_t n_tried;
    double *tried; /* n_tried: the criterion of 1, 2 ... components; NaN: one collapsed */
    int64_t n_plane, n_sample;
    int32_t *plane;                /* n_plane: features that are drawn */
    double *sample;                /* n_sample x n_plane               */
    struct smr_gmm_tables *tables; /* built by prepare  */
};

/* Sizes of the covariances of k components of d features. */
void smr_gmm_shapes(int covariance, int64_t k, int64_t d, struct smr_gmm_parts *out);
struct smr_gmm_parts smr_gmm_parts_of(const struct smr_gmm_state *s);
/* Entry (i, j) of the covariance of component c. */
double smr_gmm_covariance(int covariance, const struct smr_gmm_parts *parts, int64_t c, int64_t i,
                          int64_t j);
/* Free parameters. */
double smr_gmm_free(int covariance, const struct smr_gmm_parts *parts);

/* ---- densities: gmm_tables.c ------------------------------------------------------------ */

/* How components are read fast: covariances that join features as whitening matrices, others as
 * lanes.  Rows of components have `width` numbers, those after k being 0. */
struct smr_gmm_tables {
    const struct smr_gmm_parts *parts;
    struct smr_gmm_parts own; /* `parts`, where they are a state's */
    int64_t width, ldw;
    bool whitens;
    double *white;       /* n_shapes x d x ldw, by columns          */
    double *peak;        /* width: log of share and density at the mean */
    double *lanes;       /* mean, scale: d x width                   */
    smr_normals normals; /* over peak and lanes                      */
};

/* Room for k components; parts stay where they are. */
smr_status smr_gmm_tables_create(smr_ctx *ctx, int covariance, const struct smr_gmm_parts *parts,
                                 struct smr_gmm_tables **out);
void smr_gmm_tables_free(struct smr_gmm_tables *t);
/* Reads the parts; a covariance that is not positive definite is SMR_ERR_NUMERIC. */
smr_status smr_gmm_tables_fill(smr_ctx *ctx, int covariance, struct smr_gmm_tables *t);
/* p (n x width) = densities of n rows times the shares, over the largest of each row, whose
 * logarithm is top. */
void smr_gmm_rows(const struct smr_gmm_tables *t, int64_t n, const double *X, int64_t ldx,
                  double *p, double *top);

/* ---- fit -------------------------------------------------------------------------------- */

enum { SMR_GMM_BLOCK = 256 }; /* rows at a time */

/* Sums over rows of a pass; of one component after another, measured from its mean. */
struct smr_gmm_sums {
    double *all; /* the block that these lie in */
    int64_t n;
    double *weight;       /* width                                                       */
    double *gram;         /* covariances that join features: k x (d+1) x (d+1), of (x - mean, 1) */
    double *sum, *square; /* others: k x d each                                     */
    double *value;        /* 1: log-likelihood                                      */
};

/* Room of a lane. */
struct smr_gmm_room {
    double *p, *top, *total, *z, *work;
};

struct smr_gmm_fit {
    const struct smr_gmm_params *params;
    const smr_data *given;
    smr_data data; /* as it is read */
    smr_fit_report *report;
    smr_held_rows held;
    int64_t n, d, n_tasks, n_lanes;
    double weight;            /* of all rows                                              */
    double *mean, *deviation; /* d: of all rows */
    bool *constant;           /* d: it does not vary, and has the deviation 1e-6 (1 + |value|) */
    struct smr_gmm_room *rooms;
    /* Of the number of components that is tried. */
    struct smr_gmm_tables *tables;
    struct smr_gmm_sums *sums; /* n_tasks */
    int64_t n_thin;            /* components that the last update held at the floor */
    bool tells_k;              /* several numbers of components are tried           */
};

/* A state is filled.  Sums are released with their tables. */
smr_status smr_gmm_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);

smr_status smr_gmm_sums_create(smr_ctx *ctx, int64_t k, int64_t d, int64_t width, bool whitens,
                               struct smr_gmm_sums *out);
int64_t smr_gmm_sums_size(int64_t k, int64_t d, int64_t width, bool whitens);
smr_status smr_gmm_room_create(smr_ctx *ctx, int64_t d, int64_t width, bool whitens,
                               struct smr_gmm_room *out);
void smr_gmm_room_release(struct smr_gmm_room *r);
/* Adds n rows that have weight p (n x width) in the components. */
void smr_gmm_count(const struct smr_gmm_tables *t, int64_t n, const double *X, int64_t ldx,
                   const double *p, struct smr_gmm_room *room, struct smr_gmm_sums *to);
/* A pass: sums[0] = those of all rows, *value their log-likelihood. */
smr_status smr_gmm_pass(smr_ctx *ctx, struct smr_gmm_fit *f, double *value);
/* The components that the sums make likeliest. */
smr_status smr_gmm_update(smr_ctx *ctx, struct smr_gmm_fit *f, const struct smr_gmm_sums *sums,
                          struct smr_gmm_parts *parts);
/* Components to begin with. */
smr_status smr_gmm_start(smr_ctx *ctx, struct smr_gmm_fit *f, int64_t attempt,
                         struct smr_gmm_parts *parts);

/* ---- other parts of the descriptor ------------------------------------------------------ */

smr_status smr_gmm_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                             const smr_drawing *of, double *x, int32_t *hidden);
smr_status smr_gmm_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_gmm_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures);
/* Tells a step of EM to who watches the fit. */
void smr_gmm_watch(smr_ctx *ctx, const struct smr_gmm_fit *f, int64_t start, int64_t iteration,
                   double value);

#endif
