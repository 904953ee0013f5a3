/* test_stochastic.c -- the learner sgd and the machine under it: optima, schedules, penalties,
 * streams, gradients' variance.
 *
 * Truth: conditions of optimality of the objective that the descriptor states, closed forms, single
 * steps by hand, and on real tables the least objective (tests/truth/stochastic.py). */
#include "learn/matrix_data.h"
#include "whole_check.h"

#include "data/table.h"
#include "learn/linear/stochastic.h"
#include "pipeline.h"
#include "truth/stochastic.h"

extern const smr_learner smr_sgd, smr_ridge;

enum { N = 203, D = 4 };

struct problem {
    struct matrix_data m;
    double *x, *y, *weight;
    int32_t label[N];
};

/* Features with scales of their own; targets and two or three classes that follow them. */
static void make_problem(struct problem *p, int64_t n_classes)
{
    double *noise = random_matrix(N, 11);
    p->x = random_matrix(N * D, 3);
    p->y = random_matrix(N, 5);
    p->weight = random_matrix(N, 9);
    for (int64_t i = 0; i < N; i++) {
        const double *r = p->x + i * D;
        double s = 0.8 * r[0] - 1.1 * r[1] + 0.4 * r[2] + 0.3;
        p->y[i] = s + 0.5 * p->y[i] + 1;
        p->weight[i] = 0.25 + fabs(p->weight[i]);
        p->label[i] = s + noise[i] > 0;
        if (n_classes == 3 && r[3] + 0.5 * noise[i] > 0.7) p->label[i] = 2;
    }
    matrix_data(&p->m, N, D, 1, p->x, p->y, NULL);
    if (n_classes > 0) {
        p->m.data.task = SMR_TASK_CLASSIFY;
        p->m.data.y = NULL;
        p->m.data.label = p->label;
        p->m.data.n_classes = n_classes;
    }
    free(noise);
}

static void end_problem(struct problem *p)
{
    free(p->x);
    free(p->y);
    free(p->weight);
}

/* ---- optima ----------------------------------------------------------------------------- */

/* Largest entry of the gradient of sum weight loss + l2 |w|^2 / 2 at the state's coefficients,
 * divided by the rows. */
static double gradient_at(const struct fitted *f, const struct problem *p, const smr_loss *loss,
                          double param, double l2, int64_t k)
{
    const double *w = state_array(f, "coef"), *b = state_array(f, "intercept");
    int64_t q = k > 2 ? k : 1;
    double g[3 * (D + 1)] = {0}, most = 0;
    for (int64_t i = 0; i < N; i++) {
        double s[3], slope[3], weight = smr_data_weight(&p->m.data, i);
        for (int64_t c = 0; c < q; c++) {
            s[c] = b[c];
            for (int j = 0; j < D; j++) s[c] += w[c * D + j] * p->x[i * D + j];
        }
        if (loss->kind == SMR_LOSS_CLASSES)
            smr_loss_classes(loss, 1, k, &p->label[i], s, NULL, slope);
        for (int64_t c = 0; c < q && loss->kind != SMR_LOSS_CLASSES; c++) {
            double y = k == 0 ? p->y[i] : p->label[i] == (q == 1 ? 1 : c) ? 1 : -1;
            slope[c] = smr_loss_at(loss, param, y, s[c]).slope;
        }
        for (int64_t c = 0; c < q; c++) {
            for (int j = 0; j < D; j++) g[c * (D + 1) + j] += weight * slope[c] * p->x[i * D + j];
            g[c * (D + 1) + D] += weight * slope[c];
        }
    }
    for (int64_t c = 0; c < q; c++)
        for (int j = 0; j <= D; j++)
            most = fmax(most, fabs(g[c * (D + 1) + j] + (j < D ? l2 * w[c * D + j] : 0)) / N);
    return most;
}

/* Averaged, with a rate that falls as 1 / t: 1000 passes of 203 rows reach the optimum of smooth
 * losses to 1e-3 in the mean gradient, whose size at 0 is about 0.4. */
