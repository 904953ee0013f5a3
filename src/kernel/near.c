/* near.c -- chooses the tier of near.h. */
#include "kernel/near.h"

#include "kernel/kernel.h"

#include <string.h>

extern const smr_near_kernels smr_near_base;
#if defined(__x86_64__)
extern const smr_near_kernels smr_near_v3, smr_near_v4;
#endif

const smr_near_kernels *smr_near(void)
{
#if defined(__x86_64__)
    const char *tier = smr_kernel_tier();
    if (strncmp(tier, "x86-64-v4", 9) == 0) return &smr_near_v4;
    if (strncmp(tier, "x86-64-v3", 9) == 0) return &smr_near_v3;
#endif
    return &smr_near_base;
}
