/* test_curve.c -- learning, validation, training and threshold curves. */
#include "said_study.h"
#include "study_json.h"

#include "data/split.h"
#include "study/compare.h"
#include "study/curve.h"

enum { N = 151 };

/* a in [-0.9, 1.1), b alike; "smooth" = a wave in a with much noise, "line" = 2 a - b, "bowl" =
 * a^2, "toss" = noise alone; "k": a + b > 0.2 with mistakes; "three": thirds of a. */
static smr_table *curve_table(smr_ctx *ctx)
{
    double a[N], b[N], smooth[N], line[N], bowl[N], toss[N];
    const char *k[N], *three[N];
    for (int64_t i = 0; i < N; i++) {
        a[i] = noise(i, 0);
        b[i] = noise(i, 1);
        smooth[i] = a[i] * (1 - 2 * a[i] * a[i]) * 3 + 1.7 * noise(i, 2);
        line[i] = 2 * a[i] - b[i] + 0.01 * noise(i, 3);
        bowl[i] = (a[i] - 0.1) * (a[i] - 0.1);
        toss[i] = noise(i, 4);
        k[i] = a[i] + b[i] + 0.5 * noise(i, 5) > 0.2 ? "yes" : "no";
        three[i] = a[i] < -0.2 ? "low" : a[i] < 0.5 ? "mid" : "top";
    }
    smr_table *t = new_table(ctx, N, 8);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_numbers(ctx, t, 2, "smooth", smooth);
    put_numbers(ctx, t, 3, "line", line);
    put_numbers(ctx, t, 4, "bowl", bowl);
    put_numbers(ctx, t, 5, "toss", toss);
    put_strings(ctx, t, 6, "k", k);
    put_strings(ctx, t, 7, "three", three);
    return t;
}

/* A training set of a and b for one target. */
static smr_train_set *set_for(smr_ctx *ctx, const smr_table *t, const char *target)
{
    static const char *const names[] = {"smooth", "line", "bowl", "toss", "k", "three"};
    char ignore[64] = "";
    for (int64_t j = 0; j < SMR_COUNT(names); j++)
        if (strcmp(names[j], target) != 0) strcat(strcat(ignore, *ignore ? "," : ""), names[j]);
    smr_set_opts opts = {.target = target, .ignore = ignore, .keep_all = true};
    smr_train_set *set = NULL;
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    return set;
}

typedef smr_status (*curve_fn)(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                               const smr_curve_how *how, smr_json *into);

