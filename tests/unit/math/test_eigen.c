/* test_eigen.c -- symmetric eigenvalues: residuals, orthogonality, LAPACK's values, equal bits. */
#include "lapack_truth.h"
#include "matrices.h"

#include "kernel/kernel.h"
#include "math/tridiagonal.h"
#include "truth/special.h"

/* Borders: strips of 8, leaves of 32, panels of 32, blocks of 64, threads from 128 and 384 on. */
static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  16, 17,  24,  25,  26,
                                31, 32, 33, 34, 50, 63, 64, 65, 66, 97, 100, 127, 129, 190};

/* |A V - V W| over n eps |A|. */
static double residual(smr_ctx *ctx, int64_t n, const double *A, int64_t k, const double *V,
                       int64_t ldv, const double *w)
{
    double *R = matrix_new(n * k), size = matrix_norm(n, n, A, n, NULL, 0);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++) R[i + j * n] = V[i + j * ldv] * w[j];
    smr_update u = {n, k, n, {A, 1, n}, {V, 1, ldv}, R, n, true, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    double off = matrix_norm(n, k, R, n, NULL, 0);
    free(R);
    return off == 0 ? 0 : off / size / DBL_EPSILON / (double)n;
}

static void copy_with_room(int64_t n, const double *A, double *to, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) to[i + j * ld] = i < j ? (double)NAN : A[i + j * n];
}

static void check_eigen(smr_ctx *ctx, enum matrix_kind kind, int64_t n, const double *A)
{
    int64_t ld = n + 3;
    double *V = matrix_new(ld * n), *w = matrix_new(n);
    copy_with_room(n, A, V, ld);
    check_ok(ctx, smr_eigen(ctx, n, V, ld, w));
    check_ratio("A V - V W", kind, n, n, residual(ctx, n, A, n, V, ld, w));
    check_ratio("V'V - I", kind, n, n, matrix_orthogonal(ctx, n, n, V, ld));
    for (int64_t k = 1; k < n; k++) assert_true(w[k - 1] <= w[k]);
    free(V), free(w);
}

static void vectors_of_every_size_and_kind(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    int64_t step = CHECK_RACES || CHECK_MEMORY ? 3 : 1;
    for (int64_t s = 0; s < SMR_COUNT(sizes); s += step)
        for (int kind = 0; kind < MATRIX_KINDS; kind++)
            for (int positive = 0; positive < 2; positive++) {
                int64_t n = sizes[s];
                double *A = matrix_new(n * n);
                matrix_fill_symmetric(kind, positive, n, A, n, 17);
                check_eigen(ctx, kind, n, A);
                free(A);
            }
    check_ctx_end(ctx);
}

static void large_matrices_have_small_residuals(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    static const int64_t large[] = {385, 600, 1000};
    for (int64_t s = 0; s < (CHECK_MEMORY ? 1 : SMR_COUNT(large)); s++)
        for (int kind = MATRIX_RANDOM; kind <= MATRIX_CLUSTERED; kind += 2) {
            int64_t n = large[s];
            double *A = matrix_new(n * n);
            matrix_fill_symmetric(kind, false, n, A, n, 5);
            check_eigen(ctx, kind, n, A);
            free(A);
        }
    check_ctx_end(ctx);
}

/* ---- tridiagonal matrices that are known to be hard ----------------------------------------- */

static void set_beside(int64_t n, double *A, int64_t i, double e)
{
    A[i + 1 + i * n] = A[i + (i + 1) * n] = e;
}

/* Wilkinson's W21+: its two largest values agree to 1e-14, yet not exactly; glued copies have
 * clusters besides. */
