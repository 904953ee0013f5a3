/* Figures of predictions: shape (core/figure.h), values worked by hand, sizes, speed of growth. */
#include "pipeline.h"
#include "said_study.h"

#include "study/figures.h"

static const smr_json *figure_of(smr_json_doc *doc, const char *name)
{
    const smr_json *figures = smr_json_get(smr_json_root(doc), "figures");
    for (const smr_json *f = figures->first; f; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), name) == 0) return f;
    return NULL;
}

static const smr_json *series_of(const smr_json *figure, int64_t k)
{
    const smr_json *s = smr_json_get(figure, "series");
    s = s ? s->first : NULL;
    while (s && k-- > 0) s = s->next;
    return s;
}

static double value(const smr_json *series, const char *key, int64_t i)
{
    const smr_json *v = smr_json_get(series, key);
    v = v ? v->first : NULL;
    while (v && i-- > 0) v = v->next;
    if (!v) fail_msg("%s has no such element", key);
    return v->type == SMR_JSON_NUMBER ? v->number : NAN;
}

/* What every figure must hold to be drawn: names are unique, x and y of one length, axes there. */
static void check_shape(const smr_json *figures)
{
    for (const smr_json *f = figures->first; f; f = f->next) {
        const char *name = smr_json_get_string(f, "name", "");
        for (const smr_json *g = f->next; g; g = g->next)
            assert_string_not_equal(name, smr_json_get_string(g, "name", ""));
        assert_non_null(smr_json_get(smr_json_get(f, "x"), "label"));
        assert_non_null(smr_json_get(smr_json_get(f, "y"), "label"));
        const smr_json *all = smr_json_get(f, "series");
        if (!all || !all->first) fail_msg("%s has no series", name);
        for (const smr_json *s = all->first; s; s = s->next) {
            const smr_json *x = smr_json_get(s, "x"), *y = smr_json_get(s, "y");
            if (strcmp(smr_json_get_string(s, "kind", ""), "cells") == 0) {
                double nx = smr_json_get_number(s, "nx", 0), ny = smr_json_get_number(s, "ny", 0);
                assert_true(smr_json_get(s, "value")->n == (int64_t)(nx * ny));
                continue;
            }
            if (x->n != y->n || x->n > 2000 || x->n < 1)
                fail_msg("%s: %d and %d values", name, (int)x->n, (int)y->n);
        }
    }
}

static smr_json_doc *draw_classes(smr_ctx *ctx, const smr_classify_input *in)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_figures_classify(ctx, in, figures));
    check_shape(figures);
    return doc;
}

/* Rows by score: + - + -. */
static void two_classes_are_worked_by_hand(void **state)
{
    static const double proba[] = {0.1, 0.9, 0.3, 0.7, 0.6, 0.4, 0.8, 0.2};
    static const int32_t label[] = {1, 0, 1, 0};
    double threshold = 0.35;
    smr_classify_input in = {.n = 4,
                             .n_classes = 2,
                             .label = label,
                             .proba = proba,
                             .positive = -1,
                             .threshold = &threshold};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = draw_classes(ctx, &in);
    (void)state;
    const smr_json *roc = series_of(figure_of(doc, "roc"), 0);
    static const double fpr[] = {0, 0, 0.5, 0.5, 1}, tpr[] = {0, 0.5, 0.5, 1, 1};
    for (int i = 0; i < 5; i++) {
        check_near("fpr", value(roc, "x", i), fpr[i], 0);
        check_near("tpr", value(roc, "y", i), tpr[i], 0);
    }
    assert_string_equal(smr_json_get_string(roc, "name", ""), "1 (area 0.75)");
    assert_string_equal(smr_json_get_string(figure_of(doc, "roc"), "title", ""),
                        "ROC curve (area 0.75)");
    const smr_json *gain = series_of(figure_of(doc, "gain"), 0);
    check_near("half of the rows", value(gain, "x", 2), 0.5, 0);
    check_near("half of the positives", value(gain, "y", 2), 0.5, 0);
    const smr_json *lift = series_of(figure_of(doc, "lift"), 0);
    check_near("a quarter", value(lift, "y", 1), 2, 0);
    const smr_json *cells = series_of(figure_of(doc, "confusion"), 0);
    check_near("no, no", value(cells, "value", 0), 1, 0);
    check_near("no as yes", value(cells, "value", 1), 1, 0);
    const smr_json *sweep = figure_of(doc, "threshold");
    assert_int_equal(smr_json_get(sweep, "series")->n, 5);
    check_near("all at 0", value(series_of(sweep, 0), "y", 0), 1, 0);
    assert_true(isnan(value(series_of(sweep, 2), "y", 200))); /* precision of no rows: a gap */
    check_near("in use", smr_json_get_number(smr_json_get(sweep, "marks")->first, "at", 0), 0.35,
               0);
    assert_non_null(figure_of(doc, "calibration"));
    assert_non_null(figure_of(doc, "scores"));
    assert_non_null(figure_of(doc, "classes"));
    smr_json_free(doc);
    check_ctx_end(ctx);
}

