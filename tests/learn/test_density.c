/* test_density.c -- densities: bandwidths that are searched, the bound of their error, integrals,
 * gaps, rows that are drawn, far places, pictures, what is refused.
 *
 * Truth: the search by scipy (tests/truth/densities.py, whose other figures test_truth.c asks);
 * sums over all points; numerical integrals; the normal density. */
#include "pipeline.h"

#include "core/figure.h"
#include "learn/density/density.h"
#include "learn/density/density_picture.h"
#include "learn/draw_rows.h"
#include "truth/densities.h"

static const struct smr_density_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

static smr_model *learn(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *ignore,
                        const char *weight)
{
    smr_set_opts opts = {
        .task = SMR_TASK_DENSITY, .ignore = ignore, .weight = weight, .keep_all = true};
    smr_model *m = NULL;
    if (try_train(ctx, sentence, t, &opts, &m) != SMR_OK)
        fail_msg("%s: %s", sentence, smr_ctx_message(ctx));
    return m;
}

static const char *const abc[] = {"a", "b", "c", "d", "e"};

/* Rows in two clumps, one of them skewed; columns of other units. */
static void clumps(int64_t n, int64_t d, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double z = noise(i, j) + noise(i, j + 7) + noise(i, j + 14), unit = j == 1 ? 100 : 1;
            bool skewed = i % 3 == 0;
            x[i * d + j] = unit * (skewed ? 4 + 0.1 * exp(2 * z) : z + 0.5 * noise(i, 0));
        }
}

/* ---- the search -------------------------------------------------------------------------- */

#define NO_NUMBERS "shade,acid,part,second,cultivar"