static void smooth_losses_reach_their_optimum(void **unused)
{
    static const struct {
        smr_loss_id id;
        int64_t k;
        double tolerance;
    } cases[] = {
        {SMR_LOSS_SQUARED, 0, 1e-3},       {SMR_LOSS_HUBER, 0, 1e-3},
        {SMR_LOSS_LOGISTIC, 2, 1e-3},      {SMR_LOSS_SQUARED_HINGE, 2, 1e-3},
        {SMR_LOSS_EXPONENTIAL, 2, 1e-3},   {SMR_LOSS_LOGISTIC, 3, 1e-3},
        {SMR_LOSS_CROSS_ENTROPY, 3, 1e-3}, {SMR_LOSS_CROSS_ENTROPY, 2, 1e-3},
    };
    (void)unused;
    for (int c = 0; c < (int)SMR_COUNT(cases); c++) {
        char words[128];
        struct problem p;
        const smr_loss *loss = &smr_losses[cases[c].id], *truth = loss;
        make_problem(&p, cases[c].k);
        p.m.data.weight = p.weight;
        snprintf(words, sizeof words,
                 "loss=%s l2=2 average=yes schedule=per_step passes=1000 patience=1000 tol=0",
                 loss->name);
        struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
        if (cases[c].id == SMR_LOSS_CROSS_ENTROPY && cases[c].k == 2)
            truth = &smr_losses[SMR_LOSS_LOGISTIC];
        double g = gradient_at(&f, &p, truth, truth->param_default, 2, cases[c].k);
        if (!(g < cases[c].tolerance))
            fail_msg("%s, %d classes: gradient %g", loss->name, (int)cases[c].k, g);
        end_fitted(&f);
        end_problem(&p);
    }
}

