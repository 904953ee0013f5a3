/* cmd_filter.c -- samara filter: a picture filtered with a kernel. */
#include "commands.h"
#include "core/number.h"
#include "outputs.h"
#include "report/render.h"
#include "session.h"
#include "study/picture_filter.h"

#include <string.h>

static void show_numbers(const char *words, const smr_json *rows, smr_text *out)
{
    if (!rows) return;
    smr_text_printf(out, "\n%s\n", words);
    for (const smr_json *row = rows->first; row; row = row->next) {
        smr_text_add(out, " ");
        for (const smr_json *v = row->first; v; v = v->next) {
            char text[SMR_NUMBER_MAX];
            smr_format_rounded(v->number, 5, text);
            smr_text_printf(out, " %8s", text);
        }
        smr_text_add(out, "\n");
    }
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    smr_text_printf(out, "%s: %lld x %lld pixels become %lld x %lld, with numbers from ",
                    smr_json_get_string(root, "data", ""),
                    (long long)smr_json_get_number(root, "width", 0),
                    (long long)smr_json_get_number(root, "height", 0),
                    (long long)smr_json_get_number(root, "new_width", 0),
                    (long long)smr_json_get_number(root, "new_height", 0));
    smr_text_rounded(out, smr_json_get_number(root, "least", 0), 5);
    smr_text_add(out, " to ");
    smr_text_rounded(out, smr_json_get_number(root, "largest", 0), 5);
    smr_text_add(out, "\n");
    show_numbers("kernel", smr_json_get(root, "kernel"), out);
    show_numbers("filtered", smr_json_get(root, "filtered"), out);
}

/* The number of the word in the list, which is "name, name or name" for people. */
static smr_status read_choice(smr_ctx *ctx, const char *name, const char *given,
                              const char *const *names, int n, int *out)
{
    smr_text list = {.ctx = ctx};
    smr_status st = SMR_OK;
    for (int k = 0; given && k < n; k++) {
        if (strcmp(given, names[k]) == 0) {
            *out = k;
            goto out;
        }
        smr_text_printf(&list, "%s%s", k == 0 ? "" : k + 1 == n ? " or " : ", ", names[k]);
    }
    if (!given) goto out;
    TRY(smr_text_done(&list));
    TRY(smr_fail(ctx, SMR_ERR_PARAM, "--%s: %s, not '%.60s'", name, list.bytes, given));
out:
    smr_text_release(&list);
    return st;
}

static smr_status read_how(smr_ctx *ctx, const args *a, smr_picture_filter *how)
{
    static const char *const edges[] = {"zero", "repeat", "whole"};
    static const char *const values[] = {"clip", "stretch", "size"};
    smr_status st = SMR_OK;
    int edge = SMR_FILTER_ZERO, value = SMR_VALUES_CLIP;
    TRY(smr_picture_how_read(ctx, a->size, a->fit, a->grey, &how->how));
    TRY(read_choice(ctx, "edge", a->edge, edges, SMR_COUNT(edges), &edge));
    TRY(read_choice(ctx, "values", a->values, values, SMR_COUNT(values), &value));
    how->edge = (smr_filter_edge)edge;
    how->values = (smr_filter_values)value;
    how->kernel = a->words[2];
    how->flip = a->flip;
    how->stride = a->stride < 0 ? 1 : a->stride;
    how->figures = a->n_plots || a->report || a->json;
    if (a->output && !outputs_ends_in(a->output, ".png"))
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s: the name must end in .png", a->output));
out:
    return st;
}

smr_status run_filter(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text picture = {.ctx = ctx};
    smr_picture_filter how = {0};
    TRY(read_how(ctx, a, &how));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "filter");
    smr_json_add_string(root, "data", a->words[1]);
    TRY(smr_filter_picture(ctx, a->words[1], &how, &picture, root));
    session_add_warnings(root);
    if (a->output) TRY(outputs_write(ctx, a->output, &picture));
    TRY(session_finish(ctx, a, root, show));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_json_free(doc);
    smr_text_release(&picture);
    return st;
}
