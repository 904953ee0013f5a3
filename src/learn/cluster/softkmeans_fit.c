/* softkmeans_fit.c -- iterations of soft k-means, and annealing.
 *
 * An iteration shares out the rows and moves the centres.  It ends when the centres' steps, squared
 * and summed, are at most tol times the mean variance of a column; `converged` says that this came
 * true with the stiffness asked for.
 *
 * Annealing begins at the mean of all rows with b = 1 / (2 V), V the variance of all columns
 * together, which is not below that of any direction, so that the centres stay together.  Before
 * each stiffness centres are moved by NUDGE deviations at random: those that lie at one place part
 * from there if that lowers the energy (Rose 1998).
 *
 * Rows are cut into tasks by their number alone, and sums are added in that order. */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/cluster/softkmeans.h"
#include "math/distribution.h"

#include <math.h>
#include <string.h>

enum {
    MOST_TASKS = 64,
    TASK_BLOCKS = 4,       /* at least, of a task         */
    SUM_NUMBERS = 1 << 22, /* of all tasks' sums, about   */
    FEW_TASKS = 4,         /* however large their sums    */
    HARD_ITERATIONS = 100, /* of k-means before it        */
    MOST_STAGES = 1 << 16
};
static const double FAINT = 0x1p-60, NOTHING = 1e-100, NUDGE = 1e-6;

struct smr_soft_room {
    double *p, *top, *total, *x;
};

/* ---- a pass ----------------------------------------------------------------------------- */

/* Of a task: energy, weights (width), sums and squares from the centres (k x d each). */
static double *weights_of(const struct smr_soft_fit *f, int64_t task)
{
    return f->sums + task * f->n_sums + 1;
}

static double *steps_of(const struct smr_soft_fit *f, int64_t task)
{
    return weights_of(f, task) + f->tables->width;
}

/* Rows [lo, hi) as doubles, *ld apart. */
static const double *rows_at(const struct smr_km_rows *r, int64_t lo, int64_t hi, double *room,
                             int64_t *ld)
{
    *ld = r->form == SMR_FORM_F64 ? r->dense.stride : r->d;
    if (r->form == SMR_FORM_F64) return (const double *)r->dense.values + lo * *ld;
    for (int64_t i = lo; i < hi; i++) (void)smr_km_row(r, i, room + (i - lo) * r->d);
    return room;
}

static smr_status share_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_soft_fit *f = arg;
    const struct smr_km_rows *r = &f->w.rows;
    const struct smr_soft_tables *t = f->tables;
    struct smr_soft_room *room = &f->rooms[lane];
    int64_t blocks = smr_block_count(r->n, SMR_SOFT_BLOCK), k = t->k, d = t->d, ld;
    int64_t lo = blocks * task / f->n_tasks * SMR_SOFT_BLOCK;
    int64_t end = SMR_MIN(r->n, blocks * (task + 1) / f->n_tasks * SMR_SOFT_BLOCK);
    double *energy = f->sums + task * f->n_sums, *step = steps_of(f, task);
    smr_class_sums to = {f->w.centre, step, step + k * d, d, k};
    (void)ctx;
    memset(energy, 0, (size_t)f->n_sums * sizeof *energy);
    for (; lo < end; lo += SMR_SOFT_BLOCK) {
        int64_t hi = SMR_MIN(end, lo + SMR_SOFT_BLOCK), n = hi - lo;
        const double *x = rows_at(r, lo, hi, room->x, &ld);
        const double *weight = r->weight ? r->weight + lo : NULL;
        smr_normals_rows_f64(n, &t->normals, x, ld, room->p, room->top);
        smr_mix_shares_f64(n, t->width, weight, FAINT, room->p, room->total);
        smr_log_f64(n, room->total, room->total);
        for (int64_t i = 0; i < n; i++) {
            double w = weight ? weight[i] : 1;
            if (w > 0) *energy -= w * (room->top[i] + room->total[i]) / t->beta;
        }
        smr_lanes_sum_f64(n, t->width, room->p, weights_of(f, task));
        smr_mix_sums_f64(n, d, x, ld, room->p, t->width, &to);
    }
    return SMR_OK;
}

