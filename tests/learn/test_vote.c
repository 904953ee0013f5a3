/* test_vote.c -- several learners, one answer.
 *
 * Truth: the binomial formula of independent voters (note 001), the members themselves; on real
 * tables tests/truth/ensembles.py (test_truth.c). */
#include "ensemble_data.h"

#include "core/json.h"
#include "learn/address.h"
#include "learn/ensemble/combine.h"

/* Note 001: sum over k > N/2 of C(N, k) e^k (1 - e)^(N - k) is 0.2160, 0.1631, 0.0782, 0.0264 for
 * e = 0.3; voters that are drawn so are as often wrong together. */
static void independent_voters_are_wrong_as_often_as_the_formula_says(void **state)
{
    enum { TRIALS = 40000 };
    static const int64_t voters[] = {3, 5, 11, 21};
    static const double told[] = {0.2160, 0.1631, 0.0782, 0.0264};
    const double e = 0.3;
    (void)state;
    for (int v = 0; v < 4; v++) {
        int64_t n = voters[v], wrong = 0;
        double formula = 0;
        for (int64_t k = n / 2 + 1; k <= n; k++)
            formula +=
                exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                    (double)k * log(e) + (double)(n - k) * log(1 - e));
        check_near("the figure", formula, told[v], 5e-5);
        smr_combine c = {.way = SMR_COMBINE_VOTE, .classes = true, .width = 2};
        for (int64_t i = 0; i < TRIALS; i++) {
            double sums[2] = {0, 0};
            for (int64_t k = 0; k < n; k++) {
                double label = smr_random_unit((uint64_t)n, SMR_STREAM_TEST, (uint64_t)i,
                                               (uint64_t)k) < e; /* the truth is class 0 */
                smr_combine_add(&c, 1, NULL, &label, 1, sums);
            }
            wrong += sums[1] > sums[0];
        }
        double sd = sqrt(formula * (1 - formula) / TRIALS);
        if (fabs((double)wrong / TRIALS - formula) > 4 * sd)
            fail_msg("%d voters: %g wrong, the formula says %g", (int)n, (double)wrong / TRIALS,
                     formula);
    }
}

