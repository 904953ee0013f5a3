/* power_find.c -- the power transforms and their exponents: see power.h.
 *
 * In the sums, y and its slope are taken times exp(-m), where the largest exponent m would
 * overflow: neither side of (2) in power.h notices. */
#include "transform/power.h"

#include "core/parallel.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { CHUNK = 2048, MOST_STEPS = 100 };
static const double FARTHEST = 64; /* from 1: exponents beyond are not looked for   */
static const double LARGE = 600;   /* exponents up to this one are taken as they are */
static const double LEAST_SPREAD = 1e-8;

/* ---- values ----------------------------------------------------------------------------- */

/* (1) */
static double h(double u, double a)
{
    return a == 0 ? u : smr_expm1(a * u) / a;
}

/* The u of h(u, a) = y; NaN where there is none. */
static double h_back(double y, double a)
{
    if (a == 0) return y;
    return a * y > -1 ? smr_log1p(a * y) / a : NAN;
}

double smr_power_of(smr_power_method method, double lambda, double x)
{
    if (method == SMR_BOX_COX) return h(smr_log(x), lambda);
    return x >= 0 ? h(smr_log1p(x), lambda) : -h(smr_log1p(-x), 2 - lambda);
}

double smr_power_back(smr_power_method method, double lambda, double y, bool *above)
{
    *above = y >= 0;
    if (method == SMR_BOX_COX) return smr_exp(h_back(y, lambda));
    return y >= 0 ? smr_expm1(h_back(y, lambda)) : -smr_expm1(h_back(-y, 2 - lambda));
}

/* ---- sums at one exponent --------------------------------------------------------------- */

struct sums {
    double weight, y, slope; /* total; means                          */
    double square, product;  /* of deviations: y with y, y with slope */
    double largest;          /* |y|                                   */
};

struct search {
    int64_t n;
    const double *t, *w;      /* t: see (2) */
    bool mirrored;            /* Yeo-Johnson: t < 0 has the other branch */
    double mean_t, high, low; /* of t: weighted mean, largest, least   */
    /* of one step */
    double lambda, m;
    struct sums *part; /* one per chunk */
};

/* h and dh/da by their series in v = a u, |v| < 0.1. */
static void small(double u, double v, double *y, double *slope)
{
    double term = 1, a = 1, b = 0;
    for (int k = 2; k <= 12; k++) {
        term /= (double)k; /* v^(k-2) / k! */
        b += (double)(k - 1) * term;
        term *= v;
        a += term;
    }
    *y = u * a;
    *slope = u * u * b;
}

/* Merges two sets of rows (Chan, Golub & LeVeque). */
static void merge(struct sums *into, const struct sums *part)
{
    double total = into->weight + part->weight, share = part->weight / total;
    double y = part->y - into->y, slope = part->slope - into->slope;
    into->square += part->square + y * y * into->weight * share;
    into->product += part->product + y * slope * into->weight * share;
    into->y += y * share;
    into->slope += slope * share;
    into->largest = smr_fmax(into->largest, part->largest);
    into->weight = total;
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct search *s = arg;
    double v[CHUNK], e[CHUNK], *y = v, *slope = e;
    int64_t lo = c * CHUNK, n = smr_block_end(s->n, CHUNK, c) - lo;
    const double *t = s->t + lo, *w = s->w ? s->w + lo : NULL;
    double unit = s->m == 0 ? 1 : smr_exp(-s->m);
    struct sums sum = {0};
    (void)ctx, (void)lane;
    for (int64_t i = 0; i < n; i++) {
        bool other = s->mirrored && t[i] < 0;
        v[i] = other ? (s->lambda - 2) * t[i] : s->lambda * t[i];
        e[i] = v[i] - s->m;
    }
    smr_exp_f64(n, e, e);
    for (int64_t i = 0; i < n; i++) {
        bool other = s->mirrored && t[i] < 0;
        double a = other ? 2 - s->lambda : s->lambda, u = other ? -t[i] : t[i], value, change;
        if (fabs(v[i]) < 0.1) {
            small(u, v[i], &value, &change);
            value *= unit;
            change *= unit;
        } else {
            value = (e[i] - unit) / a;
            change = (u * e[i] - value) / a;
        }
        y[i] = other ? -value : value;
        slope[i] = change; /* both branches grow: the mirror turns the sign twice */
    }
    for (int64_t i = 0; i < n; i++) {
        double weight = w ? w[i] : 1;
        sum.weight += weight;
        sum.y += weight * y[i];
        sum.slope += weight * slope[i];
        sum.largest = smr_fmax(sum.largest, fabs(y[i]));
    }
    sum.y /= sum.weight;
    sum.slope /= sum.weight;
    for (int64_t i = 0; i < n; i++) {
        double weight = w ? w[i] : 1, off = y[i] - sum.y;
        sum.square += weight * off * off;
        sum.product += weight * off * (slope[i] - sum.slope);
    }
    s->part[c] = sum;
    return SMR_OK;
}

