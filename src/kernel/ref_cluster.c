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

void smr_ref_least_of_panels_f32(int64_t k, int64_t n, int64_t steps, const float *A,
                                 const void *panels, const smr_two_least *to)
{
    for (int64_t i = 0; i < n; i++) {
        const float *b =
            (const float *)panels + i / SMR_PANEL_F32 * SMR_PANEL_F32 * steps + i % SMR_PANEL_F32;
        to->least[i] = to->second[i] = INFINITY;
        to->at[i] = 0;
        for (int64_t c = 0; c < k; c++) {
            float key = 0;
            for (int64_t t = 0; t < steps; t++)
                key = fmaf(A[c * steps + t], b[t * SMR_PANEL_F32], key);
            if (key < to->least[i]) {
                to->second[i] = to->least[i];
                to->least[i] = key;
                to->at[i] = (int32_t)c;
            } else if (key < to->second[i]) {
                to->second[i] = key;
            }
        }
    }
}

int64_t smr_ref_close_keys_f32(int64_t n, const smr_two_least *of, const float *square, float share,
                               float rest, int64_t *list)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        float within = share * square[i];
        within += rest;
        if (of->second[i] - of->least[i] <= within) list[m++] = i;
    }
    return m;
}

int64_t smr_ref_unlike_i32(int64_t n, const int32_t *a, const int32_t *b, int64_t *list)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (a[i] != b[i]) list[m++] = i;
    return m;
}

void smr_ref_l2sq_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *which,
                           const double *C, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = smr_ref_l2sq_f64(d, X + i * ldx, C + (which ? which[i] : 0) * d);
}

void smr_ref_l2sq_rows_f32(int64_t n, int64_t d, const float *X, int64_t ldx, const int32_t *which,
                           const double *C, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = smr_ref_l2sq_f32_f64(d, X + i * ldx, C + (which ? which[i] : 0) * d);
}

#define NEAR(name, type)                                                                    \
    void smr_ref_##name(int64_t n, const type *x, double low, double unit, uint8_t *to)     \
    {                                                                                       \
        for (int64_t j = 0; j < n; j++) to[j] = (uint8_t)rint(((double)x[j] - low) * unit); \
    }

NEAR(bytes_near_f64, double)
NEAR(bytes_near_f32, float)

bool smr_ref_extremes_f32(int64_t n, int64_t d, const float *X, int64_t ldx, float *least,
                          float *greatest)
{
    bool finite = true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            float x = X[i * ldx + j];
            finite &= isfinite(x) != 0;
            if (x < least[j]) least[j] = x;
            if (x > greatest[j]) greatest[j] = x;
        }
    return finite;
}

/* Eight sums, as a vector of the widest tier has them. */
#define BYTES(name, type)                                                               \
    bool smr_ref_##name(int64_t n, const type *x, double low, double unit, uint8_t *to, \
                        double *off)                                                    \
    {                                                                                   \
        double sum[8] = {0};                                                            \
        for (int64_t j = 0; j < n; j++) {                                               \
            double t = ((double)x[j] - low) * unit, whole = rint(t), far = t - whole;   \
            if (!(whole >= 0 && whole <= 255 && fabs(far) <= 0x1p-8)) return false;     \
            sum[j % 8] = fma(far, far, sum[j % 8]);                                     \
            to[j] = (uint8_t)whole;                                                     \
        }                                                                               \
        for (int half = 4; half > 0; half /= 2)                                         \
            for (int l = 0; l < half; l++) sum[l] += sum[l + half];                     \
        *off = sum[0];                                                                  \
        return true;                                                                    \
    }

BYTES(bytes_of_f64, double)
BYTES(bytes_of_f32, float)

#define PACK(name, type, real)                                                                     \
    void smr_ref_##name(int64_t n, const int64_t *list, int64_t d, const type *X, int64_t ldx,     \
                        const smr_from_mean *by, void *panels)                                     \
    {                                                                                              \
        enum { WIDTH = SMR_PANEL_F32 };                                                            \
        float *to = panels;                                                                        \
        for (int64_t i = 0; i < (n + WIDTH - 1) / WIDTH * WIDTH; i++)                              \
            for (int64_t j = 0; j <= d; j++) {                                                     \
                const type *x = i < n ? X + (list ? list[i] : i) * ldx : X;                        \
                real near = j < d ? x[j] - (real)by->shift[j] : 1;                                 \
                if (j < d) near *= (real)by->unit;                                                 \
                to[i / WIDTH * WIDTH * (d + 1) + j * WIDTH + i % WIDTH] = i < n ? (float)near : 0; \
            }                                                                                      \
    }

PACK(pack_near_f64, double, double)
PACK(pack_near_f32, float, float)

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
