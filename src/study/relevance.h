/* relevance.h -- each column of a table against a target, alone.
 *
 *     target    column      figures
 *     classes   numbers     gain of the best split x < t; F of the analysis of variance and its p
 *     classes   categories  chi-square with its p, Cramer's V
 *     numbers   numbers     Pearson's and Spearman's correlation, each with its p
 *     numbers   categories  F, p and the correlation ratio of the target by level
 *
 * and for every pair the information measures of math/information.h, for which numbers are cut into
 * ten bins of equal weight (equal values stay together; with few values these are the values).
 *
 * The strength, by which columns are sorted, is the share of the target that a column tells, less
 * what chance would: for classes (I - (r-1)(s-1) / (2 W ln 2)) / H(Y), the second term being
 * Miller's correction for a table of r x s cells (levels of a single row, which know only that row,
 * are one level for this); for numbers the larger of r^2 (Pearson, Spearman) and the adjusted
 * correlation ratio over levels or bins, so that a column that goes up and down with the target is
 * seen too.
 *
 * Missing values are a level of their own in categories and left out of numbers; rows without a
 * target are left out.  Weight 2 means the row twice.  Cost O(n) per column, columns in
 * parallel; same bits at any thread count. */
#ifndef SMR_STUDY_RELEVANCE_H
#define SMR_STUDY_RELEVANCE_H

#include "data/summary.h"
#include "learn/target.h"
#include "math/association.h"
#include "math/information.h"

typedef struct smr_relevance {
    int64_t col;              /* of the table                                                */
    double n;                 /* weight of the rows that were used                           */
    int64_t n_missing;        /* among the rows with a target                                */
    double strength;          /* in [0, 1]; NaN: unknown (constant, too many levels)         */
    int64_t n_bins;           /* levels or bins with rows: r                                 */
    smr_information info;     /* X the column's levels or bins, Y the target's               */
    double split, split_gain; /* numbers against classes: x < split                          */
    smr_anova anova;
    smr_chi_square chi;
    double pearson, pearson_p, spearman, spearman_p;
    int64_t n_levels;      /* entries of the next two: small categories against classes     */
    double *level_weight;  /* of the level's rows; the last is the missing ones; owned      */
    double *level_entropy; /* H(Y | X = level); NaN where it has no rows                    */
} smr_relevance;

typedef struct smr_relevances {
    smr_target target;
    double target_entropy; /* bits; of its bins where it is a number */
    double n;              /* weight of rows with a target           */
    double mean, sd;       /* of a numeric target                    */
    int64_t n_cols;
    smr_relevance *columns; /* strongest first */
} smr_relevances;

typedef struct smr_relevance_opts {
    const char *target; /* one column                                   */
    const char *weight; /* a column of row weights, or NULL             */
    const char *ignore; /* columns to leave out, or NULL                */
    smr_task task;      /* SMR_TASK_NONE: by the rule of learn/target.h */
} smr_relevance_opts;

/* summaries (may be NULL): room for one per column of the table, zeroed; those of columns whose
 * sorted values tell it are filled, the others stay zero, for smr_table_summarize. */
smr_status smr_relate(smr_ctx *ctx, const smr_table *table, const smr_relevance_opts *opts,
                      smr_relevances *out, smr_column_summary *summaries);
void smr_relevances_release(smr_relevances *r);

/* Pearson's correlations of the number columns `cols`, each pair on the rows that have both:
 * r is n_cols x n_cols, NaN where one side is constant; pairs (may be NULL) the rows of each.
 * known: summaries of the table's columns, or NULL.  One pass after the means. */
smr_status smr_correlations(smr_ctx *ctx, const smr_table *table, const int64_t *cols,
                            int64_t n_cols, const double *weight, const smr_column_summary *known,
                            double *r, double *pairs);

#endif
