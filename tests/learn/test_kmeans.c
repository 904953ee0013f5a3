/* test_kmeans.c -- iterations beside another program's, solvers and forms that agree in every bit,
 * ties, empty clusters, starts, moves, angles, streams, and what is refused. */
#include "learn/cluster/kmeans.h"

#include "kernel/kernel.h"
#include "learn/matrix_data.h"
#include "pipeline.h"
#include "truth.h"
#include "truth/centres.h"

extern const smr_learner smr_kmeans;

static struct smr_kmeans_state *state_of(const struct fitted *f)
{
    return f->state;
}

static struct fitted fit_kmeans(const char *words, smr_data *data, int threads)
{
    data->task = SMR_TASK_CLUSTER;
    data->n_outputs = 0;
    data->y = NULL;
    return fit_matrix(&smr_kmeans, words, data, threads);
}

static void ask(const struct fitted *f, int64_t n, int64_t d, const double *x, smr_output output,
                double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    void *scratch = smr_alloc(f->ctx, smr_kmeans.fitted->scratch(f->params, f->state, n), 1);
    assert_non_null(scratch);
    check_ok(f->ctx,
             smr_kmeans.fitted->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

/* n x d around `groups` places, far from 0. */
static double *groups_of(int64_t n, int64_t d, int64_t groups, double apart, uint64_t seed)
{
    double *x = random_matrix(n * d, seed), *place = random_matrix(groups * d, seed + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) x[i * d + j] += 7 + apart * place[i % groups * d + j];
    free(place);
    return x;
}

static void check_same_state(const struct fitted *a, const struct fitted *b, const char *what)
{
    const struct smr_kmeans_state *s = state_of(a), *t = state_of(b);
    assert_int_equal(s->n_clusters, t->n_clusters);
    for (int64_t e = 0; e < s->n_clusters * s->n_features; e++)
        if (s->centre[e] != t->centre[e])
            fail_msg("%s: centre %lld: %a, not %a", what, (long long)e, s->centre[e], t->centre[e]);
    for (int64_t c = 0; c < s->n_clusters; c++) assert_true(s->share[c] == t->share[c]);
    assert_true(s->error == t->error);
    for (int64_t i = 0; i < s->n_sample; i++)
        assert_int_equal(s->sample_label[i], t->sample_label[i]);
}

/* ---- iterations ------------------------------------------------------------------------- */

/* wines.csv, standardised as its script does. */
static double *wines(int64_t *n)
{
    enum { D = 13 };
    static const char *const left[] = {"shade", "acid", "weight", "part", "second", "cultivar"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    smr_read_opts opts = {.header = -1};
    check_ok(ctx, smr_table_read(ctx, "tests/truth/wines.csv", &opts, &table));
    *n = table->n_rows;
    double *x = calloc((size_t)(*n * D), sizeof *x);
    int64_t j = 0;
    for (int64_t col = 0; col < table->n_cols; col++) {
        bool out = false;
        for (int64_t k = 0; k < SMR_COUNT(left); k++)
            out |= !strcmp(left[k], table->cols[col].name);
        if (out) continue;
        double mean = 0, square = 0;
        for (int64_t i = 0; i < *n; i++) mean += smr_column_number(&table->cols[col], i);
        mean /= (double)*n;
        for (int64_t i = 0; i < *n; i++) {
            double v = smr_column_number(&table->cols[col], i) - mean;
            x[i * D + j] = v;
            square += v * v;
        }
        for (int64_t i = 0; i < *n; i++) x[i * D + j] /= sqrt(square / (double)*n);
        j++;
    }
    assert_int_equal(j, D);
    smr_table_free(table);
    check_ctx_end(ctx);
    return x;
}

struct opened {
    smr_ctx *ctx;
    struct smr_kmeans_params p;
    smr_fit_report report;
    struct smr_km_work w;
};

/* A fit under way whose centres are the first k rows. */
static void open_at_first(struct opened *o, const smr_data *data, int64_t k, int solver)
{
    o->ctx = check_ctx(2);
    o->p = (struct smr_kmeans_params){.k = k, .starts = 1, .max_iter = 100, .solver = solver};
    o->w = (struct smr_km_work){.p = &o->p, .report = &o->report};
    check_ok(o->ctx, smr_km_open_work(o->ctx, data, &o->w));
    smr_km_reset(&o->w);
    for (int64_t c = 0; c < k; c++)
        memcpy(o->w.centre + c * data->n_features, smr_km_row(&o->w.rows, c, o->w.rows.work),
               (size_t)data->n_features * sizeof(double));
}

static void close_opened(struct opened *o)
{
    smr_km_close_work(o->ctx, &o->w);
    smr_fit_report_release(&o->report);
    check_ctx_end(o->ctx);
}

static void iterations_are_those_of_another_program(void **unused)
{
    static const double *const want[] = {wine_centres_1, wine_centres_2, wine_centres_3};
    int64_t n;
    double *x = wines(&n);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, n, 13, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    for (int64_t j = 0; j < 65; j++) check_near("start", x[j], wine_start[j], 1e-12);
    for (int64_t turns = 1; turns <= 8; turns++) {
        struct opened o = {0};
        double error = 0;
        open_at_first(&o, &m.data, 5, SMR_KM_ANY);
        o.p.max_iter = turns;
        check_ok(o.ctx, smr_km_iterate(o.ctx, &o.w));
        check_ok(o.ctx, smr_km_errors(o.ctx, &o.w, NULL, &error));
        check_near("error", error / wine_errors[turns - 1], 1, 1e-12);
        for (int64_t e = 0; e < 65 && turns <= 3; e++)
            check_near("centre", o.w.centre[e], want[turns - 1][e], 1e-12);
        close_opened(&o);
    }
    free(x);
}

static void the_error_never_rises(void **unused)
{
    static const char *const words[] = {"k=7 starts=1 start=random tol=0",
                                        "k=9 starts=1 tol=0 moves=10",
                                        "k=6 starts=3 metric=cosine tol=0"};
    double *x = groups_of(997, 5, 11, 1.5, 5);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, 997, 5, 1, x, x, NULL);
    for (int64_t k = 0; k < SMR_COUNT(words); k++) {
        struct fitted f = fit_kmeans(words[k], &m.data, 2);
        assert_true(f.report.converged);
        assert_true(f.report.n_curve > 2);
        for (int64_t i = 1; i < f.report.n_curve; i++)
            assert_true(f.report.curve[i] <= f.report.curve[i - 1] * (1 + 1e-13));
        check_near("objective", f.report.objective / f.report.curve[f.report.n_curve - 1], 1, 1e-9);
        end_fitted(&f);
    }
    free(x);
}

/* Every row is in the cluster of the centre that is nearest in double, the first of equals; every
 * centre is the mean of its rows. */
static void what_converged_is_a_fixed_point(void **unused)
{
    enum { N = 1201, D = 6, K = 8 };
    double *x = groups_of(N, D, 9, 2, 1), label[N];
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_kmeans("k=8 tol=0", &m.data, 2);
    const struct smr_kmeans_state *s = state_of(&f);
    double mean[K * D] = {0}, weight[K] = {0}, error = 0;
    ask(&f, N, D, x, SMR_OUTPUT_LABEL, label);
    for (int64_t i = 0; i < N; i++) {
        int64_t at = 0;
        for (int64_t c = 1; c < K; c++)
            if (smr_l2sq_f64(D, x + i * D, s->centre + c * D) <
                smr_l2sq_f64(D, x + i * D, s->centre + at * D))
                at = c;
        assert_true(label[i] == (double)at);
        error += smr_l2sq_f64(D, x + i * D, s->centre + at * D);
        weight[at]++;
        for (int64_t j = 0; j < D; j++) mean[at * D + j] += x[i * D + j];
    }
    check_near("error", s->error / error, 1, 1e-13);
    for (int64_t c = 0; c < K; c++) {
        assert_true(weight[c] == s->share[c]);
        for (int64_t j = 0; j < D; j++)
            check_near("mean", s->centre[c * D + j], mean[c * D + j] / weight[c], 1e-12);
    }
    end_fitted(&f);
    free(x);
}

/* ---- the same bits ---------------------------------------------------------------------- */

/* The rows again, as floats or bytes. */
static void as_floats(struct matrix_data *m, float *to, const double *x, int64_t n, int64_t d)
{
    for (int64_t e = 0; e < n * d; e++) to[e] = (float)x[e];
    for (int64_t j = 0; j < d; j++) {
        m->features[j].dtype = SMR_F32;
        m->features[j].values = to + j;
    }
}

static void as_bytes(struct matrix_data *m, uint8_t *to, const double *x, int64_t n, int64_t d)
{
    for (int64_t e = 0; e < n * d; e++) to[e] = (uint8_t)fmin(255, fmax(0, 100 + 20 * x[e]));
    for (int64_t j = 0; j < d; j++) {
        m->features[j].dtype = SMR_U8;
        m->features[j].values = to + j;
    }
}

static void solvers_threads_and_tiers_give_the_same_bits(void **unused)
{
    enum { N = 2311, D = 9 };
    static const int ks[] = {1, 2, 7, 70, 300};
    double *x = groups_of(N, D, 13, 2, 3), *weight = random_matrix(N, 9);
    float *floats = calloc(N * D, sizeof *floats);
    uint8_t *bytes = calloc(N * D, 1);
    (void)unused;
    for (int64_t i = 0; i < N; i++) weight[i] = i % 7 == 3 ? 0 : 0.1 + fabs(weight[i]);
    for (int64_t t = 0; t < 6 * SMR_COUNT(ks); t += CHECK_LESS ? 5 : 1) {
        static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
        struct matrix_data m;
        char words[2][80];
        int64_t k = ks[t / 6];
        matrix_data(&m, N, D, 1, x, x, t % 2 ? weight : NULL);
        if (t % 6 / 2 == 1) as_floats(&m, floats, x, N, D);
        if (t % 6 / 2 == 2) as_bytes(&m, bytes, x, N, D);
        for (int s = 0; s < 2; s++)
            snprintf(words[s], sizeof words[s], "k=%d starts=2 tol=0 max_iter=12 solver=%s", (int)k,
                     s ? "bounds" : "lloyd");
        struct fitted first = fit_kmeans(words[0], &m.data, 1);
        for (int threads = 1; threads <= 7; threads += 3) {
            struct fitted f = fit_kmeans(words[1], &m.data, threads);
            check_same_state(&first, &f, "bounds");
            end_fitted(&f);
        }
        const char *before = smr_kernel_tier();
        for (int64_t tier = 0; tier < SMR_COUNT(tiers); tier++) {
            if (!smr_kernel_use(tiers[tier])) continue;
            struct fitted f = fit_kmeans(words[tier % 2], &m.data, 2);
            check_same_state(&first, &f, tiers[tier]);
            end_fitted(&f);
        }
        assert_true(smr_kernel_use(before));
        end_fitted(&first);
    }
    free(x), free(weight), free(floats), free(bytes);
}

enum { WIDE_ROWS = 1511, WIDE = 140 };

/* Labels of a fit's last centres, by distances written out. */
static void check_labels(const struct fitted *f, const double *x, int64_t d)
{
    const struct smr_kmeans_state *s = state_of(f);
    double *share = calloc((size_t)s->n_clusters, sizeof *share), error = 0;
    for (int64_t i = 0; i < WIDE_ROWS; i++) {
        int64_t at = 0;
        for (int64_t c = 1; c < s->n_clusters; c++)
            if (smr_l2sq_f64(d, x + i * d, s->centre + c * d) <
                smr_l2sq_f64(d, x + i * d, s->centre + at * d))
                at = c;
        share[at]++;
        error += smr_l2sq_f64(d, x + i * d, s->centre + at * d);
    }
    for (int64_t c = 0; c < s->n_clusters; c++) assert_true(share[c] == s->share[c]);
    check_near("error", s->error / error, 1, 1e-13);
    free(share);
}

/* 256 numbers from -1.5 on, the same but for one number in the last row, or any: multiplied as
 * bytes, or as floats; given as floats and doubles, by any solver and tier. */
static void numbers_on_a_lattice_are_multiplied_as_bytes(void **unused)
{
    double *x = groups_of(WIDE_ROWS, WIDE, 13, 0.5, 3), *seen = calloc(WIDE_ROWS * WIDE, 8);
    float *floats = calloc(WIDE_ROWS * WIDE, sizeof *floats);
    (void)unused;
    for (int t = 0; t < 6; t++) {
        struct matrix_data m;
        struct opened o = {0};
        for (int64_t e = 0; e < WIDE_ROWS * WIDE; e++) {
            double whole = fmin(255, fmax(0, floor(128 + 40 * (x[e] - 7))));
            seen[e] = t / 2 == 2 ? x[e] : -1.5 + whole / 128;
        }
        seen[0] = -1.5;
        seen[1] = -1.5 + 255.0 / 128;
        if (t / 2 == 1) seen[WIDE_ROWS * WIDE - 1] = -1.5 + 1.0 / 256;
        matrix_data(&m, WIDE_ROWS, WIDE, 1, seen, seen, NULL);
        if (t % 2) as_floats(&m, floats, seen, WIDE_ROWS, WIDE);
        for (int64_t e = 0; t % 2 && e < WIDE_ROWS * WIDE; e++) seen[e] = (double)floats[e];
        open_at_first(&o, &m.data, 20, SMR_KM_ANY);
        assert_int_equal(o.w.rows.way, t / 2 ? SMR_KM_FLOATS : SMR_KM_BYTES);
        close_opened(&o);
        struct fitted first = fit_kmeans("k=20 tol=0 starts=1 solver=lloyd", &m.data, 1);
        check_labels(&first, seen, WIDE);
        static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
        const char *before = smr_kernel_tier();
        for (int64_t tier = 0; tier < SMR_COUNT(tiers); tier += CHECK_LESS ? 3 : 1) {
            if (!smr_kernel_use(tiers[tier])) continue;
            struct fitted f = fit_kmeans("k=20 tol=0 starts=1 solver=bounds", &m.data, 2);
            check_same_state(&first, &f, tiers[tier]);
            end_fitted(&f);
        }
        assert_true(smr_kernel_use(before));
        end_fitted(&first);
    }
    free(x), free(seen), free(floats);
}

/* A fit of `words` that begins at another's state. */
static void go_on(const struct fitted *from, const char *words, struct matrix_data *m, bool taken,
                  const struct fitted *as)
{
    smr_stage stage = {.learner = &smr_kmeans, .params = from->params, .state = from->state};
    smr_shape of = {.n_features = m->data.n_features, .features = m->features};
    smr_warm_start warm = {&stage, &of};
    smr_ctx *ctx = check_ctx(2);
    struct fitted f = {.ctx = ctx, .params = make_params(ctx, &smr_kmeans, words)};
    smr_fit_report report = {.warm = &warm};
    check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &f.state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_kmeans, f.params, &m->data, f.state, &report));
    assert_int_equal(report.is_warm, taken);
    if (as) check_same_state(&f, as, words);
    smr_fit_report_release(&report);
    smr_state_free(&smr_kmeans, f.state);
    smr_params_free(smr_kmeans.word, f.params);
    check_ctx_end(ctx);
}

