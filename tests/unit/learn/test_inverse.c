/* test_inverse.c -- features back to columns: each transform that can be undone, chains of them,
 * gaps, sparse rows, dates, shares of levels; and those that say why they cannot be undone. */
#include "pipeline.h"

#include "learn/flow.h"
#include "learn/inverse.h"
#include "learn/registry.h"

enum { N = 53 };

/* x: ordinary; far: 1e6 + small; same: constant; colour, size: categories; when: dates.  gaps:
 * every seventh cell of some columns is missing. */
static smr_table *make_table(smr_ctx *ctx, bool gaps)
{
    static const char *const colours[] = {"red", "green", "blue"}, *const sizes[] = {"s", "m"};
    double x[N], far[N], same[N], when[N];
    const char *colour[N], *size[N];
    smr_table *t = new_table(ctx, N, 6);
    for (int64_t i = 0; i < N; i++) {
        x[i] = gaps && i % 7 == 3 ? NAN : 5 * noise(i, 0) - 1;
        far[i] = 1e6 + noise(i, 1);
        same[i] = gaps && i % 11 == 2 ? NAN : -0.3;
        when[i] = 86400.0 * (double)(15000 + 37 * i) + (i % 3 ? 3600.0 * (double)(i % 24) : 0);
        colour[i] = gaps && i % 7 == 5 ? NULL : colours[(i * i + i / 3) % 3];
        size[i] = sizes[(i / 2) % 2];
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "far", far);
    put_numbers(ctx, t, 2, "same", same);
    put_strings(ctx, t, 3, "colour", colour);
    put_strings(ctx, t, 4, "size", size);
    smr_column *date = put_numbers(ctx, t, 5, "when", when);
    date->kind = SMR_DATE;
    date->has_time = true;
    return t;
}

static double value_at(const smr_table *t, int64_t i, int64_t j)
{
    const smr_column *c = &t->cols[j];
    int32_t code = c->kind == SMR_CATEGORY ? smr_column_code(c, i) : 0;
    return c->kind != SMR_CATEGORY ? smr_column_number(c, i) : code < 0 ? NAN : (double)code;
}

static bool is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* filled: gaps came back as something. */
static void check_table(const char *what, const smr_table *back, const smr_table *t, bool filled)
{
    assert_int_equal(back->n_cols, t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++) {
        assert_string_equal(back->cols[j].name, t->cols[j].name);
        assert_int_equal(back->cols[j].kind, t->cols[j].kind);
        for (int64_t i = 0; i < t->n_rows; i++) {
            double a = value_at(back, i, j), b = value_at(t, i, j);
            bool good = filled && isnan(b) ? true : is_near(a, b);
            if (!good)
                fail_msg("%s: row %d of '%s' is %.17g, was %.17g", what, (int)i, t->cols[j].name, a,
                         b);
        }
    }
}

static smr_table *features_of(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    smr_table *z = NULL;
    check_ok(ctx, smr_predict_table(ctx, m, t, SMR_OUTPUT_TRANSFORM, &z));
    return z;
}

/* Features of the table, and back, in all ways that there are. */
static void round_trip(const char *sentence, bool gaps, bool filled)
{
    smr_ctx *ctx = check_ctx(3);
    smr_table *t = make_table(ctx, gaps), *back = NULL;
    smr_model *m = train_on(ctx, sentence, t, NULL);
    smr_table *z = features_of(ctx, m, t);
    int64_t d = smr_model_n_inputs(m), n = smr_model_n_outputs(m, SMR_OUTPUT_TRANSFORM);
    double *x = smr_alloc(ctx, N * d, sizeof *x), *y = smr_alloc(ctx, N * d, sizeof *y);
    double *flat = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    check_ok(ctx, smr_inverse_table(ctx, m, z, &back));
    check_table(sentence, back, t, filled);
    check_ok(ctx, smr_inverse(ctx, m, z, x));
    check_ok(ctx, smr_inverse_matrix(ctx, m, flat, N, n, y));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < d; j++) {
            double want = value_at(back, i, j);
            assert_true(memcmp(&x[i * d + j], &want, sizeof want) == 0 ||
                        (isnan(want) && isnan(x[i * d + j])));
            assert_true(memcmp(&y[i * d + j], &want, sizeof want) == 0 ||
                        (isnan(want) && isnan(y[i * d + j])));
        }
    smr_free(x);
    smr_free(y);
    smr_free(flat);
    smr_table_free(back);
    smr_table_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_can_be_undone_comes_back(void **state)
{
    static const char *const sentences[] = {
        "standardize",
        "standardize center=no",
        "standardize scale=no",
        "onehot",
        "onehot drop=first",
        "impute",
        "onehot | standardize",
        "impute median indicator=yes | onehot drop=first | standardize | standardize scale=no",
        "columns dates=parts | standardize",
    };
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) round_trip(sentences[k], false, false);
}

