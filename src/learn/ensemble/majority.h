/* majority.h -- weighted majority: parameters, state, and one round of it. */
#ifndef SMR_LEARN_ENSEMBLE_MAJORITY_H
#define SMR_LEARN_ENSEMBLE_MAJORITY_H

#include "learn/member.h"

enum { SMR_MAJORITY_VOTE, SMR_MAJORITY_RANDOM, SMR_MAJORITY_HEDGE };
enum { SMR_MAJORITY_EXPERTS = 64, SMR_MAJORITY_ROOM = 256 /* points of a curve, even */ };

struct smr_majority_params {
    int method;
    double beta, eta;
    int64_t horizon, folds;
    smr_specs of;
};

/* Losses and mistakes count rows by their weights; `rounds` does not. */
struct smr_majority_state {
    int64_t n_classes, n_experts;
    int64_t along;         /* 1: on a stream the experts learn too; 0: they were fitted, and stay */
    int64_t rounds;        /* rows that were learned                                     */
    double total, squares; /* their weights, and the squares of these                    */
    double heaviest;       /* the largest weight                                         */
    double fixed_rate;     /* hedge: the rate of every round; 0: it falls with the rounds */
    double last_rate, spread; /* hedge: of the last round; the sum of rate * weight^2       */
    double mistakes;          /* of the class with the most weight                          */
    double expected;          /* of a class drawn with the weights' shares                  */
    double *loss;             /* n_experts: mistakes of each                                */
    int64_t every, n_points;  /* point i of the curves: after round (i + 1) every           */
    int64_t room, n_curves;   /* SMR_MAJORITY_ROOM, n_experts + 1                           */
    double *curve;            /* room x n_curves: mistakes of each, the master's last       */
    smr_members of;
};

/* Sets up a state for k experts, before the first round. */
smr_status smr_majority_begin(smr_ctx *ctx, int64_t n_classes, int64_t n_experts,
                              struct smr_majority_state *state);

/* Rate of the next round, of hedge. */
double smr_majority_rate(const struct smr_majority_params *params,
                         const struct smr_majority_state *state);
/* weight (n_experts): before the next round, as shares of their sum. */
void smr_majority_weights(const struct smr_majority_params *params,
                          const struct smr_majority_state *state, double *weight);
/* votes (n_classes): what the shares of the experts make of their answers (class numbers). */
void smr_majority_votes(const struct smr_majority_state *state, const double *weight,
                        const double *answers, double *votes);
/* One round: predict from the answers, then learn from the truth.  room: n_experts numbers;
 * votes: as above, before the round. */
void smr_majority_round(const struct smr_majority_params *params, struct smr_majority_state *state,
                        const double *answers, int32_t truth, double row_weight, double *room,
                        double *votes);

/* The least loss of an expert, and which: the first one with it. */
double smr_majority_best(const struct smr_majority_state *state, int64_t *which);
/* What the master's mistakes (expected ones, except with method=majority) cannot exceed. */
double smr_majority_bound(const struct smr_majority_params *params,
                          const struct smr_majority_state *state);

smr_status smr_majority_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_majority_figures(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures);

#endif
