/* test_bag.c -- one learner on many samples.
 *
 * Truth: the counts of a bootstrap (the course notes), the bags put together by hand from their
 * draws and members, scikit-learn's out-of-bag scores (tests/truth/ensembles.py), properties. */
#include "ensemble_data.h"
#include "said.h"

#include "learn/ensemble/bag.h"
#include "transform/subspace.h"
#include "truth/ensembles.h"

static const struct smr_bag_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* ---- draws ------------------------------------------------------------------------------ */

static void draw(smr_ctx *ctx, const smr_data *data, bool by_weight, double share, bool bootstrap,
                 int64_t bag, int32_t *count)
{
    smr_bag_units u = {0};
    memset(count, 0, (size_t)data->n_rows * sizeof *count);
    check_ok(ctx, smr_bag_units_make(ctx, data, by_weight, &u));
    check_ok(ctx, smr_bag_draw(ctx, &u, share, bootstrap, bag, count));
    smr_bag_units_release(&u);
}

/* 1 - (1 - 1/n)^n: 0.6601, 0.6513, 0.6340 at 7, 10, 100 (63.2 % is the limit). */
static void a_bootstrap_holds_as_many_rows_as_it_should(void **state)
{
    enum { BAGS = 4000 };
    static const int64_t size[] = {7, 10, 100};
    static const double told[] = {0.6601, 0.6513, 0.6340};
    smr_ctx *ctx = check_ctx(1);
    int32_t count[100];
    (void)state;
    check_near("the limit", 1 - exp(-1), 0.632, 5e-4);
    for (int k = 0; k < 3; k++) {
        int64_t n = size[k];
        double p = 1 - pow(1 - 1 / (double)n, (double)n), held = 0, drawn = 0;
        smr_data data = {.size = sizeof data, .n_rows = n};
        check_near("the figure", p, told[k], 5e-5);
        for (int64_t bag = 0; bag < BAGS; bag++) {
            draw(ctx, &data, false, 1, true, bag, count);
            for (int64_t i = 0; i < n; i++) {
                held += count[i] > 0;
                drawn += count[i];
            }
        }
        assert_true(drawn == (double)(n * BAGS));
        double sd = sqrt(p * (1 - p) / (double)(n * BAGS));
        check_near("share of the rows", held / (double)(n * BAGS), p, 4 * sd);
    }
    check_ctx_end(ctx);
}

static void draws_without_replacement_take_a_row_once(void **state)
{
    enum { N = 53 };
    smr_ctx *ctx = check_ctx(1);
    smr_data data = {.size = sizeof data, .n_rows = N};
    int32_t count[N], times[N] = {0};
    (void)state;
    for (int64_t bag = 0; bag < 500; bag++) {
        int64_t drawn = 0;
        draw(ctx, &data, false, 0.4, false, bag, count);
        for (int64_t i = 0; i < N; i++) {
            assert_in_range(count[i], 0, 1);
            drawn += count[i];
            times[i] += count[i];
        }
        assert_int_equal(drawn, 21); /* round(0.4 * 53) */
    }
    for (int64_t i = 0; i < N; i++) /* no row is preferred */
        assert_true(fabs((double)times[i] - 500 * 21.0 / 53) < 4.5 * sqrt(500 * 0.4 * 0.6));
    draw(ctx, &data, false, 1, false, 3, count);
    for (int64_t i = 0; i < N; i++) assert_int_equal(count[i], 1);
    check_ctx_end(ctx);
}