/* Shares out the rows: sums of task 0 are those of all, and the energy that of the centres. */
static smr_status share_out(smr_ctx *ctx, struct smr_soft_fit *f, double beta)
{
    smr_status st = SMR_OK;
    smr_soft_tables_fill(f->tables, beta, f->w.centre);
    TRY(smr_parallel(ctx, "sharing out rows", f->n_tasks, share_task, f));
    for (int64_t t = 1; t < f->n_tasks; t++)
        for (int64_t e = 0; e < f->n_sums; e++) f->sums[e] += f->sums[t * f->n_sums + e];
    f->energy = f->sums[0];
    if (!isfinite(f->energy))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "softkmeans: beta = %g times the squared distances of these rows overflows; "
                     "take a smaller beta",
                     beta));
out:
    return st;
}

/* How far the centres move, squared and summed. */
static double move_centres(struct smr_soft_fit *f)
{
    int64_t k = f->tables->k, d = f->tables->d;
    const double *weight = weights_of(f, 0), *step = steps_of(f, 0);
    double moved = 0;
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d && weight[c] > NOTHING; j++) {
            double by = step[c * d + j] / weight[c];
            f->w.centre[c * d + j] += by;
            moved += by * by;
        }
    return moved;
}

/* ---- one stiffness ---------------------------------------------------------------------- */

static smr_status settle(smr_ctx *ctx, struct smr_soft_fit *f, double beta, bool *settled)
{
    smr_status st = SMR_OK;
    struct smr_km_work *w = &f->w;
    double most = f->p->tol * f->variance / (double)w->rows.d;
    int64_t i = 0;
    *settled = false;
    w->n_record = 0;
    TRY(share_out(ctx, f, beta));
    TRY(smr_fit_record(ctx, w->n_record++, f->energy, &w->record));
    TRY(smr_soft_watch(ctx, f, beta, 0));
    while (i < f->p->max_iter && !*settled) {
        double moved = move_centres(f);
        TRY(share_out(ctx, f, beta));
        TRY(smr_fit_record(ctx, w->n_record++, f->energy, &w->record));
        TRY(smr_soft_watch(ctx, f, beta, ++i));
        TRY(smr_tick(ctx, "iterating", i, f->p->max_iter, f->energy));
        *settled = moved <= most;
    }
out:
    return st;
}

/* ---- stages ----------------------------------------------------------------------------- */

static double draw_normal(smr_ctx *ctx, int64_t stage, int64_t at)
{
    smr_draw from = {ctx->seed, SMR_STREAM_CENTRES, (uint64_t)(stage + 1) << 32 | (uint64_t)at, 0};
    return smr_draw_normal(&from);
}

static void nudge(smr_ctx *ctx, struct smr_soft_fit *f, int64_t stage)
{
    int64_t size = f->w.k * f->w.rows.d;
    double by = NUDGE * sqrt(f->variance / (double)f->w.rows.d);
    for (int64_t e = 0; e < size; e++) f->w.centre[e] += by * draw_normal(ctx, stage, e);
}

/* All centres at the mean of the rows, from the sums of k-means. */
static void gather_centres(struct smr_soft_fit *f)
{
    const struct smr_km_rows *r = &f->w.rows;
    for (int64_t j = 0; j < r->d; j++) {
        double sum = 0;
        for (int64_t c = 0; c < f->w.k; c++) sum += (double)f->w.sum[c * r->d + j];
        double mean = r->shift[j] + sum / r->scale[j] / r->total;
        for (int64_t c = 0; c < f->w.k; c++) f->w.centre[c * r->d + j] = mean;
    }
}

static smr_status add_stage(smr_ctx *ctx, struct smr_soft_state *s, double beta, double energy)
{
    smr_status st = SMR_OK;
    int64_t n = s->n_stages;
    TRY(smr_fit_record(ctx, n, beta, &s->stage_beta));
    TRY(smr_fit_record(ctx, n, energy, &s->stage_energy));
    s->n_stages++;
out:
    return st;
}

