/* test_logistic.c -- the learner logistic: tables worked by hand, optimality, other programs'
 * figures, separated classes, every solver. */
#include "learn/matrix_data.h"
#include "pipeline.h"

#include "data/read.h"
#include "learn/linear/logistic.h"
#include "shirts.h"
#include "truth/link.h"

extern const smr_learner smr_logistic;

static struct fitted fit_classes(const char *words, struct matrix_data *m, const int32_t *label,
                                 int64_t n_classes, int threads)
{
    m->data.task = SMR_TASK_CLASSIFY;
    m->data.y = NULL;
    m->data.label = label;
    m->data.n_classes = n_classes;
    return fit_matrix(&smr_logistic, words, &m->data, threads);
}

static const struct smr_logistic_state *state_of(const struct fitted *f)
{
    return f->state;
}

/* ---- worked by hand --------------------------------------------------------------------- */

/* One 0/1 feature: the counts a, b (x = 0: class 0, 1) and c, d (x = 1) give intercept log(b/a),
 * coefficient log(ad/bc) with standard error sqrt(1/a + 1/b + 1/c + 1/d). */
static void a_table_of_four_counts_gives_the_log_odds_ratio(void **state)
{
    (void)state;
    double x[4] = {0, 0, 1, 1}, weight[4] = {37, 11, 19, 52};
    int32_t label[4] = {0, 1, 0, 1};
    struct matrix_data m;
    matrix_data(&m, 4, 1, 0, x, NULL, weight);
    struct fitted f = fit_classes("l2=0 tol=1e-12", &m, label, 2, 1);
    const struct smr_logistic_state *s = state_of(&f);
    double b = log(11.0 / 37), w = log(37.0 * 52 / (11 * 19));
    double error = sqrt(1 / 37.0 + 1 / 11.0 + 1 / 19.0 + 1 / 52.0);
    check_near("intercept", s->intercept[0], b, 1e-12);
    check_near("coefficient", s->coef[0], w, 1e-12);
    check_near("standard error", s->std_error[0], error, 1e-10);
    check_near("of the intercept", s->intercept_error[0], sqrt(1 / 37.0 + 1 / 11.0), 1e-10);
    double deviance = -2 * (37 * log(37 / 48.0) + 11 * log(11 / 48.0) + 19 * log(19 / 71.0) +
                            52 * log(52 / 71.0));
    double null = -2 * (56 * log(56 / 119.0) + 63 * log(63 / 119.0));
    check_near("deviance", s->deviance, deviance, 1e-12);
    check_near("null deviance", s->null_deviance, null, 1e-12);
    check_near("degrees of freedom", s->df, 2, 1e-12);
    assert_int_equal(s->separation, SMR_LOGISTIC_OVERLAP);

    smr_json_doc *doc = describe_fitted(&f, &m.data);
    const smr_json *root = smr_json_root(doc), *row = smr_json_get(root, "coefficients")->last;
    check_near("aic", smr_json_get_number(root, "aic", 0), deviance + 4, 1e-12);
    check_near("r2", smr_json_get_number(root, "mcfadden_r2", 0), 1 - deviance / null, 1e-12);
    check_near("odds ratio", smr_json_get_number(row, "odds_ratio", 0), 37.0 * 52 / (11 * 19),
               1e-12);
    check_near("z", smr_json_get_number(row, "z", 0), w / error, 1e-9);
    check_near("p", smr_json_get_number(row, "p", 0), erfc(w / error / sqrt(2)), 1e-12);
    check_near("low", smr_json_get_number(row, "low_95", 0), exp(w - 1.959963984540054 * error),
               1e-9);
    smr_json_free(doc);
    end_fitted(&f);
}

/* The same table where 0 and 1 are 1e9 and 1e9 + 1, whose squares cannot be told apart, and beside
 * a column in other units, whose curvature is 1e24 times as large. */
