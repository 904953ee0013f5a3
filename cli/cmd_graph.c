/* cmd_graph.c -- samara graph: graphs that are given as lists of edges are divided, and what any
 * division cuts is told. */
#include "commands.h"
#include "data/file.h"
#include "session.h"
#include "study/graph_divide.h"

#include <string.h>

static void show_numbers(const smr_json *root, smr_text *out)
{
    static const char *const keys[] = {"nodes", "edges",     "parts", "clusters",
                                       "cut",   "ratio_cut", "ncut",  "min_max_cut"};
    static const char *const words[] = {"nodes", "edges",    "parts", "clusters",
                                        "cut",   "RatioCut", "Ncut",  "MinMaxCut"};
    for (int i = 0; i < SMR_COUNT(keys); i++) {
        const smr_json *value = smr_json_get(root, keys[i]);
        if (!value) continue;
        smr_text_printf(out, "%-12s ", words[i]);
        smr_text_rounded(out, value->number, 6);
        smr_text_add(out, "\n");
    }
}

static void show_list(const smr_json *root, const char *key, smr_text *out)
{
    const smr_json *list = smr_json_get(root, key);
    if (!list || !list->first) return;
    smr_text_printf(out, "%-12s ", key);
    for (const smr_json *v = list->first; v; v = v->next) {
        if (v != list->first) smr_text_add(out, ", ");
        if (v->type == SMR_JSON_STRING)
            smr_text_add(out, v->string);
        else
            smr_text_rounded(out, v->number, 6);
    }
    smr_text_add(out, "\n");
}

static void show_cuts(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    show_numbers(root, out);
    show_list(root, "names", out);
    show_list(root, "sizes", out);
    show_list(root, "eigenvalues", out);
}

static void show_labels(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *list = smr_json_get(root, "labels");
    (void)most; /* every node is in the file */
    smr_text_add(out, "node,cluster\n");
    for (const smr_json *row = list ? list->first : NULL; row; row = row->next) {
        smr_text_add(out, smr_json_get_string(row, "node", ""));
        smr_text_printf(out, ",%lld\n", (long long)smr_json_get_number(row, "cluster", 0));
    }
}

static smr_status finish_division(smr_ctx *ctx, args *a, smr_json *root)
{
    smr_status st = SMR_OK;
    if (!a->output) return session_finish(ctx, a, root, show_cuts);
    smr_text text = {.ctx = ctx};
    smr_sink *sink = NULL;
    show_labels(root, 0, &text);
    TRY(smr_text_done(&text));
    TRY(smr_sink_open(ctx, a->output, false, &sink));
    TRY(smr_sink_write(ctx, sink, text.bytes, text.length));
    TRY(smr_sink_commit(ctx, sink));
    if (strcmp(a->output, "-") != 0) TRY(session_finish(ctx, a, root, show_cuts));
    TRY(session_wrote(ctx, a, a->output));
out:
    smr_sink_close(sink);
    smr_text_release(&text);
    return st;
}

smr_status run_graph(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    bool divides = strcmp(a->words[1], "divide") == 0;
    if (!divides && strcmp(a->words[1], "cut") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no 'graph %s'; choose divide or cut",
                        a->words[1]);
    if (!divides && a->n_words < 4)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "graph cut needs the edges and a file of labels, node and group");
    if (!divides && a->output)
        return smr_fail(ctx, SMR_ERR_PARAM, "graph cut writes no file; graph divide does");
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "graph");
    if (divides) {
        TRY(smr_graph_tell_division(ctx, a->words[2], a->n_words > 3 ? a->words[3] : "", root));
        TRY(finish_division(ctx, a, root));
    } else {
        TRY(smr_graph_tell_cuts(ctx, a->words[2], a->words[3], root));
        TRY(session_finish(ctx, a, root, show_cuts));
    }
out:
    smr_json_free(doc);
    return st;
}
