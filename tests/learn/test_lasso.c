/* test_lasso.c -- lasso and elastic: worked figures, optimality, paths, cross-validation. */
#include "learn/matrix_data.h"

#include "data/read.h"
#include "data/split.h"
#include "learn/linear/path.h"
#include "learn/model.h"
#include "truth/least_squares.h"

extern const smr_learner smr_lasso, smr_elastic, smr_ridge;

/* Random features, correlated, of which the first fifth matters. */
struct problem {
    int64_t n, d, q;
    double *x, *y, *weight;
};

static struct problem make_problem(int64_t n, int64_t d, int64_t q, uint64_t seed)
{
    struct problem p = {n,
                        d,
                        q,
                        random_matrix(n * d, seed),
                        random_matrix(n * q, seed + 1),
                        random_matrix(n, seed + 2)};
    for (int64_t i = 0; i < n; i++) {
        p.weight[i] = 0.25 + fabs(p.weight[i]);
        for (int64_t j = 1; j < d; j++) p.x[i * d + j] += 0.5 * p.x[i * d + j - 1];
        for (int64_t k = 0; k < q; k++)
            for (int64_t j = 0; j < 1 + d / 5; j++)
                p.y[i * q + k] += cos((double)(3 * j + k)) * p.x[i * d + j] + 0.5;
    }
    return p;
}

static void end_problem(struct problem *p)
{
    free(p->x);
    free(p->y);
    free(p->weight);
}

/* ---- figures ---------------------------------------------------------------------------- */

/* FIGURES D4-D6: x = (1, 2), y = (1, 1), a = sum x^2 = 5, b = sum xy = 3: none b/a = 0.6, l1 |w|
 * sgn(b) max(|b| - l1, 0) / a = 0.4 at l1 = 1, and 0 from l1 = 3 on; both b - l1 / (a + l2). */
static void one_feature_gives_the_course_figures(void **unused)
{
    (void)unused;
    static const struct {
        const char *words;
        double w;
    } cases[] = {{"fit_intercept=no l1=1", 0.4},
                 {"fit_intercept=no l1=0", 0.6},
                 {"fit_intercept=no l1=3", 0},
                 {"fit_intercept=no l1=2.5", 0.1}};
    double x[] = {1, 2}, y[] = {1, 1};
    struct matrix_data m;
    matrix_data(&m, 2, 1, 1, x, y, NULL);
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        struct fitted f = fit_matrix(&smr_lasso, cases[i].words, &m.data, 1);
        check_near(cases[i].words, *state_array(&f, "coef"), cases[i].w, 1e-15);
        if (cases[i].w == 0) assert_true(*state_array(&f, "coef") == 0);
        assert_true(f.report.converged);
        end_fitted(&f);
    }
    struct fitted f = fit_matrix(&smr_elastic, "fit_intercept=no l1=1 l2=2", &m.data, 1);
    check_near("both", *state_array(&f, "coef"), 2.0 / 7, 1e-15);
    end_fitted(&f);
    f = fit_matrix(&smr_elastic, "fit_intercept=no l1=1 mix=0.25", &m.data, 1); /* l2 = 3 */
    check_near("mix", *state_array(&f, "coef"), 0.25, 1e-15);
    end_fitted(&f);
}

