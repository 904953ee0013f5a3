/* test_each.c -- log, power, ranks, bin, clip and scale: what they refuse, what they do at the
 * edges of their range, back again, sparse rows, threads.
 *
 * Figures: worked ones here; tests/truth/transforms.py has those of other programs. */
#include "pipeline.h"

#include "core/params.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/inverse.h"
#include "transform/power.h"

static const char *const names[] = {"a", "b", "c", "d", "e"};

/* One column in, through the sentence; out: what it becomes. */
static void through(const char *sentence, int64_t n, const double *x, int64_t m,
                    const double *later, double *out)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, n, 1, x, names), *u = matrix_table(ctx, m, 1, later, names);
    smr_model *model = train_on(ctx, sentence, t, NULL);
    double *z = apply(ctx, model, u, SMR_OUTPUT_TRANSFORM);
    memcpy(out, z, (size_t)(m * smr_model_width(model, SMR_OUTPUT_TRANSFORM)) * sizeof *out);
    smr_free(z);
    smr_model_free(model);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

static void check_through(const char *sentence, int64_t n, const double *x, int64_t m,
                          const double *later, const double *wanted, int64_t n_wanted)
{
    double out[64];
    through(sentence, n, x, m, later, out);
    for (int64_t i = 0; i < n_wanted; i++) check_near(sentence, out[i], wanted[i], 1e-15);
}

static void later_rows_may_lie_outside(void **state)
{
    static const double x[] = {1, 2, 4, 8}, later[] = {-5, 0.5, 3, 100, NAN};
    (void)state;
    check_through("scale", 4, x, 5, later, (double[]){-6.0 / 7, -0.5 / 7, 2.0 / 7, 99.0 / 7, NAN},
                  4);
    check_through("clip 0.25", 4, x, 5, later, (double[]){1.75, 1.75, 3, 5, NAN}, 4);
    check_through("clip 0 tails=low", 4, x, 5, later, (double[]){1, 1, 3, 100}, 4);
    /* (i - 1/2) / 4 at the four values; 3 lies half-way from 2 to 4 */
    check_through("ranks", 4, x, 5, later, (double[]){0.125, 0.125, 0.5, 0.875}, 4);
    check_through("bin 2", 4, x, 5, later, (double[]){0, 0, 1, 1}, 4);
    check_through("bin edges=0,4,8", 4, x, 5, later, (double[]){0, 1, 1, 3}, 4);
    check_through("bin edges=4 code=onehot", 4, x, 5, later,
                  (double[]){1, 0, 1, 0, 1, 0, 0, 1, 0, 0}, 10);
    /* log(1 + 0), the least value, counts for what has no logarithm */
    check_through("log shift=0", 4, x, 2, later, (double[]){0, -0.6931471805599453}, 2);
    check_through("power box_cox lambda=1 standardize=no", 4, x, 2, later, (double[]){0, -0.5}, 2);
    check_through("log", 4, x, 2, (double[]){-3, 3},
                  (double[]){-1.3862943611198906, 1.3862943611198906}, 2);
}

static void constants_and_empty_columns_do_no_harm(void **state)
{
    static const double x[] = {3, 3, 3}, none[] = {NAN, NAN, NAN}, later[] = {3, 5};
    (void)state;
    check_through("scale", 3, x, 2, later, (double[]){0, 2}, 2);
    check_through("scale robust", 3, x, 2, later, (double[]){0, 2}, 2);
    check_through("ranks", 3, x, 2, later, (double[]){0.5, 0.5}, 2);
    check_through("ranks normal", 3, x, 2, later, (double[]){0, 0}, 2);
    check_through("bin 4", 3, x, 2, later, (double[]){0, 0}, 2);
    check_through("bin 4 code=onehot", 3, x, 2, later, (double[]){1, 1}, 2);
    check_through("clip", 3, x, 2, later, (double[]){3, 3}, 2);
    check_through("power", 3, x, 2, later, (double[]){0, 2}, 2);
    check_through("scale", 3, none, 2, later, (double[]){3, 5}, 2);
    check_through("power", 3, none, 2, later, (double[]){3, 5}, 2);
    check_through("ranks", 3, none, 2, later, (double[]){0.5, 0.5}, 2);
    check_through("bin 4", 3, none, 2, later, (double[]){0, 0}, 2);
    check_through("clip", 3, none, 2, later, later, 2);
    check_through("log shift=0", 3, none, 2, later,
                  (double[]){1.0986122886681098, 1.6094379124341003}, 2);
}

