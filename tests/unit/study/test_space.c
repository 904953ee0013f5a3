/* The search space: what is read, what is refused, and which points come of it. */
#include "check.h"
#include "said_study.h"

#include "core/number.h"
#include "study/space.h"

static smr_space *space_of(smr_ctx *ctx, const char *sentence, const char *over)
{
    smr_space *space = NULL;
    check_ok(ctx, said_space(ctx, sentence, over, &space));
    return space;
}

/* The grid's values of the first dim, with commas. */
static void check_values(const char *sentence, const char *over, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, sentence, over);
    char got[4096] = "";
    for (int64_t i = 0; i < space->dims[0].n_values; i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", i ? "," : "", space->dims[0].values[i]);
    }
    assert_string_equal(got, wanted);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void check_refused(const char *sentence, const char *over, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = NULL;
    check_fails(ctx, said_space(ctx, sentence, over, &space), SMR_ERR_PARAM, part);
    assert_null(space);
    check_ctx_end(ctx);
}

static void values_are_listed_in_their_order(void **state)
{
    (void)state;
    check_values("knn", "k=5,1,3", "5,1,3");
    check_values("knn", "k = 5 , 1,  3", "5,1,3");
    check_values("knn", "k=3,3,3,4", "3,4");
    check_values("knn", "weight=*", "uniform,distance");
    check_values("knn", "weight=distance", "distance");
    check_values("ridge", "fit_intercept=*", "no,yes");
    check_values("ridge", "fit_intercept=1", "yes");
    check_values("ridge", "l2=(0.1,1,10),5", "0.1,1,10,5"); /* a list as one value */
}

static void ranges_have_steps_counts_or_whole_numbers(void **state)
{
    (void)state;
    check_values("knn", "k=2..6", "2,3,4,5,6");
    check_values("knn", "k=1..11:3", "1,4,7,10");
    check_values("knn", "k=1..51:50", "1,51");
    check_values("knn", "k=log(1..1000/4)", "1,10,100,1000");
    check_values("knn", "k=log(1..5/9)", "1,2,3,4,5"); /* rounded, each once */
    check_values("knn", "k=linear(10..90/5)", "10,30,50,70,90");
    check_values("ridge", "l2=1e-3..1e3", "0.001,0.01,0.1,1,10,100,1000");
    check_values("ridge", "l2=1e-3..1e3/4", "0.001,0.1,10,1000");
    check_values("ridge", "l2=linear(0..1/5)", "0,0.25,0.5,0.75,1");
    check_values("ridge", "l2=0..0.5:0.1", "0,0.1,0.2,0.3,0.4,0.5");
    check_values("ridge", "l2=0,1..4:1,100", "0,1,2,3,4,100");
    check_values("knn", "k=1..100", "1,2,5,10,22,46,100"); /* 100^(i/6), rounded */
    check_values("knn", "k=*", "1,2,5,10,22,46,100");
}

/* sqrt(0.001 * 1000) = 1 by hand; in between 10^(-3 + 6 i / 5). */
static void log_ranges_are_even_in_the_logarithm(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "ridge", "l2=0.001..1000/6");
    (void)state;
    assert_int_equal(space->dims[0].n_values, 6);
    for (int i = 0; i < 6; i++) {
        double x = NAN;
        const char *text = space->dims[0].values[i];
        smr_parse_double(text, text + strlen(text), &x);
        check_near("point", log10(x), -3 + 6 * i / 5.0, 3e-6); /* 6 digits are written */
    }
    smr_space_free(space);
    check_ctx_end(ctx);
}

/* A text that may be a share: numbers from its range, and its words. */
static void a_text_that_may_be_a_number_has_a_range(void **state)
{
    (void)state;
    check_values("forest", "features=0.01..1/3", "0.01,0.1,1");
    check_values("forest", "features=sqrt,0.25..0.75:0.25,all", "sqrt,0.25,0.5,0.75,all");
    check_values("forest", "features=*", "0.1,0.14678,0.215443,0.316228,0.464159,0.681292,1");
    check_refused("forest", "features=1..0.5", "features");
}

