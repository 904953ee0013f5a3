/* test_cv_run.c -- scores of a sentence over the rounds of a plan. */
#include "cv_tables.h"
#include "said_study.h"

#include "study/evaluate.h"

struct bench {
    smr_ctx *ctx;
    smr_table *table;
    smr_train_set *set;
    smr_cv_plan *plan;
};

static struct bench set_up(int threads, int64_t n, const char *target, smr_cv_opts opts)
{
    struct bench b = {.ctx = check_ctx(threads)};
    b.table = cv_table(b.ctx, n);
    b.set = cv_set(b.ctx, b.table, target, NULL, "w");
    b.plan = cv_plan(b.ctx, b.set, opts);
    return b;
}

static void tear_down(struct bench *b)
{
    smr_cv_plan_free(b->plan);
    smr_train_set_free(b->set);
    smr_table_free(b->table);
    check_ctx_end(b->ctx);
}

static smr_cv_scores run(const struct bench *b, const char *sentence, smr_cv_run_opts opts)
{
    smr_cv_scores s;
    check_ok(b->ctx, said_cv(b->ctx, sentence, b->set, b->plan, &opts, &s));
    return s;
}

/* Each round against a fit and an evaluation made by themselves. */
static void check_rounds(const char *target, const char *sentence, smr_cv_opts how)
{
    struct bench b = set_up(2, 71, target, how);
    smr_cv_scores s = run(&b, sentence, (smr_cv_run_opts){.measure_train = true});
    int64_t *train = smr_alloc(b.ctx, smr_cv_most_train(b.plan), sizeof *train);
    assert_int_equal(s.n_rounds, smr_cv_rounds(b.plan));
    for (int64_t r = 0; r < s.n_rounds; r++) {
        int64_t n_train, n_test;
        const int64_t *test;
        smr_model *model = NULL;
        smr_cv_round(b.plan, r, train, &n_train, &test, &n_test);
        assert_int_equal(s.n_test[r], n_test);
        assert_true(s.fit_seconds[r] > 0 && s.predict_seconds[r] > 0);
        check_ok(b.ctx, said_fit(b.ctx, sentence, b.set, train, n_train, &model));
        for (int on_train = 0; on_train < 2; on_train++) {
            smr_json_doc *doc = NULL;
            smr_sample sample = {b.table, on_train ? train : test, on_train ? n_train : n_test,
                                 b.set->weight};
            const double *got = (on_train ? s.train_score : s.score) + r * s.n_measures;
            check_ok(b.ctx, smr_json_create(b.ctx, &doc));
            check_ok(b.ctx,
                     smr_evaluate_sample(b.ctx, model, &sample, smr_json_root(doc), NULL, NULL));
            for (int64_t m = 0; m < s.n_measures; m++) {
                const smr_json *v = smr_json_get(smr_json_root(doc), s.measures[m]->name);
                assert_non_null(v);
                double want = v->type == SMR_JSON_NUMBER ? v->number : NAN;
                check_near(s.measures[m]->name, got[m], want, 0);
            }
            smr_json_free(doc);
        }
        smr_model_free(model);
    }
    smr_free(train);
    smr_cv_scores_release(&s);
    tear_down(&b);
}

static void a_round_is_a_fit_and_an_evaluation(void **state)
{
    (void)state;
    check_rounds("y", "standardize | ridge 0.1", (smr_cv_opts){.folds = 4, .repeats = 2});
    check_rounds("k", "standardize | knn 3", (smr_cv_opts){.folds = 4, .repeats = 2});
    check_rounds("y", "knn 2", (smr_cv_opts){.kind = SMR_CV_ORDERED});
    check_rounds("k", "knn 2", (smr_cv_opts){.kind = SMR_CV_HOLDOUT, .repeats = 3});
}

