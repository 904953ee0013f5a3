/* special.c -- see special.h.
 *
 *     log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + sum_k B_2k / (2k (2k-1) x^(2k-1))     (1)
 *     log Gamma(2 + z) = (1 - gamma) z + sum_{k>=2} (zeta(k) - 1) (-z)^k / k                   (2)
 *     P(a, x) = x^a e^-x / Gamma(a+1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)                   (3)
 *     Q(a, x) = x^a e^-x / Gamma(a) / (x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))             (4)
 *     I_x(a, b) = x^a y^b / B(a, b) / (e_0 + d_1/(e_1 + d_2/(e_2 + ...))),  y = 1 - x,          (5)
 *         d_m = (a+m-1)(a+b+m-1) m (b-m) x^2 / (a+2m-1)^2,
 *         e_m = m + m (b-m) x / (a+2m-1) + (a+m)(a y - b x + 1 + m (1+y)) / (a+2m+1)
 *
 * (1) serves x >= 10, and below that Gamma(x + m) = x (x+1) ... (x+m-1) Gamma(x); (2) serves the
 * neighbourhood of the zeros at 1 and 2.  (3) is used for x < a + 1, (4) above; (5) for x <
 * (a+1)/(a+b+2), and I_x(a, b) = 1 - I_y(b, a) above.
 *
 * t, F and chi-square are (5) and (3)/(4); where x is a quotient (df1 f / (df1 f + df2)) it is
 * formed with twice the digits too, because x^a multiplies its relative error by a.
 *
 * Reference: Abramowitz & Stegun, 6.1.41, 6.5.29, 6.5.31; DLMF 5.7.3; for (5), the even part of
 * DLMF 8.17.22: DiDonato & Morris, ACM TOMS 18 (1992), 360-373. */
#include "math/special.h"

#include "core/ctx.h"
#include "kernel/kernel.h"
#include "math/dd.h"

#include <float.h>

static const double MAX_PARAMETER = 1e12;
static const double TINY = 1e-290; /* stands for a denominator of zero in a continued fraction */
static const dd HALF_LOG_2PI = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

static dd dd_of(double x)
{
    return (dd){x, 0};
}

/* e^(hi + lo); lo is far below 1. */
static double exp_dd(dd x)
{
    double e = smr_exp(x.hi);
    return e + e * x.lo;
}

/* ---- log gamma ------------------------------------------------------------------------ */

/* B_2k / (2k (2k-1)), k = 1, 2, ... */
static const double STIRLING[] = {
    1.0 / 12,        -1.0 / 360, 1.0 / 1260,       -1.0 / 1680,      1.0 / 1188,
    -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188,
};

/* The sum in (1): x >= 10, absolute error below 1e-18. */
static double stirling_sum(double x)
{
    double r = 1 / (x * x), sum = 0;
    for (int64_t k = SMR_COUNT(STIRLING); k-- > 0;) sum = sum * r + STIRLING[k];
    return sum / x;
}

/* (1), with absolute error about 1e-18 + 1e-31 |result|. */
static dd log_gamma_dd(double x)
{
    dd product = {1, 0}, z = {x, 0};
    bool shifted = false;
    while (z.hi < 10) {
        product = dd_times(product, z);
        z = dd_plus(z, dd_of(1));
        shifted = true;
    }
    dd r = dd_times(dd_minus(z, dd_of(0.5)), smr_dd_log(z));
    r = dd_plus(dd_minus(r, z), HALF_LOG_2PI);
    r = dd_plus(r, dd_of(stirling_sum(z.hi)));
    return shifted ? dd_minus(r, smr_dd_log(product)) : r;
}

/* zeta(k) - 1, k = 2 .. 30 */
static const double ZETA[] = {
    0.64493406684822643647,     0.20205690315959428540,     0.082323233711138191516,
    0.036927755143369926331,    0.017343061984449139715,    0.0083492773819228268398,
    0.0040773561979443393787,   0.0020083928260822144179,   0.00099457512781808533715,
    0.00049418860411946455870,  0.00024608655330804829864,  0.00012271334757848914675,
    0.000061248135058704829259, 0.000030588236307020493552, 0.000015282259408651871733,
    7.6371976378997622736e-6,   3.8172932649998398565e-6,   1.9082127165539389257e-6,
    9.5396203387279611315e-7,   4.7693298678780646312e-7,   2.3845050272773299000e-7,
    1.1921992596531107307e-7,   5.9608189051259479612e-8,   2.9803503514652280186e-8,
    1.4901554828365041235e-8,   7.4507117898354294920e-9,   3.7253340247884570548e-9,
    1.8626597235130490064e-9,   9.3132743241966818287e-10,
};
static const double ONE_LESS_EULER = 0.42278433509846713939;

/* (2): log Gamma(2 + z) for |z| <= 1/2. */
static double log_gamma_near_two(double z)
{
    double sum = 0;
    for (int64_t k = SMR_COUNT(ZETA) + 1; k >= 2; k--) sum = sum * -z + ZETA[k - 2] / (double)k;
    return z * (ONE_LESS_EULER + z * sum);
}