static void the_bandwidth_is_that_of_the_largest_likelihood(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < SMR_COUNT(searched); k++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = NULL;
        char sentence[64];
        bool weighted = searched[k].weighted;
        snprintf(sentence, sizeof sentence, "density kernel=%s", searched[k].kernel);
        check_ok(ctx, smr_table_open(ctx, "tests/truth/wines.csv", NULL, &t));
        smr_model *m = learn(ctx, sentence, t, weighted ? NO_NUMBERS : NO_NUMBERS ",weight",
                             weighted ? "weight" : NULL);
        const struct smr_density_state *s = state_of(m);
        double most = -INFINITY, at = 0;
        for (int64_t i = 0; i < s->n_tried; i++) {
            if (!(s->likelihood[i] > most)) continue;
            most = s->likelihood[i];
            at = s->tried[i];
        }
        /* sections end at 1/64; of boxes and balls the likelihood jumps between the places of the
         * grid that was searched */
        check_near(sentence, log2(at), searched[k].power, 1.0 / 64);
        check_near(sentence, most, searched[k].most, 2e-3);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void bins_are_those_of_the_largest_likelihood(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    (void)unused;
    check_ok(ctx, smr_table_open(ctx, "data/wine.csv", NULL, &t));
    smr_model *m = learn(ctx, "density model=histogram rule=likelihood smoothing=0.25", t,
                         "alcalinity_of_ash,magnesium,total_phenols,flavanoids,"
                         "nonflavanoid_phenols,proanthocyanins,color_intensity,hue,"
                         "od280_od315_of_diluted_wines,proline,cultivar",
                         NULL);
    const struct smr_density_state *s = state_of(m);
    assert_int_equal(s->n_tried, 33);
    for (int k = 0; k < 33; k++)
        check_near("left out", s->likelihood[k], left_out_of_bins[k], 1e-12);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the bound of the error -------------------------------------------------------------- */

enum { POINTS = 3007, QUERIES = 150 };

/* log of the sum over all points. */
static double plainly(const double *x, int64_t n, int64_t d, const double *h, const double *q)
{
    double sum = 0, nearest = INFINITY, volume = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++) {
            double far = 0;
            for (int64_t j = 0; j < d; j++) {
                double u = (q[j] - x[i * d + j]) / h[j];
                far += u * u;
            }
            if (pass == 0)
                nearest = fmin(nearest, far);
            else
                sum += exp(0.5 * (nearest - far));
        }
    for (int64_t j = 0; j < d; j++) volume += log(h[j]);
    return log(sum) - 0.5 * nearest - log((double)n) - volume - 0.5 * (double)d * SMR_LOG_2PI;
}

/* Of queries among the rows and far from them: the largest error as a share of what is allowed. */
static double worst_share(smr_ctx *ctx, int64_t d, double bandwidth, double rtol, double atol)
{
    double *x = calloc((size_t)(POINTS * d), sizeof *x), *q = calloc((size_t)(QUERIES * d), 8);
    double h[5], worst = 0;
    char sentence[128];
    assert_true(x && q && d <= 5);
    clumps(POINTS, d, x);
    for (int64_t i = 0; i < QUERIES; i++)
        for (int64_t j = 0; j < d; j++)
            q[i * d + j] = i % 5 == 0
                               ? x[i * 17 * d + j]
                               : (j == 1 ? 100 : 1) * (8 * noise(i, 31 + j) * (double)(1 + i % 4));
    for (int64_t j = 0; j < d; j++) h[j] = bandwidth * (j == 1 ? 100 : 1);
    int used = snprintf(sentence, sizeof sentence, "density rtol=%g atol=%g ", rtol, atol);
    for (int64_t j = 0; j < d; j++)
        used += snprintf(sentence + used, sizeof sentence - (size_t)used, "%s%g",
                         j ? "," : "bandwidth=", h[j]);
    smr_table *t = matrix_table(ctx, POINTS, d, x, abc),
              *asked = matrix_table(ctx, QUERIES, d, q, abc);
    smr_model *m = learn(ctx, sentence, t, NULL, NULL);
    double *got = apply(ctx, m, asked, SMR_OUTPUT_SCORE);
    for (int64_t i = 0; i < QUERIES; i++) {
        double want = plainly(x, POINTS, d, h, q + i * d);
        double off = atol > 0 ? fabs(exp(got[i]) - exp(want)) : fabs(expm1(got[i] - want));
        double may = atol > 0 ? rtol * exp(want) + atol : rtol;
        if (!(off <= may + 1e-12 * (1 + fabs(want)) * (atol > 0 ? exp(want) : 1)))
            fail_msg("%s: row %d: %.17g, wanted %.17g", sentence, (int)i, got[i], want);
        worst = fmax(worst, off / fmax(may, 1e-300));
    }
    smr_free(got);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(asked);
    free(x);
    free(q);
    return worst;
}

static void errors_are_within_their_bound(void **unused)
{
    static const double bandwidths[] = {0.02, 0.2, 1.5};
    smr_ctx *ctx = check_ctx(2);
    double largest = 0;
    (void)unused;
    for (int64_t d = 1; d <= 5; d++)
        for (size_t b = 0; b < SMR_COUNT(bandwidths); b++) {
            for (double rtol = 1e-1; rtol > 1e-8; rtol *= 1e-3)
                largest = fmax(largest, worst_share(ctx, d, bandwidths[b], rtol, 0));
            worst_share(ctx, d, bandwidths[b], 0, 0);
            largest = fmax(largest, worst_share(ctx, d, bandwidths[b], 0, 1e-5));
            largest = fmax(largest, worst_share(ctx, d, bandwidths[b], 1e-3, 1e-9));
        }
    /* the error is used: sums are not over all points */
    assert_true(largest > 0.05);
    check_ctx_end(ctx);
}

static void far_from_all_rows_the_nearest_one_counts(void **unused)
{
    static const double x[4] = {0, 1, 1, 3}, far[3] = {1e3, -2e5, 1e9};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 4, 1, x, abc), *u = matrix_table(ctx, 3, 1, far, abc);
    smr_model *m = learn(ctx, "density 0.5", t, NULL, NULL);
    double *got = apply(ctx, m, u, SMR_OUTPUT_SCORE);
    (void)unused;
    for (int i = 0; i < 3; i++) {
        double z = (far[i] - (far[i] > 0 ? 3 : 0)) / 0.5;
        check_near("log p", got[i], -0.5 * z * z - log(4 * 0.5) - 0.5 * SMR_LOG_2PI, 1e-15);
    }
    smr_free(got);
    smr_model_free(m);
    m = learn(ctx, "density 0.5 kernel=box", t, NULL, NULL);
    got = apply(ctx, m, u, SMR_OUTPUT_SCORE);
    for (int i = 0; i < 3; i++) assert_true(got[i] == -INFINITY);
    smr_free(got);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

/* ---- worked figures ---------------------------------------------------------------------- */

/* Rows 0, 1, 1, 3: windows of width 1 to either side, bins of width 1. */
static void windows_and_bins_are_as_counted(void **unused)
{
    static const double x[4] = {0, 1, 1, 3}, at[6] = {0.5, 1, 2.5, 3, 4.5, -0.25};
    static const double box[6] = {3. / 8, 3. / 8, 1. / 8, 1. / 8, 0, 1. / 8};
    static const double bins[6] = {1. / 4, 2. / 4, 1. / 4, 1. / 4, 0, 0};
    static const double even[6] = {2. / 7, 3. / 7, 2. / 7, 2. / 7, 0, 0};
    static const struct {
        const char *sentence;
        const double *want;
    } all[] = {{"density 1 kernel=box", box},
               {"density 1 kernel=ball", box},
               {"density model=histogram bins=3", bins},
               {"density model=histogram bins=3 smoothing=1", even}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 4, 1, x, abc), *u = matrix_table(ctx, 6, 1, at, abc);
    (void)unused;
    for (size_t k = 0; k < SMR_COUNT(all); k++) {
        smr_model *m = learn(ctx, all[k].sentence, t, NULL, NULL);
        double *got = apply(ctx, m, u, SMR_OUTPUT_SCORE);
        for (int i = 0; i < 6; i++) check_near(all[k].sentence, exp(got[i]), all[k].want[i], 1e-15);
        smr_free(got);
        smr_model_free(m);
    }
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

/* ---- integrals --------------------------------------------------------------------------- */

static const char *const sentences[] = {
    "density",
    "density kernel=epanechnikov",
    "density kernel=ball",
    "density kernel=box",
    "density rule=scott covariance=full",
    "density rule=robust covariance=full kernel=epanechnikov",
    "density model=histogram",
    "density model=histogram bins=4 smoothing=2",
    "density model=normal",
    "density model=normal covariance=full",
    "density model=lognormal covariance=full",
    "density model=exponential",
    "density model=gamma",
};

enum { ROWS = 90, SIDE = 300 };

/* Rows whose columns depend on each other, all above 0. */
static smr_table *cloud(smr_ctx *ctx, int64_t d)
{
    double x[ROWS * 3];
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] = 3 + noise(i, j) + noise(i, j + 5) + (j ? 0.6 * noise(i, 0) : 0);
    return matrix_table(ctx, ROWS, d, x, abc);
}

/* Places lo + (k + 1/2) step of one column, or of both; what is left is a gap. */
static smr_table *places(smr_ctx *ctx, int64_t d, int64_t n, double lo, double step)
{
    int64_t rows = d == 1 ? n : n * n;
    double *x = calloc((size_t)(rows * d), sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < rows; i++) {
        x[i * d] = lo + ((double)(i % n) + 0.5) * step;
        if (d > 1) x[i * d + 1] = lo + ((double)(i / n) + 0.5) * step;
    }
    smr_table *t = matrix_table(ctx, rows, d, x, abc);
    free(x);
    return t;
}

static void densities_integrate_to_one(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int64_t d = 1; d <= 2; d++) {
        /* an exponential density of mean 3 has e^-13 beyond 40; cells that edges cut differ */
        int64_t n = d == 1 ? 15000 : SIDE;
        double lo = d == 1 ? -5 : -1, step = d == 1 ? 45.0 / 15000 : 9.0 / SIDE;
        smr_table *t = cloud(ctx, d), *u = places(ctx, d, n, lo, step);
        for (size_t k = 0; k < SMR_COUNT(sentences); k++) {
            bool wide = strstr(sentences[k], "exponential") || strstr(sentences[k], "gamma");
            if (d > 1 && wide) continue;
            smr_model *m = learn(ctx, sentences[k], t, NULL, NULL);
            double *got = apply(ctx, m, u, SMR_OUTPUT_SCORE), sum = 0;
            for (int64_t i = 0; i < u->n_rows; i++) sum += exp(got[i]);
            check_near(sentences[k], sum * (d == 1 ? step : step * step), 1, d == 1 ? 3e-3 : 2e-2);
            smr_free(got);
            smr_model_free(m);
        }
        smr_table_free(t);
        smr_table_free(u);
    }
    check_ctx_end(ctx);
}

