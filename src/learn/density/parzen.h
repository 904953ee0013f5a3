/* parzen.h -- sums of kernels over many points, with a bounded error.
 *
 *     S(x) = sum_i w_i K(x - x_i),   K(u) = exp(-|u|^2 / 2), or 1 where all |u_j| <= 1/2          (1)
 *
 * The points lie in the order of a balanced tree: node k of level l holds points [n k / 2^l,
 * n (k+1) / 2^l), its tight box and its weight.  A query goes to the nearer child first.  A node
 * whose kernel lies between a and b adds w (a + b) / 2 in place of its points where
 *
 *     w (b - a) / 2 <= (rtol L + atol) w / W                                                      (2)
 *
 * L being what is certain so far, at most S.  The shares w / W sum to 1, so the whole error is at
 * most rtol S + atol (W the sum of all weights, atol in units of S).  A query depends on no other,
 * and on no thread.  Cost: building n log^2 n; a query the points near it and some boxes.
 *
 * Reference: Gray & Moore, "Nonparametric density estimation: toward computational tractability",
 * SDM 2003. */
#ifndef SMR_LEARN_DENSITY_PARZEN_H
#define SMR_LEARN_DENSITY_PARZEN_H

#include "core/ctx.h"

enum { SMR_PARZEN_GAUSSIAN, SMR_PARZEN_BOX, SMR_PARZEN_LEAF = 64 };

typedef struct smr_parzen {
    int kernel;
    int64_t n, d;
    int levels;      /* the leaves are at this one; 0: one leaf            */
    const double *x; /* n x d, in the tree's order: not owned              */
    const double *w; /* n, not owned; NULL: all 1                          */
    double *box;     /* nodes x 2 d: lower ends, upper ends                */
    double *weight;  /* nodes                                              */
    double rtol, atol;
} smr_parzen;

/* order[i] = the row that comes i-th in the tree's order of these n x d numbers. */
smr_status smr_parzen_order(smr_ctx *ctx, int64_t n, int64_t d, const double *x, int64_t *order);
/* Boxes and weights; fills what the struct owns. */
smr_status smr_parzen_build(smr_ctx *ctx, smr_parzen *p);
void smr_parzen_release(smr_parzen *p);

/* Doubles of room that a query needs. */
int64_t smr_parzen_room(const smr_parzen *p);
/* log S(x); `without` is a point that is left out (its place in the order), or -1. */
double smr_parzen_log_sum(const smr_parzen *p, const double *x, int64_t without, double *room);

#endif
