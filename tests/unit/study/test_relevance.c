/* Columns against a target: the course's tables from CSV to gain, SciPy's correlations, rules about
 * missing values and weights, all pairs of columns. */
#include "pipeline.h"

#include "study/describe.h"
#include "study/relevance.h"
#include "truth/stats.h"

static const double PRINTED = 5e-5; /* figures to four places */

static smr_relevances relate(smr_ctx *ctx, const smr_table *t, const char *target,
                             const char *weight)
{
    smr_relevances r;
    smr_relevance_opts opts = {.target = target, .weight = weight};
    check_ok(ctx, smr_relate(ctx, t, &opts, &r, NULL));
    return r;
}

static const smr_relevance *column(const smr_relevances *r, const smr_table *t, const char *name)
{
    for (int64_t k = 0; k < r->n_cols; k++)
        if (strcmp(t->cols[r->columns[k].col].name, name) == 0) return &r->columns[k];
    fail_msg("no column '%s'", name);
    return NULL;
}

/* The textbook's twelve rows. */
static const char RESTAURANT[] = "alt,bar,fri,hun,pat,price,rain,res,type,est,wait\n"
                                 "y,n,n,y,some,$$$,n,y,french,0-10,yes\n"
                                 "y,n,n,y,full,$,n,n,thai,30-60,no\n"
                                 "n,y,n,n,some,$,n,n,burger,0-10,yes\n"
                                 "y,n,y,y,full,$,y,n,thai,10-30,yes\n"
                                 "y,n,y,n,full,$$$,n,y,french,>60,no\n"
                                 "n,y,n,y,some,$$,y,y,italian,0-10,yes\n"
                                 "n,y,n,n,none,$,y,n,burger,0-10,no\n"
                                 "n,n,n,y,some,$$,y,y,thai,0-10,yes\n"
                                 "n,y,y,n,full,$,y,n,burger,>60,no\n"
                                 "y,y,y,y,full,$$$,n,y,italian,10-30,no\n"
                                 "n,n,n,n,none,$,n,n,thai,0-10,no\n"
                                 "y,y,y,y,full,$,n,n,burger,30-60,yes\n";

