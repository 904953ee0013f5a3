/* The context: the first cause wins, crumbs are added, options are read by their size. */
#include "check.h"

static void first_cause_wins_until_it_is_cleared(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    assert_int_equal(smr_ctx_status(ctx), SMR_OK);
    assert_string_equal(smr_ctx_message(ctx), "");
    assert_int_equal(smr_fail(ctx, SMR_ERR_DATA, "column %d is empty", 17), SMR_ERR_DATA);
    assert_int_equal(smr_fail(ctx, SMR_ERR_NOMEM, "a later cause"), SMR_ERR_DATA);
    assert_int_equal(smr_ctx_status(ctx), SMR_ERR_DATA);
    assert_string_equal(smr_ctx_message(ctx), "column 17 is empty");
    smr_ctx_clear(ctx);
    assert_int_equal(smr_ctx_status(ctx), SMR_OK);
    assert_string_equal(smr_ctx_message(ctx), "");
    assert_int_equal(smr_fail(ctx, SMR_ERR_IO, "gone"), SMR_ERR_IO);
    check_ctx_end(ctx);
}

static void crumbs_say_where_it_happened(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_fail(ctx, SMR_ERR_NUMERIC, "singular");
    smr_while(ctx, "fitting stage %d, %s", 2, "pca");
    smr_while(ctx, "training");
    assert_string_equal(smr_ctx_message(ctx),
                        "singular (while fitting stage 2, pca) (while training)");
    check_ctx_end(ctx);
}

/* A crumb is added whole or not at all, whatever the lengths. */
static void a_crumb_without_room_is_left_out(void **state)
{
    (void)state;
    static char cause[SMR_MESSAGE_MAX + 100], crumb[200], want[3 * SMR_MESSAGE_MAX];
    for (int n = SMR_MESSAGE_MAX - 60; n < SMR_MESSAGE_MAX + 50; n++)
        for (int m = 1; m < 60; m += 7) {
            smr_ctx *ctx = check_ctx(1);
            memset(cause, 'c', sizeof cause);
            memset(crumb, 'w', sizeof crumb);
            cause[n] = crumb[m] = '\0';
            smr_fail(ctx, SMR_ERR_DATA, "%s", cause);
            smr_while(ctx, "%s", crumb);
            int length = snprintf(want, sizeof want, "%s (while %s)", cause, crumb);
            if (length >= SMR_MESSAGE_MAX) want[SMR_MIN(n, SMR_MESSAGE_MAX - 1)] = '\0';
            assert_string_equal(smr_ctx_message(ctx), want);
            check_ctx_end(ctx);
        }
}

static void options_are_read_as_far_as_their_size(void **state)
{
    (void)state;
    smr_ctx *ctx = NULL;
    assert_int_equal(smr_ctx_create(NULL, &ctx), SMR_OK);
    assert_true(ctx->n_threads >= 1);
    assert_true(ctx->seed == 0 && ctx->memory->limit > 0);
    check_ctx_end(ctx);

    /* A caller of an older header: its struct ends before seed. */
    smr_ctx_opts old = {
        .size = offsetof(smr_ctx_opts, seed), .n_threads = 3, .seed = 99, .memory_limit = 5};
    assert_int_equal(smr_ctx_create(&old, &ctx), SMR_OK);
    assert_int_equal(ctx->n_threads, 3);
    assert_true(ctx->seed == 0 && ctx->memory->limit > 1000000);
    check_ctx_end(ctx);

    /* A caller of a newer header: more fields than we know. */
    struct {
        smr_ctx_opts known;
        char later[64];
    } newer = {.known = {.size = sizeof newer, .n_threads = 2, .seed = 7, .memory_limit = 12345}};
    memset(newer.later, 0xAB, sizeof newer.later);
    assert_int_equal(smr_ctx_create(&newer.known, &ctx), SMR_ERR_PARAM);
    assert_null(ctx);
    newer.known.size = sizeof newer.known;
    assert_int_equal(smr_ctx_create(&newer.known, &ctx), SMR_OK);
    assert_true(ctx->n_threads == 2 && ctx->seed == 7 && ctx->memory->limit == 12345);
    check_ctx_end(ctx);

    smr_ctx_opts many = {.size = sizeof many, .n_threads = 1 << 30};
    assert_int_equal(smr_ctx_create(&many, &ctx), SMR_OK);
    assert_int_equal(ctx->n_threads, 1024);
    check_ctx_end(ctx);
    smr_ctx_destroy(NULL);
}

