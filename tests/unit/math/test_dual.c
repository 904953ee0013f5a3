/* test_dual.c -- dual coordinate descent: worked answers, optimality, certificates. */
#include "unit/math/objectives.h"

#include "math/optimize/dual_parts.h"

#include <float.h>

enum { N = 97, D = 13 };

struct rows {
    double X[N * D], y[N], weight[N];
    int64_t start[N + 1];
    int32_t column[N * D];
    double value[N * D];
    smr_csr sparse;
};

/* A third of the entries, row 5 empty, labels by a noisy plane. */
static void make_rows(struct rows *r)
{
    int64_t used = 0;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < N; i++) {
        double z = 0.2;
        r->start[i] = used;
        for (int j = 0; j < D; j++) {
            uint64_t a = (uint64_t)i, b = (uint64_t)j;
            if (i == 5 || smr_random_unit(5, SMR_STREAM_TEST, a, b) > 0.35) continue;
            double x = normal(a, b);
            r->X[i * D + j] = r->value[used] = x;
            r->column[used++] = j;
            z += x * (j % 3 - 0.7);
        }
        r->y[i] = z + 1.1 * normal(77, (uint64_t)i) > 0 ? 1 : -1;
        r->weight[i] = i % 6 == 0 ? 0 : 0.4 + 0.2 * (i % 5);
    }
    r->start[N] = used;
    r->sparse = (smr_csr){N, D, r->start, r->column, r->value};
}

static smr_dual_problem problem_of(const struct rows *r, bool is_sparse, bool is_weighted,
                                   double bias)
{
    return (smr_dual_problem){.n_rows = N,
                              .n_cols = D,
                              .sparse = is_sparse ? &r->sparse : NULL,
                              .dense = r->X,
                              .stride = D,
                              .y = r->y,
                              .weight = is_weighted ? r->weight : NULL,
                              .bias = bias};
}

/* The same without a penalty on the intercept: to the last digits, softly at a large C and hard,
 * and with rows as floats, as bytes and through a row index. */
static void and_gate_with_a_free_intercept_is_exact(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    const double X[8] = {1, 1, 1, 0, 0, 1, 0, 0}, y[4] = {1, -1, -1, -1}, want[4] = {4, 2, 2, 0};
    const float F[11] = {0, 0, 9, 0, 1, 9, 1, 0, 9, 1, 1}; /* backwards, 3 apart */
    const uint8_t U[8] = {0, 0, 0, 1, 1, 0, 1, 1};
    const int64_t back[4] = {3, 2, 1, 0};
    for (int form = 0; form < 4; form++) {
        double w[3], alpha[4];
        smr_dual_problem p = {
            .n_rows = 4, .n_cols = 2, .dense = X, .stride = 2, .y = y, .is_free = true};
        if (form == 2) p.dense = U, p.dtype = SMR_U8, p.rows = back;
        if (form == 3) p.dense = F, p.dtype = SMR_F32, p.stride = 3, p.rows = back;
        smr_dual_opts opts = {.loss = SMR_LOSS_HINGE,
                              .l2 = 0.01,
                              .is_hard = form == 1,
                              .tol = 1e-12,
                              .max_passes = 100000};
        smr_dual_result r;
        check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, alpha, &r));
        assert_true(r.converged);
        check_near("w0", w[0], 2, 1e-9);
        check_near("w1", w[1], 2, 1e-9);
        check_near("b", w[2], -3, 1e-9);
        check_near("margin", r.margin, 1, 1e-9);
        check_near("primal", r.objective / (form == 1 ? 1 : 0.01), 4, 1e-9);
        for (int i = 0; i < 4; i++) check_near("alpha", alpha[i], want[i], 1e-8);
    }
    check_ctx_end(ctx);
}

static const smr_loss_id losses[3] = {SMR_LOSS_HINGE, SMR_LOSS_SQUARED_HINGE, SMR_LOSS_LOGISTIC};

/* AND on {0,1}^2 (FIGURES E6): hard margin w = (2, 2), b = -3, alpha of 11, 10, 01, 00 = 4, 2, 2,
 * 0, primal = dual = 4.  The bias is a large constant, whose weight costs nearly nothing. */
