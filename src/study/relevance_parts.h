/* relevance_parts.h -- what the files of relevance share. */
#ifndef SMR_STUDY_RELEVANCE_PARTS_H
#define SMR_STUDY_RELEVANCE_PARTS_H

#include "core/sort.h"
#include "study/relevance.h"

enum { SMR_BINS = 10 };

/* The target of some rows: everything in their order. */
struct aims {
    const double *weight;      /* NULL: all 1                                                   */
    const int32_t *code;       /* class or bin                                                  */
    const double *y;           /* a number; NULL: classes                                       */
    const int32_t *centred;    /* of a number without weights: twice the midrank less rows + 1  */
    const double *rank;        /* of a number with weights: the midrank                         */
    double centred_squares;    /* sum of centred^2                                              */
    const smr_moments *moment; /* of y without weights                                          */
};

/* The target and the rows that have one; everything in the order of `rows`. */
struct relating {
    const smr_table *table;
    int64_t n, *rows;
    int64_t n_y; /* classes, or bins of a number */
    struct aims aims;
    const uint32_t *order; /* of a number without weights (smr_sort_rows)               */
    const double *xlogx;   /* 0 .. n: k log k, where there are no weights; else NULL     */
};

/* Memory that one lane uses for one column after the other: the rows that have a value, in the
 * order of the table. */
struct pairs {
    int64_t n;
    const double *x; /* the values: the column's own where they can be read in place */
    struct aims aims;
    smr_moments moments, of_y; /* of x; of y where rows are left out                       */
    uint32_t *order;           /* ascending values: smr_sort_rows                          */
    uint64_t *room;            /* for sorting                                              */
    int32_t *bin;              /* of x                                                     */
    /* where rows are left out, or values lie otherwise: copies */
    double *value, *y, *weight, *rank, *own_rank;
    int32_t *code, *centred;
    uint32_t *row;
};

void smr_column_pairs_release(struct pairs *p);

/* count[x * n_y + y] += the weights of the rows; 0 <= x < n_x. */
void smr_count_pairs(const struct relating *with, int64_t n_x, const int32_t *x, const int32_t *y,
                     const double *weight, int64_t n, double *count);
/* Information of a table, and the strength where the target is classes. */
void smr_inform(const struct relating *with, int64_t n_x, const double *count, smr_relevance *out);

/* summary (may be NULL) is filled where the sorted values are all there are; its n and n_missing
 * then add up to the rows. */
smr_status smr_relate_number(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                             struct pairs *p, smr_relevance *out, smr_column_summary *summary);
smr_status smr_relate_category(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               smr_relevance *out);

/* bin[i] = that of x[i] among SMR_BINS of equal weight, in which equal values stay together; order:
 * smr_sort_rows. */
void smr_bin(int64_t n, const double *x, const double *weight, const uint32_t *order, int32_t *bin);
/* centred[i] = twice the midrank of row i among n rows, less n + 1; the sum of its squares is
 * returned.  Left out are the rows with place[row] < 0 (place NULL: none); the others are written
 * at their place. */
double smr_centre_ranks(int64_t n_rows, const uint32_t *order, const int32_t *place, int64_t n,
                        int32_t *centred);
/* Spearman's correlation of values in this order with a target that has centred ranks. */
double smr_rank_correlation(int64_t n, const uint32_t *order, const struct aims *aims);
/* rank[i] = midrank of row i with weights, from 1: smr_midranks (math/association.h). */
void smr_weigh_ranks(int64_t n, const uint32_t *order, const double *weight, double *rank);

/* I less Miller's correction, as a share of H(Y), in [0, 1]. */
double smr_share_told(const smr_information *info, double r, double s, double weight);

#endif
