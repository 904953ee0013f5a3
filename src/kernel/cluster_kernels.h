/* cluster_kernels.h -- inner loops of k-means: learn/cluster/kmeans.h.
 *
 * The nearest of k centres to n points, from keys that come centre after centre, and sums of rows
 * by cluster that are exact: whole numbers, so that no order of them can change a bit.
 *
 * All functions are serial and thread-safe, with the same bits on every CPU, compiler and thread
 * count. */
#ifndef SMR_KERNEL_CLUSTER_KERNELS_H
#define SMR_KERNEL_CLUSTER_KERNELS_H

#include "core/view.h"

/* Of point i the smallest key[c * ld + i], c < k, where it comes first, and the smallest of the
 * others (INFINITY for k = 1). */
typedef struct smr_two_least {
    float *least, *second;
    int32_t *at;
} smr_two_least;

void smr_two_least_f32(int64_t k, int64_t n, const float *key, int64_t ld, const smr_two_least *to);

/* The same of the keys that a product of A (k x steps) with n panelled rows gives, which are not
 * kept: each one chain over ascending steps. */
void smr_least_of_panels_f32(int64_t k, int64_t n, int64_t steps, const float *A,
                             const void *panels, const smr_two_least *to);

/* The points whose second key is within share square[i] + rest of the least, ascending; their
 * number. */
int64_t smr_close_keys_f32(int64_t n, const smr_two_least *of, const float *square, float share,
                           float rest, int64_t *list);
/* The i with a[i] != b[i], ascending; their number. */
int64_t smr_unlike_i32(int64_t n, const int32_t *a, const int32_t *b, int64_t *list);

/* key[i] = base - 2 high[i] - low[i] / 128, each operation rounded to float. */
void smr_byte_keys_f32(int64_t n, float base, const int32_t *high, const int32_t *low, float *key);

/* Panels (kernel.h: smr_panels_size_f32(n, d + 1)) of the rows list[i] of X, or of the first n
 * (NULL), each as floats (x_j - shift_j) unit and a 1 after them, rounded once from double; of
 * floats in floats, with shift and unit rounded to them.  Row r of X begins at X + r * ldx. */
typedef struct smr_from_mean {
    const double *shift;
    double unit;
} smr_from_mean;

void smr_pack_near_f64(int64_t n, const int64_t *list, int64_t d, const double *X, int64_t ldx,
                       const smr_from_mean *by, void *panels);
void smr_pack_near_f32(int64_t n, const int64_t *list, int64_t d, const float *X, int64_t ldx,
                       const smr_from_mean *by, void *panels);

/* out[i] = |x_i - c|^2, c row which[i] of C (d numbers each) or, which NULL, the first: the bits of
 * smr_l2sq_f64 and smr_l2sq_f32_f64. */
void smr_l2sq_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *which,
                       const double *C, double *out);
void smr_l2sq_rows_f32(int64_t n, int64_t d, const float *X, int64_t ldx, const int32_t *which,
                       const double *C, double *out);

/* to[j] = (x[j] - low) unit as the nearest whole number (a tie to even); *off: the sum of the
 * squared differences from it.  False, and to undefined: one is not in 0 ... 255, or too far from a
 * whole number, which is 2^-8. */
bool smr_bytes_of_f64(int64_t n, const double *x, double low, double unit, uint8_t *to,
                      double *off);
bool smr_bytes_of_f32(int64_t n, const float *x, double low, double unit, uint8_t *to, double *off);

/* The same numbers of rows that are known to be bytes. */
void smr_bytes_near_f64(int64_t n, const double *x, double low, double unit, uint8_t *to);
void smr_bytes_near_f32(int64_t n, const float *x, double low, double unit, uint8_t *to);

/* least[j] and greatest[j] take the values of column j in too; whether all are finite. */
bool smr_extremes_f32(int64_t n, int64_t d, const float *X, int64_t ldx, float *least,
                      float *greatest);

