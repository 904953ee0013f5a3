/* registry.h -- every learner and transform, by name. */
#ifndef SMR_LEARN_REGISTRY_H
#define SMR_LEARN_REGISTRY_H

#include "core/synonyms.h"
#include "learn/learner.h"

/* All descriptors, sorted by name; *n receives their number. */
const smr_learner *const *smr_registry(int64_t *n);
/* By name, or NULL. */
const smr_learner *smr_registry_find(const char *name);
/* The transform that meets a need of the stage after it; the contract suite finds one for each. */
const smr_learner *smr_registry_adapter(smr_need need);
/* The learner with this trait (SMR_PLAIN, SMR_LEAST_SQUARES) that does the task; the contract suite
 * finds exactly one of each.  Its primary parameter, if it has one, is the weight of the penalty
 * 1/2 |w|^2. */
const smr_learner *smr_registry_trait(smr_task task, unsigned trait);
/* The learner that others call `name` (core/synonyms.h); false: none that is known. */
bool smr_learner_called(const char *name, char out[SMR_SYNONYM_MAX]);
/* By name, or a failure that suggests the nearest one. */
smr_status smr_registry_get(smr_ctx *ctx, const char *name, const smr_learner **out);

#endif
