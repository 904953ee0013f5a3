/* test_dual_classes.c -- Crammer & Singer's and Weston & Watkins's problems where columns differ in
 * scale.  The objective itself says what is best: none of many other W has less than P - gap,
 * and P is computed here anew. */
#include "check.h"

#include "core/rng.h"
#include "math/optimize/dual_classes.h"

enum { N = 157, D = 7, K = 4 };

struct sample {
    double x[N * D], weight[N];
    int32_t label[N];
    int64_t start[N + 1];
    int32_t column[N * D];
    smr_csr csr;
    smr_dual_problem problem;
};

static double unit(uint64_t a, uint64_t b)
{
    return smr_random_unit(29, SMR_STREAM_TEST, a, b) - 0.5;
}

/* Columns of scales 0.02 to 700, classes that overlap a little. */
static void make(struct sample *s, bool is_sparse, bool is_free)
{
    static const double scale[D] = {0.02, 0.4, 1, 7, 31, 120, 700};
    memset(s, 0, sizeof *s);
    for (int i = 0; i < N; i++) {
        s->label[i] = i % K;
        s->weight[i] = 0.5 + (double)(i % 3) / 2;
        s->start[i + 1] = (i + 1) * D;
        for (int j = 0; j < D; j++) {
            double centre = unit(50 + (uint64_t)j, (uint64_t)s->label[i]);
            s->x[i * D + j] = scale[j] * (centre + 0.7 * unit((uint64_t)j, (uint64_t)i));
            s->column[i * D + j] = j;
        }
    }
    s->csr =
        (smr_csr){.n_rows = N, .n_cols = D, .start = s->start, .column = s->column, .value = s->x};
    s->problem = (smr_dual_problem){.n_rows = N,
                                    .n_cols = D,
                                    .stride = D,
                                    .dtype = SMR_F64,
                                    .weight = s->weight,
                                    .is_free = is_free};
    if (is_sparse)
        s->problem.sparse = &s->csr;
    else
        s->problem.dense = s->x;
}

static double primal(const struct sample *s, bool is_sum, double l2, const double *W,
                     const double *b)
{
    double total = 0;
    for (int a = 0; a < K * D; a++) total += 0.5 * l2 * W[a] * W[a];
    for (int i = 0; i < N; i++) {
        double f[K], sum = 0, top = 0;
        for (int c = 0; c < K; c++) {
            f[c] = b[c];
            for (int j = 0; j < D; j++) f[c] += W[c * D + j] * s->x[i * D + j];
        }
        for (int c = 0; c < K; c++) {
            double miss = fmax(0, 1 + f[c] - f[s->label[i]]);
            if (c == s->label[i]) continue;
            sum += miss;
            top = fmax(top, miss);
        }
        total += s->weight[i] * (is_sum ? sum : top);
    }
    return total;
}

/* 13 passes.  With rows visited one by one the first had a gap of 0.9 P after 1000. */
static void scales_that_differ_take_few_passes(void **unused)
{
    static struct sample s;
    (void)unused;
    for (int how = 0; how < 24; how++) {
        bool is_sum = how % 2, is_free = how / 2 % 2, is_sparse = how / 4 % 2;
        double l2 = how / 8 == 0 ? 1 : how / 8 == 1 ? 0.01 : 30, W[K * D], b[K];
        smr_ctx *ctx = check_ctx(1);
        smr_classes_opts opts = {.is_sum = is_sum, .l2 = l2, .tol = 1e-7, .max_passes = 1000};
        smr_dual_result out;
        make(&s, is_sparse, is_free);
        check_ok(ctx, smr_dual_classes(ctx, &s.problem, s.label, K, &opts, W, b, &out));
        if (!out.converged || out.passes > 40)
            fail_msg("how %d: %d passes, gap %g of %g", how, (int)out.passes, out.gap,
                     out.objective);
        check_near("P", primal(&s, is_sum, l2, W, b), out.objective, 1e-10);
        assert_true(out.gap >= -1e-12 * out.objective && out.gap <= 1e-7 * out.objective);
        assert_true(out.n_support > K && out.n_support < 120);
        for (int other = 0; other < 300; other++) {
            double V[K * D], a[K], by = pow(10, -1 - other % 8);
            for (int c = 0; c < K; c++) {
                a[c] = b[c] + (is_free ? by * unit(900, (uint64_t)(other * K + c)) : 0);
                for (int j = 0; j < D; j++)
                    V[c * D + j] =
                        W[c * D + j] + by * fabs(W[c * D + j]) *
                                           unit(1000 + (uint64_t)j, (uint64_t)(other * K + c));
            }
            assert_true(primal(&s, is_sum, l2, V, a) >= out.objective - out.gap - 1e-9);
        }
        check_ctx_end(ctx);
    }
}

static void failing_allocations_are_survived(void **unused)
{
    static struct sample s;
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    (void)unused;
    make(&s, false, true);
    for (int64_t n = 0; st != SMR_OK; n++) {
        double W[K * D], b[K];
        smr_classes_opts opts = {.is_sum = true, .l2 = 1, .tol = 1e-6};
        smr_dual_result out;
        smr_memory_fail_at(ctx, n);
        st = smr_dual_classes(ctx, &s.problem, s.label, K, &opts, W, b, &out);
        smr_memory_fail_at(ctx, -1);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        assert_true(n < 10000);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_that_differ_take_few_passes),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
