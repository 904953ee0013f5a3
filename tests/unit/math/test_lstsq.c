/* test_lstsq.c -- least squares against certified values, its normal equations, and itself. */
#include "golden/nist.h"
#include "unit/math/rows_of.h"

#include "kernel/qr_kernels.h"
#include "math/linalg.h"
#include "math/lstsq.h"

#include <float.h>

/* ---- certified values ------------------------------------------------------------------- */

struct target {
    const char *name;
    double coef, error, sd, r2; /* digits that must agree */
};

/* Reached: norris 14.1, pontius 13.5, longley 14.6,
 * filip 7.6 (the powers of x, rounded to double, allow no more), wampler1 15, wampler2 13.2 (so
 * does its y), wampler3 to 5 15; what is asked for leaves a margin of about one digit. */
static const struct target qr_targets[] = {
    {"norris", 13, 13, 13, 14},   {"pontius", 12.5, 12.5, 12.5, 14}, {"longley", 13.5, 13, 13, 14},
    {"filip", 7, 7, 8.5, 11},     {"wampler1", 14, 9, 9, 14},        {"wampler2", 12, 12, 12, 14},
    {"wampler3", 14, 12, 13, 14}, {"wampler4", 14, 12, 13, 14},      {"wampler5", 14, 12, 13, 12.5},
};
static const struct target gram_targets[] = {{"norris", 11, 10, 10, 13},
                                             {"longley", 11, 11, 12, 13}};

static void certify(const struct target *t, smr_lstsq_method method)
{
    smr_ctx *ctx = check_ctx(2);
    struct nist s;
    nist_read(t->name, &s);
    struct matrix m = {s.n, s.p - 1, s.p - 1, s.x};
    smr_row_source rows = rows_of(&m, 1, s.y, NULL);
    smr_lstsq_opts opts = {.intercept = true, .method = method};
    smr_lstsq fit;
    check_ok(ctx, smr_lstsq_fit(ctx, &rows, &opts, &fit));
    assert_int_equal(fit.rank, s.p - 1);
    double coef = 15, error = 15, variance = fit.rss[0] / (s.n - s.p);
    for (int j = 0; j < s.p; j++) {
        double estimate = j ? fit.coef[j - 1] : fit.origin[0];
        double v = j ? fit.variance[j - 1] : fit.origin_variance;
        coef = fmin(coef, nist_digits(estimate, s.estimate[j]));
        error = fmin(error, nist_digits(sqrt(variance * v), s.error[j]));
    }
    double sd = nist_digits(sqrt(variance), s.sd),
           r2 = nist_digits(1 - fit.rss[0] / fit.tss[0], s.r2);
    print_message("%s: digits of the coefficients %.1f, errors %.1f, sd %.1f, R2 %.1f\n", t->name,
                  coef, error, sd, r2);
    if (coef < t->coef || error < t->error || sd < t->sd || r2 < t->r2)
        fail_msg("%s: fewer digits than %.1f, %.1f, %.1f, %.1f", t->name, t->coef, t->error, t->sd,
                 t->r2);
    smr_lstsq_release(&fit);
    check_ctx_end(ctx);
}

static void qr_reaches_the_certified_values(void **unused)
{
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(qr_targets); k++) certify(&qr_targets[k], SMR_LSTSQ_AUTO);
}

static void gram_reaches_the_certified_values_where_it_is_kept(void **unused)
{
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(gram_targets); k++) certify(&gram_targets[k], SMR_LSTSQ_GRAM);
}

/* ---- random problems -------------------------------------------------------------------- */

struct problem {
    int64_t n, d, q;
    double *x, *y, *weight;
    struct matrix m;
    smr_row_source rows;
};