/* With w = 1, 2, 3, 1, 2, 3 ... where weighted. */
static void diabetes_gives_scikit_learns_coefficients(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, "data/diabetes.csv", NULL, &t));
    double x[442 * 10], y[442], weight[442];
    for (int i = 0; i < 442; i++) {
        for (int j = 0; j < 10; j++) x[i * 10 + j] = smr_column_number(&t->cols[j], i);
        y[i] = smr_column_number(&t->cols[10], i);
        weight[i] = 1 + i % 3;
    }
    for (int c = 0; c < SMR_COUNT(diabetes_nets); c++) {
        struct matrix_data m;
        const smr_learner *l = diabetes_nets[c].sentence[0] == 'l' ? &smr_lasso : &smr_elastic;
        char words[64];
        snprintf(words, sizeof words, l == &smr_lasso ? "l1=%s" : "%s",
                 strchr(diabetes_nets[c].sentence, ' ') + 1);
        matrix_data(&m, 442, 10, 1, x, y, diabetes_nets[c].weighted ? weight : NULL);
        struct fitted f = fit_matrix(l, words, &m.data, 1);
        const double *w = state_array(&f, "coef");
        for (int j = 0; j < 10; j++) {
            check_near("coefficient", w[j], diabetes_nets[c].coef[j], 1e-6);
            if (diabetes_nets[c].coef[j] == 0) assert_true(w[j] == 0);
        }
        check_near("intercept", *state_array(&f, "intercept"), diabetes_nets[c].intercept, 2e-5);
        end_fitted(&f);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- optimality ------------------------------------------------------------------------- */

/* KKT: with q_j = sum weight r x_j - l2 w_j, |q_j| <= l1, and q_j = l1 sgn(w_j) where w_j != 0; sum
 * weight r = 0 with intercept. */
static void check_optimal(const struct problem *p, const smr_learner *l, const char *words,
                          bool weighted, bool intercept)
{
    struct matrix_data m;
    matrix_data(&m, p->n, p->d, p->q, p->x, p->y, weighted ? p->weight : NULL);
    struct fitted f = fit_matrix(l, words, &m.data, 2);
    double *out = malloc((size_t)(p->n * p->q) * sizeof *out), objective = 0;
    predict_matrix(&f, p->n, p->d, p->x, out);
    for (int64_t k = 0; k < p->q; k++) {
        double l1 = state_array(&f, "l1")[k], l2 = state_array(&f, "l2")[k], sum = 0, rss = 0;
        const double *w = state_array(&f, "coef") + k * p->d;
        for (int64_t j = 0; j < p->d; j++) {
            double g = -l2 * w[j];
            for (int64_t i = 0; i < p->n; i++)
                g += (weighted ? p->weight[i] : 1) * p->x[i * p->d + j] *
                     (p->y[i * p->q + k] - out[i * p->q + k]);
            if (w[j] != 0)
                check_near("active", g / (double)p->n, copysign(l1, w[j]) / (double)p->n, 2e-5);
            assert_true(fabs(g) <= l1 + 2e-5 * (double)p->n);
            objective += l1 * fabs(w[j]) + l2 * w[j] * w[j] / 2;
        }
        for (int64_t i = 0; i < p->n; i++) {
            double r = p->y[i * p->q + k] - out[i * p->q + k], f_i = weighted ? p->weight[i] : 1;
            sum += f_i * r;
            rss += f_i * r * r;
        }
        if (intercept) check_near("residuals", sum / (double)p->n, 0, 1e-10);
        check_near("rss", state_array(&f, "rss")[k], rss, 1e-8 * (double)p->n);
        objective += rss / 2;
        assert_true(state_array(&f, "gap")[k] <= 1e-8 * state_array(&f, "tss")[k]);
    }
    check_near("objective", f.report.objective / objective, 1, 1e-10);
    free(out);
    end_fitted(&f);
}

static void answers_satisfy_the_optimality_conditions(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{237, 11, 1}, {611, 7, 2}, {19, 50, 1}, {12, 12, 2}};
    for (int s = 0; s < SMR_COUNT(shapes); s++) {
        struct problem p = make_problem(shapes[s][0], shapes[s][1], shapes[s][2], 40);
        for (int weighted = 0; weighted < 2; weighted++) {
            check_optimal(&p, &smr_lasso, "l1=3.5 tol=1e-13", weighted, true);
            check_optimal(&p, &smr_lasso, "l1=0.25 tol=1e-13 fit_intercept=no", weighted, false);
            check_optimal(&p, &smr_elastic, "l1=2 l2=7 tol=1e-13", weighted, true);
            check_optimal(&p, &smr_elastic, "l1=1 mix=0.9 tol=1e-13 fit_intercept=no", weighted,
                          false);
            check_optimal(&p, &smr_lasso, "path=20 tol=1e-13", weighted, true);
        }
        end_problem(&p);
    }
}