static void and_gate_has_the_worked_margin(void **unused)
{
    (void)unused;
    check_no_sanitizer();
    smr_ctx *ctx = check_ctx(1);
    const double X[8] = {1, 1, 1, 0, 0, 1, 0, 0}, y[4] = {1, -1, -1, -1};
    double w[3], alpha[4];
    smr_dual_problem p = {.n_rows = 4, .n_cols = 2, .dense = X, .stride = 2, .y = y, .bias = 100};
    smr_dual_opts opts = {
        .loss = SMR_LOSS_HINGE, .l2 = 1e-3, .tol = 1e-10, .max_passes = 3000000, .violation = 1e-8};
    smr_dual_result r;
    check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, alpha, &r));
    check_near("w0", w[0], 2, 1e-4);
    check_near("w1", w[1], 2, 1e-4);
    check_near("b", 100 * w[2], -3, 1e-4);
    const double want[4] = {4, 2, 2, 0};
    for (int i = 0; i < 4; i++) check_near("alpha", alpha[i], want[i], 1e-3);
    /* and what the bias costs: (3 / 100)^2 / 2 */
    check_near("primal", r.objective / opts.l2, 4.00045, 1e-7);
    check_ctx_end(ctx);
}

/* The dual variable says what the margin must be. */
static void check_row(smr_loss_id loss, double m, double a, double C, double tolerance)
{
    if (loss == SMR_LOSS_HINGE) {
        if (C == 0) return;
        if (a == 0) assert_true(m >= 1 - tolerance);
        if (a == C) assert_true(m <= 1 + tolerance);
        if (a > 0 && a < C) check_near("margin", m, 1, tolerance);
    } else if (loss == SMR_LOSS_SQUARED_HINGE) {
        check_near("alpha", a, 2 * C * fmax(0, 1 - m), 2 * C * tolerance);
    } else {
        check_near("alpha", a, C / (1 + exp(m)), C * tolerance);
    }
}

static void answers_satisfy_the_conditions_to_1e_10(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r);
    for (int k = 0; k < 3; k++)
        for (int form = 0; form < 4; form++) {
            bool is_weighted = form / 2;
            double bias = form % 2 ? 0.7 : 0, w[D + 1] = {0}, sum[D + 1] = {0}, alpha[N], l2 = 0.31;
            smr_dual_problem p = problem_of(&r, form != 0, is_weighted, bias);
            smr_dual_opts opts = {.loss = losses[k],
                                  .l2 = l2,
                                  .tol = 1e-12,
                                  .max_passes = 200000,
                                  .violation = 1e-12};
            smr_dual_result out;
            check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, alpha, &out));
            for (int i = 0; i < N; i++) {
                double m = bias * w[D], C = (is_weighted ? r.weight[i] : 1) / l2;
                for (int j = 0; j < D; j++) {
                    m += r.X[i * D + j] * w[j];
                    sum[j] += alpha[i] * r.y[i] * r.X[i * D + j];
                }
                sum[D] += alpha[i] * r.y[i] * bias;
                check_row(losses[k], r.y[i] * m, alpha[i], C, 1e-10);
            }
            for (int j = 0; j < D; j++) check_near("w = sum a y x", w[j], sum[j], 1e-10);
            if (!out.converged)
                fail_msg("%s, form %d: gap %g of %g after %d", smr_losses[losses[k]].name, form,
                         out.gap, out.objective, (int)out.passes);
        }
    check_ctx_end(ctx);
}

/* P(w) of the definition equals the objective, and P - gap bounds the best from below. */
static void certificates_hold_at_any_time(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r);
    for (int k = 0; k < 3; k++) {
        double w[D + 1], best = 0;
        smr_dual_problem p = problem_of(&r, true, true, 0);
        for (int64_t passes = 100000; passes > 0; passes = passes > 8 ? 8 : passes - 1) {
            smr_dual_opts opts = {
                .loss = losses[k], .l2 = 0.31, .tol = 1e-13, .max_passes = passes};
            smr_dual_result out;
            check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out));
            double f = 0;
            for (int j = 0; j < D; j++) f += 0.5 * 0.31 * w[j] * w[j];
            for (int i = 0; i < N; i++) {
                double z = 0;
                for (int j = 0; j < D; j++) z += r.X[i * D + j] * w[j];
                f += r.weight[i] * smr_loss_at(&smr_losses[losses[k]], 0, r.y[i], z).value;
            }
            check_near("objective", out.objective, f, 1e-13);
            if (passes == 100000) best = f;
            assert_true(f >= best * (1 - 1e-12) && f - out.gap <= best * (1 + 1e-12));
            assert_true(out.passes <= passes);
            if (passes == 1) assert_true(!out.converged && out.gap > 0);
        }
    }
    check_ctx_end(ctx);
}

