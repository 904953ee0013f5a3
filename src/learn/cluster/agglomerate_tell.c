/* agglomerate_tell.c -- what inspect, traces and figures say about merges. */
#include "core/figure.h"
#include "core/number.h"
#include "learn/cluster/agglomerate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_TOLD = 100,  /* merges in inspect                        */
    LEAVES = 30,      /* of the dendrogram                        */
    MOST_COLOURS = 12 /* clusters that have a colour of their own */
};

/* ---- inspect ---------------------------------------------------------------------------- */

/* The last ones, of which the last comes first. */
static void tell_merges(const struct smr_agglomerate_state *s, smr_json *into)
{
    int64_t first = SMR_MAX(0, s->n_merges - MOST_TOLD);
    smr_json *list = smr_json_add_array(into, "merges");
    for (int64_t m = s->n_merges - 1; m >= first; m--) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "merge", (double)(s->n_merges + 1 + m));
        smr_json_add_number(row, "left", (double)s->left[m]);
        smr_json_add_number(row, "right", (double)s->right[m]);
        smr_json_add_number(row, "height", s->height[m]);
        smr_json_add_number(row, "rows", s->weight[m]);
        smr_json_add_number(row, "clusters_left", (double)(s->n_merges - m));
    }
    if (first > 0) smr_json_add_number(into, "merges_before_these", (double)first);
}

smr_status smr_agglomerate_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                    const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const linkages[] = {"ward", "average", "complete", "single"};
    const struct smr_agglomerate_params *p = params_;
    const struct smr_agglomerate_state *s = state_;
    double total = 0;
    (void)ctx, (void)in, (void)n_in;
    for (int64_t c = 0; c < s->n_clusters; c++) total += s->size[c];
    smr_json_add_string(into, "linkage", linkages[p->linkage]);
    smr_json_add_number(into, "clusters_found", (double)s->n_clusters);
    smr_json_add_number(into, "cut_at_height", s->cut);
    smr_json_add_number(into, "rows", total);
    smr_clusters_tell(s->n_clusters, s->size, total, into);
    if (s->n_merges > 0) tell_merges(s, into);
    return SMR_OK;
}

/* ---- the dendrogram --------------------------------------------------------------------- */

/* What is drawn of the tree: the last merges, and what they begin with. */
struct dendrogram {
    const struct smr_agglomerate_state *s;
    int64_t n, first; /* rows; the first merge that is drawn */
    int64_t n_leaves;
    int32_t *leaf;   /* what stands at each place               */
    double *x;       /* of merge first + m: where its middle is  */
    int32_t *colour; /* its cluster, or -1: above the cut        */
    int32_t *stack;
};

static bool is_leaf(const struct dendrogram *d, int32_t node)
{
    return node < d->n + d->first;
}

static double x_of(const struct dendrogram *d, int32_t node, const double *place)
{
    return is_leaf(d, node) ? place[node] : d->x[node - d->n - d->first];
}

/* Leaves from left to right: the tree is walked without recursion, since chains may be long. */
static void place_leaves(struct dendrogram *d, double *place)
{
    const struct smr_agglomerate_state *s = d->s;
    int64_t n_stack = 0;
    d->stack[n_stack++] = (int32_t)(d->n + s->n_merges - 1);
    while (n_stack > 0) {
        int32_t node = d->stack[--n_stack];
        if (is_leaf(d, node)) {
            place[node] = (double)d->n_leaves;
            d->leaf[d->n_leaves++] = node;
        } else {
            d->stack[n_stack++] = s->right[node - d->n];
            d->stack[n_stack++] = s->left[node - d->n];
        }
    }
    for (int64_t m = d->first; m < s->n_merges; m++)
        d->x[m - d->first] = (x_of(d, s->left[m], place) + x_of(d, s->right[m], place)) / 2;
}

/* The cluster of each merge below the cut: that of any of its rows. */
static smr_status colour_merges(smr_ctx *ctx, struct dendrogram *d)
{
    smr_status st = SMR_OK;
    const struct smr_agglomerate_state *s = d->s;
    int32_t *home = NULL;
    TRY_NEW(home, 2 * d->n);
    for (int64_t i = 0; i < d->n; i++) home[s->sites.order[i]] = s->sites.home[i];
    for (int64_t m = 0; m < s->n_merges; m++) {
        bool below = m < d->n - s->n_clusters;
        home[d->n + m] = below ? home[s->left[m]] : -1;
        if (m >= d->first) d->colour[m - d->first] = home[d->n + m];
    }
out:
    smr_free(home);
    return st;
}

