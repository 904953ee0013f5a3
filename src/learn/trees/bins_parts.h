/* bins_parts.h -- between the files of bins: cuts are found here, cells there. */
#ifndef SMR_LEARN_TREES_BINS_PARTS_H
#define SMR_LEARN_TREES_BINS_PARTS_H

#include "learn/trees/bins.h"

/* The arrays of bins by feature, and which features are categories. */
smr_status smr_bins_make_arrays(smr_ctx *ctx, const smr_data *data, smr_bins *bins);

/* ---- bins_cuts.c: what a feature's bins are ---------------------------------------------- */

/* The bins of one feature, from (a sample of) its values. */
struct smr_bins_part {
    int32_t n_bins;
    bool is_exact;
    double cut[SMR_BINS_MOST];   /* n_bins - 1                                        */
    double value[SMR_BINS_MOST]; /* is_exact: the value of each bin                   */
    uint8_t *level_bin;          /* of a category with too many levels, owned; or NULL */
};

/* The point that separates a from b, a < b: a <= it < b. */
double smr_bins_between(double a, double b);

/* Numbers: x[0..n) is sorted in place, NaN are dropped; `spare` is as long.  U8: from the count of
 * each value, and the weight of its rows (256; NULL: the count).  Distinct values, ascending (n <=
 * max_bins): exact. */
void smr_bins_of_numbers(double *x, double *spare, int64_t n, int64_t max_bins,
                         struct smr_bins_part *out);
/* The same for n numbers none of which is 0, and `zeros` zeros; x and spare hold n + 1. */
void smr_bins_of_sparse(double *x, double *spare, int64_t n, int64_t zeros, int64_t max_bins,
                        struct smr_bins_part *out);
/* Numbers of rows with weights; x stays as it is. */
smr_status smr_bins_of_weighed(smr_ctx *ctx, const double *x, const double *weight, int64_t n,
                               int64_t max_bins, struct smr_bins_part *out);
void smr_bins_of_bytes(const uint32_t count[256], const double *weight, int64_t max_bins,
                       struct smr_bins_part *out);
void smr_bins_of_distinct(const double *value, int64_t n, struct smr_bins_part *out);
/* Codes in [0, n_levels), NaN where missing; weights of the rows, or NULL. */
smr_status smr_bins_of_codes(smr_ctx *ctx, const double *code, const double *weight, int64_t n,
                             int64_t n_levels, int64_t max_bins, struct smr_bins_part *out);

/* ---- bins_cells.c: which bin a value is in ------------------------------------------------ */

/* How the bin of a value is found.
 *
 *   BYTE    table[x]
 *   CODE    the code, or table[code]
 *   TABLE   numbers are cut into n_buckets equal pieces; table[piece] is the number of cuts in the
 *           pieces before it, and at most `steps` cuts lie in one piece.  The piece is a monotone
 *           function of x, rounding included, so cuts of pieces before x's are below x, and those
 *           of pieces after it above: only `steps` comparisons are left.
 *   SEARCH  bisection without branches, where TABLE would take too many steps */
struct smr_bin_finder {
    enum { SMR_FIND_BYTE, SMR_FIND_CODE, SMR_FIND_TABLE, SMR_FIND_SEARCH } how;
    int32_t n_bins, steps;
    double lo, scale, last; /* TABLE: piece = min(max(0, (x - lo) * scale), last)      */
    int64_t n_levels;       /* CODE                                                    */
    const uint8_t *table;   /* BYTE, TABLE: own memory; CODE: bins' level_bin, or NULL */
    const double *cut;      /* TABLE, SEARCH: own memory, infinite after the last      */
    const double *value;    /* not NULL: the values of the bins, to be checked         */
};

struct smr_bin_finders {
    struct smr_bin_finder *find; /* n_features */
    uint8_t *tables;
    double *cuts;
};

smr_status smr_bin_finders_make(smr_ctx *ctx, const smr_bins *bins, bool bytes,
                                struct smr_bin_finders *out);
void smr_bin_finders_release(struct smr_bin_finders *finders);

/* Cells of n values.  *missing |= some value is missing; *strange |= some value is not that of its
 * bin. */
void smr_bins_find(const struct smr_bin_finder *find, const double *x, int64_t n, uint8_t *cell,
                   bool *missing, bool *strange);

/* ---- bins_sample.c: reading for the cuts -------------------------------------------------- */

/* One reader for each lane, opened when it is first asked for. */
struct smr_readers {
    smr_reader **of;
    int lanes;
};

smr_status smr_readers_begin(smr_ctx *ctx, struct smr_readers *r);
smr_status smr_reader_of(smr_ctx *ctx, struct smr_readers *r, int lane, const smr_data *data,
                         smr_form form, int64_t rows);
void smr_readers_end(struct smr_readers *r);

/* Do the features lie in memory one by one?  Then features [j, j + n) are data too. */
bool smr_has_columns(const smr_data *data);
smr_data smr_some_features(const smr_data *data, int64_t j, int64_t n);

/* Puts the bins of feature j after those of the features before it. */
smr_status smr_bins_take(smr_ctx *ctx, smr_bins *bins, int64_t j, struct smr_bins_part *part);

/* The bins of all features, without cells.  values (n_features x SMR_BINS_MOST; NULL: all rows were
 * looked at): those of exact bins, as far as the sample shows. */
smr_status smr_bins_cut_bytes(smr_ctx *ctx, const smr_data *data, int64_t max_bins, smr_bins *bins);
smr_status smr_bins_cut_sample(smr_ctx *ctx, const smr_data *data, int64_t max_bins, smr_bins *bins,
                               double *values);

#endif