/* At the first penalty of a path everything is 0, and just below it something is not. */
static void a_path_begins_where_the_first_coefficient_appears(void **unused)
{
    (void)unused;
    struct problem p = make_problem(333, 9, 1, 60);
    struct matrix_data m;
    matrix_data(&m, p.n, p.d, 1, p.x, p.y, NULL);
    struct fitted f = fit_matrix(&smr_lasso, "path=7 ratio=0.01 folds=0", &m.data, 1);
    const smr_path_state *s = f.state;
    assert_int_equal(s->path_start[1], 0);
    assert_true(s->path_start[2] > 0);
    check_near("ratio", s->path_l1[6] / s->path_l1[0], 0.01, 1e-14);
    check_near("even", s->path_l1[3] / s->path_l1[0], 0.1, 1e-14);
    assert_int_equal(s->chosen[0], 6); /* none was chosen: the weakest */
    char words[64];
    snprintf(words, sizeof words, "l1=%.17g", 0.999 * s->path_l1[0]);
    struct fitted below = fit_matrix(&smr_lasso, words, &m.data, 1);
    assert_true(((const smr_path_state *)below.state)->n_entries >= 1);
    end_fitted(&below);
    end_fitted(&f);
    end_problem(&p);
}

static void a_path_is_what_separate_fits_give(void **unused)
{
    (void)unused;
    static const int64_t shapes[][2] = {{300, 12}, {25, 40}};
    for (int shape = 0; shape < 2; shape++) {
        struct problem p = make_problem(shapes[shape][0], shapes[shape][1], 1, 70);
        struct matrix_data m;
        matrix_data(&m, p.n, p.d, 1, p.x, p.y, p.weight);
        struct fitted f = fit_matrix(&smr_lasso, "path=9 ratio=0.05 folds=0 tol=1e-15", &m.data, 2);
        const smr_path_state *s = f.state;
        for (int c = 0; c < 9; c++) {
            char words[80];
            snprintf(words, sizeof words, "l1=%.17g tol=1e-15", s->path_l1[c]);
            struct fitted one = fit_matrix(&smr_lasso, words, &m.data, 1);
            double coef[64] = {0};
            for (int64_t e = s->path_start[c]; e < s->path_start[c + 1]; e++)
                coef[s->path_column[e]] = s->path_value[e];
            for (int64_t j = 0; j < p.d; j++)
                check_near("coefficient", coef[j], state_array(&one, "coef")[j], 1e-5);
            check_near("objective", s->path_objective[c] / one.report.objective, 1, 1e-11);
            end_fitted(&one);
        }
        end_fitted(&f);
        end_problem(&p);
    }
}

/* Dense and wide data go by columns, tall data by the Gram matrix: the same answers. */
static void rows_of_weight_zero_and_twice_count_as_they_should(void **unused)
{
    (void)unused;
    struct problem p = make_problem(90, 6, 1, 80);
    double x[180 * 6], y[180], weight[180];
    for (int i = 0; i < 90; i++) {
        memcpy(x + i * 6, p.x + i * 6, sizeof(double) * 6);
        y[i] = p.y[i];
        weight[i] = i % 3 == 0 ? 0 : i % 3;
    }
    struct matrix_data a, b;
    matrix_data(&a, 90, 6, 1, x, y, weight);
    struct fitted f = fit_matrix(&smr_lasso, "l1=4 tol=1e-14", &a.data, 1);
    int64_t n = 0;
    double x2[180 * 6], y2[180];
    for (int i = 0; i < 90; i++)
        for (int c = 0; c < i % 3; c++, n++) {
            memcpy(x2 + n * 6, x + i * 6, sizeof(double) * 6);
            y2[n] = y[i];
        }
    matrix_data(&b, n, 6, 1, x2, y2, NULL);
    struct fitted g = fit_matrix(&smr_lasso, "l1=4 tol=1e-14", &b.data, 1);
    for (int j = 0; j < 6; j++)
        check_near("twice", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-9);
    check_near("intercept", *state_array(&f, "intercept"), *state_array(&g, "intercept"), 1e-9);
    end_fitted(&g);
    end_fitted(&f);
    end_problem(&p);
}

