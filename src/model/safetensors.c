/* safetensors.c -- reads the container of model files.  See safetensors.h.
 *
 * The order of checks is the order of trust: the header's length against the file, the JSON against
 * its grammar, each entry against its schema, each entry's offsets against the entry before it (so
 * that holes and overlaps cannot exist) and against the file.  Memory is bounded by the header. */
#include "model/safetensors.h"

#include "core/json.h"
#include "core/sha256.h"
#include "core/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PREFIX = 8, HASH = 64, PIECE = 1 << 23 };
static const uint64_t LONGEST_HEADER = 100000000; /* the limit of the reference implementation */
static const double LARGEST_WHOLE = 9007199254740991; /* 2^53 - 1: whole numbers that JSON keeps */

/* ---- shared with the writer ------------------------------------------------------------- */

/* A quote inside a JSON string is always escaped, so in a valid header this pattern can only be a
 * key with a string after it, and only metadata has those. */
int64_t smr_safetensors_find_checksum(const char *header, int64_t length)
{
    static const char pattern[] = "\"sha256\":\"";
    const int64_t n = sizeof pattern - 1;
    for (int64_t i = 0; i + n + HASH < length; i++) {
        if (memcmp(header + i, pattern, (size_t)n) != 0) continue;
        return header[i + n + HASH] == '"' ? i + n : -1;
    }
    return -1;
}

const char *smr_safetensors_dtype_name(smr_dtype dtype)
{
    static const char *const name[SMR_DTYPES] = {"F64", "F32", "U8", "I32", "I64", "F16", "BF16"};
    return name[dtype];
}

int64_t smr_safetensors_elements(const int64_t *shape, int n_dims, size_t size)
{
    int64_t most = INT64_C(1) << 53, product = (int64_t)size;
    bool is_empty = false;
    for (int k = 0; k < n_dims; k++) {
        if (shape[k] < 0) return -1;
        is_empty = is_empty || shape[k] == 0;
        if (shape[k] > most / product) return -1;
        if (shape[k]) product *= shape[k];
    }
    return is_empty ? 0 : product / (int64_t)size;
}

/* ---- the header ------------------------------------------------------------------------- */

/* Finds the header and its length, or says why there is none. */
static smr_status find_header(smr_ctx *ctx, const void *block, int64_t length, int64_t *header)
{
    const uint8_t *bytes = block;
    if (length < PREFIX)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the file has %" PRId64
                        " bytes; a safetensors file begins with 8 that give "
                        "the length of its header",
                        length);
    uint64_t n = 0;
    for (int i = 0; i < PREFIX; i++) n |= (uint64_t)bytes[i] << (8 * i);
    if (n > LONGEST_HEADER)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the header claims %" PRIu64 " bytes, and at most %" PRIu64
                        " are read; this is not a safetensors file, or it is damaged",
                        n, LONGEST_HEADER);
    if (n > (uint64_t)(length - PREFIX))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the header should have %" PRIu64 " bytes, but only %" PRId64
                        " follow; the file is cut off or not a safetensors file",
                        n, length - PREFIX);
    if (n < 2 || bytes[PREFIX] != '{')
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the header does not begin with '{'; this is not a safetensors file");
    *header = (int64_t)n;
    return SMR_OK;
}

smr_status smr_safetensors_check(smr_ctx *ctx, const void *block, int64_t length)
{
    const char *bytes = block;
    int64_t header = 0;
    smr_status st = find_header(ctx, block, length, &header);
    if (st != SMR_OK) return st;
    int64_t at = smr_safetensors_find_checksum(bytes + PREFIX, header);
    if (at < 0)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the file has no checksum; it was not written by samara, or was changed");

    static const char zeros[HASH + 1] =
        "0000000000000000000000000000000000000000000000000000000000000000";
    const char *digits = bytes + PREFIX + at, *rest = digits + HASH;
    smr_sha256 s;
    char got[HASH + 1];
    smr_sha256_begin(&s);
    smr_sha256_add(&s, bytes, (size_t)(digits - bytes));
    smr_sha256_add(&s, zeros, HASH);
    for (const char *end = bytes + length; rest < end;) {
        int64_t n = SMR_MIN(PIECE, end - rest);
        smr_sha256_add(&s, rest, (size_t)n);
        rest += n;
        st = smr_tick(ctx, "reading the model", rest - bytes, length, NAN);
        if (st != SMR_OK) return st;
    }
    smr_sha256_hex(&s, got);
    if (memcmp(got, digits, HASH) == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "the file is damaged: its contents do not match its checksum");
}

