/* stages.h -- stages in a row: fitting them with the adapters they need, linking them after a load.
 * Shared by models and by members.
 *
 * Each stage is fitted on the output of those before it, which is computed a block at a time while
 * the stage reads it: no transformed copy of the data exists, except sparse rows, which are
 * computed once and kept until all stages are fitted (data/keep.h).  A stage that cannot take
 * missing numbers is preceded by an imputation, one that cannot take categories by a one-hot
 * coding, one that cannot take texts by a bag of words; they are inserted where the sentence has
 * none, and only where the training data need them. */
#ifndef SMR_LEARN_STAGES_H
#define SMR_LEARN_STAGES_H

#include "learn/spec.h"

/* Fits the steps of a sentence on the data, and the adapters that they need.  in: the data's
 * features, not tied to memory that ends with the data.  The report is the last stage's. */
smr_status smr_stages_fit(smr_ctx *ctx, const smr_spec *spec, const smr_feature *in,
                          const smr_data *data, smr_fit_report *report, smr_stage **stages,
                          int64_t *n);

/* The same for a stream: begins the steps in place of fitting them.  like: features, task, outputs,
 * classes and gaps as the rows to come will have them; no rows are read. */
smr_status smr_stages_begin(smr_ctx *ctx, const smr_spec *spec, const smr_feature *in,
                            const smr_data *like, smr_stage **stages, int64_t *n);

/* Loading, in two steps.  Stages of a sentence whose states are still to be read: */
smr_status smr_stages_load(smr_ctx *ctx, const smr_spec *spec, smr_stage **stages, int64_t *n);
/* and then: checks and prepares every state, members first, and fills features, n_in and n_out. */
smr_status smr_stages_link(smr_ctx *ctx, smr_stage *stages, int64_t n, const smr_feature *in,
                           const smr_shape *shape);

/* The same checks of stages that are linked: before they are saved, and of what was learned from a
 * stream. */
smr_status smr_stages_check(smr_ctx *ctx, const smr_stage *stages, int64_t n, const smr_feature *in,
                            const smr_shape *shape);

/* Releases stages with all they own: parameters, states, feature names. */
void smr_stages_free(smr_stage *stages, int64_t n);

/* Fails where a learner cannot learn from a stream, naming those that can. */
smr_status smr_check_stream(smr_ctx *ctx, const smr_learner *learner);

#endif
