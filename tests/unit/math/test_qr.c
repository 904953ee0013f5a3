/* test_qr.c -- QR with and without exchanges: Q is orthogonal, Q R is the matrix, Q acts as it is
 * formed; ranks and pivots are right; bits do not depend on threads or tiers. */
#include "lapack_truth.h"
#include "qr_checks.h"

#include "kernel/kernel.h"
#include "math/reflect.h"

/* Borders of leaves, blocks, panels and of what is small; wide, square, tall and very tall. */
static const int64_t shapes[][2] = {
    {0, 0},    {0, 3},    {3, 0},     {1, 1},    {1, 4},    {4, 1},   {2, 2},     {3, 2},
    {2, 3},    {3, 3},    {5, 5},     {7, 9},    {8, 8},    {9, 8},   {8, 9},     {17, 15},
    {16, 16},  {17, 17},  {20, 33},   {33, 20},  {31, 32},  {50, 50}, {64, 63},   {65, 64},
    {64, 100}, {100, 65}, {200, 24},  {130, 96}, {97, 130}, {129, 1}, {1, 129},   {257, 40},
    {300, 70}, {70, 300}, {257, 257}, {600, 33}, {700, 32}, {513, 5}, {1000, 130}};

static void reflectors_reflect_at_any_scale(void **state)
{
    static const double sizes[] = {1, 1e-160, 1e160, 1e-300, 1e300, 3e-310, 0};
    static const int64_t lengths[] = {0, 1, 2, 7, 8, 9, 100};
    (void)state;
    for (int64_t s = 0; s < SMR_COUNT(sizes); s++)
        for (int64_t l = 0; l < SMR_COUNT(lengths); l++) {
            int64_t n = lengths[l];
            double x[100], v[100], alpha = 0.3 * sizes[s], beta = alpha, sq = 0, dot = alpha;
            for (int64_t i = 0; i < n; i++) x[i] = v[i] = sizes[s] * matrix_number(1, i);
            double tau = smr_reflector(n, &beta, v), most = fmax(fabs(beta), sizes[s] / 3);
            assert_true(tau == 0 || (tau >= 1 && tau <= 2));
            assert_true((tau == 0) == (n == 0 || sizes[s] == 0));
            if (tau == 0) continue;
            for (int64_t i = 0; i < n; i++) {
                sq += v[i] * v[i];
                dot += v[i] * x[i];
            }
            double room = (double)(n + 2) * DBL_EPSILON + 4 * 5e-324 / most;
            check_near("tau |v|^2", tau * (1 + sq), 2, 4 * room);
            check_near("the first entry", (alpha - tau * dot) / most, beta / most, 4 * room);
            for (int64_t i = 0; i < n; i++)
                check_near("an entry", (x[i] - tau * dot * v[i]) / most, 0, 4 * room);
        }
}

/* C = H_0 H_1 ... C, or with the last first, one by one. */
static void reflect_plainly(bool transpose, int64_t m, int64_t k, const double *V,
                            const double *tau, int64_t n, double *C)
{
    for (int64_t i = 0; i < k; i++) {
        int64_t j = transpose ? i : k - 1 - i;
        for (int64_t c = 0; c < n; c++) {
            double s = C[j + c * m];
            for (int64_t l = j + 1; l < m; l++) s += V[l + j * m] * C[l + c * m];
            C[j + c * m] -= tau[j] * s;
            for (int64_t l = j + 1; l < m; l++) C[l + c * m] -= tau[j] * s * V[l + j * m];
        }
    }
}

