/* boost_loss.c -- what boost minimises: values, slopes, best constants, best steps of leaves.
 *
 *     loss         value                          g                h            base
 *     squared      1/2 (f - y)^2                  f - y            1            mean
 *     absolute     |f - y|                        sign(f - y)      1            median
 *     huber        1/2 r^2, or d (|r| - d/2)      r, at most +-d   1            its minimum
 *     quantile     (1 - q) r, or -q r below       1 - q or -q      1            quantile
 *     poisson      e^f - y f                      e^f - y          e^f          log mean
 *     gamma        y e^-f + f                     1 - y e^-f       y e^-f       log mean
 *     logistic     log(1 + e^-yf)                 p - [y > 0]      p (1 - p)    log odds
 *     exponential  e^-yf                          -y e^-yf         e^-yf        1/2 log odds
 *     softmax      log sum e^f - f_y              p - [c = y]      k/(k-1) p (1 - p)   log shares
 *
 * poisson and gamma are half the deviance except for a constant that depends on y alone; that of
 * the table in math/loss.h is added to the value, so that 0 is a perfect fit.
 *
 * Where h is not the curvature but 1 (absolute, huber, quantile), a leaf's step is found from the
 * residuals of its rows: the minimum of the loss in one variable, without penalties.  For poisson,
 * gamma and exponential the sums G and H of a leaf determine the whole loss of a step w,
 *
 *     poisson  H e^w - (H - G) w     gamma  H e^-w + (G + H) w
 *     exponential  (H - G) / 2 e^-w + (H + G) / 2 e^w                                          (1)
 *
 * whose minimum with the penalties is found by Newton's method.  So these five losses fall with
 * each round, for any rate <= 1, to the rounding of the sums. */
#include "learn/trees/boost.h"

#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/loss.h"

#include <math.h>

/* No step is longer than this where the best one is infinite. */
#define LONGEST 20.0

bool smr_boost_is_flat(enum smr_boost_loss loss)
{
    return loss == SMR_BOOST_SQUARED || smr_boost_refits(loss);
}

bool smr_boost_refits(enum smr_boost_loss loss)
{
    return loss == SMR_BOOST_ABSOLUTE || loss == SMR_BOOST_HUBER || loss == SMR_BOOST_QUANTILE;
}

smr_status smr_boost_check_target(smr_ctx *ctx, const smr_boost_target *t)
{
    double total = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double w = t->weight ? t->weight[i] : 1;
        if (!(w >= 0 && isfinite(w)))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "boost: the weight of row %lld is not a finite number >= 0",
                            (long long)i + 1);
        total += w;
        if (!t->y) continue;
        bool bad = t->loss == SMR_BOOST_POISSON ? !(t->y[i] >= 0)
                   : t->loss == SMR_BOOST_GAMMA ? !(t->y[i] > 0)
                                                : !isfinite(t->y[i]);
        if (bad || fabs(t->y[i]) > 1e30)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "boost: the target of row %lld is %s: loss=%s needs %s",
                            (long long)i + 1, bad ? "outside what the loss takes" : "beyond 1e30",
                            smr_boost_losses[t->loss].name,
                            t->loss == SMR_BOOST_POISSON ? "numbers >= 0"
                            : t->loss == SMR_BOOST_GAMMA ? "numbers > 0"
                                                         : "finite numbers up to 1e30");
    }
    if (!(total > 0)) return smr_fail(ctx, SMR_ERR_DATA, "boost: all weights are 0: no row counts");
    return SMR_OK;
}

/* ---- one variable ----------------------------------------------------------------------- */

static void swap(double *x, double *w, int64_t a, int64_t b)
{
    double t = x[a];
    x[a] = x[b], x[b] = t;
    if (!w) return;
    t = w[a], w[a] = w[b], w[b] = t;
}

/* Orders x[lo .. hi) into less than, equal to and above `pivot`: the bounds of the equal ones. */
static void divide(double *x, double *w, int64_t lo, int64_t hi, double pivot, int64_t *from,
                   int64_t *to)
{
    int64_t a = lo, i = lo, b = hi;
    while (i < b) {
        if (x[i] < pivot)
            swap(x, w, a++, i++);
        else if (x[i] > pivot)
            swap(x, w, i, --b);
        else
            i++;
    }
    *from = a, *to = b;
}

static double weight_of(const double *w, int64_t lo, int64_t hi)
{
    if (!w) return (double)(hi - lo);
    double sum = 0;
    for (int64_t i = lo; i < hi; i++) sum += w[i];
    return sum;
}

static double middle(double a, double b, double c)
{
    return a < b ? (b < c ? b : smr_fmax(a, c)) : (a < c ? a : smr_fmax(b, c));
}