/* The dual of the logistic loss where the variables of one class are all shortened alike, so that
 * sum_i a_i y_i = 0. */
static double balanced_dual(const struct rows *r, double l2, const double *alpha)
{
    double sum[2] = {0}, w[D] = {0}, dual = 0;
    for (int i = 0; i < N; i++) sum[r->y[i] > 0] += alpha[i];
    double less = fmin(sum[0], sum[1]);
    for (int i = 0; i < N; i++) {
        double C = r->weight[i] / l2, a = alpha[i] * less / sum[r->y[i] > 0];
        if (C == 0) continue;
        for (int j = 0; j < D; j++) w[j] += a * r->y[i] * r->X[i * D + j];
        dual -= a * log(a / C) + (C - a) * log((C - a) / C);
    }
    for (int j = 0; j < D; j++) dual -= w[j] * w[j] / 2;
    return l2 * dual;
}

/* The same with a free intercept, whose condition on the variables holds only in the end; and rows
 * so that the classes are out of balance. */
static void certificates_with_a_free_intercept_hold_at_any_time(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r);
    for (int i = 0; i < N; i++) r.y[i] = i % 3 == 1 ? 1 : r.y[i];
    for (int k = 0; k < 3; k++) {
        double w[D + 1], alpha[N], best = 0;
        smr_dual_problem p = problem_of(&r, true, true, 0);
        p.is_free = true;
        for (int64_t passes = 100000; passes > 0; passes = passes > 24 ? 24 : passes - 1) {
            smr_dual_opts opts = {
                .loss = losses[k], .l2 = 0.31, .tol = 1e-12, .max_passes = passes};
            smr_dual_result out;
            check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, alpha, &out));
            double f = 0;
            for (int j = 0; j < D; j++) f += 0.5 * 0.31 * w[j] * w[j];
            for (int i = 0; i < N; i++) {
                double z = w[D];
                for (int j = 0; j < D; j++) z += r.X[i * D + j] * w[j];
                f += r.weight[i] * smr_loss_at(&smr_losses[losses[k]], 0, r.y[i], z).value;
            }
            check_near("objective", out.objective, f, 1e-13);
            if (passes == 100000) {
                best = f;
                assert_true(out.converged);
            }
            assert_true(f >= best * (1 - 1e-11) && f - out.gap <= best * (1 + 1e-11));
            if (losses[k] != SMR_LOSS_LOGISTIC) continue;
            /* the sum of the rows' lengths is more than the length of their sum, squared small */
            double gap = f - balanced_dual(&r, 0.31, alpha);
            double most = passes < 3 ? 1.4 : passes < 8 ? 1.2 : 1.1;
            assert_true(out.gap >= gap - 1e-11 * f && out.gap <= most * gap + 1e-11 * f);
        }
    }
    check_ctx_end(ctx);
}

static void warm_starts_and_forms_agree(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r);
    for (int k = 0; k < 3; k++) {
        double w[4][D + 1], alpha[N];
        smr_dual_result out[4];
        smr_dual_problem sparse = problem_of(&r, true, false, 1),
                         dense = problem_of(&r, false, false, 1);
        smr_dual_opts opts = {
            .loss = losses[k], .l2 = 0.5, .tol = 1e-12, .max_passes = 100000, .violation = 1e-10};
        check_ok(ctx, smr_dual_coordinate(ctx, &dense, &opts, w[0], alpha, &out[0]));
        check_ok(ctx, smr_dual_coordinate(ctx, &sparse, &opts, w[1], NULL, &out[1]));
        opts.warm = true;
        check_ok(ctx, smr_dual_coordinate(ctx, &sparse, &opts, w[2], alpha, &out[2]));
        assert_true(out[2].passes <= 3 && out[0].passes > 5);
        for (int i = 0; i < N; i++) alpha[i] = 40 * (i % 2) - 1; /* partly outside: clipped */
        check_ok(ctx, smr_dual_coordinate(ctx, &sparse, &opts, w[3], alpha, &out[3]));
        for (int m = 1; m < 4; m++)
            for (int j = 0; j <= D; j++) check_near("weight", w[m][j], w[0][j], 1e-6);
    }
    check_ctx_end(ctx);
}