static void a_block_acts_as_its_reflectors(void **state)
{
    static const int64_t cases[][3] = {{1, 1, 1},     {3, 3, 2},      {20, 15, 8},   {300, 16, 29},
                                       {300, 17, 57}, {600, 100, 20}, {300, 256, 33}};
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < 2 * SMR_COUNT(cases); s++) {
        int64_t m = cases[s / 2][0], k = cases[s / 2][1], n = cases[s / 2][2];
        double *V = matrix_new(m * k), *C = matrix_new(m * n), tau[SMR_REFLECT_MOST];
        smr_reflect block = {0}, again = {0};
        matrix_fill(MATRIX_RANDOM, m, k, V, m, 31);
        matrix_fill(MATRIX_RANDOM, m, n, C, m, 32);
        for (int64_t j = 0; j < k; j++)
            tau[j] = smr_reflector(m - j - 1, V + j * (m + 1), V + j * (m + 1) + 1);
        double *want = copy_of(C, m * n), *D = copy_of(C, m * n);
        reflect_plainly(s % 2, m, k, V, tau, n, want);
        check_ok(ctx, smr_reflect_create(ctx, m, k, &block));
        check_ok(ctx, smr_reflect_create(ctx, m + 5, k, &again)); /* room for more */
        check_ok(ctx, smr_reflect_take(ctx, &block, m, k, V, m, tau));
        check_ok(ctx, smr_reflect_apply(ctx, &block, s % 2, n, C, m));
        check_ratio("a block", MATRIX_RANDOM, m, n, matrix_ratio(m, n, want, m, C, m));
        check_ok(ctx, smr_reflect_take_with(ctx, &again, m, k, V, m, block.T, k));
        check_ok(ctx, smr_reflect_apply(ctx, &again, s % 2, n, D, m));
        assert_memory_equal(C, D, (size_t)(m * n) * sizeof *C);
        smr_reflect_release(&block);
        smr_reflect_release(&again);
        free(V), free(C), free(D), free(want);
    }
    check_ctx_end(ctx);
}

static void q_r_is_the_matrix(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (enum matrix_kind kind = 0; kind < MATRIX_KINDS; kind++) {
            int64_t m = shapes[s][0], n = shapes[s][1], ld = m + kind % 3;
            double *A = matrix_new(ld * n), *tau = matrix_new(smaller(m, n));
            matrix_fill(kind, m, n, A, ld, 1 + (uint64_t)s);
            double *F = copy_of(A, ld * n);
            check_ok(ctx, smr_qr(ctx, m, n, F, ld, tau));
            check_factor(ctx, kind, m, n, A, ld, NULL, F, tau);
            free(A), free(F), free(tau);
        }
    check_ctx_end(ctx);
}

/* Two widths of panels, and the tree's way. */
static void large_matrices_are_factored(void **state)
{
    static const int64_t large[][2] = {{1000, 1000}, {1500, 1500}, {700, 800}, {640, 704},
                                       {18000, 30},  {76000, 7},   {530000, 1}};
    static const enum matrix_kind kinds[] = {MATRIX_RANDOM, MATRIX_GRADED, MATRIX_DEFICIENT,
                                             MATRIX_HUGE,   MATRIX_TINY,   MATRIX_ZERO,
                                             MATRIX_UNIT};
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = CHECK_MEMORY ? 4 : 0; s < SMR_COUNT(large); s++)
        for (int64_t k = 0; k < (s < 4 ? 1 : CHECK_MEMORY ? 2 : SMR_COUNT(kinds)); k++) {
            int64_t m = large[s][0], n = large[s][1];
            double *A = matrix_new(m * n), *tau = matrix_new(n);
            matrix_fill(kinds[k], m, n, A, m, 3);
            double *F = copy_of(A, m * n);
            check_ok(ctx, smr_qr(ctx, m, n, F, m, tau));
            check_factor(ctx, kinds[k], m, n, A, m, NULL, F, tau);
            free(A), free(F), free(tau);
        }
    check_ctx_end(ctx);
}

/* Q C and Q' C for C of n columns, against Q' Q C = C and, for the first columns, Q as formed. */
static void check_applying(smr_ctx *ctx, int64_t m, int64_t k, int64_t n)
{
    double *A = matrix_new(m * k), *tau = matrix_new(k), *C = matrix_new(m * n);
    matrix_fill(MATRIX_RANDOM, m, k, A, m, 5);
    matrix_fill(MATRIX_RANDOM, m, n, C, m, 6);
    check_ok(ctx, smr_qr(ctx, m, k, A, m, tau));
    double *D = copy_of(C, m * n), *Q = copy_of(A, m * k), *E = matrix_new(m * k);
    check_ok(ctx, smr_qr_form(ctx, m, k, Q, m, tau));
    check_ok(ctx, smr_qr_apply(ctx, false, m, n, k, A, m, tau, D, m));
    double *F = copy_of(D, m * n);
    check_ok(ctx, smr_qr_apply(ctx, true, m, n, k, A, m, tau, D, m));
    check_ratio("Q'Q C", MATRIX_RANDOM, m, n, matrix_ratio(m, n, C, m, D, m));
    memset(C, 0, (size_t)(m * n) * sizeof *C); /* unit columns */
    int64_t some = smaller(n, k);
    for (int64_t j = 0; j < some; j++) C[j + j * m] = 1;
    check_ok(ctx, smr_qr_apply(ctx, false, m, some, k, A, m, tau, C, m));
    check_ratio("Q I", MATRIX_RANDOM, m, some, matrix_ratio(m, some, Q, m, C, m));
    check_ok(ctx, smr_qr_apply(ctx, true, m, n, k, A, m, tau, F, m));
    assert_memory_equal(D, F, (size_t)(m * n) * sizeof *D);
    free(A), free(tau), free(C), free(D), free(Q), free(E), free(F);
}

