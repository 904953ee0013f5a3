/* test_contrasts.c -- categories before learners without a penalty: against treatment contrasts by
 * hand (truth/contrasts.py), and what a level that training never saw means to every learner. */
#include "pipeline.h"
#include "truth/contrasts.h"

#include "learn/inverse.h"
#include "learn/linear/linear.h"
#include "learn/online.h"
#include "learn/state.h"
#include "samara.h"

enum { N = 60, LEVELS = 4 };
static const char *const levels[] = {"clay", "gravel", "shake", "shingle"};
static const char *const asked[] = {"clay", "gravel", "shake", "shingle", "slate", NULL};
enum { ASKED = 6 };

/* Sales without the rows of `skip`, and with gaps instead of roofs of `gap`. */
static smr_table *sales(smr_ctx *ctx, const double *y, const char *skip, const char *gap)
{
    const char *roof[N];
    double size[N], target[N], w[N];
    int64_t n = 0;
    for (int i = 0; i < N; i++) {
        if (skip && !strcmp(roofs[i], skip)) continue;
        roof[n] = gap && !strcmp(roofs[i], gap) ? NULL : roofs[i];
        size[n] = house_area[i];
        w[n] = house_weight[i];
        target[n++] = y[i];
    }
    smr_table *t = new_table(ctx, n, 4);
    put_strings(ctx, t, 0, "roof", roof);
    put_numbers(ctx, t, 1, "size", size);
    put_numbers(ctx, t, 2, "y", target);
    put_numbers(ctx, t, 3, "w", w);
    return t;
}

