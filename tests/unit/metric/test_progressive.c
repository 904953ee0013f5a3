/* Progressive error against sums by hand; the drift test on made streams. */
#include "check.h"

#include "core/rng.h"
#include "metric/progressive.h"

static double uniform(uint64_t i)
{
    return (double)smr_random_below(7, SMR_STREAM_TEST, i, 3, 1 << 30) / (1 << 30);
}

static void errors_are_the_weighted_mean_of_the_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_progressive *p = NULL;
    double wrong = 0, weight = 0, loss = 0, ring[997], shares[997];
    (void)state;
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_CLASSIFY, true, 3, 1, 37, &p));
    assert_true(isnan(smr_progressive_error(p)));
    for (uint64_t i = 0; i < 997; i++) {
        double q[3] = {0.2 + 0.5 * uniform(i), 0.1, 0}, w = 1 + (double)(i % 3);
        q[2] = 1 - q[0] - q[1];
        int64_t said = q[0] > q[2] ? 0 : 2, is = (int64_t)(i % 5) % 3;
        smr_progressive_class(p, said, is, q, w);
        ring[i] = said != is;
        shares[i] = w;
        wrong += w * ring[i];
        weight += w;
        loss -= w * log(q[is]);
    }
    check_near("error", smr_progressive_error(p), wrong / weight, 1e-14);
    check_near("log loss", p->log_loss / p->weight, loss / weight, 1e-12);
    wrong = weight = 0;
    for (int i = 997 - 37; i < 997; i++) {
        wrong += shares[i] * ring[i];
        weight += shares[i];
    }
    check_near("window", smr_progressive_recent(p), wrong / weight, 1e-14);
    smr_progressive_free(p);
    check_ctx_end(ctx);
}

static void squares_and_distances_are_means_over_outputs(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_progressive *p = NULL;
    (void)state;
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_REGRESS, false, 0, 2, 10, &p));
    smr_progressive_value(p, (double[]){1, 2}, (double[]){2, 5}, 1);  /* 1, 9: mean 5 and 2 */
    smr_progressive_value(p, (double[]){0, 0}, (double[]){0, -2}, 3); /* 0, 4: mean 2 and 1 */
    check_near("mse", smr_progressive_error(p), (5 + 3 * 2) / 4.0, 1e-15);
    check_near("mae", p->absolute / p->weight, (2 + 3 * 1) / 4.0, 1e-15);
    smr_progressive_free(p);
    check_ctx_end(ctx);
}

/* Errors of probability a up to row `change`, then b; returns the row of the first alarm, or 0. */
static int64_t first_alarm(smr_ctx *ctx, double a, double b, int64_t change, int64_t n,
                           smr_drift *drift)
{
    smr_progressive *p = NULL;
    int64_t at = 0;
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_CLASSIFY, false, 2, 1, 0, &p));
    for (int64_t i = 1; i <= n && !at; i++) {
        bool wrong = uniform((uint64_t)i) < (i <= change ? a : b);
        if (smr_progressive_class(p, wrong, 0, NULL, 1)) at = i;
    }
    if (at) *drift = p->drifts[0];
    smr_progressive_free(p);
    return at;
}

static void drift_is_noticed_soon_and_placed_right(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_drift d = {0};
    (void)state;
    int64_t at = first_alarm(ctx, 0.1, 0.4, 5003, 20000, &d);
    assert_in_range(at, 5003 + 20, 5003 + 400); /* (0.4 - 0.1) / 0.3 - 0.1: about 110 rows */
    assert_in_range((int64_t)d.since, 5003 - 60, 5003 + 60);
    assert_true(d.before > 0.08 && d.before < 0.12 && d.after > 0.3 && d.after < 0.55);
    assert_int_equal(first_alarm(ctx, 0.01, 0.3, 30011, 40000, &d) > 30011, 1);
    check_ctx_end(ctx);
}