static void elastic_without_l1_is_ridge_and_with_mix_one_the_lasso(void **unused)
{
    (void)unused;
    struct problem p = make_problem(210, 8, 1, 90);
    struct matrix_data m;
    matrix_data(&m, p.n, p.d, 1, p.x, p.y, p.weight);
    struct fitted f = fit_matrix(&smr_elastic, "l1=0 l2=3 tol=1e-15", &m.data, 1);
    struct fitted g = fit_matrix(&smr_ridge, "l2=3", &m.data, 1);
    for (int j = 0; j < 8; j++)
        check_near("ridge", state_array(&f, "coef")[j], state_array(&g, "coef")[j], 1e-7);
    end_fitted(&g);
    end_fitted(&f);
    f = fit_matrix(&smr_elastic, "l1=5 mix=1", &m.data, 1);
    g = fit_matrix(&smr_lasso, "l1=5", &m.data, 1);
    assert_memory_equal(state_array(&f, "coef"), state_array(&g, "coef"), 8 * sizeof(double));
    end_fitted(&g);
    end_fitted(&f);
    end_problem(&p);
}

/* ---- cross-validation ------------------------------------------------------------------- */

/* The error of a fold under a fit to the others, row by row, with the penalty times their share. */
static double error_of_fold(const struct problem *p, const smr_parts *parts, int64_t fold,
                            double l1, const double *weight)
{
    double *w = malloc((size_t)p->n * sizeof *w), all = 0, rest = 0, sum = 0, here = 0;
    double *out = malloc((size_t)p->n * sizeof *out);
    struct matrix_data m;
    char words[80];
    for (int64_t i = 0; i < p->n; i++) all += w[i] = weight ? weight[i] : 1;
    for (int64_t i = 0; i < smr_part_size(parts, fold); i++) w[smr_part_rows(parts, fold)[i]] = 0;
    for (int64_t i = 0; i < p->n; i++) rest += w[i];
    snprintf(words, sizeof words, "l1=%.17g tol=1e-14", l1 * rest / all);
    matrix_data(&m, p->n, p->d, 1, p->x, p->y, w);
    struct fitted f = fit_matrix(&smr_lasso, words, &m.data, 1);
    predict_matrix(&f, p->n, p->d, p->x, out);
    for (int64_t i = 0; i < smr_part_size(parts, fold); i++) {
        int64_t r = smr_part_rows(parts, fold)[i];
        double e = p->y[r] - out[r], weight_r = weight ? weight[r] : 1;
        sum += weight_r * e * e;
        here += weight_r;
    }
    end_fitted(&f);
    free(out);
    free(w);
    return sum / here;
}

static void check_validation(int64_t n, int64_t d, bool weighted)
{
    enum { FOLDS = 4, STEPS = 6 };
    struct problem p = make_problem(n, d, 1, 100);
    struct matrix_data m;
    matrix_data(&m, n, d, 1, p.x, p.y, weighted ? p.weight : NULL);
    struct fitted f = fit_matrix(&smr_lasso, "path=6 folds=4 ratio=0.01 tol=1e-14", &m.data, 2);
    const smr_path_state *s = f.state;
    smr_split_rows of = {.n = n, .seed = f.ctx->seed};
    smr_parts parts = {0};
    int64_t best = 0;
    check_ok(f.ctx, smr_split_folds(f.ctx, &of, FOLDS, &parts));
    for (int64_t c = 0; c < STEPS; c++) {
        double error[FOLDS], mean = 0, square = 0;
        for (int64_t k = 0; k < FOLDS; k++)
            mean += error[k] =
                error_of_fold(&p, &parts, k, s->path_l1[c], weighted ? p.weight : NULL);
        mean /= FOLDS;
        for (int64_t k = 0; k < FOLDS; k++) square += (error[k] - mean) * (error[k] - mean);
        check_near("mean", s->cv_error[c] / mean, 1, 1e-5);
        check_near("se", s->cv_se[c] / sqrt(square / (FOLDS * (FOLDS - 1))), 1, 1e-4);
        if (s->cv_error[c] < s->cv_error[best]) best = c;
    }
    assert_int_equal(s->chosen[0], best);
    check_near("penalty in use", s->l1[0], s->path_l1[best], 0);
    smr_parts_release(&parts);
    end_fitted(&f);
    end_problem(&p);
}

