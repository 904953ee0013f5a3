/* judged.h -- measures in words, for the commands that judge a model. */
#ifndef SMR_CLI_JUDGED_H
#define SMR_CLI_JUDGED_H

#include "core/json.h"
#include "learn/model.h"

/* The measures in two columns, with the intervals that `root` has beside them, and a line about the
 * threshold in use. */
void judged_measures(const smr_json *root, smr_text *out);
/* A line about what is reached without any model; nothing where `root` has no baseline. */
void judged_baseline(const smr_json *root, smr_text *out);
/* The tables below them: classes with their averages, the confusion matrix, targets. */
void judged_tables(const smr_json *root, int64_t most, smr_text *out);

/* Adds spec, task, target, classes, features: which model the result is about. */
smr_status judged_model(smr_ctx *ctx, const smr_model *model, smr_json *root);
/* Copies what smr_judge found: all but the figures, which come last in a result. */
void judged_copy(const smr_json *found, smr_json *root);
void judged_copy_figures(const smr_json *found, smr_json *root);

#endif