/* ---- entries ---------------------------------------------------------------------------- */

static bool is_whole(const smr_json *value, int64_t *whole)
{
    if (value->type != SMR_JSON_NUMBER || signbit(value->number)) return false;
    if (value->number > LARGEST_WHOLE || value->number != floor(value->number)) return false;
    *whole = (int64_t)value->number;
    return true;
}

static smr_status read_dtype(smr_ctx *ctx, const smr_json *entry, smr_file_tensor *t)
{
    const smr_json *dtype = smr_json_get(entry, "dtype");
    if (!dtype || dtype->type != SMR_JSON_STRING)
        return smr_fail(ctx, SMR_ERR_FORMAT, "tensor '%.200s' has no dtype", t->name);
    for (int k = 0; k < SMR_DTYPES; k++)
        if (strcmp(dtype->string, smr_safetensors_dtype_name((smr_dtype)k)) == 0 &&
            dtype->n == (int64_t)strlen(dtype->string)) {
            t->dtype = (smr_dtype)k;
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "tensor '%.200s' has dtype '%.40s', which is none of F64, F32, F16, BF16, I64, "
                    "I32, U8",
                    t->name, dtype->string);
}

static smr_status read_shape(smr_ctx *ctx, const smr_json *entry, smr_file_tensor *t)
{
    const smr_json *shape = smr_json_get(entry, "shape");
    if (!shape || shape->type != SMR_JSON_ARRAY)
        return smr_fail(ctx, SMR_ERR_FORMAT, "tensor '%.200s' has no shape", t->name);
    if (shape->n > SMR_RANK_MAX)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' has %" PRId64 " dimensions; at most %d are read", t->name,
                        shape->n, SMR_RANK_MAX);
    for (const smr_json *d = shape->first; d; d = d->next)
        if (!is_whole(d, &t->shape[t->n_dims++]))
            return smr_fail(
                ctx, SMR_ERR_FORMAT,
                "tensor '%.200s': dimension %d is not a whole number from 0 to 2^53 - 1", t->name,
                t->n_dims);
    t->n = smr_safetensors_elements(t->shape, t->n_dims, smr_dtype_size(t->dtype));
    if (t->n < 0)
        return smr_fail(ctx, SMR_ERR_FORMAT, "tensor '%.200s' is larger than any file can be",
                        t->name);
    return SMR_OK;
}

/* data holds `size` bytes; *at is the end of the tensor before this one, and then of this one. */
static smr_status read_offsets(smr_ctx *ctx, const smr_json *entry, char *data, int64_t size,
                               smr_file_tensor *t, int64_t *at)
{
    const smr_json *offsets = smr_json_get(entry, "data_offsets");
    int64_t begin, end, needs = t->n * (int64_t)smr_dtype_size(t->dtype);
    if (!offsets || offsets->type != SMR_JSON_ARRAY || offsets->n != 2 ||
        !is_whole(offsets->first, &begin) || !is_whole(offsets->last, &end))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' has no data_offsets [begin, end] in whole bytes", t->name);
    if (begin != *at)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' begins at byte %" PRId64
                        " of the data, but the one before it ends at %" PRId64,
                        t->name, begin, *at);
    if (end < begin || end - begin != needs)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' ends at byte %" PRId64
                        " of the data, but its dtype and shape need it to end at %" PRId64,
                        t->name, end, begin + needs);
    if (end > size)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' ends at byte %" PRId64
                        " of the data, and the file has %" PRId64 "; it is cut off",
                        t->name, end, size);
    if ((uintptr_t)(data + begin) % smr_dtype_size(t->dtype))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "tensor '%.200s' is not aligned to its element size; write the file again "
                        "with larger elements first",
                        t->name);
    t->data = data + begin;
    *at = end;
    return SMR_OK;
}

static smr_status read_tensor(smr_ctx *ctx, const smr_json *entry, char *data, int64_t size,
                              smr_file_tensor *t, int64_t *at)
{
    smr_status st = SMR_OK;
    t->name = entry->key;
    if (entry->type != SMR_JSON_OBJECT)
        return smr_fail(ctx, SMR_ERR_FORMAT, "the header's entry '%.200s' is not an object",
                        entry->key);
    for (const smr_json *m = entry->first; m; m = m->next)
        if (strcmp(m->key, "dtype") != 0 && strcmp(m->key, "shape") != 0 &&
            strcmp(m->key, "data_offsets") != 0)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "tensor '%.200s' has a member '%.200s', which is none of dtype, shape, "
                            "data_offsets",
                            entry->key, m->key);
    TRY(read_dtype(ctx, entry, t));
    TRY(read_shape(ctx, entry, t));
    TRY(read_offsets(ctx, entry, data, size, t, at));
