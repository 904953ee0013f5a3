/* test_dual_kernel.c -- the dual of kernel machines: worked answers, a plain reference, conditions,
 * and the same bits whatever the threads and the cache. */
#include "check.h"
#include "core/rng.h"
#include "math/optimize/dual_kernel.h"

/* A kernel by its formula, in the plainest way. */
struct plain {
    smr_kernel_rows base;
    const double *X;
    int64_t d;
    double (*of)(const double *x, const double *z, int64_t d);
};

static double inner(const double *x, const double *z, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += x[j] * z[j];
    return sum;
}

static double square(const double *x, const double *z, int64_t d)
{
    return (1 + inner(x, z, d)) * (1 + inner(x, z, d));
}

static double gauss(const double *x, const double *z, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (x[j] - z[j]) * (x[j] - z[j]);
    return exp(-0.5 * sum);
}

/* Not positive semi-definite. */
static double crooked(const double *x, const double *z, int64_t d)
{
    return tanh(inner(x, z, d) - 1);
}

static smr_status block(smr_ctx *ctx, const smr_kernel_rows *self, const int32_t *row,
                        int64_t n_rows, const int32_t *column, int64_t n_columns, float *out,
                        int64_t stride)
{
    const struct plain *k = (const struct plain *)(const void *)self;
    (void)ctx;
    for (int64_t a = 0; a < n_rows; a++)
        for (int64_t b = 0; b < n_columns; b++)
            out[a * stride + b] = (float)k->of(
                k->X + row[a] * k->d, k->X + (column ? column[b] : (int32_t)b) * k->d, k->d);
    return SMR_OK;
}

static smr_status diagonal(smr_ctx *ctx, const smr_kernel_rows *self, double *out)
{
    const struct plain *k = (const struct plain *)(const void *)self;
    (void)ctx;
    for (int64_t i = 0; i < self->n; i++) out[i] = k->of(k->X + i * k->d, k->X + i * k->d, k->d);
    return SMR_OK;
}

static struct plain kernel_of(const double *X, int64_t n, int64_t d,
                              double (*of)(const double *, const double *, int64_t))
{
    return (struct plain){.base = {n, block, diagonal}, .X = X, .d = d, .of = of};
}

enum { MOST = CHECK_LESS ? 1200 : 2000 };

/* A problem in memory of its own. */
struct posed {
    double X[MOST * 3], y[MOST], p[MOST], most[MOST], a[MOST], score[MOST];
    int32_t point[MOST];
    struct plain kernel;
    smr_kernel_dual problem;
    smr_kernel_dual_result out;
};

/* Two noisy classes in a plane with a third feature; weights differ. */
static void pose(struct posed *q, int64_t n, double C,
                 double (*of)(const double *, const double *, int64_t))
{
    memset(q, 0, sizeof *q);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < 3; j++)
            q->X[i * 3 + j] = 4 * smr_random_unit(3, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j) - 2;
        double r = q->X[i * 3] * q->X[i * 3] + q->X[i * 3 + 1] * q->X[i * 3 + 1];
        bool noise = smr_random_unit(3, SMR_STREAM_TEST, (uint64_t)i, 7) < 0.1;
        q->y[i] = (r < 2) != noise ? 1 : -1;
        q->p[i] = -1;
        q->most[i] = C * (1 + (double)(i % 3));
    }
    q->kernel = kernel_of(q->X, n, 3, of);
    q->problem =
        (smr_kernel_dual){.rows = &q->kernel.base, .n = n, .y = q->y, .p = q->p, .most = q->most};
}

static double entry(const struct posed *q, int64_t t, int64_t s)
{
    const int32_t *point = q->problem.point;
    int64_t i = point ? point[t] : t, j = point ? point[s] : s;
    return (double)(float)q->kernel.of(q->X + i * q->kernel.d, q->X + j * q->kernel.d, q->kernel.d);
}

