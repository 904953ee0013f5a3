/* Intervals: Wilson's against published figures, DeLong's variance against its definition over all
 * pairs, coverage against its binomial band; gains by hand. */
#include "check.h"

#include "core/json.h"
#include "core/rng.h"
#include "math/special.h"
#include "metric/metric.h"
#include "truth/stats.h"

/* Newcombe, Stat. Med. 17 (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29. */
static void wilson_is_newcombes(void **state)
{
    static const struct {
        double hits, n, low, high;
    } want[] = {{81, 263, 0.2553, 0.3662},
                {15, 148, 0.0624, 0.1605},
                {0, 20, 0, 0.1611},
                {1, 29, 0.0061, 0.1718}};
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(want); k++) {
        smr_interval i = smr_wilson(want[k].hits, want[k].n, 0.95);
        check_near("low", i.low, want[k].low, 5e-5);
        check_near("high", i.high, want[k].high, 5e-5);
        smr_interval j = smr_wilson(want[k].n - want[k].hits, want[k].n, 0.95);
        check_near("mirrored", j.low, 1 - i.high, 1e-14);
    }
    assert_true(isnan(smr_wilson(0, 0, 0.95).low));
    assert_true(isnan(smr_wilson(3, 2, 0.95).low));
}

enum { N = 61 };

/* Scores with ties; positives score higher. */
static void make_scores(uint64_t run, int64_t n, double shift, double *score, int32_t *label)
{
    for (int64_t i = 0; i < n; i++) {
        double u = smr_random_unit(run, SMR_STREAM_TEST, 1, (uint64_t)i);
        label[i] = i % 3 == 0;
        score[i] = smr_normal_quantile(fmin(fmax(u, 1e-12), 1 - 1e-12)) + shift * label[i];
    }
}

static double psi(double a, double b)
{
    return a > b ? 1 : a == b ? 0.5 : 0;
}

/* The definition: structural components over all pairs. */
static void delong_is_its_definition(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double score[N], area = 0, v10 = 0, v01 = 0, P = 0, Q = 0;
    int32_t label[N];
    smr_ranking r;
    (void)state;
    make_scores(3, N, 0.7, score, label);
    for (int i = 0; i < N; i++) score[i] = floor(3 * score[i]); /* ties */
    for (int i = 0; i < N; i++) P += label[i];
    Q = N - P;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (label[i] && !label[j]) area += psi(score[i], score[j]) / P / Q;
    for (int i = 0; i < N; i++) {
        double own = 0;
        for (int j = 0; j < N; j++) {
            if (label[i] && !label[j]) own += psi(score[i], score[j]) / Q;
            if (!label[i] && label[j]) own += psi(score[j], score[i]) / P;
        }
        *(label[i] ? &v10 : &v01) += (own - area) * (own - area);
    }
    check_ok(ctx, smr_ranking_make(ctx, N, score, 1, label, 1, NULL, &r));
    check_near("area", smr_ranking_auc(&r), area, 1e-14);
    check_near("variance", smr_ranking_auc_variance(&r), v10 / (P - 1) / P + v01 / (Q - 1) / Q,
               1e-14);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

static void weights_are_repeated_rows_in_every_interval(void **state)
{
    const double s[] = {0.9, 0.8, 0.8, 0.4, 0.3, 0.1}, w[] = {1, 2, 1, 3, 1, 2};
    const int32_t y[] = {1, 1, 0, 1, 0, 0};
    const double s2[] = {0.9, 0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.3, 0.1, 0.1};
    const int32_t y2[] = {1, 1, 1, 0, 1, 1, 1, 0, 0, 0};
    smr_ctx *ctx = check_ctx(1);
    smr_ranking a, b;
    (void)state;
    check_ok(ctx, smr_ranking_make(ctx, 6, s, 1, y, 1, w, &a));
    check_ok(ctx, smr_ranking_make(ctx, 10, s2, 1, y2, 1, NULL, &b));
    check_near("variance", smr_ranking_auc_variance(&a), smr_ranking_auc_variance(&b), 1e-15);
    for (double share = 0.05; share < 1; share += 0.17)
        check_near("gain", smr_ranking_gain(&a, share).found, smr_ranking_gain(&b, share).found,
                   1e-14);
    smr_ranking_release(&a);
    smr_ranking_release(&b);
    check_ctx_end(ctx);
}

/* 2000 samples of two normal distributions one apart: the area is Phi(1 / sqrt 2).  The interval
 * must hold it in 95 % of them, give or take four deviations of a binomial and one per cent for
 * what 60 positives leave of an asymptotic interval. */
static void auc_interval_covers_as_often_as_it_says(void **state)
{
    enum { RUNS = 2000, ROWS = 181 };
    smr_ctx *ctx = check_ctx(1);
    double truth = smr_normal_cdf(sqrt(0.5)), score[ROWS];
    int32_t label[ROWS];
    int covered = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        smr_ranking r;
        make_scores(run + 100, ROWS, 1, score, label);
        check_ok(ctx, smr_ranking_make(ctx, ROWS, score, 1, label, 1, NULL, &r));
        smr_interval i = smr_auc_interval(smr_ranking_auc(&r), smr_ranking_auc_variance(&r), 0.95);
        covered += i.low <= truth && truth <= i.high;
        smr_ranking_release(&r);
    }
    double slack = 4 * sqrt(0.95 * 0.05 / RUNS) + 0.01;
    check_near("coverage", (double)covered / RUNS, 0.95, slack);
    assert_true(isnan(smr_auc_interval(1, 0, 0.95).low));
    check_ctx_end(ctx);
}

