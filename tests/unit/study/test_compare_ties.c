/* A league of models that are equal, or nearly so. */
#include "pipeline.h"

#include "study/compare.h"
#include "truth/stats.h"

/* One model that adds up in another order is the same; wins and losses that cancel leave 0. */
static void differences_of_rounding_are_none(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double best[4], same[4], even[4];
    smr_league_rounds of = {.n = 4, .per_repeat = 4, .test_over_train = 0.25, .confidence = 0.95};
    (void)state;
    for (int r = 0; r < 4; r++) {
        best[r] = 26.7 + noise(r, 0);
        same[r] = best[r] * (1 + (r % 2 ? 3e-15 : -4e-15));
        even[r] = best[r] + (r == 0 ? 0.3 : r == 1 ? -0.1 : r == 2 ? -0.2 + 1e-15 : 0);
    }
    smr_contender list[] = {{.model = "same", .score = same}, {.model = "best", .score = best}};
    check_ok(ctx, smr_compare_rank(ctx, list, 2, &of));
    for (int i = 0; i < 2; i++) {
        assert_true(list[i].behind.mean == 0);
        assert_int_equal(list[i].won + list[i].lost, 0);
    }
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "same");
    smr_contender two[] = {{.model = "even", .score = even}, {.model = "best", .score = best}};
    check_ok(ctx, smr_compare_rank(ctx, two, 2, &of));
    assert_true(two[1].behind.mean == 0 && two[1].behind.sd > 0.1);
    check_ctx_end(ctx);
}

static void equals_share_wins_and_keep_their_order(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double second[5], first[5], same[5];
    memcpy(second, league[1], sizeof second);
    memcpy(first, league[0], sizeof first);
    memcpy(same, first, sizeof same);
    smr_league_rounds of = {.n = 5,
                            .per_repeat = 5,
                            .higher_is_better = true,
                            .test_over_train = 0.25,
                            .confidence = 0.95};
    smr_contender list[] = {{.model = "second", .score = second},
                            {.model = "first", .score = first},
                            {.model = "twin", .score = same}};
    (void)state;
    check_ok(ctx, smr_compare_rank(ctx, list, 3, &of));
    assert_string_equal(list[0].model, "first");
    assert_string_equal(list[1].model, "twin");
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "same");
    assert_true(list[1].p == 1);
    assert_int_equal(list[0].wins, 5);
    assert_int_equal(list[1].wins, 5);
    assert_int_equal(list[2].wins, 1); /* round 2 is a tie of all three */
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_of_rounding_are_none),
        cmocka_unit_test(equals_share_wins_and_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