/* The violation of the conditions, from a alone. */
static double violation_of(const struct posed *q)
{
    const smr_kernel_dual *p = &q->problem;
    double top[2] = {-INFINITY, -INFINITY}, bottom[2] = {INFINITY, INFINITY}, worst = 0;
    for (int64_t t = 0; t < p->n; t++) {
        double g = q->p[t];
        int c = p->by_class && q->y[t] > 0;
        for (int64_t s = 0; s < p->n; s++)
            if (q->a[s] != 0) g += q->y[t] * q->y[s] * q->a[s] * entry(q, t, s);
        double v = -q->y[t] * g;
        bool grows = q->a[t]<q->most[t], falls = q->a[t]> 0;
        if (q->y[t] > 0 ? grows : falls) top[c] = fmax(top[c], v);
        if (q->y[t] > 0 ? falls : grows) bottom[c] = fmin(bottom[c], v);
    }
    for (int c = 0; c < 2; c++) worst = fmax(worst, top[c] - bottom[c]);
    return worst;
}

/* The same problem by moving the pair that violates most, over all variables, in double. */
static double plain_minimum(const struct posed *q, double *a, int64_t steps)
{
    int64_t n = q->problem.n;
    double *g = malloc((size_t)n * sizeof *g), f = 0;
    for (int64_t t = 0; t < n; t++) {
        g[t] = q->p[t];
        for (int64_t s = 0; s < n; s++) g[t] += q->y[t] * q->y[s] * a[s] * entry(q, t, s);
    }
    while (steps-- > 0) {
        int64_t i = -1, j = -1;
        for (int64_t t = 0; t < n; t++) {
            double v = -q->y[t] * g[t];
            if ((q->y[t] > 0 ? a[t] < q->most[t] : a[t] > 0) && (i < 0 || v > -q->y[i] * g[i]))
                i = t;
            if ((q->y[t] > 0 ? a[t] > 0 : a[t] < q->most[t]) && (j < 0 || v < -q->y[j] * g[j]))
                j = t;
        }
        double gain = i < 0 || j < 0 ? 0 : q->y[j] * g[j] - q->y[i] * g[i];
        if (!(gain > 1e-9)) break;
        double by = gain / fmax(entry(q, i, i) + entry(q, j, j) - 2 * entry(q, i, j), 1e-12);
        by = fmin(by, q->y[i] > 0 ? q->most[i] - a[i] : a[i]);
        by = fmin(by, q->y[j] > 0 ? a[j] : q->most[j] - a[j]);
        a[i] += q->y[i] * by;
        a[j] -= q->y[j] * by;
        for (int64_t t = 0; t < n; t++) g[t] += q->y[t] * by * (entry(q, t, i) - entry(q, t, j));
    }
    for (int64_t t = 0; t < n; t++) f += 0.5 * a[t] * (g[t] + q->p[t]);
    free(g);
    return f;
}

static struct posed *a_posed(void)
{
    struct posed *q = malloc(sizeof *q);
    assert_non_null(q);
    return q;
}

/* XOR on -1 and 1 with (1 + x'z)^2: every variable is 1/8, f = -x1 x2, width 2 sqrt 2; softly with
 * a bound that does not bind, and hard. */
static void xor_is_the_worked_one(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    for (int hard = 0; hard < 2; hard++) {
        static const double X[8] = {-1, -1, -1, 1, 1, -1, 1, 1}, y[4] = {-1, 1, 1, -1};
        pose(q, 4, 1, square);
        memcpy(q->X, X, sizeof X);
        memcpy(q->y, y, sizeof y);
        q->kernel.d = 2;
        for (int i = 0; i < 4; i++) q->most[i] = hard ? INFINITY : 100;
        smr_kernel_dual_opts opts = {.tol = 1e-10, .score = q->score};
        check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
        assert_true(q->out.converged);
        for (int i = 0; i < 4; i++) {
            check_near("alpha", q->a[i], 0.125, 1e-9);
            check_near("f", q->score[i] + q->out.b[0], -X[2 * i] * X[2 * i + 1], 1e-9);
        }
        check_near("width", 2 / sqrt(q->out.square), 2 * sqrt(2), 1e-9);
        check_near("objective", q->out.objective, -0.25, 1e-9);
        assert_int_equal(q->out.n_support, 4);
        assert_int_equal(q->out.n_bounded, 0);
    }
    free(q);
    check_ctx_end(ctx);
}

