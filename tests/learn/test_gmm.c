/* test_gmm.c -- EM that never falls and ends at fixed points, components chosen, rows drawn.
 *
 * Truth: tests/truth/mixtures.py (scikit-learn), and EM in its plainest form here. */
#include "learn/cluster/gmm.h"

#include "kernel/kernel.h"
#include "learn/matrix_data.h"
#include "pipeline.h"
#include "truth/mixtures.h"

extern const smr_learner smr_gmm;

static const char *const shapes[] = {"full", "tied", "diagonal", "spherical", "unit"};

static struct smr_gmm_state *state_of(const struct fitted *f)
{
    return f->state;
}

static struct fitted fit_gmm(const char *words, struct matrix_data *m, int threads)
{
    m->data.task = SMR_TASK_CLUSTER;
    m->data.n_outputs = 0;
    m->data.y = NULL;
    struct fitted f = fit_matrix(&smr_gmm, words, &m->data, threads);
    check_ok(f.ctx, smr_gmm.fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static void ask(const struct fitted *f, int64_t n, int64_t d, const double *x, smr_output output,
                double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    void *scratch = smr_alloc(f->ctx, smr_gmm.fitted->scratch(f->params, f->state, n), 1);
    assert_non_null(scratch);
    check_ok(f->ctx,
             smr_gmm.fitted->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

static void check_refused(const char *words, struct matrix_data *m, int64_t limit, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_gmm, words), *state = NULL;
    smr_fit_report report = {0};
    m->data.task = SMR_TASK_CLUSTER;
    m->data.n_outputs = 0;
    check_ok(ctx, smr_state_create(ctx, &smr_gmm, &state));
    if (limit) check_ok(ctx, smr_ctx_set_memory_limit(ctx, limit));
    assert_int_not_equal(smr_learner_fit(ctx, &smr_gmm, params, &m->data, state, &report), SMR_OK);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_gmm, state);
    smr_params_free(smr_gmm.word, params);
    check_ctx_end(ctx);
}

/* Rows around k centres that are `apart` deviations from each other, with correlations. */
static double *clouds(int64_t n, int64_t d, int64_t k, double apart, uint64_t seed)
{
    double *x = random_matrix(n * d, seed), *centre = random_matrix(k * d, seed + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = d - 1; j >= 0; j--) {
            double before = j > 0 ? x[i * d + j - 1] : 0;
            x[i * d + j] = (x[i * d + j] + 0.4 * (double)(i % k) * before) * (1 + 0.3 * (double)j) +
                           apart * centre[i % k * d + j] + 10;
        }
    free(centre);
    return x;
}

/* ---- the plain form --------------------------------------------------------------------- */

/* log N(x; mean, S) by elimination. */
static double log_normal(int64_t d, const double *x, const double *mean, const double *S)
{
    double A[64], z[8], sum = 0, logs = 0;
    for (int64_t j = 0; j < d; j++) z[j] = x[j] - mean[j];
    for (int64_t j = 0; j < d * d; j++) A[j] = S[j];
    for (int64_t p = 0; p < d; p++) {
        logs += log(A[p * d + p]);
        sum += z[p] * z[p] / A[p * d + p];
        for (int64_t i = p + 1; i < d; i++) {
            double by = A[i * d + p] / A[p * d + p];
            for (int64_t j = p; j < d; j++) A[i * d + j] -= by * A[p * d + j];
            z[i] -= by * z[p];
        }
    }
    return -0.5 * (sum + logs + (double)d * log(2 * acos(-1.0)));
}

struct plain {
    double share[8], mean[8][8], S[8][64], value;
};

static void read_parts(int covariance, const struct smr_gmm_state *s, struct plain *out)
{
    struct smr_gmm_parts parts = smr_gmm_parts_of(s);
    int64_t d = s->n_features;
    for (int64_t c = 0; c < s->k; c++) {
        out->share[c] = s->share[c];
        for (int64_t j = 0; j < d; j++) out->mean[c][j] = s->mean[c * d + j];
        for (int64_t i = 0; i < d * d; i++)
            out->S[c][i] = smr_gmm_covariance(covariance, &parts, c, i / d, i % d);
    }
}

/* One iteration from `a` to `b`, and the log-likelihood of `a`. */
static void iterate(int covariance, int64_t k, int64_t n, int64_t d, const double *x,
                    const double *weight, struct plain *a, struct plain *b)
{
    double *r = malloc((size_t)(n * k) * sizeof *r), count[8] = {0}, all = 0;
    a->value = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, w = weight ? weight[i] : 1;
        for (int64_t c = 0; c < k; c++)
            sum += r[i * k + c] = a->share[c] * exp(log_normal(d, x + i * d, a->mean[c], a->S[c]));
        a->value += w * log(sum);
        for (int64_t c = 0; c < k; c++) count[c] += r[i * k + c] *= w / sum;
    }
    memset(b, 0, sizeof *b);
    for (int64_t c = 0; c < k; c++) all += count[c];
    for (int64_t c = 0; c < k; c++) {
        b->share[c] = count[c] / all;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < d; j++) b->mean[c][j] += r[i * k + c] * x[i * d + j] / count[c];
        for (int64_t i = 0; i < n; i++)
            for (int64_t p = 0; p < d * d; p++)
                b->S[c][p] += r[i * k + c] / count[c] * (x[i * d + p / d] - b->mean[c][p / d]) *
                              (x[i * d + p % d] - b->mean[c][p % d]);
    }
    for (int64_t p = 0; p < d * d && covariance == SMR_GMM_TIED; p++) {
        double sum = 0;
        for (int64_t c = 0; c < k; c++) sum += b->share[c] * b->S[c][p];
        for (int64_t c = 0; c < k; c++) b->S[c][p] = sum;
    }
    for (int64_t c = 0; c < k && covariance > SMR_GMM_TIED; c++) {
        double mean = 0;
        for (int64_t j = 0; j < d; j++) mean += b->S[c][j * d + j] / (double)d;
        if (covariance == SMR_GMM_UNIT) mean = 1;
        for (int64_t p = 0; p < d * d; p++) {
            if (p / d != p % d) b->S[c][p] = 0;
            if (p / d == p % d && covariance != SMR_GMM_DIAGONAL) b->S[c][p] = mean;
        }
    }
    free(r);
}

