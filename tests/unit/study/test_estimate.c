/* Estimates of columns against scipy's figures (tests/truth/estimates.py), the course's worked
 * examples, and what is refused. */
#include "study_json.h"

#include "study/estimate_parts.h"
#include "truth/estimates.h"
#include "truth/goodness.h"

static smr_json_doc *estimate(smr_ctx *ctx, const smr_table *table, const char *columns,
                              const smr_estimate_opts *opts)
{
    char *json = NULL;
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_estimate(ctx, table, columns, opts, &json));
    check_ok(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    smr_string_free(json);
    return doc;
}

static const smr_json *first_of(smr_json_doc *doc)
{
    return nth(smr_json_get(smr_json_root(doc), "estimates"), 0);
}

static const smr_json *parameter(smr_json_doc *doc, int64_t row)
{
    return nth(smr_json_get(first_of(doc), "parameters"), row);
}

static const char *const KEYS[] = {
    "ml",           "unbiased",      "map",           "mean",
    "credible_low", "credible_high", "confident_low", "confident_high"};

static void estimates_match_scipy(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t r = 0; r < SMR_COUNT(estimates); r++) {
        smr_table *table = NULL;

        check_ok(ctx, smr_table_open(ctx, estimates[r].table, NULL, &table));
        smr_estimate_opts opts = {.size = sizeof opts,
                                  .family = estimates[r].family,
                                  .prior = estimates[r].prior,
                                  .weight = estimates[r].weighted ? "weight" : NULL};
        smr_json_doc *doc = estimate(ctx, table, estimates[r].column, &opts);
        const smr_json *row = parameter(doc, estimates[r].row);
        for (int k = 0; k < 8; k++) {
            double want = estimates[r].v[k], got = smr_json_get_number(row, KEYS[k], NAN);
            /* scipy's quantiles are right to about 1e-10 */
            if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-9 * fabs(want)))
                fail_msg("%s, %s, prior %s, row %d: %s is %.17g, wanted %.17g", estimates[r].column,
                         estimates[r].weighted ? "weighted" : "plain",
                         estimates[r].prior ? estimates[r].prior : "none", estimates[r].row,
                         KEYS[k], got, want);
        }
        smr_json_free(doc);
        smr_table_free(table);
    }
    check_ctx_end(ctx);
}

static void fits_match_scipy(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *patients = NULL, *wines = NULL;
    (void)state;
    check_ok(ctx, smr_table_open(ctx, "tests/truth/patients.csv", NULL, &patients));
    check_ok(ctx, smr_table_open(ctx, "tests/truth/wines.csv", NULL, &wines));
    smr_estimate_opts opts = {.size = sizeof opts, .family = "gaussian"};
    smr_json_doc *doc = estimate(ctx, patients, "bmi", &opts);
    const smr_json *fit = smr_json_get(first_of(doc), "fit");
    check_near("bmi", number_of(fit, "statistic"), darling[0], 1e-9);
    assert_true(number_of(fit, "p") < 1e-6);
    smr_json_free(doc);
    opts.family = "exponential";
    doc = estimate(ctx, wines, "color_intensity", &opts);
    fit = smr_json_get(first_of(doc), "fit");
    check_near("colour", number_of(fit, "statistic"), darling[1], 1e-8);
    assert_string_equal(smr_json_get_string(fit, "p_is", ""), "at most");
    smr_json_free(doc);
    opts.family = "poisson";
    doc = estimate(ctx, patients, "visits", &opts);
    fit = smr_json_get(first_of(doc), "fit");
    check_near("visits", number_of(fit, "statistic"), visits_fit[0], 1e-8);
    check_near("visits", number_of(fit, "df"), visits_fit[1], 0);
    check_near("visits", number_of(fit, "p") / visits_fit[2], 1, 1e-8);
    smr_json_free(doc);
    smr_table_free(patients);
    smr_table_free(wines);
    check_ctx_end(ctx);
}

/* Heads as 1, tails as 0. */
static smr_table *throws(smr_ctx *ctx, int64_t heads, int64_t tails)
{
    smr_table *table = NULL;
    double *x = calloc((size_t)(heads + tails), sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < heads; i++) x[i] = 1;
    check_ok(ctx, smr_table_create(ctx, heads + tails, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "coin", x));
    free(x);
    return table;
}

