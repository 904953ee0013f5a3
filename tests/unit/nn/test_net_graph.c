/* Networks laid out: shapes, weights, work, memory and receptive fields of the published ones and
 * of small ones by hand; how mistakes are told. */
#include "check.h"
#include "pipeline.h"

#include "nn/net_graph.h"

static smr_nn_graph graph_of(smr_ctx *ctx, const char *net, smr_nn_item in, int64_t n_outputs,
                             bool wants_out, smr_nn_chain *chain)
{
    smr_nn_graph graph = {0};
    *chain = (smr_nn_chain){0};
    check_ok(ctx, smr_nn_chain_read(ctx, net, chain));
    check_ok(ctx, smr_nn_graph_build(ctx, chain, in, n_outputs, wants_out, &graph));
    return graph;
}

static smr_nn_graph known_graph(smr_ctx *ctx, const char *name, smr_nn_chain *chain)
{
    const smr_known_net *known = smr_nn_zoo_find(name);
    assert_non_null(known);
    return graph_of(ctx, name, known->in, known->n_outputs, false, chain);
}

static const smr_nn_node *node_of(const smr_nn_graph *graph, const char *name)
{
    for (int64_t i = 0; i < graph->n; i++)
        if (strcmp(graph->node[i].name, name) == 0) return &graph->node[i];
    fail_msg("there is no layer %s", name);
    return NULL;
}

static void published_nets_have_their_counts_of_weights(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t weights;
    } want[] = {
        {"lenet5", 61706},      {"alexnet", 62378344},  {"alexnet_two", 60965224},
        {"zfnet", 107627624},   {"vgg_a", 132863336},   {"vgg_a_lrn", 132863336},
        {"vgg_b", 133047848},   {"vgg_c", 133638952},   {"vgg_d", 138357544},
        {"vgg_e", 143667240},   {"googlenet", 6998552}, {"resnet18", 11689512},
        {"resnet34", 21797672}, {"resnet50", 25557032},
    };
    smr_ctx *ctx = check_ctx(1);
    int64_t n;
    smr_nn_zoo(&n);
    assert_int_equal(n, SMR_COUNT(want));
    for (int64_t i = 0; i < SMR_COUNT(want); i++) {
        smr_nn_chain chain;
        smr_nn_graph graph = known_graph(ctx, want[i].name, &chain);
        int64_t got = smr_nn_graph_sum(&graph).weights;
        if (got != want[i].weights)
            fail_msg("%s has %lld weights, wanted %lld", want[i].name, (long long)got,
                     (long long)want[i].weights);
        smr_nn_graph_release(&graph);
        smr_nn_chain_release(&chain);
    }
    check_ctx_end(ctx);
}

static void vgg_d_has_the_figures_of_the_course(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_nn_chain chain;
    smr_nn_graph graph = known_graph(ctx, "vgg_d", &chain);
    assert_int_equal(smr_nn_graph_sum(&graph).activations, 15237608);
    int64_t top = 0, biases = 0;
    for (int64_t i = 0; i < graph.n; i++) {
        const smr_nn_node *node = &graph.node[i];
        bool is_top = strcmp(node->layer->word.name, "conv") != 0;
        if (is_top) top += smr_nn_node_weights(node);
        for (int64_t k = 0; k < node->layout.n_weights; k++)
            if (node->layout.weights[k].rank == 1) biases += node->layout.weights[k].dim[0];
    }
    assert_int_equal(smr_nn_graph_sum(&graph).weights - biases, 138344128);
    assert_int_equal(top - (4096 + 4096 + 1000), 123633664); /* fully connected, without biases */
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    check_ctx_end(ctx);
}

static void googlenet_has_the_figures_of_the_course(void **state)
{
    (void)state;
    static const int64_t depths[] = {256, 480, 512, 512, 512, 528, 832, 832, 1024};
    static const int64_t weights[] = {163328, 388096, 375552,  448512, 509440,
                                      604672, 867328, 1042432, 1442816};
    smr_ctx *ctx = check_ctx(1);
    smr_nn_chain chain;
    smr_nn_graph graph = known_graph(ctx, "googlenet", &chain);
    int64_t block = 0, filters = 0;
    for (int64_t i = 0; i < graph.n; i++) {
        const smr_nn_node *node = &graph.node[i];
        for (int64_t k = 0; k < node->layout.n_weights && node->depth == 1; k++)
            if (node->layout.weights[k].rank == 4)
                filters += smr_nn_weights_size(&node->layout.weights[k]);
        if (strncmp(node->name, "concat", 6) != 0) continue;
        assert_int_equal(node->layout.out.c, depths[block]);
        assert_int_equal(filters, weights[block]);
        block++;
        filters = 0;
    }
    assert_int_equal(block, 9);
    assert_int_equal(smr_nn_weights_size(&node_of(&graph, "conv1")->layout.weights[0]), 9408);
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    check_ctx_end(ctx);
}

