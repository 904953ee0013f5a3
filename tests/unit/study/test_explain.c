/* test_explain.c -- importance, dependence and regions against predictions made by hand. */
#include "study_json.h"

#include "data/hash.h"
#include "math/stats.h"
#include "study/explain.h"

enum { N = 83 };

/* a, b numbers; c red, green or blue; "flat" constant, "dust" too small to matter in a distance;
 * y = 3.25 + 1.5 a - 2 b + (0, 4, -7 by colour); k the sign of a - b. */
static smr_table *additive_table(smr_ctx *ctx)
{
    static const char *const colours[] = {"blue", "green", "red"};
    static const double effect[] = {-7, 4, 0};
    double a[N], b[N], flat[N], dust[N], y[N];
    const char *c[N], *k[N];
    for (int64_t i = 0; i < N; i++) {
        int64_t colour = (i * i + i / 4) % 3;
        a[i] = 3 * noise(i, 0);
        b[i] = noise(i, 1);
        flat[i] = 2.385;
        dust[i] = 1e-180 * noise(i, 2);
        c[i] = colours[colour];
        y[i] = 3.25 + 1.5 * a[i] - 2 * b[i] + effect[colour];
        k[i] = a[i] > b[i] + 0.2 * noise(i, 3) ? "up" : "down";
    }
    smr_table *t = new_table(ctx, N, 7);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_strings(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "flat", flat);
    put_numbers(ctx, t, 4, "dust", dust);
    put_numbers(ctx, t, 5, "y", y);
    put_strings(ctx, t, 6, "k", k);
    return t;
}