/* The slope of f at lambda; NaN where rounding would decide. */
static smr_status slope_at(smr_ctx *ctx, struct search *s, double lambda, struct sums *all,
                           double *slope)
{
    smr_status st = SMR_OK;
    int64_t chunks = smr_block_count(s->n, CHUNK);
    double down = s->mirrored && s->low < 0 ? (lambda - 2) * s->low : lambda * s->low;
    double most = smr_fmax(lambda * s->high, down);
    s->lambda = lambda;
    s->m = most > LARGE ? most : 0;
    TRY(smr_parallel(ctx, "finding exponents", chunks, sum_chunk, s));
    *all = s->part[0];
    for (int64_t c = 1; c < chunks; c++) merge(all, &s->part[c]);
    double sd = sqrt(all->square / all->weight);
    bool sound = sd > LEAST_SPREAD * all->largest && isfinite(all->product);
    *slope = sound ? all->product / all->square - s->mean_t : NAN;
out:
    return st;
}

/* ---- the root --------------------------------------------------------------------------- */

/* lo, hi: neighbours with slopes of different sign; or *stopped, and lo is the last that was
 * sound. */
static smr_status bracket(smr_ctx *ctx, struct search *s, double *lo, double *f_lo, double *hi,
                          double *f_hi, bool *stopped)
{
    smr_status st = SMR_OK;
    struct sums sums;
    double step = 1;
    *stopped = false;
    *lo = 1;
    TRY(slope_at(ctx, s, 1, &sums, f_lo));
    double down = *f_lo > 0 ? -1 : 1;
    *stopped = isnan(*f_lo);
    while (!*stopped) {
        *hi = *lo + down * step;
        TRY(slope_at(ctx, s, *hi, &sums, f_hi));
        if (*f_hi * down >= 0 || *f_lo == 0) break;
        if (isnan(*f_hi)) { /* half as far, while that is worth it */
            step /= 4;
            *stopped = step < 1e-3;
            continue;
        }
        *lo = *hi;
        *f_lo = *f_hi;
        step *= 2;
        *stopped = fabs(*lo - 1) > FARTHEST;
    }
out:
    return st;
}

/* Brent's root between a and b (Brent 1973, chapter 4): secants and inverse parabolas, and halves
 * where these do not help. */