/* By weight, a row comes as often as its weight says; a row of weight 0 never does. */
static void draws_by_weight_follow_the_weights(void **state)
{
    enum { N = 5, BAGS = 20000 };
    static const double weight[N] = {1, 2, 0, 4, 0.5};
    smr_ctx *ctx = check_ctx(1);
    smr_data data = {.size = sizeof data, .n_rows = N, .weight = weight};
    int32_t count[N];
    double times[2][N] = {{0}};
    (void)state;
    for (int64_t bag = 0; bag < BAGS; bag++)
        for (int by = 0; by < 2; by++) {
            draw(ctx, &data, by, 1, true, bag, count);
            for (int64_t i = 0; i < N; i++) times[by][i] += count[i];
        }
    for (int64_t i = 0; i < N; i++) { /* four rows are there, so four are drawn per bag */
        double p = weight[i] / 7.5, sd = sqrt(4 * BAGS * p * (1 - p));
        assert_true(fabs(times[1][i] - 4 * BAGS * p) <= 4 * sd);
        assert_true(i == 2 ? times[0][i] == 0
                           : fabs(times[0][i] - BAGS) < 4 * sqrt(4 * BAGS * 0.25 * 0.75));
    }
    static const double none[N] = {0};
    smr_bag_units u = {0};
    data.weight = none;
    check_fails(ctx, smr_bag_units_make(ctx, &data, false, &u), SMR_ERR_DATA,
                "the weights of all rows are 0");
    smr_bag_units_release(&u);
    check_ctx_end(ctx);
}

static void groups_are_drawn_whole(void **state)
{
    enum { N = 37 };
    smr_ctx *ctx = check_ctx(1);
    int64_t group[N];
    int32_t count[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) group[i] = (i * i) % 11 - 3;
    smr_data data = {.size = sizeof data, .n_rows = N, .group = group};
    for (int64_t bag = 0; bag < 50; bag++) {
        draw(ctx, &data, false, 1, true, bag, count);
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < i; k++)
                if (group[i] == group[k]) assert_int_equal(count[i], count[k]);
    }
    check_ctx_end(ctx);
}

/* (K - 1) / K of the features: K bags leave out each feature once. */
static void parts_leave_out_every_feature_once(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t d = 1; d < 24; d += 5)
        for (int64_t parts = 2; parts < 8; parts++) {
            int64_t left_out[24] = {0}, k = SMR_MIN(parts, d);
            for (int64_t b = 0; b < k; b++) {
                struct smr_subspace_params p = {.share = 1, .parts = parts, .draw = k + b};
                struct smr_subspace_state s = {0};
                check_ok(ctx, smr_subspace_draw(ctx, &p, d, &s));
                if (d > 1) assert_in_range(d - s.n_kept, d / k, (d + k - 1) / k);
                for (int64_t j = 0; j < d; j++) left_out[j]++;
                for (int64_t j = 0; j < s.n_kept; j++) left_out[s.kept[j]]--;
                smr_free(s.kept);
            }
            for (int64_t j = 0; j < d; j++) assert_int_equal(left_out[j], d > 1);
        }
    check_ctx_end(ctx);
}

/* ---- what it is made of ----------------------------------------------------------------- */