static void q_acts_as_it_is_formed(void **state)
{
    static const int64_t cases[][3] = {{1, 1, 1},    {5, 3, 2},     {40, 40, 3},   {70, 20, 30},
                                       {300, 64, 1}, {300, 65, 28}, {300, 130, 5}, {257, 100, 61},
                                       {600, 9, 90}, {513, 200, 29}};
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(cases); s++)
        check_applying(ctx, cases[s][0], cases[s][1], cases[s][2]);
    double none[1] = {7};
    check_ok(ctx, smr_qr_apply(ctx, true, 1, 1, 0, none, 1, none, none, 1));
    check_ok(ctx, smr_qr_form(ctx, 0, 0, none, 1, none));
    assert_true(none[0] == 7);
    check_ctx_end(ctx);
}

/* ---- exchanges -------------------------------------------------------------------------- */

/* pivot is a permutation, and |R_kk| descends. */
static void check_pivots(enum matrix_kind kind, int64_t m, int64_t n, const double *F, int64_t ld,
                         const int64_t *pivot)
{
    int64_t r = smaller(m, n);
    bool *seen = calloc((size_t)n + 1, sizeof *seen);
    for (int64_t k = 0; k < n; k++) {
        assert_true(pivot[k] >= 0 && pivot[k] < n && !seen[pivot[k]]);
        seen[pivot[k]] = true;
    }
    for (int64_t k = 1; k < r; k++) {
        double before = fabs(F[(k - 1) * (ld + 1)]), now = fabs(F[k * (ld + 1)]);
        double room = 1e-7 * before + (double)(m + n) * DBL_EPSILON * fabs(F[0]);
        if (!(now <= before + room))
            fail_msg("a %s %lld x %lld: |R_kk| rises at %lld from %g to %g", matrix_name(kind),
                     (long long)m, (long long)n, (long long)k, before, now);
    }
    free(seen);
}

static void pivoted_q_r_is_the_matrix(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(shapes) + 1; s++)
        for (enum matrix_kind kind = 0; kind < MATRIX_KINDS; kind++) {
            bool more = s == SMR_COUNT(shapes); /* by way of the tree */
            int64_t m = more ? 15000 : shapes[s][0], n = more ? 35 : shapes[s][1],
                    ld = m + kind % 2;
            double *A = matrix_new(ld * n), *tau = matrix_new(smaller(m, n));
            int64_t *pivot = calloc((size_t)n + 1, sizeof *pivot);
            matrix_fill(kind, m, n, A, ld, 1 + (uint64_t)s);
            double *F = copy_of(A, ld * n);
            check_ok(ctx, smr_qr_pivoted(ctx, m, n, F, ld, pivot, tau));
            check_factor(ctx, kind, m, n, A, ld, pivot, F, tau);
            check_pivots(kind, m, n, F, ld, pivot);
            free(A), free(F), free(tau), free(pivot);
        }
    check_ctx_end(ctx);
}

static int64_t rank_of(int64_t r, const double *F, int64_t ld)
{
    int64_t rank = 0;
    while (rank < r && fabs(F[rank * (ld + 1)]) > 1e-10 * fabs(F[0])) rank++;
    return rank;
}

/* Every shape of work: direct, twice, by way of the tree. */
static const int64_t ways[][2] = {{60, 60}, {90, 130}, {21000, 100}, {15000, 36}};

