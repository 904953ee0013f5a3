/* layers.c -- the list of all layers, and what they have in common: see layer.h. */
#include "nn/layers.h"

#include <string.h>

static const smr_layer *const all[] = {
    &smr_layer_avgpool,   &smr_layer_basic,   &smr_layer_bottleneck, &smr_layer_concat,
    &smr_layer_conv,      &smr_layer_deconv,  &smr_layer_dense,      &smr_layer_dropout,
    &smr_layer_elu,       &smr_layer_embed,   &smr_layer_flatten,    &smr_layer_gru,
    &smr_layer_inception, &smr_layer_last,    &smr_layer_leaky,      &smr_layer_logistic,
    &smr_layer_lrn,       &smr_layer_lstm,    &smr_layer_max,        &smr_layer_maxout,
    &smr_layer_maxpool,   &smr_layer_mean,    &smr_layer_norm,       &smr_layer_out,
    &smr_layer_relu,      &smr_layer_repeat,  &smr_layer_residual,   &smr_layer_rnn,
    &smr_layer_sigmoid,   &smr_layer_softmax, &smr_layer_tanh,       &smr_layer_threshold,
};

const smr_layer *const *smr_layers(int64_t *n)
{
    *n = SMR_COUNT(all);
    return all;
}

const smr_layer *smr_layer_find(const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        if (strcmp(all[i]->word.name, name) == 0) return all[i];
    return NULL;
}

void smr_nn_item_write(smr_nn_item item, smr_text *out)
{
    if (item.h == 1 && item.w == 1)
        smr_text_printf(out, "%lld", (long long)item.c);
    else
        smr_text_printf(out, "%lld x %lld x %lld", (long long)item.h, (long long)item.w,
                        (long long)item.c);
    if (item.in_time) smr_text_add(out, " in time");
}

int64_t smr_nn_weights_size(const smr_nn_weights *weights)
{
    int64_t size = 1;
    for (int64_t d = 0; d < weights->rank; d++) size *= weights->dim[d];
    return size;
}

static smr_nn_weights *add_weights(smr_nn_layout *layout, const char *name)
{
    smr_nn_weights *w = &layout->weights[layout->n_weights++];
    *w = (smr_nn_weights){.name = name, .counted = true};
    return w;
}

smr_nn_weights *smr_nn_layout_drawn(smr_nn_layout *layout, const char *name, int64_t fan_in,
                                    int64_t fan_out)
{
    smr_nn_weights *w = add_weights(layout, name);
    w->fan_in = fan_in;
    w->fan_out = fan_out;
    w->decays = true;
    return w;
}

smr_nn_weights *smr_nn_layout_plain(smr_nn_layout *layout, const char *name, int64_t n,
                                    smr_begin_as begin, bool counted)
{
    smr_nn_weights *w = add_weights(layout, name);
    w->rank = 1;
    w->dim[0] = n;
    w->begin = begin;
    w->counted = counted;
    return w;
}
