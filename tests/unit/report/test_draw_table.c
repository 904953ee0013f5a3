/* test_draw_table.c -- figures as rows. */
#include "figure_file.h"

#include "report/draw.h"

static void check_rows(smr_ctx *ctx, const char *figure, const char *wanted)
{
    smr_json_doc *doc = read_json_text(ctx, figure), *rows = NULL;
    smr_text text = {.ctx = ctx};
    check_ok(ctx, smr_json_create(ctx, &rows));
    smr_json *list = smr_json_add_array(smr_json_root(rows), "rows");
    check_ok(ctx, smr_figure_table(ctx, smr_json_root(doc), list));
    smr_json_write(list, 0, &text);
    smr_json_doc *again = NULL; /* strict: no key twice */
    check_ok(ctx, smr_json_parse(ctx, text.bytes, text.length, &again));
    assert_string_equal(text.bytes, wanted);
    smr_json_free(again);
    smr_text_release(&text);
    smr_json_free(rows);
    smr_json_free(doc);
}

static void lines_share_the_rows_of_their_positions(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rows(ctx,
               "{\"x\":{\"label\":\"n\"},\"series\":[{\"name\":\"a\",\"x\":[3,1],\"y\":[5,null]},"
               "{\"name\":\"b\",\"kind\":\"points\",\"x\":[2,3],\"y\":[7,8],\"low\":[6,7],"
               "\"high\":[8,9]}]}",
               "[{\"n\":1,\"a\":null,\"b\":null,\"b low\":null,\"b high\":null},"
               "{\"n\":2,\"a\":null,\"b\":7,\"b low\":6,\"b high\":8},"
               "{\"n\":3,\"a\":5,\"b\":8,\"b low\":7,\"b high\":9}]");
    check_ctx_end(ctx);
}

static void several_points_at_a_position_have_several_rows(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rows(ctx,
               "{\"series\":[{\"name\":\"a\",\"x\":[1,1,2],\"y\":[5,6,7]},"
               "{\"name\":\"b\",\"x\":[1],\"y\":[9]}]}",
               "[{\"x\":1,\"a\":5,\"b\":9},{\"x\":1,\"a\":6,\"b\":null},"
               "{\"x\":2,\"a\":7,\"b\":null}]");
    check_ctx_end(ctx);
}

static void names_and_keys_are_told_apart(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rows(ctx, /* two series and the head of one name; a line with its band */
               "{\"x\":{\"label\":\"a\",\"scale\":\"names\",\"names\":[\"p\",\"q\"]},\"series\":["
               "{\"name\":\"a\",\"y\":[1,2]},{\"name\":\"a\",\"kind\":\"band\",\"x\":[0,1],"
               "\"low\":[0,1],\"high\":[2,3]},{\"name\":\"a\",\"y\":[4,5]}]}",
               "[{\"a\":\"p\",\"a (2)\":1,\"a low\":0,\"a high\":2,\"a (3)\":4},"
               "{\"a\":\"q\",\"a (2)\":2,\"a low\":1,\"a high\":3,\"a (3)\":5}]");
    check_rows(ctx,
               "{\"y\":{\"scale\":\"names\",\"names\":[\"u\",\"v\"]},\"series\":["
               "{\"name\":\"gain\",\"kind\":\"hbars\",\"x\":[0.5,0.25]}]}",
               "[{\"name\":\"u\",\"gain\":0.5},{\"name\":\"v\",\"gain\":0.25}]");
    check_ctx_end(ctx);
}

static void cells_are_a_matrix_or_one_row_a_number(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_rows(ctx,
               "{\"x\":{\"scale\":\"names\",\"names\":[\"no\",\"yes\"]},\"y\":{\"label\":"
               "\"true\",\"scale\":\"names\",\"names\":[\"no\",\"yes\"]},\"series\":[{\"kind\""
               ":\"cells\",\"nx\":2,\"ny\":2,\"value\":[50,3,4,43]}]}",
               "[{\"true\":\"no\",\"no\":50,\"yes\":3},"
               "{\"true\":\"yes\",\"no\":4,\"yes\":43}]");
    check_rows(ctx,
               "{\"x\":{\"min\":0,\"max\":2},\"y\":{\"min\":0,\"max\":1},\"series\":["
               "{\"name\":\"r\",\"kind\":\"cells\",\"nx\":2,\"ny\":1,\"value\":[1,0],"
               "\"names\":[\"no\",\"yes\"]},{\"name\":\"p\",\"kind\":\"points\",\"x\":[1],"
               "\"y\":[0.5]}]}",
               "[{\"series\":\"p\",\"x\":1,\"y\":0.5},{\"series\":\"r\",\"x\":0.5,\"y\":"
               "0.5,\"value\":\"yes\"},{\"series\":\"r\",\"x\":1.5,\"y\":0.5,\"value\":"
               "\"no\"}]");
    check_ctx_end(ctx);
}

