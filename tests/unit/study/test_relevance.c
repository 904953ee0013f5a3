/* Columns against a target: the course's tables from CSV to gain, SciPy's correlations, rules about
 * missing values and weights, all pairs of columns. */
#include "pipeline.h"

#include "study/describe.h"
#include "study/relevance.h"
#include "study/relevance_parts.h"
#include "truth/relevance.h"
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

/* ---- many rows -------------------------------------------------------------------------- */

enum { ROWS = 5003, KINDS = 6 };

/* The columns of tests/truth/relevance.py, then a target of numbers and one of classes, and a
 * column that is constant: decimals with ties, numbers of many bits, gaps, infinities, whole
 * numbers with -0, and numbers close to each other of which one is far away. */
static smr_table *many_rows(smr_ctx *ctx)
{
    static const char *const names[] = {"hundredths", "roots", "gappy", "endless", "few", "far"};
    static const char *const classes[] = {"a", "b", "c"};
    static double x[KINDS + 2][ROWS];
    static const char *label[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        double ten = (double)(i * 7919 % 1009) / 100 - 3;
        double root = sqrt((double)(i * 6007 % 10007)) - 50;
        x[0][i] = ten;
        x[1][i] = root;
        x[2][i] = i % 7 == 3 ? NAN : sqrt((double)(i * 31 % 977));
        x[3][i] = i % 501 == 5 ? INFINITY : i % 499 == 7 ? -INFINITY : root;
        x[4][i] = ((double)(i * 17 % 5) - 2) * (i % 2 == 0 ? 1 : -1);
        x[5][i] = i == 77 ? -1e30 : 1e9 + (double)(i * 104729 % 100003) / 1000;
        x[6][i] = sqrt((double)(i * 104729 % 10009)) + 5 * ten + rint(root);
        x[7][i] = 0.1;
        label[i] = classes[(ten > 2) + (i % 3 == 0 && root > 10)];
    }
    smr_table *t = new_table(ctx, ROWS, KINDS + 3);
    for (int64_t j = 0; j < KINDS; j++) put_numbers(ctx, t, j, names[j], x[j]);
    put_numbers(ctx, t, KINDS, "y", x[6]);
    put_numbers(ctx, t, KINDS + 1, "constant", x[7]);
    put_strings(ctx, t, KINDS + 2, "label", label);
    return t;
}

static const smr_relevance *at_column(const smr_relevances *r, int64_t col)
{
    for (int64_t k = 0; k < r->n_cols; k++)
        if (r->columns[k].col == col) return &r->columns[k];
    fail_msg("no column %lld", (long long)col);
    return NULL;
}

