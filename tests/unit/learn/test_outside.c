/* test_outside.c -- gaps in a category where training had none, and numbers far outside its rows:
 * what is told, and what is not. */
#include "pipeline.h"

#include "learn/outside.h"
#include "samara.h"

enum { N = 30 };

/* x in 0 .. 29, z in -1 .. 1 with a gap where asked, k constant, a category; y. */
static smr_table *training(smr_ctx *ctx)
{
    static double x[N], z[N], k[N], y[N];
    static const char *c[N];
    smr_table *t = new_table(ctx, N, 5);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        z[i] = i % 3 - 1;
        k[i] = 4;
        c[i] = i % 2 ? "odd" : "even";
        y[i] = 2 * x[i] + z[i] + 0.1 * noise(i, 4);
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "k", k);
    put_strings(ctx, t, 3, "c", c);
    put_numbers(ctx, t, 4, "y", y);
    return t;
}

static smr_table *asking(smr_ctx *ctx, int64_t n, const double *x, const double *z,
                         const char *const *c)
{
    double k[8] = {4, 4, 4, 4, 4, 4, 4, 1e9};
    smr_table *t = new_table(ctx, n, 4);
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "k", k);
    put_strings(ctx, t, 3, "c", c);
    return t;
}

/* At the limits: three times the range below and above. */
static const double inside_x[] = {0, 116, -87, 12}, inside_z[] = {-7, 7, 0, 1};

static smr_model *train(smr_ctx *ctx, const char *sentence, smr_task task)
{
    smr_table *t = training(ctx);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = task};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    smr_table_free(t);
    return m;
}

static void predict(smr_ctx *ctx, const smr_model *m, const smr_table *q)
{
    double out[8];
    check_ok(ctx, smr_predict(ctx, m, q, SMR_OUTPUT_VALUE, out));
}

/* A matrix has its warnings in the context, as the prediction library has no other way. */
static void a_matrix_is_compared_too(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = train(ctx, "linear", SMR_TASK_REGRESS);
    const double X[] = {1e6, 0, 4, 0, 3, 1, 4, NAN};
    double out[2];
    (void)state;
    check_ok(ctx, smr_predict_matrix(ctx, m, X, 2, 4, SMR_OUTPUT_VALUE, out));
    assert_int_equal(smr_ctx_n_warnings(ctx), 2);
    assert_non_null(strstr(smr_ctx_warning(ctx, 1),
                           "values far outside the training rows: 'x' in 1 row, 1000000 (training: "
                           "0 to 29); what is predicted there is a guess"));
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "column 'c' is missing in 1 row, and training "
                                                    "had no gap to learn from"));
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void gaps_in_categories_are_told_unless_the_sentence_fills_them(void **state)
{
    static const char *const gaps[] = {NULL, "even", NULL, "odd"};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *q = asking(ctx, 4, inside_x, inside_z, gaps);
    (void)state;
    smr_model *m = train(ctx, "linear", SMR_TASK_REGRESS);
    predict(ctx, m, q);
    check_heard(&heard, "column 'c' is missing in 2 rows, and training had no gap to learn from: "
                        "they count as unknown");
    heard = (struct heard){0};
    smr_predictor *p = NULL;
    const char *cells[] = {"1", "0", "4", NULL};
    const double row[] = {1, 0, 4, NAN};
    double a, b;
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    check_ok(ctx, smr_predictor_cells(p, cells, &a));
    check_heard(&heard, "input 'c' is missing, and training had no gap to learn from");
    check_ok(ctx, smr_predictor_row(p, row, &b));
    assert_int_equal(heard.n, 2);
    assert_true(a == b);
    smr_predictor_free(p);
    smr_model_free(m);
    m = train(ctx, "impute | linear", SMR_TASK_REGRESS);
    heard = (struct heard){0};
    predict(ctx, m, q);
    check_silent(&heard);
    smr_model_free(m);
    smr_table_free(q);
    check_ctx_end(ctx);
}

static const char *const known[] = {"odd", "even", "odd", "odd", "even", "odd", "odd", "even"};

