/* test_softkmeans.c -- energies that never rise and end at fixed points, what it becomes as the
 * stiffness grows, the mixture that it is, annealing, and what is refused.
 *
 * Truth: tests/truth/softly.py (scipy), and the method in its plainest form here. */
#include "learn/cluster/gmm.h"
#include "learn/cluster/softkmeans.h"
#include "learn/matrix_data.h"
#include "pipeline.h"

extern const smr_learner smr_gmm, smr_kmeans, smr_softkmeans;

static struct smr_soft_state *state_of(const struct fitted *f)
{
    return f->state;
}

static struct fitted fit_on(const smr_learner *learner, const char *words, struct matrix_data *m,
                            int threads)
{
    m->data.task = SMR_TASK_CLUSTER;
    m->data.n_outputs = 0;
    m->data.y = NULL;
    struct fitted f = fit_matrix(learner, words, &m->data, threads);
    check_ok(f.ctx, learner->fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static struct fitted fit_soft(const char *words, struct matrix_data *m, int threads)
{
    return fit_on(&smr_softkmeans, words, m, threads);
}

static double *groups_of(int64_t n, int64_t d, int64_t groups, double apart, uint64_t seed)
{
    double *x = random_matrix(n * d, seed), *place = random_matrix(groups * d, seed + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) x[i * d + j] += 3 + apart * place[i % groups * d + j];
    free(place);
    return x;
}

/* One turn of the method: r, then the centres of r into `next`; the energy of `centre`. */
static double plain_turn(int64_t n, int64_t d, int64_t k, const double *x, const double *weight,
                         double beta, const double *centre, double *r, double *next)
{
    double energy = 0, *all = calloc((size_t)k, sizeof *all);
    memset(next, 0, (size_t)(k * d) * sizeof *next);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, most = -INFINITY, w = weight ? weight[i] : 1;
        for (int64_t c = 0; c < k; c++) {
            double square = 0;
            for (int64_t j = 0; j < d; j++)
                square += (x[i * d + j] - centre[c * d + j]) * (x[i * d + j] - centre[c * d + j]);
            r[i * k + c] = -beta * square;
            most = fmax(most, r[i * k + c]);
        }
        for (int64_t c = 0; c < k; c++) sum += exp(r[i * k + c] - most);
        energy -= w / beta * (most + log(sum));
        for (int64_t c = 0; c < k; c++) {
            r[i * k + c] = exp(r[i * k + c] - most) / sum;
            all[c] += w * r[i * k + c];
            for (int64_t j = 0; j < d; j++) next[c * d + j] += w * r[i * k + c] * x[i * d + j];
        }
    }
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d; j++) next[c * d + j] /= all[c];
    free(all);
    return energy;
}

/* ---- iterations ------------------------------------------------------------------------- */

static void it_ends_at_a_fixed_point_of_the_plain_method(void **unused)
{
    enum { N = 1337, D = 3, K = 4 };
    static const char *const ways[] = {"", "beta=0.05 ", "beta=0.7 anneal=1.5 ", "beta=30 "};
    double *x = groups_of(N, D, K, 2, 5), *r = calloc(N * K, sizeof *r), next[K * D];
    double *weight = calloc(N, sizeof *weight);
    (void)unused;
    for (int64_t i = 0; i < N; i++) weight[i] = (double)(i * 7 % 5);
    for (int t = 0; t < 2 * SMR_COUNT(ways); t++) {
        char words[100];
        struct matrix_data m;
        matrix_data(&m, N, D, 1, x, x, t % 2 ? weight : NULL);
        snprintf(words, sizeof words, "%sk=%d tol=1e-22 max_iter=20000", ways[t / 2], K);
        struct fitted f = fit_soft(words, &m, 2);
        const struct smr_soft_state *s = state_of(&f);
        assert_true(f.report.converged);
        double energy = plain_turn(N, D, K, x, m.data.weight, s->beta, s->centre, r, next);
        check_near("energy", s->energy, energy, 1e-12);
        for (int64_t e = 0; e < K * D; e++) check_near("centre", s->centre[e], next[e], 1e-9);
        smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
        double *p = calloc(N * K, sizeof *p);
        void *scratch = smr_alloc(f.ctx, smr_softkmeans.fitted->scratch(f.params, s, N), 1);
        check_ok(f.ctx, smr_softkmeans.fitted->predict(f.ctx, f.params, s, &rows, SMR_OUTPUT_PROBA,
                                                       p, scratch));
        for (int64_t e = 0; e < N * K; e++) check_near("membership", p[e], r[e], 1e-11);
        smr_free(scratch);
        free(p);
        end_fitted(&f);
    }
    free(x), free(r), free(weight);
}

