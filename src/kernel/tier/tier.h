/* tier.h -- names of this tier's kernels: TIER(dot_f64) is smr_v4_dot_f64 where SMR_TIER is v4. */
#ifndef SMR_KERNEL_TIER_TIER_H
#define SMR_KERNEL_TIER_TIER_H

#include "kernel/kernel_table.h"

#define SMR_TIER_PASTE(tier, name) smr_##tier##_##name
#define SMR_TIER_EXPAND(tier, name) SMR_TIER_PASTE(tier, name)
#define TIER(name) SMR_TIER_EXPAND(SMR_TIER, name)

#define SMR_TIER_DECLARE(result, name, arguments) result TIER(name) arguments;
SMR_KERNEL_LIST(SMR_TIER_DECLARE)
#undef SMR_TIER_DECLARE

#endif