/* Quantiles of few values coincide: bins of the different ones are left. */
static void few_values_have_few_bins(void **state)
{
    static const double x[] = {0, 0, 0, 0, 0, 1, 1, 5, 5, 5};
    (void)state;
    check_through("bin 5", 10, x, 3, (double[]){0, 1, 5}, (double[]){0, 1, 1}, 3);
    check_through("bin 5 by=width", 10, x, 3, (double[]){0, 1, 5}, (double[]){0, 1, 4}, 3);
}

/* The nearest to 1/7, 2/7 ... of the shares, and both ends; between them straight lines. */
static void ranks_keep_as_many_knots_as_are_asked_for(void **state)
{
    enum { N = 1001 };
    static double x[N], z[N];
    (void)state;
    for (int i = 0; i < N; i++) x[i] = (double)(i * 8 % N) * (double)(i * 8 % N);
    through("ranks knots=8", N, x, N, x, z);
    for (int i = 0; i < N; i++) {
        double u = ((double)(i * 8 % N) + 0.5) / N;
        assert_true(z[i] > 0 && z[i] < 1 && fabs(z[i] - u) < 0.08);
    }
    through("ranks", N, x, N, x, z); /* one of 1001 values has no knot of its own */
    for (int i = 0; i < N; i++) check_near("u", z[i], ((double)(i * 8 % N) + 0.5) / N, 1e-6);
}