enum { ROWS = 3001 };

/* K classes; the true one has a higher score, most of the time. */
static void make_rows(int64_t K, int32_t *label, double *proba)
{
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0;
        label[i] = (int32_t)(i % K);
        for (int64_t k = 0; k < K; k++) {
            proba[i * K + k] = noise(i, k) + 1 + (k == label[i]);
            sum += proba[i * K + k];
        }
        for (int64_t k = 0; k < K; k++) proba[i * K + k] /= sum;
    }
}

static void several_classes_have_a_curve_each_and_a_mean(void **state)
{
    static const struct {
        int64_t classes, curves;
        bool text;
    } cases[] = {{3, 4, true}, {10, 11, true}, {11, 1, true}, {31, 1, false}};
    smr_ctx *ctx = check_ctx(2);
    int32_t *label = smr_alloc(ctx, ROWS, sizeof *label);
    double *proba = smr_alloc(ctx, ROWS * 31, sizeof *proba);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        int64_t K = cases[c].classes;
        make_rows(K, label, proba);
        smr_classify_input in = {
            .n = ROWS, .n_classes = K, .label = label, .proba = proba, .positive = -1};
        smr_json_doc *doc = draw_classes(ctx, &in);
        const smr_json *roc = figure_of(doc, "roc");
        assert_int_equal(smr_json_get(roc, "series")->n, cases[c].curves);
        assert_true(smr_json_get_bool(series_of(figure_of(doc, "confusion"), 0), "text", false) ==
                    cases[c].text);
        assert_null(figure_of(doc, "threshold"));
        /* the mean of the classes' curves ends where they do, and has the mean of their areas */
        const smr_json *mean = series_of(roc, cases[c].curves - 1);
        check_near("end", value(mean, "y", 200), 1, 1e-12);
        double auc, area = 0;
        check_ok(ctx,
                 smr_measure_classify(ctx, smr_measure_find("auc", SMR_TASK_CLASSIFY), &in, &auc));
        for (int g = 0; g < 200; g++) area += (value(mean, "y", g) + value(mean, "y", g + 1)) / 400;
        check_near("area under the mean", area, auc, 0.01); /* 201 points of a concave curve */
        smr_json_free(doc);
    }
    smr_free(label);
    smr_free(proba);
    check_ctx_end(ctx);
}

static void labels_alone_have_no_curves(void **state)
{
    static const int32_t label[] = {0, 1, 2, 1, 0}, predicted[] = {0, 1, 1, 1, 2};
    smr_classify_input in = {
        .n = 5, .n_classes = 3, .label = label, .predicted = predicted, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = draw_classes(ctx, &in);
    (void)state;
    assert_int_equal(smr_json_get(smr_json_root(doc), "figures")->n, 2);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static smr_json_doc *draw_numbers(smr_ctx *ctx, const smr_regress_input *in)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_figures_regress(ctx, in, figures));
    check_shape(figures);
    return doc;
}

