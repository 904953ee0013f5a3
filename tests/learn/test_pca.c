/* test_pca.c -- routes that agree, what components must be, numbers of them, scores, streams. */
#include "learn/factor/pca.h"

#include "data/split.h"
#include "kernel/kernel.h"
#include "learn/matrix_data.h"
#include "pipeline.h"
#include "truth/components.h"

extern const smr_learner smr_pca;

static struct smr_pca_state *state_of(const struct fitted *f)
{
    return f->state;
}

static struct fitted fit_pca(const char *words, struct matrix_data *m, int threads)
{
    m->data.task = SMR_TASK_NONE;
    m->data.n_outputs = 0;
    m->data.y = NULL;
    return fit_matrix(&smr_pca, words, &m->data, threads);
}

static void ask(const struct fitted *f, int64_t n, int64_t d, const double *x, smr_output output,
                double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    void *scratch = smr_alloc(f->ctx, smr_pca.fitted->scratch(f->params, f->state, n), 1);
    assert_non_null(scratch);
    check_ok(f->ctx,
             smr_pca.fitted->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

/* What a fit that fails says; limit: bytes that it may take, 0: any. */
static void check_refused(const char *words, const smr_data *data, int64_t limit, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_pca, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_pca, &state));
    if (limit) check_ok(ctx, smr_ctx_set_memory_limit(ctx, limit));
    assert_int_not_equal(smr_learner_fit(ctx, &smr_pca, params, data, state, &report), SMR_OK);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_pca, state);
    smr_params_free(smr_pca.word, params);
    check_ctx_end(ctx);
}

/* n x d of rank r (and noise of this size), with columns of other means and spreads. */
static double *mixed(int64_t n, int64_t d, int64_t r, double noise, uint64_t seed)
{
    double *a = random_matrix(n * r, seed), *b = random_matrix(r * d, seed + 1);
    double *x = random_matrix(n * d, seed + 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double sum = noise * x[i * d + j] + 3 * (double)(j % 5);
            for (int64_t k = 0; k < r; k++)
                sum += a[i * r + k] * b[k * d + j] * pow(0.8, (double)k);
            x[i * d + j] = sum;
        }
    free(a), free(b);
    return x;
}

static void check_orthonormal(const struct smr_pca_state *s, double tolerance)
{
    for (int64_t a = 0; a < s->n_out; a++) {
        const double *u = s->component + a * s->n_features;
        for (int64_t b = 0; b <= a; b++)
            check_near("product of components",
                       smr_dot_f64(s->n_features, u, s->component + b * s->n_features), a == b,
                       tolerance);
        double largest = 0;
        int64_t at = 0;
        for (int64_t j = 0; j < s->n_features; j++) largest = fmax(largest, fabs(u[j]));
        while (fabs(u[at]) < largest * (1 - 1e-9)) at++;
        assert_true(u[at] > 0);
        if (a) assert_true(s->variance[a] <= s->variance[a - 1]);
    }
}

/* ---- routes ----------------------------------------------------------------------------- */

static const char *const solvers[] = {"svd", "covariance", "lanczos", "random"};

static void routes_agree_for_any_shape(void **unused)
{
    static const int64_t shapes[][2] = {{201, 13}, {31, 47}, {60, 60}, {5, 3}, {3, 11}, {1029, 7}};
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(shapes); k++) {
        int64_t n = shapes[k][0], d = shapes[k][1];
        double *x = mixed(n, d, SMR_MIN(n, d), 0.01, (uint64_t)k), *weight = random_matrix(n, 77);
        for (int64_t i = 0; i < n; i++) weight[i] = i % 5 == 3 ? 0 : 0.5 + fabs(weight[i]);
        for (int w = 0; w < 2; w++) {
            struct matrix_data m;
            struct fitted first = {0};
            matrix_data(&m, n, d, 1, x, x, w ? weight : NULL);
            for (int s = 0; s < SMR_COUNT(solvers); s++) {
                char words[64];
                snprintf(words, sizeof words, "k=2 solver=%s", solvers[s]);
                struct fitted f = fit_pca(words, &m, 2);
                check_orthonormal(state_of(&f), 1e-12);
                if (s == 0) {
                    first = f;
                    continue;
                }
                const struct smr_pca_state *a = state_of(&first), *b = state_of(&f);
                check_near("total", b->total / a->total, 1, 1e-12);
                check_near("noise", b->noise, a->noise, 1e-9);
                for (int64_t c = 0; c < a->n_out; c++)
                    check_near("variance", b->variance[c] / a->variance[c], 1, 1e-10);
                for (int64_t j = 0; j < a->n_out * d; j++)
                    check_near("component", b->component[j], a->component[j], 1e-6);
                end_fitted(&f);
            }
            end_fitted(&first);
        }
        free(x), free(weight);
    }
}