static void a_warm_start_goes_on(void **unused)
{
    enum { N = 1501, D = 5 };
    static const char *const metrics[] = {"euclidean", "cosine"};
    (void)unused;
    double *x = groups_of(N, D, 9, 2, 61);
    for (int t = 0; t < SMR_COUNT(metrics); t++) {
        char some[80], all[80], rest[80];
        struct matrix_data m;
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(some, sizeof some, "k=9 starts=1 tol=0 max_iter=3 metric=%s", metrics[t]);
        snprintf(all, sizeof all, "k=9 starts=1 tol=0 max_iter=7 metric=%s", metrics[t]);
        snprintf(rest, sizeof rest, "k=9 starts=5 tol=0 max_iter=4 metric=%s", metrics[t]);
        struct fitted a = fit_kmeans(some, &m.data, 1), b = fit_kmeans(all, &m.data, 1);
        go_on(&a, rest, &m, true, &b);
        snprintf(rest, sizeof rest, "k=8 metric=%s", metrics[t]);
        go_on(&a, rest, &m, false, NULL);
        snprintf(rest, sizeof rest, "k=9 metric=%s", metrics[1 - t]);
        go_on(&a, rest, &m, false, NULL);
        end_fitted(&a);
        end_fitted(&b);
    }
    free(x);
}

