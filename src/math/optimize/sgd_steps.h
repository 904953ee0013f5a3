/* sgd_steps.h -- stochastic gradient methods as small state machines over a parameter vector.
 *
 * The caller computes the gradient g of one row or one batch at the parameters and calls a step;
 * the state is a head of numbers and a block of vectors, both plain arrays of doubles: saving them
 * (smr_sgd_block) and putting them back into a state made with the same options resumes a run bit
 * by bit.  Step t = 1, 2, ... has the rate a_t of its schedule.
 *
 *     plain     w <- (1 - a l2) w - a g
 *     momentum  v <- mu v + g + l2 w,  w <- w - a v
 *     nesterov  v as above,            w <- w - a (g + l2 w + mu v)
 *     adagrad   s <- s + g^2,          w <- (1 - r l2) (w - r g),  r = a / (sqrt(s) + epsilon)
 *     rmsprop   s <- beta2 s + (1 - beta2) h^2, h = g + l2 w,      w <- w - r h
 *     adam      m <- beta1 m + (1 - beta1) h, s as rmsprop, both divided by 1 - beta^t;
 *               w <- w - a m / (sqrt(s) + epsilon)
 *     adamw     adam with h = g, and w <- (1 - a l2) w before it
 *
 * l1: plain keeps the penalty that each weight should have paid and has paid (Tsuruoka's cumulative
 * penalty), clipping at zero; the others shrink w by r l1 (adagrad) or a l1 after the step.
 * Sparse gradients (plain and adagrad): only the entries given are touched; what the others miss is
 * made up when they are next read; weights of plain are held as scale * v.  References: Polyak &
 * Juditsky, SIAM J. Control Optim. 30(4), 1992; Duchi, Hazan & Singer, JMLR 12:2121-2159, 2011;
 * Kingma & Ba, ICLR 2015; Loshchilov & Hutter, ICLR 2019; Tsuruoka, Tsujii & Ananiadou, ACL
 * 2009. */
#ifndef SMR_MATH_OPTIMIZE_SGD_STEPS_H
#define SMR_MATH_OPTIMIZE_SGD_STEPS_H

#include "core/ctx.h"

typedef enum smr_sgd_method {
    SMR_SGD_PLAIN,
    SMR_SGD_MOMENTUM,
    SMR_SGD_NESTEROV,
    SMR_SGD_ADAGRAD,
    SMR_SGD_RMSPROP,
    SMR_SGD_ADAM,
    SMR_SGD_ADAMW,
    SMR_SGD_METHODS
} smr_sgd_method;

/* With t' = t - 1 + offset. */
typedef enum smr_schedule_kind {
    SMR_SCHEDULE_CONSTANT, /* a                                                            */
    SMR_SCHEDULE_PER_STEP, /* a / t'                                                       */
    SMR_SCHEDULE_ROOT,     /* a / sqrt(t')                                                 */
    SMR_SCHEDULE_INVERSE,  /* a / t'^power                                                 */
    SMR_SCHEDULE_STEP,     /* a factor^k, k = whole periods passed                         */
    SMR_SCHEDULE_COSINE,   /* a (1 + cos(pi k / period)) / 2, k = min(t - 1, period)       */
    SMR_SCHEDULE_ADAPTIVE, /* a times a factor for each time smr_sgd_judge saw no progress */
    SMR_SCHEDULES
} smr_schedule_kind;

typedef struct smr_schedule {
    smr_schedule_kind kind;
    double rate;     /* a > 0                                                              */
    double offset;   /* 0: 1                                                               */
    double power;    /* 0: 0.25                                                            */
    double factor;   /* 0: 0.1 (step), 0.2 (adaptive)                                      */
    double period;   /* steps; > 0 for step and cosine                                     */
    double patience; /* judgements without progress that adaptive tolerates; 0: 5         */
    double progress; /* what counts as progress, relative; 0: 1e-4                        */
} smr_schedule;

typedef struct smr_sgd_opts {
    smr_sgd_method method;
    smr_schedule schedule;
    double momentum;     /* 0: 0.9                                                      */
    double beta1, beta2; /* 0: 0.9; 0.999 (rmsprop: 0.9)                                */
    double epsilon;      /* 0: 1e-8                                                     */
    double l1, l2;       /* against the gradient of one step                            */
    double average_from; /* the mean of w from this step on is kept; 0: none            */
    bool is_sparse;      /* steps come by smr_sgd_step_sparse                           */
} smr_sgd_opts;

/* Names for parameters and help. */
extern const char *const smr_sgd_method_names[SMR_SGD_METHODS];
extern const char *const smr_schedule_names[SMR_SCHEDULES];

