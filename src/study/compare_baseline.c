/* compare_baseline.c -- what can be reached without looking at any feature: see compare.h. */
#include "study/compare.h"
#include "study/cv_measure.h"
#include "study/judge.h"

#include <string.h>

/* answer[0 .. width): the classes' shares of the weight, or the targets' means. */
static void average(const smr_train_set *set, const int64_t *rows, int64_t n, int64_t width,
                    double *answer)
{
    double total = 0;
    memset(answer, 0, (size_t)width * sizeof *answer);
    for (int64_t i = 0; i < n; i++) {
        double w = set->weight ? set->weight[rows[i]] : 1;
        total += w;
        if (set->label)
            answer[set->label[rows[i]]] += w;
        else
            for (int64_t j = 0; j < width; j++) answer[j] += w * set->y[rows[i] * width + j];
    }
    for (int64_t j = 0; j < width; j++) answer[j] /= total;
}

/* Rounds of what is judged as found. */
static smr_status find_rounds(smr_ctx *ctx, const smr_train_set *set, const smr_cv_plan *plan,
                              const smr_measure *measure, double *score)
{
    static const struct smr_columns_params columns = {0}; /* the defaults */
    smr_status st = SMR_OK;
    int64_t *train = NULL, n_test;
    const int64_t *test;
    smr_found found = {0};
    smr_baseline b = {.schema = &set->schema,
                      .columns = &columns,
                      .table = set->table,
                      .label = set->label,
                      .n_classes = set->target.classes.n,
                      .outlying = set->target.positive,
                      .weight = set->weight,
                      .seed = ctx->seed};
    TRY_NEW(train, SMR_MAX(1, smr_cv_most_train(plan)));
    b.fitted = train;
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &b.n_fitted, &test, &n_test);
        TRY(smr_found_by_baseline(ctx, set->target.task, &b, test, n_test, &found));
        TRY(smr_measures_found(ctx, &measure, 1, &found.in, &score[r]));
        smr_found_release(&found);
    }
out:
    smr_found_release(&found);
    smr_free(train);
    return st;
}

smr_status smr_compare_baseline(smr_ctx *ctx, const smr_train_set *set, const smr_cv_plan *plan,
                                const smr_measure *measure, double *score)
{
    if (smr_judge_of(set->target.task)->as == SMR_JUDGED_AS_FOUND)
        return find_rounds(ctx, set, plan, measure, score);
    bool classify = smr_judge_of(set->target.task)->as == SMR_JUDGED_AS_CLASSES;
    int64_t width = classify ? set->target.classes.n : set->target.n, n_train, n_test;
    smr_status st = SMR_OK;
    int64_t *train = NULL;
    const int64_t *test;
    double *value = NULL, *answer = NULL, *y = NULL, *weight = NULL;
    TRY_NEW(train, SMR_MAX(1, smr_cv_most_train(plan)));
    TRY_NEW(answer, width);
    TRY_NEW(y, smr_cv_most_train(plan) + 1);
    if (set->weight) TRY_NEW(weight, smr_cv_most_train(plan) + 1);
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        average(set, train, n_train, width, answer);
        for (int64_t j = 0; measure->level > 0 && j < width; j++) {
            for (int64_t i = 0; i < n_train; i++) {
                y[i] = set->y[train[i] * width + j];
                if (weight) weight[i] = set->weight[train[i]];
            }
            TRY(smr_judge_quantile(ctx, measure->level, n_train, y, 1, weight, &answer[j]));
        }
        smr_free(value);
        TRY_NEW(value, n_test * width);
        for (int64_t i = 0; i < n_test; i++)
            memcpy(value + i * width, answer, (size_t)width * sizeof *value);
        smr_predicted p = {.rows = test,
                           .n = n_test,
                           .output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE,
                           .value = value};
        TRY(smr_predicted_measure(ctx, set, &p, &measure, 1, &score[r]));
    }
out:
    smr_free(value);
    smr_free(answer);
    smr_free(y);
    smr_free(weight);
    smr_free(train);
    return st;
}