/* Centres of three places, where the rows now have five. */
static void a_warm_start_from_fewer_places_fills_up(void **unused)
{
    double few[] = {1, 1, 2, 2, 8, 8}, more[] = {1, 2, 8, 11, 15, 1};
    struct matrix_data m, n;
    (void)unused;
    matrix_data(&m, 6, 1, 1, few, few, NULL);
    matrix_data(&n, 6, 1, 1, more, more, NULL);
    struct fitted a = fit_kmeans("k=5", &m.data, 1), b = fit_kmeans("k=5 starts=20", &n.data, 1);
    assert_int_equal(state_of(&a)->n_clusters, 3);
    assert_true(state_of(&b)->error < 1e-20);
    smr_stage stage = {.learner = &smr_kmeans, .params = a.params, .state = a.state};
    smr_shape of = {.n_features = 1, .features = m.features};
    smr_warm_start warm = {&stage, &of};
    smr_fit_report report = {.warm = &warm};
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_kmeans, "k=5"), *state = NULL;
    check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &state));
    check_ok(ctx, smr_learner_fit(ctx, &smr_kmeans, params, &n.data, state, &report));
    assert_true(report.is_warm);
    assert_int_equal(((struct smr_kmeans_state *)state)->n_clusters, 5);
    assert_true(((struct smr_kmeans_state *)state)->error < 1e-20);
    smr_fit_report_release(&report);
    smr_state_free(&smr_kmeans, state);
    smr_params_free(smr_kmeans.word, params);
    check_ctx_end(ctx);
    end_fitted(&a);
    end_fitted(&b);
}

