/* Entropies and gains against the course's worked figures (A4), and the identities between them. */
#include "check.h"

#include "core/rng.h"
#include "math/information.h"

/* Figures are printed to four places. */
static const double PRINTED = 5e-5;

static void entropies_are_the_worked_ones(void **state)
{
    const double a[] = {8, 1}, b[] = {4, 5}, even[] = {3, 3, 3, 3}, sure[] = {0, 7, 0};
    (void)state;
    check_near("H(8/9, 1/9)", smr_entropy(2, a), 0.5033, PRINTED);
    check_near("H(4/9, 5/9)", smr_entropy(2, b), 0.9911, PRINTED);
    check_near("four equal", smr_entropy(4, even), 2, 1e-15);
    check_near("one sure", smr_entropy(3, sure), 0, 0);
    assert_true(isnan(smr_entropy(2, (double[]){0, 0})));
}

/* Rain and cloud: 24, 1, 25, 50 of 100. */
static void rain_and_cloud_are_the_worked_ones(void **state)
{
    const double count[] = {24, 1, 25, 50};
    smr_information i = smr_information_of(2, 2, count);
    (void)state;
    check_near("H(X)", i.x, 0.8113, PRINTED);
    check_near("H(Y)", i.y, 0.9997, PRINTED);
    check_near("H(X,Y)", i.joint, 1.5606, PRINTED);
    check_near("H(Y|X)", i.y_given_x, 0.7493, PRINTED);
    check_near("H(X|Y)", i.x_given_y, 0.5609, PRINTED);
    check_near("gain", i.gain, 0.2504, PRINTED);
    check_near("H(Y|rain)", smr_entropy(2, count), 0.2423, PRINTED);
    check_near("H(Y|dry)", smr_entropy(2, count + 2), 0.9183, PRINTED);
    check_near("ratio", i.gain_ratio, i.gain / i.x, 1e-15);
}

/* Seven points, two of one class: cut 4 | 3 and 2 | 5. */
static void split_scores_are_the_worked_ones(void **state)
{
    const double first[] = {1, 3, 1, 2}, second[] = {0, 2, 2, 3};
    double whole[2];
    (void)state;
    check_near("gain 1", smr_information_of(2, 2, first).gain, 0.0060, PRINTED);
    check_near("gain 2", smr_information_of(2, 2, second).gain, 0.1696, PRINTED);
    check_near("entropy 2", smr_impurity_gain(smr_entropy, 2, 2, second, whole), 0.1696, PRINTED);
    check_near("gini 1", smr_impurity_gain(smr_gini, 2, 2, first, whole), 0.0034, PRINTED);
    check_near("gini 2", smr_impurity_gain(smr_gini, 2, 2, second, whole), 0.0653, PRINTED);
    check_near("error 1", smr_impurity_gain(smr_misclassification, 2, 2, first, whole), 0, 1e-15);
    check_near("error 2", smr_impurity_gain(smr_misclassification, 2, 2, second, whole), 0, 1e-15);
    check_near("whole", whole[0], 2, 0);
}

/* Tennis, five rows (no, yes): outlook, temperature, humidity, windy. */
static void tennis_gains_are_the_worked_ones(void **state)
{
    const double outlook[] = {2, 0, 0, 1, 0, 2}, temperature[] = {2, 1, 0, 1, 0, 1};
    const double humidity[] = {2, 2, 0, 1}, windy[] = {1, 0, 1, 3};
    (void)state;
    check_near("H", smr_information_of(3, 2, outlook).y, 0.9710, PRINTED);
    check_near("outlook", smr_information_of(3, 2, outlook).gain, 0.9710, PRINTED);
    check_near("temperature", smr_information_of(3, 2, temperature).gain, 0.4200, PRINTED);
    check_near("humidity", smr_information_of(2, 2, humidity).gain, 0.1710, PRINTED);
    check_near("windy", smr_information_of(2, 2, windy).gain, 0.3219, PRINTED);
}

