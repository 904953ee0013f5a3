/* kernel.h -- the inner loops, with the same bits on every CPU, compiler and thread count.
 *
 * Each function exists in tiers (baseline, x86-64-v3, x86-64-v4, arm64) that are compiled from one
 * source and chosen once through a function table.  What makes the bits equal:
 *   - reductions run in LANES fixed lanes and are folded in a fixed order (dot, sum, norms);
 *   - a product's every output is one chain of fused multiply-adds over ascending k, so neither
 *     blocking nor the position in a tile can change it;
 *   - nothing is contracted or reassociated by the compiler (-ffp-contract=off; fma is written).
 *   - only the sign and payload of a NaN are left open.
 * kernel/ref.h has every kernel in its plainest form; tests compare them bit for bit.
 * All functions are serial and thread-safe: callers cut the work (core/parallel.h). */
#ifndef SMR_KERNEL_KERNEL_H
#define SMR_KERNEL_KERNEL_H

#include "core/view.h"

/* "baseline", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni", "arm64": the tier in use.  It is the
 * highest that the processor has, unless SAMARA_TIER names another when the first kernel runs. */
const char *smr_kernel_tier(void);
/* For tests: uses another tier, by its name or short ("base", "v3", "v4", "vnni"); false if this
 * processor does not have it. */
bool smr_kernel_use(const char *tier);

/* ---- vectors ---- */
double smr_dot_f64(int64_t n, const double *x, const double *y);
float smr_dot_f32(int64_t n, const float *x, const float *y);
void smr_axpy_f64(int64_t n, double a, const double *x, double *y); /* y += a x */
void smr_axpy_f32(int64_t n, float a, const float *x, float *y);
double smr_sum_f64(int64_t n, const double *x);
double smr_sumsq_f64(int64_t n, const double *x, double shift); /* sum (x_i - shift)^2 */

/* What a value is measured from: x scale - hi - lo. */
typedef struct smr_origin {
    double scale, hi, lo;
} smr_origin;

/* sum += sum_i w_i x_i y_i of the values as measured, in two parts with twice the digits, one after
 * the other, however the rows are cut; w NULL: 1.  Rows of weight 0 are passed over. */
void smr_cross_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                   const smr_origin *of_y, const double *w, double sum[2]);
/* The sums of x x, y y and x y at once, two parts each: the same bits as of smr_cross_f64, in about
 * the time of one, since a chain waits for its own last step only. */
void smr_crosses_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                     const smr_origin *of_y, const double *w, double sums[6]);

/* ---- a column of numbers; sums are two parts with twice the digits, in 8 lanes ----
 * span: the sum of x scale, the least and the largest of n >= 1 values; NaN are passed over by the
 * last two, unless it is the first.  powers: the sums of the squares and cubes of the
 * values as measured.  products: of x y.  bins: code[i] = how many of the cuts are <= x[i]. */
void smr_span_f64(int64_t n, const double *x, double scale, double span[4]);
void smr_powers_f64(int64_t n, const double *x, const smr_origin *of_x, double sums[4]);
void smr_products_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                      const smr_origin *of_y, double sum[2]);
void smr_bins_f64(int64_t n, const double *x, int64_t n_cuts, const double *cuts, int32_t *code);

/* ---- distances between two rows, exact to rounding: no expansion of the square ---- */
double smr_l2sq_f64(int64_t n, const double *x, const double *y); /* sum (x-y)^2 */
float smr_l2sq_f32(int64_t n, const float *x, const float *y);
double smr_l2sq_f32_wide(int64_t n, const float *x, const float *y); /* floats, summed in double */
double smr_l2sq_f32_f64(int64_t n, const float *x, const double *y); /* as of x in double        */
double smr_l1_f64(int64_t n, const double *x, const double *y);
double smr_linf_f64(int64_t n, const double *x, const double *y); /* NaN if any difference is */
double smr_lp_f64(int64_t n, const double *x, const double *y, double p); /* sum |x-y|^p, p > 0 */
int64_t smr_l2sq_u8(int64_t n, const uint8_t *x, const uint8_t *y);

