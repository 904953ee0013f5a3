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

/* A step in time of units that look back, h of them.  Their inputs come as z: what the step gives
 * them and what the state before does, in one place.
 *
 *     rnn   z = a (h)                 h' = tanh a
 *     lstm  z = i, f, g, o (4 h)      c' = s(f) c + s(i) tanh(g),  h' = s(o) tanh(c')
 *     gru   z = r, u, n, m (4 h)      h' = (1 - s(u)) tanh(m + s(r) n) + s(u) h,
 *                                     n what the state gives, m what the step gives */
typedef enum smr_cell_kind { SMR_CELL_RNN, SMR_CELL_LSTM, SMR_CELL_GRU } smr_cell_kind;

/* One step of the weights along their gradients: g is first times `scale`, then clipped by value
 * (0: not), then has decay w and l1 sign w added; shrink takes the share shrink of w itself. */
typedef struct smr_nn_step {
    smr_step_kind kind;
    double rate, a, b, eps, grow;
    double scale, decay, l1, shrink;
} smr_nn_step;

#define SMR_NET_KERNELS_OF(X, real, f)                                                             \
    X(void, bend_##f, (smr_bend kind, double a, int64_t n, const real *x, real *y))                \
    X(void, bend_back_##f,                                                                         \
      (smr_bend kind, double a, int64_t n, const real *x, const real *y, const real *dy,           \
       real *dx))                                                                                  \
    X(void, shares_##f, (int64_t rows, int64_t c, const real *x, real *y))                         \
    X(void, add_##f, (int64_t n, const real *x, real *y))                                          \
    X(void, add_rows_##f, (int64_t rows, int64_t n, const real *x, real *y))                       \
    X(void, put_rows_##f, (int64_t rows, int64_t n, const real *x, real *y))                       \
    X(void, pool_max_##f, (const smr_nn_pool *p, const real *x, real *y, int32_t *at))             \
    X(void, pool_mean_##f, (const smr_nn_pool *p, const real *x, real *y))                         \
    X(void, pool_mean_back_##f, (const smr_nn_pool *p, const real *dy, real *dx))                  \
    X(void, affine_##f,                                                                            \
      (int64_t rows, int64_t c, const real *x, const real *scale, const real *shift, real *y))     \
    X(void, step_##f, (const smr_nn_step *s, int64_t n, const real *g, real *w, real *v, real *u)) \
    X(void, cell_##f,                                                                              \
      (smr_cell_kind kind, int64_t h, real * z, const real *was, real *state, real *y))            \
    X(void, cell_back_##f,                                                                         \
      (smr_cell_kind kind, int64_t h, real * z, const real *was, const real *state, real *dy,      \
       real *dstate))

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
 * step: see smr_nn_step; v and u are the memories that the kind needs, or NULL.
 * cell: one row, was: c of the step before (lstm) or its y (gru), state: c' (lstm), which may be
 * where was is; z becomes what cell_back needs.  cell_back: from dy, the derivatives in y, and
 * dstate (lstm: those in c' that come from later steps; they become those in c) z becomes the
 * derivatives in what it was; dy becomes what reaches the y before other than through z (gru, else
 * 0).  rnn: state is y. */
SMR_KERNEL_NETS(SMR_NET_DECLARE)
#undef SMR_NET_DECLARE

#endif