static void units_and_origins_do_not_matter(void **state)
{
    (void)state;
    double far[4] = {1e9, 1e9, 1e9 + 1, 1e9 + 1}, weight[4] = {37, 11, 19, 52};
    int32_t label[4] = {0, 1, 0, 1};
    double w = log(37.0 * 52 / (11 * 19));
    struct matrix_data m;
    static const char *const words[] = {"l2=0", "l2=0 l1=1e-9"};
    for (int k = 0; k < 2; k++) {
        matrix_data(&m, 4, 1, 0, far, NULL, weight);
        struct fitted f = fit_classes(words[k], &m, label, 2, 1);
        check_near("coefficient", state_of(&f)->coef[0], w, 1e-4);
        end_fitted(&f);
    }
    static const double weights[8] = {37, 11, 19, 52, 8, 21, 5, 17};
    static const int32_t labels[8] = {0, 1, 0, 1, 0, 1, 0, 1};
    double error[2][2];
    for (int k = 0; k < 2; k++) {
        double x[16], unit = k ? 1e12 : 1;
        for (int i = 0; i < 8; i++) {
            x[2 * i] = i / 4;
            x[2 * i + 1] = unit * (i / 2 % 2);
        }
        matrix_data(&m, 8, 2, 0, x, NULL, weights);
        struct fitted f = fit_classes("l2=0 tol=1e-12", &m, labels, 2, 1);
        for (int j = 0; j < 2; j++) error[k][j] = state_of(&f)->std_error[j];
        end_fitted(&f);
    }
    check_near("error", error[1][0], error[0][0], 1e-9);
    check_near("error in other units", 1e12 * error[1][1], error[0][1], 1e-9);
}

/* With l1, columns far from 0 give the coefficients that they give near it, and it converges: the
 * offset is a power of 2, so that the values lose nothing. */
static void far_columns_are_penalised_as_near_ones(void **state)
{
    (void)state;
    enum { ROWS = 300, D = 5 };
    static double near[ROWS * D], far[ROWS * D];
    int32_t label[ROWS];
    for (int k = 2; k <= 3; k++) {
        for (uint64_t i = 0; i < ROWS; i++) {
            double s = 0;
            for (uint64_t j = 0; j < D; j++) {
                double x = floor(1024 * smr_random_unit(5, SMR_STREAM_TEST, j, i)) / 256;
                near[i * D + j] = x;
                far[i * D + j] = x + 134217728.0 * (double)(j + 1);
                s += (double)j * (x - 2);
            }
            s += 8 * smr_random_unit(5, SMR_STREAM_TEST, D, i) - 4;
            label[i] = k == 2 ? s > 0 : (s > -3) + (s > 3);
        }
        struct matrix_data m, n;
        matrix_data(&m, ROWS, D, 0, near, NULL, NULL);
        matrix_data(&n, ROWS, D, 0, far, NULL, NULL);
        struct fitted a = fit_classes("l1=3 tol=1e-12", &m, label, k, 1);
        struct fitted b = fit_classes("l1=3 tol=1e-12", &n, label, k, 1);
        assert_true(a.report.converged && b.report.converged);
        for (int j = 0; j < state_of(&a)->n_scores * D; j++)
            check_near("coefficient", state_of(&b)->coef[j], state_of(&a)->coef[j], 1e-6);
        end_fitted(&a);
        end_fitted(&b);
    }
}

/* Three classes, no feature that matters: the softmax of the intercepts is the classes' shares, and
 * their standard errors are those of a multinomial around the mean of the logarithms. */
