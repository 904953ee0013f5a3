/* fuzz_arrow.c -- Arrow arrays made of any bytes, given to the reader as a batch or a stream.
 *
 * Buffers are as long as the lengths ask for, since nothing tells a consumer how long they are, and
 * offsets of strings stay within their bytes; everything else is as the bytes have it, and one
 * field may be spoiled.  What is read is written and read again. */
#include "arrow_make.h"
#include "data/arrow.h"
#include "data/hash.h"

#include "core/parallel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(claim)      \
    do {                       \
        if (!(claim)) abort(); \
    } while (0)

enum { MOST_COLS = 4, MOST_BATCHES = 3, MOST_ROWS = 24, MOST_BYTES = 64, DICTIONARY = 5 };

struct bytes {
    const uint8_t *at, *end;
};

static unsigned take(struct bytes *b, unsigned below)
{
    return (b->at < b->end ? *b->at++ : 0) % below;
}

static const struct {
    const char *format;
    int width; /* bytes of a value; -1: strings, -2: views, 0: none, -3: bits */
} types[] = {
    {"c", 1},           {"C", 1},          {"s", 2},        {"S", 2},          {"i", 4},
    {"I", 4},           {"l", 8},          {"L", 8},        {"e", 2},          {"f", 4},
    {"g", 8},           {"b", -3},         {"n", 0},        {"u", -1},         {"U", -1},
    {"vu", -2},         {"tdD", 4},        {"tdm", 8},      {"tss:", 8},       {"tsm:UTC", 8},
    {"tsu:", 8},        {"tsn:Asia/X", 8}, {"d:9,2,32", 4}, {"d:18,-3,64", 8}, {"d:38,10", 16},
    {"d:76,5,256", 32}, {"z", 8},          {"+l", 4},       {"tts", 4}};

enum { N_TYPES = sizeof types / sizeof *types, N_INTEGERS = 8, FIRST_STRING = 13 };

static void fill(struct bytes *b, void *to, size_t n)
{
    for (size_t k = 0; k < n; k++) ((uint8_t *)to)[k] = (uint8_t)take(b, 256);
}

/* Letters, and now and then any byte. */
static void fill_text(struct bytes *b, uint8_t text[MOST_BYTES])
{
    for (int k = 0; k < MOST_BYTES; k++) {
        unsigned x = take(b, 256);
        text[k] = (uint8_t)(x < 250 ? 'a' + x % 3 : take(b, 256));
    }
}

/* `length` values from `offset` on, of types[type]. */
static struct ArrowArray fuzz_values(struct bytes *b, unsigned type, int64_t length, int64_t offset)
{
    uint8_t bits[16], text[MOST_BYTES], data[(MOST_ROWS + 12) * 32];
    int64_t n = length + offset, sizes[1] = {MOST_BYTES}, nulls = (int64_t)take(b, 4) - 1;
    int width = types[type].width;
    fill(b, bits, (size_t)n / 8 + 1);
    struct buffer valid = take(b, 2) ? (struct buffer){bits, (size_t)n / 8 + 1} : NO_BUFFER;
    if (width == 0) return make_array(length, offset, length, 0, NULL);
    if (width == -1) {
        int size = types[type].format[0] == 'U' ? 8 : 4;
        int64_t last = 0;
        for (int64_t i = 0; i <= n; i++) {
            int64_t next = take(b, 8) ? last + take(b, 5) : (int64_t)take(b, MOST_BYTES) - 1;
            last = next > MOST_BYTES ? MOST_BYTES : next;
            int32_t narrow = (int32_t)last;
            memcpy(data + i * size, size == 8 ? (void *)&last : &narrow, (size_t)size);
        }
        fill_text(b, text);
        return make_array(length, offset, nulls, 3,
                          (struct buffer[]){valid, {data, (size_t)((n + 1) * size)}, BUFFER(text)});
    }
    int64_t bytes = width == -3 ? n / 8 + 1 : n * (width == -2 ? 16 : width);
    fill(b, data, (size_t)bytes);
    for (int64_t i = 0; width == -2 && i < n; i++) /* some are right */
        if (take(b, 4)) memcpy(data + 16 * i, &(int32_t[]){(int32_t)take(b, 20), 0, 0, 3}, 16);
    if (width != -2)
        return make_array(length, offset, nulls, 2,
                          (struct buffer[]){valid, {data, (size_t)bytes}});
    fill_text(b, text);
    return make_array(length, offset, nulls, 4,
                      (struct buffer[]){valid, {data, (size_t)bytes}, BUFFER(text), BUFFER(sizes)});
}

/* One field becomes what it cannot be. */
static void spoil(struct bytes *b, struct ArrowArray *a, bool is_batch)
{
    static const int64_t far[] = {-1, INT64_MIN, INT64_MAX};
    switch (take(b, 10)) {
    case 0: a->length = is_batch ? -(int64_t)take(b, 9) : (int64_t)take(b, 9) - 4; break;
    case 1: a->offset = far[take(b, 3)]; break;
    case 2: a->null_count = (int64_t)take(b, 64) - 8; break;
    case 3: a->n_buffers = (int64_t)take(b, 3) - 1; break;
    case 4: a->n_children = (int64_t)take(b, 8) - 2; break;
    case 5: a->buffers = NULL; break;
    case 6: a->children = NULL; break;
    case 7: a->dictionary = NULL; break;
    case 8:
        if (a->n_buffers > 0) a->buffers[take(b, (unsigned)a->n_buffers)] = NULL;
        break;
    default: break;
    }
}

