/* Singular values: A = U diag(s) Vt to rounding for every kind and shape, LAPACK's values, and the
 * same bits everywhere. */
#include "check.h"
#include "lapack_truth.h"
#include "matrices.h"

#include "kernel/kernel.h"
#include "math/bidiagonal.h"

/* One decomposition and its sizes: A is kept, `work` is what the call destroys. */
struct decomposed {
    int64_t m, n, r, lda, ldu, ldvt;
    double *A, *work, *s, *U, *Vt;
};

static struct decomposed make(enum matrix_kind kind, int64_t m, int64_t n, uint64_t seed)
{
    struct decomposed x = {.m = m, .n = n, .r = SMR_MIN(m, n), .lda = m + 3};
    x.ldu = m + 1;
    x.ldvt = x.r + 2;
    x.A = matrix_new(x.lda * n);
    x.work = matrix_new(x.lda * n);
    x.s = matrix_new(x.r);
    x.U = matrix_new(x.ldu * x.r);
    x.Vt = matrix_new(x.ldvt * n);
    matrix_fill(kind, m, n, x.A, x.lda, seed);
    return x;
}

static void end(struct decomposed *x)
{
    free(x->A);
    free(x->work);
    free(x->s);
    free(x->U);
    free(x->Vt);
}

static smr_status run(smr_ctx *ctx, struct decomposed *x, bool vectors)
{
    memcpy(x->work, x->A, (size_t)(x->lda * x->n) * sizeof(double));
    return smr_svd(ctx, x->m, x->n, x->work, x->lda, x->s, vectors ? x->U : NULL, x->ldu,
                   vectors ? x->Vt : NULL, x->ldvt);
}

/* |A - U diag(s) Vt| over max(m, n) eps |A|. */
static double residual(smr_ctx *ctx, const struct decomposed *x)
{
    int64_t m = x->m, n = x->n, r = x->r, big = SMR_MAX(m, n);
    double *SV = matrix_new(r * n), *B = matrix_new(m * n), off = 0;
    double size = matrix_norm(m, n, x->A, x->lda, NULL, 0),
           by = size > 0 ? ldexp(1, -ilogb(size)) : 1;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < r; k++) SV[k + j * r] = x->s[k] * by * x->Vt[k + j * x->ldvt];
        for (int64_t i = 0; i < m; i++) B[i + j * m] = x->A[i + j * x->lda] * by;
    }
    smr_update u = {m, n, r, {x->U, 1, x->ldu}, {SV, 1, r}, B, m, true, false};
    check_ok(ctx, smr_update_run(ctx, &u));
    off = matrix_norm(m, n, B, m, NULL, 0);
    free(B);
    free(SV);
    return off == 0 ? 0 : off / (size * by) / DBL_EPSILON / (double)big;
}

static double rows_orthogonal(smr_ctx *ctx, int64_t r, int64_t n, const double *Vt, int64_t ld)
{
    double *V = matrix_new(n * r);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < r; k++) V[j + k * n] = Vt[k + j * ld];
    double ratio = matrix_orthogonal(ctx, n, r, V, n);
    free(V);
    return ratio;
}

static void check_decomposed(smr_ctx *ctx, enum matrix_kind kind, struct decomposed *x)
{
    int64_t m = x->m, n = x->n, r = x->r;
    for (int64_t k = 0; k < r; k++)
        if (!(x->s[k] >= 0) || (k > 0 && x->s[k] > x->s[k - 1]))
            fail_msg("value %lld of a %s %lld x %lld matrix is out of order", (long long)k,
                     matrix_name(kind), (long long)m, (long long)n);
    check_ratio("A - U S Vt", kind, m, n, residual(ctx, x));
    check_ratio("I - U'U", kind, m, n, matrix_orthogonal(ctx, m, r, x->U, x->ldu));
    check_ratio("I - Vt V", kind, m, n, rows_orthogonal(ctx, r, n, x->Vt, x->ldvt));
}

/* Values of `got` and `want` agree to `most` roundings of the largest, times the root of the size
 * in which errors of many rotations add up. */
static void check_values(const char *what, enum matrix_kind kind, const struct decomposed *x,
                         const double *got, const double *want, double most)
{
    double unit = DBL_EPSILON * want[0] * sqrt((double)SMR_MAX(x->m, x->n) + 1);
    for (int64_t k = 0; k < x->r; k++)
        if (!(fabs(got[k] - want[k]) <= most * unit))
            fail_msg("%s: value %lld of a %s %lld x %lld matrix: %.17g, not %.17g (%.3g off)", what,
                     (long long)k, matrix_name(kind), (long long)x->m, (long long)x->n, got[k],
                     want[k], fabs(got[k] - want[k]) / unit);
}