/* The optimum of squared loss is ridge's, exactly. */
static void squared_loss_comes_to_ridge(void **unused)
{
    struct problem p;
    (void)unused;
    make_problem(&p, 0);
    struct fitted a = fit_matrix(&smr_ridge, "l2=3", &p.m.data, 1);
    struct fitted b =
        fit_matrix(&smr_sgd, "l2=3 average=yes schedule=per_step passes=1000 patience=1000 tol=0",
                   &p.m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("coef", state_array(&b, "coef")[j], state_array(&a, "coef")[j], 1e-3);
    check_near("intercept", *state_array(&b, "intercept"), *state_array(&a, "intercept"), 1e-3);
    check_near("objective", b.report.objective, a.report.objective, 1e-4);
    end_fitted(&a);
    end_fitted(&b);
    end_problem(&p);
}

/* Losses with kinks: the objective comes within 0.5 % of the least that any of many runs finds, and
 * falls when only the number of passes grows. */
static void kinked_losses_come_near_their_least(void **unused)
{
    static const char *const losses[] = {"absolute", "quantile", "epsilon", "hinge"};
    (void)unused;
    for (int c = 0; c < 4; c++) {
        char words[128];
        double objective[3];
        struct problem p;
        make_problem(&p, c >= 3 ? 2 : 0);
        for (int k = 0; k < 3; k++) {
            snprintf(words, sizeof words,
                     "loss=%s schedule=root average=yes passes=%d patience=9999 tol=0", losses[c],
                     k == 0   ? 3
                     : k == 1 ? 60
                              : 1200);
            struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
            objective[k] = f.report.objective;
            end_fitted(&f);
        }
        if (!(objective[0] > objective[2] && objective[1] < 1.02 * objective[2] + 0.05))
            fail_msg("%s: %g, %g, %g", losses[c], objective[0], objective[1], objective[2]);
        end_problem(&p);
    }
}

/* The least of sum max(0, -m) is 0 at w = 0: degenerate, as the course says of it. */
static void the_perceptron_loss_shrinks_to_nothing(void **unused)
{
    struct problem p;
    double objective[2];
    (void)unused;
    make_problem(&p, 2);
    for (int k = 0; k < 2; k++) {
        struct fitted f = fit_matrix(&smr_sgd,
                                     k ? "loss=perceptron schedule=root passes=1000 patience=1000"
                                       : "loss=perceptron passes=2",
                                     &p.m.data, 1);
        objective[k] = f.report.objective;
        end_fitted(&f);
    }
    assert_true(objective[1] < 0.2 * objective[0]);
    end_problem(&p);
}

static void counts_follow_a_log_link(void **unused)
{
    struct problem p;
    double out[N], sum = 0, of_out = 0;
    (void)unused;
    make_problem(&p, 0);
    for (int i = 0; i < N; i++) {
        p.y[i] = floor(exp(0.5 * p.y[i]));
        sum += p.y[i];
    }
    struct fitted f = fit_matrix(
        &smr_sgd, "loss=poisson l2=0 average=yes schedule=per_step passes=1000 patience=1000 tol=0",
        &p.m.data, 1);
    assert_true(gradient_at(&f, &p, &smr_losses[SMR_LOSS_POISSON], 0, 0, 0) < 4e-3);
    predict_matrix(&f, N, D, p.x, out); /* means, not scores: they sum to what was counted */
    for (int i = 0; i < N; i++) of_out += out[i];
    check_near("sum of the means", of_out / sum, 1, 3e-3);
    end_fitted(&f);
    end_problem(&p);
}

static void every_method_and_schedule_learns(void **unused)
{
    struct problem p;
    (void)unused;
    make_problem(&p, 2);
    struct fitted best = fit_matrix(&smr_sgd, "l2=1 tol=1e-6", &p.m.data, 1);
    for (int k = 0; k < SMR_SGD_METHODS; k++)
        for (int c = 0; c < SMR_SCHEDULES; c++) {
            char words[192];
            snprintf(words, sizeof words,
                     "l2=1 method=%s schedule=%s batch=%d passes=80 patience=%d",
                     smr_sgd_method_names[k], smr_schedule_names[c], c % 2 ? 8 : 1,
                     c == SMR_SCHEDULE_ADAPTIVE ? 2 : 80);
            struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
            double most = c == SMR_SCHEDULE_CONSTANT ? 1.4 : 1.08; /* it wanders */
            if (!(f.report.objective < most * best.report.objective))
                fail_msg("%s: %g, the least is %g", words, f.report.objective,
                         best.report.objective);
            end_fitted(&f);
        }
    end_fitted(&best);
    end_problem(&p);
}

/* As it comes: within 0.1 % of the least objective, and it knows that it is done. */
static void defaults_come_near_the_optimum(void **unused)
{
    static const char *const losses[] = {"squared",       "huber", "logistic",
                                         "squared_hinge", "hinge", "cross_entropy"};
    (void)unused;
    for (int c = 0; c < 6; c++) {
        struct problem p;
        char words[128];
        make_problem(&p, c < 2 ? 0 : c < 5 ? 2 : 3);
        snprintf(words, sizeof words,
                 "loss=%s average=yes schedule=root passes=2000 patience=2000 tol=0", losses[c]);
        struct fitted best = fit_matrix(&smr_sgd, words, &p.m.data, 1);
        snprintf(words, sizeof words, "loss=%s", losses[c]);
        struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
        assert_true(f.report.converged);
        if (!(f.report.objective < 1.001 * best.report.objective))
            fail_msg("%s: %g, the least is %g", losses[c], f.report.objective,
                     best.report.objective);
        end_fitted(&f);
        end_fitted(&best);
        end_problem(&p);
    }
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Three rows, one pass as given, rate 0.1 constant: w <- (1 - a l2 / n) w - a slope x, by hand. */
static void single_steps_are_those_of_the_definition(void **unused)
{
    static const double x[] = {1, 2, -1, 0.5, 3, -2}, y[] = {1, -1, 2};
    double w[2] = {0}, b = 0;
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, 3, 2, 1, x, y, NULL);
    struct fitted f =
        fit_matrix(&smr_sgd, "rate=0.1 schedule=constant passes=1 shuffle=no l2=6", &m.data, 1);
    for (int i = 0; i < 3; i++) {
        double r = w[0] * x[2 * i] + w[1] * x[2 * i + 1] + b - y[i];
        for (int j = 0; j < 2; j++) w[j] = (1 - 0.1 * 6 / 3) * w[j] - 0.1 * r * x[2 * i + j];
        b -= 0.1 * r;
    }
    for (int j = 0; j < 2; j++) check_near("w", state_array(&f, "coef")[j], w[j], 1e-15);
    check_near("b", *state_array(&f, "intercept"), b, 1e-15);
    end_fitted(&f);
}

/* FIGURES M4: 2000 rows in batches of 500 make 4 steps per epoch: rate a / t gives a / 4 at the
 * end of the first. */
static void batches_count_as_steps(void **unused)
{
    double *x = random_matrix(2000, 1), *y = random_matrix(2000, 2);
    struct matrix_data m;
    (void)unused;
    matrix_data(&m, 2000, 1, 1, x, y, NULL);
    struct fitted f =
        fit_matrix(&smr_sgd, "batch=500 schedule=per_step offset=1 rate=0.1 passes=1", &m.data, 1);
    check_near("rate", *state_array(&f, "pass_rate"), 0.1 / 4, 1e-15);
    end_fitted(&f);
    free(x);
    free(y);
}

static void l1_gives_exact_zeros(void **unused)
{
    struct problem p;
    (void)unused;
    make_problem(&p, 2);
    for (int k = 0; k < 2; k++) {
        struct fitted f =
            fit_matrix(&smr_sgd, k ? "l1=1e4" : "l1=12 l2=0 passes=200", &p.m.data, 1);
        const double *w = state_array(&f, "coef");
        int64_t zeros = 0;
        for (int j = 0; j < D; j++) zeros += w[j] == 0;
        assert_int_equal(zeros, k ? D : 1);
        if (!k) assert_true(w[3] == 0); /* the feature that says nothing */
        end_fitted(&f);
    }
    end_problem(&p);
}

/* Features a million times as large, or as small: no divergence, and better than nothing. */
static void other_units_do_not_make_it_diverge(void **unused)
{
    static const char *const words[] = {
        "", "method=adam", "method=adagrad", "loss=exponential", "batch=16", "method=momentum"};
    struct problem p;
    (void)unused;
    make_problem(&p, 2);
    for (int64_t i = 0; i < N; i++) {
        p.x[i * D] *= 1e6;
        p.x[i * D + 1] *= 1e-3;
    }
    for (int k = 0; k < 6; k++) {
        struct fitted f = fit_matrix(&smr_sgd, words[k], &p.m.data, 1);
        double nothing = k == 3 ? N : N * log(2);
        if (!(f.report.objective < nothing)) fail_msg("'%s': %g", words[k], f.report.objective);
        end_fitted(&f);
    }
    end_problem(&p);
}

/* Every loss on real tables: never below the least objective, as it comes within 1 % and 0.003 a
 * row above it (of nearly separated classes the objective is small and the steps' noise is not),
 * and with patience within 0.1 % and 0.0005 a row. */
static void objectives_on_real_tables_come_near_their_least(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < 2 * SMR_COUNT(sgd_truth); k += CHECK_LESS ? 6 : 1) {
        int c = k / 2;
        double least = sgd_truth[c].least, most = 1.001 * least;
        char sentence[160];
        smr_table *t = NULL;
        smr_model *m = NULL;
        smr_set_opts opts = {
            .target = sgd_truth[c].target, .ignore = sgd_truth[c].ignore, .keep_all = true};
        bool numbers = strstr(sgd_truth[c].table, "patients");
        opts.task = numbers ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY;
        snprintf(sentence, sizeof sentence, "standardize | sgd %s l2=1%s", sgd_truth[c].loss,
                 k % 2 ? " average=yes schedule=root passes=3000 patience=3000 tol=0" : "");
        check_ok(ctx, smr_table_open(ctx, sgd_truth[c].table, NULL, &t));
        check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
        double got = m->fit.objective;
        most += (k % 2 ? 0.0005 : 0) * (double)t->n_rows;
        if (k % 2 == 0) assert_true(m->fit.converged);
        if (!(got >= least * (1 - 1e-6) && got <= most))
            fail_msg("%s: %.9g, the least is %.9g", sentence, got, least);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void a_rate_that_is_too_large_is_named(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_sgd, "rate=100"), *state = NULL;
    smr_fit_report report = {0};
    (void)unused;
    make_problem(&p, 0);
    check_ok(ctx, smr_state_create(ctx, &smr_sgd, &state));
    check_fails(ctx, smr_learner_fit(ctx, &smr_sgd, params, &p.m.data, state, &report),
                SMR_ERR_NUMERIC, "lower the rate");
    smr_fit_report_release(&report);
    smr_state_free(&smr_sgd, state);
    smr_params_free(smr_sgd.word, params);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void bad_choices_are_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_shape numbers = {.n_features = 2, .task = SMR_TASK_REGRESS, .n_outputs = 1};
    smr_shape classes = {.n_features = 2, .task = SMR_TASK_CLASSIFY, .n_classes = 2};
    static const struct {
        const char *words;
        bool of_classes;
        const char *part;
    } cases[] = {{"loss=hinge", false, "is of classes"},
                 {"loss=squared", true, "is of numbers"},
                 {"schedule=cosine", true, "needs a period"},
                 {"class_weight=balanced", true, "needs all rows at once"}};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        void *params = make_params(ctx, &smr_sgd, cases[k].words), *state = NULL;
        check_ok(ctx, smr_state_create(ctx, &smr_sgd, &state));
        check_fails(
            ctx,
            smr_sgd.stream->begin(ctx, params, cases[k].of_classes ? &classes : &numbers, state),
            SMR_ERR_PARAM, cases[k].part);
        smr_state_free(&smr_sgd, state);
        smr_params_free(smr_sgd.word, params);
    }
    void *params = make_params(ctx, &smr_sgd, "loss=zero_one");
    check_fails(ctx, smr_sgd.word->check_params(ctx, params), SMR_ERR_PARAM, "slope 0");
    smr_params_free(smr_sgd.word, params);
    check_ctx_end(ctx);
}

