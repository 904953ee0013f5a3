/* test_apply.c -- predicting: what a model gives, blocks and single rows, what is refused. */
#include "pipeline.h"

/* Numbers, a category, a date with its time, gaps; targets "y" (number) and "k" (class). */
static smr_table *rich_table(smr_ctx *ctx, int64_t n)
{
    static const char *const colours[] = {"red", "green", "blue"};
    enum { MOST = 700 };
    static double x[MOST], z[MOST], when[MOST], y[MOST];
    static const char *c[MOST], *k[MOST];
    smr_table *t = new_table(ctx, n, 6);
    assert_true(n <= MOST);
    for (int64_t i = 0; i < n; i++) {
        x[i] = i % 9 == 4 ? NAN : noise(i, 0);
        z[i] = 100 * noise(i, 1);
        when[i] = 1.7e9 + 86400 * 13.37 * (double)i;
        c[i] = i % 11 == 6 ? NULL : colours[(i * i + i / 4) % 3];
        y[i] = 0.02 * z[i] + noise(i, 5) + (c[i] && c[i][0] == 'g');
        k[i] = y[i] > 0.7 ? "high" : y[i] > 0 ? "middle" : "low";
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "when", when)->kind = SMR_DATE;
    t->cols[2].has_time = true;
    put_strings(ctx, t, 3, "c", c);
    put_numbers(ctx, t, 4, "y", y);
    put_strings(ctx, t, 5, "k", k);
    return t;
}

static smr_model *model_of(smr_ctx *ctx, const smr_table *t, const char *sentence,
                           const char *target)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = target, .ignore = "y,k", .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static const char with_all[] = "columns dates=parts | impute indicator=yes | standardize | ";

/* ---- outputs ---------------------------------------------------------------------------- */

static void a_model_says_what_it_gives(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx, 40);
    smr_model *value = model_of(ctx, t, "linear", "y"), *class = model_of(ctx, t, "knn 3", "k");
    smr_model *both = model_of(ctx, t, "knn 3", "y"), *transform = model_of(ctx, t, "poly 2", NULL);
    (void)state;
    assert_int_equal(smr_model_gives(value), 1u << SMR_OUTPUT_VALUE);
    assert_int_equal(smr_model_gives(class), 1u << SMR_OUTPUT_PROBA | 1u << SMR_OUTPUT_LABEL);
    assert_int_equal(smr_model_gives(both), 1u << SMR_OUTPUT_VALUE);
    assert_int_equal(smr_model_gives(transform), 1u << SMR_OUTPUT_TRANSFORM);
    assert_int_equal(smr_model_width(value, SMR_OUTPUT_VALUE), 1);
    assert_int_equal(smr_model_width(class, SMR_OUTPUT_PROBA), 3);
    assert_int_equal(smr_model_width(class, SMR_OUTPUT_LABEL), 1);
    /* x, z, when, three colours: 6 + 21 terms */
    assert_int_equal(smr_model_width(transform, SMR_OUTPUT_TRANSFORM), 27);
    smr_model_free(value);
    smr_model_free(class);
    smr_model_free(both);
    smr_model_free(transform);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void outputs_that_it_does_not_give_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx, 40);
    smr_model *value = model_of(ctx, t, "linear", "y"), *class = model_of(ctx, t, "knn 3", "k");
    double out[200];
    smr_predictor *p = NULL;
    (void)state;
    check_fails(ctx, smr_model_apply(ctx, value, t, NULL, 0, SMR_OUTPUT_PROBA, out),
                SMR_ERR_UNSUPPORTED, "a linear model gives no probabilities");
    check_fails(ctx, smr_model_apply(ctx, value, t, NULL, 0, SMR_OUTPUT_LABEL, out),
                SMR_ERR_UNSUPPORTED, "a linear model gives no labels");
    check_fails(ctx, smr_model_apply(ctx, value, t, NULL, 0, SMR_OUTPUT_TRANSFORM, out),
                SMR_ERR_UNSUPPORTED, "a linear model gives no features");
    check_fails(ctx, smr_model_apply(ctx, class, t, NULL, 0, SMR_OUTPUT_VALUE, out),
                SMR_ERR_UNSUPPORTED, "a knn model gives no values");
    check_fails(ctx, smr_predictor_create(ctx, class, SMR_OUTPUT_DECISION, &p), SMR_ERR_UNSUPPORTED,
                "a knn model gives no scores");
    assert_null(p);
    smr_model_free(value);
    smr_model_free(class);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Two neighbours of different classes tie: the lower class number wins. */
