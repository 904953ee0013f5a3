/* special_parts.h -- what the distributions are made of: prefactors whose logarithms have twice the
 * digits, and tail probabilities with their logarithms. */
#ifndef SMR_MATH_SPECIAL_PARTS_H
#define SMR_MATH_SPECIAL_PARTS_H

#include "math/dd.h"
#include "math/special.h"

#include <stdbool.h>

static inline dd dd_of(double x)
{
    return (dd){x, 0};
}

/* A probability and its logarithm, which has its digits also where p underflows. */
typedef struct smr_tail {
    double p, log_p;
} smr_tail;

/* An argument of the incomplete beta: x + y = 1, and their logarithms, all with twice the
 * digits. */
typedef struct smr_unit_pair {
    dd x, y;
    dd log_x, log_y;
} smr_unit_pair;

smr_unit_pair smr_pair_of(dd x, dd y);
/* x = df / (df + t^2), y = t^2 / (df + t^2). */
smr_unit_pair smr_t_pair(double t, double df);

/* 0 < a <= 1e12 */
bool smr_is_parameter(double a);
/* e^(hi + lo); lo is far below 1. */
double smr_exp_dd(dd x);
/* Absolute error about 1e-18 + 1e-31 |result|. */
dd smr_log_gamma_dd(double x);
dd smr_log_beta_dd(double a, double b);
/* log(x^a e^-x / Gamma(a)), x > 0, and log(x^a y^b / B(a, b)), 0 < x < 1: x times the density. */
dd smr_gamma_factor(double a, dd x);
dd smr_beta_factor(double a, double b, const smr_unit_pair *u);

/* The regularised incomplete functions of special.h; parameters of the beta are valid. */
smr_tail smr_gamma_tail(double a, dd x, bool upper);
smr_tail smr_beta_tail(double a, double b, const smr_unit_pair *u, bool upper);
/* P(Z <= z) of the standard normal. */
smr_tail smr_normal_tail(double z);

#endif