/* Around leaves, blocks, the first splits, QR first, and the tree of QRs. */
static const int64_t shapes[][2] = {
    {1, 1},    {2, 1},    {1, 2},   {2, 2},   {3, 2},   {3, 3},   {5, 4},     {7, 7},
    {8, 8},    {9, 9},    {13, 8},  {12, 19}, {16, 16}, {17, 17}, {24, 24},   {25, 25},
    {31, 31},  {32, 32},  {33, 33}, {34, 34}, {40, 23}, {47, 47}, {64, 64},   {65, 65},
    {66, 61},  {67, 67},  {89, 50}, {90, 50}, {91, 50}, {96, 97}, {129, 129}, {131, 70},
    {127, 12}, {128, 12}, {20, 90}, {190, 3}, {211, 1}, {1, 200}, {499, 50},  {500, 50},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void svd_is_exact_to_rounding_for_every_kind_and_shape(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int kind = 0; kind < MATRIX_KINDS; kind++)
        for (int64_t i = 0; i < SHAPES; i += CHECK_MEMORY ? 5 : 1) {
            struct decomposed x = make((enum matrix_kind)kind, shapes[i][0], shapes[i][1], 5);
            check_ok(ctx, run(ctx, &x, true));
            check_decomposed(ctx, (enum matrix_kind)kind, &x);
            double *alone = x.s;
            x.s = matrix_new(x.r);
            check_ok(ctx, run(ctx, &x, false));
            check_values("values alone", (enum matrix_kind)kind, &x, x.s, alone, 12);
            free(alone);
            end(&x);
        }
    check_ctx_end(ctx);
}

static void svd_is_exact_for_large_and_long_matrices(void **state)
{
    (void)state;
    check_no_races();
    if (CHECK_MEMORY) skip();
    smr_ctx *ctx = check_ctx(2);
    static const int64_t large[][2] = {{260, 259}, {515, 513}, {400, 750},  {1300, 128}, {3001, 40},
                                       {40, 2500}, {701, 437}, {2600, 129}, {9000, 7}};
    for (int64_t i = 0; i < 9; i++)
        for (int kind = 0; kind < MATRIX_HUGE; kind++) {
            if (kind && i == 1 && kind != MATRIX_CLUSTERED) continue;
            struct decomposed x = make((enum matrix_kind)kind, large[i][0], large[i][1], 15);
            check_ok(ctx, run(ctx, &x, true));
            check_decomposed(ctx, (enum matrix_kind)kind, &x);
            end(&x);
        }
    check_ctx_end(ctx);
}

static void svd_of_nothing_is_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double A[4] = {1, 2, 3, 4}, s = 7, U = 8, Vt = 9;
    check_ok(ctx, smr_svd(ctx, 0, 0, A, 0, &s, &U, 0, &Vt, 0));
    check_ok(ctx, smr_svd(ctx, 4, 0, A, 4, &s, &U, 4, &Vt, 0));
    check_ok(ctx, smr_svd(ctx, 0, 4, A, 0, &s, &U, 0, &Vt, 0));
    assert_true(s == 7 && U == 8 && Vt == 9);
    check_ctx_end(ctx);
}

static void svd_has_the_values_of_lapack(void **state)
{
    (void)state;
    check_no_races();
    typedef void (*gesdd)(const char *, const int *, const int *, double *, const int *, double *,
                          double *, const int *, double *, const int *, double *, const int *,
                          int *, int *);
    LAPACK_ROUTINE(gesdd, truth, "dgesdd_");
    smr_ctx *ctx = check_ctx(2);
    for (int kind = 0; kind < MATRIX_KINDS; kind++)
        for (int64_t i = 0; i < SHAPES; i += CHECK_MEMORY ? 5 : 1) {
            struct decomposed x = make((enum matrix_kind)kind, shapes[i][0], shapes[i][1], 25);
            int m = (int)x.m, n = (int)x.n, lda = (int)x.lda, one = 1, info = 0;
            int most = (int)SMR_MAX(x.m, x.n), n_work = 20 * most * (int)(x.r + 2);
            int *whole = calloc((size_t)(8 * x.r), sizeof *whole);
            double *work = matrix_new(n_work), *s = matrix_new(x.r);
            check_ok(ctx, run(ctx, &x, true));
            memcpy(x.work, x.A, (size_t)(x.lda * x.n) * sizeof(double));
            truth("N", &m, &n, x.work, &lda, s, work, &one, work, &one, work, &n_work, whole,
                  &info);
            assert_int_equal(info, 0);
            check_values("LAPACK", (enum matrix_kind)kind, &x, x.s, s, 8);
            free(s);
            free(work);
            free(whole);
            end(&x);
        }
    check_ctx_end(ctx);
}

