/* select.h -- what the files of the select stage share: its parameters, its state, and the ways to
 * score features.  See select.c. */
#ifndef SMR_TRANSFORM_SELECT_H
#define SMR_TRANSFORM_SELECT_H

#include "learn/specs.h"
#include "transform/kept.h"

enum smr_select_by {
    SMR_SELECT_CORRELATION,
    SMR_SELECT_GAIN,
    SMR_SELECT_WEIGHT,
    SMR_SELECT_L1,
    SMR_SELECT_FORWARD,
    SMR_SELECT_BACKWARD,
    SMR_SELECT_EXHAUSTIVE
};

enum smr_select_judge { SMR_SELECT_CV, SMR_SELECT_VALIDATION, SMR_SELECT_TRAIN };

enum { SMR_SELECT_EXHAUSTIVE_MOST = 12 };

struct smr_select_params {
    int by;
    int64_t k;
    double at_least, p;
    int64_t bins;
    double l1;
    smr_specs of;
    int judge;
    int64_t folds;
    double penalty, improve;
    int64_t patience;
};

struct smr_select_state {
    int64_t n_features, n_kept, n_steps, n_fits;
    double l1;          /* chosen or given; NaN: none */
    double baseline;    /* error without features; NaN: none */
    int32_t *kept;      /* n_kept, ascending */
    double *score;      /* n_features; NaN: none */
    double *p_value;    /* n_features; NULL: none */
    int32_t *step;      /* n_steps: j added, -1 - j dropped, or bits */
    double *step_score; /* n_steps */
    int64_t *step_size; /* n_steps: features after it */
};

/* score and p_value of every feature. */
smr_status smr_select_correlation(smr_ctx *ctx, const smr_data *data, struct smr_select_state *s);
smr_status smr_select_gain(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                           struct smr_select_state *s);
smr_status smr_select_weight(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                             struct smr_select_state *s);

/* kept[j] = is feature j chosen?  They fill score and the rest of the state too. */
smr_status smr_select_l1(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                         struct smr_select_state *s, bool *kept);
smr_status smr_select_search(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                             struct smr_select_state *s, bool *kept);

/* The sentence that features are judged by: a copy of `of`, or the task's own. */
smr_status smr_select_spec(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                           smr_spec **out);

/* Features numbered by descending score; equal ones in their order, those without a score last. */
smr_status smr_select_order(smr_ctx *ctx, const struct smr_select_state *s, int64_t *order);

/* One more step of a search; s->n_steps of them are there. */
smr_status smr_select_note(smr_ctx *ctx, struct smr_select_state *s, int32_t step, int64_t size,
                           double score);

smr_status smr_select_describe(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_select_figures(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, const char *prefix,
                              smr_json *figures);

extern const smr_choice smr_select_ways[];

#endif
