/* explain_path.c -- the way of one row through a tree, or through all trees of a model. */
#include "core/figure.h"
#include "learn/model_trees.h"
#include "learn/target_map.h"
#include "study/explain_parts.h"

#include <math.h>

enum { MOST_BARS = 30 };

/* ---- pictures --------------------------------------------------------------------------- */

/* "petal_width <= 1.75: no", or "bmi = 23". */
static void say_row(const smr_json *row, smr_text *out)
{
    const char *question = smr_json_get_string(row, "question", NULL);
    const smr_json *value = smr_json_get(row, "value");
    out->length = 0;
    if (question) {
        smr_text_printf(out, "%s: %s", question, smr_json_get_string(row, "answer", ""));
        return;
    }
    smr_text_add(out, smr_json_get_string(row, "feature", ""));
    smr_text_add(out, value->type == SMR_JSON_NULL ? " missing" : " = ");
    if (value->type == SMR_JSON_NUMBER) smr_text_rounded(out, value->number, 5);
    if (value->type == SMR_JSON_STRING) smr_text_add_bytes(out, value->string, value->n);
}

/* Bars of what moved the answer: for each row of a list, its words and a number. */
static smr_status draw(smr_ctx *ctx, const smr_json *list, double (*moved)(const smr_json *row),
                       smr_json *figures)
{
    smr_status st = SMR_OK;
    double value[MOST_BARS];
    int64_t n = 0;
    smr_text words = {.ctx = ctx};
    if (!list || list->n == 0) return SMR_OK;
    bool path = smr_json_get(list->first, "question");
    smr_json *figure = smr_figure_add(
        figures, path ? "path" : "contributions", path ? "Path" : "Contributions",
        path ? "How each answer changed the tree's prediction, from the root down."
             : "How far the answers about each feature moved the score, summed over all trees.");
    smr_figure_axis(figure, "x", "change", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (const smr_json *row = list->first; row && n < MOST_BARS; row = row->next, n++) {
        say_row(row, &words);
        TRY(smr_text_done(&words));
        smr_json_add_bytes(names, NULL, words.bytes, words.length);
        value[n] = moved(row);
    }
    smr_figure_series(figure, "change", "hbars", n, value, NULL);
out:
    smr_text_release(&words);
    return st;
}

static double moved_by_question(const smr_json *row)
{
    return smr_json_get_number(row, "after", NAN) - smr_json_get_number(row, "before", NAN);
}

static double moved_by_feature(const smr_json *row)
{
    return smr_json_get_number(row, "contribution", NAN);
}

/* ---- ways ------------------------------------------------------------------------------- */

static smr_status tell_tree(smr_ctx *ctx, const smr_model_tree *tree, int64_t number,
                            const double *x, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_reading r = {0};
    smr_json *path = smr_json_add_object(into, "path");
    TRY(smr_reading_open(ctx, &tree->view, &tree->names, tree->tree, &r));
    smr_json_add_number(path, "tree", (double)number);
    TRY(smr_reading_path(ctx, &r, x, path));
    const smr_json *steps = smr_json_get(path, "steps");
    bool one = tree->view.says == SMR_SAYS_SHARES || tree->view.trees->width == 1;
    if (one) TRY(draw(ctx, steps, moved_by_question, smr_json_add_array(into, "figures")));
out:
    smr_reading_close(&r);
    return st;
}

static smr_status tell_all(smr_ctx *ctx, const smr_model_tree *tree, const double *x,
                           smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *paths = smr_json_add_object(into, "paths");
    TRY(smr_trees_paths(ctx, &tree->view, &tree->names, x, paths));
    TRY(draw(ctx, smr_json_get(paths, "contributions"), moved_by_feature,
             smr_json_add_array(into, "figures")));
out:
    return st;
}

smr_status smr_explain_check_row(smr_ctx *ctx, const smr_table *table, int64_t row)
{
    if (row >= 1 && row <= table->n_rows) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "--row: there is no row %lld; %s has rows 1 to %lld",
                    (long long)row, table->source ? table->source : "the table",
                    (long long)table->n_rows);
}

smr_status smr_explain_path(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                            const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_model_tree tree = {0};
    double *x = NULL;
    int64_t row = how->row ? how->row : 1, n = smr_model_count_trees(m);
    TRY(smr_explain_check_row(ctx, sample->table, row));
    TRY(smr_model_find_tree(ctx, m, how->has_tree ? how->tree : 0, &tree));
    if (tree.n_way > 0 && n > 1 && !how->has_tree) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "the %lld trees are of members of '%s', which are not summed: choose one "
                      "with --tree 0 to %lld",
                      (long long)n, smr_model_last(m)->learner->word->name, (long long)n - 1);
        goto out;
    }
    TRY(smr_model_tree_row(ctx, m, &tree, sample->table, row - 1, &x));
    smr_json_add_number(into, "row", (double)row);
    TRY(smr_explain_predicted(ctx, m, sample->table, row - 1, into));
    if (m->target_map) /* what trees say is in its unit */
        smr_json_add_string(into, "fitted_to", smr_target_map_words(smr_model_columns(m)->target));
    if (how->has_tree || n == 1)
        TRY(tell_tree(ctx, &tree, how->has_tree ? how->tree : 0, x, into));
    else
        TRY(tell_all(ctx, &tree, x, into));
    st = smr_json_done(into->doc);
out:
    smr_free(x);
    smr_model_tree_release(&tree);
    return st;
}