static struct problem make_problem(int64_t n, int64_t d, int64_t q, uint64_t seed)
{
    struct problem p = {.n = n, .d = d, .q = q};
    p.x = random_numbers(n * d, seed);
    p.y = random_numbers(n * q, seed + 1);
    p.weight = random_numbers(n, seed + 2);
    for (int64_t i = 0; i < n; i++) p.weight[i] = fabs(p.weight[i]) + 0.1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < d; j++)
                p.y[i * q + k] += (double)(j - k) * 0.3 * p.x[i * d + j] + 2.5;
    return p;
}

static void link_problem(struct problem *p, bool weighted)
{
    p->m = (struct matrix){p->n, p->d, p->d, p->x};
    p->rows = rows_of(&p->m, p->q, p->y, weighted ? p->weight : NULL);
}

static void free_problem(struct problem *p)
{
    free(p->x);
    free(p->y);
    free(p->weight);
}

static void solve(struct problem *p, bool intercept, smr_lstsq_method method, int threads,
                  smr_lstsq *fit)
{
    smr_ctx *ctx = check_ctx(threads);
    smr_lstsq_opts opts = {.intercept = intercept, .method = method};
    check_ok(ctx, smr_lstsq_fit(ctx, &p->rows, &opts, fit));
    smr_ctx_destroy(ctx);
}

/* Residuals, weighted, are orthogonal to every column (and to 1), and sum to rss. */
static void check_optimal(const struct problem *p, const smr_lstsq *fit, double tolerance)
{
    int64_t d = p->d, q = p->q;
    for (int64_t k = 0; k < q; k++) {
        double g[64] = {0}, rss = 0, one = 0;
        for (int64_t i = 0; i < p->n; i++) {
            double w = p->rows.weight ? p->weight[i] : 1, r = p->y[i * q + k] - fit->origin[k];
            for (int64_t j = 0; j < d; j++) r -= p->x[i * d + j] * fit->coef[k * d + j];
            for (int64_t j = 0; j < d; j++) g[j] += w * r * p->x[i * d + j];
            rss += w * r * r;
            one += w * r;
        }
        for (int64_t j = 0; j < d; j++) check_near("X'r", g[j] / (double)p->n, 0, tolerance);
        if (fit->centred) check_near("1'r", one / (double)p->n, 0, tolerance);
        check_near("rss", fit->rss[k], rss, 1e-9);
    }
}

static void residuals_are_orthogonal_to_the_columns(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{7, 1, 1},     {37, 5, 2},  {101, 13, 3}, {5003, 11, 1},
                                        {1031, 31, 2}, {64, 1, 1},  {65, 2, 1},   {30, 29, 1},
                                        {30, 30, 1},   {12, 30, 2}, {1, 3, 1},    {2, 1, 1}};
    static const smr_lstsq_method ways[] = {SMR_LSTSQ_AUTO, SMR_LSTSQ_GRAM, SMR_LSTSQ_QR};
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (int option = 0; option < 12; option++) {
            struct problem p = make_problem(shapes[s][0], shapes[s][1], shapes[s][2], 7);
            smr_lstsq fit;
            link_problem(&p, option & 1);
            solve(&p, option & 2, ways[option / 4], 2, &fit);
            check_optimal(&p, &fit, 1e-11);
            smr_lstsq_release(&fit);
            free_problem(&p);
        }
}

