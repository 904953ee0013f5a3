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
    int drawn = count(page, "<figure>"), small = count(page, "<figure class=\"small\">");
    if (figures && drawn + small < figures->n) fail_msg("%s: %d figures", name, drawn + small);
    assert_int_equal(count(page, "role=\"img\""), 2 * drawn + small);
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
    check_holds(page, "<th scope=\"row\">versicolor</th><td class=\"n\">0.9216</td>");
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

/* Writes the page of a JSON text and looks for each of the parts, in that order; a part that begins
 * with '!' must be nowhere. */
static void check_page(const char *json, const char *const *parts)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_text(ctx, json);
    char *page = page_of(ctx, smr_json_root(doc));
    const char *at = page;
    for (; *parts; parts++) {
        if (**parts == '!') {
            if (strstr(page, *parts + 1)) fail_msg("the page has '%s'", *parts + 1);
            continue;
        }
        const char *found = strstr(at, *parts);
        if (!found) fail_msg("the page has no '%s' from there on", *parts);
        at = found + strlen(*parts);
    }
    smr_free(page);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void survives_failing_allocations(smr_ctx *ctx, smr_json_doc *doc)
{
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
}

static void a_search_shows_its_winner_first(void **state)
{
    (void)state;
    const char *const parts[] = {
        "<p class=\"what\">Area under the ROC curve</p><p class=\"figure\">0.8235</p>",
        "<p class=\"what\">Accuracy</p>",
        "<h2>Winner</h2>",
        "<p>It is flattered.</p>",
        "<dt>knn.k</dt><dd>41</dd>",
        "<th scope=\"row\">as given</th><td class=\"n\">0.7009</td>",
        "<h2>Model</h2>",
        "<code>knn<span> k=41</span></code>",
        "<p class=\"more\">as given: <code>knn k=5</code></p>",
        "<dd>g.smr</dd>",
        "<h2>What was searched</h2>",
        "<h2>The best trials</h2>",
        "<h2>The original sentence</h2>",
        "<h2>On rows the search never saw</h2>",
        "!<h2>Optimism",
        "!<h2>Scores",
        "!<h2>Top",
        "!<h2>Start",
        "!knn.k: values", /* is in its cell, as another row's list is */
        NULL};
    check_page("{\"command\":\"tune\",\"spec\":\"knn k=5\",\"measure\":\"auc\",\"space\":["
               "{\"parameter\":\"knn.k\",\"values\":[{\"from\":1,\"to\":100}]},"
               "{\"parameter\":\"knn.metric\",\"values\":[\"euclidean\"]}],"
               "\"top\":[{\"trial\":50,\"auc\":0.7592}],\"winner\":{\"trial\":50,"
               "\"spec\":\"knn k=41\",\"params\":{\"knn.k\":41},\"score\":0.7592},"
               "\"start\":{\"spec\":\"knn k=5\",\"score\":0.7009},\"test\":{\"measures\":"
               "{\"accuracy\":0.72,\"auc\":0.82346}},\"scores\":[{\"sentence\":\"winner\","
               "\"validation\":0.7592},{\"sentence\":\"as given\",\"validation\":0.70094}],"
               "\"optimism\":{\"text\":\"It is flattered.\"},\"model\":\"g.smr\"}",
               parts);
}

static const char league[] =
    "{\"command\":\"compare\",\"confidence\":0.95,\"measure\":\"rmse\",\"best\":\"knn\",\"league\":"
    "["
    "{\"rank\":1,\"model\":\"knn\",\"spec\":\"knn k=5\",\"mean\":61480.7,\"sd\":262.39,"
    "\"low\":61000.2,\"high\":62000.4,\"behind\":null,\"p\":null,\"verdict\":\"best\"},"
    "{\"rank\":2,\"model\":\"ridge\",\"mean\":68656.4,\"sd\":262.05,\"low\":68000,"
    "\"high\":69000,\"behind\":7175.7,\"p\":0.0821,\"verdict\":\"within noise\"},"
    "{\"rank\":3,\"model\":\"ridge\",\"mean\":68657.4,\"sd\":262.05,\"low\":68000,"
    "\"high\":69000,\"behind\":7176.7,\"p\":0.0721,\"verdict\":\"worse\"}],"
    "\"by_round\":[{\"round\":1,\"rows\":4128,\"scores\":[61480.7,68656.4,68657.4]}]}";

