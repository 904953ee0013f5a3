/* Broken files: each gets one sentence that says where, what, and what to do. */
#include "unit/data/check_csv.h"

#include "core/text.h"

/* Reading fails with FORMAT or DATA and a message that has all the parts; nothing leaks. */
static void refuses(const char *text, int64_t n, const smr_read_opts *opts, smr_status status,
                    const char *part, const char *other)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t;
    smr_status got = read_bytes(ctx, text, n, opts, &usual, &t);
    const char *message = smr_ctx_message(ctx);
    if (got != status || !strstr(message, part) || !strstr(message, other))
        fail_msg("status %d, message '%s'; wanted %d with '%s' and '%s'", (int)got, message,
                 (int)status, part, other);
    assert_null(t);
    check_ctx_end(ctx);
}

static void refuses_text(const char *text, smr_status status, const char *part, const char *other)
{
    refuses(text, (int64_t)strlen(text), &detect, status, part, other);
}

static void csv_reader_rejects_empty_files_and_lone_headers(void **state)
{
    (void)state;
    refuses_text("", SMR_ERR_FORMAT, "t.csv: is empty", "needs rows");
    refuses_text("\n \r\n\n", SMR_ERR_FORMAT, "is empty except for blank lines", "");
    refuses_text("\xef\xbb\xbf", SMR_ERR_FORMAT, "is empty", "");
    refuses_text("name,age\n", SMR_ERR_FORMAT, "t.csv: has a header and no rows", "no header");
    refuses_text("name,age\n\n  \n", SMR_ERR_FORMAT, "has a header and no rows", "");
}

static void csv_reader_rejects_ragged_rows(void **state)
{
    (void)state;
    refuses_text("a,b,c\n1,2,3\n\n4,5\n6,7,8\n", SMR_ERR_FORMAT,
                 "t.csv:4: wanted 3 fields as in the first row, got 2 in '4,5'", "cut off");
    refuses_text("a,b,c\n1,2,3\n4,5,6,7\n", SMR_ERR_FORMAT,
                 "t.csv:3: wanted 3 fields as in the first row, got 4", "quotes");
    refuses_text("a,b\n1,\"x\ny\"\n3\n", SMR_ERR_FORMAT, "t.csv:4: wanted 2 fields", "got 1");
    /* Two short rows make one long one for a reader that only counts separators. */
    refuses_text("a,b,c,d\n1,2\n3,4\n5,6,7,8\n", SMR_ERR_FORMAT, "t.csv:2: wanted 4", "got 2");
}

static void csv_reader_rejects_broken_quotes(void **state)
{
    (void)state;
    refuses_text("a,b\n1,x\n2,\"open\n3,y\n4,z\n", SMR_ERR_FORMAT,
                 "t.csv:3: the quote that opens here is never closed", "twice");
    refuses_text("a,\"b\n1,2\n", SMR_ERR_FORMAT, "t.csv:1: the quote that opens here is not closed",
                 "twice");
    refuses_text("a,b\n1,\"x\" y\n", SMR_ERR_FORMAT, "t.csv:2: text follows the closing quote",
                 "twice");
    refuses_text("a,b\n1,\"x\n\n\"y\n", SMR_ERR_FORMAT, "t.csv:4: text follows", "");
}

static void csv_reader_rejects_nul_bytes(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1,2\n3,\0004\n";
    refuses(text, sizeof text - 1, &detect, SMR_ERR_FORMAT, "t.csv:3: holds a NUL byte", "UTF-16");
    /* Past what the first look covers. */
    smr_text late = {.ctx = check_ctx(2)};
    smr_ctx *ctx = late.ctx;
    smr_text_add(&late, "a,b\n");
    for (int i = 0; i < 300000; i++) smr_text_add(&late, "1,2\n");
    smr_text_add_bytes(&late, "3,\0\n", 4);
    assert_int_equal(smr_text_done(&late), SMR_OK);
    refuses(late.bytes, late.length, &detect, SMR_ERR_FORMAT, "t.csv:300002: holds a NUL byte", "");
    smr_text_release(&late);
    check_ctx_end(ctx);
}

