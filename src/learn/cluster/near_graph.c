/* near_graph.c -- see near_graph.h. */
#include "learn/cluster/near_graph.h"

#include "core/number.h"
#include "kernel/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = SMR_SITES_LANE, BLOCK = 256 };

static const char fewer[] = "take fewer rows or fewer neighbors";

const smr_choice smr_graph_choices[] = {
    [SMR_GRAPH_KNN] = {"knn", "rows of which either is among the nearest of the other; links that "
                              "go one way only weigh half"},
    [SMR_GRAPH_MUTUAL] = {"mutual", "rows that are among the nearest of each other"},
    [SMR_GRAPH_EPSILON] = {"epsilon", "rows that are at most eps apart"},
    [SMR_GRAPH_FULL] = {"full", "all rows, by gaussian weights; n^2 numbers"},
    {NULL, NULL},
};

const smr_choice smr_graph_weights[] = {
    [SMR_GRAPH_AUTO] = {"auto", "gaussian for graph=full and where sigma is given, else one"},
    [SMR_GRAPH_ONES] = {"one", "all the same"},
    [SMR_GRAPH_GAUSSIAN] = {"gaussian", "exp(-distance^2 / (2 sigma^2))"},
    {NULL, NULL},
};

const smr_choice smr_graph_metrics[] = {
    [SMR_METRIC_EUCLIDEAN] = {"euclidean", "the length of the difference"},
    [SMR_METRIC_MANHATTAN] = {"manhattan", "the sum of the differences' magnitudes"},
    [SMR_METRIC_CHEBYSHEV] = {"chebyshev", "the largest difference"},
    {NULL, NULL},
};

const smr_choice smr_graph_laplacians[] = {
    [SMR_LAPLACIAN_WALK] = {"walk", "I - D^-1 W, for small Ncut"},
    [SMR_LAPLACIAN_SYMMETRIC] = {"symmetric", "I - D^-1/2 W D^-1/2"},
    [SMR_LAPLACIAN_PLAIN] = {"unnormalised", "D - W, for small RatioCut"},
    {NULL, NULL},
};

int smr_graph_weighs(int graph, int weights, double sigma)
{
    if (weights != SMR_GRAPH_AUTO) return weights;
    return graph == SMR_GRAPH_FULL || !isnan(sigma) ? SMR_GRAPH_GAUSSIAN : SMR_GRAPH_ONES;
}

smr_status smr_graph_check(smr_ctx *ctx, const char *who, int graph, int weights)
{
    if (graph != SMR_GRAPH_FULL || weights != SMR_GRAPH_ONES) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: graph=full with weights=one links all rows alike; use weights=gaussian",
                    who);
}

double smr_near_weight(const smr_graph_opts *o, double distance)
{
    if (o->weights == SMR_GRAPH_ONES) return 1;
    double t = distance / o->sigma;
    return smr_exp(-0.5 * t * t);
}

/* ---- nearest rows ----------------------------------------------------------------------- */

struct nearest {
    const smr_site_search *search;
    int64_t k; /* of each row, itself left out */
    int32_t *to;
    double *distance; /* n x k */
    double *room;
    int64_t *place;
    int64_t a_room;
};

static smr_status find_nearest(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct nearest *f = arg;
    const smr_points *p = &f->search->points;
    int64_t K = SMR_MIN(f->k + 1, p->n), end = smr_block_end(p->n, BLOCK, task);
    double *q = f->room + lane * f->a_room, *far = q + p->d, *room = far + K;
    int64_t *place = f->place + lane * K;
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t at = 0;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_nearest(f->search, q, K, room, place, far);
        for (int64_t e = 0; e < K && at < f->k; e++) {
            if (place[e] == i) continue;
            f->to[i * f->k + at] = (int32_t)place[e];
            f->distance[i * f->k + at++] = far[e];
        }
        for (; at < f->k; at++) f->to[i * f->k + at] = -1;
    }
    return SMR_OK;
}

static void release_nearest(struct nearest *f)
{
    smr_free(f->to);
    smr_free(f->distance);
    smr_free(f->room);
    smr_free(f->place);
}

