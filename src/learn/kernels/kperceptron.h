/* kperceptron.h -- parameters and state of the kernel perceptron, for kperceptron.c (the learner),
 * kperceptron_fit.c (passes over the rows), kperceptron_keep.c (what is kept of them) and
 * kperceptron_stream.c (row by row). */
#ifndef SMR_LEARN_KERNELS_KPERCEPTRON_H
#define SMR_LEARN_KERNELS_KPERCEPTRON_H

#include "learn/kernels/kernel_points.h"
#include "learn/present.h"
#include "learn/trace.h"

enum smr_kperceptron_variant { SMR_KPERCEPTRON_PLAIN, SMR_KPERCEPTRON_AVERAGED };
enum smr_kperceptron_order {
    SMR_KPERCEPTRON_AUTO,
    SMR_KPERCEPTRON_SHUFFLED,
    SMR_KPERCEPTRON_GIVEN
};
enum smr_kperceptron_forget { SMR_KPERCEPTRON_LEAST, SMR_KPERCEPTRON_OLDEST };

struct smr_kperceptron_params {
    smr_kernel kernel; /* first: SMR_KERNELLED */
    int variant;
    int64_t budget; /* SMR_UNSET_INT: none */
    int forget;
    int64_t max_iter;
    int shuffle;
    bool fit_intercept;
};

struct smr_kperceptron_state {
    smr_kernel_points points; /* first */
    int64_t n_classes, n_scores, n_passes;
    double mistakes, forgotten;
    double radius, margin; /* of rows that are separated; NaN: they are not */
    double *coef, *intercept;
    double *pass_mistakes;
    /* What a stream goes on with. */
    int64_t n_sums;         /* of averaged 2 n_scores, else 0: coef and intercept are enough  */
    double rows;            /* so far, by weights                                             */
    double *sums;           /* n_sums x n_points: the last coefficients, then their changes,
                               each times the rows before it                                  */
    double *sum_intercept;  /* n_sums                                                         */
    double *touched, *self; /* n_points, with a budget: the mistake that made it; K(x, x)     */
};
SMR_KERNELLED(struct smr_kperceptron_params, struct smr_kperceptron_state);

smr_status smr_kperceptron_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                               smr_fit_report *report);
smr_status smr_kperceptron_begin(smr_ctx *ctx, const void *params, const smr_shape *shape,
                                 void *state);
smr_status smr_kperceptron_learn(smr_ctx *ctx, const void *params, void *state,
                                 const smr_rows *rows, const smr_truths *truths, double *out);

/* Passes over the rows. */
struct smr_kperceptron_learning {
    const struct smr_kperceptron_params *p;
    struct smr_kperceptron_state *s;
    const smr_data *data;
    const smr_kernel_set *set;
    smr_trace *trace;
    int64_t n, q;
    double *F;           /* q x n: scores without intercepts                              */
    double *alpha, *lag; /* q x n; lag NULL: plain                                        */
    double *b, *b_lag;   /* q                                                             */
    double *diagonal;    /* n: K(i, i)                                                    */
    double rows;         /* so far, by weights                                            */
    double wrong, work;  /* mistakes of the pass; additions since the last look           */
    int64_t pass;
    bool told; /* how long it takes */
    /* The rows that have coefficients, in the order in which they came. */
    int32_t *support;
    int64_t n_support;
    double *touched; /* n: the mistake at which the coefficients were last changed         */
    bool *is_support;
    /* Rows of K. */
    double *gram;  /* n x n; NULL: by rows                                                */
    double **row;  /* n: those that are kept                                              */
    double *spare; /* n: one that is not                                                  */
    double room;   /* bytes that may still be kept                                        */
};

/* Keeps the rows with coefficients, which support lists, of all classes that there are. */
smr_status smr_kperceptron_keep(smr_ctx *ctx, struct smr_kperceptron_learning *l,
                                smr_kernel_set *set, const smr_present *present, int64_t n_classes);

#endif
