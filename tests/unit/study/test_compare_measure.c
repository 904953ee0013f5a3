/* test_compare_measure.c -- by which measure models are compared. */
#include "cv_tables.h"
#include "said_study.h"

#include "study/compare.h"

/* The measure follows the loss that a model is fitted to, through pipelines and members. */
static void the_measure_follows_the_loss(void **state)
{
    static const struct {
        const char *sentence, *measure;
    } cases[] = {
        {"quantile 0.9", "pinball_90"},
        {"quantile 0.333", "pinball_33"},
        {"quantile 0.0004", "pinball_001"},
        {"boost loss=quantile q=0.25", "pinball_25"},
        {"standardize | sgd quantile tau=0.37", "pinball_37"},
        {"lad", "mae"},
        {"boost loss=absolute", "mae"},
        {"sgd absolute", "mae"},
        {"sgd epsilon", "mae"},
        {"tree criterion=absolute", "mae"},
        {"stump criterion=absolute", "mae"},
        {"baseline median", "mae"},
        {"poisson", "poisson_deviance"},
        {"boost loss=poisson", "poisson_deviance"},
        {"sgd poisson", "poisson_deviance"},
        {"gamma", "gamma_deviance"},
        {"boost loss=gamma", "gamma_deviance"},
        {"sgd gamma", "gamma_deviance"},
        {"ridge", NULL},
        {"boost", NULL},
        {"boost loss=huber", NULL},
        {"tree", NULL},
        {"bag of=(standardize | quantile 0.9)", "pinball_90"},
        {"adaboost of=(tree 3 criterion=absolute)", "mae"},
        {"vote of=(quantile 0.9),(boost loss=quantile q=0.9)", "pinball_90"},
        {"vote of=(lad),(ridge)", NULL},
        {"vote of=(ridge),(lad)", NULL},
        {"conformal of=(boost loss=quantile q=0.1)", "pinball_10"},
        {"conformal score=scaled of=(ridge) spread=(lad)", NULL},
        {"stack of=(lad),(tree) final=(quantile 0.75)", "pinball_75"},
        {"stack of=(lad),(lad l1=1)", NULL},
        {"bag of=(vote of=(poisson),(boost loss=poisson))", "poisson_deviance"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (size_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_spec *spec = parsed(ctx, cases[k].sentence);
        const smr_spec *list[] = {spec};
        const smr_measure *got = smr_cv_suited_measure(list, 1, SMR_TASK_REGRESS);
        if (!got != !cases[k].measure || (got && strcmp(got->name, cases[k].measure) != 0))
            fail_msg("%s: %s", cases[k].sentence, got ? got->name : "the usual one");
        assert_null(smr_cv_suited_measure(list, 1, SMR_TASK_CLASSIFY));
        smr_spec_free(spec);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_measure_follows_the_loss)};
    return cmocka_run_group_tests_name("compare_measure", tests, NULL, NULL);
}
