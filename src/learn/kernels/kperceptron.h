/* kperceptron.h -- parameters and state of the kernel perceptron, for kperceptron.c (the learner)
 * and kperceptron_fit.c (passes over the rows). */
#ifndef SMR_LEARN_KERNELS_KPERCEPTRON_H
#define SMR_LEARN_KERNELS_KPERCEPTRON_H

#include "learn/kernels/kernel_points.h"

enum smr_kperceptron_variant { SMR_KPERCEPTRON_PLAIN, SMR_KPERCEPTRON_AVERAGED };
enum smr_kperceptron_order {
    SMR_KPERCEPTRON_AUTO,
    SMR_KPERCEPTRON_SHUFFLED,
    SMR_KPERCEPTRON_GIVEN
};
enum smr_kperceptron_forget { SMR_KPERCEPTRON_LEAST, SMR_KPERCEPTRON_OLDEST };

struct smr_kperceptron_params {
    int variant;
    smr_kernel kernel;
    int64_t budget; /* SMR_UNSET_INT: none */
    int forget;
    int64_t max_iter;
    int shuffle;
    bool fit_intercept;
};

struct smr_kperceptron_state {
    smr_kernel_points points;
    int64_t n_classes, n_scores, n_passes;
    double mistakes, forgotten;
    double radius, margin; /* of rows that are separated; NaN: they are not */
    double *coef, *intercept;
    double *pass_mistakes;
};

smr_status smr_kperceptron_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                               smr_fit_report *report);

#endif
