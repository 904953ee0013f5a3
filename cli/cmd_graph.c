/* cmd_graph.c -- samara graph: graphs that are given as lists of edges are divided, what any
 * division cuts is told, and the rows of a table are made one. */
#include "commands.h"
#include "data/file.h"
#include "data/read.h"
#include "session.h"
#include "study/graph_divide.h"

#include <string.h>

static void show_numbers(const smr_json *root, smr_text *out)
{
    static const char *const keys[] = {"nodes",    "edges", "parts",     "eps",  "sigma",
                                       "clusters", "cut",   "ratio_cut", "ncut", "min_max_cut"};
    static const char *const words[] = {"nodes",    "edges", "parts",    "eps",  "sigma",
                                        "clusters", "cut",   "RatioCut", "Ncut", "MinMaxCut"};
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

static smr_status write_file(smr_ctx *ctx, const args *a, const smr_text *text)
{
    smr_status st = SMR_OK;
    smr_sink *sink = NULL;
    TRY(smr_text_done(text));
    TRY(smr_sink_open(ctx, a->output, false, &sink));
    TRY(smr_sink_write(ctx, sink, text->bytes, text->length));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    return st;
}

/* Shows the result, unless the file goes there. */
static smr_status finish(smr_ctx *ctx, args *a, smr_json *root, smr_text *text)
{
    smr_status st = SMR_OK;
    if (!a->output) return session_finish(ctx, a, root, show_cuts);
    TRY(write_file(ctx, a, text));
    if (strcmp(a->output, "-") != 0) TRY(session_finish(ctx, a, root, show_cuts));
    TRY(session_wrote(ctx, a, a->output));
out:
    return st;
}

/* ---- edges that are given --------------------------------------------------------------- */

static smr_status refuse_columns(smr_ctx *ctx, const args *a)
{
    const char *given = a->target ? "target" : a->weight ? "weight" : a->ignore ? "ignore" : NULL;
    if (!given) given = cli_file_option(a);
    if (!given) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--%s is about a table, for graph rows; graph %s reads edges", given,
                    a->words[1]);
}

static smr_status run_divide(smr_ctx *ctx, args *a, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_links links = {0};
    smr_text text = {.ctx = ctx};
    TRY(refuse_columns(ctx, a));
    TRY(smr_links_from_file(ctx, a->words[2], &links));
    TRY(smr_graph_tell_division(ctx, &links, a->n_words > 3 ? a->words[3] : "", NULL, root));
    show_labels(root, 0, &text);
    TRY(finish(ctx, a, root, &text));
out:
    smr_text_release(&text);
    smr_links_release(&links);
    return st;
}

static smr_status run_cut(smr_ctx *ctx, args *a, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_links links = {0};
    TRY(refuse_columns(ctx, a));
    if (a->n_words < 4)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "graph cut needs the edges and a file of labels, node and group"));
    if (a->output)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "graph cut writes no file; graph divide and graph rows do"));
    TRY(smr_links_from_file(ctx, a->words[2], &links));
    TRY(smr_graph_tell_file_cuts(ctx, &links, a->words[3], root));
    TRY(session_finish(ctx, a, root, show_cuts));
out:
    smr_links_release(&links);
    return st;
}

/* ---- rows of a table -------------------------------------------------------------------- */

static smr_status run_rows(smr_ctx *ctx, args *a, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_links links = {0};
    smr_strings groups = {0};
    smr_text text = {.ctx = ctx};
    int32_t *label = NULL;
    smr_set_opts opts = {
        .target = a->target, .weight = a->weight, .ignore = a->ignore, .types = a->types};
    TRY(session_read(ctx, a, a->words[2], &table));
    TRY(smr_links_from_rows(ctx, table, a->n_words > 3 ? a->words[3] : NULL, &opts, &links, &label,
                            &groups));
    TRY(smr_graph_tell_parts(ctx, &links, root));
    if (label) TRY(smr_graph_tell_cuts(ctx, &links, &groups, label, root));
    if (a->output) smr_links_write(&links, &text);
    TRY(finish(ctx, a, root, &text));
out:
    smr_free(label);
    smr_strings_release(&groups);
    smr_text_release(&text);
    smr_links_release(&links);
    smr_table_free(table);
    return st;
}

smr_status run_graph(smr_ctx *ctx, args *a)
{
    static const struct {
        const char *word;
        smr_status (*run)(smr_ctx *ctx, args *a, smr_json *root);
    } words[] = {{"divide", run_divide}, {"cut", run_cut}, {"rows", run_rows}};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    int which = 0;
    while (which < SMR_COUNT(words) && strcmp(a->words[1], words[which].word) != 0) which++;
    if (which == SMR_COUNT(words))
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no 'graph %s'; choose divide, cut or rows",
                        a->words[1]);
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "graph");
    TRY(words[which].run(ctx, a, root));
out:
    smr_json_free(doc);
    return st;
}
