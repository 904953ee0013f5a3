/* dispatch_clusters.c -- the kernels of clusters (cluster_kernels.h) in the tier that runs. */
#include "kernel/kernel_table.h"

void smr_two_least_f32(int64_t k, int64_t n, const float *key, int64_t ld, const smr_two_least *to)
{
    smr_kernels_chosen()->two_least_f32(k, n, key, ld, to);
}

void smr_least_of_panels_f32(int64_t k, int64_t n, int64_t steps, const float *A,
                             const void *panels, const smr_two_least *to)
{
    smr_kernels_chosen()->least_of_panels_f32(k, n, steps, A, panels, to);
}

int64_t smr_close_keys_f32(int64_t n, const smr_two_least *of, const float *square, float share,
                           float rest, int64_t *list)
{
    return smr_kernels_chosen()->close_keys_f32(n, of, square, share, rest, list);
}

int64_t smr_unlike_i32(int64_t n, const int32_t *a, const int32_t *b, int64_t *list)
{
    return smr_kernels_chosen()->unlike_i32(n, a, b, list);
}

void smr_l2sq_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *which,
                       const double *C, double *out)
{
    smr_kernels_chosen()->l2sq_rows_f64(n, d, X, ldx, which, C, out);
}

void smr_l2sq_rows_f32(int64_t n, int64_t d, const float *X, int64_t ldx, const int32_t *which,
                       const double *C, double *out)
{
    smr_kernels_chosen()->l2sq_rows_f32(n, d, X, ldx, which, C, out);
}

bool smr_bytes_of_f64(int64_t n, const double *x, double low, double unit, uint8_t *to, double *off)
{
    return smr_kernels_chosen()->bytes_of_f64(n, x, low, unit, to, off);
}

bool smr_bytes_of_f32(int64_t n, const float *x, double low, double unit, uint8_t *to, double *off)
{
    return smr_kernels_chosen()->bytes_of_f32(n, x, low, unit, to, off);
}

bool smr_extremes_f32(int64_t n, int64_t d, const float *X, int64_t ldx, float *least,
                      float *greatest)
{
    return smr_kernels_chosen()->extremes_f32(n, d, X, ldx, least, greatest);
}

void smr_bytes_near_f64(int64_t n, const double *x, double low, double unit, uint8_t *to)
{
    smr_kernels_chosen()->bytes_near_f64(n, x, low, unit, to);
}

void smr_bytes_near_f32(int64_t n, const float *x, double low, double unit, uint8_t *to)
{
    smr_kernels_chosen()->bytes_near_f32(n, x, low, unit, to);
}

void smr_byte_keys_f32(int64_t n, float base, const int32_t *high, const int32_t *low, float *key)
{
    smr_kernels_chosen()->byte_keys_f32(n, base, high, low, key);
}

void smr_pack_near_f64(int64_t n, const int64_t *list, int64_t d, const double *X, int64_t ldx,
                       const smr_from_mean *by, void *panels)
{
    smr_kernels_chosen()->pack_near_f64(n, list, d, X, ldx, by, panels);
}

void smr_pack_near_f32(int64_t n, const int64_t *list, int64_t d, const float *X, int64_t ldx,
                       const smr_from_mean *by, void *panels)
{
    smr_kernels_chosen()->pack_near_f32(n, list, d, X, ldx, by, panels);
}

void smr_move_rows_f64(int64_t n, const smr_row_move *move, int64_t d, const double *X, int64_t ldx,
                       const smr_fixed_point *by, int64_t *sum)
{
    smr_kernels_chosen()->move_rows_f64(n, move, d, X, ldx, by, sum);
}

void smr_move_rows_f32(int64_t n, const smr_row_move *move, int64_t d, const float *X, int64_t ldx,
                       const smr_fixed_point *by, int64_t *sum)
{
    smr_kernels_chosen()->move_rows_f32(n, move, d, X, ldx, by, sum);
}

void smr_move_rows_u8(int64_t n, const smr_row_move *move, int64_t d, const uint8_t *X, int64_t ldx,
                      const smr_fixed_point *by, int64_t *sum)
{
    smr_kernels_chosen()->move_rows_u8(n, move, d, X, ldx, by, sum);
}
