/* bayesnet_graph.c -- graphs that are given, and Chow and Liu's tree.
 *
 * Of all trees the one with the greatest sum of mutual information I(x_i; x_j) over its edges has
 * the greatest likelihood.  It is grown from the target (Prim), the lower numbers first where edges
 * tie, and its edges lead away from the target.  A pair counts the rows that have both.
 * Reference: Chow & Liu, IEEE Trans. Information Theory 14 (1968) 462-467. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/graphical/bayesnet.h"
#include "learn/graphical/network_scan.h"

#include <string.h>

smr_status smr_bn_graph_make(smr_ctx *ctx, int64_t n, int64_t most, struct smr_bn_graph *g)
{
    smr_status st = SMR_OK;
    g->n = n;
    g->most = most;
    TRY_NEW(g->parent, n * most);
    TRY_NEW(g->n_parents, n);
out:
    return st;
}

void smr_bn_graph_release(struct smr_bn_graph *g)
{
    smr_free(g->parent);
    smr_free(g->n_parents);
    *g = (struct smr_bn_graph){0};
}

bool smr_bn_graph_has(const struct smr_bn_graph *g, int64_t parent, int64_t child)
{
    for (int64_t k = 0; k < g->n_parents[child]; k++)
        if (g->parent[child * g->most + k] == parent) return true;
    return false;
}

void smr_bn_graph_add(struct smr_bn_graph *g, int64_t parent, int64_t child)
{
    int32_t *list = g->parent + child * g->most;
    int64_t k = g->n_parents[child]++;
    for (; k > 0 && list[k - 1] > parent; k--) list[k] = list[k - 1];
    list[k] = (int32_t)parent;
}

void smr_bn_graph_remove(struct smr_bn_graph *g, int64_t parent, int64_t child)
{
    int32_t *list = g->parent + child * g->most;
    int64_t n = g->n_parents[child], kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (list[k] != parent) list[kept++] = list[k];
    g->n_parents[child] = kept;
}

void smr_bn_graph_naive(struct smr_bn_graph *g)
{
    for (int64_t j = 0; j + 1 < g->n; j++) smr_bn_graph_add(g, g->n - 1, j);
}

/* ---- a list of edges -------------------------------------------------------------------- */

/* A feature by its name; "target": what is predicted, unless a column has that name. */
static smr_status find_node(smr_ctx *ctx, const smr_data *data, const char *name, int64_t *node)
{
    const char **names = NULL;
    *node = -1;
    for (int64_t j = 0; j < data->n_features && *node < 0; j++)
        if (data->features && strcmp(data->features[j].name, name) == 0) *node = j;
    if (*node < 0 && strcmp(name, "target") == 0) *node = data->n_features;
    if (*node >= 0) return SMR_OK;
    names = smr_alloc(ctx, data->n_features + 1, sizeof *names);
    if (!names) return SMR_ERR_NOMEM;
    for (int64_t j = 0; j < data->n_features; j++)
        names[j] = data->features ? data->features[j].name : "";
    names[data->n_features] = "target";
    int64_t near = smr_nearest(name, names, data->n_features + 1);
    smr_status st =
        smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph names '%s', which is no column%s%s%s", name,
                 near >= 0 ? "; did you mean '" : "; what is predicted is called 'target'",
                 near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
    smr_free(names);
    return st;
}

/* A name up to "->" or ',': quoted, or without its blanks. */
static smr_status read_end(smr_ctx *ctx, const char **at, smr_text *name)
{
    const char *p = *at;
    name->length = 0;
    while (*p == ' ') p++;
    if (*p == '"') {
        for (p++; *p && *p != '"'; p++) {
            if (*p == '\\' && p[1]) p++;
            smr_text_add_bytes(name, p, 1);
        }
        if (*p != '"') return smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph: a quote is open");
        p++;
    } else {
        const char *from = p;
        while (*p && *p != ',' && *p != ';' && !(p[0] == '-' && p[1] == '>')) p++;
        const char *end = p;
        while (end > from && end[-1] == ' ') end--;
        smr_text_add_bytes(name, from, end - from);
    }
    while (*p == ' ') p++;
    *at = p;
    if (smr_text_done(name) != SMR_OK) return SMR_ERR_NOMEM;
    if (name->length == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bayesnet: graph is a list of edges, \"a -> b, target -> a\"; a name is "
                        "missing before '%.40s'",
                        p);
    return SMR_OK;
}

