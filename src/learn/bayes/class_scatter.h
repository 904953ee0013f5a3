/* class_scatter.h -- mean and scatter matrix of the rows of each class, one class after another.
 *
 * Cost: n d^2 / 2 multiply-adds for all classes together (math/gram.h). */
#ifndef SMR_LEARN_BAYES_CLASS_SCATTER_H
#define SMR_LEARN_BAYES_CLASS_SCATTER_H

#include "data/data.h"

typedef struct smr_class_scatter {
    const char *learner; /* for messages */
    const smr_data *data;
    int64_t *order, *begin; /* rows class by class; where each begins, n_classes + 1 */
    double *weight;         /* n_classes                                             */
    int64_t *n_rows;        /* n_classes: rows with a weight > 0                     */
} smr_class_scatter;

/* Checks rows, labels and weights. */
smr_status smr_class_scatter_open(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  smr_class_scatter *out);
void smr_class_scatter_close(smr_class_scatter *c);

/* Of a class with rows: mean (d) and scatter (d x d) = sum w (x - mean)(x - mean)'. */
smr_status smr_class_scatter_find(smr_ctx *ctx, const smr_class_scatter *c, int64_t k, double *mean,
                                  double *scatter);

#endif
