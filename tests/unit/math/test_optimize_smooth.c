/* test_optimize_smooth.c -- gradient descent, L-BFGS, trust-region and damped Newton: known minima,
 * measured rates of convergence, and functions that have no minimum or no value. */
#include "unit/math/objectives.h"

#include <float.h>

typedef smr_status (*method_fn)(smr_ctx *, const smr_objective *, const smr_optimize_opts *,
                                double *, smr_optimize_result *);

static smr_status by_armijo(smr_ctx *ctx, const smr_objective *o, const smr_optimize_opts *opts,
                            double *w, smr_optimize_result *out)
{
    return smr_gradient_descent(ctx, o, (smr_gd_opts){.rule = SMR_STEP_ARMIJO}, opts, w, out);
}

static smr_status by_barzilai(smr_ctx *ctx, const smr_objective *o, const smr_optimize_opts *opts,
                              double *w, smr_optimize_result *out)
{
    return smr_gradient_descent(ctx, o, (smr_gd_opts){.rule = SMR_STEP_BARZILAI}, opts, w, out);
}

static smr_status by_lbfgs(smr_ctx *ctx, const smr_objective *o, const smr_optimize_opts *opts,
                           double *w, smr_optimize_result *out)
{
    return smr_lbfgs(ctx, o, 0, opts, w, out);
}

static const struct {
    const char *name;
    method_fn run;
    double hardest; /* condition of a quadratic that it must master */
} methods[] = {
    {"armijo", by_armijo, 1e2},       {"barzilai", by_barzilai, 1e4}, {"lbfgs", by_lbfgs, 1e8},
    {"trust", smr_trust_newton, 1e8}, {"newton", smr_newton, 1e8},
};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* |w - w*| <= |g| / smallest eigenvalue, which is 1. */
static void quadratics_of_any_condition_are_minimised(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++)
        for (double condition = 1; condition <= methods[m].hardest; condition *= 100)
            for (int64_t n = 1; n <= 19; n += 6) {
                struct quadratic q;
                smr_objective o = quadratic_of(&q, n, condition);
                double w[64] = {0};
                smr_optimize_result r;
                smr_optimize_opts opts = {.max_iter = 20000, .tol = 1e-10};
                check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
                if (!r.converged || r.why != SMR_WHY_GRADIENT)
                    fail_msg("%s, condition %g, n = %d: %s after %d", methods[m].name, condition,
                             (int)n, smr_why_words(r.why), (int)r.iterations);
                check_near(methods[m].name, quadratic_error(&q, w), 0, 2 * r.gradient + 1e-12);
                check_near(methods[m].name, r.f, -2.385, r.gradient * r.gradient + 1e-13);
                assert_int_equal(r.evaluations, q.evaluations);
            }
    check_ctx_end(ctx);
}

static void rosenbrock_and_beale_are_minimised(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 1; m < N_METHODS; m++) {
        smr_objective o = rosenbrock();
        double w[2] = {-1.2, 1};
        smr_optimize_result r;
        smr_optimize_opts opts = {.max_iter = 2000, .tol = 1e-12};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        check_near(methods[m].name, w[0], 1, 1e-8);
        check_near(methods[m].name, w[1], 1, 1e-8);
        assert_true(r.converged);
        /* Both quasi-Newton and Newton methods take tens of steps here, not hundreds. */
        if (m >= 2) assert_true(r.iterations <= 60);
    }
    smr_objective o = {.n = 2, .evaluate = beale_evaluate};
    double w[2] = {1, 1};
    smr_optimize_result r;
    check_ok(ctx, smr_lbfgs(ctx, &o, 0, &(smr_optimize_opts){.tol = 1e-12}, w, &r));
    check_near("beale", w[0], 3, 1e-9);
    check_near("beale", w[1], 0.5, 1e-9);
    check_ctx_end(ctx);
}