/* Values that are known: those that matrix_fill was asked for. */
static void svd_finds_the_values_that_were_put_in(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (int kind = MATRIX_GRADED; kind < MATRIX_CLUSTERED; kind++) {
        struct decomposed x = make((enum matrix_kind)kind, 150, 90, 35);
        double *want = matrix_new(x.r);
        for (int64_t k = 0; k < x.r; k++)
            want[k] = matrix_value((enum matrix_kind)kind, k, x.r, 35);
        check_ok(ctx, run(ctx, &x, true));
        check_values("put in", (enum matrix_kind)kind, &x, x.s, want, 3);
        free(want);
        end(&x);
    }
    check_ctx_end(ctx);
}

static void a_wide_matrix_is_a_tall_one_turned(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t sizes[][2] = {{9, 5}, {70, 66}, {90, 40}, {300, 21}};
    for (int64_t i = 0; i < 4; i++) {
        struct decomposed x = make(MATRIX_RANDOM, sizes[i][0], sizes[i][1], 45);
        struct decomposed y = make(MATRIX_ZERO, x.n, x.m, 0);
        for (int64_t j = 0; j < x.n; j++)
            for (int64_t k = 0; k < x.m; k++) y.A[j + k * y.lda] = x.A[k + j * x.lda];
        check_ok(ctx, run(ctx, &x, true));
        check_ok(ctx, run(ctx, &y, true));
        assert_memory_equal(x.s, y.s, (size_t)x.r * sizeof(double));
        for (int64_t k = 0; k < x.r; k++) {
            for (int64_t j = 0; j < x.m; j++)
                assert_true(x.U[j + k * x.ldu] == y.Vt[k + j * y.ldvt]);
            for (int64_t j = 0; j < x.n; j++)
                assert_true(x.Vt[k + j * x.ldvt] == y.U[j + k * y.ldu]);
        }
        end(&x);
        end(&y);
    }
    check_ctx_end(ctx);
}

/* Bidiagonal matrices that are hard to divide: equal entries, zeros, graded both ways. */
static void fill_bidiagonal(int64_t how, int64_t n, double *A, int64_t lda)
{
    for (int64_t k = 0; k < n; k++) {
        double up = pow(10, -18.0 * (double)k / (double)n);
        double d = how == 0   ? 1
                   : how == 1 ? up
                   : how == 2 ? pow(10, -18.0 * (double)(n - 1 - k) / (double)n)
                   : how == 3 ? (double)(k % 3 == 1)
                   : how == 4 ? 1 + 1e-15 * (double)k
                              : matrix_number(3, k);
        A[k + k * lda] = d;
        if (k + 1 < n)
            A[k + (k + 1) * lda] = how == 5 ? 1e-9 * matrix_number(4, k) : how == 4 ? 1e-14 : d;
    }
}

static void svd_masters_bidiagonal_matrices_that_are_hard_to_divide(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    static const int64_t sizes[] = {7, 33, 64, 131};
    for (int64_t how = 0; how < 6; how++)
        for (int64_t i = 0; i < 4; i++) {
            struct decomposed x = make(MATRIX_ZERO, sizes[i], sizes[i], 0);
            fill_bidiagonal(how, x.n, x.A, x.lda);
            check_ok(ctx, run(ctx, &x, true));
            check_decomposed(ctx, MATRIX_RANDOM, &x);
            end(&x);
        }
    check_ctx_end(ctx);
}

/* Entries from 1 down to 10^-span, or only a few. */
static void svd_masters_bidiagonal_matrices_of_all_sizes_of_numbers(void **state)
{
    (void)state;
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    for (uint64_t seed = 0; seed < (CHECK_MEMORY ? 10 : 80); seed++) {
        int64_t n = 40 + 3 * (int64_t)seed % 100;
        struct decomposed x = make(MATRIX_ZERO, n, n, 0);
        double span = 20 * (1 + matrix_number(seed, 0));
        for (int64_t k = 0; k < n; k++) {
            double d = matrix_number(seed, 2 * k + 1), e = matrix_number(seed, 2 * k + 2);
            bool few = seed % 4 == 3;
            x.A[k + k * x.lda] = few ? 1e-150 * d : pow(10, -span * (1 + d) / 2);
            if (k + 1 < n)
                x.A[k + (k + 1) * x.lda] = !few       ? pow(10, -span * (1 + e) / 2)
                                           : e > 0.95 ? 1
                                                      : 1e-160 * e;
        }
        check_ok(ctx, run(ctx, &x, true));
        check_decomposed(ctx, MATRIX_RANDOM, &x);
        end(&x);
    }
    check_ctx_end(ctx);
}

