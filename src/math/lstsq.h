/* lstsq.h -- weighted linear least squares for tall, wide and rank-deficient problems.
 *
 * Minimises over the q columns of B (d x q) and b (q), b = 0 without intercept:
 *
 *     sum_i w_i |y_i - b - B' x_i|^2                                                            (1)
 *
 * and, where (1) has many solutions, takes the one with the least |B|: the intercept is not part of
 * the norm.  Three ways, chosen by the data alone:
 *
 *     gram   Cholesky of the centred Gram matrix: one pass over the rows at the speed of a matrix
 *            product.  Kept only when the condition of the scaled columns proves that no
 *            coefficient loses more than 1e-9 of the solution's size, and the fit is not almost
 *            exact.
 *     qr     Householder QR over tiles of rows (TSQR), then refinement with residuals in twice the
 *            precision, then, if pivoting shows the rank to be less than d, the minimum-norm
 *            solution.  Small problems go here at once.
 *     svd    n <= d: singular values of the rows themselves (one copy of X).
 *
 * Only tiles of rows are copied in the first two.  Results have the same bits at any thread
 * count.
 * References: Golub & Van Loan, Matrix Computations, 4th ed., 5.2-5.5; Demmel, Grigori,
 * Hoemmen & Langou, SIAM J. Sci. Comput. 34(1), 2012 (TSQR); Bjorck, Linear Algebra Appl. 88/89,
 * 1987 (refinement with the triangular factor). */
#ifndef SMR_MATH_LSTSQ_H
#define SMR_MATH_LSTSQ_H

#include "math/gram.h"

typedef enum smr_lstsq_method {
    SMR_LSTSQ_AUTO = 0,
    SMR_LSTSQ_GRAM = 1, /* wanted, but given up for qr when the matrix is not positive definite */
    SMR_LSTSQ_QR = 2,
    SMR_LSTSQ_SVD = 3
} smr_lstsq_method;

typedef struct smr_lstsq_opts {
    bool intercept;
    smr_lstsq_method method;
} smr_lstsq_opts;

enum { SMR_DEPENDENCY_TERMS = 4 };

/* Column `column` = sum of factor * column `on` (+ a constant, with intercept).  No terms: the
 * column is constant (zero, without intercept). */
typedef struct smr_dependency {
    int64_t column;
    int64_t n_terms; /* all; the first SMR_DEPENDENCY_TERMS are kept, largest share first */
    int64_t on[SMR_DEPENDENCY_TERMS];
    double factor[SMR_DEPENDENCY_TERMS];
    double constant; /* exactly 0 where it is rounding */
} smr_dependency;

typedef struct smr_lstsq {
    int64_t d, q;
    bool centred;   /* with intercept                                                      */
    int64_t rank;   /* of the centred columns                                              */
    double weight;  /* sum of the weights: the number of rows                              */
    double *coef;   /* q x d                                                               */
    double *origin; /* q: the intercepts b                                                 */
    /* Diagonal of (X'X)^-1: times the residual variance, the coefficients' variances.  NaN where
     * the data do not determine the coefficient. */
    double *variance; /* d                                                                 */
    double origin_variance;
    double *rss, *tss; /* q: squared residuals; squared outputs, around the mean with intercept */
    double condition;  /* of the columns scaled to unit length, in the 1-norm, estimated; inf when
                          rank < d                                                         */
    smr_lstsq_method method;
    int64_t n_refined; /* refinement steps that were kept                                  */
    int64_t n_dependencies;
    smr_dependency *dependencies; /* n_dependencies: d - rank of them; none for svd        */
} smr_lstsq;

smr_status smr_lstsq_fit(smr_ctx *ctx, const smr_row_source *rows, const smr_lstsq_opts *opts,
                         smr_lstsq *out);
void smr_lstsq_release(smr_lstsq *fit);

#endif