/* The same problem three ways. */
static void the_ways_agree(void **unused)
{
    (void)unused;
    for (int option = 0; option < 4; option++) {
        struct problem p = make_problem(4001, 9, 2, 31);
        smr_lstsq gram, qr, svd;
        link_problem(&p, option & 1);
        solve(&p, option & 2, SMR_LSTSQ_GRAM, 1, &gram);
        solve(&p, option & 2, SMR_LSTSQ_QR, 1, &qr);
        solve(&p, option & 2, SMR_LSTSQ_SVD, 1, &svd);
        assert_int_equal(gram.method, SMR_LSTSQ_GRAM);
        assert_int_equal(qr.method, SMR_LSTSQ_QR);
        assert_int_equal(svd.method, SMR_LSTSQ_SVD);
        for (int j = 0; j < 18; j++) {
            check_near("gram coef", gram.coef[j], qr.coef[j], 1e-12);
            check_near("svd coef", svd.coef[j], qr.coef[j], 1e-12);
        }
        for (int j = 0; j < 9; j++) {
            check_near("gram variance", gram.variance[j] / qr.variance[j], 1, 1e-11);
            check_near("svd variance", svd.variance[j] / qr.variance[j], 1, 1e-11);
        }
        for (int k = 0; k < 2; k++) {
            check_near("origin", gram.origin[k], qr.origin[k], 1e-12);
            check_near("rss", gram.rss[k], qr.rss[k], 1e-12);
            check_near("tss", gram.tss[k], qr.tss[k], 1e-12);
        }
        check_near("origin variance", gram.origin_variance, qr.origin_variance, 1e-12);
        smr_lstsq_release(&gram);
        smr_lstsq_release(&qr);
        smr_lstsq_release(&svd);
        free_problem(&p);
    }
}

/* variance = diagonal of ([1 X]' W [1 X])^-1, by the textbook. */
static void variances_are_the_inverse_of_the_normal_matrix(void **unused)
{
    (void)unused;
    enum { N = 211, D = 6 };
    struct problem p = make_problem(N, D, 1, 5);
    double A[(D + 1) * (D + 1)] = {0}, inverse[(D + 1) * (D + 1)];
    smr_lstsq fit;
    smr_ctx *ctx = check_ctx(1);
    link_problem(&p, true);
    for (int64_t i = 0; i < N; i++)
        for (int a = 0; a <= D; a++)
            for (int b = 0; b <= D; b++)
                A[a * (D + 1) + b] +=
                    p.weight[i] * (a ? p.x[i * D + a - 1] : 1) * (b ? p.x[i * D + b - 1] : 1);
    check_ok(ctx, smr_matrix_inverse(ctx, D + 1, A, inverse));
    solve(&p, true, SMR_LSTSQ_AUTO, 1, &fit);
    check_near("origin", fit.origin_variance / inverse[0], 1, 1e-12);
    for (int j = 0; j < D; j++)
        check_near("variance", fit.variance[j] / inverse[(j + 1) * (D + 2)], 1, 1e-12);
    smr_lstsq_release(&fit);
    check_ctx_end(ctx);
    free_problem(&p);
}