/* ---- products ----
 * Panels: the rows of B packed for the product kernel, smr_panels_size_*(n, k) bytes, aligned to
 * 64.  Packing once serves any number of products, on any tier.
 * C[i*ldc + j] = sum_k A[i*lda + k] B_j[k]. */
int64_t smr_panels_size_f64(int64_t n, int64_t k);
int64_t smr_panels_size_f32(int64_t n, int64_t k);
int64_t smr_panels_size_u8(int64_t n, int64_t k);
void smr_pack_f64(int64_t n, int64_t k, const double *B, int64_t ldb, void *panels);
void smr_pack_f32(int64_t n, int64_t k, const float *B, int64_t ldb, void *panels);
/* The same rows if B is kept by columns, entry (j, k) at B[j + k * ldb], times 1 or -1. */
void smr_pack_columns_f64(int64_t n, int64_t k, const double *B, int64_t ldb, double sign,
                          void *panels);
void smr_pack_columns_f32(int64_t n, int64_t k, const float *B, int64_t ldb, float sign,
                          void *panels);
void smr_pack_u8(int64_t n, int64_t k, const uint8_t *B, int64_t ldb, void *panels);
void smr_product_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                     const void *panels, double *C, int64_t ldc);
void smr_product_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                     const void *panels, float *C, int64_t ldc);
/* C += A B', every entry's chain continued from the value that C holds. */
void smr_product_add_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                         const void *panels, double *C, int64_t ldc);
void smr_product_add_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                         const void *panels, float *C, int64_t ldc);
/* Bytes give exact integers: k <= 33000. */
void smr_product_u8(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                    const void *panels, int32_t *C, int64_t ldc);

/* Forward substitution for a panel of right-hand sides (n rows of 16 doubles or 32 floats, aligned
 * to 64 bytes), each entry one chain over ascending k:
 * p_j = (p_j + sum_{k<j} minus[j*ld + k] p_k) / diagonal[j]. */
void smr_solve_f64(int64_t n, const double *minus, int64_t ld, const double *diagonal,
                   double *panel);
void smr_solve_f32(int64_t n, const float *minus, int64_t ld, const float *diagonal, float *panel);

/* Fetches rows that begin `stride` elements apart and will be read soon. */
typedef struct smr_ahead {
    const double *at;
    int64_t stride;
} smr_ahead;

/* Upper triangle of G (d x d, row-major, ldg) += X' X over n rows: one chain over the rows for each
 * entry, continued from the value that G holds.  `work` has smr_gram_work(d) bytes, aligned. */
int64_t smr_gram_work(int64_t d);
void smr_gram_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg,
                  void *work);
/* The same, and meanwhile fetches about as many rows and columns from where the caller reads next;
 * past the end of memory that does nothing. */
void smr_gram_ahead_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg,
                        void *work, smr_ahead next);

/* ---- linear models: a block of rows against k weight vectors, and back ----
 * out[i*k + c] = x_i' w_c, the rows of X (m x d) against those of W (k x d), in 8 lanes that are
 * folded in a fixed order; and G[c*ldg + j] += R[i*k + c] X[i*ldx + j], for each entry of G one
 * chain over the rows, continued from the value that G holds. */
void smr_rows_times_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                        const double *W, int64_t ldw, double *out);
void smr_rows_add_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                      const double *R, double *G, int64_t ldg);
/* Z[i*ldz + j] = by[i] X[i*ldx + j]. */
void smr_rows_scale_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *by,
                        double *Z, int64_t ldz);
/* least[j] and greatest[j] take the values of column j in too, NaN left out; returns whether the
 * sum of every column, one chain over the rows, is finite: then all its values are. */
bool smr_extremes_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *least,
                      double *greatest);
/* A step of a Householder QR on n <= SMR_REFLECT_COLUMNS columns of A (by columns, m rows, lda):
 * x = scale x, column c += f[c] x (one fma per element), dots[c] = (column 0)'(column c), in 8
 * lanes as above. */
enum { SMR_REFLECT_COLUMNS = 7 };
void smr_reflect_f64(int64_t m, int64_t n, double scale, double *x, const double *f, double *A,
                     int64_t lda, double *dots);
