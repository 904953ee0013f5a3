/* test_sgd_steps.c -- stochastic gradient steps: each method against its definition, measured
 * rates, sparse against dense, saving and resuming, the variance read-out. */
#include "unit/math/objectives.h"

#include "math/optimize/sgd_steps.h"

#include <float.h>

enum { N = 7 };

static smr_sgd_opts plain_with(smr_schedule_kind kind, double rate)
{
    return (smr_sgd_opts){.method = SMR_SGD_PLAIN, .schedule = {.kind = kind, .rate = rate}};
}

static void schedules_are_as_defined(void **unused)
{
    (void)unused;
    const struct {
        smr_schedule s;
        double t, rate;
    } cases[] = {
        {{SMR_SCHEDULE_CONSTANT, 0.3, 1, 0, 0, 0, 0, 0}, 1000, 0.3},
        {{SMR_SCHEDULE_PER_STEP, 0.001, 1, 0, 0, 0, 0, 0}, 4, 0.00025},
        {{SMR_SCHEDULE_PER_STEP, 3, 11, 0, 0, 0, 0, 0}, 5, 0.2},
        {{SMR_SCHEDULE_ROOT, 0.001, 1, 0, 0, 0, 0, 0}, 16, 0.00025},
        {{SMR_SCHEDULE_INVERSE, 2, 1, 0.75, 0, 0, 0, 0}, 16, 0.25},
        {{SMR_SCHEDULE_STEP, 2, 1, 0, 0.1, 10, 0, 0}, 10, 2},
        {{SMR_SCHEDULE_STEP, 2, 1, 0, 0.1, 10, 0, 0}, 21, 0.02},
        {{SMR_SCHEDULE_COSINE, 2, 1, 0, 0, 100, 0, 0}, 1, 2},
        {{SMR_SCHEDULE_COSINE, 2, 1, 0, 0, 100, 0, 0}, 51, 1},
        {{SMR_SCHEDULE_COSINE, 2, 1, 0, 0, 100, 0, 0}, 5000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_near(smr_schedule_names[cases[i].s.kind],
                   smr_schedule_rate(&cases[i].s, cases[i].t, 1), cases[i].rate, 1e-15);
}

static void adaptive_rate_falls_without_progress(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_sgd_state s;
    smr_sgd_opts o = plain_with(SMR_SCHEDULE_ADAPTIVE, 0.5);
    o.schedule.patience = 2;
    check_ok(ctx, smr_sgd_init(ctx, &o, 1, &s));
    const double losses[] = {3, 2, 1.99999, 1.99998, 1.5, 1.6, 1.7};
    const double factor[] = {1, 1, 1, 0.2, 0.2, 0.2, 0.04};
    for (int i = 0; i < 7; i++) {
        assert_true(smr_sgd_judge(&s, losses[i]));
        check_near("factor", s.head[SMR_HEAD_FACTOR], factor[i], 1e-15);
    }
    double g = 1;
    smr_sgd_step(&s, &g);
    check_near("step", s.w[0], -0.5 * 0.04, 1e-15);
    bool goes_on = true;
    for (int i = 0; i < 40 && goes_on; i++) goes_on = smr_sgd_judge(&s, 5);
    assert_false(goes_on);
    smr_sgd_release(&s);
    check_ctx_end(ctx);
}

/* Two steps of each method with g = (2, -1) then (1, 3), worked from the definitions in sgd_steps.h
 * with plain arithmetic. */
static void methods_follow_their_definitions(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    const double g[2][2] = {{2, -1}, {1, 3}}, a = 0.1, mu = 0.9, l2 = 0.01, eps = 1e-8;
    for (int m = 0; m < SMR_SGD_METHODS; m++) {
        smr_sgd_state s;
        smr_sgd_opts o = {.method = (smr_sgd_method)m, .schedule = {.rate = a}, .l2 = l2};
        check_ok(ctx, smr_sgd_init(ctx, &o, 2, &s));
        smr_sgd_step(&s, g[0]);
        smr_sgd_step(&s, g[1]);
        double beta2 = m == SMR_SGD_RMSPROP ? 0.9 : 0.999;
        for (int j = 0; j < 2; j++) {
            double w = 0, v = 0, sq = 0;
            for (int t = 1; t <= 2; t++) {
                double x = g[t - 1][j], h = x + l2 * w;
                if (m == SMR_SGD_PLAIN) w = w - a * h;
                if (m == SMR_SGD_MOMENTUM) v = mu * v + h, w = w - a * v;
                if (m == SMR_SGD_NESTEROV) v = mu * v + h, w = w - a * (h + mu * v);
                if (m == SMR_SGD_ADAGRAD) {
                    sq += x * x;
                    double r = a / (sqrt(sq) + eps);
                    w = (1 - r * l2) * (w - r * x);
                }
                if (m == SMR_SGD_RMSPROP) {
                    sq = beta2 * sq + (1 - beta2) * h * h;
                    w -= a * h / (sqrt(sq) + eps);
                }
                if (m == SMR_SGD_ADAM || m == SMR_SGD_ADAMW) {
                    double d = m == SMR_SGD_ADAM ? h : x;
                    v = 0.9 * v + 0.1 * d;
                    sq = beta2 * sq + (1 - beta2) * d * d;
                    if (m == SMR_SGD_ADAMW) w = (1 - a * l2) * w;
                    w -= a * (v / (1 - pow(0.9, t))) / (sqrt(sq / (1 - pow(beta2, t))) + eps);
                }
            }
            check_near(smr_sgd_method_names[m], s.w[j], w, 1e-14);
        }
        smr_sgd_release(&s);
    }
    check_ctx_end(ctx);
}

/* The note's form w(t+1) = w(t) - a g + mu (w(t) - w(t-1)) is momentum's with a constant rate. */
static void momentum_has_both_forms(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_sgd_state s;
    smr_sgd_opts o = {.method = SMR_SGD_MOMENTUM, .schedule = {.rate = 0.02}, .momentum = 0.8};
    check_ok(ctx, smr_sgd_init(ctx, &o, 1, &s));
    double w = 0, before = 0;
    for (uint64_t t = 0; t < 50; t++) {
        double g = normal(5, t) + w, next = w - 0.02 * g + 0.8 * (w - before);
        smr_sgd_step(&s, &g);
        before = w;
        w = next;
        check_near("w", s.w[0], w, 1e-14);
    }
    smr_sgd_release(&s);
    check_ctx_end(ctx);
}

/* A noisy gradient of |w - m|^2 / 2. */
static void noisy_gradient(uint64_t run, uint64_t t, const double *w, double *g)
{
    for (int j = 0; j < N; j++)
        g[j] = w[j] - (0.4 * j - 1) + normal(1000 + run, t * N + (uint64_t)j);
}

static double error_of(const double *w)
{
    double sum = 0;
    for (int j = 0; j < N; j++) sum += (w[j] - (0.4 * j - 1)) * (w[j] - (0.4 * j - 1));
    return sum;
}

static void every_method_comes_near_the_minimum(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < SMR_SGD_METHODS; m++) {
        smr_sgd_state s;
        smr_sgd_opts o = {.method = (smr_sgd_method)m,
                          .schedule = {.kind = SMR_SCHEDULE_ROOT, .rate = 0.3}};
        if (m == SMR_SGD_MOMENTUM || m == SMR_SGD_NESTEROV) o.schedule.rate = 0.05;
        check_ok(ctx, smr_sgd_init(ctx, &o, N, &s));
        for (uint64_t t = 0; t < 4000; t++) {
            double g[N];
            noisy_gradient((uint64_t)m, t, s.w, g);
            smr_sgd_step(&s, g);
        }
        /* The start is 2.17^2 = 4.7 away. */
        if (error_of(s.w) > 0.15) fail_msg("%s: %g", smr_sgd_method_names[m], error_of(s.w));
        smr_sgd_release(&s);
    }
    check_ctx_end(ctx);
}

/* With a_t = 1/t on |w - m|^2 / 2 the iterate is the mean of t noisy targets: E|w - w*|^2 = N / t.
 * The slope of log error against log t is -1, its level N. */
static void rate_one_over_t_gives_error_one_over_t(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    enum { RUNS = 40, STEPS = 4096 };
    double mean[13] = {0}, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        smr_sgd_state s;
        smr_sgd_opts o = plain_with(SMR_SCHEDULE_PER_STEP, 1);
        check_ok(ctx, smr_sgd_init(ctx, &o, N, &s));
        int k = 0;
        for (uint64_t t = 1; t <= STEPS; t++) {
            double g[N];
            noisy_gradient(run, t, s.w, g);
            smr_sgd_step(&s, g);
            if (t == (uint64_t)1 << k) mean[k++] += error_of(s.w) / RUNS;
        }
        smr_sgd_release(&s);
    }
    for (int k = 4; k <= 12; k++) {
        double x = k * log(2), y = log(mean[k]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double slope = (9 * sxy - sx * sy) / (9 * sxx - sx * sx);
    check_near("slope", slope, -1, 0.08); /* 9 points, each with a spread of sqrt(2 / (7 * 40)) */
    check_near("level", mean[12] * STEPS / N, 1, 0.35);
    check_ctx_end(ctx);
}

/* With a constant rate a the iterate keeps a spread of about N a / (2 - a); the mean of the later
 * iterates has 1 / (a t) of that and less. */
static void averaging_beats_the_last_iterate(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double last = 0, average = 0;
    for (uint64_t run = 0; run < 10; run++) {
        smr_sgd_state s;
        smr_sgd_opts o = plain_with(SMR_SCHEDULE_CONSTANT, 0.1);
        o.average_from = 200;
        check_ok(ctx, smr_sgd_init(ctx, &o, N, &s));
        double w[N], sum[N] = {0};
        for (uint64_t t = 1; t <= 2000; t++) {
            double g[N];
            noisy_gradient(run, t, s.w, g);
            smr_sgd_step(&s, g);
            for (int j = 0; j < N; j++) sum[j] += t >= 200 ? s.w[j] / 1801 : 0;
        }
        smr_sgd_weights(&s, w);
        last += error_of(w) / 10;
        smr_sgd_average(&s, w);
        for (int j = 0; j < N; j++) check_near("average", w[j], sum[j], 1e-13);
        average += error_of(w) / 10;
        smr_sgd_release(&s);
    }
    check_near("spread", last, N * 0.1 / 1.9, 0.25);
    assert_true(average < 0.05 * last);
    check_ctx_end(ctx);
}

/* ---- sparse ---- */

enum { D = 41 };

/* Some entries of a gradient that depends on the weights read. */
static int64_t sparse_row(uint64_t t, int32_t *index, double *value)
{
    int64_t n = 0;
    for (int j = 0; j < D; j++) {
        if (smr_random_unit(8, SMR_STREAM_TEST, t, (uint64_t)j) > 0.15) continue;
        index[n] = j;
        value[n++] = normal(t, (uint64_t)j);
    }
    return n;
}

static void compare_with_dense(smr_sgd_opts o, double tolerance)
{
    smr_ctx *ctx = check_ctx(1);
    smr_sgd_state dense, sparse;
    o.is_sparse = false;
    check_ok(ctx, smr_sgd_init(ctx, &o, D, &dense));
    o.is_sparse = true;
    check_ok(ctx, smr_sgd_init(ctx, &o, D, &sparse));
    double w[D], v[D];
    for (uint64_t t = 0; t < 700; t++) {
        int32_t index[D];
        double value[D], g[D] = {0}, z = 0;
        int64_t n = sparse_row(t, index, value);
        for (int64_t e = 0; e < n; e++) z += value[e] * dense.w[index[e]];
        check_near("score", smr_sgd_score_sparse(&sparse, n, index, value), z, tolerance);
        double slope = z - value[0] - 0.4 * normal(500, t);
        for (int64_t e = 0; e < n; e++) g[index[e]] = value[e] *= slope;
        smr_sgd_step(&dense, g);
        smr_sgd_step_sparse(&sparse, n, index, value);
        if (t % 100 != 57) continue;
        smr_sgd_weights(&sparse, w);
        for (int j = 0; j < D; j++) check_near("weight", w[j], dense.w[j], tolerance);
    }
    smr_sgd_average(&sparse, w);
    smr_sgd_average(&dense, v);
    for (int j = 0; j < D && o.l1 == 0; j++) check_near("average", w[j], v[j], 10 * tolerance);
    smr_sgd_release(&dense);
    smr_sgd_release(&sparse);
    check_ctx_end(ctx);
}

static void sparse_steps_equal_dense_steps(void **unused)
{
    (void)unused;
    smr_sgd_opts o = plain_with(SMR_SCHEDULE_ROOT, 0.2);
    compare_with_dense(o, 1e-13);
    o.l2 = 0.3;
    o.average_from = 100;
    compare_with_dense(o, 1e-11);
    o.l2 = 4.9; /* (1 - a l2) falls to 0.02 at once: the scale is folded in often */
    compare_with_dense(o, 1e-9);
    o.l2 = 6; /* negative: weights are forgotten */
    compare_with_dense(o, 1e-9);
    o = plain_with(SMR_SCHEDULE_PER_STEP, 1);
    o.l1 = 0.05;
    compare_with_dense(o, 1e-12);
    o = (smr_sgd_opts){.method = SMR_SGD_ADAGRAD, .schedule = {.rate = 0.2}};
    compare_with_dense(o, 1e-13);
    o.average_from = 50;
    compare_with_dense(o, 1e-12);
    o.average_from = 0;
    o.l1 = 0.02;
    compare_with_dense(o, 1e-11);
    o.l2 = 0.1;
    compare_with_dense(o, 1e-11);
}

/* Weights that the data do not need end at exactly zero. */
static void l1_gives_exact_zeros(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < 2; m++) {
        smr_sgd_state s;
        smr_sgd_opts o = {
            .method = m ? SMR_SGD_ADAGRAD : SMR_SGD_PLAIN,
            .schedule = {.kind = m ? SMR_SCHEDULE_CONSTANT : SMR_SCHEDULE_ROOT, .rate = 0.1},
            .l1 = 0.1,
            .is_sparse = true};
        check_ok(ctx, smr_sgd_init(ctx, &o, D, &s));
        for (uint64_t t = 0; t < 6000; t++) {
            int32_t index[D];
            double x[D], target = 0.1 * normal(900, t);
            int64_t n = sparse_row(t, index, x);
            for (int64_t e = 0; e < n; e++) target += index[e] < 3 ? 2 * x[e] : 0;
            double slope = smr_sgd_score_sparse(&s, n, index, x) - target;
            for (int64_t e = 0; e < n; e++) x[e] *= slope;
            smr_sgd_step_sparse(&s, n, index, x);
        }
        double w[D];
        int zeros = 0;
        smr_sgd_weights(&s, w);
        for (int j = 0; j < D; j++) zeros += w[j] == 0;
        for (int j = 0; j < 3; j++) assert_true(w[j] > 0.9 && w[j] < 2.1);
        if (zeros < 20) fail_msg("method %d: only %d zeros", m, zeros);
        smr_sgd_release(&s);
    }
    check_ctx_end(ctx);
}

static void saved_states_resume_bit_by_bit(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int m = 0; m < SMR_SGD_METHODS; m++) {
        smr_sgd_state a, b;
        smr_sgd_opts o = {.method = (smr_sgd_method)m,
                          .schedule = {.kind = SMR_SCHEDULE_INVERSE, .rate = 0.1},
                          .l1 = 0.01,
                          .l2 = 0.02,
                          .average_from = 5};
        check_ok(ctx, smr_sgd_init(ctx, &o, N, &a));
        check_ok(ctx, smr_sgd_init(ctx, &o, N, &b));
        double g[N], u[N], v[N];
        for (uint64_t t = 0; t < 60; t++) {
            noisy_gradient(3, t, a.w, g);
            smr_sgd_step(&a, g);
            if (t == 30) { /* what a model file would hold */
                memcpy(b.head, a.head, sizeof a.head);
                memcpy(b.block, a.block, (size_t)a.n_block * sizeof *a.block);
            } else if (t > 30) {
                smr_sgd_step(&b, g);
            }
        }
        smr_sgd_average(&a, u);
        smr_sgd_average(&b, v);
        assert_memory_equal(u, v, sizeof u);
        assert_memory_equal(a.block, b.block, (size_t)a.n_block * sizeof *a.block);
        assert_memory_equal(a.head, b.head, sizeof a.head);
        smr_sgd_release(&a);
        smr_sgd_release(&b);
    }
    check_ctx_end(ctx);
}