/* The nearest other row, found by hand. */
static void leave_one_out_of_the_nearest_neighbour_is_counted_by_hand(void **state)
{
    enum { N = 37 };
    double x[N * 2], y[N];
    static const char *const names[] = {"x0", "x1", "y"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, N, 3);
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        x[i] = noise(i, 1);
        x[N + i] = noise(i, 2);
        y[i] = x[i] + 0.5 * noise(i, 3) > 0.2;
    }
    put_numbers(ctx, t, 0, names[0], x);
    put_numbers(ctx, t, 1, names[1], x + N);
    put_numbers(ctx, t, 2, names[2], y);
    int64_t right = 0;
    double guess[N];
    for (int64_t i = 0; i < N; i++) {
        double best = INFINITY;
        for (int64_t j = 0; j < N; j++) {
            double d = hypot(x[i] - x[j], x[N + i] - x[N + j]);
            if (j == i || d >= best) continue;
            best = d;
            guess[i] = y[j];
        }
        right += guess[i] == y[i];
    }
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    check_ok(ctx, said_set(ctx, t, "knn 1", &opts, &set));
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_EACH});
    smr_cv_scores s;
    smr_cv_run_opts how = {.keep_predictions = true};
    check_ok(ctx, said_cv(ctx, "knn 1", set, plan, &how, &s));
    int64_t m = smr_cv_find(&s, "accuracy");
    check_near("pooled", s.pooled[m], (double)right / N, 1e-15);
    smr_cv_summary sum = smr_cv_summarize(plan, &s, m, 0.95);
    check_near("mean", sum.mean, (double)right / N, 1e-15);
    assert_int_equal(sum.n, N);
    /* one row has no area under its curve, all rows together have */
    int64_t auc = smr_cv_find(&s, "auc");
    assert_true(isnan(s.score[auc]) && !isnan(s.pooled[auc]));
    assert_int_equal(smr_cv_summarize(plan, &s, auc, 0.95).n, 0);
    assert_int_equal(s.width, 2);
    assert_int_equal(s.output, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(s.round_of[i], i);
        assert_true(s.prediction[2 * i + (guess[i] == 1)] == 1);
    }
    assert_int_equal(smr_cv_find(&s, "r2"), -1);
    smr_cv_scores_release(&s);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Pooled r2 from the kept predictions, and which rows were measured when. */
static void predictions_are_kept_where_they_were_made(void **state)
{
    struct bench b = set_up(2, 53, "y", (smr_cv_opts){.kind = SMR_CV_ORDERED, .folds = 4});
    smr_cv_scores s = run(&b, "linear", (smr_cv_run_opts){.keep_predictions = true});
    double W = 0, sum = 0, total = 0, residual = 0;
    (void)state;
    assert_int_equal(s.width, 1);
    assert_int_equal(s.output, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < 53; i++) {
        assert_int_equal(s.round_of[i], i < 14 ? -1 : i < 27 ? 0 : i < 40 ? 1 : 2);
        assert_true(isnan(s.prediction[i]) == (i < 14));
        W += i < 14 ? 0 : b.set->weight[i];
        sum += i < 14 ? 0 : b.set->weight[i] * b.set->y[i];
    }
    for (int64_t i = 14; i < 53; i++) {
        double e = b.set->y[i] - s.prediction[i], d = b.set->y[i] - sum / W;
        residual += b.set->weight[i] * e * e;
        total += b.set->weight[i] * d * d;
    }
    check_near("pooled r2", s.pooled[smr_cv_find(&s, "r2")], 1 - residual / total, 1e-12);
    check_near("pooled mse", s.pooled[smr_cv_find(&s, "mse")], residual / W, 1e-12);
    smr_cv_scores_release(&s);
    tear_down(&b);
}

/* Repetitions are pooled each by itself: mean of what a run over each gives. */
static void pooled_measures_are_means_over_repetitions(void **state)
{
    struct bench b = set_up(2, 64, "k", (smr_cv_opts){.folds = 3, .repeats = 3});
    smr_cv_scores all = run(&b, "knn 3", (smr_cv_run_opts){0}), part;
    double sum[64] = {0};
    (void)state;
    for (int64_t rep = 0; rep < 3; rep++) {
        part = run(&b, "knn 3", (smr_cv_run_opts){.first = 3 * rep, .n = 3});
        assert_int_equal(part.n_rounds, 3);
        assert_memory_equal(part.score, all.score + 3 * rep * all.n_measures,
                            (size_t)(3 * all.n_measures) * sizeof(double));
        for (int64_t m = 0; m < all.n_measures; m++) sum[m] += part.pooled[m];
        smr_cv_scores_release(&part);
    }
    for (int64_t m = 0; m < all.n_measures; m++)
        check_near(all.measures[m]->name, all.pooled[m], sum[m] / 3, 1e-15);
    smr_cv_scores_release(&all);
    tear_down(&b);
}

