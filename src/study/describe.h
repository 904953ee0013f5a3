/* describe.h -- a table as JSON: its columns, and, with a target, what each tells about it. */
#ifndef SMR_STUDY_DESCRIBE_H
#define SMR_STUDY_DESCRIBE_H

#include "core/json.h"
#include "study/relevance.h"

/* Adds to `into`: rows, columns, read_as (what the reader inferred), item_shape, sparse, table (one
 * object per column).  With opts->target: target {name, task, rows, entropy ...} and relevance (one
 * object per column, strongest first; relevance.h says what is in it).  With 2 to 40 number
 * columns: correlations (the strongest pairs).  Warnings of the summary go to the context.
 * `figures`, an array or NULL, receives "relevance", "correlations", and the distributions of up to
 * 24 columns, of which "distributions" says how many there are (describe_parts.h). */
smr_status smr_describe_table(smr_ctx *ctx, const smr_table *table, const smr_relevance_opts *opts,
                              smr_json *into, smr_json *figures);

#endif
