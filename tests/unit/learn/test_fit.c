/* test_fit.c -- a sentence becomes a model: adapters where they are needed, stages computed when
 * read, no copy of the data. */
#include "pipeline.h"

#include "core/params.h"

enum { GAPS = 1, WORDS = 2, WORD_GAPS = 4, DATES = 8 };

/* Rows with two numbers, and what `with` says; the target "y" is a number, "k" a class. */
static smr_table *table_with(smr_ctx *ctx, unsigned with, int64_t n)
{
    static const char *const colours[] = {"red", "green", "blue"};
    double x[64], z[64], y[64], when[64];
    const char *c[64], *k[64];
    assert_true(n <= 64);
    for (int64_t i = 0; i < n; i++) {
        x[i] = with & GAPS && i % 5 == 2 ? NAN : noise(i, 0);
        z[i] = 10 * noise(i, 1);
        c[i] = with & WORD_GAPS && i % 7 == 3 ? NULL : colours[(i * i + i / 4) % 3];
        y[i] = 2 * (isnan(x[i]) ? 0 : x[i]) - z[i] + (c[i] ? c[i][0] == 'r' : 0) + noise(i, 5);
        k[i] = y[i] > 0 ? "up" : "down";
        when[i] = 86400.0 * (double)(i * i);
    }
    bool words = with & (WORDS | WORD_GAPS);
    smr_table *t = new_table(ctx, n, 4 + words + !!(with & DATES));
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "y", y);
    put_strings(ctx, t, 3, "k", k);
    if (words) put_strings(ctx, t, 4, "c", c);
    if (with & DATES) put_numbers(ctx, t, 4 + words, "when", when)->kind = SMR_DATE;
    return t;
}

static void check_stages(unsigned with, const char *sentence, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, with, 53);
    bool classify = strstr(sentence, "knn");
    smr_set_opts opts = {
        .target = classify ? "k" : "y", .ignore = classify ? "y" : "k", .keep_all = true};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    if (strcmp(stages_of(m), wanted) != 0)
        fail_msg("\"%s\" with %u became \"%s\", wanted \"%s\"", sentence, with, stages_of(m),
                 wanted);
    assert_false(m->head.written);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void adapters_stand_where_a_stage_needs_them(void **state)
{
    (void)state;
    check_stages(0, "linear", "linear");
    check_stages(DATES, "linear", "linear");
    check_stages(GAPS, "linear", "impute* linear");
    check_stages(GAPS, "knn 3", "impute* knn");
    check_stages(WORDS, "linear", "onehot* linear");
    check_stages(WORDS, "knn 3", "onehot* knn");
    check_stages(WORD_GAPS, "linear", "onehot* linear"); /* a gap is not a level */
    check_stages(GAPS | WORDS, "linear", "impute* onehot* linear");
    check_stages(GAPS | WORD_GAPS, "ridge", "impute* onehot* ridge");
}

static void transforms_pass_on_what_they_can(void **state)
{
    (void)state;
    check_stages(GAPS | WORDS, "standardize | linear", "standardize impute* onehot* linear");
    check_stages(GAPS | WORDS, "standardize | knn 3", "standardize impute* onehot* knn");
    check_stages(WORDS, "poly | ridge", "onehot* poly ridge"); /* products of codes mean nothing */
    check_stages(GAPS, "poly | ridge", "poly impute* ridge");
    check_stages(GAPS | WORDS, "standardize | poly | ridge",
                 "standardize onehot* poly impute* ridge");
    check_stages(GAPS | WORDS, "standardize", "standardize");
    check_stages(GAPS | WORDS, "poly", "onehot* poly");
}

