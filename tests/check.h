/* check.h -- what every test file includes: cmocka, a context, and checks with a reason. */
#ifndef SMR_TESTS_CHECK_H
#define SMR_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/parallel.h"

#include <math.h>

/* What a sanitizer is asked to show: memory errors, races, or nothing. */
#if defined(__SANITIZE_THREAD__)
enum { CHECK_RACES = 1, CHECK_MEMORY = 0 };
#elif defined(__SANITIZE_ADDRESS__)
enum { CHECK_RACES = 0, CHECK_MEMORY = 1 };
#else
enum { CHECK_RACES = 0, CHECK_MEMORY = 0 };
#endif
/* Under either, what is compared on ever more input is compared on less: the plain build does the
 * rest. */
enum { CHECK_LESS = CHECK_RACES || CHECK_MEMORY };

/* For a long test of numbers on one thread, or on threads that a shorter one also runs: under
 * ThreadSanitizer it would show nothing, and counts as skipped. */
static inline void check_no_races(void)
{
    if (CHECK_RACES) skip();
}

/* For one of numbers or of sizes alone, whose code shorter ones run as well: no sanitizer would
 * show anything, and it counts as skipped. */
static inline void check_no_sanitizer(void)
{
    if (CHECK_LESS) skip();
}

static inline smr_ctx *check_ctx(int n_threads)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = n_threads};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    return ctx;
}

/* Ends a context and checks that nothing it counted is still held. */
static inline void check_ctx_end(smr_ctx *ctx)
{
    smr_pool_destroy(ctx);
    int64_t held = smr_ctx_memory(ctx, NULL);
    if (held != 0) fail_msg("%lld bytes were not released", (long long)held);
    smr_ctx_destroy(ctx);
}

/* The call succeeds; else its message is shown. */
#define check_ok(ctx, call)                                                    \
    do {                                                                       \
        if ((call) != SMR_OK) fail_msg("%s: %s", #call, smr_ctx_message(ctx)); \
    } while (0)

/* The call fails with this status, and its message holds `part`; the context is cleared. */
#define check_fails(ctx, call, expected, part)                                                    \
    do {                                                                                          \
        smr_status got_ = (call);                                                                 \
        if (got_ != (expected) || !strstr(smr_ctx_message(ctx), (part)))                          \
            fail_msg("%s: status %d, message '%s'; wanted status %d with '%s'", #call, (int)got_, \
                     smr_ctx_message(ctx), (int)(expected), (part));                              \
        smr_ctx_clear(ctx);                                                                       \
    } while (0)

/* |got - want| <= tolerance * max(1, |want|); equal infinities and two NaN are equal. */
#define check_near(what, got, want, tolerance)                                                   \
    do {                                                                                         \
        double got_ = (got), want_ = (want), tol_ = (tolerance);                                 \
        bool same_ = (isnan(got_) && isnan(want_)) || got_ == want_ ||                           \
                     fabs(got_ - want_) <= tol_ * fmax(1, fabs(want_));                          \
        if (!same_)                                                                              \
            fail_msg("%s: got %.17g, wanted %.17g (tolerance %.3g)", (what), got_, want_, tol_); \
    } while (0)

#endif
