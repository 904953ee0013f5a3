/* test_dual_softmax.c -- softmax regression in the dual against Newton on the primal, which is
 * written out here; against the gap, which bounds how far any point is from the best;
 * and one number of threads against another. */
#include "check.h"

#include "core/rng.h"
#include "math/factor.h"
#include "math/optimize/dual_softmax.h"

enum { N = 131, D = 9, K = 5, V = K * (D + 1) };

struct sample {
    double x[N * D], value[N * D], weight[N];
    int32_t label[N], column[N * D];
    int64_t start[N + 1];
    smr_csr csr;
    smr_dual_problem problem;
};

static double unit(uint64_t a, uint64_t b)
{
    return smr_random_unit(31, SMR_STREAM_TEST, a, b) - 0.5;
}

/* Rows of unlike lengths, as counts of words are; some without entries, some without weight. */
static void make(struct sample *s, bool is_free, double spread)
{
    memset(s, 0, sizeof *s);
    int64_t n = 0;
    for (int i = 0; i < N; i++) {
        s->label[i] = i < K ? i : (int32_t)(K * (unit(90, (uint64_t)i) + 0.5));
        s->weight[i] = i % 17 == 16 ? 0 : 0.25 + (double)(i % 3);
        double length = exp(spread * unit(91, (uint64_t)i));
        for (int j = 0; j < D; j++) {
            double v = unit((uint64_t)j, (uint64_t)i) + 0.6 * (j == s->label[i]);
            if ((i * 7 + j * 3) % 4 == 0 || i % 29 == 28) continue;
            s->x[i * D + j] = length * v;
            s->value[n] = length * v;
            s->column[n++] = j;
        }
        s->start[i + 1] = n;
    }
    s->csr = (smr_csr){
        .n_rows = N, .n_cols = D, .start = s->start, .column = s->column, .value = s->value};
    s->problem = (smr_dual_problem){
        .n_rows = N, .n_cols = D, .sparse = &s->csr, .weight = s->weight, .is_free = is_free};
}

/* P at w (weights class by class, then intercepts), its gradient and, where wanted, its Hessian. */
static double primal(const struct sample *s, double l2, bool is_free, const double *w, double *g,
                     double *H)
{
    double total = 0;
    memset(g, 0, V * sizeof *g);
    if (H) memset(H, 0, V * V * sizeof *H);
    for (int i = 0; i < N; i++) {
        double f[K], p[K], z[D + 1], top = -INFINITY, sum = 0, own = s->weight[i];
        for (int j = 0; j < D; j++) z[j] = s->x[i * D + j];
        z[D] = is_free;
        for (int c = 0; c < K; c++) {
            f[c] = z[D] * w[K * D + c];
            for (int j = 0; j < D; j++) f[c] += w[c * D + j] * z[j];
            top = fmax(top, f[c]);
        }
        for (int c = 0; c < K; c++) sum += p[c] = exp(f[c] - top);
        total += own * (top + log(sum) - f[s->label[i]]);
        for (int c = 0; c < K; c++) p[c] /= sum;
        for (int c = 0; c < K; c++)
            for (int j = 0; j <= D; j++) {
                int at = j < D ? c * D + j : K * D + c;
                g[at] += own * (p[c] - (c == s->label[i])) * z[j];
                for (int e = 0; H && e < K; e++)
                    for (int m = 0; m <= D; m++)
                        H[at + V * (m < D ? e * D + m : K * D + e)] +=
                            own * (p[c] * (c == e) - p[c] * p[e]) * z[j] * z[m];
            }
    }
    for (int a = 0; a < K * D; a++) {
        total += 0.5 * l2 * w[a] * w[a];
        g[a] += l2 * w[a];
        if (H) H[a + V * a] += l2;
    }
    return total;
}

/* The best w: the intercepts' sum is held at 0. */
static void solve(smr_ctx *ctx, const struct sample *s, double l2, bool is_free, double *w)
{
    static double H[V * V];
    double g[V], next[V];
    memset(w, 0, V * sizeof *w);
    for (int step = 0; step < 200; step++) {
        int64_t failed_at;
        double at = primal(s, l2, is_free, w, g, H), size = 1;
        for (int c = 0; c < K; c++)
            for (int e = 0; e < K; e++) H[K * D + c + V * (K * D + e)] += is_free || c == e;
        check_ok(ctx, smr_cholesky(ctx, V, H, V, &failed_at));
        assert_int_equal(failed_at, -1);
        double by[V];
        memcpy(by, g, sizeof by);
        check_ok(ctx, smr_cholesky_solve(ctx, V, 1, H, V, by, V));
        do {
            for (int a = 0; a < V; a++) next[a] = w[a] - size * by[a];
            size /= 2;
        } while (size > 1e-9 && primal(s, l2, is_free, next, g, NULL) > at);
        memcpy(w, next, V * sizeof *w);
    }
}