static int64_t numbers_in(const smr_json *array)
{
    int64_t n = 0;
    for (const smr_json *e = array ? array->first : NULL; e; e = e->next)
        n += e->type == SMR_JSON_NUMBER;
    return n;
}

/* No number of a figure is lost on the way to its table. */
static void look_at_table(smr_ctx *ctx, const char *name, const smr_json *figure)
{
    smr_json_doc *doc = NULL;
    int64_t wanted = 0, got = 0;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    check_ok(ctx, smr_figure_table(ctx, figure, rows));
    const smr_json *tree = smr_json_get(figure, "tree");
    if (tree) { /* one row for each node */
        assert_int_equal(rows->n, tree->n);
        smr_json_free(doc);
        return;
    }
    bool cells = false, classes = false;
    for (const smr_json *s = smr_json_get(figure, "series")->first; s; s = s->next) {
        const char *kind = smr_json_get_string(s, "kind", "");
        cells |= strcmp(kind, "cells") == 0;
        classes |= smr_json_get(s, "names") != NULL;
        wanted += numbers_in(smr_json_get(s, kind[0] == 'h' ? "x" : "y"));
        wanted += numbers_in(smr_json_get(s, "low")) + numbers_in(smr_json_get(s, "high"));
        wanted += numbers_in(smr_json_get(s, "value"));
    }
    bool matrix = rows->first && !smr_json_get(rows->first, "series");
    for (const smr_json *row = rows->first; row; row = row->next) {
        const smr_json *first = row->first;
        for (const smr_json *v = first; v; v = v->next)
            got += v != first && v->type == SMR_JSON_NUMBER && !isnan(v->number) &&
                   strcmp(v->key, "x") != 0 && !(cells && !matrix && strcmp(v->key, "y") == 0);
        for (const smr_json *v = row->first; v && cells && !matrix; v = v->next)
            got += strcmp(v->key, "y") == 0 && !smr_json_get(row, "value");
    }
    if (!classes && got != wanted)
        fail_msg("%s: %lld numbers of %lld", name, (long long)got, (long long)wanted);
    smr_json_free(doc);
}

static void tables_hold_every_number(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    each_json_file(ctx, "figures", 40, look_at_table);
    check_ctx_end(ctx);
}

static void tables_survive_every_failing_allocation(void **state)
{
    static const char *const names[] = {"learning", "confusion_3", "regions", "tree_classes"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(names); i++) {
        char path[200];
        snprintf(path, sizeof path, "tests/report/figures/%s.json", names[i]);
        smr_json_doc *doc = read_json_file(ctx, path);
        smr_status st = SMR_ERR_NOMEM;
        int64_t n = 0;
        for (; st != SMR_OK && n < 20000; n++) {
            smr_json_doc *rows = NULL;
            check_ok(ctx, smr_json_create(ctx, &rows));
            smr_json *list = smr_json_add_array(smr_json_root(rows), "rows");
            smr_memory_fail_at(ctx, n);
            st = smr_figure_table(ctx, smr_json_root(doc), list);
            smr_memory_fail_at(ctx, -1);
            smr_ctx_clear(ctx);
            smr_json_free(rows);
        }
        assert_true(n > 3 && st == SMR_OK);
        smr_json_free(doc);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_share_the_rows_of_their_positions),
        cmocka_unit_test(several_points_at_a_position_have_several_rows),
        cmocka_unit_test(names_and_keys_are_told_apart),
        cmocka_unit_test(cells_are_a_matrix_or_one_row_a_number),
        cmocka_unit_test(tables_hold_every_number),
        cmocka_unit_test(tables_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