static void many_numbers_against_a_number_are_scipys(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = many_rows(ctx);
    smr_relevances r = relate(ctx, t, "y", NULL);
    (void)state;
    for (int64_t j = 0; j < KINDS; j++) {
        const smr_relevance *c = at_column(&r, j);
        const double *want = relevance_numbers[j];
        check_near("pairs", c->n, want[0], 0);
        check_near("pearson", c->pearson, want[1], 1e-12); /* SciPy's sums are plain ones */
        check_near("spearman", c->spearman, want[2], 1e-13);
        check_near("bits", c->info.gain, want[3], 1e-12);
        check_near("correlation ratio", c->anova.eta2, want[4], 1e-12);
    }
    const smr_relevance *constant = at_column(&r, KINDS + 1);
    assert_true(isnan(constant->pearson) && isnan(constant->spearman));
    assert_true(isnan(constant->strength) && constant->n == ROWS && constant->n_bins == 1);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void many_numbers_against_classes_are_scipys(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = many_rows(ctx);
    smr_relevances r = relate(ctx, t, "label", NULL);
    (void)state;
    for (int64_t j = 0; j < KINDS; j++) {
        const smr_relevance *c = at_column(&r, j);
        check_near("bits", c->info.gain, relevance_classes[j][0], 1e-12);
        check_near("best split", c->split_gain, relevance_classes[j][1], 1e-12);
        check_near("F", c->anova.f, relevance_classes[j][2], 1e-11);
    }
    assert_true(isnan(at_column(&r, KINDS + 1)->split));
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void check_summary(const smr_column_summary *s, const double *want)
{
    assert_int_equal(s->n, (int64_t)want[0]);
    assert_int_equal(s->n_distinct, (int64_t)want[1]);
    assert_int_equal(s->n_zero, (int64_t)want[2]);
    double got[] = {s->mean, s->sd, s->skewness, s->min, s->q1, s->median, s->q3, s->max};
    for (int k = 0; k < 8; k++)
        if (!isnan(want[3 + k])) check_near("value", got[k], want[3 + k], 1e-12);
}

/* The summary is NumPy's, and the same bytes whether a target's order gave it or not. */
static void a_target_leaves_the_summary_as_it_is(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = many_rows(ctx);
    smr_column_summary known[KINDS + 3] = {{0}};
    smr_summary *s = NULL, *plain = NULL;
    smr_relevances r;
    (void)state;
    check_ok(ctx, smr_relate(ctx, t, &(smr_relevance_opts){.target = "label"}, &r, known));
    check_ok(ctx, smr_table_summarize(ctx, t, known, &s));
    check_ok(ctx, smr_table_summarize(ctx, t, NULL, &plain));
    for (int64_t j = 0; j < KINDS; j++) {
        assert_int_equal(known[j].n, j == 3 ? 0 : s->columns[j].n); /* infinities: sorted again */
        check_summary(&s->columns[j], relevance_values[j]);
    }
    for (int64_t j = 0; j < KINDS + 2; j++)
        assert_memory_equal(&s->columns[j], &plain->columns[j], sizeof *plain->columns);
    smr_summary_free(s);
    smr_summary_free(plain);
    smr_relevances_release(&r);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Weight 2 is the row twice: the way of weights agrees with the one without. */
static void weights_are_repeated_rows(void **state)
{
    enum { N = 700, ALL = 3 * N };
    static double x[2][N], w[N], many[2][ALL];
    static const char *label[N], *labels[ALL];
    smr_ctx *ctx = check_ctx(2);
    int64_t all = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        x[0][i] = i % 11 == 4 ? NAN : rint(8 * noise(i, 0));
        x[1][i] = noise(i, 1) + (isnan(x[0][i]) ? 0 : x[0][i]);
        label[i] = noise(i, 2) + x[1][i] > 0.3 ? "p" : "q";
        w[i] = i % 4;
        for (int k = 0; k < i % 4; k++, all++) {
            many[0][all] = x[0][i];
            many[1][all] = x[1][i];
            labels[all] = label[i];
        }
    }
    smr_table *t = new_table(ctx, N, 4), *twice = new_table(ctx, all, 3);
    for (int j = 0; j < 2; j++) {
        put_numbers(ctx, t, j, j ? "y" : "x", x[j]);
        put_numbers(ctx, twice, j, j ? "y" : "x", many[j]);
    }
    put_strings(ctx, t, 2, "label", label);
    put_strings(ctx, twice, 2, "label", labels);
    put_numbers(ctx, t, 3, "w", w);
    for (int k = 0; k < 2; k++) {
        smr_relevances a = relate(ctx, t, k ? "y" : "label", "w");
        smr_relevances b = relate(ctx, twice, k ? "y" : "label", NULL);
        const smr_relevance *p = column(&a, t, "x"), *q = column(&b, twice, "x");
        check_near("rows", p->n, q->n, 0);
        check_near("bits", p->info.gain, q->info.gain, 1e-13);
        check_near("strength", p->strength, q->strength, 1e-13);
        if (k) check_near("pearson", p->pearson, q->pearson, 1e-13);
        if (k) check_near("spearman", p->spearman, q->spearman, 1e-13);
        if (!k) check_near("split", p->split, q->split, 0);
        if (!k) check_near("gain", p->split_gain, q->split_gain, 1e-13);
        check_near("F", p->anova.f, q->anova.f, 1e-12);
        smr_relevances_release(&a);
        smr_relevances_release(&b);
    }
    smr_table_free(t);
    smr_table_free(twice);
    check_ctx_end(ctx);
}

/* One row, of which nothing can be told, and a column without any value. */
static void one_row_and_no_value_have_answers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *one = table_of(ctx, "x,y\n2.5,4.25\n");
    double none[] = {NAN, NAN, INFINITY}, y[] = {1, 2, 4};
    smr_table *t = new_table(ctx, 3, 2);
    (void)state;
    smr_relevances r = relate(ctx, one, "y", NULL);
    assert_true(isnan(r.columns[0].pearson) && isnan(r.columns[0].strength) && r.columns[0].n == 1);
    smr_relevances_release(&r);
    put_numbers(ctx, t, 0, "x", none);
    put_numbers(ctx, t, 1, "y", y);
    r = relate(ctx, t, "y", NULL);
    assert_true(isnan(r.columns[0].spearman) && r.columns[0].n == 0 && r.columns[0].n_missing == 3);
    smr_relevances_release(&r);
    smr_table_free(one);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Beyond 2^20 rows the sums of products need more than 64 bits; runs of three are ties. */
static void ranks_of_very_many_rows_are_exact(void **state)
{
    enum { MANY = (1 << 20) + 7 };
    uint32_t *order = malloc(MANY * sizeof *order);
    int32_t *centred = malloc(MANY * sizeof *centred);
    long double squares = 0, others = 0, products = 0;
    (void)state;
    for (int64_t r = 0; r < MANY; r++) {
        order[r] = (uint32_t)(MANY - 1 - r) | (r % 3 ? 0 : SMR_NEW_VALUE);
        centred[r] = (int32_t)(2 * (r * 7919 % MANY) + 1 - MANY);
    }
    for (int64_t r = 0; r < MANY; r++) {
        int64_t start = r / 3 * 3, end = start + 3 < MANY ? start + 3 : MANY;
        long double a = (long double)(start + end - MANY), b = centred[MANY - 1 - r];
        squares += a * a;
        others += b * b;
        products += a * b;
    }
    struct aims aims = {.centred = centred, .centred_squares = (double)others};
    double want = (double)(products / sqrtl(squares * others));
    check_near("spearman", smr_rank_correlation(MANY, order, &aims), want, 1e-15);
    assert_true(fabs(want) > 1e-9);
    free(order);
    free(centred);
}

static void too_many_rows_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table t = {.n_rows = INT64_C(3) << 30};
    smr_relevances r;
    (void)state;
    check_fails(ctx, smr_relate(ctx, &t, &(smr_relevance_opts){.target = "y"}, &r, NULL),
                SMR_ERR_UNSUPPORTED, "3221225472 rows are more than 2147483647");
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
    check_ok(ctx, smr_correlations(ctx, t, cols, C, NULL, NULL, r, pairs));
    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++)
            check_near("r", r[a * C + b],
                       a == b && a < 4 ? 1 : smr_pairwise_correlation(N, x[a], x[b]),
                       1e-9); /* values near 1e6 keep ten digits of their spread */
    check_near("pairs", pairs[1 * C + 3], 9001 - 1286 - 1800 + 257, 0);
    check_ok(single, smr_correlations(single, t, cols, C, NULL, NULL, again, NULL));
    assert_memory_equal(r, again, sizeof r);
    check_ok(ctx, smr_correlations(ctx, t, cols, C, w, NULL, r, NULL));
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

static char *written(smr_ctx *ctx, const smr_table *t, const char *target)
{
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    smr_relevance_opts opts = {.target = target};
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_describe_table(ctx, t, &opts, smr_json_root(doc), figures));
    smr_json_write(smr_json_root(doc), 0, &text);
    char *copy = strdup(text.bytes);
    smr_text_release(&text);
    smr_json_free(doc);
    return copy;
}

static void description_is_the_same_bytes_at_any_thread_count(void **state)
{
    static const int threads[] = {1, 2, 7};
    static const char *const targets[] = {"y", "label"};
    char *first[2] = {NULL};
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        smr_table *t = many_rows(ctx);
        for (int target = 0; target < 2; target++) {
            char *text = written(ctx, t, targets[target]);
            if (!first[target]) first[target] = strdup(text);
            assert_string_equal(text, first[target]);
            free(text);
        }
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    free(first[0]);
    free(first[1]);
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
        cmocka_unit_test(many_numbers_against_a_number_are_scipys),
        cmocka_unit_test(many_numbers_against_classes_are_scipys),
        cmocka_unit_test(a_target_leaves_the_summary_as_it_is),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(one_row_and_no_value_have_answers),
        cmocka_unit_test(ranks_of_very_many_rows_are_exact),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(all_pairs_are_the_pairwise_ones),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(description_is_the_same_bytes_at_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