static void check_parts(int64_t k, int64_t d, const struct plain *a, const struct plain *b,
                        double tolerance)
{
    for (int64_t c = 0; c < k; c++) {
        check_near("share", a->share[c], b->share[c], tolerance);
        for (int64_t j = 0; j < d; j++) check_near("mean", a->mean[c][j], b->mean[c][j], tolerance);
        for (int64_t j = 0; j < d * d; j++)
            check_near("covariance", a->S[c][j], b->S[c][j], tolerance);
    }
}

/* ---- EM --------------------------------------------------------------------------------- */

static void iterations_are_those_of_the_plain_form(void **unused)
{
    enum { N = 613, D = 3, K = 4 };
    (void)unused;
    double *x = clouds(N, D, K, 1.5, 1), *weight = random_matrix(N, 9);
    for (int64_t i = 0; i < N; i++) weight[i] = i % 7 == 3 ? 0 : 0.3 + fabs(weight[i]);
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++)
        for (int w = 0; w < 2; w++) {
            struct plain a, b, c, next;
            struct matrix_data m;
            char words[128];
            matrix_data(&m, N, D, 1, x, x, w ? weight : NULL);
            snprintf(words, sizeof words,
                     "k=4 restarts=1 max_iter=3 tol=0 floor=1e-9 covariance=%s", shapes[shape]);
            struct fitted three = fit_gmm(words, &m, 2);
            snprintf(words, sizeof words,
                     "k=4 restarts=1 max_iter=5 tol=0 floor=1e-9 covariance=%s", shapes[shape]);
            struct fitted five = fit_gmm(words, &m, 1);
            read_parts(shape, state_of(&three), &a);
            read_parts(shape, state_of(&five), &b);
            iterate(shape, K, N, D, x, w ? weight : NULL, &a, &c);
            check_near("log-likelihood", state_of(&three)->log_likelihood / a.value, 1, 1e-13);
            iterate(shape, K, N, D, x, w ? weight : NULL, &c, &next);
            check_near("log-likelihood", state_of(&five)->curve[4] / c.value, 1, 1e-13);
            check_parts(K, D, &b, &next, 1e-10);
            end_fitted(&three);
            end_fitted(&five);
        }
    free(x), free(weight);
}

