/* logistic_loss.c -- the logistic loss of a block of rows, with its two derivatives.
 *
 *     m = y f,  e = exp(-|m|):   value     log(1 + exp(-m)) = max(-m, 0) + log1p(e)
 *                                slope     -y e / (1 + e) for m >= 0, -y / (1 + e) else
 *                                curvature e / (1 + e)^2
 *
 * e never overflows, so all three are right for any finite score. */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/elementary.h"
#include "kernel/tier/tier.h"

enum { BLOCK = 32 };

static void values_of(const double *m, const double *e, double *out)
{
    for (int l = 0; l < BLOCK; l++) out[l] = (m[l] < 0 ? -m[l] : 0) + log1p_1(e[l]);
}

static void slopes_of(const double *m, const double *y, const double *e, double *out)
{
    for (int l = 0; l < BLOCK; l++) {
        double above = m[l] < 0 ? 1 : e[l];
        out[l] = -y[l] * (above / (1 + e[l]));
    }
}

static void curvatures_of(const double *e, double *out)
{
    for (int l = 0; l < BLOCK; l++) out[l] = e[l] / ((1 + e[l]) * (1 + e[l]));
}

void TIER(logistic_f64)(int64_t n, const double *y, const double *f, double *value, double *slope,
                        double *curvature)
{
    double t[BLOCK] = {0}, m[BLOCK] = {0}, e[BLOCK], out[BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        size_t size = sizeof(double) * (size_t)(n - i < BLOCK ? n - i : BLOCK);
        memcpy(t, y + i, size);
        memcpy(m, f + i, size);
        for (int l = 0; l < BLOCK; l++) m[l] *= t[l];
        for (int l = 0; l < BLOCK; l++) e[l] = exp1(-magnitude(m[l]));
        if (value) {
            values_of(m, e, out);
            memcpy(value + i, out, size);
        }
        if (curvature) {
            curvatures_of(e, out);
            memcpy(curvature + i, out, size);
        }
        if (slope) {
            slopes_of(m, t, e, out);
            memcpy(slope + i, out, size);
        }
    }
}
