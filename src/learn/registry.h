/* registry.h -- every learner and transform, by name. */
#ifndef SMR_LEARN_REGISTRY_H
#define SMR_LEARN_REGISTRY_H

#include "learn/learner.h"

/* All descriptors, sorted by name; *n receives their number. */
const smr_learner *const *smr_registry(int64_t *n);
/* By name, or NULL. */
const smr_learner *smr_registry_find(const char *name);
/* The transform that meets a need of the stage after it; the contract suite finds one for each. */
const smr_learner *smr_registry_adapter(smr_need need);
/* By name, or a failure that suggests the nearest one. */
smr_status smr_registry_get(smr_ctx *ctx, const char *name, const smr_learner **out);

#endif
