/* chain_kernels.h -- steps along a chain of hidden states: sums or maxima over the state before,
 * the way back, and what two directions say together.
 *
 * All functions are serial and thread-safe, with the same bits on every CPU, compiler and thread
 * count.  Rows of states have a width that is a multiple of SMR_CHAIN_PAD; what is beyond the
 * states is padding, 0 in sums and -infinity in maxima, and stays so. */
#ifndef SMR_KERNEL_CHAIN_KERNELS_H
#define SMR_KERNEL_CHAIN_KERNELS_H

#include <stdint.h>

enum { SMR_CHAIN_PAD = 8 };

/* Step s reads emit[s * order] and writes row s * order of the tables: with order -1 a chain runs
 * against time. */
typedef struct smr_chain {
    int64_t n;          /* states that a step comes from                                   */
    int64_t width;      /* of all rows                                                     */
    const double *move; /* n x width                                                       */
    const double *const *emit;
    int64_t order;  /* 1 or -1                                                             */
    double *before; /* rows: what comes to a state; NULL: not wanted                       */
    double *after;  /* rows: the same with the step's emission                             */
    double *sum;    /* of each row of `after`; maxima have none                            */
} smr_chain;

/* before_j = (sum_i from_i move_ij) / from_sum, after_j = before_j emit_j, and a step comes from
 * the one before it.  Sums over i are four chains of fused multiply-adds, of i = 0, 1, 2, 3 modulo
 * 4; those of a row are 8 lanes.  Stops before a row whose sum is not above `least`, and returns
 * the number of steps that were made. */
int64_t smr_chain_sum_f64(int64_t steps, const smr_chain *chain, const double *from,
                          double from_sum, double least);
/* The same for two chains that know nothing of each other, step by step in turn, so that neither
 * waits for the other's sums.  Returns the steps that both have made; of the next, rows may be
 * written. */
int64_t smr_chain_both_f64(int64_t steps, const smr_chain *a, const smr_chain *b,
                           const double *const from[2], const double from_sum[2], double least);
/* after_j = emit_j + max_i (from_i + move_ij). */
void smr_chain_max_f64(int64_t steps, const smr_chain *chain, const double *from);
/* path[s * order] = state = the place of the largest row_i + score_i, the first of equals: row s *
 * order of the table, and row `state` of the scores. */
void smr_chain_trace_f64(int64_t steps, int64_t width, int64_t order, const double *table,
                         const double *score, int64_t state, int32_t *path);
/* For n rows: z = sum_j a_j b_j, p_j = a_j b_j weight / z, and a_j becomes a_j (weight / z) / next,
 * one number for each row; stops as above before a z that is not above `least`. */
int64_t smr_chain_meet_f64(int64_t n, int64_t width, double weight, double least,
                           const double *next, double *a, const double *b, double *p);

/* The other way to fill rows: out_r = c - 1/2 sum_k ((x_k - mean_k) scale_k)^2 for the n columns
 * x of X (d x ld), and the same with scale a lower triangle (d x d): sum_k (sum_{l <= k} scale_kl
 * (x_l - mean_l))^2. */
void smr_gauss_plain_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                         const double *scale, double c, double *out);
void smr_gauss_full_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                        const double *scale, double c, double *out);

/* Every state is a lane, and its numbers are independent of each other. */
enum { SMR_NORMALS_MOST = 1024 }; /* states */

typedef struct smr_normals {
    int64_t d, n, width;        /* numbers, states                                          */
    const double *mean, *scale; /* d x width; padding is 0                                  */
    const double *peak;         /* width: the log-density at the mean; padding is -infinity */
} smr_normals;

/* out_rj = l_rj = peak_j - 1/2 sum_k ((x_rk - mean_kj) scale_kj)^2 for rows x of X (n x d, ldx
 * apart), finite numbers: a chain over k of fused multiply-adds. */
