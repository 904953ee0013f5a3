/* eigen.c -- eigenvalues of symmetric matrices: see factor.h.
 *
 *     A = Q T Q' (tridiagonal.h),   T = Z diag(w) Z',   A (Q Z) = (Q Z) diag(w)
 *
 * Up to SMALL rows Q is formed in place and turned by QL steps; else Z comes from divide and
 * conquer and goes through the reflectors of Q by blocks.  Values alone need no vectors of T
 * and come from QL steps without roots.
 *
 * The largest entry is brought to about 1 by a power of two where it is not between 2^-100 and
 * 2^100, and the values back; one that overflows there is refused.  A matrix of zeros has the unit
 * vectors.
 *
 * Errors are some n eps |A| in the values and A V - V W, and n eps in V'V - I.  Cost: 4/3 n^3 flops
 * for T, at most 4/3 n^3 for Z and 2 n^3 for Q Z; 5/2 n^2 numbers of memory besides A.
 *
 * A x = w B x with B = L L' is (L^-1 A L'^-1) y = w y, x = L'^-1 y. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/reflect.h"
#include "math/tridiagonal.h"

#include <math.h>
#include <string.h>

enum { SMALL = 32, COLUMNS = 32, FEW = 256 }; /* FEW: not worth waking a thread to copy */

/* A call's matrix and vectors: T, Q's factors, room for QL steps. */
struct eigen {
    int64_t n, lda;
    double *A, *d, *e, *tau, *work; /* n each, work 2 n       */
    int64_t *order;                 /* columns by their value */
    double *Z;                      /* n x n                  */
    int64_t ldz;
    int exponent; /* of the scale           */
};

static const char *const WHAT = "the symmetric matrix";

/* ---- scale ------------------------------------------------------------------------------ */

/* The largest size in the lower triangle, or a number that is not finite; `zeros` has n. */
static double largest_of_lower(int64_t n, const double *A, int64_t lda, const double *zeros)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        double x = smr_linf_f64(n - j, A + j * lda + j, zeros);
        if (!(x <= largest)) largest = x;
        if (!isfinite(largest)) break;
    }
    return largest;
}

static void scale_lower(int64_t n, double *A, int64_t lda, int exponent)
{
    for (int64_t j = 0; j < n && exponent != 0; j++)
        for (int64_t i = j; i < n; i++) A[i + j * lda] = ldexp(A[i + j * lda], exponent);
}

/* Refuses what is not finite, and scales the lower triangle where it is far from 1, with an even
 * exponent; the values are 2^exponent times too small then. */
static smr_status check_and_scale(smr_ctx *ctx, const char *what, int64_t n, double *A, int64_t lda,
                                  const double *zeros, int *exponent)
{
    double largest = largest_of_lower(n, A, lda, zeros);
    *exponent = 0;
    for (int64_t j = 0; j < n && !isfinite(largest); j++)
        for (int64_t i = j; i < n; i++)
            if (!isfinite(A[i + j * lda]))
                return smr_fail(ctx, SMR_ERR_DATA,
                                "%s: the value at row %lld, column %lld is not finite", what,
                                (long long)i + 1, (long long)j + 1);
    if (largest == 0 || (largest > 0x1p-100 && largest < 0x1p100)) return SMR_OK;
    (void)frexp(largest, exponent);
    *exponent -= *exponent % 2;
    scale_lower(n, A, lda, -*exponent);
    return SMR_OK;
}

/* Values at their scale; one past the largest number is an error. */
static smr_status scale_values(smr_ctx *ctx, int64_t n, double *w, int exponent)
{
    for (int64_t k = 0; k < n && exponent != 0; k++) {
        w[k] = ldexp(w[k], exponent);
        if (!isfinite(w[k]))
            return smr_fail(ctx, SMR_ERR_NUMERIC,
                            "eigenvalue %lld is past the largest number: rescale the matrix",
                            (long long)k + 1);
    }
    return SMR_OK;
}

/* ---- the steps -------------------------------------------------------------------------- */

static void eigen_release(struct eigen *g)
{
    smr_free(g->Z);
    smr_free(g->order);
    smr_free(g->d);
}