static void gaps_come_back_where_something_tells_of_them(void **state)
{
    (void)state;
    round_trip("standardize", true, false);
    round_trip("onehot | standardize", true, false);
    round_trip("onehot drop=first", true, false);
    round_trip("impute indicator=yes", true, false);
    round_trip("impute category=frequent indicator=yes | onehot | standardize", true, false);
    round_trip("impute | onehot", true, true); /* a mean is all that is known */
}

/* One level of two is set; the third shares `other` with nobody else, or with another. */
static void levels_that_share_a_feature_are_gaps(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const level[] = {"a", "a", "b", "b", "c", "d", "a"};
    smr_table *t = new_table(ctx, 7, 1), *back = NULL;
    (void)state;
    put_strings(ctx, t, 0, "k", level);
    smr_model *m = train_on(ctx, "onehot 2", t, NULL);
    smr_table *z = features_of(ctx, m, t);
    check_ok(ctx, smr_inverse_table(ctx, m, z, &back));
    for (int64_t i = 0; i < 7; i++)
        assert_int_equal(smr_column_code(&back->cols[0], i),
                         *level[i] < 'c' ? *level[i] - 'a' : -1);
    assert_int_equal(back->cols[0].n_missing, 2);
    smr_table_free(back);
    smr_table_free(z);
    smr_model_free(m);
    m = train_on(ctx, "onehot 3", t, NULL); /* a, b, c; other is d alone */
    z = features_of(ctx, m, t);
    check_ok(ctx, smr_inverse_table(ctx, m, z, &back));
    for (int64_t i = 0; i < 7; i++)
        assert_int_equal(smr_column_code(&back->cols[0], i), *level[i] - 'a');
    smr_table_free(back);
    smr_table_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The mean of coded rows is shares: the most frequent level, or a gap where most were gaps. */
static void shares_give_the_most_frequent_level(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const level[] = {"a", "b", "c", NULL};
    static const struct {
        double z[3], all, first; /* what all levels coded give; and with the first dropped */
    } cases[] = {
        {{0.4, 0.35, 0.25}, 0, 1}, {{0.1, 0.2, 0.7}, 2, NAN},     {{0.2, 0.1, 0.1}, NAN, 0},
        {{0, 0, 0}, NAN, 0},       {{-0.01, 0.02, 0.99}, 2, NAN}, {{0.5, 0.5, 0}, 0, 1},
        {{1, 0, 0}, 0, 1},         {{0, 0, 1}, 2, NAN},           {{NAN, 0, 1}, NAN, NAN},
    };
    smr_table *t = new_table(ctx, 4, 1);
    double out;
    (void)state;
    put_strings(ctx, t, 0, "k", level);
    smr_model *all = train_on(ctx, "onehot", t, NULL);
    smr_model *but = train_on(ctx, "onehot drop=first min_rows=1", t, NULL); /* b, c, missing */
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        check_ok(ctx, smr_inverse_matrix(ctx, all, cases[k].z, 1, 3, &out));
        if (!is_near(out, cases[k].all)) fail_msg("case %d: %g", (int)k, out);
        check_ok(ctx, smr_inverse_matrix(ctx, but, cases[k].z, 1, 3, &out));
        if (!is_near(out, cases[k].first)) fail_msg("dropped, case %d: %g", (int)k, out);
    }
    smr_model_free(all);
    smr_model_free(but);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Twice the largest number overflows: the product and the sum are rounded once. */
static void standardize_comes_back_from_the_ends_of_doubles(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const double x[] = {1.7e308, -1.7e308, 1.6e308, -1.7e308, 1.7e308};
    static const char *const names[] = {"x"};
    smr_table *t = matrix_table(ctx, 5, 1, x, names);
    smr_model *m = train_on(ctx, "standardize", t, NULL);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM), back[5];
    (void)state;
    check_ok(ctx, smr_inverse_matrix(ctx, m, z, 5, 1, back));
    for (int i = 0; i < 5; i++)
        if (!(fabs(back[i] / x[i] - 1) <= 1e-12)) fail_msg("row %d: %g", i, back[i]);
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

enum { SPARSE_ROWS = 29, SPARSE_COLS = 11 };

static void make_csr(int64_t *start, int32_t *column, double *value, double *dense)
{
    int64_t n = 0;
    memset(dense, 0, SPARSE_ROWS * SPARSE_COLS * sizeof *dense);
    for (int64_t i = 0; i < SPARSE_ROWS; i++) {
        start[i] = n;
        for (int64_t j = 0; j < SPARSE_COLS; j++) {
            if ((i * 5 + j * 3) % 4) continue;
            column[n] = (int32_t)j;
            value[n++] = dense[i * SPARSE_COLS + j] = j == 4 ? 2 : 3 * noise(i, j) + 0.1;
        }
    }
    start[SPARSE_ROWS] = n;
}

static void sparse_rows_come_back(void **state)
{
    static const char *const sentences[] = {"standardize center=no", "standardize",
                                            "standardize center=no | standardize"};
    int64_t start[SPARSE_ROWS + 1];
    int32_t column[SPARSE_ROWS * SPARSE_COLS];
    double value[SPARSE_ROWS * SPARSE_COLS], x[SPARSE_ROWS * SPARSE_COLS],
        back[SPARSE_ROWS * SPARSE_COLS];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL, *z = NULL, *made = NULL;
    (void)state;
    make_csr(start, column, value, x);
    check_ok(ctx,
             smr_table_from_csr(ctx, SPARSE_ROWS, SPARSE_COLS, start, column, value, NULL, &t));
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) {
        smr_model *m = train_on(ctx, sentences[k], t, NULL);
        double *flat = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        z = features_of(ctx, m, t); /* columns "0", "1", ... */
        check_ok(ctx, smr_inverse(ctx, m, z, back));
        for (int64_t i = 0; i < SPARSE_ROWS * SPARSE_COLS; i++)
            check_near(sentences[k], back[i], x[i], 1e-12);
        check_ok(ctx, smr_inverse_table(ctx, m, z, &made));
        assert_int_equal(made->n_cols, SPARSE_COLS);
        assert_string_equal(made->cols[10].name, "10");
        smr_table_free(made);
        smr_table_free(z);
        /* and as a sparse table of features */
        int64_t n = 0;
        for (int64_t i = 0; i < SPARSE_ROWS; i++) {
            start[i] = n;
            for (int64_t j = 0; j < SPARSE_COLS; j++) {
                if (flat[i * SPARSE_COLS + j] == 0) continue;
                column[n] = (int32_t)j;
                value[n++] = flat[i * SPARSE_COLS + j];
            }
        }
        start[SPARSE_ROWS] = n;
        check_ok(ctx,
                 smr_table_from_csr(ctx, SPARSE_ROWS, SPARSE_COLS, start, column, value, NULL, &z));
        check_ok(ctx, smr_inverse(ctx, m, z, back));
        for (int64_t i = 0; i < SPARSE_ROWS * SPARSE_COLS; i++)
            check_near("sparse features", back[i], x[i], 1e-12);
        smr_table_free(z);
        smr_free(flat);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Zeros that a stream has not added up yet count: its features are undone with the same units. */
static void a_stream_of_sparse_rows_is_undone_with_its_own_units(void **state)
{
    int64_t start[SPARSE_ROWS + 1];
    int32_t column[SPARSE_ROWS * SPARSE_COLS];
    double value[SPARSE_ROWS * SPARSE_COLS], x[SPARSE_ROWS * SPARSE_COLS], y[SPARSE_ROWS],
        back[SPARSE_ROWS * SPARSE_COLS], z[SPARSE_ROWS * SPARSE_COLS];
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_streamer *s = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    (void)state;
    make_csr(start, column, value, x);
    for (int64_t i = 0; i < SPARSE_ROWS; i++) y[i] = noise(i, 30);
    check_ok(ctx, smr_table_from_csr(ctx, SPARSE_ROWS, SPARSE_COLS, start, column, value, y, &t));
    check_ok(ctx, smr_stream_begin(ctx, "standardize center=no | sgd", t, &how, &s));
    check_ok(ctx, smr_stream_learn(ctx, s, t, NULL));
    const smr_model *m = smr_stream_model(s);
    smr_rows rows = {.n = SPARSE_ROWS,
                     .d = SPARSE_COLS,
                     .form = SMR_FORM_SPARSE,
                     .start = start,
                     .column = column,
                     .value = value};
    const smr_stage *first = &m->stages[0];
    check_ok(ctx, first->learner->fitted->predict(ctx, first->params, first->state, &rows,
                                                  SMR_OUTPUT_TRANSFORM, z, NULL));
    check_ok(ctx, smr_inverse_matrix(ctx, m, z, SPARSE_ROWS, SPARSE_COLS, back));
    for (int64_t i = 0; i < SPARSE_ROWS * SPARSE_COLS; i++)
        check_near("stream", back[i], x[i], 1e-12);
    smr_stream_free(s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- models that predict ---------------------------------------------------------------- */

/* What the last stage reads goes back to the columns: centres in the users' units. */
static void the_features_of_a_predicting_model_come_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, true);
    smr_model *m = NULL, *loaded = NULL;
    smr_set_opts opts = {.target = "far", .keep_all = true};
    char *bytes = NULL;
    int64_t n_bytes;
    double out[5], again[5];
    (void)state;
    check_ok(ctx, try_train(ctx, "standardize | ridge", t, &opts, &m));
    assert_string_equal(stages_of(m), "standardize impute* onehot* ridge");
    int64_t n = smr_model_n_features(m);
    double *zeros = smr_alloc(ctx, n, sizeof *zeros);
    check_ok(ctx, smr_inverse_matrix(ctx, m, zeros, 1, n, out));
    double mean = 0, count = 0;
    for (int64_t i = 0; i < N; i++) {
        double x = smr_column_number(&t->cols[0], i);
        if (isnan(x)) continue;
        mean += x;
        count++;
    }
    check_near("the mean of x", out[0], mean / count, 1e-12);
    check_near("the constant", out[1], -0.3, 1e-12);
    assert_true(isnan(out[2])); /* no colour is set */
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n_bytes));
    check_ok(ctx, smr_model_read(ctx, bytes, n_bytes, &loaded));
    check_ok(ctx, smr_inverse_matrix(ctx, loaded, zeros, 1, n, again));
    assert_memory_equal(&out[0], &again[0], 2 * sizeof *out);
    smr_free(zeros);
    smr_string_free(bytes);
    smr_model_free(loaded);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what cannot be --------------------------------------------------------------------- */

static void what_cannot_be_undone_says_why(void **state)
{
    static const struct {
        const char *sentence, *target, *said;
    } cases[] = {
        {"standardize | poly 2", NULL,
         "stage 2, poly, cannot be undone: products of features that were changed on their own "
         "belong to no row"},
        {"select correlation k=1", "c",
         "stage 1, select, cannot be undone: the features that it dropped are not in its answer"},
        {"subspace 0.5", NULL, "stage 1, subspace, cannot be undone: the features that it dropped"},
        {"words | standardize center=no", NULL,
         "input 'b' is text, which features cannot give back"},
        {"ridge", "c", "a ridge model has no transform to undo"},
    };
    smr_ctx *ctx = check_ctx(1);
    static const char *const text[] = {"one two", "two three four", "five",
                                       "six one", "two five",       "nine one two"};
    double a[] = {1, 2, 4, 7, 11, 3}, c[] = {0.5, 0.25, 1.5, 3, 2, 2.5}, out[6];
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        bool words = strstr(cases[k].sentence, "words");
        smr_table *t = new_table(ctx, 6, 2 + words);
        put_numbers(ctx, t, 0, "a", a);
        put_numbers(ctx, t, 1, "c", c);
        if (words) put_strings(ctx, t, 2, "b", text);
        smr_model *m = NULL;
        smr_set_opts opts = {.target = cases[k].target, .types = words ? "b=text" : NULL};
        check_ok(ctx, try_train(ctx, cases[k].sentence, t, &opts, &m));
        check_fails(ctx, smr_inverse(ctx, m, t, out), SMR_ERR_UNSUPPORTED, cases[k].said);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void tables_and_matrices_that_do_not_fit_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, false), *z = NULL;
    smr_model *m = train_on(ctx, "onehot", t, NULL);
    double out[6], x[16] = {0};
    (void)state;
    check_fails(ctx, smr_inverse(ctx, m, t, out), SMR_ERR_STATE, "'colour=blue'");
    check_fails(ctx, smr_inverse_matrix(ctx, m, x, 1, 3, out), SMR_ERR_SHAPE,
                "the model has 9 features to undo, the matrix 3 columns");
    check_fails(ctx, smr_inverse_table(ctx, m, t, &z), SMR_ERR_STATE, "'colour=blue'");
    assert_null(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A code between two levels, as a mean of codes is, is not a level. */
static void a_code_that_is_no_level_is_a_gap(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, false);
    smr_model *m = train_on(ctx, "standardize", t, NULL);
    const double rows[3][6] = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0.5, 1, 0}, {0, 0, 0, 3, -1, 0}};
    double out[18];
    smr_table *back = new_table(ctx, 3, 6);
    smr_column *cols = back->cols;
    (void)state;
    check_ok(ctx, smr_inverse_matrix(ctx, m, &rows[0][0], 3, 6, out));
    check_ok(ctx, smr_restored_fill(ctx, m, out, 3, cols));
    assert_int_equal(smr_column_code(&cols[3], 0), 1);
    assert_int_equal(smr_column_code(&cols[3], 1), -1);
    assert_int_equal(smr_column_code(&cols[3], 2), -1);
    assert_int_equal(cols[3].n_missing, 2);
    assert_int_equal(cols[4].n_missing, 1);
    smr_table_free(back);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- threads, memory, cancelling -------------------------------------------------------- */

