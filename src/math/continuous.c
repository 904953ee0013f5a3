/* continuous.c -- distributions of real numbers (distribution.h).
 *
 * All are the gamma, the beta and the normal distribution of a changed variable, which is formed
 * with twice the digits: x^a multiplies the relative error of x by a.
 *
 * The quantile q of a gamma or beta distribution solves log T(x) = log p, where T is the tail with
 * p <= 1/2.  In s = log x (gamma) or s = log x/(1-x) (beta) the density of s is log-concave, so
 * log T is concave and Newton's steps
 *
 *     s <- s - (log T - log p) T / T'                                                          (1)
 *
 * converge from one side after the first.  They begin at a normal approximation and are not longer
 * than two deviations of s, so that none leaves the range of the numbers; those of the gamma, whose
 * log T falls as -exp(s), not beyond a place that is known to be past the quantile. */
#include "kernel/kernel.h"
#include "math/distribution.h"

#include <float.h>

static const dd HALF_LOG_2PI = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
static const double LOG_2 = 0x1.62e42fefa39efp-1;
static const dd NOTHING = {-INFINITY, 0};
static const smr_tail ALL = {1, 0}, NONE = {0, -INFINITY};

static smr_tail all_if(bool all)
{
    return all ? ALL : NONE;
}

static dd log_of(double x)
{
    return smr_dd_log(dd_of(x));
}

/* ---- gaussian: mean, sd ----------------------------------------------------------------- */

static const char *gaussian_wrong(const double *p, int64_t *which)
{
    *which = isfinite(p[0]) ? 1 : 0;
    if (!isfinite(p[0])) return "a finite number";
    return p[1] > 0 && p[1] < INFINITY ? NULL : "a number above 0";
}

static dd standard(const double *p, double x)
{
    return dd_over(dd_two_sum(x, -p[0]), dd_of(p[1]));
}

static dd gaussian_log_density(const double *p, double x)
{
    dd z = standard(p, x);
    if (fabs(z.hi) > 1e150 || isinf(x)) return NOTHING;
    dd square = dd_times(z, z);
    dd r = dd_plus((dd){0.5 * square.hi, 0.5 * square.lo}, dd_plus(HALF_LOG_2PI, log_of(p[1])));
    return (dd){-r.hi, -r.lo};
}

static smr_tail gaussian_tail(const double *p, double x, bool upper)
{
    if (isinf(x)) return all_if((x > 0) != upper);
    dd z = standard(p, x);
    double sign = upper ? -1 : 1;
    smr_tail tail = smr_normal_tail(sign * z.hi);
    /* Phi(hi + lo) = Phi(hi) + lo phi(hi) to first order: lo is below an ulp */
    if (tail.p > 0) {
        double move = sign * z.lo * smr_normal_pdf(z.hi);
        tail = (smr_tail){tail.p + move, tail.log_p + move / tail.p};
    } else if (tail.log_p > -INFINITY)
        tail.log_p -= z.hi * z.lo;
    return tail;
}

static double gaussian_quantile(const double *p, double tail, bool upper)
{
    double z = smr_normal_quantile(tail);
    return p[0] + p[1] * (upper ? -z : z);
}

static double gaussian_draw(const double *p, smr_draw *d)
{
    return p[0] + p[1] * smr_draw_normal(d);
}

const smr_family smr_family_gaussian = {"gaussian",     2,
                                        {"mean", "sd"}, false,
                                        gaussian_wrong, gaussian_log_density,
                                        gaussian_tail,  gaussian_quantile,
                                        gaussian_draw};

/* ---- student-t: df, mean, scale --------------------------------------------------------- */

static const char *student_wrong(const double *p, int64_t *which)
{
    *which = 0;
    if (!smr_is_parameter(p[0]) && p[0] != INFINITY) return "a number above 0, up to 1e12";
    const char *wrong = gaussian_wrong(p + 1, which);
    ++*which;
    return wrong;
}

static dd student_log_density(const double *p, double x)
{
    if (p[0] == INFINITY) return gaussian_log_density(p + 1, x);
    if (isinf(x)) return NOTHING;
    double df = p[0];
    dd z = standard(p + 1, x);
    smr_unit_pair u = smr_t_pair(z.hi, df);
    if (fabs(z.hi) <= 1e100) { /* with all digits of z */
        dd square = dd_times(z, z), sum = dd_plus(square, dd_of(df));
        u.log_x = smr_dd_log(dd_over(dd_of(df), sum));
    }
    dd power = dd_times(dd_times(dd_of(0.5), dd_two_sum(df, 1)), u.log_x), root = log_of(df);
    dd norm = dd_plus(smr_log_beta_dd(0.5 * df, 0.5), (dd){0.5 * root.hi, 0.5 * root.lo});
    return dd_minus(power, dd_plus(norm, log_of(p[2])));
}

