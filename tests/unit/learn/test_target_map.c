/* test_target_map.c -- targets that are fitted as something else: columns target=log, log1p, power,
 * rank, normal. */
#include "pipeline.h"

#include "core/json.h"
#include "kernel/kernel.h"
#include "learn/online.h"
#include "learn/target_map.h"
#include "samara.h"
#include "study/cv_report.h"

enum { N = 83 };

/* x, z, a category, a weight, and y: above 0, with a long tail. */
static smr_table *houses(smr_ctx *ctx, double (*of)(double))
{
    static double x[N], z[N], w[N], y[N];
    static const char *c[N];
    smr_table *t = new_table(ctx, N, 5);
    for (int i = 0; i < N; i++) {
        x[i] = 3 * noise(i, 0);
        z[i] = noise(i, 1);
        w[i] = 1 + i % 3;
        c[i] = i % 5 ? i % 2 ? "old" : "new" : "ruin";
        y[i] = of(smr_exp(7 + 0.9 * x[i] - z[i] + 0.4 * noise(i, 2) - (i % 5 == 0)));
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_strings(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "w", w);
    put_numbers(ctx, t, 4, "y", y);
    return t;
}

static double itself(double y)
{
    return y;
}

static double log1p_of(double y)
{
    return copysign(smr_log1p(fabs(y)), y);
}

static double expm1_of(double z)
{
    return copysign(smr_expm1(fabs(z)), z);
}

static double off_zero(double y)
{
    return y - 900;
}

static double log1p_off_zero(double y)
{
    return log1p_of(off_zero(y));
}

static smr_model *train_weighted(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .weight = "w", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static const char *const learners[] = {
    "linear",
    "standardize | ridge 3",
    "lasso 0.01",
    "knn 4",
    "tree max_depth=3",
    "forest 6",
    "boost 12",
    "standardize | sgd passes=3",
    "quantile 0.7",
    "bag 4",
    "stack of=(linear),(knn 3)",
    "encode | ridge",
    "conformal of=(linear)",
    "conformal of=(knn 5)",
};

/* The same bits as a table whose target holds the logarithms, and exp of what is said there. */
static void check_same(smr_ctx *ctx, const char *how, double (*raw)(double), double (*of)(double),
                       double (*back)(double))
{
    smr_table *t = houses(ctx, raw), *u = houses(ctx, of);
    for (int64_t k = 0; k < SMR_COUNT(learners); k++) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "columns target=%s | %s", how, learners[k]);
        smr_model *m = train_weighted(ctx, sentence, t),
                  *plain = train_weighted(ctx, learners[k], u);
        for (int o = 0; o < 2; o++) {
            smr_output output = o ? SMR_OUTPUT_INTERVAL : SMR_OUTPUT_VALUE;
            if (!(smr_model_gives(m) & 1u << output)) continue;
            double *a = apply(ctx, m, t, output), *b = apply(ctx, plain, u, output);
            for (int64_t i = 0; i < N * (o + 1); i++) {
                double wanted = back(b[i]);
                if (memcmp(&a[i], &wanted, sizeof wanted) != 0)
                    fail_msg("%s: %.17g, not %.17g", sentence, a[i], wanted);
            }
            smr_free(a);
            smr_free(b);
        }
        smr_model_free(m);
        smr_model_free(plain);
    }
    smr_table_free(t);
    smr_table_free(u);
}

static void logarithms_are_those_of_a_table_that_holds_them(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    check_same(ctx, "log", itself, smr_log, smr_exp);
    check_same(ctx, "log1p", off_zero, log1p_off_zero, expm1_of);
    check_ctx_end(ctx);
}

/* ---- several targets -------------------------------------------------------------------- */

enum { T = 3 };

/* Two features and three targets of different shapes; `features`: only the targets. */
static smr_table *several(smr_ctx *ctx, bool features)
{
    static const char *const names[] = {"x", "z", "a", "b", "c"};
    double x[N * 5], only[N * T];
    for (int64_t i = 0; i < N; i++) {
        double *row = x + 5 * i;
        row[0] = noise(i, 11);
        row[1] = noise(i, 12);
        row[2] = smr_exp(2 * row[0] + noise(i, 13));
        row[3] = 100 * row[1] * row[1] * row[1] - row[0];
        row[4] = 3 + row[0] - row[1] + noise(i, 14);
        memcpy(only + T * i, row + 2, T * sizeof *row);
    }
    return features ? matrix_table(ctx, N, 5, x, names) : matrix_table(ctx, N, T, only, names + 2);
}