static smr_status find_root(smr_ctx *ctx, struct search *s, double a, double fa, double b,
                            double fb, double *root)
{
    smr_status st = SMR_OK;
    double c = a, fc = fa, d = b - a, e = d;
    for (int k = 0; k < MOST_STEPS && fb != 0; k++) {
        if ((fb > 0) == (fc > 0)) {
            c = a, fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double tol = 2 * DBL_EPSILON * fabs(b) + 1e-13, half = (c - b) / 2, p, q, r;
        if (fabs(half) <= tol) break;
        if (fabs(e) >= tol && fabs(fa) > fabs(fb)) {
            double ratio = fb / fa;
            if (a == c) {
                p = 2 * half * ratio;
                q = 1 - ratio;
            } else {
                q = fa / fc, r = fb / fc;
                p = ratio * (2 * half * q * (q - r) - (b - a) * (r - 1));
                q = (q - 1) * (r - 1) * (ratio - 1);
            }
            q = p > 0 ? -q : q;
            p = fabs(p);
            bool helps = 2 * p < smr_fmin(3 * half * q - fabs(tol * q), fabs(e * q));
            e = helps ? d : half;
            d = helps ? p / q : half;
        } else {
            d = e = half;
        }
        a = b, fa = fb;
        b += fabs(d) > tol ? d : copysign(tol, half);
        struct sums sums;
        double value;
        TRY(slope_at(ctx, s, b, &sums, &value));
        if (isnan(value)) break;
        fb = value;
    }
    *root = b;
out:
    return st;
}

static smr_status find_lambda(smr_ctx *ctx, struct search *s, smr_power_fit *out)
{
    smr_status st = SMR_OK;
    double lo, f_lo, hi = 1, f_hi = 0;
    TRY(bracket(ctx, s, &lo, &f_lo, &hi, &f_hi, &out->stopped));
    if (out->stopped || f_lo == 0)
        out->lambda = lo;
    else
        TRY(find_root(ctx, s, lo, f_lo, hi, f_hi, &out->lambda));
out:
    return st;
}

/* ---- all -------------------------------------------------------------------------------- */

struct logs {
    smr_power_method method;
    int64_t n;
    const double *x, *w;
    double *t;
    struct logs_part {
        double weight, sum, least, greatest, low, high; /* of x; of t */
    } * part;
};

static smr_status take_logs(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct logs *l = arg;
    int64_t lo = c * CHUNK, hi = smr_block_end(l->n, CHUNK, c);
    struct logs_part p = {.least = NAN, .greatest = NAN, .low = NAN, .high = NAN};
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        double x = l->x[i], weight = l->w ? l->w[i] : 1;
        double t = l->method == SMR_BOX_COX ? smr_log(x) : copysign(smr_log1p(fabs(x)), x);
        l->t[i] = t;
        p.weight += weight;
        p.sum += weight * t;
        p.least = smr_fmin(p.least, x);
        p.greatest = smr_fmax(p.greatest, x);
        p.low = smr_fmin(p.low, t);
        p.high = smr_fmax(p.high, t);
    }
    l->part[c] = p;
    return SMR_OK;
}

static smr_status measure(smr_ctx *ctx, struct logs *l, struct search *s, smr_power_fit *out)
{
    smr_status st = SMR_OK;
    int64_t chunks = smr_block_count(l->n, CHUNK);
    double weight = 0, sum = 0;
    TRY_NEW(l->part, chunks);
    TRY(smr_parallel(ctx, NULL, chunks, take_logs, l));
    s->low = s->high = out->least = out->greatest = NAN;
    for (int64_t c = 0; c < chunks; c++) {
        const struct logs_part *p = &l->part[c];
        weight += p->weight;
        sum += p->sum;
        out->least = smr_fmin(out->least, p->least);
        out->greatest = smr_fmax(out->greatest, p->greatest);
        s->low = smr_fmin(s->low, p->low);
        s->high = smr_fmax(s->high, p->high);
    }
    s->mean_t = sum / weight;
out:
    smr_free(l->part);
    return st;
}

/* Mean and deviation of the y; constants, and what is too large, stay as they are. */
static smr_status standardize(smr_ctx *ctx, struct search *s, smr_power_fit *out)
{
    smr_status st = SMR_OK;
    struct sums sums;
    double slope;
    TRY(slope_at(ctx, s, out->lambda, &sums, &slope));
    double unit = smr_exp(s->m), mean = unit * sums.y, sd = unit * sqrt(sums.square / sums.weight);
    bool varies = out->least < out->greatest && sd > 0 && isfinite(sd) && isfinite(mean);
    out->mean = isfinite(mean) ? mean : 0;
    out->sd = varies ? sd : 1;
out:
    return st;
}

smr_status smr_power_find(smr_ctx *ctx, smr_power_method method, double lambda, int64_t n,
                          const double *x, const double *w, smr_power_fit *out)
{
    smr_status st = SMR_OK;
    double *t = NULL;
    struct search s = {.n = n, .w = w, .mirrored = method == SMR_YEO_JOHNSON};
    *out = (smr_power_fit){.lambda = isnan(lambda) ? 1 : lambda};
    TRY_NEW(t, n);
    TRY_NEW(s.part, smr_block_count(n, CHUNK));
    struct logs logs = {.method = method, .n = n, .x = x, .w = w, .t = t};
    TRY(measure(ctx, &logs, &s, out));
    s.t = t;
    if (isnan(lambda) && out->least < out->greatest) TRY(find_lambda(ctx, &s, out));
    TRY(standardize(ctx, &s, out));
out:
    smr_free(t);
    smr_free(s.part);
    return st;
}
