/* bins.h -- features as small numbers: one byte per cell.
 *
 * A number becomes the number of the bin it falls into, 0 .. n_bins - 1, with cuts between them: a
 * value is in bin b where cut[b - 1] < x <= cut[b].  A feature with at most max_bins distinct
 * values has one bin for each (is_exact), and a histogram of it finds the very splits that sorting
 * finds; else the cuts are quantiles of (at most SMR_BINS_SAMPLE rows of) the data by the rows'
 * weights: weight 2 is the row twice, where all rows are looked at.
 * Cuts lie halfway between two neighbouring values, such that a <= cut < b holds in doubles.
 * A category's code is its bin; where there are more levels than bins, the most frequent ones have
 * bins of their own and the others share the last (`level_bin` says which; frequent in the sample).
 * A missing value, and a code beyond the levels, is in bin n_bins[j], which comes after the others:
 * a histogram of feature j has n_bins[j] + 1 cells.
 *
 * Cost: one pass for the cuts, one for the cells, by all threads; memory 1 byte per cell. */
#ifndef SMR_LEARN_TREES_BINS_H
#define SMR_LEARN_TREES_BINS_H

#include "data/data.h"

enum { SMR_BINS_MOST = 255, SMR_BINS_SAMPLE = 200000 };

typedef enum smr_bins_layout {
    SMR_BINS_BY_ROW,   /* cell of row i, feature j: cell[i * stride + j]; stride >= n_features */
    SMR_BINS_BY_COLUMN /* cell[j * stride + i]; stride >= n_rows                               */
} smr_bins_layout;

typedef struct smr_bins {
    int64_t n_rows, n_features;
    smr_bins_layout layout;
    int64_t stride;
    uint8_t *cell;
    int32_t *n_bins;     /* n_features: without the missing one; at least 1                    */
    int64_t *first;      /* n_features + 1: of feature j in cut; n_bins - 1 cuts each          */
    double *cut;         /* of numbers                                                         */
    bool *is_category;   /* n_features                                                         */
    bool *is_exact;      /* n_features: no two values that differ share a bin                  */
    bool *has_missing;   /* n_features: in these rows                                          */
    uint8_t **level_bin; /* n_features: for a category, the bin of each level; NULL: the code  */
    int64_t *n_levels;   /* n_features: 0 for numbers                                          */
} smr_bins;

/* 1 <= max_bins <= SMR_BINS_MOST.  Same bits at any number of threads; the sample depends on the
 * seed.  64 bytes after the last cell may be read. */
smr_status smr_bins_build(smr_ctx *ctx, const smr_data *data, int64_t max_bins,
                          smr_bins_layout layout, smr_bins *out);
void smr_bins_release(smr_bins *bins);

#endif