/* ---- ties ------------------------------------------------------------------------------- */

/* Labels of rows near to centres, half way between two of them, far away and beyond the range of
 * floats: by products what they are by all distances. */
static void labels_by_products_are_those_of_distances(void **unused)
{
    enum { N = 700, D = 7, K = 40 };
    static const char *const metrics[] = {"euclidean", "cosine"};
    (void)unused;
    double *x = groups_of(N, D, K, 3, 71), label[N], *all = calloc(N * K, sizeof *all);
    for (int t = 0; t < SMR_COUNT(metrics); t++) {
        char words[80];
        struct matrix_data m;
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=%d starts=1 metric=%s", K, metrics[t]);
        struct fitted f = fit_kmeans(words, &m.data, 1);
        assert_null(state_of(&f)->ahead);
        check_ok(f.ctx, smr_kmeans.fitted->prepare(f.ctx, f.params, f.state));
        assert_non_null(state_of(&f)->ahead);
        double *z = calloc(N * D, sizeof *z);
        const double *c = state_of(&f)->centre;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < D; j++) {
                double half = (c[i % K * D + j] + c[(i * 7 + 1) % K * D + j]) / 2;
                double far = i % 11 == 0 ? 1e6 : i % 13 == 0 ? 1e60 : 1;
                z[i * D + j] = (i % 3 ? half : x[i * D + j]) * far;
            }
        ask(&f, N, D, z, SMR_OUTPUT_LABEL, label);
        ask(&f, N, D, z, SMR_OUTPUT_DECISION, all);
        for (int64_t i = 0; i < N; i++) {
            int64_t best = 0;
            for (int64_t k = 1; k < K; k++)
                if (all[i * K + k] > all[i * K + best]) best = k;
            assert_int_equal((int64_t)label[i], best);
        }
        free(z);
        end_fitted(&f);
    }
    free(x), free(all);
}

