/* progressive.c -- see progressive.h. */
#include "metric/progressive.h"

#include "core/figure.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { DEFAULT_WINDOW = 1000, FIRST_STEP = 50, DRIFT_FROM = 100 };
static const double SLACK = 0.1, ALARM = 100, MOST_DEVIATIONS = 10;

smr_status smr_progressive_create(smr_ctx *ctx, smr_task task, bool has_proba, int64_t n_classes,
                                  int64_t n_outputs, int64_t window, smr_progressive **out)
{
    smr_status st = SMR_OK;
    smr_progressive *p = NULL;
    *out = NULL;
    TRY_NEW(p, 1);
    p->task = task;
    p->has_proba = has_proba;
    p->n_classes = n_classes;
    p->n_outputs = n_outputs;
    p->window = window > 0 ? window : DEFAULT_WINDOW;
    p->step = FIRST_STEP;
    TRY_NEW(p->error, p->window);
    TRY_NEW(p->share, p->window);
    *out = p;
    p = NULL;
out:
    smr_progressive_free(p);
    return st;
}

void smr_progressive_free(smr_progressive *p)
{
    if (!p) return;
    smr_free(p->error);
    smr_free(p->share);
    smr_free(p);
}

/* ---- drift: (2) ----------------------------------------------------------------------------- */

static void begin_again(smr_progressive *p)
{
    p->since = p->sum = p->sum_square = p->walk = p->lowest = p->n_lowest = p->sum_lowest = 0;
    p->began = (double)p->n_rows;
}

/* Mean and deviation of the errors since the last alarm. */
static void usual_error(const smr_progressive *p, double *mean, double *deviation)
{
    if (p->task == SMR_TASK_CLASSIFY) {
        *mean = (p->sum + 1) / (p->since + 2);
        *deviation = sqrt(*mean * (1 - *mean));
    } else {
        *mean = p->sum / p->since;
        *deviation = sqrt(smr_fmax(0, p->sum_square / p->since - *mean * *mean));
    }
}

