/* Pieces put together are the table that the whole file gives, however the stream is cut; bad rows
 * are reported with their line after the rows before them, or left out. */
#include "check.h"

#include "core/rng.h"
#include "core/text.h"
#include "data/pieces.h"

enum { ROWS = 400 };

static uint64_t seed_now;

static int64_t draw(uint64_t a, uint64_t b, int64_t n)
{
    return smr_random_below(seed_now, SMR_STREAM_TEST, a, b, n);
}

static const char *const words[] = {
    "red", "\"gr\"\"een\"", "\"bl,ue\"", "\"two\nlines\"", "", "NA", "x y", "\xc3\xa9t\xc3\xa9"};

/* A number, a category with quotes, a whole number, a date. */
static void write_row(smr_text *out, int64_t i, char delimiter)
{
    uint64_t at = (uint64_t)i;
    smr_text_number(out, (double)(draw(1, at, 2000001) - 1000000) / 997.0);
    const char *word = words[i < 8 ? i : draw(2, at, 8)];
    smr_text_printf(out, "%c%s%c", delimiter, delimiter == ',' ? word : "w", delimiter);
    if (draw(3, at, 9) > 0) smr_text_printf(out, "%lld", (long long)draw(4, at, 50));
    smr_text_printf(out, "%c2020-%02lld-%02lld", delimiter, (long long)draw(5, at, 12) + 1,
                    (long long)draw(6, at, 28) + 1);
}

static smr_text make_file(smr_ctx *ctx, const char *newline, bool header, bool last_newline,
                          char delimiter)
{
    smr_text text = {.ctx = ctx};
    if (header) smr_text_printf(&text, "a%cb%cc%cd%s", delimiter, delimiter, delimiter, newline);
    for (int64_t i = 0; i < ROWS; i++) {
        write_row(&text, i, delimiter);
        if (i + 1 < ROWS || last_newline) smr_text_add(&text, newline);
        if (draw(7, (uint64_t)i, 29) == 0) smr_text_add(&text, newline);
    }
    assert_int_equal(smr_text_done(&text), SMR_OK);
    return text;
}

static void same_value(const smr_column *a, int64_t i, const smr_column *b, int64_t k)
{
    assert_int_equal(a->kind, b->kind);
    assert_string_equal(a->name, b->name);
    if (a->kind == SMR_NUMBER || a->kind == SMR_DATE) {
        double x = smr_column_number(a, i), y = smr_column_number(b, k);
        assert_true(x == y || (isnan(x) && isnan(y)));
        return;
    }
    int32_t ca = smr_column_code(a, i), cb = smr_column_code(b, k);
    assert_int_equal(ca < 0, cb < 0);
    if (ca < 0) return;
    int64_t n, m;
    const char *s = smr_strings_get(&a->levels, ca, &n), *t = smr_strings_get(&b->levels, cb, &m);
    assert_int_equal(n, m);
    assert_memory_equal(s, t, (size_t)n);
}

static int64_t done; /* calls of the work beside */

static smr_status work(smr_ctx *ctx, void *arg)
{
    (void)ctx, (void)arg;
    done++;
    return SMR_OK;
}

/* Reads all pieces and compares them with rows [0, ..) of `whole`; returns how many rows came. */
static int64_t compare(smr_ctx *ctx, smr_pieces *p, const smr_table *whole)
{
    int64_t row = 0, calls = 0;
    done = 0;
    for (;;) {
        smr_table *t = NULL;
        check_ok(ctx, smr_pieces_next(ctx, p, work, NULL, &t));
        calls++;
        assert_int_equal(done, calls);
        if (!t) return row;
        assert_int_equal(t->n_cols, whole->n_cols);
        assert_true(row + t->n_rows <= whole->n_rows);
        for (int64_t i = 0; i < t->n_rows; i++)
            for (int64_t j = 0; j < t->n_cols; j++)
                same_value(&t->cols[j], i, &whole->cols[j], row + i);
        row += t->n_rows;
        smr_table_free(t);
    }
}

static smr_table *read_whole(smr_ctx *ctx, const char *bytes, int64_t n)
{
    smr_source *s = NULL;
    smr_table *t = NULL;
    check_ok(ctx, smr_source_memory(ctx, "whole", bytes, n, &s));
    check_ok(ctx, smr_csv_read(ctx, s, NULL, &t));
    smr_source_close(s);
    return t;
}

static smr_pieces *open_text(smr_ctx *ctx, const char *bytes, int64_t n, int64_t step,
                             const smr_pieces_opts *opts)
{
    smr_feed *feed = NULL;
    smr_pieces *p = NULL;
    check_ok(ctx, smr_feed_memory(ctx, "text", bytes, n, step, &feed));
    check_ok(ctx, smr_pieces_of(ctx, feed, NULL, opts, &p));
    return p;
}