static void without_features_the_intercepts_are_the_shares(void **state)
{
    (void)state;
    double x[3] = {0, 0, 0}, weight[3] = {20, 30, 50};
    int32_t label[3] = {0, 1, 2};
    struct matrix_data m;
    matrix_data(&m, 3, 1, 0, x, NULL, weight);
    struct fitted f = fit_classes("tol=1e-12", &m, label, 3, 1);
    const struct smr_logistic_state *s = state_of(&f);
    double mean = (log(20.0) + log(30.0) + log(50.0)) / 3;
    for (int c = 0; c < 3; c++) {
        check_near("intercept", s->intercept[c], log(weight[c]) - mean, 1e-10);
        check_near("coefficient", s->coef[c], 0, 0);
        /* Var(log n_c - mean) = sum_e (delta_ce - 1/3)^2 / n_e. */
        double variance = 0;
        for (int e = 0; e < 3; e++)
            variance += ((c == e) - 1.0 / 3) * ((c == e) - 1.0 / 3) / weight[e];
        check_near("error", s->intercept_error[c], sqrt(variance), 1e-9);
    }
    check_near("df", s->df, 2, 1e-9);
    check_near("deviance", s->deviance, s->null_deviance, 1e-12);
    end_fitted(&f);
}

/* ---- other programs ---------------------------------------------------------------------- */

struct iris {
    double x[150 * 4];
    int32_t label[150];
};

static void read_iris(struct iris *iris)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_read_opts opts = {.header = -1};
    check_ok(ctx, smr_table_read(ctx, "data/iris.csv", &opts, &t));
    for (int64_t i = 0; i < 150; i++) {
        for (int64_t j = 0; j < 4; j++) iris->x[i * 4 + j] = smr_column_number(&t->cols[j], i);
        iris->label[i] = (int32_t)(i / 50); /* the file is sorted */
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Intercepts less their mean. */
static void softmax_on_iris_is_that_of_scikit_learn(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "lbfgs", "trust", "coordinate", "owlqn"};
    struct iris iris;
    struct matrix_data m;
    read_iris(&iris);
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    for (int k = 0; k < 4; k++) {
        char words[64];
        snprintf(words, sizeof words, "tol=1e-9 solver=%s", solvers[k]);
        struct fitted f = fit_classes(words, &m, iris.label, 3, 1);
        const struct smr_logistic_state *s = state_of(&f);
        for (int i = 0; i < 12; i++)
            check_near(solvers[k], s->coef[i], iris_softmax[i / 4][i % 4], 2e-6);
        double mean = (s->intercept[0] + s->intercept[1] + s->intercept[2]) / 3;
        for (int c = 0; c < 3; c++)
            check_near(solvers[k], s->intercept[c] - mean, iris_softmax[c][4], 2e-6);
        end_fitted(&f);
    }
}

/* virginica against versicolor without penalty, with both penalties, and against all others with
 * class_weight=balanced. */
static void two_species_of_iris_are_those_of_other_programs(void **state)
{
    (void)state;
    struct iris iris;
    struct matrix_data m;
    int32_t label[150];
    read_iris(&iris);
    for (int i = 0; i < 150; i++) label[i] = iris.label[i] == 2;
    matrix_data(&m, 100, 4, 0, iris.x + 50 * 4, NULL, NULL);
    struct fitted f = fit_classes("l2=0 tol=1e-11", &m, label + 50, 2, 1);
    const struct smr_logistic_state *s = state_of(&f);
    for (int j = 0; j < 4; j++) {
        check_near("coefficient", s->coef[j], iris_logit[j], 1e-7);
        check_near("standard error", s->std_error[j], iris_logit_errors[j], 1e-6);
    }
    check_near("intercept", s->intercept[0], iris_logit[4], 1e-7);
    check_near("its error", s->intercept_error[0], iris_logit_errors[4], 1e-6);
    check_near("log likelihood", -s->deviance / 2, iris_logit_likelihood, 1e-10);
    check_near("null", -s->null_deviance / 2, -100 * log(2), 1e-12);
    check_near("aic", s->deviance + 2 * s->df, 10 - 2 * iris_logit_likelihood, 1e-9);
    end_fitted(&f);
    f = fit_classes("l1=0.5 l2=0.5 tol=1e-10", &m, label + 50, 2, 1);
    for (int j = 0; j < 4; j++) check_near("elastic", state_of(&f)->coef[j], iris_elastic[j], 1e-5);
    end_fitted(&f);
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    f = fit_classes("class_weight=balanced tol=1e-10", &m, label, 2, 1);
    for (int j = 0; j < 4; j++)
        check_near("balanced", state_of(&f)->coef[j], iris_balanced[j], 1e-7);
    end_fitted(&f);
}

