/* target_map.h -- numeric targets that are fitted as something else: `columns target=log`, log1p,
 * power, rank and normal.
 *
 * The map g is a transform of the registry (SMR_NEED_LOGGED, _RAISED, _RANKED), fitted to the
 * targets of the training rows as if they were features.  The learner sees z = g(y); a prediction
 * is y = g^-1(z), and so is each end of an interval.  Every g grows with y, strictly between the
 * least and the greatest target: quantiles, intervals and the order of rows survive, means do not.
 * In a model file it is stage 0, the place of the head (docs/model-file.md). */
#ifndef SMR_LEARN_TARGET_MAP_H
#define SMR_LEARN_TARGET_MAP_H

#include "learn/model.h"

/* Is there one with this value of `columns target=`?  Standardising is not one of them. */
static inline bool smr_target_is_mapped(int how)
{
    return how >= SMR_TARGET_LOG;
}

/* Fails where the target has no numbers that could be changed. */
smr_status smr_target_map_check(smr_ctx *ctx, int how, const smr_target *target);
/* Fits the map to n rows of targets and puts g(y) in their place; weight NULL: all 1; rows: their
 * numbers in the table, for messages, NULL: 0, 1 ... */
smr_status smr_target_map_fit(smr_ctx *ctx, int how, const smr_target *target, int64_t n, double *y,
                              const double *weight, const int64_t *rows, smr_stage **out);
/* ---- streams ---- */

/* Can this value of `columns target=` begin without rows, as logarithms can, and targets as they
 * are? */
bool smr_target_map_streams(int how);
/* A map that has seen no row; NULL where the target stays as it is. */
smr_status smr_target_map_begin(smr_ctx *ctx, int how, const smr_target *target, smr_stage **out);
/* z = g(y) of n rows of targets that are learned; weight NULL: all 1. */
smr_status smr_target_map_learn(smr_ctx *ctx, smr_stage *map, int64_t n, const double *y,
                                const double *weight, double *z);

/* ---- models ---- */

/* Loading: the stage, whose state is still to be read; NULL where there is none.  Then the checks
 * of the state, of the model's map, and before it is saved once more. */
smr_status smr_target_map_load(smr_ctx *ctx, int how, smr_stage **out);
smr_status smr_target_map_link(smr_ctx *ctx, smr_model *model);
smr_status smr_target_map_recheck(smr_ctx *ctx, const smr_model *model);
/* Accepts NULL. */
void smr_target_map_free(smr_stage *map);

/* n rows of predictions become targets, in place. */
smr_status smr_target_map_back(smr_ctx *ctx, const smr_stage *map, int64_t n, double *z);
/* The same for intervals, n x targets x 2; room for one row of targets.  An end that is infinite
 * stays so, except that no logarithm goes below 0. */
smr_status smr_target_map_back_ends(smr_ctx *ctx, const smr_stage *map, int64_t n, double *z,
                                    double *room);

/* What the learner is fitted to: "log y"; NULL where that is y, or y on another scale. */
const char *smr_target_map_words(int how);

#endif