enum {
    SMR_HEAD_STEP,   /* t, steps made                                  */
    SMR_HEAD_FACTOR, /* of the adaptive schedule                       */
    SMR_HEAD_BEST,   /* least loss judged                              */
    SMR_HEAD_WAITS,  /* judgements since                               */
    SMR_HEAD_SCALE,  /* w = scale * v                                  */
    SMR_HEAD_OWED,   /* l1 penalty that every weight should have paid  */
    SMR_HEAD_COUNT,  /* points in the average                          */
    SMR_HEAD_FOLD,   /* sum of points = fold * v + sum (sparse)        */
    SMR_HEADS
};

typedef struct smr_sgd_state {
    smr_sgd_opts opts; /* with defaults filled in                                          */
    int64_t n;
    double head[SMR_HEADS];
    double *block;          /* all vectors that follow, one after another */
    int64_t n_block;        /* its numbers                                */
    double *w;              /* parameters (sparse plain: w / scale)       */
    double *first, *second; /* v or m; s                                  */
    double *sum;            /* of the average: mean (dense), sum (sparse) */
    double *paid, *seen;    /* l1 paid; the step at which a weight was last brought up to date  */
} smr_sgd_state;

/* A state at w = 0.  Fails where an option is out of range or the method has no sparse form. */
smr_status smr_sgd_init(smr_ctx *ctx, const smr_sgd_opts *opts, int64_t n, smr_sgd_state *out);
void smr_sgd_release(smr_sgd_state *s);
/* The same over a caller's block of smr_sgd_size numbers, which it keeps with the head: nothing is
 * allocated, checked or set. */
int64_t smr_sgd_size(const smr_sgd_opts *opts, int64_t n);
void smr_sgd_bind(const smr_sgd_opts *opts, int64_t n, double *block, smr_sgd_state *out);
/* Puts a bound state at its beginning: w = 0, no steps. */
void smr_sgd_clear(smr_sgd_state *s);

/* The rate of step t, 1 or more. */
double smr_schedule_rate(const smr_schedule *schedule, double t, double factor);

/* One step with the dense gradient g (n) at s->w. */
void smr_sgd_step(smr_sgd_state *s, const double *g);

/* Sparse: sum_e value[e] w[index[e]] at the current weights, and a step with the gradient's
 * nonzero entries; indices are distinct. */
double smr_sgd_score_sparse(smr_sgd_state *s, int64_t n, const int32_t *index, const double *value);
void smr_sgd_step_sparse(smr_sgd_state *s, int64_t n, const int32_t *index, const double *g);

/* Sparse plain, a step in parts: begin counts it, with the rate a, and gives the factor -a / scale;
 * add moves the weights from `at` on by factor * x (the gradient times the factor); end takes the
 * point into the average.  What smr_sgd_step_sparse does, for gradients that are multiples of
 * rows. */
double smr_sgd_begin_step(smr_sgd_state *s, double a);
void smr_sgd_add(smr_sgd_state *s, int64_t at, int64_t n, double factor, const double *x);
void smr_sgd_add_sparse(smr_sgd_state *s, int64_t at, int64_t n, const int32_t *index,
                        double factor, const double *x);
void smr_sgd_end_step(smr_sgd_state *s);

/* Tells the adaptive schedule the loss at the end of an epoch; false once the rate has fallen below
 * 1e-6 of the first: nothing more is to be learned. */
bool smr_sgd_judge(smr_sgd_state *s, double loss);

/* The parameters as they are, and the average (the same without one), with nothing owed. */
void smr_sgd_weights(smr_sgd_state *s, double *w);
void smr_sgd_average(smr_sgd_state *s, double *w);

/* ---- the variance of stochastic gradients ----
 * With weight 1/t for the t-th gradient, and at least `memory` (0: all count alike):
 *     mean <- mean + c (g - mean),   variance <- (1 - c) (variance + c |g - mean|^2)
 * so that the gradients g_i of all rows at one w give exactly mean = (1/n) sum g_i and variance =
 * (1/n) sum |g_i - mean|^2.  A variance well below |mean|^2 says that most rows agree on where to
 * go; well above it, that steps mostly undo each other: the challenging region. */
typedef struct smr_gradient_watch {
    int64_t n;
    double memory;
    double count, scale, square, variance; /* mean = scale * direction; square = |mean|^2 */
    double *direction;
} smr_gradient_watch;

smr_status smr_watch_init(smr_ctx *ctx, int64_t n, double memory, smr_gradient_watch *out);
void smr_watch_release(smr_gradient_watch *s);
void smr_watch_add(smr_gradient_watch *s, const double *g);
void smr_watch_add_sparse(smr_gradient_watch *s, int64_t n, const int32_t *index, const double *g);
/* variance / |mean|^2; infinite without a mean, NaN without gradients. */
double smr_watch_noise(const smr_gradient_watch *s);

#endif
