/* nets.c -- see nets.h. */
#include "report/nets.h"

#include "core/figure.h"
#include "report/learners.h"

#include <string.h>

enum { BYTES = 4, MOST_BOXES = 256 }; /* of a number; of a picture */

/* ---- layer by layer --------------------------------------------------------------------- */

static void add_text(smr_json *to, const char *key, smr_text *text)
{
    if (smr_text_done(text) == SMR_OK) smr_json_add_string(to, key, text->bytes ? text->bytes : "");
    text->length = 0;
}

/* The settings of a layer, without chains inside it. */
static void write_settings(const smr_nn_node *node, smr_text *out)
{
    const smr_word *word = &node->layer->word;
    smr_text_add(out, word->name);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        if (p->type == SMR_PARAM_PHRASE || smr_param_is_left_out(word, node->params, p)) continue;
        smr_text value = {.ctx = out->ctx}, usual = {.ctx = out->ctx};
        smr_param_write(p, node->params, &value);
        smr_param_write_default(p, &usual);
        bool bare = i < 2 && p->type != SMR_PARAM_BOOL;
        bool told = bare || !usual.bytes || !value.bytes || strcmp(value.bytes, usual.bytes) != 0;
        if (told && value.bytes)
            smr_text_printf(out, bare ? " %s%s" : " %s=%s", bare ? "" : p->name, value.bytes);
        smr_text_release(&value);
        smr_text_release(&usual);
    }
}

static void write_field(const smr_nn_node *node, smr_text *out)
{
    if (node->field[0] == 0 || node->field[1] == 0)
        smr_text_add(out, "all");
    else
        smr_text_printf(out, "%lld x %lld", (long long)node->field[0], (long long)node->field[1]);
}

static void add_row(const smr_nn_node *node, smr_text *text, smr_json *rows)
{
    smr_json *row = smr_json_add_object(rows, NULL);
    smr_json_add_string(row, "place", node->address);
    smr_json_add_string(row, "name", node->name);
    write_settings(node, text);
    add_text(row, "layer", text);
    smr_nn_item_write(node->layout.out, text);
    add_text(row, "shape", text);
    smr_json_add_number(row, "parameters", (double)smr_nn_node_weights(node));
    smr_json_add_number(row, "multiply_adds", node->layout.products);
    int64_t held = node->layout.in_place ? 0 : smr_nn_item_size(node->layout.out);
    smr_json_add_number(row, "bytes", (double)(BYTES * held));
    write_field(node, text);
    add_text(row, "sees", text);
}

smr_status smr_report_net(smr_ctx *ctx, const smr_nn_graph *graph, smr_json *into)
{
    smr_text text = {.ctx = ctx};
    smr_nn_graph_sums sums = smr_nn_graph_sum(graph);
    smr_nn_item_write(graph->in, &text);
    add_text(into, "input", &text);
    smr_json_add_number(into, "outputs", (double)graph->n_outputs);
    smr_json *rows = smr_json_add_array(into, "layers");
    for (int64_t i = 0; i < graph->n; i++) add_row(&graph->node[i], &text, rows);
    smr_json_add_number(into, "parameters", (double)sums.weights);
    smr_json_add_number(into, "parameter_bytes", (double)(BYTES * sums.weights));
    smr_json_add_number(into, "statistics", (double)sums.statistics);
    smr_json_add_number(into, "multiply_adds", sums.products);
    smr_json_add_number(into, "activations", (double)sums.activations);
    smr_json_add_number(into, "activation_bytes", (double)(BYTES * sums.activations));
    smr_text_release(&text);
    return smr_json_done(into->doc);
}

/* ---- the picture ------------------------------------------------------------------------ */

/* Activations and what is in place are drawn in the box of what they act on. */
static bool shares_box(const smr_nn_node *node)
{
    return node->n_from == 1 && node->from[0] != SMR_NET_INPUT && node->layout.in_place &&
           node->layout.n_weights == 0 && !(node->layer->traits & SMR_LAYER_IS_JOIN);
}