/* AND on {0, 1}^2 with x'z: 4, 2, 2, 0; width 0.7071; primal = dual = 4. */
static void and_is_the_worked_one(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    static const double X[8] = {1, 1, 1, 0, 0, 1, 0, 0}, y[4] = {1, -1, -1, -1};
    static const double want[4] = {4, 2, 2, 0};
    pose(q, 4, 1, inner);
    memcpy(q->X, X, sizeof X);
    memcpy(q->y, y, sizeof y);
    q->kernel.d = 2;
    for (int i = 0; i < 4; i++) q->most[i] = INFINITY;
    smr_kernel_dual_opts opts = {.tol = 1e-11};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.converged);
    for (int i = 0; i < 4; i++) check_near("alpha", q->a[i], want[i], 1e-8);
    check_near("b", q->out.b[0], -3, 1e-9);
    check_near("dual", -q->out.objective, 4, 1e-9);
    check_near("width", 2 / sqrt(q->out.square), sqrt(0.5), 1e-9);
    free(q);
    check_ctx_end(ctx);
}

static void the_minimum_is_that_of_a_plain_method(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    static const double C[] = {0.05, 1, 30};
    for (int k = 0; k < 3 - CHECK_LESS; k++) {
        double a[60] = {0};
        pose(q, 60, C[k], gauss);
        smr_kernel_dual_opts opts = {.tol = 1e-8};
        check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
        assert_true(q->out.converged);
        /* Both end within 1e-8 of the conditions, so within 1e-8 sum C of the minimum. */
        check_near("objective", q->out.objective, plain_minimum(q, a, 2000000), 1e-6);
        check_near("violation", q->out.violation, violation_of(q), 1e-10);
        assert_true(q->out.gap >= 0 && q->out.gap < 1e-5);
    }
    free(q);
    check_ctx_end(ctx);
}

/* Many rounds: more variables than a working set holds. */
static void conditions_hold_of_larger_problems(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    struct posed *q = a_posed();
    for (int k = 0; k < 2; k++) {
        double balance = 0;
        pose(q, MOST, k == 0 ? 0.3 : 20, gauss);
        smr_kernel_dual_opts opts = {.cache_bytes = 1e6, .score = q->score};
        check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
        assert_true(q->out.converged && q->out.rounds > 1);
        check_near("violation", q->out.violation, violation_of(q), 1e-9);
        assert_true(q->out.violation <= 1e-3);
        for (int64_t i = 0; i < MOST; i++) {
            balance += q->y[i] * q->a[i];
            assert_true(q->a[i] >= 0 && q->a[i] <= q->most[i]);
        }
        check_near("balance", balance, 0, 1e-9);
        assert_true(q->out.gap <= 1e-3 * fabs(q->out.objective));
    }
    free(q);
    check_ctx_end(ctx);
}

/* Two variables for each point, as regression has them, against the plain method. */
static void two_variables_of_a_point_work(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    enum { POINTS = 40 };
    double a[2 * POINTS] = {0};
    pose(q, 2 * POINTS, 2, gauss);
    q->kernel.base.n = POINTS;
    q->problem.point = q->point;
    for (int i = 0; i < POINTS; i++) {
        double z = sin(q->X[3 * i]) + 0.3 * q->X[3 * i + 1];
        q->point[i] = q->point[POINTS + i] = i;
        q->y[i] = 1;
        q->y[POINTS + i] = -1;
        q->p[i] = 0.1 - z;
        q->p[POINTS + i] = 0.1 + z;
    }
    smr_kernel_dual_opts opts = {.tol = 1e-7};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.converged);
    check_near("objective", q->out.objective, plain_minimum(q, a, 2000000), 1e-6);
    for (int i = 0; i < POINTS; i++) assert_true(q->a[i] == 0 || q->a[POINTS + i] == 0);
    free(q);
    check_ctx_end(ctx);
}

/* Sums of both classes are kept, and the conditions hold in each. */
static void classes_keep_their_sums(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    double sum[2] = {0, 0}, start[2] = {0, 0};
    pose(q, 900, 1, gauss);
    q->problem.by_class = true;
    for (int64_t i = 0; i < 900; i++) {
        q->p[i] = 0;
        q->most[i] = 1;
        bool plus = q->y[i] > 0;
        q->a[i] = fmin(1, fmax(0, 77.5 - start[plus]));
        start[plus] += q->a[i];
    }
    smr_kernel_dual_opts opts = {.tol = 1e-5, .is_warm = true, .cache_bytes = 1e7};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.converged);
    for (int64_t i = 0; i < 900; i++) sum[q->y[i] > 0] += q->a[i];
    check_near("sum", sum[0], 77.5, 1e-9);
    check_near("sum", sum[1], 77.5, 1e-9);
    check_near("violation", q->out.violation, violation_of(q), 1e-9);
    free(q);
    check_ctx_end(ctx);
}