/* The first two for the n entries of a sparse row, whose column j has its k weights at W + j * ldw:
 * out (k) = sum over even entries + sum over odd ones of value W_column; G_column += value r.  With
 * an ld that is a multiple of 8 the numbers up to the next multiple of 8 are padding: finite, and
 * written with what they were. */
void smr_entries_times_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                           const double *W, int64_t ldw, double *out);
void smr_entries_add_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                         const double *r, double *G, int64_t ldg);
/* The numbers of x as whole ones, and their sum; -1 where one is not from 1 to 2^31 - 1. */
int64_t smr_whole_f64(int64_t n, const double *x, int32_t *out);
/* out[c], c < ldq, = sum over the entries of times Q[column ldq + c], modulo 2^32; times >= 1.  ldq
 * is 8, 16 or a multiple of 32. */
void smr_entries_pick_u8(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q,
                         int64_t ldq, uint32_t *out);
/* The cut after cell[k], k < n, with the largest sum l_c^2 / L + sum r_c^2 / R above *best (which
 * becomes it), and L, R >= least; or -1.  l_c is the sum of counts[cell * width + c] (< 2^31) up to
 * the cut, r_c what is left of total[c], L and R their sums over the classes, L + R <= 2^26; width
 * is 8 or 16.  The cells are cleared. */
int64_t smr_gini_sweep(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                       const double *total, double least, double *best);
/* A node of a tree of small weight: at most SMR_THIN_WEIGHT in all, of at most 16 classes.
 *
 * thin_sweep: as smr_gini_sweep, with L + R = weight; cell[n] .. cell[n + 7] repeat the last one.
 * thin_list: the places of marks (bytes of 0 or 1, n, up to a multiple of 64 the others 0, at least
 * one 1) in ascending order, and eight times the last; their number.  The marks are cleared.
 * thin_few: the same cut of n <= SMR_THIN_FEW rows (id: SMR_THIN_FEW, those after them repeat the
 * first), of which row i has cell column[id[i]] < 255 and adds row[i] to the classes; row
 * SMR_THIN_FEW - 1 adds nothing unless it is one of them.  -1: no cut is above *best; -2: all have
 * one cell; else cut[0] and cut[1] are the cells before and after it. */
enum { SMR_THIN_CLASSES = 16, SMR_THIN_WEIGHT = 32767, SMR_THIN_FEW = 16, SMR_THIN_SPARE = 8 };

typedef struct smr_thin {
    int16_t total[SMR_THIN_CLASSES];
    int32_t weight, squares; /* sums of total and of total^2 */
    double least;            /* weight on each side          */
} smr_thin;

int64_t smr_thin_sweep(const smr_thin *node, int64_t n, const uint8_t *cell, uint16_t *counts,
                       double *best);
int64_t smr_thin_list(int64_t n, uint8_t *seen, uint8_t *list);
int64_t smr_thin_few(const smr_thin *node, int64_t n, const uint8_t *column, const uint32_t *id,
                     const uint16_t (*row)[SMR_THIN_CLASSES], uint8_t *cut, double *best);
/* The elements of a dense row that are not 0 (NaN is not), as entries; their number.  column and
 * value have room for d + 16. */
int64_t smr_squeeze_f64(int64_t d, const double *x, int32_t *column, double *value);
int64_t smr_squeeze_f32(int64_t d, const float *x, int32_t *column, double *value);
int64_t smr_squeeze_u8(int64_t d, const uint8_t *x, int32_t *column, double *value);

/* ---- cuts of a tree ---- */

/* An entry is code << 24 | row << 8 | class, codes descending: m entries, with room for
 * SMR_CUT_SPARE to be read after them, and n - m rows more of code 0, n <= SMR_CUT_ROWS; total: how
 * many of each class the n rows have.  Cut i has entries 0 .. i on its right; it is one where the
 * code of entry i + 1, or 0 after the last, differs, and `least` rows are on both sides.
 *
 *     score[i]   S_left / n_left + S_right / n_right, to 1e-6 of it; 0 where there is no cut
 *     square[i]  S_right, the sum of the squares of the counts of the classes
 *     dot[i]     counts x total, summed: S_left is sum total^2 - 2 dot + square
 *
 * Each has room for m + SMR_CUT_SPARE.  The largest score is returned. */
