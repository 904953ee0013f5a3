/* stack.h -- stacking: its parameters and state, for stack*.c. */
#ifndef SMR_LEARN_ENSEMBLE_STACK_H
#define SMR_LEARN_ENSEMBLE_STACK_H

#include "data/keep.h"
#include "learn/member.h"

enum smr_stack_inputs { SMR_STACK_AUTO, SMR_STACK_PROBA, SMR_STACK_DECISION };

struct smr_stack_params {
    int64_t folds;
    bool passthrough;
    int inputs;
    smr_specs of, final;
};

struct smr_stack_state {
    int64_t n_members, n_classes, n_outputs;
    int64_t n_inputs; /* answers that the final learner reads                    */
    int64_t passes;   /* 1: and all features after them                          */
    int64_t *asked;   /* n_members: an smr_output                                */
    double *error;    /* n_members: of each alone, on rows it was not fitted on  */
    smr_members of, final;
};

/* Answers a member gives the final learner for a row: one for two classes. */
int64_t smr_stack_width(const struct smr_stack_state *s);
/* Answers of member m (n x its width) into columns of n rows of `stride`, from `to` on. */
void smr_stack_put(const struct smr_stack_state *s, int64_t m, int64_t n, const double *answers,
                   double *to, int64_t stride);

smr_status smr_stack_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                         smr_fit_report *report);

/* Appends sparse rows: w answers of each (z, `stride` apart), and its entries after them. */
smr_status smr_stack_append(smr_ctx *ctx, const smr_rows *rows, int64_t w, const double *z,
                            int64_t stride, smr_entries *out);

/* What the final learner is fitted on: the answers z (n x w), and with `passes` the features of
 * `data` after them. */
typedef struct smr_stacked {
    smr_data data;
    /* owned */
    smr_feature *features;
    char **names; /* n_names: of the features after the answers */
    int64_t n_names;
    smr_keep kept; /* those that had to be gathered */
    smr_entries entries;
    smr_csr csr; /* or all as sparse rows, over the entries */
} smr_stacked;

/* names: of the w answers; they, z and the data must outlive it. */
smr_status smr_stacked_make(smr_ctx *ctx, const smr_data *data, int64_t w, const double *z,
                            char *const *names, bool passes, smr_stacked *out);
void smr_stacked_release(smr_stacked *stacked);

#endif
