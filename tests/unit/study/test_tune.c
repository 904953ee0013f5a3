/* Tuning: the winner is the one that cross-validation by hand finds, the held-out rows are never
 * seen, and neither threads nor an interruption change the result. */
#include "cv_tables.h"
#include "said_study.h"

#include "core/number.h"
#include "study/answers.h"
#include "study/holdout.h"
#include "study/tune.h"

#include <unistd.h>

enum { ROWS = 83 };
static const char LOG[] = "test_tune.log";

/* What a search reported. */
struct told {
    smr_json_doc *doc;
    const smr_json *root;
};

static smr_status try_search(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                             const smr_tune_opts *opts, struct told *told)
{
    smr_status st = SMR_OK;
    told->doc = NULL;
    TRY(smr_json_create(ctx, &told->doc));
    told->root = smr_json_root(told->doc);
    TRY(said_tune(ctx, sentence, set, opts, NULL, smr_json_root(told->doc)));
out:
    if (st != SMR_OK) {
        smr_json_free(told->doc);
        told->doc = NULL;
    }
    return st;
}

static struct told search(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                          smr_tune_opts opts)
{
    struct told told;
    check_ok(ctx, try_search(ctx, sentence, set, &opts, &told));
    return told;
}

static const smr_json *item(const smr_json *array, int64_t i)
{
    const smr_json *x = array->first;
    while (x && i-- > 0) x = x->next;
    assert_non_null(x);
    return x;
}

static double number_of(const smr_json *object, const char *key)
{
    double x = smr_json_get_number(object, key, NAN);
    if (isnan(x)) fail_msg("no number '%s'", key);
    return x;
}

/* The text of all that is reported, without times and what came from a log. */
static char *text_of(smr_ctx *ctx, const smr_json *root)
{
    static const char *const volatile_keys[] = {"seconds\":", "from_log\":"};
    smr_text text = {.ctx = ctx};
    smr_json_write(root, 2, &text);
    check_ok(ctx, smr_text_done(&text));
    for (int64_t k = 0; k < SMR_COUNT(volatile_keys); k++)
        for (char *at = text.bytes; (at = strstr(at, volatile_keys[k]));) {
            at += strlen(volatile_keys[k]);
            char *end = at + strcspn(at, ",\n}");
            memmove(at, end, strlen(end) + 1);
        }
    return text.bytes;
}

static void check_same(smr_ctx *ctx, const smr_json *a, const smr_json *b, const char *what)
{
    char *x = text_of(ctx, a), *y = text_of(ctx, b);
    if (strcmp(x, y) != 0) {
        size_t i = 0;
        while (x[i] == y[i]) i++;
        i = i < 80 ? 0 : i - 80;
        fail_msg("%s: '%.160s' is not '%.160s'", what, x + i, y + i);
    }
    smr_free(x);
    smr_free(y);
}

/* ---- the winner ------------------------------------------------------------------------- */

/* The mean over the rounds of a plan, by cross-validation alone. */
static double mean_score(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                         const smr_cv_plan *plan, const char *measure)
{
    smr_cv_scores scores = {0};
    check_ok(ctx, said_cv(ctx, sentence, set, plan, NULL, &scores));
    double mean = smr_cv_summarize(plan, &scores, smr_cv_find(&scores, measure), 0.9).mean;
    smr_cv_scores_release(&scores);
    return mean;
}

