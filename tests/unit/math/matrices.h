/* matrices.h -- matrices that are hard for factorisations, and the ratios that judge the answers.
 *
 * A ratio is an error over what rounding explains: |A - B| / (n eps |A|) in the 1-norm, as LAPACK's
 * own tests take it; there anything below 30 passes.  All matrices are by columns. */
#ifndef SMR_TESTS_MATRICES_H
#define SMR_TESTS_MATRICES_H

#include "check.h"

#include "core/rng.h"
#include "math/factor.h"
#include "math/product.h"

#include <float.h>

enum { RATIO_MOST = 30 };

enum matrix_kind {
    MATRIX_RANDOM,
    MATRIX_GRADED,    /* values from 1 down to 1e-14                        */
    MATRIX_NEARLY,    /* the last value is eps                              */
    MATRIX_DEFICIENT, /* a third of the values are zero                     */
    MATRIX_CLUSTERED, /* three values, each many times, to 1e-12            */
    MATRIX_HUGE,      /* random, times 1e300                                */
    MATRIX_TINY,      /* random, times 1e-300                               */
    MATRIX_ZERO,
    MATRIX_UNIT, /* the identity, as far as it goes                         */
    MATRIX_KINDS
};

static inline const char *matrix_name(enum matrix_kind kind)
{
    static const char *const names[] = {"random",         "graded",    "nearly singular",
                                        "rank-deficient", "clustered", "huge",
                                        "tiny",           "zero",      "unit"};
    return names[kind];
}

static inline double *matrix_new(int64_t n)
{
    double *A = calloc((size_t)n + 8, sizeof *A);
    assert_non_null(A);
    return A;
}

static inline double matrix_number(uint64_t seed, int64_t i)
{
    return 2 * smr_random_unit(seed, SMR_STREAM_TEST, 0, (uint64_t)i) - 1;
}

/* The k-th of n singular values (or, up to signs, eigenvalues). */
static inline double matrix_value(enum matrix_kind kind, int64_t k, int64_t n, uint64_t seed)
{
    switch (kind) {
    case MATRIX_GRADED: return pow(10, -14.0 * (double)k / (double)(n > 1 ? n - 1 : 1));
    case MATRIX_NEARLY: return k == n - 1 ? DBL_EPSILON : 1 - 0.5 * (double)k / (double)n;
    case MATRIX_DEFICIENT: return k >= n - n / 3 ? 0 : 1 - 0.5 * (double)k / (double)n;
    case MATRIX_CLUSTERED: return (double)(3 - 3 * k / n) + 1e-12 * matrix_number(seed + 7, k);
    case MATRIX_ZERO: return 0;
    default: return 1;
    }
}

/* A (m x n) = (I - 2 u u') A, u a random unit vector, or from the right. */
static inline void matrix_reflect(int64_t m, int64_t n, double *A, int64_t lda, bool right,
                                  uint64_t seed)
{
    int64_t l = right ? n : m;
    double *u = matrix_new(l), sq = 0;
    for (int64_t i = 0; i < l; i++) {
        u[i] = matrix_number(seed, i);
        sq += u[i] * u[i];
    }
    for (int64_t other = 0; other < (right ? m : n); other++) {
        double *a = right ? A + other : A + other * lda, s = 0;
        int64_t step = right ? lda : 1;
        for (int64_t i = 0; i < l; i++) s += u[i] * a[i * step];
        for (int64_t i = 0; i < l && sq > 0; i++) a[i * step] -= 2 * s / sq * u[i];
    }
    free(u);
}

/* A (m x n). */
static inline void matrix_fill(enum matrix_kind kind, int64_t m, int64_t n, double *A, int64_t lda,
                               uint64_t seed)
{
    int64_t r = m < n ? m : n;
    double size = kind == MATRIX_HUGE ? 1e300 : kind == MATRIX_TINY ? 1e-300 : 1;
    bool is_plain = kind == MATRIX_RANDOM || kind == MATRIX_HUGE || kind == MATRIX_TINY;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            A[i + j * lda] = is_plain ? size * matrix_number(seed, i + j * m) : 0;
    if (is_plain) return;
    for (int64_t k = 0; k < r; k++) A[k + k * lda] = matrix_value(kind, k, r, seed);
    if (kind == MATRIX_ZERO || kind == MATRIX_UNIT) return;
    for (uint64_t t = 0; t < 3; t++) {
        matrix_reflect(m, n, A, lda, false, seed + 11 * t + 1);
        matrix_reflect(m, n, A, lda, true, seed + 11 * t + 2);
    }
}

/* A symmetric n x n, both triangles; with alternating signs of its values, or all positive. */
static inline void matrix_fill_symmetric(enum matrix_kind kind, bool positive, int64_t n, double *A,
                                         int64_t lda, uint64_t seed)
{
    double size = kind == MATRIX_HUGE ? 1e300 : kind == MATRIX_TINY ? 1e-300 : 1;
    bool is_plain = kind == MATRIX_RANDOM || kind == MATRIX_HUGE || kind == MATRIX_TINY;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) A[i + j * lda] = 0;
    for (int64_t k = 0; k < n; k++)
        A[k + k * lda] =
            (is_plain ? 0.05 + fabs(matrix_number(seed, k)) : matrix_value(kind, k, n, seed)) *
            (!positive && k % 2 ? -1 : 1) * size;
    for (uint64_t t = 0; t < 4 && kind != MATRIX_UNIT && kind != MATRIX_ZERO; t++) {
        matrix_reflect(n, n, A, lda, false, seed + 11 * t + 1);
        matrix_reflect(n, n, A, lda, true, seed + 11 * t + 1);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) A[i + j * lda] = A[j + i * lda];
}

/* The largest sum of sizes in a column of A, and of A - B where B is given. */
static inline double matrix_norm(int64_t m, int64_t n, const double *A, int64_t lda,
                                 const double *B, int64_t ldb)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        double s = 0;
        for (int64_t i = 0; i < m; i++) s += fabs(A[i + j * lda] - (B ? B[i + j * ldb] : 0));
        if (!(s <= largest)) largest = s; /* NaN comes through */
    }
    return largest;
}

/* |A - B| over max(m, n) eps |A|; 0 where both are 0. */
static inline double matrix_ratio(int64_t m, int64_t n, const double *A, int64_t lda,
                                  const double *B, int64_t ldb)
{
    double off = matrix_norm(m, n, A, lda, B, ldb), size = matrix_norm(m, n, A, lda, NULL, 0);
    if (off == 0) return 0;
    return off / size / DBL_EPSILON / (double)(m > n ? m : n);
}

/* |I - Q'Q| over m eps for Q (m x k). */
static inline double matrix_orthogonal(smr_ctx *ctx, int64_t m, int64_t k, const double *Q,
                                       int64_t ldq)
{
    double *G = matrix_new(k * k), worst = 0;
    for (int64_t i = 0; i < k; i++) G[i + i * k] = -1;
    smr_update u = {k, k, m, {Q, ldq, 1}, {Q, 1, ldq}, G, k, false, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    worst = matrix_norm(k, k, G, k, NULL, 0);
    free(G);
    return m > 0 ? worst / DBL_EPSILON / (double)m : 0;
}

static inline void check_ratio(const char *what, enum matrix_kind kind, int64_t m, int64_t n,
                               double ratio)
{
    if (ratio < RATIO_MOST) return;
    fail_msg("%s of a %s %lld x %lld matrix: ratio %.3g", what, matrix_name(kind), (long long)m,
             (long long)n, ratio);
}

#endif