/* Rows that count once are ranked in another way than rows with weights. */
static void ranks_of_weight_one_are_those_without_weights(void **state)
{
    enum { N = 6007 };
    static const char *const cols[] = {"a", "b", "c", "d", "w"};
    static const char *const sentences[] = {"ranks", "ranks normal", "ranks knots=2",
                                            "ranks knots=37", "ranks knots=5000"};
    static double x[N * 5];
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        double *row = x + 5 * i;
        row[0] = noise(i, 0) * (i % 11 ? 1 : 1e6);
        row[1] = floor(6 * fabs(noise(i, 1)));           /* ties */
        row[2] = i % 3 ? 4 : noise(i, 2) + 4;            /* most are one value */
        row[3] = i % 17 ? (double)(i * 8 % N / 2) : NAN; /* pairs, and gaps */
        row[4] = 1;
    }
    smr_table *t = matrix_table(ctx, N, 5, x, cols);
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) {
        smr_model *m[2] = {NULL, NULL};
        smr_set_opts opts[2] = {{.ignore = "w", .keep_all = true},
                                {.weight = "w", .keep_all = true}};
        for (int w = 0; w < 2; w++) check_ok(ctx, try_train(ctx, sentences[k], t, &opts[w], &m[w]));
        double *a = apply(ctx, m[0], t, SMR_OUTPUT_TRANSFORM),
               *b = apply(ctx, m[1], t, SMR_OUTPUT_TRANSFORM);
        assert_memory_equal(a, b, sizeof *a * N * 4);
        smr_free(a);
        smr_free(b);
        smr_model_free(m[0]);
        smr_model_free(m[1]);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void what_cannot_be_is_refused_in_words(void **state)
{
    static const struct {
        const char *sentence, *says;
    } cases[] = {
        {"log shift=0",
         "log shift=0: column 'a' holds -2, and there is no logarithm of -2 + 0; name "
         "other columns in column=, take a larger shift, or leave shift= out"},
        {"power box_cox",
         "power box_cox: column 'a' holds -2, and takes values above 0 alone; power "
         "yeo_johnson takes all, and column= names columns"},
        {"clip low=3 high=1", "clip: low=3 is above high=1"},
        {"clip 0.1 low=3", "share"},
        {"scale low=1 high=1", "scale: low=1 must be below high=1"},
        {"scale robust low=1", "low"},
        {"bin edges=3,3", "bin: the edges must ascend, and 3 comes before 3"},
        {"bin 4 edges=3", "k"},
        {"log z", "log: no column 'z' comes in"},
        {"ranks column=a,c", "ranks changes numbers, and 'c' holds categories; leave it out of "
                             "column="},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 2);
    (void)state;
    put_numbers(ctx, t, 0, "a", (double[]){5, -2, 3});
    put_strings(ctx, t, 1, "c", (const char *[]){"x", "y", "x"});
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        smr_model *m = NULL;
        smr_set_opts opts = {.keep_all = true};
        smr_status st = try_train(ctx, cases[k].sentence, t, &opts, &m);
        if (st == SMR_OK || !strstr(smr_ctx_message(ctx), cases[k].says))
            fail_msg("%s: '%s'", cases[k].sentence, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The square of 1e200 is infinite. */
static void infinite_values_are_named_or_clipped(void **state)
{
    static const double x[] = {1, 1e200, 3};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 3, 1, x, names);
    smr_model *m = NULL;
    smr_set_opts opts = {.keep_all = true};
    (void)state;
    assert_int_equal(try_train(ctx, "poly 2 | power", t, &opts, &m), SMR_ERR_DATA);
    assert_non_null(strstr(smr_ctx_message(ctx), "power: column 'a^2' holds inf"));
    assert_non_null(strstr(smr_ctx_message(ctx), "clip high= before it gives limits"));
    smr_ctx_clear(ctx);
    check_ok(ctx, try_train(ctx, "poly 2 | clip high=4 | power", t, &opts, &m));
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- exponents -------------------------------------------------------------------------- */

/* (2) of power.h by hand: no exponent near the one that was found is more likely. */
static double unlikely(int64_t n, const double *x, double lambda)
{
    double sum = 0, square = 0, logs = 0;
    for (int64_t i = 0; i < n; i++) {
        double y = smr_power_of(SMR_YEO_JOHNSON, lambda, x[i]);
        sum += y / (double)n;
        logs += copysign(log1p(fabs(x[i])), x[i]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double off = smr_power_of(SMR_YEO_JOHNSON, lambda, x[i]) - sum;
        square += off * off / (double)n;
    }
    return 0.5 * log(square) - (lambda - 1) * logs;
}

static void no_other_exponent_is_more_likely(void **state)
{
    enum { N = 9001 };
    static double x[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        smr_power_fit found;
        for (int i = 0; i < N; i++)
            x[i] = shape == 0   ? exp(noise(i, 0))
                   : shape == 1 ? -exp(2 * noise(i, 1)) * 30
                                : noise(i, 2) * noise(i, 2) * noise(i, 2) + 0.4;
        check_ok(ctx, smr_power_find(ctx, SMR_YEO_JOHNSON, NAN, N, x, NULL, &found));
        assert_false(found.stopped);
        double best = unlikely(N, x, found.lambda);
        for (double step = 1e-4; step < 2; step *= 10) {
            assert_true(unlikely(N, x, found.lambda + step) > best);
            assert_true(unlikely(N, x, found.lambda - step) > best);
        }
    }
    check_ctx_end(ctx);
}

/* Years: no exponent is found that rounding decides, and the column does not become a constant. */
static void columns_that_hardly_vary_keep_their_digits(void **state)
{
    enum { N = 300 };
    static double x[N];
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    (void)state;
    for (int i = 0; i < N; i++) x[i] = 2026 - floor(fabs(noise(i, 0)) * 4);
    x[0] = 1800;
    for (int i = 0; i < N; i++) x[i] = 3826 - x[i]; /* a long tail to the right: lambda << 0 */
    smr_table *t = matrix_table(ctx, N, 1, x, names);
    smr_model *m = train_on(ctx, "power", t, NULL);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM), mean = 0, square = 0;
    for (int i = 0; i < N; i++) mean += z[i] / N, square += z[i] * z[i] / N;
    check_near("mean", mean, 0, 1e-6);
    check_near("variance", square, 1, 1e-6);
    check_heard(&heard, "power: column 'a' varies too little for its size, and its exponent stops");
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    smr_ctx_destroy(ctx);
}

/* ---- back ------------------------------------------------------------------------------- */

static void check_back(const char *sentence, int64_t n, const double *x, double tolerance)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, n, 2, x, names);
    smr_model *m = train_on(ctx, sentence, t, NULL);
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    double *back = smr_alloc(ctx, 2 * n, sizeof *back);
    check_ok(ctx, smr_model_inverse_matrix(ctx, m, z, n, back));
    for (int64_t i = 0; i < 2 * n; i++)
        check_near(sentence, back[i], x[i], tolerance * (1 + fabs(x[i])));
    smr_free(back);
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void one_to_one_transforms_come_back(void **state)
{
    enum { N = 211 };
    static double x[2 * N];
    (void)state;
    for (int i = 0; i < N; i++) {
        x[2 * i] = exp(1.5 * noise(i, 0));
        x[2 * i + 1] = 40 + 7 * noise(i, 1);
    }
    check_back("log", N, x, 1e-14);
    check_back("log shift=0.5", N, x, 1e-14);
    check_back("power", N, x, 1e-12);
    check_back("power box_cox", N, x, 1e-12);
    check_back("power lambda=2.5", N, x, 1e-12);
    check_back("power lambda=-0.5 standardize=no", N, x, 1e-12);
    check_back("ranks", N, x, 1e-14); /* every value has its knot */
    check_back("ranks normal", N, x, 1e-14);
    check_back("clip low=-1e9 high=1e9", N, x, 0);
    check_back("scale", N, x, 1e-14);
    check_back("scale robust", N, x, 1e-14);
    check_back("scale maxabs", N, x, 1e-14);
    check_back("log a | scale low=-3 | ranks column=b", N, x, 1e-13);
}

/* lambda = -1 bounds y by 1: what no x reaches is the greatest x of training. */
static void what_no_value_gives_comes_back_as_the_nearest_end(void **state)
{
    static const double x[] = {1, 2, 9}, z[] = {0.5, 0.999, 1, 7};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 3, 1, x, names);
    smr_model *m = train_on(ctx, "power lambda=-1 standardize=no", t, NULL);
    double back[4];
    (void)state;
    check_ok(ctx, smr_model_inverse_matrix(ctx, m, z, 4, back));
    check_near("1 / (1 - z) - 1", back[0], 1, 1e-14);
    check_near("1 / (1 - z) - 1", back[1], 999, 1e-9);
    check_near("bound", back[2], 9, 0);
    check_near("beyond", back[3], 9, 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

static smr_table *sparse_table(smr_ctx *ctx, int64_t n, int64_t d, const double *x)
{
    enum { MOST = 300 };
    int64_t start[MOST] = {0}, k = 0;
    int32_t column[MOST];
    double value[MOST];
    smr_table *t = NULL;
    assert_true(n < MOST && n * d < MOST);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            if (x[i * d + j] == 0) continue;
            column[k] = (int32_t)j;
            value[k++] = x[i * d + j];
        }
        start[i + 1] = k;
    }
    check_ok(ctx, smr_table_from_csr(ctx, n, d, start, column, value, NULL, &t));
    return t;
}

static void sparse_rows_become_what_dense_ones_do(void **state)
{
    enum { N = 53, D = 4 };
    static const char *const sentences[] = {
        "log",
        "log shift=1",
        "scale maxabs",
        "scale robust center=no",
        "scale",
        "scale robust",
        "clip low=-0.5 high=2",
        "clip",
        "power",
        "power standardize=no",
        "ranks",
        "bin 3",
    };
    static double x[N * D];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) {
            double u = noise(i, j);
            x[i * D + j] = u < 0.3 && u > -2 ? 0 : j == 2 ? fabs(u) : smr_fmax(u, -0.9);
        }
    for (int64_t j = 0; j < D; j++) x[(N - 1) * D + j] = 1; /* the last column has an entry */
    smr_table *dense = matrix_table(ctx, N, D, x, names), *sparse = sparse_table(ctx, N, D, x);
    for (int k = 0; k < SMR_COUNT(sentences); k++) {
        smr_model *a = train_on(ctx, sentences[k], dense, NULL);
        smr_model *b = NULL;
        smr_set_opts opts = {.keep_all = true};
        check_ok(ctx, try_train(ctx, sentences[k], sparse, &opts, &b));
        double *p = apply(ctx, a, dense, SMR_OUTPUT_TRANSFORM);
        double *q = apply(ctx, b, sparse, SMR_OUTPUT_TRANSFORM);
        int64_t width = smr_model_width(a, SMR_OUTPUT_TRANSFORM);
        assert_int_equal(width, smr_model_width(b, SMR_OUTPUT_TRANSFORM));
        for (int64_t i = 0; i < N * width; i++)
            if (p[i] != q[i]) fail_msg("%s: %.17g and %.17g", sentences[k], p[i], q[i]);
        bool stays = k < 4 || k == 6 || k == 9;
        if (smr_stage_is_sparse(&b->stages[0], true) != stays && k != 7)
            fail_msg("%s: sparse rows stay so or not", sentences[k]);
        smr_free(p);
        smr_free(q);
        smr_model_free(a);
        smr_model_free(b);
    }
    smr_table_free(dense);
    smr_table_free(sparse);
    check_ctx_end(ctx);
}

