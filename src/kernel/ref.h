/* ref.h -- every kernel in its plainest form: what the tiers must reproduce bit for bit.
 *
 * Kept for tests and for the benchmark; nothing else calls them.  The elementary functions have no
 * plain form of their own: they are compared with long double. */
#ifndef SMR_KERNEL_REF_H
#define SMR_KERNEL_REF_H

#include "kernel/alike.h"
#include "kernel/chain_kernels.h"
#include "kernel/cluster_kernels.h"
#include "kernel/kernel.h"
#include "kernel/qr_kernels.h"
#include "kernel/smo_kernels.h"
#include "kernel/window_kernels.h"

#include <stdbool.h>

double smr_ref_dot_f64(int64_t n, const double *x, const double *y);
float smr_ref_dot_f32(int64_t n, const float *x, const float *y);
void smr_ref_axpy_f64(int64_t n, double a, const double *x, double *y);
void smr_ref_axpy_f32(int64_t n, float a, const float *x, float *y);
double smr_ref_sum_f64(int64_t n, const double *x);
void smr_ref_cross_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                       const smr_origin *of_y, const double *w, double sum[2]);
void smr_ref_span_f64(int64_t n, const double *x, double scale, double span[4]);
void smr_ref_powers_f64(int64_t n, const double *x, const smr_origin *of_x, double sums[4]);
void smr_ref_products_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                          const smr_origin *of_y, double sum[2]);
void smr_ref_bins_f64(int64_t n, const double *x, int64_t n_cuts, const double *cuts,
                      int32_t *code);
double smr_ref_sumsq_f64(int64_t n, const double *x, double shift);
double smr_ref_l2sq_f64(int64_t n, const double *x, const double *y);
float smr_ref_l2sq_f32(int64_t n, const float *x, const float *y);
double smr_ref_l2sq_f32_wide(int64_t n, const float *x, const float *y);
double smr_ref_l2sq_f32_f64(int64_t n, const float *x, const double *y);
double smr_ref_l1_f64(int64_t n, const double *x, const double *y);
double smr_ref_linf_f64(int64_t n, const double *x, const double *y);
/* Powers are those of smr_pow. */
double smr_ref_lp_f64(int64_t n, const double *x, const double *y, double p);
int64_t smr_ref_l2sq_u8(int64_t n, const uint8_t *x, const uint8_t *y);

/* B is n x k, row-major with ldb, not packed. */
void smr_ref_product_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                         const double *B, int64_t ldb, double *C, int64_t ldc);
void smr_ref_product_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                         const float *B, int64_t ldb, float *C, int64_t ldc);
/* C += A B'. */
void smr_ref_product_add_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                             const double *B, int64_t ldb, double *C, int64_t ldc);
void smr_ref_product_add_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                             const float *B, int64_t ldb, float *C, int64_t ldc);
void smr_ref_solve_f64(int64_t n, const double *minus, int64_t ld, const double *diagonal,
                       double *panel);
void smr_ref_solve_f32(int64_t n, const float *minus, int64_t ld, const float *diagonal,
                       float *panel);
void smr_ref_product_u8(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                        const uint8_t *B, int64_t ldb, int32_t *C, int64_t ldc);
void smr_ref_rows_times_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                            const double *W, int64_t ldw, double *out);
void smr_ref_rows_add_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                          const double *R, double *G, int64_t ldg);
void smr_ref_spread_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                        const smr_spread *of, double *out);
void smr_ref_whitened_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean,
                          const double *W, int64_t ldw, double *out, int64_t step);
void smr_ref_class_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx,
                            const int32_t *label, const double *weight, const smr_class_sums *to);
void smr_ref_mix_shares_f64(int64_t n, int64_t width, const double *weight, double faint, double *p,
                            double *total);
void smr_ref_mix_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                          int64_t width, const smr_class_sums *to);
bool smr_ref_extremes_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *least,
                          double *greatest);
void smr_ref_reflect_f64(int64_t m, int64_t n, double scale, double *x, const double *f, double *A,
                         int64_t lda, double *dots);
void smr_ref_symv_lower_f64(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                            const double *x, double *y);
void smr_ref_rotate_f64(int64_t m, int64_t k, const double *c, const double *s, double *A,
                        int64_t lda);
void smr_ref_secular_sums_f64(int64_t n, const double *w, const double *away, double tau,
                              double *out);
double smr_ref_secular_factors_f64(bool squared, int64_t n, double at, const double *from,
                                   const double *tau, const double *pole);
void smr_ref_entries_times_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                               const double *W, int64_t ldw, double *out);
void smr_ref_entries_add_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                             const double *r, double *G, int64_t ldg);
int64_t smr_ref_whole_f64(int64_t n, const double *x, int32_t *out);
void smr_ref_entries_pick_u8(int64_t n, const int32_t *column, const int32_t *times,
                             const uint8_t *Q, int64_t ldq, uint32_t *out);
int64_t smr_ref_gini_sweep(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                           const double *total, double least, double *best);
void smr_ref_gram_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg);

/* Those of kernel/qr_kernels.h; tiles as there. */
void smr_ref_shift_tile(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                        double *tile);
void smr_ref_qr_absorb(int64_t d, double *R, double *tile);
void smr_ref_residual_tile(int64_t d, const double *X, const double *y, const double *weight,
                           const double *w_high, const double *w_low, double *sums);

void smr_ref_floats_add_f64(int64_t n, int64_t k, const double *a, const float *const *row,
                            double *y);
