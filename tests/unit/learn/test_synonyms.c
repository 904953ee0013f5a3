/* test_synonyms.c -- names of other libraries: without case, _ and -, whole words only. */
#include "check.h"
#include "core/synonyms.h"
#include "learn/registry.h"

/* What it is called here, or NULL. */
static const char *called(const char *name)
{
    static char out[SMR_SYNONYM_MAX];
    return smr_learner_called(name, out) ? out : NULL;
}

static void learners_are_known_by_other_names(void **unused)
{
    (void)unused;
    assert_string_equal(called("RandomForestClassifier"), "forest");
    assert_string_equal(called("random-forest"), "forest");
    assert_string_equal(called("RANDOMFOREST"), "forest");
    assert_string_equal(called("C4.5"), "tree");
    assert_string_equal(called("ExtraTreesClassifier"), "forest mode=extra");
    assert_string_equal(called("hedge"), "majority method=hedge");
    assert_null(called("mode=extra"));
    assert_string_equal(called("mixture_of_experts"), "experts");
}

static void parts_and_neighbours_of_names_are_not_names(void **unused)
{
    (void)unused;
    assert_null(called(""));
    assert_null(called("_"));
    assert_null(called("random"));
    assert_null(called("random_forest rf"));
    assert_null(called("rf2"));
    assert_null(called("f"));
}

/* What a learner is answered with must be there. */
static void every_answer_is_a_learner(void **unused)
{
    static const char *const names[] = {"boosting", "bagging", "xgboost", "platt",  "moe",
                                        "rf",       "knn",     "ols",     "logreg", "hedge",
                                        "extra",    "ohe",     "voting",  "tfidf",  "stacking"};
    (void)unused;
    for (int64_t i = 0; i < SMR_COUNT(names); i++) {
        const char *here = called(names[i]);
        char word[64];
        snprintf(word, sizeof word, "%s", here ? here : names[i]);
        word[strcspn(word, " ")] = '\0';
        assert_non_null(smr_registry_find(word));
    }
}

static void a_parameter_is_the_learners_own(void **unused)
{
    const char *note = NULL;
    (void)unused;
    assert_string_equal(smr_param_called(smr_registry_find("forest")->word, "n_estimators", &note),
                        "trees");
    assert_string_equal(smr_param_called(smr_registry_find("boost")->word, "n_estimators", &note),
                        "rounds");
    assert_string_equal(smr_param_called(smr_registry_find("bag")->word, "n_estimators", &note),
                        "bags");
    assert_string_equal(smr_param_called(smr_registry_find("logistic")->word, "C", &note), "l2");
    assert_string_equal(note, " (l2 = 1 / C)");
    assert_null(smr_param_called(smr_registry_find("knn")->word, "n_estimators", &note));
}

static void a_value_is_one_of_the_choices(void **unused)
{
    static const smr_choice losses[] = {{"squared", ""}, {"logistic", ""}, {NULL, NULL}};
    static const smr_choice criteria[] = {{"gini", ""}, {"entropy", ""}, {NULL, NULL}};
    (void)unused;
    assert_string_equal(smr_choice_called(losses, "MSE"), "squared");
    assert_string_equal(smr_choice_called(losses, "log_loss"), "logistic");
    assert_string_equal(smr_choice_called(criteria, "log_loss"), "entropy");
    assert_string_equal(smr_choice_called(criteria, "Gini"), "gini");
    assert_null(smr_choice_called(criteria, "mse"));
}

static void what_stands_beside_the_sentence_is_named(void **unused)
{
    bool out_of_bag = false;
    (void)unused;
    assert_non_null(strstr(smr_param_beside("random_state", &out_of_bag), "--seed"));
    assert_false(out_of_bag);
    assert_non_null(strstr(smr_param_beside("n_jobs", &out_of_bag), "--threads"));
    assert_false(out_of_bag);
    assert_non_null(smr_param_beside("oob_score", &out_of_bag));
    assert_true(out_of_bag); /* it holds for learners that report it */
    assert_null(smr_param_beside("qwerty", &out_of_bag));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learners_are_known_by_other_names),
        cmocka_unit_test(parts_and_neighbours_of_names_are_not_names),
        cmocka_unit_test(every_answer_is_a_learner),
        cmocka_unit_test(a_parameter_is_the_learners_own),
        cmocka_unit_test(a_value_is_one_of_the_choices),
        cmocka_unit_test(what_stands_beside_the_sentence_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