/* The smallest x with at least the share q of the weight at or below it; reorders x and w. */
static double quantile(int64_t n, double *x, double *w, double q)
{
    double want = q * weight_of(w, 0, n), below = 0, answer = n > 0 ? x[0] : 0;
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t from, to;
        double pivot = middle(x[lo], x[lo + (hi - lo) / 2], x[hi - 1]);
        divide(x, w, lo, hi, pivot, &from, &to);
        double less = below + weight_of(w, lo, from), upto = less + weight_of(w, from, to);
        if (less >= want && from > lo) {
            hi = from;
        } else if (upto >= want || to == hi) {
            answer = pivot;
            break;
        } else {
            below = upto;
            lo = to;
        }
    }
    return answer;
}

/* The minimum of sum w huber(x - c) over c: Newton on its piecewise linear slope, kept in a
 * bracket. */
static double huber_centre(int64_t n, const double *x, const double *w, double delta)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (w && w[i] == 0) continue;
        low = smr_fmin(low, x[i]), high = smr_fmax(high, x[i]);
    }
    if (!(low < high)) return isfinite(low) ? low : 0;
    double c = 0.5 * (low + high);
    for (int round = 0; round < 100; round++) {
        double slope = 0, inside = 0;
        for (int64_t i = 0; i < n; i++) {
            double r = x[i] - c, a = w ? w[i] : 1;
            bool is_in = fabs(r) <= delta;
            slope += a * (is_in ? r : r > 0 ? delta : -delta);
            inside += is_in ? a : 0;
        }
        if (slope == 0) break;
        if (slope > 0)
            low = c;
        else
            high = c;
        double next = inside > 0 ? c + slope / inside : 0.5 * (low + high);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - c) <= 1e-14 * (fabs(c) + delta)) break;
        c = next;
    }
    return c;
}

double smr_boost_refit(const smr_boost_target *t, int64_t n, double *residual, double *weight)
{
    if (t->loss == SMR_BOOST_HUBER) return huber_centre(n, residual, weight, t->param);
    return quantile(n, residual, weight, t->loss == SMR_BOOST_QUANTILE ? t->param : 0.5);
}

/* Slope and curvature of (1) at w. */
static smr_loss_point curve_at(enum smr_boost_loss loss, double G, double H, double w)
{
    double up = smr_exp(w), down = smr_exp(-w);
    if (loss == SMR_BOOST_POISSON) return (smr_loss_point){0, H * up - (H - G), H * up};
    if (loss == SMR_BOOST_GAMMA) return (smr_loss_point){0, G + H - H * down, H * down};
    double a = 0.5 * (H - G) * down, b = 0.5 * (H + G) * up;
    return (smr_loss_point){0, b - a, a + b};
}

double smr_boost_step(enum smr_boost_loss loss, double G, double H, double l1, double l2)
{
    bool is_curved =
        loss == SMR_BOOST_POISSON || loss == SMR_BOOST_GAMMA || loss == SMR_BOOST_EXPONENTIAL;
    if (!(fabs(G) > l1)) return 0;
    if (!is_curved) return H + l2 > 0 ? -(G - copysign(l1, G)) / (H + l2) : 0;
    double low = G > 0 ? -LONGEST : 0, high = G > 0 ? 0 : LONGEST, pull = G > 0 ? -l1 : l1, w = 0;
    for (int round = 0; round < 100 && low < high; round++) {
        smr_loss_point at = curve_at(loss, G, H, w);
        double slope = at.slope + pull + l2 * w, curvature = at.curvature + l2;
        if (slope == 0) break;
        if (slope > 0)
            high = w;
        else
            low = w;
        double next = curvature > 0 ? w - slope / curvature : NAN;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - w) <= 1e-14 * (1 + fabs(w))) break;
        w = next;
    }
    return w;
}

/* ---- the start -------------------------------------------------------------------------- */

/* The targets that count, and their weights. */
static smr_status gather(smr_ctx *ctx, const smr_boost_target *t, const uint8_t *part, double **x,
                         double **w, int64_t *n)
{
    smr_status st = SMR_OK;
    *x = *w = NULL;
    *n = 0;
    TRY_NEW(*x, t->n);
    if (t->weight) TRY_NEW(*w, t->n);
    for (int64_t i = 0; i < t->n; i++) {
        if ((part && part[i]) || (t->weight && t->weight[i] == 0)) continue;
        (*x)[*n] = t->y[i];
        if (t->weight) (*w)[*n] = t->weight[i];
        ++*n;
    }
out:
    return st;
}

