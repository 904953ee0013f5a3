/* split.h -- parts of a table's rows: train, validation and test; folds; leave one out.
 *
 * A split is a partition: every row is in exactly one part, rows ascend within a part.  It is a
 * pure function of the seed, the repetition and the labels or groups: no thread, address or
 * clock enters.
 *
 *     holdout    parts of given sizes         folds      k parts of equal size
 *     each       one part per row or group    time       consecutive blocks in order of time
 *
 * Strata: with labels, each part gets its share of each class, exact to less than one row
 * (holdout) or to one row (folds).  A class with fewer rows than folds is a warning: some folds
 * do without it.  Groups: with groups, no group is in two parts; sizes, and with labels the
 * classes' shares, are then as even as a greedy assignment makes them.
 *
 * Repetition r of the same seed is another, independent split: repeated cross-validation and
 * repeated random holdouts ask for r = 0, 1, 2 ...  Cost: O(n) and 32 n bytes; grouped O(n log n
 * + groups * parts * classes). */
#ifndef SMR_DATA_SPLIT_H
#define SMR_DATA_SPLIT_H

#include "data/table.h"

typedef struct smr_split_rows {
    int64_t n;
    const int32_t *label; /* n classes in [0, n_classes), to stratify by; NULL: no strata         */
    int64_t n_classes;
    const smr_strings *classes; /* their names, for warnings; NULL: numbers                       */
    const int64_t *group; /* n group numbers, any whole numbers; NULL: no groups                  */
    const double *time;   /* n, for smr_split_time; NULL: rows come in order of time              */
    uint64_t seed;
    int64_t repetition; /* 0, 1, 2 ...                                                            */
    bool in_order;      /* do not shuffle: folds without strata are consecutive blocks            */
} smr_split_rows;

typedef struct smr_parts {
    int64_t n_rows, n_parts;
    int64_t *start; /* n_parts + 1 */
    int64_t *rows;  /* part p: rows[start[p]] .. rows[start[p+1] - 1], ascending */
    bool by_time;   /* from smr_split_time: rows are in order of time instead    */
} smr_parts;

void smr_parts_release(smr_parts *parts);

static inline int64_t smr_part_size(const smr_parts *parts, int64_t p)
{
    return parts->start[p + 1] - parts->start[p];
}

static inline const int64_t *smr_part_rows(const smr_parts *parts, int64_t p)
{
    return parts->rows + parts->start[p];
}

/* out[0 ..) = the rows of all parts but p, in the parts' order: what fold p trains on.  Returns
 * how many: n_rows - size of part p. */
int64_t smr_parts_without(const smr_parts *parts, int64_t p, int64_t *out);
/* out[0 ..) = the rows of parts 0 .. p-1, ascending in time: what part p of smr_split_time may be
 * predicted from.  Returns how many. */
int64_t smr_parts_before(const smr_parts *parts, int64_t p, int64_t *out);

/* Part 0 (training) and one part for each fraction, each in (0, 1), their sum below 1: {0.2} gives
 * train and test, {0.2, 0.2} train, validation and test.  No part is empty. */
smr_status smr_split_holdout(smr_ctx *ctx, const smr_split_rows *of, const double *fractions,
                             int64_t n_fractions, smr_parts *out);

/* The same by time: part 0 is the past, the last part the latest rows.  Rows of one time are in one
 * part; times so few that a part would be empty are an error.  Part rows are in order of time. */
smr_status smr_split_holdout_time(smr_ctx *ctx, const smr_split_rows *of, const double *fractions,
                                  int64_t n_fractions, smr_parts *out);

/* k >= 2 parts whose sizes differ by at most one row (without groups). */
smr_status smr_split_folds(smr_ctx *ctx, const smr_split_rows *of, int64_t k, smr_parts *out);

/* One part for each row, or with groups for each group, in ascending order. */
smr_status smr_split_each(smr_ctx *ctx, const smr_split_rows *of, smr_parts *out);

/* n_parts >= 2 consecutive blocks by time, as even as they can be with all rows of one time in one
 * block; fewer times than blocks are an error.  Without times every row has its own.  Fold p trains
 * on smr_parts_before(p) and is tested on part p, p = 1, 2, ...  Part rows are in order of time. */
smr_status smr_split_time(smr_ctx *ctx, const smr_split_rows *of, int64_t n_parts, smr_parts *out);

#endif