/* What random projections miss, no other route does. */
static void variance_is_not_below_that_of_random_projections(void **unused)
{
    enum { N = 700, D = 60, K = 6 };
    (void)unused;
    double *x = mixed(N, D, D, 0.3, 5), variance[4];
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    for (int s = 0; s < 4; s++) {
        char words[64];
        snprintf(words, sizeof words, "k=6 solver=%s%s", solvers[s], s == 3 ? " passes=2" : "");
        struct fitted f = fit_pca(words, &m, 1);
        variance[s] = 0;
        for (int c = 0; c < K; c++) variance[s] += state_of(&f)->variance[c];
        end_fitted(&f);
    }
    for (int s = 0; s < 3; s++) {
        check_near("variance", variance[s] / variance[0], 1, 1e-9);
        assert_true(variance[s] >= variance[3] * (1 - 1e-12));
    }
    assert_true(variance[3] > 0.95 * variance[0]);
    free(x);
}

static void bytes_give_what_doubles_give(void **unused)
{
    enum { N = 3001, D = 37 };
    (void)unused;
    uint8_t *bytes = malloc(N * D);
    double *x = malloc(N * D * sizeof *x);
    assert_true(bytes && x);
    for (int64_t i = 0; i < N * D; i++)
        x[i] = bytes[i] =
            i % D == 5
                ? 7
                : (uint8_t)(smr_random_bits(1, SMR_STREAM_TEST, (uint64_t)i, 0) % (i % D + 3));
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted a = fit_pca("k=9 solver=covariance", &m, 1);
    for (int j = 0; j < D; j++) m.features[j].dtype = SMR_U8, m.features[j].values = bytes + j;
    struct fitted b = fit_pca("k=9 solver=covariance", &m, 2);
    const struct smr_pca_state *s = state_of(&a), *t = state_of(&b);
    for (int c = 0; c < 9; c++) {
        check_near("variance", t->variance[c] / s->variance[c], 1, 1e-13);
        check_near("weight of a constant column", t->component[c * D + 5], 0, 0);
    }
    for (int j = 0; j < 9 * D; j++) check_near("component", t->component[j], s->component[j], 1e-9);
    end_fitted(&a);
    end_fitted(&b);
    free(bytes), free(x);
}

