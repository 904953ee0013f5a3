/* test_truth.c -- every learner on real tables against another program, or against its formula
 * computed another way: plain, with weights, with categories and gaps.
 *
 * Truth: the scripts of tests/truth, which write the headers below. */
#include "truth.h"

#include "truth/boosting.h"
#include "truth/ensembles.h"
#include "truth/features.h"
#include "truth/least_squares.h"
#include "truth/link.h"
#include "truth/margins.h"
#include "truth/near.h"
#include "truth/robust.h"
#include "truth/trees.h"

#define ANSWERS_ARE_TRUE(name)                                    \
    static void name##_answers_are_true(void **unused)            \
    {                                                             \
        (void)unused;                                             \
        check_answers(name##_answers, SMR_COUNT(name##_answers)); \
    }

ANSWERS_ARE_TRUE(boosting)
ANSWERS_ARE_TRUE(ensembles)
ANSWERS_ARE_TRUE(features)
ANSWERS_ARE_TRUE(least_squares)
ANSWERS_ARE_TRUE(link)
ANSWERS_ARE_TRUE(margins)
ANSWERS_ARE_TRUE(near)
ANSWERS_ARE_TRUE(robust)
ANSWERS_ARE_TRUE(trees)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boosting_answers_are_true),
        cmocka_unit_test(ensembles_answers_are_true),
        cmocka_unit_test(features_answers_are_true),
        cmocka_unit_test(least_squares_answers_are_true),
        cmocka_unit_test(link_answers_are_true),
        cmocka_unit_test(margins_answers_are_true),
        cmocka_unit_test(near_answers_are_true),
        cmocka_unit_test(robust_answers_are_true),
        cmocka_unit_test(trees_answers_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