/* 1500 square feet with the roofs of `asked`. */
static smr_table *questions(smr_ctx *ctx)
{
    static const double size[ASKED] = {1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
    smr_table *t = new_table(ctx, ASKED, 2);
    put_strings(ctx, t, 0, "roof", asked);
    put_numbers(ctx, t, 1, "size", size);
    return t;
}

static smr_model *train_sales(smr_ctx *ctx, const char *sentence, const smr_table *t, bool weighted,
                              smr_task task)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = task};
    if (weighted)
        opts.weight = "w";
    else
        opts.ignore = "w";
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static void least_squares_agrees_with_contrasts_by_hand(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, NULL), *q = questions(ctx);
    (void)state;
    for (int r = 0; r < SMR_COUNT(roofs_linear); r++) {
        smr_model *m = train_sales(ctx, "linear", t, roofs_linear[r].weighted, SMR_TASK_REGRESS);
        const struct smr_linear_state *s = smr_model_last(m)->state;
        double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE);
        check_near("intercept", s->intercept[0], roofs_linear[r].coef[0], 1e-10);
        check_near("its error", s->intercept_error[0], roofs_linear[r].se[0], 1e-9);
        for (int k = 0; k < 4; k++) {
            char name[32];
            snprintf(name, sizeof name, "roof=%s", k < 3 ? roofs_linear[r].names[k] : "");
            assert_string_equal(m->stages[0].features[k].name, k < 3 ? name : "size");
            check_near("coefficient", s->coef[k], roofs_linear[r].coef[k + 1], 1e-10);
            check_near("its error", s->std_error[k], roofs_linear[r].se[k + 1], 1e-9);
        }
        for (int k = 0; k < ASKED; k++) /* a gap is as little known as a roof never seen */
            check_near("price", out[k], roofs_linear[r].at[SMR_MIN(k, LEVELS)], 1e-10);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(q);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void gaps_in_training_are_a_level_and_what_is_unseen_counts_as_one(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, "shake"), *q = questions(ctx);
    smr_model *m = train_sales(ctx, "linear", t, false, SMR_TASK_REGRESS);
    double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE);
    static const int of[ASKED] = {0, 1, 3, 2, 3, 3};
    (void)state;
    for (int k = 0; k < ASKED; k++) check_near("price", out[k], roofs_missing[of[k]], 1e-10);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(q);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void links_and_penalties_agree_with_numpy(void **state)
{
    static const struct {
        const char *sentence;
        const double *y, *truth;
        smr_output output;
    } cases[] = {{"poisson", house_visits, roofs_poisson, SMR_OUTPUT_VALUE},
                 {"logistic 0", house_sold, roofs_logistic, SMR_OUTPUT_PROBA}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *q = questions(ctx);
    (void)state;
    for (int c = 0; c < 2; c++) {
        bool classes = cases[c].output == SMR_OUTPUT_PROBA;
        smr_table *t = sales(ctx, cases[c].y, "clay", NULL);
        smr_model *m = train_sales(ctx, cases[c].sentence, t, false,
                                   classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS);
        double *out = apply(ctx, m, q, cases[c].output);
        static const int of[ASKED] = {3, 0, 1, 2, 3, 3}; /* clay was never seen here */
        for (int k = 0; k < ASKED; k++)
            check_near(cases[c].sentence, out[classes ? 2 * k + 1 : k], cases[c].truth[of[k]],
                       1e-7);
        smr_free(out);
        smr_model_free(m);
        smr_table_free(t);
    }
    smr_table *t = sales(ctx, house_price, NULL, NULL);
    smr_model *m = train_sales(ctx, "ridge 2.5", t, false, SMR_TASK_REGRESS);
    double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE);
    for (int k = 0; k < ASKED; k++)
        check_near("ridge", out[k], roofs_ridge[SMR_MIN(k, LEVELS)], 1e-9);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* A linear score at an unknown level is the mean of those at all levels, each as often as the
 * training rows have it, whatever the learner, and through stages that keep it linear. */
static void an_unknown_level_has_the_mean_effect_in_every_linear_model(void **state)
{
    static const char *const sentences[] = {"linear",
                                            "huber",
                                            "lad",
                                            "quantile 0.3",
                                            "subset",
                                            "ridge 1",
                                            "lasso 10",
                                            "elastic 10",
                                            "standardize | linear",
                                            "standardize | ridge 3",
                                            "onehot drop=first | linear",
                                            "onehot | linear",
                                            "onehot min_rows=8 | ridge 1",
                                            "onehot 2 drop=frequent | lad",
                                            "bag 3 of=(linear)"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, NULL), *q = questions(ctx);
    (void)state;
    for (int c = 0; c < SMR_COUNT(sentences); c++) {
        smr_model *m = train_sales(ctx, sentences[c], t, true, SMR_TASK_REGRESS);
        double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE), mean = 0, total = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < LEVELS; k++) {
                if (strcmp(levels[k], roofs[i]) != 0) continue;
                mean += house_weight[i] * out[k];
                total += house_weight[i];
            }
        bool members = strstr(sentences[c], "bag") != NULL; /* each has its own shares */
        check_near(sentences[c], out[4], mean / total, members ? 0.2 : 1e-9);
        assert_true(out[4] == out[5]);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(q);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* One level of a single row, and the level that is left out is not the first: a word of warning,
 * and none where the sentence says what is wanted. */
static void a_coefficient_of_one_row_comes_with_a_word(void **state)
{
    static const char *const silent[] = {"onehot drop=frequent min_rows=1 | linear",
                                         "onehot drop=frequent min_rows=3 | linear",
                                         "ridge 1",
                                         "lasso 100000",
                                         "elastic 0 l2=1",
                                         "sgd squared l2=1 tol=0.1",
                                         "lad l1=1",
                                         "huber l2=1",
                                         "onehot drop=frequent | ridge 1",
                                         "bag 5 of=(ridge 1)",
                                         "bag 5 of=(onehot min_rows=1 | linear)"};
    static const char *const warned[] = {"linear",
                                         "ridge 0",
                                         "lasso 0",
                                         "elastic 0",
                                         "sgd squared l2=0 tol=0.1 passes=2000",
                                         "lad",
                                         "huber",
                                         "onehot drop=first | linear",
                                         "onehot | ridge 0",
                                         "standardize | linear",
                                         "bag 5 of=(linear)",
                                         "bag 5 of=(onehot drop=first | linear)"};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = sales(ctx, house_price, NULL, NULL);
    (void)state;
    smr_model *m = NULL;
    for (int c = 0; c < SMR_COUNT(warned); c++) {
        m = train_sales(ctx, warned[c], t, false, SMR_TASK_REGRESS);
        if (heard.n != 1) fail_msg("%s: %d warnings: %s", warned[c], heard.n, heard.text);
        check_heard(&heard, "column 'roof' has 1 level of only one or two rows, 'clay': its "
                            "coefficient is fitted to them alone");
        smr_model_free(m);
        heard = (struct heard){0};
    }
    for (int c = 0; c < SMR_COUNT(silent); c++) {
        m = train_sales(ctx, silent[c], t, false, SMR_TASK_REGRESS);
        if (heard.n) fail_msg("%s: %s", silent[c], heard.text);
        smr_model_free(m);
    }
    m = train_sales(ctx, "linear", t, true, SMR_TASK_REGRESS); /* the clay roof counts twice */
    assert_int_equal(heard.n, 1);
    smr_model_free(m);
    heard = (struct heard){0};
    double w[N];
    for (int i = 0; i < N; i++) w[i] = 3; /* each row thrice */
    memcpy(t->cols[3].values, w, sizeof w);
    m = train_sales(ctx, "linear", t, true, SMR_TASK_REGRESS);
    check_silent(&heard);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* min_rows: levels of fewer share a feature; a level without rows has none. */
static void rare_levels_can_be_joined(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, NULL), *q = questions(ctx);
    smr_model *m = train_sales(ctx, "onehot min_rows=8", t, false, SMR_TASK_NONE);
    const smr_stage *s = &m->stages[0];
    double *out = apply(ctx, m, q, SMR_OUTPUT_TRANSFORM);
    static const double wanted[ASKED][3] = {{0, 0, 1},
                                            {1, 0, 0},
                                            {0, 0, 1},
                                            {0, 1, 0},
                                            {11 / 60.0, 41 / 60.0, 8 / 60.0},
                                            {11 / 60.0, 41 / 60.0, 8 / 60.0}};
    (void)state;
    assert_string_equal(s->features[0].name, "roof=gravel");
    assert_string_equal(s->features[1].name, "roof=shingle");
    assert_string_equal(s->features[2].name, "roof=other");
    for (int k = 0; k < ASKED; k++)
        for (int j = 0; j < 3; j++) assert_true(out[k * s->n_out + j] == wanted[k][j]);
    smr_free(out);
    smr_model_free(m);

    int64_t rows[N], n = 0; /* a fold without clay: the level is the table's, and has no row */
    for (int i = 0; i < N; i++)
        if (strcmp(roofs[i], "clay") != 0) rows[n++] = i;
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "w", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, said_set(ctx, t, "linear", &opts, &set));
    check_ok(ctx, said_fit(ctx, "linear", set, rows, n, &m));
    assert_string_equal(m->stages[0].features[0].name, "roof=gravel");
    out = apply(ctx, m, q, SMR_OUTPUT_VALUE);
    assert_true(out[0] == out[4]); /* clay is as unknown as slate */
    smr_free(out);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* Ties between the most frequent levels: the first. */
static void of_equally_frequent_levels_the_first_is_left_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "c,y\nb,1\nc,2\nb,3\nc,4\na,5\nb,1\nc,2\na,7\n");
    smr_model *m = train_on(ctx, "linear", t, "y");
    (void)state;
    assert_string_equal(m->stages[0].features[0].name, "c=a");
    assert_string_equal(m->stages[0].features[1].name, "c=c");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What is unknown comes back as a gap, and a saved model answers the same; row by row too. */