static void fits_that_converged_are_fixed_points(void **unused)
{
    enum { N = 400, D = 2, K = 3 };
    (void)unused;
    double *x = clouds(N, D, K, 3, 4);
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++) {
        struct plain a, b;
        struct matrix_data m;
        char words[128];
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=3 tol=1e-13 max_iter=100000 floor=1e-9 covariance=%s",
                 shapes[shape]);
        struct fitted f = fit_gmm(words, &m, 1);
        assert_true(f.report.converged);
        read_parts(shape, state_of(&f), &a);
        iterate(shape, K, N, D, x, NULL, &a, &b);
        check_parts(K, D, &a, &b, 1e-5);
        end_fitted(&f);
        snprintf(words, sizeof words, "k=3 tol=1e-13 max_iter=2 covariance=%s", shapes[shape]);
        f = fit_gmm(words, &m, 1);
        assert_false(f.report.converged);
        assert_int_equal(f.report.n_iter, 2);
        end_fitted(&f);
    }
    free(x);
}

/* Also where components collapse, and are held. */
static void the_likelihood_never_falls(void **unused)
{
    enum { N = 217, D = 4 };
    (void)unused;
    double *x = clouds(N, D, 3, 1, 11), *weight = random_matrix(N, 2);
    static const char *const floors[] = {"1e-10", "1e-4", "0.3"};
    int held = 0;
    for (int64_t i = 0; i < N; i++) weight[i] = 0.2 + fabs(weight[i]);
    for (int64_t i = 0; i < 30; i++) memcpy(x + i * D, x, D * sizeof *x); /* a point, many times */
    for (int64_t i = 0; i < N; i++) x[i * D + 2] = round(2 * x[i * D + 2]);
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++)
        for (int floor = 0; floor < 3; floor++)
            for (int start = 0; start < 3; start++) {
                static const char *const starts[] = {"kmeans", "plusplus", "random"};
                struct matrix_data m;
                char words[160];
                matrix_data(&m, N, D, 1, x, x, floor == 1 ? weight : NULL);
                snprintf(words, sizeof words,
                         "k=6 restarts=3 tol=0 max_iter=60 covariance=%s floor=%s start=%s",
                         shapes[shape], floors[floor], starts[start]);
                struct fitted f = fit_gmm(words, &m, 2);
                const struct smr_gmm_state *s = state_of(&f);
                for (int64_t i = 1; i < s->n_curve; i++)
                    if (!(s->curve[i] >= s->curve[i - 1] - 1e-11 * fabs(s->curve[i])))
                        fail_msg("%s falls from %.17g to %.17g", words, s->curve[i - 1],
                                 s->curve[i]);
                held += s->n_thin > 0;
                end_fitted(&f);
            }
    assert_true(held > 5);
    free(x), free(weight);
}

static void weight_2_is_the_row_twice(void **unused)
{
    enum { N = 150, D = 3 };
    (void)unused;
    double *x = clouds(N, D, 2, 4, 5), weight[N], twice[2 * N * D], a[N], b[N];
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++) {
        weight[i] = 1 + (double)(i % 3 == 1);
        for (int r = 0; r < (int)weight[i]; r++) memcpy(twice + n++ * D, x + i * D, D * sizeof *x);
    }
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++) {
        struct matrix_data m, t;
        char words[128];
        matrix_data(&m, N, D, 1, x, x, weight);
        matrix_data(&t, n, D, 1, twice, twice, NULL);
        snprintf(words, sizeof words, "most=4 tol=1e-11 max_iter=5000 covariance=%s",
                 shapes[shape]);
        struct fitted f = fit_gmm(words, &m, 1), g = fit_gmm(words, &t, 1);
        assert_int_equal(state_of(&f)->k, state_of(&g)->k);
        check_near("log-likelihood", state_of(&f)->log_likelihood / state_of(&g)->log_likelihood, 1,
                   1e-9);
        for (int64_t k = 0; k < 4; k++)
            check_near("bic", state_of(&f)->tried[k], state_of(&g)->tried[k], 1e-6);
        ask(&f, N, D, x, SMR_OUTPUT_SCORE, a);
        ask(&g, N, D, x, SMR_OUTPUT_SCORE, b);
        for (int64_t i = 0; i < N; i++) check_near("log-density", a[i], b[i], 1e-4);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
}

