/* discrete.c -- distributions of whole numbers (distribution.h).
 *
 *     binomial: P(X = k) = p^(k+1) q^(n-k+1) / B(k+1, n-k+1) / (p q (n+1)),
 *               P(X <= k) = 1 - I_p(k+1, n-k)
 *     poisson:  P(X = k) = l^(k+1) e^-l / Gamma(k+1) / l,   P(X <= k) = Q(k+1, l)
 *
 * A quantile is bracketed from a normal approximation, by steps that double, and then halved. */
#include "kernel/kernel.h"
#include "math/distribution.h"

static const dd NOTHING = {-INFINITY, 0};
static const double MOST_COUNT = 1e12;

static smr_tail all_if(bool all)
{
    return all ? (smr_tail){1, 0} : (smr_tail){0, -INFINITY};
}

static bool is_whole(double x)
{
    return x >= 0 && floor(x) == x && x <= 0x1p53;
}

static bool is_probability(double p)
{
    return p >= 0 && p <= 1;
}

static dd log_of(double x)
{
    return smr_dd_log(dd_of(x));
}

/* ---- bernoulli: p ----------------------------------------------------------------------- */

static const char *bernoulli_wrong(const double *p, int64_t *which)
{
    *which = 0;
    return is_probability(p[0]) ? NULL : "a probability between 0 and 1";
}

/* log p or log 1 - p, with twice the digits. */
static dd log_share(double p, bool other)
{
    if (p == (other ? 1 : 0)) return NOTHING;
    return other ? smr_dd_log(dd_two_sum(1, -p)) : log_of(p);
}

static dd bernoulli_log_density(const double *p, double x)
{
    return x == 0 || x == 1 ? log_share(p[0], x == 0) : NOTHING;
}

static smr_tail bernoulli_tail(const double *p, double x, bool upper)
{
    if (x < 0 || x >= 1) return all_if((x >= 1) != upper);
    return (smr_tail){upper ? p[0] : 1 - p[0], dd_value(log_share(p[0], !upper))};
}

static double bernoulli_quantile(const double *p, double tail, bool upper)
{
    return upper ? tail < p[0] : 1 - p[0] < tail;
}

static double bernoulli_draw(const double *p, smr_draw *d)
{
    return smr_draw_unit(d) < p[0];
}

const smr_family smr_family_bernoulli = {"bernoulli",     1,
                                         {"p"},           true,
                                         bernoulli_wrong, bernoulli_log_density,
                                         bernoulli_tail,  bernoulli_quantile,
                                         bernoulli_draw};

/* ---- quantiles -------------------------------------------------------------------------- */

/* Is k far enough up for this tail? */
static bool reaches(const smr_family *family, const double *p, double k, double tail, bool upper)
{
    double at = family->tail(p, k, upper).p;
    return upper ? at <= tail : at >= tail;
}

/* The smallest whole k in [0, most] that reaches the tail, from about mean and sd. */
static double count_quantile(const smr_family *family, const double *p, double tail, bool upper,
                             const double about[3])
{
    double most = about[2], z = smr_normal_quantile(tail), step = floor(0.1 * about[1]) + 1;
    if (tail == (upper ? 1 : 0)) return 0;
    if (tail == (upper ? 0 : 1)) return most;
    double k = floor(about[0] + (upper ? -z : z) * about[1]);
    k = k < 0 ? 0 : k > most ? most : k;
    double low = -1, high = k; /* low does not reach, high does */
    if (reaches(family, p, k, tail, upper))
        for (low = k; low >= 0 && reaches(family, p, low, tail, upper); step *= 2) {
            high = low;
            low = low - step < 0 ? (low == 0 ? -1 : 0) : low - step;
        }
    else
        for (low = k; high < most && !reaches(family, p, high, tail, upper); step *= 2) {
            low = high;
            high = high + step > most ? most : high + step;
        }
    while (high - low > 1) {
        double middle = floor(0.5 * (low + high));
        if (reaches(family, p, middle, tail, upper))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ---- binomial: n, p --------------------------------------------------------------------- */

static const char *binomial_wrong(const double *p, int64_t *which)
{
    *which = is_whole(p[0]) && p[0] <= MOST_COUNT;
    if (!*which) return "a whole number from 0 to 1e12";
    return is_probability(p[1]) ? NULL : "a probability between 0 and 1";
}

static dd binomial_log_density(const double *p, double x)
{
    double n = p[0], q = p[1];
    if (!is_whole(x) || x > n) return NOTHING;
    if (q == 0 || q == 1) return x == n * q ? dd_of(0) : NOTHING;
    smr_unit_pair u = smr_pair_of(dd_of(q), dd_two_sum(1, -q));
    dd power = dd_plus(dd_times(dd_of(x), u.log_x), dd_times(dd_of(n - x), u.log_y));
    return dd_minus(power, dd_plus(smr_log_beta_dd(x + 1, n - x + 1), log_of(n + 1)));
}

static smr_tail binomial_tail(const double *p, double x, bool upper)
{
    double n = p[0], q = p[1], k = floor(x);
    if (x < 0 || k >= n) return all_if((k >= n) != upper);
    if (q == 0 || q == 1) return all_if((q == 0) != upper);
    smr_unit_pair u = smr_pair_of(dd_of(q), dd_two_sum(1, -q));
    return smr_beta_tail(k + 1, n - k, &u, !upper);
}

static double binomial_quantile(const double *p, double tail, bool upper)
{
    double n = p[0], about[3] = {n * p[1], sqrt(n * p[1] * (1 - p[1])), n};
    return count_quantile(&smr_family_binomial, p, tail, upper, about);
}

static double binomial_draw(const double *p, smr_draw *d)
{
    return binomial_quantile(p, smr_draw_unit(d), false);
}

const smr_family smr_family_binomial = {"binomial",     2,
                                        {"n", "p"},     true,
                                        binomial_wrong, binomial_log_density,
                                        binomial_tail,  binomial_quantile,
                                        binomial_draw};

/* ---- poisson: rate ---------------------------------------------------------------------- */

static const char *poisson_wrong(const double *p, int64_t *which)
{
    *which = 0;
    return p[0] >= 0 && p[0] <= MOST_COUNT ? NULL : "a number from 0 to 1e12";
}

static dd poisson_log_density(const double *p, double x)
{
    if (!is_whole(x)) return NOTHING;
    if (p[0] == 0) return x == 0 ? dd_of(0) : NOTHING;
    dd power = dd_minus(dd_times(dd_of(x), log_of(p[0])), dd_of(p[0]));
    return dd_minus(power, smr_log_gamma_dd(x + 1));
}

static smr_tail poisson_tail(const double *p, double x, bool upper)
{
    if (x < 0 || x == INFINITY || p[0] == 0) return all_if((x >= 0) != upper);
    if (x > 4 * MOST_COUNT) return all_if(!upper);
    return smr_gamma_tail(floor(x) + 1, dd_of(p[0]), !upper);
}

static double poisson_quantile(const double *p, double tail, bool upper)
{
    double about[3] = {p[0], sqrt(p[0]), INFINITY};
    return p[0] == 0 ? 0 : count_quantile(&smr_family_poisson, p, tail, upper, about);
}

static double poisson_draw(const double *p, smr_draw *d)
{
    return poisson_quantile(p, smr_draw_unit(d), false);
}

const smr_family smr_family_poisson = {
    "poisson",        1,           {"rate"}, true, poisson_wrong, poisson_log_density, poisson_tail,
    poisson_quantile, poisson_draw};
