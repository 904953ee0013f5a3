/* cmd_inspect.c -- samara inspect: what a model learned, stage by stage; a tree as rules or a graph
 * (inspect_tree.c). */
#include "commands.h"
#include "core/sort.h"
#include "inspect_tree.h"
#include "learn/model.h"
#include "report/render.h"
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is shown of a model: how many rows of a table, and what its outputs are called. */
struct view {
    int64_t most;
    const smr_json *targets;
};

static bool is_list(const smr_json *v)
{
    return v->type == SMR_JSON_ARRAY && v->first && v->first->type == SMR_JSON_OBJECT;
}

/* Objects that hold tables themselves, such as one for each target. */
static bool is_nested(const smr_json *v)
{
    for (const smr_json *m = is_list(v) ? v->first->first : NULL; m; m = m->next)
        if (is_list(m)) return true;
    return false;
}

/* Where there are more coefficients than are shown, the largest say most, not the first by name. */
static bool is_cut(const smr_json *table, int64_t most)
{
    return strcmp(table->key, "coefficients") == 0 && most > 0 && table->n > most &&
           smr_json_get(table->first, "estimate");
}

static smr_status add_largest(smr_ctx *ctx, const smr_json *table, int64_t most, smr_json *into)
{
    smr_status st = SMR_OK;
    double *size = NULL;
    int64_t *order = NULL, i = 0;
    const smr_json **rows = NULL;
    TRY_NEW(size, table->n);
    TRY_NEW(order, table->n);
    TRY_NEW(rows, table->n);
    for (const smr_json *row = table->first; row; row = row->next, i++) {
        rows[i] = row;
        size[i] = -fabs(smr_json_get_number(row, "estimate", 0));
    }
    TRY(smr_argsort_f64(ctx, table->n, size, order));
    for (i = 0; i < most; i++) smr_json_add_copy(into, NULL, rows[order[i]]);
    st = smr_json_done(into->doc);
out:
    smr_free(rows);
    smr_free(order);
    smr_free(size);
    return st;
}

static void show_largest(const smr_json *table, int indent, int64_t most, smr_text *out)
{
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(out->ctx, &doc);
    smr_json *list = doc ? smr_json_add_array(smr_json_root(doc), "largest") : NULL;
    if (st == SMR_OK && list) st = add_largest(out->ctx, table, most, list);
    if (st != SMR_OK || !list) {
        out->failed = true;
    } else {
        smr_text_printf(out, "%*s%s, the %lld largest of %lld; --rows 0 shows all\n", indent, "",
                        table->key, (long long)most, (long long)table->n);
        smr_render_table(list, indent + 2, most, out);
    }
    smr_json_free(doc);
}

static void show_members(const smr_json *object, int indent, const struct view *view,
                         smr_text *out);

static void show_nested(const smr_json *list, int indent, const struct view *view, smr_text *out)
{
    bool per_target = view->targets && view->targets->n == list->n;
    const smr_json *name = per_target ? view->targets->first : NULL;
    int64_t i = 0;
    for (const smr_json *one = list->first; one; one = one->next, i++) {
        smr_text_printf(out, "%*s%s ", indent, "", list->key);
        if (name)
            smr_render_value(name, out);
        else
            smr_text_printf(out, "%lld", (long long)i);
        smr_text_add(out, "\n");
        show_members(one, indent + 2, view, out);
        name = name ? name->next : NULL;
    }
}

/* Scalars as pairs, short lists on a line, arrays of objects as tables, objects one level in. */
static void show_members(const smr_json *object, int indent, const struct view *view, smr_text *out)
{
    int64_t most = view->most;
    smr_render_pairs(object, indent, out);
    for (const smr_json *m = object->first; m; m = m->next) {
        if (strcmp(m->key, "tree_text") == 0) {
            inspect_show_text(m, indent, out);
        } else if (is_nested(m)) {
            show_nested(m, indent, view, out);
        } else if (is_list(m) && is_cut(m, most)) {
            show_largest(m, indent, most, out);
        } else if (is_list(m)) {
            smr_text_printf(out, "%*s%s\n", indent, "", m->key);
            smr_render_table(m, indent + 2, most, out);
        } else if (m->type == SMR_JSON_ARRAY && m->first) {
            smr_text_printf(out, "%*s%s  ", indent, "", m->key);
            smr_render_value(m, out);
            smr_text_add(out, "\n");
        } else if (m->type == SMR_JSON_OBJECT) {
            smr_text_printf(out, "%*s%s\n", indent, "", m->key);
            show_members(m, indent + 2, view, out);
        }
    }
}