static void only_the_measures_asked_for_are_made(void **state)
{
    struct bench b = set_up(1, 50, "k", (smr_cv_opts){0});
    const smr_measure *list[] = {smr_measure_find("f1_macro", SMR_TASK_CLASSIFY),
                                 smr_measure_find("accuracy", SMR_TASK_CLASSIFY)};
    smr_cv_scores all = run(&b, "knn", (smr_cv_run_opts){0});
    smr_cv_scores two =
        run(&b, "knn", (smr_cv_run_opts){.measures = list, .n_measures = 2, .rounds_only = true});
    (void)state;
    assert_int_equal(two.n_measures, 2);
    assert_ptr_equal(two.measures[0], list[0]);
    assert_null(two.pooled);
    int64_t m = smr_cv_find(&all, "accuracy");
    for (int64_t r = 0; r < 5; r++)
        assert_true(two.score[2 * r + 1] == all.score[r * all.n_measures + m]);
    smr_cv_scores_release(&all);
    smr_cv_scores_release(&two);
    tear_down(&b);
}

/* A share of the rows: as many as asked for, classes kept in proportion, the measured rows
 * untouched.  A nearest neighbour predicts its own row without error, so that the figure on the
 * fitted rows shows that these, and no others, were fitted. */
static void a_share_of_the_rows_can_be_fitted(void **state)
{
    struct bench b = set_up(2, 120, "k", (smr_cv_opts){.folds = 4});
    smr_cv_scores s =
        run(&b, "knn 1", (smr_cv_run_opts){.train_share = 0.2, .measure_train = true});
    smr_cv_scores whole = run(&b, "knn 1", (smr_cv_run_opts){0});
    int64_t m = smr_cv_find(&s, "accuracy"), differ = 0;
    (void)state;
    for (int64_t r = 0; r < 4; r++) {
        assert_int_equal(s.n_test[r], 30);
        assert_true(s.train_score[r * s.n_measures + m] == 1);
        differ += s.score[r * s.n_measures + m] != whole.score[r * s.n_measures + m];
    }
    assert_true(differ > 0);
    smr_cv_scores_release(&s);
    smr_cv_scores_release(&whole);
    tear_down(&b);
    b = set_up(1, 120, "y", (smr_cv_opts){.kind = SMR_CV_ORDERED, .folds = 3});
    s = run(&b, "knn 1", (smr_cv_run_opts){.train_share = 0.5, .measure_train = true});
    assert_true(s.train_score[smr_cv_find(&s, "mse")] == 0);
    smr_cv_scores_release(&s);
    tear_down(&b);
}

static void threads_do_not_change_a_bit(void **state)
{
    static const struct {
        const char *target, *sentence;
    } cases[] = {{"y", "poly 2 | ridge 0.3"}, {"k", "standardize | knn 4"}};
    static const int threads[] = {1, 2, 7, 30};
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_cv_scores first = {0};
        struct bench b1 = {0};
        for (int64_t i = 0; i < SMR_COUNT(threads); i++) {
            struct bench b =
                set_up(threads[i], 301, cases[c].target, (smr_cv_opts){.folds = 5, .repeats = 3});
            smr_cv_scores s = run(&b, cases[c].sentence,
                                  (smr_cv_run_opts){.keep_predictions = true, .train_share = 0.7});
            if (i == 0) {
                first = s;
                b1 = b;
                continue;
            }
            size_t bytes = (size_t)(s.n_rounds * s.n_measures) * sizeof *s.score;
            assert_memory_equal(s.score, first.score, bytes);
            assert_memory_equal(s.pooled, first.pooled, (size_t)s.n_measures * sizeof *s.pooled);
            assert_memory_equal(s.prediction, first.prediction,
                                (size_t)(301 * s.width) * sizeof *s.prediction);
            smr_cv_scores_release(&s);
            tear_down(&b);
        }
        smr_cv_scores_release(&first);
        tear_down(&b1);
    }
}