static void logistic_reaches_recorded_answer(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double w[LOGISTIC_D];
    smr_dual_problem p = {.n_rows = LOGISTIC_N,
                          .n_cols = LOGISTIC_D,
                          .dense = logistic_X,
                          .stride = LOGISTIC_D,
                          .y = logistic_y};
    smr_dual_opts opts = {
        .loss = SMR_LOSS_LOGISTIC, .l2 = 0.7, .max_passes = 100000, .violation = 1e-14};
    smr_dual_result out;
    check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out));
    for (int j = 0; j < LOGISTIC_D; j++) check_near("weight", w[j], logistic_w[j], 1e-12);
    check_near("objective", out.objective, logistic_f, 1e-14);
    check_ctx_end(ctx);
}

static void order_depends_on_the_seed_and_not_on_threads(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r);
    double w[3][D];
    for (int t = 0; t < 3; t++) {
        smr_ctx *ctx = check_ctx(t == 1 ? 7 : 1);
        if (t == 2) ctx->seed = 4711;
        smr_dual_problem p = problem_of(&r, true, false, 0);
        smr_dual_opts opts = {.loss = SMR_LOSS_HINGE, .l2 = 0.5};
        smr_dual_result out;
        check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w[t], NULL, &out));
        assert_true(out.converged);
        check_ctx_end(ctx);
    }
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    assert_memory_not_equal(w[0], w[2], sizeof w[0]);
}

/* Enough rows that they are visited in groups, and that certificates skip those beyond the margin:
 * objective, margin and scores are still those of w, at any number of threads. */
static void certificates_of_many_rows_are_exact(void **unused)
{
    (void)unused;
    enum { MANY = 9001, FEW = 7 };
    static double X[MANY * FEW], y[MANY], score[MANY];
    for (int i = 0; i < MANY; i++) {
        double z = normal(9, (uint64_t)i);
        for (int j = 0; j < FEW; j++) {
            X[i * FEW + j] = normal((uint64_t)i, (uint64_t)j);
            z += X[i * FEW + j] * (j - 2.5);
        }
        y[i] = z > 0 ? 1 : -1;
    }
    for (int k = 0; k < 6; k += CHECK_LESS ? 3 : 1) {
        double w[3][FEW + 1] = {{0}}, objective = 0, margin = INFINITY;
        smr_loss_id loss = losses[k / 2];
        smr_dual_result out = {0};
        for (int t = 0; t < 3; t++) {
            smr_ctx *ctx = check_ctx(t == 0 ? 1 : t == 1 ? 2 : 7);
            smr_dual_problem p = {
                .n_rows = MANY, .n_cols = FEW, .dense = X, .stride = FEW, .y = y, .is_free = k % 2};
            smr_dual_opts opts = {.loss = loss, .l2 = 0.5, .tol = 1e-9, .score = score};
            check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w[t], NULL, &out));
            assert_true(out.converged);
            check_ctx_end(ctx);
            assert_memory_equal(w[0], w[t], sizeof w[0]);
        }
        for (int j = 0; j < FEW; j++) objective += 0.25 * w[0][j] * w[0][j];
        for (int i = 0; i < MANY; i++) {
            double f = w[0][FEW], m;
            for (int j = 0; j < FEW; j++) f += X[i * FEW + j] * w[0][j];
            check_near("score", score[i], f, 1e-12);
            m = y[i] * f;
            margin = fmin(margin, m);
            objective += loss == SMR_LOSS_LOGISTIC ? log1p(exp(-m))
                         : m >= 1                  ? 0
                         : loss == SMR_LOSS_HINGE  ? 1 - m
                                                   : (1 - m) * (1 - m);
        }
        check_near("objective", out.objective, objective, 1e-12);
        check_near("margin", out.margin, margin, 1e-12);
    }
}

enum { SHORT = 8003, WORDS = 6, VOCABULARY = 211 };

/* Rows of length 1, as words weighted and normed are: a pass of these goes in two halves.  Row 17
 * is empty, some have no weight. */