/* 50 entries in each of 400 rows of 30000 features: as dense doubles 96 MB. */
static void sparse_rows_are_never_dense(void **unused)
{
    enum { N = 400, D = 30000, E = 50, K = 4 };
    (void)unused;
    int64_t *start = malloc((N + 1) * sizeof *start), peak = 0;
    int32_t *column = malloc(N * E * sizeof *column);
    double *value = malloc(N * E * sizeof *value);
    assert_true(start && column && value);
    for (int64_t i = 0; i <= N; i++) start[i] = i * E;
    for (int64_t i = 0; i < N * E; i++) {
        column[i] = (int32_t)(i % E * (D / E) + (i * 7919 + i / E * (i / E)) % (D / E));
        value[i] = 1 + (double)(i % 3) + (i % E < 2 ? 5 * (double)(i / E % 4) : 0);
    }
    smr_csr sparse = {N, D, start, column, value};
    smr_data data = {.size = sizeof data, .n_rows = N, .n_features = D, .sparse = &sparse};
    struct fitted f = fit_matrix(&smr_pca, "k=4", &data, 2);
    (void)smr_ctx_memory(f.ctx, &peak);
    if (peak > 40 << 20) fail_msg("%lld bytes were taken", (long long)peak);
    const struct smr_pca_state *s = state_of(&f);
    assert_int_equal(s->route, SMR_PCA_LANCZOS);
    assert_true(f.report.converged);
    check_orthonormal(s, 1e-12);
    /* The variance of the rows' features is that of the components; their means are 0. */
    double z[N * K], scratch[1], off[N];
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_SPARSE};
    rows.start = start, rows.column = column, rows.value = value;
    smr_pca_project(s, &rows, z, off, scratch);
    double left = 0;
    for (int i = 0; i < N; i++) left += off[i] / (N - 1);
    for (int c = 0; c < K; c++) {
        double sum = 0, square = 0;
        for (int i = 0; i < N; i++) sum += z[i * K + c], square += z[i * K + c] * z[i * K + c];
        check_near("mean", sum / N, 0, 1e-10);
        check_near("variance", square / (N - 1) / s->variance[c], 1, 1e-10);
        left += s->variance[c];
    }
    check_near("variance in all", left / s->total, 1, 1e-10);
    end_fitted(&f);
    free(start), free(column), free(value);
}

/* ---- what components are ------------------------------------------------------------------ */

static void rows_come_back(void **unused)
{
    enum { N = 90, D = 7 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 3), z[N * D], back[N * D], off[N];
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    static const char *const words[] = {"k=all", "k=all whiten=yes", "k=3", "k=3 whiten=yes"};
    for (int w = 0; w < 4; w++) {
        struct fitted f = fit_pca(words[w], &m, 1);
        const struct smr_pca_state *s = state_of(&f);
        double lost = 0, left = 0;
        ask(&f, N, D, x, SMR_OUTPUT_TRANSFORM, z);
        ask(&f, N, D, x, SMR_OUTPUT_SCORE, off);
        smr_rows rows = {.n = N, .d = s->n_out, .form = SMR_FORM_F64, .x = z, .stride = s->n_out};
        check_ok(f.ctx,
                 smr_pca.fitted->transform->inverse(f.ctx, f.params, f.state, &rows, back, NULL));
        for (int i = 0; i < N; i++) {
            double apart = smr_l2sq_f64(D, x + i * D, back + i * D);
            check_near("score", off[i], -apart, 1e-12);
            lost += apart;
        }
        for (int c = (int)s->n_out; c < D; c++) left += s->known[c] * (N - 1);
        check_near(words[w], lost, left, 1e-10);
        for (int i = 0; i < N * D && w < 2; i++) check_near("value", back[i], x[i], 1e-12);
        end_fitted(&f);
    }
    free(x);
}

static void shares_are_met_by_the_fewest(void **unused)
{
    enum { N = 300, D = 12 };
    (void)unused;
    double *x = mixed(N, D, D, 0.2, 11);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    for (int s = 0; s < 3; s++)
        for (double share = 0.3; share < 1; share += 0.13) {
            char words[64];
            snprintf(words, sizeof words, "k=%g solver=%s", share, solvers[s]);
            struct fitted f = fit_pca(words, &m, 1);
            const struct smr_pca_state *p = state_of(&f);
            double sum = 0;
            for (int64_t c = 0; c < p->n_out; c++) sum += p->variance[c];
            assert_true(sum >= share * p->total * (1 - 1e-9));
            assert_true(sum - p->variance[p->n_out - 1] < share * p->total);
            end_fitted(&f);
        }
    free(x);
}

/* A share that 32 components do not have: more are looked for. */
static void lanczos_goes_on_to_a_share(void **unused)
{
    enum { N = 150, D = 60 };
    (void)unused;
    double *x = random_matrix(N * D, 4);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_pca("k=0.9 solver=lanczos", &m, 1);
    struct fitted g = fit_pca("k=0.9 solver=svd", &m, 1);
    assert_true(state_of(&f)->n_out > 32);
    assert_int_equal(state_of(&f)->n_out, state_of(&g)->n_out);
    end_fitted(&f);
    end_fitted(&g);
    free(x);
}