static void the_energy_never_rises(void **unused)
{
    enum { N = 900, D = 5 };
    double *x = groups_of(N, D, 6, 1, 9);
    (void)unused;
    for (int t = 0; t < 12; t++) {
        char words[100];
        struct matrix_data m;
        matrix_data(&m, N, D, 1, x, x, NULL);
        snprintf(words, sizeof words, "k=%d beta=%g start=random max_iter=40 tol=0", 2 + t,
                 0.02 * (1 << t));
        struct fitted f = fit_soft(words, &m, 1);
        const struct smr_soft_state *s = state_of(&f);
        for (int64_t i = 1; i < s->n_curve; i++)
            assert_true(s->curve[i] <= s->curve[i - 1] + 1e-12 * fabs(s->curve[i - 1]));
        assert_true(s->curve[s->n_curve - 1] == s->energy);
        end_fitted(&f);
    }
    free(x);
}

static void an_iteration_short_of_the_end_has_not_converged(void **unused)
{
    enum { N = 500, D = 2 };
    double *x = groups_of(N, D, 3, 1, 13);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_soft("k=3 beta=0.5 max_iter=2", &m, 1);
    assert_false(f.report.converged);
    end_fitted(&f);
    free(x);
}

/* ---- what it becomes -------------------------------------------------------------------- */

/* The nearest two centres of all rows are some 1e-3 apart in squared distance. */
static void as_the_stiffness_grows_it_becomes_kmeans(void **unused)
{
    enum { N = 700, D = 3, K = 5 };
    double *x = groups_of(N, D, K, 4, 21), last = INFINITY;
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted hard = fit_matrix(&smr_kmeans, "k=5 starts=1 tol=0", &m.data, 1);
    const struct smr_kmeans_state *t = hard.state;
    for (int i = 0; i < 6; i++) {
        char words[100];
        double beta = pow(10, i), off = 0;
        snprintf(words, sizeof words, "k=5 beta=%g tol=1e-20 max_iter=3000", beta);
        struct fitted soft = fit_soft(words, &m, 1);
        const struct smr_soft_state *s = state_of(&soft);
        for (int64_t e = 0; e < K * D; e++) off = fmax(off, fabs(s->centre[e] - t->centre[e]));
        assert_true(off <= last);
        assert_true(s->energy <= t->error * (1 + 1e-12)); /* a minimum of more than one */
        last = off;
        if (i == 5) {
            assert_true(off < 1e-9);
            check_near("error", s->energy, t->error, 1e-9 * t->error);
            for (int64_t c = 0; c < K; c++) check_near("share", s->share[c], t->share[c], 1e-9);
        }
        end_fitted(&soft);
    }
    end_fitted(&hard);
    free(x);
}