/* In other units densities change by the volume of a unit, and nothing else. */
static void units_do_not_matter(void **unused)
{
    enum { N = 300, D = 3 };
    (void)unused;
    static const double by[D] = {1e-3, 1, 4096}, off[D] = {5, -1e4, 1e6};
    double *x = clouds(N, D, 3, 2, 8), y[N * D], a[N], b[N], logs = 0;
    for (int64_t i = 0; i < N * D; i++) y[i] = x[i] * by[i % D] + off[i % D];
    for (int j = 0; j < D; j++) logs += log(by[j]);
    for (int shape = SMR_GMM_FULL; shape <= SMR_GMM_DIAGONAL; shape++) {
        struct matrix_data m, t;
        char words[128];
        matrix_data(&m, N, D, 1, x, x, NULL);
        matrix_data(&t, N, D, 1, y, y, NULL);
        snprintf(words, sizeof words, "k=3 tol=1e-12 max_iter=5000 covariance=%s", shapes[shape]);
        struct fitted f = fit_gmm(words, &m, 1), g = fit_gmm(words, &t, 1);
        ask(&f, N, D, x, SMR_OUTPUT_SCORE, a);
        ask(&g, N, D, y, SMR_OUTPUT_SCORE, b);
        for (int64_t i = 0; i < N; i++) check_near("log-density", b[i] + logs, a[i], 1e-5);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void shares_of_rows_and_densities_agree(void **unused)
{
    enum { N = 200, D = 2, K = 5 };
    (void)unused;
    double *x = clouds(N, D, K, 1, 21), p[N * K], score[N];
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++) {
        struct matrix_data m;
        struct plain a;
        char words[64];
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=5 covariance=%s", shapes[shape]);
        struct fitted f = fit_gmm(words, &m, 1);
        read_parts(shape, state_of(&f), &a);
        ask(&f, N, D, x, SMR_OUTPUT_PROBA, p);
        ask(&f, N, D, x, SMR_OUTPUT_SCORE, score);
        for (int64_t i = 0; i < N; i++) {
            double sum = 0;
            for (int c = 0; c < K; c++) {
                double joint = log(a.share[c]) + log_normal(D, x + i * D, a.mean[c], a.S[c]);
                check_near("share", p[i * K + c], exp(joint - score[i]), 1e-12);
                sum += p[i * K + c];
            }
            check_near("sum", sum, 1, 1e-14);
        }
        end_fitted(&f);
    }
    free(x);
}

static void drawn_rows_are_those_of_the_mixture(void **unused)
{
    enum { N = 300, D = 2, K = 3, DRAWN = 40000 };
    (void)unused;
    double *x = clouds(N, D, K, 4, 31), *y = malloc(DRAWN * D * sizeof *y);
    int32_t *of = malloc(DRAWN * sizeof *of);
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++) {
        struct matrix_data m;
        struct plain a;
        char words[64];
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=3 covariance=%s", shapes[shape]);
        struct fitted f = fit_gmm(words, &m, 1);
        smr_drawing many = {D, DRAWN, 1, NULL};
        read_parts(shape, state_of(&f), &a);
        check_ok(f.ctx, smr_gmm_draw_rows(f.ctx, f.params, f.state, &many, y, of));
        for (int c = 0; c < K; c++) {
            double n = 0, mean[D] = {0}, S[D * D] = {0};
            for (int i = 0; i < DRAWN; i++) {
                if (of[i] != c) continue;
                n++;
                for (int j = 0; j < D; j++) mean[j] += y[i * D + j];
            }
            for (int j = 0; j < D; j++) mean[j] /= n;
            for (int i = 0; i < DRAWN; i++)
                for (int p = 0; p < D * D && of[i] == c; p++)
                    S[p] += (y[i * D + p / D] - mean[p / D]) * (y[i * D + p % D] - mean[p % D]) / n;
            /* five standard errors */
            check_near("share", n / DRAWN, a.share[c], 5 * sqrt(0.25 / DRAWN));
            for (int j = 0; j < D; j++) {
                double sd = sqrt(a.S[c][j * D + j]);
                check_near("mean", mean[j] / sd, a.mean[c][j] / sd,
                           5 * fmax(1, fabs(mean[j] / sd)) / sqrt(n));
                check_near("variance", S[j * D + j] / sd / sd, 1, 8 / sqrt(n));
            }
            double unit = sqrt(a.S[c][0] * a.S[c][3]);
            check_near("covariance", S[1] / unit, a.S[c][1] / unit, 8 / sqrt(n));
        }
        end_fitted(&f);
    }
    free(x), free(y), free(of);
}

