/* net_describe.c -- what inspect tells of a net: its layers, and how it was trained. */
#include "learn/neural/net.h"

static smr_status add_layer(smr_ctx *ctx, const struct smr_net_state *s, int64_t i,
                            smr_json *layers)
{
    const smr_nn_node *node = &s->net->graph.node[i];
    smr_json *row = smr_json_add_object(layers, NULL);
    smr_text shape = {.ctx = ctx};
    smr_status st = SMR_OK;
    smr_nn_item_write(node->layout.out, &shape);
    TRY(smr_text_done(&shape));
    smr_json_add_string(row, "layer", node->name);
    smr_json_add_string(row, "shape", shape.bytes);
    smr_json_add_number(row, "weights", (double)smr_nn_node_weights(node));
    smr_json_add_number(row, "answers_first", s->answers[i]);
    smr_json_add_number(row, "answers_last", s->answers[s->n_nodes + i]);
    smr_json_add_number(row, "slopes_first", s->slopes[i]);
    smr_json_add_number(row, "slopes_last", s->slopes[s->n_nodes + i]);
out:
    smr_text_release(&shape);
    return st;
}

smr_status smr_net_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_net_state *s = state_;
    smr_nn_graph_sums sums = smr_nn_graph_sum(&s->net->graph);
    int64_t last = s->best - 1;
    smr_status st = SMR_OK;
    (void)params_, (void)in, (void)n_in;
    smr_json_add_number(into, "weights", (double)sums.weights);
    smr_json_add_number(into, "multiply_adds", sums.products);
    smr_json_add_number(into, "batch", (double)s->batch);
    if (s->steps) smr_json_add_number(into, "steps", (double)s->steps);
    smr_json_add_number(into, "epochs", (double)s->n_epochs);
    if (s->n_held) smr_json_add_number(into, "best_epoch", (double)s->best);
    if (s->n_held) smr_json_add_number(into, "rows_kept_apart", (double)s->n_held);
    if (last >= 0) {
        smr_json_add_number(into, "train_loss", s->train_loss[last]);
        smr_json_add_number(into, "train_error", s->train_error[last]);
    }
    if (last >= 0 && s->n_held) {
        smr_json_add_number(into, "held_loss", s->held_loss[last]);
        smr_json_add_number(into, "held_error", s->held_error[last]);
    }
    smr_json *layers = smr_json_add_array(into, "layers");
    for (int64_t i = 0; i < s->n_nodes; i++) TRY(add_layer(ctx, s, i, layers));
out:
    return st;
}
