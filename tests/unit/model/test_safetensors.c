/* The container of model files: what is written reads back, and nothing else does. */
#include "check.h"

#include "core/sha256.h"
#include "model/safetensors.h"

static const double weights[] = {0.1, -2.385, 1e-300, INFINITY, -0.0, 3.5};
static const float scale[] = {1.5f, -7.25f, 3e38f};
static const int64_t counts[] = {INT64_MIN, -1, 150, INT64_MAX};
static const int32_t codes[] = {7, -8, 9, INT32_MIN, 11, 12, 13};
static const uint8_t pixels[] = {0, 255, 1, 128, 77};
static const double bias = 0.333;
static const smr_half halves[] = {{0x3c00}, {0x8001}, {0x7c00}, {0xfbff}, {0x0000}, {0x3555}};
static const smr_bfloat bfloats[] = {{0x3f80}, {0x8001}, {0xff80}};

static const smr_file_tensor some[] = {
    {.name = "pixels", .dtype = SMR_U8, .n_dims = 4, .shape = {1, 5, 1, 1}, .data = pixels},
    {.name = "weights", .dtype = SMR_F64, .n_dims = 2, .shape = {3, 2}, .data = weights},
    {.name = "scale \"\xc3\xa9\"\n", .dtype = SMR_F32, .n_dims = 1, .shape = {3}, .data = scale},
    {.name = "bias", .dtype = SMR_F64, .n_dims = 0, .data = &bias},
    {.name = "counts", .dtype = SMR_I64, .n_dims = 3, .shape = {2, 1, 2}, .data = counts},
    {.name = "none", .dtype = SMR_I32, .n_dims = 2, .shape = {0, 17}, .data = NULL},
    {.name = "codes", .dtype = SMR_I32, .n_dims = 1, .shape = {7}, .data = codes},
    {.name = "half", .dtype = SMR_F16, .n_dims = 6, .shape = {1, 3, 1, 2, 1, 1}, .data = halves},
    {.name = "brain", .dtype = SMR_BF16, .n_dims = 5, .shape = {1, 1, 3, 1, 1}, .data = bfloats},
};

static const smr_file_meta meta[] = {
    {"spec", "standardize | knn 5"},
    {"classes", "[\"a\",\"\\\"sha256\\\":\\\"\"]"}, /* what looks like the field but is not */
    {"zeta", "\"sha256\":\"0123456789012345678901234567890123456789012345678901234567890123\""},
    {"empty", ""},
};

static void *write_some(smr_ctx *ctx, int64_t *length)
{
    void *bytes = NULL;
    check_ok(ctx, smr_safetensors_bytes(ctx, some, SMR_COUNT(some), meta, SMR_COUNT(meta), &bytes,
                                        length));
    return bytes;
}

/* The file read from `block` holds exactly what write_some wrote. */
static bool is_some(const smr_safetensors *file)
{
    if (file->n_tensors != SMR_COUNT(some) || file->n_meta != SMR_COUNT(meta) + 1) return false;
    for (int64_t i = 0; i < SMR_COUNT(some); i++) {
        const smr_file_tensor *want = &some[i], *got = smr_safetensors_get(file, want->name);
        if (!got || got->dtype != want->dtype || got->n_dims != want->n_dims) return false;
        if (memcmp(got->shape, want->shape, sizeof got->shape) != 0) return false;
        size_t size = smr_dtype_size(got->dtype) * (size_t)got->n;
        if (size && memcmp(got->data, want->data, size) != 0) return false;
    }
    for (int64_t i = 0; i < SMR_COUNT(meta); i++) {
        const char *value = smr_safetensors_meta(file, meta[i].key);
        if (!value || strcmp(value, meta[i].value) != 0) return false;
    }
    return true;
}

/* ---- writing and reading back ----------------------------------------------------------- */

