/* frame.h -- a linear model's objective in other variables, in which it is rounder.
 *
 * Features with large offsets or unlike scales make a valley that gradient methods walk slowly.  In
 * the variables
 *
 *     v_cj = s_j w_cj,    u_c = b_c + sum_j m_j w_cj                                           (1)
 *
 * the model is that of the features (x - m) / s, while the penalty stays that of w: the minimum is
 * the same.  m is the features' mean (0 without intercept), s^2 = (a V_j + l2) / (a W), V_j
 * the centred sum of squares, W the sum of weights, a the loss's typical curvature: the Hessian's
 * diagonal is then about the same for every variable.  No row is changed, so sparse data stay
 * sparse. Cost: two passes at the start, 4 d k multiply-adds an evaluation. */
#ifndef SMR_LEARN_LINEAR_FRAME_H
#define SMR_LEARN_LINEAR_FRAME_H

#include "learn/linear/objective.h"

typedef struct smr_linear_frame {
    smr_objective function; /* evaluate only */
    const smr_objective *inner;
    int64_t k, d;
    bool has_intercept;
    double *mean, *scale; /* d */
    double *w;            /* the variables of inner */
} smr_linear_frame;

smr_status smr_linear_frame_open(smr_ctx *ctx, smr_linear_objective *o, const smr_data *data,
                                 double l2, double curvature, smr_linear_frame *out);
void smr_linear_frame_close(smr_linear_frame *frame);

/* True if dense rows have a column whose mean is more than 1e5 times its standard deviation, as the
 * first rows tell: its sums of squares have lost its spread, and a method that works in a frame
 * must take the place of one that solves with them. */
smr_status smr_linear_is_far(smr_ctx *ctx, const smr_data *data, bool *is_far);

/* (1) and back; `to` may be `from`. */
void smr_linear_frame_enter(const smr_linear_frame *frame, const double *from, double *to);
void smr_linear_frame_leave(const smr_linear_frame *frame, const double *from, double *to);

#endif
