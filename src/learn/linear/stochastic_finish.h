/* stochastic_finish.h -- where stochastic steps end: the certificate, and full gradients to it.
 *
 * The objective of stochastic.h, F, whose kinks are rounded: F_c <= F, by parabolas over a width c
 * (for hinge_max by a soft maximum).  Where
 *
 *     |grad F_c(w)| <= tol |grad F_c(0)|   and   F(w) - F_c(w) <= tol F(w),                     (1)
 *
 * and with l2 > 0 also |grad_w F_c|^2 / (2 l2) <= tol F(w), which bounds F_c(w) - min F_c, w is the
 * optimum to tol: F_c lies below F everywhere, so its least is below F's.  0 is the model
 * without coefficients, whose scores of numbers are their mean.  Gradients are
 * those of the features less their means, over their deviations; with l1 the
 * least subgradient.  Losses that are smooth have c = 0.  Where the model without coefficients is
 * nearly the best one, a thousandth of all that its rows pull, each way, takes the place of its
 * gradient.
 *
 * From a point that stochastic steps have reached, L-BFGS (with l1 OWL-QN) goes to (1); c falls to
 * a fifth as often as it must.  Every evaluation is a pass over the rows. */
#ifndef SMR_LEARN_LINEAR_STOCHASTIC_FINISH_H
#define SMR_LEARN_LINEAR_STOCHASTIC_FINISH_H

#include "learn/linear/stochastic_parts.h"

/* What a certificate lacks: |grad F_c(w)| over that of the model without coefficients; what l2
 * proves of F_c less its least, over F; F less F_c, over F; the duality gap over F. */
enum smr_lack { SMR_LACK_GRADIENT, SMR_LACK_BOUND, SMR_LACK_KINKS, SMR_LACK_GAP };

typedef struct smr_finish {
    struct machine *machine; /* its model is what is judged and moved */
    const smr_data *data;
    smr_form form;
    const int64_t *rows;
    int64_t n;
    smr_fit_report *report;
    /* found */
    double objective;   /* F                                                   */
    bool converged;     /* (1), or the gap                                     */
    enum smr_lack lack; /* else: what is too large                           */
    double off;         /* by which it was judged, where tol is asked        */
} smr_finish;

/* passes 0: judges only.  From a point that has them, the hinge with l2 and without l1 goes on by
 * coordinate descent on the dual, row by row, to a duality gap of tol F (math/optimize/dual.h). */
smr_status smr_stochastic_finish(smr_ctx *ctx, smr_finish *f, int64_t passes);

#endif
