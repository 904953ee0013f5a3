/* test_onehot.c -- categories as 0/1 features: recorded values of scikit-learn, rare levels,
 * names. */
#include "pipeline.h"
#include "truth/features.h"

enum { N = 12 };
static const char *const *const colours = onehot_colours;

static smr_table *colour_table(smr_ctx *ctx, const char *const *c, int64_t n)
{
    double x[64];
    smr_table *t = new_table(ctx, n, 2);
    for (int64_t i = 0; i < n; i++) x[i] = noise(i, 3);
    put_strings(ctx, t, 0, "c", c);
    put_numbers(ctx, t, 1, "x", x);
    return t;
}

/* The row of 0/1 features as text, such as "0100"; what is neither shows as '?'. */
static const char *bits(const double *row, int64_t n)
{
    static char text[64];
    for (int64_t k = 0; k < n; k++) text[k] = row[k] == 0 ? '0' : row[k] == 1 ? '1' : '?';
    text[n] = '\0';
    return text;
}

static void check_coding(const char *sentence, const char *const *names, int64_t width,
                         const char *const *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, colours, N);
    smr_model *m = train_on(ctx, sentence, t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    const smr_stage *s = &m->stages[0];
    assert_int_equal(s->n_out, width + 1);
    for (int64_t k = 0; k < width; k++) {
        assert_string_equal(s->features[k].name, names[k]);
        assert_int_equal(s->features[k].kind, SMR_NUMBER);
    }
    assert_string_equal(s->features[width].name, "x");
    for (int64_t i = 0; i < N; i++) {
        if (strcmp(bits(out + i * (width + 1), width), wanted[i]) != 0)
            fail_msg("%s, row %d (%s): %s, wanted %s", sentence, (int)i, colours[i],
                     bits(out + i * (width + 1), width), wanted[i]);
        assert_true(out[i * (width + 1) + width] == noise(i, 3)); /* numbers pass through */
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    for (int k = 0; k < SMR_COUNT(onehot_codes); k++)
        check_coding(onehot_codes[k].sentence, onehot_codes[k].names, onehot_codes[k].width,
                     onehot_codes[k].bits);
}

/* Counts: red 4, blue 3, green 2, violet 2, amber 1.  Among equals the earlier level is kept. */
static void the_rarest_levels_share_one_feature(void **state)
{
    static const char *const three[] = {"c=blue", "c=green", "c=red", "c=other"};
    static const char *const coded[] = {"0010", "1000", "0010", "0001", "0100", "1000",
                                        "0010", "0001", "0100", "0001", "1000", "0010"};
    static const char *const contrasts[] = {"010", "000", "010", "001", "100", "000",
                                            "010", "001", "100", "001", "000", "010"};
    static const char *const one[] = {"c=red", "c=other"};
    static const char *const alone[] = {"10", "01", "10", "01", "01", "01",
                                        "10", "01", "01", "01", "01", "10"};
    (void)state;
    check_coding("onehot 3", three, 4, coded);
    check_coding("onehot 3 drop=first", three + 1, 3, contrasts);
    check_coding("onehot 1", one, 2, alone);
}

static void rare_is_by_weight_and_said_in_a_warning(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    double w[N];
    smr_table *t = new_table(ctx, N, 2);
    smr_model *m = NULL;
    (void)state;
    for (int i = 0; i < N; i++) w[i] = colours[i][0] == 'a' ? 10 : colours[i][0] == 'v' ? 2.5 : 1;
    put_strings(ctx, t, 0, "c", colours);
    put_numbers(ctx, t, 1, "w", w);
    check_ok(ctx,
             try_train(ctx, "onehot 2", t, &(smr_set_opts){.weight = "w", .keep_all = true}, &m));
    assert_string_equal(m->stages[0].features[0].name, "c=amber");  /* 10 */
    assert_string_equal(m->stages[0].features[1].name, "c=violet"); /* 5 > red's 4 */
    assert_string_equal(m->stages[0].features[2].name, "c=other");
    check_heard(&heard, "column 'c' has 5 levels; the 2 most frequent get a feature, the rest "
                        "'other'");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Three gaps are a level: zeros. Fewer are unknown, as is what training never saw: the average of
 * the training rows. */
static void missing_and_unseen_are_zeros_or_the_average(void **state)
{
    static const char *const gaps[] = {"red", NULL, "blue", "red", NULL, "red", NULL, "blue"};
    static const char *const asked[] = {"blue", NULL, "pink", "red"};
    static const double zeros[][2] = {{1, 0}, {0, 0}, {0, 0}, {0, 1}};
    static const double shares[][2] = {{1, 0}, {0.25, 0.75}, {0.25, 0.75}, {0, 1}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *q = colour_table(ctx, asked, 4);
    (void)state;
    for (int few = 0; few < 2; few++) {
        smr_table *t = colour_table(ctx, gaps, few ? 6 : 8); /* two gaps, or three */
        smr_model *m = train_on(ctx, "onehot", t, NULL);
        double *out = apply(ctx, m, q, SMR_OUTPUT_TRANSFORM);
        const double(*wanted)[2] = few ? shares : zeros;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 2; k++) assert_true(out[3 * i + k] == wanted[i][k]);
        smr_free(out);
        smr_model_free(m);
        smr_table_free(t);
    }
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* Zeros are the level that is left out: a missing value then needs a feature of its own, if there
 * were some to learn from, and else is the average. */
static void missing_is_not_the_dropped_level(void **state)
{
    static const char *const gaps[] = {"red", NULL, "blue", "red", "green", NULL, "blue", NULL};
    static const char *const asked[] = {"blue", NULL, "pink", "red", "green"};
    static const char *const with_gaps[] = {"000", "001", "001", "010", "100"};
    static const char *const without[] = {"1000", "????", "????", "0010", "0100"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, gaps, 8), *q = colour_table(ctx, asked, 5);
    smr_model *m = train_on(ctx, "onehot drop=first", t, NULL);
    double *out = apply(ctx, m, q, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_int_equal(m->stages[0].n_out, 4);
    assert_string_equal(m->stages[0].features[0].name, "c=green");
    assert_string_equal(m->stages[0].features[1].name, "c=red");
    assert_string_equal(m->stages[0].features[2].name, "c=missing");
    for (int i = 0; i < 5; i++) assert_string_equal(bits(out + 4 * i, 3), with_gaps[i]);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);

    t = colour_table(ctx, colours, N); /* amber is first: blue has a feature, and none misses */
    m = train_on(ctx, "onehot drop=first", t, NULL);
    out = apply(ctx, m, q, SMR_OUTPUT_TRANSFORM);
    for (int i = 0; i < 5; i++) assert_string_equal(bits(out + 5 * i, 4), without[i]);
    for (int i = 1; i < 3; i++) {
        static const double counts[] = {3, 2, 4, 2}; /* blue, green, red, violet of twelve */
        for (int k = 0; k < 4; k++) assert_true(out[5 * i + k] == counts[k] / 12);
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* Least squares on groups fits their means: the missing ones are a group as well. */
static void linear_learns_a_mean_for_the_missing(void **state)
{
    static const char *const c[] = {"a", "a", NULL, NULL, NULL, "b", "b"};
    static const double y[] = {1.25, 1.75, 7, 8.5, 9, -3, -4}, mean[] = {1.5, 24.5 / 3, -3.5};
    static const int group[] = {0, 0, 1, 1, 1, 2, 2};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 7, 2);
    (void)state;
    put_strings(ctx, t, 0, "c", c);
    put_numbers(ctx, t, 1, "y", y);
    smr_model *m = train_on(ctx, "linear", t, "y");
    double *out = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    for (int i = 0; i < 7; i++) check_near("mean", out[i], mean[group[i]], 1e-13);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* One-hot stops at 100 levels. */
static void a_hundred_levels_are_the_default(void **state)
{
    enum { LEVELS = 103, ROWS = 3 * LEVELS };
    static char text[ROWS][8];
    static const char *c[ROWS];
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = new_table(ctx, ROWS, 1);
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        snprintf(text[i], sizeof text[i], "l%03d", i % LEVELS < 100 ? i % 100 : i % LEVELS);
        c[i] = text[i];
    }
    put_strings(ctx, t, 0, "c", c);
    smr_model *m = train_on(ctx, "onehot", t, NULL);
    assert_true(t->cols[0].levels.n > 100);
    assert_int_equal(m->stages[0].n_out, 101);
    assert_string_equal(m->stages[0].features[100].name, "c=other");
    assert_int_equal(heard.n, 1);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Weights that go up with the level: sorting them by insertion would take 4.5e10 moves. */
static void many_levels_are_ranked_in_little_time(void **state)
{
    enum { LEVELS = 300000 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, LEVELS, 2);
    const char **c = malloc(sizeof *c * LEVELS);
    char(*text)[12] = malloc(sizeof *text * LEVELS);
    double *w = malloc(sizeof *w * LEVELS), began;
    smr_model *m = NULL;
    (void)state;
    assert_true(c && text && w);
    for (int i = 0; i < LEVELS; i++) {
        snprintf(text[i], sizeof text[i], "%07d", i);
        c[i] = text[i];
        w[i] = i + 1;
    }
    put_strings(ctx, t, 0, "c", c);
    put_numbers(ctx, t, 1, "w", w);
    began = smr_now();
    check_ok(ctx,
             try_train(ctx, "onehot 50", t, &(smr_set_opts){.weight = "w", .keep_all = true}, &m));
    if (smr_now() - began > 10) fail_msg("ranking took %.1f s", smr_now() - began);
    assert_int_equal(m->stages[0].n_out, 51);
    assert_string_equal(m->stages[0].features[49].name, "c=0299999");
    smr_model_free(m);
    smr_table_free(t);
    free(c);
    free(text);
    free(w);
    check_ctx_end(ctx);
}

static void several_categories_stand_in_the_order_of_columns(void **state)
{
    static const char *const names[] = {"a=p", "a=q", "x", "b=0", "b=10", "b=9"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,x,b\nq,1,10\np,2,9\nq,3.5,0\n");
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, try_train(ctx, "onehot", t,
                            &(smr_set_opts){.types = "b=category", .keep_all = true}, &m));
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_int_equal(m->stages[0].n_out, 6);
    /* numbers as categories are in numeric order: 0, 9, 10 */
    for (int k = 0; k < 3; k++) assert_string_equal(m->stages[0].features[k].name, names[k]);
    assert_string_equal(m->stages[0].features[3].name, "b=0");
    assert_string_equal(m->stages[0].features[4].name, "b=9");
    assert_string_equal(m->stages[0].features[5].name, "b=10");
    assert_string_equal(bits(out, 2), "01");
    assert_string_equal(bits(out + 3, 3), "001");
    assert_string_equal(bits(out + 6 + 3, 3), "010");
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Contrasts and all levels span the same functions: least squares predicts the same. */
static void contrasts_do_not_change_least_squares(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, colours, N), *z = new_table(ctx, N, 3);
    double y[N];
    (void)state;
    for (int i = 0; i < N; i++) y[i] = noise(i, 8) + (colours[i][0] == 'r');
    put_strings(ctx, z, 0, "c", colours);
    put_numbers(ctx, z, 1, "x", t->cols[1].values);
    put_numbers(ctx, z, 2, "y", y);
    smr_model *a = train_on(ctx, "onehot drop=first | linear", z, "y");
    smr_model *b = train_on(ctx, "onehot | linear", z, "y"); /* least norm among many */
    double *pa = apply(ctx, a, z, SMR_OUTPUT_VALUE), *pb = apply(ctx, b, z, SMR_OUTPUT_VALUE);
    for (int i = 0; i < N; i++) check_near("prediction", pa[i], pb[i], 1e-10);
    smr_free(pa);
    smr_free(pb);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    smr_table_free(z);
    check_ctx_end(ctx);
}

static void a_column_without_levels_gives_no_feature(void **state)
{
    static const char *const none[] = {NULL, NULL, NULL, NULL};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, none, 4);
    smr_model *m = train_on(ctx, "onehot", t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_int_equal(m->stages[0].n_out, 1);
    assert_string_equal(m->stages[0].features[0].name, "x");
    for (int i = 0; i < 4; i++) assert_true(out[i] == noise(i, 3));
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A level that is called like the rest: every feature still has a name of its own. */
static void names_stay_distinct_where_a_level_is_called_other(void **state)
{
    static const char *const c[] = {"other", "other", "other", "a", "a", "b", "d"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, c, 7);
    smr_model *m = train_on(ctx, "onehot 2", t, NULL);
    const smr_stage *s = &m->stages[0];
    (void)state;
    for (int64_t j = 0; j < s->n_out; j++)
        for (int64_t k = 0; k < j; k++)
            if (!strcmp(s->features[j].name, s->features[k].name))
                fail_msg("two features are named '%s'", s->features[j].name);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "onehot 2", table, &(smr_set_opts){.keep_all = true}, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = colour_table(ctx, colours, N);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_once, t) > 25);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(the_rarest_levels_share_one_feature),
        cmocka_unit_test(rare_is_by_weight_and_said_in_a_warning),
        cmocka_unit_test(missing_and_unseen_are_zeros_or_the_average),
        cmocka_unit_test(missing_is_not_the_dropped_level),
        cmocka_unit_test(linear_learns_a_mean_for_the_missing),
        cmocka_unit_test(a_hundred_levels_are_the_default),
        cmocka_unit_test(many_levels_are_ranked_in_little_time),
        cmocka_unit_test(several_categories_stand_in_the_order_of_columns),
        cmocka_unit_test(contrasts_do_not_change_least_squares),
        cmocka_unit_test(a_column_without_levels_gives_no_feature),
        cmocka_unit_test(names_stay_distinct_where_a_level_is_called_other),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