smr_status smr_boost_delta(smr_ctx *ctx, const smr_boost_target *t, double *delta)
{
    smr_status st = SMR_OK;
    double *x = NULL, *w = NULL;
    int64_t n;
    TRY(gather(ctx, t, NULL, &x, &w, &n));
    double centre = quantile(n, x, w, 0.5), largest = 0;
    for (int64_t i = 0; i < n; i++) x[i] = fabs(x[i] - centre), largest = smr_fmax(largest, x[i]);
    *delta = quantile(n, x, w, 0.9);
    if (!(*delta > 0)) *delta = largest > 0 ? largest : 1;
out:
    smr_free(x);
    smr_free(w);
    return st;
}

static double log_of(double x)
{
    return x > 0 ? smr_log(x) : -SMR_BOOST_NEVER;
}

static smr_status base_of_numbers(smr_ctx *ctx, const smr_boost_target *t, const uint8_t *part,
                                  double *base)
{
    smr_status st = SMR_OK;
    double *x = NULL, *w = NULL, sum = 0;
    int64_t n;
    TRY(gather(ctx, t, part, &x, &w, &n));
    if (smr_boost_refits(t->loss)) {
        *base = smr_boost_refit(t, n, x, w);
        goto out;
    }
    double total = weight_of(w, 0, n);
    for (int64_t i = 0; i < n; i++) sum += (w ? w[i] : 1) * (x[i] / total);
    *base = t->loss == SMR_BOOST_SQUARED ? sum : log_of(sum);
out:
    smr_free(x);
    smr_free(w);
    return st;
}

smr_status smr_boost_base(smr_ctx *ctx, const smr_boost_target *t, const uint8_t *part,
                          double *base)
{
    smr_status st = SMR_OK;
    double *share = NULL, total = 0;
    if (t->y) return base_of_numbers(ctx, t, part, base);
    int64_t k = SMR_MAX(2, t->k);
    TRY_NEW(share, k);
    for (int64_t i = 0; i < t->n; i++)
        if (!part || !part[i]) share[t->label[i]] += t->weight ? t->weight[i] : 1;
    for (int64_t c = 0; c < k; c++) total += share[c];
    if (t->k == 1) {
        double odds = share[0] == 0   ? SMR_BOOST_NEVER
                      : share[1] == 0 ? -SMR_BOOST_NEVER
                                      : smr_log(share[1] / share[0]);
        *base = t->loss == SMR_BOOST_EXPONENTIAL ? 0.5 * odds : odds;
    } else {
        for (int64_t c = 0; c < k; c++) base[c] = log_of(share[c] / total);
    }
out:
    smr_free(share);
    return st;
}

/* ---- slopes ----------------------------------------------------------------------------- */

static const smr_loss_id same[] = {
    [SMR_BOOST_SQUARED] = SMR_LOSS_SQUARED,   [SMR_BOOST_ABSOLUTE] = SMR_LOSS_ABSOLUTE,
    [SMR_BOOST_HUBER] = SMR_LOSS_HUBER,       [SMR_BOOST_QUANTILE] = SMR_LOSS_QUANTILE,
    [SMR_BOOST_POISSON] = SMR_LOSS_POISSON,   [SMR_BOOST_GAMMA] = SMR_LOSS_GAMMA,
    [SMR_BOOST_LOGISTIC] = SMR_LOSS_LOGISTIC, [SMR_BOOST_EXPONENTIAL] = SMR_LOSS_EXPONENTIAL,
};

static void put(const smr_boost_target *t, smr_boost_pair *pair, int64_t at, double g, double h)
{
    pair[at].real.g = (float)g;
    pair[at].real.h = (float)h;
    if (!t->exact) return;
    t->exact[2 * at] = g;
    t->exact[2 * at + 1] = h;
}

/* Rows whose numbers stay in the nearest cache. */
enum { NEAR = 256 };

/* At most NEAR rows from `lo` on. */
static void slopes_of_few(const smr_boost_target *t, int64_t lo, int64_t n, const double *score,
                          double *value, smr_boost_pair *pair)
{
    double y[NEAR], slope[NEAR], curvature[NEAR];
    const double *weight = t->weight ? t->weight + lo : NULL;
    y[0] = 0; /* n may be 0 as far as the compiler knows */
    for (int64_t i = 0; i < n; i++) y[i] = (double)(2 * t->label[lo + i] - 1);
    smr_logistic_f64(n, y, score + lo, value, pair ? slope : NULL, pair ? curvature : NULL);
    for (int64_t i = 0; i < n && weight && value; i++) value[i] *= weight[i];
    if (!pair) return;
    for (int64_t i = 0; i < n && weight && !t->is_once; i++)
        slope[i] *= weight[i], curvature[i] *= weight[i];
    for (int64_t i = 0; i < n && t->exact; i++)
        t->exact[2 * (lo + i)] = slope[i], t->exact[2 * (lo + i) + 1] = curvature[i];
    pair += lo;
    for (int64_t i = 0; i < n; i++) {
        pair[i].real.g = (float)slope[i];
        pair[i].real.h = (float)curvature[i];
    }
}