/* ---- by cross-validation ------------------------------------------------------------------ */

/* The same from models that are fitted on the other folds and asked for densities. */
static void cross_validation_is_what_models_of_the_folds_say(void **unused)
{
    enum { N = 83, D = 5, FOLDS = 4 };
    (void)unused;
    double *x = mixed(N, D, 2, 0.3, 21), score[N];
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_pca("k=cv folds=4", &m, 2);
    const struct smr_pca_state *s = state_of(&f);
    smr_parts parts = {0};
    smr_split_rows of = {.n = N, .seed = f.ctx->seed};
    check_ok(f.ctx, smr_split_folds(f.ctx, &of, FOLDS, &parts));
    assert_int_equal(s->n_tried, D);
    assert_int_equal(s->n_out, 2);
    for (int k = 1; k <= D; k++) {
        char sentence[64];
        double sum = 0;
        snprintf(sentence, sizeof sentence, "pca %d", k);
        for (int fold = 0; fold < FOLDS; fold++) {
            double some[N * D];
            int64_t n = 0;
            bool held[N] = {0};
            for (int64_t i = 0; i < smr_part_size(&parts, fold); i++)
                held[smr_part_rows(&parts, fold)[i]] = true;
            for (int i = 0; i < N; i++)
                if (!held[i]) memcpy(some + D * n++, x + i * D, D * sizeof *x);
            smr_table *t = matrix_table(f.ctx, n, D, some, names);
            smr_table *all = matrix_table(f.ctx, N, D, x, names);
            smr_set_opts opts = {.keep_all = true, .task = SMR_TASK_DENSITY};
            smr_model *model = NULL;
            check_ok(f.ctx, try_train(f.ctx, sentence, t, &opts, &model));
            check_ok(f.ctx, smr_model_apply(f.ctx, model, all, NULL, 0, SMR_OUTPUT_SCORE, score));
            for (int i = 0; i < N; i++) sum += held[i] ? score[i] : 0;
            smr_model_free(model);
            smr_table_free(t);
            smr_table_free(all);
        }
        check_near(sentence, s->tried[k - 1], sum / N, 1e-10);
        assert_true(s->tried[k - 1] <= s->tried[1] && s->tried_error[k - 1] > 0);
    }
    smr_parts_release(&parts);
    end_fitted(&f);
    free(x);
}

/* ---- degenerate tables -------------------------------------------------------------------- */

