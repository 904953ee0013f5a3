/* cmd_loss.c -- samara loss: what learners pay for a mistake, in figures and pictures. */
#include "commands.h"
#include "core/number.h"
#include "report/losses.h"
#include "report/render.h"
#include "session.h"

#include <string.h>

/* "huber" or "huber=1.345". */
static smr_status find(smr_ctx *ctx, const char *word, const smr_loss **loss, double *param)
{
    const char *names[SMR_LOSS_COUNT];
    char name[64] = "";
    size_t n = strcspn(word, "=");
    if (n < sizeof name) memcpy(name, word, n);
    *loss = smr_loss_find(name);
    if (!*loss) {
        for (int64_t i = 0; i < SMR_LOSS_COUNT; i++) names[i] = smr_losses[i].name;
        int64_t near = smr_nearest(name, names, SMR_LOSS_COUNT);
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no loss '%s'; %s%s%s", name,
                        near >= 0 ? "did you mean '" : "'samara loss' lists them",
                        near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
    }
    *param = (*loss)->param_default;
    if (!word[n]) return SMR_OK;
    const char *text = word + n + 1, *end = text + strlen(text);
    if (!(*loss)->param)
        return smr_fail(ctx, SMR_ERR_PARAM, "the loss '%s' has no parameter", name);
    if (smr_parse_double(text, end, param) != end)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: '%s' is not a number", word, text);
    return SMR_OK;
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *losses = smr_json_get(root, "losses");
    for (const smr_json *l = losses->first; l; l = l->next) {
        const smr_json *points = smr_json_get(l, "points");
        if (!points) {
            smr_text_printf(out, "  %-14s %s\n", smr_json_get_string(l, "name", ""),
                            smr_json_get_string(l, "formula", ""));
            continue;
        }
        smr_text_printf(out, "%s%s\n", l == losses->first ? "" : "\n",
                        smr_json_get_string(l, "title", ""));
        smr_render_pairs(l, 2, out);
        smr_render_table(points, 2, most, out);
    }
}

smr_status run_loss(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "loss");
    if (a->n_words == 1) {
        smr_json *figures = smr_json_add_array(root, "figures");
        TRY(smr_report_losses(ctx, root, figures));
    } else {
        smr_json *losses = smr_json_add_array(root, "losses");
        smr_json *figures = smr_json_add_array(root, "figures");
        for (int w = 1; w < a->n_words; w++) {
            const smr_loss *loss;
            double param;
            TRY(find(ctx, a->words[w], &loss, &param));
            TRY(smr_report_loss(ctx, loss, param, losses, figures));
        }
    }
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    return st;
}