static void sides_are(const smr_nn_graph *graph, int64_t n, const int64_t *sides)
{
    int64_t k = 0;
    for (int64_t i = 0; i < graph->n && k < n; i++) {
        const char *word = graph->node[i].layer->word.name;
        if (strcmp(word, "conv") != 0 && strcmp(word, "maxpool") != 0) continue;
        assert_int_equal(graph->node[i].layout.out.h, sides[k]);
        assert_int_equal(graph->node[i].layout.out.w, sides[k]);
        k++;
    }
    assert_int_equal(k, n);
}

static void alexnet_and_zfnet_have_the_shapes_of_the_course(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_nn_chain chain;
    smr_nn_graph graph = known_graph(ctx, "alexnet", &chain);
    sides_are(&graph, 8, (const int64_t[]){55, 27, 27, 13, 13, 13, 13, 6});
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    graph = known_graph(ctx, "zfnet", &chain);
    sides_are(&graph, 8, (const int64_t[]){110, 55, 26, 13, 13, 13, 13, 6});
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    check_ctx_end(ctx);
}

static void small_layers_have_the_figures_of_the_course(void **state)
{
    (void)state;
    static const struct {
        const char *net;
        smr_nn_item in, out;
        int64_t weights;
    } want[] = {
        {"conv 10 5 pad=2", {32, 32, 3, false}, {32, 32, 10, false}, 760},
        {"conv 6 5", {32, 32, 3, false}, {28, 28, 6, false}, 456},
        {"dense 1000 bias=no", {28, 28, 3, false}, {1, 1, 1000, false}, 2352000},
        {"conv 1 3", {7, 7, 1, false}, {5, 5, 1, false}, 10},
        {"conv 1 3 stride=2", {7, 7, 1, false}, {3, 3, 1, false}, 10},
        {"conv 1 3 pad=1", {7, 7, 1, false}, {7, 7, 1, false}, 10},
        {"conv 1 3 stride=3 round=up", {7, 7, 1, false}, {3, 3, 1, false}, 10},
        {"conv 1 3 stride=3 round=down", {7, 7, 1, false}, {2, 2, 1, false}, 10},
        {"conv 4 3,5 pad=1,2 groups=2", {8, 9, 6, false}, {8, 9, 4, false}, 4 * 3 * 15 + 4},
        {"deconv 1 4 stride=2 pad=1", {7, 7, 16, false}, {14, 14, 1, false}, 257},
        {"maxout 5 pieces=3", {1, 1, 4, false}, {1, 1, 5, false}, 75},
        {"norm", {5, 5, 7, false}, {5, 5, 7, false}, 14},
        {"avgpool global", {5, 6, 7, false}, {1, 1, 7, false}, 0},
        {"flatten", {5, 6, 7, false}, {1, 1, 210, false}, 0},
        {"concat (conv 2 1),(),(maxpool 3 stride=1 pad=1)", {5, 5, 3, false}, {5, 5, 8, false}, 8},
        {"residual (conv 3 3 pad=1)", {5, 5, 3, false}, {5, 5, 3, false}, 84},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(want); i++) {
        smr_nn_chain chain;
        smr_nn_graph graph = graph_of(ctx, want[i].net, want[i].in, 1, false, &chain);
        const smr_nn_item *got = &graph.node[graph.n - 1].layout.out;
        if (got->h != want[i].out.h || got->w != want[i].out.w || got->c != want[i].out.c)
            fail_msg("%s gives %lld x %lld x %lld", want[i].net, (long long)got->h,
                     (long long)got->w, (long long)got->c);
        assert_int_equal(smr_nn_graph_sum(&graph).weights, want[i].weights);
        smr_nn_graph_release(&graph);
        smr_nn_chain_release(&chain);
    }
    check_ctx_end(ctx);
}