static void wilkinson_and_glued_matrices(void **state)
{
    (void)state;
    check_no_races();
    static const double glue[] = {0, 1e-14, 1e-8, 1e-3};
    smr_ctx *ctx = check_ctx(2);
    for (int64_t copies = 1; copies <= 13; copies += 3)
        for (int g = 0; g < 4; g++) {
            int64_t n = 21 * copies;
            double *A = matrix_new(n * n), *w = matrix_new(n), *V = matrix_new(n * n);
            for (int64_t i = 0; i < n; i++) {
                A[i + i * n] = fabs((double)(i % 21) - 10);
                if (i + 1 < n) set_beside(n, A, i, i % 21 == 20 ? glue[g] : 1);
            }
            check_eigen(ctx, MATRIX_CLUSTERED, n, A);
            copy_with_room(n, A, V, n);
            check_ok(ctx, smr_eigen(ctx, n, V, n, w));
            if (copies == 1) {
                check_near("largest", w[20], wilkinson[0], 8 * DBL_EPSILON);
                check_near("next", w[19], wilkinson[1], 8 * DBL_EPSILON);
                check_near("smallest", w[0], wilkinson[2], 80 * DBL_EPSILON);
            }
            free(A), free(w), free(V);
        }
    check_ctx_end(ctx);
}

/* 2 on the diagonal and -1 beside it: 4 sin^2(k pi / (2 (n + 1))). */
static void second_differences_have_the_known_values(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t orders[] = {10, 33, 100, 257};
    for (int t = 0; t < 4; t++) {
        int64_t n = orders[t];
        double *A = matrix_new(n * n), *V = matrix_new(n * n), *w = matrix_new(n);
        for (int64_t i = 0; i < n; i++) {
            A[i + i * n] = 2;
            if (i + 1 < n) set_beside(n, A, i, -1);
        }
        for (int only = 0; only < 2; only++) {
            copy_with_room(n, A, V, n);
            check_ok(ctx, only ? smr_eigen_values(ctx, n, V, n, w) : smr_eigen(ctx, n, V, n, w));
            for (int64_t k = 0; k < n; k++) {
                double s = sin((double)(k + 1) * acos(-1) / (2 * (double)(n + 1)));
                check_near("value", w[k], 4 * s * s, 16 * DBL_EPSILON);
            }
        }
        free(A), free(V), free(w);
    }
    check_ctx_end(ctx);
}

/* Zeros beside the diagonal, numbers over many magnitudes, equal values by the dozen. */
static void make_tridiagonal(int kind, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i < n; i++) {
        double x = matrix_number(51, i), y = matrix_number(52, i);
        int down = (int)(600 * i / n);
        switch (kind) {
        case 0: d[i] = x, e[i] = i % 3 ? 0 : y; break;
        case 1: d[i] = ldexp(x, (int)(-60 * fabs(y))), e[i] = ldexp(y, (int)(-60 * fabs(x))); break;
        case 2: d[i] = 0, e[i] = sqrt((double)((i + 1) * (n - i))) / (double)n; break;
        case 3: d[i] = (double)(i % 3), e[i] = 1e-15 * y; break;
        case 4: d[i] = 1, e[i] = pow(10, -20 * fabs(y)); break;
        case 5: d[i] = i % 2 ? 1 : -1, e[i] = i % 3 ? 1e-8 : 1e-3; break;
        case 6: d[i] = ldexp(x, -down), e[i] = ldexp(y, -down); break;
        case 7: d[i] = ldexp(x, down - 600), e[i] = ldexp(y, down - 600); break;
        default: d[i] = 1, e[i] = i % 5 ? 4 * DBL_EPSILON * y : y; break;
        }
    }
}

