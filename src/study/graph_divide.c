/* graph_divide.c -- see graph_divide.h. */
#include "study/graph_divide.h"

#include "core/figure.h"
#include "data/edges.h"
#include "learn/cluster/spectral.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A graph and the names of its nodes. */
struct named {
    smr_edges edges;
    smr_graph graph;
};

static void release_named(struct named *g)
{
    smr_edges_release(&g->edges);
    smr_graph_release(&g->graph);
}

static smr_status open_named(smr_ctx *ctx, const char *path, struct named *g, smr_json *into)
{
    smr_status st = SMR_OK;
    *g = (struct named){0};
    TRY(smr_edges_read(ctx, path, &g->edges));
    TRY(smr_graph_of_edges(ctx, g->edges.nodes.strings.n, g->edges.n, g->edges.a, g->edges.b,
                           g->edges.weight, &g->graph));
    if (g->graph.n_loops > 0)
        smr_warn(ctx, "%s: %lld edge%s from a node to itself %s left out", path,
                 (long long)g->graph.n_loops, smr_plural(g->graph.n_loops, "", "s"),
                 smr_plural(g->graph.n_loops, "is", "are"));
    smr_json_add_number(into, "nodes", (double)g->graph.n);
    smr_json_add_number(into, "edges", (double)g->graph.start[g->graph.n] / 2);
out:
    return st;
}

static smr_status add_cuts(smr_ctx *ctx, const smr_graph *g, int64_t k, const int32_t *label,
                           smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cut_values cut;
    double *size = NULL;
    TRY(smr_graph_cuts(ctx, g, k, label, &cut));
    TRY_NEW(size, k + 1);
    for (int64_t i = 0; i < g->n; i++) size[label[i]]++;
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

static void add_labels(const struct named *g, const int32_t *label, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "labels");
    for (int64_t i = 0; i < g->graph.n; i++) {
        int64_t length;
        const char *name = smr_strings_get(&g->edges.nodes.strings, i, &length);
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_bytes(row, "node", name, length);
        smr_json_add_number(row, "cluster", (double)label[i]);
    }
}

static smr_status draw_values(smr_ctx *ctx, const smr_division *v, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *number = NULL;
    if (v->spectrum.k < 2) return SMR_OK;
    TRY_NEW(number, v->spectrum.k);
    for (int64_t k = 0; k < v->spectrum.k; k++) number[k] = (double)k + 1;
    smr_json *figure = smr_figure_add(figures, "eigenvalues", "The smallest eigenvalues",
                                      "A wide step after the first k speaks for k clusters.");
    smr_figure_axis(figure, "x", "number", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "eigenvalue", "linear"), "min", 0);
    smr_figure_series(figure, "eigenvalue", "points", v->spectrum.k, number, v->spectrum.value);
    smr_figure_mark(figure, "vline", (double)v->k + 0.5, "clusters");
out:
    smr_free(number);
    return st;
}

/* Nodes where the second and third eigenvector place them, by cluster, over their edges. */
static smr_status draw_nodes(smr_ctx *ctx, const struct named *g, const smr_division *v,
                             smr_json *figures)
{
    enum { MOST = 2000, COLOURS = 12 };
    smr_status st = SMR_OK;
    int64_t n = g->graph.n, m = g->graph.start[n];
    double *x = NULL, *y = NULL;
    if (v->spectrum.k < 3 || n > MOST || m > 20 * MOST) return SMR_OK;
    const double *a = v->spectrum.vector + n, *b = a + n;
    TRY_NEW(x, SMR_MAX(n, 3 * m / 2 + 1));
    TRY_NEW(y, SMR_MAX(n, 3 * m / 2 + 1));
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
    for (int64_t c = 0; c < SMR_MIN(v->k, COLOURS); c++) {
        char name[48];
        int64_t rows = 0;
        for (int64_t i = 0; i < n; i++) {
            if (v->label[i] != c && !(c == COLOURS - 1 && v->label[i] > c)) continue;
            x[rows] = a[i];
            y[rows++] = b[i];
        }
        snprintf(name, sizeof name, "cluster %lld", (long long)c);
        if (rows > 0) smr_figure_series(figure, name, "points", rows, x, y);
    }
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_graph_tell_division(smr_ctx *ctx, const char *edges, const char *settings,
                                   smr_json *into)
{
    smr_status st = SMR_OK;
    struct named g = {0};
    smr_division v = {0};
    smr_divide_opts o;
    TRY(smr_spectral_settings(ctx, settings, &o));
    TRY(open_named(ctx, edges, &g, into));
    if (o.k > g.graph.n)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%lld nodes cannot make k=%lld clusters; give a k from 1 to %lld",
                     (long long)g.graph.n, (long long)o.k, (long long)g.graph.n));
    TRY(smr_divide_graph(ctx, &g.graph, &o, &v));
    if (v.n_left > 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "the graph is in %lld parts without edges between them, which k=%lld clusters "
                     "would have to join; give a k of at least %lld, or leave it out",
                     (long long)v.n_parts, (long long)o.k, (long long)v.n_parts));
    smr_division_warn(ctx, "graph", &v);
    smr_json_add_number(into, "parts", (double)v.n_parts);
    smr_json_add_numbers(into, "eigenvalues", v.spectrum.value, v.spectrum.k);
    TRY(add_cuts(ctx, &g.graph, v.k, v.label, into));
    add_labels(&g, v.label, into);
    smr_json *figures = smr_json_add_array(into, "figures");
    TRY(draw_values(ctx, &v, figures));
    TRY(draw_nodes(ctx, &g, &v, figures));
out:
    smr_division_release(&v);
    release_named(&g);
    return st;
}

/* ---- cuts ------------------------------------------------------------------------------- */

smr_status smr_graph_tell_cuts(smr_ctx *ctx, const char *edges, const char *labels, smr_json *into)
{
    smr_status st = SMR_OK;
    struct named g = {0};
    smr_vocab groups = {0};
    int32_t *label = NULL;
    int64_t length;
    TRY(open_named(ctx, edges, &g, into));
    TRY_NEW(label, g.graph.n + 1);
    TRY(smr_edges_read_labels(ctx, labels, &g.edges.nodes, &groups, label));
    smr_json *names = smr_json_add_array(into, "names");
    for (int64_t k = 0; k < groups.strings.n; k++) {
        const char *name = smr_strings_get(&groups.strings, k, &length);
        smr_json_add_bytes(names, NULL, name, length);
    }
    TRY(add_cuts(ctx, &g.graph, groups.strings.n, label, into));
out:
    smr_free(label);
    smr_vocab_release(&groups);
    release_named(&g);
    return st;
}