static smr_json_doc *curve(smr_ctx *ctx, curve_fn fn, const char *sentence,
                           const smr_train_set *set, const smr_curve_how *how)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, fn(ctx, sentence, set, how, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

/* ---- learning --------------------------------------------------------------------------- */

static void smaller_parts_lie_within_larger_ones(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int32_t label[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) label[i] = (int32_t)(i * i % 3);
    for (int strata = 0; strata < 2; strata++) {
        bool before[N] = {0};
        for (int step = 1; step < 10; step++) {
            smr_split_rows of = {.n = N, .n_classes = 3, .seed = 7, .repetition = 6};
            double share = step / 10.0;
            smr_parts parts = {0};
            bool now[N] = {0};
            if (strata) of.label = label;
            check_ok(ctx, smr_split_holdout(ctx, &of, &share, 1, &parts));
            for (int64_t i = 0; i < smr_part_size(&parts, 1); i++)
                now[smr_part_rows(&parts, 1)[i]] = true;
            for (int64_t i = 0; i < N; i++) assert_true(now[i] || !before[i]);
            memcpy(before, now, sizeof before);
            smr_parts_release(&parts);
        }
    }
    check_ctx_end(ctx);
}

static void a_learning_curve_ends_at_the_cross_validated_error(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "k");
    smr_curve_how how = {.ask = {.folds = 4}, .sizes = "1,30,0.5"};
    smr_json_doc *doc = curve(ctx, said_learning, "knn 1", set, &how);
    const smr_json *points = smr_json_get(smr_json_root(doc), "points");
    smr_cv_plan *plan = NULL;
    smr_cv_scores scores = {0};
    const smr_measure *error = smr_measure_find("error", SMR_TASK_CLASSIFY);
    smr_cv_run_opts opts = {.measures = &error, .n_measures = 1};
    (void)state;
    assert_int_equal(points->n, 3);
    assert_true(number_of(nth(points, 0), "rows") == 30);
    assert_true(number_of(nth(points, 1), "rows") == 56); /* half of 113 */
    assert_true(number_of(nth(points, 2), "rows") == 113);
    for (int64_t k = 0; k < 3; k++) /* a row is its own nearest neighbour */
        assert_true(number_of(nth(points, k), "train") == 0);
    check_ok(ctx, smr_cv_plan_create(ctx, set, &(smr_cv_opts){.folds = 4}, &plan));
    check_ok(ctx, said_cv(ctx, "knn 1", set, plan, &opts, &scores));
    double mean = 0;
    for (int64_t r = 0; r < 4; r++) mean += scores.score[r] / 4;
    check_near("validation", number_of(nth(points, 2), "validation"), mean, 1e-14);
    double most = 0; /* the constant says the larger class */
    for (int64_t i = 0; i < N; i++) most += set->label[i] == 0;
    check_near("baseline", number_of(smr_json_root(doc), "baseline"), fmin(most, N - most) / N,
               0.01);
    smr_cv_scores_release(&scores);
    smr_cv_plan_free(plan);
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void the_reading_follows_its_rule(void **state)
{
    static const struct {
        const char *sentence, *target, *verdict;
    } cases[] = {{"knn 1", "k", "variance"}, /* nothing missed in training, much outside */
                 {"linear", "line", "fine"}, /* the right model */
                 {"linear", "bowl", "bias"}, /* a line cannot bend */
                 {"linear", "toss", "bias"}, /* nothing to find: noise looks the same */
                 {"knn 3", "toss", "both"}}; /* follows noise, and still misses it */
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curve_table(ctx);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_train_set *set = set_for(ctx, t, cases[c].target);
        smr_curve_how how = {.ask = {.repeats = 2}};
        smr_json_doc *doc = curve(ctx, said_learning, cases[c].sentence, set, &how);
        const smr_json *root = smr_json_root(doc);
        const char *got = smr_json_get_string(smr_json_get(root, "reading"), "verdict", "");
        if (strcmp(got, cases[c].verdict) != 0)
            fail_msg("%s on %s: %s, %s", cases[c].sentence, cases[c].target, got,
                     smr_json_get_string(smr_json_get(root, "reading"), "text", ""));
        row_with(smr_json_get(root, "figures"), "name", "learning");
        smr_json_free(doc);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Falls over the last doubling by more than a standard error, and in its last segment as steeply:
 * worked again from the points.  Each answer must occur. */
static void a_curve_falls_only_while_its_end_is_steep(void **state)
{
    static const struct {
        const char *sentence, *target, *sizes;
    } cases[] = {{"knn 1", "bowl", "0.1,0.2,0.4,0.8"},
                 {"knn 1", "bowl", "0.1,0.9,1"},
                 {"linear", "line", "0.2,0.5,1"},
                 {"knn 3", "toss", "0.1,0.5,1"},
                 {"knn 1", "k", "0.05,1"},
                 {"knn 1", "bowl", "0.05,0.06"}};
    int64_t n_falls = 0, n_flat = 0;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_train_set *set = set_for(ctx, t, cases[c].target);
        smr_curve_how how = {.ask = {.folds = 5}, .sizes = cases[c].sizes};
        smr_json_doc *doc = curve(ctx, said_learning, cases[c].sentence, set, &how);
        const smr_json *root = smr_json_root(doc), *points = smr_json_get(root, "points");
        const smr_json *reading = smr_json_get(root, "reading");
        const smr_json *last = nth(points, points->n - 1), *before = nth(points, points->n - 2);
        int64_t k = points->n - 2;
        while (k > 0 && 2 * number_of(nth(points, k), "rows") > number_of(last, "rows")) k--;
        double v = number_of(last, "validation"), se = number_of(last, "validation_sd");
        se *= sqrt(1.0 / 5 + 1.0 / 4); /* 5 rounds, a fourth of the fitted rows measured */
        double doublings = log(number_of(last, "rows") / number_of(before, "rows")) / log(2.0);
        double over = (number_of(nth(points, k), "validation") - v) / se;
        double end = (number_of(before, "validation") - v) / doublings / se;
        assert_true(fabs(over - 1) > 0.05 && fabs(end - 1) > 0.05); /* told apart clearly */
        bool falls = over > 1 && end > 1;
        assert_int_equal(smr_json_get(reading, "still_falling")->number, falls);
        assert_non_null(strstr(smr_json_get_string(reading, "text", ""),
                               falls ? "still falls: more rows may help" : "has flattened"));
        n_falls += falls;
        n_flat += !falls && over > 1;
        smr_json_free(doc);
        smr_train_set_free(set);
    }
    assert_true(n_falls > 0 && n_flat > 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *sizes, *part;
    } cases[] = {{"0.5,0", "neither a share up to 1"},
                 {"12.5", "neither a share up to 1"},
                 {"0.5,x", "'x' is not a number"},
                 {"-3", "neither a share"},
                 {"5000", "a round has 120 rows to fit on, not 5000"},
                 {"", "none is named"}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "line");
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_curve_how how = {.sizes = cases[c].sizes};
        check_fails(ctx, said_learning(ctx, "linear", set, &how, smr_json_root(doc)), SMR_ERR_PARAM,
                    cases[c].part);
    }
    smr_curve_how two = {.ask = {.measure = "rmse,mae"}};
    check_fails(ctx, said_learning(ctx, "linear", set, &two, smr_json_root(doc)), SMR_ERR_PARAM,
                "one measure; 2 were named");
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- validation ------------------------------------------------------------------------- */

/* Best, region and sides, worked out again from the points that were reported. */
static void check_region(const smr_json *root)
{
    const smr_json *points = smr_json_get(root, "points"), *best = points->first;
    for (const smr_json *p = points->first; p; p = p->next)
        if (number_of(p, "validation") < number_of(best, "validation")) best = p;
    assert_true(number_of(root, "best") == number_of(best, "value"));
    double most = number_of(best, "validation") + number_of(best, "se");
    double from = nth(smr_json_get(root, "region"), 0)->number;
    double to = nth(smr_json_get(root, "region"), 1)->number;
    assert_true(from <= number_of(best, "value") && to >= number_of(best, "value"));
    for (const smr_json *p = points->first; p; p = p->next) {
        double x = number_of(p, "value");
        if (x >= from && x <= to) assert_true(number_of(p, "validation") <= most);
        if (p->next && number_of(p->next, "value") == from) /* the region cannot be wider */
            assert_true(number_of(p, "validation") > most);
        if (p->next && x == to) assert_true(number_of(p->next, "validation") > most);
    }
}

static void the_flexible_side_overfits(void **state)
{
    static const struct {
        const char *sentence, *over, *below, *above;
    } cases[] = {{"knn", "k=120,1,2,4,8,16,32,64", "overfitting", "underfitting"},
                 {"poly | linear", "degree=1..12", "underfitting", "overfitting"}};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "smooth");
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_curve_how how = {.over = cases[c].over};
        smr_json_doc *doc = curve(ctx, said_validation, cases[c].sentence, set, &how);
        const smr_json *root = smr_json_root(doc), *points = smr_json_get(root, "points");
        for (const smr_json *p = points->first; p->next; p = p->next) /* by ascending value */
            assert_true(number_of(p, "value") < number_of(p->next, "value"));
        check_region(root);
        assert_string_equal(smr_json_get_string(root, "below", "-"), cases[c].below);
        assert_string_equal(smr_json_get_string(root, "above", "-"), cases[c].above);
        const smr_json *figure = row_with(smr_json_get(root, "figures"), "name", "validation");
        assert_int_equal(smr_json_get(figure, "shades")->n, 2);
        assert_int_equal(smr_json_get(figure, "series")->n, 4);
        smr_json_free(doc);
    }
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void words_may_be_varied_too(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "k");
    smr_curve_how how = {.over = "weight=*"};
    smr_json_doc *doc = curve(ctx, said_validation, "knn 7", set, &how);
    const smr_json *root = smr_json_root(doc);
    const smr_json *figure = nth(smr_json_get(root, "figures"), 0);
    (void)state;
    row_with(smr_json_get(root, "points"), "value", "distance");
    assert_string_equal(smr_json_get_string(smr_json_get(figure, "x"), "scale", ""), "names");
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void one_parameter_is_varied_at_a_time(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "k");
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_curve_how two = {.over = "k=1,3 weight=*"}, none = {0}, wrong = {.over = "kk=1,2"};
    smr_json *root = smr_json_root(doc);
    check_fails(ctx, said_validation(ctx, "knn", set, &two, root), SMR_ERR_PARAM,
                "varies one parameter, and 'k=1,3 weight=*' names 2");
    check_fails(ctx, said_validation(ctx, "knn", set, &none, root), SMR_ERR_PARAM,
                "--over \"k=1..50\"");
    check_fails(ctx, said_validation(ctx, "knn", set, &wrong, root), SMR_ERR_PARAM, "kk");
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- training --------------------------------------------------------------------------- */