static void pieces_put_together_are_the_whole_file(void **state)
{
    static const char *const newlines[] = {"\n", "\r\n", "\r"};
    static const char delimiters[] = {',', '\t', ';'};
    (void)state;
    for (seed_now = 1; seed_now < 40; seed_now++) {
        smr_ctx *ctx = check_ctx(1 + (int)(seed_now % 3));
        int64_t ends = draw(10, 0, 3); /* a quoted LF would make LF the newline of a CR file */
        char delimiter = ends == 2 ? '\t' : delimiters[draw(13, 0, 3)];
        smr_text file = make_file(ctx, newlines[ends], draw(11, 0, 2), draw(12, 0, 2), delimiter);
        smr_table *whole = read_whole(ctx, file.bytes, file.length);
        smr_csv_limits limits = {.piece = 100 + draw(15, 0, 300), .line_max = 1 << 20, .tier = -1};
        smr_pieces_opts opts = {.read.header = -1,
                                .warm_rows = 20 + draw(16, 0, 30),
                                .piece_bytes = 70 + draw(17, 0, 3000),
                                .limits = &limits};
        smr_pieces *p = open_text(ctx, file.bytes, file.length, 1 + draw(18, 0, 500), &opts);
        assert_int_equal(compare(ctx, p, whole), ROWS);
        smr_pieces_close(p);
        smr_table_free(whole);
        smr_text_release(&file);
        check_ctx_end(ctx);
    }
}

/* ---- bad rows ----------------------------------------------------------------------------- */

static smr_text file_with(smr_ctx *ctx, const char *bad, int64_t before, int64_t behind)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "x,y,name\n");
    for (int64_t i = 0; i < before + behind; i++) {
        if (i == before) smr_text_add(&text, bad);
        smr_text_printf(&text, "%lld,0.5,w\n", (long long)i);
    }
    assert_int_equal(smr_text_done(&text), SMR_OK);
    return text;
}

static const struct bad {
    const char *row, *message;
    int64_t skipped;
} bads[] = {
    {"1,2\n", "text:54: wanted 3 fields as in the first row, got 2", 1},
    {"1,2,3,4\n", "text:54: wanted 3 fields as in the first row, got 4", 1},
    {"1,oops,w\n", "text:54: column 'y' must hold numbers, but here it has 'oops'", 1},
    {"x,y,name\n", "text:54: the header occurs again", 1},
    {"name,age,x\n", "text:54: another header comes here ('name,age,x')", 1},
    {"1,2,\"w\"x\n", "text:54: text follows the closing quote", 1},
    {"1,2,\xff\xfe\n", "text:54: column 'name' has a text that is not UTF-8", 1},
};

static void a_bad_row_is_told_after_the_rows_before_it(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(bads); k++)
        for (int64_t piece = 60; piece < 3000; piece = piece * 3 + 1) {
            smr_ctx *ctx = check_ctx(2);
            smr_text file = file_with(ctx, bads[k].row, 52, 31);
            smr_pieces_opts opts = {.read.header = -1, .warm_rows = 9, .piece_bytes = piece};
            smr_pieces *p = open_text(ctx, file.bytes, file.length, 0, &opts);
            int64_t rows = 0;
            smr_status st = SMR_OK;
            for (smr_table *t = NULL; st == SMR_OK;) {
                st = smr_pieces_next(ctx, p, NULL, NULL, &t);
                if (st == SMR_OK && !t) break;
                if (t) rows += t->n_rows;
                smr_table_free(t);
                t = NULL;
            }
            assert_int_equal(rows, 52);
            check_fails(ctx, st, st == SMR_ERR_DATA ? SMR_ERR_DATA : SMR_ERR_FORMAT,
                        bads[k].message);
            smr_pieces_close(p);
            smr_text_release(&file);
            check_ctx_end(ctx);
        }
}

static void bad_rows_can_be_left_out_and_are_counted(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(bads); k++) {
        smr_ctx *ctx = check_ctx(2);
        smr_text file = file_with(ctx, bads[k].row, 52, 31), good = file_with(ctx, "", 52, 31);
        smr_table *whole = read_whole(ctx, good.bytes, good.length);
        smr_pieces_opts opts = {
            .read.header = -1, .warm_rows = 9, .piece_bytes = 333, .skip_bad = true};
        smr_pieces *p = open_text(ctx, file.bytes, file.length, 0, &opts);
        int64_t line;
        assert_int_equal(compare(ctx, p, whole), 83);
        assert_int_equal(smr_pieces_skipped(p, &line), bads[k].skipped);
        assert_int_equal(line, 54);
        smr_pieces_close(p);
        smr_table_free(whole);
        smr_text_release(&file);
        smr_text_release(&good);
        check_ctx_end(ctx);
    }
}