/* What the transform makes of the targets, fitted plainly, and undone by smr_inverse_matrix. */
static void check_several(smr_ctx *ctx, const char *how, const char *transform)
{
    char sentence[64];
    smr_table *t = several(ctx, true), *targets = several(ctx, false);
    snprintf(sentence, sizeof sentence, "columns target=%s | linear", how);
    smr_model *m = train_on(ctx, sentence, t, "a,b,c");
    smr_model *map = train_on(ctx, transform, targets, NULL);
    double *z = apply(ctx, map, targets, SMR_OUTPUT_TRANSFORM);
    for (int64_t i = 0; i < N; i++)
        for (int j = 0; j < T; j++) ((double *)(uintptr_t)t->cols[2 + j].values)[i] = z[i * T + j];
    smr_model *plain = train_on(ctx, "linear", t, "a,b,c");
    double *said = apply(ctx, m, t, SMR_OUTPUT_VALUE),
           *fitted = apply(ctx, plain, t, SMR_OUTPUT_VALUE);
    check_ok(ctx, smr_inverse_matrix(ctx, map, fitted, N, T, z));
    assert_memory_equal(said, z, N * T * sizeof *z);
    smr_free(z);
    smr_free(said);
    smr_free(fitted);
    smr_model_free(m);
    smr_model_free(map);
    smr_model_free(plain);
    smr_table_free(t);
    smr_table_free(targets);
}

static void several_targets_have_a_map_each(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    check_several(ctx, "log1p", "log");
    check_several(ctx, "power", "power");
    check_several(ctx, "rank", "ranks");
    check_several(ctx, "normal", "ranks normal");
    check_ctx_end(ctx);
}

/* ---- what comes back -------------------------------------------------------------------- */

static const char *const hows[] = {"log", "log1p", "power", "rank", "normal"};

