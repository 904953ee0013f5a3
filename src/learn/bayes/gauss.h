/* gauss.h -- Gaussian classes: what its files share.
 *
 *     gauss.c          parameters, state, descriptor, what prediction reads
 *     gauss_predict.c  from rows to answers
 *     gauss_fit.c      means, covariances; what to say where a covariance is singular
 *     gauss_shrink.c   how far covariances of classes move towards the shared one
 *     gauss_rows.c     rows drawn from the model
 *     gauss_describe.c words and pictures */
#ifndef SMR_LEARN_BAYES_GAUSS_H
#define SMR_LEARN_BAYES_GAUSS_H

#include "learn/bayes/class_prior.h"
#include "learn/bayes/class_within.h"
#include "learn/learner.h"

enum { SMR_GAUSS_FULL, SMR_GAUSS_SHARED, SMR_GAUSS_DIAGONAL, SMR_GAUSS_SPHERICAL };

/* shrinkage=auto, as a word in place of a number is held */
#define SMR_GAUSS_AUTO (-1.0)

struct smr_gauss_params {
    int covariance;
    double shrinkage;
    bool unbiased;
    int prior;
    smr_reals priors;
};

/* What prediction reads, built from the state.  Classes are padded to ld, columns to ldw. */
struct smr_gauss_tables {
    int64_t ld, ldw;
    double *base;          /* n_classes: log prior + log of the density at the mean; shared: + what
                              the mean adds                                                    */
    double *whiten;        /* full: n_classes x d x ldw, the inverse Cholesky factors by columns */
    double *mean, *scale;  /* diagonal and spherical: d x ld                                   */
    double *centre, *coef; /* shared: d; n_classes x d, of x - centre                          */
    double *w, *b;         /* shared: the same as a linear model of x, one score for two classes */
    double *log_det;       /* n_groups: log |covariance|                                       */
};

struct smr_gauss_state {
    int64_t n_features, n_classes;
    int64_t n_groups; /* covariances: one a class, or one for all       */
    int64_t n_sides;  /* numbers of one: d x d, d, or 1                 */
    uint8_t *used;    /* n_features: 0: the same value in all rows      */
    double *weight;   /* n_classes                                      */
    double *mean;     /* n_classes x n_features                         */
    double *cov;      /* n_groups x n_sides, shrinkage included         */
    double *shrunk;   /* n_groups: how far, 0 to 1                      */
    double *divisor;  /* n_groups: what sums of squares were divided by */
    double steadied;  /* shrinkage=auto: how far the shared covariance was moved towards its
                         variances                                      */
    struct smr_gauss_tables *tables;
};

smr_status smr_gauss_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                         smr_fit_report *report);
/* Rows that shrinkage=auto looks at. */
int64_t smr_gauss_sample_rows(const struct smr_gauss_state *s);
/* The share of the shared covariance in that of class k, and the mixture: (1) of gauss_shrink.c,
 * from s->cov before shrinkage. */
double smr_gauss_share(const struct smr_gauss_state *s, double amount, int64_t k);
void smr_gauss_mix(const struct smr_gauss_state *s, double amount, int64_t k, const double *shared,
                   double *out);
/* shrinkage=auto; singular: some covariance of s->cov is.  base: log priors. */
smr_status smr_gauss_choose(smr_ctx *ctx, const struct smr_gauss_state *s, bool singular,
                            const smr_class_sample *rows, const double *shared, const double *base,
                            double *amount);
int64_t smr_gauss_scratch(const void *params, const void *state, int64_t n);
smr_status smr_gauss_predict(smr_ctx *ctx, const void *params, const void *state,
                             const smr_rows *rows, smr_output output, double *out, void *scratch);
smr_status smr_gauss_describe(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_gauss_draw(smr_ctx *ctx, const void *params, const void *state,
                          const smr_feature *in, int64_t n_in, const char *prefix,
                          smr_json *figures);

smr_status smr_gauss_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                               const smr_drawing *of, double *x, int32_t *hidden);

/* log |S| of a positive definite S (d x d) and, unless NULL, its inverse Cholesky factor by columns
 * of ldw; *failed is the first column that depends on those before it, or -1. */
smr_status smr_gauss_factor(smr_ctx *ctx, int64_t d, const double *S, double *log_det,
                            double *whiten, int64_t ldw, int64_t *failed);

#endif
