/* reflect.h -- Householder reflectors, and many of them at once as matrix products.
 *
 * H = I - tau v v' with v_0 = 1.  The product of k of them, in this order, is
 *
 *     H_0 H_1 ... H_{k-1} = I - V T V',   T upper triangular (k x k),
 *
 * where column j of V (m x k) is v_j with j zeros above its 1: the compact WY form.  Matrices are
 * by columns.  Every entry of the products is one chain over ascending rows, so bits depend on the
 * numbers alone. */
#ifndef SMR_MATH_REFLECT_H
#define SMR_MATH_REFLECT_H

#include "core/ctx.h"

/* H (alpha; x) = (beta; 0), x of n numbers: *alpha becomes beta, x the rest of v; returns tau, 0
 * where x is zero already (then H = I), else in [1, 2].  Safe at any scale. */
double smr_reflector(int64_t n, double *alpha, double *x);

enum { SMR_REFLECT_MOST = 256 }; /* reflectors in a block */

/* A block of reflectors, copied into the form in which it is multiplied: about 2 m k numbers. */
typedef struct smr_reflect {
    int64_t m, k;
    double *T;              /* k x k by columns, zeros below the diagonal; ld is k            */
    double *top;            /* V's first rows with its ones and zeros                         */
    double *rows, *columns; /* V's rows and columns, packed for smr_product_add               */
    double *factor;         /* -T or -T', packed                                              */
    double *work;           /* of the lanes                                                   */
    double *block;          /* the one allocation                                             */
} smr_reflect;

/* Room for at most k <= SMR_REFLECT_MOST reflectors of at most m rows. */
smr_status smr_reflect_create(smr_ctx *ctx, int64_t m, int64_t k, smr_reflect *r);
void smr_reflect_release(smr_reflect *r);
/* Takes k reflectors; V is m x k (k <= m), its diagonal and what is above are not read.  r->T is
 * made from V and tau. */
smr_status smr_reflect_take(smr_ctx *ctx, smr_reflect *r, int64_t m, int64_t k, const double *V,
                            int64_t ldv, const double *tau);
/* The same with the T (k x k, its upper triangle) that the caller has already. */
smr_status smr_reflect_take_with(smr_ctx *ctx, smr_reflect *r, int64_t m, int64_t k,
                                 const double *V, int64_t ldv, const double *T, int64_t ldt);
/* C (m x n) = (I - V T V') C, or with T' (which is the inverse), on all threads. */
smr_status smr_reflect_apply(smr_ctx *ctx, const smr_reflect *r, bool transpose, int64_t n,
                             double *C, int64_t ldc);
/* The same by hand, for callers with other work for the threads meanwhile: first prepare; then each
 * strip of n <= SMR_REFLECT_STRIP columns on its own, with the lane that runs it. */
enum { SMR_REFLECT_STRIP = 28 };
void smr_reflect_prepare(const smr_reflect *r, bool transpose);
void smr_reflect_strip(const smr_reflect *r, int lane, int64_t n, double *C, int64_t ldc);

#endif
