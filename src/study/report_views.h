/* report_views.h -- what a report shows besides the measures: the columns of the data, what each
 * stage of the model learned, which columns it leans on, and how.  All are bounded in cost, so
 * that a report stays a matter of seconds. */
#ifndef SMR_STUDY_REPORT_VIEWS_H
#define SMR_STUDY_REPORT_VIEWS_H

#include "study/evaluate.h"

/* Adds "data_columns": one object for each column of the table (data/summary.h). */
smr_status smr_view_table(smr_ctx *ctx, const smr_table *table, smr_json *into);

/* Adds "stages": what each learned, as smr_model_describe gives it. */
smr_status smr_view_stages(smr_ctx *ctx, const smr_model *model, smr_json *into);

/* Adds "importance" (study/explain.h) and its figure to the array "figures" of `into`: what
 * smr_explain gives, of all rows, or of some that are drawn where the model's answers to all would
 * take more than seconds, which each entry says.  Nothing is added for more than 100 inputs or
 * sparse ones, which `samara explain` is for. */
smr_status smr_view_importance(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into);

/* Adds "dependence" and its figures, after smr_view_importance: what smr_explain gives of up to
 * six columns, those whose importance is largest and more than its own spread: numbers, dates and
 * categories of up to 30 levels.  Fewer rows are drawn where the model is slow, which each entry
 * says. */
smr_status smr_view_dependence(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               smr_json *into);

#endif
