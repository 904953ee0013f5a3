/* test_optimize_proximal.c -- projections, OWL-QN, proximal gradient, proximal Newton. */
#include "unit/math/objectives.h"

#include "math/optimize/coordinate.h"
#include "math/optimize/project.h"

#include <float.h>

enum { N = 23 };

static void random_point(uint64_t a, double size, double *w)
{
    for (int j = 0; j < N; j++) w[j] = size * normal(a, (uint64_t)j);
}

static double distance(const double *v, const double *w)
{
    double sum = 0;
    for (int j = 0; j < N; j++) sum += (v[j] - w[j]) * (v[j] - w[j]);
    return sqrt(sum);
}

/* p is the projection of v on a convex set iff (v - p)'(q - p) <= 0 for all q of the set. */
static void check_projection(const char *what, const double *v, const double *p, const double *q)
{
    double sum = 0, size = 0;
    for (int j = 0; j < N; j++) {
        sum += (v[j] - p[j]) * (q[j] - p[j]);
        size += fabs(v[j] - p[j]) * (fabs(q[j]) + fabs(p[j]));
    }
    if (sum > 1e-13 * size) fail_msg("%s: (v - p)'(q - p) = %g", what, sum);
}

static double low[N], high[N];
static const double radius = 1.7;

static void on_box(double *w)
{
    smr_project_box(N, low, high, w);
}

static void on_nonnegative(double *w)
{
    smr_project_nonnegative(N, w);
}

static void on_simplex(double *w)
{
    smr_project_simplex(N, radius, w);
}

static void on_l2(double *w)
{
    smr_project_l2_ball(N, radius, w);
}

static void on_l1(double *w)
{
    smr_project_l1_ball(N, radius, w);
}

static void projections_are_the_nearest_points(void **unused)
{
    (void)unused;
    const struct {
        const char *name;
        void (*project)(double *w);
    } sets[] = {{"box", on_box},
                {"nonnegative", on_nonnegative},
                {"simplex", on_simplex},
                {"l2", on_l2},
                {"l1", on_l1}};
    for (int j = 0; j < N; j++) {
        low[j] = -0.3 - 0.01 * j;
        high[j] = j % 3 ? 0.4 : low[j];
    }
    for (int s = 0; s < 5; s++)
        for (uint64_t t = 0; t < 60; t++) {
            double v[N], p[N], q[N], again[N];
            random_point(t, pow(10, (double)(t % 7) - 3), v);
            random_point(1000 + t, 1.3, q);
            memcpy(p, v, sizeof p);
            sets[s].project(p);
            sets[s].project(q); /* some point of the set */
            check_projection(sets[s].name, v, p, q);
            memcpy(again, p, sizeof p);
            sets[s].project(again);
            if (distance(p, again) > 1e-14 * (1 + radius)) fail_msg("%s twice", sets[s].name);
        }
}

static void projections_land_in_their_sets(void **unused)
{
    (void)unused;
    for (uint64_t t = 0; t < 40; t++) {
        double w[N], sum = 0, size = 0, square = 0;
        random_point(t, pow(10, (double)(t % 9) - 3), w);
        smr_project_simplex(N, radius, w);
        for (int j = 0; j < N; j++) {
            assert_true(w[j] >= 0);
            sum += w[j];
        }
        check_near("simplex", sum, radius, 1e-13);
        random_point(t, pow(10, (double)(t % 7) - 3), w);
        smr_project_l1_ball(N, radius, w);
        for (int j = 0; j < N; j++) size += fabs(w[j]);
        assert_true(size <= radius * (1 + 1e-13));
        random_point(t, 1e200, w);
        smr_project_l2_ball(N, radius, w); /* squares would overflow */
        for (int j = 0; j < N; j++) square += w[j] * w[j];
        check_near("l2", sqrt(square), radius, 1e-14);
    }
    double one[1] = {-3.2};
    smr_project_simplex(1, 0.37, one);
    check_near("simplex of one", one[0], 0.37, 1e-15);
    double w[3] = {0.5, -2.5, 1};
    smr_soft_threshold(3, 1, w);
    assert_true(w[0] == 0 && w[1] == -1.5 && w[2] == 0);
    double known[3] = {0.3, 1.1, -0.4}; /* tau = 0.2: 0.1 + 0.9 */
    smr_project_simplex(3, 1, known);
    check_near("known", known[0], 0.1, 1e-15);
    check_near("known", known[1], 0.9, 1e-15);
    check_near("known", known[2], 0, 0);
}