static void what_is_wrong_is_told_with_the_range(void **state)
{
    (void)state;
    check_refused("knn", "k=0,1", "knn: k = 0 is outside [1, 2147483647]");
    check_refused("knn", "k=0..10", "knn: k = 0 is outside");
    check_refused("knn", "k=1..1e12", "is outside");
    check_refused("knn", "k=1.5", "is not a whole number");
    check_refused("knn", "k=1.5..9", "is not a whole number");
    check_refused("knn", "k=1..9:0.5", "needs a whole step");
    check_refused("knn", "weight=heavy", "uniform or distance");
    check_refused("knn", "weight=1..2", "weight = 1..2 is none of");
    check_refused("knn", "kk=1", "did you mean 'k'?");
    check_refused("poly | poly | ridge", "degree=1", "1.degree, 2.degree");
    check_refused("knn", "k=1 knn.k=2", "knn.k is searched twice");
    check_refused("knn", "k=5..1", "is empty");
    check_refused("knn", "k=5..5", "is empty");
    check_refused("knn", "k=1..9:0", "step above 0");
    check_refused("knn", "k=1..9:-1", "step above 0");
    check_refused("knn", "k=1..9/1", "at least 2");
    check_refused("knn", "k=1..9/x", "at least 2");
    check_refused("knn", "k=1..", "FROM..TO");
    check_refused("knn", "k=..9", "FROM..TO");
    check_refused("knn", "k=log(3)", "FROM..TO");
    check_refused("ridge", "l2=0..10", "must begin above 0");
    check_refused("ridge", "l2=1..inf", "FROM..TO");
    check_refused("ridge", "l2=0..1:1e-9", "too many steps");
    check_refused("knn", "algorithm", "NAME=VALUES is expected");
    check_refused("knn", "=3", "NAME=VALUES is expected");
    check_refused("knn", "k=", "a value is missing");
    check_refused("knn", "k=1,", "a value is missing");
    check_refused("knn", "k=(1", "no partner");
    check_refused("knn", "k=1)", "no partner");
    check_refused("knn", "k='1", "no partner");
    check_refused("onehot | ridge", "max_levels=*", "no search range of its own");
    check_refused("kmn", "k=1", "did you mean 'knn'?");
}

static void an_empty_space_is_refused(void **state)
{
    (void)state;
    check_refused("knn", "", "the search space is empty");
    check_refused("knn", "  \t ", "the search space is empty");
    check_refused("standardize | linear", "auto", "has a search range of its own");
    check_refused("linear", NULL, "has a search range of its own");
}

static void a_condition_that_never_holds_is_refused(void **state)
{
    (void)state;
    check_refused("knn", "p=1,2", "p is used only with metric=minkowski");
    check_refused("knn", "p=1,2 metric=cosine,euclidean", "no point of the space has");
    check_values("knn metric=minkowski", "p=1,2", "1,2");
    check_values("knn", "p=1,2 metric=*", "1,2");
    check_values("knn", "p=1,2 auto", "1,2");
}

static void check_text(const char *sentence, const char *over, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, sentence, over), *again;
    assert_string_equal(space->text, wanted);
    again = space_of(ctx, space->sentence, space->text);
    assert_string_equal(again->text, wanted);
    smr_space_free(again);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void the_space_is_written_with_full_addresses(void **state)
{
    (void)state;
    check_text("knn", "k=1..9:2,30 weight=*",
               "knn.k=linear(1..9:2),30 knn.weight=uniform,distance");
    check_text("poly | poly | ridge", "2.degree=1..3 l2=(1,2),linear(0..5/3)",
               "2.degree=linear(1..3) ridge.l2=(1,2),linear(0..5/3)");
}

/* Sentences are values like others; several as one value are put in parentheses of their own. */
static void sentences_are_searched_and_searched_within(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space =
        space_of(ctx, "calibrate of=(knn)", "of=(knn 3),(poly | knn 4) of.knn.k=1,2 method=platt");
    smr_space_points points = {0};
    (void)state;
    check_values("calibrate of=(knn)", "of.k=2,9", "2,9");
    check_text("calibrate of=(knn)", "of=(knn 3),(standardize center=no | knn 4) folds=2..4",
               "calibrate.of=(knn k=3 metric=euclidean weight=uniform algorithm=auto),"
               "(standardize center=no scale=yes | knn k=4 metric=euclidean weight=uniform "
               "algorithm=auto) calibrate.folds=linear(2..4)");
    check_refused("calibrate of=(knn)", "of=(kmn)", "did you mean 'knn'?");
    check_refused("calibrate of=(knn)", "of.kk=1", "no parameter 'of.kk'");
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 3); /* where there is a poly instead of the knn, its k is not
                                      there */
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void auto_takes_what_the_descriptors_say(void **state)
{
    (void)state;
    check_text("standardize | knn", "auto",
               "knn.k=log(1..100) knn.metric=euclidean,manhattan,chebyshev,minkowski,cosine "
               "knn.p=log(1..8) knn.weight=uniform,distance");
    check_text("poly | ridge", NULL,
               "poly.degree=linear(1..5) poly.interactions=no,yes ridge.l2=log(0.0001..10000)");
    check_text("forest", "auto",
               "forest.trees=log(30..300) forest.features=log(0.1..1) forest.min_leaf=log(1..20)");
    check_text("poly | ridge", "l2=1,2 auto",
               "ridge.l2=1,2 poly.degree=linear(1..5) poly.interactions=no,yes");
}

