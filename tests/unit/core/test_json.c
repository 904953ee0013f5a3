/* JSON: what is read, what is refused and with which words, what is written. */
#include "check.h"

#include "core/json.h"

static smr_json_doc *parse(smr_ctx *ctx, const char *text)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    return doc;
}

/* The text, read and written again, is `want`. */
static void check_rewrite(smr_ctx *ctx, const char *text, int indent, const char *want)
{
    smr_json_doc *doc = parse(ctx, text);
    smr_text out = {.ctx = ctx};
    smr_json_write(smr_json_root(doc), indent, &out);
    check_ok(ctx, smr_text_done(&out));
    assert_string_equal(out.bytes, want);
    smr_text_release(&out);
    smr_json_free(doc);
}

/* ---- reading ---------------------------------------------------------------------------- */

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = parse(ctx, " {\"a\" : [1, -2.5e-3 ,\"x\", true,false,null , {} ,[]],\n"
                                   "\t\"b\":\"\\u00e9\\n\\\"\\/\\ud83d\\ude00\",\r\"\":0 } ");
    const smr_json *root = smr_json_root(doc), *a = smr_json_get(root, "a");
    assert_int_equal(root->type, SMR_JSON_OBJECT);
    assert_int_equal(root->n, 3);
    assert_int_equal(a->n, 8);
    const smr_json *v = a->first;
    assert_true(v->type == SMR_JSON_NUMBER && v->number == 1 && !v->key);
    v = v->next;
    assert_true(v->number == -2.5e-3);
    v = v->next;
    assert_string_equal(v->string, "x");
    v = v->next;
    assert_true(v->type == SMR_JSON_BOOL && v->number == 1);
    v = v->next;
    assert_true(v->type == SMR_JSON_BOOL && v->number == 0);
    assert_int_equal(v->next->type, SMR_JSON_NULL);
    assert_true(a->last->type == SMR_JSON_ARRAY && a->last->n == 0);
    assert_string_equal(smr_json_get_string(root, "b", "none"), "\xC3\xA9\n\"/\xF0\x9F\x98\x80");
    assert_true(smr_json_get_number(root, "", 5) == 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void lookups_fall_back_when_absent_or_of_another_type(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = parse(ctx, "{\"n\":3,\"s\":\"t\",\"b\":true,\"z\":null}");
    const smr_json *root = smr_json_root(doc);
    assert_true(smr_json_get_number(root, "n", 7) == 3);
    assert_true(smr_json_get_number(root, "s", 7) == 7);
    assert_true(smr_json_get_number(root, "b", 7) == 7);
    assert_true(smr_json_get_number(NULL, "n", 7) == 7);
    assert_string_equal(smr_json_get_string(root, "s", "f"), "t");
    assert_string_equal(smr_json_get_string(root, "n", "f"), "f");
    assert_true(smr_json_get_bool(root, "b", false));
    assert_true(smr_json_get_bool(root, "n", true));
    assert_null(smr_json_get(root, "absent"));
    assert_null(smr_json_get(smr_json_get(root, "n"), "x"));
    smr_json_free(doc);
    smr_json_free(NULL);
    check_ctx_end(ctx);
}

static void strings_may_hold_nul_and_tell_their_length(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = parse(ctx, "\"a\\u0000b\"");
    assert_int_equal(smr_json_root(doc)->n, 3);
    assert_memory_equal(smr_json_root(doc)->string, "a\0b", 4);
    smr_json_free(doc);
    check_rewrite(ctx, "\"a\\u0000b\"", 0, "\"a\\u0000b\"");
    check_ctx_end(ctx);
}

static void what_is_not_json_is_refused_with_place_and_reason(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const struct {
        const char *text, *reason;
    } row[] = {
        {"", "byte 0 of the JSON text: expected a value, but it ends here"},
        {"  ", "byte 2 of the JSON text: expected a value, but it ends here"},
        {"{", "byte 1 of the JSON text: expected a string, but it ends here"},
        {"[1,]", "byte 3 of the JSON text: expected a value, found ']'"},
        {"{\"a\":1,}", "byte 7 of the JSON text: expected a string, found '}'"},
        {"{\"a\" 1}", "byte 5 of the JSON text: expected ':' after a key, found '1'"},
        {"{a:1}", "byte 1 of the JSON text: expected a string, found 'a'"},
        {"{'a':1}", "expected a string, found '''"},
        {"[1 2]", "byte 3 of the JSON text: expected ',' or ']', found '2'"},
        {"{\"a\":1 \"b\":2}", "expected ',' or '}', found '\"'"},
        {"[1}", "expected ',' or ']', found '}'"},
        {"1 2", "byte 2 of the JSON text: expected the end after the value, found '2'"},
        {"{}x", "expected the end after the value, found 'x'"},
        {"tru", "byte 3 of the JSON text: expected true, false or null, but it ends here"},
        {"nul1", "byte 3 of the JSON text: expected true, false or null, found '1'"},
        {"True", "expected a value, found 'T'"},
        {"nan", "byte 1 of the JSON text: expected true, false or null, found 'a'"},
        {"inf", "expected a value, found 'i'"},
        {"-", "byte 1 of the JSON text: expected a digit, but it ends here"},
        {"-inf", "expected a digit, found 'i'"},
        {"+1", "expected a value, found '+'"},
        {"01", "byte 0 of the JSON text: a number must not begin with 0"},
        {"-00", "a number must not begin with 0"},
        {".5", "expected a value, found '.'"},
        {"1.", "expected a digit after the point, but it ends here"},
        {"1.e5", "expected a digit after the point, found 'e'"},
        {"1e", "expected a digit of the exponent"},
        {"1e+", "expected a digit of the exponent"},
        {"0x10", "expected the end after the value, found 'x'"},
        {"1e309", "byte 0 of the JSON text: a number is too large for a double"},
        {"[-1e999999999]", "byte 1 of the JSON text: a number is too large for a double"},
        {"\"a", "byte 2 of the JSON text: expected the closing quote of a string, but it ends"},
        {"\"a\\", "expected one of \"\\/bfnrtu after the backslash, but it ends here"},
        {"\"\\x\"", "byte 2 of the JSON text: expected one of \"\\/bfnrtu after the backslash"},
        {"\"\\u12\"", "expected four hexadecimal digits after \\u, found '\"'"},
        {"\"\\u12G4\"", "expected four hexadecimal digits after \\u, found 'G'"},
        {"\"\\ud800\"", "byte 1 of the JSON text: a high surrogate without its low one"},
        {"\"\\ud800\\n\"", "a high surrogate without its low one"},
        {"\"\\ud800\\u0041\"", "a high surrogate without its low one"},
        {"\"x\\udc00\"", "byte 2 of the JSON text: a low surrogate without its high one"},
        {"\"a\nb\"", "byte 2 of the JSON text: a control character in a string must be escaped"},
        {"\"\xff\"", "byte 1 of the JSON text: the string is not valid UTF-8"},
        {"\"\xc0\x80\"", "not valid UTF-8"},         /* overlong NUL                  */
        {"\"\xe0\x80\xaf\"", "not valid UTF-8"},     /* overlong slash                */
        {"\"\xed\xa0\x80\"", "not valid UTF-8"},     /* surrogate                     */
        {"\"\xf4\x90\x80\x80\"", "not valid UTF-8"}, /* past U+10FFFF                 */
        {"\"\xf0\x80\x80\x80\"", "not valid UTF-8"}, /* overlong                      */
        {"\"\xe2\x82\"", "not valid UTF-8"},         /* cut off                       */
        {"\"\x80\"", "not valid UTF-8"},             /* stray continuation            */
        {"\xef\xbb\xbf{}", "byte 0 of the JSON text: expected a value, found byte 239"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "ends at byte 19 of the JSON text has the key 'a' twice"},
        {"{\"a\":1,\"\\u0061\":3}", "has the key 'a' twice"},
        {"{\"a\\u0000b\":1}", "byte 1 of the JSON text: a key must not hold a NUL"},
        {"[1,/* no */2]", "expected a value, found '/'"},
    };
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        smr_json_doc *doc = (smr_json_doc *)ctx;
        smr_status st = smr_json_parse(ctx, row[i].text, (int64_t)strlen(row[i].text), &doc);
        if (st != SMR_ERR_FORMAT || !strstr(smr_ctx_message(ctx), row[i].reason))
            fail_msg("%s: status %d, '%s'", row[i].text, (int)st, smr_ctx_message(ctx));
        assert_null(doc);
        smr_ctx_clear(ctx);
    }
    check_fails(ctx, smr_json_parse(ctx, "\"a\0\"", 4, &(smr_json_doc *){NULL}), SMR_ERR_FORMAT,
                "a control character in a string must be escaped");
    check_ctx_end(ctx);
}