static void steady_and_falling_errors_give_no_alarm(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_drift d;
    (void)state;
    assert_int_equal(first_alarm(ctx, 0.2, 0.2, 0, 200000, &d), 0);
    assert_int_equal(first_alarm(ctx, 0.001, 0.001, 0, 200000, &d), 0);
    assert_int_equal(first_alarm(ctx, 0.45, 0.1, 10007, 200000, &d), 0);
    check_ctx_end(ctx);
}

static void a_kept_state_goes_on_bit_by_bit(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_progressive *whole = NULL, *half = NULL, *rest = NULL;
    smr_json_doc *doc = NULL, *read = NULL;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_REGRESS, false, 0, 1, 0, &whole));
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_REGRESS, false, 0, 1, 0, &half));
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_REGRESS, false, 0, 1, 0, &rest));
    for (uint64_t i = 0; i < 3001; i++) {
        double said = uniform(i), w = uniform(i + 77);
        double is = uniform(i + 9000) * (i > 2000 ? 90 : i > 700 ? 9 : 1);
        smr_progressive_value(whole, &said, &is, w);
        if (i < 1234) smr_progressive_value(half, &said, &is, w);
        if (i == 1233) {
            check_ok(ctx, smr_json_create(ctx, &doc));
            smr_progressive_keep(half, smr_json_root(doc));
            smr_json_write(smr_json_root(doc), 0, &text);
            check_ok(ctx, smr_json_parse(ctx, text.bytes, text.length, &read));
            smr_progressive_restore(rest, smr_json_root(read));
        }
        if (i >= 1234) smr_progressive_value(rest, &said, &is, w);
        if (i >= 1233) assert_true(smr_progressive_recent(rest) == smr_progressive_recent(whole));
    }
    assert_true(rest->square == whole->square && rest->weight == whole->weight);
    assert_true(rest->walk == whole->walk && rest->since == whole->since);
    assert_int_equal(rest->n_drifts, whole->n_drifts);
    assert_int_equal(whole->n_drifts, 2); /* one in either half */
    assert_true(whole->drifts[0].at < 1234 && whole->drifts[1].at > 1234);
    assert_memory_equal(rest->drifts, whole->drifts, 2 * sizeof *rest->drifts);
    smr_progressive_free(whole);
    smr_progressive_free(half);
    smr_progressive_free(rest);
    smr_json_free(doc);
    smr_json_free(read);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

/* A shorter window takes the newest rows; what is not a list of sizes leaves it as it is. */
static void a_kept_window_fits_any_other(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_progressive *wide = NULL, *narrow = NULL;
    smr_json_doc *doc = NULL, *bad = NULL;
    static const char damaged[] = "{\"recent\":[0,1,\"x\",1],\"recent_weights\":7,"
                                  "\"drift\":[{\"at\":3,\"since\":\"x\"},7]}";
    (void)state;
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_CLASSIFY, false, 2, 1, 40, &wide));
    check_ok(ctx, smr_progressive_create(ctx, SMR_TASK_CLASSIFY, false, 2, 1, 7, &narrow));
    for (int i = 0; i < 95; i++) smr_progressive_class(wide, i >= 91, 0, NULL, 1);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_progressive_keep(wide, smr_json_root(doc));
    smr_progressive_restore(narrow, smr_json_root(doc));
    check_near("error of the last seven", smr_progressive_recent(narrow), 4.0 / 7, 1e-15);
    check_ok(ctx, smr_json_parse(ctx, damaged, (int64_t)strlen(damaged), &bad));
    smr_progressive_restore(narrow, smr_json_root(bad));
    check_near("as before", smr_progressive_recent(narrow), 4.0 / 7, 1e-15);
    assert_int_equal(narrow->n_drifts, 0);
    smr_progressive_free(wide);
    smr_progressive_free(narrow);
    smr_json_free(doc);
    smr_json_free(bad);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_the_weighted_mean_of_the_rows),
        cmocka_unit_test(squares_and_distances_are_means_over_outputs),
        cmocka_unit_test(drift_is_noticed_soon_and_placed_right),
        cmocka_unit_test(a_kept_window_fits_any_other),
        cmocka_unit_test(steady_and_falling_errors_give_no_alarm),
        cmocka_unit_test(a_kept_state_goes_on_bit_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
