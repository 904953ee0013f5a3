/* loss.h -- losses as a table: what a learner pays for a score f where the target is y.
 *
 * Kinds:
 *     residual  y a number, r = f - y
 *     margin    y = -1 or 1, m = y f; the class is the sign of f
 *     log link  y >= 0 (gamma: y > 0), the mean is exp(f); half the unit deviance
 *     classes   y a class 0 .. k-1, f one score for each class (smr_loss_classes)
 *
 * value, slope and curvature are the loss and its first and second derivative in the score f.  At a
 * kink the slope is the sub-gradient that the entry's `kink` states and the curvature is 0; where
 * the second derivative jumps, the curvature is that of the side stated there.  For finite y and f
 * nothing is NaN; what is too large for a double is infinite. */
#ifndef SMR_MATH_LOSS_H
#define SMR_MATH_LOSS_H

#include "core/figure.h"

typedef enum smr_loss_kind {
    SMR_LOSS_RESIDUAL,
    SMR_LOSS_MARGIN,
    SMR_LOSS_LOG_LINK,
    SMR_LOSS_CLASSES
} smr_loss_kind;

typedef enum smr_loss_id {
    SMR_LOSS_SQUARED,
    SMR_LOSS_ABSOLUTE,
    SMR_LOSS_HUBER,
    SMR_LOSS_QUANTILE,
    SMR_LOSS_EPSILON,
    SMR_LOSS_ZERO_ONE,
    SMR_LOSS_PERCEPTRON,
    SMR_LOSS_HINGE,
    SMR_LOSS_SQUARED_HINGE,
    SMR_LOSS_LOGISTIC,
    SMR_LOSS_EXPONENTIAL,
    SMR_LOSS_POISSON,
    SMR_LOSS_GAMMA,
    SMR_LOSS_CROSS_ENTROPY,
    SMR_LOSS_HINGE_SUM,
    SMR_LOSS_HINGE_MAX,
    SMR_LOSS_COUNT
} smr_loss_id;

typedef struct smr_loss_point {
    double value, slope, curvature;
} smr_loss_point;

typedef struct smr_loss {
    smr_loss_id id;
    const char *name, *title, *formula;
    const char *kink; /* what slope and curvature are where they jump; NULL: they do not     */
    smr_loss_kind kind;
    const char *param; /* the parameter's name, or NULL                                       */
    double param_default, param_min, param_max; /* an open interval                           */
    bool is_convex;
    bool is_smooth;    /* the slope is continuous                                             */
    double lipschitz;  /* |slope| <= this at the default parameter, or INFINITY               */
    double smoothness; /* |curvature| <= this, or INFINITY                                    */
    smr_loss_point (*at)(double param, double y, double f); /* NULL for classes               */
} smr_loss;

/* All losses, in the order of smr_loss_id; by name, or NULL. */
extern const smr_loss smr_losses[SMR_LOSS_COUNT];
const smr_loss *smr_loss_find(const char *name);

/* The largest |slope| and |curvature| with this parameter; INFINITY where there is none. */
double smr_loss_lipschitz(const smr_loss *loss, double param);
double smr_loss_smoothness(const smr_loss *loss, double param);

/* Fails where `param` is outside the loss's interval, or where a target is outside the loss's
 * kind: names the row. */
smr_status smr_loss_check(smr_ctx *ctx, const smr_loss *loss, double param, int64_t n,
                          const double *y);

/* One row of any kind except classes. */
smr_loss_point smr_loss_at(const smr_loss *loss, double param, double y, double f);

/* n rows, with the bits of smr_loss_at.  Any output may be NULL, and may be f itself. */
void smr_loss_block(const smr_loss *loss, double param, int64_t n, const double *y, const double *f,
                    double *value, double *slope, double *curvature);

/* n rows of k scores, row i at f + i * k, with classes label[i]: value (n) and slope (n x k, the
 * gradient in the scores).  Either may be NULL; slope may be f itself.
 *     cross_entropy  log(sum_c exp(f_c)) - f_y         gradient p - e_y, p = softmax(f)
 *     hinge_sum      sum_{c != y} max(0, 1 + f_c - f_y)
 *     hinge_max      max(0, 1 + max_{c != y} f_c - f_y), the lowest class among equals */
void smr_loss_classes(const smr_loss *loss, int64_t n, int64_t k, const int32_t *label,
                      const double *f, double *value, double *slope);
/* p = softmax of k scores; p may be f. */
void smr_loss_softmax(int64_t k, const double *f, double *p);

/* A figure of value, slope and curvature against the residual, the margin, or (log link) the score
 * at target 1, at n points of [from, to]. */
smr_status smr_loss_figure(smr_ctx *ctx, smr_json *figures, const smr_loss *loss, double param,
                           double from, double to, int64_t n);
/* One figure of several losses' values over one kind's axis: "residuals", "margins", "scores". */
smr_status smr_loss_compare_figure(smr_ctx *ctx, smr_json *figures, const smr_loss *const *losses,
                                   int64_t n_losses, double from, double to, int64_t n);

#endif
