/* test_gauss.c -- Gaussian classes and Fisher's directions: worked figures, invariances, what is
 * singular, the least possible error.
 *
 * Truth: covariances worked by hand, other covariances in the same model, a generator whose least
 * error is known. */
#include "pipeline.h"
#include "shirts.h"

#include "data/generate.h"
#include "kernel/kernel.h"
#include "learn/bayes/gauss.h"
#include "learn/views.h"

enum { N = 83, D = 3 };

static const struct smr_gauss_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* Three classes in three columns; columns i: mixed by `mix` (D x D), or as they are. */
static smr_table *clouds(smr_ctx *ctx, const double *mix)
{
    static const char *const names[D] = {"a", "b", "c"};
    double x[D][N];
    const char *y[N];
    smr_table *t = new_table(ctx, N, D + 1);
    for (int i = 0; i < N; i++) {
        double z[D];
        int k = i * i % 7 % 3;
        y[i] = k == 0 ? "p" : k == 1 ? "q" : "r";
        for (int j = 0; j < D; j++) z[j] = noise(i, j) * (1 + (k == j)) + 0.7 * (k == j);
        z[1] += 0.5 * z[0];
        for (int j = 0; j < D; j++) {
            x[j][i] = mix ? 5 : z[j];
            for (int l = 0; l < D && mix; l++) x[j][i] += mix[j * D + l] * z[l];
        }
    }
    for (int j = 0; j < D; j++) put_numbers(ctx, t, j, names[j], x[j]);
    put_strings(ctx, t, D, "y", y);
    return t;
}

static void compare(smr_ctx *ctx, const char *what, const smr_model *a, const smr_table *ta,
                    const smr_model *b, const smr_table *tb, double tolerance)
{
    double *p = apply(ctx, a, ta, SMR_OUTPUT_PROBA), *q = apply(ctx, b, tb, SMR_OUTPUT_PROBA);
    for (int i = 0; i < 3 * N; i++) check_near(what, p[i], q[i], tolerance);
    smr_free(p);
    smr_free(q);
}

/* ---- worked figures ---------------------------------------------------------------------- */

