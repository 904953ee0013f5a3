/* parzen_build.c -- the tree of parzen.h: order, boxes, and what depends on the widths. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/parzen.h"
#include "learn/neighbors/kdtree.h"

#include <math.h>
#include <string.h>

enum { GROUP = SMR_WINDOW_GROUP, GROUPS_A_TASK = 16 };

/* Members whose points are further than `reach` from the centre have no series. */
static const struct {
    int64_t most, terms;
    double reach;
} series_of[SMR_WINDOW_SERIES_D + 1] = {{0, 0, 0}, {16, 16, 1.7}, {20, 210, 1.7}, {10, 220, 1.1}};

smr_status smr_parzen_order(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                            const double *width, int32_t *order)
{
    smr_status st = SMR_OK;
    smr_layout layout = smr_layout_of(SMR_FORM_F64, false, n, d);
    double *scaled = NULL;
    TRY_NEW(scaled, smr_layout_count(&layout));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) scaled[i * d + j] = x[i * d + j] / width[j];
    TRY(smr_kdtree_order(ctx, &layout, false, scaled, order));
out:
    smr_free(scaled);
    return st;
}

/* ---- boxes ------------------------------------------------------------------------------ */

struct work {
    smr_parzen *p;
    int level;
    double reach;
};

/* Groups of points that a member of this level has; its first is member * span. */
static int64_t span_of(int level)
{
    return (int64_t)1 << (4 * level);
}

static void box_of_points(const smr_parzen *p, int64_t leaf, int64_t j, double *low, double *high)
{
    const double *y = p->point + (leaf * p->d + j) * GROUP;
    *low = *high = y[0];
    for (int i = 1; i < GROUP; i++) {
        *low = smr_fmin(*low, y[i]);
        *high = smr_fmax(*high, y[i]);
    }
}

/* Around the boxes of a group of the level below. */
static void box_of_boxes(const smr_parzen *p, int below, int64_t group, int64_t j, double *low,
                         double *high)
{
    const smr_parzen_level *l = &p->level[below];
    const double *ends = l->boxes + (group * p->d + j) * 2 * GROUP;
    int64_t n = SMR_MIN(GROUP, l->n - group * GROUP);
    *low = ends[0];
    *high = ends[GROUP];
    for (int64_t i = 1; i < n; i++) {
        *low = smr_fmin(*low, ends[i]);
        *high = smr_fmax(*high, ends[GROUP + i]);
    }
}

static smr_status draw_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    smr_parzen *p = w->p;
    smr_parzen_level *l = &p->level[w->level];
    int64_t end = smr_block_end(l->n, GROUPS_A_TASK * GROUP, task);
    (void)ctx, (void)lane;
    for (int64_t m = task * GROUPS_A_TASK * GROUP; m < end; m++) {
        const double *from = w->level ? p->level[w->level - 1].weight : p->weight;
        double *box = l->boxes + m / GROUP * p->d * 2 * GROUP + m % GROUP;
        for (int i = 0; i < GROUP; i++) l->weight[m] += from[m * GROUP + i];
        for (int64_t j = 0; j < p->d; j++, box += 2 * GROUP)
            if (w->level)
                box_of_boxes(p, w->level - 1, m, j, box, box + GROUP);
            else
                box_of_points(p, m, j, box, box + GROUP);
    }
    return SMR_OK;
}

static smr_status add_level(smr_ctx *ctx, smr_parzen *p, int64_t n)
{
    smr_status st = SMR_OK;
    smr_parzen_level *l = &p->level[p->n_levels];
    struct work w = {.p = p, .level = p->n_levels};
    l->n = n;
    l->n_groups = smr_block_count(n, GROUP);
    TRY_NEW(l->boxes, l->n_groups * p->d * 2 * GROUP);
    TRY_NEW(l->weight, l->n_groups * GROUP);
    if (p->terms && w.level > 0) {
        TRY_NEW(l->radius, l->n_groups * GROUP);
        TRY_NEW(l->moments, l->n_groups * p->terms * GROUP);
    }
    if (p->kind == SMR_WINDOW_EPANECHNIKOV && w.level > 0) {
        TRY_NEW(l->mean, l->n_groups * p->d * GROUP);
        TRY_NEW(l->spread, l->n_groups * GROUP);
    }
    p->n_levels++;
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, GROUPS_A_TASK * GROUP), draw_task, &w));
out:
    return st;
}

smr_status smr_parzen_build(smr_ctx *ctx, smr_parzen *p)
{
    smr_status st = SMR_OK;
    bool series = p->kind == SMR_WINDOW_GAUSSIAN && p->d <= SMR_WINDOW_SERIES_D;
    p->terms = series ? series_of[p->d].terms : 0;
    p->most = series ? series_of[p->d].most : 0;
    p->total = 0;
    TRY_NEW(p->scale, p->d);
    TRY(add_level(ctx, p, p->n_groups));
    while (p->level[p->n_levels - 1].n > GROUP)
        TRY(add_level(ctx, p, p->level[p->n_levels - 1].n_groups));
    const smr_parzen_level *top = &p->level[p->n_levels - 1];
    for (int64_t m = 0; m < top->n; m++) p->total += top->weight[m];
out:
    return st;
}

