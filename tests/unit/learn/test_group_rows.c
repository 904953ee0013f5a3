/* test_group_rows.c -- k-means of small matrices: a minimum, no worse with more starts. */
#include "check.h"

#include "core/rng.h"
#include "learn/cluster/group_rows.h"

static void fill(double *x, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) x[i] = smr_random_unit(seed, SMR_STREAM_TEST, 7, (uint64_t)i);
}

static void rows_are_with_the_nearest_mean(void **unused)
{
    enum { N = 1500, D = 3, K = 9 };
    double x[N * D], mean[K * D] = {0}, count[K] = {0}, squares, sum = 0;
    int32_t label[N], again[N];
    (void)unused;
    smr_ctx *ctx = check_ctx(1), *other = check_ctx(7);
    fill(x, N * D, 3);
    check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){N, D, x, NULL, K, 3}, label, &squares));
    check_ok(other, smr_group_rows(other, &(smr_grouping){N, D, x, NULL, K, 3}, again, NULL));
    assert_memory_equal(label, again, sizeof label);
    for (int i = 0; i < N; i++) count[label[i]]++;
    for (int i = 0; i < N * D; i++) mean[label[i / D] * D + i % D] += x[i] / count[label[i / D]];
    for (int i = 0; i < N; i++) {
        double own = 0;
        for (int c = -1; c < K; c++) {
            double square = 0;
            const double *m = mean + (c < 0 ? label[i] : c) * D;
            for (int j = 0; j < D; j++) square += (x[i * D + j] - m[j]) * (x[i * D + j] - m[j]);
            if (c < 0) own = square;
            assert_true(own <= square * (1 + 1e-12));
        }
        sum += own;
    }
    check_near("squares", squares, sum, 1e-9 * sum);
    check_ctx_end(ctx);
    check_ctx_end(other);
}

static void more_starts_are_no_worse_and_sometimes_better(void **unused)
{
    enum { N = 400, D = 2, K = 12 };
    double x[N * D];
    int32_t label[N];
    int better = 0;
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    for (uint64_t seed = 0; seed < 6; seed++) {
        double one, many;
        fill(x, N * D, 20 + seed);
        check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){N, D, x, NULL, K, 1}, label, &one));
        check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){N, D, x, NULL, K, 15}, label, &many));
        assert_true(many <= one);
        better += many < one * (1 - 1e-6);
    }
    assert_true(better > 0);
    check_ctx_end(ctx);
}

static void no_cluster_is_empty(void **unused)
{
    double x[] = {0, 0, 0, 0, 0, 5, 9, 9};
    int32_t label[8];
    int count[3] = {0};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){8, 1, x, NULL, 3, 1}, label, NULL));
    for (int i = 0; i < 8; i++) count[label[i]]++;
    assert_true(count[0] && count[1] && count[2]);
    assert_true(label[5] != label[0] && label[5] != label[6] && label[6] == label[7]);
    check_ctx_end(ctx);
}

/* A row of weight 3 is the row three times: the same groups, squares and centres. */
static void weights_are_rows_repeated(void **unused)
{
    enum { N = 300, K = 5 };
    double x[2 * N], w[N], all[6 * N], few, many;
    int32_t label[N], labels[3 * N];
    int64_t n = 0, of[3 * N];
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    fill(x, 2 * N, 8);
    for (int i = 0; i < N; i++) {
        x[2 * i] += 3.0 * (i % K);
        w[i] = 1 + i % 3;
        for (int c = 0; c < w[i]; c++, n++) {
            all[2 * n] = x[2 * i];
            all[2 * n + 1] = x[2 * i + 1];
            of[n] = i;
        }
    }
    check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){N, 2, x, w, K, 20}, label, &few));
    check_ok(ctx, smr_group_rows(ctx, &(smr_grouping){n, 2, all, NULL, K, 20}, labels, &many));
    check_near("squares", few, many, 1e-9 * many);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j += 17)
            assert_int_equal(labels[i] == labels[j], label[of[i]] == label[of[j]]);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_with_the_nearest_mean),
        cmocka_unit_test(more_starts_are_no_worse_and_sometimes_better),
        cmocka_unit_test(no_cluster_is_empty),
        cmocka_unit_test(weights_are_rows_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
