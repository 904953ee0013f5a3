/* net_seen.c -- what each layer of a net gives to one row: maps of pictures, numbers of units. */
#include "learn/neural/net.h"

struct seeing {
    const smr_nn_graph *graph;
    smr_layer_see see;
    void *arg;
};

static smr_status see_item(smr_ctx *ctx, const struct seeing *s, const char *name, smr_nn_item item,
                           const void *y)
{
    const smr_layer_answer answer = {
        .name = name, .height = item.h, .width = item.w, .channels = item.c, .y = y};
    return s->see(ctx, s->arg, &answer);
}

static smr_status see_node(smr_ctx *ctx, void *arg, int64_t i, const void *y)
{
    const struct seeing *s = arg;
    return see_item(ctx, s, s->graph->node[i].name, s->graph->node[i].layout.out, y);
}

smr_status smr_net_layers(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_layer_see see, void *arg)
{
    const struct smr_net_state *s = state_;
    const smr_nn_machine *m = s->net->machine;
    struct seeing seeing = {&s->net->graph, see, arg};
    smr_status st = SMR_OK;
    float *x = NULL;
    char *scratch = NULL;
    (void)params_;
    if (!rows) return see_item(ctx, &seeing, NULL, smr_net_state_item(s), NULL);
    TRY_NEW(x, s->n_features);
    TRY_NEW(scratch, smr_nn_scratch(m));
    const float *in = smr_net_floats(rows, 0, 1, x);
    TRY(see_item(ctx, &seeing, NULL, smr_net_state_item(s), in));
    TRY(smr_nn_answer_seen(ctx, m, in, 1, scratch, see_node, &seeing));
out:
    smr_free(x);
    smr_free(scratch);
    return st;
}
