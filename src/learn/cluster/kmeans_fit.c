/* kmeans_fit.c -- iterations from a start, restarts, what is kept.
 *
 * An iteration gives every row the nearest centre and puts every centre at the mean of its rows.
 * Sums over clusters change by the rows that change, exactly, so that the error follows from them:
 * with Q = sum w |x - s|^2 and S_c = sum w (x - s) of cluster c,
 *
 *     error = Q - sum_c [ 2 (c - s)'S_c - W_c |c - s|^2 ]                                       (1)
 *
 * It ends when no row changes its cluster, or when the centres moved by no more than tol times the
 * mean variance of a column, squared and summed; `converged` says that one of these came true. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

enum {
    SHOWN = 400,            /* rows kept for pictures                          */
    AGAIN = 10,             /* starts of small tables                          */
    FEW_PRODUCTS = 30000000 /* n d k up to which a table is small              */
};

/* ---- (1) -------------------------------------------------------------------------------- */

/* Without the halves of cosine. */
static double error_by_sums(const struct smr_km_work *w)
{
    const struct smr_km_rows *r = &w->rows;
    double error = r->squares;
    for (int64_t c = 0; c < w->k; c++) {
        double cross = 0, square = 0;
        for (int64_t j = 0; j < r->d; j++) {
            double v = w->centre[c * r->d + j] - r->shift[j];
            cross += v * ((double)w->sum[c * r->d + j] / r->scale[j]);
            square += v * v;
        }
        error -= 2 * cross - smr_km_cluster_weight(w, c) * square;
    }
    return smr_fmax(0, error);
}

static double in_metric(const struct smr_km_work *w, double error)
{
    return w->p->metric == SMR_KM_COSINE ? error / 2 : error;
}

double smr_km_variance(const struct smr_km_work *w)
{
    const struct smr_km_rows *r = &w->rows;
    double square = 0;
    for (int64_t j = 0; j < r->d; j++) {
        double sum = 0;
        for (int64_t c = 0; c < w->k; c++) sum += (double)w->sum[c * r->d + j];
        sum /= r->scale[j] * r->total;
        square += sum * sum;
    }
    return smr_fmax(0, r->squares / r->total - square);
}

/* ---- iterations ------------------------------------------------------------------------- */

static smr_status assign(smr_ctx *ctx, struct smr_km_work *w)
{
    return w->bounds ? smr_km_assign_bounded(ctx, w) : smr_km_assign(ctx, w);
}

/* Moves centres to the means; how far, squared and summed. */
static double move_centres(struct smr_km_work *w)
{
    double moved = 0, *before = w->before;
    int64_t size = w->k * w->rows.d;
    smr_km_means(w, before);
    for (int64_t e = 0; e < size; e++) {
        double step = before[e] - w->centre[e];
        moved += step * step;
    }
    w->before = w->centre;
    w->centre = before;
    return moved;
}

static smr_status tell(smr_ctx *ctx, struct smr_km_work *w, double moved)
{
    smr_status st = SMR_OK;
    double error = in_metric(w, error_by_sums(w));
    TRY(smr_fit_record(ctx, w->n_record++, error, &w->record));
    TRY(smr_kmeans_watch(ctx, w, error, moved));
    TRY(smr_tick(ctx, "iterating", w->n_iter, w->p->max_iter, error));
out:
    return st;
}

smr_status smr_km_iterate(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    bool settled = false;
    w->converged = false;
    w->n_iter = 0;
    while (w->n_iter < w->p->max_iter && !w->converged) {
        TRY(assign(ctx, w));
        if (w->n_iter > 0 && w->n_changed == 0) {
            w->converged = settled = true;
            break;
        }
        TRY(smr_km_repair(ctx, w));
        double moved = move_centres(w);
        w->n_iter++;
        w->converged = w->p->tol > 0 && moved <= w->p->tol * smr_km_variance(w) / (double)w->rows.d;
        TRY(tell(ctx, w, moved));
    }
    if (!settled) TRY(assign(ctx, w));
out:
    return st;
}

/* ---- restarts --------------------------------------------------------------------------- */

/* The centres of an earlier model of as many clusters; where it found fewer places, the rest are
 * empty, and get rows as empty clusters do. */
static bool begin_warm(struct smr_km_work *w)
{
    const smr_warm_start *from = w->report->warm;
    if (!from || from->stage->learner != w->report->learner) return false;
    const struct smr_kmeans_params *was = from->stage->params;
    const struct smr_kmeans_state *old = from->stage->state;
    const smr_feature *names = from->shape->features, *now = w->rows.given->features;
    int64_t d = w->rows.d;
    if (old->n_features != d || old->metric != w->p->metric) return false;
    if (was->k != w->p->k || old->n_clusters > w->k) return false;
    for (int64_t j = 0; names && now && j < d; j++)
        if (!names[j].name || !now[j].name || strcmp(names[j].name, now[j].name) != 0) return false;
    for (int64_t c = 0; c < w->k; c++)
        memcpy(w->centre + c * d, old->centre + (c < old->n_clusters ? c : 0) * d,
               (size_t)d * sizeof *w->centre);
    return true;
}

