/* class_within.h -- the covariance within classes, one for all, and some rows to judge it by.
 *
 * S = sum over classes of their scatter / divisor.  Steadied, it is positive definite whatever the
 * rows are:
 *
 *     a variance is at least SMR_WITHIN_FLOOR times that of all rows                            (1)
 *     S = (1 - s) S + s diag(S)                                                                 (2)
 *
 * with Ledoit and Wolf's s of the correlations R, the best for squared errors of R in the limit,
 *
 *     s = min(1, b / delta),  delta = |R - I|^2 / d,  b = (mean |z|^4 - |R|^2) / (d n)          (3)
 *
 * z = a row less its class's mean in deviations; the mean of |z|^4 is that of at most
 * SMR_SAMPLE_ROWS rows, evenly spaced.  Units of columns do not matter.
 * Reference: Ledoit & Wolf, J. Multivariate Analysis 88(2):365-411, 2004. */
#ifndef SMR_LEARN_BAYES_CLASS_WITHIN_H
#define SMR_LEARN_BAYES_CLASS_WITHIN_H

#include "data/data.h"

/* As naive Bayes does by default: no deviation is below a hundredth of all rows'. */
#define SMR_WITHIN_FLOOR 1e-4
/* The least amount of (2): columns that are multiples of each other are dependent in any rows. */
#define SMR_WITHIN_LEAST 1e-6

enum { SMR_SAMPLE_ROWS = 2048 };

typedef struct smr_class_sample {
    int64_t n, d;
    double *x;      /* n x d                                            */
    int32_t *label; /* n                                                */
    double *weight; /* n                                                */
    double unit;    /* weight of what counts as one row: 1, or the mean weight if that is less */
    double rows;    /* all rows, in units                               */
} smr_class_sample;

/* Rows with a weight; `most` of them, evenly spaced, if there are more. */
smr_status smr_class_sample_take(smr_ctx *ctx, const smr_data *data, int64_t most,
                                 smr_class_sample *out);
void smr_class_sample_release(smr_class_sample *s);

/* Classes as the rows have them: n_classes, weight (n_classes), mean (n_classes x d). */
typedef struct smr_class_means {
    int64_t n_classes, d;
    const double *weight, *mean;
} smr_class_means;

/* (1): var (d, `step` apart). */
void smr_within_floor(const smr_class_means *of, double *var, int64_t step);
/* The variance between classes, a mean over the columns. */
double smr_within_spread(const smr_class_means *of);
/* (3) of S (d x d), sums of squares over `divisor`. */
smr_status smr_within_amount(smr_ctx *ctx, const smr_class_means *of, const smr_class_sample *rows,
                             const double *S, double divisor, double *amount);
/* (2) */
void smr_within_shrink(int64_t d, double amount, double *S);

#endif
