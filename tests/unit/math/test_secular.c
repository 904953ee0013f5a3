/* test_secular.c -- the secular equation: the roots' places, and vectors that are orthogonal. */
#include "matrices.h"

#include "math/secular.h"

enum { MOST = 700, KINDS = 6 };
enum { EVEN, CLOSE, GRADED, SMALL_WEIGHTS, GRADED_WEIGHTS, TWO_CLUSTERS };

struct problem {
    smr_secular s;
    double d[MOST], z[MOST], tau[MOST], zh[MOST];
    int64_t origin[MOST];
};

static double pole(int kind, int64_t i, int64_t n)
{
    switch (kind) {
    case CLOSE: return 1 + (double)i * 1e-14;
    case GRADED: return pow(2, -50.0 * (double)(n - i) / (double)n);
    case TWO_CLUSTERS: return i < n / 2 ? (double)i * 3e-16 : 1 + (double)i * 1e-15;
    default: return ((double)i + 0.4 * matrix_number(3, i)) / (double)n;
    }
}

static void make_problem(struct problem *p, int kind, bool squared, int64_t n)
{
    double sq = 0;
    for (int64_t i = 0; i < n; i++) {
        p->d[i] = pole(kind, i, n);
        p->z[i] = matrix_number(5, i);
        if (kind == SMALL_WEIGHTS && i % 2) p->z[i] = 1e-14 * (1.5 + matrix_number(6, i));
        if (kind == GRADED_WEIGHTS) p->z[i] *= pow(10, -6.5 * (1 + matrix_number(7, i)));
        sq += p->z[i] * p->z[i];
    }
    if (squared) p->d[0] = 0;
    for (int64_t i = 0; i < n; i++) p->z[i] /= sqrt(sq);
    p->s = (smr_secular){n, p->d, p->z, squared || kind % 2 ? 1 : 0.37, squared};
}

static smr_status solve(smr_ctx *ctx, struct problem *p)
{
    smr_secular_roots to = {p->origin, p->tau, p->zh};
    return smr_secular_solve(ctx, &p->s, &to);
}

/* The roots lie between their poles, and delta_i - mu_j has one sign on each side. */
static void check_places(const struct problem *p)
{
    int64_t n = p->s.n;
    for (int64_t j = 0; j < n; j++) {
        assert_true(p->origin[j] == j || (p->origin[j] == j + 1 && j + 1 < n));
        assert_true(smr_secular_gap(&p->s, j, p->origin[j], p->tau[j]) < 0);
        if (j + 1 < n) assert_true(smr_secular_gap(&p->s, j + 1, p->origin[j], p->tau[j]) > 0);
    }
}

static void check_vectors(smr_ctx *ctx, struct problem *p)
{
    int64_t n = p->s.n;
    double *V = matrix_new(n * n), worst = 0;
    smr_secular_roots roots = {p->origin, p->tau, p->zh};
    for (int64_t j = 0; j < n; j++) {
        double *v = V + j * n, sq = 0, dot = 0;
        smr_secular_vector(&p->s, &roots, j, v);
        for (int64_t i = 0; i < n; i++) sq += v[i] * v[i];
        for (int64_t i = 0; i < n; i++) v[i] /= sqrt(sq);
        for (int64_t i = 0; i < n; i++) dot += v[i] * p->z[i];
        for (int64_t i = 0; i < n; i++) {
            double gap = smr_secular_gap(&p->s, i, p->origin[j], p->tau[j]);
            worst = fmax(worst, fabs(gap * v[i] + p->s.rho * dot * p->z[i]));
        }
    }
    double orthogonal = matrix_orthogonal(ctx, n, n, V, n);
    if (!(orthogonal < RATIO_MOST)) fail_msg("vectors: ratio %.3g, n %d", orthogonal, (int)n);
    /* |(D + rho z z' - mu) v|, entry by entry, of matrices of norm 1 or less */
    if (!(worst < 8 * DBL_EPSILON)) fail_msg("residual %.3g, n %d", worst, (int)n);
    free(V);
}

