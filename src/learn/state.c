/* state.c -- see state.h. */
#include "learn/state.h"

#include "learn/member.h"

#include <string.h>

smr_status smr_state_create(smr_ctx *ctx, const smr_learner *learner, void **out)
{
    *out = smr_alloc(ctx, 1, learner->fitted->state_size ? learner->fitted->state_size : 1);
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

void smr_state_free(const smr_learner *learner, void *state)
{
    if (!state) return;
    if (learner->fitted->release) learner->fitted->release(state);
    for (int64_t i = 0; i < learner->fitted->n_state; i++) {
        const smr_state *row = &learner->fitted->state[i];
        if (row->type == SMR_STATE_MEMBERS)
            smr_members_release(smr_state_members(row, state));
        else if (!smr_state_is_scalar(row))
            smr_free(smr_state_values(row, state));
    }
    smr_free(state);
}

void smr_features_free(smr_feature *features, int64_t n)
{
    if (!features) return;
    for (int64_t j = 0; j < n; j++)
        if (!smr_is_within(features, features[j].name))
            smr_free((char *)(uintptr_t)features[j].name);
    smr_free(features);
}

bool smr_state_is_scalar(const smr_state *row)
{
    return row->type == SMR_STATE_REAL || row->type == SMR_STATE_INT;
}

smr_members *smr_state_members(const smr_state *row, const void *state)
{
    if (row->type != SMR_STATE_MEMBERS) return NULL;
    return (smr_members *)(void *)((char *)(uintptr_t)state + row->offset);
}

smr_dtype smr_state_dtype(const smr_state *row)
{
    static const smr_dtype dtype[] = {SMR_F64, SMR_I64, SMR_F64, SMR_F32,
                                      SMR_I64, SMR_I32, SMR_U8,  SMR_U8 /* members have none */};
    return dtype[row->type];
}

void *smr_state_values(const smr_state *row, const void *state)
{
    char *at = (char *)(uintptr_t)state + row->offset;
    if (row->type == SMR_STATE_MEMBERS) return NULL;
    return smr_state_is_scalar(row) ? (void *)at : *(void **)(void *)at;
}

static int64_t named_dimension(const smr_learner *learner, const void *state, const char *name)
{
    for (int64_t i = 0; i < learner->fitted->n_state; i++) {
        const smr_state *row = &learner->fitted->state[i];
        if (row->type == SMR_STATE_INT && strcmp(row->name, name) == 0)
            return *(const int64_t *)smr_state_values(row, state);
    }
    return -1; /* a table that names an unknown dimension: refused by the registry's test */
}

int smr_state_shape(const smr_learner *learner, const smr_state *row, const void *state,
                    int64_t shape[3], int64_t *count)
{
    int rank = 0;
    *count = 1;
    if (smr_state_is_scalar(row)) return 0;
    while (rank < 3 && row->dims[rank]) {
        shape[rank] = named_dimension(learner, state, row->dims[rank]);
        *count *= shape[rank];
        rank++;
    }
    return rank;
}