static void ranks_are_found(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(ways); s++) {
        int64_t m = ways[s][0], n = ways[s][1], r = smaller(m, n);
        double *A = matrix_new(m * n), *tau = matrix_new(r);
        int64_t *pivot = calloc((size_t)n, sizeof *pivot);
        matrix_fill(MATRIX_DEFICIENT, m, n, A, m, 8);
        check_ok(ctx, smr_qr_pivoted(ctx, m, n, A, m, pivot, tau));
        assert_int_equal(rank_of(r, A, m), r - r / 3);
        matrix_fill(MATRIX_RANDOM, m, n, A, m, 8); /* columns c and c + n / 2 are the same */
        for (int64_t c = n / 2; c < n; c++)
            memcpy(A + c * m, A + (c % (n / 2)) * m, (size_t)m * sizeof *A);
        check_ok(ctx, smr_qr_pivoted(ctx, m, n, A, m, pivot, tau));
        assert_int_equal(rank_of(r, A, m), smaller(r, n / 2));
        for (int64_t k = 0; k < n / 2 && k < m; k++) assert_true(pivot[k] < n / 2);
        free(A), free(tau), free(pivot);
    }
    check_ctx_end(ctx);
}

/* Columns that are unit vectors, or of one length at right angles, stay in order. */
static void equal_norms_go_to_the_first_column(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(ways); s++)
        for (int rows = 1; rows <= 2; rows++) {
            int64_t m = ways[s][0], n = smaller(ways[s][1], m / rows);
            double *A = matrix_new(m * n), *tau = matrix_new(n);
            int64_t *pivot = calloc((size_t)n, sizeof *pivot);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < rows; i++)
                    A[(n - 1 - j) * rows + i + j * m] = (double)(3 - 7 * i);
            check_ok(ctx, smr_qr_pivoted(ctx, m, n, A, m, pivot, tau));
            for (int64_t k = 0; k < n; k++) assert_int_equal(pivot[k], k);
            free(A), free(tau), free(pivot);
        }
    check_ctx_end(ctx);
}

/* Kahan's matrix: norms that fall together until nothing of the first ones is left. */
static void norms_are_computed_again_in_time(void **state)
{
    enum { N = 90 };
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = matrix_new(N * N), tau[N], c = 0.285, s = sqrt(1 - c * c), power = 1;
    int64_t pivot[N];
    for (int64_t i = 0; i < N; i++, power *= s)
        for (int64_t j = i; j < N; j++)
            A[i + j * N] = power * (i == j ? 1 : -c) * (1 - 1e-9 * (double)j);
    double *F = copy_of(A, N * N);
    check_ok(ctx, smr_qr_pivoted(ctx, N, N, F, N, pivot, tau));
    check_factor(ctx, MATRIX_NEARLY, N, N, A, N, pivot, F, tau);
    check_pivots(MATRIX_NEARLY, N, N, F, N, pivot);
    for (int64_t k = 0; k < N; k++) {
        double sq = 0; /* |R_kk| is the largest of what is left of its row's columns */
        for (int64_t j = k; j < N; j++, sq = 0) {
            for (int64_t i = k; i <= j; i++) sq += F[i + j * N] * F[i + j * N];
            assert_true(sqrt(sq) <= fabs(F[k + k * N]) * (1 + 1e-7) + 1e-13);
        }
    }
    free(A), free(F);
    check_ctx_end(ctx);
}

/* ---- truth, bits, failures -------------------------------------------------------------- */

typedef void (*geqrf)(const int *, const int *, double *, const int *, double *, double *,
                      const int *, int *);
typedef void (*geqp3)(const int *, const int *, double *, const int *, int *, double *, double *,
                      const int *, int *);

/* Rows of R are free in sign. */
static void check_same_triangle(int m, int n, const double *ours, const double *theirs)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j && i < m; i++) {
            double sign = ours[i + i * m] * theirs[i + i * m] < 0 ? -1 : 1;
            check_near("R", sign * ours[i + j * m], theirs[i + j * m], 1e-11);
        }
}

