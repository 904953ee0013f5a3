/* encode.h -- the parts of encode.c: parameters, state, and how sums become codes. */
#ifndef SMR_TRANSFORM_ENCODE_H
#define SMR_TRANSFORM_ENCODE_H

#include "learn/learner.h"

enum { SMR_ENCODE_PRIOR, SMR_ENCODE_LEVEL }; /* what a gap is */

struct smr_encode_params {
    double smooth;
    int64_t folds;
    int missing; /* SMR_ENCODE_* */
    char *column;
};

/* What training rows are given while later stages are fitted to them; not saved. */
struct smr_encode_folds {
    int64_t n_rows, n;
    int32_t *fold; /* n_rows; -1: a row without a target, which the codes of all rows suit */
    double *code;  /* n x n_slots x width: of the rows outside a fold                      */
};

struct smr_encode_state {
    int64_t n_features;
    uint8_t *changed;
    int64_t width;     /* features that a category becomes */
    int64_t n_offsets; /* n_features + 1                   */
    int64_t *offset;   /* the slots of feature j are offset[j] .. offset[j + 1] - 1: one for each
                          level, and one for gaps; a feature that passes has none */
    int64_t n_slots;
    double *code;        /* n_slots x width                                     */
    double *prior;       /* width                                               */
    smr_strings answers; /* width names of classes, with more than two; else none */
    /* From a stream: sums of y - center so far (encode_stream.c); all NULL after a fit. */
    double *level_weight;           /* n_slots                                             */
    double *level_sum;              /* n_slots x width                                     */
    double *seen, *squares;         /* n_features: levels with rows; squares of weights    */
    double *apart;                  /* n_features x width: sum over levels of sum^2 / weight */
    double *all_weight;             /* width, all the same                                 */
    double *all_sum, *all_square;   /* width: sums and sums of squares of all rows         */
    double *center;                 /* width: the first target; 0 for classes              */
    struct smr_encode_folds *folds; /* NULL except while later stages are fitted */
};

static inline void smr_encode_free_folds(struct smr_encode_folds *f)
{
    if (!f) return;
    smr_free(f->fold);
    smr_free(f->code);
    smr_free(f);
}

/* The slot of a level of feature j, which is changed; of others that of the gap. */
static inline int64_t smr_encode_slot(const struct smr_encode_state *s, int64_t j, double level)
{
    int64_t levels = s->offset[j + 1] - s->offset[j] - 1;
    bool there = level >= 0 && level < (double)levels;
    return s->offset[j] + (there ? (int64_t)level : levels);
}

/* ---- a stream ---- */

/* Sums of no row; the classes, where there are more than two, by their numbers. */
smr_status smr_encode_begin(smr_ctx *ctx, struct smr_encode_state *state, int64_t n_classes);
/* Counts row i of the truths. */
smr_status smr_encode_count(smr_ctx *ctx, struct smr_encode_state *state, const double *x,
                            const smr_truths *truths, int64_t i);
/* width codes of a slot of feature j. */
void smr_encode_running_codes(const struct smr_encode_params *params,
                              const struct smr_encode_state *state, int64_t j, int64_t slot,
                              double *out);

/* ---- a fit ---- */

/* Codes and prior of all rows that have a target. */
smr_status smr_encode_learn(smr_ctx *ctx, const struct smr_encode_params *params,
                            const smr_data *data, struct smr_encode_state *state);
/* The same of the rows outside each of the folds; data NULL: no longer. */
smr_status smr_encode_training(smr_ctx *ctx, const void *params, void *state, const smr_data *data);

#endif
