/* commands.h -- one function for each command, each in its own file. */
#ifndef SMR_CLI_COMMANDS_H
#define SMR_CLI_COMMANDS_H

#include "args.h"

smr_status run_train(smr_ctx *ctx, args *a);
smr_status run_plot(smr_ctx *ctx, args *a);
smr_status run_predict(smr_ctx *ctx, args *a);
smr_status run_evaluate(smr_ctx *ctx, args *a);
smr_status run_cv(smr_ctx *ctx, args *a);
smr_status run_compare(smr_ctx *ctx, args *a);
smr_status run_tune(smr_ctx *ctx, args *a);
smr_status run_inspect(smr_ctx *ctx, args *a);
smr_status run_describe(smr_ctx *ctx, args *a);
smr_status run_make(smr_ctx *ctx, args *a);
smr_status run_convert(smr_ctx *ctx, args *a);
smr_status run_kernel(smr_ctx *ctx, args *a);
smr_status run_belief(smr_ctx *ctx, args *a);
smr_status run_list(smr_ctx *ctx, args *a);
smr_status run_help(smr_ctx *ctx, args *a);
smr_status run_loss(smr_ctx *ctx, args *a);
smr_status run_matrix(smr_ctx *ctx, args *a);
smr_status run_completion(smr_ctx *ctx, args *a);
smr_status run_explain(smr_ctx *ctx, args *a);
smr_status run_bias_variance(smr_ctx *ctx, args *a);
smr_status run_curve(smr_ctx *ctx, args *a);
smr_status run_split(smr_ctx *ctx, args *a);
smr_status run_trace(smr_ctx *ctx, args *a);
smr_status run_stream(smr_ctx *ctx, args *a);
smr_status run_estimate(smr_ctx *ctx, args *a);
smr_status run_bayes_rule(smr_ctx *ctx, args *a);
smr_status run_net(smr_ctx *ctx, args *a);
smr_status run_graph(smr_ctx *ctx, args *a);
smr_status run_quantize(smr_ctx *ctx, args *a);
smr_status run_filter(smr_ctx *ctx, args *a);
smr_status run_man(smr_ctx *ctx, args *a);

#endif
