/* metric_parts.h -- what the files of metric share. */
#ifndef SMR_METRIC_METRIC_PARTS_H
#define SMR_METRIC_METRIC_PARTS_H

#include "metric/metric.h"

/* One class against the rest, and against each other class in turn. */
struct class_rank {
    double auc;     /* against all others; NaN when the class or the others have no rows       */
    double pairs;   /* sum over the other classes with rows of the area against that class     */
    double n_pairs; /* how many those are; 0 when the class has no rows                        */
    double average_precision;
};

/* A classification in the course of being measured: what several measures need is made once. */
typedef struct smr_classified {
    const smr_classify_input *in;
    smr_tally tally;
    struct class_rank *ranks; /* n_classes; NULL until smr_ranks is called */
} smr_classified;

/* Checks sizes, labels, weights and scores: the sentence names the first bad row. */
smr_status smr_classify_check(smr_ctx *ctx, const smr_classify_input *in);
smr_status smr_regress_check(smr_ctx *ctx, const smr_regress_input *in);

smr_status smr_classified_open(smr_ctx *ctx, const smr_classify_input *in, smr_classified *out);
void smr_classified_close(smr_classified *c);
/* Fills c->ranks, one task per class; for two classes, the positive one's alone. */
smr_status smr_ranks(smr_ctx *ctx, smr_classified *c);

/* What is computed beside mse and rmse; all other figures are NaN. */
enum {
    SMR_WANTS_SPREAD = 1u,    /* r2, explained_variance                              */
    SMR_WANTS_SIZES = 2u,     /* mae, mape, max_error, the pinball losses and their parts */
    SMR_WANTS_MEDIAN = 4u,    /* median_ae, which alone needs sorted errors          */
    SMR_WANTS_DEVIANCES = 8u, /* poisson_deviance, gamma_deviance, rmsle             */
};

/* Input that smr_regress_check has passed. */
smr_status smr_regress_measure(smr_ctx *ctx, const smr_regress_input *in, unsigned wants,
                               smr_regress_row *rows);
/* Mean over the outputs, the largest for max_error. */
void smr_regress_mean(int64_t n_outputs, const smr_regress_row *rows, smr_regress_row *mean);

static inline double row_weight(const double *weight, int64_t i)
{
    return weight ? weight[i] : 1.0;
}

/* The matrix that ranks classes, or NULL. */
static inline const double *scores_of(const smr_classify_input *in)
{
    return in->proba ? in->proba : in->decision;
}

static inline int64_t positive_of(const smr_classify_input *in)
{
    return in->positive < 0 ? in->n_classes - 1 : in->positive;
}

static inline int64_t largest(int64_t n, const double *x)
{
    int64_t best = 0;
    for (int64_t k = 1; k < n; k++)
        if (x[k] > x[best]) best = k;
    return best;
}

static inline int64_t predicted_of(const smr_classify_input *in, int64_t i)
{
    if (in->predicted) return in->predicted[i];
    return largest(in->n_classes, scores_of(in) + i * in->n_classes);
}

#endif