static void iterations_are_shown_as_they_were_counted(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "line");
    smr_model *m = NULL;
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, said_fit(ctx, "ridge", set, NULL, 0, &m));
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_fails(ctx, smr_curve_training(ctx, m, smr_json_root(doc)), SMR_ERR_STATE,
                "a ridge model is fitted in one step");
    for (int64_t i = 1; i <= 1201; i++) check_ok(ctx, smr_fit_step(ctx, &m->fit, 1.0 / (double)i));
    check_ok(ctx, smr_curve_training(ctx, m, smr_json_root(doc)));
    const smr_json *points = smr_json_get(smr_json_root(doc), "points");
    assert_int_equal(points->n, 601); /* every second, and the last */
    for (const smr_json *p = points->first; p; p = p->next)
        assert_true(number_of(p, "objective") == 1.0 / number_of(p, "iteration"));
    assert_true(number_of(points->last, "iteration") == 1201);
    smr_json_free(doc);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- threshold -------------------------------------------------------------------------- */

/* Counts of the rows at or above the threshold, one by one. */
static void check_counts(const smr_json *p, const double *proba, int64_t width, int64_t k,
                         const int32_t *label)
{
    double tp = 0, fp = 0, tn = 0, fn = 0, at = number_of(p, "threshold");
    for (int64_t i = 0; i < N; i++) {
        bool taken = proba[i * width + k] >= at, is = label[i] == k;
        tp += taken && is;
        fp += taken && !is;
        fn += !taken && is;
        tn += !taken && !is;
    }
    assert_true(number_of(p, "tp") == tp && number_of(p, "fp") == fp);
    assert_true(number_of(p, "fn") == fn && number_of(p, "tn") == tn);
    check_near("tpr", number_of(p, "tpr"), tp / (tp + fn), 1e-15);
    check_near("fpr", number_of(p, "fpr"), fp / (fp + tn), 1e-15);
    check_near("accuracy", number_of(p, "accuracy"), (tp + tn) / N, 1e-15);
    if (tp + fp > 0) check_near("precision", number_of(p, "precision"), tp / (tp + fp), 1e-15);
    check_near("f1", number_of(p, "f1"), 2 * tp / (2 * tp + fp + fn), 1e-15);
}