static void components_beyond_the_rank_are_left_out_and_said(void **unused)
{
    enum { N = 40, D = 8 };
    (void)unused;
    double *x = mixed(N, D, 3, 0, 31);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (int s = 0; s < 3; s++) {
        struct heard heard;
        smr_ctx *ctx = hearing_ctx(&heard);
        smr_table *t = matrix_table(ctx, N, D, x, names);
        smr_set_opts opts = {.keep_all = true};
        smr_model *model = NULL;
        char sentence[64];
        snprintf(sentence, sizeof sentence, "pca 5 solver=%s", solvers[s]);
        check_ok(ctx, try_train(ctx, sentence, t, &opts, &model));
        assert_int_equal(smr_model_width(model, SMR_OUTPUT_TRANSFORM), 3);
        check_heard(&heard, "pca: k=5, and the variance of 40 rows of 8 features lies in 3 "
                            "directions; this many components are kept");
        smr_model_free(model);
        opts.task = SMR_TASK_DENSITY;
        check_fails(ctx, try_train(ctx, "pca all", t, &opts, &model), SMR_ERR_DATA,
                    "3 components hold all the variance of 8 features, and rows off their plane "
                    "have no density; keep fewer, such as k=2");
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    free(x);
}

static void constant_rows_have_one_component_of_no_variance(void **unused)
{
    enum { N = 9, D = 3 };
    (void)unused;
    double x[N * D], z[N];
    struct matrix_data m;
    for (int i = 0; i < N * D; i++) x[i] = 1.1 * (i % D);
    matrix_data(&m, N, D, 1, x, x, NULL);
    for (int s = 0; s < 4; s++) {
        char words[64];
        snprintf(words, sizeof words, "k=1 solver=%s", solvers[s]);
        struct fitted f = fit_pca(words, &m, 1);
        assert_int_equal(state_of(&f)->n_out, 1);
        check_near("variance", state_of(&f)->variance[0], 0, 0);
        ask(&f, N, D, x, SMR_OUTPUT_TRANSFORM, z);
        for (int i = 0; i < N; i++) check_near("feature", z[i], 0, 1e-15);
        end_fitted(&f);
    }
}

static void large_offsets_cost_no_digits(void **unused)
{
    enum { N = 400, D = 5 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 41), *y = malloc(N * D * sizeof *y);
    assert_non_null(y);
    for (int i = 0; i < N * D; i++) {
        x[i] = ldexp(floor(ldexp(x[i], 20)), -20);
        y[i] = x[i] + 1e8 * (1 + i % D);
    }
    for (int s = 0; s < 4; s++) {
        char words[64];
        struct matrix_data m;
        snprintf(words, sizeof words, "k=3 solver=%s", solvers[s]);
        matrix_data(&m, N, D, 1, x, x, NULL);
        struct fitted f = fit_pca(words, &m, 1);
        matrix_data(&m, N, D, 1, y, y, NULL);
        struct fitted g = fit_pca(words, &m, 1);
        for (int c = 0; c < 3; c++)
            check_near("variance", state_of(&g)->variance[c] / state_of(&f)->variance[c], 1, 1e-9);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x), free(y);
}

static void values_that_cannot_be_are_refused(void **unused)
{
    enum { N = 30, D = 4 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 51);
    struct matrix_data m;
    x[7 * D + 2] = (double)INFINITY;
    matrix_data(&m, N, D, 1, x, x, NULL);
    m.data.task = SMR_TASK_NONE;
    for (int s = 0; s < 4; s++) {
        char words[64];
        snprintf(words, sizeof words, "k=2 solver=%s", solvers[s]);
        check_refused(words, &m.data, 0, "row 8, column 'x2': the value is not finite");
    }
    x[7 * D + 2] = 0;
    m.data.n_rows = 0;
    check_refused("k=2", &m.data, 0, "pca: no rows to fit");
    m.data.n_rows = N;
    double none[N] = {0};
    m.data.weight = none;
    check_refused("k=2", &m.data, 0, "all weights are 0");
    m.data.weight = NULL;
    m.data.task = SMR_TASK_DENSITY;
    check_refused("k=2 score=distance", &m.data, 0,
                  "pca: the score of a density is its logarithm; leave score out");
    m.data.task = SMR_TASK_NONE;
    m.data.n_rows = 1;
    check_refused("k=cv", &m.data, 0, "pca: k=cv needs at least 2 rows; give a number");
    free(x);
}

static void memory_that_is_not_there_is_asked_for_before_the_work(void **unused)
{
    enum { N = 500, D = 60 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 61);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    m.data.task = SMR_TASK_NONE;
    check_refused("k=2 solver=svd", &m.data, 60000, "pca: a copy of the rows");
    check_refused("k=2 solver=covariance", &m.data, 60000, "pca: the covariance of these columns");
    check_refused("k=2 solver=lanczos", &m.data, 60000, "pca: products with the rows");
    free(x);
}

static void failing_allocations_are_survived(void **unused)
{
    enum { N = 30, D = 6 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 71);
    static const char *const words[] = {"k=2 solver=svd", "k=2 solver=covariance", "k=cv folds=2",
                                        "k=0.5 solver=lanczos", "k=2 solver=random"};
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    m.data.task = SMR_TASK_NONE;
    for (int w = 0; w < SMR_COUNT(words); w++) check_failing_fits(&smr_pca, words[w], &m.data);
    free(x);
}

/* ---- truths ------------------------------------------------------------------------------- */

static void wines_have_the_recorded_variances_and_densities(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    double *score = NULL;
    check_ok(ctx, smr_table_open(ctx, "tests/truth/wines.csv", NULL, &t));
    for (int k = 1; k <= SMR_COUNT(wine_densities); k++) {
        char sentence[64];
        smr_set_opts opts = {.keep_all = true,
                             .ignore = "shade,acid,weight,part,second,cultivar",
                             .task = SMR_TASK_DENSITY};
        smr_model *m = NULL;
        double sum = 0, volume = 0;
        snprintf(sentence, sizeof sentence, "standardize | pca %d", k);
        check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
        const struct smr_pca_state *s = m->stages[1].state;
        for (int c = 0; c < k; c++)
            check_near("variance", s->variance[c], wine_variances[c], 1e-11);
        score = apply(ctx, m, t, SMR_OUTPUT_SCORE);
        volume = m->stages[0].learner->fitted->transform->log_volume(m->stages[0].params,
                                                                     m->stages[0].state);
        for (int64_t i = 0; i < t->n_rows; i++) sum += score[i] - volume;
        check_near("log-density", sum / (double)t->n_rows, wine_densities[k - 1], 1e-11);
        smr_free(score);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void features_are_named_by_their_component(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, "data/iris.csv", NULL, &t));
    smr_set_opts opts = {.keep_all = true, .target = "species"};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, "pca 2", t, &opts, &m));
    assert_int_equal(m->target.task, SMR_TASK_NONE);
    assert_string_equal(m->stages[0].features[0].name, "pc1");
    assert_string_equal(m->stages[0].features[1].name, "pc2");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- streams ------------------------------------------------------------------------------ */

