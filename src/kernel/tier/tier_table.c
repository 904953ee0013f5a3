/* tier_table.c -- this tier's function table; the highest tier has a second one for its
 * extension. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define ENTRY(result, name, arguments) .name = TIER(name),

extern const struct smr_kernels TIER(kernels);
const struct smr_kernels TIER(kernels) = {SMR_KERNEL_LIST(ENTRY)};

#ifdef SIMD_AVX512
void TIER(product_vnni)(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                        const void *panels, int32_t *C, int64_t ldc);

extern const struct smr_kernels TIER(kernels_vnni);
const struct smr_kernels TIER(kernels_vnni) = {.product_u8 = TIER(product_vnni),
                                               SMR_KERNEL_REST(ENTRY)};
#endif
