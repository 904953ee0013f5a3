/* student.c -- the distributions of t, F and chi-square (special.h).
 *
 * They are incomplete beta and gamma functions; where x is a quotient (df1 f / (df1 f + df2)) it is
 * formed with twice the digits, because x^a multiplies its relative error by a. */
#include "core/ctx.h"
#include "kernel/kernel.h"
#include "math/special_parts.h"

#include <float.h>

/* ---- t -------------------------------------------------------------------------------- */

/* x = df / (df + t^2), y = t^2 / (df + t^2). */
smr_unit_pair smr_t_pair(double t, double df)
{
    if (fabs(t) > 1e100) { /* t^2 may overflow, and 1 is negligible beside it */
        dd log_t = smr_dd_log(dd_of(fabs(t)));
        dd log_x = dd_minus(smr_dd_log(dd_of(df)), (dd){2 * log_t.hi, 2 * log_t.lo});
        return (smr_unit_pair){dd_of(smr_exp(log_x.hi)), dd_of(1), log_x, {0, 0}};
    }
    dd square = dd_two_product(t, t), sum = dd_plus(square, dd_of(df));
    return smr_pair_of(dd_over(dd_of(df), sum), dd_over(square, sum));
}

/* P(|T| >= |t|), or with `inner` P(|T| <= |t|). */
static double t_both(double t, double df, bool inner)
{
    if (!(smr_is_parameter(df) || df == INFINITY) || isnan(t)) return NAN;
    if (fabs(t) < 1e-140) return inner ? 0 : 1;
    if (isinf(t)) return inner ? 1 : 0;
    if (df == INFINITY) {
        double tail = 2 * smr_normal_cdf(-fabs(t));
        return inner ? 1 - tail : tail;
    }
    smr_unit_pair u = smr_t_pair(t, df);
    return smr_beta_tail(0.5 * df, 0.5, &u, inner).p;
}

double smr_t_two_sided(double t, double df)
{
    return t_both(t, df, false);
}

double smr_t_cdf(double t, double df)
{
    if (t >= 0 && t < 1) return 0.5 + 0.5 * t_both(t, df, true);
    double tail = 0.5 * t_both(t, df, false);
    return t > 0 ? 1 - tail : tail;
}

static double t_density(double t, double df)
{
    smr_unit_pair u = smr_t_pair(t, df);
    dd power = dd_times(dd_of(0.5 * (df + 1)), u.log_x);
    return smr_exp_dd(dd_minus(power, smr_log_beta_dd(0.5 * df, 0.5))) / sqrt(df);
}

/* With s = log t, both log P(|T| >= t) and log P(|T| <= t) are concave in s and nearly straight
 * away from the middle, so Newton's steps in s converge from the normal quantile. */
double smr_t_quantile(double p, double df)
{
    if (!(p >= 0 && p <= 1) || !(smr_is_parameter(df) || df == INFINITY)) return NAN;
    if (p == 0 || p == 1 || p == 0.5) return p == 0.5 ? 0 : p == 0 ? -INFINITY : INFINITY;
    if (df == INFINITY) return smr_normal_quantile(p);
    double tail = p < 0.5 ? p : 1 - p;
    bool inner = tail > 0.25;
    double goal = inner ? 2 * fabs(p - 0.5) : 2 * tail;
    double t = fabs(smr_normal_quantile(tail));
    for (int step = 0; step < 100; step++) {
        double at = t_both(t, df, inner), slope = 2 * t * t_density(t, df) / at;
        double move = smr_log(at / goal) / slope;
        t *= smr_exp(inner ? -move : move);
        if (!(t < INFINITY)) return p < 0.5 ? -INFINITY : INFINITY; /* past all doubles */
        if (fabs(move) < 4 * DBL_EPSILON) break;
    }
    return p < 0.5 ? -t : t;
}

/* ---- F and chi-square ----------------------------------------------------------------- */

static double f_probability(double x, double df1, double df2, bool upper)
{
    if (!smr_is_parameter(df1) || isnan(x)) return NAN;
    if (df2 == INFINITY) {
        double a = 0.5 * df1;
        return upper ? smr_gamma_upper(a, a * x) : smr_gamma_lower(a, a * x);
    }
    if (!smr_is_parameter(df2)) return NAN;
    if (x <= 0) return x < 0 ? NAN : upper ? 1 : 0;
    if (x == INFINITY) return upper ? 0 : 1;
    double scale = x > 1e200    ? 0x1p-600
                   : x < 1e-200 ? 0x1p600
                                : 1; /* keeps the products in range */
    dd a = dd_two_product(df1, x * scale), b = dd_of(df2 * scale), sum = dd_plus(a, b);
    smr_unit_pair u = smr_pair_of(dd_over(a, sum), dd_over(b, sum));
    return smr_beta_tail(0.5 * df1, 0.5 * df2, &u, upper).p;
}

double smr_f_cdf(double x, double df1, double df2)
{
    return f_probability(x, df1, df2, false);
}

double smr_f_upper(double x, double df1, double df2)
{
    return f_probability(x, df1, df2, true);
}

double smr_chi2_cdf(double x, double df)
{
    return smr_gamma_lower(0.5 * df, 0.5 * x);
}

double smr_chi2_upper(double x, double df)
{
    return smr_gamma_upper(0.5 * df, 0.5 * x);
}
