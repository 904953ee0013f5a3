/* safetensors_write.c -- writes the container of model files.  See safetensors.h.
 *
 * The header is made first, with zeros for the checksum; the header and the tensors are hashed
 * where they lie; the checksum is put in; then header and tensors go out.  Memory: the header. */
#include "model/safetensors.h"

#include "core/json.h"
#include "core/sha256.h"
#include "core/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PREFIX = 8, HASH = 64, ALIGN = 64 };
static const int64_t LARGEST_FILE = INT64_C(1000000000000000); /* offsets stay plain numbers */

static const char HASH_KEY[] = "sha256";
static const char ZEROS[HASH + 1] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* ---- what may be written ---------------------------------------------------------------- */

static bool is_utf8(const char *text)
{
    const char *end = text + strlen(text);
    while (text < end) {
        int n = smr_utf8_step(text, end);
        if (!n) return false;
        text += n;
    }
    return true;
}

static smr_status check_tensor(smr_ctx *ctx, const smr_file_tensor *t)
{
    if (!is_utf8(t->name) || strcmp(t->name, "__metadata__") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "'%.200s' cannot be the name of a tensor", t->name);
    if (t->n_dims < 0 || t->n_dims > SMR_RANK_MAX ||
        smr_safetensors_elements(t->shape, t->n_dims, smr_dtype_size(t->dtype)) < 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "tensor '%.200s' has a shape that cannot be written",
                        t->name);
    return SMR_OK;
}

static smr_status check_meta(smr_ctx *ctx, const smr_file_meta *m)
{
    if (!is_utf8(m->key) || strcmp(m->key, HASH_KEY) == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "'%.200s' cannot be the key of a metadata field",
                        m->key);
    if (!is_utf8(m->value))
        return smr_fail(ctx, SMR_ERR_PARAM, "metadata '%.200s' is not valid UTF-8", m->key);
    return SMR_OK;
}

/* ---- order ------------------------------------------------------------------------------ */

static int64_t bytes_of(const smr_file_tensor *t)
{
    size_t size = smr_dtype_size(t->dtype);
    return (int64_t)size * smr_safetensors_elements(t->shape, t->n_dims, size);
}

/* Tensors that fill whole cache lines come first, and so each of them begins one; of the others the
 * longest of the widest type does.  A mapped model reads its large arrays where they lie. */
static int compare_tensors(const void *items, int64_t a, int64_t b)
{
    const smr_file_tensor *t = items;
    size_t size_a = smr_dtype_size(t[a].dtype), size_b = smr_dtype_size(t[b].dtype);
    int64_t bytes_a = bytes_of(&t[a]), bytes_b = bytes_of(&t[b]);
    bool lines_a = bytes_a % ALIGN == 0, lines_b = bytes_b % ALIGN == 0;
    if (lines_a != lines_b) return lines_a ? -1 : 1;
    if (size_a != size_b) return size_a > size_b ? -1 : 1;
    if (bytes_a != bytes_b) return bytes_a > bytes_b ? -1 : 1;
    return strcmp(t[a].name, t[b].name);
}

static int compare_names(const void *items, int64_t a, int64_t b)
{
    const smr_file_tensor *t = items;
    return strcmp(t[a].name, t[b].name);
}

static int compare_keys(const void *items, int64_t a, int64_t b)
{
    const smr_file_meta *m = items;
    return strcmp(m[a].key, m[b].key);
}

/* ---- the header ------------------------------------------------------------------------- */

static smr_status add_meta(smr_ctx *ctx, smr_json *root, const smr_file_meta *meta, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    smr_json *into = smr_json_add_object(root, "__metadata__");
    bool hash_is_in = false;
    for (int64_t i = 0; i < n; i++) TRY(check_meta(ctx, &meta[i]));
    TRY_NEW(order, n);
    TRY(smr_argsort(ctx, n, compare_keys, meta, order));
    for (int64_t i = 0; i < n; i++) {
        const smr_file_meta *m = &meta[order[i]];
        if (i && strcmp(m->key, meta[order[i - 1]].key) == 0)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "metadata '%.200s' is given twice", m->key));
        if (!hash_is_in && strcmp(m->key, HASH_KEY) > 0) {
            smr_json_add_string(into, HASH_KEY, ZEROS);
            hash_is_in = true;
        }
        smr_json_add_string(into, m->key, m->value);
    }
    if (!hash_is_in) smr_json_add_string(into, HASH_KEY, ZEROS);
