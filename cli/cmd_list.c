/* cmd_list.c -- samara list: every learner, transform, generator and measure. */
#include "commands.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "report/catalog.h"
#include "report/learners.h"
#include "report/nets.h"
#include "report/render.h"
#include "screen.h"
#include "session.h"
#include "study/judge.h"

#include <string.h>

static const char *const kinds[] = {"learners", "transforms", "generators",
                                    "measures", "layers",     "nets"};

static void show_learners(bool transforms, smr_text *out)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    smr_text_add(out, transforms ? "\nTransforms\n" : "Learners\n");
    for (int64_t i = 0; i < n; i++)
        if (!!(all[i]->tasks & SMR_DOES_TRANSFORM) == transforms)
            smr_text_printf(out, "%c %-15s %s\n", all[i]->stream ? '*' : ' ', all[i]->word->name,
                            all[i]->word->brief);
}

static bool wants(const args *a, const char *kind)
{
    return a->n_words < 2 || strcmp(a->words[1], kind) == 0;
}

static smr_status check_kind(smr_ctx *ctx, const char *word)
{
    for (int64_t i = 0; i < SMR_COUNT(kinds); i++)
        if (strcmp(word, kinds[i]) == 0) return SMR_OK;
    int64_t near = smr_nearest(word, kinds, SMR_COUNT(kinds));
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "list knows learners, transforms, generators, measures, layers and nets, not '%s'%s%s%s",
        word, near >= 0 ? "; did you mean '" : "", near >= 0 ? kinds[near] : "",
        near >= 0 ? "'?" : "");
}

static smr_status list_as_json(smr_ctx *ctx, const args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "list");
    if (wants(a, "learners") || wants(a, "transforms")) TRY(smr_report_learners(ctx, root));
    if (wants(a, "generators")) smr_report_generators(root);
    if (wants(a, "measures")) smr_report_measures(root);
    if (wants(a, "layers")) TRY(smr_report_layers(ctx, root));
    if (wants(a, "nets")) smr_report_nets(root);
    TRY(session_print_json(ctx, root));
out:
    smr_json_free(doc);
    return st;
}

smr_status run_list(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_text text = screen_text(ctx);
    if (a->n_words > 1) TRY(check_kind(ctx, a->words[1]));
    if (a->json) return list_as_json(ctx, a);
    if (wants(a, "learners")) show_learners(false, &text);
    if (wants(a, "transforms")) show_learners(true, &text);
    if (wants(a, "learners") || wants(a, "transforms")) {
        smr_text_add(&text, "\nHead of a sentence: says how the columns of a table are read\n");
        smr_text_printf(&text, "  %-15s %s\n", smr_columns_word.name, smr_columns_word.brief);
    }
    if (wants(a, "learners") || wants(a, "transforms"))
        smr_text_add(&text, "\n* also learns from a stream (samara stream)\n");
    if (wants(a, "generators")) {
        smr_text_add(&text, "\nGenerators (samara make)\n");
        smr_report_generator_names(&text);
    }
    if (wants(a, "measures")) {
        for (int task = SMR_TASK_CLASSIFY; task < SMR_TASKS; task++) {
            smr_text_printf(&text, "\nMeasures of predicted %s (--measure)\n",
                            smr_judge_of((smr_task)task)->predicts);
            smr_report_measure_names((smr_task)task, &text);
        }
    }
    if (wants(a, "layers")) {
        smr_text_add(&text, "\nLayers of networks (samara net)\n");
        smr_report_layer_names(&text);
    }
    if (wants(a, "nets")) {
        smr_text_add(&text, "\nKnown networks (samara net shapes NAME)\n");
        smr_report_net_names(&text);
    }
    if (a->n_words < 2 || !wants(a, "measures"))
        smr_text_add(&text, "\n'samara help NAME' explains a learner, transform or generator.\n");
    TRY(smr_text_done(&text));
    text.length -= text.bytes[0] == '\n'; /* no blank line before what comes first */
    memmove(text.bytes, text.bytes + (text.bytes[0] == '\n'), (size_t)text.length);
    TRY(session_print(ctx, &text));
out:
    smr_text_release(&text);
    return st;
}
