/* cluster_view.c -- see cluster_view.h. */
#include "learn/cluster/cluster_view.h"

#include "core/figure.h"

#include <math.h>
#include <stdio.h>

enum { MOST_NAMED = 12, MOST_TOLD = 100 };

/* ---- which features --------------------------------------------------------------------- */

/* How far feature j tells the clusters apart: the variance between their means, in units of that
 * within them; 0 for a feature that does not vary. */
static double apart(int64_t n, int64_t d, int64_t j, const double *x, const int32_t *home,
                    int64_t n_clusters, double *mean, double *count)
{
    double all = 0, between = 0, total = 0, m = 0;
    for (int64_t c = 0; c < n_clusters; c++) mean[c] = count[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (home[i] < 0) continue;
        double delta = x[i * d + j] - mean[home[i]], of_all = x[i * d + j] - m;
        mean[home[i]] += delta / ++count[home[i]];
        m += of_all / ++all;
        total += of_all * (x[i * d + j] - m);
    }
    for (int64_t c = 0; c < n_clusters; c++) between += count[c] * (mean[c] - m) * (mean[c] - m);
    double within = total - between;
    if (!(total > 0) || !isfinite(total)) return 0;
    return between / smr_fmax(within, 1e-9 * total);
}

static smr_status choose_axes(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                              const int32_t *home, int64_t n_clusters, smr_cluster_view *out)
{
    smr_status st = SMR_OK;
    double *mean = NULL, *count = NULL, best[2] = {-1, -1};
    for (int64_t a = 0; a < out->n_axes; a++) out->axis[a] = (int32_t)a;
    if (d <= 2) return SMR_OK;
    TRY_NEW(mean, n_clusters + 1);
    TRY_NEW(count, n_clusters + 1);
    for (int64_t j = 0; j < d; j++) {
        double f = apart(n, d, j, x, home, n_clusters, mean, count);
        int at = f > best[0] ? 0 : f > best[1] ? 1 : 2;
        if (at == 2) continue;
        if (at == 0) {
            best[1] = best[0];
            out->axis[1] = out->axis[0];
        }
        best[at] = f;
        out->axis[at] = (int32_t)j;
    }
    if (out->axis[0] > out->axis[1]) {
        int32_t first = out->axis[1];
        out->axis[1] = out->axis[0];
        out->axis[0] = first;
    }
out:
    smr_free(mean);
    smr_free(count);
    return st;
}

smr_status smr_cluster_view_keep(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                                 const int32_t *home, int64_t n_clusters, smr_cluster_view *out)
{
    smr_status st = SMR_OK;
    out->n_axes = SMR_MIN(d, 2);
    out->n_shown = SMR_MIN(n, SMR_VIEW_ROWS);
    if (out->n_shown == 0) out->n_axes = 0;
    if (out->n_shown == 0) return SMR_OK;
    TRY_NEW(out->axis, out->n_axes);
    TRY_NEW(out->shown, out->n_shown * out->n_axes);
    TRY_NEW(out->shown_home, out->n_shown);
    TRY(choose_axes(ctx, n, d, x, home, n_clusters, out));
    for (int64_t k = 0; k < out->n_shown; k++) {
        int64_t i = smr_cluster_view_row(out, k, n);
        out->shown_home[k] = home[i];
        for (int64_t a = 0; a < out->n_axes; a++)
            out->shown[k * out->n_axes + a] = x[i * d + out->axis[a]];
    }
out:
    return st;
}

smr_status smr_cluster_view_of_tree(smr_ctx *ctx, const smr_site_tree *tree, const int32_t *home,
                                    int64_t n_clusters, smr_cluster_view *out)
{
    smr_status st = SMR_OK;
    const smr_points *p = &tree->search.points;
    int64_t n = tree->rows.n, d = tree->rows.d;
    double *x = NULL;
    int32_t *of_row = NULL;
    TRY_NEW(x, n * d);
    TRY_NEW(of_row, n);
    for (int64_t i = 0; i < n; i++) {
        smr_layout_row(&p->layout, p->x, i, x + tree->order[i] * d);
        of_row[tree->order[i]] = home[i];
    }
    TRY(smr_cluster_view_keep(ctx, n, d, x, of_row, n_clusters, out));
out:
    smr_free(x);
    smr_free(of_row);
    return st;
}

