/* graph_divide.c -- see graph_divide.h. */
#include "study/graph_divide.h"

#include "core/figure.h"
#include "data/edges.h"
#include "learn/cluster/spectral.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_size(const smr_links *links, smr_json *into)
{
    smr_json_add_number(into, "nodes", (double)links->graph.n);
    smr_json_add_number(into, "edges", (double)links->graph.start[links->graph.n] / 2);
}

static smr_status add_cuts(smr_ctx *ctx, const smr_graph *g, int64_t k, const int32_t *label,
                           smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cut_values cut;
    double *size = NULL;
    TRY(smr_graph_cuts(ctx, g, k, label, &cut));
    TRY_NEW(size, k + 1);
    for (int64_t i = 0; i < g->n; i++) size[label[i]] += g->mass ? g->mass[i] : 1;
    smr_json_add_number(into, "clusters", (double)k);
    smr_json_add_numbers(into, "sizes", size, k);
    smr_json_add_number(into, "cut", cut.cut);
    smr_json_add_number(into, "ratio_cut", cut.ratio);
    smr_json_add_number(into, "ncut", cut.normalised);
    smr_json_add_number(into, "min_max_cut", cut.min_max);
out:
    smr_free(size);
    return st;
}

/* ---- divide ----------------------------------------------------------------------------- */

static void add_labels(const smr_links *g, const int32_t *label, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "labels");
    for (int64_t i = 0; i < g->graph.n; i++) {
        int64_t length;
        const char *name = smr_strings_get(&g->names.strings, i, &length);
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_bytes(row, "node", name, length);
        smr_json_add_number(row, "cluster", (double)label[i]);
    }
}

static smr_status draw_values(smr_ctx *ctx, const smr_division *v, smr_json *figures)
{
    if (v->spectrum.k < 2) return SMR_OK;
    smr_json *figure = smr_figure_add(figures, "eigenvalues", "The smallest eigenvalues",
                                      "A wide step after the first k speaks for k clusters.");
    return smr_eigenvalue_points(ctx, v->spectrum.k, v->spectrum.value, v->k, figure);
}

/* Nodes where the second and third eigenvector place them, by cluster, over their edges. */
static smr_status draw_nodes(smr_ctx *ctx, const smr_links *g, const smr_division *v,
                             smr_json *figures)
{
    enum { MOST = 2000 };
    smr_status st = SMR_OK;
    int64_t n = g->graph.n, m = g->graph.start[n];
    double *x = NULL, *y = NULL;
    if (v->spectrum.k < 3 || n > MOST || m > 20 * MOST) return SMR_OK;
    const double *a = v->spectrum.vector + n, *b = a + n;
    TRY_NEW(x, 3 * m / 2 + 1);
    TRY_NEW(y, 3 * m / 2 + 1);
    smr_json *figure = smr_figure_add(figures, "nodes", "Nodes by two eigenvectors", NULL);
    smr_figure_axis(figure, "x", "second eigenvector", "linear");
    smr_figure_axis(figure, "y", "third eigenvector", "linear");
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
            int64_t j = g->graph.to[e];
            if (j < i) continue;
            const double to_x[] = {a[i], a[j], NAN}, to_y[] = {b[i], b[j], NAN};
            memcpy(x + at, to_x, sizeof to_x);
            memcpy(y + at, to_y, sizeof to_y);
            at += 3;
        }
    if (at > 0) smr_figure_series(figure, "edges", "line", at - 1, x, y);
    TRY(smr_cluster_points(ctx, v->k, n, v->label, a, b, figure));
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_graph_tell_division(smr_ctx *ctx, const smr_links *links, const char *settings,
                                   int32_t *label, smr_json *into)
{
    smr_status st = SMR_OK;
    const smr_graph *g = &links->graph;
    smr_division v = {0};
    smr_divide_opts o;
    TRY(smr_spectral_settings(ctx, settings, &o));
    add_size(links, into);
    if (o.k > g->n)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%lld nodes cannot make k=%lld clusters; give a k from 1 to %lld",
                     (long long)g->n, (long long)o.k, (long long)g->n));
    TRY(smr_divide_graph(ctx, g, &o, &v));
    if (v.n_left > 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "the graph is in %lld parts without edges between them, which k=%lld clusters "
                     "would have to join; give a k of at least %lld, or leave it out",
                     (long long)v.n_parts, (long long)o.k, (long long)v.n_parts));
    smr_division_warn(ctx, "graph", &v);
    smr_json_add_number(into, "parts", (double)v.n_parts);
    smr_json_add_numbers(into, "eigenvalues", v.spectrum.value, v.spectrum.k);
    TRY(add_cuts(ctx, g, v.k, v.label, into));
    add_labels(links, v.label, into);
    smr_json *figures = smr_json_add_array(into, "figures");
    TRY(draw_values(ctx, &v, figures));
    TRY(draw_nodes(ctx, links, &v, figures));
    if (label) memcpy(label, v.label, (size_t)g->n * sizeof *label);
out:
    smr_division_release(&v);
    return st;
}

/* ---- cuts ------------------------------------------------------------------------------- */

smr_status smr_graph_tell_cuts(smr_ctx *ctx, const smr_links *links, const smr_strings *groups,
                               const int32_t *label, smr_json *into)
{
    int64_t length;
    add_size(links, into);
    smr_json *names = smr_json_add_array(into, "names");
    for (int64_t k = 0; k < groups->n; k++) {
        const char *name = smr_strings_get(groups, k, &length);
        smr_json_add_bytes(names, NULL, name, length);
    }
    return add_cuts(ctx, &links->graph, groups->n, label, into);
}

smr_status smr_graph_tell_file_cuts(smr_ctx *ctx, const smr_links *links, const char *labels,
                                    smr_json *into)
{
    smr_status st = SMR_OK;
    smr_vocab groups = {0};
    int32_t *label = NULL;
    TRY_NEW(label, links->graph.n + 1);
    TRY(smr_edges_read_labels(ctx, labels, &links->names, &groups, label));
    TRY(smr_graph_tell_cuts(ctx, links, &groups.strings, label, into));
out:
    smr_free(label);
    smr_vocab_release(&groups);
    return st;
}

smr_status smr_graph_tell_parts(smr_ctx *ctx, const smr_links *links, smr_json *into)
{
    enum { SHOWN = 100 };
    smr_status st = SMR_OK;
    const smr_graph *g = &links->graph;
    int32_t *part = NULL;
    double *size = NULL;
    int64_t n_parts;
    TRY_NEW(part, g->n + 1);
    TRY(smr_graph_parts(ctx, g, part, &n_parts));
    TRY_NEW(size, n_parts + 1);
    for (int64_t i = 0; i < g->n; i++) size[part[i]] += g->mass ? g->mass[i] : 1;
    add_size(links, into);
    smr_json_add_number(into, "parts", (double)n_parts);
    smr_json_add_numbers(into, "rows_of_parts", size, SMR_MIN(n_parts, SHOWN));
    if (links->eps > 0) smr_json_add_number(into, "eps", links->eps);
    if (links->sigma > 0) smr_json_add_number(into, "sigma", links->sigma);
out:
    smr_free(part);
    smr_free(size);
    return st;
}
