/* whitened.h -- a design in variables in which its rows have the same extent in all directions.
 *
 * With Z'Z = U E U' of the design's rows, each column at length 1, the rows are
 *
 *     t_i = T'z_i,   T = D U E^(-1/2),   D the columns' inverse lengths,                       (1)
 *
 * and sum t t' = I.  Columns that are combinations of others but for their last digits make small
 * differences in z, which sums of squares hide; in t they are as large as any.  Directions whose
 * part of E is below 1e-12 are left out: columns that agree to six digits count as one.
 *
 * Where such directions are, sums over z would lose in rounding what (1) stretches: the rows t are
 * then kept, up to a gigabyte of them, and all sums are over them.
 *
 * Cost: one pass, p^3; memory 2 p^2, and n p where columns are nearly collinear. */
#ifndef SMR_LEARN_LINEAR_WHITENED_H
#define SMR_LEARN_LINEAR_WHITENED_H

#include "learn/linear/design.h"

typedef struct smr_whitened {
    const smr_design *design;
    int64_t p, d; /* columns of the design; directions that are left */
    double *T;    /* p x d, by columns                               */
    double *back; /* p x d: T's inverse, transposed                   */
    double *G;    /* p x p: room                                     */
    double *beta; /* p: room                                         */
    double *rows; /* n x d: t; NULL: sums over z will do             */
} smr_whitened;

/* Of the rows with weight 1; the others (0) do not count. */
smr_status smr_whitened_open(smr_ctx *ctx, const smr_design *design, const double *weight,
                             smr_whitened *out);
void smr_whitened_close(smr_whitened *w);

/* beta (p) = T v, so that z'beta = t'v; v (d) of beta, but for what no row sees. */
void smr_whitened_leave(const smr_whitened *w, const double *v, double *beta);
void smr_whitened_enter(const smr_whitened *w, const double *beta, double *v);

/* As those of design.h.  Not for several threads at once. */
smr_status smr_whitened_scores(smr_ctx *ctx, const smr_whitened *w, const double *v, double *out);
smr_status smr_whitened_sums(smr_ctx *ctx, const smr_whitened *w, const double *u, double *out);
smr_status smr_whitened_gram(smr_ctx *ctx, const smr_whitened *w, const double *weight, double *G);
smr_status smr_whitened_row(smr_ctx *ctx, const smr_whitened *w, int64_t i, double *t);

#endif
