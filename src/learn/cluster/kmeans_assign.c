/* kmeans_assign.c -- labels, the sums that follow from them, means, errors. */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

enum { MOST_TASKS = 256, TASK_BLOCKS = 8 };

/* ---- sums ------------------------------------------------------------------------------- */

void smr_km_reset(struct smr_km_work *w)
{
    for (int64_t i = 0; i < w->rows.n; i++) w->label[i] = -1;
    memset(w->sum, 0, (size_t)(w->k * w->rows.d) * sizeof *w->sum);
    memset(w->count, 0, (size_t)w->k * sizeof *w->count);
    memset(w->mass, 0, (size_t)w->k * sizeof *w->mass);
}

double smr_km_cluster_weight(const struct smr_km_work *w, int64_t c)
{
    return (double)w->mass[c] / w->rows.weight_scale;
}

void smr_km_means(struct smr_km_work *w, double *centre)
{
    const struct smr_km_rows *r = &w->rows;
    for (int64_t c = 0; c < w->k; c++) {
        double *to = centre + c * r->d, weight = smr_km_cluster_weight(w, c), length = 0;
        if (!(weight > 0)) {
            memcpy(to, w->centre + c * r->d, (size_t)r->d * sizeof *to);
            continue;
        }
        for (int64_t j = 0; j < r->d; j++)
            to[j] = r->shift[j] + (double)w->sum[c * r->d + j] / r->scale[j] / weight;
        if (w->p->metric != SMR_KM_COSINE) continue;
        for (int64_t j = 0; j < r->d; j++) length = smr_fmax(length, fabs(to[j]));
        if (length > 1e-14)
            smr_kmeans_unit(r->d, to);
        else
            memcpy(to, w->centre + c * r->d, (size_t)r->d * sizeof *to);
    }
}

/* ---- labels ----------------------------------------------------------------------------- */

static void assign_block(struct smr_km_work *w, int64_t block, struct smr_km_lane *l)
{
    const struct smr_km_rows *r = &w->rows;
    int64_t lo = block * r->block, hi = smr_block_end(r->n, r->block, block), n;
    smr_km_nearest(r, &w->centres, lo, hi, l);
    n = smr_unlike_i32(hi - lo, l->at, w->label + lo, l->list);
    for (int64_t e = 0; e < n; e++) {
        int64_t i = lo + l->list[e];
        l->move[e] = (smr_row_move){i, w->label[i], l->at[i - lo]};
        w->label[i] = l->at[i - lo];
    }
    smr_km_count_moves(r, n, l);
}

struct visits {
    struct smr_km_work *w;
    void (*visit)(struct smr_km_work *w, int64_t block, struct smr_km_lane *lane);
};

/* Blocks that follow each other: their rows are on the way when they are needed. */
static smr_status visit_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct visits *v = arg;
    int64_t end = smr_block_end(v->w->rows.n_blocks, TASK_BLOCKS, task);
    (void)ctx;
    for (int64_t b = task * TASK_BLOCKS; b < end; b++) v->visit(v->w, b, &v->w->lanes[lane]);
    return SMR_OK;
}

smr_status smr_km_visit(smr_ctx *ctx, struct smr_km_work *w,
                        void (*visit)(struct smr_km_work *w, int64_t block,
                                      struct smr_km_lane *lane))
{
    struct visits v = {w, visit};
    int64_t tasks = smr_block_count(w->rows.n_blocks, TASK_BLOCKS);
    return smr_parallel(ctx, "assigning rows", tasks, visit_some, &v);
}

void smr_km_count_moves(const struct smr_km_rows *r, int64_t n, struct smr_km_lane *l)
{
    for (int64_t m = 0; m < n; m++) {
        int64_t mass = smr_km_whole_weight(r, l->move[m].row), one = mass > 0;
        l->count[l->move[m].to] += one;
        l->mass[l->move[m].to] += mass;
        if (l->move[m].from < 0) continue;
        l->count[l->move[m].from] -= one;
        l->mass[l->move[m].from] -= mass;
    }
    smr_km_move(r, n, l->move, l->sum);
    l->n_changed += n;
}