static void check_tridiagonal(smr_ctx *ctx, int kind, int64_t n)
{
    int64_t *order = calloc((size_t)n, sizeof *order);
    double *d = matrix_new(n), *e = matrix_new(n), *x = matrix_new(n), *y = matrix_new(n);
    double *Q = matrix_new(n * n), *A = matrix_new(n * n);
    assert_non_null(order);
    make_tridiagonal(kind, n, d, e);
    make_tridiagonal(kind, n, x, y);
    for (int64_t i = 0; i < n; i++) {
        A[i + i * n] = d[i];
        if (i + 1 < n) set_beside(n, A, i, e[i]);
    }
    check_ok(ctx, smr_tridiagonal_divide(ctx, n, d, e, n, Q, n, order));
    check_ok(ctx, smr_tridiagonal_values(ctx, n, x, y));
    check_ratio("T Q - Q D", MATRIX_GRADED, n, n, residual(ctx, n, A, n, Q, n, d));
    check_ratio("Q'Q - I", MATRIX_GRADED, n, n, matrix_orthogonal(ctx, n, n, Q, n));
    for (int64_t k = 0; k < n; k++) /* norms are 3 and less */
        check_near("value", d[order[k]], x[k], (double)n * DBL_EPSILON);
    free(order), free(d), free(e), free(x), free(y), free(Q), free(A);
}

static void tridiagonal_matrices_of_all_sorts(void **state)
{
    (void)state;
    static const int64_t orders[] = {33, 64, 65, 131, 260};
    smr_ctx *ctx = check_ctx(2);
    for (int64_t t = 0; t < SMR_COUNT(orders); t++)
        for (int kind = 0; kind < 9; kind++) check_tridiagonal(ctx, kind, orders[t]);
    check_ctx_end(ctx);
}

/* Diagonal matrices come back to the last bit, sorted. */
static void diagonal_matrices_are_exact(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t n = 1; n < 200; n += 33) {
        double *A = matrix_new(n * n), *w = matrix_new(n);
        for (int64_t i = 0; i < n; i++) A[i + i * n] = (double)((i * 57) % n) - 7.125;
        for (int only = 0; only < 2; only++) {
            double *V = matrix_new(n * n);
            memcpy(V, A, (size_t)(n * n) * sizeof *V);
            check_ok(ctx, only ? smr_eigen_values(ctx, n, V, n, w) : smr_eigen(ctx, n, V, n, w));
            double *sorted = matrix_new(n);
            for (int64_t i = 0; i < n; i++) sorted[(i * 57) % n] = A[i + i * n];
            if (n % 3 && n % 19)
                for (int64_t k = 0; k < n; k++) assert_true(w[k] == sorted[k]);
            free(sorted), free(V);
        }
        free(A), free(w);
    }
    check_ctx_end(ctx);
}

/* ---- parts of the answer ---------------------------------------------------------------- */

static void values_alone_agree_with_those_of_vectors(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(sizes); s++)
        for (int kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t n = sizes[s];
            double *A = matrix_new(n * n), *B = matrix_new(n * n);
            double *w = matrix_new(n), *x = matrix_new(n);
            matrix_fill_symmetric(kind, false, n, A, n, 3);
            memcpy(B, A, (size_t)(n * n) * sizeof *A);
            check_ok(ctx, smr_eigen(ctx, n, A, n, w));
            check_ok(ctx, smr_eigen_values(ctx, n, B, n, x));
            double size = n ? fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
            for (int64_t k = 0; k < n; k++)
                if (!(fabs(w[k] - x[k]) <= 4 * (double)(n + 8) * DBL_EPSILON * size))
                    fail_msg("%s, n %lld: %.17g and %.17g", matrix_name(kind), (long long)n, w[k],
                             x[k]);
            free(A), free(B), free(w), free(x);
        }
    check_ctx_end(ctx);
}

static void the_largest_are_those_of_all(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    static const int64_t shapes[][2] = {{1, 1},   {5, 0},  {5, 2},   {32, 32},  {33, 1},   {40, 0},
                                        {270, 3}, {40, 7}, {129, 5}, {129, 66}, {190, 190}};
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (int kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t n = shapes[s][0], k = shapes[s][1], ld = n + 1;
            double *A = matrix_new(n * n), *B = matrix_new(n * n), *V = matrix_new(ld * k);
            double *w = matrix_new(n), *x = matrix_new(n);
            matrix_fill_symmetric(kind, false, n, A, n, 9);
            memcpy(B, A, (size_t)(n * n) * sizeof *A);
            check_ok(ctx, smr_eigen_largest(ctx, n, B, n, k, x, V, ld));
            check_ratio("A V - V W", kind, n, k, residual(ctx, n, A, k, V, ld, x));
            check_ratio("V'V - I", kind, n, k, matrix_orthogonal(ctx, n, k, V, ld));
            check_ok(ctx, smr_eigen(ctx, n, A, n, w));
            for (int64_t i = 0; i < k; i++) assert_true(x[i] == w[n - 1 - i]);
            free(A), free(B), free(V), free(w), free(x);
        }
    double one = 1;
    check_fails(ctx, smr_eigen_largest(ctx, 1, &one, 1, 2, &one, &one, 1), SMR_ERR_SHAPE,
                "2 eigenvalues of a matrix of order 1");
    check_ctx_end(ctx);
}