/* ---- how many --------------------------------------------------------------------------- */

static void criteria_are_those_of_another_program(void **unused)
{
    static const struct {
        const char *shape;
        const double *bic, *aic;
        int n;
    } want[] = {
        {"full", iris_full_bic, iris_full_aic, SMR_COUNT(iris_full_bic)},
        {"tied", iris_tied_bic, iris_tied_aic, SMR_COUNT(iris_tied_bic)},
        {"diagonal", iris_diagonal_bic, iris_diagonal_aic, SMR_COUNT(iris_diagonal_bic)},
        {"spherical", iris_spherical_bic, iris_spherical_aic, SMR_COUNT(iris_spherical_bic)}};
    (void)unused;
    for (int w = 0; w < SMR_COUNT(want); w++)
        for (int aic = 0; aic < 2; aic++) {
            smr_ctx *ctx = check_ctx(1);
            smr_table *t = NULL;
            smr_model *model = NULL;
            char words[160];
            smr_set_opts opts = {.task = SMR_TASK_CLUSTER, .ignore = "species"};
            check_ok(ctx, smr_table_open(ctx, "data/iris.csv", NULL, &t));
            snprintf(words, sizeof words,
                     "gmm most=%d criterion=%s covariance=%s tol=1e-12 max_iter=20000 restarts=8 "
                     "floor=1e-9",
                     want[w].n, aic ? "aic" : "bic", want[w].shape);
            check_ok(ctx, try_train(ctx, words, t, &opts, &model));
            const struct smr_gmm_state *s = model->stages[model->n_stages - 1].state;
            int best = 0;
            for (int k = 0; k < want[w].n; k++) {
                const double *value = aic ? want[w].aic : want[w].bic;
                check_near("criterion", s->tried[k] / value[k], 1, 1e-6);
                if (value[k] < value[best]) best = k;
            }
            assert_int_equal(s->k, best + 1);
            smr_model_free(model);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
}

/* Three clouds and a point that is there many times: under four components and more one of them
 * collapses there, with a likelihood that is as large as the floor lets it be. */
static void numbers_under_which_a_component_collapses_are_not_chosen(void **unused)
{
    enum { N = 240, D = 2 };
    (void)unused;
    double *x = clouds(N, D, 3, 6, 41);
    struct heard heard;
    struct matrix_data m;
    for (int64_t i = 0; i < 40; i++) x[i * D] = 60, x[i * D + 1] = -60;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_gmm("most=6", &m, 1);
    const struct smr_gmm_state *s = state_of(&f);
    assert_int_equal(s->n_thin, 0);
    assert_true(isnan(s->tried[3]) && isfinite(s->tried[0]));
    end_fitted(&f);
    smr_ctx *ctx = hearing_ctx(&heard);
    void *params = make_params(ctx, &smr_gmm, "k=4"), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_gmm, &state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_gmm, params, &m.data, state, &report));
    check_heard(&heard, "1 of 4 components collapsed: in some direction its rows hardly differ");
    smr_fit_report_release(&report);
    smr_state_free(&smr_gmm, state);
    smr_params_free(smr_gmm.word, params);
    smr_ctx_destroy(ctx);
    free(x);
}

/* ---- where it begins, and what is refused ------------------------------------------------- */

