/* net_graph.c -- see net_graph.h. */
#include "nn/net_graph.h"

#include "nn/layers.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FROM = 64, ADDRESS = 120 };
static const int64_t most_size = INT64_C(1) << 40; /* numbers of an item, weights of a layer */

struct builder {
    smr_ctx *ctx;
    smr_nn_graph *graph;
    int64_t depth;
};

static smr_status lay_chain(struct builder *b, const smr_nn_chain *chain, const char *address,
                            int64_t from, int64_t *last);

void smr_nn_graph_release(smr_nn_graph *graph)
{
    for (int64_t i = 0; i < graph->n; i++) {
        smr_free(graph->node[i].from);
        smr_free(graph->node[i].name);
        smr_free(graph->node[i].address);
    }
    smr_free(graph->node);
    if (graph->implied) smr_params_free(&smr_layer_out.word, graph->implied);
    *graph = (smr_nn_graph){0};
}

static smr_nn_item item_of(const smr_nn_graph *graph, int64_t node)
{
    return node == SMR_NET_INPUT ? graph->in : graph->node[node].layout.out;
}

/* Of the tensors that are learned, or of the others. */
static int64_t weights_of(const smr_nn_node *node, bool counted)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < node->layout.n_weights; k++)
        if (node->layout.weights[k].counted == counted)
            sum += smr_nn_weights_size(&node->layout.weights[k]);
    return sum;
}

int64_t smr_nn_node_weights(const smr_nn_node *node)
{
    return weights_of(node, true);
}

/* Which of the layers of this word it is: conv1, conv2. */
static smr_status name_node(struct builder *b, smr_nn_node *node)
{
    smr_ctx *ctx = b->ctx;
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t same = 1;
    for (int64_t i = 0; i < b->graph->n; i++) same += b->graph->node[i].layer == node->layer;
    smr_text_printf(&text, "%s%lld", node->layer->word.name, (long long)same);
    TRY(smr_text_done(&text));
    node->name = text.bytes;
    return SMR_OK;
out:
    smr_text_release(&text);
    return st;
}

/* Sizes that memory cannot hold are refused before anything is made of them. */
static smr_status check_sizes(smr_ctx *ctx, const smr_nn_layout *layout)
{
    double size = (double)layout->out.h * (double)layout->out.w * (double)layout->out.c;
    for (int64_t k = 0; k < layout->n_weights; k++) {
        double weights = 1;
        for (int64_t d = 0; d < layout->weights[k].rank; d++)
            weights *= (double)layout->weights[k].dim[d];
        size = SMR_MAX(size, weights);
    }
    if (size <= (double)most_size) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "it would have more than 10^12 numbers");
}

/* Puts the layer and the shapes that come in before what it says. */
static smr_status tell_layer(struct builder *b, const smr_nn_node *node, smr_status st)
{
    char cause[SMR_MESSAGE_MAX];
    smr_text shapes = {.ctx = b->ctx};
    if (st != SMR_ERR_PARAM) return st;
    memcpy(cause, b->ctx->message, sizeof cause);
    smr_begin(b->ctx);
    for (int64_t k = 0; k < SMR_MIN(node->n_from, 4); k++) {
        if (k) smr_text_add(&shapes, " and ");
        smr_nn_item_write(item_of(b->graph, node->from[k]), &shapes);
    }
    smr_word_write(&node->layer->word, node->params, (smr_text_add(&shapes, "\n"), &shapes));
    if (smr_text_done(&shapes) == SMR_OK) {
        char *word = strchr(shapes.bytes, '\n');
        *word++ = '\0';
        if (strlen(word) > 100) memcpy(word + 97, "...", sizeof "...");
        cause[SMR_MESSAGE_MAX - 300] = '\0';
        smr_fail(b->ctx, SMR_ERR_PARAM, "layer %s (%s), on %s: %s", node->address, word,
                 shapes.bytes, cause);
    }
    smr_text_release(&shapes);
    return st;
}

/* Field and jump of what comes in; of several inputs the largest field. */
static void reach(const smr_nn_graph *graph, smr_nn_node *node)
{
    for (int k = 0; k < 2; k++) {
        int64_t field = 1, jump = 1;
        bool all = node->layout.window[k] == 0;
        for (int64_t i = 0; i < node->n_from; i++) {
            if (node->from[i] == SMR_NET_INPUT) continue;
            const smr_nn_node *from = &graph->node[node->from[i]];
            all = all || from->field[k] == 0;
            field = SMR_MAX(field, from->field[k]);
            jump = SMR_MAX(jump, from->jump[k]);
        }
        field += (node->layout.window[k] - 1) * jump;
        int64_t whole = k == 0 ? graph->in.h : graph->in.w;
        node->field[k] = all || field >= 2 * whole ? 0 : field;
        node->jump[k] = all ? 0 : jump * node->layout.step[k];
    }
}