/* Adds the lanes' sums, which are whole numbers, in tasks of some features. */
enum { SLICE = 1 << 14 };

struct gathering {
    struct smr_km_work *w;
    int lanes;
};

static smr_status gather_slice(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct gathering *g = arg;
    int64_t size = g->w->k * g->w->rows.d, lo = task * SLICE, hi = smr_block_end(size, SLICE, task);
    (void)ctx, (void)lane;
    for (int t = 0; t < g->lanes; t++) {
        int64_t *from = g->w->lanes[t].sum;
        if (g->w->lanes[t].n_changed == 0) continue;
        for (int64_t e = lo; e < hi; e++) g->w->sum[e] += from[e];
        memset(from + lo, 0, (size_t)(hi - lo) * sizeof *from);
    }
    return SMR_OK;
}

smr_status smr_km_gather(smr_ctx *ctx, struct smr_km_work *w)
{
    struct gathering g = {w, smr_lanes(ctx)};
    smr_status st =
        smr_parallel(ctx, NULL, smr_block_count(w->k * w->rows.d, SLICE), gather_slice, &g);
    if (st != SMR_OK) return st;
    w->n_changed = 0;
    for (int t = 0; t < g.lanes; t++) {
        struct smr_km_lane *l = &w->lanes[t];
        w->n_changed += l->n_changed;
        for (int64_t c = 0; c < w->k && l->n_changed; c++) {
            w->count[c] += l->count[c];
            w->mass[c] += l->mass[c];
            l->count[c] = l->mass[c] = 0;
        }
        l->n_changed = 0;
    }
    return SMR_OK;
}

smr_status smr_km_assign(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    smr_km_centres_set(&w->rows, w->centre, &w->centres);
    TRY(smr_km_visit(ctx, w, assign_block));
    TRY(smr_km_gather(ctx, w));
out:
    return st;
}

/* ---- errors ----------------------------------------------------------------------------- */

struct errors {
    const struct smr_km_work *w;
    int64_t rows;    /* of a task */
    double *partial; /* tasks x k */
    double *square;  /* k         */
};

static smr_status error_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct errors *e = arg;
    const struct smr_km_work *w = e->w;
    const struct smr_km_rows *r = &w->rows;
    double *to = e->partial + task * w->k, *far = w->lanes[lane].far;
    int64_t end = smr_block_end(r->n, e->rows, task);
    (void)ctx;
    for (int64_t lo = task * e->rows; lo < end; lo += r->block) {
        int64_t hi = SMR_MIN(end, lo + r->block);
        smr_km_distances(r, lo, hi, w->label + lo, w->centre, e->square, w->lanes[lane].row, far);
        for (int64_t i = lo; i < hi; i++) to[w->label[i]] += smr_km_weight(r, i) * far[i - lo];
    }
    return SMR_OK;
}

smr_status smr_km_errors(smr_ctx *ctx, const struct smr_km_work *w, double *by_cluster,
                         double *total)
{
    smr_status st = SMR_OK;
    struct errors e = {.w = w};
    int64_t k = w->k, n = w->rows.n, tasks;
    e.rows = SMR_MAX(2048, (n + MOST_TASKS - 1) / MOST_TASKS);
    tasks = smr_block_count(n, e.rows);
    TRY_NEW(e.partial, tasks * k);
    TRY_NEW(e.square, k);
    for (int64_t c = 0; c < k; c++)
        e.square[c] = smr_sumsq_f64(w->rows.d, w->centre + c * w->rows.d, 0);
    TRY(smr_parallel(ctx, "measuring the error", tasks, error_task, &e));
    *total = 0;
    for (int64_t c = 0; c < k; c++) {
        double sum = 0;
        for (int64_t t = 0; t < tasks; t++) sum += e.partial[t * k + c];
        sum *= w->p->metric == SMR_KM_COSINE ? 0.5 : 1;
        if (by_cluster) by_cluster[c] = sum;
        *total += sum;
    }
out:
    smr_free(e.partial);
    smr_free(e.square);
    return st;
}
