/* dbscan_eps.c -- how far rows are from the neighbour that makes them core, and where that curve
 * bends: dbscan.c. */
#include "core/sort.h"
#include "learn/cluster/dbscan.h"

#include <math.h>
#include <string.h>

/* Rows that are looked at, evenly among all; neighbours of one at most. */
enum { MOST_ROWS = 2000, MOST_NEIGHBOURS = 4096, A_TASK = 16 };

struct measuring {
    const struct smr_dbscan_work *w;
    int64_t n, K; /* rows that are measured; neighbours that may be needed */
    const int32_t *place;
    double *distance, *room;
    int64_t *near;
    int64_t a_room;
};

/* Rows that come to min_rows whatever rows they are. */
static smr_status count_needed(smr_ctx *ctx, const struct smr_dbscan_work *w, int64_t *K)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = w->tree.rows.n;
    double sum = 0;
    *K = w->p->min_rows < (double)n ? (int64_t)ceil(w->p->min_rows) : n;
    if (w->tree.rows.w) {
        TRY_NEW(order, n);
        TRY(smr_argsort_f64(ctx, n, w->tree.rows.w, order));
        for (*K = 0; *K < n && sum < w->p->min_rows; ++*K) sum += w->tree.rows.w[order[*K]];
    }
    *K = SMR_MAX(1, SMR_MIN(*K, MOST_NEIGHBOURS));
out:
    smr_free(order);
    return st;
}

static smr_status measure(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct measuring *m = arg;
    const struct smr_dbscan_work *w = m->w;
    const smr_points *p = &w->tree.search.points;
    double *q = m->room + lane * m->a_room, *far = q + w->tree.rows.d, *room = far + m->K;
    int64_t *near = m->near + lane * m->K, end = smr_block_end(m->n, A_TASK, task);
    (void)ctx;
    for (int64_t i = task * A_TASK; i < end; i++) {
        double sum = 0;
        int64_t k = 0;
        smr_layout_row(&p->layout, p->x, m->place[i], q);
        smr_site_nearest(&w->tree.search, q, m->K, room, near, far);
        while (k < m->K && sum < w->p->min_rows) sum += smr_dbscan_weight(w, near[k++]);
        m->distance[i] = far[k - 1];
    }
    return SMR_OK;
}

static smr_status measure_all(smr_ctx *ctx, struct measuring *m)
{
    smr_status st = SMR_OK;
    const struct smr_dbscan_work *w = m->w;
    int64_t lanes = smr_lanes(ctx);
    m->a_room =
        smr_block_count(w->tree.rows.d + m->K + smr_site_room(&w->tree.search, m->K) + 1, 8) * 8;
    TRY_NEW(m->room, lanes * m->a_room);
    TRY_NEW(m->near, lanes * m->K);
    TRY(smr_parallel(ctx, "measuring distances", smr_block_count(m->n, A_TASK), measure, m));
out:
    return st;
}

/* Where the curve is farthest below its chord; x: shares of the weight. */
static double bend_of(int64_t n, const double *share, const double *curve)
{
    double low = curve[0], high = curve[n - 1], best = -INFINITY, eps = 0;
    for (int64_t i = 0; i < n; i++) {
        double below = share[i] - (high > low ? (curve[i] - low) / (high - low) : 1);
        if (!(curve[i] > 0) || !(below > best)) continue;
        best = below;
        eps = curve[i];
    }
    return eps > 0 && eps < INFINITY ? eps : 1; /* all rows are equal: any distance will do */
}

static smr_status find_curve(smr_ctx *ctx, struct smr_dbscan_work *w, const struct measuring *m)
{
    smr_status st = SMR_OK;
    struct smr_dbscan_state *s = w->s;
    int64_t *order = NULL;
    double *share = NULL, sum = 0;
    TRY_NEW(order, m->n);
    TRY_NEW(share, m->n);
    TRY_NEW(s->curve, m->n);
    s->n_curve = m->n;
    TRY(smr_argsort_f64(ctx, m->n, m->distance, order));
    for (int64_t k = 0; k < m->n; k++) {
        s->curve[k] = m->distance[order[k]];
        sum += smr_dbscan_weight(w, m->place[order[k]]);
        share[k] = sum;
    }
    for (int64_t k = 0; k < m->n; k++) share[k] /= sum;
    if (isnan(w->p->eps)) s->eps = bend_of(m->n, share, s->curve);
out:
    smr_free(order);
    smr_free(share);
    return st;
}

smr_status smr_dbscan_curve(smr_ctx *ctx, struct smr_dbscan_work *w)
{
    smr_status st = SMR_OK;
    int64_t n = w->tree.rows.n;
    int32_t *place = NULL, *chosen = NULL;
    struct measuring m = {.w = w, .n = SMR_MIN(n, MOST_ROWS)};
    TRY(count_needed(ctx, w, &m.K));
    TRY_NEW(place, n);
    TRY_NEW(chosen, m.n);
    TRY_NEW(m.distance, m.n);
    for (int64_t i = 0; i < n; i++) place[w->tree.order[i]] = (int32_t)i;
    for (int64_t k = 0; k < m.n; k++)
        chosen[k] = place[(int64_t)((double)k * (double)n / (double)m.n)];
    m.place = chosen;
    TRY(measure_all(ctx, &m));
    TRY(find_curve(ctx, w, &m));
out:
    smr_free(place);
    smr_free(chosen);
    smr_free(m.distance);
    smr_free(m.room);
    smr_free(m.near);
    return st;
}