static smr_status add_node(struct builder *b, const smr_nn_link *link, const char *address,
                           const int64_t *from, int64_t n_from, int64_t *at)
{
    smr_ctx *ctx = b->ctx;
    smr_nn_graph *graph = b->graph;
    smr_status st = SMR_OK;
    smr_nn_item in[MOST_FROM];
    if (graph->n == graph->room) {
        int64_t room = graph->room ? 2 * graph->room : 32;
        smr_nn_node *more = smr_realloc(ctx, graph->node, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        graph->node = more;
        graph->room = room;
    }
    smr_nn_node *node = &graph->node[graph->n];
    *node = (smr_nn_node){
        .layer = link->layer, .params = link->params, .n_from = n_from, .depth = b->depth};
    TRY(name_node(b, node));
    graph->n++;
    node->address = smr_strdup(ctx, address);
    if (!node->address) TRY(SMR_ERR_NOMEM);
    TRY_NEW(node->from, n_from);
    for (int64_t i = 0; i < n_from; i++) {
        node->from[i] = from[i];
        in[i] = item_of(graph, from[i]);
    }
    smr_nn_lay lay = {.n = n_from, .in = in, .n_outputs = graph->n_outputs};
    st = link->layer->lay(ctx, link->params, &lay, &node->layout);
    if (st == SMR_OK) st = check_sizes(ctx, &node->layout);
    TRY(tell_layer(b, node, st));
    reach(graph, node);
    *at = graph->n - 1;
out:
    return st;
}

/* The address of part number i of what has the address `of`; 16 chains deep it has room. */
static void write_address(const char *of, const char *dot, int64_t i, char to[ADDRESS])
{
    if (snprintf(to, ADDRESS, "%s%s%lld", of, dot, (long long)i) >= ADDRESS) to[0] = '\0';
}

static smr_status lay_join(struct builder *b, const smr_nn_link *link, const char *address,
                           int64_t from, int64_t *last)
{
    smr_status st = SMR_OK;
    int64_t ends[MOST_FROM], n = 0;
    const smr_nn_chain *part;
    b->depth++;
    for (; n < MOST_FROM && (part = link->layer->part(link->params, n)); n++) {
        char inner[ADDRESS];
        write_address(address, ".", n, inner);
        TRY(lay_chain(b, part, inner, from, &ends[n]));
    }
    b->depth--;
    TRY(add_node(b, link, address, ends, n, last));
out:
    return st;
}

static smr_status lay_chain(struct builder *b, const smr_nn_chain *chain, const char *address,
                            int64_t from, int64_t *last)
{
    smr_status st = SMR_OK;
    *last = from;
    for (int64_t i = 0; i < chain->n; i++) {
        const smr_nn_link *link = &chain->link[i];
        char here[ADDRESS];
        write_address(address, *address ? "." : "", i + 1, here);
        bool is_end = !*address && i == chain->n - 1;
        if (link->layer->traits & SMR_LAYER_IS_OUT && !is_end)
            TRY(smr_fail(b->ctx, SMR_ERR_PARAM,
                         "layer %s: out gives the answer, and can only be the last layer", here));
        TRY(link->layer->traits & SMR_LAYER_IS_JOIN ? lay_join(b, link, here, *last, last)
                                                    : add_node(b, link, here, last, 1, last));
    }
out:
    return st;
}

smr_status smr_nn_graph_build(smr_ctx *ctx, const smr_nn_chain *chain, smr_nn_item in,
                              int64_t n_outputs, bool wants_out, smr_nn_graph *out)
{
    smr_status st = SMR_OK;
    smr_nn_graph graph = {.in = in, .n_outputs = n_outputs};
    struct builder b = {.ctx = ctx, .graph = &graph};
    int64_t last = SMR_NET_INPUT;
    TRY(lay_chain(&b, chain, "", SMR_NET_INPUT, &last));
    bool has_out = chain->n > 0 && chain->link[chain->n - 1].layer->traits & SMR_LAYER_IS_OUT;
    if (wants_out && !has_out) {
        char here[ADDRESS];
        smr_nn_link link = {&smr_layer_out, NULL};
        TRY(smr_params_create(ctx, &link.layer->word, &graph.implied));
        link.params = graph.implied;
        write_address("", "", chain->n + 1, here);
        TRY(add_node(&b, &link, here, &last, 1, &last));
    }
    *out = graph;
    graph = (smr_nn_graph){0};
out:
    smr_nn_graph_release(&graph);
    return st;
}

bool smr_nn_graph_carries(const smr_nn_graph *graph)
{
    for (int64_t i = 0; i < graph->n; i++) {
        const smr_nn_node *node = &graph->node[i];
        bool alone = node->layout.window[0] == 1 && node->layout.step[0] == 1;
        bool looks = node->layer->traits & SMR_LAYER_LOOKS_BACK;
        if (!node->layout.out.in_time || node->layout.out.w != 1) return false;
        if (looks ? !node->layer->carries(node->params) : !alone) return false;
    }
    return true;
}

smr_nn_graph_sums smr_nn_graph_sum(const smr_nn_graph *graph)
{
    smr_nn_graph_sums sums = {.activations = smr_nn_item_size(graph->in)};
    for (int64_t i = 0; i < graph->n; i++) {
        const smr_nn_node *node = &graph->node[i];
        sums.weights += weights_of(node, true);
        sums.statistics += weights_of(node, false);
        sums.products += node->layout.products;
        if (!node->layout.in_place) sums.activations += smr_nn_item_size(node->layout.out);
    }
    return sums;
}
