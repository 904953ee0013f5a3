/* test_draw_graph.c -- graphs in layers: boxes that never overlap, arrows that lead down, safe
 * words. */
#include "figure_file.h"

#include "core/rng.h"
#include "report/draw_parts.h"
#include "report/well_formed.h"

enum { MOST = 60 };

static double roll(uint64_t seed, uint64_t *at)
{
    return smr_random_unit(seed, SMR_STREAM_TEST, 57, (*at)++);
}

/* Edges from lower to higher numbers, so without a cycle; the numbers themselves are shuffled. */
static void check_layers(smr_ctx *ctx, uint64_t seed, int64_t n, double density)
{
    int32_t from[MOST * MOST], to[MOST * MOST];
    int64_t name[MOST];
    double width[MOST];
    uint64_t at = 0;
    struct layers l = {.n = n, .from = from, .to = to, .width = width};
    smr_random_permutation(seed, SMR_STREAM_TEST, 58, n, name);
    for (int64_t i = 0; i < n; i++) {
        width[i] = 30 + 150 * roll(seed, &at);
        for (int64_t j = 0; j < i; j++) {
            if (roll(seed, &at) > density) continue;
            from[l.n_edges] = (int32_t)name[j];
            to[l.n_edges++] = (int32_t)name[i];
        }
    }
    check_ok(ctx, smr_layers_find(ctx, 18, &l));
    for (int64_t e = 0; e < l.n_edges; e++) {
        assert_true(l.layer[from[e]] < l.layer[to[e]]);
        assert_int_equal(l.chain[e + 1] - l.chain[e], l.layer[to[e]] - l.layer[from[e]] - 1);
    }
    for (int64_t i = 0; i < l.n_all; i++)
        for (int64_t j = 0; j < i; j++) {
            double half = (i < n ? width[i] / 2 : 3) + (j < n ? width[j] / 2 : 3);
            if (l.layer[i] == l.layer[j] && fabs(l.x[i] - l.x[j]) < half + 18 - 1e-6)
                fail_msg("seed %d: %lld and %lld overlap", (int)seed, (long long)i, (long long)j);
        }
    for (int64_t i = 0; i < n; i++)
        assert_true(l.x[i] >= width[i] / 2 - 1e-6 && l.x[i] <= l.right - width[i] / 2 + 1e-6);
    smr_layers_release(&l);
}

static void boxes_never_overlap_and_arrows_lead_down(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 8, 25, MOST};
    static const double density[] = {0, 0.05, 0.3};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(sizes); k++)
        for (int64_t d = 0; d < 3; d++)
            for (uint64_t seed = 0; seed < 4; seed++) check_layers(ctx, seed, sizes[k], density[d]);
    check_ctx_end(ctx);
}

static smr_status draw(smr_ctx *ctx, const char *text, smr_text *svg)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    smr_status st = smr_figure_svg(ctx, smr_json_root(doc), NULL, svg);
    smr_json_free(doc);
    return st;
}

static void a_graph_is_drawn_with_its_words(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text svg = {.ctx = ctx};
    (void)state;
    check_ok(ctx, draw(ctx,
                       "{\"name\": \"g\", \"title\": \"a < b & c\", \"graph\": [{\"label\": "
                       "\"<x>\", \"levels\": [\"yes\", \"no\"], \"bars\": [0.25, 0.75]}, "
                       "{\"label\": \"y\", \"parents\": [0], \"given\": true, \"levels\": "
                       "[1, null, \"c\", \"d\", \"e\", \"f\"], \"bars\": [2, null]}]}",
                       &svg));
    assert_null(wf_check(svg.bytes, svg.length, false));
    assert_non_null(strstr(svg.bytes, "&lt;x&gt;"));
    assert_non_null(strstr(svg.bytes, "25.0%"));
    assert_non_null(strstr(svg.bytes, "2 more"));
    smr_text_release(&svg);
    check_ctx_end(ctx);
}

static void broken_graphs_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text svg = {.ctx = ctx};
    (void)state;
#define REFUSES(text_, part_) check_fails(ctx, draw(ctx, text_, &svg), SMR_ERR_PARAM, part_)
    REFUSES("{\"graph\": []}", "it has no nodes");
    REFUSES("{\"graph\": [1]}", "a node is no object");
    REFUSES("{\"graph\": [{\"parents\": [0]}]}", "not the number of another node");
    REFUSES("{\"graph\": [{}, {\"parents\": [0.5]}]}", "not the number of another node");
    REFUSES("{\"graph\": [{\"parents\": [1]}, {\"parents\": [0]}]}", "it has a cycle");
    smr_text_release(&svg);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_never_overlap_and_arrows_lead_down),
        cmocka_unit_test(a_graph_is_drawn_with_its_words),
        cmocka_unit_test(broken_graphs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
