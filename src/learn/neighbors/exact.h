/* exact.h -- which of two rows is nearer, decided in exact arithmetic. */
#ifndef SMR_LEARN_NEIGHBORS_EXACT_H
#define SMR_LEARN_NEIGHBORS_EXACT_H

#include "kernel/near.h"

#include <stdbool.h>

/* The sign of dist(q, a) - dist(q, b), for finite values: -1, 0 or 1. */
int smr_exact_compare(smr_near_kind kind, int64_t d, const double *q, const double *a,
                      const double *b);

/* The binary places that values take: all are multiples of 2^low, and smaller than 2^high. */
typedef struct smr_places {
    int low, high;
} smr_places;

#define SMR_PLACES_NONE ((smr_places){.low = 2000, .high = -2000})

/* Widens `places` by the n values x.  Stops early, with places too wide for smr_exact_fits, when
 * it meets values that are. */
void smr_places_add(smr_places *places, int64_t n, const double *x);

/* True when every distance between rows of d such values comes out without any rounding. */
bool smr_exact_fits(smr_near_kind kind, int64_t d, smr_places places);

#endif