static smr_status go_through_stages(smr_ctx *ctx, struct smr_soft_fit *f, double beta,
                                    struct smr_soft_state *s, bool *settled)
{
    smr_status st = SMR_OK;
    double now = beta, first = 1 / (2 * f->variance);
    bool anneals = f->p->anneal > 1 && !f->report->is_warm && first < beta;
    if (anneals) {
        if (smr_log(beta / first) / smr_log(f->p->anneal) > MOST_STAGES)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "softkmeans: by anneal = %.9g it takes more than %d stages from the "
                            "stiffness %g to %g; take a larger factor",
                            f->p->anneal, (int)MOST_STAGES, first, beta);
        gather_centres(f);
        now = first;
    }
    for (int64_t stage = 0;; stage++) {
        if (anneals) nudge(ctx, f, stage);
        TRY(settle(ctx, f, now, settled));
        TRY(add_stage(ctx, s, now, f->energy));
        if (now >= beta) break;
        now = smr_fmin(beta, now * f->p->anneal);
    }
out:
    return st;
}

/* ---- the start -------------------------------------------------------------------------- */

static bool begin_warm(struct smr_soft_fit *f)
{
    const smr_warm_start *from = f->report->warm;
    struct smr_km_work *w = &f->w;
    if (!from || from->stage->learner != f->report->learner) return false;
    const struct smr_soft_state *old = from->stage->state;
    const smr_feature *names = from->shape->features, *now = w->rows.given->features;
    int64_t d = w->rows.d;
    if (old->n_features != d || old->n_clusters != w->k) return false;
    for (int64_t j = 0; names && now && j < d; j++)
        if (!names[j].name || !now[j].name || strcmp(names[j].name, now[j].name) != 0) return false;
    memcpy(w->centre, old->centre, (size_t)(w->k * d) * sizeof *w->centre);
    return true;
}

/* Hard clusters first, which also tell the rows' variance, and within clusters. */
static smr_status start(smr_ctx *ctx, struct smr_soft_fit *f, double *beta)
{
    smr_status st = SMR_OK;
    struct smr_km_work *w = &f->w;
    double error = 0;
    TRY(smr_km_start(ctx, w));
    TRY(smr_km_iterate(ctx, w));
    TRY(smr_km_drop_empty(ctx, w));
    f->variance = smr_km_variance(w);
    TRY(smr_km_errors(ctx, w, NULL, &error));
    f->report->is_warm = begin_warm(f);
    *beta = f->p->beta;
    if (*beta > 0) return SMR_OK;
    double within = smr_fmax(error, 1e-12 * f->variance * w->rows.total);
    *beta = within > 0 ? w->rows.total * (double)w->rows.d / (2 * within) : 1;
    if (!(*beta < 1e100)) *beta = 1e100;
out:
    return st;
}

static smr_status open_room(smr_ctx *ctx, struct smr_soft_fit *f)
{
    smr_status st = SMR_OK;
    int64_t k = f->w.k, d = f->w.rows.d, blocks;
    TRY(smr_soft_tables_create(ctx, k, d, &f->tables));
    int64_t width = f->tables->width;
    f->n_sums = 1 + width + 2 * k * d;
    blocks = SMR_MAX(1, smr_block_count(f->w.rows.n, TASK_BLOCKS * SMR_SOFT_BLOCK));
    f->n_tasks = SMR_MIN(blocks, SMR_MAX(FEW_TASKS, SMR_MIN(MOST_TASKS, SUM_NUMBERS / f->n_sums)));
    f->n_lanes = smr_lanes(ctx);
    double room = (double)SMR_SOFT_BLOCK * (double)(width + 2 + d) * (double)f->n_lanes;
    TRY(smr_memory_check(ctx, 8 * ((double)f->n_tasks * (double)f->n_sums + room),
                         "softkmeans: its sums", "use fewer clusters or features"));
    TRY_NEW(f->sums, f->n_tasks * f->n_sums);
    TRY_NEW(f->rooms, f->n_lanes);
    for (int64_t l = 0; l < f->n_lanes; l++) {
        TRY_NEW(f->rooms[l].p, SMR_SOFT_BLOCK * width);
        TRY_NEW(f->rooms[l].top, SMR_SOFT_BLOCK);
        TRY_NEW(f->rooms[l].total, SMR_SOFT_BLOCK);
        TRY_NEW(f->rooms[l].x, SMR_SOFT_BLOCK * d);
    }
out:
    return st;
}