static void nesting_ends_at_64_levels(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char text[200];
    for (int kind = 0; kind < 2; kind++)
        for (int depth = 63; depth <= 66; depth++) {
            smr_json_doc *doc = NULL;
            memset(text, '[', (size_t)depth);
            memset(text + depth, ']', (size_t)depth);
            smr_status st = smr_json_parse(ctx, text, kind ? depth : 2 * depth, &doc);
            assert_int_equal(st, kind == 0 && depth <= 64 ? SMR_OK : SMR_ERR_FORMAT);
            if (depth > 64) assert_non_null(strstr(smr_ctx_message(ctx), "deeper than 64 levels"));
            smr_json_free(doc);
            smr_ctx_clear(ctx);
        }
    check_rewrite(ctx, "[[[]],[[]]]", 0, "[[[]],[[]]]"); /* depth goes down again */
    check_ctx_end(ctx);
}

static void a_duplicate_among_many_keys_is_found_quickly(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t n = 1; n < 40000; n = n * 3 + 1)
        for (int64_t twin = -1; twin < n; twin += 1 + n / 3) {
            smr_text text = {.ctx = ctx};
            for (int64_t i = 0; i < n; i++)
                smr_text_printf(&text, "%c\"k%lld\":1", i ? ',' : '{', (long long)(i * 7919 % n));
            if (twin >= 0) smr_text_printf(&text, ",\"k%lld\":2", (long long)twin);
            smr_text_add(&text, "}");
            char words[40];
            snprintf(words, sizeof words, "the key 'k%lld' twice", (long long)twin);
            smr_json_doc *doc = NULL;
            if (twin >= 0)
                check_fails(ctx, smr_json_parse(ctx, text.bytes, text.length, &doc), SMR_ERR_FORMAT,
                            words);
            else
                check_ok(ctx, smr_json_parse(ctx, text.bytes, text.length, &doc));
            smr_json_free(doc);
            smr_text_release(&text);
        }
    check_ctx_end(ctx);
}

