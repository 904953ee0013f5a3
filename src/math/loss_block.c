/* loss_block.c -- losses of many rows at once, and of rows with one score per class; see loss.h.
 *
 * The loss is looked up once for a chunk of rows: each has its own loop, into which its
 * definition (loss_points.h) is inlined.  Results pass through a chunk on the stack, so that an
 * output may be the scores themselves. */
#include "math/loss_points.h"

#include <string.h>

enum { CHUNK = 128 };

struct points {
    double value[CHUNK], slope[CHUNK], curvature[CHUNK];
};

typedef smr_loss_point (*point_fn)(double param, double y, double f);

/* `at` is a constant in each call, so every call is a loop without calls. */
static inline __attribute__((always_inline)) void
fill(point_fn at, double param, int64_t n, const double *y, const double *f, struct points *out)
{
    for (int64_t i = 0; i < n; i++) {
        smr_loss_point p = at(param, y[i], f[i]);
        out->value[i] = p.value;
        out->slope[i] = p.slope;
        out->curvature[i] = p.curvature;
    }
}

static void fill_exponential(int64_t n, const double *y, const double *f, struct points *out)
{
    for (int64_t i = 0; i < n; i++) out->value[i] = -(y[i] * f[i]);
    smr_exp_f64(n, out->value, out->value);
    memcpy(out->curvature, out->value, sizeof out->value);
    for (int64_t i = 0; i < n; i++) out->slope[i] = -y[i] * out->value[i];
}

static void keep_point(smr_loss_point p, int64_t i, struct points *out)
{
    out->value[i] = p.value;
    out->slope[i] = p.slope;
    out->curvature[i] = p.curvature;
}

static void fill_poisson(int64_t n, const double *y, const double *f, struct points *out)
{
    double log_y[CHUNK], mean[CHUNK];
    smr_log_f64(n, y, log_y);
    smr_exp_f64(n, f, mean);
    for (int64_t i = 0; i < n; i++)
        keep_point(poisson_point(y[i], f[i], mean[i], log_y[i]), i, out);
}

static void fill_gamma(int64_t n, const double *y, const double *f, struct points *out)
{
    double t[CHUNK], ratio[CHUNK];
    smr_log_f64(n, y, t);
    for (int64_t i = 0; i < n; i++) t[i] -= f[i];
    smr_exp_f64(n, t, ratio);
    for (int64_t i = 0; i < n; i++) keep_point(gamma_point(t[i], ratio[i]), i, out);
}

static void fill_chunk(const smr_loss *loss, double param, int64_t n, const double *y,
                       const double *f, struct points *out)
{
    switch (loss->id) {
    case SMR_LOSS_SQUARED: fill(at_squared, param, n, y, f, out); break;
    case SMR_LOSS_ABSOLUTE: fill(at_absolute, param, n, y, f, out); break;
    case SMR_LOSS_HUBER: fill(at_huber, param, n, y, f, out); break;
    case SMR_LOSS_QUANTILE: fill(at_quantile, param, n, y, f, out); break;
    case SMR_LOSS_EPSILON: fill(at_epsilon, param, n, y, f, out); break;
    case SMR_LOSS_ZERO_ONE: fill(at_zero_one, param, n, y, f, out); break;
    case SMR_LOSS_PERCEPTRON: fill(at_perceptron, param, n, y, f, out); break;
    case SMR_LOSS_HINGE: fill(at_hinge, param, n, y, f, out); break;
    case SMR_LOSS_SQUARED_HINGE: fill(at_squared_hinge, param, n, y, f, out); break;
    case SMR_LOSS_EXPONENTIAL: fill_exponential(n, y, f, out); break;
    case SMR_LOSS_POISSON: fill_poisson(n, y, f, out); break;
    case SMR_LOSS_GAMMA: fill_gamma(n, y, f, out); break;
    default: break; /* logistic and classes have functions of their own */
    }
}

