/* test_draw.c -- drawings: well-formed for any figure, the same bytes again, and true. */
#include "figure_file.h"

#include "report/draw_parts.h"
#include "report/well_formed.h"

static char *drawn(smr_ctx *ctx, const smr_json *figure, double width, double height, bool inside)
{
    smr_text out = {.ctx = ctx};
    smr_figure_opts opts = {.width = width, .height = height, .inside = inside};
    check_ok(ctx, smr_figure_svg(ctx, figure, &opts, &out));
    const char *wrong = wf_check(out.bytes, out.length, false);
    if (wrong) fail_msg("%s: %s", smr_json_get_string(figure, "name", ""), wrong);
    return out.bytes;
}

static char *drawn_text(smr_ctx *ctx, const char *json)
{
    smr_json_doc *doc = read_json_text(ctx, json);
    char *svg = drawn(ctx, smr_json_root(doc), 0, 0, false);
    smr_json_free(doc);
    return svg;
}

static void look_at_figure(smr_ctx *ctx, const char *name, const smr_json *figure)
{
    static const double widths[] = {0, 200, 340, 1111.5};
    for (int64_t i = 0; i < SMR_COUNT(widths); i++)
        for (int inside = 0; inside < 2; inside++) {
            char *once = drawn(ctx, figure, widths[i], 0, inside);
            char *twice = drawn(ctx, figure, widths[i], 0, inside);
            assert_string_equal(once, twice);
            assert_non_null(strstr(once, "role=\"img\""));
            assert_non_null(strstr(once, "<title>"));
            assert_non_null(strstr(once, "<desc>"));
            assert_int_equal(strstr(once, "<style>") == NULL, inside);
            if (strstr(once, "nan") && strcmp(name, "hostile.json") != 0)
                fail_msg("%s: a length is not a number", name);
            smr_free(once);
            smr_free(twice);
        }
    smr_free(drawn(ctx, figure, 500, 300, false));
    smr_free(drawn(ctx, figure, 500, 30, true));
}

static void every_figure_is_drawn_well_formed_and_the_same_again(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    each_json_file(ctx, "figures", 40, look_at_figure);
    check_ctx_end(ctx);
}

/* The number after `key` in text, from `from` on. */
static double number_after(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    if (!at) fail_msg("there is no '%s'", key);
    return strtod(at + strlen(key), NULL);
}

static void a_line_goes_from_corner_to_corner_of_its_axes(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char *svg = drawn_text(ctx, "{\"series\":[{\"kind\":\"step\",\"x\":[2,5],\"y\":[-1,7]}],"
                                "\"x\":{\"min\":2,\"max\":5},\"y\":{\"min\":-1,\"max\":7}}");
    const char *area = strstr(svg, "<svg x=");
    double w = number_after(area, " width=\"") - 3, h = number_after(area, " height=\"") - 3;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "M0 %gH%gV0\"", nearbyint(h * 10) / 10, nearbyint(w * 10) / 10);
    if (!strstr(svg, wanted)) fail_msg("there is no '%s' in %s", wanted, area);
    smr_free(svg);
    check_ctx_end(ctx);
}

static void bars_are_as_long_as_their_numbers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char *svg = drawn_text(
        ctx, "{\"series\":[{\"kind\":\"hbars\",\"x\":[1.5,6,-3]}],\"x\":{\"label\":\"n\"},"
             "\"y\":{\"scale\":\"names\",\"names\":[\"a\",\"b\",\"c\"]}}");
    const char *path = strstr(svg, "<path fill=\"currentColor\"");
    double length[3], start[3];
    for (int i = 0; i < 3; i++) {
        path = strchr(path, 'M');
        start[i] = strtod(path + 1, NULL);
        path = strchr(path, 'h') + 1;
        length[i] = strtod(path, NULL);
    }
    check_near("6 is 4 times 1.5", length[1] / length[0], 4, 0.01);
    check_near("-3 is as long as 2 times 1.5", length[2] / length[0], 2, 0.01);
    check_near("positive bars begin at zero", start[0], start[1], 0.001);
    check_near("negative ones end there", start[2] + length[2], start[0], 0.003);
    smr_free(svg);
    check_ctx_end(ctx);
}