static void memory_is_bounded_by_the_text(void **state)
{
    (void)state;
    static const char *const piece[] = {"1,",        "[],", "\"\",", "{},", "\"abcdefghijk\",",
                                        "{\"a\":0},"};
    for (int64_t i = 0; i < SMR_COUNT(piece); i++)
        for (int n = 0; n < 100000; n = 2 * n + 1) {
            smr_ctx *ctx = check_ctx(1), *other = check_ctx(1);
            smr_text text = {.ctx = other};
            smr_text_add(&text, "[");
            for (int j = 0; j < n; j++) smr_text_add(&text, piece[i]);
            smr_text_add(&text, "0]");
            smr_json_doc *doc = NULL;
            check_ok(ctx, smr_json_parse(ctx, text.bytes, text.length, &doc));
            assert_int_equal(smr_json_root(doc)->n, n + 1);
            int64_t peak;
            smr_ctx_memory(ctx, &peak);
            if (peak > 80 * text.length + 4096)
                fail_msg("%lld bytes of %s took %lld", (long long)text.length, piece[i],
                         (long long)peak);
            smr_json_free(doc);
            smr_text_release(&text);
            check_ctx_end(ctx);
            check_ctx_end(other);
        }
}

/* ---- writing ---------------------------------------------------------------------------- */

