/* pca.h -- what the files of pca share: parameters, state, and the steps of its fit.
 *
 * pca.c         parameters, what is predicted, the descriptor
 * pca_fit.c     which route is taken, and how many components are kept
 * pca_routes.c  the routes that see all rows as a matrix: singular values, covariance
 * pca_pass.c    those that multiply with the rows, pass by pass: random, Lanczos
 * pca_cv.c      the number of components by cross-validation
 * pca_stream.c  rows one after another
 * pca_tell.c    inspect, figures, the trace */
#ifndef SMR_LEARN_FACTOR_PCA_H
#define SMR_LEARN_FACTOR_PCA_H

#include "learn/learner.h"
#include "learn/linear/held_rows.h"

/* ---- parameters ------------------------------------------------------------------------- */

/* Words in place of a number of components. */
#define SMR_PCA_ALL (-1.0)
#define SMR_PCA_CV (-2.0)

enum { SMR_PCA_AUTO = 0, SMR_PCA_SVD, SMR_PCA_COVARIANCE, SMR_PCA_RANDOM, SMR_PCA_LANCZOS };
enum { SMR_PCA_BY_ERROR = 0, SMR_PCA_BY_DISTANCE, SMR_PCA_BY_DENSITY };

struct smr_pca_params {
    double k; /* below 1: a share of the variance; or a word */
    bool whiten;
    int solver, score;
    int64_t passes, folds;
    double tol;
};

/* ---- state ------------------------------------------------------------------------------ */

struct smr_pca_state {
    int64_t n_features, n_out;
    int64_t route, scores;
    double weight;     /* of all rows                                                      */
    double total;      /* variance of all features together                                */
    double noise;      /* mean variance of the directions that are left out; 0: none       */
    double *mean;      /* n_features                                                       */
    double *component; /* n_out x n_features                                               */
    double *variance;  /* n_out, descending                                                */
    double *shift;     /* n_out: the mean, as features without a mean                      */
    int64_t n_known;   /* variances that the route came to, also of what is left out       */
    double *known;
    int64_t n_tried; /* by cross-validation: 1, 2 ... components                         */
    double *tried, *tried_error;
    int64_t n_sample, n_plane; /* rows kept for pictures, and how many of their features */
    double *sample;            /* n_sample x n_plane                                     */
    int64_t n_item;            /* 4, or 0: the rows are not items                        */
    int64_t *item;
    /* From a stream only: sums of what was seen, in a basis of its own. */
    int64_t n_room, n_basis; /* directions that there is room for, and that are used   */
    double *basis;           /* n_room x n_features, orthonormal rows                  */
    double *scatter;         /* n_room x n_room                                        */
    double squares;          /* of the distances from the mean                         */
};

/* ---- fit -------------------------------------------------------------------------------- */

/* A fit under way. */
struct smr_pca_work {
    const struct smr_pca_params *p;
    smr_data data; /* as they are read: in memory where they were computed                  */
    smr_fit_report *report;
    int64_t n, d, route;
    bool is_sparse;
    double weight, divisor; /* of the rows; of their squares                             */
    double total;           /* variance                                                  */
    double *mean;           /* d                                                         */
    bool *constant;         /* d: features that do not vary, but for rounding             */
    /* Pairs, descending; vectors are rows of d. */
    int64_t n_pairs, n_values; /* variances may be known without their vectors           */
    double *value, *vector;
    double rounding; /* values up to this share of the largest are none                    */
};

/* Marks feature j where its deviation is rounding of its mean. */
void smr_pca_note_spread(struct smr_pca_work *w, int64_t j, double sd);
/* How many components the variances ask for, at most n_values; of a share the fewest that have it.
 * 0: the values do not come to that share. */
int64_t smr_pca_count(const struct smr_pca_work *w, double k);
/* Dense rows less their mean, times the root of their weight: n x d, or their transpose. */
smr_status smr_pca_centred(smr_ctx *ctx, const struct smr_pca_work *w, double **Z);
/* Pairs by a route; wanted: how many vectors are of use, 0: not known before. */
smr_status smr_pca_by_svd(smr_ctx *ctx, struct smr_pca_work *w);
smr_status smr_pca_by_covariance(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted);
smr_status smr_pca_by_passes(smr_ctx *ctx, struct smr_pca_work *w, int64_t wanted);
/* By cross-validation: the number of components, and how each number did. */
smr_status smr_pca_choose(smr_ctx *ctx, struct smr_pca_work *w, struct smr_pca_state *s,
                          int64_t *k);
/* The rule of signs: of the entries that are as large as the largest, the first is positive. */
void smr_pca_sign(int64_t d, double *vector);
/* Variances that are not of components: how much is left over for each direction without one. */
double smr_pca_noise(const struct smr_pca_state *s);

/* ---- what is predicted ------------------------------------------------------------------ */

/* Features of rows, dense doubles or sparse ones, without whitening, and the squared distances from
 * the plane of the components (off; NULL: not wanted).  work: SMR_PCA_GROUP x n_features. */
enum { SMR_PCA_GROUP = 32 };
void smr_pca_project(const struct smr_pca_state *s, const smr_rows *rows, double *z, double *off,
                     double *work);
smr_status smr_pca_predict(smr_ctx *ctx, const void *params, const void *state,
                           const smr_rows *rows, smr_output output, double *out, void *scratch);

/* ---- other parts of the descriptor ------------------------------------------------------ */

smr_status smr_pca_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);
smr_status smr_pca_begin(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);
smr_status smr_pca_learn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                         const smr_truths *truths, double *out);
smr_status smr_pca_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_pca_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures);
/* Tells the components one by one to who watches the fit. */
smr_status smr_pca_watch(smr_ctx *ctx, const struct smr_pca_state *s, const smr_data *data,
                         smr_fit_report *report);
/* The name of a route, "covariance". */
const char *smr_pca_route(int64_t route);

#endif