static void a_league_names_its_models_and_says_who_won(void **state)
{
    (void)state;
    const char *const parts[] = {
        "<h2>The models, best first</h2>",
        "<p>Best: <b>knn</b>; not clearly better than: ridge.</p>",
        ">rank</th>",
        ">model</th>",
        ">Root mean squared error</th>",
        ">interval</th>",
        ">behind</th>", /* though the first row has none */
        ">p</th>",
        ">verdict</th>",
        "<td class=\"n\">61,481</td><td class=\"words\">61,000 to 62,000</td>",
        "<td class=\"n\">7176</td><td class=\"n\">0.0821</td>",
        "its 95 % interval",
        "<details><summary>Spread, rounds won and times</summary>",
        ">sd</th>",
        "<code>knn k=5</code>",
        "<h2>By round</h2>",
        ">round 1</th>",
        "knn</th><td class=\"n\">61,481</td>",
        "ridge</th><td class=\"n\">68,656</td>",
        "ridge</th><td class=\"n\">68,657</td>",
        "<h2>How it was measured</h2>",
        "!61,481, ",
        NULL};
    check_page(league, parts);
}

/* Many rounds are rows, and models columns: two of one name are told apart by their places. */
static void many_rounds_are_rows(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text json = {.ctx = ctx};
    smr_text_add_bytes(&json, league, (int64_t)strlen(league) - 2);
    for (int r = 2; r <= 13; r++)
        smr_text_printf(&json, ",{\"round\":%d,\"rows\":4128,\"scores\":[%d,2,3]}", r, 100 + r);
    smr_text_add(&json, "]}");
    check_ok(ctx, smr_text_done(&json));
    const char *const parts[] = {"<h2>By round</h2>",
                                 ">round</th>",
                                 ">knn</th>",
                                 ">ridge</th>",
                                 ">ridge (3)</th>",
                                 "61,481</td>",
                                 "13</th><td class=\"n\">4128</td><td class=\"n\">113</td>",
                                 NULL};
    check_page(json.bytes, parts);
    smr_text_release(&json);
    check_ctx_end(ctx);
}

/* A baseline has no sentence; its mean is beside that of the best. */
static void the_baseline_is_beside_the_headline(void **state)
{
    (void)state;
    const char *const numbers[] = {
        "<p class=\"what\">Root mean squared error</p><p class=\"figure\">54.06</p>"
        "<p class=\"span\">lower is better</p>"
        "<p class=\"beside\">baseline (always the mean): <b>77.03</b></p></li>",
        "<p class=\"what\">R squared</p><p class=\"figure\">0.4998</p>"
        "<p class=\"span\">higher is better</p></li>",
        "<th scope=\"col\" class=\"n\">baseline</th>",
        "<td class=\"n\">54.06</td><td class=\"n\">77.03</td>",
        "Baseline: always the mean, 151.9, taken from the fitted rows.",
        "!<h2>Baseline",
        NULL};
    check_page("{\"command\":\"train\",\"measures\":{\"rmse\":54.0612,\"r2\":0.49979},"
               "\"baseline\":{\"what\":\"always the mean\",\"from\":\"the fitted rows\","
               "\"value\":151.93,\"rmse\":77.0312}}",
               numbers);
    const char *const compared[] = {"<p class=\"beside\">baseline (mean): <b>77.06</b></p></li>",
                                    NULL};
    check_page("{\"command\":\"compare\",\"measure\":\"rmse\",\"best\":\"ridge\",\"league\":["
               "{\"rank\":1,\"model\":\"ridge\",\"spec\":\"ridge l2=1\",\"mean\":55.8},"
               "{\"rank\":null,\"model\":\"baseline: mean\",\"spec\":null,\"mean\":77.064}]}",
               compared);
}

static void add_importance(smr_text *json, int n)
{
    smr_text_add(json, "{\"command\":\"train\",\"importance\":[{\"measure\":\"rmse\","
                       "\"unshuffled\":53.55,\"rows\":88,\"drawn_from\":4100,\"repeats\":10,"
                       "\"columns\":[");
    for (int k = 0; k < n; k++)
        smr_text_printf(json, "%s{\"column\":\"x%d\",\"mean\":%d.25,\"sd\":0.5}", k ? "," : "", k,
                        n - k);
    smr_text_add(json, "]}],\"dependence\":[{\"column\":\"x0\",\"rows\":88,\"points\":["
                       "{\"value\":1.5,\"predicted\":2},{\"value\":7,\"predicted\":4}]}],"
                       "\"figures\":[{\"name\":\"importance\",\"title\":\"Permutation "
                       "importance\",\"y\":{\"scale\":\"names\",\"names\":[");
    for (int k = 0; k < SMR_MIN(n, 30); k++) smr_text_printf(json, "%s\"x%d\"", k ? "," : "", k);
    smr_text_add(json, "]},\"series\":[{\"kind\":\"hbars\",\"x\":[3,2,1]}]},"
                       "{\"name\":\"dependence-x0\",\"title\":\"Partial dependence on x0\","
                       "\"note\":\"Said above.\",\"series\":[{\"x\":[1.5,7],\"y\":[2,4]}]},"
                       "{\"name\":\"roc\",\"title\":\"ROC curve\",\"series\":[{\"y\":[1,2]}]}]}");
}