/* A row that leaves cluster `from` for cluster `to`; -1: none. */
typedef struct smr_row_move {
    int64_t row;
    int32_t from, to;
} smr_row_move;

/* What a row adds to a sum: (x_j - shift_j) scale_j weight as a whole number, the nearest one (a
 * tie to even), which must be less than 2^51 from 0.  weight NULL: 1. */
typedef struct smr_fixed_point {
    const double *shift, *scale, *weight;
} smr_fixed_point;

/* Row `row` of X begins at X + row * ldx; sum: clusters x d. */
void smr_move_rows_f64(int64_t n, const smr_row_move *move, int64_t d, const double *X, int64_t ldx,
                       const smr_fixed_point *by, int64_t *sum);
void smr_move_rows_f32(int64_t n, const smr_row_move *move, int64_t d, const float *X, int64_t ldx,
                       const smr_fixed_point *by, int64_t *sum);
void smr_move_rows_u8(int64_t n, const smr_row_move *move, int64_t d, const uint8_t *X, int64_t ldx,
                      const smr_fixed_point *by, int64_t *sum);

/* X(result, name, arguments) of these, for kernel_table.h. */
#define SMR_KERNEL_CLUSTERS(X)                                                                    \
    X(void, two_least_f32,                                                                        \
      (int64_t k, int64_t n, const float *key, int64_t ld, const smr_two_least *to))              \
    X(void, least_of_panels_f32,                                                                  \
      (int64_t k, int64_t n, int64_t steps, const float *A, const void *panels,                   \
       const smr_two_least *to))                                                                  \
    X(int64_t, close_keys_f32,                                                                    \
      (int64_t n, const smr_two_least *of, const float *square, float share, float rest,          \
       int64_t *list))                                                                            \
    X(int64_t, unlike_i32, (int64_t n, const int32_t *a, const int32_t *b, int64_t *list))        \
    X(void, l2sq_rows_f64,                                                                        \
      (int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *which, const double *C, \
       double *out))                                                                              \
    X(void, l2sq_rows_f32,                                                                        \
      (int64_t n, int64_t d, const float *X, int64_t ldx, const int32_t *which, const double *C,  \
       double *out))                                                                              \
    X(bool, bytes_of_f64,                                                                         \
      (int64_t n, const double *x, double low, double unit, uint8_t *to, double *off))            \
    X(bool, bytes_of_f32,                                                                         \
      (int64_t n, const float *x, double low, double unit, uint8_t *to, double *off))             \
    X(bool, extremes_f32,                                                                         \
      (int64_t n, int64_t d, const float *X, int64_t ldx, float *least, float *greatest))         \
    X(void, bytes_near_f64, (int64_t n, const double *x, double low, double unit, uint8_t *to))   \
    X(void, bytes_near_f32, (int64_t n, const float *x, double low, double unit, uint8_t *to))    \
    X(void, byte_keys_f32,                                                                        \
      (int64_t n, float base, const int32_t *high, const int32_t *low, float *key))               \
    X(void, pack_near_f64,                                                                        \
      (int64_t n, const int64_t *list, int64_t d, const double *X, int64_t ldx,                   \
       const smr_from_mean *by, void *panels))                                                    \
    X(void, pack_near_f32,                                                                        \
      (int64_t n, const int64_t *list, int64_t d, const float *X, int64_t ldx,                    \
       const smr_from_mean *by, void *panels))                                                    \
    X(void, move_rows_f64,                                                                        \
      (int64_t n, const smr_row_move *move, int64_t d, const double *X, int64_t ldx,              \
       const smr_fixed_point *by, int64_t *sum))                                                  \
    X(void, move_rows_f32,                                                                        \
      (int64_t n, const smr_row_move *move, int64_t d, const float *X, int64_t ldx,               \
       const smr_fixed_point *by, int64_t *sum))                                                  \
    X(void, move_rows_u8,                                                                         \
      (int64_t n, const smr_row_move *move, int64_t d, const uint8_t *X, int64_t ldx,             \
       const smr_fixed_point *by, int64_t *sum))

#endif