/* ---- the variance read-out ---- */

static void watch_gives_the_variance_of_all_rows(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_gradient_watch dense, sparse;
    double mean[D] = {0}, variance = 0, square = 0, g[200][D] = {{0}};
    check_ok(ctx, smr_watch_init(ctx, D, 0, &dense));
    check_ok(ctx, smr_watch_init(ctx, D, 0, &sparse));
    assert_true(isnan(smr_watch_noise(&dense)));
    for (uint64_t t = 0; t < 200; t++) {
        int32_t index[D];
        double value[D];
        int64_t n = sparse_row(t, index, value);
        for (int64_t e = 0; e < n; e++) g[t][index[e]] = value[e] += 0.8;
        smr_watch_add(&dense, g[t]);
        smr_watch_add_sparse(&sparse, n, index, value);
        for (int j = 0; j < D; j++) mean[j] += g[t][j] / 200;
    }
    for (int t = 0; t < 200; t++)
        for (int j = 0; j < D; j++) variance += (g[t][j] - mean[j]) * (g[t][j] - mean[j]) / 200;
    for (int j = 0; j < D; j++) square += mean[j] * mean[j];
    check_near("variance", dense.variance, variance, 1e-13);
    check_near("mean", dense.square, square, 1e-13);
    check_near("variance, sparse", sparse.variance, variance, 1e-12);
    check_near("mean, sparse", sparse.square, square, 1e-12);
    check_near("noise", smr_watch_noise(&dense), variance / square, 1e-12);
    for (int j = 0; j < D; j++) {
        check_near("direction", dense.scale * dense.direction[j], mean[j], 1e-13);
        check_near("direction", sparse.scale * sparse.direction[j], mean[j], 1e-13);
    }
    smr_watch_release(&dense);
    smr_watch_release(&sparse);
    check_ctx_end(ctx);
}