static void adapters_in_the_sentence_are_not_doubled(void **state)
{
    (void)state;
    check_stages(GAPS, "impute | linear", "impute linear");
    check_stages(GAPS, "impute | standardize | linear", "impute standardize linear");
    check_stages(0, "impute | linear", "impute linear");
    check_stages(WORDS, "onehot | linear", "onehot linear");
    check_stages(GAPS | WORDS, "onehot | linear", "onehot impute* linear");
    check_stages(GAPS | WORDS, "impute | linear", "impute onehot* linear");
    check_stages(GAPS | WORD_GAPS, "impute category=frequent | onehot | knn 1",
                 "impute onehot knn");
}

static const char *word_of(smr_ctx *ctx, const smr_model *m, const char *stage, const char *param)
{
    static char copy[64];
    for (int64_t s = 0; s < m->n_stages; s++) {
        const smr_learner *l = m->stages[s].learner;
        if (strcmp(l->word->name, stage) != 0) continue;
        smr_text text = {.ctx = ctx};
        smr_param_write(smr_param_find(l->word, param), m->stages[s].params, &text);
        snprintf(copy, sizeof copy, "%s", text.bytes);
        smr_text_release(&text);
        return copy;
    }
    return "no such stage";
}

/* Least squares with an intercept gets contrasts; a penalty or a distance needs no reference
 * level. */
static void linear_gets_contrasts_and_others_all_levels(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, WORDS, 53);
    smr_model *linear = NULL, *ridge = NULL, *given = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "k", .keep_all = true};
    (void)state;
    check_ok(ctx, try_train(ctx, "linear", t, &opts, &linear));
    check_ok(ctx, try_train(ctx, "ridge", t, &opts, &ridge));
    check_ok(ctx, try_train(ctx, "onehot | ridge", t, &opts, &given));
    assert_string_equal(word_of(ctx, linear, "onehot", "drop"), "frequent");
    assert_string_equal(word_of(ctx, ridge, "onehot", "drop"), "none");
    assert_string_equal(word_of(ctx, given, "onehot", "drop"), "none");
    assert_int_equal(linear->stages[0].n_out, 4);
    assert_int_equal(ridge->stages[0].n_out, 5);
    assert_string_equal(linear->stages[0].features[2].name, "c=blue"); /* green is the reference */
    assert_string_equal(ridge->stages[0].features[2].name, "c=blue");
    smr_model_free(linear);
    smr_model_free(ridge);
    smr_model_free(given);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Every fold of a table gets the same stages, whether its own rows have gaps or not. */
static void adapters_follow_the_table_not_the_rows(void **state)
{
    static const int64_t rows[] = {0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, GAPS, 53);
    smr_set_opts opts = {.target = "y", .ignore = "k", .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "linear", &opts, &set));
    check_ok(ctx, said_fit(ctx, "linear", set, rows, SMR_COUNT(rows), &m));
    assert_string_equal(stages_of(m), "impute* linear");
    assert_int_equal(m->n_rows, SMR_COUNT(rows));
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* A row taken twice is a row of weight 2. */
static void rows_may_repeat_and_come_in_any_order(void **state)
{
    static const int64_t rows[] = {17, 3, 3, 40, 21, 8, 8, 8, 30, 11, 2, 50, 5, 44, 1, 9};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, 0, 53), *w = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "k"};
    smr_train_set *set = NULL;
    smr_model *a = NULL, *b = NULL;
    double weight[53] = {0};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "ridge 0.5", &opts, &set));
    check_ok(ctx, said_fit(ctx, "standardize | ridge 0.5", set, rows, SMR_COUNT(rows), &a));
    for (int64_t i = 0; i < SMR_COUNT(rows); i++) weight[rows[i]]++;
    w = new_table(ctx, 53, 4);
    for (int j = 0; j < 3; j++) put_numbers(ctx, w, j, t->cols[j].name, t->cols[j].values);
    put_numbers(ctx, w, 3, "w", weight);
    opts = (smr_set_opts){.target = "y", .weight = "w"};
    check_ok(ctx, try_train(ctx, "standardize | ridge 0.5", w, &opts, &b));
    double *pa = apply(ctx, a, t, SMR_OUTPUT_VALUE), *pb = apply(ctx, b, w, SMR_OUTPUT_VALUE);
    for (int i = 0; i < 53; i++) check_near("prediction", pa[i], pb[i], 1e-11);
    smr_free(pa);
    smr_free(pb);
    smr_model_free(a);
    smr_model_free(b);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_table_free(w);
    check_ctx_end(ctx);
}

