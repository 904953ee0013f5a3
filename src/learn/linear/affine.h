/* affine.h -- what the learners of the form y = b + B'x share: prediction, and words about their
 * coefficients and about collinear columns. */
#ifndef SMR_LEARN_LINEAR_AFFINE_H
#define SMR_LEARN_LINEAR_AFFINE_H

#include "learn/learner.h"
#include "math/lstsq.h"

#include <string.h>

/* out (n x q) = intercept + coef x, of rows in any form; the same bits for a row in any block. */
void smr_affine_predict(int64_t d, int64_t q, const double *coef, const double *intercept,
                        const smr_rows *rows, double *out);

/* Name of feature j: the feature's own, or its position. */
const char *smr_affine_name(const smr_feature *in, int64_t j, char buffer[32]);

/* Adds rows {feature, estimate} of one output to a list, with key NULL; else {key: c, feature,
 * estimate}.  intercept NULL: there is none. */
void smr_affine_list(const char *key, int64_t c, int64_t d, const double *coef,
                     const double *intercept, const smr_feature *in, smr_json *list);
/* Adds "coefficients": [{feature, estimate}] of one output; intercept NULL: there is none. */
void smr_affine_describe(int64_t d, const double *coef, const double *intercept,
                         const smr_feature *in, smr_json *into);

/* Adds {feature, estimate, std_error, t, p}, p of Student's t with df degrees of freedom; with
 * INFINITY of them z in place of t. */
void smr_affine_term(smr_json *list, const char *name, double estimate, double error, double df);

/* Describes one output, or adds "outputs": [] with each of several. */
typedef void (*smr_describe_output)(const void *params, const void *state, int64_t k,
                                    const smr_feature *in, smr_json *into);
void smr_affine_outputs(int64_t q, smr_describe_output describe, const void *params,
                        const void *state, const smr_feature *in, smr_json *into);

/* Warns that columns depend on each other, naming them. */
smr_status smr_affine_warn_collinear(smr_ctx *ctx, const char *learner, const smr_data *data,
                                     const smr_lstsq *fit);

#endif
