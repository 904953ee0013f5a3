/* special.c -- see special.h.
 *
 *     log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + sum_k B_2k / (2k (2k-1) x^(2k-1))     (1)
 *     log Gamma(2 + z) = (1 - gamma) z + sum_{k>=2} (zeta(k) - 1) (-z)^k / k                   (2)
 *     P(a, x) = x^a e^-x / Gamma(a+1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)                   (3)
 *     Q(a, x) = x^a e^-x / Gamma(a) / (x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))             (4)
 *     I_x(a, b) = x^a y^b / B(a, b) / (e_0 + d_1/(e_1 + d_2/(e_2 + ...))),  y = 1 - x,          (5)
 *         d_m = (a+m-1)(a+b+m-1) m (b-m) x^2 / (a+2m-1)^2,
 *         e_m = m + m (b-m) x / (a+2m-1) + (a+m)(a y - b x + 1 + m (1+y)) / (a+2m+1)
 *     Q(a, x) = 1 - x^a / Gamma(a+1) (1 + a sum_{k>=1} (-x)^k / (k! (a+k)))                    (6)
 *     1 - I_x(a, b) = 1 - x^a / (a B(a,b)) (1 + a sum_{k>=1} (1-b)_k x^k / (k! (a+k)))         (7)
 *
 * (1) serves x >= 10, and below that Gamma(x + m) = x (x+1) ... (x+m-1) Gamma(x); (2) serves the
 * neighbourhood of the zeros at 1 and 2.  (3) is used for x < a + 1, (4) above; (5) for x <
 * (a+1)/(a+b+2), and I_x(a, b) = 1 - I_y(b, a) above.  (6) and (7) serve a < 1/2, where the
 * complement may be close to 0 on the side of the series: both parts of it are of the order of a.
 *
 * Reference: Abramowitz & Stegun, 6.1.41, 6.5.29, 6.5.31; DLMF 5.7.3; for (5), the even part of
 * DLMF 8.17.22: DiDonato & Morris, ACM TOMS 18 (1992), 360-373. */
#include "math/special.h"

#include "core/ctx.h"
#include "kernel/kernel.h"
#include "math/special_parts.h"

#include <float.h>

static const double MAX_PARAMETER = 1e12;
static const double SMALL = 0.5;   /* below it, a complement close to 0 is a series of its own */
static const double TINY = 1e-290; /* stands for a denominator of zero in a continued fraction */
static const dd HALF_LOG_2PI = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

double smr_exp_dd(dd x)
{
    double e = smr_exp(x.hi);
    return e == 0 ? 0 : e + e * x.lo;
}

/* times e^factor / over, or 1 less that. */
static smr_tail tail_of(dd factor, double times, double over, bool complement)
{
    double p = smr_exp_dd(factor) * times / over;
    if (complement) return (smr_tail){1 - p, smr_log1p(-p)};
    return (smr_tail){p, dd_value(dd_plus(factor, dd_of(smr_log(times / over))))};
}

static smr_tail complement_of(smr_tail t)
{
    return (smr_tail){1 - t.p, smr_log1p(-t.p)};
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
dd smr_log_gamma_dd(double x)
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
    return dd_value(smr_log_gamma_dd(x));
}

dd smr_log_beta_dd(double a, double b)
{
    dd sum = dd_two_sum(a, b);
    /* log Gamma(hi + lo) = log Gamma(hi) + lo log(hi) to first order: lo is below an ulp */
    dd whole = smr_log_gamma_dd(sum.hi);
    whole = dd_plus(whole, dd_times(dd_of(sum.lo), smr_dd_log(dd_of(sum.hi))));
    return dd_minus(dd_plus(smr_log_gamma_dd(a), smr_log_gamma_dd(b)), whole);
}

bool smr_is_parameter(double a)
{
    return a > 0 && a <= MAX_PARAMETER;
}

double smr_log_beta(double a, double b)
{
    if (!smr_is_parameter(a) || !smr_is_parameter(b)) return NAN;
    return dd_value(smr_log_beta_dd(a, b));
}

/* ---- incomplete gamma ----------------------------------------------------------------- */

dd smr_gamma_factor(double a, dd x)
{
    dd power = dd_minus(dd_times(dd_of(a), smr_dd_log(x)), x);
    return dd_minus(power, smr_log_gamma_dd(a));
}

