/* alike.h -- how alike rows are: the inner loops of kernel machines, with the same bits on every
 * tier, as kernel.h says. */
#ifndef SMR_KERNEL_ALIKE_H
#define SMR_KERNEL_ALIKE_H

#include <stdint.h>

/* Elementwise e^x in float, within 1.5 units of the last place; x and y may be the same array. */
void smr_exp_f32(int64_t n, const float *x, float *y);
/* t_i = exp(-gamma max(0, a + b_i - 2 t_i)): a = |u|^2, b_i = |v_i|^2 and t_i = u v_i become the
 * Gaussian kernel. */
void smr_rbf_f32(int64_t n, float gamma, float a, const float *b, float *t);
void smr_rbf_f64(int64_t n, double gamma, double a, const double *b, double *t);
/* sum |x - y| and sum (x - y)^2 / (x + y), 0 where x + y = 0; 16 lanes. */
float smr_l1_sum_f32(int64_t n, const float *x, const float *y);
double smr_l1_sum_f64(int64_t n, const double *x, const double *y);
float smr_chi2_sum_f32(int64_t n, const float *x, const float *y);
double smr_chi2_sum_f64(int64_t n, const double *x, const double *y);
/* out[l] = the chain over the n entries of value * panel[16 column + l], l < 16: a sparse row
 * against 16 rows at once, with the bits of the product of dense ones. */
void smr_entries_panel_f32(int64_t n, const int32_t *column, const float *value, const float *panel,
                           float *out);
void smr_entries_panel_f64(int64_t n, const int32_t *column, const double *value,
                           const double *panel, double *out);
/* Sparse rows: the entries of row i are start[i] .. start[i + 1] - 1, their columns ascending. */
typedef struct smr_entry_rows {
    int64_t m;
    const int64_t *start; /* m + 1 */
    const int32_t *column;
    const void *value; /* float or double */
} smr_entry_rows;

/* C[i * ldc + j] = A_i B_j, i < A->m, j < n: the rows of B have k numbers and lie in panels
 * (kernel.h); with the bits of the product of dense rows. */
void smr_entries_product_f32(const smr_entry_rows *A, int64_t n, int64_t k, const void *panels,
                             float *C, int64_t ldc);
void smr_entries_product_f64(const smr_entry_rows *A, int64_t n, int64_t k, const void *panels,
                             double *C, int64_t ldc);
/* sum x^2, one chain: the bits that the product of x with itself has. */
float smr_square_chain_f32(int64_t n, const float *x);
double smr_square_chain_f64(int64_t n, const double *x);

/* Eight pairs of strings: symbol a of the first of pair l is outer[8 a + l], as a number; strings
 * that are shorter go on with symbols that occur in no other string of their pair.  work has
 * n_inner (length - 1) 8 numbers. */
enum { SMR_SUBSEQUENCE_LANES = 8, SMR_SUBSEQUENCE_MOST = 64 };

typedef struct smr_string_pairs {
    int64_t n_outer, n_inner;
    const double *outer, *inner;
    double *work;
} smr_string_pairs;

/* total[l] = the sum over common subsequences of 1 <= length <= 64 symbols of decay^(span in both -
 * 2 length), l < 8. */
void smr_subsequences_f64(int64_t length, double decay, const smr_string_pairs *pairs,
                          double *total);

/* X(result, name, arguments) of these, for kernel_table.h. */
#define SMR_KERNEL_ALIKE(X)                                                                        \
    X(void, exp_f32, (int64_t n, const float *x, float *y))                                        \
    X(void, rbf_f32, (int64_t n, float gamma, float a, const float *b, float *t))                  \
    X(void, rbf_f64, (int64_t n, double gamma, double a, const double *b, double *t))              \
    X(float, l1_sum_f32, (int64_t n, const float *x, const float *y))                              \
    X(double, l1_sum_f64, (int64_t n, const double *x, const double *y))                           \
    X(float, chi2_sum_f32, (int64_t n, const float *x, const float *y))                            \
    X(double, chi2_sum_f64, (int64_t n, const double *x, const double *y))                         \
    X(void, entries_panel_f32,                                                                     \
      (int64_t n, const int32_t *column, const float *value, const float *panel, float *out))      \
    X(void, entries_panel_f64,                                                                     \
      (int64_t n, const int32_t *column, const double *value, const double *panel, double *out))   \
    X(void, entries_product_f32,                                                                   \
      (const smr_entry_rows *A, int64_t n, int64_t k, const void *panels, float *C, int64_t ldc))  \
    X(void, entries_product_f64,                                                                   \
      (const smr_entry_rows *A, int64_t n, int64_t k, const void *panels, double *C, int64_t ldc)) \
    X(float, square_chain_f32, (int64_t n, const float *x))                                        \
    X(double, square_chain_f64, (int64_t n, const double *x))                                      \
    X(void, subsequences_f64,                                                                      \
      (int64_t length, double decay, const smr_string_pairs *pairs, double *total))

#endif