static void roots_and_vectors_of_all_kinds(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 8, 9, 17, 100, 128, 129, 331};
    smr_ctx *ctx = check_ctx(2);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (int64_t t = 0; t < SMR_COUNT(sizes); t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int squared = 0; squared < 2; squared++) {
                make_problem(p, kind, squared, sizes[t]);
                check_ok(ctx, solve(ctx, p));
                check_places(p);
                check_vectors(ctx, p);
            }
    free(p);
    check_ctx_end(ctx);
}

/* diag(d) + rho z z' of order 2 by the quadratic formula. */
static void roots_of_order_two_are_those_of_the_quadratic(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->d[0] = -0.725, p->d[1] = 1.3125;
    p->z[0] = 0.6, p->z[1] = -0.8;
    p->s = (smr_secular){2, p->d, p->z, 0.875, false};
    check_ok(ctx, solve(ctx, p));
    double a = -0.725 + 0.875 * 0.36, c = 1.3125 + 0.875 * 0.64, b = 0.875 * 0.48;
    double mid = (a + c) / 2, half = sqrt((a - c) * (a - c) / 4 + b * b);
    check_near("first", p->d[p->origin[0]] + p->tau[0], mid - half, 4 * DBL_EPSILON);
    check_near("second", p->d[p->origin[1]] + p->tau[1], mid + half, 4 * DBL_EPSILON);
    check_near("weight", p->zh[0], 0.6, 8 * DBL_EPSILON);
    check_near("weight", p->zh[1], -0.8, 8 * DBL_EPSILON);
    free(p);
    check_ctx_end(ctx);
}

/* The third root is far from its poles and belongs to the first weight, beyond the nearer pole: the
 * roots have their weights back. */
static void a_weight_behind_the_nearer_pole_is_seen(void **state)
{
    (void)state;
    static const double d[] = {0, 0x1.ea45013f17bedp-44, 0x1.c582acae16f67p-43,
                               0x1.0c5a50223dcfbp-1};
    static const double z[] = {0x1.a57ad7ab21a74p-6, -0x1.e3cf4ff9f9b6p-34, 0x1.1121e7a56e77fp-49,
                               0x1.3106b257fb07ap-41};
    smr_ctx *ctx = check_ctx(1);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->s = (smr_secular){4, d, z, 1, true};
    check_ok(ctx, solve(ctx, p));
    check_places(p);
    for (int64_t i = 0; i < 4; i++) check_near("weight", p->zh[i], z[i], 2 * DBL_EPSILON);
    free(p);
    check_ctx_end(ctx);
}

static void bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    struct problem *p = calloc(2, sizeof *p);
    assert_non_null(p);
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        struct problem *q = p + (threads > 1);
        make_problem(q, TWO_CLUSTERS, true, MOST);
        check_ok(ctx, solve(ctx, q));
        if (threads > 1) {
            assert_memory_equal(p->tau, q->tau, sizeof p->tau);
            assert_memory_equal(p->zh, q->zh, sizeof p->zh);
            assert_memory_equal(p->origin, q->origin, sizeof p->origin);
        }
        check_ctx_end(ctx);
    }
    free(p);
}

static void numbers_that_are_none_end_too(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    make_problem(p, EVEN, false, 9);
    p->d[4] = NAN;
    (void)solve(ctx, p);
    smr_ctx_clear(ctx);
    make_problem(p, EVEN, false, 9);
    smr_memory_fail_at(ctx, 0);
    assert_int_equal(solve(ctx, p), SMR_ERR_NOMEM);
    free(p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_and_vectors_of_all_kinds),
        cmocka_unit_test(roots_of_order_two_are_those_of_the_quadratic),
        cmocka_unit_test(a_weight_behind_the_nearer_pole_is_seen),
        cmocka_unit_test(bits_do_not_depend_on_the_threads),
        cmocka_unit_test(numbers_that_are_none_end_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
