/* centres.h -- a few centres that rows lie around: where other methods start.
 *
 * The first centre is a row drawn by weight, each further one a row drawn with chances that grow
 * with its weight and its squared distance to the centres so far (k-means++: Arthur &
 * Vassilvitskii, SODA 2007); then rounds of k-means.  One thread: n k d multiply-adds a round. */
#ifndef SMR_MATH_CENTRES_H
#define SMR_MATH_CENTRES_H

#include "core/ctx.h"

typedef struct smr_centres {
    int64_t n, d, k;
    const double *z;       /* n x d                            */
    const double *weight;  /* n; NULL: all 1                   */
    double *centre;        /* k x d                            */
    int32_t *of;           /* n: the nearest centre            */
    double *near, *chance; /* n each: room                    */
    double *count;         /* k: weight of the rows around it  */
} smr_centres;

/* Draws the centres, by `unit`: uniform numbers in [0, 1).  Returns how many rows of weight above 0
 * are distinct, up to k: centres after these repeat a row. */
int64_t smr_centres_draw(smr_centres *c, double (*unit)(void *arg), void *arg);
/* Gives every row to its nearest centre, the first of equals. */
void smr_centres_assign(smr_centres *c);
/* The same and the means of their rows, so many times; a centre without rows stays. */
void smr_centres_settle(smr_centres *c, int64_t rounds);

#endif
