/* schema_read.h -- reading a file for a model: with its schema, never by inference. */
#ifndef SMR_STUDY_SCHEMA_READ_H
#define SMR_STUDY_SCHEMA_READ_H

#include "data/read.h"
#include "learn/model.h"

/* As smr_table_read, with a rule for each of the model's inputs: numbers must be numbers,
 * categories are strings whatever they look like.  Rules of `opts` for other columns are kept.
 * Columns without names are known by their positions; where the file lacks the target's column, and
 * so the last of the inputs, the positions after it are moved up by one, and a warning says so. */
smr_status smr_table_read_for(smr_ctx *ctx, const smr_model *model, const char *path,
                              const smr_read_opts *opts, smr_table **out);
/* Fails where `opts` has a rule of another kind for an input of the model, whose own would win. */
smr_status smr_schema_check_types(smr_ctx *ctx, const smr_model *model, const smr_read_opts *opts);

#endif
