/* window_kernels.h -- inner loops of sums of kernels over points: learn/density/parzen.h.
 *
 * Points and boxes lie in groups of 16 (kernel/near.h): coordinate j of point i of a group at
 * j * 16 + i; of boxes at j * 32 the 16 lower ends of coordinate j, then the 16 upper ones.  What a
 * query x asks is how large a kernel is at
 *
 *     q = sum_j ((x_j - y_j) scale_j)^2,   box: the largest of these squares                    (1)
 *
 *     gaussian      e^(shift - q), for q >= shift            ball, box   1 where q <= 1
 *     epanechnikov  1 - q where q < 1                        else 0
 *
 * The exponential is within 2 ulp; below e^-708 it stays there.  Squares are added up over
 * ascending j.  Each of the 16 members has a lane of its own, and lanes are folded in a fixed
 * order at the end.
 *
 * All functions are serial and thread-safe, with the same bits on every CPU, compiler and thread
 * count. */
#ifndef SMR_KERNEL_WINDOW_KERNELS_H
#define SMR_KERNEL_WINDOW_KERNELS_H

#include "core/view.h"

enum { SMR_WINDOW_GROUP = 16 };

typedef enum smr_window {
    SMR_WINDOW_GAUSSIAN = 0,
    SMR_WINDOW_EPANECHNIKOV,
    SMR_WINDOW_BALL,
    SMR_WINDOW_BOX
} smr_window;

typedef struct smr_window_at {
    const double *x, *scale; /* d */
    double shift;
} smr_window_at;

/* sum of weight K over the points of those of up to 16 groups that are marked, bit g for group g:
 * points d x 16 and weight 16 of each. */
double smr_window_sum_f64(smr_window kind, int64_t d, unsigned marked, const double *points,
                          const double *weight, const smr_window_at *at);
/* q of the 16 points of a group; by_largest: the largest of the squares, as for the box. */
void smr_window_squares_f64(bool by_largest, int64_t d, const double *points,
                            const smr_window_at *at, double *q);
/* The least and the largest q that a point in each of 16 boxes can have. */
void smr_window_reach_f64(bool by_largest, int64_t d, const double *boxes, const smr_window_at *at,
                          double *least, double *largest);

/* Gaussian sums over the points of 16 boxes by their Hermite series about the boxes' centres c:
 *
 *     out_i = e^-|u|^2 sum_{|a| < order} M_a H_a1(u_1) .. H_ad(u_d), u_j = (x_j - c_j) scale_j (2)
 *     M_a   = sum over points y of w prod_j t_j^aj / aj!,              t_j = (y_j - c_j) scale_j
 *
 * d is 1, 2 or 3, and the a come in lexicographic order, those with |a| < most, 16 numbers each. */
enum { SMR_WINDOW_SERIES_D = 3, SMR_WINDOW_SERIES_MOST = 20 };

typedef struct smr_window_series {
    int64_t d, most;
    const double *boxes, *moments;
} smr_window_series;

void smr_window_series_f64(const smr_window_series *series, int64_t order, const smr_window_at *at,
                           double *out);

/* X(result, name, arguments) of these, for kernel_table.h. */
#define SMR_KERNEL_WINDOWS(X)                                                                   \
    X(double, window_sum_f64,                                                                   \
      (smr_window kind, int64_t d, unsigned marked, const double *points, const double *weight, \
       const smr_window_at *at))                                                                \
    X(void, window_squares_f64,                                                                 \
      (bool by_largest, int64_t d, const double *points, const smr_window_at *at, double *q))   \
    X(void, window_reach_f64,                                                                   \
      (bool by_largest, int64_t d, const double *boxes, const smr_window_at *at, double *least, \
       double *largest))                                                                        \
    X(void, window_series_f64,                                                                  \
      (const smr_window_series *series, int64_t order, const smr_window_at *at, double *out))

#endif