static void receptive_fields_grow_by_window_and_stride(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_nn_chain chain;
    smr_nn_graph graph =
        graph_of(ctx, "conv 2 3 | maxpool 2 | conv 2 5 | concat (conv 1 1),(conv 1 3 pad=1)",
                 (smr_nn_item){64, 64, 1, false}, 1, false, &chain);
    static const struct {
        const char *name;
        int64_t field, jump;
    } want[] = {
        {"conv1", 3, 1},  {"maxpool1", 4, 2}, {"conv2", 12, 2},
        {"conv3", 12, 2}, {"conv4", 16, 2},   {"concat1", 16, 2},
    };
    for (int64_t i = 0; i < SMR_COUNT(want); i++) {
        const smr_nn_node *node = node_of(&graph, want[i].name);
        assert_int_equal(node->field[0], want[i].field);
        assert_int_equal(node->field[1], want[i].field);
        assert_int_equal(node->jump[0], want[i].jump);
    }
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    check_ctx_end(ctx);
}

static void an_answer_is_implied(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_nn_chain chain;
    smr_nn_graph graph =
        graph_of(ctx, "dense 4 | relu", (smr_nn_item){1, 1, 3, false}, 2, true, &chain);
    assert_int_equal(graph.n, 3);
    assert_string_equal(graph.node[2].name, "out1");
    assert_int_equal(smr_nn_graph_sum(&graph).weights, 16 + 10);
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    graph = graph_of(ctx, "dense 4 | out", (smr_nn_item){1, 1, 3, false}, 2, true, &chain);
    assert_int_equal(graph.n, 2);
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    check_ctx_end(ctx);
}

static void shapes_that_do_not_fit_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *net, *says;
    } wrong[] = {
        {"conv 8 3 stride=3", "windows of 3, 3 apart, leave 1 of 7 rows over; stride=2 or pad=1"},
        {"conv 8 3 stride=3", "layer 1 (conv filters=8 size=3 stride=3"},
        {"relu | conv 8 9", "layer 2 (conv filters=8 size=9"},
        {"relu | conv 8 9", "a window of 9 is larger than the 7 rows that come in"},
        {"conv 8 3 pad=3", "some windows would see nothing"},
        {"conv 4 1 groups=3", "groups=3 must divide the 2 channels that come in and the 4 filters"},
        {"residual (conv 8 3)", "chain 1 gives 5 x 5 x 8, chain 2 gives 7 x 7 x 2, what comes in"},
        {"concat (conv 4 3),(conv 4 1)", "chain 1 gives 5 x 5 x 4, chain 2 gives 7 x 7 x 4"},
        {"out | relu", "out gives the answer, and can only be the last layer"},
        {"residual (out)", "out gives the answer, and can only be the last layer"},
        {"deconv 1 3 pad=9", "pad=9 leaves nothing of what goes out"},
        {"repeat 9 (deconv 1000 99 stride=99)", "it would have more than 10^12 numbers"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(wrong); i++) {
        smr_nn_chain chain = {0};
        smr_nn_graph graph = {0};
        check_ok(ctx, smr_nn_chain_read(ctx, wrong[i].net, &chain));
        check_fails(ctx,
                    smr_nn_graph_build(ctx, &chain, (smr_nn_item){7, 7, 2, false}, 1, true, &graph),
                    SMR_ERR_PARAM, wrong[i].says);
        smr_nn_chain_release(&chain);
    }
    check_ctx_end(ctx);
}

static smr_status build_resnet(smr_ctx *ctx, void *arg)
{
    smr_status st = SMR_OK;
    smr_nn_chain chain = {0};
    smr_nn_graph graph = {0};
    (void)arg;
    TRY(smr_nn_chain_read(ctx, "resnet18", &chain));
    TRY(smr_nn_graph_build(ctx, &chain, (smr_nn_item){64, 64, 3, false}, 10, true, &graph));
out:
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    return st;
}

static void it_survives_without_memory(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    assert_true(fail_each_allocation(ctx, build_resnet, NULL) > 100);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_nets_have_their_counts_of_weights),
        cmocka_unit_test(vgg_d_has_the_figures_of_the_course),
        cmocka_unit_test(googlenet_has_the_figures_of_the_course),
        cmocka_unit_test(alexnet_and_zfnet_have_the_shapes_of_the_course),
        cmocka_unit_test(small_layers_have_the_figures_of_the_course),
        cmocka_unit_test(receptive_fields_grow_by_window_and_stride),
        cmocka_unit_test(an_answer_is_implied),
        cmocka_unit_test(shapes_that_do_not_fit_are_told),
        cmocka_unit_test(it_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
