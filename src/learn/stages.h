/* stages.h -- stages in a row: fitting them with the adapters they need, linking them after a load.
 * Shared by models (behind their columns stage) and by members.
 *
 * Each stage is fitted on the output of those before it, which is computed a block at a time while
 * the stage reads it: no transformed copy of the data exists, but for sparse rows, which are
 * computed once and kept until all stages are fitted (store.h).  Before a stage that cannot take
 * missing numbers stands an imputation, before one that cannot take categories a one-hot coding,
 * before one that cannot take texts a bag of words; they are inserted where the sentence has none,
 * and only where the training data need them. */
#ifndef SMR_LEARN_STAGES_H
#define SMR_LEARN_STAGES_H

#include "learn/learner.h"

/* Fits (*stages)[first .. *n) on the data; the array moves and grows as adapters are inserted.
 * in: the data's features, not tied to memory that ends with the data.  The report is the last
 * stage's.  On failure the stages can be freed. */
smr_status smr_stages_fit(smr_ctx *ctx, smr_stage **stages, int64_t *n, int64_t first,
                          const smr_feature *in, const smr_data *data, smr_fit_report *report);

/* The same for a stream: begins (*stages)[first .. *n) in place of fitting them.  like: features,
 * task, outputs, classes and gaps as the rows to come will have them; no rows are read. */
smr_status smr_stages_begin(smr_ctx *ctx, smr_stage **stages, int64_t *n, int64_t first,
                            const smr_feature *in, const smr_data *like);

/* After loading: checks and prepares every state, members first, and fills features, n_in and n_out
 * of stages[first .. n). */
smr_status smr_stages_link(smr_ctx *ctx, smr_stage *stages, int64_t n, int64_t first,
                           const smr_feature *in, const smr_shape *shape);

/* Fails where a stage cannot learn from a stream, naming those that can. */
smr_status smr_stage_check_stream(smr_ctx *ctx, const smr_stage *stage);

/* An unfitted stage with its defaults at place `at`; the array grows by one. */
smr_status smr_stages_insert(smr_ctx *ctx, smr_stage **stages, int64_t *n, int64_t at,
                             const char *name);

#endif