enum { SMR_CUT_CLASSES = 16, SMR_CUT_ROWS = 32767, SMR_CUT_SPARE = 32 };

typedef struct smr_cuts {
    float *score;
    int32_t *square, *dot;
} smr_cuts;

float smr_gini_cuts(int64_t m, const uint32_t *entry, int64_t n, int64_t least,
                    const int32_t *total, smr_cuts *cuts);

/* ---- normal densities (kernel/tier/gauss_loops.c) ----
 * spread: out[i*k + c] = sum_j ((x_ij - mean[j*ld + c]) scale[j*ld + c])^2, one chain over j,
 * ascending; ld is a multiple of 8, and the numbers after the k classes are finite.
 * whitened: out[i*step] = |W (x_i - mean)|^2 for a lower triangle W, kept by columns: entry (a, j)
 * is W[j*ldw + a], zeros above the diagonal and up to ldw, a multiple of 8.
 * class_sums: sum += w (x - shift) and square += w (x - shift)^2 in the places of the row's class,
 * k x ld, one chain over the rows; weight NULL: 1.
 * mix_shares: total[i] = the sum of row i of p (n x width, a multiple of 8; p >= 0), in 8 lanes
 * that are folded in a fixed order; what is below faint * total[i] becomes 0, the rest is
 * multiplied by weight[i] / total[i]; weight NULL: 1.
 * mix_sums: as class_sums, for every class c < k with p_ic > 0, which is the row's weight; the
 * numbers of X are finite. */
typedef struct smr_spread {
    const double *mean, *scale; /* d x ld */
    int64_t ld;
} smr_spread;

typedef struct smr_class_sums {
    const double *shift; /* k x ld */
    double *sum, *square;
    int64_t ld, k;
} smr_class_sums;

void smr_spread_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                    const smr_spread *of, double *out);
void smr_whitened_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean,
                      const double *W, int64_t ldw, double *out, int64_t step);
void smr_class_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *label,
                        const double *weight, const smr_class_sums *to);
void smr_mix_shares_f64(int64_t n, int64_t width, const double *weight, double faint, double *p,
                        double *total);
void smr_mix_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                      int64_t width, const smr_class_sums *to);

/* ---- eigenvalues and singular values ----
 * y += the part of S x that columns lo .. hi of the lower triangle of the symmetric S (n x n by
 * columns) have in it: both s_ij x_j and, mirrored, s_ij x_i.  lo is a multiple of 8, hi too, or
 * n. */
void smr_symv_lower_f64(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                        const double *x, double *y);
/* Rotation t of k: column t = c_t column t + s_t column t+1, column t+1 = c_t column t+1 -
 * s_t column t, where column t of m rows is A + t lda; lda may be negative.  Not fused. */
void smr_rotate_f64(int64_t m, int64_t k, const double *c, const double *s, double *A, int64_t lda);
/* out[0] = sum w_i / (away_i - tau), out[1] = sum w_i / (away_i - tau)^2, tau not 0; 8 lanes, not
 * fused. */
void smr_secular_sums_f64(int64_t n, const double *w, const double *away, double tau, double *out);
/* prod_j (at - from_j - tau_j) / (at - pole_j) or, squared, with (at - from_j) (at + from_j) and so
 * on in place of the differences; 8 lanes. */
double smr_secular_factors_f64(bool squared, int64_t n, double at, const double *from,
                               const double *tau, const double *pole);

/* ---- elementary functions: own, not libm's, whose bits change with the CPU; error < 1 ulp ---- */
double smr_exp(double x);
double smr_log(double x);
double smr_log1p(double x);
double smr_expm1(double x);
double smr_pow(double x, double y);
double smr_tanh(double x);
/* Elementwise, with the bits of smr_exp and smr_log; x and y may be the same array. */
void smr_exp_f64(int64_t n, const double *x, double *y);
void smr_log_f64(int64_t n, const double *x, double *y);
/* The logistic loss log(1 + exp(-y f)) of n rows with targets y = -1 or 1 and scores f, and its two
 * derivatives in f.  Any of the three may be NULL; slope and curvature may be f itself. */
void smr_logistic_f64(int64_t n, const double *y, const double *f, double *value, double *slope,
                      double *curvature);

#endif
