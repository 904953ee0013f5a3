/* row_subset.h -- some rows of the data: folds, held-out parts, bootstraps, rows with other
 * weights.
 *
 * A subset is a view.  Its rows are numbers of rows of the data it was made from, in any order and
 * with repeats; features are not copied: the index is applied where the memory is read, even when
 * the data are computed from others by fitted stages.  Targets, labels, weights and groups are
 * gathered, or replaced by the caller's own (boosting's weights, one class against the rest).
 * Sequences stay whole: rows of data that have them come sequence by sequence, each from its first
 * row to its last.  Cost: 8 bytes per row for the index, and what is gathered; a few hundred bytes
 * per stage. */
#ifndef SMR_DATA_ROW_SUBSET_H
#define SMR_DATA_ROW_SUBSET_H

#include "data/data.h"

typedef struct smr_subset {
    smr_data data; /* to be read and fitted on; valid until the subset is released */
    /* owned */
    smr_data *links;
    int64_t *rows;
    double *y, *weight;
    int32_t *label, *user, *item;
    double *time;
    int64_t *group, *border;
} smr_subset;

/* What replaces the data's own; n values (n x n_outputs) in the subset's order, which the caller
 * keeps alive.  All NULL: everything is gathered. */
typedef struct smr_subset_with {
    const double *weight;
    smr_task task; /* of y or label, if one is given */
    const double *y;
    int64_t n_outputs;
    const int32_t *label;
    int64_t n_classes;
} smr_subset_with;

/* rows NULL: all rows in their order, n = data->n_rows.  with NULL: nothing is replaced.  `data`
 * and what it was computed from must outlive the subset. */
smr_status smr_subset_make(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                           const smr_subset_with *with, smr_subset *out);
/* Accepts a zeroed one. */
void smr_subset_release(smr_subset *subset);

#endif