/* Dots across have an axis as narrow as their numbers: 0 is on it only for bars. */
static void dots_across_show_differences(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char json[320], *svg[2];
    for (int dots = 0; dots < 2; dots++) {
        snprintf(json, sizeof json,
                 "{\"series\":[{\"kind\":\"%s\",\"x\":[54.5,55.5,58],\"low\":[54,55,57],"
                 "\"high\":[55,56,59]}],\"y\":{\"scale\":\"names\",\"names\":[\"a\",\"b\","
                 "\"c\"]}}",
                 dots ? "hpoints" : "hbars");
        svg[dots] = drawn_text(ctx, json);
    }
    assert_non_null(strstr(svg[0], ">0</text>"));
    assert_null(strstr(svg[1], ">0</text>"));
    /* the whiskers, in pixels: the first ends where the second begins, each is two units long */
    const char *path = strstr(svg[1], "stroke-width=\"1.5\" d=\"M");
    assert_non_null(path);
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        path = strchr(path, 'M');
        low[i] = strtod(path + 1, NULL);
        high[i] = strtod(strchr(path, 'H') + 1, NULL);
        for (int cap = 0; cap < 2; cap++) path = strchr(path + 1, 'M');
        path++;
    }
    check_near("the first ends where the second begins", high[0], low[1], 0.11);
    check_near("twice as long", high[2] - low[2], 2 * (high[0] - low[0]), 0.3);
    /* the dots lie in the middle of them */
    const char *dot = strstr(strstr(svg[1], "class=\"halo\""), " d=\"M");
    check_near("a dot", strtod(dot + 5, NULL), (low[0] + high[0]) / 2, 0.11);
    for (int dots = 0; dots < 2; dots++) smr_free(svg[dots]);
    check_ctx_end(ctx);
}

/* The area of all rectangles of a path of M H V H z. */
static double area_of(const char *path, const char *end)
{
    double sum = 0;
    while ((path = memchr(path, 'M', (size_t)(end - path)))) {
        char *next;
        double x1 = strtod(path + 1, &next), y1 = strtod(next, &next);
        double x2 = strtod(next + 1, &next), y2 = strtod(next + 1, &next);
        sum += (x2 - x1) * (y2 - y1);
        path = next;
    }
    return sum;
}

static void merged_cells_cover_what_their_classes_do(void **state)
{
    enum { NX = 37, NY = 23, CLASSES = 3 };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    double count[CLASSES] = {0};
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "figures");
    smr_json *f = smr_figure_add(list, "regions", "t", NULL);
    smr_figure_axis(f, "x", "", "linear");
    smr_figure_axis(f, "y", "", "linear");
    smr_json *s = smr_figure_series(f, "c", "cells", 0, NULL, NULL);
    smr_json_add_number(s, "nx", NX);
    smr_json_add_number(s, "ny", NY);
    smr_json *values = smr_json_add_array(s, "value"), *names = smr_json_add_array(s, "names");
    for (int i = 0; i < NX * NY; i++) {
        int k = (i % NX * i % NX + 3 * (i / NX)) / 17 % CLASSES;
        count[k]++;
        smr_json_add_number(values, NULL, k);
    }
    for (int k = 0; k < CLASSES; k++) smr_json_add_string(names, NULL, k ? k > 1 ? "c" : "b" : "a");
    check_ok(ctx, smr_json_done(doc));
    char *svg = drawn(ctx, f, 0, 0, false);
    const char *area = strstr(svg, "<svg x="), *at = area;
    double w = number_after(area, " width=\"") - 3, h = number_after(area, " height=\"") - 3;
    for (int k = 0; k < CLASSES; k++) {
        at = strstr(at, "crispEdges\" d=\"");
        double got = area_of(at, strchr(at + 15, '"')) / (w * h) * NX * NY;
        at++;
        if (fabs(got - count[k]) > 0.02 * count[k])
            fail_msg("class %d: %g cells, not %g", k, got, count[k]);
    }
    smr_free(svg);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void many_points_make_no_large_file(void **state)
{
    enum { N = 200000 };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(i * 0.001) + 0.3 * cos(i * 1.7);
    }
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "figures");
    smr_json *line = smr_figure_add(list, "line", "line", NULL);
    smr_figure_series(line, "s", "line", N, x, y);
    smr_json *cloud = smr_figure_add(list, "cloud", "cloud", NULL);
    smr_figure_series(cloud, "s", "points", N, x, y);
    check_ok(ctx, smr_json_done(doc));
    char *svg = drawn(ctx, line, 640, 0, false);
    assert_true(strlen(svg) > 5000 && strlen(svg) < 60000);
    smr_free(svg);
    svg = drawn(ctx, cloud, 640, 0, false);
    assert_true(strlen(svg) > 50000 && strlen(svg) < 1500000);
    smr_free(svg);
    smr_json_free(doc);
    free(x);
    free(y);
    check_ctx_end(ctx);
}

