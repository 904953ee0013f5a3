/* draw_rows.h -- tables drawn from a model of how rows come about. */
#ifndef SMR_LEARN_DRAW_ROWS_H
#define SMR_LEARN_DRAW_ROWS_H

#include "learn/model.h"

/* A table of n_sequences sequences of `length` steps that the model makes, with the names of its
 * columns: that of sequences, from 1, and that of times, from 1 in each sequence, if the model has
 * one; the target, or `state`; and its inputs.  Of others: n_sequences * length rows of the target
 * or the cluster, if there is one, and the inputs.  The context's seed decides the rows.
 * Fails where the model cannot, or changes columns before it learns from them. */
smr_status smr_model_draw(smr_ctx *ctx, const smr_model *m, int64_t n_sequences, int64_t length,
                          smr_table **out);

#endif