/* FIGURES D4-D6 with x = (1, 2), y = (1, 1), l = 1: lasso 0.4, ridge 0.5. */
static smr_status line_evaluate(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    (void)ctx, (void)self;
    *f = 0.5 * ((w[0] - 1) * (w[0] - 1) + (2 * w[0] - 1) * (2 * w[0] - 1));
    g[0] = 5 * w[0] - 3;
    return SMR_OK;
}

static void one_weight_gives_the_worked_answers(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_objective o = {.n = 1, .evaluate = line_evaluate};
    double one = 1, w[1] = {0};
    smr_optimize_result r;
    smr_optimize_opts opts = {.tol = 1e-14};
    smr_elastic_penalty lasso = {.l1 = &one}, ridge = {.l2 = &one};
    smr_proximal p = smr_proximal_elastic(&lasso);
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, (smr_proximal_opts){0}, &opts, w, &r));
    check_near("lasso", w[0], 0.4, 1e-14);
    check_near("objective", r.f, 0.5 * (0.36 + 0.04) + 0.4, 1e-14);
    p = smr_proximal_elastic(&ridge);
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, (smr_proximal_opts){0}, &opts, w, &r));
    check_near("ridge", w[0], 0.5, 1e-14);
    w[0] = 0;
    check_ok(ctx, smr_owlqn(ctx, &o, &one, 0, &opts, w, &r));
    check_near("owlqn", w[0], 0.4, 1e-14);
    double large = 3; /* |b| = 3 <= l1: exactly zero */
    w[0] = 2;
    check_ok(ctx, smr_owlqn(ctx, &o, &large, 0, &opts, w, &r));
    assert_true(w[0] == 0 && r.converged);
    check_ctx_end(ctx);
}

/* The condition of optimality of f(w) + l1 |w|_1 + l2 |w|^2 / 2. */
static void check_optimal(const char *what, const smr_objective *o, const double *w, double l1,
                          double l2, double tolerance)
{
    double f, g[64];
    o->evaluate(NULL, o->self, w, &f, g);
    for (int64_t j = 0; j < o->n; j++) {
        double s = g[j] + l2 * w[j];
        double off = w[j] > 0 ? fabs(s + l1) : w[j] < 0 ? fabs(s - l1) : fmax(fabs(s) - l1, 0);
        if (off > tolerance) fail_msg("%s: weight %d = %g is off by %g", what, (int)j, w[j], off);
    }
}

static void penalised_logistic_is_optimal_by_every_method(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double none = 0;
    smr_objective o = logistic_of(&none);
    const double strength[] = {0.3, 4.1, 21.7, 80.3};
    for (int i = 0; i < 4; i++) {
        double l1[LOGISTIC_D], l2[LOGISTIC_D], w[4][LOGISTIC_D] = {{0}};
        for (int j = 0; j < LOGISTIC_D; j++) l1[j] = strength[i], l2[j] = 0;
        smr_optimize_opts opts = {.tol = 1e-13, .max_iter = 20000};
        smr_optimize_result r[4];
        smr_elastic_penalty e = {l1, l2};
        smr_proximal p = smr_proximal_elastic(&e);
        smr_elastic_opts penalty = {.l1 = strength[i]};
        check_ok(ctx, smr_owlqn(ctx, &o, l1, 0, &opts, w[0], &r[0]));
        check_ok(ctx,
                 smr_proximal_gradient(ctx, &o, &p, (smr_proximal_opts){0}, &opts, w[1], &r[1]));
        smr_proximal_opts ista = {.plain = true};
        check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, ista, &opts, w[2], &r[2]));
        check_ok(ctx, smr_proximal_newton(ctx, &o, &penalty, &opts, w[3], &r[3]));
        check_optimal("owlqn", &o, w[0], strength[i], 0, 1e-6);
        check_optimal("fista", &o, w[1], strength[i], 0, 1e-6);
        check_optimal("ista", &o, w[2], strength[i], 0, 1e-6);
        check_optimal("newton", &o, w[3], strength[i], 0, 1e-10);
        for (int m = 0; m < 3; m++)
            for (int j = 0; j < LOGISTIC_D; j++) {
                check_near("same answer", w[m][j], w[3][j], 1e-7);
                if (w[3][j] == 0) assert_true(w[m][j] == 0);
            }
        assert_true(r[3].iterations <= 12);
    }
    check_ctx_end(ctx);
}

/* Second derivatives from 1 to 10^5 in directions of no axis, penalties that put some weights at 0.
 * It takes 800 iterations; the direction of Andrew & Gao, which gives up every component against
 * the gradient, took 6446. */
