/* list.c -- samara list: every learner, generator and measure. */
#include "commands.h"
#include "learn/registry.h"
#include "report/catalog.h"
#include "report/learners.h"
#include "report/render.h"
#include "session.h"

static void show_learners(bool transforms, smr_text *out)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    smr_text_add(out, transforms ? "\nTransforms\n" : "Learners\n");
    for (int64_t i = 0; i < n; i++)
        if (!!(all[i]->tasks & SMR_DOES_TRANSFORM) == transforms)
            smr_text_printf(out, "  %-15s %s\n", all[i]->name, all[i]->brief);
}

smr_status run_list(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    if (a->json) {
        TRY(smr_json_create(ctx, &doc));
        smr_json *root = smr_json_root(doc);
        smr_json_add_string(root, "command", "list");
        TRY(smr_report_learners(ctx, root));
        smr_report_generators(root);
        smr_report_measures(root);
        TRY(session_print_json(ctx, root));
    } else {
        show_learners(false, &text);
        show_learners(true, &text);
        smr_text_add(&text, "\nGenerators (samara make)\n");
        smr_report_generator_names(&text);
        smr_text_add(&text, "\n'samara help NAME' explains one.\n");
        TRY(session_print(ctx, &text));
    }
out:
    smr_text_release(&text);
    smr_json_free(doc);
    return st;
}