out:
    return st;
}

static smr_status read_meta(smr_ctx *ctx, const smr_json *entry, smr_safetensors *file)
{
    smr_status st = SMR_OK;
    if (entry->type != SMR_JSON_OBJECT)
        return smr_fail(ctx, SMR_ERR_FORMAT, "__metadata__ of the header is not an object");
    TRY_NEW(file->meta, entry->n);
    for (const smr_json *m = entry->first; m; m = m->next) {
        if (m->type != SMR_JSON_STRING)
            return smr_fail(ctx, SMR_ERR_FORMAT, "metadata '%.200s' is not a string", m->key);
        if ((int64_t)strlen(m->string) != m->n)
            return smr_fail(ctx, SMR_ERR_FORMAT, "metadata '%.200s' holds a NUL", m->key);
        file->meta[file->n_meta++] = (smr_file_meta){m->key, m->string};
    }
out:
    return st;
}

static smr_status read_entries(smr_ctx *ctx, const smr_json *root, char *data, int64_t size,
                               smr_safetensors *file)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    TRY_NEW(file->tensors, root->n);
    for (const smr_json *entry = root->first; entry; entry = entry->next) {
        if (strcmp(entry->key, "__metadata__") == 0)
            TRY(read_meta(ctx, entry, file));
        else
            TRY(read_tensor(ctx, entry, data, size, &file->tensors[file->n_tensors++], &at));
    }
    if (at != size)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%" PRId64 " bytes follow the last tensor", size - at));
out:
    return st;
}

/* ---- the calls -------------------------------------------------------------------------- */

static int compare_names(const void *items, int64_t a, int64_t b)
{
    const smr_file_tensor *t = items;
    return strcmp(t[a].name, t[b].name);
}

/* On a big-endian machine the elements are byte-swapped in place. */
static void to_machine_order(const smr_safetensors *file, char *data)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int64_t i = 0; i < file->n_tensors; i++) {
        const smr_file_tensor *t = &file->tensors[i];
        int64_t size = (int64_t)smr_dtype_size(t->dtype);
        char *p = data + ((const char *)t->data - data);
        for (char *end = p + t->n * size; p < end; p += size)
            for (int64_t k = 0; k < size / 2; k++) {
                char c = p[k];
                p[k] = p[size - 1 - k];
                p[size - 1 - k] = c;
            }
    }
#endif
    (void)file;
    (void)data;
}

smr_status smr_safetensors_read(smr_ctx *ctx, void *block, int64_t length, smr_safetensors *out)
{
    smr_status st = SMR_OK;
    smr_safetensors file = {0};
    int64_t header = 0;
    char *bytes = block;
    *out = file;

    TRY(find_header(ctx, block, length, &header));
    st = smr_json_parse(ctx, bytes + PREFIX, header, &file.doc);
    if (st != SMR_OK) smr_while(ctx, "reading the header of a safetensors file");
    TRY(st);
    char *data = bytes + PREFIX + header;
    TRY(read_entries(ctx, smr_json_root(file.doc), data, length - PREFIX - header, &file));
    TRY_NEW(file.by_name, file.n_tensors);
    TRY(smr_argsort(ctx, file.n_tensors, compare_names, file.tensors, file.by_name));
    to_machine_order(&file, data);
    *out = file;
out:
    if (st != SMR_OK) smr_safetensors_release(&file);
    return st;
}

void smr_safetensors_release(smr_safetensors *file)
{
    smr_free(file->tensors);
    smr_free(file->meta);
    smr_free(file->by_name);
    smr_json_free(file->doc);
    *file = (smr_safetensors){0};
}

int64_t smr_safetensors_first(const smr_safetensors *file, const char *name)
{
    int64_t lo = 0, hi = file->n_tensors;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (strcmp(file->tensors[file->by_name[mid]].name, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const smr_file_tensor *smr_safetensors_get(const smr_safetensors *file, const char *name)
{
    int64_t at = smr_safetensors_first(file, name);
    if (at == file->n_tensors) return NULL;
    const smr_file_tensor *t = &file->tensors[file->by_name[at]];
    return strcmp(t->name, name) == 0 ? t : NULL;
}

const char *smr_safetensors_meta(const smr_safetensors *file, const char *key)
{
    for (int64_t i = 0; i < file->n_meta; i++)
        if (strcmp(file->meta[i].key, key) == 0) return file->meta[i].value;
    return NULL;
}