static void owlqn_converges_where_scales_differ(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct quadratic q = {.n = 31};
    double l1[31], w[31] = {0};
    int n_zero = 0;
    for (int j = 0; j < 31; j++) {
        q.h[j] = pow(10, 5 * (double)((j * 11) % 31) / 30);
        q.m[j] = normal(91, (uint64_t)j);
        q.u[j] = 1 + (double)j / 31;
        l1[j] = j % 7 == 3 ? 0 : 40 + 3 * (double)j;
    }
    smr_objective o = {.n = 31, .self = &q, .evaluate = quadratic_evaluate};
    smr_optimize_opts opts = {.tol = 1e-9, .max_iter = 20000};
    smr_optimize_result r;
    check_ok(ctx, smr_owlqn(ctx, &o, l1, 0, &opts, w, &r));
    double f, g[31];
    quadratic_evaluate(ctx, &q, w, &f, g);
    for (int j = 0; j < 31; j++) {
        double off =
            w[j] != 0 ? fabs(g[j] + (w[j] > 0 ? l1[j] : -l1[j])) : fmax(0, fabs(g[j]) - l1[j]);
        assert_true(off < 1e-3);
        n_zero += w[j] == 0;
    }
    assert_true(r.converged && n_zero >= 5);
    if (r.iterations > 1500) fail_msg("%d iterations", (int)r.iterations);
    check_ctx_end(ctx);
}

static void proximal_newton_takes_l2_and_factors(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double none = 0, l2 = 0.7, w[LOGISTIC_D] = {0};
    smr_objective o = logistic_of(&none);
    smr_optimize_result r;
    smr_optimize_opts opts = {.tol = 1e-13};
    check_ok(ctx, smr_proximal_newton(ctx, &o, &(smr_elastic_opts){.l2 = 0.7}, &opts, w, &r));
    for (int j = 0; j < LOGISTIC_D; j++) check_near("ridge", w[j], logistic_w[j], 1e-13);
    check_near("objective", r.f, logistic_f, 1e-14);
    o = logistic_of(&l2); /* the same l2 inside the function, and l1 on the last weight only */
    const double factor[LOGISTIC_D] = {0, 0, 0, 0, 1};
    smr_elastic_opts last = {.l1 = 500, .l1_factor = factor};
    check_ok(ctx, smr_proximal_newton(ctx, &o, &last, &opts, w, &r));
    assert_true(w[4] == 0 && w[0] != 0 && w[3] != 0);
    double f, g[LOGISTIC_D];
    logistic_evaluate(ctx, &l2, w, &f, g);
    for (int j = 0; j < 4; j++) check_near("free weights", g[j], 0, 1e-10);
    check_fails(ctx, smr_proximal_newton(ctx, &o, &(smr_elastic_opts){.l1 = -1}, &opts, w, &r),
                SMR_ERR_PARAM, "a penalty is -1");
    check_ctx_end(ctx);
}

/* F(w_k) - F* <= 2 |w_0 - w*|^2 / (a (k + 1)^2) with the fixed step a = 1 / L, at every k. */
struct bound {
    double best, start, step;
    int64_t checked;
};

static bool is_below_bound(void *user, const smr_iteration *now)
{
    struct bound *b = user;
    double k = (double)now->iteration;
    if (now->iteration == 0) return true;
    double limit = 2 * b->start / (b->step * (k + 1) * (k + 1));
    if (now->f - b->best > limit + 1e-13)
        fail_msg("F - F* = %g > %g at %g", now->f - b->best, limit, k);
    b->checked++;
    return true;
}

static void fista_keeps_its_bound_and_beats_ista(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct quadratic q;
    smr_objective o = quadratic_of(&q, 31, 1e4);
    double l1[64], w[64] = {0}, best[64] = {0};
    for (int j = 0; j < 31; j++) l1[j] = 0.37;
    smr_elastic_penalty e = {.l1 = l1};
    smr_proximal p = smr_proximal_elastic(&e);
    smr_optimize_result r, fast, slow, restarted;
    smr_optimize_opts exact = {.tol = 1e-13};
    check_ok(ctx, smr_proximal_newton(ctx, &o, &(smr_elastic_opts){.l1 = 0.37}, &exact, best, &r));
    struct bound b = {.best = r.f, .step = 1e-4};
    for (int j = 0; j < 31; j++) b.start += best[j] * best[j];
    smr_optimize_opts opts = {.tol = 1e-15, .max_iter = 400, .each = is_below_bound, .user = &b};
    smr_proximal_opts how = {.step = 1e-4, .fixed = true, .never_restart = true};
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, how, &opts, w, &fast));
    assert_int_equal(b.checked, 400);
    memset(w, 0, sizeof w);
    opts.each = NULL;
    how.plain = true;
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, how, &opts, w, &slow));
    memset(w, 0, sizeof w);
    how = (smr_proximal_opts){.step = 1e-4, .fixed = true};
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, how, &opts, w, &restarted));
    assert_true(fast.f - b.best < 0.2 * (slow.f - b.best));
    assert_true(restarted.f <= fast.f + 1e-12);
    check_ctx_end(ctx);
}