/* ---- the course's pictures --------------------------------------------------------------- */

/* N1: T-shirt against trouser by two features: w = (-3.5374, -51.1275, 52.5271), 1843 of 2000 test
 * pictures right, log loss 0.24405. */
static void shirts_and_trousers_give_the_course_figures(void **state)
{
    (void)state;
    double *x = malloc(sizeof(double) * 2 * 60000), *out = malloc(sizeof(double) * 2 * 10000);
    int32_t *label = malloc(sizeof(int32_t) * 60000);
    int64_t n = two_features("train", 60000, x, label);
    if (n == 0) {
        free(x), free(out), free(label);
        skip();
    }
    assert_int_equal(n, 12000);
    struct matrix_data m;
    matrix_data(&m, n, 2, 0, x, NULL, NULL);
    struct fitted f = fit_classes("l2=0 tol=1e-10", &m, label, 2, 1);
    const struct smr_logistic_state *s = state_of(&f);
    check_near("intercept", s->intercept[0], -3.5374, 5e-5);
    check_near("mean", s->coef[0], -51.1275, 2e-6);
    check_near("deviation", s->coef[1], 52.5271, 2e-6);
    n = two_features("t10k", 10000, x, label);
    smr_rows rows = {.n = n, .d = 2, .form = SMR_FORM_F64, .x = x, .stride = 2};
    check_ok(f.ctx, smr_logistic.fitted->predict(f.ctx, f.params, f.state, &rows, SMR_OUTPUT_PROBA,
                                                 out, NULL));
    int64_t right = 0;
    double loss = 0;
    for (int64_t i = 0; i < n; i++) {
        right += (out[2 * i + 1] > 0.5) == label[i];
        loss -= log(out[2 * i + label[i]]) / (double)n;
    }
    assert_int_equal(right, 1843);
    check_near("log loss", loss, 0.24405, 5e-6);
    end_fitted(&f);
    free(x), free(out), free(label);
}

/* ---- optimality ------------------------------------------------------------------------- */

/* The gradient of the weighted loss at the state, by plain loops: g (n_scores x (d + 1)). */
static void gradient(const struct smr_logistic_state *s, int64_t n, const double *x,
                     const int32_t *label, const double *weight, double *g)
{
    int64_t d = s->n_features, q = s->n_scores;
    for (int64_t c = 0; c < q * (d + 1); c++) g[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        double score[8], sum = 0;
        for (int64_t c = 0; c < q; c++) {
            score[c] = s->intercept[c];
            for (int64_t j = 0; j < d; j++) score[c] += s->coef[c * d + j] * x[i * d + j];
            sum += exp(score[c]);
        }
        for (int64_t c = 0; c < q; c++) {
            double p = q == 1 ? 1 / (1 + exp(-score[0])) : exp(score[c]) / sum;
            double r = (p - (q == 1 ? label[i] > 0 : label[i] == c)) * (weight ? weight[i] : 1);
            for (int64_t j = 0; j < d; j++) g[c * (d + 1) + j] += r * x[i * d + j];
            g[c * (d + 1) + d] += r;
        }
    }
}

