/* nearest.h -- gathers the K nearest rows of one query from bounds on their distances.
 *
 * A search offers rows with a lower and an upper bound of the true distance.  All rows that may
 * still belong to the K nearest are kept: those whose lower bound is at most `bound`, the K-th
 * smallest upper bound so far.  At the end, or when the room is used up, bounds are sharpened to
 * those of the distance in double, and what is still undecided at the K-th place is decided
 * exactly. */
#ifndef SMR_LEARN_NEIGHBORS_NEAREST_H
#define SMR_LEARN_NEIGHBORS_NEAREST_H

#include "learn/neighbors/points.h"

typedef struct smr_near_row {
    double low, up;
    int32_t row;                    /* its number                                      */
    uint32_t place : 31, sharp : 1; /* sharp: the bounds are those of the distance in double */
} smr_near_row;

typedef struct smr_near_set {
    smr_query query;
    const smr_near_kernels *kernels;
    int64_t K;          /* 1 <= K <= n                              */
    int64_t n, room;    /* rows kept                                */
    int64_t n_top;      /* upper bounds in `top`, at most K         */
    double bound;       /* a row with a greater lower bound is out  */
    bool ascending;     /* rows are offered in ascending order: one that ties comes too late */
    bool eager;         /* bounds were too wide to separate the rows: sharpen each when it is
                           offered */
    smr_near_row last;  /* the K-th when that was last decided; row -1 before                     */
    bool settled;       /* kept holds the K nearest so far, in order                         */
    double *top;        /* the K smallest upper bounds, a max-heap  */
    smr_near_row *kept; /* room                                     */
} smr_near_set;

/* Bytes that hold the arrays of one smr_near_set. */
int64_t smr_near_size(int64_t K);
/* Begins a query; `memory` has smr_near_size(K) bytes, aligned to 8. */
void smr_near_begin(smr_near_set *nearest, const smr_query *query, int64_t K, void *memory);

/* Offers the row at that place; it is not offered twice. */
void smr_near_add(smr_near_set *nearest, int64_t place, double low, double up, bool sharp);

/* The largest distance of kind smr_points_kind, computed in double, of a row that may still be
 * among the K nearest: `bound`, widened for rounding, and for Lp in terms of L2. */
double smr_near_limit(const smr_near_set *nearest);

/* Offers those of the 16 places from `first` on, a multiple of 16, that may be near.  limit: as
 * above; wide: room for d x 16 doubles, needed for panels of bytes only. */
void smr_near_add_group(smr_near_set *nearest, int64_t first, double limit, double *wide);

/* Decides now: the K nearest so far in kept[0 .. K), in order.  False while there are fewer. */
bool smr_near_settle(smr_near_set *nearest);

/* Leaves the K nearest in kept[0 .. K): in the order of their distance, ties by row number, when
 * `ordered`; else by row number. */
void smr_near_finish(smr_near_set *nearest, bool ordered);

#endif