static smr_csr make_short_rows(double *y, double *weight)
{
    static int64_t start[SHORT + 1];
    static int32_t column[SHORT * WORDS];
    static double value[SHORT * WORDS];
    int64_t used = 0;
    for (int i = 0; i < SHORT; i++) {
        double square = 0, z = 0;
        start[i] = used;
        for (int k = 0; k < WORDS && i != 17; k++) {
            uint64_t a = (uint64_t)i, b = (uint64_t)k;
            int64_t word = smr_random_below(3, SMR_STREAM_TEST, a, b, VOCABULARY / WORDS);
            column[used] = (int32_t)(k * (VOCABULARY / WORDS) + word);
            value[used] = fabs(normal(a, b)) + 0.1;
            square += value[used] * value[used];
            z += value[used++] * ((double)(word % 5) - 2);
        }
        for (int64_t e = start[i]; e < used; e++) value[e] /= sqrt(square);
        y[i] = z + normal(78, (uint64_t)i) > 0 ? 1 : -1;
        weight[i] = i % 11 == 0 ? 0 : 0.5 + 0.25 * (i % 4);
    }
    start[SHORT] = used;
    return (smr_csr){SHORT, VOCABULARY, start, column, value};
}

/* Without intercept, with weights and a penalised one, with a free one: w is the sum over the rows,
 * each variable is what the margin says, the bytes are those of one thread. */
static void halves_come_to_the_answer_at_any_number_of_threads(void **unused)
{
    (void)unused;
    static double y[SHORT], weight[SHORT], alpha[SHORT];
    smr_csr sparse = make_short_rows(y, weight);
    for (int form = 0; form < 3; form++) {
        bool is_weighted = form == 1, is_free = form == 2;
        double w[3][VOCABULARY + 1] = {{0}}, sum[VOCABULARY + 1] = {0},
                                 bias = is_weighted ? 0.3 : 0;
        for (int t = 0; t < 3; t++) {
            smr_ctx *ctx = check_ctx(t == 0 ? 1 : t == 1 ? 2 : 7);
            smr_dual_problem p = {.n_rows = SHORT,
                                  .n_cols = VOCABULARY,
                                  .sparse = &sparse,
                                  .y = y,
                                  .weight = is_weighted ? weight : NULL,
                                  .bias = bias,
                                  .is_free = is_free};
            smr_dual_opts opts = {.loss = SMR_LOSS_LOGISTIC, .l2 = 1, .tol = 1e-14};
            smr_dual_result out;
            check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w[t], alpha, &out));
            assert_true(out.converged && out.passes < 40);
            /* halves count what they do */
            assert_true(out.updates > 5 * SHORT && out.updates <= out.visits);
            check_ctx_end(ctx);
            assert_memory_equal(w[0], w[t], sizeof w[0]);
        }
        for (int i = 0; i < SHORT; i++) {
            double m = (is_free ? 1 : bias) * w[0][VOCABULARY];
            for (int64_t e = sparse.start[i]; e < sparse.start[i + 1]; e++) {
                m += sparse.value[e] * w[0][sparse.column[e]];
                sum[sparse.column[e]] += alpha[i] * y[i] * sparse.value[e];
            }
            sum[VOCABULARY] += alpha[i] * y[i] * (is_free ? 1 : bias);
            /* a gap of 1e-14 of about 5000 is the square of an error of about 1e-5 */
            check_row(SMR_LOSS_LOGISTIC, y[i] * m, alpha[i], is_weighted ? weight[i] : 1, 2e-5);
        }
        for (int j = 0; j <= VOCABULARY - is_free; j++)
            check_near("w = sum a y x", w[0][j], sum[j], 1e-10);
        if (is_free) check_near("sum a y", sum[VOCABULARY], 0, 1e-3); /* it too is squared */
    }
}