double smr_log_gamma(double x)
{
    if (!(x > 0)) return x == 0 ? INFINITY : NAN;
    if (x == INFINITY) return INFINITY;
    if (x <= 0.5) return log_gamma_near_two(x) - smr_log1p(x) - smr_log(x);
    if (x <= 1.5) return log_gamma_near_two(x - 1) - smr_log1p(x - 1);
    if (x <= 2.5) return log_gamma_near_two(x - 2);
    return dd_value(log_gamma_dd(x));
}

static dd log_beta_dd(double a, double b)
{
    dd sum = dd_two_sum(a, b);
    /* log Gamma(hi + lo) = log Gamma(hi) + lo log(hi) to first order: lo is below an ulp */
    dd whole = log_gamma_dd(sum.hi);
    whole = dd_plus(whole, dd_times(dd_of(sum.lo), smr_dd_log(dd_of(sum.hi))));
    return dd_minus(dd_plus(log_gamma_dd(a), log_gamma_dd(b)), whole);
}

static bool is_parameter(double a)
{
    return a > 0 && a <= MAX_PARAMETER;
}

double smr_log_beta(double a, double b)
{
    if (!is_parameter(a) || !is_parameter(b)) return NAN;
    return dd_value(log_beta_dd(a, b));
}

/* ---- incomplete gamma ----------------------------------------------------------------- */

/* x^a e^-x / Gamma(a) */
static double gamma_factor(double a, double x)
{
    dd power = dd_minus(dd_times(dd_of(a), smr_dd_log(dd_of(x))), dd_of(x));
    return exp_dd(dd_minus(power, log_gamma_dd(a)));
}

/* (3) without its prefactor, times 1/a for the step from Gamma(a) to Gamma(a+1). */
static double gamma_series(double a, double x)
{
    double term = 1 / a;
    dd sum = {term, 0};
    for (double k = a + 1; term > sum.hi * (DBL_EPSILON / 8); k += 1) {
        term *= x / k;
        dd_add(&sum, term);
    }
    return dd_value(sum);
}

/* A continued fraction b0 + a1/(b1 + a2/(b2 + ...)) from the front, by the modified method of
 * Lentz: the value is a product of ratios that tend to 1.  The product is kept with its rounding
 * error, because there may be thousands of factors. */
struct lentz {
    double c, d;
    dd value;
};

static struct lentz lentz_begin(double b0)
{
    double f = b0 == 0 ? TINY : b0;
    return (struct lentz){.c = f, .d = 0, .value = {f, 0}};
}

/* One more a/(b + ...); true when it no longer changes the value. */
static bool lentz_step(struct lentz *l, double a, double b)
{
    l->d = b + a * l->d;
    if (l->d == 0) l->d = TINY;
    l->c = b + a / l->c;
    if (l->c == 0) l->c = TINY;
    l->d = 1 / l->d;
    double ratio = l->c * l->d;
    l->value = dd_times(l->value, dd_of(ratio));
    return fabs(ratio - 1) <= DBL_EPSILON / 2;
}

/* The fraction of (4), for x >= a + 1. */
static double gamma_fraction(double a, double x)
{
    struct lentz l = lentz_begin((x - a) + 1);
    for (double k = 1;; k += 1)
        if (lentz_step(&l, -k * (k - a), (x - a) + (2 * k + 1))) return 1 / dd_value(l.value);
}

static double gamma_probability(double a, double x, bool upper)
{
    if (!is_parameter(a) || !(x >= 0)) return NAN;
    if (x == 0) return upper ? 1 : 0;
    if (x == INFINITY) return upper ? 0 : 1;
    bool series = x < a + 1;
    double p = gamma_factor(a, x);
    if (p > 0) p *= series ? gamma_series(a, x) : gamma_fraction(a, x);
    return series == upper ? 1 - p : p;
}

double smr_gamma_lower(double a, double x)
{
    return gamma_probability(a, x, false);
}

double smr_gamma_upper(double a, double x)
{
    return gamma_probability(a, x, true);
}

/* ---- incomplete beta ------------------------------------------------------------------ */

/* An argument of the incomplete beta: x + y = 1, and their logarithms, all with twice the
 * digits. */
struct unit_pair {
    dd x, y;
    dd log_x, log_y;
};

static struct unit_pair pair_of(dd x, dd y)
{
    return (struct unit_pair){x, y, smr_dd_log(x), smr_dd_log(y)};
}

