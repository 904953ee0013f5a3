/* tree_describe.c -- what a tree tells about itself: size, search, gains, the pruning sequence. */
#include "learn/trees/tree.h"

#include "core/figure.h"
#include "core/text.h"
#include "learn/trees/importance.h"

#include <math.h>

enum { MOST_STEPS = 60 }; /* of a pruning sequence that are shown */

/* Is step i of the sequence among those that are shown: evenly spaced ones, and the chosen one? */
static bool is_told(const struct smr_tree_state *s, int64_t i)
{
    if (s->n_path <= MOST_STEPS || s->path_alpha[i] == s->alpha) return true;
    return i * (MOST_STEPS - 1) / (s->n_path - 1) != (i - 1) * (MOST_STEPS - 1) / (s->n_path - 1) ||
           i == 0;
}

static void describe_path(const struct smr_tree_state *s, smr_json *into)
{
    smr_json_add_number(into, "alpha", s->alpha);
    smr_json_add_number(into, "pruning_steps", (double)s->n_path);
    smr_json *list = smr_json_add_array(into, "pruning");
    for (int64_t i = 0; i < s->n_path; i++) {
        if (!is_told(s, i)) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "alpha", s->path_alpha[i]);
        smr_json_add_number(row, "leaves", s->path_leaves[i]);
        smr_json_add_number(row, "impurity", s->path_impurity[i]);
        if (!s->path_error) continue;
        smr_json_add_number(row, "cv_error", s->path_error[i]);
        smr_json_add_number(row, "se", s->path_se[i]);
    }
}

smr_status smr_tree_describe(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_tree_state *s = state;
    smr_status st = SMR_OK;
    (void)params;
    smr_json_add_string(into, "criterion", smr_tree_criteria[s->criterion].name);
    smr_json_add_string(into, "search", s->n_rounded > 0 ? "histogram" : "exact");
    if (s->n_rounded > 0) smr_json_add_number(into, "features_between_bins", (double)s->n_rounded);
    smr_json_add_number(into, "impurity", s->impurity);
    TRY(smr_trees_describe(ctx, &s->trees, into));
    if (s->grown_leaves > s->trees.n_leaves)
        smr_json_add_number(into, "leaves_before_pruning", (double)s->grown_leaves);
    TRY(smr_importance_describe(ctx, s->gain, in, n_in, into));
    if (s->n_path > 0) describe_path(s, into);
out:
    return st;
}

/* ---- pictures --------------------------------------------------------------------------- */

/* Error by cross-validation, or impurity, against the number of leaves. */
static smr_status draw_path(smr_ctx *ctx, const struct smr_tree_state *s, const char *prefix,
                            smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    double chosen = 1;
    for (int64_t i = 0; i < s->n_path; i++)
        if (s->path_alpha[i] <= s->alpha) chosen = s->path_leaves[i];
    smr_text_printf(&name, "%spruning", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure =
        smr_figure_add(figures, name.bytes, "Cost-complexity pruning",
                       s->path_error ? "Trees of the pruning sequence with their cross-validated "
                                       "error; the whiskers show standard errors."
                                     : "Trees of the pruning sequence.");
    smr_figure_axis(figure, "x", "leaves", "log");
    smr_figure_axis(figure, "y", s->path_error ? "error" : "impurity", "linear");
    if (s->path_error) {
        smr_json *line = smr_figure_series(figure, "cross-validation", "points", s->n_path,
                                           s->path_leaves, s->path_error);
        smr_json *low = smr_json_add_array(line, "low"), *high = smr_json_add_array(line, "high");
        for (int64_t i = 0; i < s->n_path; i++) {
            smr_json_add_number(low, NULL, smr_fmax(0, s->path_error[i] - s->path_se[i]));
            smr_json_add_number(high, NULL, s->path_error[i] + s->path_se[i]);
        }
        smr_figure_series(figure, "cross-validation", "line", s->n_path, s->path_leaves,
                          s->path_error);
    } else {
        smr_figure_series(figure, "training", "line", s->n_path, s->path_leaves, s->path_impurity);
    }
    smr_figure_mark(figure, "vline", chosen, "chosen");
out:
    smr_text_release(&name);
    return st;
}

smr_status smr_tree_figures(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures)
{
    const struct smr_tree_state *s = state;
    smr_status st = SMR_OK;
    (void)params;
    TRY(smr_importance_figure(ctx, s->gain, in, n_in, prefix, figures));
    if (s->n_path > 1) TRY(draw_path(ctx, s, prefix, figures));
out:
    return st;
}
