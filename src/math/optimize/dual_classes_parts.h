/* dual_classes_parts.h -- the state of a descent on the dual of k classes, shared by dual_classes.c
 * and dual_classes_free.c.
 *
 * p_ic >= 0 are the row's variables with their signs turned:
 *     max  p_c = C [c = y] - u_c, sum_c p_c = C
 *     sum  p_c = -u_c <= C for c != y */
#ifndef SMR_MATH_OPTIMIZE_DUAL_CLASSES_PARTS_H
#define SMR_MATH_OPTIMIZE_DUAL_CLASSES_PARTS_H

#include "math/optimize/dual_classes.h"
#include "math/optimize/dual_parts.h"

struct smr_classes {
    struct smr_dual d; /* rows, order, counts; its w, alpha, C serve as below        */
    const int32_t *label;
    int64_t k;
    smr_classes_opts opts;
    double *W;      /* (n_cols + 1) x k: feature by feature, the intercepts last     */
    double *centre; /* k: of the intercepts' penalty                                 */
    double *u;      /* n x k                                                         */
    double *f;      /* a row of scores and three of scratch per lane: 4 k            */
    double spent;   /* multiply-adds of joint steps                                  */
};

static inline double smr_classes_p(const struct smr_classes *s, int64_t i, int64_t c)
{
    double C = !s->opts.is_sum && c == s->label[i] ? s->d.C[i] : 0;
    return C - s->u[i * s->k + c];
}

/* f = W'x_i with the intercepts. */
void smr_classes_scores(const struct smr_classes *s, int64_t i, int lane, double *f);

/* W += x_i by'; for dense rows of another type, the one whose scores were taken last. */
void smr_classes_move(struct smr_classes *s, int64_t i, const double *by);

/* r_c = sum_i u_ic, which is 0 at the best answer with free intercepts. */
void smr_classes_balance(const struct smr_classes *s, double *r);

/* Moves all free variables in play at once, where they are few enough and the work is at most
 * `budget` multiply-adds. */
smr_status smr_classes_free(smr_ctx *ctx, struct smr_classes *s, double budget);

/* Puts u, W and the intercepts near the best by an interior point method; and about what it costs,
 * in multiply-adds. */
smr_status smr_classes_interior(smr_ctx *ctx, struct smr_classes *s);
double smr_classes_interior_cost(const struct smr_classes *s);

#endif