/* ---- weights, classes, watching --------------------------------------------------------- */

static void balanced_classes_have_equal_say(void **unused)
{
    struct problem p;
    double sum[2] = {0}, out[2 * N];
    (void)unused;
    make_problem(&p, 2);
    for (int i = 0; i < N; i++) p.label[i] = p.label[i] && i % 5 == 0; /* about a tenth */
    struct fitted f = fit_matrix(
        &smr_sgd,
        "class_weight=balanced l2=0 average=yes schedule=per_step passes=1000 patience=1000 tol=0",
        &p.m.data, 1);
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = p.x, .stride = D};
    check_ok(f.ctx,
             smr_sgd.fitted->predict(f.ctx, f.params, f.state, &rows, SMR_OUTPUT_PROBA, out, NULL));
    double n[2] = {0};
    for (int i = 0; i < N; i++) n[p.label[i]]++;
    for (int i = 0; i < N; i++) sum[1] += out[2 * i + 1] / n[p.label[i]];
    check_near("weighted mean probability", sum[1] / 2, 0.5, 4e-3); /* from the intercept */
    end_fitted(&f);
    end_problem(&p);
}

/* With the weights held at 0 (a tiny rate) the variance of the rows' gradients is that of note 001:
 * (1/n) sum |g_i - mean|^2. */
