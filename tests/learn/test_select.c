/* test_select.c -- choosing features: recorded scores, gaps, weights and sparse rows, the searches
 * by two ways, the traps of filters, and honesty inside cross-validation. */
#include "pipeline.h"

#include "core/json.h"
#include "learn/chain.h"
#include "learn/out_of_fold.h"
#include "learn/stages.h"
#include "transform/select.h"
#include "truth/features.h"

enum { N = 23, D = 5 };

/* What tests/truth/features.py was given, too. */
static void recorded(double *x, double *y, int32_t *label)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++)
            x[i * D + j] = sin(1.7 * i + 2.3 * j + 0.13 * i * j) * (1 + j) + 0.5 * j;
        y[i] = 0.9 * x[i * D + 1] - 0.6 * x[i * D + 3] + 1.4 * cos(2.9 * i);
        label[i] = (int32_t)((i * 7 % 5 + (y[i] > 0.3)) / 2);
    }
}

static const char *const names[] = {"a", "b", "c", "d", "e", "y"};

/* The recorded table, with y last: numbers, or classes. */
static smr_table *recorded_table(smr_ctx *ctx, bool classes)
{
    static const char *const class_names[] = {"p", "q", "r"};
    double x[N * D], y[N], column[N];
    int32_t label[N];
    const char *text[N];
    recorded(x, y, label);
    smr_table *t = new_table(ctx, N, D + 1);
    for (int j = 0; j < D; j++) {
        for (int i = 0; i < N; i++) column[i] = x[i * D + j];
        put_numbers(ctx, t, j, names[j], column);
    }
    for (int i = 0; i < N; i++) text[i] = class_names[label[i]];
    if (classes)
        put_strings(ctx, t, D, "y", text);
    else
        put_numbers(ctx, t, D, "y", y);
    return t;
}

/* The select stage of a model: the first of that name. */
static const struct smr_select_state *selected(const smr_model *m)
{
    for (int64_t s = 0; s < m->n_stages; s++)
        if (!strcmp(m->stages[s].learner->word->name, "select")) return m->stages[s].state;
    fail_msg("no select stage");
    return NULL;
}

/* "b d": the names of what was kept. */
static const char *kept_of(const smr_model *m)
{
    static char text[512];
    text[0] = '\0';
    for (int64_t s = 0; s < m->n_stages; s++) {
        const smr_stage *stage = &m->stages[s];
        if (strcmp(stage->learner->word->name, "select") != 0) continue;
        for (int64_t k = 0; k < stage->n_out; k++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", k ? " " : "",
                     stage->features[k].name);
        }
    }
    return text;
}

static void check_kept(smr_ctx *ctx, const smr_table *t, const char *sentence, const char *wanted)
{
    smr_model *m = train_on(ctx, sentence, t, "y");
    if (strcmp(kept_of(m), wanted) != 0)
        fail_msg("%s: kept %s, wanted %s", sentence, kept_of(m), wanted);
    smr_model_free(m);
}

/* ---- filters ---------------------------------------------------------------------------- */

static void correlations_and_their_tests_are_scikit_learns(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = recorded_table(ctx, false), *c = recorded_table(ctx, true);
    smr_model *m = train_on(ctx, "select", t, "y"), *of = train_on(ctx, "select k=5", c, "y");
    for (int j = 0; j < D; j++) {
        check_near("r", selected(m)->score[j], select_r[j], 1e-13);
        check_near("p", selected(m)->p_value[j], select_p[j], 1e-11);
        double f = select_f[j], eta2 = 2 * f / (2 * f + N - 3); /* of F with 2 and N - 3 degrees */
        check_near("eta", selected(of)->score[j], sqrt(eta2), 1e-12);
        check_near("p of classes", selected(of)->p_value[j], select_f_p[j], 1e-11);
    }
    assert_string_equal(kept_of(m), "b d");
    smr_model_free(m);
    smr_model_free(of);
    check_kept(ctx, t, "select k=3", "b d e");
    check_kept(ctx, t, "select at_least=0.28", "a b d e");
    check_kept(ctx, t, "select at_least=0.28 p=0.01", "b d");
    check_kept(ctx, t, "select p=0.001", "d");
    smr_table_free(t);
    smr_table_free(c);
    check_ctx_end(ctx);
}

