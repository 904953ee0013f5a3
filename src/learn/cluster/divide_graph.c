/* divide_graph.c -- see divide_graph.h.
 *
 * Of few links between groups of like size, relaxed to real numbers, the minimum is spanned by the
 * eigenvectors of the smallest eigenvalues of a Laplacian: of RatioCut those of D - W, of Ncut
 * those of the walk (Shi & Malik, 2000; Ng, Jordan & Weiss, 2002, whose rows of length 1 are taken
 * for the symmetric one).  The rows of the matrix of these k vectors are grouped by k-means; for
 * two groups the signs of the second vector, Fiedler's, may be taken instead.
 *
 * Parts without a link between them are never joined into a group as long as there are no more than
 * k: each makes as many groups as there are vectors of its own among the k; k = n_parts is known
 * without any search.  The number of groups is that of the eigenvalues
 * before the widest gap between their roots: along a cluster of one dimension eigenvalues grow with
 * the squares of their numbers, and their gaps with them, but not those of the roots. */
#include "learn/cluster/divide_graph.h"

#include "core/text.h"
#include "learn/cluster/group_rows.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 8 };

int64_t smr_renumber(smr_ctx *ctx, int64_t n, const int32_t *number, int32_t *label)
{
    int64_t next = 0;
    int32_t *at = smr_alloc(ctx, n + 1, sizeof *at), *to = smr_alloc(ctx, n + 1, sizeof *to);
    if (!at || !to) next = -1;
    for (int64_t i = 0; next >= 0 && i < n; i++) {
        at[number ? number[i] : i] = (int32_t)i;
        to[i] = -1;
    }
    for (int64_t k = 0; next >= 0 && k < n; k++) {
        int32_t own = label[at[k]];
        if (own >= 0 && to[own] < 0) to[own] = (int32_t)next++;
        if (own >= 0) label[at[k]] = to[own];
    }
    smr_free(at);
    smr_free(to);
    return next;
}

/* The last before the widest gap. */
static int64_t count_by_gap(const smr_graph_vectors *s, int64_t n_parts, int64_t most)
{
    int64_t first = SMR_MAX(2, n_parts), best = first;
    double widest = -INFINITY;
    for (int64_t k = first; k <= most && k < s->k; k++) {
        double gap = sqrt(s->value[k]) - sqrt(s->value[k - 1]);
        if (!(gap > widest)) continue;
        widest = gap;
        best = k;
    }
    return SMR_MIN(best, s->n);
}

/* The k parts of most nodes; of equally large ones the first. */
static smr_status take_parts(smr_ctx *ctx, const smr_graph *g, const int32_t *part, int64_t k,
                             smr_division *out)
{
    smr_status st = SMR_OK;
    int32_t *label = NULL;
    TRY_NEW(label, out->n_parts);
    for (int64_t p = 0; p < out->n_parts; p++) label[p] = -1;
    for (int32_t c = 0; c < (int32_t)SMR_MIN(k, out->n_parts); c++) {
        int64_t best = -1;
        for (int64_t p = 0; p < out->n_parts; p++)
            if (label[p] < 0 && (best < 0 || out->part_size[p] > out->part_size[best])) best = p;
        label[best] = c;
    }
    for (int64_t i = 0; i < g->n; i++) {
        out->label[i] = label[part[i]];
        out->n_left += out->label[i] < 0;
    }
out:
    smr_free(label);
    return st;
}

/* owner[c] = the part in which most of vector c lies: of the first ones, their own. */
static smr_status find_owners(smr_ctx *ctx, const smr_graph *g, const int32_t *part, int64_t k,
                              const smr_division *v, int32_t *owner)
{
    smr_status st = SMR_OK;
    double *square = NULL;
    int64_t n = v->spectrum.n;
    TRY_NEW(square, v->n_parts);
    for (int64_t c = 0; c < k; c++) {
        owner[c] = (int32_t)c;
        if (c < v->n_parts) continue;
        const double *u = v->spectrum.vector + c * n;
        memset(square, 0, (size_t)v->n_parts * sizeof *square);
        for (int64_t i = 0; i < n; i++) square[part[i]] += (g->mass ? g->mass[i] : 1) * u[i] * u[i];
        owner[c] = 0;
        for (int32_t p = 1; p < (int32_t)v->n_parts; p++)
            if (square[p] > square[owner[c]]) owner[c] = p;
    }
out:
    smr_free(square);
    return st;
}

/* Groups the nodes of one part by the vectors that it owns. */
struct part_rows {
    int64_t n, d;
    double *x, *w; /* w NULL: all 1 */
    int64_t *node;
    int32_t *label;
};

