/* pairs.h -- the last m pairs (s, y) of a quasi-Newton method and the matrix they represent; for
 * lbfgs.c and owlqn.c. */
#ifndef SMR_MATH_OPTIMIZE_PAIRS_H
#define SMR_MATH_OPTIMIZE_PAIRS_H

#include "kernel/kernel.h"
#include "math/optimize/run.h"

struct smr_pairs {
    int64_t n, memory, count, next; /* pairs held; where the next one goes           */
    double *s, *y;                  /* memory x n                                    */
    double *rho, *alpha;            /* memory: 1 / s'y; scratch of smr_pairs_times   */
};

/* memory 0: 10 pairs. */
smr_status smr_pairs_init(smr_ctx *ctx, struct smr_pairs *p, int64_t n, int64_t memory);
void smr_pairs_release(struct smr_pairs *p);
void smr_pairs_forget(struct smr_pairs *p);

/* Keeps s = w_new - w, y = g_new - g if its curvature is positive. */
void smr_pairs_add(struct smr_pairs *p, const double *w, const double *w_new, const double *g,
                   const double *g_new);
/* out = H g; without pairs out = g. */
void smr_pairs_times(struct smr_pairs *p, const double *g, double *out);

#endif
