/* inspect_tree.h -- samara inspect: a tree as text, rules, or a graph. */
#ifndef SMR_CLI_INSPECT_TREE_H
#define SMR_CLI_INSPECT_TREE_H

#include "args.h"
#include "core/json.h"

/* Options that exclude each other. */
smr_status inspect_check(smr_ctx *ctx, const args *a);
/* --depth needs one tree. */
smr_status inspect_check_depth(smr_ctx *ctx, const args *a, const smr_model *model);
/* The lines of a tree. */
void inspect_show_text(const smr_json *lines, int indent, smr_text *out);
/* --rules: the whole result. */
smr_status inspect_rules(smr_ctx *ctx, const args *a, const smr_model *model);
/* --dot: to standard output, or to -o. */
smr_status inspect_dot(smr_ctx *ctx, const args *a, const smr_model *model);

#endif
