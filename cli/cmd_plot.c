/* cmd_plot.c -- samara plot: the result of an earlier call (its --json), drawn now.
 *
 * A long search is run once and kept as JSON; its pictures and its page can be made, and made
 * again, from that file.  A file with a single figure is taken as well. */
#include "commands.h"
#include "data/file.h"
#include "report/render.h"
#include "session.h"

#include <string.h>

/* What there is to draw. */
static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *figures = smr_json_get(root, "figures");
    int64_t n = figures && figures->type == SMR_JSON_ARRAY ? figures->n : 0, i = 0;
    smr_text_printf(out, "%s: ", smr_json_get_string(root, "command", "figure"));
    smr_text_count(out, n, "figure");
    smr_text_add(out, "\n");
    for (const smr_json *f = n ? figures->first : NULL; f && (!most || i < most); f = f->next, i++)
        smr_text_printf(out, "  %-20s %s\n", smr_json_get_string(f, "name", "?"),
                        smr_json_get_string(f, "title", "(no title)"));
}

static smr_status read_json(smr_ctx *ctx, const char *path, smr_json_doc **out)
{
    const int64_t most = INT64_C(1) << 30;
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, most, &bytes, &n));
    const char *at = bytes, *end = bytes + n;
    while (at < end && strchr(" \t\r\n", *at)) at++;
    if (at == end || !strchr("{[", *at))
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s is not JSON; plot draws what a command printed with --json", path));
    st = smr_json_parse(ctx, bytes, n, out);
    if (st != SMR_OK) smr_while(ctx, "reading %s", path);
out:
    smr_free(bytes);
    smr_source_close(source);
    return st;
}

smr_status run_plot(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL, *wrapped = NULL;
    TRY(read_json(ctx, a->words[1], &doc));
    smr_json *root = smr_json_root(doc);
    if (root->type != SMR_JSON_OBJECT) {
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s holds no result: not a JSON object", a->words[1]);
        goto out;
    }
    bool drawn = smr_json_get(root, "series") || smr_json_get(root, "tree") ||
                 smr_json_get(root, "graph") || smr_json_get(root, "tiles");
    if (!smr_json_get(root, "figures") && drawn) { /* a figure alone */
        TRY(smr_json_create(ctx, &wrapped));
        smr_json *list = smr_json_add_array(smr_json_root(wrapped), "figures");
        smr_json_add_copy(list, NULL, root);
        root = smr_json_root(wrapped);
    }
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    smr_json_free(wrapped);
    return st;
}
