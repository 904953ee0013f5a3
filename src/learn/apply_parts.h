/* apply_parts.h -- what predicting many rows (apply.c) and one at a time (predictor.c) share. */
#ifndef SMR_LEARN_APPLY_PARTS_H
#define SMR_LEARN_APPLY_PARTS_H

#include "learn/flow.h"
#include "learn/model.h"
#include "learn/outside.h"

/* What one lane needs: a reader of the table's rows, the flow through the stages, and room for
 * probabilities when labels are derived from them. */
struct smr_lane {
    smr_reader *reader;
    smr_flow flow;
    double *scores;
    double *ends;    /* of intervals: one row of targets, where these are mapped back */
    double *answers; /* of a block, where rows are read in another order than they are asked for */
};

/* A model bound to data. */
struct smr_applying {
    const smr_model *model;
    smr_data data;       /* what the first stage reads */
    smr_ordered ordered; /* the rows as they are read, where some column has a role */
    int64_t *start;      /* n_blocks + 1: rows of the data where blocks begin */
    int64_t n_blocks;
    smr_output output;
    smr_output asked; /* of the learner: PROBA or DECISION when labels are wanted */
    int64_t width, asked_width;
    int64_t block;     /* rows of the longest */
    int64_t round;     /* predict after this many; SMR_ALL_ROUNDS: what the model says */
    double log_volume; /* added to scores that are densities */
    double *out;
    struct smr_lane *lanes;
    int n_lanes;
    bool watches;    /* what lies far outside the training rows is to be told of */
    smr_watch watch; /* of it; all 0: none                                       */
    bool completes;  /* the watch screens for gaps, in place of the reader       */
};

/* Binds the model to the data that the first stage reads; fails where it does not give the
 * output. */
smr_status smr_apply_set_up(smr_ctx *ctx, const smr_model *model, const smr_data *first,
                            smr_output output, struct smr_applying *a);
/* A lane for blocks of at most `rows`; closing accepts one that was not opened, or only half. */
smr_status smr_apply_open(smr_ctx *ctx, struct smr_applying *a, struct smr_lane *lane,
                          int64_t rows);
void smr_apply_close(struct smr_lane *lane);
/* The answers to rows that the lane's reader gave, and to rows [lo, hi) of the data. */
smr_status smr_apply_block(smr_ctx *ctx, const struct smr_applying *a, struct smr_lane *lane,
                           const smr_rows *rows, double *out);
smr_status smr_apply_rows(smr_ctx *ctx, struct smr_applying *a, struct smr_lane *lane, int64_t lo,
                          int64_t hi, double *out);
/* Answers in the units of the target, where it was standardized for the fit; per: values of each
 * target, 1, or 2 for intervals. */
void smr_apply_undo_standardizing(const smr_target *target, int64_t n, int64_t per, double *out);

#endif