static void logistic_regression_reaches_recorded_answer(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++) {
        double l2 = 0.7, w[LOGISTIC_D] = {0};
        smr_objective o = logistic_of(&l2);
        smr_optimize_result r;
        smr_optimize_opts opts = {.max_iter = 20000, .tol = 1e-13};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        for (int j = 0; j < LOGISTIC_D; j++)
            /* Barzilai and Borwein's steps end where rounding hides f. */
            check_near(methods[m].name, w[j], logistic_w[j], m == 1 ? 1e-11 : 1e-12);
        check_near(methods[m].name, r.f, logistic_f, 1e-14);
    }
    check_ctx_end(ctx);
}

/* ---- rates ---- */

struct curve {
    int64_t n, stop_at;
    double f[4000], gradient[4000];
};

static bool record(void *user, const smr_iteration *now)
{
    struct curve *c = user;
    assert_int_equal(now->iteration, c->n);
    if (c->n < 4000) {
        c->f[c->n] = now->f;
        c->gradient[c->n] = now->gradient;
    }
    c->n++;
    return c->n != c->stop_at;
}

/* With step 2 / (mu + L) the slowest error falls by exactly (kappa - 1) / (kappa + 1) per step: the
 * gradient norm's ratio tends to that from below. */
static void fixed_steps_converge_at_the_known_rate(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct curve c;
    const double condition[] = {3, 10, 40};
    for (int i = 0; i < 3; i++) {
        struct quadratic q;
        smr_objective o = quadratic_of(&q, 7, condition[i]);
        double w[64] = {0}, kappa = condition[i], rate = (kappa - 1) / (kappa + 1);
        smr_optimize_result r;
        memset(&c, 0, sizeof c);
        smr_optimize_opts opts = {.max_iter = 3000, .tol = 1e-11, .each = record, .user = &c};
        smr_gd_opts how = {.rule = SMR_STEP_FIXED, .step = 2 / (1 + kappa)};
        check_ok(ctx, smr_gradient_descent(ctx, &o, how, &opts, w, &r));
        assert_true(r.converged);
        int64_t last = c.n - 1, from = last / 2;
        double seen = pow(c.gradient[last] / c.gradient[from], 1.0 / (double)(last - from));
        check_near("rate", seen, rate, 2e-3);
        for (int64_t t = 1; t < c.n; t++)
            assert_true(c.gradient[t] <= rate * c.gradient[t - 1] + 1e-14 * c.gradient[0]);
    }
    check_ctx_end(ctx);
}

static void steps_beyond_two_over_l_are_told_as_divergence(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct quadratic q;
    smr_objective o = quadratic_of(&q, 7, 10);
    double w[64] = {0}, start[64] = {0}, f0, g[64];
    smr_optimize_result r;
    quadratic_evaluate(ctx, &q, start, &f0, g);
    smr_gd_opts how = {.rule = SMR_STEP_FIXED, .step = 0.21}; /* 2 / L = 0.2 */
    check_ok(ctx, smr_gradient_descent(ctx, &o, how, NULL, w, &r));
    assert_int_equal(r.why, SMR_WHY_DIVERGED);
    assert_false(r.converged);
    assert_true(r.f <= f0); /* the best point seen, not the last one */
    assert_string_equal(smr_why_words(r.why), "the objective grows: the step is too long");
    how.step = 1e200;
    memset(w, 0, sizeof w);
    check_ok(ctx, smr_gradient_descent(ctx, &o, how, NULL, w, &r));
    assert_int_equal(r.why, SMR_WHY_DIVERGED);
    for (int j = 0; j < 7; j++) assert_true(isfinite(w[j]));
    check_ctx_end(ctx);
}

