/* cmd_net.c -- samara net: a network told layer by layer, before anything is trained. */
#include "commands.h"
#include "core/number.h"
#include "report/nets.h"
#include "report/render.h"
#include "session.h"

#include <string.h>

enum { MOST_SIDE = 1 << 20 };

/* "3x224x224" is channels x height x width, "28x28" a picture of one channel, "784" a vector. */
static smr_status read_item(smr_ctx *ctx, const char *text, smr_nn_item *out)
{
    int64_t side[3] = {0}, n = 0;
    const char *at = text, *end = text + strlen(text);
    for (; n < 3; n++) {
        const char *stop = smr_parse_int(at, end, &side[n]);
        if (!stop || stop == at || side[n] < 1 || side[n] > MOST_SIDE) break;
        at = stop;
        bool more = n < 2 && at + 1 < end && (*at == 'x' || *at == ',');
        if (!more) {
            n++;
            break;
        }
        at++;
    }
    if (at != end || n == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--input '%.60s' is not a shape: 3x224x224 is channels x height x width, "
                        "28x28 a picture of one channel, 784 a vector",
                        text);
    if (n == 1) *out = (smr_nn_item){1, 1, side[0], false};
    if (n == 2) *out = (smr_nn_item){side[0], side[1], 1, false};
    if (n == 3) *out = (smr_nn_item){side[1], side[2], side[0], false};
    return SMR_OK;
}

/* The items and answers that it is for: as given, else those that a known net was made for. */
static smr_status choose(smr_ctx *ctx, const args *a, const smr_known_net *known, smr_nn_item *in,
                         int64_t *n_outputs)
{
    *in = known ? known->in : (smr_nn_item){0};
    *n_outputs = a->outputs > 0 ? a->outputs : known ? known->n_outputs : 1;
    if (a->input) return read_item(ctx, a->input, in);
    if (known) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--input is missing: the shape of an item, as in --input 3x224x224 (channels x "
                    "height x width) or --input 784");
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most; /* a network is shown whole */
    smr_text_printf(out, "%s\n\n", smr_json_get_string(root, "net", ""));
    smr_text_printf(out, "input %s\n\n", smr_json_get_string(root, "input", ""));
    smr_render_table(smr_json_get(root, "layers"), 2, 0, out);
    static const char *const shown[] = {"parameters", "multiply_adds", "activations"};
    static const char *const words[] = {"parameters, bytes", "multiply-adds for a row",
                                        "numbers of a row, bytes"};
    static const char *const bytes[] = {"parameter_bytes", NULL, "activation_bytes"};
    smr_text_add(out, "\n");
    for (int i = 0; i < SMR_COUNT(shown); i++) {
        smr_text_printf(out, "  %-24s %lld", words[i],
                        (long long)smr_json_get_number(root, shown[i], 0));
        if (bytes[i])
            smr_text_printf(out, ", %lld", (long long)smr_json_get_number(root, bytes[i], 0));
        smr_text_add(out, "\n");
    }
}

static smr_status tell(smr_ctx *ctx, const args *a, const char *net, smr_json *root)
{
    smr_status st = SMR_OK;
    const smr_known_net *known = smr_nn_zoo_find(net);
    smr_nn_chain chain = {0};
    smr_nn_graph graph = {0};
    smr_text text = {.ctx = ctx};
    smr_nn_item in;
    int64_t n_outputs;
    TRY(smr_nn_chain_read(ctx, net, &chain));
    TRY(choose(ctx, a, known, &in, &n_outputs));
    TRY(smr_nn_graph_build(ctx, &chain, in, n_outputs, a->outputs > 0, &graph));
    smr_nn_chain_write(&chain, &text);
    TRY(smr_text_done(&text));
    smr_json_add_string(root, "net", known ? known->title : text.bytes ? text.bytes : "()");
    smr_json_add_string(root, "chain", text.bytes ? text.bytes : "");
    TRY(smr_report_net(ctx, &graph, root));
    smr_json *figures = smr_json_add_array(root, "figures");
    if (a->n_plots || a->report || a->json)
        TRY(smr_report_net_figure(ctx, &graph, known ? known->title : "The net", figures));
out:
    smr_text_release(&text);
    smr_nn_graph_release(&graph);
    smr_nn_chain_release(&chain);
    return st;
}

smr_status run_net(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    if (strcmp(a->words[1], "shapes") != 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "net knows shapes, not '%.60s'", a->words[1]));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "net");
    TRY(tell(ctx, a, a->words[2], root));
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    return st;
}
