/* said_study.h -- what said.h is, for the functions of study/. */
#ifndef SMR_TESTS_SAID_SELECT_H
#define SMR_TESTS_SAID_SELECT_H

#include "said.h"

#include "study/bias_variance.h"
#include "study/compare.h"
#include "study/curve.h"
#include "study/cv_report.h"
#include "study/space.h"
#include "study/stream.h"
#include "study/threshold.h"
#include "study/tune.h"

static inline smr_status said_cv(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                 const smr_cv_plan *plan, const smr_cv_run_opts *opts,
                                 smr_cv_scores *out)
{
    SAID(smr_cv_run(ctx, spec, set, plan, opts, out));
}

static inline smr_status said_cv_report(smr_ctx *ctx, const char *sentence,
                                        const smr_train_set *set, const smr_cv_ask *ask,
                                        smr_json *into, smr_table **oof)
{
    SAID(smr_cv_report(ctx, spec, set, ask, into, oof));
}

static inline smr_status said_space(smr_ctx *ctx, const char *sentence, const char *over,
                                    smr_space **out)
{
    SAID(smr_space_parse(ctx, spec, over, out));
}

static inline smr_status said_tune(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                   const smr_tune_opts *opts, const smr_tune_how *how,
                                   smr_json *into)
{
    SAID(smr_tune_search(ctx, spec, set, opts, how, into));
}

static inline smr_status said_learning(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                       const smr_curve_how *how, smr_json *into)
{
    SAID(smr_curve_learning(ctx, spec, set, how, into));
}

static inline smr_status said_validation(smr_ctx *ctx, const char *sentence,
                                         const smr_train_set *set, const smr_curve_how *how,
                                         smr_json *into)
{
    SAID(smr_curve_validation(ctx, spec, set, how, into));
}

static inline smr_status said_threshold_curve(smr_ctx *ctx, const char *sentence,
                                              const smr_train_set *set, const smr_curve_how *how,
                                              smr_json *into)
{
    SAID(smr_curve_threshold_cv(ctx, spec, set, how, into));
}

static inline smr_status said_bias(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                   const smr_bias_how *how, smr_json *into)
{
    SAID(smr_bias_variance_fill(ctx, spec, set, how, into));
}

static inline smr_status said_threshold(smr_ctx *ctx, const char *sentence,
                                        const smr_train_set *set, const int64_t *rows,
                                        int64_t n_rows, const smr_threshold_rule *rule,
                                        smr_threshold_row *row, int64_t *used)
{
    SAID(smr_threshold_fit(ctx, spec, set, rows, n_rows, rule, row, used));
}

static inline smr_status said_threshold_train(smr_ctx *ctx, const char *sentence,
                                              smr_train_set *set, const char *rule,
                                              smr_model *model)
{
    SAID(smr_threshold_train(ctx, spec, set, rule, model));
}

/* Compares the models of these sentences. */
static inline smr_status said_compare(smr_ctx *ctx, const smr_table *table, const smr_set_opts *how,
                                      const smr_compare_ask *ask, smr_json *into)
{
    smr_spec *specs[16] = {NULL};
    smr_compare_ask with = *ask;
    smr_status st = SMR_OK;
    assert_true(ask->n <= SMR_COUNT(specs));
    for (int64_t i = 0; i < ask->n && st == SMR_OK; i++)
        st = smr_spec_parse(ctx, ask->names[i], &specs[i]);
    with.specs = (const smr_spec *const *)specs;
    if (st == SMR_OK) st = smr_compare_report(ctx, table, how, &with, into);
    for (int64_t i = 0; i < SMR_COUNT(specs); i++) smr_spec_free(specs[i]);
    return st;
}

#endif