/* Rows by score: + - + + | - -: after half of them 2/3 of the positives. */
static void gains_are_worked_by_hand(void **state)
{
    const double s[] = {6, 5, 4, 3, 2, 1};
    const int32_t y[] = {1, 0, 1, 1, 0, 0};
    smr_ctx *ctx = check_ctx(1);
    smr_ranking r;
    int64_t kept[5];
    (void)state;
    check_ok(ctx, smr_ranking_make(ctx, 6, s, 1, y, 1, NULL, &r));
    check_near("half", smr_ranking_gain(&r, 0.5).found, 2.0 / 3, 1e-15);
    check_near("half, lift", smr_ranking_gain(&r, 0.5).lift, 4.0 / 3, 1e-15);
    check_near("a twelfth", smr_ranking_gain(&r, 1.0 / 12).found, 1.0 / 6, 1e-15);
    check_near("all", smr_ranking_gain(&r, 1).found, 1, 0);
    check_near("none", smr_ranking_gain(&r, 0).found, 0, 0);
    assert_true(isnan(smr_ranking_gain(&r, 0).lift));
    int64_t n = smr_ranking_thin(&r, 5, kept);
    assert_true(n <= 5 && kept[0] == 0 && kept[n - 1] == r.n - 1);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

/* A perfect order, cut to any number of points, still goes through (0, 1); so do the corners of a
 * curve with two steps.  A curve that is short enough stays as it is. */
static void thinning_keeps_the_corners(void **state)
{
    enum { YES = 1709, NO = 2311, MOST = 120 };
    static double s[YES + NO];
    static int32_t y[YES + NO];
    int64_t kept[MOST];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t late = 0; late <= 700; late += 350) {
        smr_ranking r;
        for (int64_t i = 0; i < YES + NO;
             i++) { /* YES - late positives, 1000 negatives, the others */
            s[i] = -(double)i;
            y[i] = i < YES - late || (i >= YES - late + 1000 && i < YES + 1000);
        }
        check_ok(ctx, smr_ranking_make(ctx, YES + NO, s, 1, y, 1, NULL, &r));
        for (int64_t most = 7; most <= MOST; most++) {
            int64_t n = smr_ranking_thin(&r, most, kept), corners = 0;
            assert_true(n <= most && kept[0] == 0 && kept[n - 1] == r.n - 1);
            for (int64_t i = 0; i < n; i++) {
                assert_true(i == 0 || kept[i] > kept[i - 1]);
                corners +=
                    kept[i] == YES - late || kept[i] == YES - late + 1000 || kept[i] == YES + 1000;
            }
            if (late && most >= 20) assert_int_equal(corners, 3);
            if (!late) assert_true(corners > 0);
        }
        smr_ranking_release(&r);
    }
    smr_ranking few;
    for (int64_t i = 0; i < MOST - 1; i++) y[i] = i % 3 == 0;
    check_ok(ctx, smr_ranking_make(ctx, MOST - 1, s, 1, y, 1, NULL, &few));
    assert_int_equal(smr_ranking_thin(&few, MOST, kept), MOST);
    smr_ranking_release(&few);
    check_ctx_end(ctx);
}

/* Errors 1, -2, 3, -4: mean square 7.5, sample variance of the squares 43, Student's t(3). */
static void regression_intervals_are_worked_by_hand(void **state)
{
    const double y[] = {1, 0, 3, 0}, f[] = {0, 2, 0, 4};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    smr_regress_input in = {.n = 4, .n_outputs = 1, .y = y, .predicted = f};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_metric_regress_intervals(ctx, &in, 0.95, smr_json_root(doc)));
    const smr_json *all = smr_json_get(smr_json_root(doc), "intervals");
    const smr_json *mse = smr_json_get(all, "mse"), *rmse = smr_json_get(all, "rmse");
    double half = t_975_3 * sqrt(43.0 / 4); /* squares 1, 4, 9, 16 */
    check_near("high", mse->last->number, 7.5 + half, 1e-12);
    check_near("low", mse->first->number, 0, 0);
    check_near("rmse", rmse->last->number, sqrt(7.5 + half), 1e-12);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilson_is_newcombes),
        cmocka_unit_test(delong_is_its_definition),
        cmocka_unit_test(weights_are_repeated_rows_in_every_interval),
        cmocka_unit_test(auc_interval_covers_as_often_as_it_says),
        cmocka_unit_test(gains_are_worked_by_hand),
        cmocka_unit_test(thinning_keeps_the_corners),
        cmocka_unit_test(regression_intervals_are_worked_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