static smr_model *train_without(smr_ctx *ctx, const char *sentence, const smr_table *t,
                                const char *target, const char *ignore)
{
    smr_set_opts opts = {.target = target, .ignore = ignore, .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static smr_json_doc *explain(smr_ctx *ctx, const char *what, const smr_model *m, const smr_table *t,
                             const smr_explain_how *how)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_explain_fill(ctx, what, m, &sample, how, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

/* ---- importance ------------------------------------------------------------------------- */

static void a_column_that_cannot_matter_has_importance_exactly_zero(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "knn 3", t, "k", "y");
    smr_json_doc *doc = explain(ctx, "importance", m, t,
                                &(smr_explain_how){.measures = "error,log_loss", .repeats = 7});
    const smr_json *list = smr_json_get(smr_json_root(doc), "importance");
    (void)state;
    assert_int_equal(list->n, 2);
    for (int64_t e = 0; e < 2; e++) {
        const smr_json *rows = smr_json_get(nth(list, e), "columns");
        assert_int_equal(rows->n, 5);
        assert_true(number_of(row_with(rows, "column", "flat"), "mean") == 0);
        assert_true(number_of(row_with(rows, "column", "flat"), "sd") == 0);
        assert_true(number_of(row_with(rows, "column", "dust"), "mean") == 0);
        assert_true(number_of(row_with(rows, "column", "dust"), "sd") == 0);
        assert_true(number_of(row_with(rows, "column", "a"), "mean") > 0.1);
        for (const smr_json *r = rows->first; r->next; r = r->next) /* best first */
            assert_true(number_of(r, "mean") >= number_of(r->next, "mean"));
    }
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The mean rise of the mse, by tables that were really shuffled, with the same permutations. */
static double shuffled_rise(smr_ctx *ctx, const smr_model *m, const smr_table *t, int64_t col,
                            uint64_t key, int64_t repeats)
{
    double y[N], rise[16];
    int64_t order[N];
    for (int64_t i = 0; i < N; i++) y[i] = smr_column_number(&t->cols[5], i);
    for (int64_t r = 0; r < repeats; r++) {
        smr_table *copy = additive_table(ctx);
        smr_random_permutation(ctx->seed, SMR_STREAM_EXPLAIN, key << 32 | (uint64_t)r, N, order);
        double *x = copy->cols[col].values;
        for (int64_t i = 0; i < N; i++) x[i] = smr_column_number(&t->cols[col], order[i]);
        double *f = apply(ctx, m, copy, SMR_OUTPUT_VALUE), sum = 0;
        for (int64_t i = 0; i < N; i++) sum += (y[i] - f[i]) * (y[i] - f[i]);
        rise[r] = sum / N;
        smr_free(f);
        smr_table_free(copy);
    }
    return smr_mean(repeats, rise, NULL);
}

static void importance_is_that_of_a_table_really_shuffled(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    ctx->seed = 11;
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "linear", t, "y", "k,flat,dust");
    smr_json_doc *doc =
        explain(ctx, "importance", m, t, &(smr_explain_how){.measures = "mse", .repeats = 5});
    const smr_json *entry = nth(smr_json_get(smr_json_root(doc), "importance"), 0);
    const smr_json *rows = smr_json_get(entry, "columns");
    double base = number_of(entry, "unshuffled"); /* rounding only: y is exactly linear */
    assert_true(base < 1e-24);
    check_near("a", number_of(row_with(rows, "column", "a"), "mean") + base,
               shuffled_rise(ctx, m, t, 0, 0, 5), 1e-12);
    check_near("b", number_of(row_with(rows, "column", "b"), "mean") + base,
               shuffled_rise(ctx, m, t, 1, 1, 5), 1e-12);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The mean squared error of numbers, the log loss of classes. */
static double loss_on(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    bool classes = m->target.task == SMR_TASK_CLASSIFY;
    double *f = apply(ctx, m, t, classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE), sum = 0;
    int32_t label[N];
    if (classes) check_ok(ctx, smr_target_labels(ctx, &m->target, t, label));
    for (int64_t i = 0; i < N; i++) {
        double e = classes ? 0 : smr_column_number(&t->cols[5], i) - f[i];
        sum += classes ? -log(f[i * m->target.classes.n + label[i]]) : e * e;
    }
    smr_free(f);
    return sum / N;
}

/* The mean rise of that loss when these columns are really shuffled, by one permutation. */
static double real_rise(smr_ctx *ctx, const smr_model *m, const char *columns, uint64_t key,
                        int64_t repeats)
{
    smr_table *t = additive_table(ctx);
    double base = loss_on(ctx, m, t), rise[16];
    int64_t order[N];
    for (int64_t r = 0; r < repeats; r++) {
        smr_table *copy = additive_table(ctx);
        smr_random_permutation(ctx->seed, SMR_STREAM_EXPLAIN, key << 32 | (uint64_t)r, N, order);
        for (int64_t c = 0; c < t->n_cols; c++) {
            size_t size = smr_dtype_size(t->cols[c].dtype);
            if (!strchr(columns, t->cols[c].name[0])) continue;
            for (int64_t i = 0; i < N; i++)
                memcpy((char *)copy->cols[c].values + (size_t)i * size,
                       (const char *)t->cols[c].values + (size_t)order[i] * size, size);
        }
        rise[r] = loss_on(ctx, m, copy) - base;
        smr_table_free(copy);
    }
    smr_table_free(t);
    return smr_mean(repeats, rise, NULL);
}

/* What the columns add to the scores of a linear model is shuffled in place of the columns; where
 * features are made from several columns, or a score is not the answer, the columns are. */
static void linear_models_of_every_kind_have_the_importance_of_shuffled_tables(void **state)
{
    static const struct {
        const char *sentence, *target, *ignore, *measure;
    } cases[] = {
        {"ridge 0.5", "y", "k,flat,dust", "mse"},
        {"standardize | lasso 0.01", "y", "k,flat,dust", "mse"},
        {"poly degree=2 | ridge 0.5", "y", "k,flat,dust", "mse"},
        {"logistic", "k", "y,flat,dust", "log_loss"},
        {"standardize | logistic", "c", "y,k,flat,dust", "log_loss"}, /* three classes */
    };
    (void)state;
    for (int64_t s = 0; s < SMR_COUNT(cases); s++) {
        smr_ctx *ctx = check_ctx(2);
        ctx->seed = 23;
        smr_table *t = additive_table(ctx);
        smr_model *m = train_without(ctx, cases[s].sentence, t, cases[s].target, cases[s].ignore);
        bool three = m->schema.n_inputs == 3;
        smr_explain_how how = {
            .measures = cases[s].measure, .repeats = 3, .columns = three ? "a,b,c" : "a,b"};
        smr_json_doc *doc = explain(ctx, "importance", m, t, &how);
        const smr_json *entry = nth(smr_json_get(smr_json_root(doc), "importance"), 0);
        const smr_json *rows = smr_json_get(entry, "columns");
        for (int64_t j = 0; j < m->schema.n_inputs; j++) {
            const char *name = m->schema.inputs[j].name;
            check_near(name, number_of(row_with(rows, "column", name), "mean"),
                       real_rise(ctx, m, name, (uint64_t)j, 3), 1e-12);
        }
        const char *all = three ? "a + b + c" : "a + b";
        check_near(all, number_of(row_with(rows, "column", all), "mean"),
                   real_rise(ctx, m, three ? "abc" : "ab", (uint64_t)m->schema.n_inputs, 3), 1e-12);
        smr_json_free(doc);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void a_column_that_a_linear_model_does_not_read_has_importance_exactly_zero(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "lasso 1000", t, "y", "k");
    smr_json_doc *doc = explain(ctx, "importance", m, t, &(smr_explain_how){.repeats = 3});
    const smr_json *rows =
        smr_json_get(nth(smr_json_get(smr_json_root(doc), "importance"), 0), "columns");
    (void)state;
    for (const smr_json *r = rows->first; r; r = r->next) {
        assert_true(number_of(r, "mean") == 0);
        assert_true(number_of(r, "sd") == 0);
    }
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_columns_importance_does_not_depend_on_the_others_asked_for(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "knn 5", t, "k", "y");
    smr_json_doc *all = explain(ctx, "importance", m, t, &(smr_explain_how){0});
    smr_json_doc *two = explain(ctx, "importance", m, t, &(smr_explain_how){.columns = "c,b"});
    const smr_json *of_all =
        smr_json_get(nth(smr_json_get(smr_json_root(all), "importance"), 0), "columns");
    const smr_json *of_two =
        smr_json_get(nth(smr_json_get(smr_json_root(two), "importance"), 0), "columns");
    (void)state;
    assert_int_equal(of_two->n, 3); /* each, and both together */
    assert_true(number_of(row_with(of_two, "column", "b"), "mean") ==
                number_of(row_with(of_all, "column", "b"), "mean"));
    assert_true(number_of(row_with(of_two, "column", "c"), "sd") ==
                number_of(row_with(of_all, "column", "c"), "sd"));
    row_with(of_two, "column", "c + b");
    smr_json_free(all);
    smr_json_free(two);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- dependence ------------------------------------------------------------------------- */

static void a_linear_model_depends_on_a_column_by_its_coefficient(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "linear", t, "y", "k,flat,dust");
    smr_json_doc *doc =
        explain(ctx, "dependence", m, t, &(smr_explain_how){.columns = "a", .grid = 23});
    const smr_json *points = smr_json_get(
        row_with(smr_json_get(smr_json_root(doc), "dependence"), "column", "a"), "points");
    double rest = 0;
    (void)state;
    for (int64_t i = 0; i < N; i++)
        rest += (smr_column_number(&t->cols[5], i) - 1.5 * smr_column_number(&t->cols[0], i)) / N;
    assert_int_equal(points->n, 23);
    for (const smr_json *p = points->first; p; p = p->next)
        check_near("a", number_of(p, "predicted"), 1.5 * number_of(p, "value") + rest, 1e-12);
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < N; i++) {
        least = fmin(least, smr_column_number(&t->cols[0], i));
        most = fmax(most, smr_column_number(&t->cols[0], i));
    }
    assert_true(number_of(points->first, "value") == least);
    assert_true(number_of(points->last, "value") == most);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The log-density of one Gaussian along the columns falls by half the square of the deviation. */
static void the_scores_of_densities_and_outliers_depend_on_columns(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    double mean = 0, variance = 0;
    (void)state;
    for (int64_t i = 0; i < N; i++) mean += smr_column_number(&t->cols[0], i) / N;
    for (int64_t i = 0; i < N; i++)
        variance += pow(smr_column_number(&t->cols[0], i) - mean, 2) / N;
    for (int k = 0; k < 2; k++) {
        smr_set_opts opts = {.ignore = "c,flat,dust,y,k",
                             .keep_all = true,
                             .task = k ? SMR_TASK_OUTLIERS : SMR_TASK_DENSITY};
        smr_model *m = NULL;
        check_ok(ctx, try_train(ctx, "gmm 1 covariance=diagonal", t, &opts, &m));
        smr_json_doc *doc =
            explain(ctx, "dependence", m, t, &(smr_explain_how){.columns = "a", .grid = 23});
        const smr_json *points = smr_json_get(
            row_with(smr_json_get(smr_json_root(doc), "dependence"), "column", "a"), "points");
        const smr_json *first = points->first;
        double at = pow(number_of(first, "value") - mean, 2);
        assert_int_equal(points->n, 23);
        for (const smr_json *p = first->next; p; p = p->next)
            check_near("a", number_of(p, "score") - number_of(first, "score"),
                       (at - pow(number_of(p, "value") - mean, 2)) / (2 * variance), 1e-9);
        smr_json_free(doc);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void an_additive_model_depends_on_a_category_by_its_effects(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "linear", t, "y", "k,flat,dust");
    smr_json_doc *doc = explain(ctx, "dependence", m, t, &(smr_explain_how){.columns = "c"});
    const smr_json *points =
        smr_json_get(nth(smr_json_get(smr_json_root(doc), "dependence"), 0), "points");
    (void)state;
    assert_int_equal(points->n, 3);
    double blue = number_of(row_with(points, "value", "blue"), "predicted");
    double green = number_of(row_with(points, "value", "green"), "predicted");
    double red = number_of(row_with(points, "value", "red"), "predicted");
    check_near("green - blue", green - blue, 11, 1e-11);
    check_near("red - blue", red - blue, 7, 1e-11);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* y = a^2 + b is additive: a's curve is a^2 and a constant, and the pair's map the sum. */
static void the_pair_of_an_additive_model_is_the_sum_of_its_parts(void **state)
{
    static const char *const names[] = {"a", "b", "y"};
    smr_ctx *ctx = check_ctx(2);
    double x[3 * N];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        x[3 * i] = 2 * noise(i, 0);
        x[3 * i + 1] = noise(i, 1);
        x[3 * i + 2] = x[3 * i] * x[3 * i] + x[3 * i + 1];
    }
    smr_table *t = matrix_table(ctx, N, 3, x, names);
    smr_model *m = train_on(ctx, "poly 2 | linear", t, "y");
    smr_json_doc *doc =
        explain(ctx, "dependence", m, t, &(smr_explain_how){.columns = "a,b", .grid = 7});
    const smr_json *points =
        smr_json_get(nth(smr_json_get(smr_json_root(doc), "dependence"), 0), "points");
    assert_int_equal(points->n, 49);
    for (const smr_json *p = points->first; p; p = p->next) {
        double a = number_of(p, "x");
        check_near("map", number_of(p, "predicted"), a * a + number_of(p, "y"), 1e-10);
    }
    const smr_json *figure = nth(smr_json_get(smr_json_root(doc), "figures"), 0);
    const smr_json *cells = nth(smr_json_get(figure, "series"), 0);
    assert_int_equal(smr_json_get(cells, "value")->n, 49);
    double first = number_of(points->first, "x"), second = number_of(nth(points, 1), "x");
    check_near("cells fill the axis", number_of(smr_json_get(figure, "x"), "min"),
               first - (second - first) / 2, 1e-12);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void every_class_has_a_curve_and_they_sum_to_one(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "knn 5", t, "c", "y,k");
    smr_json_doc *doc = explain(ctx, "dependence", m, t,
                                &(smr_explain_how){.columns = "a", .grid = 9, .single_rows = 4});
    const smr_json *points =
        smr_json_get(nth(smr_json_get(smr_json_root(doc), "dependence"), 0), "points");
    (void)state;
    for (const smr_json *p = points->first; p; p = p->next)
        check_near("sum",
                   number_of(p, "p(blue)") + number_of(p, "p(green)") + number_of(p, "p(red)"), 1,
                   1e-12);
    const smr_json *figure = nth(smr_json_get(smr_json_root(doc), "figures"), 0);
    const smr_json *series = smr_json_get(figure, "series");
    assert_int_equal(series->n, 4); /* single rows and three classes */
    assert_int_equal(smr_json_get(row_with(series, "name", "single rows"), "x")->n,
                     4 * (points->n + 1));
    smr_json_free(doc);
    doc = explain(ctx, "dependence", m, t,
                  &(smr_explain_how){.columns = "a", .grid = 3, .positive = "green"});
    const smr_json *row =
        nth(smr_json_get(nth(smr_json_get(smr_json_root(doc), "dependence"), 0), "points"), 0);
    assert_non_null(smr_json_get(row, "p(green)"));
    assert_null(smr_json_get(row, "p(red)"));
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- regions ---------------------------------------------------------------------------- */

static void regions_are_what_the_model_predicts_there(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "knn 3", t, "k", "y,flat,dust");
    smr_json_doc *doc =
        explain(ctx, "regions", m, t, &(smr_explain_how){.columns = "b,a", .grid = 13});
    const smr_json *root = smr_json_root(doc);
    const smr_json *figure = nth(smr_json_get(root, "figures"), 0);
    const smr_json *cells = nth(smr_json_get(figure, "series"), 0);
    const smr_json *x = smr_json_get(figure, "x"), *y = smr_json_get(figure, "y");
    const smr_json *value = smr_json_get(cells, "value")->first;
    smr_predictor *p = NULL;
    int64_t seen[2] = {0};
    (void)state;
    /* of the colours red is the most frequent: i^2 + i/4 mod 3 */
    assert_string_equal(smr_json_get_string(nth(smr_json_get(root, "others"), 0), "column", ""),
                        "c");
    const char *colour = smr_json_get_string(nth(smr_json_get(root, "others"), 0), "value", "");
    int64_t code = smr_model_input_code(m, 2, colour), count[3] = {0};
    for (int64_t i = 0; i < N; i++) count[smr_column_code(&t->cols[2], i)]++;
    for (int k = 0; k < 3; k++) assert_true(count[k] <= count[code]);
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_LABEL, &p));
    for (int64_t j = 0; j < 13; j++)
        for (int64_t i = 0; i < 13; i++, value = value->next) {
            double step_x = (number_of(x, "max") - number_of(x, "min")) / 13;
            double step_y = (number_of(y, "max") - number_of(y, "min")) / 13;
            double row[3] = {number_of(y, "min") + ((double)j + 0.5) * step_y,
                             number_of(x, "min") + ((double)i + 0.5) * step_x, (double)code};
            double label;
            check_ok(ctx, smr_predictor_row(p, row, &label));
            assert_true(value->number == label);
            seen[(int)label]++;
        }
    assert_null(value);
    assert_true(seen[0] > 20 && seen[1] > 20); /* both classes have a region */
    const smr_json *shares = smr_json_get(root, "shares");
    check_near("share", number_of(nth(shares, 1), "share"), (double)seen[1] / 169, 1e-15);
    smr_predictor_free(p);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void regions_of_numbers_are_predictions(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "linear", t, "y", "k,flat,dust");
    smr_json_doc *doc =
        explain(ctx, "regions", m, t, &(smr_explain_how){.columns = "a,c", .grid = 5});
    const smr_json *root = smr_json_root(doc);
    const smr_json *figure = nth(smr_json_get(root, "figures"), 0);
    const smr_json *cells = nth(smr_json_get(figure, "series"), 0);
    double b[N], half = 0.5, median;
    (void)state;
    for (int64_t i = 0; i < N; i++) b[i] = smr_column_number(&t->cols[1], i);
    check_ok(ctx, smr_quantiles(ctx, N, b, NULL, 1, &half, &median));
    assert_int_equal((int)number_of(cells, "nx"), 5);
    assert_int_equal((int)number_of(cells, "ny"), 3); /* colours */
    const smr_json *x = smr_json_get(figure, "x"), *v = smr_json_get(cells, "value");
    double at = number_of(x, "min") + 0.1 * (number_of(x, "max") - number_of(x, "min"));
    check_near("blue", nth(v, 0)->number, 3.25 + 1.5 * at - 2 * median - 7, 1e-11);
    check_near("red", nth(v, 10)->number, 3.25 + 1.5 * at - 2 * median, 1e-11);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what holds for all ----------------------------------------------------------------- */

static const char *const whats[] = {"importance", "dependence", "regions"};

static void the_same_bytes_at_any_thread_count(void **state)
{
    (void)state;
    for (int64_t w = 0; w < SMR_COUNT(whats); w++) {
        char *first = NULL;
        static const int threads[] = {1, 2, 7};
        for (int k = 0; k < 3; k++) {
            smr_ctx *ctx = check_ctx(threads[k]);
            smr_table *t = additive_table(ctx);
            smr_model *m = train_without(ctx, "knn 3", t, "k", "y");
            uint64_t before[2], after[2];
            check_ok(ctx, smr_table_hash(ctx, t, before));
            smr_json_doc *doc = explain(ctx, whats[w], m, t, &(smr_explain_how){.columns = "a,b"});
            check_ok(ctx, smr_table_hash(ctx, t, after));
            assert_memory_equal(before, after, sizeof before); /* the table is left alone */
            char *text = json_text(ctx, doc);
            if (!first) first = strdup(text);
            assert_string_equal(text, first);
            smr_free(text);
            smr_json_free(doc);
            smr_model_free(m);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
        free(first);
    }
}

struct attempt {
    const smr_table *table;
    const smr_model *model;
    const char *what;
};

static smr_status try_explain(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_sample sample = {.table = a->table};
    smr_explain_how how = {.columns = "a,c", .grid = 3, .repeats = 2, .most_rows = 31};
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK)
        st = smr_explain_fill(ctx, a->what, a->model, &sample, &how, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int64_t w = 0; w < SMR_COUNT(whats); w++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = additive_table(ctx);
        smr_model *m = train_without(ctx, "knn 3", t, "k", "y");
        struct attempt a = {.table = t, .model = m, .what = whats[w]};
        assert_true(fail_each_allocation(ctx, try_explain, &a) > 30);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void what_cannot_be_explained_is_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = additive_table(ctx);
    smr_model *m = train_without(ctx, "knn 3", t, "k", "y");
    smr_sample sample = {.table = t};
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
#define REFUSES(what, part, ...)                                                                \
    check_fails(ctx,                                                                            \
                smr_explain_fill(ctx, what, m, &sample, &(smr_explain_how){__VA_ARGS__}, root), \
                SMR_ERR_PARAM, part)
    REFUSES("importanse", "did you mean 'importance'?", .columns = NULL);
    REFUSES("importance", "has no column 'dusk'; did you mean 'dust'?", .columns = "a,dusk");
    REFUSES("importance", "column 'k' is what the model predicts", .columns = "k");
    REFUSES("dependence", "column 'y' is not among the 5 inputs", .columns = "y");
    REFUSES("dependence", "one column or a pair; 3 were named", .columns = "a,b,c");
    REFUSES("dependence", "has no class 'sideways'", .columns = "a", .positive = "sideways");
    REFUSES("importance", "did you mean 'error'?", .measures = "eror");
    REFUSES("regions", "--columns X,Y (the model reads 5)", .columns = NULL);
    REFUSES("regions", "--grid: at most 1000, not 2000", .columns = "a,b", .grid = 2000);
    REFUSES("dependence", "--grid: at most 1000, not 1000000000", .columns = "a",
            .grid = 1000000000);
    REFUSES("dependence", "at most 200 along each of two columns", .columns = "a,b", .grid = 201);
    REFUSES("dependence", "--ice: at most 1000", .columns = "a", .single_rows = 1001);
    REFUSES("importance", "--repeats: at most 10000", .repeats = 10001);
    REFUSES("importance", "has no class 'sideways'", .positive = "sideways");
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_cannot_matter_has_importance_exactly_zero),
        cmocka_unit_test(importance_is_that_of_a_table_really_shuffled),
        cmocka_unit_test(linear_models_of_every_kind_have_the_importance_of_shuffled_tables),
        cmocka_unit_test(a_column_that_a_linear_model_does_not_read_has_importance_exactly_zero),
        cmocka_unit_test(a_columns_importance_does_not_depend_on_the_others_asked_for),
        cmocka_unit_test(a_linear_model_depends_on_a_column_by_its_coefficient),
        cmocka_unit_test(the_scores_of_densities_and_outliers_depend_on_columns),
        cmocka_unit_test(an_additive_model_depends_on_a_category_by_its_effects),
        cmocka_unit_test(the_pair_of_an_additive_model_is_the_sum_of_its_parts),
        cmocka_unit_test(every_class_has_a_curve_and_they_sum_to_one),
        cmocka_unit_test(regions_are_what_the_model_predicts_there),
        cmocka_unit_test(regions_of_numbers_are_predictions),
        cmocka_unit_test(the_same_bytes_at_any_thread_count),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(what_cannot_be_explained_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
