/* relevance_parts.h -- what the files of relevance share. */
#ifndef SMR_STUDY_RELEVANCE_PARTS_H
#define SMR_STUDY_RELEVANCE_PARTS_H

#include "core/sort.h"
#include "study/relevance.h"

enum { SMR_BINS = 10 };

/* What is known of one row beside a column: together, since the order of a column's values is a
 * random one for everything else. */
struct known {
    double y, rank;
    int32_t code;
};

/* The target and the rows that have one; everything in the order of `rows`. */
struct relating {
    const smr_table *table;
    int64_t n, *rows;
    const double *weight;      /* n, or NULL                                                   */
    int64_t n_y;               /* classes, or bins of a number                                 */
    const int32_t *code;       /* n: class or bin                                              */
    const double *y;           /* n, a number; NULL: classes                                   */
    const double *rank;        /* n: midranks of y                                             */
    const struct known *known; /* n: the same, row by row; NULL: classes                       */
    const double *xlogx;       /* 0 .. n: k log k, where there are no weights; else NULL       */
};

/* Memory that one lane uses for one column after the other: the rows that have a value, by
 * ascending value, so that everything walks memory in order. */
struct pairs {
    int64_t n, *row; /* the rows in their own order, with their values */
    double *value;
    double *x, *y, *rank, *weight; /* y and rank, weight: where the target and the rows have them */
    double *own;                   /* the column's ranks                                          */
    int32_t *code, *bin;           /* of the target, of the column                                */
    uint64_t *room;                /* for sorting                                                 */
    smr_placed *placed;            /* for sorting what is hard to sort                            */
};

void smr_sorted_pairs_release(struct pairs *p);

/* count[x * n_y + y] of the rows whose code is not negative. */
void smr_count_pairs(const struct relating *with, const int32_t *x, const int32_t *y,
                     const double *weight, int64_t n, double *count);
/* Information of a table, and the strength where the target is classes. */
void smr_inform(const struct relating *with, int64_t n_x, const double *count, smr_relevance *out);

/* summary (may be NULL) is filled where the sorted values are all there are; its n and n_missing
 * then add up to the rows. */
smr_status smr_relate_number(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                             struct pairs *p, smr_relevance *out, smr_column_summary *summary);
smr_status smr_relate_category(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               smr_relevance *out);

/* code[i] = bin of x[i] among `bins` of equal weight, -1 where x is NaN; order: ascending, NaN
 * last; NULL where x is in this order. */
void smr_bin(int64_t n, const double *x, const double *weight, const int64_t *order, int64_t bins,
             int32_t *code);

/* I less Miller's correction, as a share of H(Y), in [0, 1]. */
double smr_share_told(const smr_information *info, double r, double s, double weight);

#endif
