/* test_arrow_read.c -- tables from the Arrow C data interface: every type, nulls, offsets, views,
 * releases. */
#include "arrow_make.h"
#include "check.h"
#include "data/arrow.h"
#include "data/arrow_private.h"
#include "data/calendar.h"

/* ---- helpers ---------------------------------------------------------------------------- */

static smr_table *read_batch(smr_ctx *ctx, struct made batch)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_from_arrow(ctx, &batch.schema, &batch.array, &t));
    assert_null(batch.schema.release);
    assert_null(batch.array.release);
    return t;
}

#define check_refused(ctx, batch, status, part)                                                \
    do {                                                                                       \
        struct made b_ = (batch);                                                              \
        smr_table *t_ = (smr_table *)&b_;                                                      \
        check_fails(ctx, smr_table_from_arrow(ctx, &b_.schema, &b_.array, &t_), status, part); \
        assert_null(t_);                                                                       \
        assert_true(!b_.schema.release && !b_.array.release);                                  \
        assert_true(arrow_done());                                                             \
    } while (0)

static void check_text(const smr_table *t, int64_t row, int64_t j, const char *want)
{
    int64_t n;
    const char *got = smr_table_text(t, row, j, &n);
    if (!want) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(got, want, strlen(want));
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Three values after one that the offset passes over. */
static const struct {
    const char *format;
    union {
        int8_t c[4];
        uint8_t C[4];
        int16_t s[4];
        uint16_t S[4];
        int32_t i[4];
        uint32_t I[4];
        int64_t l[4];
        uint64_t L[4];
        uint16_t e[4];
        float f[4];
        double g[4];
    } v;
    size_t width;
    double want[3];
    smr_dtype dtype;
} numbers[] = {
    {"c", {.c = {9, -128, 127, -1}}, 1, {-128, 127, -1}, SMR_F64},
    {"C", {.C = {9, 0, 255, 128}}, 1, {0, 255, 128}, SMR_U8},
    {"s", {.s = {9, -32768, 32767, -2}}, 2, {-32768, 32767, -2}, SMR_F64},
    {"S", {.S = {9, 0, 65535, 40000}}, 2, {0, 65535, 40000}, SMR_F64},
    {"i", {.i = {9, INT32_MIN, INT32_MAX, -7}}, 4, {INT32_MIN, INT32_MAX, -7}, SMR_I32},
    {"I", {.I = {9, 0, UINT32_MAX, 3000000000}}, 4, {0, UINT32_MAX, 3000000000}, SMR_F64},
    {"l", {.l = {9, -9007199254740991, 17, 0}}, 8, {-9007199254740991, 17, 0}, SMR_F64},
    {"L", {.L = {9, 9007199254740991, 17, 0}}, 8, {9007199254740991, 17, 0}, SMR_F64},
    {"e", {.e = {0, 0x3555, 0xc000, 0x0001}}, 2, {0.333251953125, -2, 0x1p-24}, SMR_F64},
    {"f", {.f = {9, 0.1f, -3e38f, 1e-45f}}, 4, {0.1f, -3e38f, 1e-45f}, SMR_F32},
    {"g", {.g = {9, 0.1, -1e308, 5e-324}}, 8, {0.1, -1e308, 5e-324}, SMR_F64},
};

static struct made number_column(size_t k, int64_t nulls, const char *valid)
{
    struct buffer data = {&numbers[k].v, 4 * numbers[k].width};
    struct buffer bits = valid ? (struct buffer){valid, 1} : NO_BUFFER;
    return MAKE("x", numbers[k].format, 3, 1, nulls, bits, data);
}

static void every_number_type_is_read(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        smr_table *t = read_batch(ctx, batch_of(number_column(k, 0, NULL)));
        assert_int_equal(smr_table_n_rows(t), 3);
        assert_int_equal(smr_table_col_kind(t, 0), SMR_NUMBER);
        assert_string_equal(smr_table_col_name(t, 0), "x");
        assert_int_equal(t->cols[0].dtype, numbers[k].dtype);
        for (int i = 0; i < 3; i++)
            check_near(numbers[k].format, smr_table_number(t, i, 0), numbers[k].want[i], 0);
        smr_table_free(t);
        assert_true(arrow_done());
    }
    check_ctx_end(ctx);
}