/* tol 1e-12: P(w) - P(best) <= 1e-12 P bounds |w - best|^2 by 2e-12 P / l2. */
static void answers_are_those_of_newton(void **unused)
{
    static struct sample s;
    (void)unused;
    check_no_races();
    for (int how = 0; how < 12; how++) {
        bool is_free = how % 2;
        double l2 = how / 2 % 3 == 0 ? 1 : how / 2 % 3 == 1 ? 0.02 : 40, w[V], best[V], g[V];
        smr_ctx *ctx = check_ctx(1 + how % 2);
        smr_softmax_opts opts = {.l2 = l2, .tol = 1e-12, .max_passes = 20000};
        smr_dual_result out;
        make(&s, is_free, how / 6 ? 4 : 0.5);
        solve(ctx, &s, l2, is_free, best);
        check_ok(ctx, smr_dual_softmax(ctx, &s.problem, s.label, K, &opts, w, w + K * D, &out));
        if (!out.converged)
            fail_msg("how %d: %d passes, gap %g of %g", how, (int)out.passes, out.gap,
                     out.objective);
        double least = primal(&s, l2, is_free, best, g, NULL);
        double got = primal(&s, l2, is_free, w, g, NULL);
        assert_true(fabs(got - out.objective) <= 1e-12 * got);
        assert_true(got - least <= out.gap + 1e-13 * got);
        for (int a = 0; a < K * D; a++) assert_true(fabs(w[a] - best[a]) <= sqrt(2e-12 * got / l2));
        check_ctx_end(ctx);
    }
}

/* The gap is a bound also where the work is stopped, and falls from look to look. */
static bool watch(void *user, const smr_dual_result *now)
{
    double *least = user;
    assert_true(now->objective - now->gap <= *least * (1 + 1e-12));
    return true;
}

static void the_gap_is_a_bound_all_the_way(void **unused)
{
    static struct sample s;
    double best[V], w[V], g[V];
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make(&s, true, 4);
    solve(ctx, &s, 0.1, true, best);
    double least = primal(&s, 0.1, true, best, g, NULL);
    for (int passes = 1; passes < 30; passes += 4) {
        smr_softmax_opts opts = {
            .l2 = 0.1, .tol = 1e-14, .max_passes = passes, .each = watch, .user = &least};
        smr_dual_result out;
        check_ok(ctx, smr_dual_softmax(ctx, &s.problem, s.label, K, &opts, w, w + K * D, &out));
        double got = primal(&s, 0.1, true, w, g, NULL);
        assert_false(out.converged);
        assert_true(out.passes <= passes);
        assert_true(got - least <= out.gap && got >= least * (1 - 1e-12));
    }
    check_ctx_end(ctx);
}

static void threads_do_not_change_a_bit(void **unused)
{
    static struct sample s;
    double w[3][V];
    (void)unused;
    make(&s, true, 2);
    for (int t = 0; t < 3; t++) {
        smr_ctx *ctx = check_ctx(t == 0 ? 1 : t == 1 ? 2 : 7);
        smr_softmax_opts opts = {.l2 = 0.5};
        smr_dual_result out;
        check_ok(ctx,
                 smr_dual_softmax(ctx, &s.problem, s.label, K, &opts, w[t], w[t] + K * D, &out));
        assert_memory_equal(w[t], w[0], sizeof w[0]);
        check_ctx_end(ctx);
    }
}

static void failing_allocations_are_survived(void **unused)
{
    static struct sample s;
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    (void)unused;
    make(&s, true, 1);
    for (int64_t n = 0; st != SMR_OK; n++) {
        double w[V];
        smr_softmax_opts opts = {.l2 = 1};
        smr_dual_result out;
        smr_memory_fail_at(ctx, n);
        st = smr_dual_softmax(ctx, &s.problem, s.label, K, &opts, w, w + K * D, &out);
        smr_memory_fail_at(ctx, -1);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        assert_true(n < 10000);
    }
    check_ctx_end(ctx);
}

static void a_penalty_is_needed(void **unused)
{
    static struct sample s;
    double w[V];
    smr_softmax_opts opts = {.l2 = 0};
    smr_dual_result out;
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make(&s, true, 1);
    assert_int_equal(smr_dual_softmax(ctx, &s.problem, s.label, K, &opts, w, w + K * D, &out),
                     SMR_ERR_PARAM);
    assert_string_equal(smr_ctx_message(ctx), "the dual needs a penalty l2 > 0, not 0");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_newton),
        cmocka_unit_test(the_gap_is_a_bound_all_the_way),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_penalty_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