static void unknown_levels_pass_through_files_rows_and_back(void **state)
{
    static const char *const sentences[] = {"onehot drop=frequent", "onehot",
                                            "onehot drop=first | standardize"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, NULL), *q = questions(ctx);
    (void)state;
    for (int c = 0; c < SMR_COUNT(sentences); c++) {
        smr_set_opts opts = {.ignore = "w,y", .keep_all = true};
        smr_model *m = NULL, *read = NULL;
        check_ok(ctx, try_train(ctx, sentences[c], t, &opts, &m));
        int64_t width = smr_model_width(m, SMR_OUTPUT_TRANSFORM), length;
        double *out = apply(ctx, m, q, SMR_OUTPUT_TRANSFORM), back[2 * ASKED];
        char *bytes = NULL;
        check_ok(ctx, smr_inverse_matrix(ctx, m, out, ASKED, width, back));
        for (int k = 0; k < LEVELS; k++) assert_true(back[2 * k] == k);
        assert_true(isnan(back[8]) && isnan(back[10]));
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
        check_ok(ctx, smr_model_read(ctx, bytes, length, &read));
        double *again = apply(ctx, read, q, SMR_OUTPUT_TRANSFORM);
        assert_memory_equal(out, again, (size_t)(ASKED * width) * sizeof *out);
        smr_predictor *p = NULL;
        check_ok(ctx, smr_predictor_create(ctx, read, SMR_OUTPUT_TRANSFORM, &p));
        for (int k = 0; k < ASKED; k++) {
            const char *cells[] = {asked[k], "1.5"};
            double row[8];
            check_ok(ctx, smr_predictor_cells(p, cells, row));
            assert_memory_equal(row, out + k * width, (size_t)width * sizeof *row);
        }
        smr_predictor_free(p);
        smr_free(again);
        smr_free(bytes);
        smr_free(out);
        smr_model_free(read);
        smr_model_free(m);
    }
    smr_table_free(q);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Many levels are sparse rows: an unknown one has an entry for each. */
static void sparse_rows_of_unknown_levels_are_those_of_dense_ones(void **state)
{
    enum { ROWS = 900, KINDS = 300 };
    static char text[ROWS][8];
    static const char *c[ROWS];
    static double y[ROWS];
    double total = 0;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, ROWS, 2), *q = new_table(ctx, 2, 1);
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        snprintf(text[i], sizeof text[i], "l%03d", i % KINDS);
        c[i] = text[i];
        y[i] = noise(i % KINDS, 2);
        total += y[i];
    }
    put_strings(ctx, t, 0, "c", c);
    put_numbers(ctx, t, 1, "y", y);
    put_strings(ctx, q, 0, "c", (const char *const[]){"l007", "none"});
    smr_model *m = train_on(ctx, "onehot 400 | ridge 1e-9", t, "y");
    double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE);
    check_near("known", out[0], noise(7, 2), 1e-6);
    check_near("unknown", out[1], total / ROWS, 1e-6);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* A stream counts as it goes: at its end unknown is the average of its rows; and after three gaps
 * they are a level. */
