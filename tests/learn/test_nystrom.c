/* test_nystrom.c -- the transforms nystrom and fourier: products of features are the kernel. */
#include "learn/kernelled.h"
#include "learn/spec.h"

extern const smr_learner smr_fourier, smr_nystrom;

static double rbf(int64_t d, double gamma, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (u[j] - v[j]) * (u[j] - v[j]);
    return exp(-gamma * sum);
}

static double laplacian(int64_t d, double gamma, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += fabs(u[j] - v[j]);
    return exp(-gamma * sum);
}

static double product(int64_t n, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += u[j] * v[j];
    return sum;
}

static double *features(const struct fitted *f, int64_t n, int64_t d, const double *x, int64_t *r)
{
    *r = f->learner->fitted->transform->n_out(f->params, f->state, d);
    double *z = malloc((size_t)(n * *r) * sizeof *z);
    assert_non_null(z);
    ask(f, n, d, x, SMR_OUTPUT_TRANSFORM, z);
    return z;
}

static void all_rows_as_landmarks_give_the_kernel_itself(void **unused)
{
    enum { N = 50, D = 3 };
    (void)unused;
    double *x = random_matrix(N * D, 1);
    struct matrix_data m;
    int64_t r;
    matrix_data(&m, N, D, 1, x, x, NULL);
    static const char *const choices[] = {"spread", "uniform"};
    for (int c = 0; c < 2; c++) {
        char words[100];
        snprintf(words, sizeof words, "landmarks=80 kernel=rbf(gamma=0.8) choose=%s", choices[c]);
        struct fitted f = fit_ready(&smr_nystrom, words, &m.data, 2);
        double *z = features(&f, N, D, x, &r);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                check_near("K", product(r, z + i * r, z + j * r), rbf(D, 0.8, x + i * D, x + j * D),
                           1e-9);
        assert_true(number(&f, "error") < 1e-9 && number(&f, "worst") < 1e-9);
        free(z);
        end_fitted(&f);
    }
    free(x);
}

/* What is left is a kernel again: |K - zz'|^2 <= e e', and landmarks are met exactly. */
static void error_is_bounded_and_falls_with_the_landmarks(void **unused)
{
    enum { N = 200, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 2), before = 1;
    struct matrix_data m;
    int64_t r;
    matrix_data(&m, N, D, 1, x, x, NULL);
    for (int landmarks = 5; landmarks <= 80; landmarks *= 2) {
        char words[100];
        snprintf(words, sizeof words, "landmarks=%d kernel=rbf(gamma=0.8)", landmarks);
        struct fitted f = fit_ready(&smr_nystrom, words, &m.data, 1);
        double *z = features(&f, N, D, x, &r), lost = 0, worst = 0;
        assert_true(r <= landmarks && whole(&f, "n_points") <= landmarks);
        for (int i = 0; i < N; i++) {
            double e = 1 - product(r, z + i * r, z + i * r);
            assert_true(e > -1e-9);
            lost += e / N;
            worst = fmax(worst, e);
            for (int j = 0; j < i; j++) {
                double other = 1 - product(r, z + j * r, z + j * r);
                double off = rbf(D, 0.8, x + i * D, x + j * D) - product(r, z + i * r, z + j * r);
                assert_true(off * off <= fmax(e, 0) * fmax(other, 0) + 1e-9);
            }
        }
        check_near("trace error", number(&f, "error"), lost, 1e-9); /* all rows are the sample */
        check_near("worst", number(&f, "worst"), worst, 1e-9);
        assert_true(lost < before);
        before = lost;
        free(z);
        end_fitted(&f);
    }
    assert_true(before < 1e-3);
    free(x);
}

/* Four of five rows lie in one cloud, the others in 19: drawn alike, few landmarks see those. */
static void spread_landmarks_lose_less_than_uniform_ones(void **unused)
{
    enum { N = 400, D = 2 };
    (void)unused;
    double *x = random_matrix(N * D, 3), error[2];
    struct matrix_data m;
    for (int i = 0; i < N * D; i++)
        x[i] = 0.1 * x[i] + (i % D == 0 && i >= 320 * D ? 4.0 * (1 + i / D % 19) : 0);
    matrix_data(&m, N, D, 1, x, x, NULL);
    static const char *const words[] = {"landmarks=40 kernel=rbf(gamma=1) choose=spread",
                                        "landmarks=40 kernel=rbf(gamma=1) choose=uniform"};
    for (int c = 0; c < 2; c++) {
        struct fitted f = fit_ready(&smr_nystrom, words[c], &m.data, 1);
        error[c] = number(&f, "error");
        end_fitted(&f);
    }
    assert_true(error[0] < 0.2 * error[1]);
    free(x);
}

