/* qr_checks.h -- what the tests of the QR share: factors multiplied back, and judged. */
#ifndef SMR_TESTS_QR_CHECKS_H
#define SMR_TESTS_QR_CHECKS_H

#include "matrices.h"

static inline int64_t smaller(int64_t m, int64_t n)
{
    return m < n ? m : n;
}

static inline double *copy_of(const double *A, int64_t n)
{
    double *B = matrix_new(n);
    memcpy(B, A, (size_t)n * sizeof *A);
    return B;
}

/* C (m x n, ld m) = A B with A m x k. */
static inline double *product_of(smr_ctx *ctx, int64_t m, int64_t n, int64_t k, const double *A,
                                 int64_t lda, const double *B, int64_t ldb)
{
    double *C = matrix_new(m * n);
    smr_update u = {m, n, k, {A, 1, lda}, {B, 1, ldb}, C, m, false, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    return C;
}

/* R (r x n, ld r) of a factored matrix. */
static inline double *triangle_of(int64_t m, int64_t n, const double *F, int64_t ldf)
{
    int64_t r = smaller(m, n);
    double *R = matrix_new(r * n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < r && i <= j; i++) R[i + j * r] = F[i + j * ldf];
    return R;
}

/* F, tau is the QR of A P: Q is orthogonal, and Q R is A P (pivot NULL: A). */
static inline void check_factor(smr_ctx *ctx, enum matrix_kind kind, int64_t m, int64_t n,
                                const double *A, int64_t lda, const int64_t *pivot, const double *F,
                                const double *tau) /* lint: allow arguments, two matrices */
{
    int64_t r = smaller(m, n);
    double *R = triangle_of(m, n, F, lda), *Q = copy_of(F, lda * r), *P = matrix_new(m * n);
    check_ok(ctx, smr_qr_form(ctx, m, r, Q, lda, tau));
    double *back = product_of(ctx, m, n, r, Q, lda, R, r);
    for (int64_t j = 0; j < n; j++)
        memcpy(P + j * m, A + (pivot ? pivot[j] : j) * lda, (size_t)m * sizeof *P);
    check_ratio("Q R", kind, m, n, matrix_ratio(m, n, P, m, back, m));
    check_ratio("Q'Q", kind, m, n, matrix_orthogonal(ctx, m, r, Q, lda));
    free(R), free(Q), free(back), free(P);
}

#endif