/* ---- threads, memory -------------------------------------------------------------------- */

/* Long columns are cut among threads, short ones are not: the bits are the same. */
static void threads_change_no_bit(void **state)
{
    enum { N = 70001 };
    double lambda[2][2], *x = malloc(N * sizeof *x);
    (void)state;
    assert_non_null(x);
    for (int i = 0; i < N; i++) x[i] = exp(noise(i, 3)) - 0.5;
    for (int k = 0; k < 2; k++) {
        smr_ctx *ctx = check_ctx(k ? 5 : 1);
        smr_table *t = matrix_table(ctx, N, 1, x, names);
        smr_model *m = train_on(ctx, "power", t, NULL);
        double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
        memcpy(lambda[k], z, sizeof lambda[k]);
        smr_free(z);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    assert_memory_equal(lambda[0], lambda[1], sizeof lambda[0]);
    free(x);
}

struct trying {
    smr_table *t;
    const char *sentence;
};

static smr_status train_once(smr_ctx *ctx, void *arg)
{
    struct trying *try = arg;
    smr_model *m = NULL;
    smr_status st = try_train(ctx, try->sentence, try->t, &(smr_set_opts){.keep_all = true}, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    static const char *const sentences[] = {
        "log shift=9",       "power", "ranks normal",       "scale robust",
        "bin 3 code=onehot", "clip",  "standardize | ranks"};
    static const double x[] = {1, -2, 3, 0.5, 2, 2};
    (void)state;
    for (int k = 0; k < SMR_COUNT(sentences); k++) {
        smr_ctx *ctx = check_ctx(1);
        struct trying try = {matrix_table(ctx, 3, 2, x, names), sentences[k]};
        assert_true(fail_each_allocation(ctx, train_once, &try) > 3);
        smr_table_free(try.t);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_rows_may_lie_outside),
        cmocka_unit_test(constants_and_empty_columns_do_no_harm),
        cmocka_unit_test(few_values_have_few_bins),
        cmocka_unit_test(ranks_keep_as_many_knots_as_are_asked_for),
        cmocka_unit_test(ranks_of_weight_one_are_those_without_weights),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
        cmocka_unit_test(infinite_values_are_named_or_clipped),
        cmocka_unit_test(no_other_exponent_is_more_likely),
        cmocka_unit_test(columns_that_hardly_vary_keep_their_digits),
        cmocka_unit_test(one_to_one_transforms_come_back),
        cmocka_unit_test(what_no_value_gives_comes_back_as_the_nearest_end),
        cmocka_unit_test(sparse_rows_become_what_dense_ones_do),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