static smr_tail student_tail(const double *p, double x, bool upper)
{
    if (p[0] == INFINITY) return gaussian_tail(p + 1, x, upper);
    if (isinf(x)) return all_if((x > 0) != upper);
    double z = dd_value(standard(p + 1, x)), df = p[0];
    if (upper) z = -z;
    if (fabs(z) < 1e-140) return (smr_tail){0.5, -LOG_2};
    smr_unit_pair u = smr_t_pair(z, df);
    smr_tail both = smr_beta_tail(0.5 * df, 0.5, &u, false); /* P(|T| >= |z|) */
    if (z < 0) return (smr_tail){0.5 * both.p, both.log_p - LOG_2};
    if (z < 1) {
        double q = 0.5 + 0.5 * smr_beta_tail(0.5 * df, 0.5, &u, true).p;
        return (smr_tail){q, smr_log1p(-0.5 * both.p)};
    }
    return (smr_tail){1 - 0.5 * both.p, smr_log1p(-0.5 * both.p)};
}

static double student_quantile(const double *p, double tail, bool upper)
{
    double z = smr_t_quantile(tail, p[0]);
    return p[1] + p[2] * (upper ? -z : z);
}

static double student_draw(const double *p, smr_draw *d)
{
    double z = smr_draw_normal(d);
    if (p[0] == INFINITY) return p[1] + p[2] * z;
    double half = 0.5 * p[0]; /* chi-square / df = gamma(df/2) / (df/2) */
    return p[1] + p[2] * z * smr_exp(0.5 * (smr_log(half) - smr_draw_log_gamma(d, half)));
}

const smr_family smr_family_student = {"student-t",
                                       3,
                                       {"df", "mean", "scale"},
                                       false,
                                       student_wrong,
                                       student_log_density,
                                       student_tail,
                                       student_quantile,
                                       student_draw};

/* ---- gamma: shape, rate ----------------------------------------------------------------- */

/* About the mean of log X for gamma(a, 1), and its deviation. */
static double log_centre(double a)
{
    return smr_log(a + 0.5) - 1 / a;
}

static double log_deviation(double a)
{
    return sqrt(a + 1) / a;
}

/* A step of (1), limited; `slope` is |d log T / ds|. */
static double limited_step(double miss, double slope, bool upper, double most)
{
    double step = (upper ? miss : -miss) / slope;
    if (!(slope > 0)) step = upper == (miss > 0) ? most : -most;
    return step > most ? most : step < -most ? -most : step;
}

enum { MOST_STEPS = 200 };

/* The x with this tail of gamma(a, 1). */
static double standard_gamma_quantile(double a, double tail, bool upper)
{
    if (tail == 0 || tail == 1) return upper == (tail == 1) ? 0 : INFINITY;
    if (tail > 0.5) {
        tail = 1 - tail;
        upper = !upper;
    }
    double goal = smr_log(tail), z = smr_normal_quantile(tail), sd = log_deviation(a);
    double x = smr_exp(log_centre(a) + (upper ? -z : z) * sd);
    double far = a + sqrt(-2 * a * goal) - goal; /* Q(a, far) <= tail: Laurent and Massart */
    if ((!upper || !(x > DBL_MIN)) && a < 1)     /* P(a, x) < x^a / Gamma(a+1) */
        x = smr_exp(((upper ? smr_log1p(-tail) : goal) + smr_log_gamma(a + 1)) / a);
    if (!(x <= far)) x = far;
    for (int step = 0; step < MOST_STEPS && x > DBL_MIN && x < INFINITY; step++) {
        smr_tail at = smr_gamma_tail(a, dd_of(x), upper);
        double slope = smr_exp(smr_gamma_factor(a, dd_of(x)).hi - at.log_p);
        double move = limited_step(at.log_p - goal, slope, upper, 2 * sd + 1);
        x *= smr_exp(move);
        if (!(x <= far)) x = far;
        if (fabs(move) < 4 * DBL_EPSILON) break;
    }
    return x;
}