void smr_normals_logs_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                          double *out);
/* out_rj = exp(l_rj - top_r), top_r = max_j l_rj, and 0 where that is below e^-700; where top_r is
 * -infinity, 1. */
void smr_normals_rows_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                          double *out, double *top);
/* The same of states whose covariances join numbers. */
typedef struct smr_whites {
    int64_t d, n, width, ldw;
    int64_t each;        /* from one triangle to the next; 0: all have one                   */
    const double *mean;  /* n x d                                                            */
    const double *white; /* entry (a, k) of a lower triangle is k * ldw + a; 0 above it, and up to
                          * ldw, a multiple of 8                                            */
    const double *peak;  /* n                                                                */
} smr_whites;

/* As normals_rows, of l_rj = peak_j - 1/2 |W_j (x_r - mean_j)|^2, which has the bits of whitened
 * (kernel.h). */
void smr_whites_rows_f64(int64_t n, const smr_whites *of, const double *X, int64_t ldx, double *out,
                         double *top);
/* z_m = root (x_r - mean, 1), root = sqrt(p_r), of the rows with p_r > 0, which are returned; rows
 * of z have d + 1 numbers, those of p are `step` apart. */
int64_t smr_weigh_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                           int64_t step, const double *mean, double *z);
/* sum_kj += p_rj z and square_kj += (p_rj z) z, z = x_rk - mean_kj: chains over r. */
void smr_normals_moments_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                             const double *p, double *sum, double *square);
/* sum_j += p_rj: a chain over r. */
void smr_lanes_sum_f64(int64_t n, int64_t width, const double *p, double *sum);

/* X(result, name, arguments) of these, for kernel_table.h. */
#define SMR_KERNEL_CHAINS(X)                                                                       \
    X(int64_t, chain_sum_f64,                                                                      \
      (int64_t steps, const smr_chain *chain, const double *from, double from_sum, double least))  \
    X(void, chain_max_f64, (int64_t steps, const smr_chain *chain, const double *from))            \
    X(void, chain_trace_f64,                                                                       \
      (int64_t steps, int64_t width, int64_t order, const double *table, const double *score,      \
       int64_t state, int32_t *path))                                                              \
    X(int64_t, chain_meet_f64,                                                                     \
      (int64_t n, int64_t width, double weight, double least, const double *next, double *a,       \
       const double *b, double *p))                                                                \
    X(void, gauss_plain_f64,                                                                       \
      (int64_t n, int64_t d, const double *X, int64_t ld, const double *mean, const double *scale, \
       double c, double *out))                                                                     \
    X(void, gauss_full_f64,                                                                        \
      (int64_t n, int64_t d, const double *X, int64_t ld, const double *mean, const double *scale, \
       double c, double *out))                                                                     \
    X(int64_t, chain_both_f64,                                                                     \
      (int64_t steps, const smr_chain *a, const smr_chain *b, const double *const from[2],         \
       const double from_sum[2], double least))                                                    \
    X(void, normals_logs_f64,                                                                      \
      (int64_t n, const smr_normals *of, const double *X, int64_t ldx, double *out))               \
    X(void, normals_rows_f64,                                                                      \
      (int64_t n, const smr_normals *of, const double *X, int64_t ldx, double *out, double *top))  \
    X(void, whites_rows_f64,                                                                       \
      (int64_t n, const smr_whites *of, const double *X, int64_t ldx, double *out, double *top))   \
    X(int64_t, weigh_rows_f64,                                                                     \
      (int64_t n, int64_t d, const double *X, int64_t ldx, const double *p, int64_t step,          \
       const double *mean, double *z))                                                             \
    X(void, normals_moments_f64,                                                                   \
      (int64_t n, const smr_normals *of, const double *X, int64_t ldx, const double *p,            \
       double *sum, double *square))                                                               \
    X(void, lanes_sum_f64, (int64_t n, int64_t width, const double *p, double *sum))

#endif