/* e_(k+1) <= C e_k^2: near the minimum, log of the gradient doubles with each step. */
static void newton_converges_quadratically(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct curve c;
    double l2 = 0.7, w[LOGISTIC_D] = {0};
    smr_objective o = logistic_of(&l2);
    smr_optimize_result r;
    memset(&c, 0, sizeof c);
    smr_optimize_opts opts = {.tol = 1e-14, .each = record, .user = &c};
    check_ok(ctx, smr_newton(ctx, &o, &opts, w, &r));
    assert_true(r.converged && r.iterations <= 9);
    int compared = 0;
    for (int64_t t = 1; t < c.n; t++) {
        if (c.gradient[t - 1] > 0.1 || c.gradient[t] < 1e-14) continue;
        double order = log(c.gradient[t]) / log(c.gradient[t - 1]);
        if (order < 1.7) fail_msg("order %g at step %d", order, (int)t);
        compared++;
    }
    assert_true(compared >= 1);
    check_ctx_end(ctx);
}

/* ---- what has no minimum, no value, or nothing to do ---- */

static smr_status slope_only(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    (void)ctx, (void)self;
    *f = 3.7 - 1.3 * w[0];
    g[0] = -1.3;
    return SMR_OK;
}

static smr_status no_curvature(smr_ctx *ctx, void *self, const double *w, const double *v,
                               double *out)
{
    (void)ctx, (void)self, (void)w, (void)v;
    out[0] = 0;
    return SMR_OK;
}

static smr_status zero_hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    (void)ctx, (void)self, (void)w;
    H[0] = 0;
    return SMR_OK;
}

static void functions_without_a_minimum_are_told(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++) {
        smr_objective o = {
            .n = 1, .evaluate = slope_only, .hessian_times = no_curvature, .hessian = zero_hessian};
        double w[1] = {0};
        smr_optimize_result r;
        smr_optimize_opts opts = {.max_iter = 100000};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        if (r.why != SMR_WHY_UNBOUNDED)
            fail_msg("%s: %s after %d, f = %g", methods[m].name, smr_why_words(r.why),
                     (int)r.iterations, r.f);
        assert_false(r.converged);
    }
    check_ctx_end(ctx);
}

/* -log(w) + w, minimum at 1, NaN for w < 0; `self` not NULL: NaN everywhere. */
static smr_status only_for_positive(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    (void)ctx;
    *f = self || w[0] <= 0 ? NAN : w[0] - log(w[0]);
    g[0] = self || w[0] <= 0 ? NAN : 1 - 1 / w[0];
    return SMR_OK;
}

static smr_status positive_hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    (void)ctx, (void)self;
    H[0] = 1 / (w[0] * w[0]);
    return SMR_OK;
}

static smr_status positive_times(smr_ctx *ctx, void *self, const double *w, const double *v,
                                 double *out)
{
    (void)ctx, (void)self;
    out[0] = v[0] / (w[0] * w[0]);
    return SMR_OK;
}

static void values_that_are_not_finite_are_walked_around(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++) {
        smr_objective o = {.n = 1,
                           .evaluate = only_for_positive,
                           .hessian = positive_hessian,
                           .hessian_times = positive_times};
        double w[1] = {0.01};
        smr_optimize_result r;
        smr_optimize_opts opts = {.tol = 1e-12};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        check_near(methods[m].name, w[0], 1, 1e-9);
        w[0] = 12.5;
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        check_near(methods[m].name, w[0], 1, 1e-9);
        o.self = &r;
        w[0] = 0.37;
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        assert_int_equal(r.why, SMR_WHY_NOT_FINITE);
        assert_true(w[0] == 0.37 && !r.converged && r.iterations == 0);
    }
    check_ctx_end(ctx);
}

static void a_start_at_the_minimum_needs_no_step(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++) {
        smr_objective o = rosenbrock();
        double w[2] = {1, 1};
        smr_optimize_result r;
        check_ok(ctx, methods[m].run(ctx, &o, NULL, w, &r));
        assert_true(r.converged && r.why == SMR_WHY_GRADIENT);
        assert_true(r.iterations == 0 && r.evaluations == 1 && w[0] == 1 && w[1] == 1);
    }
    check_ctx_end(ctx);
}