struct column {
    unsigned type, strings; /* strings: of its dictionary, or N_TYPES */
    char name[3];
    int64_t flags;
};

static struct made fuzz_batch(struct bytes *b, const struct column *columns, int64_t n_cols)
{
    int64_t length = take(b, MOST_ROWS), offset = take(b, 6);
    struct made list[MOST_COLS];
    for (int64_t j = 0; j < n_cols; j++) {
        const struct column *c = &columns[j];
        list[j] = (struct made){make_schema(c->name, types[c->type].format),
                                fuzz_values(b, c->type, length + offset, take(b, 6))};
        list[j].schema.flags |= c->flags;
        if (c->strings < N_TYPES)
            give_dictionary(&list[j],
                            (struct made){make_schema("", types[c->strings].format),
                                          fuzz_values(b, c->strings, DICTIONARY, take(b, 3))});
        if (take(b, 16) == 1) spoil(b, &list[j].array, false);
    }
    uint8_t bits[8];
    fill(b, bits, sizeof bits);
    struct made m = make_batch(list, n_cols, length, offset, (int64_t)take(b, 3) - 1,
                               take(b, 2) ? BUFFER(bits) : NO_BUFFER);
    if (take(b, 16) == 1) spoil(b, &m.array, true);
    return m;
}

static bool check_table(const smr_table *t)
{
    bool exact = true;
    for (int64_t j = 0; j < t->n_cols; j++) {
        const smr_column *c = &t->cols[j];
        int64_t missing = 0;
        FUZZ_CHECK(c->name && c->stride == 1);
        for (int64_t i = 0; i < t->n_rows; i++) {
            bool strings = c->kind == SMR_CATEGORY;
            if (strings) FUZZ_CHECK(smr_column_code(c, i) >= -1);
            if (strings) FUZZ_CHECK(smr_column_code(c, i) < c->levels.n);
            double x = strings ? 0 : smr_column_number(c, i);
            missing += strings ? smr_column_code(c, i) < 0 : x != x;
        }
        FUZZ_CHECK(c->n_missing == missing || c->n_missing == -1);
        exact &= c->kind != SMR_DATE || !c->has_time; /* nanoseconds are rounded */
    }
    return exact;
}

static void there_and_back(smr_ctx *ctx, const smr_table *t)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    smr_table *back = NULL;
    uint64_t h[2], again[2];
    bool exact = check_table(t);
    FUZZ_CHECK(smr_table_to_arrow(ctx, t, &schema, &array) == SMR_OK);
    FUZZ_CHECK(smr_table_from_arrow(ctx, &schema, &array, &back) == SMR_OK);
    FUZZ_CHECK(smr_table_hash(ctx, t, h) == SMR_OK && smr_table_hash(ctx, back, again) == SMR_OK);
    FUZZ_CHECK(!exact || (h[0] == again[0] && h[1] == again[1]));
    smr_table_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, data + size};
    struct column columns[MOST_COLS];
    struct made batches[MOST_BATCHES];
    smr_ctx *ctx = NULL;
    smr_table *t = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 256 << 20};
    FUZZ_CHECK(smr_ctx_create(&opts, &ctx) == SMR_OK);
    int64_t n_cols = take(&b, MOST_COLS + 1), n_batches = take(&b, MOST_BATCHES + 1);
    for (int64_t j = 0; j < n_cols; j++) {
        columns[j] = (struct column){.type = take(&b, N_TYPES), .strings = N_TYPES};
        if (columns[j].type < N_INTEGERS && take(&b, 2))
            columns[j].strings = FIRST_STRING + take(&b, 3);
        columns[j].flags = take(&b, 2);
        columns[j].name[0] = (char)('a' + j);
        columns[j].name[1] = take(&b, 32) == 1 ? (char)take(&b, 256) : '\0';
    }
    for (int64_t k = 0; k < n_batches || k == 0; k++) batches[k] = fuzz_batch(&b, columns, n_cols);
    smr_status st;
    if (n_batches == 0) {
        st = smr_table_from_arrow(ctx, &batches[0].schema, &batches[0].array, &t);
        FUZZ_CHECK(!batches[0].schema.release && !batches[0].array.release);
    } else {
        struct made_stream m = {.batches = batches, .n = n_batches, .fail_at = take(&b, 16)};
        struct ArrowArrayStream stream = make_stream(&m);
        st = smr_table_from_arrow_stream(ctx, &stream, &t);
        FUZZ_CHECK(!stream.release && m.released == 1);
    }
    FUZZ_CHECK((st == SMR_OK) == (t != NULL));
    FUZZ_CHECK((st == SMR_OK) == (smr_ctx_message(ctx)[0] == '\0'));
    if (t) there_and_back(ctx, t);
    smr_table_free(t);
    FUZZ_CHECK(arrow_done());
    smr_pool_destroy(ctx);
    FUZZ_CHECK(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    return 0;
}