static void a_warm_start_goes_on(void **unused)
{
    enum { N = 500, D = 2 };
    (void)unused;
    double *x = clouds(N, D, 3, 1, 51);
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++) {
        struct matrix_data m;
        char words[128];
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=3 restarts=1 tol=0 max_iter=4 covariance=%s",
                 shapes[shape]);
        struct fitted a = fit_gmm(words, &m, 1);
        snprintf(words, sizeof words, "k=3 restarts=1 tol=0 max_iter=7 covariance=%s",
                 shapes[shape]);
        struct fitted b = fit_gmm(words, &m, 1);
        smr_stage stage = {.learner = &smr_gmm, .params = a.params, .state = a.state};
        smr_shape of = {.n_features = D, .features = m.features};
        smr_warm_start warm = {&stage, &of};
        smr_ctx *ctx = check_ctx(1);
        smr_fit_report report = {.warm = &warm};
        void *state = NULL;
        snprintf(words, sizeof words, "restarts=3 tol=0 max_iter=3 covariance=%s", shapes[shape]);
        void *params = make_params(ctx, &smr_gmm, words);
        check_ok(ctx, smr_state_create(ctx, &smr_gmm, &state));
        check_ok(ctx, smr_learner_fit(ctx, &smr_gmm, params, &m.data, state, &report));
        assert_true(report.is_warm);
        const struct smr_gmm_state *s = state, *t = state_of(&b);
        for (int64_t j = 0; j < 3 * D; j++) check_near("mean", s->mean[j], t->mean[j], 0);
        check_near("log-likelihood", s->log_likelihood, t->log_likelihood, 0);
        smr_fit_report_release(&report);
        smr_state_free(&smr_gmm, state);
        smr_params_free(smr_gmm.word, params);
        check_ctx_end(ctx);
        end_fitted(&a);
        end_fitted(&b);
    }
    free(x);
}

static void what_has_no_mixture_is_refused(void **unused)
{
    double x[] = {1, 2, 1, 2, 3, 4, 1, 2, 3, 4}, wild[] = {1, 1e200, -1e200, 5};
    double none[] = {0, 0, 0, 0, 0}, gap[] = {1, NAN, 3, 4};
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, 5, 2, 1, x, x, NULL);
    check_refused("k=3", &m, 0,
                  "gmm: 3 components, and only 2 rows differ from each other; take k up to 2");
    check_refused("k=9 start=random", &m, 0, "only 2 rows differ");
    check_refused("k=9", &m, 0, "9 components");
    matrix_data(&m, 5, 2, 1, x, x, none);
    check_refused("k=1", &m, 0, "gmm: no rows to fit: all weights are 0");
    matrix_data(&m, 4, 1, 1, wild, wild, NULL);
    check_refused("k=1", &m, 0, "gmm: variances overflow: rescale the columns");
    matrix_data(&m, 4, 1, 1, gap, gap, NULL);
    check_refused("k=1", &m, 0, "missing");
    double *wide = random_matrix(200 * 60, 3);
    matrix_data(&m, 200, 60, 1, wide, wide, NULL);
    check_refused("k=50", &m, 4 << 20, "take fewer components or columns, or covariance=diagonal");
    free(wide);
}

static void few_rows_have_a_mixture(void **unused)
{
    double x[] = {3, 5, 3, 5, 3, 7, 3, 8}, score[4];
    struct matrix_data m;
    (void)unused;
    for (int shape = 0; shape < SMR_COUNT(shapes); shape++)
        for (int n = 1; n <= 4; n++) { /* a column is constant */
            char words[64];
            matrix_data(&m, n, 2, 1, x, x, NULL);
            snprintf(words, sizeof words, "covariance=%s", shapes[shape]);
            struct fitted f = fit_gmm(words, &m, 1);
            ask(&f, n, 2, x, SMR_OUTPUT_SCORE, score);
            for (int i = 0; i < n; i++) assert_true(isfinite(score[i]));
            end_fitted(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_are_those_of_the_plain_form),
        cmocka_unit_test(fits_that_converged_are_fixed_points),
        cmocka_unit_test(the_likelihood_never_falls),
        cmocka_unit_test(weight_2_is_the_row_twice),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(shares_of_rows_and_densities_agree),
        cmocka_unit_test(drawn_rows_are_those_of_the_mixture),
        cmocka_unit_test(criteria_are_those_of_another_program),
        cmocka_unit_test(numbers_under_which_a_component_collapses_are_not_chosen),
        cmocka_unit_test(a_warm_start_goes_on),
        cmocka_unit_test(what_has_no_mixture_is_refused),
        cmocka_unit_test(few_rows_have_a_mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