static double base_of(const struct dendrogram *d, int32_t node)
{
    return node < d->n ? 0 : d->s->height[node - d->n];
}

/* The brackets of one colour; rest: of all clusters from there on. */
static void draw_brackets(const struct dendrogram *d, int32_t colour, bool rest,
                          const double *place, double *x, double *y, smr_json *figure)
{
    const struct smr_agglomerate_state *s = d->s;
    int64_t n = 0;
    char name[48];
    for (int64_t m = d->first; m < s->n_merges; m++) {
        int32_t own = d->colour[m - d->first];
        if (rest ? own < colour : own != colour) continue;
        double a = x_of(d, s->left[m], place), b = x_of(d, s->right[m], place);
        double high = s->height[m];
        const double to_x[] = {a, a, b, b, NAN};
        const double to_y[] = {base_of(d, s->left[m]), high, high, base_of(d, s->right[m]), NAN};
        memcpy(x + n, to_x, sizeof to_x);
        memcpy(y + n, to_y, sizeof to_y);
        n += 5;
    }
    snprintf(name, sizeof name,
             rest         ? "other clusters"
             : colour < 0 ? "above the cut"
                          : "cluster %d",
             (int)colour);
    if (n > 0) smr_figure_series(figure, name, "line", n - 1, x, y);
}

static void name_leaves(const struct dendrogram *d, smr_json *axis)
{
    const struct smr_agglomerate_state *s = d->s;
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t l = 0; l < d->n_leaves; l++) {
        char name[48], weight[SMR_NUMBER_MAX];
        int32_t node = d->leaf[l];
        if (node >= d->n) smr_format_rounded(s->weight[node - d->n], 6, weight);
        if (node < d->n)
            snprintf(name, sizeof name, "%d", (int)node);
        else
            snprintf(name, sizeof name, "(%s)", weight);
        smr_json_add_string(names, NULL, name);
    }
}

static smr_status draw_tree(smr_ctx *ctx, struct dendrogram *d, const char *prefix,
                            smr_json *figures)
{
    smr_status st = SMR_OK;
    const struct smr_agglomerate_state *s = d->s;
    int64_t n = s->n_merges - d->first;
    double *x = NULL, *y = NULL, *place = NULL;
    TRY_NEW(x, 5 * n);
    TRY_NEW(y, 5 * n);
    TRY_NEW(place, 2 * d->n);
    TRY_NEW(d->leaf, n + 1);
    TRY_NEW(d->x, n);
    TRY_NEW(d->colour, n);
    TRY_NEW(d->stack, n + 2);
    place_leaves(d, place);
    TRY(colour_merges(ctx, d));
    smr_json *figure = smr_cluster_figure(
        figures, prefix, "dendrogram", "Dendrogram",
        d->first > 0 ? "The last merges. A number is a row, from 0 on; in brackets is how many "
                       "rows had merged before."
                     : "A number is a row, from 0 on.");
    name_leaves(d, smr_figure_axis(figure, "x", "", "names"));
    smr_json_add_number(smr_figure_axis(figure, "y", "height", "linear"), "min", 0);
    for (int32_t c = 0; c < SMR_MIN(s->n_clusters, MOST_COLOURS); c++)
        draw_brackets(d, c, false, place, x, y, figure);
    draw_brackets(d, MOST_COLOURS, true, place, x, y, figure);
    draw_brackets(d, -1, false, place, x, y, figure);
    smr_figure_mark(figure, "hline", s->cut, "cut");
out:
    smr_free(x);
    smr_free(y);
    smr_free(place);
    smr_free(d->leaf);
    smr_free(d->x);
    smr_free(d->colour);
    smr_free(d->stack);
    return st;
}

/* Heights of the last merges, by the number of clusters that they leave. */
static void draw_heights(const struct smr_agglomerate_state *s, const char *prefix,
                         smr_json *figures)
{
    double k[LEAVES], height[LEAVES];
    int64_t n = SMR_MIN(LEAVES, s->n_merges);
    for (int64_t i = 0; i < n; i++) {
        k[i] = (double)i + 2;
        height[i] = s->height[s->n_merges - 1 - i];
    }
    smr_json *figure =
        smr_cluster_figure(figures, prefix, "heights", "At which height clusters merge",
                           "A long step down after k clusters speaks for k.");
    smr_figure_axis(figure, "x", "clusters before the merge", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "height", "linear"), "min", 0);
    smr_figure_series(figure, "height", "line", n, k, height);
    smr_figure_series(figure, "height", "points", n, k, height);
    if (s->n_clusters <= n) smr_figure_mark(figure, "vline", (double)s->n_clusters + 0.5, "cut");
}