/* Rows and their mirror images: by symmetry a mixture of two has equal shares. */
static void half_a_unit_of_stiffness_is_a_mixture_of_variance_1(void **unused)
{
    enum { N = 400, D = 2 };
    double x[2 * N * D], *some = random_matrix(N * D, 31);
    struct matrix_data m;
    (void)unused;
    for (int64_t e = 0; e < N * D; e++) {
        x[e] = some[e] + 2 * (e % D == 0);
        x[N * D + e] = -x[e];
    }
    matrix_data(&m, 2 * N, D, 1, x, x, NULL);
    struct fitted soft = fit_soft("k=2 beta=0.5 tol=1e-24 max_iter=20000", &m, 1);
    struct fitted mix = fit_on(&smr_gmm, "k=2 covariance=unit tol=0 max_iter=20000", &m, 1);
    const struct smr_soft_state *s = state_of(&soft);
    const struct smr_gmm_state *t = mix.state;
    bool other = s->centre[0] * t->mean[0] < 0;
    for (int64_t c = 0; c < 2; c++) {
        check_near("share", t->share[c], 0.5, 1e-6);
        for (int64_t j = 0; j < D; j++)
            check_near("centre", s->centre[c * D + j], t->mean[(other ? 1 - c : c) * D + j], 1e-6);
    }
    /* log L = -F / 2 + sum of the logarithms of 1/2 and of the densities at 0 */
    double constant = 2 * N * (log(0.5) - log(2 * 3.14159265358979323846));
    check_near("energy", -s->energy / 2 + constant, t->log_likelihood, 1e-6);
    end_fitted(&soft);
    end_fitted(&mix);
    free(some);
}

/* ---- annealing -------------------------------------------------------------------------- */

static void soft_rows_have_one_centre_at_their_mean(void **unused)
{
    enum { N = 300, D = 3 };
    double *x = groups_of(N, D, 4, 1, 41), mean[D] = {0};
    struct matrix_data m;
    (void)unused;
    for (int64_t e = 0; e < N * D; e++) mean[e % D] += x[e] / N;
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_soft("k=4 beta=0.01 tol=1e-24 max_iter=5000", &m, 1);
    for (int64_t e = 0; e < 4 * D; e++)
        check_near("centre", state_of(&f)->centre[e], mean[e % D], 1e-9);
    end_fitted(&f);
    free(x);
}

/* Nine groups of a grid: drawn starts often end with two centres in one of them. */
static void annealing_finds_what_drawn_starts_miss(void **unused)
{
    enum { N = 900, D = 2 };
    double *x = random_matrix(N * D, 51);
    struct matrix_data m;
    int worse = 0;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = 0.3 * x[2 * i] + 6 * (double)(i % 3);
        x[2 * i + 1] = 0.3 * x[2 * i + 1] + 6 * (double)(i / 3 % 3);
    }
    matrix_data(&m, N, D, 1, x, x, NULL);
    struct fitted f = fit_soft("k=9 beta=5 anneal=1.1", &m, 1);
    const struct smr_soft_state *s = state_of(&f);
    for (int64_t c = 0; c < 9; c++) check_near("share", s->share[c], 100, 1e-3);
    for (int64_t t = 1; t < s->n_stages; t++) {
        assert_true(s->stage_beta[t] > s->stage_beta[t - 1]);
        assert_true(s->stage_energy[t] >= s->stage_energy[t - 1]); /* F grows with the stiffness */
    }
    for (uint64_t seed = 0; seed < 8; seed++) {
        smr_ctx *ctx = check_ctx(1);
        ctx->seed = seed;
        struct fitted g = {.ctx = ctx, .learner = &smr_softkmeans};
        g.params = make_params(ctx, &smr_softkmeans, "k=9 beta=5 start=random");
        check_ok(ctx, smr_state_create(ctx, &smr_softkmeans, &g.state));
        check_ok(ctx, smr_learner_fit(ctx, &smr_softkmeans, g.params, &m.data, g.state, &g.report));
        worse += state_of(&g)->energy > s->energy * 1.01;
        assert_true(state_of(&g)->energy > s->energy * (1 - 1e-9));
        end_fitted(&g);
    }
    assert_true(worse > 0);
    end_fitted(&f);
    free(x);
}

/* ---- edges ------------------------------------------------------------------------------ */