static void labels_are_the_likeliest_class_and_ties_go_to_the_first(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,k\n0,b\n2,a\n10,c\n12,c\n20.5,b\n");
    smr_table *q = table_of(ctx, "x\n1\n11\n20.5\n-5\n");
    smr_model *m = train_on(ctx, "knn 2", t, "k");
    double *proba = apply(ctx, m, q, SMR_OUTPUT_PROBA), *label = apply(ctx, m, q, SMR_OUTPUT_LABEL);
    static const double wanted[4][3] = {{.5, .5, 0}, {0, 0, 1}, {0, .5, .5}, {.5, .5, 0}};
    static const double labels[] = {0, 2, 1, 0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) assert_true(proba[3 * i + k] == wanted[i][k]);
        assert_true(label[i] == labels[i]);
    }
    smr_free(proba);
    smr_free(label);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

static void rows_are_chosen_by_number(void **state)
{
    static const int64_t rows[] = {30, 2, 2, 0, 39};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx, 40);
    smr_model *m = model_of(ctx, t, "ridge 1", "y");
    double *all = apply(ctx, m, t, SMR_OUTPUT_VALUE), some[5], none = 7;
    (void)state;
    check_ok(ctx, smr_model_apply(ctx, m, t, rows, 5, SMR_OUTPUT_VALUE, some));
    for (int i = 0; i < 5; i++) assert_true(some[i] == all[rows[i]]);
    check_ok(ctx, smr_model_apply(ctx, m, t, rows, 0, SMR_OUTPUT_VALUE, &none));
    assert_true(none == 7);
    smr_free(all);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- one row and many ------------------------------------------------------------------- */

/* The row as smr_predictor_row takes it: codes for categories, seconds for dates. */
static void as_row(const smr_table *t, int64_t i, double *x)
{
    for (int64_t j = 0; j < 3; j++) x[j] = smr_column_number(&t->cols[j], i);
    int32_t code = smr_column_code(&t->cols[3], i);
    x[3] = code < 0 ? (double)NAN : (double)code;
}

