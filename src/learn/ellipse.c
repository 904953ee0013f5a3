/* ellipse.c -- see ellipse.h. */
#include "learn/ellipse.h"

#include "core/figure.h"
#include "kernel/kernel.h"
#include "math/trig.h"

#include <math.h>

enum { POINTS = 97 };

smr_json *smr_ellipse_add(smr_json *figure, const char *name, const double mean[2],
                          const double covariance[3], double r)
{
    double x[POINTS], y[POINTS];
    double a = sqrt(covariance[0]), c = covariance[1] / a;
    double b = sqrt(smr_fmax(0, covariance[2] - c * c));
    for (int i = 0; i < POINTS; i++) {
        double angle = 2.0 * i / (POINTS - 1), sine = smr_sin_pi(angle), cosine = smr_cos_pi(angle);
        x[i] = mean[0] + r * a * cosine;
        y[i] = mean[1] + r * (c * cosine + b * sine);
    }
    return smr_figure_series(figure, name, "line", POINTS, x, y);
}