static void no_rows_are_refused(void **state)
{
    static const int64_t none[1] = {0};
    static const char *const sentences[] = {"linear", "knn 1", "standardize | ridge 1"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, 0, 20);
    smr_set_opts opts = {.target = "y", .ignore = "k"};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "linear", &opts, &set));
    for (int k = 0; k < 3; k++) {
        check_fails(ctx, said_fit(ctx, sentences[k], set, none, 0, &m), SMR_ERR_DATA, "rows");
        assert_null(m);
    }
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- stages ----------------------------------------------------------------------------- */

/* The output of `first` written down as a table, beside the target: what a stage after it sees. */
static smr_table *written_down(smr_ctx *ctx, const smr_model *first, const smr_table *t)
{
    const smr_stage *last = smr_model_last(first);
    int64_t d = last->n_out;
    double *z = apply(ctx, first, t, SMR_OUTPUT_TRANSFORM), column[64];
    smr_table *out = new_table(ctx, t->n_rows, d + 1);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < t->n_rows; i++) column[i] = z[i * d + j];
        put_numbers(ctx, out, j, last->features[j].name, column);
    }
    put_numbers(ctx, out, d, "y", t->cols[2].values);
    smr_free(z);
    return out;
}

static void check_lazy(unsigned with, const char *first, const char *last)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, with, 53);
    char whole[128];
    smr_set_opts opts = {.target = "y", .ignore = "k", .keep_all = true};
    smr_model *front = NULL, *lazy = NULL, *plain = NULL;
    snprintf(whole, sizeof whole, "%s | %s", first, last);
    check_ok(ctx, try_train(ctx, whole, t, &opts, &lazy));
    check_ok(ctx, try_train(ctx, first, t, &opts, &front));
    smr_table *z = written_down(ctx, front, t);
    opts.ignore = NULL;
    check_ok(ctx, try_train(ctx, last, z, &opts, &plain));
    double *a = apply(ctx, lazy, t, SMR_OUTPUT_VALUE), *b = apply(ctx, plain, z, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < t->n_rows; i++) check_near(whole, a[i], b[i], 1e-12);
    smr_free(a);
    smr_free(b);
    smr_model_free(front);
    smr_model_free(lazy);
    smr_model_free(plain);
    smr_table_free(z);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void chained_stages_equal_written_down_ones(void **state)
{
    (void)state;
    check_lazy(0, "standardize", "linear");
    check_lazy(0, "standardize | poly 3", "ridge 0.25");
    check_lazy(GAPS, "impute median indicator=yes | standardize", "linear");
    check_lazy(GAPS | WORDS, "impute | onehot | standardize | poly 2 interactions=yes", "ridge 2");
    check_lazy(WORDS, "onehot | standardize", "knn 4 weight=distance");
}

