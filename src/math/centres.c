/* centres.c -- see centres.h. */
#include "math/centres.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static double distance(const smr_centres *c, int64_t i, int64_t j)
{
    return smr_l2sq_f64(c->d, c->z + i * c->d, c->centre + j * c->d);
}

/* The row at which that share of all chances is reached. */
static int64_t draw_row(const smr_centres *c, double share, double sum)
{
    double at = share * sum;
    int64_t i = 0, last = 0;
    while (i < c->n - 1 && at >= c->chance[i]) at -= c->chance[i++];
    if (c->chance[i] > 0 || !(sum > 0)) return i;
    for (i = 0; i < c->n; i++) /* rounding left the last that has a chance */
        if (c->chance[i] > 0) last = i;
    return last;
}

int64_t smr_centres_draw(smr_centres *c, double (*unit)(void *arg), void *arg)
{
    int64_t distinct = 0;
    for (int64_t i = 0; i < c->n; i++) c->near[i] = 1;
    for (int64_t j = 0; j < c->k; j++) {
        for (int64_t i = 0; i < c->n; i++)
            c->chance[i] = c->weight ? c->weight[i] * c->near[i] : c->near[i];
        double sum = smr_sum_f64(c->n, c->chance);
        distinct += sum > 0;
        int64_t i = draw_row(c, unit(arg), sum);
        memcpy(c->centre + j * c->d, c->z + i * c->d, (size_t)c->d * sizeof *c->z);
        for (i = 0; i < c->n; i++) {
            double far = distance(c, i, j);
            c->near[i] = j ? smr_fmin(c->near[i], far) : far;
        }
    }
    return distinct;
}

void smr_centres_assign(smr_centres *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        double best = INFINITY;
        for (int64_t j = 0; j < c->k; j++) {
            double far = distance(c, i, j);
            if (far < best) {
                best = far;
                c->of[i] = (int32_t)j;
            }
        }
    }
}

void smr_centres_settle(smr_centres *c, int64_t rounds)
{
    for (int64_t r = 0; r < rounds; r++) {
        smr_centres_assign(c);
        memset(c->count, 0, (size_t)c->k * sizeof *c->count);
        for (int64_t i = 0; i < c->n; i++) c->count[c->of[i]] += c->weight ? c->weight[i] : 1;
        for (int64_t j = 0; j < c->k; j++)
            if (c->count[j] > 0) memset(c->centre + j * c->d, 0, (size_t)c->d * sizeof *c->centre);
        for (int64_t i = 0; i < c->n; i++) {
            double w = c->weight ? c->weight[i] : 1;
            if (w > 0)
                smr_axpy_f64(c->d, w / c->count[c->of[i]], c->z + i * c->d,
                             c->centre + c->of[i] * c->d);
        }
    }
}
