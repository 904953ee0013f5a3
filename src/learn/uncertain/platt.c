/* platt.c -- see maps.h. */
#include "learn/uncertain/maps.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

/* Below this share of the weight a gradient is rounding; no step can improve on it. */
static const double TOLERANCE = 1e-12;

enum { MOST_HALVINGS = 40 };

double smr_sigmoid(double f)
{
    return 1 / (1 + smr_exp(-f));
}

static double weight_of(const smr_scored *r, int64_t i)
{
    return r->weight ? r->weight[i] : 1;
}

static double score_of(const smr_platt *p, int64_t i)
{
    return (p->rows->x[i * p->rows->stride] - p->mean) / p->sd;
}

/* -t log p - (1 - t) log(1 - p) at p = sigmoid(f), without overflow. */
static double cross_entropy(double t, double f)
{
    return f >= 0 ? (1 - t) * f + smr_log1p(smr_exp(-f)) : -t * f + smr_log1p(smr_exp(f));
}

static double loss_at(const smr_platt *p, double slope, double bias)
{
    const smr_scored *r = p->rows;
    double loss = 0;
    for (int64_t i = 0; i < r->n; i++) {
        double t = r->label[i] == r->yes ? p->yes : p->no;
        loss += weight_of(r, i) * cross_entropy(t, slope * score_of(p, i) + bias);
    }
    return loss;
}

void smr_platt_begin(const smr_scored *r, smr_platt *p)
{
    double sum = 0, square = 0, positive = 0;
    *p = (smr_platt){.rows = r, .sd = 1};
    for (int64_t i = 0; i < r->n; i++) {
        double w = weight_of(r, i);
        p->total += w;
        sum += w * r->x[i * r->stride];
        if (r->label[i] == r->yes) positive += w;
    }
    p->mean = p->total > 0 ? sum / p->total : 0;
    for (int64_t i = 0; i < r->n; i++) {
        double d = r->x[i * r->stride] - p->mean;
        square += weight_of(r, i) * d * d;
    }
    double sd = p->total > 0 ? sqrt(square / p->total) : 0;
    if (sd > 8 * DBL_EPSILON * fabs(p->mean)) p->sd = sd;
    double negative = p->total - positive;
    p->yes = (positive + 1) / (positive + 2);
    p->no = 1 / (negative + 2);
    p->bias = smr_log((positive + 1) / (negative + 1));
    p->loss = loss_at(p, 0, p->bias);
}

void smr_platt_step(smr_platt *p)
{
    const smr_scored *r = p->rows;
    double g1 = 0, g0 = 0, h11 = 0, h10 = 0, h00 = 0;
    for (int64_t i = 0; i < r->n; i++) {
        double x = score_of(p, i), w = weight_of(r, i);
        double t = r->label[i] == r->yes ? p->yes : p->no;
        double q = smr_sigmoid(p->slope * x + p->bias), v = w * q * (1 - q);
        g1 += w * (q - t) * x;
        g0 += w * (q - t);
        h11 += v * x * x;
        h10 += v * x;
        h00 += v;
    }
    double ridge = TOLERANCE * (h11 + h00) + DBL_MIN; /* equal scores: the matrix is singular */
    h11 += ridge;
    h00 += ridge;
    double det = h11 * h00 - h10 * h10;
    double d1 = -(h00 * g1 - h10 * g0) / det, d0 = -(h11 * g0 - h10 * g1) / det;
    double descent = g1 * d1 + g0 * d0, step = 1;
    p->converged = !(descent < -TOLERANCE * p->total);
    for (int k = 0; !p->converged; k++, step /= 2) {
        double loss = loss_at(p, p->slope + step * d1, p->bias + step * d0);
        if (loss < p->loss + 1e-4 * step * descent) {
            p->slope += step * d1;
            p->bias += step * d0;
            p->loss = loss;
            break;
        }
        p->converged = k == MOST_HALVINGS;
    }
}

void smr_platt_end(const smr_platt *p, double *a, double *b)
{
    *a = p->slope / p->sd;
    *b = p->bias - p->slope * (p->mean / p->sd);
}
