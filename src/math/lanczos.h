/* lanczos.h -- a few eigenpairs of a large symmetric matrix that is only multiplied with.
 *
 * Thick-restart block Lanczos with full reorthogonalisation.  From a few random vectors a basis Q
 * of up to `basis` vectors grows by A q made orthogonal to all of them; with H = Q'A Q and
 * H Y = Y diag(w), the pairs (w, Q y) at the wanted end are close to A's, and the basis begins
 * again with the best of them:
 *
 *     residual of a pair   |A Q y - w Q y| = |R y's last entries|,  R: what A q left over      (1)
 *
 * It ends when (1) is at most tol |A| for all that are wanted; then products with A confirm it.  A
 * vector space that A does not leave ends the growth: a random vector goes on from there.  A value
 * of which A has several vectors shows only one of them to a single start; so a finished search is
 * tried again from random vectors orthogonal to what was found, and goes on if these come to a
 * better value (`sure`).
 *
 * Nothing is static, and all bits depend on the matrix and the options alone, at any number of
 * threads.  Memory: n (basis + block) + O(basis^2) numbers, never n^2.
 * References: Wu & Simon, SIAM J. Matrix Anal. Appl. 22 (2000); Saad, Numerical Methods for Large
 * Eigenvalue Problems, 2011. */
#ifndef SMR_MATH_LANCZOS_H
#define SMR_MATH_LANCZOS_H

#include "core/ctx.h"

/* A symmetric matrix: Y = A X for k vectors, by columns; X and Y lie apart.  A column's bits depend
 * on it alone, on any number of threads. */
typedef struct smr_operator {
    int64_t n;
    smr_status (*times)(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx, double *Y,
                        int64_t ldy);
    void *arg;
} smr_operator;

typedef struct smr_lanczos_opts {
    int64_t k;            /* pairs that are wanted, 1 <= k <= n - n_known                        */
    bool smallest;        /* the smallest values; else the largest                               */
    int64_t block;        /* vectors that are multiplied at once; 0: 1                           */
    int64_t basis;        /* vectors kept; 0: 2 k + 20, at least 40                              */
    double tol;           /* of a residual, in units of the largest value met; 0: 1e-10          */
    int64_t max_products; /* of vectors with A; 0: 100 n, at least 100000                        */
    bool sure;            /* search again for further vectors of the values found                */
    const double *known;  /* n x n_known by columns, orthonormal: eigenvectors that are left out */
    int64_t n_known;
    const double *start; /* n x block: where to begin; NULL: at random                           */
    const char *what;    /* of the work, for progress; NULL: none                                */
    /* Told after each restart: how many products so far, how many of the wanted are there, and the
     * largest residual of those that are wanted; may be NULL. */
    smr_status (*tell)(smr_ctx *ctx, void *arg, int64_t n_products, int64_t n_there, double worst);
    void *tell_arg;
} smr_lanczos_opts;

typedef struct smr_eigenpairs {
    int64_t n, k;
    double *value;    /* k: from the wanted end                                               */
    double *vector;   /* n x k by columns, orthonormal                                        */
    double *residual; /* k: |A x - value x|                                                   */
    double norm;      /* the largest size of a value met: about |A|                           */
    int64_t n_products;
    bool converged; /* every residual is at most tol norm                                   */
} smr_eigenpairs;

/* A stop at max_products is no failure: pairs that are not there yet come with their residuals. */
smr_status smr_lanczos(smr_ctx *ctx, const smr_operator *A, const smr_lanczos_opts *opts,
                       smr_eigenpairs *out);
void smr_eigenpairs_release(smr_eigenpairs *p);

/* ---- a filter ---- */

/* p(A) for the Chebyshev polynomial that is small on [low, high] and grows below `low`: the
 * smallest values of A are the largest of p(A), and much farther apart from the rest; vectors are
 * the same.  One product with p(A) is `degree` products with A.  p is scaled to 1 at `at`, below
 * low. */
typedef struct smr_filter {
    const smr_operator *A;
    double low, high, at;
    int64_t degree;
    double *room; /* n x 2 x most */
    int64_t most; /* columns of a product */
} smr_filter;

smr_status smr_filter_create(smr_ctx *ctx, const smr_operator *A, double low, double high,
                             double at, int64_t degree, int64_t most, smr_filter *out);
void smr_filter_release(smr_filter *f);
smr_operator smr_filter_operator(smr_filter *f);

/* ---- parts, for tests and for code that works on such bases ---- */

/* Makes the `width` columns of W (n x width by columns) orthogonal to the k columns of Q, twice;
 * C (k x width by columns; NULL: not wanted) = Q'W of before. */
smr_status smr_orthogonalize(smr_ctx *ctx, int64_t n, int64_t k, const double *Q, int64_t width,
                             double *W, double *C);

#endif