static void the_variance_of_the_gradients_is_that_of_the_notes(void **unused)
{
    struct problem p;
    double mean[D + 1] = {0}, variance = 0, square = 0;
    (void)unused;
    make_problem(&p, 0);
    struct fitted f =
        fit_matrix(&smr_sgd, "schedule=constant rate=1e-14 passes=2 watch=yes", &p.m.data, 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= D; j++) mean[j] -= p.y[i] * (j < D ? p.x[i * D + j] : 1) / N;
    for (int j = 0; j <= D; j++) square += mean[j] * mean[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= D; j++) {
            double g = -p.y[i] * (j < D ? p.x[i * D + j] : 1) - mean[j];
            variance += g * g / N;
        }
    check_near("variance", state_array(&f, "pass_variance")[0], variance, 1e-9);
    check_near("square", state_array(&f, "pass_square")[1], square, 1e-9);
    end_fitted(&f);
    end_problem(&p);
}

/* Two targets are two models, as long as they have one rate. */
static void several_targets_are_learned_at_once(void **unused)
{
    struct problem p;
    double both[2 * N], one[N];
    (void)unused;
    make_problem(&p, 0);
    for (int i = 0; i < N; i++) {
        both[2 * i] = p.y[i];
        both[2 * i + 1] = one[i] = 3 - 2 * p.y[i] + p.x[i * D];
    }
    struct matrix_data m;
    matrix_data(&m, N, D, 2, p.x, both, NULL);
    const char *words = "schedule=constant rate=0.01 passes=7 l2=1";
    struct fitted a = fit_matrix(&smr_sgd, words, &m.data, 1);
    p.m.data.y = one;
    struct fitted b = fit_matrix(&smr_sgd, words, &p.m.data, 1);
    for (int j = 0; j < D; j++)
        check_near("coef", state_array(&a, "coef")[D + j], state_array(&b, "coef")[j], 1e-14);
    end_fitted(&a);
    end_fitted(&b);
    end_problem(&p);
}

