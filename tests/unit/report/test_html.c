/* test_html.c -- the page of a result. */
#include "figure_file.h"

#include "report/html.h"
#include "report/well_formed.h"

static char *page_of(smr_ctx *ctx, const smr_json *root)
{
    smr_text out = {.ctx = ctx};
    check_ok(ctx, smr_report_html(ctx, root, &out));
    const char *wrong = wf_check(out.bytes, out.length, true);
    if (wrong) fail_msg("%s: %s", smr_json_get_string(root, "command", ""), wrong);
    return out.bytes;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part)) n++;
    return n;
}

static void look_at_page(smr_ctx *ctx, const char *name, const smr_json *root)
{
    char *page = page_of(ctx, root), *again = page_of(ctx, root);
    const smr_json *figures = smr_json_get(root, "figures");
    assert_string_equal(page, again);
    /* nothing from outside, nothing that runs, no time of making */
    assert_int_equal(count(page, "http"), count(page, "xmlns=\"http://www.w3.org/2000/svg\""));
    assert_int_equal(count(page, "<script"), 0);
    assert_int_equal(count(page, "<link"), 0);
    assert_int_equal(count(page, "url("), 0);
    assert_int_equal(count(page, "<h1>"), 1);
    assert_int_equal(count(page, "<main"), 1);
    assert_int_equal(count(page, "<table"), count(page, "<caption"));
    int drawn = count(page, "<figure>");
    if (figures && drawn < figures->n) fail_msg("%s: %d figures", name, drawn);
    assert_int_equal(count(page, "role=\"img\""), 2 * drawn);
    smr_free(page);
    smr_free(again);
}

static void every_result_becomes_a_page_that_needs_nothing(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    each_json_file(ctx, "results", 5, look_at_page);
    check_ctx_end(ctx);
}

static void check_holds(const char *page, const char *part)
{
    if (!strstr(page, part)) fail_msg("the page has no '%s'", part);
}

static void a_page_tells_what_the_result_says(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_file(ctx, "tests/report/results/evaluate.json");
    char *page = page_of(ctx, smr_json_root(doc));
    check_holds(page, "<h1>knn evaluated on iris.csv</h1>");
    check_holds(page, "Classify species \u00b7 150 rows \u00b7 4 features");
    check_holds(page, "<p class=\"what\">Accuracy</p><p class=\"figure\">0.9533</p>");
    check_holds(page, "<li>class 'virginica' &amp; &lt;others&gt; have fewer than 60 rows</li>");
    check_holds(page, "<code>standardize<span> center=yes scale=yes</span></code>");
    check_holds(page, "<th scope=\"row\">versicolor</th><td class=\"n\">0.922</td>");
    check_holds(page, "<dt>predict time</dt><dd>0.31 ms</dd>");
    check_holds(page, "<dt>peak memory</dt><dd>8.913 MB</dd>");
    check_holds(page, "<h3>Confusion</h3>"); /* drawn from the measures, as no figure has it */
    smr_free(page);
    smr_json_free(doc);
    doc = read_json_file(ctx, "tests/report/results/cv.json");
    page = page_of(ctx, smr_json_root(doc));
    check_holds(page, "<h1>knn cross-validated on iris.csv</h1>");
    check_holds(page, "<p class=\"figure\">0.9587</p><p class=\"span\">0.9369 to 0.9805</p>");
    check_holds(page, "<h2>By round</h2>");
    assert_null(strstr(page, "class=\"warnings\""));
    smr_free(page);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* Keys that no section knows are shown all the same. */
static void unknown_members_are_shown(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_text(
        ctx, "{\"command\":\"new\",\"odd_one\":3.25,\"rows_of\":[{\"k\":1,\"v\":\"<x>\"}],"
             "\"pair\":{\"a\":{\"b\":[[1,2]]},\"c\":true},\"list\":[1,\"two\"]}");
    char *page = page_of(ctx, smr_json_root(doc));
    check_holds(page, "<h1>New</h1>");
    check_holds(page, "<dt>odd one</dt><dd>3.25</dd>");
    check_holds(page, "<h2>Rows of</h2>");
    check_holds(page, "<td>&lt;x&gt;</td>");
    check_holds(page, "<dt>c</dt><dd>yes</dd>");
    check_holds(page, "<dd>1, two</dd>");
    smr_free(page);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_text(ctx, "[1, 2]");
    smr_text out = {.ctx = ctx};
    check_fails(ctx, smr_report_html(ctx, smr_json_root(doc), &out), SMR_ERR_PARAM, "JSON object");
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void a_page_survives_failing_allocations(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_file(ctx, "tests/report/results/cv.json");
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0, held = smr_ctx_memory(ctx, NULL);
    for (; st != SMR_OK && n < 100000; n++) {
        smr_text out = {.ctx = ctx};
        smr_memory_fail_at(ctx, n);
        st = smr_report_html(ctx, smr_json_root(doc), &out);
        smr_memory_fail_at(ctx, -1);
        smr_ctx_clear(ctx);
        smr_text_release(&out);
        if (smr_ctx_memory(ctx, NULL) != held) fail_msg("a leak at %lld", (long long)n);
    }
    assert_true(n > 20 && st == SMR_OK);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_becomes_a_page_that_needs_nothing),
        cmocka_unit_test(a_page_tells_what_the_result_says),
        cmocka_unit_test(unknown_members_are_shown),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(a_page_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