static void a_weight_is_rows_again(void **unused)
{
    enum { N = 120, D = 2 };
    double *x = groups_of(N, D, 3, 3, 61), weight[N], *twice = calloc(3 * N * D, sizeof *twice);
    int64_t n = 0;
    struct matrix_data m, again;
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        weight[i] = (double)(i % 3);
        for (int64_t t = 0; t < i % 3; t++, n++) memcpy(twice + n * D, x + i * D, D * sizeof *x);
    }
    matrix_data(&m, N, D, 1, x, x, weight);
    matrix_data(&again, n, D, 1, twice, twice, NULL);
    struct fitted a = fit_soft("k=3 anneal=1.2 tol=1e-24 max_iter=5000", &m, 1);
    struct fitted b = fit_soft("k=3 anneal=1.2 tol=1e-24 max_iter=5000", &again, 1);
    check_near("energy", state_of(&a)->energy, state_of(&b)->energy, 1e-9);
    end_fitted(&a);
    end_fitted(&b);
    free(x), free(twice);
}

static void fewer_places_than_clusters_are_kept(void **unused)
{
    double x[] = {1, 1, 2, 2, 8, 8}, same[] = {4, 4, 4};
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, 6, 1, 1, x, x, NULL);
    struct fitted f = fit_soft("k=5", &m, 1);
    assert_int_equal(state_of(&f)->n_clusters, 3);
    end_fitted(&f);
    matrix_data(&m, 3, 1, 1, same, same, NULL);
    f = fit_soft("k=2 anneal=2", &m, 1);
    assert_int_equal(state_of(&f)->n_clusters, 1);
    assert_true(state_of(&f)->centre[0] == 4 && state_of(&f)->energy == 0);
    end_fitted(&f);
}

static void check_refused(const char *words, struct matrix_data *m, int64_t limit, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_softkmeans, words), *state = NULL;
    smr_fit_report report = {0};
    m->data.task = SMR_TASK_CLUSTER;
    m->data.n_outputs = 0;
    check_ok(ctx, smr_state_create(ctx, &smr_softkmeans, &state));
    if (limit) check_ok(ctx, smr_ctx_set_memory_limit(ctx, limit));
    if (smr_learner_fit(ctx, &smr_softkmeans, params, &m->data, state, &report) == SMR_OK)
        fail_msg("not refused: %s, %s", words, part);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_softkmeans, state);
    smr_params_free(smr_softkmeans.word, params);
    check_ctx_end(ctx);
}

static void what_has_no_clusters_is_refused(void **unused)
{
    enum { N = 600, D = 3 };
    double *x = groups_of(N, D, 2, 2, 71), *weight = calloc(N, sizeof *weight);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, N, D, 1, x, x, weight);
    check_refused("k=2", &m, 0, "no rows to fit: all weights are 0");
    matrix_data(&m, 0, D, 1, x, x, NULL);
    check_refused("k=2", &m, 0, "softkmeans: no rows to fit");
    matrix_data(&m, N, 0, 1, x, x, NULL);
    check_refused("k=2", &m, 0, "softkmeans: there are no features");
    matrix_data(&m, N, D, 1, x, x, NULL);
    check_refused("k=2 beta=1e90 anneal=1.000001", &m, 0, "it takes more than 65536 stages");
    x[7] = NAN;
    check_refused("k=2", &m, 0, "row 3");
    free(x), free(weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_at_a_fixed_point_of_the_plain_method),
        cmocka_unit_test(the_energy_never_rises),
        cmocka_unit_test(an_iteration_short_of_the_end_has_not_converged),
        cmocka_unit_test(as_the_stiffness_grows_it_becomes_kmeans),
        cmocka_unit_test(half_a_unit_of_stiffness_is_a_mixture_of_variance_1),
        cmocka_unit_test(soft_rows_have_one_centre_at_their_mean),
        cmocka_unit_test(annealing_finds_what_drawn_starts_miss),
        cmocka_unit_test(a_weight_is_rows_again),
        cmocka_unit_test(fewer_places_than_clusters_are_kept),
        cmocka_unit_test(what_has_no_clusters_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
