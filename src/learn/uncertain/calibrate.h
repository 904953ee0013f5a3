/* calibrate.h -- parameters and state of calibrate, shared by fitting and describing. */
#ifndef SMR_LEARN_UNCERTAIN_CALIBRATE_H
#define SMR_LEARN_UNCERTAIN_CALIBRATE_H

#include "learn/specs.h"
#include "learn/uncertain/maps.h"

enum { SMR_CALIBRATE_PLATT, SMR_CALIBRATE_ISOTONIC, SMR_CALIBRATE_TEMPERATURE };

struct smr_calibrate_params {
    int method;
    int64_t folds;
    smr_specs of;
};

struct smr_calibrate_state {
    int64_t n_classes, n_maps, n_offsets, n_knots;
    int64_t from_scores;
    double floor, beta;
    double loss_before, loss_after;
    double low, high;
    double *a, *b;
    int64_t *offset;
    double *knot_x, *knot_y;
    int64_t *absent; /* n_classes, or NULL: all have rows */
    smr_members of;
};

/* The probability that map m gives a score; for a temperature that of one class against another. */
double smr_calibrate_map(const struct smr_calibrate_params *params,
                         const struct smr_calibrate_state *state, int64_t m, double score);

smr_status smr_calibrate_describe(smr_ctx *ctx, const void *params, const void *state,
                                  const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_calibrate_figures(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures);

#endif