static void one_line_form_is_compact_and_exact(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rewrite(ctx, " [ 0.1 , 1e2,-0.0, 1E-7,123456789012,1.0 ] ", 0,
                  "[0.1,100,-0,1e-7,123456789012,1]");
    check_rewrite(ctx, "{\"b\":1, \"a\":{\"z\":[],\"y\":{}}}", 0,
                  "{\"b\":1,\"a\":{\"z\":[],\"y\":{}}}");
    check_rewrite(ctx, "\"\\u0001\\u001f\\u007f\\u0080\\u009f\\u00a0\\/\\b\\f\\t\"", 0,
                  "\"\\u0001\\u001f\\u007f\\u0080\\u009f\xc2\xa0/\\b\\f\\t\"");
    check_rewrite(ctx, "null", 0, "null");
    check_ctx_end(ctx);
}

static void form_for_people_is_pleasant(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rewrite(
        ctx,
        "{\"command\":\"train\",\"rows\":150,\"measures\":{\"accuracy\":0.96,\"auc\":null},"
        "\"confusion\":[[50,0,0],[0,47,3],[0,3,47]],\"warnings\":[],\"none\":{},"
        "\"params\":[{\"name\":\"k\",\"default\":5},{\"name\":\"weight\",\"choices\":"
        "[\"uniform\",\"distance\"]}]}",
        2,
        "{\n"
        "  \"command\": \"train\",\n"
        "  \"rows\": 150,\n"
        "  \"measures\": {\n"
        "    \"accuracy\": 0.96,\n"
        "    \"auc\": null\n"
        "  },\n"
        "  \"confusion\": [[50, 0, 0], [0, 47, 3], [0, 3, 47]],\n"
        "  \"warnings\": [],\n"
        "  \"none\": {},\n"
        "  \"params\": [\n"
        "    {\"name\": \"k\", \"default\": 5},\n"
        "    {\n"
        "      \"name\": \"weight\",\n"
        "      \"choices\": [\"uniform\", \"distance\"]\n"
        "    }\n"
        "  ]\n"
        "}");
    check_ctx_end(ctx);
}

static void long_arrays_of_numbers_fill_lines(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL, *again = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *array = smr_json_add_array(smr_json_root(doc), "curve");
    for (int i = 0; i < 137; i++) smr_json_add_number(array, NULL, 1.0 / (i + 3));
    smr_text out = {.ctx = ctx};
    smr_json_write(smr_json_root(doc), 2, &out);
    int64_t longest = 0, lines = 0, column = 0;
    for (int64_t i = 0; i < out.length; i++) {
        column = out.bytes[i] == '\n' ? 0 : column + 1;
        lines += out.bytes[i] == '\n';
        longest = SMR_MAX(longest, column);
    }
    assert_in_range(longest, 80, 100);
    assert_in_range(lines, 25, 40);
    check_ok(ctx, smr_json_parse(ctx, out.bytes, out.length, &again));
    assert_int_equal(smr_json_get(smr_json_root(again), "curve")->n, 137);
    assert_true(smr_json_get(smr_json_root(again), "curve")->last->number == 1.0 / 139);
    smr_json_free(again);
    smr_json_free(doc);
    smr_text_release(&out);
    check_ctx_end(ctx);
}

/* Copies are complete, independent of their source, and what is not UTF-8 or not finite is written
 * as something that is. */
