/* JSON lines: what becomes a column, what is refused and where, and that written rows come back. */
#include "unit/data/check_csv.h"

#include "core/text.h"
#include "data/formats.h"
#include "data/hash.h"

#include <stdio.h>
#include <unistd.h>

static smr_status read_json(smr_ctx *ctx, const char *text, const smr_read_opts *opts,
                            smr_table **out)
{
    smr_source *s = NULL;
    *out = NULL;
    smr_status st = smr_source_memory(ctx, "t.jsonl", text, (int64_t)strlen(text), &s);
    if (st == SMR_OK) st = smr_jsonl_read(ctx, s, opts, out);
    smr_source_close(s);
    if (st == SMR_OK) st = smr_table_apply_rules(ctx, *out, opts);
    if (st != SMR_OK) {
        smr_table_free(*out);
        *out = NULL;
    }
    return st;
}

static void members_are_columns_in_any_order(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    check_ok(ctx, read_json(ctx,
                            "\xef\xbb\xbf{\"x\": 1.5, \"s\": \"a\", \"b\": true, \"d\": "
                            "\"2020-02-29\"}\r\n\n  \t\n"
                            "{\"s\": \"\\u00e9\\n\", \"x\": -2e3}\n"
                            "{\"late\": {\"in\": {\"ner\": 7}}, \"x\": null, \"b\": false, \"d\": "
                            "null}\n{}\n{\"x\": \"NA\", \"s\": \"?\"}",
                            &detect, &t));
    assert_int_equal(t->n_rows, 5);
    assert_int_equal(t->n_cols, 5);
    static const char *const names[] = {"x", "s", "b", "d", "late.in.ner"};
    static const int64_t missing[] = {3, 3, 3, 4, 4};
    for (int j = 0; j < 5; j++) {
        assert_string_equal(t->cols[j].name, names[j]);
        assert_int_equal(t->cols[j].n_missing, missing[j]);
    }
    check_near("x", number(t, 0, 1), -2000, 0);
    assert_true(isnan(number(t, 0, 4)));
    check_cell(t, 1, 1, "\xc3\xa9\n");
    check_cell(t, 2, 0, "true");
    check_cell(t, 2, 2, "false");
    assert_int_equal(t->cols[3].kind, SMR_DATE);
    check_near("date", number(t, 3, 0), 1582934400, 0);
    check_near("inner", number(t, 4, 2), 7, 0);
    check_note(t, "format: jsonl");
    check_note(t, "columns: 2 numbers, 2 categories, 1 date");
    check_note(t, "marks NA, ?");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void broken_lines_are_refused_with_their_place(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const struct {
        const char *text, *part;
        smr_status status;
    } cases[] = {
        {"{\"a\":1}\n{\"a\":1,}\n", "t.jsonl:2:8: expected a string, found '}'", SMR_ERR_FORMAT},
        {"{\"a\":01}\n", "t.jsonl:1:6: a number must not begin with 0", SMR_ERR_FORMAT},
        {"{\"a\":\n1}\n", "each line is one whole object: jq -c . makes such lines",
         SMR_ERR_FORMAT},
        {"[{\"a\":1},\n{\"a\":2}]\n", "jq -c '.[]' makes them", SMR_ERR_FORMAT},
        {"{\"a\":1}\n7\n", "t.jsonl:2: is not an object", SMR_ERR_FORMAT},
        {"{\"a\":1}\n[1]\n", "t.jsonl:2: is not an object", SMR_ERR_FORMAT},
        {"{\"a\":1,\"a\":2}\n", "t.jsonl:1: the object that ends at byte", SMR_ERR_FORMAT},
        {"{\"a\":{\"b\":1},\"a.b\":2}\n", "t.jsonl, line 1: column 'a.b' comes twice in this row",
         SMR_ERR_FORMAT},
        {"{\"a\":1}\n\n{\"a\":\"x\"}\n",
         "t.jsonl, line 3: column 'a' has a string here, and numbers from line 1 on", SMR_ERR_DATA},
        {"{\"a\":\"x\"}\n{\"a\":2}\n",
         "t.jsonl, line 2: column 'a' has a number here, and strings from line 1 on", SMR_ERR_DATA},
        {"{\"a\":1}\n{\"a\":true}\n", "line 2: column 'a' has true here", SMR_ERR_DATA},
        {"{\"a\":[1,2]}\n",
         "t.jsonl:1: 'a' is an array, and no column holds lists; leave it out "
         "with --type a=ignore",
         SMR_ERR_FORMAT},
        {"{\"\":1}\n", "t.jsonl, line 1: '' cannot be a column's name", SMR_ERR_FORMAT},
        {"{\"a\":\"\xff\"}\n", "t.jsonl:1:7: the string is not valid UTF-8", SMR_ERR_FORMAT},
        {"{\"a\":1e999}\n", "a number is too large for a double", SMR_ERR_FORMAT},
        {"\n \n", "t.jsonl: has no rows", SMR_ERR_FORMAT},
    };
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        smr_table *t;
        check_fails(ctx, read_json(ctx, cases[k].text, &detect, &t), cases[k].status,
                    cases[k].part);
        assert_null(t);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

/* A whole column of them; codes with zeros in front and two values are what they seem. */
static void numbers_as_text_are_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    check_ok(ctx, read_json(ctx,
                            "{\"zip\": \"01\", \"y\": \"0\", \"x\": \"1.5\", \"s\": \"1\"}\n"
                            "{\"zip\": \"2\", \"y\": \"1\", \"x\": \"-2e3\", \"s\": \"2\"}\n"
                            "{\"zip\": \"3\", \"y\": \"1\", \"x\": \"4\", \"s\": \"c\"}\n",
                            &detect, &t));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_string_equal(smr_ctx_warning(ctx, 0),
                        "t.jsonl: column 'x' holds numbers as text, and is taken as a category; "
                        "--type 'x=number' reads it as numbers");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rules_decide_what_is_mixed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_column_rule rules[] = {{.name = "a", .kind = SMR_CATEGORY},
                               {.name = "n", .kind = SMR_NUMBER},
                               {.name = "tags", .ignore = true}};
    smr_read_opts opts = {.header = -1, .rules = rules, .n_rules = 3, .missing = "none at all"};
    smr_table *t;
    check_ok(ctx, read_json(ctx,
                            "{\"a\":1.50,\"n\":\"2.5\",\"tags\":[1]}\n{\"a\":\"x\",\"n\":3}\n"
                            "{\"a\":true,\"n\":\"none at all\"}\n{\"n\":true}\n",
                            &opts, &t));
    assert_int_equal(t->n_cols, 2);
    check_cell(t, 0, 0, "1.5");
    check_cell(t, 0, 1, "x");
    check_cell(t, 0, 2, "true");
    check_near("a string", number(t, 1, 0), 2.5, 0);
    assert_int_equal(t->cols[1].n_missing, 1);
    check_near("true", number(t, 1, 3), 1, 0);
    smr_table_free(t);
    check_fails(ctx, read_json(ctx, "{\"n\":\"two\"}\n", &opts, &t), SMR_ERR_DATA,
                "t.jsonl, line 1: column 'n' must hold numbers, but here it has 'two'");
    check_ctx_end(ctx);
}

static void written_rows_come_back(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    char folder[] = "/tmp/samara-test-XXXXXX", path[80];
    assert_non_null(mkdtemp(folder));
    smr_table *t = table_of(
        ctx, "x,s,d,q\n0.1,\"a \"\"b\"\"\",2020-01-02,\n-1e-300,\xc3\xa9,,7\n,\"tab\there\","
             "2021-03-04,8\n123456789,\\,1999-12-31,9\n");
    smr_table *back = NULL;
    uint64_t h[2], again[2];
    static const char *const files[] = {"a.jsonl", "a.ndjson.gz", "a.jsonl.zst", "a.jsonl.xz"};
    check_ok(ctx, smr_table_hash(ctx, t, h));
    for (int k = 0; k < SMR_COUNT(files); k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        smr_status st = smr_table_write(ctx, t, path, SMR_FORMAT_AUTO);
        if (st == SMR_ERR_UNSUPPORTED && k >= 2) { /* a build without libzstd or liblzma */
            smr_ctx_clear(ctx);
            continue;
        }
        check_ok(ctx, st);
        check_ok(ctx, smr_table_read(ctx, path, NULL, &back));
        check_ok(ctx, smr_table_hash(ctx, back, again));
        assert_memory_equal(h, again, sizeof h);
        smr_table_free(back);
        unlink(path);
    }
    smr_table_free(t);
    rmdir(folder);
    check_ctx_end(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t k = 0; st != SMR_OK; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t;
        smr_memory_fail_at(ctx, k);
        st = read_json(ctx,
                       "{\"x\":1,\"s\":\"a\"}\n{\"y\":{\"z\":\"2020-01-01\"},\"s\":\"b\"}\n{}\n",
                       &detect, &t);
        if (st != SMR_OK) {
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_null(t);
        }
        smr_table_free(t);
        check_ctx_end(ctx);
        assert_true(k < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_columns_in_any_order),
        cmocka_unit_test(broken_lines_are_refused_with_their_place),
        cmocka_unit_test(numbers_as_text_are_told),
        cmocka_unit_test(rules_decide_what_is_mixed),
        cmocka_unit_test(written_rows_come_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