/* (0,0) (2,0) (0,2) (2,4): mean (1, 1.5), squares 4 and 11, product 2. */
static void covariances_are_as_worked_by_hand(void **unused)
{
    static const double x[8] = {0, 2, 0, 2, 10, 12, 11, 11}, y[8] = {0, 0, 2, 4, 5, 5, 7, 3};
    static const char *const class[8] = {"p", "p", "p", "p", "q", "q", "q", "q"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 8, 3);
    (void)unused;
    put_numbers(ctx, t, 0, "x", x);
    put_numbers(ctx, t, 1, "y", y);
    put_strings(ctx, t, 2, "class", class);
    smr_model *m = train_on(ctx, "gauss shrinkage=0", t, "class");
    static const double ml[4] = {1, 0.5, 0.5, 2.75}, second[4] = {0.5, 0, 0, 2};
    for (int e = 0; e < 4; e++) {
        check_near("full", state_of(m)->cov[e], ml[e], 1e-15);
        check_near("full", state_of(m)->cov[4 + e], second[e], 1e-15);
    }
    check_near("mean", state_of(m)->mean[1], 1.5, 1e-15);
    check_near("log |S|", state_of(m)->tables->log_det[0], log(2.5), 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "gauss shrinkage=0 unbiased=yes", t, "class");
    for (int e = 0; e < 4; e++) check_near("unbiased", state_of(m)->cov[e], ml[e] * 4 / 3, 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "gauss shared shrinkage=0 unbiased=yes", t, "class");
    for (int e = 0; e < 4; e++)
        check_near("shared", state_of(m)->cov[e], (4 * ml[e] + 4 * second[e]) / 6, 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "gauss diagonal shrinkage=0", t, "class");
    check_near("variance", state_of(m)->cov[1], 2.75, 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "gauss spherical shrinkage=0", t, "class");
    check_near("variance", state_of(m)->cov[0], (1 + 2.75) / 2, 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "gauss shrinkage=0.3", t, "class");
    for (int e = 0; e < 4; e++)
        check_near("mixed", state_of(m)->cov[e], 0.7 * ml[e] + 0.3 * (ml[e] + second[e]) / 2,
                   1e-15);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the course's pictures --------------------------------------------------------------- */

static smr_table *shirts(smr_ctx *ctx, const char *part, int64_t most, int64_t wanted)
{
    double *x = malloc(sizeof(double) * 2 * (size_t)most);
    int32_t *label = malloc(sizeof(int32_t) * (size_t)most);
    const char **name = malloc(sizeof *name * (size_t)most);
    assert_true(x && label && name);
    int64_t n = two_features(part, most, x, label);
    smr_table *t = n == wanted ? new_table(ctx, n, 3) : NULL;
    for (int j = 0; j < 2 && t; j++) {
        double *column = malloc(sizeof(double) * (size_t)n);
        for (int64_t i = 0; i < n; i++) column[i] = x[2 * i + j];
        put_numbers(ctx, t, j, j ? "deviation" : "mean", column);
        free(column);
    }
    for (int64_t i = 0; i < n; i++) name[i] = label[i] ? "trouser" : "shirt";
    if (t) put_strings(ctx, t, 2, "class", name);
    free(x), free(label), free(name);
    return t;
}

/* Right of the 1000 pictures of each class. */
static void count_right(smr_ctx *ctx, const char *sentence, const smr_table *t, const smr_table *u,
                        int64_t right[2])
{
    smr_model *m = train_on(ctx, sentence, t, "class");
    double *label = apply(ctx, m, u, SMR_OUTPUT_LABEL);
    right[0] = right[1] = 0;
    for (int64_t i = 0; i < u->n_rows; i++) {
        int k = ((const int32_t *)u->cols[2].values)[i];
        right[k] += label[i] == k;
    }
    if (strcmp(sentence, "gauss") == 0) {
        static const double mean[4] = {0.32561, 0.32004, 0.22291, 0.33394};
        static const double variance[4] = {0.012854, 0.007741, 0.003243, 0.003253};
        static const double correlation[2] = {0.900, 0.779};
        const struct smr_gauss_state *s = state_of(m);
        for (int e = 0; e < 4; e++) {
            check_near("mean", s->mean[e], mean[e], 5e-6);
            check_near("variance", s->cov[e / 2 * 4 + e % 2 * 3], variance[e], 5e-7);
        }
        for (int k = 0; k < 2; k++)
            check_near("correlation", s->cov[4 * k + 1] / sqrt(s->cov[4 * k] * s->cov[4 * k + 3]),
                       correlation[k], 5e-4);
    }
    smr_free(label);
    smr_model_free(m);
}

/* N1: the parameters of each class, and how many pictures are told right. */
static void shirts_and_trousers_give_the_course_figures(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = shirts(ctx, "train", 60000, 12000), *u = shirts(ctx, "t10k", 10000, 2000);
    int64_t right[2];
    (void)unused;
    if (t && u) {
        count_right(ctx, "bayes", t, u, right);
        assert_int_equal(right[0], 784);
        assert_int_equal(right[1], 879);
        count_right(ctx, "gauss", t, u, right);
        assert_int_equal(right[0] + right[1], 1842);
    }
    bool there = t && u;
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
    if (!there) skip();
}

/* ---- invariances ------------------------------------------------------------------------- */

static void other_coordinates_change_nothing(void **unused)
{
    static const double mix[D * D] = {2, 1, 0, -1, 30, 0.5, 0.25, 3, -4};
    static const char *const sentences[] = {"gauss shrinkage=0", "gauss shrinkage=0.3",
                                            "gauss shared shrinkage=0 unbiased=yes"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = clouds(ctx, NULL), *mixed = clouds(ctx, mix);
    (void)unused;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        smr_model *m = train_on(ctx, sentences[i], t, "y");
        smr_model *n = train_on(ctx, sentences[i], mixed, "y");
        compare(ctx, sentences[i], m, t, n, mixed, 1e-11);
        smr_model_free(m);
        smr_model_free(n);
    }
    smr_table_free(t);
    smr_table_free(mixed);
    check_ctx_end(ctx);
}

static void covariances_meet_where_they_should(void **unused)
{
    static const char *const pairs[][2] = {
        {"gauss shrinkage=1", "gauss shared shrinkage=0"},
        {"gauss diagonal shrinkage=1", "gauss shared shrinkage=1"},
        {"gauss diagonal shrinkage=0", "bayes model=gaussian var_smoothing=1e-15"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = clouds(ctx, NULL);
    (void)unused;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        smr_model *m = train_on(ctx, pairs[i][0], t, "y"), *n = train_on(ctx, pairs[i][1], t, "y");
        compare(ctx, pairs[i][0], m, t, n, t, 1e-12);
        smr_model_free(m);
        smr_model_free(n);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The linear view of a shared covariance gives the decisions; others have none. */
static void a_shared_covariance_is_a_linear_model(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = clouds(ctx, NULL);
    smr_model *m = train_on(ctx, "gauss shared", t, "y"), *full = train_on(ctx, "gauss", t, "y");
    smr_linear_view v = smr_stage_linear(smr_model_last(m));
    double *said = apply(ctx, m, t, SMR_OUTPUT_DECISION);
    (void)unused;
    assert_null(smr_stage_linear(smr_model_last(full)).w);
    assert_int_equal(v.n_scores, 3);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            double f = v.b[k];
            for (int j = 0; j < D; j++)
                f += v.w[k * D + j] * ((const double *)t->cols[j].values)[i];
            check_near("score", said[i * 3 + k], f, 1e-12);
        }
    smr_free(said);
    smr_model_free(m);
    smr_model_free(full);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the least possible error ------------------------------------------------------------ */

/* Two clouds at distance 2: no rule errs less than Phi(-1) = 0.1587. */
static void errors_come_to_the_least_possible(void **unused)
{
    enum { ROWS = 40000 };
    static const smr_setting settings[] = {{"n", "40000"}, {"d", "5"}, {"distance", "2"}};
    static const char *const sentences[] = {"gauss", "gauss shared", "bayes"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL, *other = NULL;
    (void)unused;
    check_ok(ctx, smr_generate(ctx, "twoclass", settings, 3, 1, &t));
    check_ok(ctx, smr_generate(ctx, "twoclass", settings, 3, 2, &other));
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        smr_model *m = train_on(ctx, sentences[i], t, "y");
        double *label = apply(ctx, m, other, SMR_OUTPUT_LABEL), wrong = 0;
        const int32_t *y = other->cols[5].values;
        for (int r = 0; r < ROWS; r++) wrong += label[r] != y[r];
        /* 4 deviations of a share of 40000 rows are 0.0073. */
        check_near(sentences[i], wrong / ROWS, 0.15865525393145707, 0.0073);
        smr_free(label);
        smr_model_free(m);
    }
    smr_table_free(t);
    smr_table_free(other);
    check_ctx_end(ctx);
}

/* ---- what is singular -------------------------------------------------------------------- */

static void singular_covariances_are_refused_by_their_columns(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 5);
    double a[N], b[N], c[N], still[N];
    const char *y[N];
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    (void)unused;
    for (int i = 0; i < N; i++) {
        y[i] = i == 7 ? "one" : i % 2 ? "p" : "q";
        a[i] = noise(i, 0);
        b[i] = noise(i, 1);
        c[i] = 3 * a[i] - 0.5 * b[i] + 2;
        still[i] = y[i][0] == 'q' ? 4 : noise(i, 2);
    }
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_numbers(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "still", still);
    put_strings(ctx, t, 4, "y", y);
    check_fails(ctx, try_train(ctx, "gauss shrinkage=0", t, &opts, &m), SMR_ERR_DATA,
                "class 'one' has 1 row, and a full covariance of 4 columns needs at least 5; use "
                "shrinkage=auto, covariance=shared or bayes");
    check_fails(ctx, try_train(ctx, "gauss shared shrinkage=0", t, &opts, &m), SMR_ERR_DATA,
                "the shared covariance is singular: 'c' depends on 'a', 'b'; use shrinkage=auto");
    check_fails(ctx, try_train(ctx, "gauss diagonal shrinkage=0", t, &opts, &m), SMR_ERR_DATA,
                "all rows of class 'one' are the same");
    check_fails(ctx, try_train(ctx, "gauss spherical shrinkage=0", t, &opts, &m), SMR_ERR_DATA,
                "all rows of class 'one' are the same");
    check_fails(ctx, try_train(ctx, "gauss shrinkage=0 unbiased=yes", t, &opts, &m), SMR_ERR_DATA,
                "unbiased=yes divides by the weight less one, and class 'one' weighs no more");
    check_fails(ctx, try_train(ctx, "gauss shrinkage=0.2", t, &opts, &m), SMR_ERR_DATA,
                "'c' depends on 'a', 'b'; use shrinkage=auto");
    smr_table *two = new_table(ctx, N, 3);
    for (int i = 0; i < N; i++)
        if (i == 7) y[i] = "p";
    put_numbers(ctx, two, 0, "a", a);
    put_numbers(ctx, two, 1, "still", still);
    put_strings(ctx, two, 2, "y", y);
    check_fails(ctx, try_train(ctx, "gauss shrinkage=0", two, &opts, &m), SMR_ERR_DATA,
                "the covariance of class 'q' is singular: 'still' has the same value in all of its "
                "rows");
    check_fails(ctx, try_train(ctx, "gauss diagonal shrinkage=0", two, &opts, &m), SMR_ERR_DATA,
                "'still' has the same value in all rows of class 'q'");
    smr_table_free(two);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- shrinkage=auto ---------------------------------------------------------------------- */

/* Few rows, one row, dependent and constant columns: what is there to be found is found. */
static void what_is_singular_is_answered_by_default(void **unused)
{
    static const char *const sentences[] = {"gauss",           "gauss unbiased=yes",
                                            "gauss shared",    "gauss diagonal",
                                            "gauss spherical", "gauss prior=uniform"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 6);
    double a[N], b[N], c[N], still[N], never[N];
    const char *y[N];
    smr_set_opts opts = {.target = "y", .keep_all = true};
    (void)unused;
    for (int i = 0; i < N; i++) {
        y[i] = i == 7 ? "one" : i % 2 ? "p" : "q";
        a[i] = noise(i, 0) + (i % 2 ? 4 : 0) + (i == 7 ? 30 : 0);
        b[i] = noise(i, 1);
        c[i] = 3 * a[i] - 0.5 * b[i] + 2;
        still[i] = y[i][0] == 'q' ? 4 : noise(i, 2);
        never[i] = 8.25;
    }
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_numbers(ctx, t, 2, "c", c);
    put_numbers(ctx, t, 3, "still", still);
    put_numbers(ctx, t, 4, "never", never);
    put_strings(ctx, t, 5, "y", y);
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        smr_model *m = NULL;
        check_ok(ctx, try_train(ctx, sentences[i], t, &opts, &m));
        double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA), *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
        int64_t wrong = 0;
        const int32_t *class = t->cols[5].values;
        for (int r = 0; r < N; r++) {
            wrong += label[r] != class[r];
            check_near("sum", p[3 * r] + p[3 * r + 1] + p[3 * r + 2], 1, 1e-12);
        }
        assert_in_range(wrong, 0, 8);
        smr_free(p);
        smr_free(label);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* One row for each class, or columns that never change: no variance anywhere. */
static void without_any_variance_there_are_answers(void **unused)
{
    static const char *const sentences[] = {"gauss", "gauss shared", "gauss diagonal",
                                            "gauss spherical"};
    static const double rows[3][3] = {{1, 5, 9}, {2, 2, 2}, {7, 7, 7}};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int which = 0; which < 2; which++) {
        static const char *const y[3] = {"p", "q", "r"}, *const two[3] = {"p", "q", "q"};
        smr_table *t = new_table(ctx, 3, 3);
        put_numbers(ctx, t, 0, "a", rows[which]);
        put_numbers(ctx, t, 1, "b", rows[2]);
        put_strings(ctx, t, 2, "y", which ? two : y);
        smr_set_opts opts = {.target = "y", .keep_all = true};
        for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
            smr_model *m = NULL;
            check_ok(ctx, try_train(ctx, sentences[i], t, &opts, &m));
            double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
            for (int r = 0; r < 3; r++) {
                if (which == 0) assert_true(p[3 * r + r] > 0.9);
                if (which == 1) check_near("prior", p[2 * r], 1.0 / 3, 1e-12);
            }
            smr_free(p);
            smr_model_free(m);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Columns in other units give the same amounts and answers. */
static void auto_depends_on_no_unit(void **unused)
{
    static const char *const sentences[] = {"gauss", "gauss shared", "gauss diagonal"};
    static const double units[D * D] = {1024, 0, 0, 0, 1.0 / 64, 0, 0, 0, 1};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = clouds(ctx, NULL), *other = clouds(ctx, units);
    (void)unused;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        smr_model *m = train_on(ctx, sentences[i], t, "y");
        smr_model *n = train_on(ctx, sentences[i], other, "y");
        compare(ctx, sentences[i], m, t, n, other, 1e-11);
        for (int64_t k = 0; k < state_of(m)->n_groups; k++)
            check_near("amount", state_of(m)->shrunk[k], state_of(n)->shrunk[k], 1e-12);
        if (i == 1) assert_in_range(1e4 * state_of(m)->shrunk[0], 1, 9999);
        smr_model_free(m);
        smr_model_free(n);
    }
    smr_table_free(t);
    smr_table_free(other);
    check_ctx_end(ctx);
}

/* Many rows of classes whose covariances differ much, or not at all. */
static void auto_finds_whether_covariances_differ(void **unused)
{
    enum { ROWS = 3000 };
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int differ = 0; differ < 2; differ++) {
        smr_table *t = new_table(ctx, ROWS, 3);
        static double x[2][ROWS];
        static const char *y[ROWS];
        for (int i = 0; i < ROWS; i++) {
            bool p = i % 2;
            y[i] = p ? "p" : "q";
            x[0][i] = noise(i, 0);
            x[1][i] = noise(i, 1) + (p && differ ? 2 : 0) * x[0][i] + (p ? 1.5 : 0);
        }
        put_numbers(ctx, t, 0, "a", x[0]);
        put_numbers(ctx, t, 1, "b", x[1]);
        put_strings(ctx, t, 2, "y", y);
        smr_model *m = train_on(ctx, "gauss", t, "y");
        double s = state_of(m)->shrunk[0];
        if (differ ? s > 0.1 : s < 0.3) fail_msg("differ %d: shrinkage %g", differ, s);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* ---- fisher ------------------------------------------------------------------------------ */

/* Within classes the features have variance 1 and no correlation; going back and forth stays. */
static void directions_are_white_within_classes(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = clouds(ctx, NULL);
    smr_model *m = train_on(ctx, "fisher shrinkage=0", t, "y");
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM), mean[3][2] = {{0}}, n[3] = {0};
    double S[2][2] = {{0}};
    const int32_t *y = t->cols[D].values;
    (void)unused;
    assert_int_equal(smr_model_width(m, SMR_OUTPUT_TRANSFORM), 2);
    for (int i = 0; i < N; i++) {
        n[y[i]]++;
        for (int c = 0; c < 2; c++) mean[y[i]][c] += z[2 * i + c];
    }
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 2; c++)
            for (int e = 0; e < 2; e++)
                S[c][e] += (z[2 * i + c] - mean[y[i]][c] / n[y[i]]) *
                           (z[2 * i + e] - mean[y[i]][e] / n[y[i]]) / (N - 3);
    check_near("variance", S[0][0], 1, 1e-12);
    check_near("variance", S[1][1], 1, 1e-12);
    check_near("covariance", S[0][1], 0, 1e-12);
    smr_free(z);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* y depends on one combination of the columns, by a curve: the first direction is that one. */
static void slices_of_a_number_find_its_direction(void **unused)
{
    enum { ROWS = 4000 };
    static const double w[D] = {1, -2, 0.5};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, ROWS, D + 1);
    double *x = smr_alloc(ctx, ROWS, sizeof *x), *y = smr_alloc(ctx, ROWS, sizeof *y);
    double xx = 0, xz = 0, zz = 0;
    static const char *const names[D] = {"a", "b", "c"};
    (void)unused;
    for (int j = 0; j < D; j++) {
        for (int i = 0; i < ROWS; i++) {
            x[i] = noise(i, j);
            y[i] += w[j] * x[i];
        }
        put_numbers(ctx, t, j, names[j], x);
    }
    for (int i = 0; i < ROWS; i++) x[i] = exp(y[i]) + 0.1 * noise(i, 9);
    put_numbers(ctx, t, D, "y", x);
    smr_model *m = train_on(ctx, "fisher 1", t, "y");
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM), mx = 0, mz = 0;
    for (int i = 0; i < ROWS; i++) mx += y[i] / ROWS, mz += z[i] / ROWS;
    for (int i = 0; i < ROWS; i++) {
        xx += (y[i] - mx) * (y[i] - mx);
        xz += (y[i] - mx) * (z[i] - mz);
        zz += (z[i] - mz) * (z[i] - mz);
    }
    assert_true(fabs(xz) / sqrt(xx * zz) > 0.999);
    smr_free(z);
    smr_free(x);
    smr_free(y);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void directions_that_are_not_there_are_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = clouds(ctx, NULL);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    (void)unused;
    check_fails(ctx, try_train(ctx, "fisher 3", t, &opts, &m), SMR_ERR_PARAM,
                "k=3, and 3 classes of 3 columns have 2 directions");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covariances_are_as_worked_by_hand),
        cmocka_unit_test(shirts_and_trousers_give_the_course_figures),
        cmocka_unit_test(other_coordinates_change_nothing),
        cmocka_unit_test(covariances_meet_where_they_should),
        cmocka_unit_test(a_shared_covariance_is_a_linear_model),
        cmocka_unit_test(errors_come_to_the_least_possible),
        cmocka_unit_test(singular_covariances_are_refused_by_their_columns),
        cmocka_unit_test(what_is_singular_is_answered_by_default),
        cmocka_unit_test(without_any_variance_there_are_answers),
        cmocka_unit_test(auto_depends_on_no_unit),
        cmocka_unit_test(auto_finds_whether_covariances_differ),
        cmocka_unit_test(directions_are_white_within_classes),
        cmocka_unit_test(slices_of_a_number_find_its_direction),
        cmocka_unit_test(directions_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