/* Three deviations of 200,000 samples, and what a table of three digits may be off. */
static void fits_have_the_p_of_simulations(void **state)
{
    const char *bound;
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(goodness); k++) {
        double level = goodness[k].level, sd = sqrt(level * (1 - level) / 200000);
        double off = 3 * sd + 0.02 * level;
        check_near("gaussian", smr_anderson_p(true, goodness[k].gaussian, &bound), level, off);
        assert_null(bound);
        double p = smr_anderson_p(false, goodness[k].exponential, &bound);
        if (bound)
            assert_true(level > 0.25 - off ? p == 0.25 : p == 0.0025);
        else
            check_near("exponential", p, level, off);
    }
}

/* ---- simulations ------------------------------------------------------------------------- */

enum { REPEATS = 1500, DRAWN = 23 };

static const struct simulated {
    const char *family;
    double params[6];
    int n_params, row; /* of the answer's parameters: the one whose truth is known */
    double truth;
    bool exact; /* confidence intervals cover with their level, not at least so often */
} simulated[] = {
    {"gaussian", {3, 2}, 2, 0, 3, true},     {"gaussian", {3, 2}, 2, 1, 4, true},
    {"exponential", {0.7}, 1, 0, 0.7, true}, {"poisson", {1.3}, 1, 0, 1.3, false},
    {"bernoulli", {0.3}, 1, 0, 0.3, false},
};

struct share {
    int64_t n, credible, confident, small;
};

static void count_one(smr_ctx *ctx, const struct simulated *s, double level, struct share *of)
{
    double x[DRAWN], least = INFINITY, most = -INFINITY;
    smr_table *t = NULL;
    check_ok(ctx, smr_dist_draw(ctx, s->family, s->params, s->n_params, DRAWN, x));
    for (int i = 0; i < DRAWN; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    if (least == most) return; /* a coin that fell on one side only */
    check_ok(ctx, smr_table_create(ctx, DRAWN, &t));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    smr_estimate_opts opts = {.size = sizeof opts, .family = s->family, .level = level};
    smr_json_doc *doc = estimate(ctx, t, "x", &opts);
    const smr_json *row = parameter(doc, s->row);
    double low = smr_json_get_number(row, "credible_low", NAN),
           high = smr_json_get_number(row, "credible_high", NAN);
    of->n++;
    of->credible += low <= s->truth && s->truth <= high;
    low = smr_json_get_number(row, "confident_low", NAN);
    high = smr_json_get_number(row, "confident_high", NAN);
    of->confident += low <= s->truth && s->truth <= high;
    of->small += smr_json_get_number(smr_json_get(first_of(doc), "fit"), "p", NAN) <= 0.1;
    smr_json_free(doc);
    smr_table_free(t);
}

/* Intervals of 90 % hold the truth in 90 of 100 samples, and a tenth of them has p <= 0.1. */
static void intervals_cover_as_often_as_they_say(void **state)
{
    const double level = 0.9, sd = sqrt(level * (1 - level) / REPEATS);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(simulated); k++) {
        const struct simulated *s = &simulated[k];
        struct share of = {0};
        for (uint64_t r = 0; r < REPEATS; r++) {
            smr_ctx *ctx = NULL;
            smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .seed = 1000 + r};
            check_ok(NULL, smr_ctx_create(&opts, &ctx));
            count_one(ctx, s, level, &of);
            check_ctx_end(ctx);
        }
        double confident = (double)of.confident / (double)of.n,
               credible = (double)of.credible / (double)of.n;
        bool covers = s->exact ? fabs(confident - level) < 4 * sd : confident > level - 4 * sd;
        if (!covers) fail_msg("%s: confidence intervals cover %.4f", s->family, confident);
        /* under a flat prior the average over all truths is 0.9; at this one it is close */
        if (!(fabs(credible - level) < 4 * sd + (s->exact ? 0 : 0.04)))
            fail_msg("%s: credible intervals cover %.4f", s->family, credible);
        if (s->exact) check_near("p <= 0.1", (double)of.small / (double)of.n, 0.1, 4 * sd + 0.01);
    }
}