struct heard {
    int n;
    smr_log_level level;
    char text[SMR_MESSAGE_MAX];
};

static void hear(void *user, smr_log_level level, const char *message)
{
    struct heard *h = user;
    h->n++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", message);
}

static void warnings_reach_the_log(void **state)
{
    (void)state;
    struct heard h = {0};
    smr_ctx_opts opts = {.size = sizeof opts, .log = hear, .log_user = &h};
    smr_ctx *ctx = NULL;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_warn(ctx, "column %s is constant", "age");
    assert_true(h.n == 1 && h.level == SMR_LOG_WARNING);
    assert_string_equal(h.text, "column age is constant");
    smr_info(ctx, "%d rows", 150);
    assert_true(h.n == 2 && h.level == SMR_LOG_INFO);
    assert_int_equal(smr_ctx_status(ctx), SMR_OK); /* a warning is not a failure */
    check_ctx_end(ctx);

    ctx = check_ctx(1);
    smr_warn(ctx, "nobody listens");
    check_ctx_end(ctx);
}

struct seen {
    int n;
    int64_t done, total;
    double figure;
    int answer;
};

static int see(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    struct seen *s = user;
    assert_string_equal(what, "fit");
    s->n++;
    s->done = done;
    s->total = total;
    s->figure = figure;
    return s->answer;
}

static void ticks_report_progress_seldom_and_cancel(void **state)
{
    (void)state;
    struct seen s = {0};
    smr_ctx_opts opts = {.size = sizeof opts, .progress = see, .progress_user = &s};
    smr_ctx *ctx = NULL;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    double begun = smr_now();
    for (int i = 0; i < 2000; i++) check_ok(ctx, smr_tick(ctx, "fit", i, 2000, 0.5));
    int most = 1 + (int)((smr_now() - begun) / 0.1);
    assert_in_range(s.n, 1, most + 1);
    check_ok(ctx, smr_tick(ctx, NULL, 0, 0, NAN)); /* polls only */

    s.answer = 1;
    ctx->progress_last = 0; /* long ago */
    check_fails(ctx, smr_tick(ctx, "fit", 3, 9, 2.5), SMR_ERR_CANCELLED, "cancelled");
    assert_true(s.done == 3 && s.total == 9 && s.figure == 2.5);
    check_ctx_end(ctx);
}

static void cancelling_holds_until_cleared(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_ctx_cancel(ctx);
    for (int i = 0; i < 2; i++) assert_int_equal(smr_tick(ctx, NULL, 0, 0, NAN), SMR_ERR_CANCELLED);
    smr_ctx_clear(ctx);
    check_ok(ctx, smr_tick(ctx, NULL, 0, 0, NAN));
    check_ctx_end(ctx);
}

static void blocks_may_outlive_their_context(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char *copy = smr_strdup(ctx, "still here");
    int64_t peak = 0;
    assert_int_equal(smr_ctx_memory(ctx, &peak), 11);
    assert_int_equal(peak, 11);
    smr_ctx_destroy(ctx);
    assert_string_equal(copy, "still here");
    smr_free(copy);
}

static void growing_a_block_keeps_its_bytes(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int32_t *x = smr_alloc(ctx, 5, sizeof *x);
    for (int32_t i = 0; i < 5; i++) {
        assert_int_equal(x[i], 0);
        x[i] = 3 * i + 2;
    }
    int32_t *y = smr_realloc(ctx, x, 1000003, sizeof *y);
    for (int32_t i = 0; i < 5; i++) assert_int_equal(y[i], 3 * i + 2);
    assert_int_equal((uintptr_t)y % 64, 0);
    y = smr_realloc(ctx, y, 2, sizeof *y);
    assert_true(y[0] == 2 && y[1] == 5);
    assert_int_equal(smr_ctx_memory(ctx, NULL), 8);
    smr_memory_fail_at(ctx, 0);
    assert_null(smr_realloc(ctx, y, 100, sizeof *y));
    assert_true(y[0] == 2 && y[1] == 5);
    smr_free(y);
    check_ctx_end(ctx);
}

