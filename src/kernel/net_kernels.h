/* net_kernels.h -- inner loops of networks, in floats and doubles: activations, pools, steps.
 *
 * Each number is computed by itself, or by one chain in ascending order, so that neither the tier
 * nor the cut of the work can change its bits.  The functions of floats have errors of a few ulp.
 * A derivative of an activation is told from what came in and what went out. */
#ifndef SMR_KERNEL_NET_KERNELS_H
#define SMR_KERNEL_NET_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum smr_bend {
    SMR_BEND_THRESHOLD, /* slope 1 where |x| <= 1, for training */
    SMR_BEND_SIGMOID,   /* of a x                               */
    SMR_BEND_TANH,
    SMR_BEND_RELU,
    SMR_BEND_LEAKY, /* a x below 0            */
    SMR_BEND_ELU    /* a (e^x - 1) below 0    */
} smr_bend;

/* Windows over a picture, channels last. */
typedef struct smr_nn_pool {
    int64_t h, w, c, out_h, out_w;
    int64_t size[2], stride[2], pad[2];
    bool padding; /* a mean divides by the whole window */
} smr_nn_pool;

typedef enum smr_step_kind {
    SMR_STEP_SGD,      /* w -= rate g                                                        */
    SMR_STEP_MOMENTUM, /* v = a v + g,  w -= rate v                                          */
    SMR_STEP_NESTEROV, /* v = a v + g,  w -= rate (g + a v)                                  */
    SMR_STEP_ADAGRAD,  /* s += g^2,  w -= rate g / (sqrt s + eps)                            */
    SMR_STEP_RMSPROP,  /* s = b s + (1-b) g^2,  w -= rate g / (sqrt s + eps)                 */
    SMR_STEP_ADAM      /* v = a v + (1-a) g,  s as above,  w -= rate v / (sqrt (s grow) + eps) */
} smr_step_kind;

/* One step of the weights along their gradients: g is first times `scale`, then clipped by value
 * (0: not), then has decay w and l1 sign w added; shrink takes the share shrink of w itself. */
typedef struct smr_nn_step {
    smr_step_kind kind;
    double rate, a, b, eps, grow;
    double scale, decay, l1, shrink;
} smr_nn_step;

#define SMR_NET_KERNELS_OF(X, real, f)                                                         \
    X(void, bend_##f, (smr_bend kind, double a, int64_t n, const real *x, real *y))            \
    X(void, bend_back_##f,                                                                     \
      (smr_bend kind, double a, int64_t n, const real *x, const real *y, const real *dy,       \
       real *dx))                                                                              \
    X(void, shares_##f, (int64_t rows, int64_t c, const real *x, real *y))                     \
    X(void, add_##f, (int64_t n, const real *x, real *y))                                      \
    X(void, add_rows_##f, (int64_t rows, int64_t n, const real *x, real *y))                   \
    X(void, put_rows_##f, (int64_t rows, int64_t n, const real *x, real *y))                   \
    X(void, pool_max_##f, (const smr_nn_pool *p, const real *x, real *y, int32_t *at))         \
    X(void, pool_mean_##f, (const smr_nn_pool *p, const real *x, real *y))                     \
    X(void, pool_mean_back_##f, (const smr_nn_pool *p, const real *dy, real *dx))              \
    X(void, affine_##f,                                                                        \
      (int64_t rows, int64_t c, const real *x, const real *scale, const real *shift, real *y)) \
    X(void, step_##f, (const smr_nn_step *s, int64_t n, const real *g, real *w, real *v, real *u))

#define SMR_KERNEL_NETS(X)            \
    SMR_NET_KERNELS_OF(X, float, f32) \
    SMR_NET_KERNELS_OF(X, double, f64)

#define SMR_NET_DECLARE(result, name, arguments) result smr_##name arguments;
/* bend: y = f(x), in place or not; back: dx += dy f'(x).
 * shares: the softmax of each row of c numbers.
 * add: y += x; add_rows: y (n) += each of the rows; put_rows: each row of y (rows x n) becomes x.
 * pool_max: the largest of each window and, unless at is NULL, the place of its pixel in the
 * picture; pool_mean, and back: dx += what each mean hands to its window.
 * affine: y = x scale + shift, a channel at a time.
 * step: see smr_nn_step; v and u are the memories that the kind needs, or NULL. */
SMR_KERNEL_NETS(SMR_NET_DECLARE)
#undef SMR_NET_DECLARE

#endif