static void the_sweep_counts_rows_at_every_threshold(void **state)
{
    static const struct {
        const char *target, *positive;
    } cases[] = {{"k", NULL}, {"three", "mid"}};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curve_table(ctx);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_train_set *set = set_for(ctx, t, cases[c].target);
        smr_model *m = NULL;
        smr_json_doc *doc = NULL;
        smr_sample sample = {.table = t};
        smr_curve_how how = {.positive = cases[c].positive};
        check_ok(ctx, said_fit(ctx, "knn 7", set, NULL, 0, &m));
        check_ok(ctx, smr_json_create(ctx, &doc));
        check_ok(ctx, smr_curve_threshold(ctx, m, &sample, &how, smr_json_root(doc)));
        const smr_json *points = smr_json_get(smr_json_root(doc), "points");
        double *proba = apply(ctx, m, t, SMR_OUTPUT_PROBA);
        assert_int_equal(points->n, 41);
        for (const smr_json *p = points->first; p; p = p->next)
            check_counts(p, proba, m->target.classes.n, 1, set->label);
        const smr_json *best = smr_json_get(smr_json_get(smr_json_root(doc), "best"), "f1");
        for (const smr_json *p = points->first; p; p = p->next)
            assert_true(number_of(p, "f1") <= number_of(best, "f1"));
        row_with(smr_json_get(smr_json_root(doc), "figures"), "name", "threshold");
        smr_free(proba);
        smr_json_free(doc);
        smr_model_free(m);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Out of fold, the training rows' own answers do not help: knn 1 is no longer perfect. */
static void a_sentence_is_swept_with_predictions_out_of_fold(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curve_table(ctx);
    smr_train_set *set = set_for(ctx, t, "k");
    smr_json_doc *doc = curve(ctx, said_threshold_curve, "knn 1", set, &(smr_curve_how){0});
    const smr_json *root = smr_json_root(doc), *points = smr_json_get(root, "points");
    (void)state;
    assert_true(number_of(root, "rows") == N && number_of(root, "rounds") == 5);
    const smr_json *half = nth(points, 20);
    assert_true(number_of(half, "threshold") == 0.5);
    assert_true(number_of(half, "accuracy") > 0.6 && number_of(half, "accuracy") < 0.97);
    smr_json_free(doc);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_threshold_needs_two_sides(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curve_table(ctx);
    smr_json_doc *doc = NULL;
    smr_train_set *numbers = set_for(ctx, t, "line"), *three = set_for(ctx, t, "three");
    smr_curve_how none = {0}, wrong = {.positive = "ultra"};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    check_fails(ctx, said_threshold_curve(ctx, "knn", numbers, &none, root), SMR_ERR_PARAM,
                "the target 'line' is a number");
    check_fails(ctx, said_threshold_curve(ctx, "knn", three, &none, root), SMR_ERR_PARAM,
                "'three' has 3 classes; --positive");
    check_fails(ctx, said_threshold_curve(ctx, "knn", three, &wrong, root), SMR_ERR_PARAM,
                "has no class 'ultra'");
    smr_json_free(doc);
    smr_train_set_free(numbers);
    smr_train_set_free(three);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what holds for all ----------------------------------------------------------------- */

static const curve_fn fns[] = {said_learning, said_validation, said_threshold_curve};

static void the_same_bytes_at_any_thread_count(void **state)
{
    static const int threads[] = {1, 2, 7};
    (void)state;
    for (int64_t f = 0; f < SMR_COUNT(fns); f++) {
        char *first = NULL;
        for (int k = 0; k < 3; k++) {
            smr_ctx *ctx = check_ctx(threads[k]);
            smr_table *t = curve_table(ctx);
            smr_train_set *set = set_for(ctx, t, "k");
            smr_curve_how how = {.over = "k=1,5,20"};
            smr_json_doc *doc = curve(ctx, fns[f], "knn 3", set, &how);
            char *text = json_text(ctx, doc);
            if (!first) first = strdup(text);
            assert_string_equal(text, first);
            smr_free(text);
            smr_json_free(doc);
            smr_train_set_free(set);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
        free(first);
    }
}

struct attempt {
    const smr_train_set *set;
    curve_fn fn;
};

static smr_status try_curve(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_curve_how how = {.ask = {.folds = 2}, .sizes = "0.5", .over = "k=1,2"};
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = a->fn(ctx, "knn 3", a->set, &how, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int64_t f = 0; f < SMR_COUNT(fns); f++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = curve_table(ctx);
        smr_train_set *set = set_for(ctx, t, "k");
        struct attempt a = {.set = set, .fn = fns[f]};
        assert_true(fail_each_allocation(ctx, try_curve, &a) > 50);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_parts_lie_within_larger_ones),
        cmocka_unit_test(a_learning_curve_ends_at_the_cross_validated_error),
        cmocka_unit_test(the_reading_follows_its_rule),
        cmocka_unit_test(a_curve_falls_only_while_its_end_is_steep),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(the_flexible_side_overfits),
        cmocka_unit_test(words_may_be_varied_too),
        cmocka_unit_test(one_parameter_is_varied_at_a_time),
        cmocka_unit_test(iterations_are_shown_as_they_were_counted),
        cmocka_unit_test(the_sweep_counts_rows_at_every_threshold),
        cmocka_unit_test(a_sentence_is_swept_with_predictions_out_of_fold),
        cmocka_unit_test(a_threshold_needs_two_sides),
        cmocka_unit_test(the_same_bytes_at_any_thread_count),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
