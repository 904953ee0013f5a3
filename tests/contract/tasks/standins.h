/* standins.h -- tiny learners of the tasks that a registry may lack, for tests of everything that
 * treats tasks alike.  They are no part of the product: tests of this folder, and the command that
 * is built beside them, have a registry of their own with these at its end (registry.c).
 *
 *     z_cluster   k centres: the first k distinct rows, moved once to the mean of their rows
 *     z_density   a Gaussian for each feature
 *     z_halve     a transform of pictures: half the width
 *     z_kind      classes by a number or a text, or clusters: as its parameter says
 *     z_picture   a number from the left edge of pictures, whose size it must know
 *     z_rate      overall mean + user's + item's; without ratings how often an item was had
 *     z_self      nearest class mean, moved once by rows without a label
 *     z_steps     classes of steps from a symbol and the class before, or states of its own */
#ifndef SMR_TESTS_STANDINS_H
#define SMR_TESTS_STANDINS_H

#include "learn/learner.h"

#define STANDINS(X)  \
    X(smr_z_cluster) \
    X(smr_z_density) \
    X(smr_z_halve)   \
    X(smr_z_kind)    \
    X(smr_z_picture) \
    X(smr_z_rate)    \
    X(smr_z_self)    \
    X(smr_z_steps)

/* All rows of the data as doubles, n x d, allocated. */
smr_status standin_rows(smr_ctx *ctx, const smr_data *data, double **out);
static inline const double *standin_row(const smr_rows *rows, int64_t i)
{
    return (const double *)rows->x + i * rows->stride;
}

#endif