smr_status smr_bn_graph_given(smr_ctx *ctx, const char *text, const smr_data *data,
                              struct smr_bn_graph *g)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    int64_t from, to;
    for (const char *p = text;; p++) {
        TRY(read_end(ctx, &p, &name));
        TRY(find_node(ctx, data, name.bytes, &from));
        if (p[0] != '-' || p[1] != '>')
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph: '->' is missing after '%s'",
                         name.bytes));
        p += 2;
        TRY(read_end(ctx, &p, &name));
        TRY(find_node(ctx, data, name.bytes, &to));
        if (from == to)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph: '%s' leads to itself", name.bytes));
        if (!smr_bn_graph_has(g, from, to)) {
            if (g->n_parents[to] == g->most)
                TRY(smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph: '%s' has more than %lld parents",
                             name.bytes, (long long)g->most));
            smr_bn_graph_add(g, from, to);
        }
        if (*p == '\0') break;
        if (*p != ',' && *p != ';')
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "bayesnet: graph: expected ',', found '%.40s'", p));
    }
out:
    smr_text_release(&name);
    return st;
}

/* ---- Chow and Liu ----------------------------------------------------------------------- */

struct pairs {
    const struct smr_bn_rows *rows;
    double *gain; /* n x n, for i < j at i * n + j */
};

static double mutual(const double *count, int64_t r, int64_t c, double *sums)
{
    double total = 0, sum = 0;
    memset(sums, 0, (size_t)(r + c) * sizeof *sums);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < c; j++) {
            sums[i] += count[i * c + j];
            sums[r + j] += count[i * c + j];
        }
    for (int64_t i = 0; i < r; i++) total += sums[i];
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < c; j++) {
            double n = count[i * c + j];
            if (n > 0) sum += n * smr_log(n / sums[i] * (total / sums[r + j]));
        }
    return total > 0 ? sum / total : 0;
}

static smr_status weigh_pairs(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    smr_status st = SMR_OK;
    struct pairs *p = arg;
    const struct smr_bn_rows *rows = p->rows;
    double *count = NULL, *sums = NULL;
    int64_t widest = 1, c = rows->levels[j];
    (void)lane;
    for (int64_t i = 0; i < j; i++) widest = SMR_MAX(widest, rows->levels[i]);
    TRY_NEW(count, widest * c);
    TRY_NEW(sums, widest + c);
    for (int64_t i = 0; i < j; i++) {
        const int32_t *a = rows->code + i * rows->n, *b = rows->code + j * rows->n;
        memset(count, 0, (size_t)(rows->levels[i] * c) * sizeof *count);
        for (int64_t r = 0; r < rows->n; r++)
            if (a[r] >= 0 && b[r] >= 0) count[a[r] * c + b[r]] += smr_bn_weight(rows, r);
        p->gain[i * rows->n_nodes + j] = mutual(count, rows->levels[i], c, sums);
    }
out:
    smr_free(count);
    smr_free(sums);
    return st;
}

smr_status smr_bn_graph_chowliu(smr_ctx *ctx, const struct smr_bn_rows *rows,
                                struct smr_bn_graph *g)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n_nodes;
    struct pairs p = {.rows = rows};
    double *best = NULL;
    int32_t *from = NULL;
    TRY(smr_memory_check(ctx, 8.0 * (double)n * (double)n,
                         "bayesnet: a number for each pair of "
                         "columns",
                         "structure=naive needs none"));
    TRY_NEW(p.gain, n * n);
    TRY_NEW(best, n);
    TRY_NEW(from, n);
    TRY(smr_parallel(ctx, "pairs of columns", n, weigh_pairs, &p));
    for (int64_t j = 0; j + 1 < n; j++) {
        best[j] = p.gain[j * n + n - 1];
        from[j] = (int32_t)(n - 1);
    }
    best[n - 1] = -1;
    for (int64_t k = 1; k < n; k++) {
        int64_t to = -1;
        for (int64_t j = 0; j < n; j++)
            if (best[j] >= 0 && (to < 0 || best[j] > best[to])) to = j;
        if (to < 0) break;
        smr_bn_graph_add(g, from[to], to);
        best[to] = -1;
        for (int64_t j = 0; j < n; j++) {
            double gain = p.gain[SMR_MIN(j, to) * n + SMR_MAX(j, to)];
            if (best[j] < 0 || !(gain > best[j])) continue;
            best[j] = gain;
            from[j] = (int32_t)to;
        }
    }
out:
    smr_free(p.gain);
    smr_free(best);
    smr_free(from);
    return st;
}