/* Residuals that are exact normal quantiles lie on the diagonal of their plot. */
static void normal_residuals_lie_on_the_diagonal(void **state)
{
    enum { N = 200 };
    static double y[2 * N], f[2 * N];
    static const char *const names[] = {"height", "weight"};
    smr_ctx *ctx = check_ctx(1);
    double square = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        double z = noise(i, 3);
        f[2 * i] = 3 * z;
        y[2 * i] = f[2 * i] + 2 * noise(i, 4);
        f[2 * i + 1] = z;
        y[2 * i + 1] = z + (i - 99.5);
        square += (i - 99.5) * (i - 99.5) / N;
    }
    smr_regress_input in = {.n = N, .n_outputs = 2, .y = y, .predicted = f, .output_names = names};
    smr_json_doc *doc = draw_numbers(ctx, &in);
    assert_int_equal(smr_json_get(smr_json_root(doc), "figures")->n, 8);
    const smr_json *points = series_of(figure_of(doc, "predicted_height"), 0);
    check_near("actual", value(points, "x", 7), y[14], 0);
    check_near("predicted", value(points, "y", 7), f[14], 0);
    /* residuals of the second are evenly spaced: quantile k is (k - 99.5) / sd */
    points = series_of(figure_of(doc, "normal_quantiles_weight"), 0);
    check_near("spread", value(points, "y", 0), -99.5 / sqrt(square), 1e-12);
    check_near("median", value(points, "x", 99), -value(points, "x", 100), 1e-13);
    const smr_json *bins = series_of(figure_of(doc, "residual_histogram_weight"), 0);
    double rows = 0;
    for (int64_t b = 0; b + 1 < smr_json_get(bins, "y")->n; b++) rows += value(bins, "y", b);
    check_near("all rows", rows, N, 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void clouds_are_thinned_and_constants_drawn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double *y = smr_alloc(ctx, 5003, sizeof *y), *f = smr_alloc(ctx, 5003, sizeof *f);
    (void)state;
    for (int64_t i = 0; i < 5003; i++) y[i] = (double)i;
    smr_regress_input in = {.n = 5003, .n_outputs = 1, .y = y, .predicted = y};
    smr_json_doc *doc = draw_numbers(ctx, &in); /* residuals all 0: no normal plot */
    assert_null(figure_of(doc, "normal_quantiles"));
    const smr_json *points = series_of(figure_of(doc, "predicted"), 0);
    assert_int_equal(smr_json_get(points, "x")->n, 2000);
    check_near("first", value(points, "x", 0), 0, 0);
    check_near("last", value(points, "x", 1999), floor(1999 * 5003.0 / 2000), 0);
    smr_json_free(doc);
    smr_free(y);
    smr_free(f);
    check_ctx_end(ctx);
}

struct drawing_of {
    const smr_classify_input *in;
    const smr_regress_input *numbers;
};

static smr_status draw_all(smr_ctx *ctx, void *arg)
{
    const struct drawing_of *d = arg;
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    st = smr_json_done(doc);
    if (st == SMR_OK) st = smr_figures_classify(ctx, d->in, figures);
    if (st == SMR_OK && d->numbers) st = smr_figures_regress(ctx, d->numbers, figures);
    smr_json_free(doc);
    return st;
}