static int64_t count_starts(const struct smr_km_work *w)
{
    double size = (double)w->rows.n * (double)w->rows.d * (double)w->k;
    if (w->report->is_warm) return 1;
    if (w->p->starts > 0) return (int64_t)w->p->starts;
    return size <= FEW_PRODUCTS ? AGAIN : 1;
}

struct best {
    double error;
    double *centre, *record;
    int64_t n_record;
    bool converged;
};

static void take_best(struct smr_km_work *w, double error, struct best *best)
{
    double *record = best->record;
    memcpy(best->centre, w->centre, (size_t)(w->k * w->rows.d) * sizeof *best->centre);
    best->error = error;
    best->converged = w->converged;
    best->n_record = w->n_record;
    best->record = w->record;
    w->record = record;
}

static smr_status fit_starts(smr_ctx *ctx, struct smr_km_work *w, struct best *best)
{
    smr_status st = SMR_OK;
    int64_t starts, size = w->k * w->rows.d;
    double error = 0;
    best->error = INFINITY;
    w->report->is_warm = begin_warm(w);
    starts = count_starts(w);
    for (w->restart = 0; w->restart < starts; w->restart++) {
        smr_km_reset(w);
        smr_km_bounds_forget(w->bounds);
        w->n_record = 0;
        if (!w->report->is_warm) TRY(smr_km_start(ctx, w));
        TRY(smr_km_iterate(ctx, w));
        if (starts > 1) TRY(smr_km_errors(ctx, w, NULL, &error));
        if (error < best->error) take_best(w, error, best);
    }
    if (starts == 1) return SMR_OK;
    memcpy(w->centre, best->centre, (size_t)size * sizeof *best->centre);
    smr_km_reset(w); /* labels and sums of the best one */
    smr_km_bounds_forget(w->bounds);
    TRY(smr_km_assign(ctx, w));
out:
    return st;
}

/* What the iterations of the best start, and those of its moves, came to. */
static smr_status tell_iterations(smr_ctx *ctx, struct smr_km_work *w, const struct best *best)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < best->n_record; i++) TRY(smr_fit_step(ctx, w->report, best->record[i]));
    for (int64_t i = 0; i < w->n_record; i++)
        TRY(smr_fit_step(ctx, w->report, smr_fmin(w->report->objective, w->record[i])));
out:
    return st;
}

/* ---- what is kept ----------------------------------------------------------------------- */

smr_status smr_km_drop_empty(smr_ctx *ctx, struct smr_km_work *w)
{
    int64_t have = 0, d = w->rows.d, before = w->k;
    for (int64_t c = 0; c < w->k; c++) {
        if (w->count[c] == 0) continue;
        memmove(w->centre + have * d, w->centre + c * d, (size_t)d * sizeof *w->centre);
        memmove(w->sum + have * d, w->sum + c * d, (size_t)d * sizeof *w->sum);
        w->count[have] = w->count[c];
        w->mass[have++] = w->mass[c];
    }
    if (have == before) return SMR_OK;
    w->k = have;
    w->centres.k = have;
    smr_km_reset(w);
    return smr_km_assign(ctx, w);
}

/* The two features in which the centres lie furthest apart, for the spread of the column. */
static void choose_plane(const struct smr_km_work *w, struct smr_kmeans_state *s)
{
    const struct smr_km_rows *r = &w->rows;
    double first = -1, second = -1;
    s->x_feature = 0;
    s->y_feature = r->d > 1 ? 1 : -1;
    for (int64_t j = 0; j < r->d && r->d > 2; j++) {
        double mean = 0, between = 0;
        for (int64_t c = 0; c < w->k; c++) mean += (double)w->mass[c] * w->centre[c * r->d + j];
        mean /= r->weight_scale * r->total;
        for (int64_t c = 0; c < w->k; c++) {
            double off = w->centre[c * r->d + j] - mean;
            between += (double)w->mass[c] * off * off;
        }
        if (between > first) {
            second = first;
            s->y_feature = s->x_feature;
            first = between;
            s->x_feature = j;
        } else if (between > second) {
            second = between;
            s->y_feature = j;
        }
    }
    if (r->d > 2 && s->y_feature == s->x_feature) s->y_feature = s->x_feature ? 0 : 1;
}

