/* Model containers: no bytes crash the reader, and what it accepts obeys every rule: tensors lie in
 * the block one after another, and writing them again gives a file with the same contents. */
#include "core/half.h"
#include "model/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_layout(const smr_safetensors *file, const char *block, int64_t length)
{
    const char *end = NULL;
    for (int64_t i = 0; i < file->n_tensors; i++) {
        const smr_file_tensor *t = &file->tensors[i];
        const char *data = t->data;
        int64_t size = (int64_t)smr_dtype_size(t->dtype);
        if (data < block + 8 || t->n < 0 || t->n > (block + length - data) / size) abort();
        if (end && data != end) abort();
        if ((uintptr_t)data % (uintptr_t)size) abort();
        if (smr_safetensors_get(file, t->name) != t) abort();
        end = data + t->n * size;
    }
    if (end && end != block + length) abort();
}

/* NaNs of 16 bits. */
static bool are_narrow_nans(smr_dtype dtype, const char *x, const char *y)
{
    uint16_t a, b;
    if (dtype != SMR_F16 && dtype != SMR_BF16) return false;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    return dtype == SMR_F16
               ? smr_half_is_nan((smr_half){a}) && smr_half_is_nan((smr_half){b})
               : smr_bfloat_is_nan((smr_bfloat){a}) && smr_bfloat_is_nan((smr_bfloat){b});
}

/* The same numbers: a NaN is written as the one form that files have. */
static void check_data(const smr_file_tensor *a, const smr_file_tensor *b)
{
    size_t size = smr_dtype_size(a->dtype);
    for (int64_t i = 0; i < a->n; i++) {
        const char *x = (const char *)a->data + (size_t)i * size;
        const char *y = (const char *)b->data + (size_t)i * size;
        double d = 0;
        float f = 0;
        if (memcmp(x, y, size) == 0) continue;
        if (are_narrow_nans(a->dtype, x, y)) continue;
        if (a->dtype == SMR_F64) memcpy(&d, x, sizeof d);
        if (a->dtype == SMR_F32) memcpy(&f, x, sizeof f);
        if (!isnan(d) && !isnan(f)) abort();
        if (a->dtype == SMR_F64) memcpy(&d, y, sizeof d);
        if (a->dtype == SMR_F32) memcpy(&f, y, sizeof f);
        if (!isnan(d) && !isnan(f)) abort();
    }
}

static void check_rewrite(smr_ctx *ctx, const smr_safetensors *file)
{
    void *bytes = NULL;
    int64_t length = 0, n_meta = file->n_meta;
    smr_file_meta *meta = smr_alloc(ctx, n_meta, sizeof *meta);
    if (!meta) abort();
    n_meta = 0;
    for (int64_t i = 0; i < file->n_meta; i++)
        if (strcmp(file->meta[i].key, "sha256") != 0) meta[n_meta++] = file->meta[i];
    smr_safetensors again;
    if (smr_safetensors_bytes(ctx, file->tensors, file->n_tensors, meta, n_meta, &bytes, &length) ||
        smr_safetensors_check(ctx, bytes, length) ||
        smr_safetensors_read(ctx, bytes, length, &again))
        abort();
    if (again.n_tensors != file->n_tensors || again.n_meta != n_meta + 1) abort();
    for (int64_t i = 0; i < file->n_tensors; i++) {
        const smr_file_tensor *a = &file->tensors[i], *b = smr_safetensors_get(&again, a->name);
        if (!b || b->dtype != a->dtype || b->n_dims != a->n_dims || b->n != a->n) abort();
        if (memcmp(a->shape, b->shape, sizeof a->shape) != 0) abort();
        check_data(a, b);
    }
    smr_safetensors_release(&again);
    smr_free(bytes);
    smr_free(meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_ctx *ctx = NULL;
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *block = smr_alloc_raw(ctx, (int64_t)size, 1);
    if (!block) abort();
    if (size) memcpy(block, data, size);

    (void)smr_safetensors_check(ctx, block, (int64_t)size);
    smr_ctx_clear(ctx);
    smr_safetensors file;
    smr_status st = smr_safetensors_read(ctx, block, (int64_t)size, &file);
    int64_t peak;
    smr_ctx_memory(ctx, &peak);
    if (peak > 120 * (int64_t)size + 8192 || st != smr_ctx_status(ctx)) abort();
    if (st == SMR_OK) {
        check_layout(&file, block, (int64_t)size);
        check_rewrite(ctx, &file);
    } else if (file.doc || file.tensors) {
        abort();
    }
    smr_safetensors_release(&file);
    smr_free(block);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
