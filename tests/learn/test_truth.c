/* test_truth.c -- every learner on real tables against another program, or against its formula
 * computed another way: plain, with weights, with categories and gaps.
 *
 * Truth: the scripts of tests/truth, which write the headers below. */
#include "truth.h"

#include "learn/registry.h"
#include "truth/bayesian.h"
#include "truth/boosting.h"
#include "truth/centres.h"
#include "truth/components.h"
#include "truth/densities.h"
#include "truth/ensembles.h"
#include "truth/features.h"
#include "truth/grouping.h"
#include "truth/kernel_machines.h"
#include "truth/kernelled.h"
#include "truth/least_squares.h"
#include "truth/link.h"
#include "truth/margins.h"
#include "truth/mixtures.h"
#include "truth/near.h"
#include "truth/nets.h"
#include "truth/robust.h"
#include "truth/softly.h"
#include "truth/targets.h"
#include "truth/transforms.h"
#include "truth/trees.h"

#define ANSWERS_ARE_TRUE(name)                                    \
    static void name##_answers_are_true(void **unused)            \
    {                                                             \
        (void)unused;                                             \
        check_answers(name##_answers, SMR_COUNT(name##_answers)); \
    }

ANSWERS_ARE_TRUE(bayesian)
ANSWERS_ARE_TRUE(boosting)
ANSWERS_ARE_TRUE(centres)
ANSWERS_ARE_TRUE(components)
ANSWERS_ARE_TRUE(densities)
ANSWERS_ARE_TRUE(ensembles)
ANSWERS_ARE_TRUE(features)
ANSWERS_ARE_TRUE(grouping)
ANSWERS_ARE_TRUE(kernelled)
ANSWERS_ARE_TRUE(least_squares)
ANSWERS_ARE_TRUE(link)
ANSWERS_ARE_TRUE(kernel_machines)
ANSWERS_ARE_TRUE(margins)
ANSWERS_ARE_TRUE(mixtures)
ANSWERS_ARE_TRUE(softly)
ANSWERS_ARE_TRUE(near)
ANSWERS_ARE_TRUE(nets)
ANSWERS_ARE_TRUE(robust)
ANSWERS_ARE_TRUE(targets)
ANSWERS_ARE_TRUE(transforms)
ANSWERS_ARE_TRUE(trees)

/* ---- nobody is left out ----------------------------------------------------------------- */

static bool is_asked(const char *name, const struct answers *a, int64_t n)
{
    size_t length = strlen(name);
    for (int64_t i = 0; i < n; i++)
        for (const char *at = a[i].sentence; (at = strstr(at, name)); at++) {
            bool begins = at == a[i].sentence || strchr(" (", at[-1]);
            if (begins && strchr(" )", at[length])) return true; /* or the end */
        }
    return false;
}

/* Every learner has answers here, or figures elsewhere that a script of tests/truth recorded. */
static void every_learner_has_figures(void **unused)
{
    static const char *const elsewhere[] = {
        "adaboost",  /* test_adaboost_models.c: its stumps' errors                     */
        "hmm",       /* test_hmm.c: hidden_states.py, whose sequences need a column    */
        "isolation", /* test_isolation.c: its scores, over seeds                       */
        "lof",       /* test_lof.c                                                     */
        "factor",    /* test_factor.c: the least of its objective, whose rows need users  */
        "bayesnet",  /* test_bayesnet.c: its tables, graphs and steps of EM            */
        "conformal", /* test_conformal.c: its quantiles, since it draws the rows        */
        "subspace",  /* test_bag.c: only bag inserts it, with features that are drawn   */
    };
    static const struct {
        const struct answers *answers;
        int64_t n;
    } all[] = {
        {bayesian_answers, SMR_COUNT(bayesian_answers)},
        {boosting_answers, SMR_COUNT(boosting_answers)},
        {centres_answers, SMR_COUNT(centres_answers)},
        {components_answers, SMR_COUNT(components_answers)},
        {densities_answers, SMR_COUNT(densities_answers)},
        {ensembles_answers, SMR_COUNT(ensembles_answers)},
        {features_answers, SMR_COUNT(features_answers)},
        {grouping_answers, SMR_COUNT(grouping_answers)},
        {kernelled_answers, SMR_COUNT(kernelled_answers)},
        {least_squares_answers, SMR_COUNT(least_squares_answers)},
        {link_answers, SMR_COUNT(link_answers)},
        {kernel_machines_answers, SMR_COUNT(kernel_machines_answers)},
        {margins_answers, SMR_COUNT(margins_answers)},
        {mixtures_answers, SMR_COUNT(mixtures_answers)},
        {softly_answers, SMR_COUNT(softly_answers)},
        {nets_answers, SMR_COUNT(nets_answers)},
        {near_answers, SMR_COUNT(near_answers)},
        {robust_answers, SMR_COUNT(robust_answers)},
        {transforms_answers, SMR_COUNT(transforms_answers)},
        {trees_answers, SMR_COUNT(trees_answers)},
    };
    int64_t n_learners = 0;
    const smr_learner *const *learner = smr_registry(&n_learners);
    (void)unused;
    for (int64_t l = 0; l < n_learners; l++) {
        const char *name = learner[l]->word->name;
        bool found = false;
        for (int64_t k = 0; k < SMR_COUNT(elsewhere); k++) found |= !strcmp(elsewhere[k], name);
        for (int64_t k = 0; k < SMR_COUNT(all); k++)
            found |= is_asked(name, all[k].answers, all[k].n);
        if (!found) fail_msg("no script of tests/truth has a figure of %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bayesian_answers_are_true),
        cmocka_unit_test(boosting_answers_are_true),
        cmocka_unit_test(centres_answers_are_true),
        cmocka_unit_test(components_answers_are_true),
        cmocka_unit_test(densities_answers_are_true),
        cmocka_unit_test(ensembles_answers_are_true),
        cmocka_unit_test(features_answers_are_true),
        cmocka_unit_test(grouping_answers_are_true),
        cmocka_unit_test(kernelled_answers_are_true),
        cmocka_unit_test(least_squares_answers_are_true),
        cmocka_unit_test(link_answers_are_true),
        cmocka_unit_test(kernel_machines_answers_are_true),
        cmocka_unit_test(margins_answers_are_true),
        cmocka_unit_test(mixtures_answers_are_true),
        cmocka_unit_test(softly_answers_are_true),
        cmocka_unit_test(near_answers_are_true),
        cmocka_unit_test(nets_answers_are_true),
        cmocka_unit_test(robust_answers_are_true),
        cmocka_unit_test(targets_answers_are_true),
        cmocka_unit_test(transforms_answers_are_true),
        cmocka_unit_test(trees_answers_are_true),
        cmocka_unit_test(every_learner_has_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