static void check_optimal(const char *words, int64_t k, double l1, double l2)
{
    enum { N = 311, D = 7 };
    double *x = random_matrix(N * D, 77), weight[N], g[8 * (D + 1)];
    int32_t label[N];
    struct matrix_data m;
    for (int64_t i = 0; i < N; i++) {
        x[i * D + 3] *= 50, x[i * D + 4] = x[i * D + 4] * 0.01 + 9; /* unlike scales */
        double f = x[i * D] - x[i * D + 1] + 1.5 * cos((double)(7 * i));
        label[i] = (int32_t)fmin((double)k - 1, fmax(0, floor(f + (double)k / 2)));
        weight[i] = (double)(i % 4);
    }
    matrix_data(&m, N, D, 0, x, NULL, weight);
    struct fitted f = fit_classes(words, &m, label, k, 2);
    const struct smr_logistic_state *s = state_of(&f);
    assert_true(f.report.converged);
    gradient(s, N, x, label, weight, g);
    for (int64_t c = 0; c < s->n_scores; c++) {
        check_near("intercept", g[c * (D + 1) + D] / N, 0, 2e-5);
        for (int64_t j = 0; j < D; j++) {
            double w = s->coef[c * D + j], slope = g[c * (D + 1) + j] + l2 * w;
            double scale = j == 3 ? 50 : 1;
            if (w == 0)
                assert_true(fabs(slope) <= l1 * (1 + 1e-6));
            else
                check_near(words, (slope + (w > 0 ? l1 : -l1)) / (N * scale), 0, 2e-5);
        }
    }
    end_fitted(&f);
    free(x);
}

static void every_solver_ends_at_the_optimum(void **state)
{
    (void)state;
    check_optimal("solver=newton", 2, 0, 1);
    check_optimal("solver=lbfgs", 2, 0, 1);
    check_optimal("solver=trust l2=0.3", 2, 0, 0.3);
    check_optimal("solver=newton l2=0.1", 4, 0, 0.1);
    check_optimal("solver=lbfgs", 4, 0, 1);
    check_optimal("solver=trust", 4, 0, 1);
    check_optimal("l1=3 l2=0", 2, 3, 0);
    check_optimal("l1=3 l2=2", 4, 3, 2);
    check_optimal("l2=0", 2, 0, 0);
    check_optimal("l2=0", 3, 0, 0);
}

static void l1_makes_coefficients_exactly_zero(void **state)
{
    (void)state;
    struct iris iris;
    struct matrix_data m;
    read_iris(&iris);
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    struct fitted f = fit_classes("l1=5 l2=0", &m, iris.label, 3, 1);
    int zeros = 0;
    for (int i = 0; i < 12; i++) zeros += state_of(&f)->coef[i] == 0;
    assert_true(zeros >= 4 && zeros < 12);
    assert_null(state_of(&f)->std_error);
    check_near("df", state_of(&f)->df, 12 - zeros + 2, 0);
    double objective = f.report.objective;
    end_fitted(&f);
    f = fit_classes("l1=5 l2=0 solver=owlqn max_iter=20000", &m, iris.label, 3, 1);
    check_near("owlqn", f.report.objective, objective, 1e-4);
    end_fitted(&f);
    f = fit_classes("l1=1e6", &m, iris.label, 3, 1);
    for (int i = 0; i < 12; i++) check_near("all zero", state_of(&f)->coef[i], 0, 0);
    end_fitted(&f);
}

/* Enough rows for a start from a part of them, and one more from a part of that part. */
static void a_start_from_a_part_ends_where_all_rows_do(void **state)
{
    (void)state;
    enum { N = 200003, D = 3 };
    double *x = random_matrix((int64_t)N * D, 5);
    int32_t *label = malloc(sizeof(int32_t) * N);
    struct matrix_data m;
    for (int64_t i = 0; i < N; i++) {
        double u = smr_random_unit(9, SMR_STREAM_TEST, 3, (uint64_t)i);
        label[i] = u < 1 / (1 + exp(-(0.5 + x[i * D] - 2 * x[i * D + 1])));
    }
    matrix_data(&m, N, D, 0, x, NULL, NULL);
    struct fitted f = fit_classes("", &m, label, 2, 2);
    struct fitted other = fit_classes("solver=lbfgs tol=1e-9", &m, label, 2, 2);
    for (int j = 0; j < D; j++)
        check_near("w", state_of(&f)->coef[j], state_of(&other)->coef[j], 1e-6);
    check_near("objective", f.report.objective, other.report.objective, 1e-11);
    assert_true(f.report.converged);
    end_fitted(&f), end_fitted(&other);
    f = fit_classes("", &m, label, 2, 1);
    other = fit_classes("", &m, label, 2, 7);
    assert_memory_equal(state_of(&f)->coef, state_of(&other)->coef, D * sizeof(double));
    end_fitted(&f), end_fitted(&other);
    free(x), free(label);
}

