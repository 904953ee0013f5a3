/* Steps of learners: what is told is what was fitted, and is true by other means. */
#include "check.h"
#include "pipeline.h"

#include "core/json.h"
#include "learn/graphical/hmm.h"
#include "samara.h"

#include <math.h>
#include <string.h>

static smr_table *open_table(smr_ctx *ctx, const char *path)
{
    smr_table *table = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &table));
    return table;
}

static smr_json_doc *trace(smr_ctx *ctx, const char *sentence, const smr_table *table,
                           const smr_train_opts *how, int64_t steps, int64_t row)
{
    smr_trace_opts opts = {.size = sizeof opts, .steps = steps, .row = row};
    smr_json_doc *doc = NULL;
    char *json = NULL;
    check_ok(ctx, smr_trace_steps(ctx, sentence, table, how, &opts, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    smr_string_free(json);
    return doc;
}

static const smr_json *last_step(smr_json_doc *doc)
{
    return smr_json_get(smr_json_root(doc), "steps")->last;
}

/* The last step has the weights of the model, to the bit: the fit itself told it. */
static void check_last_weights(const char *sentence, const char *path, smr_train_opts how,
                               int64_t steps)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = open_table(ctx, path);
    smr_model *model = NULL;
    smr_coefficients w;
    smr_json_doc *doc = trace(ctx, sentence, table, &how, steps, 0);
    check_ok(ctx, smr_train(ctx, sentence, table, &how, &model));
    check_ok(ctx, smr_model_coefficients(ctx, model, &w));
    for (int64_t j = 0; j < w.n_features; j++) {
        char key[200];
        snprintf(key, sizeof key, "w(%s)", smr_model_feature_name(model, j));
        assert_true(smr_json_get_number(last_step(doc), key, NAN) == w.values[j]);
    }
    assert_true(smr_json_get_number(last_step(doc), "b", NAN) == w.intercepts[0]);
    smr_json_free(doc);
    smr_model_free(model);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static const char few[] = "mean_area,worst_area,mean_radius,worst_radius,mean_perimeter,"
                          "worst_perimeter,mean_texture,worst_texture,area_error,perimeter_error,"
                          "radius_error,texture_error,symmetry_error,mean_symmetry,worst_symmetry,"
                          "compactness_error,concavity_error,concave_points_error,"
                          "smoothness_error,fractal_dimension_error";

/* Plain weights are those after the last mistake; a mean is told at the end, and is kept however
 * many mistakes there were before it. */
static void a_perceptron_ends_in_its_weights(void **state)
{
    (void)state;
    smr_train_opts how = {.size = sizeof how, .target = "diagnosis", .ignore = few};
    check_last_weights("perceptron plain max_iter=20", "data/breast_cancer.csv", how, 10000);
    check_last_weights("perceptron averaged max_iter=20", "data/breast_cancer.csv", how, 10000);
    check_last_weights("perceptron averaged max_iter=20", "data/breast_cancer.csv", how, 3);
}

/* Votes before each mistake, and those of the last vector, are all rows of all passes. */
static void a_voted_perceptron_tells_its_votes(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/breast_cancer.csv");
    smr_train_opts how = {.size = sizeof how, .target = "diagnosis", .ignore = few};
    smr_json_doc *doc = trace(ctx, "perceptron voted max_iter=7", table, &how, 10000, 0);
    const smr_json *root = smr_json_root(doc), *steps = smr_json_get(root, "steps");
    const smr_json *drawn = smr_json_get(smr_json_get(root, "figures")->last, "series")->first;
    double sum = 0;
    for (const smr_json *s = steps->first; s != steps->last; s = s->next)
        sum += smr_json_get_number(s, "votes_before", NAN);
    sum += smr_json_get(drawn, "y")->last->number;
    assert_true(sum == 7 * 569 && smr_json_get_number(steps->last, "votes", NAN) == sum);
    assert_true(smr_json_get_number(steps->last, "vectors", NAN) == (double)steps->n);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Also where rows are passed in another order, as averaged does. */
static void the_mistake_that_is_drawn_is_the_row(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/iris.csv");
    smr_train_opts how = {
        .size = sizeof how, .target = "species", .ignore = "petal_length,petal_width"};
    smr_json_doc *doc = trace(ctx, "perceptron averaged max_iter=2", table, &how, 0, 0);
    const smr_json *root = smr_json_root(doc), *steps = smr_json_get(root, "steps");
    const smr_json *figure = smr_json_get(root, "figures")->first;
    assert_true(steps->n > 20);
    for (const smr_json *s = steps->first; s != steps->last; s = s->next, figure = figure->next) {
        const smr_json *mistake = smr_json_get(figure, "series")->last;
        int64_t row = (int64_t)smr_json_get_number(s, "row", 0) - 1;
        assert_string_equal(smr_json_get_string(mistake, "name", ""), "mistake");
        assert_true(smr_json_get(mistake, "x")->first->number == smr_table_number(table, row, 0));
        assert_true(smr_json_get(mistake, "y")->first->number == smr_table_number(table, row, 1));
    }
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void the_last_step_of_descent_is_the_model(void **state)
{
    (void)state;
    smr_train_opts how = {.size = sizeof how, .target = "progression"};
    check_last_weights("standardize | linear solver=gd rule=fixed max_iter=40", "data/diabetes.csv",
                       how, 10000);
    how.target = "diagnosis";
    how.ignore = "mean_radius,worst_radius,mean_perimeter,worst_perimeter,mean_texture,mean_area,"
                 "worst_texture,worst_area,area_error,perimeter_error,radius_error,texture_error,"
                 "symmetry_error,mean_symmetry,worst_symmetry,compactness_error,concavity_error,"
                 "concave_points_error,smoothness_error,fractal_dimension_error";
    check_last_weights("standardize | logistic 1 solver=gd max_iter=25", "data/breast_cancer.csv",
                       how, 10000);
}

/* x - g / L of f = 1/2 |y - b - x w|^2 by hand: one feature of mean 0 and variance 1 is at its
 * minimum after one step of 1 / L, and w is then the mean of x y. */
static void one_step_of_descent_is_worked_by_hand(void **state)
{
    static const double x[] = {-1, 1, -1, 1}, y[] = {1, 4, 3, 6};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    check_ok(ctx, smr_table_create(ctx, 4, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, table, "y", y));
    smr_json_doc *doc = trace(ctx, "linear solver=gd rule=fixed", table, &how, 0, 0);
    const smr_json *steps = smr_json_get(smr_json_root(doc), "steps");
    assert_true(smr_json_get_number(steps->first, "w(x)", NAN) == 0);
    assert_true(smr_json_get_number(steps->first, "objective", NAN) == 6.5);
    assert_true(fabs(smr_json_get_number(steps->first->next, "w(x)", NAN) - 1.5) < 1e-12);
    assert_true(fabs(smr_json_get_number(steps->first->next, "objective", NAN) - 2) < 1e-12);
    assert_true(smr_json_get_number(steps->first->next, "b", NAN) == 3.5);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* The tennis table of five rows: H = 0.9710 bits, and `outlook` gains all of it. */
static void a_tree_tells_the_gains_of_the_tennis_table(void **state)
{
    static const char *const outlook[] = {"sunny", "sunny", "overcast", "rain", "rain"};
    static const char *const wind[] = {"weak", "strong", "weak", "weak", "strong"};
    static const char *const play[] = {"no", "no", "yes", "yes", "yes"};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "play"};
    check_ok(ctx, smr_table_create(ctx, 5, &table));
    check_ok(ctx, smr_table_add_strings(ctx, table, "outlook", outlook));
    check_ok(ctx, smr_table_add_strings(ctx, table, "wind", wind));
    check_ok(ctx, smr_table_add_strings(ctx, table, "play", play));
    smr_json_doc *doc = trace(ctx, "tree criterion=entropy", table, &how, 0, 0);
    const smr_json *first = smr_json_get(smr_json_root(doc), "steps")->first;
    assert_string_equal(smr_json_get_string(first, "chosen", ""), "outlook");
    assert_true(fabs(smr_json_get_number(first, "gain(outlook)", NAN) - 0.9709506) < 1e-6);
    assert_true(fabs(smr_json_get_number(first, "gain(wind)", NAN) - 0.0199731) < 1e-6);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Watching changes nothing: nodes are those of the tree, which other code grows unwatched. */
static void a_tree_tells_each_of_its_splits(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = open_table(ctx, "data/iris.csv");
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    smr_json_doc *doc = trace(ctx, "tree max_depth=2", table, &how, 0, 0);
    const smr_json *steps = smr_json_get(smr_json_root(doc), "steps");
    assert_string_equal(smr_json_get_string(steps->first, "chosen", ""), "petal_length");
    assert_true(smr_json_get_number(steps->first, "rows", 0) == 150);
    assert_true(fabs(smr_json_get_number(steps->first, "at", 0) - 2.45) < 1e-12);
    assert_true(fabs(smr_json_get_number(steps->first, "gain(petal_length)", 0) - 1. / 3) < 1e-12);
    assert_true(steps->n == 2); /* the other child is pure */
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Neighbours by a plain loop over the rows. */
static void neighbours_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/iris.csv");
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    smr_json_doc *doc = trace(ctx, "knn 7", table, &how, 0, 71);
    const smr_json *steps = smr_json_get(smr_json_root(doc), "steps");
    double before = -1;
    assert_true(steps->n == 7);
    for (const smr_json *s = steps->first; s; s = s->next) {
        int64_t row = (int64_t)smr_json_get_number(s, "row", 0) - 1;
        double sum = 0, told = smr_json_get_number(s, "distance", NAN);
        for (int64_t j = 0; j < 4; j++)
            sum += pow(smr_table_number(table, row, j) - smr_table_number(table, 70, j), 2);
        assert_true(fabs(sqrt(sum) - told) < 1e-12 && told >= before);
        before = told;
    }
    int64_t nearer = 0;
    for (int64_t i = 0; i < 150; i++) {
        double sum = 0;
        for (int64_t j = 0; j < 4; j++)
            sum += pow(smr_table_number(table, i, j) - smr_table_number(table, 70, j), 2);
        nearer += sqrt(sum) < before - 1e-12;
    }
    assert_true(nearer < 7);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Rows that were left out, for want of a target, are counted: 1 and 4 here. */
static void rows_are_those_of_the_table(void **state)
{
    static const double x[] = {0.5, 1, 3, 2.5, 7, 4}, z[] = {1, 2.5, 2, 3, 4.5, 5};
    static const char *const y[] = {NULL, "a", "b", NULL, "a", "b"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    double point = NAN;
    check_ok(ctx, smr_table_create(ctx, 6, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, table, "z", z));
    check_ok(ctx, smr_table_add_strings(ctx, table, "y", y));
    smr_json_doc *doc = trace(ctx, "knn 1", table, &how, 0, 5);
    assert_true(smr_json_get_number(last_step(doc), "row", NAN) == 5);
    assert_true(smr_json_get_number(last_step(doc), "distance", NAN) == 0);
    smr_json_free(doc);
    doc = trace(ctx, "perceptron plain", table, &how, 2, 0);
    const smr_json *root = smr_json_root(doc);
    const smr_json *second = smr_json_get(root, "figures")->last;
    const smr_json *drawn = smr_json_get(second, "series")->last;
    assert_string_equal(smr_json_get_string(drawn, "name", ""), "mistake");
    point = smr_json_get(drawn, "x")->first->number;
    assert_true(point == x[(int64_t)smr_json_get_number(last_step(doc), "row", NAN) - 1]);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* Series of that name in the last figure. */
static int64_t count_series(smr_json_doc *doc, const char *name)
{
    int64_t n = 0;
    const smr_json *figures = smr_json_get(smr_json_root(doc), "figures");
    if (!figures->last) return 0;
    for (const smr_json *s = smr_json_get(figures->last, "series")->first; s; s = s->next)
        n += strcmp(smr_json_get_string(s, "name", ""), name) == 0;
    return n;
}

/* Beside all rows, one in some of which are points of the picture, or by their distances. */
static void every_neighbour_is_drawn(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *iris = open_table(ctx, "data/iris.csv"), *wide = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    double x[1001], y[1001];
    smr_json_doc *doc = trace(ctx, "knn 5", iris, &how, 0, 71);
    const smr_json *figures = smr_json_get(smr_json_root(doc), "figures");
    assert_true(figures->n == 5);
    assert_true(count_series(doc, "versicolor") == 1 && count_series(doc, "setosa") == 0);
    const smr_json *names = smr_json_get(smr_json_get(figures->last, "y"), "names");
    assert_int_equal(names->n, 5);
    assert_string_equal(names->first->string, "row 71");
    smr_json_free(doc);
    how.ignore = "petal_length,petal_width,sepal_width";
    doc = trace(ctx, "knn 5", iris, &how, 0, 71);
    assert_true(smr_json_get(smr_json_root(doc), "figures")->n == 5);
    smr_json_free(doc);
    for (int64_t i = 0; i < 1001; i++) {
        x[i] = (double)(i * 617 % 1001);
        y[i] = (double)(i * i % 97);
    }
    check_ok(ctx, smr_table_create(ctx, 1001, &wide));
    check_ok(ctx, smr_table_add_f64(ctx, wide, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, wide, "y", y));
    how = (smr_train_opts){.size = sizeof how, .target = "y"};
    doc = trace(ctx, "knn 7", wide, &how, 0, 500);
    assert_int_equal(count_series(doc, "neighbour"), 7);
    smr_json_free(doc);
    smr_table_free(iris);
    smr_table_free(wide);
    check_ctx_end(ctx);
}

/* After re-weighting, the last learner's weighted error is 1/2, so wrong rows hold half the weight;
 * alpha is 1/2 ln((1 - e) / e). */
static void rounds_of_adaboost_have_their_alphas(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/breast_cancer.csv");
    smr_train_opts how = {.size = sizeof how, .target = "diagnosis"};
    smr_json_doc *doc = trace(ctx, "adaboost 6", table, &how, 4, 0);
    const smr_json *root = smr_json_root(doc), *steps = smr_json_get(root, "steps");
    assert_true(steps->n == 4 && smr_json_get_number(root, "n_steps", 0) == 6);
    for (const smr_json *s = steps->first; s; s = s->next) {
        double e = smr_json_get_number(s, "error", NAN), a = smr_json_get_number(s, "alpha", NAN);
        assert_true(fabs(a - 0.5 * log((1 - e) / e)) < 1e-12);
    }
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void a_path_tells_what_enters(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = open_table(ctx, "data/diabetes.csv");
    smr_train_opts how = {.size = sizeof how, .target = "progression"};
    smr_json_doc *doc = trace(ctx, "standardize | lasso path=200", table, &how, 0, 0);
    const smr_json *first = smr_json_get(smr_json_root(doc), "steps")->first;
    assert_string_equal(smr_json_get_string(first, "what", ""), "bmi enters");
    double before = INFINITY;
    for (const smr_json *s = first; s; s = s->next) {
        double l1 = smr_json_get_number(s, "l1", NAN);
        assert_true(l1 < before);
        before = l1;
    }
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void what_cannot_be_traced_says_so(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/iris.csv");
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    smr_trace_opts opts = {.size = sizeof opts};
    char *json = NULL;
    check_fails(ctx, smr_trace_steps(ctx, "forest", table, &how, &opts, &json), SMR_ERR_UNSUPPORTED,
                "forest has no steps to show; these do: adaboost");
    check_fails(ctx, smr_trace_steps(ctx, "logistic", table, &how, &opts, &json), SMR_ERR_PARAM,
                "its steps are those of solver=gd");
    opts.row = 151;
    check_fails(ctx, smr_trace_steps(ctx, "knn 3", table, &how, &opts, &json), SMR_ERR_PARAM,
                "rows 1 to 150");
    check_fails(ctx, smr_trace_steps(ctx, "tree", table, &how, &opts, &json), SMR_ERR_PARAM,
                "shown while it is fitted");
    opts = (smr_trace_opts){.size = sizeof opts, .steps = 10001};
    check_fails(ctx, smr_trace_steps(ctx, "tree", table, &how, &opts, &json), SMR_ERR_PARAM,
                "from 1 to 10000");
    smr_table_free(table);
    check_ctx_end(ctx);
}

static smr_status trace_once(smr_ctx *ctx, void *arg)
{
    smr_train_opts how = {.size = sizeof how, .target = "species"};
    char *json = NULL;
    smr_status st = smr_trace_steps(ctx, "tree max_depth=2", arg, &how, NULL, &json);
    smr_string_free(json);
    return st;
}

static smr_status trace_week(smr_ctx *ctx, void *arg)
{
    smr_train_opts how = {.size = sizeof how, .ignore = "weather", .sequence = "week"};
    smr_trace_opts opts = {.size = sizeof opts, .row = 9};
    char *json = NULL;
    smr_status st = smr_trace_steps(ctx, "hmm 2 max_iter=1 restarts=1", arg, &how, &opts, &json);
    smr_string_free(json);
    return st;
}

static void every_allocation_of_a_trace_may_fail(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = open_table(ctx, "data/iris.csv");
    assert_true(fail_each_allocation(ctx, trace_once, table) > 40);
    smr_table_free(table);
    table = open_table(ctx, "data/rainy_days.csv");
    assert_true(fail_each_allocation(ctx, trace_week, table) > 40);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* ---- hidden Markov models --------------------------------------------------------------- */

enum { DAYS = 7 };
static const char *const weathers[] = {"rainy", "sunny"};

/* Of all weathers of the first t days that end in `last`, the sum of their probabilities with what
 * was seen, and the largest; the model of rainy days. */
static void try_weathers(const int *seen, int t, int last, double *sum, double *best)
{
    static const double start[] = {0.6, 0.4}, move[2][2] = {{0.7, 0.3}, {0.4, 0.6}};
    static const double show[2][3] = {{0.5, 0.4, 0.1}, {0.1, 0.3, 0.6}};
    *sum = *best = 0;
    for (int path = 0; path < 1 << t; path++) {
        double p = 1;
        if ((path >> (t - 1)) != last) continue;
        for (int d = 0; d < t; d++) {
            int now = path >> d & 1, before = d ? path >> (d - 1) & 1 : 0;
            p *= (d ? move[before][now] : start[now]) * show[now][seen[d]];
        }
        *sum += p;
        *best = p > *best ? p : *best;
    }
}

/* The second week of data/rainy_days.csv, whose rows are 8 to 14. */
static void a_sequence_is_told_as_sums_over_all_paths(void **state)
{
    static const char *const deeds[] = {"clean", "shop", "walk"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = open_table(ctx, "data/rainy_days.csv");
    smr_train_opts how = {
        .size = sizeof how, .target = "weather", .sequence = "week", .time = "day"};
    smr_json_doc *doc = trace(ctx, "hmm smoothing=0", table, &how, 0, 11);
    const smr_json *root = smr_json_root(doc), *step = smr_json_get(root, "steps")->first;
    int seen[DAYS] = {0};
    (void)state;
    assert_int_equal((int)smr_json_get_number(root, "row", 0), 11);
    assert_int_equal((int)smr_json_get_number(root, "n_steps", 0), DAYS + 1);
    for (int t = 0; t < DAYS; t++, step = step->next) {
        double last = 0;
        while (strcmp(deeds[seen[t]], smr_json_get_string(step, "activity", "")) != 0) seen[t]++;
        for (int j = 0; j < 2; j++) {
            char key[32];
            double sum, best;
            try_weathers(seen, t + 1, j, &sum, &best);
            snprintf(key, sizeof key, "sum(%s)", weathers[j]);
            check_near(key, smr_json_get_number(step, key, NAN), sum, 1e-14);
            snprintf(key, sizeof key, "best(%s)", weathers[j]);
            check_near(key, smr_json_get_number(step, key, NAN), best, 1e-14);
            snprintf(key, sizeof key, "chance(%s)", weathers[j]);
            last += smr_json_get_number(step, key, NAN);
        }
        check_near("chances", last, 1, 1e-14);
    }
    assert_non_null(strstr(smr_json_get_string(step, "what", ""), "all paths together have "));
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* The objective of every pass is that of the model's own curve, from the start that went on. */
static void passes_of_em_end_in_the_model(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *table = open_table(ctx, "data/rainy_days.csv");
    smr_train_opts how = {
        .size = sizeof how, .ignore = "weather", .sequence = "week", .time = "day"};
    smr_model *m = NULL;
    smr_json_doc *doc = trace(ctx, "hmm 2 restarts=3", table, &how, 0, 0);
    const smr_json *root = smr_json_root(doc), *steps = smr_json_get(root, "steps");
    int64_t n = 0;
    (void)state;
    check_ok(ctx, smr_train(ctx, "hmm 2 restarts=3", table, &how, &m));
    const struct smr_hmm_state *s = smr_model_last(m)->state;
    double start = smr_json_get_number(steps->last, "start", 0);
    assert_null(smr_json_get(root, "row"));
    for (const smr_json *step = steps->first; step; step = step->next) {
        if (smr_json_get_number(step, "start", 0) != start) continue;
        assert_int_equal((int)smr_json_get_number(step, "pass", 0), (int)n + 1);
        assert_true(smr_json_get_number(step, "objective", 0) == s->curve[n++]);
    }
    assert_int_equal(n, s->n_curve);
    assert_true(n > 10);
    assert_true(smr_json_get_number(steps->last, "0 to 1", 0) == s->move[1]);
    smr_model_free(m);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perceptron_ends_in_its_weights),
        cmocka_unit_test(a_voted_perceptron_tells_its_votes),
        cmocka_unit_test(the_mistake_that_is_drawn_is_the_row),
        cmocka_unit_test(the_last_step_of_descent_is_the_model),
        cmocka_unit_test(one_step_of_descent_is_worked_by_hand),
        cmocka_unit_test(a_tree_tells_the_gains_of_the_tennis_table),
        cmocka_unit_test(a_tree_tells_each_of_its_splits),
        cmocka_unit_test(neighbours_are_those_of_a_plain_loop),
        cmocka_unit_test(rows_are_those_of_the_table),
        cmocka_unit_test(every_neighbour_is_drawn),
        cmocka_unit_test(rounds_of_adaboost_have_their_alphas),
        cmocka_unit_test(a_path_tells_what_enters),
        cmocka_unit_test(a_sequence_is_told_as_sums_over_all_paths),
        cmocka_unit_test(passes_of_em_end_in_the_model),
        cmocka_unit_test(what_cannot_be_traced_says_so),
        cmocka_unit_test(every_allocation_of_a_trace_may_fail),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