static void ragged_rows_of_the_warm_up_can_be_left_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text file = file_with(ctx, "1,2\n", 4, 60);
    smr_text_add(&file, "7\n");
    smr_pieces_opts opts = {
        .read.header = -1, .warm_rows = 20, .piece_bytes = 99, .skip_bad = true};
    smr_pieces *p = open_text(ctx, file.bytes, file.length, 7, &opts);
    smr_text good = file_with(ctx, "", 4, 60);
    smr_table *whole = read_whole(ctx, good.bytes, good.length);
    int64_t line;
    (void)state;
    assert_int_equal(compare(ctx, p, whole), 64);
    assert_int_equal(smr_pieces_skipped(p, &line), 2);
    assert_int_equal(line, 6);
    smr_pieces_close(p);
    smr_table_free(whole);
    smr_text_release(&file);
    smr_text_release(&good);
    check_ctx_end(ctx);
}

static void nothing_and_a_header_alone_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "empty"}, {"a,b\n", "no rows of data"}, {"\n\n", "blank lines"}};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_feed *feed = NULL;
        smr_pieces *p = NULL;
        smr_pieces_opts opts = {.read.header = k == 1 ? 1 : -1};
        check_ok(ctx, smr_feed_memory(ctx, "text", cases[k].text, (int64_t)strlen(cases[k].text), 0,
                                      &feed));
        check_fails(ctx, smr_pieces_of(ctx, feed, NULL, &opts, &p), SMR_ERR_FORMAT,
                    cases[k].message);
    }
    check_ctx_end(ctx);
}

static void libsvm_comes_in_pieces_too(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_text text = {.ctx = ctx};
    (void)state;
    for (int64_t i = 0; i < 300; i++)
        smr_text_printf(&text, "%lld %lld:0.5 %lld:2\n", (long long)(i % 2), (long long)(1 + i % 7),
                        (long long)(9 + i % 3));
    smr_text_add(&text, "1 nonsense\n");
    smr_pieces_opts opts = {
        .read = {.format = SMR_FORMAT_LIBSVM, .header = -1}, .warm_rows = 20, .piece_bytes = 150};
    smr_pieces *p = open_text(ctx, text.bytes, text.length, 0, &opts);
    int64_t row = 0;
    smr_status st = SMR_OK;
    for (smr_table *t = NULL; st == SMR_OK;) {
        st = smr_pieces_next(ctx, p, NULL, NULL, &t);
        for (int64_t i = 0; t && i < t->n_rows; i++, row++) {
            assert_int_equal(t->sparse.n_cols, 11);
            assert_true(smr_column_number(&t->cols[0], i) == (double)(row % 2));
            assert_int_equal(t->sparse.column[t->sparse.start[i]], row % 7);
            assert_true(t->sparse.value[t->sparse.start[i] + 1] == 2);
        }
        smr_table_free(t);
        t = NULL;
    }
    assert_int_equal(row, 300);
    check_fails(ctx, st, SMR_ERR_FORMAT, "text:301");
    smr_pieces_close(p);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_text file = file_with(ctx, "1,2\n", 22, 31);
        smr_feed *feed = NULL;
        smr_pieces *p = NULL;
        smr_pieces_opts opts = {
            .read.header = -1, .warm_rows = 9, .piece_bytes = 99, .skip_bad = true};
        check_ok(ctx, smr_feed_memory(ctx, "text", file.bytes, file.length, 0, &feed));
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_pieces_of(ctx, feed, NULL, &opts, &p);
        smr_table *t = NULL;
        do {
            smr_table_free(t);
            t = NULL;
            if (st == SMR_OK) st = smr_pieces_next(ctx, p, NULL, NULL, &t);
        } while (st == SMR_OK && t);
        smr_memory_fail_at(ctx, -1);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_pieces_close(p);
        smr_text_release(&file);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_put_together_are_the_whole_file),
        cmocka_unit_test(a_bad_row_is_told_after_the_rows_before_it),
        cmocka_unit_test(bad_rows_can_be_left_out_and_are_counted),
        cmocka_unit_test(ragged_rows_of_the_warm_up_can_be_left_out),
        cmocka_unit_test(nothing_and_a_header_alone_are_refused),
        cmocka_unit_test(libsvm_comes_in_pieces_too),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