static void csv_reader_names_what_a_binary_file_is(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int64_t n;
        const char *what;
    } cases[] = {
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, "a PNG image"},
        {"\xff\xd8\xff\xe0\0\x10JFIF", 10, "a JPEG image"},
        {"GIF89a\1\0\1\0", 10, "a GIF image"},
        {"%PDF-1.7\n%\xe2\xe3", 11, "a PDF document"},
        {"PK\x03\x04\x14\0\6\0", 8, "Excel workbook"},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, "old Excel"},
        {"\x1f\x8b\b\0\0\0\0\0", 8, "gzip data inside packed data"},
        {"PAR1\x15\x04", 6, "a Parquet file"},
        {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file"},
        {"\x93NUMPY\1\0", 8, "a NumPy array"},
        {"\xff\xfe"
         "a\0,\0b\0",
         8, "UTF-16"},
        {"ab\0\1\2\3", 6, "NUL byte"},
    };
    for (int64_t k = 0; k < SMR_COUNT(cases); k++)
        refuses(cases[k].bytes, cases[k].n, &detect, SMR_ERR_FORMAT, "t.csv", cases[k].what);
}

static void csv_reader_rejects_bad_names(void **state)
{
    (void)state;
    refuses_text("x,y,x\n1,2,3\n", SMR_ERR_FORMAT,
                 "columns 0 and 2 (counted from 0) have the same name 'x'", "rename");
    refuses_text("caf\xe9,y\n1,2\n", SMR_ERR_FORMAT,
                 "t.csv:1: the name of column 0 is not UTF-8 (byte 0xe9 in 'caf?')", "iconv");
    refuses_text("n,w\n1,ok\n\n2,caf\xe9\n", SMR_ERR_FORMAT,
                 "t.csv:4: column 'w' has a text that is not UTF-8 ('caf?')", "iconv");
    smr_column_rule rule = {.name = "x", .kind = SMR_NUMBER};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1, .only_ruled = true};
    static const char text[] = "x,y,x\n1,2,3\n";
    refuses(text, sizeof text - 1, &opts, SMR_ERR_FORMAT, "several columns are named 'x'", "");
    /* A doubled name that no rule asks for does not matter to a model. */
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    rule.name = "y";
    check_ok(ctx, read_text(ctx, text, &opts, &t));
    assert_int_equal(t->n_cols, 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void csv_reader_rejects_text_where_a_number_was_learned(void **state)
{
    (void)state;
    static const char text[] = "x,y\n1,2\n3,n.k.\nfour,5\n";
    smr_column_rule rules[] = {{.name = "x", .kind = SMR_NUMBER},
                               {.name = "y", .kind = SMR_NUMBER}};
    smr_read_opts opts = {.header = -1, .rules = rules, .n_rules = 2};
    refuses(text, sizeof text - 1, &opts, SMR_ERR_DATA,
            "t.csv:3: column 'y' must hold numbers, but here it has 'n.k.'", "--missing 'n.k.'");
    rules[1].kind = SMR_DATE;
    refuses(text, sizeof text - 1, &opts, SMR_ERR_DATA,
            "t.csv:2: column 'y' must hold dates, but here it has '2'", "");
}

static char *numbers_with(int n_rows, const char *const *strays, int n_strays)
{
    char *text = malloc((size_t)n_rows * 64), *at = text;
    at += sprintf(at, "id,v\n");
    for (int i = 0; i < n_rows; i++)
        at += i % 50 == 7 && i / 50 < n_strays ? sprintf(at, "%d,%s\n", i, strays[i / 50])
                                               : sprintf(at, "%d,%d.5\n", i, i * 37 % 1009);
    return text;
}

static void strays_among_numbers_are_listed(void **state)
{
    (void)state;
    static const char *const strays[] = {"n.k.", "unbekannt", "n.k.", "12,5%\"\"",
                                         "n.k.", "e",         "f",    "g"};
    char *text = numbers_with(900, strays, 3);
    refuses_text(text, SMR_ERR_DATA,
                 "t.csv: column 'v' holds numbers, but 3 of 900 fields are something else: 'n.k.' "
                 "(line 9, 2 times), 'unbekannt' (line 59); if they stand for missing values add "
                 "--missing 'n.k.', if the column is a category add --type v=category",
                 "");
    /* The advice works. */
    smr_ctx *ctx = check_ctx(2);
    smr_table *t;
    smr_read_opts opts = {.header = -1, .missing = "n.k.,unbekannt"};
    check_ok(ctx, read_text(ctx, text, &opts, &t));
    assert_int_equal(t->cols[1].n_missing, 3);
    smr_table_free(t);
    smr_column_rule rule = {.name = "v", .kind = SMR_CATEGORY};
    opts = (smr_read_opts){.header = -1, .rules = &rule, .n_rules = 1};
    check_ok(ctx, read_text(ctx, text, &opts, &t));
    check_cell(t, 1, 57, "unbekannt");
    smr_table_free(t);
    free(text);

    /* One in 90 is more than one percent: a category. */
    text = numbers_with(90, strays, 1);
    t = table_of(ctx, text);
    assert_int_equal(t->cols[1].kind, SMR_CATEGORY);
    smr_table_free(t);
    free(text);
    check_ctx_end(ctx);
    /* A header that was not taken for one. */
    text = numbers_with(200, strays, 0);
    memcpy(text, "1,vv\n", 5);
    refuses_text(text, SMR_ERR_DATA, "1 of 201 fields is something else: 'vv' (line 1)",
                 "is the first row a header?");
    free(text);
}

static void lines_past_the_limit_are_refused(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    smr_csv_limits limits = {.piece = 64 << 10, .line_max = 1 << 20, .tier = -1};
    smr_ctx *ctx = check_ctx(2);
    char *text = malloc(LONG + 64);
    smr_table *t;
    int64_t peak, before;
    memset(text, '7', LONG + 64);
    memcpy(text, "a,b\n1,2\n", 8);
    memcpy(text + LONG, "\n3,4\n", 5);
    check_fails(ctx, read_bytes(ctx, text, LONG + 5, &detect, &limits, &t), SMR_ERR_FORMAT,
                "t.csv:3: the line is longer than 1 MiB");
    memcpy(text + 8, "3,\"", 3);
    check_fails(ctx, read_bytes(ctx, text, LONG + 5, &detect, &limits, &t), SMR_ERR_FORMAT,
                "t.csv:3: the quote that opens here is not closed within 1 MiB");
    /* The first line, before anything is known; memory stays bounded by the limit. */
    memset(text, '7', LONG);
    check_fails(ctx, read_bytes(ctx, text, LONG + 5, &detect, &limits, &t), SMR_ERR_FORMAT,
                "t.csv:1: the line is longer than 1048576 bytes");
    before = smr_ctx_memory(ctx, &peak);
    assert_true(peak - before < 4 * limits.line_max);
    free(text);
    check_ctx_end(ctx);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    smr_read_opts opts = {.header = -1, .delimiter = '"'};
    refuses("a,b\n1,2\n", 8, &opts, SMR_ERR_PARAM, "cannot be the delimiter", "");
    int64_t start[] = {0, 1, 2};
    char bytes[] = "aa";
    smr_strings levels = {.n = 2, .start = start, .bytes = bytes};
    smr_column_rule rule = {.name = "a", .kind = SMR_CATEGORY, .levels = &levels};
    opts = (smr_read_opts){.header = -1, .rules = &rule, .n_rules = 1};
    refuses("a,b\n1,2\n", 8, &opts, SMR_ERR_PARAM, "the level 'a' of column 'a' is given twice",
            "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_reader_rejects_empty_files_and_lone_headers),
        cmocka_unit_test(csv_reader_rejects_ragged_rows),
        cmocka_unit_test(csv_reader_rejects_broken_quotes),
        cmocka_unit_test(csv_reader_rejects_nul_bytes),
        cmocka_unit_test(csv_reader_names_what_a_binary_file_is),
        cmocka_unit_test(csv_reader_rejects_bad_names),
        cmocka_unit_test(csv_reader_rejects_text_where_a_number_was_learned),
        cmocka_unit_test(strays_among_numbers_are_listed),
        cmocka_unit_test(lines_past_the_limit_are_refused),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
