/* elastic_gap.h -- what the two engines for least squares with an elastic penalty share: penalties
 * column by column, the duality gap. */
#ifndef SMR_MATH_OPTIMIZE_ELASTIC_GAP_H
#define SMR_MATH_OPTIMIZE_ELASTIC_GAP_H

#include "math/optimize/coordinate.h"
#include "math/optimize/project.h"

/* The state of k columns: q = x_j'r (without the l2 part), c = x_j'y. */
struct smr_elastic_state {
    int64_t k;
    const double *b, *q, *c, *l1, *l2, *size; /* size: x_j'x_j */
    double yy;
};

struct smr_elastic_gap {
    double objective, gap;
    double scale; /* the dual point is scale * r (with the rows sqrt(l2) of elastic_gap.c) */
    bool free_ok; /* unpenalised columns are orthogonal to r to the tolerance                 */
};

/* Columns that are not among the k are 0 and feasible; the gap is then the whole problem's. */
struct smr_elastic_gap smr_elastic_gap_of(const struct smr_elastic_state *s, double tol);

/* l1[j], l2[j] for all d columns. */
void smr_elastic_penalties(int64_t d, const smr_elastic_opts *opts, double l1, double l2,
                           double *l1_out, double *l2_out);
/* Options with their defaults filled in; fails where a penalty, of the path or (path NULL) of the
 * options, is out of range. */
smr_status smr_elastic_check(smr_ctx *ctx, const smr_elastic_opts *opts,
                             const smr_elastic_path *path, smr_elastic_opts *out);

/* The answer for one coordinate: argmin_b h b^2 / 2 - z b + l1 |b|; 0 where h = 0. */
static inline double smr_elastic_update(double z, double h, double l1)
{
    return h > 0 ? smr_shrink(z, l1) / h : 0;
}

#endif