/* The denominator of (5).  a y - b x, the distance from the mean, is where the digits would go. */
static double beta_fraction(double a, double b, dd x, dd y)
{
    double c = dd_value(dd_minus(dd_times(dd_of(a), y), dd_times(dd_of(b), x))) + 1;
    struct lentz l = lentz_begin(a / (a + 1) * c);
    for (double m = 1;; m += 1) {
        double r = a + 2 * m - 1;
        double numerator = ((a + m - 1) / r * x.hi) * ((a + b + m - 1) / r * x.hi) * (m * (b - m));
        double denominator = m + m * (b - m) / r * x.hi + (a + m) / (r + 2) * (c + m * (1 + y.hi));
        if (lentz_step(&l, numerator, denominator)) return dd_value(l.value);
    }
}

/* I_x(a, b), or with `upper` its complement. */
static double beta_probability(double a, double b, const struct unit_pair *u, bool upper)
{
    bool left = u->x.hi < (a + 1) / (a + b + 2);
    dd power = dd_plus(dd_times(dd_of(a), u->log_x), dd_times(dd_of(b), u->log_y));
    double p = exp_dd(dd_minus(power, log_beta_dd(a, b)));
    if (p > 0) p /= left ? beta_fraction(a, b, u->x, u->y) : beta_fraction(b, a, u->y, u->x);
    return left == upper ? 1 - p : p;
}

static double beta_checked(double a, double b, double x, bool upper)
{
    if (!is_parameter(a) || !is_parameter(b) || !(x >= 0 && x <= 1)) return NAN;
    if (x == 0) return upper ? 1 : 0;
    if (x == 1) return upper ? 0 : 1;
    struct unit_pair u = pair_of(dd_of(x), dd_two_sum(1, -x));
    return beta_probability(a, b, &u, upper);
}

double smr_beta_lower(double a, double b, double x)
{
    return beta_checked(a, b, x, false);
}

double smr_beta_upper(double a, double b, double x)
{
    return beta_checked(a, b, x, true);
}

/* ---- t -------------------------------------------------------------------------------- */

/* x = df / (df + t^2), y = t^2 / (df + t^2). */
static struct unit_pair t_pair(double t, double df)
{
    if (fabs(t) > 1e100) { /* t^2 may overflow, and 1 is negligible beside it */
        dd log_t = smr_dd_log(dd_of(fabs(t)));
        dd log_x = dd_minus(smr_dd_log(dd_of(df)), (dd){2 * log_t.hi, 2 * log_t.lo});
        return (struct unit_pair){dd_of(smr_exp(log_x.hi)), dd_of(1), log_x, {0, 0}};
    }
    dd square = dd_two_product(t, t), sum = dd_plus(square, dd_of(df));
    return pair_of(dd_over(dd_of(df), sum), dd_over(square, sum));
}

/* P(|T| >= |t|), or with `inner` P(|T| <= |t|). */
static double t_both(double t, double df, bool inner)
{
    if (!(is_parameter(df) || df == INFINITY) || isnan(t)) return NAN;
    if (fabs(t) < 1e-140) return inner ? 0 : 1;
    if (isinf(t)) return inner ? 1 : 0;
    if (df == INFINITY) {
        double tail = 2 * smr_normal_cdf(-fabs(t));
        return inner ? 1 - tail : tail;
    }
    struct unit_pair u = t_pair(t, df);
    return beta_probability(0.5 * df, 0.5, &u, inner);
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
    struct unit_pair u = t_pair(t, df);
    dd power = dd_times(dd_of(0.5 * (df + 1)), u.log_x);
    return exp_dd(dd_minus(power, log_beta_dd(0.5 * df, 0.5))) / sqrt(df);
}

/* With s = log t, both log P(|T| >= t) and log P(|T| <= t) are concave in s and nearly straight
 * away from the middle, so Newton's steps in s converge from the normal quantile. */
double smr_t_quantile(double p, double df)
{
    if (!(p >= 0 && p <= 1) || !(is_parameter(df) || df == INFINITY)) return NAN;
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
        if (fabs(move) < 4 * DBL_EPSILON) break;
    }
    return p < 0.5 ? -t : t;
}

/* ---- F and chi-square ----------------------------------------------------------------- */

static double f_probability(double x, double df1, double df2, bool upper)
{
    if (!is_parameter(df1) || isnan(x)) return NAN;
    if (df2 == INFINITY) return gamma_probability(0.5 * df1, 0.5 * df1 * x, upper);
    if (!is_parameter(df2)) return NAN;
    if (x <= 0) return x < 0 ? NAN : upper ? 1 : 0;
    if (x == INFINITY) return upper ? 0 : 1;
    double scale = x > 1e200    ? 0x1p-600
                   : x < 1e-200 ? 0x1p600
                                : 1; /* keeps the products in range */
    dd a = dd_two_product(df1, x * scale), b = dd_of(df2 * scale), sum = dd_plus(a, b);
    struct unit_pair u = pair_of(dd_over(a, sum), dd_over(b, sum));
    return beta_probability(0.5 * df1, 0.5 * df2, &u, upper);
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
    return gamma_probability(0.5 * df, 0.5 * x, false);
}

double smr_chi2_upper(double x, double df)
{
    return gamma_probability(0.5 * df, 0.5 * x, true);
}