/* Files, single rows, rounds: the same bits. */
static void a_saved_model_and_single_rows_say_the_same(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = houses(ctx, itself);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(hows); k++) {
        char sentence[96], *bytes = NULL, *again = NULL;
        int64_t length = 0, size = 0;
        smr_model *loaded = NULL;
        smr_predictor *p = NULL;
        snprintf(sentence, sizeof sentence, "columns target=%s | conformal of=(forest 5)", hows[k]);
        smr_model *m = train_weighted(ctx, sentence, t);
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
        check_ok(ctx, smr_model_read(ctx, bytes, length, &loaded));
        check_ok(ctx, smr_model_write(ctx, loaded, &again, &size));
        assert_true(size == length && memcmp(bytes, again, (size_t)size) == 0);
        double *a = apply(ctx, m, t, SMR_OUTPUT_VALUE),
               *b = apply(ctx, loaded, t, SMR_OUTPUT_VALUE);
        double *ends = apply(ctx, loaded, t, SMR_OUTPUT_INTERVAL), one[2];
        assert_memory_equal(a, b, N * sizeof *a);
        for (int64_t i = 0; i < N; i++) assert_true(ends[2 * i] <= a[i] && a[i] <= ends[2 * i + 1]);
        check_ok(ctx, smr_predictor_create(ctx, loaded, SMR_OUTPUT_INTERVAL, &p));
        for (int64_t i = 0; i < N; i++) {
            double x[3] = {smr_column_number(&t->cols[0], i), smr_column_number(&t->cols[1], i),
                           smr_column_code(&t->cols[2], i)};
            check_ok(ctx, smr_predictor_row(p, x, one));
            assert_memory_equal(one, ends + 2 * i, sizeof one);
        }
        smr_predictor_free(p);
        smr_free(a);
        smr_free(b);
        smr_free(ends);
        smr_free(bytes);
        smr_free(again);
        smr_model_free(loaded);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Too few rows for the coverage: everything, except that exp of a logarithm is above 0. */
static void infinite_ends_stay_infinite(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(hows); k++) {
        smr_ctx *ctx = check_ctx(1);
        char sentence[96];
        smr_table *t = houses(ctx, itself);
        snprintf(sentence, sizeof sentence, "columns target=%s | conformal 0.999 of=(linear)",
                 hows[k]);
        smr_model *m = train_weighted(ctx, sentence, t);
        double *ends = apply(ctx, m, t, SMR_OUTPUT_INTERVAL);
        for (int64_t i = 0; i < N; i++) {
            assert_true(ends[2 * i] == (k == 0 ? 0 : -INFINITY));
            assert_true(ends[2 * i + 1] == INFINITY);
        }
        smr_free(ends);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Ranks say nothing beyond the rows: the nearest end comes back. */
static void ranks_stay_among_the_training_rows(void **state)
{
    static const char *const names[] = {"x", "y"};
    smr_ctx *ctx = check_ctx(1);
    double x[21 * 2], out[3];
    const double asked[] = {-1000, 10, 1000};
    (void)state;
    for (int i = 0; i < 21; i++) {
        x[2 * i] = i;
        x[2 * i + 1] = i * i;
    }
    smr_table *t = matrix_table(ctx, 21, 2, x, names), *q = matrix_table(ctx, 3, 1, asked, names);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, try_train(ctx, "columns target=rank | linear", t, &opts, &m));
    check_ok(ctx, smr_model_apply(ctx, m, q, NULL, 0, SMR_OUTPUT_VALUE, out));
    assert_true(out[0] == 0 && out[2] == 400);
    check_near("the middle row", out[1], 100, 1e-10);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(q);
    check_ctx_end(ctx);
}

/* Out-of-bag rows are told in the target's unit: exp of those of the logged table. */
static void out_of_bag_rows_are_in_the_targets_unit(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = houses(ctx, itself), *u = houses(ctx, smr_log), *a = NULL, *b = NULL;
    smr_set_opts opts = {.target = "y", .ignore = "w", .keep_all = true};
    smr_train_set *of_t = NULL, *of_u = NULL;
    smr_model *m = NULL, *plain = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "forest 5", &opts, &of_t));
    check_ok(ctx, said_set(ctx, u, "forest 5", &opts, &of_u));
    of_t->keep_left_out = of_u->keep_left_out = true;
    check_ok(ctx, said_fit(ctx, "columns target=log | forest 5", of_t, NULL, 0, &m));
    check_ok(ctx, said_fit(ctx, "forest 5", of_u, NULL, 0, &plain));
    check_ok(ctx, smr_oob_table(ctx, of_t, m, &a));
    check_ok(ctx, smr_oob_table(ctx, of_u, plain, &b));
    assert_int_equal(a->n_rows, b->n_rows);
    for (int64_t i = 0; i < a->n_rows; i++)
        assert_true(smr_column_number(&a->cols[3], i) ==
                    smr_exp(smr_column_number(&b->cols[3], i)));
    smr_table_free(a);
    smr_table_free(b);
    smr_model_free(m);
    smr_model_free(plain);
    smr_train_set_free(of_t);
    smr_train_set_free(of_u);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void what_has_no_logarithm_is_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n1,2\n2,\n3,4.5\n5,-0.25\n7,0\n");
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, try_train(ctx, "columns target=log | linear", t, &opts, &m), SMR_ERR_DATA,
                "columns target=log: the target 'y' is -0.25 in row 4, which has no logarithm; "
                "target=log1p takes sign(y) log(1 + |y|) of any number");
    check_ok(ctx, try_train(ctx, "columns target=log1p | linear", t, &opts, &m));
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_and_no_target_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,z,k\n1,3,a\n2.5,1,b\n3,2,b\n");
    smr_set_opts opts = {.target = "k", .keep_all = true}, none = {.keep_all = true};
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, try_train(ctx, "columns target=power | knn 1", t, &opts, &m), SMR_ERR_PARAM,
                "columns target=power is for targets that are numbers, and 'k' has classes; leave "
                "it out, or say --task regress where numbers are meant");
    check_fails(ctx, try_train(ctx, "columns target=log | standardize", t, &none, &m),
                SMR_ERR_PARAM,
                "columns target=log changes the target, and this model is fitted to none; leave it "
                "out");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- streams ---------------------------------------------------------------------------- */