/* Without rows held out, the trials are cross-validations of the same plan. */
static void check_grid_by_hand(const char *target, const char *measure, bool higher)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, target, NULL, NULL);
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 4, .repeats = 2});
    struct told told = search(ctx, "standardize | knn", set,
                              (smr_tune_opts){.over = "k=1..9:4 weight=*",
                                              .folds = 4,
                                              .repeats = 2,
                                              .holdout = -1,
                                              .measure = measure});
    const smr_json *trials = smr_json_get(told.root, "trials");
    double best = higher ? -INFINITY : INFINITY;
    int64_t winner = -1, i = 0;
    assert_int_equal(trials->n, 6);
    for (int k = 1; k <= 9; k += 4)
        for (int w = 0; w < 2; w++, i++) {
            char sentence[64];
            snprintf(sentence, sizeof sentence, "standardize | knn %d weight=%s", k,
                     w ? "distance" : "uniform");
            double mean = mean_score(ctx, sentence, set, plan, measure);
            check_near(sentence, number_of(item(trials, i), "score"), mean, 1e-15);
            if (higher ? mean > best : mean < best) {
                best = mean;
                winner = i;
            }
        }
    assert_int_equal(number_of(smr_json_get(told.root, "winner"), "trial"), winner + 1);
    check_near("start", number_of(smr_json_get(told.root, "start"), "score"),
               mean_score(ctx, "standardize | knn", set, plan, measure), 1e-15);
    assert_null(smr_json_get(told.root, "optimism"));
    smr_json_free(told.doc);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void the_grid_is_cross_validation_of_every_point(void **state)
{
    (void)state;
    check_grid_by_hand("k", "accuracy", true);
    check_grid_by_hand("k", "log_loss", false);
    check_grid_by_hand("y", "rmse", false);
    check_grid_by_hand("y", "r2", true);
}