/* Learning goes on from a fit: from its weights, better with every pass of the stream. */
static void a_fitted_model_goes_on_learning(void **unused)
{
    struct problem p;
    double before, after = 0;
    (void)unused;
    make_problem(&p, 2);
    struct fitted f = fit_matrix(&smr_sgd, "passes=1 rate=0.001", &p.m.data, 1);
    before = f.report.objective;
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = p.x, .stride = D};
    smr_truths t = {.label = p.label};
    for (int k = 0; k < 50; k++)
        check_ok(f.ctx, smr_sgd.stream->learn(f.ctx, f.params, f.state, &rows, &t, NULL));
    double *out = malloc(2 * N * sizeof *out);
    check_ok(f.ctx,
             smr_sgd.fitted->predict(f.ctx, f.params, f.state, &rows, SMR_OUTPUT_PROBA, out, NULL));
    for (int i = 0; i < N; i++) after -= log(out[2 * i + p.label[i]]);
    assert_true(after < 0.9 * before);
    free(out);
    end_fitted(&f);
    end_problem(&p);
}

static void a_record_of_passes_with_a_part_missing_is_refused(void **unused)
{
    (void)unused;
    struct matrix_data m;
    double x[] = {1, 2, 4}, y[] = {1, 0, 3};
    matrix_data(&m, 3, 1, 1, x, y, NULL);
    struct fitted f = fit_matrix(&smr_sgd, "passes=3", &m.data, 1);
    smr_shape shape = {.n_features = 1, .task = SMR_TASK_REGRESS, .n_outputs = 1};
    const smr_fitted *fitted = f.learner->fitted;
    check_ok(f.ctx, whole_check(f.ctx, f.learner, f.params, f.state, &shape));
    for (int64_t i = 0; i < fitted->n_state; i++) {
        if (strcmp(fitted->state[i].name, "pass_rate") != 0) continue;
        double **rate = (double **)(void *)((char *)f.state + fitted->state[i].offset),
               *was = *rate;
        *rate = NULL;
        check_fails(f.ctx, whole_check(f.ctx, f.learner, f.params, f.state, &shape), SMR_ERR_FORMAT,
                    "sgd: its pass_rate is missing (n_passes)");
        *rate = was;
    }
    end_fitted(&f);
}

/* Losses that grow as an exponential, at the rate that is chosen: no method, penalty or batch makes
 * them diverge, in any units, and all end at one objective. */
static void steep_losses_stay_within_bounds(void **unused)
{
    static const char *const losses[] = {"poisson", "gamma", "exponential"};
    (void)unused;
    for (int c = 0; c < 3; c++)
        for (int unit = 0; unit < 2; unit++) {
            struct problem p;
            double least = NAN;
            make_problem(&p, c == 2 ? 2 : 0);
            for (int i = 0; i < N && c < 2; i++) p.y[i] = 1 + 300 * fabs(p.y[i]);
            for (int i = 0; i < N * D; i++) p.x[i] *= unit ? 40 : 1;
            for (int k = 0; k < SMR_SGD_METHODS * 4; k++) {
                char words[160];
                snprintf(words, sizeof words, "loss=%s method=%s l1=%s batch=%d l2=1 %s", losses[c],
                         smr_sgd_method_names[k / 4], k % 2 ? "1e-9" : "0", k / 2 % 2 ? 8 : 1,
                         k % 3 ? "" : "schedule=constant passes=30");
                struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
                assert_true(isfinite(f.report.objective));
                if (k % 3) {
                    assert_true(f.report.converged);
                    if (isnan(least)) least = f.report.objective;
                    check_near(words, f.report.objective / least, 1, 2e-3);
                }
                end_fitted(&f);
            }
            end_problem(&p);
        }
}