static void what_cannot_be_run_is_refused(void **state)
{
    struct bench b = set_up(2, 40, "k", (smr_cv_opts){0});
    smr_train_set *other = cv_set(b.ctx, b.table, "k", NULL, NULL);
    smr_cv_scores s;
    (void)state;
#define REFUSED(sentence, set_, opts, status, part) \
    check_fails(b.ctx, said_cv(b.ctx, sentence, set_, b.plan, opts, &s), status, part)
    REFUSED("ridge", b.set, NULL, SMR_ERR_PARAM, "ridge does not classify; it predicts numbers");
    REFUSED("standardize", b.set, NULL, SMR_ERR_PARAM,
            "standardize predicts nothing that could be measured; end the sentence");
    REFUSED("knnn", b.set, NULL, SMR_ERR_PARAM, "did you mean 'knn'?");
    REFUSED("knn", other, NULL, SMR_ERR_STATE, "made for another training set");
    REFUSED("knn", b.set, &(smr_cv_run_opts){.first = 4}, SMR_OK, "");
    smr_cv_scores_release(&s);
    REFUSED("knn", b.set, (&(smr_cv_run_opts){.first = 4, .n = 2}), SMR_ERR_PARAM,
            "rounds 4 to 6 are asked for, and the plan has 5");
    REFUSED("knn", b.set, &(smr_cv_run_opts){.first = 5}, SMR_ERR_PARAM,
            "rounds 5 to 5 are asked for, and the plan has 5");
    REFUSED("knn", b.set, &(smr_cv_run_opts){.train_share = 1.5}, SMR_ERR_PARAM,
            "the share to fit on lies between 0 and 1");
#undef REFUSED
    smr_train_set_free(other);
    tear_down(&b);
}

/* The square of row 5 is infinite; in order of time it is met first when it is measured. */
static void a_failing_round_is_named(void **state)
{
    static const int threads[] = {1, 2, 13};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(threads); i++) {
        smr_ctx *ctx = check_ctx(threads[i]);
        smr_table *t = table_of(ctx, "x,y\n1,1.5\n2,2\n.3,1.7\n7,2.5\n8,1\n1e200,3\n3,1\n5,9\n");
        smr_train_set *set = NULL;
        smr_set_opts opts = {.target = "y", .keep_all = true};
        smr_cv_scores s;
        check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_ORDERED, .folds = 8});
        check_fails(ctx, said_cv(ctx, "poly 2 | knn 1", set, plan, NULL, &s), SMR_ERR_DATA,
                    "(while cross-validating, round 5 of 7)");
        assert_null(s.score);
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void warnings_are_told_once(void **state)
{
    static const int threads[] = {1, 2, 11};
    static char first[sizeof((struct heard *)0)->text];
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(threads); i++) {
        struct heard heard;
        smr_ctx *ctx = hearing_ctx(&heard);
        ctx->n_threads = threads[i];
        smr_table *t = cv_table(ctx, 60);
        for (int64_t r = 0; r < 60; r++) ((double *)t->cols[1].values)[r] = 3; /* constant */
        smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){0});
        smr_cv_scores s;
        check_silent(&heard);
        check_ok(ctx, said_cv(ctx, "linear", set, plan, NULL, &s));
        check_heard(&heard, "(in every round)");
        assert_true(heard.n >= 1 && heard.n <= 3);
        if (i == 0) memcpy(first, heard.text, sizeof first);
        assert_string_equal(heard.text, first);
        assert_ptr_equal(ctx->log_user, &heard);
        smr_cv_scores_release(&s);
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

struct watch {
    int64_t calls, last, total, stop_at;
};

static int watch_progress(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    struct watch *w = user;
    (void)figure;
    assert_string_equal(what, "cross-validating");
    assert_true(done >= w->last && done <= total);
    w->calls++;
    w->last = done;
    w->total = total;
    return w->calls == w->stop_at;
}