static smr_status all_nearest(smr_ctx *ctx, const smr_site_search *search, int64_t k,
                              const char *hint, struct nearest *f)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, K = SMR_MIN(k + 1, n), lanes = smr_lanes(ctx);
    *f = (struct nearest){.search = search, .k = k};
    TRY(smr_memory_check(ctx, 100.0 * (double)n * (double)k, "the graph of nearest rows", hint));
    f->a_room = smr_block_count(search->points.d + K + smr_site_room(search, K) + 1, 8) * 8;
    TRY_NEW(f->to, n * k);
    TRY_NEW(f->distance, n * k);
    TRY_NEW(f->room, lanes * f->a_room);
    TRY_NEW(f->place, lanes * K);
    TRY(smr_parallel(ctx, "looking for neighbours", smr_block_count(n, BLOCK), find_nearest, f));
out:
    return st;
}

/* What the copies of a row weigh that it has beside itself. */
static double beside(const double *weight, int64_t i)
{
    return weight ? smr_fmax(0, weight[i] - 1) : 0;
}

/* How far neighbours of that weight reach, the row's own copies first: which entry is the last, and
 * which part of it counts.  -1: the copies are enough. */
static int64_t reach(const struct nearest *f, const double *weight, int64_t i, double wanted,
                     double *part)
{
    double left = wanted - beside(weight, i);
    int64_t at = -1;
    *part = 1;
    while (left > 0 && at + 1 < f->k && f->to[i * f->k + at + 1] >= 0) {
        double one = weight ? weight[f->to[i * f->k + at + 1]] : 1;
        at++;
        *part = smr_fmin(1, left / one);
        left -= one;
    }
    return at;
}

/* Do all rows have neighbours of that weight? */
static bool reaches(const struct nearest *f, const double *weight, double wanted)
{
    for (int64_t i = 0; i < f->search->points.n; i++) {
        double sum = beside(weight, i);
        for (int64_t e = 0; e < f->k; e++)
            sum += f->to[i * f->k + e] < 0 ? 0 : weight[f->to[i * f->k + e]];
        if (sum < wanted) return false;
    }
    return true;
}

/* As many nearest rows as the weight wanted needs. */
static smr_status nearest_of_weight(smr_ctx *ctx, const smr_site_search *search,
                                    const double *weight, int64_t wanted, struct nearest *f)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, k = SMR_MAX(1, SMR_MIN(wanted, n - 1));
    TRY(all_nearest(ctx, search, k, fewer, f));
    while (weight && k < n - 1 && !reaches(f, weight, (double)wanted)) {
        release_nearest(f);
        k = SMR_MIN(2 * k, n - 1);
        TRY(all_nearest(ctx, search, k,
                        "small weights need many neighbours: divide them by their mean", f));
    }
out:
    return st;
}

/* The mean distance to neighbour number log n + 1, rounded up. */
static smr_status find_width(smr_ctx *ctx, const smr_site_search *search, const double *weight,
                             double *width)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, k;
    struct nearest f = {0};
    double sum = 0, total = 0, part;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    k = (int64_t)ceil(smr_log(smr_fmax(1, total)) + 1);
    k = SMR_MAX(1, weight ? k : SMR_MIN(n - 1, k));
    TRY(nearest_of_weight(ctx, search, weight, k, &f));
    for (int64_t i = 0; i < n; i++) {
        int64_t last = reach(&f, weight, i, (double)k, &part);
        if (last >= 0) sum += f.distance[i * f.k + last] * (weight ? weight[i] : 1) / total;
    }
    *width = sum > 0 ? sum : 1; /* all rows are equal */
out:
    release_nearest(&f);
    return st;
}

/* sigma and eps by rule. */
static smr_status find_widths(smr_ctx *ctx, const smr_site_search *search, smr_graph_opts *o)
{
    smr_status st = SMR_OK;
    bool by_sigma = o->weights == SMR_GRAPH_GAUSSIAN && isnan(o->sigma);
    bool by_eps = o->graph == SMR_GRAPH_EPSILON && isnan(o->eps);
    double width = 1;
    if (by_sigma || by_eps) TRY(find_width(ctx, search, o->weight, &width));
    if (by_sigma) o->sigma = width;
    if (by_eps) o->eps = width;
out:
    return st;
}

static smr_status link_nearest(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o,
                               smr_graph *out)
{
    smr_status st = SMR_OK;
    struct nearest f = {0};
    double *share = NULL;
    int64_t n = search->points.n;
    TRY(nearest_of_weight(ctx, search, o->weight, o->neighbors, &f));
    if (o->weight) TRY_NEW(share, n * f.k);
    for (int64_t i = 0; i < n; i++) {
        double part;
        int64_t last = reach(&f, o->weight, i, (double)o->neighbors, &part);
        for (int64_t e = 0; e < f.k; e++) {
            int64_t at = i * f.k + e;
            if (e > last) f.to[at] = -1;
            if (share) share[at] = e == last ? part : 1;
            if (f.to[at] >= 0) f.distance[at] = smr_near_weight(o, f.distance[at]);
        }
    }
    smr_arrows arrows = {n, f.k, f.to, f.distance, share};
    TRY(smr_graph_of_arrows(ctx, &arrows, o->graph == SMR_GRAPH_MUTUAL, out));
out:
    release_nearest(&f);
    smr_free(share);
    return st;
}

