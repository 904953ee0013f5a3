/* sites.c -- see sites.h. */
#include "learn/cluster/sites.h"

#include "core/sort.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, GROUP = SMR_SITES_LANE };

/* ---- training rows ---------------------------------------------------------------------- */

static smr_status refuse(smr_ctx *ctx, const char *who, const smr_data *data, int64_t row,
                         int64_t j)
{
    if (data->features)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: feature '%s' of training row %lld is infinite; distances need numbers",
                        who, data->features[j].name, (long long)row + 1);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s: feature %lld of training row %lld is infinite; distances need numbers",
                    who, (long long)j, (long long)row + 1);
}

static smr_status take_block(smr_ctx *ctx, const char *who, const smr_data *data,
                             const smr_rows *block, smr_site_rows *out)
{
    for (int64_t r = 0; r < block->n; r++) {
        int64_t row = block->first + r;
        const double *x = (const double *)block->x + r * block->stride;
        double weight = smr_data_weight(data, row);
        if (!(weight > 0)) continue;
        for (int64_t j = 0; j < out->d; j++)
            if (!isfinite(x[j])) return refuse(ctx, who, data, row, j);
        memcpy(out->x + out->n * out->d, x, (size_t)out->d * sizeof *x);
        if (out->w) out->w[out->n] = weight;
        if (out->which) out->which[out->n] = row;
        out->n++;
    }
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, const char *who, const smr_data *data, smr_site_rows *out)
{
    smr_status st = SMR_OK;
    bool weighted = false, left_out = false;
    int64_t n = data->n_rows;
    for (int64_t i = 0; i < n; i++) {
        double weight = smr_data_weight(data, i);
        weighted = weighted || (weight > 0 && weight != 1);
        left_out = left_out || !(weight > 0);
    }
    TRY(smr_memory_check(ctx, 16.0 * (double)n * (double)(out->d + 2), who,
                         "use fewer rows or columns"));
    TRY_NEW(out->x, smr_block_count(n, GROUP) * GROUP * out->d);
    if (weighted) TRY_NEW(out->w, n);
    if (left_out) TRY_NEW(out->which, n);
out:
    return st;
}

smr_status smr_site_rows_read(smr_ctx *ctx, const char *who, const smr_data *data,
                              smr_site_rows *out)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    *out = (smr_site_rows){.d = data->n_features};
    if (out->d < 1) return smr_fail(ctx, SMR_ERR_DATA, "%s: there are no features", who);
    if (data->n_rows > SMR_MAX_DIM - GROUP)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld rows are too many", who,
                        (long long)data->n_rows);
    TRY(make_room(ctx, who, data, out));
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(lo + BLOCK, data->n_rows), &block));
        TRY(take_block(ctx, who, data, &block, out));
        TRY(smr_tick(ctx, "reading rows", lo, data->n_rows, NAN));
    }
    if (out->n == 0) st = smr_fail(ctx, SMR_ERR_DATA, "%s: there are no rows to learn from", who);
out:
    smr_reader_close(reader);
    return st;
}

void smr_site_rows_release(smr_site_rows *rows)
{
    smr_free(rows->x);
    smr_free(rows->w);
    smr_free(rows->which);
    *rows = (smr_site_rows){0};
}

/* ---- what is kept ----------------------------------------------------------------------- */

void smr_sites_adopt(int64_t n, int64_t d, double *x, int32_t *order, int32_t *home, smr_sites *out)
{
    *out = (smr_sites){.n_features = d,
                       .n_sites = n,
                       .n_groups = smr_block_count(n, GROUP),
                       .lane = GROUP,
                       .site = x,
                       .order = order,
                       .home = home};
}

smr_status smr_sites_keep(smr_ctx *ctx, int64_t n, int64_t d, double *x, const int32_t *home,
                          smr_sites *out)
{
    smr_status st = SMR_OK;
    smr_layout layout = smr_layout_of(SMR_FORM_F64, false, n, d);
    out->n_features = d;
    out->n_sites = n;
    out->n_groups = layout.groups;
    out->lane = GROUP;
    if (n == 0) {
        smr_free(x);
        return SMR_OK;
    }
    out->site = x;
    TRY_NEW(out->order, n);
    if (home) TRY_NEW(out->home, n);
    TRY(smr_kdtree_order(ctx, &layout, false, x, out->order));
    for (int64_t i = 0; home && i < n; i++) out->home[i] = home[out->order[i]];
out:
    return st;
}