static void nulls_of_every_number_type_are_missing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int64_t counts[] = {1, -1};
    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (int c = 0; c < 2; c++) {
            /* bits from 1 on: there, null, there */
            smr_table *t = read_batch(ctx, batch_of(number_column(k, counts[c], "\x0a")));
            check_near("first", smr_table_number(t, 0, 0), numbers[k].want[0], 0);
            assert_true(isnan(smr_table_number(t, 1, 0)));
            check_near("last", smr_table_number(t, 2, 0), numbers[k].want[2], 0);
            assert_int_equal(t->cols[0].n_missing, 1);
            assert_true(t->cols[0].dtype == SMR_F64 || t->cols[0].dtype == SMR_F32);
            smr_table_free(t);
            assert_true(arrow_done());
        }
    check_ctx_end(ctx);
}

static void a_null_count_of_zero_overrules_the_bitmap(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(number_column(10, 0, "\x00")));
    check_near("value", smr_table_number(t, 1, 0), -1e308, 0);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

/* Row i is element 2 + i of the struct, so 2 + 3 + i of the child's buffer; row 1 is null as a
 * whole, row 3 by itself. */
static void offsets_and_nulls_add_up_at_both_levels(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int16_t x[] = {0, 0, 0, 0, 0, 15, 16, 17, 18, 19, 20};
    static const int32_t at[] = {0, 1, 2, 3, 4, 5, 7, 9, 11};
    struct made columns[] = {
        MAKE("x", "s", 8, 3, -1, TEXT_BUFFER("\xff\xfe"), BUFFER(x)),
        MAKE("name", "u", 8, 0, 0, NO_BUFFER, BUFFER(at), TEXT_BUFFER("abcdeffgghh"))};
    (void)state;
    /* the struct's bits from 2 on: 1 0 1 1 1; the child's from 5 on: 1 1 1 0 1 */
    struct made batch = make_batch(columns, 2, 5, 2, -1, TEXT_BUFFER("\xf7"));
    smr_table *t = read_batch(ctx, batch);
    static const double want[] = {15, NAN, 17, NAN, 19};
    static const char *const names[] = {"c", NULL, "e", "ff", "gg"};
    for (int i = 0; i < 5; i++) {
        check_near("x", smr_table_number(t, i, 0), want[i], 0);
        check_text(t, i, 1, names[i]);
    }
    assert_int_equal(t->cols[1].n_missing, 1);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void bits_are_numbers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t =
        read_batch(ctx, batch_of(MAKE("b", "b", 9, 3, 0, NO_BUFFER, TEXT_BUFFER("\x28\x0c"))));
    static const double want[] = {1, 0, 1, 0, 0, 0, 0, 1, 1};
    for (int i = 0; i < 9; i++) check_near("bit", smr_table_number(t, i, 0), want[i], 0);
    assert_int_equal(t->cols[0].dtype, SMR_U8);
    smr_table_free(t);
    t = read_batch(ctx,
                   batch_of(MAKE("b", "b", 3, 0, 2, TEXT_BUFFER("\x04"), TEXT_BUFFER("\x07"))));
    assert_true(isnan(smr_table_number(t, 0, 0)) && isnan(smr_table_number(t, 1, 0)));
    check_near("bit", smr_table_number(t, 2, 0), 1, 0);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void the_null_type_is_a_column_of_missing_numbers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    struct made m = {make_schema("n", "n"), make_array(3, 0, 3, 0, NULL)};
    smr_table *t = read_batch(ctx, batch_of(m));
    assert_int_equal(smr_table_col_kind(t, 0), SMR_NUMBER);
    assert_int_equal(t->cols[0].n_missing, 3);
    for (int i = 0; i < 3; i++) assert_true(isnan(smr_table_number(t, i, 0)));
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void hear(void *user, smr_log_level level, const char *message)
{
    if (level == SMR_LOG_WARNING) snprintf(user, 300, "%s", message);
}

static void whole_numbers_beyond_2_53_are_told(void **state)
{
    char heard[300] = "";
    smr_ctx *ctx = check_ctx(1);
    static const int64_t x[] = {9007199254740992, 3, -9007199254740993, 4};
    static const uint64_t u[] = {UINT64_MAX, 1};
    (void)state;
    ctx->log = hear;
    ctx->log_user = heard;
    smr_table *t = read_batch(ctx, batch_of(MAKE("key", "l", 4, 0, 0, NO_BUFFER, BUFFER(x))));
    assert_string_equal(heard, "column 'key' has 2 whole numbers beyond 2^53, rounded to doubles; "
                               "give identifiers as strings");
    smr_table_free(t);
    t = read_batch(ctx, batch_of(MAKE("u", "L", 2, 0, 0, NO_BUFFER, BUFFER(u))));
    check_near("largest", smr_table_number(t, 0, 0), 0x1p64, 0);
    assert_non_null(strstr(heard, "column 'u' has 1 whole number beyond 2^53"));
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

/* ---- decimals --------------------------------------------------------------------------- */

/* Little-endian two's complement of a small magnitude times 2^(32 shift), or of its negative. */
static void put_integer(unsigned char *to, int width, uint64_t magnitude, int shift, bool negative)
{
    unsigned carry = 1;
    memset(to, 0, (size_t)width);
    for (int k = 0; k < 8 && 4 * shift + k < width; k++)
        to[4 * shift + k] = (unsigned char)(magnitude >> (8 * k));
    for (int k = 0; negative && k < width; k++) {
        carry += (unsigned char)~to[k];
        to[k] = (unsigned char)carry;
        carry >>= 8;
    }
}

/* Wanted values are those of the C library's strtod, which rounds correctly. */
static void decimals_are_the_nearest_doubles(void **state)
{
    static const struct {
        uint64_t magnitude;
        int shift;
        bool negative;
        int64_t scale;
        const char *decimal;
    } cases[] = {
        {0, 0, false, 3, "0"},
        {12345, 0, false, 2, "123.45"},
        {12345, 0, true, 2, "-123.45"},
        {7, 0, true, -3, "-7000"},
        {1, 0, false, 30, "1e-30"},
        {2147483647, 0, true, 9, "-2.147483647"},
        {9007199254740993, 0, false, 0, "9007199254740993"},
        {9223372036854775807, 0, true, 22, "-9223372036854775807e-22"},
        {1, 2, false, 5, "184467440737095.51616"},
        {3, 3, true, 37, "-237684487542793012780631851008e-37"},
        {1, 6, false, 60, "6277101735386680763835789423207666416102355444464034512896e-60"},
        {1, 7, true, 0, "-26959946667150639794667015087019630673637144422540572481103610249216"},
    };
    static const int widths[] = {4, 8, 16, 32};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int w = 0; w < 4; w++) {
            unsigned char bytes[32];
            int need = 4 * cases[c].shift + (cases[c].magnitude > INT32_MAX ? 8 : 4);
            if (need > widths[w]) continue;
            put_integer(bytes, widths[w], cases[c].magnitude, cases[c].shift, cases[c].negative);
            check_near(cases[c].decimal, smr_arrow_decimal(bytes, widths[w], cases[c].scale),
                       strtod(cases[c].decimal, NULL), 0);
        }
}

static void decimal_columns_are_read(void **state)
{
    static const char *const formats[] = {"d:9,2,32", "d:18,2,64", "d:38,2", "d:76,2,256"};
    static const int widths[] = {4, 8, 16, 32};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int w = 0; w < 4; w++) {
        unsigned char bytes[3 * 32];
        for (int i = 0; i < 3; i++)
            put_integer(bytes + i * widths[w], widths[w], 1995 + (uint64_t)i, 0, i == 2);
        smr_table *t =
            read_batch(ctx, batch_of(MAKE("price", formats[w], 2, 1, -1, TEXT_BUFFER("\x07"),
                                          (struct buffer){bytes, (size_t)(3 * widths[w])})));
        check_near(formats[w], smr_table_number(t, 0, 0), 19.96, 0);
        check_near(formats[w], smr_table_number(t, 1, 0), -19.97, 0);
        smr_table_free(t);
        assert_true(arrow_done());
    }
    check_ctx_end(ctx);
}

