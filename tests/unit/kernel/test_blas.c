/* A program that is samara's alone needs none of the threads that LAPACK's library starts. */
#include "check.h"

#include "kernel/blas.h"

static int threads_of_process(void)
{
    char line[256];
    int n = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "Threads:", 8) == 0) n = atoi(line + 8);
    if (f) fclose(f);
    return n;
}

static void factor(smr_ctx *ctx, double *L)
{
    enum { N = 301 };
    bool positive = false;
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            L[i + j * N] = (i == j ? 7.25 : 0) + 1 / (1.5 + (double)(i + j));
    check_ok(ctx, smr_lapack_cholesky(ctx, N, L, &positive));
    assert_true(positive);
}

static void claiming_ends_the_threads_of_openblas_and_changes_no_bit(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *before = smr_alloc(ctx, 301 * 301, sizeof *before);
    double *after = smr_alloc(ctx, 301 * 301, sizeof *after);
    factor(ctx, before);
    for (int k = 0; k < 2; k++) {
        smr_blas_claim();
        factor(ctx, after);
        assert_memory_equal(before, after, 301 * 301 * sizeof *after);
        if (strstr(smr_blas_info(), "threads, used on one") && !CHECK_RACES)
            assert_int_equal(threads_of_process(), 1); /* ThreadSanitizer has one of its own */
    }
    smr_free(before);
    smr_free(after);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claiming_ends_the_threads_of_openblas_and_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
