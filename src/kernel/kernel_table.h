/* kernel_table.h -- the function table of a tier, and the one list of kernels that it is made
 * from. */
#ifndef SMR_KERNEL_TABLE_H
#define SMR_KERNEL_TABLE_H

#include "kernel/alike.h"
#include "kernel/chain_kernels.h"
#include "kernel/cluster_kernels.h"
#include "kernel/kernel.h"
#include "kernel/net_kernels.h"
#include "kernel/qr_kernels.h"
#include "kernel/smo_kernels.h"
#include "kernel/window_kernels.h"

/* X(result, name, arguments) for each kernel that exists once per tier. */
#define SMR_KERNEL_LIST(X)   \
    SMR_KERNEL_PRODUCT_U8(X) \
    SMR_KERNEL_REST(X)

/* This one has a version of its own where the processor multiplies bytes. */
#define SMR_KERNEL_PRODUCT_U8(X)                                                           \
    X(void, product_u8,                                                                    \
      (int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda, const void *panels, \
       int32_t *C, int64_t ldc))

#define SMR_KERNEL_REST(X)                                                                         \
    SMR_KERNEL_ALIKE(X)                                                                            \
    SMR_KERNEL_NETS(X)                                                                             \
    SMR_KERNEL_CLUSTERS(X)                                                                         \
    SMR_KERNEL_CHAINS(X)                                                                           \
    SMR_KERNEL_WINDOWS(X)                                                                          \
    X(double, dot_f64, (int64_t n, const double *x, const double *y))                              \
    X(float, dot_f32, (int64_t n, const float *x, const float *y))                                 \
    X(void, axpy_f64, (int64_t n, double a, const double *x, double *y))                           \
    X(void, axpy_f32, (int64_t n, float a, const float *x, float *y))                              \
    X(double, sum_f64, (int64_t n, const double *x))                                               \
    X(double, sumsq_f64, (int64_t n, const double *x, double shift))                               \
    X(void, cross_f64,                                                                             \
      (int64_t n, const double *x, const smr_origin *of_x, const double *y,                        \
       const smr_origin *of_y, const double *w, double sum[2]))                                    \
    X(void, crosses_f64,                                                                           \
      (int64_t n, const double *x, const smr_origin *of_x, const double *y,                        \
       const smr_origin *of_y, const double *w, double sums[6]))                                   \
    X(void, span_f64, (int64_t n, const double *x, double scale, double span[4]))                  \
    X(void, powers_f64, (int64_t n, const double *x, const smr_origin *of_x, double sums[4]))      \
    X(void, products_f64,                                                                          \
      (int64_t n, const double *x, const smr_origin *of_x, const double *y,                        \
       const smr_origin *of_y, double sum[2]))                                                     \
    X(void, bins_f64,                                                                              \
      (int64_t n, const double *x, int64_t n_cuts, const double *cuts, int32_t *code))             \
    X(double, l2sq_f64, (int64_t n, const double *x, const double *y))                             \
    X(float, l2sq_f32, (int64_t n, const float *x, const float *y))                                \
    X(double, l2sq_f32_wide, (int64_t n, const float *x, const float *y))                          \
    X(double, l2sq_f32_f64, (int64_t n, const float *x, const double *y))                          \
    X(double, l1_f64, (int64_t n, const double *x, const double *y))                               \
    X(double, linf_f64, (int64_t n, const double *x, const double *y))                             \
    X(double, lp_f64, (int64_t n, const double *x, const double *y, double p))                     \
    X(int64_t, l2sq_u8, (int64_t n, const uint8_t *x, const uint8_t *y))                           \
    X(void, product_f64,                                                                           \
      (int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const void *panels,          \
       double *C, int64_t ldc))                                                                    \
    X(void, product_f32,                                                                           \
      (int64_t m, int64_t n, int64_t k, const float *A, int64_t lda, const void *panels, float *C, \
       int64_t ldc))                                                                               \
    X(void, product_add_f64,                                                                       \
      (int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const void *panels,          \
       double *C, int64_t ldc))                                                                    \
    X(void, product_add_f32,                                                                       \
      (int64_t m, int64_t n, int64_t k, const float *A, int64_t lda, const void *panels, float *C, \
       int64_t ldc))                                                                               \
    X(void, solve_f64,                                                                             \
      (int64_t n, const double *minus, int64_t ld, const double *diagonal, double *panel))         \
    X(void, solve_f32,                                                                             \
      (int64_t n, const float *minus, int64_t ld, const float *diagonal, float *panel))            \
    X(void, gram_f64,                                                                              \
      (int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg, void *work,     \
       const smr_ahead *next))                                                                     \
    X(void, rows_times_f64,                                                                        \
      (int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx, const double *W,             \
       int64_t ldw, double *out))                                                                  \
    X(void, rows_add_f64,                                                                          \
      (int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx, const double *R, double *G,  \
       int64_t ldg))                                                                               \
    X(void, rows_scale_f64,                                                                        \
      (int64_t m, int64_t d, const double *X, int64_t ldx, const double *by, double *Z,            \
       int64_t ldz))                                                                               \
    X(bool, extremes_f64,                                                                          \
      (int64_t n, int64_t d, const double *X, int64_t ldx, double *least, double *greatest))       \
    X(void, reflect_f64,                                                                           \
      (int64_t m, int64_t n, double scale, double *x, const double *f, double *A, int64_t lda,     \
       double *dots))                                                                              \
    X(void, spread_f64,                                                                            \
      (int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx, const smr_spread *of,        \
       double *out))                                                                               \
    X(void, whitened_f64,                                                                          \
      (int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean, const double *W,    \
       int64_t ldw, double *out, int64_t step))                                                    \
    X(void, class_sums_f64,                                                                        \
      (int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *label,                   \
       const double *weight, const smr_class_sums *to))                                            \
    X(void, mix_shares_f64,                                                                        \
      (int64_t n, int64_t width, const double *weight, double faint, double *p, double *total))    \
    X(void, mix_sums_f64,                                                                          \
      (int64_t n, int64_t d, const double *X, int64_t ldx, const double *p, int64_t width,         \
       const smr_class_sums *to))                                                                  \
    X(void, symv_lower_f64,                                                                        \
      (int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda, const double *x,           \
       double *y))                                                                                 \
    X(void, rotate_f64,                                                                            \
      (int64_t m, int64_t k, const double *c, const double *s, double *A, int64_t lda))            \
    X(void, secular_sums_f64,                                                                      \
      (int64_t n, const double *w, const double *away, double tau, double *out))                   \
    X(double, secular_factors_f64,                                                                 \
      (bool squared, int64_t n, double at, const double *from, const double *tau,                  \
       const double *pole))                                                                        \
    X(void, entries_times_f64,                                                                     \
      (int64_t n, const int32_t *column, const double *value, int64_t k, const double *W,          \
       int64_t ldw, double *out))                                                                  \
    X(void, entries_add_f64,                                                                       \
      (int64_t n, const int32_t *column, const double *value, int64_t k, const double *r,          \
       double *G, int64_t ldg))                                                                    \
    X(int64_t, whole_f64, (int64_t n, const double *x, int32_t *out))                              \
    X(void, entries_pick_u8,                                                                       \
      (int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q, int64_t ldq,      \
       uint32_t *out))                                                                             \
    X(int64_t, squeeze_f64, (int64_t d, const double *x, int32_t *column, double *value))          \
    X(int64_t, squeeze_f32, (int64_t d, const float *x, int32_t *column, double *value))           \
    X(int64_t, squeeze_u8, (int64_t d, const uint8_t *x, int32_t *column, double *value))          \
    X(int64_t, gini_sweep,                                                                         \
      (int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width, const double *total,       \
       double least, double *best))                                                                \
    X(int64_t, thin_sweep,                                                                         \
      (const smr_thin *node, int64_t n, const uint8_t *cell, uint16_t *counts, double *best))      \
    X(int64_t, thin_list, (int64_t n, uint8_t * seen, uint8_t * list))                             \
    X(int64_t, thin_few,                                                                           \
      (const smr_thin *node, int64_t n, const uint8_t *column, const uint32_t *id,                 \
       const uint16_t(*row)[SMR_THIN_CLASSES], uint8_t *cut, double *best))                        \
    X(float, gini_cuts,                                                                            \
      (int64_t m, const uint32_t *entry, int64_t n, int64_t least, const int32_t *total,           \
       smr_cuts *cuts))                                                                            \
    X(void, shift_rows,                                                                            \
      (int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by, double *Z,      \
       int64_t ldz))                                                                               \
    X(void, shift_tile,                                                                            \
      (int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by, double *tile))  \
    X(void, qr_absorb, (int64_t d, double *R, double *tile, const double *from, int64_t n_from))   \
    X(void, residual_tile,                                                                         \
      (int64_t d, const double *X, const double *y, const double *weight, const double *w_high,    \
       const double *w_low, double *sums))                                                         \
    X(void, floats_add_f64,                                                                        \
      (int64_t n, int64_t k, const double *a, const float *const *row, double *y))                 \
    X(int64_t, smo_first, (int64_t n, const double *v, const double *bar))                         \
    X(int64_t, smo_second,                                                                         \
      (int64_t n, const smr_smo_one *one, const double *curvature, const double *v,                \
       const double *bar, double *least))                                                          \
    X(void, smo_move, (int64_t n, double by, const float *a, const float *b, double *v))           \
    X(double, exp, (double x))                                                                     \
    X(double, log, (double x))                                                                     \
    X(double, log1p, (double x))                                                                   \
    X(double, expm1, (double x))                                                                   \
    X(double, pow, (double x, double y))                                                           \
    X(double, tanh, (double x))                                                                    \
    X(void, exp_f64, (int64_t n, const double *x, double *y))                                      \
    X(void, log_f64, (int64_t n, const double *x, double *y))                                      \
    X(void, logistic_f64,                                                                          \
      (int64_t n, const double *y, const double *f, double *value, double *slope,                  \
       double *curvature))

#define SMR_KERNEL_FIELD(result, name, arguments) result(*name) arguments;
struct smr_kernels {
    SMR_KERNEL_LIST(SMR_KERNEL_FIELD)
};

/* Those of the tier that runs. */
const struct smr_kernels *smr_kernels_chosen(void);

/* Layouts that packing (kernel/pack.c) and every tier agree on: a panel holds 128 bytes of B for
 * each step of k, so a panel is as wide as two vectors of AVX-512. */
enum {
    SMR_PANEL_F64 = 16,
    SMR_PANEL_F32 = 32,
    SMR_PANEL_U8 = 32, /* columns; a step is SMR_STEP_U8 bytes of each */
    SMR_STEP_U8 = 4,
    SMR_PRODUCT_PITCH = 3136, /* bytes from a row of A to the next that the widest tier reads in
                                 place: the distance in its copies (product_float.inl) */
    SMR_GRAM_ROWS = 256,      /* rows of X copied to `work` at a time */
    SMR_GRAM_GROUP = 8        /* columns that the copy keeps together */
};

#endif