int64_t smr_ref_smo_first(int64_t n, const double *v, const double *bar);
int64_t smr_ref_smo_second(int64_t n, const smr_smo_one *one, const double *curvature,
                           const double *v, const double *bar, double *least);
void smr_ref_smo_move(int64_t n, double by, const float *a, const float *b, double *v);

/* Those of kernel/alike.h. */
float smr_ref_l1_sum_f32(int64_t n, const float *x, const float *y);
double smr_ref_l1_sum_f64(int64_t n, const double *x, const double *y);
float smr_ref_chi2_sum_f32(int64_t n, const float *x, const float *y);
double smr_ref_chi2_sum_f64(int64_t n, const double *x, const double *y);
void smr_ref_entries_panel_f32(int64_t n, const int32_t *column, const float *value,
                               const float *panel, float *out);
void smr_ref_entries_panel_f64(int64_t n, const int32_t *column, const double *value,
                               const double *panel, double *out);
float smr_ref_square_chain_f32(int64_t n, const float *x);
double smr_ref_square_chain_f64(int64_t n, const double *x);
void smr_ref_subsequences_f64(int64_t length, double decay, const smr_string_pairs *pairs,
                              double *total);

/* ---- chains of hidden states ---- */
int64_t smr_ref_chain_sum_f64(int64_t steps, const smr_chain *chain, const double *from,
                              double from_sum, double least);
int64_t smr_ref_chain_both_f64(int64_t steps, const smr_chain *a, const smr_chain *b,
                               const double *const from[2], const double from_sum[2], double least);
void smr_ref_normals_logs_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                              double *out);
/* exp is smr_exp. */
void smr_ref_normals_rows_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                              double *out, double *top);
void smr_ref_whites_rows_f64(int64_t n, const smr_whites *of, const double *X, int64_t ldx,
                             double *out, double *top);
int64_t smr_ref_weigh_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                               int64_t step, const double *mean, double *z);
void smr_ref_normals_moments_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                                 const double *p, double *sum, double *square);
void smr_ref_lanes_sum_f64(int64_t n, int64_t width, const double *p, double *sum);
void smr_ref_chain_max_f64(int64_t steps, const smr_chain *chain, const double *from);
void smr_ref_chain_trace_f64(int64_t steps, int64_t width, int64_t order, const double *table,
                             const double *score, int64_t state, int32_t *path);
int64_t smr_ref_chain_meet_f64(int64_t n, int64_t width, double weight, double least,
                               const double *next, double *a, const double *b, double *p);
void smr_ref_gauss_plain_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                             const double *scale, double c, double *out);
void smr_ref_gauss_full_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                            const double *scale, double c, double *out);

/* ---- sums of kernels over points ---- */
double smr_ref_window_sum_f64(smr_window kind, int64_t d, unsigned marked, const double *points,
                              const double *weight, const smr_window_at *at);
void smr_ref_window_squares_f64(bool by_largest, int64_t d, const double *points,
                                const smr_window_at *at, double *q);
void smr_ref_window_reach_f64(bool by_largest, int64_t d, const double *boxes,
                              const smr_window_at *at, double *least, double *largest);
void smr_ref_window_series_f64(const smr_window_series *series, int64_t order,
                               const smr_window_at *at, double *out);

/* ---- k-means ---- */
void smr_ref_two_least_f32(int64_t k, int64_t n, const float *key, int64_t ld,
                           const smr_two_least *to);
void smr_ref_least_of_panels_f32(int64_t k, int64_t n, int64_t steps, const float *A,
                                 const void *panels, const smr_two_least *to);
int64_t smr_ref_close_keys_f32(int64_t n, const smr_two_least *of, const float *square, float share,
                               float rest, int64_t *list);
int64_t smr_ref_unlike_i32(int64_t n, const int32_t *a, const int32_t *b, int64_t *list);
void smr_ref_l2sq_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *which,
                           const double *C, double *out);
void smr_ref_l2sq_rows_f32(int64_t n, int64_t d, const float *X, int64_t ldx, const int32_t *which,
                           const double *C, double *out);
bool smr_ref_bytes_of_f64(int64_t n, const double *x, double low, double unit, uint8_t *to,
                          double *off);
bool smr_ref_bytes_of_f32(int64_t n, const float *x, double low, double unit, uint8_t *to,
                          double *off);
void smr_ref_bytes_near_f64(int64_t n, const double *x, double low, double unit, uint8_t *to);
void smr_ref_bytes_near_f32(int64_t n, const float *x, double low, double unit, uint8_t *to);
bool smr_ref_extremes_f32(int64_t n, int64_t d, const float *X, int64_t ldx, float *least,
                          float *greatest);
void smr_ref_pack_near_f64(int64_t n, const int64_t *list, int64_t d, const double *X, int64_t ldx,
                           const smr_from_mean *by, void *panels);
void smr_ref_pack_near_f32(int64_t n, const int64_t *list, int64_t d, const float *X, int64_t ldx,
                           const smr_from_mean *by, void *panels);
void smr_ref_byte_keys_f32(int64_t n, float base, const int32_t *high, const int32_t *low,
                           float *key);
void smr_ref_move_rows_f64(int64_t n, const smr_row_move *move, int64_t d, const double *X,
                           int64_t ldx, const smr_fixed_point *by, int64_t *sum);
void smr_ref_move_rows_f32(int64_t n, const smr_row_move *move, int64_t d, const float *X,
                           int64_t ldx, const smr_fixed_point *by, int64_t *sum);
void smr_ref_move_rows_u8(int64_t n, const smr_row_move *move, int64_t d, const uint8_t *X,
                          int64_t ldx, const smr_fixed_point *by, int64_t *sum);

#endif