/* ---- dates ------------------------------------------------------------------------------ */

static void check_moments(smr_ctx *ctx, const char *format, struct buffer data, const double *want,
                          bool has_time)
{
    smr_table *t =
        read_batch(ctx, batch_of(MAKE("when", format, 3, 0, 1, TEXT_BUFFER("\x05"), data)));
    assert_int_equal(smr_table_col_kind(t, 0), SMR_DATE);
    assert_int_equal(t->cols[0].has_time, has_time);
    check_near(format, smr_table_number(t, 0, 0), want[0], 0);
    assert_true(isnan(smr_table_number(t, 1, 0)));
    check_near(format, smr_table_number(t, 2, 0), want[1], 0);
    smr_table_free(t);
    assert_true(arrow_done());
}

static void dates_and_timestamps_of_every_unit_are_moments(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double first = (double)smr_days_from_date(1, 1, 1) * 86400;
    double last = (double)smr_days_from_date(9999, 12, 31) * 86400;
    (void)state;
    check_moments(ctx, "tdD", BUFFER(((int32_t[]){-719162, INT32_MAX, 2932896})),
                  (double[]){first, last}, false);
    check_moments(ctx, "tdm", BUFFER(((int64_t[]){-86400000, INT64_MAX, 172800000})),
                  (double[]){-86400, 172800}, false);
    check_moments(ctx, "tdm", BUFFER(((int64_t[]){1500, INT64_MAX, 0})), (double[]){1.5, 0}, true);
    check_moments(ctx, "tss:", BUFFER(((int64_t[]){86400, INT64_MIN, -172800})),
                  (double[]){86400, -172800}, false);
    check_moments(ctx, "tsm:Europe/Berlin", BUFFER(((int64_t[]){1700000000123, 0, -1})),
                  (double[]){1700000000 + 0.123, -1 + 0.999}, true);
    check_moments(ctx, "tsu:UTC", BUFFER(((int64_t[]){1700000000123456, 0, -1500000})),
                  (double[]){1700000000 + 0.123456, -1.5}, true);
    check_moments(ctx, "tsn:+05:30", BUFFER(((int64_t[]){1700000000123456789, 0, INT64_MIN})),
                  (double[]){1700000000 + 0.123456789, -9223372037 + 0.145224192}, true);
    check_ctx_end(ctx);
}

