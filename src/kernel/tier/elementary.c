/* elementary.c -- the elementary functions for one number and for arrays, and Lp distances. */

/* Lets gcc compute both sides of a choice, as vectors must; values are not affected. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include "kernel/tier/elementary.h"
#include "kernel/tier/tier.h"

double TIER(exp)(double x)
{
    return exp1(x);
}

double TIER(log)(double x)
{
    return log1(x);
}

double TIER(log1p)(double x)
{
    return log1p_1(x);
}

double TIER(expm1)(double x)
{
    return expm1_1(x);
}

double TIER(pow)(double x, double y)
{
    return pow1(x, y);
}

double TIER(tanh)(double x)
{
    return tanh1(x);
}

/* Arrays go through a block on the stack, so that x and y may be the same array. */
enum { BLOCK = 64 };

void TIER(exp_f64)(int64_t n, const double *x, double *y)
{
    double block[BLOCK] = {0};
    for (int64_t i = 0; i < n; i += BLOCK) {
        size_t size = sizeof(double) * (size_t)(n - i < BLOCK ? n - i : BLOCK);
        memcpy(block, x + i, size);
        for (int l = 0; l < BLOCK; l++) block[l] = exp1(block[l]);
        memcpy(y + i, block, size);
    }
}

void TIER(log_f64)(int64_t n, const double *x, double *y)
{
    double block[BLOCK] = {0};
    for (int64_t i = 0; i < n; i += BLOCK) {
        size_t size = sizeof(double) * (size_t)(n - i < BLOCK ? n - i : BLOCK);
        memcpy(block, x + i, size);
        for (int l = 0; l < BLOCK; l++) block[l] = log1(block[l]);
        memcpy(y + i, block, size);
    }
}

enum { LP_LANES = 8 };

static __attribute__((noinline)) void raise_block(double *x, double p)
{
    for (int l = 0; l < LP_LANES; l++) x[l] = pow_magnitude(x[l], p);
}

/* Element i belongs to lane i mod 8, which takes its elements in ascending order. */
double TIER(lp_f64)(int64_t n, const double *x, const double *y, double p)
{
    double sum[LP_LANES] = {0};
    for (int64_t i = 0; i < n; i += LP_LANES) {
        double block[LP_LANES] = {0};
        int count = n - i < LP_LANES ? (int)(n - i) : LP_LANES;
        for (int l = 0; l < count; l++) block[l] = magnitude(x[i + l] - y[i + l]);
        raise_block(block, p);
        for (int l = 0; l < count; l++) sum[l] += block[l];
    }
    for (int half = LP_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}
