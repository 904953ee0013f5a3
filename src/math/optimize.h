/* optimize.h -- minimising a function of n numbers: one objective, one result, several methods.
 *
 * All methods are deterministic and run on the calling thread; what is parallel is the objective.
 * Memory is a few vectors of length n, taken through the context before the first iteration.  They
 * can be cancelled between iterations.  What goes wrong with numbers (no finite value, no minimum,
 * a step that is too long) is a fact of the result, `why`, and never a failure: w is then the best
 * point that was seen.
 *
 * Stopping rule of every method: |g|_2 <= tol * scale, where g is the gradient (for a method with a
 * penalty or a constraint: its generalisation, stated there) and scale is `scale` of the options,
 * or |g|_2 at the start where that is 0.  So tol is relative, and a caller that starts near the
 * minimum says relative to what.  Reference: Nocedal & Wright, Numerical Optimization, 2nd ed.,
 * 2006. */
#ifndef SMR_MATH_OPTIMIZE_H
#define SMR_MATH_OPTIMIZE_H

#include "core/ctx.h"

typedef struct smr_objective {
    int64_t n;
    void *self;
    /* f = f(w), g (n) = its gradient. */
    smr_status (*evaluate)(smr_ctx *ctx, void *self, const double *w, double *f, double *g);
    /* The four below may be NULL.  `prepare` is called once before the others at a new w, which is
     * the one that evaluate saw last: what depends on w alone can be kept. */
    smr_status (*prepare)(smr_ctx *ctx, void *self, const double *w);
    /* out = H v, h = diag H, H (n x n) = the Hessian at w, symmetric. */
    smr_status (*hessian_times)(smr_ctx *ctx, void *self, const double *w, const double *v,
                                double *out);
    smr_status (*hessian_diagonal)(smr_ctx *ctx, void *self, const double *w, double *h);
    smr_status (*hessian)(smr_ctx *ctx, void *self, const double *w, double *H);
} smr_objective;

typedef enum smr_why {
    SMR_WHY_GRADIENT,   /* the rule above holds                                               */
    SMR_WHY_PROGRESS,   /* f fell by less than f_tol * max(1, |f|)                            */
    SMR_WHY_GAP,        /* the duality gap is small enough (coordinate descent)               */
    SMR_WHY_ROUNDING,   /* no step lowers f any more: the limit of what doubles can tell      */
    SMR_WHY_ITERATIONS, /* max_iter                                                           */
    SMR_WHY_STOPPED,    /* the callback asked for it                                          */
    SMR_WHY_DIVERGED,   /* f grows: the step is too long                                      */
    SMR_WHY_UNBOUNDED,  /* f fell below SMR_UNBOUNDED: there is no minimum                    */
    SMR_WHY_NOT_FINITE  /* f or g is not finite where the method must go on                   */
} smr_why;

#define SMR_UNBOUNDED (-1e100)

/* "the gradient is small enough", ... */
const char *smr_why_words(smr_why why);

typedef struct smr_iteration {
    int64_t iteration, evaluations;
    double f, gradient, step; /* |g|_2; the length of the step as the method counts it */
    const double *w;          /* where it is; NULL: the method does not tell           */
} smr_iteration;

typedef struct smr_optimize_opts {
    int64_t max_iter; /* 0: 1000                                                                  */
    double tol;       /* 0: 1e-6                                                                  */
    double scale;     /* 0: |g| at the start                                                      */
    double f_tol;     /* 0: off                                                                   */
    const char *
        what; /* names the work to the progress callback; NULL: "optimising"                      */
    /* Called with iteration 0 (the start) and after each; false ends the work.  May be NULL. */
    bool (*each)(void *user, const smr_iteration *now);
    void *user;
} smr_optimize_opts;

typedef struct smr_optimize_result {
    int64_t iterations, evaluations, products; /* products: Hessian times a vector */
    double f, gradient;                        /* at w; f with its penalty         */
    bool converged;                            /* by GRADIENT, PROGRESS or GAP     */
    smr_why why;
} smr_optimize_result;

/* ---- smooth functions; w is the start on entry, the answer on return ---- */

typedef enum smr_step_rule {
    SMR_STEP_FIXED,   /* `step` as it is                                                   */
    SMR_STEP_ARMIJO,  /* halved until f falls by 1e-4 of what the slope promises           */
    SMR_STEP_BARZILAI /* Barzilai and Borwein's, held back by the largest of the last 10 f */
} smr_step_rule;

typedef struct smr_gd_opts {
    smr_step_rule rule;
    double step; /* fixed, or the first one tried; 0 (not for fixed): 1 / |g| */
} smr_gd_opts;

/* w <- w - step g.  With a fixed step, 20 rises of f in a row are a divergence. */
smr_status smr_gradient_descent(smr_ctx *ctx, const smr_objective *objective, smr_gd_opts how,
                                const smr_optimize_opts *opts, double *w, smr_optimize_result *out);

/* L-BFGS with `memory` pairs (0: 10) and a strong-Wolfe search. */
smr_status smr_lbfgs(smr_ctx *ctx, const smr_objective *objective, int64_t memory,
                     const smr_optimize_opts *opts, double *w, smr_optimize_result *out);

/* Minimises f(w) + sum_j l1[j] |w_j| by OWL-QN; g is the sub-gradient of least norm.  Zeros of w
 * are exact. */
smr_status smr_owlqn(smr_ctx *ctx, const smr_objective *objective, const double *l1, int64_t memory,
                     const smr_optimize_opts *opts, double *w, smr_optimize_result *out);

/* Trust-region Newton, its steps by conjugate gradients, with hessian_diagonal as preconditioner
 * where there is one.  Needs hessian_times. */
smr_status smr_trust_newton(smr_ctx *ctx, const smr_objective *objective,
                            const smr_optimize_opts *opts, double *w, smr_optimize_result *out);

/* Newton with the dense Hessian by Cholesky, damped by halving; where H is not positive definite a
 * multiple of its diagonal is added.  Needs hessian; n^2 numbers. */
smr_status smr_newton(smr_ctx *ctx, const smr_objective *objective, const smr_optimize_opts *opts,
                      double *w, smr_optimize_result *out);

/* ---- f(w) + p(w), p simple ---- */

/* out = argmin_u p(u) + |u - v|^2 / (2 step); out may be v.  value = p(w), or NULL for the
 * projection on a set, where p is 0.  Ready-made ones are in math/optimize/project.h. */
typedef struct smr_proximal {
    const void *self;
    void (*apply)(const void *self, int64_t n, double step, const double *v, double *out);
    double (*value)(const void *self, int64_t n, const double *w);
} smr_proximal;

typedef struct smr_proximal_opts {
    double step;        /* the first one tried; 0: 1 / |g|                                      */
    bool fixed;         /* keep it: 1 / step bounds the curvature                               */
    bool plain;         /* ISTA; else FISTA                                                     */
    bool never_restart; /* FISTA as published; else momentum is dropped when it points uphill   */
} smr_proximal_opts;

/* Proximal and projected gradient.  g is the gradient map (w - prox(w - step grad f)) / step. */
smr_status smr_proximal_gradient(smr_ctx *ctx, const smr_objective *objective,
                                 const smr_proximal *proximal, smr_proximal_opts how,
                                 const smr_optimize_opts *opts, double *w,
                                 smr_optimize_result *out);

#endif