static void what_is_no_figure_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *json, *reason;
    } bad[] = {
        {"[1]", "a figure is a JSON object"},
        {"{\"name\":\"f\"}", "figure 'f' cannot be drawn: there is no list of 'series'"},
        {"{\"series\":3}", "there is no list of"},
        {"{\"series\":[3]}", "a series is an"},
        {"{\"series\":[{\"kind\":\"pie\"}]}", "there is no kind of series 'pie'"},
        {"{\"series\":[],\"x\":{\"scale\":\"sqrt\"}}", "linear, log or names, not 'sqrt'"},
        {"{\"series\":[],\"marks\":[{\"kind\":\"zline\"}]}", "there is no mark 'zline'"},
        {"{\"series\":[{\"kind\":\"cells\",\"nx\":2,\"ny\":2,\"value\":[1,2,3]}]}", "nx times ny"},
        {"{\"series\":[{\"kind\":\"cells\",\"nx\":1e9,\"ny\":1e9,\"value\":[]}]}", "nx times ny"},
    };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(bad); i++) {
        smr_json_doc *doc = read_json_text(ctx, bad[i].json);
        smr_text out = {.ctx = ctx};
        check_fails(ctx, smr_figure_svg(ctx, smr_json_root(doc), NULL, &out), SMR_ERR_PARAM,
                    bad[i].reason);
        smr_text_release(&out);
        smr_json_free(doc);
    }
    check_ctx_end(ctx);
}

static void values_that_a_log_axis_cannot_show_are_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char *svg = drawn_text(ctx, "{\"series\":[{\"kind\":\"line\",\"y\":[1,-2,0,30]}],"
                                "\"y\":{\"scale\":\"log\"}}");
    assert_non_null(strstr(svg, "Left out: 2 values not above 0, on a log axis."));
    smr_free(svg);
    check_ctx_end(ctx);
}

/* ---- colours ---------------------------------------------------------------------------- */

static double luminance(const char *hex)
{
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        char two[3] = {hex[1 + 2 * k], hex[2 + 2 * k], '\0'};
        double v = (double)strtol(two, NULL, 16) / 255;
        sum += weight[k] * (v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* WCAG 2.1: text 4.5 : 1, graphics 3 : 1; text on the fullest shade of heat too. */
static void colours_stand_out_from_the_paper_in_light_and_dark(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int dark = 0; dark < 2; dark++) {
        smr_text css = {.ctx = ctx};
        char key[40];
        smr_draw_style(dark, &css);
        const char *paper = strstr(css.bytes, ".bg{fill:") + 9;
        const char *ink = strstr(css.bytes, ".ink{fill:") + 10;
        const char *heat = strstr(css.bytes, ".heat{fill:") + 11;
        assert_true(contrast(paper, strstr(css.bytes, " text{fill:") + 11) >= 4.5);
        assert_true(contrast(paper, ink) >= 7);
        assert_true(contrast(heat, ink) >= 4.5);
        assert_true(contrast(strstr(css.bytes, ".cool{fill:") + 11, ink) >= 4.5);
        assert_true(contrast(paper, strstr(css.bytes, ".mark{stroke:") + 13) >= 3);
        assert_true(contrast(paper, strstr(css.bytes, ".axis{stroke:") + 13) >= 3);
        for (int k = 1; k <= PLOT_COLOURS; k++) {
            snprintf(key, sizeof key, ".s%d{color:", k);
            double got = contrast(paper, strstr(css.bytes, key) + strlen(key));
            if (got < 3) fail_msg("colour %d, dark %d: %.2f", k, dark, got);
        }
        smr_text_release(&css);
    }
    check_ctx_end(ctx);
}

static void drawing_survives_every_failing_allocation(void **state)
{
    static const char *const names[] = {"regions", "learning", "long_words", "confusion_3",
                                        "close_marks"};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(names); i++) {
        char path[200];
        snprintf(path, sizeof path, "tests/report/figures/%s.json", names[i]);
        smr_json_doc *doc = read_json_file(ctx, path);
        smr_status st = SMR_ERR_NOMEM;
        int64_t n = 0;
        for (; st != SMR_OK && n < 10000; n++) {
            smr_text out = {.ctx = ctx};
            int64_t held = smr_ctx_memory(ctx, NULL);
            smr_memory_fail_at(ctx, n);
            st = smr_figure_svg(ctx, smr_json_root(doc), NULL, &out);
            smr_memory_fail_at(ctx, -1);
            smr_ctx_clear(ctx);
            smr_text_release(&out);
            if (smr_ctx_memory(ctx, NULL) != held)
                fail_msg("%s: a leak at %lld", names[i], (long long)n);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        }
        assert_true(n > 3 && st == SMR_OK);
        smr_json_free(doc);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_drawn_well_formed_and_the_same_again),
        cmocka_unit_test(a_line_goes_from_corner_to_corner_of_its_axes),
        cmocka_unit_test(bars_are_as_long_as_their_numbers),
        cmocka_unit_test(dots_across_show_differences),
        cmocka_unit_test(merged_cells_cover_what_their_classes_do),
        cmocka_unit_test(many_points_make_no_large_file),
        cmocka_unit_test(what_is_no_figure_is_refused_with_the_reason),
        cmocka_unit_test(values_that_a_log_axis_cannot_show_are_told),
        cmocka_unit_test(colours_stand_out_from_the_paper_in_light_and_dark),
        cmocka_unit_test(drawing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