smr_status smr_km_keep_sample(smr_ctx *ctx, const struct smr_km_work *w, struct smr_kmeans_state *s)
{
    smr_status st = SMR_OK;
    const struct smr_km_rows *r = &w->rows;
    int64_t n = SMR_MIN(SHOWN, r->n);
    choose_plane(w, s);
    s->n_plane = 2;
    TRY_NEW(s->sample, 2 * n);
    TRY_NEW(s->sample_label, n);
    for (int64_t t = 0; t < n; t++) {
        int64_t i = t * r->n / n;
        if (!(smr_km_weight(r, i) > 0)) continue;
        const double *x = smr_km_row(r, i, r->work);
        s->sample[2 * s->n_sample] = x[s->x_feature];
        s->sample[2 * s->n_sample + 1] = s->y_feature < 0 ? 0 : x[s->y_feature];
        s->sample_label[s->n_sample++] = w->label[i];
    }
out:
    return st;
}

static smr_status keep(smr_ctx *ctx, struct smr_km_work *w, const smr_data *data,
                       struct smr_kmeans_state *s)
{
    smr_status st = SMR_OK;
    int64_t k = w->k, d = w->rows.d;
    s->n_features = d;
    s->n_clusters = k;
    s->n_out = w->p->gives == SMR_KM_NEAREST ? d : k;
    s->metric = w->p->metric;
    s->weight = w->rows.total;
    TRY_NEW(s->centre, k * d);
    TRY_NEW(s->share, k);
    TRY_NEW(s->spread, k);
    memcpy(s->centre, w->centre, (size_t)(k * d) * sizeof *s->centre);
    for (int64_t c = 0; c < k; c++) s->share[c] = smr_km_cluster_weight(w, c);
    TRY(smr_km_errors(ctx, w, s->spread, &s->error));
    TRY(smr_km_keep_sample(ctx, w, s));
    if (data->item_shape[0] == 0) return SMR_OK;
    s->n_item = 4;
    TRY_NEW(s->item, 4);
    memcpy(s->item, data->item_shape, 4 * sizeof *s->item);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const smr_data *data)
{
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "kmeans: no rows to fit");
    if (data->n_features < 1) return smr_fail(ctx, SMR_ERR_DATA, "kmeans: there are no features");
    return SMR_OK;
}

smr_status smr_km_open_work(smr_ctx *ctx, const smr_data *data, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, d = data->n_features, weighty = 0;
    if (!w->rows.name) w->rows.name = "kmeans";
    for (int64_t i = 0; i < n; i++) weighty += smr_data_weight(data, i) > 0;
    w->k = SMR_MAX(1, SMR_MIN(w->p->k, weighty));
    TRY(smr_km_check_memory(ctx, &w->rows, (double)n * 4 + 24 * (double)w->k * (double)d,
                            "its centres", "use fewer clusters or features"));
    TRY(smr_km_open(ctx, data, w->p->metric, w->k, &w->rows));
    TRY_NEW(w->centre, w->k * d);
    TRY_NEW(w->before, w->k * d);
    TRY_NEW(w->sum, w->k * d);
    TRY_NEW(w->label, n);
    TRY_NEW(w->count, w->k);
    TRY_NEW(w->mass, w->k);
    TRY(smr_km_centres_create(ctx, &w->rows, w->k, &w->centres));
    TRY(smr_km_lanes_create(ctx, &w->rows, w->k, true, &w->lanes));
    TRY(smr_km_bounds_create(ctx, w));
out:
    return st;
}

void smr_km_close_work(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_km_bounds_free(w->bounds);
    smr_km_lanes_release(ctx, w->lanes);
    smr_km_centres_release(&w->centres);
    smr_free(w->centre);
    smr_free(w->before);
    smr_free(w->sum);
    smr_free(w->label);
    smr_free(w->count);
    smr_free(w->mass);
    smr_free(w->record);
    smr_km_close(&w->rows);
}

static void tell_fewer(smr_ctx *ctx, const struct smr_km_work *w, const smr_data *data)
{
    if (w->k >= w->p->k) return;
    smr_warn(ctx,
             "kmeans: k=%lld, and the %lld row%s %lld different place%s; so many clusters "
             "are kept",
             (long long)w->p->k, (long long)data->n_rows,
             smr_plural(data->n_rows, " has", "s have"), (long long)w->k,
             smr_plural(w->k, "", "s"));
}

smr_status smr_kmeans_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                          smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_km_work w = {.p = params_, .report = report};
    struct best best = {0};
    TRY(check(ctx, data));
    TRY(smr_km_open_work(ctx, data, &w));
    TRY_NEW(best.centre, w.k * w.rows.d);
    TRY(fit_starts(ctx, &w, &best));
    w.converged = best.converged;
    w.n_record = 0;
    if (w.p->moves > 0) TRY(smr_km_split_and_merge(ctx, &w));
    TRY(smr_km_drop_empty(ctx, &w));
    TRY(keep(ctx, &w, data, state_));
    TRY(tell_iterations(ctx, &w, &best));
    report->converged = w.converged;
    report->objective = ((struct smr_kmeans_state *)state_)->error;
    tell_fewer(ctx, &w, data);
out:
    smr_km_close_work(ctx, &w);
    smr_free(best.centre);
    smr_free(best.record);
    return st;
}