static void failing_memory_is_survived(void **state)
{
    static const double proba[] = {0.1, 0.9, 0.3, 0.7, 0.6, 0.4, 0.8, 0.2};
    static const double three[] = {0.2, 0.3, 0.5, 0.6, 0.3, 0.1, 0.1, 0.8, 0.1};
    static const int32_t label[] = {1, 0, 1, 0}, labels3[] = {2, 0, 1};
    static const double y[] = {1, 2, 3, 5}, f[] = {1.5, 2, 2, 4};
    static const char *const names[] = {"a", "b"};
    smr_classify_input in = {
        .n = 4, .n_classes = 2, .label = label, .proba = proba, .positive = -1};
    smr_classify_input many = {
        .n = 3, .n_classes = 3, .label = labels3, .proba = three, .positive = -1};
    smr_regress_input numbers = {
        .n = 2, .n_outputs = 2, .y = y, .predicted = f, .output_names = names};
    smr_ctx *ctx = check_ctx(1);
    struct drawing_of d = {&in, &numbers}, e = {&many, NULL};
    (void)state;
    assert_true(fail_each_allocation(ctx, draw_all, &d) > 10);
    assert_true(fail_each_allocation(ctx, draw_all, &e) > 10);
    check_ctx_end(ctx);
}

/* Every row once, from the fit that did not see it. */
static void out_of_fold_predictions_are_drawn(void **state)
{
    enum { N = 61 };
    smr_ctx *ctx = check_ctx(2);
    double x[N], y[N];
    const char *label[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = noise(i, 1);
        y[i] = 3 * x[i] + noise(i, 2);
        label[i] = y[i] > 0.3 ? "up" : "down";
    }
    for (int classes = 0; classes < 2; classes++) {
        smr_table *t = new_table(ctx, N, 2);
        smr_train_set *set = NULL;
        smr_cv_plan *plan = NULL;
        smr_cv_scores scores;
        smr_json_doc *doc = NULL;
        smr_set_opts opts = {.target = "y", .keep_all = true};
        put_numbers(ctx, t, 0, "x", x);
        if (classes)
            put_strings(ctx, t, 1, "y", label);
        else
            put_numbers(ctx, t, 1, "y", y);
        check_ok(ctx, said_set(ctx, t, "knn 5", &opts, &set));
        check_ok(ctx, smr_cv_plan_create(ctx, set, &(smr_cv_opts){.folds = 4}, &plan));
        check_ok(ctx, said_cv(ctx, "knn 5", set, plan, &(smr_cv_run_opts){.keep_predictions = true},
                              &scores));
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
        check_ok(ctx, smr_figures_oof(ctx, set, &scores, figures));
        check_shape(figures);
        if (classes) {
            const smr_json *cells = series_of(figure_of(doc, "confusion"), 0);
            double rows = 0;
            for (int c = 0; c < 4; c++) rows += value(cells, "value", c);
            check_near("all rows", rows, N, 0);
        } else {
            const smr_json *points = series_of(figure_of(doc, "predicted"), 0);
            assert_int_equal(smr_json_get(points, "x")->n, N);
            check_near("prediction", value(points, "y", 17), scores.prediction[17], 0);
        }
        smr_json_free(doc);
        smr_cv_scores_release(&scores);
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void figures_are_the_same_bytes_at_any_thread_count(void **state)
{
    static const int threads[] = {1, 2, 7};
    char *first = NULL;
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        int32_t *label = smr_alloc(ctx, ROWS, sizeof *label);
        double *proba = smr_alloc(ctx, ROWS * 5, sizeof *proba);
        make_rows(5, label, proba);
        smr_classify_input in = {
            .n = ROWS, .n_classes = 5, .label = label, .proba = proba, .positive = -1};
        smr_json_doc *doc = draw_classes(ctx, &in);
        smr_text text = {.ctx = ctx};
        smr_json_write(smr_json_root(doc), 0, &text);
        if (!first) first = strdup(text.bytes);
        assert_string_equal(text.bytes, first);
        smr_text_release(&text);
        smr_json_free(doc);
        smr_free(label);
        smr_free(proba);
        check_ctx_end(ctx);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_are_worked_by_hand),
        cmocka_unit_test(several_classes_have_a_curve_each_and_a_mean),
        cmocka_unit_test(labels_alone_have_no_curves),
        cmocka_unit_test(normal_residuals_lie_on_the_diagonal),
        cmocka_unit_test(clouds_are_thinned_and_constants_drawn),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(out_of_fold_predictions_are_drawn),
        cmocka_unit_test(figures_are_the_same_bytes_at_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