static void nearly_collinear_columns_go_to_qr_and_keep_their_digits(void **unused)
{
    (void)unused;
    enum { N = 200003, D = 10 };
    struct problem p = make_problem(N, D, 1, 77);
    double want[D] = {3, -1, 0.5, 2, -4, 1, 7, -2, 0.25, 6}, worst = 0;
    smr_lstsq fit;
    for (int64_t i = 0; i < N; i++) { /* the last column is the first plus noise of 2^-17 */
        double *x = p.x + i * D, s = 0.5;
        for (int j = 0; j < D; j++) x[j] = ldexp(floor(ldexp(x[j], 10)), -10);
        x[D - 1] = x[0] + ldexp(x[D - 1], -17);
        for (int j = 0; j < D; j++) s += want[j] * x[j];
        p.y[i] = s + (double)(i % 2 ? 1 : -1);
    }
    link_problem(&p, false);
    solve(&p, true, SMR_LSTSQ_AUTO, 2, &fit);
    assert_int_equal(fit.method, SMR_LSTSQ_QR);
    assert_int_equal(fit.rank, D);
    assert_true(fit.condition > 1e4 && fit.condition < 1e8);
    assert_true(fit.n_refined >= 1);
    /* noise of size 1 leaves an error of about 2^17 / sqrt(N) in the pair, but not in its sum */
    check_near("sum of the pair", fit.coef[0] + fit.coef[D - 1], 9, 0.02);
    for (int j = 1; j < D - 1; j++) worst = fmax(worst, fabs(fit.coef[j] - want[j]));
    assert_true(worst < 0.02);
    check_near("rss", fit.rss[0] / N, 1, 1e-3);
    smr_lstsq_release(&fit);
    for (int64_t i = 0; i < N;
         i++) { /* without noise the solution is exact: only digits are lost */
        p.y[i] = 0.5;
        for (int j = 0; j < D; j++) p.y[i] += want[j] * p.x[i * D + j];
    }
    solve(&p, true, SMR_LSTSQ_AUTO, 2, &fit);
    for (int j = 0; j < D; j++) check_near("coefficient", fit.coef[j], want[j], 1e-9);
    check_near("origin", fit.origin[0], 0.5, 1e-12);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

/* y = 3 exactly: a fit without residual must say so, not report rounding as noise. */
static void an_exact_fit_leaves_no_residual(void **unused)
{
    (void)unused;
    enum { N = 100003, D = 15 };
    struct problem p = make_problem(N, D, 1, 3);
    smr_lstsq fit;
    for (int64_t i = 0; i < N; i++) p.y[i] = 1e6 + 2 * p.x[i * D] - p.x[i * D + 3];
    link_problem(&p, false);
    solve(&p, true, SMR_LSTSQ_AUTO, 2, &fit);
    assert_int_equal(fit.method, SMR_LSTSQ_QR); /* given up by gram */
    assert_true(fit.rss[0] < 1e-19 * 1e12 * N);
    check_near("coef", fit.coef[0], 2, 1e-11);
    check_near("origin", fit.origin[0], 1e6, 1e-15);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

/* ---- rank ------------------------------------------------------------------------------- */

/* The minimum-norm solution of the centred problem by singular values, independent of the QR
 * path. */
static void compare_with_pseudo_inverse(struct problem *p, const smr_lstsq *fit, double tolerance)
{
    smr_lstsq svd;
    solve(p, fit->centred, SMR_LSTSQ_SVD, 1, &svd);
    assert_int_equal(svd.rank, fit->rank);
    for (int64_t j = 0; j < p->d * p->q; j++)
        check_near("minimum norm", fit->coef[j], svd.coef[j], tolerance);
    for (int64_t k = 0; k < p->q; k++) check_near("rss", fit->rss[k], svd.rss[k], 1e-9);
    smr_lstsq_release(&svd);
}

static void duplicated_columns_share_their_coefficient_and_are_named(void **unused)
{
    (void)unused;
    enum { N = 503, D = 6 };
    struct problem p = make_problem(N, D, 2, 12);
    smr_lstsq fit;
    for (int64_t i = 0; i < N; i++) p.x[i * D + 4] = p.x[i * D + 1];
    link_problem(&p, true);
    solve(&p, true, SMR_LSTSQ_AUTO, 1, &fit);
    assert_int_equal(fit.rank, D - 1);
    assert_true(isinf(fit.condition));
    check_near("equal shares", fit.coef[1], fit.coef[4], 1e-13);
    assert_int_equal(fit.n_dependencies, 1);
    assert_int_equal(fit.dependencies[0].column, 4);
    assert_int_equal(fit.dependencies[0].n_terms, 1);
    assert_int_equal(fit.dependencies[0].on[0], 1);
    check_near("factor", fit.dependencies[0].factor[0], 1, 1e-13);
    assert_true(fit.dependencies[0].constant == 0);
    assert_true(isnan(fit.variance[1]) && isnan(fit.variance[4]));
    assert_true(fit.variance[0] > 0 && fit.variance[5] > 0);
    check_optimal(&p, &fit, 1e-11);
    compare_with_pseudo_inverse(&p, &fit, 1e-12);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

static void combinations_constants_and_zeros_are_named(void **unused)
{
    (void)unused;
    enum { N = 307, D = 8 };
    struct problem p = make_problem(N, D, 1, 21);
    smr_lstsq fit;
    for (int64_t i = 0; i < N; i++) {
        double *x = p.x + i * D;
        x[2] = 0;                           /* zero                        */
        x[3] = 7.25;                        /* constant                    */
        x[6] = 1000 * x[0] - x[1] / 8 + 40; /* combination of two, shifted */
        x[7] = x[4] + x[5] + x[6];          /* of four                     */
    }
    link_problem(&p, false);
    solve(&p, true, SMR_LSTSQ_AUTO, 1, &fit);
    assert_int_equal(fit.rank, 4);
    assert_int_equal(fit.n_dependencies, 4);
    const smr_dependency *dep = fit.dependencies;
    assert_true(dep[0].column == 2 && dep[0].n_terms == 0);
    assert_true(dep[1].column == 3 && dep[1].n_terms == 0);
    assert_true(dep[2].column == 6 && dep[2].n_terms == 2 && dep[2].on[0] == 0 &&
                dep[2].on[1] == 1);
    check_near("factor", dep[2].factor[0], 1000, 1e-11);
    check_near("factor", dep[2].factor[1], -0.125, 1e-9);
    check_near("constant", dep[2].constant, 40, 1e-9);
    assert_true(dep[3].column == 7 && dep[3].n_terms == 4);
    assert_true(fit.coef[2] == 0 && fit.coef[3] == 0);
    check_optimal(&p, &fit, 1e-8); /* columns of size 1000 */
    compare_with_pseudo_inverse(&p, &fit, 1e-10);
    smr_lstsq_release(&fit);

    solve(&p, false, SMR_LSTSQ_AUTO, 1, &fit); /* without intercept the constant counts */
    assert_int_equal(fit.rank, 5);
    assert_int_equal(fit.n_dependencies, 3);
    compare_with_pseudo_inverse(&p, &fit, 1e-10);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

/* A column at 1e9 whose digits end at 1e-7: its copy plus rounding is the same column. */
static void offsets_do_not_hide_dependence(void **unused)
{
    (void)unused;
    enum { N = 409, D = 3 };
    struct problem p = make_problem(N, D, 1, 9);
    smr_lstsq fit;
    for (int64_t i = 0; i < N; i++) {
        double *x = p.x + i * D;
        x[0] = 1e9 + x[0];
        x[2] = x[0] / 3 * 3.0000000000000004; /* rounds differently in the last digit */
    }
    link_problem(&p, false);
    solve(&p, true, SMR_LSTSQ_AUTO, 1, &fit);
    assert_int_equal(fit.rank, 2);
    assert_int_equal(fit.dependencies[0].column, 2);
    assert_int_equal(fit.dependencies[0].on[0], 0);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

static void more_columns_than_rows_interpolate_with_least_norm(void **unused)
{
    (void)unused;
    enum { N = 12, D = 30 };
    struct problem p = make_problem(N, D, 1, 44);
    smr_lstsq fit;
    link_problem(&p, false);
    solve(&p, true, SMR_LSTSQ_AUTO, 1, &fit);
    assert_int_equal(fit.method, SMR_LSTSQ_SVD);
    assert_int_equal(fit.rank, N - 1); /* centring takes one */
    check_near("rss", fit.rss[0], 0, 1e-20 * 1e6);
    /* least norm: w lies in the span of the centred rows, so any other solution is longer */
    double *null = random_numbers(D, 5), inner = 0;
    double mean[D] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) mean[j] += p.x[i * D + j] / N;
    static double basis[N][D];
    for (int i = 0; i < N; i++) { /* Gram-Schmidt twice over the centred rows */
        for (int j = 0; j < D; j++) basis[i][j] = p.x[i * D + j] - mean[j];
        for (int twice = 0; twice < 2; twice++)
            for (int b = 0; b < i; b++) {
                double s = 0;
                for (int j = 0; j < D; j++) s += basis[i][j] * basis[b][j];
                for (int j = 0; j < D; j++) basis[i][j] -= s * basis[b][j];
            }
        double s = 0;
        for (int j = 0; j < D; j++) s += basis[i][j] * basis[i][j];
        for (int j = 0; j < D; j++) basis[i][j] = s > 1e-20 ? basis[i][j] / sqrt(s) : 0;
    }
    for (int b = 0; b < N; b++) {
        double s = 0;
        for (int j = 0; j < D; j++) s += null[j] * basis[b][j];
        for (int j = 0; j < D; j++) null[j] -= s * basis[b][j];
    }
    for (int j = 0; j < D; j++) inner += null[j] * fit.coef[j];
    check_near("w is orthogonal to the null space", inner, 0, 1e-12);
    free(null);
    smr_lstsq_release(&fit);
    free_problem(&p);
}

/* ---- how it is computed ----------------------------------------------------------------- */

static void same_bits(smr_lstsq_method method)
{
    static const int threads[] = {1, 2, 7};
    struct problem p = make_problem(30011, 12, 2, 8);
    smr_lstsq fit[3];
    link_problem(&p, true);
    for (int t = 0; t < 3; t++) {
        solve(&p, true, method, threads[t], &fit[t]);
        assert_memory_equal(fit[t].coef, fit[0].coef, 24 * sizeof(double));
        assert_memory_equal(fit[t].origin, fit[0].origin, 2 * sizeof(double));
        assert_memory_equal(fit[t].variance, fit[0].variance, 12 * sizeof(double));
        assert_memory_equal(fit[t].rss, fit[0].rss, 2 * sizeof(double));
    }
    for (int t = 0; t < 3; t++) smr_lstsq_release(&fit[t]);
    free_problem(&p);
}

static void bits_are_the_same_at_1_2_and_7_threads(void **unused)
{
    (void)unused;
    same_bits(SMR_LSTSQ_GRAM);
    same_bits(SMR_LSTSQ_QR);
    same_bits(SMR_LSTSQ_AUTO);
}

/* R'R is the sum over all tiles, and R stays triangular. */
static void absorbed_tiles_add_up(void **unused)
{
    (void)unused;
    enum { D = 23, TILES = 5, LENGTH = SMR_QR_ROWS };
    static double R[D * D], G[D * D];
    for (int t = 0; t < TILES; t++) {
        double *values = random_numbers(LENGTH * D, 60 + (uint64_t)t);
        _Alignas(64) static double tile[LENGTH * D];
        smr_ctx *ctx = check_ctx(1);
        memcpy(tile, values, sizeof tile);
        if (t == 3) memset(tile + 4 * LENGTH, 0, LENGTH * sizeof(double)); /* a zero column */
        for (int a = 0; a < D; a++)
            for (int b = 0; b < D; b++)
                for (int i = 0; i < LENGTH; i++)
                    G[a * D + b] += tile[a * LENGTH + i] * tile[b * LENGTH + i];
        smr_qr_absorb(D, R, tile, R, 0);
        check_ctx_end(ctx);
        free(values);
    }
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++) {
            double s = 0;
            for (int k = 0; k <= SMR_MIN(a, b); k++) s += R[k * D + a] * R[k * D + b];
            check_near("R'R", s, G[a * D + b], 1e-12);
            if (b < a) assert_true(R[a * D + b] == 0);
        }
}

/* x = 1 + tiny, w = 1e8 (1 + tiny): y - x w cancels to nothing that doubles can hold. */
static void residual_sums_keep_twice_the_digits(void **unused)
{
    (void)unused;
    _Alignas(64) static double X[SMR_QR_ROWS], y[SMR_QR_ROWS], weight[SMR_QR_ROWS];
    double sums[2 * 2 * SMR_QR_LANES] = {0}, high = 0, low = 0;
    double w = 1e8 + 1 / 3.0, w_low = 1e-9;
    for (int i = 0; i < SMR_QR_ROWS; i++) {
        X[i] = 1 + (double)(i + 1) * 0x1p-50;
        y[i] = w; /* y - x w = -(i + 1) 2^-50 w, of which double arithmetic sees half the digits */
        weight[i] = i < 60 ? 2 : 0;
    }
    smr_residual_tile(1, X, y, weight, &w, &w_low, sums);
    smr_residual_total(sums, &high, &low);
    long double g = 0, ss = 0;
    for (int i = 0; i < 60; i++) {
        long double r = -(long double)(i + 1) * 0x1p-50L * w - (long double)X[i] * w_low;
        g += 2 * r * X[i];
        ss += 2 * r * r;
    }
    check_near("gradient", high / (double)g, 1, 1e-15);
    assert_true(fabsl((long double)high + low - g) < 1e-17L * fabsl(g) + 1e-30L);
    smr_residual_total(sums + 2 * SMR_QR_LANES, &high, &low);
    check_near("squares", high / (double)ss, 1, 1e-15);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    for (int c = 0; c < 4; c++) { /* gram, qr, dependent, wide */
        struct problem p = make_problem(c == 3 ? 4 : 50, 5, 2, 8);
        smr_ctx *ctx = check_ctx(1);
        smr_lstsq_opts opts = {.intercept = true,
                               .method = c == 0 ? SMR_LSTSQ_GRAM : SMR_LSTSQ_AUTO};
        smr_lstsq fit;
        int64_t n = 0;
        for (int64_t i = 0; c == 2 && i < p.n; i++) p.x[i * 5 + 3] = p.x[i * 5 + 2];
        link_problem(&p, false);
        for (;; n++) {
            smr_memory_fail_at(ctx, n);
            smr_status st = smr_lstsq_fit(ctx, &p.rows, &opts, &fit);
            smr_memory_fail_at(ctx, -1);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
            smr_ctx_clear(ctx);
        }
        assert_true(n > 10);
        smr_lstsq_release(&fit);
        check_ctx_end(ctx);
        free_problem(&p);
    }
}

static void bad_input_is_answered(void **unused)
{
    (void)unused;
    struct problem p = make_problem(50, 3, 1, 8);
    smr_ctx *ctx = check_ctx(2);
    smr_lstsq_opts opts = {.intercept = true};
    smr_lstsq fit;
    link_problem(&p, false);
    p.x[3 * 40 + 2] = INFINITY;
    check_fails(ctx, smr_lstsq_fit(ctx, &p.rows, &opts, &fit), SMR_ERR_DATA, "column 3 of row 41");
    p.rows.n_rows = 0;
    check_fails(ctx, smr_lstsq_fit(ctx, &p.rows, &opts, &fit), SMR_ERR_DATA, "no rows");
    p.rows.n_rows = 2; /* wide */
    p.x[1] = NAN;
    check_fails(ctx, smr_lstsq_fit(ctx, &p.rows, &opts, &fit), SMR_ERR_DATA, "column 2 of row 1");
    check_ctx_end(ctx);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qr_reaches_the_certified_values),
        cmocka_unit_test(gram_reaches_the_certified_values_where_it_is_kept),
        cmocka_unit_test(residuals_are_orthogonal_to_the_columns),
        cmocka_unit_test(the_ways_agree),
        cmocka_unit_test(variances_are_the_inverse_of_the_normal_matrix),
        cmocka_unit_test(nearly_collinear_columns_go_to_qr_and_keep_their_digits),
        cmocka_unit_test(an_exact_fit_leaves_no_residual),
        cmocka_unit_test(duplicated_columns_share_their_coefficient_and_are_named),
        cmocka_unit_test(combinations_constants_and_zeros_are_named),
        cmocka_unit_test(offsets_do_not_hide_dependence),
        cmocka_unit_test(more_columns_than_rows_interpolate_with_least_norm),
        cmocka_unit_test(bits_are_the_same_at_1_2_and_7_threads),
        cmocka_unit_test(absorbed_tiles_add_up),
        cmocka_unit_test(residual_sums_keep_twice_the_digits),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(bad_input_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