/* ---- degenerate ------------------------------------------------------------------------- */

static smr_status try_fit(struct heard *heard, const char *words, const struct matrix_data *m,
                          struct smr_logistic_state *copy, char *message)
{
    smr_ctx *ctx = hearing_ctx(heard);
    void *params = make_params(ctx, &smr_logistic, words), *fitted = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_logistic, &fitted));
    smr_status st = smr_learner_fit(ctx, &smr_logistic, params, &m->data, fitted, &report);
    snprintf(message, 512, "%s", smr_ctx_message(ctx));
    *copy = *(struct smr_logistic_state *)fitted;
    smr_fit_report_release(&report);
    smr_state_free(&smr_logistic, fitted);
    smr_params_free(smr_logistic.word, params);
    smr_ctx_clear(ctx);
    check_ctx_end(ctx);
    return st;
}

static void separated_classes_are_certified(void **state)
{
    (void)state;
    double apart[] = {0, 1, 2, 3, 4, 5}, touching[] = {0, 1, 2, 2, 3, 4};
    int32_t label[] = {0, 0, 0, 1, 1, 1}, mixed[] = {0, 1, 0, 1, 0, 1},
            three[] = {0, 0, 1, 1, 2, 2};
    struct matrix_data m;
    struct heard heard;
    struct smr_logistic_state s;
    char message[512];
    matrix_data(&m, 6, 1, 0, apart, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY, m.data.label = label, m.data.n_classes = 2;
    assert_int_equal(try_fit(&heard, "l2=0", &m, &s, message), SMR_OK);
    assert_int_equal(s.separation, SMR_LOGISTIC_SEPARATED);
    check_heard(&heard, "a plane separates the classes");
    check_heard(&heard, "give l2 a value (l2=1)");
    assert_int_equal(try_fit(&heard, "", &m, &s, message), SMR_OK);
    check_silent(&heard);
    assert_int_equal(try_fit(&heard, "l2=0 solver=lbfgs", &m, &s, message), SMR_OK);
    assert_int_equal(s.separation, SMR_LOGISTIC_SEPARATED);
    m.data.label = mixed;
    assert_int_equal(try_fit(&heard, "l2=0", &m, &s, message), SMR_OK);
    assert_int_equal(s.separation, SMR_LOGISTIC_OVERLAP);
    check_silent(&heard);
    m.data.label = three, m.data.n_classes = 3;
    assert_int_equal(try_fit(&heard, "l2=0", &m, &s, message), SMR_OK);
    assert_true(s.separation != SMR_LOGISTIC_OVERLAP);
    check_heard(&heard, "without a penalty the coefficients grow for ever");

    matrix_data(&m, 6, 1, 0, touching, NULL, NULL); /* both classes at x = 2 */
    m.data.task = SMR_TASK_CLASSIFY, m.data.label = label, m.data.n_classes = 2;
    assert_int_equal(try_fit(&heard, "l2=0", &m, &s, message), SMR_OK);
    assert_int_equal(s.separation, SMR_LOGISTIC_PARTED);
    check_heard(&heard, "no row on its wrong side");
}

static void one_class_is_an_error_and_a_missing_one_is_not(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 7}, out[6 * 3];
    int32_t one[] = {1, 1, 1, 1, 1, 1}, gap[] = {0, 2, 0, 2, 2, 2};
    struct matrix_data m;
    struct heard heard;
    struct smr_logistic_state s;
    char message[512];
    matrix_data(&m, 6, 1, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY, m.data.label = one, m.data.n_classes = 2;
    assert_int_equal(try_fit(&heard, "", &m, &s, message), SMR_ERR_DATA);
    assert_non_null(strstr(message, "logistic: all rows have the same class"));
    struct fitted f = fit_classes("", &m, gap, 3, 1);
    smr_rows rows = {.n = 6, .d = 1, .form = SMR_FORM_F64, .x = x, .stride = 1};
    check_ok(f.ctx, smr_logistic.fitted->predict(f.ctx, f.params, f.state, &rows, SMR_OUTPUT_PROBA,
                                                 out, NULL));
    for (int i = 0; i < 6; i++) {
        check_near("no rows", out[3 * i + 1], 0, 0);
        check_near("sum", out[3 * i] + out[3 * i + 2], 1, 1e-15);
    }
    assert_true(out[0] > out[15] && isnan(state_of(&f)->intercept_error[1]));
    end_fitted(&f);
}

static void constant_and_collinear_columns_are_survived(void **state)
{
    (void)state;
    enum { N = 40, D = 4 };
    double *x = random_matrix(N * D, 3);
    int32_t label[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        x[i * D + 1] = 0, x[i * D + 2] = 5, x[i * D + 3] = 2 * x[i * D];
        label[i] = x[i * D] + cos(5.0 * i) > 0;
    }
    matrix_data(&m, N, D, 0, x, NULL, NULL);
    struct fitted f = fit_classes("", &m, label, 2, 1);
    check_near("all zero", state_of(&f)->coef[1], 0, 0);
    check_near("constant", state_of(&f)->coef[2], 0, 1e-9);
    check_near("shared", state_of(&f)->coef[3], 2 * state_of(&f)->coef[0], 1e-8);
    end_fitted(&f);
    f = fit_classes("l2=0", &m, label, 2, 1);
    assert_true(isfinite(state_of(&f)->coef[0]) && isnan(state_of(&f)->std_error[0]));
    end_fitted(&f);
    free(x);
}

/* Rows of two columns, and the same with the first in other units, a copy of the second, and a
 * column of zeros: errors follow the units, copies have none, and the others keep theirs. */
static void units_and_copies_leave_the_other_errors_alone(void **state)
{
    (void)state;
    enum { N = 60, D = 4 };
    double *x = random_matrix(N * D, 3), two[N * 2], wide[N * D];
    int32_t label[N];
    struct matrix_data few, many;
    struct smr_logistic_state copy;
    struct heard heard = {0};
    char message[512];
    for (int i = 0; i < N; i++) {
        label[i] = x[i * D] + 0.5 * x[i * D + 1] + 2 * cos(7.0 * i) > 0;
        two[i * 2] = x[i * D], two[i * 2 + 1] = x[i * D + 1];
        wide[i * D] = 1e11 * x[i * D], wide[i * D + 1] = x[i * D + 1];
        wide[i * D + 2] = x[i * D + 1], wide[i * D + 3] = 0;
    }
    matrix_data(&few, N, 2, 0, two, NULL, NULL);
    matrix_data(&many, N, D, 0, wide, NULL, NULL);
    struct fitted f = fit_classes("l2=0 tol=1e-10", &few, label, 2, 1);
    struct fitted g = fit_classes("l2=0 tol=1e-10", &many, label, 2, 1);
    const struct smr_logistic_state *s = state_of(&f), *t = state_of(&g);
    check_near("error in other units", 1e11 * t->std_error[0] / s->std_error[0], 1, 1e-6);
    check_near("error of the intercept", t->intercept_error[0] / s->intercept_error[0], 1, 1e-6);
    for (int j = 1; j < D; j++) assert_true(isnan(t->std_error[j]));
    check_near("two columns, and an intercept", s->df, 3, 1e-12);
    check_near("which the copies do not change", t->df, 3, 1e-12);
    end_fitted(&f), end_fitted(&g);
    assert_int_equal(try_fit(&heard, "l2=0", &many, &copy, message), SMR_OK);
    assert_non_null(strstr(heard.text, "do not determine the coefficients of 3 of 4 columns"));
    free(x);
}

static void gradient_descent_shows_its_course(void **state)
{
    (void)state;
    struct iris iris;
    struct matrix_data m;
    read_iris(&iris);
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    struct fitted f = fit_classes("solver=gd step=0.05 max_iter=60", &m, iris.label, 3, 1);
    assert_int_equal(f.report.n_curve, 60);
    for (int i = 1; i < 60; i++) assert_true(f.report.curve[i] < f.report.curve[i - 1]);
    assert_true(f.report.curve[0] < 150 * log(3) && !f.report.converged);
    end_fitted(&f);
}

static void stochastic_gradients_come_near_the_optimum(void **state)
{
    (void)state;
    struct iris iris;
    struct matrix_data m;
    read_iris(&iris);
    for (int j = 0; j < 4; j++) { /* standardised */
        double mean = 0, square = 0;
        for (int i = 0; i < 150; i++) mean += iris.x[i * 4 + j] / 150;
        for (int i = 0; i < 150; i++) square += pow(iris.x[i * 4 + j] - mean, 2) / 150;
        for (int i = 0; i < 150; i++) iris.x[i * 4 + j] = (iris.x[i * 4 + j] - mean) / sqrt(square);
    }
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    struct fitted exact = fit_classes("", &m, iris.label, 3, 1);
    struct fitted f = fit_classes("solver=sgd passes=1000", &m, iris.label, 3, 1);
    assert_int_equal(state_of(&f)->solver, SMR_LOGISTIC_SGD);
    assert_true(f.report.objective >= exact.report.objective * (1 - 1e-12));
    check_near("objective", f.report.objective / exact.report.objective, 1, 0.05);
    end_fitted(&f), end_fitted(&exact);
}

static void bad_parameters_are_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_logistic, "l1=1 solver=newton");
    check_fails(ctx, smr_logistic.word->check_params(ctx, params), SMR_ERR_PARAM,
                "logistic: solver=newton cannot take l1; use solver=coordinate, owlqn or sgd");
    check_fails(ctx,
                smr_param_set(ctx, smr_logistic.word, params,
                              smr_param_find(smr_logistic.word, "l2"), "-1"),
                SMR_ERR_PARAM, "l2");
    smr_params_free(smr_logistic.word, params);
    check_ctx_end(ctx);
}

