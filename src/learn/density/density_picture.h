/* density_picture.h -- what the pictures of a density are made of. */
#ifndef SMR_LEARN_DENSITY_DENSITY_PICTURE_H
#define SMR_LEARN_DENSITY_DENSITY_PICTURE_H

#include "core/ctx.h"

/* A function at the places x_i (nx), y_j (ny): value j nx + i. */
struct smr_density_grid {
    int64_t nx, ny;
    const double *x, *y, *value;
};

/* Where it crosses the level: *n places on lines, a gap (NaN) after each.  The caller frees
 * them. */
smr_status smr_density_contour(smr_ctx *ctx, const struct smr_density_grid *grid, double level,
                               int64_t *n, double **x, double **y);

#endif
