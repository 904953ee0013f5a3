/* kept.h -- some of the features, as they are: what transforms share that drop the others. */
#ifndef SMR_TRANSFORM_KEPT_H
#define SMR_TRANSFORM_KEPT_H

#include "learn/learner.h"

typedef struct smr_kept {
    int64_t n_features, n;
    const int32_t *column; /* n, ascending */
} smr_kept;

/* After load. */
smr_status smr_kept_check(smr_ctx *ctx, const char *transform, const smr_kept *kept,
                          const smr_shape *shape);
/* out[n rows x n], of rows in any form; the same as sparse rows of sparse ones. */
void smr_kept_take(const smr_kept *kept, const smr_rows *rows, double *out);
smr_status smr_kept_append(smr_ctx *ctx, const smr_kept *kept, const smr_rows *rows,
                           smr_entries *out);
bool smr_kept_is_sparse(const void *params, const void *state, bool from_sparse);
smr_status smr_kept_outputs(smr_ctx *ctx, const smr_kept *kept, const smr_feature *in,
                            smr_feature *out);
/* The feature's name, or its number where it has none. */
const char *smr_kept_name(const smr_feature *in, int64_t j, char buffer[32]);

/* Defines the contract's predict, append, n_out, outputs and origins of a transform that keeps
 * features: kept_of_ gives those of a state. */
#define SMR_KEPT_CONTRACT(kept_of_)                                                                \
    static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,               \
                              const smr_rows *rows, smr_output output, double *out, void *scratch) \
    {                                                                                              \
        smr_kept kept = kept_of_(state_);                                                          \
        (void)ctx, (void)params_, (void)output, (void)scratch;                                     \
        smr_kept_take(&kept, rows, out);                                                           \
        return SMR_OK;                                                                             \
    }                                                                                              \
    static smr_status append(smr_ctx *ctx, const void *params_, const void *state_,                \
                             const smr_rows *rows, smr_entries *out, void *scratch)                \
    {                                                                                              \
        smr_kept kept = kept_of_(state_);                                                          \
        (void)params_, (void)scratch;                                                              \
        return smr_kept_append(ctx, &kept, rows, out);                                             \
    }                                                                                              \
    static int64_t n_out(const void *params_, const void *state_, int64_t n_in)                    \
    {                                                                                              \
        (void)params_, (void)n_in;                                                                 \
        return kept_of_(state_).n;                                                                 \
    }                                                                                              \
    static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,               \
                              const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)    \
    {                                                                                              \
        smr_kept kept = kept_of_(state_);                                                          \
        (void)params_, (void)n_in, (void)n;                                                        \
        return smr_kept_outputs(ctx, &kept, in, out);                                              \
    }                                                                                              \
    static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from,      \
                        int64_t n)                                                                 \
    {                                                                                              \
        smr_kept kept = kept_of_(state_);                                                          \
        (void)params_, (void)n_in;                                                                 \
        for (int64_t j = 0; j < n; j++) from[j] = kept.column[j];                                  \
    }

#endif