static bool watch(smr_progressive *p, double x)
{
    bool alarm = false;
    if (p->since >= DRIFT_FROM) {
        double mean, deviation;
        usual_error(p, &mean, &deviation);
        if (deviation > 0) p->walk += smr_fmin((x - mean) / deviation, MOST_DEVIATIONS) - SLACK;
        alarm = p->walk - p->lowest > ALARM;
    }
    p->since++;
    p->sum += x;
    p->sum_square += x * x;
    if (p->walk <= p->lowest) {
        p->lowest = p->walk;
        p->n_lowest = p->since;
        p->sum_lowest = p->sum;
    }
    if (!alarm) return false;
    if (p->n_drifts < SMR_DRIFTS_KEPT)
        p->drifts[p->n_drifts] =
            (smr_drift){.at = (double)p->n_rows,
                        .since = p->began + p->n_lowest + 1,
                        .before = p->sum_lowest / p->n_lowest,
                        .after = (p->sum - p->sum_lowest) / (p->since - p->n_lowest)};
    p->n_drifts++;
    begin_again(p);
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

double smr_progressive_error(const smr_progressive *p)
{
    return (p->task == SMR_TASK_CLASSIFY ? p->wrong : p->square) / p->weight;
}

/* Summed anew, from the oldest row on: the same figure whatever went before. */
double smr_progressive_recent(const smr_progressive *p)
{
    double sum = 0, weight = 0;
    int64_t first = p->in_window < p->window ? 0 : p->next;
    for (int64_t k = 0; k < p->in_window; k++) {
        int64_t i = (first + k) % p->window;
        sum += p->share[i] * p->error[i];
        weight += p->share[i];
    }
    return sum / weight;
}

/* Every second point goes when there is no room. */
static void add_point(smr_progressive *p)
{
    if (p->n_points == SMR_PROGRESS_POINTS) {
        p->step *= 2;
        int64_t kept = 0;
        for (int64_t i = 1; i < p->n_points; i += 2, kept++) {
            p->rows[kept] = p->rows[i];
            p->total[kept] = p->total[i];
            p->recent[kept] = p->recent[i];
        }
        p->n_points = kept;
        if (p->n_rows % p->step != 0) return;
    }
    p->rows[p->n_points] = (double)p->n_rows;
    p->total[p->n_points] = smr_progressive_error(p);
    p->recent[p->n_points++] = smr_progressive_recent(p);
}

static void add_to_window(smr_progressive *p, double error, double weight)
{
    p->error[p->next] = error;
    p->share[p->next] = weight;
    p->next = (p->next + 1) % p->window;
    if (p->in_window < p->window) p->in_window++;
}

static bool add_row(smr_progressive *p, double error, double watched, double weight)
{
    p->n_rows++;
    p->weight += weight;
    add_to_window(p, error, weight);
    if (p->n_rows % p->step == 0) add_point(p);
    return watch(p, watched);
}

bool smr_progressive_class(smr_progressive *p, int64_t said, int64_t is, const double *scores,
                           double weight)
{
    double error = said != is;
    p->wrong += weight * error;
    if (p->has_proba && scores) p->log_loss -= weight * smr_log(smr_fmax(scores[is], DBL_EPSILON));
    return add_row(p, error, error, weight);
}

bool smr_progressive_value(smr_progressive *p, const double *said, const double *is, double weight)
{
    double square = 0, absolute = 0, n = (double)p->n_outputs;
    for (int64_t j = 0; j < p->n_outputs; j++) {
        double off = said[j] - is[j];
        square += off * off / n;
        absolute += fabs(off) / n;
    }
    p->square += weight * square;
    p->absolute += weight * absolute;
    return add_row(p, square, absolute, weight);
}

bool smr_progressive_distance(smr_progressive *p, double square, double weight)
{
    p->square += weight * square;
    p->absolute += weight * sqrt(square);
    return add_row(p, square, sqrt(square), weight);
}

/* ---- reporting ------------------------------------------------------------------------------ */

void smr_progressive_sums(const smr_progressive *p, smr_json *into)
{
    smr_json_add_number(into, "measured_rows", (double)p->n_rows);
    smr_json *m = smr_json_add_object(into, "measures");
    if (p->task == SMR_TASK_CLASSIFY) {
        smr_json_add_number(m, "error", p->wrong / p->weight);
        smr_json_add_number(m, "accuracy", 1 - p->wrong / p->weight);
        if (p->has_proba) smr_json_add_number(m, "log_loss", p->log_loss / p->weight);
    } else if (p->task == SMR_TASK_CLUSTER) {
        smr_json_add_number(m, "error", p->square / p->weight);
    } else {
        smr_json_add_number(m, "mse", p->square / p->weight);
        smr_json_add_number(m, "rmse", sqrt(p->square / p->weight));
        smr_json_add_number(m, "mae", p->absolute / p->weight);
    }
}

void smr_progressive_measures(const smr_progressive *p, smr_json *into)
{
    smr_progressive_sums(p, into);
    smr_json *w = smr_json_add_object(into, "window");
    smr_json_add_number(w, "rows", (double)p->in_window);
    smr_json_add_number(w, p->task == SMR_TASK_REGRESS ? "mse" : "error",
                        smr_progressive_recent(p));
}

void smr_progressive_drifts(const smr_progressive *p, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "drift");
    for (int64_t k = 0; k < SMR_MIN(p->n_drifts, SMR_DRIFTS_KEPT); k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "at", p->drifts[k].at);
        smr_json_add_number(row, "since", p->drifts[k].since);
        smr_json_add_number(row, "before", p->drifts[k].before);
        smr_json_add_number(row, "after", p->drifts[k].after);
    }
}

void smr_progressive_figure(const smr_progressive *p, smr_json *figures)
{
    static const char *const names[] = {[SMR_TASK_CLASSIFY] = "error",
                                        [SMR_TASK_REGRESS] = "mean squared error",
                                        [SMR_TASK_CLUSTER] = "mean squared distance"};
    if (p->n_points < 2) return;
    smr_json *f = smr_figure_add(figures, "progressive", "Progressive error",
                                 "Each row was predicted before the model learned from it.");
    smr_figure_axis(f, "x", "rows", "linear");
    smr_json *y = smr_figure_axis(f, "y", names[p->task], "linear");
    smr_json_add_number(y, "min", 0);
    smr_figure_series(f, "all rows so far", "line", p->n_points, p->rows, p->total);
    smr_figure_series(f, "the last rows", "line", p->n_points, p->rows, p->recent);
    for (int64_t k = 0; k < SMR_MIN(p->n_drifts, SMR_DRIFTS_KEPT); k++)
        smr_figure_mark(f, "vline", p->drifts[k].at, k == 0 ? "drift suspected" : NULL);
}

