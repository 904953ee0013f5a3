/* Measures of intervals and sets, against worked figures. */
#include "check.h"

#include "metric/metric.h"

static void intervals_by_hand(void **state)
{
    static const double y[] = {1, 2, 3, 4.5}, weight[] = {1, 2, 0, 1};
    static const double in[] = {0, 2, 2, 3, 9, 9.5, 5, 7}; /* in, in (its end), out, out by 0.5 */
    smr_interval_input all = {.n = 4, .n_outputs = 1, .y = y, .interval = in, .promised = 0.8};
    smr_interval_measures m = smr_interval_measure(&all);
    (void)state;
    check_near("coverage", m.coverage, 0.5, 1e-15);
    check_near("width", m.width, (2 + 1 + 0.5 + 2) / 4.0, 1e-15);
    check_near("score", m.score, (2 + 1 + (0.5 + 10 * 6) + (2 + 10 * 0.5)) / 4, 1e-13);
    all.weight = weight;
    m = smr_interval_measure(&all);
    check_near("weighted coverage", m.coverage, 0.75, 1e-15);
    check_near("weighted width", m.width, (2 + 2 * 1 + 2) / 4.0, 1e-15);
    check_near("weighted score", m.score, (2 + 2 * 1 + 2 + 10 * 0.5) / 4, 1e-13);
}

static void infinite_intervals_cover_and_are_infinitely_wide(void **state)
{
    static const double y[] = {1, 2}, in[] = {-INFINITY, INFINITY, 1, 3};
    smr_interval_input all = {.n = 1, .n_outputs = 2, .y = y, .interval = in, .promised = 0.9};
    smr_interval_measures m = smr_interval_measure(&all);
    (void)state;
    assert_true(m.coverage == 1 && m.width == INFINITY && m.score == INFINITY);
}

static void sets_by_hand(void **state)
{
    static const int32_t label[] = {0, 1, 2, 1};
    static const double set[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1}, weight[] = {3, 1, 1, 2};
    smr_set_input in = {.n = 4, .n_classes = 3, .label = label, .set = set, .promised = 0.9};
    smr_set_measures m = smr_set_measure(&in);
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    (void)state;
    check_near("coverage", m.coverage, 0.5, 1e-15);
    check_near("size", m.size, 6 / 4.0, 1e-15);
    check_near("empty", m.empty, 0.25, 1e-15);
    check_near("single", m.single, 0.25, 1e-15);
    in.weight = weight;
    m = smr_set_measure(&in);
    check_near("coverage", m.coverage, 4 / 7.0, 1e-15);
    check_near("size", m.size, (3 + 3 + 0 + 4) / 7.0, 1e-15);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_metric_sets(&in, smr_json_root(doc));
    check_near("json", smr_json_get_number(smr_json_root(doc), "set_single", -1), 3 / 7.0, 1e-15);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_by_hand),
        cmocka_unit_test(infinite_intervals_cover_and_are_infinitely_wide),
        cmocka_unit_test(sets_by_hand),
    };
    return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}