static void threads_do_not_change_a_bit(void **state)
{
    enum { MANY = 5003, D = 9 };
    static const int counts[] = {1, 2, 7};
    double *x = malloc(MANY * D * sizeof *x), *first = malloc(MANY * D * sizeof *x),
           *other = malloc(MANY * D * sizeof *x);
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    (void)state;
    for (int64_t i = 0; i < MANY * D; i++) x[i] = noise(i, 3);
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(counts[k]);
        smr_table *t = matrix_table(ctx, MANY, D, x, names);
        smr_model *m = train_on(ctx, "standardize | standardize scale=no", t, NULL);
        check_ok(ctx, smr_inverse_matrix(ctx, m, x, MANY, D, k ? other : first));
        if (k) assert_memory_equal(first, other, MANY * D * sizeof *x);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    free(x);
    free(first);
    free(other);
}

struct attempt {
    const smr_model *model;
    const smr_table *z;
};

static smr_status invert(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_table *back = NULL;
    smr_status st = smr_inverse_table(ctx, a->model, a->z, &back);
    smr_table_free(back);
    return st;
}

static smr_status invert_matrix(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    double out[6], z[16] = {0};
    return smr_inverse_matrix(ctx, a->model, z, 1, smr_model_n_outputs(a->model, 4), out);
}

