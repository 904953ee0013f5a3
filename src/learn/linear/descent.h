/* descent.h -- gradient descent, watched: where each iteration was, told to a trace afterwards.
 *
 * The picture of a step is the objective over the two variables that moved farthest, the others
 * being where the descent ended, with the way so far; over one variable, its curve. */
#ifndef SMR_LEARN_LINEAR_DESCENT_H
#define SMR_LEARN_LINEAR_DESCENT_H

#include "learn/trace.h"
#include "math/optimize.h"

/* The model of the variables w: coefficients (q x d) and intercepts (q). */
typedef void (*smr_descent_model)(const void *self, const double *w, double *coef, double *b);

typedef struct smr_descent {
    smr_trace *trace;
    const smr_objective *f;
    int64_t q, d;
    smr_descent_model model;
    const void *self;
    /* Filled while it runs. */
    int64_t n, room;
    double *way; /* n x (3 + f->n): objective, |g|, step, w */
} smr_descent;

smr_status smr_descent_note(smr_ctx *ctx, smr_descent *descent, const smr_iteration *now);
/* Tells the steps; w is where the descent ended. */
smr_status smr_descent_tell(smr_ctx *ctx, smr_descent *descent, const double *w);
void smr_descent_release(smr_descent *descent);

#endif
