/* adaboost.h -- what the files of adaboost share: parameters, state, and which file does what.
 *
 *     adaboost.c           parameters, state, checks after loading, descriptor
 *     adaboost_fit.c       the rounds: weights, members, what is kept of each round
 *     adaboost_kept.c      what is kept of the rounds in a checkpoint
 *     adaboost_classes.c   a round for classes, discrete and real, and the margins
 *     adaboost_numbers.c   a round for numbers (R2), and the weighted median
 *     adaboost_predict.c   scores, probabilities and values after any number of rounds
 *     adaboost_describe.c  what was learned, in numbers and pictures */
#ifndef SMR_LEARN_ENSEMBLE_ADABOOST_H
#define SMR_LEARN_ENSEMBLE_ADABOOST_H

#include "learn/member.h"

enum { SMR_ADABOOST_DISCRETE, SMR_ADABOOST_REAL };
enum { SMR_ADABOOST_BY_ERROR, SMR_ADABOOST_FIXED };
enum { SMR_ADABOOST_LINEAR, SMR_ADABOOST_SQUARE, SMR_ADABOOST_EXPONENTIAL };

/* Why it ended. */
enum { SMR_ADABOOST_DONE, SMR_ADABOOST_PERFECT, SMR_ADABOOST_CHANCE, SMR_ADABOOST_ALONE };

enum { SMR_ADABOOST_LEVELS = 101, SMR_ADABOOST_MARKS = 40, SMR_ADABOOST_HEAVY = 10 };

struct smr_adaboost_params {
    int64_t rounds;
    int method, loss, step;
    double rate, alpha;
    bool resample;
    smr_specs of;
};

struct smr_adaboost_state {
    int64_t n_classes; /* 0: it predicts numbers                                          */
    int64_t n_rounds;
    int64_t stopped;     /* SMR_ADABOOST_DONE ...                                          */
    int64_t resampled;   /* 1: members were fitted on rows drawn by their weights          */
    double start;        /* numbers: the weighted mean of the target; what no round gives  */
    int64_t *present;    /* n_classes: 1 where the class had rows                          */
    double *alpha;       /* n_rounds: weight of each member                                */
    double *error;       /* n_rounds: its weighted error, or weighted mean loss            */
    double *ln_loss;     /* n_rounds: ln of the mean exponential loss after it             */
    double *ln_bound;    /* n_rounds: ln of the product of the Z                           */
    double *train_error; /* n_rounds: of all members so far                                */
    double *largest;     /* n_rounds: numbers: the largest error of the member             */
    int64_t n_marks, n_levels;
    int64_t *mark;  /* n_marks: rounds whose margins are kept                         */
    double *margin; /* n_marks x n_levels: their quantiles, 0 to 1 in equal steps     */
    int64_t n_heavy;
    int64_t *heavy_row;   /* n_heavy: rows of the table, from 0                             */
    double *heavy_weight; /* n_heavy: how many times its first weight each has at the end   */
    smr_members of;
};

/* ---- a fit ------------------------------------------------------------------------------ */

/* Weights live as logarithms: thousands of rounds neither overflow nor vanish. */
struct smr_boosting {
    const struct smr_adaboost_params *params;
    struct smr_adaboost_state *state;
    const smr_data *data; /* as it was given */
    smr_data mine;        /* the same with the weights of the round, and a place to share */
    smr_shared shared;
    bool resamples;
    int64_t n;
    int64_t n_present; /* classes that have rows                         */
    double total;      /* of the first weights                           */
    double *ln_weight; /* n: not normalised                              */
    double *weight;    /* n: of this round, with sum `total`             */
    double ln_sum;     /* ln of the sum of exp(ln_weight)                */
    double *answers;   /* n x width: what the member says                */
    double *score;     /* n x n_classes: s of adaboost.c                 */
    double shift;      /* sum of 2 alpha (K-1)/K: what ln_weight leaves out of the loss */
    double reach;      /* by which margins are divided                   */
};

/* One round with a fitted member: judges it by the weights, and if it is good enough takes it in
 * and moves ln_weight.  *stop: SMR_ADABOOST_DONE, to go on, PERFECT or ALONE (it was taken in), or
 * CHANCE (it was not). */
smr_status smr_adaboost_classes_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, int *stop);
smr_status smr_adaboost_numbers_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, int *stop);
/* ln_weight -> weight and ln_sum. */
void smr_adaboost_weigh(struct smr_boosting *b);
/* After the weights of round t: loss, bound, training error. */
void smr_adaboost_classes_note(struct smr_boosting *b, int64_t t);
/* Keeps the margins after round t. */
smr_status smr_adaboost_margins(smr_ctx *ctx, struct smr_boosting *b, int64_t t);

extern const smr_can_resume smr_adaboost_resume;
smr_status smr_adaboost_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                            smr_fit_report *report);

/* ---- using ------------------------------------------------------------------------------ */

/* What a member is asked for. */
smr_output smr_adaboost_asks(const struct smr_adaboost_params *p,
                             const struct smr_adaboost_state *s);
/* s_k += alpha times what a row of the member's answers says, over the classes present. */
void smr_adaboost_add(const struct smr_adaboost_params *p, const struct smr_adaboost_state *s,
                      double alpha, const double *answer, double *score);
/* The smallest value at which the weights of the values up to it reach half of all.  Orders both
 * arrays by value. */
double smr_weighted_median(int64_t n, double *value, double *weight);

int64_t smr_adaboost_rounds(const void *params, const void *state);
int64_t smr_adaboost_scratch(const void *params, const void *state, int64_t n);
smr_status smr_adaboost_predict(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out,
                                void *scratch);
smr_status smr_adaboost_predict_after(smr_ctx *ctx, const void *params, const void *state,
                                      const smr_rows *rows, smr_output output, int64_t round,
                                      double *out, void *scratch);

smr_status smr_adaboost_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_adaboost_figures(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures);

#endif