/* Points of a grid: most rows are as far from several centres. */
static void rows_that_tie_go_to_the_first(void **unused)
{
    enum { SIDE = 24, N = SIDE * SIDE };
    double x[N * 2];
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (double)(i / SIDE) / 8;
        x[2 * i + 1] = (double)(i % SIDE) / 8;
    }
    matrix_data(&m, N, 2, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    for (int s = 0; s < 2; s++) {
        struct opened o = {0};
        /* On a line: half of the grid is at the last. */
        open_at_first(&o, &m.data, 5, s ? SMR_KM_BOUNDS : SMR_KM_LLOYD);
        for (int turn = 0; turn < 3; turn++) {
            check_ok(o.ctx, s ? smr_km_assign_bounded(o.ctx, &o.w) : smr_km_assign(o.ctx, &o.w));
            for (int64_t i = 0; i < N; i++) {
                int64_t at = 0;
                for (int64_t c = 1; c < 5; c++)
                    if (smr_l2sq_f64(2, x + 2 * i, o.w.centre + 2 * c) <
                        smr_l2sq_f64(2, x + 2 * i, o.w.centre + 2 * at))
                        at = c;
                assert_int_equal(o.w.label[i], at);
            }
            for (int64_t c = 0; c < 5; c++) o.w.centre[2 * c] += 0.0625 * (double)(turn + 1);
        }
        close_opened(&o);
    }
}

/* A column far from 0, an outlier, hardly any spread: floats leave more open, and answers stay. */
static void hard_ranges_are_answered_exactly(void **unused)
{
    enum { N = 1500, D = 3 };
    double *x = groups_of(N, D, 4, 3, 8);
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[i * D] = 1e9 + 1e-3 * x[i * D];
        x[i * D + 2] *= 1e-12;
    }
    x[1] = 1e6;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_kmeans("k=5 tol=0 starts=1 solver=bounds", &m.data, 2);
    const struct smr_kmeans_state *s = state_of(&f);
    double error = 0;
    for (int64_t i = 0; i < N; i++) {
        double least = INFINITY;
        for (int64_t c = 0; c < s->n_clusters; c++)
            least = fmin(least, smr_l2sq_f64(D, x + i * D, s->centre + c * D));
        error += least;
    }
    check_near("error", s->error / error, 1, 1e-13);
    end_fitted(&f);
    free(x);
}

static void sparse_rows_give_what_dense_ones_give(void **unused)
{
    enum { N = 400, D = 12 };
    double x[N * D], value[N * D], *noise = random_matrix(N * D, 4), a[N * 4], b[N * 4];
    int64_t start[N + 1] = {0};
    int32_t column[N * D];
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0, n = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) {
            double v =
                (i * 7 + j * 5) % 4 == 0 ? 3 * (double)(i % 4 == j % 4) + noise[i * D + j] : 0;
            x[i * D + j] = v;
            if (v == 0) continue;
            column[n] = (int32_t)j;
            value[n++] = v;
        }
        start[i + 1] = n;
    }
    smr_csr csr = {N, D, start, column, value};
    for (int cosine = 0; cosine < 2; cosine++) {
        const char *words = cosine ? "k=4 metric=cosine starts=20 tol=0" : "k=4 starts=20 tol=0";
        matrix_data(&m, N, D, 1, x, x, NULL);
        struct fitted dense = fit_kmeans(words, &m.data, 2);
        m.data.sparse = &csr;
        m.data.features = NULL;
        struct fitted sparse = fit_kmeans(words, &m.data, 2);
        check_near("error", state_of(&dense)->error / state_of(&sparse)->error, 1, 1e-12);
        ask(&dense, N, D, x, SMR_OUTPUT_SCORE, a);
        ask(&sparse, N, D, x, SMR_OUTPUT_SCORE, b);
        for (int64_t i = 0; i < N; i++) check_near("score", b[i], a[i], 1e-11);
        smr_rows rows = {.n = N,
                         .d = D,
                         .form = SMR_FORM_SPARSE,
                         .start = start,
                         .column = column,
                         .value = value};
        void *scratch =
            smr_alloc(dense.ctx, smr_kmeans.fitted->scratch(dense.params, dense.state, N), 1);
        check_ok(dense.ctx, smr_kmeans.fitted->predict(dense.ctx, dense.params, dense.state, &rows,
                                                       SMR_OUTPUT_SCORE, b, scratch));
        smr_free(scratch);
        for (int64_t i = 0; i < N; i++) check_near("score", b[i], a[i], 1e-11);
        end_fitted(&dense);
        end_fitted(&sparse);
    }
    free(noise);
}