smr_status smr_agglomerate_draw(smr_ctx *ctx, const void *params, const void *state_,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures)
{
    const struct smr_agglomerate_state *s = state_;
    smr_status st = SMR_OK;
    (void)params;
    TRY(smr_cluster_view_draw(ctx, &s->view, s->n_clusters, in, n_in, prefix, figures));
    if (s->n_merges == 0) return SMR_OK;
    struct dendrogram d = {
        .s = s, .n = s->n_merges + 1, .first = SMR_MAX(0, s->n_merges + 1 - LEAVES)};
    TRY(draw_tree(ctx, &d, prefix, figures));
    if (s->n_merges > 1) draw_heights(s, prefix, figures);
out:
    return st;
}

/* ---- step by step ----------------------------------------------------------------------- */

/* part[i] = value for the rows of a node; stack: room for all rows. */
static void mark_rows(const struct smr_agglomerate_state *s, int32_t node, int32_t value,
                      int32_t *stack, int32_t *part)
{
    int64_t n = s->n_merges + 1, n_stack = 0;
    stack[n_stack++] = node;
    while (n_stack > 0) {
        int32_t top = stack[--n_stack];
        if (top < n) {
            part[top] = value;
        } else {
            stack[n_stack++] = s->left[top - n];
            stack[n_stack++] = s->right[top - n];
        }
    }
}

/* The two that merge, and other rows. */
static smr_status draw_merge(smr_ctx *ctx, const struct smr_agglomerate_state *s,
                             const smr_site_rows *rows, int64_t m, smr_trace *t)
{
    enum { POINTS = 1000 };
    smr_status st = SMR_OK;
    int64_t n = rows->n, shown = SMR_MIN(POINTS, n);
    int32_t *stack = NULL, *part = NULL;
    double *x = NULL, *y = NULL;
    if (rows->d != 2) return SMR_OK;
    TRY_NEW(stack, n + 1);
    TRY_NEW(part, n);
    TRY_NEW(x, shown);
    TRY_NEW(y, shown);
    mark_rows(s, s->left[m], 1, stack, part);
    mark_rows(s, s->right[m], 2, stack, part);
    smr_json *figure = smr_trace_figure(t, "merge", "The two clusters that merge", false);
    smr_figure_axis(figure, "x", smr_trace_feature(t, 0), "linear");
    smr_figure_axis(figure, "y", smr_trace_feature(t, 1), "linear");
    for (int32_t c = 0; c < 3; c++) {
        int64_t at = 0;
        char name[32] = "other rows";
        for (int64_t k = 0; k < shown; k++) {
            int64_t i = k * n / shown;
            if (part[i] != c) continue;
            x[at] = rows->x[2 * i];
            y[at++] = rows->x[2 * i + 1];
        }
        if (c > 0)
            snprintf(name, sizeof name, "cluster %d", (int)(c == 1 ? s->left[m] : s->right[m]));
        if (at > 0) smr_figure_series(figure, name, "points", at, x, y);
    }
out:
    smr_free(stack);
    smr_free(part);
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_agglomerate_watch(smr_ctx *ctx, const struct smr_agglomerate_state *s,
                                 const smr_site_rows *rows, smr_trace *t)
{
    smr_status st = SMR_OK;
    int64_t n = s->n_merges + 1;
    for (int64_t m = 0; t && m < s->n_merges; m++) {
        bool last = m == s->n_merges - 1;
        if (!(last ? smr_trace_end(t, "clusters %d and %d merge into %lld", (int)s->left[m],
                                   (int)s->right[m], (long long)(n + m))
                   : smr_trace_step(t, "clusters %d and %d merge into %lld", (int)s->left[m],
                                    (int)s->right[m], (long long)(n + m))))
            continue;
        smr_trace_number(t, "height", s->height[m]);
        smr_trace_number(t, "weight", s->weight[m]);
        smr_trace_number(t, "clusters_left", (double)(n - m - 1));
        TRY(draw_merge(ctx, s, rows, m, t));
    }
out:
    return st;
}