out:
    smr_free(order);
    return st;
}

static smr_status refuse_twins(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n,
                               int64_t *order)
{
    smr_status st = smr_argsort(ctx, n, compare_names, tensors, order);
    for (int64_t i = 1; i < n && st == SMR_OK; i++)
        if (compare_names(tensors, order[i - 1], order[i]) == 0)
            st = smr_fail(ctx, SMR_ERR_PARAM, "tensor '%.200s' is given twice",
                          tensors[order[i]].name);
    return st;
}

static smr_status add_tensor(smr_ctx *ctx, smr_json *root, const smr_file_tensor *t, int64_t *at)
{
    int64_t bytes = bytes_of(t);
    if (bytes > LARGEST_FILE - *at)
        return smr_fail(ctx, SMR_ERR_PARAM, "tensor '%.200s' makes the file larger than 1000 TB",
                        t->name);
    smr_json *entry = smr_json_add_object(root, t->name);
    smr_json_add_string(entry, "dtype", smr_safetensors_dtype_name(t->dtype));
    smr_json *shape = smr_json_add_array(entry, "shape");
    for (int k = 0; k < t->n_dims; k++) smr_json_add_number(shape, NULL, (double)t->shape[k]);
    smr_json *offsets = smr_json_add_array(entry, "data_offsets");
    smr_json_add_number(offsets, NULL, (double)*at);
    *at += bytes;
    smr_json_add_number(offsets, NULL, (double)*at);
    return SMR_OK;
}

/* The first bytes of the file, up to the data: length, JSON, spaces.  order <- their order. */
static smr_status make_header(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n_tensors,
                              const smr_file_meta *meta, int64_t n_meta, int64_t *order,
                              smr_text *text)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    int64_t at = 0;
    for (int64_t i = 0; i < n_tensors; i++) TRY(check_tensor(ctx, &tensors[i]));
    TRY(refuse_twins(ctx, tensors, n_tensors, order));
    TRY(smr_argsort(ctx, n_tensors, compare_tensors, tensors, order));

    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    TRY(add_meta(ctx, root, meta, n_meta));
    for (int64_t i = 0; i < n_tensors; i++) TRY(add_tensor(ctx, root, &tensors[order[i]], &at));
    TRY(smr_json_done(doc));

    smr_text_add_bytes(text, ZEROS, PREFIX);
    smr_json_write(root, 0, text);
    while (text->length % ALIGN && !text->failed) smr_text_add(text, " ");
    TRY(smr_text_done(text));
    for (int i = 0; i < PREFIX; i++)
        text->bytes[i] = (char)(uint8_t)((uint64_t)(text->length - PREFIX) >> (8 * i));
out:
    smr_json_free(doc);
    return st;
}

/* ---- the data --------------------------------------------------------------------------- */

static smr_status put_into_hash(smr_ctx *ctx, void *user, const void *bytes, int64_t n)
{
    (void)ctx;
    smr_sha256_add(user, bytes, (size_t)n);
    return SMR_OK;
}

/* Every NaN becomes the one that NAN is: which sign and payload an operation gives depends on
 * the processor. */
static void plain_nan_f64(char *bytes, int64_t size)
{
    const double plain = (double)NAN;
    for (int64_t i = 0; i < size; i += (int64_t)sizeof plain) {
        double v;
        memcpy(&v, bytes + i, sizeof v);
        if (isnan(v)) memcpy(bytes + i, &plain, sizeof plain);
    }
}

static void plain_nan_f32(char *bytes, int64_t size)
{
    const float plain = NAN;
    for (int64_t i = 0; i < size; i += (int64_t)sizeof plain) {
        float v;
        memcpy(&v, bytes + i, sizeof v);
        if (isnan(v)) memcpy(bytes + i, &plain, sizeof plain);
    }
}

