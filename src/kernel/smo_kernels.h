/* smo_kernels.h -- inner loops of kernel machines: sums of rows of floats, and the choice and the
 * move of a pair of variables.
 *
 * All functions are serial and thread-safe, with the same bits on every CPU, compiler and thread
 * count.  Those of pairs read arrays whose length is a multiple of SMR_SMO_PAD. */
#ifndef SMR_KERNEL_SMO_KERNELS_H
#define SMR_KERNEL_SMO_KERNELS_H

#include "core/view.h"

enum { SMR_SMO_PAD = 8 };

/* y[j] += sum_r a[r] row[r][j], j < n, r < k: for each j one chain of fused multiply-adds over
 * ascending r, continued from the value that y holds. */
void smr_floats_add_f64(int64_t n, int64_t k, const double *a, const float *const *row, double *y);

/* The place of the largest v[k] + bar[k], bar 0 or -infinity, the first of equals; -1: all are
 * barred. */
int64_t smr_smo_first(int64_t n, const double *v, const double *bar);

/* The variable that goes with one at v with the kernel's row `row` and curvature row[itself]. */
typedef struct smr_smo_one {
    double v, curvature;
    double floor; /* > 0: a curvature below it counts as this */
    const float *row;
} smr_smo_one;

/* The place of the largest (one.v - v[k])^2 / (one.curvature + curvature[k] - 2 one.row[k]) among
 * those with v[k] < one.v that are not barred (bar[k] is 0, or infinity), the first of equals; -1:
 * there is none.  *least = the least v[k] that is not barred. */
int64_t smr_smo_second(int64_t n, const smr_smo_one *one, const double *curvature, const double *v,
                       const double *bar, double *least);

/* v[k] -= by (a[k] - b[k]). */
void smr_smo_move(int64_t n, double by, const float *a, const float *b, double *v);

#endif
