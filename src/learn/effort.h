/* effort.h -- saying before a fit that it will take long.
 *
 * Work that grows with rows times classes times features is minutes where each of these is large,
 * and nobody who waits knows whether it will ever end.  What a learner can count before it begins
 * it tells here; the words depend on the counts alone, not on the machine. */
#ifndef SMR_LEARN_EFFORT_H
#define SMR_LEARN_EFFORT_H

#include "core/ctx.h"

typedef struct smr_effort {
    const char *learner;
    const char *round, *rounds; /* "pass", "passes"                                        */
    double each;                /* multiplications of a round                              */
    int64_t most;               /* rounds, at most                                         */
    double least;               /* rounds, at least: what is certainly done                */
    const char *advice;         /* what takes less                                         */
} smr_effort;

/* A warning where the least that is done takes more than about a minute of one processor; heard at
 * once, also where many fits are measured and their warnings wait or are left out.  Was it? */
bool smr_effort_tell(smr_ctx *ctx, const smr_effort *effort);

#endif