/* What the head line already says. */
static bool in_head(const char *key)
{
    static const char *const keys[] = {"sentence", "stage", "inserted", "title", "members"};
    for (int64_t i = 0; i < SMR_COUNT(keys); i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

static void show_stage(const smr_json *stage, const char *number, const struct view *view,
                       smr_text *out);

/* The first few of many members stand for all, unless --rows 0 asks for them. */
enum { MANY_MEMBERS = 8, FEW_MEMBERS = 3 };

/* "of.12": is it one of the first few of its kind? */
static bool is_among_first(const char *member)
{
    const char *dot = strrchr(member, '.');
    return !dot || (dot[1] && !dot[2] && dot[1] < '0' + FEW_MEMBERS);
}

static void show_how_many(const smr_json *stage, const smr_json *members, smr_text *out)
{
    int64_t shown = 0;
    double more = smr_json_get_number(stage, "members_not_shown", 0);
    for (const smr_json *m = members->first; m; m = m->next)
        shown += is_among_first(smr_json_get_string(m, "member", ""));
    smr_text_printf(out, "\n%lld of %lld members are shown; --rows 0 shows %lld\n",
                    (long long)shown, (long long)(members->n + (int64_t)more),
                    (long long)members->n);
}

/* The members' stages, after the stage that they belong to: "1.of.0.2". */
static void show_stages_of_members(const smr_json *stage, const char *number,
                                   const struct view *view, smr_text *out)
{
    const smr_json *members = smr_json_get(stage, "members");
    bool few = members && members->n > MANY_MEMBERS && view->most > 0;
    for (const smr_json *m = members ? members->first : NULL; m; m = m->next) {
        const smr_json *stages = smr_json_get(m, "stages");
        if (few && !is_among_first(smr_json_get_string(m, "member", ""))) continue;
        int64_t k = 0;
        for (const smr_json *one = stages ? stages->first : NULL; one; one = one->next) {
            smr_text path = {.ctx = out->ctx};
            smr_text_printf(&path, "%s.%s.%lld", number, smr_json_get_string(m, "member", ""),
                            (long long)k++);
            if (smr_text_done(&path) == SMR_OK)
                show_stage(one, path.bytes, view, out);
            else
                out->failed = true;
            smr_text_release(&path);
        }
    }
    if (few) show_how_many(stage, members, out);
}

/* A model of many trees shows none of them unless asked. */
static void show_way_to_trees(const smr_json *stage, const char *number, smr_text *out)
{
    int64_t n = (int64_t)smr_json_get_number(stage, "trees", 0);
    if (n > 1 && !strchr(number, '.') && !smr_json_get(stage, "tree_text"))
        smr_text_printf(out, "   --tree 0 to %lld shows one of the trees\n", (long long)n - 1);
}

static void show_stage(const smr_json *stage, const char *number, const struct view *view,
                       smr_text *out)
{
    smr_json_doc *doc = NULL;
    smr_text_printf(out, "\n%s  %s%s\n", number, smr_json_get_string(stage, "sentence", ""),
                    smr_json_get_bool(stage, "inserted", false) ? "  (inserted)" : "");
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    for (const smr_json *m = stage->first; m; m = m->next)
        if (!in_head(m->key)) smr_json_add_copy(smr_json_root(doc), m->key, m);
    if (smr_json_done(doc) == SMR_OK)
        show_members(smr_json_root(doc), 3, view, out);
    else
        out->failed = true;
    smr_json_free(doc);
    show_way_to_trees(stage, number, out);
    show_stages_of_members(stage, number, view, out);
}

/* A stream's measures are one level deeper, beside the sums that they come from. */
static void show_measured(const smr_json *measured, smr_text *out)
{
    const smr_json *inner = smr_json_get(measured, "measures");
    smr_json_doc *doc = NULL;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    for (const smr_json *m = measured->first; m; m = m->next)
        smr_json_add_copy(smr_json_root(doc), m->key, m);
    for (const smr_json *m = inner ? inner->first : NULL; m; m = m->next)
        smr_json_add_copy(smr_json_root(doc), m->key, m);
    if (smr_json_done(doc) == SMR_OK)
        smr_render_pairs(smr_json_root(doc), 3, out);
    else
        out->failed = true;
    smr_json_free(doc);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    smr_render_pairs(root, 0, out);
    const smr_json *target = smr_json_get(root, "target"), *classes = smr_json_get(root, "classes");
    if (target) {
        smr_text_add(out, "target    ");
        smr_render_value(target, out);
        smr_text_add(out, "\n");
    }
    if (classes) {
        smr_text_add(out, "classes   ");
        smr_render_value(classes, out);
        smr_text_add(out, "\n");
    }
    const smr_json *threshold = smr_json_get(root, "threshold");
    if (threshold) {
        const char *positive = smr_json_get_string(threshold, "positive", NULL);
        if (positive)
            smr_text_printf(out, "positive  %s, where its score is at least ", positive);
        else
            smr_text_add(out, "outlier   where the score is below ");
        smr_render_value(smr_json_get(threshold, "value"), out);
        smr_text_printf(out, " (%s)\n", smr_json_get_string(threshold, "chosen", "given"));
    }
    const smr_json *fit = smr_json_get(root, "fit"), *measured = smr_json_get(root, "measured");
    if (fit) {
        smr_text_add(out, "\nfit\n");
        smr_render_pairs(fit, 3, out);
    }
    if (measured) {
        smr_text_add(out, "\nmeasured when it was trained\n");
        show_measured(measured, out);
    }
    const smr_json *stages = smr_json_get(root, "stages");
    struct view view = {most, target};
    int64_t number = 0;
    for (const smr_json *stage = stages ? stages->first : NULL; stage; stage = stage->next) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)number++);
        show_stage(stage, text, &view, out);
    }
}

smr_status run_inspect(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_json_doc *doc = NULL;
    smr_tree_how how = {a->tree, a->rows, a->depth};
    TRY(inspect_check(ctx, a));
    TRY(smr_model_load(ctx, a->words[1], &model));
    TRY(inspect_check_depth(ctx, a, model));
    if (a->dot || a->rules) {
        st = a->dot ? inspect_dot(ctx, a, model) : inspect_rules(ctx, a, model);
        goto out;
    }
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "inspect");
    smr_json_add_string(root, "model", a->words[1]);
    TRY(smr_model_describe_as(ctx, model, &how, root));
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    smr_model_free(model);
    return st;
}
