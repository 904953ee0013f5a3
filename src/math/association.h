/* association.h -- do two variables go together?  Statistics of a table, of groups, of pairs.
 *
 *     chi^2 = sum (c_ij - e_ij)^2 / e_ij,  e_ij = row_i column_j / W,  (r-1)(s-1) degrees
 *     Cramer's V = sqrt(chi^2 / (W min(r-1, s-1)))
 *     F = (between / (k-1)) / (within / (W-k)),  eta^2 = between / (between + within)
 *     t = r sqrt((n-2) / (1-r^2)) with n - 2 degrees for a correlation r
 *
 * Rows and columns without weight are left out of r and s.  Weight 2 means the row twice.  What is
 * not defined is NaN.  References: Pearson 1900; Cramer 1946; Fisher 1925. */
#ifndef SMR_MATH_ASSOCIATION_H
#define SMR_MATH_ASSOCIATION_H

#include "core/ctx.h"

typedef struct smr_chi_square {
    double statistic, df, p, v;
} smr_chi_square;

/* count[i * n_y + j] as in information.h. */
smr_status smr_chi_square_of(smr_ctx *ctx, int64_t n_x, int64_t n_y, const double *count,
                             smr_chi_square *out);

typedef struct smr_anova {
    double f, df1, df2, p;
    double eta2;     /* correlation ratio, squared: share of the variance between groups     */
    double adjusted; /* 1 - (within / (W-k)) / (all / (W-1)): about 0 for groups by chance   */
} smr_anova;

/* y[i] of row i in group code[i], 0 .. n_groups-1; rows with a negative code or y NaN are left
 * out.  weight NULL: all 1.  Two passes over the rows. */
smr_status smr_anova_of(smr_ctx *ctx, int64_t n, const int32_t *code, int64_t n_groups,
                        const double *y, const double *weight, smr_anova *out);

/* Pearson's correlation of the pairs of which neither value is missing; smr_correlation (stats.h)
 * is the one with weights. */
double smr_pairwise_correlation(int64_t n, const double *x, const double *y);

/* P(|R| >= |r|) for n pairs of independent normal variables. */
double smr_correlation_p(double r, double n);

/* rank[i] = mean place of row i among the rows with a weight, counted from 1 with each row weight
 * times: equal values share theirs; NaN where x is NaN.  order: the rows by ascending x with NaN
 * last (smr_argsort_f64), or NULL to have it computed. */
smr_status smr_midranks(smr_ctx *ctx, int64_t n, const double *x, const double *weight,
                        const int64_t *order, double *rank);

#endif