/* Rows whose copies are neighbours enough are linked to nothing else. */
static void tell_heavy(smr_ctx *ctx, const smr_graph_opts *o, int64_t n)
{
    int64_t heavy = 0;
    for (int64_t i = 0; i < n; i++) heavy += beside(o->weight, i) >= (double)o->neighbors;
    if (heavy > 0)
        smr_warn(
            ctx,
            "%s: %lld row%s weigh%s more than neighbors=%lld, so that %s not linked to others; "
            "raise neighbors, or divide the weights by their mean",
            o->who, (long long)heavy, smr_plural(heavy, "", "s"), smr_plural(heavy, "s", ""),
            (long long)o->neighbors, smr_plural(heavy, "it is", "they are"));
}

/* The links of all copies of the rows, and those among the copies of one. */
static smr_status weigh(smr_ctx *ctx, const smr_graph_opts *o, smr_graph *g)
{
    smr_status st = SMR_OK;
    double *own = NULL, sum = 0;
    bool few = o->graph == SMR_GRAPH_KNN || o->graph == SMR_GRAPH_MUTUAL;
    TRY_NEW(own, g->n);
    for (int64_t i = 0; i < g->n; i++) {
        double others = beside(o->weight, i);
        own[i] = o->weight[i] * (few ? smr_fmin(others, (double)o->neighbors) : others);
    }
    TRY(smr_graph_weigh(ctx, g, o->weight, own));
    for (int64_t i = 0; i < g->n; i++) sum += g->degree[i];
    if (!isfinite(sum))
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s: links weigh as much as two rows together, and the sum is beyond double; "
                     "divide the weights by their mean",
                     o->who));
    if (few) tell_heavy(ctx, o, g->n);
out:
    smr_free(own);
    return st;
}

smr_status smr_graph_row_weights(smr_ctx *ctx, int64_t n, const double *w, const int32_t *order,
                                 double **out)
{
    *out = NULL;
    if (!w) return SMR_OK;
    *out = smr_alloc(ctx, n, sizeof **out);
    for (int64_t i = 0; *out && i < n; i++) (*out)[i] = w[order[i]];
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

/* ---- rows within a radius, and all ------------------------------------------------------ */

struct within {
    const smr_site_search *search;
    const smr_graph_opts *o;
    smr_graph *g;
    bool fills; /* else it counts, into start */
    double *room;
    int64_t a_room;
};

struct filling {
    const struct within *w;
    int64_t from, at;
    const double *q;
    double *row;
};

static double length_of(const smr_points *p, const double *a, const double *b)
{
    switch (smr_points_kind(p)) {
    case SMR_NEAR_L1: return smr_l1_f64(p->d, a, b);
    case SMR_NEAR_LINF: return smr_linf_f64(p->d, a, b);
    default: return sqrt(smr_l2sq_f64(p->d, a, b));
    }
}

static bool take(void *arg, int64_t leaf, unsigned mask)
{
    struct filling *f = arg;
    const smr_points *p = &f->w->search->points;
    for (; mask; mask &= mask - 1) {
        int64_t i = leaf * GROUP + __builtin_ctz(mask);
        if (i == f->from) continue;
        if (f->w->fills) {
            smr_layout_row(&p->layout, p->x, i, f->row);
            f->w->g->to[f->at] = (int32_t)i;
            f->w->g->weight[f->at] = smr_near_weight(f->w->o, length_of(p, f->q, f->row));
        }
        f->at++;
    }
    return true;
}

/* Entries of a node in their order: boxes were looked at from the nearest on. */
static void sort_entries(int32_t *to, double *weight, int64_t n)
{
    for (int64_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < n; i++) {
            int32_t t = to[i];
            double w = weight[i];
            int64_t j = i;
            for (; j >= gap && to[j - gap] > t; j -= gap) {
                to[j] = to[j - gap];
                weight[j] = weight[j - gap];
            }
            to[j] = t;
            weight[j] = w;
        }
}

static smr_status walk_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct within *w = arg;
    const smr_points *p = &w->search->points;
    int64_t end = smr_block_end(p->n, BLOCK, task);
    double *q = w->room + lane * w->a_room;
    struct filling f = {.w = w, .q = q, .row = q + 2 * p->d};
    bool all = w->o->graph == SMR_GRAPH_FULL;
    smr_site_walk walk = {
        .search = w->search, .radius = all ? INFINITY : w->o->eps, .found = take, .arg = &f};
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        f.from = i;
        f.at = w->fills ? w->g->start[i] : 0;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_walk_from(&walk, q, q + p->d);
        if (w->fills)
            sort_entries(w->g->to + w->g->start[i], w->g->weight + w->g->start[i],
                         w->g->start[i + 1] - w->g->start[i]);
        else
            w->g->start[i + 1] = f.at;
    }
    return SMR_OK;
}