/* Each figure once; a table only of the columns that the chart has no room for. */
static void importance_is_shown_once(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text few = {.ctx = ctx}, many = {.ctx = ctx};
    add_importance(&few, 3);
    add_importance(&many, 33);
    check_ok(ctx, smr_text_done(&few));
    check_ok(ctx, smr_text_done(&many));
    const char *const short_one[] = {
        "<h2>What the model leans on</h2>",
        "<p>With all columns as they are: Root mean squared error 53.55 on 88 rows drawn from "
        "4100. "
        "Each column was then shuffled 10 times.</p>",
        "<h3>Permutation importance</h3>",
        "<h3>How predictions change with these columns</h3>",
        "<p>Drawn for the 1 most important of 3 columns: the mean prediction over 88 rows, with "
        "the column set to the same value in every row.</p>",
        "<figure class=\"small\">\n<h4>x0</h4>",
        "<h2>Figures</h2>",
        "<h3>ROC curve</h3>",
        "!x0</th><td class=\"n\">3.25</td>",
        "!All 3 columns",
        "!Said above.</figcaption>",
        NULL};
    check_page(few.bytes, short_one);
    const char *const long_one[] = {"<details><summary>All 33 columns</summary>",
                                    "x32</th><td class=\"n\">1.25</td>",
                                    "<h3>Permutation importance</h3>", NULL};
    check_page(many.bytes, long_one);
    survives_failing_allocations(ctx, read_json_text(ctx, few.bytes));
    smr_text_release(&few);
    smr_text_release(&many);
    check_ctx_end(ctx);
}

/* A table for each kind of column, none with cells that cannot be filled. */
static void columns_are_shown_by_kind(void **state)
{
    (void)state;
    const char *const parts[] = {
        "<h2>Columns of the data</h2>",
        "<p class=\"more\">1 of 3 columns are drawn: the target \u2018y\u2019, then the columns "
        "that "
        "tell most about it. A bar is a number of rows.</p>",
        "<figure class=\"small\">\n<h4>y</h4>",
        "<figcaption>Two rows.</figcaption>",
        "<h3>Numbers</h3>",
        "y</th><td class=\"n\">0</td><td class=\"n\">4</td><td class=\"n\">2.5</td>",
        "<h3>Categories</h3>",
        "colour</th><td class=\"n\">1</td><td class=\"n\">2</td><td>red</td>"
        "<td class=\"n\">66.7</td><td class=\"words\">red 66.7 %, blue 33.3 %</td>",
        "<h3>Dates</h3>",
        "day</th><td class=\"n\">0</td><td class=\"n\">4</td><td>2020-02-29</td>",
        "!<h3>Texts",
        "!class=\"none\"",
        "!<h2>Distributions",
        "!counts</h",
        NULL};
    check_page(
        "{\"command\":\"describe\",\"target\":{\"name\":\"y\"},\"table\":[{\"name\":\"y\","
        "\"kind\":\"number\",\"missing\":0,\"distinct\":4,\"mean\":2.5},{\"name\":\"colour\","
        "\"kind\":\"category\",\"missing\":1,\"distinct\":2,\"levels\":3,\"most_frequent\":"
        "\"red\",\"most_frequent_share\":0.66667,\"counts\":[{\"level\":\"blue\",\"rows\":1},"
        "{\"level\":\"green\",\"rows\":0},{\"level\":\"red\",\"rows\":2}]},{\"name\":\"day\","
        "\"kind\":\"date\",\"missing\":0,\"distinct\":4,\"first\":\"2020-02-29\"}],"
        "\"distributions\":{\"shown\":1,\"of\":3,\"order\":\"relevance\"},\"figures\":[{\"name\":"
        "\"distribution-y\",\"title\":\"y\",\"note\":\"Two rows.\",\"series\":[{\"kind\":"
        "\"bars\",\"x\":[1,2],\"y\":[3,1]}]}]}",
        parts);
}

/* Measures are rows where a cross-validation has few rounds: as many columns as rounds. */
static void few_rounds_stand_side_by_side(void **state)
{
    (void)state;
    const char *const parts[] = {
        "<h2>By round</h2>",
        ">measure</th>",
        ">round 1</th>",
        ">2</th>",
        "rows</th><td class=\"n\">30</td><td class=\"n\">29</td>",
        "Accuracy</th><td class=\"n\">0.9667</td><td class=\"n\">0.9310</td>",
        NULL};
    check_page("{\"command\":\"cv\",\"by_round\":[{\"round\":1,\"rows\":30,\"accuracy\":0.96667},"
               "{\"round\":2,\"rows\":29,\"accuracy\":0.93103}]}",
               parts);
}