/* ---- weights, starts, moves ------------------------------------------------------------- */

static void a_weight_is_rows_again(void **unused)
{
    enum { N = 150, D = 3 };
    double *x = groups_of(N, D, 3, 4, 2), weight[N], twice[3 * N * D];
    struct matrix_data m;
    int64_t n = 0;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        weight[i] = (double)(i % 4);
        for (int64_t r = 0; r < i % 4; r++, n++) memcpy(twice + n * D, x + i * D, D * sizeof *x);
    }
    matrix_data(&m, N, D, 1, x, x, weight);
    struct fitted a = fit_kmeans("k=3 starts=20 tol=0", &m.data, 2);
    matrix_data(&m, n, D, 1, twice, twice, NULL);
    struct fitted b = fit_kmeans("k=3 starts=20 tol=0", &m.data, 2);
    check_near("error", state_of(&a)->error / state_of(&b)->error, 1, 1e-13);
    assert_true(state_of(&a)->weight == (double)n);
    end_fitted(&a);
    end_fitted(&b);
    free(x);
}

/* farthest: after the first, each is the row with the largest mean distance from those before. */
static void farthest_starts_are_farthest(void **unused)
{
    enum { N = 500, D = 2, K = 6 };
    double *x = groups_of(N, D, 5, 3, 6);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_kmeans("k=6 start=farthest max_iter=0 starts=1", &m.data, 2);
    const double *c = state_of(&f)->centre;
    assert_false(f.report.converged);
    for (int64_t k = 1; k < K; k++) {
        double far = -1;
        int64_t at = -1;
        for (int64_t i = 0; i < N; i++) {
            double sum = 0;
            bool taken = false;
            for (int64_t b = 0; b < k; b++) {
                double D2 = smr_l2sq_f64(D, x + i * D, c + b * D);
                taken |= D2 == 0;
                sum += sqrt(D2);
            }
            if (taken || !(sum > far)) continue;
            far = sum;
            at = i;
        }
        assert_true(x[at * D] == c[k * D] && x[at * D + 1] == c[k * D + 1]);
    }
    end_fitted(&f);
    free(x);
}

/* Of many groups far apart, each start finds most; k-means++ and its parallel form miss fewer than
 * rows that are drawn. */
static void starts_by_distance_are_better(void **unused)
{
    enum { N = 3000, D = 4 };
    static const char *const starts[] = {"random", "plusplus", "parallel"};
    double *x = groups_of(N, D, 30, 40, 6), error[3] = {0};
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    for (int64_t s = 0; s < 3; s++) {
        char words[64];
        snprintf(words, sizeof words, "k=30 start=%s starts=1 tol=0", starts[s]);
        struct fitted f = fit_kmeans(words, &m.data, 2);
        error[s] = state_of(&f)->error;
        end_fitted(&f);
    }
    assert_true(error[1] < 0.5 * error[0]);
    assert_true(error[2] < 0.5 * error[0]);
    /* of the groups alone: N rows of D normals about their means */
    assert_true(error[1] < 1.3 * N * D || error[2] < 1.3 * N * D);
    free(x);
}

static void moves_lower_the_error(void **unused)
{
    enum { N = 2000, D = 3 };
    double *x = groups_of(N, D, 20, 30, 7);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted a = fit_kmeans("k=20 start=random starts=1 tol=0", &m.data, 1);
    struct fitted b = fit_kmeans("k=20 start=random starts=1 tol=0 moves=50", &m.data, 3);
    struct fitted c =
        fit_kmeans("k=20 start=random starts=1 tol=0 moves=50 solver=lloyd", &m.data, 1);
    assert_true(state_of(&b)->error < 0.5 * state_of(&a)->error);
    check_same_state(&b, &c, "moves");
    end_fitted(&a);
    end_fitted(&b);
    end_fitted(&c);
    free(x);
}

/* ---- empty clusters, few places --------------------------------------------------------- */

