/* tree_sparse.h -- codes of sparse rows: see tree_sparse.c. */
#ifndef SMR_LEARN_TREES_TREE_SPARSE_H
#define SMR_LEARN_TREES_TREE_SPARSE_H

#include "core/sort.h"
#include "learn/trees/bins_sparse.h"
#include "learn/trees/tree_parts.h"

/* Is a tree with these parameters grown from sparse codes? */
bool smr_tree_sparse_serves(const struct smr_tree_params *params, int criterion,
                            const smr_data *data);
/* c->sparse, codes, values and bins.  count: of smr_sparse_bins_pay. */
smr_status smr_tree_sparse_make(smr_ctx *ctx, const smr_data *data, bool by_bins,
                                const int64_t *count, smr_tree_codes *c);
/* Those of some rows, and of the features that still differ. */
smr_status smr_tree_sparse_part(smr_ctx *ctx, const smr_tree_codes *from, const int32_t *row,
                                int64_t n, const int32_t *active, int64_t n_active,
                                smr_tree_sparse **out);

#endif
