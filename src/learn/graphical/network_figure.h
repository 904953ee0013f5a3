/* network_figure.h -- a network as a figure of boxes and arrows (core/figure.h). */
#ifndef SMR_LEARN_GRAPHICAL_NETWORK_FIGURE_H
#define SMR_LEARN_GRAPHICAL_NETWORK_FIGURE_H

#include "core/json.h"
#include "learn/graphical/network.h"

enum { SMR_FIGURE_MOST_NODES = 200 };

/* Adds a figure with each variable's marginal probabilities given the evidence (n levels or -1;
 * NULL: none), where exact inference fits into memory.  More than SMR_FIGURE_MOST_NODES are
 * refused. */
smr_status smr_net_figure(smr_ctx *ctx, const smr_network *net, const int32_t *evidence,
                          const char *name, smr_json *figures);

#endif