static void dates_outside_the_calendar_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int64_t late[] = {0, 253402300800}, early[] = {0, 0, -62135596801};
    (void)state;
    check_refused(ctx, batch_of(MAKE("when", "tss:", 2, 0, 0, NO_BUFFER, BUFFER(late))),
                  SMR_ERR_DATA, "column 'when', row 2: a date lies in the years 1 to 9999");
    check_refused(ctx, batch_of(MAKE("when", "tss:", 3, 0, 0, NO_BUFFER, BUFFER(early))),
                  SMR_ERR_DATA, "column 'when', row 3: a date lies in the years 1 to 9999");
    check_ctx_end(ctx);
}

/* ---- strings ---------------------------------------------------------------------------- */

static const int32_t TOWN_AT[] = {0, 4, 4, 8, 12, 17};
static const char TOWNS[] = "skiposlobonnlongr";

static void strings_are_sorted_categories(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t wide[6];
    (void)state;
    for (int i = 0; i < 6; i++) wide[i] = TOWN_AT[i];
    for (int large = 0; large < 2; large++) {
        struct buffer at = large ? BUFFER(wide) : BUFFER(TOWN_AT);
        struct made m =
            MAKE("town", large ? "U" : "u", 4, 1, 1, TEXT_BUFFER("\x1b"), at, TEXT_BUFFER(TOWNS));
        smr_table *t = read_batch(ctx, batch_of(m));
        assert_int_equal(smr_table_col_kind(t, 0), SMR_CATEGORY);
        assert_int_equal(smr_table_n_levels(t, 0), 3); /* "", "bonn", "longr" */
        static const char *const want[] = {"", NULL, "bonn", "longr"};
        static const int64_t codes[] = {0, -1, 1, 2};
        for (int i = 0; i < 4; i++) {
            check_text(t, i, 0, want[i]);
            assert_int_equal(smr_table_code(t, i, 0), codes[i]);
        }
        assert_int_equal(t->cols[0].n_missing, 1);
        smr_table_free(t);
        assert_true(arrow_done());
    }
    check_ctx_end(ctx);
}

