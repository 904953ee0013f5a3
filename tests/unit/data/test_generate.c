/* Generators: shapes, known properties to five deviations, the same bits for the same seed at any
 * thread count, and clear refusals. */
#include "check.h"

#include "data/generate.h"
#include "math/special.h"
#include "math/stats.h"

static smr_table *make(smr_ctx *ctx, const char *name, const char *settings, uint64_t seed)
{
    static char text[512];
    smr_setting list[16];
    smr_table *t = NULL;
    int64_t n = 0;
    snprintf(text, sizeof text, "%s", settings);
    for (char *at = text; *at;) { /* "key=value key=value" */
        char *key = at, *value = strchr(at, '=') + 1, *end = strchr(value, ' ');
        value[-1] = '\0';
        at = end ? end + 1 : value + strlen(value);
        if (end) *end = '\0';
        list[n++] = (smr_setting){key, value};
    }
    check_ok(ctx, smr_generate(ctx, name, list, n, seed, &t));
    return t;
}

static void column(const smr_table *t, int64_t j, double *out)
{
    for (int64_t i = 0; i < t->n_rows; i++)
        out[i] = t->cols[j].kind == SMR_CATEGORY ? smr_column_code(&t->cols[j], i)
                                                 : smr_column_number(&t->cols[j], i);
}

static double at(const smr_table *t, int64_t i, int64_t j)
{
    return smr_column_number(&t->cols[j], i);
}

static int64_t class_of(const smr_table *t, int64_t i)
{
    return smr_column_code(&t->cols[t->n_cols - 1], i);
}

/* The numbers after "key:" in the notes. */
static int64_t noted(const smr_table *t, const char *key, double *out)
{
    const char *line = t->notes ? strstr(t->notes, key) : NULL;
    int64_t n = 0;
    if (!line) fail_msg("no '%s' in the notes: %s", key, t->notes);
    line += strlen(key);
    for (char *end; *line != '\n'; line = end) out[n++] = strtod(line, &end);
    return n;
}

/* ---- every generator ------------------------------------------------------------------ */