static void check_failing_allocations(smr_ctx *ctx, const smr_dual_problem *p,
                                      const smr_dual_opts *opts, double *w)
{
    smr_dual_result out;
    for (int64_t n = 0;; n++) {
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_dual_coordinate(ctx, p, opts, w, NULL, &out);
        smr_memory_fail_at(ctx, -1);
        smr_ctx_clear(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_true(n < 1000);
    }
}

static void failing_allocations_of_halves_are_survived(void **unused)
{
    (void)unused;
    static double y[SHORT], weight[SHORT], w[VOCABULARY];
    smr_ctx *ctx = check_ctx(2);
    smr_csr sparse = make_short_rows(y, weight);
    smr_dual_problem p = {.n_rows = SHORT, .n_cols = VOCABULARY, .sparse = &sparse, .y = y};
    smr_dual_opts opts = {.loss = SMR_LOSS_LOGISTIC, .l2 = 1};
    check_failing_allocations(ctx, &p, &opts, w);
    check_ctx_end(ctx);
}

static void bad_input_and_failing_allocations_are_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    static struct rows r;
    make_rows(&r);
    double w[D + 1];
    smr_dual_result out;
    smr_dual_problem p = problem_of(&r, true, false, 0);
    smr_dual_opts opts = {.loss = SMR_LOSS_HINGE};
    check_fails(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out), SMR_ERR_PARAM,
                "the dual needs a penalty l2 > 0, not 0");
    opts = (smr_dual_opts){.loss = SMR_LOSS_SQUARED, .l2 = 1};
    check_fails(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out), SMR_ERR_UNSUPPORTED,
                "no dual of the loss squared");
    r.y[3] = 2;
    opts.loss = SMR_LOSS_LOGISTIC;
    check_fails(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out), SMR_ERR_DATA, "row 3");
    r.y[3] = 1;
    check_failing_allocations(ctx, &p, &opts, w);
    p.n_rows = 0; /* nothing to learn from: w = 0 */
    check_ok(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out));
    assert_true(out.objective == 0 && out.gap == 0 && w[0] == 0);
    check_ctx_end(ctx);
}

/* f(s) of dual_stretch.c from the definition. */
static double stretched(int n, const double *margin, const double *C, double square, double s)
{
    double f = s * s * square / 2;
    for (int i = 0; i < n; i++) f += C[i] * fmax(0, 1 - s * margin[i]);
    return f;
}

/* Margins above, below and at 1, near 0 and negative; C from tiny to large. */
static void stretch_is_the_best_multiple(void **unused)
{
    (void)unused;
    enum { M = 41 };
    smr_ctx *ctx = check_ctx(1);
    for (uint64_t t = 0; t < 200; t++) {
        double margin[M], y[M], C[M], w[2] = {1 + normal(t, 900), 0.3}, s = 0, saved = 0;
        int64_t order[M];
        int n = 1 + (int)(t % M);
        for (int i = 0; i < n; i++) {
            uint64_t k = (uint64_t)i;
            order[i] = i;
            y[i] = 1;
            margin[i] = i % 7 == 3 ? 1 : 0.9 + 0.3 * ((double)(t % 3) + 0.1) * normal(t, k);
            C[i] = smr_exp(2 * normal(t, k + 100)) * (t % 2 ? 0.01 : 1);
        }
        smr_dual_problem p = {.n_rows = n, .n_cols = 2, .y = y};
        struct smr_dual d = {.p = &p, .w = w, .C = C, .score = margin, .order = order, .n_live = n};
        double square = w[0] * w[0] + w[1] * w[1], f = stretched(n, margin, C, square, 1);
        check_ok(ctx, smr_dual_stretch(ctx, &d, &s, &saved));
        double best = stretched(n, margin, C, square, s);
        assert_true(s >= 1 && best <= f);
        check_near("saved", f - best, saved, 1e-12 * f);
        for (double other = 1; other < 3 * s; other *= 1.0137)
            assert_true(stretched(n, margin, C, square, other) >= best - 1e-12 * f);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(and_gate_has_the_worked_margin),
        cmocka_unit_test(and_gate_with_a_free_intercept_is_exact),
        cmocka_unit_test(answers_satisfy_the_conditions_to_1e_10),
        cmocka_unit_test(certificates_hold_at_any_time),
        cmocka_unit_test(certificates_with_a_free_intercept_hold_at_any_time),
        cmocka_unit_test(warm_starts_and_forms_agree),
        cmocka_unit_test(logistic_reaches_recorded_answer),
        cmocka_unit_test(order_depends_on_the_seed_and_not_on_threads),
        cmocka_unit_test(certificates_of_many_rows_are_exact),
        cmocka_unit_test(halves_come_to_the_answer_at_any_number_of_threads),
        cmocka_unit_test(failing_allocations_of_halves_are_survived),
        cmocka_unit_test(stretch_is_the_best_multiple),
        cmocka_unit_test(bad_input_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