static void check_coin(smr_ctx *ctx, int64_t heads, int64_t tails, double ml, double mean,
                       double map)
{
    smr_table *table = throws(ctx, heads, tails);
    smr_estimate_opts opts = {.size = sizeof opts, .prior = "beta(2, 2)", .family = "bernoulli"};
    smr_json_doc *doc = estimate(ctx, table, NULL, &opts);
    const smr_json *row = parameter(doc, 0);
    assert_string_equal(smr_json_get_string(row, "parameter", ""), "p(1)");
    check_near("ML", number_of(row, "ml"), ml, 1e-15);
    check_near("mean", number_of(row, "mean"), mean, 1e-15);
    check_near("MAP", number_of(row, "map"), map, 1e-15);
    smr_json_free(doc);
    smr_table_free(table);
}

static void coins_of_the_course_come_out_as_worked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_coin(ctx, 2, 0, 1, 4.0 / 6, 3.0 / 4);
    check_coin(ctx, 55, 45, 0.55, 57.0 / 104, 56.0 / 102);
    check_coin(ctx, 3, 0, 1, 5.0 / 7, 4.0 / 5); /* HHH: ML 1 */
    check_ctx_end(ctx);
}

static void the_likelihood_of_hht_peaks_at_two_thirds(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = throws(ctx, 2, 1);
    smr_estimate_opts opts = {.size = sizeof opts, .figures = true};
    (void)state;
    smr_json_doc *doc = estimate(ctx, table, "coin", &opts);
    check_near("peak", number_of(parameter(doc, 0), "ml"), 2.0 / 3, 1e-15);
    check_near("likelihood", number_of(first_of(doc), "likelihood"), 4.0 / 27, 1e-15);
    const smr_json *figure =
        row_with(smr_json_get(smr_json_root(doc), "figures"), "name", "likelihood-coin");
    const smr_json *line = nth(smr_json_get(figure, "series"), 0);
    const smr_json *x = smr_json_get(line, "x"), *y = smr_json_get(line, "y");
    check_near("x", nth(x, 100)->number, 0.5, 1e-15);
    check_near("likelihood of 0.5", nth(y, 100)->number, 0.125, 1e-15);
    check_near("x", nth(x, 150)->number, 0.75, 1e-15);
    check_near("likelihood of 0.75", nth(y, 150)->number, 0.140625, 1e-15);
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

/* E Q/n = (n-1)/n of the variance: the mean over 4000 samples of 5, within 5 of its deviations
 * (the variance of Q/n is 2 (n-1) / n^2). */
static void the_likely_variance_is_biased_by_one_in_n(void **state)
{
    enum { SAMPLES = 4000, N = 5 };
    smr_ctx *ctx = check_ctx(1);
    double *x = calloc(SAMPLES * N, sizeof *x), unit[] = {0, 1}, ml = 0, unbiased = 0;
    smr_estimate_opts opts = {.size = sizeof opts, .family = "gaussian"};
    (void)state;
    assert_non_null(x);
    smr_ctx_set_seed(ctx, 11);
    check_ok(ctx, smr_dist_draw(ctx, "gaussian", unit, 2, SAMPLES * N, x));
    for (int64_t k = 0; k < SAMPLES; k++) {
        smr_table *table = NULL;
        check_ok(ctx, smr_table_create(ctx, N, &table));
        check_ok(ctx, smr_table_add_f64(ctx, table, "x", x + k * N));
        smr_json_doc *doc = estimate(ctx, table, NULL, &opts);
        ml += number_of(parameter(doc, 1), "ml") / SAMPLES;
        unbiased += number_of(parameter(doc, 1), "unbiased") / SAMPLES;
        smr_json_free(doc);
        smr_table_free(table);
    }
    double error = 5 * sqrt(2.0 * (N - 1) / (N * N) / SAMPLES);
    check_near("biased", ml, 0.8, error);
    check_near("unbiased", unbiased, 1, error * N / (N - 1));
    free(x);
    check_ctx_end(ctx);
}

static const char *family_of(smr_ctx *ctx, const double *x, int64_t n, char *family)
{
    smr_table *table = NULL;
    check_ok(ctx, smr_table_create(ctx, n, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "x", x));
    smr_json_doc *doc = estimate(ctx, table, "x", NULL);
    snprintf(family, 40, "%s", smr_json_get_string(first_of(doc), "family", ""));
    smr_json_free(doc);
    smr_table_free(table);
    return family;
}

static void families_are_chosen_by_the_values(void **state)
{
    enum { N = 400 };
    static const struct {
        const char *drawn, *family;
        double p[2];
        int64_t n_p;
    } cases[] = {{"bernoulli", "bernoulli", {0.3, 0}, 1},
                 {"poisson", "poisson", {4.2, 0}, 1},
                 {"exponential", "exponential", {0.07, 0}, 1},
                 {"gaussian", "gaussian", {12, 3}, 2}};
    smr_ctx *ctx = check_ctx(1);
    double x[N];
    char family[40];
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        check_ok(ctx, smr_dist_draw(ctx, cases[k].drawn, cases[k].p, cases[k].n_p, N, x));
        assert_string_equal(family_of(ctx, x, N, family), cases[k].family);
    }
    for (int i = 0; i < N; i++) x[i] = 1900 + i % 100; /* years are no counts */
    assert_string_equal(family_of(ctx, x, N, family), "gaussian");
    check_ctx_end(ctx);
}