static void built_documents_read_back(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL,
                 *source = parse(ctx, "{\"k\":[1,{\"s\":\"\\u0000\",\"t\":true}],\"z\":null}");
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    char key[] = "copied key", value[] = "copied value";
    smr_json_add_string(root, key, value);
    key[0] = value[0] = '?';
    smr_json_add_bytes(root, "bytes", "a\0\xff\xe2\x82z", 6);
    smr_json_add_number(root, "nan", NAN);
    smr_json_add_number(root, "inf", -INFINITY);
    smr_json_add_number(root, "tenth", 0.1);
    smr_json_add_bool(root, "yes", true);
    smr_json_add_null(root, "nothing");
    smr_json_add_number(smr_json_add_object(root, "in"), "x", 2);
    assert_non_null(smr_json_add_copy(root, "copy", smr_json_root(source)));
    smr_json_free(source);
    assert_null(smr_json_add_number(NULL, "a", 1));
    assert_null(smr_json_add_string(NULL, "a", "b"));
    check_ok(ctx, smr_json_done(doc));

    smr_text out = {.ctx = ctx};
    smr_json_write(root, 0, &out);
    assert_string_equal(
        out.bytes, "{\"copied key\":\"copied value\",\"bytes\":\"a\\u0000\xef\xbf\xbd\xef\xbf\xbd"
                   "\xef\xbf\xbdz\",\"nan\":null,\"inf\":null,\"tenth\":0.1,\"yes\":true,"
                   "\"nothing\":null,\"in\":{\"x\":2},\"copy\":{\"k\":[1,{\"s\":\"\\u0000\","
                   "\"t\":true}],\"z\":null}}");
    smr_json_write(NULL, 0, &out);
    assert_string_equal(out.bytes + out.length - 5, "}null");
    smr_text_release(&out);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static smr_status build_and_read(smr_ctx *ctx)
{
    smr_json_doc *doc = NULL, *again = NULL;
    smr_text out = {.ctx = ctx};
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    smr_json *array = smr_json_add_array(smr_json_root(doc), "array");
    for (int i = 0; i < 40; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i);
        smr_json_add_string(smr_json_add_object(array, NULL), key, "a value of some length");
        smr_json_add_number(smr_json_root(doc), key, i);
    }
    smr_json_add_copy(smr_json_root(doc), "copy", array);
    TRY(smr_json_done(doc));
    smr_json_write(smr_json_root(doc), 2, &out);
    TRY(smr_text_done(&out));
    TRY(smr_json_parse(ctx, out.bytes, out.length, &again));
out:
    smr_json_free(again);
    smr_json_free(doc);
    smr_text_release(&out);
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
        st = build_and_read(ctx);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        assert_int_equal(smr_ctx_status(ctx), st);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        assert_true(n < 1000);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 10);
    check_ctx_end(ctx);
}

/* Long texts ask every 1024 values; the form that shows what is left of cancelled work does not. */
static void long_texts_are_cancelled(void **state)
{
    enum { VALUES = 5000 };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL, *back = NULL;
    smr_text all = {.ctx = ctx}, part = {.ctx = ctx};
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "list");
    for (int i = 0; i < VALUES; i++)
        smr_json_add_string(smr_json_add_object(list, NULL), "name", "thirteen");
    check_ok(ctx, smr_json_done(doc));
    smr_ctx_cancel(ctx);
    smr_json_write(smr_json_root(doc), 2, &all);
    check_ok(ctx, smr_text_done(&all));
    check_fails(ctx, smr_json_write_long(smr_json_root(doc), 2, &part), SMR_ERR_CANCELLED,
                "cancelled");
    assert_true(part.length < all.length / 2);
    smr_text_release(&part);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_json_parse(ctx, all.bytes, all.length, &back), SMR_ERR_CANCELLED,
                "cancelled");
    smr_ctx_clear(ctx);
    check_ok(ctx, smr_json_write_long(smr_json_root(doc), 2, &part));
    assert_string_equal(part.bytes, all.bytes);
    check_ok(ctx, smr_json_parse(ctx, all.bytes, all.length, &back));
    assert_int_equal(smr_json_get(smr_json_root(back), "list")->n, VALUES);
    smr_text_release(&part);
    smr_text_release(&all);
    smr_json_free(back);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(lookups_fall_back_when_absent_or_of_another_type),
        cmocka_unit_test(strings_may_hold_nul_and_tell_their_length),
        cmocka_unit_test(what_is_not_json_is_refused_with_place_and_reason),
        cmocka_unit_test(nesting_ends_at_64_levels),
        cmocka_unit_test(a_duplicate_among_many_keys_is_found_quickly),
        cmocka_unit_test(memory_is_bounded_by_the_text),
        cmocka_unit_test(one_line_form_is_compact_and_exact),
        cmocka_unit_test(form_for_people_is_pleasant),
        cmocka_unit_test(long_arrays_of_numbers_fill_lines),
        cmocka_unit_test(built_documents_read_back),
        cmocka_unit_test(refused_memory_is_told_and_nothing_leaks),
        cmocka_unit_test(long_texts_are_cancelled),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