/* ---- A x = w B x ------------------------------------------------------------------------ */

/* |A X - B X W| over n eps (|A| + |B| |W|) |X|, and |X'B X - I|. */
static void check_general(smr_ctx *ctx, int64_t n, double size_a, double size_b)
{
    double *A = matrix_new(n * n), *B = matrix_new(n * n), *X = matrix_new(n * n);
    double *L = matrix_new(n * n), *w = matrix_new(n), *R = matrix_new(n * n);
    double *Y = matrix_new(n * n);
    matrix_fill_symmetric(MATRIX_RANDOM, false, n, A, n, 21);
    matrix_fill_symmetric(MATRIX_RANDOM, true, n, B, n, 22);
    for (int64_t i = 0; i < n * n; i++) A[i] *= size_a, B[i] *= size_b;
    copy_with_room(n, A, X, n);
    copy_with_room(n, B, L, n);
    check_ok(ctx, smr_eigen_general(ctx, n, X, n, L, n, w));
    double root = sqrt(size_b), scale = size_b / size_a;
    for (int64_t i = 0; i < n * n; i++) A[i] /= size_a, B[i] /= size_b, X[i] *= root;
    smr_update by = {n, n, n, {B, 1, n}, {X, 1, n}, Y, n, false, false};
    check_ok(ctx, smr_update_run(ctx, &by));
    for (int64_t i = 0; i < n * n; i++) R[i] = Y[i] * (w[i / n] * scale);
    smr_update off = {n, n, n, {A, 1, n}, {X, 1, n}, R, n, true, false};
    check_ok(ctx, smr_update_run(ctx, &off));
    double largest = fmax(fabs(w[0]), fabs(w[n - 1])) * scale;
    double unit = DBL_EPSILON * (double)n * matrix_norm(n, n, X, n, NULL, 0);
    double norm_b = matrix_norm(n, n, B, n, NULL, 0), norm_a = matrix_norm(n, n, A, n, NULL, 0);
    check_ratio("A X - B X W", MATRIX_RANDOM, n, n,
                matrix_norm(n, n, R, n, NULL, 0) / (unit * (norm_a + norm_b * largest)));
    memset(R, 0, (size_t)(n * n) * sizeof *R);
    for (int64_t i = 0; i < n; i++) R[i + i * n] = -1;
    smr_update unity = {n, n, n, {X, n, 1}, {Y, 1, n}, R, n, false, false};
    check_ok(ctx, smr_update_run(ctx, &unity));
    check_ratio("X'B X - I", MATRIX_RANDOM, n, n,
                matrix_norm(n, n, R, n, NULL, 0) / (unit * unit / DBL_EPSILON + unit * norm_b));
    for (int64_t k = 1; k < n; k++) assert_true(w[k - 1] <= w[k]);
    free(A), free(B), free(X), free(L), free(w), free(R), free(Y);
}

