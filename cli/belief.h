/* belief.h -- what the files of `samara belief` share. */
#ifndef SMR_CLI_BELIEF_H
#define SMR_CLI_BELIEF_H

#include "args.h"
#include "learn/graphical/network_query.h"
#include "session.h"

/* A network file, or the network of a trained model; *is_raw: its variables are the columns of raw
 * rows. */
smr_status belief_load(smr_ctx *ctx, const char *path, smr_network *net, bool *is_raw);

/* Answers from this many samples where exact ones do not fit, or as many as were asked for. */
int64_t belief_samples(const args *a);
smr_net_method belief_method(const args *a);

smr_status belief_query(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root);
smr_status belief_separated(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root);
smr_status belief_predict(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root);

void belief_show_query(const smr_json *root, int64_t most, smr_text *out);
void belief_show_separated(const smr_json *root, int64_t most, smr_text *out);

#endif
