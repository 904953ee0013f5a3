/* lstsq_parts.h -- what the parts of least squares share; private to math/lstsq*.c and to ridge. */
#ifndef SMR_MATH_LSTSQ_PARTS_H
#define SMR_MATH_LSTSQ_PARTS_H

#include "math/lstsq.h"

/* The least squares problem once the rows are no longer needed: centred columns X and outputs Y
 * with
 *
 *     A'A = S X'X S,   A' C = S X'Y,   S = diag(1 / length)
 *
 * where A is upper triangular with columns of unit length (a zero column where X's is constant). */
typedef struct smr_triangle {
    int64_t d, q;
    double *A;         /* d x d row-major, that is, A' by columns                            */
    double *C;         /* d x q by columns                                                   */
    double *length;    /* d, of the centred columns; 1 for a constant                        */
    double *noise;     /* d: rounding of the column's values, relative to its length         */
    double *mean;      /* d + q                                                              */
    double *rss, *tss; /* q                                                               */
    double weight;
} smr_triangle;

smr_status smr_triangle_create(smr_ctx *ctx, int64_t d, int64_t q, smr_triangle *out);
void smr_triangle_release(smr_triangle *t);

/* By QR over tiles of rows. */
smr_status smr_triangle_qr(smr_ctx *ctx, const smr_row_source *rows, bool intercept,
                           smr_triangle *out);

/* Improves coef (q x d) and origin (q), and replaces rss by its value in twice the precision; needs
 * full rank.  Returns how many steps were kept. */
smr_status smr_lstsq_refine(smr_ctx *ctx, const smr_row_source *rows, const smr_triangle *t,
                            smr_lstsq *fit);

/* How many columns of A are independent. */
smr_status smr_triangle_rank(smr_ctx *ctx, const smr_triangle *t, int64_t *pivot, int64_t *rank);
/* coef and variance of the minimum-norm solution, and the dependencies; pivot, rank as above. */
smr_status smr_lstsq_deficient(smr_ctx *ctx, const smr_triangle *t, const int64_t *pivot,
                               int64_t rank, smr_lstsq *fit);
/* origin and origin_variance from coef; B (r columns of length d, original units) is such that
 * B B' = (X'X)^+. */
void smr_lstsq_origin(const smr_triangle *t, int64_t r, const double *B, smr_lstsq *fit);

/* Singular values of the centred, weighted rows, for n_rows <= n_cols: k = n_rows of them,
 * X = sum_i s_i u_i v_i'. */
typedef struct smr_wide {
    int64_t n, d, k;
    double *s;    /* k, descending                                                        */
    double *V;    /* k x d: v_i                                                           */
    double *U;    /* n x k row-major: entry i of u_j at i * k + j                         */
    double *Y;    /* n x q: centred, weighted outputs                                     */
    double *mean; /* d + q                                                                */
    double *tss;  /* q                                                                    */
    double weight;
} smr_wide;

smr_status smr_wide_create(smr_ctx *ctx, const smr_row_source *rows, bool intercept, smr_wide *out);
void smr_wide_release(smr_wide *w);

#endif
