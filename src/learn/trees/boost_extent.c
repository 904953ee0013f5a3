/* boost_extent.c -- see boost_extent.h.  Sums are taken in four lanes, in an order that depends on
 * the rows alone. */
#include "learn/trees/boost_extent.h"

#include <math.h>

/* One row of four that are measured side by side, so that none waits for the one before it. */
static inline void measure_row(const smr_boost_pair *pair, smr_boost_extent *e)
{
    double g = (double)fabsf(pair->real.g), h = (double)pair->real.h;
    e->g = g > e->g ? g : e->g;
    e->h = h > e->h ? h : e->h;
    e->g_sum += g;
    e->h_sum += h;
}

static void measure(const smr_boost_pair *pair, const uint8_t *bag, int64_t n, smr_boost_extent *e)
{
    smr_boost_extent of[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n && !bag; i += 4)
        for (int l = 0; l < 4; l++) measure_row(&pair[i + l], &of[l]);
    for (; i < n; i++)
        if (!bag || bag[i] != SMR_BOOST_APART) measure_row(&pair[i], &of[i % 4]);
    *e = of[0];
    for (int l = 1; l < 4; l++) {
        e->g = smr_fmax(e->g, of[l].g), e->h = smr_fmax(e->h, of[l].h);
        e->g_sum += of[l].g_sum, e->h_sum += of[l].h_sum;
    }
    if (isnan(e->g_sum) || isnan(e->h_sum)) e->g = INFINITY; /* said later */
}

/* The same of pairs of rows once: each as often as it weighs. */
static void measure_once(const smr_boost_pair *pair, const uint8_t *bag, const int32_t *weight,
                         int64_t n, smr_boost_extent *e)
{
    *e = (smr_boost_extent){0};
    for (int64_t i = 0; i < n; i++) {
        if (weight[i] == 0 || (bag && bag[i] == SMR_BOOST_APART)) continue;
        double g = (double)fabsf(pair[i].real.g), h = (double)pair[i].real.h;
        e->g = smr_fmax(e->g, g), e->h = smr_fmax(e->h, h);
        e->g_sum += weight[i] * g, e->h_sum += weight[i] * h;
    }
    if (isnan(e->g_sum) || isnan(e->h_sum)) e->g = INFINITY; /* said later */
}

void smr_boost_measure(const smr_boost_pair *pair, const uint8_t *bag, const int32_t *weight,
                       int64_t n, smr_boost_extent *e)
{
    if (weight)
        measure_once(pair, bag, weight, n, e);
    else
        measure(pair, bag, n, e);
}

void smr_boost_sum_losses(const double *value, const uint8_t *bag, int64_t n, double *in,
                          double *apart)
{
    double of[4] = {0}, others = 0;
    int64_t i = 0;
    for (; i + 4 <= n && !bag; i += 4)
        for (int l = 0; l < 4; l++) of[l] += value[i + l];
    for (; i < n; i++)
        if (bag && bag[i] == SMR_BOOST_APART)
            others += value[i];
        else
            of[i % 4] += value[i];
    *in = (of[0] + of[1]) + (of[2] + of[3]);
    *apart = others;
}