static void rows_of_weight_zero_are_no_landmarks(void **unused)
{
    enum { N = 30, D = 1 };
    (void)unused;
    double x[N], weight[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        weight[i] = i % 3 == 0;
    }
    matrix_data(&m, N, D, 1, x, x, weight);
    static const char *const words[] = {"landmarks=25 kernel=rbf(gamma=1) choose=spread",
                                        "landmarks=25 kernel=rbf(gamma=1) choose=uniform"};
    for (int c = 0; c < 2; c++) {
        struct fitted f = fit_ready(&smr_nystrom, words[c], &m.data, 1);
        assert_int_equal(whole(&f, "n_points"), 10);
        assert_int_equal(whole(&f, "n_sample"), 10);
        end_fitted(&f);
    }
    for (int i = 0; i < N; i++) weight[i] = 0;
    check_refused(&smr_nystrom, "landmarks=3", &m.data, 0, "nystrom: there are no training rows");
}

/* Over m frequencies cos has mean K and variance (1 + K(2 delta)) / 2 - K^2 <= 1/2 for rbf: five
 * deviations. */
static void waves_have_the_kernel_as_their_mean(void **unused)
{
    enum { N = 25, D = 3, M = 4000 };
    (void)unused;
    double *x = random_matrix(N * D, 4), limit = 5 / sqrt(2.0 * M);
    struct matrix_data m;
    int64_t r;
    matrix_data(&m, N, D, 1, x, x, NULL);
    static const char *const words[] = {"frequencies=4000 kernel=rbf(gamma=0.3)",
                                        "frequencies=4000 kernel=rbf(gamma=0.3) orthogonal=yes",
                                        "frequencies=4000 kernel=laplacian(gamma=0.3)"};
    double error[3];
    for (int w = 0; w < 3; w++) {
        struct fitted f = fit_ready(&smr_fourier, words[w], &m.data, 2);
        double *z = features(&f, N, D, x, &r), sum = 0, worst = 0;
        assert_int_equal(r, 2 * M);
        for (int i = 0; i < N; i++) {
            check_near("length", product(r, z + i * r, z + i * r), 1, 1e-12);
            for (int j = 0; j < i; j++) {
                double K = w < 2 ? rbf(D, 0.3, x + i * D, x + j * D)
                                 : laplacian(D, 0.3, x + i * D, x + j * D);
                double off = product(r, z + i * r, z + j * r) - K;
                sum += off * off;
                worst = fmax(worst, fabs(off));
            }
        }
        assert_true(worst < limit);
        check_near("worst", number(&f, "worst"), worst, 1e-12);
        error[w] = sqrt(sum / (N * (N - 1) / 2.0));
        check_near("rms", number(&f, "error"), error[w], 1e-12);
        free(z);
        end_fitted(&f);
    }
    assert_true(error[1] < error[0]);
    free(x);
}

static void kernels_without_known_frequencies_are_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static const char *const bad[] = {"kernel=poly", "kernel=rbf+linear"};
    smr_spec *spec = NULL;
    for (int b = 0; b < 2; b++) {
        void *params = make_params(ctx, &smr_fourier, bad[b]);
        assert_int_equal(smr_fourier.word->check_params(ctx, params), SMR_ERR_PARAM);
        assert_non_null(strstr(smr_ctx_message(ctx), "rbf"));
        smr_ctx_clear(ctx);
        smr_params_free(smr_fourier.word, params);
    }
    assert_int_equal(smr_spec_parse(ctx, "fourier kernel=laplacian orthogonal=yes", &spec),
                     SMR_ERR_PARAM);
    assert_string_equal(smr_ctx_message(ctx), "fourier: orthogonal is used only with kernel=rbf");
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    double *x = random_matrix(9 * 2, 3), weight[9] = {1, 2, 0, 1, 1, 3, 1, 1, 1};
    struct matrix_data m;
    matrix_data(&m, 9, 2, 1, x, x, weight);
    check_failing_fits(&smr_nystrom, "landmarks=5", &m.data);
    check_failing_fits(&smr_nystrom, "landmarks=5 choose=uniform", &m.data);
    check_failing_fits(&smr_fourier, "frequencies=3 orthogonal=yes", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_as_landmarks_give_the_kernel_itself),
        cmocka_unit_test(error_is_bounded_and_falls_with_the_landmarks),
        cmocka_unit_test(spread_landmarks_lose_less_than_uniform_ones),
        cmocka_unit_test(rows_of_weight_zero_are_no_landmarks),
        cmocka_unit_test(waves_have_the_kernel_as_their_mean),
        cmocka_unit_test(kernels_without_known_frequencies_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