static void cross_validation_is_what_separate_fits_give(void **unused)
{
    (void)unused;
    check_validation(403, 9, false);
    check_validation(403, 9, true);
    check_validation(31, 40, false);
    check_validation(31, 40, true);
}

static void one_standard_error_chooses_the_stronger_penalty(void **unused)
{
    (void)unused;
    struct problem p = make_problem(150, 12, 1, 110);
    struct matrix_data m;
    matrix_data(&m, p.n, p.d, 1, p.x, p.y, NULL);
    struct fitted f = fit_matrix(&smr_lasso, "", &m.data, 1);
    struct fitted g = fit_matrix(&smr_lasso, "one_se=yes", &m.data, 1);
    const smr_path_state *a = f.state, *b = g.state;
    int64_t best = a->chosen[0], c = b->chosen[0];
    assert_int_equal(a->n_path, SMR_PATH_DEFAULT);
    assert_true(c < best);
    assert_true(a->cv_error[c] <= a->cv_error[best] + a->cv_se[best]);
    assert_true(a->cv_error[c - 1] > a->cv_error[best] + a->cv_se[best]);
    end_fitted(&g);
    end_fitted(&f);
    end_problem(&p);
}

/* ---- a target of unit variance ---------------------------------------------------------- */

/* MISSION D8: with y / s in place of y, l1 counts in standard deviations of y, and the answer on
 * the raw target is that of l1 s; l2 means the same for both. */
static void penalties_count_in_units_of_a_standardized_target(void **unused)
{
    (void)unused;
    static const struct {
        const char *standardized, *raw;
    } cases[] = {{"columns target=standardize | lasso 20", "lasso %.17g"},
                 {"columns target=standardize | elastic l1=10 l2=500", "elastic l1=%.17g l2=500"},
                 {"columns target=standardize | ridge 300", "ridge 300"}};
    static const double l1[] = {20, 10, 0};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "progression"};
    check_ok(ctx, smr_table_open(ctx, "data/diabetes.csv", NULL, &t));
    for (int c = 0; c < SMR_COUNT(cases); c++) {
        smr_model *a = NULL, *b = NULL;
        double one[442], two[442];
        char sentence[128];
        check_ok(ctx, smr_train(ctx, cases[c].standardized, t, &opts, &a));
        snprintf(sentence, sizeof sentence, cases[c].raw, l1[c] * a->target.sd[0]);
        check_ok(ctx, smr_train(ctx, sentence, t, &opts, &b));
        check_ok(ctx, smr_predict(ctx, a, t, SMR_OUTPUT_VALUE, one));
        check_ok(ctx, smr_predict(ctx, b, t, SMR_OUTPUT_VALUE, two));
        for (int i = 0; i < 442; i++) check_near(sentence, one[i], two[i], 1e-4);
        smr_model_free(a);
        smr_model_free(b);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- traps of feature selection ---------------------------------------------------------- */

/* FIGURES B3, data/stomach.csv: a column that repeats another, two that matter only together. */
static void the_lasso_takes_one_of_two_equal_columns_and_finds_the_product(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "upset"};
    check_ok(ctx, smr_table_open(ctx, "data/stomach.csv", NULL, &t));
    check_ok(ctx, smr_train(ctx, "lasso", t, &opts, &m));
    const smr_path_state *s = smr_model_last(m)->state;
    assert_true(s->coef[0] > 3.5 && s->coef[1] == 0);
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "poly 2 interactions=yes | standardize | lasso one_se=yes", t,
                            &opts, &m));
    const smr_stage *last = smr_model_last(m), *before = last - 1;
    s = last->state;
    for (int64_t j = 0; j < s->n_features; j++) {
        const char *name = before->features[j].name;
        bool wanted = !strcmp(name, "fish_and_chips") || !strcmp(name, "diet_coke*mentos");
        if ((s->coef[j] != 0) != wanted) fail_msg("%s is %s", name, wanted ? "missing" : "kept");
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

/* The same numbers as a matrix and as a CSR block. */
static void check_sparse(const smr_learner *l, const char *words, int64_t n, int64_t d,
                         double slack)
{
    double *x = calloc((size_t)(n * d), sizeof *x), *y = random_matrix(n, 4);
    int64_t *start = calloc((size_t)n + 1, sizeof *start), e = 0;
    int32_t *column = calloc((size_t)(n * d), sizeof *column);
    double *value = calloc((size_t)(n * d), sizeof *value);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            if (smr_random_below(5, SMR_STREAM_TEST, (uint64_t)j, (uint64_t)i, 6) && j < d - 1)
                continue;
            column[e] = (int32_t)j;
            value[e++] = x[i * d + j] = (double)(1 + (i * 7 + j * 3) % 11);
        }
        start[i + 1] = e;
        y[i] += 2 * x[i * d] - 0.75 * x[i * d + 1];
    }
    struct matrix_data m;
    matrix_data(&m, n, d, 1, x, y, NULL);
    smr_csr csr = {.n_rows = n, .n_cols = d, .start = start, .column = column, .value = value};
    smr_data sparse = m.data;
    sparse.features = NULL;
    sparse.sparse = &csr;
    struct fitted f = fit_matrix(l, words, &m.data, 2), g = fit_matrix(l, words, &sparse, 2);
    const smr_path_state *a = f.state, *b = g.state;
    for (int64_t j = 0; j < d; j++) check_near("coefficient", a->coef[j], b->coef[j], slack);
    check_near("intercept", a->intercept[0], b->intercept[0], 10 * slack);
    for (int64_t c = 0; c < a->n_path && a->cv_error; c++)
        check_near("error", a->cv_error[c] / b->cv_error[c], 1, 1e-5);
    end_fitted(&g);
    end_fitted(&f);
    free(value);
    free(column);
    free(start);
    free(x);
    free(y);
}