static void what_has_no_estimate_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    char *json = NULL;
    static const char *const letters[] = {"a", "b", "c", "a"};
    double huge[] = {1e300, -1e300, 0, 1};
    double x[] = {1, -2, 3.5, NAN}, twice[] = {2, -4, 7, NAN}, none[] = {NAN, NAN, NAN, NAN};
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 4, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, table, "twice", twice));
    check_ok(ctx, smr_table_add_f64(ctx, table, "none", none));
    check_ok(ctx, smr_table_add_f64(ctx, table, "huge", huge));
    check_ok(ctx, smr_table_add_strings(ctx, table, "letter", letters));
    static const struct {
        const char *column, *family, *prior;
        double level;
        smr_status status;
        const char *message;
    } cases[] = {
        {"x", "gausian", NULL, 0, SMR_ERR_PARAM, "there is no family 'gausian'; did you mean"},
        {"x", "cubic", NULL, 0, SMR_ERR_PARAM, "there is no family 'cubic'; there are bernoulli"},
        {"x", "poisson", NULL, 0, SMR_ERR_DATA, "'x' has the value -2, which no poisson variable"},
        {"x", "bernoulli", NULL, 0, SMR_ERR_DATA, "'x' has 3 distinct values; bernoulli needs two"},
        {"letter", "gaussian", NULL, 0, SMR_ERR_DATA, "'letter' is a category, which has no"},
        {"none", NULL, NULL, 0, SMR_ERR_DATA, "'none' has no value in any row"},
        {"x", NULL, "beta 2 2", 0, SMR_ERR_PARAM,
         "the prior of 'x', which is taken as gaussian, is nig mean strength shape scale, not "
         "'beta'"},
        {"x", NULL, "nig 1 2", 0, SMR_ERR_PARAM, "the prior nig has 4 numbers"},
        {"x", NULL, "nig 1 2 z 4", 0, SMR_ERR_PARAM, "--prior: 'z' is not a number"},
        {"x", NULL, "nig 1 -2 3 4", 0, SMR_ERR_PARAM,
         "number 2 of the prior nig is -2; it is from"},
        {"letter", NULL, "dirichlet 1 2", 0, SMR_ERR_PARAM,
         "the prior dirichlet has 2 shapes, but 'letter' has 3 levels"},
        {"x", NULL, NULL, 1, SMR_ERR_PARAM, "a level of 1 is not between 0 and 1"},
        {"y", NULL, NULL, 0, SMR_ERR_PARAM, "no column"},
        {"x,twice", "multivariate-gaussian", NULL, 0, SMR_ERR_NUMERIC,
         "the covariance matrix is singular: 'twice' is constant or follows from the columns"},
        {"huge", NULL, NULL, 0, SMR_ERR_NUMERIC, "the variance of 'huge' is too large"},
        {"x,letter", "multivariate-gaussian", NULL, 0, SMR_ERR_DATA,
         "'letter' is not a column of numbers"},
    };
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_estimate_opts opts = {.size = sizeof opts,
                                  .family = cases[k].family,
                                  .prior = cases[k].prior,
                                  .level = cases[k].level};
        check_fails(ctx, smr_estimate(ctx, table, cases[k].column, &opts, &json), cases[k].status,
                    cases[k].message);
    }
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void a_prior_keeps_a_singular_covariance_proper(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    double x[] = {1, 2, 3}, twice[] = {2, 4, 6};
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 3, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "x", x));
    check_ok(ctx, smr_table_add_f64(ctx, table, "twice", twice));
    smr_estimate_opts opts = {
        .size = sizeof opts, .family = "multivariate-gaussian", .prior = "niw 0 1 4 1"};
    smr_json_doc *doc = estimate(ctx, table, NULL, &opts);
    /* P = I + Q + 3/4 (2, 4)(2, 4)' with Q_xx = 2; mean P / (v' - d - 1), v' = 7 */
    check_near("variance", number_of(parameter(doc, 2), "mean"), (1 + 2 + 3) / 4.0, 1e-14);
    assert_null(smr_json_get(first_of(doc), "log_likelihood"));
    assert_null(smr_json_get(first_of(doc), "fit"));
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void small_and_constant_columns_are_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    double one[] = {3.5}, same[] = {7.25};
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 1, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "one", one));
    check_ok(ctx, smr_table_add_f64(ctx, table, "same", same));
    smr_estimate_opts opts = {.size = sizeof opts, .figures = true};
    smr_json_doc *doc = estimate(ctx, table, "one", &opts);
    assert_true(isnan(smr_json_get_number(parameter(doc, 1), "unbiased", NAN)));
    assert_non_null(smr_json_get_string(first_of(doc), "note", NULL));
    smr_json_free(doc);
    smr_table_free(table);
    check_ctx_end(ctx);
}