static const char *gamma_wrong(const double *p, int64_t *which)
{
    *which = smr_is_parameter(p[0]);
    if (!smr_is_parameter(p[0])) return "a number above 0, up to 1e12";
    return p[1] > 0 && p[1] < INFINITY ? NULL : "a number above 0";
}

static dd gamma_log_density(const double *p, double x)
{
    if (x < 0 || x == INFINITY) return NOTHING;
    if (x == 0) {
        if (p[0] != 1) return p[0] < 1 ? (dd){INFINITY, 0} : NOTHING;
        return log_of(p[1]);
    }
    return dd_minus(smr_gamma_factor(p[0], dd_two_product(p[1], x)), log_of(x));
}

static smr_tail gamma_tail(const double *p, double x, bool upper)
{
    if (x <= 0) return all_if(upper);
    if (x == INFINITY) return all_if(!upper);
    return smr_gamma_tail(p[0], dd_two_product(p[1], x), upper);
}

static double gamma_quantile(const double *p, double tail, bool upper)
{
    return standard_gamma_quantile(p[0], tail, upper) / p[1];
}

static double gamma_draw(const double *p, smr_draw *d)
{
    return smr_exp(smr_draw_log_gamma(d, p[0])) / p[1];
}

const smr_family smr_family_gamma = {
    "gamma",           2,          {"shape", "rate"}, false,     gamma_wrong,
    gamma_log_density, gamma_tail, gamma_quantile,    gamma_draw};

/* ---- inverse-gamma: shape, scale; 1/X is gamma(shape, scale) ---------------------------- */

static dd inverse_log_density(const double *p, double x)
{
    if (x <= 0 || x == INFINITY) return NOTHING;
    return dd_minus(smr_gamma_factor(p[0], dd_over(dd_of(p[1]), dd_of(x))), log_of(x));
}

static smr_tail inverse_tail(const double *p, double x, bool upper)
{
    if (x <= 0) return all_if(upper);
    if (x == INFINITY) return all_if(!upper);
    return smr_gamma_tail(p[0], dd_over(dd_of(p[1]), dd_of(x)), !upper);
}

static double inverse_quantile(const double *p, double tail, bool upper)
{
    return p[1] / standard_gamma_quantile(p[0], tail, !upper);
}

static double inverse_draw(const double *p, smr_draw *d)
{
    return p[1] * smr_exp(-smr_draw_log_gamma(d, p[0]));
}

const smr_family smr_family_inverse_gamma = {"inverse-gamma",    2,
                                             {"shape", "scale"}, false,
                                             gamma_wrong,        inverse_log_density,
                                             inverse_tail,       inverse_quantile,
                                             inverse_draw};

/* ---- chi-square: df --------------------------------------------------------------------- */

static const char *chi2_wrong(const double *p, int64_t *which)
{
    *which = 0;
    return smr_is_parameter(p[0]) ? NULL : "a number above 0, up to 1e12";
}

static dd chi2_log_density(const double *p, double x)
{
    return gamma_log_density((double[]){0.5 * p[0], 0.5}, x);
}

static smr_tail chi2_tail(const double *p, double x, bool upper)
{
    return gamma_tail((double[]){0.5 * p[0], 0.5}, x, upper);
}

static double chi2_quantile(const double *p, double tail, bool upper)
{
    return 2 * standard_gamma_quantile(0.5 * p[0], tail, upper);
}

static double chi2_draw(const double *p, smr_draw *d)
{
    return 2 * smr_exp(smr_draw_log_gamma(d, 0.5 * p[0]));
}

const smr_family smr_family_chi2 = {
    "chi-square",     1,         {"df"},        false,    chi2_wrong,
    chi2_log_density, chi2_tail, chi2_quantile, chi2_draw};

/* ---- exponential: rate ------------------------------------------------------------------ */

static const char *exponential_wrong(const double *p, int64_t *which)
{
    *which = 0;
    return p[0] > 0 && p[0] < INFINITY ? NULL : "a number above 0";
}

static dd exponential_log_density(const double *p, double x)
{
    if (x < 0 || x == INFINITY) return NOTHING;
    return dd_minus(log_of(p[0]), dd_two_product(p[0], x));
}

static smr_tail exponential_tail(const double *p, double x, bool upper)
{
    if (x <= 0) return all_if(upper);
    if (x == INFINITY) return all_if(!upper);
    dd power = dd_two_product(-p[0], x);
    if (upper) return (smr_tail){smr_exp_dd(power), power.hi};
    double below = -smr_expm1(power.hi);
    return (smr_tail){below, power.hi < -1 ? smr_log1p(-smr_exp_dd(power)) : smr_log(below)};
}