static void sparse_rows_give_the_answers_of_dense_ones(void **unused)
{
    (void)unused;
    check_sparse(&smr_lasso, "l1=3 tol=1e-14", 120, 7, 1e-7);
    check_sparse(&smr_lasso, "l1=3 tol=1e-14", 40, 60, 1e-5);
    check_sparse(&smr_elastic, "path=8 tol=1e-14", 40, 60, 1e-5);
    check_sparse(&smr_lasso, "path=8 tol=1e-14 fit_intercept=no", 45, 50, 1e-5);
}

/* ---- bad and odd input ------------------------------------------------------------------ */

static char warnings[4096];

static void remember(void *user, smr_log_level level, const char *message)
{
    size_t used = strlen(warnings);
    (void)user;
    if (level == SMR_LOG_WARNING)
        snprintf(warnings + used, sizeof warnings - used, "%s\n", message);
}

/* A fit whose warnings are kept. */
static struct fitted fit_listening(const smr_learner *learner, const char *words,
                                   const smr_data *data)
{
    struct fitted f = {.ctx = check_ctx(1), .learner = learner};
    f.ctx->log = remember;
    warnings[0] = '\0';
    f.params = make_params(f.ctx, learner, words);
    check_ok(f.ctx, smr_state_create(f.ctx, learner, &f.state));
    check_ok(f.ctx, smr_learner_fit(f.ctx, learner, f.params, data, f.state, &f.report));
    return f;
}

static void expect_warning(const char *words)
{
    if (!strstr(warnings, words)) fail_msg("\"%s\" is not in \"%s\"", words, warnings);
}