/* Constrained minima: the gradient map vanishes, so w = P(w - g). */
static void projected_gradient_finds_constrained_minima(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct quadratic q;
    smr_objective o = quadratic_of(&q, N, 50);
    smr_box box = {low, high};
    for (int j = 0; j < N; j++) low[j] = -0.2, high[j] = 0.3;
    const struct {
        const char *name;
        smr_proximal p;
        void (*project)(double *w);
    } sets[] = {{"box", smr_proximal_box(&box), on_box},
                {"nonnegative", smr_proximal_nonnegative(), on_nonnegative},
                {"simplex", smr_proximal_simplex(&radius), on_simplex},
                {"l2", smr_proximal_l2_ball(&radius), on_l2},
                {"l1", smr_proximal_l1_ball(&radius), on_l1}};
    for (int s = 0; s < 5; s++) {
        double w[64], f, g[64], v[N];
        smr_optimize_result r;
        smr_optimize_opts opts = {.tol = 1e-12, .max_iter = 20000};
        for (int j = 0; j < N; j++) w[j] = 5; /* outside */
        check_ok(ctx,
                 smr_proximal_gradient(ctx, &o, &sets[s].p, (smr_proximal_opts){0}, &opts, w, &r));
        assert_true(r.converged);
        quadratic_evaluate(ctx, &q, w, &f, g);
        for (int j = 0; j < N; j++) v[j] = w[j] - g[j];
        sets[s].project(v);
        check_near(sets[s].name, distance(v, w), 0, 1e-8);
        check_near(sets[s].name, f, r.f, 1e-14);
    }
    check_ctx_end(ctx);
}

static smr_status nan_everywhere(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    (void)ctx, (void)self, (void)w;
    *f = g[0] = NAN;
    return SMR_OK;
}

static void odd_functions_are_told(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_objective o = {.n = 1, .evaluate = nan_everywhere};
    smr_proximal p = smr_proximal_nonnegative();
    double w[1] = {0.5}, l1 = 1;
    smr_optimize_result r;
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, (smr_proximal_opts){0}, NULL, w, &r));
    assert_true(r.why == SMR_WHY_NOT_FINITE && w[0] == 0.5);
    check_ok(ctx, smr_owlqn(ctx, &o, &l1, 0, NULL, w, &r));
    assert_true(r.why == SMR_WHY_NOT_FINITE && w[0] == 0.5);
    struct quadratic q;
    o = quadratic_of(&q, 3, 10);
    double v[64] = {0};
    smr_proximal_opts how = {.step = 1e3, .fixed = true, .plain = true};
    smr_elastic_penalty nothing = {0};
    p = smr_proximal_elastic(&nothing);
    check_ok(ctx, smr_proximal_gradient(ctx, &o, &p, how, NULL, v, &r));
    assert_int_equal(r.why, SMR_WHY_DIVERGED);
    for (int j = 0; j < 3; j++) assert_true(isfinite(v[j]));
    check_ctx_end(ctx);
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double none = 0, l1[LOGISTIC_D] = {1, 1, 1, 1, 1};
    smr_objective o = logistic_of(&none);
    smr_elastic_penalty e = {.l1 = l1};
    smr_proximal p = smr_proximal_elastic(&e);
    smr_elastic_opts penalty = {.l1 = 1};
    for (int m = 0; m < 3; m++)
        for (int64_t n = 0;; n++) {
            double w[LOGISTIC_D] = {0};
            smr_optimize_result r;
            smr_memory_fail_at(ctx, n);
            smr_status st =
                m == 0   ? smr_owlqn(ctx, &o, l1, 3, NULL, w, &r)
                : m == 1 ? smr_proximal_gradient(ctx, &o, &p, (smr_proximal_opts){0}, NULL, w, &r)
                         : smr_proximal_newton(ctx, &o, &penalty, NULL, w, &r);
            smr_memory_fail_at(ctx, -1);
            smr_ctx_clear(ctx);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_true(n < 10000);
        }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_are_the_nearest_points),
        cmocka_unit_test(projections_land_in_their_sets),
        cmocka_unit_test(one_weight_gives_the_worked_answers),
        cmocka_unit_test(penalised_logistic_is_optimal_by_every_method),
        cmocka_unit_test(owlqn_converges_where_scales_differ),
        cmocka_unit_test(proximal_newton_takes_l2_and_factors),
        cmocka_unit_test(fista_keeps_its_bound_and_beats_ista),
        cmocka_unit_test(projected_gradient_finds_constrained_minima),
        cmocka_unit_test(odd_functions_are_told),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
