/* inspect_tree.c -- see inspect_tree.h. */
#include "inspect_tree.h"

#include "data/file.h"
#include "learn/model_trees.h"
#include "learn/spec.h"
#include "report/render.h"
#include "session.h"

#include <string.h>

enum { SHOWN_RULES = 50 };

smr_status inspect_check(smr_ctx *ctx, const args *a)
{
    if (a->dot && a->rules)
        return smr_fail(ctx, SMR_ERR_PARAM, "--dot and --rules exclude each other");
    if (a->dot && (a->json || a->n_plots || a->report))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--dot prints a graph: it does not take --json, --plot or --report");
    if (a->output && !a->dot)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "inspect takes -o only with --dot; everything else is printed");
    if (a->rules && a->depth >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--rules does not take --depth: a rule goes from the "
                        "root to its leaf; --rows limits their number");
    return SMR_OK;
}

smr_status inspect_check_depth(smr_ctx *ctx, const args *a, const smr_model *model)
{
    int64_t n = smr_model_count_trees(model);
    if (a->depth < 0 || n == 1 || (n > 1 && a->tree >= 0)) return SMR_OK;
    if (n == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--depth: this model has no tree that could be shown");
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--depth: the model has %lld trees, of which none is shown; choose one with "
                    "--tree 0 to %lld",
                    (long long)n, (long long)n - 1);
}

void inspect_show_text(const smr_json *lines, int indent, smr_text *out)
{
    smr_text_printf(out, "%*stree\n", indent, "");
    for (const smr_json *line = lines->first; line; line = line->next)
        smr_text_printf(out, "%*s%s\n", indent + 2, "", line->string);
}

/* The tree that was asked for, or the only one. */
static smr_status open_tree(smr_ctx *ctx, const args *a, const smr_model *model,
                            smr_model_tree *tree, smr_reading *r)
{
    smr_status st = SMR_OK;
    int64_t n = smr_model_count_trees(model);
    if (n > 1 && a->tree < 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the model has %lld trees: choose one with --tree 0 "
                        "to %lld",
                        (long long)n, (long long)n - 1);
    TRY(smr_model_find_tree(ctx, model, SMR_MAX(0, a->tree), tree));
    TRY(smr_reading_open(ctx, &tree->view, &tree->names, tree->tree, r));
out:
    return st;
}

/* ---- rules ------------------------------------------------------------------------------ */

static void show_rule(const smr_json *rule, double all, smr_text *out)
{
    const char *condition = smr_json_get_string(rule, "if", "");
    const smr_json *confidence = smr_json_get(rule, "confidence");
    double rows = smr_json_get_number(rule, "rows", 0);
    if (*condition)
        smr_text_printf(out, "\nif %s\nthen ", condition);
    else
        smr_text_add(out, "\nin any case ");
    smr_render_value(smr_json_get(rule, "then"), out);
    smr_text_add(out, "  (");
    smr_render_number(rows, 7, out);
    smr_text_add(out, " of ");
    smr_render_number(all, 7, out);
    smr_text_add(out, " rows");
    if (confidence) {
        smr_text_add(out, ", ");
        smr_say_share(confidence->number, out);
    }
    smr_text_add(out, ")\n");
}

static void show_rules(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *rules = smr_json_get(root, "rules");
    double all = smr_json_get_number(root, "rows", 0);
    int64_t shown = 0;
    int64_t n = (int64_t)smr_json_get_number(root, "leaves", 0);
    smr_text_printf(out, "%s: %lld %s", smr_json_get_string(root, "model", ""), (long long)n,
                    n == 1 ? "rule" : "rules");
    if (smr_json_get(root, "tree"))
        smr_text_printf(out, " of tree %lld", (long long)smr_json_get_number(root, "tree", 0));
    if (smr_json_get(root, "score_of"))
        smr_text_printf(out, ", parts of the score of %s",
                        smr_json_get_string(root, "score_of", ""));
    smr_text_add(out, ", those that cover most rows first\n");
    for (const smr_json *rule = rules->first; rule && (most == 0 || shown < most);
         rule = rule->next, shown++)
        show_rule(rule, all, out);
    if (shown < n)
        smr_text_printf(out, "\n... %lld more; --rows 0 shows all\n", (long long)(n - shown));
}

static int64_t count_leaves(const smr_reading *r)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->n; i++) n += r->below[i] == 0;
    return n;
}

smr_status inspect_rules(smr_ctx *ctx, const args *a, const smr_model *model)
{
    smr_status st = SMR_OK;
    smr_model_tree tree = {0};
    smr_reading r = {0};
    smr_json_doc *doc = NULL;
    smr_text sentence = {.ctx = ctx};
    bool all = a->json || a->report; /* else as many as are shown */
    int64_t most = all ? 0 : a->rows < 0 ? SHOWN_RULES : a->rows;
    TRY(open_tree(ctx, a, model, &tree, &r));
    TRY(smr_json_create(ctx, &doc));
    smr_stages_write(&model->head, model->stages, model->n_stages, &sentence);
    TRY(smr_text_done(&sentence));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "inspect");
    smr_json_add_string(root, "model", a->words[1]);
    smr_json_add_string(root, "spec", sentence.bytes);
    if (smr_model_count_trees(model) > 1)
        smr_json_add_number(root, "tree", (double)SMR_MAX(0, a->tree));
    smr_reading_add_score(&r, root);
    smr_json_add_number(root, "rows", (double)tree.view.trees->cover[r.first]);
    smr_json_add_number(root, "leaves", (double)count_leaves(&r));
    TRY(smr_reading_rules(ctx, &r, most, smr_json_add_array(root, "rules")));
    TRY(session_finish(ctx, a, root, show_rules));
out:
    smr_text_release(&sentence);
    smr_json_free(doc);
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    return st;
}

/* ---- a graph ---------------------------------------------------------------------------- */

smr_status inspect_dot(smr_ctx *ctx, const args *a, const smr_model *model)
{
    smr_status st = SMR_OK;
    smr_model_tree tree = {0};
    smr_reading r = {0};
    smr_text dot = {.ctx = ctx};
    smr_sink *sink = NULL;
    smr_reading_limits limits = {SMR_MAX(0, a->rows), SMR_MAX(0, a->depth)};
    TRY(open_tree(ctx, a, model, &tree, &r));
    TRY(smr_reading_dot(ctx, &r, limits, &dot));
    if (!a->output) {
        st = session_print(ctx, &dot);
        goto out;
    }
    TRY(smr_sink_open(ctx, a->output, false, &sink));
    TRY(smr_sink_write(ctx, sink, dot.bytes, dot.length));
    TRY(smr_sink_commit(ctx, sink));
    TRY(session_wrote(ctx, a, a->output));
out:
    smr_sink_close(sink);
    smr_text_release(&dot);
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    return st;
}