static void bayes_rule_answers_the_disease_question(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double prior[] = {0.001, 0.999}, positive[] = {0.99, 0.005}, posterior[2], total;
    (void)state;
    check_ok(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, &total));
    check_near("P(disease | positive)", posterior[0], 0.1654, 5e-5);
    check_near("P(positive)", total, 0.005985, 1e-15);
    check_near("sum", posterior[0] + posterior[1], 1, 1e-15);
    prior[1] = 0.9;
    check_fails(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, NULL), SMR_ERR_PARAM,
                "the priors sum to 0.901, not to 1");
    prior[1] = 0.999;
    positive[0] = positive[1] = 0;
    check_fails(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, NULL), SMR_ERR_DATA,
                "what was seen has probability 0");
    positive[1] = -1;
    check_fails(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, NULL), SMR_ERR_PARAM,
                "likelihood 2 is -1, below 0");
    positive[0] = 1.5; /* a density */
    positive[1] = 0.5;
    check_ok(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, &total));
    check_near("of densities", posterior[0], 0.0015 / 0.501, 1e-15);
    prior[0] = prior[1] = 0.5;
    positive[0] = positive[1] = 1.7e308;
    check_ok(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, NULL));
    double third[] = {0.5, 0.5 + 5e-10}, high[] = {1.7976931348623157e308, 1.7976931348623157e308};
    check_fails(ctx, smr_bayes_rule(ctx, 2, third, high, posterior, NULL), SMR_ERR_DATA,
                "add up to infinity; divide the likelihoods by the largest");
    prior[0] = 2;
    check_fails(ctx, smr_bayes_rule(ctx, 2, prior, positive, posterior, NULL), SMR_ERR_PARAM,
                "prior 1 is 2, not between 0 and 1");
    check_fails(ctx, smr_bayes_rule(ctx, 0, prior, positive, posterior, NULL), SMR_ERR_SHAPE,
                "Bayes' rule needs a hypothesis");
    check_ctx_end(ctx);
}

static smr_status estimate_all(smr_ctx *ctx, void *table)
{
    char *json = NULL;
    smr_estimate_opts opts = {.size = sizeof opts, .figures = true};
    smr_status st = smr_estimate(ctx, table, "second,hue,shade", &opts, &json);
    smr_string_free(json);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *table = NULL;
    (void)state;
    check_ok(ctx, smr_table_open(ctx, "tests/truth/wines.csv", NULL, &table));
    assert_true(fail_each_allocation(ctx, estimate_all, table) > 10);
    smr_table_free(table);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_match_scipy),
        cmocka_unit_test(fits_match_scipy),
        cmocka_unit_test(fits_have_the_p_of_simulations),
        cmocka_unit_test(intervals_cover_as_often_as_they_say),
        cmocka_unit_test(coins_of_the_course_come_out_as_worked),
        cmocka_unit_test(the_likelihood_of_hht_peaks_at_two_thirds),
        cmocka_unit_test(the_likely_variance_is_biased_by_one_in_n),
        cmocka_unit_test(families_are_chosen_by_the_values),
        cmocka_unit_test(what_has_no_estimate_is_refused),
        cmocka_unit_test(a_prior_keeps_a_singular_covariance_proper),
        cmocka_unit_test(small_and_constant_columns_are_survived),
        cmocka_unit_test(bayes_rule_answers_the_disease_question),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