/* progress_last far in the past makes every tick report. */
static void progress_counts_rounds_and_cancels(void **state)
{
    (void)state;
    for (int threads = 1; threads < 20; threads += 9) {
        struct bench b = set_up(threads, 400, "k", (smr_cv_opts){.repeats = 2});
        struct watch w = {0};
        smr_cv_scores s;
        b.ctx->progress = watch_progress;
        b.ctx->progress_user = &w;
        check_ok(b.ctx, said_cv(b.ctx, "knn", b.set, b.plan, NULL, &s));
        smr_cv_scores_release(&s);
        assert_true(w.calls >= 1);
        assert_int_equal(w.total, 10);
        assert_ptr_equal(b.ctx->progress_user, &w);
        w = (struct watch){.stop_at = 1};
        b.ctx->progress_last = -1e9;
        check_fails(b.ctx, said_cv(b.ctx, "knn", b.set, b.plan, NULL, &s), SMR_ERR_CANCELLED,
                    "cancelled");
        b.ctx->progress = NULL;
        smr_ctx_cancel(b.ctx);
        check_fails(b.ctx, said_cv(b.ctx, "knn", b.set, b.plan, NULL, &s), SMR_ERR_CANCELLED,
                    "cancelled");
        tear_down(&b);
    }
}

/* knn holds its training rows: a second model at the same time would be a third copy of the
 * data.  What is held before the run is one copy: table, targets, row numbers.  A twentieth on top
 * is the fit's own row numbers and buffers, which twelve columns do not quite outweigh. */
static void no_more_than_two_copies_of_the_data_are_held(void **state)
{
    check_no_sanitizer();
    enum { N = 150001, D = 12 };
    static const char *const sentences[] = {"ridge", "knn"};
    static double x[N];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, N, D + 1);
    char name[16];
    (void)state;
    for (int64_t j = 0; j <= D; j++) {
        for (int64_t i = 0; i < N; i++) x[i] = noise(i, j);
        snprintf(name, sizeof name, "x%d", (int)j);
        put_numbers(ctx, t, j, name, x);
    }
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "x12", .keep_all = true};
    const smr_measure *r2 = smr_measure_find("r2", SMR_TASK_REGRESS);
    smr_cv_run_opts how = {.measures = &r2, .n_measures = 1, .rounds_only = true, .n = 3};
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    smr_cv_plan *plan =
        cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_HOLDOUT, .holdout = 0.05, .repeats = 3});
    for (int64_t c = 0; c < SMR_COUNT(sentences); c++) {
        smr_cv_scores s;
        int64_t data = smr_ctx_memory(ctx, NULL), peak;
        check_ok(ctx, said_cv(ctx, sentences[c], set, plan, &how, &s));
        smr_cv_scores_release(&s);
        smr_ctx_memory(ctx, &peak);
        if (peak > 2 * data + data / 20)
            fail_msg("%s: %.1f MB at most, and the data have %.1f", sentences[c],
                     (double)peak / 1e6, (double)data / 1e6);
    }
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status run_once(smr_ctx *ctx, void *arg)
{
    struct bench *b = arg;
    smr_cv_scores s;
    smr_cv_run_opts how = {.keep_predictions = true, .measure_train = true, .train_share = 0.9};
    smr_status st = said_cv(ctx, "impute | knn 2", b->set, b->plan, &how, &s);
    if (st == SMR_OK) smr_cv_scores_release(&s);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    struct bench b = set_up(1, 30, "k", (smr_cv_opts){.folds = 2});
    (void)state;
    assert_true(fail_each_allocation(b.ctx, run_once, &b) > 50);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_a_fit_and_an_evaluation),
        cmocka_unit_test(leave_one_out_of_the_nearest_neighbour_is_counted_by_hand),
        cmocka_unit_test(predictions_are_kept_where_they_were_made),
        cmocka_unit_test(pooled_measures_are_means_over_repetitions),
        cmocka_unit_test(only_the_measures_asked_for_are_made),
        cmocka_unit_test(a_share_of_the_rows_can_be_fitted),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(what_cannot_be_run_is_refused),
        cmocka_unit_test(a_failing_round_is_named),
        cmocka_unit_test(warnings_are_told_once),
        cmocka_unit_test(progress_counts_rounds_and_cancels),
        cmocka_unit_test(no_more_than_two_copies_of_the_data_are_held),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