/* ---- points ----------------------------------------------------------------------------- */

static void the_grid_has_every_combination_once(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "knn", "k=1,3 weight=*");
    smr_space_points points = {0};
    static const char *const wanted[] = {"knn k=1 metric=euclidean weight=uniform algorithm=auto",
                                         "knn k=1 metric=euclidean weight=distance algorithm=auto",
                                         "knn k=3 metric=euclidean weight=uniform algorithm=auto",
                                         "knn k=3 metric=euclidean weight=distance algorithm=auto"};
    (void)state;
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(points.at[i].sentence, wanted[i]);
    assert_string_equal(points.at[2].value[0], "3");
    assert_string_equal(points.at[2].value[1], "uniform");
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

/* p counts with minkowski only: 3 + 1 + 1 points of the 9. */
static void points_where_a_value_is_not_read_are_one(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "knn", "p=1.5,3,4 metric=euclidean,minkowski,cosine");
    smr_space_points points = {0};
    int64_t read = 0;
    (void)state;
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 5);
    assert_int_equal(points.n_same, 4);
    for (int64_t i = 0; i < points.n; i++) read += points.at[i].value[0] != NULL;
    assert_int_equal(read, 3);
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void a_point_that_breaks_a_rule_keeps_its_refusal(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "lasso", "l1=(1,2),none path=0,5");
    smr_space_points points = {0};
    (void)state;
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 4);
    assert_null(points.at[1].sentence); /* l1=1,2 path=5 */
    assert_null(points.at[1].spec);
    assert_non_null(strstr(points.at[1].refusal, "lasso"));
    assert_string_equal(points.at[1].value[0], "1,2");
    assert_non_null(points.at[3].sentence);
    assert_string_equal(points.at[3].value[0], "none");
    assert_string_equal(smr_ctx_message(ctx), "");
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

/* What one value keeps from being read has no value there, and the points are one. */
static void two_ways_to_say_the_same_are_searched_side_by_side(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "ridge", "l2=1,3 path=none,5");
    smr_space_points points = {0};
    (void)state;
    assert_string_equal(space->text, "ridge.l2=1,3 ridge.path=0,5");
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 3);
    assert_string_equal(points.at[0].sentence, "ridge l2=1 path=0 fit_intercept=yes");
    assert_string_equal(points.at[1].sentence, "ridge path=5 fit_intercept=yes");
    assert_null(points.at[1].value[0]);
    assert_string_equal(points.at[2].sentence, "ridge l2=3 path=0 fit_intercept=yes");
    smr_space_points_release(&points);
    smr_space_free(space);
    check_refused(
        "svm margin=hard", "C=1,3",
        "svm: C is used only without l2 and with margin=soft, which no point of the space "
        "has; search that too, or leave C out");
    space = space_of(ctx, "experts", "k=1,3 of=none,((knn),(tree))");
    check_ok(ctx, smr_space_grid(ctx, space, &points));
    assert_int_equal(points.n, 3);
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void a_grid_without_end_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space =
        space_of(ctx, "poly | ridge", "l2=1..2/5000 degree=1..50 fit_intercept=* interactions=*");
    smr_space_points points = {0};
    (void)state;
    check_fails(ctx, smr_space_grid(ctx, space, &points), SMR_ERR_PARAM, "--search random");
    check_ok(ctx, smr_space_draw(ctx, space, 11, &points));
    assert_int_equal(points.n, 11);
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static double number_at(const smr_space_points *points, int64_t i, int64_t d)
{
    double x = NAN;
    const char *text = points->at[i].value[d];
    smr_parse_double(text, text + strlen(text), &x);
    return x;
}

