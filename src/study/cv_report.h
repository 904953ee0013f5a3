/* cv_report.h -- a cross-validation as JSON, and its out-of-fold predictions as a table. */
#ifndef SMR_STUDY_CV_REPORT_H
#define SMR_STUDY_CV_REPORT_H

#include "study/cv_ask.h"

/* Cross-validates and adds to `into`:
 *
 *     spec, task, target [], classes [], rows, features, seed
 *     kind, folds, repeats, rounds, stratified, grouped, confidence
 *     measures {NAME: {mean, sd, low, high, rounds, pooled, better}}
 *     baseline {what, from, NAME: mean over the rounds}, where the task has one
 *     by_round [{round, repeat, rows, fit_seconds, predict_seconds, NAME: figure ...}]
 *     fit_seconds, predict_seconds: sums over the rounds
 *     advice [{kind, message, column}] (warnings.h)
 *     figures [folds, and those of the out-of-fold predictions (figures.h)]
 *
 * *oof, unless NULL, receives the table of predictions (smr_cv_oof); the caller frees it. */
smr_status smr_cv_report(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                         const smr_cv_ask *ask, smr_json *into, smr_table **oof);

/* One row for each row that was measured in the first repetition: its number in the table, from 1,
 * the round, the truth and the prediction, for classes also their probabilities or scores. */
smr_status smr_cv_oof(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *scores,
                      smr_table **out);
/* The same for out-of-bag predictions, which the fit of the model kept (smr_fit_report.left_out):
 * in place of the round it has how many trees left the row out; rows that none left out are not in
 * the table. */
smr_status smr_oob_table(smr_ctx *ctx, const smr_train_set *set, const smr_model *model,
                         smr_table **out);

/* Adds what every result says about the data: task, target, classes, rows, features, seed. */
void smr_set_json(const smr_ctx *ctx, const smr_train_set *set, smr_json *into);

/* Adds the canonical form of a sentence: every parameter that is read. */
smr_status smr_sentence_json(smr_ctx *ctx, const smr_spec *spec, const char *key, smr_json *into);

#endif
