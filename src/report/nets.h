/* nets.h -- networks told layer by layer, before anything is trained. */
#ifndef SMR_REPORT_NETS_H
#define SMR_REPORT_NETS_H

#include "core/json.h"
#include "nn/net_graph.h"

/* Adds "layers", one row each: name, what it is, shape, parameters, multiply-adds, bytes of what
 * it gives for a row, receptive field; and their sums. */
smr_status smr_report_net(smr_ctx *ctx, const smr_nn_graph *graph, smr_json *into);
/* Adds the picture "net": its layers and what each gets from which. */
smr_status smr_report_net_figure(smr_ctx *ctx, const smr_nn_graph *graph, const char *title,
                                 smr_json *figures);

/* One line for each layer, with its parameters; and for each net of the zoo. */
void smr_report_layer_names(smr_text *out);
void smr_report_net_names(smr_text *out);
/* The same as "layers" and "nets". */
smr_status smr_report_layers(smr_ctx *ctx, smr_json *into);
void smr_report_nets(smr_json *into);

#endif