/* Memory, checks, scale, and T. */
static smr_status eigen_begin(smr_ctx *ctx, struct eigen *g, bool has_vectors)
{
    smr_status st = SMR_OK;
    int64_t n = g->n;
    TRY(smr_check_shape(ctx, WHAT, n, n, g->lda));
    TRY_NEW(g->d, 5 * n);
    g->e = g->d + n;
    g->tau = g->d + 2 * n;
    g->work = g->d + 3 * n;
    if (has_vectors) {
        g->order = smr_alloc_raw(ctx, n, sizeof *g->order);
        g->ldz = n <= SMALL ? (n + 7) / 8 * 8 : n; /* whole vectors for the rotations */
        g->Z = smr_alloc_raw(ctx, g->ldz * n, sizeof *g->Z);
        if (!g->Z || !g->order) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
    TRY(check_and_scale(ctx, WHAT, n, g->A, g->lda, g->e, &g->exponent));
    TRY(smr_tridiagonal_reduce(ctx, n, g->A, g->lda, g->d, g->e, g->tau));
out:
    return st;
}

/* Z = Q, reflector by reflector. */
static void form_q(const struct eigen *g)
{
    int64_t n = g->n, ldz = g->ldz;
    memset(g->Z, 0, (size_t)(n * ldz) * sizeof *g->Z);
    for (int64_t j = 0; j < n; j++) g->Z[j * ldz + j] = 1;
    for (int64_t j = n - 2; j >= 0; j--) {
        double *v = g->A + j * g->lda + j + 1, *Z = g->Z + (j + 1) * ldz + j + 1, *by = g->work;
        int64_t m = n - 1 - j;
        v[0] = 1;
        smr_rows_times_f64(m, m, 1, Z, ldz, v, m, by);
        for (int64_t c = 0; c < m; c++) by[c] *= -g->tau[j];
        smr_rows_add_f64(1, m, m, v, m, by, Z, ldz);
    }
}

/* Reflectors in a block: many pay for a larger triangle, few read C more often. */
static int64_t block_width(int64_t n)
{
    return n <= 256 ? 16 : n <= 768 ? 32 : n <= 1536 ? 48 : 64;
}

/* C (n x k) = Q C, blocks of reflectors from the last. */
static smr_status apply_q(smr_ctx *ctx, const struct eigen *g, int64_t k, double *C, int64_t ldc)
{
    smr_status st = SMR_OK;
    smr_reflect r = {0};
    int64_t n = g->n, n_reflectors = n - 1, block = block_width(n);
    TRY(smr_reflect_create(ctx, n - 1, block, &r));
    for (int64_t j = (n_reflectors - 1) / block * block; j >= 0; j -= block) {
        int64_t width = SMR_MIN(block, n_reflectors - j);
        TRY(smr_reflect_take(ctx, &r, n - 1 - j, width, g->A + j * g->lda + j + 1, g->lda,
                             g->tau + j));
        TRY(smr_reflect_apply(ctx, &r, false, k, C + j + 1, ldc));
    }
out:
    smr_reflect_release(&r);
    return st;
}

/* QL steps on Q itself. */
static smr_status solve_small(smr_ctx *ctx, struct eigen *g)
{
    smr_status st = SMR_OK;
    int64_t n = g->n;
    form_q(g);
    TRY(smr_tridiagonal_ql(ctx, n, g->d, g->e, g->ldz, g->Z, g->ldz, g->work));
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (; at > 0 && g->d[g->order[at - 1]] > g->d[k]; at--) g->order[at] = g->order[at - 1];
        g->order[at] = k;
    }
out:
    return st;
}

/* Columns of Z into A, by their values. */
static smr_status place_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct eigen *g = arg;
    int64_t n = g->n;
    for (int64_t k = task * COLUMNS; k < smr_block_end(n, COLUMNS, task); k++)
        memcpy(g->A + k * g->lda, g->Z + g->order[k] * g->ldz, (size_t)n * sizeof *g->A);
    return SMR_OK;
}

/* ---- the functions ---------------------------------------------------------------------- */

smr_status smr_eigen(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *w)
{
    smr_status st = SMR_OK;
    struct eigen g = {.n = n, .lda = lda, .A = A};
    TRY(eigen_begin(ctx, &g, true));
    if (n <= SMALL) {
        TRY(solve_small(ctx, &g));
    } else {
        TRY(smr_tridiagonal_divide(ctx, n, g.d, g.e, n, g.Z, n, g.order));
        TRY(apply_q(ctx, &g, n, g.Z, n));
    }
    int64_t n_tasks = smr_block_count(n, COLUMNS);
    if (n > FEW) TRY(smr_parallel(ctx, NULL, n_tasks, place_columns, &g));
    for (int64_t t = 0; t < n_tasks && n <= FEW; t++) TRY(place_columns(ctx, &g, t, 0));
    for (int64_t k = 0; k < n; k++) w[k] = g.d[g.order[k]];
    TRY(scale_values(ctx, n, w, g.exponent));
out:
    eigen_release(&g);
    return st;
}

smr_status smr_eigen_values(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *w)
{
    smr_status st = SMR_OK;
    struct eigen g = {.n = n, .lda = lda, .A = A};
    TRY(eigen_begin(ctx, &g, false));
    TRY(smr_tridiagonal_values(ctx, n, g.d, g.e));
    for (int64_t k = 0; k < n; k++) w[k] = g.d[k];
    TRY(scale_values(ctx, n, w, g.exponent));
out:
    eigen_release(&g);
    return st;
}

