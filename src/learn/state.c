/* state.c -- see state.h. */
#include "learn/state.h"

#include "learn/member.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------- */

int smr_learner_version(const smr_learner *learner)
{
    return SMR_MAX(learner->version, 1);
}

bool smr_state_is_in(const smr_state *row, int version)
{
    return version >= row->since && (!row->until || version < row->until);
}

const char *smr_state_name(const smr_state *row, int version)
{
    return row->was && version < row->renamed ? row->was : row->name;
}

bool smr_state_is_scalar(const smr_state *row)
{
    return row->type == SMR_STATE_REAL || row->type == SMR_STATE_INT;
}

bool smr_state_is_array(const smr_state *row)
{
    return !smr_state_is_scalar(row) && row->type != SMR_STATE_MEMBERS &&
           row->type != SMR_STATE_STRINGS && row->type != SMR_STATE_TENSORS;
}

static void *field(const smr_state *row, const void *state)
{
    return (char *)(uintptr_t)state + row->offset;
}

smr_members *smr_state_members(const smr_state *row, const void *state)
{
    return row->type == SMR_STATE_MEMBERS ? field(row, state) : NULL;
}

smr_strings *smr_state_strings(const smr_state *row, const void *state)
{
    return row->type == SMR_STATE_STRINGS ? field(row, state) : NULL;
}

smr_tensors *smr_state_tensors(const smr_state *row, const void *state)
{
    return row->type == SMR_STATE_TENSORS ? field(row, state) : NULL;
}

smr_dtype smr_state_dtype(const smr_state *row)
{
    static const smr_dtype dtype[] = {
        [SMR_STATE_REAL] = SMR_F64, [SMR_STATE_INT] = SMR_I64,  [SMR_STATE_F64S] = SMR_F64,
        [SMR_STATE_F32S] = SMR_F32, [SMR_STATE_I64S] = SMR_I64, [SMR_STATE_I32S] = SMR_I32,
        [SMR_STATE_U8S] = SMR_U8,   [SMR_STATE_F16S] = SMR_F16, [SMR_STATE_BF16S] = SMR_BF16,
    };
    return row->type <= SMR_STATE_BF16S ? dtype[row->type] : SMR_U8; /* lists have none */
}

void *smr_state_values(const smr_state *row, const void *state)
{
    if (smr_state_is_scalar(row)) return field(row, state);
    return smr_state_is_array(row) ? *(void **)field(row, state) : NULL;
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
                    int64_t shape[SMR_RANK_MAX], int64_t *count)
{
    int rank = 0;
    *count = 1;
    if (smr_state_is_scalar(row)) return 0;
    while (rank < SMR_RANK_MAX && row->dims[rank]) {
        shape[rank] = named_dimension(learner, state, row->dims[rank]);
        if (__builtin_mul_overflow(*count, shape[rank], count)) *count = INT64_MAX;
        rank++;
    }
    return rank;
}

/* ---- tensors ---------------------------------------------------------------------------- */

smr_status smr_tensors_create(smr_ctx *ctx, int64_t n, smr_tensors *out)
{
    *out = (smr_tensors){.tensor = smr_alloc(ctx, n, sizeof *out->tensor)};
    if (!out->tensor) return SMR_ERR_NOMEM;
    out->n = n;
    return SMR_OK;
}

int64_t smr_tensor_count(const smr_tensor *t)
{
    int64_t count = 1;
    for (int k = 0; k < t->rank; k++) count *= t->shape[k];
    return count;
}

bool smr_tensor_name_is_good(const char *name)
{
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!letter && !(*c >= '0' && *c <= '9') && *c != '_' && *c != '.' && *c != '-')
            return false;
    }
    return *name != '\0';
}

smr_status smr_tensors_set(smr_ctx *ctx, smr_tensors *list, int64_t k, const char *name,
                           smr_dtype dtype, int rank, const int64_t *shape)
{
    smr_tensor *t = &list->tensor[k];
    if (!smr_tensor_name_is_good(name) || smr_tensors_find(list, name) || rank > SMR_RANK_MAX)
        return smr_fail(ctx, SMR_ERR_INTERNAL,
                        "tensor '%.200s' has a name that is taken or may not be, or more than %d "
                        "dimensions",
                        name, SMR_RANK_MAX);
    t->dtype = dtype;
    t->rank = rank;
    for (int i = 0; i < rank; i++) t->shape[i] = shape[i];
    t->name = smr_strdup(ctx, name);
    if (!t->name) return SMR_ERR_NOMEM;
    t->values = smr_alloc(ctx, smr_tensor_count(t), smr_dtype_size(dtype));
    return t->values ? SMR_OK : SMR_ERR_NOMEM;
}

const smr_tensor *smr_tensors_find(const smr_tensors *list, const char *name)
{
    for (int64_t k = 0; k < list->n; k++)
        if (list->tensor[k].name && strcmp(list->tensor[k].name, name) == 0)
            return &list->tensor[k];
    return NULL;
}

