/* roles_file.c -- see roles_file.h. */
#include "model/roles_file.h"

#include "core/text.h"
#include "data/vocab.h"

#include <string.h>

static smr_status damaged(smr_ctx *ctx, smr_role role)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: the names of its %ss",
                    smr_role_name(role));
}

/* "schema.user.start", in memory of its own. */
static smr_status name_tensor(smr_ctx *ctx, smr_role role, const char *part, char **out)
{
    smr_text name = {.ctx = ctx};
    smr_text_printf(&name, "schema.%s.%s", smr_role_name(role), part);
    smr_status st = smr_text_done(&name);
    *out = name.bytes;
    if (st != SMR_OK) smr_text_release(&name);
    return st;
}

smr_status smr_roles_to_tensors(smr_ctx *ctx, const smr_role_column roles[SMR_ROLES],
                                smr_file_tensor *tensors, int64_t *n)
{
    static const int64_t none[1] = {0};
    for (int r = SMR_ROLE_USER; r < SMR_ROLES; r++) {
        const smr_strings *s = &roles[r].levels;
        const int64_t *start = s->start ? s->start : none;
        for (int k = 0; roles[r].name && k < 2; k++) {
            char *name = NULL;
            smr_status st = name_tensor(ctx, (smr_role)r, k ? "bytes" : "start", &name);
            if (st != SMR_OK) return st;
            tensors[(*n)++] = (smr_file_tensor){.name = name,
                                                .dtype = k ? SMR_U8 : SMR_I64,
                                                .n_dims = 1,
                                                .shape = {k ? start[s->n] : s->n + 1},
                                                .data = k ? (const void *)s->bytes : start};
        }
    }
    return SMR_OK;
}

static smr_status get_tensor(smr_ctx *ctx, const smr_safetensors *file, smr_role role,
                             const char *part, smr_dtype dtype, const smr_file_tensor **out)
{
    char *name = NULL;
    smr_status st = name_tensor(ctx, role, part, &name);
    if (st != SMR_OK) return st;
    *out = smr_safetensors_get(file, name);
    smr_free(name);
    if (*out && (*out)->dtype == dtype && (*out)->n_dims == 1) return SMR_OK;
    return damaged(ctx, role);
}

/* No name may occur twice: codes would be ambiguous. */
static smr_status refuse_twice(smr_ctx *ctx, smr_role role, const smr_strings *s)
{
    smr_status st = SMR_OK;
    smr_vocab seen = {0};
    for (int64_t k = 0; k < s->n; k++) {
        int64_t length;
        int32_t code;
        const char *name = smr_strings_get(s, k, &length);
        TRY(smr_vocab_add(ctx, &seen, name, length, &code));
        if (code != k) TRY(damaged(ctx, role));
    }
out:
    smr_vocab_release(&seen);
    return st;
}

static smr_status read_levels(smr_ctx *ctx, const smr_safetensors *file, smr_role role,
                              smr_strings *out)
{
    smr_status st = SMR_OK;
    const smr_file_tensor *start = NULL, *bytes = NULL;
    TRY(get_tensor(ctx, file, role, "start", SMR_I64, &start));
    TRY(get_tensor(ctx, file, role, "bytes", SMR_U8, &bytes));
    const int64_t *at = start->data;
    if (start->n < 1 || start->n - 1 > INT32_MAX || at[0] != 0 || at[start->n - 1] != bytes->n)
        TRY(damaged(ctx, role));
    for (int64_t k = 0; k + 1 < start->n; k++)
        if (at[k] > at[k + 1]) TRY(damaged(ctx, role));
    TRY_NEW(out->start, start->n);
    TRY_NEW(out->bytes, bytes->n + 1);
    memcpy(out->start, at, (size_t)start->n * sizeof *at);
    if (bytes->n) memcpy(out->bytes, bytes->data, (size_t)bytes->n);
    out->n = start->n - 1;
    TRY(refuse_twice(ctx, role, out));
out:
    return st;
}

smr_status smr_roles_from_tensors(smr_ctx *ctx, const smr_safetensors *file,
                                  smr_role_column roles[SMR_ROLES], int64_t *used)
{
    smr_status st = SMR_OK;
    for (int r = SMR_ROLE_USER; r < SMR_ROLES; r++) {
        if (!roles[r].name) continue;
        TRY(read_levels(ctx, file, (smr_role)r, &roles[r].levels));
        *used += 2;
    }
out:
    return st;
}