static void put_view(unsigned char *to, const char *text, int32_t block, int32_t at)
{
    int32_t n = (int32_t)strlen(text);
    memset(to, 0, 16);
    memcpy(to, &n, 4);
    memcpy(to + 4, text, n <= 12 ? (size_t)n : 4);
    if (n <= 12) return;
    memcpy(to + 8, &block, 4);
    memcpy(to + 12, &at, 4);
}

static const char LONG_A[] = "a string of more than twelve bytes", LONG_B[] = "another such string";

/* Five views: short, empty, two long ones in two blocks, twelve bytes. */
static struct made view_column(void)
{
    unsigned char views[5 * 16];
    static const char second[] = "..another such string";
    int64_t bytes[2] = {sizeof LONG_A - 1, sizeof second - 1};
    put_view(views, "short", 0, 0);
    put_view(views + 16, "", 0, 0);
    put_view(views + 32, LONG_A, 0, 0);
    put_view(views + 48, LONG_B, 1, 2);
    put_view(views + 64, "twelve bytes", 0, 0);
    return MAKE("v", "vu", 5, 0, 0, NO_BUFFER, BUFFER(views), TEXT_BUFFER(LONG_A),
                TEXT_BUFFER(second), BUFFER(bytes));
}

static void string_views_are_read(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const want[] = {"short", "", LONG_A, LONG_B, "twelve bytes"};
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(view_column()));
    for (int i = 0; i < 5; i++) check_text(t, i, 0, want[i]);
    assert_int_equal(smr_table_n_levels(t, 0), 5);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void strings_of_numbers_sort_as_numbers(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int32_t at[] = {0, 2, 3, 5};
    (void)state;
    smr_table *t = read_batch(
        ctx, batch_of(MAKE("x", "u", 3, 0, 0, NO_BUFFER, BUFFER(at), TEXT_BUFFER("10920"))));
    static const char *const want[] = {"9", "10", "20"};
    for (int k = 0; k < 3; k++) {
        int64_t n;
        const char *level = smr_table_level(t, 0, k, &n);
        assert_int_equal(n, strlen(want[k]));
        assert_memory_equal(level, want[k], (size_t)n);
    }
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void strings_that_are_not_utf8_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int32_t at[] = {0, 2, 4};
    (void)state;
    check_refused(ctx,
                  batch_of(MAKE("x", "u", 2, 0, 0, NO_BUFFER, BUFFER(at), TEXT_BUFFER("okk\xe9"))),
                  SMR_ERR_DATA, "column 'x' has a text that is not UTF-8");
    check_ctx_end(ctx);
}

/* ---- dictionaries ----------------------------------------------------------------------- */

/* Codes 2 0 - 1 2 of "red", null, "blue", "red" from an offset on. */
static struct made coded(const char *index, const char *strings, int64_t flags)
{
    static const int32_t at[] = {0, 1, 4, 4, 8, 11};
    static const char bytes[] = "?redbluered";
    union {
        uint8_t c[5];
        uint16_t s[5];
        uint32_t i[5];
        uint64_t l[5];
    } code;
    static const uint8_t codes[] = {2, 0, 99, 1, 3};
    size_t width = strchr("cC", *index)   ? 1
                   : strchr("sS", *index) ? 2
                   : strchr("iI", *index) ? 4
                                          : 8;
    int64_t wide[6];
    for (int i = 0; i < 5; i++) {
        if (width == 1) code.c[i] = codes[i];
        if (width == 2) code.s[i] = codes[i];
        if (width == 4) code.i[i] = codes[i];
        if (width == 8) code.l[i] = codes[i];
    }
    for (int i = 0; i < 6; i++) wide[i] = at[i];
    struct made m =
        MAKE("colour", index, 5, 0, -1, TEXT_BUFFER("\x1b"), (struct buffer){&code, 5 * width});
    struct made d;
    if (!strcmp(strings, "vu")) {
        unsigned char views[5 * 16];
        static const char *const list[] = {"?", "red", "", "blue", "red"};
        for (int k = 0; k < 5; k++) put_view(views + 16 * k, list[k], 0, 0);
        d = MAKE("", "vu", 4, 1, 1, TEXT_BUFFER("\x1b"), BUFFER(views), NO_BUFFER);
    } else {
        struct buffer offsets = *strings == 'U' ? BUFFER(wide) : BUFFER(at);
        d = MAKE("", strings, 4, 1, 1, TEXT_BUFFER("\x1b"), offsets, TEXT_BUFFER(bytes));
    }
    give_dictionary(&m, d);
    m.schema.flags |= flags;
    return m;
}