static void constant_targets_and_columns_have_no_coefficients(void **unused)
{
    (void)unused;
    static const int64_t widths[] = {3, 30};
    for (int s = 0; s < 2; s++) {
        int64_t d = widths[s];
        struct problem p = make_problem(20, d, 1, 120);
        for (int i = 0; i < 20; i++) {
            p.x[i * d + 1] = 0;
            p.x[i * d + 2] = 0.1;
        }
        struct matrix_data m;
        matrix_data(&m, 20, d, 1, p.x, p.y, NULL);
        struct fitted f = fit_matrix(&smr_lasso, "l1=0.001", &m.data, 1);
        assert_true(state_array(&f, "coef")[0] != 0);
        assert_true(state_array(&f, "coef")[1] == 0 && state_array(&f, "coef")[2] == 0);
        end_fitted(&f);
        for (int i = 0; i < 20; i++) p.y[i] = 0.3;
        f = fit_listening(&smr_lasso, "", &m.data);
        for (int j = 0; j < d; j++) assert_true(state_array(&f, "coef")[j] == 0);
        check_near("intercept", *state_array(&f, "intercept"), 0.3, 1e-15);
        expect_warning("target 1 is constant: all coefficients are 0");
        end_fitted(&f);
        end_problem(&p);
    }
}

/* On a path, with more rows than features and with fewer. */
static void the_units_of_the_target_do_not_matter(void **unused)
{
    (void)unused;
    static const int rows[] = {90, 5};
    static const char *const settings[] = {"tol=1e-13", "mix=0.2 tol=1e-13",
                                           "one_se=yes tol=1e-13"};
    for (int s = 0; s < 6; s++) {
        struct problem p = make_problem(90, 7, 1, 140);
        struct matrix_data m;
        double y[90];
        matrix_data(&m, rows[s / 3], 7, 1, p.x, p.y, NULL);
        struct fitted a = fit_matrix(&smr_elastic, settings[s % 3], &m.data, 1);
        for (int i = 0; i < 90; i++) y[i] = 1000 * p.y[i];
        matrix_data(&m, rows[s / 3], 7, 1, p.x, y, NULL);
        struct fitted b = fit_matrix(&smr_elastic, settings[s % 3], &m.data, 1);
        check_near("l1", *state_array(&b, "l1"), 1000 * *state_array(&a, "l1"), 1e-7);
        check_near("l2", *state_array(&b, "l2"), *state_array(&a, "l2"), 1e-10);
        for (int j = 0; j < 7; j++)
            check_near("coefficient", state_array(&b, "coef")[j] / 1000, state_array(&a, "coef")[j],
                       1e-6);
        end_fitted(&a);
        end_fitted(&b);
        end_problem(&p);
    }
}

static void a_path_that_ends_too_early_is_told(void **unused)
{
    (void)unused;
    struct problem p = make_problem(90, 4, 1, 140);
    struct matrix_data m;
    for (int i = 0; i < 90; i++) p.y[i] *= 1e6;
    matrix_data(&m, 90, 4, 1, p.x, p.y, NULL);
    struct fitted f = fit_listening(&smr_elastic, "", &m.data);
    assert_string_equal(warnings, "");
    end_fitted(&f);
    f = fit_listening(&smr_lasso, "", &m.data);
    assert_string_equal(warnings, "");
    end_fitted(&f);
    f = fit_listening(&smr_lasso, "ratio=0.5", &m.data);
    expect_warning("lasso: the path ends at its weakest penalty, and the error still falls there: "
                   "lower ratio, as in ratio=0.0005");
    end_fitted(&f);
    end_problem(&p);
}

static void a_repeated_column_is_named(void **unused)
{
    (void)unused;
    struct problem p = make_problem(70, 4, 1, 130);
    for (int i = 0; i < 70; i++) p.x[i * 4 + 3] = p.x[i * 4];
    struct matrix_data m;
    matrix_data(&m, 70, 4, 1, p.x, p.y, NULL);
    struct fitted f = fit_listening(&smr_lasso, "l1=1", &m.data);
    const double *w = state_array(&f, "coef");
    assert_true(w[0] != 0 && w[3] == 0);
    expect_warning("'x0' and 'x3' say the same");
    end_fitted(&f);
    f = fit_matrix(&smr_elastic, "l1=1 l2=1 tol=1e-14", &m.data, 1);
    check_near("shared evenly", state_array(&f, "coef")[0], state_array(&f, "coef")[3], 1e-7);
    end_fitted(&f);
    end_problem(&p);
}