/* Large blocks are moved by the system, with others in the way and without. */
static void growing_a_large_block_keeps_its_bytes(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const int64_t sizes[] = {5000011, 11000003, 40000017, 4600001, 33000029, 97};
    unsigned char *x = NULL, *others[SMR_COUNT(sizes)];
    int64_t known = 0, rest = 0;
    for (int64_t k = 0; k < SMR_COUNT(sizes); k++) {
        int64_t n = sizes[k];
        x = smr_realloc(ctx, x, n, 1);
        assert_non_null(x);
        assert_int_equal((uintptr_t)x % 64, 0);
        for (int64_t i = 0; i < SMR_MIN(known, n); i++)
            if (x[i] != (unsigned char)(i * 7 % 253)) fail_msg("byte %d is lost", (int)i);
        for (int64_t i = known; i < n; i++) x[i] = (unsigned char)(i * 7 % 253);
        known = n;
        others[k] = smr_alloc(ctx, 4200000 + 17 * k, 1);
        rest += 4200000 + 17 * k;
        assert_int_equal(smr_ctx_memory(ctx, NULL), n + rest);
    }
    for (int64_t k = 0; k < SMR_COUNT(sizes); k++) smr_free(others[k]);
    smr_free(x);
    check_ctx_end(ctx);

    ctx = check_ctx(1);
    x = smr_alloc(ctx, 5000011, 1);
    x[5000010] = 77;
    smr_memory_fail_at(ctx, 0);
    assert_null(smr_realloc(ctx, x, 9000000, 1));
    assert_int_equal(x[5000010], 77);
    assert_int_equal(smr_ctx_memory(ctx, NULL), 5000011);
    smr_free(x);
    check_ctx_end(ctx);
}

static void what_is_given_back_is_not_counted_and_the_rest_stays(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 5 * SMR_HUGE_PAGE + 100000, lo = SMR_HUGE_PAGE - 7, hi = 3 * SMR_HUGE_PAGE + 99;
    unsigned char *x = smr_alloc_raw(ctx, n, 1);
    for (int64_t i = 0; i < n; i++) x[i] = (unsigned char)(i % 251);
    smr_give_back(x, 17, 1000); /* less than a page: nothing happens */
    assert_int_equal(smr_ctx_memory(ctx, NULL), n);
    smr_give_back(x, lo, hi);
    assert_int_equal(smr_ctx_memory(ctx, NULL), n - 2 * SMR_HUGE_PAGE);
    for (int64_t i = 0; i < n; i++)
        if ((i < SMR_HUGE_PAGE || i >= 3 * SMR_HUGE_PAGE) && x[i] != i % 251)
            fail_msg("byte %d is lost", (int)i);
    smr_give_back(x, 4 * SMR_HUGE_PAGE, n + 5); /* to the end: small pages too */
    assert_true(smr_ctx_memory(ctx, NULL) <= 2 * SMR_HUGE_PAGE + 65536);
    smr_give_back(x, n + 10, n + 20);
    x[n - 1] = 1; /* still there to be written */
    smr_free(x);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_cause_wins_until_it_is_cleared),
        cmocka_unit_test(crumbs_say_where_it_happened),
        cmocka_unit_test(a_crumb_without_room_is_left_out),
        cmocka_unit_test(options_are_read_as_far_as_their_size),
        cmocka_unit_test(warnings_reach_the_log),
        cmocka_unit_test(ticks_report_progress_seldom_and_cancel),
        cmocka_unit_test(cancelling_holds_until_cleared),
        cmocka_unit_test(blocks_may_outlive_their_context),
        cmocka_unit_test(growing_a_block_keeps_its_bytes),
        cmocka_unit_test(growing_a_large_block_keeps_its_bytes),
        cmocka_unit_test(what_is_given_back_is_not_counted_and_the_rest_stays),
    };
    return cmocka_run_group_tests_name("ctx", tests, NULL, NULL);
}