/* Learns the rows of a table in two parts, the model saved and loaded in between. */
static smr_model *stream_over(smr_ctx *ctx, const char *sentence, const smr_table *t, double *said)
{
    smr_set_opts opts = {.target = "y", .weight = "w", .keep_all = true, .task = SMR_TASK_REGRESS};
    smr_online_opts how = {.weight = "w"};
    smr_train_set *set = NULL;
    smr_spec *spec = parsed(ctx, sentence);
    smr_model *m = NULL;
    check_ok(ctx, smr_train_set_create(ctx, t, spec, &opts, &set));
    check_ok(ctx, smr_online_begin(ctx, spec, set, &m));
    for (int part = 0; part < 2; part++) {
        int64_t lo = part ? 31 : 0, hi = part ? N : 31, length;
        smr_online *o = NULL;
        const smr_online_rows *rows;
        char *bytes = NULL;
        check_ok(ctx, smr_online_create(ctx, m, &how, &o));
        check_ok(ctx, smr_online_take(ctx, o, t, 0, &rows));
        assert_int_equal(rows->n_bad, 0);
        check_ok(ctx, smr_online_go(ctx, o, lo, hi));
        memcpy(said + lo, rows->score + lo, (size_t)(hi - lo) * sizeof *said);
        for (int64_t i = 0; i < N; i++) /* measured in the target's unit */
            assert_true(rows->y[i] == smr_column_number(&t->cols[4], i));
        smr_online_free(o);
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
        smr_model_free(m);
        check_ok(ctx, smr_model_read(ctx, bytes, length, &m));
        smr_string_free(bytes);
    }
    smr_train_set_free(set);
    smr_spec_free(spec);
    return m;
}

/* The same bits as a stream of the logarithms, and exp of what is said there; predict as well. */
static void check_stream(smr_ctx *ctx, const char *how, double (*raw)(double), double (*of)(double),
                         double (*back)(double))
{
    static const char *const streamed[] = {"standardize | sgd", "encode | standardize | sgd huber",
                                           "sgd rate=0.001"};
    smr_table *t = houses(ctx, raw), *u = houses(ctx, of);
    for (int64_t k = 0; k < SMR_COUNT(streamed); k++) {
        char sentence[96];
        double a[N], b[N];
        snprintf(sentence, sizeof sentence, "columns target=%s | %s", how, streamed[k]);
        smr_model *m = stream_over(ctx, sentence, t, a);
        smr_model *plain = stream_over(ctx, streamed[k], u, b);
        double *c = apply(ctx, m, t, SMR_OUTPUT_VALUE), *d = apply(ctx, plain, u, SMR_OUTPUT_VALUE);
        for (int64_t i = 0; i < N; i++) {
            double then = back(b[i]), now = back(d[i]);
            if (memcmp(&a[i], &then, sizeof then) != 0 || memcmp(&c[i], &now, sizeof now) != 0)
                fail_msg("%s: %.17g and %.17g, not %.17g and %.17g", sentence, a[i], c[i], then,
                         now);
        }
        assert_int_equal(m->n_rows, N);
        smr_free(c);
        smr_free(d);
        smr_model_free(m);
        smr_model_free(plain);
    }
    smr_table_free(t);
    smr_table_free(u);
}

static void streams_of_logarithms_are_those_of_a_table_that_holds_them(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_stream(ctx, "log", itself, smr_log, smr_exp);
    check_stream(ctx, "log1p", off_zero, log1p_off_zero, expm1_of);
    check_ctx_end(ctx);
}

