/* ref_cluster.c -- the plain forms of kernel/cluster_kernels.h: see ref.h. */
#include "kernel/kernel_table.h"
#include "kernel/ref.h"

#include <math.h>

void smr_ref_two_least_f32(int64_t k, int64_t n, const float *key, int64_t ld,
                           const smr_two_least *to)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int64_t c = 1; c < k; c++)
            if (key[c * ld + i] < key[at * ld + i]) at = c;
        to->at[i] = (int32_t)at;
        to->least[i] = key[at * ld + i];
        to->second[i] = INFINITY;
        for (int64_t c = 0; c < k; c++)
            if (c != at && key[c * ld + i] < to->second[i]) to->second[i] = key[c * ld + i];
    }
}

void smr_ref_byte_keys_f32(int64_t n, float base, const int32_t *high, const int32_t *low,
                           float *key)
{
    for (int64_t i = 0; i < n; i++) {
        float above = base - 2 * (float)high[i];
        key[i] = above - (float)low[i] / 128;
    }
}

#define PACK(name, type)                                                                          \
    void smr_ref_##name(int64_t n, const int64_t *list, int64_t d, const type *X, int64_t ldx,    \
                        const smr_from_mean *by, void *panels)                                    \
    {                                                                                             \
        enum { WIDTH = SMR_PANEL_F32 };                                                           \
        float *to = panels;                                                                       \
        for (int64_t i = 0; i < (n + WIDTH - 1) / WIDTH * WIDTH; i++)                             \
            for (int64_t j = 0; j <= d; j++) {                                                    \
                const type *x = i < n ? X + (list ? list[i] : i) * ldx : X;                       \
                double value = i >= n ? 0 : j < d ? ((double)x[j] - by->shift[j]) * by->unit : 1; \
                to[i / WIDTH * WIDTH * (d + 1) + j * WIDTH + i % WIDTH] = (float)value;           \
            }                                                                                     \
    }

PACK(pack_near_f64, double)
PACK(pack_near_f32, float)

#define MOVE(name, type)                                                                     \
    void smr_ref_##name(int64_t n, const smr_row_move *move, int64_t d, const type *X,       \
                        int64_t ldx, const smr_fixed_point *by, int64_t *sum)                \
    {                                                                                        \
        for (int64_t e = 0; e < n; e++)                                                      \
            for (int64_t j = 0; j < d; j++) {                                                \
                double x = ((double)X[move[e].row * ldx + j] - by->shift[j]) * by->scale[j]; \
                int64_t whole = (int64_t)rint(by->weight ? x * by->weight[move[e].row] : x); \
                if (move[e].to >= 0) sum[move[e].to * d + j] += whole;                       \
                if (move[e].from >= 0) sum[move[e].from * d + j] -= whole;                   \
            }                                                                                \
    }

MOVE(move_rows_f64, double)
MOVE(move_rows_f32, float)
MOVE(move_rows_u8, uint8_t)
