/* describe_parts.h -- what the files of describe share. */
#ifndef SMR_STUDY_DESCRIBE_PARTS_H
#define SMR_STUDY_DESCRIBE_PARTS_H

#include "data/summary.h"
#include "study/describe.h"

/* Adds a figure "distribution-COLUMN" for at most 24 columns: the target first, then those that
 * tell most about it; without a target (relevances NULL) the first of the table.  "distributions"
 * of `into` says how many were drawn, of how many, and in which order. */
smr_status smr_describe_draw(smr_ctx *ctx, const smr_table *table, const smr_summary *summary,
                             const smr_relevances *relevances, smr_json *into, smr_json *figures);

#endif