struct streamed {
    smr_ctx *ctx;
    void *params, *state;
};

static struct streamed stream_of(const char *words, int64_t n, int64_t d, const double *x)
{
    struct streamed s = {.ctx = check_ctx(1)};
    smr_shape shape = {.learner = &smr_pca, .n_features = d};
    s.params = make_params(s.ctx, &smr_pca, words);
    check_ok(s.ctx, smr_state_create(s.ctx, &smr_pca, &s.state));
    check_ok(s.ctx, smr_pca.stream->begin(s.ctx, s.params, &shape, s.state));
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    smr_truths none = {0};
    check_ok(s.ctx, smr_pca.stream->learn(s.ctx, s.params, s.state, &rows, &none, NULL));
    return s;
}

static void end_stream(struct streamed *s)
{
    smr_state_free(&smr_pca, s->state);
    smr_params_free(smr_pca.word, s->params);
    check_ctx_end(s->ctx);
}

/* With room for every direction a stream ends where a fit does. */
static void a_stream_of_few_features_is_exact(void **unused)
{
    enum { N = 500, D = 11 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 81);
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_pca("k=4 solver=svd", &m, 1);
    struct streamed g = stream_of("k=4", N, D, x);
    const struct smr_pca_state *a = f.state, *b = g.state;
    check_near("total", b->total / a->total, 1, 1e-12);
    check_near("noise", b->noise / a->noise, 1, 1e-11);
    for (int c = 0; c < 4; c++) check_near("variance", b->variance[c] / a->variance[c], 1, 1e-11);
    for (int j = 0; j < 4 * D; j++) check_near("component", b->component[j], a->component[j], 1e-8);
    end_stream(&g);
    end_fitted(&f);
    free(x);
}

/* With more features than there is room for, what is kept is nearly the best. */
static void a_stream_of_many_features_is_near(void **unused)
{
    enum { N = 2000, D = 60, K = 3 };
    (void)unused;
    double *x = mixed(N, D, 5, 0.3, 91), kept = 0;
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_pca("k=3 solver=svd", &m, 1);
    struct streamed g = stream_of("k=3", N, D, x);
    const struct smr_pca_state *a = f.state, *b = g.state;
    assert_true(b->n_room < D);
    check_orthonormal(b, 1e-12);
    check_near("total", b->total / a->total, 1, 1e-12);
    for (int c = 0; c < K; c++) {
        assert_true(b->variance[c] <= a->variance[c] * (1 + 1e-12));
        check_near("variance", b->variance[c] / a->variance[c], 1, 0.01);
        kept += fabs(smr_dot_f64(D, a->component + c * D, b->component + c * D)) / K;
    }
    assert_true(kept > 0.99);
    end_stream(&g);
    end_fitted(&f);
    free(x);
}