static void check_same_bits(const struct decomposed *x, const struct decomposed *y)
{
    assert_memory_equal(x->s, y->s, (size_t)x->r * sizeof(double));
    assert_memory_equal(x->U, y->U, (size_t)(x->ldu * x->r) * sizeof(double));
    assert_memory_equal(x->Vt, y->Vt, (size_t)(x->ldvt * x->n) * sizeof(double));
}

static const int64_t compared[][2] = {{6, 6},    {40, 33},   {300, 20}, {210, 190},
                                      {30, 400}, {5000, 11}, {320, 150}};

static void svd_has_the_same_bits_at_any_thread_count(void **state)
{
    (void)state;
    smr_ctx *one = check_ctx(1), *two = check_ctx(2), *seven = check_ctx(7);
    for (int64_t i = 0; i < (CHECK_RACES ? 5 : 7); i++) {
        struct decomposed x = make(MATRIX_RANDOM, compared[i][0], compared[i][1], 55);
        struct decomposed y = make(MATRIX_RANDOM, compared[i][0], compared[i][1], 55);
        check_ok(one, run(one, &x, true));
        check_ok(two, run(two, &y, true));
        check_same_bits(&x, &y);
        check_ok(seven, run(seven, &y, true));
        check_same_bits(&x, &y);
        check_ok(one, run(one, &x, false));
        check_ok(seven, run(seven, &y, false));
        assert_memory_equal(x.s, y.s, (size_t)x.r * sizeof(double));
        end(&x);
        end(&y);
    }
    check_ctx_end(one);
    check_ctx_end(two);
    check_ctx_end(seven);
}

static void svd_has_the_same_bits_on_every_tier(void **state)
{
    (void)state;
    check_no_races();
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    const char *best = smr_kernel_tier();
    smr_ctx *ctx = check_ctx(2);
    for (int64_t i = 0; i < 7; i++) {
        struct decomposed x = make(MATRIX_RANDOM, compared[i][0], compared[i][1], 65);
        struct decomposed y = make(MATRIX_RANDOM, compared[i][0], compared[i][1], 65);
        check_ok(ctx, run(ctx, &x, true));
        for (int64_t t = CHECK_MEMORY ? 1 : 0; t < (CHECK_MEMORY ? 2 : 4); t++) {
            if (!smr_kernel_use(tiers[t])) continue;
            check_ok(ctx, run(ctx, &y, true));
            check_same_bits(&x, &y);
        }
        assert_true(smr_kernel_use(best));
        end(&x);
        end(&y);
    }
    check_ctx_end(ctx);
}

static void svd_refuses_what_is_not_finite_and_what_has_no_shape(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t sizes[][2] = {{5, 4}, {4, 5}, {900, 300}};
    for (int64_t i = 0; i < 3; i++) {
        struct decomposed x = make(MATRIX_RANDOM, sizes[i][0], sizes[i][1], 75);
        x.A[2 + x.lda] = NAN;
        check_fails(ctx, run(ctx, &x, true), SMR_ERR_DATA, "row 3, column 2 is not finite");
        x.A[2 + x.lda] = -INFINITY;
        check_fails(ctx, run(ctx, &x, false), SMR_ERR_DATA, "row 3, column 2 is not finite");
        end(&x);
    }
    double A[6] = {0}, s[2], U[6], Vt[4];
    check_fails(ctx, smr_svd(ctx, 3, 2, A, 2, s, U, 3, Vt, 2), SMR_ERR_SHAPE, "svd");
    check_fails(ctx, smr_svd(ctx, -3, 2, A, 2, s, U, 3, Vt, 2), SMR_ERR_SHAPE, "svd");
    check_fails(ctx, smr_svd(ctx, 3, 2, A, 3, s, U, 2, Vt, 2), SMR_ERR_SHAPE, "svd, U");
    check_fails(ctx, smr_svd(ctx, 3, 2, A, 3, s, U, 3, Vt, 1), SMR_ERR_SHAPE, "svd, Vt");
    check_ctx_end(ctx);
}