static void lapack_finds_the_same_triangles_and_pivots(void **state)
{
    enum { WORK = 100000 };
    static const int cases[][2] = {{60, 60}, {200, 40}, {90, 150}, {16000, 34}};
    (void)state;
    check_no_races();
    LAPACK_ROUTINE(geqrf, dgeqrf, "dgeqrf_");
    LAPACK_ROUTINE(geqp3, dgeqp3, "dgeqp3_");
    smr_ctx *ctx = check_ctx(2);
    double *work = matrix_new(WORK);
    for (int64_t s = 0; s < SMR_COUNT(cases); s++) {
        int m = cases[s][0], n = cases[s][1], info = 0, room = WORK;
        int order[200] = {0};
        int64_t pivot[200];
        double tau[200], *A = matrix_new(m * n);
        matrix_fill(MATRIX_RANDOM, m, n, A, m, 11);
        double *B = copy_of(A, m * n), *C = copy_of(A, m * n), *D = copy_of(A, m * n);
        check_ok(ctx, smr_qr(ctx, m, n, A, m, tau));
        dgeqrf(&m, &n, B, &m, tau, work, &room, &info);
        check_same_triangle(m, n, A, B);
        check_ok(ctx, smr_qr_pivoted(ctx, m, n, C, m, pivot, tau));
        dgeqp3(&m, &n, D, &m, order, tau, work, &room, &info);
        for (int k = 0; k < smaller(m, n); k++) assert_int_equal(pivot[k], order[k] - 1);
        check_same_triangle(m, m < n ? m : n, C,
                            D); /* what is left of a wide one is in any order */
        free(A), free(B), free(C), free(D);
    }
    free(work);
    check_ctx_end(ctx);
}

/* All that a factor gives, one after another: for comparing bits. */
static double *everything(smr_ctx *ctx, int64_t m, int64_t n, int64_t *count)
{
    int64_t r = smaller(m, n), size = m * n;
    *count = 4 * size + 2 * r + n;
    double *all = matrix_new(*count), *A = all, *P = A + size, *Q = P + size, *C = Q + size;
    double *tau = C + size, *order = tau + 2 * r;
    int64_t *pivot = calloc((size_t)n + 1, sizeof *pivot);
    matrix_fill(MATRIX_RANDOM, m, n, A, m, 21);
    memcpy(P, A, (size_t)size * sizeof *A);
    memcpy(C, A, (size_t)size * sizeof *A);
    check_ok(ctx, smr_qr(ctx, m, n, A, m, tau));
    check_ok(ctx, smr_qr_pivoted(ctx, m, n, P, m, pivot, tau + r));
    memcpy(Q, A, (size_t)size * sizeof *A);
    check_ok(ctx, smr_qr_form(ctx, m, r, Q, m, tau));
    check_ok(ctx, smr_qr_apply(ctx, true, m, n, r, A, m, tau, C, m));
    for (int64_t k = 0; k < n; k++) order[k] = (double)pivot[k];
    free(pivot);
    return all;
}

static const int64_t for_bits[][2] = {{6, 5},    {50, 50},   {280, 280},
                                      {400, 90}, {120, 260}, {15000, 36}};

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    smr_ctx *one = check_ctx(1), *others[] = {check_ctx(2), check_ctx(7)};
    for (int64_t s = 0; s < SMR_COUNT(for_bits); s++) {
        int64_t n = 0;
        double *want = everything(one, for_bits[s][0], for_bits[s][1], &n);
        for (int t = 0; t < 2; t++) {
            double *got = everything(others[t], for_bits[s][0], for_bits[s][1], &n);
            assert_memory_equal(got, want, (size_t)n * sizeof *got);
            free(got);
        }
        free(want);
    }
    check_ctx_end(one), check_ctx_end(others[0]), check_ctx_end(others[1]);
}

static void bits_do_not_depend_on_the_tier(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    const char *before = smr_kernel_tier();
    for (int64_t s = 0; s < SMR_COUNT(for_bits); s++) {
        int64_t n = 0;
        double *want = everything(ctx, for_bits[s][0], for_bits[s][1], &n);
        for (int t = CHECK_MEMORY ? 1 : 0; t < (CHECK_MEMORY ? 2 : 4); t++) {
            if (!smr_kernel_use(tiers[t])) continue;
            double *got = everything(ctx, for_bits[s][0], for_bits[s][1], &n);
            assert_memory_equal(got, want, (size_t)n * sizeof *got);
            free(got);
        }
        assert_true(smr_kernel_use(before));
        free(want);
    }
    check_ctx_end(ctx);
}

