/* project.h -- projections on simple sets and thresholds, and the same as smr_proximal.
 *
 * Each changes w in place to the nearest point of the set.  O(n) except for simplex and l1 ball,
 * which pass over w until the set of positive entries no longer changes (a few times in
 * practice). */
#ifndef SMR_MATH_OPTIMIZE_PROJECT_H
#define SMR_MATH_OPTIMIZE_PROJECT_H

#include "math/optimize.h"

/* sign(x) max(|x| - t, 0), t >= 0. */
static inline double smr_shrink(double x, double t)
{
    return x > t ? x - t : x < -t ? x + t : 0;
}

void smr_soft_threshold(int64_t n, double t, double *w);
void smr_project_nonnegative(int64_t n, double *w);
/* low_j <= w_j <= high_j; NULL: no limit on that side. */
void smr_project_box(int64_t n, const double *low, const double *high, double *w);
/* |w|_2 <= radius. */
void smr_project_l2_ball(int64_t n, double radius, double *w);
/* w >= 0, sum w = total, total >= 0. */
void smr_project_simplex(int64_t n, double total, double *w);
/* |w|_1 <= radius. */
void smr_project_l1_ball(int64_t n, double radius, double *w);

/* The penalty sum_j l1_j |w_j| + l2_j w_j^2 / 2; l1 or l2 NULL: 0. */
typedef struct smr_elastic_penalty {
    const double *l1, *l2;
} smr_elastic_penalty;

typedef struct smr_box {
    const double *low, *high;
} smr_box;

/* What is pointed to must live as long as the result. */
smr_proximal smr_proximal_elastic(const smr_elastic_penalty *penalty);
smr_proximal smr_proximal_box(const smr_box *box);
smr_proximal smr_proximal_nonnegative(void);
smr_proximal smr_proximal_simplex(const double *total);
smr_proximal smr_proximal_l2_ball(const double *radius);
smr_proximal smr_proximal_l1_ball(const double *radius);

#endif