static void numbers_at_the_limits_are_not_told(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *q = asking(ctx, 4, inside_x, inside_z, known);
    smr_model *m = train(ctx, "linear", SMR_TASK_REGRESS);
    (void)state;
    assert_true(m->schema.inputs[0].has_range && m->schema.inputs[0].least == 0 &&
                m->schema.inputs[0].greatest == 29 && !m->schema.inputs[3].has_range);
    heard = (struct heard){0};
    predict(ctx, m, q);
    check_silent(&heard);
    smr_model_free(m);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* The furthest value on either side, gaps left out; a constant has its size as the range. */
static void far_numbers_are_told_in_one_line(void **state)
{
    static const double x[] = {116.5, 0, NAN, -200, 5, 117, 1, 2}, z[] = {0, 1, 0, 0, 1, 0, 7.5, 0};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *q = asking(ctx, 8, x, z, known);
    smr_model *m = train(ctx, "impute | linear", SMR_TASK_REGRESS);
    char *json = NULL;
    (void)state;
    heard = (struct heard){0};
    predict(ctx, m, q);
    assert_int_equal(heard.n, 1);
    check_heard(&heard, "values far outside the training rows: 'x' in 3 rows, as far as -200 "
                        "(training: 0 to 29), 'z' in 1 row, 7.5 (training: -1 to 1), 'k' in 1 row, "
                        "1000000000 (training: 4 to 4); what is predicted there is a guess");
    smr_table_free(q);
    q = asking(ctx, 2, (double[]){INFINITY, 5}, z, known); /* refused where it matters */
    heard = (struct heard){0};
    check_ok(ctx, smr_foreign_warn(ctx, m, q));
    check_silent(&heard);
    smr_table_free(q);
    smr_table *t = training(ctx);
    check_ok(ctx, smr_evaluate(ctx, m, t, &json));
    check_silent(&heard);
    smr_string_free(json);
    ((double *)(uintptr_t)t->cols[0].values)[7] = 1e4;
    check_ok(ctx, smr_evaluate(ctx, m, t, &json));
    check_heard(&heard, "'x' in 1 row, 10000 (training: 0 to 29)");
    smr_string_free(json);
    smr_table_free(t);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* Those of the rows that were fitted, not of the table; in rows of a matrix as in columns. */
static void ranges_are_those_of_the_rows_that_were_fitted(void **state)
{
    enum { ROWS = 203, COLS = 7 };
    static double x[ROWS * COLS];
    smr_ctx *ctx = check_ctx(3);
    smr_table *view = NULL;
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    int64_t rows[ROWS], n = 0;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            x[i * COLS + j] = i % 17 ? noise(i, j) : 1e6 * noise(i, j);
    for (int64_t i = 0; i < ROWS; i++)
        if (i % 17) rows[n++] = i;
    check_ok(ctx, smr_table_from_matrix(ctx, x, ROWS, COLS, NULL, &view));
    smr_set_opts opts = {.target = "6", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, said_set(ctx, view, "linear", &opts, &set));
    for (int some = 0; some < 2; some++) {
        check_ok(ctx, said_fit(ctx, "linear", set, some ? rows : NULL, some ? n : 0, &m));
        for (int64_t j = 0; j < COLS - 1; j++) {
            double least = INFINITY, greatest = -INFINITY;
            for (int64_t i = 0; i < ROWS; i++) {
                if (some && i % 17 == 0) continue;
                least = fmin(least, x[i * COLS + j]);
                greatest = fmax(greatest, x[i * COLS + j]);
            }
            const smr_input *in = &m->schema.inputs[j];
            assert_true(in->has_range && in->least == least && in->greatest == greatest);
        }
        double far[COLS - 1] = {0, 1e9, 0, -1e9, 1e9, 1e9}, out;
        if (some) far[2] = 1e9;
        check_ok(ctx, smr_predict_matrix(ctx, m, far, 1, COLS - 1, SMR_OUTPUT_VALUE, &out));
        assert_int_equal(smr_ctx_n_warnings(ctx), 1);
        assert_non_null(strstr(smr_ctx_warning(ctx, 0), "'1' in 1 row, 1000000000 (training: "));
        assert_non_null(strstr(smr_ctx_warning(ctx, 0),
                               some ? "), and 2 more columns; what is" : "), and 1 more column; "));
        smr_model_free(m);
    }
    smr_train_set_free(set);
    smr_table_free(view);
    check_ctx_end(ctx);
}

/* Rows of a matrix of doubles, floats or bytes; in some, values far outside. */
enum { MANY = 2311, WIDTH = 19 };

struct matrix {
    double f64[MANY * WIDTH];
    float f32[MANY * WIDTH];
    uint8_t u8[MANY * WIDTH];
};

static void fill_matrix(struct matrix *m, bool far)
{
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t j = 0; j < WIDTH; j++) {
            int64_t at = i * WIDTH + j;
            m->f64[at] = noise(i, j);
            m->u8[at] = (uint8_t)(100 + (7 * i + j) % 5);
            if (far && (i * 31 + j) % 997 == 0 && j % 4 == 1) {
                m->f64[at] = (i % 2 ? 40 : -40) - (double)(i % 7);
                m->u8[at] = i % 3 ? 200 : 3;
            }
            m->f32[at] = (float)m->f64[at];
        }
}

/* The line that is told, counted one by one. */
static void expect_far(const smr_model *m, const struct matrix *x, smr_dtype dtype, char *out)
{
    int told = 0, more = 0;
    *out = '\0';
    for (int64_t j = 0; j < WIDTH; j++) {
        const smr_input *in = &m->schema.inputs[j];
        double range = in->greatest - in->least, most = 0, which = 0;
        int64_t n = 0;
        for (int64_t i = 0; i < MANY; i++) {
            int64_t at = i * WIDTH + j;
            double v = dtype == SMR_F64   ? x->f64[at]
                       : dtype == SMR_F32 ? (double)x->f32[at]
                                          : (double)x->u8[at];
            double off = fmax(in->least - v, v - in->greatest);
            if (!(v < in->least - 3 * range || v > in->greatest + 3 * range)) continue;
            if (n++ == 0 || off > most) most = off, which = v;
        }
        if (n && told++ < 3)
            sprintf(out + strlen(out),
                    "'%lld' in %lld rows, as far as %.0f (training: ", (long long)j, (long long)n,
                    which);
        more += n > 0;
    }
    assert_true(more > 3);
}

/* What blocks and lanes see is what a pass over the table sees. */
static void blocks_see_what_the_table_has(void **state)
{
    static const smr_dtype types[] = {SMR_F64, SMR_F32, SMR_U8};
    static struct matrix clean, far;
    static double y[MANY], out[MANY];
    (void)state;
    fill_matrix(&clean, false);
    fill_matrix(&far, true);
    for (int i = 0; i < MANY; i++) y[i] = noise(i, 77);
    for (int trial = 0; trial < 6; trial++) {
        smr_dtype dtype = types[trial % 3];
        const void *from[2][3] = {{clean.f64, clean.f32, clean.u8}, {far.f64, far.f32, far.u8}};
        smr_ctx *ctx = check_ctx(trial < 3 ? 1 : 3);
        smr_table *t[2];
        smr_model *m = NULL;
        char want[4096], told[4096];
        for (int k = 0; k < 2; k++) {
            smr_dense X = {.values = from[k][trial % 3],
                           .dtype = dtype,
                           .n_rows = MANY,
                           .n_cols = WIDTH,
                           .stride = WIDTH};
            check_ok(ctx, smr_table_view(ctx, &X, y, &t[k]));
        }
        smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
        check_ok(ctx, try_train(ctx, "ridge", t[0], &opts, &m));
        check_ok(ctx, smr_predict(ctx, m, t[0], SMR_OUTPUT_VALUE, out));
        assert_int_equal(smr_ctx_n_warnings(ctx), 0);
        check_ok(ctx, smr_predict(ctx, m, t[1], SMR_OUTPUT_VALUE, out));
        assert_int_equal(smr_ctx_n_warnings(ctx), 1);
        snprintf(told, sizeof told, "%s", smr_ctx_warning(ctx, 0));
        expect_far(m, &far, dtype, want);
        for (char *at = want, *end; (end = strstr(at, "(training: ")); at = end + 11) {
            *end = '\0';
            assert_non_null(strstr(told, at));
        }
        smr_begin_call(ctx);
        check_ok(ctx, smr_foreign_warn(ctx, m, t[1]));
        assert_string_equal(smr_ctx_warning(ctx, 0), told);
        smr_model_free(m);
        smr_table_free(t[0]);
        smr_table_free(t[1]);
        check_ctx_end(ctx);
    }
}

/* knn reads floats where the training rows were floats; a double just beyond the limit becomes a
 * float at it. */
static void a_double_that_is_rounded_to_the_limit_is_far(void **state)
{
    static float x[N * 2];
    static double y[N];
    double q[] = {4, 1, nextafter(4, 5), 1, 3, nextafter(-3, -4)}, out[3];
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL, *asked = NULL;
    smr_model *m = NULL;
    (void)state;
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)(i % 2);
        x[2 * i + 1] = (float)(i % 3 == 0);
        y[i] = noise(i, 3);
    }
    smr_dense X = {.values = x, .dtype = SMR_F32, .n_rows = N, .n_cols = 2, .stride = 2};
    check_ok(ctx, smr_table_view(ctx, &X, y, &t));
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, try_train(ctx, "knn 3", t, &opts, &m));
    check_ok(ctx, smr_table_from_matrix(ctx, q, 3, 2, NULL, &asked));
    check_ok(ctx, smr_predict(ctx, m, asked, SMR_OUTPUT_VALUE, out));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "'0' in 1 row, 4.00000000000000"));
    assert_non_null(strstr(smr_ctx_warning(ctx, 0), "'1' in 1 row, -3.0000000000000"));
    smr_model_free(m);
    smr_table_free(asked);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_compared_too),
        cmocka_unit_test(numbers_at_the_limits_are_not_told),
        cmocka_unit_test(far_numbers_are_told_in_one_line),
        cmocka_unit_test(blocks_see_what_the_table_has),
        cmocka_unit_test(a_double_that_is_rounded_to_the_limit_is_far),
        cmocka_unit_test(ranges_are_those_of_the_rows_that_were_fitted),
        cmocka_unit_test(gaps_in_categories_are_told_unless_the_sentence_fills_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
