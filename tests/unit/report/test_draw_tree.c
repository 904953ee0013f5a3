/* test_draw_tree.c -- trees: boxes that never overlap, lines that join them, safe words. */
#include "figure_file.h"

#include "core/figure.h"
#include "core/rng.h"
#include "report/draw_parts.h"
#include "report/well_formed.h"

static double roll(uint64_t seed, uint64_t *at)
{
    return smr_random_unit(seed, SMR_STREAM_TEST, 31, (*at)++);
}

/* ---- the layout ------------------------------------------------------------------------- */

struct wood {
    int64_t n, *parent, *depth;
    double *width, *x;
};

/* A random tree, parents before children; mode: bushy, one long chain, a star, binary. */
static struct wood grow(uint64_t seed, int64_t n, int mode)
{
    struct wood w = {n, calloc((size_t)n, 8), calloc((size_t)n, 8), calloc((size_t)n, 8),
                     calloc((size_t)n, 8)};
    uint64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        w.width[i] = 20 + 230 * roll(seed, &at);
        if (i == 0) {
            w.parent[i] = -1;
            continue;
        }
        int64_t p = (int64_t)(roll(seed, &at) * (double)i);
        if (mode == 1) p = i - 1 - (int64_t)(roll(seed, &at) * (double)SMR_MIN(i, 3));
        if (mode == 2) p = roll(seed, &at) < 0.8 ? 0 : p;
        if (mode == 3) p = (i - 1) / 2;
        w.parent[i] = p;
        w.depth[i] = w.depth[p] + 1;
    }
    return w;
}

static void fell(struct wood *w)
{
    free(w->parent);
    free(w->depth);
    free(w->width);
    free(w->x);
}

static void check_layout(const struct wood *w, double gap, double right)
{
    const double noise = 1e-6;
    for (int64_t i = 0; i < w->n; i++) {
        if (w->x[i] - w->width[i] / 2 < -noise || w->x[i] + w->width[i] / 2 > right + noise)
            fail_msg("box %lld sticks out", (long long)i);
        for (int64_t j = 0; j < i; j++) {
            double apart = fabs(w->x[i] - w->x[j]) - (w->width[i] + w->width[j]) / 2;
            if (w->depth[i] == w->depth[j] && apart < gap - noise)
                fail_msg("boxes %lld and %lld are %g apart", (long long)i, (long long)j, apart);
            if (w->parent[i] >= 0 && w->parent[i] == w->parent[j]) assert_true(w->x[j] < w->x[i]);
        }
        double least = INFINITY, most = -INFINITY;
        for (int64_t c = i + 1; c < w->n; c++) {
            if (w->parent[c] != i) continue;
            least = fmin(least, w->x[c]);
            most = fmax(most, w->x[c]);
        }
        if (least <= most) check_near("a parent in the middle", w->x[i], (least + most) / 2, 1e-9);
    }
}

static void boxes_never_overlap(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 7, 33, 150, 401};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(sizes); k++)
        for (int mode = 0; mode < 4; mode++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                struct wood w = grow(seed, sizes[k], mode);
                double right = 0, gap = 7.5;
                check_ok(ctx, smr_tidy(ctx, w.n, w.parent, w.width, gap, w.x, &right));
                check_layout(&w, gap, right);
                fell(&w);
            }
    check_ctx_end(ctx);
}

/* Turned round, a tree is drawn turned round: no side is preferred. */
static void a_mirrored_tree_is_laid_out_mirrored(void **state)
{
    const int64_t parent[] = {-1, 0, 0, 0, 1, 1, 3}, mirror[] = {-1, 0, 0, 0, 1, 3, 3};
    const double width[] = {60, 50, 30, 70, 90, 20, 40}, mirrored[] = {60, 70, 30, 50, 40, 20, 90};
    const int64_t image[] = {0, 3, 2, 1, 6, 5, 4};
    double x[7], y[7], right_x, right_y;
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_ok(ctx, smr_tidy(ctx, 7, parent, width, 10, x, &right_x));
    check_ok(ctx, smr_tidy(ctx, 7, mirror, mirrored, 10, y, &right_y));
    check_near("width", right_x, right_y, 1e-12);
    for (int i = 0; i < 7; i++) check_near("place", x[i], right_y - y[image[i]], 1e-9);
    check_ctx_end(ctx);
}

/* ---- the drawing ------------------------------------------------------------------------ */

struct box {
    double x, y, w, h;
};