static void a_table_says_what_it_leaves_out(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text json = {.ctx = ctx};
    smr_text_add(&json, "{\"command\":\"new\",\"wide\":[{");
    for (int k = 0; k < 70; k++) smr_text_printf(&json, "%s\"c%d\":%d", k ? "," : "", k, k);
    smr_text_add(&json, "}]}");
    check_ok(ctx, smr_text_done(&json));
    const char *const parts[] = {">c63</th>", "The first 64 columns; the result as JSON has all.",
                                 "!>c64</th>", NULL};
    check_page(json.bytes, parts);
    smr_text_release(&json);
    check_ctx_end(ctx);
}

/* Four digits of every number, zeros only where the column's other numbers have digits. */
static void numbers_of_a_table_keep_four_digits(void **state)
{
    (void)state;
    const char *const parts[] = {
        "longitude</th><td class=\"n\">\u2212119.6</td><td class=\"n\">\u22120.36</td>"
        "<td class=\"n\">0.9216</td><td class=\"n\">1.5\u00d710\u2077</td>",
        "rooms</th><td class=\"n\">2636</td><td class=\"n\">0.04</td>"
        "<td class=\"n\">1.2345</td><td class=\"n\">\u22122.5</td>",
        "income</th><td class=\"n\">3.871</td><td class=\"n\">1.00</td>"
        "<td class=\"n\">0</td><td class=\"n\">0.0001235</td>",
        "age</th><td class=\"n\">1.900</td>",
        "<dd>61,481; 68,656</dd>",
        "!<td class=\"n\">\u22120.360",
        NULL};
    check_page(
        "{\"command\":\"new\",\"table\":["
        "{\"name\":\"longitude\",\"a\":-119.5697,\"b\":-0.36,\"c\":0.92157,\"d\":15000000.5},"
        "{\"name\":\"rooms\",\"a\":2635.763,\"b\":0.04,\"c\":1.23449,\"d\":-2.5},"
        "{\"name\":\"income\",\"a\":3.87067,\"b\":1,\"c\":0,\"d\":0.00012346},"
        "{\"name\":\"age\",\"a\":1.89978}],\"list\":[61481,68656]}",
        parts);
}

static void a_page_tells_what_the_model_learned(void **state)
{
    (void)state;
    smr_text json = {.ctx = NULL};
    smr_ctx *ctx = check_ctx(1);
    json.ctx = ctx;
    smr_text_add(&json, "{\"command\":\"train\",\"spec\":\"standardize | ridge\",\"fit\":{"
                        "\"iterations\":0,\"converged\":true},\"data_columns\":[{\"name\":\"x\"}],"
                        "\"stages\":[{\"stage\":\"standardize\",\"title\":\"Standardising\","
                        "\"features\":[{\"feature\":\"x0\",\"mean\":3.25}]},{\"stage\":\"ridge\","
                        "\"title\":\"Ridge regression\",\"l2\":1,\"coefficients\":[");
    for (int i = 0; i < 57; i++)
        smr_text_printf(&json, "%s{\"feature\":\"x%d\",\"estimate\":%d.5}", i ? "," : "", i, i);
    smr_text_add(&json, "]}]}");
    check_ok(ctx, smr_text_done(&json));
    const char *const parts[] = {"<h2>What the model learned</h2>",
                                 "<h3>ridge: Ridge regression</h3>",
                                 "<dt>l2</dt><dd>1</dd>",
                                 "<h4>Coefficients</h4>",
                                 "x49</th><td class=\"n\">49.5</td>",
                                 "The first 50 of 57 rows.",
                                 "<summary>standardize: Standardising</summary>",
                                 "x0</th><td class=\"n\">3.25</td>",
                                 "<h2>Columns of the data</h2>",
                                 "!x50</th>",
                                 "!<dt>iterations",
                                 "!<dt>converged",
                                 NULL};
    check_page(json.bytes, parts);
    smr_text_release(&json);
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
    survives_failing_allocations(ctx, read_json_file(ctx, "tests/report/results/cv.json"));
    survives_failing_allocations(ctx, read_json_text(ctx, league));
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_becomes_a_page_that_needs_nothing),
        cmocka_unit_test(a_page_tells_what_the_result_says),
        cmocka_unit_test(unknown_members_are_shown),
        cmocka_unit_test(a_search_shows_its_winner_first),
        cmocka_unit_test(a_league_names_its_models_and_says_who_won),
        cmocka_unit_test(many_rounds_are_rows),
        cmocka_unit_test(the_baseline_is_beside_the_headline),
        cmocka_unit_test(importance_is_shown_once),
        cmocka_unit_test(columns_are_shown_by_kind),
        cmocka_unit_test(few_rounds_stand_side_by_side),
        cmocka_unit_test(a_table_says_what_it_leaves_out),
        cmocka_unit_test(numbers_of_a_table_keep_four_digits),
        cmocka_unit_test(a_page_tells_what_the_model_learned),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(a_page_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
