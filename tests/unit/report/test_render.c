/* test_render.c -- JSON as people read it: the text, byte by byte. */
#include "pipeline.h"

#include "report/render.h"

/* The value of a JSON text; freed with the document. */
static smr_json_doc *parse(smr_ctx *ctx, const char *text)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    return doc;
}

typedef void (*render_fn)(const smr_json *value, smr_text *out);

static void check_on_screen(render_fn render, const char *json, int64_t width, bool styled,
                            const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = parse(ctx, json);
    smr_text text = {.ctx = ctx, .width = width, .styled = styled};
    render(smr_json_root(doc), &text);
    check_ok(ctx, smr_text_done(&text));
    const char *got = text.bytes ? text.bytes : "";
    if (strcmp(got, wanted) != 0) fail_msg("%s gave\n%s\nwanted\n%s", json, got, wanted);
    smr_text_release(&text);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void check_rendered(render_fn render, const char *json, const char *wanted)
{
    check_on_screen(render, json, 0, false, wanted);
}

static void as_pairs(const smr_json *value, smr_text *out)
{
    smr_render_pairs(value, 2, out);
}
static void as_table(const smr_json *value, smr_text *out)
{
    smr_render_table(value, 0, 0, out);
}
static void as_short_table(const smr_json *value, smr_text *out)
{
    smr_render_table(value, 3, 2, out);
}
static void as_matrix(const smr_json *value, smr_text *out)
{
    smr_render_matrix(smr_json_get(value, "m"), smr_json_get(value, "n"), 2, out);
}

static void values_are_short_and_plain(void **state)
{
    (void)state;
    check_rendered(smr_render_value, "null", "-");
    check_rendered(smr_render_value, "true", "yes");
    check_rendered(smr_render_value, "false", "no");
    check_rendered(smr_render_value, "0.123456789", "0.123457");
    check_rendered(smr_render_value, "123456789.25", "1.23457e8");
    check_rendered(smr_render_value, "-4756571591.56", "-4.75657e9");
    check_rendered(smr_render_value, "10000000.5", "1e7");
    check_rendered(smr_render_value, "9999994.5", "9999990");
    check_rendered(smr_render_value, "9999999.5", "1e7");
    check_rendered(smr_render_value, "123456789", "123456789"); /* whole numbers keep all digits */
    check_rendered(smr_render_value, "-2", "-2");
    check_rendered(smr_render_value, "1e-9", "1e-9");
    check_rendered(smr_render_value, "1e300", "1e300");
    check_rendered(smr_render_value, "\"a \\u00e9\"", "a \xc3\xa9");
    check_rendered(smr_render_value, "[1, \"x\", null]", "1, x, -");
    check_rendered(smr_render_value, "[]", "");
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_render_value(NULL, &text);
    assert_string_equal(text.bytes, "-");
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void pairs_stand_in_two_columns(void **state)
{
    (void)state;
    check_rendered(
        as_pairs,
        "{\"a\": 1, \"longer\": \"x\", \"list\": [1], \"o\": {}, \"n\": null, \"t\": true}",
        "  a       1\n"
        "  longer  x\n"
        "  t       yes\n");
    check_rendered(as_pairs, "{\"\\u00e9\\u00e9\": 1, \"abc\": 2}", /* two columns, four bytes */
                   "  \xc3\xa9\xc3\xa9   1\n"
                   "  abc  2\n");
    check_rendered(as_pairs, "{}", "");
    check_rendered(as_pairs, "{\"a\": [1]}", "");
}

static void tables_align_numbers_right_and_words_left(void **state)
{
    (void)state;
    check_rendered(as_table,
                   "[{\"name\": \"x\", \"value\": 1.5, \"ok\": true, \"note\": \"long one\"},"
                   " {\"name\": \"second\", \"value\": 1234, \"ok\": false, \"note\": \"s\"}]",
                   "name    value   ok  note\n"
                   "x         1.5  yes  long one\n"
                   "second   1234   no  s\n");
    check_rendered(as_table, "[{\"n\": 1}, {\"n\": null}, {}]", "n\n1\n-\n-\n");
    check_rendered(as_table, "[{\"l\": [1, 2]}, {\"l\": [3]}]", "l\n1, 2\n3\n");
    check_rendered(as_table, "[]", "");
    check_rendered(as_table, "[{\"a\": 1, \"b\": {\"c\": 2}}]", "a\n1\n"); /* no nested objects */
}

static void later_rows_may_add_columns(void **state)
{
    (void)state;
    check_rendered(as_table, "[{\"a\": 1}, {\"b\": \"x\", \"a\": 2}]",
                   "a  b\n"
                   "1  -\n"
                   "2  x\n");
}

static void long_tables_end_with_what_is_left(void **state)
{
    (void)state;
    check_rendered(as_short_table,
                   "[{\"k\": 1}, {\"k\": 22}, {\"k\": 333}, {\"k\": 4444}, {\"k\": 5}]",
                   "    k\n"
                   "    1\n"
                   "   22\n"
                   "   ... and 3 more\n");
    check_rendered(as_short_table, "[{\"k\": 1}, {\"k\": 2}]", "   k\n   1\n   2\n");
}

static void wide_cells_are_cut(void **state)
{
    (void)state;
    check_rendered(as_table, "[{\"s\": \"0123456789012345678901234567890123456789\"}]",
                   "s\n0123456789012345678901234567890123456789\n");
    check_rendered(as_table, "[{\"s\": \"01234567890123456789012345678901234567890\", \"n\": 1}]",
                   "s                                         n\n"
                   "012345678901234567890123456789012345678~  1\n");
    /* Forty-one letters of two bytes: cut between letters, not inside one. */
    char json[256] = "[{\"s\": \"", wanted[256] = "s\n";
    for (int i = 0; i < 41; i++) strcat(json, "\xc3\xa9");
    for (int i = 0; i < 39; i++) strcat(wanted, "\xc3\xa9");
    strcat(json, "\"}]");
    strcat(wanted, "~\n");
    check_rendered(as_table, json, wanted);
}

static void matrices_have_names_on_both_sides(void **state)
{
    (void)state;
    check_rendered(as_matrix, "{\"m\": [[10, 0], [1, 12345]], \"n\": [\"no\", \"perhaps\"]}",
                   "                no  perhaps\n"
                   "  no            10        0\n"
                   "  perhaps        1    12345\n");
    check_rendered(as_matrix, "{\"n\": [\"a\"]}", "");
    check_rendered(as_matrix, "{\"m\": [[1]]}", "");
}

static void narrow_screens_cut_texts(void **state)
{
    static const char json[] = "[{\"name\": \"a rather long description\", \"n\": 1},"
                               " {\"name\": \"short\", \"n\": 22}]";
    (void)state;
    check_on_screen(as_table, json, 20, false,
                    "name               n\n"
                    "a rather long d~   1\n"
                    "short             22\n");
    check_on_screen(as_table, json, 29, false,
                    "name                        n\n"
                    "a rather long description   1\n"
                    "short                      22\n");
}

/* What is too wide for a cut is shown in parts, in which no text is cut. */
static void narrower_screens_show_tables_in_parts(void **state)
{
    static const char json[] =
        "[{\"name\": \"one long name\", \"first\": 1.5, \"second\": 2.25, \"third\": 10}]";
    (void)state;
    check_on_screen(as_table, json, 28, false,
                    "name           first  second\n"
                    "one long name    1.5    2.25\n"
                    "\n"
                    "name           third\n"
                    "one long name     10\n");
    check_on_screen(as_table, json, 5, false, /* one at a time, if need be */
                    "name           first\n"
                    "one long name    1.5\n"
                    "\n"
                    "name           second\n"
                    "one long name    2.25\n"
                    "\n"
                    "name           third\n"
                    "one long name     10\n");
    check_on_screen(as_matrix,
                    "{\"m\": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],"
                    " \"n\": [\"a\", \"b\", \"c\"]}",
                    9, false,
                    "     a  b\n"
                    "  a  1  2\n"
                    "  b  4  5\n"
                    "  c  7  8\n"
                    "\n"
                    "     c\n"
                    "  a  3\n"
                    "  b  6\n"
                    "  c  9\n");
}

static void heads_are_bold_where_that_can_be_shown(void **state)
{
    (void)state;
    check_on_screen(as_table, "[{\"a\": 1, \"b\": 2}]", 80, true, "\033[1ma  b\033[0m\n1  2\n");
}

static void width_counts_letters(void **state)
{
    (void)state;
    assert_int_equal(smr_text_width("", 0), 0);
    assert_int_equal(smr_text_width("abc", 3), 3);
    assert_int_equal(smr_text_width("\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\x81", 9), 3);
}

struct rendering {
    const smr_json *rows, *matrix;
};

static smr_status render_all(smr_ctx *ctx, void *arg)
{
    struct rendering *r = arg;
    smr_text text = {.ctx = ctx};
    smr_render_table(r->rows, 2, 0, &text);
    smr_render_pairs(r->rows->first, 2, &text);
    smr_render_matrix(smr_json_get(r->matrix, "m"), smr_json_get(r->matrix, "n"), 2, &text);
    smr_status st = smr_text_done(&text);
    smr_text_release(&text);
    return st;
}

static void failing_allocations_are_remembered(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *rows =
        parse(ctx, "[{\"name\": \"a long cell that has to grow, and grows\", \"v\": 1},"
                   "{\"name\": \"another one, which is even longer than that: it takes "
                   "more than sixty-four bytes\", \"v\": 2}]");
    smr_json_doc *matrix = parse(ctx, "{\"m\": [[1, 2], [3, 4]], \"n\": [\"a\", \"b\"]}");
    struct rendering r = {smr_json_root(rows), smr_json_root(matrix)};
    (void)state;
    assert_true(fail_each_allocation(ctx, render_all, &r) > 3);
    smr_json_free(rows);
    smr_json_free(matrix);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_short_and_plain),
        cmocka_unit_test(pairs_stand_in_two_columns),
        cmocka_unit_test(tables_align_numbers_right_and_words_left),
        cmocka_unit_test(later_rows_may_add_columns),
        cmocka_unit_test(long_tables_end_with_what_is_left),
        cmocka_unit_test(wide_cells_are_cut),
        cmocka_unit_test(matrices_have_names_on_both_sides),
        cmocka_unit_test(narrow_screens_cut_texts),
        cmocka_unit_test(narrower_screens_show_tables_in_parts),
        cmocka_unit_test(heads_are_bold_where_that_can_be_shown),
        cmocka_unit_test(width_counts_letters),
        cmocka_unit_test(failing_allocations_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