/* A feature's gaps leave out those rows for it alone; weight 2 is the row twice. */
static void gaps_and_weights_are_as_if_rows_were_left_out_and_repeated(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    for (int classes = 0; classes < 2; classes++) {
        smr_table *t = recorded_table(ctx, classes);
        double weight[N];
        for (int i = 0; i < N; i++) weight[i] = 1 + i % 3 % 2;
        for (int i = 0; i < N; i += 4) {
            ((double *)t->cols[1].values)[i] = NAN;
            t->cols[1].n_missing++;
        }
        int64_t rows[3 * N], n = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < (int)weight[i] && i % 4; k++) rows[n++] = i;
        smr_table *less = new_table(ctx, n, 2);
        double b[3 * N], y[3 * N];
        const char *text[3 * N];
        static const char *const level[] = {"p", "q", "r"};
        for (int64_t i = 0; i < n; i++) {
            b[i] = smr_column_number(&t->cols[1], rows[i]);
            if (classes)
                text[i] = level[((int32_t *)t->cols[D].values)[rows[i]]];
            else
                y[i] = smr_column_number(&t->cols[D], rows[i]);
        }
        put_numbers(ctx, less, 0, "b", b);
        if (classes)
            put_strings(ctx, less, 1, "y", text);
        else
            put_numbers(ctx, less, 1, "y", y);
        smr_table *whole = new_table(ctx, N, 3);
        double column[N];
        for (int i = 0; i < N; i++) column[i] = smr_column_number(&t->cols[1], i);
        put_numbers(ctx, whole, 0, "b", column);
        if (classes) {
            for (int i = 0; i < N; i++) text[i] = level[((int32_t *)t->cols[D].values)[i]];
            put_strings(ctx, whole, 1, "y", text);
        } else {
            for (int i = 0; i < N; i++) column[i] = smr_column_number(&t->cols[D], i);
            put_numbers(ctx, whole, 1, "y", column);
        }
        put_numbers(ctx, whole, 2, "w", weight);
        static const char *const sentences[] = {"select k=1", "select gain k=1 bins=4"};
        for (int s = 0; s < 1 + classes; s++) { /* a target of numbers is cut with all rows */
            smr_model *a = NULL, *other = train_on(ctx, sentences[s], less, "y");
            smr_set_opts opts = {.target = "y", .weight = "w", .keep_all = true};
            check_ok(ctx, try_train(ctx, sentences[s], whole, &opts, &a));
            check_near(sentences[s], selected(a)->score[0], selected(other)->score[0], 1e-12);
            check_near("p", selected(a)->p_value[0], selected(other)->p_value[0], 1e-11);
            smr_model_free(a);
            smr_model_free(other);
        }
        smr_table_free(t);
        smr_table_free(less);
        smr_table_free(whole);
    }
    check_ctx_end(ctx);
}

/* Rain and cloud of the notes, 24, 1, 25 and 50 days: gain 0.2504 bits; and a category with a name
 * of its own for every day says everything. */