static void check_rows_equal_batch(const char *learner, const char *target, smr_output output,
                                   int threads)
{
    smr_ctx *ctx = check_ctx(threads);
    smr_table *t = rich_table(ctx, 601); /* more than two blocks */
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s%s", with_all, learner);
    smr_model *m = model_of(ctx, t, sentence, target);
    int64_t width = smr_model_width(m, output);
    double *all = apply(ctx, m, t, output), *one = smr_alloc(ctx, width, sizeof *one), x[4];
    smr_predictor *p = NULL;
    check_ok(ctx, smr_predictor_create(ctx, m, output, &p));
    int64_t requests = atomic_load(&ctx->memory->requests);
    for (int64_t i = 0; i < t->n_rows; i++) {
        as_row(t, i, x);
        check_ok(ctx, smr_predictor_row(p, x, one));
        if (memcmp(one, all + i * width, (size_t)width * sizeof *one))
            fail_msg("%s, row %d: %.17g alone, %.17g among all", sentence, (int)i, one[0],
                     all[i * width]);
    }
    assert_int_equal(atomic_load(&ctx->memory->requests), requests); /* nothing was allocated */
    smr_predictor_free(p);
    smr_free(one);
    smr_free(all);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void one_row_at_a_time_gives_the_bits_of_the_batch(void **state)
{
    (void)state;
    check_rows_equal_batch("linear", "y", SMR_OUTPUT_VALUE, 1);
    check_rows_equal_batch("ridge 3", "y", SMR_OUTPUT_VALUE, 3);
    check_rows_equal_batch("knn 4", "k", SMR_OUTPUT_PROBA, 2);
    check_rows_equal_batch("knn 4", "k", SMR_OUTPUT_LABEL, 1);
    check_rows_equal_batch("knn 4 weight=distance", "y", SMR_OUTPUT_VALUE, 1);
    check_rows_equal_batch("onehot | poly 2", NULL, SMR_OUTPUT_TRANSFORM, 1);
}

static void several_threads_give_the_same_bits(void **state)
{
    smr_ctx *one = check_ctx(1), *seven = check_ctx(7);
    smr_table *t = rich_table(one, 700);
    smr_model *m = model_of(one, t, "standardize | knn 5", "k");
    double *a = apply(one, m, t, SMR_OUTPUT_PROBA), *b = apply(seven, m, t, SMR_OUTPUT_PROBA);
    (void)state;
    assert_memory_equal(a, b, 700 * 3 * sizeof *a);
    smr_free(a);
    smr_free(b);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(seven);
    check_ctx_end(one);
}

/* A predictor takes sparse features as one dense row. */
static void a_sparse_model_predicts_single_dense_rows(void **state)
{
    enum { N = 30, D = 5 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 1);
    int64_t *start = smr_alloc(ctx, N + 1, sizeof *start);
    int32_t *column = smr_alloc(ctx, N * D, sizeof *column);
    double *value = smr_alloc(ctx, N * D, sizeof *value), y[N], dense[N][D] = {{0}}, got;
    smr_predictor *p = NULL;
    (void)state;
    for (int64_t i = 0, at = 0; i < N; i++) {
        y[i] = noise(i, 9);
        for (int64_t j = 0; j < D; j++) {
            if ((i + 2 * j) % 3) continue;
            column[at] = (int32_t)j;
            dense[i][j] = value[at++] = noise(i, j);
            y[i] += (double)(j + 1) * dense[i][j];
        }
        start[i + 1] = at;
    }
    put_numbers(ctx, t, 0, "y", y);
    t->sparse =
        (smr_csr){.n_rows = N, .n_cols = D, .start = start, .column = column, .value = value};
    smr_model *m = train_on(ctx, "ridge 0.1", t, "y");
    double *all = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    for (int64_t i = 0; i < N; i++) {
        check_ok(ctx, smr_predictor_row(p, dense[i], &got));
        check_near("row", got, all[i], 1e-14);
    }
    smr_predictor_free(p);
    smr_free(all);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void gaps_that_training_did_not_have_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b,y\n1,2,3.5\n2,1,4\n3,7,1\n4,4,2\n");
    smr_table *q = table_of(ctx, "a,b\n1,1\n5,2\n6,\n");
    smr_model *plain = train_on(ctx, "standardize | linear", t, "y");
    smr_model *filled = train_on(ctx, "impute | linear", t, "y");
    double out[3], x[2] = {NAN, 1};
    smr_predictor *p = NULL;
    (void)state;
    check_fails(ctx, smr_model_apply(ctx, plain, q, NULL, 0, SMR_OUTPUT_VALUE, out), SMR_ERR_DATA,
                "row 3, column 'b': the value is missing (or not seen in training)");
    check_ok(ctx, smr_model_apply(ctx, filled, q, NULL, 0, SMR_OUTPUT_VALUE, out));
    check_ok(ctx, smr_predictor_create(ctx, plain, SMR_OUTPUT_VALUE, &p));
    check_fails(ctx, smr_predictor_row(p, x, out), SMR_ERR_DATA, "row 1, column 'a'");
    x[0] = 2;
    check_ok(ctx, smr_predictor_row(p, x, out)); /* and goes on working */
    smr_predictor_free(p);
    smr_model_free(plain);
    smr_model_free(filled);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

static void an_unseen_category_counts_as_missing(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = table_of(ctx, "c,y\nred,1.5\nblue,2\nred,1\nblue,4\n");
    smr_table *q = table_of(ctx, "c,z\nred,1\ngreen,1\n,1\n");
    smr_model *m = train_on(ctx, "onehot | ridge 0.001", t, "y");
    smr_model *strict = train_on(ctx, "columns unseen=error | ridge 1", t, "y");
    double *out = apply(ctx, m, q, SMR_OUTPUT_VALUE), dummy[3];
    (void)state;
    assert_true(out[1] == out[2] && out[0] != out[1]);
    check_heard(&heard, "column 'c' has 1 level not seen in training, such as 'green'");
    check_fails(ctx, smr_model_apply(ctx, strict, q, NULL, 0, SMR_OUTPUT_VALUE, dummy),
                SMR_ERR_DATA, "unseen=error");
    smr_free(out);
    smr_model_free(m);
    smr_model_free(strict);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

struct using
{
    const smr_model *model;
    const smr_table *table;
    double *out;
};

static smr_status apply_once(smr_ctx *ctx, void *arg)
{
    struct using *u = arg;
    return smr_model_apply(ctx, u->model, u->table, NULL, 0, SMR_OUTPUT_LABEL, u->out);
}

static smr_status predictor_once(smr_ctx *ctx, void *arg)
{
    struct using *u = arg;
    smr_predictor *p = NULL;
    smr_status st = smr_predictor_create(ctx, u->model, SMR_OUTPUT_LABEL, &p);
    smr_predictor_free(p);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx, 40);
    char sentence[256];
    (void)state;
    snprintf(sentence, sizeof sentence, "%sknn 2", with_all);
    smr_model *m = model_of(ctx, t, sentence, "k");
    double out[40];
    struct using u = {m, t, out};
    assert_true(fail_each_allocation(ctx, apply_once, &u) > 15);
    assert_true(fail_each_allocation(ctx, predictor_once, &u) > 5);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_says_what_it_gives),
        cmocka_unit_test(outputs_that_it_does_not_give_are_refused),
        cmocka_unit_test(labels_are_the_likeliest_class_and_ties_go_to_the_first),
        cmocka_unit_test(rows_are_chosen_by_number),
        cmocka_unit_test(one_row_at_a_time_gives_the_bits_of_the_batch),
        cmocka_unit_test(several_threads_give_the_same_bits),
        cmocka_unit_test(a_sparse_model_predicts_single_dense_rows),
        cmocka_unit_test(gaps_that_training_did_not_have_are_refused),
        cmocka_unit_test(an_unseen_category_counts_as_missing),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
