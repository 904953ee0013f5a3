/* run.h -- what the methods of optimize.h share: counting, stopping, reporting; the line search. */
#ifndef SMR_MATH_OPTIMIZE_RUN_H
#define SMR_MATH_OPTIMIZE_RUN_H

#include "math/optimize.h"

#define SMR_SWAP(a, b)    \
    do {                  \
        double *t_ = (a); \
        (a) = (b);        \
        (b) = t_;         \
    } while (0)

/* One run of a method: the objective, the options with their defaults filled in, the counters. */
struct smr_run {
    const smr_objective *objective;
    smr_optimize_opts opts;
    double limit;     /* |g| at which the run ends */
    double before;    /* f of the iteration before */
    const double *at; /* the point that is reached; NULL: not told */
    smr_optimize_result *out;
};

/* Begins: the result is cleared, defaults are filled in. */
void smr_run_begin(struct smr_run *run, const smr_objective *objective,
                   const smr_optimize_opts *opts, smr_optimize_result *out);

/* f and g at w, counted.  A value that is not finite is returned as it is. */
smr_status smr_run_evaluate(smr_ctx *ctx, struct smr_run *run, const double *w, double *f,
                            double *g);

/* Reports the point that an iteration reached (iteration 0: the start) and decides whether the run
 * is over: *done, with why and converged set. */
smr_status smr_run_reached(smr_ctx *ctx, struct smr_run *run, int64_t iteration, double f,
                           double gradient, double step, bool *done);

/* Ends for a reason that smr_run_reached does not see. */
void smr_run_end(struct smr_run *run, smr_why why);

/* |x|_2 without overflow or underflow on the way; NaN if some x is. */
double smr_norm(int64_t n, const double *x);
bool smr_all_finite(int64_t n, const double *x);

/* ---- a step along d with the strong Wolfe conditions ---- */

struct smr_search {
    const double *w, *d; /* from w along d                                             */
    double f, slope;     /* at w; slope = g'd < 0                                      */
    double step;         /* the first one tried; on return the one taken               */
    double *w_new, *g_new;
    double f_new;
    double curvature; /* c2: |slope| at the end <= c2 |slope| at the start */
};

/* Finds a step with f(w + a d) <= f + 1e-4 a slope and |slope(a)| <= curvature |slope|, by
 * bracketing and cubic interpolation; points without finite values count as too far.  Near the
 * minimum, where f cannot be told apart, the slopes decide (Hager & Zhang's approximate
 * conditions).  *found is false if no such step exists to working precision; the best point that
 * was seen is then in w_new if it is lower than w, and step is 0 if it is not. */
smr_status smr_search_step(smr_ctx *ctx, struct smr_run *run, struct smr_search *s, bool *found);

#endif