static void gather_rows(const smr_graph *g, const smr_divide_opts *o, const smr_graph_vectors *s,
                        const int32_t *part, int32_t own, int64_t k, const int32_t *owner,
                        struct part_rows *r)
{
    r->n = r->d = 0;
    for (int64_t c = 0; c < k; c++) r->d += owner[c] == own;
    for (int64_t i = 0; i < s->n; i++) {
        double *x = r->x + r->n * r->d, square = 0;
        int64_t at = 0;
        if (part[i] != own) continue;
        for (int64_t c = 0; c < k; c++) {
            if (owner[c] != own) continue;
            x[at] = s->vector[i + c * s->n];
            square += x[at] * x[at];
            at++;
        }
        for (int64_t j = 0; o->laplacian == SMR_LAPLACIAN_SYMMETRIC && square > 0 && j < at; j++)
            x[j] /= sqrt(square);
        if (r->w) r->w[r->n] = g->mass[i];
        r->node[r->n++] = i;
    }
}

/* Each part makes as many groups as it owns of the k vectors, the first of which is constant. */
static smr_status by_kmeans(smr_ctx *ctx, const smr_graph *g, const smr_divide_opts *o,
                            const int32_t *part, int64_t k, smr_division *out)
{
    smr_status st = SMR_OK;
    int64_t n = out->spectrum.n, before = 0;
    struct part_rows r = {0};
    int32_t *owner = NULL;
    TRY_NEW(owner, k);
    TRY_NEW(r.x, n * k);
    if (g->mass) TRY_NEW(r.w, n);
    TRY_NEW(r.node, n);
    TRY_NEW(r.label, n);
    TRY(find_owners(ctx, g, part, k, out, owner));
    for (int32_t p = 0; p < (int32_t)out->n_parts; p++) {
        gather_rows(g, o, &out->spectrum, part, p, k, owner, &r);
        int64_t groups = SMR_MIN(r.d, r.n);
        smr_grouping of = {r.n, r.d, r.x, r.w, groups, groups > 1 ? o->starts : 1};
        TRY(smr_group_rows(ctx, &of, r.label, NULL));
        for (int64_t i = 0; i < r.n; i++) out->label[r.node[i]] = (int32_t)(before + r.label[i]);
        before += groups;
    }
out:
    smr_free(owner);
    smr_free(r.x);
    smr_free(r.w);
    smr_free(r.node);
    smr_free(r.label);
    return st;
}

static smr_status find_labels(smr_ctx *ctx, const smr_graph *g, const smr_divide_opts *o,
                              const int32_t *part, int64_t k, smr_division *out)
{
    if (k <= out->n_parts) return take_parts(ctx, g, part, k, out);
    if (o->assign == SMR_DIVIDE_KMEANS) return by_kmeans(ctx, g, o, part, k, out);
    for (int64_t i = 0; i < g->n; i++) out->label[i] = out->spectrum.vector[i + g->n] < 0;
    return SMR_OK;
}

smr_status smr_divide_graph(smr_ctx *ctx, const smr_graph *g, const smr_divide_opts *o,
                            smr_division *out)
{
    smr_status st = SMR_OK;
    int64_t n = g->n, k = o->k, wanted;
    int32_t *part = NULL;
    *out = (smr_division){0};
    TRY_NEW(part, n + 1);
    TRY_NEW(out->label, n + 1);
    TRY(smr_graph_parts(ctx, g, part, &out->n_parts));
    TRY_NEW(out->part_size, out->n_parts + 1);
    for (int64_t i = 0; i < n; i++) out->part_size[part[i]] += g->mass ? g->mass[i] : 1;
    /* one more than are needed, so that inspect can show the gap after them */
    wanted = k > 0 ? k + 1 : o->k_most + 1;
    if (k == 0 && out->n_parts >= o->k_most) k = out->n_parts;
    if (k > 0 && out->n_parts >= k) wanted = k;
    wanted = SMR_MIN(wanted, n);
    TRY(smr_graph_spectrum(ctx, g, o->laplacian, part, out->n_parts, wanted,
                           n <= 2000 ? 1e-10 : 1e-6, &out->spectrum));
    if (k == 0) k = n < 2 ? n : count_by_gap(&out->spectrum, out->n_parts, o->k_most);
    TRY(find_labels(ctx, g, o, part, k, out));
    out->k = smr_renumber(ctx, n, o->number, out->label);
    if (out->k < 0) st = SMR_ERR_NOMEM;
out:
    smr_free(part);
    if (st != SMR_OK) smr_division_release(out);
    return st;
}

void smr_division_release(smr_division *d)
{
    smr_free(d->part_size);
    smr_free(d->label);
    smr_graph_vectors_release(&d->spectrum);
    *d = (smr_division){0};
}

void smr_division_warn(smr_ctx *ctx, const char *who, const smr_division *d)
{
    smr_text sizes = {.ctx = ctx};
    if (d->n_parts < 2) return;
    for (int64_t p = 0; p < SMR_MIN(d->n_parts, SHOWN); p++) {
        smr_text_add(&sizes, p ? ", " : "");
        smr_text_rounded(&sizes, d->part_size[p],
                         d->part_size[p] == floor(d->part_size[p]) ? 15 : 6);
    }
    if (d->n_parts > SHOWN) smr_text_add(&sizes, ", ...");
    if (smr_text_done(&sizes) == SMR_OK && d->n_left == 0)
        smr_warn(ctx, "%s: the graph is in %lld parts without links between them, of %s nodes", who,
                 (long long)d->n_parts, sizes.bytes);
    smr_text_release(&sizes);
}