/* With a gap, the density is that of the other column: the integral over the missing one. */
static void gaps_are_integrated_out(void **unused)
{
    enum { N = 2000 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cloud(ctx, 2);
    const double lo = -2, step = 14.0 / N, asked[4] = {2.05, 3.3, 3.7, 4.61};
    double *x = calloc(2 * N, sizeof *x);
    (void)unused;
    assert_non_null(x);
    for (size_t k = 0; k < SMR_COUNT(sentences); k++) {
        smr_model *m = learn(ctx, sentences[k], t, NULL, NULL);
        bool wide = strstr(sentences[k], "exponential") != NULL;
        for (int side = 0; side < 2; side++)
            for (int a = 0; a < 4; a++) {
                double row[2] = {NAN, NAN}, sum = 0;
                row[side] = asked[a];
                for (int64_t i = 0; i < N; i++) {
                    x[2 * i + side] = asked[a];
                    x[2 * i + 1 - side] = lo + ((double)i + 0.5) * step;
                }
                smr_table *u = matrix_table(ctx, N, 2, x, abc),
                          *v = matrix_table(ctx, 1, 2, row, abc);
                double *p = apply(ctx, m, u, SMR_OUTPUT_SCORE),
                       *q = apply(ctx, m, v, SMR_OUTPUT_SCORE);
                for (int64_t i = 0; i < N; i++) sum += exp(p[i]);
                check_near(sentences[k], exp(q[0]), sum * step, wide ? 3e-2 : 1e-2);
                smr_free(p);
                smr_free(q);
                smr_table_free(u);
                smr_table_free(v);
            }
        smr_model_free(m);
    }
    free(x);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- rows that are drawn ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's distance between drawn numbers and the model's own density. */
static double distance(smr_ctx *ctx, const smr_model *m, int64_t d, int64_t j, double *x, int64_t n)
{
    enum { GRID = 12000 };
    double lo = -5, step = 60.0 / GRID, most = 0, below = 0;
    double *at = calloc((size_t)(GRID * d), sizeof *at);
    assert_non_null(at);
    for (int64_t i = 0; i < GRID * d; i++) at[i] = NAN;
    for (int64_t i = 0; i < GRID; i++) at[i * d + j] = lo + ((double)i + 0.5) * step;
    smr_table *u = matrix_table(ctx, GRID, d, at, abc);
    double *p = apply(ctx, m, u, SMR_OUTPUT_SCORE);
    qsort(x, (size_t)n, sizeof *x, ascending);
    int64_t k = 0;
    for (int64_t i = 0; i < GRID; i++) {
        while (k < n && x[k] < lo + (double)i * step) k++;
        most = fmax(most, fabs((double)k / (double)n - below));
        below += exp(p[i]) * step;
    }
    smr_free(p);
    smr_table_free(u);
    free(at);
    return most;
}

static void drawn_rows_follow_the_density(void **unused)
{
    enum { N = 6000 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cloud(ctx, 2), *drawn = NULL;
    double *x = calloc(N, sizeof *x);
    (void)unused;
    assert_non_null(x);
    for (size_t k = 0; k < SMR_COUNT(sentences); k++) {
        smr_model *m = learn(ctx, sentences[k], t, NULL, NULL);
        check_ok(ctx, smr_model_draw(ctx, m, 1, N, &drawn));
        assert_int_equal(drawn->n_cols, 2);
        assert_string_equal(drawn->cols[1].name, "b");
        for (int j = 0; j < 2; j++) {
            for (int64_t i = 0; i < N; i++) x[i] = smr_column_number(&drawn->cols[j], i);
            /* 1.95 / sqrt(n) is exceeded once in a thousand */
            double far = distance(ctx, m, 2, j, x, N);
            if (!(far < 1.95 / sqrt(N) + 1e-3))
                fail_msg("%s: column %d is %.4f from the density", sentences[k], j, far);
        }
        smr_table_free(drawn);
        smr_model_free(m);
    }
    free(x);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The correlation of rows drawn from a shape that has one. */
static void drawn_rows_depend_on_each_other_as_the_rows_do(void **unused)
{
    enum { N = 20000 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cloud(ctx, 2), *drawn = NULL;
    smr_model *m = learn(ctx, "density model=normal covariance=full", t, NULL, NULL);
    const struct smr_density_state *s = state_of(m);
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    (void)unused;
    check_ok(ctx, smr_model_draw(ctx, m, 1, N, &drawn));
    for (int64_t i = 0; i < N; i++) {
        double a = smr_column_number(&drawn->cols[0], i), b = smr_column_number(&drawn->cols[1], i);
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    double r = (xy / N - x * y / N / N) / sqrt((xx / N - x * x / N / N) * (yy / N - y * y / N / N));
    double want = s->root[2] / hypot(s->root[2], s->root[3]);
    check_near("correlation", r, want, 4 / sqrt(N));
    assert_true(want > 0.2);
    smr_table_free(drawn);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* The lines of x^2 + y^2 at a level are a circle. */
static void contours_of_a_cone_are_circles(void **unused)
{
    enum { NX = 61, NY = 47 };
    smr_ctx *ctx = check_ctx(1);
    double gx[NX], gy[NY], value[NX * NY], *x = NULL, *y = NULL, turn = 0;
    struct smr_density_grid g = {NX, NY, gx, gy, value};
    int64_t n = 0, gaps = 0;
    (void)unused;
    for (int i = 0; i < NX; i++) gx[i] = -2 + 4.0 * i / (NX - 1);
    for (int j = 0; j < NY; j++) gy[j] = -2 + 4.0 * j / (NY - 1);
    for (int k = 0; k < NX * NY; k++) value[k] = -hypot(gx[k % NX], gy[k / NX]);
    check_ok(ctx, smr_density_contour(ctx, &g, -1.5, &n, &x, &y));
    for (int64_t k = 0; k < n; k++) {
        gaps += isnan(x[k]);
        if (isnan(x[k])) continue;
        check_near("radius", hypot(x[k], y[k]), 1.5, 1e-3);
        if (k > 0 && !isnan(x[k - 1])) turn += asin((x[k - 1] * y[k] - x[k] * y[k - 1]) / 2.25);
    }
    assert_int_equal(gaps, 1); /* one line */
    check_near("round once", fabs(turn), 6.283185307179586, 1e-2);
    smr_free(x);
    smr_free(y);
    /* a level that cuts the corners: four lines that end at the edges */
    check_ok(ctx, smr_density_contour(ctx, &g, -2.4, &n, &x, &y));
    gaps = 0;
    for (int64_t k = 0; k < n; k++) gaps += isnan(x[k]);
    assert_int_equal(gaps, 4);
    smr_free(x);
    smr_free(y);
    check_ok(ctx, smr_density_contour(ctx, &g, 1, &n, &x, &y));
    assert_int_equal(n, 0);
    smr_free(x);
    smr_free(y);
    check_ctx_end(ctx);
}

/* ---- what is refused, what is said ------------------------------------------------------- */

static void refuse(smr_ctx *ctx, const char *sentence, const smr_table *t, smr_status status,
                   const char *words)
{
    smr_set_opts opts = {.task = SMR_TASK_DENSITY, .keep_all = true};
    smr_model *m = NULL;
    smr_status st = try_train(ctx, sentence, t, &opts, &m);
    if (st != status || !strstr(smr_ctx_message(ctx), words))
        fail_msg("%s: %d: '%s', wanted '%s'", sentence, (int)st, smr_ctx_message(ctx), words);
    smr_ctx_clear(ctx);
}

static void what_cannot_be_is_refused_by_name(void **unused)
{
    static const double x[4] = {0, 1, 1, 3}, sums[12] = {1, 2, 3, 4, 1, 5, 2, 7, 9, 8, 2, 10};
    static const double wide[2] = {-1e200, 1e200}, same[3] = {2, 2, 2}, gaps[2] = {NAN, NAN};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 4, 1, x, abc), *u = matrix_table(ctx, 4, 3, sums, abc);
    smr_table *v = matrix_table(ctx, 2, 1, wide, abc), *w = matrix_table(ctx, 3, 1, same, abc);
    smr_table *g = matrix_table(ctx, 2, 1, gaps, abc);
    (void)unused;
    refuse(ctx, "density 1,2", t, SMR_ERR_PARAM,
           "density: bandwidth has 2 numbers, and there are 1 features; give one number, or one "
           "for each feature");
    refuse(ctx, "density model=histogram bins=3,4", t, SMR_ERR_PARAM,
           "density: bins has 2 numbers, and there are 1 features");
    refuse(ctx, "density model=histogram bins=2.5", t, SMR_ERR_PARAM,
           "density: bins = 2.5 is not a list of whole numbers in [1, 1048576]");
    refuse(ctx, "density model=histogram rule=silverman", t, SMR_ERR_PARAM,
           "density: silverman's rule is for kernels; a histogram has scott, robust and "
           "likelihood");
    refuse(ctx, "density model=histogram rule=likelihood", t, SMR_ERR_PARAM,
           "density: rule=likelihood of a histogram needs smoothing above 0");
    refuse(ctx, "density model=gamma", t, SMR_ERR_DATA,
           "density: model=gamma is for numbers above 0, and 'a' has 0; use model=parzen, or leave "
           "the column out");
    refuse(ctx, "density model=lognormal", t, SMR_ERR_DATA, "'a' has 0");
    refuse(ctx, "density model=gamma", w, SMR_ERR_DATA,
           "density: 'a' has the same value in all rows, which no gamma density fits");
    refuse(ctx, "density model=normal covariance=full", u, SMR_ERR_DATA,
           "density: the covariance is singular: 'c' depends on the features before it; use "
           "covariance=diagonal, or leave columns out");
    refuse(
        ctx, "density", v, SMR_ERR_DATA,
        "density: 'a' goes from -1e+200 to 1e+200, and beyond 1e+150 no density can be computed; "
        "divide it, or leave the column out");
    refuse(ctx, "density", g, SMR_ERR_DATA, "");
    smr_table_free(t);
    smr_table_free(u);
    smr_table_free(v);
    smr_table_free(w);
    smr_table_free(g);
    check_ctx_end(ctx);
}

static void what_is_left_out_or_never_changes_is_said(void **unused)
{
    static const double x[10] = {0, 5, 1, 5, NAN, 5, 1, 5, 3, 5};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = matrix_table(ctx, 5, 2, x, abc);
    (void)unused;
    smr_model *m = learn(ctx, "density", t, NULL, NULL);
    check_heard(&heard, "density: 1 of 5 rows has a gap and was left out");
    check_heard(&heard,
                "density: 'b' never changes and counts with the deviation 1e-6 (1 + |value|)");
    check_near("total", state_of(m)->total, 4, 0);
    assert_int_equal(state_of(m)->n_points, 3); /* one is there twice */
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status learn_it(smr_ctx *ctx, void *table)
{
    smr_set_opts opts = {.task = SMR_TASK_DENSITY, .keep_all = true};
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "density kernel=epanechnikov covariance=full", table, &opts, &m);
    smr_model_free(m);
    return st;
}

static void failed_allocations_leave_nothing(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cloud(ctx, 2);
    (void)unused;
    assert_true(fail_each_allocation(ctx, learn_it, t) > 20);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bandwidth_is_that_of_the_largest_likelihood),
        cmocka_unit_test(bins_are_those_of_the_largest_likelihood),
        cmocka_unit_test(errors_are_within_their_bound),
        cmocka_unit_test(far_from_all_rows_the_nearest_one_counts),
        cmocka_unit_test(windows_and_bins_are_as_counted),
        cmocka_unit_test(densities_integrate_to_one),
        cmocka_unit_test(gaps_are_integrated_out),
        cmocka_unit_test(drawn_rows_follow_the_density),
        cmocka_unit_test(drawn_rows_depend_on_each_other_as_the_rows_do),
        cmocka_unit_test(contours_of_a_cone_are_circles),
        cmocka_unit_test(what_cannot_be_is_refused_by_name),
        cmocka_unit_test(what_is_left_out_or_never_changes_is_said),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