static void what_is_written_reads_back(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length, again_length;
    void *bytes = write_some(ctx, &length), *again = write_some(ctx, &again_length);
    assert_int_equal(length, again_length);
    assert_memory_equal(bytes, again, (size_t)length);
    check_ok(ctx, smr_safetensors_check(ctx, bytes, length));
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    assert_true(is_some(&file));
    assert_null(smr_safetensors_get(&file, "absent"));
    assert_null(smr_safetensors_get(&file, ""));
    assert_null(smr_safetensors_meta(&file, "absent"));
    assert_int_equal(strlen(smr_safetensors_meta(&file, "sha256")), 64);
    assert_int_equal(smr_safetensors_get(&file, "bias")->n, 1);
    assert_int_equal(smr_safetensors_get(&file, "none")->n, 0);
    smr_safetensors_release(&file);
    smr_safetensors_release(&file);
    smr_free(bytes);
    smr_free(again);
    check_ctx_end(ctx);
}

/* Processors differ in the sign of the NaN that 0 / 0 is. */
static void a_nan_has_one_form(void **state)
{
    (void)state;
    static const uint64_t of_doubles[] = {0xfff8000000000000u, 0x7ff8000000000000u,
                                          0x7ff0000000000007u, 0xfff0000000000000u};
    static const uint32_t of_floats[] = {0xffc00000u, 0x7fc00001u, 0xff800000u};
    static const uint64_t doubles[] = {0x7ff8000000000000u, 0x7ff8000000000000u,
                                       0x7ff8000000000000u, 0xfff0000000000000u};
    static const uint32_t floats[] = {0x7fc00000u, 0x7fc00000u, 0xff800000u};
    static const uint16_t of_halves[] = {0xfe00, 0x7c01, 0x7c00},
                          is_half[] = {0x7e00, 0x7e00, 0x7c00};
    static const uint16_t of_bfloats[] = {0xff81, 0xff80}, is_bfloat[] = {0x7fc0, 0xff80};
    const smr_file_tensor pair[] = {
        {.name = "d", .dtype = SMR_F64, .n_dims = 1, .shape = {4}, .data = of_doubles},
        {.name = "f", .dtype = SMR_F32, .n_dims = 1, .shape = {3}, .data = of_floats},
        {.name = "i", .dtype = SMR_I32, .n_dims = 1, .shape = {3}, .data = of_floats},
        {.name = "h", .dtype = SMR_F16, .n_dims = 1, .shape = {3}, .data = of_halves},
        {.name = "b", .dtype = SMR_BF16, .n_dims = 1, .shape = {2}, .data = of_bfloats},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_safetensors file;
    void *bytes = NULL;
    int64_t length;
    check_ok(ctx, smr_safetensors_bytes(ctx, pair, 5, NULL, 0, &bytes, &length));
    check_ok(ctx, smr_safetensors_check(ctx, bytes, length));
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    assert_memory_equal(smr_safetensors_get(&file, "d")->data, doubles, sizeof doubles);
    assert_memory_equal(smr_safetensors_get(&file, "f")->data, floats, sizeof floats);
    assert_memory_equal(smr_safetensors_get(&file, "i")->data, of_floats, sizeof of_floats);
    assert_memory_equal(smr_safetensors_get(&file, "h")->data, is_half, sizeof is_half);
    assert_memory_equal(smr_safetensors_get(&file, "b")->data, is_bfloat, sizeof is_bfloat);
    smr_safetensors_release(&file);
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void layout_is_as_documented(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length;
    uint8_t *bytes = write_some(ctx, &length);
    int64_t header = bytes[0] | bytes[1] << 8;
    assert_int_equal(bytes[2] | bytes[3] | bytes[4] | bytes[5] | bytes[6] | bytes[7], 0);
    assert_int_equal((8 + header) % 64, 0);
    /* 6 + 1 doubles, 4 longs, 7 ints, 3 floats, 6 halves, 3 bfloats, 5 bytes: nothing between,
     * nothing after */
    assert_int_equal(length, 8 + header + 8 * 11 + 4 * 10 + 2 * 9 + 5);
    static const char begin[] = "{\"__metadata__\":{\"classes\":";
    assert_memory_equal(bytes + 8, begin, sizeof begin - 1);

    /* Three of the counts, little-endian on any machine (reading may turn them in the block). */
    const uint8_t *c = bytes + 8 + header + 8 * 6;
    static const uint8_t little[] = {0,   0,   0,   0,   0,   0, 0, 128, 255, 255, 255, 255,
                                     255, 255, 255, 255, 150, 0, 0, 0,   0,   0,   0,   0};
    assert_memory_equal(c, little, sizeof little);

    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    static const char *const order[] = {"none", "weights", "counts",
                                        "bias", "codes",   "scale \"\xc3\xa9\"\n",
                                        "half", "brain",   "pixels"};
    for (int i = 0; i < 9; i++) assert_string_equal(file.tensors[i].name, order[i]);
    static const char *const keys[] = {"classes", "empty", "sha256", "spec", "zeta"};
    for (int i = 0; i < 5; i++) assert_string_equal(file.meta[i].key, keys[i]);
    assert_ptr_equal(file.tensors[0].data, bytes + 8 + header);
    smr_safetensors_release(&file);
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void long_arrays_begin_cache_lines(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static double rows[801];
    static float floats[160];
    const smr_file_tensor t[] = {
        {.name = "a", .dtype = SMR_F64, .n_dims = 1, .shape = {3}, .data = rows},
        {.name = "b", .dtype = SMR_F64, .n_dims = 1, .shape = {801}, .data = rows},
        {.name = "c", .dtype = SMR_F64, .n_dims = 2, .shape = {100, 8}, .data = rows},
        {.name = "d", .dtype = SMR_F32, .n_dims = 1, .shape = {160}, .data = floats},
    };
    int64_t length;
    void *bytes;
    check_ok(ctx, smr_safetensors_bytes(ctx, t, 4, NULL, 0, &bytes, &length));
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    static const char *const order[] = {"c", "d", "b", "a"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(file.tensors[i].name, order[i]);
        int64_t at = (const char *)file.tensors[i].data - (char *)bytes;
        if (i < 3) assert_int_equal(at % 64, 0);
    }
    smr_safetensors_release(&file);
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void checksum_is_the_hash_with_its_digits_zeroed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length;
    char *bytes = write_some(ctx, &length), *copy = malloc((size_t)length), hash[65];
    memcpy(copy, bytes, (size_t)length);
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    const char *field = smr_safetensors_meta(&file, "sha256");
    for (int64_t i = 0; i + 64 <= length; i++)
        if (memcmp(copy + i, field, 64) == 0) memset(copy + i, '0', 64);
    smr_sha256 s;
    smr_sha256_begin(&s);
    smr_sha256_add(&s, copy, (size_t)length);
    smr_sha256_hex(&s, hash);
    assert_string_equal(hash, field);
    free(copy);
    smr_safetensors_release(&file);
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void an_empty_file_and_many_tensors_are_files_too(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    void *bytes = NULL;
    int64_t length;
    check_ok(ctx, smr_safetensors_bytes(ctx, NULL, 0, NULL, 0, &bytes, &length));
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_check(ctx, bytes, length));
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    assert_true(file.n_tensors == 0 && file.n_meta == 1 && !smr_safetensors_get(&file, "x"));
    smr_safetensors_release(&file);
    smr_free(bytes);

    enum { N = 1009 };
    static char name[N][16];
    static int32_t value[N];
    static smr_file_tensor tensors[N];
    for (int i = 0; i < N; i++) {
        value[i] = 3 * i;
        snprintf(name[i], sizeof name[i], "t%d", i * 389 % N);
        tensors[i] = (smr_file_tensor){.name = name[i], .dtype = SMR_I32, .data = &value[i]};
    }
    check_ok(ctx, smr_safetensors_bytes(ctx, tensors, N, NULL, 0, &bytes, &length));
    check_ok(ctx, smr_safetensors_check(ctx, bytes, length));
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    for (int i = 0; i < N; i++) {
        const smr_file_tensor *t = smr_safetensors_get(&file, name[i]);
        assert_int_equal(*(const int32_t *)t->data, 3 * i);
    }
    smr_safetensors_release(&file);
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    void *bytes = NULL;
    int64_t length;
    smr_file_tensor t[2] = {{.name = "a", .dtype = SMR_F64, .data = &bias},
                            {.name = "a", .dtype = SMR_U8, .data = pixels}};
    smr_file_meta m[2] = {{"k", "v"}, {"k", "w"}};
#define REFUSED(n_t, n_m, part)                                                                  \
    check_fails(ctx, smr_safetensors_bytes(ctx, t, n_t, m, n_m, &bytes, &length), SMR_ERR_PARAM, \
                part)
    REFUSED(2, 0, "tensor 'a' is given twice");
    REFUSED(1, 2, "metadata 'k' is given twice");
    m[1] = (smr_file_meta){"sha256", "x"};
    REFUSED(1, 2, "'sha256' cannot be the key of a metadata field");
    m[1] = (smr_file_meta){"l", "\xff"};
    REFUSED(1, 2, "metadata 'l' is not valid UTF-8");
    t[1].name = "__metadata__";
    REFUSED(2, 0, "'__metadata__' cannot be the name of a tensor");
    t[1] = (smr_file_tensor){.name = "b", .n_dims = 7, .data = &bias};
    REFUSED(2, 0, "tensor 'b' has a shape that cannot be written");
    t[1] = (smr_file_tensor){.name = "b", .n_dims = 2, .shape = {3, -1}, .data = &bias};
    REFUSED(2, 0, "tensor 'b' has a shape that cannot be written");
    t[1] = (smr_file_tensor){.name = "b", .n_dims = 2, .shape = {INT32_MAX, INT32_MAX}};
    REFUSED(2, 0, "tensor 'b' has a shape that cannot be written");
    t[1] = (smr_file_tensor){.name = "b", .n_dims = 1, .shape = {INT64_C(999999999999999) / 8 + 2}};
    REFUSED(2, 0, "tensor 'b' makes the file larger than 1000 TB");
#undef REFUSED
    assert_null(bytes);
    check_ctx_end(ctx);
}

/* ---- damage ----------------------------------------------------------------------------- */

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length;
    char *bytes = write_some(ctx, &length);
    for (int64_t n = 0; n < length; n++) {
        char *part = smr_alloc_raw(ctx, n, 1); /* exactly n bytes, for the sanitizers */
        memcpy(part, bytes, (size_t)n);
        smr_safetensors file;
        assert_int_equal(smr_safetensors_check(ctx, part, n), SMR_ERR_FORMAT);
        smr_ctx_clear(ctx);
        if (smr_safetensors_read(ctx, part, n, &file) != SMR_ERR_FORMAT || file.doc)
            fail_msg("%lld of %lld bytes were taken for a file", (long long)n, (long long)length);
        smr_ctx_clear(ctx);
        smr_free(part);
    }
    smr_free(bytes);
    check_ctx_end(ctx);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length, n_read = 0;
    uint8_t *bytes = write_some(ctx, &length), *copy = smr_alloc_raw(ctx, length, 1);
    for (int64_t i = 0; i < length; i++)
        for (int change = 1; change < 256; change = change < 128 ? 2 * change : change + 127) {
            memcpy(copy, bytes, (size_t)length);
            copy[i] ^= (uint8_t)change;
            smr_safetensors file;
            assert_int_equal(smr_safetensors_check(ctx, copy, length), SMR_ERR_FORMAT);
            smr_ctx_clear(ctx);
            smr_status st = smr_safetensors_read(ctx, copy, length, &file); /* no crash */
            assert_true(st == SMR_OK || st == SMR_ERR_FORMAT);
            n_read += st == SMR_OK;
            smr_ctx_clear(ctx);
            smr_safetensors_release(&file);
        }
    assert_true(n_read > 8 * 100); /* flips in values and names: only the checksum sees them */
    smr_free(copy);
    smr_free(bytes);
    check_ctx_end(ctx);
}

/* Reads prefix + header + `data` zero bytes. */
static smr_status read_made(smr_ctx *ctx, uint64_t claimed, const char *header, int64_t data)
{
    int64_t n = (int64_t)strlen(header), length = 8 + n + data;
    char *bytes = smr_alloc(ctx, length, 1);
    for (int i = 0; i < 8; i++) bytes[i] = (char)(uint8_t)(claimed >> (8 * i));
    memcpy(bytes + 8, header, (size_t)n);
    smr_safetensors file;
    smr_status st = smr_safetensors_read(ctx, bytes, length, &file);
    smr_safetensors_release(&file);
    smr_free(bytes);
    return st;
}

#define T(name, type, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void each_defect_has_its_own_sentence(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const struct {
        const char *header;
        int64_t data;
        const char *sentence;
    } row[] = {
        {"[]", 0, "does not begin with '{'"},
        {" {}", 0, "does not begin with '{'"},
        {"{", 0, "does not begin with '{'"},
        {"{]", 0, "expected a string, found ']' (while reading the header of a safetensors file)"},
        {"{} x", 0, "expected the end after the value, found 'x'"},
        {"{}", 3, "3 bytes follow the last tensor"},
        {"{\"__metadata__\":[]}", 0, "__metadata__ of the header is not an object"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "metadata 'a' is not a string"},
        {"{\"__metadata__\":{\"a\":null}}", 0, "metadata 'a' is not a string"},
        {"{\"__metadata__\":{\"a\":\"x\\u0000\"}}", 0, "metadata 'a' holds a NUL"},
        {"{\"a\":1}", 0, "the header's entry 'a' is not an object"},
        {"{\"a\":{}}", 0, "tensor 'a' has no dtype"},
        {"{\"a\":{\"dtype\":8}}", 0, "tensor 'a' has no dtype"},
        {"{" T("a", "I16", "[1]", "[0,2]") "}", 2,
         "dtype 'I16', which is none of F64, F32, F16, BF16, I64, I32, U8"},
        {"{" T("a", "f64", "[1]", "[0,8]") "}", 8, "dtype 'f64', which is none of F64, F32"},
        {"{" T("a", "F64\\u0000", "[1]", "[0,8]") "}", 8, "which is none of F64, F32"},
        {"{\"a\":{\"dtype\":\"F64\"}}", 0, "tensor 'a' has no shape"},
        {"{" T("a", "F64", "1", "[0,8]") "}", 8, "tensor 'a' has no shape"},
        {"{" T("a", "U8", "[1,1,1,1,1,1,1]", "[0,1]") "}", 1,
         "has 7 dimensions; at most 6 are read"},
        {"{" T("a", "U8", "[2,-1]", "[0,1]") "}", 1, "dimension 2 is not a whole number"},
        {"{" T("a", "U8", "[-0]", "[0,0]") "}", 0, "dimension 1 is not a whole number"},
        {"{" T("a", "U8", "[1.5]", "[0,1]") "}", 1, "dimension 1 is not a whole number"},
        {"{" T("a", "U8", "[\"1\"]", "[0,1]") "}", 1, "dimension 1 is not a whole number"},
        {"{" T("a", "U8", "[1e308]", "[0,1]") "}", 1, "dimension 1 is not a whole number"},
        {"{" T("a", "U8", "[9007199254740992]", "[0,1]") "}", 1, "is not a whole number"},
        {"{" T("a", "F64", "[4294967296,4294967296]", "[0,0]") "}", 0, "larger than any file"},
        {"{" T("a", "F64", "[4503599627370496]", "[0,0]") "}", 0, "larger than any file can be"},
        {"{" T("a", "U8", "[0,9000000000000000,9000000000000000]", "[0,0]") "}", 0, "larger than"},
        {"{" T("a", "U8", "[9000000000000000]", "[0,9000000000000000]") "}", 5, "it is cut off"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "{}") "}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "[0]") "}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "[0,1,2]") "}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "[-1,0]") "}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "[0,1.5]") "}", 1, "tensor 'a' has no data_offsets"},
        {"{" T("a", "U8", "[1]", "[1,2]") "}", 2,
         "begins at byte 1 of the data, but the one before"},
        {"{" T("a", "U8", "[2]", "[0,2]") "," T("b", "U8", "[2]", "[1,3]") "}", 4,
         "tensor 'b' begins at byte 1 of the data, but the one before it ends at 2"},
        {"{" T("a", "U8", "[2]", "[0,2]") "," T("b", "U8", "[2]", "[3,5]") "}", 5,
         "tensor 'b' begins at byte 3 of the data, but the one before it ends at 2"},
        {"{" T("b", "U8", "[2]", "[2,4]") "," T("a", "U8", "[2]", "[0,2]") "}", 4,
         "tensor 'b' begins at byte 2 of the data, but the one before it ends at 0"},
        {"{" T("a", "U8", "[2]", "[0,2]") "," T("b", "U8", "[2]", "[0,2]") "}", 2,
         "tensor 'b' begins at byte 0 of the data, but the one before it ends at 2"},
        {"{" T("a", "F64", "[2]", "[0,15]") "}", 15, "need it to end at 16"},
        {"{" T("a", "F64", "[]", "[0,0]") "}", 0, "need it to end at 8"},
        {"{" T("a", "U8", "[0]", "[0,1]") "}", 1, "need it to end at 0"},
        {"{" T("a", "F64", "[2]", "[0,16]") "}", 15,
         "ends at byte 16 of the data, and the file has 15"},
        {"{" T("a", "U8", "[2]", "[0,2]") "}", 3, "1 bytes follow the last tensor"},
        {"{" T("a", "U8", "[1]", "[0,1]") "," T("a", "U8", "[1]", "[1,2]") "}", 2, "'a' twice"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
         "has the key 'shape' twice"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"code\":\"x\"}}", 1,
         "tensor 'a' has a member 'code', which is none of dtype, shape, data_offsets"},
        {"{\"\xff\":{}}", 0, "not valid UTF-8"},
        {"{" T("a", "U8", "[1]", "[0,1e999]") "}", 1, "too large for a double"},
    };
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        smr_status st = read_made(ctx, strlen(row[i].header), row[i].header, row[i].data);
        if (st != SMR_ERR_FORMAT || !strstr(smr_ctx_message(ctx), row[i].sentence))
            fail_msg("%s: status %d, '%s'", row[i].header, (int)st, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void absurd_headers_are_refused_cheaply(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_fails(ctx, read_made(ctx, 3, "{}", 0), SMR_ERR_FORMAT, "should have 3 bytes, but only 2");
    check_fails(ctx, read_made(ctx, 0, "{}", 0), SMR_ERR_FORMAT, "does not begin with '{'");
    check_fails(ctx, read_made(ctx, 100000001, "{}", 0), SMR_ERR_FORMAT, "claims 100000001 bytes");
    check_fails(ctx, read_made(ctx, UINT64_MAX, "{}", 0), SMR_ERR_FORMAT,
                "claims 18446744073709551615 bytes");
    check_fails(ctx, read_made(ctx, INT64_MAX, "{}", 0), SMR_ERR_FORMAT,
                "claims 9223372036854775807");

    char deep[300] = "{\"a\":";
    memset(deep + 5, '[', 200);
    check_fails(ctx, read_made(ctx, strlen(deep), deep, 0), SMR_ERR_FORMAT,
                "deeper than 64 levels");
    int64_t peak;
    smr_ctx_memory(ctx, &peak);
    assert_in_range(peak, 1, 80 * 300 + 8192);
    check_ctx_end(ctx);
}

/* ---- other writers ---------------------------------------------------------------------- */

static void files_without_a_checksum_are_containers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const char header[] =
        "{" T("b", "F32", "[1,2]", "[0,8]") ","
                                            "\"__metadata__\" : {\"format\":\"pt\"} }   ";
    int64_t n = sizeof header - 1, pad = (8 - n % 8) % 8, length = 8 + n + pad + 8;
    char *bytes = smr_alloc(ctx, length, 1);
    bytes[0] = (char)(n + pad);
    memcpy(bytes + 8, header, (size_t)n);
    memset(bytes + 8 + n, ' ', (size_t)pad);
    static const uint8_t values[] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}; /* 1, -2.5 */
    memcpy(bytes + 8 + n + pad, values, 8);
    check_fails(ctx, smr_safetensors_check(ctx, bytes, length), SMR_ERR_FORMAT,
                "the file has no checksum");
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    const float *b = smr_safetensors_get(&file, "b")->data;
    assert_true(b[0] == 1 && b[1] == -2.5f);
    assert_string_equal(smr_safetensors_meta(&file, "format"), "pt");
    smr_safetensors_release(&file);
    smr_free(bytes);

    check_fails(ctx, read_made(ctx, 54, "{" T("b", "F32", "[1]", "[0,4]") "}", 4), SMR_ERR_FORMAT,
                "tensor 'b' is not aligned to its element size");
    check_ctx_end(ctx);
}