static void callbacks_see_every_iteration_and_may_stop(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct curve c;
    for (int m = 0; m < N_METHODS; m++) {
        smr_objective o = rosenbrock();
        double w[2] = {-1.2, 1};
        smr_optimize_result r;
        memset(&c, 0, sizeof c);
        c.stop_at = 4;
        smr_optimize_opts opts = {.each = record, .user = &c};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        assert_int_equal(r.why, SMR_WHY_STOPPED);
        assert_int_equal(r.iterations, 3);
        assert_int_equal(c.n, 4);
        assert_true(!r.converged);
        opts = (smr_optimize_opts){.max_iter = 2};
        w[0] = -1.2, w[1] = 1;
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        assert_true(r.why == SMR_WHY_ITERATIONS && r.iterations == 2);
        opts = (smr_optimize_opts){.f_tol = 1e-3, .max_iter = 5000, .tol = 1e-14};
        check_ok(ctx, methods[m].run(ctx, &o, &opts, w, &r));
        assert_true(r.converged && r.why == SMR_WHY_PROGRESS);
    }
    check_ctx_end(ctx);
}

static smr_status evaluate_fails(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    int *left = self;
    if (--*left < 0) return smr_fail(ctx, SMR_ERR_DATA, "the rows are gone");
    return rosenbrock_evaluate(ctx, NULL, w, f, g);
}

static void failures_of_objective_memory_and_cancelling_are_passed_on(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < N_METHODS; m++) {
        smr_optimize_result r;
        for (int fine = 0; fine < 6; fine++) {
            int left = fine;
            smr_objective o = rosenbrock();
            o.self = &left;
            o.evaluate = evaluate_fails;
            double w[2] = {-1.2, 1};
            check_fails(ctx, methods[m].run(ctx, &o, NULL, w, &r), SMR_ERR_DATA, "rows are gone");
        }
        for (int64_t n = 0;; n++) {
            smr_objective o = rosenbrock();
            double w[2] = {-1.2, 1};
            smr_memory_fail_at(ctx, n);
            smr_status st = methods[m].run(ctx, &o, NULL, w, &r);
            smr_memory_fail_at(ctx, -1);
            smr_ctx_clear(ctx);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_true(n < 10000);
        }
        smr_objective o = rosenbrock();
        double w[2] = {-1.2, 1};
        smr_ctx_cancel(ctx);
        assert_int_equal(methods[m].run(ctx, &o, NULL, w, &r), SMR_ERR_CANCELLED);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void scale_makes_tolerances_absolute(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct quadratic q;
    smr_objective o = quadratic_of(&q, 5, 10);
    double w[64] = {0};
    smr_optimize_result r;
    check_ok(ctx, smr_lbfgs(ctx, &o, 0, &(smr_optimize_opts){.tol = 1e-9}, w, &r));
    assert_true(r.iterations > 0);
    /* From there, relative to its own start nothing would be small; relative to 1 it is. */
    check_ok(ctx, smr_lbfgs(ctx, &o, 0, &(smr_optimize_opts){.tol = 1e-6, .scale = 1}, w, &r));
    assert_int_equal(r.iterations, 0);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_of_any_condition_are_minimised),
        cmocka_unit_test(rosenbrock_and_beale_are_minimised),
        cmocka_unit_test(logistic_regression_reaches_recorded_answer),
        cmocka_unit_test(fixed_steps_converge_at_the_known_rate),
        cmocka_unit_test(steps_beyond_two_over_l_are_told_as_divergence),
        cmocka_unit_test(newton_converges_quadratically),
        cmocka_unit_test(functions_without_a_minimum_are_told),
        cmocka_unit_test(values_that_are_not_finite_are_walked_around),
        cmocka_unit_test(a_start_at_the_minimum_needs_no_step),
        cmocka_unit_test(callbacks_see_every_iteration_and_may_stop),
        cmocka_unit_test(failures_of_objective_memory_and_cancelling_are_passed_on),
        cmocka_unit_test(scale_makes_tolerances_absolute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