static void a_vote_of_one_is_that_one(void **state)
{
    static const char *const of[] = {"knn 7", "standardize | logistic", "ridge 1"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < 3; i++) {
        bool classes = i < 2;
        char sentence[128];
        smr_table *t = mixed(ctx, classes ? 3 : 0, true);
        snprintf(sentence, sizeof sentence, "vote of=(%s)", of[i]);
        smr_model *alone = train_on(ctx, of[i], t, classes ? "k" : "y");
        smr_model *m = train_on(ctx, sentence, t, classes ? "k" : "y");
        check_same_answers(ctx, alone, m, t, classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE, 0);
        smr_model_free(alone);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Each class has the weight of the learners that say so; a tie goes to the lower class. */
static void hard_votes_are_counted(void **state)
{
    static const char *const of[] = {"knn 3", "svm", "standardize | logistic"};
    static const double weight[] = {2, 1.5, 0.5};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed(ctx, 3, false);
    double votes[3 * MIXED_ROWS] = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        smr_model *m = train_on(ctx, of[i], t, "k");
        double *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
        for (int64_t r = 0; r < MIXED_ROWS; r++) votes[3 * r + (int64_t)label[r]] += weight[i] / 4;
        smr_free(label);
        smr_model_free(m);
    }
    smr_model *m = train_on(
        ctx, "vote vote weights=2,1.5,0.5 of=(knn 3),(svm),(standardize | logistic)", t, "k");
    double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA), *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
    for (int64_t r = 0; r < MIXED_ROWS; r++) {
        int64_t best = 0;
        for (int64_t c = 0; c < 3; c++) {
            check_near("share of the votes", p[3 * r + c], votes[3 * r + c], 1e-15);
            if (votes[3 * r + c] > votes[3 * r + best]) best = c;
        }
        assert_true(label[r] == (double)best);
    }
    smr_free(p);
    smr_free(label);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void weighted_medians_have_half_of_the_weight_on_either_side(void **state)
{
    double v[5] = {7, -1, 3, 10, 2}, w[5] = {1, 1, 1, 1, 1};
    double even[4] = {4, 1, 3, 2}, one[4] = {1, 1, 1, 1};
    double x[3] = {5, 1, 9}, heavy[3] = {1, 1, 5};
    double zero[4] = {8, 1, 4, 6}, none[4] = {1, 1, 0, 0};
    (void)state;
    check_near("odd", smr_combine_median(5, v, w), 3, 0);
    check_near("even", smr_combine_median(4, even, one), 2.5, 0);
    check_near("heavy", smr_combine_median(3, x, heavy), 9, 0);
    check_near("weights of 0 do not count", smr_combine_median(4, zero, none), 4.5, 0);
    for (uint64_t round = 0; round < 50; round++) { /* the definition, on random values */
        double a[9], b[9], below = 0, above = 0, total = 0;
        for (uint64_t i = 0; i < 9; i++) {
            a[i] = smr_random_unit(round, SMR_STREAM_TEST, 1, i);
            total += b[i] = 0.1 + smr_random_unit(round, SMR_STREAM_TEST, 2, i);
        }
        double m = smr_combine_median(9, a, b);
        for (int i = 0; i < 9; i++) {
            below += a[i] < m ? b[i] : 0;
            above += a[i] > m ? b[i] : 0;
        }
        assert_true(2 * below <= total && 2 * above <= total);
    }
}

/* A learner that is right more often weighs more; one that guesses weighs nothing. */
static void weights_by_cross_validation_follow_the_errors(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = open_csv(ctx, "data/iris.csv");
    (void)state;
    smr_model *m =
        train_on(ctx, "vote weigh=cv of=(knn 5),(knn 149),(subspace 0.25 | knn 5)", t, "species");
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    const smr_json *stage = smr_json_get(smr_json_root(doc), "stages")->first->next;
    const smr_json *row = smr_json_get(stage, "learners")->first;
    double weight[3], error[3], sum = 0;
    for (int i = 0; i < 3; i++, row = row->next) {
        weight[i] = smr_json_get_number(row, "weight", NAN);
        error[i] = smr_json_get_number(row, "cv_error", NAN);
        sum += weight[i];
    }
    check_near("mean weight", sum, 3, 1e-12);
    assert_true(error[0] < error[2] && error[2] < error[1]);
    assert_true(weight[0] > weight[2] && weight[2] > weight[1]);
    double raw[3]; /* log((1 - e) / e) + log(k - 1), e smoothed by half a row */
    for (int i = 0; i < 3; i++) {
        double e = (error[i] * 150 + 0.5) / 151;
        raw[i] = fmax(0, log((1 - e) / e) + log(2));
    }
    check_near("log-odds", weight[0] / weight[2], raw[0] / raw[2], 1e-9);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* One member reads indicators, its neighbour codes: each as it would alone. */
static void members_have_their_own_adapters(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, true);
    (void)state;
    smr_model *a = train_on(ctx, "logistic 1", t, "k"), *b = train_on(ctx, "knn 9", t, "k");
    smr_model *m = train_on(ctx, "vote of=(logistic 1),(knn 9)", t, "k");
    double *x = apply(ctx, a, t, SMR_OUTPUT_PROBA), *y = apply(ctx, b, t, SMR_OUTPUT_PROBA);
    double *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < 2 * MIXED_ROWS; i++)
        check_near("mean", got[i], (x[i] + y[i]) / 2, 1e-15);
    smr_free(x);
    smr_free(y);
    smr_free(got);
    smr_model_free(a);
    smr_model_free(b);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void members_are_addressed_by_their_place(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    const smr_address *at[2];
    static const char *const value[] = {"11", "0.25"};
    smr_spec *spec = parsed(ctx, "vote of=(knn 5),(standardize | logistic)"), *changed = NULL;
    char *out = NULL;
    (void)state;
    check_ok(ctx, smr_addresses_of(ctx, spec, &list));
    check_ok(ctx, smr_address_find(ctx, &list, "of.0.k", &at[0]));
    check_ok(ctx, smr_address_find(ctx, &list, "of.1.l2", &at[1]));
    check_ok(ctx, smr_address_set(ctx, spec, 2, at, value, &changed));
    check_ok(ctx, smr_spec_text(ctx, changed, &out));
    assert_non_null(strstr(out, "knn k=11"));
    assert_non_null(strstr(out, "logistic l2=0.25"));
    smr_free(out);
    smr_spec_free(changed);
    smr_spec_free(spec);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void mistakes_are_explained(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *classes = mixed(ctx, 2, false), *numbers = mixed(ctx, 0, false);
    (void)state;
    check_refused(ctx, "vote of=(ridge),(logistic)", classes, "k", SMR_ERR_PARAM,
                  "must share a task");
    check_refused(ctx, "vote mean of=(knn),(svm)", classes, "k", SMR_ERR_UNSUPPORTED,
                  "svm gives no probabilities to average; count votes with combine=vote, or "
                  "calibrate it: of=(calibrate of=(svm))");
    check_refused(ctx, "vote median of=(knn)", classes, "k", SMR_ERR_PARAM,
                  "combine=median is for numbers; use mean or vote");
    check_refused(ctx, "vote vote of=(knn)", numbers, "y", SMR_ERR_PARAM,
                  "combine=vote is for classes; use mean or median");
    check_refused(ctx, "vote weights=1,2 of=(knn)", classes, "k", SMR_ERR_PARAM,
                  "2 weights for 1 learner");
    check_refused(ctx, "vote weights=0,0 of=(knn),(logistic)", classes, "k", SMR_ERR_PARAM,
                  "the weights are all 0");
    check_refused(ctx, "vote of=(ridge)", classes, "k", SMR_ERR_DATA, "");
    check_refused(ctx, "vote of=(linear),(poisson)", numbers, "y", SMR_ERR_DATA,
                  "(while fitting of.1, poisson");
    smr_table_free(classes);
    smr_table_free(numbers);
    check_ctx_end(ctx);
}

static void lives_are_the_same_everywhere(void **state)
{
    (void)state;
    check_life("vote of=(knn 5),(standardize | logistic),(knn 1),(knn 9)", mixed, 3);
    check_life("vote vote weigh=cv folds=3 of=(svm),(knn 3)", mixed, 2);
    check_life("vote median of=(ridge 1),(knn 3),(knn 9)", mixed, 0);
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, true), *y = mixed(ctx, 0, false);
    struct life a = {"vote weigh=cv folds=2 of=(knn 3),(knn 1)", "k", t};
    struct life b = {"vote median of=(knn 3),(ridge)", "y", y};
    (void)state;
    assert_true(fail_each_allocation(ctx, live, &a) > 50);
    assert_true(fail_each_allocation(ctx, live, &b) > 50);
    smr_table_free(t);
    smr_table_free(y);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_voters_are_wrong_as_often_as_the_formula_says),
        cmocka_unit_test(a_vote_of_one_is_that_one),
        cmocka_unit_test(hard_votes_are_counted),
        cmocka_unit_test(weighted_medians_have_half_of_the_weight_on_either_side),
        cmocka_unit_test(weights_by_cross_validation_follow_the_errors),
        cmocka_unit_test(members_have_their_own_adapters),
        cmocka_unit_test(members_are_addressed_by_their_place),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(lives_are_the_same_everywhere),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("vote", tests, NULL, NULL);
}
