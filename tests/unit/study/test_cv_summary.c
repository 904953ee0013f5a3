/* test_cv_summary.c -- mean, spread and the corrected interval.
 *
 * Expected figures: tests/truth/stats.py, by Student's quantiles in closed form. */
#include "check.h"

#include "study/cv.h"
#include "truth/stats.h"

static const double *const ROUNDS = cv_rounds;

static void five_folds_match_the_closed_form(void **state)
{
    smr_cv_summary s = smr_cv_summary_of(ROUNDS, 5, 1, 0.25, 0.95);
    (void)state;
    assert_int_equal(s.n, 5);
    check_near("mean", s.mean, cv_rounds_summary[0], 1e-15);
    check_near("sd", s.sd, cv_rounds_summary[1], 1e-14);
    check_near("se", s.se, cv_rounds_summary[2], 1e-14);
    check_near("low", s.low, cv_rounds_summary[3], 1e-13);
    check_near("high", s.high, cv_rounds_summary[4], 1e-13);
    check_near("90 %", smr_cv_summary_of(ROUNDS, 5, 1, 0.25, 0.90).low, cv_rounds_summary[5],
               1e-13);
}

/* Every second value, and undefined ones left out: the same five. */
static void undefined_rounds_are_left_out(void **state)
{
    double x[16];
    (void)state;
    for (int i = 0; i < 16; i++) x[i] = i % 2 ? 77 : NAN;
    for (int i = 0; i < 5; i++) x[2 * (i < 3 ? i : i + 2)] = ROUNDS[i];
    smr_cv_summary s = smr_cv_summary_of(x, 8, 2, 0.25, 0.95);
    assert_int_equal(s.n, 5);
    check_near("mean", s.mean, cv_rounds_summary[0], 1e-15);
    check_near("high", s.high, cv_rounds_summary[4], 1e-13);
}

static void few_rounds_have_no_spread(void **state)
{
    double one[] = {NAN, 0.25, NAN}, same[] = {1, 1, 1};
    smr_cv_summary s = smr_cv_summary_of(one, 3, 1, 0.25, 0.95);
    (void)state;
    assert_int_equal(s.n, 1);
    assert_true(s.mean == 0.25);
    assert_true(isnan(s.sd) && isnan(s.se) && isnan(s.low) && isnan(s.high));
    s = smr_cv_summary_of(one, 1, 1, 0.25, 0.95);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.mean));
    s = smr_cv_summary_of(same, 3, 1, 0.25, 0.95);
    assert_true(s.mean == 1 && s.sd == 0 && s.low == 1 && s.high == 1);
}

/* Far from 0 the spread keeps its digits. */
static void a_common_offset_does_not_drown_the_spread(void **state)
{
    double x[5];
    (void)state;
    for (int i = 0; i < 5; i++) x[i] = 0x1p30 + i;
    check_near("sd", smr_cv_summary_of(x, 5, 1, 0, 0.95).sd, sqrt(2.5), 1e-15);
}

/* The interval ends where the measure ends, and not before. */
static void intervals_stay_within_the_measure(void **state)
{
    static const struct {
        const char *name;
        smr_task task;
        double low, high;
    } cases[] = {
        {"accuracy", SMR_TASK_CLASSIFY, 0, 1},  {"top3_error", SMR_TASK_CLASSIFY, 0, 1},
        {"matthews", SMR_TASK_CLASSIFY, -1, 1}, {"kappa", SMR_TASK_CLASSIFY, -1, 1},
        {"brier", SMR_TASK_CLASSIFY, 0, 2},     {"log_loss", SMR_TASK_CLASSIFY, 0, 9},
        {"r2", SMR_TASK_REGRESS, -9, 1},        {"explained_variance", SMR_TASK_REGRESS, -9, 1},
        {"rmse", SMR_TASK_REGRESS, 0, 9}};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        smr_cv_summary s = {.low = -9, .high = 9};
        smr_cv_summary_bound(&s, smr_measure_find(cases[i].name, cases[i].task));
        if (s.low != cases[i].low || s.high != cases[i].high)
            fail_msg("%s: %g to %g", cases[i].name, s.low, s.high);
    }
    smr_cv_summary none = {.low = NAN, .high = NAN};
    smr_cv_summary_bound(&none, smr_measure_find("r2", SMR_TASK_REGRESS));
    assert_true(isnan(none.low) && isnan(none.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_folds_match_the_closed_form),
        cmocka_unit_test(undefined_rounds_are_left_out),
        cmocka_unit_test(few_rounds_have_no_spread),
        cmocka_unit_test(intervals_stay_within_the_measure),
        cmocka_unit_test(a_common_offset_does_not_drown_the_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
