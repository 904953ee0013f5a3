/* stats.c -- see stats.h. */
#include "math/stats.h"

#include "core/nth.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/dd.h"

#include <math.h>
#include <string.h>

static inline double weight_of(const double *w, int64_t i)
{
    return w ? w[i] : 1.0;
}

double smr_sum_exact(int64_t n, const double *x)
{
    dd sum = {0, 0};
    for (int64_t i = 0; i < n; i++) dd_add(&sum, x[i]);
    return dd_value(sum);
}

double smr_sum_weighted(int64_t n, const double *x, const double *w)
{
    dd sum = {0, 0};
    if (!w) return smr_sum_exact(n, x);
    for (int64_t i = 0; i < n; i++)
        if (w[i] != 0) dd_add_product(&sum, w[i], x[i]);
    return dd_value(sum);
}

/* ---- one side of a moment: scale and mean --------------------------------------------- */

/* What both passes need from one array: a power of two by which it is multiplied, so that squares
 * and sums neither overflow nor vanish, and the mean of the scaled values. */
struct centre {
    double scale;
    dd mean;
    double min, max; /* as given, not scaled */
    int64_t n;
    dd weight;
};

/* 2^-e with 2^e about `largest`; 1 in the wide range where squares and sums of 2^53 are safe. */
static double safe_scale(double largest)
{
    int e;
    if (!isfinite(largest) || largest == 0 || (largest < 0x1p200 && largest > 0x1p-200)) return 1;
    frexp(largest, &e);
    return ldexp(1, -e < 1022 ? -e : 1022);
}

/* Of rows that all count once: extremes and sum in one pass, again where the sum needs a scale. */
static struct centre find_plain_centre(int64_t n, const double *x)
{
    struct centre c = {.scale = 1, .min = NAN, .max = NAN, .n = n, .mean = {NAN, 0}};
    double span[4];
    bool whole = true;
    c.weight.hi = (double)n;
    if (n == 0) return c;
    smr_span_f64(n, x, 1, span);
    for (int64_t i = 0; isnan(span[0]) && i < n; i++) whole &= !isnan(x[i]);
    if (!whole) {
        c.scale = NAN;
        return c;
    }
    c.min = span[2];
    c.max = span[3];
    c.scale = safe_scale(smr_fmax(fabs(c.min), fabs(c.max)));
    if (c.scale != 1) smr_span_f64(n, x, c.scale, span);
    c.mean =
        isfinite(span[1]) ? dd_over(dd_fast_sum(span[0], span[1]), c.weight) : (dd){span[0], 0};
    return c;
}

static struct centre find_centre(int64_t n, const double *x, const double *w)
{
    if (!w) return find_plain_centre(n, x);
    struct centre c = {.scale = 1, .min = NAN, .max = NAN};
    for (int64_t i = 0; i < n; i++) {
        if (w[i] == 0) continue;
        c.n++;
        dd_add(&c.weight, w[i]);
        if (isnan(x[i])) c.min = c.max = c.scale = NAN; /* and stays NaN: comparisons are false */
        if (c.n == 1 && !isnan(x[i])) c.min = c.max = x[i];
        if (x[i] < c.min) c.min = x[i];
        if (x[i] > c.max) c.max = x[i];
    }
    if (isnan(c.scale) || c.n == 0) {
        c.mean = (dd){NAN, 0};
        return c;
    }
    c.scale = safe_scale(smr_fmax(fabs(c.min), fabs(c.max)));
    dd sum = {0, 0};
    for (int64_t i = 0; i < n; i++)
        if (w[i] != 0) dd_add_product(&sum, w[i], x[i] * c.scale);
    c.mean = isfinite(sum.lo) ? dd_over(dd_fast_sum(sum.hi, sum.lo), c.weight) : (dd){sum.hi, 0};
    return c;
}

static double mean_of(const struct centre *c)
{
    return (c->mean.hi + c->mean.lo) / c->scale;
}

/* sum w (x - mean x)(y - mean y), scaled by both scales. */
static double cross_sum(int64_t n, const double *x, const struct centre *cx, const double *y,
                        const struct centre *cy, const double *w)
{
    smr_origin of_x = {cx->scale, cx->mean.hi, cx->mean.lo};
    smr_origin of_y = {cy->scale, cy->mean.hi, cy->mean.lo};
    double sum[2] = {0, 0};
    smr_cross_f64(n, x, &of_x, y, &of_y, w, sum);
    return dd_value((dd){sum[0], sum[1]});
}