static void plain_nan_16(char *bytes, int64_t size, smr_dtype dtype)
{
    for (int64_t i = 0; i < size; i += 2) {
        uint16_t v;
        memcpy(&v, bytes + i, sizeof v);
        if (dtype == SMR_F16 && smr_half_is_nan((smr_half){v})) v = SMR_HALF_NAN;
        if (dtype == SMR_BF16 && smr_bfloat_is_nan((smr_bfloat){v})) v = SMR_BFLOAT_NAN;
        memcpy(bytes + i, &v, sizeof v);
    }
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static void turn(char *bytes, int64_t size, int64_t element)
{
    for (char *at = bytes; at < bytes + size; at += element)
        for (int64_t i = 0; i < element / 2; i++) {
            char kept = at[i];
            at[i] = at[element - 1 - i];
            at[element - 1 - i] = kept;
        }
}
#endif

/* The elements, little-endian. */
static smr_status put_data(smr_ctx *ctx, const smr_file_tensor *t, const smr_receiver *to)
{
    int64_t size = (int64_t)smr_dtype_size(t->dtype);
    int64_t n = size * smr_safetensors_elements(t->shape, t->n_dims, (size_t)size);
    const char *from = t->data;
    char piece[8192];
    for (int64_t k = 0; n > 0; n -= k, from += k) {
        k = SMR_MIN(n, (int64_t)sizeof piece);
        memcpy(piece, from, (size_t)k);
        if (t->dtype == SMR_F64) plain_nan_f64(piece, k);
        if (t->dtype == SMR_F32) plain_nan_f32(piece, k);
        if (t->dtype == SMR_F16 || t->dtype == SMR_BF16) plain_nan_16(piece, k, t->dtype);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        turn(piece, k, size);
#endif
        smr_status st = to->to_the_end ? SMR_OK : smr_tick(ctx, NULL, 0, 1, NAN);
        if (st == SMR_OK) st = to->put(ctx, to->user, piece, k);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

smr_status smr_safetensors_write(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n_tensors,
                                 const smr_file_meta *meta, int64_t n_meta, const smr_receiver *to)
{
    smr_status st = SMR_OK;
    smr_text header = {.ctx = ctx};
    int64_t *order = NULL;
    smr_sha256 s;
    smr_receiver into_hash = {.put = put_into_hash, .user = &s, .to_the_end = to->to_the_end};
    char hash[HASH + 1];
    TRY_NEW(order, n_tensors);
    TRY(make_header(ctx, tensors, n_tensors, meta, n_meta, order, &header));

    smr_sha256_begin(&s);
    smr_sha256_add(&s, header.bytes, (size_t)header.length);
    for (int64_t i = 0; i < n_tensors; i++) TRY(put_data(ctx, &tensors[order[i]], &into_hash));
    smr_sha256_hex(&s, hash);
    int64_t at = smr_safetensors_find_checksum(header.bytes, header.length);
    memcpy(header.bytes + at, hash, HASH);

    TRY(to->put(ctx, to->user, header.bytes, header.length));
    for (int64_t i = 0; i < n_tensors; i++) TRY(put_data(ctx, &tensors[order[i]], to));
out:
    smr_text_release(&header);
    smr_free(order);
    return st;
}

static smr_status put_into_text(smr_ctx *ctx, void *user, const void *bytes, int64_t n)
{
    (void)ctx;
    smr_text_add_bytes(user, bytes, n);
    return smr_text_done(user);
}

smr_status smr_safetensors_bytes(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n_tensors,
                                 const smr_file_meta *meta, int64_t n_meta, void **bytes,
                                 int64_t *length)
{
    smr_text text = {.ctx = ctx};
    *bytes = NULL;
    *length = 0;
    smr_receiver to = {.put = put_into_text, .user = &text};
    smr_status st = smr_safetensors_write(ctx, tensors, n_tensors, meta, n_meta, &to);
    if (st != SMR_OK) {
        smr_text_release(&text);
        return st;
    }
    *bytes = text.bytes;
    *length = text.length;
    return SMR_OK;
}