static void errors_say_which_stage_they_came_from(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, 0, 30);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "k"};
    (void)state;
    check_fails(ctx, try_train(ctx, "standardize | poly 100 | poly 9 | linear", t, &opts, &m),
                SMR_ERR_PARAM,
                "poly: degree 9 of 5150 features gives more than 1000000 terms; lower the degree, "
                "use interactions=yes, or fewer features (while fitting stage 3, poly)");
    assert_null(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A level alone in its column leaves nothing once the first is dropped. */
static void features_must_be_left_for_the_learner(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 2);
    smr_model *m = NULL;
    (void)state;
    put_strings(ctx, t, 0, "c", (const char *const[]){"a", "a", "a", "a"});
    put_numbers(ctx, t, 1, "y", (double[]){1.5, 2, 3, 4});
    check_fails(ctx, try_train(ctx, "linear", t, &(smr_set_opts){.target = "y"}, &m), SMR_ERR_DATA,
                "no features are left for linear");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Numbers that a stage made infinite or NaN must not become a model. */
static void overflow_inside_the_sentence_is_refused(void **state)
{
    static const char *const sentences[] = {"poly 5 | linear", "poly 5 | standardize | linear",
                                            "poly 5 | ridge 1", "poly 5 | standardize | knn 1",
                                            "poly 5 | knn 1"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 6, 2);
    smr_model *m = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "x", (double[]){1e70, -2e70, 3e69, 5, 6, 7.5});
    put_numbers(ctx, t, 1, "y", (double[]){1.5, 2, 3, 4, 2, 1});
    for (int k = 0; k < 5; k++) {
        smr_status st = try_train(ctx, sentences[k], t, &(smr_set_opts){.target = "y"}, &m);
        if (st != SMR_ERR_DATA && st != SMR_ERR_NUMERIC)
            fail_msg("\"%s\" gave status %d, '%s'", sentences[k], (int)st, smr_ctx_message(ctx));
        assert_null(m);
        smr_ctx_clear(ctx);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void missing_values_in_sparse_rows_are_refused(void **state)
{
    static const char *const sentences[] = {"linear", "ridge 1", "knn 1"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 6, 1);
    int64_t *start = smr_alloc(ctx, 7, sizeof *start);
    int32_t *column = smr_alloc(ctx, 6, sizeof *column);
    double *value = smr_alloc(ctx, 6, sizeof *value);
    smr_model *m = NULL;
    (void)state;
    for (int i = 0; i < 6; i++) {
        start[i + 1] = i + 1;
        column[i] = i % 3;
        value[i] = i == 4 ? NAN : 1 + noise(i, 0);
    }
    put_numbers(ctx, t, 0, "y", (double[]){1.5, 2, 3, 4, 2, 1});
    t->sparse =
        (smr_csr){.n_rows = 6, .n_cols = 3, .start = start, .column = column, .value = value};
    for (int k = 0; k < 3; k++) {
        check_fails(ctx, try_train(ctx, sentences[k], t, &(smr_set_opts){.target = "y"}, &m),
                    SMR_ERR_DATA, "row 5");
        assert_null(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what a model remembers ------------------------------------------------------------- */

static void a_model_remembers_where_it_came_from(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .seed = 12345};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = table_with(ctx, WORDS, 53);
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_set_opts how = {.target = "k", .ignore = "y", .positive = "down"};
    check_ok(ctx, said_set(ctx, t, "knn 3", &how, &set));
    check_ok(ctx, said_fit(ctx, "knn 3", set, NULL, 0, &m));
    assert_int_equal(m->seed, 12345);
    assert_int_equal(m->n_rows, 53);
    assert_string_equal(m->data_hash, set->data_hash);
    assert_int_equal(m->target.task, SMR_TASK_CLASSIFY);
    assert_int_equal(m->target.positive, 0);
    assert_int_equal(m->n_features, 3);
    assert_string_equal(m->features[2].name, "c");
    assert_int_equal(m->stages[0].n_in, 3);
    assert_int_equal(m->stages[1].n_in, 5);
    smr_train_set_free(set); /* and needs neither the set nor the table any more */
    smr_table_free(t);
    check_string(m->features[2].levels, 2, "red");
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* (y - 3) / sqrt(8/3): mean and deviation over the total weight. */
static void standardized_targets_use_the_training_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 3);
    smr_model *m = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "x", (double[]){0.5, 1.5, 4, 9});
    put_numbers(ctx, t, 1, "y", (double[]){1, 5, 3, 1e6});
    put_numbers(ctx, t, 2, "w", (double[]){2, 2, 2, 0});
    check_ok(ctx, try_train(ctx, "columns target=standardize | linear", t,
                            &(smr_set_opts){.target = "y", .weight = "w"}, &m));
    check_near("mean", m->target.mean[0], 3, 1e-15);
    check_near("sd", m->target.sd[0], sqrt(8.0 / 3), 1e-15);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

/* 200,000 x 20 doubles are 32 MB.  A fit may hold the targets, the row numbers and blocks. */
static void standardizing_makes_no_copy_of_the_data(void **state)
{
    enum { N = 200000, D = 20 };
    smr_ctx *ctx = check_ctx(1);
    double *x = malloc(sizeof *x * N * D), *y = malloc(sizeof *y * N);
    smr_dense view = {.values = x, .dtype = SMR_F64, .n_rows = N, .n_cols = D, .stride = D};
    smr_table *t = NULL;
    smr_model *m = NULL;
    int64_t before, peak;
    (void)state;
    assert_true(x && y);
    for (int64_t i = 0; i < N; i++) {
        y[i] = (double)(i % 101) * 0.37;
        for (int64_t j = 0; j < D; j++)
            x[i * D + j] = (double)((i * (2 * j + 3) + i / 7) % 1009) + 0.25 * (double)j;
    }
    check_ok(ctx, smr_table_view(ctx, &view, y, &t));
    before = smr_ctx_memory(ctx, NULL);
    check_ok(ctx, try_train(ctx, "standardize | linear", t, &(smr_set_opts){.target = "y"}, &m));
    smr_ctx_memory(ctx, &peak);
    if (peak - before > 8 * N * D / 3)
        fail_msg("the fit held %.1f MB beside 32 MB of data", (double)(peak - before) / 1e6);
    int64_t kept = smr_ctx_memory(ctx, NULL) - before;
    if (kept > 100000) fail_msg("the model holds %d bytes", (int)kept);
    smr_model_free(m);
    smr_table_free(t);
    free(x);
    free(y);
    check_ctx_end(ctx);
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "k", .keep_all = true};
    smr_status st = try_train(ctx,
                              "columns dates=parts target=standardize | impute indicator=yes | "
                              "standardize | poly 2 interactions=yes | ridge 1",
                              table, &opts, &m);
    smr_model_free(m);
    return st;
}

/* Names longer than the first room of a text: it has to grow while they are put together. */
static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_with(ctx, GAPS | WORD_GAPS | DATES, 23);
    (void)state;
    smr_free(t->cols[0].name);
    t->cols[0].name = smr_strdup(ctx, "a number whose name is so long that no first room of a text "
                                      "is enough to hold it whole");
    smr_free(t->cols[4].name);
    t->cols[4].name =
        smr_strdup(ctx, "a category whose name just fits, so that a level must not, ha");
    assert_true(fail_each_allocation(ctx, train_once, t) > 100);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adapters_stand_where_a_stage_needs_them),
        cmocka_unit_test(transforms_pass_on_what_they_can),
        cmocka_unit_test(adapters_in_the_sentence_are_not_doubled),
        cmocka_unit_test(linear_gets_contrasts_and_others_all_levels),
        cmocka_unit_test(adapters_follow_the_table_not_the_rows),
        cmocka_unit_test(rows_may_repeat_and_come_in_any_order),
        cmocka_unit_test(no_rows_are_refused),
        cmocka_unit_test(chained_stages_equal_written_down_ones),
        cmocka_unit_test(errors_say_which_stage_they_came_from),
        cmocka_unit_test(features_must_be_left_for_the_learner),
        cmocka_unit_test(overflow_inside_the_sentence_is_refused),
        cmocka_unit_test(missing_values_in_sparse_rows_are_refused),
        cmocka_unit_test(a_model_remembers_where_it_came_from),
        cmocka_unit_test(standardized_targets_use_the_training_rows),
        cmocka_unit_test(standardizing_makes_no_copy_of_the_data),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
