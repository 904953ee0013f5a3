/* pack.c -- rows of B into panels, the layout that every tier's product reads.
 *
 * A panel takes PANEL rows of B as its columns and keeps them k after k, 128 bytes per step:
 *
 *     f64, f32   panel[k][j]        = B[first + j][k]
 *     u8         panel[k / 4][j][k % 4] = B[first + j][k] - 128, as a signed byte
 *
 * Columns past n and bytes past k are zero.  Bytes are kept signed because the dot-product
 * instruction multiplies unsigned by signed; a product adds 128 times the sum of A's row back. */
#include "kernel/kernel_table.h"

#include <string.h>

static int64_t panel_count(int64_t n, int64_t width)
{
    return (n + width - 1) / width;
}

static int64_t step_count_u8(int64_t k)
{
    return (k + SMR_STEP_U8 - 1) / SMR_STEP_U8;
}

int64_t smr_panels_size_f64(int64_t n, int64_t k)
{
    return panel_count(n, SMR_PANEL_F64) * SMR_PANEL_F64 * k * (int64_t)sizeof(double);
}

int64_t smr_panels_size_f32(int64_t n, int64_t k)
{
    return panel_count(n, SMR_PANEL_F32) * SMR_PANEL_F32 * k * (int64_t)sizeof(float);
}

int64_t smr_panels_size_u8(int64_t n, int64_t k)
{
    return panel_count(n, SMR_PANEL_U8) * SMR_PANEL_U8 * SMR_STEP_U8 * step_count_u8(k);
}

/* The panels' bytes of k are filled 16 steps at a time: what is written stays in the first-level
 * cache while the rows of B are read in order. */
enum { STRIP = 16 };
_Static_assert(SMR_STEP_U8 == sizeof(uint32_t), "a step is a word");

#define real double
#define PANEL SMR_PANEL_F64
#define PACK smr_pack_f64
#define PACK_COLUMNS smr_pack_columns_f64
#define PACK_SOME pack_some_f64
#include "kernel/pack.inl"
#undef real
#undef PANEL
#undef PACK
#undef PACK_COLUMNS
#undef PACK_SOME

#define real float
#define PANEL SMR_PANEL_F32
#define PACK smr_pack_f32
#define PACK_COLUMNS smr_pack_columns_f32
#define PACK_SOME pack_some_f32
#include "kernel/pack.inl"
#undef real
#undef PANEL
#undef PACK
#undef PACK_COLUMNS
#undef PACK_SOME

void smr_pack_u8(int64_t n, int64_t k, const uint8_t *B, int64_t ldb, void *panels)
{
    int64_t n_steps = step_count_u8(k), step_size = SMR_PANEL_U8 * SMR_STEP_U8;
    memset(panels, 0, (size_t)smr_panels_size_u8(n, k));
    for (int64_t j = 0; j < n; j++) {
        const uint8_t *from = B + j * ldb;
        int8_t *to = (int8_t *)panels + j / SMR_PANEL_U8 * n_steps * step_size +
                     j % SMR_PANEL_U8 * SMR_STEP_U8;
        int64_t i = 0;
        for (; i + SMR_STEP_U8 <= k; i += SMR_STEP_U8) {
            uint32_t four;
            memcpy(&four, from + i, sizeof four);
            four ^= 0x80808080u; /* each less 128 */
            memcpy(to + i / SMR_STEP_U8 * step_size, &four, sizeof four);
        }
        for (; i < k; i++)
            to[i / SMR_STEP_U8 * step_size + i % SMR_STEP_U8] = (int8_t)(from[i] - 128);
    }
}