/* ---- making and releasing --------------------------------------------------------------- */

smr_status smr_state_create(smr_ctx *ctx, const smr_learner *learner, void **out)
{
    *out = smr_alloc(ctx, 1, learner->fitted->state_size ? learner->fitted->state_size : 1);
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

static void free_outside(void *array, const smr_image *image)
{
    if (!smr_image_has(image, array)) smr_free(array);
}

void smr_state_clear(const smr_state *row, void *state, const smr_image *image)
{
    smr_strings *strings = smr_state_strings(row, state);
    smr_tensors *tensors = smr_state_tensors(row, state);
    if (row->type == SMR_STATE_MEMBERS) smr_members_release(smr_state_members(row, state));
    if (strings) {
        free_outside(strings->start, image);
        free_outside(strings->bytes, image);
        *strings = (smr_strings){0};
    }
    if (tensors) {
        for (int64_t k = 0; k < tensors->n; k++) {
            smr_free(tensors->tensor[k].name);
            free_outside(tensors->tensor[k].values, image);
        }
        smr_free(tensors->tensor);
        *tensors = (smr_tensors){0};
    }
    if (smr_state_is_array(row)) {
        free_outside(smr_state_values(row, state), image);
        *(void **)field(row, state) = NULL;
    }
}

static void free_state(const smr_learner *learner, void *state, const smr_image *image)
{
    if (!state) return;
    if (learner->fitted->release) learner->fitted->release(state);
    for (int64_t i = 0; i < learner->fitted->n_state; i++)
        smr_state_clear(&learner->fitted->state[i], state, image);
    smr_free(state);
}

void smr_state_free(const smr_learner *learner, void *state)
{
    free_state(learner, state, NULL);
}

void smr_stage_release_state(smr_stage *stage)
{
    free_state(stage->learner, stage->state, stage->image);
    smr_image_free(stage->image);
    stage->state = NULL;
    stage->image = NULL;
}

void smr_features_free(smr_feature *features, int64_t n)
{
    if (!features) return;
    /* names within the block are those of the features at its end (bind.c) */
    for (int64_t j = 0; j < n && !smr_is_within(features, features[j].name); j++)
        smr_free((char *)(uintptr_t)features[j].name);
    smr_free(features);
}

/* ---- owning ----------------------------------------------------------------------------- */

/* *array <- a block with the same contents, where it lies in the image. */
static smr_status own_array(smr_ctx *ctx, const smr_image *image, int64_t n, size_t size,
                            void **array)
{
    if (!smr_image_has(image, *array)) return SMR_OK;
    void *copy = smr_alloc_raw(ctx, n, size);
    if (!copy) return SMR_ERR_NOMEM;
    memcpy(copy, *array, (size_t)n * size);
    *array = copy;
    return SMR_OK;
}

static smr_status own_strings(smr_ctx *ctx, const smr_image *image, smr_strings *s)
{
    smr_status st = SMR_OK;
    void *start = s->start, *bytes = s->bytes;
    if (!start) return SMR_OK;
    TRY(own_array(ctx, image, s->start[s->n], 1, &bytes));
    s->bytes = bytes;
    TRY(own_array(ctx, image, s->n + 1, sizeof *s->start, &start));
    s->start = start;
out:
    return st;
}

static smr_status own_row(smr_ctx *ctx, const smr_stage *stage, const smr_state *row)
{
    smr_status st = SMR_OK;
    int64_t shape[SMR_RANK_MAX], count;
    const smr_members *members = smr_state_members(row, stage->state);
    smr_strings *strings = smr_state_strings(row, stage->state);
    smr_tensors *tensors = smr_state_tensors(row, stage->state);
    for (int64_t k = 0; members && k < members->n; k++)
        for (int64_t s = 0; s < members->member[k].n_stages; s++)
            TRY(smr_stage_own(ctx, &members->member[k].stages[s]));
    if (strings) TRY(own_strings(ctx, stage->image, strings));
    for (int64_t k = 0; tensors && k < tensors->n; k++) {
        smr_tensor *t = &tensors->tensor[k];
        TRY(own_array(ctx, stage->image, smr_tensor_count(t), smr_dtype_size(t->dtype),
                      &t->values));
    }
    if (smr_state_is_array(row)) {
        (void)smr_state_shape(stage->learner, row, stage->state, shape, &count);
        TRY(own_array(ctx, stage->image, count, smr_dtype_size(smr_state_dtype(row)),
                      field(row, stage->state)));
    }
out:
    return st;
}

smr_status smr_stage_own(smr_ctx *ctx, smr_stage *stage)
{
    smr_status st = SMR_OK;
    if (!stage->state) return SMR_OK;
    for (int64_t i = 0; i < stage->learner->fitted->n_state; i++)
        TRY(own_row(ctx, stage, &stage->learner->fitted->state[i]));
    if (stage->learner->fitted->prepare) return SMR_OK; /* what it built may point into the image */
    smr_image_free(stage->image);
    stage->image = NULL;
out:
    return st;
}