void smr_parzen_release(smr_parzen *p)
{
    for (int l = 0; l < SMR_PARZEN_LEVELS; l++) {
        smr_free(p->level[l].boxes);
        smr_free(p->level[l].weight);
        smr_free(p->level[l].radius);
        smr_free(p->level[l].moments);
        smr_free(p->level[l].mean);
        smr_free(p->level[l].spread);
    }
    smr_free(p->scale);
    *p = (smr_parzen){0};
}

/* ---- what depends on the widths ----------------------------------------------------------- */

enum { MOST_TERMS = 220 };

/* M += w prod_j t_j^aj / aj! for |a| < most, in the order of window_kernels.h. */
static void add_moments(const smr_parzen *p, const double *t, double w, double *M)
{
    double power[SMR_WINDOW_SERIES_D][SMR_WINDOW_SERIES_MOST];
    int64_t most = p->most, d = p->d;
    for (int64_t j = 0; j < d; j++) {
        power[j][0] = 1;
        for (int64_t a = 1; a < most; a++) power[j][a] = power[j][a - 1] * t[j] / (double)a;
    }
    for (int64_t a = 0; a < (d > 2 ? most : 1); a++)
        for (int64_t b = 0; b < (d > 1 ? most - a : 1); b++) {
            double first = w * (d > 2 ? power[0][a] : 1) * (d > 1 ? power[d - 2][b] : 1);
            for (int64_t c = 0; c < most - a - b; c++) M[c] += first * power[d - 1][c];
            M += most - a - b;
        }
}

/* Point i of a group less the centre of a box, in units of the kernel. */
static double step_of(const smr_parzen *p, const double *box, int64_t group, int i, int64_t j)
{
    double centre = 0.5 * (box[2 * j * GROUP] + box[(2 * j + 1) * GROUP]);
    return (p->point[(group * p->d + j) * GROUP + i] - centre) * p->scale[j];
}

static void widen_gaussian(const smr_parzen *p, int level, double reach, int64_t m)
{
    const smr_parzen_level *l = &p->level[level];
    const double *box = l->boxes + m / GROUP * p->d * 2 * GROUP + m % GROUP;
    int64_t first = m * span_of(level), end = SMR_MIN(first + span_of(level), p->n_groups);
    double farthest = 0, t[SMR_WINDOW_SERIES_D], M[MOST_TERMS] = {0};
    for (int64_t g = first; g < end; g++)
        for (int i = 0; i < GROUP; i++) {
            double q = 0;
            for (int64_t j = 0; j < p->d; j++) {
                double u = step_of(p, box, g, i, j);
                q += u * u;
            }
            farthest = smr_fmax(farthest, q);
        }
    bool near = 2 * farthest <= reach * reach;
    l->radius[m] = near ? 0.5 * smr_log(2 * farthest) : INFINITY;
    for (int64_t g = first; g < end && near; g++)
        for (int i = 0; i < GROUP; i++) {
            for (int64_t j = 0; j < p->d; j++) t[j] = step_of(p, box, g, i, j);
            add_moments(p, t, p->weight[g * GROUP + i], M);
        }
    double *to = l->moments + m / GROUP * p->terms * GROUP + m % GROUP;
    for (int64_t k = 0; k < p->terms; k++) to[k * GROUP] = M[k];
}

static void widen_epanechnikov(const smr_parzen *p, int level, int64_t m)
{
    const smr_parzen_level *l = &p->level[level];
    int64_t first = m * span_of(level), end = SMR_MIN(first + span_of(level), p->n_groups);
    double spread = 0;
    for (int64_t j = 0; j < p->d; j++) {
        double origin = p->point[(first * p->d + j) * GROUP], sum = 0, square = 0;
        for (int64_t g = first; g < end; g++)
            for (int i = 0; i < GROUP; i++)
                sum += p->weight[g * GROUP + i] * (p->point[(g * p->d + j) * GROUP + i] - origin);
        double mean = origin + (l->weight[m] > 0 ? sum / l->weight[m] : 0);
        for (int64_t g = first; g < end; g++)
            for (int i = 0; i < GROUP; i++) {
                double u = (p->point[(g * p->d + j) * GROUP + i] - mean) * p->scale[j];
                square += p->weight[g * GROUP + i] * u * u;
            }
        l->mean[(m / GROUP * p->d + j) * GROUP + m % GROUP] = mean;
        spread += square;
    }
    l->spread[m] = spread;
}

static smr_status widen_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    const smr_parzen *p = w->p;
    (void)ctx, (void)lane;
    if (p->kind == SMR_WINDOW_GAUSSIAN)
        widen_gaussian(p, w->level, w->reach, task);
    else
        widen_epanechnikov(p, w->level, task);
    return SMR_OK;
}

smr_status smr_parzen_widen(smr_ctx *ctx, smr_parzen *p, const double *width)
{
    smr_status st = SMR_OK;
    struct work w = {.p = p, .reach = p->terms ? series_of[p->d].reach : 0};
    bool gaussian = p->kind == SMR_WINDOW_GAUSSIAN;
    for (int64_t j = 0; j < p->d; j++) p->scale[j] = 1 / (gaussian ? width[j] * sqrt(2) : width[j]);
    if (gaussian ? !p->terms : p->kind != SMR_WINDOW_EPANECHNIKOV) return SMR_OK;
    for (w.level = 1; w.level < p->n_levels; w.level++)
        TRY(smr_parallel(ctx, NULL, p->level[w.level].n, widen_task, &w));
out:
    return st;
}
