/* lad_parts.h -- regression by linear programming: what its two phases share.
 *
 * Over beta in R^p, with rows z_i of a design matrix,
 *
 *     minimise sum_i high_i max(r_i, 0) + low_i max(-r_i, 0),     r = y - Z beta                (1)
 *
 * whose dual, over one number u_i a row, is
 *
 *     maximise y'u,     Z'u = 0,     -low_i <= u_i <= high_i.                                   (2)
 *
 * A pair (beta, u) is optimal when sum_i [cost(r_i) - u_i r_i], which is never negative, is 0: the
 * duality gap.  A penalty l1 |w_k| is one more row: y = 0, low = high = l1, z = scale_k e_k.
 *
 * Phase 1 (lad_interior.c) comes close to the optimum; phase 2 (lad_vertex.c) goes to a vertex, a
 * beta that makes p independent rows' residuals 0, and by pivots to one whose u obeys (2). */
#ifndef SMR_LEARN_LINEAR_LAD_PARTS_H
#define SMR_LEARN_LINEAR_LAD_PARTS_H

#include "learn/linear/design.h"

/* ---- the problem ---- */

typedef struct smr_lad_lp {
    const smr_design *design;
    int64_t n, m, p;    /* rows; rows and penalties; unknowns                   */
    double *y;          /* m                                                    */
    double *low, *high; /* m; both 0 for a row of weight 0                     */
    double l1;
    double *beta;   /* p                                                       */
    double *r, *u;  /* m: residuals; dual                                      */
    double *inside; /* m: how far u is from its bounds, 0 .. 1/2 of their width */
    double total;   /* sum of low + high over the rows                         */
    int64_t n_interior, n_pivots;
    bool is_vertex; /* phase 2 ended with u inside its bounds                  */
} smr_lad_lp;

smr_status smr_lad_open(smr_ctx *ctx, const smr_design *design, double l1, smr_lad_lp *out);
void smr_lad_close(smr_lad_lp *lad);

/* As smr_design_scores, _sums, _gram and _row, over rows and penalties. */
smr_status smr_lad_scores(smr_ctx *ctx, const smr_lad_lp *lad, const double *beta, double *out);
smr_status smr_lad_sums(smr_ctx *ctx, const smr_lad_lp *lad, const double *u, double *out);
smr_status smr_lad_gram(smr_ctx *ctx, const smr_lad_lp *lad, const double *weight, const double *u,
                        double *G, double *sums);
smr_status smr_lad_row(smr_ctx *ctx, const smr_lad_lp *lad, int64_t i, double *z);
/* r = y - Z beta. */
smr_status smr_lad_residuals(smr_ctx *ctx, smr_lad_lp *lad);
/* (1) at r, rows [lo, hi). */
double smr_lad_cost(const smr_lad_lp *lad, int64_t lo, int64_t hi);

/* ---- what the learners lad and quantile share ---- */

struct smr_lad_params {
    double q; /* quantile's; lad does not read it */
    double l1;
    bool fit_intercept;
};

/* A penalty holds the coefficients. */
void smr_lad_nature(const void *params, smr_nature *its);

struct smr_lad_state {
    int64_t n_features, n_outputs;
    double q, n_rows;
    double *coef, *intercept;
    double *objective, *gap, *balance, *r1, *below;
    int64_t *n_zero, *n_steps, *n_pivots;
};

/* What both fit; quantile has all parameters, lad all but the first. */
enum { SMR_LAD_PARAMS = 3 };
extern const smr_param smr_lad_params[SMR_LAD_PARAMS];
extern const smr_fitted smr_lad_fitted;

/* A row of weight 1 costs low below the fit and high above it, for a distance of 1. */
smr_status smr_lad_fit(smr_ctx *ctx, const struct smr_lad_params *params, double low, double high,
                       const smr_data *data, struct smr_lad_state *state, smr_fit_report *report);

/* ---- the two phases ---- */

/* beta is the start on entry; fills beta, r, u and inside. */
smr_status smr_lad_interior(smr_ctx *ctx, smr_lad_lp *lad);
/* From beta and inside to a vertex that is optimal; fills beta, r and u. */
smr_status smr_lad_vertex(smr_ctx *ctx, smr_lad_lp *lad);

#endif