/* log Gamma(1 + a) for 0 < a <= 1/2, with small relative error. */
static double log_gamma_1p(double a)
{
    return log_gamma_near_two(a) - smr_log1p(a);
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

/* (6): Q(a, x) for a < 1/2, x < 1. */
static double gamma_complement(double a, double x)
{
    double power = a * smr_log(x) - log_gamma_1p(a), term = 1, sum = 0;
    for (double k = 1; fabs(term) > fabs(sum) * (DBL_EPSILON / 8); k += 1) {
        term *= -x / k;
        sum += term / (a + k);
    }
    double less = smr_expm1(power);
    return -(less + (1 + less) * a * sum);
}

smr_tail smr_gamma_tail(double a, dd x, bool upper)
{
    if (!smr_is_parameter(a) || !(x.hi >= 0)) return (smr_tail){NAN, NAN};
    if (x.hi == 0 || x.hi == INFINITY)
        return upper == (x.hi == 0) ? (smr_tail){1, 0} : (smr_tail){0, -INFINITY};
    bool series = x.hi < a + 1;
    if (series && a < SMALL) {
        smr_tail above = x.hi < 1
                             ? tail_of(dd_of(0), gamma_complement(a, x.hi), 1, false)
                             : tail_of(smr_gamma_factor(a, x), gamma_fraction(a, x.hi), 1, false);
        if (upper) return above;
        if (above.p < 0.5) return complement_of(above);
    }
    dd factor = smr_gamma_factor(a, x);
    double rest = factor.hi < -1e16 ? 1 : series ? gamma_series(a, x.hi) : gamma_fraction(a, x.hi);
    return tail_of(factor, rest, 1, series == upper);
}

static double gamma_probability(double a, double x, bool upper)
{
    return smr_gamma_tail(a, dd_of(x), upper).p;
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

smr_unit_pair smr_pair_of(dd x, dd y)
{
    return (smr_unit_pair){x, y, smr_dd_log(x), smr_dd_log(y)};
}

dd smr_beta_factor(double a, double b, const smr_unit_pair *u)
{
    dd power = dd_plus(dd_times(dd_of(a), u->log_x), dd_times(dd_of(b), u->log_y));
    return dd_minus(power, smr_log_beta_dd(a, b));
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

/* The derivative of log Gamma(x), to 1 in 200: for a correction by less than an ulp. */
static double log_gamma_slope(double x)
{
    return smr_log(x + 1) - 0.5 / (x + 1) - 1 / (12 * (x + 1) * (x + 1)) - 1 / x;
}

/* (7): 1 - I_x(a, b) for a < 1/2, x < (a+1)/(a+b+2). */
static double beta_complement(double a, double b, dd x, dd log_x)
{
    dd sum_ab = dd_two_sum(a, b);
    dd whole = dd_plus(smr_log_gamma_dd(sum_ab.hi), dd_of(sum_ab.lo * log_gamma_slope(sum_ab.hi)));
    double ratio = dd_value(dd_minus(smr_log_gamma_dd(b), whole)); /* log Gamma(b)/Gamma(a+b) */
    double power = a * log_x.hi - (log_gamma_1p(a) + ratio), term = 1, sum = 0;
    for (double k = 1; fabs(term) > fabs(sum) * (DBL_EPSILON / 8); k += 1) {
        term *= (k - b) / k * x.hi;
        sum += term / (a + k);
    }
    double less = smr_expm1(power);
    return -(less + (1 + less) * a * sum);
}

smr_tail smr_beta_tail(double a, double b, const smr_unit_pair *u, bool upper)
{
    bool left = u->x.hi < (a + 1) / (a + b + 2);
    if (left ? a < SMALL : b < SMALL) {
        double rest =
            left ? beta_complement(a, b, u->x, u->log_x) : beta_complement(b, a, u->y, u->log_y);
        smr_tail far = tail_of(dd_of(0), rest, 1, false);
        if (left == upper) return far;
        if (far.p < 0.5) return complement_of(far);
    }
    double over = left ? beta_fraction(a, b, u->x, u->y) : beta_fraction(b, a, u->y, u->x);
    return tail_of(smr_beta_factor(a, b, u), 1, over, left == upper);
}

static double beta_checked(double a, double b, double x, bool upper)
{
    if (!smr_is_parameter(a) || !smr_is_parameter(b) || !(x >= 0 && x <= 1)) return NAN;
    if (x == 0) return upper ? 1 : 0;
    if (x == 1) return upper ? 0 : 1;
    smr_unit_pair u = smr_pair_of(dd_of(x), dd_two_sum(1, -x));
    return smr_beta_tail(a, b, &u, upper).p;
}

double smr_beta_lower(double a, double b, double x)
{
    return beta_checked(a, b, x, false);
}

double smr_beta_upper(double a, double b, double x)
{
    return beta_checked(a, b, x, true);
}
