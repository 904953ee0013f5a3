/* importance.c -- see importance.h. */
#include "learn/trees/importance.h"

#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"

enum { MOST_BARS = 20 };

/* ---- sizes ------------------------------------------------------------------------------ */

static int64_t children_of(const smr_trees *t, int64_t node)
{
    int32_t kind = t->split[node] & 7;
    if (kind == SMR_SPLIT_WAYS) return (int64_t)t->cut[node];
    return kind == SMR_SPLIT_LEAF ? 0 : 2;
}

/* Nodes are stored level by level, so the children of a level are the next one. */
static int64_t depth_of(const smr_trees *t, int64_t tree)
{
    int64_t at = t->root[tree], end = t->root[tree + 1], size = 1, depth = -1;
    while (size > 0 && at + size <= end) {
        int64_t next = 0;
        for (int64_t i = at; i < at + size; i++) next += children_of(t, i);
        at += size;
        size = next;
        depth++;
    }
    return SMR_MAX(depth, 0);
}

smr_status smr_trees_describe(smr_ctx *ctx, const smr_trees *trees, smr_json *into)
{
    int64_t deepest = 0;
    double sum = 0;
    (void)ctx;
    if (!into) return SMR_ERR_NOMEM;
    for (int64_t k = 0; k < trees->n_trees; k++) {
        int64_t depth = depth_of(trees, k);
        deepest = SMR_MAX(deepest, depth);
        sum += (double)depth;
    }
    if (trees->n_trees != 1) smr_json_add_number(into, "trees", (double)trees->n_trees);
    smr_json_add_number(into, "nodes", (double)trees->n_nodes);
    smr_json_add_number(into, "leaves", (double)trees->n_leaves);
    smr_json_add_number(into, "depth", (double)deepest);
    if (trees->n_trees > 1) smr_json_add_number(into, "mean_depth", sum / (double)trees->n_trees);
    return smr_json_done(into->doc);
}

/* ---- gains ------------------------------------------------------------------------------ */

/* Features by falling gain: *n of them gained something. */
static smr_status rank(smr_ctx *ctx, const double *gain, int64_t n_in, int64_t **order, int64_t *n,
                       double *total)
{
    smr_status st = SMR_OK;
    double *falling = NULL;
    *n = 0;
    *total = 0;
    TRY_NEW(*order, n_in + 1);
    TRY_NEW(falling, n_in + 1);
    for (int64_t j = 0; j < n_in; j++) {
        falling[j] = -gain[j];
        *n += gain[j] > 0;
        *total += gain[j];
    }
    TRY(smr_argsort_f64(ctx, n_in, falling, *order));
out:
    smr_free(falling);
    return st;
}

smr_status smr_importance_describe(smr_ctx *ctx, const double *gain, const smr_feature *in,
                                   int64_t n_in, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = 0;
    double total = 0;
    if (!into) return SMR_ERR_NOMEM;
    TRY(rank(ctx, gain, n_in, &order, &n, &total));
    smr_json *list = smr_json_add_array(into, "importance");
    for (int64_t k = 0; k < n; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[order[k]].name);
        smr_json_add_number(row, "gain", gain[order[k]]);
        smr_json_add_number(row, "share", gain[order[k]] / total);
    }
    smr_json_add_number(into, "features_not_asked", (double)(n_in - n));
    st = smr_json_done(into->doc);
out:
    smr_free(order);
    return st;
}

smr_status smr_importance_figure(smr_ctx *ctx, const double *gain, const smr_feature *in,
                                 int64_t n_in, const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = 0;
    double total = 0, share[MOST_BARS];
    smr_text name = {.ctx = ctx}, note = {.ctx = ctx};
    if (!figures) return SMR_ERR_NOMEM;
    TRY(rank(ctx, gain, n_in, &order, &n, &total));
    if (n == 0) goto out;
    int64_t shown = SMR_MIN(n, MOST_BARS);
    smr_text_printf(&name, "%simportance", prefix);
    smr_text_add(&note, "Each feature's share of what all splits gained");
    if (shown < n)
        smr_text_printf(&note, "; the %lld largest of %lld", (long long)shown, (long long)n);
    smr_text_add(&note, ".");
    TRY(smr_text_done(&name));
    TRY(smr_text_done(&note));
    smr_json *figure = smr_figure_add(figures, name.bytes, "Importance by gain", note.bytes);
    smr_figure_axis(figure, "x", "share of the gain", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (int64_t k = 0; k < shown; k++) {
        smr_json_add_string(names, NULL, in[order[k]].name);
        share[k] = gain[order[k]] / total;
    }
    smr_figure_series(figure, "share", "hbars", shown, share, NULL);
    st = smr_json_done(figures->doc);
out:
    smr_text_release(&name);
    smr_text_release(&note);
    smr_free(order);
    return st;
}