static void one_bag_of_all_rows_is_the_learner(void **state)
{
    static const char *const of[] = {"knn 5", "standardize | logistic 1", "ridge 1", "knn 4"};
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool classes = i < 2;
        char sentence[128];
        smr_table *t = mixed(ctx, classes ? 3 : 0, true);
        snprintf(sentence, sizeof sentence, "bag 1 bootstrap=no of=(%s)", of[i]);
        smr_model *alone = train_on(ctx, of[i], t, classes ? "k" : "y");
        smr_model *m = train_on(ctx, sentence, t, classes ? "k" : "y");
        check_same_answers(ctx, alone, m, t, classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE, 0);
        assert_true(isnan(state_of(m)->oob_error) && state_of(m)->held == 1);
        smr_model_free(alone);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* The bags by hand: rows drawn as the model's bags are, a model fitted on each with the row as
 * often as it was drawn, and the rows outside judged by the mean of those that do not hold them. */
static void it_is_made_of_its_draws(void **state)
{
    enum { BAGS = 7 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 3, false);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    double mean[3 * MIXED_ROWS] = {0}, outside[3 * MIXED_ROWS] = {0}, said[3 * MIXED_ROWS];
    int32_t count[MIXED_ROWS];
    int64_t rows[MIXED_ROWS], wrong = 0, judged = 0;
    double asked[MIXED_ROWS] = {0}, loss = 0;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    smr_data data = {.size = sizeof data, .n_rows = MIXED_ROWS};
    for (int64_t bag = 0; bag < BAGS; bag++) {
        int64_t n = 0;
        smr_model *m = NULL;
        draw(ctx, &data, false, 1, true, bag, count);
        for (int64_t i = 0; i < MIXED_ROWS; i++)
            for (int32_t k = 0; k < count[i]; k++) rows[n++] = i;
        assert_int_equal(n, MIXED_ROWS);
        check_ok(ctx, said_fit(ctx, "knn 5", set, rows, n, &m));
        check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_PROBA, said));
        for (int64_t i = 0; i < MIXED_ROWS; i++) {
            for (int c = 0; c < 3; c++) mean[3 * i + c] += said[3 * i + c] / BAGS;
            for (int c = 0; c < 3 && !count[i]; c++) outside[3 * i + c] += said[3 * i + c];
            asked[i] += !count[i];
        }
        smr_model_free(m);
    }
    for (int64_t i = 0; i < MIXED_ROWS; i++) {
        const double *p = outside + 3 * i;
        int64_t best = p[1] > p[0] ? 1 : 0;
        if (p[2] > p[best]) best = 2;
        if (asked[i] == 0) continue;
        judged++;
        wrong += best != set->label[i];
        loss -= log(fmax(p[set->label[i]] / asked[i], 0x1p-52));
    }
    smr_model *m = train_on(ctx, "bag 7 of=(knn 5)", t, "k");
    double *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < 3 * MIXED_ROWS; i++) check_near("p", got[i], mean[i], 1e-12);
    check_near("error", state_of(m)->oob_error, (double)wrong / (double)judged, 1e-12);
    check_near("log loss", state_of(m)->oob_loss, loss / (double)judged, 1e-9);
    check_near("rows", state_of(m)->oob_rows, (double)judged / MIXED_ROWS, 1e-12);
    check_near("report", m->fit.objective, state_of(m)->oob_error, 0);
    assert_int_equal(m->fit.n_iter, BAGS);
    smr_free(got);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Both draw their bags: five deviations over the seeds of scikit-learn, on either side. */
