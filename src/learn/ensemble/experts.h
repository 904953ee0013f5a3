/* experts.h -- mixtures of experts: parameters, state, and the parts of their fit. */
#ifndef SMR_LEARN_ENSEMBLE_EXPERTS_H
#define SMR_LEARN_ENSEMBLE_EXPERTS_H

#include "learn/member.h"

enum { SMR_EXPERTS_MOST = 64 };

struct smr_experts_params {
    int64_t k;
    double l2, gate_l2, tol;
    int64_t max_iter, restarts;
    smr_specs of;
};

struct smr_experts_state {
    int64_t n_experts;     /* those that kept rows                                           */
    int64_t n_given;       /* those that it began with                                       */
    double log_likelihood; /* of the training rows, without penalties                        */
    double decided;        /* mean of each row's largest responsibility                      */
    double low, high;      /* of the feature, where there is one number; else NaN            */
    double *variance;      /* n_experts: of the noise; regress                               */
    double *share;         /* n_experts: of the rows' weight, by responsibility              */
    int64_t n_curve;
    double *curve;    /* n_curve: log-likelihood less penalties, after each iteration       */
    smr_members of;   /* n_experts                                                          */
    smr_members gate; /* one, or none for one expert                                        */
};

/* ---- fitting: experts_em.c -------------------------------------------------------------- */

/* A mixture under way.  Tables are column by column: expert e's n numbers begin at e * n. */
typedef struct smr_mixture {
    const struct smr_experts_params *params;
    const smr_data *data;
    bool classify, ours;   /* ours: the experts are ridge or logistic with params->l2         */
    double total, floor;   /* weight of the rows; least variance                              */
    int64_t k;             /* experts that are left                                           */
    smr_member *expert;    /* k, room for SMR_EXPERTS_MOST                                    */
    const smr_spec **spec; /* of each; NULL where they are ours                               */
    double *penalty;       /* k: of each expert                                               */
    double *variance;      /* k                                                               */
    smr_member gate;       /* where k > 1                                                     */
    double gate_penalty;
    double *density;  /* n x k: log p_e(y_i | x_i)                                       */
    double *log_gate; /* n x k: log g_e(x_i)                                             */
    double *share;    /* n x k: responsibilities                                         */
    double log_likelihood;
    double value;          /* log-likelihood less penalties: what never falls                 */
    bool begun;            /* experts and gate are there                                      */
    bool is_cold;          /* ours, but not for experts_warm.c                                */
    bool is_over;          /* the last fits: members keep their adapters, rounding does not count as
                              a fall */
    struct smr_warm *warm; /* ours, under way there: the members' coefficients are older */
} smr_mixture;

smr_status smr_mixture_create(smr_ctx *ctx, const struct smr_experts_params *params,
                              const smr_data *data, smr_mixture **out);
void smr_mixture_free(smr_mixture *m);
/* One iteration of EM: experts and gate to the responsibilities, then these to them. */
smr_status smr_mixture_step(smr_ctx *ctx, smr_mixture *m);
/* After the last one: the members as their learners fit them to the responsibilities. */
smr_status smr_mixture_finish(smr_ctx *ctx, smr_mixture *m);

/* Parts of it that experts_warm.c shares. */
enum { SMR_EXPERTS_ADAPTERS = 8 };
/* The rows as a member's last stage sees them; link: SMR_EXPERTS_ADAPTERS + 1. */
const smr_data *smr_mixture_rows(const smr_mixture *m, const smr_member *member, smr_data *link);
double smr_mixture_gate_l2(const smr_mixture *m);
/* x (n) residuals; becomes the logarithm of the normal density of each. */
void smr_normal_density(int64_t n, double variance, double *x);
/* The log-likelihood of the tables; share (n x k; NULL: not wanted) the responsibilities. */
double smr_mixture_sum(const smr_mixture *m, const double *density, const double *log_gate,
                       double *share);
/* Responsibilities and value of the mixture's own tables. */
void smr_mixture_respond(smr_mixture *m);

/* ---- experts_warm.c --------------------------------------------------------------------- */

/* Goes on with Newton's steps from the members' coefficients where that suits: else is_cold. */
smr_status smr_warm_open(smr_ctx *ctx, smr_mixture *m);
smr_status smr_warm_step(smr_ctx *ctx, smr_mixture *m);
/* Gives the members their coefficients. */
void smr_warm_end(smr_mixture *m);
void smr_warm_free(smr_mixture *m);

/* ---- experts_start.c -------------------------------------------------------------------- */

/* Responsibilities to start from: rows near one of k rows drawn at random. */
smr_status smr_mixture_start(smr_ctx *ctx, smr_mixture *m, int64_t attempt);

/* ---- experts_describe.c ----------------------------------------------------------------- */

smr_status smr_experts_describe(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_experts_figures(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, const char *prefix,
                               smr_json *figures);

/* What a row of answers of the gate (k) and of all experts (k x width, e by e) gives: the sum of
 * their products.  asked: VALUE or PROBA.  Scratch as smr_experts_scratch says. */
smr_status smr_experts_predict(smr_ctx *ctx, const void *params, const void *state,
                               const smr_rows *rows, smr_output output, double *out, void *scratch);
int64_t smr_experts_scratch(const void *params, const void *state, int64_t n);

#endif