static void write_label(const smr_nn_graph *graph, int64_t i, smr_text *out)
{
    write_settings(&graph->node[i], out);
    for (int64_t k = i + 1;
         k < graph->n && shares_box(&graph->node[k]) && graph->node[k].from[0] == k - 1; k++)
        smr_text_printf(out, ", %s", graph->node[k].layer->word.name);
}

static void add_box(const smr_nn_graph *graph, int64_t i, const int64_t *box, smr_text *text,
                    smr_json *list)
{
    const smr_nn_node *node = &graph->node[i];
    smr_json *one = smr_json_add_object(list, NULL);
    write_label(graph, i, text);
    smr_text_add(text, ": ");
    smr_nn_item_write(node->layout.out, text);
    add_text(one, "label", text);
    smr_json *parents = smr_json_add_array(one, "parents");
    for (int64_t k = 0; k < node->n_from; k++)
        smr_json_add_number(parents, NULL,
                            node->from[k] == SMR_NET_INPUT ? 0 : (double)box[node->from[k]]);
}

smr_status smr_report_net_figure(smr_ctx *ctx, const smr_nn_graph *graph, const char *title,
                                 smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t *box = NULL, n = 1;
    TRY_NEW(box, graph->n + 1);
    for (int64_t i = 0; i < graph->n; i++)
        box[i] = shares_box(&graph->node[i]) ? box[graph->node[i].from[0]] : n++;
    if (n > MOST_BOXES)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "a net of %lld layers is not drawn; at most %d are",
                     (long long)n, (int)MOST_BOXES));
    smr_json *figure = smr_figure_add(figures, "net", title,
                                      "Height, width and channels of what each layer gives.");
    smr_json *list = smr_json_add_array(figure, "graph");
    smr_json *input = smr_json_add_object(list, NULL);
    smr_text_add(&text, "input: ");
    smr_nn_item_write(graph->in, &text);
    add_text(input, "label", &text);
    smr_json_add_array(input, "parents");
    for (int64_t i = 0; i < graph->n; i++)
        if (!shares_box(&graph->node[i])) add_box(graph, i, box, &text, list);
    st = smr_json_done(figures->doc);
out:
    smr_text_release(&text);
    smr_free(box);
    return st;
}

/* ---- lists ------------------------------------------------------------------------------ */

void smr_report_layer_names(smr_text *out)
{
    enum { AT = 18, WIDTH = 96 };
    int64_t n;
    const smr_layer *const *all = smr_layers(&n);
    for (int64_t i = 0; i < n; i++) {
        smr_text_printf(out, "  %-15s ", all[i]->word.name);
        smr_text_wrap(out, all[i]->word.brief, AT, AT, WIDTH);
        smr_text_add(out, "\n");
    }
}

void smr_report_net_names(smr_text *out)
{
    int64_t n;
    const smr_known_net *all = smr_nn_zoo(&n);
    for (int64_t i = 0; i < n; i++)
        smr_text_printf(out, "  %-15s %s; %s\n", all[i].name, all[i].title, all[i].reference);
}

smr_status smr_report_layers(smr_ctx *ctx, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_layer *const *all = smr_layers(&n);
    smr_json *list = smr_json_add_array(into, "layers");
    for (int64_t i = 0; i < n; i++)
        TRY(smr_report_word(ctx, &all[i]->word, smr_json_add_object(list, NULL)));
out:
    return st;
}

void smr_report_nets(smr_json *into)
{
    int64_t n;
    const smr_known_net *all = smr_nn_zoo(&n);
    smr_json *list = smr_json_add_array(into, "nets");
    for (int64_t i = 0; i < n; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", all[i].name);
        smr_json_add_string(row, "title", all[i].title);
        smr_json_add_string(row, "reference", all[i].reference);
        smr_json_add_string(row, "chain", all[i].chain);
    }
}