/* ---- memory and outputs ----------------------------------------------------------------- */

static smr_status write_and_read(smr_ctx *ctx)
{
    void *bytes = NULL;
    int64_t length;
    smr_safetensors file = {0};
    smr_status st = SMR_OK;
    TRY(smr_safetensors_bytes(ctx, some, SMR_COUNT(some), meta, SMR_COUNT(meta), &bytes, &length));
    TRY(smr_safetensors_check(ctx, bytes, length));
    TRY(smr_safetensors_read(ctx, bytes, length, &file));
out:
    smr_safetensors_release(&file);
    smr_free(bytes);
    return st;
}

static void refused_memory_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    for (; st != SMR_OK; n++) {
        smr_memory_fail_at(ctx, n);
        st = write_and_read(ctx);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        assert_true(n < 1000);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 10);
    check_ctx_end(ctx);
}

static smr_status put_until(smr_ctx *ctx, void *user, const void *bytes, int64_t n)
{
    int64_t *left = user;
    (void)bytes;
    if (n > *left) return smr_fail(ctx, SMR_ERR_IO, "no space left");
    *left -= n;
    return SMR_OK;
}

static void a_full_disk_stops_the_writing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int64_t length;
    smr_free(write_some(ctx, &length));
    for (int64_t room = 0; room < length; room += 13) {
        int64_t left = room;
        check_fails(ctx,
                    smr_safetensors_write(ctx, some, SMR_COUNT(some), meta, SMR_COUNT(meta),
                                          &(smr_receiver){put_until, &left, false}),
                    SMR_ERR_IO, "no space left");
    }
    int64_t left = length;
    check_ok(ctx, smr_safetensors_write(ctx, some, SMR_COUNT(some), meta, SMR_COUNT(meta),
                                        &(smr_receiver){put_until, &left, false}));
    assert_int_equal(left, 0);
    check_ctx_end(ctx);
}

