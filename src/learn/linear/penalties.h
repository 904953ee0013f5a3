/* penalties.h -- penalties l2, judged by leaving out one row at a time: which is taken, and a
 * picture of it. */
#ifndef SMR_LEARN_LINEAR_PENALTIES_H
#define SMR_LEARN_LINEAR_PENALTIES_H

#include "core/json.h"

typedef struct smr_penalties {
    int64_t n;
    const double *l2, *error; /* n: mean squared leave-one-out errors */
} smr_penalties;

/* The least error, the larger penalty of equals; an error that is not a number loses. */
int64_t smr_penalties_best(const smr_penalties *p);
/* The figure PREFIXleave_one_out: error against penalty. */
smr_status smr_penalties_draw(smr_ctx *ctx, const smr_penalties *p, double chosen,
                              const char *prefix, smr_json *figures);

#endif