static void the_measure_follows_the_task(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *k = cv_set(ctx, t, "k", NULL, NULL), *y = cv_set(ctx, t, "y", NULL, NULL);
    struct told a = search(ctx, "knn", k, (smr_tune_opts){.over = "k=1,2"});
    struct told b = search(ctx, "knn", y, (smr_tune_opts){.over = "k=1,2"}), c;
    (void)state;
    assert_string_equal(smr_json_get_string(a.root, "measure", ""), "accuracy");
    assert_true(smr_json_get_bool(a.root, "higher_is_better", false));
    assert_string_equal(smr_json_get_string(b.root, "measure", ""), "rmse");
    assert_false(smr_json_get_bool(b.root, "higher_is_better", true));
    check_fails(ctx, try_search(ctx, "knn", k, &(smr_tune_opts){.measure = "acuracy"}, &c),
                SMR_ERR_PARAM, "did you mean 'accuracy'?");
    check_fails(ctx, try_search(ctx, "knn", k, &(smr_tune_opts){.measure = "rmse"}, &c),
                SMR_ERR_PARAM, "rmse measures predicted numbers");
    check_fails(ctx, try_search(ctx, "knn", k, &(smr_tune_opts){.measure = "f1,auc"}, &c),
                SMR_ERR_PARAM, "one measure decides");
    smr_json_free(a.doc);
    smr_json_free(b.doc);
    smr_train_set_free(k);
    smr_train_set_free(y);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* From the trials' own figures: within best - se, the largest k (simpler is high). */
static void one_standard_error_takes_the_simplest(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    struct told told =
        search(ctx, "standardize | knn", set, (smr_tune_opts){.over = "k=1..25", .one_se = true});
    const smr_json *best = smr_json_get(told.root, "best");
    const smr_json *trials = smr_json_get(told.root, "trials");
    double least = number_of(best, "score") - number_of(best, "se"), largest = 0;
    (void)state;
    for (const smr_json *x = trials->first; x; x = x->next) {
        assert_true(number_of(x, "score") <= number_of(best, "score"));
        if (number_of(x, "score") >= least)
            largest = fmax(largest, number_of(smr_json_get(x, "params"), "knn.k"));
    }
    const smr_json *winner = smr_json_get(told.root, "winner");
    check_near("k", number_of(smr_json_get(winner, "params"), "knn.k"), largest, 0);
    assert_true(largest > number_of(smr_json_get(best, "params"), "knn.k"));
    smr_json_free(told.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- rows that are never seen ----------------------------------------------------------- */

/* Other answers in the held-out rows change what is measured there, and nothing else. */
static void the_search_never_sees_the_held_out_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_tune_opts opts = {.over = "l2=0.01..100/5", .holdout = 0.3};
    struct told before = search(ctx, "impute | ridge", set, opts);
    smr_parts parts = {0};
    double share = 0.3, *y = t->cols[4].values;
    (void)state;
    check_ok(ctx, smr_set_holdout(ctx, set, &share, 1, &parts));
    assert_int_equal(smr_part_size(&parts, 1), 25);
    smr_train_set_free(set);
    for (int64_t i = 0; i < 25; i++) y[smr_part_rows(&parts, 1)[i]] = 1e4 * noise(i, 77);
    set = cv_set(ctx, t, "y", NULL, NULL);
    struct told after = search(ctx, "impute | ridge", set, opts);
    check_same(ctx, smr_json_get(before.root, "trials"), smr_json_get(after.root, "trials"),
               "trials");
    check_same(ctx, smr_json_get(before.root, "winner"), smr_json_get(after.root, "winner"),
               "winner");
    double a = number_of(item(smr_json_get(before.root, "scores"), 0), "unseen rows");
    double b = number_of(item(smr_json_get(after.root, "scores"), 0), "unseen rows");
    assert_true(a < 2 && b > 1000);
    smr_json_free(before.doc);
    smr_json_free(after.doc);
    smr_parts_release(&parts);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The winner's score there is that of a model fitted on the other part. */
static void the_unseen_score_is_that_of_a_fit_on_the_other_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, "w");
    struct told told = search(ctx, "impute | ridge", set, (smr_tune_opts){.over = "l2=3,4"});
    const char *winner = smr_json_get_string(smr_json_get(told.root, "winner"), "spec", "");
    smr_parts parts = {0};
    smr_model *model = NULL;
    smr_json_doc *doc = NULL;
    double share = 0.2;
    (void)state;
    check_ok(ctx, smr_set_holdout(ctx, set, &share, 1, &parts));
    check_ok(ctx, said_fit(ctx, winner, set, smr_part_rows(&parts, 0), smr_part_size(&parts, 0),
                           &model));
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_sample sample = {.table = t,
                         .rows = smr_part_rows(&parts, 1),
                         .n_rows = smr_part_size(&parts, 1),
                         .weight = set->weight};
    check_ok(ctx, smr_evaluate_sample(ctx, model, &sample, smr_json_root(doc), NULL, NULL));
    check_near("unseen", number_of(item(smr_json_get(told.root, "scores"), 0), "unseen rows"),
               number_of(smr_json_root(doc), "rmse"), 1e-15);
    smr_json_free(doc);
    smr_json_free(told.doc);
    smr_model_free(model);
    smr_parts_release(&parts);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Each outer fold by hand: a search on the other rows, its winner fitted on them, measured on the
 * fold. */
static void nested_folds_judge_the_search_on_rows_it_never_saw(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL), part = *set;
    smr_tune_opts opts = {.over = "l2=0.01..100/5", .folds = 4, .nested = 3};
    struct told told = search(ctx, "impute | ridge", set, opts);
    const smr_json *nested = smr_json_get(told.root, "nested");
    smr_cv_plan *outer = cv_plan(ctx, set, (smr_cv_opts){.folds = 3});
    int64_t train[ROWS], n_test;
    double sum = 0;
    (void)state;
    for (int64_t k = 0; k < 3; k++) {
        const smr_json *row = item(smr_json_get(nested, "table"), k);
        const int64_t *test;
        smr_model *model = NULL;
        smr_json_doc *doc = NULL;
        smr_cv_round(outer, k, train, &part.n_rows, &test, &n_test);
        part.usable = train;
        struct told inner = search(ctx, "impute | ridge", &part,
                                   (smr_tune_opts){.over = opts.over, .folds = 4, .holdout = -1});
        const smr_json *winner = smr_json_get(inner.root, "winner");
        check_near("validation", number_of(row, "validation"), number_of(winner, "score"), 0);
        check_ok(ctx, said_fit(ctx, smr_json_get_string(winner, "spec", ""), set, train,
                               part.n_rows, &model));
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_sample sample = {.table = t, .rows = test, .n_rows = n_test};
        check_ok(ctx, smr_evaluate_sample(ctx, model, &sample, smr_json_root(doc), NULL, NULL));
        check_near("unseen", number_of(row, "unseen rows"), number_of(smr_json_root(doc), "rmse"),
                   1e-15);
        sum += number_of(row, "unseen rows");
        smr_json_free(doc);
        smr_json_free(inner.doc);
        smr_model_free(model);
    }
    check_near("mean", number_of(nested, "mean"), sum / 3, 1e-15);
    /* the folds' fits share rows: sd sqrt(1/3 + (1/3) / (2/3)) */
    check_near("se", number_of(nested, "se"), number_of(nested, "sd") * sqrt(1.0 / 3 + 0.5), 1e-12);
    smr_json_free(told.doc);
    smr_cv_plan_free(outer);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* In order of time the held-out rows are the last ones: their answers are poisoned. */
static void with_an_order_the_latest_rows_are_held_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, ROWS);
    smr_cv_ask ask = {.ordered = true};
    smr_tune_how how = {.ask = &ask};
    smr_tune_opts opts = {.over = "l2=1,5", .holdout = 0.25};
    double *y = t->cols[4].values, score[2] = {0};
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
        smr_json_doc *doc = NULL;
        check_ok(ctx, smr_json_create(ctx, &doc));
        check_ok(ctx, said_tune(ctx, "impute | ridge", set, &opts, &how, smr_json_root(doc)));
        score[turn] = number_of(smr_json_get(smr_json_root(doc), "winner"), "score");
        assert_int_equal(number_of(smr_json_get(smr_json_root(doc), "test"), "rows"), 21);
        smr_json_free(doc);
        smr_train_set_free(set);
        for (int64_t i = ROWS - 21; i < ROWS; i++) y[i] = -1e6;
    }
    assert_true(score[0] == score[1]);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Column w is 1, 2, 3, 1, ...: 28, 28 and 27 rows.  A quarter is 21 rows, but those of the last
 * time are 27, and none of them may be searched on. */