enum { LONG_PIECES = 37, PIECE = 8192 }; /* the writer's */

/* Hashing asks once for each piece, and writing again; a file that keeps the work never asks. */
static void writing_is_cancelled_between_pieces(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *x = smr_alloc(ctx, LONG_PIECES * PIECE, 1);
    assert_non_null(x);
    smr_file_tensor t = {.name = "x",
                         .dtype = SMR_F64,
                         .n_dims = 1,
                         .shape = {LONG_PIECES * PIECE / (int64_t)sizeof *x},
                         .data = x};
    for (int64_t at = 1; at <= 2 * LONG_PIECES + 1; at++) {
        int64_t left = INT64_MAX;
        smr_cancel_at(ctx, at);
        smr_status st =
            smr_safetensors_write(ctx, &t, 1, NULL, 0, &(smr_receiver){put_until, &left, false});
        smr_cancel_at(ctx, 0);
        if (at > 2 * LONG_PIECES)
            check_ok(ctx, st);
        else
            check_fails(ctx, st, SMR_ERR_CANCELLED, "cancelled");
        int64_t data = SMR_MAX(0, at - 1 - LONG_PIECES) * PIECE;
        assert_true(INT64_MAX - left >= data && INT64_MAX - left < data + PIECE);
        smr_ctx_clear(ctx);
    }
    int64_t left = INT64_MAX;
    smr_ctx_cancel(ctx);
    check_ok(ctx,
             smr_safetensors_write(ctx, &t, 1, NULL, 0, &(smr_receiver){put_until, &left, true}));
    assert_true(INT64_MAX - left >= (int64_t)LONG_PIECES * PIECE);
    smr_ctx_clear(ctx);
    smr_free(x);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_nan_has_one_form),
        cmocka_unit_test(layout_is_as_documented),
        cmocka_unit_test(long_arrays_begin_cache_lines),
        cmocka_unit_test(checksum_is_the_hash_with_its_digits_zeroed),
        cmocka_unit_test(an_empty_file_and_many_tensors_are_files_too),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(each_defect_has_its_own_sentence),
        cmocka_unit_test(absurd_headers_are_refused_cheaply),
        cmocka_unit_test(files_without_a_checksum_are_containers),
        cmocka_unit_test(refused_memory_is_told_and_nothing_leaks),
        cmocka_unit_test(a_full_disk_stops_the_writing),
        cmocka_unit_test(writing_is_cancelled_between_pieces),
    };
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
