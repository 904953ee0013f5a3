/* test_lanczos.c -- pairs of sparse matrices whose eigenvalues are known, and of dense ones by the
 * dense solver: values, residuals, every vector of a multiple value, equal bits. */
#include "math/lanczos.h"

#include "check.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "math/factor.h"
#include "pipeline.h"

#include <float.h>

#define PI 3.14159265358979323846

/* ---- matrices --------------------------------------------------------------------------- */

/* A dense matrix n x n, row by row. */
struct dense {
    int64_t n;
    double *A;
    int64_t n_times; /* columns that were multiplied */
};

static smr_status dense_times(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx,
                              double *Y, int64_t ldy)
{
    struct dense *m = arg;
    (void)ctx;
    m->n_times += k;
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < m->n; i++)
            Y[c * ldy + i] = smr_dot_f64(m->n, m->A + i * m->n, X + c * ldx);
    return SMR_OK;
}

static struct dense dense_new(int64_t n)
{
    struct dense m = {n, calloc((size_t)(n * n), sizeof(double)), 0};
    assert_non_null(m.A);
    return m;
}

static void put(struct dense *m, int64_t i, int64_t j, double x)
{
    m->A[i * m->n + j] = m->A[j * m->n + i] = x;
}

static void random_symmetric(struct dense *m, uint64_t seed)
{
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t j = 0; j <= i; j++)
            put(m, i, j, smr_random_unit(seed, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j) - 0.5);
}

/* The Laplacian of a hypercube of `bits` dimensions: the values 2 j, binomial(bits, j) times. */
static struct dense hypercube(int bits)
{
    struct dense m = dense_new(INT64_C(1) << bits);
    for (int64_t i = 0; i < m.n; i++) {
        put(&m, i, i, bits);
        for (int b = 0; b < bits; b++) put(&m, i, i ^ (INT64_C(1) << b), -1);
    }
    return m;
}

/* The Laplacian of a ring: 2 - 2 cos(2 pi j / n), all but 0 and the largest twice. */
static smr_status ring_times(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx,
                             double *Y, int64_t ldy)
{
    int64_t n = *(const int64_t *)arg;
    (void)ctx;
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) {
            const double *x = X + c * ldx;
            Y[c * ldy + i] = 2 * x[i] - x[(i + 1) % n] - x[(i + n - 1) % n];
        }
    return SMR_OK;
}

/* ---- checks ----------------------------------------------------------------------------- */

static void check_pairs(smr_ctx *ctx, const smr_operator *A, const smr_eigenpairs *p, double tol)
{
    double *y = calloc((size_t)A->n, sizeof *y);
    assert_non_null(y);
    assert_true(p->converged);
    for (int64_t c = 0; c < p->k; c++) {
        double *x = p->vector + c * A->n;
        check_ok(ctx, A->times(ctx, A->arg, 1, x, A->n, y, A->n));
        smr_axpy_f64(A->n, -p->value[c], x, y);
        double off = sqrt(smr_dot_f64(A->n, y, y));
        if (off > tol * p->norm || fabs(off - p->residual[c]) > 1e-14 * p->norm)
            fail_msg("pair %d: residual %.3g, said %.3g", (int)c, off, p->residual[c]);
        for (int64_t d = 0; d <= c; d++)
            check_near("product of two vectors", smr_dot_f64(A->n, x, p->vector + d * A->n),
                       c == d ? 1 : 0, 1e-13);
    }
    free(y);
}

static void dense_matrices_agree_with_the_dense_solver(void **state)
{
    static const int64_t sizes[][3] = {/* n, k, block */
                                       {1, 1, 1},   {2, 1, 1},   {3, 3, 2},  {7, 2, 3},
                                       {41, 41, 1}, {97, 5, 1},  {97, 5, 4}, {203, 11, 3},
                                       {211, 1, 1}, {150, 60, 7}};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < 2 * SMR_COUNT(sizes); s++) {
        int64_t n = sizes[s / 2][0], k = sizes[s / 2][1];
        struct dense m = dense_new(n);
        smr_operator A = {n, dense_times, &m};
        smr_lanczos_opts o = {.k = k, .block = sizes[s / 2][2], .smallest = s % 2, .sure = true};
        smr_eigenpairs p;
        double *V = malloc((size_t)(n * n) * sizeof *V), *w = malloc((size_t)n * sizeof *w);
        assert_true(V && w);
        random_symmetric(&m, (uint64_t)s);
        memcpy(V, m.A, (size_t)(n * n) * sizeof *V);
        check_ok(ctx, smr_eigen(ctx, n, V, n, w));
        check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
        check_pairs(ctx, &A, &p, 1e-10);
        for (int64_t c = 0; c < k; c++)
            check_near("value", p.value[c], w[s % 2 ? c : n - 1 - c], 1e-13);
        smr_eigenpairs_release(&p);
        free(V), free(w), free(m.A);
    }
    check_ctx_end(ctx);
}

