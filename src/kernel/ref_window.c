/* ref_window.c -- the plain forms of kernel/window_kernels.h: see ref.h. */
#include "kernel/ref.h"

#include <math.h>
#include <string.h>

enum { GROUP = SMR_WINDOW_GROUP, MOST = SMR_WINDOW_SERIES_MOST, D = SMR_WINDOW_SERIES_D };

static double exp_of(double x)
{
    static const double c[] = {
        0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
        0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
        0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
    };
    x = x < 0 ? x : 0;
    x = x > -708 ? x : -708;
    double t = fma(x, 0x1.71547652b82fep+0, 0x1.8p52), k = t - 0x1.8p52;
    double r = fma(-k, 0x1.ef35793c76730p-45, fma(-k, 0x1.62e42fefa3800p-1, x));
    double r2 = r * r, r4 = r2 * r2, q[5];
    uint64_t bits, shift;
    for (int i = 0; i < 5; i++) q[i] = fma(c[2 * i + 1], r, c[2 * i]);
    double low = fma(q[1], r2, q[0]), high = fma(q[3], r2, q[2]);
    double y = fma(fma(fma(q[4], r4, high), r4, low), r2, r) + 1;
    memcpy(&bits, &y, sizeof bits);
    memcpy(&shift, &t, sizeof shift);
    bits += shift << 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* start - q of point i of a group, or for the largest of the squares q itself. */
static double less_squares(bool by_largest, int64_t d, const double *points, int64_t i,
                           const smr_window_at *at, double start)
{
    double left = by_largest ? 0 : start;
    for (int64_t j = 0; j < d; j++) {
        double u = (at->x[j] - points[j * GROUP + i]) * at->scale[j];
        left = by_largest ? larger(left, u * u) : fma(-u, u, left);
    }
    return left;
}

static double window_of(smr_window kind, int64_t d, const double *points, int64_t i,
                        const smr_window_at *at)
{
    switch (kind) {
    case SMR_WINDOW_GAUSSIAN: return exp_of(less_squares(false, d, points, i, at, at->shift));
    case SMR_WINDOW_EPANECHNIKOV: return larger(less_squares(false, d, points, i, at, 1), 0);
    case SMR_WINDOW_BALL: return -less_squares(false, d, points, i, at, 0) <= 1;
    case SMR_WINDOW_BOX: break;
    }
    return less_squares(true, d, points, i, at, 0) <= 1;
}

double smr_ref_window_sum_f64(smr_window kind, int64_t d, unsigned marked, const double *points,
                              const double *weight, const smr_window_at *at)
{
    double lane[GROUP] = {0};
    for (int64_t g = 0; g < GROUP; g++)
        for (int64_t i = 0; i < GROUP && marked >> g & 1; i++) {
            double k = window_of(kind, d, points + g * d * GROUP, i, at);
            lane[i] = fma(weight[g * GROUP + i], k, lane[i]);
        }
    for (int half = GROUP / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

void smr_ref_window_squares_f64(bool by_largest, int64_t d, const double *points,
                                const smr_window_at *at, double *q)
{
    for (int64_t i = 0; i < GROUP; i++) {
        q[i] = less_squares(by_largest, d, points, i, at, 0);
        if (!by_largest) q[i] = -q[i];
    }
}

void smr_ref_window_reach_f64(bool by_largest, int64_t d, const double *boxes,
                              const smr_window_at *at, double *least, double *largest)
{
    for (int64_t i = 0; i < GROUP; i++) {
        least[i] = largest[i] = 0;
        for (int64_t j = 0; j < d; j++) {
            double below = boxes[2 * j * GROUP + i] - at->x[j];
            double above = at->x[j] - boxes[(2 * j + 1) * GROUP + i];
            double out = larger(larger(below, above), 0) * at->scale[j];
            double across = larger(-below, -above) * at->scale[j];
            least[i] = by_largest ? larger(least[i], out * out) : fma(out, out, least[i]);
            largest[i] =
                by_largest ? larger(largest[i], across * across) : fma(across, across, largest[i]);
        }
    }
}

static double along(int64_t order, const double *M, const double *H)
{
    double sum = 0;
    for (int64_t a = 0; a < order; a++) sum = fma(M[a * GROUP], H[a], sum);
    return sum;
}

static double across(int64_t order, int64_t most, const double **M, const double *H0,
                     const double *H1)
{
    double sum = 0;
    for (int64_t a = 0; a < most; a++) {
        if (a < order) sum = fma(H0[a], along(order - a, *M, H1), sum);
        *M += (most - a) * GROUP;
    }
    return sum;
}

void smr_ref_window_series_f64(const smr_window_series *s, int64_t order, const smr_window_at *at,
                               double *out)
{
    double H[D][MOST] = {{0}};
    for (int64_t i = 0; i < GROUP; i++) {
        const double *M = s->moments + i;
        double square = 0, sum = 0;
        for (int64_t j = 0; j < s->d; j++) {
            const double *box = s->boxes + j * 2 * GROUP + i;
            double u = (at->x[j] - (box[0] + box[GROUP]) * 0.5) * at->scale[j];
            square = fma(u, u, square);
            H[j][0] = 1;
            H[j][1] = u + u;
            for (int64_t n = 1; n + 1 < order; n++) {
                double next = fma(u, H[j][n], -(double)n * H[j][n - 1]);
                H[j][n + 1] = next + next;
            }
        }
        if (s->d == 1) sum = along(order, M, H[0]);
        if (s->d == 2) sum = across(order, s->most, &M, H[0], H[1]);
        for (int64_t a = 0; s->d == 3 && a < order; a++)
            sum = fma(H[0][a], across(order - a, s->most - a, &M, H[1], H[2]), sum);
        out[i] = sum * exp_of(-square);
    }
}