static void dictionaries_with_every_index_and_string_type_are_read(void **state)
{
    static const char *const index[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    static const char *const strings[] = {"u", "U", "vu"};
    static const char *const want[] = {"blue", "red", NULL, NULL, "red"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < 8; k++)
        for (int s = 0; s < 3; s++) {
            smr_table *t = read_batch(ctx, batch_of(coded(index[k], strings[s], 0)));
            assert_int_equal(smr_table_n_levels(t, 0), 2);
            for (int i = 0; i < 5; i++) check_text(t, i, 0, want[i]);
            assert_int_equal(smr_table_code(t, 0, 0), 0);
            assert_int_equal(t->cols[0].n_missing, 2);
            smr_table_free(t);
            assert_true(arrow_done());
        }
    check_ctx_end(ctx);
}

static void the_order_of_an_ordered_dictionary_stays(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(coded("i", "u", ARROW_FLAG_DICTIONARY_ORDERED)));
    assert_int_equal(smr_table_code(t, 0, 0), 1);
    assert_int_equal(smr_table_code(t, 1, 0), 0);
    check_text(t, 0, 0, "blue");
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void indices_outside_the_dictionary_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct made m = coded("c", "u", 0);
    (void)state;
    m.array.null_count = 0; /* the 99 is a value now */
    check_refused(ctx, batch_of(m), SMR_ERR_FORMAT,
                  "column 'colour', row 3: the index 99; its dictionary has 4 strings");
    m = coded("l", "u", 0);
    int64_t *code = ((struct record *)m.array.private_data)->buffer[1];
    code[4] = -1;
    check_refused(ctx, batch_of(m), SMR_ERR_FORMAT, "row 5: the index -1");
    check_ctx_end(ctx);
}

/* ---- views and releases ----------------------------------------------------------------- */

static void numbers_without_nulls_are_not_copied(void **state)
{
    static const size_t viewed[] = {1, 4, 9, 10}; /* C i f g */
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct made m = number_column(viewed[k], 0, NULL);
        const char *buffer = m.array.buffers[1];
        smr_table *t = read_batch(ctx, batch_of(m));
        assert_ptr_equal(t->cols[0].values, buffer + numbers[viewed[k]].width);
        assert_int_equal(arrow_released(), 2); /* the schemas */
        smr_table_free(t);
        assert_true(arrow_done());
    }
    check_ctx_end(ctx);
}

static void a_batch_that_is_not_viewed_is_released_at_once(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(number_column(10, 1, "\x0a")));
    assert_int_equal(arrow_released(), 4);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void numbers_that_are_not_aligned_are_copied(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char bytes[1 + 3 * 8];
    static const double x[] = {0.1, -7.25, 1e300};
    (void)state;
    memcpy(bytes + 1, x, sizeof x);
    struct made m = MAKE("x", "g", 3, 0, 0, NO_BUFFER, BUFFER(bytes));
    m.array.buffers[1] = (const char *)m.array.buffers[1] + 1;
    smr_table *t = read_batch(ctx, batch_of(m));
    assert_true(t->cols[0].owns_values);
    for (int i = 0; i < 3; i++) check_near("x", smr_table_number(t, i, 0), x[i], 0);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void tables_outlive_their_context(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(number_column(10, 0, NULL)));
    smr_ctx_destroy(ctx);
    check_near("value", smr_table_number(t, 0, 0), 0.1, 0);
    smr_table_free(t);
    assert_true(arrow_done());
}

