/* generate_truth.c -- what is known of the class at a point: for generators whose classes are
 * mixtures of normal clouds.  A curve with noise is a mixture of many clouds along it. */
#include "data/generate_parts.h"
#include "kernel/kernel.h"

#include <math.h>

void smr_making_posterior(const smr_making *m, const void *params, smr_place_fn distance,
                          int64_t places, double sd, const double *x, double *p)
{
    double nearest = INFINITY, total = 0;
    for (int64_t k = 0; k < m->n_classes; k++)
        for (int64_t t = 0; t < places; t++)
            nearest = smr_fmin(nearest, distance(m, params, k, t, x));
    for (int64_t k = 0; k < m->n_classes; k++) {
        p[k] = 0;
        for (int64_t t = 0; t < places; t++) {
            double beyond = distance(m, params, k, t, x) - nearest;
            p[k] += sd > 0 ? smr_exp(-0.5 * beyond / (sd * sd)) : beyond == 0;
        }
        total += p[k];
    }
    for (int64_t k = 0; k < m->n_classes; k++) p[k] /= total;
}

void smr_making_flip(int64_t n_classes, double flip, double *p)
{
    for (int64_t k = 0; flip > 0 && k < n_classes; k++)
        p[k] = (1 - flip) * p[k] + flip * (1 - p[k]) / (double)(n_classes - 1);
}