static void svd_without_memory_fails_and_holds_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t sizes[][2] = {{8, 8}, {70, 68}, {68, 70}, {160, 67}, {67, 160}, {900, 30}};
    for (int64_t i = 0; i < 6; i++)
        for (int vectors = 0; vectors < 2; vectors++) {
            struct decomposed x = make(MATRIX_RANDOM, sizes[i][0], sizes[i][1], 85);
            check_ok(ctx, run(ctx, &x, vectors)); /* the pool is there */
            int64_t held = smr_ctx_memory(ctx, NULL);
            for (int64_t n = 0;; n++) {
                smr_memory_fail_at(ctx, n);
                smr_status st = run(ctx, &x, vectors);
                smr_memory_fail_at(ctx, -1);
                smr_ctx_clear(ctx);
                assert_int_equal(smr_ctx_memory(ctx, NULL), held);
                if (st == SMR_OK) break;
                assert_int_equal(st, SMR_ERR_NOMEM);
                assert_true(n < 1000);
            }
            end(&x);
        }
    check_ctx_end(ctx);
}

static void svd_that_is_cancelled_stops(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const int64_t sizes[][2] = {{130, 128}, {300, 40}, {40, 300}, {2000, 20}};
    for (int64_t i = 0; i < 4; i++) {
        struct decomposed x = make(MATRIX_RANDOM, sizes[i][0], sizes[i][1], 95);
        smr_ctx_cancel(ctx);
        assert_int_equal(run(ctx, &x, true), SMR_ERR_CANCELLED);
        smr_ctx_clear(ctx);
        check_ok(ctx, run(ctx, &x, true));
        end(&x);
    }
    check_ctx_end(ctx);
}

/* Iteration and division agree; a wide bidiagonal matrix has a column that it maps to 0. */
static void bidiagonal_parts_agree(void **state)
{
    (void)state;
    enum { N = 75, LD = 80 };
    smr_ctx *ctx = check_ctx(2);
    double *U = matrix_new(LD * LD), *V = matrix_new(LD * LD), d[2][N], e[2][N], work[4 * N];
    for (int64_t k = 0; k < N; k++) {
        d[0][k] = d[1][k] = matrix_number(105, k);
        e[0][k] = e[1][k] = matrix_number(106, k);
    }
    smr_bidiagonal_svd b = {.n = N, .d = d[0], .e = e[0], .U = U, .V = V, .ldu = LD, .ldv = LD};
    b.n_left = N;
    b.n_right = N + 1;
    b.wide = true;
    for (int64_t k = 0; k <= N; k++) U[k + k * LD] = V[k + k * LD] = 1;
    check_ok(ctx, smr_bidiagonal_iterate(ctx, &b, work));
    assert_true(matrix_orthogonal(ctx, N + 1, N + 1, V, LD) < RATIO_MOST);
    for (int64_t i = 0; i < N; i++) {
        double zero = d[1][i] * V[i + N * LD] + e[1][i] * V[i + 1 + N * LD];
        check_near("B v", zero, 0, 40 * DBL_EPSILON); /* N turns of numbers below 1 */
        for (int64_t k = 0; k < N; k++) {
            double Bv = d[1][i] * V[i + k * LD] + e[1][i] * V[i + 1 + k * LD];
            check_near("B v = s u", Bv, d[0][k] * U[i + k * LD], 100 * DBL_EPSILON);
        }
    }
    free(U);
    free(V);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svd_is_exact_to_rounding_for_every_kind_and_shape),
        cmocka_unit_test(svd_is_exact_for_large_and_long_matrices),
        cmocka_unit_test(svd_of_nothing_is_nothing),
        cmocka_unit_test(svd_has_the_values_of_lapack),
        cmocka_unit_test(svd_finds_the_values_that_were_put_in),
        cmocka_unit_test(a_wide_matrix_is_a_tall_one_turned),
        cmocka_unit_test(svd_masters_bidiagonal_matrices_that_are_hard_to_divide),
        cmocka_unit_test(svd_masters_bidiagonal_matrices_of_all_sizes_of_numbers),
        cmocka_unit_test(svd_has_the_same_bits_at_any_thread_count),
        cmocka_unit_test(svd_has_the_same_bits_on_every_tier),
        cmocka_unit_test(svd_refuses_what_is_not_finite_and_what_has_no_shape),
        cmocka_unit_test(svd_without_memory_fails_and_holds_nothing),
        cmocka_unit_test(svd_that_is_cancelled_stops),
        cmocka_unit_test(bidiagonal_parts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