static void bad_values_and_shapes_are_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(for_bits); s++) {
        int64_t m = for_bits[s][0], n = for_bits[s][1], pivot[300];
        double *A = matrix_new(m * n), tau[300];
        for (int t = 0; t < 2; t++) {
            matrix_fill(MATRIX_RANDOM, m, n, A, m, 5);
            A[3 + 4 * m] = t ? NAN : -INFINITY;
            check_fails(ctx, smr_qr(ctx, m, n, A, m, tau), SMR_ERR_DATA, "row 4, column 5");
            check_fails(ctx, smr_qr_pivoted(ctx, m, n, A, m, pivot, tau), SMR_ERR_DATA,
                        "row 4, column 5");
        }
        for (int64_t i = 0; i < m * n; i++) A[i] = 1.7e308;
        check_fails(ctx, smr_qr(ctx, m, n, A, m, tau), SMR_ERR_NUMERIC, "overflow: rescale them");
        for (int64_t i = 0; i < m * n; i++) A[i] = 1.7e308 * (i % 3 ? 1 : -1);
        check_fails(ctx, smr_qr_pivoted(ctx, m, n, A, m, pivot, tau), SMR_ERR_NUMERIC, "overflow");
        check_fails(ctx, smr_qr(ctx, -1, n, A, m, tau), SMR_ERR_SHAPE, "-1 x");
        check_fails(ctx, smr_qr_pivoted(ctx, m, n, A, m - 1, pivot, tau), SMR_ERR_SHAPE, "apart");
        free(A);
    }
    check_ctx_end(ctx);
}

/* Step `step` of all calls on a matrix. */
static smr_status call(smr_ctx *ctx, int step, int64_t m, int64_t n, double *A, double *B)
{
    int64_t pivot[300], r = smaller(m, n);
    double tau[300];
    matrix_fill(MATRIX_RANDOM, m, n, A, m, 12);
    for (int64_t k = 0; k < r; k++) tau[k] = 1; /* any numbers will do where Q is used */
    if (step == 0) return smr_qr(ctx, m, n, A, m, tau);
    if (step == 1) return smr_qr_pivoted(ctx, m, n, A, m, pivot, tau);
    if (step == 2) return smr_qr_form(ctx, m, r, A, m, tau);
    return smr_qr_apply(ctx, step == 3, m, n, r, A, m, tau, B, m);
}

static void memory_and_cancelling_leave_nothing_behind(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 2; s < SMR_COUNT(for_bits); s++)
        for (int step = 0; step < 4; step++) {
            int64_t m = for_bits[s][0], n = for_bits[s][1];
            double *A = matrix_new(m * n), *B = matrix_new(m * n);
            smr_status st = SMR_ERR_NOMEM;
            for (int64_t k = 0; st != SMR_OK && k < 3000; k = k < 12 ? k + 1 : 2 * k) {
                smr_memory_fail_at(ctx, k);
                st = call(ctx, step, m, n, A, B);
                assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
                smr_ctx_clear(ctx);
            }
            assert_int_equal(st, SMR_OK); /* it has asked for less than that */
            smr_memory_fail_at(ctx, -1);
            smr_ctx_cancel(ctx);
            check_fails(ctx, call(ctx, step, m, n, A, B), SMR_ERR_CANCELLED, "cancelled");
            free(A), free(B);
        }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reflectors_reflect_at_any_scale),
        cmocka_unit_test(a_block_acts_as_its_reflectors),
        cmocka_unit_test(q_r_is_the_matrix),
        cmocka_unit_test(large_matrices_are_factored),
        cmocka_unit_test(q_acts_as_it_is_formed),
        cmocka_unit_test(pivoted_q_r_is_the_matrix),
        cmocka_unit_test(ranks_are_found),
        cmocka_unit_test(equal_norms_go_to_the_first_column),
        cmocka_unit_test(norms_are_computed_again_in_time),
        cmocka_unit_test(lapack_finds_the_same_triangles_and_pivots),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(bits_do_not_depend_on_the_tier),
        cmocka_unit_test(bad_values_and_shapes_are_named),
        cmocka_unit_test(memory_and_cancelling_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