/* ---- what is told ----------------------------------------------------------------------- */

void smr_clusters_tell(int64_t n_clusters, const double *size, double total, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "clusters");
    for (int64_t c = 0; c < SMR_MIN(n_clusters, MOST_TOLD); c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "cluster", (double)c);
        smr_json_add_number(row, "rows", size[c]);
        smr_json_add_number(row, "share", size[c] / total);
    }
    if (n_clusters > MOST_TOLD)
        smr_json_add_number(into, "clusters_not_shown", (double)(n_clusters - MOST_TOLD));
}

/* ---- pictures --------------------------------------------------------------------------- */

smr_json *smr_cluster_figure(smr_json *figures, const char *prefix, const char *name,
                             const char *title, const char *note)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return smr_figure_add(figures, full, title, note);
}

smr_status smr_cluster_points(smr_ctx *ctx, int64_t n_clusters, int64_t n, const int32_t *home,
                              const double *x, const double *y, smr_json *figure)
{
    smr_status st = SMR_OK;
    double *own_x = NULL, *own_y = NULL;
    TRY_NEW(own_x, n);
    TRY_NEW(own_y, n);
    for (int64_t c = -1; c < SMR_MIN(n_clusters, MOST_NAMED + 1); c++) {
        bool rest = c == MOST_NAMED;
        int64_t m = 0;
        char name[48];
        for (int64_t i = 0; i < n; i++) {
            if (rest ? home[i] < c : home[i] != c) continue;
            own_x[m] = x[i];
            own_y[m++] = y[i];
        }
        snprintf(name, sizeof name,
                 rest    ? "other clusters"
                 : c < 0 ? "noise"
                         : "cluster %lld",
                 (long long)c);
        if (m > 0) smr_figure_series(figure, name, "points", m, own_x, own_y);
    }
out:
    smr_free(own_x);
    smr_free(own_y);
    return st;
}

smr_status smr_eigenvalue_points(smr_ctx *ctx, int64_t n, const double *value, int64_t k,
                                 smr_json *figure)
{
    smr_status st = SMR_OK;
    double *number = NULL;
    TRY_NEW(number, n);
    for (int64_t i = 0; i < n; i++) number[i] = (double)i + 1;
    smr_figure_axis(figure, "x", "number", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "eigenvalue", "linear"), "min", 0);
    smr_figure_series(figure, "eigenvalue", "points", n, number, value);
    if (k > 0) smr_figure_mark(figure, "vline", (double)k + 0.5, "clusters");
out:
    smr_free(number);
    return st;
}

smr_status smr_cluster_view_draw(smr_ctx *ctx, const smr_cluster_view *v, int64_t n_clusters,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    bool plane = v->n_axes > 1;
    if (v->n_shown == 0 || !in || n_in < 1) return SMR_OK;
    TRY_NEW(x, v->n_shown);
    TRY_NEW(y, v->n_shown);
    for (int64_t i = 0; i < v->n_shown; i++) {
        x[i] = v->shown[i * v->n_axes];
        y[i] = plane ? v->shown[i * v->n_axes + 1] : (double)v->shown_home[i];
    }
    smr_json *figure = smr_cluster_figure(
        figures, prefix, "clusters", "Training rows and their clusters",
        n_in > 2 ? "In the plane of the two features that tell the clusters apart best." : NULL);
    smr_figure_axis(figure, "x", in[v->axis[0]].name, "linear");
    smr_figure_axis(figure, "y", plane ? in[v->axis[1]].name : "cluster", "linear");
    TRY(smr_cluster_points(ctx, n_clusters, v->n_shown, v->shown_home, x, y, figure));
out:
    smr_free(x);
    smr_free(y);
    return st;
}