static void rows_of_one_time_are_held_out_together(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "y", NULL, NULL);
    smr_cv_ask ask = {.order_by = "w", .folds = 2};
    smr_tune_how how = {.ask = &ask};
    smr_tune_opts opts = {.over = "l2=1,5", .holdout = 0.25};
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, said_tune(ctx, "impute | ridge", set, &opts, &how, smr_json_root(doc)));
    assert_int_equal(number_of(smr_json_get(smr_json_root(doc), "test"), "rows"), 27);
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- scoring ---------------------------------------------------------------------------- */

static void a_validation_table_scores_by_one_fit(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS), *v = cv_table(ctx, 41);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    struct told told =
        search(ctx, "knn", set,
               (smr_tune_opts){
                   .over = "k=3,8", .validation_rows = v, .holdout = -1, .measure = "f1_macro"});
    smr_model *model = NULL;
    smr_answers answers = {0};
    double predicted[41 * 3], f1 = 0;
    const smr_measure *measure = smr_measure_find("f1_macro", SMR_TASK_CLASSIFY);
    (void)state;
    check_ok(ctx, said_fit(ctx, "knn 8", set, NULL, 0, &model));
    check_ok(ctx, smr_answers_collect(ctx, model, &(smr_sample){.table = v}, &answers));
    check_ok(ctx, smr_model_apply(ctx, model, v, NULL, 0, SMR_OUTPUT_PROBA, predicted));
    check_ok(ctx, smr_answers_measure(ctx, model, &answers, predicted, &measure, 1, &f1));
    check_near("f1", number_of(item(smr_json_get(told.root, "trials"), 1), "score"), f1, 1e-15);
    smr_answers_release(&answers);
    smr_model_free(model);
    smr_json_free(told.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(v);
    check_ctx_end(ctx);
}