static void too_few_sweeps_are_told(void **unused)
{
    (void)unused;
    struct problem p = make_problem(30, 40, 1, 140);
    struct matrix_data m;
    matrix_data(&m, 30, 40, 1, p.x, p.y, NULL);
    struct fitted f = fit_listening(&smr_lasso, "l1=0.01 max_iter=1 tol=1e-15", &m.data);
    assert_false(f.report.converged);
    expect_warning("1 of 1 penalties had not converged after 1 sweep");
    end_fitted(&f);
    end_problem(&p);
}

static void check_refused(const smr_learner *l, const char *words, const char *message)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, l, words);
    assert_int_equal(l->word->check_params(ctx, params), SMR_ERR_PARAM);
    if (!strstr(smr_ctx_message(ctx), message)) fail_msg("%s", smr_ctx_message(ctx));
    smr_ctx_clear(ctx);
    smr_params_free(l->word, params);
    check_ctx_end(ctx);
}

static void contradicting_parameters_are_refused(void **unused)
{
    (void)unused;
    check_refused(&smr_lasso, "l1=1 path=5", "path=5 and 1 value of l1 are given");
    check_refused(&smr_elastic, "l1=1,2 path=5", "path=5 and 2 values of l1 are given");
    check_refused(&smr_elastic, "l2=1,2", "2 values of l2 are given");
}

/* One row has nothing to tell: the mean. */
static void one_row_gives_its_value(void **unused)
{
    (void)unused;
    double x[] = {1, 2, 3}, y[] = {7};
    struct matrix_data m;
    matrix_data(&m, 1, 3, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_lasso, "", &m.data, 1);
    for (int j = 0; j < 3; j++) assert_true(state_array(&f, "coef")[j] == 0);
    check_near("value", *state_array(&f, "intercept"), 7, 0);
    end_fitted(&f);
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    struct problem p = make_problem(40, 5, 2, 150);
    struct matrix_data m;
    matrix_data(&m, 40, 5, 2, p.x, p.y, NULL);
    check_failing_fits(&smr_lasso, "path=3 folds=2", &m.data);
    end_problem(&p);
    p = make_problem(8, 10, 1, 150);
    matrix_data(&m, 8, 10, 1, p.x, p.y, NULL);
    check_failing_fits(&smr_elastic, "path=3 folds=2", &m.data);
    end_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_feature_gives_the_course_figures),
        cmocka_unit_test(diabetes_gives_scikit_learns_coefficients),
        cmocka_unit_test(answers_satisfy_the_optimality_conditions),
        cmocka_unit_test(a_path_begins_where_the_first_coefficient_appears),
        cmocka_unit_test(a_path_is_what_separate_fits_give),
        cmocka_unit_test(rows_of_weight_zero_and_twice_count_as_they_should),
        cmocka_unit_test(elastic_without_l1_is_ridge_and_with_mix_one_the_lasso),
        cmocka_unit_test(cross_validation_is_what_separate_fits_give),
        cmocka_unit_test(one_standard_error_chooses_the_stronger_penalty),
        cmocka_unit_test(penalties_count_in_units_of_a_standardized_target),
        cmocka_unit_test(the_lasso_takes_one_of_two_equal_columns_and_finds_the_product),
        cmocka_unit_test(sparse_rows_give_the_answers_of_dense_ones),
        cmocka_unit_test(constant_targets_and_columns_have_no_coefficients),
        cmocka_unit_test(the_units_of_the_target_do_not_matter),
        cmocka_unit_test(a_path_that_ends_too_early_is_told),
        cmocka_unit_test(a_repeated_column_is_named),
        cmocka_unit_test(too_few_sweeps_are_told),
        cmocka_unit_test(contradicting_parameters_are_refused),
        cmocka_unit_test(one_row_gives_its_value),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("lasso", tests, NULL, NULL);
}