static double exponential_quantile(const double *p, double tail, bool upper)
{
    return -(upper ? smr_log(tail) : smr_log1p(-tail)) / p[0];
}

static double exponential_draw(const double *p, smr_draw *d)
{
    return -smr_log(smr_draw_unit(d)) / p[0];
}

const smr_family smr_family_exponential = {"exponential",     1,
                                           {"rate"},          false,
                                           exponential_wrong, exponential_log_density,
                                           exponential_tail,  exponential_quantile,
                                           exponential_draw};

/* ---- beta: a, b ------------------------------------------------------------------------- */

static const char *beta_wrong(const double *p, int64_t *which)
{
    *which = smr_is_parameter(p[0]);
    return smr_is_parameter(p[0]) && smr_is_parameter(p[1]) ? NULL : "a number above 0, up to 1e12";
}

/* The density at 0 for a shape a, the other being b. */
static dd beta_at_end(double a, double b)
{
    if (a != 1) return a < 1 ? (dd){INFINITY, 0} : NOTHING;
    return log_of(b);
}

static dd beta_log_density(const double *p, double x)
{
    if (!(x >= 0 && x <= 1)) return NOTHING;
    if (x == 0) return beta_at_end(p[0], p[1]);
    if (x == 1) return beta_at_end(p[1], p[0]);
    smr_unit_pair u = smr_pair_of(dd_of(x), dd_two_sum(1, -x));
    return dd_minus(smr_beta_factor(p[0], p[1], &u), dd_plus(u.log_x, u.log_y));
}

static smr_tail beta_tail(const double *p, double x, bool upper)
{
    if (x <= 0 || x >= 1) return all_if((x <= 0) == upper);
    smr_unit_pair u = smr_pair_of(dd_of(x), dd_two_sum(1, -x));
    return smr_beta_tail(p[0], p[1], &u, upper);
}

/* x / (1 - x) = odds, the smaller of the two to the last digit. */
static smr_unit_pair pair_of_odds(double odds)
{
    dd small = dd_of(odds <= 1 ? odds / (1 + odds) : 1 / (1 + odds));
    dd large = dd_two_sum(1, -small.hi);
    return odds <= 1 ? smr_pair_of(small, large) : smr_pair_of(large, small);
}

static double beta_quantile(const double *p, double tail, bool upper)
{
    double a = p[0], b = p[1];
    if (tail == 0 || tail == 1) return upper == (tail == 1) ? 0 : 1;
    if (tail > 0.5) {
        tail = 1 - tail;
        upper = !upper;
    }
    double sd = sqrt((a + 1) / a / a + (b + 1) / b / b), z = smr_normal_quantile(tail);
    double start = log_centre(a) - log_centre(b) + (upper ? -z : z) * sd;
    double goal = smr_log(tail), odds = smr_exp(smr_fmax(-700, smr_fmin(700, start)));
    for (int step = 0; step < MOST_STEPS && odds > 1e-305 && odds < 1e305; step++) {
        smr_unit_pair u = pair_of_odds(odds);
        smr_tail at = smr_beta_tail(a, b, &u, upper);
        double slope = smr_exp(smr_beta_factor(a, b, &u).hi - at.log_p);
        double move = limited_step(at.log_p - goal, slope, upper, 2 * sd + 1);
        odds *= smr_exp(smr_fmax(-700, smr_fmin(700, move)));
        if (fabs(move) < 4 * DBL_EPSILON) break;
    }
    if (odds <= 1e-305) /* P(X <= x) is x^a / (a B(a, b)), to the last digit */
        return smr_exp(((upper ? smr_log1p(-tail) : goal) + smr_log(a) + smr_log_beta(a, b)) / a);
    return odds <= 1 ? odds / (1 + odds) : odds == INFINITY ? 1 : 1 - 1 / (1 + odds);
}

static double beta_draw(const double *p, smr_draw *d)
{
    double first = smr_draw_log_gamma(d, p[0]), second = smr_draw_log_gamma(d, p[1]);
    return 1 / (1 + smr_exp(second - first));
}

const smr_family smr_family_beta = {
    "beta",           2,         {"a", "b"},    false,    beta_wrong,
    beta_log_density, beta_tail, beta_quantile, beta_draw};