smr_status smr_eigen_largest(smr_ctx *ctx, int64_t n, double *A, int64_t lda, int64_t k, double *w,
                             double *V, int64_t ldv)
{
    smr_status st = SMR_OK;
    struct eigen g = {.n = n, .lda = lda, .A = A};
    if (k < 0 || k > n)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%lld eigenvalues of a matrix of order %lld",
                        (long long)k, (long long)n);
    TRY(smr_check_shape(ctx, "the eigenvectors", n, k, ldv));
    TRY(eigen_begin(ctx, &g, true));
    if (n <= SMALL)
        TRY(solve_small(ctx, &g));
    else
        TRY(smr_tridiagonal_divide(ctx, n, g.d, g.e, k, g.Z, n, g.order));
    for (int64_t c = 0; c < k; c++) {
        int64_t from = g.order[n - 1 - c];
        w[c] = g.d[from];
        memcpy(V + c * ldv, g.Z + from * g.ldz, (size_t)n * sizeof *V);
    }
    TRY(scale_values(ctx, k, w, g.exponent));
    if (n > SMALL) TRY(apply_q(ctx, &g, k, V, ldv));
out:
    eigen_release(&g);
    return st;
}

/* ---- A x = w B x ------------------------------------------------------------------------ */

enum { TILE = 32 };

/* A tile below the diagonal, or on it, and its mirror image. */
static void mirror_tile(int64_t n, double *A, int64_t lda, int64_t i0, int64_t j0, bool exchange)
{
    for (int64_t j = j0; j < SMR_MIN(n, j0 + TILE); j++)
        for (int64_t i = SMR_MAX(i0, j + 1); i < SMR_MIN(n, i0 + TILE); i++) {
            double below = A[i + j * lda];
            if (exchange) A[i + j * lda] = A[j + i * lda];
            A[j + i * lda] = below;
        }
}

/* What is above the diagonal becomes what is below it; or the two are exchanged. */
static smr_status mirror(smr_ctx *ctx, int64_t n, double *A, int64_t lda, bool exchange)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < n && st == SMR_OK; j += TILE) {
        for (int64_t i = j; i < n; i += TILE) mirror_tile(n, A, lda, i, j, exchange);
        if (n > 8 * TILE) st = smr_tick(ctx, NULL, j, n, 0);
    }
    return st;
}

/* B = L L', scaled as check_and_scale does. */
static smr_status factor_right(smr_ctx *ctx, int64_t n, double *B, int64_t ldb, int *exponent)
{
    smr_status st = SMR_OK;
    double *zeros = NULL;
    int64_t failed_at = -1;
    TRY(smr_check_shape(ctx, "the right-hand matrix", n, n, ldb));
    TRY_NEW(zeros, n);
    TRY(check_and_scale(ctx, "the right-hand matrix", n, B, ldb, zeros, exponent));
    TRY(smr_cholesky(ctx, n, B, ldb, &failed_at));
    if (failed_at >= 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "the right-hand matrix is not positive definite: pivot %lld is not positive",
                     (long long)failed_at + 1));
out:
    smr_free(zeros);
    return st;
}

smr_status smr_eigen_general(smr_ctx *ctx, int64_t n, double *A, int64_t lda, double *B,
                             int64_t ldb, double *w)
{
    smr_status st = SMR_OK;
    smr_side lower = {0}, turned = {.transpose = true};
    double *zeros = NULL;
    int of_a = 0, of_b = 0;
    TRY(smr_check_shape(ctx, WHAT, n, n, lda));
    TRY_NEW(zeros, n);
    TRY(check_and_scale(ctx, WHAT, n, A, lda, zeros, &of_a));
    TRY(factor_right(ctx, n, B, ldb, &of_b));
    TRY(mirror(ctx, n, A, lda, false));
    TRY(smr_triangular_solve(ctx, lower, n, n, B, ldb, A, lda));
    TRY(mirror(ctx, n, A, lda, true));
    TRY(smr_triangular_solve(ctx, lower, n, n, B, ldb, A, lda));
    TRY(smr_eigen(ctx, n, A, lda, w));
    TRY(smr_triangular_solve(ctx, turned, n, n, B, ldb, A, lda));
    scale_lower(n, B, ldb, of_b / 2);
    TRY(scale_values(ctx, n, w, of_a - of_b));
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n && of_b != 0; i++)
            A[i + j * lda] = ldexp(A[i + j * lda], -of_b / 2);
    }
out:
    smr_free(zeros);
    return st;
}
