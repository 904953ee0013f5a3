/* select_judge.h -- the error of a learner on some of the features.
 *
 * Classes: the share of rows whose class is wrong.  Numbers: the squared error over the target's
 * variance, 1 for what knows nothing, the mean over several targets.  Measured on folds, on a
 * quarter of the rows, or on the rows of the fit itself; the same rows for every subset.
 *
 * `linear` on numbers without gaps and categories is judged from the Gram matrices of the parts
 * (learn/linear/fold_grams.h): one pass over the rows serves all subsets. */
#ifndef SMR_TRANSFORM_SELECT_JUDGE_H
#define SMR_TRANSFORM_SELECT_JUDGE_H

#include "data/split.h"
#include "learn/linear/fold_grams.h"
#include "transform/select.h"

struct smr_judge {
    const struct smr_select_params *p;
    const smr_data *data;
    smr_spec *spec;   /* owned: what subsets are fitted by */
    smr_parts parts;  /* none: train */
    double *variance; /* n_outputs; regression */
    double baseline;  /* error without any feature */
    int64_t fits;     /* that one subset takes */
    bool by_gram;
    smr_fold_grams grams;
    smr_fold_gram *train; /* of each part, the rows it is predicted from */
    int64_t n_train;
    struct smr_fixed *fixed; /* NULL: none; see smr_judge_fix */
};

smr_status smr_judge_create(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                            struct smr_judge *out);
void smr_judge_release(struct smr_judge *judge);

/* n > 0 features, ascending.  May be called from several lanes at once. */
smr_status smr_judge_score(smr_ctx *ctx, const struct smr_judge *judge, int64_t n,
                           const int32_t *column, double *error);

/* Makes ready for subsets that differ from this one by one feature: with matrices, each then takes
 * n^2 in place of n^3.  Not while others judge. */
smr_status smr_judge_fix(smr_ctx *ctx, struct smr_judge *judge, int64_t n, const int32_t *column);
/* The score of the fixed subset with feature c the other way; n features, ascending, in column.
 * May be called from several lanes at once. */
smr_status smr_judge_change(smr_ctx *ctx, const struct smr_judge *judge, int32_t c, int64_t n,
                            const int32_t *column, double *error);

/* For select_judge.c: the part by matrices, select_gram.c. */
smr_status smr_judge_grams(smr_ctx *ctx, struct smr_judge *judge);
smr_status smr_judge_by_gram(smr_ctx *ctx, const struct smr_judge *judge, int64_t n,
                             const int32_t *column, double *error);
void smr_judge_grams_release(struct smr_judge *judge);

#endif