static void close_fit(smr_ctx *ctx, struct smr_soft_fit *f)
{
    for (int64_t l = 0; f->rooms && l < f->n_lanes; l++) {
        smr_free(f->rooms[l].p);
        smr_free(f->rooms[l].top);
        smr_free(f->rooms[l].total);
        smr_free(f->rooms[l].x);
    }
    smr_free(f->rooms);
    smr_free(f->sums);
    smr_soft_tables_free(f->tables);
    smr_fit_report_release(&f->quiet);
    smr_km_close_work(ctx, &f->w);
}

/* ---- what is kept ----------------------------------------------------------------------- */

static smr_status keep(smr_ctx *ctx, struct smr_soft_fit *f, double beta, struct smr_soft_state *s)
{
    smr_status st = SMR_OK;
    struct smr_km_work *w = &f->w;
    struct smr_kmeans_state sample = {0};
    int64_t k = w->k, d = w->rows.d;
    s->n_features = d;
    s->n_clusters = k;
    s->beta = beta;
    s->weight = w->rows.total;
    s->energy = f->energy;
    TRY_NEW(s->centre, k * d);
    TRY_NEW(s->share, k);
    memcpy(s->centre, w->centre, (size_t)(k * d) * sizeof *s->centre);
    memcpy(s->share, weights_of(f, 0), (size_t)k * sizeof *s->share);
    s->n_curve = w->n_record;
    s->curve = w->record;
    w->record = NULL;
    smr_km_bounds_forget(w->bounds);
    TRY(smr_km_assign(ctx, w)); /* the nearest centres, for pictures */
    TRY(smr_km_keep_sample(ctx, w, &sample));
    s->x_feature = sample.x_feature;
    s->y_feature = sample.y_feature;
    s->n_sample = sample.n_sample;
    s->n_plane = sample.n_plane;
    s->sample = sample.sample;
    s->sample_label = sample.sample_label;
    sample.sample = NULL;
    sample.sample_label = NULL;
out:
    smr_free(sample.sample);
    smr_free(sample.sample_label);
    return st;
}

static smr_status check(smr_ctx *ctx, const smr_data *data)
{
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "softkmeans: no rows to fit");
    if (data->n_features < 1)
        return smr_fail(ctx, SMR_ERR_DATA, "softkmeans: there are no features");
    return SMR_OK;
}

smr_status smr_soft_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                        smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct smr_soft_params *p = params_;
    struct smr_soft_state *s = state_;
    struct smr_soft_fit f = {.p = p, .report = report};
    bool settled = false;
    double beta = 0;
    f.hard = (struct smr_kmeans_params){.k = p->k, .start = p->start, .starts = 1, .tol = 1e-4};
    f.hard.max_iter = HARD_ITERATIONS;
    f.w.p = &f.hard;
    f.w.report = &f.quiet;
    TRY(check(ctx, data));
    f.w.rows.name = "softkmeans";
    TRY(smr_km_open_work(ctx, data, &f.w));
    smr_km_reset(&f.w);
    TRY(start(ctx, &f, &beta));
    TRY(open_room(ctx, &f));
    TRY(go_through_stages(ctx, &f, beta, s, &settled));
    TRY(keep(ctx, &f, beta, s));
    for (int64_t i = 1; i < s->n_curve; i++) TRY(smr_fit_step(ctx, report, s->curve[i]));
    report->objective = s->energy;
    report->converged = settled;
    if (s->n_clusters < p->k)
        smr_warn(ctx,
                 "softkmeans: k=%lld, and the rows have %lld different place%s; so many "
                 "clusters are kept",
                 (long long)p->k, (long long)s->n_clusters, smr_plural(s->n_clusters, "", "s"));
out:
    close_fit(ctx, &f);
    return st;
}
