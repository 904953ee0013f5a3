/* couple.h -- from pairs of classes to classes.
 *
 * votes: class c has as many votes as pairs that it wins (the lower class of a pair where its score
 * is 0), and the sum s of its scores decides among equals:
 *
 *     decision_c = votes_c + s_c / (3 (|s_c| + 1))                                              (1)
 *
 * coupling: with r_ab = P(a | a or b, x) of the pairs, the probabilities p that sum to 1 and
 * minimise sum_{a != b} (r_ba p_a - r_ab p_b)^2 (Wu, Lin & Weng's second method): with
 * Q_aa = sum_{b != a} r_ba^2, Q_ab = -r_ba r_ab they solve
 *
 *     Q p + e u = 0,  e'p = 1                                                                   (2)
 *
 * by elimination with pivots, k^3 / 3 multiply-adds per row.  r is kept 1e-7 away from 0 and 1, so
 * that Q is positive definite on sums of 0 and p >= 0.
 * A class that no pair has: decision -1, probability 0.  Reference: Wu, Lin & Weng, JMLR
 * 5:975-1005, 2004. */
#ifndef SMR_LEARN_MULTI_COUPLE_H
#define SMR_LEARN_MULTI_COUPLE_H

#include "core/ctx.h"

/* Every two of the classes that have rows are a pair. */
typedef struct smr_class_pairs {
    int64_t n_classes, n;          /* n > 0: pairs */
    const int64_t *first, *second; /* n: classes   */
} smr_class_pairs;

/* pair (n): scores of the second classes.  out (n_classes): (1). */
void smr_pairs_vote(const smr_class_pairs *s, const double *pair, double *out);
/* pair (n): probabilities of the second classes.  out (n_classes): (2).  place: n_classes, a:
 * (n_classes + 1) (n_classes + 2), both scratch. */
void smr_pairs_couple(const smr_class_pairs *s, const double *pair, int64_t *place, double *a,
                      double *out);

#endif
