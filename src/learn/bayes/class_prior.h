/* class_prior.h -- the probabilities of classes before a row is looked at: prior= and priors= of
 * the learners of this folder; and from log-probabilities to answers. */
#ifndef SMR_LEARN_BAYES_CLASS_PRIOR_H
#define SMR_LEARN_BAYES_CLASS_PRIOR_H

#include "learn/learner.h"

enum { SMR_PRIOR_LEARNED, SMR_PRIOR_UNIFORM };
extern const smr_choice smr_priors[];

/* The rows of a table of parameters; `type_` has int prior and smr_reals priors. */
#define SMR_PRIOR_PARAMS(type_)                                                                    \
    {SMR_FIELD(type_, prior), .def = SMR_PRIOR_LEARNED, .choices = smr_priors,                     \
     .when = "priors=none", .doc = "The probabilities of the classes before a row is looked at."}, \
    {                                                                                              \
        SMR_FIELD(type_, priors),                                                                  \
            .unset = true, .min = 0, .max = 1,                                                     \
            .doc = "These probabilities themselves, one for each class in the order in which "     \
                   "inspect lists them; they sum to 1; unset: prior decides."                      \
    }

typedef struct smr_class_prior {
    int prior;
    const smr_reals *priors;
} smr_class_prior;

/* Are there as many as classes, and is their sum 1? */
smr_status smr_class_prior_check(smr_ctx *ctx, const char *learner, const smr_reals *priors,
                                 int64_t n_classes);
/* base[k] = log P(class k), from the classes' weights; -inf for a class without rows, whatever its
 * prior: nothing is known about it.  Without any rows all are equal. */
void smr_class_prior_log(smr_class_prior how, int64_t n_classes, const double *weight,
                         double *base);

/* The class that u, 0 to 1, falls to; base: log-probabilities, not all -inf. */
int64_t smr_class_prior_draw(int64_t n_classes, const double *base, double u);

/* weight[k] += the weights of the rows of class k. */
void smr_class_weights_of(const smr_data *data, double *weight);

/* Scores log P(class, row) + anything, n x n_classes, some of which may be -inf but not all of a
 * row, become in `out`, which may be the same memory (else they are lost):
 *     LABEL     n              the class of the largest score, the first of equals
 *     PROBA     n x n_classes  exp(score) / sum
 *     DECISION  n x n_classes  (-f, f) for two classes, f = score_1 - score_0; else log PROBA;
 *                              none is beyond +-SMR_ABSENT (learn/present.h) */
void smr_class_answers(int64_t n_classes, int64_t n, smr_output output, double *score, double *out);

#endif
