/* estimate_fit.c -- how well a family fits its column (estimate.h).
 *
 * Counts: Pearson's chi-square over values that are put together until at least 5 rows are expected
 * of each, less one degree for the rate.  Numbers: Anderson and Darling's statistic
 *
 *     A = -n - (1/n) sum_i (2i - 1) (log F(x_i) + log (1 - F(x_{n+1-i}))),  x sorted,
 *
 * whose distribution, because the parameters come from the same rows, is not that of a law given
 * beforehand: for the Gaussian with both parameters estimated p follows D'Agostino and Stephens
 * (Goodness-of-fit techniques, 1986, table 4.9), for the exponential p lies between the points of
 * their table 4.14; simulations agree with both (tests/truth/goodness.py).  Shares of levels fit by
 * construction; what can be asked is whether they are equal.  A large p does not show that the
 * family is right, only that these rows do not contradict it. */
#include "core/sort.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "study/estimate_parts.h"

#include <string.h>

static const double LEAST_EXPECTED = 5;

void smr_fit_of_shares(const smr_sample *s, smr_json *into)
{
    double equal = s->weight / (double)s->n_levels, sum = 0;
    if (s->n_levels < 2) return;
    for (int64_t k = 0; k < s->n_levels; k++)
        sum += (s->count[k] - equal) * (s->count[k] - equal) / equal;
    smr_json *fit = smr_json_add_object(into, "fit");
    smr_json_add_string(fit, "test", "chi-square of equal shares");
    smr_json_add_number(fit, "statistic", sum);
    smr_json_add_number(fit, "df", (double)(s->n_levels - 1));
    smr_json_add_number(fit, "p", smr_chi2_upper(sum, (double)(s->n_levels - 1)));
    smr_json_add_string(fit, "means",
                        equal < LEAST_EXPECTED
                            ? "shares fit any column by construction; fewer than 5 "
                              "rows are expected of a level, so p is rough"
                            : "shares fit any column by construction; this asks "
                              "whether they are equal");
}

/* Weights of the values first .. first + n - 1, others beyond the ends. */
static void count_values(const smr_sample *s, double first, int64_t n, double *count)
{
    for (int64_t i = 0; i < s->n; i++) {
        double k = s->x[i] - first;
        int64_t at = k < 0 ? 0 : k >= (double)n ? n - 1 : (int64_t)k;
        count[at] += s->w ? s->w[i] : 1;
    }
}

smr_status smr_fit_of_counts(smr_ctx *ctx, const smr_sample *s, double rate, smr_json *into)
{
    smr_status st = SMR_OK;
    double *count = NULL, n = s->weight, statistic = 0, seen = 0, expected = 0;
    int64_t cells = 0;
    smr_law law = smr_law_of(&smr_family_poisson, rate, 0, 0);
    double first = smr_law_quantile(&law, 1e-9, false), last = smr_law_quantile(&law, 1e-9, true);
    int64_t m = (int64_t)(last - first) + 1;
    TRY_NEW(count, m);
    count_values(s, first, m, count);
    for (int64_t k = 0; k < m; k++) {
        double at = first + (double)k;
        double part = k == m - 1 ? smr_law_tail(&law, at - 1, true).p : smr_law_density(&law, at);
        if (k == 0) part = m == 1 ? 1 : smr_law_tail(&law, at, false).p;
        double rest = n * (k == m - 1 ? 0 : smr_law_tail(&law, at, true).p);
        seen += count[k];
        expected += n * part;
        if (expected < LEAST_EXPECTED || (rest < LEAST_EXPECTED && k < m - 1)) continue;
        statistic += (seen - expected) * (seen - expected) / expected;
        cells++;
        seen = expected = 0;
    }
    smr_json *fit = smr_json_add_object(into, "fit");
    smr_json_add_string(fit, "test", "chi-square of counts");
    if (cells > 2) {
        smr_json_add_number(fit, "statistic", statistic);
        smr_json_add_number(fit, "df", (double)(cells - 2));
        smr_json_add_number(fit, "p", smr_chi2_upper(statistic, (double)(cells - 2)));
    }
    smr_json_add_string(fit, "means",
                        cells > 2 ? "one degree is taken off for the rate, which "
                                    "comes from the same rows"
                                  : "too few rows for three values of which 5 are "
                                    "expected");
out:
    smr_free(count);
    return st;
}