/* sum / (W - ddof), unscaled; NaN where that is not defined. */
static double spread(double sum, const struct centre *cx, const struct centre *cy, int ddof)
{
    double divisor = dd_value(cx->weight) - ddof;
    if (!(divisor > 0)) return NAN;
    return sum / divisor / cx->scale / cy->scale;
}

/* ---- what callers ask for ------------------------------------------------------------- */

void smr_summarize(int64_t n, const double *x, const double *w, smr_numbers_summary *out)
{
    struct centre c = find_centre(n, x, w);
    double sum = cross_sum(n, x, &c, x, &c, w);
    *out = (smr_numbers_summary){
        .n = c.n,
        .weight = dd_value(c.weight),
        .mean = mean_of(&c),
        .variance = spread(sum, &c, &c, 0),
        .sample_variance = spread(sum, &c, &c, 1),
        .min = c.min,
        .max = c.max,
    };
}

double smr_mean(int64_t n, const double *x, const double *w)
{
    struct centre c = find_centre(n, x, w);
    return mean_of(&c);
}

double smr_variance(int64_t n, const double *x, const double *w, int ddof)
{
    struct centre c = find_centre(n, x, w);
    return spread(cross_sum(n, x, &c, x, &c, w), &c, &c, ddof);
}

double smr_covariance(int64_t n, const double *x, const double *y, const double *w, int ddof)
{
    struct centre cx = find_centre(n, x, w), cy = find_centre(n, y, w);
    return spread(cross_sum(n, x, &cx, y, &cy, w), &cx, &cy, ddof);
}

double smr_correlation(int64_t n, const double *x, const double *y, const double *w)
{
    struct centre cx = find_centre(n, x, w), cy = find_centre(n, y, w);
    smr_origin of_x = {cx.scale, cx.mean.hi, cx.mean.lo};
    smr_origin of_y = {cy.scale, cy.mean.hi, cy.mean.lo};
    double s[6] = {0};
    if (!(cx.min < cx.max) || !(cy.min < cy.max)) return NAN;
    smr_crosses_f64(n, x, &of_x, y, &of_y, w, s);
    double xx = dd_value((dd){s[0], s[1]}), yy = dd_value((dd){s[2], s[3]});
    double r = dd_value((dd){s[4], s[5]}) / sqrt(xx * yy);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

void smr_moments_of(int64_t n, const double *x, smr_moments *out)
{
    struct centre c = find_plain_centre(n, x);
    double sums[4], count = (double)n;
    *out = (smr_moments){.min = c.min, .max = c.max, .mean = mean_of(&c), .skewness = NAN};
    out->mean_of = (smr_origin){c.scale, c.mean.hi, c.mean.lo};
    smr_powers_f64(n, x, &out->mean_of, sums);
    out->squares = dd_value((dd){sums[0], sums[1]});
    out->sd = n > 1 ? sqrt(out->squares / (count - 1)) / c.scale : NAN;
    if (c.min < c.max)
        out->skewness =
            sqrt(count) * dd_value((dd){sums[2], sums[3]}) / (out->squares * sqrt(out->squares));
}

double smr_moments_correlation(int64_t n, const double *x, const smr_moments *of_x, const double *y,
                               const smr_moments *of_y)
{
    double s[2];
    if (!(of_x->min < of_x->max) || !(of_y->min < of_y->max)) return NAN;
    smr_products_f64(n, x, &of_x->mean_of, y, &of_y->mean_of, s);
    double r = dd_value((dd){s[0], s[1]}) / sqrt(of_x->squares * of_y->squares);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

double smr_autocorrelation(int64_t n, const double *x, int64_t lag)
{
    struct centre c = find_centre(n, x, NULL);
    if (lag < 0 || lag >= n || !(c.min < c.max)) return NAN;
    return cross_sum(n - lag, x, &c, x + lag, &c, NULL) / cross_sum(n, x, &c, x, &c, NULL);
}

/* ---- quantiles ------------------------------------------------------------------------ */

enum { SELECTED = 64, SORTED_SHARE = 32 };

/* Ranks r and r + 1 of quantile q among n rows, and how far it lies between them. */
static double rank_of(int64_t n, double q, int64_t *rank)
{
    double h = q * (double)(n - 1), below = floor(h);
    *rank = (int64_t)below;
    return h - below;
}

static double between(double low, double high, double part)
{
    return part == 0 || high == low ? low : low + part * (high - low);
}

/* At most SELECTED quantiles. */
static void select_some(int64_t n, const double *x, int64_t n_q, const double *q, uint64_t *room,
                        double *out)
{
    int64_t rank[2 * SELECTED] = {0}, place[2 * SELECTED], m = 0, first;
    double part[SELECTED], sorted[2 * SELECTED], at[2 * SELECTED];
    for (int64_t k = 0; k < 2 * n_q; k++, m++) {
        part[k / 2] = rank_of(n, q[k / 2], &first);
        int64_t its = first + (k % 2 && part[k / 2] > 0), i = m;
        for (; i > 0 && rank[i - 1] > its; i--) {
            rank[i] = rank[i - 1];
            place[i] = place[i - 1];
        }
        rank[i] = its;
        place[i] = k;
    }
    smr_select_f64(n, x, m, rank, room, sorted);
    for (int64_t i = 0; i < m; i++) at[place[i]] = sorted[i];
    for (int64_t r = 0; r < n_q; r++) out[r] = between(at[2 * r], at[2 * r + 1], part[r]);
}

void smr_quantiles_in(int64_t n, const double *x, int64_t n_q, const double *q, double *room,
                      double *out)
{
    if (n_q <= SELECTED && n_q <= SMR_MAX(1, n / SORTED_SHARE)) {
        select_some(n, x, n_q, q, (uint64_t *)(void *)room, out);
        return;
    }
    memcpy(room, x, (size_t)n * sizeof *x);
    const double *sorted = smr_sort_f64(n, room, room + n);
    for (int64_t r = 0; r < n_q; r++) {
        int64_t rank;
        double part = rank_of(n, q[r], &rank);
        out[r] = between(sorted[rank], part > 0 ? sorted[rank + 1] : 0, part);
    }
}

/* Quantiles of rows that all count once. */
static smr_status plain_quantiles(smr_ctx *ctx, int64_t n, const double *x, int64_t n_q,
                                  const double *q, double *out)
{
    double *room = smr_alloc_raw(ctx, 2 * n, sizeof *room);
    bool usable = n > 0;
    if (!room) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) usable &= !isnan(x[i]);
    if (usable) smr_quantiles_in(n, x, n_q, q, room, out);
    for (int64_t r = 0; !usable && r < n_q; r++) out[r] = NAN;
    smr_free(room);
    return SMR_OK;
}

/* x of the row that covers position t: the first whose running weight passes t. */
static double value_at(int64_t n, const double *sorted, const double *end, double t)
{
    int64_t lo = 0, hi = n - 1;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (end[middle] > t)
            hi = middle;
        else
            lo = middle + 1;
    }
    return sorted[lo];
}

