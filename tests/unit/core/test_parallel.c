/* The pool: every task once, lowest failure wins, nested regions run, cancelling stops. */
#include "check.h"

struct tally {
    int64_t n;
    int *seen;
    int64_t fail_from;
};

static smr_status mark(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct tally *t = arg;
    (void)lane;
    t->seen[task]++;
    if (task >= t->fail_from)
        return smr_fail(ctx, SMR_ERR_DATA, "task %lld is bad", (long long)task);
    return SMR_OK;
}

static void every_task_runs_once_at_any_thread_count(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 7; threads += 2) {
        smr_ctx *ctx = check_ctx(threads);
        int seen[997] = {0};
        struct tally t = {.n = 997, .seen = seen, .fail_from = INT64_MAX};
        for (int round = 1; round <= 50; round++) {
            check_ok(ctx, smr_parallel(ctx, NULL, t.n, mark, &t));
            for (int i = 0; i < 997; i++) assert_int_equal(seen[i], round);
        }
        check_ctx_end(ctx);
    }
}

static void lowest_failing_task_gives_the_message(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        smr_ctx *ctx = check_ctx(1 + round % 7);
        int seen[101] = {0};
        struct tally t = {.n = 101, .seen = seen, .fail_from = 13};
        check_fails(ctx, smr_parallel(ctx, NULL, t.n, mark, &t), SMR_ERR_DATA, "task 13 is bad");
        check_ctx_end(ctx);
    }
}

static smr_status nest(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct tally *all = arg;
    (void)lane;
    struct tally inner = {.n = 10, .seen = all->seen + 10 * task, .fail_from = INT64_MAX};
    return smr_parallel(ctx, NULL, inner.n, mark, &inner);
}

static void nested_regions_run_serially_inside_a_task(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(4);
    int seen[100] = {0};
    struct tally t = {.n = 10, .seen = seen};
    check_ok(ctx, smr_parallel(ctx, NULL, 10, nest, &t));
    for (int i = 0; i < 100; i++) assert_int_equal(seen[i], 1);
    check_ctx_end(ctx);
}

static smr_status cancel_at_five(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    (void)lane;
    if (task == 5) smr_ctx_cancel(arg);
    return SMR_OK;
}

static void cancelling_stops_between_tasks(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        smr_ctx *ctx = check_ctx(threads);
        check_fails(ctx, smr_parallel(ctx, NULL, 1000000, cancel_at_five, ctx), SMR_ERR_CANCELLED,
                    "cancelled");
        check_ctx_end(ctx);
    }
}

static void memory_is_counted_limited_and_made_to_fail(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    void *a = smr_alloc(ctx, 1000, 8);
    assert_int_equal(smr_ctx_memory(ctx, NULL), 8000);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_null(smr_alloc(ctx, INT64_MAX / 4, 8));
    smr_ctx_clear(ctx);
    smr_memory_fail_at(ctx, 1);
    void *b = smr_alloc(ctx, 3, 1);
    assert_non_null(b);
    assert_null(smr_alloc(ctx, 3, 1));
    assert_int_equal(smr_ctx_status(ctx), SMR_ERR_NOMEM);
    smr_free(b);
    smr_ctx_clear(ctx);
    check_fails(ctx, smr_memory_check(ctx, 1e18, "knn", "use fewer rows"), SMR_ERR_NOMEM,
                "knn needs 1000000000000.0 MB");
    smr_free(a);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once_at_any_thread_count),
        cmocka_unit_test(lowest_failing_task_gives_the_message),
        cmocka_unit_test(nested_regions_run_serially_inside_a_task),
        cmocka_unit_test(cancelling_stops_between_tasks),
        cmocka_unit_test(memory_is_counted_limited_and_made_to_fail),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