/* Restaurant: patrons none (2 no), some (4 yes), full (2 yes, 4 no); type, each half and half. */
static void restaurant_gains_are_the_worked_ones(void **state)
{
    const double patrons[] = {0, 2, 4, 0, 2, 4}, type[] = {1, 1, 1, 1, 2, 2, 2, 2};
    (void)state;
    check_near("patrons", smr_information_of(3, 2, patrons).gain, 0.5409, PRINTED);
    check_near("type", smr_information_of(4, 2, type).gain, 0, 1e-15);
}

/* XOR: neither input tells anything alone, both together everything. */
static void xor_has_no_gain_alone(void **state)
{
    const double alone[] = {1, 1, 1, 1}, together[] = {1, 0, 0, 1, 0, 1, 1, 0};
    (void)state;
    check_near("alone", smr_information_of(2, 2, alone).gain, 0, 0);
    check_near("together", smr_information_of(4, 2, together).gain, 1, 1e-15);
}

static void identities_hold_for_random_tables(void **state)
{
    enum { X = 7, Y = 5, TABLES = 40 };
    (void)state;
    for (uint64_t t = 0; t < TABLES; t++) {
        double count[X * Y], turned[X * Y], twice[X * Y];
        for (int64_t k = 0; k < X * Y; k++) {
            double u = smr_random_unit(5, SMR_STREAM_TEST, t, (uint64_t)k);
            count[k] = u < 0.2 ? 0 : 31.7 * u;
            twice[k] = 2 * count[k];
            turned[k % Y * X + k / Y] = count[k];
        }
        smr_information i = smr_information_of(X, Y, count), j = smr_information_of(Y, X, turned);
        check_near("chain rule", i.joint, i.x + i.y_given_x, 1e-13);
        check_near("other way round", i.joint, i.y + i.x_given_y, 1e-13);
        check_near("symmetry", i.gain, j.gain, 1e-13);
        check_near("scale", smr_information_of(X, Y, twice).gain, i.gain, 1e-13);
        assert_true(i.gain >= 0 && i.gain <= i.x + 1e-13 && i.gain <= i.y + 1e-13);
    }
}

/* p = (1/2, 1/2), q = (1/4, 3/4): H(p,q) = (2 + log2(4/3)) / 2. */
static void divergences_are_worked_by_hand(void **state)
{
    const double p[] = {1, 1}, q[] = {1, 3}, point[] = {0, 4}, other[] = {9, 0};
    double log43 = 0.41503749927884381855; /* log2(4/3) */
    (void)state;
    check_near("cross", smr_cross_entropy(2, p, q), 0.5 * (2 + log43), 1e-15);
    check_near("kl", smr_kl_divergence(2, p, q), 0.5 * (2 + log43) - 1, 1e-14);
    check_near("kl of itself", smr_kl_divergence(2, q, q), 0, 0);
    assert_true(isinf(smr_kl_divergence(2, p, point)));
    assert_true(isinf(smr_cross_entropy(2, p, point)));
    check_near("js of strangers", smr_js_divergence(2, point, other), 1, 1e-15);
    check_near("js symmetric", smr_js_divergence(2, p, q), smr_js_divergence(2, q, p), 1e-15);
    /* middle (3/8, 5/8): H - (1 + H(1/4)) / 2 */
    const double middle[] = {3, 5};
    check_near("js", smr_js_divergence(2, p, q),
               smr_entropy(2, middle) - 0.5 * (1 + smr_entropy(2, q)), 1e-14);
    assert_true(isnan(smr_kl_divergence(2, p, (double[]){0, 0})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entropies_are_the_worked_ones),
        cmocka_unit_test(rain_and_cloud_are_the_worked_ones),
        cmocka_unit_test(split_scores_are_the_worked_ones),
        cmocka_unit_test(tennis_gains_are_the_worked_ones),
        cmocka_unit_test(restaurant_gains_are_the_worked_ones),
        cmocka_unit_test(xor_has_no_gain_alone),
        cmocka_unit_test(identities_hold_for_random_tables),
        cmocka_unit_test(divergences_are_worked_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