static double quantile(int64_t n, const double *sorted, const double *end, double q)
{
    double h = q * (end[n - 1] - 1);
    if (!(h > 0)) return sorted[0];
    double below = floor(h), part = h - below;
    double a = value_at(n, sorted, end, below);
    if (part == 0) return a;
    double b = value_at(n, sorted, end, below + 1);
    return a == b ? a : a + part * (b - a);
}

/* sorted[r] and end[r], the running weight, of the rows that count; *kept is their number, 0 when
 * one of them is NaN. */
static smr_status sort_rows(smr_ctx *ctx, int64_t n, const double *x, const double *w,
                            double *sorted, double *end, int64_t *kept)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    dd sum = {0, 0};

    *kept = 0;
    TRY_NEW(order, n);
    TRY(smr_argsort_f64(ctx, n, x, order));
    for (int64_t r = 0; r < n; r++) {
        double wi = weight_of(w, order[r]);
        if (wi == 0) continue;
        dd_add(&sum, wi);
        sorted[*kept] = x[order[r]];
        end[*kept] = dd_value(sum);
        ++*kept;
    }
    if (*kept > 0 && isnan(sorted[*kept - 1])) *kept = 0;
out:
    smr_free(order);
    return st;
}

smr_status smr_quantiles(smr_ctx *ctx, int64_t n, const double *x, const double *w, int64_t n_q,
                         const double *q, double *out)
{
    smr_status st = SMR_OK;
    double *sorted = NULL, *end = NULL;
    int64_t kept;

    for (int64_t r = 0; r < n_q; r++)
        if (!(q[r] >= 0 && q[r] <= 1))
            return smr_fail(ctx, SMR_ERR_PARAM, "quantile %lld of the list is not between 0 and 1",
                            (long long)r);
    if (!w) return plain_quantiles(ctx, n, x, n_q, q, out);
    TRY_NEW(sorted, n);
    TRY_NEW(end, n);
    TRY(sort_rows(ctx, n, x, w, sorted, end, &kept));
    for (int64_t r = 0; r < n_q; r++) out[r] = kept ? quantile(kept, sorted, end, q[r]) : NAN;
out:
    smr_free(end);
    smr_free(sorted);
    return st;
}