static void a_validation_share_is_a_plan_of_one_round(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    struct told told =
        search(ctx, "knn", set, (smr_tune_opts){.over = "k=3,8", .validation = 0.3, .holdout = -1});
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.kind = SMR_CV_HOLDOUT, .holdout = 0.3});
    (void)state;
    assert_int_equal(number_of(smr_json_get(told.root, "scoring"), "rounds"), 1);
    check_near("score", number_of(item(smr_json_get(told.root, "trials"), 1), "score"),
               mean_score(ctx, "knn 8", set, plan, "accuracy"), 1e-15);
    smr_cv_plan_free(plan);
    smr_json_free(told.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- halving ---------------------------------------------------------------------------- */

/* 1001 rows less 200, of which 4/5 are fitted: 641, 214 and 71; below 50 no rung begins. */
static void halving_ends_with_the_best_on_all_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 1001);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    smr_tune_opts opts = {.over = "k=1..27", .search = "halving"};
    struct told half = search(ctx, "standardize | knn", set, opts);
    opts.search = "grid";
    struct told grid = search(ctx, "standardize | knn", set, opts);
    const smr_json *rungs = smr_json_get(smr_json_get(half.root, "search"), "rungs");
    const smr_json *trials = smr_json_get(half.root, "trials");
    double first[28] = {0}, kept_least = INFINITY, left_most = -INFINITY;
    static const double sizes[] = {27, 9, 3};
    bool kept[28] = {false};
    (void)state;
    assert_int_equal(rungs->n, 3);
    for (int r = 0; r < 3; r++)
        check_near("candidates", number_of(item(rungs, r), "candidates"), sizes[r], 0);
    check_near("rows", number_of(item(rungs, 0), "rows"), 71, 0);
    check_near("rows", number_of(item(rungs, 2), "rows"), 641, 0);
    assert_int_equal(trials->n, 39);
    for (const smr_json *x = trials->first; x; x = x->next) {
        int64_t k = (int64_t)number_of(x, "trial"), rung = (int64_t)number_of(x, "rung");
        if (rung == 1) first[k] = number_of(x, "score");
        if (rung == 2) kept[k] = true;
        if (rung == 3)
            check_near("score on all rows", number_of(x, "score"),
                       number_of(item(smr_json_get(grid.root, "trials"), k - 1), "score"), 0);
    }
    for (int k = 1; k <= 27; k++) {
        if (kept[k]) kept_least = fmin(kept_least, first[k]);
        if (!kept[k]) left_most = fmax(left_most, first[k]);
    }
    assert_true(kept_least >= left_most);
    smr_json_free(half.doc);
    smr_json_free(grid.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- failures --------------------------------------------------------------------------- */

static void a_candidate_that_fails_does_not_stop_the_others(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    struct told told = search(ctx, "calibrate of=(knn)", set,
                              (smr_tune_opts){.over = "folds=500,3,600"}),
                none;
    const smr_json *trials = smr_json_get(told.root, "trials");
    (void)state;
    assert_int_equal(number_of(smr_json_get(told.root, "search"), "failed"), 2);
    assert_int_equal(number_of(smr_json_get(told.root, "winner"), "trial"), 2);
    assert_non_null(strstr(smr_json_get_string(item(trials, 0), "error", ""), "500 parts"));
    assert_non_null(strstr(smr_json_get_string(item(trials, 2), "error", ""), "600 parts"));
    assert_string_equal(smr_ctx_message(ctx), "");
    check_fails(ctx,
                try_search(ctx, "calibrate of=(knn)", set,
                           &(smr_tune_opts){.over = "folds=500,600"}, &none),
                SMR_ERR_DATA, "every trial failed; the first: 500 parts");
    smr_json_free(told.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_asked_is_refused(void **state)
{
    static const struct {
        smr_tune_opts opts;
        const char *part;
    } cases[] = {
        {{.over = "kk=1"}, "did you mean 'k'?"},
        {{.over = ""}, "the search space is empty"},
        {{.search = "gird"}, "did you mean grid"},
        {{.search = "bayesian"}, "grid, random or halving"},
        {{.over = "k=1,2", .search = "grid", .trials = 5}, "trials are for random"},
        {{.trials = -3}, "from 1 to"},
        {{.validation = 1.5}, "a share between 0 and 1"},
        {{.validation = 0.5, .folds = 3}, "not from both"},
        {{.holdout = 1}, "a share from 0 to below 1"},
        {{.one_se = true, .validation = 0.2}, "needs several rounds"},
        {{.one_se = true, .over = "weight=*"}, "says which values are simpler"},
        {{.log = "a", .resume = "b"}, "give one of the two"},
        {{.folds = 1000}, "folds"},
        {{.nested = 1}, "at least 2 folds"},
        {{.nested = 3, .seconds = 9}, "exclude each other"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    struct told told;
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        smr_status st = try_search(ctx, "knn", set, &cases[i].opts, &told);
        if (st == SMR_OK || !strstr(smr_ctx_message(ctx), cases[i].part))
            fail_msg("wanted '%s', got status %d '%s'", cases[i].part, (int)st,
                     smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void without_time_nothing_is_scored(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    smr_tune_opts opts = {.over = "k=6..20", .seconds = 1e-9};
    struct told told;
    (void)state;
    check_fails(ctx, try_search(ctx, "knn", set, &opts, &told), SMR_ERR_CANCELLED,
                "the time was up before a candidate was scored; allow more (--time), or score on");
    opts.seconds = 1e6; /* of which nothing is left over for the next call */
    told = search(ctx, "knn", set, opts);
    assert_false(smr_json_get_bool(smr_json_get(told.root, "search"), "out_of_time", true));
    smr_json_free(told.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Leaves the first lines of the log. */
static void cut_log(int64_t n_lines)
{
    char line[4096], kept[20000] = "";
    FILE *f = fopen(LOG, "rb");
    assert_non_null(f);
    while (n_lines-- > 0 && fgets(line, sizeof line, f)) strcat(kept, line);
    fclose(f);
    f = fopen(LOG, "wb");
    assert_non_null(f);
    fputs(kept, f);
    fclose(f);
}

/* No time at all, but a log with some of the candidates. */
static void out_of_time_the_best_so_far_wins(void **state)
{
    enum { KNOWN = 3 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, ROWS);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    (void)state;
    unlink(LOG);
    struct told whole = search(ctx, "knn", set, (smr_tune_opts){.over = "k=6..20", .log = LOG});
    cut_log(2 + KNOWN); /* what it is about, and the sentence as given */
    smr_tune_opts opts = {.over = "k=6..20", .resume = LOG, .seconds = 1e-9};
    struct told told = search(ctx, "knn", set, opts);
    const smr_json *how = smr_json_get(told.root, "search");
    assert_true(smr_json_get_bool(how, "out_of_time", false));
    assert_int_equal(number_of(how, "finished"), KNOWN);
    assert_true(smr_json_get_bool(smr_json_get(told.root, "test"), "out_of_time", false));
    assert_null(smr_json_get(smr_json_get(told.root, "test"), "measures"));
    smr_json_free(told.doc);

    smr_model *model = NULL;
    smr_json_doc *doc = NULL;
    smr_tune_how also = {.model = &model};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_fails(ctx, said_tune(ctx, "knn", set, &opts, &also, smr_json_root(doc)),
                SMR_ERR_CANCELLED,
                "the time was up while the winner was fitted on all rows; the same command with "
                "--resume test_tune.log instead of --log, and more --time, continues it");
    assert_null(model);
    smr_json_free(doc);

    opts.seconds = 0;
    told = search(ctx, "knn", set, opts);
    check_same(ctx, whole.root, told.root, "with time enough");
    unlink(LOG);
    smr_json_free(told.doc);
    smr_json_free(whole.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- threads and memory ----------------------------------------------------------------- */

static void the_result_does_not_depend_on_the_threads(void **state)
{
    static const int threads[] = {1, 2, 7};
    static const struct {
        const char *sentence;
        smr_tune_opts opts;
    } cases[] = {
        {"standardize | knn", {.over = "auto", .trials = 13}},
        {"standardize | knn", {.over = "k=1..9 weight=*", .one_se = true}},
        {"standardize | knn", {.over = "k=1..20", .search = "halving", .measure = "log_loss"}},
        {"calibrate of=(knn)", {.over = "of.k=1..4 folds=2,700", .nested = 2}},
    };
    char *first = NULL;
    smr_ctx *keep = check_ctx(1);
    (void)state;
    for (int64_t o = 0; o < SMR_COUNT(cases); o++) {
        for (int64_t i = 0; i < SMR_COUNT(threads); i++) {
            smr_ctx *ctx = check_ctx(threads[i]);
            smr_table *t = cv_table(ctx, 307);
            smr_train_set *set = cv_set(ctx, t, "k", "g", "w");
            struct told told = search(ctx, cases[o].sentence, set, cases[o].opts);
            char *text = text_of(keep, told.root);
            if (first) assert_string_equal(first, text);
            if (!first) first = text;
            if (first != text) smr_free(text);
            smr_json_free(told.doc);
            smr_train_set_free(set);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
        smr_free(first);
        first = NULL;
    }
    check_ctx_end(keep);
}

/* Wherever one allocation fails, the search either says so or gives the same result: a trial that
 * had no memory is tried once more. */
static void every_allocation_may_fail(void **state)
{
    check_no_races();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 37);
    smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
    smr_tune_opts opts = {.over = "k=1,2", .folds = 2, .nested = 2, .one_se = true, .log = LOG};
    struct told whole, told;
    int64_t held, failures = 0;
    (void)state;
    unlink(LOG);
    int64_t before = atomic_load(&ctx->memory->requests);
    whole = search(ctx, "knn", set, opts);
    int64_t requests = atomic_load(&ctx->memory->requests) - before;
    held = smr_ctx_memory(ctx, NULL);
    for (int64_t n = 0; n < requests; n += n < 300 ? 1 : 7) {
        unlink(LOG);
        smr_memory_fail_at(ctx, n);
        smr_status st = try_search(ctx, "knn", set, &opts, &told);
        smr_memory_fail_at(ctx, -1);
        if (st == SMR_OK) {
            check_same(ctx, whole.root, told.root, "after a failed allocation");
            smr_json_free(told.doc);
        } else {
            if (st != SMR_ERR_NOMEM) fail_msg("allocation %d: %s", (int)n, smr_ctx_message(ctx));
            failures++;
            smr_ctx_clear(ctx);
        }
        assert_int_equal(smr_ctx_memory(ctx, NULL), held);
    }
    assert_true(failures > 100);
    unlink(LOG);
    smr_json_free(whole.doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_is_cross_validation_of_every_point),
        cmocka_unit_test(the_measure_follows_the_task),
        cmocka_unit_test(one_standard_error_takes_the_simplest),
        cmocka_unit_test(the_search_never_sees_the_held_out_rows),
        cmocka_unit_test(the_unseen_score_is_that_of_a_fit_on_the_other_rows),
        cmocka_unit_test(nested_folds_judge_the_search_on_rows_it_never_saw),
        cmocka_unit_test(with_an_order_the_latest_rows_are_held_out),
        cmocka_unit_test(rows_of_one_time_are_held_out_together),
        cmocka_unit_test(a_validation_table_scores_by_one_fit),
        cmocka_unit_test(a_validation_share_is_a_plan_of_one_round),
        cmocka_unit_test(halving_ends_with_the_best_on_all_rows),
        cmocka_unit_test(a_candidate_that_fails_does_not_stop_the_others),
        cmocka_unit_test(what_cannot_be_asked_is_refused),
        cmocka_unit_test(without_time_nothing_is_scored),
        cmocka_unit_test(out_of_time_the_best_so_far_wins),
        cmocka_unit_test(the_result_does_not_depend_on_the_threads),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