static void every_generator_makes_a_whole_table_with_its_defaults(void **state)
{
    (void)state;
    int64_t n;
    const smr_generator *const *g = smr_generators(&n);
    smr_ctx *ctx = check_ctx(2);
    assert_int_equal(n, 17);
    for (int64_t k = 0; k < n; k++) {
        smr_table *t = make(ctx, g[k]->name, "", 1);
        const smr_column *y = &t->cols[t->n_cols - 1];
        assert_true(k == 0 || strcmp(g[k - 1]->name, g[k]->name) < 0);
        assert_true(smr_generator_find(g[k]->name) == g[k]);
        assert_true(g[k]->title && g[k]->doc && t->n_rows > 0 && t->n_cols >= 2);
        assert_string_equal(t->cols[0].name, "x0");
        assert_string_equal(y->name, "y");
        assert_true((y->kind == SMR_CATEGORY) == (g[k]->task == SMR_TASK_CLASSIFY));
        check_ok(ctx, smr_table_check_names(ctx, t));
        for (int64_t i = 0; i < t->n_rows; i++) {
            for (int64_t j = 0; j + 1 < t->n_cols; j++) assert_true(isfinite(at(t, i, j)));
            if (y->kind == SMR_CATEGORY)
                assert_in_range(class_of(t, i), 0, y->levels.n - 1);
            else
                assert_true(isfinite(at(t, i, t->n_cols - 1)));
        }
        for (int64_t p = 0; p < g[k]->n_params; p++) {
            assert_true(g[k]->params[p].doc && g[k]->params[p].min < g[k]->params[p].max);
            if (g[k]->params[p].type != SMR_MAKE_LIST)
                assert_true(g[k]->params[p].def >= g[k]->params[p].min &&
                            g[k]->params[p].def <= g[k]->params[p].max);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static bool same_table(const smr_table *a, const smr_table *b)
{
    if (a->n_rows != b->n_rows || a->n_cols != b->n_cols || strcmp(a->notes, b->notes))
        return false;
    for (int64_t j = 0; j < a->n_cols; j++)
        for (int64_t i = 0; i < a->n_rows; i++) {
            if (a->cols[j].kind == SMR_CATEGORY) {
                if (smr_column_code(&a->cols[j], i) != smr_column_code(&b->cols[j], i))
                    return false;
                continue;
            }
            double x = at(a, i, j), y = at(b, i, j);
            if (memcmp(&x, &y, sizeof x)) return false;
        }
    return true;
}

static void the_seed_alone_decides_at_any_thread_count(void **state)
{
    (void)state;
    int64_t n;
    const smr_generator *const *g = smr_generators(&n);
    for (int64_t k = 0; k < n; k++) {
        static const int threads[] = {1, 2, 7, 1};
        smr_table *t[4];
        for (int v = 0; v < 4; v++) {
            smr_ctx *ctx = check_ctx(threads[v]);
            /* parity with all rows is the same for every seed; more rows than one block
             * elsewhere */
            t[v] = make(ctx, g[k]->name, "n=5003", v == 3 ? 9 : 8);
            smr_ctx_destroy(ctx);
        }
        assert_true(same_table(t[0], t[1]) && same_table(t[0], t[2]));
        assert_false(same_table(t[0], t[3]));
        for (int v = 0; v < 4; v++) smr_table_free(t[v]);
    }
}

/* ---- classes -------------------------------------------------------------------------- */

enum { N = 10007 };

static double x[N], y[N], u[N], v[N];

static void blobs_lie_about_their_centres(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make(ctx, "blobs", "n=10007 d=3 classes=2 sd=0.5 centres=1,2,3,-4,-5,6", 4);
    static const double centre[2][3] = {{1, 2, 3}, {-4, -5, 6}};
    assert_int_equal(t->n_rows, N);
    assert_int_equal(t->n_cols, 4);
    column(t, 3, y);
    for (int k = 0; k < 2; k++) {
        double noted_centre[3], w[N], count = 0;
        char key[32];
        for (int64_t i = 0; i < N; i++) count += w[i] = y[i] == k;
        assert_true(count == (k ? 5003 : 5004)); /* exactly even */
        snprintf(key, sizeof key, "centre %d:", k);
        assert_int_equal(noted(t, key, noted_centre), 3);
        for (int64_t j = 0; j < 3; j++) {
            column(t, j, x);
            assert_true(noted_centre[j] == centre[k][j]);
            assert_true(fabs(smr_mean(N, x, w) - centre[k][j]) < 5 * 0.5 / sqrt(count));
            assert_true(fabs(smr_variance(N, x, w, 1) - 0.25) < 5 * 0.25 * sqrt(2 / count));
        }
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void curves_are_where_their_formulas_say(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make(ctx, "circles", "n=101 noise=0 factor=0.3", 2);
    for (int64_t i = 0; i < 101; i++)
        check_near("radius", hypot(at(t, i, 0), at(t, i, 1)), class_of(t, i) ? 0.3 : 1, 1e-15);
    smr_table_free(t);
    t = make(ctx, "moons", "n=101 noise=0", 2);
    for (int64_t i = 0; i < 101; i++) {
        bool one = class_of(t, i);
        double a = one ? 1 - at(t, i, 0) : at(t, i, 0), b = one ? 0.5 - at(t, i, 1) : at(t, i, 1);
        check_near("radius", hypot(a, b), 1, 1e-15);
        assert_true(b >= -1e-15);
    }
    smr_table_free(t);
    t = make(ctx, "spirals", "n=103 noise=0 classes=3 turns=1.25", 2);
    int64_t count[3] = {0};
    for (int64_t i = 0; i < 103; i++) {
        double r = hypot(at(t, i, 0), at(t, i, 1)), turn = 1.25 * r + (double)class_of(t, i) / 3;
        check_near("angle", at(t, i, 0), r * cos(2 * acos(-1) * turn), 1e-13);
        check_near("angle", at(t, i, 1), r * sin(2 * acos(-1) * turn), 1e-13);
        assert_true(r > 0 && r < 1);
        count[class_of(t, i)]++;
    }
    assert_true(count[0] == 35 && count[1] == 34 && count[2] == 34);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void noise_has_the_deviation_asked_for(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *clean = make(ctx, "moons", "n=10007 noise=0", 5);
    smr_table *noisy = make(ctx, "moons", "n=10007 noise=0.25", 5);
    for (int64_t j = 0; j < 2; j++) {
        for (int64_t i = 0; i < N; i++) x[i] = at(noisy, i, j) - at(clean, i, j);
        assert_true(fabs(smr_mean(N, x, NULL)) < 5 * 0.25 / sqrt(N));
        assert_true(fabs(smr_variance(N, x, NULL, 1) / 0.0625 - 1) < 5 * sqrt(2.0 / N));
    }
    smr_table_free(clean);
    smr_table_free(noisy);
    check_ctx_end(ctx);
}

static void xor_checkerboard_and_parity_follow_their_rules(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make(ctx, "xor", "n=1001 sd=0.05 d=4", 3);
    assert_int_equal(t->n_cols, 5);
    for (int64_t i = 0; i < 1001; i++)
        assert_int_equal(class_of(t, i), (at(t, i, 0) > 0) != (at(t, i, 1) > 0));
    smr_table_free(t);

    t = make(ctx, "checkerboard", "n=10007 cells=3 flip=0.2", 3);
    double wrong = 0;
    for (int64_t i = 0; i < N; i++) {
        assert_true(at(t, i, 0) >= 0 && at(t, i, 0) < 3);
        wrong += class_of(t, i) != (((int)at(t, i, 0) + (int)at(t, i, 1)) & 1);
    }
    assert_true(fabs(wrong / N - 0.2) < 5 * sqrt(0.16 / N));
    smr_table_free(t);

    t = make(ctx, "parity", "d=5 relevant=3", 3); /* the whole truth table */
    assert_int_equal(t->n_rows, 32);
    for (int64_t i = 0; i < 32; i++) {
        int bits = 0, number = 0;
        for (int64_t j = 0; j < 5; j++) {
            number |= (int)at(t, i, j) << j;
            bits += j < 3 && at(t, i, j) == 1;
        }
        assert_int_equal(number, i);
        assert_int_equal(class_of(t, i), bits & 1);
    }
    smr_table_free(t);
    t = make(ctx, "parity", "n=501 d=40", 3);
    assert_true(t->n_rows == 501 && t->n_cols == 41);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The rule that the generator's least error belongs to reaches it. */
static void the_noted_least_error_of_two_classes_is_reached(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const char *const settings[] = {"n=10007 d=3 distance=1.5",
                                           "n=10007 d=7 distance=1.1 prior=0.23"};
    static const double distance[] = {1.5, 1.1}, prior[] = {0.5, 0.23};
    for (int s = 0; s < 2; s++) {
        smr_table *t = make(ctx, "twoclass", settings[s], 6);
        double least, wrong = 0, ones = 0, d = (double)(t->n_cols - 1);
        noted(t, "least error:", &least);
        for (int64_t i = 0; i < N; i++) {
            double along = 0;
            for (int64_t j = 0; j + 1 < t->n_cols; j++) along += at(t, i, j) / sqrt(d);
            bool says = along > log((1 - prior[s]) / prior[s]) / distance[s];
            wrong += says != class_of(t, i);
            ones += (double)class_of(t, i);
        }
        if (s == 0) check_near("Phi(-D/2)", least, smr_normal_cdf(-0.75), 1e-14);
        assert_true(fabs(wrong / N - least) < 5 * sqrt(least * (1 - least) / N));
        assert_true(fabs(ones / N - prior[s]) < 5 * sqrt(prior[s] * (1 - prior[s]) / N));
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Redundant columns are linear in the informative, noise columns are standard normal and
 * unrelated. */
static void classification_has_informative_redundant_and_noise_columns(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t =
        make(ctx, "classification",
             "n=10007 d=6 informative=2 redundant=1 classes=2 clusters=1 separation=2 flip=0", 11);
    double xx[2][2], xr[2], count[2] = {0};
    for (int a = 0; a < 2; a++) { /* regress column 2 on 0 and 1, without a constant */
        column(t, a, x);
        column(t, 2, y);
        for (int64_t i = 0; i < N; i++) u[i] = x[i] * y[i];
        xr[a] = smr_sum_exact(N, u);
        for (int b = 0; b < 2; b++) {
            column(t, b, v);
            for (int64_t i = 0; i < N; i++) u[i] = x[i] * v[i];
            xx[a][b] = smr_sum_exact(N, u);
        }
    }
    double det = xx[0][0] * xx[1][1] - xx[0][1] * xx[1][0];
    double w0 = (xr[0] * xx[1][1] - xr[1] * xx[0][1]) / det,
           w1 = (xx[0][0] * xr[1] - xx[1][0] * xr[0]) / det;
    for (int64_t i = 0; i < N; i++) {
        check_near("redundant", at(t, i, 2), w0 * at(t, i, 0) + w1 * at(t, i, 1), 1e-11);
        count[class_of(t, i)]++;
    }
    assert_true(fabs(count[0] - count[1]) <= 1);
    column(t, 6, y);
    for (int64_t j = 3; j < 6; j++) {
        column(t, j, x);
        assert_true(fabs(smr_mean(N, x, NULL)) < 5 / sqrt(N));
        assert_true(fabs(smr_variance(N, x, NULL, 1) - 1) < 5 * sqrt(2.0 / N));
        assert_true(fabs(smr_correlation(N, x, y, NULL)) < 5 / sqrt(N));
    }
    column(t, 0, x); /* the clouds lie 4 apart in at least one informative column */
    column(t, 1, u);
    assert_true(fabs(smr_correlation(N, x, y, NULL)) + fabs(smr_correlation(N, u, y, NULL)) > 0.5);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- numbers -------------------------------------------------------------------------- */

static void linear_targets_are_the_noted_model(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = make(ctx, "linear", "n=10007 d=6 noise=0 intercept=2.5 collinear=2", 7);
    double w[6], b;
    assert_int_equal(noted(t, "coefficients:", w), 6);
    noted(t, "intercept:", &b);
    assert_true(b == 2.5);
    for (int64_t i = 0; i < N; i++) {
        double sum = b;
        for (int64_t j = 0; j < 6; j++) sum += w[j] * at(t, i, j);
        check_near("y", at(t, i, 6), sum, 1e-13);
        assert_true(at(t, i, 4) == at(t, i, 0) + at(t, i, 1));
        assert_true(at(t, i, 5) == at(t, i, 1) + at(t, i, 2));
    }
    for (int64_t j = 0; j < 4; j++) {
        column(t, j, x);
        assert_true(fabs(smr_mean(N, x, NULL)) < 5 / sqrt(N));
        assert_true(fabs(smr_variance(N, x, NULL, 1) - 1) < 5 * sqrt(2.0 / N));
    }
    smr_table_free(t);
    t = make(ctx, "linear", "n=10007 d=2 noise=3 coefficients=1.5,-2", 7);
    for (int64_t i = 0; i < N; i++) x[i] = at(t, i, 2) - 1.5 * at(t, i, 0) + 2 * at(t, i, 1);
    assert_true(fabs(smr_mean(N, x, NULL)) < 5 * 3 / sqrt(N));
    assert_true(fabs(smr_variance(N, x, NULL, 1) / 9 - 1) < 5 * sqrt(2.0 / N));
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_linear_has_few_coefficients(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make(ctx, "sparse_linear", "n=50 d=37 informative=4 noise=0", 7);
    double w[37];
    int64_t nonzero = 0;
    assert_int_equal(noted(t, "coefficients:", w), 37);
    for (int j = 0; j < 37; j++) {
        nonzero += w[j] != 0;
        assert_true(w[j] == 0 || (fabs(w[j]) >= 1 && fabs(w[j]) <= 10));
    }
    assert_int_equal(nonzero, 4);
    for (int64_t i = 0; i < 50; i++) {
        double sum = 0;
        for (int64_t j = 0; j < 37; j++) sum += w[j] * at(t, i, j);
        check_near("y", at(t, i, 37), sum, 1e-13);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void functions_are_what_their_help_says(void **state)
{
    (void)state;
    const double pi = acos(-1);
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make(ctx, "friedman1", "n=503 d=7 noise=0", 1);
    for (int64_t i = 0; i < 503; i++)
        check_near("friedman1", at(t, i, 7),
                   10 * sin(pi * at(t, i, 0) * at(t, i, 1)) + 20 * pow(at(t, i, 2) - 0.5, 2) +
                       10 * at(t, i, 3) + 5 * at(t, i, 4),
                   1e-14);
    smr_table_free(t);
    smr_table *t2 = make(ctx, "friedman2", "n=10007 noise=0", 1),
              *t3 = make(ctx, "friedman3", "n=10007 noise=0", 1);
    for (int64_t i = 0; i < N; i++) {
        double a = at(t2, i, 0),
               b = at(t2, i, 1) * at(t2, i, 2) - 1 / (at(t2, i, 1) * at(t2, i, 3));
        assert_true(a >= 0 && a < 100 && at(t2, i, 1) >= 40 * pi && at(t2, i, 1) <= 560 * pi);
        assert_true(at(t2, i, 3) >= 1 && at(t2, i, 3) < 11);
        check_near("friedman2", at(t2, i, 4), hypot(a, b), 1e-14);
        check_near("friedman3", at(t3, i, 4), atan(b / a), 1e-14);
    }
    smr_table_free(t2);
    smr_table_free(t3);
    t = make(ctx, "sine", "n=503 noise=0 periods=2.5", 1);
    for (int64_t i = 0; i < 503; i++)
        check_near("sine", at(t, i, 1), sin(5 * pi * at(t, i, 0)), 1e-14);
    smr_table_free(t);
    t = make(ctx, "poly", "n=503 noise=0 coefficients=0.5,0,-3", 1);
    for (int64_t i = 0; i < 503; i++)
        check_near("poly", at(t, i, 1), 0.5 - 3 * at(t, i, 0) * at(t, i, 0), 1e-14);
    smr_table_free(t);
    t = make(ctx, "swissroll", "n=503", 1);
    for (int64_t i = 0; i < 503; i++) {
        double way = at(t, i, 3);
        assert_true(way >= 1.5 * pi && way <= 4.5 * pi && at(t, i, 1) >= 0 && at(t, i, 1) < 21);
        check_near("roll", at(t, i, 0), way * cos(way), 1e-13);
        check_near("roll", at(t, i, 2), way * sin(way), 1e-13);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- refusals, memory ----------------------------------------------------------------- */

static void wrong_settings_are_refused_with_the_way_out(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        smr_setting setting;
        const char *message;
    } cases[] = {
        {"blobz", {"n", "5"}, "there is no generator 'blobz'; did you mean blobs?"},
        {"quicksort", {"n", "5"}, "there is no generator 'quicksort'; samara list names them"},
        {"moons", {"nois", "5"}, "moons has no setting 'nois'; did you mean noise?"},
        {"moons", {"temperature", "5"}, "moons has no setting 'temperature'; it has n, noise"},
        {"moons", {"noise", "abc"}, "moons: noise=abc is not a number"},
        {"moons", {"noise", "1,2"}, "moons: noise=1,2 is not a number"},
        {"moons", {"noise", ""}, "moons: noise= is not a number"},
        {"moons", {"noise", "nan"}, "is not a number"},
        {"moons", {"noise", "-1"}, "moons: noise=-1 is outside 0 .. 1000000"},
        {"moons", {"n", "2.5"}, "moons: n=2.5 is not a whole number"},
        {"moons", {"n", "0"}, "moons: n=0 is outside 1 .. 10000000000"},
        {"blobs", {"centres", "1,2,3"}, "centres has 3 numbers; 3 classes of 2 columns need 6"},
        {"blobs",
         {"centres", "1,,3"},
         "blobs: centres=1,,3 is not a number, or numbers with commas"},
        {"linear", {"coefficients", "1,2"}, "coefficients has 2 numbers for d=5 columns"},
        {"linear", {"collinear", "5"}, "collinear=5 leaves no free column of d=5"},
        {"classification", {"redundant", "16"}, "are more than d=20 columns"},
        {"classification", {"classes", "17"}, "need more corners than the 2^5"},
        {"sparse_linear", {"informative", "101"}, "informative=101 of d=100 columns; raise d"},
        {"parity", {"relevant", "5"}, "relevant=5 bits of d=4 columns; raise d"},
        {"parity", {"d", "31"}, "n=0 makes all 2^d rows"},
        {"friedman1", {"d", "4"}, "friedman1: d=4 is outside 5 .. 1000000"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        check_fails(ctx, smr_generate(ctx, cases[c].name, &cases[c].setting, 1, 0, &t),
                    SMR_ERR_PARAM, cases[c].message);
        assert_null(t);
    }
    smr_setting twice[] = {{"n", "5"}, {"n", "6"}},
                huge[] = {{"n", "10000000000"}, {"d", "1000000"}};
    check_fails(ctx, smr_generate(ctx, "moons", twice, 2, 0, &t), SMR_ERR_PARAM,
                "n is given twice");
    check_fails(ctx, smr_generate(ctx, "linear", huge, 2, 0, &t), SMR_ERR_NOMEM,
                "ask for fewer rows");
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    int64_t n_generators;
    const smr_generator *const *g = smr_generators(&n_generators);
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < n_generators; k++) {
        smr_status st = SMR_ERR_NOMEM;
        int64_t n = 0;
        for (; st != SMR_OK; n++) {
            smr_table *t = NULL;
            smr_ctx_clear(ctx);
            smr_memory_fail_at(ctx, n);
            st = smr_generate(ctx, g[k]->name, NULL, 0, 0, &t);
            assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
            smr_table_free(t);
        }
        assert_true(n > 8);
        smr_memory_fail_at(ctx, -1);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator_makes_a_whole_table_with_its_defaults),
        cmocka_unit_test(the_seed_alone_decides_at_any_thread_count),
        cmocka_unit_test(blobs_lie_about_their_centres),
        cmocka_unit_test(curves_are_where_their_formulas_say),
        cmocka_unit_test(noise_has_the_deviation_asked_for),
        cmocka_unit_test(xor_checkerboard_and_parity_follow_their_rules),
        cmocka_unit_test(the_noted_least_error_of_two_classes_is_reached),
        cmocka_unit_test(classification_has_informative_redundant_and_noise_columns),
        cmocka_unit_test(linear_targets_are_the_noted_model),
        cmocka_unit_test(sparse_linear_has_few_coefficients),
        cmocka_unit_test(functions_are_what_their_help_says),
        cmocka_unit_test(wrong_settings_are_refused_with_the_way_out),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