static void all_vectors_of_a_multiple_value_are_found(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct dense m = hypercube(8); /* 256 rows: 0, 8 times 2, 28 times 4 */
    smr_operator A = {m.n, dense_times, &m};
    for (int64_t block = 1; block < 4; block++)
        for (int64_t k = 9; k < 30; k += 10) {
            smr_lanczos_opts o = {.k = k, .block = block, .smallest = true, .sure = true};
            smr_eigenpairs p;
            check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
            check_pairs(ctx, &A, &p, 1e-10);
            for (int64_t c = 0; c < k; c++)
                check_near("value", p.value[c], c == 0 ? 0 : c < 9 ? 2 : 4, 1e-12);
            smr_eigenpairs_release(&p);
        }
    free(m.A);
    check_ctx_end(ctx);
}

/* A diagonal of a few distinct values ends the growth of the basis again and again. */
static void spaces_that_the_matrix_does_not_leave_are_passed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct dense m = dense_new(120);
    smr_operator A = {m.n, dense_times, &m};
    for (int64_t i = 0; i < m.n; i++) put(&m, i, i, i < 3 ? 7 : i < 50 ? 5 : -1);
    smr_lanczos_opts o = {.k = 8, .sure = true};
    smr_eigenpairs p;
    check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
    check_pairs(ctx, &A, &p, 1e-10);
    for (int64_t c = 0; c < 8; c++) check_near("value", p.value[c], c < 3 ? 7 : 5, 1e-13);
    smr_eigenpairs_release(&p);
    memset(m.A, 0, (size_t)(m.n * m.n) * sizeof *m.A); /* and of zeros */
    check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
    check_pairs(ctx, &A, &p, 1e-10);
    for (int64_t c = 0; c < 8; c++) check_near("value", p.value[c], 0, 0);
    smr_eigenpairs_release(&p);
    free(m.A);
    check_ctx_end(ctx);
}

static double ring_value(int64_t n, int64_t c)
{
    return 2 - 2 * cos(2 * PI * (double)((c + 1) / 2) / (double)n);
}

static void a_large_ring_has_the_known_values(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    int64_t n = CHECK_LESS ? 401 : 3001;
    smr_operator A = {n, ring_times, &n};
    smr_lanczos_opts o = {.k = 5, .smallest = true, .sure = true};
    smr_eigenpairs p;
    check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
    check_pairs(ctx, &A, &p, 1e-10);
    for (int64_t c = 0; c < 5; c++) check_near("value", p.value[c], ring_value(n, c), 1e-13);
    smr_eigenpairs_release(&p);
    check_ctx_end(ctx);
}

/* The vector of ones is known; what is left begins with the double value. */
static void known_vectors_are_left_out(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    int64_t n = 301;
    double *ones = malloc((size_t)n * sizeof *ones);
    assert_non_null(ones);
    for (int64_t i = 0; i < n; i++) ones[i] = 1 / sqrt((double)n);
    smr_operator A = {n, ring_times, &n};
    smr_lanczos_opts o = {.k = 4, .smallest = true, .sure = true, .known = ones, .n_known = 1};
    smr_eigenpairs p;
    check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
    check_pairs(ctx, &A, &p, 1e-10);
    for (int64_t c = 0; c < 4; c++) {
        check_near("value", p.value[c], ring_value(n, c + 1), 1e-13);
        check_near("against the known", smr_dot_f64(n, ones, p.vector + c * n), 0, 1e-13);
    }
    smr_eigenpairs_release(&p);
    o.k = n;
    check_fails(ctx, smr_lanczos(ctx, &A, &o, &p), SMR_ERR_SHAPE,
                "301 eigenpairs of a matrix with 301 rows, of which 1 are known");
    free(ones);
    check_ctx_end(ctx);
}

