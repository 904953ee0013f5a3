/* inverse.h -- features back to what a model reads: its transforms undone.
 *
 * In a model of transforms all stages are undone; in one that predicts, those before the last, so
 * that what it found among its features (centres, components) is shown in the units of the table.
 * What comes out are the model's inputs: numbers, codes of categories, dates in seconds since 1970;
 * NaN where a value is missing. */
#ifndef SMR_LEARN_INVERSE_H
#define SMR_LEARN_INVERSE_H

#include "learn/model.h"

/* The stages that are undone: this many from the first. */
int64_t smr_model_n_undone(const smr_model *model);
/* Fails, saying why, if they cannot be undone. */
smr_status smr_model_check_inverse(smr_ctx *ctx, const smr_model *model);
/* The features that are undone: smr_model_n_undone's last one gives them. */
const smr_feature *smr_model_undone(const smr_model *model, int64_t *n);
/* The inputs that come out. */
int64_t smr_model_n_restored(const smr_model *model);

/* out: rows x inputs, for all rows of a table that has the features as columns by name, or as a
 * sparse block with that many columns. */
smr_status smr_model_inverse(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             double *out);
/* The same for a row-major matrix of the features. */
smr_status smr_model_inverse_matrix(smr_ctx *ctx, const smr_model *model, const double *x,
                                    int64_t n_rows, double *out);
/* Fills smr_model_n_restored empty columns from what these gave for n rows. */
smr_status smr_restored_fill(smr_ctx *ctx, const smr_model *model, const double *x, int64_t n,
                             smr_column *cols);
/* The inputs of all rows as a table. */
smr_status smr_restored_create(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                               smr_table **out);

#endif