smr_status smr_sites_check(smr_ctx *ctx, const char *who, const smr_sites *s)
{
    smr_status st = SMR_OK;
    bool *seen = NULL;
    smr_layout l = smr_layout_of(SMR_FORM_F64, false, s->n_sites, s->n_features);
    if (l.groups != s->n_groups)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: %lld rows are not %lld groups of 16", who,
                        (long long)s->n_sites, (long long)s->n_groups);
    if (s->n_sites == 0) return SMR_OK;
    if (!smr_layout_sound(&l, s->site))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: what is padding among the rows is not zero", who);
    TRY_NEW(seen, s->n_sites);
    for (int64_t i = 0; i < s->n_sites; i++) {
        if (seen[s->order[i]])
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: two places have row %d", who, s->order[i]));
        seen[s->order[i]] = true;
    }
out:
    smr_free(seen);
    return st;
}

/* ---- the search ------------------------------------------------------------------------- */

smr_status smr_site_search_open(smr_ctx *ctx, smr_metric_name metric, int64_t n, int64_t d,
                                const double *site, const int32_t *order, smr_site_search *out)
{
    smr_status st = SMR_OK;
    *out = (smr_site_search){.points = {.layout = smr_layout_of(SMR_FORM_F64, false, n, d),
                                        .x = site,
                                        .rows = order,
                                        .metric = metric}};
    if (n == 0) return SMR_OK;
    out->is_open = true;
    TRY(smr_points_prepare(ctx, &out->points));
    TRY(smr_kdtree_build(ctx, &out->points, &out->tree));
out:
    if (st != SMR_OK) smr_site_search_close(out);
    return st;
}

void smr_site_search_close(smr_site_search *search)
{
    if (!search->is_open) return;
    smr_kdtree_release(&search->tree);
    smr_points_release(&search->points);
    *search = (smr_site_search){0};
}

smr_status smr_sites_search(smr_ctx *ctx, smr_metric_name metric, const smr_sites *s,
                            smr_site_search *search)
{
    smr_site_search_close(search);
    return smr_site_search_open(ctx, metric, s->n_sites, s->n_features, s->site, s->order, search);
}

smr_status smr_site_tree_make(smr_ctx *ctx, const char *who, const smr_data *data,
                              smr_metric_name metric, smr_site_tree *out)
{
    smr_status st = SMR_OK;
    smr_site_rows *r = &out->rows;
    *out = (smr_site_tree){0};
    TRY(smr_site_rows_read(ctx, who, data, r));
    smr_layout layout = smr_layout_of(SMR_FORM_F64, false, r->n, r->d);
    TRY_NEW(out->order, r->n);
    TRY(smr_kdtree_order(ctx, &layout, false, r->x, out->order));
    TRY(smr_site_search_open(ctx, metric, r->n, r->d, r->x, out->order, &out->search));
out:
    if (st != SMR_OK) smr_site_tree_release(out);
    return st;
}

void smr_site_tree_release(smr_site_tree *tree)
{
    smr_site_search_close(&tree->search);
    smr_site_rows_release(&tree->rows);
    smr_free(tree->order);
    tree->order = NULL;
}

static int compare_values(const smr_site_tree *t, int64_t a, int64_t b)
{
    int64_t d = t->rows.d;
    const double *x = t->rows.x + a / GROUP * GROUP * d + a % GROUP;
    const double *y = t->rows.x + b / GROUP * GROUP * d + b % GROUP;
    for (int64_t j = 0; j < d; j++)
        if (x[j * GROUP] != y[j * GROUP]) return x[j * GROUP] < y[j * GROUP] ? -1 : 1;
    return 0;
}

static int compare_places(const void *items, int64_t a, int64_t b)
{
    const smr_site_tree *t = items;
    int by_value = compare_values(t, a, b);
    return by_value ? by_value : t->order[a] < t->order[b] ? -1 : 1;
}

smr_status smr_site_tree_twins(smr_ctx *ctx, const smr_site_tree *tree, int32_t *twin,
                               int64_t *distinct)
{
    smr_status st = SMR_OK;
    int64_t n = tree->rows.n, *sorted = NULL, first = 0;
    *distinct = 0;
    TRY_NEW(sorted, n);
    TRY(smr_argsort(ctx, n, compare_places, tree, sorted));
    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || compare_values(tree, first, sorted[k]) != 0) {
            first = sorted[k];
            (*distinct)++;
        }
        twin[sorted[k]] = (int32_t)first;
    }
out:
    smr_free(sorted);
    return st;
}