static void refused_memory_is_survived(void **state)
{
    (void)state;
    struct iris iris;
    struct matrix_data m;
    read_iris(&iris);
    matrix_data(&m, 150, 4, 0, iris.x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY, m.data.label = iris.label, m.data.n_classes = 3;
    check_failing_fits(&smr_logistic, "l2=0", &m.data);
    check_failing_fits(&smr_logistic, "solver=lbfgs class_weight=balanced", &m.data);
    check_failing_fits(&smr_logistic, "l1=1", &m.data);
    m.data.n_classes = 4;
    check_failing_fits(&smr_logistic, "solver=owlqn l1=1 max_iter=5", &m.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_four_counts_gives_the_log_odds_ratio),
        cmocka_unit_test(units_and_origins_do_not_matter),
        cmocka_unit_test(far_columns_are_penalised_as_near_ones),
        cmocka_unit_test(without_features_the_intercepts_are_the_shares),
        cmocka_unit_test(softmax_on_iris_is_that_of_scikit_learn),
        cmocka_unit_test(two_species_of_iris_are_those_of_other_programs),
        cmocka_unit_test(shirts_and_trousers_give_the_course_figures),
        cmocka_unit_test(every_solver_ends_at_the_optimum),
        cmocka_unit_test(l1_makes_coefficients_exactly_zero),
        cmocka_unit_test(a_start_from_a_part_ends_where_all_rows_do),
        cmocka_unit_test(separated_classes_are_certified),
        cmocka_unit_test(one_class_is_an_error_and_a_missing_one_is_not),
        cmocka_unit_test(constant_and_collinear_columns_are_survived),
        cmocka_unit_test(units_and_copies_leave_the_other_errors_alone),
        cmocka_unit_test(gradient_descent_shows_its_course),
        cmocka_unit_test(stochastic_gradients_come_near_the_optimum),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(refused_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
