/* folding.h -- --folds and the options that go with it, for the commands that fit again and
 * again. */
#ifndef SMR_CLI_FOLDING_H
#define SMR_CLI_FOLDING_H

#include "args.h"
#include "core/json.h"

/* Checks the words alone; the library checks them against the data. */
smr_status folding_ask(smr_ctx *ctx, const args *a, smr_fold_opts *how);

/* What the result was made from: "data      iris.csv: 150 rows, 4 features". */
void folding_data(const smr_json *root, smr_text *out);
/* The rounds of a result in a line: "rounds    5 folds, stratified, 3 times". */
void folding_show(const smr_json *root, smr_text *out);
/* --time as seconds, "60s", "5m", "1h" or "90"; left as it is where it is not given. */
smr_status folding_time(smr_ctx *ctx, const args *a, double *seconds);
/* What is left of these seconds since `began` (smr_now); 0, no limit, stays. */
void folding_time_left(double began, double *seconds);

#endif
