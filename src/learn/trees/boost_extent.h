/* boost_extent.h -- how large the gradients of a block of rows are, and its losses. */
#ifndef SMR_LEARN_TREES_BOOST_EXTENT_H
#define SMR_LEARN_TREES_BOOST_EXTENT_H

#include "learn/trees/boost.h"

/* What rows have, per class: largest and summed |g| and h. */
typedef struct smr_boost_extent {
    double g, h, g_sum, h_sum;
} smr_boost_extent;

/* Of n rows that are not kept apart.  weight: pairs are of the rows once, and each is there so
 * often; NULL: pairs have their weights. */
void smr_boost_measure(const smr_boost_pair *pair, const uint8_t *bag, const int32_t *weight,
                       int64_t n, smr_boost_extent *e);
/* Their losses, and those of the rows that are kept apart. */
void smr_boost_sum_losses(const double *value, const uint8_t *bag, int64_t n, double *in,
                          double *apart);

#endif