static void generalised_problems_are_solved(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t orders[] = {1, 2, 7, 32, 33, 65, 130};
    for (int64_t t = 0; t < SMR_COUNT(orders); t++) check_general(ctx, orders[t], 1, 1);
    check_general(ctx, 20, 0x1p990, 0x1p980);
    check_general(ctx, 20, 0x1p-990, 0x1p-980);
    check_general(ctx, 20, 0x1p400, 0x1p-401);
    double A[4] = {1, 0, 0, 1}, B[4] = {1, 2, 2, 3}, w[2];
    check_ok(ctx, smr_eigen_general(ctx, 0, A, 1, B, 1, w));
    check_fails(ctx, smr_eigen_general(ctx, 2, A, 2, B, 2, w), SMR_ERR_NUMERIC,
                "not positive definite: pivot 2");
    double C[4] = {1, (double)NAN, 0, 1}, D[4] = {1, 0, 0, 1};
    check_fails(ctx, smr_eigen_general(ctx, 2, D, 2, C, 2, w), SMR_ERR_DATA,
                "the right-hand matrix: the value at row 2, column 1 is not finite");
    check_ctx_end(ctx);
}

/* ---- LAPACK ------------------------------------------------------------------------------ */

typedef void (*dsyevd_fn)(const char *, const char *, const int *, double *, const int *, double *,
                          double *, const int *, int *, const int *, int *);

/* The error of either, against the values that the matrix was made of, is below ten eps of the norm
 * at these sizes, with OpenBLAS and with the reference LAPACK; twice that and a margin. */
static void values_are_those_of_lapack(void **state)
{
    (void)state;
    check_no_races();
    LAPACK_ROUTINE(dsyevd_fn, dsyevd, "dsyevd_");
    smr_ctx *ctx = check_ctx(2);
    for (int kind = 0; kind < MATRIX_ZERO; kind++)
        for (int64_t n = 5; n <= 320; n = n * 2 + 5) {
            int order = (int)n, size = 2 * (order + 2) * (order + 2), info = 0,
                n_places = 5 * order + 3;
            int *places = calloc((size_t)n_places, sizeof *places);
            double *A = matrix_new(n * n), *B = matrix_new(n * n), *work = matrix_new(size);
            double *w = matrix_new(n), *x = matrix_new(n);
            matrix_fill_symmetric(kind, false, n, A, n, 31);
            memcpy(B, A, (size_t)(n * n) * sizeof *A);
            assert_non_null(places);
            dsyevd("V", "L", &order, B, &order, x, work, &size, places, &n_places, &info);
            assert_int_equal(info, 0);
            check_ok(ctx, smr_eigen(ctx, n, A, n, w));
            double norm = fmax(fabs(x[0]), fabs(x[n - 1]));
            for (int64_t k = 0; k < n; k++)
                check_near("value over the norm", w[k] / norm, x[k] / norm, 32 * DBL_EPSILON);
            free(A), free(B), free(work), free(w), free(x), free(places);
        }
    check_ctx_end(ctx);
}

/* ---- bits -------------------------------------------------------------------------------- */

static void fill_both(int64_t n, double *A)
{
    matrix_fill_symmetric(n % 2 ? MATRIX_RANDOM : MATRIX_CLUSTERED, false, n, A, n, 41);
}

