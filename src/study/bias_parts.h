/* bias_parts.h -- what the files of bias_variance share. */
#ifndef SMR_STUDY_BIAS_PARTS_H
#define SMR_STUDY_BIAS_PARTS_H

#include "study/bias_variance.h"

/* Where samples and test points come from. */
typedef struct smr_study {
    const smr_train_set *set;
    int64_t n_samples, n_rows; /* of a sample                                            */
    bool drawn;                /* samples are rows [s n, (s + 1) n) of a table made for it */
    int64_t *pool, n_pool;     /* else: parts of these rows                              */
    int64_t *test, n_test;
    double *y;     /* n_test: observed number or class              */
    double *truth; /* n_test, or n_test x classes; NULL: not known  */
    double noise;
} smr_study;

/* Rows of sample s, ascending, into rows[n_rows]; work has room for n_pool numbers. */
void smr_study_rows(uint64_t seed, const smr_study *study, int64_t s, int64_t *rows, int64_t *work);

/* Variances of bagged models by the number of replicates. */
enum { SMR_BAG_SIZES = 24 };
typedef struct smr_bag_row {
    int64_t m;
    double variance, variance_se; /* of the mean of m replicates, over the samples */
    double formula;               /* (3)                                           */
    double error;                 /* measured on the test values                   */
} smr_bag_row;

typedef struct smr_bagging {
    double variance, rho; /* s2 and rho */
    int64_t n;
    smr_bag_row row[SMR_BAG_SIZES];
} smr_bagging;

/* most >= 2: replicates of a sample. */
smr_status smr_bias_bag(smr_ctx *ctx, const smr_spec *spec, const smr_study *study, int64_t most,
                        smr_bagging *out);

/* ---- reporting ---- */

/* A parameter that is varied, and what each of its values gave. */
typedef struct smr_trade_row {
    const char *value;
    smr_decomposition d;
} smr_trade_row;

typedef struct smr_trade {
    const char *parameter;
    int64_t n;
    smr_trade_row *rows;
    double *x; /* the values as numbers, or NULL: they are names */
    bool log;  /* of the axis                                    */
} smr_trade;

void smr_bias_tell(const smr_study *study, const smr_decomposition *d, smr_json *into,
                   smr_json *figures);
void smr_bias_tell_bagging(const smr_bagging *bag, smr_json *into, smr_json *figures);
smr_status smr_bias_tell_trade(smr_ctx *ctx, const smr_study *study, const smr_trade *trade,
                               smr_json *into, smr_json *figures);

#endif
