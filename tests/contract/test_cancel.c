/* test_cancel.c -- a fit that is cancelled at any of its ticks says so, leaves nothing behind, and
 * the next one gives the model it would have given; a long one stops within a tenth of a second. */
#include "fixtures.h"

#include "core/ctx.h"

#include <pthread.h>
#include <time.h>

enum { ROWS = 150, COLS = 4, TRIES = 400, LARGE = CHECK_LESS ? 12000 : 60000, WIDE = 24 };

/* Every one of the first ticks, then fewer and fewer. */
static int64_t next_tick(int64_t n)
{
    return n < 12 ? n + 1 : n + n / 3;
}

static void check_every_tick(smr_ctx *ctx, const struct subject *s, const smr_table *t)
{
    const char *sentence = s->sentence;
    int64_t n = 1, held = smr_ctx_memory(ctx, NULL), tries = 0;
    for (;; n = next_tick(n), tries++) {
        smr_cancel_at(ctx, n);
        smr_model *m = fixture_train(ctx, sentence, t, s->task, NULL);
        smr_cancel_at(ctx, 0);
        if (m) {
            smr_model_free(m);
            break;
        }
        if (smr_ctx_status(ctx) != SMR_ERR_CANCELLED)
            fail_msg("%s, tick %lld: %s", sentence, (long long)n, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
        if (smr_ctx_memory(ctx, NULL) > held)
            fail_msg("%s, tick %lld: %lld bytes are left", sentence, (long long)n,
                     (long long)(smr_ctx_memory(ctx, NULL) - held));
        assert_true(tries < TRIES);
    }
    smr_ctx_clear(ctx);
}

static char *bytes_of(smr_ctx *ctx, const struct subject *s, const smr_table *t, int64_t *length)
{
    char *bytes = NULL;
    smr_model *m = must_train(ctx, s, t, NULL);
    check_ok(ctx, smr_model_write(ctx, m, &bytes, length));
    smr_model_free(m);
    return bytes;
}

/* Lanes of a pool stay; what they hold is made by the first fit. */
static void fits_are_cancelled_at_every_tick(smr_ctx *unused, const struct subject *s)
{
    (void)unused;
    for (int threads = 1; threads <= 2; threads++) {
        smr_ctx *ctx = check_ctx(threads);
        smr_table *t = fixture_sized(ctx, fixture_for(s->task), ROWS, COLS);
        int64_t n[2];
        char *before = bytes_of(ctx, s, t, &n[0]);
        check_every_tick(ctx, s, t);
        char *after = bytes_of(ctx, s, t, &n[1]);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(before, after, (size_t)n[0]);
        smr_string_free(before);
        smr_string_free(after);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* ---- how soon --------------------------------------------------------------------------- */

struct stopping {
    smr_ctx *ctx;
    double asked, used; /* when it was; the processor's time then */
    double wait;
    atomic_int ended;
};

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *stop_later(void *arg)
{
    struct stopping *s = arg;
    double begin = smr_now();
    while (smr_now() - begin < s->wait && !atomic_load(&s->ended)) {
        struct timespec t = {.tv_nsec = 1000000};
        nanosleep(&t, NULL);
    }
    s->asked = smr_now();
    s->used = processor_time();
    smr_ctx_cancel(s->ctx);
    return NULL;
}

/* Seconds between asking and the end of the fit, of the clock or of the processor, which others use
 * as well; 0: it had ended before. */
static double time_to_stop(const struct subject *s, const smr_table *t, double wait)
{
    smr_ctx *ctx = check_ctx(2);
    struct stopping stop = {.ctx = ctx, .wait = wait};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_later, &stop), 0);
    smr_model *m = fixture_train(ctx, s->sentence, t, s->task, NULL);
    double end = smr_now(), used = processor_time();
    atomic_store(&stop.ended, 1);
    pthread_join(thread, NULL);
    double took = m ? 0 : fmin(end - stop.asked, used - stop.used);
    smr_ctx_clear(ctx);
    smr_model_free(m);
    check_ctx_end(ctx);
    return took;
}

/* The least of some tries: others have the cores as well. */
static void large_fits_stop_within_a_tenth_of_a_second(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture_sized(ctx, fixture_for(s->task), LARGE, WIDE);
    double least = INFINITY, limit = CHECK_RACES || CHECK_MEMORY ? 2 : 0.1;
    for (int k = 0; k < 5 && least > limit; k++)
        least = fmin(least, time_to_stop(s, t, 0.12 + 0.05 * k));
    if (least > limit) fail_msg("%s: it stopped after %.3f s", s->name, least);
    smr_table_free(t);
}

/* ---- all of them ------------------------------------------------------------------------ */

static const struct check checks[] = {
    CHECK(fits_are_cancelled_at_every_tick),
    CHECK(large_fits_stop_within_a_tenth_of_a_second),
};

int main(void)
{
    return run_suite(&(struct suite){.name = "cancelling",
                                     .checks = checks,
                                     .n_checks = SMR_COUNT(checks),
                                     .threads = 1,
                                     .of_sequences = true});
}