/* Unless nothing is learned from it: there is no weight, or the stream is only predicted. */
static void a_row_of_a_stream_without_a_logarithm_is_bad(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = houses(ctx, itself);
    double *y = (double *)(uintptr_t)t->cols[4].values, *w = (double *)(uintptr_t)t->cols[3].values;
    double said[N];
    (void)state;
    smr_model *m = stream_over(ctx, "columns target=log | sgd", t, said);
    smr_online_opts how = {.weight = "w"};
    y[7] = 0;
    y[5] = -2.5;
    w[5] = 0;
    for (int only = 0; only < 2; only++) {
        smr_online *o = NULL;
        const smr_online_rows *rows;
        how.only_predict = only;
        check_ok(ctx, smr_online_create(ctx, m, &how, &o));
        check_ok(ctx, smr_online_take(ctx, o, t, 100, &rows));
        assert_int_equal(rows->n_bad, !only);
        if (!only) assert_int_equal(rows->first_bad, 7);
        if (!only)
            assert_non_null(strstr(rows->why,
                                   "row 108: the target 'y' is 0, which has no logarithm (columns "
                                   "target=log); target=log1p takes sign(y) log(1 + |y|) of any "
                                   "number"));
        check_ok(ctx, smr_online_go(ctx, o, 0, N));
        assert_true(isfinite(rows->score[5]) && isnan(rows->score[7]) == !only);
        smr_online_free(o);
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What a stream cannot have, and a model to begin at that was fitted to something else. */
static void streams_and_other_units_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = houses(ctx, itself);
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *m = NULL, *other = NULL;
    smr_spec *spec = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "sgd", &opts, &set));
    check_ok(ctx, smr_spec_parse(ctx, "columns target=power | sgd", &spec));
    check_fails(ctx, smr_online_begin(ctx, spec, set, &m), SMR_ERR_UNSUPPORTED,
                "columns target=power is fitted to all rows at once, which a stream does not have; "
                "take target=log or target=log1p, or learn the target as it is");
    smr_online *stream = NULL;
    check_ok(ctx, said_fit(ctx, "columns target=rank | sgd", set, NULL, 0, &m));
    check_fails(ctx, smr_online_create(ctx, m, NULL, &stream), SMR_ERR_UNSUPPORTED,
                "this model was fitted with columns target=rank and cannot read a stream; those "
                "with target=log or target=log1p can");
    smr_model_free(m);
    check_ok(ctx, said_fit(ctx, "columns target=log | sgd", set, NULL, 0, &m));
    check_ok(ctx, smr_online_create(ctx, m, NULL, &stream));
    smr_online_free(stream);
    set->warm_start = m;
    check_fails(ctx, said_fit(ctx, "columns target=power | sgd", set, NULL, 0, &other),
                SMR_ERR_PARAM,
                "the model to start from was fitted with columns target=log, and this fit is with "
                "target=power: its numbers are in other units");
    check_ok(ctx, said_fit(ctx, "columns target=log | sgd", set, NULL, 0, &other));
    smr_model_free(other);
    smr_model_free(m);
    smr_spec_free(spec);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what is told ----------------------------------------------------------------------- */

static void the_description_says_what_was_fitted(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = houses(ctx, itself);
    smr_json_doc *doc = NULL;
    smr_model *m = train_weighted(ctx, "columns target=power | linear", t);
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    const smr_json *head = smr_json_get(smr_json_root(doc), "stages")->first;
    assert_string_equal(smr_json_get_string(head, "fitted_to", ""), "a power of y");
    const smr_json *row = smr_json_get(smr_json_get(head, "target_map"), "features")->first;
    assert_string_equal(smr_json_get_string(row, "feature", ""), "y");
    assert_true(fabs(smr_json_get(row, "lambda")->number) < 0.3); /* nearly a logarithm */
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t length = 0;
    double out[2 * N];
    smr_status st = SMR_OK;
    smr_set_opts opts = {.target = "y", .weight = "w", .keep_all = true};
    TRY(try_train(ctx, "columns target=normal | conformal of=(linear)", table, &opts, &m));
    TRY(smr_model_write(ctx, m, &bytes, &length));
    TRY(smr_model_read(ctx, bytes, length, &back));
    TRY(smr_model_apply(ctx, back, table, NULL, 0, SMR_OUTPUT_INTERVAL, out));
out:
    smr_free(bytes);
    smr_model_free(back);
    smr_model_free(m);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = houses(ctx, itself);
    (void)state;
    assert_true(fail_each_allocation(ctx, once, t) > 100);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_are_those_of_a_table_that_holds_them),
        cmocka_unit_test(several_targets_have_a_map_each),
        cmocka_unit_test(a_saved_model_and_single_rows_say_the_same),
        cmocka_unit_test(infinite_ends_stay_infinite),
        cmocka_unit_test(ranks_stay_among_the_training_rows),
        cmocka_unit_test(out_of_bag_rows_are_in_the_targets_unit),
        cmocka_unit_test(what_has_no_logarithm_is_named),
        cmocka_unit_test(classes_and_no_target_are_refused),
        cmocka_unit_test(streams_of_logarithms_are_those_of_a_table_that_holds_them),
        cmocka_unit_test(a_row_of_a_stream_without_a_logarithm_is_bad),
        cmocka_unit_test(streams_and_other_units_are_refused),
        cmocka_unit_test(the_description_says_what_was_fitted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