/* The penalty that is chosen does not crush a target in small units, nor features in large ones. */
static void the_chosen_penalty_knows_the_units(void **unused)
{
    static const char *const losses[] = {"absolute", "quantile", "squared", "huber", "epsilon"};
    (void)unused;
    for (int c = 0; c < 5; c++) {
        struct problem p;
        double coef[2][D];
        make_problem(&p, 0);
        for (int unit = 0; unit < 2; unit++) {
            char words[96];
            double to = unit ? 1e6 : 1, by = unit ? 1e-3 : 1;
            for (int i = 0; i < N; i++) p.y[i] *= to;
            for (int i = 0; i < N * D; i++) p.x[i] *= by;
            snprintf(words, sizeof words, "loss=%s tol=1e-6%s%s", losses[c],
                     c == 3   ? unit ? " delta=300000" : " delta=0.3"
                     : c == 4 ? unit ? " epsilon=100000" : " epsilon=0.1"
                              : "",
                     c == 1 ? " tau=0.3" : "");
            struct fitted f = fit_matrix(&smr_sgd, words, &p.m.data, 1);
            assert_true(f.report.converged);
            for (int j = 0; j < D; j++) coef[unit][j] = state_array(&f, "coef")[j] * by / to;
            end_fitted(&f);
        }
        for (int j = 0; j < D; j++) check_near(losses[c], coef[1][j], coef[0][j], 2e-3);
        end_problem(&p);
    }
}

/* A constant column: the model without coefficients is the best one, its gradient is what rounding
 * leaves, and a fit that is there has converged. */
static void the_constant_model_converges_where_it_is_the_best(void **unused)
{
    enum { ROWS = 40 };
    static const char *const sentences[] = {"loss=squared", "loss=absolute passes=1000",
                                            "loss=huber passes=1000", "loss=squared l2=0"};
    double x[ROWS], y[ROWS];
    struct matrix_data m;
    (void)unused;
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = 5;
        y[i] = (double)(1 + i * i);
    }
    matrix_data(&m, ROWS, 1, 1, x, y, NULL);
    for (int c = 0; c < SMR_COUNT(sentences); c++) {
        struct fitted f = fit_matrix(&smr_sgd, sentences[c], &m.data, 1);
        if (!f.report.converged) fail_msg("%s: not converged", sentences[c]);
        end_fitted(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_of_passes_with_a_part_missing_is_refused),
        cmocka_unit_test(steep_losses_stay_within_bounds),
        cmocka_unit_test(the_chosen_penalty_knows_the_units),
        cmocka_unit_test(smooth_losses_reach_their_optimum),
        cmocka_unit_test(squared_loss_comes_to_ridge),
        cmocka_unit_test(kinked_losses_come_near_their_least),
        cmocka_unit_test(the_perceptron_loss_shrinks_to_nothing),
        cmocka_unit_test(counts_follow_a_log_link),
        cmocka_unit_test(every_method_and_schedule_learns),
        cmocka_unit_test(defaults_come_near_the_optimum),
        cmocka_unit_test(single_steps_are_those_of_the_definition),
        cmocka_unit_test(batches_count_as_steps),
        cmocka_unit_test(l1_gives_exact_zeros),
        cmocka_unit_test(other_units_do_not_make_it_diverge),
        cmocka_unit_test(objectives_on_real_tables_come_near_their_least),
        cmocka_unit_test(a_rate_that_is_too_large_is_named),
        cmocka_unit_test(bad_choices_are_refused),
        cmocka_unit_test(balanced_classes_have_equal_say),
        cmocka_unit_test(the_variance_of_the_gradients_is_that_of_the_notes),
        cmocka_unit_test(several_targets_are_learned_at_once),
        cmocka_unit_test(a_fitted_model_goes_on_learning),
        cmocka_unit_test(the_constant_model_converges_where_it_is_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