static void what_a_stream_cannot_do_is_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_shape shape = {.learner = &smr_pca, .n_features = 3};
    static const char *const said[][2] = {{"k=0.9", "in a stream the number of components"},
                                          {"k=cv", "in a stream the number of components"},
                                          {"k=4", "pca: k=4 components of 3 features"}};
    for (int w = 0; w < 3; w++) {
        void *params = make_params(ctx, &smr_pca, said[w][0]), *state = NULL;
        check_ok(ctx, smr_state_create(ctx, &smr_pca, &state));
        check_fails(ctx, smr_pca.stream->begin(ctx, params, &shape, state), SMR_ERR_PARAM,
                    said[w][1]);
        smr_state_free(&smr_pca, state);
        smr_params_free(smr_pca.word, params);
    }
    check_ctx_end(ctx);
    double *x = random_matrix(40 * 3, 1);
    struct matrix_data m;
    matrix_data(&m, 40, 3, 1, x, x, NULL);
    struct fitted f = fit_pca("k=2", &m, 1);
    smr_rows rows = {.n = 1, .d = 3, .form = SMR_FORM_F64, .x = x, .stride = 3};
    smr_truths none = {0};
    check_fails(f.ctx, smr_pca.stream->learn(f.ctx, f.params, f.state, &rows, &none, NULL),
                SMR_ERR_STATE, "begin a new model with 'samara stream'");
    end_fitted(&f);
    free(x);
}

/* ---- what is told ------------------------------------------------------------------------- */

static void inspect_tells_shares_and_draws_scree_and_biplot(void **unused)
{
    enum { N = 60, D = 5 };
    (void)unused;
    double *x = mixed(N, D, D, 0.1, 101), sum = 0;
    struct matrix_data m;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_pca("k=3", &m, 1);
    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *list = smr_json_get(smr_json_root(doc), "components");
    assert_int_equal(list->n, 3);
    for (const smr_json *row = list->first; row; row = row->next) {
        sum += smr_json_get_number(row, "share", 0);
        check_near("together", smr_json_get_number(row, "together", 0), sum, 1e-15);
    }
    assert_string_equal(smr_json_get_string(smr_json_root(doc), "route", ""), "svd");
    smr_json_free(doc);
    check_ok(f.ctx, smr_json_create(f.ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(f.ctx, smr_pca.fitted->draw(f.ctx, f.params, f.state, m.features, D, "1-", figures));
    assert_string_equal(smr_json_get_string(figures->first, "name", ""), "1-scree");
    assert_string_equal(smr_json_get_string(figures->first->next, "name", ""), "1-biplot");
    smr_json_free(doc);
    end_fitted(&f);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_agree_for_any_shape),
        cmocka_unit_test(variance_is_not_below_that_of_random_projections),
        cmocka_unit_test(bytes_give_what_doubles_give),
        cmocka_unit_test(sparse_rows_are_never_dense),
        cmocka_unit_test(rows_come_back),
        cmocka_unit_test(shares_are_met_by_the_fewest),
        cmocka_unit_test(lanczos_goes_on_to_a_share),
        cmocka_unit_test(cross_validation_is_what_models_of_the_folds_say),
        cmocka_unit_test(components_beyond_the_rank_are_left_out_and_said),
        cmocka_unit_test(constant_rows_have_one_component_of_no_variance),
        cmocka_unit_test(large_offsets_cost_no_digits),
        cmocka_unit_test(values_that_cannot_be_are_refused),
        cmocka_unit_test(memory_that_is_not_there_is_asked_for_before_the_work),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(wines_have_the_recorded_variances_and_densities),
        cmocka_unit_test(features_are_named_by_their_component),
        cmocka_unit_test(a_stream_of_few_features_is_exact),
        cmocka_unit_test(a_stream_of_many_features_is_near),
        cmocka_unit_test(what_a_stream_cannot_do_is_refused),
        cmocka_unit_test(inspect_tells_shares_and_draws_scree_and_biplot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