static void empty_clusters_get_the_furthest_rows(void **unused)
{
    enum { N = 60 };
    double x[N];
    struct matrix_data m;
    struct opened o = {0};
    (void)unused;
    for (int64_t i = 0; i < N; i++) x[i] = (double)(i % 10);
    x[40] = 100;
    x[50] = -90;
    matrix_data(&m, N, 1, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    open_at_first(&o, &m.data, 3, SMR_KM_LLOYD);
    for (int64_t c = 0; c < 3; c++) o.w.centre[c] = 4.5; /* the first takes all */
    check_ok(o.ctx, smr_km_assign(o.ctx, &o.w));
    assert_int_equal(o.w.count[0], N);
    check_ok(o.ctx, smr_km_repair(o.ctx, &o.w));
    assert_int_equal(o.w.label[40], 1);
    assert_int_equal(o.w.label[50], 2);
    assert_int_equal(o.w.count[0], N - 2);
    close_opened(&o);
}

static void fewer_places_than_clusters_are_told(void **unused)
{
    enum { N = 40 };
    double x[2 * N];
    struct heard heard;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (double)(i % 3);
        x[2 * i + 1] = 5;
    }
    for (int64_t k = 0; k < 3; k++) {
        struct matrix_data m;
        static const char *const words[] = {"k=8", "k=50", "k=8 metric=cosine"};
        smr_ctx *ctx = hearing_ctx(&heard);
        void *params = make_params(ctx, &smr_kmeans, words[k]), *state = NULL;
        smr_fit_report report = {0};
        matrix_data(&m, N, 2, 1, x, x, NULL);
        m.data.task = SMR_TASK_CLUSTER;
        check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &state));
        check_ok(ctx, smr_learner_fit(ctx, &smr_kmeans, params, &m.data, state, &report));
        assert_int_equal(((struct smr_kmeans_state *)state)->n_clusters, 3);
        check_near("error", ((struct smr_kmeans_state *)state)->error, 0, 1e-14);
        check_heard(&heard, "and the 40 rows have 3 different places; so many clusters are kept");
        smr_fit_report_release(&report);
        smr_state_free(&smr_kmeans, state);
        smr_params_free(smr_kmeans.word, params);
        smr_ctx_destroy(ctx);
    }
}

static void constant_columns_and_one_cluster(void **unused)
{
    enum { N = 30 };
    double x[2 * N], out[N];
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = -3.25;
        x[2 * i + 1] = (double)i;
    }
    matrix_data(&m, N, 2, 1, x, x, NULL);
    struct fitted f = fit_kmeans("k=1", &m.data, 1);
    const struct smr_kmeans_state *s = state_of(&f);
    check_near("constant", s->centre[0], -3.25, 1e-15);
    check_near("mean", s->centre[1], 14.5, 1e-13);
    check_near("error", s->error, N * (N * N - 1) / 12.0, 1e-10);
    ask(&f, N, 2, x, SMR_OUTPUT_LABEL, out);
    for (int64_t i = 0; i < N; i++) assert_true(out[i] == 0);
    end_fitted(&f);
    for (int64_t i = 0; i < N; i++) x[2 * i + 1] = 8;
    f = fit_kmeans("k=1", &m.data, 1);
    assert_true(state_of(&f)->error == 0);
    end_fitted(&f);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void check_refused(const char *words, const smr_data *data, int64_t limit, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_kmeans, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &state));
    if (limit) check_ok(ctx, smr_ctx_set_memory_limit(ctx, limit));
    assert_int_not_equal(smr_learner_fit(ctx, &smr_kmeans, params, data, state, &report), SMR_OK);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_kmeans, state);
    smr_params_free(smr_kmeans.word, params);
    check_ctx_end(ctx);
}

static void bad_rows_are_refused_in_words(void **unused)
{
    enum { N = 2000 };
    double *x = random_matrix(N * 4, 1), *weight = calloc(N, sizeof *weight);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, 4, 1, x, x, weight);
    m.data.task = SMR_TASK_CLUSTER;
    check_refused("k=3", &m.data, 0, "kmeans: no rows to fit: all weights are 0");
    weight[5] = -1;
    check_refused("k=3", &m.data, 0, "kmeans: the weight of row 6 is not a finite number >= 0");
    matrix_data(&m, 0, 4, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    check_refused("k=3", &m.data, 0, "kmeans: no rows to fit");
    matrix_data(&m, N, 0, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    check_refused("k=3", &m.data, 0, "kmeans: there are no features");
    matrix_data(&m, N, 4, 1, x, x, NULL);
    m.data.task = SMR_TASK_CLUSTER;
    check_refused("k=3", &m.data, 40000, "kmeans: work of each thread needs");
    x[17] = INFINITY;
    check_refused("k=3", &m.data, 0, "row 5");
    x[17] = 1e200;
    check_refused("k=3", &m.data, 0, "squared distances of these columns overflow: rescale them");
    free(x), free(weight);
}

/* ---- streams ---------------------------------------------------------------------------- */

/* A stream of groups far apart finds their means. */
static void a_stream_finds_groups(void **unused)
{
    enum { N = 3000, D = 3, K = 4 };
    double *x = groups_of(N, D, K, 30, 12), *mean = calloc(K * D, sizeof *mean);
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_kmeans, "k=4"), *state = NULL;
    smr_shape shape = {.n_features = D};
    (void)unused;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) mean[i % K * D + j] += x[i * D + j] * K / N;
    check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &state));
    check_ok(ctx, smr_kmeans.stream->begin(ctx, params, &shape, state));
    for (int64_t lo = 0; lo < N; lo += 250) {
        smr_rows rows = {.n = 250, .d = D, .form = SMR_FORM_F64, .x = x + lo * D, .stride = D};
        smr_truths truths = {0};
        check_ok(ctx, smr_kmeans.stream->learn(ctx, params, state, &rows, &truths, NULL));
    }
    struct smr_kmeans_state *s = state;
    assert_null(s->waiting);
    assert_true(s->weight == N);
    for (int64_t g = 0; g < K; g++) {
        double least = INFINITY;
        for (int64_t c = 0; c < K; c++)
            least = fmin(least, smr_l2sq_f64(D, mean + g * D, s->centre + c * D));
        assert_true(least < 1e-12);
    }
    smr_state_free(&smr_kmeans, state);
    smr_params_free(smr_kmeans.word, params);
    check_ctx_end(ctx);
    free(x), free(mean);
}

