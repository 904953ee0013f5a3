/* adapter.h -- transforms by the need they meet, for code that puts one before a learner. */
#ifndef SMR_LEARN_ADAPTER_H
#define SMR_LEARN_ADAPTER_H

#include "core/text.h"
#include "learn/spec.h"

/* The sentence of the transform that meets the need, set for what comes next; freed with
 * smr_spec_free. */
smr_status smr_adapter_make(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_spec **out);
/* Appends its sentence. */
smr_status smr_adapter_write(smr_ctx *ctx, smr_need need, const smr_tailor *next, smr_text *out);

#endif