static void duplicates_with_opposite_labels_have_no_hard_margin(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    pose(q, 50, 1, gauss);
    for (int64_t i = 0; i < 50; i++) q->most[i] = INFINITY;
    memcpy(q->X + 31 * 3, q->X + 7 * 3, 3 * sizeof *q->X);
    q->y[31] = -q->y[7];
    smr_kernel_dual_opts opts = {.tol = 1e-6};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.is_unbounded && !q->out.converged);
    assert_int_equal(q->out.pair[0] + q->out.pair[1], 38);
    assert_true(q->out.pair[0] == 7 || q->out.pair[0] == 31);
    free(q);
    check_ctx_end(ctx);
}

static void kernels_that_are_not_mercers_end(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    pose(q, 1100, 3, crooked);
    smr_kernel_dual_opts opts = {.cache_bytes = 1e6};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.converged);
    check_near("violation", q->out.violation, violation_of(q), 1e-9);
    free(q);
    check_ctx_end(ctx);
}

static void threads_and_cache_do_not_show(void **unused)
{
    (void)unused;
    struct posed *q = a_posed(), *first = a_posed();
    static const double bytes[] = {0, 40000, 2e6, 1e9};
    static const int threads[] = {1, 2, 7, 1};
    for (int k = 0; k < 4; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        pose(q, CHECK_LESS ? 1101 : 1501, 2, gauss);
        smr_kernel_dual_opts opts = {.cache_bytes = bytes[k], .score = q->score};
        check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
        if (k == 0) memcpy(first, q, sizeof *q);
        assert_memory_equal(first->a, q->a, sizeof q->a);
        assert_memory_equal(first->score, q->score, sizeof q->score);
        assert_int_equal(first->out.steps, q->out.steps);
        check_ctx_end(ctx);
    }
    free(q), free(first);
}

/* From the answer to a smaller C it takes fewer steps, to the same minimum. */
static void warm_starts_are_shorter(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    pose(q, 800, 1, gauss);
    smr_kernel_dual_opts opts = {.tol = 1e-5, .cache_bytes = 1e7};
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    smr_kernel_dual_result cold = q->out;
    for (int64_t i = 0; i < 800; i++) q->a[i] *= 0.99;
    opts.is_warm = true;
    check_ok(ctx, smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out));
    assert_true(q->out.steps < cold.steps);
    check_near("objective", q->out.objective, cold.objective, 1e-6);
    free(q);
    check_ctx_end(ctx);
}

static void work_can_be_cancelled_and_allocations_may_fail(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct posed *q = a_posed();
    smr_kernel_dual_opts opts = {.cache_bytes = 300000};
    smr_status st = SMR_ERR_CANCELLED;
    for (int64_t n = 1; st != SMR_OK; n++) {
        pose(q, CHECK_LESS ? 200 : 700, 2, gauss);
        smr_cancel_at(ctx, n);
        st = smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out);
        assert_true(st == SMR_OK || st == SMR_ERR_CANCELLED);
        smr_cancel_at(ctx, 0);
        smr_ctx_clear(ctx);
    }
    st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK; n++) {
        pose(q, 120, 2, gauss);
        smr_memory_fail_at(ctx, n);
        st = smr_kernel_dual_solve(ctx, &q->problem, &opts, q->a, &q->out);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_memory_fail_at(ctx, -1);
        smr_ctx_clear(ctx);
    }
    free(q);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xor_is_the_worked_one),
        cmocka_unit_test(and_is_the_worked_one),
        cmocka_unit_test(the_minimum_is_that_of_a_plain_method),
        cmocka_unit_test(conditions_hold_of_larger_problems),
        cmocka_unit_test(two_variables_of_a_point_work),
        cmocka_unit_test(classes_keep_their_sums),
        cmocka_unit_test(duplicates_with_opposite_labels_have_no_hard_margin),
        cmocka_unit_test(kernels_that_are_not_mercers_end),
        cmocka_unit_test(threads_and_cache_do_not_show),
        cmocka_unit_test(warm_starts_are_shorter),
        cmocka_unit_test(work_can_be_cancelled_and_allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