static void out_of_bag_scores_are_those_of_scikit_learn(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int i = 0; i < (int)SMR_COUNT(bag_scores); i++) {
        smr_table *t = open_csv(ctx, bag_scores[i].table);
        smr_model *m = train_on(ctx, bag_scores[i].sentence, t, bag_scores[i].target);
        const struct smr_bag_state *s = state_of(m);
        check_near(bag_scores[i].sentence, s->n_classes ? 1 - s->oob_error : s->oob_r2,
                   bag_scores[i].mean, 5 * bag_scores[i].sd);
        check_near("rows in a bag", s->held, 1 - exp(-1), 0.01);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* ---- features --------------------------------------------------------------------------- */

/* Features in memory are read where they are, computed ones through the stage: the same bits. */
static void features_are_drawn_however_they_are_kept(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 0, false);
    (void)state;
    smr_model *a = train_on(ctx, "bag 8 columns=0.5 of=(knn 3)", t, "y");
    smr_model *b =
        train_on(ctx, "standardize center=no scale=no | bag 8 columns=0.5 of=(knn 3)", t, "y");
    int64_t read[4] = {0};
    for (int64_t k = 0; k < 8; k++) {
        const smr_member *one = &state_of(a)->of.member[k];
        const struct smr_subspace_state *s = one->stages[0].state;
        assert_string_equal(one->stages[0].learner->word->name, "subspace");
        assert_true(one->stages[0].inserted && s->n_kept == 2 && one->shape.n_features == 4);
        for (int64_t j = 0; j < 2; j++) read[s->kept[j]]++;
    }
    for (int j = 0; j < 4; j++) assert_in_range(read[j], 1, 7); /* other features in other bags */
    smr_free(apply(ctx, b, t, SMR_OUTPUT_VALUE));
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    /* Numbers only, so that standardize without centre and scale changes nothing at all. */
    t = open_csv(ctx, "data/diabetes.csv");
    a = train_on(ctx, "bag 6 parts=3 of=(knn 3)", t, "progression");
    b = train_on(ctx, "standardize center=no scale=no | bag 6 parts=3 of=(knn 3)", t,
                 "progression");
    check_same_answers(ctx, a, b, t, SMR_OUTPUT_VALUE, 0);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Texts become sparse rows, of which each bag reads some columns; a text may be drawn itself. */
static void sparse_features_and_texts_are_drawn(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_csv(ctx, "data/messages.csv");
    static const char *const sentences[] = {
        "words max_features=60 | bag 6 columns=0.5 of=(logistic 1)",
        "bag 4 bootstrap=no rows=0.7 of=(words max_features=40 | logistic 1)",
    };
    (void)state;
    for (int i = 0; i < 2; i++) {
        smr_model *m = NULL;
        smr_set_opts opts = {.target = "topic"};
        check_ok(ctx, try_train(ctx, sentences[i], t, &opts, &m));
        smr_model *back = reloaded(ctx, m);
        check_same_answers(ctx, m, back, t, SMR_OUTPUT_PROBA, 0);
        assert_true(state_of(m)->oob_error < 0.5);
        smr_model_free(m);
        smr_model_free(back);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void rounds_grow_to_the_whole(void **state)
{
    enum { BAGS = 9 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = open_csv(ctx, "data/diabetes.csv");
    static const char *const sentences[] = {"bag 9 of=(knn 2)", "bag 9 combine=median of=(knn 2)",
                                            "bag 9 weigh=oob of=(knn 2)"};
    double *x = smr_alloc(ctx, t->n_rows * 10, sizeof *x), out[3], all[3], mean = 0;
    (void)state;
    for (int64_t i = 0; i < t->n_rows; i++) {
        for (int64_t j = 0; j < 10; j++) x[10 * i + j] = smr_column_number(&t->cols[j], i);
        mean += smr_column_number(&t->cols[10], i) / (double)t->n_rows;
    }
    smr_rows rows = {.n = 3, .d = 10, .form = SMR_FORM_F64, .x = x + 70, .stride = 10};
    for (int k = 0; k < 3; k++) {
        smr_model *m = train_on(ctx, sentences[k], t, "progression");
        const smr_stage *s = smr_model_last(m);
        const smr_learner *l = s->learner;
        void *scratch = smr_alloc(ctx, l->fitted->scratch(s->params, s->state, 3), 1);
        assert_int_equal(l->fitted->rounds->count(s->params, s->state), BAGS);
        check_ok(ctx, l->fitted->predict(ctx, s->params, s->state, &rows, SMR_OUTPUT_VALUE, all,
                                         scratch));
        check_ok(ctx, l->fitted->rounds->predict_after(ctx, s->params, s->state, &rows,
                                                       SMR_OUTPUT_VALUE, BAGS, out, scratch));
        assert_memory_equal(all, out, sizeof all);
        check_ok(ctx, l->fitted->rounds->predict_after(ctx, s->params, s->state, &rows,
                                                       SMR_OUTPUT_VALUE, 0, out, scratch));
        check_near("none at all", out[1], mean, 1e-12);
        check_ok(ctx, l->fitted->rounds->predict_after(ctx, s->params, s->state, &rows,
                                                       SMR_OUTPUT_VALUE, 1, out, scratch));
        check_ok(ctx, smr_member_predict(ctx, &state_of(m)->of.member[0], &rows, SMR_OUTPUT_VALUE,
                                         all, scratch));
        for (int i = 0; i < 3; i++) check_near("the first", out[i], all[i], 1e-15);
        smr_free(scratch);
        smr_model_free(m);
    }
    smr_free(x);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Learners without probabilities vote; with probabilities voting is another answer. */
static void votes_are_shares_of_the_bags(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed(ctx, 3, false);
    static const char *const sentences[] = {"bag 8 of=(svm)", "bag 8 combine=vote of=(knn 5)"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        smr_model *m = train_on(ctx, sentences[i], t, "k");
        double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
        assert_int_equal(state_of(m)->way, SMR_COMBINE_VOTE);
        for (int64_t r = 0; r < 3 * MIXED_ROWS; r++) assert_true(8 * p[r] == floor(8 * p[r]));
        assert_true(state_of(m)->oob_error < 0.6 && state_of(m)->oob_error > 0.1);
        smr_free(p);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The classes of weigh=oob from their beginnings: every bag fitted and judged here, its weight by
 * the formula of docs/ensembles.md, and the answers averaged by these weights. */
static void weights_and_answers_follow_the_formula(void **state)
{
    enum { BAGS = 7 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 3, false);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    double sum[3 * MIXED_ROWS] = {0}, said[3 * MIXED_ROWS], weight[BAGS], total = 0;
    int32_t count[MIXED_ROWS];
    int64_t rows[MIXED_ROWS];
    (void)state;
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    smr_data data = {.size = sizeof data, .n_rows = MIXED_ROWS};
    for (int64_t bag = 0; bag < BAGS; bag++) {
        int64_t n = 0, wrong = 0, outside = 0;
        smr_model *m = NULL;
        draw(ctx, &data, false, 1, true, bag, count);
        for (int64_t i = 0; i < MIXED_ROWS; i++)
            for (int32_t k = 0; k < count[i]; k++) rows[n++] = i;
        check_ok(ctx, said_fit(ctx, "knn 5", set, rows, n, &m));
        check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_PROBA, said));
        for (int64_t i = 0; i < MIXED_ROWS; i++) {
            const double *p = said + 3 * i;
            int64_t best = p[1] > p[0] ? 1 : 0;
            if (p[2] > p[best]) best = 2;
            outside += !count[i];
            wrong += !count[i] && best != set->label[i];
        }
        double e = ((double)wrong + 0.5) / ((double)outside + 1);
        weight[bag] = fmax(0, log((1 - e) / e) + log(2));
        total += weight[bag];
        for (int64_t i = 0; i < 3 * MIXED_ROWS; i++) sum[i] += weight[bag] * said[i];
        smr_model_free(m);
    }
    smr_model *m = train_on(ctx, "bag 7 weigh=oob of=(knn 5)", t, "k");
    double *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t k = 0; k < BAGS; k++)
        check_near("weight", state_of(m)->weight[k], BAGS * weight[k] / total, 1e-12);
    for (int64_t i = 0; i < 3 * MIXED_ROWS; i++) check_near("p", got[i], sum[i] / total, 1e-12);
    smr_free(got);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* weigh=oob: the log-odds of each bag's own error, scaled to a mean of 1; numbers: 1 / mse. */
static void bags_may_weigh_by_their_own_errors(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int classes = 0; classes < 2; classes++) {
        smr_table *t = mixed(ctx, classes ? 3 : 0, false);
        smr_model *m = train_on(ctx, "bag 10 weigh=oob of=(knn 3)", t, classes ? "k" : "y");
        const struct smr_bag_state *s = state_of(m);
        double sum = 0, raw[10], total = 0;
        int32_t count[MIXED_ROWS];
        smr_data data = {.size = sizeof data, .n_rows = MIXED_ROWS};
        for (int64_t k = 0; k < 10; k++) {
            int64_t outside = 0;
            draw(ctx, &data, false, 1, true, k, count);
            for (int64_t i = 0; i < MIXED_ROWS; i++) outside += count[i] == 0;
            double w = (double)outside, e = (s->bag_error[k] * w + 0.5) / (w + 1);
            raw[k] = classes ? fmax(0, log((1 - e) / e) + log(2)) : 1 / s->bag_error[k];
            sum += s->weight[k];
            total += raw[k];
        }
        check_near("mean weight", sum, 10, 1e-12);
        for (int k = 0; k < 10; k++) check_near("weight", s->weight[k], 10 * raw[k] / total, 1e-9);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Bagging lowers the error of a learner that follows single rows, and its curve falls. */
static void many_bags_are_better_than_one(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = open_csv(ctx, "data/diabetes.csv");
    (void)state;
    smr_model *m = train_on(ctx, "bag 60 of=(knn 1)", t, "progression");
    const struct smr_bag_state *s = state_of(m);
    double alone = 0;
    for (int k = 0; k < 60; k++) alone += s->bag_error[k] / 60;
    if (!(s->oob_error < 0.8 * alone)) fail_msg("%g, alone %g", s->oob_error, alone);
    assert_true(s->curve[59] < s->curve[4] && s->curve[4] < s->curve[0]);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Learners inside a bag draw numbers of their own: no two inner bags are alike. */
static void bags_have_seeds_of_their_own(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 0, false);
    (void)state;
    smr_model *m = train_on(ctx, "bag 4 bootstrap=no of=(bag 1 of=(knn 1))", t, "y");
    double out[4];
    for (int64_t k = 0; k < 4; k++) {
        const struct smr_bag_state *s = smr_member_last(&state_of(m)->of.member[k])->state;
        out[k] = s->oob_error;
        for (int64_t i = 0; i < k; i++) assert_true(out[i] != out[k]);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- odd data --------------------------------------------------------------------------- */

static smr_model *train_numbers(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .task = SMR_TASK_REGRESS, .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static void one_row_and_constant_targets_are_answered(void **state)
{
    static const char *const names[] = {"a", "y"};
    static const double one[] = {1.5, 4}, same[] = {1, 7, 2, 7, 3, 7, 5, 7, 8, 7};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = matrix_table(ctx, 1, 2, one, names),
              *flat = matrix_table(ctx, 5, 2, same, names);
    (void)state;
    smr_model *m = train_numbers(ctx, "bag 3 of=(knn 1)", t);
    double *y = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    check_near("one row", y[0], 4, 0);
    assert_true(isnan(state_of(m)->oob_error));
    smr_free(y);
    smr_model_free(m);
    m = train_numbers(ctx, "bag 20 weigh=oob of=(knn 1)", flat);
    y = apply(ctx, m, flat, SMR_OUTPUT_VALUE);
    for (int i = 0; i < 5; i++) check_near("constant", y[i], 7, 1e-12);
    smr_free(y);
    smr_model_free(m);
    m = train_numbers(ctx, "bag 3 bootstrap=no weigh=oob of=(knn 1)", flat); /* none to judge by */
    check_heard(&heard, "no learner could be judged, so all get the same weight");
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(flat);
    check_ctx_end(ctx);
}

static void mistakes_are_explained(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *classes = mixed(ctx, 2, false), *numbers = mixed(ctx, 0, false);
    (void)state;
    check_refused(ctx, "bag combine=mean of=(svm)", classes, "k", SMR_ERR_UNSUPPORTED,
                  "svm gives no probabilities to average");
    check_refused(ctx, "bag combine=vote of=(knn)", numbers, "y", SMR_ERR_PARAM,
                  "combine=vote is for classes");
    check_refused(ctx, "bag columns=0.5 parts=3 of=(knn)", numbers, "y", SMR_ERR_PARAM,
                  "columns and parts are both given");
    check_refused(ctx, "bag parts=1 of=(knn)", numbers, "y", SMR_ERR_PARAM, "2 is the least");
    check_refused(ctx, "bag bootstrap=no weights=draw of=(knn)", numbers, "y", SMR_ERR_PARAM,
                  "needs bootstrap=yes");
    check_refused(ctx, "bag of=(poisson)", numbers, "y", SMR_ERR_DATA,
                  "(while fitting of.0, poisson");
    check_refused(ctx, "bag of=(standardize)", numbers, "y", SMR_ERR_PARAM,
                  "standardize can transform; a learner that can");
    smr_table_free(classes);
    smr_table_free(numbers);
    check_ctx_end(ctx);
}

/* Weights that are passed on reach the learners; drawn by, they do not. */
static void weights_are_passed_on_or_drawn_by(void **state)
{
    enum { ROWS = 60 };
    static const char *const names[] = {"a", "w", "y"};
    smr_ctx *ctx = check_ctx(1);
    double v[3 * ROWS], mean[2] = {0};
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        v[3 * i] = noise(i, 1);
        v[3 * i + 1] = i < 20 ? 10 : i < 50 ? 0.1 : 0;
        v[3 * i + 2] = i < 20 ? 1 : i < 50 ? -1 : 1e6;
    }
    smr_table *t = matrix_table(ctx, ROWS, 3, v, names);
    smr_set_opts opts = {.target = "y", .weight = "w", .task = SMR_TASK_REGRESS, .keep_all = true};
    for (int k = 0; k < 2; k++) { /* the mean of all rows: 20 * 10 of 1 against 30 * 0.1 of -1 */
        smr_model *m = NULL;
        check_ok(ctx,
                 try_train(ctx, k ? "bag 40 weights=draw of=(knn 1000)" : "bag 40 of=(knn 1000)", t,
                           &opts, &m));
        double *y = apply(ctx, m, t, SMR_OUTPUT_VALUE);
        mean[k] = y[0];
        smr_free(y);
        smr_model_free(m);
        check_near("weighted mean", mean[k], (200.0 - 3) / 203, 0.02);
    }
    assert_true(mean[0] != mean[1]);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void lives_are_the_same_everywhere(void **state)
{
    (void)state;
    check_life("bag 11 of=(knn 3)", mixed, 3);
    check_life("bag 9 parts=3 weigh=oob combine=vote of=(logistic 1)", mixed, 2);
    check_life("bag 7 columns=0.5 rows=0.6 bootstrap=no combine=median of=(ridge 1)", mixed, 0);
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, true), *y = mixed(ctx, 0, false);
    struct life a = {"bag 3 parts=2 weigh=oob of=(knn 3)", "k", t};
    struct life b = {
        "standardize | bag 3 columns=0.5 combine=median bootstrap=no rows=0.5 of=(knn 3)", "y", y};
    (void)state;
    assert_true(fail_each_allocation(ctx, live, &a) > 50);
    assert_true(fail_each_allocation(ctx, live, &b) > 50);
    smr_table_free(t);
    smr_table_free(y);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bootstrap_holds_as_many_rows_as_it_should),
        cmocka_unit_test(draws_without_replacement_take_a_row_once),
        cmocka_unit_test(draws_by_weight_follow_the_weights),
        cmocka_unit_test(groups_are_drawn_whole),
        cmocka_unit_test(parts_leave_out_every_feature_once),
        cmocka_unit_test(one_bag_of_all_rows_is_the_learner),
        cmocka_unit_test(it_is_made_of_its_draws),
        cmocka_unit_test(out_of_bag_scores_are_those_of_scikit_learn),
        cmocka_unit_test(features_are_drawn_however_they_are_kept),
        cmocka_unit_test(sparse_features_and_texts_are_drawn),
        cmocka_unit_test(rounds_grow_to_the_whole),
        cmocka_unit_test(votes_are_shares_of_the_bags),
        cmocka_unit_test(weights_and_answers_follow_the_formula),
        cmocka_unit_test(bags_may_weigh_by_their_own_errors),
        cmocka_unit_test(many_bags_are_better_than_one),
        cmocka_unit_test(bags_have_seeds_of_their_own),
        cmocka_unit_test(one_row_and_constant_targets_are_answered),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(weights_are_passed_on_or_drawn_by),
        cmocka_unit_test(lives_are_the_same_everywhere),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("bag", tests, NULL, NULL);
}