/* After its start each centre is the running mean of the rows that were nearest to it, here written
 * out, and what is held does not grow. */
static void a_stream_moves_centres_by_running_means(void **unused)
{
    enum { N = 4000, D = 3, K = 6, WAIT = 60 };
    double *x = groups_of(N, D, 9, 1.5, 12), centre[K * D] = {0}, share[K] = {0}, weight[N];
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_kmeans, "k=6"), *state = NULL;
    smr_shape shape = {.n_features = D};
    int64_t held = 0;
    (void)unused;
    for (int64_t i = 0; i < N; i++) weight[i] = 0.25 + (double)(i % 5);
    check_ok(ctx, smr_state_create(ctx, &smr_kmeans, &state));
    struct smr_kmeans_state *s = state;
    check_ok(ctx, smr_kmeans.stream->begin(ctx, params, &shape, state));
    for (int64_t i = 0; i < N; i++) {
        smr_rows row = {.n = 1, .d = D, .form = SMR_FORM_F64, .x = x + i * D, .stride = D};
        smr_truths its = {.weight = weight + i};
        check_ok(ctx, smr_kmeans.stream->learn(ctx, params, state, &row, &its, NULL));
        if (i + 1 < WAIT) continue;
        if (i + 1 == WAIT) {
            assert_null(s->waiting);
            memcpy(centre, s->centre, sizeof centre);
            memcpy(share, s->share, sizeof share);
            held = atomic_load(&ctx->memory->held);
            continue;
        }
        int64_t at = 0;
        double least = INFINITY;
        for (int64_t c = 0; c < K; c++) {
            double D2 = 0;
            for (int64_t j = 0; j < D; j++)
                D2 += (x[i * D + j] - centre[c * D + j]) * (x[i * D + j] - centre[c * D + j]);
            at = D2 < least ? c : at;
            least = fmin(D2, least);
        }
        for (int64_t j = 0; j < D; j++)
            centre[at * D + j] = (centre[at * D + j] * share[at] + weight[i] * x[i * D + j]) /
                                 (share[at] + weight[i]);
        share[at] += weight[i];
    }
    assert_true(held > 0 && atomic_load(&ctx->memory->held) == held);
    for (int64_t c = 0; c < K; c++) {
        check_near("share", s->share[c], share[c], 1e-9);
        for (int64_t j = 0; j < D; j++)
            check_near("centre", s->centre[c * D + j], centre[c * D + j], 1e-11);
    }
    smr_state_free(&smr_kmeans, state);
    smr_params_free(smr_kmeans.word, params);
    check_ctx_end(ctx);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_are_those_of_another_program),
        cmocka_unit_test(the_error_never_rises),
        cmocka_unit_test(what_converged_is_a_fixed_point),
        cmocka_unit_test(numbers_on_a_lattice_are_multiplied_as_bytes),
        cmocka_unit_test(solvers_threads_and_tiers_give_the_same_bits),
        cmocka_unit_test(a_warm_start_goes_on),
        cmocka_unit_test(a_warm_start_from_fewer_places_fills_up),
        cmocka_unit_test(labels_by_products_are_those_of_distances),
        cmocka_unit_test(rows_that_tie_go_to_the_first),
        cmocka_unit_test(hard_ranges_are_answered_exactly),
        cmocka_unit_test(sparse_rows_give_what_dense_ones_give),
        cmocka_unit_test(a_weight_is_rows_again),
        cmocka_unit_test(farthest_starts_are_farthest),
        cmocka_unit_test(starts_by_distance_are_better),
        cmocka_unit_test(moves_lower_the_error),
        cmocka_unit_test(empty_clusters_get_the_furthest_rows),
        cmocka_unit_test(fewer_places_than_clusters_are_told),
        cmocka_unit_test(constant_columns_and_one_cluster),
        cmocka_unit_test(bad_rows_are_refused_in_words),
        cmocka_unit_test(a_stream_finds_groups),
        cmocka_unit_test(a_stream_moves_centres_by_running_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