static void a_stream_knows_the_average_of_its_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sales(ctx, house_price, NULL, NULL), *q = questions(ctx);
    smr_set_opts opts = {.target = "y", .ignore = "w", .keep_all = true, .task = SMR_TASK_REGRESS};
    static const char sentence[] = "standardize | linear solver=sgd";
    (void)state;
    for (int gaps = 0; gaps < 2; gaps++) {
        smr_train_set *set = NULL;
        smr_model *m = NULL;
        smr_online *o = NULL;
        const smr_online_rows *rows;
        smr_table *with = sales(ctx, house_price, NULL, gaps ? "shake" : NULL);
        check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
        check_ok(ctx, said_online(ctx, sentence, set, &m));
        check_ok(ctx, smr_online_create(ctx, m, NULL, &o));
        check_ok(ctx, smr_online_take(ctx, o, with, 0, &rows));
        check_ok(ctx, smr_online_go(ctx, o, 0, N));
        smr_online_free(o);
        double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE), mean = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < LEVELS; k++)
                if (!strcmp(levels[k], roofs[i])) mean += out[k] / N;
        if (gaps)
            assert_true(out[4] == out[5] && fabs(out[4] - mean) > 1);
        else
            check_near("unknown", out[4], mean, 1e-9);
        smr_free(out);
        smr_model_free(m);
        smr_train_set_free(set);
        smr_table_free(with);
    }
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_agrees_with_contrasts_by_hand),
        cmocka_unit_test(gaps_in_training_are_a_level_and_what_is_unseen_counts_as_one),
        cmocka_unit_test(links_and_penalties_agree_with_numpy),
        cmocka_unit_test(an_unknown_level_has_the_mean_effect_in_every_linear_model),
        cmocka_unit_test(a_coefficient_of_one_row_comes_with_a_word),
        cmocka_unit_test(rare_levels_can_be_joined),
        cmocka_unit_test(of_equally_frequent_levels_the_first_is_left_out),
        cmocka_unit_test(unknown_levels_pass_through_files_rows_and_back),
        cmocka_unit_test(sparse_rows_of_unknown_levels_are_those_of_dense_ones),
        cmocka_unit_test(a_stream_knows_the_average_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
