/* glm_parts.h -- what glm_columns.c and glm_gram.c share: the local quadratic (1) of the former. */
#ifndef SMR_MATH_OPTIMIZE_GLM_PARTS_H
#define SMR_MATH_OPTIMIZE_GLM_PARTS_H

#include "math/optimize/elastic_gap.h"
#include "math/optimize/run.h"

struct smr_glm_work {
    struct smr_run run;
    const smr_glm *m;
    double *l1, *l2, *b, *g, *D, *curve; /* d: g = x_j's, curve of (1)      */
    double *z, *z_new, *s, *h, *values;  /* n                                   */
    double *along; /* n: X D; before, while dense columns are swept, v         */
    struct smr_glm_row {
        double v, h;
    } * row;           /* n: of sparse columns, side by side as they are read; else NULL */
    int64_t *index, k; /* the columns that may move                                      */
    double offset, D_offset, f, enough;
};

/* Is it worth going on with the Gram matrix of the columns that may move? */
bool smr_glm_has_gram(const struct smr_glm_work *t);
/* D and D_offset = the minimum of (1), from where they are; up to `gap` in its value. */
smr_status smr_glm_gram(smr_ctx *ctx, struct smr_glm_work *t, double gap);

#endif