static void batches_without_rows_or_columns_are_tables(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct made m = {make_schema("x", "g"),
                     make_array(0, 0, 0, 2, (struct buffer[]){NO_BUFFER, NO_BUFFER})};
    (void)state;
    smr_table *t = read_batch(ctx, batch_of(m));
    assert_int_equal(smr_table_n_rows(t), 0);
    assert_int_equal(smr_table_n_cols(t), 1);
    smr_table_free(t);
    struct made s = {make_schema("x", "u"),
                     make_array(0, 0, 0, 3, (struct buffer[]){NO_BUFFER, NO_BUFFER, NO_BUFFER})};
    t = read_batch(ctx, batch_of(s));
    assert_int_equal(smr_table_n_levels(t, 0), 0);
    smr_table_free(t);
    t = read_batch(ctx, make_batch(NULL, 0, 7, 0, 0, NO_BUFFER));
    assert_int_equal(smr_table_n_rows(t), 7);
    assert_int_equal(smr_table_n_cols(t), 0);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void columns_without_a_name_are_named_by_position(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct made columns[] = {number_column(0, 0, NULL), number_column(1, 0, NULL)};
    (void)state;
    columns[0].schema.name = "";
    columns[1].schema.name = NULL;
    smr_table *t = read_batch(ctx, make_batch(columns, 2, 3, 0, 0, NO_BUFFER));
    assert_string_equal(smr_table_col_name(t, 0), "0");
    assert_string_equal(smr_table_col_name(t, 1), "1");
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static void every_allocation_of_a_viewed_batch_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    (void)state;
    for (; st != SMR_OK && n < 1000; n++) {
        struct made batch = batch_of(number_column(10, 0, NULL));
        smr_table *t = NULL;
        smr_memory_fail_at(ctx, n);
        st = smr_table_from_arrow(ctx, &batch.schema, &batch.array, &t);
        smr_memory_fail_at(ctx, -1);
        assert_true(!batch.schema.release && !batch.array.release);
        smr_table_free(t);
        assert_true(arrow_done());
    }
    assert_true(n > 5 && st == SMR_OK);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_type_is_read),
        cmocka_unit_test(nulls_of_every_number_type_are_missing),
        cmocka_unit_test(a_null_count_of_zero_overrules_the_bitmap),
        cmocka_unit_test(offsets_and_nulls_add_up_at_both_levels),
        cmocka_unit_test(bits_are_numbers),
        cmocka_unit_test(the_null_type_is_a_column_of_missing_numbers),
        cmocka_unit_test(whole_numbers_beyond_2_53_are_told),
        cmocka_unit_test(decimals_are_the_nearest_doubles),
        cmocka_unit_test(decimal_columns_are_read),
        cmocka_unit_test(dates_and_timestamps_of_every_unit_are_moments),
        cmocka_unit_test(dates_outside_the_calendar_are_refused),
        cmocka_unit_test(strings_are_sorted_categories),
        cmocka_unit_test(string_views_are_read),
        cmocka_unit_test(strings_of_numbers_sort_as_numbers),
        cmocka_unit_test(strings_that_are_not_utf8_are_refused),
        cmocka_unit_test(dictionaries_with_every_index_and_string_type_are_read),
        cmocka_unit_test(the_order_of_an_ordered_dictionary_stays),
        cmocka_unit_test(indices_outside_the_dictionary_are_refused),
        cmocka_unit_test(numbers_without_nulls_are_not_copied),
        cmocka_unit_test(a_batch_that_is_not_viewed_is_released_at_once),
        cmocka_unit_test(numbers_that_are_not_aligned_are_copied),
        cmocka_unit_test(tables_outlive_their_context),
        cmocka_unit_test(batches_without_rows_or_columns_are_tables),
        cmocka_unit_test(columns_without_a_name_are_named_by_position),
        cmocka_unit_test(every_allocation_of_a_viewed_batch_may_fail),
    };
    return cmocka_run_group_tests_name("arrow_read", tests, NULL, NULL);
}
