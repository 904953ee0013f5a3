/* perceptron.h -- parameters and state of the perceptron, for perceptron.c (the learner),
 * perceptron_step.c (rows) and perceptron_bound.c (margins and what inspect shows). */
#ifndef SMR_LEARN_LINEAR_PERCEPTRON_H
#define SMR_LEARN_LINEAR_PERCEPTRON_H

#include "learn/learner.h"
#include "learn/linear/row.h"

enum smr_perceptron_variant {
    SMR_PERCEPTRON_PLAIN,
    SMR_PERCEPTRON_AVERAGED,
    SMR_PERCEPTRON_VOTED,
    SMR_PERCEPTRON_MARGIN
};

enum smr_perceptron_order { SMR_PERCEPTRON_AUTO, SMR_PERCEPTRON_SHUFFLED, SMR_PERCEPTRON_GIVEN };

struct smr_perceptron_params {
    int variant;
    double margin, rate;
    int64_t max_iter;
    double tol;
    int shuffle;
    bool fit_intercept;
};

/* A vector of weights is q x d, then q intercepts. */
struct smr_perceptron_state {
    int64_t n_classes, n_features, n_scores, n_flat; /* n_flat = q (d + 1)                  */
    int64_t n_passes, n_vectors;
    double rows, mistakes; /* so far                                                        */
    double radius;         /* R; NaN: not separated                                         */
    double gamma_found;    /* margin of the separator found                                 */
    double gamma_best;     /* the largest margin known                                      */
    double is_best;        /* 1: proven to be the largest                                   */
    double *weights;       /* as they are now                                               */
    double *lag;           /* averaged: sum over changes of what came before; else NULL     */
    double *vectors;       /* voted: n_vectors of them; else NULL                           */
    double *votes;
    int64_t room;          /* vectors there is room for; 0: n_vectors (not kept)            */
    double *mean;          /* averaged: what predict reads; else NULL                       */
    double *pass_mistakes; /* of the fit                                                    */
};

/* ---- perceptron_step.c ---- */

/* Scores of a vector of weights. */
void smr_perceptron_scores(const struct smr_perceptron_state *s, const double *w, const smr_row *r,
                           double *f);
/* y f, or the true class's score less the highest other, whose class is *rival. */
double smr_perceptron_lead(const struct smr_perceptron_state *s, const double *f, int32_t label,
                           int32_t *rival);
/* One row of a weight above 0; f: its scores; *was_wrong: a mistake. */
smr_status smr_perceptron_learn_row(smr_ctx *ctx, const struct smr_perceptron_params *p,
                                    struct smr_perceptron_state *s, const smr_row *r, int32_t label,
                                    double weight, const double *f, bool *was_wrong);
/* Writes DECISION of a row, n_classes numbers; f: q numbers of scratch; settled: the mean is up to
 * date. */
void smr_perceptron_answer(const struct smr_perceptron_params *p,
                           const struct smr_perceptron_state *s, const smr_row *r, bool settled,
                           double *f, double *out);
/* What predict reads, from what learning left. */
void smr_perceptron_settle(struct smr_perceptron_state *s);

/* ---- perceptron_bound.c ---- */

/* R, the margin found and the largest known, of rows that the weights separate. */
smr_status smr_perceptron_margins(smr_ctx *ctx, const struct smr_perceptron_params *p,
                                  const smr_data *data, struct smr_perceptron_state *s);
smr_status smr_perceptron_describe(smr_ctx *ctx, const void *params, const void *state,
                                   const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_perceptron_figures(smr_ctx *ctx, const void *params, const void *state,
                                  const smr_feature *in, int64_t n_in, const char *prefix,
                                  smr_json *figures);

#endif