static void bits_depend_on_neither_threads_nor_tier(void **state)
{
    (void)state;
    static const int64_t orders[] = {20, 31, 75, 150, 401};
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    static const int threads[] = {1, 2, 7};
    const char *before = smr_kernel_tier();
    for (int64_t s = 0; s < SMR_COUNT(orders) - (CHECK_MEMORY ? 1 : 0); s++) {
        int64_t n = orders[s];
        double *want = matrix_new(n * n), *w = matrix_new(n);
        double *A = matrix_new(n * n), *x = matrix_new(n);
        for (int t = 0; t < 7; t++) {
            if (CHECK_LESS && t != 0 && t != 2 && (CHECK_RACES || t != 4)) continue; /* v3 */
            smr_ctx *ctx = check_ctx(t < 3 ? threads[t] : 2);
            if (t >= 3 && !smr_kernel_use(tiers[t - 3])) {
                check_ctx_end(ctx);
                continue;
            }
            fill_both(n, t ? A : want);
            check_ok(ctx, smr_eigen(ctx, n, t ? A : want, n, t ? x : w));
            if (t) assert_memory_equal(A, want, (size_t)(n * n) * sizeof *A);
            if (t) assert_memory_equal(x, w, (size_t)n * sizeof *x);
            check_ctx_end(ctx);
        }
        assert_true(smr_kernel_use(before));
        free(want), free(w), free(A), free(x);
    }
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double A[9] = {1, 2, 3, (double)NAN, 4, 5, (double)INFINITY, (double)NAN, 6}, w[3], V[9];
    check_ok(ctx, smr_eigen(ctx, 3, A, 3, w)); /* above the diagonal nothing is read */
    for (int t = 0; t < 3; t++) {
        double B[9] = {1, 2, 3, 0, 4, (double)INFINITY, 0, 0, 6};
        smr_status st = t == 0   ? smr_eigen(ctx, 3, B, 3, w)
                        : t == 1 ? smr_eigen_values(ctx, 3, B, 3, w)
                                 : smr_eigen_largest(ctx, 3, B, 3, 1, w, V, 3);
        check_fails(ctx, st, SMR_ERR_DATA, "the value at row 3, column 2 is not finite");
    }
    check_fails(ctx, smr_eigen(ctx, 3, A, 2, w), SMR_ERR_SHAPE, "the symmetric matrix");
    double large[4] = {1e308, 1e308, 1e308, 1e308};
    check_fails(ctx, smr_eigen(ctx, 2, large, 2, w), SMR_ERR_NUMERIC,
                "eigenvalue 2 is past the largest number: rescale the matrix");
    check_ctx_end(ctx);
}

static void a_cancelled_decomposition_ends(void **state)
{
    (void)state;
    enum { N = 500 };
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(N * N), *w = matrix_new(N);
    matrix_fill_symmetric(MATRIX_RANDOM, false, N, A, N, 2);
    smr_ctx_cancel(ctx);
    assert_int_equal(smr_eigen(ctx, N, A, N, w), SMR_ERR_CANCELLED);
    free(A), free(w);
    smr_ctx_clear(ctx);
    check_ctx_end(ctx);
}

static void memory_that_fails_leaves_nothing_held(void **state)
{
    (void)state;
    enum { N = 140 };
    smr_ctx *ctx = check_ctx(1);
    double *A = matrix_new(N * N), *B = matrix_new(N * N), *w = matrix_new(N), *V = matrix_new(N);
    for (int which = 0; which < 4; which++)
        for (int64_t at = 0;; at += at < 12 ? 1 : 7) {
            matrix_fill_symmetric(MATRIX_RANDOM, false, N, A, N, 2);
            matrix_fill_symmetric(MATRIX_RANDOM, true, N, B, N, 2);
            smr_memory_fail_at(ctx, at);
            smr_status st = which == 0   ? smr_eigen(ctx, N, A, N, w)
                            : which == 1 ? smr_eigen_values(ctx, N, A, N, w)
                            : which == 2 ? smr_eigen_largest(ctx, N, A, N, 1, w, V, N)
                                         : smr_eigen_general(ctx, N, A, N, B, N, w);
            smr_memory_fail_at(ctx, -1);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
            smr_ctx_clear(ctx);
        }
    free(A), free(B), free(w), free(V);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_every_size_and_kind),
        cmocka_unit_test(large_matrices_have_small_residuals),
        cmocka_unit_test(wilkinson_and_glued_matrices),
        cmocka_unit_test(second_differences_have_the_known_values),
        cmocka_unit_test(tridiagonal_matrices_of_all_sorts),
        cmocka_unit_test(diagonal_matrices_are_exact),
        cmocka_unit_test(values_alone_agree_with_those_of_vectors),
        cmocka_unit_test(the_largest_are_those_of_all),
        cmocka_unit_test(generalised_problems_are_solved),
        cmocka_unit_test(values_are_those_of_lapack),
        cmocka_unit_test(bits_depend_on_neither_threads_nor_tier),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(a_cancelled_decomposition_ends),
        cmocka_unit_test(memory_that_fails_leaves_nothing_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