/* Of n uniform draws on [0, 1) the share below the middle is 1/2 with deviation 1/(2 sqrt n). */
static void draws_are_even_on_the_scale(void **state)
{
    enum { N = 997 };
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "poly | ridge", "l2=1e-4..1e4 degree=1..20");
    smr_space_points points = {0};
    int64_t low = 0, few = 0, ones = 0;
    (void)state;
    check_ok(ctx, smr_space_draw(ctx, space, N, &points));
    assert_int_equal(points.n, N);
    for (int64_t i = 0; i < N; i++) {
        double l2 = number_at(&points, i, 0), degree = number_at(&points, i, 1);
        assert_true(l2 >= 1e-4 && l2 <= 1e4 && degree >= 1 && degree <= 20);
        assert_true(degree == floor(degree));
        low += l2 < 1;
        few += degree <= 10;
        ones += degree == 1;
    }
    check_near("l2 below 1", (double)low / N, 0.5, 4 * 0.5 / sqrt(N));
    check_near("degree at most 10", (double)few / N, 0.5, 4 * 0.5 / sqrt(N));
    check_near("degree 1", (double)ones / N, 0.05, 4 * sqrt(0.05 * 0.95 / N));
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void a_longer_list_of_draws_begins_like_a_shorter(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "knn", "auto");
    smr_space_points few = {0}, many = {0}, other = {0};
    int64_t same = 0;
    (void)state;
    check_ok(ctx, smr_space_draw(ctx, space, 13, &few));
    check_ok(ctx, smr_space_draw(ctx, space, 29, &many));
    ctx->seed = 77;
    check_ok(ctx, smr_space_draw(ctx, space, 13, &other));
    for (int i = 0; i < 13; i++) {
        assert_string_equal(few.at[i].sentence, many.at[i].sentence);
        same += strcmp(few.at[i].sentence, other.at[i].sentence) == 0;
    }
    assert_true(same < 13);
    smr_space_points_release(&few);
    smr_space_points_release(&many);
    smr_space_points_release(&other);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void a_small_space_is_drawn_whole_and_no_more(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_space *space = space_of(ctx, "knn", "k=1..7 weight=*");
    smr_space_points points = {0};
    (void)state;
    check_ok(ctx, smr_space_draw(ctx, space, 1000, &points));
    assert_int_equal(points.n, 14);
    smr_space_points_release(&points);
    smr_space_free(space);
    check_ctx_end(ctx);
}

static void every_allocation_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t n = 0;; n++) {
        smr_space *space = NULL;
        smr_space_points grid = {0}, drawn = {0};
        smr_memory_fail_at(ctx, n);
        smr_status st = said_space(ctx, "knn", "k=1..3 p=2,3 metric=*", &space);
        if (st == SMR_OK) st = smr_space_grid(ctx, space, &grid);
        if (st == SMR_OK) st = smr_space_draw(ctx, space, 3, &drawn);
        smr_memory_fail_at(ctx, -1);
        smr_space_points_release(&grid);
        smr_space_points_release(&drawn);
        smr_space_free(space);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_listed_in_their_order),
        cmocka_unit_test(ranges_have_steps_counts_or_whole_numbers),
        cmocka_unit_test(log_ranges_are_even_in_the_logarithm),
        cmocka_unit_test(a_text_that_may_be_a_number_has_a_range),
        cmocka_unit_test(what_is_wrong_is_told_with_the_range),
        cmocka_unit_test(an_empty_space_is_refused),
        cmocka_unit_test(a_condition_that_never_holds_is_refused),
        cmocka_unit_test(the_space_is_written_with_full_addresses),
        cmocka_unit_test(sentences_are_searched_and_searched_within),
        cmocka_unit_test(auto_takes_what_the_descriptors_say),
        cmocka_unit_test(the_grid_has_every_combination_once),
        cmocka_unit_test(points_where_a_value_is_not_read_are_one),
        cmocka_unit_test(a_point_that_breaks_a_rule_keeps_its_refusal),
        cmocka_unit_test(two_ways_to_say_the_same_are_searched_side_by_side),
        cmocka_unit_test(a_grid_without_end_is_refused),
        cmocka_unit_test(draws_are_even_on_the_scale),
        cmocka_unit_test(a_longer_list_of_draws_begins_like_a_shorter),
        cmocka_unit_test(a_small_space_is_drawn_whole_and_no_more),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