/* Far from the minimum gradients agree, near it they do not; twice the batch has half the
 * variance. */
static void watch_sees_the_challenging_region(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double noise[2], variance[2];
    for (int near = 0; near < 2; near++) {
        smr_gradient_watch s;
        check_ok(ctx, smr_watch_init(ctx, N, 0.01, &s));
        for (uint64_t t = 0; t < 3000; t++) {
            double w[N], g[N];
            for (int j = 0; j < N; j++) w[j] = near ? 0.4 * j - 1 : 30;
            noisy_gradient(1, t, w, g);
            smr_watch_add(&s, g);
        }
        noise[near] = smr_watch_noise(&s);
        smr_watch_release(&s);
    }
    assert_true(noise[0] < 0.01 && noise[1] > 20);
    for (int doubled = 0; doubled < 2; doubled++) {
        smr_gradient_watch s;
        check_ok(ctx, smr_watch_init(ctx, N, 0, &s));
        for (uint64_t t = 0; t < 4000; t++) {
            double w[N] = {0}, g[N], h[N];
            noisy_gradient(1, 2 * t, w, g);
            noisy_gradient(1, 2 * t + 1, w, h);
            for (int j = 0; doubled && j < N; j++) g[j] = 0.5 * (g[j] + h[j]);
            smr_watch_add(&s, g);
        }
        variance[doubled] = s.variance;
        smr_watch_release(&s);
    }
    check_near("variance of one row", variance[0], N, 0.03);
    check_near("halved", variance[1] / variance[0], 0.5, 0.03);
    check_ctx_end(ctx);
}