static void failing_allocations_are_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, true);
    smr_model *m = train_on(ctx, "impute indicator=yes | onehot | standardize", t, NULL);
    struct attempt a = {m, features_of(ctx, m, t)};
    (void)state;
    assert_true(fail_each_allocation(ctx, invert, &a) > 20);
    assert_true(fail_each_allocation(ctx, invert_matrix, &a) > 4);
    smr_table_free((smr_table *)(uintptr_t)a.z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* For a stage that has no transform at all, or one without a reason. */
static void a_stage_without_a_reason_has_no_inverse(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_stage stage = {.learner = smr_registry_find("knn")};
    (void)state;
    check_fails(ctx, smr_flow_check_back(ctx, &stage, 1), SMR_ERR_UNSUPPORTED,
                "stage 1, knn, cannot be undone: it has no inverse");
    check_ok(ctx, smr_flow_check_back(ctx, NULL, 0));
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_undone_comes_back),
        cmocka_unit_test(gaps_come_back_where_something_tells_of_them),
        cmocka_unit_test(levels_that_share_a_feature_are_gaps),
        cmocka_unit_test(shares_give_the_most_frequent_level),
        cmocka_unit_test(standardize_comes_back_from_the_ends_of_doubles),
        cmocka_unit_test(sparse_rows_come_back),
        cmocka_unit_test(a_stream_of_sparse_rows_is_undone_with_its_own_units),
        cmocka_unit_test(the_features_of_a_predicting_model_come_back),
        cmocka_unit_test(what_cannot_be_undone_says_why),
        cmocka_unit_test(tables_and_matrices_that_do_not_fit_are_refused),
        cmocka_unit_test(a_code_that_is_no_level_is_a_gap),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_stage_without_a_reason_has_no_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
