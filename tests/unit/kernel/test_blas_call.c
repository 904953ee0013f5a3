/* Long calls into LAPACK: the same bits as short ones, and left at once when cancelled. */
#include "check.h"

#include "core/rng.h"
#include "kernel/blas.h"
#include "kernel/blas_call.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 701 };

static void fill(double *A)
{
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i <= j; i++)
            A[i * N + j] = A[j * N + i] =
                smr_random_unit(5, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j) - 0.3;
}

/* From inside a block, memory cannot be held: the call stays on the caller's thread. */
static void a_call_on_its_own_thread_gives_the_same_bits(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *A = smr_alloc(ctx, N * N, sizeof *A), *w = smr_alloc(ctx, N, sizeof *w);
    double *B = smr_alloc(ctx, N * N + 8, sizeof *B), *v = smr_alloc(ctx, N, sizeof *v);
    int64_t held = smr_ctx_memory(ctx, NULL);
    fill(A);
    fill(B + 8);
    check_ok(ctx, smr_lapack_eigen(ctx, N, A, w));
    check_ok(ctx, smr_lapack_eigen(ctx, N, B + 8, v));
    assert_memory_equal(w, v, sizeof *w * N);
    assert_memory_equal(A, B + 8, sizeof *A * N * N);
    assert_int_equal(smr_ctx_memory(ctx, NULL), held);
    smr_free(A);
    smr_free(B);
    smr_free(w);
    smr_free(v);
    check_ctx_end(ctx);
}

static void a_cancelled_call_is_left_and_ends_alone(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *A = smr_alloc(ctx, N * N, sizeof *A), *w = smr_alloc(ctx, N, sizeof *w);
    int64_t before = smr_ctx_memory(ctx, NULL);
    fill(A);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_lapack_eigen(ctx, N, A, w), SMR_ERR_CANCELLED, "cancelled");
    assert_true(smr_ctx_memory(ctx, NULL) > before); /* still at work */
    smr_free(A);                                     /* which it holds as long as it needs it */
    smr_free(w);
    assert_true(smr_ctx_memory(ctx, NULL) >= before);
    smr_calls_finish();
    check_ctx_end(ctx);
}

/* A child of fork has none of its parent's threads: calls that the parent left will never end
 * there, and must not keep it from ending. */
static void a_forked_child_does_not_wait_for_its_parents_calls(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *A = smr_alloc(ctx, N * N, sizeof *A), *w = smr_alloc(ctx, N, sizeof *w);
    fill(A);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_lapack_eigen(ctx, N, A, w), SMR_ERR_CANCELLED, "cancelled");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20); /* a child that hangs is killed */
        smr_calls_finish();
        _exit(0);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    smr_free(A);
    smr_free(w);
    smr_calls_finish();
    check_ctx_end(ctx);
}

/* A refused allocation leaves no holder behind. */
static void failing_allocations_let_go_of_the_blocks(void **state)
{
    (void)state;
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        double *A = smr_alloc(ctx, N * N, sizeof *A), *w = smr_alloc(ctx, N, sizeof *w);
        fill(A);
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_lapack_eigen(ctx, N, A, w);
        smr_free(A);
        smr_free(w);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_on_its_own_thread_gives_the_same_bits),
        cmocka_unit_test(a_cancelled_call_is_left_and_ends_alone),
        cmocka_unit_test(a_forked_child_does_not_wait_for_its_parents_calls),
        cmocka_unit_test(failing_allocations_let_go_of_the_blocks),
    };
    return cmocka_run_group_tests_name("blas_call", tests, NULL, NULL);
}
