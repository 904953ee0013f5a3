/* nth.h -- order statistics without sorting. */
#ifndef SMR_CORE_NTH_H
#define SMR_CORE_NTH_H

#include "core/ctx.h"

/* out[r] = the rank[r]-th smallest, from 0, of n numbers, none of them NaN; -0 becomes 0.  Ranks
 * ascend.  room: 2 n words.  A few passes over the numbers, whatever they are. */
void smr_select_f64(int64_t n, const double *x, int64_t n_ranks, const int64_t *rank,
                    uint64_t *room, double *out);

#endif
