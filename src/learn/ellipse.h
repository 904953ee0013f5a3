/* ellipse.h -- Gaussians of two features as ellipses in a figure. */
#ifndef SMR_LEARN_ELLIPSE_H
#define SMR_LEARN_ELLIPSE_H

#include "core/json.h"

/* The line of points at r standard deviations from the mean; covariance: a, b and c of
 * ((a, b), (b, c)).  Returns the series. */
smr_json *smr_ellipse_add(smr_json *figure, const char *name, const double mean[2],
                          const double covariance[3], double r);

#endif