static void slopes_of_two(const smr_boost_target *t, int64_t lo, int64_t hi, const double *score,
                          double *value, smr_boost_pair *pair)
{
    for (int64_t at = lo; at < hi; at += NEAR)
        slopes_of_few(t, at, SMR_MIN(NEAR, hi - at), score, value ? value + at - lo : NULL, pair);
}

enum { ROOM = 512 }; /* scores whose exponentials are taken at a time */

/* Classes from .. from+m of row i, whose exponentials e have this sum with the others. */
static void put_classes(const smr_boost_target *t, int64_t i, int64_t from, int64_t m,
                        const double *e, double sum, smr_boost_pair *pair)
{
    double w = t->weight && !t->is_once ? t->weight[i] : 1;
    double widen = (double)t->k / (double)(t->k - 1);
    for (int64_t c = 0; c < m; c++) {
        double p = e[c] / sum, is = from + c == t->label[i];
        put(t, pair, (from + c) * t->n + i, w * (p - is), w * widen * p * (1 - p));
    }
}

static double largest(int64_t k, const double *f)
{
    double top = f[0];
    for (int64_t c = 1; c < k; c++) top = f[c] > top ? f[c] : top;
    return top;
}

/* More classes than ROOM: the exponentials are taken twice. */
static void slopes_of_row(const smr_boost_target *t, int64_t i, const double *f, double *value,
                          smr_boost_pair *pair)
{
    double e[ROOM], top = largest(t->k, f), sum = 0;
    for (int pass = 0; pass < (pair ? 2 : 1); pass++)
        for (int64_t from = 0; from < t->k; from += ROOM) {
            int64_t m = SMR_MIN(ROOM, t->k - from);
            for (int64_t c = 0; c < m; c++) e[c] = f[from + c] - top;
            smr_exp_f64(m, e, e);
            for (int64_t c = 0; c < m && pass == 0; c++) sum += e[c];
            if (pass == 1) put_classes(t, i, from, m, e, sum, pair);
        }
    if (value) *value = (t->weight ? t->weight[i] : 1) * (top + smr_log(sum) - f[t->label[i]]);
}

static void slopes_of_many(const smr_boost_target *t, int64_t lo, int64_t hi, const double *score,
                           double *value, smr_boost_pair *pair)
{
    double e[ROOM], sum[ROOM], top[ROOM];
    int64_t k = t->k, each = SMR_MAX(1, ROOM / k);
    for (int64_t from = lo; from < hi; from += each) {
        int64_t m = SMR_MIN(each, hi - from);
        const double *f = score + from * k;
        if (k > ROOM) {
            slopes_of_row(t, from, f, value ? value + from - lo : NULL, pair);
            continue;
        }
        for (int64_t i = 0; i < m; i++) {
            top[i] = largest(k, f + i * k);
            for (int64_t c = 0; c < k; c++) e[i * k + c] = f[i * k + c] - top[i];
        }
        smr_exp_f64(m * k, e, e);
        for (int64_t i = 0; i < m; i++) {
            sum[i] = 0;
            for (int64_t c = 0; c < k; c++) sum[i] += e[i * k + c];
            if (pair) put_classes(t, from + i, 0, k, e + i * k, sum[i], pair);
        }
        if (!value) continue;
        smr_log_f64(m, sum, sum);
        for (int64_t i = 0; i < m; i++) {
            double w = t->weight ? t->weight[from + i] : 1;
            value[from - lo + i] = w * (top[i] + sum[i] - f[i * k + t->label[from + i]]);
        }
    }
}

void smr_boost_slopes(const smr_boost_target *t, int64_t lo, int64_t hi, const double *score,
                      double *value, smr_boost_pair *pair)
{
    if (t->loss == SMR_BOOST_LOGISTIC) {
        slopes_of_two(t, lo, hi, score, value, pair);
        return;
    }
    if (t->loss == SMR_BOOST_SOFTMAX) {
        slopes_of_many(t, lo, hi, score, value, pair);
        return;
    }
    const smr_loss *loss = &smr_losses[same[t->loss]];
    bool is_flat = smr_boost_is_flat(t->loss);
    for (int64_t i = lo; i < hi; i++) {
        double y = t->y ? t->y[i] : t->label[i] ? 1 : -1, w = t->weight ? t->weight[i] : 1;
        smr_loss_point at = w > 0 ? loss->at(t->param, y, score[i]) : (smr_loss_point){0};
        if (value) value[i - lo] = w * at.value;
        double times = t->is_once ? 1 : w;
        if (pair) put(t, pair, i, times * at.slope, times * (is_flat ? 1 : at.curvature));
    }
}