static void restaurant_gains_come_from_the_table(void **state)
{
    static const struct {
        const char *name;
        double gain;
    } want[] = {{"pat", 0.5409},   {"type", 0},     {"est", 0.2075},  {"hun", 0.1957},
                {"price", 0.1957}, {"fri", 0.0207}, {"rain", 0.0207}, {"res", 0.0207},
                {"alt", 0},        {"bar", 0}};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = table_of(ctx, RESTAURANT);
    smr_relevances r = relate(ctx, t, "wait", NULL);
    (void)state;
    check_near("entropy", r.target_entropy, 1, 1e-15);
    for (int64_t k = 0; k < SMR_COUNT(want); k++)
        check_near(want[k].name, column(&r, t, want[k].name)->info.gain, want[k].gain, PRINTED);
    assert_string_equal(t->cols[r.columns[0].col].name, "pat"); /* the strongest comes first */
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void counts_are_a_weight_column(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "rain,cloud,n\nyes,yes,24\nyes,no,1\nno,yes,25\nno,no,50\n");
    smr_relevances r = relate(ctx, t, "cloud", "n");
    (void)state;
    assert_int_equal(r.n_cols, 1);
    const smr_relevance *rain = column(&r, t, "rain");
    check_near("rows", r.n, 100, 0);
    check_near("H(Y)", r.target_entropy, 0.9997, PRINTED);
    check_near("gain", rain->info.gain, 0.2504, PRINTED);
    check_near("H(X,Y)", rain->info.joint, 1.5606, PRINTED);
    check_near("H(Y|rain)", rain->level_entropy[1], 0.2423, PRINTED);
    check_near("H(Y|dry)", rain->level_entropy[0], 0.9183, PRINTED);
    check_near("chi2", rain->chi.statistic, chi_squares[0][0], 1e-13);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* 1 2 3 4 | 5 6 with classes a a b a | b b: the cut below 5 leaves one b among four. */
static void the_best_split_is_found(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n4,a\n1,a\n6,b\n2,a\n5,b\n3,b\n");
    smr_relevances r = relate(ctx, t, "y", NULL);
    (void)state;
    const smr_relevance *x = column(&r, t, "x");
    /* 2.5: 2 a | 1 a 3 b; 4.5: 3 a 1 b | 2 b: the same gain, 1 - 4/6 H(1/4); the first is taken */
    check_near("gain", x->split_gain, 1 - 4.0 / 6 * 0.81127812445913283, 1e-14);
    check_near("split", x->split, 2.5, 0);
    check_near("bits of six bins", x->info.gain, 1, 1e-14);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The pairs of tests/truth/stats.py, and two with a gap. */
static void numbers_against_numbers_are_scipys(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "x,y\n0.31,1.1\n-1.72,0.2\n2.44,2.9\n0.31,1.1\n5.5,3.3\n-0.2,2.2\n"
                                 "1.13,0.7\n,8\n0.31,1.9\n7.7,3.1\n4,\n");
    smr_relevances r = relate(ctx, t, "y", NULL);
    (void)state;
    const smr_relevance *x = column(&r, t, "x");
    assert_int_equal(x->n_missing, 1);
    check_near("pairs", x->n, 9, 0);
    check_near("pearson", x->pearson, pearson[0], 1e-14);
    check_near("p", x->pearson_p, pearson[1], 1e-12);
    check_near("spearman", x->spearman, spearman[0], 1e-14);
    check_near("p", x->spearman_p, spearman[1], 1e-12);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* y = x^2 on both sides of 0: no correlation, but all of the strength. */
static void bins_see_what_correlation_does_not(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    enum { N = 401 };
    double x[N], y[N], z[N];
    smr_table *t = new_table(ctx, N, 3);
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = (i - 200) / 100.0;
        y[i] = x[i] * x[i];
        z[i] = noise(i, 1);
    }
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "z", z);
    put_numbers(ctx, t, 2, "y", y);
    smr_relevances r = relate(ctx, t, "y", NULL);
    const smr_relevance *c = column(&r, t, "x");
    check_near("pearson", c->pearson, 0, 1e-14);
    assert_true(c->strength > 0.9);
    assert_true(column(&r, t, "z")->strength < 0.05); /* chance is taken off */
    assert_int_equal(r.columns[0].col, 0);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A name for each row explains all of the entropy, and says nothing. */
static void chance_is_taken_off(void **state)
{
    enum { N = 300 };
    static char names[N][8];
    const char *list[N], *label[N];
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 2);
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        list[i] = names[i];
        label[i] = noise(i, 7) > 0.1 ? "a" : "b";
    }
    put_strings(ctx, t, 0, "name", list);
    put_strings(ctx, t, 1, "y", label);
    smr_relevances r = relate(ctx, t, "y", NULL);
    const smr_relevance *c = column(&r, t, "name");
    check_near("all of it", c->info.gain, r.target_entropy, 1e-13);
    check_near("strength", c->strength, 0, 0);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void missing_is_a_level_of_categories(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "c,y\nu,a\nu,a\n,b\n,b\nv,a\n,b\n");
    smr_relevances r = relate(ctx, t, "y", NULL);
    (void)state;
    const smr_relevance *c = column(&r, t, "c");
    check_near("missing tells it", c->info.gain, 1, 1e-15);
    assert_int_equal(c->n_missing, 3);
    assert_int_equal(c->n_bins, 3);
    check_near("rows", c->level_weight[2], 3, 0);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wrong_targets_are_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b,y\n1,2,p\n2,3,q\n3,4,p\n");
    smr_relevances r;
    (void)state;
    check_fails(ctx, smr_relate(ctx, t, &(smr_relevance_opts){.target = "a,b"}, &r, NULL),
                SMR_ERR_PARAM, "one target, not to 2");
    check_fails(ctx, smr_relate(ctx, t, &(smr_relevance_opts){.target = "z"}, &r, NULL),
                SMR_ERR_PARAM, "no column");
    check_fails(ctx,
                smr_relate(ctx, t, &(smr_relevance_opts){.target = "y", .task = SMR_TASK_REGRESS},
                           &r, NULL),
                SMR_ERR_PARAM, "holds text");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- correlations ----------------------------------------------------------------------- */