/* ---- going on later ------------------------------------------------------------------------- */

static const struct kept {
    const char *name;
    size_t offset;
} kept[] = {
    {"weight", offsetof(smr_progressive, weight)},
    {"wrong", offsetof(smr_progressive, wrong)},
    {"log_loss", offsetof(smr_progressive, log_loss)},
    {"square", offsetof(smr_progressive, square)},
    {"absolute", offsetof(smr_progressive, absolute)},
    {"since", offsetof(smr_progressive, since)},
    {"sum", offsetof(smr_progressive, sum)},
    {"sum_square", offsetof(smr_progressive, sum_square)},
    {"walk", offsetof(smr_progressive, walk)},
    {"lowest", offsetof(smr_progressive, lowest)},
    {"n_lowest", offsetof(smr_progressive, n_lowest)},
    {"sum_lowest", offsetof(smr_progressive, sum_lowest)},
    {"began", offsetof(smr_progressive, began)},
};

/* The newest rows of the window, the oldest of them first; weights only where some is not 1. */
static void keep_window(const smr_progressive *p, smr_json *into)
{
    smr_json *errors = smr_json_add_array(into, "recent"), *weights = NULL;
    int64_t n = SMR_MIN(p->in_window, SMR_WINDOW_KEPT);
    int64_t first = p->next - n + p->window;
    for (int64_t k = 0; k < n && !weights; k++)
        if (p->share[(first + k) % p->window] != 1)
            weights = smr_json_add_array(into, "recent_weights");
    for (int64_t k = 0; k < n; k++) {
        int64_t i = (first + k) % p->window;
        smr_json_add_number(errors, NULL, p->error[i]);
        if (weights) smr_json_add_number(weights, NULL, p->share[i]);
    }
}

static bool is_size(const smr_json *x)
{
    return x->type == SMR_JSON_NUMBER && isfinite(x->number) && x->number >= 0;
}

/* Anything that is not a list of the right size ends it: the window begins anew from there. */
static void restore_window(smr_progressive *p, const smr_json *from)
{
    const smr_json *errors = smr_json_get(from, "recent");
    const smr_json *weights = smr_json_get(from, "recent_weights");
    if (!errors || errors->type != SMR_JSON_ARRAY) return;
    if (weights && (weights->type != SMR_JSON_ARRAY || weights->n != errors->n)) return;
    const smr_json *w = weights ? weights->first : NULL;
    for (const smr_json *e = errors->first; e; e = e->next, w = w ? w->next : NULL) {
        if (!is_size(e) || (w && !is_size(w))) return;
        add_to_window(p, e->number, w ? w->number : 1);
    }
}

/* Damage ends the list. */
static void restore_drifts(smr_progressive *p, const smr_json *from)
{
    const smr_json *list = smr_json_get(from, "drift");
    p->n_drifts = 0;
    if (!list || list->type != SMR_JSON_ARRAY) return;
    for (const smr_json *row = list->first; row && p->n_drifts < SMR_DRIFTS_KEPT; row = row->next) {
        smr_drift d = {.at = smr_json_get_number(row, "at", NAN),
                       .since = smr_json_get_number(row, "since", NAN),
                       .before = smr_json_get_number(row, "before", NAN),
                       .after = smr_json_get_number(row, "after", NAN)};
        if (!isfinite(d.at + d.since + d.before + d.after)) return;
        p->drifts[p->n_drifts++] = d;
    }
}

void smr_progressive_keep(const smr_progressive *p, smr_json *into)
{
    smr_json_add_number(into, "rows", (double)p->n_rows);
    for (int64_t k = 0; k < SMR_COUNT(kept); k++)
        smr_json_add_number(into, kept[k].name,
                            *(const double *)(const void *)((const char *)p + kept[k].offset));
    keep_window(p, into);
    if (p->n_drifts) smr_progressive_drifts(p, into);
}

void smr_progressive_restore(smr_progressive *p, const smr_json *from)
{
    p->n_rows = (int64_t)smr_fmin(smr_fmax(0, smr_json_get_number(from, "rows", 0)), 9e15);
    for (int64_t k = 0; k < SMR_COUNT(kept); k++)
        *(double *)(void *)((char *)p + kept[k].offset) =
            smr_json_get_number(from, kept[k].name, 0);
    while (p->n_rows / p->step >= SMR_PROGRESS_POINTS / 2) p->step *= 2;
    restore_window(p, from);
    restore_drifts(p, from);
}
