/* stats.c -- see stats.h. */
#include "math/stats.h"

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
    dd sum = {0, 0};
    bool whole = true;
    c.weight.hi = (double)n;
    if (n == 0) return c;
    c.min = c.max = x[0];
    for (int64_t i = 0; i < n; i++) {
        whole &= !isnan(x[i]);
        c.min = x[i] < c.min ? x[i] : c.min;
        c.max = x[i] > c.max ? x[i] : c.max;
        dd_add(&sum, x[i]);
    }
    if (!whole) {
        c.min = c.max = c.scale = NAN;
        return c;
    }
    c.scale = safe_scale(smr_fmax(fabs(c.min), fabs(c.max)));
    if (c.scale != 1) {
        sum = (dd){0, 0};
        for (int64_t i = 0; i < n; i++) dd_add(&sum, x[i] * c.scale);
    }
    c.mean = isfinite(sum.lo) ? dd_over(dd_fast_sum(sum.hi, sum.lo), c.weight) : (dd){sum.hi, 0};
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

static double correlation_about(int64_t n, const double *x, smr_origin of_x, const double *y,
                                smr_origin of_y, const double *w)
{
    double s[6] = {0};
    smr_crosses_f64(n, x, &of_x, y, &of_y, w, s);
    double xx = dd_value((dd){s[0], s[1]}), yy = dd_value((dd){s[2], s[3]});
    double r = dd_value((dd){s[4], s[5]}) / sqrt(xx * yy);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

double smr_correlation(int64_t n, const double *x, const double *y, const double *w)
{
    struct centre cx = find_centre(n, x, w), cy = find_centre(n, y, w);
    if (!(cx.min < cx.max) || !(cy.min < cy.max)) return NAN;
    return correlation_about(n, x, (smr_origin){cx.scale, cx.mean.hi, cx.mean.lo}, y,
                             (smr_origin){cy.scale, cy.mean.hi, cy.mean.lo}, w);
}

double smr_rank_correlation(int64_t n, const double *a, const double *b)
{
    smr_origin middle = {1, 0.5 * ((double)n + 1), 0};
    return correlation_about(n, a, middle, b, middle, NULL);
}

double smr_autocorrelation(int64_t n, const double *x, int64_t lag)
{
    struct centre c = find_centre(n, x, NULL);
    if (lag < 0 || lag >= n || !(c.min < c.max)) return NAN;
    return cross_sum(n - lag, x, &c, x + lag, &c, NULL) / cross_sum(n, x, &c, x, &c, NULL);
}

/* ---- quantiles ------------------------------------------------------------------------ */

enum { SELECT_BITS = 11, SELECT_BUCKETS = 1 << SELECT_BITS, SELECT_QUANTILES = 1 };

/* Unsigned numbers in the order of the doubles, and back. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The k-th smallest of n numbers, none NaN: counts by the leading bits, keeps the bucket that holds
 * it, and goes on with the next bits.  O(n) whatever the numbers are; keys is scratch of n. */
static double select_rank(int64_t n, const double *x, int64_t k, uint64_t *keys)
{
    for (int64_t i = 0; i < n; i++) keys[i] = key_of(x[i]);
    for (int shift = 64 - SELECT_BITS; n > 1; shift = SMR_MAX(shift - SELECT_BITS, 0)) {
        int64_t count[SELECT_BUCKETS] = {0}, kept = 0;
        uint64_t bucket = 0;
        for (int64_t i = 0; i < n; i++) count[keys[i] >> shift & (SELECT_BUCKETS - 1)]++;
        while (k >= count[bucket]) k -= count[bucket++];
        for (int64_t i = 0; i < n; i++)
            if ((keys[i] >> shift & (SELECT_BUCKETS - 1)) == bucket) keys[kept++] = keys[i];
        n = kept;
        if (shift == 0) break; /* all that are left are equal */
    }
    return value_of(keys[0]);
}

/* Quantiles of rows that all count once. */
static smr_status select_quantiles(smr_ctx *ctx, int64_t n, const double *x, int64_t n_q,
                                   const double *q, double *out)
{
    uint64_t *keys = smr_alloc_raw(ctx, n, sizeof *keys);
    bool usable = n > 0;
    if (!keys) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) usable &= !isnan(x[i]);
    for (int64_t r = 0; r < n_q; r++) {
        double h = q[r] * (double)(n - 1), below = floor(h), part = h - below;
        out[r] = usable ? select_rank(n, x, (int64_t)below, keys) : NAN;
        if (!usable || part == 0) continue;
        double next = select_rank(n, x, (int64_t)below + 1, keys);
        if (next != out[r]) out[r] += part * (next - out[r]);
    }
    smr_free(keys);
    return SMR_OK;
}

/* The same of more quantiles than selecting pays for. */
static smr_status sorted_quantiles(smr_ctx *ctx, int64_t n, const double *x, int64_t n_q,
                                   const double *q, double *out)
{
    double *room = smr_alloc_raw(ctx, 2 * n, sizeof *room);
    bool usable = n > 0;
    if (!room) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) usable &= !isnan(room[i] = x[i]);
    const double *sorted = usable ? smr_sort_f64(n, room, room + n) : NULL;
    for (int64_t r = 0; r < n_q; r++) {
        double h = q[r] * (double)(n - 1), below = floor(h), part = h - below;
        out[r] = usable ? sorted[(int64_t)below] : NAN;
        if (!usable || part == 0) continue;
        double next = sorted[(int64_t)below + 1];
        if (next != out[r]) out[r] += part * (next - out[r]);
    }
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
    if (!w && n_q <= SELECT_QUANTILES) return select_quantiles(ctx, n, x, n_q, q, out);
    if (!w) return sorted_quantiles(ctx, n, x, n_q, q, out);
    TRY_NEW(sorted, n);
    TRY_NEW(end, n);
    TRY(sort_rows(ctx, n, x, w, sorted, end, &kept));
    for (int64_t r = 0; r < n_q; r++) out[r] = kept ? quantile(kept, sorted, end, q[r]) : NAN;
out:
    smr_free(end);
    smr_free(sorted);
    return st;
}