/* Through the filter far fewer vectors are made orthogonal, and the vectors are the same. */
static void a_filter_keeps_vectors_and_spreads_values(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    int64_t n = 1201, k = 5;
    smr_operator A = {n, ring_times, &n};
    for (int64_t degree = 1; degree < 40; degree += 12) {
        smr_filter f;
        smr_eigenpairs p;
        double *y = malloc((size_t)n * sizeof *y);
        assert_non_null(y);
        check_ok(ctx, smr_filter_create(ctx, &A, 0.01, 4, 0, degree, 2, &f));
        smr_operator F = smr_filter_operator(&f);
        smr_lanczos_opts o = {.k = k, .block = 2, .sure = true, .tol = 1e-13};
        check_ok(ctx, smr_lanczos(ctx, &F, &o, &p));
        check_near("p at 0", p.value[0], 1, 1e-12);
        for (int64_t c = 0; c < k; c++) {
            const double *x = p.vector + c * n;
            check_ok(ctx, ring_times(ctx, &n, 1, x, n, y, n));
            double value = smr_dot_f64(n, x, y);
            check_near("value", value, ring_value(n, c), 1e-11);
            smr_axpy_f64(n, -value, x, y);
            check_near("residual", sqrt(smr_dot_f64(n, y, y)), 0, 1e-8);
        }
        smr_eigenpairs_release(&p);
        smr_filter_release(&f);
        free(y);
    }
    check_ctx_end(ctx);
}

static void a_stop_says_that_it_has_not_converged(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 5000;
    smr_operator A = {n, ring_times, &n};
    smr_lanczos_opts o = {.k = 4, .smallest = true, .max_products = 30};
    smr_eigenpairs p;
    check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
    assert_false(p.converged);
    assert_true(p.n_products <= 40 && p.residual[0] > 1e-9);
    smr_eigenpairs_release(&p);
    check_ctx_end(ctx);
}

static smr_status not_a_number(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx,
                               double *Y, int64_t ldy)
{
    smr_status st = ring_times(ctx, arg, k, X, ldx, Y, ldy);
    Y[0] = (double)NAN;
    return st;
}

static void products_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 50;
    smr_operator A = {n, not_a_number, &n};
    smr_lanczos_opts o = {.k = 2};
    smr_eigenpairs p;
    check_fails(ctx, smr_lanczos(ctx, &A, &o, &p), SMR_ERR_NUMERIC, "not finite");
    check_ctx_end(ctx);
}

static void bits_depend_on_neither_threads_nor_tier(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4"};
    static const int threads[] = {1, 2, 7};
    (void)state;
    int64_t n = 9001, k = 3;
    double *first = NULL;
    const char *own = smr_kernel_tier();
    for (int t = 0; t < 9; t++) {
        if (!smr_kernel_use(tiers[t / 3])) continue;
        smr_ctx *ctx = check_ctx(threads[t % 3]);
        smr_operator A = {n, ring_times, &n};
        smr_lanczos_opts o = {.k = k, .block = 2, .max_products = 150};
        smr_eigenpairs p;
        check_ok(ctx, smr_lanczos(ctx, &A, &o, &p));
        if (!first) {
            first = malloc((size_t)(n * k) * sizeof *first);
            assert_non_null(first);
            memcpy(first, p.vector, (size_t)(n * k) * sizeof *first);
        }
        assert_memory_equal(first, p.vector, (size_t)(n * k) * sizeof *first);
        smr_eigenpairs_release(&p);
        check_ctx_end(ctx);
    }
    assert_true(smr_kernel_use(own));
    free(first);
}

static smr_status attempt(smr_ctx *ctx, void *arg)
{
    int64_t n = 60, *at = arg;
    smr_operator A = {n, ring_times, &n};
    smr_lanczos_opts o = {.k = 3, .block = 2, .smallest = true, .sure = true};
    smr_eigenpairs p;
    smr_status st = smr_lanczos(ctx, &A, &o, &p);
    *at = p.k;
    if (st == SMR_OK) smr_eigenpairs_release(&p);
    return st;
}

static void memory_that_fails_leaves_nothing_held(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t k = 0;
    assert_true(fail_each_allocation(ctx, attempt, &k) > 10);
    assert_int_equal(k, 3);
    check_ctx_end(ctx);
}

static void a_cancelled_search_ends(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t k = 0, at = 1;
    for (;; at++) {
        smr_cancel_at(ctx, at);
        smr_status st = attempt(ctx, &k);
        smr_cancel_at(ctx, 0);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_CANCELLED);
        smr_ctx_clear(ctx);
    }
    assert_true(at > 5);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_matrices_agree_with_the_dense_solver),
        cmocka_unit_test(all_vectors_of_a_multiple_value_are_found),
        cmocka_unit_test(spaces_that_the_matrix_does_not_leave_are_passed),
        cmocka_unit_test(a_large_ring_has_the_known_values),
        cmocka_unit_test(known_vectors_are_left_out),
        cmocka_unit_test(a_filter_keeps_vectors_and_spreads_values),
        cmocka_unit_test(a_stop_says_that_it_has_not_converged),
        cmocka_unit_test(products_that_are_not_finite_are_refused),
        cmocka_unit_test(bits_depend_on_neither_threads_nor_tier),
        cmocka_unit_test(memory_that_fails_leaves_nothing_held),
        cmocka_unit_test(a_cancelled_search_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
