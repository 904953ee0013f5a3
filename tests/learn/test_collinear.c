/* Tables as people have them, full of dependent columns, fit in every CPU tier.
 *
 * One-hot levels and their pairwise products: most columns are dependent, many are zero, and what
 * the QR leaves of them is a remainder near the smallest numbers there are. */
#include "check.h"

#include "kernel/kernel.h"
#include "learn/model.h"

enum { N = 700, LEVELS = 23, D = LEVELS + 2 };

static void fill(double *X, double *y)
{
    for (int i = 0; i < N; i++) {
        int level = (i * i + i / 7) % LEVELS;
        for (int j = 0; j < D; j++) X[i * D + j] = j == level;
        X[i * D + LEVELS] = 0.37 * i - 0.002 * i * (i % 13);
        X[i * D + LEVELS + 1] = 1e5 * (1 + (i % 31)) / (1.7 + i % 5);
        y[i] = 2.5 * (level % 4) + 1e-3 * X[i * D + LEVELS] * (i % 3) + 0.1 * ((i * 37) % 11);
    }
}

static double fit_r2(smr_ctx *ctx, const double *X, const double *y, const char *sentence)
{
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .keep_all = true};
    double *out = smr_alloc(ctx, N, sizeof *out), mean = 0, rss = 0, tss = 0;
    check_ok(ctx, smr_table_from_matrix(ctx, X, N, D, y, &t));
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, out));
    for (int i = 0; i < N; i++) mean += y[i] / N;
    for (int i = 0; i < N; i++) {
        rss += (y[i] - out[i]) * (y[i] - out[i]);
        tss += (y[i] - mean) * (y[i] - mean);
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    return 1 - rss / tss;
}

static void dependent_columns_fit_in_every_tier(void **state)
{
    static const char *const tiers[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    static const char *const sentences[] = {"linear method=qr", "poly 2 | linear",
                                            "poly 2 | linear method=qr"};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *X = smr_alloc(ctx, N * D, sizeof *X), *y = smr_alloc(ctx, N, sizeof *y);
    const char *best = smr_kernel_tier();
    fill(X, y);
    for (int s = 0; s < (CHECK_MEMORY ? 1 : 3); s++) {
        double first = fit_r2(ctx, X, y, sentences[s]);
        assert_true(first > 0.5 && first <= 1);
        for (int k = 0; k < 3; k++)
            if (smr_kernel_use(tiers[k]))
                check_near(tiers[k], fit_r2(ctx, X, y, sentences[s]), first, 1e-7);
        assert_true(smr_kernel_use(best));
    }
    smr_free(X);
    smr_free(y);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dependent_columns_fit_in_every_tier)};
    return cmocka_run_group_tests_name("collinear", tests, NULL, NULL);
}