int64_t smr_site_room(const smr_site_search *search, int64_t K)
{
    return 3 * search->points.d + smr_near_size(K) / (int64_t)sizeof(double) + 1;
}

void smr_site_nearest(const smr_site_search *search, const double *q, int64_t K, double *room,
                      int64_t *place, double *distance)
{
    int64_t d = search->points.d;
    smr_near_set nearest;
    smr_query query;
    smr_query_begin(&query, &search->points, q, room);
    smr_near_begin(&nearest, &query, K, room + 3 * d);
    smr_kdtree_search(&search->tree, &nearest);
    smr_near_finish(&nearest, true);
    for (int64_t k = 0; k < K; k++) {
        place[k] = nearest.kept[k].place;
        if (distance) distance[k] = smr_query_meant(&query, place[k]);
    }
}

int64_t smr_sites_scratch(const smr_sites *s, const smr_site_search *search)
{
    return (s->n_features + smr_site_room(search, 1)) * (int64_t)sizeof(double);
}

void smr_sites_predict(const smr_sites *s, const smr_site_search *search, const smr_rows *rows,
                       smr_output output, double *out, double *scratch)
{
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t place;
        double distance;
        memcpy(scratch, (const double *)rows->x + i * rows->stride,
               (size_t)rows->d * sizeof *scratch);
        smr_site_nearest(search, scratch, 1, scratch + s->n_features, &place, &distance);
        out[i] = output == SMR_OUTPUT_LABEL ? (double)s->home[place] : 0.0 - distance;
    }
}

/* ---- within a radius -------------------------------------------------------------------- */

static double distance_to(const smr_site_walk *w, int64_t place)
{
    const smr_points *p = &w->search->points;
    smr_layout_row(&p->layout, p->x, place, w->row);
    switch (smr_points_kind(p)) {
    case SMR_NEAR_L1: return smr_l1_f64(p->d, w->q, w->row);
    case SMR_NEAR_LINF: return smr_linf_f64(p->d, w->q, w->row);
    default: return smr_l2sq_f64(p->d, w->q, w->row);
    }
}

static bool visit_leaf(smr_site_walk *w, int64_t leaf)
{
    const smr_points *p = &w->search->points;
    double dist[GROUP];
    int64_t first = leaf * GROUP, n = SMR_MIN(p->n - first, GROUP);
    const double *x = (const double *)p->x + first * p->d;
    unsigned mask = smr_near()->points_f64(smr_points_kind(p), p->d, x, w->q, w->most, dist);
    mask &= (1U << n) - 1;
    for (unsigned left = mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (dist[i] > w->least && !(distance_to(w, first + i) <= w->limit)) mask &= ~(1U << i);
    }
    return mask == 0 || w->found(w->arg, leaf, mask);
}

static bool visit_group(smr_site_walk *w, int level, int64_t group)
{
    const smr_kdtree *tree = &w->search->tree;
    int64_t width = tree->points->width, first = group * GROUP;
    int64_t n = (level ? tree->n_groups[level - 1] : tree->n_leaves) - first;
    const double *boxes = (const double *)tree->boxes[level] + group * width * 2 * GROUP;
    double dist[GROUP];
    smr_near_kind kind = smr_points_kind(tree->points);
    unsigned mask = smr_near()->boxes_f64(kind, width, boxes, w->q, w->most, dist);

    mask &= (1U << SMR_MIN(n, GROUP)) - 1;
    while (mask) {
        int child = __builtin_ctz(mask);
        for (unsigned left = mask & (mask - 1); left; left &= left - 1) {
            int i = __builtin_ctz(left);
            child = dist[i] < dist[child] ? i : child;
        }
        mask &= ~(1U << child);
        if (w->skip && w->skip(w->arg, level - 1, first + child)) continue;
        bool goes_on =
            level ? visit_group(w, level - 1, first + child) : visit_leaf(w, first + child);
        if (!goes_on) return false;
    }
    return true;
}

void smr_site_walk_from(smr_site_walk *w, const double *q, double *room)
{
    const smr_points *p = &w->search->points;
    double r = w->radius, slack = (double)(p->d + 8) * 0x1p-51;
    w->limit = smr_points_kind(p) == SMR_NEAR_L2 ? r * r : r;
    w->most = w->limit * (1 + slack);
    w->least = w->limit * (1 - slack);
    w->q = q;
    w->row = room;
    if (p->n > 0) (void)visit_group(w, w->search->tree.n_levels - 1, 0);
}