/* A weight that is rounded to 0 is no link. */
static void drop_zeros(smr_graph *g)
{
    int64_t at = 0, lo = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t hi = g->start[i + 1];
        for (int64_t e = lo; e < hi; e++) {
            if (!(g->weight[e] > 0)) continue;
            g->to[at] = g->to[e];
            g->weight[at++] = g->weight[e];
        }
        lo = hi;
        g->start[i + 1] = at;
    }
}

static smr_status link_within(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o,
                              smr_graph *out)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n, n_tasks = smr_block_count(n, BLOCK);
    char what[128];
    struct within w = {.search = search, .o = o, .g = out};
    *out = (smr_graph){.n = n};
    w.a_room = smr_block_count(3 * search->points.d, 8) * 8;
    TRY_NEW(w.room, smr_lanes(ctx) * w.a_room);
    TRY_NEW(out->start, n + 1);
    TRY(smr_parallel(ctx, "counting links", n_tasks, walk_block, &w));
    for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    snprintf(what, sizeof what, "%s: a graph of %lld rows with %lld links", o->who, (long long)n,
             (long long)(out->start[n] / 2));
    TRY(smr_memory_check(ctx, 12.0 * (double)out->start[n], what,
                         o->graph == SMR_GRAPH_FULL ? "graph=knn links near rows only"
                                                    : "take a smaller eps, or graph=knn"));
    w.fills = true;
    TRY_NEW(out->to, out->start[n]);
    TRY_NEW(out->weight, out->start[n]);
    TRY(smr_parallel(ctx, "linking rows", n_tasks, walk_block, &w));
    drop_zeros(out);
    TRY(smr_graph_finish(ctx, out));
out:
    smr_free(w.room);
    if (st != SMR_OK) smr_graph_release(out);
    return st;
}

/* ---- the graph -------------------------------------------------------------------------- */

static smr_status no_links(smr_ctx *ctx, const smr_site_search *search, const smr_graph_opts *o)
{
    smr_status st = SMR_OK;
    struct nearest f = {0};
    char eps[SMR_NUMBER_MAX], least[SMR_NUMBER_MAX];
    double nearest = INFINITY;
    if (o->graph != SMR_GRAPH_EPSILON)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: all weights are 0 in double; raise sigma", o->who);
    TRY(all_nearest(ctx, search, 1, fewer, &f));
    for (int64_t i = 0; i < search->points.n; i++) nearest = smr_fmin(nearest, f.distance[i]);
    smr_format_rounded(o->eps, 4, eps);
    smr_format_rounded(nearest, 4, least);
    st = smr_fail(ctx, SMR_ERR_DATA,
                  "%s: no two rows are within eps %s of each other, so the graph has no edges; the "
                  "nearest two are %s apart: raise eps, or leave it out",
                  o->who, eps, least);
out:
    release_nearest(&f);
    return st;
}

smr_status smr_near_graph(smr_ctx *ctx, const smr_site_search *search, smr_graph_opts *o,
                          smr_graph *out)
{
    smr_status st = SMR_OK;
    int64_t n = search->points.n;
    TRY(find_widths(ctx, search, o));
    bool few = o->graph == SMR_GRAPH_KNN || o->graph == SMR_GRAPH_MUTUAL;
    if (few)
        TRY(link_nearest(ctx, search, o, out));
    else
        TRY(link_within(ctx, search, o, out));
    if (n > 1 && out->start[n] == 0 && o->graph != SMR_GRAPH_MUTUAL && !(o->weight && few))
        st = no_links(ctx, search, o);
    if (st == SMR_OK && o->weight) st = weigh(ctx, o, out);
    if (st != SMR_OK) smr_graph_release(out);
out:
    return st;
}