static double attr(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* The frames of the boxes, in the order of drawing. */
static int read_boxes(const char *svg, struct box *out, int most)
{
    int n = 0;
    for (const char *p = svg; (p = strstr(p, "<rect")); p++) {
        const char *end = strstr(p, "/>");
        const char *klass = strstr(p, "class=\"bg axis\"");
        if (!klass || klass > end || n == most) continue;
        out[n++] = (struct box){attr(p, " x=\""), attr(p, " y=\""), attr(p, " width=\""),
                                attr(p, " height=\"")};
    }
    return n;
}

static void drawn_boxes_are_apart_and_inside(void **state)
{
    enum { N = 120 };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (uint64_t seed = 1; seed < 6; seed++) {
        smr_json_doc *doc = NULL;
        smr_text out = {.ctx = ctx};
        struct wood w = grow(seed, N, (int)(seed % 4));
        struct box box[N];
        uint64_t at = 1000;
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_json *list = smr_json_add_array(smr_json_root(doc), "tree");
        for (int64_t i = 0; i < N; i++) {
            char text[80];
            smr_json *one = smr_json_add_object(list, NULL);
            if (i) smr_json_add_number(one, "parent", (double)w.parent[i]);
            snprintf(text, sizeof text, "%.*s", (int)(70 * roll(seed, &at)),
                     "wide words make wide boxes, and narrow ones do not, as this one shows");
            smr_json_add_string(one, "edge", i % 3 ? "yes" : text);
            smr_json *lines = smr_json_add_array(one, "lines");
            for (int k = 0; k < (int)(i % 4); k++) smr_json_add_string(lines, NULL, text + k);
            if (i % 2) smr_json_add_numbers(one, "bars", (double[]){1, 2, 3}, 3);
            if (i % 5 == 0) smr_json_add_number(one, "more", 7);
        }
        check_ok(ctx, smr_json_done(doc));
        check_ok(ctx, smr_figure_svg(ctx, smr_json_root(doc), NULL, &out));
        assert_null(wf_check(out.bytes, out.length, false));
        double width = attr(out.bytes, " width=\""), height = attr(out.bytes, " height=\"");
        assert_int_equal(read_boxes(out.bytes, box, N), N);
        for (int i = 0; i < N; i++) {
            assert_true(box[i].x >= 0 && box[i].x + box[i].w <= width);
            assert_true(box[i].y >= 0 && box[i].y + box[i].h <= height);
            for (int j = 0; j < i; j++) {
                bool beside = box[i].x >= box[j].x + box[j].w || box[j].x >= box[i].x + box[i].w;
                bool above = box[i].y >= box[j].y + box[j].h || box[j].y >= box[i].y + box[i].h;
                if (!beside && !above) fail_msg("boxes %d and %d overlap", i, j);
            }
            if (i) assert_true(box[i].y > box[w.parent[i]].y + box[w.parent[i]].h);
        }
        smr_text_release(&out);
        smr_json_free(doc);
        fell(&w);
    }
    check_ctx_end(ctx);
}

static void bars_are_as_wide_as_their_shares(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc =
        read_json_text(ctx, "{\"tree\":[{\"lines\":[\"x\"],\"bars\":[0.5,0,0.125,0.375]}],"
                            "\"classes\":[\"a\",\"b\",\"c\",\"d\"]}");
    smr_text out = {.ctx = ctx};
    check_ok(ctx, smr_figure_svg(ctx, smr_json_root(doc), NULL, &out));
    const char *p = strstr(out.bytes, "class=\"bg axis\"");
    double w[3];
    static const char *const klass[] = {"<g class=\"s1\">", "<g class=\"s3\">", "<g class=\"s4\">"};
    for (int k = 0; k < 3; k++) {
        p = strstr(p, klass[k]);
        assert_non_null(p);
        w[k] = attr(p, " width=\"");
    }
    check_near("half and an eighth", w[0] / w[1], 4, 0.1);
    check_near("three eighths", w[2] / w[1], 3, 0.1);
    smr_text_release(&out);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void what_is_no_tree_is_refused(void **state)
{
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"{\"tree\":[]}", "no nodes"},
        {"{\"tree\":[7]}", "no object"},
        {"{\"tree\":[{\"parent\":0}]}", "the first node has no parent"},
        {"{\"tree\":[{},{}]}", "every other one before it"},
        {"{\"tree\":[{},{\"parent\":1}]}", "every other one before it"},
        {"{\"tree\":[{},{\"parent\":0.5}]}", "every other one before it"},
        {"{\"tree\":[{},{\"parent\":-2}]}", "every other one before it"},
        {"{\"tree\":[{}],\"classes\":{}}", "no list"},
    };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(bad); i++) {
        smr_json_doc *doc = read_json_text(ctx, bad[i].json);
        smr_text out = {.ctx = ctx};
        check_fails(ctx, smr_figure_svg(ctx, smr_json_root(doc), NULL, &out), SMR_ERR_PARAM,
                    bad[i].why);
        smr_text_release(&out);
        smr_json_free(doc);
    }
    check_ctx_end(ctx);
}

static void drawing_survives_every_failing_allocation(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = read_json_file(ctx, "tests/report/figures/tree_ways.json");
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    for (; st != SMR_OK && n < 20000; n++) {
        smr_text out = {.ctx = ctx};
        smr_memory_fail_at(ctx, n);
        st = smr_figure_svg(ctx, smr_json_root(doc), NULL, &out);
        smr_memory_fail_at(ctx, -1);
        smr_ctx_clear(ctx);
        smr_text_release(&out);
    }
    assert_true(n > 10 && st == SMR_OK);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_never_overlap),
        cmocka_unit_test(a_mirrored_tree_is_laid_out_mirrored),
        cmocka_unit_test(drawn_boxes_are_apart_and_inside),
        cmocka_unit_test(bars_are_as_wide_as_their_shares),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(drawing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