/* ---- Anderson and Darling --------------------------------------------------------------- */

static double gaussian_p(double a)
{
    if (a < 0.2) return 1 - smr_exp(-13.436 + 101.14 * a - 223.73 * a * a);
    if (a < 0.34) return 1 - smr_exp(-8.318 + 42.796 * a - 59.938 * a * a);
    if (a < 0.6) return smr_exp(0.9177 - 4.279 * a - 1.38 * a * a);
    return a < 13 ? smr_exp(1.2937 - 5.709 * a + 0.0186 * a * a) : 0;
}

/* p between the points of the table, straight in log p; beyond them an end, which it is at most or
 * at least. */
static double exponential_p(double a, const char **bound)
{
    static const double points[][2] = {{0.736, 0.25}, {0.816, 0.2},   {0.916, 0.15},
                                       {1.062, 0.1},  {1.321, 0.05},  {1.591, 0.025},
                                       {1.959, 0.01}, {2.244, 0.005}, {2.534, 0.0025}};
    int64_t last = SMR_COUNT(points) - 1, k = 1;
    *bound = a < points[0][0] ? "at least" : a > points[last][0] ? "at most" : NULL;
    if (*bound) return points[a < points[0][0] ? 0 : last][1];
    while (points[k][0] < a) k++;
    double part = (a - points[k - 1][0]) / (points[k][0] - points[k - 1][0]);
    double low = smr_log(points[k - 1][1]), high = smr_log(points[k][1]);
    return smr_exp(low + part * (high - low));
}

double smr_anderson_p(bool gaussian, double adjusted, const char **bound)
{
    *bound = NULL;
    return gaussian ? gaussian_p(adjusted) : exponential_p(adjusted, bound);
}

smr_status smr_fit_of_law(smr_ctx *ctx, const smr_sample *s, const smr_law *law, smr_json *into)
{
    smr_status st = SMR_OK;
    double *room = NULL, sum = 0, n = (double)s->n;
    smr_json *fit = smr_json_add_object(into, "fit");
    bool gaussian = law->family == &smr_family_gaussian;
    smr_json_add_string(fit, "test", "Anderson-Darling");
    if (s->w || s->n < 5) {
        smr_json_add_string(fit, "means",
                            s->w ? "not tested: the rows have weights"
                                 : "not tested: fewer than 5 rows");
        return SMR_OK;
    }
    TRY_NEW(room, 2 * s->n);
    memcpy(room, s->x, (size_t)s->n * sizeof *room);
    const double *x = smr_sort_f64(s->n, room, room + s->n);
    for (int64_t i = 0; i < s->n; i++)
        sum += (double)(2 * i + 1) * (smr_law_tail(law, x[i], false).log_p +
                                      smr_law_tail(law, x[s->n - 1 - i], true).log_p);
    double a = -n - sum / n;
    double adjusted = a * (gaussian ? 1 + 0.75 / n + 2.25 / (n * n) : 1 + 0.6 / n);
    const char *bound;
    double p = smr_anderson_p(gaussian, adjusted, &bound);
    smr_json_add_number(fit, "statistic", adjusted);
    smr_json_add_number(fit, "p", p);
    if (bound) smr_json_add_string(fit, "p_is", bound);
    smr_json_add_string(fit, "means",
                        "p allows for parameters that come from the same rows; with "
                        "many rows a small p may be a small departure");
out:
    smr_free(room);
    return st;
}
