/* layers.h -- every layer by its name: layers.c alone lists them. */
#ifndef SMR_NN_LAYERS_H
#define SMR_NN_LAYERS_H

#include "nn/layer.h"

extern const smr_layer smr_layer_avgpool, smr_layer_basic, smr_layer_bottleneck, smr_layer_concat,
    smr_layer_conv, smr_layer_deconv, smr_layer_dense, smr_layer_dropout, smr_layer_elu,
    smr_layer_embed, smr_layer_flatten, smr_layer_gru, smr_layer_inception, smr_layer_last,
    smr_layer_leaky, smr_layer_logistic, smr_layer_lrn, smr_layer_lstm, smr_layer_max,
    smr_layer_maxout, smr_layer_maxpool, smr_layer_mean, smr_layer_norm, smr_layer_out,
    smr_layer_relu, smr_layer_repeat, smr_layer_residual, smr_layer_rnn, smr_layer_sigmoid,
    smr_layer_softmax, smr_layer_tanh, smr_layer_threshold;

#endif