static void gain_is_the_worked_one(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    const char *cloud[100], *rain[100];
    double number[100];
    for (int i = 0; i < 100; i++) {
        cloud[i] = i < 25 ? "cloudy" : "clear";
        rain[i] = i < 24 || (i >= 25 && i < 50) ? "rain" : "dry";
        number[i] = i < 25 ? 7.5 : -2.25;
    }
    smr_table *t = new_table(ctx, 100, 3);
    put_strings(ctx, t, 0, "cloud", cloud);
    put_numbers(ctx, t, 1, "number", number);
    put_strings(ctx, t, 2, "y", rain);
    smr_model *m = train_on(ctx, "select gain k=1", t, "y");
    check_near("category", selected(m)->score[0], 0.2504, 5e-5);
    check_near("number", selected(m)->score[1], selected(m)->score[0], 1e-14);
    assert_true(selected(m)->p_value[0] < 1e-6);
    assert_string_equal(kept_of(m), "cloud"); /* the first of equals */
    assert_int_equal(m->stages[0].features[0].kind, SMR_CATEGORY);
    check_string(m->stages[0].features[0].levels, 1, "cloudy");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A feature that goes with the target in a bend has gain, and no correlation. */
static void gain_sees_what_correlation_does_not(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    enum { M = 201 };
    double x[M], z[M], y[M];
    for (int i = 0; i < M; i++) {
        x[i] = (i - 100) / 37.0;
        y[i] = x[i] * x[i];
        z[i] = noise(i, 5);
    }
    smr_table *t = new_table(ctx, M, 3);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "y", y);
    smr_model *r = train_on(ctx, "select k=1", t, "y"), *g = train_on(ctx, "select gain", t, "y");
    assert_true(selected(r)->score[0] < 1e-10);
    assert_string_equal(kept_of(r), "z");
    assert_string_equal(kept_of(g), "x");
    smr_model_free(r);
    smr_model_free(g);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Categories: the correlation ratio with numbers, Cramer's V with classes. */
static void categories_are_scored_as_categories(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static const char *const colour[] = {"red", "green", "blue", NULL};
    const char *c[40], *k[40];
    double y[40], group[3] = {0}, count[3] = {0}, mean = 0, all = 0, between = 0, n = 0;
    for (int i = 0; i < 40; i++) {
        c[i] = colour[i * 7 % 4];
        y[i] = noise(i, 2) + (i * 7 % 4 == 1 ? 0.8 : 0);
        k[i] = i * 7 % 4 == 2 || i % 9 == 0 ? "yes" : "no";
        if (!c[i]) continue;
        group[i * 7 % 4] += y[i];
        count[i * 7 % 4]++;
        mean += y[i];
        n++;
    }
    mean /= n;
    for (int i = 0; i < 40; i++)
        if (c[i]) all += (y[i] - mean) * (y[i] - mean);
    for (int g = 0; g < 3; g++) {
        double off = group[g] / count[g] - mean;
        between += count[g] * off * off;
    }
    smr_table *t = new_table(ctx, 40, 2), *of = new_table(ctx, 40, 2);
    put_strings(ctx, t, 0, "c", c);
    put_numbers(ctx, t, 1, "y", y);
    put_strings(ctx, of, 0, "c", c);
    put_strings(ctx, of, 1, "y", k);
    smr_model *m = train_on(ctx, "select", t, "y"), *v = train_on(ctx, "select", of, "y");
    check_near("eta", selected(m)->score[0], sqrt(between / all), 1e-12);
    check_near("V", selected(v)->score[0], select_v, 1e-12);
    assert_string_equal(stages_of(m), "select");
    smr_model_free(m);
    smr_model_free(v);
    smr_table_free(t);
    smr_table_free(of);
    check_ctx_end(ctx);
}

/* ---- weights and l1 --------------------------------------------------------------------- */

static void l1_keeps_what_the_lasso_does(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = recorded_table(ctx, false);
    for (int k = 0; k < SMR_COUNT(select_lasso); k++)
        check_kept(ctx, t, select_lasso[k].sentence, select_lasso[k].kept);
    check_kept(ctx, t, "select l1 k=1", "d");
    check_kept(ctx, t, "select l1 k=2", "b d");
    check_kept(ctx, t, "select l1 k=3", "b d e");
    smr_model *m = train_on(ctx, "select l1", t, "y");
    assert_true(strstr(kept_of(m), "b") && strstr(kept_of(m), "d"));
    assert_true(selected(m)->l1 > 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void l1_of_classes_finds_the_feature_that_tells_them_apart(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    enum { M = 90 };
    static const char *const classes[] = {"p", "q", "r"};
    double x[M];
    const char *text[M], *colour[M];
    smr_table *t = new_table(ctx, M, 6);
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < M; i++)
            x[i] = noise(i, j) + (j == 2 ? i % 3 * (i % 3 == 1 ? 0.9 : 0.1) : 0);
        put_numbers(ctx, t, j, names[j], x);
    }
    for (int i = 0; i < M; i++) {
        text[i] = classes[i % 3];
        colour[i] = i % 3 == 2 && i % 7 ? "blue" : i % 2 ? "red" : "green";
    }
    put_strings(ctx, t, 4, "e", colour);
    put_strings(ctx, t, 5, "y", text);
    check_kept(ctx, t, "select l1 k=2", "c e");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The weights are those of ridge on standardised features. */
static void weights_are_the_learners_own(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = recorded_table(ctx, false);
    smr_model *m = train_on(ctx, "select weight of=(ridge 2)", t, "y");
    smr_model *r = train_on(ctx, "standardize | ridge 2", t, "y");
    const smr_stage *ridge = smr_model_last(r);
    const double *w = NULL;
    double mean = 0;
    for (int64_t i = 0; i < ridge->learner->fitted->n_state; i++)
        if (!strcmp(ridge->learner->fitted->state[i].name, "coef"))
            w = *(double **)((char *)ridge->state + ridge->learner->fitted->state[i].offset);
    for (int j = 0; j < D; j++) {
        check_near("weight", selected(m)->score[j], fabs(w[j]), 1e-14);
        mean += fabs(w[j]) / D;
    }
    for (int64_t k = 0; k < selected(m)->n_kept; k++)
        assert_true(selected(m)->score[selected(m)->kept[k]] >= mean);
    smr_model_free(m);
    smr_model_free(r);
    check_kept(ctx, t, "select weight k=1", "d");
    smr_model *none = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    check_fails(ctx, try_train(ctx, "select weight of=(knn 3)", t, &opts, &none), SMR_ERR_PARAM,
                "knn has no weight for each feature");
    check_fails(ctx, try_train(ctx, "select weight of=(poly 2 | ridge 1)", t, &opts, &none),
                SMR_ERR_PARAM, "has no weight for each feature");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- searches --------------------------------------------------------------------------- */

static smr_table *search_table(smr_ctx *ctx, int64_t n)
{
    double *x = smr_alloc(ctx, n, sizeof *x), *y = smr_alloc(ctx, n, sizeof *y);
    smr_table *t = new_table(ctx, n, 8);
    static const char *const columns[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (int64_t i = 0; i < n; i++) y[i] = noise(i, 40);
    for (int64_t j = 0; j < 7; j++) {
        for (int64_t i = 0; i < n; i++) {
            x[i] = noise(i, j) + 0.4 * noise(i, 20);
            y[i] += j == 1 ? 1.1 * x[i] : j == 4 ? -0.8 * x[i] : j == 5 ? 0.3 * x[i] : 0;
        }
        put_numbers(ctx, t, j, columns[j], x);
    }
    put_numbers(ctx, t, 7, "y", y);
    smr_free(x);
    smr_free(y);
    return t;
}

/* From Gram matrices and from fits, one by one: the same steps and scores. */
static void linear_by_matrices_is_linear_by_fits(void **unused)
{
    static const char *const ways[] = {"forward", "backward", "exhaustive"};
    static const char *const judges[] = {"cv folds=4", "validation", "train penalty=0.003"};
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = search_table(ctx, 73);
    for (int w = 0; w < 3; w++)
        for (int j = 0; j < 3; j++) {
            char fast[128], slow[128];
            snprintf(fast, sizeof fast, "select %s judge=%s", ways[w], judges[j]);
            snprintf(slow, sizeof slow, "select %s judge=%s of=(linear method=qr)", ways[w],
                     judges[j]);
            smr_model *a = train_on(ctx, fast, t, "y"), *b = train_on(ctx, slow, t, "y");
            const struct smr_select_state *s = selected(a), *r = selected(b);
            assert_int_equal(s->n_steps, r->n_steps);
            assert_int_equal(s->n_fits, r->n_fits);
            for (int64_t i = 0; i < s->n_steps; i++) {
                assert_int_equal(s->step[i], r->step[i]);
                check_near(slow, s->step_score[i], r->step_score[i], 1e-10);
            }
            char kept[512];
            snprintf(kept, sizeof kept, "%s", kept_of(a));
            assert_string_equal(kept, kept_of(b));
            assert_true(strstr(kept, "b") && strstr(kept, "e"));
            smr_model_free(a);
            smr_model_free(b);
        }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void searches_keep_k_or_stop_and_count_their_fits(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = search_table(ctx, 80);
    check_kept(ctx, t, "select forward k=2", "b e");
    check_kept(ctx, t, "select backward k=2", "b e");
    check_kept(ctx, t, "select exhaustive k=2", "b e");
    check_kept(ctx, t, "select forward improve=0.2", "b e");
    check_kept(ctx, t, "select backward improve=0.03", "b e");
    check_kept(ctx, t, "select forward judge=train penalty=0.1", "b e");
    smr_model *m = train_on(ctx, "select forward k=2", t, "y");
    assert_int_equal(selected(m)->n_fits, 5 * (7 + 6));
    assert_int_equal(selected(m)->n_steps, 2);
    smr_model_free(m);
    m = train_on(ctx, "select exhaustive judge=validation k=3", t, "y");
    assert_int_equal(selected(m)->n_fits, 35);
    smr_model_free(m);
    m = train_on(ctx, "select forward judge=train patience=6", t, "y"); /* training error falls */
    assert_int_equal(selected(m)->n_kept, 7);
    for (int64_t i = 1; i < 7; i++)
        assert_true(selected(m)->step_score[i] <= selected(m)->step_score[i - 1] + 1e-12);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* knn loses by every feature of noise: forward finds the two that matter. */
static void any_learner_may_judge(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    enum { M = 120 };
    double x[M];
    const char *text[M];
    smr_table *t = new_table(ctx, M, 6);
    for (int j = 0; j < 5; j++) {
        for (int i = 0; i < M; i++) x[i] = noise(i, j);
        put_numbers(ctx, t, j, names[j], x);
    }
    for (int i = 0; i < M; i++) text[i] = noise(i, 1) > 0.1 && noise(i, 3) > -0.2 ? "in" : "out";
    put_strings(ctx, t, 5, "y", text);
    check_kept(ctx, t, "select forward of=(knn 3) k=2", "b d");
    check_kept(ctx, t, "select backward of=(knn 3) k=2", "b d");
    check_kept(ctx, t, "select exhaustive of=(knn 3) k=2", "b d");
    check_kept(ctx, t, "poly 1 | select forward of=(knn 3) k=2", "b d"); /* computed rows */
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void threads_and_saving_change_nothing(void **unused)
{
    static const char *const sentences[] = {
        "select gain k=2 | linear", "select weight k=2 | linear",
        "select l1 | linear",       "select forward of=(knn 3) | linear",
        "select backward | linear", "select exhaustive k=2 | linear"};
    (void)unused;
    for (int64_t s = 0; s < SMR_COUNT(sentences); s++) {
        char *first = NULL;
        int64_t n_first = 0;
        smr_ctx *keep = check_ctx(1);
        for (int threads = 1; threads <= 7; threads += 3) {
            smr_ctx *ctx = check_ctx(threads);
            smr_table *t = search_table(ctx, 700);
            smr_model *m = train_on(ctx, sentences[s], t, "y"), *back = NULL;
            char *bytes = NULL;
            int64_t n = 0;
            check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
            check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
            assert_int_equal(selected(back)->n_steps, selected(m)->n_steps);
            if (first) {
                assert_int_equal(n, n_first);
                assert_memory_equal(bytes, first, (size_t)n);
            } else {
                first = smr_alloc(keep, n, 1);
                memcpy(first, bytes, (size_t)n);
                n_first = n;
            }
            smr_free(bytes);
            smr_model_free(m);
            smr_model_free(back);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
        smr_free(first);
        check_ctx_end(keep);
    }
}

/* ---- traps ------------------------------------------------------------------------------ */

/* People who order fish and chips come on Fridays: a filter keeps both columns, a search one. */
static void of_two_equal_columns_a_search_keeps_one(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    enum { M = 60 };
    double friday[M], other[M], y[M];
    for (int i = 0; i < M; i++) {
        friday[i] = i % 5 == 4;
        other[i] = noise(i, 3);
        y[i] = 3 * friday[i] + 0.5 * other[i] + 0.2 * noise(i, 4);
    }
    smr_table *t = new_table(ctx, M, 4);
    put_numbers(ctx, t, 0, "friday", friday);
    put_numbers(ctx, t, 1, "fish", friday);
    put_numbers(ctx, t, 2, "other", other);
    put_numbers(ctx, t, 3, "y", y);
    check_kept(ctx, t, "select k=2", "friday fish");
    check_kept(ctx, t, "select forward k=2", "friday other");
    check_kept(ctx, t, "select backward k=2", "friday other");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Diet Coke and Mentos: neither does anything alone, so no filter can see them; their product, made
 * by poly, is found at once. */
static void an_interaction_is_found_behind_poly_only(void **unused)
{
    (void)unused;
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    enum { M = 80 };
    double coke[M], mentos[M], height[M], y[M];
    for (int i = 0; i < M; i++) {
        coke[i] = i % 2 ? 1 : -1;
        mentos[i] = i / 2 % 2 ? 1 : -1;
        height[i] = 0.5 * noise(i, 1);
        y[i] = coke[i] * mentos[i] + 0.01 * noise(i, 2);
    }
    smr_table *t = new_table(ctx, M, 4);
    put_numbers(ctx, t, 0, "coke", coke);
    put_numbers(ctx, t, 1, "mentos", mentos);
    put_numbers(ctx, t, 2, "height", height);
    put_numbers(ctx, t, 3, "y", y);
    smr_model *m = train_on(ctx, "select", t, "y");
    assert_true(selected(m)->score[0] < 0.05 && selected(m)->score[1] < 0.05);
    assert_int_equal(selected(m)->n_kept, 1);
    check_heard(&heard, "select by=correlation: no feature passes; the best,");
    smr_model_free(m);
    check_kept(ctx, t, "poly 2 interactions=yes | select forward improve=0.001", "coke*mentos");
    check_kept(ctx, t, "poly 2 interactions=yes | select k=1", "coke*mentos");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- honesty ---------------------------------------------------------------------------- */

/* Features of noise, classes by a coin: chosen inside the folds they predict nothing; chosen from
 * all rows beforehand they seem to. */
static void noise_predicts_nothing_when_it_is_chosen_in_the_folds(void **unused)
{
    (void)unused;
    enum { M = 50, WIDE = 1000 };
    smr_ctx *ctx = check_ctx(2);
    smr_feature *features = smr_alloc(ctx, WIDE, sizeof *features);
    double *x = smr_alloc(ctx, M * WIDE, sizeof *x), answers[M];
    int32_t label[M];
    for (int64_t i = 0; i < M; i++) {
        label[i] = (int32_t)(i % 2);
        for (int64_t j = 0; j < WIDE; j++) x[i * WIDE + j] = noise(i, j);
    }
    for (int64_t j = 0; j < WIDE; j++)
        features[j] = (smr_feature){
            .name = "noise", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = WIDE};
    smr_data data = {.size = sizeof data,
                     .n_rows = M,
                     .n_features = WIDE,
                     .features = features,
                     .task = SMR_TASK_CLASSIFY,
                     .label = label,
                     .n_classes = 2};
    double right[2] = {0, 0};
    check_ok(ctx,
             said_out_of_fold(ctx, "select k=20 | knn 3", &data, 10, SMR_OUTPUT_LABEL, answers));
    for (int i = 0; i < M; i++) right[0] += (int32_t)answers[i] == label[i];

    smr_member chosen = {0};
    check_ok(ctx, said_member(ctx, "select k=20", &data, &chosen, NULL));
    const struct smr_select_state *s = chosen.stages[0].state;
    smr_feature few[20];
    for (int k = 0; k < 20; k++) few[k] = features[s->kept[k]];
    smr_data outside = data;
    outside.features = few;
    outside.n_features = 20;
    check_ok(ctx, said_out_of_fold(ctx, "knn 3", &outside, 10, SMR_OUTPUT_LABEL, answers));
    for (int i = 0; i < M; i++) right[1] += (int32_t)answers[i] == label[i];
    print_message("# chosen in the folds: %.2f right; beforehand: %.2f\n", right[0] / M,
                  right[1] / M);
    if (!(right[0] < 0.7 * M && right[0] > 0.3 * M))
        fail_msg("honest accuracy %.2f is far from 0.5", right[0] / M);
    if (!(right[1] > 0.9 * M)) fail_msg("chosen outside: only %.2f", right[1] / M);
    smr_member_release(&chosen);
    smr_free(features);
    smr_free(x);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

/* A CSR block and the same numbers as columns: the same scores, the same features, and rows that
 * stay sparse on the way to the learner. */
static void sparse_rows_stay_sparse(void **unused)
{
    (void)unused;
    enum { M = 90, WIDE = 40 };
    static const char *const sentences[] = {"select k=6", "select weight k=6 of=(ridge 1)",
                                            "select forward k=2", "select l1 k=3"};
    smr_ctx *ctx = check_ctx(2);
    double dense[M * WIDE] = {0}, y[M], value[M * WIDE];
    int64_t start[M + 1] = {0};
    int32_t column[M * WIDE];
    smr_feature features[WIDE];
    char text[WIDE][8];
    for (int i = 0; i < M; i++) {
        int64_t at = start[i];
        y[i] = noise(i, 99);
        for (int j = 0; j < WIDE; j++) {
            if (noise(i, 200 + j) < 0.7) continue;
            dense[i * WIDE + j] = value[at] = 1 + noise(i, j);
            column[at++] = j;
            if (j == 7 || j == 31) y[i] += (j == 7 ? 2 : -1.5) * dense[i * WIDE + j];
        }
        start[i + 1] = at;
    }
    for (int j = 0; j < WIDE; j++) {
        snprintf(text[j], sizeof text[j], "%d", j);
        features[j] = (smr_feature){.name = text[j],
                                    .kind = SMR_NUMBER,
                                    .dtype = SMR_F64,
                                    .values = dense + j,
                                    .stride = WIDE};
    }
    smr_csr csr = {.n_rows = M, .n_cols = WIDE, .start = start, .column = column, .value = value};
    smr_data a = {.size = sizeof a,
                  .n_rows = M,
                  .n_features = WIDE,
                  .features = features,
                  .task = SMR_TASK_REGRESS,
                  .n_outputs = 1,
                  .y = y};
    smr_data b = a;
    b.sparse = &csr;
    for (int64_t s = 0; s < SMR_COUNT(sentences); s++) {
        smr_member plain = {0}, sparse = {0};
        check_ok(ctx, said_member(ctx, sentences[s], &a, &plain, NULL));
        check_ok(ctx, said_member(ctx, sentences[s], &b, &sparse, NULL));
        const struct smr_select_state *p = plain.stages[0].state, *q = sparse.stages[0].state;
        assert_int_equal(p->n_kept, q->n_kept);
        for (int64_t k = 0; k < p->n_kept; k++)
            if (p->kept[k] != q->kept[k] && s != 1) /* weights: only scaled, not centred */
                fail_msg("%s: %d and %d", sentences[s], p->kept[k], q->kept[k]);
        for (int j = 0; j < WIDE && s == 0; j++) {
            check_near("score", q->score[j], p->score[j], 1e-12);
            check_near("p", q->p_value[j], p->p_value[j], 1e-10);
        }
        smr_rows rows = {.n = M,
                         .d = WIDE,
                         .form = SMR_FORM_SPARSE,
                         .start = start,
                         .column = column,
                         .value = value};
        smr_entries out = {0};
        const smr_stage *stage = &sparse.stages[0];
        assert_true(smr_stage_is_sparse(stage, true));
        check_ok(ctx, smr_entries_begin(ctx, &out, M));
        check_ok(ctx, smr_stage_append(ctx, stage, &rows, &out, NULL));
        for (int i = 0; i < M; i++) {
            double row[WIDE] = {0};
            for (int64_t e = out.start[i]; e < out.start[i + 1]; e++)
                row[out.column[e]] = out.value[e];
            for (int64_t k = 0; k < q->n_kept; k++)
                assert_true(row[k] == dense[i * WIDE + q->kept[k]]);
        }
        smr_entries_release(&out);
        smr_member_release(&plain);
        smr_member_release(&sparse);
    }
    check_ctx_end(ctx);
}

/* Presence of a sparse feature: its gain is the table's of zero and not zero. */
static void gain_of_sparse_rows_is_of_presence(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    /* rain and cloud once more: entries are days with clouds, in column 1 of 2 */
    int64_t start[101] = {0};
    int32_t column[100], label[100];
    double value[100];
    smr_feature features[2] = {{.name = "none", .kind = SMR_NUMBER},
                               {.name = "cloud", .kind = SMR_NUMBER}};
    for (int i = 0; i < 100; i++) {
        start[i + 1] = start[i] + (i < 25);
        column[SMR_MIN(i, 24)] = 1;
        value[SMR_MIN(i, 24)] = 1 + i;
        label[i] = i < 24 || (i >= 25 && i < 50);
    }
    smr_csr csr = {.n_rows = 100, .n_cols = 2, .start = start, .column = column, .value = value};
    smr_data data = {.size = sizeof data,
                     .n_rows = 100,
                     .n_features = 2,
                     .features = features,
                     .sparse = &csr,
                     .task = SMR_TASK_CLASSIFY,
                     .label = label,
                     .n_classes = 2};
    smr_member m = {0};
    check_ok(ctx, said_member(ctx, "select gain k=1", &data, &m, NULL));
    const struct smr_select_state *s = m.stages[0].state;
    check_near("gain", s->score[1], 0.2504, 5e-5);
    check_near("nothing", s->score[0], 0, 1e-15);
    smr_member_release(&m);
    check_ctx_end(ctx);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void what_cannot_be_done_is_said(void **unused)
{
    static const struct {
        const char *sentence, *part;
        smr_status status;
    } cases[] = {
        {"select k=6", "k=6 is more than the 5 features", SMR_ERR_PARAM},
        {"select l1 p=0.1", "p is used only with by=correlation|gain", SMR_ERR_PARAM},
        {"select forward at_least=1", "at_least is used only with by=", SMR_ERR_PARAM},
        {"select of=(linear)", "of is used only with by=weight|forward", SMR_ERR_PARAM},
        {"select l1 l1=1 k=2", "give l1 or k, not both", SMR_ERR_PARAM},
        {"select l1 k=2 folds=7", "folds choose how many features are kept", SMR_ERR_PARAM},
        {"select bins=3", "bins is used only with by=gain", SMR_ERR_PARAM},
        {"select forwards", "forward", SMR_ERR_PARAM},
        {"select p=2", "p", SMR_ERR_PARAM},
    };
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = recorded_table(ctx, false);
    smr_set_opts opts = {.target = "y", .keep_all = true}, none = {.keep_all = true};
    smr_model *m = NULL;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++)
        check_fails(ctx, try_train(ctx, cases[c].sentence, t, &opts, &m), cases[c].status,
                    cases[c].part);
    check_fails(ctx, try_train(ctx, "select", t, &none, &m), SMR_ERR_PARAM, "--target");
    smr_table_free(t);
    t = new_table(ctx, 30, 14);
    double x[30];
    for (int j = 0; j < 14; j++) {
        char name[8];
        for (int i = 0; i < 30; i++) x[i] = noise(i, j);
        snprintf(name, sizeof name, "%s%d", j == 13 ? "y" : "x", j);
        put_numbers(ctx, t, j, j == 13 ? "y" : name, x);
    }
    check_fails(ctx, try_train(ctx, "select exhaustive", t, &opts, &m), SMR_ERR_PARAM,
                "up to 12 features, and there are 13; use forward or backward");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Constant features, constant targets, thresholds that no feature passes: one feature stays, and a
 * warning says so. */
static void one_feature_is_always_kept(void **unused)
{
    static const char *const sentences[] = {
        "select",           "select gain", "select at_least=0.999", "select weight at_least=1e9",
        "select l1 l1=1e9", "select l1",   "select forward"};
    (void)unused;
    for (int64_t s = 0; s < SMR_COUNT(sentences); s++)
        for (int constant = 0; constant < 2; constant++) {
            struct heard heard;
            smr_ctx *ctx = hearing_ctx(&heard);
            double x[20], y[20];
            smr_table *t = new_table(ctx, 20, 3);
            for (int i = 0; i < 20; i++) {
                x[i] = noise(i, 6);
                y[i] = constant ? 4.25 : noise(i, 71);
            }
            put_numbers(ctx, t, 0, "x", x);
            for (int i = 0; i < 20; i++) x[i] = 1e6 / 3;
            put_numbers(ctx, t, 1, "flat", x);
            put_numbers(ctx, t, 2, "y", y);
            smr_model *m = NULL;
            smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
            check_ok(ctx, try_train(ctx, sentences[s], t, &opts, &m));
            if (!constant && s < 6 && strcmp(kept_of(m), "x") != 0)
                fail_msg("%s: kept %s", sentences[s], kept_of(m));
            assert_int_equal(selected(m)->n_kept, 1);
            if ((constant || s < 5) && !strstr(heard.text, "kept alone"))
                fail_msg("%s, constant %d: no warning", sentences[s], constant);
            smr_model_free(m);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
}

static smr_status attempt(smr_ctx *ctx, void *arg)
{
    const char *const *with = arg;
    smr_table *t = NULL;
    smr_status st = SMR_OK;
    (void)t;
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    st = try_train(ctx, with[0], (const smr_table *)(const void *)with[1], &opts, &m);
    smr_json_doc *doc = NULL;
    if (st == SMR_OK) st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = smr_model_describe(ctx, m, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    smr_json_free(doc);
    smr_model_free(m);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    static const char *const sentences[] = {
        "select",          "select gain",
        "select weight",   "select l1",
        "select forward",  "select forward of=(ridge 1) k=2 judge=validation",
        "select backward", "select exhaustive judge=train k=1"};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = recorded_table(ctx, false);
    for (int64_t s = 0; s < SMR_COUNT(sentences); s++) {
        const char *with[2] = {sentences[s], (const char *)t};
        assert_true(fail_each_allocation(ctx, attempt, with) > 20);
    }
    smr_table *classes = recorded_table(ctx, true);
    const char *by_columns[2] = {"select l1 k=1", (const char *)classes};
    assert_true(fail_each_allocation(ctx, attempt, by_columns) > 20);
    smr_table_free(classes);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correlations_and_their_tests_are_scikit_learns),
        cmocka_unit_test(gaps_and_weights_are_as_if_rows_were_left_out_and_repeated),
        cmocka_unit_test(gain_is_the_worked_one),
        cmocka_unit_test(gain_sees_what_correlation_does_not),
        cmocka_unit_test(categories_are_scored_as_categories),
        cmocka_unit_test(l1_keeps_what_the_lasso_does),
        cmocka_unit_test(l1_of_classes_finds_the_feature_that_tells_them_apart),
        cmocka_unit_test(weights_are_the_learners_own),
        cmocka_unit_test(linear_by_matrices_is_linear_by_fits),
        cmocka_unit_test(searches_keep_k_or_stop_and_count_their_fits),
        cmocka_unit_test(any_learner_may_judge),
        cmocka_unit_test(threads_and_saving_change_nothing),
        cmocka_unit_test(of_two_equal_columns_a_search_keeps_one),
        cmocka_unit_test(an_interaction_is_found_behind_poly_only),
        cmocka_unit_test(noise_predicts_nothing_when_it_is_chosen_in_the_folds),
        cmocka_unit_test(sparse_rows_stay_sparse),
        cmocka_unit_test(gain_of_sparse_rows_is_of_presence),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(one_feature_is_always_kept),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