void smr_loss_block(const smr_loss *loss, double param, int64_t n, const double *y, const double *f,
                    double *value, double *slope, double *curvature)
{
    struct points p;
    if (loss->id == SMR_LOSS_LOGISTIC) {
        smr_logistic_f64(n, y, f, value, slope, curvature);
        return;
    }
    for (int64_t lo = 0; lo < n; lo += CHUNK) {
        int64_t count = SMR_MIN(CHUNK, n - lo);
        size_t size = (size_t)count * sizeof(double);
        fill_chunk(loss, param, count, y + lo, f + lo, &p);
        if (value) memcpy(value + lo, p.value, size);
        if (slope) memcpy(slope + lo, p.slope, size);
        if (curvature) memcpy(curvature + lo, p.curvature, size);
    }
}

/* ---- one score a class ------------------------------------------------------------------ */

/* p = exp(f - max f) and its sum, at least 1.  Infinite scores of one sign only: the caller's. */
static double exp_shifted(int64_t k, const double *f, double *p, double *top)
{
    *top = f[0];
    for (int64_t c = 1; c < k; c++) *top = f[c] > *top ? f[c] : *top;
    for (int64_t c = 0; c < k; c++) p[c] = f[c] - *top;
    smr_exp_f64(k, p, p);
    return smr_sum_f64(k, p);
}

void smr_loss_softmax(int64_t k, const double *f, double *p)
{
    double top, sum = exp_shifted(k, f, p, &top);
    for (int64_t c = 0; c < k; c++) p[c] /= sum;
}

/* log sum exp - f_y = log(sum) + (top - f_y).  Where the class itself is on top the sum is 1 plus
 * the others, and log1p keeps what they add. */
static double cross_entropy(int64_t k, int64_t label, const double *f, double *slope)
{
    double top, own = f[label], others = 0, scratch[CHUNK], sum;
    if (slope) {
        sum = exp_shifted(k, f, slope, &top);
        for (int64_t c = 0; c < k; c++) others += c == label ? 0 : slope[c];
        for (int64_t c = 0; c < k; c++) slope[c] /= sum;
        slope[label] = -others / sum;
    } else {
        top = own;
        sum = 0;
        for (int64_t c = 0; c < k; c++) top = f[c] > top ? f[c] : top;
        for (int64_t lo = 0; lo < k; lo += CHUNK) {
            int64_t count = SMR_MIN(CHUNK, k - lo);
            for (int64_t c = 0; c < count; c++) scratch[c] = f[lo + c] - top;
            smr_exp_f64(count, scratch, scratch);
            for (int64_t c = 0; c < count; c++) {
                sum += scratch[c];
                others += lo + c == label ? 0 : scratch[c];
            }
        }
    }
    return own < top ? smr_log(sum) + (top - own) : smr_log1p(others);
}

static double hinge_sum(int64_t k, int64_t label, const double *f, double *slope)
{
    double own = f[label], value = 0, count = 0;
    for (int64_t c = 0; c < k; c++) {
        double over = 1 + (f[c] - own);
        bool counts = c != label && over > 0;
        if (counts) value += over;
        count += counts;
        if (slope) slope[c] = counts;
    }
    if (slope) slope[label] = -count;
    return value;
}

static double hinge_max(int64_t k, int64_t label, const double *f, double *slope)
{
    double own = f[label], value = 0;
    int64_t worst = -1;
    for (int64_t c = 0; c < k; c++) {
        double over = 1 + (f[c] - own);
        if (c == label || !(over > value)) continue;
        value = over;
        worst = c;
    }
    for (int64_t c = 0; slope && c < k; c++) slope[c] = 0;
    if (slope && worst >= 0) {
        slope[worst] = 1;
        slope[label] = -1;
    }
    return value;
}

void smr_loss_classes(const smr_loss *loss, int64_t n, int64_t k, const int32_t *label,
                      const double *f, double *value, double *slope)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = f + i * k;
        double *g = slope ? slope + i * k : NULL, v;
        if (loss->id == SMR_LOSS_CROSS_ENTROPY)
            v = cross_entropy(k, label[i], row, g);
        else if (loss->id == SMR_LOSS_HINGE_SUM)
            v = hinge_sum(k, label[i], row, g);
        else
            v = hinge_max(k, label[i], row, g);
        if (value) value[i] = v;
    }
}