static void bad_options_and_failing_allocations_are_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_sgd_state s;
    smr_sgd_opts o = plain_with(SMR_SCHEDULE_CONSTANT, 0);
    check_fails(ctx, smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_PARAM, "rate = 0 is outside");
    o = plain_with(SMR_SCHEDULE_COSINE, 1);
    check_fails(ctx, smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_PARAM, "period = 0");
    o = (smr_sgd_opts){.method = SMR_SGD_ADAM, .schedule = {.rate = 1}, .beta1 = 1};
    check_fails(ctx, smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_PARAM, "beta1 = 1 is outside [0, 1)");
    o = (smr_sgd_opts){.method = SMR_SGD_ADAM, .schedule = {.rate = 1}, .is_sparse = true};
    check_fails(ctx, smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_UNSUPPORTED,
                "adam moves every weight at every step");
    o = (smr_sgd_opts){.schedule = {.rate = 1}, .l2 = NAN};
    check_fails(ctx, smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_PARAM, "l2 = nan");
    smr_memory_fail_at(ctx, 0);
    o = plain_with(SMR_SCHEDULE_CONSTANT, 1);
    assert_int_equal(smr_sgd_init(ctx, &o, 3, &s), SMR_ERR_NOMEM);
    smr_ctx_clear(ctx);
    smr_gradient_watch watch;
    smr_memory_fail_at(ctx, 0);
    assert_int_equal(smr_watch_init(ctx, 3, 0, &watch), SMR_ERR_NOMEM);
    smr_memory_fail_at(ctx, -1);
    smr_ctx_clear(ctx);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_are_as_defined),
        cmocka_unit_test(adaptive_rate_falls_without_progress),
        cmocka_unit_test(methods_follow_their_definitions),
        cmocka_unit_test(momentum_has_both_forms),
        cmocka_unit_test(every_method_comes_near_the_minimum),
        cmocka_unit_test(rate_one_over_t_gives_error_one_over_t),
        cmocka_unit_test(averaging_beats_the_last_iterate),
        cmocka_unit_test(sparse_steps_equal_dense_steps),
        cmocka_unit_test(l1_gives_exact_zeros),
        cmocka_unit_test(saved_states_resume_bit_by_bit),
        cmocka_unit_test(watch_gives_the_variance_of_all_rows),
        cmocka_unit_test(watch_sees_the_challenging_region),
        cmocka_unit_test(bad_options_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