/* Against smr_pairwise_correlation, with and without gaps, and weights as repeated rows. */
static void all_pairs_are_the_pairwise_ones(void **state)
{
    enum { N = 9001, C = 5 };
    static double x[C][N], w[N];
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const int64_t cols[] = {0, 1, 2, 3, 4};
    double r[C * C], pairs[C * C], again[C * C];
    smr_ctx *ctx = check_ctx(2), *single = check_ctx(1);
    smr_table *t = new_table(ctx, N, C);
    (void)state;
    for (int i = 0; i < N; i++) {
        w[i] = i % 4;
        for (int c = 0; c < C; c++) x[c][i] = 1e6 + noise(i, c) + 0.7 * noise(i, 0);
        if (i % 7 == 2) x[1][i] = NAN;
        if (i % 5 == 1) x[3][i] = NAN;
        x[4][i] = 3;
    }
    for (int c = 0; c < C; c++) put_numbers(ctx, t, c, names[c], x[c]);
    check_ok(ctx, smr_correlations(ctx, t, cols, C, NULL, r, pairs));
    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++)
            check_near("r", r[a * C + b],
                       a == b && a < 4 ? 1 : smr_pairwise_correlation(N, x[a], x[b]),
                       1e-9); /* values near 1e6 keep ten digits of their spread */
    check_near("pairs", pairs[1 * C + 3], 9001 - 1286 - 1800 + 257, 0);
    check_ok(single, smr_correlations(single, t, cols, C, NULL, again, NULL));
    assert_memory_equal(r, again, sizeof r);
    check_ok(ctx, smr_correlations(ctx, t, cols, C, w, r, NULL));
    static double a2[3 * N], b2[3 * N];
    int64_t n = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < (int)w[i]; k++, n++) {
            a2[n] = x[0][i];
            b2[n] = x[3][i];
        }
    check_near("weights", r[3], smr_pairwise_correlation(n, a2, b2), 1e-9);
    smr_table_free(t);
    check_ctx_end(ctx);
    check_ctx_end(single);
}

/* ---- as JSON ---------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, void *arg)
{
    const smr_table *t = arg;
    smr_json_doc *doc = NULL;
    smr_relevance_opts opts = {.target = "wait", .ignore = "alt"};
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    st = smr_describe_table(ctx, t, &opts, smr_json_root(doc), figures);
    smr_json_free(doc);
    return st;
}

static void failing_memory_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, RESTAURANT);
    smr_table *numbers = table_of(ctx, "a,b,wait\n1,2.5,3.25\n2,1.5,1\n4,0.25,9\n8,7,2.5\n");
    (void)state;
    assert_true(fail_each_allocation(ctx, describe, t) > 30);
    smr_free(numbers->cols[0].name); /* the column that is ignored must exist */
    numbers->cols[0].name = smr_strdup(ctx, "alt");
    assert_true(fail_each_allocation(ctx, describe, numbers) > 30);
    smr_table_free(t);
    smr_table_free(numbers);
    check_ctx_end(ctx);
}

static void description_is_the_same_bytes_at_any_thread_count(void **state)
{
    static const int threads[] = {1, 2, 7};
    char *first = NULL;
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        smr_table *t = NULL;
        smr_json_doc *doc = NULL;
        smr_text text = {.ctx = ctx};
        smr_relevance_opts opts = {.target = "y"};
        double x[3][500];
        t = new_table(ctx, 500, 3);
        for (int i = 0; i < 500; i++)
            for (int c = 0; c < 3; c++) x[c][i] = noise(i, c) + (c == 2 ? x[0][i] : 0);
        for (int c = 0; c < 3; c++)
            put_numbers(ctx, t, c, (const char *const[]){"a", "b", "y"}[c], x[c]);
        check_ok(ctx, smr_json_create(ctx, &doc));
        check_ok(ctx, smr_describe_table(ctx, t, &opts, smr_json_root(doc), NULL));
        smr_json_write(smr_json_root(doc), 0, &text);
        if (!first) first = strdup(text.bytes);
        assert_string_equal(text.bytes, first);
        smr_text_release(&text);
        smr_json_free(doc);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restaurant_gains_come_from_the_table),
        cmocka_unit_test(counts_are_a_weight_column),
        cmocka_unit_test(the_best_split_is_found),
        cmocka_unit_test(numbers_against_numbers_are_scipys),
        cmocka_unit_test(bins_see_what_correlation_does_not),
        cmocka_unit_test(chance_is_taken_off),
        cmocka_unit_test(missing_is_a_level_of_categories),
        cmocka_unit_test(wrong_targets_are_told),
        cmocka_unit_test(all_pairs_are_the_pairwise_ones),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(description_is_the_same_bytes_at_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
