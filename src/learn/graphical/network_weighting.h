/* network_weighting.h -- answers from weighted samples.  Private to network_*.c. */
#ifndef SMR_LEARN_GRAPHICAL_NETWORK_WEIGHTING_H
#define SMR_LEARN_GRAPHICAL_NETWORK_WEIGHTING_H

#include "learn/graphical/network_query.h"

/* Fills p, error, samples, effective and log_evidence of `out`, whose n and p are made. */
smr_status smr_net_weigh(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                         int64_t samples, smr_net_answer *out);

#endif
